"""Events on reactions, accelerations, forces of elements, energies and states, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81
RTOL = 1e-9
# --- a mass on an oscillating table --------------------------------------------------------------------------------------

AMPLITUDE, PACE, GAP = 0.05, 20.0, 0.1
LIFTS = math.asin(G / (AMPLITUDE * PACE**2)) / PACE  # the table falls with g: N = m (g + y'') = 0


def table(*, space: bool = False) -> tm.PlanarModel | tm.SpatialModel:
    m = tm.SpatialModel("table", gravity=(0, 0, -G)) if space else tm.PlanarModel("table")
    up, zero = ((0, 0, 1), (0, 0, 0)) if space else ((0, 1), (0, 0))
    inertia = (0.1, 0.1, 0.1) if space else 0.1
    m.body("plate", mass=5.0, inertia=inertia)
    m.body("load", mass=2.0, inertia=inertia, position=tuple(GAP * x for x in up))
    axis = "z" if space else "y"
    for name, body in (("P", "plate"), ("L", "load")):
        if space:
            m.prismatic(name, "ground", body, at=zero, axis=up)
        else:
            m.prismatic(name, "ground", body, at=zero, axis=up)
    m.driver("D", f"plate.{axis}", f"{AMPLITUDE}*sin({PACE}*t)")
    m.equation("touch", f"load.{axis} - plate.{axis} - {GAP}")
    return m


def height(t: float) -> float:
    """Height of the load after it has left the table."""
    y, v = AMPLITUDE * math.sin(PACE * LIFTS) + GAP, AMPLITUDE * PACE * math.cos(PACE * LIFTS)
    return y + v * (t - LIFTS) - 0.5 * G * (t - LIFTS) ** 2


LIFT_OFF = tm.Event("lift", "touch.effort", direction=-1, release="touch")
OURS = [name for name, method in tm.methods.items() if method.back_end is None]
RUNS = [
    *({"method": tm.methods[name](step=1e-3) if tm.methods[name].fixed else name} for name in OURS),
    *({"formulation": name} for name in ("joint", "points", "relative")),
    *({"constraints": name} for name in tm.enforcement),
]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("options", RUNS, ids=lambda o: "-".join(map(str, o.values())))
def test_a_load_leaves_an_oscillating_table_where_its_reaction_is_zero(options: dict[str, object]) -> None:
    r = table().simulate(0.1, samples=3, events=[LIFT_OFF], progress=False, **options)
    (report,) = r.events
    # the driver prescribes the motion until then, so that only the location counts; the penalty is 1e10
    assert math.isclose(report.time, LIFTS, abs_tol=1e-10)
    assert r["touch.effort"][-1] == 0.0
    # free fall: the first-order methods err most, by half a step of 1 ms times g and the time of flight
    order = tm.methods[options.get("method", "dop853")].order
    assert math.isclose(r["load.y"][-1], height(0.1), abs_tol=1e-3 if order == 1 else 1e-6)


@pytest.mark.parametrize("formulation", ["cartesian", "joint", "I", "II"])
def test_lift_off_in_space(formulation: str) -> None:
    r = table(space=True).simulate(0.1, samples=3, events=[LIFT_OFF], formulation=formulation, progress=False)
    assert math.isclose(r.events[0].time, LIFTS, abs_tol=1e-10)
    assert math.isclose(r["load.z"][-1], height(0.1), abs_tol=1e-9)


# --- a pendulum ----------------------------------------------------------------------------------------------------------

LENGTH, MASS = 0.7, 1.3


def pendulum(omega: float = 0.0, angle: float = 0.0) -> tm.PlanarModel:
    """A point mass on a rod from a pin, the rod at an angle to the horizontal."""
    m = tm.PlanarModel("pendulum")
    m.parameter("m", MASS)
    m.body("b", mass="m", inertia=0.0, centroid=(LENGTH, 0.0), angle=angle, omega=omega)
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    return m


@pytest.mark.parametrize("text", ["A.reaction", "A.reaction.magnitude", "(A.reaction.x^2 + A.reaction.y^2)^0.5"])
def test_a_pin_breaks_at_its_largest_load(text: str) -> None:
    """From rest at the horizontal the rod pulls with 3 m g sin(depth)."""
    limit = 2.5 * MASS * G
    broken = tm.Event("break", f"{text} - {limit}", direction=1, release="A")
    r = pendulum().simulate(1.0, samples=21, rtol=RTOL, events=[broken], progress=False)
    depth = math.asin(limit / (3.0 * MASS * G))
    when, speed = r.events[0].time, math.sqrt(2.0 * G * LENGTH * math.sin(depth))
    at = r.at(when)
    assert math.isclose(at["b.phi"][0], -depth, rel_tol=1e-7)
    # then it is a throw with the speed of the fall
    t, k = r.times - when, r.times > when
    x = LENGTH * math.cos(depth) - speed * math.sin(depth) * t
    y = -LENGTH * math.sin(depth) - speed * math.cos(depth) * t - 0.5 * G * t**2
    assert k.sum() > 5
    assert np.allclose(r["b.com.x"][k], x[k], atol=1e-6) and np.allclose(r["b.com.y"][k], y[k], atol=1e-6)


def slack_angle(omega: float) -> float:
    """Angle from the lowest position at which the rod carries nothing: omega^2 l - 2 g + 3 g cos(a) = 0."""
    return math.acos((2.0 * G - omega**2 * LENGTH) / (3.0 * G))


FORMULAS = [
    "A.reaction.in_joint_frame.x",
    "A.reaction.x*cos(b.phi) + A.reaction.y*sin(b.phi)",
    "A.b.fx*cos(b.phi) + A.b.fy*sin(b.phi)",
]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("omega", [6.5, 7.5])
def test_the_force_in_a_rod_changes_its_sign(formula: str, omega: float) -> None:
    m = tm.PlanarModel("pendulum")
    m.body("b", mass=MASS, inertia=0.0, centroid=(LENGTH, 0.0), angle=-0.5 * math.pi, omega=omega)
    m.revolute("A", "b", "ground", at=(0.0, 0.0))  # the first body carries the joint frame
    sign = -1.0 if "frame" in formula else 1.0
    if "A.reaction" in formula and "frame" not in formula:
        sign = -1.0  # on the second body, the ground
    stop = tm.Event("slack", f"{sign}*({formula})", direction=1, stop=True)
    r = m.simulate(2.0, rtol=RTOL, events=[stop], progress=False)
    assert r.events[0].stopped
    assert math.isclose(r["b.phi"][-1] + 0.5 * math.pi, slack_angle(omega), rel_tol=1e-7)


# --- one oscillator, every kind of quantity ------------------------------------------------------------------------------

STIFFNESS, START = 50.0, 0.3
NATURAL = math.sqrt(STIFFNESS / MASS)


def oscillator() -> tm.PlanarModel:
    """x = 0.3 cos(w t) on a guide without gravity; q' = x fills a state, q = 0.3/w sin(w t)."""
    m = tm.PlanarModel("oscillator", gravity=(0.0, 0.0))
    m.body("b", mass=MASS, inertia=0.1, position=(START, 0.0))
    m.prismatic("P", "ground", "b", axis=(1.0, 0.0), at=(0.0, 0.0))
    m.user_force("S", "b.x", f"-{STIFFNESS}*b.x")
    m.state("q", "b.x")
    m.define("twice", "2*b.x")
    return m


AMPLITUDE_F, ENERGY = STIFFNESS * START, 0.5 * STIFFNESS * START**2
CASES = [  # formula, cosine or sine of w t where it is zero for the first time
    ("b.ax + 0.5*" + repr(START * NATURAL**2), "cos", 0.5),
    ("b.x.acceleration + " + repr(0.25 * START * NATURAL**2), "cos", 0.25),
    ("system.com.ax + " + repr(0.25 * START * NATURAL**2), "cos", 0.25),
    (f"S.force + {0.4 * AMPLITUDE_F}", "cos", 0.4),
    (f"b.applied.fx + {0.4 * AMPLITUDE_F}", "cos", 0.4),
    (f"energy.kinetic - {0.36 * ENERGY}", "sin", 0.6),
    (f"S.work - {0.36 * ENERGY}", "sin", 0.6),
    (f"b.momentum.x + {0.6 * MASS * START * NATURAL}", "sin", 0.6),
    (f"S.power - {0.5 * AMPLITUDE_F * START * NATURAL * 0.9}", "sin2", 0.9),
    (f"q - {0.6 * START / NATURAL}", "sin", 0.6),
    (f"q.value - {0.6 * START / NATURAL}", "sin", 0.6),
    (f"q.rate - {0.5 * START}", "cos", 0.5),
    (f"twice - {START}", "cos", 0.5),
    (f"twice + 0*S.force - {START}", "cos", 0.5),
    (f"max(S.force, -{0.4 * AMPLITUDE_F}) + {0.3 * AMPLITUDE_F}*(1 + 0*b.ax)", "cos", 0.3),
]


@pytest.mark.parametrize(("formula", "function", "value"), CASES, ids=[case[0][:12] for case in CASES])
def test_events_on_every_kind_of_quantity_are_where_the_closed_form_has_them(
    formula: str, function: str, value: float
) -> None:
    r = oscillator().simulate(0.5, rtol=RTOL, events=[tm.Event("e", formula, stop=True)], progress=False)
    phase = {"cos": math.acos, "sin": math.asin, "sin2": lambda x: 0.5 * math.asin(x)}[function](value)
    # works have the accuracy of the motion, summed over a period
    assert math.isclose(NATURAL * r.times[-1], phase, abs_tol=1e-6)


def test_an_event_that_is_zero_at_the_start_fires_if_it_goes_its_way() -> None:
    for direction, count in ((1, 1), (-1, 0)):
        event = tm.Event("e", "S.power", direction=direction)  # zero at rest, then positive
        r = oscillator().simulate(0.1, events=[event], progress=False)
        assert [report.time for report in r.events] == [0.0] * count


def test_a_run_with_an_event_on_a_force_is_stored_and_continued(tmp_path) -> None:
    event = tm.Event("slow", f"S.force + {0.4 * AMPLITUDE_F}", change={"S": {"law": "0"}})
    options = {"samples": 11, "events": [event], "progress": False}
    plain = oscillator().simulate(0.5, **options)
    stored = oscillator().simulate(0.5, store=tmp_path / "run.trammel", **options)
    assert np.array_equal(stored["b.x"], plain["b.x"])
    assert stored.events[0].time == plain.events[0].time


@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_a_gradient_follows_an_event_on_a_force(way: str) -> None:
    """Cut at the force F the mass goes on with v = w sqrt(A^2 - (F/k)^2), from the time acos(F/(k A))/w on."""
    m = tm.PlanarModel("cut", gravity=(0.0, 0.0))
    m.parameter("m", MASS)
    m.body("b", mass="m", inertia=0.1, position=(START, 0.0))
    m.prismatic("P", "ground", "b", axis=(1.0, 0.0), at=(0.0, 0.0))
    m.user_force("S", "b.x", f"-{STIFFNESS}*b.x")
    cut = tm.Event("cut", f"S.force + {0.4 * AMPLITUDE_F}", change={"S": {"law": "0"}})
    found = m.gradient("b.x[end]", method=way, analysis=tm.Analysis("simulate", 0.5, samples=5, events=[cut]))
    phase = math.acos(0.4)

    def end(mass: float) -> float:
        w = math.sqrt(STIFFNESS / mass)
        return 0.4 * START - START * w * math.sin(phase) * (0.5 - phase / w)

    h = 1e-4
    truth = (8 * (end(MASS + h) - end(MASS - h)) - end(MASS + 2 * h) + end(MASS - 2 * h)) / (12 * h)
    assert math.isclose(found.value, end(MASS), rel_tol=1e-6)
    assert math.isclose(found["m"], truth, rel_tol=1e-5)


@pytest.mark.parametrize(
    ("formula", "name"),
    [
        ("S.forc - 1", "S.forc"),
        ("b.work - 1", "b.work"),
        ("energy.balance - 1", "energy.balance"),
        ("P.effort", "P.effort"),
    ],
)
def test_events_on_what_no_state_has_are_rejected_before_the_run(formula: str, name: str) -> None:
    with pytest.raises(tm.ModelError) as caught:
        oscillator().simulate(1.0, events=[tm.Event("e", formula)], progress=False)
    assert "event 'e'" in str(caught.value) and repr(name) in str(caught.value)


@pytest.mark.parametrize("formula", ["A.ay", "b.ay - 1e-15", "P.reaction.moment", "P.reaction.x*1e-3"])
def test_a_formula_that_is_zero_but_for_rounding_neither_fires_nor_holds_up_the_run(formula: str) -> None:
    m = tm.PlanarModel("still")
    m.body("b", mass=MASS, inertia=0.2, centroid=(0.3, 0.0), omega=2.0)
    m.body("c", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.revolute("R", "ground", "b", at=(0.0, 0.0))
    m.point("A", "b", at=(0.0, 0.0))  # on the axis
    m.prismatic("P", "ground", "c", axis=(0.0, 1.0), at=(1.0, 0.0))  # carries nothing
    r = m.simulate(1.0, samples=3, events=[tm.Event("e", formula)], progress=False)
    assert all(report.time == 0.0 for report in r.events)  # zero at the start and after it
    assert r.dynamics.statistics.steps < 200
