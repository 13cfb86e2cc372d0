"""Rests at which the only force vanishes, rests along neutral directions, and rests whose joints a penalty leaves open."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm


def slider(u, k):
    m = tm.PlanarModel("slider", gravity=(0, 0))
    m.body("b", position=(u(-1, 1), 0), mass=1, inertia=0.1)
    m.prismatic("G", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.spring("S", m.ground.at(3, u(-1, 1)), m["b"].at(0, 0), stiffness=k, free_length=u(1.1, 2.5))
    return m


def lever(u, k):
    m = tm.PlanarModel("lever", gravity=(0, 0))
    m.body("b", position=(0.5, 0), mass=1, inertia=0.1)
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.torsion_spring("S", first=m.ground, second="b", stiffness=k, free_angle=u(-3, 3))
    return m


def leash(u, k):
    m = tm.PlanarModel("leash", gravity=(0, 0))
    m.body("b", position=(u(0.5, 1), u(0, 1)), mass=1, inertia=0.1)
    m.spring("S", m.ground.at(0, 0), m["b"].at(0.2, 0.1), stiffness=k, free_length=u(0.2, 1))
    return m


def arms(u, k):
    m = tm.PlanarModel("arms", gravity=(0, 0))
    m.body("a", position=(0.5, 0), mass=1, inertia=0.1)
    m.body("b", position=(1.5, 0), mass=1, inertia=0.1)
    m.revolute("A", m.ground, "a", at=(0, 0))
    m.revolute("B", "a", "b", at=(1, 0))
    m.spring("S", m.ground.at(u(1, 1.8), u(0.5, 0.8)), m["b"].at(0.5, 0), stiffness=k, free_length=u(0.3, 1))
    return m


def ball(u, k):
    m = tm.SpatialModel("ball", gravity=(0, 0, 0))
    m.body("b", position=(0.5, 0, 0), mass=1, inertia=0.1)
    m.spherical("A", m.ground, "b", at=(0, 0, 0))
    m.spring("S", m.ground.at(1.2, 0.6, u(0, 0.5)), m["b"].at(0.5, 0, 0), stiffness=k, free_length=u(0.8, 2))
    return m


BUILT = (slider, lever, leash, arms, ball)


def case(build, seed):
    rng = np.random.default_rng(seed)
    return build(rng.uniform, 10 ** rng.uniform(0, 6))


@pytest.mark.parametrize("build", BUILT)
@pytest.mark.parametrize("nearest", [False, True])
def test_the_only_spring_comes_to_its_free_length(build, nearest):
    """Each can reach it; that is where the model rests, and a quarter of these searches never met a tolerance against no force."""
    for seed in range(6):
        rest = case(build, seed).equilibrium(allow_unstable=nearest)
        off = rest.potential.value / float(np.abs(rest.stiffness).max())  # in squares of the model's size
        assert off < 1e-20 or nearest  # the nearest balance may be where the spring is longest
        assert rest.residual < 1e-11


@pytest.mark.parametrize("method", ["partitioned", "energy", "joint", "damping", "augmented"])
def test_every_method_finds_a_rest_without_forces(method):
    for build in (lever, arms):
        rest = case(build, 3).equilibrium(method=method)
        assert rest.potential.value / float(np.abs(rest.stiffness).max()) < 1e-16


def test_a_family_of_rests_is_listed_once():
    for seed in range(2):
        (rest,) = case(leash, seed).equilibria(n_starts=10)
        assert rest.neutral == 2  # around the anchor, and about the end of the spring


def test_rests_of_a_ball_on_a_spring_are_the_three_families():
    """At its free length on a circle, with its point nearest to the anchor, and farthest away."""
    for seed in range(2):
        m = case(ball, seed)
        law, anchor = m["S"].parameters, np.array(m["S"].parameters["first"].local)
        k, free, far = law["stiffness"], law["free_length"], float(np.linalg.norm(anchor))
        ends = [0.5 * k * (far + side * 1.0 - free) ** 2 for side in (-1.0, 1.0)]
        found = m.equilibria(n_starts=6)
        np.testing.assert_allclose(
            sorted(r.potential.value for r in found), sorted([0.0, *ends]), rtol=1e-9, atol=1e-9 * k
        )
        assert [r.neutral for r in found] == [2, 1, 1]


FREE = {  # joint and gravity against its axis: number of directions that no force resists
    ("planar", "along"): 3,
    ("cylindrical", "across"): 2,
    ("prismatic", "across"): 1,
    ("revolute", "along"): 1,
    ("revolute", "across"): 1,
    ("spherical", "across"): 3,
}


@pytest.mark.slow
@pytest.mark.sampled(12)
@pytest.mark.parametrize("joint", FREE, ids=" ".join)
@pytest.mark.parametrize("seed", range(4))
def test_rest_along_neutral_directions_is_listed_once_with_a_heavy_reaction(joint, seed):
    """The joint carries the weight: rounding of free directions times the reaction must not count as stiffness."""
    kind, gravity = joint
    rng = np.random.default_rng(seed)
    turn = tm.rotations.matrix(tm.rotations.from_axis_angle(rng.normal(size=3), rng.uniform(0.5, 3.0)))
    if seed % 2 == 0:
        turn = np.eye(3)  # zeros of free directions are exact at the start, and rounding elsewhere
    axis, across = turn[:, 2], turn[:, 0]
    place = rng.uniform(-1.0, 1.0, 3)
    pull = -9.81 * 10 ** rng.uniform(-1, 2) * (axis if gravity == "along" else across)
    m = tm.SpatialModel("free", gravity=tuple(pull))
    m.body("b", position=tuple(place), mass=3.0, inertia=(0.1, 0.2, 0.25))
    getattr(m, kind)("J", m.ground, "b", at=tuple(place), **({} if kind == "spherical" else {"axis": tuple(axis)}))
    (rest,) = m.equilibria(n_starts=4)
    assert rest.neutral == FREE[joint]
    assert rest.stable and {mode.kind for mode in rest.modes} == {"neutral"}


@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")
@pytest.mark.parametrize("weight", [1e4, 1e6])
def test_a_rest_with_open_joints_can_be_opened(weight, tmp_path):
    m = tm.PlanarModel("open")
    m.body("a", position=(0.5, 0), mass=1, inertia=0.1)
    m.body("b", position=(1.5, 0), mass=1, inertia=0.1)
    m.revolute("A", m.ground, "a", at=(0, 0))
    m.revolute("B", "a", "b", at=(1, 0))
    m.spring("S", m.ground.at(2, 1), m["b"].at(0.5, 0), stiffness=30, free_length=0.2)
    rest, closed = m.equilibrium(method="penalty", cut_stiffness=weight), m.equilibrium()
    assert "open joints" in [w.kind for w in rest.result.warnings]
    for name in "AB":
        # reactions are the loads of the penalty, and those of closed joints but for gaps of their load over the weight
        loads = rest.result.dynamics.multipliers[0][rest.result._system.rows_of((name,))]
        np.testing.assert_allclose(loads, rest.cut_loads[name], rtol=1e-6)
        np.testing.assert_allclose(
            loads, closed.result.dynamics.multipliers[0][closed.result._system.rows_of((name,))], rtol=60 / weight * 50
        )
    again = tm.load_result(rest.result.save(tmp_path / "rest.trammel"))
    np.testing.assert_array_equal(again.q, rest.result.q)
    again.draw(path=tmp_path / "rest.png")
    assert "open" in str(rest)


METHODS = ["newton", "partitioned", "energy", "joint", "penalty", "augmented"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("space", [False, True])
def test_a_force_along_a_free_direction_has_no_equilibrium(space, stiffness, method):
    """One body is held by a spring, another one is pushed along its guide, where no stiffness resists."""
    m = tm.SpatialModel("pushed", gravity=(0, 0, 0)) if space else tm.PlanarModel("pushed", gravity=(0, 0))
    zero, along = ((0, 0, 0), (1, 0, 0)) if space else ((0, 0), (1, 0))
    for name in ("held", "pushed"):
        m.body(name, position=zero, mass=1, inertia=0.1)
    if space:
        m.prismatic("G", m.ground, "held", at=zero, axis=along)
        m.prismatic("H", m.ground, "pushed", at=zero, axis=along)
        m.spring("S", m.ground.at(3, 0, 0), m["held"].at(*zero), stiffness=stiffness, free_length=2.2)
    else:
        m.prismatic("G", m.ground, "held", at=zero, axis=along)
        m.prismatic("H", m.ground, "pushed", at=zero, axis=along)
        m.spring("S", m.ground.at(3, 0), m["held"].at(*zero), stiffness=stiffness, free_length=2.2)
    m.force("F", m["pushed"].at(*zero), along)
    with pytest.raises(tm.ConvergenceError, match="no equilibrium of model 'pushed'"):
        m.equilibrium(method=method)
    assert list(m.equilibria(n_starts=3, seed=1)) == []


FLAT = ("-k*({q} - 0.7)^3", "-k*({q} - 0.7)^5", "-k*abs({q} - 0.7)*({q} - 0.7)", "-k*({q} - 0.7)^2*sinh({q} - 0.7)")


@pytest.mark.parametrize("law", FLAT)
@pytest.mark.parametrize("quantity", ["b.x", "A.angle"])
@pytest.mark.parametrize("space", [False, True])
def test_a_rest_without_stiffness_has_a_result(law, quantity, space):
    """Near it the force is the rounding of a power, of which nothing is balanced: its share of the forces says nothing."""
    m = tm.SpatialModel("flat", gravity=(0, 0, 0)) if space else tm.PlanarModel("flat", gravity=(0, 0))
    zero, along = ((0, 0, 0), (1, 0, 0)) if space else ((0, 0), (1, 0))
    m.parameter("k", 4.0)
    m.body("b", position=zero, mass=1, inertia=0.1)
    if quantity == "A.angle":
        m.revolute("A", m.ground, "b", at=zero, **({"axis": (0, 0, 1)} if space else {}))
    elif space:
        m.prismatic("A", m.ground, "b", at=zero, axis=along)
    else:
        m.prismatic("A", m.ground, "b", at=zero, axis=along)
    m.user_force("F", quantity, law.format(q=quantity))
    rest = m.equilibrium()
    assert rest.result[quantity][0] == pytest.approx(0.7, abs=1e-9)
    assert abs(rest.result["F.force"][0]) < 1e-12
    assert rest.simulate(0.1, samples=2)[quantity][-1] == pytest.approx(0.7, abs=1e-9)
    many = m.batch({"k": [3.0, 5.0]}).equilibrium(keep=[quantity], progress=False)
    np.testing.assert_allclose(np.ravel(many.values(quantity)), 0.7, atol=1e-9)


def bead(space, law, place=1.0):
    """A slider whose only force is a law of its place."""
    m = tm.SpatialModel("bead", gravity=(0, 0, 0)) if space else tm.PlanarModel("bead", gravity=(0, 0))
    m.body("b", mass=2.0, inertia=0.1, position=(place, 0, 0) if space else (place, 0))
    if space:
        m.prismatic("J", m.ground, "b", at=(0, 0, 0), axis=(1, 0, 0))
    else:
        m.prismatic("J", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.user_force("F", "b.x", law.replace("u", "b.x"))
    return m, lambda rest: rest.pose("b")[0]


def flap(space, law, angle=1.0):
    """A hinged body whose only moment is a law of its angle."""
    m = tm.SpatialModel("flap", gravity=(0, 0, 0)) if space else tm.PlanarModel("flap", gravity=(0, 0))
    m.body("b", mass=2.0, inertia=0.1, centroid=(0.1, 0, 0) if space else (0.1, 0))
    m.revolute("J", m.ground, "b", at=(0, 0, 0) if space else (0, 0), **({"axis": (0, 0, 1)} if space else {}))
    m.user_force("F", "J.angle", law.replace("u", "J.angle"))
    return m, lambda rest: float(rest.result["J.angle"][0])


FADING = {"-5*(u-1.7)^3": 1.7, "-2000*(u-1.3)^5": 1.3, "-7*(u-1.4)^9": 1.4, "0.01*(sin(v)-v)": 1.2}
SEARCHES = ["newton", "partitioned", "energy", "joint", "augmented"]


@pytest.mark.sampled(16)
@pytest.mark.parametrize("law", FADING)
@pytest.mark.parametrize("build", [bead, flap])
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("method", SEARCHES)
def test_rests_where_force_and_stiffness_vanish_are_found_and_neutral(space, build, law, method):
    """The law vanishes at least like the cube of the distance: to rounding of forces, the distance is known to its ninth root."""
    m, place = build(space, law.replace("v", "(u-1.2)"))
    rest = m.equilibrium(method=method)
    assert place(rest) == pytest.approx(FADING[law], abs=5e-3 if "^9" in law else 1e-4)
    assert rest.neutral == 1
    assert [mode.kind for mode in rest.modes] == ["neutral"]
    assert [mode.kind for mode in rest.linearize().modes] == ["neutral"]
    assert rest.residual < 1e-11
    assert np.isfinite(rest.result["J"].reaction).all()


@pytest.mark.parametrize("stiffness", [1e-9, 1.0, 1e9])
def test_a_linear_law_is_a_stiffness_however_soft(stiffness):
    m, place = bead(False, f"-{stiffness}*(u-1.7)")
    rest = m.equilibrium()
    assert place(rest) == pytest.approx(1.7, rel=1e-12)
    assert rest.neutral == 0
    assert rest.frequencies[0] == pytest.approx((stiffness / 2.0) ** 0.5, rel=1e-9)


@pytest.mark.parametrize("method", ["damping", "settling"])
def test_motions_that_creep_name_a_method_that_searches(method):
    m, _ = bead(False, "-5*(u-2)^3")
    m.user_force("D", "b.x", "-30*b.vx")
    with pytest.raises(tm.ConvergenceError, match="newton"):
        m.equilibrium(method=method)


@pytest.mark.parametrize("rounding", [1e-18, 1e-16, 1e-15])
def test_rounding_of_positions_is_no_size_of_a_model(rounding):
    """Only the angle can change: with rounding as the unit of length, a run made no progress."""
    runs = []
    for x in (0.0, rounding):
        m = tm.PlanarModel("flap", gravity=(0, 0))
        m.body("b", mass=2.0, inertia=0.1, centroid=(0.1, 0), position=(x, -x), omega=0.2)
        m.revolute("J", m.ground, "b", at=(0, 0))
        m.user_force("F", "J.angle", "-5*(J.angle-0.5)")
        m.user_force("D", "b.x", "-60*b.vx")
        runs.append(m.simulate(0.2, samples=3)["b.phi"])
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-9)


def test_a_stiff_and_a_vanishing_law_are_found_or_another_method_is_named():
    m = tm.PlanarModel("two", gravity=(0, 0))
    for name, law in (("a", "-1e3*(a.x-1.2)"), ("b", "-5*(b.x-2)^3")):
        m.body(name, mass=1, inertia=0.1, position=(1, 0))
        m.prismatic(f"G{name}", m.ground, name, at=(0, 0), axis=(1, 0))
        m.user_force(f"F{name}", f"{name}.x", law)
    for method in SEARCHES:
        try:
            rest = m.equilibrium(method=method)
        except tm.ConvergenceError as error:
            assert "method='partitioned'" in str(error)
            assert method != "partitioned"
        else:
            assert (rest.pose("a")[0], rest.pose("b")[0]) == pytest.approx((1.2, 2.0), abs=1e-4)
            assert rest.neutral == 1
