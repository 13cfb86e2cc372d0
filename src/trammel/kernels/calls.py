"""Calls of entry points by address: a loop over many variants is a small kernel around large ones that are compiled already.

Called in the usual way, the large ones would be compiled again as parts of the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trammel.kernels.jit import HAVE_JIT, kernel_named

if HAVE_JIT:
    from numba.core import cgutils, types
    from numba.core.registry import cpu_target
    from numba.extending import intrinsic

    nb_types: Any = types
    NUMBER: Any = nb_types.float64
    WHOLE: Any = nb_types.int64
    STOPPED: Any = nb_types.Tuple((nb_types.int64, nb_types.int64, nb_types.float64))
    STEPPED: Any = nb_types.Tuple((nb_types.int64, nb_types.int64, nb_types.int64))
    NOTHING: Any = nb_types.none

    def calls(returned: Any, *arguments: Any) -> Any:
        """A function for kernels, ``call(address, (arguments…))``, of an entry point with these types."""

        @intrinsic
        def call(typingctx: Any, address: Any, given: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                values = [
                    context.cast(builder, value, own, wanted)
                    for value, own, wanted in zip(
                        cgutils.unpack_tuple(builder, args[1]), given.types, arguments, strict=True
                    )
                ]
                kind = context.call_conv.get_function_type(returned, arguments).as_pointer()
                status, out = context.call_conv.call_function(
                    builder, builder.inttoptr(args[0], kind), returned, arguments, values
                )
                with cgutils.if_unlikely(builder, status.is_error):
                    context.call_conv.return_status_propagate(builder, status)
                return out

            return returned(address, given), codegen

        return call

    def entry_address(entry: Any, returned: Any) -> int:
        """Where the machine code of an entry point is that returns what `calls` was told."""
        dispatcher = entry.dispatcher
        kernel_named(entry.__name__).compile()
        (made,) = dispatcher.overloads.values()
        if made.signature.return_type != returned:
            raise TypeError(f"{entry.__name__} returns {made.signature.return_type}, not {returned}")
        engine = cpu_target.target_context.codegen()._engine
        address = int(engine._ee.get_function_address(made.fndesc.llvm_func_name))
        if not address:
            raise ImportError(f"the machine code of {entry.__name__} has no address")
        return address

else:
    NUMBER = WHOLE = STOPPED = STEPPED = NOTHING = None
    _entries: list[Callable[..., Any]] = []

    def calls(returned: Any, *arguments: Any) -> Any:
        return lambda address, given: _entries[address](*given)

    def entry_address(entry: Any, returned: Any) -> int:
        if entry not in _entries:
            _entries.append(entry)
        return _entries.index(entry)
