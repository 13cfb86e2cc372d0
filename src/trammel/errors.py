"""Everything that can go wrong, as sentences.

A message names the thing, the value, the limit and the remedy. Errors raised in the middle of a run carry what was
computed so far as ``error.partial``.
"""

from __future__ import annotations

from typing import Any


class TrammelError(Exception):
    """Base of all errors raised on purpose by Trammel.

    Attributes:
        partial: The result computed before the run stopped, or None.
    """

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


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


class FileFormatError(TrammelError):
    """A file does not follow its format; the message gives line, field and reason."""


class ModelWarning(UserWarning):
    """The description can be analysed, but a real machine would not work like this."""
