"""Models to begin with: template files, and every bundled example as a model file."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

from pytrammel.errors import ModelError
from pytrammel.io.models.problems import did_you_mean


def templates() -> dict[str, str]:
    """Text of each template by name; its first line is a comment that describes it."""
    folder = resources.files("pytrammel.io.models") / "template_files"
    return {_stem(file): file.read_text(encoding="utf-8") for file in sorted(folder.iterdir(), key=lambda f: f.name)}


def example_files() -> dict[str, Traversable]:
    """Model files of the bundled examples by name."""
    folder = resources.files("pytrammel.examples") / "models"
    return {_stem(file): file for file in sorted(folder.iterdir(), key=lambda f: f.name)}


def template_text(name: str) -> str:
    """Text of a template or example."""
    known = templates()
    if name in known:
        return known[name]
    files = example_files()
    if name not in files:
        raise ModelError(f"there is no template {name!r}; {did_you_mean(name, [*known, *files])}")
    return files[name].read_text(encoding="utf-8")


def described(text: str) -> str:
    """First comment of a text."""
    first = text.partition("\n")[0]
    return first.lstrip("# ") if first.startswith("#") else ""


def _stem(file: Traversable) -> str:
    return file.name.rpartition(".")[0]
