"""Merge arguments of a call into one object, for tools/rename.py: `method="rk4", time_step=1e-3` → `method=tm.methods.rk4(step=1e-3)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from rename_python import Edit, Source, Undecided, argument_row
from rename_table import Rename, Table


@dataclass
class Merge:
    """Arguments of one call that become part of one object.

    Attributes:
        rows: Row and keyword of each argument to merge.
        target: Keyword that receives the object; None where the call has none.
        along: Keywords and, as text, positional arguments that move as well.
    """

    rows: list[tuple[Rename, ast.keyword]]
    target: ast.keyword | None
    along: list[ast.keyword]


def merged(text: str, table: Table, package_names: frozenset[str], found: set[Undecided]) -> str:
    """Merge arguments of all calls, one call at a time, because calls and objects can be nested."""
    if not table.of_kind("merge"):
        return text
    while True:
        source = Source(text, table, package_names)
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and _merge(source, node):
                break
        if not source.edits:
            found |= source.undecided
            return text
        text = source.result()


def _merge(source: Source, node: ast.Call) -> bool:
    """Merge arguments of one call; True if it has changed."""
    called = source.types.of(node.func)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    rows = []
    for keyword in node.keywords:
        row = argument_row(source, keyword, source.table.merges.get(keyword.arg or "", []), called, name)
        if row is not None:
            rows.append((row, keyword))
    for argument in dict.fromkeys(row.argument for row, _ in rows):
        own = [(row, keyword) for row, keyword in rows if row.argument == argument]
        target = next((each for each in node.keywords if each.arg == argument), None)
        along = [each for each in node.keywords if each.arg in own[0][0].along]
        if _rewritten(source, node, Merge(own, target, along)):
            return True
    return False


def _rewritten(source: Source, node: ast.Call, merge: Merge) -> bool:
    row, first = merge.rows[0]
    gone = [keyword for _, keyword in merge.rows] + merge.along
    prefix = _prefix(source)
    reason = ""
    if not prefix:
        reason = "import the package under a name first"
    elif source.literal_around(node) is not None:
        reason = "the call stands in an f-string"
    elif merge.target is None and not row.default:
        reason = f"{row.argument}= is missing"
    elif merge.target is None and any(keyword.arg is None for keyword in node.keywords):
        reason = f"the unpacked arguments may hold {row.argument}"
    made = "" if reason else _object(source, merge, prefix)
    if not made:
        source.report(first, first.arg or "", f"merge it into {row.argument}=: {reason or _example(row)}")
        return False
    taken = _positional(source, node, row) if row.into == "Analysis" else None
    place = merge.target or first
    removed = [each for each in gone if each is not place] + ([taken] if taken is not None else [])
    spans = list(_spans(source, node, removed))
    if any(b"#" in source.data[a:b] or (source.package_names and b"\n" in source.data[a:b]) for a, b in spans):
        source.report(first, first.arg or "", f"merge it into {row.argument}=: {_example(row)}")
        return False
    source.edits.add(Edit(source.begin(place), source.end(place), f"{row.argument}={made}"))
    source.edits |= {Edit(a, b, "") for a, b in spans}
    return True


def _example(row: Rename) -> str:
    call = f"tm.{row.into}" if row.into[0].isupper() else f"tm.{row.into}.{row.default or 'NAME'}"
    return f"{row.argument}={call}({row.new}=...)"


def _prefix(source: Source) -> str:
    """Name of the package in the script."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in source.table.known:
                    return alias.asname or alias.name
    return next(iter(source.package_names), "")


def _text(source: Source, keyword: ast.keyword) -> str:
    """Text of the value of an argument, with its parentheses."""
    whole = source.data[source.begin(keyword) : source.end(keyword)].decode()
    return whole.partition("=")[2].strip()


def _object(source: Source, merge: Merge, prefix: str) -> str:
    """Text of the new object; empty where the user must decide."""
    row = merge.rows[0][0]
    given: list[str] = []
    for each, keyword in merge.rows:
        more = _arguments(source, each, keyword)
        if more is None:
            return ""
        given += more
    if row.into == "Analysis":
        return _analysis(source, merge, prefix, given)
    value = merge.target.value if merge.target is not None else ast.Constant(row.default)
    if row.into[0].isupper():  # a class whose first argument is the value until now
        if isinstance(value, ast.Call) and ast.unparse(value.func).endswith(row.into):
            return _extended(source, merge.target, given) if merge.target is not None else ""
        none = merge.target is None or (isinstance(value, ast.Constant) and value.value is None)
        first = [] if none or merge.target is None else [_text(source, merge.target)]
        return f"{prefix}.{row.into}({', '.join([*first, *given])})"
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        entry = f".{value.value}" if value.value.isidentifier() else f"[{value.value!r}]"
        return f"{prefix}.{row.into}{entry}({', '.join(given)})"
    if merge.target is None:
        return ""
    if isinstance(value, ast.Call):
        return _extended(source, merge.target, given)
    return f"{prefix}.{row.into}[{_text(source, merge.target)}]({', '.join(given)})"


def _extended(source: Source, target: ast.keyword, given: Iterable[str]) -> str:
    """A call with more arguments, for an object that is made in the call already."""
    text = _text(source, target)
    if not text.endswith(")"):
        return ""
    inside = text[:-1].rstrip().rstrip(",")
    return f"{inside}{'' if inside.endswith('(') else ', '}{', '.join(given)})"


def _arguments(source: Source, row: Rename, keyword: ast.keyword) -> list[str] | None:
    """Arguments of the object that stand for one argument of the call; None where the user must decide."""
    value, text = keyword.value, _text(source, keyword)
    if not row.unpack:
        new = row.new or row.old
        if row.lists and not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
            if not isinstance(value, (ast.List, ast.Tuple)):
                return None
            new = row.lists
        return [f"{new}={text}"]
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "dict" and not value.args:
        return [source.data[source.begin(each) : source.end(each)].decode() for each in value.keywords]
    if not isinstance(value, ast.Dict):
        return [f"**{text}"]
    found = []
    for key, item in zip(value.keys, value.values, strict=True):
        part = source.data[source.begin(item) : source.end(item)].decode()
        if key is None:
            found.append(f"**{part}")
        elif isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
            found.append(f"{key.value}={part}")
        else:
            return None
    return found


def _analysis(source: Source, merge: Merge, prefix: str, given: list[str]) -> str:
    """An analysis: its name, its duration, then everything else."""
    row = merge.rows[0][0]
    name = repr(row.default).replace("'", '"') if merge.target is None else _text(source, merge.target)
    if name.startswith(f"{prefix}.Analysis("):
        return f"{name[:-1]}, {', '.join(given)})"
    node = source.parents[merge.rows[0][1]]
    duration = _positional(source, node, row) if isinstance(node, ast.Call) else None
    words = [source.data[source.begin(duration) : source.end(duration)].decode()] if duration is not None else []
    moved = {each.arg: _text(source, each) for each in merge.along}
    words += [moved.pop("duration")] if "duration" in moved else []
    words += [f"{key}={text}" for key, text in moved.items()]
    return f"{prefix}.Analysis({', '.join([name, *words, *given])})"


def _positional(source: Source, node: ast.Call, row: Rename) -> ast.expr | None:
    """The duration where it is a positional argument: after the formula, and after the model of a function."""
    if row.place is None:
        return None
    is_method = source.types.of(node.func).kind not in ("function",) and isinstance(node.func, ast.Attribute)
    place = row.place + (0 if is_method else 1)
    return node.args[place] if len(node.args) == place + 1 else None


def _spans(source: Source, node: ast.Call, removed: list[ast.expr | ast.keyword]) -> Iterable[tuple[int, int]]:
    """Bytes to delete, each argument with a comma next to it."""
    every = sorted([*node.args, *node.keywords], key=source.begin)
    first_kept = next((k for k, each in enumerate(every) if each not in removed), len(every))
    if first_kept:
        stop = source.begin(every[first_kept]) if first_kept < len(every) else source.end(every[-1])
        yield source.begin(every[0]), stop
    for k in range(first_kept + 1, len(every)):
        if every[k] in removed:
            yield source.end(every[k - 1]), source.end(every[k])
