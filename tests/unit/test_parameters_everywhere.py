"""Parameters stand wherever a number does, and the numbers of variants follow them without a description: every registered type."""

import numpy as np
import pytest

from parameter_models import cases, model_of
from registry_samples import TYPES
from trammel.system.lowering import lower
from trammel.system.parameter_map import STEP, WEIGHTS, parameter_map
from trammel.system.tape_runs import FEW

PLANAR = cases([kind for kind in TYPES if not kind.space])


@pytest.fixture(scope="module", params=PLANAR, ids=lambda case: f"{case[0].kind}-{case[1].__name__}")
def case(request):
    return request.param


@pytest.fixture(scope="module")
def made(case):
    kind, spelling = case
    return parameter_map(model_of(kind, use=True, spelling=spelling), dynamics=True)


def test_parameters_are_lowered_as_the_plain_numbers_are(case, made):
    kind, spelling = case
    plain = lower(model_of(kind, use=False, spelling=spelling), dynamics=True)
    assert np.array_equal(made.system.floats, plain.floats)
    assert np.array_equal(made.system.start, plain.start)
    assert made.system.length == plain.length


def test_a_builder_keeps_the_trace_of_its_numbers(made):
    # lost by float(), math.sin() and arrays of floats: take reals.real(), reals.sin() and reals.array() instead
    assert made.traced


def test_variants_have_the_bits_of_their_own_descriptions(made):
    rng = np.random.default_rng(5)
    values = made.values * (1.0 + rng.uniform(-2e-4, 2e-4, (FEW + 4, len(made.names))))
    found = made.at(values)
    assert found.fits.sum() > FEW
    for k in np.flatnonzero(found.fits)[[0, -1]]:
        alone = lower(made.model(values[k]), dynamics=True)
        assert np.array_equal(found.floats[k], alone.floats)
        assert np.array_equal(found.start[k], alone.start)
        assert found.length[k] == alone.length
    one = made.at(values[:1])  # number by number instead of in arrays
    assert np.array_equal(one.floats[0], found.floats[0])


def test_derivatives_are_those_of_the_variants(made):
    d = made.jacobian()
    for k in range(0, len(made.names), 7):  # every seventh: places, poses, masses, arguments of the type
        step = 0.1 * STEP * (abs(made.values[k]) or 1.0)
        total = 0.0
        for ahead, weight in WEIGHTS:
            for sign in (1.0, -1.0):
                moved = made.values.copy()
                moved[k] += sign * ahead * step
                row = made.at(moved)
                assert row.fits.all()
                total = total + sign * weight * np.nan_to_num(
                    np.concatenate([row.floats[0], row.start[0]]), posinf=0, neginf=0
                )
        exact = np.concatenate([d.floats[:, k], d.start[:, k]])
        size = 1.0 + np.abs(made.system.floats[np.isfinite(made.system.floats)]).max() / abs(made.values[k] or 1.0)
        # differences lose about 1e-12 of the numbers to rounding over steps of 1e-3
        np.testing.assert_allclose(total / step, exact, rtol=1e-8, atol=1e-9 * size)
