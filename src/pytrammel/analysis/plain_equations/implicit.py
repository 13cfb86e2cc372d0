"""Implicit differential equations g(t, y, y') = 0 as people write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import number_of
from pytrammel.analysis.plain_equations.index_reduction import consistent, reduced_index
from pytrammel.analysis.plain_equations.plain import PlainEquations, packed, read_initial
from pytrammel.analysis.plain_equations.primes import PRIMED, inner_name, outer_name, read_formula
from pytrammel.analysis.plain_equations.solve import known_quantities
from pytrammel.errors import ConvergenceError, ModelError
from pytrammel.expressions.expression import Expression, variable
from pytrammel.kernels.equations import implicit
from pytrammel.results.studies.equations import Formulas

Array = NDArray[np.float64]
ITERATIONS = 50


@dataclass(frozen=True, eq=False)
class ImplicitEquations(PlainEquations):
    """Equations g(t, y, y', z) = 0 that are solved for the highest derivatives and for quantities without derivatives at every evaluation.

    Attributes:
        residuals: Left sides less right sides, with these as unknowns, derivatives first.
        sources: Per state the number of the state that is its rate, or of the derivative counted from -1 downwards.
        first: The unknowns at the start.
        held: Constraints on the states, zero along the solution; of equations of index 2 and 3.
    """

    residuals: Formulas = field(default_factory=lambda: Formulas((), (), ()))
    sources: tuple[int, ...] = ()
    first: Array = field(default_factory=lambda: np.zeros(0))
    held: tuple[Expression, ...] = ()

    routines = ("implicit_rates", "implicit_settle", *PlainEquations.routines[2:])
    module = implicit.__name__
    n_own = 2

    @property
    def all_formulas(self) -> tuple[Expression, ...]:
        return (*self.residuals.residuals, *self.held)

    @property
    def projects(self) -> bool:
        return bool(self.held)

    @property
    def exact_matrix(self) -> bool:
        return False

    def rates(self, t: float, y: Array) -> Array:
        found = solved(self.residuals, dict(zip(self.inner, map(float, y), strict=True)), t, self.first)
        return np.array([y[k] if k >= 0 else found[-1 - k] for k in self.sources])

    def others(self, times: Array, Y: Array) -> dict[str, Array]:
        """Quantities without derivatives along a solution."""
        top = -min(self.sources)
        if top == self.first.size:
            return {}
        table, guess = np.full((len(times), self.first.size), np.nan), self.first
        for k, (t, y) in enumerate(zip(times, Y, strict=True)):
            try:
                guess = solved(self.residuals, dict(zip(self.inner, map(float, y), strict=True)), float(t), guess)
            except ConvergenceError:  # where a run ends because of that
                break
            table[k] = guess
        return {name: table[:, top + k] for k, name in enumerate(self.residuals.unknowns[top:])}

    def _packed(self, atol: Array) -> tuple[NDArray[np.int64], Array, Array]:
        m, p, n = len(self.residuals.unknowns), len(self.held), len(self.names)
        inputs = (*self.inner, *self.residuals.unknowns, "t")
        ints, floats, slots = packed((*self.residuals.residuals, *self.held), inputs, [m, p, *self.sources], atol)
        room = np.zeros(3 * m + m * m + 1 + p * n + p * p + 2 * p + 4 * slots)
        room[:m] = self.first
        return ints, floats, room


def solved(equations: Formulas, state: dict[str, float], t: float, guess: Array) -> Array:
    """Highest derivatives in a state, by Newton's method."""
    at = {name: value for name, value in state.items() if name not in equations.unknowns}
    x = guess.copy()
    names = ", ".join(map(outer_name, equations.unknowns))
    where = ", ".join(f"{outer_name(name)} = {value:.6g}" for name, value in at.items())
    why = "Newton's method does not converge"
    with np.errstate(all="ignore"):
        for _ in range(ITERATIONS):
            values = {**at, **dict(zip(equations.unknowns, map(float, x), strict=True)), "t": t}
            phi = np.array([float(f.evaluate(values)) for f in equations.residuals])
            slopes = np.array([[float(d.evaluate(values)) for d in row] for row in equations.jacobian])
            if not (np.isfinite(phi).all() and np.isfinite(slopes).all()):
                why = "they are not a number"
                break
            try:
                step = np.linalg.solve(slopes, -phi)
            except np.linalg.LinAlgError:
                why = "they do not depend on it, or not independently"
                break
            x = x + step
            if np.abs(step).max() <= 1e-12 * max(float(np.abs(x).max()), 1e-300) or not step.any():
                return x
    raise ConvergenceError(
        f"the equations cannot be solved for {names} at t = {t:g}, {where}: {why}. Give a first guess of the derivatives in initial=, "
        "or check the equations."
    )


def is_implicit(equations: Sequence[Any]) -> bool:
    """Return True if some equation is not yet solved for its highest derivative."""
    if not all(isinstance(text, str) and text.count("=") == 1 for text in equations):
        return False
    sides = [tuple(side.strip() for side in text.split("=")) for text in equations]
    if not all(PRIMED.fullmatch(left) for left, _ in sides):
        return True
    given = {left.rstrip("'"): left.count("'") for left, _ in sides}
    named = [found for _, right in sides for found in PRIMED.finditer(right)]
    return any(len(found[2]) >= given.get(found[1], 1) for found in named) and len(given) == len(sides)


def read_implicit(equations: Sequence[str], initial: Any, given: Any, start: float) -> ImplicitEquations:
    """Texts with derivatives anywhere."""
    orders: dict[str, int] = {}
    for primed in (found for text in equations for found in PRIMED.finditer(text)):
        variable(primed[1])  # or a sentence
        orders[primed[1]] = max(orders.get(primed[1], 0), len(primed[2]))
    if not orders:
        raise ModelError("no equation has a derivative such as x' or x''; use tm.textbook.solve for equations without.")
    names = tuple(base + "'" * k for base, order in orders.items() for k in range(order))
    top = [base + "'" * order for base, order in orders.items()]
    known = known_quantities(given, tuple(orders))
    sides = [[read_formula(side, f"equation {text!r}") for side in text.split("=")] for text in equations]
    named = set().union(*(side.names for pair in sides for side in pair))
    # quantities without derivatives must have a first guess; other names are mistakes
    guessed = set(initial) if isinstance(initial, Mapping) else set()
    others = named - set(map(inner_name, (*names, *top))) - set(known) - {"t"}
    plain = sorted(others & guessed)
    nameless = sorted(others - guessed)
    if len(equations) > len(top) + len(plain) and nameless:
        raise ModelError(
            f"{', '.join(map(repr, nameless))}: unknown without a derivative or a first guess. Pass a first guess in initial=, or a value "
            "in given=."
        )
    top += plain
    if len(equations) != len(top):
        raise ModelError(
            f"given: {number_of(len(equations), 'equation')} for {len(top)} unknowns ({', '.join(top)}); give as many."
        )
    guesses = {name: initial[name] for name in top if isinstance(initial, Mapping) and name in initial}
    y = read_initial({k: v for k, v in initial.items() if k not in guesses} if guesses else initial, names)
    first = np.array([checked_number(guesses.get(name, 0.0), f"initial {name}") for name in top])
    residuals: list[Expression] = []
    for text, pair in zip(equations, sides, strict=True):
        left, right = (side.substitute(known) for side in pair)
        unknown = sorted((left.names | right.names) - set(map(inner_name, (*names, *top))) - {"t"})
        if unknown:
            raise ModelError(
                f"equation {text!r} names {outer_name(unknown[0])!r}, which is neither a state ({', '.join(names)}) nor given; put it "
                "into given=, or, if it is to be solved for, a first guess into initial=."
            )
        residuals.append(left - right)
    reduced = reduced_index(equations, residuals, [*orders, *plain])
    held: tuple[Expression, ...] = ()
    if reduced is not None:
        begin = {**dict(zip(names, map(float, y), strict=True)), **{k: float(v) for k, v in guesses.items()}}
        y = consistent(reduced, begin, set(names), start)
        first = np.array([begin.get(name, 0.0) for name in reduced.top])
        names, top, residuals, held = reduced.states, list(reduced.top), list(reduced.residuals), reduced.hidden
    system = Formulas(tuple(equations), tuple(map(inner_name, top)), tuple(residuals))
    sources = tuple(-1 - top.index(name + "'") if name + "'" in top else names.index(name + "'") for name in names)
    found = solved(system, dict(zip(map(inner_name, names), map(float, y), strict=True)), start, first)
    return ImplicitEquations(names, y, residuals=system, sources=sources, first=found, held=held)
