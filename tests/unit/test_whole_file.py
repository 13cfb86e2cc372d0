"""Every file appears whole or not at all, whatever writes it and whatever goes wrong."""

from __future__ import annotations

import ast
import errno
import json
import os
import re
import stat
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import pytrammel as tm
from mechanisms import four_bar
from other_systems import needs
from pytrammel._util import atomic_write as wf
from pytrammel._util.atomic_write import whole_file, write_whole
from pytrammel.cli.main import main
from pytrammel.examples import find

SOURCE = Path(tm.__file__).parent
DECK = find("kap_four_bar").source()
OLDER = b"an older good file\n" * 50


def spatial_result():
    m = tm.SpatialModel("wheel")
    wheel = m.body("wheel", mass=1.0, inertia=0.1, shape=tm.Box((0.1, 0.2, 0.3)))
    m.revolute("hinge", m.ground, wheel, at=(0, 0, 0), axis="z")
    m.point("P", wheel, at=(0.1, 0, 0))
    m.driver("turn", "hinge.angle", "t")
    return m.kinematics(1.0, samples=5, progress=False)


def planar_result():
    m = four_bar(1.0, 4.0, 3.0, 3.5)
    m.point("P", m["coupler"], at=(1.0, 2.0))
    return m.kinematics(1.0, samples=5, progress=False)


PLANAR = planar_result()
SPATIAL = spatial_result()

# every way to write a file: suffix and what writes it
WRITERS = {
    "csv": (".csv", PLANAR.to_csv),
    "csv in space": (".csv", SPATIAL.to_csv),
    "plot png": (".png", lambda p: PLANAR.plot(path=p)),
    "plot svg": (".svg", lambda p: PLANAR.plot(path=p)),
    "plot pdf": (".pdf", lambda p: PLANAR.plot(path=p)),
    "plot_path": (".png", lambda p: PLANAR.plot.path(path=p)),
    "plot_path in space": (".png", lambda p: SPATIAL.plot.path(path=p)),
    "draw": (".png", lambda p: PLANAR.draw(path=p)),
    "draw in space": (".svg", lambda p: SPATIAL.draw(path=p)),
    "animate": (".html", PLANAR.animate),
    "animate in space": (".html", SPATIAL.animate),
    "stl": (".stl", lambda p: tm.inertia.sphere_mesh(1.0).write_stl(p)),
}


def left_in(folder):
    return sorted(p.name for p in folder.iterdir())


@contextmanager
def no_file_longer_than(size):
    """A limit of the operating system, met in the middle of a write like a full disk."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fail_on(name, error):
    def failing(monkeypatch):
        def fail(*_, **__):
            raise error

        monkeypatch.setattr(os, name, fail)

    return failing


FAILURES = {
    "the data cannot reach the disk": fail_on("fsync", OSError(errno.ENOSPC, "No space left on device")),
    "quota": fail_on("fsync", OSError(errno.EDQUOT, "Disk quota exceeded")),
    "broken disk": fail_on("fsync", OSError(errno.EIO, "Input/output error")),
    "Ctrl-C": fail_on("fsync", KeyboardInterrupt()),
    "the name cannot be taken": fail_on("replace", PermissionError(errno.EPERM, "Operation not permitted")),
}


@pytest.mark.parametrize("older", [OLDER, None], ids=["replacing", "new"])
@pytest.mark.parametrize("name", WRITERS)
@needs("resource")
def test_a_full_disk_leaves_the_older_file_and_nothing_else(tmp_path, name, older):
    suffix, write = WRITERS[name]
    ready = tmp_path.parent / "ready" / f"{name}{suffix}"
    ready.parent.mkdir(exist_ok=True)
    if not ready.exists():
        write(ready)  # kernels are compiled now, while there is room
    target = tmp_path / f"result{suffix}"
    if older:
        target.write_bytes(older)
    with no_file_longer_than(100), pytest.raises(tm.FileWriteError, match="the disk is full or a limit") as caught:
        write(target)
    assert repr(str(target)) in str(caught.value)
    assert left_in(tmp_path) == ([target.name] if older else [])
    assert not older or target.read_bytes() == older
    write(target)  # with room it works, and replaces what was there
    assert left_in(tmp_path) == [target.name]
    assert target.stat().st_size > 100 and target.read_bytes() != older


@pytest.mark.parametrize("failure", FAILURES)
def test_whatever_fails_the_older_file_survives(tmp_path, monkeypatch, failure):
    target = tmp_path / "result.csv"
    target.write_bytes(OLDER)
    with monkeypatch.context() as patch:
        FAILURES[failure](patch)
        with pytest.raises((tm.FileWriteError, KeyboardInterrupt)):
            PLANAR.to_csv(target)
    assert left_in(tmp_path) == ["result.csv"] and target.read_bytes() == OLDER


def test_a_figure_that_cannot_be_written_is_not_lost(tmp_path):
    with pytest.raises(tm.FileWriteError, match="there is no folder") as caught:
        PLANAR.plot(path=tmp_path / "no" / "plot.png")
    assert caught.value.partial.axes
    with pytest.raises(tm.FileWriteError, match=r"its suffix must be one of .*pdf, .*png"):
        PLANAR.draw(path=tmp_path / "plot.docx")
    assert left_in(tmp_path) == []


@needs("resource")
def test_decks_and_reports_of_commands(tmp_path, capsys):
    deck = tmp_path / "deck.kap"
    write_whole(deck, DECK)
    targets = {option: tmp_path / f"out{k}{suffix}" for k, (option, suffix) in enumerate(
        {"--json": ".json", "--csv": ".csv", "--plot": ".png", "--animate": ".html", "--save-deck": ".kap"}.items()
    )}  # fmt: skip
    for option, target in targets.items():
        target.write_bytes(OLDER)
        with no_file_longer_than(50):
            assert main(["kap", str(deck), "--quiet", option, str(target)]) == 2
        assert "the disk is full" in capsys.readouterr().err
        assert target.read_bytes() == OLDER
        assert main(["kap", str(deck), "--quiet", option, str(target)]) == 0
        assert target.read_bytes() != OLDER
    json.loads(targets["--json"].read_text(encoding="utf-8"))
    assert left_in(tmp_path) == sorted(["deck.kap", *(t.name for t in targets.values())])


def test_a_target_that_cannot_work_is_refused_before_the_run(tmp_path, capsys, monkeypatch):
    write_whole(tmp_path / "deck.kap", DECK)
    monkeypatch.setattr("pytrammel.io.decks.kap_deck.KapDeck.run", lambda *_, **__: pytest.fail("it ran"))
    for option in ("--json", "--csv", "--plot", "--animate", "--save-deck"):
        assert main(["kap", str(tmp_path / "deck.kap"), "--quiet", option, str(tmp_path / "no" / "file")]) == 2
        assert "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "that is a folder"),
        (".", "that is a folder"),
        ("no/such/file", "there is no folder '.*such'; make it first"),
        ("file/below", "there is no folder"),
        ("a\0b", "null"),
        ("x" * 300, "name too long"),
        (5, "a path is a text or a pathlib.Path"),
        (None, "a path is a text or a pathlib.Path"),
    ],
)
def test_paths_that_cannot_be_written_get_a_sentence(tmp_path, monkeypatch, path, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(tm.FileWriteError, match=f"(?i)the file .* cannot be written: .*{said}"):
        write_whole(path, "text")
    with pytest.raises(tm.TrammelError):
        PLANAR.to_csv(path)
    assert left_in(tmp_path) == ["file"]


def test_write_protection_is_respected(tmp_path, monkeypatch):
    target = tmp_path / "mine.csv"
    write_whole(target, "kept")
    protected = {str(target), str(tmp_path / "folder")}
    (tmp_path / "folder").mkdir()
    # what os.access says about files and folders of mode 0444; for root it would say yes to everything
    monkeypatch.setattr(wf.os, "access", lambda p, mode: str(p) not in protected)
    with pytest.raises(tm.FileWriteError, match="it exists and is write-protected"):
        write_whole(target, "lost")
    with pytest.raises(tm.FileWriteError, match="folder' takes no new files"):
        write_whole(tmp_path / "folder" / "new.csv", "lost")
    assert target.read_text(encoding="utf-8") == "kept"


@needs("os.mkfifo")
def test_permissions_links_and_pipes_stay_what_they_are(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink() and real.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    fresh = write_whole(tmp_path / "fresh.csv", "x")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o666 & ~mask

    os.mkfifo(tmp_path / "pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", "through")
    reader.join(10.0)
    assert received == [b"through"] and (tmp_path / "pipe").is_fifo()
    write_whole("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()


def test_an_error_inside_the_block_is_passed_on_as_it_is(tmp_path):
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "a") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert left_in(tmp_path) == []


def test_nothing_else_in_the_package_writes_files():
    # file_formats.py damages its own temporary files; run_log.py grows
    allowed = {
        "atomic_write.py",
        "file_formats.py",
        "figure.py",
        "cache.py",
        "jit.py",
        "run_log.py",
    }  # file_formats damages its own temporary files; the last one grows
    direct = {"write_text", "write_bytes", "savefig", "tofile", "savez", "savetxt", "to_csv", "dump"}
    # no method of Path, none of pandas, into an archive that is itself a whole file, into memory, into an open whole file
    safe = ("write_text(", "result.to_csv(", "archive.open(", "figure.savefig(stream, ", "np.savez(file, ")
    mentioned = re.compile(rf"\b(?:{'|'.join(direct)}|open)\(")  # reading a file as text is cheaper than its grammar
    found = []
    for file in sorted(file for file in SOURCE.rglob("*.py") if file.name not in allowed):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if mentioned.search(text) else ():
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            writes = name == "open" and any(
                isinstance(a, ast.Constant) and isinstance(a.value, str) and set(a.value) & set("wax+")
                for a in [*node.args, *(k.value for k in node.keywords if k.arg == "mode")]
            )
            if (name in direct or writes) and not (call := ast.unparse(node)).startswith(safe):
                found.append(f"{file.relative_to(SOURCE)}:{node.lineno}: {call[:60]}")
    assert found == []
