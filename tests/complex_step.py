"""Derivatives of the whole residual by complex steps: kernels as plain Python with complex states. Run with NUMBA_DISABLE_JIT=1.

Prints, as JSON, how far exact stiffness and damping are off for every registered type whose kernels pass complex numbers through, and the
names of the others.
"""

from __future__ import annotations

import json
import math
import sys
import types
import warnings

import numpy as np

from pytrammel.kernels import balance, dynamics
from pytrammel.testing.samples import moving_sample
from pytrammel.testing.slopes import State
from registry_samples import TYPES

H = 1e-40  # without cancellation any tiny step is exact to rounding


class Instead(types.SimpleNamespace):
    """A module with some functions replaced."""

    def __getattr__(self, name):
        return getattr(self.module, name)


def either(name):
    own, usual = getattr(np, name), getattr(math, name)
    return lambda x: own(x) if isinstance(x, complex) else usual(x)


def arctangent(b, a):
    if not isinstance(b, complex) and not isinstance(a, complex):
        return math.atan2(b, a)
    square = a.real**2 + b.real**2
    return complex(math.atan2(b.real, a.real), (a.real * b.imag - b.real * a.imag) / square)


def size_of(x):
    """The size of a real number that may carry an imaginary step."""
    if not isinstance(x, complex):
        return abs(x)
    return x if x.real >= 0.0 else -x


COMPLEX_MATH = Instead(
    module=math, atan2=arctangent, hypot=lambda *x: np.sqrt(sum(y * y for y in x)),
    floor=lambda x: math.floor(x.real),  # whole turns do not change with small motions
    **{name: either(name) for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "sinh", "cosh", "tanh", "isnan", "isfinite")},
)  # fmt: skip


def moved(system, q, step):
    """Position after an imaginary small motion, to first order."""
    out = q.astype(complex)
    if system.per_body == 3:
        out[: step.size] += 1j * step
        return out
    bodies = len(system.model.bodies) - 1
    for b in range(bodies):
        place, turn = step[6 * b : 6 * b + 3], step[6 * b + 3 : 6 * b + 6]
        scalar, vector = q[7 * b + 3], q[7 * b + 4 : 7 * b + 7]
        out[7 * b : 7 * b + 3] += 1j * place
        out[7 * b + 3 : 7 * b + 7] += 0.5j * np.append(-vector @ turn, scalar * turn + np.cross(vector, turn))
    out[7 * bodies : 7 * bodies + len(system.extras)] += 1j * step[6 * bodies :]
    return out


def slopes(state, along_q, along_v):
    system, n = state.system, state.system.n_columns
    columns = []
    for e in H * np.eye(n):
        left, rates = np.zeros(n, dtype=complex), np.zeros(state.z.size, dtype=complex)
        q, v = moved(system, state.q, along_q * e), state.v + 1j * along_v * e
        z = state.z.astype(complex)
        balance.balance_run(
            system.ints, system.floats, state.pattern, state.t, q, v, z, state.a, state.lam, left, rates
        )
        columns.append(left.imag / H)
    return np.array(columns).T


def off(found, true):
    return float(np.abs(found - true).max(initial=0.0) / max(1.0, np.abs(true).max(initial=0.0)))


if __name__ == "__main__":
    states = {str(kind): State(moving_sample(kind, 0)[0]) for kind in TYPES}
    exact = {name: (state.terms().stiffness, state.terms().damping) for name, state in states.items()}
    for name, module in list(sys.modules.items()):
        if name.startswith("pytrammel.kernels") and getattr(module, "math", None) is math:
            module.math = COMPLEX_MATH
        if name.startswith("pytrammel.kernels"):
            module.abs = size_of
    dynamics.np = Instead(module=np, zeros=lambda size: np.zeros(size, dtype=complex))
    found, others = {}, {}
    warnings.simplefilter("error")  # a complex number made real
    for name, state in states.items():
        try:
            found[name] = [off(exact[name][0], slopes(state, 1.0, 0.0)), off(exact[name][1], slopes(state, 0.0, 1.0))]
        except (TypeError, np.exceptions.ComplexWarning) as error:
            others[name] = str(error)
    print(json.dumps({"found": found, "others": others}))
