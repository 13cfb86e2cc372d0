"""A simulation watched in a browser while it runs.

:class:`LiveView` serves the player, for a scene in the plane or in space, on this machine only and passes frames on to it as they
are computed. The simulation never waits for a browser: it leaves its newest frames in a list, and every connected
browser has a thread of its own that reads from there.
"""

from __future__ import annotations

import json
import math
import threading
import time as clock
import webbrowser
from bisect import bisect_right
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from socketserver import TCPServer
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pytrammel.errors import ModelError
from pytrammel.view.animation.page import make_page
from pytrammel.view.animation.planar import plane_decimals, scene_data
from pytrammel.view.animation.spatial import space_data, space_decimals
from pytrammel.view.scene.planar import Array, Scene
from pytrammel.view.scene.spatial import SpaceScene

RATE = 30.0
"""Most frames passed on per second of real time [1/s]."""
MAX_KEPT = 6000
"""Most frames kept for browsers that come late; of longer runs every second frame is dropped."""
_PATIENCE = 5.0
"""Time after which a browser that takes no more data is given up [s]."""
_GOODBYE = 2.0
"""Most time given to browsers to take the last frames when the run ends [s]."""


_Instant = tuple[float, Array, Array]
"""Time [s], poses (n_bodies, 3 or 7), arrows (n_arrows, 6)."""


@dataclass(frozen=True)
class _Frame:
    number: int
    time: float
    text: str


class LiveView:
    """A picture that follows a running simulation.

    Open :attr:`url` in a browser, call :meth:`push` after every step and :meth:`close` at the end (or use ``with``).
    Frames that come faster than 30 per second are passed over, but never the last one. The page can be opened, closed
    and reloaded at any time; after the end it plays the frames it has received.

    Args:
        scene: What to show. Its frames, if it has any, are the first ones; traces need a body to leave a live path.
        port: Port on 127.0.0.1; 0 takes a free one.
        open_browser: Whether to open the page in the standard browser.

    Raises:
        OSError: The port is taken.
    """

    def __init__(self, scene: Scene | SpaceScene, port: int = 0, open_browser: bool = False) -> None:
        self._scene = scene
        self._digits = plane_decimals(scene) if isinstance(scene, Scene) else space_decimals(scene)
        self._n_arrows = 0 if isinstance(scene, Scene) else len(scene.arrows)  # in the plane they come with results
        self._frames: list[_Frame] = []
        self._sent_at = -math.inf
        self._held: _Instant | None = None
        self._ended = False
        self._listeners = 0
        self._visits = 0
        self._changed = threading.Condition()
        for i in range(len(scene.times)):
            instant = float(scene.times[i]), _poses_at(scene, i), _arrows_at(scene, i)
            with self._changed:
                self._pass_on(instant)
        self._server = _Server(port, self, _page(scene).encode("utf-8"))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="live view", daemon=True)
        self._thread.start()
        self._opened = open_browser and webbrowser.open(self.url)

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def port(self) -> int:
        """The port in use."""
        return int(self._server.server_address[1])

    def push(
        self,
        time: float,
        positions: ArrayLike,
        turns: ArrayLike,
        arrows: ArrayLike | None = None,
        *,
        keep: bool = False,
    ) -> None:
        """Show a new instant.

        A frame that cannot be shown (not finite, or not later than the last one) is passed over, and so is every frame
        after the end: a picture is no reason to stop a simulation.

        Args:
            time: Time of the simulation [s].
            positions: Origins of the bodies in the order of the scene [m], shape (n_bodies, 2) or (n_bodies, 3).
            turns: Angles of the bodies in the plane [rad], shape (n_bodies, 1), or their Euler parameters in space, shape (n_bodies, 4).
            arrows: Origin [m] and vector of each arrow of the scene, shape (n_arrows, 6); None shows none.
            keep: Pass the frame on even if it comes soon after the last one.

        Raises:
            ModelError: An array has the wrong shape.
        """
        n, m = len(self._scene.bodies), self._n_arrows
        flat = isinstance(self._scene, Scene)
        shape = (n, 2), (n, 1)
        if not flat:
            shape = (n, 3), (n, 4)
        name = "angles" if flat else "parameters"
        poses = np.hstack((_shaped("positions", positions, shape[0]), _shaped(name, turns, shape[1])))
        vectors = np.zeros((m, 6)) if arrows is None else _shaped("arrows", arrows, (m, 6))
        if not (math.isfinite(time) and np.isfinite(poses).all() and np.isfinite(vectors).all()):
            return
        if not flat:
            lengths = np.linalg.norm(poses[:, 3:], axis=1)
            if not (lengths > 0.0).all():
                return
            poses[:, 3:] /= lengths[:, None]
        with self._changed:
            if not self._ended:
                self._held = float(time), poses, vectors
                self._send_held(at_once=keep)

    def close(self, wait: float = 0.0) -> None:
        """End the run: the page says so and can be played again. Closing twice does nothing more.

        Args:
            wait: Most time to wait for a first browser when none has come yet [s].
        """
        with self._changed:
            if self._ended:
                return
            self._changed.wait_for(lambda: self._visits > 0, timeout=wait)
            self._send_held(at_once=True)
            self._ended = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._listeners == 0, timeout=_GOODBYE)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(_GOODBYE)

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close(wait=_PATIENCE if self._opened and error is None else 0.0)

    def _send_held(self, *, at_once: bool = False) -> None:
        """Pass the newest frame on if its turn has come."""
        now = clock.monotonic()
        if self._held is not None and (at_once or now - self._sent_at >= 1.0 / RATE):
            self._pass_on(self._held)
            self._sent_at, self._held = now, None

    def _pass_on(self, instant: _Instant) -> None:
        time, poses, arrows = instant
        if self._frames and time <= self._frames[-1].time:
            return
        k = self._scene.length_factor
        axes = 2 if isinstance(self._scene, Scene) else 3
        places = np.round(k * poses[:, :axes], self._digits) + 0.0
        frame = {"t": time, "p": np.hstack((places, np.round(poses[:, axes:], 6) + 0.0)).tolist()}
        if len(arrows):
            frame["a"] = [[float(f"{v:.7g}") for v in (*(k * row[:3]), *row[3:])] for row in arrows]
        number = self._newest() + 1
        if len(self._frames) >= MAX_KEPT:
            self._frames = self._frames[::2]
        self._frames.append(_Frame(number, time, json.dumps(frame, separators=(",", ":"))))
        self._changed.notify_all()

    def _newest(self) -> int:
        return self._frames[-1].number if self._frames else -1

    def stream(self, out: BufferedIOBase, after: int) -> None:
        """Send all frames later than number ``after``, now and as they come, until the end of the run.

        Runs in the thread of a browser and raises OSError when that one has gone.
        """
        with self._changed:
            self._listeners += 1
            self._visits += 1
            self._changed.notify_all()
        try:
            ended = False
            while not ended:
                with self._changed:
                    if not self._ended and self._newest() <= after:
                        self._changed.wait(1.0 if self._held is None else 1.0 / RATE)
                    self._send_held()
                    fresh = self._frames[bisect_right(self._frames, after, key=lambda frame: frame.number) :]
                    ended = self._ended
                chunks = [f"id: {frame.number}\ndata: {frame.text}\n\n" for frame in fresh]
                chunks += ["event: end\ndata: \n\n"] if ended else [":\n\n"]  # a comment finds out who has gone
                out.write("".join(chunks).encode("utf-8"))
                after = fresh[-1].number if fresh else after
        finally:
            with self._changed:
                self._listeners -= 1
                self._changed.notify_all()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_port = False

    def __init__(self, port: int, view: LiveView, page: bytes) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.view = view
        self.page = page

    def server_bind(self) -> None:
        """Bind without looking the name of the machine up, which can take long."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """The page, its frames, or nothing."""
        own = {f"{host}:{self.server.server_port}" for host in ("127.0.0.1", "localhost")}
        if self.headers.get("Host") not in own:  # a page from elsewhere that has its name point here
            self.send_error(403)
        elif self.path == "/":
            self._begin("text/html; charset=utf-8", len(self.server.page))
            self.wfile.write(self.server.page)
        elif self.path == "/frames":
            self._begin("text/event-stream")
            last = self.headers.get("Last-Event-ID", "")
            self.server.view.stream(self.wfile, int(last) if last.isdecimal() else -1)
        else:
            self.send_error(404)

    def _begin(self, kind: str, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """The terminal belongs to the simulation."""


def _poses_at(scene: Scene | SpaceScene, i: int) -> Array:
    """Poses of all bodies at a frame: x, y, phi, or x, y, z and the Euler parameters."""
    if isinstance(scene, Scene):
        return np.array([body.poses[i] for body in scene.bodies]).reshape(-1, 3)
    return np.array([(*body.positions[i], *body.parameters[i]) for body in scene.bodies]).reshape(-1, 7)


def _arrows_at(scene: Scene | SpaceScene, i: int) -> Array:
    if isinstance(scene, Scene):
        return np.zeros((0, 6))
    return np.array([(*arrow.origin[i], *arrow.vector[i]) for arrow in scene.arrows]).reshape(-1, 6)


def _page(scene: Scene | SpaceScene) -> str:
    """The page without frames: they all come through the stream."""
    given: dict[str, Any] = {"times": [], "fps": 60.0, "width": None, "duration": None}
    if isinstance(scene, Scene):
        data = scene_data(replace(scene, arrows=()), max_frames=2) | given
        for body in data["bodies"]:
            body["x"], body["y"], body["phi"] = [], [], []
        for thing in (*data["marks"], *data["rods"], *data["spirals"], *data["labels"]):
            thing.pop("on", None)
        data["traces"] = [trace for trace in data["traces"] if "body" in trace]
        return make_page(scene.title, data | {"quantities": None, "charts": None}, live=True)
    data = space_data(scene, max_frames=2) | given
    for body in data["bodies"]:
        body["p"], body["e"] = [[], [], []], [[], [], [], []]
    for spiral in data["spirals"]:
        spiral["turned"] = spiral["turned"][:1] or [0.0]  # angles do not come with the frames
    for thing in (
        *data["rods"],
        *data["spirals"],
        *data["labels"],
        *(part for body in data["bodies"] for part in body["marks"]),
    ):
        thing.pop("on", None)
    for arrow in data["arrows"]:
        arrow["o"], arrow["v"] = [[], [], []], [[], [], []]
    data["traces"] = [trace for trace in data["traces"] if "body" in trace]
    return make_page(scene.title, data | {"quantities": None, "charts": None}, live=True)


def _shaped(what: str, values: ArrayLike, shape: tuple[int, int]) -> Array:
    array = np.array(values, dtype=float)  # a copy: the simulation goes on with its own
    if array.shape != shape:
        raise ModelError(f"{what} of a live frame have shape {array.shape}, must be {shape}: one row each.")
    return array
