"""Mass properties: every shape against quadrature, identities, and every sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from inertia_bodies import (
    CORNERS3,
    ELL,
    LOOSE,
    PI,
    STEEL,
    TAU,
    TURN,
    Chart,
    bodies,
    brick,
    ell,
    finite,
    integrate,
    points3,
    rotations,
    same,
)
from pytrammel import inertia
from pytrammel.errors import ModelError
from pytrammel.inertia import MassProperties, check_inertia, composite

# ---- every shape against Gauss quadrature over its own parameters ----


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


# ---- identities ----


@st.composite
def clouds(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 8))
    masses = draw(arrays(np.float64, n, elements=st.floats(0.01, 10)))
    return masses, draw(arrays(np.float64, (n, 3), elements=finite))


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


def test_particles_at_one_place_are_one_particle() -> None:
    cloud = inertia.particles([2.0, 0.01, 0.01, 0.01], [(1.1e-26, 0.3, 7.7)] * 4)
    assert same(cloud, inertia.point_mass(2.03, (1.1e-26, 0.3, 7.7)))
