"""Rename quantities in formulas and names given as text ("A.reaction.size"), for tools/rename.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rename_table import Rename, Table

UNIT = re.compile(r"\s*\[[^\]]*\]\s*$")


def quantity_edits(text: str, table: Table) -> Iterator[tuple[int, int, str]]:
    """Replacements (start, end, new) in a text that is a name or a formula, with or without a unit."""
    rows = [row for row in table.of_kind("quantity") if _pattern(row).search(text)]
    if not rows or not _is_formula(text):
        return
    for row in rows:
        for place in _pattern(row).finditer(text):
            yield *place.span(1), row.new


def open_quantities(text: str, table: Table) -> Iterator[str]:
    """Names in a text that is not a formula as a whole: a message, or several names."""
    if "\n" in text or _is_formula(text):
        return
    for row in table.of_kind("quantity"):
        for place in _pattern(row).finditer(text):
            yield place[0]


def _pattern(row: Rename) -> re.Pattern[str]:
    """Old name as the last part of a dotted name."""
    owners = "|".join(map(re.escape, row.owners)) or r"\w+"
    return re.compile(rf"(?<![\w])(?:[A-Za-z_]\w*\.)*(?:{owners})\.({re.escape(row.old)})(?![\w.(])")


def _is_formula(text: str) -> bool:
    try:
        tree = ast.parse(UNIT.sub("", text).strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return not any(isinstance(node, (ast.Constant, ast.Subscript)) and not _is_number(node) for node in ast.walk(tree))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
