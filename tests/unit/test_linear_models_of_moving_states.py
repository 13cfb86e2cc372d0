"""Linear models about instants of any motion are the derivatives of accelerations and outputs that runs have there."""

import numpy as np
import pytest

import trammel as tm

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
    m.torsion_spring("bearing", "a", "b", damping=0.7)
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


@pytest.mark.parametrize("case", [pendulum, two_links, four_bar, arm_in_space])
def test_linear_models_of_moving_states_are_derivatives_of_runs(case):
    model, start, coordinates, outputs = case()

    def run(state):
        return model.simulate(times=[0.0, 1e-9], initial=state)

    here = run(start)
    with pytest.warns(tm.RunWarning, match="steady"):
        linear = model.linearize(at=here, time=0.0, outputs=outputs, coordinates=coordinates)
    state = {name: float(here[name][0]) for name in linear.states}
    wanted = [f"{name}.second" for name in coordinates] + outputs

    def values(name, side):
        r = run({**state, name: state[name] + side * STEP})
        return np.array([r[one][0] for one in wanted])

    truth = np.array([(values(name, 1) - values(name, -1)) / (2 * STEP) for name in linear.states]).T
    found = np.vstack([linear.A[len(coordinates) :], linear.C])
    np.testing.assert_allclose(found, truth, rtol=OFF, atol=OFF * np.abs(truth).max())
