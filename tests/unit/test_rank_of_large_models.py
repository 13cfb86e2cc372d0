"""Large models are counted by sparse elimination: the same rank, the same rows to blame, the same loads as by singular values."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import pytrammel as tm
from pytrammel import examples
from pytrammel.analysis.freedom import mobility, rank, sharing
from pytrammel.analysis.freedom.blocks import blocks
from pytrammel.analysis.freedom.fronts import eliminate
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.ready import make_ready
from pytrammel.system import pattern
from pytrammel.system.lowering import lower

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import large


def dense_and_sparse(monkeypatch, ask):
    """Answers of the way for small and of that for large models."""
    small = ask()
    for module in (rank, mobility):
        monkeypatch.setattr(module, "DENSE", 0)
    return small, ask()


def at_start(build, n=12):
    m = build(n)
    make_ready(m, ["jacobian_run", "rates_run", "assemble_run"], forces=True)
    system = lower(m, dynamics=True)
    return system, active_rows(system, drivers=False)


# --- matrices ------------------------------------------------------------------------------------------------------------


def banded(random, *, redundant=8, groups=30, size=4):
    """Rows in groups along a band, some of them replaced by combinations of neighbours that come before them."""
    n = 6 * groups
    rows = np.zeros((groups * size, n))
    for g in range(groups):
        first = min(6 * g, n - 12)
        rows[size * g : size * (g + 1), first : first + 12] = random.normal(size=(size, 12))
    for k in random.choice(np.arange(3 * size, len(rows)), size=redundant, replace=False):
        near = np.arange(max(0, k - 2 * size), k)
        rows[k] = random.normal(size=near.size) @ rows[near]
    return rows, [k // size for k in range(len(rows))]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_elimination_blames_the_same_rows_as_singular_values_and_gram_schmidt(seed):
    random = np.random.default_rng(seed)
    matrix, groups = banded(random, redundant=int(random.integers(0, 12)))
    if seed % 3 == 0:  # rows of their own order: more fill, the same answer
        order = random.permutation(len(matrix))
        matrix, groups = matrix[order], [groups[k] for k in order]
    dense, found = rank.rank_of(matrix), rank.sparse_rank_of(sparse.csr_matrix(matrix), groups)
    assert (found.independent, found.redundant) == (dense.independent, dense.redundant)
    kept = matrix[list(dense.independent)]
    smallest = np.linalg.svd(kept / np.linalg.norm(kept, axis=1)[:, None], compute_uv=False)[-1]
    assert found.weakest == pytest.approx(smallest, rel=0.05)  # an estimate by iteration
    assert (found.motions.moving(1e-9) == dense.motions.moving(1e-9)).all()
    for direction in found.motions.directions(random, 2):
        assert np.abs(matrix @ direction).max() < 1e-11 * np.abs(matrix).max() * np.abs(direction).max() / smallest


@pytest.mark.parametrize("angle", [1.0, 0.1, 1e-3, 1e-5])
def test_the_weakest_rows_are_as_independent_as_their_angle(angle):
    """Unit rows at an angle have singular values sqrt(1 ± cos angle); the others are at right angles, or repeat one."""
    rows = np.eye(5)[[0, 0, 1, 2, 2]] * [[2.0], [3.0], [1.0], [0.1], [5.0]]
    rows[1] = 3.0 * np.array([math.cos(angle), 0.0, 0.0, math.sin(angle), 0.0])
    found = rank.rank_of(rows)
    assert found.redundant == (4,)
    assert found.weakest == pytest.approx(math.sqrt(2.0) * math.sin(0.5 * angle), rel=1e-7)


@pytest.mark.parametrize("angle", [3e-7, 1e-7 / 3, 1e-8])
def test_where_elimination_is_in_doubt_singular_values_decide(angle):
    random = np.random.default_rng(4)
    matrix, groups = banded(random, redundant=3)
    matrix /= np.linalg.norm(matrix, axis=1)[:, None]
    new = np.linalg.svd(matrix)[2][-1]  # a direction that no row has
    matrix[70] = matrix[65] + angle * new
    found = rank.sparse_rank_of(sparse.csr_matrix(matrix), groups)
    dense = rank.rank_of(matrix)
    assert (found.independent, found.redundant) == (dense.independent, dense.redundant)


def test_the_factor_is_that_of_the_independent_rows():
    matrix, groups = banded(np.random.default_rng(1))
    unit = matrix / np.linalg.norm(matrix, axis=1)[:, None]
    found = eliminate(sparse.csr_matrix(unit), groups, 1e-7)
    kept = unit[found.independent]
    assert np.abs((found.factor.T @ found.factor).toarray() - kept @ kept.T).max() < 1e-13


def test_rows_of_zeros_and_no_rows_at_all_have_no_rank():
    nothing = rank.sparse_rank_of(sparse.csr_matrix((0, 5)), [])
    assert (nothing.rank, nothing.motions.moving(1e-9).all()) == (0, True)
    zeros = rank.sparse_rank_of(sparse.csr_matrix((3, 5)), "aab")
    assert (zeros.rank, zeros.redundant) == (0, (0, 1, 2))


# --- models --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", large.MODELS.values(), ids=large.MODELS)
def test_both_ways_find_the_same_rows_of_models(build):
    system, rows = at_start(build, 24)
    dense = rank.rank_of(rank.jacobian(system, system.start, 0.0, rows))
    matrix = rank.sparse_jacobian(system, system.start, 0.0, rows)
    found = rank.sparse_rank_of(matrix, [system.rows[k].owner for k in rows])
    assert (found.independent, found.redundant) == (dense.independent, dense.redundant)


COUNTED = [n for n in examples.names() if "kap" not in n and "dap" not in n]


@pytest.mark.parametrize("name", COUNTED)
def test_every_example_is_counted_alike_both_ways(name, monkeypatch):
    small, big = dense_and_sparse(monkeypatch, examples.find(name).build().mobility)
    assert big == small


def flat_parallelogram(count=1):
    """Parallelograms in the position where branches cross: singular, not redundant."""
    m = tm.PlanarModel("flat")
    for k in range(count):
        y = 3.0 * k
        a, b, c = (m.body(f"{n}{k}", position=p) for n, p in (("a", (0.5, y)), ("b", (1.5, y)), ("c", (2.5, y))))
        m.revolute(f"A{k}", m.ground, a, at=(0, y))
        m.revolute(f"B{k}", a, b, at=(1, y))
        m.revolute(f"C{k}", b, c, at=(3, y))
        m.revolute(f"D{k}", c, m.ground, at=(2, y))
    return m


@pytest.mark.parametrize("count", [1, 12])
def test_singular_positions_are_told_from_redundant_rows_both_ways(count, monkeypatch):
    small, big = dense_and_sparse(monkeypatch, flat_parallelogram(count).mobility)
    assert big.singular and small.singular
    assert (big.dof, big.generic_dof, big.redundant) == (2 * count, count, ())
    assert (small.dof, small.redundant) == (big.dof, big.redundant)


@pytest.mark.parametrize("name", ["planar redundant", "spatial four-bars", "spatial ring"])
def test_runs_do_not_depend_on_the_way_of_counting(name, monkeypatch):
    m = large.MODELS[name](12)
    small, big = dense_and_sparse(monkeypatch, lambda: m.simulate(0.05, samples=3, progress=False))
    assert big.redundant == small.redundant
    assert np.abs(big.q - small.q).max() < 1e-12
    assert np.abs(big.dynamics.multipliers - small.dynamics.multipliers).max() < 1e-7


def test_a_thousand_redundant_bodies_are_counted_in_no_time():
    found = large.spatial_carried(1000).mobility()
    assert (found.dof, len(found.redundant)) == (333, 3 * 333)


# --- blocks and loads ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "loops"), [("spatial parallelograms", 8), ("spatial four-bars", 8), ("spatial ring", 1)]
)
def test_each_loop_that_hangs_on_one_body_is_a_block(name, loops):
    system, rows = at_start(large.MODELS[name], 24)
    found = blocks(system, rows)
    assert sorted(k for block in found for k in block) == rows
    assert len(found) == loops


def test_joints_of_a_tree_are_blocks_of_their_own_and_other_constraints_close_loops_over_the_ground():
    system, rows = at_start(large.planar_chain, 5)
    assert len(blocks(system, rows)) == 5
    m = large.planar_chain(5)
    m.constrain("level", m["b3"].phi)
    system = lower(m)
    assert [len(block) for block in blocks(system, range(len(system.rows)))] == [9, 2]


@pytest.mark.parametrize("small", [0, 200])
@pytest.mark.parametrize("name", ["planar redundant", "spatial parallelograms", "spatial four-bars"])
def test_loads_shared_block_by_block_are_those_shared_by_all(name, small, monkeypatch):
    system, rows = at_start(large.MODELS[name], 24)
    active = [rows[k] for k in rank.rank_of(rank.jacobian(system, system.start, 0.0, rows)).independent]
    lam = np.zeros((2, len(system.rows)))
    lam[:, active] = np.random.default_rng(3).normal(size=(2, len(active)))
    q = np.vstack([system.start, system.start])
    together = sharing.smallest_multipliers(system, rows, active, np.zeros(2), q, lam)
    monkeypatch.setattr(sharing, "MOST", 0)
    monkeypatch.setattr(sharing, "SMALL", small)
    apart = sharing.smallest_multipliers(system, rows, active, np.zeros(2), q, lam)
    assert np.abs(apart - together).max() < 1e-9
    least = np.linalg.lstsq(
        J := rank.jacobian(system, system.start, 0.0, rows).T, J @ (lam[0, rows] * system.row_scales()[rows])
    )[0]
    assert np.abs(apart[0] * system.row_scales()[rows] - least).max() < 1e-9


# --- the order of elimination ----------------------------------------------------------------------------------------------


def test_the_order_of_elimination_is_that_of_the_smallest_degree_first():
    """Against the definition, one look at all that are left per step."""
    random = np.random.default_rng(8)
    places = {row: {int(c): 0 for c in random.choice(40, size=3)} for row in range(60)}
    owners = {row: f"c{row // 2}" for row in places}
    neighbours = {
        owner: {
            owners[other]
            for row in places if owners[row] == owner
            for other in places if owners[other] != owner and places[other].keys() & places[row].keys()
        }
        for owner in owners.values()
    }  # fmt: skip
    expected, left = [], list(neighbours)
    while left:
        owner = min(left, key=lambda name: (len(neighbours[name]), int(name[1:])))
        left.remove(owner)
        expected += [row for row in places if owners[row] == owner]
        for other in neighbours[owner]:
            neighbours[other] = (neighbours[other] | neighbours[owner]) - {owner, other}
    assert pattern._minimum_degree(owners, places) == expected
