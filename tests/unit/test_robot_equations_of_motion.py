"""Actuators, tendons, springs and flags of MJCF against Lagrange's equations of the same arm, written with NumPy alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from test_robot_actuators import BALL, FEATURES, RADIANS, _named, arm
from test_robot_actuators import SUM as SUM_TEXT

import pytrammel as tm
from robot_compare import accelerations, moving
from robot_files import loaded, mjcf, saved, written

Array = np.ndarray
Q, V = np.array([0.37, -0.23, 0.04]), np.array([0.6, -0.8, 0.3])  # a [rad], b [rad], c [m] and rates
REFERENCE = np.array([0.1, 0.0, 0.0])  # values of the coordinates in the file's own pose
U = {"m1": 0.7, "m2": -0.45, "m3": 0.3, "m4": 0.9}
SUM = np.array([0.7, -1.2, 2.0])  # factors of the fixed tendon
STEP = 1e-30  # complex step: exact to rounding


def rotation(axis: tuple[float, ...], angle: complex) -> Array:
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def turned(x: float, y: float, z: float) -> Array:
    return rotation((1, 0, 0), x) @ rotation((0, 1, 0), y) @ rotation((0, 0, 1), z)


def frames(q: Array) -> dict[str, tuple[Array, Array]]:
    """Position and rotation of the bodies and sites of the arm."""
    r1 = rotation((0, 1, 0), q[0] - 0.1)
    r2 = r1 @ rotation((0, 0.6, 0.8), q[1])
    p1 = np.array([0, 0, 0.5])
    p2 = p1 + r1 @ [0.4, 0, 0]
    p3 = p2 + r2 @ np.array([0.3 + q[2], 0, 0])
    out = {"world": (np.zeros(3), np.eye(3)), "upper": (p1, r1), "fore": (p2, r2), "tip": (p3, r2)}
    sites = {
        "peg": ("world", (0.3, 0.1, 0.9), (0.3, 0.2, 0.1)), "u": ("upper", (0.15, 0.02, 0.03), (0.5, 0.1, 0)),
        "f": ("fore", (0.2, 0, 0.05), (0, 0.4, 0.2)), "t": ("tip", (0.02, 0.01, 0), (0.1, 0.2, 0.7)),
    }  # fmt: skip
    masses = {"Cupper": ("upper", (0.2, 0.01, 0)), "Cfore": ("fore", (0.15, 0, 0.02)), "Ctip": ("tip", (0, 0, 0.03))}
    for key, (body, place, angles) in sites.items():
        out[key] = out[body][0] + out[body][1] @ np.array(place), out[body][1] @ turned(*angles)
    for key, (body, place) in masses.items():
        out[key] = out[body][0] + out[body][1] @ np.array(place), out[body][1]
    return out


def slopes(of: Callable[[Array], Array], q: Array) -> Array:
    """Derivatives by the three coordinates, in the last axis."""
    return np.stack([np.imag(of(q + 1j * STEP * e)) / STEP for e in np.eye(3)], axis=-1)


def motion(frame: str, q: Array = Q) -> tuple[Array, Array]:
    """Velocity and angular velocity of a frame per rate of the coordinates."""
    turning = slopes(lambda x: frames(x)[frame][1], q)
    skew = np.einsum("ijk,lj->ilk", turning, np.real(frames(q)[frame][1]))
    return slopes(lambda x: frames(x)[frame][0], q), np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


def mass_matrix(q: Array = Q) -> Array:
    total = np.zeros((3, 3))
    inertias = {
        "Cupper": (1.5, (0.01, 0.03, 0.03)),
        "Cfore": (0.8, (0.004, 0.02, 0.02)),
        "Ctip": (0.3, (0.001, 0.001, 0.002)),
    }
    for frame, (mass, moments) in inertias.items():
        moved, spun = motion(frame, q)
        r = np.real(frames(q)[frame][1])
        total += mass * moved.T @ moved + spun.T @ r @ np.diag(moments) @ r.T @ spun
    return total


def stretched(law: Callable[[float, float], float], length: Callable[[Array], complex]) -> Array:
    """Efforts of a force along a length that depends on the coordinates."""
    slope = slopes(lambda q: np.asarray(length(q)), Q)
    return law(float(np.real(length(Q))), float(slope @ V)) * slope


def distance(one: str, two: str, q: Array) -> complex:
    way = frames(q)[one][0] - frames(q)[two][0]
    return np.sqrt((way * way).sum())


def path(q: Array) -> complex:
    """Length of the spatial tendon, whose second branch counts by half."""
    return distance("peg", "u", q) + distance("u", "f", q) + 0.5 * distance("u", "t", q)


def wrench(site: str, force: tuple[float, ...], torque: tuple[float, ...], axes: str) -> Array:
    moved, spun = motion(site)
    r = np.real(frames(Q)[axes][1])
    return moved.T @ r @ np.array(force) + spun.T @ r @ np.array(torque)


def along_peg(q: Array) -> complex:
    """Place of the site t along a direction of the site on the ground."""
    p, r = frames(np.zeros(3) + REFERENCE)["peg"]
    return (frames(q)["t"][0] - p) @ (r @ [1, -0.5, 0])


def moved_inertia(row: Array, rotors: Array | float = 0.0) -> float:
    """Inertia that an effort along a sum of coordinates moves in the file's own pose."""
    return 1.0 / float(row @ np.linalg.solve(mass_matrix(REFERENCE) + rotors, row))


A, B, C = np.eye(3)
u1, u2, u3, u4 = U.values()
qa, qb, qc = Q
va, vb, vc = V
L, DL = SUM @ Q, SUM @ V
clip = lambda x, low, high: min(max(x, low), high)  # noqa: E731
ROTOR = np.diag([0.0, 0.05 + 4 * 0.01, 0.0])
SPRING = np.array([0.0, 0.0, 0.0])  # coordinates at which springs are slack: springref=, not ref=


def servo(ratio: float, k: float, row: Array, u: float, rotors: Array | float = 0.0) -> Array:
    damping = 2 * ratio * np.sqrt(k * moved_inertia(row, rotors))
    return (k * (u - row @ Q) - damping * (row @ V)) * row


def timed(time: float, ratio: float, row: Array, rest: float) -> Array:
    moved = moved_inertia(row)
    return -(moved / (time * ratio) ** 2 * (row @ Q - rest) + 2 * moved / time * (row @ V)) * row


EFFORTS: dict[str, Callable[[], Array]] = {
    "motor": lambda: 3 * u1 * A - 2 * clip(u2, -0.2, 0.2) * C,
    "position": lambda: 0.5 * clip(20 * u1 - 20 * 0.5 * qa - 1.5 * 0.5 * va, -3, 2) * A,
    "velocity": lambda: 3 * 2 * (u1 - 3 * vb) * B,
    "damper": lambda: 2 * -3 * 2 * vb * clip(u1, 0, 2) * B,
    "affine": lambda: 1.5 * ((5 + 2 * 1.5 * qa - 1.5 * va) * u1 + 1 - 2 * 1.5 * qa - 0.5 * 1.5 * va) * A,
    "inheritrange": lambda: 2 * 30 * (clip(u1, 0.1 - 0.25, 0.1 + 0.25) - 2 * qb) * B,
    "inheritrange of a tendon": lambda: 30 * (clip(u1, 0.05 - 0.12, 0.05 + 0.12) - L) * SUM,
    "dampratio": lambda: servo(0.7, 30, 2 * A, u1) + servo(1.0, 9, C, u2),
    "dampratio of a tendon": lambda: servo(0.7, 30, 2 * SUM, u1),
    "dampratio with other rotors": lambda: servo(1.0, 30, A, u1, ROTOR) + (2 * u2 - 4 * 0.3 * vb) * B,
    "springdamper": lambda: timed(0.1, 0.5, B, 0.2) + timed(0.3, 1.5, A, 0.0),
    "actuatorfrcrange": lambda: clip(3 * u1 + 10 * (u2 - qb), -0.5, 0.8) * B + u3 * A,
    "actuatorfrcrange with a tendon": lambda: (
        4 * clip(u1, -2, 1) * np.array([0.7, 0, 2]) + clip(4 * clip(u1, -2, 1) * -1.2 + u2, -0.5, 0.8) * B
    ),
    "polynomials": lambda: -(
        (2 + 3 * (qb - 0.1) + 5 * (qb - 0.1) ** 2) * (qb - 0.1) + (0.2 + 0.3 * abs(vb) + 0.5 * vb**2) * vb
    ) * B,
    "fixed tendon": lambda: 2 * u1 * SUM,
    "servo on a fixed tendon": lambda: 1.5 * clip(8 * (u1 - 1.5 * L) - 0.3 * 1.5 * DL, -2, 2) * SUM,
    "spring along a fixed tendon": lambda: -(qb - 0.3) * B - (5 * (L - SUM @ [0, 0.3, 0]) + 0.4 * DL) * SUM,
    "spring with play": lambda: -(50 * (L - clip(L, -0.05, 0.1)) + 0.4 * DL) * SUM,
    "tendon with inertia": lambda: servo(1.0, 8, SUM, u1, 0.3 * np.outer(SUM, SUM)),
    "spatial tendon": lambda: stretched(lambda x, v: 2 * u1 - 20 * (x - float(np.real(path(SPRING)))) - 2 * v, path),
    "spatial tendon with slack": lambda: stretched(lambda x, v: -20 * (x - clip(x, 0.1, 0.9)), path),
    "servo on a strand": lambda: stretched(
        lambda x, v: 30 * (u1 - x) - v - 3 * (x - float(np.real(distance("peg", "t", SPRING)))), lambda q: distance("peg", "t", q)
    ),
    "jointinparent": lambda: 2 * u1 * B,
    "site of an arm": lambda: (
        u1 * wrench("f", (1, -2, 3), (0, 0.2, 0.1), "f") + u2 * wrench("t", (0, 0, 0), (0.3, 0, 0), "t")
    ),
    "site against another": lambda: stretched(lambda x, v: 30 * (u1 - x) - 2 * v, along_peg),
    "site with axes of another": lambda: u1 * wrench("t", (1, 2, -0.5), (0.1, 0.2, 0.3), "peg"),
    "no springs": lambda: -DL * SUM,
    "no dampers": lambda: -7 * (L - SUM @ SPRING) * SUM,
    "no actuators": lambda: np.zeros(3),
    "no limits of controls": lambda: u1 * A,
    "a group of actuators": lambda: u2 * B,
    "defaults of other kinds": lambda: (12 * (u1 - qa) - va) * A + (12 * (u2 - qb) - vb) * B + u3 * C,
}  # fmt: skip
LIMITED = SUM_TEXT.format('actuatorfrcrange="-0.5 0.5"')
OWN = {
    f"motors of gears {one} and {two} on a limited tendon": _named(
        arm(tendon=LIMITED, actuator=f'<motor tendon="s" gear="{one}"/><motor tendon="s" gear="{two}"/>')
    )
    for one, two in ((4, 4), (4, 2))
}
EFFORTS |= {
    "motors of gears 4 and 4 on a limited tendon": lambda: 4 * clip(u1 + u2, -0.5, 0.5) * SUM,
    "motors of gears 4 and 2 on a limited tendon": lambda: (4 * clip(u1, -0.5, 0.5) + 2 * clip(u2, -0.5, 0.5)) * SUM,
}
TEXTS = FEATURES | OWN
INERTIAS = {"dampratio with other rotors": ROTOR, "tendon with inertia": 0.3 * np.outer(SUM, SUM)}


def model(folder: Path, text: str, pose: dict[str, tuple[float, ...]]) -> tuple[tm.SpatialModel, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)
        robot = tm.read_robot(written(folder, text, "robot.xml"))
        controls = {name: U[name] for name in robot.actuators}
        return robot.model(pose=pose, friction=False, controls=controls), robot


def answer(folder: Path, text: str) -> Array:
    """Accelerations of the coordinates in the state Q, V, from the accelerations of the bodies."""
    return moved_by(*model(folder, text, dict(zip("abc", [(x,) for x in Q], strict=True))))


def moved_by(m: tm.SpatialModel, robot: object) -> Array:
    found = accelerations(m, moving(m, robot, dict(zip("abc", V, strict=True))))
    (_, _, one), (p, at, two), (end, over, _) = found["upper"], found["fore"], found["tip"]
    spin, axis, slide = (
        motion("fore")[1] @ V,
        np.real(frames(Q)["fore"][1]) @ [0, 0.6, 0.8],
        np.real(frames(Q)["tip"][1])[:, 0],
    )
    way = end - p
    sliding = over - at - np.cross(two, way) - np.cross(spin, np.cross(spin, way)) - 2 * vc * np.cross(spin, slide)
    return np.array([one[1], (two - one) @ axis, sliding @ slide])


@cache
def plain(folder: Path) -> Array:
    return answer(folder, arm())


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Array:
    return plain(tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize("name", EFFORTS)
def test_a_feature_acts_by_lagranges_equations(tmp_path: Path, bare: Array, name: str) -> None:
    """The feature adds its efforts: M' a' with it is M a without it plus the efforts (1e-9 of the largest)."""
    expected = mass_matrix() @ bare + EFFORTS[name]()
    found = (mass_matrix() + INERTIAS.get(name, 0.0)) @ answer(tmp_path, TEXTS[name])
    assert found == pytest.approx(expected, abs=1e-9 * (1 + abs(expected).max()))


@pytest.mark.parametrize("name", [key for key in EFFORTS if key in FEATURES and key != "a group of actuators"])
def test_a_written_feature_acts_alike(tmp_path: Path, name: str) -> None:
    """The file written of the robot, and the file written of its model, move as the original."""
    expected = answer(tmp_path, FEATURES[name])
    first = saved(tm.read_robot(tmp_path / "robot.xml"), tmp_path / "first.xml")
    second = saved(loaded(tmp_path, FEATURES[name], "robot.xml", merge_fixed=False), tmp_path / "second.xml")
    for path in (first, second):
        assert answer(tmp_path, path.read_text(encoding="utf-8")) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_weightlessness_leaves_the_inertia_forces(tmp_path: Path, bare: Array) -> None:
    """Gravity is the difference, with the efforts of three weights."""
    weights = -9.81 * sum(m * motion(c)[0][2] for c, m in (("Cupper", 1.5), ("Cfore", 0.8), ("Ctip", 0.3)))
    found = mass_matrix() @ (bare - answer(tmp_path, FEATURES["no gravity"]))
    assert found == pytest.approx(weights + [-u1, 0, 0], abs=1e-9)


# --- balls and bodies that float, at rest: the equations of Euler and Newton ---

DRONE = np.diag([0.01, 0.02, 0.025])  # about the centroid [kg m²]
CENTROID = np.array([0.01, 0.02, 0.0])


def drone(force: Array, torque: Array) -> tuple[Array, Array]:
    """Acceleration of the origin and angular acceleration of the resting drone of 0.9 kg by a wrench at its origin."""
    turning = np.linalg.solve(DRONE, torque - np.cross(CENTROID, force))
    return np.array(force) / 0.9 - np.cross(turning, CENTROID), turning


def rotor(force: tuple[float, ...], torque: tuple[float, ...]) -> tuple[Array, Array]:
    tilt = turned(0.2, 0, 0)
    f = tilt @ np.array(force)
    return f, tilt @ np.array(torque) + np.cross([0.2, 0.1, 0], f)


def added(*wrenches: tuple[Array, Array]) -> tuple[Array, Array]:
    return sum(np.array(f) for f, _ in wrenches), sum(np.array(t) for _, t in wrenches)  # type: ignore[return-value]


def euler(*parameters: float) -> Array:
    return np.asarray(tm.rotations.matrix(np.array(parameters) / np.linalg.norm(parameters)))


@pytest.mark.parametrize("name", ["motors of a free body", "site"])
def test_a_resting_drone_moves_by_newton_and_euler(tmp_path: Path, name: str) -> None:
    """Global forces of a free joint, torques in the axes of the body or of the parent, and wrenches of a tilted rotor."""
    quaternion = (0.5, -0.3, 0.2, 0.7)
    turn = euler(*quaternion)
    given = {
        "motors of a free body": lambda: added(
            (u1 * turn.T @ [1, 2, 3], u1 * np.array([0.1, 0.2, 0.3])),
            (u2 * turn.T @ [0, 1, 0], u2 * turn.T @ [0.1, -0.2, 0]),
        ),
        "site": lambda: tuple(u1 * part for part in rotor((0, 0, 5), (0.1, 0, -0.2))),
    }[name]()
    force, torque = given[0] + 0.9 * turn.T @ [0, 0, -9.81], given[1] + np.cross(CENTROID, 0.9 * turn.T @ [0, 0, -9.81])
    text = FEATURES[name]
    unit = np.array(quaternion) / np.linalg.norm(quaternion)
    m, _ = model(tmp_path, text, {"free": (2.0, 0.0, 1.0, *unit)})
    _, pushed, spun = accelerations(m, {})["drone"]
    moved, turning = drone(force, torque)
    assert turn.T @ spun == pytest.approx(turning, rel=1e-9, abs=1e-9)
    assert turn.T @ pushed == pytest.approx(moved, rel=1e-9, abs=1e-9)


def crossing(a: Array) -> Array:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def test_a_ratio_of_damping_counts_the_free_base(tmp_path: Path) -> None:
    """The drone gives way when its fin is turned: the inertia is 1 / (M⁻¹)₇₇ of velocity, turning and hinge."""
    hinge = np.array([1.0, 0, 0])
    total = np.zeros((7, 7))
    for mass, centroid, moments, moves in (
        (0.9, CENTROID, np.diag(DRONE), 0.0), (0.3, np.array([0, 0.2, 0]), (0.01, 0.002, 0.01), 1.0)
    ):  # fmt: skip
        moved = np.column_stack([np.eye(3), -crossing(centroid), moves * np.cross(hinge, centroid)])
        spun = np.column_stack([np.zeros((3, 3)), np.eye(3), moves * hinge])
        total += mass * moved.T @ moved + spun.T @ np.diag(moments) @ spun
    robot = tm.read_robot(written(tmp_path, FEATURES["dampratio on a free base"], "robot.xml"))
    expected = -2 * 0.5 * np.sqrt(4 / np.linalg.inv(total)[6, 6])
    assert robot.actuators["m1"].bias[2] == pytest.approx(expected, rel=1e-12)


TURNS = {"ball": (0.2, -0.1, 0.3, 0.8), "inner": (-0.3, 0.25, 0.1, 0.9)}
RATES = {"bob": (0.4, -0.3, 0.6), "leaf": (-0.2, 0.5, 0.1)}  # angular velocities in the bodies' axes


def two_balls(one: Array, two: Array) -> Array:
    """Mass matrix of the two bodies on balls, for their angular velocities in global axes."""
    bob = np.hstack([-crossing(one @ [0, 0.05, -0.2]), np.zeros((3, 3))])
    leaf = np.hstack([-crossing(one @ [0, 0, -0.3]), -crossing(two @ [0.05, 0, 0])])
    spun = [one @ np.diag([0.01, 0.02, 0.015]) @ one.T, two @ np.diag([0.002, 0.002, 0.003]) @ two.T]
    return (
        0.7 * bob.T @ bob
        + 0.2 * leaf.T @ leaf
        + np.kron([[1, 0], [0, 0]], spun[0])
        + np.kron([[0, 0], [0, 1]], spun[1])
    )


@pytest.mark.parametrize("name", ["motors of a ball", "springdamper of a ball", "spring"])
def test_efforts_at_balls_act_between_their_bodies(tmp_path: Path, name: str) -> None:
    """The efforts are what changes against the same bodies without them; springs follow the rotation vector."""
    turn = {key: euler(*parts) for key, parts in TURNS.items()}
    one, two = turn["ball"], turn["ball"] @ turn["inner"]
    loose = mjcf(BALL.replace('stiffness="3" damping="0.2"', ""), RADIANS)
    text = FEATURES.get(name, mjcf(BALL, RADIANS))
    pose = {key: tuple(np.array(parts) / np.linalg.norm(parts)) for key, parts in TURNS.items()}
    rates = {f"{body}.r{axis}.rate": w for body, parts in RATES.items() for axis, w in zip("xyz", parts, strict=True)}
    found = []
    for number, each in enumerate((loose, text)):
        (tmp_path / str(number)).mkdir()
        states = accelerations(model(tmp_path / str(number), each, pose)[0], rates)
        found.append(np.concatenate([states["bob"][2], states["leaf"][2]]))
    mass, mass0 = two_balls(one, two), two_balls(np.eye(3), np.eye(3))
    # between ball and bob in the axes of the file's pose: the leaf turns with the bob where only the outer ball turns
    both = np.kron([[1, 0], [1, 1]], np.eye(3))
    moved = 3.0 / np.trace(np.linalg.inv(both.T @ mass0 @ both)[:3, :3])
    stiffness, damping = (moved / (0.2 * 0.6) ** 2, 2 * moved / 0.2) if name == "springdamper of a ball" else (3.0, 0.2)
    w, *v = pose["ball"]  # scalar first
    angle = 2 * np.arctan2(np.linalg.norm(v), w) * np.array(v) / np.linalg.norm(v)
    spring = -stiffness * one @ angle - damping * one @ RATES["bob"]
    outer, inner = spring, np.zeros(3)
    if name == "motors of a ball":
        outer = spring + u1 * one @ [0.3, -0.2, 0.5] + u4 * np.array([0.1, 0, 0.3])
        inner = u2 * one @ [0.1, 0.2, -0.05] + u3 * two @ [0.05, 0, 0.02]
    efforts = np.concatenate([outer - inner, inner])
    assert mass @ (found[1] - found[0]) == pytest.approx(efforts, rel=1e-9, abs=1e-9)
