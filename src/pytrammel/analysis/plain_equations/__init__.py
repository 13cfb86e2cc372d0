"""Equations that people write themselves, solved and integrated like those of mechanisms."""
