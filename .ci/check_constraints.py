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
from packaging.specifiers import SpecifierSet
from pythons import ROOT, supported


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def wanted(python: str) -> list[str]:
    """Everything that running, testing and building asks for; peers to compare with do not exist for every Python."""
    table = project()
    groups = table["project"]["optional-dependencies"].items()
    extras = [
        name for key, group in groups if key not in ("peers", "all") for name in group
    ]  # "all" repeats the others
    asked = [
        Requirement(name) for name in (*table["project"]["dependencies"], *extras, *table["build-system"]["requires"])
    ]
    # pip would look at markers with the Python that runs pip
    return sorted({f"{one.name}{one.specifier}" for one in asked if holds(one, python)})


def holds(one: Requirement, python: str) -> bool:
    """Whether a requirement counts on one Python."""
    return one.marker is None or one.marker.evaluate({"python_version": python, "python_full_version": f"{python}.0"})


def pins(python: str) -> dict[str, str]:
    """Pinned versions on one Python, by normalised name."""
    found = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        one = Requirement(line)
        if holds(one, python):
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
        constraints.write_text("\n".join(name + pin for name, pin in chosen.items()) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"]
        command += ["--ignore-installed", "--only-binary=:all:", "--python-version", python, "--target", folder]
        # pip would hold a package's Requires-Python against the Python that runs pip: it is checked below instead
        command += ["--ignore-requires-python", "--report", str(report), "-c", str(constraints), *wanted(python)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if not line.startswith("WARNING")]
            print(f"Python {python}: the constraints do not resolve.", *errors, sep="\n  ")
            return False
        packages = [package["metadata"] for package in json.loads(report.read_text(encoding="utf-8"))["install"]]
    wrong = [f"{p['name']} {p['version']} is not pinned" for p in packages if normal(p["name"]) not in chosen]
    wrong += [
        f"{p['name']} {p['version']} needs Python {p['requires_python']}"
        for p in packages
        if not SpecifierSet(p.get("requires_python", "")).contains(f"{python}.0")
    ]
    print(
        f"Python {python}:", f"{', '.join(wrong)}." if wrong else f"all {len(packages)} packages resolve.", flush=True
    )
    return not wrong


if __name__ == "__main__":
    asked = sys.argv[1:] or supported()
    failed = [python for python in asked if not resolves(python)]
    sys.exit(1 if failed else 0)
