"""Chunks of variants, handed to threads, to an executor or to a cluster, and kept on disk if that is asked for."""

from __future__ import annotations

import concurrent.futures as futures
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel._util.progress import Progress, is_partial_allowed
from pytrammel.analysis.batches.store import Store
from pytrammel.analysis.batches.work import Piece, Task, Worker, run_pickled, worker_for
from pytrammel.errors import ModelError, RunWarning
from pytrammel.results.events import Singularity

Array = NDArray[np.float64]
NUMBERS_PER_CHUNK = 2_000_000  # computed for the variants of one chunk: some twenty megabytes
MOST_PER_CHUNK, FEWEST_PER_CHUNK = 1000, 4
MOST_STRAIGHT = 4096  # variants of a chunk by straight kernels, which keep nothing but what is wanted
NUMBERS_ON_CARD, ON_CARD = 25_000_000, 400  # numbers of a chunk on a card, and those of a variant beside what is kept
PREPARING = 4  # threads that prepare variants for a card: more only wait for each other
SINGLY = 8  # variants per chunk where each is run by itself
RETRIES = 3  # of a chunk whose worker was lost
AHEAD = 3  # chunks waiting for each worker: all at once would fill the memory of whoever hands them out


@dataclass
class Outcome:
    """What came out of all variants.

    Attributes:
        kept: Series, shape (N, n, quantities).
        reduced: Shape (N, reductions).
        failures, warnings, passages: By the number of the variant.
        singly: How many were run one by one.
        reason: Why all were, if so.
        kernels: Which ones ran the others.
        interrupted: Whether Ctrl-C ended the batch early.
    """

    kept: Array
    reduced: Array
    failures: dict[int, str] = field(default_factory=dict)
    warnings: dict[int, tuple[RunWarning, ...]] = field(default_factory=dict)
    passages: dict[int, tuple[Singularity, ...]] = field(default_factory=dict)
    told: list[RunWarning] = field(default_factory=list)
    singly: int = 0
    reason: str = ""
    kernels: str = ""
    interrupted: bool = False
    done: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def missing(self) -> list[int]:
        """Variants that were not computed."""
        return [int(k) for k in np.flatnonzero(~self.done)]

    def take(self, first: int, piece: Piece) -> None:
        """Put a chunk in its place."""
        last = first + len(piece.reduced)
        self.kept[first:last] = piece.kept
        self.reduced[first:last] = piece.reduced
        self.failures.update({first + k: text for k, text in piece.failures.items()})
        self.warnings.update({first + k: told for k, told in piece.warnings.items()})
        self.passages.update({first + k: seen for k, seen in piece.passages.items()})
        self.singly += piece.singly
        self.reason = self.reason or piece.reason
        self.kernels = piece.kernels or self.kernels
        self.done[first:last] = True


class Runner:
    """Runs all variants of a task."""

    def __init__(
        self, task: Task, values: Array, states: Array, *, executor: Any, workers: int | None, store: Store | None
    ) -> None:
        self.task, self.values, self.states, self.store = task, values, states, store
        self.executor, width = checked_executor(executor)
        if executor is not None and workers is not None:
            raise ModelError("workers= is for our own threads; leave it out, or leave out executor=.")
        here = os.cpu_count() or 1
        self.workers = workers or width or (min(here, PREPARING) if task.device == "gpu" else here)
        self.worker = worker_for(task) if self.executor is None else None
        self.outcome = Outcome(
            np.full((len(values), task.times.size, len(task.keep)), np.nan),
            np.full((len(values), len(task.reductions)), np.nan),
            done=np.zeros(len(values), dtype=bool),
        )
        self.size = self._chunk_size()

    def _chunk_size(self) -> int:
        if self.worker is not None and self.worker.fast is None:
            return SINGLY
        loose = self.worker is not None and self.worker.fast is not None and self.worker.fast.loose
        if self.task.device == "gpu" and loose:
            # large chunks: a card is busy only with many thousands at a time, while threads prepare the next
            width = self.task.times.size * len(self.task.keep) + ON_CARD
            return max(1024, NUMBERS_ON_CARD // width)
        bodies = len(self.task.model.bodies) * len(self.task.model.space.positions)
        width = self.task.times.size * (3 * bodies + 3 * len(self.task.keep) + 4 * len(self.task.reductions))
        if self.task.verb == "equilibrium":
            width += 8 * bodies**2  # matrices of whole variants
        fair = -(-len(self.values) // (4 * self.workers))  # a share of the work that lets all finish together
        if loose:
            kept = self.task.times.size * len(self.task.keep) + ON_CARD
            return max(FEWEST_PER_CHUNK, min(MOST_STRAIGHT, NUMBERS_PER_CHUNK // kept, fair))
        return max(FEWEST_PER_CHUNK, min(MOST_PER_CHUNK, NUMBERS_PER_CHUNK // max(1, width), fair))

    def go(self, bar: Progress) -> Outcome:
        """Run what is not stored already; Ctrl-C keeps what is done."""
        chunks = [(k, min(k + self.size, len(self.values))) for k in range(0, len(self.values), self.size)]
        if self.store is not None:
            chunks = self.store.begin(self.size, len(self.values), self.outcome.take)
        done = len(self.values) - sum(last - first for first, last in chunks)
        try:
            for (first, last), piece in self._pieces(chunks):
                self.outcome.take(first, piece)
                if self.store is not None:
                    self.store.keep(first, last, piece)
                done += last - first
                bar.update(done / len(self.values), f"{done} of {len(self.values)} variants")
        except KeyboardInterrupt:
            if not done or not is_partial_allowed():
                raise
            self.outcome.interrupted = True
        return self.outcome

    def _pieces(self, chunks: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], Piece]]:
        if self.executor is not None:
            packed = _packed(self.task)
            yield from self._from_executor(self.executor, chunks, lambda a, b: (run_pickled, packed, a, b))
            return
        worker = self.worker
        assert worker is not None
        if self.workers > 1 and len(chunks) > 1:
            first, last = chunks[0]
            worker.prove(self.values[first:last], self.states[first:last])
        if worker.fast is None or self.workers == 1 or len(chunks) == 1:
            for first, last in chunks:
                yield (first, last), worker.piece(self.values[first:last], self.states[first:last])
            return
        with futures.ThreadPoolExecutor(self.workers, thread_name_prefix="pytrammel: batch") as pool:
            yield from self._from_executor(pool, chunks, lambda a, b: (worker.piece, a, b))

    def _from_executor(
        self, executor: Any, chunks: list[tuple[int, int]], call: Callable[[Array, Array], tuple[Any, ...]]
    ) -> Iterator[tuple[tuple[int, int], Piece]]:
        """Chunks as they are done; those of lost workers are tried again, at last in this process."""
        waiting = list(reversed(chunks))
        running: dict[Any, tuple[int, int]] = {}
        tries: dict[tuple[int, int], int] = {}
        broken = ""
        try:
            while waiting or running:
                while waiting and not broken and len(running) < AHEAD * self.workers:
                    first, last = waiting.pop()
                    try:
                        future = executor.submit(*call(self.values[first:last], self.states[first:last]))
                    except RuntimeError as error:  # it takes no more work
                        waiting.append((first, last))
                        broken = broken or str(error) or type(error).__name__
                        break
                    running[future] = (first, last)
                if broken and not running:
                    yield from self._rest_here(waiting, broken)
                    return
                ready, _ = futures.wait(running, timeout=0.2, return_when=futures.FIRST_COMPLETED)
                for future in ready:
                    chunk = running.pop(future)
                    try:
                        piece = future.result()
                    except (ModelError, KeyboardInterrupt):
                        raise
                    except Exception as error:
                        tries[chunk] = tries.get(chunk, 0) + 1
                        waiting.append(chunk)
                        if isinstance(error, futures.BrokenExecutor) or tries[chunk] > RETRIES:
                            broken = broken or f"{type(error).__name__}: {error}"
                        continue
                    yield chunk, piece
        finally:
            for future in running:
                future.cancel()

    def _rest_here(self, chunks: list[tuple[int, int]], why: str) -> Iterator[tuple[tuple[int, int], Piece]]:
        count = sum(last - first for first, last in chunks)
        self.outcome.told.append(
            RunWarning(
                "executor",
                f"the executor lost its workers ({short(why)}); the last {count} variants were computed in this process.",
            )
        )
        worker = Worker(self.task)
        for first, last in reversed(chunks):
            yield (first, last), worker.piece(self.values[first:last], self.states[first:last])


def checked_executor(executor: Any) -> tuple[Any, int]:
    """An executor of concurrent.futures from whatever was given, a Dask client has one; and how many workers it has (0: not known)."""
    if executor is None:
        return None, 0
    if hasattr(executor, "get_executor") and hasattr(executor, "scheduler_info"):
        return executor.get_executor(pure=False, retries=RETRIES), sum(executor.ncores().values())
    if not isinstance(executor, futures.Executor) and not callable(getattr(executor, "submit", None)):
        raise ModelError(
            f"executor must be an executor of concurrent.futures or a Dask client, but it is {short(executor)}; leave it out for threads."
        )
    return executor, int(getattr(executor, "_max_workers", 0) or 0)


def _packed(task: Task) -> bytes:
    try:
        return pickle.dumps(task)
    except Exception as error:
        raise ModelError(
            f"the model or an option cannot be sent to other processes ({type(error).__name__}: {error}); leave executor= out, or use "
            "functions that are defined at the top of a module."
        ) from error
