"""Run all reference cases and write the verification manual: `python -m verification` in the folder `tests`.

    python -m verification                      # docs/verification.md and docs/verification/
    python -m verification --area 'Published*'  # the pages of the areas that match, and the summary
    python -m verification --summary            # run no case, and write docs/verification.md from the pages
    python -m verification --cases 'modelica/*' # run the cases that match, and write no pages

Exit status: 0 if every comparison agrees, 1 otherwise.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from verification import pages, pictures
from verification.case import Case, all_cases, areas
from verification.notes import area_notes

DOCS = Path(__file__).parents[2] / "docs"


def run(cases: Sequence[Case]) -> tuple[list[str], list[str]]:
    """Compute all cases with a line of progress each; return comparisons that differ and cases that raise an error."""
    failures, stopped = [], []
    for k, case in enumerate(cases):
        if sys.stderr.isatty():
            print(f"\r{k + 1}/{len(cases)} {case.name:<60.60}", end="", file=sys.stderr)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the suite runs the cases with warnings as errors
            try:
                rows = case.rows
            except Exception as error:  # the other cases run and report nevertheless
                stopped.append(f"{case.name}: {type(error).__name__}: {error}")
                continue
        for row in rows:
            if not row.passed:
                failures.append(f"{case.name}: {row.quantity}: error {row.error:.1e}, tolerance {row.tolerance:.1e}")
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return failures, stopped


def write(cases: Mapping[str, Case], folder: Path) -> None:
    """Write the pages and pictures of the areas of some cases into a folder."""
    (folder / "verification").mkdir(parents=True, exist_ok=True)
    images = folder / "images" / "verification"
    images.mkdir(parents=True, exist_ok=True)
    notes = area_notes()
    for area, members in areas(cases).items():
        name, ran = pages.file_name(area), [case for case in members if not case.missing]
        shown = {}
        if ran:
            pictures.margins(ran, images / f"{name}.png")
            every = "every comparison" if len(ran) == len(members) else "comparisons that need no other program"
            shown[f"Error and tolerance of {every}"] = f"../images/verification/{name}.png"
        if pictures.curves(ran, images / f"{name}_curves.png"):
            shown["References (circles) and computed values (crosses) of some cases"] = (
                f"../images/verification/{name}_curves.png"
            )
        path = folder / "verification" / f"{name}.md"
        path.write_text(pages.area_page(area, members, shown, notes.get(area, ""), path), encoding="utf-8")


def write_summary(names: Sequence[str], folder: Path) -> None:
    """Write the first page from the pages of all areas, of which every one must exist."""
    lacking = [area for area in names if not (folder / "verification" / f"{pages.file_name(area)}.md").exists()]
    if lacking:
        print(f"no page of {', '.join(lacking)}: run it with --area")
    present = [area for area in names if area not in lacking]
    (folder / "verification.md").write_text(pages.manual(present, folder / "verification"), encoding="utf-8")
    print(f"written: {folder / 'verification.md'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", metavar="PATTERN", help="names of cases to run; no pages are written")
    parser.add_argument("--area", metavar="PATTERN", help="areas to run, whose pages are written")
    parser.add_argument("--summary", action="store_true", help="run no case, write the summary from the pages")
    parser.add_argument("--out", type=Path, default=DOCS, metavar="FOLDER", help="folder of the pages, docs by default")
    options = parser.parse_args()
    known = all_cases()
    if options.summary:
        write_summary(list(areas(known)), options.out)
        return 0
    wanted = {
        name: case
        for name, case in known.items()
        if fnmatch.fnmatch(name, options.cases or "*") and fnmatch.fnmatch(case.area, options.area or "*")
    }
    if not wanted:
        parser.error(
            f"no case matches; there are {len(known)}, e.g. {next(iter(sorted(known)))!r}, in {list(areas(known))}"
        )
    cases = [case for case in wanted.values() if not case.missing]
    failures, stopped = run(cases)
    if stopped:
        print("\n".join([*failures, *stopped]))
        print(f"{len(stopped)} cases raised an error: no pages are written.")
        return 1
    rows = sum(len(case.rows) for case in cases)
    print("\n".join(failures))
    print(f"{len(cases)} cases, {rows} comparisons: {rows - len(failures)} agree, {len(failures)} differ; "
          f"{len(wanted) - len(cases)} cases need programs that are not installed.")  # fmt: skip
    if options.cases is None:
        write(wanted, options.out)
        write_summary(list(areas(known)), options.out)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
