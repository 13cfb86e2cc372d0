"""The parts of the suite: samples of families, the list of slow tests, and interruptions that a test leaves behind."""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import suite


class Item(SimpleNamespace):
    __hash__ = object.__hash__
    __eq__ = object.__eq__


@pytest.mark.parametrize(("count", "total"), [(1, 1), (1, 9), (4, 12), (26, 78), (20, 77), (8, 25), (30, 20)])
def test_a_sample_has_its_size_and_is_spread_evenly(count, total):
    chosen = sorted(suite.spread(count, total))
    assert len(chosen) == min(count, total) and chosen[0] == 0 and chosen[-1] < total
    gaps = [b - a for a, b in zip(chosen, [*chosen[1:], total], strict=True)]
    assert max(gaps) - min(gaps) <= 1


def test_only_marked_families_are_sampled():
    def made(name, count):
        mark = None if count is None else SimpleNamespace(args=(count,))
        return Item(nodeid=name, get_closest_marker=lambda kind: mark)

    marked = [made(f"tests/a.py::test_x[{k}]", 3) for k in range(9)]
    others = [made(f"tests/a.py::test_y[{k}]", None) for k in range(5)]
    items, dropped = suite.sample([*others, *marked])
    assert [each.nodeid[-2] for each in items] == ["0", "1", "2", "3", "4", "0", "3", "6"]
    assert len(dropped) == 6 and not set(dropped) & set(others)


def lines(file):
    return [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_marks_follow_what_was_measured(tmp_path):
    file = tmp_path / "marks.txt"
    here = "unit/test_suite.py::test_only_marked_families_are_sampled"
    file.write_text(
        f"# head\nslow {here}\nslow a.py::gone\nslow a.py::f[1]\nslow a.py::f[9]\nprocess a.py::g\nslow a.py::g\n",
        encoding="utf-8",
    )
    costs = {
        "a.py::f[1]": (0.01, 0, 1),
        "a.py::f[2]": (0.2, 0, 0),
        "a.py::f[3]": (0.01, 0, 0),
        "a.py::f[4]": (0.01, 0, 0),
    }
    suite.write_marks({**costs, "a.py::g": (0.03, 0, 1), "a.py::h": (0.3, 2, 0)}, suite.read_marks(file), file)
    # f[1] and g have become fast, f[9] was not measured, and nothing was measured of the first, which exists
    assert lines(file) == ["process a.py::h", "slow a.py::f[2]", "slow a.py::f[9]", "slow a.py::h", f"slow {here}"]
    assert suite.read_marks(file)["a.py::h"] == {"slow", "process"}
    suite.write_marks({f"a.py::f[{k}]": (0.2, 0, 0) for k in range(4)}, suite.read_marks(file), file)
    assert "slow a.py::f" in lines(file) and not any("::f[" in line for line in lines(file))


LEAKS = """
import signal, sys, threading
sys.path.insert(0, {folder!r})
from other_systems import press_ctrl_c
from pytrammel._util import progress
from pytrammel.kernels import jit

def test_interruption():
    jit.raised.error = KeyboardInterrupt()

def test_failure_with_interruption():
    jit.raised.error = KeyboardInterrupt()
    assert False, "fails by itself"

def test_scope():
    progress._partial.set((True, False))

def test_handler():
    signal.signal(signal.SIGINT, signal.SIG_IGN)

def test_timer():
    threading.Timer(0.3, press_ctrl_c).start()

def test_all_is_as_before():
    assert jit.raised.error is None
    assert progress.is_partial_allowed()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    threading.Event().wait(0.4)  # the timer would strike

def test_caught():
    timer = threading.Timer(30.0, press_ctrl_c)
    timer.start()
    timer.cancel()
"""


def test_a_test_that_leaves_an_interruption_fails_and_the_next_one_does_not(tmp_path):
    file = tmp_path / "test_leaks.py"
    file.write_text(LEAKS.format(folder=str(suite.FOLDER)), encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(suite.FOLDER)!r})\nfrom suite import complete, pytest_addoption, pytest_configure\n",
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "--rootdir",
        str(tmp_path),
        "-rA",
        str(file),
    ]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "400"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    outcomes = dict(re.findall(r"^(?:FAILED|PASSED|ERROR) .*::(test_\w+)(.*)$", done.stdout, re.MULTILINE))
    leaking = {
        "test_interruption": "KeyboardInterrupt", "test_scope": "scope of an analysis", "test_handler": "handler of Ctrl-C",
        "test_timer": "press_ctrl_c", "test_failure_with_interruption": "fails by itself",
    }  # fmt: skip
    assert outcomes.keys() == leaking.keys() | {"test_all_is_as_before", "test_caught"}, done.stdout + done.stderr
    for name, word in leaking.items():
        assert f"FAILED test_leaks.py::{name}" in done.stdout and word in outcomes[name]
    assert f"{len(leaking)} failed, 2 passed" in done.stdout


def test_the_listed_tests_are_marked(request):
    test = suite.place(request.node.nodeid)
    assert test.startswith("unit/test_suite.py::")
    assert all(marks <= {"slow", "process"} for marks in suite.read_marks().values())
    assert len(suite.read_marks()) > 100
