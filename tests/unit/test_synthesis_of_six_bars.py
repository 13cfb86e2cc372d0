"""Six-bars: the built model does what the design says, and comes nearer than the four-bar it grew from."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import synthesis

pytestmark = pytest.mark.search

KINDS = ["Watt I", "Watt I at the crank", "Watt II", "Stephenson I", "Stephenson III"]
TURNS = np.linspace(0.0, 5.0, 11)
OVAL = np.column_stack([np.cos(TURNS) + 0.3 * np.cos(2 * TURNS), 0.6 * np.sin(TURNS)])


@cache
def oval_designs(kind: str) -> tuple[synthesis.SixBar, ...]:
    return synthesis.path_six_bars(OVAL, timing=TURNS, kind=kind, starts=2)


def turned(design: synthesis.SixBar) -> np.ndarray:
    """Turns of the crank in the wanted positions, from the first."""
    return np.unwrap(np.array(design.four_bar.cranks) - design.four_bar.cranks[0])


@pytest.mark.parametrize("kind", ["Watt II", "Stephenson III"])
def test_the_output_link_of_a_function_six_bar_turns_as_the_design_says_and_nearer_than_a_four_bar(kind):
    x = np.linspace(0.0, 1.0, 12)
    inputs, outputs = 1.2 * x, 0.9 * x**2
    best = synthesis.function_six_bars(inputs, outputs, kind=kind, starts=1)[0]
    k = best.model(speed=1.0).kinematics(times=inputs, progress=False)
    error = np.abs(k["output"].angle - (outputs - outputs[0]))
    assert best.defects == ()
    assert np.max(error) == pytest.approx(best.residual, abs=1e-9)
    four = synthesis.function_four_bars(inputs, outputs, free=("input", "output"))[0]
    moved = np.angle(four.complex_at(four.cranks, side=four.sides)["C"] - four.D[0])
    before = np.angle(np.exp(1j * (moved - moved[0] - (outputs - outputs[0]))))
    assert np.sum(error**2) <= np.sum(before**2) * (1 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_point_of_a_path_six_bar_is_where_the_design_says(kind):
    designs = oval_designs(kind)
    for design in designs:
        assert np.allclose(turned(design), TURNS, rtol=0, atol=1e-9)
    for design in [each for each in designs if not each.defects][:3]:
        k = design.model(speed=1.0).kinematics(times=TURNS, progress=False)
        away = np.hypot(k["P"].x - OVAL[:, 0], k["P"].y - OVAL[:, 1])
        assert np.max(away) == pytest.approx(design.residual, abs=1e-8)


@pytest.mark.parametrize("kind", ["Watt I", "Stephenson III", "without timing"])
def test_a_dyad_on_the_coupler_never_makes_the_path_worse(kind):
    def squares(path):
        return float(np.sum(np.abs(path - OVAL @ [1, 1j]) ** 2))

    timing = None if kind == "without timing" else TURNS
    fours = synthesis.path_four_bars(OVAL, timing=timing, starts=20)[:3]
    before = min(squares(each.complex_at(each.cranks, side=each.sides)["P"]) for each in fours)
    designs = oval_designs(kind) if timing is not None else synthesis.path_six_bars(OVAL, starts=2)
    after = min(squares(each.complex_at(each.four_bar.cranks)["P"]) for each in designs)
    assert after <= before * (1 + 1e-6)


@pytest.mark.parametrize("kind", ["Watt I at the crank", "Stephenson III"])
def test_a_link_passes_poses_nearer_than_the_best_four_bar(kind):
    """A coupler's own poses, shaken a little; the built model confirms where the link is."""
    bar = synthesis.FourBar((0, 0), (0.3, 0.95), (3.2, 2.1), (4, 0), (1.5, 3.2))
    at = bar.complex_at(bar.crank_angle + np.linspace(0, 2.5, 7))
    turn = np.angle((at["C"] - at["B"]) / (at["C"][0] - at["B"][0]))
    poses = np.column_stack([at["P"].real, at["P"].imag, turn])
    poses[1:] += 0.02 * np.random.default_rng(2).normal(size=(6, 3))
    four = synthesis.motion_four_bars(poses, starts=4)[0]
    six = synthesis.motion_six_bars(poses, kind=kind, starts=2)[0]
    assert six.defects == () and six.residual <= four.residual * 1.001  # squares are fitted, not the largest
    turns = six.four_bar.turns
    k = six.model(speed=np.sign(turns[1])).kinematics(times=np.abs(turns), progress=False)
    size = np.max(np.hypot(*(poses[:, :2] - poses[0, :2]).T))
    away = [
        np.abs(k["P"].x - poses[:, 0]),
        np.abs(k["P"].y - poses[:, 1]),
        size * np.abs(k["link"].angle - poses[:, 2] + poses[0, 2]),
    ]
    assert np.max(away) == pytest.approx(six.residual, abs=1e-8)


def test_the_link_of_a_parallel_motion_does_not_turn_while_it_follows_the_coupler_curve():
    bar = synthesis.FourBar((0, 0), (0.3, 0.95), (3.2, 2.1), (4, 0), (1.5, 3.2))
    six = synthesis.parallel_six_bar(bar)
    k = six.model(speed=1.0).kinematics(6.28, samples=25, progress=False)
    assert np.max(np.abs(k["link"].angle)) < 1e-12
    away = k["P"].x + 1j * k["P"].y - bar.complex_at(bar.crank_angle + k.times)["P"]
    assert np.max(np.abs(away)) < 1e-12
    assert "no defects" in str(six)


def test_defects_of_six_bars_are_those_found_by_following_them():
    """Brute force: both loops followed in small steps of the crank, each from where it was, until one jumps or opens."""
    rng = np.random.default_rng(8)
    seen = set()
    for _ in range(60):
        z = rng.normal(size=(8, 2)) * 0.6 + [
            [0, 0],
            [0.3, 0.5],
            [1.5, 1.0],
            [1.4, 0],
            [1, 1.2],
            [2, 1.5],
            [2.2, 0],
            [1.2, 1],
        ]
        four = synthesis.FourBar(*z[:4])
        kind = str(rng.choice(KINDS))
        turns = np.linspace(0, rng.uniform(0.3, 2.5), 4)
        at = four.complex_at(four.crank_angle + turns)
        if not np.all(np.isfinite(at["C"])):
            continue
        four = four.visiting(list(zip(at["B"].tolist(), at["C"].tolist(), strict=True)), 0.0, "point P [m]")
        six = synthesis.SixBar(four, kind, *z[4:], goal="point P [m]")
        swept = six.complex_at(four.crank_angle + np.linspace(0, turns[-1], 4001))
        closes = all(np.all(np.isfinite(swept[name])) for name in "CF")
        if six.four_bar.defects == () and six.defects == ():
            assert closes
        elif closes:
            assert "dead point" in six.defects[0]
        seen.add((closes, six.defects == ()))
    assert {(True, True), (False, False)} <= seen


@pytest.mark.parametrize("kind", KINDS)
def test_closed_form_and_kinematics_of_a_six_bar_agree(kind):
    bar = synthesis.FourBar((0, 0), (0, 0.4), (0.8, 0.82), (1.2, 0))
    six = synthesis.SixBar(bar, kind, (0.7, 0.6), (1.6, 1.5), (2.0, 0.4), (1.2, 1.6))
    turns = np.linspace(0, 0.6, 7)
    moved = six.complex_at(bar.crank_angle + turns)["P"]
    k = six.model(speed=1.0).kinematics(times=turns, progress=False)["P"]
    assert np.allclose(k.x + 1j * k.y, moved, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda: synthesis.function_six_bars([0, 1, 2], [0, 1, 2]), "at least 6"),
        (lambda: synthesis.function_six_bars(range(6), range(7)), "one output for each input"),
        (lambda: synthesis.function_six_bars(range(6), range(6), kind="Watt I"), "'Watt II' or 'Stephenson III'"),
        (lambda: synthesis.path_six_bars(OVAL, timing=TURNS, kind="Watt"), "kind must be one of"),
        (lambda: synthesis.path_six_bars(OVAL[:4], timing=TURNS[:4]), "at least 6"),
        (lambda: synthesis.path_six_bars(OVAL, timing=TURNS[:8]), "one turn for each point"),
        (lambda: synthesis.path_six_bars(OVAL, timing=TURNS, starts=0), "starts must be"),
        (lambda: synthesis.motion_six_bars([(0, 0, 0), (1, 1, 1), (2, 2, 2)]), "at least 6"),
        (lambda: synthesis.parallel_six_bar(synthesis.FourBar(*OVAL[:4])), "no coupler point P"),
        (lambda: synthesis.parallel_six_bar(synthesis.FourBar(*OVAL[:4], OVAL[1])), "P is the pin B"),
        (lambda: synthesis.parallel_six_bar("four"), "a parallel motion is that of a FourBar"),
    ],
)  # fmt: skip
def test_bad_input_is_answered_in_sentences(ask, words):
    with pytest.raises(tm.ModelError, match=words):
        ask()
