"""Mass properties of Haug and Nikravesh."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from inertia_bodies import STEEL
from pytrammel import inertia
from pytrammel.inertia import MassProperties
from verification.case import Row, case
from verification.cases.book.haug import AREA, HAUG
from verification.cases.book.kap import BOOK

ROUNDING = "rounding"
DIGITS = "rounding; half a unit of the last printed digit"


@case("Box, particles and turned axes", area=AREA, source=f"{BOOK}, ch. 8",
reason=DIGITS, uses="inertia.box, inertia.particles, rotated")  # fmt: skip
def nikravesh() -> Iterator[Row]:
    yield Row("box 1 x 2 x 3 m of 6 kg", "kg m²", np.diag([6.5, 5.0, 2.5]), inertia.box(1, 2, 3, mass=6).inertia, 1e-15)
    cloud = inertia.particles([1, 2, 3], [(1, 0, 0), (0, 2, 0), (0, 0, 3)])
    J = [[18.83333, 0.66667, 1.5], [0.66667, 14.33333, 6], [1.5, 6, 6.16667]]
    yield Row("centroid of three particles", "m", [1 / 6, 2 / 3, 3 / 2], cloud.centroid, 1e-15)
    yield Row("inertia of three particles", "kg m²", J, cloud.inertia, 5e-6)
    yield Row(
        "principal moments of three particles", "kg m²", [19.666667, 16.739450, 2.927217], cloud.principal.moments, 5e-7
    )
    e0, e = 0.5, np.array([0.7, -0.5, 0.1])
    K = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    A = (2 * e0**2 - 1) * np.eye(3) + 2 * (np.outer(e, e) + e0 * K)  # eq. 6.18
    J = np.array([[2.8992, 0.576, -0.1344], [0.576, 3.28, 0.768], [-0.1344, 0.768, 2.8208]])
    yield Row("inertia in global axes", "kg m²", J, MassProperties(1.0, (0, 0, 0), (2, 3, 4)).rotated(A).inertia, 1e-13)


@case("Example 11.1.2, parallel axes", area=AREA, source=f"{HAUG}, ex. 11.1.2", reason=ROUNDING, uses="MassProperties")  # fmt: skip
def parallel_axes() -> Iterator[Row]:
    J = [[0.30, 0.02, 0.01], [0.02, 0.40, -0.03], [0.01, -0.03, 0.25]]
    about_pin = [[1.17, -0.04, 0.16], [-0.04, 1.18, 0.27], [0.16, 0.27, 0.40]]
    centroid = (0.1, 0.2, -0.5)
    yield Row("inertia about the pin", "kg m²", about_pin, MassProperties(3.0, centroid, J).about((0, 0, 0)), 1e-14)
    yield Row(
        "inertia about the centroid", "kg m²", J, MassProperties.from_about(3.0, centroid, about_pin).inertia, 1e-14
    )


@case("Examples 11.2.1 and 11.2.2, wedge", area=AREA, source=f"{HAUG}, ex. 11.2.1 and 11.2.2", reason=ROUNDING,
      uses="inertia.extruded_polygon")  # fmt: skip
def wedge() -> Iterator[Row]:
    gamma = 1.7
    body = inertia.extruded_polygon([(0, 9), (10, 7), (10, 13), (0, 11)], 10.0, axis="x", density=gamma)
    about = [[172000 / 3, -35000 / 3, -20000], [-35000 / 3, 54000, -70000 / 3], [-20000, -70000 / 3, 30000]]
    yield Row("mass", "kg", 400 * gamma, body.mass, 1e-13, 680)
    yield Row("centroid", "m", [5, 35 / 6, 10], body.centroid, 1e-13, 10)
    yield Row("inertia about the origin", "kg m²", gamma * np.array(about), body.about((0, 0, 0)), 1e-13, 1e5)
    yield Row(
        "inertia about the centroid", "kg m²", gamma * np.diag([33500 / 9, 4000, 57500 / 9]), body.inertia, 1e-12, 1e4
    )


@case("Example 11.2.3, triangle", area=AREA, source=f"{HAUG}, ex. 11.2.3", reason=ROUNDING, uses="inertia.triangular_plate")  # fmt: skip
def triangle() -> Iterator[Row]:
    gamma = 3.0
    plate = inertia.triangular_plate((0, 0), (1, 0), (0, 1), density=gamma)
    yield Row("mass", "kg", gamma / 2, plate.mass, 1e-14)
    yield Row("centroid", "m", [1 / 3, 1 / 3, 0], plate.centroid, 1e-14)
    corner = gamma / 24 * np.array([[2, -1, 0], [-1, 2, 0], [0, 0, 4]])
    yield Row("inertia about the corner", "kg m²", corner, plate.about((0, 0, 0)), 1e-14)
    centre = gamma / 72 * np.array([[2, 1, 0], [1, 2, 0], [0, 0, 4]])
    yield Row("inertia about the centroid", "kg m²", centre, plate.inertia, 1e-14)
    yield Row("principal moments", "kg m²", [gamma / 18, gamma / 24, gamma / 72], plate.principal.moments, 1e-14)
    f, g, h = [0, 0, 1], np.array([1, 1, 0]) / math.sqrt(2), np.array([-1, 1, 0]) / math.sqrt(2)
    yield Row("principal axes", "", np.stack([f, g, h], axis=1), plate.principal.axes, 1e-13)


@case("Example 11.2.4, capsule", area=AREA, source=f"{HAUG}, ex. 11.2.4, with nine digits",
reason=DIGITS, uses="inertia.capsule")  # fmt: skip
def capsule() -> Iterator[Row]:
    R, L, g = 0.05, 0.2, STEEL
    across = math.pi * g * R**2 * L / 12 * (3 * R**2 + L**2) + 2 * (
        83 * math.pi * g * R**5 / 480 + 2 * math.pi * g * R**3 / 3 * ((4 * L + 3 * R) / 8) ** 2
    )
    along = math.pi * g * R**4 * L / 2 + 8 * math.pi * g * R**5 / 15
    body = inertia.capsule(R, L, axis="y", density=g)
    yield Row("mass", "kg", 16.441001554, body.mass, 5e-10)
    yield Row("moments", "kg m²", [0.109435417, 0.019523689], [body.inertia[0, 0], body.inertia[1, 1]], 5e-10)
    yield Row("inertia by the formulas", "kg m²", np.diag([across, along, across]), body.inertia, 1e-15)


@case("Example 11.2.5, drilled bar", area=AREA, source=f"{HAUG}, ex. 11.2.5, with nine digits", reason=DIGITS,
      uses="inertia.box minus inertia.cylinder")  # fmt: skip
def drilled_bar() -> Iterator[Row]:
    a, b, c, g = 0.3, 0.1, 0.06, STEEL
    bar = inertia.box(a, b, c, density=g) - inertia.cylinder(c / 2, a, axis="x", density=g)
    hole = math.pi * g * c**2 * a / 48 * (3 * c**2 / 4 + a**2)
    want = [
        g * a * b * c * (b**2 + c**2) / 12 - math.pi * g * c**4 * a / 32,
        g * a * b * c * (a**2 + c**2) / 12 - hole,
        g * a * b * c * (a**2 + b**2) / 12 - hole,
    ]
    yield Row("mass", "kg", 7.471394371, bar.mass, 5e-10)
    yield Row("moments", "kg m²", [0.013017627, 0.058776272, 0.066312272], np.diag(bar.inertia), 5e-10)
    yield Row("inertia by the formulas", "kg m²", np.diag(want), bar.inertia, 1e-15)


@case("Table 11.2.1", area=AREA, source=f"{HAUG}, table 11.2.1, with the dimensions of this case", reason=ROUNDING,
      uses="seven bodies of the module inertia")  # fmt: skip
def table_11_2_1() -> Iterator[Row]:
    m, R, r, h, a = 2.0, 0.5, 0.3, 1.2, 0.7
    cone, tube = 3 * m * (4 * R**2 + h**2) / 80, m * (3 * R**2 + 3 * r**2 + h**2) / 12
    table = {
        "cube": (inertia.cube(a, mass=m), [m * a**2 / 6] * 3),
        "sphere": (inertia.sphere(R, mass=m), [2 * m * R**2 / 5] * 3),
        "hollow sphere": (inertia.hollow_sphere(R, r, mass=m), [2 * m / 5 * (R**5 - r**5) / (R**3 - r**3)] * 3),
        "hemisphere": (inertia.hemisphere(R, mass=m), [83 * m * R**2 / 320] * 2 + [2 * m * R**2 / 5]),
        "cone": (inertia.cone(R, h, mass=m), [cone, cone, 3 * m * R**2 / 10]),
        "cylinder": (inertia.cylinder(R, h, mass=m), [m * (3 * R**2 + h**2) / 12] * 2 + [m * R**2 / 2]),
        "hollow cylinder": (inertia.hollow_cylinder(R, r, h, mass=m), [tube, tube, m * (R**2 + r**2) / 2]),
    }
    for name, (body, moments) in table.items():
        yield Row(f"inertia of the {name}", "kg m²", np.diag(moments), body.inertia, 1e-14)
    yield Row("centroid of the hemisphere", "m", [0, 0, 3 * R / 8], inertia.hemisphere(R, mass=m).centroid, 1e-15)
    yield Row("centroid of the cone", "m", [0, 0, h / 4], inertia.cone(R, h, mass=m).centroid, 1e-15)
