"""Nikravesh (1988), chapters 9 and 10."""

from __future__ import annotations

from .page import Section, rows

FORCES = Section(
    "Chapter 9: forces, reactions, statics",
    setup="""
def two():
    m = tm.PlanarModel("example 9.2")
    m.body("b1", position=(-0.1, 0.2), angle=0.785, mass=0.2, inertia=0.03)
    m.body("b2", position=(0.1, 0.1), angle=0.262, mass=0.15, inertia=0.02)
    return m


def rate(m):
    return m.simulate(0.0, samples=1).a[0]


def rod(**more):
    m = tm.PlanarModel("rod")
    m.body("rod", position=(0.5, 0), mass=1.0, inertia=1 / 12, **more)
    m.revolute("A", m.ground, "rod", at=(0, 0))
    return m


def robot():
    m = tm.PlanarModel("robot")
    x, angles = np.zeros(2), (0.879328, -1.297506, 0.523599)
    for k, (size, mass) in enumerate(((1, 4), (0.8, 3), (0.4, 1))):
        u = np.array([np.cos(angles[k]), np.sin(angles[k])])
        m.body(f"l{k}", position=tuple(x + size * u / 2), angle=angles[k], mass=mass, inertia=mass * size**2 / 12)
        m.revolute(f"J{k}", f"l{k - 1}" if k else m.ground, f"l{k}", at=tuple(x))
        x = x + size * u
    m.point("tip", "l2", local=(0.2, 0))
    m.driver("x", "tip.x", "1.2 - 0.3*t")
    m.driver("y", "tip.y", "0.2 + 0.4*t")
    m.driver("phi", "l2.phi", "pi/6")
    return m
""",
    each="m = two()",
    rows=rows(
        ("free bodies", "eq. 9.1 to 9.3", "rate(m)", "near(rate(m)[1], -9.81)"),
        (
            "bodies with joints, multipliers",
            "eq. 9.4 to 9.7",
            'm.revolute("A", "b1", "b2", at=(0, 0.15)); M = m.matrices(); M.solution',
        ),
        (
            "equations of accelerations and multipliers",
            "eq. 9.53 to 9.55, 10.5",
            'm.revolute("A", "b1", "b2", at=(0, 0.15)); M = m.matrices(); M.matrix, M.right',
            "M.matrix.shape == (8, 8)",
        ),
        (
            "gravity in any direction, or none",
            "eq. 9.9; problems 9.3, 10.7",
            "m = tm.PlanarModel(gravity=(-9.81*np.sin(0.2), -9.81*np.cos(0.2))); tm.PlanarModel(gravity=(0, 0))",
        ),
        (
            "force at a point, direction fixed in space",
            "eq. 9.10, 9.11; problem 9.2",
            'm.force("F", m["b1"].at(0.1, 0), (1.2, 0.5))',
        ),
        (
            "example 9.1",
            "ex. 9.1",
            'm = tm.PlanarModel(); m.body("b", angle=tm.deg(30), mass=2, inertia=1); m.force("F", m["b"].at(-0.2, 0.3), (1.2, 0.5)); m.torque("N", "b", -0.6)',
            "near(rate(m)*[2, 2, 1], [1.2, -19.12, -0.95337], 1e-5)",
        ),
        (
            "force that turns with the body",
            "problem 9.1",
            'm.force("F", m["b1"].at(0.1, 0), (0, 3), frame="body")',
            "near((rate(m) - rate(two()))[2], 0.3/0.03)",
        ),
        ("couple", "eq. 9.12", 'm.torque("N", "b1", "0.6*cos(t)")', "near((rate(m) - rate(two()))[2], 20)"),
        (
            "actuator between points",
            "eq. 9.13 to 9.17",
            'm.spring("S", m["b1"].at(0.15, 0), m["b2"].at(0, 0.1), force="20*sin(t) - 5")',
        ),
        (
            "spring",
            "eq. 9.18 to 9.20; ex. 9.2",
            'm.spring("S", m["b1"].at(0.15, 0), m["b2"].at(0, 0.1), stiffness=50.0, free_length=0.2)',
            "near(rate(m), [-9.3886, 5.3017, 17.3259, 12.5181, -29.9589, -5.1541], 1e-4)",
        ),
        (
            "nonlinear spring by a curve or table",
            "9.2.3",
            'm.spring("S", m["b1"].at(0.15, 0), m["b2"].at(0, 0.1), stiffness=tm.functions.spline([-0.1, 0, 0.1, 0.2], [-8, 0, 5, 20]), free_length=0.2)',
        ),
        (
            "damper, linear or by a curve",
            "eq. 9.21 to 9.25",
            'm.spring("S", m["b1"].at(0.15, 0), m["b2"].at(0, 0.1), damping="5*ldot + 2*ldot^3")',
        ),
        (
            "spring, damper and actuator in one",
            "ex. 9.3; 10.2.3",
            'm.spring("S", m["b1"].at(0.15, 0), m["b2"].at(0, 0.1), stiffness=50.0, damping=2.0, force=-5.0, free_length=0.2)',
        ),
        (
            "rotational spring",
            "eq. 9.26 to 9.28",
            'm.torsion_spring("T", first="b1", second="b2", stiffness=2.0, free_angle=0.1)',
        ),
        ("rotational damper", "eq. 9.29 to 9.32", 'm.torsion_spring("T", first="b1", second="b2", damping=0.3)'),
        ("rotational actuator", "problem 10.3", 'm.motor("M", first="b1", second="b2", torque="0.5*sin(t)")'),
        ("forces of the user (USRFRC)", "problem 10.8", 'm.user_force("U", "b1.x", "-20*b1.x - 3*b1.vx + sin(t)")'),
        (
            "frame away from the centroid",
            "problem 9.4",
            'm = tm.PlanarModel(); m.body("b", mass=2, inertia=1, centroid=(0.3, 0.1)); M = m.matrices()["M"]',
            "near(M.values[0, 2], -0.2)",
        ),
        (
            "reactions of a revolute joint",
            "eq. 9.33 to 9.39; ex. 9.4",
            'f = rod().simulate(0.0, samples=1).reaction("A", on="rod").force[0]',
            "near(f, [0, 9.81/4])",
        ),
        (
            "reactions of a massless link",
            "eq. 9.40 to 9.45; ex. 9.5",
            'm.link("L", m["b1"].at(-0.05, -0.05), m["b2"].at(-0.03, 0)); f = m.simulate(0.0, samples=1).reaction("L", on="b1").force[0]',
        ),
        (
            "reactions of a translational joint",
            "eq. 9.46 to 9.48",
            'm = tm.PlanarModel(); m.body("s", position=(0.5, 0), mass=2, inertia=0.1); m.prismatic("T", m.ground, "s", at=(0, 0), axis=(1, 0)); m.force("F", "s", (3, 0)); '
            'r = m.simulate(0.0, samples=1).reaction("T", on="s")',
            "near(r.force[0], [0, 19.62])",
        ),
        (
            "reactions of a pin on a line",
            "problem 9.13",
            'm = rod(); m.point_on_line("P", m.ground, m["rod"].at(0.5, 0), line=(m.ground.at(0, 0), m.ground.at(1, 0))); f = m.statics().reaction("P", on="rod").force[0]',
            "near(f, [0, 4.905])",
        ),
        (
            "reactions of fixed coordinates",
            "10.2.5",
            'm = rod(); m.constrain("S", "rod.phi"); f = m.statics().effort("S")',
            "near(abs(f[0]), 4.905)",
        ),
        (
            "structures",
            "eq. 9.56, 9.57; fig. 9.13",
            'm = tm.PlanarModel(); m.bar("one", (0, 0), (1, 1)); m.bar("two", (1, 1), (2, 0)); m.revolute("L", m.ground, "one", at=(0, 0)); m.revolute("T", "one", "two", at=(1, 1)); '
            'm.revolute("R", m.ground, "two", at=(2, 0)); m = m.copy(changes={"one": {"massless": True}, "two": {"massless": True}}); m.force("F", "one.b", (0, -100)); s = m.statics()',
            "near(s.reaction('L', on='one').force[0], [50, 50])",
        ),
        (
            "static balance by actuators",
            "eq. 9.58 to 9.61; ex. 9.6",
            'm = rod(); s = m.statics(actuators={"motor": "A.angle"}); s.effort("motor")',
            "near(abs(s.effort('motor')[0]), 4.905)",
        ),
        (
            "inverse dynamics",
            "eq. 9.62 to 9.64; figs. 9.14, 9.16",
            'r = robot().inverse_dynamics(1.0, samples=3, actuators={f"M{k}": f"J{k}.angle" for k in range(3)}); r.effort("M0")',
            "near(np.abs([r.effort(f'M{k}')[0] for k in range(3)]), [44.92277, 6.845073, 1.699142], 2e-5)",
        ),
        (
            "two masses on springs and dampers",
            "problem 9.9",
            'm = tm.PlanarModel(gravity=(0, 0)); m.body("m1", mass=1, inertia=1); m.body("m2", position=(1, 0), mass=2, inertia=1); m.link("rod", m["m1"].at(0, 0), m["m2"].at(0, 0))',
        ),
        (
            "wheel on terrain, two points of contact",
            "problems 9.10, 9.11",
            'm = tm.PlanarModel(); m.body("w", position=(0, 0.2), mass=1, inertia=0.01); m.contact_curve("C", "w", "ground", curve=tm.curves.analytic("u", "0.1*u^2", -2, 2), radius=0.19, stiffness=1e4)',
        ),
        (
            "beam of rigid links and springs",
            "problem 9.12",
            'm = tm.PlanarModel(); m.beam("beam", (0, 0), (1, 0), EI=10.0, mass=1.0, parts=4); m.equilibrium()',
        ),
    ),
    manual="nikravesh_dynamics_in_the_plane",
)

DAP = Section(
    "Chapter 10: the program DAP",
    setup="""
from pytrammel.io.decks.dap_deck import read_dap

for name in ("four_bar", "platform", "dump_truck", "dump_truck_static"):
    _ = Path(f"{name}.dap").write_text(find(f"dap_{name}").source())
_ = Path("dap.txt").write_text(Path("four_bar.dap").read_text() + "T\\n")
""",
    rows=rows(
        (
            "four-bar that falls",
            "10.3.1",
            "pytrammel dap four_bar.dap --method rk4 --uncorrected",
            "'2.544   -1.470   -2.938' in printed",
        ),
        (
            "platform on springs",
            "10.3.2",
            "pytrammel dap platform.dap --method rk4 --uncorrected",
            "'153.462' in printed and '-105.648' in printed",
        ),
        ("dump truck, static balance", "10.3.3", "pytrammel dap dump_truck_static.dap", "code == 0"),
        ("dump truck, dynamics", "10.3.3", "pytrammel dap dump_truck.dap"),
        ("decks from Python", "10.2", 'deck = read_dap("four_bar.dap"); deck.run(); deck.model()'),
        (
            "prompts and records",
            "10.2.7",
            "pytrammel dap --interactive < dap.txt",
            "code == 0 and 'ENTER NB, NR, NT, NG, NS, NSP, NP' in printed",
        ),
        (
            "saved input and output, echo, pause, degrees",
            "problem 10.1",
            "pytrammel dap four_bar.dap --echo --save-deck again.dap --json four_bar.json --csv four_bar.csv --degrees",
        ),
        ("units", "problem 10.2", "pytrammel dap four_bar.dap --gravity 0,-386.1"),
        (
            "rotational springs, dampers, actuators",
            "problem 10.3",
            'm = read_dap("four_bar.dap").model(); m.torsion_spring("T", first="body2", second="body3", stiffness=2.0, damping=0.1); m.motor("M", first="body1", second="body2", torque=3.0)',
        ),
        (
            "further joints",
            "problem 10.4",
            'm = read_dap("four_bar.dap").model(); m.link("L", m["body2"].at(0, 0), m["body4"].at(0, 0))',
        ),
        (
            "direction of gravity, frames off the centroid",
            "problem 10.5",
            "pytrammel dap four_bar.dap --gravity=-1.7,-9.66",
        ),
        (
            "loads as functions of time or tables",
            "problem 10.6",
            'm = read_dap("four_bar.dap").model(); m.force("F", m["body3"].at(0, 0), (tm.functions.spline([0, 0.1, 0.3, 0.5], [0, 3, 5, 0]), "2*sin(t)"))',
        ),
        ("gravity on or off", "problem 10.7", "pytrammel dap four_bar.dap --gravity off"),
        (
            "forces of the user",
            "problem 10.8",
            'm = read_dap("four_bar.dap").model(); m.user_force("U", "body2.phi", lambda t, a: -3.0*a, inputs=("t", "body2.phi"))',
        ),
        (
            "Schur complement, Cholesky factors, sparse products",
            "problems 10.9 to 10.11",
            'read_dap("four_bar.dap").run().wall_time',
        ),
        ("every n-th step", "problem 10.12", "pytrammel dap four_bar.dap --every 5"),
        ("corrected starts", "eq. 10.6, 10.7; problem 10.13", "pytrammel dap four_bar.dap --hold body2.phi"),
        ("predictor-corrector", "problem 10.14", "pytrammel dap four_bar.dap --method abm4"),
        ("variable step and order", "problem 10.15", "pytrammel dap four_bar.dap --method adams"),
        (
            "stabilised constraints",
            "problem 10.16",
            "pytrammel dap four_bar.dap --constraints baumgarte --alpha 10 --beta 10",
        ),
        (
            "bodies without constraints",
            "problem 10.17",
            'm = tm.PlanarModel(); m.body("b", mass=1, inertia=1); r = m.simulate(1.0)',
            "near(r['b'].y[-1], -4.905)",
        ),
        ("partitioning or joint coordinates", "problem 13.11", "pytrammel dap four_bar.dap --formulation joint"),
        (
            "fixed steps of Runge and Kutta (RUNG4)",
            "eq. 10.1 to 10.4",
            'r = read_dap("four_bar.dap").model().simulate(0.25, method=tm.methods.rk4(step=0.025), samples=11)',
            "near(r['body2'].phi[2], 1.043322, 1e-4)",
        ),
        (
            "size of the time step",
            "10.4",
            'tm.textbook.convergence_study({"x\'\'": "-100*x"}, {"x": 1.0, "x\'": 0.0}, 0.6, method="rk4")',
        ),
        (
            "table of elements: length, rate, forces",
            "10.2.5",
            's = read_dap("platform.dap").run(); s.force("element1")',
        ),
        ("points of interest", "10.2.5", 'k = read_dap("four_bar.dap").run()["P1"].acceleration'),
        ("energy", "10.3", 'read_dap("platform.dap").run().energy'),
        ("redundant constraints", "problem 5.16", "pytrammel check four_bar.dap"),
        ("rest before the motion", "10.3.2; problem 10.33", "pytrammel dap platform.dap --equilibrium --quiet"),
        (
            "plots",
            "fig. 10.4",
            "pytrammel dap platform.dap --quiet --plot force.png --of element1.spring --over body3.y",
        ),
        ("stages", "fig. 10.7", "pytrammel dap dump_truck.dap --quiet --draw unloading.png --stages 6"),
    ),
    manual="nikravesh_programs_kap_and_dap",
)

SYSTEMS = Section(
    "Chapter 10: systems of the problems",
    setup="""
def ball(height=1.0):
    m = tm.PlanarModel("ball")
    m.body("ball", position=(0, height), mass=0.1, inertia=1e-4)
    return m
""",
    each="m = ball()",
    rows=rows(
        ("air drag", "problem 10.18", 'm.drag("D", "ball", coefficient=0.5, area=0.01)'),
        ("chain of rods", "problem 10.19", 'm = find("double_pendulum").build(); m.simulate(0.2)'),
        ("landing gear", "problem 10.20", 'r = find("landing_gear").run()'),
        (
            "bouncing ball",
            "problem 10.21",
            'm.contact_line("C", "ball", m.ground, at=(0, 0), axis=(1, 0), radius=0.05, stiffness=5000.0); r = m.simulate(1.0, samples=1001)',
            "near(r['ball'].y[int(0.894*1000)], 1.0, 1e-3)",
        ),
        (
            "ball on a slope",
            "problem 10.22",
            'm.contact_line("C", "ball", m.ground, at=(0, 0), axis=(1, 0.3), radius=0.05, stiffness=5000.0)',
        ),
        (
            "two balls in a tube",
            "problem 10.23",
            'm.body("upper", position=(0, 1.2), mass=0.1, inertia=1e-4); m.contact_discs("C", "ball", "upper", radii=(0.05, 0.05), stiffness=5000.0)',
        ),
        ("five pendulums in contact", "problem 10.24", 'r = find("newtons_cradle").run()'),
        (
            "bulldozer: forces of two cylinders at rest",
            "problem 10.25",
            'm = rod(); s = m.statics(actuators={"cylinder": m.distance(m.ground.at(0.2, -0.5), m["rod"].at(0.2, 0))})',
        ),
        ("excavator", "problem 10.26", 'r = find("excavator_arm").run()'),
        (
            "cylinders as links of variable length",
            "problem 10.27",
            'm = rod(); m.driver("cylinder", m.distance(m.ground.at(0.2, -0.5), m["rod"].at(0.2, 0)), "0.5 + 0.05*t"); m.inverse_dynamics(1.0).effort("cylinder")',
        ),
        ("fork-lift", "problem 10.28", 'r = find("scissor_lift").run()'),
        (
            "brake with centrifugal shoes, friction",
            "problem 10.29",
            'm = rod(); m.joint_friction("F", "A", friction=0.5, radius=0.02); m.simulate(0.1)',
        ),
        (
            "bellows under pressure",
            "problem 10.30",
            'm = tm.PlanarModel(gravity=(0, 0)); m.body("b", position=(0.1, 0), mass=1, inertia=1); m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0)); m.gas_spring("B", "b.x", area=1e-3, volume=1e-4, pressure=101325.0, outside=9e4); '
            'm.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=500.0); m.equilibrium()',
        ),
        (
            "vehicle over terrain, tyres that slip",
            "problem 10.31",
            'm = ball(0.05); m.contact_line("T", "ball", m.ground, at=(0, 0), axis=(1, 0), radius=0.05, stiffness=5000.0, friction=0.8, slip_slope=1000.0)',
        ),
        (
            "driven wheel that does not slip, Coulomb friction",
            "problems 10.29, 10.31",
            'm = ball(0.05); m.rolling("W", track=m.ground, wheel="ball", radius=0.05, at=(0, 0), axis=(1, 0)); m.torque("N", "ball", -0.01); r = m.simulate(0.1)',
            "near(r['ball'].vx[-1], -0.05*r['ball'].omega[-1])",
        ),
        (
            "suspension level at rest",
            "problem 10.32",
            'm = tm.PlanarModel(); m.body("b", position=(0, 1), mass=10, inertia=1); m.constrain("x", "b.x"); m.constrain("phi", "b.phi"); m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=1000.0, free_length=1.0); '
            'm = m.trim(["S.free_length"]); e = m.equilibrium()',
            "near(e.pose('b')[1], 1.0)",
        ),
    ),
    manual="nikravesh_dynamics_in_the_plane",
)
