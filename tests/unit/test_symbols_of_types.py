"""Places, directions and sizes of the symbols of joints and forces, from their geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from registry_samples import TYPES, fresh, sample


def made(kind):
    """A sample on its model."""
    model = fresh(kind.space)
    return model, getattr(model, kind.kind)("part", **sample(kind, model))


def on_drawing(model, symbol):
    body = model[symbol.body]
    x, y, angle = (float(value) for value in (*body.position, body.angle))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return np.array([x, y]) + turn @ symbol.position, angle + symbol.angle


CURVED = ("plane-cam_", "plane-slot", "plane-contact_curve", "space-point_on_curve")


@pytest.mark.parametrize("kind", [t for t in TYPES if str(t).startswith(CURVED)], ids=str)
def test_curves_are_drawn_from_the_origin_of_their_body(kind):
    _, part = made(kind)
    (symbol,) = [each for each in part.symbols if each.curve is not None]
    assert not any(symbol.position) and symbol.angle == 0.0 and symbol.kind in ("cam", "groove", "curve")


def test_a_wheel_touches_its_track():
    model = tm.PlanarModel("inclined")
    model.body("carriage", position=(1.0, 0.5), angle=0.4)
    model.body("wheel", position=(3.0 - 0.6 * 0.3, 1.0 + 0.8 * 0.3))  # left of a track that rises by 3 on 4
    part = model.rolling("R", track="carriage", wheel="wheel", radius=0.3, at=(3.0, 1.0), axis=(0.8, 0.6))
    (point, angle), (center, _) = (on_drawing(model, symbol) for symbol in part.symbols)
    along = np.array([math.cos(angle), math.sin(angle)])
    assert along == pytest.approx([0.8, 0.6], rel=1e-12)
    assert (center - point) @ along == pytest.approx(0.0, abs=1e-15)
    assert math.dist(center, point) == pytest.approx(0.3, rel=1e-12)
    assert [symbol.radius for symbol in part.symbols] == [0.3, 0.3]


def test_pitch_circles_of_gears_touch():
    model, part = made(next(t for t in TYPES if str(t) == "plane-gear"))
    (first, _), (second, _) = (on_drawing(model, symbol) for symbol in part.symbols)
    assert sum(symbol.radius for symbol in part.symbols) == pytest.approx(math.dist(first, second), rel=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_a_flat_face_touches_the_outline_on_its_own_side(side, turned):
    """A circle round a point beside the origin: the face lies at the height of the circle's end."""
    m = tm.PlanarModel("cam")
    m.body("cam")
    m.body("follower", position=(0.0, side * 0.5))
    part = m.cam_flat(
        "F", "cam", "follower", curve=tm.curves.circle(0.2, center=(0.1, 0.3)), at=(0.0, side * 0.5), axis=(turned, 0.0)
    )
    (extra,) = part.extras
    point = np.asarray(part.symbols[0].curve.point(extra.start))
    assert point == pytest.approx([0.1, 0.3 + side * 0.2], abs=1e-6)
    assert tuple(part.presses.normal) == pytest.approx((0.0, side), abs=1e-15)
