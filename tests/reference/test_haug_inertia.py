"""Mass properties: the numbers of Haug's and Nikravesh's books."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inertia_bodies import ROUNDING, STEEL, same
from trammel import inertia
from trammel.inertia import MassProperties, composite

# ---- the books' numbers ----


def test_box_of_nikravesh() -> None:
    assert np.array_equal(inertia.box(1, 2, 3, mass=6).inertia, np.diag([6.5, 5.0, 2.5]))


def test_particles_of_nikravesh() -> None:
    cloud = inertia.particles([1, 2, 3], [(1, 0, 0), (0, 2, 0), (0, 0, 3)])
    assert cloud.mass == 6.0
    assert cloud.centroid == pytest.approx([1 / 6, 2 / 3, 3 / 2], rel=1e-15)
    J = [[18.83333, 0.66667, 1.5], [0.66667, 14.33333, 6], [1.5, 6, 6.16667]]
    assert cloud.inertia == pytest.approx(np.array(J), abs=5e-6)  # half a unit of the last printed digit
    assert cloud.principal.moments == pytest.approx([19.666667, 16.739450, 2.927217], abs=5e-7)
    one_by_one = [inertia.point_mass(m, p) for m, p in zip([1, 2, 3], np.diag([1.0, 2.0, 3.0]), strict=True)]
    assert same(composite(*one_by_one), cloud)


def test_particles_at_one_place_are_one_particle() -> None:
    cloud = inertia.particles([2.0, 0.01, 0.01, 0.01], [(1.1e-26, 0.3, 7.7)] * 4)
    assert same(cloud, inertia.point_mass(2.03, (1.1e-26, 0.3, 7.7)))


def test_parallel_axes_of_example_11_1_2() -> None:
    J = [[0.30, 0.02, 0.01], [0.02, 0.40, -0.03], [0.01, -0.03, 0.25]]
    about_pin = [[1.17, -0.04, 0.16], [-0.04, 1.18, 0.27], [0.16, 0.27, 0.40]]
    body = MassProperties(3.0, (0.1, 0.2, -0.5), J)
    assert body.about((0, 0, 0)) == pytest.approx(np.array(about_pin), rel=ROUNDING)
    assert same(MassProperties.from_about(3.0, (0.1, 0.2, -0.5), about_pin), body)


def wedge(density: float) -> MassProperties:
    """Examples 11.2.1 and 11.2.2: 0 ≤ x ≤ 10, 0 ≤ y ≤ 10, 9 - 0.2 y ≤ z ≤ 11 + 0.2 y; a prism along x."""
    return inertia.extruded_polygon([(0, 9), (10, 7), (10, 13), (0, 11)], 10.0, axis="x", density=density)


def test_wedge_of_examples_11_2_1_and_11_2_2() -> None:
    gamma = 1.7
    body = wedge(gamma)
    assert body.mass == pytest.approx(400 * gamma, rel=ROUNDING)
    assert body.centroid == pytest.approx([5, 35 / 6, 10], rel=ROUNDING)
    about_origin = np.array(
        [[172000 / 3, -35000 / 3, -20000], [-35000 / 3, 54000, -70000 / 3], [-20000, -70000 / 3, 30000]]
    )
    assert body.about((0, 0, 0)) == pytest.approx(gamma * about_origin, rel=ROUNDING)
    assert body.inertia == pytest.approx(gamma * np.diag([33500 / 9, 4000, 57500 / 9]), rel=ROUNDING, abs=1e-9)
    assert body.is_symmetric_about_plane((0, 0, 1), through=(0, 0, 10))
    assert body.is_symmetric_about_plane((1, 0, 0), through=(5, 0, 0))
    assert not body.is_symmetric_about_plane((1, 1, 0))


def test_triangle_of_example_11_2_3() -> None:
    gamma = 3.0
    plate = inertia.triangular_plate((0, 0), (1, 0), (0, 1), density=gamma)
    assert plate.mass == pytest.approx(gamma / 2, rel=ROUNDING)
    assert plate.centroid == pytest.approx([1 / 3, 1 / 3, 0], rel=ROUNDING)
    about_corner = gamma / 24 * np.array([[2, -1, 0], [-1, 2, 0], [0, 0, 4]])
    assert plate.about((0, 0, 0)) == pytest.approx(about_corner, rel=ROUNDING)
    assert plate.inertia == pytest.approx(gamma / 72 * np.array([[2, 1, 0], [1, 2, 0], [0, 0, 4]]), rel=ROUNDING)
    principal = plate.principal
    assert principal.moments == pytest.approx([gamma / 18, gamma / 24, gamma / 72], rel=ROUNDING)
    f, g, h = [0, 0, 1], np.array([1, 1, 0]) / math.sqrt(2), np.array([-1, 1, 0]) / math.sqrt(2)
    assert principal.axes == pytest.approx(np.stack([f, g, h], axis=1), abs=ROUNDING)


def test_capsule_of_example_11_2_4() -> None:
    R, L, g = 0.05, 0.2, STEEL
    across = math.pi * g * R**2 * L / 12 * (3 * R**2 + L**2) + 2 * (
        83 * math.pi * g * R**5 / 480 + 2 * math.pi * g * R**3 / 3 * ((4 * L + 3 * R) / 8) ** 2
    )
    along = math.pi * g * R**4 * L / 2 + 8 * math.pi * g * R**5 / 15
    body = inertia.capsule(R, L, axis="y", density=g)
    assert body.inertia == pytest.approx(np.diag([across, along, across]), rel=ROUNDING, abs=1e-16)
    assert body.mass == pytest.approx(16.441001554, abs=5e-10)
    assert (across, along) == pytest.approx((0.109435417, 0.019523689), abs=5e-10)
    assert body.symmetry() == "rotational"
    assert body.is_symmetric_about_axis((0, 1, 0), through=(0, 7, 0)) and not body.is_symmetric_about_axis((1, 0, 0))


def test_drilled_bar_of_example_11_2_5() -> None:
    a, b, c, g = 0.3, 0.1, 0.06, STEEL
    bar = inertia.box(a, b, c, density=g) - inertia.cylinder(c / 2, a, axis="x", density=g)
    hole = math.pi * g * c**2 * a / 48 * (3 * c**2 / 4 + a**2)
    expected = [
        g * a * b * c * (b**2 + c**2) / 12 - math.pi * g * c**4 * a / 32,
        g * a * b * c * (a**2 + c**2) / 12 - hole,
        g * a * b * c * (a**2 + b**2) / 12 - hole,
    ]
    assert bar.inertia == pytest.approx(np.diag(expected), rel=ROUNDING, abs=1e-16)
    assert bar.mass == pytest.approx(7.471394371, abs=5e-10)
    assert np.diag(bar.inertia) == pytest.approx([0.013017627, 0.058776272, 0.066312272], abs=5e-10)


def test_table_11_2_1() -> None:
    m, R, r, h, a = 2.0, 0.5, 0.3, 1.2, 0.7
    table = {
        inertia.cube(a, mass=m): [m * a**2 / 6] * 3,
        inertia.sphere(R, mass=m): [2 * m * R**2 / 5] * 3,
        inertia.hollow_sphere(R, r, mass=m): [2 * m / 5 * (R**5 - r**5) / (R**3 - r**3)] * 3,
        inertia.hemisphere(R, mass=m): [83 * m * R**2 / 320, 83 * m * R**2 / 320, 2 * m * R**2 / 5],
        inertia.cone(R, h, mass=m): [3 * m * (4 * R**2 + h**2) / 80, 3 * m * (4 * R**2 + h**2) / 80, 3 * m * R**2 / 10],
        inertia.cylinder(R, h, mass=m): [m * (3 * R**2 + h**2) / 12, m * (3 * R**2 + h**2) / 12, m * R**2 / 2],
        inertia.hollow_cylinder(R, r, h, mass=m): [
            *[m * (3 * R**2 + 3 * r**2 + h**2) / 12] * 2,
            m * (R**2 + r**2) / 2,
        ],
    }
    for body, moments in table.items():
        assert body.inertia == pytest.approx(np.diag(moments), rel=ROUNDING, abs=1e-16)
    assert inertia.hemisphere(R, mass=m).centroid == pytest.approx([0, 0, 3 * R / 8], rel=ROUNDING)
    assert inertia.cone(R, h, mass=m).centroid == pytest.approx([0, 0, h / 4], rel=ROUNDING)


def test_inertia_in_global_axes_of_nikravesh() -> None:
    e0, e = 0.5, np.array([0.7, -0.5, 0.1])
    K = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    A = (2 * e0**2 - 1) * np.eye(3) + 2 * (np.outer(e, e) + e0 * K)  # eq. 6.18
    J = np.array([[2.8992, 0.576, -0.1344], [0.576, 3.28, 0.768], [-0.1344, 0.768, 2.8208]])
    assert MassProperties(1.0, (0, 0, 0), (2, 3, 4)).rotated(A).inertia == pytest.approx(J, rel=1e-13)
