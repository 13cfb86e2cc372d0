"""Forces at random states: virtual work, potential energy, action and reaction, copies, derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis import at_state  # noqa: F401, its import defines the kernel state_run
from pytrammel.analysis.ready import make_ready
from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground
from pytrammel.kernels.dynamics import FORCES, JAC, OUT, STATE, accelerations, workspace
from pytrammel.kernels.jit import prepare
from pytrammel.model.planar import PlanarModel
from pytrammel.model.spatial import SpatialModel
from pytrammel.rotations import matrix
from pytrammel.system.lowering import lower, lower_measures
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved
from pytrammel.testing.failures import require, require_close
from pytrammel.testing.rows import TIME, along, difference
from pytrammel.testing.samples import Type, add, random_pose

Array = NDArray[np.float64]
STATES = 4  # random states at which the force acts
TRIED = 400


class At:
    """Everything the kernels compute at one state of a model."""

    def __init__(self, model: Any, t: float, q: Array, v: Array, z: Array | None = None) -> None:
        self.system = lower(model, dynamics=True)
        self.z = np.zeros(int(self.system.ints[L.N_STATES])) if z is None else z
        self.q, self.v, self.t = q, v, t
        ints, P = self.system.ints, pattern(self.system, range(len(self.system.rows)))
        self.ws = workspace(ints, P)
        load_ground(ints, self.ws[STATE])
        accelerations(
            ints, self.system.floats, P, t, q, v, self.z, 0.0, 0.0, np.zeros(v.size), np.zeros(len(self.system.rows)),
            self.ws,
        )  # fmt: skip
        self.generalised = self.ws[FORCES].copy()
        self.table = ints[ints[L.AT_FORCES] :][: L.FORCE_SIZE * ints[L.N_FORCES]].reshape(-1, L.FORCE_SIZE)

    def output(self, use: int, what: int) -> float:
        return float(self.ws[OUT][L.OUTPUT_SIZE * self.table[use, 2] + what])

    def block(self, use: int) -> Array:
        """Generalised force of one use, over all columns."""
        _, _, _, first, n, columns = self.table[use]
        out = np.zeros(self.v.size)
        for e in range(n):
            column = self.system.ints[columns + e]
            if column >= 0:
                out[column] += self.ws[JAC][first + e]
        return out

    @property
    def total(self) -> Array:
        return np.asarray(sum(self.block(k) for k in range(len(self.table))))


def random_model(kind: Type, seed: int) -> tuple[Any, Any]:
    """Three bodies with mass and one force of a type, without gravity."""
    rng = np.random.default_rng(seed)
    n = 3 if kind.space else 2
    model: Any = (SpatialModel if kind.space else PlanarModel)("sample", gravity=(0.0,) * n)
    for name in "abc":
        if kind.space:
            model.body(name, **random_pose(rng), mass=1.5, inertia=(0.7, 0.8, 0.9))
        else:
            angle = float(rng.uniform(-np.pi, np.pi))
            model.body(name, position=tuple(rng.normal(size=2)), angle=angle, mass=1.5, inertia=0.7)
    return model, add(kind, model)


def states(kind: Type) -> list[tuple[Any, Any, At]]:
    """Random states near the drawn pose at which the force acts; contacts and stops do not act everywhere."""
    found = []
    for seed in range(TRIED):
        model, force = random_model(kind, seed)
        make_ready(model, ["state_run"], forces=True)
        rng = np.random.default_rng(1000 + seed)
        system = lower(model)
        scales = (1.0, 0.2) if kind.space else (0.2, 1.0)
        first, second = (rng.normal(scale=scale, size=system.n_columns) for scale in scales)
        v, step = (first, second) if kind.space else (second, first)
        q = moved(system, system.start, step)
        z = 1e-5 * rng.normal(size=sum(use.has_state for use in force.uses))
        at = At(model, TIME, q, v, z)
        values = np.array([at.output(k, L.FORCE) for k in range(len(force.uses))])
        if np.isfinite(values).all() and values.any():  # a random length may lie outside the range of a law
            found.append((model, force, at))
        if len(found) == STATES:
            return found
    require(False, kind, f"the force acts at {len(found)} of {TRIED} random states; at least {STATES} are needed.")
    return found


def check_power(kind: Type, force: Any, at: At) -> None:
    """Check that the power of every use is its generalised force times the velocities, and that the bodies feel the sum."""
    for k, use in enumerate(force.uses):
        block = at.block(k)
        # sums of some twenty products of the size of the forces: rounding only
        limit = 1e-13 * (np.abs(block).max() * np.abs(at.v).max() + 1e-12)
        if not kind.space:
            limit = 1e-13 * (np.abs(block * at.v).sum() + 1e-12)
        label = [use.label or use.element]
        require_close(kind, "power", label, at.output(k, L.POWER), block @ at.v, limit, "force times velocity")


def stored_energy(model: Any, use: Any, q: Array) -> float:
    """Stored energy of a use by its formula, with measured values of the quantities in it."""
    inputs = use.stored_inputs()
    system = lower_measures(model, list(inputs.values()))
    prepare(["measures_run", *system.primitives])
    still = np.zeros(system.n_columns)
    values = along(system, TIME, q, still, still)[0]
    return float(use.stored.evaluate(dict(zip(inputs, values, strict=True))))


def check_potential(
    kind: Type, model: Any, force: Any, at: At, energy: Callable[[Any, Any, Array], float] = stored_energy
) -> None:
    """Check that stored energy, computed by a function of model, use and coordinates, is the potential of the force."""
    for k, use in enumerate(force.uses):
        if use.stored is None:
            continue
        require(
            use.role == "spring",
            kind,
            f"use {use.label!r} stores energy, but its role is {use.role!r} instead of 'spring'.",
        )
        slopes = np.empty(at.v.size)
        for column in range(at.v.size):
            unit = np.eye(at.v.size)[column]

            def along_column(e: float, unit: Array = unit, use: Any = use) -> float:
                return energy(model, use, moved(at.system, at.q, e * unit))

            slopes[column] = difference(along_column, 0.01)
        # eighth-order differences with h = 0.01 of energies of size 1000 whose curvature radius exceeds 0.2
        limit = 1e-6 if kind.space else 1e-7
        labels = [f"{use.label} along {column}" for column in at.system.columns]
        require_close(kind, "force", labels, at.block(k), -slopes, limit, "the slope of the stored energy")


def check_reaction(kind: Type, model: Any, force: Any, at: At) -> None:
    """Check that the total force and the total moment of a force between two bodies vanish."""
    if len(set(force.bodies) - {"ground"}) < 2 or "ground" in force.bodies:
        return
    axes, n = (3, 7) if kind.space else (2, 3)
    g = at.total.reshape(-1, 2 * axes if kind.space else 3)
    places = at.q[: n * len(g)].reshape(-1, n)
    size = np.abs(g).max() * (3.0 + np.abs(at.q).max())
    limit = (1e-13 if kind.space else 1e-14) * size  # sums of some ten products
    require_close(
        kind, "sum", [f"forces along {x}" for x in "xyz"[:axes]], g[:, :axes].sum(0), np.zeros(axes), limit, "it"
    )
    if kind.space:
        about = np.array([0.3, -1.2, 0.7])
        moment = sum(
            np.asarray(matrix(q[3:])) @ row[3:] + np.cross(q[:3] - about, row[:3])
            for row, q in zip(g, places, strict=True)
        )
        require_close(kind, "sum", [f"moments about {x}" for x in "xyz"], moment, np.zeros(3), limit, "it")
    else:
        turning = (g[:, 2] + places[:, 0] * g[:, 1] - places[:, 1] * g[:, 0]).sum()
        require_close(kind, "sum", ["moments"], turning, 0.0, limit, "it")


def check_copy(kind: Type, model: Any, at: At) -> None:
    """Check that a copy of the model feels the same force."""
    twin = At(model.copy(), at.t, at.q, at.v, at.z)
    # not bit for bit: points given globally are turned into the body once more
    limit = 1e-12 + 1e-12 * np.abs(at.total)
    require_close(kind, "force of a copy", at.system.columns, twin.total, at.total, limit, "that of the model")
