"""The long fuzz: ``make fuzz``, or in tests/: ``python -m fuzzing --minutes 10 --seed 5000``.

Cases run in a process of their own, so that one that hangs or crashes is reported like any other failure.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing as mp
import sys
import time
from collections import Counter
from multiprocessing.connection import Connection

HANGS = 240.0  # seconds for one case, compilation on the first run included


def work(pipe: Connection) -> None:
    """Check every case that comes through the pipe."""
    from fuzzing.check import check

    faulthandler.enable()
    while True:
        seed, space = pipe.recv()
        pipe.send(check(seed, space))


class Worker:
    """A process that checks cases, started again after it had to be ended."""

    def __init__(self) -> None:
        self.pipe, other = mp.Pipe()
        self.process = mp.get_context("spawn").Process(target=work, args=(other,), daemon=True)
        self.process.start()

    def check(self, seed: int, space: str):
        """Report of a case, or a sentence if the process hung or died."""
        self.pipe.send((seed, space))
        try:
            if self.pipe.poll(HANGS):
                return self.pipe.recv()
            said = f"no end after {HANGS:.0f} s"
        except (EOFError, ConnectionError):
            said = "the process died"
        self.process.kill()
        self.process.join()
        return f"seed {seed} ({space}): {said}\nagain: python -m fuzzing --space {space} --seed {seed} --cases 1   (in tests/)"


def main() -> int:
    parser = argparse.ArgumentParser(description="Random mechanisms through every analysis.")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--seed", type=int, default=1000, help="first seed")
    parser.add_argument("--cases", type=int, default=10**9, help="how many seeds at most")
    parser.add_argument("--space", choices=("plane", "space", "both"), default="both")
    given = parser.parse_args()
    spaces = ("plane", "space") if given.space == "both" else (given.space,)
    counts: Counter = Counter()
    failures, worker, begin, told = 0, Worker(), time.monotonic(), 0.0
    seed = given.seed
    while seed < given.seed + given.cases and time.monotonic() - begin < 60.0 * given.minutes:
        for space in spaces:
            report = worker.check(seed, space)
            if isinstance(report, str):
                worker, found = Worker(), [report]
            else:
                report.tally(counts)
                found = report.failures
            for text in found:
                failures += 1
                print(f"\nFAILURE {failures}: {text}", flush=True)
        seed += 1
        if time.monotonic() - told > 30.0:
            told = time.monotonic()
            print(f"{told - begin:6.0f} s: {seed - given.seed} seeds, {failures} failures", file=sys.stderr, flush=True)
    print(f"\n{seed - given.seed} seeds from {given.seed}, {failures} failures")
    for (space, analysis, said), count in sorted(counts.items()):
        print(f"  {space:<6} {analysis:<17} {said:<9} {count}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
