"""Starts of runs, closed loops and named motions depend on the data, but not on how a processor rounds."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import rotations
from pytrammel.analysis.at_state import kinetic_energy, mass_roots, principal_moments
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.start.idle import faintest_motion, idle_directions
from pytrammel.io.robots.closing import LONGEST, _damped_step, close
from pytrammel.io.robots.poses import Pose
from pytrammel.system.lowering import lower
from verification.loop_programs import FOLDER

PLACES = [(0.1, 0.0, 0.0), (0.02, -0.11, 0.0), (0.05, 0.05, 0.05), (-0.03, 0.07, 0.02)]
# robots with free coordinates beside their loops, and a path to the closed pose that passes near singular positions
SENSITIVE = ["cassie_like", "disney_like", "disney_robot", "wl16_like", "digit_like_2legs_6D"]


def neck(inertia, centroid, noise=0.0, seed=0):
    """A point mass on three axes, drawn obliquely, with relative errors of all numbers."""
    random = np.random.default_rng(seed)

    def off(numbers):
        return tuple((np.array(numbers) * (1.0 + noise * random.uniform(-1.0, 1.0, np.shape(numbers)))).tolist())

    m = tm.SpatialModel("neck")
    turned = rotations.exp((0.3, 0.6, -0.15))
    axes = np.asarray(rotations.matrix(turned))
    m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "arm", at=(0.3, 0.0, 0.0), axis="y")
    last = "arm"
    for k, name in enumerate(("one", "two", "head")):
        mass, moment = off((0.5, inertia))
        m.body(
            name, mass=mass, inertia=(moment,) * 3, centroid=off(centroid) if k == 2 else (0.0, 0.0, 0.0), rotation=off(turned)
        )  # fmt: skip
        m.revolute(f"to_{name}", last, name, at=(0.0, 0.0, 0.0), axis=off(axes[:, k]))
        last = name
    return m


@pytest.mark.parametrize("centroid", PLACES)
def test_the_least_kinetic_energy_is_proportional_to_the_only_inertia(centroid):
    shares = []
    for inertia in (1e-25, 1e-20, 1e-15, 1e-10):
        system = lower(neck(inertia, centroid), dynamics=True)
        shares.append(faintest_motion(system, active_rows(system), 0.0, system.start)[1] / inertia)
    # singular values of up to 1e-16 are rounding: a share of 1e-24 has a root of 1e-12
    assert shares == pytest.approx([shares[-1]] * 4, rel=1e-3)


@pytest.mark.parametrize("inertia", [0.0, 1e-22, 1e-18, 1e-14])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_motion_is_named_whatever_the_last_digits_are(inertia, seed):
    said = set()
    for noise in (0.0, 1e-15, 1e-13):
        m = neck(inertia, PLACES[1 + seed], noise, seed)
        system = lower(m, dynamics=True)
        assert idle_directions(system, active_rows(system), 0.0, system.start).shape[1] == (inertia == 0.0)
        if inertia:
            with pytest.raises(tm.ModelError, match="is so light") as refused:
                m.simulate(0.01, samples=2, progress=False)
            said.add(str(refused.value))
    assert len(said) == (1 if inertia else 0)


@pytest.mark.parametrize("seed", range(5))
def test_roots_of_mass_matrices_give_the_kinetic_energy_of_centroid_and_rotation(seed):
    random = np.random.default_rng(seed)
    mass, centroid, moments = random.uniform(0.5, 2.0), random.uniform(-1.0, 1.0, 3), random.uniform(1.0, 1.5, 3)
    axes = np.asarray(rotations.matrix(rotations.exp(random.normal(size=3))))
    m = tm.SpatialModel("stone")
    pose = rotations.exp(random.normal(size=3))
    m.body("stone", mass=mass, inertia=(axes * moments) @ axes.T, centroid=centroid, rotation=pose)
    system, v = lower(m, dynamics=True), random.normal(size=6)
    A = np.asarray(rotations.matrix(pose))
    speed = v[:3] + A @ np.cross(v[3:], centroid)
    energy = 0.5 * mass * speed @ speed + 0.5 * moments @ (axes.T @ v[3:]) ** 2
    root = mass_roots(system, system.start)[0]
    assert 0.5 * np.sum((root @ v) ** 2) == pytest.approx(energy, rel=1e-13)
    assert kinetic_energy(system, system.start, v) == pytest.approx(energy, rel=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_roots_of_planar_mass_matrices_give_the_kinetic_energy_of_centroid_and_rotation(seed):
    random = np.random.default_rng(seed)
    mass, inertia, phi, centroid = *random.uniform(0.5, 2.0, 3), random.uniform(-1.0, 1.0, 2)
    m = tm.PlanarModel("stone")
    m.body("stone", mass=mass, inertia=inertia, centroid=tuple(centroid), angle=phi)
    system, v = lower(m, dynamics=True), random.normal(size=3)
    arm = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]]) @ centroid
    speed = v[:2] + v[2] * np.array([-arm[1], arm[0]])
    root = mass_roots(system, system.start)[0]
    assert np.sum((root @ v) ** 2) == pytest.approx(mass * speed @ speed + inertia * v[2] ** 2, rel=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_a_moment_of_inertia_that_is_rounding_is_zero_and_a_given_one_stays(seed):
    axes = np.asarray(rotations.matrix(rotations.exp(np.random.default_rng(seed).normal(size=3))))
    rod = (axes * [0.0, 2.0, 2.0]) @ axes.T
    moments = principal_moments(0.5 * (rod + rod.T))[0]
    assert moments[0] == 0.0 and moments[1:] == pytest.approx([2.0, 2.0], rel=1e-14)
    assert principal_moments(np.diag([2.0, 1e-20, 2.0]))[0].tolist() == [1e-20, 2.0, 2.0]


# --- loops of robots ---


@pytest.mark.parametrize("damping", [1e-12, 1e-3, 10.0])
@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (9, 9)])
def test_a_damped_step_keeps_free_coordinates_and_minimises_misfit_and_length(damping, shape):
    random = np.random.default_rng(shape[0])
    rank = 3
    J = random.normal(size=(shape[0], rank)) @ random.normal(size=(rank, shape[1]))
    rows = 0.1 * J @ random.normal(size=shape[1])
    step, used = _damped_step(rows, J, damping)
    assert np.abs(step).max() <= LONGEST and used == damping * 2 ** round(np.log2(used / damping)) >= damping
    free = np.linalg.svd(J)[2][rank:]
    assert np.abs(free @ step).max() < 1e-14
    # gradient of |rows + J step|² + used |step|²
    assert np.abs(J.T @ (rows + J @ step) + used * step).max() < 1e-13 * np.abs(J.T @ rows).max()
    far, strongly = _damped_step(1e6 * rows, J, damping)
    assert 0.1 * LONGEST < np.abs(far).max() <= LONGEST and strongly > used


def _closed_values(name, noise, seed):
    """Values of all joints of a robot with closed loops; places of joints have a relative error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)  # meshes are not there
        robot = tm.read_robot(next((FOLDER / name).glob("*.urdf")))
    random = np.random.default_rng(seed)
    for key, joint in robot.joints.items():
        place = joint.on_parent.position * (1.0 + noise * random.uniform(-1.0, 1.0, 3))
        robot.joints[key] = replace(joint, on_parent=Pose(place, joint.on_parent.rotation))
    motors = [motor.joint for motor in robot.actuators.values()]
    found = close(robot, [motors, ()])
    assert found is not None and not found.after
    return np.concatenate([joint.values for joint in found.robot.joints.values()]), found.held


@pytest.mark.parametrize("name", SENSITIVE)
def test_errors_of_the_data_are_amplified_by_less_than_a_hundred_where_loops_close(name):
    values, held = _closed_values(name, 0.0, 0)
    for seed in (1, 2):
        other, also = _closed_values(name, 1e-11, seed)
        assert np.abs(other - values).max() < 1e-9
        assert also == held
