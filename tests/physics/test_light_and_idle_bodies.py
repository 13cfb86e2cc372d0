"""Bodies with next to no mass or inertia, and directions that are free without kinetic energy."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.start.idle import idle_directions
from pytrammel.report.model_check import check
from pytrammel.system.lowering import lower

RUN = {"samples": 11, "rtol": 1e-10, "atol": 1e-12, "progress": False}


# --- light ---------------------------------------------------------------------------------------------------------------


def four_bar(which, mass=0.15, inertia=5e-4, *, space=False):
    """Three bars of 0.15 kg, of which one is given another mass or inertia."""
    m = tm.SpatialModel("light", gravity=(0, -9.81, 0)) if space else tm.PlanarModel("light")
    a, d = 0.1 * np.exp(1j), 0.3 + 0j
    length = abs(d - a)
    along = (length**2 + 0.25**2 - 0.2**2) / (2 * length)
    b = a + (d - a) / length * (along + 1j * math.sqrt(0.25**2 - along**2))
    at = (lambda p: (p.real, p.imag, 0.0)) if space else (lambda p: (p.real, p.imag))
    for name, p, q in (("crank", 0j, a), ("rod", a, b), ("rocker", d, b)):
        own = (mass, inertia) if name == which else (0.15, 5e-4)
        turn = float(np.angle(q - p))
        pose = {"rotation": tm.rotations.from_axis_angle([0, 0, 1], turn)} if space else {"angle": turn}
        m.body(name, position=at((p + q) / 2), mass=own[0], inertia=own[1], **pose)
    hinge = {"axis": "z"} if space else {}
    m.revolute("O", m.ground, "crank", at=at(0j), **hinge)
    m.revolute("A", "crank", "rod", at=at(a), **hinge)
    m.spherical("B", "rod", "rocker", at=at(b)) if space else m.revolute("B", "rod", "rocker", at=at(b))
    m.revolute("D", m.ground, "rocker", at=at(d), **hinge)
    return m


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("which", ["crank", "rod"])
@pytest.mark.parametrize("inertia", [1e-3, 1e-9, 1e-12, 1e-13, 2.7e-15, 1e-16, 1e-18])
def test_no_joint_is_lost_beside_a_tiny_inertia(inertia, which, space):
    """The motion goes over into that without inertia, in proportion to it."""
    light, none = (four_bar(which, inertia=i, space=space).simulate(0.4, **RUN) for i in (inertia, 0.0))
    assert light.constraint_violation() < 1e-13
    assert light.warnings == ()
    # inertias of the whole are about 2e-3 kg m²; the tolerance of the runs is 1e-10 per step
    np.testing.assert_allclose(light["rod"].position, none["rod"].position, atol=1e-8 + 1e3 * inertia)


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("which", ["crank", "rod"])
@pytest.mark.parametrize("mass", [1e-6, 1e-10, 1e-12, 1e-15, 1e-18])
def test_no_joint_is_lost_beside_a_tiny_mass(mass, which, space):
    light = four_bar(which, mass, mass * 0.003, space=space).simulate(0.4, **RUN)
    lighter = four_bar(which, 1e-3 * mass, 1e-3 * mass * 0.003, space=space).simulate(0.4, **RUN)
    assert light.constraint_violation() < 1e-13 and light.warnings == ()
    np.testing.assert_allclose(light["rod"].position, lighter["rod"].position, atol=1e-8 + 100 * mass)


@pytest.mark.parametrize("inertia", [1e-4, 1e-12, 2.7e-15, 1e-18])
def test_a_free_rotor_feels_its_own_inertia_however_small(inertia):
    """A wheel on a pivot of a heavy carriage under a torque of 3 inertias: 3 rad/s² for every inertia."""
    m = tm.PlanarModel("rotor")
    m.body("carriage", mass=10.0, inertia=1.0)
    m.body("wheel", mass=0.15, inertia=inertia, omega=2.0)
    m.prismatic("T", m.ground, "carriage", at=(0, 0), axis=(1, 0))
    m.revolute("A", "carriage", "wheel", at=(0, 0))
    m.torque("drive", "wheel", 3.0 * inertia)
    r = m.simulate(1.0, **RUN)
    np.testing.assert_allclose(r["wheel"].omega, 2.0 + 3.0 * r.times, rtol=1e-9)


def speck(mass, *, space):
    """A tiny pendulum, level at first, on a heavy carriage that stands still."""
    m = tm.SpatialModel("speck", gravity=(0, -9.81, 0)) if space else tm.PlanarModel("speck")
    at = (lambda x, y: (x, y, 0.0)) if space else (lambda x, y: (x, y))
    m.body("carriage", mass=10.0, inertia=1.0)
    m.body("speck", position=at(0.2, 0.0), mass=mass, inertia=0.01 * mass)
    m.weld("T", m.ground, "carriage", **({"at": (0, 0, 0)} if space else {}))
    m.revolute("A", "carriage", "speck", at=at(0.0, 0.0), **({"axis": "z"} if space else {}))
    return m


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("mass", [1e-3, 1e-8, 1e-10])
def test_a_speck_on_a_thread_swings_by_itself(mass, space):
    """Its motion does not depend on its mass: (0.01 + 0.04) w² / 2 = 9.81 * 0.2 * drop."""
    r = speck(mass, space=space).simulate(1.0, **RUN)
    spin = r["speck"].omega[:, 2] if space else r["speck"].omega
    np.testing.assert_allclose(0.5 * 0.05 * spin**2, -9.81 * r["speck"].position[:, 1], atol=1e-7)
    assert np.abs(spin).max() > 5.0


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("mass", [1e-12, 1e-13, 1e-14, 1e-16, 1e-18])
def test_a_speck_that_would_be_lost_in_rounding_is_refused(mass, space):
    with pytest.raises(tm.ModelError, match=r"body 'speck' moves by itself, but is so light .* lost in rounding"):
        speck(mass, space=space).simulate(1.0, **RUN)


# --- idle ----------------------------------------------------------------------------------------------------------------


def node_between_springs(*, along="x"):
    m = tm.PlanarModel("node", gravity=(0, 0))
    node = m.body("node", massless=True)
    m.prismatic("T", m.ground, node, at=(0, 0), axis=(1, 0))
    m.spring("left", m.ground.at(-1, 0), node.at(0, 0), stiffness=10.0, free_length=0.5)
    m.spring("right", m.ground.at(1, 0), node.at(0, 0), stiffness=10.0, free_length=0.5)
    return m


def weathercock():
    m = tm.PlanarModel("weathercock")
    m.body("arm", massless=True)
    m.revolute("O", m.ground, "arm", at=(0, 0))
    m.torque("wind", "arm", 1.0)
    return m


def point_mass_on_a_torsion_spring():
    m = tm.PlanarModel("point")
    m.body("point", mass=1.0, inertia=0.0)
    m.torsion_spring("twist", first=m.ground, second="point", stiffness=2.0, free_angle=0.0)  # slack as drawn
    return m


def damped_ghost():
    m = tm.SpatialModel("ghost", gravity=(0, 0, 0))
    m.body("ghost", position=(1.0, 0, 0), massless=True)
    m.spring("dashpot", m.ground.at(0, 0, 0), m["ghost"].at(0, 0, 0), damping=3.0)
    return m


def lever_with_a_damper_along_it(space=False):
    """The damper begins to push when the other body falls; in line with the pin it has no rate at any speed of the lever."""
    m = tm.SpatialModel("lever", gravity=(0, -9.81, 0)) if space else tm.PlanarModel("lever")
    at = (lambda x: (x, 0.0, 0.0)) if space else (lambda x: (x, 0.0))
    m.body("real", mass=1.0, inertia=1.0)
    m.body("lever", position=at(1.0), massless=True)
    m.revolute("A", m.ground, "lever", at=at(1.0), **({"axis": "z"} if space else {}))
    m.spring("dashpot", m["lever"].at(*at(0.3)), m["real"].at(*at(0.0)), damping=2.0)
    return m


def twisted_rod():
    m = tm.SpatialModel("rod")
    m.body("rod", position=(0.5, 0, 0), mass=1.0, inertia=(0.0, 0.1, 0.1))
    m.spherical("S", m.ground, "rod", at=(0, 0, 0))
    m.user_force("twist", m["rod"].angular_velocity_about("x"), "0.5*sin(3*t) + 1")
    return m


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (
            node_between_springs,
            r"body 'node' is free to move along x, but has no mass that way, while forces \('left', 'right'\)",
        ),
        (weathercock, r"body 'arm' is free to turn, but has no inertia that way, while forces \('wind'\)"),
        (point_mass_on_a_torsion_spring, r"body 'point' is free to turn, but has no inertia.*'twist'"),
        (damped_ghost, r"body 'ghost' is free to move along x, but has no mass.*'dashpot'"),
        (lever_with_a_damper_along_it, r"body 'lever' is free to (turn|move along y), but has no .*'dashpot'"),
        (
            lambda: lever_with_a_damper_along_it(space=True),
            r"body 'lever' is free to (turn|move along y), but has no .*'dashpot'",
        ),
        (twisted_rod, r"body 'rod' is free to turn, but has no inertia.*'twist'"),
    ],
)
def test_a_push_along_what_has_no_kinetic_energy_is_named_before_the_run(build, words):
    with pytest.raises(tm.ModelError, match=words):
        build().simulate(1.0, **RUN)


@pytest.mark.parametrize(
    "law", ["max(0, T.distance)", "min(0, T.distance)", "max(0, T.distance.rate)", "min(0, T.distance.rate)"]
)
def test_a_force_that_acts_on_one_side_or_one_way_only_is_a_push(law):
    """It is slack as drawn and at rest: looked for a little to both sides, and with speed both ways."""
    m = tm.PlanarModel("node", gravity=(0, 0))
    m.body("node", massless=True)
    m.body("heavy", position=(50.0, 0.0), mass=1.0, inertia=1.0)  # far away, so that scales of length and angle differ
    m.prismatic("T", m.ground, "node", at=(0, 0), axis=(1, 0))
    m.user_force("rope", "T.distance", f"-{law}")
    with pytest.raises(tm.ModelError, match="body 'node' is free to move along x, but has no mass"):
        m.simulate(1.0, **RUN)


def test_what_has_no_kinetic_energy_may_be_free_where_nothing_pushes():
    """A rod without inertia about its axis, on a ball joint under gravity: its spin stays what it is."""
    m = tm.SpatialModel("rod")
    m.body("rod", position=(0.5, 0, 0), mass=1.0, inertia=(0.0, 1 / 12, 1 / 12), omega=(4.0, 0.0, 0.0))
    m.spherical("S", m.ground, "rod", at=(0, 0, 0))
    m.spring("hang", m.ground.at(1, 0, 1), m["rod"].at(0.5, 0, 0), stiffness=20.0, free_length=0.5)
    r = m.simulate(1.0, **RUN)
    np.testing.assert_allclose(r["rod"].omega_body[:, 0], 4.0, atol=1e-9)
    assert np.abs(r.energy.balance).max() < 1e-8


def test_idle_directions_are_those_without_mass_that_no_joint_holds():
    m = tm.PlanarModel("mixed")
    m.body("heavy", mass=1.0, inertia=0.0)  # turns without inertia
    m.body("ghost", position=(1, 0), massless=True)
    m.revolute("A", "heavy", "ghost", at=(0.5, 0))
    system = lower(m, dynamics=True)
    idle = idle_directions(system, active_rows(system), 0.0, system.start)
    assert idle.shape[1] == 2  # heavy may turn about its centre if the ghost follows, the ghost about the pin
    assert np.abs(idle[:2]).max() < 1e-12  # the centre of the heavy one stands still


def test_a_massless_link_that_joints_hold_is_no_idle_direction():
    m = four_bar("rod")
    m = m.copy(changes={"rod": {"mass": None, "inertia": None, "massless": True}})
    system = lower(m, dynamics=True)
    assert idle_directions(system, active_rows(system), 0.0, system.start).shape[1] == 0


def test_a_light_body_in_a_model_too_large_to_check_is_refused():
    m = tm.PlanarModel("many")
    for k in range(201):
        m.body(f"b{k}", position=(k, 0), mass=1.0 if k else 1e-16, inertia=1.0 if k else 1e-18)
    with pytest.raises(tm.ModelError, match=r"'b0' is so light .* 603 coordinates .* limit is 600"):
        m.simulate(0.1, progress=False)


# --- a generated family --------------------------------------------------------------------------------------------------


def random_chain(seed, light=None):
    """A branched mechanism with some bodies without mass, or with a little; springs, couples and laws act somewhere."""
    random = np.random.default_rng(seed)
    space = bool(random.integers(2))
    m = tm.SpatialModel("chain") if space else tm.PlanarModel("chain")
    dimension = 3 if space else 2
    bodies, joints = ["ground"], []
    for k in range(int(random.integers(2, 5))):
        here = random.uniform(-1, 1, dimension)
        without = random.random() < 0.5
        own = {"massless": True} if without else {"mass": 1.0, "inertia": (0.1, 0.12, 0.15) if space else 0.1}
        if without and light is not None:
            own = {"mass": light, "inertia": (light,) * 3 if space else light}
        m.body(f"b{k}", position=tuple(here), **own)
        base = bodies[int(random.integers(len(bodies)))]
        axis = {"axis": tuple(random.normal(size=3))} if space else {}
        if random.random() < 0.6:
            m.revolute(f"J{k}", base, f"b{k}", at=tuple(random.uniform(-1, 1, dimension)), **axis)
            joints.append(f"J{k}.angle")
        else:
            way = axis or {"axis": tuple(random.normal(size=2))}
            m.prismatic(f"J{k}", base, f"b{k}", at=tuple(here), **way)
            joints.append(f"J{k}.distance")
        bodies.append(f"b{k}")
    for k in range(int(random.integers(1, 3))):
        if random.random() < 0.5:
            first, second = random.choice(len(bodies), 2, replace=False)
            ends = [
                (m.ground if bodies[i] == "ground" else m.bodies[bodies[i]]).at(*random.uniform(-1, 1, dimension))
                for i in (first, second)
            ]
            m.spring(f"S{k}", *ends, stiffness=5.0, free_length=0.3)
        else:
            law = ("2.0", "1.0 - 3*q", "sin(2*t)")[int(random.integers(3))]
            joint = joints[int(random.integers(len(joints)))]
            m.user_force(f"F{k}", joint, law.replace("q", joint))
    return m


def loaded(model):
    """The same with laws at the time at which their pushes are largest."""
    return model.simulate(times=[0.7, 0.7 + 1e-9], method=tm.methods.rk4(step=1e-9), progress=False)


@pytest.mark.filterwarnings("ignore:body .* has no mass and can")
@pytest.mark.sampled(60)
@pytest.mark.parametrize("seed", range(240))
def test_parts_are_named_exactly_if_their_acceleration_grows_without_limit_as_mass_vanishes(seed):
    """Independent of ranks: with masses of 1e-4 and 1e-7 accelerations stay the same, or grow a thousandfold."""
    some, less = (np.abs(loaded(random_chain(seed, light)).a[0]).max() for light in (1e-4, 1e-7))
    diverges = less > 30 * some  # the square root of 1000: half-way between no growth and full growth
    try:
        random_chain(seed).simulate(1.0, samples=2, method=tm.methods.default(max_steps=200), progress=False)
        named = False
    except tm.ModelError as error:
        assert "but has no" in str(error)
        named = True
    except tm.ConvergenceError as error:  # a long motion, cut off after a few steps
        assert "mass" not in str(error)
        named = False
    assert named == diverges


@pytest.mark.parametrize(
    "law", ["5*sin(3*t)", "t**3", "max(t - 0.5, 0)", "step(t, 0.9, 0, 0.95, 1)", "step(t, 0.001, 1, 0.002, 0)"]
)
def test_a_push_that_comes_later_is_named_before_the_run(law):
    m = tm.PlanarModel("node", gravity=(0, 0))
    m.body("node", massless=True)
    m.prismatic("T", m.ground, "node", at=(0, 0), axis=(1, 0))
    m.user_force("push", "T.distance", law)
    with pytest.raises(tm.ModelError, match=r"body 'node' is free to move along x, but has no mass.*'push'"):
        m.simulate(1.0, **RUN)


def test_a_spring_that_ends_on_the_pin_of_a_massless_part_is_no_push():
    m = tm.PlanarModel("pin")
    m.body("arm", mass=1.0, inertia=0.1)
    m.body("tag", position=(1.0, 0.0), massless=True)
    m.revolute("A", m.ground, "arm", at=(0, 0.1))
    m.revolute("B", "arm", "tag", at=(0.5, 0))
    m.spring("S", m["tag"].at(-0.5, 0), m.ground.at(1.0, -1.0), stiffness=5.0)
    with pytest.warns(tm.RunWarning, match=r"body 'tag' has no mass and can turn"):
        r = m.simulate(0.5, **RUN)
    assert np.abs(r.energy.balance).max() < 1e-8


# --- undetermined motions ---------------------------------------------------------------------------------------


def with_a_ghost(where, joint):
    """A body of 1 kg, and a massless one that is free, turns about a pin of the ground, or about one of the other body."""
    space = where == "space"
    m = tm.SpatialModel("ghost", gravity=(0, 0, -9.81)) if space else tm.PlanarModel("ghost", gravity=(0, -9.81))
    m.body("real", mass=1.0, inertia=1.0)
    m.body("ghost", position=(1.0, 0.0, 0.0)[: m.space.dimension], massless=True)
    if joint:
        place = (0.2, 0.0, 0.0)[: m.space.dimension]
        m.revolute("A", joint, "ghost", at=place, **({"axis": (0, 1, 0)} if space else {}))
    return m


@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative"])
@pytest.mark.parametrize("joint", ["", "ground", "real"], ids=["free", "on the ground", "carried"])
@pytest.mark.parametrize("where", ["plane", "space"])
def test_a_massless_body_that_nothing_moves_is_named_before_the_run(where, joint, formulation):
    m = with_a_ghost(where, joint)
    with pytest.warns(tm.RunWarning, match=r"body 'ghost' has no mass and can (turn|move along .*), and no force acts"):
        r = m.simulate(0.1, samples=3, progress=False, formulation=formulation)
    assert [w.kind for w in r.warnings] == ["massless"]
    assert any(f.level == "warning" and "body 'ghost' has no mass" in f.sentence for f in check(m).findings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tm.RunWarning) as error:
            m.simulate(0.1, samples=3, progress=False, formulation=formulation)
    assert error.value.partial is None  # no results before the run


def test_the_turning_of_a_point_mass_on_a_pin_is_named_before_the_run():
    """Two point masses: one hangs on a link and has no angle of interest, the pin of the other measures its angle."""
    m = tm.PlanarModel("points")
    m.body("bob", position=(0, -1), mass=1.0, inertia=0.0)
    m.link("L", m.ground.at(0, 0), m["bob"].at(0, 0))
    m.body("arm", position=(2.0, 0.0), mass=1.0, inertia=0.2)
    m.revolute("A", m.ground, "arm", at=(1.0, 0.0))
    m.body("eye", position=(3.0, 0.0), mass=1.0, inertia=0.0)
    m.revolute("B", "arm", "eye", at=(3.0, 0.0))
    with pytest.warns(tm.RunWarning, match="body 'eye' has no moment of inertia and can turn") as found:
        m.simulate(0.1, samples=3, progress=False)
    assert len(found) == 1
    assert [f.sentence[:10] for f in check(m).findings if f.level == "warning"] == ["body 'eye'"]
    m.torsion_spring("S", first="arm", second="eye", stiffness=1.0, free_angle=0.1)
    with pytest.raises(tm.ModelError, match=r"eye.*inertia"):
        m.simulate(0.1, samples=3, progress=False)


@pytest.mark.parametrize("where", ["plane", "space"])
def test_a_massless_body_that_joints_or_drivers_move_is_not_named(where):
    m = with_a_ghost(where, "real")
    m.driver("turn", m["A"].angle, "3*t")
    assert m.simulate(0.1, samples=3, progress=False).warnings == ()


def test_the_spin_of_a_massless_rod_between_two_balls_is_not_named():
    m = tm.SpatialModel("rod", gravity=(0, 0, -9.81))
    m.body("a", position=(0.0, 0.0, -0.5), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.body("rod", position=(0.5, 0.0, -1.0), massless=True)
    m.revolute("A", "ground", "a", at=(0, 0, 0), axis="y")
    m.spherical("S", "a", "rod", at=(0.0, 0.0, -1.0))
    m.spherical("T", "rod", "ground", at=(1.0, 0.2, -1.0))
    assert m.simulate(0.1, samples=3, progress=False).warnings == ()


def test_many_massless_bodies_are_named_in_few_warnings():
    m = tm.PlanarModel("many")
    m.body("real", mass=1.0, inertia=1.0)
    for k in range(9):
        m.body(f"g{k}", position=(k, 1), massless=True)
    with pytest.warns(tm.RunWarning) as found:
        m.simulate(0.1, samples=3, progress=False)
    assert len(found) == 6 and all(f"g{k}" in " ".join(str(w.message) for w in found) for k in range(9))


@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative"])
@pytest.mark.parametrize("where", ["plane", "space"])
def test_a_rotor_without_mass_has_its_inertia(where, formulation, tmp_path):
    """Torsional pendulum I phi'' = -k (phi - phi0) from rest: phi = phi0 (1 - cos(sqrt(k/I) t)); after saving and loading as well."""
    space = where == "space"
    m = tm.SpatialModel("rotor", gravity=(0, 0, 0)) if space else tm.PlanarModel("rotor", gravity=(0, 0))
    m.body("b", massless=True, inertia=(0.3, 0.4, 0.2) if space else 0.2)
    place = (0.0, 0.0, 0.0)[: m.space.dimension]
    m.revolute("A", m.ground, "b", at=place, **({"axis": (0, 0, 1)} if space else {}))
    m.user_force("S", "A.angle", "-5*(A.angle - 0.4)")
    m = tm.load(m.save(tmp_path / "rotor.yaml"))
    r = m.simulate(1.0, samples=5, rtol=1e-10, progress=False, formulation=formulation)
    np.testing.assert_allclose(r["A.angle"], 0.4 * (1.0 - np.cos(5.0 * r.times)), atol=1e-9)
    assert r.warnings == ()
