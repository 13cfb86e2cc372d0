"""Whitworth (crank-shaper) quick return, closed form with 22 digits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

from mechanisms import quick_return, turning
from verification.case import Row, case

# crank angle [deg]: psi, rho, x, psidot, xdot, xddot, from the closed form
#   psi = atan2(d + r sin th, r cos th), x = C_x - sqrt(0.2^2 - (0.55 - C_y)^2),
#   psidot = w r (r + d sin th)/(r^2 + d^2 + 2 r d sin th); r = 0.1, d = 0.25, w = 10 rad/s, lever 0.5
TABLE = {
    0: (1.190289949682531732928, 0.2692582403567252015625, 0.005016234217622512578587, 1.37931034482758621,
        -0.761904855065851252, -13.2822622381218554),
    30: (1.289761425292083021511, 0.3122498999199199102923, -0.04881808891827772874338, 2.30769230769230769,
         -1.22740157620081211, -5.52670679697837283),
    60: (1.423331479750636943507, 0.3402958568499210105218, -0.1187008215010473183014, 2.73318548603941064,
         -1.40967611391776705, -1.77992567291849088),
    90: (1.570796326794896619231, 0.35, -0.193649167310370844259, 2.85714285714285714,
         -1.42857142857142857, 1.05387301937616786),
    120: (1.718261173839156294955, 0.3402958568499210105218, -0.2656317905197246492845, 2.73318548603941064,
          -1.29384542302559698, 4.15834000216601759),
    150: (1.851831228297710216951, 0.3122498999199199102923, -0.3261681870308922897526, 2.30769230769230769,
          -0.989757476485009735, 7.43817944615568062),
    180: (1.951302703907261505535, 0.2692582403567252015625, -0.3663744421364812137146, 1.37931034482758621,
          -0.518752649603471942, 10.6086243145024153),
    210: (1.979434181892489041606, 0.2179449471770336776118, -0.3766919282225788139981, -0.526315789473684211,
          0.187935775454181167, 18.1866164008577843),
    240: (1.867750689651735852842, 0.1708763582558396744281, -0.3329398165537668689011, -3.99011709417249752,
          1.68289465465785646, 39.8228223993847896),
    270: (1.570796326794896619231, 0.15, -0.193649167310370844259, -6.66666666666666667,
          3.33333333333333333, 5.73775310549246946),
    300: (1.27384196393805738562, 0.1708763582558396744281, -0.04033058429743010120801, -3.99011709417249752,
          2.13258341050655264, -38.4403787920699738),
    330: (1.162158471697304196857, 0.2179449471770336776118, 0.02066777889693432796172, -0.526315789473684211,
          0.295044716904896235, -28.1536707729136929),
}  # fmt: skip
COLUMNS = (("lever angle", "rad"), ("slot distance", "m"), ("ram position", "m"), ("lever speed", "rad/s"), ("ram speed", "m/s"),
           ("ram acceleration", "m/s²"))  # fmt: skip
TIME_RATIO = 1.709952781721410509104  # (2 pi - a)/a, a = 2 acos(r/d)
SWING = 0.8230336921349760387695  # swing of the lever [rad]
SPEED = 10.0  # crank [rad/s]


def model(*, blocks: bool):
    """Quick return with sliding blocks or with pins on lines."""
    return quick_return(0.1, 0.25, 0.5, 0.2, 0.55, motion=turning(0.0, SPEED), blocks=blocks)


@case(
    "Whitworth quick return", area="Published benchmarks in the plane", source="Closed form with 22 digits",
    reason="a few hundred roundings of the largest value; the zero of the lever speed is found to 1e-13 of the period",
    uses="revolutes and slides, or pins on lines; kinematics",
)  # fmt: skip
def quick() -> Iterator[Row]:
    degrees, table = np.array(list(TABLE), float), np.array(list(TABLE.values()))
    for blocks, kind in ((True, "blocks"), (False, "pins on lines")):
        k = model(blocks=blocks).kinematics(times=np.radians(degrees) / SPEED)
        ram = k.point("ram_pin")
        found = (k["lever"].phi, k["slot"].distance, ram.x, k["lever"].omega, ram.vx, ram.ax)
        for column, ((name, unit), values) in enumerate(zip(COLUMNS, found, strict=True)):
            want = table[:, column]
            size = float(np.abs(want).max())
            yield Row(f"{name} ({kind})", unit, want, values, 1e-12, size, at=degrees, axis="crank angle [deg]")
    m = model(blocks=True)

    def lever(t: float):
        return m.kinematics(times=[0.0, t])["lever"]

    first, second = (
        brentq(lambda t: float(lever(t).omega[-1]), *np.radians(bracket) / SPEED, xtol=1e-15)
        for bracket in ((180.0, 210.0), (330.0, 359.0))
    )
    back = second - first
    yield Row("time ratio of the strokes", "", TIME_RATIO, (2 * math.pi / SPEED - back) / back, 1e-11, TIME_RATIO)
    swing = float(lever(first).phi[-1] - lever(second).phi[-1])
    yield Row("swing of the lever", "rad", SWING, swing, 1e-12, SWING)
