"""Helpers without a domain: lazy imports and former names in messages."""
