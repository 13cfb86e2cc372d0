"""Formulas: text, tree, derivatives, tape, tables and motion profiles."""
