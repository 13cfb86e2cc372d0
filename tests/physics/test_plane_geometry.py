"""Instant centres, polygons, centrodes, transmission angles and curvature against closed forms."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.examples import find
from pytrammel.view.diagrams.planar import cross, motion

LINKS = (1.0, 3.0, 2.5, 3.2)  # crank, coupler, rocker, ground
R = 0.2  # of a wheel


@functools.cache
def four_bar(speed: str = "2*t") -> Any:
    a, b, c, d = LINKS
    m = tm.PlanarModel("four-bar")
    crank = m.body("crank", position=(0.0, 0.0))
    x = (b**2 - c**2 + (d - a) ** 2) / (2.0 * (d - a))  # coupler and rocker from (a, 0) and (d, 0)
    top = (a + x, math.sqrt(b**2 - x**2))
    coupler = m.body("coupler", position=(a, 0.0), angle=math.atan2(top[1], x))
    rocker = m.body("rocker", position=(d, 0.0), angle=math.atan2(top[1], top[0] - d))
    m.revolute("A", m.ground, crank, at=(0.0, 0.0))
    m.revolute("B", crank, coupler, at=(a, 0.0))
    m.revolute("C", coupler, rocker, at=top)
    m.revolute("D", m.ground, rocker, at=(d, 0.0))
    m.point("P", coupler, local=(1.6, 0.9))
    m.driver("motor", m["A"].angle, speed)
    return m.kinematics(math.pi, samples=181)


@functools.cache
def wheel() -> Any:
    """A wheel of radius R that rolls on the ground without slip, its rim point P at the ground at t = 0."""
    m = tm.PlanarModel("wheel")
    disc = m.body("disc", position=(0.0, R))
    m.equation("level", "disc.y - 0.2")
    m.equation("rolls", "disc.x + 0.2*disc.phi")
    m.point("P", disc, local=(0.0, -R))
    m.point("Q", disc, local=(0.0, -2.0 * R))
    m.driver("motor", disc.phi, "-3*t")
    return m.kinematics(2.0 * 2.0 * math.pi / 3.0, samples=401)


def cardan() -> Any:
    """The elliptic trammel: end A on the y axis, end B on the x axis, at distance 2r."""
    r = 0.3
    m = tm.PlanarModel("elliptic trammel")
    bar = m.body("bar", position=(0.0, 0.0), angle=0.4)
    # A = origin of the bar on the y axis, B at distance 2r along it on the x axis
    m.equation("A", "bar.x")
    m.equation("B", f"bar.y + {2 * r}*sin(bar.phi)")
    m.driver("motor", bar.phi, "0.4 + 2*t")
    return m.kinematics(math.pi, samples=101), r


def slider_crank() -> Any:
    return find("slider_crank").run()


def kennedy_gap(found: Any) -> float:
    """How far centres of three bodies are from one line, as a share of their distances; the largest of all instants and triples."""
    largest = 0.0
    for triple in itertools.combinations(found.bodies, 3):
        p = found.points[:, [found.pairs.index(pair) for pair in itertools.combinations(triple, 2)]]
        p = p[np.isfinite(p).all(axis=(1, 2)) & (np.abs(p).max(axis=(1, 2)) < 100.0)]  # far ones are known less well
        one, two = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
        size = np.maximum((one**2).sum(axis=-1), (two**2).sum(axis=-1))
        area = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0])
        apart = size > 1e-8
        largest = max(largest, float((area[apart] / size[apart]).max(initial=0.0)))
    return largest


# --- instant centres ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [four_bar, slider_crank], ids=["four-bar", "slider-crank"])
def test_three_centres_lie_on_one_line(run: Callable[[], Any]) -> None:
    assert kennedy_gap(run().diagram.instant_centers()) < 1e-9


@pytest.mark.parametrize(
    "name", ["watt_six_bar", "stephenson_six_bar", "klann_leg", "quick_return", "planetary_gears", "geneva"]
)
def test_kennedys_theorem_holds_in_other_machines(name: str) -> None:
    # phases and gears: velocities are solved to 1e-9 or so
    assert kennedy_gap(find(name).run().diagram.instant_centers()) < 1e-6


def test_pins_are_centres_and_the_coupler_turns_about_the_meeting_of_crank_and_rocker() -> None:
    k = four_bar()
    found = k.diagram.instant_centers()
    for pair, joint in ((("crank", "coupler"), "B"), (("coupler", "rocker"), "C"), (("ground", "rocker"), "D")):
        seat = k.model.constraints[joint].seats[-1]
        np.testing.assert_allclose(found.between(*pair), motion(k, seat.body).place(seat.point), atol=1e-9)
    B = k.point(k.model["crank"].at(LINKS[0], 0.0)).position
    C = k.point(k.model["rocker"].at(LINKS[2], 0.0)).position
    centre = found.between("ground", "coupler")
    to_b, to_c = centre - B, centre - C
    near = np.abs(centre).max(axis=1) < 50.0
    assert np.abs(cross(to_b, B)[near] / np.hypot(*to_b[near].T)).max() < 1e-9  # on the line A B
    assert np.abs(cross(to_c, C - (LINKS[3], 0.0))[near] / np.hypot(*to_c[near].T)).max() < 1e-9  # on the line D C


def test_the_centre_of_a_rolling_wheel_is_where_it_touches_the_ground() -> None:
    k = wheel()
    centre = k.diagram.instant_centers().between("ground", "disc")
    np.testing.assert_allclose(centre, np.column_stack([k["disc"].x, np.zeros(len(k))]), atol=1e-12)


def test_a_body_that_only_translates_has_its_centre_at_infinity_across_its_way() -> None:
    found = slider_crank().diagram.instant_centers()
    kinds = found.kind("ground", "piston")
    assert set(kinds) <= {"infinity", "none"} and (kinds == "infinity").sum() > 390  # it stands still at dead centres
    k = int(np.argmax(kinds == "infinity"))
    direction = found.directions[k, found.pairs.index(("ground", "piston"))]
    assert abs(direction[1]) < 1e-12 and abs(direction[0]) == pytest.approx(1.0)
    later = slider_crank().at(0.003).diagram.instant_centers()
    assert "at infinity" in str(later) and "only translate against each other" in str(later)


# --- centrodes and inflection circle ------------------------------------------------------------------------------


def test_the_centrodes_of_an_elliptic_trammel_are_cardans_circles() -> None:
    k, r = cardan()
    found = k.diagram.centrodes("bar")
    np.testing.assert_allclose(np.hypot(*found.fixed.T), 2.0 * r, rtol=1e-12)  # about the crossing of the guides
    np.testing.assert_allclose(np.hypot(*(found.moving - (r, 0.0)).T), r, rtol=1e-12)  # about the middle of the bar
    rolled = [np.hypot(*np.diff(c, axis=0).T).sum() for c in (found.fixed, found.moving)]
    assert rolled[0] == pytest.approx(rolled[1], rel=1e-3)  # they roll: equal lengths, but for the chords


def test_the_centrodes_of_a_wheel_are_the_ground_and_its_rim() -> None:
    found = wheel().diagram.centrodes("disc")
    np.testing.assert_allclose(found.fixed[:, 1], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.hypot(*found.moving.T), R, rtol=1e-12)


def test_the_inflection_circle_of_a_wheel_has_its_radius_for_a_diameter() -> None:
    found = wheel().diagram.inflection_circle("disc")
    np.testing.assert_allclose(found.diameter, R, rtol=1e-9)  # the hub runs straight
    np.testing.assert_allclose(found.inflection_pole, wheel()["disc"].position, atol=1e-9)


@pytest.mark.parametrize("local", [(1.6, 0.9), (0.0, 0.0), (-0.7, 2.2), (3.0, 0.0), (4.0, -1.0)])
def test_euler_and_savary_agree_with_the_curvature_of_the_path(local: tuple[float, float]) -> None:
    k = four_bar()
    point = k.model["coupler"].at(*local)
    found = k.diagram.curvature(point)
    by_circle = k.diagram.inflection_circle("coupler").curvature_of(found.position)
    np.testing.assert_allclose(by_circle, found.curvature, rtol=1e-6, atol=1e-9)


# --- curvature ----------------------------------------------------------------------------------------------------


def test_pins_of_a_four_bar_run_on_circles() -> None:
    k = four_bar()
    for point, centre, radius in (
        (k.model["crank"].at(LINKS[0], 0.0), (0.0, 0.0), LINKS[0]),
        (k.model["coupler"].at(LINKS[1], 0.0), (LINKS[3], 0.0), LINKS[2]),
    ):
        found = k.diagram.curvature(point)
        known = np.isfinite(found.radius)
        np.testing.assert_allclose(found.radius[known], radius, rtol=1e-8)
        np.testing.assert_allclose(found.centre[known], np.tile(centre, (known.sum(), 1)), atol=1e-7)


def test_a_cycloid_bends_with_four_radii_times_its_half_angle_and_has_its_cusps_on_the_ground() -> None:
    k = wheel()
    found = k.diagram.curvature("P")
    angle = 3.0 * k.times
    away = np.abs(np.sin(0.5 * angle)) > 1e-3
    np.testing.assert_allclose(found.radius[away], 4.0 * R * np.abs(np.sin(0.5 * angle[away])), rtol=1e-9)
    assert (found.curvature[away] < 0.0).all()  # it turns right on its way to the right
    assert [p.time for p in found.cusps] == pytest.approx([0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0], abs=1e-7)
    assert [p.x for p in found.cusps] == pytest.approx([0.0, 2.0 * math.pi * R, 4.0 * math.pi * R], abs=1e-6)
    assert [p.y for p in found.cusps] == pytest.approx([0.0] * 3, abs=1e-9)
    assert not found.inflections and not found.stops


def test_a_cusp_between_instants_is_found() -> None:
    k = wheel().model.kinematics(times=np.linspace(0.3, 3.9, 97))
    assert [p.time for p in k.diagram.curvature("P").cusps] == pytest.approx([2.0 * math.pi / 3.0], abs=1e-6)


def test_a_prolate_cycloid_has_loops_and_no_cusps_and_a_curtate_one_inflections() -> None:
    k = wheel()
    assert not k.diagram.curvature("Q").cusps
    inside = k.diagram.curvature(k.model["disc"].at(0.0, -0.5 * R))
    # x' y'' = y' x'' where cos(angle) = d / R: twice a turn
    known = [
        t
        for turn in (0.0, 2.0 * math.pi)
        for t in ((math.acos(0.5) + turn) / 3.0, (2.0 * math.pi - math.acos(0.5) + turn) / 3.0)
    ]
    assert [p.time for p in inside.inflections] == pytest.approx(known, abs=1e-7)
    assert not inside.cusps


def test_a_piston_stops_at_its_dead_centres_without_cusps() -> None:
    found = slider_crank().diagram.curvature("piston")
    assert not found.cusps and not found.inflections
    assert [p.time for p in found.stops] == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04], abs=1e-8)  # 3000 rpm


# --- transmission angle -------------------------------------------------------------------------------------------


def test_the_transmission_angle_of_a_four_bar_follows_the_cosine_law() -> None:
    k = four_bar()
    a, b, c, d = LINKS
    diagonal = a**2 + d**2 - 2.0 * a * d * np.cos(k["A"].angle)
    np.testing.assert_allclose(
        np.cos(k.diagram.transmission_angle("C").angle), (b**2 + c**2 - diagonal) / (2.0 * b * c), atol=1e-9
    )
    worst, time = k.diagram.transmission_angle("C").worst
    known = (
        math.acos((b**2 + c**2 - (d - a) ** 2) / (2.0 * b * c)),
        math.acos((b**2 + c**2 - (d + a) ** 2) / (2.0 * b * c)),
    )
    assert worst == pytest.approx(max(known, key=lambda mu: abs(mu - math.pi / 2)), rel=1e-9)
    assert "worst" in str(k.diagram.transmission_angle("C")) and 0.0 <= time <= math.pi


def test_the_transmission_angle_of_a_slider_crank_follows_from_the_rods_slope() -> None:
    k = slider_crank()
    found = k.diagram.transmission_angle("C")
    slope = np.abs(np.cos(found.angle))  # of the rod against the line across the bore is sin of its slope
    np.testing.assert_allclose(slope, np.abs(40.0 / 140.0 * np.sin(k["A"].angle)), atol=1e-12)


# --- polygons -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["slider_crank", "watt_six_bar", "quick_return", "whitworth", "toggle_press", "jansen_leg"]
)
@pytest.mark.parametrize("kind", ["velocity", "acceleration"])
def test_polygons_close(name: str, kind: str) -> None:
    k = find(name).run()
    found = getattr(k.diagram, f"{kind}_polygon")(float(k.times[len(k) // 3]))
    size = np.hypot(*found.vectors.T).max()
    places = {node.name: np.array(node.vector) for node in found.nodes} | {"o": np.zeros(2)}
    for edge in found.edges:
        # tail and parts lead to the head; parts come from angular rates, nodes from velocities: only a closed polygon has both
        end = places[edge.tail] + sum((np.array(vector) for _, vector in edge.parts), np.zeros(2))
        np.testing.assert_allclose(end, places[edge.head], atol=1e-7 * size, err_msg=str(edge))
    for node in found.nodes:
        for body in node.bodies:
            moved = motion(found._result, body, accelerations=True)
            at = np.array([node.place])
            vector = (moved.velocity_at if kind == "velocity" else moved.acceleration_at)(at)[0]
            np.testing.assert_allclose(vector, node.vector, atol=1e-7 * size, err_msg=f"{node.name} on {body}")


def test_velocities_in_a_polygon_are_known_ones() -> None:
    found = slider_crank().diagram.velocity_polygon(0.005)  # a quarter turn at 3000 rpm
    w = 100.0 * math.pi
    assert np.hypot(*found["B"].vector) == pytest.approx(0.04 * w)
    assert found["C"].vector == pytest.approx((0.0, found["B"].vector[1]), abs=1e-6)  # the rod only translates
    assert found.turning["rod"] == pytest.approx(0.0, abs=1e-6)


def test_a_guide_that_turns_adds_coriolis() -> None:
    m = tm.PlanarModel("turning guide")
    arm = m.body("arm", position=(0.0, 0.0))
    block = m.body("block", position=(0.5, 0.0))
    m.revolute("A", m.ground, arm, at=(0.0, 0.0))
    m.prismatic("T", arm, block, at=(0.5, 0.0), axis=(1, 0))
    m.driver("turn", m["A"].angle, "2*t")
    m.driver("slide", m["T"].distance, "0.3*t")
    found = m.kinematics(1.0).diagram.acceleration_polygon(0.0)
    (edge,) = (e for e in found.edges if e.body == "T")
    parts = dict(edge.parts)
    assert parts["Coriolis"] == pytest.approx((0.0, 2.0 * 2.0 * 0.3)) and parts["sliding"] == pytest.approx(
        (0.0, 0.0), abs=1e-9
    )


# --- pictures and refusals ----------------------------------------------------------------------------------------

PICTURES: dict[str, Callable[[Any, Any], Any]] = {
    "centres": lambda k, p: k.diagram.instant_centers().plot(0.5, path=p),
    "velocities": lambda k, p: k.diagram.velocity_polygon(0.5).plot(path=p),
    "accelerations": lambda k, p: k.diagram.acceleration_polygon(0.5).plot(path=p),
    "centrodes": lambda k, p: k.diagram.centrodes("coupler").plot(0.5, path=p),
    "transmission": lambda k, p: k.diagram.transmission_angle("C").plot(x="A.angle", turns=1, path=p),
    "curvature": lambda k, p: k.diagram.curvature("P").plot(path=p),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_construction_has_a_picture(name: str, tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    axes = PICTURES[name](four_bar(), tmp_path / "p.svg")
    assert all(ax.get_xlabel() for ax in np.ravel(axes)) and (tmp_path / "p.svg").stat().st_size > 5000


def rssr() -> Any:
    return find("rssr").run()


def sledge() -> Any:
    m = tm.PlanarModel("sledge")
    m.prismatic("T", m.ground, m.body("s"), at=(0.0, 0.0), axis=(1, 0))
    m.driver("motor", m["T"].distance, "t")
    return m.kinematics(1.0)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "space": (lambda: rssr().diagram.instant_centers(), "instant centres belong to plane motion.* in space bodies move about screw axes"),
    "space, polygon": (lambda: rssr().diagram.velocity_polygon(), "velocity polygons belong to plane motion"),
    "space, centrodes": (lambda: rssr().diagram.centrodes("coupler"), "centrodes belong to plane motion"),
    "space, curvature": (lambda: rssr().diagram.curvature("M"), "cusps and inflections belong to plane motion"),
    "space, angle": (lambda: rssr().diagram.transmission_angle("B"), "transmission angles belong to plane motion"),
    "only translates": (lambda: slider_crank().diagram.centrodes("piston"), "'piston' only translates against 'ground'.*no centrodes"),
    "never turns": (lambda: slider_crank().diagram.inflection_circle("piston"), "'piston' never turns in this run"),
    "no body": (lambda: four_bar().diagram.centrodes("couplr"), "no body 'couplr'.* Did you mean 'coupler'"),
    "one body": (lambda: four_bar().diagram.instant_centers().between("crank", "crank"), "both are 'crank'"),
    "no point": (lambda: four_bar().diagram.curvature("Q"), "no point or body 'Q'"),
    "fixed point": (lambda: four_bar().diagram.curvature(four_bar().model.ground.at(1.0, 0.0)), "is fixed to the ground"),
    "still point": (lambda: four_bar().diagram.curvature("crank"), "'crank.*' stands still in this run: its path is a point"),
    "no pin": (lambda: slider_crank().diagram.transmission_angle("bore"), "'bore' is no pin between two bodies"),
    "ground pin": (lambda: four_bar().diagram.transmission_angle("A"), "'A' is a pin on the ground"),
    "other coupler": (lambda: four_bar().diagram.transmission_angle("C", "crank"), "coupler='crank' is not one of the bodies of 'C'"),
    "positions only": (lambda: four_bar().model.kinematics(1.0, level="position").diagram.instant_centers(), "stopped before velocity"),
    "no accelerations": (lambda: four_bar().model.kinematics(1.0, level="velocity").diagram.curvature("P"), "stopped before acceleration"),
    "nothing moves": (lambda: four_bar("0*t").diagram.velocity_polygon(), "nothing moves, so that its velocity polygon is a point"),
    "no centre": (lambda: sledge().diagram.instant_centers().plot(), "no two bodies turn against each other"),
    "time": (lambda: four_bar().diagram.velocity_polygon(99.0), "99"),
    "option": (
        lambda: four_bar().diagram.velocity_polygon(tiem=1.0),
        "diagram.velocity_polygon has no option 'tiem'.* Did you mean 'time'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_answer_is_said(case: str) -> None:
    ask, sentence = REFUSED[case]
    with pytest.raises(tm.ModelError, match=sentence):
        ask()
