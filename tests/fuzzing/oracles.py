"""What must hold for every mechanism and every analysis. A violated oracle raises `Violation` with numbers.

Tolerances: positions come from Newton's method (1e-9 of the size leaves room for badly conditioned poses); differences over time
cost digits, as said beside each; runs are asked for RTOL per step.
"""

from __future__ import annotations

import numpy as np

import pytrammel as tm
from fuzzing.case import Case
from fuzzing.motion import GROUND, Array, BodyMotion, Motion

RTOL = 1e-9
CLOSED = 1e-8
STENCIL = np.arange(-4, 5)
# central differences of eighth and fourth order: how far they differ tells what the steps can resolve
EIGHTH = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
FOURTH = np.array([0.0, 0.0, 1 / 12, -2 / 3, 0.0, 2 / 3, -1 / 12, 0.0, 0.0])


class Violation(AssertionError):
    """Something that must hold does not."""


def require(holds: bool, sentence: str) -> None:
    if not holds:
        raise Violation(sentence)


def clusters(case: Case, count: int = 4, spacing: float = 0.01, until: float = 1.0) -> Array:
    """Instants in groups of nine, close enough for differences."""
    T = case.scale.time
    middles = np.linspace(5 * spacing, until - 5 * spacing, count) * T
    return np.concatenate([[0.0], (middles[:, None] + spacing * T * STENCIL).ravel()])


def numbers_are_finite(result: tm.results.Result) -> None:
    for what in ("q", "v", "a"):
        table = getattr(result, what)
        require(table is None or bool(np.isfinite(table).all()), f"{what} holds numbers that are not finite")


def joints_hold(case: Case, m: Motion, tolerance: float = CLOSED) -> None:
    for name, conditions in case.joints.items():
        for condition in conditions:
            worst = float(np.abs(condition.violation(m)).max(initial=0.0))
            require(worst < tolerance, f"joint {name}: {type(condition).__name__} violated by {worst:.3g} of the size")


def rates_are_differences(case: Case, m: Motion, spacing: float, *, tolerance: float) -> None:
    """Velocities are differences of positions, accelerations differences of velocities."""
    T, L = case.scale.time, case.size
    groups = [slice(k, k + 9) for k in range(1, len(m), 9)]
    for name, b in m.bodies.items():
        if name == GROUND:
            continue
        fast = max(L / T, np.abs(b.v).max(), L * np.abs(b.w).max())
        sharp = max(L / T**2, np.abs(b.a).max(), L * np.abs(b.alpha).max(), fast**2 / L)
        for g in groups:
            mid = g.start + 4
            fine, coarse = (_rates(b, g, weights / (spacing * T)) for weights in (EIGHTH, FOURTH))
            found = b.v[mid], b.w[mid], b.a[mid], b.alpha[mid]
            sizes = fast, fast / L, sharp, sharp / L
            for k, what in enumerate(("velocity", "angular velocity", "acceleration", "angular acceleration")):
                off = np.abs(found[k] - fine[k]).max()
                unresolved = np.abs(fine[k] - coarse[k]).max()
                require(
                    off < tolerance * sizes[k] + unresolved,
                    f"{what} of {name} at t = {m.t[mid]:.6g} s is {found[k]}, differences give {fine[k]} (sure to {unresolved:.2g})",
                )


def _rates(b: BodyMotion, g: slice, weights: Array) -> tuple[Array, Array, Array, Array]:
    """Velocity, angular velocity and their rates in the middle of nine instants."""
    spin = np.einsum("k,kij,lj->il", weights, b.R[g], b.R[g.start + 4])  # dR/dt R^T
    w = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]) / 2.0
    return weights @ b.r[g], w, weights @ b.v[g], weights @ b.w[g]


def wrench_of(result: tm.results.Result, joint: str, body: str) -> tuple[Array, Array, Array]:
    """Force, its point and moment there of a joint on a body, as vectors in space."""
    r = result.reaction(joint, on=body)
    if np.ndim(r.moment) == 2:
        return np.asarray(r.force), np.asarray(r.point), np.asarray(r.moment)
    zero = np.zeros(len(result))
    return np.column_stack([r.force, zero]), np.column_stack([r.point, zero]), np.column_stack([zero, zero, r.moment])


def newton_and_euler(case: Case, result: tm.results.Result, m: Motion, *, tolerance: float = 1e-7) -> None:
    """Body by body: reactions, forces and weight give mass times acceleration, and the moments the change of spin."""
    L = case.size
    forces = {b: np.zeros((len(m), 3)) for b in m.bodies}
    moments = {b: np.zeros((len(m), 3)) for b in m.bodies}
    scale = 0.0

    def add(body: str, force: Array, point: Array, couple: Array) -> None:
        nonlocal scale
        centre = m.point(body, case.bodies[body].centroid) if body != GROUND else np.zeros(3)
        forces[body] += force
        moments[body] += couple + np.cross(point - centre, force)
        scale = max(scale, float(np.abs(force).max()), float(np.abs(couple).max()) / L)

    for name, joint in result.model.constraints.items():
        for body in dict.fromkeys(joint.bodies):
            add(body, *wrench_of(result, name, body))
    for law in case.laws:
        for body, force, point, couple in law.wrenches(m, result):
            if body in result.model.bodies:
                add(body, force, point, couple)
    for name, body in case.bodies.items():
        b = m.bodies[name]
        inertia = b.R @ body.inertia @ np.swapaxes(b.R, 1, 2)
        momentum = np.einsum("nij,nj->ni", inertia, b.w)
        spin = np.einsum("nij,nj->ni", inertia, b.alpha) + np.cross(b.w, momentum)
        rate = body.mass * (m.acceleration(name, body.centroid) - case.gravity)
        if case.planar:
            spin[:, :2] = 0.0
        size = max(scale, float(np.abs(rate).max()), float(np.abs(spin).max()) / L)
        for what, off in (
            ("Newton", np.abs(forces[name] - rate).max()),
            ("Euler", np.abs(moments[name] - spin).max() / L),
        ):
            require(
                float(off) <= tolerance * size,
                f"{what} of body {name}: {off:.3g} N unexplained of {size:.3g} N (reactions and forces against motion)",
            )


def energies(case: Case, m: Motion) -> tuple[Array, Array, Array, Array]:
    """Kinetic, of gravity, of springs, of contacts; from motion alone."""
    kinetic, height = np.zeros(len(m)), np.zeros(len(m))
    for name, body in case.bodies.items():
        b = m.bodies[name]
        v = m.velocity(name, body.centroid)
        local = np.einsum("nji,nj->ni", b.R, b.w)
        kinetic += 0.5 * body.mass * np.sum(v * v, axis=1) + 0.5 * np.einsum("ni,ij,nj->n", local, body.inertia, local)
        height -= body.mass * m.point(name, body.centroid) @ case.gravity
    springs = sum((law.stored(m) for law in case.laws if not law.contact), np.zeros(len(m)))
    contacts = sum((law.stored(m) for law in case.laws if law.contact), np.zeros(len(m)))
    return kinetic, height, springs, contacts


def books_are_true(case: Case, result: tm.results.Result, m: Motion, *, tolerance: float = 1e-6) -> None:
    """Energies are those of the motion, the books balance, and without losses the sum is kept."""
    kinetic, height, springs, contacts = energies(case, m)
    e = result.energy
    s = case.scale
    size = max(
        float(kinetic.max()),
        float(np.ptp(height)),
        float(np.ptp(springs)),
        1e-3 * s.mass * (s.length / s.time) ** 2,
    )
    for what, found, true in (
        ("kinetic energy", e.kinetic, kinetic),
        ("gravity energy", e.gravity - e.gravity[0], height - height[0]),
        ("stored energy", e.stored, springs),
    ):
        off = float(np.abs(found - true).max()) / size
        require(
            off < tolerance,
            f"{what} is off by {off:.3g} of the energies at work: {found[-1]:.9g} against {true[-1]:.9g}",
        )
    off = float(np.abs(e.balance).max()) / size
    require(off < tolerance, f"the energy balance is off by {off:.3g} of the energies at work")
    if case.conservative:
        total = kinetic + height + springs + contacts
        off = float(np.abs(total - total[0]).max()) / size
        require(off < tolerance, f"energy is not kept: off by {off:.3g} of the energies at work")


def same_motion(case: Case, one: Motion, other: Motion, *, tolerance: float, what: str, ratio: float = 1.0) -> None:
    """Positions agree, the second's lengths multiplied by `ratio`."""
    for name in case.bodies:
        a, b = one.bodies[name], other.bodies[name]
        n = min(len(a.r), len(b.r))
        off = max(np.abs(a.r[:n] - ratio * b.r[:n]).max() / case.size, np.abs(a.R[:n] - b.R[:n]).max())
        require(float(off) < tolerance, f"{what}: the motion of {name} differs by {off:.3g} of the size")
