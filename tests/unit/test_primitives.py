"""Every registered primitive and constraint type against independent derivatives at random states."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.forces.force import force_sample, force_types
from pytrammel.joints.constraint import constraint_types, sample_arguments
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import HAVE_JIT, prepare
from pytrammel.kernels.primitives import primitives
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.system.lowering import lower, lower_measures
from pytrammel.testing.rows import along as along_motion
from pytrammel.testing.rows import check_rows, difference
from pytrammel.testing.samples import joint_types

SMOOTH = sorted(name for name, p in primitives().items() if p.smooth_in_complex and not p.spatial)
KINDS = sorted(constraint_types())


def random_use(primitive, rng):
    """Integers, constants and a random state for one use of a primitive that needs no tape."""
    n_bodies = 3 if primitive.n_bodies is None else primitive.n_bodies
    if primitive.n_data is None:
        data = np.concatenate(([n_bodies], rng.normal(size=3 * n_bodies)))
    else:
        data = rng.normal(size=primitive.n_data)
    bodies = [L.FIRST_BODY + L.BODY_SIZE * (k + 1) for k in range(n_bodies)]
    return np.array([0, *bodies], dtype=np.int64), data, n_bodies


def packed_state(n_bodies, q, v):
    """State buffer with complex entries allowed, so that derivatives can be taken by complex step."""
    state = np.zeros(L.FIRST_BODY + L.BODY_SIZE * (n_bodies + 1), dtype=np.result_type(q, v))
    state[L.FIRST_BODY + L.COS] = 1.0
    for k in range(n_bodies):
        at = L.FIRST_BODY + L.BODY_SIZE * (k + 1)
        state[at : at + 3] = q[3 * k : 3 * k + 3]
        state[at + L.COS], state[at + L.SIN] = np.cos(q[3 * k + 2]), np.sin(q[3 * k + 2])
        state[at + L.XD : at + L.XD + 3] = v[3 * k : 3 * k + 3]
    return state


def evaluate_python(primitive, ints, data, n_bodies, q, v):
    kind = np.result_type(q, v)
    out = np.zeros(L.OUTPUT_SIZE * primitive.n_outputs, dtype=kind)
    jac = np.zeros(3 * n_bodies * primitive.n_outputs, dtype=kind)
    primitive.element.python(ints, 0, data, packed_state(n_bodies, q, v), out, 0, jac, 0, np.zeros(8))
    return out.reshape(-1, L.OUTPUT_SIZE), jac.reshape(primitive.n_outputs, -1)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("seed", range(3))
def test_jacobian_and_quadratic_term_agree_with_complex_step(name, seed):
    rng = np.random.default_rng(seed)
    primitive = primitives()[name]
    ints, data, n_bodies = random_use(primitive, rng)
    q, v = rng.normal(size=(2, 3 * n_bodies))
    out, jac = evaluate_python(primitive, ints, data, n_bodies, q, v)
    h = 1e-40  # complex step has no cancellation: any tiny step is exact to rounding
    for column in range(3 * n_bodies):
        step = np.zeros(3 * n_bodies, dtype=complex)
        step[column] = 1j * h
        shifted, _ = evaluate_python(primitive, ints, data, n_bodies, q + step, v.astype(complex))
        np.testing.assert_allclose(shifted[:, L.VALUE].imag / h, jac[:, column], rtol=1e-13, atol=1e-13)
    # quadratic term: derivative of J v along v
    _, moved = evaluate_python(primitive, ints, data, n_bodies, q + 1j * h * v, v.astype(complex))
    np.testing.assert_allclose((moved @ v).imag / h, out[:, L.QUADRATIC], rtol=1e-12, atol=1e-12)


def test_every_primitive_is_used_by_some_sample():
    """So that the tests below, which go through the samples of the constraint types, reach every primitive."""
    used = set()
    for kind in KINDS:
        _, constraint = sample_model(kind, 0)
        for block in constraint.blocks:
            used.add(block.quantity.primitive)
            used.update(q.primitive for q in block.quantity.inputs.values())
        used.update(q.primitive for q in constraint.measures.values())
    for kind in force_types():
        model, bodies = three_bodies(0)
        used.update(q.primitive for q in force_of(model, kind, bodies).measures.values())
    # equations with rates restrain velocities: tests/physics/test_user_constraints.py has them in closed forms
    assert used | {"rate_expression"} == {name for name, p in primitives().items() if not p.spatial}


def three_bodies(seed):
    rng = np.random.default_rng(seed)
    model = tm.PlanarModel("sample")
    return model, [
        model.body(name, position=tuple(rng.normal(size=2)), angle=float(rng.uniform(-math.pi, math.pi)))
        for name in ("a", "b", "c")
    ]


def force_of(model, kind, bodies):
    """The sample of a force type; where it acts in a joint, that joint is made first."""
    given = force_sample(kind, *bodies)
    if isinstance(given.get("joint"), tuple):
        joint, arguments = given["joint"]
        given["joint"] = getattr(model, joint)("J", **arguments)
    return getattr(model, kind)("sample", **given)


def sample_model(kind, seed):
    model, bodies = three_bodies(seed)
    return model, getattr(model, kind)("sample", **sample_arguments(kind, *bodies))


@pytest.mark.parametrize("kind", [each for each in joint_types() if not each.space], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_rows_of_every_constraint_type_agree_with_differences(kind, seed):
    check_rows(kind, seed)


@pytest.mark.parametrize("name", SMOOTH)
def test_compiled_primitive_gives_what_its_python_source_gives(name):
    if not HAVE_JIT:
        return  # then they are the same function
    kinds = [k for k in KINDS if any(b.quantity.primitive == name for b in sample_model(k, 0)[1].blocks)]
    primitive = primitives()[name]
    for kind in kinds:
        model, constraint = sample_model(kind, 5)
        system = lower(model)
        prepare(["measures_run", *system.primitives])
        rng = np.random.default_rng(5)
        q, v = system.start, rng.normal(size=system.n_columns)
        values, _, _ = along_motion(system, 0.3, q, v, np.zeros_like(q))
        row = 0
        for block in constraint.blocks:
            if block.quantity.primitive == name:
                state = packed_state(3, q, v)
                at = [L.FIRST_BODY + L.BODY_SIZE * list(model.bodies).index(b) for b in block.quantity.bodies]
                out = np.zeros(L.OUTPUT_SIZE * primitive.n_outputs)
                jac = np.zeros(3 * len(at) * primitive.n_outputs)
                ints = np.array([0, *at], dtype=np.int64)
                primitive.element.python(ints, 0, np.array(block.quantity.data), state, out, 0, jac, 0, np.zeros(8))
                np.testing.assert_allclose(
                    values[row : row + primitive.n_outputs], out[:: L.OUTPUT_SIZE], rtol=1e-14, atol=1e-14
                )
            row += len(block.targets)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("closed", [True, False])
def test_gap_of_a_disc_and_a_curve_agrees_with_differences(closed, seed):
    """Over the curve and beyond its ends, where the end point is a corner."""
    rng = np.random.default_rng(seed)
    model, (a, b, _) = three_bodies(seed)
    curve = tm.curves.circle(0.8) if closed else tm.curves.analytic("u", "0.1*sin(2*u)", -0.4, 0.5)
    side, centre = "right" if closed else "left", b.at(*rng.normal(scale=0.2, size=2))
    force = model.contact_curve("sample", centre, a, curve=curve, radius=0.3, side=side, stiffness=1.0)
    system = lower_measures(model, list(force.measures.values()))
    prepare(["measures_run", "jacobian_run", *system.primitives])
    q, (v, accelerations) = system.start.copy(), rng.normal(size=(2, system.n_columns))
    h = 1e-3

    def along(e):
        return along_motion(system, 0.0, q + e * v + 0.5 * e * e * accelerations, v + e * accelerations, accelerations)

    value, rate, second = along(0.0)
    assert rate[0] == pytest.approx(difference(lambda e: along(e)[0][0], h), abs=1e-9)
    assert second[0] == pytest.approx(difference(lambda e: along(e)[1][0], h), abs=1e-7)
    # the value by sampling the curve as a polygon
    pose = lambda k: (q[3 * k : 3 * k + 2], q[3 * k + 2])  # noqa: E731
    (ra, pa), (rb, pb) = pose(0), pose(1)
    turn = lambda p, x: np.array([math.cos(p) * x[0] - math.sin(p) * x[1], math.sin(p) * x[0] + math.cos(p) * x[1]])  # noqa: E731
    centre = rb + turn(pb, force.uses[0].data[10:12])
    local = turn(-pa, centre - ra)
    points = np.asarray(curve.sample(200001))
    distances = np.linalg.norm(points - local, axis=1)
    inside = closed and np.linalg.norm(local) < 0.8
    if closed or centre_is_above(curve, local, points[int(np.argmin(distances))]):
        sign = -1.0 if inside else 1.0
        assert value[0] == pytest.approx(sign * distances.min() - 0.3, abs=1e-8)


def centre_is_above(curve, local, foot):
    return local[1] > foot[1]


@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("primitive", ["distance", "projection", "along", "linear"])
def test_drawn_values_are_those_of_the_drawing(primitive, case):
    """Points p of one body and q of another, of random coordinates each: d = p - q, and what is measured of it."""
    rng = np.random.default_rng(case)
    m = tm.PlanarModel("drawing")
    centres, angles, p, q, u = (rng.normal(size=shape) for shape in ((2, 2), 2, 2, 2, 2))
    for name, centre, angle in zip("ab", centres, angles, strict=True):
        m.body(name, position=centre, angle=angle)
    a, b = (np.array([[math.cos(x), -math.sin(x)], [math.sin(x), math.cos(x)]]) for x in angles)
    d, factors, roll = centres[0] + a @ p - centres[1] - b @ q, rng.normal(size=6), float(rng.normal())
    data, worth = {
        "distance": ((*p, *q), np.linalg.norm(d)),
        "projection": ((*p, *q, *u), u @ d),
        "along": ((*p, *q, *u, roll), (b @ u) @ d + roll * (angles[0] - angles[1])),
        "linear": ((2.0, *factors), factors @ [*centres[0], angles[0], *centres[1], angles[1]]),
    }[primitive]
    quantity = Quantity(primitive, ("a", "b"), tuple(map(float, data)), (LENGTH,), "what")
    assert m.drawn_value(quantity) == pytest.approx(worth, rel=1e-12)
