"""The long fuzz: ``make fuzz``, or in tests/: ``python -m fuzzing --minutes 10 --seed 5000``."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from fuzzing.seeds import Kept, line_to_keep
from fuzzing.worker import Worker


def main() -> int:
    parser = argparse.ArgumentParser(description="Random mechanisms through every analysis.")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--seed", type=int, default=1000, help="first seed")
    parser.add_argument("--cases", type=int, default=10**9, help="how many seeds at most")
    parser.add_argument("--space", choices=("plane", "space", "both"), default="both")
    given = parser.parse_args()
    spaces = ("plane", "space") if given.space == "both" else (given.space,)
    counts: Counter = Counter()
    kept: list[Kept] = []
    failures, cases, begin, told = 0, 0, time.monotonic(), 0.0
    for report in Worker().reports(iter(range(given.seed, given.seed + given.cases)), spaces):
        cases += 1
        report.tally(counts)
        for text in report.failures:
            failures += 1
            print(f"\nFAILURE {failures}: {text}", flush=True)
        if report.failures:
            kept.append(line_to_keep(report))
            print(f"line for tests/fuzzing/seeds.txt: {kept[-1]}", flush=True)
        now = time.monotonic() - begin
        if now - told > 30.0:
            told = now
            print(f"{now:6.0f} s: {cases} cases, {failures} failures", file=sys.stderr, flush=True)
        if now > 60.0 * given.minutes:
            break
    print(f"\n{cases} cases from seed {given.seed}, {failures} failures")
    for (space, analysis, said), count in sorted(counts.items()):
        print(f"  {space:<6} {analysis:<17} {said:<9} {count}")
    if kept:
        print(
            "\nAdd these lines to tests/fuzzing/seeds.txt with the corrections of their causes; the suite replays them:"
        )
        print(*kept, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
