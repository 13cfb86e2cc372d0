"""Forces on particles by Attia's distribution parameters, matrices with cut joints, and bodies of more particles (Attia, §§ 2, 3, 5, 6)."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from formulation_models import TIGHT
from pytrammel.examples import find
from pytrammel.system.particles import BodyParticles, Inertia, equivalent

ROUNDING = 1e-11


def bodies_of_particles(seed, d, k):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(k, d))
    return BodyParticles("body", points, (), np.zeros(k)), rng


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("d", "k"), [(2, 3), (2, 5), (3, 4), (3, 7)])
def test_forces_on_particles_have_the_resultant_and_the_moment_of_the_force(seed, d, k):
    """Equations 3.1: sum f_i = f, sum s_i x f_i = s_P x f + couple; 3.2: parallel to the force without a couple."""
    body, rng = bodies_of_particles(seed, d, k)
    force, point = rng.normal(size=d), rng.normal(size=d)
    couple = rng.normal(size=1 if d == 2 else 3)
    shares = body.shares(point)
    assert shares.sum() == pytest.approx(1.0) and shares @ body.points == pytest.approx(point)
    np.testing.assert_allclose(body.forces(force, point, 0 * couple), np.outer(shares, force), rtol=0, atol=ROUNDING)
    found = body.forces(force, point, couple)
    np.testing.assert_allclose(found.sum(axis=0), force, rtol=0, atol=ROUNDING)
    turning = (
        np.cross(body.points, found) if d == 3 else body.points[:, 0] * found[:, 1] - body.points[:, 1] * found[:, 0]
    )
    own = np.cross(point, force) if d == 3 else point[0] * force[1] - point[1] * force[0]
    np.testing.assert_allclose(turning.sum(axis=0), own + (couple if d == 3 else couple[0]), rtol=0, atol=10 * ROUNDING)


def test_a_couple_acts_along_the_sides_of_the_triangle():
    """f1 along 1-2, f2 along 2-3, f3 along 3-1, all with the same factor (digest of Attia, C.2)."""
    body, _ = bodies_of_particles(5, 2, 3)
    found = body.forces(np.zeros(2), np.zeros(2), np.array([2.0]))
    r = body.points
    sides = np.array([r[1] - r[0], r[2] - r[1], r[0] - r[2]])
    factors = found / sides
    assert factors == pytest.approx(np.full((3, 2), factors[0, 0]))


def test_a_rod_carries_a_force_off_its_line_by_a_couple():
    body = BodyParticles("rod", np.array([[0.0, 0.0], [2.0, 0.0]]), ((0, 1),), np.zeros(3))
    found = body.forces(np.array([3.0, 0.0]), np.array([0.5, 0.4]), np.array([0.0]))
    # shares 0.75 and 0.25; the moment -1.2 by two forces 2 m apart
    assert found == pytest.approx(np.array([[2.25, 0.6], [0.75, -0.6]]))


def test_the_report_distributes_forces_on_a_body():
    m = loaded_plate()
    report = tm.textbook.particles(m, particles={"plate": [(0, 0), (1, 0), (0, 1)]})
    assert report.forces("plate", force=(0, -8.0), at=(0.25, 0.5)) == pytest.approx(
        np.array([[0, -2], [0, -2], [0, -4]])
    )
    assert report.forces("plate", couple=3.0).sum(axis=0) == pytest.approx(np.zeros(2))
    for arguments, text in (
        ({"body": "plat"}, "no body 'plat'"), ({"body": "plate", "force": (1, 2, 3)}, "force"),
        ({"body": "plate", "couple": (1, 2)}, "couple"), ({"body": "plate", "at": "x"}, "at"),
    ):  # fmt: skip
        with pytest.raises(tm.ModelError, match=text):
            report.forces(**arguments)


def loaded_plate():
    m = tm.PlanarModel("plate", gravity=(0, -9.81))
    m.body("plate", position=(0.2, 0.1), angle=0.3, mass=2.0, inertia=0.5, centroid=(0.3, 0.3), omega=1.5)
    m.force("push", m["plate"].at(0.25, 0.5), (3.0, -1.0))
    m.spring("s", m.ground.at(2.0, 1.0), m["plate"].at(0.9, 0.1), stiffness=40.0, free_length=0.5, damping=2.0)
    m.torque("twist", "plate", 0.7)
    return m


def loaded_solid():
    m = tm.SpatialModel("solid", gravity=(0, 0, -9.81))
    m.body("plate", position=(0.2, 0.1, 0.3), rotation=tm.rotations.from_angles((0.3, -0.2, 0.4), "xyz"), mass=2.0,
           inertia=(0.3, 0.4, 0.5), centroid=(0.1, 0.2, 0.15), omega=(0.5, -1.0, 2.0))  # fmt: skip
    m.spring(
        "s", m.ground.at(2.0, 1.0, 0.5), m["plate"].at(0.9, 0.1, -0.2), stiffness=40.0, free_length=0.5, damping=2.0
    )
    return m


PLANE = {"plate": [(0, 0), (1, 0), (0, 1)]}
SPACE = {"plate": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]}


@pytest.mark.parametrize(("build", "places"), [(loaded_plate, PLANE), (loaded_solid, SPACE)], ids=["plane", "space"])
def test_matrices_spread_every_force_from_its_own_point(build, places):
    m = build()
    found = m.matrices(formulation=tm.formulations.points(particles=places))
    d = m.space.dimension
    body = BodyParticles("plate", np.array(places["plate"], dtype=float), (), np.zeros(len(places["plate"])))
    A = np.array(m["plate"].matrix) if d == 3 else np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    expected = body.forces(2.0 * A.T @ np.array(m.gravity), np.array(m["plate"].centroid), np.zeros(1 if d == 2 else 3))
    ends = {2: ((2.0, 1.0), (0.9, 0.1)), 3: ((2.0, 1.0, 0.5), (0.9, 0.1, -0.2))}[d]
    r, v = np.array(m["plate"].position), m.terms().velocities.values
    arm = A @ ends[1]
    turn = v[:d] + (v[2] * np.array([-arm[1], arm[0]]) if d == 2 else np.cross(A @ v[3:], arm))
    way = np.array(ends[0]) - r - arm
    length = np.linalg.norm(way)
    pull = (40.0 * (length - 0.5) - 2.0 * (turn @ way / length)) * way / length
    expected = expected + body.forces(A.T @ pull, np.array(ends[1]), np.zeros(1 if d == 2 else 3))
    if d == 2:
        expected = expected + body.forces(A.T @ (3.0, -1.0), np.array([0.25, 0.5]), np.array([0.7]))
    np.testing.assert_allclose(found["f"].values, (expected @ A.T).ravel(), rtol=0, atol=1e-9)
    accelerations = m.matrices(formulation="cartesian").accelerations
    np.testing.assert_allclose(found.accelerations, accelerations, rtol=0, atol=1e-9)


def test_the_platform_has_attias_16_by_16_matrix_and_11_equations():
    """§ 7: particles 7 and 9 are cut, so that eight of nine move. The manual compares the solution."""
    m = find("planar_platform").build()
    found = m.matrices(formulation=tm.formulations.points(variables="joint", cut=["P7", "P9"]))
    assert [found[key].values.shape for key in ("M", "B", "C", "H")] == [(16, 16), (16, 7), (4, 7), (7, 7)]
    assert found.matrix.shape == (11, 11)
    M, B = found["M"].values, found["B"].values
    np.testing.assert_allclose(found["H"].values, B.T @ M @ B, rtol=0, atol=1e-13)
    assert M.sum() == pytest.approx(2 * (9.0 - 1 / 3 - 2 / 6), abs=1e-12)  # all but the particle on the ground


@pytest.mark.parametrize("where", ["plane", "space"])
def test_b_leads_from_joint_speeds_to_the_particles_of_a_moving_chain(where):
    m = chain(where)
    r = m.simulate(0.3, samples=3, **TIGHT)
    found = m.matrices(formulation=tm.formulations.points(variables="joint"), at=r)
    plain = m.matrices(formulation="points", at=r)
    rates = dict(zip(plain["x'"].rows, plain["x'"].values, strict=True))
    speeds = found["B"].values @ found["u"].values
    assert [rates[name] for name in found["B"].rows] == pytest.approx(list(speeds), abs=1e-9)
    np.testing.assert_allclose(found.accelerations, r.a[-1], rtol=0, atol=1e-8)
    np.testing.assert_allclose(plain.accelerations, r.a[-1], rtol=0, atol=1e-8)


def chain(where):
    if where == "plane":
        m = tm.PlanarModel("chain", gravity=(0, -9.81))
        for k in range(3):
            m.body(f"b{k}", position=(0.5 + k, 0.1 * k), mass=1.0 + k, inertia=0.1 + 0.05 * k)
            m.revolute(f"J{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(float(k), 0.1 * k))
    else:
        m = tm.SpatialModel("chain", gravity=(0, 0, -9.81))
        for k in range(3):
            m.body(f"b{k}", position=(0.5 + k, 0.1 * k, 0.0), mass=1.0 + k, inertia=(0.1, 0.12, 0.15))
            join = m.spherical if k == 1 else m.revolute
            axis = {} if k == 1 else {"axis": (0.2, 1.0, 0.3 * k)}
            join(f"J{k}", "ground" if k == 0 else f"b{k - 1}", f"b{k}", at=(float(k), 0.1 * k, 0.0), **axis)
    return m


# --- more particles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("d", "k"), [(2, 4), (2, 6), (3, 5), (3, 8)])
def test_more_particles_with_free_masses_have_the_inertia_of_the_body(seed, d, k):
    rng = np.random.default_rng(seed)
    cloud, masses = rng.normal(size=(20, d)), rng.uniform(0.1, 1.0, size=20)
    total, first, second = masses.sum(), masses @ cloud, np.einsum("i,ij,ik->jk", masses, cloud, cloud)
    inertia = Inertia(total, first / total, second)
    free = rng.permutation(k)[: k - d - 1]
    given = [float(rng.normal()) if i in free else None for i in range(k)]
    found = equivalent("body", rng.normal(size=(k, d)), inertia, given)
    for i in free:
        assert found.masses[i] == given[i]
    s, m = found.places, found.masses
    assert m.sum() == pytest.approx(total) and m @ s == pytest.approx(first, abs=1e-9)
    moments = np.einsum("i,ij,ik->jk", m, s, s)
    assert (np.trace(moments) if d == 2 else moments) == pytest.approx(np.trace(second) if d == 2 else second, abs=1e-8)
    assert len(found.held_pairs) == d * k - d * (d + 1) // 2  # as many distances as a rigid body needs


def plate_on_four_pins():
    """A plate with pins to four rods: all four particles can be common ones."""
    m = tm.PlanarModel("plate", gravity=(0, -9.81))
    m.body("plate", position=(0.0, 0.0), mass=3.0, inertia=0.8, centroid=(0.1, 0.05))
    for k, place in enumerate([(-1, 0), (1, 0), (0.8, 0.7), (-0.9, 0.6)]):
        end = (1.7 * place[0], place[1] - 0.6)
        m.body(f"rod{k}", position=((place[0] + end[0]) / 2, (place[1] + end[1]) / 2), mass=0.5, inertia=0.05)
        m.revolute(f"P{k}", "plate", f"rod{k}", at=place)
    m.revolute("O", "ground", "rod0", at=(-1.7, -0.6))
    m.revolute("Q", "ground", "rod1", at=(1.7, -0.6))
    return m


PINS = [(-1, 0), (1, 0), (0.8, 0.7), (-0.9, 0.6)]


@pytest.mark.parametrize("variables", ["particles", "joint"])
@pytest.mark.parametrize("masses", [None, {"plate": [None, None, None, 0.7]}, {"plate": [1.2, None, None, None]}])
def test_a_plate_of_five_particles_moves_as_the_body(masses, variables):
    m = plate_on_four_pins()
    formulation = tm.formulations.points(particles={"plate": PINS}, masses=masses, variables=variables)
    one, two = m.simulate(0.5, samples=5, **TIGHT), m.simulate(0.5, samples=5, formulation=formulation, **TIGHT)
    np.testing.assert_allclose(two.q, one.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(two.a, one.a, rtol=0, atol=1e-7)
    report = tm.textbook.particles(m, particles={"plate": PINS}, masses=masses)
    own = report.particles.bodies[0]
    assert len(own.masses) == 5 and {f"P{k}" for k in range(4)} <= set(report.particles.joints)
    if masses:
        assert [None if x is None else own.masses[k] for k, x in enumerate(masses["plate"])] == masses["plate"]


@pytest.mark.parametrize("variables", ["particles", "joint"])
def test_a_solid_of_more_particles_moves_as_the_body(variables):
    m = chain("space")
    points = [(-0.5, 0, 0), (0.5, 0.1, 0), (0, 0.4, 0.1), (0.1, 0, 0.5), (0.2, -0.3, 0.1), (-0.2, 0.1, -0.4)]
    masses = {"b1": [None, None, 0.3, None, None, -0.2]}
    formulation = tm.formulations.points(particles={"b1": points}, masses=masses, variables=variables)
    one, two = m.simulate(0.4, samples=3, **TIGHT), m.simulate(0.4, samples=3, formulation=formulation, **TIGHT)
    np.testing.assert_allclose(two.q, one.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(two.a, one.a, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("particles", "masses", "text"),
    [
        ({"plate": PINS}, {"plate": [None, None, None, None]}, r"give 4 entries, 1 of them numbers"),
        ({"plate": PINS}, {"plate": [0.1, 0.2, None, None]}, r"give 4 entries, 1 of them numbers"),
        ({"plate": PINS}, {"plate": [None, None, 0.1]}, r"give 4 entries"),
        ({"plate": PINS}, {"plate": [None, None, None, float("nan")]}, r"'plate'.*nan"),
        ({"plate": PINS}, {"plate": "heavy"}, r"'plate'.*'heavy'"),
        ({"plate": PINS}, {"rod0": [None, None]}, r"masses=.'rod0'.*particles=.'rod0'.*missing"),
        ({"plate": PINS}, 3.0, r"masses"),
        ({"plate": [*PINS, PINS[0]]}, None, r"particle 4 of body 'plate' is where another one is"),
        ({"plate": [(0, 0), (1, 1), (2, 2), (0, 1)]}, None, r"on one line"),
        ({"plate": [(np.cos(k), np.sin(k)) for k in range(9)]}, None, r"up to 8"),
    ],
)
def test_particles_that_make_no_body_are_rejected(particles, masses, text):
    with pytest.raises(tm.ModelError, match=text):
        tm.textbook.particles(plate_on_four_pins(), particles=particles, masses=masses)


def test_masses_without_a_solution_are_rejected():
    """Three unknown particles on the line of their middle: their masses have no moment across it."""
    with pytest.raises(tm.ModelError, match=r"no masses of the others.*other particles"):
        equivalent(
            "b",
            np.array([[0.0, 0], [1, 0.0], [2, 0], [0, 1.0]]),
            Inertia(1.0, np.array([0.3, 0.2]), np.eye(2)),
            [None, None, None, 0.1],
        )
