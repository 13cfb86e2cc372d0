"""Units: factors to SI, dimensions, numbers with units such as "40 mm", and the conversions `mm`, `cm`, `inch`, `deg`, `rpm`.

Numbers are SI and angles radians everywhere inside; units are converted where values enter or leave.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_array, checked_names, checked_number
from pytrammel.errors import ModelError

N = TypeVar("N", float, tuple[Any, ...], list[Any], NDArray[np.float64])
LENGTH_UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}
DECIMAL_DIGITS = 15  # most digits of a factor that is an exact decimal number; pi/180 has more


def is_decimal(factor: float) -> bool:
    """Return True if a factor stands for a short decimal number, such as 0.0254, and not for one such as pi/180."""
    return len(repr(factor).partition("e")[0].replace(".", "").strip("0")) <= DECIMAL_DIGITS


@lru_cache(maxsize=256)
def _exact(factor: float) -> Decimal | None:
    """Short decimal number that a factor stands for; None if there is none."""
    return Decimal(repr(factor)) if is_decimal(factor) else None


def to_si(value: float | str, factor: float) -> float:
    """Return a number in SI: 43 mm and "43" mm are the double nearest to 0.043, not the rounded product 43 * 0.001.

    Args:
        value: Number as written by a person: a text, or a float, which stands for its shortest decimal.
        factor: Size of the unit in SI. A factor that is not a short decimal, such as pi/180, is multiplied.
    """
    unit = _exact(factor)
    if factor == 1.0 or unit is None or not math.isfinite(float(value)):
        return float(value) * factor
    written = value if isinstance(value, str) else repr(float(value))
    return float(Decimal(written) * unit)


Dimension = tuple[int, int, int, int]  # powers of m, kg, s and rad
BASE = ("m", "kg", "s", "rad")
LENGTH: Dimension = (1, 0, 0, 0)
ANGLES: Dimension = (0, 0, 0, 1)
_FORCE: Dimension = (1, 1, -2, 0)
_WORK: Dimension = (2, 1, -2, 0)
_TIME: Dimension = (0, 0, 1, 0)
_PRESSURE: Dimension = (-1, 1, -2, 0)
_LARGEST = 12  # of a power
LONGEST = 100  # letters of a number with its unit

UNITS: dict[str, tuple[float, Dimension]] = {
    **{name: (factor, LENGTH) for name, factor in LENGTH_UNITS.items()},
    "dm": (0.1, LENGTH), "km": (1e3, LENGTH), "µm": (1e-6, LENGTH), "um": (1e-6, LENGTH), "inch": (0.0254, LENGTH),
    "kg": (1.0, (0, 1, 0, 0)), "g": (1e-3, (0, 1, 0, 0)), "mg": (1e-6, (0, 1, 0, 0)), "t": (1e3, (0, 1, 0, 0)),
    "lb": (0.45359237, (0, 1, 0, 0)),
    "s": (1.0, _TIME), "ms": (1e-3, _TIME), "min": (60.0, _TIME), "h": (3600.0, _TIME),
    "Hz": (1.0, (0, 0, -1, 0)), "kHz": (1e3, (0, 0, -1, 0)),
    "rad": (1.0, (0, 0, 0, 1)), "mrad": (1e-3, (0, 0, 0, 1)), "deg": (math.pi / 180.0, (0, 0, 0, 1)),
    "°": (math.pi / 180.0, (0, 0, 0, 1)), "rev": (math.tau, (0, 0, 0, 1)), "rpm": (math.pi / 30.0, (0, 0, -1, 1)),
    "N": (1.0, _FORCE), "mN": (1e-3, _FORCE), "kN": (1e3, _FORCE), "MN": (1e6, _FORCE), "lbf": (4.4482216152605, _FORCE),
    "Nm": (1.0, _WORK), "kNm": (1e3, _WORK), "J": (1.0, _WORK), "mJ": (1e-3, _WORK), "kJ": (1e3, _WORK), "MJ": (1e6, _WORK),
    "W": (1.0, (2, 1, -3, 0)), "kW": (1e3, (2, 1, -3, 0)), "MW": (1e6, (2, 1, -3, 0)),
    "Pa": (1.0, _PRESSURE), "kPa": (1e3, _PRESSURE), "MPa": (1e6, _PRESSURE), "GPa": (1e9, _PRESSURE), "bar": (1e5, _PRESSURE),
    "1": (1.0, (0, 0, 0, 0)), "%": (1e-2, (0, 0, 0, 0)),
}  # fmt: skip

COMBINED = ("N", "N m", "N/m", "N s/m", "N m/rad", "N m s/rad", "Pa", "W")  # units that base units would hide
# other words for units, for messages
WORDS = {
    "turn": "rev", "turns": "rev", "revolution": "rev", "revolutions": "rev", "rps": "rev/s", "degree": "deg", "degrees": "deg",
    "radian": "rad", "radians": "rad", "sec": "s", "second": "s", "seconds": "s", "minute": "min", "minutes": "min",
    "hour": "h", "hours": "h", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "newton": "N", "newtons": "N", "foot": "ft",
    "feet": "ft", "inches": "in", "kilogram": "kg", "kilograms": "kg", "gram": "g", "grams": "g", "joule": "J", "watt": "W",
    "pascal": "Pa", "hertz": "Hz",
}  # fmt: skip

_KINDS: dict[Dimension, str] = {
    (0, 0, 0, 0): "a plain number", LENGTH: "a length", (2, 0, 0, 0): "an area", (3, 0, 0, 0): "a volume", (0, 1, 0, 0): "a mass",
    _TIME: "a time", (0, 0, 0, 1): "an angle", (1, 0, -1, 0): "a velocity", (0, 0, -1, 1): "an angular velocity",
    (1, 0, -2, 0): "an acceleration", _FORCE: "a force", _WORK: "a torque or energy", _PRESSURE: "a pressure",
    (2, 1, 0, 0): "a moment of inertia", (-3, 1, 0, 0): "a density", (0, 1, -2, 0): "a stiffness", (0, 0, -1, 0): "a frequency",
}  # fmt: skip

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WITH_UNIT = re.compile(rf"\s*({_NUMBER})\s*([A-Za-z°%µ])(.*)\s*", re.DOTALL)
_FACTOR = re.compile(r"\s*([*·/]?)\s*([A-Za-zµ]+|°|%|1)(?:\s*(?:\^|\*\*)\s*(-?\d+)|([²³⁴]))?")
_NEXT_NUMBER = re.compile(r"\s*([*/])\s*(?=[\d.])")  # in a product of numbers with units: "2 kg*9.81 m/s^2", "10 mm/2"
_TIMES_TIME = re.compile(
    r"[*/]\s*t\b"
)  # a formula of time such as "60 rpm * t"; the tonne is no factor of a unit there
_SUM_OR_CALL = re.compile(r"[+(,]|(?<![\^*\s])\s*-")  # not the sign of an exponent
_BY_A_NAME = re.compile(r"[*/]\s*([^\W\d][\w.]*)")
_RAISED = {"²": 2, "³": 3, "⁴": 4}


class Measured(NamedTuple):
    """A number in SI and what it measures."""

    value: float
    dimension: Dimension


def in_words(dimension: Sequence[float | Fraction]) -> str:
    """A dimension for messages: "a length [m]"."""
    kind = _KINDS.get(tuple(dimension))  # type: ignore[arg-type]
    return f"{kind} [{unit_text(dimension)}]" if kind else f"[{unit_text(dimension)}]"


def unit_text(dimension: Sequence[float | Fraction]) -> str:
    """Unit of a dimension: "m kg/s^2"."""
    over = " ".join(f"{name}{_power(p)}" for name, p in zip(BASE, dimension, strict=True) if p > 0) or "1"
    under = "".join(f"/{name}{_power(-p)}" for name, p in zip(BASE, dimension, strict=True) if p < 0)
    return over + under


def unit_symbol(dimension: Dimension) -> str:
    """Return the unit of a dimension by its usual name, such as "N/m", or by base units where it has none."""
    return next((text for text in COMBINED if read_unit(text) == (1.0, dimension)), unit_text(dimension))


def _power(p: float | Fraction) -> str:
    return "" if p == 1 else f"^{p}"


def read_measured(text: str, what: str) -> Measured | None:
    """A number with a unit, or None if the text is something else (a formula, a name).

    Raises:
        ModelError: It begins like a number with a unit, but the unit is not known.
    """
    match = _WITH_UNIT.fullmatch(text) if len(text) < LONGEST else None
    if match is None:
        return None
    unit = (match[2] + match[3]).strip()
    if _TIMES_TIME.search(unit):
        return None
    try:
        factor, dimension = read_unit(unit)
    except ModelError as error:
        product = _product(text, what)
        if product is not None:
            return product
        # a formula such as "5 N m - 2 N m s/rad*A.angle.rate", or one with a slip, which its own reader explains
        if _is_calculation(unit) or unit.startswith(("e", "E", "pi", "π", "tau")):
            return None
        raise ModelError(f"{what} is {text!r}: {error}") from None
    return Measured(to_si(match[1], factor), dimension)


def _is_calculation(unit: str) -> bool:
    """Return True if the text after a number is a formula: a sum, a call, or a product with a name that is not a unit."""
    return bool(_SUM_OR_CALL.search(unit)) or any(name not in UNITS for name in _BY_A_NAME.findall(unit))


def _product(text: str, what: str) -> Measured | None:
    """Product or quotient of numbers with and without units; None for anything else."""
    first, *others = _NEXT_NUMBER.split(text)
    value, powers = 1.0, [0, 0, 0, 0]
    if not others:
        return None
    for sign, part in zip(["*", *others[::2]], [first, *others[1::2]], strict=True):
        if re.fullmatch(_NUMBER, part.strip()):
            factor: Measured | None = Measured(float(part), (0, 0, 0, 0))
        else:
            factor = read_measured(part.strip(), what)
        if factor is None:
            return None
        way = 1 if sign == "*" else -1
        value = value * factor.value if way > 0 else value / factor.value if factor.value else math.nan
        powers = [p + way * q for p, q in zip(powers, factor.dimension, strict=True)]
    if not math.isfinite(value):
        raise ModelError(f"{what} is {text!r}, which is not finite; check the divisor.")
    a, b, c, d = powers
    return Measured(value, (a, b, c, d))


@cache
def read_unit(text: str) -> tuple[float, Dimension]:
    """Factor to SI and dimension of a unit: products and quotients of units with powers, e.g. "N m/rad", "kg m²", "m/s^2"."""
    exact, factor, powers = Fraction(1), 1.0, [0, 0, 0, 0]
    for name, power in _factors(text):
        size, dimension = UNITS[name]
        if is_decimal(size):
            exact *= Fraction(repr(size)) ** power  # 1 g/cm^3 is 1000 kg/m^3, not 999.9999999999998
        else:
            factor *= size**power
        powers = [p + power * q for p, q in zip(powers, dimension, strict=True)]
    a, b, c, d = powers
    try:
        factor *= float(exact)
    except OverflowError:
        raise ModelError(f"the unit {text!r} is larger than the largest number; use smaller powers.") from None
    return factor, (a, b, c, d)


def nearest_unit(word: str) -> str:
    """Unit that a word resembles, regardless of case; "" if there is none."""
    if (same := WORDS.get(word.lower())) or (same := next((u for u in UNITS if u.lower() == word.lower()), "")):
        return same
    near = difflib.get_close_matches(word, UNITS, n=1, cutoff=0.5)
    return near[0] if near else ""


def _factors(text: str) -> Iterator[tuple[str, int]]:
    place = 0
    while place < len(text.rstrip()):
        match = _FACTOR.match(text, place)
        if match is None:
            raise ModelError(f"the unit {text!r} cannot be read; write e.g. 'N m/rad', 'kg m^2' or 'm/s^2'.")
        name = match[2]
        if name not in UNITS:
            near = nearest_unit(name)
            hint = f"did you mean {near!r}?" if near else f"known are: {', '.join(UNITS)}."
            raise ModelError(f"there is no unit {name!r}; {hint}")
        power = int(match[3]) if match[3] else _RAISED.get(match[4] or "", 1)
        if abs(power) > _LARGEST:
            raise ModelError(f"the unit {text!r} has a power of {power}; the largest is {_LARGEST}.")
        yield name, -power if match[1] == "/" else power
        place = match.end()


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_scaled(v, factor) for v in value)
    if isinstance(value, np.ndarray) and value.ndim:
        numbers = checked_array(value, "value")
        return np.array([to_si(float(v), factor) for v in numbers.flat]).reshape(numbers.shape)
    number = checked_number(value, "value")
    return to_si(number, factor) if type(number) is float else number * factor


@checked_names
def deg(value: N) -> N:
    """Degrees to radians; a number, a tuple, a list or an array."""
    return _scaled(value, math.pi / 180.0)  # type: ignore[no-any-return]


@checked_names
def rpm(value: N) -> N:
    """Revolutions per minute to rad/s."""
    return _scaled(value, math.pi / 30.0)  # type: ignore[no-any-return]


@checked_names
def mm(value: N) -> N:
    """Millimetres to metres; a number, a tuple, a list or an array."""
    return _scaled(value, LENGTH_UNITS["mm"])  # type: ignore[no-any-return]


@checked_names
def cm(value: N) -> N:
    """Centimetres to metres."""
    return _scaled(value, LENGTH_UNITS["cm"])  # type: ignore[no-any-return]


@checked_names
def inch(value: N) -> N:
    """Inches to metres."""
    return _scaled(value, LENGTH_UNITS["in"])  # type: ignore[no-any-return]
