"""States of rotations in space and ways to keep Euler parameters at length one: with every treatment, method and event."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import moving_samples
import pytrammel as tm
import spatial_models
from pytrammel import rotations as rot
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.runs.engine import Cartesian
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.rotations import HOLDINGS, InParameters
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.kernels import engine, jit
from pytrammel.model.spatial_registries import spatial_constraint_types, spatial_force_sample, spatial_force_types
from spatial_directions import random_pose

QUIET = {"progress": False}
TIGHT = {"rtol": 1e-12, "atol": 1e-14, **QUIET}
STATES = [
    (state, held) for state in ("velocities", "rates") for held in HOLDINGS if (state, held) != ("velocities", "velocity")
]  # fmt: skip
METHODS = {name: each for name, each in tm.methods.items() if not each.back_end or name.startswith("scipy")}


def tumbling() -> tm.SpatialModel:
    """A body with its frame off its centre of mass, a spring and a hinge with another one."""
    m = tm.SpatialModel("tumbling")
    a = m.body("a", mass=2.0, inertia=(0.3, 0.4, 0.2), centroid=(0.1, 0.0, 0.2), omega=(1.0, 6.0, -2.0))
    b = m.body("b", position=(0.4, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.15))
    m.revolute("R", a, b, at=(0.3, 0, 0), axis=(0, 0.6, 0.8))
    m.spring("s", m.ground.at(0, 0, 1), a.at(0.1, 0.2, 0.3), stiffness=30.0, damping=0.2)
    return m


@pytest.fixture(scope="module")
def truths():
    return {
        "RSSR": spatial_models.rssr(0.3).simulate(0.4, samples=3, **TIGHT),
        "tumbling": tumbling().simulate(0.6, samples=3, **TIGHT),
    }


@pytest.mark.parametrize("treatment", tm.enforcement)
@pytest.mark.parametrize(("state", "held"), STATES)
def test_every_state_and_holding_goes_with_every_treatment(state, held, treatment, truths):
    allowed = 1e-5 if treatment == "penalty" else 1e-6  # what penalties yield; some 60 steps of rtol = 1e-8
    for name, build, span in (("RSSR", lambda: spatial_models.rssr(0.3), 0.4), ("tumbling", tumbling, 0.6)):
        truth = truths[name]
        r = build().simulate(
            span,
            samples=3,
            constraints=treatment,
            formulation=tm.formulations.cartesian(rotations=state, normalize=held),
            **QUIET,
        )
        assert np.abs(r.q - truth.q).max() < allowed
        assert np.abs(r.v - truth.v).max() < 10 * allowed * np.abs(truth.v).max()
        loads = truth.dynamics.multipliers
        assert np.abs(r.dynamics.multipliers - loads).max() < 10 * allowed * np.abs(loads).max()


@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")  # of rough methods
@pytest.mark.parametrize("held", ["corrected", "none", "partitioning"])
def test_rates_as_state_go_with_every_method_or_are_refused(held, truths):
    truth = truths["tumbling"]
    for name, method in METHODS.items():
        options = {"method": tm.methods[name](step=2e-3)} if method.fixed else {"method": name, "rtol": 1e-6}
        allowed = {1: 0.3, 2: 5e-3, 3: 1e-3}.get(method.order, 1e-4) if method.fixed else 1e-3
        given = {"formulation": tm.formulations.cartesian(rotations="rates", normalize=held), **options, **QUIET}
        if method.own_constraints or (method.back_end and held == "partitioning"):
            with pytest.raises(tm.ModelError, match=rf"method '{name}' .*does not go with"):
                tumbling().simulate(0.6, **given)
            continue
        assert np.abs(tumbling().simulate(0.6, samples=3, **given).q - truth.q).max() < allowed, name


@pytest.mark.parametrize(("state", "held"), STATES)
def test_events_that_change_velocities_and_numbers_reach_the_state(state, held):
    def run(**options):
        m = tumbling()
        events = [
            tm.Event("blow", "t - 0.2", impulse=[(m["b"].at(0.1, 0.1, 0), (0.5, -0.3, 0.8))]),
            tm.Event("other", "t - 0.35", change={"s": {"stiffness": 50.0}}),
        ]
        return m.simulate(0.6, samples=13, events=events, rtol=1e-10, atol=1e-12, **options, **QUIET)

    truth, r = run(), run(formulation=tm.formulations.cartesian(rotations=state, normalize=held))
    assert [event.name for event in r.dynamics.events] == ["blow", "other"]
    # between the two runs: some 60 steps of 1e-10
    assert np.abs(r.q - truth.q).max() < 1e-8
    assert np.abs(r.v - truth.v).max() < 1e-7
    assert np.abs(r.energy.balance).max() < 1e-8


def with_force(kind) -> tm.SpatialModel:
    """Three spinning bodies and the registered sample of a force between them."""
    rng = np.random.default_rng(5)
    m = tm.SpatialModel("sample")
    bodies = [
        m.body(name, **random_pose(rng), mass=1.5, inertia=(0.4, 0.5, 0.6), centroid=(0.1, 0.0, -0.1), omega=3 * rng.normal(size=3))
        for name in "abc"
    ]  # fmt: skip
    given = dict(spatial_force_sample(kind, *bodies))
    for key, value in given.items():
        if isinstance(value, tuple) and value and isinstance(value[-1], dict):  # a joint to be made first
            name, what, arguments = value if len(value) == 3 else ("J", *value)
            getattr(m, what)(name, **arguments)
            given[key] = name
    getattr(m, kind)("it", **given)
    return m


@pytest.mark.filterwarnings(
    "ignore::pytrammel.RunWarning"
)  # samples are drawn without care for velocities and bearings
@pytest.mark.parametrize(("state", "held"), [("rates", "none"), ("velocities", "partitioning")])
@pytest.mark.parametrize("kind", [*sorted(spatial_constraint_types()), *sorted(spatial_force_types())])
def test_states_go_with_every_registered_joint_and_force(kind, state, held):
    def build():
        if kind in spatial_force_types():
            return with_force(kind)
        return moving_samples.sample_model("space", kind, 3)[0]

    truth = build().simulate(0.3, samples=4, rtol=1e-9, **QUIET)
    r = build().simulate(
        0.3, samples=4, rtol=1e-9, formulation=tm.formulations.cartesian(rotations=state, normalize=held), **QUIET
    )
    # some 50 steps of 1e-9, positions against sizes of a few metres
    assert np.abs(r.q - truth.q).max() < 1e-6
    assert np.abs(r.v - truth.v).max() < 1e-5


@pytest.mark.parametrize(("e", "height"), [(0.8, 0.1), (0.0, 0.0)])
@pytest.mark.parametrize(("state", "held"), [("rates", "corrected"), ("rates", "none"), ("velocities", "partitioning")])
def test_rigid_contacts_that_bounce_or_roll_reach_the_state(state, held, e, height):
    def run(**options):
        m = tm.SpatialModel("sphere")
        place = (0, 0, 0.1 + height)
        m.body("b", position=place, velocity=(1, -2, 0), omega=(3, 4, 5), mass=0.5, inertia=(0.002,) * 3)
        floor = {"at": (0, 0, 0), "normal": (0, 0, 1), "law": "rigid", "restitution": e, "friction": 0.3}
        m.contact_sphere_plane("floor", "b", "ground", radius=0.1, **floor)
        return m.simulate(0.8, samples=9, rtol=1e-10, atol=1e-12, **options, **QUIET)

    truth, r = run(), run(formulation=tm.formulations.cartesian(rotations=state, normalize=held))
    assert np.abs(r.q - truth.q).max() < 1e-7
    assert np.abs(r.v - truth.v).max() < 1e-6


# --- the equations themselves ----------------------------------------------------------------------------------------------


def equations(model, state, held, formulation="III", gains=(0.0, 0.0)):
    """A function that calls a routine of the equations, and a state of the model as they integrate it."""
    words = {"rotations": state, "euler_parameters": held, "formulation": tm.formulations[formulation]}
    chosen = tm.formulations[formulation](rotations=state, normalize=held)
    model.simulate(times=[0.0], formulation=chosen, **QUIET)  # compiles what is needed
    options = Options(method_named("rk4"), 1e-8, 1e-10, 0.01, 1.0, "none", *gains, 10**6, **words)
    run = Simulation(model, np.array([0.0, 1.0]), options, (), (), None, True)
    run.equations.begin(run.system, 0.0, run.whole)
    table = run.equations.table(run, run._look_out().system)

    def call(which, y, out):
        entries = table.entries
        if not jit.HAVE_JIT:
            return jit.call_routine(entries[which], entries, 0.0, 0.0, y, out, out)
        kinds = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double, *[ctypes.c_void_p] * 3]
        routine = ctypes.CFUNCTYPE(ctypes.c_double, *kinds)(int(entries[which]))
        return routine(entries.ctypes.data, 0.0, 0.0, y.ctypes.data, out.ctypes.data, out.ctypes.data)

    return run, call


def off_the_sphere(run):
    """A state whose Euler parameters have neither length one nor rates across them."""
    random = np.random.default_rng(5)
    y = run.whole.copy()
    y[3:7] = np.array([0.5, 0.7, -0.5, 0.1]) * 1.1
    y[-4:] = random.normal(size=4)
    return y


def lone() -> tm.SpatialModel:
    m = tm.SpatialModel("lone", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(0.3, 0.4, 0.2), omega=(1.0, 2.0, -0.5))
    return m


@pytest.mark.parametrize("formulation", ["I", "II", "III"])
def test_second_rates_on_the_sphere_are_those_of_the_book(formulation):
    """6.113, 11.3.21: p'' = 1/2 L' w'' - 1/4 w'² p with Euler's equations for w''."""
    run, call = equations(lone(), "rates", "none", formulation)
    y, dy = run.whole.copy(), np.zeros(run.whole.size)
    y[3:7] = [0.5, 0.7, -0.5, 0.1]
    w = np.array([1.0, 2.0, -0.5])
    y[-4:] = rot.parameter_rate(y[3:7], w)
    call(engine.RATES, y, dy)
    J = np.array([0.3, 0.4, 0.2])
    np.testing.assert_allclose(dy[3:7], y[-4:], atol=1e-15)
    np.testing.assert_allclose(dy[-4:], rot.parameter_acceleration(y[3:7], w, -np.cross(w, J * w) / J), atol=1e-14)


def test_second_rates_off_the_sphere_solve_the_system_of_formulation_I():
    """13.5-13.7 with p as it is: [J* p; p' 0] [p''; sigma] = [n* - 2 H p'; -p'.p'] (11.14-11.16)."""
    run, call = equations(lone(), "rates", "none", "I")
    y, dy = off_the_sphere(run), np.zeros(run.whole.size)
    call(engine.RATES, y, dy)
    p, rate, J = y[3:7], y[-4:], np.diag([0.3, 0.4, 0.2])
    L, Ldot = rot.L(p), rot.L(rate)
    K = np.block([[4 * L.T @ J @ L, p[:, None]], [p[None, :], np.zeros((1, 1))]])
    right = np.append(-8 * Ldot.T @ J @ L @ rate, -rate @ rate)
    np.testing.assert_allclose(dy[-4:], np.linalg.solve(K, right)[:4], rtol=1e-12)
    np.testing.assert_allclose(dy[3:7], rate, atol=1e-14)


@pytest.mark.parametrize("formulation", ["I", "III"])
def test_a_stabilised_length_obeys_the_equation_of_baumgarte_exactly(formulation):
    alpha, beta = 3.0, 7.0
    run, call = equations(lone(), "rates", "baumgarte", formulation, (alpha, beta))
    y, dy = off_the_sphere(run), np.zeros(run.whole.size)
    call(engine.RATES, y, dy)
    p, rate = y[3:7], y[-4:]
    phi, first, second = p @ p - 1, 2 * p @ rate, 2 * (rate @ rate + p @ dy[-4:])
    assert second + 2 * alpha * first + beta**2 * phi == pytest.approx(0.0, abs=1e-12)
    run, call = equations(lone(), "velocities", "baumgarte", formulation, (alpha, beta))
    y, dy = run.whole.copy(), np.zeros(run.whole.size)
    y[3:7] *= 1.1
    call(engine.RATES, y, dy)
    assert 2 * y[3:7] @ dy[3:7] == pytest.approx(-alpha * (y[3:7] @ y[3:7] - 1), abs=1e-14)


def test_corrections_are_those_of_the_book():
    """[N11] O-9: p* = (.52, .71, -.49, .12), p'* = (.1, -.2, .3, .4)."""
    p, rate = np.array([0.52, 0.71, -0.49, 0.12]), np.array([0.1, -0.2, 0.3, 0.4])
    for held, good_length, good_rate in (
        ("none", False, False),
        ("position", True, False),
        ("velocity", False, True),
        ("corrected", True, True),
    ):
        run, call = equations(lone(), "rates", held)
        y = run.whole.copy()
        y[3:7], y[-4:] = p, rate
        call(engine.SETTLE, y, y)
        want = [0.5126201298, 0.6999236388, -0.4830458915, 0.118296953] if good_length else p
        np.testing.assert_allclose(y[3:7], want, atol=1e-10)
        want = [0.1955102041, -0.0695918367, 0.21, 0.4220408163] if good_rate else rate
        np.testing.assert_allclose(y[-4:], want, atol=1e-10)
        np.testing.assert_allclose(y[10:13], rot.angular_velocity(rot.normalised(p), rate), atol=1e-14)


# --- default, series and refusals ------------------------------------------------------------------------------------------


def test_the_default_knows_nothing_of_this_and_still_tells_its_lengths():
    r = tumbling().simulate(0.2, samples=5, **QUIET)
    assert r.dynamics.parameters is None
    for values in (r["a"].norm_error, r["a"].norm_rate, r["b.norm_error"], r["ground"].norm_error):
        assert np.abs(values).max() < 1e-14
    assert r.series("a.norm_rate").unit == "1/s"
    options = Options(method_named("rk4"), 1e-8, 1e-10, 0.01, 1.0, "none", 0.0, 0.0, 10)
    plain = Simulation(tumbling(), np.array([0.0, 1.0]), options, (), (), None, True)
    assert type(plain.equations) is Cartesian and not isinstance(plain.equations, InParameters)


def test_series_survive_where_events_cut_a_run_into_pieces():
    events = [tm.Event("other", "t - 0.1", change={"s": {"stiffness": 50.0}})]
    options = {
        "events": events, "formulation": tm.formulations.cartesian(rotations="rates", normalize="none"),
        "method": tm.methods.rk4(step=0.02),
    }  # fmt: skip
    r = tumbling().simulate(0.2, samples=5, **options, **QUIET)
    assert len(r._pieces) == 2
    joined = np.concatenate([piece["a"].norm_error for piece in r._pieces])
    np.testing.assert_array_equal(joined, r["a"].norm_error)
    assert np.abs(joined[-1]) > 1e-9


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"rotations": "quaternions"},
            r"rotations must be one of the words 'velocities', 'rates', but it is 'quaternions'\.",
        ),
        ({"normalize": "unit"}, r"normalize must be one of the words 'corrected', 'position'.*, but it is 'unit'"),
        ({"rotations": 3}, r"rotations must be one of the words .* but it is 3"),
        (
            {"normalize": "velocity"},
            r"normalize='velocity' has nothing to correct where angular velocities are integrated.*rotations='rates'",
        ),
        ({"alpha": 3.0, "rotations": "rates"}, r"alpha=3 would not be used without normalize='baumgarte'"),
        ({"beta": 3.0, "normalize": "baumgarte"}, r"beta=3 would not be used.*with rotations='rates'"),
    ],
)
def test_options_that_do_not_apply_are_refused_where_the_formulation_is_made(options, sentence):
    with pytest.raises(tm.ModelError, match=f"formulation 'cartesian': {sentence}"):
        tm.formulations.cartesian(**options)


@pytest.mark.parametrize(
    ("options", "method", "sentence"),
    [
        ({"rotations": "rates"}, tm.methods.rattle(step=0.01), r"'rattle' turns bodies by rotation vectors.*'radau5'"),
        ({"normalize": "none"}, tm.methods.bdf2_ggl(step=0.01), r"does not go with normalize='none'"),
        ({"normalize": "partitioning"}, "scipy_dop853", r"does not tell when its steps end"),
    ],
)
def test_what_cannot_be_had_is_refused_with_what_can(options, method, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        lone().simulate(0.1, method=method, formulation=tm.formulations.cartesian(**options), **QUIET)


@pytest.mark.parametrize("options", [{"rotations": "rates"}, {"normalize": "none"}])
def test_planar_models_have_no_euler_parameters(options):
    m = tm.PlanarModel("plane")
    m.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(
        tm.ModelError, match=r"is for spatial models: model 'plane' is planar and has no Euler parameters"
    ):
        m.simulate(0.1, formulation=tm.formulations.cartesian(**options), **QUIET)


def test_lengths_that_are_lost_are_warned_of():
    m = tm.SpatialModel("fast", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(0.3, 0.4, 0.2), omega=(0.0, 0.0, 15.0))
    fast = {"method": tm.methods.rk4(step=0.1), **QUIET}
    with pytest.warns(
        tm.RunWarning, match=r"length of the Euler parameters of body 'b' is off by .* the limit is 0.01"
    ):
        m.simulate(5.0, formulation=tm.formulations.cartesian(normalize="none"), **fast)
    assert m.simulate(5.0, **fast).warnings == ()


def test_gains_of_the_length_near_one_over_the_step_are_warned_of():
    with pytest.warns(tm.RunWarning, match=r"alpha = 50 and beta = 50 1/s are near 1 / step = 50 1/s"):
        lone().simulate(
            0.2, method=tm.methods.rk4(step=0.02), **QUIET,
            formulation=tm.formulations.cartesian(rotations="rates", normalize="baumgarte", alpha=50.0, beta=50.0),
        )  # fmt: skip
