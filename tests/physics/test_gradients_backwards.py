"""Going back over a run: reverse derivatives of written out pieces, and what follows from them for whole runs."""

import ctypes
import math

import numpy as np
import pytest

import pytrammel as tm
from dynamic_models import andrews
from pytrammel import examples
from pytrammel.analysis.gradients import adjoint, reverse
from pytrammel.analysis.gradients.runs import OfRun
from pytrammel.analysis.runs.straight import rates_piece
from pytrammel.kernels.jit import HAVE_JIT
from spatial_models import bricard

if HAVE_JIT:
    from pytrammel.kernels.structure.as_llvm import MachineCode
    from pytrammel.kernels.structure.piece import make_piece
    from pytrammel.kernels.structure.reverse import reverse_piece

EIGHTH = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
written_out = pytest.mark.skipif(not HAVE_JIT, reason="machine code needs Numba")


def computed(code, number, t, floats, x, count):
    """What a piece writes."""
    pointer, out = ctypes.POINTER(ctypes.c_double), np.zeros(count)
    piece = ctypes.CFUNCTYPE(None, ctypes.c_double, pointer, ctypes.c_int64, pointer, pointer)(code.addresses[number])
    piece(t, floats.ctypes.data_as(pointer), 1, x.ctypes.data_as(pointer), out.ctypes.data_as(pointer))
    return out


def functions(unused, F, t, x, out):
    """Every operation that a graph knows, on numbers where all of them are smooth."""
    a, b, c = x[0], x[1], x[2]
    out[0] = math.sin(a) * math.cos(b) + math.tan(c) - a / b
    out[1] = math.asin(0.5 * a) + math.acos(0.3 * b) * math.atan(c) + math.atan2(a, b) + math.hypot(b, c)
    out[2] = math.sinh(a) - math.cosh(b) * math.tanh(c) + math.exp(a * b) + math.log(b) * math.sqrt(c)
    out[3] = abs(-a) + min(a, b) * max(b, c) + a**b + b**3.0 + math.copysign(a, -c) + math.floor(7.0 * a)
    out[4] = -(F[0] * a + F[1] * t)


def ways(unused, F, t, x, out):
    """Branches, small and large, taken and not; what is not taken divides by zero."""
    a, b = x[0], x[1]
    safe = 0.0
    if b > 0.0:
        safe = a / b
    out[0] = safe * a
    if a > F[0]:
        total = 0.0
        for k in range(12):
            total += math.sin(a * (k + 1.0)) / (b + k + 1.0)
            if total > 1.0:
                total = total * b + math.sqrt(total)
    else:
        total = a * b
        for k in range(12):
            total = math.cos(total + k) - a
    out[1] = total


@written_out
@pytest.mark.parametrize(
    ("function", "x", "count"),
    [(functions, (0.4, 0.7, 0.3), 5), (ways, (0.8, 0.0), 2), (ways, (0.8, 0.6), 2), (ways, (0.2, 0.6), 2)],
)
def test_pieces_are_gone_back_over(function, x, count):
    floats, x = np.array([0.5, -0.3]), np.array(x)
    piece = make_piece(function, np.zeros(0, dtype=int), floats, (0, 1), None, x.size, [count])
    code = MachineCode(piece, reverse_piece(piece, count), in_place=True)
    weights = np.linspace(0.5, 1.5, count)
    found = computed(code, 1, 0.2, floats, np.concatenate([x, weights]), x.size + 2)

    def total(given):
        return weights @ computed(code, 0, 0.2, given[x.size :].copy(), given[: x.size].copy(), count)

    base, h = np.concatenate([x, floats]), 2e-3
    for k, slope in enumerate(found):
        if function is ways and base[k] == 0.0:
            continue  # on the branch's edge only the side that is taken counts
        step = h * np.eye(base.size)[k]
        seen = sum(w * (total(base + j * step) - total(base - j * step)) for j, w in EIGHTH.items()) / h
        assert slope == pytest.approx(seen, rel=1e-10, abs=1e-11)  # of the eighth order: h^8, and rounding by h


@written_out
@pytest.mark.parametrize("build", [andrews, bricard])
def test_rates_of_machines_are_gone_back_over(build):
    run = OfRun(build(), (), {"duration": 0.01, "samples": 3})
    evaluation = run.pieces[0][1]
    floats, y, t = evaluation.floats, run.states[1], float(run.times[1])
    varying = [int(k) for k in np.flatnonzero(floats)[::7]]
    back = reverse_piece(rates_piece(evaluation.table, varying), y.size)
    weights = np.random.default_rng(3).normal(size=y.size)
    found = computed(
        MachineCode(back, in_place=True, soon=True), 0, t, floats, np.concatenate([y, weights]), back.n_inputs
    )
    rng, scales, h = np.random.default_rng(4), run.scales(), 1e-3
    for _ in range(3):
        way, change = rng.normal(size=y.size) * scales, np.zeros(floats.size)
        change[varying] = rng.normal(size=len(varying)) * floats[varying]
        ends = np.array([-4, -3, -2, -1, 1, 2, 3, 4]) * h
        rates = evaluation.rates(np.full(8, t), y + ends[:, None] * way, floats + ends[:, None] * change)
        seen = sum(w * (rates[3 + j] - rates[4 - j]) @ weights for j, w in EIGHTH.items()) / h
        assert found[: y.size] @ way + found[y.size : y.size + len(varying)] @ change[varying] == pytest.approx(
            seen, rel=1e-9
        )


def pulled_bar(*, stopped=True):
    """A bar on a spring, and a stop that gives way."""
    m = tm.PlanarModel("bar", gravity=(0.0, -9.81))
    for name, value in {"arm": 0.5, "mass": 1.2, "pull": 60.0, "stop": 4000.0}.items():
        m.parameter(name, value)
    m.body("a", mass="mass", inertia=0.05, centroid=("arm/2", 0), points={"tip": ("arm", 0)})
    m.revolute("A", m.ground, "a", at=(0, 0))
    m.spring("s", m.ground.at(0.3, 0.5), "a.tip", stiffness="pull", free_length=0.3)
    if stopped:
        m.contact_line("wall", "a.tip", "ground", at=(0, 0.2), axis=(-1, 0), stiffness="stop", radius=0.0)
    return m


WHAT = ["a.phi[end]", "mean(A.reaction)"]
GIVEN = {"analysis": tm.Analysis("simulate", times=np.linspace(0.0, 1.2, 5), rtol=1e-10)}


def slopes(way="adjoint", *, stopped=True):
    return np.array([g.array for g in pulled_bar(stopped=stopped).gradient(WHAT, method=way, **GIVEN)])


def test_differences_serve_where_nothing_can_be_written_out(monkeypatch):
    exact = slopes(stopped=False)
    np.testing.assert_allclose(slopes(), slopes("direct"), rtol=1e-7)
    monkeypatch.setattr(reverse, "MOST_OPERATIONS", 0)
    monkeypatch.setattr(reverse, "_known", {})
    np.testing.assert_allclose(slopes(stopped=False), exact, rtol=1e-7)
    with pytest.raises(tm.ModelError, match=r"a law has a corner at t = 0.*operations backwards; use method='direct'"):
        slopes()


def test_memory_is_bounded_by_checkpoints(monkeypatch):
    whole = slopes()
    monkeypatch.setattr(adjoint, "KEPT_STEPS", 7)
    np.testing.assert_allclose(slopes(), whole, rtol=1e-8)


def test_many_names_are_followed_backwards_unless_that_cannot_be():
    m = pulled_bar()
    alone = m.gradient("a.phi[end]", wrt=["arm"], **GIVEN)
    many = m.gradient("a.phi[end]", **GIVEN)
    assert (alone.method, many.method) == ("direct", "adjoint")
    assert many["arm"] == pytest.approx(alone["arm"], rel=1e-7)
    assert m.gradient("a.phi", **GIVEN).method == "direct"  # a series would be followed from each of its instants


def test_what_only_stays_together_along_the_names_is_followed_forwards():
    """Two balls fall from one height: they land together whatever it is, but not if either is moved alone."""
    m = tm.PlanarModel("balls", gravity=(0.0, -9.81))
    m.parameter("height", 0.5)
    for k in range(6):
        m.parameter(f"push{k}", 0.1)
    for name in ("a", "b"):
        m.body(name, mass=1.0, inertia=0.1, position=(0.0, "height"))
        m.force(f"F{name}", name, vector=("+".join(f"push{k}" for k in range(6)), 0.0))
    events = [tm.Event(f"{name}_lands", f"{name}.y", impulse=[(name, (0.0, 5.0))]) for name in ("a", "b")]
    given = {"analysis": tm.Analysis("simulate", times=[0.0, 0.2, 0.5], events=events)}
    assert m.gradient("a.y[end]", **given).method == "direct"
    with pytest.raises(tm.ModelError, match=r"'a_lands' and 'b_lands' come at the same instant.*use method='direct'"):
        m.gradient("a.y[end]", method="adjoint", **given)


def test_a_quantity_that_depends_on_earlier_states_is_not_followed_backwards(monkeypatch):
    """The sum of an acceleration over all times before, in place of the acceleration."""
    look = OfRun.look
    monkeypatch.setattr(OfRun, "look", lambda *given: np.cumsum(look(*given), axis=1))
    m = tm.PlanarModel("pendulum")
    m.parameter("mass", 1.0)
    m.body("b", mass="mass", inertia=0.1, position=(0.5, 0.0))
    m.revolute("A", "ground", "b", at=(0, 0))
    with pytest.raises(tm.ModelError, match=r"'b\.ax' depends on other instants than its own.*use method='direct'"):
        m.gradient("b.ax[end]", 0.5, samples=6, method="adjoint")


@pytest.mark.parametrize("when", ["t - 0.1", "ball2.x - 0.05"])
def test_a_kick_in_a_machine_with_loops_is_followed_both_ways(when):
    """Entries of a state off the constraints cannot always be closed from afar."""
    m = examples.find("governor").build()
    kick = tm.Event("kick", when, impulse=[("ball1", (0.01, 0.02, 0.05))])
    there, back = (
        m.gradient(
            "ball2.x[end] + ball2.vx[end]",
            wrt=["ball2.vx"],
            method=way,
            analysis=tm.Analysis("simulate", 0.2, samples=3, events=[kick]),
        )
        for way in ("direct", "adjoint")
    )
    np.testing.assert_allclose(back.array, there.array, rtol=1e-7)  # the run's tolerance is 1e-8


def test_a_spring_that_nearly_closes_is_followed_back():
    """A block on a rail swings about l from 2 l with x = l + l cos(w t), and its spring pulls with c (x - l).

    Across the rail the force has a corner where the spring closes, but no slope, only rounding.
    """
    mass, stiffness, length = 1.3, 50.0, 0.1
    m = tm.PlanarModel("block", gravity=(0.0, -9.81))
    m.parameter("mass", mass)
    m.parameter("stiffness", stiffness)
    m.body("a", mass="mass", inertia=0.1, position=(2 * length, 0.0))
    m.prismatic("P", m.ground, "a", at=(2 * length, 0), axis=(1, 0))
    m.spring("s", m.ground.at(0, 0), "a", stiffness="stiffness", free_length=length)
    w = math.sqrt(stiffness / mass)
    times = np.array([0.0, 0.5, 1.0]) * 0.986 * math.pi / w  # the spring ends with 1e-3 of its free length
    found = m.gradient("mean(s.force)", method="adjoint", analysis=tm.Analysis("simulate", times=times, rtol=1e-9))
    cos, turn = np.cos(w * times), np.sin(w * times) * w * times / 2  # cos(w t) changes by turn per ln(mass)
    shares = np.array([1, 2, 1]) / 4  # a mean is one over time
    exact = [shares @ turn * stiffness * length / mass, shares @ (cos - turn) * length]
    np.testing.assert_allclose(found.array, exact, rtol=1e-8)  # ten times the tolerance of each step


def test_many_names_go_forwards_where_a_magnitude_comes_close_to_zero():
    """The pin's force reverses near a sample, where its magnitude is no smooth function of neighbouring states."""
    m = tm.PlanarModel("shaken", gravity=(0, 0))
    names = [f"part{k}" for k in range(40)]
    for name in names:
        m.parameter(name, 0.05)
    m.body("b", mass=" + ".join(names), inertia=1.0)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.driver("motor", "T.distance", "sin(t)")
    m.body("c", position=(1, 0), mass=" + ".join(names), inertia=1.0)
    m.link("L", m["b"].at(0, 0), m["c"].at(0, 0))
    m.prismatic("G", "ground", "c", at=(1, 0), axis=(1, 0))
    run = {"times": np.array([0.0, 0.5, np.pi - 1e-3]), "analysis": "inverse_dynamics"}
    found = m.gradient("L.reaction[end]", **run)
    assert found.method == "direct"
    np.testing.assert_allclose(found.array, np.sin(1e-3), rtol=1e-8)
    with pytest.raises(tm.ModelError, match=r"'L\.reaction' .*not smooth.*method='direct'"):
        m.gradient("L.reaction[end]", **run, method="adjoint")
