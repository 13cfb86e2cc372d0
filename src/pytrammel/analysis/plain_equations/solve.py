"""Equations given as formulas, solved by Newton's method: positions, and velocities and accelerations where they depend on time."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import number_of, short, unlike
from pytrammel.analysis.options import given_instants, whole_number
from pytrammel.analysis.positions.assembly import Newton
from pytrammel.analysis.positions.newton import Ending, Equations, Outcome, diverges, iterate, sequence
from pytrammel.errors import (
    ConvergenceError,
    ExpressionError,
    ModelError,
    RunWarning,
    SingularError,
    TrammelError,
    tell,
)
from pytrammel.expressions.expression import Call, Expression, as_expression, variable
from pytrammel.results.studies.equations import Formulas
from pytrammel.results.studies.newton import NewtonHistory
from pytrammel.results.studies.solutions import Solution, Solutions

Array = NDArray[np.float64]
EPSILON = float(np.finfo(float).eps)
SMALL = 1e-6  # of the largest value that an unknown has had: smaller ones count as this
TRUST = 0.2  # accepted distance from the predicted values, against the predicted change
NEAR = 1e-7  # differences below this share of an unknown are no jump
FEWEST = 2.0**-20  # of the way between two times: smaller steps do not help


@overload
def solve(
    equations: Any, start: Mapping[str, float], *, given: Mapping[str, Any] | None = None, time: float = 0.0, times: None = None,
    newton: Newton = "damped", tol: float = 1e-10, max_iterations: int = 100,
) -> Solution: ...  # fmt: skip
@overload
def solve(
    equations: Any, start: Mapping[str, float], *, given: Mapping[str, Any] | None = None, time: float = 0.0, times: ArrayLike,
    newton: Newton = "damped", tol: float = 1e-10, max_iterations: int = 100,
) -> Solutions: ...  # fmt: skip
@checked
def solve(
    equations: Any,
    start: Mapping[str, float],
    *,
    given: Mapping[str, Any] | None = None,
    time: float = 0.0,
    times: ArrayLike | None = None,
    newton: Newton = "damped",
    tol: float = 1e-10,
    max_iterations: int = 100,
) -> Solution | Solutions:
    """Solve equations that are given as formulas by the Newton–Raphson method, with exact derivatives.

        tm.textbook.solve(["x^2 + y^2 = 4", "x = y"], {"x": 1, "y": 1})

    Where the equations or given values depend on t, the solution has velocities and accelerations, too.

    Args:
        equations: Formulas that must be zero, or texts with "=", in a list or by name in a mapping; as many as unknowns.
        start: First guess of every unknown by name.
        given: Known quantities by name: numbers, or formulas of t (the independent coordinates of algorithm K-I).
        time: Value of t [s].
        times: Instants [s] to solve at one after the other, instead of `time`.
        newton: "damped" halves steps that do not lower the residuals; "full" takes full steps, and along `times` starts from the last
            time's values as they are.
        tol: The iteration ends where a change of the unknowns by this share would remove the residuals.
        max_iterations: Largest number of iterations.

    Raises:
        ConvergenceError, SingularError: With the iterations so far as ``error.partial``; along `times`, with the solutions so far.
    """
    formulas, x = _read(equations, start, given)
    settings = _Settings(newton == "damped", _share(tol), whole_number(max_iterations, "max_iterations", 1))
    instant = checked_number(time, "time")
    with np.errstate(all="ignore"):  # what is not finite is told in sentences
        if times is not None:
            if instant:
                raise ModelError(f"time={instant:g} would not be used, because times= are given; leave it out.")
            return _followed(formulas, x, given_instants(times), settings)
        found = _solved(formulas, x, instant, settings)
        doubts = _doubts(formulas, found.x, instant, settings)
    solution = Solution(formulas, instant, found.x, found.history, doubts)
    tell(doubts, solution)
    return solution


@dataclass(frozen=True)
class _Settings:
    damping: bool
    tolerance: float
    iterations: int


# --- reading -------------------------------------------------------------------------------------------------------------


def _read(equations: Any, start: Any, given: Any) -> tuple[Formulas, Array]:
    if not isinstance(start, Mapping) or not start:
        raise ModelError(
            f"start must give a first guess of every unknown by name, {{'x': 1.0}}, but it is {short(start)}."
        )
    unknowns = tuple(start)
    for name in unknowns:
        variable(name)  # or a sentence
    if "t" in unknowns:
        raise ModelError("t is the time and cannot be an unknown; give the unknown another name.")
    x = np.array([checked_number(value, f"start of {name!r}") for name, value in start.items()])
    named = _named(equations)
    known = known_quantities(given, unknowns)
    residuals = {name: _formula(text, f"equation {name}").substitute(known) for name, text in named.items()}
    for name, formula in residuals.items():
        missing = sorted(formula.names - set(unknowns) - {"t"})
        if missing:
            near = difflib.get_close_matches(missing[0], [*unknowns, *known], n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ModelError(
                f"equation {name} names {missing[0]!r}, which is neither an unknown ({', '.join(unknowns)}) nor given; put it into start= "
                f"or given=.{hint}"
            )
    if len(residuals) != len(unknowns):
        few = len(residuals) < len(unknowns)
        raise ModelError(
            f"given: {number_of(len(residuals), 'equation')} for {number_of(len(unknowns), 'unknown')} ({', '.join(unknowns)}); "
            + ("add equations, or move an unknown to given=." if few else "leave some out, or add unknowns to start=.")
        )
    unused = [name for name in unknowns if not any(name in f.names for f in residuals.values())]
    if unused:
        raise ModelError(
            f"no equation depends on {', '.join(map(repr, unused))}; correct the equations or leave it out of start=."
        )
    return Formulas(tuple(residuals), unknowns, tuple(residuals.values())), x


def _named(equations: Any) -> dict[str, Any]:
    if isinstance(equations, str | Expression):
        equations = [equations]
    if isinstance(equations, Mapping):
        if any(not isinstance(name, str) for name in equations):
            raise ModelError(f"the names of equations must be texts, but they are {short(list(equations))}.")
        return dict(equations)
    if not isinstance(equations, Sequence) or isinstance(equations, bytes) or not len(equations):
        raise ModelError(f"equations must be formulas in a list, or by name, but they are {short(equations)}.")
    return {str(k + 1): equation for k, equation in enumerate(equations)}


def _formula(equation: Any, what: str) -> Expression:
    if isinstance(equation, str) and equation.count("=") == 1:
        left, right = equation.split("=")
        return as_expression(left, what) - as_expression(right, what)
    if isinstance(equation, str) and "=" in equation:
        raise ExpressionError(f"{what}: {short(equation)} has more than one equals sign; write one equation per text.")
    return as_expression(equation, what)


def known_quantities(given: Any, unknowns: Sequence[str]) -> dict[str, Expression]:
    """Quantities given by name, as formulas of t."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or any(not isinstance(name, str) for name in given):
        raise ModelError(f"given must be a mapping by name, {{'a': 2.0}}, but it is {short(given)}.")
    known: dict[str, Expression] = {}
    for name, value in given.items():
        if name in unknowns or name == "t":
            other = "an unknown, too" if name in unknowns else "the time, which time= or times= give"
            raise ModelError(f"{name!r} is given, but it is {other}; name it once.")
        formula = as_expression(value, f"given {name!r}")
        if formula.names - {"t"}:
            raise ModelError(f"given {name!r} = {formula} may depend on t only.")
        known[name] = formula
    return known


def _share(value: Any) -> float:
    share = checked_number(value, "tol")
    if not 1e-14 <= share < 1.0:
        raise ModelError(f"tol is {unlike(share, 1e-14, 1.0)[0]}; it must be at least 1e-14 and below 1.")
    return share


# --- solving -------------------------------------------------------------------------------------------------------------


def _solved(formulas: Formulas, x: Array, time: float, settings: _Settings) -> Outcome:
    def scales(x: Array, J: Array, seen: list[Array]) -> tuple[Array, Array]:
        typical = np.maximum(np.abs(x), SMALL * np.abs(np.array([*seen, x])).max(axis=0))
        rows = np.abs(J) @ typical
        return np.where(rows > 0.0, rows, 1.0), np.where(typical > 0.0, typical, 1.0)

    largest = np.abs(x)

    def is_solution(x: Array, phi: Array, J: Array) -> bool:
        np.maximum(largest, np.abs(x), out=largest)
        close = np.abs(phi) <= settings.tolerance * (np.abs(J) @ np.maximum(np.abs(x), SMALL * largest))
        if close.all():
            return True
        return bool((close | (np.abs(phi) <= _rounding(formulas, x, time))).all())

    equations = Equations(
        formulas.unknowns, formulas.names, formulas.unknowns, lambda x: formulas.evaluated(x, time), scales, is_solution
    )
    outcome = iterate(equations, x, damping=settings.damping, limit=settings.iterations)
    if outcome.ending is not Ending.CONVERGED:
        raise _explained(formulas, outcome, time, settings)
    return outcome


def _rounding(formulas: Formulas, x: Array, time: float) -> Array:
    """What the residuals owe to rounding: a few times 1e-16 of the sum of the sizes of their terms."""
    values, sizes = formulas.at(x, time), []
    for formula in formulas.residuals:
        total, terms = 0.0, [formula]
        while terms:
            term = terms.pop()
            if isinstance(term, Call) and term.function in ("+", "-"):
                terms.extend(term.children)
            else:
                total += abs(float(term.evaluate(values)))
        sizes.append(total)
    return 4.0 * EPSILON * np.array(sizes)


def _doubts(formulas: Formulas, x: Array, time: float, settings: _Settings) -> tuple[RunWarning, ...]:
    """Digits that rounding takes where the Jacobian is nearly singular."""
    _, J = formulas.evaluated(x, time)
    try:
        errors = np.abs(np.linalg.inv(J)) @ _rounding(formulas, x, time)
    except np.linalg.LinAlgError:
        errors = np.full(x.size, np.inf)
    lost = np.flatnonzero(errors > max(settings.tolerance, 1e-9) * np.maximum(np.abs(x), SMALL))
    if not lost.size:
        return ()
    sizes = [f"{formulas.unknowns[k]} to about {errors[k]:.1g}" for k in lost if np.isfinite(errors[k])]
    known = f"rounding leaves {', '.join(sizes)}" if sizes else "how many digits are right is not known"
    return (
        RunWarning(
            "accuracy",
            f"the Jacobian is singular or nearly so at the solution {formulas.place(x)}, as at a multiple root: {known}.",
        ),
    )


def _explained(formulas: Formulas, outcome: Outcome, time: float, settings: _Settings) -> TrammelError:
    history, x = outcome.history, outcome.x
    count = history.iterations
    way = f"the largest residuals were {sequence(np.abs(history.residuals).max(axis=1))}"
    where = formulas.place(x) + (f" (t = {time:g})" if any("t" in f.names for f in formulas.residuals) else "")
    phi = history.residuals[-1]
    worst = formulas.names[int(np.nan_to_num(np.abs(phi), nan=np.inf).argmax())]
    kind: type[TrammelError] = ConvergenceError
    if outcome.ending is Ending.SINGULAR and not diverges(history):
        kind = SingularError
        text = (
            f"the Jacobian is singular after {number_of(count, 'iteration')}, at {where}: {_dependence(formulas, x, time)}. Newton's "
            "method has no step from there; start elsewhere."
        )
    elif outcome.ending is Ending.NOT_FINITE and history.iterations == 0:
        text = f"equation {worst} or its derivative is not a finite number at the start, {where}; start where it is defined."
    elif outcome.ending is Ending.NOT_FINITE:
        text = (
            f"Newton's method diverges: after {number_of(count, 'iteration')} equation {worst} is not a finite number, at {where}; {way}. "
            "Start nearer to a solution, or use newton='damped'."
        )
    elif outcome.ending is Ending.CYCLE:
        text = (
            f"Newton's method goes round in circles: the values after {count} iterations, {where}, are those of "
            f"{outcome.period} iterations before. Start elsewhere, or use newton='damped'."
        )
    elif outcome.ending is Ending.STUCK:
        text = (
            f"no step lowers the residuals any further at {where}, where equation {worst} misses by {abs(phi).max():.4g}: near a minimum "
            "of the residuals that is no solution, or at a corner of a formula. Start elsewhere, or check that there is a solution."
        )
    else:
        how = "diverges" if diverges(history) else "does not converge"
        advice = "start nearer to a solution, or use newton='damped'" if not settings.damping else "start elsewhere"
        text = (
            f"Newton's method {how}: after {count} iterations equation {worst} misses by {abs(phi).max():.4g} at {where}; {way}. "
            f"Check that there is a solution, and {advice}."
        )
    return kind(text, partial=history)


def _dependence(formulas: Formulas, x: Array, time: float) -> str:
    """Why a Jacobian is singular."""
    _, J = formulas.evaluated(x, time)
    still = [name for name, column in zip(formulas.unknowns, J.T, strict=True) if not np.abs(column).any()]
    flat = [name for name, row in zip(formulas.names, J, strict=True) if not np.abs(row).any()]
    if flat:
        return (
            f"equation {', '.join(flat)} does not change with any unknown there (a minimum, a maximum or an inflection)"
        )
    if still:
        return f"no equation changes with {', '.join(still)} there"
    return "the equations are dependent there"


# --- along time ------------------------------------------------------------------------------------------------------------


def _followed(formulas: Formulas, x: Array, times: Array, settings: _Settings) -> Solutions:
    """Solutions at one time after the other, each step small enough to lead on along the same branch."""
    found = _solved(formulas, x, float(times[0]), settings)
    rows = [(found.x, *formulas.rates(found.x, float(times[0])), found.history)]

    def so_far() -> Solutions:
        xs, vs, accelerations, histories = zip(*rows, strict=True)
        table = np.array(xs), np.array(vs), np.array(accelerations)
        return Solutions(formulas, times[: len(rows)].copy(), *table, tuple(histories))

    try:
        for begin, end in itertools.pairwise(times):
            rows.append(_advanced(formulas, rows[-1], float(begin), float(end), settings))
    except TrammelError as error:
        error.partial = so_far()
        raise
    return so_far()


Row = tuple[Array, Array, Array, NewtonHistory]


def _advanced(formulas: Formulas, row: Row, begin: float, end: float, settings: _Settings) -> Row:
    """From one time to the next: in one step for the plain method, else in as many as the branch needs."""
    if not settings.damping:
        found = _solved(formulas, row[0], end, settings)
        return (found.x, *formulas.rates(found.x, end), found.history)
    now, h = begin, end - begin
    while now < end:
        h = min(h, end - now)
        then = end if h == end - now else now + h
        x, v, a, _ = row
        ahead = x + h * (v + 0.5 * h * a)
        failure: TrammelError | None = None
        try:
            found = _solved(formulas, ahead, then, settings)
            rates = formulas.rates(found.x, then)
            leads_on = _leads_on(formulas, row, ahead, h, then, found.x, rates[0])
        except TrammelError as error:
            leads_on, failure = False, error
        if leads_on:
            row, now, h = (found.x, *rates, found.history), then, 2.0 * h
            continue
        h *= 0.5
        if h < FEWEST * (end - begin):
            if failure is not None:
                raise failure
            raise SingularError(
                f"the solution cannot be followed beyond t = {now:.6g}: at {formulas.place(x)} it ends or meets another one, and "
                "rates grow without bound. Stop before, or give another quantity as a function of t."
            )
    return row


def _leads_on(formulas: Formulas, row: Row, ahead: Array, h: float, time: float, found: Array, rate: Array) -> bool:
    """True if values and rates lie where those at the last time lead, each unknown in its own size."""
    x, v, a, _ = row
    _, J = formulas.evaluated(found, time)
    noise = 10.0 * np.abs(np.linalg.inv(J)) @ _rounding(formulas, found, time)
    sizes = np.maximum.reduce([np.abs(x), np.abs(ahead), np.abs(found), noise])
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    off = (np.maximum(np.abs(found - ahead) - noise, 0.0) / sizes).max()
    turned = (np.maximum(h * np.abs(rate - v - h * a) - noise, 0.0) / sizes).max()
    moved = (np.abs(ahead - x) / sizes).max()
    swept = (h * (np.abs(v) + np.abs(rate)) / sizes).max()
    return bool(off <= TRUST * moved + NEAR and turned <= TRUST * swept + NEAR)
