"""Runs that know better: books that do not balance, joints that come apart, steps that were forced, starts that were moved."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.cli.main import main
from pytrammel.errors import RunWarning
from pytrammel.examples import find


def kinds(result):
    return [w.kind for w in result.warnings]


def pendulum():
    m = tm.PlanarModel("pendulum")
    m.body("rod", position=(0.5, 0.0), mass=1.0, inertia=1.0 / 12.0)
    m.revolute("A", "ground", "rod", at=(0, 0))
    return m


def flat_four_bar():
    """All bars drawn on the ground's origin, along its x axis: Newton's method finds no way out of that line."""
    m = tm.PlanarModel("flat")
    for name in ("crank", "rod", "rocker"):
        m.body(name, mass=1.0, inertia=0.1)
    m.revolute("A", m.ground.at(0, 0), m["crank"].at(-0.15, 0))
    m.revolute("B", m["crank"].at(0.15, 0), m["rod"].at(-0.5, 0))
    m.revolute("C", m["rod"].at(0.5, 0), m["rocker"].at(0.4, 0))
    m.revolute("D", m["rocker"].at(-0.4, 0), m.ground.at(0.9, 0))
    m.driver("motor", "crank.phi", "t")
    return m


def lying_spring(share):
    """A spring whose formula for its energy is `share` of what its law stores: the books cannot balance unless it is 1."""
    m = tm.PlanarModel("lying", gravity=(0, 0))
    m.body("b", position=(1.3, 0.0), mass=1.0, inertia=1.0)
    spring = m.spring("s", "ground", "b", stiffness=40.0, free_length=1.0)
    use = replace(spring.uses[0], stored=share * spring.uses[0].stored)
    m._forces["s"] = replace(spring, uses=(use,))
    return m


@pytest.mark.parametrize("share", [0.0, 0.9, 0.9999, 1.0001, 2.0])
def test_books_that_do_not_balance_are_a_warning_on_the_result_and_on_standard_error(share):
    """The energy of the spring is half k times 0.3 squared: what the formula lacks of it comes from nowhere."""
    with pytest.warns(RunWarning, match="energy balance does not close from t = .* come from nowhere") as seen:
        r = lying_spring(share).simulate(1.0)
    assert kinds(r) == ["energy"]
    assert [str(w.message) for w in seen] == [str(w) for w in r.warnings]
    assert seen[0].filename == __file__
    assert 0.0 < r.warnings[0].time < 0.5
    assert "warning: the energy balance" in r.summary()
    worst = np.abs(r.energy.balance).max()
    # the spring gives all of its 1.8 J to the body at times: one minus share of that is missing
    assert worst == pytest.approx(abs(1.0 - share) * 1.8, rel=1e-2)


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_honest_runs_are_silent_at_every_tolerance(method, rtol):
    for m in (pendulum(), lying_spring(1.0)):
        assert m.simulate(5.0, samples=51, method=method, rtol=rtol, atol=1e-2 * rtol).warnings == ()


def test_a_fixed_step_that_is_too_long_is_told_by_the_energy():
    """Two steps per radian lose far more than a fiftieth of the energy over fifty swings; a hundred lose nothing to speak of."""
    m = lying_spring(1.0)
    with pytest.warns(RunWarning, match=r"step = 0\.12 s is too coarse"):
        r = m.simulate(20.0, method=tm.methods.rk4(step=0.12))
    assert kinds(r) == ["energy"]
    assert m.simulate(20.0, method=tm.methods.rk4(step=0.01)).warnings == ()


def test_joints_that_drift_apart_are_told():
    """Without stabilisation the pin of a pendulum drifts; a coarse fixed step makes it drift far."""
    with pytest.warns(RunWarning, match="joints come apart by .*constraints='none'.*use constraints='projection'"):
        r = pendulum().simulate(20.0, method=tm.methods.rk4(step=0.05), constraints="none")
    assert "constraint drift" in kinds(r)
    assert r.constraint_violation() > 1e-5
    assert pendulum().simulate(2.0).warnings == ()


def held_arm(motion):
    m = tm.PlanarModel("driven")
    m.body("arm", position=(0.5, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "arm", at=(0, 0))
    m.driver("first", "A.angle", motion)
    return m


@pytest.mark.parametrize("options", [{}, {"constraints": "baumgarte"}, {"method": tm.methods.rk4(step=0.01)}])
@pytest.mark.parametrize("motion", ["t + 0.1*t^3", "0.5*t + 0.5*sin(t)", "t + 1e-3*step(t - 0.5)*(t - 0.5)^2"])
def test_drivers_that_agree_at_the_start_and_contradict_each_other_later_are_named(motion, options):
    m = held_arm("t")
    m.driver("second", "arm.phi", motion)
    with pytest.warns(RunWarning, match=r"'second' followed from the other joints .* contradicts them later"):
        r = m.simulate(1.0, samples=21, **options)
    assert kinds(r) == ["contradiction"]


def test_rounding_of_what_stands_still_is_no_energy_from_nowhere():
    assert held_arm("0").simulate(1.0, method=tm.methods.generalized_alpha(step=0.01)).warnings == ()


def test_a_start_that_assembly_had_to_move_is_told_by_every_analysis():
    m = flat_four_bar()
    for analyse in (m.kinematics, m.inverse_dynamics):
        with pytest.warns(RunWarning, match="did not lead to a closed position; another start was used") as seen:
            r = analyse(0.1)
        assert len(seen) == 1 and r.n_starts > 1 and kinds(r) == ["start"]
    with pytest.warns(RunWarning, match="another start was used"):
        assert m.statics().n_starts > 1


def test_warnings_raised_as_errors_hand_over_the_result():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RunWarning) as raised:
            lying_spring(0.5).simulate(1.0, samples=11)
    assert len(raised.value.partial) == 11


def test_the_command_line_prints_a_warning_once_on_standard_error(tmp_path, capsys):
    """DAP's own method with a long step lets the joints come apart; the report is printed all the same."""
    source = find("dap_four_bar").source().splitlines()
    last = max(k for k, line in enumerate(source) if line.split("!")[0].strip())
    source[last] = "0, 1.0, 0.125"  # T0, TE, DT
    deck, out = tmp_path / "four_bar.dap", tmp_path / "out.json"
    deck.write_text("\n".join(source) + "\n", encoding="utf-8")
    options = ["--method", "rk4", "--constraints", "none", "--quiet", "--json", str(out)]
    assert main(["dap", str(deck), *options]) == 0
    shown = [line for line in capsys.readouterr().err.splitlines() if line.startswith("pytrammel: warning: ")]
    told = json.loads(out.read_text(encoding="utf-8"))["warnings"]
    assert "constraint drift" in [w["kind"] for w in told]
    assert shown == [f"pytrammel: warning: {w['sentence']}" for w in told]
