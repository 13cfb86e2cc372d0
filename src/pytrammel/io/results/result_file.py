"""Stored results: one file with all arrays, what happened, and the text of the model; read without running anything from it.

The file is a ZIP archive without compression: ``result.json`` (words and single numbers), ``models/0.json`` … (model files of the models in
force) and ``arrays/….npy`` (NumPy's format, 64-bit numbers only), so that other programs can open it, too.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from pytrammel import __version__
from pytrammel._util.atomic_write import check_target, unreadable, whole_file
from pytrammel._util.checks import checked
from pytrammel.errors import FileFormatError, FileWriteError, ModelError, RunWarning, TrammelError, tell
from pytrammel.io.models.model_file import dumps, loads
from pytrammel.io.results.run_log import is_log
from pytrammel.model.base import Model
from pytrammel.results.events import EventReport, Singularity, SwitchReport
from pytrammel.results.forces.dynamics import DynamicsData, MethodUse, StepStatistics
from pytrammel.results.forces.initial_energy import Origin
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment
from pytrammel.results.studies.newton import NewtonHistory
from pytrammel.system.lowering import System, lower
from pytrammel.system.pattern import pattern

ENDING = ".trammel"
KIND, VERSION = "trammel-result", 1
MAX_WORDS = 256 * 2**20  # bytes of result.json and of a model
Array = NDArray[Any]
TABLES = ("multipliers", "outputs", "work", "inner_states", "kinetic", "gravity")
LOCAL_HEADER, ZIP64_FIELD, EXTRA_FIELD = 30, 20, 4  # bytes in ZIP archives
PADDING, ALIGNED = 0xD935, 64  # field of ZIP archives that only fills; where arrays begin
DAMAGED = (
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    RecursionError,
    zipfile.BadZipFile,
)


# --- writing ---------------------------------------------------------------------------------------------------------


def save_result(result: Result, path: str | os.PathLike[str], *, release: Callable[[], None] | None = None) -> Path:
    """Write everything that a result holds, whole or not at all; `load_result` reads it back to the last bit.

    Args:
        result: What is written.
        path: Place of the file.
        release: Closes what this process has open of the older file; see `whole_file`.

    Raises:
        ModelError: The model cannot be written, e.g. because of a Python function; tables can (`to_csv`).
        FileWriteError: The file cannot be written; an older one is untouched.
    """
    check_target(path)
    suffix = Path(path).suffix.lower()
    if suffix != ENDING:
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: stored results end in {ENDING}, not {suffix!r}; tables are written by to_csv."
        )
    arrays: dict[str, Array] = {}
    words = described(result, arrays)
    models: list[Model] = [result.model]
    words["segments"] = [segment_words(segment, models) for segment in result._segments]
    arrays |= {f"targets.{k}": segment.targets for k, segment in enumerate(result._segments)}
    texts = [model_text(model) for model in models]
    with whole_file(path, release=release) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("result.json", json.dumps({**words, "arrays": list(arrays)}, ensure_ascii=False))
        for k, text in enumerate(texts):
            archive.writestr(f"models/{k}.json", text)
        for name, values in arrays.items():
            write_array(archive, name, values.shape, [values], whole=values.dtype.kind in "iub")
    return Path(path)


def segment_words(segment: Segment, models: list[Model]) -> dict[str, Any]:
    """Words of a segment, but for its targets; its model is added to the others if it is not among them."""
    place = next((i for i, model in enumerate(models) if model is segment.model), len(models))
    if place == len(models):
        models.append(segment.model)
    return {
        "first": segment.first, "last": segment.last, "model": place, "rows": list(map(int, segment.rows)),
        "dynamics": segment.system.recipe[2], "pattern": _pattern_key(segment), "impact speeds": segment.impact_speeds,
    }  # fmt: skip


def described(result: Result, arrays: dict[str, Array]) -> dict[str, Any]:
    """Words of a result, but for its segments; arrays go into `arrays`."""
    arrays |= {"times": result.times, "q": result.q, "notes": result._notes}
    arrays |= {name: table for name, table in (("v", result.v), ("a", result.a)) if table is not None}
    return {
        "format": KIND, "version": VERSION, "written by": f"Trammel {__version__}", "dynamic": result._system.recipe[2],
        "switches": _plain(result._switches), "passages": _plain(result.singularities), "redundant": list(result.redundant),
        "seconds": result.wall_time, "starts_tried": result.n_starts, "interrupted": result.interrupted,
        "warnings": [[w.kind, str(w), w.time] for w in result.warnings],
        "histories": [_history(k, history, arrays) for k, history in enumerate(result.histories)],
        "dynamics": None if result.dynamics is None else _dynamics(result.dynamics, arrays),
        "origin": None if result._origin is None else result._origin.numbers,
    }  # fmt: skip


def model_text(model: Model) -> str:
    try:
        return dumps(model, ".json")
    except ModelError as error:
        raise ModelError(
            f"the result cannot be stored with its model: {error} Its tables can be written by to_csv."
        ) from error


def _pattern_key(segment: Segment) -> list[list[int]] | None:
    """Rows that carry multipliers, and redundant ones that share the load."""
    if segment.pattern is None:
        return None
    for key, known in segment.system.patterns.items():
        if known is segment.pattern:
            return [list(map(int, rows)) for rows in key]
    raise ModelError(
        "this result was changed by hand: its elimination pattern is none of its system's, and cannot be stored."
    )


def _dynamics(data: DynamicsData, arrays: dict[str, Array]) -> dict[str, Any]:
    arrays |= {f"dynamics.{name}": getattr(data, name) for name in TABLES}
    if data.parameters is not None:
        arrays["dynamics.parameters"] = data.parameters
    return {
        "events": _plain(data.events), "changed": list(data.changed), "statistics": _plain(data.statistics),
        "interrupted": data.interrupted, "methods": _plain(data.methods), "formulation": data.formulation,
    }  # fmt: skip


def _history(k: int, history: NewtonHistory, arrays: dict[str, Array]) -> dict[str, Any]:
    words: dict[str, Any] = {}
    for each in dataclasses.fields(history):
        value = getattr(history, each.name)
        if isinstance(value, np.ndarray):
            arrays[f"histories.{k}.{each.name}"] = value
        else:
            words[each.name] = list(value)
    return words


def _plain(value: Any) -> Any:
    """Data classes as dictionaries, tuples as lists, numbers of NumPy as Python's."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def write_array(
    archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], parts: Iterable[Array], *, whole: bool = False
) -> int:
    """One array in NumPy's format, from its parts one after another; returns where its numbers begin, a place fit for memory maps.

    Args:
        archive: Where it goes.
        name: Its name.
        shape: Of all parts together.
        parts: Rows of it.
        whole: Whether its numbers are whole ones.
    """
    kind = np.dtype("<i8" if whole else "<f8")
    info = zipfile.ZipInfo(f"arrays/{name}.npy")
    assert archive.fp is not None
    begin = archive.fp.tell() + LOCAL_HEADER + len(info.filename.encode()) + ZIP64_FIELD + EXTRA_FIELD
    padding = -begin % ALIGNED
    info.extra = struct.pack("<HH", PADDING, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=True) as file:
        header = {"descr": kind.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        place = int(archive.fp.tell())
        for part in parts:
            if part.size:
                file.write(np.ascontiguousarray(part, dtype=kind).reshape(-1).view(np.uint8).data)
    return place


# --- reading ---------------------------------------------------------------------------------------------------------


@checked
def load_result(path: str | os.PathLike[str]) -> Result:
    """Read a stored result, its model included. Opening a file never runs code from it.

    The store of a run that was cut off, or still goes on, gives what it holds so far, with a warning that says how far that is.

    Raises:
        FileFormatError: The file is no stored result, is damaged, or was written by a newer Trammel.
    """
    file = Path(path)
    try:
        opened = file.open("rb")
    except (OSError, ValueError) as error:
        raise FileFormatError(f"the result {str(path)!r} cannot be read: {unreadable(error)}.") from None
    try:
        with opened as stream:
            if is_log(stream):
                from pytrammel.io.results.run_reading import read_log

                result = read_log(stream, file)
                tell(result.warnings[-1:], result)
                return result
            return _read(stream, file.name)
    except OSError as error:
        raise FileFormatError(f"the result {str(path)!r} cannot be read: {unreadable(error)}.") from None


def _read(stream: BinaryIO, name: str) -> Result:
    try:
        archive = zipfile.ZipFile(stream)
        words = json.loads(_member(archive, "result.json", MAX_WORDS))
    except DAMAGED:
        raise FileFormatError(
            f"{name!r} is no stored result, or its end is missing: it is no archive with a result.json. result.save(…) writes such files."
        ) from None
    _check_version(words, name)
    try:
        return Reader(words, Archive(archive)).result()
    except TrammelError as error:
        raise FileFormatError(f"{name!r} is damaged: {error}") from error
    except DAMAGED as error:
        raise FileFormatError(
            f"{name!r} is damaged: {type(error).__name__}, {error}. Store the result again."
        ) from None


def _check_version(words: Any, name: str) -> None:
    if not isinstance(words, Mapping) or words.get("format") != KIND:
        raise FileFormatError(f"{name!r} is no stored result: its result.json does not say format {KIND!r}.")
    version = words.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileFormatError(f"{name!r} has the version {version!r}; it must be a whole number from 1 to {VERSION}.")
    if version > VERSION:
        raise FileFormatError(
            f"{name!r} has the version {version}, but this Trammel reads up to {VERSION}; update Trammel."
        )


def _member(archive: zipfile.ZipFile, name: str, limit: int | None = None) -> bytes:
    """Bytes of one part; compressed parts are refused, so that nothing is larger than the file itself."""
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise ValueError(f"{name} is compressed, which stored results are not")
    if limit is not None and info.file_size > limit:
        raise ValueError(f"{name} has {info.file_size} bytes; the limit is {limit}")
    return archive.read(info)


class Source(Protocol):
    """Where arrays and models of a stored result come from."""

    def array(self, name: str) -> Array:
        """An array by name."""

    def model(self, k: int) -> Model:
        """A model by number."""


class Archive:
    """Arrays and models in a ZIP archive."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive

    def array(self, name: str) -> Array:
        """An array by name."""
        return _read_array(_member(self.archive, f"arrays/{name}.npy"), name)

    def model(self, k: int) -> Model:
        """A model by number."""
        return loads(_member(self.archive, f"models/{int(k)}.json", MAX_WORDS).decode(), ".json")


class Reader:
    """A result from its words.

    Args:
        words: What ``result.json`` holds.
        source: Arrays and models.
        models, systems: Those that are known already, by number.
    """

    def __init__(
        self, words: Mapping[str, Any], source: Source, *, models: Mapping[int, Model] | None = None,
        systems: Mapping[tuple[int, bool], System] | None = None,
    ) -> None:  # fmt: skip
        self.words, self.source = words, source
        self.names = set(words["arrays"])
        self.models: dict[int, Model] = dict(models or {})
        self.systems: dict[tuple[int, bool], System] = dict(systems or {})

    def result(self) -> Result:
        words = self.words
        system = self.system(0, bool(words["dynamic"]))
        times = self.array("times", (None,))
        n = times.size
        dynamics = None if words["dynamics"] is None else self.dynamics(words["dynamics"], n)
        return Result(
            model=self.model(0), _system=system, times=times, q=self.array("q", (n, system.n_coordinates)),
            v=self.table("v", (n, system.n_columns)), a=self.table("a", (n, system.n_columns)), _notes=self.array("notes", (n, None)),
            _switches=tuple(SwitchReport(**each) for each in words["switches"]),
            singularities=tuple(Singularity(**each) for each in words["passages"]),
            redundant=tuple(map(str, words["redundant"])), wall_time=float(words["seconds"]), n_starts=int(words["starts_tried"]),
            _segments=tuple(self.segment(k, each, n) for k, each in enumerate(words["segments"])), dynamics=dynamics,
            histories=tuple(self.history(k, each) for k, each in enumerate(words["histories"])),
            warnings=tuple(RunWarning(kind, sentence, time=time) for kind, sentence, time in words["warnings"]),
            interrupted=bool(words["interrupted"]),
            _origin=None if words.get("origin") is None else self.origin(words["origin"]),
        )  # fmt: skip

    def origin(self, numbers: Any) -> Origin:
        return Origin(stored={str(name): float(value) for name, value in numbers.items()})

    def model(self, k: int) -> Model:
        if k not in self.models:
            self.models[k] = self.source.model(k)
        return self.models[k]

    def system(self, k: int, dynamics: bool) -> System:
        if (k, dynamics) not in self.systems:
            self.systems[k, dynamics] = lower(self.model(k), dynamics=dynamics)
        return self.systems[k, dynamics]

    def table(self, name: str, shape: tuple[int | None, ...]) -> Array | None:
        return self.array(name, shape) if name in self.names else None

    def array(self, name: str, shape: tuple[int | None, ...] | None = None) -> Array:
        """One array; its shape is checked before anything is made of it."""
        values = self.source.array(name)
        if shape is not None and (
            len(shape) != values.ndim or any(a not in (None, b) for a, b in zip(shape, values.shape, strict=True))
        ):
            wanted = " x ".join("any" if each is None else str(each) for each in shape)
            raise ValueError(f"the array {name} has the shape {values.shape}, but {wanted} is needed")
        return values

    def segment(self, k: int, words: Mapping[str, Any], n: int) -> Segment:
        system = self.system(int(words["model"]), bool(words["dynamics"]))
        first, last, rows = int(words["first"]), int(words["last"]), tuple(map(int, words["rows"]))
        key = None if words["pattern"] is None else [tuple(map(int, each)) for each in words["pattern"]]
        if not 0 <= first <= last <= n or any(
            not 0 <= row < len(system.rows) for row in (*rows, *(r for each in key or () for r in each))
        ):
            raise ValueError(f"the segment {k} names instants or rows that there are not")
        floats = system.floats.copy()
        # rows that were only watched come last, and are not made again
        system.targets(floats)[:] = self.array(f"targets.{k}", (None,))[: len(system.rows)]
        speeds = words.get("impact speeds", {})
        for force in system.forces:
            slot = system.model.forces[force.owner].impact_slot if force.owner in speeds else None
            if slot is not None:
                floats[force.floats + slot] = float(speeds[force.owner])
        acting = None if key is None else pattern(system, key[0], key[1])
        return Segment(first, last, system.model, system, rows, floats, acting)

    def dynamics(self, words: Mapping[str, Any], n: int) -> DynamicsData:
        tables: dict[str, Any] = {name: self.array(f"dynamics.{name}") for name in TABLES}
        if any(len(table) != n for table in tables.values()):
            raise ValueError("tables of forces do not have as many instants as the motion")
        statistics = dict(words["statistics"])
        for each in ("partitions", "dependent_parameters"):
            statistics[each] = tuple((time, tuple(names)) for time, names in statistics[each])
        return DynamicsData(
            **tables, events=tuple(EventReport(**each) for each in words["events"]), changed=tuple(words["changed"]),
            statistics=StepStatistics(**statistics), interrupted=bool(words["interrupted"]),
            methods=tuple(MethodUse(**each) for each in words["methods"]), formulation=str(words["formulation"]),
            parameters=self.table("dynamics.parameters", (n, None)),
        )  # fmt: skip

    def history(self, k: int, words: Mapping[str, Any]) -> NewtonHistory:
        arrays = [f.name for f in dataclasses.fields(NewtonHistory) if f.name not in words]
        parts: dict[str, Any] = {name: tuple(value) for name, value in words.items()}
        parts |= {name: self.array(f"histories.{k}.{name}") for name in arrays}
        return NewtonHistory(**parts)


def _read_array(raw: bytes, name: str) -> Array:
    """An array of 64-bit numbers from NumPy's format, of exactly the size that its header says."""
    file = io.BytesIO(raw)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"the array {name} is in another version of NumPy's format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.str not in ("<f8", "<i8") or fortran:
        raise ValueError(f"the array {name} holds {dtype}, not 64-bit numbers row by row")
    begin = file.tell()
    if len(raw) - begin != 8 * math.prod(shape):
        raise ValueError(f"the array {name} has {len(raw) - begin} bytes, but its header says {shape}")
    return np.frombuffer(raw, dtype=dtype, offset=begin).reshape(shape).astype(dtype.newbyteorder("="), copy=True)
