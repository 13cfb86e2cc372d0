"""States of the user and sampled controllers, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ModelError


def filtered(**options):
    """A low-pass of a unit step, pushing a mass: u = 1 - 0.8 exp(-5 t), x'' = u - 1."""
    m = tm.PlanarModel("filter", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.state("u", rate="5*(1 - u)", initial=0.2)
    m.force("f", "b", ("u - 1", 0.0))
    return m.simulate(
        2.0, samples=21, **({} if "step" in str(options.get("method")) else {"rtol": 1e-8, "atol": 1e-10}), **options
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "dopri5"}, {"method": tm.methods.rk4(step=0.005)}, {"method": "radau5"}, {"method": "bdf"}, {"method": "adams"},
     {"formulation": "joint"}, {"formulation": "points"}, {"formulation": "relative"}, {"constraints": "baumgarte"}],
    ids=str,
)  # fmt: skip
def test_a_filter_is_an_exponential_in_every_method_and_formulation(options):
    r = filtered(**options)
    decay = np.exp(-5.0 * r.times)
    # the tolerance with some room for what 400 steps collect; rk4: h^5 5^5 / 120 per step
    np.testing.assert_allclose(r["u"], 1.0 - 0.8 * decay, atol=2e-7)
    np.testing.assert_allclose(r["u.rate"], 4.0 * decay, atol=2e-6)
    np.testing.assert_allclose(r["b.x"], -0.8 * (r.times / 5.0 - (1.0 - decay) / 25.0), atol=2e-7)
    assert "u" in r.names() and np.array_equal(r["u.value"], r["u"])


def test_a_state_alone_is_under_error_control():
    """Two states that name each other swing like cos 30 t while the body stands still: only their own error can shorten steps."""
    m = tm.PlanarModel("swing", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.state("x", rate="y", initial=1.0)
    m.state("y", rate="-900*x", scale=30.0)
    errors = []
    for rtol in (1e-4, 1e-7, 1e-10):
        r = m.simulate(2.0, samples=41, rtol=rtol, atol=rtol)
        errors.append(np.abs(r["x"] - np.cos(30.0 * r.times)).max())
    # about ten radians of steps at the tolerance each
    assert errors[0] < 1e-2 and errors[1] < 1e-5 and errors[2] < 1e-8
    tight, loose = (m.simulate(2.0, samples=3, rtol=1e-6, atol=1e-6).dynamics.statistics.steps for m in (m, m.copy(changes={
        "x": {"scale": 1e6}, "y": {"scale": 1e6}})))  # fmt: skip
    assert loose < tight


@pytest.mark.parametrize("space", [False, True])
def test_a_pendulum_with_pid_goes_where_it_is_told(space):
    """J th'' = -kp (th - s) - ki e - kd th', e' = th - s, without gravity: the linear system has a matrix exponential."""
    from scipy.linalg import expm

    kp, ki, kd, goal, inertia = 20.0, 15.0, 3.0, 0.4, 2.0
    m = (tm.SpatialModel if space else tm.PlanarModel)("pid", gravity=(0.0,) * (3 if space else 2))
    if space:
        m.body("arm", mass=1.0, inertia=(1.0, 1.0, inertia), position=(0.0, 0.0, 0.0))
        m.revolute("A", "ground", "arm", at=(0.0, 0.0, 0.0), axis="z")
    else:
        m.body("arm", mass=1.0, inertia=inertia)
        m.revolute("A", "ground", "arm", at=(0.0, 0.0))
    m.parameter("goal", goal)
    m.define("off", "A.angle - goal")
    m.state("drift", rate="off")
    m.user_force("pid", "A.angle", f"-{kp}*off - {ki}*drift - {kd}*A.angle.rate")
    r = m.simulate(3.0, samples=31, rtol=1e-9, atol=1e-11)
    A = np.array([[0.0, 1.0, 0.0], [-kp / inertia, -kd / inertia, -ki / inertia], [1.0, 0.0, 0.0]])
    exact = np.array([expm(A * t) @ [-goal, 0.0, 0.0] for t in r.times])
    np.testing.assert_allclose(r["A.angle"] - goal, exact[:, 0], atol=1e-7)
    np.testing.assert_allclose(r["drift"], exact[:, 2], atol=1e-7)
    linear = m.linearize(at=m.simulate(40.0, samples=2), outputs=["A.angle"])
    assert np.sort_complex(np.linalg.eigvals(linear.A)) == pytest.approx(
        np.sort_complex(np.linalg.eigvals(A)), abs=1e-7
    )
    assert "drift" in linear.states


def test_a_cylinder_fills_against_a_spring():
    """Hydraulics: p' = (Q - a x')/C pushes a piston on a spring; for slow filling p a = k x and x = Q t / (a + k C / a)."""
    m = tm.PlanarModel("cylinder", gravity=(0.0, 0.0))
    m.body("piston", mass=0.1, inertia=1.0)
    m.prismatic("guide", "ground", "piston", at=(0.0, 0.0), axis=(1.0, 0.0))
    m.state("p", rate="(1e-5 - 0.01*piston.vx)/1e-9", scale=1e4)
    m.user_force("push", "piston.x", "0.01*p - 200*piston.vx - 1e4*piston.x")
    r = m.simulate(4.0, samples=5)
    speed = 1e-5 / (0.01 + 1e4 * 1e-9 / 0.01)
    lag = 200.0 * speed / 1e4
    assert r["piston.vx"][-1] == pytest.approx(speed, rel=1e-6)
    assert r["p"][-1] * 0.01 == pytest.approx(1e4 * (r["piston.x"][-1] + lag), rel=1e-6)


def test_states_are_kept_in_files_copies_and_assemblies(tmp_path):
    m = tm.PlanarModel("two")
    m.body("b", mass=1.0, inertia=1.0)
    m.state("x", rate="y - b.x", initial=1.0)
    m.state("y", rate="-x", initial="0.5", scale=2.0)
    m.force("f", "b", ("x", "y.value"))
    whole = m.simulate(0.5, samples=3)
    for twin in (m.copy(), tm.load(m.save(tmp_path / "m.toml")), m.with_parameters()):
        assert np.array_equal(twin.simulate(0.5, samples=3)["x"], whole["x"])
    outer = tm.PlanarModel("outer")
    outer.subsystem("left", m)
    assert outer.simulate(0.5, samples=3)["left.x"] == pytest.approx(whole["x"], abs=1e-9)
    stored = tm.load_result(whole.save(tmp_path / "run.trammel"))
    assert np.array_equal(stored["y"], whole["y"])
    with pytest.raises(ModelError, match="'x' cannot be left out alone, because"):
        m.copy(without=["x"])


def test_states_where_they_cannot_be_are_refused():
    m = tm.PlanarModel("m")
    m.body("b", mass=1.0, inertia=1.0)
    m.revolute("A", "ground", "b", at=(0.0, 1.0))
    m.state("x", rate="1 - z")
    with pytest.raises(ModelError, match="there is no state 'z'"):
        m.simulate(1.0)
    m = m.copy(without=["x"])
    m.state("x", rate="1 - b.y")
    m.equilibrium()  # nothing depends on it
    m.force("f", "b", ("x", 0.0))
    for verb in ("equilibrium", "equilibria", "statics"):
        with pytest.raises(
            ModelError, match=rf"{verb} does not know what 'x' is, which force 'f' uses: it is integrated along"
        ):
            getattr(m, verb)()
    with pytest.raises(ModelError, match="cannot be measured in constraints"):
        m.equation("hold", "x - b.x")
    with pytest.raises(ModelError, match="method 'rattle' does not integrate inner states"):
        m.simulate(1.0, method=tm.methods.rattle(step=0.01))
    with pytest.raises(ModelError, match="scale of state 'y' is -1"):
        m.state("y", rate="1", scale=-1.0)
    with pytest.raises(ModelError, match="use controller"):
        m.state("y", rate=math.sin)
    with pytest.raises(ModelError, match="the name 'x' is taken already"):
        m.body("x")


def test_a_state_may_be_called_e_but_not_be_taken_for_the_number():
    m = tm.PlanarModel("m", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.parameter("target", 0.5)
    m.state("e", rate="target - b.phi - e.value", initial=0)
    m.torque("c", "b", "2*e.value")
    r = m.simulate(1.0, samples=3)
    assert r["e"][-1] == pytest.approx(r.formula("e.value")[-1]) and r["e"][-1] > 0.1
    for wrong in (lambda: m.torque("d", "b", "2*e"), lambda: r.formula("e + 1"), lambda: m.state("pi", rate="1 - pi")):
        with pytest.raises(ModelError, match=r"is the number .* in formulas, and here also a state"):
            wrong()


# --- sampled controllers -----------------------------------------------------------------------------------------------


def test_a_sampled_controller_holds_what_it_put_out():
    """x'' = u on a free mass, u = -k x - c v held over h: the exact discrete system is x+ = x + h v + h²/2 u, v+ = v + h u."""
    k, c, h = 4.0, 2.0, 0.05
    m = tm.PlanarModel("held", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0.0))
    seen = []

    def law(t, x, v):
        seen.append(t)
        return -k * x - c * v

    m.controller("u", law, every=h, inputs=["t", "b.x", "b.vx"])
    m.force("f", "b", ("u", 0.0))
    r = m.simulate(2.0, output_step=h)
    x, v, exact = 1.0, 0.0, []
    for _ in r.times:
        exact.append(x)
        u = -k * x - c * v
        x, v = x + h * v + 0.5 * h * h * u, v + h * u
    np.testing.assert_allclose(r["b.x"], exact, atol=1e-9)
    assert seen == pytest.approx(h * np.arange(len(seen)), abs=1e-12) and len(seen) == len(r.times)
    # at the instant of a call, what it has just put out
    assert r["u"][:2] == pytest.approx([-k, -k * exact[1] + c * k * h])


@pytest.mark.parametrize(
    "options", [{"method": "radau5"}, {"method": tm.methods.rk4(step=0.013)}, {"formulation": "joint"}], ids=str
)
def test_controllers_are_called_in_every_method(options):
    m = pendulum(lambda angle, rate: (-20.0 * angle - 2.0 * rate, angle))
    plain, other = m.simulate(0.5, samples=11), m.simulate(0.5, samples=11, **options)
    assert other["A.angle"] == pytest.approx(plain["A.angle"], abs=1e-6)
    assert other["copied"][1:] == pytest.approx(plain["copied"][1:], abs=1e-6)


def pendulum(function, every=0.01):
    m = tm.PlanarModel("pendulum")
    m.body("a", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    m.revolute("A", "ground", "a", at=(0.0, 0.0))
    m.controller("pd", function, every=every, inputs=["A.angle", "A.angle.rate"], outputs=["u", "copied"])
    m.motor("M", first="ground", second="a", torque="u")
    return m


class Counting:
    """A controller with a memory that begins anew with every run."""

    def __init__(self):
        self.calls = 0

    def reset(self):
        self.calls = 0

    def __call__(self, angle, rate):
        self.calls += 1
        return self.calls, 0.0


def test_a_controller_with_a_memory_is_reset():
    m = pendulum(Counting(), every=0.1)
    first, second = m.simulate(0.5, samples=11), m.simulate(0.5, samples=11)
    assert np.array_equal(first["u"], second["u"]) and first["u"].max() >= 5.0


def test_two_controllers_keep_their_own_time():
    m = tm.PlanarModel("two", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.controller("slow", lambda t: t, every=0.3, inputs=["t"])
    m.controller("fast", lambda t, s: t - s, every=0.1, inputs=["t", "slow"])
    r = m.simulate(1.0, samples=41, start_time=0.05)
    since = np.arange(41) / 40.0
    slow, fast = (0.05 + every * np.floor(since / every + 1e-9) for every in (0.3, 0.1))
    assert r["slow"] == pytest.approx(slow, abs=1e-9)
    assert r["fast"] == pytest.approx(fast - slow, abs=1e-9)  # those described first are called first


@pytest.mark.parametrize(
    "function, sentence",
    [
        (lambda angle, rate: 1 / 0, r"controller 'pd' failed at t = 0 s: ZeroDivisionError: division by zero"),
        (lambda angle, rate: 1.0, r"returned 1.0 at t = 0 s; it must return 2 finite numbers \(u, copied\)"),
        (lambda angle, rate: (math.nan, 0.0), "must return 2 finite numbers"),
        (lambda angle, rate: "off", "must return 2 finite numbers"),
        (lambda angle: (0.0, 0.0), "TypeError"),
    ],
)
def test_controllers_that_fail_are_told_with_the_time(function, sentence):
    with pytest.raises(ModelError, match=sentence):
        pendulum(function).simulate(1.0)


def test_what_was_computed_before_a_failure_is_kept():
    def fails(angle, rate):
        if angle < -0.1:
            raise RuntimeError("too low")
        return 0.0, 0.0

    with pytest.raises(ModelError, match=r"failed at t = 0\.\d+ s: RuntimeError: too low") as caught:
        pendulum(fails).simulate(1.0)
    assert len(caught.value.partial) > 5 and caught.value.partial["A.angle"].min() > -0.11


def test_wrong_controllers_are_explained(tmp_path):
    m = pendulum(Counting())
    with pytest.raises(ModelError, match="which a model file cannot hold"):
        m.save(tmp_path / "m.toml")
    for verb in ("linearize", "equilibrium", "statics"):
        with pytest.raises(ModelError, match="it is put out by a controller"):
            getattr(m, verb)()
    with pytest.raises(ModelError, match="must be something to call"):
        m.controller("c", 3.0, every=0.1, inputs=[])
    with pytest.raises(ModelError, match="every of controller 'c' is 0"):
        m.controller("c", math.sin, every=0.0, inputs=["t"])
    with pytest.raises(ModelError, match="must be a list of names"):
        m.controller("c", math.sin, every=0.1, inputs="t")
    with pytest.raises(ModelError, match="is a reaction, which is known after the forces only"):
        m.controller("c", math.sin, every=0.1, inputs=["A.reaction"])
    with pytest.raises(ModelError, match="the name 'u' is taken already"):
        m.controller("c", math.sin, every=0.1, inputs=["t"], outputs=["u"])
    with pytest.raises(ModelError, match="200000 are the most"):
        pendulum(Counting(), every=1e-7).simulate(1.0)
