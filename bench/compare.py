"""Compare the CPU time of the default calls of two commits, which run alternately.

    python bench/compare.py main                             # the working tree and main: every example, 20 pairs
    python bench/compare.py v0.9.0 main --pairs 40
    python bench/compare.py main --cases example/andrews 'space/*'

A pair is one measurement of each commit, in alternating order. The table shows the median of the ratios of the pairs (above 1: slower than
the base) with its interval of at least 95 % by order statistics, for any distribution. Both processes are replaced after every few pairs,
because the layout of memory makes a process faster or slower by some percent. Compilation is not measured. Results are not stored.
"""

from __future__ import annotations

import argparse
import sys
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from commits import Worker, selected, two_trees

PAIRS_PER_PROCESS = 5


def interval(ratios: NDArray[np.float64], confidence: float = 0.95) -> tuple[float, float, float]:
    """Median and the limits of its interval; with fewer than 6 pairs the limits are the extremes, with less confidence."""
    ordered = np.sort(ratios)
    n = len(ordered)
    cut = 0  # the interval from ordered[cut] to ordered[-1 - cut] misses the median with probability 2 P(B <= cut), B binomial
    while 2 * sum(comb(n, k) for k in range(cut + 2)) <= (1 - confidence) * 2**n:
        cut += 1
    return float(np.median(ordered)), float(ordered[cut]), float(ordered[-1 - cut])


def measured(trees: tuple[Path, Path], names: list[str], pairs: int, least: float) -> NDArray[np.float64]:
    """CPU times [s] of the base and the other commit, shape (pairs, 2, cases)."""
    times = np.empty((pairs, 2, len(names)))
    for first in range(0, pairs, PAIRS_PER_PROCESS):
        with Worker(trees[0]) as base, Worker(trees[1]) as other:
            for pair in range(first, min(pairs, first + PAIRS_PER_PROCESS)):
                for column, name in enumerate(names):
                    for side, worker in ((0, base), (1, other)) if (pair + column) % 2 else ((1, other), (0, base)):
                        times[pair, side, column] = worker.request("cpu_seconds", name, least)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="commit to compare with")
    parser.add_argument("other", nargs="?", help="second commit; defaults to the working tree")
    parser.add_argument("--cases", nargs="+", default=["example/*"], metavar="PATTERN", help="defaults to 'example/*'")
    parser.add_argument("--pairs", type=int, default=20, help="number of pairs, 20 by default")
    parser.add_argument(
        "--least", type=float, default=0.02, metavar="S", help="shortest measurement; short calls are repeated"
    )
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error("--pairs must be at least 1")
    with two_trees(options.base, options.other) as trees:
        with Worker(trees[0]) as base, Worker(trees[1]) as other:
            common = [name for name in other.request("names") if name in set(base.request("names"))]
            names = selected(common, options.cases)
            # a call that compiles or fails is met here, not between measurements
            for name in names:
                base.request("cpu_seconds", name, 0.0)
                other.request("cpu_seconds", name, 0.0)
        times = measured(trees, names, options.pairs, options.least)
    ratios = times[:, 1] / times[:, 0]
    print(f"{'case':34s}{'base [ms]':>11s}{'other [ms]':>11s}{'ratio':>8s}   95 % interval")
    for column, name in enumerate(names):
        base_ms, other_ms = 1e3 * np.median(times[:, :, column], axis=0)
        middle, low, high = interval(ratios[:, column])
        print(f"{name:34s}{base_ms:11.2f}{other_ms:11.2f}{middle:8.3f}   {low:.3f} … {high:.3f}")
    middle, low, high = interval(np.exp(np.log(ratios).mean(axis=1)))
    print(f"{f'all {len(names)}, geometric mean':56s}{middle:8.3f}   {low:.3f} … {high:.3f}   ({options.pairs} pairs)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
