"""Stores of runs: a simulation streams its rows and checkpoints to a file, from which it can be read and resumed.

While the run goes on the file is a log (`run_log`). At its end the rows are put together, in bounded memory, to the stored result that
`result.save` writes, which takes the place of the log.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import platform
import time as clock
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pytrammel import __version__
from pytrammel._util.atomic_write import FULL, check_target, replace, unreadable, whole_file
from pytrammel.analysis.runs.checkpoint import Inside, State, put_state, state_of, tables_of
from pytrammel.errors import FileFormatError, FileWriteError, RunWarning
from pytrammel.io.results.result_file import (
    DAMAGED,
    ENDING,
    Reader,
    described,
    model_text,
    save_result,
    segment_words,
    write_array,
)
from pytrammel.io.results.run_arrays import Buffer, Gathered, Mapped, row_width
from pytrammel.io.results.run_log import (
    Found,
    LogWriter,
    Tables,
    is_log,
    lock,
    open_to_write,
    pack,
    unpack,
)
from pytrammel.io.results.run_reading import VERSION, check_free, open_log, with_targets
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment

if TYPE_CHECKING:
    from pytrammel.analysis.runs.engine import Table
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
Words = dict[str, Any]
KIND = "trammel-run"
EVERY = 2.0  # seconds between checkpoints
MOST_UNKEPT = 32 * 2**20  # bytes of rows in memory before that
SHARE = 0.1  # of the time that checkpoints may take


class RunStore:
    """The store of a run that goes on; see `pytrammel.analysis.runs.checkpoint.Keeper`.

    Attributes:
        resumed: Whether the run goes on where another one was cut.
        kept: Instants that are stored; their rows take no memory any more.
    """

    def __init__(self, path: str | os.PathLike[str], words: Words, texts: list[str]) -> None:
        self.path, self.words, self.texts = Path(path), words, texts
        self.resumed = False
        self.kept = 0
        self.models: list[Model] = []
        self.segments: list[Words] = []
        self.targets: list[Array] = []
        self._last: Segment | None = None
        self._goes_on = False  # the last segment, where a run that was cut goes on
        self._buffers: list[Buffer] = []
        self._tables: list[str] = []
        self._anchor: State | None = None
        self._due = 0.0
        self._width = 1
        self._writer: LogWriter | None = None
        self._open: list[BinaryIO] = []
        self.doubts: list[RunWarning] = []  # about where a run goes on

    # --- memory ------------------------------------------------------------------------------------------------------

    def table(self, rows: int, columns: int) -> Array:
        """Zeros, whose memory is given back once their rows are kept."""
        self._buffers.append(Buffer(rows, columns))
        self._width += columns
        return self._buffers[-1].table

    @property
    def held_rows(self) -> int:
        """Rows up to the last kept one that still take memory: those on its page, at most."""
        return max((self.kept - buffer.released for buffer in self._buffers), default=0)

    # --- during the run ----------------------------------------------------------------------------------------------

    def begin(self, run: Simulation) -> None:
        """Write down what the run is, before its first step."""
        frame, arrays = run.computed(), dict[str, Array]()
        described(frame, arrays)
        self.models = [run.given]
        self._tables = [name for name in arrays if name != "notes"]
        widths = [[name, row_width(arrays[name])] for name in self._tables]
        words = {
            **self.words, "tables": widths, "changed": list(run.begin.changed), "asked": int(run.asked), "model": self.texts[0],
            "warnings": [[w.kind, str(w), w.time] for w in run.warnings],
        }  # fmt: skip
        try:
            self._open_new()
            assert self._writer is not None
            self._writer.head(words, {"instants": run.instants, "q": run.begin.q, "v": run.begin.v})
        except OSError as error:
            raise self._refused(error) from error

    def _open_new(self) -> None:
        """An empty file in the place of an older one, which no other run writes to."""
        target = Path(os.path.realpath(self.path))
        with contextlib.suppress(FileNotFoundError):
            older = target.open("rb")
            self._open.append(older)
            check_free(older, self.path)
        beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
        file = open_to_write(beside, new=True)
        try:
            lock(file)
            self._open.append(file)
            self._writer = LogWriter(file)
            replace(beside, target, self.close)
            if file.closed:  # the system renames no open files
                self._writer.file = self._opened_again(target)
        except OSError:
            file.close()
            beside.unlink(missing_ok=True)
            raise

    def _opened_again(self, target: Path) -> BinaryIO:
        """The new log under its name; another process may have locked it meanwhile."""
        file = open_to_write(target)
        self._open.append(file)
        if not lock(file):
            raise FileWriteError(
                f"another run writes to the store {str(self.path)!r} at this moment; choose another name."
            )
        return file

    def before_piece(self, run: Simulation) -> None:
        """The state from which a piece is set up; a checkpoint, if it is time for one."""
        if run.inside is not None:  # it goes on where it was cut
            return
        if self._is_due(run):
            self._keep(run, state_of(run), None)
        self._anchor = state_of(run, brief=True)

    def inside_piece(self, run: Simulation, table: Table, first: int) -> None:
        """A checkpoint, if it is time for one."""
        if not self._is_due(run):
            return
        assert self._anchor is not None
        known = list(run.segments)
        run.end_segment(first)
        try:
            self._keep(run, self._anchor, (state_of(run), tables_of(run, table)))
        except FileWriteError:
            run.segments = known
            raise
        self._goes_on = True

    def go_on_from(self, run: Simulation, found: Found, head: tuple[Words, dict[str, Array]]) -> None:
        """Bring a run to the checkpoint of a file."""
        words, numbers = unpack(found.checkpoint)
        parts: dict[str, dict[str, Array]] = {"anchor": {}, "now": {}, "tables": {}}
        for path, values in numbers.items():
            part, _, name = path.partition("|")
            parts.setdefault(part, {})[name] = values
        self.models = [run.given]
        self._anchor = State(words["anchor"], parts["anchor"])
        put_state(run, self._anchor)
        inner = words["now"]
        if inner is not None:
            run.inside = Inside(State(inner, parts["now"]), State(words["tables"], parts["tables"]))
        self.kept = int(words["done"])
        self.segments = words["result"]["segments"]
        self.targets = [numbers[f"|targets.{k}"] for k in range(len(self.segments))]
        self._goes_on = bool(words["goes on"])
        self.texts = words["models"]
        self.models += [self._changed_model(run, k) for k in range(1, len(self.texts))]
        self._tables = [name for name, _ in head[0]["tables"]]
        self.resumed = True
        before, now = head[0]["environment"], environment()
        others = [
            f"{key} {before.get(key)} then, {value} now" for key, value in now.items() if before.get(key) != value
        ]
        if others:
            text = f"the run was begun elsewhere ({'; '.join(others)}): the last digits may differ from those of a run in one go."
            self.doubts.append(RunWarning("resume", text))

    @staticmethod
    def _changed_model(run: Simulation, k: int) -> Model:
        """Models in the order of the events that made them; the last one is the run's."""
        if k == len(run.model_changes):
            return run.model
        model = run.given
        for name in run.model_changes[:k]:
            model = model.copy(changes=next(e for e in run.user_events if e.name == name).change)
        return model

    def _is_due(self, run: Simulation) -> bool:
        return clock.monotonic() >= self._due or 8 * self._width * (run.done - self.kept) > MOST_UNKEPT

    def _keep(
        self, run: Simulation, anchor: State, inside: tuple[State, State] | None, *, complete: bool = False
    ) -> None:
        """Store the rows since the last time, and where the run stands."""
        began = clock.monotonic()
        words, arrays = self._rows(run)
        segments, targets, last = self._with(run)
        models = [*self.texts, *(model_text(model) for model in self.models[len(self.texts) :])]
        numbers = {f"anchor|{name}": values for name, values in anchor.numbers.items()}
        if inside is not None:
            numbers |= {f"now|{name}": values for name, values in inside[0].numbers.items()}
            numbers |= {f"tables|{name}": values for name, values in inside[1].numbers.items()}
        numbers |= {f"|targets.{k}": values for k, values in enumerate(targets)}
        goes_on = inside is not None or self._next_goes_on(run)
        stand = {
            "done": int(run.done), "time": float(run.clock[0]), "complete": complete, "goes on": goes_on, "models": models,
            "result": {**words, "segments": segments}, "anchor": anchor.words, "now": inside and inside[0].words,
            "tables": inside and inside[1].words,
        }  # fmt: skip
        try:
            assert self._writer is not None
            if run.done > self.kept:
                self._writer.instants(self.kept, [arrays[name] for name in self._tables])
            self._writer.checkpoint(pack(stand, numbers))
        except OSError as error:
            raise self._refused(error) from error
        self.segments, self.targets, self._last, self.texts = segments, targets, last, models
        self.kept, self._goes_on = run.done, goes_on
        run.segments = []
        for buffer in self._buffers:
            buffer.release(self.kept)
        ended = clock.monotonic()
        self._due = ended + max(EVERY, (ended - began) / SHARE)

    def _rows(self, run: Simulation, *, hurry: bool = False) -> tuple[Words, dict[str, Array]]:
        """Words of the result so far, and tables of what is not kept yet."""
        self._originals = list(run.segments)
        arrays: dict[str, Array] = {}
        words = described(run.computed(self.kept, hurry=hurry), arrays)
        return {
            **words,
            "arrays": ["times", "q", "notes", *(n for n in arrays if n not in ("times", "q", "notes"))],
        }, arrays

    def _with(self, run: Simulation) -> tuple[list[Words], list[Array], Segment | None]:
        """Segments with those since the last time; one that only goes on is not another one."""
        segments, targets, last = [dict(each) for each in self.segments], list(self.targets), self._last
        goes_on = self._goes_on
        for original, shared in zip(self._originals, run.segments, strict=True):
            if segments and (goes_on or (last is not None and last.goes_on_as(original))):
                segments[-1]["last"] = shared.last
            else:
                segments.append(segment_words(shared, self.models))
                targets.append(shared.targets.copy())
            last, goes_on = original, False
        return segments, targets, last

    def _next_goes_on(self, run: Simulation) -> bool:
        """Return True if the next piece belongs to the last segment."""
        last = self._originals[-1] if self._originals else self._last
        if last is None:
            return self._goes_on
        ahead = Segment(run.done, run.done, run.model, run.system, tuple(run.acting_rows), run.floats, run.pattern)
        return last.goes_on_as(ahead)

    def _refused(self, error: OSError) -> FileWriteError:
        said = error.strerror or str(error)
        why = f"the disk is full or a limit on file sizes is reached ({said})" if error.errno in FULL else said
        if self._writer is None or self._writer.number == 0:
            return FileWriteError(f"the store {str(self.path)!r} cannot be written: {why}; nothing was computed.")
        self._due = float("inf")
        return FileWriteError(
            f"the run stopped because its store {str(self.path)!r} cannot be written any more: {why}. The {self.kept} instants that it "
            f"holds are safe and readable (tm.load_result); make room, then tm.resume({str(self.path)!r}) goes on from there. All that "
            "was computed is in error.partial."
        )

    # --- at its end --------------------------------------------------------------------------------------------------

    def gathered(self, run: Simulation, *, hurry: bool = False) -> Result:
        """All that was computed, kept or not."""
        words, arrays = self._rows(run, hurry=hurry)
        segments, targets, _ = self._with(run)
        assert self._writer is not None
        tables = Tables(
            self._writer.file, self._writer.rows, [(name, row_width(arrays[name])) for name in self._tables]
        )
        source = Gathered(tables, arrays, targets, [])
        return self._reader({**words, "segments": segments}, source, run).result()

    def _reader(self, words: Words, source: Any, run: Simulation) -> Reader:
        return Reader(
            with_targets(words), source, models=dict(enumerate(self.models)), systems={(0, True): run.first_system}
        )

    def finish(self, run: Simulation) -> Result:
        """Put the rows together to a stored result in the place of the log; what comes back is that result."""
        self._keep(run, state_of(run), None, complete=True)
        try:
            return self._put_together(run)
        except FileWriteError as error:
            text = (
                f"the run is complete, but its store could not be put in order: {error} It stays as the run wrote it, and "
                "tm.load_result reads it."
            )
            run.warnings.append(RunWarning("store", text))
            if self._writer is not None and self._writer.file.closed:
                self._writer.file = self._opened_again(Path(os.path.realpath(self.path)))
            return run.result()

    def stopped(self, result: Result, sentence: str) -> None:
        """Store what a run gave that stopped by itself, and why; nothing would come of resuming it."""
        warnings = (*result.warnings, RunWarning("stopped", sentence))
        save_result(dataclasses.replace(result, warnings=warnings), self.path, release=self.close)

    def _put_together(self, run: Simulation) -> Result:
        from pytrammel.analysis.runs.doubts import doubts

        words, arrays = self._rows(run)
        words["segments"] = self.segments
        assert self._writer is not None
        tables = Tables(
            self._writer.file, self._writer.rows, [(name, row_width(arrays[name])) for name in self._tables]
        )
        listed: Any = [(name, (tables.count, *arrays[name].shape[1:]), tables.parts(name)) for name in self._tables]
        listed += [(f"targets.{k}", each.shape, [each]) for k, each in enumerate(self.targets)]
        listed.append(("notes", (tables.count, 4), (np.zeros((len(part), 4)) for part in tables.parts("times"))))
        words["arrays"] = [name for name, *_ in listed]
        with (
            whole_file(self.path, release=self.close) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
        ):
            places = {name: (write_array(archive, name, shape, parts), shape) for name, shape, parts in listed}
            for k, text in enumerate(self.texts):
                archive.writestr(f"models/{k}.json", text)
            file.flush()
            found = self._reader(words, Mapped(file.name, places), run).result()
            found = dataclasses.replace(found, warnings=(*run.warnings, *doubts(run, found)))
            words["warnings"] = [[w.kind, str(w), w.time] for w in found.warnings]
            archive.writestr("result.json", json.dumps(words, ensure_ascii=False))
        return found

    def close(self) -> None:
        """Let others write to the file."""
        for file in self._open:
            file.close()
        self._open = []


def store_for(path: str | os.PathLike[str], model: Model, arguments: Words) -> RunStore:
    """The store of a run that is about to begin; what would prevent it is said now."""
    check_target(path)
    suffix = Path(path).suffix.lower()
    if suffix != ENDING:
        raise FileWriteError(
            f"the store {str(path)!r} cannot be written: stores of runs end in {ENDING}, not {suffix!r}."
        )
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise FileWriteError(f"the store {str(path)!r} cannot be written: it is no file, and a store must be one.")
    if target.exists():
        with target.open("rb") as file:
            check_free(file, path)
    words = {
        "format": KIND, "version": VERSION, "written by": f"Trammel {__version__}", "trammel": __version__,
        "environment": environment(), "arguments": arguments,
    }  # fmt: skip
    return RunStore(path, words, [model_text(model)])


def environment() -> dict[str, str]:
    """What the last digits of numbers may depend on."""
    from pytrammel.kernels.jit import HAVE_JIT

    return {
        "NumPy": np.__version__,
        "compiled": str(HAVE_JIT),
        "machine": platform.machine(),
        "system": platform.system(),
    }


def _open_log(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return open_to_write(Path(os.path.realpath(path)))
    except (OSError, ValueError) as error:
        is_missing = isinstance(error, FileNotFoundError)
        reason = "there is no such file" if is_missing else unreadable(error)
        raise FileFormatError(f"the run {str(path)!r} cannot be resumed: {reason}.") from None


@contextlib.contextmanager
def log_to_resume(path: str | os.PathLike[str]) -> Iterator[tuple[RunStore, Found, Words, dict[str, Array]] | None]:
    """The store of a run that was cut off, ready to go on; None where the run is complete."""
    with _open_log(path) as file:
        if not is_log(file):
            yield None
            return
        if not lock(file):
            raise FileWriteError(
                f"the run in {str(path)!r} still goes on: another process writes to it at this moment."
            )
        found, head, numbers = open_log(file, Path(path).name)
        words, _ = unpack(found.checkpoint)
        if words["complete"]:
            yield None
            return
        if head.get("trammel") != __version__:
            raise FileFormatError(
                f"the run in {str(path)!r} was begun by {head.get('written by')}, this is Trammel {__version__}, whose numbers may be "
                "others: resume it with that one, or run it again. tm.load_result reads what there is."
            )
        try:
            Tables(file, found.rows, [(name, int(width)) for name, width in head["tables"]]).check()
        except DAMAGED as error:
            raise FileFormatError(
                f"the run in {str(path)!r} cannot be resumed, because its file is damaged: {error}."
            ) from None
        store = RunStore(path, head, [])
        store._writer = LogWriter(file, found)
        store._open = [file]
        yield store, found, head, numbers
