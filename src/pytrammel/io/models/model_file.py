"""Model files: `load` reads one, `save` writes one, whole or not at all."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytrammel._util.atomic_write import check_target, write_whole
from pytrammel._util.checks import checked
from pytrammel.errors import ModelWarning
from pytrammel.io import registry
from pytrammel.io.models.documents import open_document, read_document
from pytrammel.io.models.formats import format_of, write_text
from pytrammel.io.models.problems import Problems
from pytrammel.io.models.reader import Reader
from pytrammel.io.models.writer import as_data
from pytrammel.model.base import Model


@checked
def load(path: str | os.PathLike[str], *, parameters: Mapping[str, Any] | None = None) -> Model:
    """Read a model file (.toml, .json, .yaml), a robot file (.urdf, .sdf, .xml) or a deck (.kap, .dap).

    Opening a file never runs code from it. For robots see also `load_robot`, which has options.

    Args:
        path: The file.
        parameters: Values that take the place of those of parameters in the file: ``{"rod": 0.35}``.

    Raises:
        FileFormatError: The file is wrong; ``error.problems`` holds everything that was found, each with line, path and remedy.
    """
    file = Path(path)
    if registry.is_read(file.suffix.lower()):
        return registry.read_model(file, parameters=parameters)
    problems = Problems()
    document = open_document(file, file.name, problems)
    model = None
    if document is not None:
        model = Reader(document, file.name, file.parent, problems, parameters, (file.resolve(),)).read()
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


@checked
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
    """Write a model file or a robot file; the ending of the name says in which format."""
    file = Path(path)
    if registry.is_written(file.suffix.lower()):
        return registry.write_model(model, file)
    format_of(file)
    target = check_target(file)
    return write_whole(file, write_text(file, as_data(model, target.parent)))


def dumps(model: Model, ending: str = ".toml") -> str:
    """The text of a model file."""
    return write_text(Path(f"text{ending}"), as_data(model))
