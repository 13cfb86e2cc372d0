"""Parts of the suite: which tests are slow or start processes, which families are sampled, and what each test costs.

The file ``marks.txt`` lists tests for the markers `slow` (more than `LIMIT` of CPU time) and `process`; ``make marks`` writes it.
Tests that need a browser, the site or another program are marked where they are defined. A family marked `sampled(n)` runs n of its
cases, always the same ones; with ``--complete`` it runs all of them, and the fixture `complete` is True.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import pytest

LIMIT = 0.05  # [s] CPU time of a test without the marker `slow`
OUTGROWN = 4.0  # factor on the limit: the first use of a kernel or a library in a process costs up to 0.2 s
LISTED = 20  # outgrown tests in the report
FOLDER = Path(__file__).parent
MARKS = FOLDER / "marks.txt"
HEAD = f"# Tests with markers: 'slow' takes more than {LIMIT} s of CPU time, 'process' starts processes. Written by make marks.\n"
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system")


def pytest_addoption(parser):
    group = parser.getgroup("parts of the suite")
    group.addoption("--complete", action="store_true", help="run all cases of sampled families")
    group.addoption("--write-marks", action="store_true", help="measure the tests that run, and revise tests/marks.txt")


def pytest_configure(config):
    config.pluginmanager.register(Suite(config), "suite")


@pytest.fixture(scope="session")
def complete(request):
    """Whether generated families that a test loops over are run completely."""
    return request.config.getoption("--complete")


def place(nodeid):
    """Identifier without the folder of the suite: `unit/test_x.py::test_y[case]`."""
    return nodeid.removeprefix(f"{FOLDER.name}/")


def read_marks(file=MARKS):
    """Markers by test or by single case."""
    found = defaultdict(set)
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        if line and not line.startswith("#"):
            mark, test = line.split(" ", 1)
            found[test].add(mark)
    return found


def spread(count, total):
    """Indices of an evenly spread sample."""
    return {k * total // count for k in range(min(count, total))} if total > count else set(range(total))


def sample(items):
    """Items without those that their family leaves to complete runs."""
    families = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None:
            families[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    dropped = set()
    for (_, count), members in families.items():
        chosen = spread(count, len(members))
        dropped |= {item for k, item in enumerate(members) if k not in chosen}
    return [item for item in items if item not in dropped], list(dropped)


class Suite:
    """Hooks of the suite; with several processes, each measures and the first one reports."""

    def __init__(self, config):
        self.config = config
        self.marks = read_marks()
        self.costs = {}  # CPU time [s] and number of started processes by test
        self.starts = 0
        self.users = defaultdict(int)
        self.shared = {}
        if not hasattr(sys, "_trammel_suite_hook"):  # hooks cannot be removed again
            sys._trammel_suite_hook = True
            sys.addaudithook(self._heard)

    def _heard(self, event, arguments):
        if event in STARTS:
            self.starts += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        for item in items:
            test = place(item.nodeid)
            for mark in sorted(self.marks.get(test, set()) | self.marks.get(test.partition("[")[0], set())):
                item.add_marker(mark)
            for name in item.fixturenames:
                self.users[name] += 1
        # a test that is named on the command line runs
        if not config.getoption("--complete") and not any("::" in str(each) for each in config.args):
            items[:], dropped = sample(items)
            config.hook.pytest_deselected(items=dropped)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        began = cpu()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self.shared[fixturedef.argname] = cpu() - began

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        began, self.starts = cpu(), 0
        handler = signal.getsignal(signal.SIGINT)
        try:
            try:
                out = yield
            except BaseException:
                with contextlib.suppress(AssertionError):  # the test fails anyway
                    check_for_leaks(handler)
                raise
            check_for_leaks(handler)
            return out
        finally:
            taken = cpu() - began
            if self.config.getoption("--write-marks") and taken > LIMIT:  # without what only the first call loads
                began = cpu()
                with contextlib.suppress(BaseException):
                    item.runtest()
                    taken = min(taken, cpu() - began)
            taken += sum(
                self.shared.get(name, 0.0) / self.users[name] for name in item.fixturenames if name in self.users
            )
            item.user_properties.append(("suite", (taken, self.starts, len(list(item.iter_markers("slow"))))))

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.outcome == "passed":
            for key, value in report.user_properties:
                if key == "suite":
                    self.costs[place(report.nodeid)] = tuple(value)

    def pytest_terminal_summary(self, terminalreporter):
        if hasattr(self.config, "workerinput"):
            return
        if self.config.getoption("--write-marks"):
            count = write_marks(self.costs, self.marks)
            terminalreporter.write_line(f"{MARKS.name}: {count} lines")
            return
        grown = sorted(
            (cost, test) for test, (cost, _, slow) in self.costs.items() if not slow and cost > OUTGROWN * LIMIT
        )
        if grown:
            terminalreporter.section(
                f"{len(grown)} tests without the marker slow took more than {OUTGROWN * LIMIT:g} s of CPU time"
            )
            for cost, test in reversed(grown[-LISTED:]):
                terminalreporter.write_line(f"{cost:6.2f} s  {test}")


def check_for_leaks(handler=signal.default_int_handler):
    """Fail the test that leaves something behind by which Ctrl-C strikes or changes another test.

    Each leak is repaired, so that the next test is not blamed.
    """
    found = []
    jit = sys.modules.get("pytrammel.kernels.jit")
    if jit is not None and jit.raised.error is not None:
        error, jit.raised.error = jit.raised.error, None
        found.append(f"a {type(error).__name__} to be raised by the next kernel call")
    progress = sys.modules.get("pytrammel._util.progress")
    if progress is not None and progress._partial.get() != (True, True):
        progress._partial.set((True, True))
        found.append("the scope of an analysis")
    if threading.current_thread() is threading.main_thread():
        now = signal.getsignal(signal.SIGINT)
        if now is not handler:
            signal.signal(signal.SIGINT, handler)
            found.append(f"{now!r} as the handler of Ctrl-C")
    timers = [
        thread
        for thread in threading.enumerate()
        if isinstance(thread, threading.Timer) and not thread.finished.is_set()
    ]
    for timer in timers:
        timer.cancel()
        found.append(f"a timer that would call {getattr(timer.function, '__name__', timer.function)}")
    if found:
        raise AssertionError(f"this test leaves {' and '.join(found)} to another one")


def cpu():
    """CPU time [s] of this process and of the processes that it has waited for."""
    used = os.times()
    return time.process_time() + used.children_user + used.children_system


def exists(test):
    """Return True if the function of a listed test is still in its file."""
    file, _, name = test.partition("[")[0].partition("::")
    return (FOLDER / file).exists() and f"def {name.rpartition('::')[2]}(" in (FOLDER / file).read_text(
        encoding="utf-8"
    )


def write_marks(costs, old, file=MARKS):
    """Revise the marks of the tests that were measured; others keep theirs."""
    families = defaultdict(dict)
    for test, (cost, starts, _) in costs.items():
        families[test.partition("[")[0]][test] = cost, starts
    kept = {test: marks for test, marks in old.items() if test.partition("[")[0] not in families and exists(test)}
    lines = {f"{mark} {test}" for test, marks in kept.items() for mark in marks}
    for name, cases in families.items():
        if any(starts for _, starts in cases.values()):
            lines.add(f"process {name}")
        slow = [test for test, (cost, _) in cases.items() if cost > LIMIT]
        lines |= {f"slow {name}"} if 2 * len(slow) > len(cases) else {f"slow {test}" for test in slow}
        measured = {
            f"slow {test}"
            for test, marks in old.items()
            if "slow" in marks and test.startswith(f"{name}[") and test not in cases
        }
        lines |= set() if f"slow {name}" in lines else measured
    file.write_text(HEAD + "".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")
    return len(lines)
