"""Everything that can go wrong, as sentences.

A message names the thing, the value, the limit and the remedy. Errors raised in the middle of a run carry what was
computed so far as ``error.partial``.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytrammel._util.terminal_text import visible

PACKAGE = str(Path(__file__).parent)
LONGEST = 2000  # letters of a message; a giant value that it repeats is cut in the middle


def _readable(message: str) -> str:
    message = visible(message)  # names from files cannot steer the terminal
    return message if len(message) <= LONGEST else f"{message[: LONGEST - 700]} … {message[-600:]}"


class TrammelError(Exception):
    """Base of all errors raised on purpose by Trammel.

    Attributes:
        partial: The result computed before the run stopped, or None.
    """

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(_readable(message))
        self.partial: Any = partial


class ModelError(TrammelError):
    """The description is wrong: an unknown name, a bad number, impossible geometry."""


class ExpressionError(ModelError):
    """A formula cannot be read; the message shows the place with a caret."""


class AssemblyError(TrammelError):
    """The bodies cannot be put together so that all constraints hold."""


class MobilityError(TrammelError):
    """Too few or too many drivers, or constraints that contradict each other."""


class SingularError(TrammelError):
    """The mechanism is in a position where its motion is not determined."""


class ConvergenceError(TrammelError):
    """An iteration did not reach its tolerance."""


class FileProblem(NamedTuple):
    """One thing that is wrong in a file.

    Attributes:
        line: Where, from 1.
        path: What it concerns, e.g. "constraints.A.axis".
        sentence: What is wrong, and the remedy.
        source: The file.
    """

    line: int
    path: str
    sentence: str
    source: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}" + (f", {self.path}" if self.path else "")
        return f"{where}: {self.sentence}"


class FileFormatError(TrammelError):
    """A file does not follow its format; the message gives line, field and reason.

    Attributes:
        problems: Everything that was found wrong in a model file, each with its line; () for other files.
    """

    def __init__(self, message: str, *, partial: Any = None, problems: Sequence[FileProblem] = ()) -> None:
        super().__init__(message, partial=partial)
        self.problems = tuple(problems)


class FileWriteError(TrammelError, OSError):
    """A file cannot be written; what was there before is untouched."""


class ModelWarning(UserWarning):
    """The description can be analysed, but a real machine would not work like this."""

    def __init__(self, message: object = "") -> None:
        super().__init__(visible(str(message)))


class RunWarning(UserWarning):
    """What a run knows to be doubtful about its own numbers: kept as ``result.warnings`` and printed on standard error.

    Attributes:
        kind: One word or two for programs, e.g. "energy", "start", "forced steps".
        time: When it happened [s], or None if it concerns the whole run.
        partial: The result, where Python was told to raise warnings as errors.
    """

    def __init__(self, kind: str, message: str, *, time: float | None = None) -> None:
        super().__init__(visible(message))
        self.kind = kind
        self.time = time
        self.partial: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt_warning, (self.kind, str(self), self.time)


def _rebuilt_warning(kind: str, message: str, time: float | None) -> RunWarning:
    return RunWarning(kind, message, time=time)


_untold: contextvars.ContextVar[bool] = contextvars.ContextVar("untold", default=False)


@contextlib.contextmanager
def untold() -> Iterator[None]:
    """Runs inside print no warnings: whoever asked for them keeps those of their results."""
    before = _untold.set(True)
    try:
        yield
    finally:
        _untold.reset(before)


def distinct(found: Iterable[RunWarning]) -> tuple[RunWarning, ...]:
    """Warnings in their order, without those that repeat an earlier one."""
    return tuple({(each.kind, str(each)): each for each in found}.values())


def tell(found: Iterable[RunWarning], result: Any = None) -> None:
    """Print warnings, each time anew and with the line of the user's code that asked for the run."""
    for warning in found:
        try:
            tell_user(warning)
        except RunWarning as error:
            error.partial = result
            raise


def tell_user(warning: Warning) -> bool:
    """Print a warning with the line of the user's code that called the package; return False inside `untold`."""
    if _untold.get():
        return False
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    # a fresh registry: Python would print the same sentence about a second run only once
    warnings.warn_explicit(warning, type(warning), frame.f_code.co_filename, frame.f_lineno, registry={})
    return True
