"""Pieces and drivers as C, for compilers of graphics cards."""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytrammel.kernels.structure.graph import Block, Open, Step
from pytrammel.kernels.structure.piece import Piece

PREFIX = "__device__ static "
_SIGNS = {
    "+": "+",
    "-": "-",
    "*": "*",
    "/": "/",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "==": "==",
    "!=": "!=",
    "and": "&&",
    "or": "||",
}


def piece_in_c(piece: Piece, name: str = "") -> str:
    """A function ``void name(t, F, stride, x, out)``; what it writes may lie where it reads."""
    place = {k: j for j, k in enumerate(piece.varying)}
    lines: list[str] = []
    _write(piece.block, place, lines, "  ")
    written = [f"  out[{k}] = {_of(value)};" for k, value in enumerate(piece.outputs)]
    head = (
        f"{PREFIX}void {name or piece.name}(double t, const double* F, long long stride, const double* x, double* out)"
    )
    return "\n".join([head + " {", *lines, *written, "}"])


def _of(value: Any) -> str:
    if isinstance(value, Open):
        return f"n{value.number}"
    if isinstance(value, bool):
        return "1" if value else "0"
    number = float(value)
    if math.isnan(number):
        return 'nan("")'
    if math.isinf(number):
        return "INFINITY" if number > 0 else "(-INFINITY)"
    return f"({number!r})" if number < 0 else repr(number)


def _write(block: Block, place: Mapping[int, int], lines: list[str], indent: str) -> None:
    for step in block.steps:
        if isinstance(step, Step):
            kind = "bool" if step.result.truth else "double"
            lines.append(f"{indent}const {kind} n{step.result.number} = {_formula(step, place)};")
            continue
        for result, *_ in step.results:
            lines.append(f"{indent}{'bool' if result.truth else 'double'} n{result.number};")
        for word, side, which in (("if (" + _of(step.condition) + ") {", step.yes, 1), ("} else {", step.no, 2)):
            lines.append(indent + word)
            _write(side, place, lines, indent + "  ")
            lines += [f"{indent}  n{r[0].number} = {_of(r[which])};" for r in step.results]
        lines.append(indent + "}")


def _formula(step: Step, place: Mapping[int, int]) -> str:
    op = step.op
    if op == "input":
        name, k = step.arguments
        return "t" if name == "t" else f"F[{place[k]} * stride]" if name == "F" else f"x[{k}]"
    values = [_of(a) for a in step.arguments]
    if op in _SIGNS:
        return f"{values[0]} {_SIGNS[op]} {values[1]}"
    if op == "neg":
        return f"-{values[0]}"
    if op == "not":
        return f"!{values[0]}"
    if op == "select":
        return f"{values[0]} ? {values[1]} : {values[2]}"
    if op in ("fmin", "fmax"):
        sign = "<" if op == "fmin" else ">"
        return f"{values[1]} {sign} {values[0]} ? {values[1]} : {values[0]}"
    return f"{op}({', '.join(values)})"


# --- drivers ---------------------------------------------------------------------------------------------------------


def drivers_in_c(functions: Sequence[Callable[..., Any]], pieces: Mapping[str, str]) -> str:
    """Drivers as C, those that are called by others first.

    Args:
        functions: As written. Arguments that are read with an index or handed to a piece are pointers; those that count or that begin
            with ``n_`` are whole numbers, as is every name that is first given a whole number.
        pieces: Names of pieces by those of the arguments that hold their addresses.
    """
    written: list[str] = []
    kinds: dict[str, dict[int, str]] = {}  # of the arguments of functions, by their places in calls
    for function in functions:
        plain = getattr(function, "py_func", function)
        tree = ast.parse(textwrap.dedent(inspect.getsource(plain))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        constants = {k: v for k, v in plain.__globals__.items() if type(v) in (int, float)}
        driver = _Driver(tree, pieces, constants, kinds)
        written.append(driver.write())
        kinds[tree.name] = {
            k: driver.kinds[a.arg] for k, a in enumerate(tree.args.args) if a.arg not in pieces
        }  # fmt: skip
    return "\n".join(written)


def _place(node: ast.AST) -> ast.AST:
    """What of a node must be a whole number: an index, or a limit of a loop."""
    if isinstance(node, ast.Subscript):
        return node.slice
    if isinstance(node, ast.For):
        return node.iter
    return ast.Pass()


class _Driver:
    def __init__(
        self, tree: ast.FunctionDef, pieces: Mapping[str, str], constants: Mapping[str, int | float],
        known: Mapping[str, Mapping[int, str]],
    ) -> None:  # fmt: skip
        self.tree, self.pieces, self.constants = tree, pieces, constants
        self.kinds: dict[str, str] = {}
        indexed = {
            node.value.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        }
        handed = {
            a.id for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("call_piece", "advanced")
            for a in node.args if isinstance(a, ast.Name)
        }  # fmt: skip
        counted = {
            part.id for node in ast.walk(tree) for part in ast.walk(_place(node)) if isinstance(part, ast.Name)
        }  # fmt: skip
        passed = {
            a.id: known[node.func.id][k] for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            and node.func.id in known for k, a in enumerate(node.args) if isinstance(a, ast.Name) and k in known[node.func.id]
        }  # fmt: skip
        self.arguments = []
        for argument in tree.args.args:
            name = argument.arg
            if name in pieces:
                continue
            whole = name in counted or name.startswith("n_") or name == "stride"
            pointer = name in indexed or (name in handed and not whole and name != "t")
            self.kinds[name] = passed.get(name) or ("double*" if pointer else "long long" if whole else "double")
            self.arguments.append(name)
        self.lines: list[str] = []

    def write(self) -> str:
        self.block(self.tree.body, "  ")
        given = set(self.arguments)
        made = [f"  {kind} {name};" for name, kind in self.kinds.items() if name not in given]
        listed = ", ".join(f"{self.kinds[name]} {name}" for name in self.arguments)
        returned = [
            self.kind(n.value) for n in ast.walk(self.tree) if isinstance(n, ast.Return) and n.value is not None
        ]
        returns = "void" if not returned else "double" if "double" in returned else "long long"
        return "\n".join([f"{PREFIX}{returns} {self.tree.name}({listed}) {{", *made, *self.lines, "}"])

    def block(self, statements: list[ast.stmt], indent: str) -> None:
        for statement in statements:
            self.statement(statement, indent)

    def statement(self, node: ast.stmt, indent: str) -> None:
        put = self.lines.append
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Call):
                put(f"{indent}{self.value(node.value)};")
        elif isinstance(node, ast.Assign):
            (target,) = node.targets
            if isinstance(target, ast.Name) and target.id not in self.kinds:
                self.kinds[target.id] = self.kind(node.value)
            put(f"{indent}{self.value(target)} = {self.value(node.value)};")
        elif isinstance(node, ast.AugAssign):
            sign = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}[type(node.op)]
            put(f"{indent}{self.value(node.target)} {sign} {self.value(node.value)};")
        elif isinstance(node, ast.If):
            put(f"{indent}if ({self.value(node.test)}) {{")
            self.block(node.body, indent + "  ")
            if node.orelse:
                put(f"{indent}}} else {{")
                self.block(node.orelse, indent + "  ")
            put(f"{indent}}}")
        elif isinstance(node, ast.For):
            assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
            name = node.target.id
            self.kinds[name] = "long long"
            limits = [self.value(a) for a in node.iter.args]
            first, last = ("0", limits[0]) if len(limits) == 1 else (limits[0], limits[1])
            put(f"{indent}for ({name} = {first}; {name} < {last}; {name}++) {{")
            self.block(node.body, indent + "  ")
            put(f"{indent}}}")
        elif isinstance(node, ast.While):
            put(f"{indent}while ({self.value(node.test)}) {{")
            self.block(node.body, indent + "  ")
            put(f"{indent}}}")
        elif isinstance(node, ast.Return):
            put(f"{indent}return{'' if node.value is None else ' ' + self.value(node.value)};")
        elif isinstance(node, ast.Break | ast.Continue):
            put(f"{indent}{'break' if isinstance(node, ast.Break) else 'continue'};")
        else:
            raise TypeError(f"{type(node).__name__} in the driver {self.tree.name}")

    def kind(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return "double" if isinstance(node.value, float) else "long long"
        if isinstance(node, ast.Name):
            known = self.constants.get(node.id)
            return self.kinds.get(node.id) or ("long long" if isinstance(known, int) else "double")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return "double*" if node.func.id == "advanced" else "long long" if node.func.id == "int" else "double"
        if isinstance(node, ast.BinOp):
            return "double" if "double" in (self.kind(node.left), self.kind(node.right)) else "long long"
        if isinstance(node, ast.Compare | ast.BoolOp):
            return "long long"
        if isinstance(node, ast.UnaryOp):
            return "long long" if isinstance(node.op, ast.Not) else self.kind(node.operand)
        return "double"

    def value(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return _of(node.value) if isinstance(node.value, float | bool) else str(node.value)
        if isinstance(node, ast.Name):
            known = self.constants.get(node.id)
            return node.id if known is None else str(known) if isinstance(known, int) else _of(known)
        if isinstance(node, ast.Attribute):
            return {"inf": "INFINITY", "nan": 'nan("")'}[node.attr]
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left), self.value(node.right)
            if isinstance(node.op, ast.Pow):
                return f"pow({left}, {right})"
            sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(node.op)]
            return f"({left} {sign} {right})"
        if isinstance(node, ast.UnaryOp):
            return f"{'!' if isinstance(node.op, ast.Not) else '-'}({self.value(node.operand)})"
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + sign.join(self.value(part) for part in node.values) + ")"
        if isinstance(node, ast.Compare):
            signs = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
            sides = [self.value(each) for each in (node.left, *node.comparators)]
            terms = [f"({a} {signs[type(op)]} {b})" for a, op, b in zip(sides, node.ops, sides[1:], strict=False)]
            return "(" + " && ".join(terms) + ")"
        if isinstance(node, ast.Subscript):
            return f"{self.value(node.value)}[{self.value(node.slice)}]"
        if isinstance(node, ast.IfExp):
            return f"({self.value(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})"
        assert isinstance(node, ast.Call)
        return self.called(node)

    def called(self, node: ast.Call) -> str:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id  # type: ignore[attr-defined]
        if name == "call_piece":
            piece = self.pieces[node.args[0].id]  # type: ignore[attr-defined]
            return f"{piece}({', '.join(self.value(a) for a in node.args[1:])})"
        values = [self.value(a) for a in node.args if getattr(a, "id", "") not in self.pieces]
        if name == "advanced":
            return f"({values[0]} + {values[1]})"
        if name == "int":
            return f"((long long)({values[0]}))"
        if name == "isnan":
            return f"isnan({values[0]})"
        renamed = {"abs": "fabs", "min": "fmin", "max": "fmax"}.get(name, name)
        return f"{renamed}({', '.join(values)})"
