"""Compiling many kernels at once, in several processes: the compiler holds the interpreter's lock while it works.

Helpers take one kernel after the other from the same queue as the caller and leave them in the cache on disk, where the caller finds them.
Without a cache, or where no further process can be started, the caller compiles all by itself.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator
from typing import Protocol

from pytrammel._util.progress import Progress, interruptible

MOST = 4  # processes: each takes some 200 MB
RUBBISH = 1_000_000  # objects that may pile up before it is looked for, some 100 MB: a first run leaves less
WORTH = 5.0  # [s] of compiling below which no helper is worth its own start
HELPER = """
import gc, importlib, json, signal, sys
gc.disable()
signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends it
sys.path[:] = json.loads(sys.argv[1])
from pytrammel.kernels.compilers import collect_rubbish
from pytrammel.kernels import jit
jit.store().takes_portable = False  # the caller wants its own
print("ready", flush=True)
for line in sys.stdin:
    module, name = line.split()
    importlib.import_module(module)
    jit.kernel_named(name).compile()
    collect_rubbish()
    print("done", flush=True)
"""


class Compilable(Protocol):
    """A kernel that is not compiled yet."""

    name: str
    module: str
    seconds: float
    is_cached: Callable[[], bool]

    def compile(self) -> object:
        """Compile it, or load it from disk."""


def processes() -> int:
    """Number of processes that may compile simultaneously: as ``TRAMMEL_COMPILERS`` says, else one for each processor, up to four."""
    said = os.environ.get("TRAMMEL_COMPILERS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST)


def _at_once(kernels: Collection[Compilable], *, helpers: bool) -> int:
    """Number of processes that are worth their start."""
    python = sys.executable and not getattr(sys, "frozen", False)  # else it would start a whole application
    if not (helpers and python):
        return 1
    return min(processes(), len(kernels), 1 + int(sum(each.seconds for each in kernels) / WORTH))


def expected_seconds(kernels: Collection[Compilable], *, helpers: bool) -> float:
    """Estimated time of `compile_all`."""
    shared = sum(each.seconds for each in kernels) / _at_once(kernels, helpers=helpers)
    return max(shared, *(each.seconds for each in kernels))


def compile_all(kernels: Collection[Compilable], *, helpers: bool) -> None:
    """Compile kernels, the longest first.

    Args:
        kernels: What is to be compiled.
        helpers: Whether other processes can help: they need a cache on disk.
    """
    queue = deque(sorted(kernels, key=lambda each: -each.seconds))
    count = len(queue)
    crew = [_Helper(queue) for _ in range(_at_once(queue, helpers=helpers) - 1)]
    try:
        with Progress("compiling") as bar, _without_collector():
            waiting = True
            while waiting:
                while queue:
                    with contextlib.suppress(IndexError):  # a helper may have been faster
                        each = queue.popleft()
                        bar.update(1.0 - (len(queue) + 1) / count, each.name)
                        interruptible(each.compile)
                        collect_rubbish()
                waiting = any(helper.join() for helper in crew) or bool(queue)  # one that failed puts its kernel back
            for helper in crew:
                for each in helper.made:
                    each.is_cached()  # it was not when last looked for
                    interruptible(each.compile)
    finally:
        for helper in crew:
            helper.dismiss()


def collect_rubbish() -> None:
    """Look for it between two kernels, where enough has piled up."""
    if gc.get_count()[0] > RUBBISH:
        gc.collect()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """The compiler makes a great many objects: looking for rubbish among them all the time takes an eighth of its own."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Helper:
    """Another process, and the thread that gives it work."""

    def __init__(self, queue: deque[Compilable]) -> None:
        self.made: list[Compilable] = []
        self._queue = queue
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._feed, name="pytrammel: compiling", daemon=True)
        self._thread.start()

    def join(self) -> bool:
        """Wait a moment for it; return whether it is still at work."""
        self._thread.join(0.2)
        return self._thread.is_alive()

    def dismiss(self) -> None:
        """End it."""
        self._queue.clear()
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _feed(self) -> None:
        each = None
        try:
            with subprocess.Popen(
                [sys.executable, "-c", HELPER, json.dumps(sys.path)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            ) as self._process:  # fmt: skip
                assert self._process.stdin is not None and self._process.stdout is not None
                answer = self._process.stdout.readline()
                while answer and self._queue:
                    each = self._queue.popleft()
                    print(each.module, each.name, file=self._process.stdin, flush=True)
                    answer = self._process.stdout.readline()
                    if answer:
                        self.made.append(each)
                        each = None
        except (OSError, IndexError):  # it cannot be started, it died, or another one took the last kernel
            pass
        if each is not None:
            self._queue.append(each)
