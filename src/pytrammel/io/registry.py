"""Files that hold a model: model files, decks of KAP and DAP, robots, and formats of other packages, by the ending of the name."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytrammel._util import plugins
from pytrammel.errors import FileFormatError, ModelWarning, RunWarning
from pytrammel.io.models.formats import ENDINGS
from pytrammel.model.base import Model

if TYPE_CHECKING:
    from pytrammel.io.decks.dap_deck import DapDeck
    from pytrammel.io.decks.kap_deck import KapDeck

_ROBOTS = (".urdf", ".sdf", ".xml", ".mjcf")


@dataclass(frozen=True)
class FileFormat:
    """A kind of file that holds a model.

    Attributes:
        ending: Ending of the file name, in lower case, e.g. ".bars".
        read: Function (path) -> model, or "module:function", which is imported at the first use; None if it is only written.
        write: Function (model, path) that writes the file; None if it is only read.
        about: Phrase for lists of formats.
        sample: Function that returns a model which the format can hold, for `pytrammel.testing.check_file_format`.
        exact: Whether a model is read back to the last bit as it was written; if not, the check compares from the second writing on.

    Example:
        >>> file_format(FileFormat(".bars", read=read_bars, write=write_bars, about="lists of bars"))
    """

    ending: str
    read: Callable[[Path], Model] | str | None = None
    write: Callable[[Model, Path], Any] | str | None = None
    about: str = ""
    sample: Callable[[], Model] | str | None = None
    exact: bool = True

    def __post_init__(self) -> None:
        if not self.ending.startswith(".") or self.ending != self.ending.lower() or len(self.ending) < 2:
            raise FileFormatError(f"ending {self.ending!r} of a file format is not valid. Use a form such as '.bars'.")
        if self.read is None and self.write is None:
            raise FileFormatError(f"file format {self.ending!r} is neither read nor written. Specify read= or write=.")

    @property
    def source(self) -> str:
        """Module and function that define the format, for messages."""
        given = self.read or self.write
        return given if isinstance(given, str) else plugins.defined_by(given)


_formats: dict[str, FileFormat] = {}


def file_format(format: FileFormat) -> FileFormat:
    """Register a file format under its ending; packages name the module of this call in the entry point group "pytrammel.file_formats".

    Raises:
        NameClashError: Another format has the same ending.
    """
    known = _formats.get(format.ending)
    if known is not None and _module(known) != _module(format):
        raise plugins.clash("file format", format.ending, known.source, format.source)
    if format.ending in ENDINGS:
        raise plugins.clash("file format", format.ending, "pytrammel.io.models.formats", format.source)
    _formats[format.ending] = format
    return format


def file_formats() -> Mapping[str, FileFormat]:
    """All formats by ending, those of plugins included, without model files (.toml, .json, .yaml)."""
    plugins.load(plugins.FILE_FORMATS)
    return MappingProxyType(dict(_formats))


def _module(format: FileFormat) -> str:
    given = format.read or format.write
    return given.partition(":")[0] if isinstance(given, str) else str(getattr(given, "__module__", ""))


def imported(given: Callable[..., Any] | str) -> Callable[..., Any]:
    """A function, or the one that "module:function" names."""
    if not isinstance(given, str):
        return given
    module, _, function = given.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def _of_ending(ending: str) -> FileFormat | None:
    """Format of an ending; plugins are imported for an ending that is not ours."""
    if ending in ENDINGS:
        return None
    return _formats[ending] if ending in _formats else file_formats().get(ending)


def is_read(ending: str) -> bool:
    """Return True if `read_model` reads files of this ending with a format other than model files."""
    found = _of_ending(ending)
    return found is not None and found.read is not None


def is_written(ending: str) -> bool:
    """Return True if `write_model` writes files of this ending with a format other than model files."""
    found = _of_ending(ending)
    return found is not None and found.write is not None


def read_model(path: str | os.PathLike[str], *, parameters: Mapping[str, Any] | None = None) -> Model:
    """A model from any kind of file that holds one.

    Args:
        path: The file; its ending says what it is.
        parameters: Other values of parameters, for model files.
    """
    file = Path(path)
    ending = file.suffix.lower()
    known = _of_ending(ending)
    if known is not None and known.read is not None:
        if parameters:
            raise FileFormatError(f"{file.name!r} has no parameters to set; convert it to a model file first.")
        model: Model = imported(known.read)(file)
        return model
    if ending not in ENDINGS:
        raise FileFormatError(_no_model(file))
    from pytrammel.io.models.model_file import load

    return load(file, parameters=parameters)


def _no_model(file: Path) -> str:
    """Why a name without a known ending is no model."""
    known = [*ENDINGS, *(ending for ending, each in file_formats().items() if each.read is not None)]
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
    known = _of_ending(ending)
    if known is not None and known.write is not None:
        imported(known.write)(model, file)
        return file
    if ending not in ENDINGS:
        written = ", ".join([*ENDINGS, *(key for key, each in file_formats().items() if each.write is not None)])
        raise FileFormatError(
            f"{file.name!r} ends in {ending!r}, which no model can be written to; use one of: {written}."
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


def _robot(model: Model, file: Path) -> None:
    """A robot file; what could not be told in it is warned of."""
    from pytrammel.io.robots import save_robot
    from pytrammel.model.spatial import SpatialModel

    if not isinstance(model, SpatialModel):
        raise FileFormatError(f"{file.name!r}: robot files hold spatial models, but {model.name!r} is planar.")
    save_robot(model, file)


for _ending, _read, _about in (
    (".kap", "_kap", "decks of KAP"), (".dap", "_dap", "decks of DAP"), (".trammel", "_stored", "models of stored results"),
):  # fmt: skip
    file_format(FileFormat(_ending, f"{__name__}:{_read}", about=_about))
for _ending in _ROBOTS:
    file_format(
        FileFormat(_ending, "pytrammel.io.robots:load_robot", f"{__name__}:_robot", about="robots", exact=False)
    )
