"""Formulas over results: reductions, windows, extremes, spectra."""
