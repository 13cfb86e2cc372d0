"""Nikravesh (1988), chapter 4."""

from __future__ import annotations

from .page import Section, rows

JOINTS = Section(
    "Chapter 4: joints in the plane",
    setup="""
def bodies():
    m = tm.PlanarModel("bodies")
    m.body("a", position=(0.4, 0.2), angle=0.5)
    m.body("b", position=(1.2, 0.8), angle=-0.4)
    m.body("c", position=(0.8, -0.6))
    return m


def held(m):
    return 9 - m.mobility().dof


outline = tm.curves.polar_table(
    np.radians([0, 30, 60, 70, 80, 90, 100, 110, 120, 150, 180, 225, 270, 315, 360]),
    [3.70, 4.55, 6.80, 8.38, 10.65, 12.46, 11.10, 8.65, 7.04, 4.63, 3.80, 3.62, 3.80, 3.62, 3.70],
)  # table 4.1
eccentric = tm.curves.circle(1.0, (0.5, 0.0))


def cam():
    m = tm.PlanarModel("cam")
    m.body("cam")
    m.body("follower", position=(0, 1.5))
    m.revolute("O", m.ground, "cam", at=(0, 0))
    m.prismatic("guide", m.ground, "follower", at=(0, 1.5), axis=(0, 1))
    m.driver("motor", "cam.phi", "pi/6 + 2*t")
    return m
""",
    each="m = bodies()",
    rows=rows(
        ("revolute joint", "eq. 4.7 to 4.9; (r,2)", 'm.revolute("A", "a", "b", at=(0.8, 0.5))', "held(m) == 2"),
        (
            "translational joint",
            "eq. 4.10 to 4.12; (t,2)",
            'm.prismatic("A", "a", "b", at=(0.8, 0.5), axis=(1, 0))',
            "held(m) == 2",
        ),
        (
            "massless link between pins",
            "eq. 4.13, 4.14; (r-r,1)",
            'm.link("A", m["a"].at(0.1, 0), m["b"].at(0, 0.2))',
            "held(m) == 1",
        ),
        (
            "pin on a line",
            "eq. 4.15, 4.16; (r-t,1)",
            'm.point_on_line("A", "b", m["a"].at(0.1, 0), line=(m["b"].at(0, 0), m["b"].at(1, 0)))',
            "held(m) == 1",
        ),
        ("spur gears on fixed centres", "eq. 4.17; (g-1,1)", 'm.gear("G", "a", "b", radii=(0.6, 0.4))', "held(m) == 1"),
        (
            "spur gears on a moving carrier",
            "eq. 4.18; (g-2,1)",
            'm.gear("G", "a", "b", radii=(0.6, 0.4), carrier="c")',
            "held(m) == 1",
        ),
        (
            "internal mesh",
            "eq. 4.18",
            'm.gear("G", "a", "b", radii=(0.5, 1.5), carrier="c", internal=True)',
            "held(m) == 1",
        ),
        (
            "rack and pinion on a fixed centre",
            "eq. 4.19; (r-p-1,1)",
            'm.rack_and_pinion("R", rack="c", pinion="a", radius=0.8, axis=(1, 0))',
            "held(m) == 1",
        ),
        (
            "rack and rolling pinion, both moving",
            "eq. 4.20; (r-p-2,1)",
            'm.rack_and_pinion("R", rack="c", pinion="a", radius=0.8, axis=(1, 0)); m.driver("turn", "a.phi", "0.5 + t")',
            "held(m) == 1",
        ),
        (
            "rack in any direction",
            "problem 4.15",
            'm.rack_and_pinion("R", rack="b", pinion="a", radius=0.1, axis=(0.6, 0.8))',
            "held(m) == 1",
        ),
        (
            "cam with a point follower",
            "eq. 4.26, 4.27; (cf-1,2)",
            'm = cam(); m.cam_point("C", "cam", m["follower"].at(0, 0), curve=eccentric); k = m.kinematics(0.0, samples=1)',
            "near([k['follower'].y[0], k['follower'].ay[0]], [1.151388, -0.509304])",
        ),
        (
            "cam with a roller",
            "eq. 4.28; (cf-2,2); ex. 4.4",
            'm = cam(); m.cam_roller("C", "cam", m["follower"].at(0, 0), curve=eccentric, radius=0.3); k = m.kinematics(0.0, samples=1)',
            "near([k['follower'].y[0], k['follower'].ay[0]], [1.475765, -0.617543])",
        ),
        (
            "cam with a flat follower",
            "eq. 4.29; (cf-3,2)",
            'm = cam(); m.cam_flat("C", "cam", "follower", curve=eccentric, at=(0, 1.5), axis=(1, 0)); k = m.kinematics(0.0, samples=1)',
            "near(k['follower'].y[0], 1.25)",
        ),
        (
            "translating and oscillating followers, offset or radial",
            "fig. 4.19",
            'm = cam(); m.body("rocker", position=(2.5, 0), angle=2.3); m.revolute("D", m.ground, "rocker", at=(2.5, 0)); m.cam_roller("C", "cam", m["rocker"].at(1.8, 0), curve=eccentric, radius=0.3)',
        ),
        (
            "cam pair whose third body moves",
            "4.2.5",
            'm.revolute("A", "c", "a", at=(0.4, 0.2)); m.revolute("B", "c", "b", at=(1.2, 0.7)); m.cam_roller("C", "a", m["b"].at(-0.3, 0), curve=tm.curves.circle(0.2), radius=0.1)',
        ),
        (
            "circular cams as links, sine cams as formulas",
            "ex. 4.4; problem 4.19",
            'm.equation("follower", "b.y - 0.5 - 0.1*sin(a.phi)")',
            "held(m) == 1",
        ),
        (
            "pin in a curved slot",
            "eq. 4.30; (pf,2)",
            'm.slot("S", "a", m["b"].at(0, 0), curve=tm.curves.circle(0.9))',
            "held(m) == 1",
        ),
        (
            "fixed coordinates",
            "eq. 4.31 to 4.33",
            'm.constrain("x", "a.x", value=0.4); m.constrain("phi", "a.phi")',
            "held(m) == 2",
        ),
        (
            "fixed coordinates of a point",
            "eq. 4.34, 4.35",
            'm.constrain("px", m["a"].at(0.1, 0.2).x); m.constrain("py", m["a"].at(0.1, 0.2).y)',
            "held(m) == 2",
        ),
        (
            "ground, several grounded bodies",
            "4.2.7",
            'm.fix("F", "a"); m.fix("G", "c"); m.revolute("A", m.ground, "b", at=(1, 1))',
            "held(m) == 8",
        ),
        (
            "difference of coordinates",
            "problems 5.14, 5.25",
            'm.constrain("turn", m.angle_between("a", "b"))',
            "held(m) == 1",
        ),
        (
            "constant speed along a direction, also of the body",
            "problem 4.24",
            'm.equation("speed", "0.6*a.vx + 0.8*a.vy - 0.3"); m.fix("F", "b"); m.fix("G", "c"); m.driver("X", "a.x", "0.4 + t"); m.driver("P", "a.phi", "0.5"); k = m.kinematics(1.0)',
            "near(k['a'].y[-1], 0.2 + (0.3 - 0.6)/0.8)",
        ),
        (
            "wheel that rolls without slip",
            "problems 3.12, 3.15",
            'm.rolling("W", track=m.ground, wheel="a", radius=0.2, at=(0.4, 0), axis=(1, 0))',
            "held(m) == 2",
        ),
        (
            "equations of the user",
            "problem 5.18",
            'm.equation("row", "a.phi + 2*b.phi - 0.3", unit="rad")',
            "held(m) == 1",
        ),
        (
            "equations as Python functions",
            "problem 5.18",
            'm.equation("row", lambda p, q: p*q - 0.2, inputs=("a.x", "b.y"))',
            "held(m) == 1",
        ),
        (
            "joints that act by phases",
            "problems 5.37, 5.38",
            'm.constrain("lock", "a.phi"); m.revolute("A", "a", "b", at=(0.8, 0.5)); m.phase("rest", active=["lock"], hold=["lock"]); m.phase("turn", active=["A"])',
        ),
    ),
    manual="nikravesh_kinematics",
)

DRIVERS = Section(
    "Chapter 4: drivers, curves and tables",
    setup="""
knots, heights = [0.2, 0.3, 0.4, 0.5], [3.75, 3.57, 3.35, 3.10]  # example 4.3
""",
    each="m = bodies()",
    rows=rows(
        ("angle as a function of time", "eq. 4.36; (d-1)", 'm.driver("D", "a.phi", "0.5 + 2*t")'),
        (
            "coordinate as a function of time",
            "eq. 4.37, 4.38; (d-2, d-3)",
            'm.driver("D", "a.x", "0.4 + 0.1*t"); m.driver("E", "a.y", "0.2 - t^2")',
        ),
        (
            "point as a function of time",
            "eq. 4.39, 4.40; (d-4, d-5)",
            'm.driver("D", m["a"].at(0.1, 0).x, "0.5 + 0.1*sin(t)")',
        ),
        ("constant acceleration", "4.2.8", 'm.driver("D", "a.phi", tm.profiles.constant_acceleration(0.5, 1.0, 0.2))'),
        (
            "relative drivers",
            "problem 5.14",
            'm.driver("D", m.angle_between("a", "b"), "t"); m.driver("E", m.difference("a", "b", (1, 0)), "0.8 + t")',
        ),
        (
            "driver by a table or by sine and cosine",
            "problems 5.14, 5.27",
            'm.driver("D", "a.x", tm.functions.spline([0, 1, 2, 3], [0.4, 0.5, 0.3, 0.4])); m.driver("E", "a.y", "0.2 + 0.1*cos(t)")',
        ),
        (
            "several drivers",
            "problems 5.25, 5.27",
            'm.driver("D", "a.x", "0.4 + t"); m.driver("E", "a.y", "0.2 - t"); m.driver("F", "a.phi", "0.5")',
            "near(m.assemble().residual, 0)",
        ),
        ("cubic spline through points", "4.2.4; ex. 4.3; problem 5.17", "s = tm.functions.spline(knots, heights)"),
        (
            "outline by a polar table",
            "table 4.1; eq. 4.21 to 4.23",
            'm.cam_point("C", "a", m["b"].at(0, 0), curve=outline)',
        ),
        (
            "outline about its own centre",
            "eq. 4.25; fig. 4.18",
            "tm.curves.polar_table(np.linspace(0, 2*np.pi, 13), np.full(13, 0.3), origin=(0.1, 0.2))",
        ),
        (
            "portions of an outline",
            "4.2.4; fig. 4.18",
            'part = tm.curves.polar_table([0.0, 0.4, 0.9], [1.0, 1.1, 0.9], origin=(0.2, 0.0), closed=False); m.slot("S", "a", m["b"].at(0, 0), curve=part)',
        ),
        ("outline by coordinates", "4.2.4", "tm.curves.cartesian_table([0, 1, 2, 3], [0, 0.4, 0.3, 0.5])"),
        (
            "tangents and normals of a curve",
            "eq. 4.22; problem 4.16",
            "outline.tangent(0.3), outline.normal(0.3), outline.curvature(0.3)",
        ),
        ("points of interest", "eq. 4.43 to 4.45", 'm.point("P", "a", local=(0.5, 1.5))'),
        (
            "tables 4.2 and 4.3: Jacobian and right-hand side",
            "tables 4.2, 4.3; problems 4.21, 4.22",
            'm.revolute("A", "a", "b", at=(0.8, 0.5)); T = m.terms(); T.jacobian, T.nu, T.gamma',
            "T.jacobian.values.shape == (2, 9)",
        ),
        (
            "structure of the Jacobian",
            "problem 4.23",
            'm.revolute("A", "a", "b", at=(0.8, 0.5)); m.terms().jacobian',
            "np.count_nonzero(m.terms().jacobian.values) == 8",
        ),
        (
            "residuals of estimated positions",
            "problem 4.10",
            'm.revolute("A", m["a"].at(0.1, 0), m["b"].at(0, 0)); m.terms().residuals',
        ),
        ("fewer bodies in a model", "problem 4.14", 'm.equation("chain", "sqrt((a.x - b.x)^2 + (a.y - b.y)^2) - 1")'),
    ),
    manual="nikravesh_kinematics",
)
