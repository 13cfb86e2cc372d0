"""Write every bundled example as a model file: src/pytrammel/examples/models/NAME.toml, with its run as an analysis.

A test compares them with the Python examples; run this again after changing one.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytrammel as tm
from pytrammel.examples import Example, find, names
from pytrammel.io.models.analyses import VERBS
from pytrammel.io.models.formats import write_text
from pytrammel.io.models.writer import as_data
from pytrammel.model.base import Model

FOLDER = Path(__file__).parents[1] / "src" / "pytrammel" / "examples" / "models"


class _AskedError(Exception):
    """Carries what an example was about to do."""


def is_default(value: Any) -> bool:
    """Return True for initial conditions that change nothing."""
    return isinstance(value, tm.InitialConditions) and value == tm.InitialConditions()


def asked(example: Example) -> tuple[Model, str, dict[str, Any]]:
    """Model, verb and options of an example's run, without running it."""
    kept = {verb: getattr(Model, verb) for verb in VERBS}

    def ask(verb: str) -> Any:
        def method(self: Model, duration: float | None = None, **options: Any) -> None:
            given = {key: value for key, value in options.items() if key != "progress" and not is_default(value)}
            raise _AskedError(self, verb, given if duration is None else {"duration": duration, **given})

        return method

    try:
        for verb in VERBS:
            setattr(Model, verb, ask(verb))
        example.run()
    except _AskedError as caught:
        model, verb, options = caught.args
        return model, verb, options
    finally:
        for verb, method in kept.items():
            setattr(Model, verb, method)
    raise AssertionError(f"{example.name} runs no analysis")


def text_of(name: str) -> str:
    """The model file of an example."""
    example = find(name)
    model, verb, options = asked(example)
    shown = {"plots": list(example.plots), "traces": None if example.traces is None else list(example.traces)}
    shown = {key: value for key, value in shown.items() if value is not None and (key == "traces" or value)}
    model.analyses = {verb: {"type": verb, **options, **shown}}
    return f"# {example.description}.\n" + write_text(Path(f"{name}.toml"), as_data(model))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for name in names():
        (FOLDER / f"{name}.toml").write_text(text_of(name), encoding="utf-8")
        print(name)
