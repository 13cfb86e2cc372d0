"""Former public names with their replacements, for messages. The table is the one that tools/rename.py applies to scripts."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Container, Iterable
from importlib.resources import files
from typing import NamedTuple

ALIAS = "tm"  # the package in messages
WORDS = ("name", "method", "attribute", "argument")  # kinds of rows that stand for words of models and files


class Former(NamedTuple):
    """A row of the table.

    Attributes:
        kind: "name" or "function" of the package, "method", "attribute", "argument" and others; see tools/rename_table.py.
        owners: Classes of a method, callables of an argument; empty for all.
        new: Name now, dotted in a namespace; "" where `hand` describes the replacement.
        hand: Replacement in words.
    """

    kind: str
    owners: frozenset[str]
    new: str
    hand: str

    @property
    def remedy(self) -> str:
        """Remedy for the end of a message."""
        if self.hand:
            first = self.hand.split()[0]
            return f"{first.capitalize() if first.isalpha() else first}{self.hand[len(first) :]}."
        if self.kind == "name":
            return f"Use {ALIAS}.{self.new}."
        return f"Use {self.new!r}."


def former(old: str, *kinds: str, owners: Iterable[str] = ()) -> Former | None:
    """Return the row of a former name, or None.

    Args:
        old: The name.
        kinds: Kinds of rows.
        owners: Classes or callables that the name is looked up on; rows without owners apply to all.
    """
    found = _rows().get(old, ())
    names = frozenset(owners)
    return next((row for row in found if row.kind in kinds and (not row.owners or row.owners & names)), None)


def new_word(word: object, known: Container[str]) -> str | None:
    """Return the known word that replaced a former one, or None."""
    found = _rows().get(word, ()) if isinstance(word, str) else ()
    return next((row.new for row in found if row.kind in WORDS and row.new in known), None)


@functools.cache
def _rows() -> dict[str, tuple[Former, ...]]:
    """Rows by old name."""
    table = tomllib.loads(files("pytrammel").joinpath("renames.toml").read_text(encoding="utf-8"))
    groups = {name: frozenset(members) for name, members in table["groups"].items()}
    rows: dict[str, tuple[Former, ...]] = {}
    for entry in table["rename"]:
        space = f"{entry['namespace']}." if "namespace" in entry else ""
        owners = _expanded(entry.get("owner", ()), groups)
        for old in [entry["old"]] if isinstance(entry["old"], str) else entry["old"]:
            new = "" if "hand" in entry else entry.get("new", f"{space}{old}")
            rows[old] = (*rows.get(old, ()), Former(entry["kind"], owners, new, entry.get("hand", "")))
    return rows


def _expanded(owner: str | list[str], groups: dict[str, frozenset[str]]) -> frozenset[str]:
    """Return owners with the members of groups: "Model.simulate" stands for a method of each model."""
    found: set[str] = set()
    for name in [owner] if isinstance(owner, str) else owner:
        head, dot, rest = name.partition(".")
        found |= {f"{one}{dot}{rest}" for one in groups.get(head, (head,))}
    return frozenset(found)
