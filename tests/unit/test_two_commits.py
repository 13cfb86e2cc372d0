"""The instruments that compare two commits: what they call a difference, and the interval of a median."""

import sys
from math import comb
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import commits  # noqa: E402
import compare  # noqa: E402
import same  # noqa: E402


@pytest.mark.parametrize(
    ("pairs", "rank"),
    [
        (6, 1),
        (8, 1),
        (9, 2),
        (20, 6),
        (40, 14),
    ],  # sign test tables, two-sided 5 % (e.g. Conover, table A3: ranks r and n + 1 - r)
)
def test_the_interval_of_a_median_stands_at_the_ranks_of_the_sign_test(pairs, rank):
    middle, low, high = compare.interval(np.arange(pairs, 0, -1.0))
    assert (low, high) == (rank, pairs + 1 - rank)
    assert middle == (pairs + 1) / 2
    assert 2 * sum(comb(pairs, k) for k in range(rank)) <= 0.05 * 2**pairs


def outcome(**changed):
    return {"values": {"x": np.array([1.0, 2.0])}, "warnings": ["W: high"], "messages": ["peak 2 m"], **changed}


def test_equal_outcomes_do_not_differ():
    assert same.differences(outcome(), outcome()) == []
    twice = outcome(values={"x": np.array([np.nan, 2.0])})
    assert same.differences(twice, outcome(values={"x": np.array([np.nan, 2.0])})) == []


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"values": {"x": np.array([1.0, np.nextafter(2.0, 3.0)])}}, "x by 4.4e-16"),
        ({"values": {"x": np.array([-0.0 + 1.0, np.nan])}}, "x by inf"),
        ({"values": {"x": np.array([1.0])}}, "shape"),
        ({"values": {"y": np.array([1.0, 2.0])}}, "1 missing"),
        ({"warnings": []}, "- W: high"),
        ({"warnings": ["W: high", "W: low"]}, "+ W: low"),
        ({"messages": ["peak 3 m"]}, "+ peak 3 m"),
    ],
)
def test_every_difference_is_listed(changed, word):
    assert word in "; ".join(same.differences(outcome(**changed), outcome()))


def test_the_cases_are_all_examples_and_all_registered_types():
    import pytrammel.examples
    import registry_samples

    names = list(commits.cases())
    assert names[: len(pytrammel.examples.names())] == [f"example/{name}" for name in pytrammel.examples.names()]
    assert len(names) == len(pytrammel.examples.names()) + len(registry_samples.TYPES)
    assert commits.selected(names, ["example/four*", "plane/revolute"])[0] == "example/four_bar"
    with pytest.raises(SystemExit, match="no case"):
        commits.selected(names, ["nothing*"])


def test_a_case_is_its_values_warnings_and_messages():
    found = commits.outcome("example/four_bar")
    assert {"times", "q", "v", "a", "D.angle"} <= found["values"].keys()
    assert any("crank-rocker" in line for line in found["messages"])
    assert same.differences(found, commits.outcome("example/four_bar")) == []


def test_a_process_replies_and_is_measured():
    with commits.Worker(ROOT) as worker:
        assert "plane/revolute" in worker.request("names")
        assert same.differences(worker.request("outcome", "plane/revolute"), commits.outcome("plane/revolute")) == []
        assert 0.0 < worker.request("cpu_seconds", "plane/revolute", 0.0) < 60.0
