"""The fixed elimination pattern of a set of rows: which entries of S and L exist, found once per set.

Constraints are ordered by minimum degree on the graph "shares a coordinate"; for chains and ladders the fill, and so the cost
of a factorisation, grows linearly with their length.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import layout as L
from pytrammel.system.lowering import System

Places = NDArray[np.int64]


def pattern(system: System, rows: Sequence[int], left_out: Sequence[int] = ()) -> NDArray[np.int64]:
    """Buffer ``P`` for the given rows, and for redundant ones that only share the load; kept with the system for the next time."""
    key = (tuple(rows), tuple(left_out))
    if key not in system.patterns:
        fixed = set(system.prescribed)
        entries = {
            row: {
                column: system.row_entries[row] + k
                for k, column in enumerate(system.row_columns[row])
                if column >= 0 and column not in fixed
            }
            for row in rows
        }
        built = build_pattern({row: system.rows[row].owner for row in rows}, entries)
        built[L.P_LEFT_OUT], built[L.P_AT_LEFT_OUT] = len(left_out), built.size
        system.patterns[key] = np.concatenate([built, np.array(left_out, dtype=np.int64)])
    return system.patterns[key]


def build_pattern(owners: Mapping[int, str], places: Mapping[int, Mapping[int, int]]) -> NDArray[np.int64]:
    """Buffer ``P`` for any rows.

    Args:
        owners: The constraint that each row belongs to.
        places: Per row, the column of each entry and where it is stored.
    """
    order = _minimum_degree(owners, places)
    m = len(order)
    s_start, s_column, term_start, terms = _products([places[row] for row in order])
    columns = s_column.tolist()
    row_columns = _fill([columns[begin : end - 1] for begin, end in pairwise(s_start.tolist())])
    # L is stored column by column, rows ascending within a column; each of its rows knows where its entries stand
    sizes = np.array([len(own) for own in row_columns], dtype=np.int64)
    row_column = np.array([j for own in row_columns for j in own], dtype=np.int64)
    row_start = np.concatenate([[0], np.cumsum(sizes)])
    by_column = np.argsort(row_column, kind="stable")
    row_place = np.empty_like(row_column)
    row_place[by_column] = np.arange(by_column.size)
    row_index = np.repeat(np.arange(m), sizes)[by_column]
    column_start = np.concatenate([[0], np.cumsum(np.bincount(row_column, minlength=m))])
    head = np.zeros(L.P_HEADER_SIZE, dtype=np.int64)
    head[L.P_ROWS], head[L.P_L_SIZE] = m, row_index.size
    parts, size = [head], head.size
    for place, values in (
        (L.P_AT_ROWS, np.array(order, dtype=np.int64)), (L.P_AT_S, s_start), (L.P_AT_S_COLUMN, s_column), (L.P_AT_TERM, term_start),
        (L.P_AT_TERMS, terms), (L.P_AT_L_ROW, row_start), (L.P_AT_L_ROW_COLUMN, row_column),
        (L.P_AT_L_ROW_PLACE, row_place), (L.P_AT_L_COLUMN, column_start), (L.P_AT_L_ROW_INDEX, row_index),
    ):  # fmt: skip
        head[place] = size
        parts.append(values)
        size += values.size
    return np.concatenate(parts).astype(np.int64, copy=False)


def _products(entries: Sequence[Mapping[int, int]]) -> tuple[Places, Places, Places, Places]:
    """The lower triangle of S row by row, the diagonal last: where rows begin, columns, where terms begin, and the terms themselves:
    pairs of stored entries whose products add up, in the order of the row's own entries."""
    sizes = [len(own) for own in entries]
    row = np.repeat(np.arange(len(entries)), sizes)
    column = np.array([c for own in entries for c in own], dtype=np.int64)
    place = np.array([p for own in entries for p in own.values()], dtype=np.int64)
    # every entry with every other of its column: those of one column stand together
    order = np.argsort(column, kind="stable")
    _, first, members = np.unique(column[order], return_index=True, return_counts=True)
    count = np.repeat(members, members)
    left = np.repeat(np.arange(order.size), count)
    right = (
        np.repeat(np.repeat(first, members), count) + np.arange(left.size) - np.repeat(np.cumsum(count) - count, count)
    )
    left, right = order[left], order[right]
    lower = row[right] <= row[left]
    left, right = left[lower], right[lower]
    sort = np.lexsort((left, row[right], row[left]))  # entries of a row are numbered in their own order
    left, right = left[sort], right[sort]
    # a row without entries has a diagonal, too
    key = np.concatenate([row[left] * len(entries) + row[right], np.arange(len(entries)) * (len(entries) + 1)])
    pairs, counts = np.unique(key, return_counts=True)
    k, j = np.divmod(pairs, max(1, len(entries)))
    term_start = np.concatenate([[0], np.cumsum(counts - (k == j))])
    s_start = np.searchsorted(k, np.arange(len(entries) + 1))
    terms = np.column_stack([place[left], place[right]]).ravel()
    return s_start, j, term_start, terms


def _fill(lower_rows: list[list[int]]) -> list[list[int]]:
    """Columns of each row of L, ascending: walk the elimination tree from the entries of S."""
    m = len(lower_rows)
    parent = [-1] * m
    mark = [-1] * m
    rows: list[list[int]] = []
    for k in range(m):
        mark[k] = k
        found = []
        for start in lower_rows[k]:
            j = start
            while mark[j] != k:
                found.append(j)
                mark[j] = k
                if parent[j] == -1:
                    parent[j] = k
                j = parent[j]
        rows.append(sorted(found))
    return rows


def _minimum_degree(owners: Mapping[int, str], places: Mapping[int, Mapping[int, int]]) -> list[int]:
    """Rows in elimination order; rows of one constraint stay together."""
    groups: dict[str, list[int]] = {}
    for row, owner in owners.items():
        groups.setdefault(owner, []).append(row)
    names = list(groups)
    touching: dict[int, set[int]] = {}
    for g, name in enumerate(names):
        for row in groups[name]:
            for column in places[row]:
                touching.setdefault(column, set()).add(g)
    neighbours: list[set[int]] = [set() for _ in names]
    for members in touching.values():
        for g in members:
            neighbours[g] |= members
    for g, around in enumerate(neighbours):
        around.discard(g)
    order: list[int] = []
    gone = [False] * len(names)
    waiting = [(len(around), g) for g, around in enumerate(neighbours)]
    heapq.heapify(waiting)
    while waiting:
        degree, g = heapq.heappop(waiting)
        if gone[g] or degree != len(neighbours[g]):
            continue  # its degree has changed since, and it waits elsewhere
        gone[g] = True
        order.extend(groups[names[g]])
        around = neighbours[g]
        for h in around:
            neighbours[h] |= around
            neighbours[h] -= {g, h}
            heapq.heappush(waiting, (len(neighbours[h]), h))
    return order
