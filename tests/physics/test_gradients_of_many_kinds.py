"""Derivatives of runs by parameters in all kinds of places, and by starts in all formulations, against differences of whole runs."""

import numpy as np
import pytest

import pytrammel as tm
from run_differences import differences

G = 9.81
TIMES = [0.0, 0.15, 0.3]
STARTS = {"A.angle": -0.5, "B.angle": 0.3, "A.angle.rate": 1.0, "B.angle.rate": -2.0}


def arms():
    """A double pendulum with one length and one mass for all."""
    m = tm.PlanarModel("arms", gravity=(0.0, -G))
    m.parameter("arm", 0.4)
    m.parameter("mass", 1.3)
    m.body("a", mass="mass", inertia=0.05, centroid=("0.5*arm", 0.02), points={"tip": ("arm", 0)})
    m.body(
        "b",
        mass=0.7,
        inertia="0.03*mass",
        centroid=("0.3*arm", 0),
        position=("arm", 0),
        points={"base": (0, 0), "tip": ("arm", 0.1)},
    )
    m.revolute("A", "ground", "a", at=(0, 0))
    m.revolute("B", "a.tip", "b.base")
    return m


def driven():
    m = arms()
    m.parameter("speed", 3.0)
    m.driver("d", "A.angle", "0.3*sin(speed*t)")
    return m, ["arm", "speed"], ["d.effort[start]", "rms(A.reaction)", "b.x[end]"], {}


def pushed():
    """Laws of time and of measured quantities, a table, a state."""
    m = arms()
    for name, value in (("top", 5.0), ("gain", 3.0), ("begin", 0.2), ("fade", 0.13)):
        m.parameter(name, value)
    m.define_table("pulse", {"x": [0.0, 0.1, 0.2, 0.3, 0.4], "y": [0.0, "top", "0.5*top", 1.0, 0.0]})
    m.state("z", rate="gain*(A.angle - z)", initial="begin")
    m.torque("push", "a", torque="pulse(t) + sin(t/fade) - 2*z")
    return m, ["top", "gain", "begin", "fade"], ["z[end]", "b.x[end]", "A.reaction[1]"], {}


def rubbing():
    """Friction by reactions: a small force beside large turns."""
    m = arms()
    m.parameter("mu", 0.1)
    m.joint_friction("f", "A", friction="mu", radius=0.01, stick_speed=0.5, viscous=0.001)
    return m, ["arm", "mu"], ["b.phi[end]", "f.force[1]"], {}


def geared():
    m = tm.PlanarModel("gears", gravity=(0.0, -G))
    m.parameter("r", 0.1)
    m.parameter("R", 0.25)
    m.body("a", mass=1.0, inertia=0.02, centroid=(0.02, 0))
    m.body("b", mass=2.0, inertia="0.2*R", position=("r + R", 0), points={"P": (0.1, 0)}, centroid=(0, 0.05))
    m.revolute("A", "ground", "a", at=(0, 0))
    m.revolute("B", "ground", "b", at=("r + R", 0))
    m.gear("G", "a", "b", radii=("r", "R"))
    return m, ["r", "R"], ["b.P.x[end]", "A.reaction[1]"], {}


def top():
    m = tm.SpatialModel("top", gravity=(0.0, 0.0, -G))
    m.parameter("inertia", 0.02)
    m.parameter("tilt", 0.3)
    m.parameter("turn", 10.0)
    m.body(
        "b", mass=1.1, inertia=(0.01, 0.012, "inertia"), centroid=(0, 0.01, 0.2), omega=(0.3, 0.1, "turn"),
        rotation=("cos(0.5*tilt)", "sin(0.5*tilt)", 0, 0),
    )  # fmt: skip
    m.spherical("S", "ground", "b", at=(0, 0, 0))
    return m, ["inertia", "tilt", "turn"], ["b.com.x[end]", "b.wx[1]", "S.reaction[end]"], {}


def ended():
    """Largest and smallest samples, where the last of them moves."""
    what = ["max(b.y)", "min(b.tip.vx)", "max(t)", "at(b.y, 0.1)", "deviation(a.phi)"]
    return arms(), ["arm", "mass"], what, {"events": [tm.Event("low", "A.angle + 0.3", stop=True)]}


@pytest.mark.parametrize("build", [driven, pushed, rubbing, geared, top, ended])
def test_runs_change_as_the_derivatives_say(build):
    """Whole runs are good to some 1e-12, which steps of 1e-3 of a value make 1e-9."""
    model, names, what, options = build()
    found = model.gradient(
        what, wrt=names, analysis=tm.Analysis("simulate", times=TIMES, rtol=1e-11, atol=1e-13, **options)
    )
    for one, seen in zip(found, np.array(differences(model, what, names, TIMES, 1e-3, options)).T, strict=True):
        np.testing.assert_allclose(one.array, seen, rtol=0, atol=3e-9 * max(np.abs(seen).max(), 0.1))
    assert found[0].warnings == ()


def test_starting_values_are_directions_in_every_formulation():
    names, what = ["A.angle", "B.angle.rate", "arm"], ["b.x[end]", "A.reaction[end]", "b.tip.vy[1]"]
    seen = np.array(differences(arms(), what, names, TIMES, 1e-3, {"initial": STARTS})).T
    for formulation in ("cartesian", "joint", "relative", "points"):
        options = {"formulation": formulation, "rtol": 1e-11, "atol": 1e-13}
        found = arms().gradient(
            what, wrt=names, analysis=tm.Analysis("simulate", times=TIMES, initial=STARTS, **options)
        )
        for one, other in zip(found, seen, strict=True):
            np.testing.assert_allclose(one.array, other, rtol=0, atol=3e-9 * np.abs(other).max())


def test_parameters_that_are_zero_have_the_derivatives_of_their_closed_forms():
    """A body at rest, a force f and a state with the rate r, both nothing: x = f t²/2m, z = r t, y = r t³/6m."""
    m = tm.PlanarModel("rest", gravity=(0.0, 0.0))
    m.parameter("f", 0.0)
    m.parameter("r", 0.0)
    m.body("b", mass=2.0, inertia=1.0)
    m.state("z", rate="r")
    m.force("push", "b", vector=("f", "z"))
    found = m.gradient(["b.x[end]", "z[end]", "b.y[end]"], 2.0, samples=3)
    np.testing.assert_allclose([one.array for one in found], [[1.0, 0.0], [0.0, 2.0], [0.0, 2.0 / 3.0]], atol=1e-10)


def test_a_torque_of_nothing_does_work_nearby():
    """Its work is 0 all the time; the derivative by its size is not."""
    m = arms()
    m.parameter("push", 0.0)
    m.torque("c", "a", torque="push*cos(t)")
    found = m.gradient(
        "a.phi[end]", wrt=["push"], analysis=tm.Analysis("simulate", times=TIMES, rtol=1e-11, atol=1e-13)
    )
    (seen,) = differences(m, ["a.phi[end]"], ["push"], TIMES, 1e-2, {})
    np.testing.assert_allclose(found.array, seen, rtol=1e-8)


@pytest.mark.parametrize(
    ("what", "wrt", "says"),
    [
        (
            "sqrt(a.omega[start])",
            ["arm"],
            r"'sqrt\(a.omega\[start\]\)' has no derivative here: its derivative .* 'arm' is",
        ),
        ("1/a.omega[start]", ["arm"], "has no derivative here: it is inf"),
        ("a.phi[end]", ["mas"], "wrt= names 'mas', .* since no parameter is called so"),
    ],
)
def test_what_is_no_number_and_names_of_nothing_are_refused(what, wrt, says):
    with pytest.raises(tm.ModelError, match=says):
        arms().gradient(what, times=TIMES, wrt=wrt)
