"""Derivatives of driven motions, their forces and structures, against closed forms and against each other."""

import numpy as np
import pytest

import pytrammel as tm

TIMES = np.linspace(0.0, 0.9, 8)


@pytest.fixture(scope="module")
def slider_crank():
    m = tm.PlanarModel("slider-crank")
    m.parameter("r", 0.1)
    m.parameter("length", "3.2*r")
    m.parameter("off", 0.02)
    m.parameter("w", 5.0)
    m.parameter("mass", 0.8)
    m.body("crank", mass=0.3, inertia=0.001, points={"tip": ("r", 0.0)})
    m.body(
        "rod",
        position=("r", 0.0),
        angle=-0.06,
        mass="mass",
        inertia=0.003,
        points={"base": (0, 0), "tip": ("length", 0)},
    )
    m.body("slider", position=("length + r", "off"), mass=0.5, inertia=0.002, points={"pin": (0, 0)})
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", "crank.tip", "rod.base")
    m.revolute("C", "rod.tip", "slider.pin")
    m.prismatic("D", m.ground, "slider", at=("length + r", "off"), axis=(1, 0))
    m.driver("motor", "A.angle", "w*t")
    return m


def closed_form(x):
    """Place of the slider from r, e and w."""
    r, e, w = x
    f = w * TIMES
    root = np.sqrt((3.2 * r) ** 2 - (e - r * np.sin(f)) ** 2)
    return r * np.cos(f) + root


def complex_slope(function, x, k):
    at = np.array(x, dtype=complex)
    at[k] += 1e-30j
    return function(at).imag / 1e-30


@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_the_place_of_a_slider_changes_as_its_closed_form(slider_crank, way):
    g = slider_crank.gradient("slider.x", analysis="kinematics", times=TIMES, wrt=["r", "off", "w"], method=way)
    np.testing.assert_allclose(g.value, closed_form((0.1, 0.02, 5.0)), rtol=1e-13)
    for k, name in enumerate(("r", "off", "w")):
        truth = complex_slope(closed_form, (0.1, 0.02, 5.0), k)
        np.testing.assert_allclose(g[name], truth, atol=1e-11 * np.abs(truth).max())


FORMULAS = {
    "kinematics": ["rms(slider.ax)", "mean(rod.omega^2) + w*slider.x[end]", "max(B.angle)"],
    "inverse_dynamics": ["mean(B.reaction)", "rms(motor.effort)", "D.reaction.y[end]"],
}


@pytest.mark.parametrize("analysis", FORMULAS)
def test_going_backwards_gives_the_same_as_going_forwards(slider_crank, analysis):
    options = {"analysis": analysis, "times": TIMES}
    forwards = slider_crank.gradient(FORMULAS[analysis], method="direct", **options)
    backwards = slider_crank.gradient(FORMULAS[analysis], method="adjoint", **options)
    for one, other in zip(forwards, backwards, strict=True):
        assert (
            one.method == "direct" and other.method == "adjoint" and list(one.derivatives) == ["r", "off", "w", "mass"]
        )
        np.testing.assert_allclose(other.array, one.array, rtol=0, atol=3e-11 * np.abs(one.array).max())


def test_the_effort_of_a_driven_pendulum_has_its_textbook_derivatives():
    m = tm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    for name, value in {"mass": 2.0, "arm": 0.4, "rate": 3.0}.items():
        m.parameter(name, value)
    m.body("bar", mass="mass", inertia=0.05, centroid=("arm", 0.0))
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.driver("motor", "A.angle", "0.5*rate*t^2")
    g = m.gradient("motor.effort", analysis="inverse_dynamics", times=TIMES)
    f = 1.5 * TIMES**2
    np.testing.assert_allclose(g["mass"], 9.81 * 0.4 * np.cos(f) + 0.16 * 3.0, rtol=1e-10)
    np.testing.assert_allclose(g["arm"], 2.0 * 9.81 * np.cos(f) + 2.0 * 2.0 * 0.4 * 3.0, rtol=1e-10)
    bent = -2.0 * 9.81 * 0.4 * np.sin(f) * 0.5 * TIMES**2 + 0.05 + 0.32
    np.testing.assert_allclose(g["rate"], bent, rtol=1e-10)


def test_a_structure_at_rest_has_derivatives():
    m = tm.PlanarModel("beam", gravity=(0.0, -10.0))
    m.parameter("load", 3.0)
    m.parameter("where", 0.6)
    m.body("beam", massless=True, points={"end": (2.0, 0.0), "loaded": ("where", 0.0)})
    m.revolute("A", m.ground, "beam", at=(0, 0))
    m.driver("B", "beam.phi", 0.0)
    m.force("F", "beam.loaded", vector=(0.0, "-load"))
    g = m.gradient(["A.reaction", "A.reaction.y"], analysis="statics")
    assert g[1].value == pytest.approx(3.0)
    assert g[1]["load"] == pytest.approx(1.0, rel=1e-11)
    assert g[1]["where"] == pytest.approx(0.0, abs=1e-10)


def test_scipy_gets_a_function_with_its_gradient(slider_crank):
    from scipy.optimize import minimize

    f = slider_crank.value_and_grad("mean((slider.x - target)^2)", analysis="kinematics", times=TIMES, wrt=["r", "off"],
                                    data={"target": closed_form((0.11, 0.015, 5.0))})  # fmt: skip
    assert f.names == ("r", "off") and list(f.x0) == [0.1, 0.02]
    found = minimize(f, f.x0, jac=True, method="BFGS", options={"gtol": 1e-10})
    np.testing.assert_allclose(found.x, [0.11, 0.015], rtol=1e-6)
    value, slope = f(f.x0)
    assert value == f.value(f.x0) and slope.shape == (2,)
    many = slider_crank.value_and_grad(["slider.x", "rms(slider.vx)"], analysis="kinematics", times=TIMES, wrt=["r"])
    values, slopes = many([0.1])
    assert values.shape == (9,) and slopes.shape == (9, 1)


@pytest.mark.parametrize(
    ("what", "given", "says"),
    [
        ("slidr.x", {}, "did you mean 'slider'"),
        ("slider.nothing", {}, "there is no quantity 'slider.nothing'"),
        ("slider.x", {"wrt": ["q"]}, "'q' is no parameter"),
        ("slider.x", {"wrt": ["length"]}, "follows it; vary r"),
        ("slider.x", {"wrt": ["r", "r"]}, "twice"),
        ("slider.x", {"wrt": 3}, "wrt must be"),
        ("slider.x", {"method": "round"}, "method='round' is not known"),
        ("slider.x", {"analysis": "kinematic"}, "Did you mean 'kinematics'"),
        ("slider.x", {"options": 3}, "no option 'options'.*Use analysis=tm.Analysis"),
        ("slider.x", {"analysis": tm.Analysis("kinematics", 1.0)}, "times= would not be used"),
        ([], {}, "nothing to differentiate"),
    ],
)
def test_what_has_no_derivative_is_refused_with_a_sentence(slider_crank, what, given, says):
    with pytest.raises(tm.TrammelError, match=says):
        slider_crank.gradient(what, **{"analysis": "kinematics", "times": TIMES, **given})


@pytest.mark.parametrize("factor", [1e-15, 1.0, 1e15])
def test_a_quantity_that_remembers_is_refused_backwards_only(slider_crank, factor):
    """In any unit."""
    options = {"analysis": "inverse_dynamics", "times": TIMES, "wrt": ["mass"]}
    work = f"{factor!r}*rod.work[end]"
    assert np.isfinite(slider_crank.gradient(work, method="direct", **options)["mass"])
    with pytest.raises(tm.ModelError, match="other instants"):
        slider_crank.gradient(work, method="adjoint", **options)


def test_parameters_at_the_edge_of_what_is_allowed_are_differenced_to_one_side():
    m = tm.PlanarModel("disc", gravity=(0.0, -9.81))
    m.parameter("mass", 0.0)
    m.body("bar", mass="1 + sqrt(mass + 1)", inertia=0.1, centroid=(0.3, 0.0))
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.torsion_spring("s", first=m.ground, second="bar", stiffness=0.0, damping="mass")
    m.driver("motor", "A.angle", 0.0)
    g = m.gradient("motor.effort", analysis="statics")
    assert g["mass"] == pytest.approx(9.81 * 0.3 * 0.5, rel=1e-9)
