"""Positions in which all joints close, and Newton's method that finds them."""
