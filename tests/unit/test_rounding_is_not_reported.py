"""Messages report no quantity that is rounding, and a value and its limit in digits that show the difference."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel._util.messages import apart
from pytrammel.results.events import EventReport


def swing(scale=1.0, speed=1.0):
    m = tm.PlanarModel("swing", gravity=(0.0, 0.0))
    m.body("b", position=(scale, 0.0), mass=1.0, inertia=0.1 * scale**2)
    m.body("c", position=(2.0 * scale, scale), mass=2.0, inertia=0.1 * scale**2)
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.revolute("B", "b", "c", at=(2.0 * scale, 0.0))
    m.phase("one", active=["A", "B"])
    m.phase("two", active=["A", "B"])
    initial = {"A.angle.rate": speed, "B.angle.rate": 0.3 * speed}
    enter = tm.Event("enter", f"t - {0.3 / speed!r}", enter="two")
    return m.simulate(1.0 / speed, samples=5, events=[enter], initial=initial, progress=False)


@pytest.mark.parametrize("speed", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0])
def test_an_event_that_changes_no_velocity_reports_no_jump(scale, speed):
    (event,) = swing(scale, speed).events
    assert event.velocity_jump == 0.0 and event.jump_of == ""
    assert "jump" not in str(event)


@pytest.mark.parametrize("impulse", [1e-6, 1e-2, 1.0])
def test_a_real_jump_is_reported_with_its_unit(impulse):
    m = tm.PlanarModel("blow", gravity=(0.0, 0.0))
    m.body("b", mass=2.0, inertia=0.1, velocity=(0.1, 0.0))
    hit = tm.Event("hit", "t - 0.5", impulse=[("b", (0.0, impulse))])
    (event,) = m.simulate(1.0, samples=3, events=[hit], progress=False).events
    assert event.velocity_jump == pytest.approx(impulse / 2.0, rel=1e-9)  # momentum over mass
    assert re.search(r"jumps by \S+ m/s", str(event))
    turn = tm.Event("turn", "t - 0.5", impulse=[("b", impulse)])
    (event,) = m.simulate(1.0, samples=3, events=[turn], progress=False).events
    assert re.search(r"jumps by \S+ rad/s", str(event))


def test_a_jump_of_the_sample_is_not_printed_where_it_is_zero():
    assert "jump" not in str(EventReport("e", 0.1, "", 0.0, stopped=False))


@pytest.mark.parametrize("share", [1e-1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("limit", [1e-7, 0.005, 1.0 / 3.0, 1.0, 12345.678])
def test_a_value_and_its_limit_are_printed_with_digits_that_differ(limit, share):
    value = limit * (1.0 + share)
    texts = apart(value, limit)
    assert (texts[0] != texts[1]) == (value != limit)
    assert (float(texts[0]) > float(texts[1])) == (value > limit)


def test_a_parameter_just_beyond_its_bound_is_printed_apart_from_it():
    m = tm.PlanarModel("m")
    with pytest.raises(tm.ModelError) as raised:
        m.parameter("p", np.nextafter(0.3, 1.0), bounds=(0.1, 0.3))
    value, bound = re.search(r"is (\S+), above its upper bound (\S+);", str(raised.value)).groups()
    assert float(value) > float(bound)


JOINT = ("damping", "frictionloss", "stiffness", "springref", "armature", "pos", "axis")


def robot(tmp_path, default, joint):
    text = (
        f'<mujoco>{default}<worldbody><body name="a"><joint name="j" type="hinge" {joint}/>'
        '<geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>'
    )
    (tmp_path / "r.xml").write_text(text, encoding="utf-8")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(tm.load_robot(tmp_path / "r.xml").conversion_report)


@pytest.mark.parametrize("key", JOINT)
def test_a_default_that_every_joint_overrides_is_no_alarm(tmp_path, key):
    number, other = ("0 0 1", "0 1 0") if key in ("pos", "axis") else ("0", "0.5")
    own = f'{key}="{number}"'
    without = robot(tmp_path, "", own)
    assert robot(tmp_path, f'<default><joint {key}="{other}"/></default>', own) == without
    unused = f'<default><default class="spare"><joint {key}="{other}"/></default></default>'
    assert robot(tmp_path, unused, own) == without


def test_an_attribute_of_a_default_that_no_reader_knows_is_still_told(tmp_path):
    assert "wobble" in robot(tmp_path, '<default><joint wobble="1"/></default>', "")


NEXT = np.nextafter(0.3, 1.0)
ABOVE = float(np.nextafter(1.0, 2.0))
PAIRS = {
    "bounds": lambda: tm.PlanarModel("m").parameter("p", 0.3, bounds=(NEXT, 0.3)),
    "stop": lambda: swinging().end_stop("s", "b.x", low=NEXT, high=0.3, stiffness=1.0),
    "friction": lambda: swinging().stick_slip("f", "b.x", normal=1.0, friction=(0.3, NEXT)),
    "table": lambda: tm.functions.Table("t", (0.0, NEXT, 0.3), (0.0, 1.0, 2.0)),
    "periodic table": lambda: tm.functions.Table("t", (0.0, 1.0, 2.0), (0.3, 1.0, NEXT), kind="periodic"),
    "curve": lambda: tm.curves.analytic("u", "u", NEXT, 0.3),
    "torus": lambda: tm.inertia.torus(0.3, NEXT, mass=1.0),
    "void": lambda: tm.inertia.sphere(0.1, mass=0.3) - tm.inertia.sphere(0.1, mass=NEXT),
    "restitution": lambda: swinging().contact_line(
        "c", "b", "ground", at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=1.0, law="hunt_crossley",
        restitution=float(np.nextafter(1e-3, 0.0)),
    ),
    "restitution above 1": lambda: swinging().contact_line(
        "c", "b", "ground", at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=1.0, law="hunt_crossley", restitution=ABOVE,
    ),
    "restitution of a rigid contact": lambda: swinging().contact_line(
        "c", "b", "ground", at=(0.0, 0.0), axis=(1.0, 0.0), law="rigid", restitution=ABOVE,
    ),
    "pressure angle": lambda: geared().gear("g", "a", "b", radii=(0.1, 0.2), pressure_angle=np.pi / 4),
    "time ratio": lambda: tm.synthesis.quick_return_four_bars(1.0, time_ratio=float(np.nextafter(1.0, 0.0))),
    "time window": lambda: swinging().simulate(1.0, samples=3, progress=False).formula("max(b.x, from=0.30000000000000004, to=0.3)"),
    "tolerance": lambda: tm.textbook.solve(["x = 1"], {"x": 0.0}, tol=ABOVE),
    "times": lambda: swinging().simulate(times=[0.0, NEXT, 0.3], progress=False),
    "time of a picture": lambda: swinging().simulate(times=[0.0, 0.3], progress=False).at(0.3 + 1e-11),
    "cam": lambda: tm.synthesis.cam("0.001*u/pi", follower="roller"),
}  # fmt: skip


def geared():
    m = swinging()
    m.body("a", position=(0.3, 0.0), mass=1.0, inertia=0.1)
    return m


def swinging():
    m = tm.PlanarModel("m", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=0.1)
    return m


@pytest.mark.parametrize("case", PAIRS)
def test_values_that_nearly_keep_their_limit_are_printed_apart_from_it(case):
    with pytest.raises(tm.ModelError) as raised:
        PAIRS[case]()
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\])", str(raised.value))
    found = [float(x) for x in numbers]
    assert len(set(found)) >= 2, str(raised.value)


@pytest.mark.parametrize("noise", [0.0, 1e-17, 1e-15])
@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e4])
def test_a_constant_series_has_extremes_without_a_warning(mass, noise):
    """A weight that hangs at rest: its place and the reaction are constant, the other component of it is rounding."""
    m = tm.PlanarModel("lamp")
    m.body("b", position=(0.3 * noise, -0.7), mass=mass, inertia=0.1 * mass)
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    r = m.simulate(1.0, samples=11, progress=False)
    for name, value in (("A.reaction", 9.81 * mass), ("b.y", -0.7), ("A.reaction.x", 0.0), ("b.x", 0.0)):
        found = r.extremes(name)
        assert found.warnings == ()
        # 1e-8 is the tolerance of the run
        assert found.minimum == pytest.approx(value, rel=1e-8, abs=1e-8 * mass)


def test_a_varying_series_with_few_samples_keeps_its_warning():
    m = tm.PlanarModel("swing")
    m.body("b", position=(0.7, 0.0), mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    r = m.simulate(3.0, samples=9, progress=False)
    with pytest.warns(tm.RunWarning, match="Use more samples"):
        r.extremes("A.reaction")


def rotor(mass, *places):
    """Masses on a disc that turns freely at 7 rad/s, each welded at a distance of 0.3 m."""
    m = tm.PlanarModel("rotor", gravity=(0.0, 0.0))
    m.body("disc", mass=mass, inertia=mass, omega=7.0, velocity=(0.0, 0.0))
    m.revolute("A", "ground", "disc", at=(0.0, 0.0))
    for k, angle in enumerate(places):
        at = (0.3 * np.cos(angle), 0.3 * np.sin(angle))
        m.body(f"b{k}", position=at, mass=mass, inertia=0.01 * mass)
        m.weld(f"W{k}", "disc", f"b{k}", at=at)
    return m.simulate(3.0, samples=31, progress=False, initial={"A.angle.rate": 7.0})


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e4])
def test_a_balanced_rotor_reports_no_reaction_of_its_bearing(mass):
    """Centrifugal forces m r w² cancel at the bearing but for rounding; its size and components have no uncertain extremes."""
    r = rotor(mass, 0.4, 0.4 + 2 * np.pi / 3, 0.4 + 4 * np.pi / 3)
    text = r.summary()
    assert "A: largest reaction 0 N\n" in text
    assert re.search(re.escape(f"W0: largest reaction {mass * 0.3 * 49:.4g} N at t"), text)
    for name in ("A.reaction", "A.reaction.x", "W0.reaction"):
        assert r.extremes(name).warnings == ()


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e4])
def test_a_constant_reaction_has_no_uncertain_extremes(mass):
    r = rotor(mass, 0.4)
    assert r.extremes("A.reaction").maximum == pytest.approx(mass * 0.3 * 49, rel=1e-6)
    assert r.extremes("A.reaction").warnings == ()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_start_at_rest_reports_no_changed_velocity(scale):
    """A crank that a driver starts at rest: cos(pi/2) is 6e-17, not zero."""
    m = tm.PlanarModel("crank")
    m.body("b", position=(scale, 0.0), mass=1.0, inertia=0.1 * scale**2, velocity=(0.0, 0.0), omega=0.0)
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.driver("D", "A.angle", "0.3*sin(t + pi/2) - 0.3")
    assert not m.simulate(1.0, samples=3, progress=False).dynamics.changed


@pytest.mark.parametrize("height", [0.0, 1e-9, 0.2])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_total_energy_that_is_zero_but_for_rounding_is_printed_as_zero(scale, height):
    """A body that swings from rest at a height; gravity has its zero at the origin."""
    m = tm.SpatialModel("pendulum", gravity=(0.0, 0.0, -9.81))
    turn = tm.rotations.from_angles((0.1, 0.2, 0.3), "xyz")
    m.body(
        "b", position=(scale / 3, 0.0, height * scale), rotation=tuple(turn), mass=1.0, inertia=(0.1 * scale**2,) * 3
    )
    axes = {"axis": (1 / 3, 2 / 3, 2 / 3), "second_axis": (2 / 3, 1 / 3, -2 / 3)}
    m.universal("U", "ground", "b", at=(0.0, 0.0, 0.0), **axes)
    r = m.simulate(0.5, samples=3, progress=False)
    start, end = (
        float(x) for x in re.search(r"energy: (\S+) J at the start, (\S+) J at the end", r.summary()).groups()
    )
    truth = 9.81 * height * scale
    assert start == pytest.approx(truth, rel=1e-5, abs=0.0)
    # the end has the error of the balance
    error = np.abs(r.energy.balance).max()
    assert end == 0.0 if truth == 0.0 else abs(end - truth) <= error + 1e-5 * truth
