"""Compilation on demand with a cache that cannot go stale.

Numba's own cache key sees the file of a function but not the files of the functions it calls, so an edited callee could
give yesterday's answer. Here the key of every compiled object has a hash of all modules that it can be made of (`sources`), and
of what compiled it. `pytrammel.kernels.cache` keeps it.

Four decorators:

* ``@kernel`` — a function called from Python or from other kernels; compiled at its first call.
* ``@element`` — a constraint primitive with one fixed signature, reached through its address, so that a model compiles
  only the primitives it uses and the loops that call them never change.
* ``@apart`` — what few models need, reached by its address from kernels that most models need.
* ``@routine`` — a part of an integration (equations, or a method) with one fixed signature, reached through its address from a
  table (`engine`), so that methods are compiled once for all equations and equations once for all methods.

Without Numba, or with ``NUMBA_DISABLE_JIT=1``, all leave plain Python functions that give the same numbers slowly.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pytrammel._util.plugins import clash
from pytrammel.kernels.cache import KernelStore
from pytrammel.kernels.compilers import compile_all, expected_seconds

try:
    import numba
    from numba import types as nb_types

    HAVE_JIT = not numba.config.DISABLE_JIT
except ImportError:
    HAVE_JIT = False

_kernels: dict[str, Kernel] = {}
_announced = False
ENDLESS = 1 << 40  # length of an array of which only the beginning is known


class _Raised(threading.local):
    """What must be raised when the kernel that runs in this thread returns: it cannot cross the kernel itself."""

    error: BaseException | None = None


raised = _Raised()
_calls_back = False  # whether kernels may call Python functions in this process


class Kernel:
    """Registry entry: what can be compiled ahead of time, and whether it has been."""

    def __init__(
        self,
        function: Callable[..., Any],
        build: Callable[[], Any],
        is_element: bool,
        seconds: float = 0.4,
        cached: Callable[[], bool] = lambda: False,
        loaded: Callable[[], bool] = lambda: False,
    ) -> None:
        self.name = function.__name__
        self.module = function.__module__
        self.is_element = is_element
        self.seconds = seconds
        self._build = build
        self.is_cached = cached  # True when some process has compiled this kernel from these very sources
        self._loaded = loaded
        self._compiled: Any = None
        self._lock = threading.Lock()  # after Ctrl-C the compiler goes on in a thread of its own

    def was_loaded(self) -> bool:
        """True when this process took the kernel from disk instead of compiling it."""
        return self._compiled is not None and self._loaded()

    def compile(self) -> Any:
        """Compile or load from disk; do it once per process."""
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    self._compiled = self._build()
        return self._compiled


class Entry:
    """A compiled kernel that Python calls; what was raised meanwhile in functions it called back is raised when it returns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.way: Any = compiler.way  # how it is compiled
        self._dispatcher: Any = None
        self._lock = threading.Lock()

    @property
    def dispatcher(self) -> Any:
        """Dispatcher of Numba, made at its first use: most processes need few."""
        if self._dispatcher is None:
            with self._lock:
                if self._dispatcher is None:
                    self._dispatcher = self.way.whole(_store, self.py_func)
        return self._dispatcher

    def compile(self, way: Any, signature: tuple[Any, ...]) -> Any:
        """Compile it for one signature, in one of the ways of `compiler`."""
        if way is not self.way:
            self.way, self._dispatcher = way, None
        self.dispatcher.compile(signature)
        self.dispatcher.disable_compile()  # an unexpected argument type must be an error, not a recompilation
        return self.dispatcher

    def __call__(self, *arguments: Any) -> Any:
        if not _calls_back:
            return self.dispatcher(*arguments)
        # Ctrl-C may strike before the first line of a function called back; ctypes would print it and go on
        previous, sys.unraisablehook = sys.unraisablehook, self._catch
        try:
            out = self.dispatcher(*arguments)
        finally:
            sys.unraisablehook = previous
        if raised.error is not None:
            error, raised.error = raised.error, None
            raise error
        return out

    @staticmethod
    def _catch(about: Any) -> None:
        if "ctypes callback" in str(about.err_msg):
            raised.error = about.exc_value
        else:
            sys.__unraisablehook__(about)


def expect_callbacks() -> None:
    """From now on kernels may call Python functions, which may be interrupted."""
    global _calls_back
    _calls_back = True


if HAVE_JIT:
    from llvmlite import ir
    from numba.extending import intrinsic

    from pytrammel.kernels import compiler

    _store = KernelStore(numba.__version__)
    CACHE_FOLDER: Path | None = _store.folder

    def store() -> KernelStore:
        """Where this process keeps compiled kernels."""
        return _store

    INTS = nb_types.CPointer(nb_types.int64)
    FLOATS = nb_types.CPointer(nb_types.float64)
    _I = nb_types.int64
    ELEMENT_SIGNATURE = nb_types.void(INTS, _I, FLOATS, FLOATS, FLOATS, _I, FLOATS, _I, FLOATS)
    ROUTINE_SIGNATURE = nb_types.float64(INTS, nb_types.float64, nb_types.float64, FLOATS, FLOATS, FLOATS)
    INT_ARRAY: Any = nb_types.Array(nb_types.int64, 1, "C")
    FLOAT_ARRAY: Any = nb_types.Array(nb_types.float64, 1, "C")
    FLOAT_TABLE: Any = nb_types.Array(nb_types.float64, 2, "C")
    INT: Any = nb_types.int64
    FLOAT: Any = nb_types.float64

    def kernel(*signature: Any, spread: bool = False, seconds: float = 1.5) -> Callable[[Callable[..., Any]], Any]:
        """Compile the decorated function at its first call.

        With argument types given the kernel is an entry point, called from Python only: ``pytrammel compile`` and `prepare` can compile
        it ahead.

        Args:
            spread: Copy it into its callers. Each compiled function is optimised together with all that it calls, so that layers of
                functions around a large one cost its compilation again and again; spread layers cost nothing.
            seconds: What an entry point's compilation takes, roughly, for the sentence that asks for patience.
        """

        def decorate(function: Callable[..., Any]) -> Any:
            if not signature:
                return compiler.PartFunction(_store, function, spread)
            _store.sources.note(function.__module__)
            entry = Entry(function)

            def build() -> Any:
                return compiler.compiled(lambda way: entry.compile(way, signature))

            def cached() -> bool:
                return bool(entry.way.is_cached(entry.dispatcher, signature))

            def loaded() -> bool:
                return bool(entry.way.was_loaded(entry.dispatcher))

            _register(Kernel(function, build, is_element=False, seconds=seconds, cached=cached, loaded=loaded))
            return entry

        return decorate

    class Element:
        """A constraint primitive or a routine: callable from Python as written, from kernels by address."""

        def __init__(
            self, function: Callable[..., Any], signature: Any = ELEMENT_SIGNATURE, seconds: float = 0.4
        ) -> None:
            self.python = function
            self.name = function.__name__
            _store.sources.note(function.__module__)
            made = compiler.way.Compiled(_store, function, signature)

            def make(way: Any) -> Any:
                nonlocal made
                if not isinstance(made, way.Compiled):
                    made = way.Compiled(_store, function, signature)
                return made.build()

            self.kernel = _register(
                Kernel(
                    function,
                    lambda: compiler.compiled(make),
                    is_element=True,
                    seconds=seconds,
                    cached=lambda: made.is_cached(),
                    loaded=lambda: made.was_loaded,
                )
            )

        def address(self) -> int:
            prepare([self.name])
            return int(self.kernel.compile().address)

    def _bare(context, builder, sig, args):
        """Arguments after the address, arrays as bare pointers."""
        return [
            context.make_array(ty)(context, builder, value).data if isinstance(ty, nb_types.Array) else value
            for ty, value in zip(sig.args[1:], args[1:], strict=True)
        ]

    @intrinsic
    def call_element(typingctx, address, ip, io, fp, state, out, o, jac, jo, work):
        """Jump to a primitive by address; arrays are handed over as bare pointers."""
        signature = nb_types.void(address, ip, io, fp, state, out, o, jac, jo, work)

        def codegen(context, builder, sig, args):
            values = _bare(context, builder, sig, args)
            function_type = ir.FunctionType(ir.VoidType(), [v.type for v in values])
            builder.call(builder.inttoptr(args[0], function_type.as_pointer()), values)
            return context.get_dummy_value()

        return signature, codegen

    @intrinsic
    def call_routine(typingctx, address, E, t, h, a, b, c):
        """Jump to a routine by address; arrays are handed over as bare pointers."""
        number = nb_types.float64
        signature = number(address, E, number, number, a, b, c)

        def codegen(context, builder, sig, args):
            values = _bare(context, builder, sig, args)
            function_type = ir.FunctionType(ir.DoubleType(), [v.type for v in values])
            return builder.call(builder.inttoptr(args[0], function_type.as_pointer()), values)

        return signature, codegen

    @intrinsic
    def call_apart(typingctx, address, arguments):
        """Jump to a function by address with a tuple of arguments; arrays are handed over as bare pointers. Returns a number."""
        signature = nb_types.float64(address, arguments)

        def codegen(context, builder, sig, args):
            values = [builder.extract_value(args[1], k) for k in range(len(sig.args[1]))]
            values = _bare(context, builder, nb_types.void(address, *sig.args[1]), [args[0], *values])
            function_type = ir.FunctionType(ir.DoubleType(), [v.type for v in values])
            return builder.call(builder.inttoptr(args[0], function_type.as_pointer()), values)

        return signature, codegen

    @intrinsic
    def _int_pointer(typingctx, address):
        return INTS(address), lambda context, builder, sig, args: builder.inttoptr(
            args[0], context.get_value_type(sig.return_type)
        )

    @intrinsic
    def _float_pointer(typingctx, address):
        return FLOATS(address), lambda context, builder, sig, args: builder.inttoptr(
            args[0], context.get_value_type(sig.return_type)
        )

    @numba.njit(inline="always")
    def ints_at(address):
        """Integers that begin at an address; how many is known to the one who reads them."""
        return numba.carray(_int_pointer(address), (ENDLESS,))

    @numba.njit(inline="always")
    def floats_at(address):
        """Numbers that begin at an address; how many is known to the one who reads them."""
        return numba.carray(_float_pointer(address), (ENDLESS,))

    @numba.njit(inline="always")
    def table_in(numbers, at, rows, columns):
        """Part of an array as a table."""
        return numba.carray(_float_pointer(numbers.ctypes.data + 8 * at), (rows, columns))

    @intrinsic
    def _complex_pointer(typingctx, address):
        return nb_types.CPointer(nb_types.complex128)(address), lambda context, builder, sig, args: builder.inttoptr(
            args[0], context.get_value_type(sig.return_type)
        )

    @numba.njit(inline="always")
    def complex_table_in(numbers, at, rows, columns):
        """Part of an array as a table of complex numbers, which take two places each."""
        return numba.carray(_complex_pointer(numbers.ctypes.data + 8 * at), (rows, columns))

    @numba.njit(inline="always")
    def vector(pointer, count):
        """Argument of a routine as an array."""
        return numba.carray(pointer, (count,))

    def address_of(array: Any) -> int:
        """Where an array lies. Whoever hands the address on must keep the array."""
        return int(array.ctypes.data)

    @intrinsic
    def call_law(typingctx, address, arguments):
        """Call a user's law by address with a pointer to its arguments; it writes its value behind them."""
        signature = nb_types.void(address, arguments)

        def codegen(context, builder, sig, args):
            value = args[1]
            if isinstance(sig.args[1], nb_types.Array):
                value = context.make_array(sig.args[1])(context, builder, value).data
            function_type = ir.FunctionType(ir.VoidType(), [value.type])
            builder.call(builder.inttoptr(args[0], function_type.as_pointer()), [value])
            return context.get_dummy_value()

        return signature, codegen

else:
    CACHE_FOLDER = None
    INT_ARRAY = FLOAT_ARRAY = FLOAT_TABLE = INT = FLOAT = INTS = FLOATS = None
    _python_elements: list[Callable[..., None]] = []

    def kernel(*signature: Any, spread: bool = False, seconds: float = 1.5) -> Callable[[Callable[..., Any]], Any]:
        """Leave the function as it is: the slow path with the same answers."""

        def decorate(function: Callable[..., Any]) -> Any:
            if signature:
                _register(Kernel(function, lambda: function, is_element=False))
            return function

        return decorate

    ROUTINE_SIGNATURE = None

    class Element:  # type: ignore[no-redef]
        """A constraint primitive or a routine; its 'address' is its place in a Python list."""

        def __init__(self, function: Callable[..., Any], signature: Any = None, seconds: float = 0.4) -> None:
            self.python = function
            self.name = function.__name__
            self._number = len(_python_elements)
            _python_elements.append(function)
            self.kernel = _register(Kernel(function, lambda: function, is_element=True))

        def address(self) -> int:
            return self._number

    def call_element(address, ip, io, fp, state, out, o, jac, jo, work):
        _python_elements[address](ip, io, fp, state, out, o, jac, jo, work)

    def call_apart(address, arguments):
        return _python_elements[address](*arguments)

    def call_routine(address, E, t, h, a, b, c):
        return _python_elements[address](E, t, h, a, b, c)

    _arrays: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

    def address_of(array: Any) -> int:
        """Where an array lies. Whoever hands the address on must keep the array."""
        _arrays[int(array.ctypes.data)] = array
        return int(array.ctypes.data)

    def ints_at(address):
        return _arrays[int(address)]

    floats_at = ints_at

    def table_in(numbers, at, rows, columns):
        return numbers[at : at + rows * columns].reshape(rows, columns)

    def complex_table_in(numbers, at, rows, columns):
        return numbers[at : at + 2 * rows * columns].view(np.complex128).reshape(rows, columns)

    def vector(pointer, count):
        return pointer[:count]

    python_laws: list[Callable[[Any], None]] = []

    def call_law(address, arguments):
        python_laws[address](arguments)


def element(function: Callable[..., None]) -> Element:
    """Make a primitive of a function with the arguments ``(ip, io, fp, state, out, o, jac, jo, work)``."""
    return Element(function)


def routine(seconds: float = 0.6) -> Callable[[Callable[..., float]], Element]:
    """Make a part of an integration of a function with the arguments ``(E, t, h, a, b, c)`` that returns a number.

    Args:
        seconds: What its compilation takes, roughly.
    """
    return lambda function: Element(function, ROUTINE_SIGNATURE, seconds)


def apart(*signature: Any, seconds: float = 1.0) -> Callable[[Callable[..., float]], Element]:
    """Make a function that few models need one of its own, reached by its address (`call_apart`): others do not compile it.

    Args:
        signature: Types of its arguments; it returns a number.
        seconds: What its compilation takes, roughly.
    """
    return lambda function: Element(function, FLOAT(*signature) if HAVE_JIT else None, seconds)


def _register(entry: Kernel) -> Kernel:
    known = _kernels.get(entry.name)
    if known is not None:  # `prepare` and the cache find a kernel by its name
        raise clash("kernel", entry.name, f"{known.module}.{known.name}", f"{entry.module}.{entry.name}")
    _kernels[entry.name] = entry
    return entry


def all_kernels() -> tuple[Kernel, ...]:
    """Every kernel that can be compiled ahead of time, in the order of definition."""
    return tuple(_kernels.values())


def kernel_named(name: str) -> Kernel:
    """The kernel of this name, whose module has been imported."""
    return _kernels[name]


def prepare(names: list[str], announce: Callable[[str], None] | None = None) -> None:
    """Make the named kernels ready, telling the user once if that means waiting for the compiler.

    Args:
        names: Kernels that a model is about to use.
        announce: Where the sentence goes; standard error by default.
    """
    global _announced
    entries = [_kernels[name] for name in names if _kernels[name]._compiled is None]
    if not entries:
        return
    say = announce or (lambda text: print(text, file=sys.stderr, flush=True))
    if not HAVE_JIT:
        if not _announced:
            say(
                "pytrammel: Numba is missing or disabled; running the plain Python kernels (same answers, ~100x slower)."
            )
            _announced = True
    else:
        cold = [entry for entry in entries if not entry.is_cached()]
        if cold:
            count = f"{len(cold)} kernel{'s' if len(cold) > 1 else ''}"
            keeps = CACHE_FOLDER is not None and compiler.way.KEEPS
            seconds = expected_seconds(cold, helpers=keeps)
            listed = ", ".join(entry.name for entry in cold)
            say(
                f"pytrammel: compiling {count} for this machine, about {max(1, round(seconds))} s"
                + (f", once ({listed}); later runs start immediately." if keeps else f" ({listed}).")
            )
            compile_all(cold, helpers=keeps)
    for entry in entries:
        entry.compile()
