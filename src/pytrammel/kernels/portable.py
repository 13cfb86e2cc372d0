"""Compiled kernels that can be carried to other machines: for every processor of a kind, in one file or in a folder of the package.

They are made in a process of their own that compiles for the plainest processor of the kind (`cache.PORTABLE`). What was compiled for
the very machine is preferred, and ``pytrammel compile`` makes it.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

from pytrammel._util.atomic_write import check_target, write_whole
from pytrammel.errors import TrammelError
from pytrammel.kernels.cache import PORTABLE, KernelStore, kind_of_machine, portable_processor, toolchain, unpacked
from pytrammel.kernels.compilers import compile_all
from pytrammel.kernels.sources import Sources

MANIFEST, FORMAT = "pytrammel-kernels.json", 2
KERNEL_NAME = re.compile(r"[\w.]+-[0-9a-f]{16}\.kernel")
LARGEST = 1 << 26  # bytes of one kernel


def register_all() -> None:
    """Import every module that defines kernels."""
    import pytrammel.kernels as package

    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name != f"{package.__name__}.portable":
            importlib.import_module(module.name)


def facts() -> dict[str, object]:
    """What must agree between the machine that compiled and the one that runs."""
    compiler = toolchain()
    return {
        "format": FORMAT,
        "machine": kind_of_machine(),
        "system": sys.platform,
        "processor": PORTABLE.get(kind_of_machine(), ("",))[0],
        "numba": compiler[0],
        "llvmlite": compiler[1],
        "python": compiler[2],
        "sources": Sources().hash,
    }


def export(place: Path, names: list[str] | None = None) -> int:
    """Compile kernels for every machine of this kind and keep them in a file, or in a folder that is there already.

    Args:
        place: A file, or a folder (that a wheel carries: ``pytrammel/kernels/carried``).
        names: Kernels; all by default.

    Returns the number of kernels.

    Raises:
        TrammelError: Nothing portable is known for this kind of machine, compiling failed, or the file cannot be written.
    """
    processor, _ = PORTABLE.get(kind_of_machine(), ("", ""))
    if not processor:
        raise TrammelError(f"there are no portable kernels for machines of the kind {kind_of_machine()!r}.")
    if not place.is_dir():
        check_target(place)
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "TRAMMEL_CACHE_DIR": folder, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
        env["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[2]), env.get("PYTHONPATH", "")])
        command = [sys.executable, "-m", "pytrammel.kernels.portable", *(names or [])]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise TrammelError(f"portable kernels could not be compiled: {done.stderr.strip().splitlines()[-1:]}")
        files = sorted(Path(folder).rglob("*.kernel"))
        if not files:
            raise TrammelError(f"portable kernels: none was kept while compiling. {done.stderr.strip()[-600:]}")
        if place.is_dir():
            for file in files:
                write_whole(place / file.name, file.read_bytes())
        else:
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(MANIFEST, json.dumps(facts(), indent=1))
                for file in files:
                    archive.write(file, file.name)
            write_whole(place, content.getvalue())
    return len(files)


def import_from(place: Path, store: KernelStore) -> int:
    """Put the kernels of a file into the user's own cache, for this version of the sources; returns how many.

    Raises:
        TrammelError: The file is not one of ours, is damaged, or was made for something else.
    """
    try:
        with zipfile.ZipFile(place) as archive:
            about = json.loads(archive.read(MANIFEST))
            entries = [entry for entry in archive.infolist() if entry.filename != MANIFEST]
            _refuse_others(place, about)
            found = {}
            for entry in entries:
                if not KERNEL_NAME.fullmatch(entry.filename) or entry.file_size > LARGEST:
                    raise TrammelError(f"{place} is not a file of portable kernels: it holds {entry.filename!r}.")
                found[entry.filename] = unpacked(archive.read(entry))
    except FileNotFoundError:
        raise TrammelError(f"there is no file {place}.") from None
    except OSError as error:
        raise TrammelError(f"{place} cannot be read ({error.strerror or error}).") from None
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, zlib.error, NotImplementedError, RuntimeError):
        raise TrammelError(
            f"{place} is not a file of portable kernels, or it is damaged; make it anew with `pytrammel compile --export`."
        ) from None
    damaged = [name for name, payload in found.items() if payload is None]
    if damaged:
        raise TrammelError(f"{place} is damaged ({damaged[0]}): nothing was taken from it; fetch or make it anew.")
    if store.folder is None:
        raise TrammelError("there is no private folder to keep kernels in; set TRAMMEL_CACHE_DIR to one of your own.")
    for name, payload in found.items():
        assert payload is not None
        store.write(name, payload)
    return len(found)


def _refuse_others(place: Path, about: object) -> None:
    """Refuse what was made for another version or machine, with the first reason."""
    if not isinstance(about, dict):
        raise ValueError("no table of facts")
    ours = facts()
    says = {
        "format": "has the format {}, this version of Trammel reads {}",
        "machine": "is for machines of the kind {}, this one is of the kind {}",
        "system": "is for the system {}, this one is {}",
        "processor": "is for the processor {}, portable kernels here are for {}",
        "numba": "was made with Numba {}, here is Numba {}",
        "llvmlite": "was made with llvmlite {}, here is llvmlite {}",
        "python": "was made for Python's binary interface {}, here it is {}",
        "sources": "was made from other sources of Trammel ({} instead of {})",
    }
    for fact, text in says.items():
        if about.get(fact) != ours[fact]:
            raise TrammelError(
                f"{place} {text.format(about.get(fact), ours[fact])}: its code would not do; "
                "make it anew with `pytrammel compile --export`, here or on a machine and version like these."
            )
    if portable_processor() is None:
        _, needs = PORTABLE[kind_of_machine()]
        raise TrammelError(f"this processor cannot run portable kernels: it needs {needs.replace(' ', ', ')}.")


def main(names: list[str]) -> None:
    """Compile the named kernels, or all."""
    from pytrammel.kernels import jit

    register_all()
    compile_all([kernel for kernel in jit.all_kernels() if not names or kernel.name in names], helpers=True)


if __name__ == "__main__":
    main(sys.argv[1:])
