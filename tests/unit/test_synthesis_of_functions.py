"""Function generation, defects and cognates, against kinematics of the built model and against following the loop step by step."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import synthesis

pytestmark = pytest.mark.search

LOGARITHM = {3: (), 4: ("output",), 5: ("input", "output")}


def logarithm(count: int) -> tuple[np.ndarray, np.ndarray]:
    """log10 x for 1 <= x <= 2, the crank through 60°, the rocker through 90° (Freudenstein 1955, "Approximate synthesis of
    four-bar linkages", takes the same function)."""
    x = synthesis.chebyshev_spacing(1.0, 2.0, count) if count < 6 else np.linspace(1.0, 2.0, count)
    return np.deg2rad(30 + 60 * (x - 1)), np.deg2rad(240 + 90 * np.log10(x) / np.log10(2))


def rocker_turns(design: synthesis.FourBar, cranks: np.ndarray) -> np.ndarray:
    """Turns of the rocker of the built model when its crank has turned so far, by kinematics."""
    k = design.model(speed=1.0 if cranks[-1] > 0 else -1.0).kinematics(times=np.abs(cranks), progress=False)
    return k["D"].angle


def test_chebyshev_points_are_zeros_of_the_polynomial():
    x = synthesis.chebyshev_spacing(-1.0, 1.0, 5)
    assert np.allclose(np.polynomial.chebyshev.chebval(x, [0, 0, 0, 0, 0, 1]), 0.0, atol=1e-14)
    assert np.all(np.diff(x) > 0)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_precision_points_of_a_function_are_met_by_the_built_model(count):
    phi, psi = logarithm(count)
    designs = synthesis.function_four_bars(phi, psi, free=LOGARITHM[count])
    assert designs
    for design in designs:
        assert design.residual < 1e-12
        if not design.defects:
            assert np.allclose(design.turns, phi - phi[0], rtol=0, atol=1e-12)
            # kinematics: 1e-12 of closure
            assert np.allclose(rocker_turns(design, design.turns), psi - psi[0], rtol=0, atol=1e-11)


@pytest.mark.parametrize("crank", [0.3, 0.8, 2.0])
def test_two_precision_points_leave_the_crank_to_be_chosen(crank):
    for design in synthesis.function_four_bars([0.5, 1.1], [3.6, 4.1], crank=crank, ground=1.5):
        assert design.residual < 1e-12 and design.lengths[:2] == pytest.approx((1.5, crank), rel=1e-12)
    slider = synthesis.function_slider_cranks([0.3, 1.2], [0.4, 0.25], offset=0.05)[0]
    assert slider.residual < 1e-12 and slider.offset == pytest.approx(0.05, abs=1e-12)
    k = slider.model(speed=1.0).kinematics(times=slider.turns, progress=False)
    assert k["slider"].x == pytest.approx([0.4, 0.25], abs=1e-12)


@pytest.mark.parametrize("free", [(), ("input",), ("output",), ("input", "output")])
def test_a_known_four_bar_is_found_again_from_its_own_motion(free):
    rng = np.random.default_rng(7)
    for _ in range(20):
        known = synthesis.FourBar((0, 0), rng.normal(size=2), 1.0 + rng.normal(size=2), (1, 0))
        low, high = known.travel
        phi = np.sort(rng.uniform(low, high, 3 + len(free)))
        if np.min(np.diff(phi)) < 0.1:
            continue
        c = known.complex_at(phi)["C"]
        psi = np.angle(c - 1.0)
        found = synthesis.function_four_bars(phi + 0.3 * ("input" in free), psi - 0.4 * ("output" in free), free=free)
        # 1e-6: near to coincident designs the equations are ill conditioned
        assert any(np.allclose(each.lengths, known.lengths, rtol=1e-6) for each in found)
        assert max(each.residual for each in found) < 1e-9


def test_least_squares_beats_the_exact_design_everywhere_between_the_points():
    phi, psi = logarithm(41)
    fitted = synthesis.function_four_bars(phi, psi)[0]
    exact = synthesis.function_four_bars(*logarithm(3))[0]
    errors = []
    for design in (fitted, exact):
        turned = np.angle(design.complex_at(phi)["C"] - 1.0)
        errors.append(float(np.sum(np.angle(np.exp(2j * (turned - psi))) ** 2)))  # a link may be drawn half a turn off
    assert errors[0] < errors[1]
    again = np.angle(np.exp(1j * (np.angle(fitted.complex_at(phi)["C"] - 1.0) - psi)))
    again = np.minimum(np.abs(again), np.abs(np.abs(again) - np.pi))
    assert np.max(again) == pytest.approx(fitted.residual, rel=1e-6)


def test_a_slider_crank_meets_its_strokes_in_kinematics():
    phi, strokes = np.array([0.3, 0.9, 1.6]), np.array([1.2, 1.0, 0.7])
    (design,) = synthesis.function_slider_cranks(phi, strokes)
    k = design.model(speed=1.0).kinematics(times=phi - phi[0], progress=False)
    assert design.residual < 1e-12
    assert np.allclose(k["slider"].x, strokes, rtol=0, atol=1e-12)
    assert np.allclose(design.stroke(phi), strokes, rtol=0, atol=1e-12)


# defects ---------------------------------------------------------------------------------------------------------------------


def followed(bar: synthesis.FourBar, theta: float, side: int, step: float = 8e-3) -> tuple[np.ndarray, bool]:
    """The circuit through a position, followed in small steps of both angles: rows (crank, rocker), and whether it closed."""
    ground, crank, coupler, rocker = bar.lengths

    def gap_and_slopes(x, y):
        u, w = crank * cmath.exp(1j * x), rocker * cmath.exp(1j * y)
        back = (ground + w - u).conjugate()
        return abs(back) ** 2 - coupler**2, 2 * (back * -1j * u).real, 2 * (back * 1j * w).real

    x, y = start = theta, cmath.phase(complex(bar.complex_at(theta, side=side)["C"]) - ground)
    way, path = (0.0, 0.0), [start]
    for count in range(20_000):
        _, fx, fy = gap_and_slopes(x, y)
        scale = (1.0 if -fy * way[0] + fx * way[1] >= 0.0 else -1.0) / math.hypot(fx, fy)
        way = (-fy * scale, fx * scale)
        x, y = x + step * way[0], y + step * way[1]
        for _ in range(3):
            gap, fx, fy = gap_and_slopes(x, y)
            x, y = (z - gap * f / (fx * fx + fy * fy) for z, f in ((x, fx), (y, fy)))
        path.append((x, y))
        if (
            count > 5
            and math.hypot(*(cmath.phase(cmath.exp(1j * (z - z0))) for z, z0 in zip((x, y), start))) < 0.7 * step
        ):
            return np.array(path), True
    return np.array(path), False


def brute_defect(bar: synthesis.FourBar, cranks: np.ndarray, sides: np.ndarray) -> str:
    """The defect of positions, found on the circuit followed from the first one."""
    path, closed = followed(bar, cranks[0], sides[0])
    assert closed
    ground = bar.lengths[0]
    places = []
    for theta, side in zip(cranks, sides):
        psi = np.angle(bar.complex_at(theta, side=side)["C"] - ground)
        away = np.abs(np.exp(1j * path) - np.exp(1j * np.array([theta, psi]))).max(axis=1)
        places.append(int(np.argmin(away)))
        if away.min() > 8e-3:
            return "circuit"
    d_theta = np.diff(path[:, 0])
    turns = np.flatnonzero(np.sign(d_theta[1:]) != np.sign(d_theta[:-1])) + 1  # where the crank turns back
    # the crank drives along pieces between those places; a circuit without them is one piece
    pieces = np.searchsorted(turns, places, side="left") % max(1, len(turns))
    if len(set(pieces.tolist())) > 1:
        return "branch"
    shift = turns[0] if len(turns) else 0
    along = [(place - shift) % (len(path) - 1) for place in places]
    steps = np.diff(along)
    if len(turns):
        return "" if np.all(steps > 0) or np.all(steps < 0) else "order"
    around = len(path) - 1
    return "" if any(np.sum(np.mod(sign * steps, around)) < around for sign in (1, -1)) else "order"


def test_defects_are_those_found_by_following_the_loop():
    rng = np.random.default_rng(11)
    seen: dict[str, int] = {}
    for _ in range(40):
        bar = synthesis.FourBar((0, 0), 1.2 * rng.normal(size=2), 1.2 * rng.normal(size=2) + (0.5, 0.8), (1, 0))
        order = sorted(bar.lengths)
        if abs(order[0] + order[3] - order[1] - order[2]) < 0.05 or order[0] < 0.1:
            continue
        ranges = bar.crank_ranges
        chosen = rng.integers(len(ranges), size=4) if rng.random() < 0.5 else np.zeros(4, int)
        cranks = np.array([rng.uniform(ranges[k][0] + 0.04, ranges[k][1] - 0.04) for k in chosen])
        if rng.random() < 0.7:
            cranks = np.sort(cranks)
        sides = rng.choice([1, -1], size=4) if rng.random() < 0.4 else np.full(4, rng.choice([1, -1]))
        spots = bar.complex_at(cranks, side=sides)
        asked = bar.visiting(list(zip(spots["B"].tolist(), spots["C"].tolist())), 0.0, "")
        if any(np.ptp(cranks[[i, j]]) < 0.04 for i in range(4) for j in range(i)):
            continue
        expected = brute_defect(bar, cranks, sides)
        told = asked.defects[0].split()[0] if asked.defects else ""
        assert told == expected, (bar, cranks, sides)
        seen[expected] = seen.get(expected, 0) + 1
    assert set(seen) == {"", "circuit", "branch", "order"} and sum(seen.values()) > 20


def test_grashof_types_and_crank_ranges_agree_with_closing_by_brute_force():
    rng = np.random.default_rng(3)
    for _ in range(200):
        bar = synthesis.FourBar((0, 0), rng.normal(size=2), rng.normal(size=2), (1, 0))
        turned = np.linspace(0, math.tau, 2001)
        closes = np.isfinite(bar.complex_at(turned, side=1)["C"])
        told = np.zeros(len(turned), bool)
        for low, high in bar.crank_ranges:
            told |= (turned - low) % math.tau <= high - low
        assert np.mean(told != closes) < 3e-3  # the samples at the ends themselves
        assert bar.full_turn == (bar.grashof in ("crank-rocker", "double crank"))


def test_the_transmission_range_is_that_of_the_model():
    bar = synthesis.FourBar((0, 0), (0, 0.04), (0.08, 0.082), (0.12, 0))
    k = bar.model().kinematics(1.0, samples=721, progress=False)
    angle = np.abs(
        np.angle(np.exp(1j * (k["C"].angle - k["C"].angle[0])) * np.exp(1j * bar.transmission(bar.crank_angle)))
    )
    other = np.abs(
        np.angle(np.exp(-1j * (k["C"].angle - k["C"].angle[0])) * np.exp(1j * bar.transmission(bar.crank_angle)))
    )
    closest = min((angle, other), key=lambda each: abs(each.min() - bar.transmission_range[0]))
    # samples every half degree
    assert (closest.min(), closest.max()) == pytest.approx(bar.transmission_range, abs=1e-4)


# cognates --------------------------------------------------------------------------------------------------------------------


def random_crank_rockers(count: int):
    rng = np.random.default_rng(2)
    while count:
        bar = synthesis.FourBar(
            (0, 0), rng.normal(size=2), 2 * rng.normal(size=2), 2 * rng.normal(size=2), 2 * rng.normal(size=2)
        )
        if bar.grashof == "crank-rocker":
            count -= 1
            yield bar


def test_cognates_trace_the_same_curve():
    for bar in random_crank_rockers(30):
        turned = np.linspace(0, math.tau, 73)
        moved = bar.complex_at(bar.crank_angle + turned)
        with_crank, with_coupler = synthesis.cognates(bar)
        same = with_crank.complex_at(with_crank.crank_angle + turned)["P"]
        size = max(sum(each.lengths) for each in (bar, with_crank, with_coupler))
        assert np.max(np.abs(same - moved["P"])) < 1e-12 * size
        spin = np.angle((moved["C"] - moved["B"]) / (moved["C"][0] - moved["B"][0]))
        both = [with_coupler.complex_at(with_coupler.crank_angle + spin, side=side)["P"] for side in (1, -1)]
        away = np.fmin(*(np.abs(each - moved["P"]) for each in both))
        # at its dead points a height is the root of a rounding error
        dead = np.sin(with_coupler.transmission(with_coupler.crank_angle + spin)) < 1e-3
        assert np.max(away[~dead], initial=0.0) < 1e-11 * size


def test_the_cognate_of_a_slider_crank_traces_the_same_curve():
    """Its crank turns as the rod of the given one, through dead points: P is where one of both assemblies has it."""
    rng = np.random.default_rng(8)
    for _ in range(10):
        slider = synthesis.SliderCrank((0.1, 0.2), (0.3, 0.3), (2.4, 0.22), rng.uniform(-0.5, 0.5), rng.normal(size=2))
        (other,) = synthesis.cognates(slider)
        moved = slider.complex_at(np.linspace(0, 6, 30))
        turns = np.angle((moved["C"] - moved["B"]) / (complex(*slider.C) - complex(*slider.B)))
        both = [other.complex_at(other.cranks[0] + turns, side=side)["P"] for side in (1, -1)]
        assert np.max(np.min(np.abs(both - moved["P"]), axis=0)) < 1e-12
        (back,) = synthesis.cognates(other)
        assert np.allclose([*back.B, *back.C], [*slider.B, *slider.C], rtol=0, atol=1e-12)


def test_models_of_cognates_trace_the_same_curve():
    bar = synthesis.FourBar((0, 0), (0, 0.04), (0.08, 0.082), (0.12, 0), (0.099, 0.024))
    given = bar.model().kinematics(1.0, samples=61, progress=False)["P"]
    other = synthesis.cognates(bar)[0].model().kinematics(1.0, samples=61, progress=False)["P"]
    assert np.allclose(given.x, other.x, rtol=0, atol=1e-12) and np.allclose(given.y, other.y, rtol=0, atol=1e-12)


# bad input -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda: synthesis.function_four_bars([0.1, 0.2], [1, 2]), "at least 3"),
        (lambda: synthesis.function_four_bars([0.1, 0.2, 0.3], [1, 2]), "outputs: 2 given, but at least 3"),
        (lambda: synthesis.function_four_bars([0.1, 0.2, 0.3, 0.4], [1, 2, 3]), "one output for each input"),
        (lambda: synthesis.function_four_bars([0.1, 0.1, 0.3], [1, 2, 3]), "entries 0 and 1 are the same"),
        (lambda: synthesis.function_four_bars([0.1, 0.2, 0.3], [1, 1, 1]), "no four-bar meets these 3 pairs"),
        (lambda: synthesis.function_four_bars([0.1, math.nan, 0.3], [1, 2, 3]), "finite"),
        (lambda: synthesis.function_four_bars([0.1, 0.2, 0.3], [1, 2, 3], ground=-1), "greater than 0"),
        (lambda: synthesis.function_four_bars([0.1, 0.2, 0.3], [1, 2, 3], free=["zero"]), "'input' and 'output'"),
        (lambda: synthesis.function_slider_cranks([0.1, 0.2, 0.3], [1, 1, 1]), "no slider-crank"),
        (lambda: synthesis.chebyshev_spacing(0, 1, 0), "at least 1"),
        (lambda: synthesis.cognates(synthesis.FourBar((0, 0), (0, 1), (2, 1), (2, 0))), "no coupler point"),
        (lambda: synthesis.cognates(synthesis.FourBar((0, 0), (0, 1), (2, 1), (2, 0), (2, 1))), "is the pin C"),
        (lambda: synthesis.cognates(3), "FourBar"),
        (lambda: synthesis.cognates(synthesis.SliderCrank((0, 0), (0, 1), (3, 0))), "no point P of its rod"),
        (lambda: synthesis.cognates(synthesis.SliderCrank((0, 0), (0, 1), (3, 0), 0.0, (3, 0))), "its curve is a line"),
        (lambda: synthesis.function_four_bars([0, 1, 2], [0, 1, 2], crank=1.0), "crank= is for two points with fixed zeros, but 3"),
        (lambda: synthesis.function_four_bars([0, 1], [0, 1]), "at least 3 are needed"),
        (lambda: synthesis.FourBar((0, 0), (0, 0), (2, 1), (2, 0)), "crank AB has no length"),
    ],
)  # fmt: skip
def test_bad_input_is_answered_in_sentences(ask, words):
    with pytest.raises(tm.ModelError, match=words):
        ask()


def test_crank_ranges_of_slider_cranks_agree_with_closing_by_brute_force():
    rng = np.random.default_rng(8)
    for _ in range(200):
        slider = synthesis.SliderCrank((0, 0), rng.normal(size=2), 1.5 * rng.normal(size=2), rng.uniform(-3, 3))
        turned = np.linspace(0, math.tau, 2001)
        closes = np.isfinite(slider.complex_at(turned, side=1)["C"])
        told = np.zeros(len(turned), bool)
        for low, high in slider.crank_ranges:
            told |= (turned - low) % math.tau <= high - low
        assert np.mean(told != closes) < 3e-3  # the samples at the ends themselves
        assert slider.full_turn == bool(closes.all())
