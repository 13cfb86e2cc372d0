"""Messages and summaries name the right kind of element, the right length, and count in singular and plural."""

from __future__ import annotations

import re

import pytest

import pytrammel as tm
from pytrammel._util.messages import number_of
from pytrammel.testing.samples import fresh
from registry_samples import TYPES

PAIRED = [kind for kind in TYPES if {"first", "second"} <= set(kind.arguments)]


@pytest.mark.parametrize("kind", PAIRED, ids=str)
def test_an_element_between_a_body_and_itself_is_named_with_its_kind(kind):
    model = fresh(kind.space)
    forces = tm.spatial_force_types() if kind.space else tm.force_types()
    given = dict(kind.sample(kind.kind, *(model.bodies[name] for name in "abc")))
    given.pop("joint", None)  # motors and torsion springs act in a joint or between two bodies
    given["second"] = given.setdefault("first", "a")
    try:
        getattr(model, kind.kind)("E", **given)
    except tm.ModelError as error:
        text = str(error)
        assert "'E'" in text
        if kind.kind in forces and "with itself" in text:
            assert "joint" not in text


@pytest.mark.parametrize("value", [0.0, -0.2])
@pytest.mark.parametrize(
    ("words", "shape"),
    [
        ("radius of a sphere", tm.Sphere),
        ("radius of a cylinder", lambda value: tm.Cylinder((0, 0, 0), (0, 0, 1), value)),
        ("size of a box", lambda value: tm.Box((1.0, value, 1.0))),
    ],
)
def test_a_shape_names_the_length_that_is_not_positive(words, shape, value):
    with pytest.raises(tm.ModelError, match=rf"{words} is {value:g} m.*greater than 0"):
        shape(value)


def test_a_cylinder_between_two_equal_points_has_no_length():
    with pytest.raises(tm.ModelError, match=r"length of a cylinder.*0 m.*greater than 0"):
        tm.Cylinder((1, 2, 3), (1, 2, 3), 0.1)


@pytest.mark.parametrize(
    ("thing", "many"),
    [
        ("moving body", "moving bodies"),
        ("degree of freedom", "degrees of freedom"),
        ("driver", "drivers"),
        ("key", "keys"),
    ],
)
def test_things_are_counted_in_singular_and_plural(thing, many):
    assert [number_of(count, thing) for count in (0, 1, 2)] == [f"0 {many}", f"1 {thing}", f"2 {many}"]


@pytest.mark.parametrize("bodies", [1, 2])
def test_summaries_count_in_singular_and_plural(bodies):
    m = tm.PlanarModel("chain", gravity=(0, -9.81))
    for k in range(bodies):
        m.body(f"b{k}", position=(float(k), 0.0), mass=1.0, inertia=0.1, centroid=(0.5, 0.0))
        m.revolute(f"A{k}", f"b{k - 1}" if k else m.ground, f"b{k}", at=(float(k), 0.0))
    run = m.simulate(0.0, samples=1, progress=False)
    solved = tm.textbook.solve(["x - 1"], {"x": 0.0})
    for told in (m, m.mobility(), m.graph(), m.assemble(), m.equilibrium(), run, run.summary(), solved, repr(m)):
        assert not re.search(r"(?<![\d.])1 (moving )?(\w+[^us]s|bodies)\b(?! (at|are))", str(told)), str(told)
    assert f"{bodies} moving bod{'y' if bodies == 1 else 'ies'}, {bodies} constraint{'s' * (bodies > 1)}" in str(m)


@pytest.mark.parametrize(
    ("call", "places"),
    [
        (lambda m: m.phase("p", 0.5), "name"),
        (lambda m: m.simulate(1.0, 2.0), "duration"),
        (lambda m: tm.profiles.rise(1.0, 2.0, "cycloidal", 3), "to, duration"),
        (lambda m: m.spring("s", "b", "ground", 1.0, 2.0, 3.0, 4.0, 5.0), "first, second"),
    ],
)
def test_surplus_values_are_counted_next_to_the_names_of_the_places(call, places):
    m = tm.PlanarModel("m")
    m.body("b")
    with pytest.raises(
        tm.ModelError, match=rf"without a name \({places}.*but \d are given. Omit the others or pass them by name"
    ):
        call(m)


def test_a_parameter_that_is_defined_by_an_unknown_name_is_not_listed_as_known():
    with pytest.raises(tm.ModelError, match=r"'width' is no parameter\. Parameters are: none"):
        tm.PlanarModel("m").parameter("k", "width")
    with pytest.raises(tm.ModelError, match="parameter needs value"):
        tm.PlanarModel("m").parameter("k")


def test_options_of_pictures_are_rejected_with_value_unit_and_limit(tmp_path):
    m = tm.PlanarModel("m")
    m.body("b", position=(1.0, 0.0))
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("d", "A.angle", "t")
    k = m.kinematics(1.0, samples=3, progress=False)
    for value in (0, -1):
        with pytest.raises(tm.ModelError, match=f"duration is {value} s; it must be finite and greater than 0"):
            k.animate(tmp_path / "x.html", duration=value)
    with pytest.raises(tm.ModelError, match=r"ghosts is -1.*at least 0"):
        k.draw(ghosts=-1)
    with pytest.raises(tm.ModelError, match="Pass names separately"):
        k.plot(["b.x", "b.y"])
    for call in (tm.load, m.save):
        with pytest.raises(tm.FileFormatError, match=r"is a folder. Use the name of a file that ends in \.toml"):
            call(tmp_path)


@pytest.mark.parametrize(("kind", "verb"), [("cam_roller", "are"), ("slot", "is")])
def test_missing_arguments_agree_with_their_verb(kind, verb):
    m = tm.PlanarModel("m")
    m.body("b"), m.body("c")
    with pytest.raises(tm.ModelError, match=f"needs curve=.*, which {verb} missing"):
        getattr(m, kind)("E", "b", "c")
