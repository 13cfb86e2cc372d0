"""Every registered force type at random states: virtual work, potential energy, action and reaction, copies, sentences."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.ready import make_ready
from pytrammel.forces.force import force_sample, force_types
from pytrammel.kernels import layout as L
from pytrammel.kernels.dynamics import JAC, OUT, STATE, WORK
from pytrammel.kernels.force_elements import force_elements
from pytrammel.kernels.jit import HAVE_JIT, prepare
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from pytrammel.testing.forces import At, check_copy, check_potential, check_power, check_reaction
from pytrammel.testing.samples import Type

KINDS = sorted(force_types())
TIME = 0.7


def pull_of_two(t, x):
    return 2.0 * math.sin(t) - x * x


# every type on its own sample, and the choices a sample does not make
CASES = {kind: (kind, {}) for kind in KINDS} | {
    "follower force": ("force", {"frame": "body"}),
    "user_force by function": ("user_force", {"law": pull_of_two, "inputs": ("t", "b.x")}),
    "spring by table": ("spring", {"stiffness": tm.functions.Table("pull", (-1.0, 0.0, 2.0), (-40.0, 0.0, 30.0))}),
    "spring by formula": ("spring", {"stiffness": "20*(l - 0.4)^3", "damping": "ldot^3"}),
    "stop at the high side only": ("end_stop", {"low": None, "high": -4.0}),
    "contact_line as a point": ("contact_line", {"radius": 0.0}),
    "contact_line hunt_crossley": ("contact_line", {"law": "hunt_crossley", "restitution": 0.8, "damping": None}),
    "contact_line lankarani": ("contact_line", {"law": "lankarani_nikravesh", "restitution": 0.8, "damping": None}),
    "contact_line tyre": ("contact_line", {"slip_slope": 40.0, "viscous": 0.3}),
    "contact_line static peak": ("contact_line", {"friction": (0.5, 0.3), "stick_speed": 0.5, "viscous": 0.2}),
    "contact_discs linear": ("contact_discs", {"law": "linear", "damping": 1.5}),
    "contact_curve right side": ("contact_curve", {"side": "right", "friction": 0.2}),
}
NAMES = sorted(CASES)


def type_of(name):
    return Type(False, name, None, None)


def sample_model(name, seed):
    """Three free bodies with one force of a case between them, without gravity."""
    kind, changes = CASES[name]
    rng = np.random.default_rng(seed)
    model = tm.PlanarModel("sample", gravity=(0.0, 0.0))
    bodies = [
        model.body(
            key, position=tuple(rng.normal(size=2)), angle=float(rng.uniform(-math.pi, math.pi)), mass=1.5, inertia=0.7
        )
        for key in ("a", "b", "c")
    ]
    given = {**force_sample(kind, *bodies), **changes}
    if isinstance(given.get("joint"), tuple):
        joint, arguments = given["joint"]
        given["joint"] = getattr(model, joint)("J", **arguments).name
    return model, getattr(model, kind)("sample", **given)


@functools.cache
def states(name):
    """Four random states near the drawn pose at which the force acts; contacts and stops do not act everywhere."""
    found = []
    for seed in range(400):
        model, force = sample_model(name, seed)
        make_ready(model, ["state_run"], forces=True)
        rng = np.random.default_rng(1000 + seed)
        q = np.array([x for b in list(model.bodies.values())[1:] for x in (*b.position, b.angle)])
        q += rng.normal(scale=0.2, size=q.size)
        v = rng.normal(size=q.size)
        z = 1e-5 * rng.normal(size=sum(use.has_state for use in force.uses))
        at = At(model, TIME, q, v, z)
        if any(at.output(k, L.FORCE) != 0.0 for k in range(len(force.uses))):
            found.append((model, force, at))
        if len(found) == 4:
            return found
    raise AssertionError(f"{name}: fewer than four of 400 random states feel the force")


def test_every_force_element_is_used_by_some_case():
    """So that the tests below reach every element; those that begin with space_ belong to spatial models."""
    used = {use.element for name in NAMES for use in sample_model(name, 0)[1].uses}
    assert used == {name for name in force_elements() if not name.startswith("space_")}


@pytest.mark.parametrize("name", NAMES)
def test_power_of_every_force_is_its_generalised_force_times_the_velocities(name):
    for _, force, at in states(name):
        check_power(type_of(name), force, at)
        total = at.total
        np.testing.assert_allclose(total, at.generalised, rtol=1e-13, atol=1e-13 * np.abs(total).max())


def value_of(model, quantity, q):
    """Value of a distance or a linear quantity, written down independently of the kernels."""
    pose = {name: q[3 * k : 3 * k + 3] for k, name in enumerate(list(model.bodies)[1:])}
    if quantity.primitive == "linear":
        weights = np.array(quantity.data[1:]).reshape(-1, 3)
        return sum(w @ pose[b] for w, b in zip(weights, quantity.bodies, strict=True))
    assert quantity.primitive == "distance"
    points = []
    for body, (xi, eta) in zip(quantity.bodies, np.array(quantity.data).reshape(2, 2), strict=True):
        x, y, phi = pose[body]
        points.append(complex(x, y) + complex(xi, eta) * np.exp(1j * phi))
    return abs(points[0] - points[1])


def stored_energy(model, use, q):
    return float(use.stored.evaluate({"x": value_of(model, use.along, q)}))


@pytest.mark.parametrize("name", NAMES)
def test_stored_energy_is_the_potential_of_the_force(name):
    if not any(use.stored is not None for use in sample_model(name, 0)[1].uses):
        assert name not in ("spring", "torsion_spring")
        return
    for model, force, at in states(name):
        check_potential(type_of(name), model, force, at, stored_energy)


INTERNAL = [n for n in NAMES if len(set(sample_model(n, 0)[1].bodies) - {"ground"}) == 2]


def test_the_forces_between_two_bodies_are_those_we_think_of():
    expected = {"spring", "torsion_spring", "motor", "gas_spring", "joint_friction"}
    expected |= {"contact_line", "contact_discs", "contact_curve"}
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
                expected = use.function(at.t, at.q[3])
                assert at.output(k, L.FORCE) == pytest.approx(expected, rel=1e-15)
                continue
            _, offset, output, entry, n, _ = (int(x) for x in at.table[k])
            out, jac = at.ws[OUT].copy(), at.ws[JAC].copy()
            block, mine = slice(entry, entry + n), slice(L.OUTPUT_SIZE * output, L.OUTPUT_SIZE * (output + 1))
            out[mine], jac[block] = np.nan, np.nan
            element = force_elements()[use.element].python
            element(at.system.ints, offset, at.system.floats, at.ws[STATE], out, output, jac, entry, at.ws[WORK].copy())
            # the compiler may fuse multiplications and additions: a few roundings apart
            np.testing.assert_allclose(out[mine], at.ws[OUT][mine], rtol=1e-13, atol=1e-14)
            np.testing.assert_allclose(jac[block], at.ws[JAC][block], rtol=1e-13, atol=1e-13)


def test_evaluate_state_gives_the_forces_of_all_elements():
    """Weight and a hand-made load: the simplest g there is."""
    model = tm.PlanarModel("load", gravity=(0.5, -9.81))
    body = model.body("a", position=(1.0, 2.0), angle=0.5, mass=2.0, inertia=0.3)
    model.force("F", body.at(0.3, 0.0), (0.0, 4.0))
    make_ready(model, ["state_run"], forces=True)
    system = lower(model, dynamics=True)
    state = evaluate_state(system, system.floats, pattern(system, ()), 0.0, system.start, np.zeros(3))
    # g = [m g_x, m g_y + F, F s_x], s_x = 0.3 cos 0.5 (Nikravesh Eqs 9.10, 9.11); sums of two products
    np.testing.assert_allclose(state.generalised, [1.0, -19.62 + 4.0, 4.0 * 0.3 * math.cos(0.5)], rtol=1e-15)
    np.testing.assert_allclose(state.forces, [0.0, 4.0], atol=0.0)


# --- sentences for bad input --------------------------------------------------------------------------------------------


def two_bodies():
    model = tm.PlanarModel("two")
    crank = model.body("crank", position=(0.0, 0.0), mass=1.0, inertia=0.1)
    rod = model.body("rod", position=(2.0, 0.0), mass=1.0, inertia=0.1)
    model.revolute("A", "ground", "crank", at=(0.0, 0.0))
    model.link("K", crank.at(0.0, 0.0), rod.at(0.0, 0.0), length=2.0)
    return model


LINE = {"at": (0.0, 0.0), "axis": (1.0, 0.0)}
BAD = [
    # springs
    (lambda m: m.spring("s", "crank", "rod", stiffness=-3.0), r"stiffness of spring 's' is -3 N/m; it must not be negative"),
    (lambda m: m.spring("s", "crank", "rod", stiffness=math.nan), r"stiffness of spring 's' is nan N/m; it must be a finite"),
    (lambda m: m.spring("s", "crank", "rod", stiffness=1.0, free_length=-0.1), r"free_length of spring 's' is -0.1 m"),
    (lambda m: m.spring("s", "crank", "rod", damping=math.inf), r"damping of spring 's' is inf N s/m"),
    (lambda m: m.spring("s", "crank", "crank", stiffness=1.0), r"'s' connects body 'crank' with itself"),
    (lambda m: m.spring("s", "crank", "rot", stiffness=1.0), r"no body 'rot'.*Did you mean 'rod'"),
    (lambda m: m.spring("s", "crank", "rod"), r"spring 's' has neither stiffness=, damping= nor force="),
    (lambda m: m.spring("s", "crank", "rod", stiffness="3*lenght"), r"stiffness of spring 's'.*'lenght'.*l, ldot, t"),
    (lambda m: m.spring("s", "crank", "rod", damping="3*ldott"), r"damping of spring 's'.*'ldott'.*Did you mean 'ldot'"),
    (lambda m: m.torsion_spring("s", first="crank", second="rod", stiffness=-1.0), r"stiffness of spring 's' is -1 N m/rad"),
    (lambda m: m.torsion_spring("s", first="crank", second="rod", torque="l"), r"torque of spring 's'.*'l'.*theta, thetadot, t"),
    (lambda m: m.torsion_spring("s", first="crank", second="crank", stiffness=1.0), r"'s' connects body 'crank' with itself"),
    # loads
    (lambda m: m.force("f", "crank", (1.0, 2.0), frame="bode"), r"frame 'bode' is not known; use 'space' or 'body'"),
    (lambda m: m.force("f", "crank", (1.0, 2.0, 3.0)), r"must have two components"),
    (lambda m: m.force("f", "crank", 3.0), r"must have two components"),
    (lambda m: m.force("f", "crank", (1.0, "2*crank.fi")), r"'crank' has no 'fi' \(in y of vector of force 'f'\)"),
    (lambda m: m.force("f", "crank", (1.0, "2*cranc.phi")), r"'cranc.phi'.*Did you mean 'crank.phi'"),
    (lambda m: m.force("f", "crank", (math.nan, 0.0)), r"force 'f'.*nan"),
    (lambda m: m.torque("f", "krank", 1.0), r"no body 'krank'.*Did you mean 'crank'"),
    (lambda m: m.torque("f", "crank", "1 +"), r"'f'"),
    (lambda m: m.motor("f", first="crank", second="crank", torque=1.0), r"'f' connects body 'crank' with itself"),
    (lambda m: m.motor("f", first="ground", second="crank", torque="5 - B.angle.rate"), r"'B.angle' in model.*Did you mean 'A.angle'"),
    (lambda m: m.user_force("f", "A.angel", 1.0), r"'A' has no 'angel'.*angle"),
    (lambda m: m.user_force("f", "A.angle", abs, inputs=("t", "crank.fi")), r"'crank' has no 'fi'"),
    (lambda m: m.user_force("f", "A.angle", 1.0, inputs=("t",)), r"user_force 'f'.*inputs= .*function"),
    (lambda m: m.drag("f", "crank", coefficient=-1.0, area=1.0), r"coefficient of drag 'f' is -1; it must not be neg"),
    (lambda m: m.drag("f", "crank", coefficient=1.0, area=-2.0), r"area of drag 'f' is -2 m²; it must not be negative"),
    (lambda m: m.drag("f", "crank", coefficient=1.0, area=1.0, density=-1.0), r"density of drag 'f' is -1"),
    (lambda m: m.drag("f", "crank", coefficient=1.0, area=1.0, wind=(1.0,)), r"wind of drag 'f' must be two numbers"),
    (lambda m: m.drag("f", "crank", coefficient=1.0, area=1.0, center=0.0), r"center of drag 'f' must be two numbers"),
    (lambda m: m.gas_spring("f", "K.length", area=-1.0, volume=1.0, pressure=1e5), r"area of gas_spring 'f' is -1"),
    (lambda m: m.gas_spring("f", "K.length", area=1.0, volume=0.0, pressure=1e5), r"volume of gas_spring 'f' is 0"),
    (lambda m: m.gas_spring("f", "K.length", area=1.0, volume=1.0, pressure=-1.0), r"pressure of gas_spring 'f' is -1"),
    # contacts
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=-1.0, **LINE), r"stiffness of contact 'c' is -1"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, radius=-1.0, **LINE), r"radius of contact 'c' is -1"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="herz", **LINE),
     r"law 'herz' is not known; use one of: linear, hertz, hunt_crossley, lankarani_nikravesh, classic_hunt_crossley"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="hunt_crossley", **LINE),
     r"'hunt_crossley' needs restitution="),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="hunt_crossley", restitution=1.2, **LINE),
     r"restitution of contact 'c' is 1.2; it must be between 0 and 1"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="lankarani_nikravesh", damping=2.0, **LINE),
     r"'lankarani_nikravesh' takes restitution=, not damping="),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="classic_lankarani_nikravesh", **LINE),
     r"'classic_lankarani_nikravesh' needs restitution="),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="hunt_crossley", damping=2.0, restitution=0.5, **LINE),
     r"contact 'c': give either restitution= or damping=, not both"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="hunt_crossley", restitution=0.0, **LINE),
     r"restitution of contact 'c' is 0; .*grows without limit. Give 0.001 at least"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, restitution=0.5, **LINE),
     r"restitution= .*'linear'.*damping="),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, law="hertz", damping=0.5, **LINE),
     r"'hertz' has no damping"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, damping=-0.5, **LINE), r"damping of contact 'c' is -0.5"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, exponent=-1.0, **LINE), r"exponent of contact 'c' is -1"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, friction=-0.1, **LINE), r"friction of contact 'c' is -0.1"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, friction=(0.1, 0.2, 0.3), **LINE),
     r"friction of contact 'c' must be a number or two \(static, dynamic\)"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, friction=(0.1, 0.2), **LINE),
     r"contact 'c': the dynamic coefficient 0.2 is larger than the static one 0.1"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, stick_speed=0.0, **LINE), r"stick_speed of contact 'c' is 0 m/s"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, viscous=-1.0, **LINE), r"viscous of contact 'c' is -1 N s/m"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, slip_slope=-1.0, **LINE), r"slip_slope of contact 'c' is -1 N s/m"),
    (lambda m: m.contact_line("c", "crank", "ground", stiffness=1.0, at=(0, 0), axis=(0, 0)), r"axis of contact 'c'"),
    (lambda m: m.contact_line("c", "crank", "crank", stiffness=1.0, **LINE), r"'c' connects body 'crank' with itself"),
    (lambda m: m.contact_discs("c", "crank", "rod", radii=(1.0, 0.0), stiffness=1.0), r"radii of contact 'c' is 0 m"),
    (lambda m: m.contact_discs("c", "crank", "rod", radii=1.0, stiffness=1.0), r"radii of contact 'c' must be two numbers"),
    (lambda m: m.contact_discs("c", "crank", "rof", radii=(1.0, 1.0), stiffness=1.0), r"'rof'.*Did you mean 'rod'"),
    (lambda m: m.contact_curve("c", "crank", "ground", curve=tm.curves.circle(1.0), radius=0.0, stiffness=1.0),
     r"radius of contact 'c' is 0 m"),
    (lambda m: m.contact_curve("c", "crank", "ground", curve=tm.curves.circle(1.0), radius=0.1, stiffness=1.0, side="up"),
     r"side 'up' is not known; use 'left' or 'right'"),
    # friction and stops
    (lambda m: m.joint_friction("f", "A", friction=0.1), r"a revolute joint needs radius="),
    (lambda m: m.joint_friction("f", "A", friction=-0.1, radius=0.1), r"friction of joint_friction 'f' is -0.1"),
    (lambda m: m.joint_friction("f", "A", friction=0.1, radius=0.0), r"radius of friction 'f' is 0 m"),
    (lambda m: m.joint_friction("f", "A", friction=0.1, radius=0.1, stick_speed=-1.0), r"stick_speed of friction 'f' is -1"),
    (lambda m: m.joint_friction("f", "A", viscous=-1.0), r"viscous of friction 'f' is -1"),
    (lambda m: m.joint_friction("f", "K", friction=0.1), r"joint 'K' is a link; friction acts in joints that turn"),
    (lambda m: m.joint_friction("f", "AA", friction=0.1, radius=0.1), r"no joint .*'AA'.*Did you mean 'A'"),
    (lambda m: m.stick_slip("f", "crank.x", normal=1.0, friction=(0.1, 0.2)), r"dynamic coefficient 0.2 is larger than"),
    (lambda m: m.stick_slip("f", "crank.x", normal=1.0, friction=(-0.1, -0.2)), r"friction of stick_slip 'f' is -0.1"),
    (lambda m: m.stick_slip("f", "crank.x", normal=1.0, friction=(0.3,)), r"friction of stick_slip 'f' must be a number or two"),
    (lambda m: m.stick_slip("f", "crank.x", normal="B.reaction", friction=(0.3, 0.3)), r"'B.reaction'"),
    (lambda m: m.stick_slip("f", "crank.x", normal=1.0, friction=(0.3, 0.3), stick_speed=0.0), r"stick_speed of friction 'f' is 0 m/s"),
    (lambda m: m.stick_slip("f", "crank.x", normal=1.0, friction=(0.3, 0.3), bristle_stiffness=-1.0),
     r"bristle_stiffness of friction 'f' is -1 N/m"),
    (lambda m: m.end_stop("f", "A.angle", stiffness=1.0), r"give low=, high= or both"),
    (lambda m: m.end_stop("f", "A.angle", low=1.0, high=0.5, stiffness=1.0), r"low = 1 must be smaller than high = 0.5"),
    (lambda m: m.end_stop("f", "A.angle", low=math.nan, stiffness=1.0), r"low of end_stop 'f' is nan"),
    (lambda m: m.end_stop("f", "A.angle", low=1.0, stiffness=-1.0), r"stiffness of end_stop 'f' is -1"),
    (lambda m: m.end_stop("f", "A.angle", low=1.0, stiffness=1.0, damping=-1.0), r"damping of end_stop 'f' is -1"),
    (lambda m: m.end_stop("f", "A.angel", low=1.0, stiffness=1.0), r"'A' has no 'angel'"),
    # names
    (lambda m: m.spring("A", "crank", "rod", stiffness=1.0), r"the name 'A' is taken already"),
    (lambda m: m.spring("2s", "crank", "rod", stiffness=1.0), r"'2s' cannot be the name of a spring"),
]  # fmt: skip


@pytest.mark.parametrize("build, sentence", BAD, ids=[s for _, s in BAD])
def test_bad_input_is_answered_with_a_sentence_and_leaves_the_model_alone(build, sentence):
    model = two_bodies()
    with pytest.raises(tm.TrammelError, match=sentence):
        build(model)
    assert not model.forces


def test_a_force_says_what_it_measures():
    spring = two_bodies().spring("s", "crank", "rod", stiffness=1.0)
    assert spring.length.label == "s.length"
    with pytest.raises(AttributeError, match=r"spring 's' has no 'lenght'; it measures: length"):
        _ = spring.lenght
    assert str(spring) == "spring 's' (crank – rod)"


def test_a_body_without_mass_is_named_before_the_run():
    model = tm.PlanarModel("m")
    model.body("a")
    with pytest.raises(tm.ModelError, match=r"body 'a' has no mass; give mass= and inertia="):
        model.simulate(1.0)
    model = tm.PlanarModel("m")
    model.body("a", mass=1.0)
    with pytest.raises(tm.ModelError, match=r"body 'a' has a mass but no inertia"):
        model.simulate(1.0)


def test_kernels_of_all_forces_can_be_compiled_ahead():
    prepare([*force_elements()])
