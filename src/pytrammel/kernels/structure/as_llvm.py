"""Pieces as machine code of this processor."""

from __future__ import annotations

import contextlib
import hashlib
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from pytrammel.kernels import jit
from pytrammel.kernels.structure.graph import Block, Open, Step
from pytrammel.kernels.structure.piece import Piece

_NUMBER, _PLACE = ir.DoubleType(), ir.IntType(64)
# sine and cosine of one angle are found together
_INTRINSICS = {name: f"llvm.{name}" for name in ("sqrt", "fabs", "floor", "copysign", "sin", "cos")}
PREFIX, MOST_KEPT = "straight-", 300  # files on disk


class _Writer:
    """Writes one piece into a module."""

    def __init__(self, piece: Piece, module: ir.Module, in_place: bool) -> None:
        self.piece, self.module = piece, module
        pointer = ir.PointerType(_NUMBER)
        self.function = ir.Function(
            self.module, ir.FunctionType(ir.VoidType(), [_NUMBER, pointer, _PLACE, pointer, pointer]), piece.name
        )
        self.t, self.F, self.stride, self.x, self.out = self.function.args
        self.place_of = {k: k if in_place else j for j, k in enumerate(piece.varying)}
        self.made: dict[int, Any] = {}
        self.builder = ir.IRBuilder(self.function.append_basic_block())

    def write(self) -> None:
        self.block(self.piece.block)
        in_order = [("out", k) for k in range(len(self.piece.outputs))]
        for (name, k), value in zip(self.piece.places or in_order, self.piece.outputs, strict=True):
            self.builder.store(self.of(value), self.builder.gep(self.out if name == "out" else self.x, [_PLACE(k)]))
        self.builder.ret_void()

    def of(self, value: Any, truth: bool = False) -> Any:
        if isinstance(value, Open):
            return self.made[value.number]
        return ir.IntType(1)(int(value)) if truth else _NUMBER(float(value))

    def block(self, block: Block) -> None:
        for step in block.steps:
            if isinstance(step, Step):
                self.made[step.result.number] = self.step(step)
                continue
            with self.builder.if_else(self.made[step.condition.number]) as (yes, no):
                ends = []
                for side, inner, which in ((yes, step.yes, 1), (no, step.no, 2)):
                    with side:
                        self.block(inner)
                        ends.append((self.builder.block, [self.of(r[which], r[0].truth) for r in step.results]))
            for k, (result, *_) in enumerate(step.results):
                joined = self.builder.phi(ir.IntType(1) if result.truth else _NUMBER)
                for end, values in ends:
                    joined.add_incoming(values[k], end)
                self.made[result.number] = joined

    def step(self, step: Step) -> Any:
        b, op = self.builder, step.op
        if op == "input":
            name, k = step.arguments
            if name == "t":
                return self.t
            if name == "F":
                return b.load(b.gep(self.F, [b.mul(self.stride, _PLACE(self.place_of[k]))]))
            return b.load(b.gep(self.out if name == "out" else self.x, [_PLACE(k)]))
        if op in ("and", "or", "not", "select"):
            truths = [self.of(a, True) for a in step.arguments[: 1 if op == "select" else None]]
            if op == "select":
                return b.select(truths[0], *(self.of(a, step.result.truth) for a in step.arguments[1:]))
            return b.not_(truths[0]) if op == "not" else (b.and_ if op == "and" else b.or_)(*truths)
        values = [self.of(a) for a in step.arguments]
        if op in ("+", "-", "*", "/"):
            return {"+": b.fadd, "-": b.fsub, "*": b.fmul, "/": b.fdiv}[op](*values)
        if op == "neg":
            return b.fneg(values[0])
        if op in ("<", "<=", ">", ">=", "=="):
            return b.fcmp_ordered(op, *values)
        if op == "!=":
            return b.fcmp_unordered(op, *values)
        if op in ("fmin", "fmax"):
            # as Python's min and max: the first, unless the second is smaller (larger)
            return b.select(b.fcmp_ordered("<" if op == "fmin" else ">", values[1], values[0]), values[1], values[0])
        kind = ir.FunctionType(_NUMBER, [_NUMBER] * len(values))
        called = self.module.globals.get(_INTRINSICS.get(op, op))
        if called is None:
            name = f"{_INTRINSICS[op]}.f64" if op in _INTRINSICS else op
            called = self.module.globals.get(name) or ir.Function(self.module, kind, name)
        return b.call(called, values)


class MachineCode:
    """Compiled pieces; their addresses are good as long as it lives.

    What was compiled is kept on disk beside the other kernels, under a name that follows from what is computed and for which processor.

    Args:
        pieces: What is computed.
        in_place: Varying constants are read from where they stand among all constants of a model, not one behind the other.
        soon: Choose instructions the short way: of tens of thousands of operations in a row the code is as fast, and ten times sooner.
    """

    def __init__(self, *pieces: Piece, in_place: bool = False, soon: bool = False) -> None:
        module = ir.Module("straight")
        for piece in pieces:
            _Writer(piece, module, in_place).write()
        machine = _machine(0 if soon else 3)
        said = (
            str(module),
            soon,
            machine.triple,
            llvm.get_host_cpu_name(),
            llvm.get_host_cpu_features().flatten(),
            llvm.llvm_version_info,
        )
        self._file = f"{PREFIX}{hashlib.sha256(repr(said).encode()).hexdigest()[:24]}.kernel"
        found = jit.store().read(self._file)
        if found is None:
            code = llvm.parse_assembly(str(module))
            builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
            builder.getModulePassManager().run(code, builder)
            found = machine.emit_object(code)
            self._keep(found)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(found))
        self._engine.finalize_object()
        self.addresses = tuple(int(self._engine.get_function_address(piece.name)) for piece in pieces)

    def _keep(self, found: bytes) -> None:
        store = jit.store()
        store.write(self._file, found)
        if store.folder is not None:
            with contextlib.suppress(OSError):  # another process may tidy up as well
                files = sorted(store.folder.glob(f"{PREFIX}*"), key=lambda file: file.stat().st_mtime)
                for file in files[:-MOST_KEPT]:
                    file.unlink()

    @property
    def address(self) -> int:
        """Of the only piece."""
        (found,) = self.addresses
        return found


def _machine(effort: int) -> Any:
    """A description of this processor, which belongs to whoever compiles with it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=effort
    )
