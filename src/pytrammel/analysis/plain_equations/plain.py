"""Plain equations as people write them: formulas by name, equations of any order, or a function f(t, y)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.analysis.methods import Method
from pytrammel.analysis.plain_equations.primes import PRIMED, inner_name, outer_name, read_formula
from pytrammel.analysis.plain_equations.solve import known_quantities
from pytrammel.analysis.runs.engine import DENSE, EQUATIONS, Table
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, variable
from pytrammel.kernels import engine as places
from pytrammel.kernels.equations import plain
from pytrammel.kernels.laws import Rates
from pytrammel.opcodes import TAPE_FLOAT_OFFSET

Array = NDArray[np.float64]
HIGHEST = 20  # order of an equation


@dataclass(frozen=True, eq=False)
class PlainEquations:
    """Equations y' = f(t, y), ready to be run.

    Attributes:
        names: States as the user calls them: x, x', or y0, y1 … where a function has no names.
        start: Their values at the start.
        formulas: Rates as formulas of the states and t; none where a function gives them.
        function: The user's function.
    """

    names: tuple[str, ...]
    start: Array
    formulas: tuple[Expression, ...] = ()
    function: Rates | None = None

    routines = tuple(f"plain_{part}" for part in EQUATIONS)
    module = plain.__name__  # of the first routines
    n_own = 1  # number of routines in that module

    @property
    def all_formulas(self) -> tuple[Expression, ...]:
        """Formulas that may have corners and jumps in time."""
        return self.formulas

    @property
    def projects(self) -> bool:
        """Return True if every step ends with a projection onto constraints."""
        return False

    @property
    def exact_matrix(self) -> bool:
        """Whether the derivatives of the rates are known as formulas."""
        return self.function is None

    @property
    def inner(self) -> tuple[str, ...]:
        """Names of the states in formulas, where a prime cannot stand."""
        return tuple(map(inner_name, self.names))

    def rates(self, t: float, y: Array) -> Array:
        """Rates in Python."""
        if self.function is not None:
            return np.asarray(self.function.rates(t, y), dtype=float)
        values = {**dict(zip(self.inner, map(float, y), strict=True)), "t": t}
        with np.errstate(all="ignore"):
            return np.array([float(f.evaluate(values)) for f in self.formulas])

    def _packed(self, atol: Array) -> tuple[NDArray[np.int64], Array, Array]:
        """Integers, numbers and workspace of the rates."""
        head = [0, 0] if self.function is None else [1, self.function.address]
        ints, floats, slots = packed(self.formulas, (*self.inner, "t"), head, atol)
        return ints, floats, np.zeros(max(4 * slots, 2 * len(self.names) + 1))

    def others(self, times: Array, Y: Array) -> dict[str, Array]:
        """Quantities along a solution that are neither states nor their rates."""
        return {}

    def formula(self, text: Any, what: str) -> Expression:
        """A formula of the states and t."""
        found = read_formula(text, what)
        unknown = sorted(found.names - set(self.inner) - {"t"})
        if unknown:
            near = difflib.get_close_matches(outer_name(unknown[0]), self.names, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ModelError(
                f"{what} names {outer_name(unknown[0])!r}, but there are: {', '.join(self.names)}, t.{hint}"
            )
        return found

    def needs(self, method: Method) -> list[str]:
        """Routines that a run with a method needs."""
        matrices = [*DENSE, *(["plain_linearise"] if self.exact_matrix else [])] if method.implicit else []
        return [*self.routines, *matrices, *method.routines]

    def table(
        self, method: Method, rtol: float, atol: Array, watched: Sequence[Expression], scale: float = 1.0
    ) -> tuple[Table, Array]:
        """The table of these equations with a method, and the workspace in which it counts."""
        table = Table()
        n = len(self.names)
        table.entries[[places.SIZE, places.N_EVENTS, places.ROW]] = n, len(watched), 2 * n
        own = self.n_own
        table.put_routines(places.RATES, self.routines[:own], self.module)
        table.put_routines(places.RATES + own, self.routines[own:], plain.__name__)
        ints, floats, buffer = self._packed(atol)
        watch_ints, watch_floats, watch_slots = packed(watched, (*self.inner, "t"), [], np.zeros(0))
        work = np.concatenate([np.zeros(plain.BUFFER), buffer])
        work[[places.RTOL, plain.SCALE]] = rtol, scale
        table.shared, table.allowed = work, scale * atol
        for place, data in (
            (places.INTS, ints), (places.FLOATS, floats), (places.PATTERN, np.zeros(1, dtype=np.int64)), (places.WORKSPACE, work),
            (places.WATCH_INTS, watch_ints), (places.WATCH_FLOATS, watch_floats), (places.WATCH_WORK, np.zeros(4 * watch_slots)),
        ):  # fmt: skip
            table.put_data(place, data)
        table.entries[places.N_ACTIVE] = n
        # what counts as one: where the absolute tolerance takes over from the relative one
        sizes = scale * np.maximum(np.abs(self.start), atol / rtol)
        table.scales = np.where(sizes > 0.0, sizes, 1.0)
        self.put_method(table, method)
        return table, work

    def put_method(self, table: Table, method: Method) -> None:
        """Enter a method into the table of these equations."""
        table.put_method(method)
        if method.implicit and self.exact_matrix:
            table.put_routines(places.LINEARISE, ("plain_linearise",), plain.__name__)


def packed(
    formulas: Sequence[Expression], inputs: Sequence[str], head: list[int], first: Array
) -> tuple[NDArray[np.int64], Array, int]:
    """Formulas as tapes behind `head` and a list of their places, and their numbers behind `first`; also the slots that they need."""
    ints = [*head, *(0 for _ in formulas)]
    floats = list(first)
    slots = len(inputs) + 1
    for k, formula in enumerate(formulas):
        tape = formula.tape(inputs)
        ints[len(head) + k] = len(ints)
        own = list(tape.ints)
        own[TAPE_FLOAT_OFFSET] = len(floats)
        ints += own
        floats += tape.floats
        slots = max(slots, tape.n_slots)
    return np.array(ints or [0], dtype=np.int64), np.array([*floats, 0.0]), slots


def read_equations(equations: Any, initial: Any, given: Any = None, start: float = 0.0) -> PlainEquations:
    """Equations in any of their forms, with values at the start."""
    if isinstance(equations, str):
        equations = [equations]
    if callable(equations) and not isinstance(equations, Mapping):
        if given is not None:
            raise ModelError("given= belongs to formulas; a function knows its own parameters. Leave it out.")
        return _from_function(equations, initial, start)
    if isinstance(equations, Sequence) and not isinstance(equations, bytes) and len(equations):
        from pytrammel.analysis.plain_equations.implicit import is_implicit, read_implicit

        if is_implicit(equations):
            return read_implicit(equations, initial, given, start)
        equations = _sided(equations)
    if not isinstance(equations, Mapping) or not equations:
        raise ModelError(
            "the equations must be formulas by name, {'x': 'v', 'v': '-x'}, equations such as \"x'' = -x\", or a function f(t, y), but "
            f"they are {short(equations)}."
        )
    return _from_formulas(equations, initial, given)


def _sided(equations: Sequence[Any]) -> dict[str, str]:
    """Texts such as "x'' = -x" as formulas by the name on their left."""
    found: dict[str, str] = {}
    for text in equations:
        if not isinstance(text, str) or text.count("=") != 1:
            raise ModelError(f"an equation must be a text with one equals sign, \"x'' = -x\", but it is {short(text)}.")
        left, right = (side.strip() for side in text.split("="))
        if not PRIMED.fullmatch(left):
            raise ModelError(f"the left side of {short(text)} must be a derivative, such as x' or x''; solve for it.")
        if left in found:
            raise ModelError(f"there are two equations for {left}; leave one out.")
        found[left] = right
    return found


# --- formulas ------------------------------------------------------------------------------------------------------------


def _from_formulas(equations: Mapping[Any, Any], initial: Any, given: Any) -> PlainEquations:
    orders: dict[str, int] = {}
    for key in equations:
        base = key.rstrip("'") if isinstance(key, str) else ""
        if not isinstance(key, str) or not base:
            raise ModelError(f"the names of states must be texts, but one is {short(key)}.")
        variable(base)  # or a sentence
        if base == "t":
            raise ModelError("t is the time and has no equation; give the state another name.")
        if base in orders:
            raise ModelError(f"there are two equations for {base!r}; give the highest derivative only.")
        orders[base] = max(1, len(key) - len(base))
        if orders[base] > HIGHEST:
            raise ModelError(f"the equation of {base!r} has order {orders[base]}; the limit is {HIGHEST}.")
    names = tuple(base + "'" * k for base, order in orders.items() for k in range(order))
    y = read_initial(initial, names)
    known = known_quantities(given, tuple(orders))
    rates: dict[str, Expression] = {}
    for (key, text), (base, order) in zip(equations.items(), orders.items(), strict=True):
        formula = read_formula(text, f"equation of {key}").substitute(known)
        unknown = sorted(formula.names - set(map(inner_name, names)) - {"t"})
        if unknown:
            raise _unknown(key, outer_name(unknown[0]), orders, names, known)
        for k in range(order - 1):
            rates[base + "'" * k] = variable(inner_name(base + "'" * (k + 1)))
        rates[base + "'" * (order - 1)] = formula
    return PlainEquations(names, y, tuple(rates[name] for name in names))


def _unknown(
    key: str, name: str, orders: Mapping[str, int], names: Sequence[str], known: Mapping[str, Any]
) -> ModelError:
    base = name.rstrip("'")
    if base in orders:
        return ModelError(
            f"the equation of {key} names {name}, but that of {base!r} has order {orders[base]}: the right side may name "
            f"{', '.join(names)}. Solve the equations for the highest derivatives."
        )
    near = difflib.get_close_matches(name, [*names, *known], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return ModelError(
        f"the equation of {key} names {name!r}, which is neither a state ({', '.join(names)}) nor given; add an equation for it, or "
        f"put it into given=.{hint}"
    )


def read_initial(initial: Any, names: Sequence[str]) -> Array:
    if not isinstance(initial, Mapping):
        listed = ", ".join(f"{name!r}: 0.0" for name in names)
        raise ModelError(
            f"initial must give the value of every state at the start by name, {{{listed}}}, but it is {short(initial)}."
        )
    missing = [name for name in names if name not in initial]
    extra = [name for name in initial if name not in names]
    if missing:
        raise ModelError(f"initial lacks {', '.join(missing)}; it must give: {', '.join(names)}.")
    if extra:
        raise ModelError(f"initial gives {short(extra[0])}, which is no state; the states are: {', '.join(names)}.")
    return np.array([checked_number(initial[name], f"initial {name}") for name in names])


# --- functions -----------------------------------------------------------------------------------------------------------


def _from_function(function: Callable[..., Any], initial: Any, start: float) -> PlainEquations:
    alone = False
    if isinstance(initial, Mapping):
        names: tuple[str, ...] = tuple(initial)
        for name in names:
            variable(name)
        if "t" in names:
            raise ModelError("t is the time and cannot be a state; give the state another name.")
        y = read_initial(initial, names)
    else:
        listed = np.ndim(initial) if isinstance(initial, np.ndarray | list | tuple) else 0
        if listed > 1 or isinstance(initial, set | dict) or initial is None:
            raise ModelError(
                f"initial must be a list of numbers, or one number, for a function f(t, y), but it is {short(initial)}."
            )
        alone = listed == 0
        given = [initial] if alone else list(initial)
        y = np.array([checked_number(value, f"initial[{k}]") for k, value in enumerate(given)], dtype=float)
        names = ("y",) if alone else tuple(f"y{k}" for k in range(y.size))
    if not y.size:
        raise ModelError("initial is empty; give the state at the start.")
    name = str(getattr(function, "__name__", type(function).__name__))
    at = f"t = {start:g}, " + ", ".join(f"{n} = {v:.6g}" for n, v in zip(names[:6], y, strict=False))
    try:
        first = function(start, float(y[0]) if alone else y.copy())
    except Exception as error:
        raise ModelError(
            f"the function {name!r} raised {type(error).__name__}: {error} (at {at}). It must take (t, y) and give y'."
        ) from error
    probe = np.asarray(first, dtype=object) if not isinstance(first, np.ndarray) else first
    wanted = (
        "a number" if alone else f"{y.size} numbers, the rates of {', '.join(names[:6])}{' …' if y.size > 6 else ''}"
    )
    try:
        fits = np.asarray(first, dtype=float).size == y.size and probe.ndim <= 1
        fits = fits and np.asarray(first).dtype.kind in "fiu"
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise ModelError(f"the function {name!r} gives {short(first)} at {at}; it must give {wanted}.")
    rates = Rates(function, names, name, alone=alone, whole=not isinstance(first, tuple))
    return PlainEquations(names, y, function=rates)


def absolute_tolerance(value: Any, names: Sequence[str]) -> Array:
    """Allowed absolute error of every state: one number for all, a list, or by name."""
    if isinstance(value, Mapping):
        wrong = [key for key in value if key not in names]
        if wrong or len(value) != len(names):
            raise ModelError(
                f"atol by name must give one number for each of: {', '.join(names)}; it gives {short(value)}."
            )
        value = [value[name] for name in names]
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        if len(value) != len(names):
            raise ModelError(f"atol has {len(value)} entries for {len(names)} states ({', '.join(names[:6])}).")
        out = np.array([checked_number(v, f"atol of {n}") for n, v in zip(names, value, strict=True)])
    else:
        out = np.full(len(names), checked_number(value, "atol"))
    if (out < 0.0).any():
        raise ModelError(f"atol is {out.min():g}; it must not be negative.")
    return out
