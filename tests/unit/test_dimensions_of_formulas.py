"""Units inside formulas: terms of the wrong dimension are rejected, and no formula that is right."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pytrammel as tm
from pytrammel.units import UNITS, read_unit

# powers of m, kg and s, and a unit of that dimension that no power of another one gives
DIMENSIONS = {
    (1, 0, 0): ("m", "mm", "in"), (0, 1, 0): ("kg", "lb"), (0, 0, 1): ("s", "ms", "min"), (0, 0, 0): ("rad", "deg", "rev"),
    (1, 0, -1): ("mm/s", "m/min"), (0, 0, -1): ("rpm", "Hz", "deg/s"), (1, 1, -2): ("N", "kN"), (2, 1, -2): ("N m", "J", "N m/rad"),
    (0, 1, -2): ("N/m", "N/mm"), (-1, 1, -2): ("MPa", "bar"), (1, 0, -2): ("m/s^2",),
}  # fmt: skip
NAMES = {
    "P.x": (1, 0, 0),
    "A.angle": (0, 0, 0),
    "A.angle.rate": (0, 0, -1),
    "P.vx": (1, 0, -1),
    "rod": (1, 0, 0),
    "k": (0, 1, -2),
}


def arm():
    m = tm.PlanarModel("arm")
    m.parameter("rod", "20 mm")
    m.parameter("k", "50 N/m")
    m.parameter("n", 3.0)
    a = m.body("a", mass=1.0, inertia=0.1)
    m.revolute("A", "ground", a, at=(0, 0))
    m.body("b", position=(0.3, 0.4), mass=1.0)
    m.point("P", a, at=(0.2, 0.0))
    return m


def written(draw, powers, depth):
    """A formula of these powers of m, kg and s, built without the reader of the package."""
    number = f"{draw(st.integers(1, 99))}"
    leaves = [f"{number} {unit}" for unit in DIMENSIONS.get(powers, ())] + [n for n, p in NAMES.items() if p == powers]
    leaves += [f"{number}*n", number]  # any dimension
    leaf = draw(st.sampled_from(leaves))
    if depth == 0:
        return leaf
    inner = lambda p: written(draw, p, depth - 1)  # noqa: E731
    kind = draw(
        st.sampled_from(("leaf", "sum", "product", "quotient", "choice", "least", "wave", "time", "root", "raised"))
    )
    if kind == "leaf":
        return leaf
    if kind == "sum":
        return f"({inner(powers)} {draw(st.sampled_from('+-'))} {inner(powers)})"
    if kind in ("product", "quotient"):
        other = draw(st.sampled_from(sorted(DIMENSIONS)))
        way = 1 if kind == "quotient" else -1
        rest = tuple(p + way * q for p, q in zip(powers, other, strict=True))
        return f"({inner(rest)})/({inner(other)})" if way > 0 else f"({inner(rest)})*({inner(other)})"
    if kind == "choice":
        return f"if({inner((1, 0, 0))} < {inner((1, 0, 0))}, {inner(powers)}, {inner(powers)})"
    if kind == "least":
        return f"{draw(st.sampled_from(('min', 'max')))}({inner(powers)}, {inner(powers)})"
    if kind == "wave":
        return f"{draw(st.sampled_from(('sin', 'tanh', 'exp', 'atan', 'sign')))}({inner((0, 0, 0))})*({inner(powers)})"
    if kind == "time":
        return f"({inner((powers[0], powers[1], powers[2] - 1))})*t"
    if kind == "root":
        return f"sqrt(abs({inner(tuple(2 * p for p in powers))}))"
    return f"({inner(powers)})^3/({inner(powers)})^2"


@st.composite
def formulas(draw):
    powers = draw(st.sampled_from(sorted(DIMENSIONS)))
    return powers, written(draw, powers, draw(st.integers(0, 4)))


def passes(call):
    """Return True if the units pass; a formula without a finite value may fail otherwise."""
    try:
        call()
    except tm.ModelError as error:
        assert "multiply" not in str(error), error
    return True


@settings(max_examples=60, deadline=None)
@given(formulas())
def test_no_formula_of_one_dimension_is_rejected(drawn):
    powers, text = drawn
    m = arm()
    assert passes(lambda: tm.parse(text))
    assert passes(lambda: m.define("f", text))
    user = {(1, 1, -2): "P.x", (2, 1, -2): "A.angle"}.get(powers)
    if user:
        assert passes(lambda: m.user_force("U", user, text))


@settings(max_examples=60, deadline=None)
@given(formulas(), st.sampled_from(sorted(DIMENSIONS)), st.integers(0, 2))
def test_a_term_with_another_unit_is_rejected_wherever_it_is_added(drawn, other, place):
    powers, text = drawn
    if powers == other:
        return
    unit, wrong = DIMENSIONS[powers][0], DIMENSIONS[other][0]
    sound = f"3 {unit} + ({text})"
    mixed = (f"{sound} + 5 {wrong}", f"5 {wrong} - ({sound})", f"min(5 {wrong}, {sound})")
    with pytest.raises(tm.ModelError, match="cannot be added or compared"):
        arm().define("f", mixed[place])


MOTIONS = ["3 {u}", "3 {u} + t", "n*t + 3 {u}", "3 {u}*sin(2*t)", "-(3 {u}/s*t)", "if(t < 1 s, 3 {u}, 0)", "2*t - max(3 {u}, 0)",
           "3 {u}*cycloidal(t/2 s)", "sqrt(3 {u}^2)", "3 {u}*t^2/1 s^2"]  # fmt: skip


@pytest.mark.parametrize("text", MOTIONS)
def test_a_motion_has_the_dimension_of_its_coordinate(text):
    for quantity, right, wrong in (("A.angle", "deg", "mm"), ("P.x", "mm", "deg"), ("b.y", "in", "N")):
        arm().driver("d", quantity, text.format(u=right))
        with pytest.raises(tm.ModelError, match=r"motion of driver 'd'.*must be|cannot be added"):
            arm().driver("d", quantity, text.format(u=wrong))


def test_a_motion_in_space_has_the_dimension_of_its_coordinate():
    for right, wrong, quantity in (("deg", "mm", "R.angle"), ("mm", "deg", "T.distance")):
        m = tm.SpatialModel()
        a, b = m.body("a", mass=1.0, inertia=(1, 1, 1)), m.body("b", mass=1.0, inertia=(1, 1, 1))
        m.revolute("R", "ground", a, at=(0, 0, 0), axis="z")
        m.prismatic("T", "ground", b, at=(0, 0, 0), axis="x")
        m.driver("right", quantity, f"60 {right}/s*t")
        with pytest.raises(tm.ModelError, match=f"60 {wrong}/s.t"):
            m.driver("wrong", quantity, f"60 {wrong}/s*t")
        with pytest.raises(tm.ModelError, match="length"):
            m.orientation_driver("o", b, ("10 deg*t/1 s", "0", "3 mm*sin(t)"))


def test_measures_without_unit_have_energies_as_forces_and_rates_per_second():
    m = tm.SpatialModel()
    a, b = (m.body(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab")
    m.intersecting_axes("J", a, b, at=(0, 0, 0), axis="z", second_axis=(1, 0, 1))
    for k, right in enumerate(("5 N m", "5 N m*J.cosine", "5 N m s*J.cosine.rate")):
        m.user_force(f"along{k}", "J.cosine", right)
    for k, right in enumerate(("5 N*J.cosine", "5 N s*J.cosine.rate")):
        m.user_force(f"push{k}", "a.x", right)
    for text, named in (("5 N", "N"), ("5 N*J.cosine", "J.cosine"), ("5 N m*J.cosine.rate", "rate")):
        with pytest.raises(tm.ModelError, match=rf"law of user_force 'F'.*{named}.*must be a torque or energy"):
            m.user_force("F", "J.cosine", text)
    with pytest.raises(tm.ModelError, match=r"law of user_force 'F'.*must be a force"):
        m.user_force("F", "a.x", "5 N*J.cosine.rate")


LAWS = [  # kind, arguments, the law's argument, right, wrong
    ("motor", ("A",), "torque", "5 N m - 2 N m s/rad*A.angle.rate", "5 N*sin(t)"),
    ("torque", ("a",), "torque", "3 N*rod", "3 N*sin(t)"),
    ("force", ("P",), "vector", ("5 N", "k*P.x"), ("5 N", "k*t")),
    ("user_force", ("P.x",), "law", "k*P.x*sin(t)", "k*A.angle"),
    ("user_force", ("A.angle",), "law", "5 N*P.x", "5 N*A.angle"),
    ("user_force", ("A.angle",), "law", "5 N m", "5 N"),
    ("spring", ("P", "b"), "stiffness", "50 N/m*(l - 10 cm)", "50 N/m*(l - 10 cm)/1 s"),
    ("spring", ("P", "b"), "stiffness", "2*k", "k/2 s"),
    ("spring", ("P", "b"), "damping", "5 N s/m*ldot", "5 N s/m*l"),
    ("spring", ("P", "b"), "force", "5 N*sin(t)", "5 N m*sin(t)"),
    ("torsion_spring", ("A",), "stiffness", "5 N m/rad*(theta - 10 deg)", "5 N/m*(theta - 10 deg)"),
    ("torsion_spring", ("A",), "torque", "5 N m*sin(thetadot*1 s)", "5 N*sin(t)"),
]


@pytest.mark.parametrize(("kind", "places", "key", "right", "wrong"), LAWS)
def test_a_law_measures_the_force_along_its_quantity(kind, places, key, right, wrong):
    getattr(arm(), kind)("F", *places, **{key: right})
    with pytest.raises(tm.ModelError, match=f"{key} of {kind}.*must be"):
        getattr(arm(), kind)("F", *places, **{key: wrong})


def test_names_carry_their_dimension():
    m = arm()
    m.define("speed", "60 mm/s*t")
    m.define("twice", "max(speed, rod)")
    for wrong in ("twice", "rod*sin(t)", tm.parse("rod") * tm.functions.sin(tm.time), "3 deg + twice"):
        with pytest.raises(tm.ModelError, match=r"must be|cannot be added"):
            m.driver("d", "A.angle", wrong)
    m.driver("d", "P.x", "twice")
    with pytest.raises(tm.ModelError, match=r"parameter 'x'.*a length.*a time"):
        m.parameter("x", "rod + 2 s")
    with pytest.raises(tm.ModelError, match=r"mass of body 'c'.*a length"):
        m.body("c", mass="rod + 3 mm")
    with pytest.raises(tm.ModelError, match=r"equation 'e'.*an area"):
        m.equation("e", "P.x^2 + P.y^2 - 4 mm")
    with pytest.raises(tm.ModelError, match=r"'e'.*an angle"):
        m.simulate(0.01, events=[tm.Event("e", "P.x - 3 deg")])


@pytest.mark.parametrize(
    "text",
    [
        "t",
        "30 deg + t",
        "t^2 + sin(t)",
        "n*t",
        "2*60 rpm*t",
        "1 Hz*t",
        "30 deg*sin(t - 1 s)",
        "10 deg*cycloidal(t - 1 s)",
        "log(2 mm)*t",
    ],
)
def test_coefficients_of_one_need_no_unit(text):
    arm().driver("d", "A.angle", text)


@pytest.mark.parametrize(
    ("text", "number"), [("2*50 N/m", 100.0), ("100", 100.0), ("50 N/m*2", 100.0), ("n*k", 150.0), ("10^2", 100.0)]
)
def test_a_stiffness_without_names_is_a_rate(text, number):
    """It was a constant force, or a rate, by how the product was written."""
    forces = []
    for stated in (text, number):
        m = arm()
        m.spring("S", "ground", "b", stiffness=stated, free_length=0.2)
        forces.append(m.forces["S"].uses[0].law.evaluate({"l": 0.5, "ldot": 0.0, "t": 0.0}))
    assert np.isclose(forces[0], forces[1], rtol=1e-14) and np.isclose(forces[0], -number * 0.3, rtol=1e-12)


def test_factors_in_messages_are_right():
    """The factor that a message proposes leads from the term to what is needed, for random pairs of units."""
    rng = np.random.default_rng(3)
    units = sorted(UNITS)
    for _ in range(30):
        a, b = (str(rng.choice(units)) for _ in range(2))
        (_, first), (_, second) = read_unit(a), read_unit(b)
        if first[:3] == second[:3] or {"1", "t", "%", "°"} & {a, b}:
            continue
        with pytest.raises(tm.ModelError) as caught:
            tm.parse(f"2*x + (3 {a} + 4 {b})")
        factor = str(caught.value).rpartition("a number in ")[2].rstrip(".")
        found = read_unit(factor.removeprefix("1"))[1] if factor.startswith("1/") else read_unit(factor)[1]
        assert [Fraction(f) for f in found[:3]] == [Fraction(p - q) for p, q in zip(first[:3], second[:3], strict=True)]
