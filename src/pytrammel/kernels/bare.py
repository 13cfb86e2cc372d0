"""Bare pointers in the place of arrays, for the innermost loops.

Numba asks of every index of an array whether it counts from the end, and a slice is a new array; of a pointer it does neither. Functions
that only read and write single places take both; `tail` is the slice that they may use.
"""

from __future__ import annotations

from pytrammel.kernels.jit import HAVE_JIT

if HAVE_JIT:
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def advanced(typingctx, pointer, count):
        """A pointer so many numbers further on."""
        return pointer(pointer, count), lambda context, builder, sig, args: builder.gep(args[0], [args[1]])

    @intrinsic
    def bare(typingctx, array):
        """Pointer to the first number of an array without gaps."""

        def codegen(context, builder, sig, args):
            return context.make_array(sig.args[0])(context, builder, args[0]).data

        return types.CPointer(array.dtype)(array), codegen

    def tail(numbers, at):
        """What lies behind a place, of an array or a pointer."""
        return numbers[at:]

    @overload(tail, inline="always")
    def _tail(numbers, at):
        if isinstance(numbers, types.CPointer):
            return lambda numbers, at: advanced(numbers, at)
        return lambda numbers, at: numbers[at:]

else:

    def advanced(pointer, count):
        return pointer[count:]

    def bare(array):
        return array

    def tail(numbers, at):
        """What lies behind a place, of an array or a pointer."""
        return numbers[at:]
