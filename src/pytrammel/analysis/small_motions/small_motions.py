"""Small motions about a position of rest: M x'' + C x' + K x = 0, its modes, and how well its matrices are known.

K need not be symmetric: follower and circulatory forces make it so, and then stability cannot be read off an energy. What counts are
the eigenvalues s of (M s² + C s + K) x = 0: divergence is a real one that grows, flutter a complex one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
REPEATED = 1e-6  # relative distance of eigenvalues that share their shapes

NOTHING = 1e-11  # stiffness and damping this small against the largest cannot be told from none
MASSLESS = 1e-12  # likewise mass
DOUBLE = (
    1e-6  # difference of two eigenvalues with one eigenvector, as a fraction of the largest, below which they are one
)
PARALLEL = 1e-7  # 1 - |cosine| of two eigenvectors that are one to rounding
LEVEL = 1e-8  # share of its size by which an eigenvalue must lie off an axis to count as lying off it


@dataclass(frozen=True)
class Mode:
    """A mode of small motions, x(t) = Re(x e^(s t)).

    Attributes:
        eigenvalue: s [1/s], imaginary part not negative; infinite for an unstable direction without mass.
        kind: "oscillation", "decay", "neutral", "divergence" (grows without oscillating) or "flutter" (grows oscillating).
        shape: x along all columns, complex, the largest entry 1 in size; None where it is not known.
    """

    eigenvalue: complex
    kind: str
    shape: Complex | None = field(default=None, compare=False, repr=False)

    @property
    def frequency(self) -> float:
        """Natural frequency |s| [rad/s]; 0 for a mode that does not oscillate."""
        return abs(self.eigenvalue) if self.kind in ("oscillation", "flutter") else 0.0

    @property
    def damping_ratio(self) -> float:
        """-Re s / |s|: 1 for a mode that decays without oscillating, negative for one that grows."""
        size = abs(self.eigenvalue)
        if self.kind == "neutral":
            return 0.0
        return -1.0 if math.isinf(size) else -self.eigenvalue.real / size

    @property
    def growth(self) -> float:
        """Re s [1/s]: how fast it grows, or decays if negative."""
        return self.eigenvalue.real

    def __str__(self) -> str:
        hertz = self.frequency / (2.0 * math.pi)
        if self.kind == "divergence":
            return f"unstable mode (divergence), grows with {self.growth:.6g} 1/s"
        if self.kind == "flutter":
            return f"unstable mode (flutter) of {hertz:.6g} Hz, grows with {self.growth:.6g} 1/s"
        if self.kind == "decay":
            return f"decays with {-self.growth:.6g} 1/s"
        if self.kind == "neutral":
            return "neutral: nothing resists and nothing pushes"
        damping = f", damping ratio {self.damping_ratio:.4g}" if self.growth else ""
        return f"natural frequency {hertz:.6g} Hz{damping}"


# --- modes -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pencil:
    """Matrices of small motions about a position of rest, in any coordinates.

    Attributes:
        mass, damping, stiffness: M, C, K, square; M symmetric, singular where something has no mass.
        error: Of entries of the stiffness.
        damping_error: Of entries of the damping.
    """

    mass: Array
    damping: Array
    stiffness: Array
    error: float = 0.0
    damping_error: float = 0.0

    @property
    def damped(self) -> bool:
        limit = max(10.0 * self.damping_error, NOTHING * math.sqrt(_size(self.stiffness) * _size(self.mass)))
        return _size(self.damping) > limit

    @property
    def symmetric(self) -> bool:
        return _size(self.stiffness - self.stiffness.T) <= max(100.0 * self.error, 1e-8 * _size(self.stiffness))

    def stiffnesses(self) -> tuple[NDArray[np.generic], int]:
        """Eigenvalues of the stiffness, ascending in their real parts, and how many directions have none."""
        K = self.stiffness
        if not K.size:
            return np.zeros(0), 0
        values = np.linalg.eigvalsh(0.5 * (K + K.T)) if self.symmetric else np.sort_complex(np.linalg.eigvals(K))
        sizes = np.linalg.svd(K, compute_uv=False)
        return values, int((sizes <= max(100.0 * self.error, NOTHING * sizes[0])).sum())

    def undamped(self) -> tuple[Complex, list[Mode]]:
        """Squares of the natural frequencies, damping left out, and what becomes of directions without mass."""
        T, idle = self._normal()
        K, lost = self._condensed(T, idle)
        if not K.size:
            return np.zeros(0, dtype=complex), lost
        scale = float(np.abs(T).max()) ** 2 if T.size else 1.0
        error = max(100.0 * self.error * scale, NOTHING * _size(K))
        if self.symmetric:
            squares = np.linalg.eigvalsh(0.5 * (K + K.T)).astype(complex)
        else:
            squares = np.linalg.eigvals(K).astype(complex)
        squares[np.abs(squares) <= error] = 0.0
        real = np.abs(squares.imag) <= np.maximum(10.0 * LEVEL * np.abs(squares), error)
        squares[real] = squares[real].real
        return np.sort_complex(squares), lost

    def modes(self) -> tuple[Mode, ...]:
        """All modes, growing ones first, then by frequency."""
        found = self._damped_modes() if self.damped else self._undamped_modes()
        return tuple(sorted(found, key=lambda m: (-max(m.growth, 0.0), abs(m.eigenvalue), m.eigenvalue.real)))

    def _undamped_modes(self) -> list[Mode]:
        squares, modes = self.undamped()
        for square in squares:
            s = np.sqrt(-square)
            if square == 0.0:
                modes.append(Mode(0j, "neutral"))
            elif square.imag == 0.0:
                grows = square.real < 0.0
                modes.append(
                    Mode(complex(abs(s)), "divergence") if grows else Mode(complex(0.0, abs(s)), "oscillation")
                )
            else:
                # a conjugate pair stands for s = ±a ± ib: one mode that grows and one that decays
                grows = square.imag > 0.0
                rate = abs(s.real) if grows else -abs(s.real)
                modes.append(Mode(complex(rate, abs(s.imag)), "flutter" if grows else "oscillation"))
        return modes

    def _damped_modes(self) -> list[Mode]:
        T, idle = self._normal()
        C = T.T @ self.damping @ T
        loose = self.damping @ idle if idle.size else np.zeros((0, 0))
        quiet = max(10.0 * self.damping_error, NOTHING * _size(self.damping))
        if _size(loose) <= quiet and (not idle.size or _size(idle.T @ self.damping) <= quiet):
            K, modes = self._condensed(T, idle)
            n = len(K)
            values, vectors = np.linalg.eig(np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]]))
        else:
            K, modes = T.T @ self.stiffness @ T, []
            values, vectors = self._first_order(T, idle)
        scale = float(np.abs(T).max(initial=0.0)) ** 2
        return modes + _classified(values, vectors, K, 100.0 * self.error * scale, 100.0 * self.damping_error * scale)

    def _normal(self) -> tuple[Array, Array]:
        """Directions normalised to mass one, and those without mass."""
        if not self.mass.size:
            return self.mass, self.mass
        masses, axes = np.linalg.eigh(0.5 * (self.mass + self.mass.T))
        keep = masses > MASSLESS * max(1e-300, float(masses.max()))
        return np.ascontiguousarray(axes[:, keep]) / np.sqrt(masses[keep]), axes[:, ~keep]

    def _condensed(self, T: Array, idle: Array) -> tuple[Array, list[Mode]]:
        """Stiffness of the directions with mass when the others follow in balance; those that would run away are modes."""
        K = T.T @ self.stiffness @ T
        if not idle.size:
            return K, []
        own = idle.T @ self.stiffness @ idle
        limit = max(100.0 * self.error, NOTHING * _size(self.stiffness))
        follow = np.linalg.pinv(own, rcond=min(1.0, limit / max(_size(own), 1e-300)))
        K = K - (T.T @ self.stiffness @ idle) @ follow @ (idle.T @ self.stiffness @ T)
        runs = np.linalg.eigvals(own).real < -limit
        return K, [Mode(complex(math.inf), "divergence") for _ in range(int(runs.sum()))]

    def _first_order(self, T: Array, idle: Array) -> tuple[Complex, Complex]:
        """Eigenvalues and eigenvectors when directions without mass are damped: x1' = v1, v1' ..., C00 x0' = ... without infinite ones."""
        K, C = self.stiffness, self.damping
        n, k = T.shape[1], idle.shape[1]
        A = np.block(
            [
                [np.zeros((n, n)), np.eye(n), np.zeros((n, k))],
                [-T.T @ K @ T, -T.T @ C @ T, -T.T @ K @ idle],
                [-idle.T @ K @ T, -idle.T @ C @ T, -idle.T @ K @ idle],
            ]
        )
        B = np.eye(2 * n + k)
        B[n : 2 * n, 2 * n :], B[2 * n :, 2 * n :] = T.T @ C @ idle, idle.T @ C @ idle
        (above, below), vectors = eig(A, B, homogeneous_eigvals=True)
        finite = np.abs(below) > 1e-12 * np.abs(above)
        return np.asarray(above[finite] / below[finite], dtype=complex), np.asarray(vectors[:, finite], dtype=complex)


def with_shapes(pencil: Pencil) -> tuple[Mode, ...]:
    """Modes of a pencil with their shapes in its coordinates: what M s² + C s + K takes to nothing.

    Modes with one eigenvalue get shapes across each other.
    """
    modes = pencil.modes()
    size = max((abs(m.eigenvalue) for m in modes if math.isfinite(abs(m.eigenvalue))), default=0.0)
    damping = pencil.damping if pencil.damped else np.zeros_like(pencil.damping)
    out: list[Mode] = []
    for mode in modes:
        if not math.isfinite(abs(mode.eigenvalue)):
            out.append(mode)
            continue
        alike = [m for m in out if abs(m.eigenvalue - mode.eigenvalue) <= REPEATED * size]
        # one value for all, so that one decomposition yields all their directions
        s = (alike or [mode])[0].eigenvalue
        parts = pencil.mass * s * s, damping * s, pencil.stiffness
        directions = np.linalg.svd(sum(parts))[2].conj()[::-1]
        x = directions[min(len(alike), len(directions) - 1)]
        if _size(sum(parts) @ x) > REPEATED * sum(_size(part @ x) for part in parts):
            x = directions[0]  # eigenvalues at a critical damping share one shape
        out.append(replace(mode, shape=_unit(x)))
    return tuple(out)


def first_order_modes(A: Array, positions: int) -> tuple[Mode, ...]:
    """Modes of x' = A x whose first entries are coordinates: for rolling and for forces with states of their own."""
    values, vectors = np.linalg.eig(A) if A.size else (np.zeros(0), np.zeros((0, 0)))
    size = float(np.abs(values).max(initial=0.0))
    modes = []
    for s, x in zip(values, vectors.T, strict=True):
        # a chain of zeros of length k shows as eigenvalues of the size of rounding to the power 1/k
        if abs(s) <= math.sqrt(NOTHING) * size:
            modes.append(Mode(0j, "neutral", _unit(x[:positions].astype(complex))))
        elif abs(s.imag) <= LEVEL * abs(s):
            kind = "divergence" if s.real > 0.0 else "decay"
            modes.append(Mode(complex(s.real), kind, _unit(x[:positions].astype(complex))))
        elif s.imag > 0.0:
            growth = 0.0 if abs(s.real) <= LEVEL * abs(s) else float(s.real)
            kind = "flutter" if growth > 0.0 else "oscillation"
            modes.append(Mode(complex(growth, s.imag), kind, _unit(x[:positions])))
    return tuple(sorted(modes, key=lambda m: (-max(m.growth, 0.0), abs(m.eigenvalue), m.eigenvalue.real)))


def _unit(x: Complex) -> Complex:
    """The same shape with its largest entry equal to one."""
    largest = x[int(np.argmax(np.abs(x)))] if x.size else 1.0
    return np.asarray(x / largest if largest else x, dtype=complex)


def _classified(values: Complex, vectors: Complex, K: Array, error: float, damping_error: float) -> list[Mode]:
    """Modes from all eigenvalues of a damped system and their eigenvectors."""
    order = np.argsort(np.abs(values))
    values, vectors = values[order], vectors[:, order]
    parallel = np.abs(vectors.conj().T @ vectors) >= (1.0 - PARALLEL) * np.linalg.norm(vectors, axis=0) ** 2
    largest = float(np.abs(values).max(initial=0.0))
    sizes = np.linalg.svd(K, compute_uv=False) if K.size else np.zeros(0)
    zero = max(error, NOTHING * float(sizes.max(initial=0.0)))
    free = int((sizes <= zero).sum())
    modes = []
    for k, s in enumerate(values):
        # a direction without stiffness has s = 0 once, and twice if nothing damps it
        if k < free:
            modes.append(Mode(0j, "neutral"))
        if k < free or (k < 2 * free and abs(s) <= math.sqrt(zero)):
            continue
        # a double eigenvalue with one eigenvector splits by the root of rounding, evenly to both sides
        s = values[(np.abs(values - s) <= DOUBLE * largest) & parallel[:, k]].mean()
        doubt = LEVEL * abs(s) + damping_error + error / max(abs(s), 1e-300) + 1e-13 * largest
        if abs(s.imag) <= doubt:
            modes.append(Mode(complex(s.real), "divergence" if s.real > doubt else "decay"))
        elif s.imag > 0.0:
            growth = 0.0 if abs(s.real) <= doubt else s.real
            modes.append(Mode(complex(growth, s.imag), "flutter" if growth > 0.0 else "oscillation"))
    return modes


def _size(matrix: Array) -> float:
    return float(np.abs(matrix).max(initial=0.0))
