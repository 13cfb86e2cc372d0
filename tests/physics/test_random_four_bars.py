"""Random four-bars: what can close closes, what cannot is reported, and dead points are where geometry puts them."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import pytrammel as tm
from mechanisms import Frame, four_bar, four_bar_angles, turning, xy

pytestmark = pytest.mark.search

common = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.filter_too_much])

lengths = st.floats(math.log(0.1), math.log(10.0)).map(math.exp)
sides = st.tuples(lengths, lengths, lengths, lengths)
angles = st.floats(-math.pi, math.pi)
part = st.floats(0.02, 0.98)
wobble = st.tuples(*[st.floats(-1.0, 1.0)] * 9)

# Closing is asked to this share of the mechanism's size: a few roundings.
CLOSED = 1e-12
# Cases within this share of a limit are left out: there the answer hangs on the last digits.
MARGIN = 1e-3


def rough(lengths: tuple[float, ...], ground: float, poses: tuple[float, ...]) -> tm.PlanarModel:
    """Four-bar of given lengths whose bodies are drawn anywhere within its size, at any angle."""
    a, b, c, d = lengths
    size = max(lengths)
    A, D = 0.3 - 0.2j, 0.3 - 0.2j + cmath.rect(d, ground)
    m = tm.PlanarModel("random four-bar")
    for k, name in enumerate(("crank", "coupler", "rocker")):
        x, y, turn = poses[3 * k : 3 * k + 3]
        m.body(name, position=(A.real + size * x, A.imag + size * y), angle=math.pi * turn)
    m.revolute("A", m.ground.at(*xy(A)), m["crank"].at(-a / 2, 0))
    m.revolute("B", m["crank"].at(a / 2, 0), m["coupler"].at(-b / 2, 0))
    m.revolute("C", m["coupler"].at(b / 2, 0), m["rocker"].at(c / 2, 0))
    m.revolute("D", m.ground.at(*xy(D)), m["rocker"].at(-c / 2, 0))
    return m


def largest_gap(m: tm.PlanarModel, found: tm.results.Result) -> float:
    """Largest opening of a pin, from the poses by complex numbers."""

    def place(body: str, xi: float, eta: float) -> complex:
        x, y, phi = found.pose(body)
        return complex(x, y) + cmath.exp(1j * phi) * complex(xi, eta)

    gaps = []
    for joint in m.constraints.values():
        if joint.kind == "revolute":
            p, q = joint.parameters["first"], joint.parameters["second"]
            gaps.append(abs(place(p.body, p.xi, p.eta) - place(q.body, q.xi, q.eta)))
    return max(gaps)


@common
@given(sides, angles, wobble)
def test_a_free_four_bar_closes_if_no_side_is_longer_than_the_others_together(
    lengths: tuple[float, ...], ground: float, poses: tuple[float, ...]
) -> None:
    spare = sum(lengths) - 2 * max(lengths)
    assume(abs(spare) > MARGIN * sum(lengths))
    m = rough(lengths, ground, poses)
    if spare > 0:
        assert largest_gap(m, m.assemble()) < CLOSED * max(lengths)
    else:
        with pytest.raises(tm.AssemblyError, match="cannot close"):
            m.assemble()


@common
@given(sides, angles, wobble, angles)
def test_a_driven_four_bar_closes_if_coupler_and_rocker_can_span_the_diagonal(
    lengths: tuple[float, ...], ground: float, poses: tuple[float, ...], crank: float
) -> None:
    a, b, c, d = lengths
    diagonal = abs(d - cmath.rect(a, crank))
    reach = min(b + c - diagonal, diagonal - abs(b - c))
    assume(abs(reach) > MARGIN * sum(lengths))
    m = rough(lengths, ground, poses)
    m.driver("motor", "crank.phi", crank + ground)
    if reach > 0:
        found = m.assemble()
        assert largest_gap(m, found) < CLOSED * max(lengths)
        assert found.pose("crank")[2] == pytest.approx(crank + ground, abs=CLOSED)
    else:
        with pytest.raises(tm.AssemblyError):
            m.assemble()


def crank_range(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """Range of the crank angle on one side: from the triangle A–B–D with coupler and rocker in line.

    A bound beyond the half turn means that the crank passes there and ends at the mirrored limit.
    """
    folded, stretched = ((a**2 + d**2 - s**2) / (2 * a * d) for s in (b - c, b + c))
    low = math.acos(folded) if folded < 1 else None  # BD cannot get as short as the crank would make it
    high = math.acos(stretched) if stretched > -1 else None
    if high is None:
        high = math.tau - low if low is not None else math.inf
    if low is None:
        low = -high
    return low, high


def rotates_fully(a: float, b: float, c: float, d: float) -> bool:
    """Grashof: shortest and longest together are shorter than the other two, and crank or frame is shortest."""
    shortest, longest = min(a, b, c, d), max(a, b, c, d)
    return shortest + longest < (a + b + c + d) / 2 and shortest in (a, d)


def far_from_change_points(a: float, b: float, c: float, d: float) -> bool:
    """No collinear position of all four links within 1 % of the perimeter."""
    perimeter = a + b + c + d
    return min(abs(perimeter - 2 * s) for s in (a + b, a + c, a + d)) > 0.01 * perimeter


@common
@given(sides, angles, part, st.sampled_from([1, -1]))
def test_a_crank_turns_fully_exactly_when_grashof_says_so(
    lengths: tuple[float, ...], ground: float, fraction: float, side: int
) -> None:
    assume(sum(lengths) > 2.02 * max(lengths))
    assume(far_from_change_points(*lengths))
    low, high = crank_range(*lengths)
    full = rotates_fully(*lengths)
    assert full == math.isinf(high)  # the two ways to say it agree
    start = low + fraction * (high - low) if not full else math.tau * fraction
    m = four_bar(*lengths, crank=start, side=side, frame=Frame(1 + 2j, ground))
    if full:
        k = m.kinematics(math.tau, samples=9)
        assert k.constraint_violation() < CLOSED
        # after one turn the mechanism is where it was, whole turns aside
        back = np.exp(1j * k.q[-1, 2::3]) - np.exp(1j * k.q[0, 2::3])
        assert np.abs(back).max() < 1e-10  # a dozen digits less what a 1 % margin costs near the change point
    else:
        with pytest.raises(tm.SingularError):
            m.kinematics(math.tau, samples=9)


def towards_a_limit(
    lengths: tuple[float, ...], ground: float, fraction: float, side: int, direction: int
) -> tuple[tm.PlanarModel, float]:
    """Crank that cannot turn fully, on its way, and the time at which it reaches its limit."""
    assume(sum(lengths) > 2.02 * max(lengths))
    assume(far_from_change_points(*lengths) and not rotates_fully(*lengths))
    low, high = crank_range(*lengths)
    start = low + fraction * (high - low)
    motion = turning(start + ground, direction)
    m = four_bar(*lengths, crank=start, side=side, frame=Frame(1 + 2j, ground), motion=motion)
    return m, (high - start) if direction > 0 else (start - low)


@common
@given(sides, angles, part, st.sampled_from([1, -1]), st.sampled_from([1, -1]))
def test_a_crank_that_cannot_turn_stops_at_the_limit_of_the_triangle(
    lengths: tuple[float, ...], ground: float, fraction: float, side: int, direction: int
) -> None:
    m, last = towards_a_limit(lengths, ground, fraction, side, direction)
    # the limit is bracketed to 1e-6: the instant before it is reached, the instant behind it is not
    with pytest.raises(tm.SingularError, match="dead point") as stopped:
        m.kinematics(times=[0.0, 0.5 * last, last - 1e-6, last + 1e-6])
    assert stopped.value.partial.times[-1] == last - 1e-6


@common
@given(sides, angles, part, st.sampled_from([1, -1]), st.sampled_from([1, -1]))
def test_joints_still_close_just_before_a_dead_point(
    lengths: tuple[float, ...], ground: float, fraction: float, side: int, direction: int
) -> None:
    m, last = towards_a_limit(lengths, ground, fraction, side, direction)
    # residuals are not made worse by a bad condition: rounding level can be reached here too
    assert m.kinematics(times=[0.0, 0.5 * last, last - 1e-6]).constraint_violation() < CLOSED


@common
@given(sides, angles, part, st.sampled_from([1, -1]))
def test_a_full_turn_does_not_depend_on_the_spacing_of_instants(
    lengths: tuple[float, ...], ground: float, fraction: float, side: int
) -> None:
    # the two shortest of the sides become crank or frame, so that most draws can turn
    a, b, c, d = sorted(lengths)
    assume(far_from_change_points(a, b, c, d) and a + d < b + c)
    m = four_bar(a, b, c, d, crank=math.tau * fraction, side=side, frame=Frame(1 + 2j, ground))
    few, many = (m.kinematics(math.tau, samples=n) for n in (3, 1001))
    # a wrong branch would show as an error of order one; 1 % from a change point costs a few digits
    assert few.q == pytest.approx(many.q[::500], rel=0, abs=1e-10 * max(1.0, d))


@pytest.mark.parametrize("samples", [2, 3, 5, 9, 33])
@pytest.mark.parametrize("excess", [1e-3, 1e-2])
def test_nearly_a_parallelogram_stays_on_its_branch_whatever_the_spacing(excess, samples):
    """Crank and rocker differ a little: the branches nearly touch when the bars line up, and only the true one turns sharply there."""
    a, b, c, d = 1.0, 2.0, 1.0 + excess, 2.0
    m = four_bar(a, b, c, d, crank=1.0, motion="1 + t")
    r = m.kinematics(4 * math.pi, samples=samples)
    for t, phi in zip(r.times, r["rocker"].phi, strict=True):
        right = float(four_bar_angles(a, b, c, d, 1.0 + float(t))[1])
        assert abs(math.remainder(phi - right, 2 * math.pi)) < 1e-7  # the other branch is at least 0.04 rad away
