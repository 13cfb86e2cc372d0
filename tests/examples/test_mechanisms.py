"""Each mechanism does what its closed form says: straight lines, ratios, strokes, steady motions."""

import math

import numpy as np
import pytest

from trammel.examples import find

CHECKS = {}
TURN = 2 * math.pi


def shows(name):
    """Register a check of the result of an example."""

    def keep(check):
        CHECKS[name] = check
        return check

    return keep


def place(result, name):
    p = result.point(name)
    return p.x + 1j * p.y


def third(first, second, a, b, side):
    """Third corner of triangles with the sides a from `first` and b from `second`, by the law of cosines."""
    way = second - first
    return first + a * np.exp(
        1j * (np.angle(way) + side * np.arccos((a**2 + abs(way) ** 2 - b**2) / (2 * a * abs(way))))
    )


def same(value, truth, tolerance=1e-11):
    """Newton goes on to rounding level, so that lengths of about 1 agree to 1e-11."""
    assert value == pytest.approx(np.broadcast_to(truth, np.shape(value)), abs=tolerance)


def on_watts_curve(p, half_base, arm, half_bar):
    """r² = b² - (a sin θ ± sqrt(c² - a² cos² θ))², cleared of its roots."""
    x, y, r2 = p.real, p.imag, abs(p) ** 2
    left = (arm**2 - half_bar**2 - r2) * r2 + half_base**2 * (x**2 - y**2)
    same(left**2, 4 * half_base**2 * y**2 * (half_bar**2 * r2 - half_base**2 * x**2))


@shows("watt_straight_line")
def _(r):
    p, base = place(r, "P"), complex(1.0, -0.2)
    on_watts_curve(p * abs(base) / base, abs(base) / 2, 0.5, 0.1)
    # straight to the fifth order: 0.1 mm of 200 mm
    assert np.abs(p.real[np.abs(p.imag) < 0.1]).max() < 1e-4


@shows("chebyshev_straight_line")
def _(r):
    p = place(r, "P")
    on_watts_curve(p, 0.2, 0.5, 0.1)
    same(p[[0, 50, 100]], np.array([-0.2, 0, 0.2]) + 0.4j)
    assert 0 < np.ptp(p.imag) < 0.4 * 0.01  # within 1 % of its height


@shows("roberts_straight_line")
def _(r):
    p = place(r, "P")
    same(p[[0, 100]], [0, 0.2])
    b = 0.12 * np.exp(1j * r["left"].phi)
    c = third(b, 0.2, 0.1, 0.12, 1)
    same(p, b + (c - b) * (0.5 - 1j * math.sqrt(1.2**2 - 0.5**2)))


@shows("hoeken")
def _(r):
    way = 0.04 * np.exp(1j * r["crank"].phi) - 0.08
    p = place(r, "P")
    same(p, 0.08 - 1j * way / abs(way) * np.sqrt(0.2**2 - abs(way) ** 2))
    # half a turn of the crank is straight, to 0.4 % of its length
    straight = p[np.cos(r["crank"].phi) < 1e-9]
    assert np.ptp(straight.imag) < 0.004 * np.ptp(straight.real)


@shows("hart_inversor")
def _(r):
    q = place(r, "Q")
    same(q.real, (0.3**2 - 0.15**2) / (8 * 0.08))
    same(abs(q) * abs(place(r, "trace")), (0.3**2 - 0.15**2) / 4)
    assert np.ptp(q.imag) > 0.2


@shows("scott_russell")
def _(r):
    same(place(r, "P"), 0.2j * np.sin(r["crank"].phi))


@shows("pantograph")
def _(r):
    same(place(r, "P"), 2.5 * place(r, "stylus"))


@shows("jansen_leg")
def _(r):
    a, b = 15 * np.exp(1j * r["crank"].phi), complex(-38, -7.8)
    c, e = third(a, b, 50, 41.5, -1), third(a, b, 61.9, 39.3, 1)
    d = third(b, c, 40.1, 55.8, 1)
    f = third(d, e, 39.4, 36.7, -1)
    foot = place(r, "foot")
    same(foot * 1e3, third(f, e, 65.7, 49.0, -1), 1e-9)
    # it carries for almost half a turn, level within a tenth of its lift
    assert np.mean(foot.imag - foot.imag.min() < 0.1 * np.ptp(foot.imag)) > 0.4


@shows("klann_leg")
def _(r):
    c, b, d = 17.5 * np.exp(1j * r["crank"].phi), complex(-38.8, -12.5), complex(-14.6, 41.9)
    h = third(c, b, 38.8, 23.7, -1)
    f = third(c, h, 73.4, 35.2, -1)
    e = third(f, d, 57.7, 34.1, 1)
    foot = place(r, "G")
    same(foot * 1e3, third(e, f, 111.7, 59.0, 1), 1e-9)
    assert np.mean(foot.imag - foot.imag.min() < 0.125 * np.ptp(foot.imag)) > 0.48


@shows("drag_link")
def _(r):
    # Freudenstein: K1 cos ψ - K2 cos φ + K3 = cos(φ - ψ)
    d, a, c, e = 0.05, 0.12, 0.10, 0.11
    phi, psi = r["crank"].phi, r["follower"].phi
    same(d / a * np.cos(psi) - d / e * np.cos(phi) + (d**2 + a**2 + e**2 - c**2) / (2 * a * e), np.cos(phi - psi))
    same([np.ptp(phi), psi[-1] - psi[0]], [TURN, TURN])


@pytest.mark.parametrize("name", CHECKS)
def test_the_mechanism_follows_its_closed_form(name):
    CHECKS[name](find(name).run())
