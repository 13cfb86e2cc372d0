"""Function, path and motion generation."""
