"""Quantities of an analysis are available to everything that runs it."""

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81
REACH = 0.5
TURN = {"torque": "A.angle"}


@pytest.fixture
def arm() -> tm.PlanarModel:
    m = tm.PlanarModel("arm")
    m.parameter("load", 10.0)
    m.body("b", mass="load", inertia=0.0, centroid=(REACH, 0.0))
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.driver("D", "A.angle", "0.3*sin(2*t)")
    return m


def torque_per_mass(t: np.ndarray) -> np.ndarray:
    angle, acceleration = 0.3 * np.sin(2 * t), -1.2 * np.sin(2 * t)
    return np.asarray(REACH**2 * acceleration + G * REACH * np.cos(angle))


@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_a_gradient_of_the_effort_of_an_actuator(arm: tm.PlanarModel, way: str) -> None:
    found = arm.gradient(
        "torque.effort[end]", analysis=tm.Analysis("inverse_dynamics", 1.0, samples=5, actuators=TURN), method=way
    )
    truth = float(torque_per_mass(np.array([1.0]))[0])
    assert math.isclose(found.value, 10.0 * truth, rel_tol=1e-9)
    assert math.isclose(found["load"], truth, rel_tol=1e-9)  # the effort is proportional to the mass


def test_an_effort_of_statics_has_a_gradient(arm: tm.PlanarModel) -> None:
    found = arm.gradient("torque.effort[end]", analysis=tm.Analysis("statics", actuators=TURN))
    assert math.isclose(found["load"], G * REACH, rel_tol=1e-9)


def test_optimize_limits_the_effort_of_an_actuator(arm: tm.PlanarModel) -> None:
    best = arm.optimize(maximize="load", subject_to="max(torque.effort) <= 100 N*m", bounds={"load": (1.0, 100.0)},
        analysis=tm.Analysis("inverse_dynamics", 1.0, actuators=TURN),
    )  # fmt: skip
    t = np.linspace(0.0, 1.0, 20001)
    assert math.isclose(best.values["load"], 100.0 / torque_per_mass(t).max(), rel_tol=1e-6)


def test_tolerances_of_the_effort_of_an_actuator(arm: tm.PlanarModel) -> None:
    found = arm.tolerances("torque.effort[end]", analysis=tm.Analysis("inverse_dynamics", 1.0, samples=5, actuators=TURN),
        tolerance={"load": 0.1}
    )  # fmt: skip
    truth = float(torque_per_mass(np.array([1.0]))[0])
    assert math.isclose(found.worst_case.high, 10.1 * truth, rel_tol=1e-9)


def test_an_actuator_of_another_analysis_is_unknown(arm: tm.PlanarModel) -> None:
    with pytest.raises(tm.ModelError, match=r"no quantity 'torque\.effort'"):
        arm.gradient(
            "torque.effort[end]", analysis=tm.Analysis("inverse_dynamics", 1.0, actuators={"other": "A.angle"})
        )


# --- laws of springs -------------------------------------------------------------------------------------------------


LAWS = [  # part of a spring, its law, and the same law for a force along the spring's length
    ("stiffness", "k*(l - 0.4)*(1 + A.angle^2) + 3*lag", "k*(S0.length - 0.4)*(1 + A.angle^2) + 3*lag"),
    ("damping", "ldot*(1 + c.omega^2) + lag.value", "S0.length.rate*(1 + A.angle.rate^2) + lag"),
    ("force", "0.2*P.reaction + c.x*ldot", "0.2*P.reaction + c.x*S0.length.rate"),
]


def rig(part: str, law: str, *, along: bool) -> tm.PlanarModel:
    m = tm.PlanarModel("rig")
    m.parameter("k", 30.0)
    m.body("b", mass=2.0, inertia=0.1, position=(0.3, 0.0))
    m.body("c", mass=1.0, inertia=0.2, centroid=(0.2, -0.3), position=(-1.0, 0.0))
    m.revolute("A", "ground", "c", at=(-1.0, 0.0))
    m.prismatic("P", "ground", "b", axis=(1.0, 0.2), at=(0.3, 0.0))
    m.state("lag", "(b.x - lag)/0.1", initial=0.2)
    anchor = m.ground.at(0.0, 0.4)
    if along:
        m.spring("S0", anchor, m["b"].at(0.0, 0.0), stiffness=0.0)
        m.user_force("S", "S0.length", f"-({law})")
    else:
        m.spring("S", anchor, m["b"].at(0.0, 0.0), free_length=0.4, **{part: law})
    return m


@pytest.mark.parametrize(("part", "law", "same"), LAWS)
def test_a_spring_law_uses_all_that_a_force_may_use(part: str, law: str, same: str) -> None:
    spring, force = rig(part, law, along=False), rig(part, same, along=True)
    runs = [m.simulate(0.5, samples=6, progress=False) for m in (spring, force)]
    assert np.allclose(runs[0]["b.x"], runs[1]["b.x"], rtol=0.0, atol=1e-13)  # two descriptions of one motion
    assert np.allclose(runs[0]["S.force"], -runs[1]["S.force"], rtol=1e-12, atol=1e-12)
    assert np.abs(runs[0].energy.balance).max() < 1e-6 * np.abs(runs[0].energy.kinetic).max() + 1e-8


def test_a_torsion_spring_driven_by_a_current_follows_the_closed_form() -> None:
    volt, ohm, henry, constant, inertia = 12.0, 2.0, 0.5, 0.3, 0.04
    m = tm.PlanarModel("winding", gravity=(0.0, 0.0))
    m.body("rotor", mass=1.0, inertia=inertia)
    m.revolute("A", "ground", "rotor", at=(0.0, 0.0))
    m.state("current", f"({volt} - {ohm}*current)/{henry}")
    m.torsion_spring("drive", first="ground", second="rotor", torque=f"-{constant}*current")
    r = m.simulate(0.4, samples=5, rtol=1e-10, progress=False)
    t, tau = r.times, henry / ohm
    speed = constant * volt / ohm / inertia * (t - tau * (1.0 - np.exp(-t / tau)))
    assert np.allclose(r["rotor.omega"], speed, rtol=1e-7, atol=1e-9)  # rtol of the run, summed over its steps


def test_a_spring_law_of_other_quantities_is_booked_as_input() -> None:
    r = rig("stiffness", LAWS[0][1], along=False).simulate(0.3, samples=4, progress=False)
    assert np.abs(r.energy.input).max() > 0.0
    assert np.array_equal(r.energy.stored, np.zeros(4))


@pytest.mark.parametrize("law", ["x + 1", "2*A.angl", "lagg*l"])
def test_an_unknown_name_in_a_spring_law_is_named(law: str) -> None:
    with pytest.raises(tm.ModelError) as caught:
        rig("stiffness", law, along=False)
    assert "'S'" in str(caught.value)
    assert any(repr(name) in str(caught.value) for name in ("x", "angl", "lagg"))


def hung() -> tm.PlanarModel:
    m = tm.PlanarModel("hung")
    m.body("b", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.revolute("A", m.ground, "b", at=(0.0, 0.0))
    m.spring("S", m.ground.at(0.0, 1.0), m["b"].at(0.0, 0.0), stiffness=10.0)
    m.state("u", "1 - u", initial=0.0)
    return m


def test_a_derivative_that_results_do_not_have_is_named_whole_with_its_remedy() -> None:
    m = hung()
    s = m.simulate(0.1, samples=3, progress=False)
    ours = {"b.vx.rate": "b.ax", "b.omega.rate": "b.alpha", "A.angle.rate.rate": "A.angle.acceleration"}
    for name in s.names():
        for what in ("rate", "acceleration"):
            try:
                s[f"{name}.{what}"]
            except tm.ModelError as error:
                assert repr(f"{name}.{what}") in str(error) and f"did you mean {name!r}" not in str(error)
                remedy = ours.get(f"{name}.{what}")
                assert remedy is None or (repr(remedy) in str(error) and remedy in s.names())
            if what == "rate":
                try:
                    m.copy().user_force("F", "A.angle", f"0.001*{name}.rate")
                except tm.ModelError as error:
                    assert f"{name}.rate" in str(error) or name == "t"


@pytest.mark.parametrize("law", ["T.length", "3 + T.length.rate", "T.force", "T.work"])
def test_an_element_cannot_be_named_in_its_own_law(law: str) -> None:
    m = hung()
    with pytest.raises(tm.ModelError, match=r"spring 'T'.*Use l, ldot") as error:
        m.spring("T", m.ground.at(0.0, 2.0), m["b"].at(0.0, 0.0), stiffness=law)
    assert "'T." in str(error.value)
    with pytest.raises(tm.ModelError, match=r"'F'.*'F\.force' belongs to the element"):
        m.user_force("F", "A.angle", "1 + F.force")


@pytest.mark.parametrize("name", ["t", "energy", "system"])
@pytest.mark.parametrize("kind", ["body", "point", "group", "joint", "force", "state"])
def test_names_of_results_cannot_be_names_of_parts(name, kind):
    """A body "energy" hid the energies of a result: r["energy.kinetic"] was the sum of all bodies."""
    m = tm.PlanarModel()
    m.body("b", mass=1, inertia=1)
    with pytest.raises(tm.ModelError, match=f"'{name}' cannot be the name of a") as raised:
        match kind:
            case "body":
                m.body(name)
            case "point":
                m.point(name, "b", at=(0, 0))
            case "group":
                m.group(name, ["b"])
            case "joint":
                m.revolute(name, m.ground, "b", at=(0, 0))
            case "force":
                m.force(name, "b", at=(0, 0), force=(1, 0))
            case "state":
                m.state(name, "1")
    assert "Use another name" in str(raised.value)


def test_links_with_names_of_results_are_renamed(tmp_path):
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r"><link name="system">{inertia}</link></robot>', encoding="utf-8")
    m = tm.load_robot(path, floating_base=True)
    assert "system" not in m.bodies and len(m.bodies) == 2
    assert any(entry.kind == "renamed" and "'system'" in entry.what for entry in m.conversion_report)
