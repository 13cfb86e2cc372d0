"""All rests of a mechanism and rests along a parameter, against closed forms and scans: bistable linkages, buckling, snap-through."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq

import pytrammel as tm
import spatial_models

pytestmark = pytest.mark.search

G = 9.81


# --- several rests ------------------------------------------------------------------------------------------------------------


def truss(load, height=0.5):
    """Two springs to supports at (±1, 0) and a slider between them (von Mises), under a load P."""
    m = tm.PlanarModel("truss", gravity=(0, 0))
    m.parameter("P", load)
    b = m.body("b", position=(0, height), mass=1.0, inertia=0.1)
    m.prismatic("T", m.ground, b, at=(0, 0), axis=(0, 1))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.spring(name, m.ground.at(x, 0), b.at(0, 0), stiffness=100.0, free_length=math.hypot(1.0, 0.5))
    m.force("load", b.at(0, 0), (0.0, "-P"))
    return m


def push(y):
    """Load that holds the truss at a height."""
    return -200.0 * (math.hypot(1.0, y) - math.hypot(1.0, 0.5)) * y / math.hypot(1.0, y)


def test_all_rests_of_a_truss_are_found_and_classified():
    found = truss(0.0).equilibria(n_starts=20)
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
    m.torsion_spring("S", first=m.ground, second="left", stiffness=k, free_angle=free)
    weight = (mass + 0.1) * G * crank

    def slope(phi):
        return k * (phi - free) + weight * math.cos(phi)

    roots = [brentq(slope, *span) for span in ((-2.0, 0.0), (1.0, 2.0), (3.5, 5.5))]
    found = [rest for rest in m.equilibria(n_starts=60, seed=1)
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
    found = m.equilibria(n_starts=10)
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
    assert [rest.stable for rest in m.equilibria(n_starts=2)] == [True, False]


def pendulums(n):
    """Rods in a row, the first one hung up: every one up or down is a rest."""
    m = tm.PlanarModel("pendulums", gravity=(0, -G))
    for k in range(n):
        m.body(f"r{k}", position=(0.4, -k - 0.3), angle=-0.8, mass=1.0, inertia=0.1)
        m.revolute(f"J{k}", m[f"r{k - 1}"].at(0.5, 0) if k else m.ground.at(0, 0), m[f"r{k}"].at(-0.5, 0))
    return m


def test_deflation_finds_what_few_starts_miss():
    whole = pendulums(3).equilibria()
    up = {tuple(round(math.sin(rest.pose(f"r{k}")[2]), 9) for k in range(3)) for rest in whole}
    assert len(whole) == 8 and up == set(itertools.product((-1.0, 1.0), repeat=3))
    assert [rest.stable for rest in whole] == [True] + 7 * [False]
    assert len(pendulums(3).equilibria(deflation=False)) < 8


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
    found = spatial_models.rssr(0.3).equilibria(n_starts=20)
    assert len(found) == len(expected) == 4
    for *angles, stable in expected:
        near = [
            rest
            for rest in found
            if all(
                abs(np.exp(1j * float(rest.result.series(name).value[0])) - np.exp(1j * angle)) < 1e-2
                for name, angle in zip(("A.angle", "D.angle"), angles, strict=True)
            )
        ]
        assert len(near) == 1 and near[0].stable == stable


def test_a_family_of_rests_ends_the_search():
    """A wheel on its axle rests anywhere: deflation must not collect neighbours for ever."""
    m = tm.PlanarModel("wheel")
    m.revolute("O", m.ground, m.body("b", mass=1.0, inertia=0.1), at=(0, 0))
    found = m.equilibria(n_starts=5)
    assert 1 <= len(found) <= 40 and all(rest.neutral for rest in found)


# --- along a parameter ----------------------------------------------------------------------------------------------------------


def column():
    """A rigid column of 1 m on a spring of 10 N m/rad under a dead load P."""
    m = tm.PlanarModel("column", gravity=(0, 0))
    m.parameter("P", 5.0)
    b = m.body("b", position=(0, 1.0), angle=math.pi / 2, mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, b, at=(0, 0))
    m.torsion_spring("S", first=m.ground, second=b, stiffness=10.0, free_angle=math.pi / 2)
    m.force("load", b.at(0, 0), (0.0, "-P"))
    return m


def test_a_column_buckles_and_its_side_branches_are_known():
    """k theta = P L sin(theta): bifurcation at k / L."""
    straight = column().continue_equilibrium("P", 5.0, 15.0, steps=11)
    (at,) = straight.bifurcations
    assert at.value == pytest.approx(10.0, rel=1e-8) and straight.limit_points == ()
    assert (straight.stable == (straight.values < at.value)).all()
    for side in (1, -1):
        bent = column().continue_equilibrium("P", 5.0, 15.0, steps=10, branch_at=at, direction=side)
        theta = bent.coordinate("b.phi")[1:] - math.pi / 2
        assert (np.sign(theta) == side).all() and bent.stable[1:].all()
        assert bent.values[1:] == pytest.approx(10.0 * theta / np.sin(theta), rel=1e-9)


def test_a_column_of_two_links_buckles_at_its_loads():
    """Springs k at both joints, links of length 1: P = k (3 -+ sqrt 5) / 2."""

    m = tm.PlanarModel("links", gravity=(0, 0))
    m.parameter("P", 1.0)
    before = m.ground
    for k in range(2):
        b = m.body(f"b{k}", position=(0, k + 1.0), angle=math.pi / 2, mass=1.0, inertia=0.1)
        m.revolute(f"J{k}", before, b, at=(0, k))
        m.torsion_spring(f"S{k}", first=before, second=b, stiffness=10.0, free_angle=math.pi / 2 if k == 0 else 0.0)
        before = b
    m.force("load", before.at(0, 0), (0.0, "-P"))

    found = m.continue_equilibrium("P", 1.0, 30.0, steps=12)
    assert [s.value for s in found.bifurcations] == pytest.approx(
        [5.0 * (3 - math.sqrt(5)), 5.0 * (3 + math.sqrt(5))], rel=1e-7
    )


def test_a_truss_snaps_through_at_its_limit_points(tmp_path):
    found = truss(0.0).continue_equilibrium("P", 0.0, 6.0, steps=12)
    # dP/dy = 0: (1 + y²)^(3/2) = free length
    y = math.sqrt(math.hypot(1.0, 0.5) ** (2.0 / 3.0) - 1.0)
    assert [s.kind for s in found.critical_points] == ["limit point", "limit point"]
    assert [s.value for s in found.critical_points] == pytest.approx([push(y), push(-y)], rel=1e-8)
    heights = found.coordinate("b.y")
    assert found.values == pytest.approx([push(h) for h in heights], abs=1e-7)
    assert (found.stable == (np.abs(heights) > y)).all() and heights[-1] < -0.5
    lines = found.plot("b.y", tmp_path / "snap.png").lines[:-2]  # the last two are marks of limit points
    # one line per part: dashes of short pieces look solid
    assert [line.get_linestyle() for line in lines] == ["-", "--", "-"]
    assert (tmp_path / "snap.png").stat().st_size > 1000


def test_values_with_units_are_those_in_si(tmp_path):
    m = truss(0.0)
    plain = m.continue_equilibrium("P", 0.0, 4.0, steps=4)
    measured = truss("0 N").continue_equilibrium("P", "0 N", "0.004 kN", steps=4)
    assert (plain.values == measured.values).all() and (plain.q == measured.q).all()
    assert (plain.unit, measured.unit) == ("", "N")
    assert measured.plot("b.y", tmp_path / "load.png").get_xlabel() == "P [N]"
    with pytest.raises(tm.ModelError, match="parameter 'P' is '4 m', a length"):
        truss("0 N").continue_equilibrium("P", 0.0, "4 m")


def test_bounds_of_the_parameter_do_not_limit_the_branch():
    m = truss(0.0).copy()
    m.parameter("Q", 1.0, bounds=(0.5, 1.5))
    m.force("more", "b", (0.0, "-Q"))
    assert m.continue_equilibrium("Q", 0.0, 2.0, steps=3).values[[0, -1]] == pytest.approx([0.0, 2.0], abs=0.7)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: truss(0.0).continue_equilibrium("P", 1.0, 1.0), "must change"),
        (lambda: truss(0.0).continue_equilibrium("Q", 0.0, 1.0), "continue_equilibrium: 'Q' is no parameter"),
        (
            lambda: truss(0.0).continue_equilibrium("P", 0.0, 1.0, branch_at=3),
            "branch_at must be a Special, but it is 3",
        ),
        (lambda: truss(0.0).continue_equilibrium("P", 0.0, 1.0, steps=0), "whole number of at least 1"),
        (lambda: truss(0.0).equilibria(n_starts=2.5), "whole number"),
        (lambda: truss(0.0).equilibria(deflation=3), "deflation must be True or False"),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        call()


@pytest.mark.parametrize(("stiffness", "count"), [(12.0, 1), (3.0, 3), (0.7, 7)])
@pytest.mark.parametrize("space", [False, True])
def test_a_wound_spring_has_rests_on_both_sides_and_on_other_turns(space, stiffness, count):
    """An inverted pendulum on a torsion spring rests where m g a sin(x) = k x, at as many angles as that has roots."""
    m = (tm.SpatialModel if space else tm.PlanarModel)("metronome", gravity=(0, 0, -9.81) if space else (0, -9.81))
    m.body("b", mass=1.0, inertia=(0.01,) * 3 if space else 0.01, centroid=(0, 0, 1.0) if space else (0, 1.0))
    m.revolute("A", "ground", "b", at=(0, 0, 0) if space else (0, 0), **({"axis": "x"} if space else {}))
    m.user_force("spring", "A.angle", f"-{stiffness}*A.angle")
    found = sorted(float(rest.result["A.angle"][0]) for rest in m.equilibria(n_starts=3))
    np.testing.assert_allclose(9.81 * np.sin(found), stiffness * np.array(found), atol=1e-7)
    assert len(found) == count
    np.testing.assert_allclose(found, -np.array(found[::-1]), atol=1e-7)
