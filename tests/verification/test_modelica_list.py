"""The manual lists every published result of the Modelica mechanics library: compared, or with the missing element."""

from __future__ import annotations

from pathlib import Path

from verification import pages
from verification.case import all_cases
from verification.cases.modelica import listing
from verification.cases.modelica.reference import AREA

PAGE = Path(__file__).parents[2] / "docs" / "verification" / f"{pages.file_name(AREA)}.md"


def test_every_published_result_is_a_case_or_lacks_an_element() -> None:
    published = set(listing.published())
    cases = {name.removeprefix("modelica/") for name, case in all_cases().items() if case.area == AREA}
    assert len(published) == 165
    assert cases | set(listing.MISSING) == published
    assert not cases & set(listing.MISSING)


def test_the_page_lists_all_published_results() -> None:
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    for name in listing.published():
        lines = [line for line in listed if line.startswith(f"| {name} |")]
        assert len(lines) == 1, f"{name}: run make verify"
        if name in listing.MISSING:
            assert listing.MISSING[name] in lines[0]
        else:
            assert lines[0].endswith("| agrees |")


def test_a_comparison_that_ends_early_states_where() -> None:
    for name, result in listing.published().items():
        if name not in listing.MISSING:
            assert listing.whole(result) != (" value up to " in all_cases()[f"modelica/{name}"].reason), name


def test_every_published_column_is_compared_or_named_with_its_content() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, result in listing.published().items():
        groups = result.get("omitted", {})
        names = [column for columns in groups.values() for column in columns]
        assert not set(names) & set(result["columns"]) and len(names) == len(set(names))
        for content, columns in groups.items():
            stated = f"| {content} | {name} | {len(columns)} |" in text
            assert stated == (name not in listing.MISSING), "run make verify"
