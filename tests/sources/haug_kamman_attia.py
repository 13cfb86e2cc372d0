"""Haug (1989), Kamman's notes, Attia's papers."""

from __future__ import annotations

from .page import Section, rows

HAUG_BODIES = Section(
    "Bodies and inertia (11.1, 11.2)",
    setup="""
import numpy as np
import pytrammel as tm
from pytrammel import inertia, rotations as rot
from pytrammel.examples import find

p = np.array([0.5, 0.7, -0.5, 0.1])
w = np.array([1.0, -2.0, 0.5])
J = np.diag([2.0, 3.0, 4.0])


def free(**more):
    m = tm.SpatialModel("free", gravity=(0, 0, -9.81))
    m.body("b", rotation=p, omega=tuple(w), mass=3.0, inertia=(2.0, 3.0, 4.0), **more)
    return m
""",
    each="m = free()",
    rows=rows(
        (
            "forces within a body that do no work, others entered as loads (A1)",
            "11.1.1 to 11.1.7",
            'm.force("F", m["b"].at(0.1, 0, 0), (0, 0, 5))',
        ),
        (
            "any body-fixed frame (A2)",
            "11.1.10, 11.1.11",
            'm = free(centroid=(0.1, 0.2, -0.5)); M = m.matrices()["M"]',
            "near(np.abs(np.linalg.svd(M.values[:3, 3:])[1][0]), 3*np.sqrt(0.3))",
        ),
        (
            "total force and moment (A3)",
            "11.1.14, 11.1.15",
            'm.torque("N", "b", (1, 0, 0), frame="body"); m.matrices()["g"]',
        ),
        ("inertia matrix (A4)", "11.1.16, 11.1.17", "inertia.particles([1, 2], [(1, 0, 0), (0, 1, 1)]).inertia"),
        (
            "Newton and Euler about the centroid (A5, A6)",
            "11.1.19, 11.1.20",
            "a = m.simulate(0.0, samples=1).a[0]",
            "near(a[3:], np.linalg.solve(J, -np.cross(w, J @ w)))",
        ),
        ("body with a fixed point, heavy top (A7)", "11.1.21 to 11.1.23", 'r = find("spinning_top").run()'),
        (
            "point of a body on a sphere (A8)",
            "ex. 11.1.1",
            'm.link("L", m.ground.at(0, 0, 1), m["b"].at(0, 0, 1))',
            "m.mobility().dof == 5",
        ),
        (
            "bearing moments of a pendulum (A9)",
            "ex. 11.1.2; 11.1.27, 11.1.28",
            'm = free(centroid=(0.1, 0.2, -0.5)); m.revolute("A", m.ground, "b", at=(0, 0, 0), axis="y"); n = m.simulate(0.0, samples=1).reaction("A", on="b").in_joint_frame',
        ),
        (
            "turning and sliding along an axis",
            "problem 11.1.4",
            'm.cylindrical("A", m.ground, "b", at=(0, 0, 0), axis="y"); m.simulate(0.1)',
        ),
        (
            "centroid (A10)",
            "11.2.1",
            "inertia.hemisphere(0.2, mass=1).centroid",
            "near(inertia.hemisphere(0.2, mass=1).centroid, (0, 0, 0.075))",
        ),
        (
            "symmetry: products that vanish (A11)",
            "11.2.2, 11.2.3, 11.2.10 to 11.2.12",
            "inertia.cylinder(0.1, 0.3, mass=1).inertia",
            "near(inertia.cylinder(0.1, 0.3, mass=1).inertia, np.diag(np.diag(inertia.cylinder(0.1, 0.3, mass=1).inertia)))",
        ),
        (
            "turned and shifted axes (A12)",
            "11.2.4 to 11.2.7",
            "inertia.box(1, 2, 3, mass=6).rotated(rot.matrix(p)).moved((1, 0, 0))",
        ),
        ("parallel axes (A13)", "11.2.8, 11.2.9", "inertia.box(1, 2, 3, mass=6).about((0, 1, 0))"),
        (
            "principal axes and moments (A14)",
            "11.2.13 to 11.2.17; ex. 11.2.3",
            "P = inertia.triangular_plate((0, 0, 0), (1, 0, 0), (0, 1, 0), mass=0.5).principal; P.moments, P.axes",
            "near(sorted(P.moments), [1/72, 1/24, 1/18])",
        ),
        (
            "definite and semidefinite inertia (A15)",
            "11.2.14",
            "inertia.thin_rod(1.0, mass=1).inertia; bad = lambda: inertia.check_inertia(np.diag([1.0, 1.0, 3.0]))",
            "raises(tm.TrammelError, bad)",
        ),
        (
            "composites (A16)",
            "11.2.18 to 11.2.20",
            "inertia.composite(inertia.sphere(0.1, mass=1), inertia.box(1, 1, 1, mass=2))",
        ),
        (
            "capsule of a cylinder and two hemispheres",
            "ex. 11.2.4",
            "c = inertia.capsule(0.05, 0.2, axis='y', density=7850)",
            "near([c.mass, c.inertia[0, 0], c.inertia[1, 1]], [16.441001554, 0.109435417, 0.019523689])",
        ),
        (
            "voids (A17)",
            "ex. 11.2.5",
            "bar = inertia.box(0.3, 0.1, 0.06, density=7850) - inertia.cylinder(0.03, 0.3, axis='x', density=7850)",
            "near([bar.mass, bar.inertia[0, 0]], [7.471394371, 0.013017627])",
        ),
        (
            "table of solids (A18)",
            "table 11.2.1",
            "[inertia.thin_rod(1, mass=1), inertia.cube(1, mass=1), inertia.box(1, 2, 3, mass=1), inertia.sphere(1, mass=1), inertia.hollow_sphere(1, 0.5, mass=1), inertia.hemisphere(1, mass=1), inertia.cone(1, 2, mass=1), inertia.cylinder(1, 2, mass=1), inertia.hollow_cylinder(1, 0.5, 2, mass=1)]",
        ),
        (
            "inertia from geometric modellers",
            "11.2",
            'inertia.box_mesh(1, 2, 3).write_stl("box.stl"); b = inertia.read_mesh("box.stl").properties(mass=6)',
            "near(np.diag(b.inertia), [6.5, 5, 2.5])",
        ),
        ("gravity as a property of the model (A34)", "ex. 11.1.2", "tm.SpatialModel(gravity=(0, -9.81, 0))"),
    ),
    manual="haug_dynamics_and_mass_properties",
)

HAUG_SYSTEMS = Section(
    "Systems, forces, reactions, integration (11.3 to 11.6)",
    setup="""
def arm():
    m = tm.SpatialModel("arm", gravity=(0, 0, -9.81))
    m.body("b", position=(0.5, 0, 0), mass=3.0, inertia=(0.1, 0.4, 0.4))
    m.revolute("A", m.ground, "b", at=(0, 0, 0), axis="y")
    return m


end = arm().simulate(0.2, samples=2, rtol=1e-11).q[-1]
""",
    each="m = arm()",
    rows=rows(
        (
            "equations with angular velocities (A19)",
            "11.3.4 to 11.3.11",
            'm.matrices(formulation="III").solution',
            'near(m.matrices(formulation="III").accelerations, m.matrices().accelerations)',
        ),
        (
            "norms of Euler parameters as constraints (A20)",
            "11.3.3, 11.3.23, 11.3.24",
            'm.matrices(formulation="I")["P"]',
        ),
        (
            "equations with Euler parameters (A21)",
            "11.3.14 to 11.3.29",
            'm.matrices(formulation="I").solution',
            'near(m.simulate(0.2, samples=2, formulation="I").q[-1], end)',
        ),
        (
            "rates of angular velocity and of parameters (A22)",
            "11.3.16 to 11.3.21",
            "rot.parameter_acceleration(p, w, (0.1, 0.2, 0.3))",
        ),
        (
            "conditions at the start (A23)",
            "11.3.12, 11.3.13, 11.3.30",
            'r = m.simulate(0.1, initial={"A.angle": 0.3, "A.angle.rate": 2.0})',
            "near(r['A'].angle[0], 0.3) and near(r['A'].angle_rate[0], 2.0)",
        ),
        (
            "solvable where the kinetic energy is positive along what joints leave free (A24)",
            "11.3.11; problems 11.3.2, 11.3.3",
            'm = tm.SpatialModel(gravity=(0, 0, -9.81)); m.body("rod", position=(0, 0.5, 0), properties=inertia.thin_rod(1.0, mass=1.0)); m.universal("U", m.ground, "rod", at=(0, 0, 0), axis="x", second_axis="z"); m.matrices().solvability',
            "m.matrices().solvability.accelerations and m.matrices().solvability.multipliers",
        ),
        (
            "motions without kinetic energy, dependent constraints by name (A24)",
            "problems 11.3.2, 11.3.3",
            'm = tm.SpatialModel(); m.body("rod", properties=inertia.thin_rod(1.0, mass=1.0)); m.spherical("S", m.ground, "rod", at=(0, 0.5, 0)); m.matrices().solvability.idle',
            "m.matrices().solvability.idle.shape == (6, 1)",
        ),
        (
            "loads along such motions are reported before the run (A24)",
            "problems 11.3.2, 11.3.3",
            'm.body("light", position=(1, 0, 0), massless=True); m.revolute("B", "b", "light", at=(1, 0, 0), axis="x"); m.force("F", m["light"].at(0, 0.1, 0), (0, 0, 1)); run = lambda: m.simulate(0.1)',
            "raises(tm.TrammelError, run)",
        ),
        (
            "spring, damper and actuator along a line (A25)",
            "11.4.1 to 11.4.11",
            'm.spring("S", m.ground.at(0, 0, 1), m["b"].at(0.3, 0, 0), stiffness=50.0, damping=2.0, force="3*sin(t)")',
        ),
        (
            "spring, damper and actuator about an axis, counted turns (A26)",
            "11.4.12 to 11.4.16",
            'm.torsion_spring("T", "A", stiffness=5.0, damping=0.2); m.motor("M", "A", "0.5*A.angle.rate")',
        ),
        (
            "inverse dynamics (A27)",
            "11.5",
            'm.driver("D", "A.angle", "0.5*sin(2*t)"); m.inverse_dynamics(1.0).effort("D")',
        ),
        (
            "equilibrium by settling, equations or energy (A28)",
            "11.5",
            'm.torsion_spring("T", "A", stiffness=50.0, damping=5.0); [m.equilibrium(method=n) for n in ("newton", "energy", "settling")]',
        ),
        (
            "reactions in the frame of the joint (A29)",
            "11.5.1 to 11.5.6",
            'm.simulate(0.1).reaction("A", on="b").in_joint_frame',
            'near(m.simulate(0.0, samples=1).reaction("A", on="b").moment_about(m.simulate(0.0, samples=1)["b"].position - [[0.5, 0, 0]])[0][1], 0)',
        ),
        (
            "integration of parameters (A30)",
            "11.6",
            'm.simulate(0.2, samples=2, formulation=tm.formulations.I(rotations="rates"))',
            'near(m.simulate(0.2, samples=2, formulation=tm.formulations.I(rotations="rates")).q[-1], end)',
        ),
        (
            "integration of converted rates (A31)",
            "11.6",
            'm.simulate(0.2, samples=2, formulation=tm.formulations.III(rotations="rates"))',
            'near(m.simulate(0.2, samples=2, formulation=tm.formulations.III(rotations="rates")).q[-1], end)',
        ),
        (
            "first-order form with angular velocities (A32)",
            "11.5.7, 11.5.8",
            'm.simulate(0.2, samples=2, formulation=tm.formulations.cartesian(rotations="velocities"))',
            'near(m.simulate(0.2, samples=2, formulation=tm.formulations.cartesian(rotations="velocities")).q[-1], end)',
        ),
        (
            "direct, stabilised, partitioned, hybrid (A33)",
            "11.6",
            '[m.simulate(0.2, constraints=n) for n in ("none", "baumgarte", "partitioning", "hybrid")]',
        ),
    ),
    manual="haug_dynamics_and_mass_properties",
)

KAMMAN = Section(
    "Relative coordinates and Kane's equations",
    setup="""
import numpy as np
import pytrammel as tm
from pytrammel import rotations as rot

rod = (1 / 12, 1 / 12, 1e-3)


def pendulums(joint="revolute"):
    m = tm.SpatialModel("pendulums", gravity=(0, 0, -9.81))  # two rods of 1 m, angles 60 and 30 degrees about x
    at, angle = np.zeros(3), 0.0
    for k, turn in enumerate((np.pi / 3, np.pi / 6)):
        angle += turn
        q = rot.from_axis_angle((1, 0, 0), angle)
        m.body(f"b{k}", position=tuple(at), rotation=q, mass=1.0, inertia=rod, centroid=(0, 0, -0.5))
        lower = f"b{k - 1}" if k else m.ground
        m.revolute(f"J{k}", lower, f"b{k}", at=tuple(at), axis="x")
        at = at + rot.matrix(q) @ (0, 0, -1)
    return m


def one():
    m = tm.SpatialModel("one", gravity=(0, 0, -9.81))
    m.body("b", mass=1.0, inertia=rod, centroid=(0.1, 0, -0.5))
    return m


def free_coordinates(m):
    return len(tm.textbook.relative_equations(m).unknown)
""",
    each="m = one()",
    rows=rows(
        (
            "implicit constraints: coordinates of joints (B1)",
            "introduction",
            'pendulums().simulate(0.2, formulation="relative")',
            'near(pendulums().simulate(0.2, formulation="relative").q[-1], pendulums().simulate(0.2).q[-1])',
        ),
        (
            "explicit constraints with multipliers (B2)",
            "6 to 8",
            'm = pendulums(); e = tm.textbook.relative_equations(m, rows=[({"b0.theta1": 1.0, "b1.theta1": -1.0}, 0.0)]); e.row_multipliers',
        ),
        (
            "known coordinates are eliminated (B3)",
            "9 to 12",
            "e = tm.textbook.relative_equations(pendulums()); e.known, e.unknown, e.multipliers",
            "near([e.rates[e.names.index(n)] for n in e.unknown], [-8.266095449, 4.289068422], 1e-8)",
        ),
        (
            "tree of bodies, body-connection array (B4)",
            "p. 2",
            "tm.textbook.relative_equations(pendulums()).lower",
            "tm.textbook.relative_equations(pendulums()).lower == (0, 1)",
        ),
        (
            "six relative coordinates per body (B5)",
            "1",
            "tm.textbook.relative_equations(pendulums()).names",
            "len(tm.textbook.relative_equations(pendulums()).names) == 12",
        ),
        (
            "Kane's equations, partial velocities (B6)",
            "2 to 5",
            "e = tm.textbook.relative_equations(pendulums()); e.A, e.f",
            "e.A.shape == (12, 12) and e.f.shape == (12,)",
        ),
        (
            "generalised forces (B7)",
            "8",
            'm = pendulums(); m.force("F", m["b1"].at(0, 0, -1), (0, 3, 0)); tm.textbook.relative_equations(m).f',
        ),
        (
            "loads of joints from eliminated equations (B8)",
            "13",
            'e = tm.textbook.relative_equations(pendulums()); e.loads["J0"].force_lower',
            "near(e.loads['J0'].force_lower, [0, -6.199571586, 6.893513514], 1e-8)",
        ),
        ("partial angular velocities (B9)", "19 to 24", "tm.textbook.relative_equations(pendulums()).angular"),
        ("partial velocities (B10)", "25, 26, 34", "tm.textbook.relative_equations(pendulums()).linear"),
        (
            "spherical joint (B11)",
            "35 to 42",
            'm.spherical("J", m.ground, "b", at=(0, 0, 0))',
            "free_coordinates(m) == 3",
        ),
        (
            "universal joint, three variants (B12)",
            "43 to 62",
            'm.universal("J", m.ground, "b", at=(0, 0, 0), axis="x", second_axis="y")',
            "free_coordinates(m) == 2",
        ),
        (
            "hinge, three variants (B13)",
            "63 to 75",
            'm.revolute("J", m.ground, "b", at=(0, 0, 0), axis="y")',
            "free_coordinates(m) == 1",
        ),
        (
            "prismatic joint (B14)",
            "joint table",
            'm.prismatic("J", m.ground, "b", at=(0, 0, 0), axis="x")',
            "free_coordinates(m) == 1",
        ),
        (
            "cylindrical joint (B15)",
            "joint table",
            'm.cylindrical("J", m.ground, "b", at=(0, 0, 0), axis="x")',
            "free_coordinates(m) == 2",
        ),
        (
            "rigid and free joints (B16)",
            "joint table",
            'm.free("J", m.ground, "b", at=(0, 0, 0), axis="z")',
            "free_coordinates(m) == 6 and free_coordinates(one()) == 6",
        ),
        (
            "series of simple joints (B17)",
            "p. 2",
            'm.body("cross", massless=True); m.revolute("X", m.ground, "cross", at=(0, 0, 0), axis="x"); m.revolute("Y", "cross", "b", at=(0, 0, 0), axis="y")',
            "free_coordinates(m) == 2",
        ),
        (
            "known coordinates that change with time (B18)",
            "after 12",
            'm.revolute("J", m.ground, "b", at=(0, 0, 0), axis="x"); m.driver("D", "J.angle", "0.3*sin(t)"); tm.textbook.relative_equations(m)',
            "free_coordinates(m) == 0",
        ),
        (
            "joint frames other than inertia frames (B19)",
            "end",
            'm.revolute("J", m.ground, "b", at=(0, 0.1, 0), axis=(1, 1, 0)); tm.textbook.relative_equations(m)',
            "free_coordinates(m) == 1",
        ),
        (
            "Euler parameters for balls and free bodies (B20)",
            "end",
            'm.spherical("J", m.ground, "b", at=(0, 0, 0)); m.simulate(0.1, formulation="relative")',
            'near(m.simulate(0.1, formulation="relative").q[-1], m.simulate(0.1).q[-1])',
        ),
    ),
    manual="kamman_relative_coordinates",
)

ATTIA = Section(
    "Systems of particles and velocity transformations",
    setup="""
import numpy as np
import pytrammel as tm
from pytrammel.examples import find


def plate():
    m = tm.PlanarModel("plate")
    m.body("plate", mass=3.0, inertia=1.0)  # with three particles 1 m from each other: 1 kg each
    m.revolute("A", m.ground, "plate", at=(0, 3**-0.5))
    return m


corners = [(0, 3**-0.5), (-0.5, -(12**-0.5)), (0.5, -(12**-0.5))]


def rod():
    m = tm.PlanarModel("rod")
    m.body("rod", position=(0.5, 0), mass=6.0, inertia=0.5)
    m.revolute("A", m.ground, "rod", at=(0, 0))
    return m


platform = find("planar_platform").build()
cut = tm.formulations.points(variables="joint", cut=["P7", "P9"])
""",
    rows=rows(
        (
            "four particles for a body (C1)",
            "§ 2; 2.1",
            'r = tm.textbook.particles(plate(), particles={"plate": corners})',
            "near(r.particles.bodies[0].masses, [1, 1, 1, 0])",
        ),
        (
            "three particles for a rod (C2)",
            "§ 2, § 4",
            'r = tm.textbook.particles(rod(), particles={"rod": [(-0.5, 0), (0.5, 0)]})',
            "near(r.particles.bodies[0].masses, [1, 1, 4])",
        ),
        (
            "ten particles in space (C3)",
            "§ 2",
            'm = tm.SpatialModel(); m.body("b", mass=1, inertia=(0.1, 0.2, 0.25)); tm.textbook.particles(m, particles={"b": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]})',
        ),
        (
            "more particles with unknowns of one's choice",
            "§ 2",
            'tm.textbook.particles(plate(), particles={"plate": [*corners, (0.2, 0.1)]}, masses={"plate": [None, None, None, 0.7]})',
        ),
        (
            "particles shared at joints (C4)",
            "§ 2, § 5",
            "tm.textbook.particles(platform)",
            "tm.textbook.particles(platform).places.shape == (9, 2)",
        ),
        (
            "forces distributed over particles (C5)",
            "§ 3; 3.1, 3.2",
            'f = tm.textbook.particles(plate(), particles={"plate": corners}).forces("plate", force=(0, -10), at=(0.1, 0.2))',
            "near(f.sum(axis=0), (0, -10))",
        ),
        (
            "couples distributed over particles (C6)",
            "§ 3",
            'f = tm.textbook.particles(plate(), particles={"plate": corners}).forces("plate", couple=2.0)',
            "near(f.sum(axis=0), 0) and near(sum(x*b - y*a for (x, y), (a, b) in zip(corners, f)), 2.0)",
        ),
        (
            "equations of one body (C7)",
            "§ 4; 4.1 to 4.3",
            'plate().matrices(formulation="points")',
            'near(plate().matrices(formulation="points").accelerations, plate().matrices().accelerations)',
        ),
        (
            "equations of a rod (C8)",
            "4.4",
            'rod().matrices(formulation="points")',
            'near(rod().matrices(formulation="points").accelerations, rod().matrices().accelerations)',
        ),
        (
            "equations of a system (C9)",
            "§ 5; 5.1, 5.2",
            'platform.matrices(formulation="points")',
            'near(platform.matrices(formulation="points").accelerations, platform.matrices().accelerations)',
        ),
        (
            "velocity transformation of open chains (C10)",
            "§ 6.1; 6.1 to 6.4",
            'M = find("double_pendulum").build().matrices(formulation=tm.formulations.points(variables="joint")); M["B"]',
            'near(M.accelerations, find("double_pendulum").build().matrices().accelerations)',
        ),
        (
            "closed chains by cut joints (C11)",
            "§ 6.2; 6.5 to 6.8",
            'M = platform.matrices(formulation=cut); M["M"], M["B"], M["C"]',
            "M['M'].values.shape == (16, 16) and M.matrix.shape == (11, 11)",
        ),
        (
            "integration with Gear's method (C12)",
            "§ 6.3",
            'platform.simulate(0.05, formulation=cut, constraints="baumgarte", method="bdf")',
        ),
        (
            "bodies of rigid links in place of a flexible one (C13)",
            "§ 2",
            'm = tm.PlanarModel(); m.beam("beam", (0, 0), (1, 0), EI=10.0, mass=1.0, parts=3); m.matrices(formulation="points")',
            'near(m.matrices(formulation="points").accelerations, m.matrices().accelerations, 1e-5)',
        ),
        (
            "platform on three legs (C14)",
            "§ 7",
            "r = platform.simulate(0.5, samples=3, formulation=cut)",
            "near(r.q[-1], platform.simulate(0.5, samples=3).q[-1], 1e-5)",
        ),
    ),
)
