"""Kernels are compiled in several processes at once, and whatever happens to the others, the caller ends up with all of them."""

import gc
import os
import subprocess
import sys
import time

import pytest

from pytrammel.kernels import compilers

DIES = "import sys; print('ready', flush=True); sys.stdin.readline()"
NEVER_READY = "import sys; sys.exit(1)"
# keeps what it is told in a folder of pretended kernels, given by the environment
WORKS = """
import os, pathlib, sys
print("ready", flush=True)
for line in sys.stdin:
    (pathlib.Path(os.environ["MADE"]) / line.split()[1]).touch()
    print("done", flush=True)
"""


class Pretended:
    """A kernel whose cache is a folder with a file for each."""

    def __init__(self, name, folder, seconds=4.0):
        self.name, self.module, self.seconds, self.folder = name, "nowhere", seconds, folder
        self.compiled = self.loaded = 0
        self._seen = False

    def is_cached(self):
        self._seen = (self.folder / self.name).exists()
        return self._seen

    def compile(self):
        if self._seen:
            self.loaded += 1
        else:
            time.sleep(0.05)
            self.compiled += 1


@pytest.fixture
def several(monkeypatch, tmp_path):
    monkeypatch.setenv("TRAMMEL_COMPILERS", "3")
    monkeypatch.setenv("MADE", str(tmp_path))
    return [Pretended(f"k{number}", tmp_path) for number in range(12)]


@pytest.mark.parametrize("program", [DIES, NEVER_READY, WORKS])
def test_every_kernel_is_made_ready_once_whatever_the_helpers_do(several, monkeypatch, program):
    monkeypatch.setattr(compilers, "HELPER", program)
    compilers.compile_all(several, helpers=True)
    assert [each.compiled + each.loaded for each in several] == [1] * 12
    if program != WORKS:
        assert not any(each.loaded for each in several)


def test_helpers_share_the_work(several, monkeypatch, tmp_path):
    monkeypatch.setattr(compilers, "HELPER", WORKS)

    def until_a_helper_has_made_one():
        while not list(tmp_path.iterdir()):
            time.sleep(0.01)

    several[0].seconds = 100.0  # the longest comes first: the caller's
    several[0].compile = until_a_helper_has_made_one
    monkeypatch.setattr(compilers._Helper, "_feed", once_begun(compilers._Helper._feed, several))
    compilers.compile_all(several, helpers=True)
    assert any(each.loaded for each in several)


def once_begun(feed, several):
    """Helpers that wait until the caller has taken the first kernel."""

    def wait(self):
        while several[0] in self._queue:
            time.sleep(0.01)
        feed(self)

    return wait


def test_without_a_python_to_start_the_caller_compiles_alone(several, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    compilers.compile_all(several, helpers=True)
    assert all(each.compiled == 1 for each in several)
    monkeypatch.setattr(sys, "frozen", True, raising=False)  # an application must not be started again
    monkeypatch.setattr(compilers, "_Helper", None)
    compilers.compile_all(several, helpers=True)
    assert all(each.compiled == 2 for each in several)


def test_what_is_raised_while_compiling_ends_the_helpers(several, monkeypatch):
    begun = []
    monkeypatch.setattr(compilers, "HELPER", WORKS)
    monkeypatch.setattr(compilers, "_Helper", type("Noted", (compilers._Helper,), {"__init__": noted(begun)}))

    def interrupted():
        while not all(helper._process for helper in begun):
            time.sleep(0.01)
        raise KeyboardInterrupt

    for each in several:
        each.compile = interrupted
    with pytest.raises(KeyboardInterrupt):
        compilers.compile_all(several, helpers=True)
    assert len(begun) == 2 and all(helper._process.poll() is not None for helper in begun)


def noted(begun):
    first = compilers._Helper.__init__

    def begin(self, queue):
        begun.append(self)
        first(self, queue)

    return begin


@pytest.mark.parametrize("said, meant", [("3", 3), ("1", 1), ("0", None), ("many", None), ("", None)])
def test_the_number_of_processes_can_be_said(monkeypatch, said, meant):
    monkeypatch.setenv("TRAMMEL_COMPILERS", said)
    assert compilers.processes() == meant if meant else 1 <= compilers.processes() <= compilers.MOST


def test_real_kernels_come_from_two_processes_and_give_the_same_numbers(tmp_path):
    program = """
import pytrammel as tm
from pytrammel.kernels import jit
m = tm.PlanarModel("pendulum")
m.body("bob", position=(1.0, 0.0), mass=1.0, inertia=0.1)
m.revolute("A", "ground", "bob", at=(0.0, 0.0))
r = m.mobility()
print(r.dof, sum(k.was_loaded() for k in jit.all_kernels()), [k._compiled is None for k in jit.all_kernels()].count(False))
"""
    environment = {**os.environ, "TRAMMEL_COMPILERS": "2", "TRAMMEL_CACHE_DIR": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    freedom, loaded, ready = map(int, found.stdout.split())
    assert freedom == 1 and ready >= 4
    assert loaded >= 1  # from the helper
    assert "compiling" in found.stderr and "Traceback" not in found.stderr


def test_the_collector_of_rubbish_rests_meanwhile_and_looks_where_much_has_piled_up(monkeypatch):
    at_work, looked = [], []

    class Watched:
        name = module = "watched"
        seconds = 0.1
        is_cached = staticmethod(lambda: False)

        def compile(self):
            at_work.append(gc.isenabled())

    monkeypatch.setattr(compilers, "RUBBISH", -1)
    monkeypatch.setattr(gc, "collect", lambda: looked.append(True))
    assert gc.isenabled()
    compilers.compile_all([Watched(), Watched()], helpers=False)
    assert gc.isenabled() and at_work == [False, False] and len(looked) == 2
