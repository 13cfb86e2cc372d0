"""An order of unknowns that brings the entries of a sparse matrix close to its diagonal (reverse Cuthill–McKee)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import layout as L
from pytrammel.system.coupling import coupling
from pytrammel.system.lowering import System

Integers = NDArray[np.int64]


def band(system: System, pattern: Integers) -> Integers:
    """Widths of the band below and above the diagonal, then the place of each column and of each active row, in pattern order.

    Args:
        system: Lowered for dynamics.
        pattern: Elimination pattern of the active rows.
    """
    n, first = system.n_columns, int(pattern[L.P_AT_ROWS])
    rows = tuple(int(k) for k in pattern[first : first + int(pattern[L.P_ROWS])])
    key = f"band of {rows}"
    if key not in system.kept:
        found = coupling(system)
        # all columns of a body belong together
        owners = [list(range(b, b + system.per_body)) for b in range(0, n - len(system.extras), system.per_body)]
        owners += [[c] for c in range(n - len(system.extras), n)]
        owner = [k for k, own in enumerate(owners) for _ in own]
        pairs = {(owner[i], owner[j]) for i, j in zip(found.rows.tolist(), found.columns.tolist(), strict=True)}
        for k, row in enumerate(rows):
            pairs |= {(len(owners) + k, owner[c]) for c in system.row_columns[row] if c >= 0}
        members = [*owners, *([n + k] for k in range(len(rows)))]
        system.kept[key] = _places(members, len(owners), pairs)
    out: Integers = system.kept[key]
    return out


def _places(members: Sequence[Sequence[int]], bodies: int, pairs: Iterable[tuple[int, int]]) -> Integers:
    neighbours: list[set[int]] = [set() for _ in members]
    for a, b in pairs:
        if a != b:
            neighbours[a].add(b)
            neighbours[b].add(a)
    best, widths = np.zeros(0, dtype=np.int64), np.array([np.inf])
    for order in (_from_one_end(neighbours), _branches_first(neighbours, bodies)):
        starts = np.concatenate(([0], np.cumsum([len(members[k]) for k in order])))
        spans = {k: (int(a), int(b)) for k, (a, b) in zip(order, pairwise(starts), strict=True)}
        ahead = np.array(
            [max(spans[b][1] for b in (a, *neighbours[a])) - spans[a][0] for a in order for _ in members[a]]
        )
        if np.sum(ahead) < np.sum(widths):
            best, widths = np.zeros(int(starts[-1]) + 2, dtype=np.int64), ahead
            best[:2] = ahead.max(initial=1) - 1
            for k, (start, end) in spans.items():
                best[2 + np.array(members[k])] = range(start, end)
    return best


def _from_one_end(neighbours: Sequence[set[int]]) -> list[int]:
    """Nodes by their distance from one far out, those with few neighbours first; backwards, which costs less fill."""
    order: list[int] = []
    left = set(range(len(neighbours)))
    while left:
        start = min(left, key=lambda k: (len(neighbours[k]), k))
        for _ in range(2):  # the last node met is far out
            start = _walk(start, neighbours)[-1]
        order += _walk(start, neighbours)
        left -= set(order)
    return order[::-1]


def _walk(start: int, neighbours: Sequence[set[int]]) -> list[int]:
    met, waiting = [start], deque([start])
    seen = {start}
    while waiting:
        for k in sorted(neighbours[waiting.popleft()] - seen, key=lambda k: (len(neighbours[k]), k)):
            seen.add(k)
            met.append(k)
            waiting.append(k)
    return met


def _branches_first(neighbours: Sequence[set[int]], bodies: int) -> list[int]:
    """Each body after the branches that hang on it, seen from the one with the most rows; rows directly after their first body."""
    beside = [{j for k in own for j in ({k} if k < bodies else neighbours[k])} for own in neighbours[:bodies]]
    order: list[int] = []
    seen: set[int] = set()
    for root in sorted(range(bodies), key=lambda k: (-len(neighbours[k]), k)):
        waiting = [] if root in seen else [(root, iter(sorted(beside[root])))]
        seen.add(root)
        while waiting:
            node, others = waiting[-1]
            onward = next((k for k in others if k not in seen), None)
            if onward is None:
                order += [node, *sorted(k for k in neighbours[node] if k >= bodies and k not in seen)]
                seen |= neighbours[node]
                waiting.pop()
            else:
                seen.add(onward)
                waiting.append((onward, iter(sorted(beside[onward]))))
    return [*order, *(k for k in range(len(neighbours)) if k not in seen)]
