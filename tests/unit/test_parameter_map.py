"""From values of parameters to the numbers of lowered systems."""

import math
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.positions.assembly import active_rows, whole_turns
from pytrammel.model.parameters import checked_free
from pytrammel.system.lowering import lower
from pytrammel.system.parameter_map import parameter_map


def four_bar() -> tm.PlanarModel:
    m = tm.PlanarModel("four-bar")
    crank, rocker = m.parameter("crank", 0.1), m.parameter("rocker", "300 mm")
    mass, stiffness = m.parameter("mass", 2.0), m.parameter("stiffness", 40.0)
    m.parameter("half", 0.5 * crank)
    a = m.body("a", position=("half", 0), mass=mass, inertia=0.01, omega=3 * crank)
    b = m.body("b", position=(0.25, 0.2), mass=1.0, inertia=0.02)
    c = m.body("c", position=(0.4, 0.5 * rocker), angle=tm.deg(90), mass=1.0, inertia=0.02)
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", a, b, at=(crank, 0))
    m.revolute("C", b, c, at=(0.4, rocker))
    m.revolute("D", m.ground, c, at=(0.4, 0))
    m.spring("S", a, c, stiffness=stiffness, free_length=0.2)
    return m


@pytest.fixture(scope="module")
def model() -> tm.PlanarModel:
    return four_bar()


def test_every_variant_has_the_numbers_of_its_own_lowering_bit_for_bit(model: tm.PlanarModel) -> None:
    m = parameter_map(model, dynamics=True)
    assert m.names == ("crank", "rocker", "mass", "stiffness")
    rng = np.random.default_rng(1)
    values = m.values * rng.uniform(0.8, 1.25, (6, 4))
    found = m.at(values)
    assert found.fits.all()
    assert not found.errors
    for k, row in enumerate(values):
        alone = lower(m.model(row), dynamics=True)
        assert np.array_equal(found.floats[k], alone.floats)
        assert np.array_equal(found.start[k], alone.start)
        assert found.length[k] == alone.length
        assert found.velocities[k, 2] == 3 * row[0]
        assert np.isnan(found.velocities[k, 3:]).all()


def test_a_variant_that_is_refused_says_why_and_the_others_stand(model: tm.PlanarModel) -> None:
    m = parameter_map(model, dynamics=True)
    values = np.tile(m.values, (3, 1))
    values[1, 2] = -1.0
    values[2, 0] = math.nan
    found = m.at(values)
    assert found.fits.tolist() == [True, False, False]
    assert "mass of body 'a' is -1 kg" in found.errors[1]
    assert "'crank' is nan" in found.errors[2]


def test_another_structure_is_not_taken_for_the_same() -> None:
    m = tm.PlanarModel("pendulum")
    static = m.parameter("static", 0.3)
    b = m.body("b", mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, b, at=(0, 0))
    m.joint_friction("F", "A", friction=(static, 0.2), radius=0.1)
    found = parameter_map(m, dynamics=True).at([[0.4], [0.2]])
    assert found.fits.tolist() == [True, False]  # with one coefficient the law needs no exponential
    assert not found.errors  # there is nothing wrong with it: it must be run by itself


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0, 2.0])
def test_numbers_that_formulas_could_fold_away_do_not_make_a_structure_of_their_own(value: float) -> None:
    m = tm.PlanarModel("pendulum")
    c, off, power = m.parameter("c", value), m.parameter("off", value), m.parameter("power", value)
    b = m.body("b", centroid=(off, 0.0), mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, b, at=(0, 0))
    m.driver("D", "A.angle", c * tm.time + tm.time**power)
    made = parameter_map(m, dynamics=True)
    assert made.traced
    assert made.at([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.3, 0.4, 2.0], [-1.0, -1.0, 3.0]]).fits.all()


def test_derivatives_of_the_numbers_are_those_of_the_formulas(model: tm.PlanarModel) -> None:
    m = parameter_map(model, dynamics=True)
    d = m.jacobian()
    a = m.system.coordinates.index("a.x")
    assert d.start[a] == pytest.approx([0.5, 0, 0, 0], abs=1e-11)
    assert d.velocities[2] == pytest.approx([3, 0, 0, 0], abs=1e-11)
    at = int(np.flatnonzero(m.system.floats == 1.0 / 2.0)[0])  # the inverse mass of a
    assert d.floats[at] == pytest.approx([0, 0, -0.25, 0], abs=1e-11)
    # the longest body is the rocker: from its end to its joint on the ground
    assert d.length.shape == (4,)


def test_python_functions_as_laws_do_not_make_another_structure() -> None:
    m = tm.PlanarModel("sprung")
    k = m.parameter("mass", 2.0)
    b = m.body("b", mass=k, inertia=1.0)
    m.user_force("F", b.x, lambda x: -3.0 * x, inputs=["b.x"])
    found = parameter_map(m, dynamics=True).at([[1.0], [3.0]])
    assert found.fits.all()


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["crnk"], "'crnk' is no parameter. Did you mean 'crank'?"),
        (["half"], "given by the formula '0.5*crank' and follows it; vary crank instead"),
        ("crank", "must be a list of names"),
        (["crank", "crank"], "named twice"),
    ],
)
def test_what_cannot_be_varied_is_refused(model: tm.PlanarModel, names: object, told: str) -> None:
    with pytest.raises(tm.ModelError, match="sweep: ") as caught:
        checked_free(model, names, "sweep")  # type: ignore[arg-type]
    assert told in str(caught.value)


def test_a_parameter_that_nothing_uses_cannot_be_varied() -> None:
    m = four_bar()
    m.parameter("idle", 3.0)
    with pytest.raises(tm.ModelError, match="nothing in the model uses the parameter 'idle'"):
        checked_free(m, ["idle"], "sweep")


def test_tables_of_the_wrong_shape_are_refused(model: tm.PlanarModel) -> None:
    with pytest.raises(tm.ModelError, match=r"4 columns \(crank, rocker, mass, stiffness\)"):
        parameter_map(model).at(np.zeros((2, 3)))


def test_variants_beyond_the_bounds_are_refused_unless_they_may_be() -> None:
    m = tm.PlanarModel("block")
    b = m.body("b", mass=m.parameter("mass", 2.0, bounds=(1, 3)), inertia=1.0)
    m.revolute("A", m.ground, b, at=(0, 0))
    made = parameter_map(m, dynamics=True)
    found = made.at([[1.0], [3.5]])
    assert found.fits.tolist() == [True, False]
    assert "above its upper bound 3" in found.errors[1]
    assert made.at([[3.5]], bounded=False).fits.all()


def test_the_start_with_whole_turns_comes_from_the_tape_too() -> None:
    m = tm.PlanarModel("crank")
    begin = m.parameter("begin", 0.2)
    b = m.body("b", mass=1.0, inertia=1.0, angle=0.1)
    m.revolute("A", m.ground, b, at=(0, 0))
    m.driver("D", "A.angle", begin + tm.time)
    made = parameter_map(m, also={"begin": lambda system: whole_turns(system, active_rows(system), 0.0)})
    assert made.traced
    found = made.at([[0.2], [7.0], [-13.0]])
    assert found.also["begin"][:, 2] == pytest.approx([0.1, 0.1 + 2 * math.pi, 0.1 - 4 * math.pi], abs=1e-12)
    assert found.start[:, 2].tolist() == [0.1, 0.1, 0.1]


def test_mechanisms_in_space_are_followed_as_well() -> None:
    m = tm.SpatialModel("RSSR")
    crank, rocker, mass = m.parameter("crank", 0.05), m.parameter("rocker", 0.12), m.parameter("mass", 0.4)
    high, slim = m.parameter("high", 0.1), m.parameter("slim", 0.02)
    ends = {"crank": (0, 0, high), "coupler": (0, 0, high + crank), "rocker": (0.2, 0.1, 0)}
    for name, place in ends.items():
        m.body(name, position=place, mass=mass, inertia=(slim, 0.01, slim), centroid=(0, 0, 0.5 * crank))
    m.revolute("A", m.ground, "crank", at=(0, 0, high), axis="x")
    m.universal("B", "crank", "coupler", at=ends["coupler"], axis="x", second_axis="z")
    m.spherical("C", "coupler", "rocker", at=(0.2, 0.1, rocker))
    m.revolute("D", m.ground, "rocker", at=(0.2, 0.1, 0), axis="y")
    m.driver("motor", "A.angle", "4*pi*t")
    made = parameter_map(m, dynamics=True)
    assert made.traced
    values = made.values * np.random.default_rng(2).uniform(0.9, 1.1, (20, 5))
    found = made.at(values)
    assert found.fits.all()
    for k in (0, 19):
        assert np.array_equal(found.floats[k], lower(made.model(values[k]), dynamics=True).floats)


def test_places_on_bodies_and_one_line_helpers_take_parameters(tmp_path: Path) -> None:
    def described(use: bool) -> tm.PlanarModel:
        m = tm.PlanarModel("helpers")
        length, mass = (m.parameter("length", 0.4), m.parameter("mass", 2.0)) if use else (0.4, 2.0)
        m.point("O", m.ground, at=(0.5 * length, 0.1))
        rod = m.bar("rod", "O", (length, 0.3), mass=mass)
        disc = m.disc("disc", (0, length), radius=0.25 * length, mass="mass/2" if use else 1.0)
        m.beam("beam", (0, 0), (2 * length, 0), EI=mass, mass=mass, parts=2)
        m.revolute("A", m.ground, rod, at=(length, 0.3))
        m.revolute("B", rod.at(0.1 * length, 0.05), disc.at(0.0, 0.1 * length))
        m.spring("S", rod.at_global(length, 0.2), disc, stiffness=10.0)
        return m

    model = described(True)
    made = parameter_map(model, dynamics=True)
    assert made.traced
    plain = lower(described(False), dynamics=True)
    assert sorted(set(np.round(np.abs(made.system.floats), 12))) == sorted(set(np.round(np.abs(plain.floats), 12)))
    np.testing.assert_allclose(made.system.start, plain.start, rtol=1e-15)
    other = made.model([0.5, 3.0])
    assert other.bodies["rod"].points["b"][0] == pytest.approx(0.5 * math.hypot(0.25, 0.2), rel=1e-14)
    assert other.bodies["disc"].inertia == pytest.approx(0.5 * 1.5 * 0.125**2, rel=1e-14)
    assert other.constraints["B"].seats[0].point == pytest.approx((0.05, 0.05))
    again = tm.load(model.save(tmp_path / "helpers.toml"))
    assert again.with_parameters(length=0.5, mass=3.0).constraints["B"].seats == other.constraints["B"].seats
    with pytest.raises(tm.ModelError, match="a place in terms of parameters has no 'x' yet"):
        _ = other["rod"].at("length", 0).x


def test_tables_and_markers_take_parameters() -> None:
    m = tm.SpatialModel("table")
    top, tilt = m.parameter("top", 2.0), m.parameter("tilt", 0.1)
    m.define_table("push", {"x": [0, 1, 2], "y": [0, "top", 2 * top]})
    b = m.body("b", mass=1.0, inertia=1.0)
    m.revolute("A", m.ground.marker((0, 0, tilt), axis=(tm.functions.sin(tilt), 0, tm.functions.cos(tilt))), b.marker())
    m.motor("M", "A", "push(t)")
    other = m.with_parameters(top=3.0, tilt=0.2)
    assert other.tables["push"].y[-1] == 6.0
    assert other.constraints["A"].seats[0].point == (0.0, 0.0, 0.2)
    found = parameter_map(m, dynamics=True)
    values = [[2.5, 0.3], [1.0, 0.0]]
    assert np.array_equal(found.at(values).floats[0], lower(m.with_parameters(top=2.5, tilt=0.3), dynamics=True).floats)


def test_ends_that_depend_on_parameters_in_a_way_that_is_not_known_are_refused() -> None:
    m = tm.PlanarModel("bars")
    a = m.body("a", position=(m.parameter("far", 1.0), 0))
    m.point("P", a, local=(0.1, 0))
    with pytest.raises(tm.ModelError, match="whose place depends on parameters"):
        m.bar("b", "P", (3, 0), mass=1.0)
