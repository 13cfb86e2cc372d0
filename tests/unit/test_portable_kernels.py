"""Compiled kernels travel: to another path or user, in a file, in a wheel; and nothing runs that does not fit or is not trusted."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import pytrammel
from other_systems import needs
from pytrammel.errors import TrammelError
from pytrammel.kernels import cache as kernel_cache
from pytrammel.kernels import jit

SOURCE = Path(pytrammel.__file__).parent
NAME = "linear"  # a primitive that compiles fast

LOAD = f"""
import json
from pytrammel.kernels import jit
from pytrammel.kernels.primitives import primitives
primitives()
kernel = next(k for k in jit.all_kernels() if k.name == {NAME!r})
jit.store().takes_portable = TAKES
ready = kernel.is_cached()
kernel.compile()
print(json.dumps({{"ready": ready, "loaded": kernel.was_loaded()}}))
"""


def load(cache, path=SOURCE.parent, *, takes_portable=True):
    """Whether a fresh process finds the kernel ready, and loads it."""
    env = {**os.environ, "PYTHONPATH": str(path), "TRAMMEL_CACHE_DIR": str(cache)}
    code = LOAD.replace("TAKES", str(takes_portable))
    return json.loads(printed(code, env))


def printed(code, env):
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


READY, NOT_READY = {"ready": True, "loaded": True}, {"ready": False, "loaded": False}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package at another path."""
    root = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(SOURCE, root / "pytrammel", ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A file with one portable kernel."""
    if not jit.HAVE_JIT or kernel_cache.kind_of_machine() not in kernel_cache.PORTABLE:
        return None
    from pytrammel.kernels.portable import export

    file = tmp_path_factory.mktemp("exported") / "some.kernels"
    assert export(file, [NAME]) == 1
    return file


@pytest.fixture(scope="module")
def wheel(exported, package, tmp_path_factory):
    """A wheel with that kernel in it, as it is unpacked where it is installed."""
    if exported is None or kernel_cache.portable_processor() is None:
        return None
    spec = spec_from_file_location("make_wheel", Path(__file__).parents[2] / "tools" / "make_wheel.py")
    make_wheel = module_from_spec(spec)
    spec.loader.exec_module(make_wheel)
    root = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(root / "pytrammel-0.whl", "w") as archive:
        for file in package.rglob("*.py"):
            archive.write(file, file.relative_to(package))
        archive.writestr("pytrammel-0.dist-info/RECORD", "pytrammel-0.dist-info/RECORD,,\n")
    assert make_wheel.add_kernels(root / "pytrammel-0.whl", [exported]) == 1
    with zipfile.ZipFile(root / "pytrammel-0.whl") as archive:
        archive.extractall(root / "installed")
    return root / "installed"


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
    file = edited / "pytrammel" / "kernels" / "primitives" / "linear.py"
    file.write_text(file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert load(tmp_path / "two", edited) == NOT_READY


@needs("os.geteuid")
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
    from pytrammel.kernels.portable import import_from

    cache = tmp_path / "cache"
    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(cache))
    import numba

    assert import_from(exported, kernel_cache.KernelStore(numba.__version__)) == 1
    assert load(cache) == READY
    # `pytrammel compile` does not take it, and compiles for this very machine; after that its own is there
    assert load(cache, takes_portable=False) == NOT_READY
    assert load(cache, takes_portable=False) == READY
    assert load(cache) == READY


def test_a_folder_that_comes_with_the_package_is_looked_up_after_the_cache(exported, package, tmp_path):
    if exported is None or kernel_cache.portable_processor() is None:
        return
    root = tmp_path / "wheel"
    shutil.copytree(package, root)
    carried = root / "pytrammel" / "kernels" / "carried"
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
    if hasattr(os, "geteuid"):
        file.chmod(0o666)
        assert load(tmp_path / "c", root) == NOT_READY


@needs("os.geteuid")
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


OTHERS = f"""
from pytrammel.kernels import cache, jit
from pytrammel.kernels.primitives import primitives
primitives()
ours = cache.toolchain()
for other in (ours, *((*ours[:k], "another", *ours[k + 1:]) for k in range(len(ours)))):
    cache.toolchain = lambda: other
    print(jit.kernel_named({NAME!r}).is_cached())
"""


def test_a_carried_kernel_made_with_another_numba_llvmlite_or_python_is_not_seen(wheel, tmp_path):
    if wheel is None:
        return
    env = {**os.environ, "PYTHONPATH": str(wheel), "TRAMMEL_CACHE_DIR": str(tmp_path)}
    assert printed(OTHERS, env).split() == ["True", "False", "False", "False"]


def test_a_wheel_carries_kernels_for_the_same_sources_only(wheel, tmp_path):
    if wheel is None:
        return
    assert load(tmp_path / "a", wheel) == READY
    edited = tmp_path / "edited"
    shutil.copytree(wheel, edited)
    file = edited / "pytrammel" / "kernels" / "layout.py"
    file.write_text(file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert load(tmp_path / "b", edited) == NOT_READY


def test_every_file_of_a_wheel_with_kernels_is_in_its_list(wheel):
    if wheel is None:
        return
    listed = dict(
        line.split(",")[:2]
        for line in (wheel / "pytrammel-0.dist-info" / "RECORD").read_text(encoding="utf-8").splitlines()
    )
    (name,) = [name for name in listed if name.endswith(".kernel")]
    digest = hashlib.sha256((wheel / name).read_bytes()).digest()
    assert listed[name] == "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


BITS = """
import numpy as np
from pytrammel.kernels import jit
from pytrammel.kernels.primitives import primitives
primitives()
@jit.kernel(jit.FLOAT_ARRAY, jit.FLOAT_ARRAY, jit.FLOAT_ARRAY)
def sums_of_products(x, y, out):
    for k in range(1, x.size - 1):
        out[k] = x[k - 1] * y[k] + x[k] * y[k + 1] - x[k + 1] * y[k - 1] / (1.0 + y[k] * y[k]) + np.sin(x[k]) * np.sqrt(np.abs(y[k]))
        out[0] += x[k] * y[k]
jit.prepare(["sums_of_products"])
x, y = np.random.default_rng(1).standard_normal((2, 1001))
out = np.zeros(1001)
sums_of_products(x, y, out)
print(out.tobytes().hex())
"""


def test_code_for_every_machine_and_code_for_this_one_compute_the_same_bits(tmp_path):
    if not jit.HAVE_JIT or kernel_cache.portable_processor() is None:
        return
    every = {"NUMBA_CPU_NAME": kernel_cache.portable_processor(), "NUMBA_CPU_FEATURES": ""}
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "TRAMMEL_CACHE_DIR": str(tmp_path)}
    # nothing is fused or reordered, whatever the processor could do
    assert printed(BITS, env) == printed(BITS, {**env, **every})


# --- refusals ------------------------------------------------------------------------------------------------------------


def altered(exported, place, **facts):
    """The same file with other facts about it."""
    from pytrammel.kernels.portable import MANIFEST

    with zipfile.ZipFile(exported) as old, zipfile.ZipFile(place, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, json.dumps({**json.loads(content), **facts}) if name == MANIFEST else content)
    return place


@pytest.mark.parametrize(
    ("fact", "value", "says"),
    [
        ("format", 99, "has the format 99, this version of Trammel reads 2"),
        ("machine", "riscv64", "is for machines of the kind riscv64"),
        ("system", "win64", "is for the system win64"),
        ("processor", "i386", "is for the processor i386"),
        ("numba", "0.1", "was made with Numba 0.1"),
        ("llvmlite", "0.2", "was made with llvmlite 0.2"),
        ("python", ".cpython-27.so", "was made for Python's binary interface .cpython-27.so"),
        ("sources", "0" * 16, "was made from other sources of Trammel (0000000000000000"),
    ],
)
def test_a_file_made_for_something_else_is_refused_with_a_sentence(exported, tmp_path, store, fact, value, says):
    if exported is None:
        return
    from pytrammel.kernels.portable import import_from

    file = altered(exported, tmp_path / "other.kernels", **{fact: value})
    with pytest.raises(TrammelError, match="make it anew") as told:
        import_from(file, store())
    assert says in str(told.value) and str(file) in str(told.value)


def test_a_damaged_file_or_one_that_is_not_ours_is_refused_whole(exported, tmp_path, store):
    if exported is None:
        return
    from pytrammel.kernels.portable import import_from

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
