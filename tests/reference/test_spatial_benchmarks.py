"""Spatial benchmarks with high-precision references: Bennett, RSSR, Stewart–Gough, Dzhanibekov, Bricard, a chain of boxes,
Hooke's joint.

Reference numbers were computed with 30 to 40 digits or by two independent codes (``benchmarks/*.json``, ``peers/refs.json``
of the project's reference collection), and closed forms are written out here besides.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import trammel as tm
from mechanisms import derivatives
from spatial_models import (
    BENNETT_BETA,
    STEWART_PLACE,
    STEWART_TURN,
    Y,
    Z,
    bennett,
    bennett_second,
    bricard,
    chain,
    rssr,
    rssr_output,
    stewart,
    stewart_points,
    stewart_with_legs,
    turn,
)

QUIET = {"progress": False}
LIMITED = {"max_steps": 50_000, **QUIET}
TIGHT = {"rtol": 1e-12, "atol": 1e-13, **LIMITED}


def near(a, b):
    """Difference of angles without whole turns."""
    d = np.asarray(a) - np.asarray(b)
    return d - 2 * np.pi * np.round(d / (2 * np.pi))


# --- Bennett -------------------------------------------------------------------------------------------------------------

# benchmarks/bennett.json: a = 1, alpha = 30°, b = 1.5; theta1 -> theta2, both in degrees
BENNETT = {
    20: 174.8502353655926987091, 45: 167.939158476778306488, 60: 163.2470678726867182507, 90: 151.384580580181052324,
    120: 132.3338364844877055059, 150: 92.82791909042183043142, 170: 37.86791852812120433022,
}  # fmt: skip


@pytest.mark.parametrize("degrees", BENNETT)
def test_bennett_linkage_closes_where_its_closed_form_says(degrees):
    assert pytest.approx(0.8480620789814810080529, abs=1e-15) == BENNETT_BETA  # bennett.json
    assert math.degrees(bennett_second(math.radians(degrees))) == pytest.approx(BENNETT[degrees], abs=1e-12)
    # drawn 0.15 rad away and driven to the angle: assembly must find the others; rounding of angles of a few radians
    m = bennett(math.radians(degrees) + 0.15, drive=repr(math.radians(degrees)))
    k = m.kinematics(times=[0.0], **QUIET)
    assert k.starts_tried == 1
    for joint, want in zip("1234", (degrees, BENNETT[degrees], -degrees, -BENNETT[degrees]), strict=True):
        np.testing.assert_allclose(near(k.measure(f"J{joint}.angle").value, math.radians(want)), 0.0, atol=1e-12)


@pytest.mark.parametrize("theta", [0.4, 1.0, 2.0, 2.9])
def test_bennett_linkage_moves_although_it_is_counted_as_a_structure(theta):
    """Kutzbach: 6·3 - 5·4 = -2; three rows are redundant and one degree of freedom is left (bennett.json)."""
    found = bennett(theta).mobility()
    assert (found.count, found.dof, found.singular, len(found.redundant)) == (-2, 1, False, 3)
    assert set(found.redundant_joints) <= {"J1", "J2", "J3", "J4"}
    assert "redundant: a row of 'J" in str(found)


def bennett_closed_form(theta):
    """Any number of digits; the branch of theta between -pi and pi that has both angles positive together."""
    alpha = mpmath.pi / 6
    beta = mpmath.asin(mpmath.mpf(1.5) * mpmath.sin(alpha))
    ratio = mpmath.sin((beta + alpha) / 2) / mpmath.sin((beta - alpha) / 2)
    return 2 * mpmath.atan2(ratio * mpmath.cos(theta / 2), mpmath.sin(theta / 2))


def test_bennett_linkage_through_a_whole_turn():
    """Position, speed and acceleration of the second joint against the closed form, at 1 rad/s."""
    m = bennett(2.0, drive="2 + t")
    times = np.linspace(0.0, 2 * np.pi, 61)
    k = m.kinematics(times=times, **QUIET)
    second = k.measure("J2.angle")
    value, rate, acceleration = derivatives(lambda t: bennett_closed_form(2 + t), times)
    np.testing.assert_allclose(near(second.value, value), 0.0, atol=1e-12)
    np.testing.assert_allclose(second.rate, rate, atol=1e-11)  # rounding times the condition of 20 velocity rows
    np.testing.assert_allclose(second.second, acceleration, atol=1e-10)
    third, fourth = k.measure("J3.angle"), k.measure("J4.angle")
    np.testing.assert_allclose(near(third.value, -(2 + times)), 0.0, atol=1e-12)
    np.testing.assert_allclose(near(fourth.value, -value), 0.0, atol=1e-12)
    assert k.closure() < 1e-12
    # the whole set of rows keeps its rank of 17 all the way round: no singular position is met
    assert k.passages == ()


def test_bennett_linkage_swings_and_keeps_its_energy():
    r = bennett(2.0).simulate(3.0, samples=61, rtol=1e-10, **LIMITED)
    total = r.energy.total
    np.testing.assert_allclose(total, total[0], atol=1e-7)  # rtol 1e-10 over some hundred steps, energies of 20 J
    second = [bennett_second(theta) for theta in r.measure("J1.angle").value]
    np.testing.assert_allclose(near(r.measure("J2.angle").value, second), 0.0, atol=1e-11)
    assert "redundant but consistent" in r.summary()


# --- RSSR four-bar -------------------------------------------------------------------------------------------------------

# benchmarks/rssr.json: crank angle in degrees: psi on both branches, dpsi/dtheta on the first
RSSR = {
    0: (1.994827366285637123258, -0.4240310394907405040265, 0.0),
    30: (2.047075677948910798472, -0.5410730350851964543744, 0.1850986849114382710832),
    60: (2.167370812947483705785, -0.8178889285003783796724, 0.2545579762179526505559),
    90: (2.297922341709862750086, -1.121917134614727647595, 0.2339237155769873302081),
    120: (2.405226810841196070889, -1.366934582348150167346, 0.1715329634067310323063),
    150: (2.474299587609103424555, -1.519473454166838453097, 0.09013420276581134598459),
    180: (2.49809154479650885166, -1.570796326794896619231, 0.0),
    210: (2.474299587609103424555, -1.519473454166838453097, -0.09013420276581134598459),
    240: (2.405226810841196070889, -1.366934582348150167346, -0.1715329634067310323063),
    270: (2.297922341709862750086, -1.121917134614727647595, -0.2339237155769873302081),
    300: (2.167370812947483705785, -0.8178889285003783796724, -0.2545579762179526505559),
    330: (2.047075677948910798472, -0.5410730350851964543744, -0.1850986849114382710832),
}  # fmt: skip


@pytest.mark.parametrize("branch", [1, -1])
def test_rssr_four_bar_through_a_turn_on_both_branches(branch):
    k = rssr(0.0, branch, drive="t").kinematics(times=np.radians(list(RSSR)), **QUIET)
    psi = k.measure("D.angle")
    want = np.array([row[0 if branch == 1 else 1] for row in RSSR.values()])
    np.testing.assert_allclose(near(psi.value, want), 0.0, atol=1e-13)
    assert [rssr_output(math.radians(d), branch) for d in RSSR] == pytest.approx(want.tolist(), abs=1e-14)
    if branch == 1:
        np.testing.assert_allclose(psi.rate, [row[2] for row in RSSR.values()], atol=1e-13)
    assert rssr(0.0, branch).mobility().dof == 1


def test_the_coupler_of_the_rssr_may_spin_about_itself():
    """Two balls leave the coupler one rotation that nothing else feels: 2 degrees of freedom, drivers for 1."""
    m = rssr(0.3, coupler="body", drive="0.3 + t")
    found = m.mobility()
    assert (found.dof, found.count, found.redundant) == (2, 2, ())
    with pytest.raises(tm.MobilityError, match=r"2 degrees of freedom but 1 driver, .*rod\.r"):
        m.kinematics(1.0, **QUIET)
    level = m.copy()
    level.constrain("level", level["rod"].cosine("y", "z"))  # its y axis keeps its slope
    times = np.radians(list(RSSR))
    k = level.kinematics(times=times, **QUIET)
    link = rssr(0.3, drive="0.3 + t").kinematics(times=times, **QUIET)
    for order in ("value", "rate", "second"):
        # rounding, amplified by the rows of the coupler's joints
        got, want = (getattr(found.measure("D.angle"), order) for found in (k, link))
        np.testing.assert_allclose(got, want, atol=1e-11)
    np.testing.assert_allclose(k["rod"].matrix[:, 2, 1], m["rod"].matrix[2, 1], atol=1e-13)


def test_the_spin_of_the_coupler_can_be_driven():
    """With one crank, the angle about its own axis that follows from the spin does not depend on a way: kinematics integrates it, too."""
    m = rssr(0.3, coupler="body", drive="0.3 + t")
    m.driver("spin", m["rod"].spin("x"), "2*t")  # 2 rad/s about its own axis
    times = np.radians(list(RSSR))
    r = m.simulate(times=times, **TIGHT)
    k = m.kinematics(times=times, **QUIET)
    np.testing.assert_allclose(k["rod"].matrix, r["rod"].matrix, atol=1e-8)  # both integrate to about 1e-10 a radian
    link = rssr(0.3, drive="0.3 + t").kinematics(times=times, **QUIET)
    np.testing.assert_allclose(r["rod"].omega_body[:, 0], 2.0, atol=1e-10)
    np.testing.assert_allclose(near(r.measure("D.angle").value, link.measure("D.angle").value), 0.0, atol=1e-10)
    np.testing.assert_allclose(r.measure("D.angle").second, link.measure("D.angle").second, atol=1e-9)


def test_the_free_spin_of_the_coupler_keeps_its_momentum():
    """A coupler that is round about its axis (J_yy = J_zz) feels no torque about it: its spin stays, to the error tolerance."""
    m = rssr(0.3, coupler="body").copy(changes={"rod": {"omega": (5.0, 0.0, 0.0)}})
    r = m.simulate(2.0, samples=21, hold=["rod.wx"], rtol=1e-11, atol=1e-13, **LIMITED)
    np.testing.assert_allclose(r["rod"].omega_body[:, 0], 5.0, atol=1e-8)
    still = rssr(0.3, coupler="body").simulate(2.0, samples=21, rtol=1e-11, atol=1e-13, **LIMITED)
    np.testing.assert_allclose(r.measure("A.angle").value, still.measure("A.angle").value, atol=1e-8)


# book_ch6_8.md 3.4 (Nikravesh chapter 7, solved there with the book's tables): crank angle, phi [deg], phidot, phiddot
BOOK_RSSR = [
    (0, 4.848783, 0.0, -0.918862), (40, -5.466092, -0.418478, -0.163955), (90, -25.500345, -0.331544, 0.214342),
    (150, -38.566854, -0.106432, 0.206045), (250, -31.369731, 0.255111, 0.219717),
]  # fmt: skip
BOOK_RSSR_OTHER = (40, 153.295411, 0.615858, 0.264078)
BOOK_PIVOT = (2.5, 0.0, 0.5)


def book_rssr(start, phi):
    """Crank 1 about z at the origin, rocker 2 along its z axis about y through (2.5, 0, 0.5), link of 3."""
    m = tm.SpatialModel("book RSSR")
    crank = m.body("crank", rotation=turn(Z, start))
    rocker = m.body("rocker", position=BOOK_PIVOT, rotation=turn(Y, phi))
    m.revolute("A", m.ground.marker(x="x"), crank.marker(x="x"))
    m.revolute("D", m.ground.marker(BOOK_PIVOT, axis="y", x="z"), rocker.marker(axis="y", x="z"))
    m.link("rod", crank.at(1, 0, 0), rocker.at(0, 0, 2), length=3.0)
    m.driver("motor", "A.angle", f"{start!r} + t")
    return m


def book_rssr_form(theta, branch):
    """w = O - P, (2 c w_z) cos phi + (2 c w_x) sin phi = l² - |w|² - c² with the rocker pivot O and crank pin P."""
    x, y, z = mpmath.mpf(2.5) - mpmath.cos(theta), -mpmath.sin(theta), mpmath.mpf(0.5)
    a, b, c = 4 * z, 4 * x, 9 - 4 - (x * x + y * y + z * z)
    return mpmath.atan2(b, a) + branch * mpmath.acos(c / mpmath.sqrt(a * a + b * b))


@pytest.mark.parametrize("branch", [-1, 1])
def test_book_rssr_position_speed_and_acceleration(branch):
    rows = np.array(BOOK_RSSR if branch == -1 else [BOOK_RSSR_OTHER])
    start = float(np.radians(rows[0, 0]))
    k = book_rssr(start, np.radians(rows[0, 1])).kinematics(times=np.radians(rows[:, 0]) - start, **QUIET)
    phi = k.measure("D.angle")
    np.testing.assert_allclose(np.degrees(phi.value), rows[:, 1], atol=6e-7)  # printed digits
    np.testing.assert_allclose(phi.rate, rows[:, 2], atol=6e-7)
    np.testing.assert_allclose(phi.second, rows[:, 3], atol=6e-7)
    exact = derivatives(lambda t: book_rssr_form(t, branch), np.radians(rows[:, 0]))
    np.testing.assert_allclose(near(phi.value, exact[0]), 0.0, atol=1e-13)
    np.testing.assert_allclose(phi.rate, exact[1], atol=1e-12)
    np.testing.assert_allclose(phi.second, exact[2], atol=1e-11)


# --- Hooke's joint -------------------------------------------------------------------------------------------------------

BEND = math.radians(30.0)
# book_ch6_8.md 3.4: th1, th2 [deg], w2/w1, alpha2
HOOKE = [
    (20, 22.795877, 1.1113655, -0.2291874), (45, 49.106605, 0.9897433, -0.2827838), (80, 81.317796, 0.8726035, -0.0751787),
    (130, 126.005215, 0.9657852, 0.2651685),
]  # fmt: skip


def hooke(start=0.0, *, second="parallel_axes", bend=BEND):
    """Shaft 1 about z, shaft 2 along (sin b, 0, cos b); the arm of shaft 1 lies in the plane of the shafts at th1 = 0."""
    u = (math.sin(bend), 0.0, math.cos(bend))
    end = math.atan2(math.sin(start), math.cos(start) * math.cos(bend))
    m = tm.SpatialModel("Hooke's joint")
    one = m.body("one", position=(0, 0, -1), rotation=turn(Z, start), mass=1.0, inertia=(0.1, 0.1, 0.2))
    # frame of shaft 2 with z along it; its y axis carries the arm, turned by th2
    frame = np.column_stack([(math.cos(bend), 0.0, -math.sin(bend)), Y, u]) @ turn(Z, end)
    two = m.body("two", position=u, rotation=frame, mass=2.0, inertia=(0.2, 0.2, 0.3))
    m.revolute("A", m.ground.marker((0, 0, -1), x="x"), one.marker(x="x"))
    ground = m.ground.marker(u, axis=u, x=(math.cos(bend), 0.0, -math.sin(bend)))
    getattr(m, second)("B", ground, two.marker(x="x"))
    m.universal("U", one.marker((0, 0, 1), axis="x"), two.marker((0, 0, -1), axis="y"))
    return m


def hooke_form(theta, bend=BEND):
    return mpmath.atan2(mpmath.sin(theta), mpmath.cos(theta) * mpmath.cos(mpmath.mpf(bend)))


@pytest.mark.parametrize("second", ["parallel_axes", "revolute"])
def test_hookes_joint_against_its_closed_form(second):
    """tan th2 = tan th1 / cos b, held as a plain shaft or with a full (over-constrained) ground revolute."""
    m = hooke(math.radians(20), second=second)
    m.driver("motor", "A.angle", f"{math.radians(20)!r} + t")
    rows = np.array(HOOKE)
    angle = m.kinematics(times=np.radians(rows[:, 0] - 20), **QUIET).measure("B.angle")
    np.testing.assert_allclose(np.degrees(angle.value), rows[:, 1], atol=6e-7)  # printed digits
    np.testing.assert_allclose(angle.rate, rows[:, 2], atol=6e-8)
    np.testing.assert_allclose(angle.second, rows[:, 3], atol=6e-8)
    times = np.linspace(0.0, 6.28, 41)
    angle = m.kinematics(times=times, **QUIET).measure("B.angle")
    value, rate, acceleration = derivatives(lambda t: hooke_form(mpmath.radians(20) + t), times)
    np.testing.assert_allclose(near(angle.value, value), 0.0, atol=1e-13)
    np.testing.assert_allclose(angle.rate, rate, atol=1e-12)
    np.testing.assert_allclose(angle.second, acceleration, atol=1e-11)


def test_two_full_bearings_on_hookes_joint_are_three_rows_too_many():
    found = hooke(0.4, second="revolute").mobility()
    assert (found.dof, found.count, len(found.redundant), found.singular) == (1, -2, 3, False)
    loose = hooke(0.4).mobility()
    assert (loose.dof, loose.count, loose.redundant) == (1, 1, ())


def test_two_hookes_joints_in_phase_turn_alike():
    """Intermediate shaft at 30° to both ends, forks in phase: the irregularities cancel (cos b / cos b = 1)."""
    u = np.array([math.sin(BEND), 0.0, math.cos(BEND)])
    m = hooke(0.4)
    three = m.body("three", position=2 * u + Z, rotation=turn(Z, 0.4))
    m.parallel_axes("C", m.ground.marker(x="x"), three.marker(x="x"))
    m.universal("V", m["two"].marker((0, 0, 1), axis="y"), three.marker((0, 0, -1), axis="x"))
    m.driver("motor", "A.angle", "0.4 + t")
    k = m.kinematics(6.0, samples=13, **QUIET)
    np.testing.assert_allclose(near(k.measure("C.angle").value, k.measure("A.angle").value), 0.0, atol=1e-12)
    np.testing.assert_allclose(k.measure("C.angle").rate, 1.0, atol=1e-12)
    np.testing.assert_allclose(k.measure("C.angle").second, 0.0, atol=1e-11)
    assert np.ptp(k.measure("B.angle").rate) > 0.2  # the shaft between does not


# --- Stewart–Gough -------------------------------------------------------------------------------------------------------

# benchmarks/stewart_gough.json
LEGS = [
    1.021658018445135311641, 1.178598557747019982116, 1.130738887981290542584, 1.129450195872569472638,
    0.9057285283821089865961, 1.101668599410513764296,
]  # fmt: skip
LEG_FORCES = [
    24.83645952346123737566, 18.96364543684577071968, 17.47231690541080221526, 11.76160426721665947238,
    33.12227731364267970303, 8.343273200450619040938,
]  # fmt: skip


def test_leg_lengths_of_the_platform():
    """Inverse kinematics: the pose is given, the lengths are read, with massless legs and with real ones."""
    m = stewart()
    m.fix("hold", "platform")
    k = m.kinematics(times=[0.0], **QUIET)
    for want, (p, q) in zip(LEGS, zip(*stewart_points(), strict=True), strict=True):
        length = k.measure(m.distance(m.ground.at(*p), m["platform"].at(*q)))
        assert length.value[0] == pytest.approx(want, abs=1e-14)
    m = stewart_with_legs()
    for axis in "xyz":
        m.driver(f"to_{axis}", f"platform.{axis}", STEWART_PLACE["xyz".index(axis)])
    # Rz(.2) Ry(-.15) Rx(.1) read from right to left about turned axes
    m.orientation_driver("facing", "platform", (0.2, -0.15, 0.1), sequence="zyx")
    k = m.kinematics(times=[0.0], **QUIET)
    for n, want in enumerate(LEGS):
        assert k.measure(f"P{n}.distance").value[0] == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("legs", ["massless", "bodies"])
def test_the_platform_finds_its_pose_from_the_leg_lengths(legs):
    """Forward kinematics from a pose 0.15 m and some 20° away: 40 solutions exist, the nearest must be the one meant."""
    rough, askew = STEWART_PLACE + (-0.1, 0.1, 0.08), turn((0.6, 0.0, 0.8), 0.35) @ STEWART_TURN
    if legs == "massless":
        m = stewart(rough, askew, LEGS)
    else:
        m = stewart_with_legs(rough, askew)
        for n, length in enumerate(LEGS):
            m.driver(f"leg{n}", f"P{n}.distance", length)
    found = m.assemble()
    assert found.tries == 1
    place = found.pose("platform")
    # rounding of the lengths times the condition of the Jacobian (det J = -0.65)
    np.testing.assert_allclose(place[:3], STEWART_PLACE, atol=1e-12)
    np.testing.assert_allclose(tm.rotations.matrix(np.array(place[3:])), STEWART_TURN, atol=1e-12)


def test_leg_forces_that_hold_the_platform():
    m = stewart(lengths=LEGS)
    for found in (m.statics(), m.inverse_dynamics(times=[0.0, 1.0], **QUIET)):
        efforts = [found.effort(f"leg{n}")[0] for n in range(6)]
        np.testing.assert_allclose(efforts, LEG_FORCES, rtol=1e-12)  # compression positive: pushes the ends apart


def test_leg_forces_in_real_legs_without_weight():
    """The same loads through universal, prismatic and ball joints; the ball's force lies along its leg."""
    m = stewart_with_legs()
    feather = {
        f"{part}{n}": {"mass": 1e-9, "inertia": (1e-9, 1e-9, 1e-9)} for part in ("foot", "rod") for n in range(6)
    }
    m = m.copy(changes=feather)
    for n, length in enumerate(LEGS):
        m.driver(f"leg{n}", f"P{n}.distance", length)
    s = m.statics()
    # legs of 1e-9 kg weigh 1e-8 N
    np.testing.assert_allclose([s.effort(f"leg{n}")[0] for n in range(6)], LEG_FORCES, atol=1e-7)
    for n, want in enumerate(LEG_FORCES):
        reaction = s.reaction(f"S{n}", on="platform")
        np.testing.assert_allclose(reaction.size, want, atol=1e-7)
        np.testing.assert_allclose(reaction.moment, 0.0, atol=1e-12)  # a ball carries no moment
    np.testing.assert_allclose(s.ground_reaction[0, :3], [0.0, 0.0, -98.1], atol=1e-6)


# --- Dzhanibekov ---------------------------------------------------------------------------------------------------------

# benchmarks/dzhanibekov.json: t: Euler parameters, angular velocity in body components (40 digits)
TUMBLE = {
    1: (0.5387215007418367822887480, 0.004434720882901302847967918, 0.8410541959862775820164640, 0.04886018116043051234099480,
        -0.07326330819569985779905855, 2.001157786800486629245223, 0.09195562757435077529955336),
    2: (-0.4171367276088861370809334, -0.009818383897253576296808128, 0.8990887901939777655034376, 0.1324382768119757462897337,
        -0.3535142808021217836927090, 1.971047349321917885236983, 0.2198274677491732456621729),
    5: (0.07412350700324706296863809, 0.2090794770603699762523827, -0.2727237260413123645898232, -0.9361694543381796370631137,
        -1.206774221178068430322370, -1.598028779183925203064356, 0.7014993516033909168728056),
    10: (-0.2979669611086047777423355, 0.9453572901864228407150640, 0.1148462284404065032900108, -0.06576950503159263739724946,
         1.105066634417419576768368, -1.669978363182396788772719, 0.6432138748769450193786789),
    20: (0.1304380133341440878167094, -0.9233489807593123131175006, 0.03786323724062850902931708, -0.3591364081708239050411926,
         -0.3845290271823812611178623, -1.965232156070669298879611, 0.2365463821648434532056606),
}  # fmt: skip
PERIOD = 13.9530318790876981480642776544


def free_body(inertia, omega, **more):
    m = tm.SpatialModel("free body", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=inertia, omega=omega, **more)
    return m


def test_dzhanibekovs_wing_nut():
    r = free_body((1, 2, 3), (0.1, 2.0, 0.1)).simulate(times=sorted([0.0, *TUMBLE, PERIOD]), **TIGHT)
    table = np.array(list(TUMBLE.values()))
    rows = [list(r.times).index(t) for t in TUMBLE]
    # rtol 1e-12 in some 200 steps; the unstable middle axis stretches them about tenfold between flips
    np.testing.assert_allclose(r["b"].omega_body[rows], table[:, 4:], atol=1e-11)
    p = r["b"].parameters[rows]
    sign = np.sign((p * table[:, :4]).sum(axis=1))[:, None]  # p and -p are one orientation
    np.testing.assert_allclose(sign * p, table[:, :4], atol=1e-11)
    after = r["b"].omega_body[list(r.times).index(PERIOD)]
    np.testing.assert_allclose(after, [0.1, 2.0, 0.1], atol=1e-9)
    np.testing.assert_allclose(2 * r.energy.kinetic, 8.04, rtol=1e-11)  # 2 T of the file
    np.testing.assert_allclose((r.angular_momentum**2).sum(axis=1), 16.10, rtol=1e-11)  # L²
    np.testing.assert_allclose(r.angular_momentum, np.tile([0.1, 4.0, 0.3], (len(r), 1)), atol=1e-10)


def test_asymmetric_body_follows_jacobis_elliptic_functions():
    """w1 = a1 cn u, w2 = a2 sn u, w3 = a3 dn u (dzhanibekov.json, closed form), over two periods."""
    J, w0 = np.array([1.0, 2.0, 3.0]), np.array([0.1, 2.0, 0.1])
    T2, L2 = J @ w0**2, (J * w0) @ (J * w0)
    a1 = math.sqrt((T2 * J[2] - L2) / (J[0] * (J[2] - J[0])))
    a2 = math.sqrt((T2 * J[2] - L2) / (J[1] * (J[2] - J[1])))
    a3 = math.sqrt((L2 - T2 * J[0]) / (J[2] * (J[2] - J[0])))
    rate = math.sqrt((J[2] - J[1]) * (L2 - T2 * J[0]) / J.prod())
    k2 = (J[1] - J[0]) * (T2 * J[2] - L2) / ((J[2] - J[1]) * (L2 - T2 * J[0]))
    assert 4 * ellipk(k2) / rate == pytest.approx(PERIOD, rel=1e-12)
    with mpmath.workdps(25):  # u at the start: cn u = w1 / a1 on the branch where sn u has the sign of w2
        start = float(mpmath.ellipf(mpmath.acos(mpmath.mpf(w0[0] / a1)), k2))
    r = free_body(J, w0).simulate(2 * PERIOD, samples=101, **TIGHT)
    # the sense of time on the polhode: w2' = (J3 - J1) w3 w1 / J2 > 0, and sn' = cn dn > 0 where cn u > 0
    sn, cn, dn, _ = ellipj(start + rate * r.times, k2)
    want = np.column_stack([a1 * cn, a2 * sn, a3 * dn])
    np.testing.assert_allclose(r["b"].omega_body, want, atol=1e-8)


def test_book_tumbling_body():
    """book_ch11_14.md O-12: J' = diag(1, 2, 3), w'(0) = (.01, 1, .01); ten printed digits."""
    r = free_body((1, 2, 3), (0.01, 1.0, 0.01)).simulate(times=[0, 10, 20], **TIGHT)
    np.testing.assert_allclose(r["b"].omega_body[1], [-0.8745734379, 0.4849961873, 0.5050012205], atol=1e-9)
    np.testing.assert_allclose(r["b"].omega_body[2], [-0.005813837, -1.0000330991, 0.008827999], atol=1e-9)
    np.testing.assert_allclose(2 * r.energy.kinetic, 2.0004, rtol=1e-11)
    np.testing.assert_allclose((r.angular_momentum**2).sum(axis=1), 4.001, rtol=1e-11)


# --- Bricard and the chain -------------------------------------------------------------------------------------------------

# peers/refs.json: P3 at t = 1 … 10 s
BRICARD = [
    (0.5105014611871551, -1.6491675993948296, 0.14012311455314747), (-0.9693403447777855, -1.2212468949558861, 0.7542780107803038),
    (-0.9671998000487256, -1.2280202146741237, 0.7459831761758593), (0.5248995933922148, -1.643876001335732, 0.14883584611622197),
    (0.9999999977380489, -1.000067257697524, 0.999932740040677), (0.49587344994218263, -1.6543245122740642, 0.13160520404458992),
    (-0.9713738492434119, -1.2145418748551435, 0.7624440171116765), (-0.9649485716698718, -1.2348595452302673, 0.7375609517768483),
    (0.5390642884962807, -1.6384533082397956, 0.1577353783590345), (0.9999999638063494, -1.0002690126961882, 0.9997309511198964),
]  # fmt: skip


def test_bricard_has_one_freedom_and_one_row_too_many():
    found = bricard().mobility()
    assert (found.count, found.dof, len(found.redundant), found.singular) == (0, 1, 1, False)  # IFToMM A04


def test_bricard_swings_through_its_published_positions():
    r = bricard().simulate(times=range(11), rtol=1e-11, atol=1e-13, **LIMITED)
    # MuJoCo's best run against the same references is 7e-8 off (peers/README.md); errors of 1e-11 per step, some 600 steps
    np.testing.assert_allclose(r.point("P3").position[1:], BRICARD, atol=1e-10)
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-9)
    assert r.closure() < 1e-12


CHAIN_TIP = (-0.8802855828724298, -0.1412258363424509, -0.18469080666060664)  # peers/refs.json, chain10 at t = 1 s


def test_falling_chain_of_ten_boxes():
    """A chaotic fall: 1e-13 per step grows by some four digits in one second."""
    r = chain(10).simulate(times=[0.0, 1.0], rtol=1e-12, atol=1e-14, **LIMITED)
    np.testing.assert_allclose(r.point("tip").position[-1], CHAIN_TIP, atol=1e-10)
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-10)
