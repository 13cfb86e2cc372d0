"""Every registered joint, constraint and driver on its own sample, between three bodies with mass drawn anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytrammel.joints.constraint import Constraint
from pytrammel.testing.samples import joint_types, moving_sample

G = 9.81

ALL = [("space" if each.space else "plane", each.kind) for each in joint_types()]


def sample_model(where: str, kind: str, seed: int) -> tuple[Any, Constraint]:
    """A model with the sample of one type, and the constraint; bodies a, b, c have mass, inertia and an eccentric centroid."""
    kinds = {(each.space, each.kind): each for each in joint_types()}
    return moving_sample(kinds[where == "space", kind], seed)


def rate_of_momentum(result, body):
    """d/dt of momentum, and of angular momentum about the body's own centroid, written out from accelerations of the body's frame."""
    s, b = result[body.name], body
    if result.model.space.dimension == 2:
        c, d = np.cos(s.phi), np.sin(s.phi)
        arm = np.column_stack([c * b.centroid[0] - d * b.centroid[1], d * b.centroid[0] + c * b.centroid[1]])
        centre = s.position + arm
        a = s.acceleration + s.alpha[:, None] * np.column_stack([-arm[:, 1], arm[:, 0]]) - s.omega[:, None] ** 2 * arm
        return centre, b.mass * a, b.inertia * s.alpha
    arm = s.matrix @ np.array(b.centroid)
    inertia = s.matrix @ np.array(b.inertia) @ np.swapaxes(s.matrix, 1, 2)
    a = s.acceleration + np.cross(s.alpha, arm) + np.cross(s.omega, np.cross(s.omega, arm))
    spin = np.einsum("nij,nj->ni", inertia, s.omega)
    return s.position + arm, b.mass * a, np.einsum("nij,nj->ni", inertia, s.alpha) + np.cross(s.omega, spin)


def moment(arm, force):
    return arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0] if arm.shape[1] == 2 else np.cross(arm, force)


def check_newton_euler(result, *, loads=()):
    """With the reported reactions, weight and the given couples (body, global components), Newton–Euler holds body by body."""
    m = result.model
    weight = np.array(m.gravity)
    for body in list(m.bodies.values())[1:]:
        centre, force, couple = rate_of_momentum(result, body)
        force = force - body.mass * weight
        size = 1.0 + np.abs(force).max() + np.abs(couple).max()
        for name, load in loads:
            if name == body.name:
                couple = couple - np.asarray(load)
                size += np.abs(load).max()
        for name, joint in m.constraints.items():
            if body.name in joint.bodies:
                reaction = result.reaction(name, body.name)
                size += np.abs(reaction.force).max() + np.abs(reaction.moment).max()
                force = force - reaction.force
                couple = couple - reaction.moment - moment(reaction.point - centre, reaction.force)
        # accelerations solve the same equations: rounding, times the condition of rows drawn at random
        assert np.abs(force).max() < 1e-9 * size
        assert np.abs(couple).max() < 1e-9 * size
