"""Refuse files that do not belong into the repository: large ones, and those with leftovers of a merge.

python tools/check_files.py FILE ...      # pre-commit names the files of a commit; without names, all that git knows
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LARGEST = 1_000_000  # bytes
LEFT_OVER = re.compile(rb"^(<{7} |>{7} )", re.MULTILINE)


def complaint(path: Path) -> str | None:
    """What is wrong with one file."""
    content = path.read_bytes()
    if len(content) > LARGEST:
        return f"{path} has {len(content)} bytes; files here stay under {LARGEST}."
    if LEFT_OVER.search(content):
        return f"{path} has leftovers of a merge."
    return None


def main(names: list[str]) -> int:
    known = names or subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = [words for name in known if Path(name).is_file() and (words := complaint(Path(name)))]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
