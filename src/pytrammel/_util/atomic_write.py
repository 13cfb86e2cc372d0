"""Files that appear whole or not at all: everything Trammel writes goes through here.

The text or picture goes into a temporary file beside the target, reaches the disk, and only then takes the target's
name. Whatever goes wrong before (a full disk, Ctrl-C, a bug in a writer) leaves an older file as it was and nothing else.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from pytrammel.errors import FileWriteError

FULL = {getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name)}


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], *, release: Callable[[], None] | None = None) -> Iterator[BinaryIO]:
    """Open a file for writing bytes; it replaces the one at `path` when the block ends without an error.

    Links are followed; permissions of an older file are kept. Pipes and devices are written directly.

    Args:
        path: Place of the file.
        release: Closes what this process has open of the older file; called where the system replaces no open files (Windows).

    Raises:
        FileWriteError: The file cannot be written; the sentence says why. An older one is untouched.
    """
    target = check_target(path)
    try:
        if target.exists() and not target.is_file():  # a pipe or device has no older content, and must stay what it is
            with target.open("wb") as file:
                yield file
            return
        beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
        try:
            with beside.open("xb") as file:
                if target.exists():
                    _keep_permissions(target, beside)
                yield file
                file.flush()
                os.fsync(file.fileno())
            replace(beside, target, release)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        if isinstance(error, (FileWriteError, BrokenPipeError)):
            raise
        raise _refused(path, _reason(error)) from error


def replace(newer: Path, target: Path, release: Callable[[], None] | None = None) -> None:
    """Give a file the name of another one, after closing that one where the system asks for it."""
    try:
        newer.replace(target)
    except PermissionError:
        if release is None:
            raise
        release()
        newer.replace(target)


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a text (as UTF-8) or bytes, whole or not at all."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return Path(path)


def check_target(path: str | os.PathLike[str]) -> Path:
    """Say at once, before any work, if a file could not be written; return the place that links lead to."""
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise _refused(path, "that is a folder; add a file name")
        if not target.parent.is_dir():
            raise _refused(path, f"there is no folder {str(target.parent)!r}; make it first")
        if target.exists() and not os.access(target, os.W_OK):
            raise _refused(path, "it exists and is write-protected; choose another name or make it writable")
        if not target.exists() or target.is_file():
            _check_folder(path, target.parent)
    except TypeError:
        raise _refused(path, "a path is a text or a pathlib.Path") from None
    except ValueError as error:  # a null byte, or characters that the file system has no name for
        raise _refused(path, str(error)) from None
    except OSError as error:
        if isinstance(error, FileWriteError):
            raise
        raise _refused(path, _reason(error)) from None
    return target


def _check_folder(path: str | os.PathLike[str], folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refused(path, f"the folder {str(folder)!r} takes no new files; choose another or make it writable")


def _keep_permissions(older: Path, newer: Path) -> None:
    """Give the new file the owner, where we may, and the mode of the one it will replace."""
    was = older.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(newer, was.st_uid, was.st_gid)
    newer.chmod(stat.S_IMODE(was.st_mode))


def unreadable(error: OSError | ValueError) -> str:
    """Reason why a path cannot be opened: of the system, or of Python for a null byte and characters without an encoding."""
    return getattr(error, "strerror", None) or str(error)


def _refused(path: object, reason: str) -> FileWriteError:
    shown = os.fspath(path) if isinstance(path, os.PathLike) else path
    return FileWriteError(f"the file {shown!r} cannot be written: {reason}.")


def _reason(error: OSError) -> str:
    said = error.strerror or str(error)
    if error.errno in FULL:
        return f"the disk is full or a limit on file sizes is reached ({said}); nothing was changed, make room and try again"
    return f"{said}; nothing was changed"


def is_file(path: Path) -> bool:
    """Return True if a path is a regular file; False also for names that the system rejects, such as names too long."""
    try:
        return path.is_file()
    except OSError:
        return False
