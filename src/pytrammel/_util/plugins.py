"""Plugins: installed packages that add joints, forces and file formats by entry points.

Plugins are imported when a registry is first listed or asked for an unknown name. What a model file contains has no influence: all
installed plugins are imported, or none where ``TRAMMEL_PLUGINS=0``.
"""

from __future__ import annotations

import os
import threading
import warnings
from typing import TYPE_CHECKING

from pytrammel.errors import ModelError, ModelWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

JOINTS, FORCES, FILE_FORMATS = GROUPS = ("pytrammel.joints", "pytrammel.forces", "pytrammel.file_formats")
SWITCH = "TRAMMEL_PLUGINS"

_lock = threading.RLock()
_complete: set[str] = set()  # groups whose plugins were imported
_active: set[str] = set()  # groups whose plugins are being imported: a plugin may list the registry itself
_broken: set[tuple[str, str, str]] = set()


class NameClashError(ModelError):
    """Two packages define the same name."""


def clash(what: str, name: str, first: str, second: str) -> NameClashError:
    """Error about a name with two definitions, `first` and `second`."""
    return NameClashError(
        f"{what} {name!r} is defined twice: by {first} and by {second}. Rename one of them, or uninstall one package."
    )


def defined_by(thing: object) -> str:
    """Module and name of a function, class or property: "belts.joints.rope"."""
    name = getattr(_unwrapped(thing), "__qualname__", type(thing).__name__)
    return f"{module_of(thing)}.{name}"


def module_of(thing: object) -> str:
    """Module of a function, class or property, or of the class of another object."""
    return str(getattr(_unwrapped(thing), "__module__", type(thing).__module__))


def _unwrapped(thing: object) -> object:
    return getattr(thing, "__wrapped__", None) or getattr(thing, "fget", None) or thing


def load(*groups: str) -> bool:
    """Import the plugins of some groups, once in a process.

    Returns:
        True if this call imported a plugin.

    Raises:
        NameClashError: Two packages define the same name.
    """
    if _complete.issuperset(groups) or os.environ.get(SWITCH) == "0":
        return False
    from importlib.metadata import entry_points

    found = False
    with _lock:
        for group in groups:
            if group in _complete or group in _active:
                continue
            _active.add(group)
            try:
                for entry in sorted(entry_points(group=group), key=_key):
                    found |= _imported(entry)
                _complete.add(group)
            finally:
                _active.discard(group)
    return found


def _key(entry: EntryPoint) -> tuple[str, str, str]:
    return _package(entry), entry.name, entry.value


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "unknown"


def _imported(entry: EntryPoint) -> bool:
    """Import a plugin; warn of a broken one."""
    if _key(entry) in _broken:
        return False
    try:
        entry.load()
    except NameClashError:
        raise
    except (Exception, SystemExit) as error:
        _broken.add(_key(entry))
        warnings.warn(
            f"plugin {entry.name!r} of package {_package(entry)!r} ({entry.group} = {entry.value}) cannot be imported: "
            f"{type(error).__name__}: {error}. Update or uninstall the package.",
            ModelWarning,
            stacklevel=4,
        )
        return False
    return True
