"""Nikravesh (1988), chapters 7 and 8 and appendix C."""

from __future__ import annotations

from .page import Section, rows

SPACE = Section(
    "Chapter 7: joints in space",
    setup="""
from pytrammel.model.quantities.quantity import Quantity


def space():
    m = tm.SpatialModel("two bodies")
    m.body("i", position=(1, -2, 0.5), rotation=p, velocity=(0.2, -0.1, 0.4), omega=w)
    m.body("j", position=(-1, 0.5, 2), rotation=q, velocity=(-0.3, 0.6, 0.1), omega=(-0.5, 1.5, 2))
    return m


def left(m):
    return m.mobility().dof


def rssr():
    m = tm.SpatialModel("RSSR")
    m.body("crank", position=(0, 0, 0))
    m.body("rocker", position=(2.5, 0, 0.5), rotation=rot.from_axis_angle((0, 1, 0), tm.deg(4.848783)))
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("D", m.ground, "rocker", at=(2.5, 0, 0.5), axis="y")
    m.link("coupler", m["crank"].at(1, 0, 0), m["rocker"].at(0, 0, 2), length=3.0)
    m.driver("motor", "A.angle", "t")
    return m
""",
    each="m = space()",
    rows=rows(
        (
            "perpendicular vectors (n1)",
            "eq. 7.3",
            'm.constrain("n1", Quantity("axis_dot", ("i", "j"), (1, -1, 2, 0.5, 2, -1), ("1",), "n1"))',
            "left(m) == 11",
        ),
        (
            "vector across the way between points (n2)",
            "eq. 7.4",
            'm.point_on_plane("n2", m["j"].at(0, 0, 0), m["i"].at(0.3, -0.4, 1.2), axis="z")',
            "left(m) == 11",
        ),
        (
            "the same with the vector of the other body",
            "eq. 7.21 to 7.25",
            'm.point_on_plane("n2", m["i"].at(0.3, -0.4, 1.2), m["j"].at(0, 0, 0), axis="z")',
            "left(m) == 11",
        ),
        ("parallel vectors (p1)", "eq. 7.5", 'm.parallel_axes("p1", "i", "j", axis="z")', "left(m) == 10"),
        (
            "point on a line (p2)",
            "eq. 7.6",
            'm.point_on_line("p2", m["j"].at(0, 0, 0), m["i"].at(0.3, -0.4, 1.2), axis="z")',
            "left(m) == 10",
        ),
        (
            "point of the other body on a line",
            "eq. 7.26",
            'm.point_on_line("p2", m["i"].at(0.3, -0.4, 1.2), m["j"].at(0, 0, 0), axis="z")',
            "left(m) == 10",
        ),
        (
            "choice of rows at critical positions",
            "7.1; problem 7.10",
            'm.parallel_axes("p1", "i", "j", axis=(0.0, 0.6, 0.8)); m.mobility()',
            "not m.mobility().redundant",
        ),
        ("fixed direction of a vector", "ex. 7.2", 'm.parallel_axes("c", m.ground, "i", axis="x")', "left(m) == 10"),
        ("coincident points (s)", "eq. 7.7", 'm.spherical("s", "i", "j", at=(0, 0, 0))', "left(m) == 9"),
        (
            "distance of points (s-s)",
            "eq. 7.19, 7.20",
            'm.link("l", m["i"].at(0.3, -0.4, 1.2), m["j"].at(-0.7, 0.2, 0.5))',
            "left(m) == 11",
        ),
        (
            "relative Euler parameters",
            "eq. 7.12",
            'm.constrain("e1", m.relative_parameter("i", "j", 1)); m.constrain("e2", m.relative_parameter("i", "j", 2))',
            "left(m) == 10",
        ),
        (
            "angle as a coordinate",
            "eq. 7.17, 7.18",
            'm.revolute("A", "i", "j", at=(0, 0, 0), axis="z"); m.driver("D", "A.angle", "t")',
        ),
        (
            "screw relation",
            "eq. 7.16",
            'm.cylindrical("C", "i", "j", at=(0, 0, 0), axis="z"); m.equation("r", "C.distance - 0.1*C.angle")',
            "left(m) == 7",
        ),
        ("spherical joint", "eq. 7.7", 'm.spherical("J", "i", "j", at=(0, 0, 0))', "left(m) == 9"),
        (
            "universal joint",
            "eq. 7.8, 7.9",
            'm.universal("J", "i", "j", at=(0, 0, 0), axis="x", second_axis="z")',
            "left(m) == 8",
        ),
        ("revolute joint", "eq. 7.10 to 7.12", 'm.revolute("J", "i", "j", at=(0, 0, 0), axis="z")', "left(m) == 7"),
        ("cylindrical joint", "eq. 7.13, 7.14", 'm.cylindrical("J", "i", "j", at=(0, 0, 0), axis="z")', "left(m) == 8"),
        ("translational joint", "eq. 7.15", 'm.prismatic("J", "i", "j", at=(0, 0, 0), axis="z")', "left(m) == 7"),
        ("screw joint", "eq. 7.16 to 7.18", 'm.screw("J", "i", "j", at=(0, 0, 0), axis="z", lead=0.1)', "left(m) == 7"),
        (
            "massless link with two balls",
            "eq. 7.19",
            'm.link("J", m["i"].at(0, 0, 1), m["j"].at(0, 1, 0))',
            "left(m) == 11",
        ),
        (
            "massless link with a ball and a hinge",
            "eq. 7.21",
            'm.revolute_spherical("J", m["i"].at(0, 0, 1), m["j"].at(0, 1, 0), axis=(0.3, 0.2, 1))',
            "left(m) == 10",
        ),
        (
            "massless link with two hinges across each other",
            "eq. 7.22",
            'a, b = m["i"].at(0, 0, 0), m["j"].at(0, 0, 0); d = np.array([-2, 2.5, 1.5]); u = np.cross(d, (0, 0, 1)); m.revolute_revolute("J", a, b, axis=tuple(u), second_axis=tuple(np.cross(d, u)))',
            "left(m) == 8",
        ),
        (
            "massless link with parallel hinges",
            "eq. 7.23 to 7.25",
            'a, b = m["i"].at(0, 0, 0), m["j"].at(0, 0, 0); u = np.cross([-2, 2.5, 1.5], (0, 0, 1)); m.revolute_revolute("J", a, b, axis=tuple(u))',
            "left(m) == 8",
        ),
        (
            "massless link with a hinge and a sleeve",
            "eq. 7.26",
            'm.revolute_cylindrical("J", m["i"].at(0, 0, 0), m["j"].at(0, 0, 0), axis=tuple(np.cross([-2, 2.5, 1.5], (0, 0, 1))), second_axis=(-2, 2.5, 1.5))',
            "left(m) == 9",
        ),
        (
            "wishbone: hinges with intersecting axes at any angle",
            "problems 7.22, 7.23",
            'm.intersecting_axes("J", "i", "j", at=(0, 0, 0), axis="x", second_axis=(0.6, 0.8, 0))',
            "left(m) == 8",
        ),
        (
            "link of a road wheel",
            "problem 7.28",
            'a, b = m["i"].at(0, 0, 0), m["j"].at(0, 0, 0); m.revolute_revolute("J", a, b, axis=tuple(np.cross([-2, 2.5, 1.5], (1, 0, 0))))',
            "left(m) == 8",
        ),
        ("plane on plane", "problem 7.19", 'm.planar("J", "i", "j", at=(0, 0, 0), axis="z")', "left(m) == 9"),
        (
            "revolute joint from other constraints",
            "problems 7.16 to 7.18",
            'm.spherical("P", "i", "j", at=(0, 0, 0)); m.spherical("Q", "i", "j", at=(0, 0, 1))',
            "left(m) == 7 and m.mobility().redundant",
        ),
        (
            "translational joint by relative parameters",
            "problem 7.20",
            'm.cylindrical("C", "i", "j", at=(0, 0, 0), axis="z"); m.constrain("e3", m.angle_between("i", "j", "z"))',
        ),
        ("parallel frames", "problems 7.11, 7.12", 'm.parallel_frames("J", "i", "j")', "left(m) == 9"),
        (
            "fixed coordinates of a body",
            "eq. 7.27 to 7.29",
            'm.constrain("x", "i.x"); m.constrain("y", "i.y"); m.constrain("z", "i.z")',
            "left(m) == 9",
        ),
        (
            "fixed coordinates of a point",
            "eq. 7.30 to 7.32; problems 7.13, 7.14",
            'm.constrain("z", m["i"].at(2, -2, -1).z, value=6)',
            "left(m) == 11",
        ),
        ("drivers", "7.2.4", 'm.driver("D", "i.x", "1 + 0.1*t"); m.orientation_driver("E", "j", ("0.2*t", "0", "0"))'),
        (
            "angle of steering as a driver",
            "problem 7.24",
            'm.revolute("K", "i", "j", at=(0, 0, 0), axis="z"); m.driver("S", "K.angle", "0.3*sin(t)")',
        ),
        ("normalised Euler parameters", "eq. 6.23, 7.33", "m.assemble().q"),
        (
            "position, velocity, acceleration",
            "7.3",
            "k = rssr().kinematics(1.0)",
            "near([k['D'].angle_rate[0], k['D'].angle_acceleration[0]], [0, -0.918862], 1e-5)",
        ),
        (
            "two assemblies",
            "7.3",
            "m = rssr().copy(changes={'rocker': {'rotation': rot.from_axis_angle((0, 1, 0), 2.6)}}); m.assemble()",
        ),
        (
            "table 7.1: Phi_p and gamma",
            "table 7.1",
            'm.spherical("J", "i", "j", at=(0, 0, 0)); T = m.terms().parameters; T.jacobian, T.gamma',
            "near(np.abs(T.jacobian.values - T.modified_jacobian.values)[:, 3:7], np.abs(2*np.outer(rot.matrix(p).T @ [-1, 2, -0.5], p)))",
        ),
        (
            "table 7.2: modified Jacobian and gamma",
            "table 7.2; eq. 7.34, 7.35",
            'm.spherical("J", "i", "j", at=(0, 0, 0)); T = m.terms().parameters; T.modified_jacobian, T.modified_gamma',
            "T.modified_gamma.values.shape == (3,)",
        ),
        (
            "table 11.1: Jacobian by angular velocities",
            "table 11.1",
            'm.spherical("J", "i", "j", at=(0, 0, 0)); T = m.terms(); T.jacobian, T.gamma',
            "near(np.abs(T.jacobian.values[:, :3]), np.eye(3))",
        ),
        ("partitioning by L-U with full pivoting", "App. C", 'rssr().partition(method="lu-full").H'),
        ("partitioning by column pivoting", "App. C", 'rssr().partition(method="lu-column").independent'),
    ),
    manual="nikravesh_rotations",
)

BASICS = Section(
    "Chapter 8: basic dynamics",
    setup="""
J = np.diag([2.0, 3.0, 4.0])


def free():
    m = tm.SpatialModel("free body", gravity=(0, 0, -9.81))
    m.body("b", rotation=p, omega=w, mass=6.0, inertia=(2.0, 3.0, 4.0))
    return m
""",
    each="m = free()",
    rows=rows(
        (
            "particles and equilibrium",
            "eq. 8.1, 8.2",
            'm.spring("S", m.ground.at(0, 0, 1), m["b"].at(0, 0, 0), stiffness=100.0, free_length=0.5); m.equilibrium()',
        ),
        (
            "systems of particles, centroid",
            "eq. 8.3 to 8.6",
            "c = tm.inertia.particles([1, 2, 3], [(1, 0, 0), (0, 2, 0), (0, 0, 3)])",
            "near(c.centroid, [1/6, 2/3, 3/2])",
        ),
        ("centroid of a body", "eq. 8.7 to 8.11", "tm.inertia.box(1, 2, 3, mass=6).centroid"),
        (
            "moments, couples, equivalent forces",
            "eq. 8.12 to 8.16",
            'm.force("F", m["b"].at(0.1, 0, 0), (0, 0, 5)); m.torque("N", "b", (1, 0, 0)); f = m.simulate(0.0, samples=1).force("F")',
        ),
        (
            "rotation in global axes",
            "eq. 8.17 to 8.21",
            'm.torque("N", "b", (0.3, -0.1, 0.2), frame="body"); r = m.simulate(0.0, samples=1)',
            "near(r['b'].alpha[0], [-0.126, -0.83, 0.332])",
        ),
        (
            "inertia tensor, principal axes, rotation",
            "eq. 8.22 to 8.29",
            "P = tm.inertia.particles([1, 2, 3], [(1, 0, 0), (0, 2, 0), (0, 0, 3)]).principal",
            "near(sorted(P.moments), [2.927217, 16.739450, 19.666667], 1e-5)",
        ),
        (
            "Euler's equations",
            "eq. 8.30",
            'm.torque("N", "b", (0.3, -0.1, 0.2), frame="body"); r = m.simulate(0.0, samples=1)',
            "near(r.a[0, 3:6], [0.65, 0.3, 0.55])",
        ),
        ("Newton–Euler blocks of a body", "eq. 8.31 to 8.39", "B = m.matrices()", "near(B['M'].values[3:, 3:], J)"),
        ("systems without constraints", "eq. 8.40 to 8.45", "m.simulate(1.0)"),
        (
            "systems with constraints",
            "eq. 8.46 to 8.48",
            'm.spherical("S", m.ground, "b", at=(0.5, 0, 0)); m.simulate(0.1)',
        ),
        (
            "reactions by multipliers",
            "eq. 8.49, 8.50",
            'm.spherical("S", m.ground, "b", at=(0.5, 0, 0)); f = m.simulate(0.1).reaction("S").force',
        ),
        (
            "conditions of planar motion, loads out of the plane",
            "eq. 8.51 to 8.53",
            'm = tm.SpatialModel(gravity=(0, 0, 0)); m.body("r", mass=1, inertia=[[1, 0, -0.2], [0, 1, 0.1], [-0.2, 0.1, 1.5]], omega=(0, 0, 10)); '
            'm.revolute("A", m.ground, "r", at=(0, 0, 0), axis="z"); m.motor("M", "A", 4.5); n = m.simulate(0.0, samples=1).reaction("A", on="r").moment[0]',
            "near(np.abs(n[:2]), [10.6, 19.7])",
        ),
    ),
    manual="nikravesh_dynamics_in_space",
)
