"""Helpers without mechanics that every layer uses."""
