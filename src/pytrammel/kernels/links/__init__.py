"""Bodies that hang on lower bodies by relative coordinates: states and partial velocities, in the plane and in space."""
