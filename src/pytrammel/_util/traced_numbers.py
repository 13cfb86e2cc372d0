"""Numbers that may differ in other variants of a model, and numbers that remember how they were made.

A number that comes from a parameter is a `Varied` float, and so is what is computed from it: formulas do not fold it away even if it
happens to be 0 or 1, so that the structure of a lowered model does not depend on it.

A description can be followed with `Traced` numbers in the place of its parameters: they are varied floats, so that builders need not know,
and every operation on them is written on a `Tape`. The tape is evaluated afterwards for any number of other values, and differentiated
(`pytrammel.system.tape_runs`). Comparisons are noted as guards: where one comes out otherwise, the description would have gone another way.

Builders take functions of numbers from here instead of from `math`, and never call ``float()`` on what may depend on a parameter. On plain
floats these functions do what those of `math` do, to the last bit.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

inf, nan, pi, tau = math.inf, math.nan, math.pi, math.tau


class UntraceableError(Exception):
    """Something was done with a traced number that a tape cannot hold."""


class Place(NamedTuple):
    """Place of a node on its tape, as an argument of other nodes."""

    at: int


class Node(NamedTuple):
    """One operation: its name, its arguments and what else it needs."""

    operation: str
    arguments: tuple[Place | float, ...]
    extra: Any = None


class Guard(NamedTuple):
    """A comparison that steered the description, and how it came out."""

    comparison: str
    first: Place | float
    second: Place | float
    outcome: bool


class Tape:
    """Everything that was computed from some numbers.

    Attributes:
        nodes: Operations in order; the inputs come first.
        guards: Comparisons, each once.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.guards: dict[Guard, None] = {}
        self._known: dict[Any, int] = {}

    def input(self, value: float) -> Traced:
        """A number to start from."""
        self.nodes.append(Node("input", ()))
        return self._at(len(self.nodes) - 1, value)

    def record(self, operation: str, value: float, arguments: Sequence[Any], extra: Any = None) -> Traced:
        """Note an operation; one that was done before is not done again, but its result is an object of its own, as a float would be."""
        places = tuple(self._place(argument) for argument in arguments)
        signs = tuple(isinstance(p, float) and math.copysign(1.0, p) for p in places)  # 0.0 is not -0.0
        key = (operation, places, signs, extra)
        if key not in self._known:
            self._known[key] = len(self.nodes)
            self.nodes.append(Node(operation, places, extra))
        return self._at(self._known[key], value)

    def guard(self, comparison: str, first: Any, second: Any, outcome: bool) -> bool:
        """Note a comparison."""
        self.guards[Guard(comparison, self._place(first), self._place(second), outcome)] = None
        return outcome

    def _at(self, place: int, value: float) -> Traced:
        made = Traced.__new__(Traced, value)
        made.tape, made.place = self, place
        return made

    def _place(self, argument: Any) -> Place | float:
        if type(argument) is not Traced:
            return float(argument)
        if argument.tape is not self:
            raise UntraceableError("numbers of two descriptions were mixed")
        return Place(argument.place)


class Varied(float):
    """A number that is another one in other variants of the model; what is made of it is varied, too."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return Varied, (_plain(self),)

    def __add__(self, other: Any) -> Any:
        return _two("+", operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _two("+", operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _two("-", operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _two("-", operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return _two("*", operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _two("*", operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _two("/", operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _two("/", operator.truediv, other, self)

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        return _two("**", operator.pow, self, other)

    def __rpow__(self, other: Any, modulus: None = None) -> Any:
        return _two("**", operator.pow, other, self)

    def __mod__(self, other: Any) -> Any:
        return _two("%", operator.mod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return _two("%", operator.mod, other, self)

    def __neg__(self) -> Varied:
        return _noted("neg", -_plain(self), (self,))

    def __pos__(self) -> Varied:
        return self

    def __abs__(self) -> Varied:
        return _noted("abs", abs(_plain(self)), (self,))

    def item(self) -> Varied:
        """Itself: what NumPy's numbers answer with a float."""
        return self

    def __array_ufunc__(self, function: Any, method: str, *given: Any, **options: Any) -> Any:
        """NumPy's functions of varied numbers and of arrays with such."""
        rule = _UFUNCS.get(function.__name__)
        if rule is None or method != "__call__" or options:
            return getattr(function, method)(*(_stripped(x) for x in given), **options)
        if all(np.ndim(x) == 0 for x in given):
            return rule(*(x if isinstance(x, Varied) else float(x) for x in given))
        if not any(map(_any_traced, given)):
            return function(*(_stripped(x) for x in given))
        arrays = np.broadcast_arrays(*(_as_objects(x) for x in given))
        out = np.empty(arrays[0].shape, dtype=object)
        for place in np.ndindex(out.shape):
            out[place] = rule(*(array[place] for array in arrays))
        return out


class Traced(Varied):
    """A varied number on a tape."""

    __slots__ = ("place", "tape")
    tape: Tape
    place: int
    __hash__ = float.__hash__

    def __round__(self, digits: Any = None) -> Any:
        if digits is not None:  # for people to read
            return round(_plain(self), digits)
        return self.tape.record("rint", float(round(_plain(self))), (self,))

    def __floor__(self) -> Any:
        return self.tape.record("floor", float(math.floor(_plain(self))), (self,))

    def __int__(self) -> int:
        whole = int(_plain(self))
        self.tape.guard("int", self, float(whole), True)
        return whole

    __trunc__ = __int__

    def is_integer(self) -> bool:
        return self.tape.guard("whole", self, 0.0, _plain(self).is_integer())

    def __bool__(self) -> bool:
        return self.tape.guard("!=", self, 0.0, _plain(self) != 0.0)

    def __eq__(self, other: object) -> Any:
        return (type(other) is Traced and other.place == self.place) or _compared("==", operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        same = type(other) is Traced and other.place == self.place
        return not same and _compared("!=", operator.ne, self, other)

    def __lt__(self, other: Any) -> Any:
        return _compared("<", operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return _compared("<=", operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return _compared(">", operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return _compared(">=", operator.ge, self, other)


def _as_objects(value: Any) -> Any:
    out = np.empty((), dtype=object)
    if isinstance(value, Varied):
        out[()] = value
        return out
    return np.asarray(value).astype(object)


def _stripped(value: Any) -> Any:
    if type(value) is Traced:
        raise UntraceableError("a function of NumPy knows no traced numbers")
    return _plain(value) if isinstance(value, Varied) else value


def _plain(value: Any) -> float:
    return float.__float__(value)


def plain(value: float) -> float:
    """The number alone, for texts and pictures; what is made of it does not follow its parameters."""
    return _plain(value) if isinstance(value, Varied) else value


def real(value: Any) -> float:
    """A float, as `float` makes it; a varied or traced number stays one."""
    return value if isinstance(value, Varied) else float(value)


def varied(value: float) -> float:
    """A number that other variants of the model may have another one for."""
    return value if isinstance(value, Varied) else Varied(value)


def is_varied(value: object) -> bool:
    """Return True if a number may be another one in other variants of the model."""
    return isinstance(value, Varied)


def is_traced(value: object) -> bool:
    """Return True if a number remembers how it was made."""
    return type(value) is Traced


def always(value: float, number: float) -> bool:
    """Return True if a number has a value in all variants of the model."""
    return not isinstance(value, Varied) and value == number


def _noted(operation: str, value: float, arguments: Sequence[Any], extra: Any = None) -> Varied:
    """The result of an operation on varied numbers, on the tape of those that are traced."""
    for argument in arguments:
        if type(argument) is Traced:
            return argument.tape.record(operation, value, arguments, extra)
    return Varied(value)


_NUMBERS = (int, float, np.integer, np.floating)


def _two(operation: str, function: Callable[[float, float], Any], a: Any, b: Any) -> Any:
    if not (isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS)):
        return NotImplemented
    value = function(plain(a) if isinstance(a, Varied) else float(a), plain(b) if isinstance(b, Varied) else float(b))
    if isinstance(value, complex):
        raise ValueError("a power is complex")
    if operation == "/" and type(b) is Traced:
        b.tape.guard("!=", b, 0.0, True)
    return _noted(operation, value, (a, b))


def _compared(sign: str, function: Callable[[float, float], bool], a: Any, b: Any) -> Any:
    if not isinstance(b, _NUMBERS):
        return NotImplemented
    return a.tape.guard(sign, a, b, function(_plain(a), plain(b) if isinstance(b, Varied) else float(b)))


# functions of one and several numbers ----------------------------------------------------------------------------------


def _any_varied(values: Iterable[Any]) -> bool:
    for value in values:  # noqa: SIM110 (a generator costs more than the test)
        if type(value) is not float and isinstance(value, Varied):
            return True
    return False


def _of(name: str, function: Callable[..., float]) -> Callable[..., float]:
    """A function of numbers that traced numbers remember by its name."""

    def apply(*given: float) -> float:
        if _any_varied(given):
            return _noted(name, float(function(*map(plain, given))), given)
        return function(*given)

    apply.__name__, apply.__doc__ = name, function.__doc__
    return apply


sin, cos, tan = _of("sin", math.sin), _of("cos", math.cos), _of("tan", math.tan)
asin, acos, atan = _of("asin", math.asin), _of("acos", math.acos), _of("atan", math.atan)
sqrt, exp, log = _of("sqrt", math.sqrt), _of("exp", math.exp), _of("log", math.log)
degrees, radians = _of("degrees", math.degrees), _of("radians", math.radians)
atan2, hypot = _of("atan2", math.atan2), _of("hypot", math.hypot)


def dist(p: Sequence[float], q: Sequence[float]) -> float:
    """Distance of two points."""
    if _any_varied((*p, *q)):
        return _noted("dist", math.dist([*map(plain, p)], [*map(plain, q)]), (*p, *q))
    return math.dist(p, q)


def copysign(size: float, sign: float) -> float:
    """A size with a sign; which one it is, is a guard."""
    positive = math.copysign(1.0, sign) > 0.0
    if type(sign) is Traced:
        sign.tape.guard(">=" if positive else "<", sign, 0.0, True)
    return abs(size) if positive else -abs(size)


def isfinite(x: float) -> bool:
    """Return True if a number is neither infinite nor NaN; variants for which it is not are described by themselves anyhow."""
    return math.isfinite(x)


def maximum(values: Iterable[float]) -> float:
    """The greatest number."""
    return _chosen("max", max, values)


NEARLY_EQUAL = (
    0.01  # difference, relative to the size of all numbers, below which the smooth maximum is between two of them
)

EQUAL = 1e-10  # fraction of that difference which is rounding: extents that are meant to be equal keep the bits of the larger one


def smooth_maximum(values: Iterable[float]) -> float:
    """Maximum that stays a smooth function where numbers tie, also at zero.

    The maximum itself where the largest number exceeds the others by 1 % of the root mean square of all, and where numbers are equal.
    """
    listed = list(values)
    if not _any_varied(listed):
        top = max(listed)
        near = NEARLY_EQUAL * max(top, -min(listed))  # at least the width of a tie
        for x in listed:  # a generator costs more than the test
            if not (x == top or top - x > near):
                break
        else:
            return top
    size = hypot(*listed) / math.sqrt(len(listed))
    return functools.reduce(lambda a, b: _smoother(a, b, size), listed)


def smooth_minimum(values: Iterable[float]) -> float:
    """Minimum that stays a smooth function where numbers tie; see `smooth_maximum`."""
    return -smooth_maximum([-x for x in values])


def larger(a: Any, b: Any, size: Any) -> Any:
    """Smooth maximum of two numbers, or of two arrays: their mean with weights that pass from 0 to 1 where they are nearly equal.

    Args:
        a, b: Two numbers, or arrays.
        size: Size of which a hundredth is the width of a tie.
    """
    ratio = (a - b) / (NEARLY_EQUAL * size + 1e-300)
    x = np.minimum(np.maximum(ratio, -1.0), 1.0)
    s = x * x
    share = 0.5 + x * (35.0 - s * (35.0 - s * (21.0 - 5.0 * s))) / 32.0  # three times differentiable
    blend = a * share + b * (1.0 - share)
    return np.where((abs(ratio) <= EQUAL) | (abs(ratio) >= 1.0), np.maximum(a, b), blend)


def larger_slopes(a: float, b: float, size: float) -> tuple[float, float, float]:
    """Partial derivatives of `larger`."""
    width = NEARLY_EQUAL * size + 1e-300
    x = min(max((a - b) / width, -1.0), 1.0)
    s = x * x
    share = 0.5 + x * (35.0 - s * (35.0 - s * (21.0 - 5.0 * s))) / 32.0
    steep = x * 35.0 / 32.0 * (1.0 - s) ** 3
    return share + steep, 1.0 - share - steep, -steep * x * NEARLY_EQUAL


def larger_number(a: float, b: float, size: float) -> float:
    """Smooth maximum of two numbers, with the bits of `larger`."""
    gap = abs((a - b) / (NEARLY_EQUAL * size + 1e-300))
    return max(a, b) if gap <= EQUAL or gap >= 1.0 else float(larger(a, b, size))


def _smoother(a: float, b: float, size: float) -> float:
    value = larger_number(plain(a), plain(b), plain(size))
    return _noted("larger", value, (a, b, size)) if _any_varied((a, b, size)) else value


def minimum(values: Iterable[float]) -> float:
    """The smallest number."""
    return _chosen("min", min, values)


def _chosen(name: str, function: Callable[[Iterable[float]], float], values: Iterable[float]) -> float:
    listed = list(values)
    if not _any_varied(listed):
        return function(listed)
    fixed = [x for x in listed if not isinstance(x, Varied)]
    moving = [x for x in listed if isinstance(x, Varied)]
    best: float = function(fixed) if fixed else moving.pop(0)
    for x in moving:
        best = _noted(name, function((plain(best), plain(x))), (best, x))
    return best


def prod(values: Iterable[float]) -> float:
    """Product from left to right."""
    out: float = 1.0
    for value in values:
        out = out * value
    return out


def found(search: Callable[..., float], *arguments: float) -> float:
    """A number that a search finds, such as the nearest place on a curve; traced as one step, which is done again for each variant.

    Args:
        search: From numbers to a number, smooth; hashable.
        arguments: The numbers.
    """
    if _any_varied(arguments):
        return _noted("search", float(search(*map(plain, arguments))), arguments, search)
    return search(*arguments)


_PLAIN_TYPES = {float, int, Varied, np.float64}


def array(values: Any) -> Any:
    """An array of numbers; one of objects where some are traced."""
    if isinstance(values, list) and set(map(type, values)) <= _PLAIN_TYPES:
        return np.array(values, dtype=float)
    if _any_traced(values):
        return np.array(values, dtype=object)
    return np.array(values, dtype=float)


def _any_traced(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return bool(values.dtype == object)
    if isinstance(values, list | tuple):
        return any(map(_any_traced, values))
    return type(values) is Traced


# what formulas and NumPy call ------------------------------------------------------------------------------------------


def _truth(sign: str, function: Callable[[float, float], bool]) -> Callable[..., float]:
    """A comparison within a formula: 1 or 0, and no guard."""
    return _of(f"is{sign}", lambda a, b: float(function(a, b)))


def _choice(condition: float, a: float, b: float) -> float:
    if _any_varied((condition, a, b)):
        return _noted("if", plain(a) if plain(condition) != 0.0 else plain(b), (condition, a, b))
    return a if condition != 0.0 else b


ONES = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign", "floor")
_ARC = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
_IN_FORMULAS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "neg": operator.neg, "abs": abs,
    "^": _of("np.power", np.power), "atan2": _of("np.arctan2", np.arctan2),
    "min": lambda a, b: minimum((a, b)), "max": lambda a, b: maximum((a, b)),
    "mod": lambda a, b: a - b * _IN_FORMULAS["floor"](a / b),
    "step": lambda a: _IN_FORMULAS[">="](a, 0.0),
    "if": _choice,
    "and": operator.mul, "or": lambda a, b: a + b - a * b, "not": lambda a: 1.0 - a,
    **{name: _of(f"np.{name}", getattr(np, name)) for name in ONES},
    **{name: _of(f"np.{arc}", getattr(np, arc)) for name, arc in _ARC.items()},
    **{sign: _truth(sign, function) for sign, function in (
        ("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge), ("==", operator.eq), ("!=", operator.ne))},
}  # fmt: skip

_UFUNCS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "true_divide": operator.truediv,
    "negative": operator.neg, "absolute": abs, "fabs": abs, "conjugate": lambda x: x, "square": lambda x: x * x,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge, "equal": operator.eq,
    "not_equal": operator.ne, "isfinite": isfinite, "isnan": math.isnan, "isinf": math.isinf,
    "power": _IN_FORMULAS["^"], "arctan2": _IN_FORMULAS["atan2"], "hypot": _of("np.hypot", np.hypot),
    "minimum": _IN_FORMULAS["min"], "maximum": _IN_FORMULAS["max"], "rint": round,
    **{name: _IN_FORMULAS[name] for name in ONES},
    **{arc: _IN_FORMULAS[name] for name, arc in _ARC.items()},
}  # fmt: skip


def in_formula(function: str, arguments: Sequence[Any]) -> Any:
    """An operator or function of a formula, some of whose arguments are varied numbers, the others numbers."""
    return _IN_FORMULAS[function](*(x if isinstance(x, Varied) else float(x) for x in arguments))
