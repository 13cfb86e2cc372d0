"""Texts of model files: TOML, JSON and YAML to plain data with the line of every entry, and back.

One module per format, with ``read(text) -> Document`` and ``write(data) -> text``. Nothing here knows what a model is.
"""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path, PurePath
from typing import Any

from pytrammel.errors import FileFormatError
from pytrammel.io.models.formats.document import Document

ENDINGS = {".toml": "toml", ".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def format_of(path: PurePath) -> Any:
    """The module that reads and writes files with such an ending."""
    ending = path.suffix.lower()
    if ending not in ENDINGS and Path(path).is_dir():
        raise FileFormatError(f"{str(path)!r} is a folder. Use the name of a file that ends in {', '.join(ENDINGS)}.")
    if ending not in ENDINGS:
        near = difflib.get_close_matches(ending, ENDINGS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise FileFormatError(f"{path.name!r} ends in {ending!r}; model files end in {', '.join(ENDINGS)}.{hint}")
    return importlib.import_module(f"{__name__}.{ENDINGS[ending]}_text")


def read_text(path: PurePath, text: str) -> Document:
    """Data and lines of a text in the format that the ending of its file names."""
    document: Document = format_of(path).read(text)
    return document


def write_text(path: PurePath, data: dict[str, Any]) -> str:
    """The text of data in that format."""
    text: str = format_of(path).write(data)
    return text
