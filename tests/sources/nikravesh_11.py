"""Nikravesh (1988), chapters 11 to 14."""

from __future__ import annotations

from .page import Section, rows

SPATIAL = Section(
    "Chapter 11: equations of motion in space",
    setup="""
def box():
    m = tm.SpatialModel("box", gravity=(0, 0, 0))
    m.body(
        "b",
        position=(0, 5, 4),
        rotation=p,
        omega=(0.3, 0.2, -0.1),
        mass=50.0,
        inertia=tuple(50 / 12 * np.array([0.2, 0.4, 0.52])),
    )
    m.force("thrust", m["b"].at(0.3, 0.2, 0.1), (0, 0, 12.0), frame="body")
    return m


def top():
    m = tm.SpatialModel("top", gravity=(0, 0, -9.81))
    m.body("b", position=(0.1, 0, 0.2), mass=1.0, inertia=(0.05, 0.06, 0.02), omega=(0, 0, 20))
    m.spherical("O", m.ground, "b", at=(0, 0, 0))
    return m


J = np.diag([2.0, 3.0, 4.0])
reference = box().simulate(0.0, samples=1).a[0]
""",
    each="m = box()",
    rows=rows(
        (
            "moments in the space of Euler parameters and back",
            "eq. 11.1 to 11.4",
            "n = 2*rot.L(p).T @ (0.3, 0.1, -0.2); rot.L(p) @ n/2",
            "near(rot.L(p) @ n/2, (0.3, 0.1, -0.2)) and near(p @ n, 0)",
        ),
        ("force at a point", "eq. 11.5 to 11.7", 'm.force("F", m["b"].at(0.3, 0.2, 0.1), (1, 2, 3))'),
        ("formulation I of one body, 5×5", "eq. 11.14 to 11.16", "rot.formulation_i_matrix(p, J)"),
        ("formulation II of one body, 4×4", "eq. 11.9, 11.17", "rot.formulation_ii_matrix(p, J)"),
        (
            "formulation III of one body",
            "eq. 11.18",
            'm.matrices(formulation="III").accelerations',
            "near(m.matrices(formulation='III').accelerations, reference)",
        ),
        (
            "closed inverses of the blocks",
            "problems 11.3, 11.4",
            "rot.formulation_i_inverse(p, J), rot.formulation_ii_inverse(p, J)",
            "near(rot.formulation_i_inverse(p, J) @ rot.formulation_i_matrix(p, J), np.eye(5)) and near(rot.formulation_ii_inverse(p, J) @ rot.formulation_ii_matrix(p, J), np.eye(4))",
        ),
        (
            "systems by formulation I",
            "eq. 11.25, 11.42",
            'M = top().matrices(formulation="I"); M.solution',
            "M.matrix.shape == (11, 11)",
        ),
        (
            "systems by formulation II",
            "eq. 11.33, 11.45, 11.46",
            'M = top().matrices(formulation="II"); M.solution',
            "M.matrix.shape == (10, 10)",
        ),
        (
            "systems by formulation III",
            "eq. 11.37, 11.49",
            'M = top().matrices(formulation="III"); M.solution',
            "M.matrix.shape == (9, 9)",
        ),
        (
            "the three give the same motion",
            "11.2 to 11.4",
            'ends = [top().simulate(0.1, formulation=f).q[-1] for f in ("I", "II", "III")]',
            "near(ends[0], ends[2], 1e-7) and near(ends[1], ends[2], 1e-7)",
        ),
        (
            "Jacobian by angular velocities, its right-hand side",
            "eq. 11.48, 11.51; table 11.1",
            "T = top().terms(); T.jacobian, T.gamma",
        ),
        (
            "reactions",
            "eq. 11.20 to 11.24; problem 11.7",
            'f = top().simulate(0.0, samples=1).reaction("O", on="b"); f.force, f.moment',
        ),
        ("kinetic energy", "problem 11.5", 'm.simulate(0.0, samples=1)["b"].kinetic_energy'),
    ),
    manual="nikravesh_dynamics_in_space",
)

INTEGRATION = Section(
    "Chapter 12: integration",
    setup="""
decay, one = "y' = -y^2", {"y": 1.0}  # example 12.1; y = 1/(1 + t)


def end(method, **options):
    chosen = tm.methods[method]
    return tm.textbook.integrate(decay, one, 5.0, method=chosen(step=0.1, **options))["y"][-1]
""",
    rows=rows(
        (
            "equations of higher order as first-order ones",
            "eq. 12.3, 12.4",
            'tm.textbook.integrate({"x\'\'": "-4*x"}, {"x": 1.0, "x\'": 0.0}, 1.0)',
        ),
        ("Euler's method", "eq. 12.10", 'end("euler")', "near(end('euler'), 1/6, 0.01)"),
        ("Taylor's method of second order", "eq. 12.11, 12.12", 'end("taylor2")', "near(end('taylor2'), 1/6, 1e-3)"),
        (
            "Runge–Kutta of second order for any a",
            "eq. 12.13, 12.14",
            "end(tm.methods.rk2(0.75))",
            "near(end(tm.methods.rk2(0.75)), 1/6, 1e-3)",
        ),
        ("modified trapezoid, midpoint", "eq. 12.15, 12.16", 'end("heun"), end("midpoint")'),
        ("Runge–Kutta of fourth order", "eq. 12.17; ex. 12.1", 'end("rk4")', "near(end('rk4'), 0.166666704354, 1e-12)"),
        (
            "methods from a tableau",
            "12.2",
            "end(tm.methods.runge_kutta([[], [0.5]], [0, 1]))",
            "near(end(tm.methods.runge_kutta([[], [0.5]], [0, 1])), end('midpoint'), 1e-14)",
        ),
        (
            "multistep methods from coefficients",
            "eq. 12.18",
            'end(tm.methods.multistep(a=[1], b=[0, "3/2", "-1/2"]))',
            "tm.methods.multistep(a=[1], b=[0, '3/2', '-1/2']).order == 2",
        ),
        ("Adams and Bashforth", "table 12.1; problems 12.2, 12.3", '[end(f"ab{k}") for k in (1, 2, 3, 4)]'),
        ("Adams and Moulton", "table 12.2; problem 12.5", '[end(f"am{k}") for k in (1, 2, 3, 4)]'),
        ("predictor and corrector", "12.3.3; problem 12.4", 'end("abm4")', "near(end('abm4'), 1/6, 1e-5)"),
        (
            "starting procedure",
            "12.3.4; eq. 12.21",
            'end("ab4", starter=[1/1.1, 1/1.2, 1/1.3])',
            "near(end('ab4', starter=[1/1.1, 1/1.2, 1/1.3]), 0.1666986338, 1e-9)",
        ),
        ("Gear's methods", "eq. 12.22, table 12.3, ex. 12.2", '[end(f"bdf{k}") for k in (1, 2, 3, 4)]'),
        (
            "Newton's corrector",
            "eq. 12.23, 12.24",
            'tm.textbook.integrate("y\' = -1000*(y - cos(t))", {"y": 0.0}, 1.0, method=tm.methods.bdf2(step=0.01))',
        ),
        (
            "variable order",
            "12.5; problem 12.7",
            'tm.textbook.integrate(decay, one, 5.0, method="adams")["y"][-1]',
            "near(tm.textbook.integrate(decay, one, 5.0, method='adams')['y'][-1], 1/6)",
        ),
        (
            "variable step, stiff equations",
            "12.5; problem 12.8",
            'tm.textbook.integrate("y\' = -1000*(y - cos(t))", {"y": 0.0}, 1.0, method="bdf")',
        ),
        ("other integrators", "problems 12.6 to 12.8", 'tm.textbook.integrate(decay, one, 5.0, method="scipy_lsoda")'),
        (
            "global errors, truncation and rounding",
            "12.5",
            'tm.textbook.convergence_study(decay, one, 5.0, method="rk4").plot()',
        ),
        (
            "comparison of methods",
            "12.5",
            'tm.textbook.compare_methods(decay, one, 1.0, methods=("rk4", "adams"), tolerances=(1e-4, 1e-6))',
        ),
        (
            "equations of index 2 and 3",
            "13.3.4",
            """r = tm.textbook.integrate(["x'' = -l*x", "y'' = -l*y - 9.81", "x^2 + y^2 = 1"], {"x": 1.0, "y": 0.0, "x'": 0.0, "y'": 0.0, "l": 0.0}, 1.0)""",
            "near(r['x']**2 + r['y']**2, 1, 1e-6)",
        ),
    ),
    manual="nikravesh_dynamics_in_space",
)

CONSTRAINED = Section(
    "Chapter 13: integration of constrained systems",
    setup="""
def pendulums():
    m = tm.PlanarModel("pendulums")
    for k, (size, mass) in enumerate(((1.0, 2.0), (0.8, 1.5))):
        m.body(f"b{k}", position=(k + size / 2, 0), mass=mass, inertia=mass * size**2 / 12)
        m.revolute(f"J{k}", f"b{k - 1}" if k else m.ground, f"b{k}", at=(float(k), 0))
    return m


def floating():
    m = tm.PlanarModel("floating")
    m.body("a", mass=1, inertia=1)
    m.body("b", position=(1, 0), mass=1, inertia=1)
    m.revolute("J", "a", "b", at=(0.5, 0))
    return m


def fall(**options):
    return pendulums().simulate(0.2, samples=3, **options).q[-1]


exact = fall(rtol=1e-11)
""",
    rows=rows(
        ("arrays of positions and velocities", "eq. 13.1 to 13.3", "r = pendulums().simulate(0.2); r.q, r.v, r.a"),
        (
            "direct integration DI-1",
            "eq. 13.4",
            'm = tm.PlanarModel(); m.body("b", mass=1, inertia=1); m.simulate(0.2, method=tm.methods.rk4(step=0.01))',
        ),
        (
            "DI-2: Euler parameters and their rates",
            "eq. 13.5 to 13.7",
            'box().simulate(0.2, formulation=tm.formulations.I(rotations="rates"))',
        ),
        (
            "DI-3: angular velocities",
            "13.2.2",
            'box().simulate(0.2, formulation=tm.formulations.III(rotations="velocities"))',
        ),
        (
            "corrected Euler parameters and rates",
            "eq. 13.8 to 13.11; problems 13.2 to 13.6",
            'box().simulate(0.2, formulation=tm.formulations.cartesian(rotations="rates", normalize="corrected")); rot.normalised(1.1*p), rot.corrected_rate(p, dp)',
        ),
        (
            "the norm as a constraint",
            "13.2.1; problems 13.4, 13.5",
            'box().simulate(0.2, formulation=tm.formulations.cartesian(rotations="rates", normalize="baumgarte")); box().simulate(0.2, formulation=tm.formulations.cartesian(rotations="rates", normalize="partitioning"))',
        ),
        (
            "DI-4: constraints left to themselves",
            "eq. 13.12 to 13.16",
            'fall(constraints="none", method=tm.methods.rk4(step=0.001))',
            "near(fall(constraints='none', method=tm.methods.rk4(step=0.001)), exact)",
        ),
        (
            "CS-1: stabilised constraints",
            "eq. 13.18",
            "fall(constraints=tm.enforcement.baumgarte(alpha=5.0, beta=5.0))",
            "near(fall(constraints='baumgarte'), exact)",
        ),
        (
            "CP-1, CP-2: partitioned coordinates",
            "eq. 13.19, 13.20",
            'fall(constraints="partitioning")',
            "near(fall(constraints='partitioning'), exact)",
        ),
        ("errors of a partition", "13.3.2", "p2 = pendulums().partition(); p2.amplification, p2.reasons"),
        (
            "automatic partition: elimination by columns or in full, L-U",
            "13.3.3; ex. 13.1; App. C",
            '[pendulums().partition(method=n).independent for n in ("gauss", "gauss-full", "lu-column", "lu-full")]',
        ),
        (
            "singular values, Q-R, Gram–Schmidt",
            "13.3.3",
            '[pendulums().partition(method=n).independent for n in ("svd", "qr", "gram-schmidt")]',
        ),
        (
            "own choice of independent coordinates",
            "13.3.2",
            'pendulums().partition(coordinates=["b0.phi", "b1.phi"]); fall(constraints=tm.enforcement.partitioning(coordinates=["b0.phi", "b1.phi"]))',
        ),
        (
            "units and the choice of coordinates",
            "13.3.3",
            "tm.textbook.linear.partition([[1000.0, 1.0]], scales=[1000.0, 1.0]).choice",
        ),
        (
            "mixed equations by backward differences",
            "eq. 13.22 to 13.35",
            "fall(method=tm.methods.bdf3_index3(step=1e-3))",
            "near(fall(method=tm.methods.bdf3_index3(step=1e-3)), exact, 1e-4)",
        ),
        (
            "JC-1: joint coordinates",
            "eq. 13.36 to 13.40",
            'fall(formulation="joint")',
            "near(fall(formulation='joint'), exact)",
        ),
        (
            "maps of positions, velocities, accelerations (B)",
            "eq. 13.36 to 13.38; problems 13.10 to 13.17",
            'M = pendulums().matrices(formulation="joint"); M["B"], M["Bdot u"]',
        ),
        (
            "base body, chosen by hand",
            "13.4.2",
            'floating().simulate(0.2, formulation=tm.formulations.joint(base="a"))',
        ),
        ("topology of a tree", "13.4.2", "pendulums().graph()"),
        (
            "closed loops by cut joints",
            "eq. 13.41",
            'm = find("planar_platform").build(); m.simulate(0.1, formulation=tm.formulations.joint(cut=["P7", "P9"]))',
        ),
        (
            "cut joints chosen automatically",
            "13.4.3",
            'find("planar_platform").build().simulate(0.1, formulation="joint")',
        ),
        ("floating base", "13.4.1", 'floating().simulate(0.2, formulation="joint")'),
        (
            "one model, every algorithm",
            "problem 13.9",
            "tm.textbook.compare_formulations(pendulums(), 0.1, tolerances=(1e-6,))",
        ),
    ),
    manual="nikravesh_dynamics_in_space",
)

STATICS = Section(
    "Chapter 14: equilibrium",
    setup="""
def chain():
    m = tm.PlanarModel("chain")  # three rods of 1 m between (0, 0) and (2, 0)
    places = {"A": (0, 0), "B": (0.5, -0.9), "C": (1.5, -0.85), "D": (2, 0)}
    for k, (a, b) in enumerate((("A", "B"), ("B", "C"), ("C", "D"))):
        x = (np.array(places[a]) + places[b]) / 2
        way = np.subtract(places[b], places[a])
        m.body(f"r{k}", position=tuple(x), angle=float(np.arctan2(way[1], way[0])), mass=1.0, inertia=1 / 12)
    m.revolute("A", m.ground.at(0, 0), m["r0"].at(-0.5, 0))
    m.revolute("B", m["r0"].at(0.5, 0), m["r1"].at(-0.5, 0))
    m.revolute("C", m["r1"].at(0.5, 0), m["r2"].at(-0.5, 0))
    m.revolute("D", m["r2"].at(0.5, 0), m.ground.at(2, 0))
    return m


def low(method, **options):
    return bool(np.isclose(chain().equilibrium(method=method, **options).pose("r0")[2], -np.pi / 3, rtol=0, atol=1e-5))
""",
    rows=rows(
        (
            "equations of equilibrium, Newton on positions and multipliers",
            "eq. 14.1 to 14.3",
            'chain().equilibrium(method="newton")',
            "low('newton')",
        ),
        ("multipliers at the start", "14.1", "chain().matrices().multipliers"),
        (
            "partitioned equilibrium",
            "eq. 14.4 to 14.7",
            'chain().equilibrium(method="partitioned")',
            "low('partitioned')",
        ),
        ("potential energy", "eq. 14.8 to 14.16", "V = chain().potential_energy(); V.value, V.gradient, V.parts"),
        (
            "SE-1: minimum of the energy",
            "eq. 14.17 to 14.20",
            'chain().equilibrium(method="energy")',
            "low('energy') and near(chain().equilibrium(method='energy').potential.value, -16.9914184223)",
        ),
        ("fictitious damping", "eq. 14.21", 'chain().equilibrium(method="damping")', "low('damping')"),
        ("joint coordinates", "eq. 14.22 to 14.24", 'chain().equilibrium(method="joint")', "low('joint')"),
        (
            "penalties on cut joints",
            "eq. 14.25, 14.26",
            'chain().equilibrium(method="penalty", cut=["D"], cut_stiffness=1e4)',
            "near(np.degrees(chain().equilibrium(method='penalty', cut=['D'], cut_stiffness=1e4).pose('r0')[2]), -60.0355, 1e-3)",
        ),
        (
            "reactions at rest",
            "14.1",
            'f = chain().equilibrium().result.reaction("A", on="r0").force[0]',
            "near(np.abs(f), [5.6638061408, 14.715])",
        ),
        ("stability", "14.2", "chain().equilibrium().stable", "chain().equilibrium().stable"),
        ("motion that begins at rest", "problem 10.33", "chain().equilibrium().simulate(0.1)"),
        (
            "numbers that put a model at rest in its initial position",
            "problem 10.32",
            'm = rod(); m.torsion_spring("T", first=m.ground, second="rod", stiffness=10.0, free_angle=0.0); m.trim(["T.free_angle"])',
        ),
    ),
    manual="nikravesh_dynamics_in_space",
)
