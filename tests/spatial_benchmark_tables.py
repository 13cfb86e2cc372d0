"""Tables and models of spatial benchmarks with high-precision references: Bennett, RSSR, Hooke, Stewart-Gough, Dzhanibekov, Bricard.

Reference numbers were computed with 30 to 40 digits or by two independent codes.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np

import pytrammel as tm
from spatial_models import Y, Z, turn


def near(a, b):
    """Difference of angles without whole turns."""
    d = np.asarray(a) - np.asarray(b)
    return d - 2 * np.pi * np.round(d / (2 * np.pi))


# benchmarks/bennett.json: a = 1, alpha = 30°, b = 1.5; theta1 -> theta2, both in degrees
BENNETT = {
    20: 174.8502353655926987091, 45: 167.939158476778306488, 60: 163.2470678726867182507, 90: 151.384580580181052324,
    120: 132.3338364844877055059, 150: 92.82791909042183043142, 170: 37.86791852812120433022,
}  # fmt: skip
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
# Nikravesh chapter 7, solved with its tables: crank angle, phi [deg], phidot, phiddot
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


def bennett_closed_form(theta):
    """Any number of digits; the branch of theta between -pi and pi that has both angles positive together."""
    alpha = mpmath.pi / 6
    beta = mpmath.asin(mpmath.mpf(1.5) * mpmath.sin(alpha))
    ratio = mpmath.sin((beta + alpha) / 2) / mpmath.sin((beta - alpha) / 2)
    return 2 * mpmath.atan2(ratio * mpmath.cos(theta / 2), mpmath.sin(theta / 2))


BEND = math.radians(30.0)
# Nikravesh chapter 7: th1, th2 [deg], w2/w1, alpha2
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


# benchmarks/stewart_gough.json
LEGS = [
    1.021658018445135311641, 1.178598557747019982116, 1.130738887981290542584, 1.129450195872569472638,
    0.9057285283821089865961, 1.101668599410513764296,
]  # fmt: skip
LEG_FORCES = [
    24.83645952346123737566, 18.96364543684577071968, 17.47231690541080221526, 11.76160426721665947238,
    33.12227731364267970303, 8.343273200450619040938,
]  # fmt: skip
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


# P3 at t = 1 … 10 s, two independent codes at 1e-13
BRICARD = [
    (0.5105014611871551, -1.6491675993948296, 0.14012311455314747), (-0.9693403447777855, -1.2212468949558861, 0.7542780107803038),
    (-0.9671998000487256, -1.2280202146741237, 0.7459831761758593), (0.5248995933922148, -1.643876001335732, 0.14883584611622197),
    (0.9999999977380489, -1.000067257697524, 0.999932740040677), (0.49587344994218263, -1.6543245122740642, 0.13160520404458992),
    (-0.9713738492434119, -1.2145418748551435, 0.7624440171116765), (-0.9649485716698718, -1.2348595452302673, 0.7375609517768483),
    (0.5390642884962807, -1.6384533082397956, 0.1577353783590345), (0.9999999638063494, -1.0002690126961882, 0.9997309511198964),
]  # fmt: skip
# tip of the chain at t = 1 s, two independent codes at 1e-13
CHAIN_TIP = (-0.8802855828724298, -0.1412258363424509, -0.18469080666060664)
