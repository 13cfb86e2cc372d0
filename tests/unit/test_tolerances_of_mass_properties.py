"""Tolerances of comparisons of mass properties: relative to the mass, the largest moment and the size, on both sides of each."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytrammel.inertia import MassProperties

MOMENTS = (0.7, 1.0, 0.5)  # about x, y and z; the largest one in the middle
REL = 0.01
RADIUS = math.sqrt(1.0 / 2.0)  # largest radius of gyration of 2 kg


def body(mass=2.0, centroid=(0.0, 0.0, 0.0), moments=MOMENTS, products=(0.0, 0.0, 0.0)):
    J = np.diag(moments)
    J[0, 1] = J[1, 0] = products[0]
    J[1, 2] = J[2, 1] = products[1]
    J[0, 2] = J[2, 0] = products[2]
    return MassProperties(mass, centroid, J)


SIDES = [(0.98, True), (1.02, False)]


@pytest.mark.parametrize(("factor", "close"), SIDES)
def test_masses_centroids_and_moments_are_compared_with_their_own_sizes(factor, close):
    step = factor * REL
    others = [
        body(mass=2.0 * (1.0 - step)),
        body(mass=2.0 * (1.0 + step)),
        body(centroid=(0.0, 0.6 * step * RADIUS, -0.8 * step * RADIUS)),
        body(moments=(0.7, 1.0, 0.5 + step)),
        body(products=(step / math.sqrt(2.0), 0.0, 0.0)),  # both entries of the matrix
    ]
    for other in others:
        assert body().is_close(other, rel=REL) is close
    far = body(centroid=(3.0, 0.0, -4.0))  # farther from the origin than its own size
    assert far.is_close(body(centroid=(3.0, 5.0 * step, -4.0)), rel=REL) is close


@pytest.mark.parametrize(("factor", "close"), SIDES)
def test_planes_of_symmetry_have_products_and_distances_up_to_a_limit(factor, close):
    step = factor * REL
    assert body(products=(step, 0.0, 0.0)).is_symmetric_about_plane((1.0, 0.0, 0.0), rel=REL) is close
    assert body(products=(step, 0.0, 0.0)).is_symmetric_about_plane((0.0, 2.0, 0.0), rel=REL) is close
    assert body(products=(step, 0.0, 0.0)).is_symmetric_about_plane((0.0, 0.0, 1.0), rel=REL)
    point = (7.0, step * RADIUS, -3.0)
    assert body().is_symmetric_about_plane((0.0, 1.0, 0.0), through=point, rel=REL) is close


@pytest.mark.parametrize(("factor", "close"), SIDES)
def test_axes_of_symmetry_have_differences_and_distances_up_to_a_limit(factor, close):
    step = factor * REL
    # moments 0.8 ± d about x and z differ from their mean by d each
    d = step / math.sqrt(2.0)
    assert body(moments=(0.8 + d, 1.0, 0.8 - d)).is_symmetric_about_axis((0.0, 1.0, 0.0), rel=REL) is close
    round_body = body(moments=(0.8, 1.0, 0.8))
    point = (0.6 * step * RADIUS, 5.0, 0.8 * step * RADIUS)
    assert round_body.is_symmetric_about_axis((0.0, 3.0, 0.0), through=point, rel=REL) is close
    assert not round_body.is_symmetric_about_axis((1.0, 0.0, 0.0), rel=REL)


@pytest.mark.parametrize(("factor", "close"), SIDES)
def test_equal_moments_differ_by_a_share_of_the_largest(factor, close):
    step = factor * REL
    assert body(moments=(1.0 - step, 1.0, 1.0 - 0.4 * step)).symmetry(rel=REL) == (
        "spherical" if close else "rotational"
    )
    assert body(moments=(1.0 - step, 1.0, 0.5)).symmetry(rel=REL) == ("rotational" if close else "none")
    assert body(moments=(0.6, 1.0, 0.6 + step)).symmetry(rel=REL) == ("rotational" if close else "none")
    assert body().symmetry(rel=REL) == "none"


def test_principal_axes_are_right_handed_with_positive_leading_components():
    """The leading component is the largest one, the first among equals."""
    first = np.array([1.0, -1.0, 0.0]) / math.sqrt(2.0)
    second = np.array([-1.0, -1.0, 1.0]) / math.sqrt(3.0)
    third = np.cross(first, second)
    turned = np.column_stack([first, second, third])
    found = MassProperties(2.0, (0.0, 0.0, 0.0), turned @ np.diag([1.0, 0.7, 0.5]) @ turned.T).principal
    assert found.moments == pytest.approx([1.0, 0.7, 0.5]) and found.gyration_radii == pytest.approx(
        np.sqrt([0.5, 0.35, 0.25])
    )
    np.testing.assert_allclose(found.axes[:, 0], first, atol=1e-12)
    np.testing.assert_allclose(found.axes[:, 1], -second, atol=1e-12)
    np.testing.assert_allclose(found.axes[:, 2], np.cross(first, -second), atol=1e-12)
