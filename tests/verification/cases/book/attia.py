"""Bodies as particles after Attia: masses of particles, and the platform on three legs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

import pytrammel as tm
from pytrammel.examples import find
from pytrammel.system.particles import Inertia, equivalent
from verification.case import Row, case

AREA = "Attia: particles"
ATTIA = "Attia, papers on linkages as systems of particles"
OWN = "dimensions of this package, computed by an independent program with ten digits"
TIGHT = {"rtol": 1e-12, "atol": 1e-13, "progress": False}


def masses(points: ArrayLike, mass: float, centroid: ArrayLike, polar: float) -> np.ndarray:
    """Masses of the particles of a plane body: those at the points, and one at the centroid where it is needed."""
    c = np.array(centroid)
    return equivalent(
        "body", np.array(points), Inertia(mass, c, 0.5 * polar * np.eye(2) + mass * np.outer(c, c))
    ).masses


@case("Masses of particles", area=AREA,
      source=f"{ATTIA}; by hand: rod, equilateral plate, right-angled plate, plate of double size", reason="rounding",
      uses="particles of a plane body")  # fmt: skip
def particle_masses() -> Iterator[Row]:
    corners = np.array([(-0.5, -math.sqrt(0.75) / 3), (0.5, -math.sqrt(0.75) / 3), (0.0, 2 * math.sqrt(0.75) / 3)])
    right = [(1.0, 0.0), (0.0, 0.0), (0.0, 1.0)]
    yield Row("rod of 6 kg", "kg", [1, 1, 4], masses([(0, 0), (2, 0)], 6.0, (1, 0), 2.0), 1e-12)
    yield Row("equilateral plate of 3 kg", "kg", [1, 1, 1, 0], masses(corners, 3.0, (0, 0), 1.0), 1e-12)
    yield Row(
        "right-angled plate of 3 kg", "kg", [0, 1, 0, 2], masses(right, 3.0, (1 / 3, 1 / 3), 1.0 - 3.0 * 2 / 9), 1e-12
    )
    yield Row("plate of double size", "kg", [-0.5, 1.0, -0.5, 3.0], masses(2 * corners, 3.0, (0, 0), 1.0), 1e-12)


ALONG = {
    "rod12": "",
    "rod23": "rod12",
    "platform": "rod23",
    "rod46": "platform",
    "rod67": "rod46",
    "rod58": "platform",
    "rod89": "rod58",
}
ANGLES = [1.979225797, -7.525938848, 6.977615433, 1.817316149, -6.34674885, -6.612524453, 10.155512233]
BEARINGS = {"P7": [4.600953507, 10.808398358], "P9": [5.66360187, 11.398719418]}
PATH = {
    0.25: (1.764557790, 2.998339679, 0.056355745), 0.5: (1.840359886, 3.025401546, -0.025204503),
    1.0: (2.525522534, 3.220488761, -0.326561693),
    1.5: (3.134079128, 3.382179254, 0.562246721), 2.0: (3.599719326, 3.324780924, 0.111711981),
}  # fmt: skip


@case("Platform on three legs", area=AREA, source=f"{ATTIA}, section 7; {OWN}", reason="ten digits; rtol 1e-12 over 2 s",
      uses="example planar_platform; formulations points (particles, joint variables), cartesian, joint, relative")  # fmt: skip
def platform() -> Iterator[Row]:
    m = find("planar_platform").build()
    times = np.array(list(PATH))
    for name, formulation in (
        ("particles", "points"), ("joint variables", tm.formulations.points(variables="joint", cut=["P7", "P9"])),
        ("cartesian", "cartesian"), ("joint", "joint"), ("relative", "relative"),
    ):  # fmt: skip
        r = m.simulate(times=[0.0, *times], formulation=formulation, **TIGHT)
        centre = r["platform"]
        at_start = [centre.ax[0], centre.ay[0], centre.alpha[0]]
        yield Row(
            f"acceleration at 0 s ({name})", "m/s², rad/s²", [1.292461533, -10.155512233, 1.430902383], at_start, 1e-8
        )
        alpha = {body: r[body].alpha[0] for body in ALONG}
        relative = [alpha[body] - (alpha[before] if before else 0.0) for body, before in ALONG.items()]
        yield Row(f"relative angular accelerations at 0 s ({name})", "rad/s²", ANGLES, relative, 1e-8)
        for joint, want in BEARINGS.items():
            yield Row(
                f"bearing force {joint} at 0 s ({name})",
                "N",
                want,
                r.reaction(joint, f"rod{'67' if joint == 'P7' else '89'}").force[0],
                1e-8,
            )
        for k, (axis, unit) in enumerate((("x", "m"), ("y", "m"), ("phi", "rad"))):
            want = np.array(list(PATH.values()))[:, k]
            yield Row(f"{axis} of the platform ({name})", unit, want, getattr(centre, axis)[1:], 2e-9, at=times)


@case("Equations of the platform on three legs", area=AREA, source=f"{ATTIA}, section 7; {OWN}", reason="ten digits",
      uses="matrices of the formulation in points, with cut joints")  # fmt: skip
def equations() -> Iterator[Row]:
    found = (
        find("planar_platform")
        .build()
        .matrices(formulation=tm.formulations.points(variables="joint", cut=["P7", "P9"]))
    )
    sizes = [n for key in ("M", "B", "C", "H") for n in found[key].values.shape]
    yield Row("sizes of M, B, C and H", "", [16, 16, 16, 7, 4, 7, 7, 7], sizes, 0.5)
    values = dict(zip(found.unknowns, np.linalg.solve(found.matrix, found.right), strict=True))
    want = dict(
        zip(("P1.angle", "P2.angle", "P3.angle", "P4.angle", "P6.angle", "P5.angle", "P8.angle"), ANGLES, strict=True)
    )
    yield Row("accelerations of seven angles", "rad/s²", list(want.values()), [values[name] for name in want], 1e-8)
    names = [f"lambda {joint}.{k}" for joint in BEARINGS for k in (1, 2)]
    yield Row(
        "multipliers of both cut joints", "N", np.ravel(list(BEARINGS.values())), [values[name] for name in names], 1e-8
    )
