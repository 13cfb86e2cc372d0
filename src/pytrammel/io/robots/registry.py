"""Formats of robot files: each is one file in `formats`, found by itself."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from pytrammel._util.checks import checked_names
from pytrammel.io.robots.geometry.meshes import MeshFolder
from pytrammel.io.robots.robot import Robot
from pytrammel.io.robots.xml_output import Sink
from pytrammel.io.robots.xml_tree import Document

Reader = Callable[[Document, MeshFolder, Robot], None]
Writer = Callable[[Robot, Sink], str]


@dataclass(frozen=True)
class Format:
    """A kind of robot file.

    Attributes:
        name: Its name.
        tag: Tag of its root, by which it is known when read.
        endings: Endings of its files, by which it is chosen when written.
        read: Fills a robot from a tree.
        write: Text of a robot.
    """

    name: str
    tag: str
    endings: tuple[str, ...]
    read: Reader
    write: Writer


_formats: dict[str, Format] = {}


def robot_format(format: Format) -> Format:
    """Register a format."""
    _formats[format.name] = format
    return format


@cache
def _found() -> bool:
    package = importlib.import_module("pytrammel.io.robots.formats")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return True


@checked_names
def robot_formats() -> Mapping[str, Format]:
    """All formats by name."""
    _found()
    return dict(_formats)
