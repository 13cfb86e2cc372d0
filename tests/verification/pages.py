"""Pages of the verification manual: written from rows, and read back by the suite."""

from __future__ import annotations

import datetime
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from verification.case import Case, Row, areas

PACKAGES = ("trammel", "numpy", "scipy", "numba")
HEAD = "| quantity | unit | reference | Trammel | error | relative to | tolerance | verdict |"
FIELDS = ("quantity", "unit", "reference", "computed", "error", "scale", "tolerance", "verdict")
VALUES = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Line:
    """One line of a table of the manual, as text."""

    quantity: str
    unit: str
    reference: str
    computed: str
    error: str
    scale: str
    tolerance: str
    verdict: str


def number(value: float, digits: int = 9) -> str:
    """Return a number as text; -0 becomes 0."""
    return f"{value + 0.0:.{digits}g}"


def values(x: float | np.ndarray) -> str:
    """Return one number, up to four numbers, or the count and the range of more."""
    flat = np.ravel(np.asarray(x, float))
    if flat.size <= 4:
        return ", ".join(number(v) for v in flat)
    return f"{flat.size} values, {number(flat.min(), 6)} to {number(flat.max(), 6)}"


def line(row: Row) -> Line:
    """Return the line of a row."""
    scale = "" if row.scale == 1 else number(row.scale, 4)
    verdict = "agrees" if row.passed else "DIFFERS"
    return Line(
        row.quantity.replace("|", "\\|"), row.unit, values(row.reference), values(row.computed), f"{row.error:.1e}",
        scale, f"{row.tolerance:.1e}", verdict,
    )  # fmt: skip


def same_line(page: Line, computed: Line) -> bool:
    """Return True if quantity, unit, tolerance and verdict are equal, and the references agree to six digits."""
    if (page.quantity, page.unit, page.tolerance, page.verdict) != (
        computed.quantity, computed.unit, computed.tolerance, computed.verdict,
    ):  # fmt: skip
        return False
    ours, theirs = ([float(v) for v in VALUES.findall(text.reference)] for text in (computed, page))
    if len(ours) != len(theirs):
        return False
    size = max([abs(v) for v in ours], default=0.0)
    return bool(np.allclose(ours, theirs, rtol=1e-5, atol=1e-6 * size))


def file_name(area: str) -> str:
    """Return the name of an area's page, e.g. "modelica_mechanics_library"."""
    return re.sub(r"\W+", "_", area.lower()).strip("_")


def table(rows: Sequence[Row]) -> list[str]:
    """Return the Markdown table of a case."""
    lines = [HEAD, "| --- " * len(FIELDS) + "|"]
    for row in rows:
        text = line(row)
        lines.append("| " + " | ".join(getattr(text, field) for field in FIELDS) + " |")
    return lines


def area_page(area: str, cases: Sequence[Case], pictures: Mapping[str, str], note: str = "") -> str:
    """Return the page of an area.

    Args:
        area: Title of the page.
        cases: Cases of the area that ran.
        pictures: Paths of pictures relative to the page, by caption.
        note: Text below the first paragraph.
    """
    count = sum(len(case.rows) for case in cases)
    text = [
        f"# Verification: {area}", "",
        f"{len(cases)} reference cases with {count} comparisons. `make verify` writes this page; "
        "[the manual](../verification.md) states versions and date.", "",
    ]  # fmt: skip
    if note:
        text += [note, ""]
    for caption, path in pictures.items():
        text += [f"![{caption}]({path})", "", f"{caption}", ""]
    for case in cases:
        text += [f"## {case.name}", "", f"Source: {case.source}", ""]
        if case.uses:
            text += [f"Uses: {case.uses}", ""]
        text += [f"Tolerance: {case.reason}", "", *table(case.rows), ""]
    return "\n".join(text).rstrip() + "\n"


def versions() -> str:
    """Return versions of the package, its dependencies, Python and the processor."""
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return f"{packages}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"


def manual(cases: Mapping[str, Case], skipped: Sequence[Case]) -> str:
    """Return the first page of the manual: one row per area."""
    text = [
        "# Verification", "",
        "Every reference case with its source, the reference value, the computed value, the error and the tolerance with its reason. "
        "References are printed results of textbooks, published benchmarks, closed forms, and results of other programs. "
        "`make verify` runs all cases and writes these pages; `make test` runs them and compares references, tolerances "
        "and verdicts with these pages.", "",
        f"Written on {datetime.date.today().isoformat()} with {versions()}.", "",
        "| area | cases | comparisons | agree | largest error in units of its tolerance |",
        "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for area, members in areas(cases).items():
        rows = [row for case in members for row in case.rows]
        worst = max(row.error / row.tolerance for row in rows)
        agree = sum(row.passed for row in rows)
        link = f"[{area}](verification/{file_name(area)}.md)"
        text.append(f"| {link} | {len(members)} | {len(rows)} | {agree} | {worst:.2g} |")
    rows = [row for case in cases.values() for row in case.rows]
    text += ["", f"Together: {len(cases)} cases, {len(rows)} comparisons, {sum(row.passed for row in rows)} agree.", ""]
    if skipped:
        text += ["Not run here, because another program is not installed: "
                 + ", ".join(f"{case.name} ({', '.join(case.missing)})" for case in skipped) + ".", ""]  # fmt: skip
    return "\n".join(text).rstrip() + "\n"


def read_area(path: Path) -> dict[str, list[Line]]:
    """Return the lines of each case on a page."""
    found: dict[str, list[Line]] = {}
    name = ""
    for text in path.read_text(encoding="utf-8").splitlines():
        if text.startswith("## "):
            name = text[3:]
            found[name] = []
        elif name and text.startswith("| ") and text != HEAD and not text.startswith("| ---"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]
            found[name].append(Line(*cells))
    return found
