"""Kept seeds: cases that failed once, which the suite replays (``seeds.txt``).

A line holds the space, the seed, a mark of the mechanism, the commit at which the case failed, the analysis and the reason. A seed draws
another mechanism after a change of the generator; the mark detects this, and the line is dropped then or its case is kept as a script.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fuzzing.check import Report, make

FILE = Path(__file__).with_name("seeds.txt")
NUMBER = re.compile(r"(?<!\w)-?\d+\.?\d*(?:e[-+]?\d+)?")
LONGEST = 120  # characters of a reason


@dataclass(frozen=True)
class Kept:
    """A seed to replay."""

    space: str
    seed: int
    mark: str
    commit: str
    reason: str

    def __str__(self) -> str:
        return f"{self.space} {self.seed} {self.mark} {self.commit} {self.reason}"


def read_seeds(file: Path = FILE) -> list[Kept]:
    """All kept seeds."""
    lines = file.read_text(encoding="utf-8").splitlines()
    parts = [line.split(" ", 4) for line in lines if line and not line.startswith("#")]
    return [Kept(space, int(seed), mark, commit, reason) for space, seed, mark, commit, reason in parts]


def mark_of(seed: int, space: str) -> str:
    """Mark of a mechanism: its script without numbers, whose last digits differ between processors."""
    return sha256(NUMBER.sub("0", make(seed, space).script()).encode()).hexdigest()[:8]


def line_to_keep(report: Report) -> Kept:
    """The line of seeds.txt for a case that failed."""
    said = report.failures[0].splitlines()[0].partition(f"({report.space})")[2].lstrip(",: ")
    reason = said if len(said) <= LONGEST else said[: LONGEST - 3] + "..."
    try:
        mark = mark_of(report.seed, report.space)
    except Exception:  # the generator itself fails
        mark = "-"
    return Kept(report.space, report.seed, mark, commit(), reason)


def commit() -> str:
    """Short hash of the commit in the working tree; "unknown" without git."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=FILE.parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()
