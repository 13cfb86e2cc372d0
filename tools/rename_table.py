"""Table of renames for tools/rename.py: old and new names with kind and owner, and types of results for finding owners."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

KINDS = (
    "package",
    "name",
    "function",
    "method",
    "attribute",
    "argument",
    "value",
    "quantity",
    "command",
    "option",
    "merge",
    "list",
    "entry",
)
MEMBERS = ("method", "attribute", "function")
KEYS = {
    "kind", "old", "new", "namespace", "owner", "argument", "specific", "files", "hand", "subcommands", "keywords", "into",
    "default", "lists", "along",
    "unpack", "place", "values",
}  # fmt: skip


@dataclass(frozen=True)
class Rename:
    """One row of the table.

    Attributes:
        kind: One of `KINDS`. A "function" of the package becomes a method of its first argument; a "list", `old()`, becomes an
            object without parentheses; an "entry", `old("a", b=1)`, becomes an attribute of an object, `new.a(b=1)`.
        old: Name before.
        new: Name after, dotted where it moves into a namespace ("plot.energy"). A row of the file can list several old names
            with `namespace` instead.
        owners: Classes of an attribute or method, callables of an argument ("Result", "Model.simulate", "simulate"),
            subcommands of an option, the part before a quantity ("reaction"); empty for a word that only this package uses.
        argument: Argument of a renamed value; of a merge, the argument that receives the object.
        specific: Whether the old name is also renamed on objects of unknown type.
        files: Whether model files have the name: an element type or a key.
        hand: Instruction for places that are reported instead of rewritten; "" where the tool rewrites.
        subcommands: Words after a command in text.
        keywords: Arguments after the name of an element that become keyword-only, in their old order; such a row has old = "*".
        into: Of a merge: registry ("methods") or class ("InitialConditions") that makes the object. A merge moves the argument
            `old` of a call into an argument `new` of that object.
        default: Of a merge: entry of the registry, or first argument, where the call has no `argument`.
        lists: Of a merge: argument of the object instead of `new` where the value is a list.
        along: Of a merge: arguments that move as well once anything moves.
        unpack: Whether the value is a dictionary whose entries become arguments of the object.
        values: Of an argument: text of a literal value before and after ({"False" = "'full'"}); other values are reported.
        place: Of a merge: place of a positional duration that moves along, counted from 0 without the model.
    """

    kind: str
    old: str
    new: str
    owners: frozenset[str] = frozenset()
    argument: str = ""
    specific: bool = False
    files: bool = False
    hand: str = ""
    subcommands: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    into: str = ""
    default: str = ""
    lists: str = ""
    along: tuple[str, ...] = ()
    unpack: bool = False
    place: int | None = None
    values: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass
class Table:
    """All renames, and the types that identify owners.

    Attributes:
        renames: Rows in the order of the file.
        groups: Classes by the name of their group ("Model").
        types: Class of a result: "Model.simulate()" of a call, "Result.model" of an attribute, "Runs[]" of an item.
        foreign: Modules whose objects never come from the package.
    """

    renames: list[Rename]
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    types: dict[str, frozenset[str]] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()

    def of_kind(self, *kinds: str) -> list[Rename]:
        return [row for row in self.renames if row.kind in kinds]

    @cached_property
    def packages(self) -> frozenset[str]:
        """The package by its names before and after, so that a renamed script is still understood."""
        return frozenset(name for row in self.of_kind("package") for name in (row.old, row.new))

    @cached_property
    def known(self) -> frozenset[str]:
        """The package names with the name this table was made for."""
        return self.packages or frozenset(self.assumed)

    assumed: tuple[str, ...] = ("trammel", "pytrammel")

    @cached_property
    def names(self) -> dict[str, Rename]:
        return {row.old: row for row in self.of_kind("name")}

    @cached_property
    def functions(self) -> dict[str, Rename]:
        return {row.old: row for row in self.of_kind("function")}

    @cached_property
    def members(self) -> dict[str, list[Rename]]:
        return _by_old(self.of_kind("method", "attribute"))

    @cached_property
    def arguments(self) -> dict[str, list[Rename]]:
        return _by_old(self.of_kind("argument"))

    @cached_property
    def merges(self) -> dict[str, list[Rename]]:
        return _by_old(self.of_kind("merge"))

    @cached_property
    def values(self) -> dict[str, list[Rename]]:
        found = defaultdict(list)
        for row in self.of_kind("value"):
            found[row.argument].append(row)
        return dict(found)

    def old_class(self, name: str) -> str:
        """A class or function by the name that owners in the table have."""
        return self._before.get(name, name)

    @cached_property
    def _before(self) -> dict[str, str]:
        return {row.new.rpartition(".")[2]: row.old for row in self.of_kind("name") if not row.hand}

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """Modules of the package into which names move."""
        return frozenset(row.new.rpartition(".")[0] for row in self.of_kind("name") if "." in row.new)

    def expand(self, names: frozenset[str]) -> frozenset[str]:
        """Classes and callables without groups: "Model.simulate" stands for one of each class."""
        found: set[str] = set()
        for name in names:
            head, dot, rest = name.partition(".")
            found |= {f"{one}{dot}{rest}" for one in self.groups.get(head, (head,))}
        return frozenset(found)

    def callables(self, row: Rename) -> frozenset[str]:
        """Owners of an argument, by old and by new names of methods and functions."""
        found = set(row.owners)
        for owner in row.owners:
            head, dot, name = owner.rpartition(".")
            for other in self.members.get(name, ()) if dot else ():
                if not other.owners or head in other.owners:
                    found.add(f"{head}.{other.new}")
        return frozenset(found)


def _by_old(rows: list[Rename]) -> dict[str, list[Rename]]:
    found: dict[str, list[Rename]] = defaultdict(list)
    for row in rows:
        found[row.old].append(row)
    return dict(found)


def load(path: Path, kinds: tuple[str, ...] = KINDS) -> Table:
    """Read a table and check it.

    Args:
        path: TOML file with sections [[rename]], [groups], [types] and [foreign].
        kinds: Kinds of rows to keep.

    Raises:
        SystemExit: The table has an unknown kind or key, or renames the same name twice in a row.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    groups = {name: frozenset(members) for name, members in data.get("groups", {}).items()}
    table = Table([], groups, foreign=frozenset(data.get("foreign", {}).get("modules", ())))
    for key, name in data.get("types", {}).items():
        for one in table.expand(frozenset([key])):
            table.types[one] = table.expand(frozenset([name]))
    table.renames = [_row(one, table, path) for entry in data.get("rename", ()) for one in _single(entry)]
    _check_chains(table, path)
    table.assumed = tuple(table.packages) or table.assumed
    table = Table(
        [row for row in table.renames if row.kind in kinds], groups, table.types, table.foreign, table.assumed
    )
    return table


def _single(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry for each old name of a list."""
    if not isinstance(entry.get("old"), list):
        return [entry]
    space = f"{entry['namespace']}." if "namespace" in entry else ""
    return [{**entry, "old": old, "new": "" if "hand" in entry else f"{space}{old}"} for old in entry["old"]]


def _row(entry: dict[str, Any], table: Table, path: Path) -> Rename:
    if entry.get("kind") not in KINDS or not entry.get("old") or entry.keys() - KEYS:
        raise SystemExit(
            f"{path}: {entry} is not a rename. Kinds are {', '.join(KINDS)}; keys are {', '.join(sorted(KEYS))}."
        )
    if entry["kind"] == "merge" and not (entry.get("into") and entry.get("argument")):
        raise SystemExit(f"{path}: merge {entry['old']!r} needs argument= and into=.")
    if entry["kind"] in ("merge", "list"):
        entry = {"new": entry["old"], **entry}
    if not any(entry.get(key) for key in ("new", "hand", "keywords")):
        raise SystemExit(f"{path}: {entry['kind']} {entry['old']!r} needs new=, hand= or keywords=.")
    owner = entry.get("owner", ())
    owners = table.expand(frozenset([owner] if isinstance(owner, str) else owner))
    kept = ("argument", "specific", "files", "hand", "into", "default", "lists", "unpack", "place", "values")
    words = {key: entry[key] for key in kept if key in entry}
    return Rename(
        entry["kind"],
        entry["old"],
        entry.get("new", ""),
        owners,
        subcommands=tuple(entry.get("subcommands", ())),
        keywords=tuple(entry.get("keywords", ())),
        along=tuple(entry.get("along", ())),
        **words,
    )


def _check_chains(table: Table, path: Path) -> None:
    """A name that is both new and old would be renamed again by the next run."""
    for first in table.renames:
        for second in table.renames:
            same = (
                first.kind == second.kind and first.argument == second.argument and first.new == second.old != first.old
            )
            if (
                same
                and not (first.hand or second.hand)
                and (not first.owners or not second.owners or first.owners & second.owners)
            ):
                raise SystemExit(
                    f"{path}: {first.old!r} becomes {first.new!r}, which becomes {second.new!r}. Use one row."
                )
