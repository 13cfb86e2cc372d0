"""Calls of functions of a model: shapes, many states, mistakes, pickles, threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pytrammel as tm
from formulation_models import MODELS, all_sorts, slider_crank
from robot_files import GRIPPER, loaded


@pytest.fixture(scope="module")
def f():
    return all_sorts().functions()


def states(f, shape):
    rng = np.random.default_rng(0)
    q = np.broadcast_to(f.start, (*shape, len(f.coordinates)))
    return f.integrate(q, 0.4 * rng.standard_normal((*shape, len(f.velocities)))), *rng.standard_normal(
        (2, *shape, len(f.velocities))
    )


CALLS = {
    "inverse_dynamics": lambda f, q, v, a: f.inverse_dynamics(q, v, a),
    "forward_dynamics": lambda f, q, v, a: f.forward_dynamics(q, v, a),
    "bias_forces": lambda f, q, v, a: f.bias_forces(q, v),
    "element_forces": lambda f, q, v, a: f.element_forces(q, v),
    "gravity": lambda f, q, v, a: f.gravity(q),
    "mass_matrix": lambda f, q, v, a: f.mass_matrix(q),
    "kinetic_energy": lambda f, q, v, a: f.kinetic_energy(q, v),
    "potential_energy": lambda f, q, v, a: f.potential_energy(q),
    "position": lambda f, q, v, a: f.position("b4", q),
    "orientation": lambda f, q, v, a: f.pose("b4", q)[1],
    "velocity": lambda f, q, v, a: f.velocity("b4", q, v),
    "acceleration": lambda f, q, v, a: f.acceleration("b4", q, v, a),
    "jacobian": lambda f, q, v, a: f.jacobian("b4", q),
    "integrate": lambda f, q, v, a: f.integrate(q, v),
    "coordinate_rates": lambda f, q, v, a: f.coordinate_rates(q, v),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", [(7,), (2, 3), (1,), (0,)])
def test_arrays_of_states_give_the_values_of_single_states(f, name, shape):
    q, v, a = states(f, shape)
    whole = CALLS[name](f, q, v, a)
    one = CALLS[name](f, *(x[0] for x in states(f, (1,))))
    assert whole.shape == (*shape, *one.shape)
    for k in np.ndindex(shape):
        assert np.array_equal(whole[k], CALLS[name](f, q[k], v[k], a[k]))


def test_one_state_is_combined_with_many(f):
    q, v, a = states(f, (4,))
    once = f.inverse_dynamics(q[0], v, a[0])
    assert np.array_equal(once, np.array([f.inverse_dynamics(q[0], w, a[0]) for w in v]))


@pytest.mark.parametrize(
    "kind", [list, tuple, lambda x: np.asfortranarray(np.stack([x, x]).T)[:, 0], lambda x: x.astype(np.float32)]
)
def test_any_list_of_numbers_is_accepted(f, kind):
    q, v, a = (np.round(x, 3).astype(np.float32).astype(float) for x in (y[0] for y in states(f, (1,))))
    assert f.inverse_dynamics(kind(q), kind(v), kind(a)) == pytest.approx(f.inverse_dynamics(q, v, a), abs=1e-12)


def test_read_only_arrays_are_accepted(f):
    q, v, a = (x[0].copy() for x in states(f, (1,)))
    for call in CALLS.values():
        expected = call(f, q, v, a)
        fixed = [x.copy() for x in (q, v, a)]
        for x in fixed:
            x.flags.writeable = False
        assert np.array_equal(call(f, *fixed), expected)


def test_arguments_are_left_as_they_are(f):
    q, v, a = states(f, (3,))
    before = [x.copy() for x in (q, v, a)]
    for call in CALLS.values():
        call(f, q, v, a)
        call(f, q[0], v[0], a[0])
    assert all(np.array_equal(x, y) for x, y in zip((q, v, a), before, strict=True))


def test_results_do_not_share_memory(f):
    q, v, a = (x[0] for x in states(f, (1,)))
    for call in CALLS.values():
        one = call(f, q, v, a).copy()
        kept = call(f, q, v, a)
        call(f, 0.5 * q, 0.5 * v, 0.5 * a)
        assert np.array_equal(one, kept)


BAD = {
    "too short": (lambda q: q[:-1], "13 entries|14 entries|last axis"),
    "a number": (lambda q: 1.0, "last axis"),
    "text": (lambda q: "home", "array of numbers"),
    "ragged": (lambda q: [[1.0], [1.0, 2.0]], "array of numbers"),
    "not finite": (lambda q: np.where(np.arange(q.size) == 2, np.nan, q), r"q\[2\] is nan"),
    "endless": (lambda q: np.where(np.arange(q.size) == 1, np.inf, q), r"q\[1\] is inf"),
    "complex": (lambda q: q + 1j, "real|array of numbers"),
    "nothing": (lambda q: None, "array of numbers|finite|last axis"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "jacobian", "position"])
def test_wrong_coordinates_are_named(f, name, case):
    wrong, message = BAD[case]
    q, v, a = (x[0] for x in states(f, (1,)))
    with pytest.raises(tm.ModelError, match=message) as raised:
        CALLS[name](f, wrong(q), v, a)
    assert "'all sorts'" in str(raised.value) and ": q " in str(raised.value)


def test_wrong_velocities_efforts_and_times_are_named(f):
    q, v, a = (x[0] for x in states(f, (1,)))
    with pytest.raises(tm.ModelError, match=r"v has shape \(2,\)"):
        f.inverse_dynamics(q, v[:2], a)
    with pytest.raises(tm.ModelError, match=r"tau\[0\] is nan"):
        f.forward_dynamics(q, v, np.full(v.shape, np.nan))
    with pytest.raises(tm.ModelError, match=r"t is nan; it must be"):
        f.inverse_dynamics(q, v, a, np.nan)
    with pytest.raises(tm.ModelError, match="leading axes"):
        f.inverse_dynamics(np.stack([q] * 2), np.stack([v] * 3), a)
    with pytest.raises(tm.ModelError, match="not finite"):
        f.inverse_dynamics(q, 1e200 * v, a)
    with pytest.raises(tm.ModelError, match="nowhere"):
        f.jacobian("nowhere", q)
    with pytest.raises(tm.ModelError, match="nowhere"):
        f.close(q, hold=["nowhere"])


def test_places_are_bodies_points_and_the_ground():
    m = tm.SpatialModel("arm")
    m.body("link", position=(0.5, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "link", at=(0, 0, 0), axis="z")
    tip = m.point("tip", "link", local=(0.5, 0, 0))
    f = m.functions()
    q = np.array([np.pi / 2])
    for place in ("tip", tip, m["link"].at(0.5, 0, 0)):
        assert f.position(place, q) == pytest.approx([0, 1, 0], abs=1e-15)
        assert f.jacobian(place, q)[:, 0] == pytest.approx([-1, 0, 0, 0, 0, 1], abs=1e-15)
    assert f.position("link", q) == pytest.approx([0, 0.5, 0], abs=1e-15)
    assert not f.jacobian("ground", q).any() and not f.velocity("ground", q, q).any()
    assert f.position(m.ground.at(1, 2, 3), q) == pytest.approx([1, 2, 3])


@pytest.mark.parametrize("name", ["every joint", "four-bar", "gears", "spatial chain"])
def test_pickles_compute_the_same(name):
    f = MODELS[name][0]().functions()
    again = pickle.loads(pickle.dumps(f))
    assert again.coordinates == f.coordinates and again.actuators == f.actuators
    q = f.close(f.start)
    v = f.complete(q, np.ones(len(f.velocities)))
    tau = np.ones(len(f.actuators))
    assert again.forward_dynamics(q, v, tau) == pytest.approx(f.forward_dynamics(q, v, tau), rel=1e-12)


def test_threads_do_not_disturb_each_other(f):
    q, v, a = states(f, (40,))
    alone = [f.forward_dynamics(*x) for x in zip(q, v, a, strict=True)]

    def work(seed):
        order = np.random.default_rng(seed).permutation(40)
        return all(np.array_equal(f.forward_dynamics(q[k], v[k], a[k]), alone[k]) for k in np.tile(order, 20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_elements_can_be_left_out(f):
    plain = all_sorts().functions(elements=False)
    q, v, _ = (x[0] for x in states(f, (1,)))
    assert not plain.element_forces(q, v).any() and np.abs(f.element_forces(q, v)).max() > 0.1
    assert f.bias_forces(q, v) + f.element_forces(q, v) == pytest.approx(plain.bias_forces(q, v), abs=1e-12)


def test_time_reaches_the_laws_of_forces():
    m = tm.PlanarModel("pushed")
    m.body("b", mass=2.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.force("push", "b", vector=("3*t", 0.0))
    f = m.functions()
    assert f.forward_dynamics([0.0], [0.0], [1.0], t=2.0) == pytest.approx([3.5])
    assert f.inverse_dynamics([0.0], [0.0], [1.0], 2.0) == pytest.approx([-4.0])


def test_a_python_law_is_called():
    m = tm.PlanarModel("python")
    m.body("b", mass=2.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.user_force("law", "T.distance", lambda x, v: -5.0 * x - v, inputs=["T.distance", "T.distance.rate"])
    f = m.functions()
    assert f.element_forces([0.2], [1.0]) == pytest.approx([-2.0])


def test_errors_of_a_python_law_are_named():
    m = tm.PlanarModel("python")
    m.body("b", mass=2.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    table = {0.0: 1.0}
    m.user_force("law", "T.distance", lambda x: table[x], inputs=["T.distance"])
    f = m.functions()
    assert f.element_forces([0.0], [1.0]) == pytest.approx([1.0])
    with pytest.raises(tm.ModelError, match="'law' raised KeyError"):
        f.element_forces([0.2], [1.0])


REJECTED = {"cam": "curve", "friction by reactions": "reactions"}


@pytest.mark.parametrize("name", REJECTED)
def test_unsupported_models_are_named(name):
    with pytest.raises(tm.ModelError, match=REJECTED[name]):
        MODELS[name][0]().functions()


def test_forces_with_states_are_named_and_can_be_left_out(tmp_path):
    m = slider_crank()
    m.stick_slip("brake", "A.angle", normal=1.0, friction=(0.2, 0.1))
    with pytest.raises(tm.ModelError, match=r"brake.*elements=False"):
        m.functions()
    assert m.functions(elements=False).constraints


@pytest.mark.parametrize("law", ["rigid", "dry"])
def test_forces_that_switch_constraints_are_named(law):
    m = tm.PlanarModel("sliding", gravity=(0, -9.81))
    m.body("b", position=(0, 1), mass=1.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    if law == "rigid":
        m.contact_line("touch", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), law="rigid", restitution=0.5)
    else:
        m.stick_slip("touch", "T.distance", normal=1.0, friction=(0.2, 0.1))
    with pytest.raises(tm.ModelError, match=r"'touch.*elements=False"):
        m.functions()


def test_actuators_must_be_velocities():
    m = slider_crank()
    with pytest.raises(tm.ModelError, match=r"'B\.x' is not a velocity.*A\.angle"):
        m.functions(actuators=["B.x"])
    with pytest.raises(tm.ModelError, match="twice"):
        m.functions(actuators=["A.angle", "A.angle"])


def test_actuators_that_cannot_move_the_model_are_named():
    m = tm.PlanarModel("cart", gravity=(0, -9.81))
    m.body("cart", mass=1.0, inertia=0.1)
    m.body("pole", position=(0.0, 0.5), mass=0.2, inertia=0.02)
    m.prismatic("rail", "ground", "cart", at=(0, 0), axis=(1, 0))
    m.revolute("pin", "cart", "pole", at=(0, 0))
    f = m.functions(actuators=["rail.distance"])
    q, v = np.array([0.0, 0.4]), np.zeros(2)
    a = f.forward_dynamics(q, v, [2.0])
    assert f.inverse_dynamics(q, v, a) == pytest.approx([2.0])
    with pytest.raises(tm.SingularError, match=r"rail\.distance.*cannot produce"):
        f.inverse_dynamics(q, v, a + [0.0, 1.0])


def test_motions_without_inertia_are_reported():
    m = tm.PlanarModel("light")
    m.body("a", mass=1.0, inertia=0.1)
    m.body("b", massless=True)
    m.revolute("A", "ground", "a", at=(-1, 0))
    m.revolute("B", "a", "b", at=(1, 0))
    f = m.functions()
    with pytest.raises(tm.SingularError, match="no inertia"):
        f.forward_dynamics(f.start, [0, 0], [0, 0])
    assert f.inverse_dynamics(f.start, [0, 0], [1.0, 1.0]).shape == (2,)


def test_loops_that_cannot_close_are_named():
    f = slider_crank().functions()
    q = f.start.copy()
    q[f.coordinates.index("D.distance")] += 50.0
    with pytest.raises(tm.AssemblyError, match="stays open"):
        f.close(q, hold=["D.distance"])
    both = f.close(np.stack([f.start, q]), hold=["D.distance"])
    assert np.isfinite(both[0]).all() and np.isnan(both[1]).all()


def test_mimicked_joints_follow(tmp_path):
    """Fingers of 0.2 kg that move by the same distance: the pushed mass is 0.4 kg plus the turning crank."""
    m = loaded(tmp_path, GRIPPER)
    f = m.functions(elements=False)
    assert "right_slide.distance" not in f.coordinates and "left_slide.distance" in f.coordinates
    assert not f.constraints
    q = f.integrate(f.start, 0.1 * np.ones(len(f.velocities)))
    k = f.velocities.index("left_slide.distance")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        assert f.jacobian(side, q)[1, k] == pytest.approx(sign, abs=1e-12)
    assert f.mass_matrix(q)[k, k] >= 0.4


def pushed() -> tm.PlanarModel:
    """A slider-crank with a force that grows with time and a driven length, so that loop equations depend on time."""
    m = slider_crank()
    m.user_force("push", next(iter(m.constraints.values())).name + ".angle", "3*t")
    return m


TIMED = {
    "inverse_dynamics": lambda f, q, v, a, t: f.inverse_dynamics(q, v, a, t),
    "forward_dynamics": lambda f, q, v, a, t: f.forward_dynamics(q, v, a[..., : len(f.actuators)], t),
    "multipliers": lambda f, q, v, a, t: f.multipliers(q, v, a[..., : len(f.actuators)], t),
    "bias_forces": lambda f, q, v, a, t: f.bias_forces(q, v, t),
    "element_forces": lambda f, q, v, a, t: f.element_forces(q, v, t),
    "constraint_residuals": lambda f, q, v, a, t: f.constraint_residuals(q, t),
    "constraint_jacobian": lambda f, q, v, a, t: f.constraint_jacobian(q, t),
    "close": lambda f, q, v, a, t: f.close(q, t=t),
    "complete": lambda f, q, v, a, t: f.complete(q, v, a, t=t)[1],
}


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize(("shape", "of_times"), [((5,), (5,)), ((), (4,)), ((2, 3), (3,)), ((1,), (3,)), ((0,), (0,))])
def test_each_state_may_have_its_time(name, shape, of_times):
    f = pushed().functions()
    rng = np.random.default_rng(3)
    t = rng.uniform(0.0, 2.0, of_times)
    q = f.close(
        np.broadcast_to(f.start, (*shape, len(f.coordinates)))
        + 0.05 * rng.standard_normal((*shape, len(f.coordinates)))
    )
    v, a = rng.standard_normal((2, *shape, len(f.velocities)))
    if name == "inverse_dynamics":
        v, a = f.complete(q, v, a)
    whole = TIMED[name](f, q, v, a, t.tolist() if name == "bias_forces" else t)
    lead = np.broadcast_shapes(shape, of_times)
    assert whole.shape[: len(lead)] == lead
    q, v, a = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (q, v, a))
    for k in np.ndindex(lead):
        single = TIMED[name](f, q[k], v[k], a[k], float(np.broadcast_to(t, lead)[k]))
        assert whole[k] == pytest.approx(single, rel=1e-9, abs=1e-9)
    assert name != "element_forces" or not whole.size or np.ptp(whole) > 0.1


@pytest.mark.parametrize(
    ("t", "message"),
    [
        (np.zeros(3), r"leading axes of q \(2, \d\), v \(2, \d\), t \(3,\) do not agree"),
        ([0.0, np.nan], r"t is not finite: t\[1\] is nan"),
        (["a", "b"], "t must be an array of numbers"),
        (np.zeros(2) * 1j, "t must be real"),
    ],
)
def test_wrong_times_are_named(t, message):
    f = pushed().functions()
    q, v = np.tile(f.start, (2, 1)), np.zeros((2, len(f.velocities)))
    with pytest.raises(tm.ModelError, match=message):
        f.bias_forces(q, v, t)
