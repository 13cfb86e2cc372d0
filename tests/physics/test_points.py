"""Bodies as particles (Attia): the same mass, centroid and inertia, the same motion and reactions as in body coordinates."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import pytrammel as tm
from formulation_models import MODELS, TIGHT, slider_crank
from moving_samples import ALL, sample_model
from pytrammel.examples import find
from pytrammel.system.particles import Inertia, equivalent

# --- equivalent particles -----------------------------------------------------------------------------------------------------


def moments(own):
    """Mass, first and second moments of particles about the origin of the body."""
    s, m = own.places, own.masses
    return m.sum(), m @ s, np.einsum("i,ij,ik->jk", m, s, s)


@pytest.mark.parametrize("seed", range(5))
def test_particles_have_the_mass_the_centroid_and_the_moments_of_any_body(seed):
    rng = np.random.default_rng(seed)
    c = rng.normal(size=3)
    cloud = rng.normal(size=(20, 3)) * rng.uniform(0.2, 2.0, size=3) + c
    masses = rng.uniform(0.1, 1.0, size=20)
    total, first, second = masses.sum(), masses @ cloud, np.einsum("i,ij,ik->jk", masses, cloud, cloud)
    solid = equivalent("body", rng.normal(size=(4, 3)), Inertia(total, first / total, second))
    assert len(solid.masses) == 10
    for found, true in zip(moments(solid), (total, first, second), strict=True):
        assert found == pytest.approx(true, rel=1e-9, abs=1e-9)
    plate = equivalent("body", rng.normal(size=(3, 2)), Inertia(total, first[:2] / total, second[:2, :2]))
    mass, centre, polar = moments(plate)
    assert mass == pytest.approx(total)
    assert centre == pytest.approx(first[:2], rel=1e-9)
    assert np.trace(polar) == pytest.approx(np.trace(second[:2, :2]), rel=1e-9)
    line = np.array([first[:2] / total + k * rng.normal(size=2) * [1.0, 0.0] for k in (-1.0, 1.0)])
    rod = equivalent("body", line, Inertia(total, first[:2] / total, second[:2, :2]))
    mass, centre, polar = moments(rod)
    assert mass == pytest.approx(total)
    assert centre == pytest.approx(first[:2], rel=1e-9)
    assert np.trace(polar) == pytest.approx(np.trace(second[:2, :2]), rel=1e-9)


# --- motions ------------------------------------------------------------------------------------------------------------------


def differences(one, two):
    """Largest differences of positions, velocities, accelerations and multipliers against their sizes."""
    loads = max(1.0, np.abs(one.dynamics.multipliers).max(initial=0.0), np.abs(one.a).max())
    return [
        np.abs(a - b).max(initial=0.0) / max(least, np.abs(a).max(initial=0.0))
        for a, b, least in (
            (one.q, two.q, 1.0), (one.v, two.v, 1.0), (one.a, two.a, 1.0),
            (one.dynamics.multipliers, two.dynamics.multipliers, loads),
        )
    ]  # fmt: skip


VARIABLES = {"particles": tm.formulations.points, "joint": tm.formulations.points(variables="joint")}


@pytest.mark.parametrize("variables", VARIABLES)
@pytest.mark.parametrize("name", MODELS)
def test_the_motion_and_all_reactions_are_those_in_body_coordinates(name, variables):
    build, duration = MODELS[name]
    m = build()
    one = m.simulate(duration, samples=11, **TIGHT)
    two = m.simulate(duration, samples=11, formulation=VARIABLES[variables], **TIGHT)
    # both runs are asked for 1e-12 a step; what that leaves after some dozen steps
    assert max(differences(one, two)) < 1e-9
    assert two.constraint_violation() < 1e-11


@pytest.mark.filterwarnings(
    "ignore::pytrammel.errors.RunWarning"
)  # teeth that part and wheels that lift: drawn anywhere, nothing holds them
@pytest.mark.parametrize(("where", "kind"), ALL)
def test_every_joint_and_driver_moves_as_in_body_coordinates(where, kind):
    """Eccentric bodies with one joint or driver between them, one on a rail: what particles do not hold stays a row on them."""
    m, it = sample_model(where, kind, 17)
    held = m.bodies[it.bodies[-1] if it.bodies[-1] != "ground" else it.bodies[0]]
    if where == "plane" and kind != "fix":
        m.point_on_line("rail", m.ground, held.at(0.3, 0.2), axis=(1.0, 0.4), at=held.at(0.3, 0.2).drawn)
    elif kind != "fix":
        place = held.at(0.3, 0.2, 0.1)
        m.point_on_plane("rail", m.ground, place, at=place.drawn, axis=(0.48, 0.36, 0.8))
    one = m.simulate(0.05, samples=3, **TIGHT)
    for formulation in VARIABLES.values():
        two = m.simulate(0.05, samples=3, formulation=formulation, **TIGHT)
        assert max(differences(one, two)) < 1e-9


@pytest.mark.parametrize("variables", VARIABLES)
@pytest.mark.parametrize("treatment", ["projection", "baumgarte", "none"])
@pytest.mark.parametrize("method", ["dopri5", "adams", "bdf", "radau5"])
def test_distances_and_loops_are_held_under_every_treatment_that_is_offered(treatment, method, variables):
    m = slider_crank()
    one = m.simulate(0.4, samples=5, **TIGHT)
    two = m.simulate(
        0.4,
        formulation=VARIABLES[variables],
        method=method,
        constraints=treatment,
        rtol=1e-7,
        progress=False,
        samples=5,
    )
    assert two.q == pytest.approx(one.q, abs=3e-5)  # a hundred steps of 1e-7, and a swing that amplifies


def test_events_and_what_they_change_are_the_same():
    m = slider_crank()
    events = [
        tm.Event("other rod", "t - 0.1", change={"rod": {"mass": 1.5}, "s": {"stiffness": 100.0}}),
        tm.Event("kick", "t - 0.2", impulse=[("rod", 0.05)]),
    ]
    one = m.simulate(0.4, samples=9, events=events, **TIGHT)
    for formulation in VARIABLES.values():
        two = m.simulate(0.4, samples=9, events=events, formulation=formulation, **TIGHT)
        assert len(one.events) == len(two.events) == 2
        assert max(differences(one, two)) < 1e-9


@pytest.mark.parametrize("variables", VARIABLES)
def test_rigid_blows_and_what_rests_after_them_are_the_same(variables):
    m = tm.PlanarModel("plank")
    m.body("p", position=(0.0, 0.3), angle=0.1, mass=2.0, inertia=0.1)
    for name, x in (("left", -0.4), ("right", 0.5)):
        m.contact_line(
            name, m["p"].at(x, 0.0), "ground", at=(0, 0), axis=(1, 0), law="rigid", restitution=0.3, friction=0.5
        )
    one = m.simulate(2.0, samples=9, rtol=1e-10, progress=False)
    two = m.simulate(2.0, samples=9, rtol=1e-10, progress=False, formulation=VARIABLES[variables])
    assert two.q == pytest.approx(one.q, abs=1e-8)  # instants of blows are good to rtol


def test_bodies_turn_round_many_times_and_keep_count():
    m = tm.PlanarModel("wheel", gravity=(0, 0))
    m.body("wheel", position=(0, 0), mass=1.0, inertia=0.1, omega=40.0)
    m.revolute("A", "ground", "wheel", at=(0, 0))
    assert m.simulate(2.0, samples=2, formulation="points", progress=False)["wheel"].phi[-1] == pytest.approx(
        80.0, abs=1e-6
    )


# --- the choice of particles --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chosen",
    [[(-0.25, 0.1), (0.25, -0.1), (0.0, 0.3)], [(-0.25, 0.1), (0.3, 0.2), (0.1, -0.4)], [(1, 1), (2, 1), (1, 3)]],
)
def test_the_motion_does_not_depend_on_the_particles(chosen):
    m = slider_crank()
    one = m.simulate(0.3, samples=5, **TIGHT)
    two = m.simulate(0.3, samples=5, formulation=tm.formulations.points(particles={"rod": chosen}), **TIGHT)
    assert max(differences(one, two)) < 1e-9


def test_pins_share_particles_where_both_bodies_have_one_there():
    m = slider_crank()
    assert "B" in tm.textbook.particles(m).particles.joints
    apart = tm.textbook.particles(m, particles={"rod": [(1, 1), (2, 1), (1, 3)]})
    assert "B" not in apart.particles.joints
    assert {"B", "C"} <= set(apart.rows)


def test_hinges_share_two_particles_and_balls_one():
    m = tm.SpatialModel("hinge and ball", gravity=(0, 0, -9.81))
    m.body("arm", position=(0.5, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.body("rod", position=(1.5, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "arm", at=(0, 0, 0), axis="z")
    m.spherical("B", "arm", "rod", at=(1, 0, 0))
    found = tm.textbook.particles(m)
    assert len(found.particles.fixed) == 2
    assert sum(owners == ("arm", "rod") for owners in found.particles.owners) == 1
    assert found.rows == ()


def test_distances_of_the_report_are_those_between_its_places():
    found = tm.textbook.particles(MODELS["Bennett"][0]())
    for i, j, length in found.particles.distances:
        assert np.linalg.norm(found.places[i] - found.places[j]) == pytest.approx(length, rel=1e-9)
    # each body has six, a hinge's own distance is common, and fixed particles need none
    own = {frozenset(pair) for each in found.particles.bodies for pair in combinations(each.numbers, 2)}
    assert len(found.particles.distances) == sum(min(pair) < found.particles.n_free for pair in own)


def test_the_report_tells_places_masses_and_why_some_are_negative():
    text = str(tm.textbook.particles(find("planar_platform").build()))
    assert "6 move (12 coordinates), 3 are fixed; 9 distances and 0 other rows" in text
    assert "no mistake" in text
    assert "-0.5" in text


# --- what is refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("particles", "options", "said"),
    [
        ({"nobody": [(0, 0), (1, 0)]}, {}, "there is no such body"),
        ([(0, 0)], {}, "particles must be a mapping by name"),
        ({"rod": [(0, 0)]}, {}, r"two \(a rod\), three"),
        ({"rod": [(0, 0, 0), (1, 0, 0)]}, {}, "2 body coordinates each"),
        ({"rod": "ends"}, {}, "give two"),
        ({"rod": [(0, 0), (1, 0), (2, 0)]}, {}, "on one line"),
        ({"rod": [(0, 0), (0, 0)]}, {}, "at one place"),
        ({"rod": [(0, 0), (math.nan, 0)]}, {}, "finite"),
        ({"rod": [(-0.25, 0.1), (0.25, -0.1)]}, {}, "off their line. Give three"),
        (None, {"constraints": "penalty"}, "distances are held by"),
        (None, {"initial": tm.InitialConditions(correct=False)}, "closed"),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_reason(particles, options, said):
    with pytest.raises(tm.ModelError, match=said):
        chosen = tm.formulations.points(particles=particles)
        slider_crank().simulate(0.1, formulation=chosen, progress=False, **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"variables": "angles"}, "variables must be one of the words 'particles', 'joint'"),
        ({"cut": ["A"]}, "add variables='joint'"),
        ({"variables": "joint", "cut": ["nothing"]}, "is no joint"),
        ({"variables": "joint", "base": "nobody"}, "is no body"),
        ({"variables": "joint", "particles": {"rod": [(0, 0)]}}, "give two"),
        ({"form": "bodies"}, "no option 'form'"),
    ],
)
def test_variables_that_are_not_known_are_refused(options, said):
    with pytest.raises(tm.ModelError, match=said):
        slider_crank().simulate(0.1, formulation=tm.formulations.points(**options), progress=False)


@pytest.mark.parametrize("variables", VARIABLES)
def test_a_rod_that_spins_about_itself_without_inertia_is_refused(variables):
    m = tm.SpatialModel("thin rod", gravity=(0, 0, -9.81))
    m.body("rod", position=(0.5, 0, 0), mass=1.0, inertia=(0.0, 0.1, 0.1))
    m.spherical("A", "ground", "rod", at=(0, 0, 0))
    with pytest.raises(tm.ModelError, match=r"nothing resists along 'rod.rx'.*cartesian"):
        m.simulate(0.1, formulation=VARIABLES[variables], progress=False)


def pins_everywhere(pins):
    """A beam with three bodies hung on it: at one pin, along a line, or at more pins than it has particles."""
    m = tm.PlanarModel("pins", gravity=(0, -9.81))
    m.body("beam", position=(0, 0), mass=3.0, inertia=1.0, centroid=(0.0, 0.2))
    m.revolute("A", "ground", "beam", at=(-1, 0))
    for k, (x, y) in enumerate(pins):
        m.body(f"b{k}", position=(x + 0.1, y - 0.5), mass=1.0, inertia=0.1 * k)
        m.revolute(f"J{k}", "beam", f"b{k}", at=(x, y))
    return m


@pytest.mark.parametrize("variables", VARIABLES)
@pytest.mark.parametrize("pins", [[(0, 0)] * 3, [(0, 0), (0.5, 0), (1, 0)], [(0, 1), (0.2, -1), (1, 0.3)]])
def test_pins_may_lie_anywhere_on_a_body(pins, variables):
    m = pins_everywhere(pins)
    one = m.simulate(0.5, samples=5, **TIGHT)
    two = m.simulate(0.5, samples=5, formulation=VARIABLES[variables], **TIGHT)
    assert max(differences(one, two)) < 1e-9


@pytest.mark.parametrize("variables", VARIABLES)
def test_bodies_without_mass_between_others_are_no_trouble(variables):
    m = tm.PlanarModel("massless rod", gravity=(0, -9.81))
    m.body("arm", position=(0.5, 0), mass=1.0, inertia=0.1)
    m.body("rod", position=(1.5, 0.1), massless=True)
    m.body("bob", position=(2.2, -0.5), mass=2.0, inertia=0.2)
    for name, first, second, at in (
        ("A", "ground", "arm", (0, 0)),
        ("B", "arm", "rod", (1, 0)),
        ("C", "rod", "bob", (2, 0.2)),
    ):
        m.revolute(name, first, second, at=at)
    one = m.simulate(0.5, samples=5, **TIGHT)
    two = m.simulate(0.5, samples=5, formulation=VARIABLES[variables], **TIGHT)
    assert max(differences(one, two)) < 1e-9
