"""Which rows can depend on each other at all: those of loops that hang together.

Joints see relative motions only, so that a part that hangs on one body moves with it whatever happens inside: rows of different
blocks of the graph of bodies and joints (its biconnected components) are never combinations of each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytrammel.model.bodies import GROUND
from pytrammel.system.lowering import System


def blocks(system: System, rows: Sequence[int]) -> list[list[int]]:
    """Rows by block, each in order; blocks with the earliest rows first."""
    of_owner: dict[str, list[int]] = {}
    for k in rows:
        of_owner.setdefault(system.rows[k].owner, []).append(k)
    owners, bodies = list(of_owner), list(system.model.bodies)[1:]
    nodes: dict[str, int] = {}
    edges: list[tuple[int, int]] = []  # from a constraint to something that moves
    for c, owner in enumerate(owners):
        joint = system.model.constraints.get(owner)
        touched = {column for k in of_owner[owner] for column in system.row_columns[k] if column >= 0}
        places = {column // system.per_body for column in touched}
        moved = {bodies[b] for b in places if b < len(bodies)}
        moved |= {system.columns[column] for column in touched if column // system.per_body >= len(bodies)}
        # what is not known as a joint may see the ground, whether it says so or not
        for name in moved | (set(joint.bodies) if joint is not None and joint.freedom is not None else {GROUND}):
            edges.append((c, nodes.setdefault(name, len(owners) + len(nodes))))
    part = _united(edges, _biconnected(edges, len(owners) + len(nodes)), len(owners))
    place = {owner: part[c] for c, owner in enumerate(owners)}
    found: dict[int, list[int]] = {}
    for k in rows:
        found.setdefault(place[system.rows[k].owner], []).append(k)
    return list(found.values())


def _biconnected(edges: Sequence[tuple[int, int]], count: int) -> list[int]:
    """Per edge the biconnected component that it is in (Hopcroft and Tarjan, without recursion)."""
    around: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for e, (a, b) in enumerate(edges):
        around[a].append((b, e))
        around[b].append((a, e))
    part, seen, low = [-1] * len(edges), [-1] * count, [0] * count
    clock = components = 0
    for root in range(count):
        if seen[root] >= 0:
            continue
        waiting: list[int] = []  # edges of components not yet closed
        path = [(root, -1, 0)]
        seen[root] = low[root] = clock
        clock += 1
        while path:
            node, by, next_ = path.pop()
            if next_ < len(around[node]):
                path.append((node, by, next_ + 1))
                other, e = around[node][next_]
                if e == by:
                    continue
                if seen[other] < 0:
                    waiting.append(e)
                    seen[other] = low[other] = clock
                    clock += 1
                    path.append((other, e, 0))
                elif seen[other] < seen[node]:
                    waiting.append(e)
                    low[node] = min(low[node], seen[other])
            elif path:
                above = path[-1][0]
                low[above] = min(low[above], low[node])
                if low[node] >= seen[above]:
                    while True:
                        e = waiting.pop()
                        part[e] = components
                        if e == by:
                            break
                    components += 1
    return part


def _united(edges: Sequence[tuple[int, int]], part: Sequence[int], owners: int) -> list[int]:
    """Per constraint its block: one that is in several components unites them."""
    parent = list(range(max(part, default=-1) + 1))

    def top(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    own: list[int | None] = [None] * owners
    for (c, _), component in zip(edges, part, strict=True):
        known = own[c]
        if known is None:
            own[c] = component
        else:
            parent[top(component)] = top(known)
    return [-1 - c if component is None else top(component) for c, component in enumerate(own)]
