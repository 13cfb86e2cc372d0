"""The verification manual: every case agrees with its reference, and the pages state the cases as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from verification import pages
from verification.__main__ import run
from verification.case import Case, Row, all_cases, areas

DOCS = Path(__file__).parents[2] / "docs"
CASES = all_cases()


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_reference_case_agrees_and_stands_in_the_manual(name: str) -> None:
    case = CASES[name]
    assert case.source and case.uses and case.reason
    page = DOCS / "verification" / f"{pages.file_name(case.area)}.md"
    listed = pages.read_area(page)
    assert name in listed, "run make verify"
    assert set(pages.statements(case)) <= set(pages.read_sections(page)[name]), "run make verify"
    if case.missing:
        pytest.skip(f"{', '.join(case.missing)} is not installed (extra 'peers')")
    assert case.rows
    differ = [f"{row.quantity}: error {row.error:.2e} > {row.tolerance:.0e}" for row in case.rows if not row.passed]
    assert not differ
    computed = [pages.line(row) for row in case.rows]
    assert len(computed) == len(listed[name]), "run make verify"
    stale = [
        line.quantity for line, page in zip(computed, listed[name], strict=True) if not pages.same_line(page, line)
    ]
    assert not stale, "run make verify"


def test_the_manual_lists_every_area_and_no_case_that_is_gone() -> None:
    text = (DOCS / "verification.md").read_text(encoding="utf-8")
    for area, members in areas(CASES).items():
        page = DOCS / "verification" / f"{pages.file_name(area)}.md"
        assert f"(verification/{page.name})" in text
        assert set(pages.read_area(page)) <= {case.name for case in members}
    assert text == pages.manual(list(areas(CASES)), DOCS / "verification"), "run python -m verification --summary"


def peer(needs: tuple[str, ...], area: str = "Robots") -> Case:
    rows = [Row("acceleration", "m/s²", 2.0, 2.0, 1e-9)]
    return Case("arm", area, "another program", "rounding", lambda: rows, needs=needs)


def test_a_case_whose_program_is_missing_keeps_its_earlier_comparison(tmp_path) -> None:
    page = tmp_path / "robots.md"
    page.write_text(pages.area_page("Robots", [peer(("numpy",))], {}), encoding="utf-8")
    before = pages.read_area(page)
    assert len(before["arm"]) == 1
    assert f"numpy {np.__version__}" in page.read_text(encoding="utf-8")
    page.write_text(pages.area_page("Robots", [peer(("no_such_program",))], {}, earlier=page), encoding="utf-8")
    assert pages.read_area(page) == before


def test_a_case_that_never_ran_is_listed_as_such(tmp_path) -> None:
    page = tmp_path / "robots.md"
    done = Case("leg", "Robots", "closed form", "rounding", lambda: [Row("angle", "rad", 1.0, 1.0, 1e-9)])
    page.write_text(pages.area_page("Robots", [peer(("no_such_program",)), done], {}), encoding="utf-8")
    assert pages.read_area(page)["arm"] == []
    text = pages.manual(["Robots"], tmp_path)
    assert "Not run, because another program is not installed: arm." in text
    assert "Together: 2 cases, 1 comparisons, 1 agree." in text


@pytest.mark.parametrize(
    "change",
    [
        {"reference": 1.001}, {"tolerance": 2e-3}, {"quantity": "speed"}, {"unit": "m/s"}, {"computed": 3.0}, {"scale": 1.01},
    ],
)  # fmt: skip
def test_a_stale_line_of_the_manual_is_noticed(change: dict) -> None:
    row = {"quantity": "angle", "unit": "rad", "reference": 1.0, "computed": 1.0 + 1e-9, "tolerance": 1e-3}
    page, same = pages.line(Row(**row)), pages.line(Row(**{**row, "computed": 1.0 - 1e-9}))
    assert pages.same_line(page, same)
    assert not pages.same_line(page, pages.line(Row(**{**row, **change})))


def test_a_changed_reference_between_the_smallest_and_the_largest_is_noticed() -> None:
    reference = np.array([0.0, 0.3, 0.5, 0.7, 1.0])
    page = pages.line(Row("angle", "rad", reference, reference, 1e-3))
    reference[2] += 1e-4
    assert not pages.same_line(page, pages.line(Row("angle", "rad", reference, reference, 1e-3)))


@pytest.mark.parametrize(
    "wrong", [{"computed": np.ones(2)}, {"reference": np.nan, "computed": np.nan}, {"tolerance": 0.0}, {"scale": 0.0}]
)
def test_a_row_that_cannot_fail_is_rejected(wrong: dict) -> None:
    with pytest.raises(ValueError, match="angle"):
        Row(**{"quantity": "angle", "unit": "rad", "reference": 1.0, "computed": 1.0, "tolerance": 1e-3, **wrong})


def test_a_value_that_is_not_finite_differs() -> None:
    assert not Row("angle", "rad", 1.0, np.nan, 1e-3).passed


def test_the_program_reports_every_case_that_differs_or_raises() -> None:
    def broken() -> list[Row]:
        raise ValueError("no motion")

    wrong = Case("wheel", "Robots", "closed form", "rounding", lambda: [Row("angle", "rad", 1.0, 2.0, 1e-9)])
    failures, stopped = run([Case("arm", "Robots", "closed form", "rounding", broken), wrong])
    assert stopped == ["arm: ValueError: no motion"]
    assert len(failures) == 1 and failures[0].startswith("wheel: angle")
