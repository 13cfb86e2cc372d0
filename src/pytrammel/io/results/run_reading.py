"""Files of runs that others have written: what they hold so far, and whether one may write in their place."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import FileFormatError, FileWriteError, RunWarning, TrammelError
from pytrammel.io.results.result_file import DAMAGED, Reader
from pytrammel.io.results.run_arrays import Gathered
from pytrammel.io.results.run_log import Found, Tables, is_log, is_written, lock, scan, unpack
from pytrammel.results.result import Result

Array = NDArray[np.float64]
Words = dict[str, Any]
VERSION = 1  # of the files of runs


def check_free(file: BinaryIO, path: str | os.PathLike[str]) -> None:
    """Refuse a file that another run writes to, or in which one waits to be resumed."""
    if not lock(file):
        raise FileWriteError(
            f"another run writes to the store {str(path)!r} at this moment; choose another name, or wait for its end."
        )
    time = cut_at(file)
    if time is not None:
        raise FileWriteError(
            f"the store {str(path)!r} holds a run that was cut off at t = {time:.6g} s: continue it with "
            f"tm.resume({str(path)!r}), or remove the file to begin anew."
        )


def cut_at(file: BinaryIO) -> float | None:
    """When a run was cut off that could be resumed [s]; None where there is none."""
    if is_log(file):
        with contextlib.suppress(*DAMAGED):
            words, _ = unpack(scan(file).checkpoint)
            return None if words["complete"] else float(words["time"])
    return None  # a result, or nothing that could be resumed


def make_way(path: Path) -> None:
    """Remove an older result, but no run that goes on, or waits to be resumed by the command line."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        time = cut_at(file)
        if not lock(file):
            raise FileWriteError(
                f"another run writes to {str(path)!r} at this moment; choose another folder (--out), or wait for its end."
            )
    if time is not None:
        raise FileWriteError(
            f"{str(path)!r} holds a run that was cut off at t = {time:.6g} s: say --resume to continue it, or remove it to begin anew."
        )
    path.unlink()


def open_log(stream: BinaryIO, name: str) -> tuple[Found, Words, dict[str, Array]]:
    """What a log holds, its head read and its blocks checked.

    Raises:
        FileFormatError: It is damaged, or was written by a newer Trammel.
    """
    try:
        found = scan(stream)
        words, numbers = unpack(found.head)
        version = words["version"]
    except DAMAGED as error:
        raise FileFormatError(f"{name!r} is the file of a run, but {error}: nothing in it can be read.") from None
    if not isinstance(version, int) or version > VERSION or version < 1:
        raise FileFormatError(
            f"{name!r} has the version {version!r}, but this Trammel reads up to {VERSION}; update Trammel."
        )
    if not found.checkpoint:
        raise FileFormatError(
            f"{name!r} is the file of a run that had computed nothing when it was cut off, or its end is missing; run it again."
        )
    return found, words, numbers


def read_log(stream: BinaryIO, path: Path) -> Result:
    """What a run has stored so far, with a warning that says how far that is."""
    found, head, _ = open_log(stream, path.name)
    try:
        words, numbers = unpack(found.checkpoint)
        tables = Tables(stream, found.rows, [(name, int(width)) for name, width in head["tables"]])
        tables.check()
        if tables.count != words["done"]:
            raise ValueError(f"it holds {tables.count} instants, not {words['done']}")
        targets = [numbers[f"|targets.{k}"] for k in range(len(words["result"]["segments"]))]
        source = Gathered(tables, {}, targets, words["models"])
        result = Reader(with_targets(words["result"]), source).result()
    except TrammelError as error:
        raise FileFormatError(f"{path.name!r} is damaged: {error}") from error
    except DAMAGED as error:
        raise FileFormatError(f"{path.name!r} is damaged: {type(error).__name__}, {error}.") from None
    if words["complete"]:
        return result
    return replace(result, interrupted=True, warnings=(*result.warnings, _about_cut(path, words, head["asked"])))


def _about_cut(path: Path, words: Words, asked: int) -> RunWarning:
    until = f"until t = {words['time']:.6g} s: {words['done']} of {asked} instants"
    if is_written(path):
        text = f"the run in {path.name!r} still goes on; this is what it has stored {until}."
    else:
        text = f"the run in {path.name!r} was cut off; its store holds what was computed {until}. tm.resume({str(path)!r}) goes on."
    return RunWarning("cut off", text, time=float(words["time"]))


def with_targets(words: Words) -> Words:
    """Words of a result whose arrays are followed by the targets of its segments."""
    return {**words, "arrays": [*words["arrays"], *(f"targets.{k}" for k in range(len(words["segments"])))]}
