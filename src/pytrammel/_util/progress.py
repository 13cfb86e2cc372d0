"""While work goes on: a progress bar for what takes longer than a second, and a way out by Ctrl-C at any time."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from html import escape
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from pytrammel._util.notebook_host import shell
from pytrammel._util.terminal_text import overwrite

T = TypeVar("T")

SHOWN_AFTER = 1.0  # seconds
REDRAWN_EVERY = 0.1  # on a terminal
WRITTEN_AFTER = 10.0  # into a file or pipe, where lines pile up: once per quarter of the work at most
NUMBERS_PER_CALL = 300_000  # computed by one kernel call: a tenth of a second or so


class Progress:
    """Use as a context manager and call `update` with the fraction done."""

    def __init__(self, title: str, *, enabled: bool = True) -> None:
        self.title = title
        self.enabled = enabled and (sys.stderr is not None)
        self._started = time.perf_counter()
        self._last = 0.0
        self._shown = False
        self._quarter = 0
        self._cell: Any = None  # where a notebook shows the bar

    def update(self, fraction: float, detail: str = "") -> None:
        if not self.enabled or sys.stderr is None:
            return
        now = time.perf_counter()
        terminal = sys.stderr.isatty() or shell() is not None
        if terminal and (now - self._started < SHOWN_AFTER or now - self._last < REDRAWN_EVERY):
            return
        quarter = int(4.0 * min(1.0, max(0.0, fraction)))
        if not terminal and (now - self._started < WRITTEN_AFTER or quarter <= self._quarter):
            return
        self._quarter = quarter
        self._last = now
        self._shown = True
        full = round(24 * min(1.0, max(0.0, fraction)))
        left = (now - self._started) * (1.0 - fraction) / fraction if fraction > 0.0 else 0.0
        if shell() is not None:
            self._in_cell(min(1.0, max(0.0, fraction)), f"{100 * fraction:.0f} %, {left:.0f} s left {detail}".rstrip())
            return
        bar = "█" * full + "·" * (24 - full)
        text = f"{self.title} {bar} {100 * fraction:3.0f} % {left:4.0f} s left {detail:24.24}"
        if terminal:
            overwrite(sys.stderr, text)
        else:
            print(text.rstrip(), file=sys.stderr, flush=True)

    def _in_cell(self, fraction: float, text: str) -> None:
        """Show the bar below the cell of a notebook, and change it there."""
        from IPython.display import display

        page = f'{escape(self.title)} <progress value="{fraction:.3f}"></progress> {escape(text)}'
        data = {"text/html": page, "text/plain": f"{self.title} {text}"}
        if self._cell is None:
            self._cell = display(data, raw=True, display_id=True)
        else:
            self._cell.update(data, raw=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._cell is not None:
            self._cell.update({"text/html": "", "text/plain": ""}, raw=True)
        elif self._shown and sys.stderr is not None and sys.stderr.isatty():
            overwrite(sys.stderr, " " * 100)
            overwrite(sys.stderr, "")


# whether the analysis that is running may return a partial result after Ctrl-C, and whether an analysis that it starts may
_partial: contextvars.ContextVar[tuple[bool, bool]] = contextvars.ContextVar("partial results", default=(True, True))


@contextlib.contextmanager
def analysis_scope() -> Iterator[None]:
    """Scope of one analysis.

    Ctrl-C ends the analysis that the user called with a partial result, if it has one. Inside that analysis a partial result would be
    used as a complete one: an analysis in the scope of another raises `KeyboardInterrupt`, unless its caller allows partial results.
    """
    token = _partial.set((_partial.get()[1], False))
    try:
        yield
    finally:
        _partial.reset(token)


@contextlib.contextmanager
def allow_partial_results() -> Iterator[None]:
    """Let analyses inside return partial results after Ctrl-C, if the current one may: its own result marks them as interrupted."""
    own, _ = _partial.get()
    token = _partial.set((own, own))
    try:
        yield
    finally:
        _partial.reset(token)


def is_partial_allowed() -> bool:
    """Return True if the current analysis may end with a partial result after Ctrl-C."""
    return _partial.get()[0]


def interruptible(work: Callable[[], T], *, when: bool = True) -> T:
    """Do work that Python cannot interrupt (the compiler, large dense matrices) in a thread, so that Ctrl-C is heard at once.

    After Ctrl-C the thread finishes by itself in the background; what it does must be harmless then.

    Args:
        work: What to do.
        when: Whether it is long enough to be worth a thread.
    """
    if not when or threading.current_thread() is not threading.main_thread():
        return work()  # signals reach the main thread only
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = context.run(work)
        except BaseException as error:
            outcome["error"] = error

    context = contextvars.copy_context()
    thread = threading.Thread(target=run, name="pytrammel: interruptible work", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)  # with a time limit, because some systems hear no signal while they wait for ever
    if "error" in outcome:
        raise outcome["error"]
    value: T = outcome["value"]
    return value


def in_pieces(kernel: Callable[..., Any], constants: Sequence[Any], tables: Sequence[Any], width: int) -> None:
    """Call a kernel that works row by row on long tables, on some rows at a time, so that Ctrl-C need not wait for all.

    Args:
        kernel: Called as ``kernel(*constants, *tables)``.
        constants: Arguments that are the same for all rows.
        tables: Arrays with one entry or row per instant.
        width: How many numbers are computed per row, roughly.
    """
    size = max(1, NUMBERS_PER_CALL // max(1, width))
    for begin in range(0, len(tables[0]), size):
        kernel(*constants, *(table[begin : begin + size] for table in tables))


def complete_rows(*tables: Any) -> int:
    """Number of rows at the top of the tables without NaN, which a kernel had written before Ctrl-C."""
    good = np.logical_and.reduce([np.isfinite(table).all(axis=1) for table in tables])
    return int(good.size if good.all() else np.argmin(good))
