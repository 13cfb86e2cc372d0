"""Every registered primitive of space against independent derivatives and definitions at random states."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from plain_source import plain
from pytrammel.geometry.space_curves import helix
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import HAVE_JIT
from pytrammel.kernels.primitives import primitives
from pytrammel.kernels.primitives._curve import CURVE_SCRATCH
from pytrammel.model.spatial import SpatialModel
from pytrammel.model.spatial_registries import spatial_constraint_types, spatial_sample_arguments
from pytrammel.system.packing import Buffers

SPATIAL = {name: p for name, p in primitives().items() if p.spatial}
NAMES = sorted(SPATIAL)
SMOOTH = [n for n in NAMES if SPATIAL[n].smooth_in_complex]
POSITIONS = [n for n in NAMES if not SPATIAL[n].velocity_only]
SEEDS = range(4)  # primitives with a switch between body and global directions see both settings


# --- states: r and p of two bodies, r' and w' (body components), one extra coordinate, one turn counter ---------------


def product(p, q):
    """Product of Euler parameters, complex ones too."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def rotation(p):
    e0, e = p[0], p[1:]
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (2 * e0 * e0 - 1) * np.eye(3) + 2 * (np.outer(e, e) + e0 * skew)


class State:
    """Two bodies and a curve coordinate, moving without accelerations: r' and w' in body components stay what they are."""

    def __init__(self, r, p, v, w, u, ud, turns=0.0):
        self.r, self.p, self.v, self.w, self.u, self.ud, self.turns = r, p, v, w, u, ud, turns

    @classmethod
    def random(cls, seed):
        rng = np.random.default_rng(seed)
        p = rng.normal(size=(2, 4))
        p /= np.linalg.norm(p, axis=1)[:, None]
        return cls(
            rng.normal(size=(2, 3)),
            p,
            rng.normal(size=(2, 3)),
            rng.normal(size=(2, 3)),
            rng.uniform(1, 5),
            rng.normal(),
        )

    @property
    def velocities(self):
        """Columns: r', w' of each body, then the curve coordinate."""
        return np.concatenate([*(np.concatenate([self.v[k], self.w[k]]) for k in range(2)), [self.ud]])

    def moved(self, step, *, complex_step=False):
        """After a small motion, 13 columns: r + d, p turned by the rotation vector in body components."""
        r, p, u = self.r.astype(np.result_type(step)), self.p.astype(np.result_type(step)), self.u + step[12]
        for k in range(2):
            d = step[6 * k + 3 : 6 * k + 6]
            r[k] = r[k] + step[6 * k : 6 * k + 3]
            if complex_step:
                # p + 1/2 L' d; higher orders are lost anyway
                p[k] = p[k] + product(p[k], np.concatenate([[0.0], d / 2]))
            else:
                half = np.linalg.norm(d) / 2
                p[k] = product(p[k], np.concatenate([[math.cos(half)], np.sinc(half / math.pi) * d / 2]))
        return State(r, p, self.v, self.w, u, self.ud, self.turns)

    def buffer(self):
        kind = np.result_type(self.r, self.p, self.u)
        state = np.zeros(L.FIRST_BODY + 3 * L.SPACE_BODY_SIZE + L.EXTRA_SIZE + 1, dtype=kind)
        for k in range(2):
            at = body_place(k)
            A = rotation(self.p[k])
            state[at + L.R : at + L.R + 3] = self.r[k]
            state[at + L.E0 : at + L.E0 + 4] = self.p[k]
            state[at + L.ROT : at + L.ROT + 9] = A.ravel()
            state[at + L.RD : at + L.RD + 3] = self.v[k]
            state[at + L.WB : at + L.WB + 3] = self.w[k]
            state[at + L.WG : at + L.WG + 3] = A @ self.w[k]
        state[EXTRA], state[EXTRA + 1], state[COUNTER] = self.u, self.ud, self.turns
        return state


def body_place(k):
    return L.FIRST_BODY + L.SPACE_BODY_SIZE * (k + 1)


EXTRA = L.FIRST_BODY + 3 * L.SPACE_BODY_SIZE
COUNTER = EXTRA + L.EXTRA_SIZE


class Use:
    """A primitive with random constants, packed as lowering packs it."""

    def __init__(self, name, seed):
        self.primitive = primitive = SPATIAL[name]
        rng = np.random.default_rng(1000 + seed)
        data = rng.normal(size=primitive.n_data)
        if name in ("spin", "drift"):
            data[-1] = seed % 2  # in body components or global ones
        if name in ("sphere_slip", "disc_slip"):
            data[4:13] = np.linalg.qr(rng.normal(size=(3, 3)))[0].T.ravel()  # normal and tangents
        if name == "disc_slip":
            data[13:16] /= np.linalg.norm(data[13:16])
        self.data = data
        buffers = Buffers()
        floats = buffers.add_floats(data)
        ints = [floats, *(body_place(k) for k in range(primitive.n_bodies))]
        if primitive.n_extras:
            ints.append(EXTRA)
        if name == "axis_angle":
            ints.append(COUNTER)
        if primitive.n_tapes:
            ints += [buffers.add_tape(f, ("u",), CURVE_SCRATCH) for f in helix(0.7, 0.4).components]
        self.at = buffers.add_ints(ints)
        self.ints, self.floats = buffers.arrays()
        self.n_columns = 6 * primitive.n_bodies + primitive.n_extras

    def columns(self):
        """The columns of the state's 13 that the entries of one output belong to."""
        return [*range(6 * self.primitive.n_bodies), *([12] if self.primitive.n_extras else [])]

    def __call__(self, state, function=None):
        buffer = state.buffer()
        out = np.zeros(L.OUTPUT_SIZE * self.primitive.n_outputs, dtype=buffer.dtype)
        jac = np.zeros(self.n_columns * self.primitive.n_outputs, dtype=buffer.dtype)
        work = np.zeros(int(self.ints[L.N_WORK]), dtype=buffer.dtype)
        function = function or plain(self.primitive.element.python)
        function(self.ints, self.at, self.floats, buffer, out, 0, jac, 0, work)
        dense = np.zeros((self.primitive.n_outputs, 13), dtype=buffer.dtype)
        dense[:, self.columns()] = jac.reshape(self.primitive.n_outputs, -1)
        return out.reshape(-1, L.OUTPUT_SIZE), dense


def at_random(name, seed):
    use, state = Use(name, seed), State.random(seed)
    if name == "axis_angle":
        state.turns = 6 * math.pi + use(state)[0][0, L.VALUE]  # three turns on, so that no branch of atan2 is near
    return use, state


def difference(function, h):
    """Derivative by eighth-order central differences."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (function((k + 1) * h) - function(-(k + 1) * h)) for k, w in enumerate(weights)) / h


H = 1e-40  # complex step has no cancellation: any tiny step is exact to rounding
ROUNDING = 1e-12  # sums of some fifty products of numbers up to three or four
STEP = 0.01
# with h = 0.01 truncation is below 1e-14 times a ninth derivative, rounding is eps/h times the size: about 1e-13 times sizes of ten,
# and a near-singular random state (short distance, vector almost along the axis) multiplies them by some hundreds
BY_DIFFERENCES = 1e-9


@pytest.mark.parametrize("name", [n for n in SMOOTH if n in POSITIONS])
@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_agrees_with_complex_step(name, seed):
    use, state = at_random(name, seed)
    _, jac = use(state)
    for column in range(13):
        step = np.zeros(13, dtype=complex)
        step[column] = 1j * H
        shifted, _ = use(state.moved(step, complex_step=True))
        np.testing.assert_allclose(shifted[:, L.VALUE].imag / H, jac[:, column], rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("seed", SEEDS)
def test_quadratic_term_agrees_with_complex_step(name, seed):
    """It is the derivative of J v along the motion with r'' = 0 and w'' = 0 (body components)."""
    use, state = at_random(name, seed)
    out, _ = use(state)
    v = state.velocities
    _, jac = use(state.moved(1j * H * v, complex_step=True))
    np.testing.assert_allclose((jac @ v).imag / H, out[:, L.QUADRATIC], rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_and_quadratic_term_agree_with_differences(name, seed):
    """Differences of the value alone along a real motion: independent of the complex step and of the Jacobian."""
    use, state = at_random(name, seed)
    out, jac = use(state)
    value = lambda step: use(state.moved(step))[0][:, L.VALUE]  # noqa: E731
    for column in range(13):
        unit = np.eye(13)[column]
        np.testing.assert_allclose(difference(lambda e: value(e * unit), STEP), jac[:, column], atol=BY_DIFFERENCES)
    v = state.velocities
    rate = lambda t: difference(lambda e: value((t + e) * v), STEP)  # noqa: E731
    np.testing.assert_allclose(rate(0.0), jac @ v, atol=BY_DIFFERENCES)
    # differences of differences: rounding grows by another 1/h
    np.testing.assert_allclose(difference(rate, STEP), out[:, L.QUADRATIC], rtol=1e-8, atol=100 * BY_DIFFERENCES)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(POSITIONS)))
@pytest.mark.parametrize("seed", SEEDS)
def test_what_restrains_velocities_only_has_no_value_and_the_right_second_rate(name, seed):
    use, state = at_random(name, seed)
    out, _ = use(state)
    v = state.velocities
    rate = lambda t: use(state.moved(t * v))[1] @ v  # noqa: E731
    np.testing.assert_allclose(difference(rate, STEP), out[:, L.QUADRATIC], rtol=1e-10, atol=BY_DIFFERENCES)
    np.testing.assert_array_equal(out[:, L.VALUE], 0.0)


# --- rates of those that have no value, from their definitions --------------------------------------------------------


def point_velocity(state, k, point):
    """Velocity of body k's material at a place in space, by differences of the motion of that material point."""
    v = state.velocities
    local = rotation(state.p[k]).T @ (point - state.r[k])

    def place(t):
        moved = state.moved(t * v)
        return moved.r[k] + rotation(moved.p[k]) @ local

    return difference(place, STEP)


@pytest.mark.parametrize("seed", SEEDS)
def test_drift_is_the_velocity_of_a_point_along_a_direction(seed):
    use, state = at_random("drift", seed)
    A = rotation(state.p[0])
    direction = A @ use.data[3:6] if use.data[6] else use.data[3:6]
    expected = direction @ point_velocity(state, 0, state.r[0] + A @ use.data[:3])
    np.testing.assert_allclose(use(state)[1] @ state.velocities, expected, atol=BY_DIFFERENCES)


@pytest.mark.parametrize("seed", SEEDS)
def test_spin_is_a_component_of_the_angular_velocity(seed):
    use, state = at_random("spin", seed)
    omega = state.w[0] if use.data[3] else rotation(state.p[0]) @ state.w[0]
    np.testing.assert_allclose(use(state)[1] @ state.velocities, use.data[:3] @ omega, atol=ROUNDING)


@pytest.mark.parametrize("name", ["sphere_slip", "disc_slip"])
@pytest.mark.parametrize("seed", SEEDS)
def test_slip_is_the_relative_velocity_of_the_materials_at_the_lowest_point(name, seed):
    use, state = at_random(name, seed)
    A, B = (rotation(p) for p in state.p)
    radius, normal = use.data[3], B @ use.data[4:7]
    centre = state.r[0] + A @ use.data[:3]
    down = -normal
    if name == "disc_slip":
        axis = A @ use.data[13:16]
        down = np.cross(np.cross(axis, down), axis)  # within the disc
    contact = centre + radius * down / np.linalg.norm(down)
    slip = point_velocity(state, 0, contact) - point_velocity(state, 1, contact)
    expected = [slip @ (B @ use.data[7:10]), slip @ (B @ use.data[10:13])]
    np.testing.assert_allclose(use(state)[1] @ state.velocities, expected, atol=BY_DIFFERENCES)


# --- what the registry says of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_touched_lists_exactly_the_columns_that_can_be_nonzero(name):
    """Lowering leaves the others out; one listed in vain would only cost time."""
    primitive = SPATIAL[name]
    seen = np.zeros((primitive.n_outputs, 13), dtype=bool)
    for seed in range(6):
        use, state = at_random(name, seed)
        seen |= use(state)[1] != 0.0
    for output in range(primitive.n_outputs):
        for body in range(primitive.n_bodies):
            nonzero = tuple(np.flatnonzero(seen[output, 6 * body : 6 * body + 6]))
            assert nonzero == (tuple(range(6)) if primitive.touched is None else primitive.touched[output])


def compiled(primitive):
    """The machine code behind a primitive's address, as a function of arrays."""
    code = primitive.element.kernel.compile()
    if not HAVE_JIT:
        return code
    ints, floats = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_double)
    kinds = (ints, ctypes.c_int64, floats, floats, floats, ctypes.c_int64, floats, ctypes.c_int64, floats)
    call = ctypes.CFUNCTYPE(None, *kinds)(code.address)

    def function(*arguments):
        call(*(a.ctypes.data_as(k) if isinstance(a, np.ndarray) else a for a, k in zip(arguments, kinds, strict=True)))

    return function


@pytest.mark.parametrize("name", NAMES)
def test_compiled_primitive_gives_what_its_python_source_gives(name):
    for seed in SEEDS:
        use, state = at_random(name, seed)
        out, jac = use(state)
        machine_out, machine_jac = use(state, compiled(SPATIAL[name]))
        # the compiler may reorder nothing, but sin, cos and atan2 differ in the last digit between libraries
        np.testing.assert_allclose(machine_out, out, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(machine_jac, jac, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_no_primitive_of_space_depends_on_time_explicitly(name):
    use, state = at_random(name, 0)
    np.testing.assert_array_equal(use(state)[0][:, L.PARTIAL_T], 0.0)


def test_every_primitive_is_used_by_something_that_a_model_offers():
    """Joints' samples, bodies' measures and the model's own quantities: a primitive beyond those would be out of reach."""
    used = set()

    def note(quantity):
        used.add(quantity.primitive)
        # the description says what the kernel does
        assert quantity.rate_only == primitives()[quantity.primitive].velocity_only
        for inner in quantity.inputs.values():
            note(inner)

    for kind in spatial_constraint_types():
        model = SpatialModel("sample")
        bodies = [model.body(name, position=(0.3 * k, 0.1, 0.2 * k)) for k, name in enumerate("abc")]
        given = dict(spatial_sample_arguments(kind, *bodies))
        for key, value in given.items():
            if isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], dict):
                given[key] = getattr(model, value[1])(value[0], **value[2])
        constraint = getattr(model, kind)("sample", **given)
        for quantity in [*(b.quantity for b in constraint.blocks), *constraint.measures.values()]:
            note(quantity)
    a, b, _ = bodies
    offered = [
        model.distance(a, b),
        model.cosine(a, "x", b, "y"),
        model.relative_parameters(a, b),
        model.relative_parameter(a, b, 1),
    ]
    for quantity in [*a.measures.values(), *offered, model.angle_between(a, b, "z"), a.at(0, 0, 0).velocity_along("x")]:
        note(quantity)
    planar_ones = {"expression", "parameter"}  # these two serve both kinds of models
    assert used == set(SPATIAL) | planar_ones


# --- special positions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [0, 1, -5, 100])
@pytest.mark.parametrize("angle", [0.0, 1e-9, math.pi / 2, math.pi, -math.pi / 2, 3.0])
def test_angle_is_read_on_the_turn_of_its_counter_and_never_singular(turns, angle):
    use = Use("axis_angle", 0)
    use.floats[:9] = [1, 0, 0, 0, 1, 0, 1, 0, 0]
    state = State.random(0)
    about_z = np.array([math.cos(angle / 2), 0, 0, math.sin(angle / 2)])
    state.p[1] = product(state.p[0], about_z)
    for slip in (-3.0, 0.0, 3.0):  # the counter may lag behind by up to half a turn
        state.turns = angle + 2 * math.pi * turns + slip
        out, jac = use(state)
        # adding a hundred turns costs three digits of 1e-16
        assert abs(out[0, L.VALUE] - angle - 2 * math.pi * turns) < 1e-13 * (1 + abs(turns))
        # with a common axis the rate is the difference of the angular velocities along it, at any angle
        np.testing.assert_allclose(jac[0], [0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0], atol=1e-14)


def test_distance_of_coincident_points_follows_their_motion():
    """|d| has a corner there: the direction taken is that of the relative velocity (Haug 11.4.9), any one at rest."""
    use, state = Use("point_distance", 1), State.random(1)
    a = use.data[:3]
    # exact coincidence in floating point: unturned bodies at places that make the subtraction exact
    state.p[:] = [1, 0, 0, 0]
    state.r[0], state.r[1] = 0.0, 0.0
    use.floats[3:6] = a
    out, jac = use(state)
    assert out[0, L.VALUE] == 0.0
    speed = np.linalg.norm(state.v[0] + np.cross(state.w[0], a) - state.v[1] - np.cross(state.w[1], a))
    assert abs(jac[0] @ state.velocities - speed) < 1e-14 * (1 + speed)
    state.v[:], state.w[:] = 0.0, 0.0
    out, jac = use(state)
    assert np.isfinite(out).all() and np.isfinite(jac).all()
    assert abs(np.linalg.norm(jac[0, :3]) - 1.0) < 1e-15
