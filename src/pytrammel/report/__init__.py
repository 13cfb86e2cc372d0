"""HTML report and model check."""
