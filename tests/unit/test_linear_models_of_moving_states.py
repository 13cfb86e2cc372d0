"""Linear models about instants of any motion are the derivatives of accelerations and outputs that runs have there."""

import numpy as np
import pytest

import pytrammel as tm

STEP = 1e-5  # of differences: their errors are about 1e-9 of slopes of a few hundred
OFF = 1e-5


def pendulum():
    m = tm.PlanarModel("pendulum")
    m.body("bob", position=(0, -1), mass=2.0, inertia=0.0)
    m.revolute("A", m.ground, "bob", at=(0, 0))
    outputs = ["bob.vx", "bob.power", "bob.ax", "system.momentum.x", "A.reaction.x"]
    return m, {"A.angle": 0.7, "A.angle.rate": 1.0}, ["A.angle"], outputs


def two_links():
    m = tm.PlanarModel("two links")
    m.body("a", position=(1, 0), mass=1.0, inertia=0.1)
    m.body("b", position=(2, 0), mass=2.0, inertia=0.2)
    m.revolute("A", "ground", "a", at=(0, 0))
    m.revolute("B", "a", "b", at=(1.2, 0))
    m.torsion_spring("bearing", first="a", second="b", damping=0.7)
    outputs = ["b.vx", "b.ay", "B.reaction.x", "b.power", "energy.kinetic"]
    return m, {"A.angle.rate": 2.0, "B.angle.rate": -1.0}, ["A.angle", "B.angle"], outputs


def four_bar():
    m = tm.PlanarModel("four-bar")
    places = [(0, 0), (0.4, 0.6), (1.7, 1.2), (1.5, 0)]
    for name, at in zip(("crank", "coupler", "rocker"), (places[0], places[1], places[3]), strict=True):
        m.body(name, position=at, mass=1.0, inertia=0.1, centroid=(0.2, 0.1))
    pairs = [("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("ground", "rocker")]
    for name, (first, second), at in zip("ABCD", pairs, places, strict=True):
        m.revolute(name, first, second, at=at)
    return m, {"A.angle.rate": 3.0}, ["A.angle"], ["coupler.vx", "coupler.speed", "C.reaction.x", "rocker.alpha"]


def arm_in_space():
    m = tm.SpatialModel("arm")
    m.body("a", position=(0.5, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.body("b", position=(1.5, 0, 0.2), mass=2.0, inertia=(0.1, 0.3, 0.2))
    m.revolute("A", "ground", "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(1, 0, 0), axis="y")
    start = {"A.angle.rate": 2.0, "B.angle": 0.3, "B.angle.rate": -1.0}
    return m, start, ["A.angle", "B.angle"], ["b.vx", "b.ay", "A.reaction.mx", "b.wx", "b.power"]


def four_bar_by_a_length():
    """The length of a spring as coordinate: its second rate depends on place and speed."""
    m, start, _, outputs = four_bar()
    m.spring("S", m.ground.at(-0.3, 1.1), m["rocker"].at(0.1, 0.7), stiffness=20.0, free_length=0.5, damping=1.0)
    return m, start, ["S.length"], outputs


def two_links_by_lengths():
    m, start, _, outputs = two_links()
    m.spring("S", m.ground.at(0.2, -0.9), m["a"].at(0.4, 0.3), stiffness=30.0, free_length=0.5, damping=1.0)
    m.spring("T", m.ground.at(1.9, 1.3), m["b"].at(0.5, 0.2), stiffness=20.0, free_length=0.5)
    return m, start, ["S.length", "T.length"], outputs


def arm_in_space_by_lengths():
    m, start, _, outputs = arm_in_space()
    m.spring("S", m.ground.at(0.2, -0.9, 0.3), m["a"].at(0.4, 0.3, 0.1), stiffness=30.0, free_length=0.5)
    m.spring("T", m.ground.at(1.9, 1.3, -0.4), m["b"].at(0.5, 0.2, 0.3), stiffness=20.0, free_length=0.5, damping=1.0)
    return m, start, ["S.length", "T.length"], outputs


def two_links_with_states():
    """Forces with states of their own, of unlike sizes, whose rates are no linear functions."""
    m, start, coordinates, outputs = two_links()
    m.state("lag", "(40.0*sin(A.angle) - lag)/0.2 + 0.001*lag*faint", initial=30.0)
    m.state("faint", "0.01*B.angle.rate - faint*lag", initial=2e-3)
    m.user_force("L", "A.angle", "0.002*lag^2 + 7.0*B.angle")
    m.user_force("M", "b.x", "-300.0*faint*lag")
    return m, start, coordinates, [*outputs, "L.force", "M.force"]


CASES = [
    pendulum,
    two_links_with_states,
    two_links,
    four_bar,
    arm_in_space,
    four_bar_by_a_length,
    two_links_by_lengths,
    arm_in_space_by_lengths,
]


@pytest.mark.parametrize("case", CASES)
def test_linear_models_of_moving_states_are_derivatives_of_runs(case):
    model, start, coordinates, outputs = case()

    def run(state):
        own = {name: {"initial": value} for name, value in state.items() if name in model.states}
        other = {name: value for name, value in state.items() if name not in model.states}
        return model.copy(changes=own).simulate(times=[0.0, 1e-9], initial=other)

    here = run(start)
    with pytest.warns(tm.RunWarning, match="steady"):
        linear = model.linearize(at=here, time=0.0, outputs=outputs, coordinates=coordinates)
    state = {name: float(here[name][0]) for name in linear.states}
    inner = [f"{name}.rate" for name in linear.states[2 * len(coordinates) :]]
    wanted = [*(f"{name}.acceleration" for name in coordinates), *inner, *outputs]

    steps = np.array(
        [STEP * abs(value) if k >= 2 * len(coordinates) else STEP for k, value in enumerate(state.values())]
    )

    def values(name, step):
        r = run({**state, name: state[name] + step})
        return np.array([r[one][0] for one in wanted])

    sides = [(values(name, h) - values(name, -h)) / (2 * h) for name, h in zip(linear.states, steps, strict=True)]
    sizes = steps / STEP  # states of unlike sizes: each column counts in its own
    truth = np.array(sides).T * sizes
    found = np.vstack([linear.A[len(coordinates) :], linear.C]) * sizes
    np.testing.assert_allclose(found, truth, rtol=OFF, atol=OFF * np.abs(truth).max())


@pytest.mark.parametrize("case", CASES[2:])
def test_the_axes_of_small_motions_do_not_matter_to_measured_coordinates(case):
    """In axes that turn with any angular velocity, coordinates that are measured between bodies obey the same equations."""
    model, start, coordinates, outputs = case()
    here = model.simulate(times=[0.0, 1e-9], initial=start)
    turns = [0.0, 1.7] if model.space.dimension == 2 else [(0.0, 0.0, 0.0), (0.7, -1.1, 0.4)]
    with pytest.warns(tm.RunWarning, match="steady"):
        one, other = (
            model.linearize(at=here, time=0.0, outputs=outputs, coordinates=coordinates, rotating=turn)
            for turn in turns
        )
    for A, B in ((one.A, other.A), (one.C, other.C)):
        np.testing.assert_allclose(A, B, rtol=OFF, atol=OFF * np.abs(A).max())
