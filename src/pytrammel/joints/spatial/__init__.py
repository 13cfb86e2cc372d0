"""Joints and constraints of spatial models, one file per family; every file here is found by itself."""
