"""Textbooks: printed results, tables and worked examples."""
