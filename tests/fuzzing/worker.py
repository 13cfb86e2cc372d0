"""Cases in a process of their own, so that one that hangs or crashes is reported like any other failure."""

from __future__ import annotations

import faulthandler
import multiprocessing as mp
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from fuzzing.check import Report, check

Task = Callable[[int, str], Report]
HANGS = 240.0  # seconds for one case, compilation on the first run included


def work(pipe: Connection, task: Task) -> None:
    """Do every case that comes through the pipe, after saying that everything is imported."""
    faulthandler.enable()
    pipe.send("ready")
    while True:
        pipe.send(task(*pipe.recv()))


class Worker:
    """A process that checks cases; a new one follows where it had to be ended."""

    def __init__(self, task: Task = check, hangs: float = HANGS) -> None:
        self.task, self.hangs = task, hangs
        self._begin()

    def _begin(self) -> None:
        self.pipe, other = mp.Pipe()
        self.process = mp.get_context("spawn").Process(target=work, args=(other, self.task), daemon=True)
        self.process.start()
        other.close()  # or a process that died would never be missed
        self.pipe.recv()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def check(self, seed: int, space: str) -> Report:
        """Report of a case; that it hung or died is a failure in it."""
        try:
            self.pipe.send((seed, space))
            if self.pipe.poll(self.hangs):
                found: Report = self.pipe.recv()
                return found
            said = f"no end after {self.hangs:g} s"
        except (EOFError, ConnectionError):
            said = "the process died"
        self.end()
        self._begin()
        again = f"python -m fuzzing --space {space} --seed {seed} --cases 1   (in tests/)"
        return Report(seed, space, failures=[f"seed {seed} ({space}): {said}\nagain: {again}"])

    def reports(self, seeds: Iterator[int], spaces: tuple[str, ...]) -> Iterator[Report]:
        """Reports of many cases, one after the other."""
        try:
            for seed in seeds:
                for space in spaces:
                    yield self.check(seed, space)
        finally:
            self.end()
