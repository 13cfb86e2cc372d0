"""Compare the default calls of two commits on this machine: bits of all values, warnings and messages.

    python bench/same.py main                          # the working tree and main
    python bench/same.py v0.9.0 main                   # two commits
    python bench/same.py main --cases 'example/four*' 'plane/*'

Each commit runs the default call of every example, and a short simulation of every registered joint, constraint, driver and force on its
sample. Results are not stored, because bits differ between processors. Exit status: 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from difflib import ndiff
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from commits import Worker, selected, two_trees

LINES = 6  # longest list of differing messages that is printed for one case
WORST = 3  # number of differing columns that are listed


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Differences of the outcomes of one case, ours against theirs (the base)."""
    found = _value_differences(ours["values"], theirs["values"])
    for key in ("warnings", "messages"):
        changed = [line for line in ndiff(theirs[key], ours[key]) if line[0] in "+-"]
        found += [f"{key}: {line}" for line in changed[:LINES]]
        if len(changed) > LINES:
            found.append(f"{key}: {len(changed) - LINES} more lines differ")
    return found


def _value_differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    found = []
    for words, names in (("new", ours.keys() - theirs.keys()), ("missing", theirs.keys() - ours.keys())):
        if names:
            found.append(f"values: {len(names)} {words}, e.g. {min(names)}")
    changed = []
    for name in [each for each in theirs if each in ours]:
        new, old = np.asarray(ours[name]), np.asarray(theirs[name])
        if new.shape != old.shape or new.dtype != old.dtype:
            found.append(f"values: {name} has shape {new.shape} {new.dtype}, was {old.shape} {old.dtype}")
        elif new.tobytes() != old.tobytes():
            changed.append((*_gap(new, old), name))
    if changed:
        listed = [
            f"{name} by {gap:.1e}, {share:.1e} of its largest value" for share, gap, name in sorted(changed)[-WORST:]
        ]
        found.append(f"values: {len(changed)} of {len(theirs)} differ: {'; '.join(reversed(listed))}")
    return found


def _gap(new: Any, old: Any) -> tuple[float, float]:
    """Largest difference, relative to the largest value and absolute; infinite where only one value is finite."""
    if not np.array_equal(np.isfinite(new), np.isfinite(old)):
        return np.inf, np.inf
    finite = np.isfinite(old)
    size = float(np.abs(old[finite]).max(initial=0.0))
    gap = float(np.abs(new[finite] - old[finite]).max(initial=0.0))
    return gap / size if size else gap, gap


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="commit to compare with")
    parser.add_argument("other", nargs="?", help="second commit; defaults to the working tree")
    parser.add_argument(
        "--cases", nargs="+", default=[], metavar="PATTERN", help="only these, e.g. 'example/*' plane/revolute"
    )
    options = parser.parse_args()
    with two_trees(options.base, options.other) as (base, other), Worker(base) as theirs, Worker(other) as ours:
        before, after = theirs.request("names"), ours.request("names")
        names = selected(list(dict.fromkeys([*after, *before])), options.cases)
        differing = only = 0
        for name in names:
            if name not in before or name not in after:
                only += 1
                print(f"{name}: only in {'the base' if name in before else 'the other commit'}")
                continue
            found = differences(ours.request("outcome", name), theirs.request("outcome", name))
            differing += bool(found)
            print(*(f"{name}: {line}" for line in found), sep="\n", end="\n" if found else "", flush=True)
    print(
        f"{len(names)} cases: {len(names) - differing - only} are the same, {differing} differ, {only} in one commit only"
    )
    return 1 if differing or only else 0


if __name__ == "__main__":
    sys.exit(main())
