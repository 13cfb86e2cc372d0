"""Rows of the pages about source texts: a capability, its place in the text, and the call that does it."""

from __future__ import annotations

import contextlib
import io
import math
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import pytrammel as tm
from pytrammel.cli.main import main

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "sources"
MANUAL = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """One capability: its name, its place in the text, the call, and an expression that is true after the call."""

    name: str
    place: str
    call: str
    check: str = "True"


@dataclass(frozen=True)
class Section:
    """Rows with common definitions (`setup`, run once) and with lines that precede each of them (`each`)."""

    title: str
    rows: tuple[Row, ...]
    setup: str = ""
    each: str = ""
    manual: str = ""  # page of the verification manual with numbers of the text


@dataclass(frozen=True)
class Page:
    """One source text."""

    file: str
    title: str
    about: str
    sections: tuple[Section, ...] = field(default=())

    def text(self) -> str:
        """Markdown of the page."""
        lines = [
            f"# {self.title}",
            "",
            self.about,
            "",
            COMMON.format(count=sum(len(s.rows) for s in self.sections)),
            "",
        ]
        for section in self.sections:
            lines += _lines(section)
        return "\n".join(lines)


COMMON = """This page is written from `tests/sources`; the suite runs each of its {count} calls. Calls that begin with `pytrammel` are
commands of a shell, all others are Python after the code at the head of their section."""


def rows(*texts: Sequence[str]) -> tuple[Row, ...]:
    return tuple(Row(*text) for text in texts)


def _lines(section: Section) -> Iterator[str]:
    yield from (f"## {section.title}", "")
    if section.setup:
        yield from ("```python", section.setup.strip("\n"), "```", "")
    if section.each:
        yield from (f"Each call follows `{section.each}`.", "")
    yield from ("| capability | in the text | call |", "| --- | --- | --- |")
    for row in section.rows:
        call = row.call.replace("|", "\\|")
        yield f"| {row.name} | {row.place} | `{call}` |"
    yield ""
    if section.manual:
        yield from (f"Numbers of the text: [verification manual](../verification/{section.manual}.md).", "")


def near(found: Any, expected: Any, tolerance: float = 1e-6) -> bool:
    """Return True if all numbers agree within an absolute tolerance."""
    return bool(np.allclose(found, expected, rtol=0, atol=tolerance))


def raises(error: type[Exception], call: Any) -> bool:
    """Return True if a call raises an error of a kind."""
    try:
        call()
    except error:
        return True
    return False


def failures(page: Page, section: Section) -> list[str]:
    """Rows of a section that fail, with the reason; runs all of them in the current folder."""
    common: dict[str, Any] = {
        "tm": tm,
        "np": np,
        "math": math,
        "near": near,
        "raises": raises,
        "__name__": "__sources__",
    }
    for earlier in page.sections[: page.sections.index(section) + 1]:
        exec(compile(earlier.setup, earlier.title, "exec"), common)
    found = []
    for row in section.rows:
        try:
            names = dict(common)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", tm.ModelWarning)
                warnings.simplefilter("ignore", tm.RunWarning)
                _run(section, row, names)
                good = eval(compile(row.check, row.name, "eval"), names)
            if not good:
                found.append(f"{row.name}: {row.call}: {row.check} is false")
        except Exception as error:
            found.append(f"{row.name}: {row.call}: {type(error).__name__}: {error}")
    return found


def _run(section: Section, row: Row, names: dict[str, Any]) -> None:
    if row.call.startswith("pytrammel "):
        names["code"], names["printed"] = _command(row.call)
        if row.check == "True" and names["code"]:
            raise RuntimeError(f"exit code {names['code']}")
        return
    exec(compile(section.each, row.name, "exec"), names)
    exec(compile(row.call, row.name, "exec"), names)


def _command(line: str) -> tuple[int, str]:
    """Exit code and output of a command, messages included; a file after "<" is its standard input, one after ">" takes its output."""
    words, _, typed = line.partition(" < ")
    words, _, target = words.partition(" > ")
    printed, before = io.StringIO(), sys.stdin
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            sys.stdin = io.StringIO(Path(typed).read_text(encoding="utf-8")) if typed else before
            code = main(shlex.split(words)[1:])
        except SystemExit as end:  # of --help
            code = int(end.code or 0)
        finally:
            sys.stdin = before
    if target:
        Path(target).write_text(printed.getvalue(), encoding="utf-8")
    return code, printed.getvalue()
