"""Outputs of linear models that results name: accelerations, reactions, efforts, forces of elements, energies, states."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81
MASS, DAMPING, STIFFNESS = 2.0, 3.0, 200.0
PACES = np.geomspace(0.5, 80.0, 7)


def isolator() -> tm.PlanarModel:
    """A machine on a spring and a damper, on a frame that a guide W holds vertically; a force F excites the machine."""
    m = tm.PlanarModel("isolator")
    m.body("frame", mass=4.0, inertia=0.2)
    m.body("b", mass=MASS, inertia=0.1, position=(0.0, 1.0))
    m.prismatic("W", "ground", "frame", axis=(1.0, 0.0), at=(0.0, 0.0))
    m.spring("H", m.ground.at(-1.0, 0.0), m["frame"].at(0.0, 0.0), stiffness=50.0, free_length=1.0)
    m.prismatic("P", "frame", "b", axis=(0.0, 1.0), at=(0.0, 0.0))
    m.spring("S", m["frame"].at(0.0, 0.0), m["b"].at(0.0, 0.0), stiffness=STIFFNESS, damping=DAMPING, free_length=1.0)
    m.user_force("F", "b.y", "0")
    return m


@pytest.mark.parametrize(
    "output", ["W.reaction.y", "W.fy", "W.reaction.in_joint_frame.y", "S.force", "S.frame.fy", "W.frame.fy"]
)
def test_transmissibility_to_the_ground(output: str) -> None:
    """T = (k + i w c)/(k - m w^2 + i w c)."""
    m = isolator()
    lin = m.linearize(at=m.equilibrium(), inputs=["F"], outputs=[output])
    found = lin.frequency_response(PACES).values[:, 0, 0]
    through = STIFFNESS + 1j * PACES * DAMPING
    truth = through / (through - MASS * PACES**2)
    # reported on the frame: the ground holds it against what the spring passes on; a spring that pulls counts as positive
    sign = {"S.force": 1.0}.get(output, -1.0)
    assert np.allclose(sign * found, truth, rtol=1e-7, atol=1e-9) or np.allclose(
        -sign * found, truth, rtol=1e-7, atol=1e-9
    )


def test_accelerations_have_a_feedthrough() -> None:
    m = isolator()
    lin = m.linearize(
        at=m.equilibrium(), inputs=["F"], outputs=["b.ay", "b.y.acceleration", "b.y", "b.vy", "F.force", "b.applied.fy"]
    )
    assert np.allclose(lin.D[:, 0], [1.0 / MASS, 1.0 / MASS, 0.0, 0.0, 1.0, 1.0], rtol=1e-9, atol=1e-12)
    own = [lin.states.index("b.y"), lin.states.index("b.y.rate")]
    row = [-STIFFNESS / MASS, -DAMPING / MASS]
    assert np.allclose(lin.C[:2, own], [row, row], rtol=1e-9)
    assert np.allclose(lin.C[4:, own], [[0.0, 0.0], [-STIFFNESS, -DAMPING]], rtol=1e-9, atol=1e-9)


# --- against evaluations of neighbouring states ----------------------------------------------------------------------------


def four_bar() -> tm.PlanarModel:
    m = tm.PlanarModel("four-bar")
    m.body("crank", mass=1.0, inertia=0.02, centroid=(0.1, 0.0), position=(0.0, 0.0), angle=1.0)
    end = (0.2 * math.cos(1.0), 0.2 * math.sin(1.0))
    far, radius, length = (0.5, 0.0), 0.4, 0.45
    d = math.dist(end, far)
    base = math.atan2(far[1] - end[1], far[0] - end[0])
    turn = math.acos((length**2 + d**2 - radius**2) / (2.0 * length * d))
    angle = base + turn
    joint = (end[0] + length * math.cos(angle), end[1] + length * math.sin(angle))
    m.body("coupler", mass=1.5, inertia=0.05, centroid=(0.2, 0.05), position=end, angle=angle)
    m.body(
        "rocker",
        mass=1.2,
        inertia=0.03,
        centroid=(0.2, 0.0),
        position=far,
        angle=math.atan2(joint[1], joint[0] - far[0]),
    )
    m.revolute("A", "ground", "crank", at=(0.0, 0.0))
    m.revolute("B", "crank", "coupler", at=end)
    m.revolute("C", "coupler", "rocker", at=joint)
    m.revolute("D", "ground", "rocker", at=far)
    m.spring("S", m.ground.at(0.1, 0.5), m["coupler"].at(0.2, 0.0), stiffness=400.0, damping=6.0, free_length=0.3)
    m.torsion_spring("T", first="ground", second="crank", stiffness=8.0, damping=0.4)
    m = m.equilibrium().model
    at = m.drawn_value(m["A"].angle)
    m.state("lag", "(A.angle - lag)/0.2", initial=at)
    m.user_force("L", "D.angle", f"0.3*(lag - {at!r})")
    m.user_force("F", "A.angle", "0")
    return m


def spatial_pendulum() -> tm.SpatialModel:
    m = tm.SpatialModel("pendulum", gravity=(0.0, 0.0, -G))
    m.body("b", mass=2.0, inertia=(0.1, 0.2, 0.15), position=(0.0, 0.3, -0.4))
    m.universal("U", "ground", "b", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), second_axis=(0.0, 1.0, 0.0))
    m.spring("S", m.ground.at(1.0, 0.2, 0.0), m["b"].at(0.0, 0.0, 0.0), stiffness=30.0, damping=1.0, free_length=0.9)
    m.user_force("F", "b.y", "0")
    return m.equilibrium().model


def is_of_a_state(name: str) -> bool:
    """True for names of results that are no integrals over time, and no magnitudes that are zero at rest."""
    what = name.rpartition(".")[2]
    return what not in ("work", "balance", "dissipated", "input", "speed") and name != "t"


@pytest.mark.parametrize("make", [four_bar, spatial_pendulum])
def test_every_output_follows_a_perturbed_simulation(make) -> None:
    """The response to a small force and a small start: outputs of the linear model against those of a simulation."""
    rest = make()
    start = rest.simulate(1e-3, samples=2, progress=False)
    names = [name for name in start.names() if is_of_a_state(name)]
    lin = rest.linearize(inputs=["F"], outputs=names)
    # a small constant force from rest, once with each sign, so that quadratic parts cancel
    size, span = 1e-3, 0.3
    runs = [
        rest.copy(changes={"F": {"law": repr(sign * size)}}).simulate(
            span, samples=4, rtol=1e-11, atol=1e-13, initial=tm.InitialConditions(correct=True), progress=False
        )
        for sign in (1.0, -1.0)
    ]
    states = lin.A.shape[0]
    # x(t) of x' = A x + B u from zero by the exponential of the augmented matrix
    whole = np.zeros((states + 1, states + 1))
    whole[:states, :states], whole[:states, states] = lin.A, lin.B[:, 0]
    values, vectors = np.linalg.eig(whole * span / 3.0)
    once = (vectors * np.exp(values)) @ np.linalg.inv(vectors)
    z = np.zeros(states + 1, dtype=complex)
    z[states] = 1.0
    for k in range(4):
        w = (lin.C @ z[:states] + lin.D[:, 0]).real
        for i, name in enumerate(names):
            found = (runs[0][name][k] - runs[1][name][k]) / (2.0 * size)
            # third order in the size; rounding of the difference and errors of the runs over it
            allowed = 2e-4 * np.abs(w[i]) + 1e-8 * (1.0 + np.abs(runs[0][name][k])) / size
            assert abs(found - w[i]) <= allowed, (name, k, found, w[i])
        z = once @ z


def test_a_state_and_its_rate_are_outputs() -> None:
    m = four_bar()
    lin = m.linearize(outputs=["lag", "lag.rate", "L.force"], coordinates=["A.angle"])
    at = {name: k for k, name in enumerate(lin.states)}
    row = np.zeros((3, len(at)))
    row[0, at["lag"]], row[1, at["lag"]], row[2, at["lag"]] = 1.0, -5.0, 0.3
    row[1, at["A.angle"]] = 5.0
    assert np.allclose(lin.C, row, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("position", range(3))
def test_the_power_of_an_input_force_follows_it_with_the_speed(position) -> None:
    """P = F v: by a unit of F the power of its own force changes by v, that of others not at all."""
    speeds = (0.7, -0.4, 1.9)
    m = tm.PlanarModel("blocks", gravity=(0.0, 0.0))
    for k, speed in enumerate(speeds):
        m.body(f"b{k}", mass=1.0 + k, inertia=0.1, velocity=(speed, 0.0))
        m.prismatic(f"T{k}", "ground", f"b{k}", axis=(1.0, 0.0), at=(0.0, 0.0))
        m.user_force(f"F{k}", f"b{k}.x", f"{3.0 + k}")
    outputs = [f"F{k}.power" for k in range(3)] + [f"b{k}.ax" for k in range(3)]
    lin = m.linearize(inputs=[f"F{position}"], outputs=outputs)
    own = np.arange(3) == position
    assert lin.D[:, 0] == pytest.approx([*np.where(own, speeds, 0.0), *np.where(own, 1.0 / (1.0 + position), 0.0)])


@pytest.mark.parametrize("position", range(3))
def test_forces_that_see_reactions_are_no_outputs_beside_inputs(position) -> None:
    """The third force, too: friction in a joint follows an input at once, and its own value is refused, others are not."""
    m = tm.PlanarModel("arms")
    for k in range(3):
        m.body(f"b{k}", mass=1.0, inertia=0.1, position=(0.3 + k, 0.0), omega=1.0 + k)
        m.revolute(f"A{k}", "ground", f"b{k}", at=(0.0, 0.0))
        if k == position:
            m.joint_friction(f"F{k}", f"A{k}", friction=0.2, radius=0.05)
        else:
            m.user_force(f"F{k}", f"A{k}.angle", "0.3")
    m.user_force("push", "A1.angle", "0")
    other = f"F{(position + 1) % 3}.force"
    with pytest.warns(tm.RunWarning):
        lin = m.linearize(inputs=["push"], outputs=[other])
    assert np.abs(lin.D).max() == 0.0
    with pytest.raises(tm.ModelError) as caught:
        m.linearize(inputs=["push"], outputs=[f"F{position}.power"])
    assert f"'F{position}'" in str(caught.value) and "reactions" in str(caught.value)


# --- what has no row ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("b.work", "collected"), ("energy.balance", "start"), ("S.work", "integrated"), ("energy.dissipated", "integrated"),
        ("t", "state"), ("S.nothing", "no quantity"),
    ],
)  # fmt: skip
def test_an_output_that_no_state_determines_is_rejected(output: str, reason: str) -> None:
    with pytest.raises(tm.ModelError) as caught:
        isolator().linearize(outputs=["b.y", output])
    assert repr(output) in str(caught.value) and reason in str(caught.value)


def test_a_magnitude_at_zero_carries_a_warning() -> None:
    with pytest.warns(tm.RunWarning, match=r"'b\.speed'.*kink"):
        isolator().equilibrium().model.linearize(outputs=["b.vy", "b.speed"])


def base_excited() -> tm.PlanarModel:
    m = tm.PlanarModel("base")
    m.body("base", mass=1.0, inertia=0.1)
    m.body("b", mass=MASS, inertia=0.1, position=(0.0, 1.0))
    m.prismatic("Q", "ground", "base", axis=(0.0, 1.0), at=(0.0, 0.0))
    m.prismatic("P", "base", "b", axis=(0.0, 1.0), at=(0.0, 0.0))
    m.driver("D", "base.y", "0")
    m.spring("S", m["base"].at(0.0, 0.0), m["b"].at(0.0, 0.0), stiffness=STIFFNESS, free_length=1.0)
    return m


def test_a_spring_force_follows_a_driver() -> None:
    """Force k (y - u), y = k u/(k - m w^2)."""
    m = base_excited()
    lin = m.linearize(at=m.equilibrium(), inputs=["D"], outputs=["S.force"])
    found = lin.frequency_response(PACES).values[:, 0, 0]
    truth = STIFFNESS * (STIFFNESS / (STIFFNESS - MASS * PACES**2) - 1.0)
    assert np.allclose(found, truth, rtol=1e-7)


def test_what_responds_to_the_acceleration_of_a_driver_is_named() -> None:
    m = base_excited()
    with pytest.raises(tm.ModelError) as caught:
        m.linearize(at=m.equilibrium(), inputs=["D"], outputs=["D.effort"])
    assert "'D'" in str(caught.value) and "'D.effort'" in str(caught.value)


def test_rows_about_a_steady_rotation_agree_with_the_exact_ones() -> None:
    """A mass on a spring along a spinning spoke; a unit sends a measured quantity through the result."""
    omega, mass, k = 5.0, 0.5, 300.0
    m = tm.PlanarModel("spoke", gravity=(0.0, 0.0))
    radius = k * 0.3 / (k - mass * omega**2)  # k (r - 0.3) = m r omega^2
    m.body("hub", mass=3.0, inertia=0.5, omega=omega)
    m.body("b", mass=mass, inertia=1e-3, position=(radius, 0.0), velocity=(0.0, omega * radius), omega=omega)
    m.revolute("A", "ground", "hub", at=(0.0, 0.0))
    m.prismatic("P", "hub", "b", axis=(1.0, 0.0), at=(0.0, 0.0))
    m.spring("S", m["hub"].at(0.0, 0.0), m["b"].at(0.0, 0.0), stiffness=k, free_length=0.3)
    names = [
        ("b.x", "m"),
        ("b.vx", "m/s"),
        ("b.vy", "m/s"),
        ("S.length", "m"),
        ("S.length.rate", "m/s"),
        ("A.angle.rate", "rad/s"),
    ]
    exact = m.linearize(outputs=[name for name, _ in names])
    found = m.linearize(outputs=[f"{name} [{unit}]" for name, unit in names])
    assert np.allclose(found.C, exact.C, rtol=1e-8, atol=1e-8)
    # the guide carries Coriolis and angular acceleration: N = m (2 r' omega + r alpha), alpha = -2 m r r' omega/(I + m r^2)
    at = m.linearize(outputs=["P.reaction.in_joint_frame.y"], coordinates=["S.length", "A.angle"])
    alpha = -2.0 * mass * radius * omega / (0.5 + 1e-3 + mass * radius**2)
    truth = mass * (2.0 * omega + radius * alpha)
    assert np.allclose(at.C[0], [0.0, 0.0, truth, 0.0], rtol=1e-7, atol=1e-7)
