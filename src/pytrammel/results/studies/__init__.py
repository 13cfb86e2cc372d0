"""Matrices, terms, comparisons and plain solutions for study."""
