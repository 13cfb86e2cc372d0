"""Nikravesh (1988), chapter 6 and appendices A and B."""

from __future__ import annotations

from .page import Section, rows

ROTATIONS = Section(
    "Chapter 6, appendices A and B: rotations",
    setup="""
from pytrammel import rotations as rot

p = np.array([0.5, 0.7, -0.5, 0.1])
q = np.array([0.1, -0.5, 0.5, 0.7])
s, w, dw = np.array([1.0, -1.0, 2.0]), np.array([1.0, -2.0, 0.5]), np.array([0.65, 0.3, 0.55])
A = rot.matrix(p)
dp = rot.parameter_rate(p, w)
angles = np.radians([30, 40, 50])
""",
    rows=rows(
        (
            "matrix of direction cosines",
            "eq. 6.1 to 6.11",
            "A = rot.matrix(p)",
            "near(A @ A.T, np.eye(3)) and near(A @ s, [0.56, -2.2, -0.92])",
        ),
        (
            "location of a point",
            "eq. 6.12",
            'b = tm.SpatialModel().body("b", position=(1, -2, 0.5), rotation=p); point = b.at(0.3, -0.4, 1.2)',
        ),
        (
            "any rotation about one axis, any displacement a screw (Euler, Chasles)",
            "6.1.1",
            "rot.axis_angle(p); rot.screw_between((0, 0, 0), (1, 0, 0, 0), (1, 2, 3), p)",
        ),
        ("active and passive reading", "6.1.2", "rot.rotate(s, (0, 0, 1), 0.3); rot.matrix(p).T @ s"),
        (
            "rotation formula",
            "eq. 6.14",
            "rot.rotate((1, 0, 0), (0, 0, 1), np.pi/2)",
            "near(rot.rotate((1, 0, 0), (0, 0, 1), np.pi/2), (0, 1, 0))",
        ),
        (
            "Euler parameters from axis and angle",
            "eq. 6.15, 6.21 to 6.23",
            "rot.from_axis_angle((0, 0, 1), 0.6)",
            "near(rot.from_axis_angle((0, 0, 1), 0.6), [np.cos(0.3), 0, 0, np.sin(0.3)])",
        ),
        (
            "A from Euler parameters",
            "eq. 6.18 to 6.20, 6.49",
            "rot.G(p) @ rot.L(p).T",
            "near(rot.G(p) @ rot.L(p).T, A)",
        ),
        (
            "axis and angle from A",
            "problem 6.19",
            "u, angle = rot.axis_angle(rot.parameters(A))",
            "near(angle % np.pi, 2*np.arccos(0.5) % np.pi)",
        ),
        (
            "Euler parameters from A",
            "eq. 6.24 to 6.28; problem 6.8",
            "rot.parameters(A)",
            "near(abs(rot.parameters(A) @ p), 1)",
        ),
        (
            "half turns",
            "eq. 6.29",
            "rot.parameters(np.diag([1.0, -1.0, -1.0]))",
            "near(np.abs(rot.parameters(np.diag([1.0, -1.0, -1.0]))), [0, 1, 0, 0])",
        ),
        (
            "A from three points",
            "eq. 6.30 to 6.33; ex. 6.3",
            "rot.from_points((0, 0, 0), (0, 2, 0), (-3, 0, 0))",
            "near(rot.from_points((0, 0, 0), (0, 2, 0), (-3, 0, 0))[:, 0], (0, 1, 0))",
        ),
        (
            "A from pairs of axes",
            "problems 6.4, 6.23",
            "rot.from_axes(eta=(0, 1, 0), zeta=(0, 0, 1)); rot.from_axes(xi=(1, 0, 0), zeta=(0, 0, 1))",
        ),
        (
            "A from an axis and a vector in a plane",
            "problem 6.5",
            "rot.from_axis_and_plane((1, 0, 0), (0.3, 0.4, 0), eta_positive=False)",
        ),
        (
            "frames with a common axis",
            "eq. 6.34",
            "rot.from_angles((0.4, 0, 0), 'xyz')",
            "near(rot.from_angles((0.4, 0, 0), 'xyz'), [np.cos(0.2), np.sin(0.2), 0, 0])",
        ),
        (
            "matrices G and L",
            "eq. 6.38 to 6.49",
            "rot.G(p) @ p, rot.L(p) @ p",
            "near(rot.G(p) @ p, 0) and near(rot.L(p) @ rot.L(p).T, np.eye(3))",
        ),
        (
            "4×4 matrices",
            "eq. 6.64 to 6.71",
            "rot.plus(s), rot.minus(s)",
            "near(rot.G(p).T @ s, rot.plus(s) @ p) and near(rot.L(p).T @ s, rot.minus(s) @ p)",
        ),
        ("derivatives of A s by p", "eq. 6.86, 6.87, 7.34, 7.35", "2*rot.G(p) @ rot.minus(s) + 2*np.outer(s, p)"),
        (
            "rates of A",
            "eq. 6.56, 6.62, 6.74 to 6.85",
            "2*rot.G(p) @ rot.L(dp).T",
            "near(2*rot.G(p) @ rot.L(dp).T, A @ rot.skew(w))",
        ),
        (
            "angular velocity",
            "eq. 6.91 to 6.99",
            'rot.angular_velocity(p, dp, frame="global")',
            "near(rot.angular_velocity(p, dp, frame='global'), [1.9, -1, -0.8])",
        ),
        (
            "velocity and acceleration of a point",
            "eq. 6.102",
            'm = tm.SpatialModel(); m.body("b", omega=(0, 0, 2), mass=1, inertia=(1, 1, 1)); m.point("P", "b", local=(1, 0, 0)); r = m.simulate(0.0, samples=1)',
            "near(r['P'].velocity[0], [0, 2, 0])",
        ),
        (
            "omega and rates of p",
            "eq. 6.104 to 6.109",
            "rot.parameter_rate(p, w)",
            "near(rot.parameter_rate(p, w), [-0.875, 0.225, -0.625, -0.325])",
        ),
        (
            "angular acceleration and second derivatives of p",
            "eq. 6.110 to 6.113",
            "rot.parameter_acceleration(p, w, dw)",
            "near(rot.angular_acceleration(p, rot.parameter_acceleration(p, w, dw)), dw)",
        ),
        ("speed identity", "eq. 6.114", "4*dp @ dp", "near(4*dp @ dp, w @ w)"),
        ("semi-rotating frame", "6.4", "rot.semi_rotating(p, s)", "near(rot.G(p) @ rot.semi_rotating(p, s), A @ s)"),
        (
            "relative orientation",
            "eq. 6.115 to 6.123",
            "rot.relative(p, q)",
            "near(rot.matrix(rot.relative(p, q)), rot.matrix(q).T @ A)",
        ),
        (
            "orientation from a relative one",
            "problem 6.32",
            "rot.from_relative(rot.relative(p, q), q)",
            "near(rot.from_relative(rot.relative(p, q), q), p)",
        ),
        ("axis between two times", "eq. 6.126, 6.127", "rot.intermediate_axis(p, q)"),
        (
            "products of rotations, sums of angular velocities",
            "6.6",
            "rot.product(p, q)",
            "near(rot.matrix(rot.product(p, q)), A @ rot.matrix(q))",
        ),
        (
            "Euler angles z-x-z",
            "eq. A.1, A.2",
            "rot.angles(rot.from_angles(angles, 'zxz'), 'zxz').values",
            "near(rot.matrix(rot.from_angles(angles, 'zxz'))[0], [0.2632583548, -0.9096158864, 0.3213938048])",
        ),
        (
            "rates of Euler angles",
            "eq. A.3, A.4",
            "rot.angular_velocity_from_rates(angles, (0.5, -0.3, 0.7), 'zxz')",
            "near(rot.angular_velocity_from_rates(angles, (0.5, -0.3, 0.7), 'zxz'), [0.0533656553, 0.4364012885, 1.0830222216])",
        ),
        (
            "Bryant angles x-y-z",
            "eq. A.5, A.6",
            "rot.from_angles(np.radians([10, 20, 30]), 'xyz')",
            "near(rot.from_angles(np.radians([10, 20, 30]), 'xyz'), [0.9437143641, 0.1276794407, 0.1448781254, 0.2685358228])",
        ),
        (
            "rates of Bryant angles",
            "eq. A.7, A.8",
            "rot.rates_from_angular_velocity(np.radians([10, 20, 30]), w, 'xyz')",
        ),
        (
            "Euler angles to Euler parameters",
            "eq. B.1 to B.4",
            "rot.from_angles(angles, 'zxz')",
            "near(rot.from_angles(angles, 'zxz'), [0.7198463104, 0.3368240888, -0.0593911746, 0.6040227736])",
        ),
        (
            "Euler parameters to Euler angles, singular ones too",
            "eq. B.5 to B.11",
            "found = rot.angles((1, 0, 0, 0), 'zxz'); found.note",
            "bool(found.singular)",
        ),
        (
            "Bryant angles to and from Euler parameters",
            "problems 6.17, 6.18",
            "rot.angles(p, 'xyz').values",
            "near(rot.matrix(rot.from_angles(rot.angles(p, 'xyz').values, 'xyz')), A)",
        ),
        (
            "measured matrices made orthogonal",
            "problem 6.8",
            "rot.nearest_rotation(A + 1e-3)",
            "near(np.linalg.det(rot.nearest_rotation(A + 1e-3)), 1)",
        ),
    ),
    manual="nikravesh_rotations",
)
