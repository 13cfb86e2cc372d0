"""Questions on a terminal: prompts with defaults, and pauses between reports."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO


class Terminated(Exception):
    """The user has ended a dialogue."""


def question(what: str, default: str = "") -> str:
    """One line of answer; Enter alone keeps the default. Without a terminal to ask, Ctrl-C."""
    print(f"{what} [{default}]: " if default else f"{what}: ", end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise KeyboardInterrupt
    return line.strip() or default


def paused(reports: Iterable[str], out: TextIO) -> bool:
    """Print reports with a pause after each but the last; return False if the user has terminated them.

    Args:
        reports: Reports.
        out: Stream of the question; the reports go to standard output.
    """
    waits = True
    for k, report in enumerate(reports):
        if k and waits:
            choice = _choice(out)
            if choice == "T":
                return False
            waits = choice == "C"
        print(report, flush=True)
    return True


def _choice(out: TextIO) -> str:
    """C to continue, T to terminate, G to continue without pauses, also where the input ends."""
    while True:
        print("     ENTER C TO CONTINUE, T TO TERMINATE, G TO CONTINUE WITHOUT PAUSES", file=out, flush=True)
        line = sys.stdin.readline()
        if not line:
            return "G"
        letter = line.strip()[:1].upper() or "C"
        if letter in "CTG" and len(line.strip()) <= len("terminate"):
            return letter
