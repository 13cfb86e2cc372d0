"""Meshes and shapes of robot files."""
