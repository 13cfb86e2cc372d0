"""Messages about a wrong number name the object and the argument, with value, unit and limit, for every registered type."""

from __future__ import annotations

import math
import re

import pytest

import pytrammel as tm
from pytrammel._util.messages import measured
from pytrammel.model.arguments.signatures import annotation, role, unit
from registry_samples import TYPES, build

NUMBERS = [
    (kind, key)
    for kind in TYPES
    for key in kind.arguments
    if role(kind.builder, key) in ("number", "law")
    and re.search(r"\b(float|Law|Any|Expression)\b", annotation(kind.builder, key))
    and key not in ("function", "at", "local", "position", "formula")  # the formula of an equation may be a number
]
NEEDED = {"restitution": {"law": "hunt_crossley", "damping": None}, "bristle_damping": {"bristle_stiffness": 1e3}}
LIMIT = r"greater than|not be negative|at least|smaller than|drawn at|negative eigenvalue|must not be|must be|must have"
WRONG = -5.125


def message(kind, key, value):
    """Why a value is rejected, or "" if it is not."""
    try:
        build(kind, {**NEEDED.get(key, {}), key: value})
    except tm.ModelError as error:
        return str(error)
    return ""


def named(key, text):
    return key in text or key.replace("_", " ") in text


@pytest.mark.parametrize(("kind", "key"), NUMBERS, ids=lambda x: str(x))
def test_a_number_that_is_not_finite_is_rejected_with_its_unit(kind, key):
    for value in (math.nan, math.inf):
        text = message(kind, key, value)
        assert "'it" in text and named(key, text) and str(value) in text
        assert unit(kind.builder, key) in text
        assert re.search("finite|must be|must have", text)


@pytest.mark.parametrize(("kind", "key"), NUMBERS, ids=lambda x: str(x))
def test_a_number_beyond_its_limit_is_rejected_with_its_unit(kind, key):
    text = message(kind, key, WRONG)
    if text:
        assert "'it" in text and named(key, text) and "-5.125" in text
        assert unit(kind.builder, key) in text
        assert re.search(LIMIT, text)


@pytest.mark.parametrize(("kind", "key"), NUMBERS, ids=lambda x: str(x))
def test_what_is_not_a_number_is_rejected_with_the_unit(kind, key):
    if role(kind.builder, key) == "number":
        text = message(kind, key, object())
        assert "'it'" in text and named(key, text) and "object" in text
        assert unit(kind.builder, key) in text


def test_most_limits_are_found():
    """Otherwise the tests above would pass without a message."""
    assert sum(bool(message(kind, key, WRONG)) for kind, key in NUMBERS[::3]) > 30


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda m: m.bar("r", (0, 0), (1, 0), mass=-1.0), "mass of bar 'r' is -1 kg"),
        (lambda m: m.disc("d", (0, 0), radius=math.nan, mass=1.0), "radius of disc 'd' is nan m"),
        (lambda m: m.spring("S", "a", "b", stiffness=-5), "stiffness of spring 'S' is -5 N/m; it must not be negative"),
        (lambda m: m.body("c", mass=math.nan), "mass of body 'c' is nan kg"),
        (lambda m: m.body("c", inertia="x y"), "inertia of body 'c'"),
        (lambda m: m.contact_discs("c", "a", "b", radii=(0.1, -0.2), stiffness=1.0), "-0.2 m; it must be greater than 0"),
        (lambda m: m.end_stop("s", "a.y", low=0.3, high=0.3 - 1e-9, stiffness=1.0), "low = 0.3 must be smaller than high = 0.299999999"),
    ],
)  # fmt: skip
def test_samples(make, words):
    m = tm.PlanarModel("m")
    m.body("a"), m.body("b", position=(1.0, 0.0))
    with pytest.raises(tm.ModelError) as raised:
        make(m)
    assert words in str(raised.value)


def test_units_belong_to_the_object_that_is_made():
    """Outside a builder, and after an error inside one, a name alone has no unit."""
    with pytest.raises(tm.ModelError):
        m = tm.PlanarModel("m")
        m.body("c", mass=math.nan)
    assert measured(2.0, "mass of body 'c'") == "2"
