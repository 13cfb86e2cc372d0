"""Runs that stream to a store: killed, out of disk, damaged, contested; what was stored stays readable, and memory stays bounded."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from other_systems import needs
from pytrammel.errors import FileFormatError, FileWriteError, ModelError
from pytrammel.io.results import run_arrays, run_log, run_reading, run_store

SOURCE = Path(tm.__file__).parent.parent


def pendulum():
    m = tm.PlanarModel("pendulum")
    b = m.body("b", position=(1, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground.at(0, 0), b.at(-1, 0))
    return m


PENDULUM = "import pytrammel as tm\nfrom pytrammel.io.results import run_store\n\n" + inspect.getsource(pendulum)
ENVIRONMENT = run_store.environment()
LONG = {"duration": 300.0, "samples": 3001, "progress": False}


@pytest.fixture
def often(monkeypatch):
    """A checkpoint whenever a kernel comes back."""
    monkeypatch.setattr(run_store, "EVERY", 0.0)
    monkeypatch.setattr(run_store, "SHARE", 1e9)


@pytest.fixture(scope="module")
def whole():
    return pendulum().simulate(**LONG)


def child(code, **more):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.Popen(
        [sys.executable, "-c", PENDULUM + code],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def cut(path, monkeypatch, after=3, **options):
    """A store as a kill leaves it after some checkpoints."""

    class Killed(Exception):
        pass

    keep, count = run_store.RunStore._keep, [0]

    def keeping(self, *given, **more):
        keep(self, *given, **more)
        count[0] += 1
        if count[0] == after:
            raise Killed

    monkeypatch.setattr(run_store.RunStore, "_keep", keeping)
    with pytest.raises(Killed):
        pendulum().simulate(store=path, **{**LONG, **options})
    monkeypatch.setattr(run_store.RunStore, "_keep", keep)
    return path.read_bytes()


def loaded(path):
    with pytest.warns(tm.RunWarning, match="was cut off") as told:
        result = tm.load_result(path)
    assert str(told[0].message) == str(result.warnings[-1])
    return result


def check_resumed(path, whole):
    result = tm.resume(path, progress=False)
    np.testing.assert_array_equal(result.q, whole.q)
    np.testing.assert_array_equal(result.a, whole.a)
    np.testing.assert_array_equal(tm.load_result(path).q, whole.q)
    assert result.dynamics.statistics == whole.dynamics.statistics and result.warnings == whole.warnings == ()


# --- what a store is -------------------------------------------------------------------------------------------------


def test_a_streamed_run_gives_what_any_other_gives_and_its_store_is_a_stored_result(tmp_path, whole):
    path = tmp_path / "run.trammel"
    result = pendulum().simulate(store=path, **LONG)
    np.testing.assert_array_equal(result.q, whole.q)
    assert result.summary().splitlines()[0] == whole.summary().splitlines()[0]
    saved = whole.save(tmp_path / "saved.trammel")
    again, other = tm.load_result(path), tm.load_result(saved)
    np.testing.assert_array_equal(again.reaction("A").force, other.reaction("A").force)
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_a_killed_run_is_readable_and_goes_on_with_the_same_numbers(tmp_path, whole):
    path = tmp_path / "run.trammel"
    code = f"""
run_store.EVERY, run_store.SHARE = 0.0, 1e9
keep = run_store.RunStore._keep
def keeping(self, *given, **more):
    keep(self, *given, **more)
    print("kept", flush=True)
run_store.RunStore._keep = keeping
pendulum().simulate(store={str(path)!r}, **{LONG!r})
"""
    with child(code) as process:
        for _ in range(4):
            assert process.stdout.readline() == "kept\n", process.stderr.read()
        process.kill()
    assert process.returncode != 0
    partial = loaded(path)
    assert partial.interrupted and 0 < len(partial) < len(whole)
    np.testing.assert_array_equal(partial.q, whole.q[: len(partial)])
    text = str(partial.warnings[-1])
    assert f"{len(partial)} of 3001 instants" in text and f"tm.resume({str(path)!r})" in text
    assert f"until t = {partial.warnings[-1].time:.6g} s" in text
    check_resumed(path, whole)


def test_ctrl_c_keeps_the_rows_and_leaves_a_run_that_can_go_on(tmp_path, monkeypatch, often, whole):
    path, keep, count = tmp_path / "run.trammel", run_store.RunStore.inside_piece, [0]

    def pressed(self, *given):
        keep(self, *given)
        count[0] += 1
        if count[0] == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(run_store.RunStore, "inside_piece", pressed)
    with pytest.warns(tm.RunWarning, match="the run was interrupted at"):
        partial = pendulum().simulate(store=path, **LONG)
    monkeypatch.setattr(run_store.RunStore, "inside_piece", keep)
    assert partial.interrupted and 0 < len(partial) < len(whole)
    np.testing.assert_array_equal(partial.q, whole.q[: len(partial)])
    check_resumed(path, whole)


def test_a_run_that_stops_by_itself_leaves_what_it_computed_and_why(tmp_path, often):
    path = tmp_path / "run.trammel"
    m = pendulum()
    m.user_force("push", "A.angle", "1/(3 - t)**4")
    with pytest.raises(tm.ConvergenceError) as caught:
        m.simulate(5.0, samples=501, method=tm.methods.default(max_steps=20_000), store=path, progress=False)
    stored = tm.load_result(path)
    np.testing.assert_array_equal(stored.q, caught.value.partial.q)
    assert str(caught.value) == str(stored.warnings[-1]) and stored.warnings[-1].kind == "stopped"
    with pytest.warns(tm.RunWarning, match="nothing was left to do"):
        tm.resume(path)


# --- memory ----------------------------------------------------------------------------------------------------------


def anonymous_memory():
    """Bytes of this process that belong to no file."""
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(re.search(r"RssAnon:\s+(\d+)", text)[1])


@needs("mmap.MADV_DONTNEED", "resource")
def test_rows_that_are_stored_take_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(run_store, "MOST_UNKEPT", 2**20)
    monkeypatch.setattr(run_arrays, "IN_MEMORY", 0)
    seen, held, keep = [], [], run_store.RunStore._keep

    def keeping(self, *given, **more):
        keep(self, *given, **more)
        held.append(self.held_rows)
        if sys.platform == "linux":
            seen.append(anonymous_memory())

    monkeypatch.setattr(run_store.RunStore, "_keep", keeping)
    path = tmp_path / "run.trammel"
    result = pendulum().simulate(20.0, samples=400_001, store=path, progress=False)
    size = path.stat().st_size
    assert size > 40 * 2**20 and len(held) > 20
    assert max(held) <= 256  # of 16 bytes at least: those that share a page with the next one
    assert not seen or max(seen) - seen[1] < size / 4
    # the result itself stays in its file, too, and is as good as any other
    assert isinstance(result.q.base, np.memmap) and len(result) == 400_001
    short = pendulum().simulate(20.0, samples=41, progress=False)
    np.testing.assert_allclose(result.q[::10_000], short.q, rtol=0, atol=1e-9)
    assert result["A.angle"].shape == (400_001,)


def test_more_rows_than_memory_holds_are_refused_without_a_store_only(tmp_path, monkeypatch):
    monkeypatch.setattr("pytrammel.analysis.options.machine_memory", lambda: 1e6)
    with pytest.raises(ModelError, match="memory"):
        pendulum().simulate(1.0, samples=20_001, progress=False)
    assert len(pendulum().simulate(1.0, samples=20_001, store=tmp_path / "r.trammel", progress=False)) == 20_001


# --- a full disk -----------------------------------------------------------------------------------------------------


@needs("resource")
def test_a_full_disk_ends_the_run_and_keeps_what_was_stored(tmp_path, whole):
    path = tmp_path / "run.trammel"
    code = f"""
import resource
run_store.EVERY, run_store.SHARE = 0.0, 1e9
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
try:
    pendulum().simulate(store={str(path)!r}, **{LONG!r})
except tm.TrammelError as error:
    print(type(error).__name__, len(error.partial), error)
"""
    with child(code) as process:
        said, trouble = process.communicate(timeout=300)
    kind, count, sentence = said.split(maxsplit=2)
    assert kind == "FileWriteError" and not trouble
    partial = loaded(path)
    assert 0 < len(partial) < int(count) < len(whole)
    np.testing.assert_array_equal(partial.q, whole.q[: len(partial)])
    assert "the disk is full or a limit on file sizes is reached" in sentence
    assert f"The {len(partial)} instants that it holds are safe" in sentence and "tm.resume(" in sentence
    check_resumed(path, whole)


@pytest.mark.parametrize("written", [0, 10, 1000])
def test_a_disk_that_is_full_in_the_middle_of_a_block(written, tmp_path, monkeypatch, often, whole):
    add, count = run_log.LogWriter._add, [0]

    def full(self, kind, parts):
        count[0] += kind == b"ROWS"
        if count[0] == 3:
            self.file.seek(self.end)
            self.file.write(b"x" * written)
            self.file.flush()
            raise OSError(28, "No space left on device")
        return add(self, kind, parts)

    path = tmp_path / "run.trammel"
    monkeypatch.setattr(run_log.LogWriter, "_add", full)
    with pytest.raises(FileWriteError, match="No space left on device") as caught:
        pendulum().simulate(store=path, **LONG)
    monkeypatch.setattr(run_log.LogWriter, "_add", add)
    partial, computed = loaded(path), caught.value.partial
    assert 0 < len(partial) < len(computed) < len(whole)
    np.testing.assert_array_equal(computed.q, whole.q[: len(computed)])
    check_resumed(path, whole)


def test_no_room_to_put_the_store_in_order_leaves_it_as_it_was_written(tmp_path, monkeypatch, often, whole):
    def full(*_, **__):
        raise FileWriteError("the file cannot be written: the disk is full.")

    path = tmp_path / "run.trammel"
    monkeypatch.setattr(run_store, "whole_file", full)
    with pytest.warns(tm.RunWarning, match="its store could not be put in order"):
        result = pendulum().simulate(store=path, **LONG)
    np.testing.assert_array_equal(result.q, whole.q)
    assert path.read_bytes().startswith(run_log.MAGIC)
    stored = tm.load_result(path)  # without a word about a cut
    np.testing.assert_array_equal(stored.q, whole.q)
    with pytest.warns(tm.RunWarning, match="nothing was left to do"):
        tm.resume(path)


# --- damaged, contested, foreign -------------------------------------------------------------------------------------


def test_a_store_cut_at_any_byte_of_its_last_block_is_read_up_to_the_checkpoint_before(
    tmp_path, monkeypatch, often, whole
):
    path = tmp_path / "run.trammel"
    raw = cut(path, monkeypatch, after=4, samples=301)
    with path.open("rb") as stream:
        found = run_log.scan(stream)
    last = found.rows[-1]
    begin = last.at - run_log.COUNTS.size - run_log.HEADER.size
    assert last.at + last.length == len(raw)
    for size in range(begin, len(raw)):
        path.write_bytes(raw[:size])
        with path.open("rb") as stream:
            again = run_log.scan(stream)
        assert again.number == found.number - 1 and again.rows == found.rows[:-1], size
    partial = loaded(path)
    assert len(partial) == last.first
    check_resumed(path, pendulum().simulate(**{**LONG, "samples": 301}))


def test_no_byte_of_a_store_that_changes_gives_other_numbers(tmp_path, monkeypatch, often, whole):
    """Either the file is refused with a sentence, or what comes back is what was stored."""
    path = tmp_path / "run.trammel"
    raw = cut(path, monkeypatch, after=3, samples=31)
    good = loaded(path)
    for at in range(0, len(raw), 97):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 0x5A]) + raw[at + 1 :])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.RunWarning)
            try:
                found = tm.load_result(path)
            except FileFormatError as error:
                assert "run.trammel" in str(error)
                continue
        np.testing.assert_array_equal(found.q, good.q[: len(found)])
        np.testing.assert_array_equal(found.times, good.times[: len(found)])


def test_only_one_run_writes_to_a_store(tmp_path, monkeypatch, often):
    path, told = tmp_path / "run.trammel", []
    keep = run_store.RunStore.inside_piece

    def meanwhile(self, *given):
        keep(self, *given)
        if told:
            return
        for other in (lambda: pendulum().simulate(1.0, store=path), lambda: tm.resume(path)):
            with pytest.raises(FileWriteError) as caught:
                other()
            told.append(str(caught.value))
        with pytest.warns(tm.RunWarning, match="still goes on; this is what it has stored until"):
            assert tm.load_result(path).interrupted

    monkeypatch.setattr(run_store.RunStore, "inside_piece", meanwhile)
    result = pendulum().simulate(store=path, **LONG)
    assert len(result) == 3001 and len(told) == 2 and all("at this moment" in text for text in told)


def test_a_run_that_waits_to_be_resumed_is_not_overwritten(tmp_path, monkeypatch, often, whole):
    path = tmp_path / "run.trammel"
    raw = cut(path, monkeypatch)
    with pytest.raises(FileWriteError, match=r"holds a run that was cut off at t = .* continue it with tm.resume"):
        pendulum().simulate(store=path, **LONG)
    assert path.read_bytes() == raw
    check_resumed(path, whole)
    assert len(pendulum().simulate(1.0, samples=11, store=path, progress=False)) == 11
    assert len(tm.load_result(path)) == 11


def test_a_store_of_another_version_is_read_but_not_resumed(tmp_path, monkeypatch, often):
    path = tmp_path / "run.trammel"
    monkeypatch.setattr(run_store, "__version__", "0.0.9")
    cut(path, monkeypatch)
    monkeypatch.undo()
    with pytest.raises(
        FileFormatError, match=r"was begun by Trammel 0.0.9, this is Trammel .* resume it with that one"
    ):
        tm.resume(path)
    assert len(loaded(path)) > 0
    monkeypatch.setattr(run_reading, "VERSION", 0)
    for reader in (tm.load_result, tm.resume):
        with pytest.raises(FileFormatError, match="has the version 1, but this Trammel reads up to 0; update Trammel"):
            reader(path)


def test_a_run_resumed_elsewhere_says_that_digits_may_differ(tmp_path, monkeypatch, often, whole):
    path = tmp_path / "run.trammel"
    with monkeypatch.context() as there:
        there.setattr(run_store, "environment", lambda: {**ENVIRONMENT, "NumPy": "1.2.3"})
        cut(path, there)
    with pytest.warns(
        tm.RunWarning, match=r"was begun elsewhere \(NumPy 1.2.3 then, .* now\): the last digits may differ"
    ):
        result = tm.resume(path, progress=False)
    np.testing.assert_array_equal(result.q, whole.q)
    assert tm.load_result(path).warnings[-1].kind == "resume"


def test_what_cannot_be_resumed_gets_a_true_sentence(tmp_path, monkeypatch, often, whole):
    path = tmp_path / "run.trammel"
    with pytest.raises(FileFormatError, match="there is no such file"):
        tm.resume(path)
    path.write_bytes(b"something else")
    with pytest.raises(FileFormatError, match="is no stored result"):
        tm.resume(path)
    with pytest.raises(FileFormatError, match=r"Is a directory|cannot be resumed"):
        tm.resume(tmp_path)
    raw = cut(path, monkeypatch, after=1)
    for size in (len(run_log.MAGIC), len(run_log.MAGIC) + 10, len(raw) // 3):
        path.write_bytes(raw[:size])
        with pytest.raises(FileFormatError, match=r"nothing in it can be read|had computed nothing"):
            tm.resume(path)
    whole.save(path)
    with pytest.warns(tm.RunWarning, match="was complete: nothing was left to do"):
        np.testing.assert_array_equal(tm.resume(path).q, whole.q)


def test_a_store_that_cannot_be_written_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    def computed(*_):
        raise AssertionError("computed")

    monkeypatch.setattr("pytrammel.analysis.runs.simulation.Simulation.go", computed)
    m = pendulum()
    for path, why in (
        (tmp_path / "run.csv", "stores of runs end in .trammel, not '.csv'"), (tmp_path, "that is a folder"),
        (tmp_path / "nowhere" / "run.trammel", "there is no folder"), (5, "a path is a text"), ("", "that is a folder"),
    ):  # fmt: skip
        with pytest.raises(FileWriteError, match=why):
            m.simulate(1.0, store=path)
    m.user_force("pull", "A.angle", lambda angle: 0.0, inputs=["A.angle"])
    with pytest.raises(ModelError, match="cannot be stored with its model"):
        m.simulate(1.0, store=tmp_path / "run.trammel")
    table = tm.functions.spline([0, 1, 2], [0, 1, 0], name="bump")
    event = tm.Event("e", table(tm.time) - 0.5)
    with pytest.raises(ModelError, match="event 'e' cannot be stored"):
        pendulum().simulate(1.0, events=[event], store=tmp_path / "run.trammel")
    assert list(tmp_path.iterdir()) == []
