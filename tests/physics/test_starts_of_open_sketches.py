"""Where an open sketch starts is a smooth function of the model's numbers, also where extents of two parts tie."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel._util import traced_numbers
from pytrammel.system.lowering import length_scale

pytestmark = pytest.mark.slow
STEP = 2e-6  # relative, of one-sided differences of starts
KINK = 5e-4  # by which one-sided differences may be apart: curvature times the step
LENGTHS = {"crank": 0.1, "rod": 0.3, "rocker": 0.2, "base": 0.3}
TIES = [("rod", "base"), ("crank", "rod"), ("rocker", "rod"), ("crank", "base"), ("rocker", "base")]


def four_bar(lengths, seed):
    """Loose sketch of a four-bar: every body is drawn a little off."""
    rng = np.random.default_rng(seed)
    m = tm.PlanarModel("four-bar")
    size = {name: m.parameter(name, lengths[name]) for name in ("crank", "rod", "rocker")}
    base = lengths["base"]
    drawn = {"a": (0.0, 0.0, 0.9), "b": (0.06, 0.08, 0.4), "c": (base, 0.0, 1.6)}
    a, b, c = (
        m.body(name, position=(x + e[0], y + e[1]), angle=angle + 5 * e[2], mass=1.0, inertia=0.01)
        for (name, (x, y, angle)), e in zip(drawn.items(), rng.uniform(-0.01, 0.01, (3, 3)), strict=True)
    )
    m.revolute("A", m.ground.at(0, 0), a.at(0, 0)), m.revolute("B", a.at(size["crank"], 0), b.at(0, 0))
    m.revolute("C", b.at(size["rod"], 0), c.at(size["rocker"], 0)), m.revolute("D", m.ground.at(base, 0), c.at(0, 0))
    return m


def spatial_chain(lengths, seed):
    """Loose sketch of two bars in space between two balls on the ground."""
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("two bars")
    first, second = m.parameter("crank", lengths["crank"]), m.parameter("rod", lengths["rod"])
    base = 0.8 * (lengths["crank"] + lengths["rod"])
    e = rng.uniform(-0.01, 0.01, (2, 3))
    a = m.body("a", position=tuple(e[0]), mass=1.0, inertia=(0.01, 0.02, 0.03))
    b = m.body(
        "b", position=tuple(np.array([0.5 * base, 0.3 * base, 0.0]) + e[1]), mass=1.0, inertia=(0.01, 0.02, 0.03)
    )
    m.spherical("A", m.ground.at(0, 0, 0), a.at(0, 0, 0)), m.spherical("B", a.at(first, 0, 0), b.at(0, 0, 0))
    m.spherical("C", b.at(second, 0, 0), m.ground.at(base, 0, 0.05))
    return m


def tied(pair):
    return {**LENGTHS, pair[0]: LENGTHS["rod"], pair[1]: LENGTHS["rod"]}


def starts(make, lengths, seed, name, sides=(-1.0, 0.0, 1.0)):
    def at(share):
        return make({**lengths, name: lengths[name] * (1.0 + share * STEP)}, seed).assemble().q

    return [at(side) for side in sides]


CASES = [(four_bar, pair, seed) for pair in TIES for seed in range(4)]
CASES += [(spatial_chain, ("crank", "rod"), seed) for seed in range(4)]


@pytest.mark.parametrize(("make", "pair", "seed"), CASES)
def test_where_extents_tie_the_start_has_no_kink(make, pair, seed):
    lengths, name = tied(pair), next(n for n in pair if n != "base")
    below, here, above = starts(make, lengths, seed, name)
    behind, ahead = (here - below) / STEP, (above - here) / STEP
    assert np.abs(here - make(lengths, seed).assemble().system.start).max() > 1e-3  # open
    np.testing.assert_allclose(ahead, behind, rtol=0, atol=KINK * max(1.0, np.abs(ahead).max()))


@pytest.mark.parametrize("pair", TIES[:3])
@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_gradients_by_lengths_that_tie(pair, way):
    m, name = four_bar(tied(pair), 1), next(n for n in pair if n != "base")
    g = m.gradient("a.phi[start]", 0.02, samples=3, wrt=[name], method=way)
    below, above = starts(four_bar, tied(pair), 1, name, (-1.0, 1.0))
    angle = m.assemble().system.coordinates.index("a.phi")
    found = (above - below)[angle] / (2 * STEP * tied(pair)[name])
    assert g.array == pytest.approx([found], rel=1e-5)


def test_variants_of_a_batch_have_the_bits_of_single_runs_near_ties():
    m = four_bar(tied(("rod", "base")), 2)
    rods = 0.3 * np.array([0.9, 0.991, 0.998, 1.0, 1.000001, 1.004, 1.0099, 1.06])
    many = m.batch({"rod": rods}).simulate(0.05, samples=3, keep=["a.phi", "b.x"])
    for k, rod in enumerate(rods):
        one = m.with_parameters(rod=rod).simulate(0.05, samples=3)
        np.testing.assert_array_equal(many.values("a.phi")[k], one["a"].phi)
        np.testing.assert_array_equal(many.values("b.x")[k], one["b"].x)
    assert many.n_fallback < len(rods)  # some were run by kernels for many variants


def offset_slider(offset, seed, dimension):
    """Loose sketch of a crank with a guide beside its axis; a second pin lies on the side to which the offset does not point."""
    rng = np.random.default_rng(seed)
    e = rng.uniform(-0.02, 0.02, (4, 3))
    m = (tm.PlanarModel if dimension == 2 else tm.SpatialModel)("offset slider")
    m.parameter("offset", offset)
    far = rng.uniform(0.1, 0.2)
    if dimension == 2:
        bodies = {"a": (0, 0, 0.9), "b": (0.06, 0.08, -0.25), "c": (0.36, 0, 0), "d": (0.2, far, 0)}
        for (name, (x, y, angle)), d in zip(bodies.items(), e, strict=True):
            m.body(name, position=(x + d[0], y + d[1]), angle=angle + d[2], mass=1.0, inertia=0.01)
        m.revolute("A", m.ground.at(0, 0), m["a"].at(0, 0)), m.revolute("B", m["a"].at(0.1, 0), m["b"].at(0, 0))
        m.revolute("C", m["b"].at(0.31, 0), m["c"].at(0, 0)), m.revolute("D", m.ground.at(0.2, far), m["d"].at(0, 0))
        m.prismatic("T", m.ground.at(0.4, "offset"), m["c"].at(0, 0), axis=(1, 0))
        return m
    for (name, place), d in zip({"a": (0.0, 0.0, 0.0), "b": (0.2, 0.1, 0.0)}.items(), e, strict=False):
        m.body(name, position=tuple(np.add(place, d)), mass=1.0, inertia=(0.01, 0.02, 0.03))
    (
        m.spherical("A", m.ground.at(0, 0, 0), m["a"].at(0, 0, 0)),
        m.spherical("B", m["a"].at(0.25, 0, 0), m["b"].at(0, 0, 0)),
    )
    m.spherical("C", m["b"].at(0.25, 0, 0), m.ground.at(0.4, "offset", 0))
    m.body("c", position=(0.2, far, 0.1), mass=1.0, inertia=(0.01, 0.02, 0.03))
    m.spherical("D", m.ground.at(0.2, far, 0.1), m["c"].at(0, 0, 0))
    return m


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dimension", [2, 3])
def test_where_a_coordinate_passes_zero_the_start_has_no_kink(dimension, seed):
    """The box around the pins of the ground grows on one side of zero only: a tie of the offset with the other pins."""
    below, here, above = (offset_slider(x, seed, dimension).assemble().q for x in (-STEP, 0.0, STEP))
    behind, ahead = (here - below) / STEP, (above - here) / STEP
    assert np.abs(ahead).max() > 0.1
    np.testing.assert_allclose(ahead, behind, rtol=0, atol=KINK * max(1.0, np.abs(ahead).max()))


@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_gradients_by_a_coordinate_that_is_zero(way):
    m = offset_slider(0.0, 1, 2)
    below, above = (offset_slider(x, 1, 2).assemble().q for x in (-STEP, STEP))
    angle = m.assemble().system.coordinates.index("a.phi")
    g = m.gradient("a.phi[start]", 0.02, samples=3, wrt=["offset"], method=way)
    assert g.array == pytest.approx([(above - below)[angle] / (2 * STEP)], rel=1e-5)


# --- the smooth maximum itself --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_smooth_maximum_is_the_maximum_where_numbers_are_equal_or_far_apart(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-2.0, 2.0, 2)
    if abs(a - b) > 0.01 * max(abs(a), abs(b)):
        assert traced_numbers.smooth_maximum([a, b]) == max(a, b) and traced_numbers.smooth_minimum([a, b]) == min(a, b)
    assert traced_numbers.smooth_maximum([a, a, a]) == a == traced_numbers.smooth_minimum([a, a])


@pytest.mark.parametrize("count", [2, 3, 7])
def test_the_smooth_maximum_has_no_kink_where_a_number_passes_zero(count):
    rng = np.random.default_rng(count)
    others = [0.0, *rng.uniform(-1.0, -0.1, count - 1)]

    def slope(x, h=1e-7):
        return (traced_numbers.smooth_maximum([*others, x + h]) - traced_numbers.smooth_maximum([*others, x - h])) / (
            2 * h
        )

    assert slope(1e-6) == pytest.approx(slope(-1e-6), abs=0.02) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("gap", np.linspace(-0.012, 0.012, 25))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_smooth_maximum_has_the_derivatives_of_its_values(gap, sign):
    a, b, size, h = sign * 0.7, sign * 0.7 * (1.0 + gap), 0.8, 1e-7
    assert traced_numbers.larger_number(a, b, size) == float(
        traced_numbers.larger(np.array([a]), np.array([b]), np.array([size]))[0]
    )
    found = [
        (traced_numbers.larger_number(a + x, b + y, size + z) - traced_numbers.larger_number(a - x, b - y, size - z))
        / (2 * h)
        for x, y, z in h * np.eye(3)
    ]
    assert traced_numbers.larger_slopes(a, b, size) == pytest.approx(found, abs=1e-6)
    assert max(a, b) - 0.01 * size <= traced_numbers.larger_number(a, b, size) <= max(a, b)


def test_the_size_of_a_model_is_its_largest_extent():
    assert length_scale(four_bar(LENGTHS, 0)) == 0.3 == length_scale(four_bar({**LENGTHS, "rod": 0.25}, 0))
