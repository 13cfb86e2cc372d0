"""The versions of Python that pyproject.toml names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def supported() -> list[str]:
    """E.g. ["3.11", "3.12"], oldest first."""
    names = "\n".join(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"])
    minors = sorted(int(minor) for minor in re.findall(r"Programming Language :: Python :: 3\.(\d+)", names))
    return [f"3.{minor}" for minor in minors]
