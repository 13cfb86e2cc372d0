"""Multistep methods: of Adams, explicit, implicit, both in turn, of variable order; backward differences; and from given coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pytrammel._util.checks import checked, checked_number, listed
from pytrammel._util.messages import short
from pytrammel.analysis.methods import Array, Method, method_named, register
from pytrammel.errors import ModelError
from pytrammel.kernels.engine import OWN
from pytrammel.kernels.methods import adams, bdf, runge_kutta
from pytrammel.kernels.methods import multistep as kernels

HIGHEST = 6  # order of the methods with fixed steps
STABLE = 1e-7  # beyond 1: the size of a root whose rounding counts as growth
MOST = {kernels.VARIABLE_BACKWARD: bdf.HIGHEST + 2}  # times in the history
STARTERS = {6: "dop853"}  # by order; the others start with rk4, whose few steps cost a method of order 5 nothing

Coefficients = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


# --- coefficients --------------------------------------------------------------------------------------------------------


def integral_coefficients(nodes: Sequence[int]) -> tuple[Fraction, ...]:
    """Weights of values at whole numbers in the integral from 0 to 1 of the polynomial through them, exactly."""
    weights = []
    for j in nodes:
        poly = [Fraction(1)]
        for m in nodes:
            if m != j:  # times (x - m) / (j - m)
                shifted = [Fraction(0), *poly]
                poly = [(a - m * b) / (j - m) for a, b in zip(shifted, [*poly, Fraction(0)], strict=True)]
        weights.append(sum((c / (k + 1) for k, c in enumerate(poly)), Fraction(0)))
    return tuple(weights)


def adams_bashforth(order: int) -> Coefficients:
    """a and b of the explicit Adams method; b begins with the weight 0 of the new rates."""
    return (Fraction(1),), (Fraction(0), *integral_coefficients(range(0, -order, -1)))


def adams_moulton(order: int) -> Coefficients:
    """a and b of the implicit Adams method; b begins with the weight of the new rates."""
    return (Fraction(1),), integral_coefficients(range(1, 1 - order, -1))


def backward_differences(order: int) -> Coefficients:
    """a and b of Gear's method: the polynomial through the new state and the past ones has the new rates."""
    nodes = range(1, 1 - order - 1, -1)
    slopes = []
    for j in nodes:
        total = Fraction(0)
        for left_out in nodes:
            if left_out == j:
                continue
            term = Fraction(1, j - left_out)
            for m in nodes:
                if m not in (j, left_out):
                    term *= Fraction(1 - m, j - m)
            total += term
        slopes.append(total)
    return tuple(-s / slopes[0] for s in slopes[1:]), (1 / slopes[0],)


def order_of(a: Sequence[Fraction], b: Sequence[Fraction]) -> int:
    """Order of a method: powers of t up to it are met exactly (book, eq. 12.18)."""
    order = -1
    while order < 2 * (len(a) + len(b)):
        p = order + 1
        states = sum((aj * Fraction(-j) ** p for j, aj in enumerate(a)), Fraction(0))
        slope = Fraction(0)
        if p > 0:
            slope = sum((bj * p * Fraction(1 - j) ** (p - 1) for j, bj in enumerate(b)), Fraction(0))
        if states + slope != 1:
            break
        order = p
    return order


def is_zero_stable(a: Sequence[Fraction]) -> bool:
    """Return True if errors of past states do not grow by themselves: roots within the unit circle, those on it simple."""
    roots = np.roots([1.0, *(-float(x) for x in a)])
    if roots.size and np.abs(roots).max() > 1.0 + STABLE:
        return False
    rim = roots[np.abs(roots) > 1.0 - 1e-4]
    return all(abs(x - y) > 1e-4 for k, x in enumerate(rim) for y in rim[:k])


# --- methods -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts:
    """What makes a multistep method: kind, past times in predictor and corrector, coefficients, and how it begins."""

    kind: int
    predict: int
    correct: int = 0
    coefficients: Coefficients | None = None
    starter: str = "rk4"  # none for one that suits stiff equations
    given: Array | None = None

    def numbers(self, size: int) -> tuple[Array, list[int]]:
        tables, own = method_named(self.starter or "euler").numbers(0)
        stages = own[runge_kutta.STAGES - OWN]
        tableau = own[runge_kutta.AT_TABLEAU - OWN]
        weights = own[runge_kutta.AT_WEIGHTS - OWN]
        most = MOST.get(self.kind, self.predict + (self.kind == kernels.BACKWARD))
        listed: Array = np.zeros((0, size)) if self.given is None else self.given
        a, b = self.coefficients if self.kind == kernels.GIVEN and self.coefficients is not None else ((), ())
        parts = [
            tables[tableau : tableau + stages * stages],
            tables[weights : weights + runge_kutta.N_WEIGHTS * (stages + 1)],
            np.zeros(stages * size),  # rates at the stages of the starter
            listed.ravel(),
            np.zeros(most + 1),  # times
            np.zeros(most + 1),  # nodes
            np.zeros(2 * (most + 1)),  # weights of predictor and corrector
            np.zeros((most + 1) * size),  # rates
            np.zeros(most * size if self.kind >= kernels.GIVEN else 0),  # states
            np.zeros((1 + (self.predict if self.kind == kernels.BACKWARD else 0)) * size),  # new state, extrapolation
            np.zeros(size),
            np.array([*map(float, a), *(0.0 for _ in range(self.predict - len(a)))]),
            np.array([*map(float, b), *(0.0 for _ in range(self.predict + 1 - len(b)))]),
            np.zeros(size if self.kind >= kernels.BACKWARD else 0),  # first guess
        ]
        places = np.cumsum([kernels.FREE, *(part.size for part in parts)])
        head = [self.kind, self.predict, self.correct, most, stages if self.starter else 0, len(listed)]
        return np.concatenate([np.zeros(kernels.FREE), *parts]), [*head, *(int(p) for p in places[:-1])]


def _method(about: str, order: int, parts: _Parts, *, name: str = "", doubt: str = "") -> Method:
    def with_starter(starter: Any, size: int) -> Method:
        return _method(about, order, _with_starter(parts, starter, size, name), name=name, doubt=doubt)

    fixed = parts.kind not in MOST
    backward = parts.kind in (kernels.BACKWARD, kernels.VARIABLE_BACKWARD)
    return Method(
        about=about, order=order, family="bdf" if backward else "multistep", fixed=fixed, numbers=parts.numbers, implicit=backward,
        name=name, doubt=doubt, with_starter=with_starter if fixed else None, coefficients=parts.coefficients,
        history=parts.predict if fixed else 1, correction=(kernels.AT_K, 0),
    )  # fmt: skip


def _with_starter(parts: _Parts, starter: Any, size: int, name: str) -> _Parts:
    if isinstance(starter, str):
        found = method_named(starter)
        if found.family != "runge_kutta":
            raise ModelError(f"starter={starter!r} is no explicit Runge–Kutta method; use for instance 'rk4'.")
        return replace(parts, starter=starter)
    try:
        given = np.array(starter, dtype=float)
    except (TypeError, ValueError, OverflowError):
        given = np.full((1, 1), np.nan)
    if given.ndim == 1 and size == 1:
        given = given[:, None]
    if given.ndim != 2 or given.shape[1] != size or not np.isfinite(given).all():
        raise ModelError(
            f"starter must be the name of a method, or the states after the first steps, shape (k, {size}), but it is {short(starter)}."
        )
    if len(given) < parts.predict - 1:
        raise ModelError(
            f"method {name or 'multistep'!r} needs {parts.predict - 1} {'state' if parts.predict == 2 else 'states'} after the first, "
            f"but starter gives {len(given)}; give the others, or a method that computes them."
        )
    return replace(parts, given=given)


def _fixed(order: int, kind: str) -> Method:
    starter = STARTERS.get(order, "rk4")
    if kind == "ab":
        parts = _Parts(kernels.EXPLICIT, order, coefficients=adams_bashforth(order), starter=starter)
        about = f"Adams and Bashforth's explicit method of order {order}, fixed steps."
    elif kind == "am":
        parts = _Parts(
            kernels.SETTLED, max(1, order - 1), order - 1, coefficients=adams_moulton(order), starter=starter
        )
        about = f"Adams and Moulton's implicit method of order {order}, repeated until it settles, fixed steps."
    elif kind == "bdf":
        parts = _Parts(kernels.BACKWARD, order, coefficients=backward_differences(order), starter="")
        about = f"Gear's backward differences of order {order}, fixed steps: for stiff equations."
    else:
        parts = _Parts(kernels.CORRECTED, order - 1, order - 1, starter=starter)
        about = f"Predictor of Adams and Bashforth, order {order - 1}, one correction by Adams and Moulton, order {order}; fixed steps."
    return _method(about, order, parts, name=f"{kind}{order}")


for _kind, _least in (("ab", 1), ("am", 1), ("abm", 2), ("bdf", 1)):
    for _order in range(_least, HIGHEST + 1):
        register(f"{_kind}{_order}", partial(_fixed, _order, _kind))


def _adams() -> Method:
    def numbers(size: int) -> tuple[Array, list[int]]:
        # times, nodes, beta, integrals, weights; differences, new rates, their correction, scratch
        rows = adams.ROWS + 2
        ends = np.cumsum([adams.FREE, *(rows for _ in range(5)), adams.ROWS * size, size, size, size])
        return np.zeros(int(ends[-1])), [int(place) for place in ends[:-1]]

    about = "Predictor and corrector of Adams, variable step and order 1 to 12, as in Shampine and Gordon's DE/STEP."
    return Method(about=about, order=adams.HIGHEST, family="adams", fixed=False, numbers=numbers)


register("adams", _adams)


def _bdf() -> Method:
    about = "Backward differences with variable step and order 1 to 5: for stiff equations."
    return _method(about, bdf.HIGHEST, _Parts(kernels.VARIABLE_BACKWARD, 1, starter=""), name="bdf")


register("bdf", _bdf)


@checked("a", "b")
def multistep(a: Sequence[Any], b: Sequence[Any], *, name: str = "multistep") -> Method:
    """A multistep method from its own coefficients, for ``method=`` (book, eq. 12.18).

        y[i+1] = a[0] y[i] + a[1] y[i-1] + … + h (b[0] f[i+1] + b[1] f[i] + b[2] f[i-1] + …)

        tm.methods.multistep(a=[1], b=[0, "3/2", "-1/2"]).order  # 2: Adams and Bashforth's

    Args:
        a: Of the states, from the newest back: numbers, fractions or texts such as "3/2".
        b: Of the rates, beginning with those of the new state: 0 there makes the method explicit. Implicit ones are repeated until they
            settle.
        name: What results call it.

    The order is computed exactly. A method that is not consistent (order below 1) is refused; one whose errors grow by themselves is used,
    and every run with it carries a warning.
    """
    states, rates = fractions(a, "a"), fractions(b, "b")
    if not isinstance(name, str):
        raise ModelError(f"name must be a text, but it is {short(name)}.")
    order = order_of(states, rates)
    if order < 1:
        total = sum(states, Fraction(0))
        why = f"the sum of a is {float(total):g}, not 1" if total != 1 else "lines are not integrated exactly"
        raise ModelError(f"multistep method {name!r} is not consistent: {why}. Check a and b.")
    doubt = ""
    if not is_zero_stable(states):
        doubt = f"method {name!r} is not zero-stable: errors of past states grow from step to step, the more the shorter the steps are."
    kind = "implicit" if rates[0] else "explicit"
    steps = max(len(states), len(rates) - 1)
    about = f"Given {kind} multistep method of {steps} steps and order {order}."
    starter = "rk4" if order <= 5 else "dop853"
    parts = _Parts(kernels.GIVEN, steps, coefficients=(states, rates), starter=starter)
    recipe = ("multistep", {"a": [str(x) for x in states], "b": [str(x) for x in rates], "name": name})
    return replace(_method(about, order, parts, name=name, doubt=doubt), recipe=recipe)


def fractions(values: Any, what: str) -> tuple[Fraction, ...]:
    """Return coefficients as exact fractions: numbers, fractions or texts such as "3/2"."""
    found = []
    for k, value in enumerate(listed(values, what)):
        try:
            exact = Fraction(value) if isinstance(value, str) else None
        except (ValueError, ZeroDivisionError):
            raise ModelError(f"{what}[{k}] is {short(value)}; write a fraction such as '3/2'.") from None
        if exact is None:
            exact = value if isinstance(value, Fraction) else Fraction(checked_number(value, f"{what}[{k}]"))
            # 0.1 means a tenth
            near = exact.limit_denominator(10**7)
            if abs(near - exact) <= Fraction(1, 10**14) * max(Fraction(1), abs(exact)):
                exact = near
        found.append(exact)
    if not found:
        raise ModelError(f"{what} is empty; give at least one coefficient.")
    return tuple(found)
