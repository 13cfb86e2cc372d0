"""``pytrammel compile``: compile all kernels now, or carry compiled ones to other machines."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from pytrammel.cli.output import with_help
from pytrammel.errors import TrammelError

HELP = """\
Compile all kernels for this machine now, so that nobody has to wait later.
It takes a few minutes once; afterwards every command starts at once.
"""
EPILOG = """\
examples:
  pytrammel compile
  pytrammel compile --export pytrammel.kernels      (on one machine)
  pytrammel compile --import pytrammel.kernels      (on another one)

Compiled kernels are kept in your cache folder; set TRAMMEL_CACHE_DIR to use
another one. It must be yours alone: code from others is not loaded.

An exported file holds code for every processor of the kind (x86-64-v3, or
arm64) with the same version of Trammel, Numba and Python. A file of kernels
is a program: import only what you made yourself or would run as a program.
`pytrammel compile` compiles code for the very machine: the same numbers to the
last bit, in about the same time.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "compile", HELP, EPILOG, help="compile everything now")
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--export",
        metavar="PLACE",
        help="compile portable kernels into a file, or into a folder that exists",
    )
    either.add_argument("--import", dest="take", metavar="FILE", help="take kernels from an exported file")
    return parser


def run(options: argparse.Namespace) -> int:
    """Compile what is not in the cache yet, or carry kernels."""
    from pytrammel.kernels import jit

    if not jit.HAVE_JIT:
        print("Numba is missing or disabled: there is nothing to compile, Trammel runs its kernels in plain Python.")
        return 0
    from pytrammel.kernels import compiler

    if not compiler.way.KEEPS:
        raise TrammelError(compiler.explanation())
    if options.export is not None:
        return _export(Path(options.export))
    if options.take is not None:
        return _import(Path(options.take))
    return _compile()


def _export(place: Path) -> int:
    from pytrammel.kernels.portable import export

    print("Compiling portable kernels; this takes a few minutes ...", flush=True)
    count = export(place)
    print(f"{count} kernels are in {place}.")
    return 0


def _import(place: Path) -> int:
    from pytrammel.kernels import jit
    from pytrammel.kernels.portable import import_from

    count = import_from(place, jit.store())
    print(
        f"{count} portable kernels are ready in {jit.CACHE_FOLDER}; `pytrammel compile` compiles those for this very machine."
    )
    return 0


def _compile() -> int:
    from pytrammel.kernels import jit
    from pytrammel.kernels.compilers import compile_all
    from pytrammel.kernels.portable import register_all

    register_all()
    jit.store().takes_portable = False  # it is asked for code for this very machine
    kernels = jit.all_kernels()
    cold = [kernel for kernel in kernels if not kernel.is_cached()]
    if cold:
        print(f"Compiling {len(cold)} of {len(kernels)} kernels for this machine ...", flush=True)
    started = time.perf_counter()
    compile_all(cold, helpers=jit.CACHE_FOLDER is not None)
    if cold:
        print(f"Done in {time.perf_counter() - started:.1f} s.")
    else:
        print(f"All {len(kernels)} kernels were ready; nothing to compile.")
    if jit.CACHE_FOLDER is None:
        return 1  # why nothing can be kept was said when the cache was opened
    print(f"They are kept in {jit.CACHE_FOLDER}.")
    return 0
