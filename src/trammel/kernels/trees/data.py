"""What a tree is made of, found through the table of an integration."""

from __future__ import annotations

from trammel.kernels import engine
from trammel.kernels.jit import floats_at, ints_at, kernel


@kernel(spread=True)
def tree_at(E):
    """Integers of the tree."""
    return ints_at(E[engine.REDUCED])


@kernel(spread=True)
def constants_at(E):
    """Numbers of the tree."""
    return floats_at(E[engine.REDUCED_NUMBERS])


@kernel(spread=True)
def workspace_at(E):
    """Workspace of the equations."""
    return floats_at(E[engine.WORKSPACE])
