"""``pytrammel newton``: nonlinear equations at prompts."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Any

from pytrammel.cli.output import count, positive, with_help

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytrammel.results.studies.equations import Formulas

    Array = NDArray[np.float64]

HELP = """\
Solve nonlinear equations by the Newton-Raphson method at prompts, as the program
of example 3.14 of Nikravesh (1988): the numbers of independent variables v and of
dependent variables u, the values of v, and estimates of u. The equations are
those of example 3.13, a disk on a plane, unless --equation gives others.
"""
EPILOG = """\
examples:
  pytrammel newton                                  # example 3.13: 1,2, then 0.5236, then 5.59,10
  pytrammel newton --iterations
  pytrammel newton --equation "1.2*cos(v1) + 2.6*cos(u1) - u2" --equation "1.2*sin(v1) + 2.6*sin(u1)"
  pytrammel newton --equation "F(1) = U(1)**2 - V(1)" --feps 1e-9

Numbers are separated by commas or blanks; a record may take several lines. T
terminates. The solution is printed as 10F10.5. From Python: tm.textbook.solve, with exact
derivatives, damped steps, velocities and accelerations.
"""
EXAMPLE = ("2*cos(u1) - u2 + 10*cos(v1)", "2*sin(u1) - 4 + 10*sin(v1)")  # Nikravesh, example 3.13
EPS, FEPS, NRMAX = 1e-4, 1e-3, 25
MOST = 100  # variables of each kind


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "newton", HELP, EPILOG, help="solve nonlinear equations at prompts")
    parser.add_argument("--equation", metavar="FORMULA", action="append", default=[],
                        help="formula of u1, u2, ..., v1, ... that must be zero, or an equation with =; FORTRAN's U(1), COS and ** are "
                        "understood; give one per dependent variable")  # fmt: skip
    parser.add_argument(
        "--nrmax", type=count, default=NRMAX, metavar="N", help=f"iterations at most (default: {NRMAX})"
    )
    parser.add_argument("--feps", type=positive, default=FEPS, metavar="E",
                        help=f"largest Newton difference that ends the iteration (default: {FEPS:g})")  # fmt: skip
    parser.add_argument("--eps", type=positive, default=EPS, metavar="E",
                        help=f"smallest pivot taken for nonzero (default: {EPS:g})")  # fmt: skip
    parser.add_argument(
        "--iterations", action="store_true", help="print variables, residuals and Newton differences of each iteration"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Read the variables and iterate."""
    import numpy as np

    texts = options.equation or EXAMPLE
    residuals = [_formula(text) for text in texts]
    n_u, n_v = _numbers(residuals)
    given = _values("ENTER VALUES FOR THE INDEPENDENT VARIABLES", "v", n_v) if n_v else ()
    estimates = _values("ENTER ESTIMATES FOR THE DEPENDENT VARIABLES", "u", n_u)
    from pytrammel.cli.commands.linear import print_values, singular
    from pytrammel.expressions.expression import number
    from pytrammel.results.studies.equations import Formulas

    known = {f"v{k}": number(value) for k, value in enumerate(given, 1)}
    names = tuple(f"u{k}" for k in range(1, n_u + 1))
    formulas = Formulas(tuple(f"F{k}" for k in range(1, n_u + 1)), names, tuple(f.substitute(known) for f in residuals))
    u, outcome = _iterated(formulas, np.array(estimates, dtype=float), options)
    if outcome == "singular":
        return singular(f"no pivot of at least {options.eps:g} at {formulas.place(u)}")
    if outcome:
        print("     ***CONVERGENCE FAILED***", flush=True)
        print(f"pytrammel: error: {outcome} Use other estimates, or --nrmax.", file=sys.stderr)
        return 1
    print_values("THE SOLUTION TO DEPENDENT VARIABLES IS:", names, u)
    return 0


def _iterated(formulas: Formulas, u: Array, options: argparse.Namespace) -> tuple[Array, str]:
    """Subroutine NEWTON: full corrections until all differences are at most FEPS; the values and why there is no solution."""
    import numpy as np

    from pytrammel.io.decks.kap_quirks import factor

    if options.iterations:
        print(
            "iteration "
            + "".join(
                f"{name:>14}" for name in (*formulas.unknowns, *formulas.names, *(f"d{x}" for x in formulas.unknowns))
            )
        )
    for iteration in range(1, options.nrmax + 1):
        with np.errstate(all="ignore"):
            phi, jac = formulas.evaluated(u, 0.0)
            if not (np.isfinite(phi).all() and np.isfinite(jac).all()):
                return u, f"the equations have no finite value at {formulas.place(u)}."
            factors = factor(jac, options.eps)
            if factors.singular_row >= 0 or abs(factors.lu[-1, -1]) < options.eps:
                return u, "singular"
            difference = factors.solve(phi)
        if options.iterations:
            print(f"{iteration:9d} " + "".join(f"{value:14.6g}" for value in (*u, *phi, *-difference)))
        u = u - difference
        if np.abs(difference).max() <= options.feps:
            return u, ""
    return u, f"the Newton differences are above {options.feps:g} after {options.nrmax} iterations."


def _formula(text: str) -> Any:
    """Formula of u1, v1, ... from a text that may be written as in FORTRAN."""
    from pytrammel.errors import ModelError
    from pytrammel.expressions.expression import as_expression

    plain = re.sub(r"^\s*f\s*\(\s*\d+\s*\)\s*=", "", text.lower())
    plain = re.sub(r"\b([uv])\s*\(\s*(\d+)\s*\)", r"\1\2", plain)
    plain = re.sub(r"(?<=[\d.])d(?=[+-]?\d)", "e", plain).replace("**", "^").replace("alog(", "log(")
    sides = plain.split("=")
    if len(sides) > 2:
        raise ModelError(f"--equation {text!r} has more than one equals sign. Give one equation per option.")
    left, *right = (as_expression(side, f"--equation {text!r}") for side in sides)
    formula = left - right[0] if right else left
    other = sorted(name for name in formula.names if not re.fullmatch(r"[uv][1-9]\d?", name))
    if other:
        raise ModelError(f"--equation {text!r} names {other[0]!r}; variables are u1, u2, ... and v1, v2, ...")
    return formula


def _numbers(residuals: list[Any]) -> tuple[int, int]:
    """Numbers of dependent and independent variables, as typed, that fit the equations."""
    from pytrammel.cli.typed_records import typed_record

    named = {name for formula in residuals for name in formula.names}
    most = {letter: max((int(name[1:]) for name in named if name[0] == letter), default=0) for letter in "uv"}
    while True:
        prompt = "ENTER NO. OF INDEPENDENT VARIABLES V\n        AND NO. OF DEPENDENT VARIABLES U"
        record = typed_record(prompt, "numbers of variables", ("NV", "N"), ("NV", "N"), sys.stdout)
        assert record is not None
        n_v, n_u = record.integer("NV"), record.integer("N")
        if n_u != len(residuals):
            print(f"N is {n_u}; it must be equal to the number of equations, {len(residuals)}.")
        elif not most["v"] <= n_v <= MOST or most["u"] > n_u:
            held = ", ".join(sorted(named))
            held = ", ".join(sorted(named))
            limits = f"NV must be from {most['v']} to {MOST}, N at least {most['u']}."
            print(f"the equations have the variables {held}; {limits}")
        else:
            return n_u, n_v


def _values(prompt: str, letter: str, number: int) -> tuple[float, ...]:
    from pytrammel.cli.typed_records import typed_record

    fields = tuple(f"{letter}{k}" for k in range(1, number + 1))
    record = typed_record(prompt, "the values", fields, (), sys.stdout)
    assert record is not None
    return record.values
