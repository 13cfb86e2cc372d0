"""Stored results, run stores and exports."""
