"""Numbers as text: the shortest decimals that read back as the same double, as Python writes them, by the thousand.

Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020): the interval of decimals that round to a double is scaled by a power
of ten known to 126 bits, and at most two candidates of the shortest length are compared with its ends. No step overflows, so that the same
source runs as plain Python.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels.jit import HAVE_JIT, INT, INT_ARRAY, kernel

if HAVE_JIT:
    from numba import types

    BYTES = types.Array(types.uint8, 1, "C")
else:
    BYTES = None

WIDEST = 26  # letters of a number and what follows it, at most
LEAST_POWER, MOST_POWER = -292, 324  # of ten
ZERO, ONE, TWO, FOUR, TEN, FORTY = (np.uint64(k) for k in (0, 1, 2, 4, 10, 40))
HALF, LOW, ALL = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFFFFFFFFFF)
SIGNIFICAND, HIDDEN = np.uint64((1 << 52) - 1), np.uint64(1 << 52)
MINUS, PLUS, POINT, NULL, E, COMMA, CARRIAGE, LINE = (ord(c) for c in "-+.0e,\r\n")
NAN, INF = tuple(map(ord, "nan")), tuple(map(ord, "inf"))


def powers_of_ten() -> NDArray[np.int64]:
    """Powers of ten to 128 bits, rounded up, each in four pieces of 32 bits, the highest first."""
    out = np.zeros((MOST_POWER - LEAST_POWER + 1, 4), dtype=np.int64)
    for k in range(LEAST_POWER, MOST_POWER + 1):
        shift = 127 - floor_log2_of_power(k)
        top, bottom = (10**k if k >= 0 else 1) << max(shift, 0), (1 if k >= 0 else 10**-k) << max(-shift, 0)
        number = -(-top // bottom)
        out[k - LEAST_POWER] = [(number >> s) & 0xFFFFFFFF for s in (96, 64, 32, 0)]
    return out.ravel()


@kernel()
def floor_log2_of_power(k):
    """Floor of log2(10^k)."""
    return (k * 1741647) >> 19


@kernel()
def times(ah, al, bh, bl):
    """Product of two numbers of 64 bits given by halves: its upper and its lower 64 bits."""
    lowest = al * bl
    middle = al * bh + (lowest >> HALF)
    other = ah * bl + (middle & LOW)
    return ah * bh + (middle >> HALF) + (other >> HALF), ((other & LOW) << HALF) | (lowest & LOW)


@kernel()
def scaled(powers, k, number):
    """Upper 64 bits of a number times the power, with the last bit set if anything is lost (round to odd)."""
    h, l = number >> HALF, number & LOW
    upper, _ = times(np.uint64(powers[k + 2]), np.uint64(powers[k + 3]), h, l)
    high, low = times(np.uint64(powers[k]), np.uint64(powers[k + 1]), h, l)
    if low > ALL - upper:
        low -= ALL - upper
        low -= ONE
        high += ONE
    else:
        low += upper
    return high | ONE if low > ONE else high


@kernel()
def shortest(fraction, exponent, powers):
    """Digits and power of ten of the shortest decimal for a double that is not zero."""
    c = fraction
    q = 1 - 1075
    if exponent != 0:
        c = fraction | HIDDEN
        q = exponent - 1075
        if -53 < q <= 0 and (c & ((ONE << np.uint64(-q)) - ONE)) == ZERO:
            return c >> np.uint64(-q), 0  # a whole number
    closer = fraction == ZERO and exponent > 1
    k = (q * 1262611 - (524031 if closer else 0)) >> 22
    h = np.uint64(q + floor_log2_of_power(-k) + 1)
    at = 4 * (-k - LEAST_POWER)
    lower = scaled(powers, at, (FOUR * c - (ONE if closer else TWO)) << h)
    value = scaled(powers, at, (FOUR * c) << h)
    upper = scaled(powers, at, (FOUR * c + TWO) << h)
    if c & ONE:
        lower += ONE
        upper -= ONE
    s = value >> TWO
    if s >= TEN:
        tens = s // TEN
        down = lower <= FORTY * tens
        up = FORTY * tens + FORTY <= upper
        if down != up:
            return tens + ONE if up else tens, k + 1
    down = lower <= FOUR * s
    up = FOUR * s + FOUR <= upper
    if down != up:
        return s + ONE if up else s, k
    middle = FOUR * s + TWO
    if value > middle or (value == middle and (s & ONE) == ONE):
        s += ONE
    return s, k


@kernel()
def write_number(bits, powers, out, at):
    """Write one double as Python's repr does; gives the place behind it."""
    fraction = np.uint64(bits) & SIGNIFICAND
    exponent = (bits >> 52) & 0x7FF
    if exponent == 0x7FF and fraction != ZERO:
        for letter in NAN:
            out[at] = letter
            at += 1
        return at
    if bits < 0:
        out[at] = MINUS
        at += 1
    if exponent == 0x7FF:
        for letter in INF:
            out[at] = letter
            at += 1
        return at
    if exponent == 0 and fraction == ZERO:
        out[at] = NULL
        out[at + 1] = POINT
        out[at + 2] = NULL
        return at + 3
    digits, power = shortest(fraction, exponent, powers)
    while digits % TEN == ZERO:
        digits //= TEN
        power += 1
    count = 0
    rest = digits
    while rest != ZERO:
        rest //= TEN
        count += 1
    point = count + power  # how many digits stand before the point
    if -4 < point <= 16:
        return write_plain(digits, count, point, out, at)
    return write_with_exponent(digits, count, point - 1, out, at)


@kernel()
def write_plain(digits, count, point, out, at):
    """0.00123, 12.3 or 12300.0."""
    if point <= 0:
        out[at] = NULL
        out[at + 1] = POINT
        at += 2
        for _ in range(-point):
            out[at] = NULL
            at += 1
        end = at + count
        point = -1
    else:
        end = at + max(count + 1, point + 2)
    place = end
    if point >= count:  # zeros up to the point, and one behind it
        place -= 1
        out[place] = NULL
        place -= 1
        out[place] = POINT
        for _ in range(point - count):
            place -= 1
            out[place] = NULL
    written = 0
    while written < count:
        if point > 0 and count - written == point and point < count:
            place -= 1
            out[place] = POINT
        place -= 1
        out[place] = NULL + np.int64(digits % TEN)
        digits //= TEN
        written += 1
    return end


@kernel()
def write_with_exponent(digits, count, exponent, out, at):
    """1.23e-07 or 1e+22."""
    end = at + count + (1 if count > 1 else 0)
    place = end
    for _ in range(count - 1):
        place -= 1
        out[place] = NULL + np.int64(digits % TEN)
        digits //= TEN
    if count > 1:
        place -= 1
        out[place] = POINT
    out[at] = NULL + np.int64(digits)
    out[end] = E
    out[end + 1] = MINUS if exponent < 0 else PLUS
    size = abs(exponent)
    at = end + 2
    if size >= 100:
        out[at] = NULL + size // 100
        at += 1
    out[at] = NULL + size // 10 % 10
    out[at + 1] = NULL + size % 10
    return at + 2


@kernel(INT_ARRAY, INT, INT_ARRAY, BYTES, seconds=3.0)
def decimals_run(table, columns, powers, out):
    """Write rows of doubles, given by their bits, as lines with commas; gives the number of letters."""
    at = 0
    for place in range(table.size):
        at = write_number(table[place], powers, out, at)
        if (place + 1) % columns == 0:
            out[at] = CARRIAGE
            out[at + 1] = LINE
            at += 2
        else:
            out[at] = COMMA
            at += 1
    return at
