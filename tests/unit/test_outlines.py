"""Outlines of bodies: one line, or several."""

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.view.scene.planar_shapes import scene_of_plane

PLATE = [(-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)]
WINDOW = [(-0.2, -0.1), (0.2, -0.1), (0.0, 0.2)]


def machine(outline):
    m = tm.PlanarModel("plate")
    m.body("plate", mass=1.0, inertia=1.0, outline=outline)
    m.revolute("A", "ground", "plate", at=(0.0, 0.0))
    return m


def test_several_lines_are_kept_drawn_and_come_back_from_a_file(tmp_path):
    m = machine([PLATE, WINDOW])
    assert m["plate"].outlines == (tuple(PLATE), tuple(WINDOW))
    assert machine(PLATE)["plate"].outlines == (tuple(PLATE),)
    assert machine([])["plate"].outlines == ()
    assert machine([[], WINDOW])["plate"].outlines == (tuple(WINDOW),)
    assert machine(np.array([WINDOW, WINDOW]))["plate"].outlines == (tuple(WINDOW), tuple(WINDOW))
    m.save(tmp_path / "plate.toml")
    again = tm.load(tmp_path / "plate.toml")
    assert again["plate"].outline == m["plate"].outline
    scene = scene_of_plane(again, np.zeros(1), np.zeros((1, 3)))
    (plate,) = (body for body in scene.bodies if body.name == "plate")
    assert [shape.points for shape in plate.shapes if shape.role == "outline"] == [tuple(PLATE), tuple(WINDOW)]


@pytest.mark.parametrize(
    ("outline", "sentence"),
    [
        ([PLATE, "window"], "line 2 of the outline of body 'plate' must be a list of corners"),
        ([PLATE, [(0.0, 1.0), (0.0,)]], "a corner of the line 2 of the outline of body 'plate'"),
        (7.0, "outline of body 'plate' must be a list of corners"),
        ([PLATE[0], "x"], "a corner of the outline of body 'plate'"),
    ],
)
def test_a_wrong_line_is_named(outline, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        machine(outline)
