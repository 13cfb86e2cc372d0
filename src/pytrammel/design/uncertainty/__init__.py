"""Uncertainty: what tolerances and clearances do to results, and parameters from measurements."""
