"""``trammel warm``: compile all kernels now."""

from __future__ import annotations

import argparse
import time
from typing import Any

from trammel.commands.common import with_help

HELP = """\
Compile all kernels for this machine now, so that nobody has to wait later.
It takes about a minute once; afterwards every command starts at once.
"""
EPILOG = """\
example:
  trammel warm

Compiled kernels are kept in your cache folder; set TRAMMEL_CACHE_DIR to use
another one. It must be yours alone: code from others is not loaded.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    return with_help(commands.add_parser, "warm", HELP, EPILOG, help="compile everything now")


def run(options: argparse.Namespace) -> int:
    """Compile what is not in the cache yet."""
    import importlib
    import pkgutil

    import trammel.kernels as kernels_package
    from trammel.kernels import jit
    from trammel.kernels.force_elements import force_elements
    from trammel.kernels.primitives import primitives
    from trammel.progress import Progress, interruptible

    primitives()
    force_elements()
    for module in pkgutil.iter_modules(kernels_package.__path__):
        importlib.import_module(f"trammel.kernels.{module.name}")
    if not jit.HAVE_JIT:
        print("Numba is missing or disabled: there is nothing to compile, Trammel runs its kernels in plain Python.")
        return 0
    kernels = jit.all_kernels()
    cold = [kernel for kernel in kernels if not kernel.is_cached()]
    if cold:
        print(f"Compiling {len(cold)} of {len(kernels)} kernels for this machine ...", flush=True)
    started = time.perf_counter()
    with Progress("compiling") as bar:
        for done, kernel in enumerate(cold):
            bar.update(done / len(cold), f"{done + 1}/{len(cold)} {kernel.name}")
            interruptible(kernel.compile)
    if cold:
        print(f"Done in {time.perf_counter() - started:.1f} s.")
    else:
        print(f"All {len(kernels)} kernels were ready; nothing to compile.")
    if jit.CACHE_FOLDER is None:
        return 1  # why nothing can be kept was said when the cache was opened
    print(f"They are kept in {jit.CACHE_FOLDER}.")
    return 0
