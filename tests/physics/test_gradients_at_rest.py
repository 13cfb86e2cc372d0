"""Derivatives of positions of rest, of what joints carry there, and of modes, against closed forms and neighbouring solutions."""

import numpy as np
import pytest

import pytrammel as tm

pytestmark = pytest.mark.search


def hanging():
    """A mass on a spring that hangs from the ceiling, free to swing and to bounce."""
    m = tm.PlanarModel("hanging", gravity=(0.0, -9.81))
    for name, value in {"mass": 2.0, "k": 300.0, "c": 4.0}.items():
        m.parameter(name, value)
    m.body("b", mass="mass", inertia=0.1, position=(0.0, -1.05), points={"o": (0, 0)})
    m.driver("upright", "b.phi", 0.0)
    m.spring("s", m.ground.at(0.0, 0.0), "b.o", stiffness="k", damping="c", free_length=1.0)
    return m


def test_a_hanging_mass_sinks_as_it_must():
    g = hanging().gradient(["b.y", "s.force", "mode1.frequency"], analysis="equilibrium", wrt=["mass", "k"])
    assert g[0].value == pytest.approx(-1.0 - 2.0 * 9.81 / 300.0, rel=1e-10)
    assert g[0]["mass"] == pytest.approx(-9.81 / 300.0, rel=1e-10)
    assert g[0]["k"] == pytest.approx(2.0 * 9.81 / 300.0**2, rel=1e-10)
    assert abs(g[1]["mass"]) == pytest.approx(9.81, rel=1e-10)


def test_frequencies_and_damping_change_as_in_the_textbook():
    """Bounce: w² = k/m, damping ratio c / (2 sqrt(k m)); swing: w² = g / length, the length growing with the load."""
    m = hanging()
    modes = m.equilibrium().modes
    swing, bounce = sorted(range(len(modes)), key=lambda k: modes[k].frequency)
    names = [
        f"mode{bounce + 1}.frequency",
        f"mode{bounce + 1}.damping_ratio",
        f"mode{bounce + 1}.growth",
        f"mode{swing + 1}.frequency",
    ]
    w, ratio, growth, slow = m.gradient(names, analysis="modes")
    assert w.value == pytest.approx(np.sqrt(150.0))
    assert w["k"] == pytest.approx(0.5 / np.sqrt(300.0 * 2.0), rel=1e-9)
    assert w["mass"] == pytest.approx(-0.5 * np.sqrt(300.0) / 2.0**1.5, rel=1e-9)
    assert w["c"] == pytest.approx(0.0, abs=1e-9)
    assert ratio["c"] == pytest.approx(0.5 / np.sqrt(600.0), rel=1e-9)
    assert ratio["k"] == pytest.approx(-0.25 * 4.0 / np.sqrt(2.0) / 300.0**1.5, rel=1e-9)
    assert growth["mass"] == pytest.approx(4.0 / (2.0 * 2.0**2), rel=1e-9)
    length = 1.0 + 2.0 * 9.81 / 300.0
    assert slow["mass"] == pytest.approx(-0.5 * np.sqrt(9.81) * length**-1.5 * 9.81 / 300.0, rel=1e-9)


def frame(space):
    """A linkage with springs, in the plane or laid into space."""
    rest = (0.0,) if space else ()
    turn = {"axis": "z"} if space else {}
    m = (tm.SpatialModel if space else tm.PlanarModel)("frame", gravity=(0.0, -9.81, *rest))
    for name, value in {"arm": 0.4, "mass": 1.3, "k": 400.0}.items():
        m.parameter(name, value)
    inertia = (0.02, 0.03, 0.05) if space else 0.05
    m.body("a", mass="mass", inertia=inertia, centroid=(0.2, 0.0, *rest), points={"tip": ("arm", 0.0, *rest)})
    m.body(
        "b",
        mass=0.7,
        inertia=inertia,
        position=("arm", 0.0, *rest),
        centroid=(0.1, 0.1, *rest),
        points={"end": (0.3, 0.0, *rest)},
    )
    m.revolute("A", m.ground, "a", at=(0.0, 0.0, *rest), **turn)
    m.revolute("B", "a", "b", at=("arm", 0.0, *rest), **turn)
    m.spring("s1", m.ground.at(0.1, 0.9, *rest), "a.tip", stiffness="k", free_length=0.8)
    m.spring("s2", m.ground.at(0.9, 0.6, *rest), "b.end", stiffness=250.0, free_length=0.5, damping=3.0)
    return m


WHAT = ["b.x", "A.reaction", "s2.force", "mode1.frequency", "mode2.damping_ratio"]


@pytest.mark.parametrize("space", [False, True])
def test_rest_and_modes_change_as_neighbouring_solutions(space):
    m = frame(space)
    found = m.gradient(WHAT, analysis="equilibrium")
    f = m.value_and_grad(WHAT, analysis="equilibrium")
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    for k, name in enumerate(f.names):
        h = 4e-3 * f.x0[k]
        step = h * np.eye(len(f.x0))[k]
        seen = sum(w * (f.value(f.x0 + j * step) - f.value(f.x0 - j * step)) for j, w in weights.items()) / h
        for g, truth in zip(found, seen, strict=True):
            # rest is found to 1e-11
            assert g[name] == pytest.approx(truth, rel=1e-7, abs=1e-9 * abs(g.value) / f.x0[k])


def test_backwards_is_the_same():
    m = frame(False)
    one, other = (
        m.gradient("A.reaction - 2*b.x + k*s2.force", analysis="equilibrium", method=way)
        for way in ("direct", "adjoint")
    )
    np.testing.assert_allclose(other.array, one.array, rtol=0, atol=1e-9 * np.abs(one.array).max())


def test_what_has_no_derivative_at_rest_is_refused():
    m = tm.PlanarModel("free", gravity=(0.0, 0.0))
    m.parameter("mass", 1.0)
    m.body("b", mass="mass", inertia=1.0, points={"o": (0, 0)})
    m.spring("s", m.ground.at(-1.0, 0.0), "b.o", stiffness=9.0, free_length=1.0)
    with pytest.raises(tm.SingularError, match="neutral"):
        m.gradient("b.x", analysis="equilibrium")
    with pytest.raises(tm.ModelError, match="a mode has frequency"):
        m.gradient("mode1.pitch", analysis="modes")
    with pytest.raises(tm.ModelError, match="mode9"):
        m.gradient("mode9.frequency", analysis="modes")
    twin = tm.PlanarModel("twin", gravity=(0.0, 0.0))
    twin.parameter("k", 10.0)
    twin.body("b", mass=2.0, inertia=1.0, points={"o": (0, 0)})
    twin.driver("upright", "b.phi", 0.0)
    for name, place in {"east": (1.0, 0.0), "north": (0.0, 1.0)}.items():
        twin.spring(name, twin.ground.at(*place), "b.o", stiffness="k", free_length=1.0)
    with pytest.raises(tm.SingularError, match="more than once"):
        twin.gradient("mode1.frequency", analysis="modes")
