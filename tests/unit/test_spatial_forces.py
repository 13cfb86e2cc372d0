"""Every registered force type in space at random states: virtual work, potential energy, action and reaction, copies, sentences."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pytrammel as tm
from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.ready import make_ready
from pytrammel.kernels import layout as L
from pytrammel.kernels.dynamics import FORCES, JAC, OUT, STATE, WORK
from pytrammel.kernels.force_elements import force_elements
from pytrammel.kernels.jit import HAVE_JIT
from pytrammel.model.spatial import SpatialModel
from pytrammel.model.spatial_registries import spatial_force_sample, spatial_force_types
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from pytrammel.testing.forces import At, check_copy, check_potential, check_power, check_reaction
from pytrammel.testing.samples import Type

KINDS = sorted(spatial_force_types())
TIME = 0.7
GENERIC = {
    "law_force",
    "function_force",
    "dry_friction",
    "gauge",
    "user_state",
}  # elements that serve both kinds of models
JOINTED = (
    "prismatic",
    lambda a, b: {"first": a.marker((0.3, 0.1, 0.2), axis="x"), "second": b.marker((-0.2, 0.4, 0.1))},
)


def pull_of_two(t, x):
    return 2.0 * math.sin(t) - x * x


# every type on its own sample, and the choices a sample does not make
CASES = {kind: (kind, {}) for kind in KINDS} | {
    "follower force": ("force", {"frame": "body"}),
    "torque in space": ("torque", {"frame": "space", "reaction_on": None}),
    "torque that turns along": ("torque", {"reaction_on": None}),
    "torque in space with reaction": ("torque", {"frame": "space"}),
    "motor of a slide": ("motor", {"joint": JOINTED, "torque": "2 - J.distance"}),
    "motor of a measured distance": ("motor", {"joint": JOINTED, "torque": 3.0, "quantity": "J.distance"}),
    "user_force by function": ("user_force", {"law": pull_of_two, "inputs": ("t", "b.x")}),
    "spring by table": ("spring", {"stiffness": tm.functions.Table("pull", (-1.0, 0.0, 2.0), (-40.0, 0.0, 30.0))}),
    "spring by formula": ("spring", {"stiffness": "20*(l - 0.4)^3", "damping": "ldot^3"}),
    "torsion_spring three turns away": ("torsion_spring", {"free_angle": -6.0 * math.pi}),
    "stop at the high side only": ("end_stop", {"low": None, "high": -4.0}),
    "joint_friction of a slide": ("joint_friction", {"joint": JOINTED, "radius": None}),
    "bushing that only pulls": ("bushing", {"rotational_stiffness": None, "damping": None, "rotational_damping": None}),
    "bushing that only damps": ("bushing", {"stiffness": None, "rotational_stiffness": None}),
    "isotropic bushing": ("bushing", {"stiffness": 40.0, "rotational_stiffness": 5.0}),
    "contact_sphere_plane as a point": ("contact_sphere_plane", {"radius": 0.0}),
    "contact_sphere_plane hunt_crossley": (
        "contact_sphere_plane", {"law": "hunt_crossley", "restitution": 0.8, "damping": None}),
    "contact_sphere_plane lankarani": (
        "contact_sphere_plane", {"law": "lankarani_nikravesh", "restitution": 0.8, "damping": None}),
    "contact_sphere_plane tyre": ("contact_sphere_plane", {"slip_slope": 40.0, "viscous": 0.3}),
    "contact_sphere_plane static peak": (
        "contact_sphere_plane", {"friction": (0.5, 0.3), "stick_speed": 0.5, "viscous": 0.2}),
    "contact_sphere_sphere linear": ("contact_sphere_sphere", {"law": "linear", "damping": 1.5}),
}  # fmt: skip
NAMES = sorted(CASES)


def type_of(name):
    return Type(True, name, None, None)


def sample_model(name, seed):
    """Three free bodies with one force of a case between them, without gravity."""
    kind, changes = CASES[name]
    rng = np.random.default_rng(seed)
    model = SpatialModel("sample", gravity=(0.0, 0.0, 0.0))
    bodies = [
        model.body(
            key, position=tuple(rng.normal(size=3)), rotation=tuple(Rotation.random(rng=rng).as_matrix()), mass=1.5,
            inertia=(0.7, 0.8, 0.9),
        )
        for key in ("a", "b", "c")
    ]  # fmt: skip
    given = {**spatial_force_sample(kind, *bodies), **changes}
    if isinstance(given.get("joint"), tuple):
        joint, arguments = given["joint"]
        built = getattr(model, joint)("J", **(arguments(*bodies[:2]) if callable(arguments) else arguments))
        given["joint"] = given.pop("quantity", built.name)
    return model, getattr(model, kind)("sample", **given)


def moved(q, step):
    """Coordinates after a small motion: velocities of the origins are global, rotations in body components."""
    out = q.copy()
    for b in range(step.size // 6):
        out[7 * b : 7 * b + 3] += step[6 * b : 6 * b + 3]
        turn = Rotation.from_quat(q[7 * b + 3 : 7 * b + 7], scalar_first=True)
        turn = turn * Rotation.from_rotvec(step[6 * b + 3 : 6 * b + 6])
        out[7 * b + 3 : 7 * b + 7] = turn.as_quat(scalar_first=True)
    return out


@functools.cache
def states(name):
    """Four random states near the drawn pose at which the force acts; contacts and stops do not act everywhere."""
    found = []
    for seed in range(400):
        model, force = sample_model(name, seed)
        make_ready(model, ["state_run"], forces=True)
        rng = np.random.default_rng(1000 + seed)
        v = rng.normal(size=6 * 3)
        q = moved(lower(model).start, rng.normal(scale=0.2, size=v.size))
        z = 1e-5 * rng.normal(size=sum(use.has_state for use in force.uses))
        at = At(model, TIME, q, v, z)
        if any(at.output(k, L.FORCE) != 0.0 for k in range(len(force.uses))):
            found.append((model, force, at))
        if len(found) == 4:
            return found
    raise AssertionError(f"{name}: fewer than four of 400 random states feel the force")


def test_every_force_element_in_space_is_used_by_some_case():
    """So that the tests below reach every element."""
    used = {use.element for name in NAMES for use in sample_model(name, 0)[1].uses}
    assert used == {name for name in force_elements() if name.startswith("space_")} | GENERIC


@pytest.mark.parametrize("name", NAMES)
def test_power_of_every_force_is_its_generalised_force_times_the_velocities(name):
    for _, force, at in states(name):
        check_power(type_of(name), force, at)


def gyroscopic(model, v):
    """-w x J w of three bodies whose centroids are their origins."""
    out = np.zeros(v.size)
    for k, body in enumerate(list(model.bodies.values())[1:]):
        w = v[6 * k + 3 : 6 * k + 6]
        out[6 * k + 3 : 6 * k + 6] = -np.cross(w, np.array(body.inertia) @ w)
    return out


@pytest.mark.parametrize("name", NAMES)
def test_the_bodies_feel_the_sum_of_the_uses(name):
    for model, _, at in states(name)[:2]:
        expected = at.total + gyroscopic(model, at.v)
        # a sum of a few terms of the size of the largest
        np.testing.assert_allclose(at.ws[FORCES], expected, rtol=1e-13, atol=1e-13 * np.abs(expected).max())


# --- stored energy ------------------------------------------------------------------------------------------------------


def poses(model, q):
    out = {"ground": (np.zeros(3), np.eye(3))}
    for k, name in enumerate(list(model.bodies)[1:]):
        turn = Rotation.from_quat(q[7 * k + 3 : 7 * k + 7], scalar_first=True)
        out[name] = (q[7 * k : 7 * k + 3], turn.as_matrix())
    return out


def value_of(model, quantity, q):
    """Value of a quantity, written down independently of the kernels; an angle on the turn nearest to its counter."""
    (ri, Ai), (rj, Aj) = (poses(model, q)[body] for body in quantity.bodies)
    data = np.array(quantity.data).reshape(-1, 3)
    if quantity.primitive == "point_distance":
        return np.linalg.norm(ri + Ai @ data[0] - rj - Aj @ data[1])
    if quantity.primitive == "axis_offset":
        return (Ai @ data[0]) @ (rj + Aj @ data[2] - ri - Ai @ data[1])
    if quantity.primitive == "axis_dot":
        return (Ai @ data[0]) @ (Aj @ data[1])
    assert quantity.primitive == "axis_angle"
    x, y, s = Ai @ data[0], Ai @ data[1], Aj @ data[2]
    turn = 2.0 * math.pi
    angle = math.atan2(y @ s, x @ s)
    return angle + turn * round((quantity.turn.start - angle) / turn)


def stored_energy(model, use, q):
    if use.along is not None:
        return float(use.stored.evaluate({"x": value_of(model, use.along, q)}))
    return float(use.stored.evaluate({k: value_of(model, i.quantity, q) for k, i in use.inputs.items()}))


@pytest.mark.parametrize("name", NAMES)
def test_stored_energy_is_the_potential_of_the_force(name):
    if not any(use.stored is not None for use in sample_model(name, 0)[1].uses):
        assert name not in ("spring", "torsion_spring", "bushing")
        return
    for model, force, at in states(name):
        check_potential(type_of(name), model, force, at, stored_energy)


def test_energy_of_a_bushing_is_quadratic_in_displacement_and_rotation_vector():
    K, Kr = np.diag([50.0, 30.0, 80.0]), np.array([[4.0, 1.0, 0.0], [1.0, 6.0, 0.5], [0.0, 0.5, 2.0]])
    for model, force, at in states("bushing"):
        i, j = force.parameters["first"], force.parameters["second"]
        (ri, Ai), (rj, Aj) = (poses(model, at.q)[marker.body] for marker in (i, j))
        axes = Ai @ np.array(i.axes)
        u = axes.T @ (rj + Aj @ j.local - ri - Ai @ i.local)
        theta = Rotation.from_matrix(axes.T @ Aj @ np.array(j.axes)).as_rotvec()
        expected = 0.5 * u @ K @ u + 0.5 * theta @ Kr @ theta
        # the formula takes the angle from its sine, which costs digits near half a turn
        assert stored_energy(model, force.uses[0], at.q) == pytest.approx(expected, rel=1e-11)


def test_torque_of_an_isotropic_bushing_is_along_the_rotation_vector():
    for model, force, at in states("isotropic bushing"):
        i, j = force.parameters["first"], force.parameters["second"]
        (ri, Ai), (rj, Aj) = (poses(model, at.q)[marker.body] for marker in (i, j))
        theta = Rotation.from_matrix((Aj @ np.array(j.axes)) @ (Ai @ np.array(i.axes)).T).as_rotvec()  # global
        pull = -40.0 * (rj + Aj @ j.local - ri - Ai @ i.local)
        g = at.block(0)
        # products of rotations with entries below 1: rounding
        np.testing.assert_allclose(g[6:9], pull, rtol=1e-12, atol=1e-12)
        torque = Aj @ g[9:12] - np.cross(Aj @ j.local, pull)
        np.testing.assert_allclose(torque, -5.0 * theta, rtol=1e-11, atol=1e-11)


def test_bushing_close_to_no_rotation_is_smooth():
    """Small angles use a series and the log's limit: the torque stays proportional to the angle down to nothing."""
    model = SpatialModel("small")
    model.body("b", mass=1.0, inertia=1.0)
    model.bushing("B", model.ground.marker(), model["b"].marker(), rotational_stiffness=(3.0, 5.0, 8.0))
    make_ready(model, ["state_run"], forces=True)
    for angle in (1e-2, 2.0001e-3, 1.9999e-3, 1e-6, 1e-9, 1e-12, 0.0):
        step = np.array([0, 0, 0, 0.6, 0.0, 0.8]) * angle
        q = moved(np.array([0, 0, 0, 1.0, 0, 0, 0]), step)
        torque = At(model, 0.0, q, np.zeros(6)).total[3:]
        # the gradient differs from -K th by half th x K th, of second order in the angle
        np.testing.assert_allclose(
            torque, -np.array([3.0, 5.0, 8.0]) * step[3:], rtol=1e-10, atol=5.0 * angle**2 + 1e-15
        )


# --- action and reaction --------------------------------------------------------------------------------------------------

INTERNAL = [n for n in NAMES if len(set(sample_model(n, 0)[1].bodies) - {"ground"}) == 2]


def test_the_forces_between_two_bodies_are_those_we_think_of():
    expected = {"spring", "torsion_spring", "motor", "torque", "bushing", "joint_friction"}
    expected |= {"contact_sphere_plane", "contact_sphere_sphere"}
    assert {CASES[n][0] for n in INTERNAL} == expected


@pytest.mark.parametrize("name", INTERNAL)
def test_action_equals_reaction(name):
    """Total force and total moment about any point vanish."""
    for model, force, at in states(name):
        check_reaction(type_of(name), model, force, at)


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_of_the_model_feels_the_same_force(name):
    model, _, at = states(name)[0]
    check_copy(type_of(name), model, at)


@pytest.mark.parametrize("name", NAMES)
def test_compiled_element_gives_what_its_python_source_gives(name):
    if not HAVE_JIT:
        return  # then they are the same function
    for _, force, at in states(name)[:1]:
        for k, use in enumerate(force.uses):
            if use.function is not None:
                # its law is reached by address, which Python cannot call: compare with the function itself
                assert at.output(k, L.FORCE) == pytest.approx(use.function(at.t, at.q[7]), rel=1e-15)
                continue
            _, offset, output, entry, n, _ = (int(x) for x in at.table[k])
            out, jac = at.ws[OUT].copy(), at.ws[JAC].copy()
            block, mine = slice(entry, entry + n), slice(L.OUTPUT_SIZE * output, L.OUTPUT_SIZE * (output + 1))
            out[mine], jac[block] = np.nan, np.nan
            element = force_elements()[use.element].python
            element(at.system.ints, offset, at.system.floats, at.ws[STATE], out, output, jac, entry, at.ws[WORK].copy())
            # the compiler may fuse multiplications and additions: a few roundings apart; reactions are iterated to 1e-12
            near = 1e-11 if any(given.kind == "reaction" for given in use.inputs.values()) else 1e-13
            np.testing.assert_allclose(out[mine], at.ws[OUT][mine], rtol=near, atol=1e-13)
            np.testing.assert_allclose(jac[block], at.ws[JAC][block], rtol=near, atol=1e-12)


def test_evaluate_state_gives_weight_and_a_load_at_a_point():
    model = SpatialModel("load", gravity=(0.5, 0.0, -9.81))
    turn = Rotation.from_rotvec([0.2, -0.4, 0.9])
    body = model.body(
        "a", position=(1.0, 2.0, 3.0), rotation=tuple(turn.as_matrix()), mass=2.0, inertia=(0.3, 0.4, 0.5)
    )
    s, F, N = np.array([0.3, 0.1, -0.2]), np.array([1.0, -4.0, 2.0]), np.array([0.1, 0.2, 0.3])
    model.force("F", body.at(*s), tuple(F))
    model.torque("T", body, tuple(N), frame="body")
    make_ready(model, ["state_run"], forces=True)
    system = lower(model, dynamics=True)
    state = evaluate_state(system, system.floats, pattern(system, ()), 0.0, system.start, np.zeros(6))
    # f = F + m g, n' = s' x A'F + N (Haug 11.1: force at a point, couple in body components); sums of a few products
    expected = [*(F + 2.0 * np.array(model.gravity)), *(np.cross(s, turn.inv().apply(F)) + N)]
    np.testing.assert_allclose(state.generalised, expected, rtol=1e-13)
    np.testing.assert_allclose(state.forces, [*F, *N], atol=0.0)


# --- sentences for bad input --------------------------------------------------------------------------------------------


def two_bodies():
    model = SpatialModel("two")
    crank = model.body("crank", mass=1.0, inertia=0.1)
    rod = model.body("rod", position=(2.0, 0.0, 0.0), mass=1.0, inertia=0.1)
    model.revolute("A", "ground", "crank", at=(0.0, 0.0, 0.0), axis="z")
    model.link("K", crank.at(0.0), rod.at(0.0), length=2.0)
    model.spherical("S", "ground", "crank", at=(0.0, 0.0, 0.0))
    return model


PLANE = {"at": (0.0, 0.0, 0.0), "normal": "z"}
BAD = [
    # loads
    (lambda m: m.force("f", "crank", (1.0, 2.0, 0.0), frame="bode"), r"force 'f': frame 'bode' is not known; use 'space' or"),
    (lambda m: m.force("f", "crank", (1.0, 2.0)), r"vector of force 'f' must have three components"),
    (lambda m: m.force("f", "crank", 3.0), r"must have three components"),
    (lambda m: m.force("f", "crank", "xyz"), r"must have three components"),
    (lambda m: m.force("f", "crank", (1.0, "2*crank.fi", 0.0)), r"'crank' has no 'fi' \(in y of vector of force 'f'\)"),
    (lambda m: m.force("f", "crank", (math.nan, 0.0, 0.0)), r"force 'f'.*nan"),
    (lambda m: m.torque("f", "krank", (1.0, 0.0, 0.0)), r"no body 'krank'.*Did you mean 'crank'"),
    (lambda m: m.torque("f", "crank", (1.0, 0.0)), r"torque of torque 'f' must have three components"),
    (lambda m: m.torque("f", "crank", (1.0, 0.0, 0.0), frame="b"), r"torque 'f': frame 'b' is not known"),
    (lambda m: m.torque("f", "crank", (1.0, 0.0, 0.0), reaction_on="crank"), r"'f' connects body 'crank' with itself"),
    (lambda m: m.torque("f", "crank", (1.0, 0.0, 0.0), reaction_on="rot"), r"no body 'rot'.*Did you mean 'rod'"),
    (lambda m: m.motor("f", "AA", 1.0), r"no joint \(in motor 'f'\) 'AA'.*Did you mean 'A'"),
    (lambda m: m.motor("f", "S", 1.0), r"motor 'f': joint 'S' is a spherical and has no angle or distance of its own"),
    (lambda m: m.motor("f", "A.angel", 1.0), r"'A' has no 'angel' \(in motor 'f'\)"),
    (lambda m: m.motor("f", "crank.rx", 1.0), r"motor 'f': crank.rx has a rate but no value"),
    (lambda m: m.motor("f", "A", "5 - B.angle.rate"), r"'B.angle' in model.*Did you mean 'A.angle'"),
    (lambda m: m.drag("f", "crank", coefficient=-1.0, area=1.0), r"coefficient of drag 'f' is -1; it must not be neg"),
    (lambda m: m.drag("f", "crank", coefficient=1.0, area=1.0, density=math.nan), r"density of drag 'f' is nan"),
    (lambda m: m.drag("f", "crank", coefficient=1.0, area=1.0, wind=(1.0, 2.0)), r"wind of drag 'f' must be three numbers"),
    (lambda m: m.drag("f", "crank", coefficient=1.0, area=1.0, center=0.0), r"center of drag 'f' must be three numbers"),
    # springs
    (lambda m: m.spring("s", "crank", "rod"), r"spring 's' has neither stiffness=, damping= nor force="),
    (lambda m: m.torsion_spring("s", "A"), r"'s' has neither stiffness=, damping= nor force="),
    (lambda m: m.torsion_spring("s", "A", stiffness=-1.0), r"stiffness of spring 's' is -1 N m/rad; it must not be negative"),
    (lambda m: m.torsion_spring("s", "A", stiffness=1.0, free_angle=math.inf), r"free_angle of spring 's' is inf rad"),
    (lambda m: m.torsion_spring("s", "A", torque="l"), r"torque of spring 's'.*'l'.*theta, thetadot, t"),
    (lambda m: m.torsion_spring("s", "K", stiffness=1.0), r"torsion_spring 's': joint 'K' is a link and has no angle.*'K.length'"),
    (lambda m: m.torsion_spring("s", "K.length", stiffness=1.0), r"'s' needs an angle, but K.length is measured in m"),
    (lambda m: m.bushing("s", "crank", "rod"), r"bushing 's' has neither stiffness=.*give at least one"),
    (lambda m: m.bushing("s", "crank", "rod", stiffness=(1.0, 2.0)), r"stiffness of bushing 's' must be one number, three"),
    (lambda m: m.bushing("s", "crank", "rod", stiffness="stiff"), r"stiffness of bushing 's' must be a number"),
    (lambda m: m.bushing("s", "crank", "rod", damping=(1.0, -2.0, 0.0)), r"damping of bushing 's' has the negative eigenvalue -2"),
    (lambda m: m.bushing("s", "crank", "rod", rotational_stiffness=math.nan), r"rotational stiffness of bushing 's' is nan"),
    (lambda m: m.bushing("s", "crank", "rod", rotational_damping=((1, 0, 0), (0, 1, 0), (0.5, 0, 1))),
     r"rotational damping of bushing 's' is not symmetric: mirrored entries differ by 0.5"),
    (lambda m: m.bushing("s", "crank", "crank", stiffness=1.0), r"'s' connects body 'crank' with itself"),
    # contacts
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=-1.0, **PLANE), r"stiffness of contact 'c' is -1"),
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=1.0, radius=-1.0, **PLANE), r"radius of contact 'c' is -1"),
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=1.0), r"plane of contact 'c': the axis is missing"),
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=1.0, normal="z"), r"plane of contact 'c': say where"),
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=1.0, at=(0, 0, 0), normal=(0, 0, 0)),
     r"plane of contact 'c'.*a direction needs a length"),
    (lambda m: m.contact_sphere_plane("c", "crank", "crank", stiffness=1.0, **PLANE), r"'c' connects body 'crank' with itself"),
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=1.0, law="herz", **PLANE), r"law 'herz' is not known"),
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=1.0, law="lankarani_nikravesh", **PLANE),
     r"'lankarani_nikravesh' needs restitution="),
    (lambda m: m.contact_sphere_plane("c", "crank", "ground", stiffness=1.0, friction=(0.1, 0.2), **PLANE),
     r"contact 'c': the dynamic coefficient 0.2 is larger than the static one 0.1"),
    (lambda m: m.contact_sphere_sphere("c", "crank", "rod", radii=(1.0, 0.0), stiffness=1.0), r"radii of contact 'c' is 0 m"),
    (lambda m: m.contact_sphere_sphere("c", "crank", "rod", radii=1.0, stiffness=1.0), r"radii of contact 'c' must be two"),
    (lambda m: m.contact_sphere_sphere("c", "crank", "rof", radii=(1.0, 1.0), stiffness=1.0), r"'rof'.*Did you mean 'rod'"),
    # friction and stops
    (lambda m: m.joint_friction("f", "A", friction=0.1), r"a revolute joint needs radius="),
    (lambda m: m.joint_friction("f", "S", friction=0.1), r"joint 'S' is a spherical; friction acts in joints that turn"),
    (lambda m: m.end_stop("f", "A.angle", stiffness=1.0), r"give low=, high= or both"),
    # names
    (lambda m: m.bushing("A", "crank", "rod", stiffness=1.0), r"the name 'A' is taken already"),
]  # fmt: skip


@pytest.mark.parametrize("build, sentence", BAD, ids=[sentence[:40] for _, sentence in BAD])
def test_bad_input_is_refused_with_a_sentence(build, sentence):
    model = two_bodies()
    before = (dict(model.forces), dict(model.turns))
    with pytest.raises(tm.ModelError, match=sentence):
        build(model)
    assert (dict(model.forces), dict(model.turns)) == before  # nothing half-made stays behind


@pytest.mark.parametrize("place", [(i, k) for i in range(3) for k in range(3) if i != k])
@pytest.mark.parametrize("what", ["stiffness", "rotational_damping"])
def test_a_matrix_without_symmetry_is_rejected_wherever_it_differs(what, place):
    """One entry off the diagonal is 0.5 and the mirrored one is 0."""
    matrix = np.diag([3.0, 4.0, 5.0])
    matrix[place] = 0.5
    m = tm.SpatialModel("m")
    m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(tm.ModelError, match=f"{what.replace('_', ' ')} of bushing 's' is not symmetric.* 0.5"):
        m.bushing("s", m.ground.marker(), m["b"].marker(), **{what: matrix})
