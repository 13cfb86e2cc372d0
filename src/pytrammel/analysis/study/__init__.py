"""Formulations to look at: their matrices at a state, and their runs side by side."""
