"""Nikravesh (1988), chapters 1 to 3."""

from __future__ import annotations

from .page import Section, rows

VOCABULARY = Section(
    "Chapters 1 to 3: bodies, coordinates, degrees of freedom",
    setup="""
def pair():
    m = tm.PlanarModel("pair")
    m.body("a", position=(0.4, 0.2), angle=0.5, velocity=(0.3, -0.2), omega=1.5)
    m.body("b", position=(1.2, 0.7), angle=-0.4)
    return m


def four_bar():
    m = tm.PlanarModel("four-bar")
    places = {"O": (0, 0), "A": (1, 3**0.5), "D": (2.5, 0)}
    places["B"] = tm.meet(places["A"], places["D"], 4, 4)
    m.linkage(places, {"ground": "OD", "crank": "OA", "coupler": "AB", "rocker": "DB"})
    m.point("P", "coupler", local=(2.5, 1.5))
    m.driver("motor", "O.angle", "1.0472 + 6.2832*t")
    return m


def double_parallel_crank():
    m = tm.PlanarModel("double parallel crank")
    places = {"A": (0, 0), "B": (2, 0), "C": (0, 1), "D": (2, 1), "E": (0, 0.6), "F": (2, 0.6)}
    m.linkage(places, {"ground": "AB", "left": "ACE", "right": "BDF", "upper": "CD", "lower": "EF"})
    return m


k = four_bar().kinematics(1.0, samples=41)
""",
    rows=rows(
        (
            "rigid body in the plane, coordinates x, y, phi",
            "3.1.2, 4.1; eq. 4.5",
            'tm.PlanarModel().body("a", position=(1, 2), angle=0.5)',
        ),
        (
            "body-fixed frame with any origin, angles over several turns",
            "4.1, 4.4.1",
            'turns = (k["crank"].phi[-1] - k["crank"].phi[0])/(2*np.pi)',
            "near(turns, 1, 1e-5)",
        ),
        (
            "local to global point",
            "eq. 4.1 to 4.4; ex. 4.1",
            'p = tm.PlanarModel().body("c", position=(1.2, 2.5), angle=5.67).at(-1.8, 1.3); p.x0, p.y0',
            "near([p.x0, p.y0], [0.47604, 4.59902], 1e-5)",
        ),
        (
            "global to local point",
            "problem 4.2",
            'p = tm.PlanarModel().body("c", position=(5, 2), angle=tm.deg(30)).at_global(6, 1.5); p.xi, p.eta',
            "near([p.xi, p.eta], [0.616025, -0.933013])",
        ),
        (
            "velocity and acceleration of a point",
            "eq. 4.43 to 4.45",
            'v, a = k["P"].velocity, k["P"].acceleration',
            "near(a[0], [-77.04228, -42.49994], 1e-4)",
        ),
        (
            "chains and loops, open or closed, joints by name",
            "3.1; problem 3.1",
            "g = four_bar().graph(); g.loops, g.joints",
            "len(g.loops) == 1",
        ),
        ("three kinds of coordinates", "1.4.1; table 1.1", 'm = four_bar(); m.kinematics(1.0, formulation="joint")'),
        (
            "comparison of coordinates",
            "table 1.1",
            "tm.formulations",
            "{'cartesian', 'joint', 'relative'} <= set(tm.formulations)",
        ),
        (
            "degrees of freedom",
            "eq. 3.4",
            "four_bar().mobility().dof",
            "four_bar().copy(without=['motor']).mobility().dof == 1",
        ),
        (
            "redundant constraints by name",
            "3.1.5; problem 5.16",
            "double_parallel_crank().mobility().redundant",
            "double_parallel_crank().mobility().rank == 11",
        ),
        (
            "holonomic and nonholonomic equations",
            "3.1.4; problem 3.2",
            'm = pair(); m.equation("skate", "a.vy*cos(a.phi) - a.vx*sin(a.phi)"); m.equation("d", "a.x*b.vy + b.y*a.vx"); c = m.mobility(); c.integrable, c.nonholonomic',
            '(c.integrable, c.nonholonomic) == (("d",), ("skate",))',
        ),
        (
            "integrable velocity equations",
            "problem 3.2 d",
            'm = pair(); m.equation("d", "a.x*b.vy + b.y*a.vx"); [m.constrain(f"c{i}", q) for i, q in enumerate(["a.y", "a.phi", "b.x", "b.phi"])]; '
            'm.driver("D", "a.x", "0.4 + 0.1*t"); r = m.kinematics(1.0)',
            'near(r["a"].x*r["b"].y, 0.28, 1e-9)',
        ),
        (
            "equations that are not integrable are rejected with the reason",
            "problem 3.2 f",
            'm = pair(); m.equation("skate", "a.vy*cos(a.phi) - a.vx*sin(a.phi)"); m.fix("F", "b"); m.driver("X", "a.x", "0.4 + t"); m.driver("Q", "a.phi", "0.5 + t")',
            "raises(tm.TrammelError, lambda: m.kinematics(1.0))",
        ),
        ("independent and dependent coordinates", "3.2.1", "four_bar().partition().independent"),
        (
            "equivalent models: a link instead of a body",
            "4.2.2, 4.4",
            'm = pair(); m.link("L", m["a"].at(0, 0), m["b"].at(0, 0), length=1.0)',
            "near(np.linalg.norm(np.subtract(*[m.assemble().pose(b)[:2] for b in 'ab'])), 1)",
        ),
        (
            "slider-crank by vectors",
            "ch. 1",
            's = tm.textbook.solve(["0.1*cos(p) + 0.2*cos(q) = d", "0.1*sin(p) = 0.2*sin(q)"], {"q": 0.2, "d": 0.3}, given={"p": "pi/6 - t"})',
            "near([s['d'], np.degrees(s['q'])], [0.280252, 14.4775], 1e-4)",
        ),
        (
            "velocity and acceleration polygons",
            "ch. 1",
            "k.diagram.velocity_polygon(0.0); k.diagram.acceleration_polygon(0.0)",
        ),
        (
            "skew matrices and their identities",
            "2.45 to 2.54; ex. 2.1",
            "tm.rotations.skew([-2, 1, -3]) @ [1, -2, 4]",
            "near(tm.rotations.skew([-2, 1, -3]) @ [1, -2, 4], [-2, 5, 3])",
        ),
        (
            "partial derivatives of vectors",
            "2.59 to 2.75; ex. 2.5",
            'tm.parse("-x1 + 3*x2*x4^2").derivative("x4")',
            "tm.parse('-x1 + 3*x2*x4^2').derivative('x4').evaluate({'x2': 2.0, 'x4': 3.0}) == 36",
        ),
    ),
    manual="nikravesh_kinematics",
)

ALGORITHMS = Section(
    "Chapter 3: linear and nonlinear equations",
    setup="""
A, c = [[3, 1, -1], [-1, 2, 1], [2, -3, 1]], [2, 6, -1]  # example 3.6
B, d = [[2, -1, 1], [-1, 0, 2], [1, 4, -2]], [0, 5, -5]  # example 3.9
loop = [
    "0.2*cos(p1) + 0.4*cos(p2) - 0.3*cos(p3) - 0.35",
    "0.2*sin(p1) + 0.4*sin(p2) - 0.3*sin(p3) - 0.1",
]  # example 3.2
_ = Path("linear.txt").write_text("4\\n1 2 -1 -3\\n4 1 -1 1\\n2 -3 0 -1\\n-1 0 5 2\\n0 4 11 1\\n0\\n")  # example 3.11
_ = Path("newton.txt").write_text("1,2\\n0.523599\\n5.59,10.0\\n")
disk = ["2*cos(p) - d + 10*cos(pi/6)", "2*sin(p) - 4 + 10*sin(pi/6)"]  # example 3.13
""",
    rows=rows(
        (
            "position, velocity and acceleration analysis",
            "3.2; eq. 3.13 to 3.17",
            's = tm.textbook.solve(loop, {"p2": 0.57, "p3": 2.11}, given={"p1": "2.36 + 2*pi*t"})',
            "near([s['p2'], s['p3']], [0.5700, 2.1145], 1e-4) and near(s.accelerations['p3'], -5.3867, 1e-4)",
        ),
        (
            "algorithm K-I: partitioned coordinates",
            "eq. 3.6 to 3.11",
            'r = four_bar().copy(without=["motor"]).kinematics(1.0, prescribed={"crank.phi": "1.0472 + 6.2832*t"})',
            "near(r['rocker'].alpha[0], 12.26373, 1e-4)",
        ),
        (
            "algorithm K-II: appended drivers",
            "3.2.2",
            "r = four_bar().kinematics(1.0)",
            "near(r['rocker'].alpha[0], 12.26373, 1e-4)",
        ),
        (
            "general partition, symbolic rows",
            "ex. 3.3, 3.5",
            's = tm.textbook.solve(["x1^2 + 2*x2*x3 - x1*x4", "3*x1*x2 - x2^2 + x3*x4 - x3"], {"x1": 1, "x3": 0.5}, given={"x2": "0.2*t", "x4": "0.03*t^2 - 0.5*t"}, time=1.0)',
        ),
        (
            "Gaussian elimination",
            "3.3.1; ex. 3.6",
            "tm.textbook.linear.gauss(A, c).solution",
            "near(tm.textbook.linear.gauss(A, c).solution, [1, 2, 3])",
        ),
        (
            "Gauss–Jordan reduction",
            "ex. 3.7",
            "tm.textbook.linear.gauss_jordan(A, c).solution",
            "near(tm.textbook.linear.gauss_jordan(A, c).solution, [1, 2, 3])",
        ),
        (
            "row, column and full pivoting with index vectors",
            "3.3.2; ex. 3.8, 3.9",
            'r = tm.textbook.linear.gauss(B, d, pivoting="full"); r.column_order',
            "near(r.solution, [-1, 0, 2]) and r.column_order == (1, 0, 2)",
        ),
        (
            "algorithm LU-I",
            "3.3.3; eq. 3.32 to 3.35; ex. 3.10",
            'f = tm.textbook.linear.lu(A, pivoting="none", form="crout"); f.L, f.U, f.steps',
            "near(f.L @ f.U, A)",
        ),
        (
            "LU with full pivoting",
            "3.3.4; ex. 3.11",
            'f = tm.textbook.linear.lu(B, pivoting="full"); f.row_order, f.column_order',
            "near(f.solve(d), [-1, 0, 2])",
        ),
        (
            "factors used for several right-hand sides",
            "3.3.5",
            "f = tm.textbook.linear.lu(B); f.solve(d), f.solve([1, 0, 0])",
        ),
        ("smallest pivot chosen by the user (EPS)", "3.3.5", "tm.textbook.linear.lu(B, tolerance=1e-6)"),
        (
            "Newton–Raphson with one and more unknowns",
            "3.4; algorithm NR-I",
            's = tm.textbook.solve(disk, {"p": tm.deg(320), "d": 10})',
            "near([s['p'], s['d']], [11*np.pi/6, 12*np.cos(np.pi/6)])",
        ),
        (
            "iterations in a table, limits NRMAX, FEPS",
            "3.4.3; ex. 3.13",
            'tm.textbook.solve(disk, {"p": tm.deg(320), "d": 10}, max_iterations=25, tol=1e-3).history',
        ),
        (
            "failures of Newton's method",
            "figs. 3.10 to 3.13",
            'plain = lambda: tm.textbook.solve(["x^2 + 1"], {"x": 1.0}, newton="full", max_iterations=5)',
            "raises(tm.TrammelError, plain)",
        ),
        ("initial estimates corrected at the first time", "3.2, 5.1", "four_bar().assemble().moves"),
        ("undamped Newton along a motion", "3.4", 'four_bar().kinematics(1.0, samples=41, newton="full").histories'),
        ("predictor of the next position", "problem 5.15", "four_bar().kinematics(1.0, samples=5).newton_iterations"),
        ("level of the analysis", "problem 5.12", 'r = four_bar().kinematics(1.0, level="velocity")', "r.a is None"),
        (
            "dependent rows of a matrix, full pivoting",
            "problem 5.16; App. C",
            "p = tm.textbook.linear.partition([[1, 2, 0, 1, 3], [0, 1, 1, -1, 2], [1, 3, 1, 0, 5]])",
            "len(p.choice.redundant) == 1",
        ),
        ("influence coefficients", "eq. C.3 to C.6", "four_bar().copy(without=['motor']).partition().H"),
        ("sparse elimination", "problem 5.19", "four_bar().kinematics(1.0); four_bar().terms().jacobian"),
        (
            "wheel on a plane without slip, table of iterations",
            "problems 3.12, 3.15",
            's = tm.textbook.solve(["cos(p) + 2*cos(q) = x", "sin(p) + 2*sin(q) = 0"], {"q": 0.1, "x": 2.5}, given={"p": "0.2*t"})',
        ),
        (
            "program of example 3.12",
            "ex. 3.12",
            "pytrammel linear < linear.txt",
            "code == 0 and '2.00000  -2.00000   1.00000  -1.00000' in printed",
        ),
        ("program of example 3.14", "ex. 3.14", "pytrammel newton < newton.txt", "code == 0 and '10.39' in printed"),
    ),
    manual="nikravesh_kinematics",
)
