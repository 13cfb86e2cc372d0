"""All errors of a file at once: collected with line, path and remedy, then raised together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytrammel._util.former_names import new_word
from pytrammel._util.messages import nearest
from pytrammel._util.terminal_text import one_line
from pytrammel.errors import FileFormatError, FileProblem
from pytrammel.io.models.formats.document import Document, Path

SHOWN = 20
MOST = 500  # problems after which no further entries are read: each may need a look at all names


class Problems:
    """What is wrong in the files of one model."""

    def __init__(self) -> None:
        self.found: list[FileProblem] = []
        self.files = 0  # that were opened for other files

    def add(self, source: str, document: Document | None, path: Path, sentence: str, *, line: int = 0) -> None:
        """Note one problem at an entry."""
        at = line or (1 if document is None else document.line(path))
        self.found.append(FileProblem(at, one_line(dotted(path)), one_line(sentence), one_line(source)))
        if len(self.found) == MOST:
            self.raise_all(source)

    def raise_all(self, name: str) -> None:
        """Raise one error that holds everything found, if there is anything."""
        if not self.found:
            return
        ordered = sorted(self.found, key=lambda problem: (problem.source != name, problem.source, problem.line))
        raise FileFormatError(_message(name, ordered), problems=ordered)


def dotted(path: Iterable[str | int]) -> str:
    """A path as people write it: analysis[0].duration."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def did_you_mean(word: object, known: Iterable[str], *, listed: int = 30) -> str:
    """The remedy for a word that does not exist."""
    words = list(known)
    if (new := new_word(word, words)) is not None:
        return f"use {new}."
    near = nearest(str(word), words)
    if near:
        return f"did you mean {near}?"
    more = "" if len(words) <= listed else ", …"
    return f"use one of: {', '.join(words[:listed])}{more}." if words else "there is none."


def _message(name: str, problems: Sequence[FileProblem]) -> str:
    if len(problems) == 1:
        return f"{problems[0].source}, {problems[0]}"
    rest = " The rest is not checked; correct these first." if len(problems) >= MOST else ""
    lines = [f"{name}: {len(problems)} errors.{rest}"]
    for problem in problems[:SHOWN]:
        source = "" if problem.source == name else f"{problem.source}, "
        lines.append(f"  {source}{problem}")
    if len(problems) > SHOWN:
        lines.append(f"  … and {len(problems) - SHOWN} more.")
    return "\n".join(lines)
