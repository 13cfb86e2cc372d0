"""A spatial simulation shown in a browser while it runs: ``m.simulate(10.0, watch=tm.live(m))``."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable
from types import TracebackType

import numpy as np

from trammel.errors import ModelError
from trammel.model.base import Model
from trammel.view.live import LiveView
from trammel.view.scene import Array
from trammel.view.space_from_result import poses, scene_of_motion

FIRST_VISIT = 5.0
"""Most time that the end of a run waits for a browser that was opened [s]."""


class LiveRun:
    """What `simulate` takes as ``watch``: starts the page at the first instant and passes every output instant on to it.

    Attributes:
        view: The page's server, whose address is ``view.url``; None until the run starts.
    """

    def __init__(
        self, model: Model, *, real_time: bool, traces: Iterable[str] | None, port: int, open_browser: bool
    ) -> None:
        self.view: LiveView | None = None
        self._model = model
        self._real_time = real_time
        self._traces = None if traces is None else [model.point(name).name for name in traces]
        self._port, self._open_browser = port, open_browser
        self._began = (0.0, 0.0)

    def __call__(self, time: float, q: Array) -> None:
        """Show an instant; in real time, when its time has come."""
        if self.view is None:
            scene = scene_of_motion(self._model, np.array([time]), q[None, :], traces=self._traces)
            self.view = LiveView(scene, port=self._port, open_browser=self._open_browser)
            self._began = clock.monotonic(), time
            if not self._open_browser:
                print(f"live view: {self.view.url}", flush=True)
            return
        if self._real_time:
            due = self._began[0] + time - self._began[1]
            clock.sleep(max(0.0, due - clock.monotonic()))
        positions, turns = poses(len(self._model.bodies), q[None, :])
        self.view.push(time, positions[0], turns[0], keep=True)

    def close(self) -> None:
        """End the run: the page then plays what it has received. Closing twice does nothing more."""
        if self.view is not None:
            self.view.close(wait=FIRST_VISIT if self._open_browser else 0.0)

    def __enter__(self) -> LiveRun:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def live(
    model: Model,
    *,
    real_time: bool = False,
    traces: Iterable[str] | None = None,
    port: int = 0,
    open_browser: bool = True,
) -> LiveRun:
    """Show a simulation of a spatial model in the browser while it runs: ``m.simulate(10.0, watch=tm.live(m))``.

    The page shows the output instants as they are computed, and plays them again after the end. Ask `simulate` for more samples if
    the motion is jerky.

    Args:
        model: The model that is about to be simulated.
        real_time: Hold the simulation back so that a second of it takes a second; else it runs as fast as it can.
        traces: Points whose paths are shown; all points of interest by default.
        port: Port on this machine; 0 takes a free one.
        open_browser: Open the page in the standard browser; else its address is printed.
    """
    if model.space.dimension != 3:
        raise ModelError("the live view shows spatial models; simulate a planar one and use result.animate(...).")
    return LiveRun(model, real_time=real_time, traces=traces, port=port, open_browser=open_browser)
