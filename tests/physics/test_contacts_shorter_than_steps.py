"""Contacts, stops and ropes that act for less time than a fixed step: where they begin is found, and a warning names the step to use."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest

import pytrammel as tm

GRAVITY = 9.81
FIXED = {
    name: m for name, m in tm.methods.items() if m.fixed and m.back_end is None and name not in ("auto", "default")
}
HIGHER = ("rk4", "abm4", "ab4", "bdf3_index3", "rattle", "generalized_alpha", "midpoint", "bdf2_index3")
KINDS = ("stop", "line", "rope")
STEP = 0.02


def thrown(kind, over, stiffness, speed=3.0):
    """A body thrown up on a guide, and held `over` below its highest point by something stiff; the height at which that is."""
    height = speed * speed / 2.0 / GRAVITY - over
    m = tm.PlanarModel(kind)
    m.body("b", mass=1.0, inertia=1.0, velocity=(0.0, speed))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(0, 1))
    if kind == "stop":
        m.end_stop("S", "b.y", high=height, stiffness=stiffness)
    elif kind == "line":
        m.contact_line(
            "S", "b", "ground", radius=0.0, at=(0, height), axis=(-1, 0), stiffness=stiffness, law="linear", damping=0.0
        )  # fmt: skip
    else:
        m.user_force("S", "b.y", f"-{stiffness!r}*max(0, b.y-{height!r})")
    return m, height


def closed_form(height, stiffness, speed=3.0):
    """Times of touch and of parting, and the speed there: x'' = -g - k x from the touch on, for a mass of 1 kg."""
    meet = math.sqrt(speed * speed - 2.0 * GRAVITY * height)
    swing = math.sqrt(stiffness)
    begin = (speed - meet) / GRAVITY
    return begin, begin + 2.0 * math.atan2(meet * swing, GRAVITY) / swing, meet


def run(m, end, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return m.simulate(end, samples=3, progress=False, **options)
        except tm.ConvergenceError as error:  # of implicit methods that cannot solve so long a step: they say so
            return error


def windows():
    rng = np.random.default_rng(5)
    yield 1e-3, 1e4
    yield 1e-5, 1e6
    for _ in range(2):
        yield 10.0 ** rng.uniform(-5.0, -3.0), 10.0 ** rng.uniform(4.5, 6.5)


@pytest.mark.parametrize("method", FIXED)
def test_a_rebound_within_a_step_is_right_or_is_warned_of(method, complete):
    for over, stiffness in windows():
        for kind in KINDS if complete else KINDS[:1]:
            m, height = thrown(kind, over, stiffness)
            _, leave, meet = closed_form(height, stiffness)
            r = run(m, 0.45, method=tm.methods[method](step=STEP))
            if isinstance(r, Exception):
                continue
            truth = -meet - GRAVITY * (0.45 - leave)
            error = abs(r["b"].vy[-1] - truth) / (2.0 * meet)
            about = [w for w in r.warnings if w.kind in ("short contact", "energy")]
            assert about or error < 0.02, (kind, over, stiffness, error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", HIGHER)
def test_the_warning_names_contact_duration_and_a_step_that_resolves_it(method, kind):
    for over, stiffness in windows():
        m, height = thrown(kind, over, stiffness)
        begin, leave, meet = closed_form(height, stiffness)
        r = run(m, 0.45, method=tm.methods[method](step=STEP))
        if isinstance(r, Exception):
            continue
        (found,) = [w for w in r.warnings if w.kind == "short contact"]
        assert "'S'" in str(found)
        # an implicit step that ends inside the contact bends its interpolant, by which the touch comes late
        assert found.time == pytest.approx(begin, abs=0.2 * STEP)
        duration, steps = (float(x) for x in re.search(r"about (\S+) s .* is (\S+) steps of", str(found)).groups())
        # the swing without gravity is the longer of two estimates by up to its share, or the flight without the contact
        assert 0.9 * (leave - begin) < duration < 1.8 * (leave - begin)
        assert steps == pytest.approx(duration / STEP, rel=0.05)
        shorter = float(re.search(r"step=(\S+) or less", str(found)).group(1))
        again = run(m, leave + 0.01, method=tm.methods[method](step=shorter))
        assert not [w for w in again.warnings if w.kind == "short contact"]
        # steps are to keep a half swing to one per cent
        assert again["b"].vy[-1] == pytest.approx(-meet - GRAVITY * 0.01, abs=0.01 * 2.0 * meet)


@pytest.mark.parametrize("kind", KINDS)
def test_a_stage_beyond_a_contact_does_not_hide_it(kind):
    """The force at a stage throws the step back before its interpolant reaches the contact: it must be found all the same."""
    for over, stiffness in windows():
        m, height = thrown(kind, over, stiffness)
        _, leave, meet = closed_form(height, stiffness)
        r = run(m, 0.45, method=tm.methods.rk4(step=STEP))
        # the first steps behind the touch are short: the rebound is nearly elastic although the contact lasts a sixth of a step
        assert r["b"].vy[-1] == pytest.approx(-meet - GRAVITY * (0.45 - leave), abs=0.1 * 2.0 * meet)


def test_one_warning_lists_all_contacts():
    m = tm.PlanarModel("two")
    for k, stiffness in enumerate((1e5, 1e6)):
        m.body(f"b{k}", mass=1.0, inertia=1.0, position=(float(k), 0.0), velocity=(0.0, 1.0))
        m.prismatic(f"T{k}", "ground", f"b{k}", at=(k, 0), axis=(0, 1))
        m.end_stop(f"S{k}", f"b{k}.y", high=0.02, stiffness=stiffness)
    r = run(m, 0.1, method=tm.methods.rk4(step=STEP))
    (found,) = [w for w in r.warnings if w.kind == "short contact"]
    assert "stop 'S1'" in str(found)
    assert "'S0'" in str(found)


@pytest.mark.parametrize("method", ["rk4", "abm4", "generalized_alpha"])
def test_contacts_that_steps_resolve_carry_no_warning(method):
    """A soft spring behind a corner, a stiff stop that is never reached, and a body that is laid down on its support."""
    m = tm.PlanarModel("soft")
    m.body("b", mass=1.0, inertia=1.0, velocity=(0.0, 1.0))
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(0, 1))
    m.end_stop("soft", "b.y", high=0.02, stiffness=100.0)
    m.end_stop("never", "b.y", high=3.0, low=-5.0, stiffness=1e7)
    r = run(m, 0.5, method=tm.methods[method](step=0.01))
    assert not [w for w in r.warnings if w.kind == "short contact"]


def test_runs_with_error_control_carry_no_warning():
    m, _ = thrown("stop", 1e-5, 1e6)
    r = run(m, 0.45)
    assert not r.warnings
