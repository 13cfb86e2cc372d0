"""What a tree is made of, found through the table of an integration, as bare pointers.

Passes over a tree take many short looks at many places; a slice of an array each time would cost more than what is done with it.
"""

from __future__ import annotations

from pytrammel.kernels import engine, jit
from pytrammel.kernels.jit import kernel

if jit.HAVE_JIT:

    @kernel(spread=True)
    def tree_at(E):
        """Integers of the tree."""
        return jit._int_pointer(E[engine.REDUCED])

    @kernel(spread=True)
    def constants_at(E):
        """Numbers of the tree."""
        return jit._float_pointer(E[engine.REDUCED_NUMBERS])

    @kernel(spread=True)
    def bare_ints(address):
        """Integers that begin at an address."""
        return jit._int_pointer(address)

    @kernel(spread=True)
    def bare_floats(address):
        """Numbers that begin at an address."""
        return jit._float_pointer(address)

    @kernel(spread=True)
    def room(E, at):
        """Workspace of the equations from one place on."""
        return jit._float_pointer(E[engine.WORKSPACE] + 8 * at)

else:

    def tree_at(E):
        return jit.ints_at(E[engine.REDUCED])

    def constants_at(E):
        return jit.floats_at(E[engine.REDUCED_NUMBERS])

    bare_ints, bare_floats = jit.ints_at, jit.floats_at

    def room(E, at):
        return jit.floats_at(E[engine.WORKSPACE])[at:]
