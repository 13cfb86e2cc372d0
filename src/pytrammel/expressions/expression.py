"""Formulas as data.

An `Expression` is an immutable tree of numbers, names, calls and piecewise calls (rise laws, tables). It is built with
Python operators, with the functions of `pytrammel.expressions.functions` or by `parse`; it knows its names, its value, its
exact derivative and its text, and it lowers itself to the tape that the kernels run.

Every walk over the tree is a loop over `nodes()`, so that a formula of ten thousand terms does not exhaust the stack.
"""

from __future__ import annotations

import functools
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from pytrammel import opcodes
from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_names
from pytrammel._util.messages import measured, short
from pytrammel._util.not_numbers import Unconverted, operand
from pytrammel.errors import ExpressionError
from pytrammel.expressions.derivatives import RULES
from pytrammel.expressions.piecewise import PiecewiseFunction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytrammel.expressions.tables import Table
    from pytrammel.expressions.tape import Tape

CONSTANTS: dict[str, float] = {"pi": math.pi, "π": math.pi, "tau": math.tau, "e": math.e}
LONGEST_REPR = 160  # letters
NAME_PATTERN = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def check_values(values: object, verb: str) -> None:
    """Raise `ExpressionError` if values are not given by name."""
    if type(values) is not dict and not isinstance(values, Mapping):
        raise ExpressionError(f"{verb}: values must be given by name, {{'t': 1.0}}, but they are {short(values)}.")


class Expression(Unconverted, ABC):
    """A formula. Use `parse`, `variable`, operators and functions to make one; nodes are never changed.

    Attributes:
        children: The arguments of the node, from left to right.
        label: What distinguishes the node from others of its kind, apart from the children.
    """

    __slots__ = ("_hash", "children", "label")

    children: tuple[Expression, ...]
    label: tuple[Any, ...]
    _hash: int

    @property
    def options(self) -> tuple[str, ...]:
        """Options that the text of a function shows behind its arguments, e.g. "from=4"."""
        return ()

    if TYPE_CHECKING:  # type checkers then accept formulas in functions of NumPy with two arguments

        def __array__(self) -> NDArray[np.object_]: ...

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **options: Any) -> Any:
        """NumPy's functions of formulas and numbers are formulas: np.sin(x), 2.0 * x; arrays of formulas there are none."""
        plain = all(isinstance(x, Expression) or _is_number(x) for x in given)
        if method != "__call__" or options or not plain:
            return NotImplemented
        if ufunc.__name__ == "hypot":
            a, b = given
            return call("sqrt", a * a + b * b)
        name = _OF_NUMPY.get(ufunc.__name__)
        if name is None:
            return NotImplemented
        return call(name, *given)

    def __init__(self, label: tuple[Any, ...], children: tuple[Expression, ...]) -> None:
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "children", children)
        object.__setattr__(self, "_hash", hash((type(self).__name__, label, children)))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"expressions cannot be changed; build a new one instead of setting {name!r}")

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        pairs: list[tuple[Expression, Expression]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while pairs:
            a, b = pairs.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
            if type(a) is not type(b) or a._hash != b._hash or a.label != b.label or len(a.children) != len(b.children):
                return False
            pairs.extend(zip(a.children, b.children, strict=True))
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        # a flat list: deep trees survive, shared parts stay shared, and hashes are made anew in the other process
        place: dict[int, int] = {}
        flat: list[tuple[type[Expression], tuple[Any, ...], tuple[int, ...]]] = []
        for node in self.nodes():
            place[id(node)] = len(flat)
            flat.append((type(node), node.label, tuple(place[id(child)] for child in node.children)))
        return _rebuild, (flat,)

    # arithmetic ------------------------------------------------------------------------------------------------------

    def __add__(self, other: Expression | float) -> Expression:
        return _operate("+", self, other)

    def __radd__(self, other: float) -> Expression:
        return _operate("+", other, self)

    def __sub__(self, other: Expression | float) -> Expression:
        return _operate("-", self, other)

    def __rsub__(self, other: float) -> Expression:
        return _operate("-", other, self)

    def __mul__(self, other: Expression | float) -> Expression:
        return _operate("*", self, other)

    def __rmul__(self, other: float) -> Expression:
        return _operate("*", other, self)

    def __truediv__(self, other: Expression | float) -> Expression:
        return _operate("/", self, other)

    def __rtruediv__(self, other: float) -> Expression:
        return _operate("/", other, self)

    def __pow__(self, other: Expression | float) -> Expression:
        return _operate("^", self, other)

    def __rpow__(self, other: float) -> Expression:
        return _operate("^", other, self)

    def __neg__(self) -> Expression:
        return call("neg", self)

    def __abs__(self) -> Expression:
        return call("abs", self)

    # comparisons: formulas that are 1 where they hold; == asks whether two formulas are the same ---------------------------

    def __lt__(self, other: Expression | float) -> Expression:
        return _operate("<", self, other)

    def __le__(self, other: Expression | float) -> Expression:
        return _operate("<=", self, other)

    def __gt__(self, other: Expression | float) -> Expression:
        return _operate(">", self, other)

    def __ge__(self, other: Expression | float) -> Expression:
        return _operate(">=", self, other)

    def __and__(self, other: Expression | float) -> Expression:
        return _operate("and", self, other)

    def __or__(self, other: Expression | float) -> Expression:
        return _operate("or", self, other)

    def __invert__(self) -> Expression:
        return call("not", self)

    # what an expression knows ----------------------------------------------------------------------------------------

    def nodes(self) -> Iterator[Expression]:
        """Every distinct node once, children before parents, the expression itself last."""
        done: set[int] = set()
        stack: list[tuple[Expression, bool]] = [(self, False)]
        while stack:
            node, children_done = stack.pop()
            if id(node) in done:
                continue
            if children_done or not node.children:
                done.add(id(node))
                yield node
            else:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node.children))

    @property
    def names(self) -> frozenset[str]:
        """The names that need a value."""
        return frozenset(node.name for node in self.nodes() if isinstance(node, Name))

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that the formula calls, each once."""
        from pytrammel.expressions.tables import Table

        called = (node.function for node in self.nodes() if isinstance(node, PiecewiseCall))
        return tuple(dict.fromkeys(f for f in called if isinstance(f, Table)))

    @property
    def constant(self) -> float | None:
        """The value of an expression that is a plain number, else None."""
        return self.value if isinstance(self, Number) else None

    def evaluate(self, values: Mapping[str, Any] | None = None) -> Any:
        """Value with NumPy, independent of the kernels.

        Args:
            values: A number or array for each name; arrays broadcast against each other.

        Returns:
            A float when all values are numbers, else an array.
        """
        if values is not None:
            check_values(values, "evaluate")
        results: dict[int, Any] = {}
        for node in self.nodes():
            results[id(node)] = node._evaluate(
                values if values is not None else {}, [results[id(child)] for child in node.children]
            )
        result = results[id(self)]
        return result.item() if np.ndim(result) == 0 else result

    def derivative(self, name: str) -> Expression:
        """Exact derivative with respect to a name."""
        if not isinstance(name, str):
            raise ExpressionError(f"derivative: name must be the name of a variable, but it is {short(name)}.")
        results: dict[int, Expression] = {}
        for node in self.nodes():
            results[id(node)] = node._derivative(name, [results[id(child)] for child in node.children])
        return results[id(self)]

    def substitute(self, values: Mapping[str, Expression | float]) -> Expression:
        """The expression with some names replaced."""
        check_values(values, "substitute")
        results: dict[int, Expression] = {}
        for node in self.nodes():
            children = tuple(results[id(child)] for child in node.children)
            if isinstance(node, Name) and node.name in values:
                value = values[node.name]
                results[id(node)] = value if isinstance(value, Expression) else number(value)
            else:
                results[id(node)] = node.of(*children) if children else node
        return results[id(self)]

    def of(self, *children: Expression) -> Expression:
        """The same node with other arguments."""
        return self

    def tape(self, inputs: Sequence[str]) -> Tape:
        """Instructions for the kernels; ``inputs`` are the names whose series the caller puts in the first slots."""
        from pytrammel.expressions.tape import write_tape

        return write_tape(self, inputs)

    def __str__(self) -> str:
        from pytrammel.expressions.text import write_text

        return write_text(self)

    def __repr__(self) -> str:
        from pytrammel.expressions.text import write_text

        return f"Expression({write_text(self, LONGEST_REPR)!r})"

    @abstractmethod
    def _evaluate(self, values: Mapping[str, Any], arguments: list[Any]) -> Any:
        """Value of the node from the values of its arguments."""

    @abstractmethod
    def _derivative(self, name: str, inner: list[Expression]) -> Expression:
        """Derivative of the node from the derivatives of its arguments."""


class Number(Expression):
    """A finite number."""

    __slots__ = ()

    @property
    def value(self) -> float:
        return traced_numbers.real(self.label[0])

    @property
    def is_negative(self) -> bool:
        """In all variants of the model."""
        return not traced_numbers.is_varied(self.value) and self.value < 0.0

    def _evaluate(self, values: Mapping[str, Any], arguments: list[Any]) -> Any:
        value = self.value
        return value if traced_numbers.is_varied(value) else np.float64(value)

    def _derivative(self, name: str, inner: list[Expression]) -> Expression:
        return ZERO


class Name(Expression):
    """A quantity known by name when the formula is evaluated."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.label[0])

    def _evaluate(self, values: Mapping[str, Any], arguments: list[Any]) -> Any:
        if self.name not in values:
            raise ExpressionError(
                f"'{self.name}' has no value; give one of: {', '.join(sorted(map(str, values))) or '(none)'}."
            )
        if traced_numbers.is_varied(values[self.name]):
            return values[self.name]
        value = np.asarray(values[self.name])
        return value if value.dtype.kind in "fc" else value.astype(float)

    def _derivative(self, name: str, inner: list[Expression]) -> Expression:
        return ONE if name == self.name else ZERO


class Call(Expression):
    """An operator or function of `pytrammel.opcodes` with its arguments."""

    __slots__ = ()

    @property
    def function(self) -> str:
        return str(self.label[0])

    def __bool__(self) -> bool:
        if self.function in opcodes.COMPARISONS or self.function in opcodes.LOGIC:
            raise ExpressionError(
                f"whether {self} holds is not known before a run; write a chain of comparisons with &, as in (0 < x) & (x < 1), and a "
                "choice as where(condition, a, b)."
            )
        return True

    def of(self, *children: Expression) -> Expression:
        return call(self.function, *children)

    def _evaluate(self, values: Mapping[str, Any], arguments: list[Any]) -> Any:
        if any(map(traced_numbers.is_varied, arguments)) and not any(map(np.ndim, arguments)):
            return traced_numbers.in_formula(self.function, arguments)
        if any(map(traced_numbers.is_traced, arguments)):
            raise traced_numbers.UntraceableError("a formula with traced numbers is evaluated at many places")
        arguments = [traced_numbers.plain(x) if traced_numbers.is_varied(x) else x for x in arguments]
        return RULES[self.function].evaluate(*arguments)

    def _derivative(self, name: str, inner: list[Expression]) -> Expression:
        total = ZERO
        partials, whole = RULES[self.function].partials, RULES[self.function].whole
        if whole is not None:
            made: Expression = whole(*self.children, *inner)
            return made
        for partial, inner_derivative in zip(partials, inner, strict=True):
            if inner_derivative is not ZERO:  # log(x) must not be built for x^2
                total = total + partial(*self.children) * inner_derivative
        return total


class PiecewiseCall(Expression):
    """A rise law or a table, or one of its derivatives, at an argument; written ``lift(t)``, ``lift'(t)``."""

    __slots__ = ()

    @property
    def function(self) -> PiecewiseFunction:
        function: PiecewiseFunction = self.label[0]
        return function

    @property
    def order(self) -> int:
        return int(self.label[1])

    def of(self, *children: Expression) -> Expression:
        return call_piecewise(self.function, children[0], self.order)

    def _evaluate(self, values: Mapping[str, Any], arguments: list[Any]) -> Any:
        return _on_pieces(self.function, arguments[0], self.order)

    def _derivative(self, name: str, inner: list[Expression]) -> Expression:
        if inner[0] is ZERO:
            return ZERO
        return call_piecewise(self.function, self.children[0], self.order + 1) * inner[0]


def _rebuild(flat: list[tuple[type[Expression], tuple[Any, ...], tuple[int, ...]]]) -> Expression:
    nodes: list[Expression] = []
    for kind, label, places in flat:
        # numbers come from number(), because zero and one are recognised by identity
        node = number(label[0]) if kind is Number else kind(label, tuple(nodes[place] for place in places))
        nodes.append(node)
    return nodes[-1]


# the only ways to make nodes; `expression_builders` drops what has no effect -------------------------------------------

ZERO = Number((0.0,), ())
ONE = Number((1.0,), ())


def number(value: float) -> Expression:
    """A constant."""
    try:
        value = traced_numbers.real(value)
    except (TypeError, ValueError, OverflowError):
        raise ExpressionError(f"{short(value)} is not a number that can stand in a formula.") from None
    if not math.isfinite(value):
        raise ExpressionError(f"{value} is not a finite number, so it cannot stand in a formula.")
    if traced_numbers.is_varied(value):  # not folded away: other variants have other values
        return Number((value,), ())
    if value == 0.0:
        return ZERO
    return ONE if value == 1.0 else Number((value,), ())


def is_taken(name: str) -> bool:
    """Return True if a name means something in every formula: a number, a function, a word."""
    return name in CONSTANTS or name in opcodes.FUNCTIONS or name in opcodes.LAW_NAMES or name in opcodes.LOGIC


def variable(name: str) -> Expression:
    """A named quantity such as ``t``, ``crank.phi`` or ``A.angle``."""
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        raise ExpressionError(f"'{name}' cannot be a name: use letters, digits, underscores and dots, no digit first.")
    if is_taken(name):
        meaning = "number" if name in CONSTANTS else "function"
        raise ExpressionError(f"'{name}' already means a {meaning}; choose another name.")
    return Name((name,), ())


def call(function: str, *arguments: Expression | float) -> Expression:
    """An operator or function of `pytrammel.opcodes` applied to arguments."""
    from pytrammel.expressions.builders import BUILDERS

    nodes = tuple(a if isinstance(a, Expression) else number(a) for a in arguments)
    return BUILDERS[function](*nodes) if function in BUILDERS else plain_call(function, *nodes)


def plain_call(function: str, *arguments: Expression) -> Expression:
    """The node as it is, or its value where all arguments are numbers."""
    node = Call((function,), arguments)
    if all(isinstance(argument, Number) for argument in arguments):
        with np.errstate(all="ignore"):
            value = node.evaluate()
        if not math.isfinite(value):
            raise ExpressionError(f"{node} is not a finite number ({value}).")
        return number(value)
    return node


def call_piecewise(function: PiecewiseFunction, argument: Expression | float, order: int = 0) -> Expression:
    """A rise law, a table or one of their derivatives applied to an argument."""
    node = argument if isinstance(argument, Expression) else number(argument)
    if isinstance(node, Number):
        return number(traced_numbers.real(_on_pieces(function, node.value, order)))
    return PiecewiseCall((function, order), (node,))


def _on_pieces(function: PiecewiseFunction, argument: Any, order: int) -> Any:
    """A rise law or a table at a number, traced as one step, or at many."""
    if traced_numbers.is_varied(argument):
        return traced_numbers.found(_OnPieces(function, order), argument)
    return function.pieces.evaluate(argument, order)


@dataclass(frozen=True)
class _OnPieces:
    function: PiecewiseFunction
    order: int

    def __call__(self, x: float) -> float:
        return float(self.function.pieces.evaluate(x, self.order))


def _operate(function: str, a: Any, b: Any) -> Expression:
    if not all(isinstance(value, Expression) or _is_number(value) for value in (a, b)):
        for value in (a, b):
            if value is None or isinstance(value, _NO_OPERANDS):
                raise operand(value, function)
        return NotImplemented  # type: ignore[no-any-return]
    return call(function, a, b)


_NO_OPERANDS = (str, bytes, bool, complex, list, tuple, dict, set)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


_OF_NUMPY = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "power": "^", "float_power": "^", "negative": "neg",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "absolute": "abs", "minimum": "min", "maximum": "max",
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "remainder": "mod",
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "exp", "log", "sign", "floor")},
}  # fmt: skip


time = variable("t")


@checked_names
def parse(text: str, tables: Mapping[str, PiecewiseFunction] | None = None) -> Expression:
    """Read a formula such as ``"2*pi*t + 0.1*sin(3*t)"``; nothing in it is ever executed as Python.

    Args:
        text: The formula.
        tables: Tables that the text may call by these names.

    Raises:
        ExpressionError: The text is wrong, and the message shows where; or it adds terms with units of different dimensions.
    """
    if not isinstance(text, str):
        raise ExpressionError(f"a formula is read from a text, not from {type(text).__name__} {short(text)}.")
    if tables is not None and not isinstance(tables, Mapping):
        raise ExpressionError(f"tables= must give tables by name, but it is {short(tables)}.")
    return _parsed(text, tables or {}) if tables or len(text) > REMEMBERED else _plain(text)


def _parsed(text: str, tables: Mapping[str, PiecewiseFunction]) -> Expression:
    from pytrammel.expressions.dimensions import measure_of, unknown_names
    from pytrammel.expressions.parser import Parser

    parser = Parser(text, tables)
    formula = parser.parse()
    if parser.has_units:
        measure_of(text, unknown_names, tables)
    return formula


REMEMBERED = 200  # characters of a text, at most, whose formula is kept


@functools.lru_cache(maxsize=1024)
def _plain(text: str) -> Expression:
    """A formula without tables; variants of a model are described with the same texts."""
    return _parsed(text, {})


def filled(text: str, **numbers: float) -> Expression:
    """A formula with numbers in the place of names: ``filled("k*(x - free)", k=20.0, free=0.1)``; they may be traced."""
    return parse(text).substitute(numbers)


# no match begins inside a word: looking again from each of its letters would take a time that grows with its square
_CALLED = re.compile(rf"(?<![^\W\d])({NAME_PATTERN.pattern})'*\s*\(")


def calls_tables(text: object) -> bool:
    """Return True if the text of a formula calls something by name that is no function of all formulas: perhaps a table of a model."""
    return isinstance(text, str) and not all(is_taken(name) for name in _CALLED.findall(text))


def as_expression(value: Any, what: str) -> Expression:
    """Accept a formula in any of its forms.

    Args:
        value: An expression, a text or a number.
        what: What the formula is for, as it should stand in an error message.
    """
    if isinstance(value, Expression):
        return value
    if isinstance(value, float | np.floating) and not np.isfinite(value):
        raise ExpressionError(f"{what} is {measured(float(value), what)}; it must be a finite number.")
    try:
        if isinstance(value, str):
            return parse(value)
        if _is_number(value):
            return number(value)
    except ExpressionError as error:
        raise ExpressionError(f"{what}: {error}") from None
    raise ExpressionError(f"{what}: expected a formula, a text or a number, not {type(value).__name__} {short(value)}.")
