"""Calls of entry points by address: a loop over many variants is a small kernel around large ones that are compiled already.

Called in the usual way, the large ones would be compiled again as parts of the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytrammel.kernels.jit import HAVE_JIT, kernel_named

if HAVE_JIT:
    from numba import types

    from pytrammel.kernels import compiler

    nb_types: Any = types
    NUMBER: Any = nb_types.float64
    WHOLE: Any = nb_types.int64
    STOPPED: Any = nb_types.Tuple((nb_types.int64, nb_types.int64, nb_types.float64))
    STEPPED: Any = nb_types.Tuple((nb_types.int64, nb_types.int64, nb_types.int64))
    NOTHING: Any = nb_types.none

    def calls(returned: Any, *arguments: Any) -> Any:
        """A function for kernels, ``call(address, (arguments…))``, of an entry point with these types."""
        return compiler.entry_call(returned, arguments)

    def can_call() -> bool:
        """Return True if kernels can call entry points by address in this process."""
        return compiler.calls_by_address()

    def entry_address(entry: Any, returned: Any) -> int:
        """Address of the machine code of an entry point that returns the type given to `calls`."""
        kernel_named(entry.__name__).compile()
        (made,) = entry.dispatcher.overloads.values()
        if made.signature.return_type != returned:
            raise TypeError(f"{entry.__name__} returns {made.signature.return_type}, not {returned}")
        address = compiler.entry_address(entry.dispatcher)
        if not address:
            raise ImportError(f"the machine code of {entry.__name__} has no address")
        return address

else:
    NUMBER = WHOLE = STOPPED = STEPPED = NOTHING = None
    _entries: list[Callable[..., Any]] = []

    def calls(returned: Any, *arguments: Any) -> Any:
        return lambda address, given: _entries[address](*given)

    def can_call() -> bool:
        return False

    def entry_address(entry: Any, returned: Any) -> int:
        if entry not in _entries:
            _entries.append(entry)
        return _entries.index(entry)
