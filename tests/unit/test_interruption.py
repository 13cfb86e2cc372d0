"""Ctrl-C is heard soon, whatever is going on, and keeps what was computed; what a force law raises ends the run by name."""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import thread
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from other_systems import press_ctrl_c
from pytrammel._util.progress import (
    Progress,
    allow_partial_results,
    analysis_scope,
    in_pieces,
    interruptible,
    is_partial_allowed,
)
from pytrammel.kernels.jit import HAVE_JIT
from pytrammel.results.result import Result
from spatial_models import door

SOURCE = Path(tm.__file__).parent
simulation, kinematics_runs, statics_runs = (
    importlib.import_module(f"pytrammel.analysis.{name}")
    for name in ("runs.simulation", "driven.kinematics", "driven.statics")
)
PATIENCE = 30.0  # [s] a second is promised; a busy machine gets more, while everything below would go on for minutes

PRESS = """
import _thread, os, signal
def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT) if os.name == "posix" else _thread.interrupt_main()
"""
MODELS = (
    f"PATIENCE = {PATIENCE}"
    + """
import json, os, signal, sys, threading, time
import numpy as np
import pytrammel as tm
from pytrammel._util.progress import Progress

def crank(motion):
    m = tm.PlanarModel("crank")
    m.revolute("A", m.ground, m.body("b", mass=1.0, inertia=0.1), at=(0, 0))
    m.driver("motor", m["A"].angle, motion)
    return m

def pendulum(law=None):
    m = tm.PlanarModel("pendulum")
    b = m.body("b", position=(1, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground.at(0, 0), b.at(-1, 0))
    if law is not None:
        m.user_force("pull", m["A"].angle, law, inputs=["t", "A.angle"] if callable(law) else [])
    return m

def slow(t, angle):
    # globals of json keep Numba from compiling it
    at_work.set()
    time.sleep(json.loads("0.005"))
    return -20.0 * (angle + 1.0)

def quick(t, angle):
    at_work.set()
    return json.loads("0.0")

def four_bar(motion):
    m = tm.PlanarModel("four-bar")
    a, b, c = (m.body(name, position=(x, y)) for name, x, y in (("a", 0.0, 0.5), ("b", 2.0, 2.0), ("c", 3.5, 1.5)))
    m.revolute("A", m.ground, a, at=(0, 0)), m.revolute("B", a, b, at=(0, 1))
    m.revolute("C", b, c, at=(4, 3)), m.revolute("D", m.ground, c, at=(3.5, 0))
    m.driver("motor", m["A"].angle, motion)
    return m

outcome = {}
at_work = threading.Event()
Progress.update = lambda *_: at_work.set()  # told whenever a kernel call has ended

def watch(name, verb):
    at_work.clear()
    pressed, ended = [], threading.Event()

    def press():
        at_work.wait(60.0)
        time.sleep(0.2)
        while not ended.is_set() and len(pressed) < 10:
            pressed.append(time.perf_counter())
            press_ctrl_c()
            ended.wait(PATIENCE)
    threading.Thread(target=press, daemon=True).start()
    try:
        result = verb()
        said = ["result", len(result), result.interrupted]
    except KeyboardInterrupt:
        said = ["KeyboardInterrupt"]
    ended.set()
    outcome[name] = [time.perf_counter() - pressed[0] if pressed else -1.0, *said]
"""
)

CASES = """
four_bar("0*t").kinematics(0.1, progress=False), pendulum().simulate(0.1, progress=False)  # kernels ready
crank("t").statics(), pendulum("-20*(A.angle + 1)").equilibrium()
watch("kinematics", lambda: four_bar("50*t").kinematics(1e4, samples=200_000, progress=False))
watch("kinematics with steps between the instants", lambda: four_bar("7e4*t").kinematics(times=[0, 1e-6, 0.1, 1, 10], progress=False))
watch("simulate", lambda: pendulum().simulate(1e5, samples=200_000, progress=False))
watch("simulate with many instants", lambda: pendulum().simulate(100.0, samples=2_000_000, progress=False))
watch("simulate with a law in Python", lambda: pendulum(quick).simulate(1e5, samples=2_000_000, progress=False))
watch("simulate with a slow law", lambda: pendulum(slow).simulate(1e3, samples=1_000_000, progress=False))
def hanging(t, angle):
    at_work.set()
    time.sleep(json.loads("100"))
m = crank("t")
m.user_force("pull", m["A"].angle, hanging, inputs=["t", "A.angle"])
watch("statics", lambda: m.statics())
watch("equilibrium", lambda: pendulum(hanging).equilibrium())
watch("inverse dynamics", lambda: m.inverse_dynamics(1.0, samples=5, progress=False))
print(json.dumps(outcome))
"""

PLAIN_CASES = """
four_bar("0*t").kinematics(0.1, samples=2, progress=False), pendulum().simulate(0.01, samples=2, progress=False)
watch("kinematics", lambda: four_bar("50*t").kinematics(1e5, samples=2_000_000, progress=False))
watch("simulate", lambda: pendulum().simulate(1e2, samples=200_000, progress=False))
watch("simulate with a slow law", lambda: pendulum(slow).simulate(1e2, samples=1_000_000, progress=False))
print(json.dumps(outcome))
"""


def run(code, **environment):
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent), **environment}
    done = subprocess.run(
        [sys.executable, "-c", PRESS + code], env=env, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def check(outcome, told):
    late = {name: seconds for name, (seconds, *_) in outcome.items() if seconds > PATIENCE}
    assert not late
    for name, (_, what, *rest) in outcome.items():
        if name.startswith(("simulate", "kinematics")):  # they have something to give back
            assert what == "result" and rest[0] > 0 and rest[1], name
            continue
        assert what == "KeyboardInterrupt", name
    results = [name for name, (_, what, *_) in outcome.items() if what == "result"]
    assert told.count("RunWarning: the run was interrupted") == len(results)
    assert "Exception ignored" not in told and "Traceback" not in told


def test_ctrl_c_is_heard_and_keeps_what_was_computed():
    if HAVE_JIT:
        check(*run(MODELS + CASES))


def test_ctrl_c_is_heard_in_plain_python():
    check(*run(MODELS + PLAIN_CASES, NUMBA_DISABLE_JIT="1"))


def test_ctrl_c_is_heard_by_the_compiler(tmp_path):
    if not HAVE_JIT:
        return
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "TRAMMEL_CACHE_DIR": str(tmp_path)}
    code = MODELS + "pendulum().simulate(1.0)"
    with subprocess.Popen([sys.executable, "-c", code], env=env, stderr=subprocess.PIPE, text=True) as child:
        announced = re.search(r"compiling (\d+) kernels", child.stderr.readline())
        time.sleep(2.0)
        child.send_signal(signal.SIGINT)
        said = child.stderr.read()
        code = child.wait()
    assert "KeyboardInterrupt" in said and code in (1, 130, -signal.SIGINT)
    # all would be there if it had been heard at the end
    assert announced and len(list(tmp_path.rglob("*.kernel"))) < int(announced[1])


def test_a_driver_of_ten_million_radians_per_second_can_be_stopped():
    """It needs millions of steps between two instants: refused with an estimate, or stopped by the keyboard."""
    code = """
four_bar("0*t").kinematics(0.1, progress=False)
try:
    watch("fast", lambda: four_bar("1e7*t").kinematics(10.0, samples=2001, progress=False))
except tm.TrammelError as error:
    outcome["fast"] = [0.0, "refused", str(error)]
print(json.dumps(outcome))
"""
    if HAVE_JIT:
        outcome, _ = run(MODELS + code)
        assert outcome["fast"][0] < PATIENCE


LOOP = """
import numpy as np
from pytrammel.kernels.jit import FLOAT_ARRAY, INT, call_law, kernel, prepare
from pytrammel.kernels.laws import Law

@kernel(INT, FLOAT_ARRAY)
def ask_for_ever(address, x):
    while True:
        x[1] = np.nan
        call_law(address, x)
        if math.isnan(x[1]):
            return

law = Law(lambda x: json.loads("1.0"), ["x"], "quick")
prepare(["ask_for_ever"])
heard = 0
for trial in range(10):
    threading.Timer(0.03 + 0.007 * trial, press_ctrl_c).start()
    try:
        ask_for_ever(law.address, np.zeros(2))
    except KeyboardInterrupt:
        heard += 1
print(json.dumps({"heard": heard}))
"""


def test_ctrl_c_between_two_calls_of_a_law_is_not_lost():
    """It may strike before the first line of the function called back, where nothing can catch it."""
    if HAVE_JIT:
        outcome, told = run("import json, math, os, signal, threading\n" + LOOP)
        assert outcome == {"heard": 10} and "Exception ignored" not in told


@pytest.mark.parametrize("place", ["computed.smallest_multipliers", "simulation.doubts"])
def test_ctrl_c_after_the_last_instant_keeps_the_motion(place, monkeypatch):
    """Loads are shared and books looked through at the end: whenever Ctrl-C comes there, the motion comes back, and nothing is made up."""
    whole = door().simulate(1.0, samples=11)

    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"pytrammel.analysis.runs.{place}", pressed)
    with pytest.warns(tm.RunWarning, match="interrupted after its 11 instants") as told:
        cut = door().simulate(1.0, samples=11)
    assert cut.interrupted and not whole.interrupted
    np.testing.assert_array_equal(cut.q, whole.q)
    np.testing.assert_array_equal(cut["leaf"].omega, whole["leaf"].omega)
    if place == "simulation.doubts":
        np.testing.assert_array_equal(cut.reaction("low").force, whole.reaction("low").force)
    else:
        assert np.isnan(cut.reaction("low").force).any() and "'low', 'high' are not a number" in str(told[0].message)
        assert np.isfinite(whole.reaction("low").force).all()
    assert "door" in cut.summary()


def swinging_door():
    m = door()
    m.driver("hand", "low.angle", "sin(t)")
    return m


@pytest.mark.parametrize("redundant", [False, True])
def test_ctrl_c_among_the_efforts_keeps_those_before(redundant, monkeypatch):
    """Laws that press Ctrl-C themselves: what was computed before comes back whole, whatever comes after."""
    m = swinging_door()
    if not redundant:
        m = m.copy(without=["high"])

    def law(t, angle):
        if stopping and t > 0.55:
            raise KeyboardInterrupt
        return 3.0 * t - 0.0 * len(repr(angle))

    m.user_force("pull", "low.angle", law, inputs=["t", "low.angle"])
    stopping = False
    whole = m.inverse_dynamics(1.0, samples=11, progress=False)
    stopping = True
    with pytest.warns(tm.RunWarning, match="interrupted: efforts and reactions of 6 of 11 instants were computed"):
        cut = m.inverse_dynamics(1.0, samples=11, progress=False)
    assert cut.interrupted and not whole.interrupted and len(cut) == 6
    np.testing.assert_array_equal(cut.effort("hand"), whole.effort("hand")[:6])
    np.testing.assert_array_equal(cut.reaction("low").force, whole.reaction("low").force[:6])
    assert "door" in cut.summary()


@pytest.mark.parametrize("verb", ["statics", "inverse_dynamics"])
def test_ctrl_c_while_efforts_are_shared_keeps_what_is_known(verb, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    arguments = (1.0,) if verb == "inverse_dynamics" else ()
    whole = getattr(swinging_door(), verb)(*arguments)
    monkeypatch.setattr("pytrammel.analysis.driven.statics.smallest_multipliers", pressed)
    with pytest.warns(tm.RunWarning, match="no loads were shared among redundant joints"):
        cut = getattr(swinging_door(), verb)(*arguments)
    assert cut.interrupted and np.isnan(cut.reaction("low").force).any()
    np.testing.assert_array_equal(cut.q, whole.q)


def test_ctrl_c_before_the_first_effort_is_raised():
    def law(t, angle):
        raise KeyboardInterrupt

    m = pendulum(law)
    m.driver("motor", "A.angle", "t")
    for verb in (m.statics, lambda: m.inverse_dynamics(1.0, progress=False)):
        with pytest.raises(KeyboardInterrupt):
            verb()


# --- analyses inside analyses --------------------------------------------------------------------------------------------


def bar_of_length():
    m = tm.PlanarModel("bar")
    length, mass = m.parameter("length", 1.0), m.parameter("mass", 2.0)
    bar = m.body("bar", position=(0.5 * length, 0.0), mass=mass, inertia=0.1)
    m.revolute("A", m.ground.at(0, 0), bar.at(-0.5 * length, 0.0))
    return m


def driven_bar():
    m = bar_of_length()
    m.driver("motor", "A.angle", "sin(3*t)")
    return m


def gradient_of(model, what, **options):
    return lambda: model().gradient(what, 0.5, samples=11, **options)


def inner_batch():
    with analysis_scope():
        m = bar_of_length()
        m.batch({"length": [1.0]}).simulate(0.5, samples=11, events=[tm.Event("e", "A.angle + 9")])


def scattered(analysis, **options):
    tolerance = {"length": 0.1}
    return lambda: (driven_bar() if analysis == "kinematics" else bar_of_length()).tolerances("max(bar.y)",
        analysis=analysis, tolerance=tolerance, duration=0.5, samples=5, **options,
    )  # fmt: skip


def identified(analysis):
    measured = {"bar.y": ([0.1, 0.2, 0.3], [-0.1, -0.2, -0.3])}
    model = driven_bar if analysis == "kinematics" else bar_of_length
    return lambda: model().identify(measured, variables=["length"], analysis=analysis, max_iterations=2)


def optimized(analysis, **options):
    model = driven_bar if analysis == "kinematics" else bar_of_length
    return lambda: model().optimize(minimize="(bar.y[end] + 0.3)^2", subject_to="max(bar.x) <= 5",
        bounds={"length": (0.5, 2.0)}, analysis=analysis,
        duration=0.5, samples=5, max_iterations=2, progress=False, **options,
    )  # fmt: skip


def quietly(call):
    def quiet():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.RunWarning)
            call()

    return quiet


INNER = {
    "tolerances of kinematics": quietly(scattered("kinematics", extremes=False)),
    "tolerances of simulations": quietly(scattered("simulate", monte_carlo=8, extremes=False, distribution="uniform")),
    "identify by kinematics": quietly(identified("kinematics")),
    "identify by simulations": quietly(identified("simulate")),
    "optimize kinematics": quietly(optimized("kinematics")),
    "optimize simulations": quietly(optimized("simulate")),
    "optimize by generations": quietly(optimized("kinematics", method="cma")),
    "gradient forwards": gradient_of(bar_of_length, "max(A.angle)", method="direct"),
    "gradient backwards": gradient_of(bar_of_length, "mean(A.angle)", method="adjoint"),
    "gradient by a starting value": gradient_of(bar_of_length, "A.angle[end]", wrt=["A.angle", "length"]),
    "gradient of kinematics": gradient_of(driven_bar, "bar.x[end]", analysis="kinematics"),
    "gradient of inverse dynamics": gradient_of(driven_bar, "max(motor.effort)", analysis="inverse_dynamics"),
    "value_and_grad": lambda: bar_of_length().value_and_grad("max(A.angle)", 0.5, samples=11)([1.0, 2.0]),
    "value": lambda: bar_of_length().value_and_grad("max(A.angle)", 0.5, samples=11).value([1.0, 2.0]),
    "compare_methods": lambda: tm.textbook.compare_methods(
        {"x''": "-x"}, {"x": 1.0, "x'": 0.0}, 0.5, methods=["rk4", "dopri5"], tolerances=(1e-4,), progress=False
    ),
    "batch": inner_batch,
}
"""Analyses that start others: a partial result of an inner one would be used as a complete one."""

PLACES = [
    (Progress, "update"),
    (simulation, "doubts"),
    (Result, "_columns"),
    (kinematics_runs, "passages"),
    (statics_runs, "in_pieces"),
]


@pytest.mark.parametrize("name", INNER)
def test_ctrl_c_in_an_inner_analysis_is_raised(name, monkeypatch):
    """Pressed at the first, a middle and the last call of functions that analyses call while they run and when they end."""
    total = 0
    for owner, function in PLACES:
        real, calls, due = getattr(owner, function), [0], [0]

        def pressed(*given, real=real, calls=calls, due=due, **options):
            calls[0] += 1
            if calls[0] == due[0]:
                raise KeyboardInterrupt
            return real(*given, **options)

        with monkeypatch.context() as patch:
            patch.setattr(owner, function, pressed)
            INNER[name]()
            count, total = calls[0], total + calls[0]
            for due[0] in sorted({1, (count + 1) // 2, count} - {0}):
                calls[0] = 0
                try:
                    INNER[name]()
                except KeyboardInterrupt:
                    continue
                assert calls[0] < due[0], (function, due)  # a run is called in fewer pieces now
    assert total  # some of these functions are called


@pytest.mark.parametrize("name", INNER)
def test_no_callback_of_a_deleted_object_can_swallow_ctrl_c(name):
    """Python ignores what callbacks of weak references and `__del__` raise: Ctrl-C that arrives there would be lost."""
    found = set()

    def watched(frame, event, _):
        code = frame.f_code
        weak = code.co_name == "remove" and "weakref" in code.co_filename
        if event != "call" or not (weak or code.co_name == "__del__"):
            return
        owner = frame.f_locals["selfref"]() if weak else None
        if owner is not thread._threads_queues:  # workers of a pool that has ended
            found.add((code.co_filename, code.co_name))

    INNER[name]()
    before = sys.getprofile()
    sys.setprofile(watched)
    try:
        INNER[name]()
    finally:
        sys.setprofile(before)
    assert not found


def test_partial_results_are_allowed_to_the_analysis_that_the_user_calls():
    assert is_partial_allowed()
    with analysis_scope():
        assert is_partial_allowed()
        with allow_partial_results(), analysis_scope():  # inverse_dynamics passes on what kinematics has
            assert is_partial_allowed()
            with analysis_scope():
                assert not is_partial_allowed()
        with analysis_scope():
            assert not is_partial_allowed()
            with allow_partial_results(), analysis_scope():
                assert not is_partial_allowed()
    assert is_partial_allowed()


# --- pieces of work ------------------------------------------------------------------------------------------------------


def test_work_that_python_cannot_interrupt_is_left_at_once():
    held = threading.Event()

    def work():
        press_ctrl_c()  # no timer, which may strike after the test
        held.wait(60.0)

    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        interruptible(work)
    assert time.perf_counter() - began < PATIENCE
    held.set()


def test_interruptible_work_gives_its_value_or_its_error():
    assert interruptible(lambda: 5) == 5 == interruptible(lambda: 5, when=False)
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0)
    with np.errstate(divide="ignore"):  # settings of the caller hold in the thread
        assert interruptible(lambda: np.ones(1) / 0.0) == np.inf


@pytest.mark.parametrize("rows", [0, 1, 7, 1000, 100_001])
@pytest.mark.parametrize("width", [1, 9, 6000, 10**7])
def test_pieces_cover_every_row_once(rows, width):
    if rows * width > 10**9 and rows > 1000:
        rows = 1000
    table, calls = np.zeros(rows), []

    def kernel(constant, part):
        part += constant
        calls.append(part.size)

    in_pieces(kernel, (1.0,), (table,), width)
    assert (table == 1.0).all() and sum(calls) == rows
    assert max(calls, default=0) * width <= max(300_000, width)


# --- laws that raise -----------------------------------------------------------------------------------------------------


class Refusal(Exception):
    pass


def pendulum(law, *, spatial=False):
    if spatial:
        m = tm.SpatialModel("pendulum")
        b = m.body("b", position=(1, 0, 0), mass=1.0, inertia=0.1)
        m.revolute("A", m.ground, b, at=(0, 0, 0), axis="y")
    else:
        m = tm.PlanarModel("pendulum")
        b = m.body("b", position=(1, 0), mass=1.0, inertia=0.1)
        m.revolute("A", m.ground.at(0, 0), b.at(-1, 0))
    m.user_force("pull", m["A"].angle, law, inputs=["t", "A.angle"] if callable(law) else [])
    return m


def raising(error, when=0.3):
    """A law that Numba cannot compile."""

    def law(t, angle):
        if t > when:
            raise error
        return {"nothing": 0.0}["nothing"] - 0.0 * len(repr(angle))

    return law


def compiled_law(t, angle):
    if t > 0.3:
        raise ValueError("beyond the range")
    return 0.0 * angle


ERRORS = [
    ValueError("too far"),
    Refusal("no"),
    SystemExit(3),
    GeneratorExit(),
    MemoryError(),
    ZeroDivisionError("by nothing"),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
def test_what_a_law_raises_ends_the_run_with_that_error_and_the_time(error, spatial, capsys):
    with pytest.raises(tm.ConvergenceError) as caught:
        pendulum(raising(error), spatial=spatial).simulate(1.0, samples=101, progress=False)
    assert caught.value.__cause__ is error
    said = str(caught.value)
    assert f"the law of 'pull' raised {type(error).__name__}" in said
    assert re.search(r"stopped at t = 0\.\d+ s", said) and re.search(r"at t = 0\.\d+, A\.angle = ", said)
    partial = caught.value.partial
    assert 1 <= len(partial) <= 31 and partial.times[-1] <= 0.3
    free = pendulum("0", spatial=spatial).simulate(times=partial.times, progress=False)
    # up to there the numbers are those of no force at all
    np.testing.assert_allclose(partial.q, free.q, rtol=0, atol=1e-7)


def test_what_a_compiled_law_raises_ends_the_run_with_that_error_and_the_time():
    with pytest.raises(tm.ConvergenceError, match=r"the law of 'pull' raised ValueError: beyond the range") as caught:
        pendulum(compiled_law).simulate(1.0, samples=101, progress=False)
    assert isinstance(caught.value.__cause__, ValueError)
    # the run goes as far as the law allows: steps are shortened down to its last good instant
    assert "stopped at t = 0.3 s" in str(caught.value) and len(caught.value.partial) in (30, 31)


def test_ctrl_c_inside_a_law_is_an_interruption(capsys):
    calls = []

    def law(t, angle):
        calls.append(t)
        if t > 0.3:
            raise KeyboardInterrupt
        return 0.0

    with pytest.warns(tm.RunWarning, match=r"interrupted at t = 0\.\d+ s: \d+ of 101 instants"):
        r = pendulum(law).simulate(1.0, samples=101, max_step=0.01, progress=False)
    assert r.interrupted and r.dynamics.interrupted and 1 <= len(r) <= 31
    assert sum(t > 0.3 for t in calls) == 1  # nobody asks a law again that the user has stopped


def test_ctrl_c_before_the_first_instant_is_raised():
    def law(t, angle):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pendulum(law).simulate(1.0, progress=False)
    with pytest.raises(KeyboardInterrupt):
        pendulum(law).equilibrium()
