"""Results of the analyses of robots."""
