"""Many variants of one structure at once, on this processor or on a graphics card.

Constants that are the same for all variants are written into the kernels, the others handed over: variant by variant they lie side by
side, so that neighbouring threads of a card read neighbouring numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.structure import gpu, pieces
from pytrammel.kernels.structure.as_llvm import MachineCode
from pytrammel.kernels.structure.constants import Structure
from pytrammel.kernels.structure.drivers import N_REDUCED
from pytrammel.kernels.structure.piece import Piece, Wanted, make_keeper, make_piece
from pytrammel.kernels.structure.variants import follow_many, integrate_many

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


def why_not_straight(ints: Ints) -> str:
    """What of a structure straight kernels leave to general ones; "" if nothing."""
    if ints[L.N_STATES]:
        return "inner states"
    if ints[L.N_REACTIONS]:
        return "forces that depend on reactions"
    return "parts without mass" if ints[L.HAS_MASSLESS] else ""


@dataclass(frozen=True)
class Kept:
    """What is left of the variants.

    Attributes:
        values: Numbers (variants × instants × kept), or (variants × kept × `N_REDUCED`) where series were reduced.
        status: Per variant, 0 where all went well (`drivers`).
    """

    values: Array
    status: Ints


@dataclass(frozen=True)
class Variants:
    """Constants (variants × constants) of the motion and of what is measured, and starting values (variants × numbers)."""

    floats: Array
    start: Array
    measured: Array | None = None


class Many:
    """Straight kernels of one structure.

    Args:
        motion: The system.
        pattern: Its elimination pattern, rows in use.
        wanted: What is kept of every instant.
        measured: A system of measured quantities, where some are wanted.
        device: "cpu" or "gpu".
    """

    def __init__(
        self, motion: Structure, pattern: Ints, wanted: Sequence[Wanted], measured: Structure | None = None, device: str = "cpu"
    ) -> None:  # fmt: skip
        self.motion, self.pattern, self.measured, self.wanted = motion, pattern, measured, tuple(wanted)
        self.device = device
        self.n_q, self.n = int(motion.ints[L.N_COORDINATES]), int(motion.ints[L.N_COLUMNS])
        self.n_place = self.n_q + 2 * self.n
        self.n_kept = len(self.wanted)
        self._code: dict[tuple[str, ...], MachineCode] = {}

    def _piece(self, function: Any, n_inputs: int, outputs: Sequence[int]) -> Piece:
        motion = self.motion
        return make_piece(function, motion.ints, motion.floats, motion.varying, self.pattern, n_inputs, outputs)

    @cached_property
    def _keep(self) -> Piece:
        own = self.measured
        if own is None:
            return make_keeper(self.wanted, self.n_place)
        return make_keeper(self.wanted, self.n_place, own.ints, own.floats, own.varying)

    @cached_property
    def following(self) -> dict[str, Piece]:
        """Pieces of kinematics, by the arguments of the driver."""
        n = self.n_place
        return {
            "CORRECT": self._piece(pieces.piece_correct, n, [n]),
            "INSTANT": self._piece(pieces.piece_instant, n, [n]),
            "AHEAD": self._piece(pieces.piece_ahead, n, [n]),
            "GOES_ON": self._piece(pieces.piece_goes_on, 2 * n, [1]),
            "KEEP": self._keep,
        }

    @cached_property
    def moving(self) -> dict[str, Piece]:
        """Pieces of dynamics, by the arguments of the driver."""
        n = self.n_q + self.n
        return {
            "RATES": self._piece(pieces.piece_motion, n, [n]),
            "PROJECT": self._piece(pieces.piece_project, n, [n]),
            "NORM": self._piece(pieces.piece_norm, 2 + 3 * n, [1]),
            "KEEP": self._keep,
        }

    def follow(self, variants: Variants, times: Array, shares: Array, *, reduced: bool = False) -> Kept:
        """Kinematics; the variants start with q."""
        if self.device == "gpu":
            return self._on_card("follow", self._follow_source, variants, times, shares, (), reduced)
        prepare(["follow_many"])
        addresses = self._addresses(self.following)
        F, M, y = self._inputs(variants)
        return self._here(
            variants, times, reduced,
            lambda first, last, kept, status: follow_many(
                addresses, first, last, times, shares, F, M, y, self.n_place, float(reduced), self.n_kept, kept, status
            ),
        )  # fmt: skip

    def integrate(
        self, variants: Variants, times: Array, shares: Array, tableau: Array, weights: Array, options: Array, *, reduced: bool = False
    ) -> Kept:  # fmt: skip
        """Motions; the variants start with q and v. options: stages, order, relative and absolute tolerance."""
        if self.device == "gpu":
            source = self._integrate_source(int(options[0]))
            more = (tableau, weights, *options[1:].tolist())
            return self._on_card("integrate", source, variants, times, shares, more, reduced)
        prepare(["integrate_many"])
        addresses = self._addresses(self.moving)
        F, M, y = self._inputs(variants)
        return self._here(
            variants, times, reduced,
            lambda first, last, kept, status: integrate_many(
                addresses, first, last, times, shares, F, M, y, self.n_q, tableau, weights, options, float(reduced), self.n_kept,
                kept, status,
            ),
        )  # fmt: skip

    def _inputs(self, variants: Variants) -> tuple[Array, Array, Array]:
        F = self.motion.by_variant(variants.floats)
        M = F if self.measured is None or variants.measured is None else self.measured.by_variant(variants.measured)
        return F, M, np.ascontiguousarray(variants.start.T)

    def _kept(self, kept: Array, status: Ints, instants: int, reduced: bool) -> Kept:
        shape = (self.n_kept, N_REDUCED) if reduced else (instants, self.n_kept)
        return Kept(kept.reshape(-1, *shape), status)

    # --- this processor ---------------------------------------------------------------------------------------------

    def _addresses(self, used: dict[str, Piece]) -> Ints:
        if tuple(used) not in self._code:
            self._code[tuple(used)] = MachineCode(*used.values())
        return np.array(self._code[tuple(used)].addresses, dtype=np.int64)

    def _here(self, variants: Variants, times: Array, reduced: bool, run: Callable[..., None]) -> Kept:
        count = len(variants.start)
        kept = np.full((count, (N_REDUCED if reduced else times.size) * self.n_kept), np.nan)
        status = np.zeros(count, dtype=np.int64)
        run(0, count, kept, status)
        return self._kept(kept, status, times.size, reduced)

    # --- a graphics card --------------------------------------------------------------------------------------------

    @cached_property
    def _follow_source(self) -> str:
        return gpu.follow_source(self.following, self.n_place, self.n_q, self.n_kept)

    @cache
    def _integrate_source(self, stages: int) -> str:
        return gpu.integrate_source(self.moving, self.n_q + self.n, self.n_q, stages, self.n_kept)

    def _on_card(
        self,
        name: str,
        source: str,
        variants: Variants,
        times: Array,
        shares: Array,
        more: tuple[Any, ...],
        reduced: bool,
    ) -> Kept:
        rows = (N_REDUCED if reduced else times.size) * self.n_kept
        kept, status = gpu.launch(
            name, source, times, shares, *self._inputs(variants), more, reduced, rows, self.n_kept
        )
        return self._kept(kept.T, status, times.size, reduced)
