"""Optimisation of designs: goals, searches, and the answers that explain themselves."""
