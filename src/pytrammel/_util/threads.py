"""Small matrices on one thread: OpenBLAS shares out even those of some dozen rows, and its threads spin for long after the work is done.

NumPy and SciPy bring libraries of their own, whose number of threads can be read and set; where they are others, nothing happens.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

NAMES = (
    "openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads",
)

_lock = threading.Lock()
_libraries: dict[str, list[tuple[Callable[[], int], Callable[[int], None]]]] = {}
_asked = 0  # how many are at work with one thread
_before: list[tuple[Callable[[int], None], int]] = []


@contextlib.contextmanager
def one_thread(*, when: bool = True) -> Iterator[None]:
    """Matrix operations inside use one thread, in the whole process; afterwards as many as before.

    Args:
        when: False changes nothing: large matrices are worth several threads.
    """
    if not when:
        yield
        return
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _asked
    with _lock:
        _asked += 1
        known = {id(set_) for set_, _ in _before}
        for get, set_ in _controls():  # SciPy may have been imported since
            if id(set_) not in known and get() > 1:
                _before.append((set_, get()))
                set_(1)


def _leave() -> None:
    global _asked
    with _lock:
        _asked -= 1
        if not _asked:
            while _before:
                set_, count = _before.pop()
                set_(count)


def _controls() -> Iterator[tuple[Callable[[], int], Callable[[int], None]]]:
    """How to read and set the number of threads of every library that is loaded."""
    for package, user in (("numpy", "numpy"), ("scipy", "scipy.linalg")):
        module = sys.modules.get(package)
        if user not in sys.modules or module is None or module.__file__ is None:
            continue
        if package not in _libraries:
            root = Path(module.__file__).parent
            folders = (root.parent / f"{package}.libs", root / ".dylibs", root / ".libs")
            files = [file for folder in folders if folder.is_dir() for file in folder.glob("*openblas*")]
            _libraries[package] = [found for file in files for found in _control(file)]
        yield from _libraries[package]


def _control(file: Path) -> Iterator[tuple[Callable[[], int], Callable[[int], None]]]:
    try:
        library = ctypes.CDLL(str(file))  # the one that is loaded already
    except OSError:
        return
    for name in NAMES:
        get, set_ = (getattr(library, name.format(what), None) for what in ("get", "set"))
        if get is not None and set_ is not None:
            get.restype, set_.argtypes, set_.restype = ctypes.c_int, [ctypes.c_int], None
            yield get, set_
            return
