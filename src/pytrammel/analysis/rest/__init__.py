"""Positions of rest: how they are found, followed along a parameter, and designed."""
