"""Models that Hypothesis makes, through every format of model files and back: the same model, and the same numbers for the kernels."""

from __future__ import annotations

import contextlib
import importlib.util
import math

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pytrammel as tm
from pytrammel.errors import TrammelError
from pytrammel.io.models.model_file import dumps, loads
from pytrammel.system.lowering import lower
from pytrammel.testing.samples import plain_model

ENDINGS = (".toml", ".json", *([".yaml"] if importlib.util.find_spec("ruamel") else []))
CALM = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

# every double that a mechanism may have, whatever its digits, its sign and its zero; names as people write them
number = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, -0.0, 5e-324, -1e-300, 0.1, 1 / 3, 1e16 + 2.0, math.pi]))
positive = st.one_of(st.floats(1e-12, 1e9), st.sampled_from([5e-324, 1 / 3, 0.1, 1e300]))
name = st.one_of(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True),
    st.sampled_from(["ä", "Kurbel_β", "t1", "on", "no", "null", "e1"]),
)
title = st.text(
    st.characters(exclude_categories=["C", "Z"], include_characters=" "), min_size=1, max_size=12
)  # one line
length = st.one_of(number, st.builds("{!r} {}".format, st.floats(-1e4, 1e4), st.sampled_from(["mm", "cm", "m", "in"])))
mass = st.one_of(positive, st.builds("{!r} {}".format, st.floats(1e-3, 1e3), st.sampled_from(["kg", "g", "t"])))
turn = st.one_of(number, st.builds("{!r} deg".format, st.floats(-720, 720)))
formula = st.sampled_from(["sin(t)", "2*t + 0.1", "cycloidal(t/2)", "-3*t^2", "if(t < 1, t, 1)", "exp(-t)*cos(3*t)"])


@st.composite
def models(draw, space):
    """Bodies anywhere, joints, drivers and forces between any of them, parameters with formulas, in any units."""
    n = 3 if space else 2
    kind = tm.SpatialModel if space else tm.PlanarModel
    m = kind(draw(title), gravity=tuple(draw(number) for _ in range(n)))
    names = draw(st.lists(name, min_size=3, max_size=12, unique=True))
    first, second = f"p_{names[0]}", f"p_{names[1]}"  # bare ones may mean something in formulas
    m.parameter(first, draw(st.one_of(st.floats(1e-12, 1e6), st.just("300 mm"))))
    if draw(st.booleans()):
        m.parameter(second, f"{draw(st.floats(0.1, 10))!r}*{first} + 0.25*{first}")
    sizes = st.one_of(length, st.just(f"2*{first}"))
    bodies = [m.ground]
    for each in names[2 : 2 + draw(st.integers(1, 4))]:
        place = tuple(draw(sizes) for _ in range(n))
        pose = {} if space else {"angle": draw(turn)}
        a, b, c = (draw(st.floats(1e-6, 1e6)) for _ in range(3))
        inertia = (b + c, c + a, a + b) if space else draw(positive)  # what bodies can have
        bodies.append(m.body(each, position=place, mass=draw(mass), inertia=inertia, **pose))
    for k in range(draw(st.integers(0, 5))):
        first, second = draw(st.permutations(bodies))[:2]
        build = draw(st.sampled_from(SPATIAL_PARTS if space else PLANAR_PARTS))
        with contextlib.suppress(TrammelError):  # e.g. an axis without length
            build(draw, m, f"part {k}" if draw(st.booleans()) else f"part{k}", first, second)
    return m


def point(draw, m, body, n):
    return body.at(*(draw(number) for _ in range(n)))


def planar_pin(draw, m, name, first, second):
    m.revolute(name, point(draw, m, first, 2), point(draw, m, second, 2))


def planar_slide(draw, m, name, first, second):
    m.prismatic(name, first, second, at=(draw(length), draw(length)), axis=(draw(number), draw(number)))


def planar_drive(draw, m, name, first, second):
    joint = m.revolute(name, point(draw, m, first, 2), point(draw, m, second, 2))
    m.driver(f"{name}_motor", joint.angle, draw(formula))


def spring(draw, m, name, first, second):
    n = m.space.dimension
    m.spring(
        name, point(draw, m, first, n), point(draw, m, second, n), stiffness=draw(positive), free_length=draw(positive)
    )


def law(draw, m, name, first, second):
    moving = second if first is m.ground else first
    m.user_force(
        name,
        f"{moving.name}.x",
        f"{draw(st.floats(-1e3, 1e3))!r}*{moving.name}.x + {draw(formula)}",
        inputs=[f"{moving.name}.x", "t"],
    )


def ball(draw, m, name, first, second):
    m.spherical(name, first, second, at=tuple(draw(length) for _ in range(3)))


def hinge(draw, m, name, first, second):
    m.revolute(
        name, first, second, at=tuple(draw(number) for _ in range(3)), axis=tuple(draw(number) for _ in range(3))
    )


PLANAR_PARTS = (planar_pin, planar_slide, planar_drive, spring, law)
SPATIAL_PARTS = (ball, hinge, spring, law)


def lowered(model):
    """Numbers for the kernels as bytes, or the sentence that refuses them."""
    try:
        system = lower(model)
    except TrammelError as error:
        return str(error)
    return system.ints.tobytes(), np.asarray(system.floats).tobytes(), system.columns


def check(model):
    for ending in ENDINGS:
        text = dumps(model, ending)
        again = loads(text, ending)
        assert plain_model(again) == plain_model(model)
        assert lowered(again) == lowered(model)
        assert dumps(again, ending) == text


@CALM
@given(models(False))
def test_planar_models_come_back_with_the_same_numbers(model):
    check(model)


@CALM
@given(models(True))
def test_spatial_models_come_back_with_the_same_numbers(model):
    check(model)
