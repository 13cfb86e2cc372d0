"""Independent coordinates of mechanisms: the choice, its reasons, the influence matrix against motions, and what units do not change."""

import math

import numpy as np
import pytest

import pytrammel as tm
from fuzzing.check import make, other_units
from mechanisms import double_parallel_crank, four_bar
from pytrammel.examples import rssr
from pytrammel.textbook.linear import METHODS

CLOSE = 1e-6  # central differences of assembled positions with steps of 1e-4: errors of the order 1e-8


def pendulum(angle, scale=1.0):
    m = tm.PlanarModel("pendulum")
    m.body("rod", position=(2.0 * scale * math.cos(angle), 2.0 * scale * math.sin(angle)), angle=angle)
    m.revolute("A", "ground", "rod", at=(0.0, 0.0))
    return m


def sliding_mass(scale, radius=0.8, angle=math.radians(60)):
    """Example 13.1 as a model: a rod on a pin and a mass that slides along it."""
    m = tm.PlanarModel("pendulum with a sliding mass")
    s, c = math.sin(angle), math.cos(angle)
    m.body("rod", position=(0.5 * scale * s, -0.5 * scale * c), angle=angle)
    m.body("mass", position=(radius * scale * s, -radius * scale * c), angle=angle)
    m.revolute("A", "ground", "rod", at=(0.0, 0.0))
    m.prismatic("T", "rod", "mass", at=(0.0, 0.0), axis=(s, -c))
    return m


@pytest.mark.parametrize("angle", [0.2, 0.8, 1.4, 2.5])
def test_a_pendulum_follows_the_three_cases_of_the_book(angle):
    m = pendulum(angle)
    by_x = m.partition(coordinates=["rod.x"])
    assert by_x.influence("rod.phi", "rod.x") == pytest.approx(-1 / (2 * math.sin(angle)))
    assert by_x.influence("rod.y", "rod.x") == pytest.approx(-math.cos(angle) / math.sin(angle))
    by_angle = m.partition(coordinates=["rod.phi"])
    assert by_angle.H[:, 0] == pytest.approx([-2 * math.sin(angle), 2 * math.cos(angle)])


def test_an_independent_coordinate_that_cannot_be_is_refused():
    with pytest.raises(tm.SingularError, match=r"rod.x cannot be independent here.*rod.y, rod.phi could still move"):
        pendulum(0.0).partition(coordinates=["rod.x"])
    with pytest.raises(tm.ModelError, match="leave 1 independent"):
        pendulum(0.3).partition(coordinates=["rod.x", "rod.y"])
    with pytest.raises(tm.ModelError, match="method='qr' would not be used"):
        pendulum(0.3).partition(coordinates=["rod.x"], method="qr")
    with pytest.raises(tm.ModelError, match="method 'best' is not known; use one of: 'gauss'"):
        pendulum(0.3).partition(method="best")
    with pytest.raises(tm.ModelError, match="'rod' has no 'z'"):
        pendulum(0.3).partition(coordinates=["rod.z"])
    with pytest.raises(tm.ModelError, match=r"a row of result\.q with 3 numbers"):
        pendulum(0.3).partition(at=[1.0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("build", [pendulum, sliding_mass])
def test_millimetres_and_metres_choose_alike(method, build):
    args = (0.4,) if build is pendulum else ()
    found = [build(*args, scale=scale).partition(method=method) for scale in (1.0, 1000.0, 1e-3)]
    assert len({p.independent for p in found}) == 1
    assert [p.amplification for p in found] == pytest.approx([found[0].amplification] * 3)


@pytest.mark.parametrize("space", ["plane", "space"])
@pytest.mark.parametrize("seed", range(4))
def test_units_do_not_change_the_choice_in_random_mechanisms(seed, space):
    here, there = make(seed, space).model, make(seed, space, other_units(seed)).model
    for method in METHODS:
        one, other = here.partition(method=method), there.partition(method=method)
        assert one.independent == other.independent
        assert one.amplification == pytest.approx(other.amplification)


@pytest.mark.parametrize("method", METHODS)
def test_influence_agrees_with_assembled_positions(method):
    m = four_bar(2, 4, 4, 2.5, crank=1.0)
    m = m.copy(without=[c.name for c in m.constraints.values() if c.is_driver])
    p = m.partition(method=method)
    (v,) = p.independent
    step = 1e-4
    start = m.assemble().q
    columns = list(p.found.names)
    at = start[columns.index(v)]
    sides = [m.assemble(initial={v: at + d}).q for d in (-step, step)]
    for u in p.dependent:
        difference = (sides[1] - sides[0])[columns.index(u)] / (2 * step)
        assert p.influence(u, v) == pytest.approx(difference, abs=CLOSE)


def test_joint_angles_serve_as_independent_coordinates():
    m = four_bar(2, 4, 4, 2.5, crank=1.0)
    k = m.kinematics(times=[0.0])
    angle = next(name for name in ("A.angle", "B.angle") if name.split(".")[0] in m.constraints)
    p = m.partition(coordinates=[angle])
    rates = dict(zip(k.coordinate_names, k.v[0], strict=True))
    driven = k.series(angle).rate[0]
    for u in p.dependent:
        assert p.influence(u, angle) * driven == pytest.approx(rates[u], abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_in_space_velocities_follow_from_the_independent_ones(method):
    m = rssr.build()
    k = m.kinematics(0.3, samples=4)
    for i in range(4):
        p = m.partition(method=method, at=k.q[i])
        rates = dict(zip(k.coordinate_names, k.v[i], strict=True))
        v = np.array([rates[name] for name in p.independent])
        assert p.H @ v == pytest.approx([rates[name] for name in p.dependent], abs=1e-9)
        assert p.dof == 1
    by_angle = m.partition(coordinates=["D.angle"], at=k.q[1])
    assert by_angle.influence("crank.rx", "D.angle") == pytest.approx(
        dict(zip(k.coordinate_names, k.v[1], strict=True))["crank.rx"] / k.series("D.angle").rate[1]
    )


def test_redundant_rows_are_named():
    for method in METHODS:
        p = double_parallel_crank().partition(method=method)
        assert (p.rank, p.dof, len(p.redundant)) == (11, 1, 1)
    (row,) = double_parallel_crank().partition(method="gauss").redundant  # row by row, the last joint is to blame
    assert (row.split()[0],) == double_parallel_crank().mobility().redundant_joints


def test_another_position_is_asked_for_by_values():
    p = pendulum(0.4).partition(at={"A.angle": 0.5}, coordinates=["rod.phi"])
    assert p.influence("rod.x", "rod.phi") == pytest.approx(-2 * math.sin(0.5))


def test_drivers_count_only_if_asked():
    m = pendulum(0.4)
    m.driver("D", "A.angle", "0.1*t")
    assert m.partition().dof == 1
    assert m.partition(drivers=True).dof == 0
    assert "independent: none" in str(m.partition(drivers=True))


def test_a_free_body_has_nothing_but_independent_coordinates():
    m = tm.PlanarModel("stone")
    m.body("stone")
    assert m.partition().independent == ("stone.x", "stone.y", "stone.phi")


def test_the_report_says_why():
    text = str(sliding_mass(1.0).partition(method="gauss"))
    assert "2" in text and "independent:" in text
    assert "A row 1 → rod.x" in text and "largest:" in text
    assert repr(sliding_mass(1.0).partition()).count("\n") == 0
