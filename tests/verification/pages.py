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

from verification.case import Case, Row, installed_version

PACKAGES = ("pytrammel", "numpy", "scipy", "numba")
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
    """Return one number, up to four numbers, or the count, the range and the mean of more."""
    flat = np.ravel(np.asarray(x, float))
    if flat.size <= 4:
        return ", ".join(number(v) for v in flat)
    mean, size = flat.mean(), np.abs(flat).max()
    mean = 0.0 if abs(mean) < 1e-9 * size else mean  # rounding of a sum that vanishes
    return f"{flat.size} values, {number(flat.min(), 6)} to {number(flat.max(), 6)}, mean {number(mean, 6)}"


def line(row: Row) -> Line:
    """Return the line of a row."""
    scale = "" if row.scale == 1 else number(row.scale, 4)
    verdict = "agrees" if row.passed else "DIFFERS"
    return Line(
        row.quantity.replace("|", "\\|"), row.unit, values(row.reference), values(row.computed), f"{row.error:.1e}",
        scale, f"{row.tolerance:.1e}", verdict,
    )  # fmt: skip


def same_line(page: Line, computed: Line) -> bool:
    """Return True if quantity, unit, tolerance and verdict are equal, and references and scales agree to six and four digits."""
    if (page.quantity, page.unit, page.tolerance, page.verdict) != (
        computed.quantity, computed.unit, computed.tolerance, computed.verdict,
    ):  # fmt: skip
        return False
    if not np.isclose(*(float(text.scale or 1.0) for text in (page, computed)), rtol=1e-3, atol=0.0):
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


def statements(case: Case) -> list[str]:
    """Return source, methods and reason of the tolerance of a case, as they stand on its page."""
    return [f"Source: {case.source}", f"Uses: {case.uses}", f"Tolerance: {case.reason}"]


def section(case: Case) -> list[str]:
    """Return the lines of a case on its page."""
    source, uses, tolerance = statements(case)
    text = [f"## {case.name}", "", source, "", uses, ""]
    if case.needs:  # a later run without these programs keeps this section below its own date and versions
        programs = ", ".join(f"{name} {installed_version(name)}" for name in case.needs)
        text += [f"Compared with: {programs}; {datetime.date.today().isoformat()}, {versions()}", ""]
    return [*text, tolerance, "", *table(case.rows)]


def not_run(case: Case) -> list[str]:
    """Return the lines of a case whose other program is not installed, and whose page has no earlier comparison."""
    return [f"## {case.name}", "", f"Source: {case.source}", "", f"Not run: {', '.join(case.needs)} is not installed."]


def area_page(
    area: str, cases: Sequence[Case], pictures: Mapping[str, str], note: str = "", earlier: Path | None = None
) -> str:
    """Return the page of an area.

    Args:
        area: Title of the page.
        cases: Cases of the area.
        pictures: Paths of pictures relative to the page, by caption.
        note: Text below the first paragraph.
        earlier: Page written before, whose sections replace cases that need programs that are not installed.
    """
    kept = read_sections(earlier) if earlier is not None and earlier.exists() else {}
    sections = [kept.get(case.name, not_run(case)) if case.missing else section(case) for case in cases]
    count = sum(line.endswith("agrees |") or line.endswith("DIFFERS |") for lines in sections for line in lines)
    text = [
        f"# Verification: {area}", "",
        f"{len(cases)} reference cases with {count} comparisons. `make verify` writes this page: "
        f"{datetime.date.today().isoformat()}, {versions()}.", "",
    ]  # fmt: skip
    if note:
        text += [note, ""]
    for caption, path in pictures.items():
        text += [f"![{caption}]({path})", "", f"{caption}", ""]
    for lines in sections:
        text += [*lines, ""]
    return "\n".join(text).rstrip() + "\n"


def versions() -> str:
    """Return versions of the package, its dependencies, Python and the processor."""
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return f"{packages}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"


def manual(names: Sequence[str], folder: Path) -> str:
    """Return the first page of the manual, computed from the pages of the areas.

    Args:
        names: Titles of the areas.
        folder: Folder of the areas' pages.
    """
    text = [
        "# Verification", "",
        "Every reference case with its source, the reference value, the computed value, the error and the tolerance with its reason. "
        "References are printed results of textbooks, published benchmarks, closed forms, and results of other programs. "
        "`make verify` runs all cases and writes these pages; `make test` runs them and compares references, tolerances "
        "and verdicts with these pages. Each page states its date and versions.", "",
        "| area | cases | comparisons | agree | largest error in units of its tolerance |",
        "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    cases, lines, open_cases = 0, [], []
    for area in names:
        found = read_area(folder / f"{file_name(area)}.md")
        rows = [line for case in found.values() for line in case]
        agree = sum(line.verdict == "agrees" for line in rows)
        worst = max((float(line.error) / float(line.tolerance) for line in rows), default=0.0)
        text.append(
            f"| [{area}](verification/{file_name(area)}.md) | {len(found)} | {len(rows)} | {agree} | {worst:.2g} |"
        )
        cases, lines = cases + len(found), lines + rows
        open_cases += [name for name, case in found.items() if not case]
    agree = sum(line.verdict == "agrees" for line in lines)
    text += ["", f"Together: {cases} cases, {len(lines)} comparisons, {agree} agree.", ""]
    if open_cases:
        text += ["Not run, because another program is not installed: " + ", ".join(open_cases) + ".", ""]
    return "\n".join(text).rstrip() + "\n"


def read_sections(path: Path) -> dict[str, list[str]]:
    """Return the lines of each case on a page, without empty lines at the end."""
    found: dict[str, list[str]] = {}
    for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
        lines = ("## " + part).rstrip().splitlines()
        found[lines[0][3:]] = lines
    return found


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
