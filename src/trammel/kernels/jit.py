"""Compilation on demand with a cache that cannot go stale.

Numba's own cache key sees the file of a function but not the files of the functions it calls, so an edited callee could
give yesterday's answer. Here every compiled object lives in a folder named by a hash of *all* files of the kernels
package (plus the Numba and Python versions): any edit leads to a new, empty folder.

Two decorators:

* ``@kernel`` — a function called from Python or from other kernels; compiled at its first call.
* ``@element`` — a constraint primitive with one fixed signature, reached through its address, so that a model compiles
  only the primitives it uses and the loops that call them never change.

Without Numba, or with ``NUMBA_DISABLE_JIT=1``, both leave plain Python functions that give the same numbers slowly.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

try:
    import numba
    from numba import types as nb_types

    HAVE_JIT = not numba.config.DISABLE_JIT
except ImportError:
    HAVE_JIT = False

KERNELS_FOLDER = Path(__file__).parent
OLD_CACHES_KEPT = 3
IN_USE = 86400.0  # [s] a cache touched within the last day may serve another checkout or interpreter
CACHE_NAME = re.compile(r"[0-9a-f]{16}-numba[\w.+]+-py\d+-\w+")
MARKER = "trammel-kernel-cache"  # a file in every cache folder: only what carries it may ever be removed


def source_hash(folder: Path = KERNELS_FOLDER) -> str:
    """Hash of every file that kernels are made of: the part of the cache key that sees edited callees."""
    digest = hashlib.sha256()
    # kernels read constants from this one module outside their folder
    for path in [folder.parent / "opcodes.py", *sorted(folder.rglob("*.py"))]:
        digest.update(path.relative_to(folder.parent).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder that holds all caches: inside ``TRAMMEL_CACHE_DIR`` or the user's cache folder, one of our own.

    An empty or relative path in a variable counts as unset: it would mean another folder in every working directory.
    """
    chosen = _absolute("TRAMMEL_CACHE_DIR")
    if chosen is not None:
        return chosen / "trammel-kernels"
    if sys.platform == "win32":
        base = _absolute("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = _absolute("XDG_CACHE_HOME") or Path.home() / ".cache"
    return base / "trammel" / "trammel-kernels"


def _absolute(variable: str) -> Path | None:
    """Absolute path in an environment variable, or None."""
    value = os.environ.get(variable, "")
    return Path(value) if value and Path(value).is_absolute() else None


def _open_cache() -> Path:
    python = f"py{sys.version_info.major}{sys.version_info.minor}-{platform.machine()}"
    folder = cache_root() / f"{source_hash()}-numba{numba.__version__}-{python}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKER).touch()
    except OSError:  # a read-only home: Numba falls back to a cache beside the sources or to none
        return folder
    os.utime(folder)
    _remove_old_caches(folder)
    return folder


def _remove_old_caches(current: Path) -> None:
    """Remove caches of earlier sources: never a folder that is not certainly ours, nor one used within the last day."""
    ours = [p for p in current.parent.iterdir() if p != current and CACHE_NAME.fullmatch(p.name)]
    ours = [p for p in ours if not p.is_symlink() and p.is_dir() and (p / MARKER).is_file()]
    for stale in sorted(ours, key=_modified, reverse=True)[OLD_CACHES_KEPT:]:
        if time.time() - _modified(stale) > IN_USE:
            shutil.rmtree(stale, ignore_errors=True)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed by another process between listing and looking
        return 0.0


_kernels: dict[str, Kernel] = {}
_announced = False


class Kernel:
    """Registry entry: what can be compiled ahead of time, and whether it has been."""

    def __init__(self, name: str, build: Callable[[], Any], is_element: bool, seconds: float = 0.4) -> None:
        self.name = name
        self.is_element = is_element
        self.seconds = seconds
        self._build = build
        self._compiled: Any = None

    def is_cached(self) -> bool:
        """True when some process has compiled this kernel from these very sources."""
        return bool(HAVE_JIT) and any(CACHE_FOLDER.rglob(f"*.{self.name}-*.nbi"))

    def was_loaded(self) -> bool:
        """True when this process took the kernel from disk instead of compiling it."""
        if self._compiled is None or not HAVE_JIT:
            return False
        hits = self._compiled.cache_hits if self.is_element else self._compiled.stats.cache_hits.total()
        return bool(hits)

    def compile(self) -> Any:
        """Compile or load from disk; do it once per process."""
        if self._compiled is None:
            self._compiled = self._build()
        return self._compiled


if HAVE_JIT:
    from llvmlite import ir
    from numba.extending import intrinsic

    CACHE_FOLDER = _open_cache()
    _INTS = nb_types.CPointer(nb_types.int64)
    _FLOATS = nb_types.CPointer(nb_types.float64)
    _I = nb_types.int64
    ELEMENT_SIGNATURE = nb_types.void(_INTS, _I, _FLOATS, _FLOATS, _FLOATS, _I, _FLOATS, _I, _FLOATS)
    INT_ARRAY: Any = nb_types.Array(nb_types.int64, 1, "C")
    FLOAT_ARRAY: Any = nb_types.Array(nb_types.float64, 1, "C")
    FLOAT_TABLE: Any = nb_types.Array(nb_types.float64, 2, "C")
    INT: Any = nb_types.int64
    FLOAT: Any = nb_types.float64

    @contextlib.contextmanager
    def _our_cache() -> Iterator[None]:
        previous = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(CACHE_FOLDER)
        try:
            yield
        finally:
            numba.config.CACHE_DIR = previous

    def kernel(*signature: Any, spread: bool = False, seconds: float = 1.5) -> Callable[[Callable[..., Any]], Any]:
        """Compile the decorated function at its first call.

        With argument types given the kernel is an entry point: ``trammel warm`` and `prepare` can compile it ahead.

        Args:
            spread: Copy it into its callers. Each compiled function is optimised together with all that it calls, so that layers of
                functions around a large one cost its compilation again and again; spread layers cost nothing.
            seconds: What an entry point's compilation takes, roughly, for the sentence that asks for patience.
        """

        def decorate(function: Callable[..., Any]) -> Any:
            with _our_cache():
                inline = "always" if spread else "never"
                dispatcher = numba.njit(cache=True, error_model="numpy", nogil=True, inline=inline)(function)
            if signature:

                def build() -> Any:
                    dispatcher.compile(signature)
                    dispatcher.disable_compile()  # an unexpected argument type must be an error, not a recompilation
                    return dispatcher

                _register(Kernel(function.__name__, build, is_element=False, seconds=seconds))
            return dispatcher

        return decorate

    class Element:
        """A constraint primitive: callable from Python as written, from kernels by address."""

        def __init__(self, function: Callable[..., None]) -> None:
            self.python = function
            self.name = function.__name__
            self.kernel = _register(Kernel(self.name, self._build, is_element=True))

        def _build(self) -> Any:
            with _our_cache():
                return numba.cfunc(ELEMENT_SIGNATURE, cache=True, error_model="numpy")(self.python)

        def address(self) -> int:
            return int(self.kernel.compile().address)

    @intrinsic
    def call_element(typingctx, address, ip, io, fp, state, out, o, jac, jo, work):
        """Jump to a primitive by address; arrays are handed over as bare pointers."""
        signature = nb_types.void(address, ip, io, fp, state, out, o, jac, jo, work)

        def codegen(context, builder, sig, args):
            values = []
            for ty, value in zip(sig.args[1:], args[1:], strict=True):
                if isinstance(ty, nb_types.Array):
                    values.append(context.make_array(ty)(context, builder, value).data)
                else:
                    values.append(value)
            function_type = ir.FunctionType(ir.VoidType(), [v.type for v in values])
            builder.call(builder.inttoptr(args[0], function_type.as_pointer()), values)
            return context.get_dummy_value()

        return signature, codegen

    @intrinsic
    def call_law(typingctx, address, arguments):
        """Call a user's law by address with a pointer to its arguments."""
        signature = nb_types.float64(address, arguments)

        def codegen(context, builder, sig, args):
            value = args[1]
            if isinstance(sig.args[1], nb_types.Array):
                value = context.make_array(sig.args[1])(context, builder, value).data
            function_type = ir.FunctionType(ir.DoubleType(), [value.type])
            return builder.call(builder.inttoptr(args[0], function_type.as_pointer()), [value])

        return signature, codegen

else:
    CACHE_FOLDER = cache_root()
    INT_ARRAY = FLOAT_ARRAY = FLOAT_TABLE = INT = FLOAT = None
    _python_elements: list[Callable[..., None]] = []

    def kernel(*signature: Any, spread: bool = False, seconds: float = 1.5) -> Callable[[Callable[..., Any]], Any]:
        """Leave the function as it is: the slow path with the same answers."""

        def decorate(function: Callable[..., Any]) -> Any:
            if signature:
                _register(Kernel(function.__name__, lambda: function, is_element=False))
            return function

        return decorate

    class Element:  # type: ignore[no-redef]
        """A constraint primitive; its 'address' is its place in a Python list."""

        def __init__(self, function: Callable[..., None]) -> None:
            self.python = function
            self.name = function.__name__
            self._number = len(_python_elements)
            _python_elements.append(function)
            self.kernel = _register(Kernel(self.name, lambda: function, is_element=True))

        def address(self) -> int:
            return self._number

    def call_element(address, ip, io, fp, state, out, o, jac, jo, work):
        _python_elements[address](ip, io, fp, state, out, o, jac, jo, work)

    _python_laws: list[Callable[..., float]] = []

    def call_law(address, arguments):
        return _python_laws[address](arguments)


class Law:
    """A user's function of scalars, callable from kernels by address.

    Compiled if Numba can; otherwise called back in Python, which is slow and said so.

    Attributes:
        address: What kernels call.
        compiled: Whether it was compiled.
    """

    def __init__(self, function: Callable[..., float], n_arguments: int, name: str) -> None:
        self._keep: Any = None
        self.compiled = False
        if not HAVE_JIT:
            _python_laws.append(lambda x: float(function(*(x[k] for k in range(n_arguments)))))
            self.address = len(_python_laws) - 1
            return
        try:
            inner = numba.njit(error_model="numpy")(function)
            call = f"float(inner({', '.join(f'x[{k}]' for k in range(n_arguments))}))"
            # an exception cannot leave the kernel: NaN stops the run, and Python then finds out why
            lines = f"def law(x):\n    try:\n        return {call}\n    except Exception:\n        return nan\n"
            scope: dict[str, Any] = {"inner": inner, "nan": float("nan")}
            exec(lines, scope)  # our own text: only the number of arguments varies
            self._keep = numba.cfunc(nb_types.float64(_FLOATS), error_model="numpy")(scope["law"])
            self.address = int(self._keep.address)
            self.compiled = True
        except Exception as reason:  # whatever Numba cannot compile, Python can still run
            import ctypes

            brief = str(reason).strip().splitlines()[0] if str(reason).strip() else type(reason).__name__
            print(
                f"trammel: the law {name!r} cannot be compiled ({brief[:90]}); it is called back in Python at every "
                "evaluation, which is slow.",
                file=sys.stderr,
            )

            def call_back(pointer: Any) -> float:
                try:
                    return float(function(*(pointer[k] for k in range(n_arguments))))
                except Exception as error:
                    self.error = error  # an exception cannot cross the kernel: NaN stops the run, this says why
                    return float("nan")

            self._keep = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))(call_back)
            self.address = int(ctypes.cast(self._keep, ctypes.c_void_p).value or 0)

    error: BaseException | None = None


def element(function: Callable[..., None]) -> Element:
    """Make a primitive of a function with the arguments ``(ip, io, fp, state, out, o, jac, jo, work)``."""
    return Element(function)


def _register(entry: Kernel) -> Kernel:
    if entry.name in _kernels:
        raise ValueError(f"two kernels are called {entry.name!r}: the cache tells them apart by name")
    _kernels[entry.name] = entry
    return entry


def all_kernels() -> tuple[Kernel, ...]:
    """Every kernel that can be compiled ahead of time, in the order of definition."""
    return tuple(_kernels.values())


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
            say("trammel: Numba is missing or disabled; running the plain Python kernels (same answers, ~100x slower).")
            _announced = True
    else:
        cold = [entry for entry in entries if not entry.is_cached()]
        if cold:
            count = f"{len(cold)} kernel{'s' if len(cold) > 1 else ''}"
            seconds = sum(entry.seconds for entry in cold)
            say(
                f"trammel: compiling {count} for this machine, about {max(1, round(seconds))} s, once "
                f"({', '.join(entry.name for entry in cold)}); later runs start at once."
            )
    for entry in entries:
        entry.compile()
