"""Rotations in space: properties of all of them, particular cases, stacks, and every sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from pytrammel import rotations as rot
from pytrammel.errors import ModelError
from rotation_states import I3, ROUNDING, States, T, close, same_orientation


@pytest.fixture(scope="module")
def s():
    return States(1)


# --- properties ---

# the same examples every time, and no clock: machines differ
steady = settings(deadline=None, derandomize=True)

unit = st.floats(-1, 1)
vectors = arrays(float, 3, elements=unit).filter(lambda v: np.linalg.norm(v) > 1e-3)
quaternions = arrays(float, 4, elements=unit).filter(lambda v: np.linalg.norm(v) > 1e-2)
places = arrays(float, 3, elements=st.floats(-10, 10))
# all sizes of angle, also close to zero and to a half-turn; below 1e-290, products run out of digits
turns = st.one_of(
    st.floats(0, math.pi).map(lambda x: x if x > 1e-290 else 0.0),
    st.floats(-16, 0).map(lambda x: 10**x),
    st.floats(-16, 0).map(lambda x: math.pi - 10**x),
)


@steady
@given(quaternions)
def test_matrix_and_parameters_are_inverse(raw):
    p = rot.normalised(raw)
    close(rot.parameters(rot.matrix(p), previous=p), p)
    again = rot.parameters(rot.matrix(p))
    assert again[0] >= 0
    same_orientation(again, p)
    close(rot.matrix(p), Rotation.from_quat(p, scalar_first=True).as_matrix())


@steady
@given(vectors, turns)
def test_exp_and_log_are_inverse(axis, angle):
    v = angle * axis / np.linalg.norm(axis)
    p = rot.exp(v)
    close(p @ p, 1)
    # at pi itself, rounding may put e0 below zero and the vector on the other side
    back = rot.log(p)
    assert np.abs(back - v).max() < ROUNDING or (angle > math.pi - 1e-14 and np.abs(back + v).max() < ROUNDING)
    close(p, Rotation.from_rotvec(v).as_quat(scalar_first=True))
    close(p, rot.from_axis_angle(axis, angle))
    # small vectors keep their relative accuracy
    assert np.abs(np.abs(back) - np.abs(v)).max() <= 1e-14 * angle


@steady
@given(vectors, st.floats(math.pi + 1e-9, 2 * math.pi))
def test_log_goes_the_short_way(axis, angle):
    u = axis / np.linalg.norm(axis)
    close(rot.log(rot.exp(angle * u)), (angle - 2 * math.pi) * u, 1e-12)


@steady
@given(vectors, turns)
def test_axis_and_angle_come_back(axis, angle):
    u, back = rot.axis_angle(rot.from_axis_angle(axis, angle))
    close(back, angle)
    close(np.linalg.norm(u), 1)
    wanted = axis / np.linalg.norm(axis)
    if angle > math.pi - 1e-14 and u @ wanted < 0:  # rounding of a half-turn
        u = -u
    close(u, wanted if angle > 0 else [1, 0, 0])


@steady
@given(vectors, vectors, st.floats(-10, 10))
def test_rotate_is_what_the_matrix_does(s_body, axis, angle):
    close(rot.rotate(s_body, axis, angle), rot.matrix(rot.from_axis_angle(axis, angle)) @ s_body)


@steady
@given(places, quaternions, places, vectors, turns)
def test_screw_carries_one_pose_to_the_other(r0, raw, r1, axis, angle):
    p0 = rot.normalised(raw)
    p1 = rot.product(rot.from_axis_angle(axis, angle), p0)
    screw = rot.screw_between(r0, p0, r1, p1)
    r, p = rot.screw_displacement(screw, r0, p0)
    close(r, r1, 1e-12)  # positions up to 17 m
    same_orientation(p, p1, 2e-12)  # turns below 1e-12 rad count as none
    close(np.linalg.norm(screw.direction), 1)
    # two halves make the whole
    r, p = rot.screw_displacement(screw, *rot.screw_displacement(screw, r0, p0, fraction=0.5), fraction=0.5)
    close(r, r1, 1e-12)
    same_orientation(p, p1, 2e-12)


@steady
@given(places, quaternions, vectors, places, st.floats(1e-3, math.pi - 1e-3), st.floats(-5, 5))
def test_screw_is_found_again(r0, raw, axis, through, angle, translation):
    p0, u = rot.normalised(raw), axis / np.linalg.norm(axis)
    made = rot.Screw(u, through, angle, translation)
    found = rot.screw_between(r0, p0, *rot.screw_displacement(made, r0, p0))
    # directions are known to rounding over the angle, and act on arms and shifts of up to 40 m
    slack = 1e-13 / angle
    close(found.angle, angle)
    close(found.direction, u, slack)
    close(found.translation, translation, 40 * slack)
    close(np.cross(found.point - through, u), 0, 100 * slack / angle)
    close((found.point - r0) @ found.direction, 0, 1e-10 / angle)
    close(found.pitch, translation / angle, 40 * slack / angle)


# --- particular cases ---


def test_a_screw_by_hand():
    # a quarter turn about the line x = 1 (parallel to z) carries the origin to (1, -1); it rises by 3
    half = math.sqrt(0.5)
    screw = rot.screw_between([0, 0, 0], [1, 0, 0, 0], [1, -1, 3], [half, 0, 0, half])
    close(screw.direction, [0, 0, 1])
    close(screw.point, [1, 0, 0])
    close(screw.angle, math.pi / 2)
    close(screw.translation, 3)
    close(screw.pitch, 6 / math.pi)


def test_pure_translation_and_no_motion_are_screws():
    p = rot.normalised([1, 2, 3, 4])
    slide = rot.screw_between([1, 0, 0], p, [1, 3, 4], -p)
    assert slide.angle == 0
    assert slide.pitch == math.inf
    close(slide.translation, 5)  # 3-4-5
    close(slide.direction, [0, 0.6, 0.8])
    close(slide.point, [1, 0, 0], 0)
    still = rot.screw_between([1, 0, 0], p, [1, 0, 0], p)
    assert (still.angle, still.translation, still.pitch) == (0, 0, 0)
    close(still.direction, [1, 0, 0], 0)


def test_a_stack_of_screws_may_mix_all_kinds():
    half = math.sqrt(0.5)
    one = [1.0, 0, 0, 0]
    screws = rot.screw_between([0, 0, 0], one, [[1, -1, 3], [0, 2, 0], [0, 0, 0]], [[half, 0, 0, half], one, one])
    close(screws.angle, [math.pi / 2, 0, 0])
    close(screws.translation, [3, 2, 0])
    assert screws.pitch.tolist() == pytest.approx([6 / math.pi, math.inf, 0])


def test_tiny_and_vanishing_rotations_have_an_axis():
    for p in ([1, 0, 0, 0], [-2, 0, 0, 0]):
        axis, angle = rot.axis_angle(p)
        assert axis.tolist() == [1, 0, 0]
        assert angle == 0
        assert rot.log(p).tolist() == [0, 0, 0]
    axis, angle = rot.axis_angle([1, 0, 3e-200, 4e-200])
    close(axis, [0, 0.6, 0.8])
    assert angle == pytest.approx(1e-199)
    assert rot.log([1, 0, 3e-200, 0]) == pytest.approx([0, 6e-200, 0])
    assert rot.exp([0, 0, 6e-200])[3] == pytest.approx(3e-200)
    close(rot.from_axis_angle([0, 1e-300, 0], math.pi), [0, 0, 1, 0])


def test_parameters_follow_the_previous_ones_through_whole_turns():
    p = np.array([1.0, 0, 0, 0])
    for angle in np.linspace(0, 4 * math.pi, 41):
        p = rot.parameters(rot.matrix(rot.from_axis_angle([1, 2, 2], angle)), previous=p)
        close(p, rot.from_axis_angle([1, 2, 2], angle))


@pytest.mark.parametrize("first", ["xi", "eta", "zeta"])
def test_axes_of_a_frame_build_it_again(s, first):
    columns = dict(zip(("xi", "eta", "zeta"), np.moveaxis(s.A, -1, 0), strict=True))
    del columns[first]
    (kept, a), (bent, b) = columns.items()
    # a part along the kept axis is taken out
    close(rot.from_axes(**{kept: 3 * a, bent: 2 * b + 0.3 * a}), s.A)
    close(rot.from_axes(**columns, tolerance=1e-12), s.A)


def test_nearest_rotation_is_nearer_than_its_neighbours(s):
    rng = np.random.default_rng(3)
    measured = 1.1 * s.A + 0.05 * rng.uniform(-1, 1, s.A.shape)
    nearest = rot.nearest_rotation(measured)
    rot.check_rotation(nearest, "nearest")
    # stationary: A^T M is symmetric; smallest: it is positive definite (polar decomposition)
    stretch = T(nearest) @ measured
    close(stretch, T(stretch))
    assert np.linalg.eigvalsh(stretch).min() > 0
    close(rot.nearest_rotation(s.A), s.A)


# --- one item or many ---

ONE_OR_MANY = {
    "skew": (rot.skew, "a"),
    "unskew": (lambda a: rot.unskew(rot.skew(a)), "a"),
    "G": (rot.G, "p"),
    "L": (rot.L, "p"),
    "plus": (rot.plus, "a"),
    "minus": (rot.minus, "a"),
    "matrix": (rot.matrix, "p"),
    "parameters": (rot.parameters, "A"),
    "parameters previous": (rot.parameters, "Ap"),
    "conjugate": (rot.conjugate, "p"),
    "formulation I": (lambda p, J: rot.formulation_i_matrix(p, J) + rot.formulation_i_inverse(p, J), "pJ"),
    "formulation II": (lambda p, J: rot.formulation_ii_matrix(p, J) + rot.formulation_ii_inverse(p, J), "pJ"),
    "product": (rot.product, "pp"),
    "normalised": (rot.normalised, "p"),
    "corrected_rate": (rot.corrected_rate, "pp"),
    "semi_rotating": (rot.semi_rotating, "pa"),
    "from_axis_angle": (rot.from_axis_angle, "ax"),
    "axis": (lambda p: rot.axis_angle(p)[0], "p"),
    "angle": (lambda p: rot.axis_angle(p)[1], "p"),
    "exp": (rot.exp, "a"),
    "log": (rot.log, "p"),
    "rotate": (rot.rotate, "aax"),
    "from_angles": (lambda a: rot.from_angles(a, "yzx"), "a"),
    "angles": (lambda p: rot.angles(p, "yzy").values, "p"),
    "rate_matrix": (lambda a: rot.rate_matrix(a, "zxy", frame="global"), "a"),
    "omega from rates": (lambda a, b: rot.angular_velocity_from_rates(a, b, "zxy"), "aa"),
    "rates from omega": (lambda a, b: rot.rates_from_angular_velocity(a, b, "zxy", fixed=True), "aa"),
    "angular_velocity": (rot.angular_velocity, "pp"),
    "angular_acceleration": (rot.angular_acceleration, "pp"),
    "parameter_rate": (rot.parameter_rate, "pa"),
    "parameter_acceleration": (rot.parameter_acceleration, "paa"),
    "relative": (rot.relative, "pp"),
    "from_relative": (rot.from_relative, "pp"),
    "relative_axis": (lambda p, q: rot.relative_axis(p, q, frame="global")[0], "pp"),
    "intermediate_axis": (lambda p, q: rot.intermediate_axis(p, q)[1], "pp"),
    "between": (rot.between, "ppx"),
    "from_points": (rot.from_points, "aaa"),
    "from_axes": (lambda a, b: rot.from_axes(eta=a, zeta=b), "aa"),
    "from_axis_and_plane": (rot.from_axis_and_plane, "aa"),
    "nearest_rotation": (rot.nearest_rotation, "A"),
    "check_rotation": (lambda A: rot.check_rotation(A, "it"), "A"),
    "screw point": (lambda *x: rot.screw_between(*x).point, "apap"),
    "screw pitch": (lambda *x: rot.screw_between(*x).pitch, "apap"),
    "screw moves": (lambda *x: rot.screw_displacement(rot.screw_between(*x), x[0], x[1], fraction=0.3)[0], "apap"),
}


def stack_of(kind, shape, rng):
    """Random arguments: vectors a, unit Euler parameters p, rotation matrices A, inertia matrices J and numbers x."""
    x = rng.uniform(-1, 1, (*shape, *{"a": (3,), "x": (), "J": (3,)}.get(kind, (4,))))
    if kind in "aJx":
        return np.eye(3) + x[..., :, None] * x[..., None, :] if kind == "J" else x
    return rot.matrix(rot.normalised(x)) if kind == "A" else rot.normalised(x)


@pytest.mark.parametrize("name", ONE_OR_MANY)
def test_a_stack_is_one_after_the_other(name):
    function, kinds = ONE_OR_MANY[name]
    rng = np.random.default_rng(5)
    given_ = [stack_of(kind, (2, 3), rng) for kind in kinds]
    many = function(*given_)
    for at in np.ndindex(2, 3):
        close(many[at], function(*(x[at] for x in given_)), 1e-12)
    # a single first argument goes with a stack of the others
    if len(kinds) > 1:
        mixed = function(given_[0][0, 0], *given_[1:])
        close(mixed[1, 2], function(given_[0][0, 0], *(x[1, 2] for x in given_[1:])), 1e-12)


@pytest.mark.parametrize("name", [name for name, (_, kinds) in ONE_OR_MANY.items() if len(kinds) > 1])
def test_stacks_of_two_sizes_are_rejected_by_every_function(name):
    function, kinds = ONE_OR_MANY[name]
    rng = np.random.default_rng(6)
    for odd in range(len(kinds)):
        given_ = [stack_of(kind, (2,) if k == odd else (3,), rng) for k, kind in enumerate(kinds)]
        with pytest.raises(ModelError, match=r"stacks do not go together: .*\(2,\)"):
            function(*given_)


def test_every_public_function_is_in_the_stack_test():
    names = {name for function, _ in ONE_OR_MANY.values() for name in (function.__name__, *function.__code__.co_names)}
    assert set(rot.__all__) <= names | {"Screw", "AngleSet"}


# --- sentences ---

MIRROR = np.diag([1.0, 1.0, -1.0])
COMPLAINTS = [
    (lambda: rot.skew([1, 2]), r"vector: the shape is \(2,\), but 3 components are needed"),
    (lambda: rot.skew("abc"), "vector must be real numbers, but 'abc' is given"),
    (lambda: rot.skew([1j, 0, 0]), "must be real numbers"),
    (lambda: rot.skew([[1, 2, 3], [1, 2]]), "must be real numbers"),
    (lambda: rot.unskew([1, 2, 3]), r"skew matrix: the shape is \(3,\), but a matrix of three rows"),
    (lambda: rot.matrix(1.0), r"Euler parameters: the shape is \(\), but 4 components"),
    (lambda: rot.matrix([1, 0, math.nan, 0]), r"Euler parameters: nan is given at index \(2,\), but all entries"),
    (lambda: rot.from_axis_angle([0, 0, 1], math.inf), "angle: inf is given, but all entries must be finite"),
    (lambda: rot.from_axis_angle([0, 0, 0], 1.0), "axis is zero and has no direction. Give"),
    (lambda: rot.rotate([1, 2, 3], [[1, 0, 0], [0, 0, 0]], 1.0), "axis is zero"),
    (lambda: rot.normalised([0, 0, 0, 0]), r"Euler parameters are all zero.*Use \[1, 0, 0, 0\]"),
    (lambda: rot.product(np.ones((2, 4)), np.ones((3, 4))), r"stacks do not go together: .*p \(2,\), q \(3,\)"),
    (lambda: rot.angular_velocity(np.ones(4), np.ones(4), frame="local"), "frame is 'local', but must be 'body' or 'global'"),
    (lambda: rot.from_angles([1, 2, 3], "zxx"), "unknown sequence 'zxx': give three of the letters"),
    (lambda: rot.from_angles([1, 2, 3], "ZXZ"), "lower case.*fixed=True"),
    (lambda: rot.angles([1, 0, 0, 0], 313), "unknown sequence 313"),
    (lambda: rot.angles([1, 0, 0], "zxz"), "but 4 components are needed"),
    (lambda: rot.from_axes(xi=[1, 0, 0]), "exactly two of xi, eta and zeta, but xi given"),
    (lambda: rot.from_axes(xi=[1, 0, 0], zeta=[-2, 0, 0]), r"xi and zeta are parallel \(sine of the angle 0, limit 1e-08\).*Give"),
    (lambda: rot.from_axes(xi=[1, 0, 0], eta=[0, 0, 0]), "eta is zero"),
    (lambda: rot.from_axes(xi=[1, 0, 0], eta=[1, 1, 0], tolerance=0.01), r"the cosine of the angle is 0.707 \(limit 0.01\)"),
    (lambda: rot.from_axis_and_plane([1, 0, 0], [2, 0, 0]), "xi and vector in the plane are parallel"),
    (lambda: rot.from_points([0, 0, 0], [1, 1, 1], [0, 0, 0]), "line to the point on eta is zero"),
    # example 6.3: cos = -.0099/(3.183 * 2.481) = -.00125
    (lambda: rot.from_points([-0.10, 0.30, 0.25], [0.977, 1.665, 2.916], [-0.573, 2.539, -0.709], tolerance=1e-3), "is 0.00125"),
    (lambda: rot.check_rotation(1.1 * I3, "orientation of 'arm'"), r"'arm' is not a rotation: .* 0.21 \(limit 1e-08\).*nearest"),
    (lambda: rot.check_rotation(MIRROR, "orientation of 'arm'"), "'arm' is left-handed: its determinant is -1 and must be"),
    (lambda: rot.check_rotation([I3, MIRROR], "frames"), r"frames \(item 1\) is left-handed"),
    (lambda: rot.check_rotation([I3, I3, 2 * I3], "frames"), r"frames \(item 2\) is not a rotation: .* by 3 "),
    (lambda: rot.check_rotation(np.eye(2), "frame"), r"frame: the shape is \(2, 2\)"),
    (lambda: rot.parameters(1.1 * I3), r"matrix is not a rotation: .* by 0.21 \(limit 0.01\)"),
    (lambda: rot.parameters(MIRROR), "left-handed"),
    (lambda: rot.nearest_rotation(MIRROR), "left-handed"),
    (lambda: rot.nearest_rotation(np.ones((3, 3))), "its columns lie in a plane"),
    (lambda: rot.Screw([0, 0, 0], [0, 0, 0], 1.0, 0.0), "direction of the screw is zero"),
    (lambda: rot.between([1, 0, 0, 0], [1, 0, 0, 0], "half"), "fraction must be real numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), COMPLAINTS, ids=[c[1][:40] for c in COMPLAINTS])
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(ModelError, match=sentence):
        call()


def test_check_rotation_lets_rounding_pass(s):
    close(rot.check_rotation(s.A, "random"), s.A, 0)
