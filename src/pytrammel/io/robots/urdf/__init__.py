"""URDF: read, write, loops."""
