"""What other systems lack or forbid, for tests: names of POSIX, and open files that are renamed, replaced or removed."""

from __future__ import annotations

import _thread
import contextlib
import importlib
import mmap
import os
import signal
import subprocess  # noqa: F401 - it takes a system with msvcrt for Windows
import sys
import types
from pathlib import Path

import pytest

# names that Windows or macOS do not have; Python and pytest themselves do without them
MISSING = {
    os: "geteuid getegid getgid getgroups getpgid chown lchown fchmod fchown sched_getaffinity fork forkpty killpg setsid link "
    "mkfifo mknod posix_fadvise posix_fallocate sysconf statvfs nice getloadavg getresuid sync O_NOFOLLOW O_NONBLOCK",
    signal: "SIGHUP SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGCHLD SIGCONT SIGSTOP SIGQUIT setitimer getitimer alarm pthread_kill "
    "pthread_sigmask sigwait ITIMER_REAL",
    mmap: "MAP_NORESERVE MAP_PRIVATE MAP_ANONYMOUS MAP_ANON MAP_SHARED MAP_POPULATE MADV_DONTNEED MADV_FREE PROT_READ PROT_WRITE",
}
MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline")


def needs(*names):
    """Mark a test that needs modules, or names such as "os.mkfifo", which other systems do not have."""
    return pytest.mark.skipif(not all(map(is_there, names)), reason=f"this system has no {', '.join(names)}")


def is_there(name):
    """Return True if this system has a module or a name in one."""
    module, _, rest = name.partition(".")
    try:
        found = importlib.import_module(module)
    except ImportError:
        return False
    return not rest or hasattr(found, rest)


def press_ctrl_c():
    """Interrupt the main thread as the keyboard does; on Windows, `os.kill` would end the process."""
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)
    else:
        _thread.interrupt_main()


def names():
    """Module and name of each function or constant that may be missing."""
    return [(module, name) for module, each in MISSING.items() for name in each.split() if hasattr(module, name)]


def open_files():
    """Files that this process has open or mapped."""
    found = set()
    for number in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(str(number.readlink()))
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return found | {line.split(maxsplit=5)[-1].strip() for line in maps if "/" in line}


def forbid_changes_of_open_files(patch):
    """Rename, replace and remove as Windows does: not while a file is open in this process.

    Args:
        patch: Called with module, name and new value, as `monkeypatch.setattr`.
    """

    def careful(function):
        def changed(*paths, **options):
            for path in paths:
                if isinstance(path, str | os.PathLike) and str(Path(path).absolute()) in open_files():
                    raise PermissionError(
                        13, "The process cannot access the file because it is being used by another process", str(path)
                    )
            return function(*paths, **options)

        return changed

    for name in ("rename", "replace", "unlink", "remove"):
        patch(os, name, careful(getattr(os, name)))


def msvcrt_by(fcntl):
    """Locks of Windows by those of POSIX: both end when the file is closed."""

    def locking(number, mode, count):
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)

    return types.SimpleNamespace(locking=locking, LK_NBLCK=2)


def remove_names():
    """Become another system for the rest of the process."""
    if is_there("fcntl"):
        sys.modules["msvcrt"] = msvcrt_by(importlib.import_module("fcntl"))
    for module in MODULES:
        sys.modules[module] = None
    for module, name in names():
        delattr(module, name)
    if sys.platform == "linux":
        forbid_changes_of_open_files(setattr)
