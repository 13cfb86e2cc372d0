"""``pytrammel linear``: sets of linear equations at prompts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from pytrammel.cli.output import positive, with_help

HELP = """\
Solve linear equations A x = c at prompts, as the program of example 3.12 of
Nikravesh (1988): the number of equations, the rows of A, then c. A is factored
once (Crout's method with exchange of columns), and any number of vectors c may
follow.
"""
EPILOG = """\
examples:
  pytrammel linear
  pytrammel linear --eps 1e-12            # pivots down to 1e-12 are not zero
  printf '2\\n4 2\\n1 3\\n10 5\\n0\\n' | pytrammel linear

Numbers are separated by commas or blanks; a record may take several lines. T
terminates. The solution is printed as 10F10.5. From Python:
pytrammel.textbook.linear.lu(A).solve(c), which shows every step.
"""
EPS = 1e-4
MOST = 500  # equations; the matrix is typed
WIDTH, DECIMALS, PER_LINE = 10, 5, 10


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "linear", HELP, EPILOG, help="solve linear equations at prompts")
    parser.add_argument("--eps", type=positive, default=EPS, metavar="E",
                        help=f"smallest pivot taken for nonzero (default: {EPS:g})")  # fmt: skip
    return parser


def run(options: argparse.Namespace) -> int:
    """Read the matrix, then right sides until the user has enough."""
    import numpy as np

    from pytrammel.cli.typed_records import typed_record
    from pytrammel.io.decks.kap_quirks import factor

    n = _count()
    unknowns = tuple(f"x{k}" for k in range(1, n + 1))
    rows = [typed_record(f"ENTER ROW{k:5d}", f"row {k}", tuple(f"a{k},{j}" for j in range(1, n + 1)), (), sys.stdout)
            for k in range(1, n + 1)]  # fmt: skip
    factors = factor(np.array([row.values for row in rows if row is not None], dtype=float), options.eps)
    while True:
        right = typed_record("ENTER VECTOR C", "vector C", tuple(f"c{k}" for k in range(1, n + 1)), (), sys.stdout)
        assert right is not None
        last = abs(float(factors.lu[-1, -1]))
        if factors.singular_row >= 0 or last < options.eps:
            k = factors.singular_row if factors.singular_row >= 0 else n - 1
            return singular(f"no pivot of at least {options.eps:g} is left in row {k + 1}")
        print_values("     THE SOLUTION IS", unknowns, factors.solve(np.array(right.values, dtype=float)))
        if not _continues():
            return 0


def _count() -> int:
    from pytrammel.cli.typed_records import typed_record

    while True:
        record = typed_record("ENTER N", "N", ("N",), ("N",), sys.stdout)
        assert record is not None
        if 1 <= record.integer("N") <= MOST:
            return record.integer("N")
        print(f"N is {record.integer('N')}; it must be from 1 to {MOST}.")


def _continues() -> bool:
    """Return True if another vector C follows; the end of the input is treated as 0."""
    while True:
        print("     IF ANOTHER VECTOR C IS GOING TO BE GIVEN\n       THEN ENTER 1, OTHERWISE ENTER 0", flush=True)
        choice = sys.stdin.readline().strip().lower()
        if choice in ("", "0", "t", "terminate"):
            return False
        if choice == "1":
            return True


def singular(reason: str) -> int:
    """Report a singular matrix as the listing does, with the reason on standard error; the exit code."""
    print("     ***THE MATRIX IS SINGULAR***", flush=True)
    print(
        f"pytrammel: error: the matrix is singular: {reason}. EPS is absolute. Use --eps for small numbers.",
        file=sys.stderr,
    )
    return 1


def print_values(head: str, names: Sequence[str], values: Any) -> None:
    """Print values in the format 10F10.5; those that do not fit follow in full."""
    from pytrammel.io.decks.deck_lines import fortran_f

    texts = [fortran_f(float(value), WIDTH, DECIMALS) for value in values]
    print(head)
    for first in range(0, len(texts), PER_LINE):
        print("".join(texts[first : first + PER_LINE]))
    for name, text, value in zip(names, texts, values, strict=True):
        if "*" in text:
            print(f"{name} = {float(value)!r}")
    sys.stdout.flush()
