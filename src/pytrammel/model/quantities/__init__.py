"""Measured quantities and their values in the design configuration."""
