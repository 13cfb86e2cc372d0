"""The versions of Python that pyproject.toml names, and an environment of each."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = "view,table,yaml,xarray,cluster,parquet,hdf5,test,docs,lint"  # as in the Makefile


def supported() -> list[str]:
    """E.g. ["3.11", "3.12"], oldest first."""
    names = "\n".join(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"])
    minors = sorted(int(minor) for minor in re.findall(r"Programming Language :: Python :: 3\.(\d+)", names))
    return [f"3.{minor}" for minor in minors]


def environment(version: str, python: Path) -> Path | None:
    """Interpreter of `.venv-3.x` with the package and what its tests need, installed if it is new or out of date; None where that fails."""
    folder = ROOT / f".venv-{version}"
    own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp, sources = folder / ".installed", (ROOT / "pyproject.toml", ROOT / "constraints.txt")
    if stamp.exists() and stamp.stat().st_mtime >= max(file.stat().st_mtime for file in sources):
        return own
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", "constraints.txt"]
    for command in ([python, "-m", "venv", folder], [own, *install, "-e", f".[{EXTRAS}]"]):
        if subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode:
            return None
    stamp.touch()
    return own
