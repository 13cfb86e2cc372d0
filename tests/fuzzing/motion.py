"""Motion of all bodies as positions and rotation matrices in space; a planar motion is one with z = 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray
GROUND = "ground"


def rotation_about_z(angles: Array) -> Array:
    c, s, o, i = np.cos(angles), np.sin(angles), np.zeros_like(angles), np.ones_like(angles)
    return np.stack([np.stack([c, -s, o], -1), np.stack([s, c, o], -1), np.stack([o, o, i], -1)], -2)


def rotation_of(p: Array) -> Array:
    """Rotation matrices of Euler parameters by Rodrigues' formula, shape (..., 4) to (..., 3, 3)."""
    e0, e = p[..., :1, None], p[..., 1:]
    cross = tilde(e)
    return np.eye(3) + 2.0 * e0 * cross + 2.0 * cross @ cross


def tilde(a: Array) -> Array:
    """Matrices of the vector product a x, shape (..., 3) to (..., 3, 3)."""
    x, y, z, o = a[..., 0], a[..., 1], a[..., 2], np.zeros_like(a[..., 0])
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)


def turn(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit axis."""
    k = tilde(np.asarray(axis, dtype=float))
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def rotation_vector(R: Array) -> Array:
    """Rotation vectors of matrices, shorter than half a turn, shape (n, 3, 3) to (n, 3)."""
    s = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], -1)
    sine = np.linalg.norm(s, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0))
    return s * (angle / np.maximum(sine, 1e-300))[:, None]


@dataclass(frozen=True)
class BodyMotion:
    """Origin r, rotation R (body to global), velocity v, angular velocity w (global) and their rates, first axis: instants."""

    r: Array
    R: Array
    v: Array
    w: Array
    a: Array
    alpha: Array


class Motion:
    """Motion of every body at n instants."""

    def __init__(self, times: Array, bodies: dict[str, BodyMotion]) -> None:
        n = len(times)
        o = np.zeros((n, 3))
        still = BodyMotion(o, np.broadcast_to(np.eye(3), (n, 3, 3)), o, o, o, o)
        self.t, self.bodies = np.asarray(times), {GROUND: still, **bodies}

    def __len__(self) -> int:
        return len(self.t)

    def between(self, begin: float, end: float) -> Motion:
        """The instants from one to another."""
        picked = (self.t >= begin) & (self.t <= end)
        return Motion(
            self.t[picked],
            {name: BodyMotion(*(np.asarray(x)[picked] for x in vars(b).values())) for name, b in self.bodies.items()},
        )

    def point(self, body: str, local: Array) -> Array:
        b = self.bodies[body]
        return b.r + b.R @ local

    def velocity(self, body: str, local: Array) -> Array:
        b = self.bodies[body]
        return b.v + np.cross(b.w, b.R @ local)

    def velocity_there(self, body: str, at: Array) -> Array:
        """Velocity of a body's material at points of space."""
        b = self.bodies[body]
        return b.v + np.cross(b.w, at - b.r)

    def acceleration(self, body: str, local: Array) -> Array:
        b = self.bodies[body]
        arm = b.R @ local
        return b.a + np.cross(b.alpha, arm) + np.cross(b.w, np.cross(b.w, arm))

    def axis(self, body: str, local: Array) -> Array:
        return self.bodies[body].R @ local


def still_motion(time: float, poses: dict[str, tuple[Array, Array]]) -> Motion:
    """Bodies at rest at one instant, from positions and rotation matrices."""
    o = np.zeros((1, 3))
    return Motion(
        np.array([time]), {name: BodyMotion(np.asarray(r)[None], np.asarray(R)[None], o, o, o, o) for name, (r, R) in poses.items()}
    )  # fmt: skip


def motion_of(result, *, planar: bool) -> Motion:
    """The motion in a result: coordinates as they stand there, everything else made here."""
    bodies = {}
    for name in list(result.model.bodies)[1:]:
        b, n = result[name], len(result)
        zero = np.zeros((n, 3))
        if planar:
            flat = [
                np.column_stack([t, np.zeros(n)])
                for t in (b.position, *((b.velocity, b.acceleration) if result.v is not None else ()))
            ]
            turning = [
                np.column_stack([np.zeros(n), np.zeros(n), t])
                for t in ((b.omega, b.alpha) if result.v is not None else ())
            ]
            r, v, a = (*flat, zero, zero)[:3]
            w, alpha = (*turning, zero, zero)[:2]
            bodies[name] = BodyMotion(r, rotation_about_z(b.phi), v, w, a, alpha)
        else:
            R = rotation_of(b.parameters)
            w, alpha = np.einsum("nij,nj->ni", R, b.omega_body), np.einsum("nij,nj->ni", R, b.alpha_body)
            bodies[name] = BodyMotion(b.position, R, b.velocity, w, b.acceleration, alpha)
    return Motion(result.times, bodies)
