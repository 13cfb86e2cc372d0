"""What a rotor of a joint counts in: kinetic energy and inertia of the joint, but no mass, centre of mass or momentum."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm


def chain(armatures):
    """Three links with slanted hinges and a slider, with the given armatures of their joints."""
    kinds = (("hinge", "0 1 0"), ("hinge", "0.6 0 0.8"), ("slide", "0 0 1"))
    inside = ""
    for k, ((kind, axis), armature) in reversed(list(enumerate(zip(kinds, armatures, strict=True)))):
        inside = (
            f'<body name="b{k}" pos="0.1 0.2 -0.3"><joint name="j{k}" type="{kind}" axis="{axis}" armature="{armature}"/>'
            f'<inertial mass="{k + 1}" pos="0.1 0 -0.2" diaginertia="0.1 0.12 0.15"/>{inside}</body>'
        )
    return f'<mujoco><option gravity="0 0 -9.81"/><worldbody>{inside}</worldbody></mujoco>'


def loaded(folder, armatures):
    path = folder / "chain.xml"
    path.write_text(chain(armatures), encoding="utf-8")
    return tm.load_robot(path)


SPEEDS = {
    "j0.angle": 0.4,
    "j1.angle": -0.7,
    "j2.distance": 0.1,
    "j0.angle.rate": 2.0,
    "j1.angle.rate": -3.0,
    "j2.distance.rate": 0.5,
}
SUMS = (
    "com.x",
    "com.z",
    "momentum.x",
    "momentum.y",
    "momentum.z",
    "angular_momentum.x",
    "angular_momentum.y",
    "angular_momentum_com.z",
)


@pytest.mark.parametrize("armatures", [(0.3, 0.0, 0.0), (0.0, 2.0, 0.5), (0.01, 4.0, 7.0)])
def test_a_rotor_counts_in_no_mass_and_no_momentum(tmp_path, armatures):
    plain, heavy = (loaded(tmp_path, given).simulate(0.0, initial=SPEEDS) for given in ((0, 0, 0), armatures))
    for name in SUMS:
        assert heavy[f"system.{name}"] == pytest.approx(plain[f"system.{name}"], rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(heavy.angular_momentum, plain.angular_momentum, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(heavy.momentum, plain.momentum, rtol=1e-12, atol=1e-12)
    rates = np.array([2.0, -3.0, 0.5])
    more = 0.5 * float(np.array(armatures) @ rates**2)
    assert heavy["system.kinetic"] - plain["system.kinetic"] == pytest.approx(more, rel=1e-10)


def test_a_rotor_is_stored_with_its_model_and_named_in_texts(tmp_path):
    model = loaded(tmp_path, (0.3, 0.0, 0.0))
    model.save(tmp_path / "chain.toml")
    again = tm.load(tmp_path / "chain.toml")
    assert [body.name for body in list(again.bodies.values())[1:] if body.armature] == ["j0_rotor"]
    assert "0.3 kg (armature)" in str(again)


def test_an_armature_needs_an_inertia():
    with pytest.raises(tm.ModelError, match=r"'rotor' is an armature without inertia"):
        tm.SpatialModel("m").body("rotor", armature=True)


@pytest.mark.parametrize("ending", ["urdf", "sdf", "xml"])
@pytest.mark.parametrize("armatures", [(0.3, 0.0, 0.0), (0.0, 2.0, 0.5), (0.01, 4.0, 7.0)])
def test_a_model_with_armatures_is_written_as_the_robot_that_it_was_read_from(tmp_path, armatures, ending):
    model, path = loaded(tmp_path, armatures), tmp_path / f"again.{ending}"
    account = tm.save_robot(model, path)
    assert not account.serious
    again = tm.read_robot(path)
    assert again.mass == pytest.approx(6.0, rel=1e-12)
    assert [axis.armature for joint in again.joints.values() for axis in joint.axes] == pytest.approx(
        list(armatures), rel=1e-12
    )
    one, two = (m.simulate(0.0, initial=SPEEDS) for m in (model, again.model()))
    for name in (*(f"system.{name}" for name in SUMS), "system.kinetic", "b2.x", "b2.ax", "b1.ay"):
        assert two[name] == pytest.approx(one[name], rel=1e-9, abs=1e-9)


def test_a_flywheel_that_turns_faster_than_its_coordinate_is_written_with_its_reflected_inertia(tmp_path):
    def geared(ratio, extra=""):
        m = tm.SpatialModel("geared")
        m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), centroid=(0.2, 0.0, 0.0))
        m.body("wheel", mass=2.0, inertia=(0.03, 0.03, 0.03), armature=True)
        m.revolute("A", "ground", "arm", at=(0, 0, 0), axis="y")
        m.revolute("W", "ground", "wheel", at=(0, 0, 0), axis="z")
        m.equation("gear", f"{ratio}*A.angle {extra} - W.angle")
        return m

    for ratio in (1.0, -5.0, 12.0):
        tm.save_robot(geared(ratio), tmp_path / "g.xml")
        robot = tm.read_robot(tmp_path / "g.xml")
        assert list(robot.links) == ["arm"]
        assert robot.joints["A"].axes[0].armature == pytest.approx(0.03 * ratio**2, rel=1e-12)
    with pytest.warns(tm.ModelWarning, match="'wheel'"):
        account = tm.save_robot(geared(1.0, "+ 0.1*A.angle^3"), tmp_path / "g.xml")
    assert any("'wheel'" in note.what and "mass" in note.text for note in account.serious)
    assert "wheel" in tm.read_robot(tmp_path / "g.xml").links


@pytest.mark.parametrize("armatures", [(0.3, 0.0, 0.0), (0.0, 2.0, 0.5), (0.01, 4.0, 7.0)])
def test_the_ground_carries_the_robot_and_no_rotor(tmp_path, armatures):
    """Newton's and Euler's laws for all links: the ground's reaction against their weight and momentum, by a run without rotors."""
    laws = {"j0.angle": "0.3*sin(3*t)", "j1.angle": "t^2", "j2.distance": "0.1*sin(5*t)"}
    runs = []
    for given in ((0, 0, 0), armatures):
        model = loaded(tmp_path, given)
        for k, (quantity, law) in enumerate(laws.items()):
            model.driver(f"d{k}", quantity, law)
        runs.append(model.inverse_dynamics(0.5, samples=11, progress=False))
        assert model.statics(time=0.0).ground_reaction[0, 2] == pytest.approx(-(1 + 2 + 3) * 9.81)
    plain, heavy = runs
    np.testing.assert_allclose(heavy.ground_reaction, plain.ground_reaction, rtol=0, atol=1e-9)
    whole = [run.resultant("ground", joints=True) for run in runs]
    np.testing.assert_allclose(whole[1].force, whole[0].force, rtol=0, atol=1e-9)
    np.testing.assert_allclose(whole[1].moment, whole[0].moment, rtol=0, atol=1e-9)
