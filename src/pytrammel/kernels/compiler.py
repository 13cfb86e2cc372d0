"""How kernels are compiled: quickly and kept on disk (`numba_inside`), or by the public functions of Numba (`Ordinary`).

The quick way needs private names of Numba. If one is missing, at the import or later, kernels are compiled in the ordinary way from then
on: the same numbers, a longer wait, and nothing on disk, because the cache of Numba itself can be stale.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.extending import typeof_impl

from pytrammel.kernels.cache import KernelStore

SUITABLE = "numba>=0.63,<0.69"  # as pyproject.toml; the quick way has been tested with these versions
OPTIONS = {"error_model": "numpy", "nogil": True}


class Ordinary:
    """The functions of `numba_inside` by Numba's public interface."""

    KEEPS = False

    @staticmethod
    def part(store: KernelStore, function: Callable[..., Any], spread: bool) -> Any:
        return numba.njit(**OPTIONS, inline="always" if spread else "never")(function)

    @staticmethod
    def whole(store: KernelStore, function: Callable[..., Any]) -> Any:
        return numba.njit(**OPTIONS)(function)

    @staticmethod
    def is_cached(dispatcher: Any, signature: Any) -> bool:
        return False

    @staticmethod
    def was_loaded(dispatcher: Any) -> bool:
        return False

    class Compiled:
        """A function that is reached by its address."""

        was_loaded = False

        def __init__(self, store: KernelStore, function: Callable[..., Any], signature: Any) -> None:
            self._function, self._signature = function, signature

        def is_cached(self) -> bool:
            return False

        def build(self) -> Ordinary.Compiled:
            self._made = numba.cfunc(self._signature, error_model="numpy")(self._function)
            self.address = int(self._made.address)
            return self


_reason = ""  # why kernels are compiled in the ordinary way
_reported = False
way: Any = Ordinary
try:
    from pytrammel.kernels import numba_inside

    way = numba_inside
except Exception as error:
    _reason = f"{type(error).__name__}: {error}"


def compiled(make: Callable[[Any], Any]) -> Any:
    """Compile something, in the ordinary way if the quick way fails.

    Args:
        make: Called with the way to compile, `numba_inside` or `Ordinary`.
    """
    global way, _reason
    if way is not Ordinary:
        quick = way
        try:
            return make(quick)
        except Exception as error:
            way = Ordinary
            try:
                made = make(way)
            except Exception:  # the kernel itself cannot be compiled
                way = quick
                raise error from None
            _reason = f"{type(error).__name__}: {error}"
            _report()
            return made
    _report()
    return make(way)


def _report() -> None:
    """Warn once per process that kernels are compiled in the ordinary way."""
    global _reported
    if not _reported:
        _reported = True
        warnings.warn(explanation(), RuntimeWarning, stacklevel=2)


def explanation() -> str:
    """Reason for the ordinary way, its cost, and the remedy."""
    brief = " ".join(_reason.split())[:200]
    return (
        f"Numba {numba.__version__}: internal names are not available ({brief}). Kernels are compiled by Numba's public functions: "
        f"the numbers are the same, but every process compiles its kernels again. Install '{SUITABLE}' to keep compiled kernels."
    )


class PartFunction:
    """A function that kernels call as a part of theirs; a call from Python compiles it as a whole.

    Dispatchers are made when a kernel that calls the function is compiled: most processes find all their kernels on disk.
    """

    def __init__(self, store: KernelStore, function: Callable[..., Any], spread: bool) -> None:
        store.sources.note(function.__module__)
        self._store, self._spread = store, spread
        self._made: dict[tuple[Any, str], Any] = {}
        self.py_func = function
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the part, which Numba copies into its callers if it is to be spread."""
        return self._dispatcher("part", self._spread)

    def _dispatcher(self, kind: str, *options: Any) -> Any:
        made = self._made.get((way, kind))
        if made is None:
            made = self._made.setdefault((way, kind), getattr(way, kind)(self._store, self.py_func, *options))
        return made

    def __call__(self, *arguments: Any) -> Any:
        return self._dispatcher("whole")(*arguments)

    @property
    def stats(self) -> Any:
        """Numbers of compiled and of loaded signatures."""
        return self._made.get((way, "whole"), self.dispatcher).stats

    @property
    def targetoptions(self) -> Any:
        """Options of the part, which Numba reads when it inlines."""
        return self.dispatcher.targetoptions


@typeof_impl.register(PartFunction)
def _type_of_part(part: PartFunction, context: Any) -> Any:
    return types.Dispatcher(part.dispatcher)


def calls_by_address() -> bool:
    """Return True if kernels can call entry points by address, which needs Numba's private calling convention."""
    return way is not Ordinary


def entry_call(returned: Any, arguments: tuple[Any, ...]) -> Any:
    """A function for kernels, ``call(address, (arguments…))``; without Numba's private names, kernels with it cannot be compiled."""
    return None if way is Ordinary else way.entry_call(returned, arguments)


def entry_address(dispatcher: Any) -> int:
    """Address of the machine code of an entry point with one signature, or 0."""
    return 0 if way is Ordinary else int(way.entry_address(dispatcher))
