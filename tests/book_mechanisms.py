"""Mechanisms of Nikravesh, chapters 3 and 5, for tests and for the verification manual."""

from __future__ import annotations

import cmath
import math

import pytrammel as tm
from mechanisms import Frame, circles_meet, four_bar, pinned, turning, xy

CRANK, FRAME = 0.355, 0.785  # walking machine of problem 5.38


def example_3_2(side: int = 1) -> tm.PlanarModel:
    # 0.2 c1 + 0.4 c2 - 0.3 c3 - 0.35 = 0, 0.2 s1 + 0.4 s2 - 0.3 s3 - 0.1 = 0
    tilt = math.atan2(0.1, 0.35)
    frame = Frame(0j, tilt)
    return four_bar(
        0.2, 0.4, 0.3, math.hypot(0.35, 0.1), crank=2.36 - tilt, side=side, frame=frame, motion="2.36 + 2*pi*t"
    )


def chebyshev_reversing() -> tm.PlanarModel:
    """EF = 1.08, FG = GH = GI = 2, IJ = JK = 1.14, EH = 2.66, HK = 2.78 at right angles to EH."""
    E, H, K, F = 0j, 2.66 + 0j, 2.66 + 2.78j, 1.08 + 0j
    G = circles_meet(F, H, 2, 2, 1)
    I = 2 * G - F  # noqa: E741
    places = {"E": E, "F": F, "G": G, "H": H, "I": I, "J": circles_meet(I, K, 1.14, 1.14, -1), "K": K}
    m = tm.PlanarModel("Chebyshev reversing")
    pinned(m, places, "EF FI HG IJ KJ", "E:ground,EF F:EF,FI G:FI,HG H:ground,HG I:FI,IJ J:IJ,KJ K:ground,KJ")
    m.point("I", "FI", at=xy(I))
    m.driver("motor", "EF.phi", "t")
    return m


def lambda_linkage() -> tm.PlanarModel:
    theta = math.pi / 2
    A = cmath.rect(CRANK, theta)
    B = circles_meet(A, complex(FRAME), 1, 1, -1)
    m = tm.PlanarModel("lambda linkage")
    pinned(
        m,
        {"O": 0j, "A": A, "B": B, "C": complex(FRAME), "D": 2 * B - A},
        "OA AD CB",
        "O:ground,OA A:OA,AD B:AD,CB C:ground,CB",
    )
    m.point("foot", "AD", local=(1.0, 0.0))
    m.driver("motor", "OA.phi", turning(theta))
    return m
