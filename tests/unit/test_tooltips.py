"""What a notebook shows of a method says every option: no verb hides them behind **options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import public_names as names
import pytrammel as tm
from pytrammel.model.verbs import Verb, Verbs

NAMES = sorted(name for name, each in vars(Verbs).items() if isinstance(each, Verb))
# whose words are names that users or registered types choose, or options of the analysis that the caller names
FREE = {
    "Analysis",
    "Analysis.with_options",
    "Theme.replace",  # roles of the theme are its options
    "grid",
    "PlanarModel.with_parameters",
    "SpatialModel.with_parameters",
}


def public() -> Iterator[tuple[str, Any]]:
    for name, thing in names.public():
        if inspect.isclass(thing):
            for key in dir(thing):
                method = getattr(thing, key)
                if not key.startswith("_") and callable(method):
                    yield f"{name}.{key}", method
        elif callable(thing):
            yield name, thing


def hides_options(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False  # of the language itself
    return any(p.kind is p.VAR_KEYWORD for p in parameters)


def test_no_public_function_or_method_hides_its_options() -> None:
    found = {name for name, function in public() if hides_options(function)}
    assert found <= FREE


@pytest.mark.parametrize("name", NAMES)
def test_a_verb_shows_the_options_and_the_help_of_its_function(name: str) -> None:
    function, method = getattr(tm.PlanarModel, name), getattr(tm.PlanarModel("m"), name)
    shown = list(inspect.signature(method).parameters.values())
    assert shown == list(inspect.signature(function).parameters.values())[1:]
    assert method.__doc__ == function.__doc__
    assert len(inspect.getdoc(function) or "") > 100


def hanging() -> tm.PlanarModel:
    m = tm.PlanarModel("hanging")
    m.body("b", position=(0.0, -0.5), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "b", at=(0.0, 0.0))
    return m


def test_verbs_of_an_equilibrium_show_their_options_and_are_about_it() -> None:
    rest = hanging().equilibrium()
    assert "samples" in inspect.signature(rest.simulate).parameters
    assert "at" not in inspect.signature(rest.linearize).parameters
    assert rest.linearize().frequencies == pytest.approx(hanging().linearize().frequencies, rel=1e-9)
    with pytest.raises(tm.ModelError, match=r"linearize is about this position already; leave at= out"):
        rest.linearize(at=rest)
    with pytest.raises(tm.ModelError, match=r"simulate has no option 'sampels'; .* Did you mean 'samples'"):
        rest.simulate(1.0, sampels=3)


def test_a_misspelt_option_of_a_robot_file_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(
        tm.ModelError, match=r"load_robot has no option 'flaoting_base'; .* Did you mean 'floating_base'"
    ):
        tm.load_robot(tmp_path / "none.urdf", flaoting_base=True)
