"""Other systems: what POSIX offers is removed by name, and the answers stay the same."""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import other_systems
import pytrammel as tm
from pytrammel.cli import main
from pytrammel.io.results import run_arrays, run_log
from pytrammel.kernels.cache import KernelStore

ROOT = Path(__file__).parents[2]

TESTS = str(Path(other_systems.__file__).parent)
REMOVED = f"""
import sys
sys.path.insert(0, {TESTS!r})
import other_systems
other_systems.remove_names()
from pytrammel.io.results import run_arrays
run_arrays.MAPS_FILES = False  # as Windows
"""
RUN = """
import sys, warnings
import pytrammel as tm
from pytrammel.cli import main
from pytrammel.io.results import run_store
folder = sys.argv[1]
m = tm.PlanarModel("pendulum")
m.body("bar", position=(0.5, 0), mass=1.0, inertia=0.1)
m.revolute("A", m.ground, "bar", at=(0, 0))
m.save(folder + "/m.toml")
options = {"duration": 0.5, "samples": 11, "store": folder + "/run.trammel", "progress": False}
runs = [m.simulate(**options), m.simulate(**options)]  # the second run replaces the store of the first
runs[0].save(folder + "/kept.trammel")
runs[0].save(folder + "/kept.trammel")
runs[0].to_csv(folder + "/table.csv")
runs[0].animate(folder + "/film.html")

class Stop(Exception):
    pass

def cut(*_, **__):  # a run that is cut before its end, then goes on
    raise Stop

finish, run_store.RunStore.finish = run_store.RunStore.finish, cut
run_store.EVERY, run_store.SHARE = 0.0, 1e9
try:
    m.simulate(**{**options, "store": folder + "/cut.trammel"})
except Stop:
    run_store.RunStore.finish = finish
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    runs += [tm.resume(folder + "/cut.trammel", progress=False)]
runs += [tm.load_result(folder + f"/{name}.trammel") for name in ("run", "kept", "cut")]
print(*(repr(float(r["A"].angle[-1])) for r in runs))
print(main.main(["check", folder + "/m.toml"]), main.main(["info", folder + "/run.trammel"]))
m.parameter("load", 1.0)
m.force("pull", m["bar"].at(0.5, 0), vector=("load", 0))
b = m.batch({"load": [1.0, 2.0]}, states={"A.angle.rate": [0.0, 1.0]})
print(b.simulate(0.1, samples=2, reduce={"end": "A.angle[end]"}, store=folder + "/batch", progress=False)["end"])
print(b.simulate(0.1, samples=2, reduce={"end": "A.angle[end]"}, store=folder + "/batch", progress=False)["end"])
"""


def printed(code, folder):
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.replace(folder.name, "folder")


def test_runs_stores_and_files_need_no_names_of_posix(tmp_path):
    assert printed(REMOVED + RUN, tmp_path / "other") == printed(RUN, tmp_path / "posix")


def pendulum():
    m = tm.PlanarModel("pendulum")
    m.body("bar", position=(0.5, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    return m


@pytest.fixture(scope="module")
def last_angle():
    return float(pendulum().simulate(0.1, samples=3, progress=False)["A"].angle[-1])


def stored(path):
    r = pendulum().simulate(0.1, samples=3, store=path, progress=False)
    r.save(path.with_name("saved.trammel"))
    return [
        float(each["A"].angle[-1])
        for each in (r, tm.load_result(path), tm.load_result(path.with_name("saved.trammel")))
    ]


@pytest.mark.parametrize(
    ("module", "name"), other_systems.names(), ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_stored_run_needs_no_single_name_of_posix(module, name, tmp_path, monkeypatch, last_angle):
    monkeypatch.delattr(module, name)
    assert stored(tmp_path / "run.trammel") == 3 * [last_angle]


@pytest.mark.skipif(sys.platform != "linux", reason="finds open files in /proc")
@pytest.mark.parametrize("older", [None, "result", "held"])
def test_a_store_is_written_where_open_files_have_fixed_names(older, tmp_path, monkeypatch, last_angle):
    """Windows renames, replaces and removes no open file, whether this process or another one has it open."""
    path = tmp_path / "run.trammel"
    if older is not None:
        pendulum().simulate(0.1, samples=2, store=path, progress=False)
    before = path.read_bytes() if older is not None else b""
    monkeypatch.setattr(run_arrays, "MAPS_FILES", False)
    other_systems.forbid_changes_of_open_files(monkeypatch.setattr)
    if older == "held":
        with path.open("rb"), pytest.raises(tm.FileWriteError, match="being used by another process"):
            stored(path)
        assert path.read_bytes() == before
    else:
        assert stored(path) == 3 * [last_angle]
    assert not [file.name for file in tmp_path.iterdir() if file.name.startswith(".")]


@pytest.mark.skipif(sys.platform != "linux", reason="finds open files in /proc")
def test_a_cached_kernel_that_another_process_reads_stays_and_nothing_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(tmp_path))
    told = []
    store = KernelStore("9.9.9", told.append)
    store.write("a.kernel", b"code")
    other_systems.forbid_changes_of_open_files(monkeypatch.setattr)
    with (store.folder / "a.kernel").open("rb"):
        store.write("a.kernel", b"code")
    store.write("b.kernel", b"more")
    assert not told and store.read("a.kernel") == b"code" and store.read("b.kernel") == b"more"
    assert not list(store.folder.glob(".*.part"))


def test_a_limit_on_memory_leaves_plain_tables(monkeypatch):
    def refuse(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    class Refusing:
        madvise = None
        __init__ = refuse

    monkeypatch.setattr(run_arrays.mmap, "mmap", Refusing)
    buffer = run_arrays.Buffer(4, 3)
    buffer.table[1] = 2.0
    buffer.release(2)
    assert buffer.table.sum() == 6.0


@pytest.mark.parametrize(
    "error", [BrokenPipeError(32, "Broken pipe"), OSError(22, "Invalid argument")], ids=["posix", "windows"]
)
def test_a_reader_that_has_seen_enough_is_no_error(error, monkeypatch, capsys):
    def gone(*_, **__):
        raise error

    monkeypatch.setattr(sys, "platform", "linux" if error.errno == 32 else "win32")
    parser = types.SimpleNamespace(parse_known_args=lambda _: (argparse.Namespace(action=gone), []))
    monkeypatch.setattr(main, "_parser", lambda: parser)
    assert main.main(["info"]) == 0
    assert capsys.readouterr().err == ""


def test_a_program_without_a_console_runs_a_command(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    pendulum().save(tmp_path / "m.toml")
    assert main.main(["check", str(tmp_path / "m.toml")]) == 0
    assert main.main(["check", str(tmp_path / "none.toml")]) == 2


def text_files_without_encoding(folder):
    for file in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                mode = next(
                    (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)), ""
                )
                is_text = called in ("read_text", "write_text") and isinstance(node.func, ast.Attribute)
                in_archive = ast.unparse(node.func).startswith("archive.")
                is_text |= called == "open" and not in_archive and bool(re.fullmatch("[rwax]t?[+]?", mode))
                if is_text and not any(each.arg == "encoding" for each in node.keywords):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}"


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "bench", "docs", "examples", ".ci"])
def test_text_files_are_read_and_written_with_an_encoding(folder):
    """Where none is given, the system chooses: not UTF-8 on Windows before Python 3.15."""
    assert not list(text_files_without_encoding(folder))


def fake_msvcrt(held):
    """Byte locks of Windows: one holder for each file, by the position that is locked."""

    def locking(number, mode, count):
        import os

        key = (os.fstat(number).st_ino, os.lseek(number, 0, os.SEEK_CUR), count)
        if mode == 2 and key in held:
            raise OSError("locked")
        held.add(key)

    return types.SimpleNamespace(locking=locking, LK_NBLCK=2)


@pytest.mark.parametrize("system", ["posix", "windows"])
def test_a_file_that_is_written_is_locked_on_every_system(system, tmp_path, monkeypatch):
    if system == "windows":
        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", fake_msvcrt(set()))
    path = tmp_path / "run.log"
    path.write_bytes(b"0123456789")
    with path.open("r+b", buffering=0) as writer:
        writer.seek(4)
        assert run_log.lock(writer)
        assert writer.tell() == 4  # writing goes on where it was
        assert writer.read(2) == b"45"
        with path.open("r+b", buffering=0) as second:
            assert not run_log.lock(second)
        assert run_log.is_written(path)


def test_a_system_without_locks_runs_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    with (tmp_path / "run.log").open("w+b") as file:
        assert run_log.lock(file)


@pytest.mark.parametrize("encoding", ["cp437", "cp1252", "ascii", "utf-8"])
def test_the_command_line_writes_to_streams_of_any_encoding(encoding, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", out)
    assert main.main(["info", "nowhere_φ_–_°.toml"]) == 2
    text = out.buffer.getvalue().decode(encoding)
    assert ("φ" if encoding == "utf-8" else "nowhere_") in text
    assert "\\u2013" in text or encoding in ("utf-8", "cp1252")
