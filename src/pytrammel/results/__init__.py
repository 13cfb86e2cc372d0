"""What comes back from an analysis."""
