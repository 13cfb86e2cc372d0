"""Do the pinned versions resolve on every Python that Trammel supports, and is nothing left unpinned?

Asks pip for each version in turn, from the wheels there are; nothing is installed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from pythons import ROOT, supported


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def wanted() -> list[str]:
    """Everything that running, testing and building asks for."""
    table = project()
    extras = [name for group in table["project"]["optional-dependencies"].values() for name in group]
    return sorted({*table["project"]["dependencies"], *extras, *table["build-system"]["requires"]})


def pins(python: str) -> dict[str, str]:
    """Pinned versions on one Python, by normalised name."""
    found = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        one = Requirement(line)
        if one.marker is None or one.marker.evaluate({"python_version": python, "python_full_version": f"{python}.0"}):
            name = normal(one.name)
            if name in found:
                raise SystemExit(f"constraints.txt pins {name} twice on Python {python}.")
            found[name] = str(one.specifier)
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def resolves(python: str) -> bool:
    """Ask pip; say what is wrong, if anything is."""
    chosen = pins(python)
    with tempfile.TemporaryDirectory() as folder:
        constraints, report = Path(folder, "constraints.txt"), Path(folder, "report.json")
        constraints.write_text("\n".join(name + pin for name, pin in chosen.items()) + "\n")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"]
        command += ["--ignore-installed", "--only-binary=:all:", "--python-version", python, "--target", folder]
        command += ["--report", str(report), "-c", str(constraints), *wanted()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"Python {python}: the constraints do not resolve.\n{done.stderr.strip()}")
            return False
        loose = [
            package["metadata"]["name"]
            for package in json.loads(report.read_text())["install"]
            if normal(package["metadata"]["name"]) not in chosen
        ]
    print(f"Python {python}: " + (f"not pinned: {', '.join(loose)}." if loose else "all constraints resolve."))
    return not loose


if __name__ == "__main__":
    asked = sys.argv[1:] or supported()
    failed = [python for python in asked if not resolves(python)]
    sys.exit(1 if failed else 0)
