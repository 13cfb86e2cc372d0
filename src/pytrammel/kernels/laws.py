"""Force laws given as Python functions: compiled if Numba can, else called back, and never silent about what they raise.

An exception cannot cross a kernel. A law that raises leaves NaN behind its arguments, which ends the step, and remembers what
was raised and where, so that the analysis can say so.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pytrammel._util.progress import interruptible
from pytrammel.kernels import jit

if jit.HAVE_JIT:
    import numba
    from llvmlite import ir
    from numba import types as nb_types
    from numba.extending import intrinsic

    @intrinsic
    def put_number(typingctx, address, place, value):
        """Write a number to a place in memory of which compiled code knows only the address."""
        signature = nb_types.void(address, place, value)

        def codegen(context, builder, sig, args):
            base = builder.inttoptr(args[0], ir.DoubleType().as_pointer())
            builder.store(args[2], builder.gep(base, [args[1]]))
            return context.get_dummy_value()

        return signature, codegen


class Law:
    """A user's function of scalars, callable from kernels by address: ``law(x)`` writes its value to ``x[n_arguments]``.

    Compiled if Numba can; otherwise called back in Python, which is slow and said so.

    Attributes:
        address: What kernels call.
        compiled: Whether it was compiled.
        name: Force that the law belongs to.
    """

    called = "the law"
    blamed = "the law of"

    def __init__(self, function: Callable[..., float], names: Sequence[str], name: str) -> None:
        self.name = name
        self.compiled = False
        self._function = function
        self._names = tuple(names)
        self._error: BaseException | None = None
        self._raised_at = np.full(
            len(self._names) + 1, math.nan
        )  # arguments with which it raised last; then 1 if it did
        if not jit.HAVE_JIT:
            jit.python_laws.append(self._write_value)
            self.address = len(jit.python_laws) - 1
            return
        try:
            self._keep = interruptible(self._compile)
            self.address = int(self._keep.address)
            self.compiled = True
        except Exception as reason:  # whatever Numba cannot compile, Python can still run
            import ctypes

            brief = str(reason).strip().splitlines()[0] if str(reason).strip() else type(reason).__name__
            print(
                f"pytrammel: {self.called} {name!r} cannot be compiled ({brief[:90]}); it is called back in Python at every "
                "evaluation, which is slow.",
                file=sys.stderr,
            )
            self._keep = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double))(self._write_value)
            self.address = int(ctypes.cast(self._keep, ctypes.c_void_p).value or 0)
            jit.expect_callbacks()

    def _compile(self) -> Any:
        inner = numba.njit(error_model="numpy")(self._function)
        count = len(self._names)
        call = f"float(inner({', '.join(f'x[{k}]' for k in range(count))}))"
        remember = "".join(f"        put_number(at, {k}, x[{k}])\n" for k in range(count))
        lines = (
            f"def law(x):\n    try:\n        x[{count}] = {call}\n    except Exception:\n"
            f"{remember}        put_number(at, {count}, 1.0)\n        x[{count}] = nan\n"
        )
        scope: dict[str, Any] = {
            "inner": inner,
            "nan": math.nan,
            "put_number": put_number,
            "at": self._raised_at.ctypes.data,
        }
        exec(lines, scope)  # our own text: only the number of arguments varies
        return numba.cfunc(nb_types.void(jit.FLOATS), error_model="numpy")(scope["law"])

    def _write_value(self, x: Any) -> None:
        """Call the Python function with the numbers in `x`; NaN stays behind them if it raises."""
        count = len(self._names)
        if jit.raised.error is not None or not (self._error is None or isinstance(self._error, Exception)):
            return  # the user wants to stop, or the law does: end the kernel as soon as possible
        arguments = [x[k] for k in range(count)]
        try:
            x[count] = float(self._function(*arguments))
        except KeyboardInterrupt as error:
            if not jit.HAVE_JIT:
                raise
            jit.raised.error = error
        except BaseException as error:
            self._error = error
            self._raised_at[:] = [*arguments, 1.0]

    @property
    def error(self) -> BaseException | None:
        """What the law raised last, or None."""
        if self._error is None and self._raised_at[-1] == 1.0:
            # compiled code cannot hand its exception over: raise it again in Python
            try:
                self._again()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._error = error
        return self._error

    def _again(self) -> None:
        self._function(*(float(x) for x in self._raised_at[:-1]))

    def forget(self) -> None:
        """Start anew: what it raised so far did no harm."""
        self._error = None
        self._raised_at[-1] = math.nan

    def complaint(self) -> str:
        """A part of a sentence about what the law raised, with its arguments; empty if it did not."""
        if self.error is None and self._raised_at[-1] != 1.0:
            return ""
        at = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self._names, self._raised_at[:-1], strict=True))
        where = f" (at {at})" if at else ""
        if self.error is None:
            return f"{self.blamed} {self.name!r} raised an exception{where}"
        return f"{self.blamed} {self.name!r} raised {type(self.error).__name__}: {self.error}{where}"


class Rates(Law):
    """A user's function f(t, y) of time and state, callable from kernels: ``f(x)`` with t and y in x writes the rates behind them.

    Attributes:
        alone: The state is one number, and the function takes and gives a number.
    """

    called = blamed = "the function"

    def __init__(
        self, function: Callable[..., Any], states: Sequence[str], name: str, *, alone: bool, whole: bool
    ) -> None:
        self.alone = alone
        self._whole = whole  # it gives an array, not a tuple of numbers of several kinds
        super().__init__(function, ("t", *states), name)

    @property
    def _count(self) -> int:
        return len(self._names) - 1

    def rates(self, t: float, y: Any) -> Any:
        """What the function gives in Python, as an array."""
        out = np.asarray(self._function(t, float(y[0]) if self.alone else np.array(y, dtype=float)))
        if out.dtype.kind not in "fiu":
            raise TypeError(f"it gives {out.dtype} values, not numbers")
        if out.size != self._count or out.ndim > 1:
            raise ValueError(f"it gives {out.size} rates for {self._count} states")
        return out.reshape(self._count)

    def _again(self) -> None:
        self.rates(float(self._raised_at[0]), self._raised_at[1:-1].copy())

    def _compile(self) -> Any:
        inner = numba.njit(error_model="numpy")(self._function)
        n = self._count
        call = "inner(a[0], a[1])" if self.alone else f"inner(a[0], a[1:{n + 1}])"
        lines = ["def law(x):", f"    a = carray(x, ({2 * n + 1},))", "    try:", f"        out = {call}"]
        if self.alone:
            lines += ["        a[2] = out"]
        elif self._whole:
            lines += [f"        if len(out) != {n}:", "            raise ValueError"]
            lines += [f"        for k in range({n}):", f"            a[{n + 1} + k] = out[k]"]
        else:
            lines += [f"        a[{n + 1 + k}] = out[{k}]" for k in range(n)]
        lines += ["    except Exception:", f"        for k in range({n + 1}):", "            put_number(at, k, a[k])"]
        lines += [
            f"        put_number(at, {n + 1}, 1.0)",
            f"        for k in range({n}):",
            f"            a[{n + 1} + k] = nan",
        ]
        scope: dict[str, Any] = {
            "inner": inner,
            "nan": math.nan,
            "carray": numba.carray,
            "put_number": put_number,
            "at": self._raised_at.ctypes.data,
        }
        exec("\n".join(lines), scope)  # our own text: only numbers vary
        return numba.cfunc(nb_types.void(jit.FLOATS), error_model="numpy")(scope["law"])

    def _write_value(self, x: Any) -> None:
        n = self._count
        arguments = [x[k] for k in range(n + 1)]
        for k in range(n):
            x[n + 1 + k] = math.nan
        if jit.raised.error is not None or not (self._error is None or isinstance(self._error, Exception)):
            return  # the user wants to stop, or the function does: end the kernel as soon as possible
        try:
            for k, value in enumerate(self.rates(arguments[0], arguments[1:])):
                x[n + 1 + k] = float(value)
        except KeyboardInterrupt as error:
            if not jit.HAVE_JIT:
                raise
            jit.raised.error = error
        except BaseException as error:
            self._error = error
            self._raised_at[:] = [*arguments, 1.0]
