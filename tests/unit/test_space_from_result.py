"""From a spatial result to a scene: shapes, marks, springs, arrows, directions; pictures of results; the live view."""

import json
import math
import threading
import time
import urllib.request

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.view.animation.gltf import gltf_bytes
from pytrammel.view.animation.spatial import space_data
from pytrammel.view.scene.spatial import Shape3, SpaceScene
from pytrammel.view.scene.spatial_shapes import FEW_ARROWS, build_space_scene, scene_of_motion, upward
from pytrammel.view.stills.space_outlines import outlines
from pytrammel.view.stills.spatial import solids


def pendulum(**given):
    """Rod of 1 m along y on a hinge about x, let go from the horizontal."""
    m = tm.SpatialModel("pendulum", **given)
    rod = m.body("rod", position=(0, 0.5, 0), mass=2.0, inertia=(1 / 6, 0.001, 1 / 6))
    m.revolute("A", m.ground, rod, at=(0, 0, 0), axis="x")
    m.point("tip", rod, at=(0, 1, 0))
    return m


def scene_of(m: tm.SpatialModel, **options) -> SpaceScene:
    """Scene of the drawn pose."""
    q = np.array([[x for body in list(m.bodies.values())[1:] for x in body.coordinates]])
    return scene_of_motion(m, np.zeros(1), q, **options)


def body_of(scene: SpaceScene, name: str):
    return next(body for body in scene.bodies if body.name == name)


def test_a_body_without_a_shape_is_a_link_through_its_joints_and_points():
    scene = scene_of(pendulum())
    (link,) = body_of(scene, "rod").shapes
    assert link.kind == "link" and not link.closed
    assert sorted(link.points.tolist()) == [[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]]
    assert body_of(scene, "ground").is_ground and not body_of(scene, "ground").shapes


def test_a_body_held_at_one_point_reaches_to_its_centroid():
    m = tm.SpatialModel()
    m.body("bob", position=(0, 0, -1), mass=1.0, inertia=0.01)
    m.spherical("A", m.ground, "bob", at=(0, 0, 0))
    (link,) = body_of(scene_of(m), "bob").shapes
    assert sorted(link.points.tolist()) == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def test_three_points_make_a_plate_and_four_in_space_a_solid():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.4, 0.4, 1)]
    m = tm.SpatialModel()
    plate = m.body("plate")
    solid = m.body("solid", position=(3, 0, 0))
    for k, corner in enumerate(corners):
        if k < 3:
            m.spherical(f"P{k}", m.ground, plate, at=corner)
        m.spherical(f"S{k}", m.ground, solid, at=tuple(np.add(corner, (3, 0, 0))))
    scene = scene_of(m)
    (flat,), (full,) = body_of(scene, "plate").shapes, body_of(scene, "solid").shapes
    assert flat.kind == "link" and flat.closed and len(flat.points) == 3
    assert full.kind == "mesh" and full.triangles.shape == (4, 3)
    # a closed surface, counter-clockwise from outside, has the volume of the tetrahedron: 1/6
    a, b, c = (full.points[full.triangles[:, k]] for k in range(3))
    assert np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6 == pytest.approx(1 / 6)


def test_a_free_body_without_a_shape_is_the_block_of_its_inertia():
    m = tm.SpatialModel()
    size, mass = np.array((0.3, 0.2, 0.1)), 6.0
    m.body("brick", mass=mass, inertia=tuple(mass / 12 * ((size**2).sum() - size**2)), centroid=(0, 0, 0.5))
    m.body("nothing", position=(1, 0, 0), massless=True)
    scene = scene_of(m)
    (block,) = body_of(scene, "brick").shapes
    assert sorted(block.size) == pytest.approx(sorted(size))
    points, _ = block.extreme_points()
    assert np.ptp(points, axis=0) == pytest.approx(size)
    assert points.mean(axis=0) == pytest.approx((0, 0, 0.5))
    assert not body_of(scene, "nothing").shapes


def test_own_shapes_are_drawn_as_they_are():
    quarter = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    mesh = tm.inertia.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    m = tm.SpatialModel()
    m.body(
        "part",
        shape=[
            tm.Box((1, 2, 3), (0, 0, 1), quarter), tm.Sphere(0.5, (1, 1, 1)), tm.Cylinder((0, 0, 0), (0, 0, 2), 0.1), tm.Solid(mesh)
        ],
    )  # fmt: skip
    box, ball, bar, solid = body_of(scene_of(m), "part").shapes
    corners, _ = box.extreme_points()
    assert np.ptp(corners, axis=0) == pytest.approx((2, 1, 3))
    assert ball.kind == "sphere" and ball.radius == 0.5
    assert bar.kind == "cylinder" and bar.points.tolist() == [[0, 0, 0], [0, 0, 2]]
    assert solid.triangles.tolist() == mesh.triangles.tolist()


def test_marks_stand_where_the_joints_are_along_their_axes():
    m = pendulum()
    scene = scene_of(m, traces=())
    (mark,) = scene.marks
    assert (mark.kind, mark.label, scene.bodies[mark.body].name) == ("revolute", "A", "ground")
    assert mark.position == (0, 0, 0) and mark.axis == pytest.approx((1, 0, 0))


def test_each_body_carries_its_arm_of_a_universal_joint():
    m = tm.SpatialModel()
    m.body("a", position=(-1, 0, 0))
    m.body("b", position=(1, 0, 0))
    m.universal("U", "a", "b", at=(0, 0, 0), axis="y", second_axis="z")
    first, second = scene_of(m).marks
    assert (first.kind, second.kind) == ("arm", "arm")
    assert (first.axis, second.axis) == ((0, 1, 0), (0, 0, 1))
    assert (first.position, second.position) == ((1, 0, 0), (-1, 0, 0))
    assert (first.label, second.label) == ("U", "")


def test_a_slide_moves_with_its_second_body_along_a_rail():
    m = tm.SpatialModel(gravity=(0, 0, 0))
    m.body("slider", mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "slider", at=(0, 0, 0), axis="x")
    m.driver("push", m["T"].distance, "2*t")
    scene = build_space_scene(m.kinematics(duration=1.0, samples=5))
    (mark,) = scene.marks
    assert (mark.kind, scene.bodies[mark.body].name) == ("prismatic", "slider")
    (rail,) = body_of(scene, "ground").shapes
    assert rail.points == pytest.approx(np.array([(0, 0, 0), (2, 0, 0)]))


def test_a_slide_whose_body_has_a_shape_needs_no_mark():
    m = tm.SpatialModel()
    m.body("slider", shape=tm.Box((1, 1, 1)))
    m.prismatic("T", m.ground, "slider", at=(0, 0, 0), axis="x")
    assert not scene_of(m).marks


def test_springs_dampers_and_rods():
    m = tm.SpatialModel()
    a, b = m.body("a", position=(0, 0, 1)), m.body("b", position=(2, 0, 1))
    m.link("rod", a.at(0.5), b.at(-0.5))
    m.spring("coil", m.ground, a, stiffness=10.0)
    m.spring("dashpot", m.ground, b, damping=1.0)
    scene = scene_of(m)
    assert {rod.label: rod.kind for rod in scene.rods} == {"rod": "rod", "coil": "spring", "dashpot": "damper"}
    rod = scene.rods[0]
    assert scene.global_points(rod.body_i, rod.point_i)[0] == pytest.approx((0.5, 0, 1))
    assert scene.global_points(rod.body_j, rod.point_j)[0] == pytest.approx((1.5, 0, 1))


def test_bushings_are_balls_and_a_ball_with_two_contacts_is_one():
    m = tm.SpatialModel()
    m.body("a", position=(0, 0, 1), mass=1.0, inertia=1.0)
    m.body("ball", position=(0, 0, 3), mass=1.0, inertia=1.0)
    m.bushing("B", m.ground.marker((0, 0, 0)), m["a"].marker((0, 0, -1)), stiffness=1e3)
    for k, axis in enumerate("xz"):
        m.contact_sphere_plane(f"C{k}", "ball", m.ground, at=(0, 0, 0), normal=axis, radius=0.5, stiffness=1e4)
    scene = scene_of(m)
    assert [(mark.kind, mark.label) for mark in scene.marks] == [("spherical", "B")] and not scene.rods
    assert [shape.kind for shape in body_of(scene, "ball").shapes] == ["sphere"]


def test_rolling_bodies_curves_and_fixed_bodies():
    m = tm.SpatialModel()
    m.body("ball", position=(0, 0, 0.3))
    m.body("coin", position=(1, 0, 0.2))
    m.body("bead", position=(2, 0, 0))
    m.body("base", shape=tm.Box((1, 1, 0.1)))
    m.rolling_sphere("r1", m.ground, "ball", radius=0.3, at=(0, 0, 0), axis="z")
    m.rolling_disc("r2", m.ground, "coin", radius=0.2, at=(0, 0, 0), axis="z", disc_axis="y")
    m.point_on_curve("on", m.ground, m["bead"].at(0), curve=tm.curves.helix(2.0, 1.0))
    m.fix("held", "base")
    scene = scene_of(m)
    (ball,), (coin,), (curve,) = (body_of(scene, name).shapes for name in ("ball", "coin", "ground"))
    assert (ball.kind, ball.radius) == ("sphere", 0.3)
    assert (coin.kind, coin.radius) == ("cylinder", 0.2)
    assert np.ptp(coin.points, axis=0)[[0, 2]] == pytest.approx((0, 0)) and np.ptp(coin.points, axis=0)[1] > 0
    assert curve.kind == "polyline" and np.hypot(*curve.points[:, :2].T) == pytest.approx(np.full(181, 2.0))
    assert body_of(scene, "base").is_ground
    assert [mark.label for mark in scene.marks] == ["on"]


def test_an_internal_gear_is_a_ring_about_what_runs_in_it():
    m = tm.SpatialModel("planet in a ring")
    for name, x in (("carrier", 0.0), ("ring", 0.0), ("planet", 0.3)):
        m.body(name, position=(x, 0, 0))
    m.revolute("C", m.ground, "carrier", at=(0, 0, 0), axis="z")
    m.revolute("R", "carrier", "ring", at=(0, 0, 0), axis="z")
    m.revolute("P", "carrier", "planet", at=(0.3, 0, 0), axis="z")
    m.gear("mesh", "P", "R", radii=(0.1, 0.4), internal=True)
    scene = scene_of_motion(m, np.zeros(1), np.array([[x for b in list(m.bodies.values())[1:] for x in b.coordinates]]))
    (ring,) = next(body for body in scene.bodies if body.name == "ring").shapes
    corners = np.array(ring.points)
    radii = np.hypot(corners[:, 0], corners[:, 1])
    assert radii.min() == pytest.approx(0.4) and radii.max() < 0.5
    a, b, c = np.moveaxis(corners[np.array(ring.triangles).reshape(-1, 3)], 1, 0)
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0  # positive where all triangles face outwards
    flat = 0.5 * 64 * math.sin(2 * math.pi / 64) * (radii.max() ** 2 - 0.4**2)  # area between polygons of 64 sides
    assert volume == pytest.approx(flat * np.ptp(corners[:, 2]), rel=1e-9)


def test_joints_at_one_place_share_a_label():
    m = tm.SpatialModel()
    m.body("a", position=(0, 0, 1))
    m.body("b", position=(0, 0, 2))
    m.spherical("P", m.ground, "a", at=(0, 0, 0))
    m.spherical("Q", m.ground, "b", at=(0, 0, 0))
    assert [mark.label for mark in scene_of(m).marks] == ["P, Q", ""]


def test_marks_grow_with_the_bars_they_stand_in_but_not_with_wheels():
    m = tm.SpatialModel()
    m.body("bar", shape=tm.Cylinder((0, 0, 0), (0, 0, 1), 0.05))
    m.body("wheel", position=(1, 0, 0), shape=tm.Cylinder((0, -0.1, 0), (0, 0.1, 0), 0.5))
    m.revolute("A", m.ground, "bar", at=(0, 0, 0), axis="x")
    m.revolute("B", m.ground, "wheel", at=(1, 0, 0), axis="y")
    first, second = scene_of(m).marks
    assert first.size == pytest.approx(0.045)
    assert second.size == 0.0


def test_bodies_of_a_kind_share_a_colour_where_there_are_several_kinds():
    m = tm.SpatialModel()
    for name in ("plate", "leg1", "leg2"):
        m.body(name)
    plate, leg1, leg2 = (body_of(scene_of(m), name).colour for name in ("plate", "leg1", "leg2"))
    assert leg1 == leg2 != plate
    chain = tm.SpatialModel()
    for name in ("link1", "link2"):
        chain.body(name)
    assert {body.colour for body in scene_of(chain).bodies} == {None}


def gripped() -> tuple[tm.SpatialModel, SpaceScene]:
    """A rod that a ball and a thread hold in the first of two phases: one instant of each."""
    m = pendulum()
    m.spherical("grip", m.ground, "rod", at=(0, 1, 0))
    m.link("thread", m.ground.at(0.5, 0.0, 1.0), m["rod"].at(0.0, 0.5, 0.0))
    m.phase("held", active=["grip", "thread"])
    m.phase("free", active=[])
    q = np.array([m["rod"].coordinates] * 2)
    return m, scene_of_motion(m, np.arange(2.0), q, traces=(), phases=["held", "free"])


def test_what_a_phase_switches_off_is_marked_as_off_in_space():
    m, scene = gripped()
    assert {mark.label: mark.active for mark in scene.marks} == {"A": None, "grip": (True, False)}
    assert [rod.active for rod in scene.rods] == [(True, False)]
    first = scene_of_motion(m, np.zeros(1), np.array([m["rod"].coordinates]), traces=())  # drawn before any run
    assert {mark.label: mark.active for mark in first.marks} == {"A": None, "grip": (True,)}


def test_what_is_off_is_faint_in_drawings_and_left_out_of_gltf():
    _, scene = gripped()
    faint = [{alpha for _, _, alpha in solids(scene, frame)} for frame in (0, 1)]
    assert faint == [{1.0}, {1.0, 0.25}]
    data = space_data(scene)
    assert [part["on"] for part in data["bodies"][0]["marks"] if "on" in part] == ["10"]
    assert data["rods"][0]["on"] == "10"
    names = [node["name"] for node in json.loads(gltf_bytes(scene, binary=False))["nodes"]]
    assert "thread" not in names


def test_ghosts_of_spatial_drawings_are_thin_outlines_of_every_kind_of_shape():
    shapes = (
        Shape3.box((1.0, 2.0, 3.0)),
        Shape3.sphere(1.0),
        Shape3.cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.2),
        Shape3.cone((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.2),
        Shape3.link([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]),
        Shape3.plate([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], 0.1),
        Shape3.polyline([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]),
    )
    found = [outlines(shape, np.array([1.0, 0.0, 0.0])) for shape in shapes]
    assert [len(lines) for lines in found] == [12, 1, 4, 4, 1, 9, 1]  # edges of a box; rims and two sides of a tube
    (circle,) = found[1]
    assert np.abs(circle[:, 0]).max() < 1e-12 and np.linalg.norm(circle, axis=1) == pytest.approx(1.0)


def test_a_spatial_result_is_drawn_with_ghosts():
    result = pendulum().simulate(duration=0.2, samples=11)
    plain, ghosts = (result.draw(ghosts=n).collections for n in (0, 3))
    lines = len(ghosts) - len(plain)
    assert lines == 3  # one moving body, three times


@pytest.mark.parametrize(
    ("gravity", "up"),
    [((0, 0, -9.81), (0, 0, 1)), ((0, -9.81, 0), (0, 1, 0)), ((9.81, 0, 0), (-1, 0, 0)), ((0, 0, 0), (0, 0, 1)), ((1, 1, 0), (0, 0, 1))],
)  # fmt: skip
def test_up_is_against_gravity(gravity, up):
    m = pendulum(gravity=gravity)
    assert upward(m) == up
    assert scene_of(m).up == up


def test_traces_units_and_title():
    m = pendulum(display_unit="mm")
    result = m.simulate(duration=0.2, samples=11)
    scene = build_space_scene(result, traces=["tip"])
    assert (scene.title, scene.length_unit, scene.length_factor) == ("pendulum", "mm", pytest.approx(1000.0))
    assert scene.trace_points(0) == pytest.approx(result.point("tip").position, abs=1e-12)
    assert [mark.kind for mark in scene.marks] == ["revolute", "point"]
    assert not build_space_scene(result, traces=()).traces


def test_arrows_are_the_reactions():
    result = pendulum().simulate(duration=0.5, samples=21)
    scene = build_space_scene(result)
    (force,) = scene.forces  # a hinge in the plane of motion gives no moment
    reaction = result.reaction("A")
    assert force.kind == "force" and force.name == "A"
    assert np.array_equal(force.vector, reaction.force) and np.array_equal(force.origin, reaction.point)
    # let go from the horizontal: a quarter of the weight
    assert force.vector[0] == pytest.approx((0, 0, 2.0 * 9.81 / 4), abs=1e-9)
    assert scene.show_arrows


def test_moments_are_drawn_and_many_arrows_wait_until_they_are_asked_for():
    m = tm.SpatialModel()
    before = m.ground
    for k in range(FEW_ARROWS):
        link = m.body(f"link{k}", position=(k + 0.5, 0, 0), mass=1.0, inertia=0.1)
        m.weld(f"W{k}", before, link, at=(k, 0, 0))
        before = link
    result = m.statics()
    scene = build_space_scene(result)
    assert len(scene.arrows) == 2 * FEW_ARROWS and not scene.show_arrows
    moment = next(arrow for arrow in scene.arrows if arrow.kind == "moment")
    assert moment.unit == "N m"
    # a cantilever under its own weight
    assert np.linalg.norm(moment.vector[0]) == pytest.approx(9.81 * FEW_ARROWS**2 / 2)


def test_kinematics_has_arrows_of_motion_but_no_forces():
    m = pendulum()
    m.driver("motor", m["A"].angle, "t")
    scene = build_space_scene(m.kinematics(duration=1.0, samples=3))
    assert not scene.forces
    found = {arrow.kind: arrow for arrow in scene.arrows if arrow.name == "rod"}
    # v = omega x r and a = omega x (omega x r) with omega = 1 rad/s about the hinge
    arm = np.linalg.norm(found["velocity"].origin, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found["velocity"].vector, axis=1), arm, rtol=1e-9)
    np.testing.assert_allclose(found["acceleration"].vector, -found["velocity"].origin, atol=1e-9)


def test_pictures_of_a_spatial_result(tmp_path):
    result = pendulum().simulate(duration=0.3, samples=11)
    page = result.animate(tmp_path / "p.html", traces=["tip"], duration=3.0).read_text(encoding="utf-8")
    data = json.loads(page.split('id="scene">')[1].split("</script>")[0])
    assert [body["name"] for body in data["bodies"]] == ["ground", "rod"]
    assert data["duration"] == 3.0 and data["forces"] is True
    ax = result.draw(time=0.3, traces=["tip"], path=tmp_path / "p.png")
    assert ax.name == "3d" and (tmp_path / "p.png").stat().st_size > 5_000
    paths = result.plot.path(path=tmp_path / "path.png")
    x, y, z = paths.lines[0].get_data_3d()
    assert np.column_stack([x, y, z]) == pytest.approx(result.point("tip").position)
    assert (tmp_path / "path.png").stat().st_size > 5_000


def test_what_a_spatial_picture_cannot_show_is_refused():
    m = tm.SpatialModel()
    m.body("a", mass=1.0, inertia=1.0, shape=tm.Sphere(0.1))
    result = m.simulate(duration=0.1, samples=2)
    with pytest.raises(tm.ModelError, match="nothing to plot"):
        result.plot.path()
    with pytest.raises(tm.ModelError, match="there is no point 'Q'"):
        result.draw(traces=["Q"])


# ---- live


def frames_of(url: str, found: list, until: int, some: threading.Event | None = None) -> None:
    """Read frames as a browser does; the event is set as ten have come."""
    with urllib.request.urlopen(url + "frames", timeout=60) as stream:
        for line in stream:
            if line.startswith(b"data: {"):
                found.append(json.loads(line[6:]))
                if some is not None and len(found) == 10:
                    some.set()
            if line.startswith(b"event: end") or len(found) >= until:
                return


def test_watch_is_told_every_output_instant_and_changes_nothing():
    m = pendulum()
    seen, closed = [], []

    class Spectator:
        def __call__(self, time, q):
            seen.append((time, q))

        def close(self):
            closed.append(True)

    watched = m.simulate(duration=2.0, samples=41, callback=Spectator())
    alone = m.simulate(duration=2.0, samples=41)
    assert [t for t, _ in seen] == alone.times.tolist() and closed == [True]
    assert np.array_equal([q for _, q in seen], watched.q)
    assert watched.q == pytest.approx(alone.q, abs=1e-12)
    assert len(m.simulate(duration=0.1, samples=3, callback=lambda t, q: seen.append((t, q)))) == 3


def test_watch_is_closed_when_the_run_fails():
    closed = []

    class Spectator:
        def __call__(self, time, q):
            pass

        def close(self):
            closed.append(True)

    with pytest.raises(tm.ConvergenceError):
        pendulum().simulate(duration=10.0, method=tm.methods.default(max_steps=1), callback=Spectator())
    assert closed == [True]


def test_frames_arrive_while_the_simulation_runs(capsys):
    """The simulation waits after 20 of 51 instants until a browser has received ten frames, and is never ahead of real time."""
    run = (m := pendulum()).live(real_time=True, open_browser=False)
    found, instants, waited, some = [], [], [], threading.Event()

    def watch(t, q):
        run(t, q)
        instants.append((time.monotonic(), t))
        if len(instants) == 1:
            reader.start()
        if len(instants) == 20:
            waited.append(some.wait(60.0))

    reader = threading.Thread(target=lambda: frames_of(run.view.url, found, 51, some), daemon=True)
    with run:
        result = m.simulate(duration=1.0, samples=51, callback=watch)
        reader.join(60.0)
    assert waited == [True] and len(found) == 51
    assert f"live view: {run.view.url}" in capsys.readouterr().out
    wall, simulated = (np.array(instants) - instants[0]).T
    assert (wall > simulated - 0.02).all()  # a tick of the clock of Windows; a loaded machine is later, never earlier
    poses = np.array([frame["p"][1] for frame in found])
    assert poses[:, :3] == pytest.approx(result["rod"].position, abs=1e-5)
    assert [frame["t"] for frame in found] == pytest.approx(result.times)


def test_a_fast_run_leaves_all_its_frames():
    m = pendulum()
    run = m.live(open_browser=False, traces=["tip"])
    with run:
        for k in range(30):
            angle = 0.1 * k
            turn = (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
            run(0.01 * k, np.array([0, 0.5 * math.cos(angle), 0.5 * math.sin(angle), *turn]))
        found: list = []
        frames_of(run.view.url, found, until=30)
    assert len(found) == 30
    run.close()


def test_the_live_view_knows_its_points():
    with pytest.raises(tm.ModelError, match="there is no point 'Q'"):
        pendulum().live(traces=["Q"])
    pendulum().live().close()  # never started


def test_a_planar_run_is_watched_live():
    m = tm.PlanarModel("pendulum")
    # the scene has its bodies in another order than the model
    m.body("late", position=(0.0, 2.0), mass=1.0, inertia=0.1)
    m.body("bob", position=(1.0, 0.0), mass=1.0, inertia=0.0)
    m.revolute("A", m.ground, "bob", at=(0, 0))
    run = m.live(open_browser=False)
    result = m.simulate(0.4, samples=5, callback=run, progress=False)
    assert run.view is not None
    names = [body.name for body in run.view._scene.bodies]
    frames = [json.loads(frame.text) for frame in run.view._frames]
    assert [frame["t"] for frame in frames] == pytest.approx(list(result.times))
    for name in ("late", "bob"):
        shown = [frame["p"][names.index(name)] for frame in frames]
        np.testing.assert_allclose(
            shown, np.column_stack([result[name].x, result[name].y, result[name].phi]), atol=2e-6
        )
    run.close()


def test_gears_without_shapes_are_discs_that_touch():
    m = tm.SpatialModel("train")
    for name, x in (("small", 0.0), ("large", 0.5)):
        m.body(name, position=(x, 0.0, 0.3), mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.revolute(f"{name}_axle", m.ground, name, at=(x, 0.0, 0.0), axis="z")
    m.gear("teeth", "small_axle", "large_axle", radii=(0.2, 0.3))
    scene = scene_of(m)
    radii = {body.name: [shape.radius for shape in body.shapes] for body in scene.bodies if body.name != "ground"}
    assert radii == {"small": [pytest.approx(0.2)], "large": [pytest.approx(0.3)]}


def test_two_gears_of_one_body_sit_on_an_axle():
    m = tm.SpatialModel("idler")
    for name, x in (("small", 0.0), ("idler", 0.5), ("large", 1.0)):
        m.body(name, position=(x, 0.0, 0.0), mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.revolute(f"{name}_axle", m.ground, name, at=(x, 0.0, 0.4 if name == "large" else 0.0), axis="z")
    m.gear("first", "small_axle", "idler_axle", radii=(0.2, 0.3))
    m.gear("second", "large_axle", "idler_axle", radii=(0.4, 0.1))
    assert [shape.kind for shape in body_of(scene_of(m), "idler").shapes] == ["cylinder", "cylinder", "link"]
