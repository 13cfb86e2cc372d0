"""Models of mechanisms in space."""
