"""Contacts held by constraints that in truth can only push: what they carry, and where they would have to pull or to slip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import RunWarning
from pytrammel.geometry.curves import Curve
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import GROUND
from pytrammel.results.forces.dynamics import reaction_of
from pytrammel.results.segments import per_model

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
SEEN = 1e-3  # share of force times size below which a couple does not matter to friction
NOTHING = 1e-13  # share of all weights and inertia forces that is rounding
ROUNDING = 1e-7  # share of the largest force at the contact below which a pull may be rounding


@per_model
def pressure(result: Result, joint: Constraint) -> tuple[Array, Array]:
    """Force with which a one-sided contact presses, negative where it would have to pull, and the size of the force along it [N]."""
    joint = result.model.constraints[joint.name]
    assert joint.presses is not None
    normal = _normals(result, joint)
    force = reaction_of(result, joint, joint.presses.body).force
    along = np.einsum("ni,ni->n", force, normal)
    return along, np.asarray(np.linalg.norm(force - along[:, None] * normal, axis=1))


def _normals(result: Result, joint: Constraint) -> Array:
    """Global directions in which the contact pushes, shape (n, 2) or (n, 3)."""
    presses = joint.presses
    assert presses is not None
    n = len(result)
    curve = joint.blocks[0].quantity.curve if presses.side else None
    if curve is not None:
        u = result.q[:, result._system.coordinates.index(joint.extras[0].name)]
        assert isinstance(curve, Curve)
        tangent = curve.tangent(u)
        local = presses.side * np.column_stack([tangent[:, 1], -tangent[:, 0]])
    else:
        local = np.tile(np.array(presses.normal), (n, 1))
    if presses.carrier == GROUND:
        return np.asarray(local)
    series = result._body(presses.carrier)
    if local.shape[1] == 3:
        return np.asarray(np.einsum("nij,nj->ni", series.matrix, local))
    c, s = np.cos(series.phi), np.sin(series.phi)
    return np.column_stack([c * local[:, 0] - s * local[:, 1], s * local[:, 0] + c * local[:, 1]])


def lost_contacts(result: Result) -> list[RunWarning]:
    """A sentence for every contact that would have to pull, and for every rolling one that would have to slip."""
    found: list[RunWarning] = []
    if not len(result) or all(joint.presses is None for joint in result.model.constraints.values()):
        return found
    at_work = forces_at_work(result)
    for joint in result.model.constraints.values():
        if joint.presses is None:
            continue
        along, across = pressure(result, joint)
        size = float(np.hypot(along, across).max())
        if not size > NOTHING * at_work:
            continue
        pulls = along < -ROUNDING * size
        if pulls.any():
            found.append(_pull(result, joint, along, pulls))
        mu = joint.presses.friction
        if mu is not None:
            slips = ~pulls & (across > mu * along + ROUNDING * size)
            if slips.any():
                k = int(np.argmax(np.where(slips, across - mu * along, -np.inf)))
                needed = across[k] / along[k] if along[k] > ROUNDING * size else np.inf
                found.append(
                    RunWarning(
                        "slip",
                        f"{joint.kind} {joint.name!r} would have to slip from t = {result.times[int(np.argmax(slips))]:.6g} s: at t = "
                        f"{result.times[k]:.6g} s it needs a coefficient of friction of {needed:.4g} ({across[k]:.4g} N along, "
                        f"{along[k]:.4g} N pressing), and it has {mu:g}.",
                        time=float(result.times[int(np.argmax(slips))]),
                    )
                )
    return found


def forces_at_work(result: Result) -> float:
    """Size of all weights, inertia forces and the largest applied force together [N]: next to them, rounding is not a force."""
    per_body = len(result.model.space.columns)
    straight = len(result.model.gravity)
    fast = 0.0
    if result.a is not None and len(result):
        bodies = result.a[:, : per_body * (len(result.model.bodies) - 1)].reshape(len(result), -1, per_body)
        fast = float(np.abs(bodies[:, :, :straight]).max(initial=0.0))
    masses = sum(body.mass or 0.0 for body in result.model.bodies.values())
    applied = (
        result.dynamics.outputs[:, : 2 * len(result._system.forces) : 2] if result.dynamics is not None else np.zeros(0)
    )
    largest = float(np.abs(np.nan_to_num(applied)).max(initial=0.0))
    return masses * (float(np.linalg.norm(result.model.gravity)) + fast) + largest


def _pull(result: Result, joint: Constraint, along: Array, pulls: NDArray[np.bool_]) -> RunWarning:
    first, worst = int(np.argmax(pulls)), int(np.argmin(along))
    begin = float(result.times[first])
    if first > 0:  # the force passes zero between two instants
        before, after = along[first - 1], along[first]
        begin -= float((result.times[first] - result.times[first - 1]) * after / (after - before))
    return RunWarning(
        "contact lost",
        f"{joint.kind} {joint.name!r} would have to pull from t = {begin:.6g} s, with {-along[worst]:.4g} N at t = "
        f"{result.times[worst]:.6g} s: such a contact only pushes and is lost there, so that the real mechanism moves otherwise. Press "
        "harder (a spring, less speed) or hold it on both sides.",
        time=begin,
    )


def unseen_couples(result: Result) -> list[RunWarning]:
    """A sentence for every friction that leaves out the couple its joint carries, because its length was not given."""
    found: list[RunWarning] = []
    rounding = None
    for force in result.model.forces.values():
        for load, joint in {(i.load, i.joint) for use in force.uses for i in use.inputs.values() if i.load is not None}:
            if load is None or load.length is not None or not len(result):
                continue
            if rounding is None:
                rounding = NOTHING * forces_at_work(result) * result._system.length
            reaction = reaction_of(result, result.model.constraints[joint], load.body)
            couple = np.abs(_couple(result, reaction.moment, load.carrier, load.axis))
            k = int(couple.argmax())
            if (
                couple[k]
                > rounding + SEEN * float(np.linalg.norm(reaction.force, axis=1).max()) * result._system.length
            ):
                found.append(
                    RunWarning(
                        "friction",
                        f"friction {force.name!r} leaves out the couple of joint {joint!r}, {couple[k]:.4g} N m at t = "
                        f"{result.times[k]:.6g} s: the length of the bearing or guide that carries it is not given. Give length=.",
                        time=float(result.times[k]),
                    )
                )
    return found


def _couple(result: Result, moment: Array, carrier: str, axis: tuple[float, ...]) -> Array:
    """Size of the part of a moment across an axis; in the plane all of it."""
    if moment.ndim == 1:
        return moment
    turn = np.eye(3)[None] if carrier == GROUND else result._body(carrier).matrix
    along = np.einsum("nij,j->ni", turn, np.array(axis))
    part = np.einsum("ni,ni->n", moment, along)
    return np.asarray(np.linalg.norm(moment - part[:, None] * along, axis=1))
