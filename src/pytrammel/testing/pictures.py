"""Parts in pictures: drawings, diagrams, graphs, pages and films of the model and of a short run."""

from __future__ import annotations

import contextlib
import importlib.util
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pytrammel.errors import ModelWarning, RunWarning, TrammelError
from pytrammel.testing.facts import check_symbols
from pytrammel.testing.failures import no_error, require
from pytrammel.testing.samples import Type, add, fresh

Drawer = Callable[[Any, Path], object]
# of a result and a folder; those that need Matplotlib
STILLS: dict[str, Drawer] = {
    "draw the model": lambda r, p: r.model.draw(path=p / "model.png"),
    "draw a result": lambda r, p: r.draw(
        time=4e-5, ghosts=1, path=p / "result.png", arrows=["load", "reaction", "velocity", "acceleration"]
    ),
    "diagram": lambda r, p: r.model.diagram(p / "diagram.svg"),
    "graph": lambda r, p: r.model.graph(p / "graph.svg"),
    "film": lambda r, p: r.animate(p / "film.gif", duration=0.1),
    "plot": lambda r, p: r.plot(path=p / "plot.png"),
    "energy": lambda r, p: r.plot.energy(path=p / "energy.png"),
}
PAGES: dict[str, Drawer] = {
    "page": lambda r, p: r.animate(p / "page.html"),
    "glTF": lambda r, p: r.animate(p / "film.glb") if r.model.space.dimension == 3 else None,
}

OF_MODELS = ("draw the model", "diagram", "graph")


def short_run(kind: Type, changes: dict[str, Any] | None = None) -> Any:
    """A short simulation of the sample, with masses on its bodies."""
    model = fresh(kind.space)
    add(kind, model, changes)
    inertia = (0.3, 0.4, 0.5) if kind.space else 0.4
    heavy = model.copy(changes={name: {"mass": 1.5, "inertia": inertia} for name in "abc"})
    with quiet():
        return heavy.simulate(duration=1e-4, samples=3, progress=False)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Samples are drawn anywhere: warnings about them are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        warnings.simplefilter("ignore", ModelWarning)
        yield


def check_pictures(kind: Type) -> None:
    """Check the symbols, and that every picture is written; without Matplotlib, pages and films of glTF only."""
    model = fresh(kind.space)
    check_symbols(kind, model, add(kind, model))
    drawers = {**PAGES, **(STILLS if importlib.util.find_spec("matplotlib") else {})}
    drawers.pop("film", None)  # the same frames as a drawing, and slow
    with no_error(kind, "a short simulation"):
        try:
            result = short_run(kind)
        except TrammelError:  # the sample cannot move as it is drawn
            result = SimpleNamespace(model=model)
            drawers = {name: drawer for name, drawer in drawers.items() if name in OF_MODELS}
    with tempfile.TemporaryDirectory() as folder, quiet():
        for name, drawer in drawers.items():
            with no_error(kind, f"picture {name!r}"):
                drawer(result, Path(folder))
        if set(drawers) & set(STILLS):
            from matplotlib import pyplot

            pyplot.close("all")
        for file in Path(folder).iterdir():
            require(file.stat().st_size > 0, kind, f"picture {file.name} is empty.")
