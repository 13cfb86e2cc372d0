"""From the text of a formula to its tree, by recursive descent.

either   both { "or" both }
both     denied { "and" denied }
denied   "not" denied | compared
compared sum { (< | <= | > | >= | == | !=) sum }      a chain holds where all its links do
sum      product { (+ | -) product }
product  signed { (* | /) signed }
signed   (- | +) signed | power
power    atom [ (^ | **) signed ]          so -x^2 is -(x^2) and 2^3^2 is 2^(3^2)
atom     number [ unit ] | name | function "(" either { "," either } ")" | "(" either ")"
unit     factor { factor | "/" factor }               as in "360 deg/s*t"; a product is written "N m", and * ends the unit
factor   unit name [ (^ | **) [-] number ]            t is the time, never the tonne
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pytrammel import opcodes
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions import expression as tree
from pytrammel.expressions.piecewise import PiecewiseFunction
from pytrammel.expressions.rise_laws import LAWS
from pytrammel.units import UNITS, nearest_unit, read_unit, to_si

# brackets and signs may be nested this deep: far more than anyone writes, far less than the stack holds
MAX_DEPTH = 60
MAX_SYMBOLS = 200_000  # numbers, names and signs: some two seconds of reading, ten until the first result
SHOWN = 100  # letters on either side of a mistake that are shown of a long text
LONG = 1500  # length of a text and its line with a caret that fit into a message

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    rf"|(?P<name>{tree.NAME_PATTERN.pattern}|°)(?P<primes>'*)"
    r"|(?P<sign>\*\*|[<>=!]=|[-+*/^(),<>]))"
)


_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]")


class Token(NamedTuple):
    kind: str  # "number", "name", "sign" or "end"
    text: str
    position: int
    primes: int = 0


class Parser:
    """Reads one formula."""

    symbols = _TOKEN

    def __init__(self, text: str, tables: Mapping[str, PiecewiseFunction]) -> None:
        self.text = text
        self.piecewise: dict[str, PiecewiseFunction] = {**tables, **LAWS}
        self.depth = 0
        self.unit_divisors: set[str] = set()  # names read as units after "/", as s in "360 deg/s*t"
        self.has_units = False
        self.tokens = self._split()
        self.place = 0

    def parse(self) -> tree.Expression:
        if self.token.kind == "end":
            raise self._error("The formula is empty.", 0)
        result = self._either()
        token = self.token
        if token.kind in ("number", "name") or token.text == "(":
            raise self._side_by_side(token)
        if token.text == ")":
            raise self._error("This bracket closes nothing; remove it or open one before.", token.position)
        if token.text == ",":
            raise self._error(
                "A comma separates the arguments of a function and has no meaning here; decimals have a point.",
                token.position,
            )
        return result

    # tokens ----------------------------------------------------------------------------------------------------------

    def _split(self) -> list[Token]:
        tokens: list[Token] = []
        position = 0
        end = len(self.text.rstrip())
        while position < end:
            match = self.symbols.match(self.text, position)
            if match is None:
                while self.text[position].isspace():
                    position += 1
                raise self._unreadable(position)
            kind = str(match.lastgroup if match.lastgroup != "primes" else "name")
            raised = _RAISED.search(match[kind])
            if raised:
                raise self._error("A power is written with ^, as in t^2.", match.start(kind) + raised.start())
            primes = len(match["primes"] or "")
            if len(tokens) == MAX_SYMBOLS:
                raise self._error(
                    f"The formula has more than {MAX_SYMBOLS} numbers, names and signs; split it up, or use a table.",
                    position,
                )
            tokens.append(Token(kind, match[kind], match.start(kind), primes))
            position = match.end()
        tokens.append(Token("end", "", end))
        return tokens

    def _unreadable(self, position: int) -> ExpressionError:
        character = self.text[position]
        hints = {
            "=": "a formula gives one value and sets nothing; to compare, write ==",
            "&": "write and",
            "|": "write or",
            "!": "write not, or != to compare",
            "%": "write mod(x, period)",
            "[": "use round brackets",
            "{": "use round brackets",
            "·": "write a multiplication as *",
            "×": "write a multiplication as *",
        }
        hint = hints.get(character, "use numbers, names, + - * / ^ and round brackets")
        return self._error(f"The character '{character}' cannot be read here; {hint}.", position)

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def _next(self) -> Token:
        token = self.token
        self.place += 1
        return token

    def _error(self, sentence: str, position: int) -> ExpressionError:
        is_long = len(self.text) + position > LONG
        first, last = (max(0, position - SHOWN), position + SHOWN) if is_long else (0, len(self.text))
        shown = re.sub(r"\s", " ", self.text[first:last])  # one column per character, whatever the white space
        left, right = "…" * (first > 0), "…" * (last < len(self.text))
        return ExpressionError(f"{sentence}\n    {left}{shown}{right}\n    {' ' * (len(left) + position - first)}^")

    def _side_by_side(self, token: Token) -> ExpressionError:
        return self._error(
            f"Two values stand side by side; write a multiplication as 2*t, not 2t.{self._unit_hint(token)}",
            token.position,
        )

    def _unit_hint(self, token: Token) -> str:
        """Hint for a word that is or resembles a unit, after a number or another value."""
        before = self.tokens[self.tokens.index(token) - 1]
        if token.kind != "name" or token.text == "t":
            return ""
        if token.text in UNITS and before.kind != "number":
            return f" A unit follows a number, as in 2 {token.text}."
        near = nearest_unit(token.text)
        return f" There is no unit {token.text!r}; did you mean {near!r}?" if near and before.kind == "number" else ""

    def _build(self, position: int, build: Callable[[], tree.Expression]) -> tree.Expression:
        """Show the place when folding finds a number that does not exist, such as 1/0."""
        try:
            return build()
        except ExpressionError as error:
            raise self._error(str(error), position) from None

    def _expect_close(self, opened: Token) -> None:
        token = self._next()
        if token.text == ")":
            return
        if token.kind == "end":
            raise self._error("This bracket is never closed.", opened.position)
        if token.kind in ("number", "name") or token.text == "(":
            raise self._side_by_side(token)
        raise self._error("Expected a closing bracket here.", token.position)

    # grammar ---------------------------------------------------------------------------------------------------------

    def _either(self) -> tree.Expression:
        return self._chain(("or",), self._both)

    def _both(self) -> tree.Expression:
        return self._chain(("and",), self._denied)

    def _denied(self) -> tree.Expression:
        token = self.token
        if token.text != "not":
            return self._compared()
        self._next()
        self._deeper(token)
        result = self._apply(token, "not", self._denied())
        self.depth -= 1
        return result

    def _compared(self) -> tree.Expression:
        left = self._sum()
        result: tree.Expression | None = None
        while self.token.text in opcodes.COMPARISONS:
            sign = self._next()
            right = self._sum()
            link = self._apply(sign, sign.text, left, right)
            result = link if result is None else self._apply(sign, "and", result, link)
            left = right
        return left if result is None else result

    def _sum(self) -> tree.Expression:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> tree.Expression:
        return self._chain(("*", "/"), self._signed)

    def _chain(self, signs: tuple[str, ...], operand: Callable[[], tree.Expression]) -> tree.Expression:
        left = operand()
        while self.token.text in signs:
            sign = self._next()
            left = self._apply(sign, sign.text, left, operand())
        return left

    def _apply(self, sign: Token, function: str, *arguments: tree.Expression) -> tree.Expression:
        return self._build(sign.position, lambda: tree.call(function, *arguments))

    def _signed(self) -> tree.Expression:
        token = self.token
        self._deeper(token)
        if token.text in ("-", "+"):
            self._next()
            operand = self._signed()
            result = self._apply(token, "neg", operand) if token.text == "-" else operand
        else:
            result = self._power()
        self.depth -= 1
        return result

    def _deeper(self, token: Token) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"The formula is nested more than {MAX_DEPTH} levels deep; split it up.", token.position)

    def _power(self) -> tree.Expression:
        base = self._atom()
        if self.token.text not in ("^", "**"):
            return base
        sign = self._next()
        return self._apply(sign, "^", base, self._signed())

    def _atom(self) -> tree.Expression:
        token = self._next()
        if token.kind == "number":
            return self._number(token, self._unit())
        if token.kind == "name":
            return self._function(token) if self.token.text == "(" else self._name(token)
        if token.text == "(":
            inside = self._either()
            self._expect_close(token)
            return inside
        if token.kind == "end":
            raise self._error("The formula ends where a value is expected.", token.position)
        raise self._error(f"Expected a number, a name or a bracket, but found '{token.text}'.", token.position)

    def _number(self, token: Token, unit: str) -> tree.Expression:
        self.has_units = self.has_units or bool(unit)
        value = to_si(token.text, read_unit(unit)[0] if unit else 1.0)
        return self._build(token.position, lambda: tree.number(value))

    def _unit(self) -> str:
        """Text of the unit after a number, checked; "" without a unit."""
        text = ""
        while self._is_unit(self.place) or (text and self.token.text == "/" and self._is_unit(self.place + 1)):
            sign = self._next().text if self.token.text == "/" else " "
            name = self._next().text
            if sign == "/":
                self.unit_divisors.add(name)
            text += sign + name + self._unit_power()
        text = text.strip()
        try:
            if text:
                read_unit(text)
            return text
        except ModelError as error:
            raise self._error(str(error), self.tokens[self.place - 1].position) from None

    def _is_unit(self, place: int) -> bool:
        token = self.tokens[place]
        is_name = token.kind == "name" and token.text in UNITS and token.text != "t" and not token.primes
        return is_name and self.tokens[place + 1].text != "("

    def _unit_power(self) -> str:
        if self.token.text not in ("^", "**"):
            return ""
        sign = self._next()
        minus = self._next().text if self.token.text == "-" else ""
        power = self._next() if self.token.kind == "number" else self.token
        if not power.text.isdigit():
            raise self._error("The power of a unit is a whole number, as in m/s^2.", sign.position)
        return f"^{minus}{power.text}"

    def _name(self, token: Token) -> tree.Expression:
        name = token.text
        if name in opcodes.LOGIC:
            raise self._error(f"'{name}' stands between conditions, where a value is expected.", token.position)
        if name in opcodes.FUNCTIONS or name in self.piecewise:
            raise self._error(f"'{name}' is a function; write its argument in brackets.", token.position)
        if token.primes:
            raise self._error("Only rise laws and tables have derivatives written with '.", token.position + len(name))
        if name in tree.CONSTANTS:
            return tree.number(tree.CONSTANTS[name])
        return tree.variable(name)

    def _function(self, token: Token) -> tree.Expression:
        name = token.text
        if name not in opcodes.FUNCTIONS and name not in self.piecewise:
            raise self._unknown_function(token)
        if token.primes and name not in self.piecewise:
            raise self._error("Only rise laws and tables have derivatives written with '.", token.position + len(name))
        arguments = self._arguments()
        allowed = opcodes.arities(name) if name in opcodes.FUNCTIONS else (1,)
        if len(arguments) not in allowed:
            needs = "one argument" if allowed == (1,) else f"{' or '.join(map(str, allowed))} arguments"
            raise self._error(f"'{name}' takes {needs}, but {len(arguments)} are given.", token.position)
        if name in opcodes.FUNCTIONS:
            return self._apply(token, name, *arguments)
        function = self.piecewise[name]
        return self._build(token.position, lambda: tree.call_piecewise(function, arguments[0], token.primes))

    def _arguments(self) -> list[tree.Expression]:
        opened = self._next()
        if self.token.text == ")":
            self._next()
            return []
        arguments = [self._either()]
        while self.token.text == ",":
            self._next()
            arguments.append(self._either())
        self._expect_close(opened)
        return arguments

    @property
    def functions(self) -> list[str]:
        """Names that may stand before a bracket."""
        return [*opcodes.FUNCTIONS, *self.piecewise]

    def _unknown_function(self, token: Token) -> ExpressionError:
        known = self.functions
        near = difflib.get_close_matches(token.text.lower(), known, n=3, cutoff=0.5)
        if near:
            remedy = f"did you mean {' or '.join(near)}?"
        else:
            remedy = f"to multiply write {token.text}*(...); the functions are {', '.join(known)}."
        return self._error(f"There is no function '{token.text}'; {remedy}", token.position)
