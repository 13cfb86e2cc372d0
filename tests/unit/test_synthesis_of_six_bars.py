"""Six-bars: the built model does what the design says, and comes nearer than the four-bar it grew from."""

from __future__ import annotations

import numpy as np
import pytest

import trammel as tm
from trammel import synthesis

KINDS = ["Watt I", "Watt II", "Stephenson I", "Stephenson III"]
TURNS = np.linspace(0.0, 5.0, 11)
OVAL = np.column_stack([np.cos(TURNS) + 0.3 * np.cos(2 * TURNS), 0.6 * np.sin(TURNS)])


def turned(design: synthesis.SixBar) -> np.ndarray:
    """Turns of the crank in the wanted positions, from the first."""
    return np.unwrap(np.array(design.four_bar.cranks) - design.four_bar.cranks[0])


@pytest.mark.parametrize("kind", ["Watt II", "Stephenson III"])
def test_the_output_link_of_a_function_six_bar_turns_as_the_design_says_and_nearer_than_a_four_bar(kind):
    x = np.linspace(0.0, 1.0, 12)
    inputs, outputs = 1.2 * x, 0.9 * x**2
    best = synthesis.function_six_bars(inputs, outputs, kind=kind, starts=3)[0]
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
    designs = synthesis.path_six_bars(OVAL, timing=TURNS, kind=kind, starts=3)
    for design in designs:
        assert np.allclose(turned(design), TURNS, rtol=0, atol=1e-9)
    for design in [each for each in designs if not each.defects][:3]:
        k = design.model(speed=1.0).kinematics(times=TURNS, progress=False)
        away = np.hypot(k["P"].x - OVAL[:, 0], k["P"].y - OVAL[:, 1])
        assert np.max(away) == pytest.approx(design.residual, abs=1e-8)


@pytest.mark.parametrize("kind", ["Watt I", "Stephenson III"])
def test_a_dyad_on_the_coupler_never_makes_the_path_worse(kind):
    def squares(design, path):
        return float(np.sum(np.abs(path - (OVAL[:, 0] + 1j * OVAL[:, 1])) ** 2))

    four = min(synthesis.path_four_bars(OVAL, timing=TURNS, starts=20)[:3], key=lambda each: each.residual)
    before = squares(four, four.complex_at(four.cranks, side=four.sides)["P"])
    after = min(
        squares(each, each.complex_at(each.four_bar.cranks)["P"])
        for each in synthesis.path_six_bars(OVAL, timing=TURNS, kind=kind, starts=3)
    )
    assert after <= before * (1 + 1e-9)


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
    ],
)  # fmt: skip
def test_bad_input_is_answered_in_sentences(ask, words):
    with pytest.raises(tm.ModelError, match=words):
        ask()
