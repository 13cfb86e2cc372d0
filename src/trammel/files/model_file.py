"""Model files: `load` reads one, `save` writes one, whole or not at all."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trammel.errors import FileFormatError, ModelWarning
from trammel.files.formats import format_of, read_text, write_text
from trammel.files.formats.document import MAX_BYTES, Document, TextError
from trammel.files.model_reader import Reader
from trammel.files.model_writer import as_data
from trammel.files.problems import Problems
from trammel.model.base import Model
from trammel.whole_file import check_target, write_whole


def load(path: str | os.PathLike[str], *, parameters: Mapping[str, Any] | None = None) -> Model:
    """Read a model file (.toml, .json, .yaml). Opening a file never runs code from it.

    Args:
        path: The file.
        parameters: Values that take the place of those of parameters in the file: ``{"rod": 0.35}``.

    Raises:
        FileFormatError: The file is wrong; ``error.problems`` holds everything that was found, each with line, path and remedy.
    """
    file = Path(path)
    problems = Problems()
    document = open_document(file, file.name, problems)
    model = None
    if document is not None:
        model = Reader(document, file.name, file.parent, problems, parameters).read()
    problems.raise_all(file.name)
    assert model is not None
    unused = model.unused_parameters
    if unused:
        warnings.warn(
            f"{file.name}: nothing uses the parameter{'s' if len(unused) > 1 else ''} {', '.join(unused)}.",
            ModelWarning,
            stacklevel=2,
        )
    return model


def loads(text: str, ending: str = ".toml") -> Model:
    """Read a model from a text instead of a file; it can include no other files."""
    source = Path(f"text{ending}")
    problems = Problems()
    document = read_document(source, text, source.name, problems)
    model = None if document is None else Reader(document, source.name, None, problems).read()
    problems.raise_all(source.name)
    assert model is not None
    return model


def save(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write a model file; the ending of the name says in which format."""
    file = Path(path)
    format_of(file)
    target = check_target(file)
    return write_whole(file, write_text(file, as_data(model, target.parent)))


def dumps(model: Model, ending: str = ".toml") -> str:
    """The text of a model file."""
    return write_text(Path(f"text{ending}"), as_data(model))


def open_document(file: Path, source: str, problems: Problems) -> Document | None:
    """Data of a file; None with a problem noted if it cannot be read."""
    format_of(file)
    try:
        if file.stat().st_size > MAX_BYTES:
            problems.add(
                source, None, (), f"the file has more than {MAX_BYTES} bytes; model files are smaller. Is it a result?"
            )
            return None
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"the model file {str(file)!r} cannot be read: {reason}.") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problems.add(source, None, (), "the file is no text in UTF-8; save it as UTF-8 in your editor.", line=line)
        return None
    return read_document(file, text, source, problems)


def read_document(file: Path, text: str, source: str, problems: Problems) -> Document | None:
    """Data of a text; None with a problem noted if it does not follow its format."""
    try:
        return read_text(file, text)
    except TextError as error:
        problems.add(source, None, (), str(error), line=error.line)
        return None
