"""Each mechanism does what its closed form says: straight lines, ratios, strokes, steady motions."""

import math

import numpy as np
import pytest

from closed_forms import Checks, same
from pytrammel.examples import find

CHECKS = Checks()
TURN = 2 * math.pi


def place(result, name):
    p = result.point(name)
    return p.x + 1j * p.y


def third(first, second, a, b, side):
    """Third corner of triangles with the sides a from `first` and b from `second`, by the law of cosines."""
    way = second - first
    return first + a * np.exp(
        1j * (np.angle(way) + side * np.arccos((a**2 + abs(way) ** 2 - b**2) / (2 * a * abs(way))))
    )


def on_watts_curve(p, half_base, arm, half_bar):
    """r² = b² - (a sin θ ± sqrt(c² - a² cos² θ))², cleared of its roots."""
    x, y, r2 = p.real, p.imag, abs(p) ** 2
    left = (arm**2 - half_bar**2 - r2) * r2 + half_base**2 * (x**2 - y**2)
    same(left**2, 4 * half_base**2 * y**2 * (half_bar**2 * r2 - half_base**2 * x**2))


@CHECKS.of("watt_straight_line")
def _(r):
    p, base = place(r, "P"), complex(1.0, -0.2)
    on_watts_curve(p * abs(base) / base, abs(base) / 2, 0.5, 0.1)
    # straight to the fifth order: 0.1 mm of 200 mm
    assert np.abs(p.real[np.abs(p.imag) < 0.1]).max() < 1e-4


@CHECKS.of("chebyshev_straight_line")
def _(r):
    p = place(r, "P")
    on_watts_curve(p, 0.2, 0.5, 0.1)
    same(p[[0, 50, 100]], np.array([-0.2, 0, 0.2]) + 0.4j)
    assert 0 < np.ptp(p.imag) < 0.4 * 0.01  # within 1 % of its height


@CHECKS.of("roberts_straight_line")
def _(r):
    p = place(r, "P")
    same(p[[0, 100]], [0, 0.2])
    b = 0.12 * np.exp(1j * r["left"].phi)
    c = third(b, 0.2, 0.1, 0.12, 1)
    same(p, b + (c - b) * (0.5 - 1j * math.sqrt(1.2**2 - 0.5**2)))


@CHECKS.of("hoeken")
def _(r):
    way = 0.04 * np.exp(1j * r["crank"].phi) - 0.08
    p = place(r, "P")
    same(p, 0.08 - 1j * way / abs(way) * np.sqrt(0.2**2 - abs(way) ** 2))
    # half a turn of the crank is straight, to 0.4 % of its length
    straight = p[np.cos(r["crank"].phi) < 1e-9]
    assert np.ptp(straight.imag) < 0.004 * np.ptp(straight.real)


@CHECKS.of("hart_inversor")
def _(r):
    q = place(r, "Q")
    same(q.real, (0.3**2 - 0.15**2) / (8 * 0.08))
    same(abs(q) * abs(place(r, "trace")), (0.3**2 - 0.15**2) / 4)
    assert np.ptp(q.imag) > 0.2


@CHECKS.of("scott_russell")
def _(r):
    same(place(r, "P"), 0.2j * np.sin(r["crank"].phi))


@CHECKS.of("pantograph")
def _(r):
    same(place(r, "P"), 2.5 * place(r, "stylus"))


@CHECKS.of("jansen_leg")
def _(r):
    a, b = 15 * np.exp(1j * r["crank"].phi), complex(-38, -7.8)
    c, e = third(a, b, 50, 41.5, -1), third(a, b, 61.9, 39.3, 1)
    d = third(b, c, 40.1, 55.8, 1)
    f = third(d, e, 39.4, 36.7, -1)
    foot = place(r, "foot")
    same(foot * 1e3, third(f, e, 65.7, 49.0, -1), 1e-9)
    # it carries for almost half a turn, level within a tenth of its lift
    assert np.mean(foot.imag - foot.imag.min() < 0.1 * np.ptp(foot.imag)) > 0.4


@CHECKS.of("klann_leg")
def _(r):
    c, b, d = 17.5 * np.exp(1j * r["crank"].phi), complex(-38.8, -12.5), complex(-14.6, 41.9)
    h = third(c, b, 38.8, 23.7, -1)
    f = third(c, h, 73.4, 35.2, -1)
    e = third(f, d, 57.7, 34.1, 1)
    foot = place(r, "G")
    same(foot * 1e3, third(e, f, 111.7, 59.0, 1), 1e-9)
    assert np.mean(foot.imag - foot.imag.min() < 0.125 * np.ptp(foot.imag)) > 0.48


@CHECKS.of("drag_link")
def _(r):
    # Freudenstein: K1 cos ψ - K2 cos φ + K3 = cos(φ - ψ)
    d, a, c, e = 0.05, 0.12, 0.10, 0.11
    phi, psi = r["crank"].phi, r["follower"].phi
    same(d / a * np.cos(psi) - d / e * np.cos(phi) + (d**2 + a**2 + e**2 - c**2) / (2 * a * e), np.cos(phi - psi))
    same([np.ptp(phi), psi[-1] - psi[0]], [TURN, TURN])


@CHECKS.of("watt_six_bar")
def _(r):
    b = 0.04 * np.exp(1j * r["crank"].phi)
    e = 0.12 + (third(b, 0.12, 0.11, 0.08, 1) - 0.12) * 0.9 / 0.8 * np.exp(-1j * math.radians(50))
    same(place(r, "P"), 2 * third(e, 0.22, 0.10, 0.055, 1) - 0.22)
    assert np.ptp(r["output"].phi) > 1.3 * np.ptp(r["rocker"].phi)


@CHECKS.of("stephenson_six_bar")
def _(r):
    p, pivot = place(r, "P_path"), complex(0.18, 0.027)
    same(pivot + 0.1 * np.exp(1j * r["output"].phi), third(p, pivot, 0.1693, 0.1, -1))
    resting = np.cos(r["crank"].phi) > math.cos(math.radians(40))
    assert np.ptp(r["output"].phi[resting]) < 0.03 * np.ptp(r["output"].phi)


@CHECKS.of("toggle_press")
def _(r):
    upper, ram = r["upper"].phi, r["ram"]
    same(ram.y, 0.4 - 2 * 0.2 * np.cos(upper + math.pi / 2))
    # nothing else has mass: the motor's power is the ram's
    same(r.effort("motor") * TURN, (50 * (ram.ay + 9.81) - 10e3) * ram.vy, 1e-7)


@CHECKS.of("windshield_wiper")
def _(r):
    same(r["right"].phi, r["left"].phi)
    base = abs(complex(0.25, 0.07))
    folded, stretched = (math.acos((base**2 + 0.07**2 - far**2) / (2 * base * 0.07)) for far in (0.21, 0.29))
    # 241 samples miss each end by at most a T²/8, with a below 60 rad/s²
    same(np.ptp(r["left"].phi), stretched - folded, 2 * 60 / 240**2 / 8)


@CHECKS.of("sewing_machine")
def _(r):
    turned = r["crank"].phi
    same(r["needle"].y, 0.015 * np.sin(turned) - np.sqrt(0.05**2 - (0.015 * np.cos(turned)) ** 2))
    b = 0.012 * np.exp(1j * (turned + math.radians(60)))
    c = third(b, complex(-0.03, 0.01), 0.025, 0.022, -1)
    same(place(r, "E"), b + 2 * (c - b) * np.exp(-0.5j))


@CHECKS.of("landing_gear")
def _(r):
    span2 = 0.9**2 + 0.8**2 - 2 * 0.9 * 0.8 * np.cos(r["leg"].phi)
    knee = math.pi - (r["lower"].phi - r["upper"].phi)
    same(np.cos(knee), (0.63**2 + 0.58**2 - span2) / (2 * 0.63 * 0.58))
    same(r["leg"].phi[[0, -1]], [-math.pi / 2, 0.0])
    assert np.cos(knee[0]) < -0.98  # almost straight


@CHECKS.of("scissor_lift")
def _(r):
    foot, platform = r.point("R0"), r["platform"]
    same(platform.y, 3 * np.sqrt(1 - foot.x**2))
    same(platform.phi, 0.0)
    same(r.effort("cylinder") * foot.vx, 300 * (platform.ay + 9.81) * platform.vy, 1e-7)


@CHECKS.of("trebuchet")
def _(r):
    energy = r.energy
    same(energy.total, energy.total[0], 1e-6 * np.ptp(energy.kinetic))  # the run's tolerance
    stone = 2.0 * (r["stone"].vx ** 2 + r["stone"].vy ** 2)
    assert stone.max() > 0.5 * np.ptp(energy.gravity)


@CHECKS.of("v_engine")
def _(r):
    for bank, way in (("left", 135), ("right", 45)):
        a = r["crank"].phi - math.radians(way)
        along = 0.04 * np.cos(a) + np.sqrt(0.14**2 - (0.04 * np.sin(a)) ** 2)
        same(place(r, f"{bank}.centre"), along * np.exp(1j * math.radians(way)))


@CHECKS.of("radial_engine")
def _(r):
    pin = 0.05 * np.exp(1j * r["crank"].phi)
    master = 1j * (pin.imag + np.sqrt(0.18**2 - pin.real**2))
    tilt = (master - pin) / 0.18
    same(place(r, "piston0.centre"), master)
    for k in range(1, 5):
        u = np.exp(1j * TURN * k / 5)
        foot = (pin + 0.03 * tilt * u) / (1j * u)
        same(place(r, f"piston{k}.centre"), 1j * u * (foot.real + np.sqrt(0.15**2 - foot.imag**2)))


@CHECKS.of("wankel")
def _(r):
    turned = r["shaft"].phi
    for k in (1, 2, 3):
        same(place(r, f"P{k}"), 0.015 * np.exp(1j * turned) + 0.105 * np.exp(1j * (turned + (k - 1) * TURN) / 3))
    same(r["rotor"].omega, r["shaft"].omega / 3)


@CHECKS.of("tusi_couple")
def _(r):
    same(place(r, "P"), 0.1 * np.cos(r["arm"].phi))
    same(place(r, "Q"), 0.1j * np.sin(r["arm"].phi))


@CHECKS.of("wolfrom_gears")
def _(r):
    same(r["sun"].omega / r["ring"].omega, 34.0, 1e-9)
    same(r["sun"].omega / r["carrier"].omega, 4.0, 1e-10)


@CHECKS.of("ackermann_steering")
def _(r):
    left, right = r["left"].phi - math.pi / 2, r["right"].phi - math.pi / 2
    arm = complex(0.6, -2.4) / abs(complex(0.6, -2.4)) * 0.15
    ends = -0.6 + arm * np.exp(1j * left), 0.6 + -arm.conjugate() * np.exp(1j * right)
    same(abs(ends[1] - ends[0]), 1.2 - 2 * arm.real)
    # a left turn: the left wheel is the inner one
    inner, outer = left[1:50], right[1:50]
    true = np.arctan(1 / (1 / np.tan(inner) + 1.2 / 2.4))
    assert np.degrees(np.abs(outer - true)).max() < 1.5
    assert np.all(outer < inner)


@CHECKS.of("whitworth")
def _(r):
    arm = np.exp(1j * r["crank"].phi) * 0.1 + 0.04j
    same(np.exp(1j * r["arm"].phi), arm / abs(arm))
    end = -0.06 * arm / abs(arm)
    same(r["ram"].x, end.real + np.sqrt(0.25**2 - end.imag**2))
    # ends of the stroke where the arm lies along the guide: pin at the height of C
    back = np.sum(np.sin(r["crank"].phi[:-1]) < -0.4) / 240
    same(back, 0.5 - math.asin(0.4) / math.pi, 1 / 240)


@CHECKS.of("flat_follower")
def _(r):
    turned = r["cam"].phi
    same(r["follower"].y, 0.040 + 0.012 * np.sin(turned))
    same(r["follower"].ay, -0.012 * TURN**2 * np.sin(turned), 1e-9)


@CHECKS.of("pump_jack")
def _(r):
    crank = complex(-2.4, 1.2) + 0.7 * np.exp(1j * r["crank"].phi)
    rear = third(crank, 4j, 2.9, 2.4, 1)
    same(4j + 2.4 * np.exp(1j * r["beam"].phi), rear)
    same(np.diff(r["rod"].y), 2.6 * np.diff(r["beam"].phi))


@pytest.mark.parametrize("name", CHECKS)
def test_the_mechanism_follows_its_closed_form(name):
    CHECKS[name](find(name).run())
