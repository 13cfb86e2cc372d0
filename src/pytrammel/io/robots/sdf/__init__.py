"""SDF: read and write."""
