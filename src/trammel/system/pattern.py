"""The fixed elimination pattern of a set of rows: which entries of S and L exist, found once per set.

Constraints are ordered by minimum degree on the graph "shares a coordinate"; for chains and ladders the fill, and so the cost
of a factorisation, grows linearly with their length.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trammel.kernels import layout as L
from trammel.system.lowering import System


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
    entries = [places[row] for row in order]
    by_column: dict[int, list[int]] = {}
    for position, own in enumerate(entries):
        for column in own:
            by_column.setdefault(column, []).append(position)
    s_start, s_column, term_start, terms = [0], [], [0], []
    lower_rows: list[list[int]] = []
    for k, own in enumerate(entries):
        neighbours = sorted({j for column in own for j in by_column[column] if j < k}) + [k]
        for j in neighbours:
            other = entries[j]
            for column, place in own.items():
                if column in other:
                    terms += [place, other[column]]
            s_column.append(j)
            term_start.append(len(terms) // 2)
        s_start.append(len(s_column))
        lower_rows.append(neighbours[:-1])
    row_columns = _fill(lower_rows)
    # column-wise storage of L, rows ascending within a column
    counts = [0] * m
    for columns in row_columns:
        for j in columns:
            counts[j] += 1
    column_start = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(int).tolist()
    row_index = [0] * column_start[-1]
    filled = list(column_start[:-1])
    row_start, row_column, row_place = [0], [], []
    for k, columns in enumerate(row_columns):
        for j in columns:
            row_column.append(j)
            row_place.append(filled[j])
            row_index[filled[j]] = k
            filled[j] += 1
        row_start.append(len(row_column))
    out: list[int] = [0] * L.P_HEADER_SIZE
    out[L.P_ROWS] = m
    out[L.P_L_SIZE] = len(row_index)
    for place, values in (
        (L.P_AT_ROWS, order), (L.P_AT_S, s_start), (L.P_AT_S_COLUMN, s_column), (L.P_AT_TERM, term_start),
        (L.P_AT_TERMS, terms), (L.P_AT_L_ROW, row_start), (L.P_AT_L_ROW_COLUMN, row_column),
        (L.P_AT_L_ROW_PLACE, row_place), (L.P_AT_L_COLUMN, column_start), (L.P_AT_L_ROW_INDEX, row_index),
    ):  # fmt: skip
        out[place] = len(out)
        out.extend(values)
    return np.array(out, dtype=np.int64)


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
