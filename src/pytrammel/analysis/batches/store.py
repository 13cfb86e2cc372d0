"""A batch on disk: what is done stays done, and a batch that was killed goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.atomic_write import unreadable, whole_file, write_whole
from pytrammel._util.messages import short
from pytrammel.analysis.batches.work import Piece, Task
from pytrammel.errors import FileFormatError, FileWriteError, ModelError, RunWarning
from pytrammel.results.events import Singularity
from pytrammel.system.lowering import lower

Array = NDArray[np.float64]
HEAD = "batch.json"
FORMAT = "trammel batch 2"
_CHUNK = re.compile(r"variants-(\d+)-(\d+)\.npz")


class Store:
    """A folder with one file per chunk, each written whole or not at all."""

    def __init__(self, path: str | os.PathLike[str], task: Task, values: Array, states: Array) -> None:
        try:
            self.folder = Path(path)
        except TypeError:
            raise ModelError(f"store must be the path of a folder, but it is {short(path)}.") from None
        self.mark = _mark(task, values, states)

    def begin(self, size: int, count: int, take: Callable[[int, Piece], None]) -> list[tuple[int, int]]:
        """Open or make the folder, take what is there, and return the chunks that are missing."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise FileWriteError(f"the store {str(self.folder)!r} cannot be made: {unreadable(error)}.") from error
        head = self.folder / HEAD
        if head.exists():
            self._compare(head)
        elif any(self.folder.iterdir()):
            raise FileWriteError(
                f"the folder {str(self.folder)!r} holds other files and no batch; name one that is empty or does not exist yet."
            )
        else:
            write_whole(head, json.dumps({"format": FORMAT, "mark": self.mark, "variants": count}, indent=1))
        there = np.zeros(count, dtype=bool)
        for file in sorted(self.folder.iterdir()):
            match = _CHUNK.fullmatch(file.name)
            if match:
                first, last = int(match[1]), int(match[2])
                take(first, _read(file, last - first))
                there[first:last] = True
        return _gaps(there, size)

    def keep(self, first: int, last: int, piece: Piece) -> None:
        """Write a chunk."""
        words = {
            "failures": {str(k): text for k, text in piece.failures.items()},
            "warnings": {str(k): [(w.kind, str(w), w.time) for w in told] for k, told in piece.warnings.items()},
            "passages": {str(k): [asdict(each) for each in seen] for k, seen in piece.passages.items()},
            "singly": piece.singly,
            "reason": piece.reason,
            "kernels": piece.kernels,
        }
        text = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
        with whole_file(self.folder / f"variants-{first:09d}-{last:09d}.npz") as file:
            np.savez(file, kept=piece.kept, reduced=piece.reduced, words=text)

    def _compare(self, head: Path) -> None:
        try:
            said = json.loads(head.read_text(encoding="utf-8"))["mark"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FileFormatError(f"{str(head)!r} is no head of a stored batch; name another folder.") from error
        if said != self.mark:
            raise ModelError(
                f"the store {str(self.folder)!r} holds another batch: its model, parameters, options or quantities differ; name another "
                "folder, or remove it."
            )


def _gaps(there: NDArray[np.bool_], size: int) -> list[tuple[int, int]]:
    """Chunks of what is missing."""
    missing = np.flatnonzero(~there)
    runs = np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1) if missing.size else []
    return [(int(k), int(min(k + size, run[-1] + 1))) for run in runs for k in range(run[0], run[-1] + 1, size)]


def _read(file: Path, count: int) -> Piece:
    try:
        with np.load(file, allow_pickle=False) as found:
            words = json.loads(bytes(found["words"]).decode())
            piece = Piece(
                found["kept"], found["reduced"], **{key: words[key] for key in ("singly", "reason", "kernels")}
            )
        piece.failures = {int(k): text for k, text in words["failures"].items()}
        piece.warnings = {
            int(k): tuple(RunWarning(kind, text, time=time) for kind, text, time in told) for k, told in words["warnings"].items()
        }  # fmt: skip
        piece.passages = {int(k): tuple(Singularity(**each) for each in seen) for k, seen in words["passages"].items()}
        if len(piece.reduced) != count:
            raise ValueError
    except Exception as error:
        raise FileFormatError(
            f"{str(file)!r} is damaged and cannot be read; remove it, and its {count} variants are computed again."
        ) from error
    return piece


def _mark(task: Task, values: Array, states: Array) -> str:
    """What tells a batch from others."""
    said: Any = (
        FORMAT, task.verb,
        sorted((key, repr(value)) for key, value in task.options.items()), task.names, task.states, task.keep, task.reductions,
        "cpu" if task.device == "auto" else task.device,  # whose numbers are the same
    )  # fmt: skip
    found = hashlib.sha256(repr(said).encode())
    for array in (values, states, task.times):
        found.update(np.ascontiguousarray(array).tobytes())
    found.update(_described(task))
    return found.hexdigest()


def _described(task: Task) -> bytes:
    """What the model is made of, in bytes that are the same in every process."""
    model = task.model
    heavy = all(body.mass is not None for body in list(model.bodies.values())[1:])
    system = lower(model, dynamics=heavy)
    laws = [str(use.law) for force in model.forces.values() for use in force.uses]
    goals = [str(goal) for joint in model.constraints.values() for block in joint.blocks for goal in block.targets]
    words = (
        type(model).__name__, model.name, system.columns, system.rows, list(model.forces), laws, goals, system.primitives,
        [(name, p.value) for name, p in model.parameters.items()], [(key, str(f)) for key, f in model.definitions.items()],
    )  # fmt: skip
    return repr(words).encode() + system.floats.tobytes() + system.start.tobytes()
