"""The kernel cache is code: nothing is loaded that is not certainly ours and whole, and no disk stops a run."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import pytrammel
from other_systems import needs
from pytrammel.kernels import jit
from pytrammel.kernels.cache import FILE_HEAD, KernelStore, cache_root, why_not_trusted

SOURCE = Path(pytrammel.__file__).parent
PAYLOAD = bytes(range(256)) * 4
SOMEBODY = 12345  # number of another user


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def said():
    return []


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def filled_store(said):
    """A store with one file in it."""
    store = KernelStore("0.0", said.append)
    store.write("a.kernel", PAYLOAD)
    assert store.read("a.kernel") == PAYLOAD and said == []
    return store


# --- whole ---------------------------------------------------------------------------------------------------------------


def test_a_file_with_any_bit_flipped_is_not_loaded(place, said):
    store = filled_store(said)
    file = store.folder / "a.kernel"
    good = file.read_bytes()
    for at in range(len(good)):
        bad = bytearray(good)
        bad[at] ^= 1 << (at % 8)
        file.write_bytes(bad)
        assert store.read("a.kernel") is None, at
    store.write("a.kernel", PAYLOAD)
    assert store.read("a.kernel") == PAYLOAD


def test_a_file_cut_off_anywhere_or_replaced_by_rubbish_is_not_loaded(place, said):
    store = filled_store(said)
    file = store.folder / "a.kernel"
    good = file.read_bytes()
    dice = random.Random(1)
    rubbish = [b"", b"\0" * 5000, FILE_HEAD, good[::-1], good + b"\0", dice.randbytes(3000), b"\x80\x04cos\nsystem\n"]
    for content in [*(good[:length] for length in range(len(good))), *rubbish]:
        file.write_bytes(content)
        assert store.read("a.kernel") is None
    assert said == []  # compiling says so itself


@needs("os.mkfifo")
def test_what_is_no_plain_file_is_not_loaded(place, said, tmp_path):
    store = filled_store(said)
    file = store.folder / "a.kernel"
    (tmp_path / "elsewhere").write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    assert store.read("a.kernel") is None
    store.write("a.kernel", PAYLOAD)  # replaces the link, not what it leads to
    assert not file.is_symlink() and store.read("a.kernel") == PAYLOAD
    file.unlink()
    os.mkfifo(file)
    assert store.read("a.kernel") is None  # and nobody waits for a writer
    file.unlink()
    file.mkdir()
    assert store.read("a.kernel") is None
    store.write("a.kernel", PAYLOAD)
    assert len(said) == 1 and "cannot be kept" in said[0]
    assert [p.name for p in store.folder.iterdir() if p.name.endswith(".part")] == []


# --- ours ----------------------------------------------------------------------------------------------------------------


def test_the_cache_is_made_for_us_alone(place, said):
    before = os.umask(0)
    try:
        store = filled_store(said)
    finally:
        os.umask(before)
    assert mode(place) == mode(place / "pytrammel-kernels") == mode(store.folder) == 0o700
    assert mode(store.folder / "a.kernel") == 0o600


@pytest.mark.parametrize("who", [stat.S_IWGRP, stat.S_IWOTH])
@pytest.mark.parametrize("what", ["root", "folder"])
@needs("os.geteuid")
def test_a_folder_writable_by_others_is_not_used_but_a_private_one(place, said, what, who):
    first = filled_store(said)
    tainted = {"root": first.folder.parent, "folder": first.folder}[what]
    tainted.chmod(0o700 | who)
    store = KernelStore("0.0", said.append)
    assert len(said) == 1 and f"{tainted} is writable by others" in said[0] and "nothing is loaded" in said[0]
    assert store.folder.parent == place / f"pytrammel-kernels-{os.geteuid()}" and str(store.folder.parent) in said[0]
    assert store.read("a.kernel") is None
    store.write("a.kernel", PAYLOAD)
    again = KernelStore("0.0", said.append)  # the private one serves the next run too
    assert again.read("a.kernel") == PAYLOAD
    assert mode(tainted) == 0o700 | who  # what is there is left as it is


@needs("os.geteuid")
def test_a_file_writable_by_others_is_compiled_anew(place, said):
    store = filled_store(said)
    for bits in (0o620, 0o602, 0o666, 0o777):
        (store.folder / "a.kernel").chmod(bits)
        said.clear()
        assert store.read("a.kernel") is None
        assert len(said) == 1 and "is writable by others" in said[0] and "compiled anew" in said[0]
        store.write("a.kernel", PAYLOAD)
        assert mode(store.folder / "a.kernel") == 0o600 and store.read("a.kernel") == PAYLOAD


@needs("os.geteuid")
def test_what_belongs_to_somebody_else_is_not_trusted(place, said, monkeypatch):
    store = filled_store(said)
    about = store.folder.stat()
    assert why_not_trusted(about) == ""
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)  # the same files, seen by another user
    assert why_not_trusted(about) == f"belongs to another user (number {owner})"
    assert store.read("a.kernel") is None and "belongs to another user" in said[0]
    other = KernelStore("0.0", said.append)
    assert "belongs to another user" in said[1]
    assert other.folder is None or other.read("a.kernel") is None
    monkeypatch.undo()
    if owner == 0:  # only root can give files away
        monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(place))
        os.chown(store.folder / "a.kernel", SOMEBODY, SOMEBODY)
        assert store.read("a.kernel") is None
        os.chown(store.folder, SOMEBODY, SOMEBODY)
        said.clear()
        assert KernelStore("0.0", said.append).folder.parent.name == "pytrammel-kernels-0"
        assert f"number {SOMEBODY}" in said[0]


@needs("os.geteuid")
def test_if_nothing_is_private_nothing_is_kept(place, said):
    filled_store(said)
    (place / "pytrammel-kernels").chmod(0o777)
    (place / f"pytrammel-kernels-{os.geteuid()}").mkdir()
    (place / f"pytrammel-kernels-{os.geteuid()}").chmod(0o777)
    store = KernelStore("0.0", said.append)
    assert store.folder is None and len(said) == 2 and "compiled anew in every run" in said[1]
    store.write("a.kernel", PAYLOAD)
    assert store.read("a.kernel") is None


# --- disks ---------------------------------------------------------------------------------------------------------------


@needs("resource")
def test_a_full_disk_is_told_once_and_leaves_nothing_behind(place, said):
    store = KernelStore("0.0", said.append)
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        for name in ("a.kernel", "b.kernel"):
            store.write(name, PAYLOAD)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(said) == 1 and "cannot be kept" in said[0] and "TRAMMEL_CACHE_DIR" in said[0]
    assert [p.name for p in store.folder.iterdir()] == ["pytrammel-kernel-cache"]
    assert store.read("a.kernel") is None


@pytest.mark.parametrize("fails", ["mkdir", "touch", "mkstemp"])
def test_a_read_only_disk_is_told_once(place, said, monkeypatch, fails):
    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(*((tempfile, fails) if fails == "mkstemp" else (Path, fails)), refuse)
    store = KernelStore("0.0", said.append)
    store.write("a.kernel", PAYLOAD)
    store.write("b.kernel", PAYLOAD)
    assert len(said) == 1 and "(Read-only file system)" in said[0]
    assert store.read("a.kernel") is None


@pytest.mark.parametrize("home", ["", "work", "../work", None])
def test_without_a_home_nothing_is_kept_in_the_working_directory(tmp_path, monkeypatch, said, home):
    for variable in ("TRAMMEL_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "home", _no_home if home is None else lambda: Path(home))
    store = KernelStore("0.0", said.append)
    store.write("a.kernel", PAYLOAD)
    assert store.folder is None and len(said) == 1 and "there is no home folder" in said[0]
    assert list(tmp_path.iterdir()) == []


def _no_home():
    raise RuntimeError("Could not determine home directory.")


SUM = """
from pytrammel.kernels import jit
@jit.kernel(jit.FLOAT_ARRAY)
def total(x):
    s = 0.0
    for k in range(x.size):
        s += x[k]
    return s
import numpy as np
jit.prepare(["total"])
print(total(np.arange(5.0)), [k.was_loaded() for k in jit.all_kernels() if k.name == "total"], jit.CACHE_FOLDER)
"""


@pytest.fixture(scope="module", autouse=True)
def script(tmp_path_factory):
    """File of the small kernel: kernels without a source file are not kept."""
    SCRIPT.append(tmp_path_factory.mktemp("script") / "total.py")
    SCRIPT[-1].write_text(SUM, encoding="utf-8")


SCRIPT = []


def total(cache):
    """Sum of five numbers by a small kernel in a process of its own; whether it was loaded; and what was said."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "TRAMMEL_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, str(SCRIPT[-1])], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    value, loaded, *_ = done.stdout.split()
    assert value == "10.0"
    return loaded == "[True]", done.stderr


def test_a_damaged_cache_is_rebuilt_by_the_next_process(tmp_path):
    if not jit.HAVE_JIT:
        return
    assert not total(tmp_path)[0]
    assert total(tmp_path) == (True, "")
    for file in tmp_path.rglob("*.kernel"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 4
        file.write_bytes(content)
    loaded, said = total(tmp_path)
    assert not loaded and "compiling 1 kernel" in said
    assert total(tmp_path) == (True, "")


def test_without_a_place_to_keep_kernels_answers_are_the_same_and_nothing_is_written_beside_the_sources(tmp_path):
    if not jit.HAVE_JIT:
        return
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    loaded, said = total(tmp_path / "file")
    assert not loaded and said.count("cannot be kept") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert [p for p in SOURCE.rglob("*") if p.suffix in (".nbi", ".nbc", ".kernel")] == []


def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path):
    if not jit.HAVE_JIT:
        return
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "TRAMMEL_CACHE_DIR": str(tmp_path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    children = [subprocess.Popen([sys.executable, str(SCRIPT[-1])], env=env, **pipes) for _ in range(3)]
    for child in children:
        out, err = child.communicate()
        assert child.returncode == 0 and out.startswith("10.0"), err
    assert list(tmp_path.rglob("*.part")) == []
    assert total(tmp_path) == (True, "")


def test_the_cache_in_use_is_where_it_should_be():
    if jit.HAVE_JIT and jit.CACHE_FOLDER is not None:
        assert jit.CACHE_FOLDER.parent.parent == cache_root().parent
        assert why_not_trusted(jit.CACHE_FOLDER.stat()) == ""
