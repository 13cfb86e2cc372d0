"""Subsystems and included files: the same parts several times, under names and at places of their own."""

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import examples
from pytrammel.io.models.model_file import dumps, loads
from pytrammel.io.models.templates import template_text
from pytrammel.testing.samples import plain_model


def four_bar():
    return loads(template_text("four_bar"))


def turned(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def test_two_copies_move_like_the_original_where_they_are_placed():
    part = four_bar()
    alone = part.kinematics(duration=1.0, samples=21)
    m = tm.PlanarModel("two")
    m.subsystem("left", part)
    m.subsystem("right", part, position=("300 mm", 0.1), angle="40 deg")
    both = m.kinematics(duration=1.0, samples=21)
    R, d = turned(math.radians(40)), np.array([0.3, 0.1])
    for name in ("coupler", "rocker"):
        place = np.column_stack([alone[name].x, alone[name].y])
        # Newton stops at rounding: some 1e-15 of the mechanism's size
        assert np.column_stack([both[f"left.{name}"].x, both[f"left.{name}"].y]) == pytest.approx(place, abs=1e-13)
        assert np.column_stack([both[f"right.{name}"].x, both[f"right.{name}"].y]) == pytest.approx(
            place @ R.T + d, abs=1e-13
        )
        assert both[f"right.{name}"].alpha == pytest.approx(alone[name].alpha, abs=1e-9)
    assert both["right.D.angle"] == pytest.approx(alone["D.angle"], abs=1e-13)


def test_what_stood_on_the_ground_stands_on_the_body_that_takes_its_place():
    part = four_bar()
    alone = part.kinematics(duration=1.0, samples=11)
    m = tm.PlanarModel("carried")
    car = m.body("car", position=(1.0, 2.0), angle=0.3)
    m.prismatic("rail", m.ground, car, at=(1, 2), axis=(1, 0))
    m.driver("drive", "rail.distance", "0.5*t^2")
    m.subsystem("arm", part, position=(1.0, 2.0), ground="car")  # the car is turned, the arm's frame is not
    both = m.kinematics(duration=1.0, samples=11)
    moved = both["car"].x - 1.0
    assert np.ptp(moved) == pytest.approx(0.5)
    for name in ("coupler", "rocker"):
        assert both[f"arm.{name}"].x - moved == pytest.approx(alone[name].x + 1.0, abs=1e-12)
        assert both[f"arm.{name}"].y == pytest.approx(alone[name].y + 2.0, abs=1e-12)
        assert both[f"arm.{name}"].phi == pytest.approx(alone[name].phi, abs=1e-12)


def test_a_turned_pendulum_with_a_spring_swings_about_its_own_rest():
    part = tm.PlanarModel(gravity=(0, 0))
    part.body("rod", mass=2.0, inertia=0.3, omega=0.5)
    part.revolute("A", part.ground, "rod", at=(0, 0))
    part.torsion_spring("s", first=part.ground, second="rod", stiffness=8.0, free_angle=0.1)
    part.user_force("f", "A.angle", "-0.2*A.angle")
    alone = part.simulate(1.0, samples=11, progress=False)
    m = tm.PlanarModel(gravity=(0, 0))
    m.subsystem("it", part, angle=1.0, position=(3, 0))
    placed = m.simulate(1.0, samples=11, progress=False)
    # both runs keep 1e-8 of the motion per step
    assert placed["it.rod"].phi - 1.0 == pytest.approx(alone["rod"].phi, abs=1e-8)
    assert placed["it.A.angle"] == pytest.approx(alone["A.angle"], abs=1e-8)


def test_spatial_parts_are_placed_with_all_their_frames():
    part = examples.find("rssr").build()
    alone = part.kinematics(duration=0.5, samples=11)
    p = tm.rotations.from_angles((0.4, -0.3, 0.9), "xyz")
    R, d = np.asarray(tm.rotations.matrix(p)), np.array([1.0, -2.0, 0.5])
    m = tm.SpatialModel("placed")
    m.subsystem("it", part, position=tuple(d), rotation=tuple(p))
    placed = m.kinematics(duration=0.5, samples=11)
    for name in list(part.bodies)[1:]:
        assert placed[f"it.{name}"].position == pytest.approx(alone[name].position @ R.T + d, abs=1e-12)


def test_force_laws_phases_and_friction_are_renamed_along():
    m = tm.PlanarModel("all kinds")
    m.subsystem("a", examples.find("geneva").build())
    assert_same = plain_model(loads(dumps(m)))
    assert plain_model(m) == assert_same
    result = m.kinematics(duration=1.0, samples=21)
    alone = examples.find("geneva").build().kinematics(duration=1.0, samples=21)
    assert result["a.wheel"].phi == pytest.approx(alone["wheel"].phi, abs=1e-12)
    part = tm.PlanarModel("law")
    part.body("b", mass=1.0, inertia=1.0)
    part.prismatic("T", part.ground, "b", at=(0, 0), axis=(1, 0))
    part.user_force("f", "T.distance", "-4*T.distance - 0.1*T.distance.rate")
    two = tm.PlanarModel("law twice")
    two.subsystem("p", part, angle=math.pi / 2)
    assert "p.T.distance" in str(two["p.f"].uses[0].law)


@pytest.mark.parametrize(
    "build, sentence",
    [
        (lambda m, p: m.subsystem("a", p, rotation=(1, 0, 0, 0)), "rotation= of a subsystem means nothing here; give angle="),
        (lambda m, p: m.subsystem("a", 3), "must be a model of the same kind"),
        (lambda m, p: m.subsystem("a", tm.SpatialModel()), "must be a model of the same kind"),
        (lambda m, p: m.subsystem("a", p, position=("3 kg", 0)), "it must be a length"),
        (lambda m, p: m.subsystem("ground", p), "taken already"),
        (lambda m, p: (m.subsystem("a", p), m.body("a")), "that of a subsystem"),
        (lambda m, p: (m.body("a"), m.body("a.b")), "'a' is not a subsystem, but a part of the model"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(build, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        build(tm.PlanarModel(), four_bar())


def test_rows_on_global_coordinates_are_refused_in_placed_assemblies_and_nothing_is_left_behind():
    part = tm.PlanarModel()
    part.body("b")
    part.driver("d", part["b"].x, "t")
    m = tm.PlanarModel()
    m.subsystem("here", part)
    with pytest.raises(tm.ModelError, match=r"driver 'd' of the subsystem holds b.x, which is global"):
        m.subsystem("there", part, position=(1, 0))
    assert list(m.bodies) == ["ground", "here.b"]


# --- in files --------------------------------------------------------------------------------------------------------

MAIN = """
format = 1
name = "two legs"
include = ["common.toml"]

[parameters]
apart = "2*span"

[subsystems.left]
file = "leg.toml"

[subsystems.right]
file = "parts/../leg.toml"
position = ["apart", 0]
angle = "90 deg"
parameters = {crank = "0.8*short", speed = "30 rpm"}

[constraints.tie]
type = "constrain"
quantity = {measure = "distance", first = "left.crank", second = "right.crank"}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "leg.toml").write_text(template_text("four_bar"), encoding="utf-8")
    (tmp_path / "common.toml").write_text(
        'format = 1\n[parameters]\nspan = "200 mm"\nshort = "30 mm"\n', encoding="utf-8"
    )
    (tmp_path / "main.toml").write_text(MAIN.partition("[constraints.tie]")[0], encoding="utf-8")
    return tmp_path


def test_files_are_used_several_times_with_their_own_parameters(folder):
    m = tm.load(folder / "main.toml")
    bars = ("crank", "coupler", "rocker")
    assert list(m.bodies) == ["ground", *(f"left.{b}" for b in bars), "right.base", *(f"right.{b}" for b in bars)]
    assert m["right.rocker"].position == pytest.approx((0.4, 0.1))
    assert m["right.B"].parameters["first"].local == pytest.approx((0.024, 0.0))
    assert plain_model(loads(dumps(m))) == plain_model(m)
    wider = tm.load(folder / "main.toml", parameters={"span": 1.0})
    assert wider["right.rocker"].position == pytest.approx((2.0, 0.1))
    with pytest.raises(tm.ModelError, match=r"placed or made with the parameter 'apart'"):
        m.with_parameters(span=1.0)


def test_mistakes_in_other_files_are_told_with_their_file_and_line(folder):
    (folder / "leg.toml").write_text(template_text("four_bar").replace("angle =", "angel =", 1), encoding="utf-8")
    (folder / "common.toml").write_text(
        "format = 1\ndisplay_unit = 'mm'\n[parameters]\nspan = 1\nshort = 2\n", encoding="utf-8"
    )
    with pytest.raises(tm.FileFormatError) as caught:
        tm.load(folder / "main.toml")
    told = {(p.source, p.path) for p in caught.value.problems}
    assert ("leg.toml", "bodies.crank.angel") in told
    assert ("common.toml", "display_unit") in told


@pytest.mark.parametrize(
    "text, sentence",
    [
        ('include = ["../secret.toml"]', "not in the folder of the model file"),
        ('include = ["/etc/passwd"]', "not in the folder of the model file"),
        ('include = ["main.toml"]', "name each other in a circle"),
        ('include = "leg.toml"', "must be a list of files"),
        ('include = ["none.toml"]', "cannot be read"),
        ('[subsystems.a]\nfile = "main.toml"', "name each other in a circle"),
        ('[subsystems.a]\nposition = [0, 0]', "needs a file"),
        ('[subsystems.a]\nfile = "leg.toml"\nposiiton = [0, 0]', "did you mean position?"),
        ('[subsystems.a]\nfile = "leg.toml"\nground = "wall"', "no body 'wall'"),
        ('[subsystems.a]\nfile = "leg.toml"\nparameters = {crnak = 1}', "no parameter 'crnak' to change; did you mean crank?"),
    ],
)  # fmt: skip
def test_other_files_that_cannot_be_used_are_refused(folder, text, sentence):
    (folder / "main.toml").write_text(f"format = 1\n{text}\n", encoding="utf-8")
    with pytest.raises(tm.FileFormatError, match=sentence.replace("?", r"\?")):
        tm.load(folder / "main.toml")


def test_files_that_multiply_are_stopped(tmp_path):
    for k in range(12):
        body = "[bodies.b]\n" if k == 11 else "".join(f'[subsystems.a{i}]\nfile = "f{k + 1}.toml"\n' for i in range(10))
        (tmp_path / f"f{k}.toml").write_text(f"format = 1\n{body}", encoding="utf-8")
    with pytest.raises(tm.FileFormatError, match=r"levels deep|files are named"):
        tm.load(tmp_path / "f0.toml")
