"""Mass properties: every shape against quadrature, the books' numbers, identities, meshes, and every sentence."""

from __future__ import annotations

import math
import re
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trammel import inertia
from trammel.errors import FileFormatError, ModelError, ModelWarning
from trammel.inertia import MassProperties, Mesh, check_inertia, composite

# a few roundings of a few dozen operations
ROUNDING = 1e-13

STEEL = 7850.0
PAGE = Path(__file__).parents[2] / "docs" / "theory" / "inertia.md"


def rotation(axis: Any, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    u = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


TURN = rotation((1.0, -2.0, 0.5), 0.7)


def same(a: MassProperties, b: MassProperties, rel: float = ROUNDING) -> bool:
    size = math.sqrt(np.trace(b.inertia) / b.mass) + float(np.linalg.norm(b.centroid))
    return bool(
        abs(a.mass - b.mass) <= rel * b.mass
        and np.abs(a.centroid - b.centroid).max() <= rel * size
        and np.abs(a.inertia - b.inertia).max() <= rel * np.trace(b.inertia)
    )


# ---- every shape against Gauss quadrature over its own parameters ----

Chart = Callable[..., tuple[Any, Any]]  # parameters -> point (x, y, z), stretch of length, area or volume


def integrate(chart: Chart, *ranges: tuple[float, float]) -> MassProperties:
    """∫dm, ∫s dm, ∫(sᵀs 1 - s sᵀ) dm of unit density by 24 Gauss points per parameter.

    The integrands are polynomials and products of sines up to the fourth power: 24 points leave rounding only.
    """
    nodes, weights = np.polynomial.legendre.leggauss(24)
    grids, factors = [], []
    for low, high in ranges:
        grids.append(0.5 * (low + high) + 0.5 * (high - low) * nodes)
        factors.append(0.5 * (high - low) * weights)
    mesh = np.meshgrid(*grids, indexing="ij")
    dm = np.prod(np.meshgrid(*factors, indexing="ij"), axis=0)
    point, stretch = chart(*mesh)
    dm = (dm * stretch).ravel()
    s = np.stack([np.broadcast_to(c, mesh[0].shape).ravel() for c in point], axis=1)
    mass = dm.sum()
    centroid = dm @ s / mass
    s = s - centroid
    J = np.einsum("n,nij->ij", dm, np.einsum("nk,nk->n", s, s)[:, None, None] * np.eye(3) - s[:, :, None] * s[:, None])
    return MassProperties(mass, centroid, J)


def ball(a: float, b: float, c: float) -> Chart:
    def chart(r: Any, th: Any, ph: Any) -> tuple[Any, Any]:
        x, y, z = r * np.sin(th) * np.cos(ph), r * np.sin(th) * np.sin(ph), r * np.cos(th)
        return (a * x, b * y, c * z), a * b * c * r * r * np.sin(th)

    return chart


def pipe(r: Any, ph: Any, z: Any) -> tuple[Any, Any]:
    return (r * np.cos(ph), r * np.sin(ph), z), r


def taper(bottom: float, top: float, height: float) -> Chart:
    def chart(u: Any, ph: Any, z: Any) -> tuple[Any, Any]:
        r = bottom + (top - bottom) * z / height
        return (u * r * np.cos(ph), u * r * np.sin(ph), z), u * r * r

    return chart


def doughnut(R: float) -> Chart:
    def chart(r: Any, th: Any, ph: Any) -> tuple[Any, Any]:
        w = R + r * np.cos(th)
        return (w * np.cos(ph), w * np.sin(ph), r * np.sin(th)), r * w

    return chart


def brick(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
    return (x, y, z), 1.0


def affine_triangle(a: Any, b: Any, c: Any) -> Chart:
    a, b, c = (np.asarray(p, dtype=float) for p in (a, b, c))
    area2 = np.linalg.norm(np.cross(b - a, c - a))

    def chart(u: Any, v: Any) -> tuple[Any, Any]:  # a square folded onto the triangle
        return tuple(a[k] + u * (b - a)[k] + u * v * (c - b)[k] for k in range(3)), area2 * u

    return chart


def affine_tetrahedron(a: Any, b: Any, c: Any, d: Any) -> Chart:
    a, b, c, d = (np.asarray(p, dtype=float) for p in (a, b, c, d))
    volume6 = abs(np.linalg.det([b - a, c - a, d - a]))

    def chart(u: Any, v: Any, w: Any) -> tuple[Any, Any]:
        return tuple(a[k] + u * ((b - a)[k] + v * ((c - b)[k] + w * (d - c)[k])) for k in range(3)), volume6 * u * u * v

    return chart


TAU, PI = math.tau, math.pi
CORNERS3 = [(0.3, -0.2, 1.0), (1.5, 0.1, 0.8), (0.4, 1.3, 1.1), (0.6, 0.5, 2.4)]
# an L: two rectangles 3 x 1 and 1 x 2, described also as such
ELL = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]


def ell(depth: tuple[float, float] | None) -> MassProperties:
    if depth is None:
        flat = [integrate(lambda x, y: ((x, y, 0.0), 1.0), (0, a), (b, c)) for a, b, c in ((3, 0, 1), (1, 1, 3))]
        return flat[0] + flat[1]
    return integrate(brick, (0, 3), (0, 1), depth) + integrate(brick, (0, 1), (1, 3), depth)


def ends(radius: float, length: float) -> MassProperties:
    def shifted(sign: float) -> Chart:
        def chart(r: Any, th: Any, ph: Any) -> tuple[Any, Any]:
            (x, y, z), stretch = ball(1, 1, 1)(r, th, ph)
            return (x, y, sign * (z + length / 2)), stretch

        return chart

    caps = [integrate(shifted(sign), (0, radius), (0, PI / 2), (0, TAU)) for sign in (1.0, -1.0)]
    return integrate(pipe, (0, radius), (0, TAU), (-length / 2, length / 2)) + caps[0] + caps[1]


# name -> (arguments, truth of unit density, has an axis)
SHAPES: dict[str, tuple[tuple[Any, ...], Callable[[], MassProperties], bool]] = {
    "box": ((1.0, 2.0, 3.0), lambda: integrate(brick, (-0.5, 0.5), (-1, 1), (-1.5, 1.5)), False),
    "cube": ((1.7,), lambda: integrate(brick, *[(-0.85, 0.85)] * 3), False),
    "sphere": ((0.9,), lambda: integrate(ball(1, 1, 1), (0, 0.9), (0, PI), (0, TAU)), False),
    "hollow_sphere": ((0.9, 0.6), lambda: integrate(ball(1, 1, 1), (0.6, 0.9), (0, PI), (0, TAU)), False),
    "hemisphere": ((0.8,), lambda: integrate(ball(1, 1, 1), (0, 0.8), (0, PI / 2), (0, TAU)), True),
    "ellipsoid": ((0.5, 0.8, 1.1), lambda: integrate(ball(0.5, 0.8, 1.1), (0, 1), (0, PI), (0, TAU)), False),
    "cylinder": ((0.4, 1.2), lambda: integrate(pipe, (0, 0.4), (0, TAU), (-0.6, 0.6)), True),
    "hollow_cylinder": ((0.4, 0.3, 1.2), lambda: integrate(pipe, (0.3, 0.4), (0, TAU), (-0.6, 0.6)), True),
    "half_cylinder": ((0.4, 1.2), lambda: integrate(pipe, (0, 0.4), (-PI / 2, PI / 2), (-0.6, 0.6)), True),
    "cone": ((0.5, 1.4), lambda: integrate(taper(0.5, 0, 1.4), (0, 1), (0, TAU), (0, 1.4)), True),
    "frustum": ((0.5, 0.2, 1.4), lambda: integrate(taper(0.5, 0.2, 1.4), (0, 1), (0, TAU), (0, 1.4)), True),
    "torus": ((1.0, 0.3), lambda: integrate(doughnut(1.0), (0, 0.3), (0, TAU), (0, TAU)), True),
    "capsule": ((0.3, 1.1), lambda: ends(0.3, 1.1), True),
    "tetrahedron": (tuple(CORNERS3), lambda: integrate(affine_tetrahedron(*CORNERS3), *[(0, 1)] * 3), False),
    "extruded_polygon": ((ELL, 0.5), lambda: ell((0, 0.5)), True),
    "thin_rod": ((1.3,), lambda: integrate(lambda y: ((0.0, y, 0.0), 1.0), (-0.65, 0.65)), False),
    "thin_ring": ((0.7,), lambda: integrate(lambda p: ((0.7 * np.cos(p), 0.7 * np.sin(p), 0.0), 0.7), (0, TAU)), True),
    "thin_disc": ((0.7,), lambda: integrate(lambda r, p: pipe(r, p, 0.0), (0, 0.7), (0, TAU)), True),
    "spherical_shell": ((0.7,), lambda: integrate(lambda t, p: ball(1, 1, 1)(0.7, t, p), (0, PI), (0, TAU)), False),
    "thin_plate": ((0.7, 1.9), lambda: integrate(lambda x, y: ((x, y, 0.0), 1.0), (-0.35, 0.35), (-0.95, 0.95)), True),
    "triangular_plate": (tuple(CORNERS3[:3]), lambda: integrate(affine_triangle(*CORNERS3[:3]), (0, 1), (0, 1)), False),
    "polygon_plate": ((ELL,), lambda: ell(None), True),
}
NO_DENSITY = {"point_mass", "particles"}
NOT_SHAPES = {"MassProperties", "Principal", "check_inertia", "composite", "Mesh", "read_mesh"}


def test_every_public_shape_is_tested() -> None:
    meshes = {name for name in inertia.__all__ if name.endswith("_mesh")}
    assert set(inertia.__all__) == set(SHAPES) | NO_DENSITY | NOT_SHAPES | meshes


@pytest.mark.parametrize("name", SHAPES)
def test_shape_is_what_quadrature_says(name: str) -> None:
    arguments, truth, _ = SHAPES[name]
    shape = getattr(inertia, name)
    exact = truth()
    assert same(shape(*arguments, density=1.0), exact)
    assert same(shape(*arguments, density=STEEL), exact.scaled(STEEL))
    assert same(shape(*arguments, mass=2.5), exact.scaled(mass=2.5))


@pytest.mark.parametrize("name", [name for name, (_, _, has_axis) in SHAPES.items() if has_axis])
def test_axis_turns_a_shape_cyclically(name: str) -> None:
    arguments, truth, _ = SHAPES[name]
    exact = truth()
    for axis, order in (("x", [2, 0, 1]), ("y", [1, 2, 0]), ("z", [0, 1, 2])):
        body = getattr(inertia, name)(*arguments, axis=axis, density=1.0)
        # the new x component is what was z when the axis is x, and so on
        assert same(body, MassProperties(exact.mass, exact.centroid[order], exact.inertia[np.ix_(order, order)]))
    with pytest.raises(ModelError, match=r"the axis of the .* is 'w'; it must be 'x', 'y' or 'z'"):
        getattr(inertia, name)(*arguments, axis="w", mass=1.0)


def test_rod_lies_along_y_as_in_the_table_unless_turned() -> None:
    assert np.diag(inertia.thin_rod(2.0, mass=6.0).inertia) == pytest.approx([2.0, 0.0, 2.0], rel=1e-15)
    # Nikravesh, 3.5: rod of 6 kg, 2 m, along x; no inertia about its axis here
    assert np.diag(inertia.thin_rod(2.0, mass=6.0, axis="x").inertia) == pytest.approx([0.0, 2.0, 2.0], rel=1e-15)


@pytest.mark.parametrize("name", SHAPES)
def test_shape_wants_either_density_or_mass(name: str) -> None:
    arguments = SHAPES[name][0]
    shape = getattr(inertia, name)
    with pytest.raises(ModelError, match=r"needs either density= \[kg/m.?\] or mass= \[kg\], but none is given"):
        shape(*arguments)
    with pytest.raises(ModelError, match="but both are given"):
        shape(*arguments, density=1.0, mass=1.0)
    with pytest.raises(ModelError, match=r"the mass of the .* is -1 kg; it must be positive"):
        shape(*arguments, mass=-1.0)
    with pytest.raises(ModelError, match=r"the density of the .* is 0 kg/m.?; it must be positive"):
        shape(*arguments, density=0.0)


@pytest.mark.parametrize("name", [n for n in SHAPES if all(np.isscalar(a) for a in SHAPES[n][0])])
def test_shape_wants_positive_dimensions(name: str) -> None:
    arguments = SHAPES[name][0]
    for k in range(len(arguments)):
        for bad, words in (
            (-1.0, "-1 m; it must"),
            (math.nan, "finite"),
            ("long", "must be a number, but it is 'long'"),
        ):
            changed = [*arguments[:k], bad, *arguments[k + 1 :]]
            with pytest.raises(ModelError, match=words):
                getattr(inertia, name)(*changed, mass=1.0)


def test_limits_of_shapes_meet_each_other() -> None:
    assert same(inertia.hollow_sphere(0.9, 0.0, density=2.0), inertia.sphere(0.9, density=2.0))
    assert same(inertia.hollow_cylinder(0.4, 0.0, 1.2, density=2.0), inertia.cylinder(0.4, 1.2, density=2.0))
    assert same(inertia.frustum(0.5, 0.0, 1.4, density=2.0), inertia.cone(0.5, 1.4, density=2.0))
    tip_down = inertia.cone(0.5, 1.4, density=2.0).moved((0, 0, 1.4), np.diag([1.0, -1.0, -1.0]))
    assert same(inertia.frustum(0.0, 0.5, 1.4, density=2.0), tip_down)
    upright = inertia.cylinder(0.4, 1.2, density=2.0).moved((0, 0, 0.6))
    assert same(inertia.frustum(0.4, 0.4, 1.2, density=2.0), upright)
    # a wall of 1e-9 of the radius is a shell to the first order: 1e-9
    assert same(inertia.hollow_sphere(1.0, 1.0 - 1e-9, mass=1.0), inertia.spherical_shell(1.0, mass=1.0), rel=2e-9)
    assert same(inertia.ellipsoid(0.9, 0.9, 0.9, mass=3.0), inertia.sphere(0.9, mass=3.0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: inertia.hollow_sphere(0.5, 0.5, mass=1), "is 0.5 m; it must be less than the outer radius 0.5 m"),
        (lambda: inertia.hollow_cylinder(0.5, 0.7, 1, mass=1), "inner radius of the hollow cylinder is 0.7 m"),
        (lambda: inertia.torus(0.5, 0.7, mass=1), "tube radius of the torus is 0.7 m; it must not exceed the ring radius 0.5 m"),
        (lambda: inertia.frustum(0, 0, 1, mass=1), "both radii of the frustum are 0 m"),
        (lambda: inertia.tetrahedron((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), mass=1), "tetrahedron lie in one plane"),
        (lambda: inertia.tetrahedron((0, 0), *CORNERS3[:3], mass=1), r"corner a of the tetrahedron must be three numbers .* \(2,\)"),
        (lambda: inertia.triangular_plate((0, 0), (1, 1), (3, 3), mass=1), "three corners of the triangle lie on one line"),
        (lambda: inertia.triangular_plate((0, 0), "here", (3, 3), mass=1), r"corner b of the triangle must be a point .* but it is 'here'"),
        (lambda: inertia.polygon_plate([(0, 0), (1, 1), (1, 0), (0, 1)], mass=1), "itself: the edges from corner 0 and from corner 2"),
        (lambda: inertia.polygon_plate([(0, 0), (1, 1), (2, 2)], mass=1), "has no area"),
        (lambda: inertia.polygon_plate([(0, 0), (1, 1), (0, 0)], mass=1), "has 2 different corners; it needs three or more"),
        (lambda: inertia.extruded_polygon([(0, 0, 0), (1, 1, 0), (0, 1, 0)], 1, mass=1), r"must be points \(x, y\), but .* \(3, 3\)"),
        (lambda: inertia.extruded_polygon(ELL, 0, mass=1), "the height of the extruded polygon is 0 m; it must be positive"),
        (lambda: inertia.point_mass(0.0), "the mass of the particle is 0 kg; it must be positive"),
        (lambda: inertia.particles([1, 2], [(0, 0, 0)]), r"n masses and n points .* shapes \(2,\) and \(1, 3\)"),
        (lambda: inertia.particles([1, -2], [(0, 0, 0), (1, 0, 0)]), "mass of particle 1 is -2 kg; it must not be negative"),
        (lambda: inertia.particles([0, 0], [(0, 0, 0), (1, 0, 0)]), "all particles have the mass 0 kg"),
        (lambda: inertia.particles([1.0], [(math.inf, 0, 0)]), "positions of the particles holds a number that is not finite"),
    ],
)  # fmt: skip
def test_impossible_shape_is_a_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        call()


def test_polygon_may_run_either_way_and_be_written_closed() -> None:
    forth = inertia.polygon_plate(ELL, density=3.0)
    assert same(inertia.polygon_plate(ELL[::-1], density=3.0), forth)
    assert same(inertia.polygon_plate([*ELL, ELL[0]], density=3.0), forth)
    far = [(x + 1e6, y - 1e6) for x, y in ELL]
    # coordinates of 1e6 carry 1e-10; nothing worse must come of them
    assert inertia.polygon_plate(far, density=3.0).inertia == pytest.approx(forth.inertia, abs=1e-8)


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


# ---- identities ----

finite = st.floats(-10, 10, allow_subnormal=False)
points3 = arrays(np.float64, 3, elements=finite)


@st.composite
def rotations(draw: st.DrawFn) -> np.ndarray:
    axis = draw(points3.filter(lambda v: np.linalg.norm(v) > 1e-3))
    return rotation(axis, draw(st.floats(-4, 4)))


@st.composite
def clouds(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 8))
    masses = draw(arrays(np.float64, n, elements=st.floats(0.01, 10)))
    return masses, draw(arrays(np.float64, (n, 3), elements=finite))


bodies = st.builds(
    lambda edges, mass, shift, turn: inertia.box(*edges, mass=mass).moved(shift, turn),
    arrays(np.float64, 3, elements=st.floats(0.1, 5)),
    st.floats(0.1, 10),
    points3,
    rotations(),
)

# coordinates up to 10 m and masses up to 10 kg: moments up to some 1e4, of which 1e-16 times a few operations remain
LOOSE = 1e-10


@settings(deadline=None)  # a busy machine is no failure
@given(bodies, points3)
def test_parallel_axes_there_and_back(body: MassProperties, point: np.ndarray) -> None:
    about = body.about(point)
    assert same(MassProperties.from_about(body.mass, body.centroid, about, point), body, rel=1e-9)
    # the trace grows by 2 m d²
    d2 = float(np.sum((body.centroid - point) ** 2))
    assert np.trace(about) == pytest.approx(np.trace(body.inertia) + 2 * body.mass * d2, rel=1e-12)


@settings(deadline=None)  # a busy machine is no failure
@given(bodies, rotations(), points3)
def test_rotation_leaves_the_principal_moments(body: MassProperties, turn: np.ndarray, shift: np.ndarray) -> None:
    moved = body.moved(shift, turn)
    largest = body.principal.moments[0]
    assert moved.principal.moments == pytest.approx(body.principal.moments, abs=1e-12 * largest)
    back = moved.moved(-turn.T @ shift, turn.T)
    assert same(back, body, rel=LOOSE)


@settings(deadline=None)  # a busy machine is no failure
@given(bodies)
def test_principal_axes_are_ordered_right_handed_and_true(body: MassProperties) -> None:
    principal = body.principal
    assert np.all(np.diff(principal.moments) <= 0.0) and principal.moments[2] >= 0.0
    assert np.linalg.det(principal.axes) == pytest.approx(1.0, abs=1e-12)
    rebuilt = principal.axes @ np.diag(principal.moments) @ principal.axes.T
    assert rebuilt == pytest.approx(body.inertia, abs=1e-12 * principal.moments[0])
    assert body.mass * principal.gyration_radii**2 == pytest.approx(principal.moments, rel=1e-12, abs=1e-15)


@settings(deadline=None)  # a busy machine is no failure
@given(clouds())
def test_particles_make_a_possible_body(cloud: tuple[np.ndarray, np.ndarray]) -> None:
    masses, places = cloud
    body = inertia.particles(masses, places)
    first, second, third = body.principal.moments
    rounding = 1e-12 * masses.sum() * max(1.0, np.abs(places).max() ** 2)
    assert third >= 0.0 and first <= second + third + rounding
    # moments about the origin straight from the definition, J_xy = -∑ m x y
    x, y, z = places.T
    direct = [
        masses @ (y * y + z * z),
        -masses @ (x * y),
        -masses @ (x * z),
        masses @ (x * x + z * z),
        -masses @ (y * z),
    ]
    about = body.about((0, 0, 0))
    assert [about[0, 0], about[0, 1], about[0, 2], about[1, 1], about[1, 2]] == pytest.approx(direct, abs=10 * rounding)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(bodies, min_size=1, max_size=5), points3)
def test_composite_is_the_sum_of_its_parts(parts: list[MassProperties], point: np.ndarray) -> None:
    whole = composite(*parts)
    assert whole.mass == pytest.approx(sum(part.mass for part in parts), rel=1e-14)
    first_moment = sum(part.mass * part.centroid for part in parts)
    assert whole.mass * whole.centroid == pytest.approx(first_moment, abs=1e-11)
    about = np.sum([part.about(point) for part in parts], axis=0)
    assert whole.about(point) == pytest.approx(about, abs=1e-12 * np.trace(about))


@settings(deadline=None)  # a busy machine is no failure
@given(bodies, bodies)
def test_what_was_added_can_be_cut_out(body: MassProperties, other: MassProperties) -> None:
    assert same((body + other) - other, body, rel=1e-7)  # up to 1e5 times heavier and larger things cancel


def test_hollow_shapes_are_solids_with_voids() -> None:
    tube = inertia.cylinder(0.4, 1.2, density=2.0) - inertia.cylinder(0.3, 1.2, density=2.0)
    assert same(tube, inertia.hollow_cylinder(0.4, 0.3, 1.2, density=2.0), rel=1e-12)
    shell = inertia.sphere(0.9, density=2.0) - inertia.sphere(0.6, density=2.0)
    assert same(shell, inertia.hollow_sphere(0.9, 0.6, density=2.0), rel=1e-12)
    # an eccentric void: half a ball cut from a ball leaves the other half
    half = inertia.sphere(0.9, density=2.0) - inertia.hemisphere(0.9, density=2.0)
    assert same(half, inertia.hemisphere(0.9, density=2.0).rotated(np.diag([1.0, -1.0, -1.0])), rel=1e-12)


def test_scaling_keeps_the_shape() -> None:
    body = inertia.cone(0.5, 1.4, density=1000.0)
    assert same(body.scaled(2.7), inertia.cone(0.5, 1.4, density=2700.0))
    assert same(body.scaled(mass=4.0), inertia.cone(0.5, 1.4, mass=4.0))


def test_gyration_radii() -> None:
    # a ring: all mass at the radius about its axis, at radius/√2 about a diameter
    ring = inertia.thin_ring(0.5, mass=3.0, axis="x")
    assert ring.gyration_radii == pytest.approx([0.5, 0.5 / math.sqrt(2), 0.5 / math.sqrt(2)], rel=1e-14)
    assert ring.principal.gyration_radii[0] == pytest.approx(0.5, rel=1e-14)
    assert np.array_equal(inertia.point_mass(1.0).gyration_radii, np.zeros(3))
    assert np.array_equal(MassProperties(0.0).gyration_radii, np.zeros(3))


def test_kinds_of_symmetry() -> None:
    assert inertia.sphere(1.0, mass=1.0).symmetry() == inertia.cube(1.0, mass=1.0).symmetry() == "spherical"
    assert inertia.box(1, 1, 3, mass=1.0).moved((1, 2, 3), TURN).symmetry() == "rotational"  # first two moments
    assert inertia.thin_disc(1.0, mass=1.0).symmetry() == "rotational"  # last two
    assert inertia.box(1, 2, 3, mass=1.0).symmetry() == "none"
    disc = inertia.thin_disc(1.0, mass=1.0).moved((1, 2, 3), TURN)
    assert disc.is_symmetric_about_axis(TURN[:, 2]) and disc.is_symmetric_about_plane(TURN[:, 1] * 5)
    assert not disc.is_symmetric_about_axis((0, 0, 1))
    assert disc.is_symmetric_about_axis(TURN[:, 2], through=(1, 2, 3) + 4 * TURN[:, 2])
    assert not disc.is_symmetric_about_axis(TURN[:, 2], through=(1, 2, 3) + 4 * TURN[:, 0])
    assert not disc.is_symmetric_about_plane(TURN[:, 2], through=(0, 0, 0))


def test_principal_axes_of_a_symmetric_body_stay_with_the_frame() -> None:
    assert np.array_equal(inertia.sphere(1.0, mass=1.0).principal.axes, np.eye(3))
    assert np.array_equal(inertia.cylinder(0.1, 1.0, mass=1.0).principal.axes, np.eye(3))
    # the flat disc has its largest moment about z; x and y follow in turn
    assert np.array_equal(inertia.thin_disc(0.1, mass=1.0).principal.axes, np.eye(3)[:, [2, 0, 1]])


def test_bodies_cannot_be_changed_and_compare_by_value_on_request() -> None:
    body = inertia.cube(1.0, mass=1.0)
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 2.0
    with pytest.raises(AttributeError):
        body.mass = 2.0  # type: ignore[misc]
    assert body.is_close(inertia.box(1, 1, 1, mass=1.0 + 1e-12))
    assert not body.is_close(inertia.cube(1.0, mass=1.1))
    assert not body.is_close(body.moved((0.1, 0, 0)))
    assert not body.is_close(inertia.cube(1.1, mass=1.0))


def test_bodies_print_readably() -> None:
    text = str(inertia.box(1, 2, 3, mass=6).moved((1, 0, -0.5)))
    assert text.splitlines()[0] == "mass 6 kg, centroid (1, 0, -0.5) m, inertia about it [kg m²]:"
    assert [line.split() for line in text.splitlines()[1:]] == [["6.5", "0", "0"], ["0", "5", "0"], ["0", "0", "2.5"]]
    assert "6.5  along (1, 0, 0)" in str(inertia.box(1, 2, 3, mass=6).principal)


# ---- check_inertia and the sentences of MassProperties ----


def test_good_inertia_passes_unchanged() -> None:
    J = np.array([[18.83, 0.66, 1.5], [0.66, 14.33, 6.0], [1.5, 6.0, 6.16]])
    assert np.array_equal(check_inertia(J, 6.0), J)
    assert np.array_equal(check_inertia((2, 3, 4)), np.diag([2.0, 3.0, 4.0]))
    assert np.array_equal(check_inertia((0, 2, 2)), np.diag([0.0, 2.0, 2.0]))  # a thin rod
    assert np.array_equal(check_inertia(np.zeros((3, 3)), 0.0), np.zeros((3, 3)))  # a massless body
    assert np.array_equal(check_inertia((0, 0, 0), 1.0), np.zeros((3, 3)))  # a particle


def test_six_printed_digits_pass() -> None:
    # a thin plate, J_z = J_x + J_y, each rounded to six digits the unlucky way
    assert np.array_equal(check_inertia((1.00000, 1.00000, 2.00001)), np.diag([1.0, 1.0, 2.00001]))
    # an oblique rod whose digits were rounded the unlucky way: a moment a little below zero becomes zero
    direction = TURN[:, 0]
    J = np.eye(3) - (1.0 + 2e-6) * np.outer(direction, direction)
    assert np.linalg.eigvalsh(J)[0] == pytest.approx(-2e-6, rel=1e-6)
    repaired = check_inertia(J)
    assert np.linalg.eigvalsh(repaired)[0] == pytest.approx(0.0, abs=1e-15)
    assert repaired == pytest.approx(J, abs=2e-6)
    J[0, 1] += 5e-6
    mended = check_inertia(J)
    assert np.array_equal(mended, mended.T)


@pytest.mark.parametrize(
    ("tensor", "mass", "words"),
    [
        (np.ones((2, 3)), None, r"inertia of body 'x' must be a 3x3 matrix or three principal moments, but it has the shape \(2, 3\)"),
        (5.0, None, r"has the shape \(\)"),
        ("heavy", None, "but it is 'heavy'"),
        ([[1, 0, 0], [0, math.nan, 0], [0, 0, 1]], None, "holds a number that is not finite"),
        ([[1, 0.2, 0], [0.1, 1, 0], [0, 0, 1]], None, "not symmetric: J_xy = 0.2 but J_yx = 0.1 kg m² .they may differ by 1e-05"),
        ([[1, 0, 0.2], [0, 1, 0], [-0.2, 0, 1]], None, "J_xz = 0.2 but J_zx = -0.2"),
        ([[1, 0, 0], [0, 1, 0.1], [0, 0, 1]], None, "J_yz = 0.1 but J_zy = 0 "),
        ((1, 1, -0.5), None, "has the principal moments 1, 1 and -0.5 kg m²: -0.5 is negative"),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], None, "principal moments 3, 1 and -1 kg m²: -1 is negative"),
        ((1, 3, 1.5), None, r"principal moments 3, 1.5 and 1 kg m²: 3 exceeds the sum of the other two, 2.5,"),
        ((1, 1, 1), 0.0, "is up to 1 kg m², but the mass is 0 kg. Give the body a mass"),
        ((1, 1, 1), -2.0, "the mass that goes with inertia of body 'x' is -2 kg; it must not be negative"),
    ],
)  # fmt: skip
def test_impossible_inertia_is_a_sentence(tensor: Any, mass: float | None, words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        check_inertia(tensor, mass, "inertia of body 'x'")
    assert "inertia of body 'x'" in str(caught.value)


CUBE = inertia.cube(1.0, mass=1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MassProperties(-1.0), "the mass is -1 kg; it must not be negative"),
        (lambda: MassProperties(1.0, (1, 2)), r"the centroid must be three numbers \(x, y, z\), but it has the shape \(2,\)"),
        (lambda: MassProperties(1.0, inertia=(1, 1, 3)), "the inertia about the centroid has the principal moments 3, 1 and 1"),
        (lambda: MassProperties.from_about(1.0, (1, 0, 0), (1, 1, 1)), "moved from the point to the centroid has the principal moments"),
        (lambda: CUBE.rotated(np.eye(2)), r"rotation must be a 3x3 rotation matrix, but it has the shape \(2, 2\)"),
        (lambda: CUBE.rotated([[0.866, -0.5, 0], [0.5, 0.866, 0], [0, 0, 1]]), "RᵀR differs from the unit matrix by 4.4e-05"),
        (lambda: CUBE.rotated(np.diag([1, 1, -1])), "is a reflection"),
        (lambda: CUBE.is_symmetric_about_axis((0, 0, 0)), r"the direction of the axis is \(0, 0, 0\)"),
        (lambda: CUBE.scaled(), "needs either a factor of density or mass= .kg., but none is given"),
        (lambda: CUBE.scaled(2.0, mass=2.0), "but both are given"),
        (lambda: CUBE.scaled(-2.0), "the factor of density is -2; it must be positive"),
        (lambda: MassProperties(0.0).scaled(mass=1.0), "a body of mass 0 kg cannot be scaled to a mass"),
        (lambda: composite(), "needs at least one part"),
        (lambda: composite(CUBE, 3.0), "part 1 of composite.. must be MassProperties, but it is 3.0"),  # type: ignore[arg-type]
        (lambda: CUBE - CUBE, "the void of 1 kg cannot be cut out of a body of 1 kg: nothing would be left"),
        (lambda: CUBE - inertia.thin_rod(3.0, mass=0.5), "the void does not fit into the body; .* negative"),
    ],
)  # fmt: skip
def test_misuse_of_mass_properties_is_a_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        call()


def test_only_bodies_are_added() -> None:
    with pytest.raises(TypeError):
        CUBE + 1.0  # type: ignore[operator]
    with pytest.raises(TypeError):
        CUBE - 1.0  # type: ignore[operator]
    massless = MassProperties(0.0, (2, 0, 0)) + MassProperties(0.0)
    assert massless.mass == 0.0 and massless.centroid == pytest.approx([1, 0, 0])


# ---- meshes ----


def tetrahedron_mesh() -> Mesh:
    return Mesh(CORNERS3, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)], "tet")


def regular_polygon(n: int, radius: float) -> tuple[float, float]:
    """Area and ∫x² dA of a regular polygon with the corners at the radius.

    The half polar moment of n congruent triangles with the tip in the middle. A square of edge a = √2 R has a⁴/12 by
    it, and n → ∞ gives the circle's π R⁴/4.
    """
    angle = TAU / n
    area = 0.5 * n * radius**2 * math.sin(angle)
    return area, n * radius**4 * math.sin(angle) * (2 + math.cos(angle)) / 24


def test_box_and_tetrahedron_meshes_are_exact() -> None:
    mesh = inertia.box_mesh(1, 2, 3)
    mesh.check()
    assert mesh.volume == pytest.approx(6.0, rel=1e-15) and mesh.area == pytest.approx(22.0, rel=1e-15)
    assert np.array_equal(mesh.bounds, [[-0.5, -1, -1.5], [0.5, 1, 1.5]])
    assert same(mesh.properties(density=2.0), inertia.box(1, 2, 3, density=2.0))
    assert same(mesh.properties(mass=5.0), inertia.box(1, 2, 3, mass=5.0))
    assert same(tetrahedron_mesh().properties(density=2.0), inertia.tetrahedron(*CORNERS3, density=2.0))


def test_moving_a_mesh_moves_its_properties() -> None:
    mesh = tetrahedron_mesh()
    expected = mesh.properties(density=3.0).moved((1, -2, 5), TURN)
    assert same(mesh.moved((1, -2, 5), TURN).properties(density=3.0), expected)
    # lengths times 2: mass times 8, moments times 32
    twice = mesh.scaled(2.0).properties(density=3.0)
    once = mesh.properties(density=3.0)
    assert same(twice, MassProperties(8 * once.mass, 2 * once.centroid, 32 * once.inertia))
    far = mesh.moved((1e5, 0, 0)).properties(density=3.0)
    assert far.inertia == pytest.approx(once.inertia, rel=1e-9, abs=1e-9)  # vertices at 1e5 carry 1e-11


def test_icosahedron_in_closed_form() -> None:
    mesh = inertia.sphere_mesh(1.0, subdivisions=0)
    edge = 4.0 / math.sqrt(10 + 2 * math.sqrt(5))  # circumradius 1
    golden = (1 + math.sqrt(5)) / 2
    body = mesh.properties(density=1.0)
    assert len(mesh.triangles) == 20
    assert body.mass == pytest.approx(5 / 12 * (3 + math.sqrt(5)) * edge**3, rel=1e-14)
    assert body.inertia == pytest.approx(body.mass * edge**2 * golden**2 / 10 * np.eye(3), rel=1e-13, abs=1e-14)


def test_sphere_mesh_converges_with_the_square_of_its_edges() -> None:
    exact = inertia.sphere(0.7, density=1.0)
    errors = []
    for n in (2, 3, 4):
        mesh = inertia.sphere_mesh(0.7, subdivisions=n)
        assert len(mesh.triangles) == 20 * 4**n and len(mesh.vertices) == 10 * 4**n + 2  # Euler: V - E + F = 2
        body = mesh.properties(density=1.0)
        errors.append([1 - body.mass / exact.mass, 1 - body.inertia[0, 0] / exact.inertia[0, 0]])
    ratios = np.array(errors[:-1]) / errors[1:]
    assert ratios == pytest.approx(4.0, rel=0.05)  # next term of the series is of fourth order
    assert errors[1][0] < 0.009


@pytest.mark.parametrize("n", [3, 4, 48])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_prism_and_pyramid_meshes_in_closed_form(n: int, axis: str) -> None:
    R, h = 0.6, 1.5
    area, second = regular_polygon(n, R)
    order = {"x": [2, 0, 1], "y": [1, 2, 0], "z": [0, 1, 2]}[axis]
    prism = MassProperties(area * h, (0, 0, 0), np.array([second * h + area * h**3 / 12] * 2 + [2 * second * h])[order])
    assert same(inertia.cylinder_mesh(R, h, sides=n, axis=axis).properties(density=1.0), prism)
    # pyramid: sections shrink with (1 - z/h); ∫(1-u)⁴ = 1/5, and along the axis the cone's 3/80 h²
    mass = area * h / 3
    centroid = np.array([0, 0, h / 4])[order]
    pyramid = MassProperties(
        mass, centroid, np.array([second * h / 5 + 3 / 80 * h * h * mass] * 2 + [2 * second * h / 5])[order]
    )
    assert same(inertia.cone_mesh(R, h, sides=n, axis=axis).properties(density=1.0), pyramid)


def test_round_meshes_converge_to_the_solids() -> None:
    # a polygon of n sides misses 2π²/(3n²) of the circle's area, and twice that of its second moment: 1e-4 for 400
    assert same(
        inertia.cylinder_mesh(0.6, 1.5, sides=400).properties(density=1.0),
        inertia.cylinder(0.6, 1.5, density=1.0),
        1e-4,
    )
    assert same(
        inertia.cone_mesh(0.6, 1.5, sides=400).properties(density=1.0), inertia.cone(0.6, 1.5, density=1.0), 1e-4
    )


@settings(deadline=None)  # a busy machine is no failure
@given(bodies.map(lambda body: body.centroid), rotations(), st.floats(0.2, 3), st.floats(0.2, 3))
def test_mesh_of_a_moved_prism_is_the_moved_prism(shift: np.ndarray, turn: np.ndarray, r: float, h: float) -> None:
    mesh = inertia.cylinder_mesh(r, h, sides=5)
    outline = mesh.vertices[:5, :2]
    expected = inertia.extruded_polygon(outline, h, density=1.0).moved((0, 0, -h / 2)).moved(shift, turn)
    assert same(mesh.moved(shift, turn).properties(density=1.0), expected, rel=LOOSE)


def joined(*meshes: Mesh) -> Mesh:
    starts = np.cumsum([0, *[len(mesh.vertices) for mesh in meshes]])
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles), "joined")


def test_shell_inside_out_within_another_is_a_void() -> None:
    mesh = joined(inertia.box_mesh(3, 3, 3), inertia.box_mesh(1, 1, 2).moved((0.5, 0, 0)).flipped())
    void = inertia.box(1, 1, 2, density=2.0).moved((0.5, 0, 0))
    assert same(mesh.properties(density=2.0), inertia.cube(3, density=2.0) - void)


def test_boxes_that_touch_along_an_edge_are_two_boxes() -> None:
    mesh = joined(inertia.box_mesh(1, 1, 1), inertia.box_mesh(1, 1, 1).moved((1, 1, 0)))
    expected = inertia.cube(1, density=2.0) + inertia.cube(1, density=2.0).moved((1, 1, 0))
    assert same(mesh.properties(density=2.0), expected)


def test_mesh_inside_out_is_turned_with_a_warning() -> None:
    mesh = tetrahedron_mesh().flipped()
    assert mesh.volume < 0.0
    with pytest.warns(ModelWarning, match="tet is inside out: its volume is -"):
        body = mesh.properties(density=2.0)
    assert same(body, inertia.tetrahedron(*CORNERS3, density=2.0))


BOX = inertia.box_mesh(1, 1, 1)
LIDLESS = Mesh(BOX.vertices, BOX.triangles[1:], "lidless")
TWISTED = Mesh(BOX.vertices, np.concatenate([BOX.triangles[:1, ::-1], BOX.triangles[1:]]), "twisted")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LIDLESS.check(), "lidless is not closed: 3 of its 18 edges lack a neighbouring triangle, the first from"),
        (lambda: TWISTED.check(), "twisted is not consistently oriented: at 3 of its 18 edges"),
        (lambda: Mesh([], [], "void").properties(mass=1.0), "void is empty: it has no triangles"),
        (lambda: Mesh([], []).bounds, "mesh is empty: it has no vertices"),
        (lambda: Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 1)], "sheet").properties(mass=1.0), "sheet encloses no volume"),
        (lambda: Mesh([(0, 0), (1, 0), (0, 1)], [(0, 1, 2)]), r"must be points \(x, y, z\), but the array has the shape \(3, 2\)"),
        (lambda: Mesh(BOX.vertices, [(0, 1, 8)]), "use the vertices 0 to 8, but there are only 0 to 7"),
        (lambda: Mesh(BOX.vertices, [(0.0, 1.0, 2.0)]), "must be three whole numbers each, .* holds float64"),
        (lambda: Mesh([(0, 0, math.nan)], [(0, 0, 0)]), "the vertices of mesh holds a number that is not finite"),
        (lambda: BOX.properties(), "box needs either density= .* none is given"),
        (lambda: BOX.scaled(0.0), "the scale of box is 0; it must be positive"),
        (lambda: BOX.moved((0, 0, 0), np.ones((3, 3))), "not orthogonal"),
        (lambda: inertia.box_mesh(1, 0, 1), "the edge of the box along y is 0 m"),
        (lambda: inertia.sphere_mesh(1, subdivisions=9), "subdivided 9 times; it must be between 0 and 8"),
        (lambda: inertia.cylinder_mesh(1, 1, sides=2), "the cylinder is to have 2 sides; it must be three or more"),
        (lambda: inertia.cone_mesh(1, -1), "the height of the cone is -1 m"),
    ],
)  # fmt: skip
def test_misuse_of_meshes_is_a_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        call()


# ---- files ----


def ascii_stl(mesh: Mesh) -> str:
    lines = ["solid part"]
    for triangle in mesh.vertices[mesh.triangles]:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += [f"      vertex {x!r} {y!r} {z!r}" for x, y, z in triangle.tolist()]
        lines += ["    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid part", ""])


def test_binary_stl_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "part.STL"
    mesh = inertia.cone_mesh(0.6, 1.5, sides=7).moved((1, 2, 3), TURN)
    mesh.write_stl(path)
    data = path.read_bytes()
    assert len(data) == 84 + 50 * len(mesh.triangles) and not data.startswith(b"solid")
    # the first normal is a unit vector along the (right-handed) normal of the first triangle
    a, b, c = mesh.vertices[mesh.triangles[0]]
    normal = np.cross(b - a, c - a)
    assert struct.unpack_from("<3f", data, 84) == pytest.approx(normal / np.linalg.norm(normal), abs=1e-7)
    read = inertia.read_mesh(path)
    assert read.name == "part.STL" and len(read.vertices) == len(mesh.vertices)
    # single precision: 6e-8 of coordinates up to 4.5
    assert same(read.properties(density=1.0), mesh.properties(density=1.0), rel=2e-6)
    # coordinates that single precision holds come back as they were
    inertia.box_mesh(1, 2, 3).write_stl(path)
    assert same(inertia.read_mesh(path).properties(density=1.0), inertia.box(1, 2, 3, density=1.0))


def test_binary_stl_that_begins_with_solid(tmp_path: Path) -> None:
    path = tmp_path / "part.stl"
    inertia.box_mesh(1, 2, 3).write_stl(path)
    path.write_bytes(b"solid by some CAD program".ljust(80) + path.read_bytes()[80:])
    assert len(inertia.read_mesh(path).triangles) == 12


def test_text_stl_and_millimetres(tmp_path: Path) -> None:
    path = tmp_path / "part.stl"
    path.write_text(ascii_stl(tetrahedron_mesh().scaled(1000.0)), encoding="utf-8")
    body = inertia.read_mesh(path, scale=1e-3).properties(density=2700.0)
    assert same(body, inertia.tetrahedron(*CORNERS3, density=2700.0))
    path.write_text(ascii_stl(BOX) + ascii_stl(BOX.moved((2, 0, 0))), encoding="utf-8")  # two solids in one file
    assert inertia.read_mesh(path).volume == pytest.approx(2.0, rel=1e-14)


def test_triangles_without_area_do_no_harm(tmp_path: Path) -> None:
    triangles = np.concatenate([BOX.triangles, [[0, 0, 1], [2, 2, 2]]])
    assert same(Mesh(BOX.vertices, triangles).properties(density=1.0), inertia.cube(1, density=1.0))


OBJ_BOX = """# a cube of edge 2 with quadrilateral faces
mtllib cube.mtl
o cube
v -1 -1 -1
v  1 -1 -1 1.0
v  1  1 -1
v -1  1 -1
v -1 -1  1
v  1 -1  1
v  1  1  1
v -1  1  1
vt 0 0
vn 0 0 1
usemtl steel
s off
f 1 4 3 2
f 5/1 6/1 7/1 8/1
f 1//1 2//1 6//1 5//1
f 3/1/1 4/1/1 8/1/1 \\
  7/1/1
f -8 -4 -1 -5   # 1 5 8 4
f -7 -6 -2 -3
"""


def test_obj_in_all_its_forms(tmp_path: Path) -> None:
    path = tmp_path / "cube.obj"
    path.write_text(OBJ_BOX, encoding="utf-8")
    mesh = inertia.read_mesh(path)
    assert len(mesh.vertices) == 8 and len(mesh.triangles) == 12
    assert same(mesh.properties(density=3.0), inertia.cube(2, density=3.0))
    assert same(inertia.read_mesh(path, scale=0.5).properties(density=3.0), inertia.cube(1, density=3.0))


def test_obj_with_hollow_faces_is_right_by_signed_triangles(tmp_path: Path) -> None:
    n = len(ELL)
    lines = [f"v {x} {y} {z}" for z in (0, 0.5) for x, y in ELL]
    lines += ["f " + " ".join(str(k) for k in range(n, 0, -1)), "f " + " ".join(str(n + k) for k in range(1, n + 1))]
    lines += [f"f {k + 1} {(k + 1) % n + 1} {n + (k + 1) % n + 1} {n + k + 1}" for k in range(n)]
    path = tmp_path / "ell.obj"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert same(inertia.read_mesh(path).properties(density=1.0), ell((0, 0.5)))


def test_obj_faces_may_come_first(tmp_path: Path) -> None:
    vertices = [line for line in OBJ_BOX.splitlines() if line.startswith("v ")]
    path = tmp_path / "cube.obj"
    path.write_text("\n".join(["f 1 2 3", *vertices]), encoding="utf-8")
    assert inertia.read_mesh(path).triangles.tolist() == [[0, 1, 2]]


GOOD_STL = ascii_stl(BOX)
LOOP = "solid\nfacet normal 0 0 1\nouter loop\n"
BINARY = b"x" * 80 + struct.pack("<I", 2) + bytes(100)
NAN_STL = b"x" * 80 + struct.pack("<I", 1) + struct.pack("<12fH", *[math.nan] * 12, 0)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.step", b"", "ends in '.step'; it must be an .stl or .obj file"),
        ("a.stl", None, "cannot be read: No such file or directory"),
        ("a.stl", b"", "is no STL file: it has 0 bytes and does not begin with 'solid'"),
        ("a.stl", BINARY[:-1], "announces 2 triangles and should have 184 bytes, but it has 183. It was cut short"),
        ("a.stl", b"x" * 80 + struct.pack("<I", 0), "holds no triangles"),
        ("a.stl", NAN_STL, "triangle 1: a coordinate is not a finite number"),
        ("a.stl", GOOD_STL[: len(GOOD_STL) // 2].rsplit("\n", 1)[0].encode(), r"ends at line \d+ without 'endsolid'. It was cut short"),
        ("a.stl", b"solid\nendsolid\n", "holds no triangles"),
        ("a.stl", b"solid\nvertex 0 0 0\n", "line 2: 'vertex' stands outside 'outer loop'"),
        ("a.stl", (LOOP + "vertex 0 0 0\nendloop\n").encode(), "line 5: the loop has 1 vertices; STL needs three"),
        ("a.stl", b"solid\nendloop\n", "line 2: the loop has 0 vertices"),
        ("a.stl", (LOOP + "vertex 0 0 0\nendsolid\n").encode(), "line 5: 'endsolid' stands inside a loop; 'endloop' is missing"),
        ("a.stl", (LOOP + "vertex 0 0\n").encode(), "line 4: a vertex needs three coordinates, but 2 are given"),
        ("a.stl", (LOOP + "vertex 0 0 zero\n").encode(), "line 4: '0 0 zero' are not three numbers"),
        ("a.stl", (LOOP + "vertex 0 0 inf\n").encode(), "line 4: a coordinate is not a finite number"),
        ("a.stl", b"solid\nsphere 1\n", "line 2: 'sphere' is no word of STL"),
        ("a.obj", b"", "holds no triangles"),
        ("a.obj", b"v 0 0\n", "line 1: a vertex needs three coordinates, but 2 are given"),
        ("a.obj", b"v 0 0 0\nf 1 1\n", "line 2: the face has 2 corners; it needs three or more"),
        ("a.obj", b"v 0 0 0\nf 1 1 0\n", "line 2: vertex 0 does not exist; vertices are counted from 1"),
        ("a.obj", b"v 0 0 0\nf 1 1 -2\n", "line 2: vertex -2 does not exist; there are only 1 vertices above this line"),
        ("a.obj", b"v 0 0 0\n\nf 1 1 2\n", "line 3: vertex 2 does not exist; there are 1"),
        ("a.obj", b"v 0 0 0\nf 1 1 a/1\n", "line 2: 'a/1' is no corner of a face"),
    ],
)  # fmt: skip
def test_bad_file_is_a_sentence(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileFormatError, match=words) as caught:
        inertia.read_mesh(path)
    assert name in str(caught.value)


def test_stl_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot be written"):
        BOX.write_stl(tmp_path / "nowhere" / "a.stl")


# ---- the page ----


def test_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert blocks
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in blocks:
            exec(block, namespace)
