"""Run the quick tests with the lowest version of every dependency that pyproject.toml states.

python .ci/lowest.py            # environment .venv-lowest, then `make check`
python .ci/lowest.py --pins     # print the pins only
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tomllib

from pythons import ROOT

BOUND = re.compile(r"^([A-Za-z0-9_.-]+)>=([0-9.]+)")
CHECK = "not (slow or process or browser or site or peers)"  # as `make check`
EXTRAS = ("view", "table", "test")


def lowest_pins(project: dict[str, object]) -> list[str]:
    """Return `name==version.*` for each requirement of the package and of the extras that the quick tests need."""
    optional: dict[str, list[str]] = project["optional-dependencies"]  # type: ignore[assignment]
    listed = [*project["dependencies"], *(each for extra in EXTRAS for each in optional[extra])]  # type: ignore[misc]
    pins: dict[str, str] = {}
    for requirement in listed:
        found = BOUND.match(requirement)
        if found is None:
            raise SystemExit(f"requirement {requirement!r} has no lower bound. Write it as 'name>=version'.")
        pins.setdefault(found[1], f"{found[1]}=={found[2]}.*")
    return list(pins.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pins", action="store_true", help="print the pins and stop")
    options = parser.parse_args()
    pins = lowest_pins(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])
    if options.pins:
        print(*pins, sep="\n")
        return 0
    folder = ROOT / ".venv-lowest"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [*install, "--only-binary", ":all:", *pins],
        [*install, "--no-deps", "-e", "."],
    ):
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            return 1
    return subprocess.run([str(python), "-m", "pytest", "-n", "2", "-m", CHECK], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
