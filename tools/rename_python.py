"""Rewrite Python source by the positions of its syntax tree, for tools/rename.py."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rename_quantities import open_quantities, quantity_edits
from rename_table import Rename, Table
from rename_text import text_edits
from rename_types import Thing, Types

# calls whose argument is the name of a module or distribution
LOADERS = {
    "import_module",
    "find_spec",
    "importorskip",
    "files",
    "version",
    "distribution",
    "metadata",
    "requires",
    "run_module",
}


@dataclass(frozen=True)
class Edit:
    """Replacement of bytes [start, end) of a source."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, order=True)
class Undecided:
    """A place for the user to decide, with its line from 1."""

    line: int
    name: str
    reason: str


@dataclass
class Source:
    """Python code with the edits found so far.

    Args:
        text: The code.
        table: Renames.
        package_names: Names that stand for the package without an import.
    """

    text: str
    table: Table
    package_names: frozenset[str] = frozenset()
    edits: set[Edit] = field(default_factory=set)
    undecided: set[Undecided] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.data = self.text.encode()
        self.tree = ast.parse(self.text)
        self.types = Types(self.tree, self.table, self.package_names)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        """Byte of a position of the tree."""
        return self.starts[line - 1] + column

    def begin(self, node: Any) -> int:
        return self.at(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        return self.at(node.end_lineno, node.end_col_offset)

    def report(self, node: Any, name: str, reason: str) -> None:
        self.undecided.add(Undecided(node.lineno, name, reason))

    def replace(self, start: int, old: str, new: str, node: ast.AST) -> None:
        """Replace a word. Python before 3.12 gives wrong positions in f-strings: there the word is looked for in the text."""
        word = old.encode()
        literal = self.literal_around(node)
        inside = literal is None or self.begin(literal) <= start < self.end(literal)
        if inside and self.data[start : start + len(word)] == word:
            self.edits.add(Edit(start, start + len(word), new))
            return
        if literal is None:
            self.report(node, old, "its position is not found")
            return
        whole = self.data[self.begin(literal) : self.end(literal)]
        places = [found.start() for found in re.finditer(rb"(?<![\w'\"])" + re.escape(word) + rb"(?![\w'\"])", whole)]
        if len(places) == 1:
            self.edits.add(Edit(self.begin(literal) + places[0], self.begin(literal) + places[0] + len(word), new))
        else:
            self.report(literal, old, "it stands in an f-string more than once")

    def literal_around(self, node: ast.AST) -> Any:
        found = None
        above = self.parents.get(node)
        while above is not None:
            if isinstance(above, ast.JoinedStr):
                found = above
            above = self.parents.get(above)
        return found

    def result(self) -> str:
        data = self.data
        for edit in sorted(self.edits, key=lambda edit: edit.start, reverse=True):
            data = data[: edit.start] + edit.new.encode() + data[edit.end :]
        return data.decode()


def rewritten(text: str, table: Table, package_names: frozenset[str] = frozenset()) -> tuple[str, list[Undecided]]:
    """Renamed code, and places that need a decision.

    Args:
        text: Python code.
        table: Renames.
        package_names: Names that stand for the package without an import.

    Raises:
        SyntaxError: The text is not Python.
    """
    source = Source(text, table, package_names)
    for node in ast.walk(source.tree):
        _rename_module(source, node)
        _rename_member(source, node)
        _rename_name(source, node)
        _rename_list(source, node)
        if isinstance(node, ast.Call):
            _rename_arguments(source, node)
        _report_function(source, node)
    _rename_in_text(source)
    text, found = source.result(), source.undecided
    if table.of_kind("merge"):
        from rename_merge import merged  # which needs sources

        before, text = text, merged(text, table, package_names, found)
        if text != before:  # arguments in new objects have names to rename as well
            return rewritten(text, table, package_names)
    if table.functions:
        text = _methods_from_functions(text, table, package_names, found)
    if not package_names and (table.functions or any(row.new.partition(".")[2] for row in table.names.values())):
        text = _moved_imports(text, table)
    return text, sorted(found)


# modules -------------------------------------------------------------------------------------------------------------


def _rename_module(source: Source, node: ast.AST) -> None:
    for row in source.table.of_kind("package"):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == row.old:
                    source.replace(source.begin(alias), row.old, row.new, alias)
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] == row.old:
            place = re.compile(rb"from\s+").match(source.data, source.begin(node))
            source.replace(place.end() if place else -1, row.old, row.new, node)
        elif isinstance(node, ast.Name) and node.id == row.old and source.types.is_package_name(node):
            source.replace(source.begin(node), row.old, row.new, node)
        elif isinstance(node, ast.Constant) and node.value == row.old:
            _rename_whole_text(source, node, row)


def _rename_whole_text(source: Source, node: ast.Constant, row: Rename) -> None:
    """A string that is the name alone: a module where a loader reads it, or anything else."""
    above = source.parents.get(node)
    if isinstance(above, ast.Call) and ast.unparse(above.func).rpartition(".")[2] in LOADERS and node in above.args[:1]:
        source.replace(
            source.begin(node) + source.data[source.begin(node) : source.end(node)].find(row.old.encode()),
            row.old,
            row.new,
            node,
        )
        return
    if isinstance(above, (ast.List, ast.Tuple)) and above.elts.index(node):
        before = above.elts[above.elts.index(node) - 1]
        if isinstance(before, ast.Constant) and before.value == "-m":
            source.replace(source.begin(node) + 1, row.old, row.new, node)
            return
    if source.types.uses_package:
        source.report(node, row.old, "a string that may be the package, its command or another word")


def _rename_in_text(source: Source) -> None:
    """Module paths and commands in strings and comments."""
    lines = source.text.split("\n")
    for token in _tokens(source.text):
        if token.type == tokenize.COMMENT or _is_text(token):
            start, end = (
                source.at(line, len(lines[line - 1][:column].encode())) for line, column in (token.start, token.end)
            )
            text = source.data[start:end].decode()  # not token.string, where an f-string has lost its double braces
            for first, last, new in (*text_edits(text, source.table), *_quantities(source, token, text)):
                source.edits.add(Edit(start + len(text[:first].encode()), start + len(text[:last].encode()), new))


def _quantities(source: Source, token: tokenize.TokenInfo, text: str) -> Iterator[tuple[int, int, str]]:
    """Quantities in a string of one line: edits in a formula, reports in other text."""
    mark = re.match(r"(\w*)(\"\"\"|\'\'\'|[\"\'])", text) if token.type == tokenize.STRING else None
    if token.type == tokenize.COMMENT or not source.types.uses_package or (mark and len(mark[2]) == 3):
        return
    body = text[mark.end() : -1] if mark else text
    if mark is None or "f" in mark[1].lower():
        open_names = [*open_quantities(re.sub(r"\{[^{}]*\}", "x", body) + " ", source.table)]
    else:
        for first, last, new in quantity_edits(body, source.table):
            yield first + mark.end(), last + mark.end(), new
        open_names = [*open_quantities(body, source.table)]
    for name in open_names:
        source.undecided.add(Undecided(token.start[0], name, "a quantity that is renamed, if this text names one"))


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    yield from tokenize.generate_tokens(io.StringIO(text).readline)


def _is_text(token: tokenize.TokenInfo) -> bool:
    if token.type == tokenize.STRING:
        return "b" not in re.match(r"\w*", token.string)[0].lower()  # type: ignore[index]
    return token.type == getattr(tokenize, "FSTRING_MIDDLE", -1)


# names of the package ------------------------------------------------------------------------------------------------


def _rename_name(source: Source, node: ast.AST) -> None:
    names = source.table.names
    if isinstance(node, ast.Attribute) and node.attr in names and source.types.of(node.value).kind == "package":
        row = names[node.attr]
        if row.hand:
            source.report(node, node.attr, row.hand)
        else:
            source.replace(source.end(node) - len(node.attr.encode()), node.attr, row.new, node)
    elif (
        isinstance(node, ast.ImportFrom)
        and not node.level
        and (node.module or "").partition(".")[0] in source.table.known
    ):
        for alias in node.names:
            if alias.name in names:
                _rename_imported(source, node, alias, names[alias.name])
    elif isinstance(node, ast.Name) and node.id in names and not names[node.id].hand and "." not in names[node.id].new:
        owner = source.types.scopes[node].owner_of(node.id)
        if owner is not None and all(_is_import_of(source, node.id, *binding) for binding in owner.bindings[node.id]):
            source.replace(source.begin(node), node.id, names[node.id].new, node)


def _rename_list(source: Source, node: ast.AST) -> None:
    """Calls that list something, or that pick one of them, as attributes of an object."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    func = node.func
    row = next((row for row in source.table.of_kind("list", "entry") if row.old == func.attr), None)
    if row is None or source.types.of(func.value).kind != "package":
        return
    start, stop = source.end(func) - len(row.old.encode()), source.end(node)
    if row.kind == "list" and not node.args and not node.keywords and source.literal_around(node) is None:
        source.edits.add(Edit(start, stop, row.new))
    elif row.kind == "entry" and len(node.args) == 1 and source.literal_around(node) is None:
        first, name = node.args[0], ast.literal_eval(node.args[0]) if isinstance(node.args[0], ast.Constant) else ""
        text = source.data[source.begin(first) : source.end(first)].decode()
        entry = f".{name}" if str(name).isidentifier() else f"[{text}]"
        if node.keywords:
            source.edits.add(Edit(start, source.begin(node.keywords[0]), f"{row.new}{entry}("))
        else:
            source.edits.add(Edit(start, stop, f"{row.new}{entry}"))
    elif row.kind == "entry" or node.args:
        source.report(node, row.old, f"use an entry of {row.new}")


def _is_import_of(source: Source, name: str, kind: str, found: Any) -> bool:
    return kind == "import" and found[1] == name and found[0].partition(".")[0] in source.table.known


def _rename_imported(source: Source, node: ast.ImportFrom, alias: ast.alias, row: Rename) -> None:
    space, _, name = row.new.rpartition(".")
    if space and (node.module or "").endswith(f".{space}"):
        return
    if row.hand:
        source.report(alias, row.old, row.hand)
    elif not space:
        source.replace(source.begin(alias), row.old, row.new, alias)
    elif node.module not in source.table.known:  # its own modules keep their objects
        if name != row.old:
            source.replace(source.begin(alias), row.old, name if alias.asname else f"{name} as {row.old}", alias)
    elif len(node.names) == 1 and node.module in source.table.known:
        place = re.compile(rb"from\s+\w+").match(source.data, source.begin(node))
        stop = source.begin(alias) + len(row.old.encode())
        if place is not None:
            source.edits.add(Edit(place.end(), place.end(), f".{space}"))
            source.edits.add(
                Edit(
                    stop - len(row.old.encode()),
                    stop,
                    name if alias.asname or name == row.old else f"{name} as {row.old}",
                )
            )
    elif not _may_grow(source, node):
        source.report(alias, row.old, f"it moves to {row.new}: import it from there")


def _may_grow(source: Source, node: ast.ImportFrom) -> bool:
    """Return True if an import can become several statements: it is alone on its lines, and not on a page."""
    before = source.data[source.starts[node.lineno - 1] : source.begin(node)]
    after = source.data[source.end(node) :].partition(b"\n")[0]
    inside = source.data[source.begin(node) : source.end(node)]
    return not (source.package_names or before.strip() or after.strip() or b"#" in inside)


def _moved_imports(text: str, table: Table) -> str:
    """Code whose imports of several names find each in its namespace; imports of functions that became methods go if nothing uses them."""
    source = Source(text, table)
    used = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ImportFrom) or node.level or node.module not in table.known:
            continue
        homes: dict[str, list[str]] = {"": []}
        for alias in node.names:
            row, bound = table.names.get(alias.name), alias.asname or alias.name
            if alias.name in table.functions and bound not in used:
                continue
            space, _, name = row.new.rpartition(".") if row and not row.hand else ("", "", alias.name)
            homes.setdefault(space, []).append(name if name == bound else f"{name} as {bound}")
        kept = [ast.unparse(alias) for alias in node.names]
        if homes == {"": kept} or not _may_grow(source, node):
            continue
        indent = b"\n" + b" " * node.col_offset
        modules = {f"{node.module}.{space}" if space else node.module: names for space, names in homes.items() if names}
        lines = [f"from {module} import {', '.join(names)}" for module, names in modules.items()]
        start, end = source.begin(node), source.end(node)
        block = getattr(source.parents[node], "body", [])
        if not lines and len(block) == 1:
            lines = ["pass"]
        elif not lines:  # the whole line goes
            start, end, lines = source.starts[node.lineno - 1], min(end + 1, len(source.data)), [""]
        source.edits.add(Edit(start, end, indent.decode().join(lines)))
    return source.result()


# members and arguments -----------------------------------------------------------------------------------------------


def _rename_member(source: Source, node: ast.AST) -> None:
    if not isinstance(node, ast.Attribute) or node.attr not in source.table.members:
        return
    owner = source.types.of(node.value)
    space = node.value.attr if isinstance(node.value, ast.Attribute) else ""
    if space and any(row.new == f"{space}.{node.attr}" for row in source.table.members[node.attr]):
        return
    if owner.kind in ("package", "foreign", "function") or (owner.kind == "local" and not owner.names):
        return
    rows = source.table.members[node.attr]
    row = _decided(source, node, rows, owner)
    if row is not None and row.hand:
        source.report(node, node.attr, row.hand)
    elif row is not None:
        source.replace(source.end(node) - len(node.attr.encode()), node.attr, row.new, node)


def _decided(source: Source, node: ast.AST, rows: list[Rename], owner: Thing) -> Rename | None:
    """The row that holds for an owner; None, after a report where that is open, if none does."""
    known = owner.kind in ("object", "class")
    for row in rows:
        if known and (not row.owners or owner.names <= row.owners or (row.specific and owner.names & row.owners)):
            return row
    if known and not any(owner.names & row.owners for row in rows):
        return None
    if (
        not known
        and source.types.uses_package
        and len({row.new for row in rows}) == 1
        and all(row.specific or not row.owners for row in rows)
    ):
        return rows[0]
    listed = ", ".join(sorted({name for row in rows for name in row.owners}))
    new = " or ".join(sorted({row.new or "(by hand)" for row in rows}))
    if source.types.uses_package or all(row.specific for row in rows):
        source.report(node, rows[0].old, f"{new} if this is of {listed or 'the package'}; the type is unknown")
    return None


def _rename_arguments(source: Source, node: ast.Call) -> None:
    called = source.types.of(node.func)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    for keyword in node.keywords:
        if keyword.arg is None:
            _report_unpacked(source, node, keyword, called, name)
            continue
        row = argument_row(source, keyword, source.table.arguments.get(keyword.arg, []), called, name)
        if row is not None and row.hand:
            source.report(keyword, keyword.arg, row.hand)
        elif row is not None:
            _rename_argument(source, keyword, row)
        _rename_value(source, keyword, called, name)
    for row in source.table.arguments.get("*", ()):
        owners = source.table.callables(row)
        unknown = called.kind == "unknown" and source.types.uses_package and row.specific
        if called.names & owners or (unknown and any(owner.rpartition(".")[2] == name for owner in owners)):
            if row.keywords:
                _name_values(source, node, row, name)
            else:
                source.report(node, name, row.hand)


def _name_values(source: Source, node: ast.Call, row: Rename, name: str) -> None:
    """Write values of an element as keywords, if the call gives all of them by place or name: the new order may take fewer."""
    places = ("name", *row.keywords)
    given = {*places[: len(node.args)], *(keyword.arg for keyword in node.keywords)}
    if any(isinstance(value, ast.Starred) for value in node.args):
        source.report(node, name, f"its values are keyword-only: {', '.join(f'{key}=' for key in row.keywords)}")
    elif given.issuperset(places):
        for key, value in zip(row.keywords, node.args[1:], strict=False):
            if source.literal_around(value) is not None:
                source.report(node, name, f"{key}= is keyword-only")
            else:
                source.edits.add(Edit(source.begin(value), source.begin(value), f"{key}="))


def _rename_argument(source: Source, keyword: ast.keyword, row: Rename) -> None:
    """Rename an argument, and its value where the table has another text for it."""
    value = keyword.value
    if row.values and not (isinstance(value, ast.Constant) and repr(value.value) in row.values):
        listed = ", ".join(f"{old} becomes {new}" for old, new in row.values.items())
        source.report(keyword, row.old, f"{row.new}=, where {listed}")
        return
    source.replace(source.begin(keyword), row.old, row.new, keyword)
    if row.values and isinstance(value, ast.Constant):
        source.replace(source.begin(value), repr(value.value), row.values[repr(value.value)], value)


def argument_row(source: Source, node: ast.AST, rows: list[Rename], called: Thing, name: str) -> Rename | None:
    """The row of an argument of a call, if the call is surely one of its owners."""
    unsure = []
    for row in rows:
        owners = source.table.callables(row)
        if called.names and (called.names <= owners or (row.specific and called.names & owners)):
            return row
        if called.names & owners or (
            called.kind == "unknown" and any(owner.rpartition(".")[2] == name and "." in owner for owner in owners)
        ):
            unsure.append(row)
    if (
        unsure
        and not called.names
        and source.types.uses_package
        and all(row.specific for row in unsure)
        and len({row.new for row in unsure}) == 1
    ):
        return unsure[0]
    for row in unsure:
        source.report(
            node, f"{name}({row.old}=)", f"{row.new or 'by hand'} if this call is of the package; the type is unknown"
        )
    return None


def _rename_value(source: Source, keyword: ast.keyword, called: Thing, name: str) -> None:
    value = keyword.value
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return
    rows = [row for row in source.table.values.get(keyword.arg or "", ()) if row.old == value.value]
    row = argument_row(source, value, rows, called, name)
    if row is not None and row.hand:
        source.report(value, row.old, row.hand)
    elif row is not None:
        source.replace(source.begin(value) + 1, row.old, row.new, value)


def _report_unpacked(source: Source, node: ast.Call, keyword: ast.keyword, called: Thing, name: str) -> None:
    """Arguments in a dictionary: report its keys that are renamed for this call."""
    mapping = keyword.value
    scope = source.types.scopes[mapping]
    if isinstance(mapping, ast.Name):
        owner = scope.owner_of(mapping.id)
        values = [found[1] for kind, found in owner.bindings[mapping.id] if kind == "value"] if owner else []
    else:
        values = [mapping]
    for value in values:
        for key in _keys_of(value):
            rows = [*source.table.arguments.get(key[0], []), *source.table.merges.get(key[0], [])]
            row = argument_row(source, key[1], rows, called, name)
            if row is not None and row.kind == "merge":
                source.report(key[1], key[0], f"an argument of {row.into} for {row.argument}= of {name}()")
            elif row is not None:
                source.report(key[1], key[0], row.hand or f"{row.new} in the arguments of {name}()")


def _keys_of(value: ast.expr) -> Iterator[tuple[str, Any]]:
    if isinstance(value, ast.Dict):
        yield from (
            (key.value, key) for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
        )
    elif isinstance(value, ast.Call) and ast.unparse(value.func) == "dict":
        yield from ((keyword.arg, keyword) for keyword in value.keywords if keyword.arg)


# functions that become methods ---------------------------------------------------------------------------------------


def _function_name(source: Source, node: ast.AST) -> str:
    """Public function of the package that an expression names, or ""."""
    if isinstance(node, ast.Attribute) and node.attr in source.table.functions:
        return node.attr if source.types.of(node.value).kind == "package" else ""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        thing = source.types.of(node)
        name = next(iter(thing.names)) if thing.kind == "function" and len(thing.names) == 1 else ""
        return name if name in source.table.functions and _is_of_package(source, node) else ""
    return ""


def _is_of_package(source: Source, node: ast.Name) -> bool:
    """Return True if a name was imported from the package itself; its own modules keep their functions."""
    owner = source.types.scopes[node].owner_of(node.id)
    bound = owner.bindings[node.id] if owner else []
    return any(kind == "import" and found[0] in source.table.known for kind, found in bound)


def _report_function(source: Source, node: ast.AST) -> None:
    name = _function_name(source, node)
    above = source.parents.get(node)
    if name and not (isinstance(above, ast.Call) and above.func is node):
        source.report(
            node, name, f"it becomes a method, {source.table.functions[name].new or 'by hand'}: rewrite this use"
        )
    if name and isinstance(node, ast.Name) and source.package_names:
        source.report(node, name, "it becomes a method: remove the import")


def _methods_from_functions(text: str, table: Table, package_names: frozenset[str], found: set[Undecided]) -> str:
    """Rewrite f(model, ...) as model.f(...), one call at a time, because calls can be nested."""
    refused: set[Undecided] = set()
    while True:
        source = Source(text, table, package_names)
        calls = [
            node for node in ast.walk(source.tree) if isinstance(node, ast.Call) and _function_name(source, node.func)
        ]
        for node in calls:
            if _move_first_argument(source, node, table.functions[_function_name(source, node.func)]):
                break
        if not source.edits:
            refused = source.undecided
            break
        text = source.result()
    found |= refused
    return text


def _move_first_argument(source: Source, node: ast.Call, row: Rename) -> bool:
    first = node.args[0] if node.args else None
    opening = source.data.find(b"(", source.end(node.func))
    if (
        row.hand
        or first is None
        or isinstance(first, ast.Starred)
        or source.data[opening + 1 : source.begin(first)].strip()
    ):
        source.report(node, row.old, row.hand or f"it becomes a method, {row.new}(), of its first argument")
        return False
    later = [*node.args[1:], *(keyword for keyword in node.keywords)]
    if later:
        stop = min(source.begin(each) for each in later)
        stop = source.data.rfind(b"*", source.end(first), stop) if isinstance(later[0], ast.Starred) else stop
        if any(isinstance(each, ast.keyword) and each.arg is None for each in later[:1]):
            stop = source.data.find(b"**", source.end(first))
    else:
        stop = source.end(node) - 1
    gone = source.data[opening:stop]
    lines_stay = bool(source.package_names)  # code of a page is put back line by line
    if source.literal_around(node) is not None or b"#" in gone or (lines_stay and b"\n" in gone):
        source.report(node, row.old, f"it becomes a method, {row.new}(), of its first argument")
        return False
    owner = source.data[source.begin(first) : source.end(first)].decode()
    simple = isinstance(first, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    source.edits.add(Edit(source.begin(node.func), opening + 1, f"{owner if simple else f'({owner})'}.{row.new}("))
    source.edits.add(Edit(opening + 1, stop, ""))
    return True
