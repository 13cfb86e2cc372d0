"""Parameters stand wherever a number does, and the numbers of variants follow them without a description: every registered type."""

import numpy as np
import pytest

from parameter_models import cases
from pytrammel.system.lowering import lower
from pytrammel.system.parameter_map import STEP, WEIGHTS, parameter_map
from pytrammel.system.tape_runs import FEW
from pytrammel.testing.parameters import check_parameters, model_of
from registry_samples import TYPES


@pytest.fixture(scope="module", params=cases(TYPES), ids=lambda case: f"{case[0]}-{case[1].__name__}")
def case(request):
    return request.param


@pytest.fixture(scope="module")
def made(case):
    kind, spelling = case
    return parameter_map(model_of(kind, use=True, spelling=spelling), dynamics=True)


def test_parameters_are_lowered_as_the_plain_numbers_are(case, made):
    kind, spelling = case
    plain = lower(model_of(kind, use=False, spelling=spelling), dynamics=True)
    assert np.array_equal(made.system.start, plain.start)
    assert made.system.length == plain.length
    # formulas take the sign of a plain number out of it, and a number that is there twice only once
    assert set(np.abs(made.system.floats)) == set(np.abs(plain.floats))


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_the_public_check_of_parameters_passes(kind):
    check_parameters(kind)


def test_a_builder_keeps_the_trace_of_its_numbers(made):
    # lost by float(), math.sin() and arrays of floats: take reals.real(), reals.sin() and reals.array() instead
    assert made.traced


def test_variants_have_the_bits_of_their_own_descriptions(made):
    rng = np.random.default_rng(5)
    values = made.values * (1.0 + rng.uniform(-2e-4, 2e-4, (FEW + 4, len(made.names))))
    found = made.at(values)
    fitting = np.flatnonzero(found.fits)
    assert len(fitting) > FEW
    alone = lower(made.model(values[fitting[-1]]), dynamics=True)
    assert np.array_equal(found.floats[fitting[-1]], alone.floats)
    assert np.array_equal(found.start[fitting[-1]], alone.start)
    assert found.length[fitting[-1]] == alone.length
    one = made.at(values[fitting[:1]])  # number by number instead of in arrays
    assert np.array_equal(one.floats[0], found.floats[fitting[0]])


def test_derivatives_are_those_of_the_variants(made):
    d = made.jacobian()
    chosen = range(0, len(made.names), 11)  # of places, poses, masses, arguments of the type
    steps = {k: 0.1 * STEP * (abs(made.values[k]) or 1.0) for k in chosen}
    stencil = [(k, sign * ahead, sign * weight) for k in chosen for ahead, weight in WEIGHTS for sign in (1.0, -1.0)]
    moved = np.tile(made.values, (len(stencil), 1))
    for row, (k, ahead, _) in zip(moved, stencil, strict=True):
        row[k] += ahead * steps[k]
    found = made.at(moved)
    assert found.fits.all()
    numbers = np.nan_to_num(np.hstack([found.floats, found.start]), posinf=0.0, neginf=0.0)
    size = 1.0 + np.abs(numbers).max()
    for k in chosen:
        slopes = sum(weight * numbers[n] for n, (key, _, weight) in enumerate(stencil) if key == k) / steps[k]
        exact = np.concatenate([d.floats[:, k], d.start[:, k]])
        # differences lose about 1e-13 of the numbers to rounding over steps of 1e-3 and less
        np.testing.assert_allclose(slopes, exact, rtol=1e-8, atol=1e-9 * size / abs(made.values[k] or 1.0))
