"""Compiled kernels travel: to another path or user, in a file, in a wheel; and nothing runs that does not fit or is not trusted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import trammel
from trammel.errors import TrammelError
from trammel.kernels import cache as kernel_cache
from trammel.kernels import jit

SOURCE = Path(trammel.__file__).parent
NAME = "linear"  # a primitive that compiles fast

LOAD = f"""
import json
from trammel.kernels import jit
from trammel.kernels.primitives import primitives
primitives()
kernel = next(k for k in jit.all_kernels() if k.name == {NAME!r})
jit.store().takes_portable = TAKES
ready = kernel.is_cached()
kernel.compile()
print(json.dumps({{"ready": ready, "loaded": kernel.was_loaded()}}))
"""


def load(cache, path=SOURCE.parent, *, takes_portable=True, **environment):
    """Whether a fresh process finds the kernel ready, and loads it."""
    env = {**os.environ, "PYTHONPATH": str(path), "TRAMMEL_CACHE_DIR": str(cache), **environment}
    code = LOAD.replace("TAKES", str(takes_portable))
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


READY, NOT_READY = {"ready": True, "loaded": True}, {"ready": False, "loaded": False}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package at another path."""
    root = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(SOURCE, root / "trammel", ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A file with one portable kernel."""
    if not jit.HAVE_JIT or kernel_cache.kind_of_machine() not in kernel_cache.PORTABLE:
        return None
    from trammel.kernels.portable import export

    file = tmp_path_factory.mktemp("exported") / "some.kernels"
    assert export(file, [NAME]) == 1
    return file


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(tmp_path / "cache"))
    return lambda: kernel_cache.KernelStore("0.0")


# --- the cache itself ----------------------------------------------------------------------------------------------------


def test_a_cache_is_valid_for_the_same_sources_at_another_path_and_when_it_is_copied_itself(package, tmp_path):
    if not jit.HAVE_JIT:
        return
    assert load(tmp_path / "one") == NOT_READY
    assert load(tmp_path / "one", package) == READY
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert load(tmp_path / "two", package) == READY
    edited = tmp_path / "edited"
    shutil.copytree(package, edited)
    file = edited / "trammel" / "kernels" / "primitives" / "linear.py"
    file.write_text(file.read_text() + "\n# edited\n")
    assert load(tmp_path / "two", edited) == NOT_READY


def test_a_cache_handed_to_another_user_is_valid_once_it_is_his_and_not_before(store, monkeypatch):
    mine = store()
    mine.write("a-0000000000000000.kernel", b"code")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)  # the same files, seen by another user
    assert mine.read("a-0000000000000000.kernel") is None
    files = [mine.folder.parent.parent, *mine.folder.parent.parent.rglob("*")]
    if owner == 0:  # only root can give files away
        for file in files:
            os.chown(file, owner + 1, -1)
        assert store().read("a-0000000000000000.kernel") == b"code"


# --- portable kernels ----------------------------------------------------------------------------------------------------


def test_exported_kernels_are_taken_on_another_machine_and_not_in_the_place_of_its_own(exported, tmp_path, monkeypatch):
    if exported is None or kernel_cache.portable_processor() is None:
        return
    from trammel.kernels.portable import import_from

    cache = tmp_path / "cache"
    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(cache))
    import numba

    assert import_from(exported, kernel_cache.KernelStore(numba.__version__)) == 1
    assert load(cache) == READY
    # `trammel warm` does not take it, and compiles for this very machine; after that its own is there
    assert load(cache, takes_portable=False) == NOT_READY
    assert load(cache, takes_portable=False) == READY
    assert load(cache) == READY


def test_a_folder_that_comes_with_the_package_is_looked_up_after_the_cache(exported, package, tmp_path):
    if exported is None or kernel_cache.portable_processor() is None:
        return
    root = tmp_path / "wheel"
    shutil.copytree(package, root)
    carried = root / "trammel" / "kernels" / "carried"
    carried.mkdir()
    with zipfile.ZipFile(exported) as archive:
        names = [name for name in archive.namelist() if name.endswith(".kernel")]
        archive.extractall(carried, names)
    assert load(tmp_path / "a", root) == READY
    # nothing is copied from there, and a damaged or foreign file is not run
    file = carried / names[0]
    good = file.read_bytes()
    file.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert load(tmp_path / "b", root) == NOT_READY
    file.write_bytes(good)
    file.chmod(0o666)
    assert load(tmp_path / "c", root) == NOT_READY


def test_what_comes_with_the_package_is_trusted_as_its_sources_are():
    class File:
        def __init__(self, owner, mode):
            self.st_uid, self.st_mode = owner, mode

    why = kernel_cache.why_not_trusted_as_sources
    root, me, other = 0, os.geteuid(), 12345
    assert why(File(root, 0o644), File(root, 0o644)) == ""
    assert why(File(me, 0o644), File(root, 0o644)) == ""
    assert why(File(other, 0o644), File(me, 0o644)) == "belongs to another user (number 12345)"
    assert why(File(root, 0o664), File(root, 0o644)) == "is writable by others"
    assert why(File(root, 0o664), File(root, 0o664)) == ""  # who can write it can write the sources


# --- refusals ------------------------------------------------------------------------------------------------------------


def altered(exported, place, **facts):
    """The same file with other facts about it."""
    from trammel.kernels.portable import MANIFEST

    with zipfile.ZipFile(exported) as old, zipfile.ZipFile(place, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, json.dumps({**json.loads(content), **facts}) if name == MANIFEST else content)
    return place


@pytest.mark.parametrize(
    ("fact", "value", "says"),
    [
        ("format", 99, "has the format 99, this version of Trammel reads 1"),
        ("machine", "riscv64", "is for machines of the kind riscv64"),
        ("system", "win64", "is for the system win64"),
        ("processor", "i386", "is for the processor i386"),
        ("numba", "0.1", "was made with Numba 0.1"),
        ("python", "2.7", "was made with Python 2.7"),
        ("sources", "0" * 16, "was made from other sources of Trammel (0000000000000000"),
    ],
)
def test_a_file_made_for_something_else_is_refused_with_a_sentence(exported, tmp_path, store, fact, value, says):
    if exported is None:
        return
    from trammel.kernels.portable import import_from

    file = altered(exported, tmp_path / "other.kernels", **{fact: value})
    with pytest.raises(TrammelError, match="make it anew") as told:
        import_from(file, store())
    assert says in str(told.value) and str(file) in str(told.value)


def test_a_damaged_file_or_one_that_is_not_ours_is_refused_whole(exported, tmp_path, store):
    if exported is None:
        return
    from trammel.kernels.portable import import_from

    bad = tmp_path / "bad.kernels"
    own = store()
    good = exported.read_bytes()
    for content in (b"", b"PK", b"rubbish" * 100, good[: len(good) // 2], good[:-30]):
        bad.write_bytes(content)
        with pytest.raises(TrammelError, match="not a file of portable kernels, or it is damaged"):
            import_from(bad, own)
    with zipfile.ZipFile(exported) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    for name, content, says in (
        ("x-0123456789abcdef.kernel", b"no checksum", "is damaged"),
        ("../../.bashrc", b"evil", "not a file of portable kernels"),
        ("/etc/passwd", b"evil", "not a file of portable kernels"),
    ):
        with zipfile.ZipFile(bad, "w") as new:
            for each, kept in {**contents, name: content}.items():
                new.writestr(each, kept)
        with pytest.raises(TrammelError, match=says):
            import_from(bad, own)
    with pytest.raises(TrammelError, match="there is no file"):
        import_from(tmp_path / "missing.kernels", own)
    assert [p.name for p in own.folder.iterdir()] == [kernel_cache.MARKER]
