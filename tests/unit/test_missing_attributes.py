"""Attributes of models, bodies and points that exist in the other dimension or in other programs: messages with the right word."""

from __future__ import annotations

import copy
import operator
import pickle
import re

import pytest

import pytrammel as tm
from pytrammel.model.suggestions import IN_SPACE, IN_THE_PLANE, SYNONYMS


def things(space):
    m = tm.SpatialModel("m") if space else tm.PlanarModel("m")
    zero = (0.0,) * (3 if space else 2)
    body = m.body("b", position=zero, mass=1.0, inertia=(1.0, 1.0, 1.0) if space else 1.0)
    return {"model": m, "body": body, "point": body.at(*zero)}


THINGS = {False: things(False), True: things(True)}


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


ELSEWHERE = [
    (space, kind, name)
    for space in (False, True)
    for kind in ("model", "body", "point")
    for name in sorted(public(THINGS[not space][kind]) - public(THINGS[space][kind]))
]


def message(thing, name):
    assert not hasattr(thing, name)
    with pytest.raises(AttributeError) as raised:
        getattr(thing, name)
    return str(raised.value)


@pytest.mark.parametrize("space, kind, name", ELSEWHERE)
def test_a_name_of_the_other_dimension_is_answered_with_that_dimension_and_a_word_that_exists(space, kind, name):
    thing = THINGS[space][kind]
    text = message(thing, name)
    assert repr(name) in text and type(thing).__name__ in text
    assert ("in the plane only" if space else "in space only") in text
    (remedy,) = re.findall(r"Use '?([\w.]+)'?", text)
    own = public(thing)
    assert remedy in own or remedy == ("tm.PlanarModel" if space else "tm.SpatialModel")


@pytest.mark.parametrize("space, name, word", [
    (False, "couple", "torque"), (True, "rack", "rack_and_pinion"), (False, "spherical", "revolute"), (True, "translational", "prismatic"),
    (True, "contact_line", "contact_sphere_plane"),
])  # fmt: skip
def test_the_word_that_does_the_same_is_named(space, name, word):
    assert f"Use {word!r}" in message(THINGS[space]["model"], name)


def test_tables_hold_every_word_of_the_other_dimension_and_no_other():
    """A new joint or force needs a line there."""
    for space, table in ((False, IN_THE_PLANE), (True, IN_SPACE)):
        missing = {name for s, _, name in ELSEWHERE if s is space}
        assert missing == set(table)
        for word in filter(None, table.values()):
            assert any(word in public(thing) for thing in THINGS[space].values()), word


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("word", sorted(SYNONYMS))
def test_a_word_of_other_programs_is_answered_with_ours(space, word):
    model = THINGS[space]["model"]
    if hasattr(model, word):
        return
    (remedy,) = re.findall(r"Use '(\w+)'", message(model, word))
    assert remedy in public(model)


@pytest.mark.parametrize("form", ["add_{}", "create_{}", "{}_joint", "joint_{}", "{}Joint", "add{}"])
@pytest.mark.parametrize("word", ["revolute", "prismatic", "weld"])
def test_spellings_of_other_programs_lead_to_the_joint(form, word):
    name = form.format(word.capitalize() if form == "add{}" else word)
    assert f"Use {word!r}" in message(THINGS[False]["model"], name)


def test_a_misspelt_name_is_answered_with_the_nearest_one():
    for space in (False, True):
        model = THINGS[space]["model"]
        for name in sorted(public(model)):
            if len(name) < 6:
                continue  # short words have several neighbours
            k = len(name) // 2
            wrong = name[:k] + name[k + 1 :]
            if not hasattr(model, wrong):
                assert repr(name) in message(model, wrong).partition(repr(wrong))[2] or wrong + "s" == name


def test_models_bodies_and_points_are_copied_and_pickled_as_before():
    for things_ in THINGS.values():
        for thing in things_.values():
            assert type(copy.copy(thing)) is type(pickle.loads(pickle.dumps(thing))) is type(thing)
        with pytest.raises(AttributeError, match="_nothing"):
            _ = things_["model"]._nothing


def results():
    m = tm.PlanarModel("m", gravity=(0, 0))
    m.body("b", position=(1.0, 0.0), mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "b", at=(0.0, 0.0))
    return {"Result": m.simulate(0.01, samples=2), "Equilibrium": m.equilibrium(), "Assembly": m.assemble()}


@pytest.mark.parametrize("kind, name, word", [
    ("Result", "measure", "series"), ("Result", "closure", "constraint_violation"),
    ("Result", "time", "times"), ("Result", "velocity", "v"),
    ("Result", "energies", "energy"),
    ("Result", "reactions", "reaction"), ("Result", "export", "save"), ("Result", "toCsv", "to_csv"), ("Result", "sumary", "summary"),
    ("Result", "get_force", "force"), ("Equilibrium", "draw", "result.draw"), ("Equilibrium", "reaction", "result.reaction"),
    ("Equilibrium", "animate", "result.animate"), ("Equilibrium", "stability", "stable"), ("Equilibrium", "frequncies", "frequencies"),
    ("Assembly", "draw", "model().draw"), ("Assembly", "position", "q"), ("Assembly", "gap", "gaps"),
])  # fmt: skip
def test_a_result_names_the_word_for_a_missing_attribute(kind, name, word):
    thing = results()[kind]
    text = message(thing, name)
    assert text.startswith(f"{kind} has no attribute {name!r}") and f"{word!r}" in text
    found = thing
    for part in word.replace("()", "").split("."):
        found = getattr(found() if callable(found) and part == "draw" and kind == "Assembly" else found, part)
    assert found is not None
    with pytest.raises(AttributeError, match=r"See dir|Did you mean|Use "):
        getattr(thing, "qwertz")
    assert pickle.loads(pickle.dumps(thing)) is not None and copy.copy(thing) is not None


@pytest.mark.parametrize("place", ["meet", "functions.sin", "curves.circle", "textbook.integrate", "results.Optimum"])
def test_a_name_of_the_package_is_named_where_a_model_does_not_have_it(place):
    assert operator.attrgetter(place)(tm) is not None
    name = place.rpartition(".")[2]
    for space in (False, True):
        assert f"Use tm.{place}." in message(THINGS[space]["body"], name)


@pytest.mark.parametrize("name, models", [
    ("revolute", "PlanarModel or SpatialModel"), ("spring", "PlanarModel or SpatialModel"), ("cam_roller", "PlanarModel"),
    ("screw", "SpatialModel"),
])  # fmt: skip
def test_the_package_names_the_models_that_have_a_method(name, models):
    with pytest.raises(
        AttributeError, match=rf"'pytrammel' has no attribute '{name}'. Use the method '{name}' of {models}\."
    ):
        getattr(tm, name)


@pytest.mark.parametrize(
    "name, word",
    [
        ("motoin", "profiles.motion"),
        ("planarmodel", "PlanarModel"),
        ("load_robots", "load_robot"),
        ("sphere", "Sphere"),
        ("helixx", "curves.helix"),
        ("Resutl", "results.Result"),
    ],
)
def test_the_package_suggests_the_nearest_name(name, word):
    with pytest.raises(AttributeError, match=rf"{name!r}. Did you mean {word!r}\?"):
        getattr(tm, name)
    with pytest.raises(AttributeError, match="See dir"):
        _ = tm.qwertzuiop


@pytest.mark.parametrize("space", [False, True])
def test_motions_of_bodies_and_groups_suggest_the_nearest_name(space):
    m = THINGS[space]["model"]
    r = m.simulate(0.01, samples=2, progress=False)
    for series, name, word in (
        (r["b"], "omegaa", "omega"),
        (r["b"], "alpa", "alpha"),
        (r.group("b"), "kinetik", "kinetic"),
    ):
        with pytest.raises(AttributeError, match=f"{name}.*{word}"):
            getattr(series, name)


NAMESPACES = tm.functions, tm.curves, tm.profiles, tm.textbook, tm.results


@pytest.mark.parametrize(
    "module",
    [tm.inertia, tm.textbook.linear, tm.rotations, tm.synthesis, *NAMESPACES],
    ids=lambda module: module.__name__,
)
def test_a_toolbox_suggests_the_nearest_name_or_lists_all(module):
    for name in module.__all__:
        if len(name) > 5:
            wrong = name[:-2] + name[-1]
            with pytest.raises(AttributeError, match=rf"{wrong!r}. Did you mean '\w+'\?"):
                getattr(module, wrong)
    with pytest.raises(AttributeError, match=f"It has: .*{module.__all__[-1]}"):
        _ = module.qwertz
    with pytest.raises(AttributeError, match=r"'__no_name__'$"):
        _ = module.__no_name__
