"""Where a simulation starts: consistent positions and velocities, and what has no mass to begin with."""
