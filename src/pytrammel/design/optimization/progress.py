"""What is seen of a search while it goes on: a bar, a picture in notebooks, and what the user does with every variant."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pytrammel._util.notebook_host import shell
from pytrammel._util.progress import Progress
from pytrammel.design.optimization.problem import Problem


class Watcher:
    """Use as a context manager, and hand `notice` to the problem.

    Attributes:
        most: How many variants there will be at most.
    """

    def __init__(
        self, text: str, sign: float, limits: bool, *, progress: bool, callback: Callable[[Any], Any] | None
    ) -> None:
        self.most = 1
        self._sign, self._callback = sign, callback
        self._bar = Progress("optimising", enabled=progress)
        self._picture: Any = None
        if progress and shell() is not None:
            from pytrammel.view.plots.designs import LiveConvergence

            self._picture = LiveConvergence(text, sign, limits)

    def __enter__(self) -> Watcher:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._bar.__exit__(*error)
        if self._picture is not None:
            self._picture.close()

    def notice(self, problem: Problem) -> None:
        """After every variant."""
        history = problem.history
        best = history.best_now(self._sign)
        told = f"best {best:.5g}" if math.isfinite(best) else f"{len(history)} runs"
        self._bar.update(min(0.99, len(history) / self.most), told)
        if self._picture is not None:
            self._picture.update(history)
        if self._callback is not None:
            self._callback(history)
