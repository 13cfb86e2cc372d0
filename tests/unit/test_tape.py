"""The tape and its interpreter, against SymPy: every instruction, every way of running it."""

from __future__ import annotations

import ctypes
import functools
import json
import math
import operator
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import sympy

from pytrammel import opcodes
from pytrammel.errors import ExpressionError
from pytrammel.expressions.expression import Call, Expression, Name, Number, PiecewiseCall, call, number, parse, time
from pytrammel.expressions.tables import Table
from pytrammel.expressions.tape import Tape
from pytrammel.kernels.jit import HAVE_JIT
from pytrammel.kernels.tape import tape_run

Series = Sequence[float]
T = sympy.Symbol("t", real=True)
COMPARED = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
FACTORIALS = (1.0, 1.0, 2.0, 6.0)


def pack(tape: Tape, inputs: Sequence[Series]) -> tuple[Any, int, Any, Any, int]:
    """Buffers with the tape somewhere in the middle, so that every offset matters."""
    io, fo, wo = 3, 5, 7
    ip = np.full(io + len(tape.ints), -99, dtype=np.int64)
    ip[io:] = tape.ints
    ip[io + opcodes.TAPE_FLOAT_OFFSET] = fo
    fp = np.full(fo + len(tape.floats), np.nan)
    fp[fo:] = tape.floats
    work = np.full(wo + 4 * tape.n_slots, np.nan)
    for slot, series in enumerate(inputs):
        work[wo + 4 * slot : wo + 4 * slot + 4] = series
    return ip, io, fp, work, wo


def run_arrays(tape: Tape, inputs: Sequence[Series], function: Callable[..., int] = tape_run) -> list[float]:
    ip, io, fp, work, wo = pack(tape, inputs)
    with np.errstate(all="ignore"):  # without the compiler NumPy warns where compiled code is silent
        r = function(ip, io, fp, work, wo)
    assert r == wo + 4 * (tape.n_slots - 1)
    return [float(c) for c in work[r : r + 4]]


RUNNERS: dict[str, Callable[[Tape, Sequence[Series]], list[float]]] = {"arrays": run_arrays}

if HAVE_JIT:
    import numba
    from numba import types

    _INTS, _FLOATS = types.CPointer(types.int64), types.CPointer(types.float64)

    @numba.cfunc(types.int64(_INTS, types.int64, _FLOATS, _FLOATS, types.int64))
    def _by_pointer(ip, io, fp, work, wo):  # type: ignore[no-untyped-def]
        return tape_run(ip, io, fp, work, wo)

    def run_pointers(tape: Tape, inputs: Sequence[Series]) -> list[float]:
        """As the primitives call it: bare C pointers."""
        ip, io, fp, work, wo = pack(tape, inputs)
        integer, pointer = ctypes.c_int64, ctypes.c_void_p
        signature = ctypes.CFUNCTYPE(integer, pointer, integer, pointer, pointer, integer)
        function = ctypes.cast(_by_pointer.address, signature)
        r = function(ip.ctypes.data, io, fp.ctypes.data, work.ctypes.data, wo)
        return [float(c) for c in work[r : r + 4]]

    RUNNERS["pointers"] = run_pointers
    RUNNERS["py_func"] = lambda tape, inputs: run_arrays(tape, inputs, tape_run.py_func)


def to_sympy(expression: Expression, at: Any) -> Any:
    """SymPy's own version; at corners the branch is chosen by SymPy's value at the point."""
    x = [to_sympy(child, at) for child in expression.children]
    if isinstance(expression, Number):
        return sympy.Rational(expression.value)  # the exact binary fraction
    if isinstance(expression, Name):
        return T
    assert isinstance(expression, Call)

    def value(index: int) -> Any:
        return sympy.N(x[index].subs(T, at), 40)

    simple = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
        "^": lambda a, b: a**b, "neg": lambda a: -a, "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan,
        "asin": sympy.asin, "acos": sympy.acos, "atan": sympy.atan, "atan2": sympy.atan2, "sinh": sympy.sinh,
        "cosh": sympy.cosh, "tanh": sympy.tanh, "sqrt": sympy.sqrt, "exp": sympy.exp, "log": sympy.log,
    }  # fmt: skip
    name = expression.function
    if name in simple:
        return simple[name](*x)
    if name == "abs":
        return x[0] * sympy.sign(value(0))
    if name == "sign":
        return sympy.sign(value(0))
    if name == "min":
        return x[0] if value(0) <= value(1) else x[1]
    if name == "max":
        return x[0] if value(0) >= value(1) else x[1]
    if name == "mod":
        return x[0] - x[1] * sympy.floor(value(0) / value(1))
    if name == "step":
        return sympy.Integer(1 if value(0) >= 0 else 0)
    if name in opcodes.COMPARISONS:
        return sympy.Integer(bool(COMPARED[name](value(0), value(1))))
    if name in opcodes.LOGIC:
        return sympy.Integer(bool({"and": all, "or": any, "not": lambda v: not v[0]}[name]([v != 0 for v in x])))
    if name == "if":
        return x[1] if x[0] != 0 else x[2]
    assert name == "floor"
    return sympy.floor(value(0))


@functools.cache
def exact_series(expression: Expression, at: Any) -> list[float]:
    """Normalised Taylor coefficients by symbolic differentiation, 40 digits."""
    f = to_sympy(expression, at)
    result = []
    for factorial in FACTORIALS:
        result.append(float(sympy.N(f.subs(T, at), 40)) / factorial)
        f = sympy.diff(f, T)
    return result


def moving(t: float) -> list[Series]:
    """The series of time itself."""
    return [(t, 1.0, 0.0, 0.0)]


def assert_series(got: Series, exact: Series) -> None:
    # the coefficients of one series share their roundings: a few dozen operations at eps each, on the largest
    scale = max(abs(c) for c in exact) + 1.0
    assert got == pytest.approx(exact, rel=1e-12, abs=1e-13 * scale)


AT = sympy.Rational(5, 8)  # exact in binary, so both sides evaluate at the same point

# inner arguments with all three derivatives alive, inside the domain of every function: between 0.3 and 0.9
INNER = "0.2 + t^2/2 + t^3/3 + t^4/5"
OUTER = "0.5 + sin(t)/3"


def registry_cases() -> dict[str, Expression]:
    cases = {}
    arity = {name: entry.arity for name, entry in {**opcodes.OPERATORS, **opcodes.FUNCTIONS}.items()}
    arity |= dict.fromkeys(opcodes.COMPARISONS, 2) | opcodes.LOGIC
    for name, count in arity.items():
        corner = name in ("abs", "sign", "floor", "step")
        arguments = [parse(INNER), parse(OUTER), parse("cos(t)")][:count]
        cases[name] = call(name, *arguments)
        cases[f"{name} with signs"] = call(name, *(a - 0.9 if corner else a for a in arguments))
        cases[f"{name} swapped"] = call(name, *reversed(arguments))
        if name not in ("^", "log", "sqrt", "acos", "asin"):
            cases[f"{name} negative"] = call(name, *(2 - 5 * a for a in arguments))
    cases["branch not taken is not a number"] = parse("if(t > 2, sqrt(t - 2), log(t + 1))")
    cases["either side"] = parse("if(0 < t < 1 and not t == 0.5, t^3, exp(t))")
    for exponent in (-3, -2, -1, 2, 3, 4, 7, 0.5, -1.5, 2.25):
        cases[f"x^{exponent}"] = parse(INNER) ** exponent
        cases[f"(1.5 - x)^{exponent}"] = (1.5 - parse(INNER)) ** exponent
    cases["(-x)^5"] = (-parse(INNER)) ** 5
    cases["copy"] = time
    cases["constant"] = number(2.5)
    cases["2^x"] = 2 ** parse(INNER)
    return cases


CASES = registry_cases()


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("case", CASES)
def test_every_function_of_the_registry(case: str, runner: str) -> None:
    expression = CASES[case]
    exact = exact_series(expression, AT)
    assert_series(RUNNERS[runner](expression.tape(["t"]), moving(float(AT))), exact)


def test_cases_use_every_opcode() -> None:
    every = {v for k, v in vars(opcodes).items() if k.isupper() and isinstance(v, int)
             and not k.startswith(("TAPE_", "PIECES_", "OUTSIDE_", "INSTRUCTION_"))}  # fmt: skip
    seen = set()
    for expression in [*CASES.values(), parse("cycloidal(t)")]:
        ints = expression.tape(["t"]).ints
        seen |= set(ints[opcodes.TAPE_HEADER :: opcodes.INSTRUCTION_SIZE])
    assert seen == every


def random_smooth(choose: random.Random, depth: int) -> Expression:
    """A random formula whose parts stay in their domains for any t."""
    if depth == 0:
        return choose.choice([time, time, number(choose.randint(1, 9) / 4)])
    a = random_smooth(choose, depth - 1)
    b = random_smooth(choose, depth - 1)
    bounded = 0.25 + call("sin", a) / 2  # between -0.25 and 0.75
    makers: list[Callable[[], Expression]] = [
        lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / (1.5 + bounded), lambda: (1 + bounded) ** b,
        lambda: bounded ** choose.choice([2, 3, 4]), lambda: (1 + bounded) ** choose.choice([-2, -1, 0.5, 1.7]),
        lambda: call("sin", a), lambda: call("cos", a), lambda: call("tan", bounded), lambda: call("asin", bounded),
        lambda: call("acos", bounded), lambda: call("atan", a), lambda: call("atan2", bounded, 2 + bounded),
        lambda: call("sinh", bounded), lambda: call("cosh", bounded), lambda: call("tanh", a),
        lambda: call("sqrt", 1 + bounded), lambda: call("exp", bounded), lambda: call("log", 1 + bounded),
    ]  # fmt: skip
    return choose.choice(makers)()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(25))
def test_random_formulas(seed: int) -> None:
    expression = random_smooth(random.Random(seed), 3)
    got = run_arrays(expression.tape(["t"]), moving(float(AT)))
    assert_series(got, exact_series(expression, AT))
    # the symbolic derivative of the model is a second witness
    derivative = expression
    for coefficient, factorial in zip(got, FACTORIALS, strict=True):
        # intermediate sums of the symbolic form may be larger than the result: a thousand roundings
        assert derivative.evaluate({"t": float(AT)}) / factorial == pytest.approx(coefficient, rel=1e-11, abs=1e-11)
        derivative = derivative.derivative("t")


PIECEWISE = [f"{law}({argument})" for law in opcodes.LAW_NAMES for argument in ("t^2", "3*t - 1.1", "-t", "2*t")]
TABLES = {
    kind: Table("lift", [0.0, 0.3, 0.5, 0.9, 1.0], [0.1, 0.4, 0.2, 0.6, 0.1], kind=kind)  # any wavy table
    for kind in ("cubic", "natural", "clamped", "periodic", "linear")
}
TABLES["held"] = Table("lift", [0.0, 0.3, 1.0], [0.1, 0.4, 0.2], outside="hold")


@pytest.mark.parametrize("runner", RUNNERS)
def test_laws_and_tables_follow_their_symbolic_derivatives(runner: str) -> None:
    formulas = [parse(text) for text in PIECEWISE]
    for table in TABLES.values():
        formulas += [table(parse(text)) for text in ("t^2", "sin(3*t)", "t + 0.6", "-t", "5*t", "0.5*t^0")]
    for formula in formulas:
        # t = 5/8 and two points that lie on breaks and ends, where the right-hand side must be in force
        for at in (0.625, 0.0, 0.5):
            for expression in (formula, formula.derivative("t")):
                got = RUNNERS[runner](expression.tape(["t"]), moving(at))
                witness = expression
                for k in range(4):
                    exact = witness.evaluate({"t": at}) / FACTORIALS[k]
                    # third derivatives of the laws reach 500, each rounded a few times
                    assert got[k] == pytest.approx(exact, rel=1e-12, abs=1e-11), (str(expression), at, k)
                    witness = witness.derivative("t")


def test_inputs_may_move_in_any_way() -> None:
    # x = 2 + 3 s + s^2, y = 1 - s + 4 s^3: the product is known term by term
    tape = parse("x*y").tape(["y", "x"])
    got = run_arrays(tape, [(1.0, -1.0, 0.0, 4.0), (2.0, 3.0, 1.0, 0.0)])
    assert got == [2.0, 3.0 - 2.0, 1.0 - 3.0, -1.0 + 8.0]  # small integers: exact


def test_equal_parts_are_computed_once() -> None:
    tape = parse("sin(2*t)*cos(2*t) + sin(2*t)").tape(["t"])
    assert tape.ints[0] == 6  # 2, 2*t, sin, cos, product, sum
    assert parse("t^2 + t^-2").tape(["t"]).floats == ()  # integer exponents live in the instruction
    law = parse("cycloidal(t) + cycloidal(2*t)").tape(["t"])
    assert law.floats.count(math.tau) == 1  # the pieces of a law travel once


def test_bare_inputs_and_constants_end_in_the_last_slot() -> None:
    assert run_arrays(parse("b").tape(["a", "b", "c"]), [(1, 2, 3, 4), (5, 6, 7, 8), (9, 9, 9, 9)]) == [5, 6, 7, 8]
    assert run_arrays(parse("7").tape([]), []) == [7, 0, 0, 0]


def test_unknown_names_are_named_with_a_suggestion() -> None:
    sentence = r"'crank.ph' is not known here; this formula may use t, crank.phi\. Did you mean 'crank.phi'"
    with pytest.raises(ExpressionError, match=sentence):
        parse("2*crank.ph").tape(["t", "crank.phi"])
    with pytest.raises(ExpressionError, match="no names at all"):
        parse("2*t").tape([])


def test_resting_zero_is_harmless() -> None:
    # the root of a zero that does not move is a zero that does not move
    assert run_arrays(parse("sqrt(t)").tape(["t"]), [(0.0, 0.0, 0.0, 0.0)]) == [0.0, 0.0, 0.0, 0.0]
    assert run_arrays(parse("t^2").tape(["t"]), moving(0.0)) == [0.0, 0.0, 1.0, 0.0]
    assert run_arrays(parse("t^3").tape(["t"]), moving(0.0)) == [0.0, 0.0, 0.0, 1.0]


def test_outside_a_domain_is_not_a_number_and_not_an_exception() -> None:
    for text in ("log(t)", "sqrt(t)", "asin(t - 1)", "t^0.5", "t^t"):
        assert math.isnan(run_arrays(parse(text).tape(["t"]), moving(-0.5))[0]), text
    assert run_arrays(parse("1/t").tape(["t"]), moving(0.0))[0] == math.inf
    assert run_arrays(parse("t^-2").tape(["t"]), moving(0.0))[0] == math.inf


def test_unknown_instruction_is_seen() -> None:
    tape = parse("sin(t)").tape(["t"])
    broken = Tape((*tape.ints[:4], 999, *tape.ints[5:]), tape.floats, tape.inputs, tape.n_slots)
    assert math.isnan(run_arrays(broken, moving(0.1))[0])


SCRIPT = """
import json, sys
import numpy as np
from pytrammel.kernels.jit import HAVE_JIT
from pytrammel.kernels.tape import tape_run
assert not HAVE_JIT
results = []
for ints, floats, n_slots in json.load(sys.stdin):
    work = np.zeros(4 * n_slots)
    work[:2] = 0.625, 1.0
    r = tape_run(np.array(ints, dtype=np.int64), 0, np.array(floats, dtype=float), work, 0)
    results.append(work[r : r + 4].tolist())
print(json.dumps(results))
"""


def test_plain_python_gives_the_same_numbers() -> None:
    formulas = [*CASES.values(), *(parse(text) for text in PIECEWISE), *(table(time * 2) for table in TABLES.values())]
    tapes = [formula.tape(["t"]) for formula in formulas]
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([(tape.ints, tape.floats, tape.n_slots) for tape in tapes]),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for tape, plain in zip(tapes, json.loads(answer.stdout), strict=True):
        # elementary functions may come from another library: a few roundings
        assert_series(run_arrays(tape, moving(0.625)), plain)


def test_piecewise_nodes_are_not_missed_by_the_truth() -> None:
    # to_sympy covers calls only; laws and tables are held to literature and SciPy in test_tables_and_laws
    assert not any(isinstance(node, PiecewiseCall) for case in CASES.values() for node in case.nodes())
