"""Biconnected components of graphs, against their definition: edges that no single node separates."""

import numpy as np
import pytest

from pytrammel.analysis.freedom.blocks import _biconnected


def reached(edges, start, without_node=None, without_edge=None):
    """Nodes connected with a start."""
    found, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        for e, pair in enumerate(edges):
            if e == without_edge or node not in pair or without_node in pair:
                continue
            other = pair[0] if pair[1] == node else pair[1]
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def together(edges, e, f, count):
    """Return True if two edges are one, or neither is a bridge, they are connected, and no node separates them."""
    if e == f:
        return True
    if any(edges[k][1] not in reached(edges, edges[k][0], without_edge=k) for k in (e, f)):
        return False
    for node in (None, *range(count)):
        one, two = ([x for x in edges[k] if x != node] for k in (e, f))
        if two[0] not in reached(edges, one[0], without_node=node):
            return False
    return True


def check(edges, count):
    part = _biconnected(edges, count)
    assert len(part) == len(edges) and min(part, default=0) >= 0
    for e in range(len(edges)):
        for f in range(e):
            assert (part[e] == part[f]) is together(edges, e, f, count), (edges, e, f)


@pytest.mark.parametrize("seed", range(25))
def test_components_of_random_graphs_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 8))
    pairs = [(a, b) for a in range(count) for b in range(a)]
    chosen = rng.choice(len(pairs), size=min(len(pairs), int(rng.integers(1, 11))), replace=False)
    check([pairs[k] if rng.random() < 0.5 else pairs[k][::-1] for k in chosen], count)


@pytest.mark.parametrize(
    "edges",
    [
        [],
        [(0, 1)],
        [(0, 1), (1, 2), (2, 3)],  # a chain
        [(0, 1), (1, 2), (2, 0)],  # a ring
        [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)],  # two rings with a node in common
        [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)],  # two rings with a bridge
        [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)],  # a ring with a chord
        [(0, 1), (2, 3)],
    ],
)
def test_components_of_chains_with_rings(edges):
    check(edges, 6)
