"""Where compiled kernels are kept: a private folder of our own, in files that are checked before anything in them is run.

A cache is code. So a folder or file that belongs to somebody else, or that others may write to, is not loaded; every file
begins with a checksum, and a damaged one is compiled anew. A disk that is full or read-only means a run without a cache.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, cached_property
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from pytrammel.kernels.sources import Sources

OLD_CACHES_KEPT = 3
IN_USE = 86400.0  # [s] a cache touched within the last day may serve another checkout or interpreter
CACHE_NAME = re.compile(r"[0-9a-f]{16}-numba[\w.+]+-py\d+-\w+")
MARKER = "pytrammel-kernel-cache"  # a file in every cache folder: only what carries it may ever be removed
FILE_HEAD = b"pytrammel kernel 1\n"  # then the checksum, then the compiled code
CARRIED = Path(__file__).parent / "carried"  # portable kernels that came with the package, if any
# portable kernels run on every machine of a kind: the processor they are made for, and what one must have to run them
PORTABLE = {
    "x86_64": ("x86-64-v3", "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse4.2 xsave"),
    "arm64": ("generic", ""),
}
CHECKSUM_SIZE = hashlib.sha256().digest_size


def kind_of_machine() -> str:
    """What processors can run the same code: "x86_64", "arm64" or another."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(machine, machine)


def toolchain() -> tuple[str, ...]:
    """What compiled code must have been made with to run here: Numba, its compiler, and Python's binary interface."""
    import llvmlite
    import numba

    return numba.__version__, llvmlite.__version__, EXTENSION_SUFFIXES[0]


@cache
def portable_processor() -> str | None:
    """The processor that portable kernels are made for, if this one runs them."""
    from llvmlite import binding

    processor, needs = PORTABLE.get(kind_of_machine(), (None, ""))
    has = binding.get_host_cpu_features() if needs else {}
    return processor if all(has.get(each) for each in needs.split()) else None


def cache_root() -> Path:
    """Folder that holds all caches: inside ``TRAMMEL_CACHE_DIR`` or the user's cache folder, one of our own.

    An empty or relative path in a variable counts as unset: it would mean another folder in every working directory.

    Raises:
        OSError: Nothing says where: there is no home folder.
    """
    chosen = _absolute("TRAMMEL_CACHE_DIR")
    if chosen is not None:
        return chosen / "pytrammel-kernels"
    if sys.platform == "win32":
        base = _absolute("LOCALAPPDATA") or _home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = _home() / "Library" / "Caches"
    else:
        base = _absolute("XDG_CACHE_HOME") or _home() / ".cache"
    return base / "pytrammel" / "pytrammel-kernels"


def _home() -> Path:
    try:
        home = Path.home()
    except RuntimeError:
        home = Path()
    if not home.is_absolute():
        raise FileNotFoundError(errno.ENOENT, "there is no home folder", str(home))
    return home


def _absolute(variable: str) -> Path | None:
    """Absolute path in an environment variable, or None."""
    value = os.environ.get(variable, "")
    return Path(value) if value and Path(value).is_absolute() else None


def why_not_trusted(place: os.stat_result) -> str:
    """Why code found there must not be run; empty if it may."""
    if not hasattr(os, "geteuid"):
        return ""  # Windows: a profile folder is private by its access list
    if place.st_uid != os.geteuid():
        return f"belongs to another user (number {place.st_uid})"
    if place.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "is writable by others"
    return ""


def why_not_trusted_as_sources(place: os.stat_result, sources: os.stat_result) -> str:
    """Why code that came with the package must not be run; empty if only those can have written it who could have written the sources."""
    if hasattr(os, "geteuid") and place.st_uid not in (os.geteuid(), sources.st_uid):
        return f"belongs to another user (number {place.st_uid})"
    if place.st_mode & ~sources.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "is writable by others"
    return ""


class KernelStore:
    """The cache folder of these sources, this Numba, this Python and this kind of machine.

    Attributes:
        folder: Where files are kept, or None if nothing can be kept.
        takes_portable: Whether code for every machine of this kind will do where there is none for this very one.
    """

    takes_portable = True

    def __init__(self, numba_version: str, say: Callable[[str], None] | None = None) -> None:
        self._say = say or _say_on_stderr
        self._can_write = True
        self._tidy = False  # whether caches of earlier sources have been removed
        self.sources = Sources()
        python = f"py{sys.version_info.major}{sys.version_info.minor}-{platform.machine()}"
        self.folder = self._open(f"{self.sources.hash}-numba{numba_version}-{python}")

    def _open(self, name: str) -> Path | None:
        try:
            root = cache_root()
        except OSError as error:
            self._give_up(Path(error.filename), error)
            return None
        own = root.with_name(f"{root.name}-{os.geteuid()}" if hasattr(os, "geteuid") else f"{root.name}-private")
        for place, instead in ((root, f"using {own} instead"), (own, "so kernels are compiled anew in every run")):
            try:
                reason = _made_private(place) or _made_private(place / name)
                if not reason:
                    (place / name / MARKER).touch()
                    os.utime(place / name)
                    return place / name
            except OSError as error:
                self._give_up(place, error)
                return None
            self._say(
                f"the kernel cache {reason}, so nothing is loaded from it; {instead}. Remove it or make it private (chmod)."
            )
        return None

    def _give_up(self, place: Path, error: OSError) -> None:
        if self._can_write:
            self._say(
                f"compiled kernels cannot be kept in {place} ({error.strerror or error}): every new process compiles what it needs "
                "again. Make room, or set TRAMMEL_CACHE_DIR to a folder of your own."
            )
        self._can_write = False

    def read(self, name: str) -> bytes | None:
        """Content of a file if it is there, private and undamaged; else what another version compiled from the same sources."""
        if self.folder is None:
            return None
        payload = self._content(self.folder / name)
        if payload is None:
            for other in self._siblings:
                payload = self._content(other / name)
                if payload is not None:
                    self.write(name, payload)
                    break
        return payload

    @cached_property
    def _siblings(self) -> list[Path]:
        """Caches of other versions that run with this Numba, Python and machine."""
        assert self.folder is not None
        _, _, kind = self.folder.name.partition("-")
        try:
            places = [p for p in self.folder.parent.glob(f"*-{kind}") if CACHE_NAME.fullmatch(p.name)]
            ours = [p for p in places if p != self.folder and not p.is_symlink() and (p / MARKER).is_file()]
            return [p for p in ours if not why_not_trusted(p.stat())]
        except OSError:
            return []

    def portable(self, name: str) -> bytes | None:
        """Code for every machine of this kind: imported by the user, or carried by the package."""
        if not self.takes_portable:
            return None
        found = self._content(self.folder / name) if self.folder is not None else None
        return found if found is not None else self._content(CARRIED / name, carried=True)

    def _content(self, file_name: Path, *, carried: bool = False) -> bytes | None:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            with os.fdopen(os.open(file_name, flags), "rb") as file:
                about = os.fstat(file.fileno())
                if not stat.S_ISREG(about.st_mode):
                    return None
                reason = why_not_trusted_as_sources(about, Path(__file__).stat()) if carried else why_not_trusted(about)
                if reason:
                    self._say(f"the compiled kernel {file_name} {reason}, so it is not loaded but compiled anew.")
                    return None
                content = file.read()
        except OSError:
            return None
        return unpacked(content)

    def write(self, name: str, payload: bytes) -> None:
        """Keep a file, whole or not at all; without room for it, say so once."""
        if self.folder is None or not self._can_write:
            return
        beside = None
        try:
            handle, beside = tempfile.mkstemp(prefix=".", suffix=".part", dir=self.folder)  # mode 0600
            with os.fdopen(handle, "wb") as file:
                file.write(packed(payload))
            self._take(Path(beside), self.folder / name)
            if not self._tidy:  # not at every start: looking through many caches takes longer than loading a kernel
                self._tidy = True
                _remove_old_caches(self.folder)
        except OSError as error:
            if beside is not None:
                with contextlib.suppress(OSError):
                    Path(beside).unlink()
            self._give_up(self.folder, error)

    @staticmethod
    def _take(beside: Path, target: Path) -> None:
        """Give a file its name; Windows replaces none that another process reads, which holds the same code."""
        try:
            beside.replace(target)
        except PermissionError:
            if not target.is_file():
                raise
            beside.unlink()


def packed(payload: bytes) -> bytes:
    """Content of the file that keeps something."""
    return FILE_HEAD + hashlib.sha256(payload).digest() + payload


def unpacked(content: bytes) -> bytes | None:
    """What a file keeps, or None if it is damaged or not ours."""
    start = len(FILE_HEAD) + CHECKSUM_SIZE
    payload = content[start:]
    return payload if content[:start] == FILE_HEAD + hashlib.sha256(payload).digest() else None


def _say_on_stderr(text: str) -> None:
    with contextlib.suppress(OSError):  # it may go into a file on the very disk that is full
        print(f"pytrammel: {text}", file=sys.stderr, flush=True)


def _made_private(place: Path) -> str:
    """Make a folder and its parents, for us alone; return why one that was there already is not to be trusted."""
    for folder in [*reversed(place.parents), place]:
        with contextlib.suppress(FileExistsError):
            if not folder.exists():
                folder.mkdir(mode=0o700)
    if not place.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(place))
    # a link must be ours as well as what it leads to; its own mode means nothing
    if place.is_symlink() and place.lstat().st_uid != place.stat().st_uid:
        return f"{place} is a link of another user"
    reason = why_not_trusted(place.stat())
    return f"{place} {reason}" if reason else ""


def _remove_old_caches(current: Path) -> None:
    """Remove caches of earlier sources: never a folder that is not certainly ours, nor one used within the last day."""
    ours = [p for p in current.parent.iterdir() if p != current and CACHE_NAME.fullmatch(p.name)]
    ours = [p for p in ours if not p.is_symlink() and p.is_dir() and (p / MARKER).is_file()]
    for stale in sorted(ours, key=_modified, reverse=True)[OLD_CACHES_KEPT:]:
        if time.time() - _modified(stale) > IN_USE:
            shutil.rmtree(stale, ignore_errors=True)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed by another process between listing and looking
        return 0.0
