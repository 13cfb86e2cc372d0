"""MJCF: read and write."""
