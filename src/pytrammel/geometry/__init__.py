"""Curves in plane and space, shapes, gear teeth."""
