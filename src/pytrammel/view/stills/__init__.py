"""Drawings and films with Matplotlib."""
