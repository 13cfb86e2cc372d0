"""Calls of pieces by their address, from drivers on this processor."""

from __future__ import annotations

from pytrammel.kernels.jit import HAVE_JIT

if HAVE_JIT:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def call_piece(typingctx, address, t, F, stride, x, out):
        """Jump to a piece; arrays are handed over as bare pointers."""
        signature = types.void(address, types.float64, F, types.int64, x, out)

        def codegen(context, builder, sig, args):
            values = [
                context.make_array(ty)(context, builder, value).data if isinstance(ty, types.Array) else value
                for ty, value in zip(sig.args[1:], args[1:], strict=True)
            ]
            function_type = ir.FunctionType(ir.VoidType(), [v.type for v in values])
            builder.call(builder.inttoptr(args[0], function_type.as_pointer()), values)
            return context.get_dummy_value()

        return signature, codegen

else:

    def call_piece(address, t, F, stride, x, out):
        """Machine code cannot be called without Numba."""
        raise RuntimeError("straight kernels need Numba")
