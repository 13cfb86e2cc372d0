"""Run the suite on every supported Python found on this machine, with a separate environment for each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

from pythons import ROOT, environment, supported


def candidates(version: str) -> Iterator[Path]:
    """Where an interpreter of this version may be: pyenv, uv, the path, and the usual folders."""
    homes = [Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"]
    homes.append(Path(os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local" / "share" / "uv" / "python")))
    for home in homes:
        if home.is_dir():
            yield from sorted(home.glob(f"*{version}*/bin/python{version}"), reverse=True)
    on_path = which(f"python{version}")
    if on_path:
        yield Path(on_path)
    yield from (Path(folder, f"python{version}") for folder in ("/usr/local/bin", "/usr/bin", "/opt/bin"))


def interpreter(version: str) -> Path | None:
    """One that starts, is of this version and can make environments; a shim of pyenv may do none of it."""
    check = f"import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '{version}')"
    for path in candidates(version):
        if path.exists() and subprocess.run([path, "-c", check], capture_output=True, check=False).returncode == 0:
            return path
    return None


def main(versions: list[str]) -> int:
    """Run the suite on each version; the exit status is 0 if all that were found passed."""
    outcome = {}
    for version in versions:
        python = interpreter(version)
        if python is None:
            outcome[version] = "not found on this machine"
            continue
        print(f"--- Python {version}: {python}", flush=True)
        own = environment(version, python)
        if own is None:
            outcome[version] = "failed (no environment)"
            continue
        done = subprocess.run([str(own), "-m", "pytest", "-n", "2", "-rs"], cwd=ROOT, check=False)
        outcome[version] = "passed" if done.returncode == 0 else f"failed ({done.returncode})"
    print(*(f"Python {version}: {said}" for version, said in outcome.items()), sep="\n")
    found = [said for said in outcome.values() if not said.startswith("not found")]
    return 0 if found and all(said == "passed" for said in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or supported()))
