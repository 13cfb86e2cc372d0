"""Rewrite text that is not Python, for tools/rename.py: module paths and commands in prose, shell and configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rename_table import Rename, Table

# a name with such an ending is a file: "trammel.toml"
FILES = [
    "toml",
    "json",
    "yaml",
    "yml",
    "csv",
    "txt",
    "html",
    "png",
    "svg",
    "pdf",
    "gif",
    "mp4",
    "md",
    "py",
    "ipynb",
    "h5",
    "nc",
    "urdf",
    "xml",
    "sdf",
    "kap",
    "dap",
    "sh",
    "cfg",
    "ini",
    "log",
]
BEFORE = r"(?<![\w./\\-])"


def text_edits(text: str, table: Table) -> Iterator[tuple[int, int, str]]:
    """Replacements (start, end, new) of module paths, commands and options in a text; none overlap."""
    taken: set[int] = set()
    rows = table.of_kind("command", "option", "package")
    for row in sorted(rows, key=lambda row: -len(row.old.split())):
        for pattern in _patterns(row, table):
            for place in re.finditer(pattern, text):
                if taken.isdisjoint(range(*place.span(1))):
                    taken.update(range(*place.span(1)))
                    yield *place.span(1), row.new


def _patterns(row: Rename, table: Table) -> list[str]:
    """Regular expressions whose first group is the old name."""
    command = "|".join(map(re.escape, table.known))
    old = re.escape(row.old)
    if row.kind == "option":
        owners = "|".join(map(re.escape, row.owners))
        return [rf"{BEFORE}(?:{command}) (?:{owners})\b[^\n`'\"]*?(?<!\S)({old})(?![\w-])"]
    if row.kind == "command":
        head, _, subcommand = row.old.partition(" ")
        if subcommand:  # the command may have its new name already
            first = command if head in table.known else re.escape(head)
            return [rf"{BEFORE}((?:{first}) {re.escape(subcommand)})(?![\w=(-]|\.\w)"]
        words = "|".join(map(re.escape, row.subcommands))
        return [rf"{BEFORE}({old})(?=[ ](?:(?:{words})(?![\w=(]|\.\w)|--?[a-z]))"]
    endings = "|".join(FILES)
    return [
        rf"{BEFORE}({old})(?=\.(?!(?:{endings})\b)[A-Za-z_]\w*)",
        rf"(?<![\w.-])(?:import|from|-m)[ ]+(?:\w+, )*({old})(?![\w-])",
        rf"{BEFORE}({old})(?=\[[a-z])",
        rf"pip install (?:-\S+ )*['\"]?({old})(?![\w./-])",
    ]


def rewritten_text(text: str, table: Table) -> str:
    """Text with module paths and commands renamed."""
    for first, last, new in sorted(text_edits(text, table), reverse=True):
        text = text[:first] + new + text[last:]
    return text
