"""Every option of every verb with every kind of value: a sentence, or a result, and soon."""

import inspect
import math
import time as clock

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import PlanarModel
from pytrammel.analysis.driven.too_fast import turns_of


def crank():
    m = tm.PlanarModel("crank")
    m.body("b", position=(0.1, 0.0), mass=1.0, inertia=0.01)
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.driver("D", "A.angle", "2*t")
    return m


def swing():
    return crank().copy(without=["D"])


VERBS = {
    PlanarModel.assemble: (crank, {}),
    PlanarModel.mobility: (crank, {}),
    PlanarModel.partition: (swing, {}),
    PlanarModel.statics: (crank, {}),
    PlanarModel.equilibrium: (swing, {}),
    PlanarModel.matrices: (swing, {}),
    PlanarModel.kinematics: (crank, {"duration": 0.01, "samples": 3}),
    PlanarModel.inverse_dynamics: (crank, {"duration": 0.01, "samples": 3}),
    PlanarModel.simulate: (swing, {"duration": 0.01, "samples": 3}),
}
HOSTILE = [
    None, "x", "", "1", b"1", math.nan, math.inf, -math.inf, -1, 0, 2.5, 1e9, 1e17, 1e308, 1e-300, 5e-324, 10**400, True, False, 1j, (),
    (1,), [], {}, {"D": "t"}, {"D": 1}, {1: 2}, ["x"], [None], [math.nan], ["A.angle"], [2, 1], [0.0, 1e-3], "abc", ("a", 1), [[1, 2], [3]],
    np.array(1.0), np.array([0.0, 1e-3]), np.zeros((2, 2)), np.array(["x"]), object(), object, len, iter(["x"]),
]  # fmt: skip


def options_of(verb):
    names = [k for k in inspect.signature(verb).parameters if k not in ("model", "options")]
    if verb is PlanarModel.inverse_dynamics:
        names += [k for k in inspect.signature(PlanarModel.kinematics).parameters if k not in ("model", "duration")]
    return names


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_a_value_too_many_is_not_ignored(verb):
    kinds = [p.kind for p in inspect.signature(verb).parameters.values()]
    taken = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)  # the model among them
    model = VERBS[verb][0]()
    for more in (1, 2):
        with pytest.raises(tm.ModelError, match="without a name"):
            verb(model, *[1.0] * (taken - 1 + more))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
def test_every_option_with_every_kind_of_value(verb):
    build, sound = VERBS[verb]
    model = build()
    for key in options_of(verb):
        for value in HOSTILE:
            given = {**sound, key: value}
            if key == "times":
                given = {"times": value}
            elif key == "output_step":
                given = {"duration": 0.01, "output_step": value}
            if verb is PlanarModel.simulate and key == "duration" and isinstance(value, float) and 1.0 < value < 1e12:
                continue  # allowed: it only takes long
            if key == "callback" and callable(value):
                continue  # what it raises is its own
            begin = clock.process_time()
            try:
                verb(model, **given)
            except tm.TrammelError as error:
                assert len(str(error)) <= 2000
            except Exception as error:
                raise AssertionError(f"{key}={value!r}: {type(error).__name__}: {error}") from error
            assert clock.process_time() - begin < 20.0, f"{key}={value!r}"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_unknown_options_get_a_suggestion(verb):
    build, sound = VERBS[verb]
    with pytest.raises(tm.ModelError, match=r"has no option 'tmie'; it has: .*"):
        verb(build(), **sound, tmie=1.0)
    with pytest.raises(tm.ModelError, match=r"has no option 'tmie'; it has: .*"):
        getattr(build(), verb.__name__)(**sound, tmie=1.0)
    with pytest.raises(tm.ModelError, match="needs a model, but it is given 'crank'"):
        verb("crank")


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"duration": "1"}, "duration must be a number, but it is '1'"),
        ({"duration": -1}, "duration is -1.0 s; it must be 0 or more"),
        ({"times": "abc"}, r"times must be a list of finite numbers \[s\], but it is 'abc'"),
        ({"times": [0.0, 1.0], "samples": 5}, "samples=5 would not be used, because times= are given"),
        ({"duration": 1.0, "times": [0.0]}, "duration=1.0 would not be used, because times= are given"),
        ({"duration": 1.0, "samples": 5, "output_step": 0.1}, "samples=5 would not be used, because output_step= is given"),
        ({"duration": 1.0, "samples": 2.5}, "samples is 2.5; it must be a whole number of at least 2"),
        ({"duration": 1.0, "samples": 1e12}, r"samples = 1000000000000: 1e\+12 instants need about [\d.e+]+ GB of memory"),
        ({"duration": 1.0, "output_step": 1e-300}, r"output_step = 1e-300 s: 1e\+300 instants need about"),
        ({"duration": 1.0, "start_time": 1e17}, r"cannot be distinguished at start_time = 1e\+17 s"),
        ({"duration": 1.0, "sampels": 5}, r"no option 'sampels'.*Did you mean 'samples'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "verb", [PlanarModel.kinematics, PlanarModel.simulate, PlanarModel.inverse_dynamics], ids=lambda verb: verb.__name__
)
def test_instants_that_cannot_be(verb, given, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        verb(VERBS[verb][0](), **given)


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"max_steps": 5}, r"Pass it to the method: method=tm\.methods\.NAME\(max_steps="),
        ({"max_step": math.nan}, "max_step is nan; it must be a finite number"),
        ({"max_step": 0}, "max_step is 0; it must be greater than 0"),
        ({"events": ["x"]}, r"events= must be a list of tm\.Event\(\.\.\.\), but it holds 'x'"),
        ({"events": "x"}, "events must be a list, but it is 'x'"),
        ({"hold": ["b.x"]}, r"initial=tm\.InitialConditions\(\{\.\.\.\}, hold="),
        ({"rtol": 0.0}, "rtol is 0; it must be greater than 0"),
        ({"alpha": 3.0}, r"constraints=tm\.enforcement\.baumgarte\(alpha="),
        ({"time_step": 0.1}, r"method=tm\.methods\.rk4\(step="),
        ({"rotations": "rates"}, r"formulation=tm\.formulations\.cartesian\(rotations="),
        ({"t_eval": [0.0, 1.0]}, r"Use times=\."),
        ({"t_span": (0.0, 1.0)}, r"Use duration= with start_time=\."),
        ({"method": tm.methods.rk4(step=0.1), "rtol": 1e-3}, r"rtol=0\.001 would not be used"),
        ({"callback": 3}, "callback must be a function"),
    ],
)
def test_options_of_simulations_that_cannot_be(given, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        swing().simulate(1.0, **given)


@pytest.mark.parametrize("motion", ["1e7*t", "1e7*t^2", "1000*sin(1e7*t)", "1e9*t"])
def test_a_driver_far_too_fast_to_be_shown_is_refused_with_an_estimate(motion):
    m = crank().copy(changes={"D": {"motion": motion}})
    begin = clock.process_time()
    with pytest.raises(
        tm.ModelError, match=r"makes about .* turns in this run, which 201 instants cannot show .* (minutes|hours|days)"
    ):
        m.kinematics(100.0)
    with pytest.raises(tm.ModelError, match=r"makes about .* turns"):
        m.kinematics(100.0, prescribed={"b.phi": motion})
    assert clock.process_time() - begin < 20.0


@pytest.mark.parametrize("rate", [0.1, 30.0, 1e6])
def test_turns_are_counted_from_speeds(rate):
    assert turns_of(tm.parse(f"{rate}*t + 3"), 1.0, 3.0) == pytest.approx(rate / math.pi, rel=1e-12)
    # a swing of amplitude 1: four quarter swings per period, whatever its frequency; 2001 looks see it within 5 %
    swings = turns_of(tm.parse(f"sin({rate * 100.0}*t)"), 0.0, 20.0 / rate)
    assert swings == pytest.approx(2000.0 / (2.0 * math.pi) * 4.0 / (2.0 * math.pi), rel=0.05)


# --- runs that would never end --------------------------------------------------------------------------------------------------

COUNTLESS = [
    ({"method": tm.methods.rk4(step=1e-12)}, r"step = 1e-12( s)? would take 2e\+11 steps for a run of 0\.2"),
    ({"method": tm.methods.rk4(step=1e-300)}, r"step = 1e-300( s)? would take 2e\+299 steps"),
    ({"method": tm.methods.bdf2(step=1e-13)}, r"step = 1e-13( s)? would take 2e\+12 steps"),
    (
        {"max_step": 1e-14},
        r"max_step = 1e-14( s)? would take 2e\+13 steps .* max_steps = 10000000 ends it long before; use a longer",
    ),
    ({"max_step": 1e-300, "method": "radau5"}, r"max_step = 1e-300( s)? would take"),
]


@pytest.mark.parametrize(("options", "sentence"), COUNTLESS)
def test_steps_without_end_are_refused_at_once(options, sentence):
    m = tm.PlanarModel("pendulum")
    m.revolute("A", m.ground, m.body("b", position=(1, 0), mass=1.0, inertia=0.1), at=(0, 0))
    with pytest.raises(tm.ModelError, match=sentence):
        m.simulate(0.2, progress=False, **options)
    with pytest.raises(tm.ModelError, match=sentence):
        tm.textbook.integrate("y' = -y", {"y": 1.0}, 0.2, **options)


@pytest.mark.parametrize("treatment", ["baumgarte", "hybrid"])
@pytest.mark.parametrize("gain", ["alpha", "beta"])
@pytest.mark.parametrize("value", [1e300, 1e12])
def test_gains_that_no_step_can_follow_are_refused(treatment, gain, value):
    m = tm.PlanarModel("pendulum")
    m.revolute("A", m.ground, m.body("b", position=(1, 0), mass=1.0, inertia=0.1), at=(0, 0))
    with pytest.raises(
        tm.ModelError,
        match=rf"{gain} = 1e\+\d+ 1/s would make errors die away within .*; they must stay below 1 / step",
    ):
        m.simulate(0.2, constraints=tm.enforcement[treatment](**{gain: value}), progress=False)
