"""Write src/pytrammel/renamed.py: the renames of tools/renames.toml by which messages recognise old words.

A test compares both; run this again after a new row.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rename_table import load

TABLE = Path(__file__).with_name("renames.toml")
TARGET = Path(__file__).parents[1] / "src" / "pytrammel" / "renamed.py"
KINDS = ("name", "method", "attribute", "argument")
HEAD = '''"""Renamed words, for hints in messages. Written by tools/make_renamed.py from tools/renames.toml."""

from __future__ import annotations

from collections.abc import Container, Mapping

# old words and what replaced them
RENAMED: Mapping[str, tuple[str, ...]] = {
'''
TAIL = '''}


def new_word(word: object, known: Container[str]) -> str | None:
    """Return the known word that replaced an old one, or None."""
    return next((new for new in RENAMED.get(word, ()) if new in known), None) if isinstance(word, str) else None
'''


def text() -> str:
    """Content of the module."""
    found: dict[str, list[str]] = {}
    for row in load(TABLE).of_kind(*KINDS):
        if row.new and row.new not in found.get(row.old, ()):
            found.setdefault(row.old, []).append(row.new)
    lines = []
    for old, new in sorted(found.items()):
        words = ", ".join(f'"{word}"' for word in new)
        lines.append(f'    "{old}": ({words}{"," if len(new) == 1 else ""}),\n')
    return HEAD + "".join(lines) + TAIL


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
    print(TARGET.name)
