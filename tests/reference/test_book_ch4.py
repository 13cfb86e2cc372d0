"""Cams, gears, racks and composite joints of Nikravesh (1988), chapter 4, against closed forms and equivalent mechanisms."""

from __future__ import annotations

import cmath
import math
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

import pytrammel as tm
from mechanisms import cam, circles_meet, derivatives, four_bar, four_bar_angles, quick_return, rod, turning, xy

SIX_DIGITS = 0.5e-6
EXACT = 1e-12  # closed forms: a few hundred roundings of numbers of order one to ten

# eccentric circle of the digest: centre at e = 0.5 on the cam, radius 1, roller 0.3, cam at 2 rad/s
E, RHO, ROLLER, OMEGA = 0.5, 1.0, 0.3, 2.0
ECCENTRIC = tm.curves.circle(RHO, (E, 0.0), name="eccentric")


def assert_motion(found: tuple[Any, Any, Any], exact: tuple[Any, Any, Any], tolerance: float = EXACT) -> None:
    """Position, velocity and acceleration agree, each relative to its own largest value."""
    for got, want in zip(found, exact, strict=True):
        assert got == pytest.approx(want, rel=0, abs=tolerance * max(1.0, float(np.abs(want).max())))


def follower(k: tm.results.Result) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return k["follower"].y, k["follower"].vy, k["follower"].ay


# --- eccentric cam, translating followers --------------------------------------------------------------------------------

# angle [deg]: y, yd, ydd
ROLLER_TABLE = {
    0: (1.2, 1.0, 0.833333),
    30: (1.475765, 1.042655, -0.617543),
    100: (1.789501, -0.239568, -2.697424),
    200: (1.041114, -0.807118, 1.301525),
}


def test_roller_on_eccentric_at_the_tabulated_angles() -> None:
    k = cam("roller", ECCENTRIC).kinematics(times=np.radians(list(ROLLER_TABLE)) / OMEGA)
    assert np.column_stack(follower(k)) == pytest.approx(np.array(list(ROLLER_TABLE.values())), abs=SIX_DIGITS)


def test_point_on_eccentric_at_thirty_degrees() -> None:
    k = cam("point", ECCENTRIC).kinematics(times=[0.0, math.radians(30) / OMEGA])
    assert [series[1] for series in follower(k)] == pytest.approx([1.151388, 1.106218, -0.509304], abs=SIX_DIGITS)


@pytest.mark.parametrize("kind", ["roller", "point"])
def test_offset_follower_on_eccentric(kind: str) -> None:
    # guide at x = 0.2: the centre distance is the hypotenuse, y = e sin + sqrt(R^2 - (0.2 - e cos)^2)
    reach = RHO + (ROLLER if kind == "roller" else 0.0)

    def height(t: Any) -> Any:
        phi = OMEGA * t
        return E * mpmath.sin(phi) + mpmath.sqrt(reach**2 - (0.2 - E * mpmath.cos(phi)) ** 2)

    k = cam(kind, ECCENTRIC, offset=0.2).kinematics(math.tau / OMEGA, samples=13)
    assert_motion(follower(k), derivatives(height, k.times))


@pytest.mark.parametrize("kind", ["roller", "point", "flat"])
def test_follower_on_eccentric_does_not_depend_on_the_spacing_of_instants(kind: str) -> None:
    few, many = (cam(kind, ECCENTRIC).kinematics(2 * math.tau, samples=n) for n in (3, 1001))
    assert_motion((few.q, few.v, few.a), (many.q[::500], many.v[::500], many.a[::500]))


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("kind", ["roller", "point", "flat"])
def test_cam_in_millimetres_moves_like_one_in_metres(kind: str, scale: float) -> None:
    plain = cam(kind, ECCENTRIC).kinematics(math.pi, samples=21)
    small = tm.curves.circle(RHO * scale, (E * scale, 0.0))
    k = cam(kind, small, radius=ROLLER * scale, height=1.5 * scale).kinematics(math.pi, samples=21)
    assert_motion(tuple(x / scale for x in follower(k)), follower(plain))


@pytest.mark.parametrize("height", [1.186998, 0.9, 1.4, 3.0])
def test_roller_from_a_poor_start_stays_outside_the_cam(height: float) -> None:
    # the book's pair of equations also has the roller inside, y = 1.186998; outside it is 1.789501
    m = cam("roller", ECCENTRIC, start=math.radians(100), height=height)
    assert m.assemble().pose("follower")[1] == pytest.approx(1.789501, abs=SIX_DIGITS)


# --- eccentric cam, oscillating followers --------------------------------------------------------------------------------


def oscillating(kind: str, d: float, arm: float) -> tm.PlanarModel:
    """Eccentric about the origin, rocker about (d, 0) with a roller at its end or with a flat face through its pivot."""
    m = tm.PlanarModel("oscillating follower")
    m.body("cam")
    m.revolute("O", m.ground, "cam", at=(0, 0))
    if kind == "roller":
        centre = circles_meet(complex(E), complex(d), RHO + ROLLER, arm, 1)
        tilt = cmath.phase(centre - d)
    else:
        tilt = math.pi - math.asin(RHO / (d - E)) - 0.05  # not quite tangent: assembly closes it
    m.body("rocker", position=(d, 0), angle=tilt)
    m.revolute("D", m.ground, "rocker", at=(d, 0))
    if kind == "roller":
        m.cam_roller("contact", "cam", m["rocker"].at(arm, 0), curve=ECCENTRIC, radius=ROLLER)
    else:
        m.cam_flat("contact", "cam", "rocker", curve=ECCENTRIC, face=(m["rocker"].at(0, 0), m["rocker"].at(1, 0)))
    m.driver("motor", "cam.phi", turning(0.0, OMEGA))
    return m


def rocker(k: tm.results.Result) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return k["rocker"].phi, k["rocker"].omega, k["rocker"].alpha


def test_oscillating_roller_follower_is_a_four_bar() -> None:
    # centres of cam circle and roller keep the distance rho_i + rho_j: crank e, coupler 1.3, rocker 1.8, frame 2.5
    k = oscillating("roller", 2.5, 1.8).kinematics(math.tau / OMEGA, samples=25)
    exact = derivatives(lambda t: four_bar_angles(E, RHO + ROLLER, 1.8, 2.5, OMEGA * t, 1)[1], k.times)
    assert_motion(rocker(k), exact)


def test_oscillating_flat_follower_is_a_tangent_from_its_pivot() -> None:
    d = 2.5

    def face(t: Any) -> Any:
        # tangent from D to the circle about G = e exp(i phi); the face lies above the cam
        x, y = E * mpmath.cos(OMEGA * t) - d, E * mpmath.sin(OMEGA * t)
        towards_centre = mpmath.atan2(y, x) % (2 * mpmath.pi)
        return towards_centre - mpmath.asin(RHO / mpmath.hypot(x, y))

    k = oscillating("flat", d, 0.0).kinematics(math.tau / OMEGA, samples=25)
    assert_motion(rocker(k), derivatives(face, k.times))


# --- Table 4.1: a cam outline from fifteen points ------------------------------------------------------------------------

TABLE_4_1 = {
    0: 3.70, 30: 4.55, 60: 6.80, 70: 8.38, 80: 10.65, 90: 12.46, 100: 11.10, 110: 8.65, 120: 7.04, 150: 4.63, 180: 3.80,
    225: 3.62, 270: 3.80, 315: 3.62, 360: 3.70,
}  # fmt: skip
ANGLES_4_1 = np.radians(list(TABLE_4_1))
RADII_4_1 = np.array(list(TABLE_4_1.values()))
OUTLINE = tm.curves.polar_table(ANGLES_4_1, RADII_4_1, name="Table 4.1")

# periodic cubic spline through the table, theta [deg]: s, s', s'' (digest, independent)
SPLINE_4_1 = {
    0: (3.700000, 0.868137, 2.827453),
    15: (4.025156, 1.619626, 2.913499),
    45: (5.352637, 4.017618, 9.40672),
    65: (7.506634, 8.964303, 21.893924),
    85: (11.827585, 11.530975, -71.587427),
    90: (12.46, 1.802477, -151.373337),
    95: (12.119778, -8.696004, -89.23412),
    105: (9.840802, -14.562172, 8.981255),
    135: (5.536645, -4.445134, 8.706158),
    200: (3.620691, -0.247037, 1.348786),
    250: (3.738375, 0.275934, -0.30693),
    300: (3.705764, -0.316019, -0.232176),
    345: (3.559609, 0.242598, 1.951311),
}


def test_point_follower_draws_the_spline_of_table_4_1() -> None:
    # a cam turning backwards at 1 rad/s under a point on the y axis shows y = s(t), with all its derivatives
    k = cam("point", OUTLINE, start=math.pi / 2, rate=-1.0, height=3.7).kinematics(times=np.radians(list(SPLINE_4_1)))
    assert np.column_stack(follower(k)) == pytest.approx(np.array(list(SPLINE_4_1.values())), abs=SIX_DIGITS)


def roller_centre_height(theta_of_axis: float, radius: float) -> float:
    """Height of a roller on the y axis over the cam of Table 4.1, by root finding on scipy's spline."""
    s = CubicSpline(ANGLES_4_1, RADII_4_1, bc_type="periodic")

    def pitch(theta: float) -> complex:
        point = s(theta) * cmath.exp(1j * theta)
        tangent = (s(theta, 1) + 1j * s(theta)) * cmath.exp(1j * theta)
        return point - 1j * radius * tangent / abs(tangent)  # outward: to the right of the counter-clockwise tangent

    angle = lambda theta: math.remainder(cmath.phase(pitch(theta)) - theta_of_axis, math.tau)  # noqa: E731
    grid = theta_of_axis + np.linspace(-0.5, 0.5, 201)
    values = np.array([angle(x) for x in grid])
    k = int(np.flatnonzero((values[:-1] <= 0) & (values[1:] > 0))[0])
    return abs(pitch(brentq(angle, grid[k], grid[k + 1], xtol=1e-14)))


def test_roller_follower_on_table_4_1_has_the_right_lift() -> None:
    times = np.radians([5.0, 40.0, 85.0, 140.0, 230.0, 330.0])
    k = cam("roller", OUTLINE, start=math.pi / 2, rate=-1.0, radius=0.3, height=4.0).kinematics(times=[0.0, *times])
    exact = [roller_centre_height(t, 0.3) for t in times]
    # two spline programs and a root found to 1e-14
    assert k["follower"].y[1:] == pytest.approx(exact, abs=1e-11)


def differences(k: tm.results.Result, h: float, read: Any) -> tuple[np.ndarray, np.ndarray]:
    """Fourth-order central differences of a series sampled in groups of five, spaced h."""
    q = np.asarray(read(k)).reshape(-1, 5)
    first = (q[:, 0] - 8 * q[:, 1] + 8 * q[:, 3] - q[:, 4]) / (12 * h)
    second = (-q[:, 0] + 16 * q[:, 1] - 30 * q[:, 2] + 16 * q[:, 3] - q[:, 4]) / (12 * h**2)
    return first, second


def assert_rates_are_differences(m: tm.PlanarModel, centres: Any) -> None:
    h = 1e-3
    times = (np.asarray(centres)[:, None] + h * np.arange(-2, 3)).ravel()
    k = m.kinematics(times=times)
    first, second = differences(k, h, lambda k: k["follower"].y)
    middle = slice(2, None, 5)
    # truncation h^4/30 times a fifth derivative up to 1e5 is 3e-9; rounding 1e-14/h^2 is 1e-8
    assert k["follower"].vy[middle] == pytest.approx(first, abs=1e-9 * np.abs(first).max())
    assert k["follower"].ay[middle] == pytest.approx(second, abs=1e-8 * np.abs(second).max())


def test_roller_rates_on_table_4_1_are_differences_of_its_positions() -> None:
    m = cam("roller", OUTLINE, start=math.pi / 2, rate=-1.0, radius=0.3, height=4.0)
    assert_rates_are_differences(m, np.radians([20.0, 75.0, 130.0, 240.0, 280.0]))  # between the knots of the table


def flat_on_table_4_1() -> tm.PlanarModel:
    with pytest.warns(tm.ModelWarning, match="hollow"):
        return cam("flat", OUTLINE, start=math.pi / 2, rate=-1.0, height=5.0)


def test_flat_face_rates_on_table_4_1_are_differences_of_its_positions() -> None:
    assert_rates_are_differences(flat_on_table_4_1(), [0.35, 1.2, 2.0, 2.7])  # contact between the knots of the table


def curvature_4_1(theta: Any) -> Any:
    """Curvature of the outline in polar coordinates, by scipy's spline."""
    s = CubicSpline(ANGLES_4_1, RADII_4_1, bc_type="periodic")
    return (s(theta) ** 2 + 2 * s(theta, 1) ** 2 - s(theta) * s(theta, 2)) / (s(theta) ** 2 + s(theta, 1) ** 2) ** 1.5


def test_flat_face_on_table_4_1_cannot_enter_the_hollow() -> None:
    # the outline bends inwards between 110 and 115 deg; the face can follow it only to the inflection
    s = CubicSpline(ANGLES_4_1, RADII_4_1, bc_type="periodic")
    inflection = brentq(curvature_4_1, *np.radians([108.0, 112.0]), xtol=1e-14)
    tangent = cmath.phase((s(inflection, 1) + 1j * s(inflection)) * cmath.exp(1j * inflection))
    limit = (tangent - math.pi / 2) % math.tau  # time at which the cam has turned this tangent along -x
    # the contact runs off like a square root there, so 1e-6 beside the limit is well resolved
    with pytest.raises(tm.SingularError) as stopped:
        flat_on_table_4_1().kinematics(times=[0.0, 1.0, 2.0, limit - 1e-6, limit + 1e-6])
    assert stopped.value.partial.times[-1] == limit - 1e-6


@pytest.mark.parametrize(("share", "reported"), [(0.98, False), (1.02, True)])
def test_roller_larger_than_the_hollow_of_table_4_1_is_reported(share: float, reported: bool) -> None:
    theta = np.linspace(*np.radians([110.0, 115.0]), 5001)
    hollow = 1 / -curvature_4_1(theta).min()
    found = OUTLINE.check(share * hollow)
    assert any("roller" in sentence or "undercut" in sentence for sentence in found) == reported
    if reported:
        with pytest.warns(tm.ModelWarning, match="undercuts"):
            cam("roller", OUTLINE, radius=share * hollow, height=150.0)
    else:
        cam("roller", OUTLINE, radius=share * hollow, height=150.0)  # a warning would fail the test


# --- translating cam -------------------------------------------------------------------------------------------------------


def test_roller_on_a_sliding_sine_profile() -> None:
    # Prob 4.19: profile y = 0.2 sin x on a slide moving at 0.5 m/s, roller 0.15 on the y axis
    profile = tm.curves.analytic("u", "0.2*sin(u)", -6.0, 6.0, name="sine")
    m = tm.PlanarModel("translating cam")
    m.body("cam")
    m.body("follower", position=(0, 0.2))
    m.prismatic("bed", m.ground, m["cam"].at(0, 0), at=(0, 0), axis=(1, 0))
    m.prismatic("guide", m.ground, m["follower"].at(0, 0), at=(0, 0.2), axis=(0, 1))
    m.cam_roller("contact", "cam", m["follower"].at(0, 0), curve=profile, radius=0.15)
    m.driver("motor", "cam.x", "-0.5*t")

    def height(t: Any) -> Any:
        # pitch point (u - rho f'/w, f + rho/w), w = sqrt(1 + f'^2), must lie on the y axis: abscissa 0.5 t in the cam
        slope = lambda u: mpmath.mpf("0.2") * mpmath.cos(u)  # noqa: E731
        w = lambda u: mpmath.sqrt(1 + slope(u) ** 2)  # noqa: E731
        rho = mpmath.mpf(0.15)
        u = mpmath.findroot(lambda u: u - rho * slope(u) / w(u) - t / 2, t / 2)
        return mpmath.mpf(0.2) * mpmath.sin(u) + rho / w(u)

    k = m.kinematics(8.0, samples=9)
    assert_motion(follower(k), derivatives(height, k.times))


def test_point_on_a_sliding_sine_profile() -> None:
    profile = tm.curves.analytic("u", "0.2*sin(u)", -6.0, 6.0, name="sine")
    m = tm.PlanarModel("translating cam")
    m.body("cam")
    m.body("follower", position=(0, 0.1))
    m.prismatic("bed", m.ground, m["cam"].at(0, 0), at=(0, 0), axis=(1, 0))
    m.prismatic("guide", m.ground, m["follower"].at(0, 0), at=(0, 0.1), axis=(0, 1))
    m.cam_point("contact", "cam", m["follower"].at(0, 0), curve=profile)
    m.driver("motor", "cam.x", "-0.5*t")
    k = m.kinematics(8.0, samples=9)
    s, c = np.sin(k.times / 2), np.cos(k.times / 2)
    assert_motion(follower(k), (0.2 * s, 0.1 * c, -0.05 * s))


# --- gears -------------------------------------------------------------------------------------------------------------------


def planetary() -> tm.PlanarModel:
    """Sun 0.2, planet 0.1, ring 0.4 on a carrier; two of sun, ring and carrier are driven."""
    m = tm.PlanarModel("planetary train")
    for name in ("sun", "ring"):
        m.body(name)
        m.revolute(f"pin_{name}", m.ground, name, at=(0, 0))
    m.body("carrier", position=(0.15, 0))
    m.body("planet", position=(0.3, 0))
    m.revolute("pin_carrier", m.ground, "carrier", at=(0, 0))
    m.revolute("pin_planet", "carrier", "planet", at=(0.3, 0))
    m.gear("sun_planet", "sun", "planet", radii=(0.2, 0.1), carrier="carrier")
    m.gear("planet_ring", "planet", "ring", radii=(0.1, 0.4), carrier="carrier", internal=True)
    return m


@pytest.mark.parametrize(
    ("free", "driven"), [("carrier", ("sun", "ring")), ("ring", ("sun", "carrier")), ("sun", ("ring", "carrier"))]
)
def test_planetary_train_obeys_willis(free: str, driven: tuple[str, str]) -> None:
    m = planetary()
    for name, speed in zip(driven, (3.0, -1.25), strict=True):
        m.driver(f"drive_{name}", f"{name}.phi", turning(0.0, speed))
    k = m.kinematics(20.0, samples=6)
    w = {name: k[name].omega for name in ("sun", "ring", "carrier", "planet")}
    # Willis: speeds relative to the carrier are in the fixed ratios, sun to ring -r_ring/r_sun, planet to ring r_ring/r_planet
    assert w["sun"] - w["carrier"] == pytest.approx(-2.0 * (w["ring"] - w["carrier"]), abs=EXACT)
    assert w["planet"] - w["carrier"] == pytest.approx(4.0 * (w["ring"] - w["carrier"]), abs=EXACT)


def test_planet_centre_moves_on_a_circle_with_the_carrier() -> None:
    m = planetary()
    m.fix("held", "ring")
    m = m.copy(without=["pin_ring"])
    m.driver("motor", "sun.phi", "3*t")
    k = m.kinematics(10.0, samples=21)
    turn = 3 * 0.2 / (0.2 + 0.4) * k.times  # Willis with the ring at rest
    assert k["planet"].position == pytest.approx(0.3 * np.column_stack([np.cos(turn), np.sin(turn)]), abs=EXACT)


# --- racks and wheels ----------------------------------------------------------------------------------------------------


def test_pinion_between_two_racks_moves_at_half_their_difference() -> None:
    # 2.7 (2) twice: x_i + rho phi = x_lower and x_i - rho phi = x_upper
    m = tm.PlanarModel("two racks")
    m.body("lower")
    m.body("upper", position=(0, 0.2))
    m.body("pinion", position=(0, 0.1))
    for name, y in (("lower", 0.0), ("upper", 0.2)):
        m.prismatic(f"bed_{name}", m.ground, m[name].at(0, 0), at=(0, y), axis=(1, 0))
        m.rack_and_pinion(f"mesh_{name}", rack=name, pinion="pinion", radius=0.1, axis=(1, 0))
    m.constrain("height", "pinion.y")
    m.driver("first", "lower.x", "0.3*t")
    m.driver("second", "upper.x", "-0.1*t^2")
    k = m.kinematics(2.0, samples=5)
    t = k.times
    assert k["pinion"].x == pytest.approx((0.3 * t - 0.1 * t**2) / 2, abs=EXACT)
    assert k["pinion"].phi == pytest.approx((0.3 * t + 0.1 * t**2) / 2 / 0.1, abs=EXACT)


@pytest.mark.parametrize("side", [1, -1], ids=["pinion left of the rack", "pinion right of the rack"])
def test_pinion_on_a_turning_inclined_rack(side: int) -> None:
    # 2.8: u.(r_i - r_j) + side rho (phi_i - phi_j) = c0 on a rack hinged at (0.4, -0.2), drawn at 0.6 rad
    rho, tilt, hinge = 0.25, 0.6, 0.4 - 0.2j
    u = cmath.exp(1j * tilt)
    m = tm.PlanarModel("turning rack")
    m.body("rack", position=xy(hinge), angle=tilt)
    m.body("pinion", position=xy(hinge + (0.8 + 1j * side * rho) * u), angle=0.1)
    m.revolute("hinge", m.ground, "rack", at=xy(hinge))
    m.point_on_line(
        "height", "rack", m["pinion"].at(0, 0), line=(m["rack"].at(0, side * rho), m["rack"].at(1, side * rho))
    )
    m.rack_and_pinion("mesh", rack="rack", pinion="pinion", radius=rho, axis=xy(u))
    m.driver("tilting", "rack.phi", "0.6 + 0.5*sin(t)")
    m.driver("rolling", "pinion.phi", "0.1 + 0.8*t - 0.3*t^2")

    def centre(t: Any) -> Any:
        angle = mpmath.mpf("0.6") + mpmath.sin(t) / 2
        rolled = mpmath.mpf("0.8") * t - mpmath.mpf("0.3") * t**2 - mpmath.sin(t) / 2  # phi_i - phi_j since the start
        travel = mpmath.mpf("0.8") - side * rho * rolled
        return mpmath.mpc(0.4, -0.2) + mpmath.mpc(travel, side * rho) * mpmath.expj(angle)

    k = m.kinematics(3.0, samples=7)
    p = k["pinion"]
    assert_motion((p.x, p.vx, p.ax), derivatives(lambda t: centre(t).real, k.times))
    assert_motion((p.y, p.vy, p.ay), derivatives(lambda t: centre(t).imag, k.times))


def rolling_wheel_problem() -> tm.PlanarModel:
    """Prob 3.12 with O at 0.2 above the plane: OA = 1.5, AB = 2, BC = 1, r = 1.2, assembled at d = 3, phi3 = 120 deg."""
    C = 3 + 1j * (1.2 - 0.2)
    B = C + cmath.exp(1j * math.radians(120))
    A = circles_meet(0j, B, 1.5, 2.0, 1)
    m = tm.PlanarModel("crank and wheel")
    rod(m, "crank", 0j, A)
    rod(m, "rod", A, B)
    m.body("wheel", position=xy(C), angle=math.radians(120))
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("A", "crank", "rod", at=xy(A))
    m.revolute("B", "rod", "wheel", at=xy(B))
    m.rolling("plane", track=m.ground, wheel="wheel", radius=1.2, at=(0, -0.2), axis=(1, 0))
    return m


def wheel_angle(crank: Any, guess: float) -> Any:
    """Loop closure |B - A| = 2 with the centre rolled to d = 3 - 1.2 (phi3 - 120 deg)."""
    start = 2 * mpmath.pi / 3
    A = mpmath.mpf("1.5") * mpmath.expj(crank)

    def gap(phi: Any) -> Any:
        B = mpmath.mpc(3 - mpmath.mpf("1.2") * (phi - start), 1) + mpmath.expj(phi)
        return abs(B - A) ** 2 - 4

    return mpmath.findroot(gap, guess)


def test_problem_3_12_wheel_rolls_to_where_the_loop_closes() -> None:
    m = rolling_wheel_problem()
    m.driver("motor", "crank.phi", math.radians(60))
    x, _, phi = m.assemble().pose("wheel")
    exact = float(wheel_angle(mpmath.pi / 3, phi))
    assert phi == pytest.approx(exact, abs=EXACT)
    assert x == pytest.approx(3 - 1.2 * (exact - math.radians(120)), abs=EXACT)


def test_problem_3_15_wheel_turns_as_the_loop_demands() -> None:
    m = rolling_wheel_problem()
    m.driver("motor", "crank.phi", "pi/3 + 0.2*t")
    k = m.kinematics(5.0, samples=6)
    guesses = dict(zip(k.times, k["wheel"].phi, strict=True))

    def phi(t: Any) -> Any:
        near = min(guesses, key=lambda s: abs(s - float(t)))
        return wheel_angle(mpmath.pi / 3 + mpmath.mpf("0.2") * t, guesses[near])

    with mpmath.workdps(30):
        exact = derivatives(phi, k.times)
    assert_motion((k["wheel"].phi, k["wheel"].omega, k["wheel"].alpha), exact)


# --- equivalent models -------------------------------------------------------------------------------------------------------


def assert_same(k: tm.results.Result, other: tm.results.Result, bodies: str) -> None:
    for name in bodies.split():
        a, b = k[name], other[name]
        assert_motion((a.x, a.vx, a.ax), (b.x, b.vx, b.ax))
        assert_motion((a.phi, a.omega, a.alpha), (b.phi, b.omega, b.alpha))


FOUR_BAR = (0.8, 2.1, 1.6, 2.5)


def slotted_four_bar(low: float, high: float) -> tm.PlanarModel:
    """The four-bar with its rocker replaced by a slot on the rocker's circle, from one rocker angle to another."""
    drawn = four_bar(*FOUR_BAR)
    arc = tm.curves.analytic("2.5 + 1.6*cos(u)", "1.6*sin(u)", low, high, name="arc")
    m = tm.PlanarModel("slotted")
    for name in ("crank", "coupler"):
        m.body(name, position=drawn[name].position, angle=drawn[name].angle)
    m.revolute("A", m.ground, m["crank"].at(-0.4, 0), at=(0, 0))
    m.revolute("B", m["crank"].at(0.4, 0), m["coupler"].at(-1.05, 0))
    m.slot("C", m.ground, m["coupler"].at(1.05, 0), curve=arc)
    m.driver("motor", "crank.phi", "pi/2 + t")
    return m


def test_slot_on_a_circular_arc_acts_like_a_rocker() -> None:
    found = slotted_four_bar(1.0, 3.0).kinematics(math.tau, samples=25)
    assert_same(found, four_bar(*FOUR_BAR).kinematics(math.tau, samples=25), "crank coupler")


@pytest.mark.parametrize("samples", [2, 5, 25, 1001])
def test_pin_that_leaves_its_slot_is_reported_whatever_the_spacing(samples: int) -> None:
    # the rocker swings to 152.87 deg = 180 - 27.1268 (Prob 5.2), the slot ends at 2.4 rad = 137.5 deg
    with pytest.raises(tm.SingularError, match="leaves its curve"):
        slotted_four_bar(1.0, 2.4).kinematics(math.tau, samples=samples)


def test_link_acts_like_a_coupler_with_two_pins() -> None:
    m = four_bar(*FOUR_BAR)
    linked = tm.PlanarModel("linked")
    for name in ("crank", "rocker"):
        linked.body(name, position=m[name].position, angle=m[name].angle)
    linked.revolute("A", linked.ground, linked["crank"].at(-0.4, 0), at=(0, 0))
    linked.revolute("D", linked.ground, linked["rocker"].at(-0.8, 0), at=(2.5, 0))
    linked.link("BC", linked["crank"].at(0.4, 0), linked["rocker"].at(0.8, 0), length=2.1)
    linked.driver("motor", "crank.phi", "pi/2 + t")
    assert_same(linked.kinematics(math.tau, samples=25), m.kinematics(math.tau, samples=25), "crank rocker")


def test_pin_on_line_acts_like_a_pinned_slider() -> None:
    blocks, pins = (
        quick_return(0.1, 0.25, 0.5, 0.2, 0.55, blocks=b).kinematics(math.tau, samples=25) for b in (True, False)
    )
    assert_same(pins, blocks, "crank lever link")


def test_welded_halves_act_like_one_crank() -> None:
    m = four_bar(*FOUR_BAR)
    k = m.kinematics(math.tau, samples=25)
    halves = m.copy(without=["B"])
    halves.body("tip", position=(0.3, 0.9), angle=0.2)
    halves.weld("seam", "crank", "tip")
    halves.revolute("B", "tip", "coupler", at=(0, 0.8))
    found = halves.kinematics(math.tau, samples=25)
    assert_same(found, k, "crank coupler rocker")
    # the tip is carried round: its angle to the crank stays 0.2 - pi/2 as drawn
    assert found["tip"].phi - found["crank"].phi == pytest.approx(np.full(25, 0.2 - math.pi / 2), abs=EXACT)
