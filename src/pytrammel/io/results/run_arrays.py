"""Where the rows of a run are: in memory that is given back, in its log, in the file of its result."""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel.io.models.model_file import loads
from pytrammel.io.results.run_log import Tables
from pytrammel.model.base import Model

Array = NDArray[np.float64]
# names of the system that give memory back; without one of them tables are plain arrays
NEEDED = ("MAP_PRIVATE", "MAP_ANONYMOUS", "MADV_DONTNEED")
# Windows deletes and replaces no file of which a part is mapped
MAPS_FILES = os.name == "posix"
# bytes of a finished result that is read whole; a larger one stays in its file until it is looked at
IN_MEMORY = 64 * 2**20


def row_width(table: Array) -> int:
    """Numbers of one instant."""
    return int(np.prod(table.shape[1:], dtype=np.int64))


class Buffer:
    """A table whose first rows can be forgotten: their pages go back to the system."""

    def __init__(self, rows: int, columns: int) -> None:
        self.row, self.released, self._given = 8 * columns, 0, 0
        self._map: mmap.mmap | None = None
        self.table: Array
        if rows * columns == 0 or not hasattr(mmap.mmap, "madvise") or not all(hasattr(mmap, name) for name in NEEDED):
            self.table = np.zeros((rows, columns))
            return
        # room that is not paid for before it is used: a run may have more rows than fit into memory
        flags = (
            mmap.MAP_PRIVATE
            | mmap.MAP_ANONYMOUS
            | getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
        )
        try:
            self._map = mmap.mmap(-1, rows * self.row, flags=flags)
        except OSError:  # a limit on memory, which counts reserved room
            self.table = np.zeros((rows, columns))
            return
        self.table = np.frombuffer(self._map, dtype=float).reshape(rows, columns)

    def release(self, rows: int) -> None:
        """Forget the rows before this one."""
        if self._map is None:
            return
        end = rows * self.row // mmap.PAGESIZE * mmap.PAGESIZE
        if end > self._given:
            self._map.madvise(mmap.MADV_DONTNEED, self._given, end - self._given)
            self._given = end
            self.released = end // self.row


class Gathered:
    """Arrays of a result from the log of its run and from memory."""

    def __init__(
        self, tables: Tables, tail: Mapping[str, Array], targets: Sequence[Array], texts: Sequence[str]
    ) -> None:
        self.tables, self.tail, self.targets, self.texts = tables, tail, targets, texts

    def array(self, name: str) -> Array:
        """An array by name."""
        if name.startswith("targets."):
            return self.targets[int(name.partition(".")[2])]
        if name == "notes":
            return np.zeros((self.tables.count + (len(self.tail["times"]) if self.tail else 0), 4))
        last = self.tail.get(name)
        parts = [
            *self.tables.parts(name),
            *([] if last is None else [last.reshape(len(last), self.tables.widths[name])]),
        ]
        whole = np.concatenate(parts) if parts else np.zeros((0, self.tables.widths[name]))
        return whole[:, 0] if name in ("times", "dynamics.kinetic", "dynamics.gravity") else whole

    def model(self, k: int) -> Model:
        """A model by number."""
        return loads(self.texts[k], ".json")


class Mapped:
    """Arrays of a file that is being written: large ones stay there, and are read when they are looked at."""

    def __init__(self, path: str, places: Mapping[str, tuple[int, tuple[int, ...]]]) -> None:
        self.path, self.places = path, places
        self.whole = (
            sum(8 * int(np.prod(shape, dtype=np.int64)) for _, shape in places.values()) <= IN_MEMORY or not MAPS_FILES
        )

    def array(self, name: str) -> Array:
        """An array by name."""
        offset, shape = self.places[name]
        count = int(np.prod(shape, dtype=np.int64))
        if self.whole or not count:
            return np.fromfile(self.path, dtype="<f8", count=count, offset=offset).reshape(shape)
        mapped: Array = np.memmap(self.path, dtype="<f8", mode="c", offset=offset, shape=shape)
        return mapped.view(np.ndarray)

    def model(self, k: int) -> Model:
        """None that is not known already."""
        raise KeyError(k)
