"""Columns of Modelica's result files from results of Trammel."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

import pytrammel as tm

from . import joints as J
from . import loads, parts
from .network import Network
from .rotations import angles_123, quaternions, rates_123


class Motion:
    """Motion of a frame along a run; vectors are global."""

    def __init__(self, net: Network, result: tm.results.Result, frame: str) -> None:
        self.place, n = net.frames[frame], len(result)
        self.series = None if self.place.body == "ground" else result[self.place.body]
        self.n = n

    def _of(self, name: str, shape: tuple[int, ...] = (3,)) -> np.ndarray:
        if self.series is None:
            return np.broadcast_to(np.eye(3) if shape == (3, 3) else np.zeros(shape), (self.n, *shape))
        return np.asarray(getattr(self.series, name))

    @cached_property
    def axes(self) -> np.ndarray:
        return self._of("matrix", (3, 3)) @ self.place.axes

    @cached_property
    def arm(self) -> np.ndarray:
        return self._of("matrix", (3, 3)) @ self.place.at

    @property
    def r(self) -> np.ndarray:
        return self._of("position") + self.arm

    @property
    def w(self) -> np.ndarray:
        return self._of("omega")

    @property
    def v(self) -> np.ndarray:
        return self._of("velocity") + np.cross(self.w, self.arm)

    @property
    def z(self) -> np.ndarray:
        return self._of("alpha")

    @property
    def a(self) -> np.ndarray:
        return self._of("acceleration") + np.cross(self.z, self.arm) + np.cross(self.w, np.cross(self.w, self.arm))

    def own(self, vectors: np.ndarray) -> np.ndarray:
        """Components in the frame's axes."""
        return np.einsum("nji,nj->ni", self.axes, vectors)


MEASURES = {
    J.Revolute: {"phi": "angle", "w": "angle.rate"},
    J.Prismatic: {"s": "distance", "v": "distance.rate"},
    J.Cylindrical: {"phi": "angle", "w": "angle.rate", "s": "distance", "v": "distance.rate"},
    J.Universal: {"phi_a": "angle", "phi_b": "second_angle", "w_a": "angle.rate", "w_b": "second_angle.rate"},
    J.Planar: {"phi": "angle", "w": "angle.rate", "s_x": "x", "s_y": "y", "v_x": "x.rate", "v_y": "y.rate"},
    loads.Rotor1D: {"phi": "angle", "w": "angle.rate"},
    loads.Inertia: {"phi": "angle", "w": "angle.rate"},
}


class Columns:
    """Columns by Modelica's names.

    Args:
        net: The network.
        result: Its motion.
        more: Columns of other names, each a function of network and result.
    """

    def __init__(self, net: Network, result: tm.results.Result) -> None:
        self.net, self.result = net, result
        self._motions: dict[str, Motion] = {}

    def motion(self, frame: str) -> Motion:
        """Motion of a frame."""
        if frame not in self._motions:
            self._motions[frame] = Motion(self.net, self.result, frame)
        return self._motions[frame]

    def __getitem__(self, column: str) -> np.ndarray:
        name, index = re.fullmatch(r"(.*?)(?:[\[_](\d)\]?)?", column).groups()
        owner, _, quantity = name.rpartition(".")
        part = self.net.parts.get(owner)
        if part is not None and quantity in MEASURES.get(type(part), {}) and index is None:
            return np.asarray(self.result[f"{J.label(owner)}.{MEASURES[type(part)][quantity]}"])
        if index is None:
            return self.scalar(owner, quantity)
        return self.vector(owner, quantity)[:, int(index) - 1]

    def scalar(self, owner: str, quantity: str) -> np.ndarray:
        """Column without an index."""
        if quantity == "s_damper":
            return np.asarray(self.result[f"{J.label(owner)}_s_damper"])
        if quantity == "distance":
            a, b = (self.motion(f"{owner}.frame_{x}") for x in "ab")
            return np.linalg.norm(b.r - a.r, axis=1)
        raise KeyError(f"{owner}.{quantity}")

    def vector(self, owner: str, quantity: str) -> np.ndarray:
        """Vector of a body, a free joint or a frame."""
        part = self.net.parts.get(owner)
        if isinstance(part, parts.Sensor) and quantity == "angles":
            return angles_123(self.motion(f"{owner}.frame_a").axes, follow=False)
        if isinstance(part, parts.Sensor) and quantity in ("r", "v", "a", "w", "z"):
            vector = getattr(self.motion(f"{owner}.frame_a"), quantity)
            return vector if part.resolve == "world" else self.motion(f"{owner}.{part.resolve}").own(vector)
        if isinstance(part, J.FreeMotion | J.Spherical):
            return self.relative(owner, quantity)
        owner = re.sub(r"\.body(?=$|\.frame)", "", owner)
        if owner in self.net.frames:
            return self.carried(owner, quantity) if quantity in ("f", "t") else self.absolute(owner, quantity)
        part = self.net.parts.get(owner)
        if isinstance(part, J.Weld) and quantity in ("force", "torque"):
            return self.cut(owner, part, quantity)
        if part is None:
            raise KeyError(f"{owner}.{quantity}")
        return self.absolute(f"{owner}.{part.frames[0]}", quantity)

    def cut(self, owner: str, part: J.Weld, quantity: str) -> np.ndarray:
        """Cut force or torque of a sensor: of frame_b on frame_a, in the axes of frame_a or the world."""
        reaction = self.result.reaction(J.label(owner))  # on the second body: frame_b's
        vector = np.asarray(reaction.force if quantity == "force" else reaction.moment)
        vector = vector if part.positiveSign else -vector
        return vector if part.resolve == "world" else self.motion(f"{owner}.{part.resolve}").own(vector)

    def carried(self, frame: str, quantity: str) -> np.ndarray:
        """Force or torque on a joint at its frame_b, in the frame's axes."""
        reaction = self.result.reaction(J.label(frame.rpartition(".")[0]))  # on the second body
        vector = np.asarray(reaction.force if quantity == "f" else reaction.moment)
        return -self.motion(frame).own(vector)

    def absolute(self, frame: str, quantity: str) -> np.ndarray:
        """Vector of a frame against the world."""
        motion = self.motion(frame)
        if quantity in ("r_0", "v_0", "a_0"):
            return getattr(motion, quantity[0])
        if quantity in ("w_a", "z_a"):
            return motion.own(getattr(motion, quantity[0]))
        if quantity == "Q":
            return quaternions(motion.axes)
        if quantity == "phi":
            return angles_123(motion.axes)
        if quantity == "phi_d":
            return rates_123(angles_123(motion.axes), motion.own(motion.w))
        raise KeyError(f"{frame}.{quantity}")

    def relative(self, owner: str, quantity: str) -> np.ndarray:
        """Vector of frame_b against frame_a of a joint."""
        a, b = self.motion(f"{owner}.frame_a"), self.motion(f"{owner}.frame_b")
        axes = np.einsum("nji,njk->nik", a.axes, b.axes)
        if quantity == "r_rel_a":
            return a.own(b.r - a.r)
        if quantity == "v_rel_a":
            return a.own(b.v - a.v - np.cross(a.w, b.r - a.r))
        if quantity in ("w_rel_b", "w_rel"):
            return b.own(b.w - a.w)
        if quantity == "Q":
            return quaternions(axes)
        if quantity in ("phi", "angle"):
            return angles_123(axes)
        if quantity in ("phi_d", "angle_d"):
            return rates_123(angles_123(axes), b.own(b.w - a.w))
        raise KeyError(f"{owner}.{quantity}")
