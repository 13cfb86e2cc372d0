"""Run an expression tape on truncated Taylor series.

Slot k of a tape holds the normalised Taylor coefficients (f, f', f''/2, f'''/6) at work[wo + 4 k ...]. The caller fills
the input slots; every instruction writes the next slot; so one pass gives a value and three exact derivatives along
whatever direction the inputs move (Griewank and Walther, Evaluating Derivatives, 2nd ed., ch. 13).

Everything is scalar indexing into flat buffers, so arrays and bare C pointers serve alike. Numbers outside a function's
domain become nan or inf, never an exception.
"""

from __future__ import annotations

import numpy as np

from pytrammel import opcodes as op
from pytrammel.kernels.jit import FLOATS, INT, INTS, apart, kernel

INF = np.inf


@kernel()
def series_multiply(work, r, a, b):
    """r = a b; r may be a or b."""
    a0, a1, a2, a3 = work[a], work[a + 1], work[a + 2], work[a + 3]
    b0, b1, b2, b3 = work[b], work[b + 1], work[b + 2], work[b + 3]
    work[r] = a0 * b0
    work[r + 1] = a0 * b1 + a1 * b0
    work[r + 2] = a0 * b2 + a1 * b1 + a2 * b0
    work[r + 3] = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0


@kernel()
def series_divide(work, r, a, b):
    """r = a / b; r may be a or b."""
    a0, a1, a2, a3 = work[a], work[a + 1], work[a + 2], work[a + 3]
    b0, b1, b2, b3 = work[b], work[b + 1], work[b + 2], work[b + 3]
    q0 = a0 / b0
    q1 = (a1 - q0 * b1) / b0
    q2 = (a2 - q0 * b2 - q1 * b1) / b0
    work[r] = q0
    work[r + 1] = q1
    work[r + 2] = q2
    work[r + 3] = (a3 - q0 * b3 - q1 * b2 - q2 * b1) / b0


@kernel()
def series_compose(work, r, a, f, f1, f2, f3):
    """r = F(a) where f, f1, f2, f3 are F and its first three derivatives at the value of a; r may be a."""
    u1, u2, u3 = work[a + 1], work[a + 2], work[a + 3]
    work[r] = f
    if u1 == 0.0 and u2 == 0.0 and u3 == 0.0:  # sqrt of a resting zero must not become 0 * inf
        work[r + 1] = 0.0
        work[r + 2] = 0.0
        work[r + 3] = 0.0
    else:
        work[r + 1] = f1 * u1
        work[r + 2] = f1 * u2 + 0.5 * f2 * u1 * u1
        work[r + 3] = f1 * u3 + f2 * u1 * u2 + f3 * u1 * u1 * u1 / 6.0


@kernel()
def series_constant(work, r, f):
    work[r] = f
    work[r + 1] = 0.0
    work[r + 2] = 0.0
    work[r + 3] = 0.0


@kernel()
def series_scale(work, r, a, s):
    work[r] = s * work[a]
    work[r + 1] = s * work[a + 1]
    work[r + 2] = s * work[a + 2]
    work[r + 3] = s * work[a + 3]


@kernel()
def series_atan2(work, r, a, b):
    """r = atan2(a, b): turn (b, a) onto the axis, where atan2 is atan of a quotient that vanishes."""
    y0, x0 = work[a], work[b]
    radius = np.sqrt(x0 * x0 + y0 * y0)
    c, s = x0 / radius, y0 / radius
    x1, y1 = c * work[b + 1] + s * work[a + 1], c * work[a + 1] - s * work[b + 1]
    x2, y2 = c * work[b + 2] + s * work[a + 2], c * work[a + 2] - s * work[b + 2]
    y3 = c * work[a + 3] - s * work[b + 3]
    q1 = y1 / radius
    q2 = (y2 - q1 * x1) / radius
    q3 = (y3 - q1 * x2 - q2 * x1) / radius
    work[r] = np.arctan2(y0, x0)
    work[r + 1] = q1
    work[r + 2] = q2
    work[r + 3] = q3 - q1 * q1 * q1 / 3.0


@kernel()
def power_by_products(factor, x, n):
    """factor x^n for an integer n; a zero factor wins over 1/0."""
    if factor == 0.0:
        return 0.0
    remaining = n if n >= 0 else -n
    result = 1.0
    square = x
    while remaining > 0:
        if remaining % 2 == 1:
            result = result * square
        square = square * square
        remaining = remaining // 2
    if n < 0:
        if result == 0.0:
            return INF
        result = 1.0 / result
    return factor * result


@kernel()
def power_of_real(factor, x, p):
    """factor x^p for a real p; a zero factor wins over 1/0."""
    if factor == 0.0:
        return 0.0
    if x == 0.0 and p < 0.0:
        return factor * INF
    if x < 0.0:
        return np.nan
    return factor * x**p


@kernel()
def find_piece(fp, breaks, n, x):
    """Number of the piece with break[i] <= x < break[i + 1], by bisection; the ends take what lies outside."""
    low = 0
    high = n
    while high - low > 1:
        middle = (low + high) // 2
        if fp[breaks + middle] <= x:
            low = middle
        else:
            high = middle
    return low


@kernel()
def piece_derivative(fp, pieces, i, order, h):
    """Derivative of one piece at the distance h from its left break."""
    n = int(fp[pieces + op.PIECES_N])
    degree = int(fp[pieces + op.PIECES_DEGREE])
    has_sine = int(fp[pieces + op.PIECES_HAS_SINE])
    at = pieces + op.PIECES_HEADER + n + 1 + i * (degree + 1 + 3 * has_sine)
    total = 0.0
    k = degree
    while k >= order:
        falling = 1.0  # k! / (k - order)!
        for m in range(order):
            falling = falling * (k - m)
        total = total * h + falling * fp[at + k]
        k = k - 1
    if has_sine == 1:
        frequency = fp[at + degree + 2]
        term = fp[at + degree + 1]
        for _ in range(order):
            term = term * frequency
        # each derivative turns the phase by a quarter; branching keeps it exact
        angle = frequency * h + fp[at + degree + 3]
        quarter = order % 4
        if quarter == 0:
            total = total + term * np.sin(angle)
        elif quarter == 1:
            total = total + term * np.cos(angle)
        elif quarter == 2:
            total = total - term * np.sin(angle)
        else:
            total = total - term * np.cos(angle)
    return total


@kernel()
def piecewise_derivative(fp, pieces, order, x):
    """Derivative of a rise law or table at x: continuous from the right, extended outside its breaks."""
    n = int(fp[pieces + op.PIECES_N])
    outside = int(fp[pieces + op.PIECES_OUTSIDE])
    breaks = pieces + op.PIECES_HEADER
    first = fp[breaks]
    last = fp[breaks + n]
    if outside == op.OUTSIDE_PERIODIC:
        period = last - first
        x = x - period * np.floor((x - first) / period)
    if x < first:
        end = first
        i = 0
    elif x > last or (x == last and outside == op.OUTSIDE_HOLD):
        end = last
        i = n - 1
    else:  # inside; also nan, which then spreads
        i = find_piece(fp, breaks, n, x)
        return piece_derivative(fp, pieces, i, order, x - fp[breaks + i])
    h = end - fp[breaks + i]
    slope = 0.0
    if outside == op.OUTSIDE_LINEAR:
        slope = piece_derivative(fp, pieces, i, 1, h)
    if order == 0:
        return piece_derivative(fp, pieces, i, 0, h) + slope * (x - end)
    if order == 1:
        return slope
    return 0.0


@kernel()
def tape_run(ip, io, fp, work, wo):
    """Run the tape whose integers start at ip[io]; its slots start at work[wo], the first ones filled by the caller.

    Returns the place of the result in ``work``: four normalised Taylor coefficients.
    """
    n_instructions = ip[io + op.TAPE_N_INSTRUCTIONS]
    fo = ip[io + op.TAPE_FLOAT_OFFSET]
    r = wo + 4 * (ip[io + op.TAPE_N_INPUTS] - 1)
    at = io + op.TAPE_HEADER - op.INSTRUCTION_SIZE
    for _ in range(n_instructions):
        at = at + op.INSTRUCTION_SIZE
        r = r + 4
        code = ip[at]
        a = wo + 4 * ip[at + 1]
        b = wo + 4 * ip[at + 2]
        if code == op.CONSTANT:
            series_constant(work, r, fp[fo + ip[at + 1]])
            continue
        x = work[a]

        # arithmetic
        if code == op.COPY:
            series_scale(work, r, a, 1.0)
        elif code == op.ADD:
            for k in range(4):
                work[r + k] = work[a + k] + work[b + k]
        elif code == op.SUBTRACT:
            for k in range(4):
                work[r + k] = work[a + k] - work[b + k]
        elif code == op.MULTIPLY:
            series_multiply(work, r, a, b)
        elif code == op.DIVIDE:
            series_divide(work, r, a, b)
        elif code == op.NEGATE:
            series_scale(work, r, a, -1.0)
        elif code == op.POWER_INTEGER:
            n = ip[at + 2]
            f = power_by_products(1.0, x, n)
            f1 = power_by_products(1.0 * n, x, n - 1)
            f2 = power_by_products(1.0 * n * (n - 1), x, n - 2)
            f3 = power_by_products(1.0 * n * (n - 1) * (n - 2), x, n - 3)
            series_compose(work, r, a, f, f1, f2, f3)
        elif code == op.POWER_CONSTANT:
            p = fp[fo + ip[at + 2]]
            f = power_of_real(1.0, x, p)
            f1 = power_of_real(p, x, p - 1.0)
            f2 = power_of_real(p * (p - 1.0), x, p - 2.0)
            f3 = power_of_real(p * (p - 1.0) * (p - 2.0), x, p - 3.0)
            series_compose(work, r, a, f, f1, f2, f3)
        elif code == op.POWER:  # exp(b log a), with the value itself from the more accurate power
            value = power_of_real(1.0, x, work[b])
            series_compose(work, r, a, np.log(x), 1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x))
            series_multiply(work, r, r, b)
            series_compose(work, r, r, value, value, value, value)

        # smooth functions: value and three derivatives, composed
        elif code == op.SIN:
            s, c = np.sin(x), np.cos(x)
            series_compose(work, r, a, s, c, -s, -c)
        elif code == op.COS:
            s, c = np.sin(x), np.cos(x)
            series_compose(work, r, a, c, -s, -c, s)
        elif code == op.TAN:
            f = np.tan(x)
            d = 1.0 + f * f
            series_compose(work, r, a, f, d, 2.0 * f * d, 2.0 * d * (d + 2.0 * f * f))
        elif code == op.ASIN:
            d = 1.0 / np.sqrt(1.0 - x * x)
            d3 = d * d * d
            series_compose(work, r, a, np.arcsin(x), d, x * d3, d3 + 3.0 * x * x * d3 * d * d)
        elif code == op.ACOS:
            d = -1.0 / np.sqrt(1.0 - x * x)
            d3 = d * d * d
            series_compose(work, r, a, np.arccos(x), d, x * d3, d3 + 3.0 * x * x * d3 * d * d)
        elif code == op.ATAN:
            d = 1.0 / (1.0 + x * x)
            series_compose(work, r, a, np.arctan(x), d, -2.0 * x * d * d, 2.0 * d * d * (4.0 * x * x * d - 1.0))
        elif code == op.ATAN2:
            series_atan2(work, r, a, b)
        elif code == op.SINH:
            s, c = np.sinh(x), np.cosh(x)
            series_compose(work, r, a, s, c, s, c)
        elif code == op.COSH:
            s, c = np.sinh(x), np.cosh(x)
            series_compose(work, r, a, c, s, c, s)
        elif code == op.TANH:
            f = np.tanh(x)
            d = 1.0 - f * f
            series_compose(work, r, a, f, d, -2.0 * f * d, 2.0 * d * (2.0 * f * f - d))
        elif code == op.SQRT:
            f = np.sqrt(x)
            d = 0.5 / f
            series_compose(work, r, a, f, d, -0.5 * d / x, 0.75 * d / (x * x))
        elif code == op.EXP:
            f = np.exp(x)
            series_compose(work, r, a, f, f, f, f)
        elif code == op.LOG:
            series_compose(work, r, a, np.log(x), 1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x))

        # corners and jumps: the branch in force decides
        elif code == op.ABS:
            series_scale(work, r, a, np.sign(x))
        elif code == op.SIGN:
            series_constant(work, r, np.sign(x))
        elif code == op.MIN:
            series_scale(work, r, a if x <= work[b] else b, 1.0)
        elif code == op.MAX:
            series_scale(work, r, a if x >= work[b] else b, 1.0)
        elif code == op.MOD:
            turns = np.floor(x / work[b])
            for k in range(4):
                work[r + k] = work[a + k] - turns * work[b + k]
        elif code == op.STEP:
            series_constant(work, r, 1.0 if x >= 0.0 else 0.0)
        elif code == op.FLOOR:
            series_constant(work, r, np.floor(x))
        elif code == op.CHOOSE:
            if x != x:
                series_constant(work, r, x)
            else:
                series_scale(work, r, b if x != 0.0 else wo + 4 * ip[at + 3], 1.0)

        elif code == op.PIECEWISE:
            pieces = fo + ip[at + 2]
            order = ip[at + 3]
            f = piecewise_derivative(fp, pieces, order, x)
            f1 = piecewise_derivative(fp, pieces, order + 1, x)
            f2 = piecewise_derivative(fp, pieces, order + 2, x)
            f3 = piecewise_derivative(fp, pieces, order + 3, x)
            series_compose(work, r, a, f, f1, f2, f3)
        else:  # an unknown instruction must be seen, not guessed
            series_constant(work, r, np.nan)
    return r


@apart(INTS, INT, FLOATS, FLOATS, INT, seconds=3.0)
def tape_apart(ip, io, fp, work, wo):
    """The same for laws of time in rows, which many models do without."""
    return float(tape_run(ip, io, fp, work, wo))
