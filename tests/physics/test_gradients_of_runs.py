"""Derivatives of simulated motions, against closed forms, invariants and runs of the finest tolerance nearby."""

import numpy as np
import pytest

import pytrammel as tm

TIMES = np.linspace(0.0, 1.0, 6)
CLOSE = 1e-8  # the runs themselves are good to about that


def oscillator():
    m = tm.PlanarModel("oscillator", gravity=(0.0, 0.0))
    for name, value in {"mass": 2.0, "k": 50.0, "x0": 0.3, "v0": 0.7}.items():
        m.parameter(name, value)
    m.body("b", mass="mass", inertia=1.0, position=("x0", 0.0), velocity=("v0", 0.0), points={"o": (0, 0)})
    m.prismatic("slide", m.ground, "b", at=(0.0, 0.0), axis=(1, 0))
    m.spring("s", m.ground.at(-1.0, 0.0), "b.o", stiffness="k", free_length=1.0)
    return m


def swing(x):
    mass, k, x0, v0 = x
    w = np.sqrt(k / mass)
    return x0 * np.cos(w * TIMES) + v0 / w * np.sin(w * TIMES)


def complex_slopes(function, x):
    out = []
    for k in range(len(x)):
        at = np.array(x, dtype=complex)
        at[k] += 1e-30j
        out.append(function(at).imag / 1e-30)
    return out


def test_an_oscillator_changes_as_its_closed_form():
    g = oscillator().gradient("b.x", times=TIMES)
    for name, truth in zip(("mass", "k", "x0", "v0"), complex_slopes(swing, (2.0, 50.0, 0.3, 0.7)), strict=True):
        np.testing.assert_allclose(g[name], truth, atol=CLOSE * np.abs(truth).max())
    assert g.warnings == ()


def test_initial_states_are_directions_like_parameters():
    m = oscillator()
    g = m.gradient("b.x", times=TIMES, wrt=["x0", "b.vx"], initial={"b.vx": 0.7})
    np.testing.assert_allclose(g["b.vx"], np.sin(5.0 * TIMES) / 5.0, atol=CLOSE)
    f = m.copy(changes={"b": {"velocity": None}}).value_and_grad("b.x[end]", times=TIMES, wrt=["b.vx"])
    assert f.x0 == pytest.approx([0.0])
    value, slope = f([1.0])
    assert value == pytest.approx(0.3 * np.cos(5.0) + 0.2 * np.sin(5.0))
    assert slope == pytest.approx([np.sin(5.0) / 5.0])


def test_energy_is_kept_by_neighbours_too():
    """Total energy is constant along every motion, so that its derivative is, too: that of the start."""
    g = oscillator().gradient("energy.total", times=TIMES)
    np.testing.assert_allclose(g["x0"], 50.0 * 0.3, rtol=1e-8)
    np.testing.assert_allclose(g["v0"], 2.0 * 0.7, rtol=1e-8)
    np.testing.assert_allclose(g["k"], 0.5 * 0.3**2, rtol=1e-8)


def test_forces_that_set_in_at_a_varied_instant():
    m = tm.PlanarModel("push", gravity=(0.0, 0.0))
    m.parameter("begin", 0.37)
    m.parameter("push", 3.0)
    m.body("b", mass=1.5, inertia=1.0)
    m.force("F", "b", vector=("push*step(t - begin)", 0.0))
    g = m.gradient(["b.x", "b.vx"], times=TIMES)
    late = np.maximum(TIMES - 0.37, 0.0)
    np.testing.assert_allclose(g[0]["begin"], -2.0 * late, atol=1e-8)
    np.testing.assert_allclose(g[0]["push"], 0.5 * late**2 / 1.5, atol=1e-8)
    np.testing.assert_allclose(g[1]["begin"], -2.0 * (late > 0.0), atol=1e-8)
    back = m.gradient("b.x[end]", times=TIMES, method="adjoint")
    assert back["push"] == pytest.approx(0.5 * late[-1] ** 2 / 1.5, rel=1e-8)
    assert back["begin"] == pytest.approx(-2.0 * late[-1], rel=1e-8)


def double_pendulum(space):
    """The same double pendulum in the plane and in space."""
    m = (tm.SpatialModel if space else tm.PlanarModel)("double", gravity=(0.0, -9.81, 0.0) if space else (0.0, -9.81))
    m.parameter("first", 0.4)
    m.parameter("mass", 0.9)
    rest = (0.0,) if space else ()
    turned = {"axis": "z"} if space else {}
    inertia = (0.02, 0.02, 0.03) if space else 0.03
    m.body("a", mass=1.2, inertia=inertia, centroid=(0.2, 0.0, *rest), points={"tip": ("first", 0.0, *rest)})
    m.body(
        "b",
        mass="mass",
        inertia=inertia,
        position=("first", 0.0, *rest),
        centroid=(0.3, 0.05, *rest),
        points={"base": (0.0, 0.0, *rest)},
    )
    m.revolute("A", m.ground, "a", at=(0.0, 0.0, *rest), **turned)
    if space:
        m.revolute("B", "a", "b", at=("first", 0.0, 0.0), axis="z")
    else:
        m.revolute("B", "a.tip", "b.base")
    return m


def test_a_plane_mechanism_in_space_has_the_derivatives_of_the_plane():
    what = ["b.x[end]", "A.reaction[3]", "mean(b.vy^2)"]
    plane, space = (
        double_pendulum(s).gradient(what, times=TIMES, wrt=["first", "mass", "A.angle"]) for s in (False, True)
    )
    for one, other in zip(plane, space, strict=True):
        assert other.value == pytest.approx(one.value, rel=1e-6)
        # a lively motion
        np.testing.assert_allclose(other.array, one.array, rtol=0, atol=3e-7 * np.abs(one.array).max())


def test_runs_of_the_finest_tolerance_change_as_the_derivatives_say():
    m = double_pendulum(False)
    fine = {"rtol": 1e-13, "atol": 1e-14}
    g = m.gradient("B.reaction", analysis=tm.Analysis("simulate", times=TIMES, rtol=1e-12))
    f = m.value_and_grad("B.reaction", analysis=tm.Analysis("simulate", times=TIMES, **fine))
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    for k, name in enumerate(f.names):
        h = 1e-3 * f.x0[k]
        step = h * np.eye(len(f.x0))[k]
        seen = sum(w * (f.value(f.x0 + j * step) - f.value(f.x0 - j * step)) for j, w in weights.items()) / h
        np.testing.assert_allclose(g[name], seen, rtol=0, atol=1e-8 * np.abs(seen).max())


@pytest.mark.parametrize("space", [False, True])
def test_going_backwards_gives_the_same_as_going_forwards(space):
    m = double_pendulum(space)
    m.spring(
        "s",
        m.ground.at(*(0.3, 0.5, 0.1)[: 2 + space]),
        m["a"].at(*(0.4, 0.0, 0.0)[: 2 + space]),
        stiffness=20.0,
        free_length=0.4,
    )
    what, wrt = ["b.x[end] + mean(B.reaction)", "s.work[end]"], ["first", "mass", "A.angle"]
    one, other = (m.gradient(what, times=TIMES[:4], wrt=wrt, method=way) for way in ("direct", "adjoint"))
    for forwards, backwards in zip(one, other, strict=True):
        assert backwards.method == "adjoint"
        np.testing.assert_allclose(backwards.array, forwards.array, rtol=0, atol=1e-8 * np.abs(forwards.array).max())


def test_a_start_that_must_be_closed_first_is_differentiated_too():
    """The bar is drawn off its rail; where it is put depends on the rail."""
    m = tm.PlanarModel("rail", gravity=(0.0, 0.0))
    m.parameter("high", 0.2)
    m.body("b", mass=1.0, inertia=0.1)
    m.equation("rail", "b.y - high*(1 + b.x)")
    m.driver("turn", "b.phi", 0.0)
    g = m.gradient(["b.y", "b.x[0]"], times=TIMES)
    # the nearest place of a line y = h (1 + x): x = -h²/(1 + h²)
    assert g[1]["high"] == pytest.approx(-2 * 0.2 / (1 + 0.04) ** 2, rel=1e-9)


@pytest.mark.parametrize(("wrt", "says"), [(["b.q"], "b.q"), (["k", "k"], "twice"), (["nothing"], "nothing")])
def test_names_that_are_no_start_get_a_sentence(wrt, says):
    with pytest.raises(tm.TrammelError, match=says):
        oscillator().gradient("b.x[end]", times=TIMES, wrt=wrt)


@pytest.mark.parametrize(("analysis", "most"), [("simulate", 8), ("kinematics", 5)])
def test_gradients_of_places_describe_the_model_a_few_times_whatever_the_number_of_parameters(
    monkeypatch, analysis, most
):
    """Once to trace it, thrice to try the trace, once to read how the formula's own parameters change, and for the two runs nearby."""
    m = oscillator().copy(changes={"b": {"velocity": None}})
    if analysis == "kinematics":
        m.driver("d", "b.x", "x0*cos(k*t) + mass")
    described = []
    replayed = type(m)._with_parameters
    monkeypatch.setattr(type(m), "_with_parameters", lambda *a, **k: described.append(1) or replayed(*a, **k))
    m.gradient("b.x", times=TIMES, wrt=["mass", "k", "x0"], analysis=analysis)
    assert len(described) <= most
