"""An atlas of coupler curves, after Hrones and Nelson: computed once, kept in the user's cache folder, searched by shape."""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from pytrammel._util.atomic_write import whole_file
from pytrammel._util.checks import checked, checked_bool
from pytrammel._util.messages import brief, in_sentences, short
from pytrammel._util.progress import Progress
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, numbers, places, whole_number
from pytrammel.design.synthesis.atlas.grid import ACROSS, ALONG, OFFSETS, RATIOS, Grid
from pytrammel.design.synthesis.atlas.shapes import (
    ARC,
    EVEN,
    best_shift,
    between,
    closed_shape,
    evenly,
    lay,
    open_shape,
    slid,
    smooth,
    spots,
)
from pytrammel.design.synthesis.four_bar import FourBar
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.errors import FileWriteError, ModelError
from pytrammel.model.argument_types import Points

EDITION = 1  # of what is stored: raise it when grids or descriptors change
SAMPLES = 96  # positions of the crank for a shape
FINE = 720  # for a candidate that is laid over its points
ARC_STARTS, ARC_SPANS = (
    12,
    (0.15, 0.25, 0.4, 0.6, 0.85),
)  # open curves: pieces of every ARC_EVERYth curve, of its arc length
ARC_EVERY = 7
SHORT_LIST = 300  # nearest shapes that are laid over the points
LARGE = 10.0  # of the size of the points: larger linkages come last, as every curve is straight where it is looked at closely
KINDS = ("four-bar", "slider-crank")

Index = np.ndarray[tuple[int, ...], np.dtype[np.signedinteger[Any]]]
_made: dict[Grid, Atlas] = {}


@checked("kinds")
@in_sentences
def atlas(
    *, kinds: Sequence[str] = KINDS, ratios: Sequence[float] = RATIOS, offsets: Sequence[float] = OFFSETS,
    along: Sequence[float] = ALONG, across: Sequence[float] = ACROSS, progress: bool = True,
) -> Atlas:  # fmt: skip
    """An atlas of coupler curves of four-bars (crank-rockers and double cranks) and slider-cranks.

    Every mix of lengths whose crank goes round is in it, with every coupler point. It is computed on first use (some seconds) and
    kept in the user's cache folder (or ``TRAMMEL_CACHE_DIR``).

    Args:
        kinds: "four-bar", "slider-crank".
        ratios: Lengths of the other links, of the shortest link or, of slider-cranks, of the crank.
        offsets: Offsets of slider-cranks, of the crank.
        along: Places of the coupler points along the coupler, 0 at B and 1 at C.
        across: Places of the coupler points across the coupler, of its length, to the left of BC.
        progress: Whether a progress bar is shown.
    """
    chosen = [kinds] if isinstance(kinds, str) else list(kinds)
    if not chosen or not set(chosen) <= set(KINDS):
        raise ModelError(f"kinds of an atlas may be {' and '.join(map(repr, KINDS))}, but they are {short(kinds)}.")
    rows = [tuple(numbers(each, word).tolist()) for each, word in
            ((ratios, "ratios"), (offsets, "offsets"), (along, "along"), (across, "across"))]  # fmt: skip
    if min(rows[0]) < 1.0:
        raise ModelError(f"ratios count from the shortest link, so they are at least 1, but one is {min(rows[0]):g}.")
    grid = Grid(rows[0], rows[1], rows[2], rows[3], four_bars=KINDS[0] in chosen, slider_cranks=KINDS[1] in chosen)
    if not grid.curves:
        raise ModelError("no linkage of these ratios has a crank that goes round; add longer ones.")
    if grid.curves > 2_000_000:
        raise ModelError(
            f"an atlas of {grid.curves} curves is too large; at most 2 million fit: give fewer ratios or points."
        )
    if grid not in _made:
        _made[grid] = _loaded(grid) or _computed(grid, progress)
    return _made[grid]


@brief
@dataclass(frozen=True, eq=False)
class Atlas:
    """Coupler curves and their shapes; made by `atlas`.

    Attributes:
        grid: Proportions and coupler points.
        closed: Descriptors of the closed curves, one row each.
        arcs: Descriptors of pieces of them, one row each.
    """

    grid: Grid
    closed: Floats = field(repr=False)
    arcs: Floats = field(repr=False)

    def __len__(self) -> int:
        """Number of curves."""
        return self.grid.curves

    def __str__(self) -> str:
        bars, sliders = len(self.grid.bars), len(self.grid.sliders)
        return f"atlas of {len(self)} coupler curves: {bars} four-bars and {sliders} slider-cranks with {len(self.grid.points)} points each"

    @cached_property
    def _closed_tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.closed)

    @cached_property
    def _arc_tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.arcs)

    @checked
    @in_sentences
    def search(self, points: Points, *, closed: bool = True, n: int = 10) -> tuple[FourBar | SliderCrank, ...]:
        """Linkages whose coupler curves are most like the one through some points, laid over it; nearest first, very large ones last.

        They are scaled, turned, moved and perhaps mirrored; `residual` is the largest distance from a point to the curve, in the order
        of the points. Each is a start for `path_four_bars(points, starts=...)` or `path_slider_cranks`.

        Args:
            points: Points (x, y) in the order they are passed [m].
            closed: Whether the curve returns to the first point; otherwise it may be a part of a coupler curve.
            n: How many linkages to give, each with other proportions.
        """
        checked_bool(closed, "closed")
        wanted = places(points, "points", least=5 if closed else 4)
        count = whole_number(n, "n")
        found = self._like_closed(wanted) if closed else self._like_open(wanted)
        best: list[FourBar | SliderCrank] = []
        seen: set[int] = set()
        for number, mirrored, match, about in found:
            linkage = number // len(self.grid.points)
            if linkage not in seen:
                seen.add(linkage)
                best.append(self._settled(number, mirrored, wanted, match, about))
            if len(best) >= 4 * count:
                break
        size = LARGE * float(np.max(np.abs(wanted - wanted.mean())))
        return tuple(sorted(best, key=lambda each: (_extent(each, wanted) > size, each.residual))[:count])

    def _like_closed(self, wanted: Complexes) -> Iterator[tuple[int, bool, Floats, float]]:
        """Entries (number, mirrored, places of the points on its fine curve, how far these may be off), nearest first."""
        dense = smooth(wanted, closed=True, count=512)
        along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(np.append(dense, dense[0]))))])
        near = np.array([int(np.argmin(np.abs(dense - z))) for z in wanted])
        shares = along[near] / along[-1]
        found = []
        for mirrored in (False, True):
            goal = evenly((dense.conj() if mirrored else dense)[None], EVEN, closed=True)[0][0]
            _, chosen = self._closed_tree.query(closed_shape(goal[None])[0], k=min(SHORT_LIST, len(self)))
            chosen = np.atleast_1d(chosen)
            even, spot = evenly(np.array([self._fine(int(k)) for k in chosen]), EVEN, closed=True)
            for step in (1, -1):
                shifts, left = best_shift(even[:, ::step], goal)
                found += [
                    (left[k], int(chosen[k]), mirrored, step, int(shifts[k]), spot[k]) for k in range(len(chosen))
                ]
        for _, number, mirrored, step, shift, where in sorted(found, key=lambda each: each[0]):
            # where the shares of the arc length lie on the entry, which is run through backwards with step -1
            begin = shift if step == 1 else EVEN - 1 - shift
            at = (begin + step * shares * EVEN) % EVEN
            yield number, mirrored, np.interp(at, np.arange(EVEN + 1), np.append(where, FINE)), FINE / 12

    def _fine(self, number: int) -> Complexes:
        """The curve of an entry at fine steps of the crank."""
        return self.grid.curve(number, np.linspace(0.0, math.tau, FINE, endpoint=False))

    def _like_open(self, wanted: Complexes) -> Iterator[tuple[int, bool, Floats, float]]:
        dense = smooth(wanted, closed=False, count=512)
        along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(dense)))])
        near = np.array([int(np.argmin(np.abs(dense - z))) for z in wanted])
        shares = along[near] / along[-1]
        even = np.linspace(0.0, 1.0, 2 * ARC - 1)
        path = evenly(dense[None], len(even), closed=False)[0][0]
        found = []
        for mirrored in (False, True):
            goal = path.conj() if mirrored else path
            for step in (1, -1):
                shape = open_shape(goal[None, ::step][:, ::2])[0]
                _, chosen = self._arc_tree.query(shape, k=min(SHORT_LIST // 2, len(self.arcs)))
                for k in np.atleast_1d(chosen):
                    number, start, span = _arc(int(k))
                    ring = np.append(self._fine(number), self._fine(number)[0])[None]
                    _, _, left = lay(between(ring, spots(ring, (start + span * even[::step]) % 1.0))[0], goal)
                    found.append((float(left), number, mirrored, start, span, step))
        for _, number, mirrored, start, span, step in sorted(found, key=lambda each: each[0]):
            ring = np.append(self._fine(number), self._fine(number)[0])[None]
            share = shares if step == 1 else 1.0 - shares
            yield number, mirrored, spots(ring, (start + span * share) % 1.0)[0], FINE * span / 12

    def _settled(
        self, number: int, mirrored: bool, wanted: Complexes, match: Floats, about: float
    ) -> FourBar | SliderCrank:
        """The entry laid over the points again and again, each time by the nearest places of its curve near the matched ones."""
        curve = self._fine(number).conj() if mirrored else self._fine(number)
        ring = np.append(curve, curve[0])
        reach = np.arange(-int(about), int(about) + 1)
        at = match % FINE
        turn, corner = (complex(each) for each in lay(between(ring, at), wanted)[:2])
        best = (math.inf, at)
        for _ in range(10):
            at = _nearest_places(corner + turn * ring, at, reach, wanted)
            left = float(np.sum(np.abs(corner + turn * between(ring, at) - wanted) ** 2))
            if left < best[0]:
                best = (left, at)
            turn, corner = slid(ring, at, turn, corner, wanted)
        at = best[1]
        turn, corner = (complex(each) for each in lay(between(ring, at), wanted)[:2])
        return self.grid.laid(number, turn, corner, mirrored, at * (math.tau / FINE), wanted)

    def plot(self, *, first: int = 0, rows: int = 5, columns: int = 4, path: str | PathLike[str] | None = None) -> Any:
        """A sheet of the atlas: linkages in grey with the curves of their coupler points, proportions above.

        Args:
            first: Number of the first linkage on the sheet.
            rows: Rows of linkages.
            columns: Columns of linkages.
            path: File to write; None: none.
        """
        from pytrammel.view.plots.synthesis import plot_sheet

        return plot_sheet(self.grid, first=first, rows=rows, columns=columns, path=path)


def _extent(bar: FourBar | SliderCrank, wanted: Complexes) -> float:
    """Distance of a pin from the middle of the points [m]."""
    pins = [bar.A, bar.B, bar.C, *([bar.D] if isinstance(bar, FourBar) else [])]
    return max(abs(complex(*each) - complex(wanted.mean())) for each in pins)


def _nearest_places(ring: Complexes, at: Floats, reach: Index, wanted: Complexes) -> Floats:
    """Where a closed polygon is nearest to points, within some corners of given places."""
    near = (np.round(at).astype(int)[:, None] + reach) % FINE
    start, step = ring[near], ring[near + 1] - ring[near]
    gap = wanted[:, None] - start
    share = np.clip((gap * step.conj()).real / np.maximum(np.abs(step) ** 2, 1e-300), 0.0, 1.0)
    k, rows = np.argmin(np.abs(gap - share * step), axis=1), np.arange(len(wanted))
    return np.asarray(near[rows, k] + share[rows, k], dtype=float)


def _arc(number: int) -> tuple[int, float, float]:
    """Entry, start and span (of its arc length) of a piece."""
    curve, piece = divmod(number, ARC_STARTS * len(ARC_SPANS))
    start, span = divmod(piece, len(ARC_SPANS))
    return curve * ARC_EVERY, start / ARC_STARTS, ARC_SPANS[span]


def _computed(grid: Grid, progress: bool) -> Atlas:
    cranks = np.linspace(0.0, math.tau, SAMPLES, endpoint=False)
    per = len(grid.points)
    closed, arcs = [], []
    with Progress("coupler curves", enabled=progress) as bar:
        for linkage in range(grid.linkages):
            b, c = grid.pins(linkage, cranks)
            curves = b + grid.points[:, None] * (c - b)
            even, _ = evenly(curves, EVEN, closed=True)
            closed.append(closed_shape(even).astype(np.float16))
            kept = [k for k in range(per) if (linkage * per + k) % ARC_EVERY == 0]
            arcs.append(_pieces(even[kept]).astype(np.float16))
            bar.update((linkage + 1) / grid.linkages)
    made = Atlas(grid, np.concatenate(closed), np.concatenate(arcs))
    _store(made)
    return made


def _pieces(even: Complexes) -> Floats:
    """Descriptors of all pieces of some curves."""
    start = np.arange(ARC_STARTS)[:, None, None] / ARC_STARTS
    at = (start + np.array(ARC_SPANS)[:, None] * np.linspace(0.0, 1.0, ARC)).reshape(-1, ARC) * EVEN
    corner = at.astype(int)
    share = at - corner
    pieces = even[:, corner % EVEN] * (1.0 - share) + even[:, (corner + 1) % EVEN] * share
    return open_shape(pieces).reshape(-1, ARC - 1)


# kept on disk ----------------------------------------------------------------------------------------------------------------


def _place(grid: Grid) -> Path:
    from pytrammel.kernels.cache import cache_root

    name = hashlib.sha256(repr((EDITION, grid)).encode()).hexdigest()[:16]
    return cache_root().with_name("pytrammel-atlas") / f"{name}.npz"


def _store(made: Atlas) -> None:
    """Keep an atlas for next time; where nothing can be written it is computed again."""
    with contextlib.suppress(OSError, FileWriteError):
        place = _place(made.grid)
        place.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(place) as file:
            np.savez(file, closed=made.closed, arcs=made.arcs)


def _loaded(grid: Grid) -> Atlas | None:
    """The stored atlas; None if there is none, or it is damaged."""
    try:
        with _place(grid).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            made = Atlas(grid, stored["closed"], stored["arcs"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    return made if len(made.closed) == grid.curves else None
