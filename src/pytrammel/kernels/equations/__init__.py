"""Equations that methods integrate: one file per kind. `engine` says what each must offer."""
