"""Derivatives of runs that end or change at events, against closed forms and differences of whole runs of the finest tolerance."""

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import examples
from run_differences import differences

G = 9.81
TIMES = np.linspace(0.0, 1.0, 6)
# whole runs are good to some 1e-12, which steps of 1e-3 of a value make 1e-9; laws that bend within the step, some 1e-7
SMOOTH, BENT = 1e-8, 1e-6


def complex_slopes(function, *values):
    out = []
    for k in range(len(values)):
        at = np.array(values, dtype=complex)
        at[k] += 1e-30j
        out.append(np.imag(function(*at)) / 1e-30)
    return out


def thrown(*, space=False):
    """A ball that falls from a height while it flies on."""
    m = (tm.SpatialModel if space else tm.PlanarModel)("ball", gravity=(0.0, -G, 0.0) if space else (0.0, -G))
    m.parameter("height", 0.5)
    m.parameter("speed", 0.4)
    rest = (0.0,) if space else ()
    inertia = (0.1, 0.1, 0.1) if space else 0.1
    m.body("b", mass=1.0, inertia=inertia, position=(0.0, "height", *rest), velocity=("speed", 0.0, *rest))
    return m


def bouncing(*, space=False, **law):
    m = thrown(space=space)
    m.parameter("bounce", 0.8)
    law = {"law": "rigid", "restitution": "bounce", **law}
    if space:
        m.contact_sphere_plane("floor", "b", "ground", radius=0.1, at=(0, 0, 0), normal=(0, 1, 0), **law)
    else:
        m.contact_line("floor", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), **law)
    return m


# --- closed forms ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kick", [(0.0, 0.0), (0.3, 0.7), (-0.5, 4.0)], ids=str)
@pytest.mark.parametrize("way", ["direct", "adjoint"])
@pytest.mark.parametrize("space", [False, True])
def test_the_time_of_landing_follows_the_height_as_its_root_does(space, way, kick):
    """t = sqrt(2 h / g), x = v t, and half of that on the way; a kick that ends the run changes velocities alone."""
    impulse = [("b", (*kick, 0.0) if space else kick)] if any(kick) else ()
    end = tm.Event("floor", "b.y", stop=True, impulse=impulse)
    what = ["t[end]", "b.x[end]", "mean(b.x)", "b.vy[end]", "b.y[end]", "t[end]*b.vx[end]*b.vy[end]"]
    g = thrown(space=space).gradient(what, analysis=tm.Analysis("simulate", times=TIMES, events=[end]), method=way)

    def landing(h, v):
        t = (2 * h / G) ** 0.5
        return np.array([t, v * t, v * t / 2, kick[1] - G * t, 0 * t, t * (v + kick[0]) * (kick[1] - G * t)])

    truth = complex_slopes(landing, 0.5, 0.4)
    for name, slopes in zip(("height", "speed"), truth, strict=True):
        np.testing.assert_allclose([one[name] for one in g], slopes, atol=1e-9)
    assert g[0].warnings == ()


@pytest.mark.parametrize("space", [False, True])
def test_a_bouncing_ball_changes_with_its_restitution_as_its_closed_form(space):
    """Between the first landing and the second: y = r + e v (t - t1) - g/2 (t - t1)², with v = sqrt(2 g (h - r))."""

    def height(h, e):
        v = (2 * G * (h - 0.1)) ** 0.5
        since = TIMES[2:4] - v / G
        return 0.1 + e * v * since - 0.5 * G * since**2

    g = bouncing(space=space).gradient("b.y", times=TIMES, wrt=["height", "bounce"])
    for name, truth in zip(("height", "bounce"), complex_slopes(height, 0.5, 0.8), strict=True):
        np.testing.assert_allclose(g[name][2:4], truth, rtol=1e-9)


def test_bounces_that_come_to_rest_end_at_the_derivative_of_their_sum():
    """All flights take t = t1 (1 + e) / (1 - e); a puck that meets no friction moves on, the height stays."""
    m = bouncing()
    m.force("push", "b", vector=("0.3*b.vy", 0.0))
    still = m._with_parameters({"bounce": 0.3})
    with pytest.warns(tm.RunWarning, match="last bounces"):
        g = still.gradient(["b.y[end]", "b.vx[end]"], times=TIMES, wrt=["height", "bounce"])
    np.testing.assert_allclose(g[0].array, 0.0, atol=1e-8)
    # what pushes is proportional to a velocity, so that its impulse is 0.3 times the way down; the last bounces are left out
    np.testing.assert_allclose(g[1].array, [-0.3, 0.0], atol=2e-4)
    assert ["last bounces of 'floor'" in str(w) for w in g[0].warnings] == [True]


def test_a_rest_lets_go_where_the_table_falls_faster():
    """A ball on a table a (1 - cos w t): free from cos w t = -g / (a w²) on."""

    def height(a, w):
        t1 = np.arccos(-G / (a * w * w)) / w
        late = 0.42 - t1
        return 0.1 + a * (1 - np.cos(w * t1)) + a * w * np.sin(w * t1) * late - 0.5 * G * late**2

    m = tm.PlanarModel("table", gravity=(0.0, -G))
    m.parameter("a", 0.31)
    m.parameter("w", 7.0)
    m.body("table", mass=1.0, inertia=1.0)
    m.body("b", mass=1.0, inertia=0.1, position=(0, 0.1))
    m.prismatic("S", m.ground, "table", at=(0, 0), axis=(0, 1))
    m.driver("shake", "table.y", "a*(1 - cos(w*t))")
    m.contact_line("c", "b", "table", radius=0.1, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.0)
    g = m.gradient("b.y[end]", times=[0.0, 0.2, 0.42])
    assert g.value == pytest.approx(height(0.31, 7.0), rel=1e-8)
    # the gap opens as t³: 1e-8 of it is 2e-3 of t
    np.testing.assert_allclose(g.array, complex_slopes(height, 0.31, 7.0), rtol=1e-6)


# --- whole runs --------------------------------------------------------------------------------------------------------------


def damped():
    m = bouncing(law="linear", stiffness=3000.0, damping=5.0, restitution=None)
    return m, ["height"], {}


def impact_speed():
    m = bouncing(law="hunt_crossley", stiffness=3000.0)
    return m, ["height", "bounce"], {}


def rubbing_blow():
    m = thrown()
    m.parameter("rub", 0.05)
    m.contact_line(
        "floor", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.7, friction="rub"
    )
    return m, ["height", "speed", "rub"], {}


def rope():
    m = thrown()
    m.parameter("length", 0.3)
    m.spring("r", m.ground.at(0.0, 0.6), "b", stiffness="200*max(l - length, 0)", free_length=0.3)
    return m, ["height", "length"], {}


def struck_pendulum():
    """Joints act in the blow."""
    m = tm.PlanarModel("pendulum", gravity=(0.0, -G))
    m.parameter("arm", 0.5)
    m.parameter("bounce", 0.6)
    m.body("a", mass=1.0, inertia=0.02, centroid=(0.25, 0), points={"tip": ("arm", 0)})
    m.body(
        "b", mass=0.7, inertia=0.02, position=("arm", 0), centroid=(0.2, 0), points={"base": (0, 0), "tip": (0.4, 0)}
    )
    m.revolute("A", m.ground, "a", at=(0, 0))
    m.revolute("B", "a.tip", "b.base")
    m.contact_line("wall", "b.tip", "ground", at=(0, -0.5), axis=(1, 0), law="rigid", restitution="bounce")
    return m, ["arm", "bounce"], {}


def caught():
    """A phase closes a constraint: velocities jump."""
    m = tm.PlanarModel("rod", gravity=(0.0, -G))
    m.parameter("high", 0.3)
    m.parameter("inertia", 0.02)
    m.body("b", mass=1.0, inertia="inertia", position=(0, "high"), angle=0.1, omega=0.5, points={"end": (0.5, 0)})
    m.equation("A", "b.end.y")
    m.phase("fall", active=[])
    m.phase("caught", active=["A"])
    m.switch("catch", "fall", "caught", when="b.end.y", direction=-1)
    return m, ["high", "inertia"], {}


def held():
    """A phase holds what was reached: the target itself changes with the values."""
    m = tm.PlanarModel("arm", gravity=(0.0, -G))
    m.parameter("reach", 0.5)
    m.parameter("when", 0.7)
    m.body("a", mass=1.0, inertia=0.1, centroid=("reach", 0))
    m.body("b", mass=1.0, inertia=0.1, position=(0.8, 0), centroid=(0.3, 0))
    m.revolute("A", m.ground, "a", at=(0, 0))
    m.revolute("B", "a", "b", at=(0.8, 0))
    m.constrain("lock", "B.angle", value=0.0)
    m.phase("free", active=[])
    m.phase("locked", active=[], hold=["lock"])
    m.switch("lock_now", "free", "locked", when="A.angle + when", direction=-1)
    return m, ["reach", "when"], {}


def kicked_while_held():
    """What was reached when the phase began is still held after a further event."""
    model, names, _ = held()
    return model, names, {"events": [tm.Event("kick", "t - 0.6", impulse=[("b", (0.1, 0.2))])]}


def kicked_in_contact():
    """The damping follows from the speed of approach, before a kick in contact and after it."""
    model, names, _ = impact_speed()
    return model, names, {"events": [tm.Event("kick", "t - 0.3", impulse=[("b", (0.1, -0.2))])]}


def changed():
    m = thrown()
    m.parameter("k", 30.0)
    m.spring("s", m.ground.at(0.0, 0.0), "b", stiffness="k", free_length=0.4)
    return m, ["k", "height"], {"events": [tm.Event("stiffer", "b.y - 0.3", -1, change={"s": {"stiffness": "2*k"}})]}


def kicked():
    m = thrown()
    m.parameter("level", 0.2)
    return m, ["height", "level"], {"events": [tm.Event("kick", "b.y - level", -1, impulse=[("b", (0.3, 4.0))])]}


def let_go():
    m = tm.PlanarModel("pendulum", gravity=(0.0, -G))
    m.parameter("reach", 0.5)
    m.parameter("begin", 0.33)
    m.body("b", mass=1.0, inertia=0.1, centroid=("reach", 0))
    m.revolute("pin", m.ground, "b", at=(0, 0))
    return m, ["reach", "begin"], {"events": [tm.Event("cut", "t - begin", release=["pin"])]}


def jerked():
    """A driver that starts at once, at an instant that moves."""
    m = tm.PlanarModel("cart", gravity=(0.0, -G))
    m.parameter("begin", 0.3)
    m.parameter("pull", 2.0)
    m.body("cart", mass=1.0, inertia=1.0)
    m.body("b", mass=1.0, inertia=0.1, centroid=(0.5, 0))
    m.prismatic("S", m.ground, "cart", at=(0, 0), axis=(1, 0))
    m.revolute("R", "cart", "b", at=(0, 0))
    m.driver("d", "cart.x", "pull*max(0, t - begin)")
    return m, ["begin", "pull"], {}


def discs_in_space():
    m = tm.SpatialModel("pair", gravity=(0.0, 0.0, 0.0))
    m.parameter("off", 0.1)
    m.parameter("bounce", 0.7)
    m.body("a", velocity=(2.0, 1.0, 0.2), mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.body("b", position=(1.0, "off", 0.0), velocity=(-1.0, 0.0, 0.0), mass=3.0, inertia=(0.05, 0.05, 0.05))
    m.contact_sphere_sphere("c", "a", "b", radii=(0.2, 0.3), law="rigid", restitution="bounce")
    return m, ["off", "bounce"], {}


@pytest.mark.parametrize(
    ("build", "close"),
    [
        (damped, BENT), (impact_speed, BENT), (rubbing_blow, SMOOTH), (rope, SMOOTH), (struck_pendulum, 3 * SMOOTH), (caught, SMOOTH),
        (held, SMOOTH), (changed, SMOOTH), (kicked, SMOOTH), (let_go, SMOOTH), (jerked, SMOOTH), (discs_in_space, SMOOTH),
        (kicked_while_held, SMOOTH), (kicked_in_contact, BENT),
    ],
)  # fmt: skip
def test_whole_runs_change_as_the_derivatives_say(build, close):
    model, names, options = build()
    what = ["b.x[end]", "b.vy[end]", "mean(b.y)"]
    times = TIMES[[0, 2, 4]]
    run = tm.Analysis("simulate", times=times, **{"rtol": 1e-12, "atol": 1e-14, **options})
    given = {"analysis": run, "wrt": names}
    there, back = (model.gradient(what, method=way, **given) for way in ("direct", "adjoint"))
    for k, seen in enumerate(differences(model, what, names, times, 2e-4 if close == BENT else 1e-3, options)):
        for found in (there, back):
            slopes = [one.array[k] for one in found]
            np.testing.assert_allclose(slopes, seen, rtol=0, atol=close * max(np.abs(seen).max(), 0.1))
    assert there[0].warnings == back[0].warnings == ()
    assert back[0].method == "adjoint"


# --- what moves and what is refused ------------------------------------------------------------------------------------------


def test_starting_values_go_through_events_too_and_in_any_formulation():
    for formulation in ("cartesian", "joint"):
        m = thrown()
        g = m.gradient(
            "b.x[end]", wrt=["b.vx", "b.y"],
            analysis=tm.Analysis("simulate", times=TIMES, initial={"b.vx": 0.4, "b.y": 0.5}, formulation=formulation,
                                 events=[tm.Event("floor", "b.y", stop=True)]),
        )  # fmt: skip
        fall = (2 * 0.5 / G) ** 0.5
        np.testing.assert_allclose(g.array, [fall, 0.4 / (2 * 0.5 * G) ** 0.5], rtol=1e-8)


@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_parameters_of_events_alone_are_directions_like_others(way):
    """A ball falls 0.5 m - level in t = sqrt(2 (0.5 - level) / g), or until a given time; y and vy at the end are closed forms."""
    m = thrown()
    m.parameter("end", 0.25)
    names = ["b.y[end]", "t[end]", "mean(b.vy)"]
    stop = tm.Event("stop", "t - end", stop=True)
    g = m.gradient(names, wrt=["end"], analysis=tm.Analysis("simulate", times=TIMES, events=[stop]), method=way)
    np.testing.assert_allclose([one["end"] for one in g], [-G * 0.25, 1.0, -G / 2], rtol=1e-8)

    def fallen(level, h):
        t = (2 * (h - level) / G) ** 0.5
        return np.array([level + 0 * t, t, -G * t / 2])

    m = thrown()
    m.parameter("level", 0.2)
    g = m.gradient(
        names,
        wrt=["level", "height"],
        analysis=tm.Analysis("simulate", times=TIMES, events=[tm.Event("stop", "b.y - level", stop=True)]),
        method=way,
    )
    for name, slopes in zip(("level", "height"), complex_slopes(fallen, 0.2, 0.5), strict=True):
        np.testing.assert_allclose([one[name] for one in g], slopes, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_quantities_of_time_itself_change_with_the_end_of_the_run(way):
    """A force k t pushes a mass from rest over 0.2 m: x = k t^3/(6 m); the power k t v and the acceleration k t/m depend on t as well."""
    m = tm.PlanarModel("pushed", gravity=(0, 0))
    m.parameter("mass", 2.0), m.parameter("k", 3.0)
    m.body("b", mass="mass", inertia=0.1)
    m.force("push", m["b"].at(0, 0), vector=("k*t", 0))
    end = tm.Event("there", "b.x - 0.2", stop=True)
    g = m.gradient(
        ["push.power[end]", "b.ax[end]", "t[end]"],
        method=way,
        analysis=tm.Analysis("simulate", 1.5, samples=11, events=[end]),
    )

    def reached(mass, k):
        t = (1.2 * mass / k) ** (1 / 3)
        return np.array([k * t * k * t**2 / (2 * mass), k * t / mass, t])

    for name, slopes in zip(("mass", "k"), complex_slopes(reached, 2.0, 3.0), strict=True):
        np.testing.assert_allclose([one[name] for one in g], slopes, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("way", ["direct", "adjoint"])
@pytest.mark.parametrize(
    "what, slope", [("at(b.y, 1.0)", 1.0), ("mean(b.vy, from=0.5, to=1.0)", 0.0), ("max(b.x, to=1)", 0.0)]
)
def test_functions_of_time_may_name_the_end_of_the_run(way, what, slope):
    assert thrown().gradient(what, times=TIMES, method=way)["height"] == pytest.approx(slope, abs=1e-9)


def test_events_of_one_time_have_derivatives_unless_one_hides_the_other():
    m = thrown()
    kicks = [tm.Event(name, "t - 0.5", impulse=[("b", (0.2, 0.3))]) for name in ("one", "two")]
    found = m.gradient("b.x[end]", wrt="speed", analysis=tm.Analysis("simulate", times=TIMES, events=kicks))
    assert found["speed"] == pytest.approx(1.0, abs=1e-9)
    hidden = tm.Event("fast", f"b.vy + {0.5 * G}", impulse=[("b", (0.2, 0.0))])
    with pytest.raises(tm.ModelError, match="'one' and 'fast' come at the same instant"):
        m.gradient("b.x[end]", wrt="speed", analysis=tm.Analysis("simulate", times=TIMES, events=[kicks[0], hidden]))


@pytest.mark.parametrize(
    ("says", "events"),
    [
        ("'top' is only touched", [("top", f"b.y - {0.5 + 0.4**2 / (2 * G) - 1e-12}")]),
        ("'one' and 'two' come at the same instant", [("one", "b.y - 0.2"), ("two", "c.y - 0.2")]),
        ("'now' is due at the very start", [("now", "c.x - 1")]),
    ],
)
def test_what_has_no_derivative_is_refused(says, events):
    m = tm.PlanarModel("balls", gravity=(0.0, -G))
    m.parameter("height", 0.5)
    m.parameter("up", 0.4)
    m.body("b", mass=1.0, inertia=0.1, position=(0.0, "height"), velocity=(0.0, "up"))
    m.body("c", mass=1.0, inertia=0.1, position=(1.0, 0.5), velocity=(0.3, 0.4))
    listed = [tm.Event(name, when, impulse=[("b", (0.3, 0.0))]) for name, when in events]
    with pytest.raises(tm.ModelError, match=says):
        m.gradient("b.y[end]", analysis=tm.Analysis("simulate", times=TIMES, events=listed))


def test_gradients_carry_the_warnings_of_their_run():
    """Two different starting velocities of one body: that is said of the run, and of its derivatives."""
    m, given = thrown(), {"b.vx": 0.3}
    with pytest.warns(tm.RunWarning, match="contradict"):
        run = m.simulate(0.2, samples=3, initial=given)
    with pytest.warns(tm.RunWarning, match="contradict"):
        g = m.gradient("b.x[end]", 0.2, samples=3, initial=given, wrt=["b.vx"])
    assert run.warnings
    assert list(map(str, g.warnings)) == list(map(str, run.warnings))
    assert g["b.vx"] == pytest.approx(0.2, rel=1e-9)


def test_an_event_without_effect_leaves_derivatives_as_they_are():
    """The trebuchet's numbers hold counts as well, which must not move by rounding."""
    m = examples.find("trebuchet").build()
    kick = tm.Event("kick", "t - 0.13", impulse=[("beam", (0.0, 0.0))])
    with_it, without = (
        m.gradient(
            "sling.x",
            wrt=["sling.vx"],
            method="direct",
            analysis=tm.Analysis("simulate", times=[0.0, 0.131, 0.15, 0.3], events=events),
        )
        for events in ([kick], [])
    )
    np.testing.assert_allclose(with_it.array, without.array, rtol=1e-8)
