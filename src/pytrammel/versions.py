"""Versions of the package and of everything that it uses, for reports of problems."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytrammel
from pytrammel._util.checks import checked
from pytrammel._util.extras import DEPENDENCIES, DISTRIBUTION, EXTRAS

VARIABLES = ("TRAMMEL_", "NUMBA_")  # beginnings of environment variables that change what runs
ABSENT = "not installed"


@checked
def show_versions() -> None:
    """Print versions of the package, Python, dependencies and extras, the platform and the folder of compiled kernels.

    Add this text to reports of problems.

        >>> import pytrammel as tm
        >>> tm.show_versions()  # doctest: +SKIP
        pytrammel     0.1.0
        location      /home/me/.venv/lib/python3.13/site-packages/pytrammel
        Python        3.13.1 (CPython)
        ...
    """
    sections = [_system(), {name: _version(name) for name in DEPENDENCIES}, _extras(), _cache()]
    width = max(len(name) for section in sections for name in section)
    print("\n\n".join("\n".join(f"{name:<{width}}  {text}" for name, text in section.items()) for section in sections))


def _system() -> dict[str, str]:
    return {
        DISTRIBUTION: pytrammel.__version__,
        "location": str(Path(pytrammel.__file__).parent),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "executable": sys.executable,
        "platform": platform.platform(),
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def _extras() -> dict[str, str]:
    """Versions of optional distributions; the extra that installs each."""
    return {name: f"{_version(name)} [{extra}]" for extra, names in EXTRAS.items() for name in names}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ABSENT


def _cache() -> dict[str, str]:
    """Folder of compiled kernels, and variables that change what runs."""
    from pytrammel.kernels.cache import cache_root

    try:
        folder = str(cache_root())
    except OSError as error:
        folder = f"none: {error}"
    set_here = {name: value for name, value in sorted(os.environ.items()) if name.startswith(VARIABLES)}
    return {"kernel cache": folder, **set_here}
