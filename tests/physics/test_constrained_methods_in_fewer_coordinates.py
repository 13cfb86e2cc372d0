"""Methods that treat the constraints themselves (index 3, velocity rows, RATTLE) in joint, particle and relative coordinates."""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm

sys.path.insert(0, str(Path(__file__).parents[1]))
from formulation_models import MODELS, slider_crank

FEWER = {
    "joint": lambda: "joint",
    "joint, from bodies": lambda: tm.formulations.joint(form="bodies"),
    "joint, matrix": lambda: tm.formulations.joint(form="matrix"),
    "points": lambda: "points",
    "points along a tree": lambda: tm.formulations.points(variables="joint"),
    "relative": lambda: "relative",
    "relative by parameters": lambda: tm.formulations.relative(rotations="parameters"),
}
OWN = [name for name, each in tm.methods.items() if each.own_constraints]
WITHOUT_MOMENTA = ("cam", "friction by reactions")  # RATTLE refuses them in any coordinates
SLOW = ("floating robot", "every joint", "spatial chain", "Sarrus")  # dense with six particles a body
QUIET = {"samples": 3, "progress": False}
pytestmark = pytest.mark.filterwarnings("ignore:the energy balance")  # steps are few and coarse


@cache
def reference(name):
    """A model, the length of a run, and where it leads with tight tolerances."""
    build, duration = MODELS[name]
    m, duration = build(), min(duration, 0.1)
    return m, duration, m.simulate(duration, rtol=1e-11, atol=1e-13, **QUIET)


@cache
def rattled(name):
    """RATTLE in body coordinates."""
    m, duration, _ = reference(name)
    return m.simulate(duration, method=tm.methods.rattle(step=duration / 40), **QUIET)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in WITHOUT_MOMENTA])
@pytest.mark.parametrize("formulation", ["joint", "points", "relative"])
def test_rattle_takes_the_very_steps_of_the_bodies(name, formulation):
    if formulation == "points" and name in SLOW:
        return
    m, duration, _ = reference(name)
    one = rattled(name)
    two = m.simulate(duration, method=tm.methods.rattle(step=duration / 40), formulation=formulation, **QUIET)
    # the same equations, solved to rounding over h
    assert two.q == pytest.approx(one.q, abs=1e-11)
    assert two.v == pytest.approx(one.v, abs=1e-9 * max(1.0, np.abs(one.v).max()))
    loads = max(1.0, np.abs(one.dynamics.multipliers).max())
    assert two.dynamics.multipliers == pytest.approx(one.dynamics.multipliers, abs=1e-8 * loads)


@pytest.mark.parametrize("formulation", FEWER)
def test_rattle_is_the_same_in_every_variant(formulation):
    for name in ("slider-crank with a spring", "heavy top", "Bricard", "driven crank"):
        m, duration, _ = reference(name)
        two = m.simulate(
            duration, method=tm.methods.rattle(step=duration / 40), formulation=FEWER[formulation](), **QUIET
        )
        assert two.q == pytest.approx(rattled(name).q, abs=1e-11)


ORDERS = ["generalized_alpha", "hht", "bdf2_index3", "bdf3_index3", "bdf2_ggl", "bdf3_ggl"]
OF_EACH_KIND = [
    "double pendulum", "slider-crank with a spring", "driven crank", "redundant parallel cranks", "gears", "cam", "Bricard", "heavy top",
]  # fmt: skip


@pytest.mark.parametrize("name", OF_EACH_KIND)
@pytest.mark.parametrize(
    ("formulation", "method"),
    [(each, method) for each in FEWER for method in (ORDERS if each in tm.formulations else ["hht", "bdf2_ggl"])],
)
def test_errors_fall_with_the_order_of_the_method(name, formulation, method):
    """Open and closed, driven, redundant, with massless coordinates, in the plane and in space."""
    if formulation == "points" and name == "Bricard" and method.endswith("ggl"):
        return  # as right as the others, but seconds long: all of it is dense
    m, duration, truth = reference(name)
    coarse, fine = (
        np.abs(
            m.simulate(
                duration, method=tm.methods[method](step=duration / n), formulation=FEWER[formulation](), **QUIET
            ).q
            - truth.q
        ).max()
        for n in (40, 80)
    )
    # rounding counts over h²; BDF starts with Runge and Kutta's method, whose error is not that of its own steps
    assert fine < 2e-9 or math.log2(coarse / fine) == pytest.approx(tm.methods[method].order, abs=0.35)
    assert fine < 1e-3


@pytest.mark.parametrize("method", OWN)
@pytest.mark.parametrize("formulation", ["joint", "points", "relative"])
def test_every_method_goes_with_its_treatments_in_every_formulation(method, formulation):
    m, duration, truth = reference("slider-crank with a spring")
    for treatment in tm.enforcement:
        options = {
            "method": tm.methods[method](step=duration / 100),
            "formulation": formulation,
            "constraints": treatment,
        }
        if treatment in tm.methods[method].treatments:
            r = m.simulate(duration, **options, **QUIET)
            assert np.abs(r.q - truth.q).max() < (0.02 if method.startswith("bdf1") else 1e-3)
        else:
            with pytest.raises(tm.ModelError, match=r"(treats constraints itself|is held|are held|are closed)"):
                m.simulate(duration, **options, **QUIET)


@pytest.mark.parametrize("method", [name for name, each in tm.methods.items() if each.can_control])
@pytest.mark.parametrize("formulation", ["joint", "points", "relative"])
def test_errors_are_controlled_without_a_step(method, formulation):
    m, duration, truth = reference("slider-crank with a spring")
    off = [
        np.abs(m.simulate(duration, method=method, rtol=rtol, formulation=formulation, **QUIET).q - truth.q).max()
        for rtol in (1e-4, 1e-6)
    ]
    assert off[1] < 1e-4  # a hundred steps of 1e-6
    assert off[1] < 0.2 * off[0]


@pytest.mark.parametrize("formulation", ["joint", "points", "relative"])
def test_velocity_rows_hold_where_a_method_has_them(formulation):
    m, duration, _ = reference("slider-crank with a spring")
    off = [
        m.simulate(
            duration,
            method=tm.methods[method](step=duration / 50),
            constraints="none",
            formulation=formulation,
            **QUIET,
        ).dynamics.statistics
        for method in ("bdf2_index3", "bdf2_ggl", "rattle")
    ]
    assert max(each.position_violation for each in off) < 1e-11  # the first step of BDF is one of Runge and Kutta
    assert off[0].velocity_violation > 1e-6
    assert max(each.velocity_violation for each in off[1:]) < 1e-12


def test_a_run_that_turns_many_times_counts_its_turns():
    """A flywheel at 200 rad/s over 0.2 s, in relative angles, and in particles, which know no angles."""
    m = slider_crank()
    m.driver("motor", "A.angle", "pi/4 + 200*t")
    for formulation in ("joint", "points", "relative"):
        for method in ("bdf3_index3", "rattle"):
            r = m.simulate(0.2, method=tm.methods[method](step=1e-3), formulation=formulation, **QUIET)
            assert r["crank"].phi[-1] - r["crank"].phi[0] == pytest.approx(40.0, abs=1e-9)


def test_a_step_that_cannot_be_solved_names_its_equation_in_joint_coordinates():
    m = tm.PlanarModel("reach", gravity=(0.0, 0.0))
    m.body("rod", position=(0.3, 0.4), angle=math.atan2(0.8, 0.6), mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, "rod", at=(0.0, 0.0))
    m.driver("push", "rod.x", "0.3 + t")
    for formulation in ("joint", "points"):
        with pytest.raises(
            tm.ConvergenceError,
            match=r"worst in the (rows of constraint|balance of forces along).* '(rod|push|O.angle).*the step",
        ):
            m.simulate(
                2.0, samples=3, method=tm.methods.generalized_alpha(step=0.4), formulation=formulation, progress=False
            )


def rolling_coin():
    """A coin that rolls on a table along a curve: rows of rates without positions."""
    m = tm.SpatialModel("coin", gravity=(0.0, 0.0, -9.81))
    coin = m.body(
        "coin",
        position=(0, 0, 0.3),
        mass=1.0,
        inertia=(0.02, 0.04, 0.02),
        omega=(0.3, 5.0, 0.4),
        velocity=(1.5, None, None),
    )
    m.rolling_disc("R", m.ground, coin, radius=0.3, at=(0, 0, 0), axis="z", disc_axis=(0, 1, 0))
    return m


@pytest.mark.parametrize("method", ["generalized_alpha", "bdf2_index3", "bdf2_ggl"])
@pytest.mark.parametrize("formulation", ["cartesian", "joint", "points", "relative"])
def test_rolling_without_slip_keeps_the_order(method, formulation):
    m = rolling_coin()
    truth = m.simulate(0.2, rtol=1e-11, atol=1e-13, **QUIET)
    coarse, fine = (
        np.abs(m.simulate(0.2, method=tm.methods[method](step=h), formulation=formulation, **QUIET).q - truth.q).max()
        for h in (5e-3, 2.5e-3)
    )
    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.35)
