"""Rewrite Markdown, notebooks and model files, for tools/rename.py: the Python and the keys in them."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from typing import Any

from rename_python import Undecided, rewritten
from rename_quantities import quantity_edits
from rename_table import Rename, Table
from rename_text import rewritten_text, text_edits

FENCE = re.compile(r"^([ \t]*)(```+|~~~+)[ \t]*(\{?[\w-]*)")
PYTHON = {"python", "py", "python3", "pycon", "{code-cell"}
CONVENTION = frozenset({"tm"})  # the package on a page that does not import it
PROMPT = re.compile(r"^([ \t]*)(>>> |\.\.\. |>>>$|\.\.\.$)")


def rewritten_markdown(text: str, table: Table) -> tuple[str, list[Undecided]]:
    """Code blocks and expressions in backticks as Python, everything else as text."""
    lines = text.splitlines(keepends=True)
    blocks = _blocks(lines)
    found: list[Undecided] = []
    code, inside = _code_only(lines, blocks, found, table)
    new, undecided = _python_lines(code, table)
    found += undecided
    spans = _span_context(code, table)
    for number, line in enumerate(lines):
        if number in inside:
            head = len(line) - len(line.lstrip()) if inside[number] is None else inside[number] or 0
            lines[number] = line[:head] + new[number]
        else:
            lines[number] = _prose_line(line, number + 1, table, spans, found)
    return "".join(lines), found


def _blocks(lines: list[str]) -> list[tuple[int, int]]:
    """Lines [first, last) of each block of Python."""
    found: list[tuple[int, int]] = []
    fence, start, is_python = "", 0, False
    for number, line in enumerate(lines):
        mark = FENCE.match(line)
        if mark is None:
            continue
        if not fence:
            fence, start, is_python = mark[2], number + 1, mark[3].lower() in PYTHON
        elif mark[2].startswith(fence) and not line.strip().strip(fence[0]):
            if is_python:
                found.append((start, number))
            fence = ""
    return found


def _code_only(
    lines: list[str], blocks: list[tuple[int, int]], found: list[Undecided], table: Table
) -> tuple[list[str], dict[int, int | None]]:
    """Page on which only code remains, line by line, and how far each of its lines was indented."""
    code, inside = ["\n"] * len(lines), {}
    for first, last in blocks:
        block = lines[first:last]
        prompts = [PROMPT.match(line) for line in block]
        heads: list[int | None] = [len(mark[0]) if mark else None for mark in prompts]
        if not any(heads):
            margin = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
            heads = [margin if line.strip() else None for line in block]
        kept = [line[head:] if head is not None else "\n" for line, head in zip(block, heads, strict=True)]
        try:
            ast.parse("".join(kept))
        except SyntaxError:
            if any(name in "".join(block) for name in table.known):
                found.append(Undecided(first + 1, "code block", "it is not Python as it stands"))
            continue
        for number, (head, line) in enumerate(zip(heads, kept, strict=True), start=first):
            if head is not None:
                code[number], inside[number] = line if line.endswith("\n") else line + "\n", head
    return code, inside


def _python_lines(code: list[str], table: Table) -> tuple[list[str], list[Undecided]]:
    """Renamed code, by lines; the number of lines stays."""
    new, undecided = rewritten("".join(code), table, CONVENTION)
    return new.splitlines(keepends=True), undecided


def _span_context(code: list[str], table: Table) -> str:
    return "".join(line for line in code if re.match(r"\s*(import|from) ", line))


def _prose_line(line: str, number: int, table: Table, context: str, found: list[Undecided]) -> str:
    """Expressions between single backticks as Python, the rest as text."""
    parts = re.split(r"(`[^`]+`)", line)
    for place, part in enumerate(parts):
        if (
            place % 2
            and re.fullmatch(r"[A-Za-z_][^\s]*(?: .*)?", part[1:-1])
            and next(iter(text_edits(part, table)), None) is None
        ):
            parts[place] = f"`{_expression(part[1:-1], number, table, found)}`"
    return rewritten_text("".join(parts), table)


def _expression(text: str, number: int, table: Table, found: list[Undecided]) -> str:
    """An expression of one line; text that is not one stays."""
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return text
    new, undecided = rewritten(text, table, CONVENTION)
    found += [Undecided(number, each.name, each.reason) for each in undecided]
    return new


def rewritten_python(text: str, table: Table) -> tuple[str, list[Undecided]]:
    """A script, with the examples (>>>) in its docstrings."""
    new, found = rewritten(text, table)
    lines = new.splitlines(keepends=True)
    heads = {
        number: len(mark[0]) for number, line in enumerate(lines) if (mark := PROMPT.match(line)) and mark[2] != "...\n"
    }
    if not heads:
        return new, found
    code = [line[heads[number] :] if number in heads else "\n" for number, line in enumerate(lines)]
    code = [line if line.endswith("\n") else line + "\n" for line in code]
    try:
        inner, more = rewritten("".join(code), table, CONVENTION)
    except SyntaxError:
        return new, found
    for number, line in enumerate(inner.splitlines(keepends=True)):
        if number in heads and line != code[number]:
            lines[number] = lines[number][: heads[number]] + line
    return "".join(lines), sorted({*found, *more})


def rewritten_notebook(text: str, table: Table) -> tuple[str, list[Undecided]]:
    """Cells of a Jupyter notebook; its layout stays if it has the usual one."""
    data = json.loads(text)
    found: list[Undecided] = []
    usual = text == _as_notebook(data)
    cells = data.get("cells", [])
    code = [cell for cell in cells if cell.get("cell_type") == "code"]
    for cell in cells:
        if cell not in code:
            new, more = rewritten_markdown("".join(cell["source"]), table)
            cell["source"] = new.splitlines(keepends=True)
            found += more
    joined = ["".join(cell["source"]).rstrip("\n") for cell in code]
    marks = "\n# end of cell\n"
    try:
        new, more = rewritten(marks.join(joined) + "\n", table)
    except SyntaxError:
        return text, [Undecided(1, "notebook", "its cells are not Python")]
    for cell, source in zip(code, new[:-1].split(marks), strict=True):
        cell["source"] = source.splitlines(keepends=True)
    found += [Undecided(1, each.name, each.reason) for each in more]
    if data == json.loads(text):
        return text, found
    return _as_notebook(data) if usual else json.dumps(data, indent=1, ensure_ascii=False) + "\n", found


def _as_notebook(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


# model files ---------------------------------------------------------------------------------------------------------


def rewritten_toml(text: str, table: Table) -> tuple[str, list[Undecided]]:
    """Keys and element types of a model file, and commands in any TOML file; comments and layout stay."""
    text = rewritten_text(text, table)
    data = tomllib.loads(text)
    if data.get("model") not in ("planar", "spatial") or "format" not in data:
        return text, []
    owner = "PlanarModel" if data["model"] == "planar" else "SpatialModel"
    lines, found = text.splitlines(keepends=True), []
    types = _types_of_sections(lines)
    section = 0
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            section = number
            continue
        mark = re.match(r"(\s*)([\w-]+)(\s*=\s*)(.*)", line, re.DOTALL)
        if mark is None:
            continue
        called = f"{owner}.{types.get(section, '')}" if section else owner
        row = _key_row(table, mark[2], called)
        if row is not None and row.hand:
            found.append(Undecided(number + 1, mark[2], row.hand))
        elif row is not None:
            lines[number] = mark[1] + row.new + mark[3] + mark[4]
        elif mark[2] == "type":
            lines[number] = mark[1] + mark[2] + mark[3] + _new_type(table, mark[4], owner)
        lines[number] = re.sub(r"\{[^{}]*\}", lambda inner: _new_entry(inner[0], table), lines[number])
        lines[number] = re.sub(r'"[^"\\]*"', lambda quoted: _new_formula(quoted[0], table), lines[number])
    return "".join(lines), found


def _types_of_sections(lines: list[str]) -> dict[int, str]:
    """Type of each section, by the line of its header."""
    found, section = {}, 0
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            section = number
            if single := re.match(r"\s*\[(bodies|points)\.", line):
                found[section] = {"bodies": "body", "points": "point"}[single[1]]
        elif mark := re.match(r"""\s*type\s*=\s*["'](\w+)["']""", line):
            found[section] = mark[1]
    return found


def _new_entry(text: str, table: Table) -> str:
    """An inline table with its keys renamed, if its type is a class: {type = "box", ...} is a Box."""
    kind = re.search(r"""\btype\s*=\s*["'](\w+)["']""", text)
    for row in table.of_kind("argument") if kind else ():
        if kind and not row.hand and row.new and kind[1].capitalize() in row.owners:
            text = re.sub(rf"(?<=[{{,\s]){re.escape(row.old)}(?=\s*=)", row.new, text)
    return text


def _new_formula(text: str, table: Table) -> str:
    """A text with its quantities renamed, if it is a name or a formula."""
    for first, last, new in sorted(quantity_edits(text[1:-1], table), reverse=True):
        text = text[: first + 1] + new + text[last + 1 :]
    return text


def _key_row(table: Table, key: str, called: str) -> Rename | None:
    rows = [row for row in table.arguments.get(key, ()) if row.files and called in table.callables(row)]
    return rows[0] if rows else None


def _new_type(table: Table, value: str, owner: str) -> str:
    mark = re.match(r"""(["'])(\w+)\1""", value)
    rows = (
        [row for row in table.members.get(mark[2], ()) if row.files and (not row.owners or owner in row.owners)]
        if mark
        else []
    )
    return f"{mark[1]}{rows[0].new}{mark[1]}{value[mark.end() :]}" if mark and rows and not rows[0].hand else value
