"""The choice of columns by length against SciPy's QR factorisation with exchange of columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import qr

from pytrammel.analysis.column_partition import _most_left


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_columns_follow_by_the_length_of_their_rests(seed: int, scale: float) -> None:
    """Order and sizes equal SciPy's; the rival of a pick is the longest rest of the columns not yet taken."""
    matrix = scale * np.random.default_rng(seed).normal(size=(4, 7))
    order, picks = _most_left(matrix, 0.0, 4)
    _, r, places = qr(matrix, pivoting=True)
    assert order[:4] == list(places[:4])
    assert [pick.size for pick in picks] == pytest.approx(np.abs(np.diag(r)), rel=1e-12)
    for k, pick in enumerate(picks):
        taken, others = matrix[:, order[:k]], [j for j in range(7) if j not in order[: k + 1]]
        rest = matrix - taken @ np.linalg.pinv(taken) @ matrix if k else matrix
        lengths = {j: float(np.linalg.norm(rest[:, j])) for j in others}
        assert pick.rival == max(lengths, key=lengths.__getitem__)
        assert pick.rival_size == pytest.approx(max(lengths.values()), rel=1e-10)
