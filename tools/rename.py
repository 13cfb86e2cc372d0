#!/usr/bin/env python3
"""Rename the package, its public names, arguments and commands in scripts, documentation and model files.

    python tools/rename.py FILES...                      # rewrite files and folders
    python tools/rename.py --check FILES...              # list changes without writing files
    python tools/rename.py --kinds package,command DIR   # only some kinds of renames
    python tools/rename.py --table mine.toml FILES...    # another table than src/pytrammel/renames.toml

Python (*.py), notebooks (*.ipynb), Markdown (*.md) and model files (*.toml) are rewritten by their structure; other text files get the
new name of the package and of its commands. Strings and comments stay, except module paths and commands in them. A place that the tool
cannot decide is printed as `file:line: name: reason`, and the exit status is 1. A second run gives the same result. No dependencies;
Python 3.11 or newer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rename_documents import rewritten_markdown, rewritten_notebook, rewritten_python, rewritten_toml
from rename_python import Undecided
from rename_table import KINDS, Table, load
from rename_text import rewritten_text

TABLE = Path(__file__).parents[1] / "src" / "pytrammel" / "renames.toml"
SKIPPED = {".git", ".venv", "__pycache__", "node_modules", "dist", "build"}
Rewriter = Callable[[str, Table], tuple[str, list[Undecided]]]
REWRITERS: dict[str, Rewriter] = {
    ".py": rewritten_python, ".pyi": rewritten_python, ".md": rewritten_markdown, ".ipynb": rewritten_notebook, ".toml": rewritten_toml,
}  # fmt: skip


def rewrite(text: str, ending: str, table: Table) -> tuple[str, list[Undecided]]:
    """New content of a file and its undecided places, by the ending of its name."""
    rewriter = REWRITERS.get(ending)
    return rewriter(text, table) if rewriter else (rewritten_text(text, table), [])


def files_of(names: list[str]) -> Iterator[Path]:
    """Files, and all files in folders."""
    for name in names:
        path = Path(name)
        if path.is_dir():
            yield from (each for each in sorted(path.rglob("*")) if each.is_file() and SKIPPED.isdisjoint(each.parts))
        else:
            yield path


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILES")
    parser.add_argument("--check", action="store_true", help="list changes and write nothing")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"kinds of renames, of {', '.join(KINDS)}")
    parser.add_argument("--table", type=Path, default=TABLE, help="table of renames")
    options = parser.parse_args(words)
    kinds = tuple(options.kinds.split(","))
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"unknown kinds {', '.join(sorted(unknown))}. Use {', '.join(KINDS)}.")
    table = load(options.table, kinds)
    changed = undecided = 0
    for path in files_of(options.files):
        try:
            text = path.read_bytes().decode()
            new, found = rewrite(text, path.suffix, table)
        except UnicodeDecodeError:
            continue
        except (SyntaxError, ValueError, OSError) as error:
            print(f"{path}:{getattr(error, 'lineno', None) or 1}: file: it cannot be read: {error}")
            undecided += 1
            continue
        if new != text:
            changed += 1
            print(f"{path}: {'would change' if options.check else 'rewritten'}")
            if not options.check:
                path.write_bytes(new.encode())
        for each in found:
            print(f"{path}:{each.line}: {each.name}: {each.reason}")
        undecided += len(found)
    print(f"{changed} files changed, {undecided} places to decide")
    return 1 if undecided else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
