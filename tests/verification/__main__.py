"""Run all reference cases and write the verification manual: `python -m verification` in the folder `tests`.

    python -m verification                     # docs/verification.md and docs/verification/
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


def run(cases: Sequence[Case]) -> list[str]:
    """Compute all cases with a line of progress each; return the failures."""
    failures = []
    for k, case in enumerate(cases):
        if sys.stderr.isatty():
            print(f"\r{k + 1}/{len(cases)} {case.name:<60.60}", end="", file=sys.stderr)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the suite runs the cases with warnings as errors
            for row in case.rows:
                if not row.passed:
                    failures.append(
                        f"{case.name}: {row.quantity}: error {row.error:.1e}, tolerance {row.tolerance:.1e}"
                    )
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return failures


def write(cases: Mapping[str, Case], skipped: Sequence[Case], folder: Path) -> None:
    """Write the pages and pictures of all areas into a folder."""
    (folder / "verification").mkdir(parents=True, exist_ok=True)
    images = folder / "images" / "verification"
    images.mkdir(parents=True, exist_ok=True)
    notes = area_notes()
    for area, members in areas(cases).items():
        name = pages.file_name(area)
        pictures.margins(members, images / f"{name}.png")
        shown = {"Error and tolerance of every comparison": f"../images/verification/{name}.png"}
        if pictures.curves(members, images / f"{name}_curves.png"):
            shown["References (circles) and computed values (crosses) of some cases"] = (
                f"../images/verification/{name}_curves.png"
            )
        page = pages.area_page(area, members, shown, notes.get(area, ""))
        (folder / "verification" / f"{name}.md").write_text(page, encoding="utf-8")
    (folder / "verification.md").write_text(pages.manual(cases, skipped), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", metavar="PATTERN", help="names of cases to run; no pages are written")
    parser.add_argument("--out", type=Path, default=DOCS, metavar="FOLDER", help="folder of the pages, docs by default")
    options = parser.parse_args()
    known = all_cases()
    wanted = {name: case for name, case in known.items() if fnmatch.fnmatch(name, options.cases or "*")}
    if not wanted:
        parser.error(f"no case matches {options.cases!r}; there are {len(known)}, e.g. {next(iter(sorted(known)))!r}")
    skipped = [case for case in wanted.values() if case.missing]
    cases = {name: case for name, case in wanted.items() if not case.missing}
    failures = run(list(cases.values()))
    rows = sum(len(case.rows) for case in cases.values())
    print("\n".join(failures))
    print(f"{len(cases)} cases, {rows} comparisons: {rows - len(failures)} agree, {len(failures)} differ; "
          f"{len(skipped)} cases need programs that are not installed.")  # fmt: skip
    if options.cases is None:
        write(cases, skipped, options.out)
        print(f"written: {options.out / 'verification.md'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
