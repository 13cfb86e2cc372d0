"""The file of a run in progress: rows are only ever added, and two checkpoints are written by turns, so that whatever ends the program
leaves at least one of them whole, with all rows before it.

The file is a line of text and blocks, each a header (kind, length, checksums) and its bytes:

- ``HEAD``: words and the output instants, once;
- ``ROWS``: tables of some instants, one after another;
- ``SLOT``: room for a checkpoint: its number, length and checksum, then words and numbers. Filled anew every few seconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MAGIC = b"trammel run in progress, format 1\n"
HEADER = struct.Struct("<4sQII")  # kind, length, checksum of the bytes, checksum of what stands before
SLOT = struct.Struct("<QQI")  # number of the checkpoint, length, checksum
COUNTS = struct.Struct("<QQ")
SIZE = struct.Struct("<Q")
ROOM = 2.0  # of a slot, in checkpoints of the present size
KINDS = (b"HEAD", b"ROWS", b"SLOT")
LARGEST_WORDS = 1 << 30


def is_log(stream: BinaryIO) -> bool:
    """Return True if an open file is that of a run in progress; goes back to its beginning."""
    found = stream.read(len(MAGIC)) == MAGIC
    stream.seek(0)
    return found


# --- words and numbers as bytes --------------------------------------------------------------------------------------


def pack(words: Any, numbers: Mapping[str, Array]) -> bytes:
    """Words and arrays in one piece."""
    listed = [[name, list(values.shape)] for name, values in numbers.items()]
    text = json.dumps({"words": words, "numbers": listed}, ensure_ascii=False).encode()
    parts = [np.ascontiguousarray(values, dtype="<f8").tobytes() for values in numbers.values()]
    return b"".join([SIZE.pack(len(text)), text, *parts])


def unpack(raw: bytes) -> tuple[Any, dict[str, Array]]:
    """Words and arrays again.

    Raises:
        ValueError: The bytes are not what `pack` makes.
    """
    if len(raw) < SIZE.size:
        raise ValueError("a block is too short")
    (size,) = SIZE.unpack_from(raw)
    if size > min(LARGEST_WORDS, len(raw) - SIZE.size):
        raise ValueError("a block is shorter than its words")
    found = json.loads(raw[SIZE.size : SIZE.size + size])
    at, numbers = SIZE.size + size, {}
    for name, shape in found["numbers"]:
        count = int(np.prod(shape, dtype=np.int64))
        if count < 0 or at + 8 * count > len(raw):
            raise ValueError(f"the numbers {name} are not whole")
        numbers[name] = np.frombuffer(raw, dtype="<f8", count=count, offset=at).astype(float).reshape(shape)
        at += 8 * count
    return found["words"], numbers


# --- reading ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """A block of instants `first` to `first + count - 1`; its bytes begin at `at`."""

    first: int
    count: int
    at: int
    length: int
    check: int


@dataclass
class Found:
    """What a file of a run holds.

    Attributes:
        head: Bytes of the head.
        slots: Places of slots, each with its room.
        number: Number of the newest whole checkpoint.
        checkpoint: Its bytes; empty if there is none.
        rows: Blocks of instants before it, in order.
        end: Where the file ended when it was written.
    """

    head: bytes = b""
    slots: list[tuple[int, int]] = field(default_factory=list)
    number: int = 0
    checkpoint: bytes = b""
    rows: list[Rows] = field(default_factory=list)
    end: int = 0


def scan(stream: BinaryIO) -> Found:
    """Look through a file; what is not whole at its end is as if it were not there."""
    size = stream.seek(0, os.SEEK_END)
    found, at, last = Found(), len(MAGIC), 0
    blocks: list[Rows] = []
    for kind, length, check, at in _blocks(stream, size):
        last = at + length
        if kind == b"HEAD":
            stream.seek(at)
            found.head = stream.read(length)
            if zlib.crc32(found.head) != check:
                raise ValueError("the head is damaged")
        elif kind == b"ROWS" and length >= COUNTS.size:
            stream.seek(at)
            first, count = COUNTS.unpack(stream.read(COUNTS.size))
            blocks.append(Rows(first, count, at + COUNTS.size, length - COUNTS.size, check))
        elif kind == b"SLOT":
            found.slots.append((at, length))
    if not found.head:
        raise ValueError("its head is missing")
    for at, room in found.slots:
        _take_newest(stream, found, at, room, last)
    found.rows = [block for block in blocks if block.at < found.end]
    return found


def _blocks(stream: BinaryIO, size: int) -> Iterator[tuple[bytes, int, int, int]]:
    at = len(MAGIC)
    while at + HEADER.size <= size:
        stream.seek(at)
        raw = stream.read(HEADER.size)
        kind, length, check, own = HEADER.unpack(raw)
        if kind not in KINDS or zlib.crc32(raw[: HEADER.size - 4]) != own or at + HEADER.size + length > size:
            return
        yield kind, length, check, at + HEADER.size
        at += HEADER.size + length


def _take_newest(stream: BinaryIO, found: Found, at: int, room: int, last: int) -> None:
    """The checkpoint of a slot, if it is whole, newer than what is known, and all rows before it are there."""
    stream.seek(at)
    raw = stream.read(room)
    if len(raw) < SLOT.size:
        return
    number, length, check = SLOT.unpack_from(raw)
    body = raw[SLOT.size : SLOT.size + length]
    if number <= found.number or len(body) != length or length < SIZE.size or zlib.crc32(body) != check:
        return
    (end,) = SIZE.unpack_from(body)
    if end <= last:
        found.number, found.checkpoint, found.end = number, body[SIZE.size :], end


class Tables:
    """Tables of a run, block by block.

    Args:
        stream: The file.
        rows: Its blocks of instants.
        widths: Names of the tables and their columns, in the order of a block.
    """

    def __init__(self, stream: BinaryIO, rows: Sequence[Rows], widths: Sequence[tuple[str, int]]) -> None:
        self.stream, self.rows = stream, rows
        self.widths = dict(widths)
        self.at = dict(zip(self.widths, np.cumsum([0, *self.widths.values()]).tolist(), strict=False))
        self.columns = sum(self.widths.values())

    def check(self) -> None:
        """Refuse blocks whose bytes are not those that were written."""
        ahead = 0
        for block in self.rows:
            self.stream.seek(block.at)
            raw = self.stream.read(block.length)
            if zlib.crc32(raw, zlib.crc32(COUNTS.pack(block.first, block.count))) != block.check:
                raise ValueError(f"the instants from number {block.first} on are damaged")
            if block.first != ahead or block.length != 8 * block.count * self.columns:
                raise ValueError(f"the instants from number {ahead} on are missing")
            ahead += block.count

    def parts(self, name: str) -> Iterator[Array]:
        """Rows of a table, block by block."""
        width = self.widths[name]
        for block in self.rows:
            self.stream.seek(block.at + 8 * block.count * self.at[name])
            raw = self.stream.read(8 * block.count * width)
            yield np.frombuffer(raw, dtype="<f8").reshape(block.count, width)

    @property
    def count(self) -> int:
        """Number of output times."""
        return sum(block.count for block in self.rows)


# --- writing ---------------------------------------------------------------------------------------------------------


def open_to_write(path: Path, *, new: bool = False) -> BinaryIO:
    """A file for a `LogWriter`, without a buffer, which would write again what did not fit."""
    return cast(BinaryIO, path.open("w+b" if new else "r+b", buffering=0))


class LogWriter:
    """Adds to the file of a run; nobody else can meanwhile.

    Args:
        file: The file, as `open_to_write` has it, locked by `lock`.
        found: What it holds already; None for a new one.
    """

    def __init__(self, file: BinaryIO, found: Found | None = None) -> None:
        self.file = file
        self.rows: list[Rows] = [] if found is None else list(found.rows)
        self.slots: list[tuple[int, int]] = [] if found is None else found.slots[-2:]
        self.number = 0 if found is None else found.number
        self.end = 0
        if found is None:
            self._write(MAGIC)
            self.end = len(MAGIC)
        else:
            file.truncate(found.end)
            self.end = found.end
            if any(at + room > found.end for at, room in self.slots):
                self.slots = []

    def _add(self, kind: bytes, parts: Sequence[bytes | memoryview]) -> int:
        """A block at the end; returns where its bytes begin. If it cannot be written whole, the file is as it was before."""
        check = 0
        for part in parts:
            check = zlib.crc32(part, check)
        header = HEADER.pack(kind, length := sum(len(part) for part in parts), check, 0)[:-4]
        try:
            self.file.seek(self.end)
            for part in (header + struct.pack("<I", zlib.crc32(header)), *parts):
                self._write(part)
        except OSError:
            with contextlib.suppress(OSError):
                self.file.truncate(self.end)
            raise
        begin = self.end + HEADER.size
        self.end = begin + length
        return begin

    def head(self, words: Any, numbers: Mapping[str, Array]) -> None:
        """What a run is, once, before anything else."""
        self._add(b"HEAD", [pack(words, numbers)])
        self._reach_disk()

    def instants(self, first: int, tables: Sequence[Array]) -> None:
        """Rows of all tables for the next instants."""
        count = len(tables[0])
        parts = [
            np.ascontiguousarray(table, dtype="<f8").reshape(-1).view(np.uint8).data for table in tables if table.size
        ]
        counts = COUNTS.pack(first, count)
        begin = self._add(b"ROWS", [counts, *parts]) + COUNTS.size
        length, check = self.end - begin, zlib.crc32(counts)
        for part in parts:
            check = zlib.crc32(part, check)
        self.rows.append(Rows(first, count, begin, length, check))
        self._reach_disk()

    def checkpoint(self, raw: bytes) -> None:
        """A checkpoint in the place of the older one of two."""
        needed = SLOT.size + SIZE.size + len(raw)
        if len(self.slots) < 2 or self.slots[0][1] < needed:
            room = bytes(int(ROOM * needed))
            self.slots = [(self._add(b"SLOT", [room]), len(room)) for _ in range(2)]
        at, _ = self.slots[(self.number + 1) % 2]
        body = SIZE.pack(self.end) + raw
        self.file.seek(at)
        self._write(SLOT.pack(self.number + 1, len(body), zlib.crc32(body)) + body)
        self.number += 1
        self._reach_disk()

    def _write(self, part: bytes | memoryview) -> None:
        """All of it, also where the system takes it in pieces."""
        left = memoryview(part)
        while left:
            left = left[self.file.write(left) :]

    def _reach_disk(self) -> None:
        os.fsync(self.file.fileno())


LOCKED_BYTE = 2**40  # [bytes] position of the byte that stands for the file: beyond the end of any run


def lock(file: BinaryIO) -> bool:
    """Lock a file for writing until it is closed; return False if another process holds the lock."""
    try:
        import fcntl
    except ImportError:
        return _lock_byte(file)
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock_byte(file: BinaryIO) -> bool:
    """Lock on Windows: a locked byte far beyond the end, since locked bytes cannot be read by others."""
    try:
        import msvcrt
    except ImportError:  # neither POSIX nor Windows: no locks
        return True
    place = file.tell()
    try:
        file.seek(LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    finally:
        file.seek(place)
    return True


def is_written(path: Path) -> bool:
    """Return True if a run writes to a file at this moment."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return not lock(file)
    return False
