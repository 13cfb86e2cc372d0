"""Rigid-body guidance: links and slides that keep to wanted poses of a body (Burmester)."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pytrammel._util.checks import checked, checked_number, checked_numbers
from pytrammel._util.messages import in_sentences, short
from pytrammel.design.synthesis.argument_checks import SAME, Complexes, Floats, Pair, counted, pair, place
from pytrammel.design.synthesis.dyads import five_pose_dyads, forms, four_pose_dyads, projective_dyads
from pytrammel.errors import ModelError

SAMPLES = 180  # turns tried along the curves of four poses
FAR = 100.0  # of the size of the poses: links of a curve that are longer than this are left out, as they are nearly slides


@dataclass(frozen=True)
class Dyad:
    """A link from the ground to the guided body, as it stands in the first pose.

    Attributes:
        fixed: Pivot in the ground [m]; for a slide None.
        moving: Pivot in the body, where it is in the first pose [m].
        direction: Direction of a slide [rad]; None for a link.
    """

    fixed: Pair | None
    moving: Pair
    direction: float | None = None

    def __str__(self) -> str:
        x, y = self.moving
        if self.fixed is None or self.direction is not None:
            return f"slide of ({x:.6g}, {y:.6g}) along {math.degrees(self.direction or 0.0):.4g}°"
        return "link from ({:.6g}, {:.6g}) to ({:.6g}, {:.6g})".format(*self.fixed, x, y)


@checked
@in_sentences
def dyads(
    poses: Sequence[Sequence[float]], *, moving: object = None, fixed: object = None, reach: float = 0.0, turn: float | None = None
) -> tuple[Dyad, ...]:  # fmt: skip
    """Links and slides that guide a body through poses.

    | poses | what is to be chosen |
    | --- | --- |
    | 2 | `moving`, and `reach`: how far the fixed pivot stands off the middle of its way, to the left |
    | 3 | `moving`, or `fixed` |
    | 4 | `turn` of the link from the first pose to the second: up to two links; nothing: the whole curve of Burmester, sampled |
    | 5 | nothing: up to four links |

    Args:
        poses: (x, y, angle) of the body in each pose [m, m, rad].
        moving: A point of the body, where it is in the first pose [m].
        fixed: A fixed pivot [m].
        reach: Two poses: distance of the fixed pivot from the middle of the way of `moving` [m].
        turn: Four poses: angle by which the link turns from the first pose to the second [rad].
    """
    spin, shift = read_poses(poses)
    counted(len(spin), "poses", 2, 5)
    _check_choice(len(spin), moving, fixed, reach, turn)
    if len(spin) <= 3:
        if fixed is not None:
            found = [_inverted(spin, shift, place(fixed, "the fixed pivot"))]
        else:
            found = [_centre(spin, shift, place(moving, "the moving pivot"), checked_number(reach, "reach"))]
    elif len(spin) == 4:
        turns = (
            np.linspace(0.0, math.tau, SAMPLES, endpoint=False)[1:] if turn is None else [checked_number(turn, "turn")]
        )
        found = [_link(a, b, spin, shift) for beta in turns for a, b in four_pose_dyads(spin, shift, float(beta))]
    else:
        found = [*(_link(a, b, spin, shift) for a, b in five_pose_dyads(spin, shift)), *_slides(spin, shift)]
    return tuple(each for each in found if is_met(each, spin, shift))


def is_met(dyad: Dyad, spin: Complexes, shift: Complexes) -> bool:
    """Return True if a link or slide keeps to its poses, apart from rounding."""
    size = size_of(shift)
    long = size if dyad.fixed is None else max(size, math.dist(dyad.fixed, dyad.moving))
    return long < FAR * size and _error(dyad, spin, shift) < 1e-12 * long


def read_poses(poses: object) -> tuple[Complexes, Complexes]:
    """Turns (as unit numbers) and places of poses, all different."""
    if isinstance(poses, str) or not isinstance(poses, Sequence | np.ndarray):
        raise ModelError(f"poses must be a row of (x, y, angle), but it is {short(poses)}.")
    rows = [checked_numbers(pose, f"poses[{k}]", ("x", "y", "angle")) for k, pose in enumerate(poses)]
    counted(len(rows), "poses", 2)
    table = np.array(rows)
    spin, shift = np.exp(1j * table[:, 2]), table[:, 0] + 1j * table[:, 1]
    size = size_of(shift)
    for i, j in combinations(range(len(rows)), 2):
        if abs(spin[i] - spin[j]) <= SAME and abs(shift[i] - shift[j]) <= SAME * size:
            raise ModelError(f"poses {i} and {j} are the same; leave one of them out.")
    return spin, shift


def _check_choice(count: int, moving: object, fixed: object, reach: object, turn: object) -> None:
    given = [name for name, value in (("moving", moving), ("fixed", fixed), ("turn", turn)) if value is not None]
    allowed = {2: ("moving",), 3: ("moving", "fixed"), 4: ("turn",), 5: ()}[count]
    for name in given:
        if name not in allowed:
            raise ModelError(
                f"{count} poses leave no choice of {name}=; {f'give {allowed[0]}=' if allowed else 'leave it out'}."
            )
    if count <= 3 and len(given) != 1:
        raise ModelError(f"{count} poses: give {' or '.join(f'{name}=' for name in allowed)}, one of them.")
    if count != 2 and reach != 0.0:
        raise ModelError(f"{count} poses leave no choice of reach=; leave it out.")


def size_of(shift: Complexes) -> float:
    """Largest distance from the first place [m]."""
    return float(np.max(np.abs(shift - shift[0]))) or 1.0


def _centre(spin: Complexes, shift: Complexes, b: complex, reach: float) -> Dyad:
    """The fixed pivot for a moving one: on the bisector of two places, in the centre of three."""
    track = spin * ((b - shift[0]) / spin[0]) + shift
    if len(track) == 2:
        way = track[1] - track[0]
        if abs(way) <= SAME * size_of(shift):
            raise ModelError("this moving pivot is at the same place in both poses (their pole); choose another one.")
        return Dyad(pair(complex(track[0] + track[1]) / 2 + 1j * way / abs(way) * reach), pair(b))
    # |z_j - A| equal: two linear equations
    rows = np.array([[(z - track[0]).real, (z - track[0]).imag] for z in track[1:]])
    right = 0.5 * np.array([abs(z) ** 2 - abs(track[0]) ** 2 for z in track[1:]])
    scale = np.max(np.abs(rows))
    if scale <= SAME * size_of(shift):
        raise ModelError("this moving pivot is at the same place in all poses; choose another one.")
    if abs(np.linalg.det(rows)) <= 1e-9 * scale**2:
        return Dyad(None, pair(b), _undirected(cmath.phase(complex(*rows[int(np.argmax(np.abs(rows).sum(axis=1)))]))))
    a = np.linalg.solve(rows, right)
    return Dyad((float(a[0]), float(a[1])), pair(b))


def _inverted(spin: Complexes, shift: Complexes, a: complex) -> Dyad:
    """The moving pivot for a fixed one: its bilinear forms are linear in b."""
    n = np.einsum("jkl,k->jl", forms(spin, shift), np.array([a.real, a.imag, 1.0]))
    scale = np.max(np.abs(n[:, :2]))
    if scale == 0.0 or abs(np.linalg.det(n[:, :2])) <= 1e-9 * scale**2:
        raise ModelError(
            f"no point of the body keeps its distance from the fixed pivot ({a.real:g}, {a.imag:g}); choose another one."
        )
    b = np.linalg.solve(n[:, :2], -n[:, 2])
    return Dyad(pair(a), (float(b[0]), float(b[1])))


def _link(a: complex, b: complex, spin: Complexes, shift: Complexes) -> Dyad:
    return Dyad(pair(a), pair(complex(spin[0] * b + shift[0])))


def _slides(spin: Complexes, shift: Complexes) -> list[Dyad]:
    """Dyads of five poses whose fixed pivot is at infinity: the moving one runs along a line."""
    out = []
    for a, b in projective_dyads(spin, shift):
        if abs(a[2]) <= 1e-9 and abs(b[2]) > 1e-9:
            start = complex(b[0], b[1]) / b[2] * spin[0] + shift[0]
            out.append(Dyad(None, pair(complex(start)), _undirected(math.atan2(a[0], -a[1]))))
    return out


def _undirected(direction: float) -> float:
    """A line has no sense: the direction that points to the right."""
    return math.remainder(direction, math.pi)


def track_of(dyad: Dyad, spin: Complexes, shift: Complexes) -> Complexes:
    """Places of the moving pivot in all poses."""
    return np.asarray(spin * ((complex(*dyad.moving) - shift[0]) / spin[0]) + shift)


def _error(dyad: Dyad, spin: Complexes, shift: Complexes) -> float:
    """Required change of the length of the link [m], or distance to the line of the slide."""
    track = track_of(dyad, spin, shift)
    if dyad.fixed is None:
        return float(np.ptp((track * cmath.exp(-1j * (dyad.direction or 0.0))).imag))
    lengths = np.abs(track - complex(*dyad.fixed))
    return float(np.ptp(lengths)) if lengths[0] > 1e-9 * size_of(shift) else math.inf


@checked
@in_sentences
def burmester_curves(poses: Sequence[Sequence[float]], *, samples: int = 360) -> tuple[Floats, Floats]:
    """Circle points and centre points of four poses: where pivots of the body (in the first pose) and of the ground may lie.

    Args:
        poses: (x, y, angle) in four poses [m, m, rad].
        samples: How many turns of the link from the first pose to the second are tried.

    Returns:
        Two arrays of shape (count, 2) [m]; row k of one belongs to row k of the other.
    """
    spin, shift = read_poses(poses)
    counted(len(spin), "poses of Burmester curves", 4, 4)
    turns = np.linspace(0.0, math.tau, samples, endpoint=False)[1:]
    found = [_link(a, b, spin, shift) for beta in turns for a, b in four_pose_dyads(spin, shift, float(beta))]
    found = [each for each in found if is_met(each, spin, shift)]
    return np.array([each.moving for each in found]).reshape(-1, 2), np.array([each.fixed for each in found]).reshape(
        -1, 2
    )
