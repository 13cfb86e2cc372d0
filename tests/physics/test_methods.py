"""Every registered integration method, on a pendulum with known motion (digest of chapters 11-14, O-14)."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import pytrammel as tm
from pytrammel.analysis.runs import automatic

METHODS = {name: each for name, each in tm.methods.items() if each.back_end is None}
FIXED = [name for name, each in METHODS.items() if each.fixed]
CONTROLLED = [name for name, each in METHODS.items() if not each.fixed]


def closed_form(t: float) -> tuple[float, float]:
    """Angle and rate of the pendulum below, (mu + m d²) f'' = -m g d cos f from rest at f = 0, by elliptic functions."""
    speed = math.sqrt(2.0 * 9.81 / 2.5)
    sn, cn, _, _ = ellipj(ellipk(0.5) - speed * t, 0.5)
    return 2.0 * math.asin(math.sqrt(0.5) * sn) - 0.5 * math.pi, -2.0 * speed * math.sqrt(0.5) * cn


def pendulum() -> tm.PlanarModel:
    m = tm.PlanarModel("pendulum P1", gravity=(0.0, -9.81))
    bob = m.body("bob", position=(1.0, 0.0), mass=2.0, inertia=0.5)
    m.revolute("pivot", m.ground.at(0.0, 0.0), bob.at(-1.0, 0.0))
    return m


def run(at: float = 1.0, **options) -> tuple[float, tm.results.Result]:
    """Error at an instant, and the run."""
    r = pendulum().simulate(times=[0.0, at], progress=False, **options)
    angle, rate = closed_form(at)
    return max(abs(r["bob"].phi[-1] - angle), abs(r["bob"].omega[-1] - rate)), r


@pytest.mark.parametrize("name", FIXED)
def test_methods_with_fixed_steps_have_their_order(name):
    order = METHODS[name].order
    # steps so that the error of the finer run lies well between rounding and the coarse end
    h = {1: 2e-4, 2: 5e-3, 3: 1e-2, 4: 1e-2, 5: 1e-2, 6: 1e-2}.get(order, 4e-2)
    coarse, fine = (run(method=tm.methods[name](step=step))[0] for step in (h, h / 2))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("name", CONTROLLED)
@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_methods_with_error_control_reach_their_tolerance(name, rtol):
    error, r = run(2.0, method=name, rtol=rtol, atol=0.01 * rtol)
    # errors of all steps add up, against the fastest velocity of some 4 rad/s
    assert error < 5.0 * r.dynamics.statistics.steps * rtol
    assert error < 1000.0 * rtol


def braked(seed: int) -> tuple[tm.PlanarModel, float, float]:
    """A slider, braked by its speed, under a force that jumps at random times; its speed and place after 1 s in closed form."""
    g = np.random.default_rng(seed)
    mass, brake = g.uniform(0.5, 2.0, 2)
    times, forces = np.sort(g.uniform(0.05, 0.95, 4)), g.uniform(-10.0, 10.0, 5)
    law = f"{forces[0]}" + "".join(f" + if(t < {t}, 0, {jump})" for t, jump in zip(times, np.diff(forces), strict=True))
    m = tm.PlanarModel("slider", gravity=(0.0, 0.0))
    m.body("b", mass=mass, inertia=1.0)
    m.prismatic("T", m.ground, "b", at=(0.0, 0.0), axis=(1.0, 0.0))
    m.user_force("F", "b.x", law)
    m.user_force("D", "b.x", f"-{brake}*b.vx")
    speed = place = 0.0
    for force, span in zip(forces, np.diff(np.r_[0.0, times, 1.0]), strict=True):
        decay = -math.expm1(-brake / mass * span)
        limit = force / brake
        place += limit * span + (speed - limit) * mass / brake * decay
        speed += (limit - speed) * decay
    return m, speed, place


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_forces_that_jump_cost_no_accuracy(seed, name):
    m, speed, place = braked(seed)
    options = (
        {"method": tm.methods[name](step=1e-3)} if METHODS[name].fixed else {"method": name, "rtol": 1e-7, "atol": 1e-9}
    )
    r = m.simulate(1.0, samples=3, progress=False, **options)
    # order 1: h/2 |v''| t, where |v''| < 10 N / m * c / m = 80 m/s³; others: its square, and tolerances over some 100 steps
    allowed = 0.04 if METHODS[name].order == 1 else 1e-4
    assert METHODS[name].order == 1 or r.warnings == ()
    assert r["b"].vx[-1] == pytest.approx(speed, abs=allowed)
    assert r["b"].x[-1] == pytest.approx(place, abs=allowed)
    assert np.abs(r.energy.balance).max() < 20.0 * allowed  # 20 N along this error


@pytest.mark.parametrize("name", METHODS)
def test_no_method_looks_before_the_start(name):
    """A force that is no number before t = 0: v = 0.4 t^2.5 under t^1.5."""
    m = tm.PlanarModel("slider", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "b", at=(0.0, 0.0), axis=(1.0, 0.0))
    m.user_force("F", "b.x", "t^1.5")
    options = (
        {"method": tm.methods[name](step=1e-3)} if METHODS[name].fixed else {"method": name, "rtol": 1e-7, "atol": 1e-9}
    )
    r = m.simulate(1.0, samples=3, progress=False, **options)
    # order 1: h/2 F; others: h^2.5 in the first step, where the second derivative is infinite, and h² elsewhere
    assert r["b"].vx[-1] == pytest.approx(0.4, abs=1e-3 if METHODS[name].order == 1 else 1e-6)


def stiff_crank() -> tm.PlanarModel:
    """A crank held by a spring of 1e8 N/m with a damper: it settles at once, then hangs by m g / k."""
    m = tm.PlanarModel("stiff", gravity=(0.0, -9.81))
    crank = m.body("crank", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.revolute("O", m.ground.at(0.0, 0.0), crank.at(-0.5, 0.0))
    m.spring("s", m.ground.at(0.5, 1.0), crank.at(0.0, 0.0), stiffness=1e8, damping=1e4)
    return m


@pytest.mark.parametrize("name", [name for name in CONTROLLED if METHODS[name].implicit])
def test_implicit_methods_pass_over_what_is_stiff(name):
    explicit, implicit = (
        stiff_crank().simulate(1.0, samples=11, method=each, rtol=1e-4, atol=1e-7, progress=False)
        for each in ("dop853", name)
    )
    assert implicit["crank"].phi[-1] == pytest.approx(-9.81 / 1e8 / 0.5, rel=1e-3)
    # the spring alone makes a relaxation time of k/c = 1e-4 s and less; an explicit method must resolve it to the end
    assert implicit.dynamics.statistics.steps < 0.2 * explicit.dynamics.statistics.steps
    assert np.abs(implicit.q - explicit.q).max() < 1e-5


@pytest.mark.parametrize("name", [name for name in CONTROLLED if METHODS[name].implicit])
def test_implicit_methods_settle_on_a_hard_contact(name):
    # whatever an iteration does that finds no solution, no step is taken for good that is not
    m = tm.PlanarModel("contact", gravity=(0.0, -9.81))
    ball = m.body("ball", position=(0.0, 0.1), mass=1.0, inertia=4e-3)
    m.contact_line(
        "floor", ball, m.ground, radius=0.1, at=(0, 0), axis=(1, 0), stiffness=1e10, law="hunt_crossley", restitution=0.3
    )  # fmt: skip
    r = m.simulate(0.3, samples=4, method=name, rtol=1e-5, atol=1e-7, progress=False)
    assert r["ball"].y[-1] == pytest.approx(0.1 - (9.81 / 1e10) ** (2 / 3), abs=2e-7)
    assert r.dynamics.statistics.forced == 0


@pytest.mark.parametrize("name", ["esdirk43", "trbdf2", "radau5"])
def test_output_inside_long_steps_over_what_is_stiff_is_accurate(name):
    # rates at the ends of steps see 1e8 times the errors of lengths; polynomials through states do not
    few, many, truth = (
        stiff_crank().simulate(1.0, samples=samples, method=each, rtol=rtol, atol=0.01 * rtol, progress=False)
        for samples, each, rtol in ((2, name, 1e-6), (501, name, 1e-6), (501, "radau5", 1e-10))
    )
    assert many.dynamics.statistics.steps <= few.dynamics.statistics.steps + 10
    assert np.abs(many.q - truth.q).max() < 1e-6
    assert np.abs(many["crank"].omega - truth["crank"].omega).max() < 1e-4


@pytest.mark.parametrize("name", [name for name in CONTROLLED if METHODS[name].implicit])
def test_implicit_methods_are_as_accurate_between_steps_as_at_their_ends(name):
    # rates at the ends of steps are wrong by 1e8 times the errors there: they must not get into the output
    r = tm.textbook.integrate({"y": "-1e8*(y - cos(t)) - sin(t)"}, {"y": 1.0}, 2.0, samples=21, method=name, rtol=1e-6)
    assert np.abs(r["y"] - np.cos(r.times)).max() < 1e-5


@pytest.mark.parametrize("name", METHODS)
def test_output_instants_cost_no_steps_and_are_as_accurate_as_their_ends(name):
    fixed = METHODS[name].fixed
    span = 2.0 if METHODS[name].order > 1 else 0.2
    options = {"method": tm.methods[name](step=span / 400)} if fixed else {"method": name, "rtol": 1e-6, "atol": 1e-8}
    few, many = (
        pendulum().simulate(times=np.linspace(0.0, span, count), progress=False, **options) for count in (2, 3001)
    )
    steps = few.dynamics.statistics.steps
    # whether the very first step may be interpolated is judged by its error alone
    assert abs(many.dynamics.statistics.steps - steps) <= 2
    truth = np.array([closed_form(t) for t in many.times])
    off = np.maximum(np.abs(np.unwrap(many["bob"].phi - truth[:, 0])), np.abs(many["bob"].omega - truth[:, 1]))
    # 15 instants in two fixed steps
    ends = off[::15].max() if fixed else max(off[-1], 100.0 * 1e-6)
    assert off.max() < 2.0 * ends + 1e-9


def test_output_instants_do_not_shorten_steps_that_collocation_interpolates():
    few, many, truth = (
        stiff_crank().simulate(1.0, samples=samples, method="radau5", rtol=rtol, atol=0.01 * rtol, progress=False)
        for samples, rtol in ((2, 1e-6), (501, 1e-6), (501, 1e-10))
    )
    assert many.dynamics.statistics.steps == few.dynamics.statistics.steps < 150
    assert np.abs(many.q - truth.q).max() < 1e-6
    # the spring's force sees errors of length 1e8-fold
    assert np.abs(many.force("s") - truth.force("s")).max() < 1e-5 * np.abs(truth.force("s")).max()


def test_auto_changes_to_an_implicit_method_where_the_motion_is_stiff_and_says_so():
    explicit, auto = (
        stiff_crank().simulate(1.0, samples=11, method=name, rtol=1e-6, atol=1e-8, progress=False)
        for name in ("dop853", "auto")
    )
    used = auto.dynamics.methods
    assert [use.name for use in used] == ["dop853", "radau5"]
    assert "held short by what is stiff" in used[1].why and 0.0 < used[1].time < 0.2
    assert "radau5, because steps of" in str(auto)
    assert auto.dynamics.statistics.evaluations < 0.2 * explicit.dynamics.statistics.evaluations
    assert np.abs(auto.q - explicit.q).max() < 1e-7


def test_auto_is_the_explicit_method_where_nothing_is_stiff():
    explicit, auto = (pendulum().simulate(5.0, samples=11, method=name, progress=False) for name in ("dop853", "auto"))
    assert [use.name for use in auto.dynamics.methods] == ["dop853"]
    assert auto.dynamics.statistics == explicit.dynamics.statistics
    assert np.array_equal(auto.q, explicit.q)


def test_the_default_changes_only_where_much_is_left_to_do():
    """Else a first stiff run of some milliseconds would wait half a minute for the compiler of implicit methods."""
    short, long = (stiff_crank().simulate(span, samples=11, rtol=1e-6, atol=1e-8, progress=False) for span in (1, 300))
    assert [use.name for use in short.dynamics.methods] == ["dop853"]
    assert [use.name for use in long.dynamics.methods][:2] == ["dop853", "radau5"]
    assert long.dynamics.methods[1].time < 1.0
    assert short["crank"].phi[-1] == pytest.approx(-9.81 / 1e8 / 0.5, rel=1e-3)
    assert long["crank"].phi[-1] == pytest.approx(-9.81 / 1e8 / 0.5, rel=1e-3)


def test_auto_goes_back_when_the_implicit_method_gets_on_no_better(monkeypatch):
    monkeypatch.setattr(automatic, "WORTH", 0.0)  # nothing is good enough
    monkeypatch.setattr(automatic, "TRIAL", 3)  # before its long steps are through
    auto = stiff_crank().simulate(1.0, samples=11, method="auto", rtol=1e-6, atol=1e-8, progress=False)
    names = [use.name for use in auto.dynamics.methods]
    # each try needs four times as many stiff steps as the one before: 25, 100, 400 of some 1400
    assert names[:3] == ["dop853", "radau5", "dop853"] and names[-1] == "dop853" and len(names) <= 9
    assert "got on no better" in auto.dynamics.methods[2].why
    assert auto["crank"].phi[-1] == pytest.approx(-9.81 / 1e8 / 0.5, rel=1e-3)


def test_the_reference_method_is_accurate_to_rounding_at_output_instants():
    m = tm.PlanarModel("vibration", gravity=(0.0, 0.0))
    m.body("bob", position=(1.0, 0.0), mass=1.0, inertia=1.0)
    m.force("pull", m.body_of("bob"), vector=("-bob.x", 0.0))
    r = m.simulate(50.0, samples=14, method="gbs12", rtol=1e-13, atol=1e-13, progress=False)
    assert np.abs(r["bob"].x - np.cos(r.times)).max() < 1e-12


@pytest.mark.parametrize("name", METHODS)
def test_every_method_finds_an_event_and_output_between_its_steps(name):
    options = {"method": tm.methods[name](step=2.5e-3)} if METHODS[name].fixed else {"method": name, "rtol": 1e-7}
    m = tm.PlanarModel("falling", gravity=(0.0, -10.0))
    m.body("stone", position=(0.0, 5.0), mass=1.0, inertia=1.0)
    hit = tm.Event("hit", "stone.y", direction=-1, stop=True)
    r = m.simulate(2.0, samples=7, events=[hit], progress=False, **options)
    # Euler's method is off by h g t / 2; all others are exact for a parabola or within the tolerance
    off = 0.02 if METHODS[name].order == 1 else 1e-6
    assert r.times[-1] == pytest.approx(1.0, abs=off)
    assert r["stone"].y[:-1] == pytest.approx(5.0 - 5.0 * r.times[:-1] ** 2, abs=10 * off)


OTHERS = [name for name, each in tm.methods.items() if each.back_end is not None]


@pytest.mark.parametrize("name", OTHERS)
def test_solvers_of_others_agree(name):
    if name.startswith("cvode") and importlib.util.find_spec("sksundae") is None:
        with pytest.raises(
            tm.ModelError, match="needs the package sksundae; install it with: pip install scikit-sundae"
        ):
            run(2.0, method=name)
        return
    error, r = run(2.0, method=name, rtol=1e-8, atol=1e-10)
    assert error < 5.0 * r.dynamics.statistics.steps * 1e-8
    assert r.constraint_violation() < 1e-12
    plain = tm.textbook.integrate({"x": "v", "v": "-x"}, {"x": 1.0, "v": 0.0}, 3.0, method=name, rtol=1e-8)
    assert plain["x"][-1] == pytest.approx(math.cos(3.0), abs=1e-5)


@pytest.mark.parametrize("name", ["scipy_lsoda"])
def test_solvers_of_others_refuse_what_they_would_step_over(name):
    hit = tm.Event("hit", "bob.y + 0.5", stop=True)
    with pytest.raises(
        tm.ModelError, match=r"method 'scipy_lsoda' steps over what happens meanwhile.*'hit'.*Use one of our own"
    ):
        pendulum().simulate(1.0, method=name, events=[hit], progress=False)


@pytest.mark.parametrize("name", [name for name in OTHERS if name.startswith("scipy")])
def test_solvers_of_others_keep_to_the_steps_asked_for(name):
    r = pendulum().simulate(1.0, samples=5, method=name, max_step=0.01, progress=False)
    assert r.dynamics.statistics.steps >= 99
    with pytest.raises(tm.ConvergenceError, match="after 5 steps; raise max_steps"):
        pendulum().simulate(1.0, method=tm.methods[name](max_steps=5), max_step=0.01, progress=False)


def test_an_unknown_method_is_answered_with_the_known_ones():
    with pytest.raises(tm.ModelError, match=r"method 'rk5' is not known; use one of: .*dop853.*rk4"):
        pendulum().simulate(1.0, method="rk5")


def test_the_starter_of_a_multistep_method_can_be_named():
    # three steps of Euler's method are remembered to the end
    poor, good = (run(method=tm.methods.ab4(step=5e-3, starter=starter))[0] for starter in ("euler", "rk4"))
    assert poor > 10.0 * good
    assert run(method=tm.methods.ab4(step=5e-3))[0] == good
    with pytest.raises(tm.ModelError, match=r"method 'rk4' has no option 'starter'.*remove it"):
        tm.methods.rk4(step=5e-3, starter="rk4")
    with pytest.raises(tm.ModelError, match=r"starter must be the name of a method .*, but it is 3"):
        tm.methods.ab4(step=5e-3, starter=3)
    with pytest.raises(tm.ModelError, match="starter must be the name of a method here"):
        run(method=tm.methods.ab4(step=5e-3, starter=[[1.0]] * 3))
    with pytest.raises(tm.ModelError, match="starter='ab3' is no explicit Runge–Kutta method"):
        tm.methods.ab4(step=5e-3, starter="ab3")


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"method": tm.methods.rk4(step=0.01, max_steps=5)}, "use a longer step than 0.01"),
        ({"method": tm.methods.gbs12(max_steps=5), "max_step": 0.01}, "use a longer max_step than 0.01"),
        ({"method": tm.methods.dop853(max_steps=5), "max_step": 0.01}, "use a longer max_step than 0.01"),
        ({"method": tm.methods.bs32(max_steps=5), "rtol": 1e-9}, "loosen rtol = 1e-09"),
        ({"method": tm.methods.radau5(max_steps=5), "rtol": 1e-9}, "loosen rtol = 1e-09"),
    ],
)
def test_a_run_with_too_few_steps_names_the_option_that_makes_them_short(options, remedy):
    for run in (
        lambda: pendulum().simulate(1.0, progress=False, **options),
        lambda: tm.textbook.integrate(
            {"x": "v", "v": "-9*x"},
            {"x": 1.0, "v": 0.0},
            1.0,
            progress=False,
            **options,
        ),
    ):
        with pytest.raises(tm.ConvergenceError, match=f"5 steps; raise max_steps.*{remedy}"):
            run()


def test_a_step_that_is_hopelessly_short_is_rejected_with_its_unit():
    with pytest.raises(tm.ModelError, match=r"max_step = 1e-12 s would take 1e\+12 steps for a run of 1 s"):
        pendulum().simulate(1.0, max_step=1e-12)
