"""Degrees of freedom by differences of what the joints promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fuzzing.case import Case
from fuzzing.conditions import During, Geared
from fuzzing.motion import Array, BodyMotion, Motion, turn

STEP = 1e-5
NOTHING = 1e-6  # what differences with that step cannot tell from zero


def singular_values(case: Case, pose: Motion, also: Sequence[str] = ()) -> tuple[int, Array]:
    """Number of small motions of all bodies, and how strongly they violate the joints (and change the measures named in `also`)."""
    kinds = [(0, 0), (0, 1), (1, 2)] if case.planar else [(k, j) for k in (0, 1) for j in range(3)]
    axes, columns = np.eye(3), []
    for name in case.bodies:
        for turning, j in kinds:
            ends = []
            for h in (STEP, -STEP):
                b = pose.bodies[name]
                r = b.r if turning else b.r + h * case.size * axes[j]
                R = turn(axes[j], h) @ b.R if turning else b.R
                moved = Motion(pose.t, {**pose.bodies, name: BodyMotion(r, R, b.v, b.w, b.a, b.alpha)})
                ends.append(_promises(case, pose, moved, also))
            columns.append((ends[0] - ends[1]) / (2.0 * STEP))
    J = np.array(columns).T
    return len(columns), np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)


def free_directions(case: Case, also: Sequence[str] = ()) -> int:
    """Degrees of freedom in the closed pose, with measures held."""
    count, values = singular_values(case, case.closed(), also)
    return count - int((values > NOTHING).sum())


def _promises(case: Case, pose: Motion, moved: Motion, also: Sequence[str]) -> Array:
    out = [np.zeros(0)]
    for name, conditions in case.joints.items():
        for c in conditions if name not in case.drivers else ():
            if isinstance(c, During):
                if c.begin > 0.0:
                    continue
                c = c.kept
            if isinstance(c, Geared):  # counted from the pose
                now, before = (sum(w * part.value(m) for w, part in c.parts) for m in (moved, pose))
                out.append((now - before) / c.size)
            else:
                out.append(c.violation(moved).ravel())
    out += [case.measures[q].value(moved) - case.measures[q].value(pose) for q in also]
    return np.concatenate(out)
