"""Other files inside a model file: what ``include`` describes beforehand, and subsystems with names and places of their own.

Files must lie in the folder of the file that names them, may not name each other in a circle, and are limited in number.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytrammel._util.messages import short
from pytrammel.errors import ModelError, TrammelError
from pytrammel.io.models.documents import open_document
from pytrammel.io.models.problems import did_you_mean
from pytrammel.io.models.words import MAX_ELEMENTS
from pytrammel.model.arguments.plain_values import inside
from pytrammel.model.parameters import names_used, number_from

if TYPE_CHECKING:
    from pytrammel.io.models.formats.document import Path as Where
    from pytrammel.io.models.reader import Reader
    from pytrammel.model.base import Model

MAX_NESTED = 8  # files inside each other
MAX_FILES = 500  # in all
OWN = ("gravity", "display_unit", "closure_tolerance", "analysis", "order")  # of the outermost file
WORDS = ("file", "position", "angle", "rotation", "ground", "parameters")


def include(reader: Reader, model: Model) -> None:
    """Describe what included files say, before anything else."""
    listed = reader.data.get("include", [])
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        reader.wrong(
            ("include",), f'include must be a list of files such as ["parts.toml"], but it is {short(listed)}.'
        )
        return
    for k, name in enumerate(listed):
        inner = _opened(reader, ("include", k), name, reader.changes)
        if inner is None or not inner.begin():
            continue
        for key in OWN:
            if key in inner.data:
                inner.wrong((key,), f"{key} belongs to the file that includes this one; write it there.")
                inner.data.pop(key)
        said = inner.data.get("model", "planar")
        if said != reader.kind:
            inner.wrong(
                ("model",), f"this is a {said} model, but {reader.source}, which includes it, is {reader.kind}."
            )
            continue
        inner.kind = reader.kind
        inner.read_into(model)
        reader.broken |= inner.broken


def assemble(reader: Reader, model: Model) -> None:
    """Add the subsystems of a file."""
    for name, given in reader.section("subsystems").items():
        path = ("subsystems", name)
        if not isinstance(given, dict) or not isinstance(given.get("file"), str):
            reader.wrong(path, f'subsystem {name!r} needs a file: file = "leg.toml".')
            continue
        for key in given:
            if key not in WORDS:
                reader.wrong((*path, key), f"{key}: {did_you_mean(key, WORDS)}")
        if not _add(reader, model, name, given):
            reader.broken.add(name)


def _add(reader: Reader, model: Model, name: str, given: dict[str, Any]) -> bool:
    path = ("subsystems", name)
    before = len(reader.problems.found)
    changes = _changes(reader, model, path, given.get("parameters", {}))
    inner = _opened(reader, (*path, "file"), given["file"], changes)
    part = None if inner is None else inner.read()
    if part is None or len(reader.problems.found) > before:
        return False
    from pytrammel.io.models.reader import values

    if len(model._said) + len(part._said) > MAX_ELEMENTS:
        reader.wrong(path, f"the model has more than {MAX_ELEMENTS} bodies, joints and other parts.")
        return False
    placed = {key: values(given[key]) for key in ("position", "angle", "rotation", "ground") if key in given}
    try:
        model.subsystem(name, part, **placed)
    except TrammelError as error:
        reader.wrong(path, str(error))
        return False
    model._placed_by |= names_used(list(given.get("parameters", {}).values()), model.parameters)
    return True


def _changes(reader: Reader, model: Model, path: Where, given: Any) -> dict[str, Any]:
    """Values of the part's parameters, as numbers where they are formulas of the outer ones."""
    out: dict[str, Any] = {}
    if not isinstance(given, dict):
        reader.wrong((*path, "parameters"), "parameters of a subsystem must be a table, e.g. {rod = 0.2}.")
        return out
    for key, value in given.items():
        try:
            uses = names_used(value, model.parameters)
            out[key] = number_from(model, value, f"parameter {key!r}") if isinstance(value, str) and uses else value
        except TrammelError as error:
            reader.wrong((*path, "parameters", key), str(error))
    return out


def _opened(reader: Reader, path: Where, name: str, changes: dict[str, Any]) -> Reader | None:
    """Reader of another file; None with a problem noted if it may not or cannot be read."""
    from pytrammel.io.models.reader import Reader as AnyReader

    try:
        if reader.folder is None:
            raise ModelError("a text that is no file has no folder to look for other files in; save it as a file.")
        file = inside(reader.folder, name, "this")
        if file in reader.opened:
            loop = " → ".join(p.name for p in (*reader.opened[reader.opened.index(file) :], file))
            raise ModelError(f"the files {loop} name each other in a circle.")
        if len(reader.opened) >= MAX_NESTED:
            raise ModelError(f"files name each other more than {MAX_NESTED} levels deep.")
        reader.problems.files += 1
        if reader.problems.files > MAX_FILES:
            raise ModelError(f"more than {MAX_FILES} files are named.")
        document = open_document(file, name, reader.problems)
    except TrammelError as error:
        reader.wrong(path, str(error))
        return None
    if document is None:
        return None
    return AnyReader(document, name, Path(file).parent, reader.problems, changes, (*reader.opened, file))
