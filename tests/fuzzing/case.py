"""A random mechanism: its script, what its joints promise and what its forces do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import pytrammel as tm
from fuzzing.conditions import Angle, Driven, Measure
from fuzzing.laws import Law
from fuzzing.motion import GROUND, Array, Motion, still_motion


@dataclass(frozen=True)
class Scale:
    """Units in which a case is written down: the same mechanism in millimetres, tons and hours."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0


@dataclass(frozen=True)
class Inertial:
    """Mass properties of a body, and where it stands in the closed pose."""

    mass: float
    inertia: Array
    centroid: Array
    r: Array
    R: Array
    angle: float = 0.0  # in the plane, where angles of bodies count turns


@dataclass(frozen=True)
class Line:
    """A line of the script: what it defines and what it needs."""

    name: str
    needs: frozenset[str]
    text: str


def number(value: float) -> str:
    return repr(float(value))


@dataclass
class Case:
    """Everything about one random mechanism.

    The closed pose is drawn first; joints are then placed on it, so that the mechanism closes by construction. The drawn pose is the
    closed one, a little disturbed.
    """

    seed: int
    planar: bool
    scale: Scale
    rng: np.random.Generator
    gravity: Array = field(default_factory=lambda: np.zeros(3))
    rough: float = 0.0
    lines: list[Line] = field(default_factory=list)
    bodies: dict[str, Inertial] = field(default_factory=dict)
    joints: dict[str, list] = field(default_factory=dict)
    laws: list[Law] = field(default_factory=list)
    measures: dict[str, Measure] = field(default_factory=dict)
    seats: dict[str, Array] = field(default_factory=dict)  # where bearings and guides are, on the second body
    taken: set[str] = field(default_factory=set)
    drivers: list[str] = field(default_factory=list)
    drivers_on: list[str] = field(default_factory=list)
    freedom: int = 0
    smooth: bool = True
    conservative: bool = True

    # --- writing ----------------------------------------------------------------------------------------------------------

    @property
    def size(self) -> float:
        return self.scale.length

    def vector(self, v: Sequence[float]) -> str:
        return "(" + ", ".join(number(x) for x in list(v)[: 2 if self.planar else 3]) + ")"

    @staticmethod
    def owner(body: str) -> str:
        """A body in the script, after m."""
        return ".ground" if body == GROUND else f'["{body}"]'

    def place(self, body: str, local: Array) -> str:
        return f"m{self.owner(body)}.at{self.vector(local)}"

    def write(self, text: str, name: str, needs: Sequence[str]) -> None:
        self.lines.append(Line(name, frozenset(n for n in needs if n != GROUND), text))

    def joint(
        self, name: str, text: str, needs: Sequence[str], rows: int, *conditions: object, seat: Array | None = None
    ) -> None:
        """A joint: its line, how many rows it has, what it promises, and where it can rub on the second body."""
        self.write(text, name, needs)
        if seat is not None:
            self.seats[name] = seat
        self.joints[name] = list(conditions)
        self.freedom -= rows

    def drive(self, quantity: str, motion: Callable[[Array], Array], text: str) -> None:
        name = f"drive{len(self.drivers)}"
        self.write(f'm.driver("{name}", "{quantity}", {text})', name, [quantity.partition(".")[0]])
        self.joints[name] = [Driven(self.measures[quantity], motion, self.unit(quantity))]
        self.drivers.append(name)
        self.drivers_on.append(quantity)
        self.freedom -= 1
        self.conservative = False

    # --- geometry of the closed pose --------------------------------------------------------------------------------------

    def rotation(self, body: str) -> Array:
        return np.eye(3) if body == GROUND else self.bodies[body].R

    def angle(self, body: str) -> float:
        return 0.0 if body == GROUND else self.bodies[body].angle

    def point(self, body: str, local: Array) -> Array:
        """A body's point in space."""
        return np.asarray(local) if body == GROUND else self.bodies[body].r + self.bodies[body].R @ local

    def local(self, body: str, point: Array) -> Array:
        """Body coordinates of a point of space."""
        return np.asarray(point) if body == GROUND else self.bodies[body].R.T @ (point - self.bodies[body].r)

    def within(self, body: str, direction: Array) -> Array:
        """Body components of a direction of space."""
        return self.rotation(body).T @ direction

    def closed(self) -> Motion:
        """The closed pose, at rest."""
        return still_motion(0.0, {name: (b.r, b.R) for name, b in self.bodies.items()})

    def unit(self, quantity: str) -> float:
        """What is about one for a measure: a radian, or the size."""
        return 1.0 if isinstance(self.measures[quantity], Angle) else self.size

    def start(self, quantity: str) -> float:
        """Value of a measure in the closed pose, angles on the turn in which the model draws them."""
        part = self.measures[quantity]
        if self.planar and isinstance(part, Angle):
            return self.angle(part.b) - self.angle(part.a)
        return float(part.value(self.closed())[0])

    def spot(self) -> Array:
        """A random point of space."""
        p = self.size * self.rng.uniform(-1.0, 1.0, 3)
        if self.planar:
            p[2] = 0.0
        return p

    def heading(self) -> Array:
        """A random direction."""
        v = self.rng.normal(size=3)
        if self.planar:
            v[2] = 0.0
        return v / np.linalg.norm(v)

    # --- building ---------------------------------------------------------------------------------------------------------

    def header(self) -> str:
        kind = "PlanarModel" if self.planar else "SpatialModel"
        return f'm = tm.{kind}("fuzz {self.seed}", gravity={self.vector(self.gravity)})'

    def script(self, order: Sequence[Line] | None = None, ending: str = "") -> str:
        lines = ["import pytrammel as tm", "", self.header(), *(line.text for line in order or self.lines)]
        return "\n".join([*lines, *([ending] if ending else [])])

    @cached_property
    def model(self) -> tm.PlanarModel | tm.SpatialModel:
        return self.built(self.lines)

    def built(self, order: Sequence[Line]) -> tm.PlanarModel | tm.SpatialModel:
        """The model from the lines in a given order."""
        namespace: dict[str, object] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.ModelWarning)  # a real machine need not come out
            exec(self.script(order), namespace)
        return namespace["m"]  # type: ignore[return-value]

    def permuted(self, rng: np.random.Generator) -> list[Line]:
        """The lines in another order, each after what it needs."""
        waiting, known, out = list(self.lines), set(), []
        while waiting:
            ready = [line for line in waiting if line.needs <= known]
            line = ready[int(rng.integers(len(ready)))]
            waiting.remove(line)
            known.add(line.name)
            out.append(line)
        return out
