"""Whatever holds a model: model files, decks of KAP and DAP, robots, by the ending of the name. A new kind is one line in each table."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytrammel.errors import FileFormatError, ModelWarning, RunWarning
from pytrammel.io.models.formats import ENDINGS
from pytrammel.model.base import Model

if TYPE_CHECKING:
    from pytrammel.io.decks.dap_deck import DapDeck
    from pytrammel.io.decks.kap_deck import KapDeck

_HERE = "pytrammel.io.registry"
_ROBOTS = (".urdf", ".sdf", ".xml", ".mjcf")
# ending -> module and function (path) -> Model
READERS: dict[str, tuple[str, str]] = {
    ".kap": (_HERE, "_kap"), ".dap": (_HERE, "_dap"), ".trammel": (_HERE, "_stored"),
    **dict.fromkeys(_ROBOTS, ("pytrammel.io.robots", "load_robot")),
}  # fmt: skip
# ending -> module and function (model, path) -> Path
WRITERS: dict[str, tuple[str, str]] = dict.fromkeys(_ROBOTS, (_HERE, "_robot"))


def read_model(path: str | os.PathLike[str], *, parameters: Mapping[str, Any] | None = None) -> Model:
    """A model from any kind of file that holds one.

    Args:
        path: The file; its ending says what it is.
        parameters: Other values of parameters, for model files.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending in READERS:
        if parameters:
            raise FileFormatError(f"{file.name!r} has no parameters to set; convert it to a model file first.")
        module, function = READERS[ending]
        model: Model = getattr(importlib.import_module(module), function)(file)
        return model
    if ending not in ENDINGS:
        raise FileFormatError(_no_model(file))
    from pytrammel.io.models.model_file import load

    return load(file, parameters=parameters)


def _no_model(file: Path) -> str:
    """Why a name without a known ending is no model."""
    known = [*ENDINGS, *READERS]
    if file.is_dir():
        held = sorted(inner.name for inner in file.iterdir() if inner.suffix.lower() in known)
        return f"{str(file)!r} is a folder; name a file" + (f" in it: {', '.join(held[:8])}." if held else ".")
    if not file.exists() and not file.suffix:
        beside = [near for near in map(file.with_suffix, known) if near.exists()]
        return f"there is no file {str(file)!r}" + (f"; did you mean {str(beside[0])!r}?" if beside else ".")
    what = (
        f"ends in {file.suffix!r}, which is no kind of model" if file.suffix else "has no ending that says what it is"
    )
    return f"{file.name!r} {what}; use one of: {', '.join(known)}."


def write_model(model: Model, path: str | os.PathLike[str]) -> Path:
    """A model to any kind of file that can hold one."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending in WRITERS:
        module, function = WRITERS[ending]
        return Path(getattr(importlib.import_module(module), function)(model, file))
    if ending not in ENDINGS:
        known = ", ".join([*ENDINGS, *WRITERS])
        raise FileFormatError(
            f"{file.name!r} ends in {ending!r}, which no model can be written to; use one of: {known}."
        )
    return model.save(file)


def convert_model(
    path: str | os.PathLike[str], target: str | os.PathLike[str], *, parameters: Mapping[str, Any] | None = None,
    loops: str | os.PathLike[str] | None = None,
) -> tuple[Path, list[str]]:  # fmt: skip
    """From one kind of file to another; the file written, and what was not taken over as it stands, line by line.

    Between robot files nothing goes through a model: names, ranges and limits that a model does not have are kept.

    Args:
        path, target: The files.
        parameters: Other values of parameters, for model files.
        loops: YAML file for the loops of a URDF file.
    """
    from pytrammel.io.robots import convert_robot, save_robot
    from pytrammel.model.spatial import SpatialModel

    if loops is not None and Path(target).suffix.lower() != ".urdf":
        raise FileFormatError(
            f"{Path(loops).name!r}: only URDF has its loops in a YAML file, but the target is {Path(target).name!r}."
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the whole report is returned
        if {Path(name).suffix.lower() for name in (path, target)} <= set(_ROBOTS) and not parameters:
            return Path(target), [str(note) for note in convert_robot(Path(path), Path(target), loops_to=loops)]  # type: ignore[arg-type]
        model = read_model(path, parameters=parameters)
    notes = [str(note) for note in model.conversion_report or ()]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ModelWarning)
        if loops is not None and isinstance(model, SpatialModel):
            save_robot(model, Path(target), loops=Path(loops))
            written = Path(target)
        else:
            written = write_model(model, target)
    return written, notes + [str(warning.message) for warning in told]


def _kap(file: Path) -> Model:
    """A KAP deck with its run as an analysis."""
    from pytrammel.io.decks.kap_deck import read_kap

    deck = read_kap(file)
    _warn_of(deck)
    model = deck.model()
    model.analyses["kinematics"] = {"type": "kinematics", "times": deck.times().tolist()}
    return model


def _warn_of(deck: KapDeck | DapDeck) -> None:
    """Warn of ignored numbers and redundant rows of a deck."""
    from pytrammel.io.decks.deck_redundancy import redundancy_notes

    notes = list(deck.notes)
    excess = deck.n_constraints - 3 * deck.counts["NB"]
    if excess > 0:
        n = 3 * deck.counts["NB"]
        notes.append(" ".join([f"The deck has N = {n} and M = {n + excess}.", *redundancy_notes(deck)]))
    for note in notes:
        warnings.warn(note, ModelWarning, stacklevel=2)


def _dap(file: Path) -> Model:
    """A DAP deck with its run as an analysis."""
    from pytrammel.io.decks.dap_deck import read_dap

    deck = read_dap(file)
    _warn_of(deck)
    model = deck.model()
    run = {"type": "statics"} if deck.is_static else {"type": "simulate", "times": deck.times().tolist()}
    model.analyses[run["type"]] = run
    return model


def _stored(file: Path) -> Model:
    """The model of a stored result."""
    from pytrammel.io.results.result_file import load_result

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # about the run
        return load_result(file).model


def _robot(model: Model, file: Path) -> Path:
    """A robot file; what could not be told in it is warned of."""
    from pytrammel.io.robots import save_robot
    from pytrammel.model.spatial import SpatialModel

    if not isinstance(model, SpatialModel):
        raise FileFormatError(f"{file.name!r}: robot files hold spatial models, but {model.name!r} is planar.")
    save_robot(model, file)
    return file
