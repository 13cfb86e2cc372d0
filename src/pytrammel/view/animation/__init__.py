"""Animations as HTML pages and glTF."""
