"""A progress bar on standard error, shown only for work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType

SHOWN_AFTER = 1.0  # seconds
REDRAWN_EVERY = 0.1  # on a terminal
WRITTEN_EVERY = 10.0  # into a file or pipe, where lines pile up


class Progress:
    """Use as a context manager and call `update` with the fraction done."""

    def __init__(self, title: str, *, enabled: bool = True) -> None:
        self.title = title
        self.enabled = enabled and (sys.stderr is not None)
        self._started = time.perf_counter()
        self._last = 0.0
        self._shown = False

    def update(self, fraction: float, detail: str = "") -> None:
        now = time.perf_counter()
        terminal = sys.stderr.isatty()
        pause = REDRAWN_EVERY if terminal else WRITTEN_EVERY
        if not self.enabled or now - self._started < SHOWN_AFTER or now - max(self._last, self._started) < pause:
            return
        self._last = now
        self._shown = True
        full = round(24 * min(1.0, max(0.0, fraction)))
        left = (now - self._started) * (1.0 - fraction) / fraction if fraction > 0.0 else 0.0
        bar = "█" * full + "·" * (24 - full)
        text = f"{self.title} {bar} {100 * fraction:3.0f} % {left:4.0f} s left {detail:24.24}"
        print(f"\r{text}" if terminal else text.rstrip(), end="" if terminal else "\n", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and sys.stderr.isatty():
            print("\r" + " " * 100 + "\r", end="", file=sys.stderr, flush=True)
