"""The toolbox of linear equations: every method against NumPy's own answers, its identities, and its refusals."""

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.textbook import linear

PIVOTINGS = ("none", "row", "column", "full")
ROUNDING = 1e-10  # random matrices of size 6 with condition numbers below a thousand
SHAPES = [(5, 5), (3, 6), (6, 3), (1, 4), (4, 1), (1, 1)]


def random(shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def of_rank(rank, shape, seed=1):
    return random((shape[0], rank), seed) @ random((rank, shape[1]), seed + 100)


@pytest.mark.parametrize("pivoting", PIVOTINGS)
@pytest.mark.parametrize("method", [linear.gauss, linear.gauss_jordan])
def test_equations_are_solved(method, pivoting):
    A, c = random((6, 6)), random(6, 2)
    found = method(A, c, pivoting=pivoting)
    assert found.solution == pytest.approx(np.linalg.solve(A, c), abs=ROUNDING)
    assert found.determinant == pytest.approx(np.linalg.det(A), rel=ROUNDING)
    assert found.residual < ROUNDING


@pytest.mark.parametrize("pivoting", PIVOTINGS)
def test_gauss_jordan_on_the_identity_gives_the_inverse(pivoting):
    A = random((5, 5), 3)
    found = linear.gauss_jordan(A, np.eye(5), pivoting=pivoting)
    assert found.solution == pytest.approx(np.linalg.inv(A), abs=ROUNDING)
    assert found.reduced == pytest.approx(np.eye(5), abs=ROUNDING)


@pytest.mark.parametrize("form", ["doolittle", "crout"])
@pytest.mark.parametrize("pivoting", PIVOTINGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_multiply_to_the_matrix_in_its_new_order(shape, pivoting, form):
    A = random(shape, 4)
    f = linear.lu(A, pivoting=pivoting, form=form)
    assert A[list(f.row_order)][:, list(f.column_order)] == pytest.approx(f.L @ f.U, abs=ROUNDING)
    assert f.rank == min(shape)
    assert np.diag(f.L if form == "doolittle" else f.U) == pytest.approx(np.ones(f.rank))
    assert np.triu(f.L, 1) == pytest.approx(0.0) and np.tril(f.U, -1) == pytest.approx(0.0)


@pytest.mark.parametrize("pivoting", PIVOTINGS)
def test_factors_serve_many_right_sides(pivoting):
    A, c = random((5, 5), 5), random((5, 3), 6)
    f = linear.lu(A, pivoting=pivoting)
    assert f.solve(c) == pytest.approx(np.linalg.solve(A, c), abs=ROUNDING)
    assert f.solve(c[:, 0]) == pytest.approx(np.linalg.solve(A, c[:, 0]), abs=ROUNDING)
    assert f.determinant == pytest.approx(np.linalg.det(A), rel=ROUNDING)


@pytest.mark.parametrize("pivoting", ["row", "column", "full"])
@pytest.mark.parametrize("shape", [(6, 6), (4, 7), (7, 4)])
def test_rank_and_dependent_rows_are_found(shape, pivoting):
    A = of_rank(3, shape)
    for found in (linear.gauss(A, pivoting=pivoting), linear.lu(A, pivoting=pivoting)):
        assert found.rank == 3
        assert len(found.redundant) == shape[0] - 3
        kept = [k for k in range(shape[0]) if k not in found.redundant]
        assert np.linalg.matrix_rank(A[kept]) == 3


@pytest.mark.parametrize("pivoting", ["row", "column", "full"])
def test_the_influence_matrix_says_what_follows_from_what(pivoting):
    A = of_rank(3, (5, 7), 8)
    f = linear.lu(A, pivoting=pivoting)
    x = np.zeros(7)
    v = random(4, 9)
    x[list(f.column_order[3:])], x[list(f.column_order[:3])] = v, f.H @ v
    assert A @ x == pytest.approx(np.zeros(5), abs=ROUNDING)


@pytest.mark.parametrize("method", ["householder", "givens", "gram-schmidt"])
@pytest.mark.parametrize("shape", SHAPES)
def test_qr(method, shape):
    A = random(shape, 10)
    f = linear.qr(A, method=method)
    assert f.residual < ROUNDING and f.orthogonality < ROUNDING
    assert not np.tril(f.R, -1).any()
    assert f.rank == min(shape)


@pytest.mark.parametrize("method", ["householder", "gram-schmidt"])
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5)])
def test_qr_with_exchange_of_columns_puts_what_is_left_in_order(method, shape):
    A = of_rank(3, shape, 11)
    f = linear.qr(A, method=method, pivoting=True)
    sizes = np.abs(np.diag(f.R))
    assert f.rank == 3 and f.residual < ROUNDING
    assert (np.diff(sizes[:3]) <= ROUNDING).all()


def test_qr_solves_by_least_squares():
    A, c = random((7, 3), 12), random(7, 13)
    for method in ("householder", "givens", "gram-schmidt"):
        expected = np.linalg.lstsq(A, c, rcond=None)[0]
        assert linear.qr(A, method=method).solve(c) == pytest.approx(expected, abs=ROUNDING)


def test_gram_schmidt_tells_how_orthogonality_suffers():
    hilbert = 1.0 / (np.arange(8)[:, None] + np.arange(8) + 1.0)
    by_process, by_reflection = (linear.qr(hilbert, method=m) for m in ("gram-schmidt", "householder"))
    assert by_process.orthogonality > 1e3 * by_reflection.orthogonality


def test_every_step_keeps_the_solutions():
    A, c = random((4, 4), 14), random(4, 15)
    x = np.linalg.solve(A, c)
    for step in linear.gauss(A, c, pivoting="full").steps:
        order = [int(name[1:]) - 1 for name in step.columns[:4]]
        assert step.matrix[:, :4] @ x[order] == pytest.approx(step.matrix[:, 4], abs=ROUNDING)


def test_without_pivoting_a_zero_pivot_stops_with_the_steps_so_far():
    for method in (linear.gauss, linear.gauss_jordan, linear.lu):
        with pytest.raises(tm.SingularError, match="pivot of step 2 is zero") as caught:
            method([[1, 2, 3], [2, 4, 5], [1, 1, 1]], pivoting="none")
        assert caught.value.partial.rank == 1
        assert len(caught.value.partial.steps) == 2


def test_contradictions_and_free_unknowns_are_told():
    with pytest.raises(tm.SingularError, match="contradict each other: after elimination equation 2 reads 0 = 1"):
        _ = linear.gauss([[1, 2], [2, 4]], [1, 3], pivoting="column").solution
    with pytest.raises(tm.SingularError, match=r"not unique.*x2 may have any value"):
        _ = linear.gauss([[1, 2], [2, 4]], [1, 2]).solution
    with pytest.raises(tm.SingularError, match="rank 1"):
        linear.lu([[1, 2], [2, 4]]).solve([1, 2])
    with pytest.raises(tm.SingularError, match="columns are dependent"):
        linear.qr([[1, 2], [2, 4]]).solve([1, 2])


def test_more_equations_than_unknowns_are_solved_if_they_agree():
    A, x = random((6, 3), 16), np.array([1.0, -2.0, 0.5])
    assert linear.gauss(A, A @ x).solution == pytest.approx(x, abs=ROUNDING)
    with pytest.raises(tm.SingularError, match="contradict"):
        _ = linear.gauss(A, A @ x + random(6, 17)).solution


def test_what_a_matrix_has_not_is_said():
    with pytest.raises(tm.ModelError, match="2 rows and 3 columns has no determinant"):
        _ = linear.lu([[1, 2, 3], [4, 5, 6]]).determinant
    with pytest.raises(tm.ModelError, match="no solution without a right side"):
        _ = linear.gauss([[1, 2], [3, 4]]).solution
    with pytest.raises(tm.ModelError, match="there are 2 equations"):
        linear.gauss([[1, 2], [3, 4]], [1, 2, 3])
    with pytest.raises(tm.ModelError, match="overflow"):
        linear.lu([[1e200, 1e300], [1e300, 1e-300]], pivoting="none", tolerance=0.0)


def test_text_shows_the_steps_and_fractions():
    text = linear.lu([[1, 2], [3, 4]], pivoting="row").shown(fractions=True)
    assert "the largest entry in column 1 is 3: exchange rows 1 and 2" in text
    assert "1/3" in text and "determinant -2" in text
    assert "back substitution: x1 = 1, x2 = 2" in str(linear.gauss([[1, 1], [0, 2]], [3, 4]))


# --- partition -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", linear.METHODS)
def test_every_method_finds_a_partition_that_holds(method):
    J = of_rank(4, (6, 9), 20)
    p = linear.partition(J, method=method)
    assert (p.rank, p.dof, len(p.redundant)) == (4, 5, 2)
    assert sorted(p.dependent + p.independent) == sorted(p.names)
    motion = np.zeros(9)
    v = random(5, 21)
    motion[list(p.choice.independent)], motion[list(p.choice.dependent)] = v, p.H @ v
    assert J @ motion == pytest.approx(np.zeros(6), abs=ROUNDING)
    assert p.amplification == pytest.approx(np.linalg.norm(p.H, 2))
    kept = [k for k in range(6) if k not in p.choice.redundant]
    assert np.linalg.matrix_rank(J[kept]) == 4


@pytest.mark.parametrize("method", linear.METHODS)
@pytest.mark.parametrize("seed", range(10))
def test_with_scales_units_do_not_change_the_choice(method, seed):
    J, units, rows = random((4, 7), seed), 10.0 ** random(7, seed + 50), 10.0 ** random(4, seed + 90)
    here = linear.partition(J, method=method, scales=np.ones(7))
    there = linear.partition(J / units * rows[:, None], method=method, scales=units)
    assert there.choice.dependent == here.choice.dependent
    assert there.amplification == pytest.approx(here.amplification)
    for u in here.dependent:  # H itself is in units of the columns
        for v in here.independent:
            factor = units[here.names.index(u)] / units[here.names.index(v)]
            assert there.influence(u, v) == pytest.approx(factor * here.influence(u, v))


@pytest.mark.parametrize("angle", [0.0, 0.1, 0.7, 1.5, 3.0])
def test_errors_of_a_pendulum_grow_as_the_book_says(angle):
    # x = d cos f, y = d sin f; v = x: df = -dx / (d sin f), dy = -dx cos f / sin f; v = f: always bounded (sec. 13.3.2)
    d, s, c = 2.0, np.sin(angle), np.cos(angle)
    J = [[1, 0, d * s], [0, 1, -d * c]]
    names = ["x", "y", "f"]
    by_angle = linear.partition(J, independent=["f"], names=names)
    assert [by_angle.influence("x", "f"), by_angle.influence("y", "f")] == pytest.approx([-d * s, d * c])
    assert by_angle.amplification == pytest.approx(d)
    if angle == 0.0:
        with pytest.raises(tm.SingularError, match="x cannot be independent here: with it held, y, f could still move"):
            linear.partition(J, independent=["x"], names=names)
        return
    by_x = linear.partition(J, independent="x", names=names)
    assert [by_x.influence("f", "x"), by_x.influence("y", "x")] == pytest.approx([-1 / (d * s), -c / s])
    by_y = linear.partition(J, independent=["y"], names=names)
    assert [by_y.influence("f", "y"), by_y.influence("x", "y")] == pytest.approx([1 / (d * c), -s / c])


def test_of_equal_entries_the_first_is_dependent_whatever_rounding_says():
    for wobble in (0.0, 1e-15, -1e-15):
        assert linear.choose_columns([[1.0, 1.0 + wobble, 1.0 - wobble]], "gauss").dependent == (0,)
        assert linear.choose_columns([[1.0, 1.0 + wobble, 1.0 - wobble]], "qr").dependent == (0,)


def test_partitions_that_cannot_be_are_refused():
    J = [[1, 2, 3], [0, 1, 1]]
    with pytest.raises(tm.ModelError, match="no column 'z'; choose from: x1, x2, x3"):
        linear.partition(J, independent=["z"])
    with pytest.raises(tm.ModelError, match=r"2 independent columns named .* leave 1 independent"):
        linear.partition(J, independent=["x1", "x2"])
    with pytest.raises(tm.ModelError, match="twice"):
        linear.partition(J, independent=["x1", "x1"])
    with pytest.raises(tm.ModelError, match="method is 'cholesky'; use one of: 'gauss'"):
        linear.partition(J, method="cholesky")
    with pytest.raises(tm.ModelError, match="scales must be 3 numbers greater than 0"):
        linear.partition(J, scales=[1, 2, 0])


def test_the_report_names_what_is_independent_and_why():
    text = str(linear.partition([[1, 4, 2], [2, 8, 4]], method="gauss", names=["a", "b", "c"], row_names=["A", "B"]))
    assert "independent: a, c" in text.replace("c, a", "a, c")
    assert "A → b, pivot 4; next c with 2" in text
    assert "rows that say nothing new here: B" in text
    assert "amplification" in text
