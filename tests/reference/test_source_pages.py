"""Pages about source texts: every call runs and gives what its row states, and the pages are up to date."""

from __future__ import annotations

import pytest

from sources.page import FOLDER, Page, Row, Section, failures
from sources.pages import PAGES

pytest.importorskip("matplotlib")

SECTIONS = [pytest.param(page, section, id=section.title) for page in PAGES for section in page.sections]


@pytest.mark.parametrize(("page", "section"), SECTIONS)
def test_the_calls_of_a_section_run_and_give_the_values_of_the_text(page, section, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # calls write decks and pictures
    assert failures(page, section) == []


@pytest.mark.parametrize("page", [pytest.param(page, id=page.file) for page in PAGES])
def test_pages_are_up_to_date(page):
    assert (FOLDER / page.file).read_text(encoding="utf-8") == page.text(), "python -m sources (in tests)"


@pytest.mark.parametrize(("page", "section"), SECTIONS)
def test_names_of_rows_differ(page, section):
    names = [row.name for row in section.rows]
    assert len(names) == len(set(names))


def broken(call, check="True"):
    section = Section("broken", (Row("row", "nowhere", call, check),))
    return failures(Page("broken.md", "broken", "", (section,)), section)


@pytest.mark.parametrize(
    ("call", "check", "reason"),
    [
        ("x = 1", "x == 2", "x == 2 is false"),
        ("tm.no_such_call()", "True", "AttributeError"),
        ("pytrammel no_such_command", "True", "exit code 2"),
        ("pytrammel example", "'no such text' in printed", "is false"),
    ],
)
def test_a_row_that_is_wrong_is_reported(call, check, reason):
    (found,) = broken(call, check)
    assert reason in found
