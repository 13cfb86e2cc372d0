"""Build the source archive and the wheel, with compiled kernels in it if wanted: who installs that waits for no compiler.

    python tools/make_wheel.py dist
    python tools/make_wheel.py dist --with-kernels               # for every machine of this kind; takes some minutes
    python tools/make_wheel.py dist --kernels arm64.kernels ...  # made elsewhere by `pytrammel compile --export`

Kernels are found by what they were made of and with: where sources, Numba, llvmlite, Python's binary interface, system or processor
differ, they are not seen, and the first run compiles its own. So one wheel may carry those of many machines and versions, and stays
a wheel for all others.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from pytrammel.kernels.portable import MANIFEST
from pytrammel.kernels.sources import Sources

ROOT = Path(__file__).parents[1]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
CARRIED = "pytrammel/kernels/carried"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where they are written")
    parser.add_argument("--with-kernels", action="store_true", help="compile kernels for every machine of this kind")
    parser.add_argument(
        "--kernels", nargs="+", type=Path, default=[], metavar="FILE", help="kernels exported elsewhere"
    )
    options = parser.parse_args(arguments)
    wheel = build(options.folder)
    with tempfile.TemporaryDirectory() as name:
        files = [*options.kernels, *([exported(Path(name) / "own.kernels")] if options.with_kernels else [])]
        if files:
            print(f"{add_kernels(wheel, files)} kernels are in {wheel.name}: {wheel.stat().st_size // 1000} kB")
    return 0


def build(folder: Path) -> Path:
    """The wheel, made from the source archive, so that one which lacks a file is found here."""
    say("build the source archive, and the wheel from it")
    with tempfile.TemporaryDirectory() as name:
        venv.create(name, with_pip=True)
        python = Path(name) / SCRIPTS / "python"
        install(python, "hatchling")
        call([python, "-m", "hatchling", "build", "-t", "sdist", "-d", folder], cwd=ROOT)
        (archive,) = folder.glob("pytrammel-*.tar.gz")
        call([python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, archive])
    (wheel,) = folder.glob("pytrammel-*.whl")
    for made in (archive, wheel):
        print(f"{made.name}: {made.stat().st_size // 1000} kB")
    return wheel


def install(python: Path, what: str) -> None:
    """One requirement in an environment, in the pinned versions."""
    pins = ROOT / "constraints.txt"
    call([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", pins, what])


def exported(file: Path) -> Path:
    """Kernels for every machine of this kind."""
    say("compile kernels for the wheel")
    call([sys.executable, "-m", "pytrammel.cli.main", "compile", "--export", file], cwd=ROOT)
    return file


def add_kernels(wheel: Path, files: list[Path]) -> int:
    """Put exported kernels into a wheel; returns how many."""
    found: dict[str, bytes] = {}
    for file in files:
        with zipfile.ZipFile(file) as archive:
            about = json.loads(archive.read(MANIFEST))
            if about["sources"] != Sources().hash:
                raise SystemExit(f"{file} was made from other sources: make it anew with `pytrammel compile --export`.")
            found |= {f"{CARRIED}/{name}": archive.read(name) for name in archive.namelist() if name != MANIFEST}
    with zipfile.ZipFile(wheel) as archive:
        contents = {entry: archive.read(entry) for entry in archive.infolist()}
    beside = wheel.with_suffix(".part")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            archive.writestr(name, content)
        for entry, content in contents.items():
            listed = entry.filename.endswith(".dist-info/RECORD")
            archive.writestr(entry, content + b"".join(map(record, found.items())) if listed else content)
    beside.replace(wheel)
    return len(found)


def record(file: tuple[str, bytes]) -> bytes:
    """The line about a file in a wheel's list."""
    name, content = file
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n".encode()


def say(what: str) -> None:
    print(f"\n== {what}", flush=True)


def call(command: list[object], *, cwd: Path | None = None, **variables: str) -> str:
    """Run a command, with further environment variables; what it said is shown if it fails."""
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    words = [str(part) for part in command]
    done = subprocess.run(words, cwd=cwd, env={**outside, **variables}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
