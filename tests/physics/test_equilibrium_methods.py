"""Methods of equilibrium against closed forms and each other: catenaries, penalties, energies, buckling, snap-through, design at rest."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq

import spatial_models
import trammel as tm

G = 9.81
ALL = ("newton", "partitioned", "energy", "joint", "augmented", "damping", "settling")


def chain(angles, end, *, damping=0.0, length=1.0):
    """Rods of 1 kg/m in a row, hung up at the origin and at `end`; drawn open if the angles say so."""
    m = tm.PlanarModel("chain", gravity=(0, -G))
    at, before = np.zeros(2), m.ground
    for k, angle in enumerate(angles):
        step = length * np.array([math.cos(angle), math.sin(angle)])
        body = m.body(f"r{k}", position=tuple(at + step / 2), angle=angle, mass=length, inertia=length**3 / 12)
        first = m.ground.at(0, 0) if k == 0 else before.at(length / 2, 0)
        m.revolute(f"J{k}", first, body.at(-length / 2, 0))
        if damping:
            m.torsion_spring(f"D{k}", before, body, damping=damping)
        at, before = at + step, body
    m.revolute("Z", before.at(length / 2, 0), m.ground.at(*end))
    return m


def angles_of(rest, n):
    return np.array([rest.pose(f"r{k}")[2] for k in range(n)])


# --- three rods (digest O-22) -------------------------------------------------------------------------------------------------

START = (-math.pi / 3 + 0.2, 0.1, math.pi / 3 - 0.15)


@pytest.mark.parametrize("method", ALL)
def test_three_rods_hang_alike_by_every_method(method):
    rest = chain(START, (2, 0), damping=0.3 if method == "settling" else 0.0).equilibrium(method=method)
    assert np.degrees(angles_of(rest, 3)) == pytest.approx([-60.0, 0.0, 60.0], abs=1e-6)
    assert rest.stable and rest.residual < 1e-10
    assert rest.potential.value == pytest.approx(-16.9914184223, abs=1e-9)


@pytest.mark.parametrize(
    ("weight", "degrees", "loads"),
    [
        (1e2, (-63.0261, -6.6465, 59.9960), (5.3076, 14.0965)),
        (1e3, (-60.3499, -0.6737, 60.0168), (5.6218, 14.6489)),
        (1e4, (-60.0355, -0.0674, 60.0019), (5.6595, 14.7083)),
        (1e5, (-60.0036, -0.0067, 60.0002), (5.6634, 14.7143)),
    ],
)
def test_a_penalty_has_its_known_bias(weight, degrees, loads):
    """Right end cut: angles and -w times the gap (digest O-22)."""
    with pytest.warns(tm.RunWarning, match="'Z' stays open"):
        rest = chain(START, (2, 0)).equilibrium(method="penalty", cut=["Z"], weight=weight)
    assert np.degrees(angles_of(rest, 3)) == pytest.approx(degrees, abs=6e-5)  # four decimals are printed
    assert rest.cut_loads["Z"] == pytest.approx(loads, abs=6e-5)


def test_the_augmented_lagrangian_ends_with_the_reaction_of_the_cut_joint():
    rest = chain(START, (2, 0)).equilibrium(method="augmented", cut=["Z"])
    assert rest.cut_loads["Z"] == pytest.approx([G / math.sqrt(3.0), 1.5 * G], abs=1e-8)


@pytest.mark.parametrize("cut", [[], ["Z"], ["J1"], ["J0"]])
def test_joint_coordinates_end_with_the_reaction_of_the_joint_that_was_cut(cut):
    m = chain(START, (2, 0))
    rest = m.equilibrium(method="joint", cut=cut)
    assert np.degrees(angles_of(rest, 3)) == pytest.approx([-60.0, 0.0, 60.0], abs=1e-6)
    (name,) = rest.cut_loads
    assert [name] == cut or not cut
    assert np.linalg.norm(rest.cut_loads[name]) == pytest.approx(
        np.linalg.norm(rest.result.reaction(name).force), rel=1e-5
    )


def test_open_chains_in_space_rest_at_the_lowest_place_over_their_joints():
    """A ball, a universal joint and a hinge: every centroid ends below the hook."""
    m = tm.SpatialModel("hanging", gravity=(0, 0, -G))
    m.body("a", position=(0.5, 0, 0), mass=1.0, inertia=(0.01, 0.02, 0.02))
    m.body("b", position=(1.3, 0, 0), mass=0.5, inertia=(0.01, 0.02, 0.02))
    m.body("c", position=(1.9, 0, 0), mass=0.7, inertia=(0.01, 0.02, 0.02))
    m.spherical("S", "ground", "a", at=(0, 0, 0))
    m.universal("U", "a", "b", at=(1, 0, 0), axis="y", second_axis="z")
    m.revolute("R", "b", "c", at=(1.6, 0, 0), axis="y")
    rest = m.equilibrium(method="joint")
    for name, depth in (("a", 0.5), ("b", 1.3), ("c", 1.9)):
        assert rest.pose(name)[:3] == pytest.approx((0, 0, -depth), abs=1e-7)
    assert rest.cut_loads == {}


def test_an_equilibrium_carries_its_reactions():
    rest = chain(START, (2, 0)).equilibrium()
    np.testing.assert_allclose(rest.result.reaction("J0").force, [[-G / math.sqrt(3.0), 1.5 * G]], rtol=1e-9)


def test_a_slider_held_by_a_spring_is_balanced():
    """The spring carries the weight; no joint and no driver has to."""
    m = tm.PlanarModel("held")
    m.body("b", position=(0, -1.0), mass=1.0, inertia=0.1)
    m.translational("T", m.ground, "b", at=(0, 0), direction=(0, 1))
    m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=50.0, free_length=1.0)
    rest = m.equilibrium()
    assert np.abs(rest.result.reaction("T").force).max() < 1e-9
    assert rest.result.force("S.spring") == pytest.approx(G, rel=1e-9)
    with pytest.raises(tm.MobilityError, match="1 degree"):
        m.statics()


# --- catenaries: /shared benchmark "catenary_chain", closed form solved with many digits ----------------------------------------

CATENARIES = {
    (10, (6.0, 0.0)): (15.98166454821753735, -3.655450362994185026),
    (10, (6.0, 2.0)): (16.33756846429801882, -2.639644767256709167),
}


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("case", CATENARIES, ids=str)
def test_a_chain_hangs_in_its_catenary(case, method):
    n, end = case
    tension, lowest = CATENARIES[case]
    drawn = np.linspace(-1.2, 1.25, n)
    rest = chain(drawn, end, damping=2.0 if method == "settling" else 0.0).equilibrium(method=method)
    angles = angles_of(rest, n)
    assert np.cumsum(np.sin(angles)).min() == pytest.approx(lowest, abs=1e-8)
    assert rest.result.reaction("J0").force[0, 0] == pytest.approx(-tension, rel=1e-8)


@pytest.mark.parametrize("method", ["newton", "partitioned", "energy", "augmented", "damping"])
def test_a_pendulum_in_space_rests_by_every_method(method):
    """A bar on a universal hinge with a side load: it hangs along the force (3, 4, -m g)."""
    m = tm.SpatialModel("bar", gravity=(0, 0, -G))
    pose = tm.rotations.from_axis_angle((1, 0, 0), 0.3)
    bar = m.body("bar", rotation=pose, centroid=(0, 0, -0.5), mass=1.0, inertia=(0.1, 0.1, 0.01))
    m.universal("U", m.ground, bar, at=(0, 0, 0), axis=(1, 0, 0), second_axis=tuple(tm.rotations.matrix(pose)[:, 1]))
    m.force("F", bar.at(0, 0, -0.5), (3.0, 4.0, 0.0))
    rest = m.equilibrium(method=method)
    down = -tm.rotations.matrix(rest.pose("bar")[3:])[:, 2]
    assert down == pytest.approx(np.array([3.0, 4.0, -G]) / math.sqrt(25.0 + G * G), abs=1e-7)
    assert np.abs(rest.result.reaction("U", "bar").force[0] + (3.0, 4.0, -G)).max() < 1e-6
    assert rest.potential.value == pytest.approx(-0.5 * math.sqrt(25.0 + G * G), abs=1e-9)


# --- energies -------------------------------------------------------------------------------------------------------------------


def test_potential_energy_has_its_parts_and_its_gradient():
    table = tm.Table("law", [-1.0, 0.0, 0.5, 1.0], [-40.0, 0.0, 10.0, 50.0], kind="linear")
    m = tm.PlanarModel("parts")
    b = m.body("b", position=(1.8, 0.4), angle=0.3, mass=2.0, inertia=0.1, centroid=(0.1, 0.2))
    m.spring("linear", m.ground.at(0, 0), b.at(0, 0), stiffness=30.0, free_length=1.0, damping=4.0)
    m.spring("table", m.ground.at(1, 0), b.at(0.2, 0), stiffness=table, free_length=0.4)
    m.force("P", b.at(0.1, 0.1), (3.0, -5.0))
    m.couple("M", b, 0.7)
    m.user_force("cubic", b.x, "-2*b.x^3")
    found = m.potential_energy()
    x, y, phi = b.coordinates
    c, s = math.cos(phi), math.sin(phi)
    stretch = math.dist((1, 0), (x + 0.2 * c, y + 0.2 * s)) - 0.4
    parts = {
        "gravity": 2.0 * G * (y + 0.1 * s + 0.2 * c),
        "linear": 15.0 * (math.hypot(x, y) - 1.0) ** 2,
        "table": 10.0 * stretch**2 if stretch < 0.5 else 2.5 + 10.0 * (stretch - 0.5) + 40.0 * (stretch - 0.5) ** 2,
        "P": -3.0 * (x + 0.1 * c - 0.1 * s) + 5.0 * (y + 0.1 * s + 0.1 * c),
        "M": -0.7 * phi,
        "cubic": 0.5 * x**4,
    }
    assert stretch > 0.5 and found.without == ()
    assert dict(found.parts) == pytest.approx(parts, rel=1e-12)
    h = 1e-5
    for k, name in enumerate(("x", "y", "phi")):
        places = []
        for side in (h, -h):
            place = {"position": (x + side * (k == 0), y + side * (k == 1)), "angle": phi + side * (k == 2)}
            places.append(m.copy(changes={"b": place}).potential_energy().value)
        assert found.gradient[k] == pytest.approx((places[0] - places[1]) / (2 * h), abs=1e-6), name


def test_a_preloaded_table_spring_stores_what_it_holds_from_the_start():
    table = tm.Table("law", [-1.0, 0.0, 1.0], [-40.0, 0.0, 50.0], kind="linear")
    m = tm.PlanarModel("preloaded", gravity=(0, 0))
    m.body("b", position=(1.5, 0), mass=1.0, inertia=0.1)
    m.translational("T", m.ground, "b", at=(0, 0), direction=(1, 0))
    m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=table, free_length=1.0)
    run = m.simulate(0.2, samples=5, progress=False)
    assert run.energy.stored[0] == pytest.approx(0.5 * 50.0 * 0.5**2, rel=1e-12)
    assert np.abs(run.energy.balance).max() < 1e-7
    m.driver("d", "b.x", "1.5 - 3*t")
    driven = m.inverse_dynamics(0.2, samples=3)
    assert driven.energy.stored == pytest.approx([6.25, 25 * 0.2**2, 20 * 0.1**2], rel=1e-9)


def test_a_spring_law_that_is_no_number_where_it_is_slack_keeps_its_integrated_work():
    """The root of l - 1.2 is no number at the slack length 1.0."""
    m = tm.PlanarModel("pole", gravity=(0, 0))
    m.body("b", position=(1.5, 0), mass=1.0, inertia=0.1)
    m.translational("T", m.ground, "b", at=(0, 0), direction=(1, 0))
    m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness="-sqrt(l - 1.2)", free_length=1.0)
    run = m.simulate(0.2, samples=3, progress=False)
    assert run.energy.stored[0] == 0.0 and np.abs(run.energy.balance).max() < 1e-7
    with pytest.raises(tm.ModelError, match=r"energy of 'S\.spring' is not a number"):
        m.potential_energy()


def test_constant_forces_in_space_have_a_potential():
    m = tm.SpatialModel("p", gravity=(0, 0, 0))
    b = m.body(
        "b", position=(1, 2, 3), rotation=tm.rotations.from_axis_angle((0, 0, 1), math.pi / 2), mass=1.0, inertia=0.1
    )
    m.force("F", b.at(1, 0, 0), (2.0, 3.0, -1.0))
    m.torque("N", b, (0.0, 0.0, 1.0))
    found = m.potential_energy()
    assert found.parts["F"] == pytest.approx(-(2.0 * 1 + 3.0 * 3 - 3.0))
    assert found.without == ("N",)  # a torque about an axis in space does work that depends on the way


def test_energy_needs_a_potential():
    m = tm.PlanarModel("follower", gravity=(0, 0))
    b = m.body("b", position=(0, 1), angle=math.pi / 2, mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, b, at=(0, 0))
    m.torsion_spring("S", m.ground, b, stiffness=5.0, free_angle=1.4)
    m.force("P", b.at(0, 0), (-1.0, 0.2), frame="body")
    with pytest.raises(tm.ModelError, match="'P' acts without a potential"):
        m.equilibrium(method="energy")
    assert m.equilibrium(method="partitioned").q == pytest.approx(m.equilibrium().q, abs=1e-9)


# --- several rests ------------------------------------------------------------------------------------------------------------


def truss(load, height=0.5):
    """Two springs to supports at (±1, 0) and a slider between them (von Mises)."""
    m = tm.PlanarModel("truss", gravity=(0, 0))
    b = m.body("b", position=(0, height), mass=1.0, inertia=0.1)
    m.translational("T", m.ground, b, at=(0, 0), direction=(0, 1))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.spring(name, m.ground.at(x, 0), b.at(0, 0), stiffness=100.0, free_length=math.hypot(1.0, 0.5))
    m.force("P", b.at(0, 0), (0.0, -load))
    return m


def push(y):
    """Load that holds the truss at a height."""
    return -200.0 * (math.hypot(1.0, y) - math.hypot(1.0, 0.5)) * y / math.hypot(1.0, y)


def test_all_rests_of_a_truss_are_found_and_classified():
    found = tm.equilibria(truss(0.0), starts=20)
    assert [rest.stable for rest in found] == [True, True, False]
    assert sorted(rest.pose("b")[1] for rest in found) == pytest.approx([-0.5, 0.0, 0.5], abs=1e-9)


def test_a_bistable_four_bar_has_its_rests():
    """A spring on the crank of a parallelogram with weight: V = k/2 (phi - f)² + m g l sin(phi) + ...; rests are the roots of dV."""
    k, free, mass, crank = 1.0, math.pi / 2, 0.5, 0.8
    m = tm.PlanarModel("four-bar", gravity=(0, -G))
    drawn = 1.2
    tip = crank * np.array([math.cos(drawn), math.sin(drawn)])
    for name, x in (("left", 0.0), ("right", 1.0)):
        m.body(name, position=tuple(tip / 2 + (x, 0)), angle=drawn, mass=0.1, inertia=1e-3)
        m.revolute(f"O_{name}", m.ground, name, at=(x, 0))
    m.body("coupler", position=tuple(tip + (0.5, 0)), mass=mass, inertia=0.05)
    m.revolute("A", "left", "coupler", at=tuple(tip))
    m.revolute("B", "right", "coupler", at=tuple(tip + (1, 0)))
    m.torsion_spring("S", m.ground, "left", stiffness=k, free_angle=free)
    weight = (mass + 0.1) * G * crank

    def slope(phi):
        return k * (phi - free) + weight * math.cos(phi)

    roots = [brentq(slope, *span) for span in ((-2.0, 0.0), (1.0, 2.0), (3.5, 5.5))]
    found = [rest for rest in tm.equilibria(m, starts=60, seed=1)
             if abs(rest.pose("coupler")[2]) < 1e-6]  # the others are antiparallelograms  # fmt: skip
    by_angle = {}
    for rest in found:
        by_angle[min(range(3), key=lambda i, rest=rest: abs(rest.pose("left")[2] - roots[i]))] = rest
    assert set(by_angle) == {0, 1, 2}
    for i, rest in by_angle.items():
        assert rest.pose("left")[2] == pytest.approx(roots[i], abs=1e-9)
        assert rest.stable == (i != 1)


def sprung_crank_rocker(seed):
    """Random lengths (crank shortest, turns round), masses, and two springs from the coupler to the ground; and V(theta, branch)."""
    rng = np.random.default_rng(seed)
    while True:
        a, b, c, d = rng.uniform(0.3, 1.0), *rng.uniform(0.8, 2.0, 3)
        if a == min(a, b, c, d) and a + max(b, c, d) < 0.475 * (a + b + c + d):
            break
    anchors, shares, masses = rng.uniform(-2, 3, (2, 2)), rng.uniform(0, 1, 2), rng.uniform(0.5, 2.0, 3)
    stiffness, free = rng.uniform(20, 400, 2), rng.uniform(0.2, 1.2, 2)

    def pins(theta, branch):
        A = a * np.exp(1j * theta)
        r = abs(d - A)
        x = (b * b - c * c + r * r) / (2 * r)
        return A, A + (d - A) / r * (x + branch * 1j * np.sqrt(b * b - x * x))

    def energy(theta, branch):
        A, B = pins(theta, branch)
        V = G * (masses[0] * A / 2 + masses[1] * (A + B) / 2 + masses[2] * (B + d) / 2).imag
        for k in range(2):
            V = V + 0.5 * stiffness[k] * (abs(A + shares[k] * (B - A) - complex(*anchors[k])) - free[k]) ** 2
        return V

    m = tm.PlanarModel("sprung four-bar", gravity=(0, -G))
    A, B = pins(0.7, 1)
    for name, p, q, mass in (
        ("crank", 0j, A, masses[0]),
        ("coupler", A, B, masses[1]),
        ("rocker", d + 0j, B, masses[2]),
    ):
        middle = (p + q) / 2
        m.body(name, position=(middle.real, middle.imag), angle=float(np.angle(q - p)), mass=mass, inertia=0.1)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("A", "crank", "coupler", at=(A.real, A.imag))
    m.revolute("B", "coupler", "rocker", at=(B.real, B.imag))
    m.revolute("D", m.ground, "rocker", at=(d, 0))
    for k in range(2):
        point = m["coupler"].at((shares[k] - 0.5) * b, 0)
        m.spring(f"S{k}", m.ground.at(*anchors[k]), point, stiffness=stiffness[k], free_length=free[k])
    return m, pins, energy


def extrema(energy, *, n=100_000):
    """Angle, branch and whether it is a minimum, for every extremum on both closed curves of a crank that turns round."""
    theta = np.linspace(0, 2 * math.pi, n, endpoint=False)
    for branch in (1, -1):
        V = energy(theta, branch)
        ahead = np.sign(np.roll(V, -1) - V)
        for k in np.flatnonzero(ahead != np.roll(ahead, 1)):
            yield theta[k], branch, ahead[k] > 0


@pytest.mark.parametrize("seed", [1, 2, 6, 10, 18])
def test_all_rests_of_random_four_bars_are_those_of_a_scan_of_the_energy(seed):
    """4 to 10 rests each, in two branches."""
    m, pins, energy = sprung_crank_rocker(seed)
    found = tm.equilibria(m, starts=10)
    expected = list(extrema(energy))
    assert len(found) == len(expected)
    for theta, branch, stable in expected:
        B = pins(theta, branch)[1]
        near = [
            rest
            for rest in found
            if abs(np.exp(1j * rest.pose("crank")[2]) - np.exp(1j * theta)) < 2e-4  # the scan's own steps, 6e-5
            and abs(complex(*rest.pose("rocker")[:2]) - (B + pins_of_ground(m)) / 2) < 1e-3
        ]
        assert len(near) == 1 and near[0].stable == stable


def pins_of_ground(m):
    return complex(*m["D"].seats[0].point)


def test_a_narrow_peak_of_the_energy_is_a_rest():
    """A spring that is nearly pressed through its foot: the unstable rest is a few hundredths of a radian wide."""
    m = tm.PlanarModel("pendulum on a spring", gravity=(0, -G))
    b = m.body("b", position=(0.5, 0), mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, b, at=(0, 0))
    m.spring("S", m.ground.at(-1.0, 0.3), b.at(0.5, 0), stiffness=80.0, free_length=1.8)
    assert [rest.stable for rest in tm.equilibria(m, starts=2)] == [True, False]


def pendulums(n):
    """Rods in a row, the first one hung up: every one up or down is a rest."""
    m = tm.PlanarModel("pendulums", gravity=(0, -G))
    for k in range(n):
        m.body(f"r{k}", position=(0.4, -k - 0.3), angle=-0.8, mass=1.0, inertia=0.1)
        m.revolute(f"J{k}", m[f"r{k - 1}"].at(0.5, 0) if k else m.ground.at(0, 0), m[f"r{k}"].at(-0.5, 0))
    return m


def test_deflation_finds_what_few_starts_miss():
    whole = tm.equilibria(pendulums(3))
    up = {tuple(round(math.sin(rest.pose(f"r{k}")[2]), 9) for k in range(3)) for rest in whole}
    assert len(whole) == 8 and up == set(itertools.product((-1.0, 1.0), repeat=3))
    assert [rest.stable for rest in whole] == [True] + 7 * [False]
    assert len(tm.equilibria(pendulums(3), deflation=False)) < 8


def test_all_rests_in_space_and_one_that_resists_in_no_way_are_those_of_a_scan():
    """An RSSR under its weight, both branches: crank and output stand or hang; at the lowest the energy begins with the fourth power."""
    theta = np.linspace(0.0, 2 * math.pi, 2000, endpoint=False)
    expected = []
    for branch in (1, -1):
        height = np.sin([spatial_models.rssr_output(angle, branch) for angle in theta + 0.1])
        ahead = np.sign(np.roll(height, -1) - height)
        expected += [
            (theta[k] + 0.1, spatial_models.rssr_output(theta[k] + 0.1, branch), ahead[k] > 0)
            for k in np.flatnonzero(ahead != np.roll(ahead, 1))
        ]
    found = tm.equilibria(spatial_models.rssr(0.3), starts=20)
    assert len(found) == len(expected) == 4
    for *angles, stable in expected:
        near = [
            rest
            for rest in found
            if all(
                abs(np.exp(1j * float(rest.result.measure(name).value[0])) - np.exp(1j * angle)) < 1e-2
                for name, angle in zip(("A.angle", "D.angle"), angles, strict=True)
            )
        ]
        assert len(near) == 1 and near[0].stable == stable


def test_a_family_of_rests_ends_the_search():
    """A wheel on its axle rests anywhere: deflation must not collect neighbours for ever."""
    m = tm.PlanarModel("wheel")
    m.revolute("O", m.ground, m.body("b", mass=1.0, inertia=0.1), at=(0, 0))
    found = tm.equilibria(m, starts=5)
    assert 1 <= len(found) <= 40 and all(rest.neutral for rest in found)


# --- along a parameter ----------------------------------------------------------------------------------------------------------


def column(load):
    """A rigid column of 1 m on a spring of 10 N m/rad under a dead load."""
    m = tm.PlanarModel("column", gravity=(0, 0))
    b = m.body("b", position=(0, 1.0), angle=math.pi / 2, mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, b, at=(0, 0))
    m.torsion_spring("S", m.ground, b, stiffness=10.0, free_angle=math.pi / 2)
    m.force("P", b.at(0, 0), (0.0, -load))
    return m


def test_a_column_buckles_and_its_side_branches_are_known():
    """k theta = P L sin(theta): bifurcation at k / L."""
    straight = tm.continue_equilibrium(column, 5.0, 15.0, steps=11, name="P")
    (at,) = straight.bifurcations
    assert at.value == pytest.approx(10.0, rel=1e-8) and straight.limit_points == ()
    assert (straight.stable == (straight.values < at.value)).all()
    for side in (1, -1):
        bent = tm.continue_equilibrium(column, 5.0, 15.0, steps=10, branch_at=at, direction=side)
        theta = bent.coordinate("b.phi")[1:] - math.pi / 2
        assert (np.sign(theta) == side).all() and bent.stable[1:].all()
        assert bent.values[1:] == pytest.approx(10.0 * theta / np.sin(theta), rel=1e-9)


def test_a_column_of_two_links_buckles_at_its_loads():
    """Springs k at both joints, links of length 1: P = k (3 -+ sqrt 5) / 2."""

    def links(load):
        m = tm.PlanarModel("links", gravity=(0, 0))
        before = m.ground
        for k in range(2):
            b = m.body(f"b{k}", position=(0, k + 1.0), angle=math.pi / 2, mass=1.0, inertia=0.1)
            m.revolute(f"J{k}", before, b, at=(0, k))
            m.torsion_spring(f"S{k}", before, b, stiffness=10.0, free_angle=math.pi / 2 if k == 0 else 0.0)
            before = b
        m.force("P", before.at(0, 0), (0.0, -load))
        return m

    found = tm.continue_equilibrium(links, 1.0, 30.0, steps=12, name="P")
    assert [s.value for s in found.bifurcations] == pytest.approx(
        [5.0 * (3 - math.sqrt(5)), 5.0 * (3 + math.sqrt(5))], rel=1e-7
    )


def test_a_truss_snaps_through_at_its_limit_points(tmp_path):
    found = tm.continue_equilibrium(truss, 0.0, 6.0, steps=25, name="P")
    # dP/dy = 0: (1 + y²)^(3/2) = free length
    y = math.sqrt(math.hypot(1.0, 0.5) ** (2.0 / 3.0) - 1.0)
    assert [s.kind for s in found.special] == ["limit point", "limit point"]
    assert [s.value for s in found.special] == pytest.approx([push(y), push(-y)], rel=1e-8)
    heights = found.coordinate("b.y")
    assert found.values == pytest.approx([push(h) for h in heights], abs=1e-7)
    assert (found.stable == (np.abs(heights) > y)).all() and heights[-1] < -0.5
    found.plot("b.y", tmp_path / "snap.png")
    assert (tmp_path / "snap.png").stat().st_size > 1000


# --- design at rest ---------------------------------------------------------------------------------------------------------------


def test_free_lengths_hold_a_chassis_level():
    m = tm.PlanarModel("car")
    c = m.body("c", position=(0, 1.0), mass=100.0, inertia=20.0)
    m.constrain("x", c.x)
    for name, x in (("front", 0.8), ("rear", -1.1)):
        m.spring(name, m.ground.at(x, 0), c.at(x, 0), stiffness=8000.0, free_length=1.0)
    ready = tm.design_at_rest(m, ["front.free_length", "rear.free_length"])
    rest = ready.equilibrium()
    assert rest.pose("c") == pytest.approx((0.0, 1.0, 0.0), abs=1e-10)
    # levers: the front carries 1.1 / 1.9 of the weight
    assert ready["front"].parameters["free_length"] == pytest.approx(1.0 + 100.0 * G * 1.1 / 1.9 / 8000.0, rel=1e-9)
    run = rest.simulate(1.0, samples=3, progress=False)
    assert np.abs(run["c"].y - 1.0).max() < 1e-9
    with pytest.raises(tm.ConvergenceError, match=r"no values of front\.stiffness"):
        tm.design_at_rest(m, ["front.stiffness"])


def held_bar(name="", free_length=None):
    """A bar of 2 kg and 1 m, level on a pin at one end, and a spring of 300 N/m from a place above to a point along it."""
    m = tm.PlanarModel("bar", gravity=(0, -G))
    bar = m.body("bar", position=(0.5, 0), mass=2.0, inertia=0.2)
    m.revolute("O", m.ground, bar, at=(0, 0))
    end = m.point(name, bar, local=(0.1, 0)) if name else bar.at(0.1, 0)
    m.spring("S", m.ground.at(0, 0.8), end, stiffness=300.0, free_length=free_length)
    return m


@pytest.mark.parametrize("free_length", [None, 0.9])
@pytest.mark.parametrize(("name", "unknown"), [("", "S.second.x"), ("hook", "hook.x")])
def test_a_place_of_attachment_holds_a_bar_level(name, unknown, free_length):
    """Moments about the pin: k (l - l0) 0.8 x / l = m g / 2 with l² = x² + 0.8²; a free length once read off the drawing stays."""
    m = held_bar(name, free_length)
    free = m["S"].parameters["free_length"]
    ready = tm.design_at_rest(m, [unknown])
    point = ready["S"].parameters["second"]
    x = 0.5 + point.local[0]
    length = math.hypot(x, 0.8)
    assert 300.0 * (length - free) * 0.8 * x / length == pytest.approx(2.0 * G * 0.5, rel=1e-9)
    assert ready["S"].parameters["free_length"] == free
    assert ready.equilibrium(nearest=True).pose("bar") == pytest.approx((0.5, 0.0, 0.0), abs=1e-9)


def test_both_coordinates_of_a_place_change_least():
    """One equation for two unknowns: together they move less than one alone."""
    m = held_bar(free_length=0.7)
    ready = tm.design_at_rest(m, ["S.first.x", "S.first.y"])
    assert ready.equilibrium(nearest=True).pose("bar") == pytest.approx((0.5, 0.0, 0.0), abs=1e-9)
    moved = np.hypot(*np.subtract(ready["S"].parameters["first"].local, (0, 0.8)))
    alone = tm.design_at_rest(m, ["S.first.y"])["S"].parameters["first"].local
    assert moved < abs(alone[1] - 0.8)
    with pytest.raises(
        tm.ConvergenceError, match=r"no values of S\.first\.x put model 'bar' at rest .* % of the forces"
    ):
        tm.design_at_rest(m, ["S.first.x"])


def test_a_load_is_found_by_its_component():
    m = held_bar(free_length=0.7)
    m.force("P", m["bar"].at(0.5, 0), (0.0, 1.0))
    ready = tm.design_at_rest(m, ["P.vector.y"])
    length = math.hypot(0.6, 0.8)
    lift = 300.0 * (length - 0.7) * 0.8 * 0.6 / length
    assert ready["P"].parameters["vector"] == pytest.approx((0.0, 2.0 * G * 0.5 - lift), rel=1e-9)


CORNERS = {"fl": (1.2, 0.7), "fr": (1.2, -0.7), "rl": (-1.4, 0.7), "rr": (-1.4, -0.7)}


def car(*, tyres):
    """A chassis of 900 kg with its centroid off the middle, on four springs, or on four wheels with springs and tyres; drawn level."""
    m = tm.SpatialModel("car", gravity=(0, 0, -G))
    chassis = m.body("chassis", position=(0, 0, 0.8), centroid=(0.2, -0.1, 0.1), mass=900.0, inertia=(300, 900, 1000))
    for name, (x, y) in CORNERS.items():
        top = chassis.at(x, y, 0)
        if not tyres:
            m.spring(name, m.ground.at(x, y, 0), top, stiffness=20e3, free_length=0.8)
            continue
        wheel = m.body(f"wheel_{name}", position=(x, y, 0.3), mass=30.0, inertia=1.0)
        m.prismatic(f"guide_{name}", chassis, wheel, at=(x, y, 0.3), axis="z")
        m.spring(name, wheel.at(0, 0, 0), top, stiffness=20e3, free_length=0.5)
        m.spring(f"tyre_{name}", m.ground.at(x, y, 0), wheel.at(0, 0, 0), stiffness=180e3, free_length=0.3)
    return m


@pytest.mark.parametrize("tyres", [False, True])
def test_a_vehicle_in_space_is_prepared_to_stand_level(tyres):
    """Four free lengths for heave, pitch and roll: loads obey the levers, and of all that do, lengths change least (equal wheel rates)."""
    m = car(tyres=tyres)
    unknowns = [f"{name}.free_length" for name in CORNERS]
    ready = tm.design_at_rest(m, [*unknowns, *(f"tyre_{name}.free_length" for name in CORNERS if tyres)])
    rest = ready.equilibrium(nearest=True)
    assert rest.pose("chassis") == pytest.approx((0, 0, 0.8, 1, 0, 0, 0), abs=1e-9)
    drawn = 0.5 if tyres else 0.8
    loads = np.array([20e3 * (ready[name].parameters["free_length"] - drawn) for name in CORNERS])
    x, y = np.array(list(CORNERS.values())).T
    assert loads.sum() == pytest.approx(900.0 * G, rel=1e-9)
    assert loads @ x == pytest.approx(900.0 * G * 0.2, rel=1e-8)
    assert loads @ y == pytest.approx(-900.0 * G * 0.1, rel=1e-8)
    if tyres:
        for load, name in zip(loads, CORNERS, strict=True):
            on_the_road = 180e3 * (ready[f"tyre_{name}"].parameters["free_length"] - 0.3)
            assert on_the_road == pytest.approx(load + 30.0 * G, rel=1e-8)
    else:
        # the smallest changes from 0.8 m: no part along the twist of the four, which no balance sees
        twist = np.linalg.svd(np.array([np.ones(4), x, y]))[2][-1]
        assert abs(twist @ loads) < 1e-6 * loads.sum()


def test_attachments_prepare_a_vehicle_in_space():
    """Stiffer springs at given lengths: where they stand along and across the car levels it, height by one free length."""
    m = car(tyres=False).copy(changes={name: {"stiffness": 30e3, "free_length": 0.8735} for name in CORNERS})
    ready = tm.design_at_rest(m, ["fl.second.x", "fl.first.x", "rl.second.y", "rl.first.y", "rr.free_length"])
    assert ready.equilibrium(nearest=True).pose("chassis") == pytest.approx((0, 0, 0.8, 1, 0, 0, 0), abs=1e-8)


def test_a_vehicle_in_the_plane_with_wheels_and_tyres():
    """Chassis, two wheels in vertical guides, struts and tyres: all four free lengths, by levers and weights."""
    m = tm.PlanarModel("half car", gravity=(0, -G))
    c = m.body("c", position=(0, 0.8), mass=500.0, inertia=600.0)
    m.constrain("x", c.x)
    for name, x in (("front", 1.1), ("rear", -1.4)):
        w = m.body(f"w_{name}", position=(x, 0.3), mass=25.0, inertia=1.0)
        m.translational(f"g_{name}", c, w, at=(x, 0.3), direction=(0, 1))
        m.spring(f"s_{name}", w.at(0, 0), c.at(x, 0), stiffness=15e3, free_length=0.5)
        m.spring(f"t_{name}", m.ground.at(x, 0), w.at(0, 0), stiffness=150e3, free_length=0.3)
    ready = tm.design_at_rest(m, [f"{part}_{name}.free_length" for part in "st" for name in ("front", "rear")])
    assert ready.equilibrium(nearest=True).pose("c") == pytest.approx((0, 0.8, 0), abs=1e-9)
    for name, share in (("front", 1.4 / 2.5), ("rear", 1.1 / 2.5)):
        load = 500.0 * G * share
        assert ready[f"s_{name}"].parameters["free_length"] == pytest.approx(0.5 + load / 15e3, rel=1e-9)
        assert ready[f"t_{name}"].parameters["free_length"] == pytest.approx(0.3 + (load + 25.0 * G) / 150e3, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "guess"}, "is not known; use one of: newton, partitioned"),
        ({"cut": ["Z"]}, "cut would not be used by method 'newton'"),
        ({"weight": 5.0, "method": "energy"}, "weight would not be used"),
        ({"nearest": True, "method": "energy"}, "nearest would not be used"),
        ({"method": "joint", "cut": ["nobody"]}, "is no joint"),
        ({"method": "joint", "nearest": True}, "nearest would not be used"),
        ({"method": "penalty", "weight": -1.0}, "greater than 0"),
        ({"method": "penalty", "cut": ["nobody"]}, "'nobody', which is no joint"),
        ({"method": "settling"}, "perhaps nothing takes its energy"),
    ],
)
def test_refusals(options, sentence):
    with pytest.raises(tm.TrammelError, match=sentence):
        chain(START, (2, 0)).equilibrium(**options)


def test_an_eccentric_ball_rolls_to_rest_with_its_centroid_below():
    """Rolling about the contact: (J + m (r - e)²) s² = -m g e for both horizontal axes."""
    r, e, mass, inertia = 0.5, 0.2, 2.0, 0.15
    m = tm.SpatialModel("wobbler", gravity=(0, 0, -G))
    pose = tm.rotations.from_axis_angle((0.6, 0.8, 0), 0.7)
    ball = m.body("ball", position=(0, 0, r), rotation=pose, centroid=(0, 0, -e), mass=mass, inertia=inertia)
    m.rolling_sphere("R", m.ground, ball, radius=r, at=(0, 0, 0), axis="z")
    rest = m.equilibrium()
    assert tm.rotations.matrix(rest.pose("ball")[3:])[:, 2] == pytest.approx((0, 0, 1), abs=1e-9)
    want = math.sqrt(mass * G * e / (inertia + mass * (r - e) ** 2))
    assert rest.stable and [m.frequency for m in rest.modes if m.frequency] == pytest.approx([want, want], rel=1e-7)
    lin = rest.linearize()
    assert lin.frequencies == pytest.approx([want, want], rel=1e-7) and lin.stable


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: tm.design_at_rest(truss(1.0), 5), "must be a list"),
        (lambda: tm.design_at_rest(truss(1.0), [5]), "holds 5"),
        (lambda: tm.design_at_rest(truss(1.0), ["left.colour"]), "is no number"),
        (lambda: tm.design_at_rest(truss(1.0), ["nobody.length"]), "nothing called 'nobody'"),
        (lambda: tm.design_at_rest(truss(1.0), ["nobody.first.x"]), "nothing called 'nobody'"),
        (
            lambda: tm.design_at_rest(held_bar(), ["S.second.z"]),
            r"'S' has: first\.x …, second\.x …, stiffness, free_length",
        ),
        (
            lambda: tm.design_at_rest(held_bar(), ["O.second.x"]),
            "a joint that is moved on its body would move the body",
        ),
        (lambda: tm.design_at_rest(held_bar("hook"), ["S.second.x"]), r"belongs to the point 'hook'; find 'hook\.x'"),
        (lambda: tm.design_at_rest(held_bar("hook"), ["hook.z"]), "'hook' has: x, y"),
        (lambda: tm.design_at_rest(held_bar(), ["S.stiffness", "S.stiffness"]), "names something twice"),
        (lambda: tm.continue_equilibrium(truss, 1.0, 1.0), "must change"),
        (lambda: tm.continue_equilibrium(lambda p: 3, 0.0, 1.0), "must give a model"),
        (lambda: tm.continue_equilibrium(truss, 0.0, 1.0, branch_at=3), "bifurcations"),
        (lambda: tm.continue_equilibrium(truss, 0.0, 1.0, steps=0), "whole number of at least 1"),
        (lambda: tm.equilibria(truss(0.0), starts=2.5), "whole number"),
        (lambda: tm.equilibria(truss(0.0), deflation=3), "deflation must be True or False"),
    ],
)
def test_more_refusals(call, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        call()
