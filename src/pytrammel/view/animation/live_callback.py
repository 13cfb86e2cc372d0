"""A simulation shown in a browser while it runs: ``m.simulate(10.0, watch=m.live())``."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable
from types import TracebackType

import numpy as np

from pytrammel._util.checks import checked
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.view.animation.live import LiveView
from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.planar_shapes import scene_of_plane
from pytrammel.view.scene.spatial_shapes import poses, scene_of_motion

LAST_PORT = 65535
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
        self._order: list[int] = []  # of the scene's bodies among those of the model

    def __repr__(self) -> str:
        return f"<LiveRun of {self._model.name}: {'not started' if self.view is None else self.view.url}>"

    def __call__(self, time: float, q: Array) -> None:
        """Show an instant; in real time, when its time has come."""
        if self.view is None:
            build = scene_of_motion if self._model.space.dimension == 3 else scene_of_plane
            scene = build(self._model, np.array([time]), q[None, :], traces=self._traces)
            self._order = [list(self._model.bodies).index(body.name) for body in scene.bodies]
            self.view = LiveView(scene, port=self._port, open_browser=self._open_browser)
            self._began = clock.monotonic(), time
            if not self._open_browser:
                print(f"live view: {self.view.url}", flush=True)
            return
        if self._real_time:
            due = self._began[0] + time - self._began[1]
            clock.sleep(max(0.0, due - clock.monotonic()))
        n = len(self._model.bodies)
        if self._model.space.dimension == 3:
            positions, turns = (table[0] for table in poses(n, q[None, :]))
        else:
            plane = np.vstack((np.zeros(3), q[: 3 * (n - 1)].reshape(-1, 3)))
            positions, turns = plane[:, :2], plane[:, 2:]
        self.view.push(time, positions[self._order], turns[self._order], keep=True)

    def close(self) -> None:
        """End the run: the page then plays what it has received. Closing twice does nothing more."""
        if self.view is not None:
            self.view.close(wait=FIRST_VISIT if self._open_browser else 0.0)

    def __enter__(self) -> LiveRun:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@checked
def live(
    model: Model,
    *,
    real_time: bool = False,
    traces: Iterable[str] | None = None,
    port: int = 0,
    open_browser: bool = True,
) -> LiveRun:
    """Show a simulation in the browser while it runs: ``m.simulate(10.0, watch=m.live())``.

    The page shows the output instants as they are computed, and plays them again after the end. Ask `simulate` for more samples if
    the motion is jerky.

    Args:
        model: The model that is about to be simulated.
        real_time: Hold the simulation back so that a second of it takes a second; else it runs as fast as it can.
        traces: Points whose paths are shown; all points of interest by default.
        port: Port on this machine; 0 takes a free one.
        open_browser: Open the page in the standard browser; else its address is printed.
    """
    if not 0 <= port <= LAST_PORT:
        raise ModelError(f"port is {port}; it must be from 0 to {LAST_PORT}.")
    return LiveRun(model, real_time=real_time, traces=traces, port=port, open_browser=open_browser)
