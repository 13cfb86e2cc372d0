"""The command ``pytrammel``."""
