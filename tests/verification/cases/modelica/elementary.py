"""Modelica.Mechanics.MultiBody.Examples.Elementary."""

from __future__ import annotations

from collections.abc import Callable

from .drives import filtered
from .joints import FreeMotion, JointUPS, Prismatic, Revolute, Y, Z
from .loads import ForceAndTorque, LineForceWithTwoMasses, Spring, SpringDamperSeries
from .network import GRAVITY, Network
from .parts import Body, BodyBox, BodyCylinder, BodyShape, Fixed, FixedRotation, FixedTranslation, PointMass, X
from .reference import REASON, define, up_to
from .rotations import unit

AXIS, START = (
    (0.7, 1.2, 0.0),
    1.3892443989449803,
)  # the length of the axis at the start: from (0, -0.9, 0) to (0.7, 0.3, 0)
ORBIT = (
    "errors of the reference grow with every passage near the origin. Its two results of one circular orbit (body1 of PointGravity "
    "and of PointGravityWithPointMasses) differ by 3e-6 at 1 s and by 2e-5 at 2 s"
)
NONE = (0.0, 0.0, 0.0)


def tip(net: Network) -> None:
    """Name the end of the second bar."""
    place = net.frames["boxBody2.frame_b"]
    net.model.point("tip", place.body, local=tuple(place.at))


def attracted(mu: float, *names: str) -> Callable[[Network], None]:
    """Return what attracts bodies to the origin with mu m / r²."""

    def add(net: Network) -> None:
        for name in names:
            part, place = net.parts[name], net.frames[f"{name}.frame_a"]
            point = name.replace(".", "_") + "_point"
            net.model.point(point, place.body, local=tuple(place.at))
            distance = " + ".join(f"{point}.{x}^2" for x in "xyz")
            vector = [f"-{mu * part.m!r}*{point}.{x}/({distance})^1.5" for x in "xyz"]
            net.model.force(f"{point}_gravity", net.point(f"{name}.frame_a"), vector)

    return add


define(
    "elementary",
    "Elementary.DoublePendulum",
    {
        "revolute1": Revolute(fixed="phi w", d=0.1),
        "boxBody1": BodyBox(r=(0.5, 0, 0), width=0.06),
        "revolute2": Revolute(fixed="phi w"),
        "boxBody2": BodyBox(r=(0.5, 0, 0), width=0.06),
    },
    """
    revolute1.b boxBody1.a; revolute2.b boxBody2.a; boxBody1.b revolute2.a; world.b revolute1.a
    """,
)

define(
    "elementary",
    "Elementary.DoublePendulumInitTip",
    {
        "revolute1": Revolute(phi=-0.3, d=0.1),
        "boxBody1": BodyBox(r=(0.5, 0, 0), width=0.06),
        "revolute2": Revolute(phi=1.5),
        "boxBody2": BodyBox(r=(0.5, 0, 0), width=0.06),
    },
    """
    revolute1.b boxBody1.a; revolute2.b boxBody2.a; boxBody1.b revolute2.a; world.b revolute1.a
    """,
    extra=tip,
    initial={"tip.x": 0.7, "tip.y": 0.3, "tip.x.rate": 0.0, "tip.y.rate": 0.0},
    reason=up_to(3.0, "the motion is chaotic, and differences grow tenfold every 0.7 s; before, they are below 3e-4"),
)

define(
    "elementary",
    "Elementary.ForceAndTorque",
    {
        "body": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, -0.5, 0)),
        "fixedRotation": FixedRotation(n=Z, angle=30),
        "forceAndTorque": ForceAndTorque(resolve="frame_resolve", force=(0, 1000, 0), torque=(-100, 100, 0)),
        "revolute2": Revolute(n=Y, fixed="phi w"),
        "revolute1": Revolute(fixed="phi w"),
        "fixed2": Fixed(r=(1.5, 0.25, 0)),
    },
    """
    revolute2.b body.a; forceAndTorque.b body.b; fixed1.b revolute1.a; revolute1.b revolute2.a; fixed2.b
    forceAndTorque.a; fixedRotation.a fixed1.b; forceAndTorque.resolve fixedRotation.b
    """,
)

define(
    "elementary",
    "Elementary.FreeBody",
    {
        "bar2": FixedTranslation(r=(0.8, 0, 0)),
        "spring1": Spring(c=20, s_unstretched=0),
        "body": BodyShape(
            m=1,
            r=(0.4, 0, 0),
            r_CM=(0.2, 0, 0),
            r_0=(0.2, -0.5, 0.1),
            angles=(0.174532925199433, 0.174532925199433, 0.174532925199433),
            I=(1, 1, 1),
        ),
        "spring2": Spring(c=20, s_unstretched=0),
    },
    """
    bar2.a world.b; spring1.b body.a; bar2.b spring2.a; spring1.a world.b; body.b spring2.b
    """,
)

define(
    "elementary",
    "Elementary.HeatLosses",
    {
        "body1": Body(m=1, r_CM=(0, -0.2, 0), r_0=(0.3, -0.2, 0), w_0=(0, 0, 0.034906585039887), I=(0.1, 0.1, 0.1)),
        "bar1": FixedTranslation(r=(0.3, 0, 0)),
        "bar2": FixedTranslation(r=(0.3, 0, 0)),
        "spring1": Spring(s_unstretched=0.1, c=30),
        "damper1": Spring(d=2),
        "springDamper": Spring(d=2, c=30, s_unstretched=0.1),
        "body2": Body(m=1, r_CM=(0, -0.2, 0), w_0=(0, 0, 0.034906585039887), r_0=(0.6, -0.2, 0), I=(0.1, 0.1, 0.1)),
        "bar3": FixedTranslation(r=(0.3, 0, 0)),
        "springDamperSeries": SpringDamperSeries(d=2, c=30, s_unstretched=0.1),
        "body3": Body(m=1, r_CM=(0, -0.2, 0), w_0=(0, 0, 0.034906585039887), r_0=(0.9, -0.2, 0), I=(0.1, 0.1, 0.1)),
        "spring": Spring(s_unstretched=0.2, c=30),
    },
    """
    world.b bar1.a; bar1.b bar2.a; damper1.a bar1.b; spring1.a bar1.b; damper1.b body1.a; spring1.b body1.a;
    bar2.b springDamper.a; springDamper.b body2.a; bar3.b springDamperSeries.a; springDamperSeries.b body3.a;
    bar3.a bar2.b; bar3.b spring.a; spring.b body3.a
    """,
)

define(
    "elementary",
    "Elementary.InitSpringConstant",
    {
        "rev": Revolute(n=Z, fixed="phi w", d=0.1),
        "body": BodyShape(r=X, r_CM=(0.5, 0, 0), m=1),
        "fixed": Fixed(r=(1, 0.2, 0)),
        "spring": Spring(s_unstretched=0.1, c=5 * GRAVITY),
    },
    """
    world.b rev.a; rev.b body.a; fixed.b spring.a; body.b spring.b
    """,
)

define(
    "elementary",
    "Elementary.LineForceWithTwoMasses",
    {
        "revolute1": Revolute(fixed="phi w"),
        "bodyBox1": BodyBox(r=(0.7, 0, 0)),
        "rod1": FixedTranslation(r=(0, -0.9, 0)),
        "jointUPS": JointUPS(nAxis_ia=AXIS, s=START, d=3),
        "body1": Body(r_CM=0.2 * unit(AXIS), m=1, I=(0, 0, 0)),
        "body2": Body(r_CM=-0.2 * unit(AXIS), m=1, I=(0, 0, 0)),
        "rod2": FixedTranslation(r=(0, 0.3, 0)),
        "revolute2": Revolute(fixed="phi w"),
        "bodyBox2": BodyBox(r=(0.7, 0, 0)),
        "rod3": FixedTranslation(r=(0, -0.9, 0.3)),
        "rod4": FixedTranslation(r=(0, 0.3, 0.3)),
        "lineForceWithTwoMasses": LineForceWithTwoMasses(L_a=0.2, L_b=0.2, m_a=1, m_b=1, d=3),
    },
    """
    jointUPS.ib body2.a; world.b rod2.a; world.b rod1.a; rod2.b revolute1.a; revolute1.b bodyBox1.a; bodyBox1.b
    jointUPS.b; body1.a jointUPS.ia; rod1.b jointUPS.a; rod4.b revolute2.a; revolute2.b bodyBox2.a; world.b
    rod4.a; rod3.a rod4.a; lineForceWithTwoMasses.a rod3.b; lineForceWithTwoMasses.b bodyBox2.b
    """,
)

define(
    "elementary",
    "Elementary.Pendulum",
    {
        "rev": Revolute(n=Z, fixed="phi w", d=0.1),
        "body": Body(m=1.0, r_CM=(0.5, 0, 0)),
    },
    """
    world.b rev.a; body.a rev.b
    """,
)

define(
    "elementary",
    "Elementary.PendulumWithSpringDamper",
    {
        "body1": Body(m=1, r_CM=(0, 0, 0), I=(1, 1, 1)),
        "bar1": FixedTranslation(r=(0.3, 0, 0)),
        "spring1": Spring(c=20, s_unstretched=0.2),
        "damper1": Spring(d=1),
        "revolute": Revolute(fixed="phi w"),
        "prismatic": Prismatic(s=0.5, fixed="s v"),
    },
    """
    world.b bar1.a; revolute.a bar1.b; prismatic.a revolute.b; damper1.a bar1.b; damper1.b prismatic.b;
    spring1.a bar1.b; spring1.b prismatic.b; body1.a prismatic.b
    """,
)

define(
    "elementary",
    "Elementary.PointGravity",
    {
        "body1": Body(m=1, r_0=(0, 0.6, 0), v_0=X, r_CM=(0, 0, 0), I=(0.1, 0.1, 0.1)),
        "body2": Body(m=1, r_0=(0.6, 0.6, 0), v_0=(0.6, 0, 0), r_CM=(0, 0, 0), I=(0.1, 0.1, 0.1)),
    },
    """

    """,
    gravity=NONE,
    extra=attracted(1.0, "body1", "body2"),
    reason=up_to(3.0, ORBIT),
)

define(
    "elementary",
    "Elementary.PointGravityWithPointMasses",
    {
        "body1": PointMass(alone=True, r_0=(0, 0.6, 0), v_0=X),
        "body2": PointMass(alone=True, r_0=(0.6, 0.6, 0), v_0=(0.6, 0, 0)),
        "body3": PointMass(alone=True, r_0=(0, 0.8, 0), v_0=(0.6, 0, 0)),
        "body4": PointMass(alone=True, r_0=(0.3, 0.8, 0), v_0=(0.6, 0, 0)),
        "spring": Spring(c=10),
    },
    """
    spring.a body3.a; spring.b body4.a
    """,
    gravity=NONE,
    extra=attracted(1.0, "body1", "body2", "body3", "body4"),
    reason=f"{REASON}. Between compared times, from 1.46 s to 1.50 s, body4 passes the origin and its speed differs by at most 5.4e-3",
)

define(
    "elementary",
    "Elementary.SpringDamperSystem",
    {
        "body1": Body(m=1, r_CM=(0, -0.2, 0), r_0=(0.3, -0.2, 0), w_0=(0, 0, 0.03490658503988659), I=(0.1, 0.1, 0.1)),
        "bar1": FixedTranslation(r=(0.3, 0, 0)),
        "bar2": FixedTranslation(r=(0.6, 0, 0)),
        "body2": Body(m=1, r_CM=(0, 0, 0)),
        "p2": Prismatic(n=(0, -1, 0), s=0.1, fixed="v s"),
        "spring2": Spring(c=30, s_unstretched=0.1),
        "spring1": Spring(s_unstretched=0.1, c=30),
        "damper1": Spring(d=2),
    },
    """
    world.b bar1.a; bar1.b bar2.a; bar2.b p2.a; p2.b body2.a; bar2.b spring2.a; body2.a spring2.b; damper1.a
    bar1.b; spring1.a bar1.b; damper1.b body1.a; spring1.b body1.a
    """,
)

define(
    "elementary",
    "Elementary.SpringMassSystem",
    {
        "p1": Prismatic(n=(0, -1, 0), s=0.1, fixed="s v", spring=(30, 0.1)),
        "body1": Body(m=1, r_CM=(0, 0, 0)),
        "bar1": FixedTranslation(r=(0.3, 0, 0)),
        "bar2": FixedTranslation(r=(0.3, 0, 0)),
        "body2": Body(m=1, r_CM=(0, 0, 0)),
        "p2": Prismatic(n=(0, -1, 0), s=0.1, fixed="s v"),
        "spring2": Spring(c=30, s_unstretched=0.1),
    },
    """
    body1.a p1.b; world.b bar1.a; bar1.b p1.a; bar1.b bar2.a; bar2.b p2.a; p2.b body2.a; bar2.b spring2.a;
    body2.a spring2.b
    """,
)

define(
    "elementary",
    "Elementary.SpringWithMass",
    {
        "spring": Spring(s_unstretched=0.2, m=0.5, c=40),
        "body": Body(r_0=(0, -0.3, 0), r_CM=(0, 0, 0), m=1),
    },
    """
    world.b spring.a; body.a spring.b
    """,
)

MIDDLE = {f"fixedTranslation{k or ''}": FixedTranslation(r) for k, r in enumerate(
    ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)))}  # fmt: skip
MASSES = {f"pointMass{k}": PointMass() for k in range(1, 7)}
STAR = "fixedTranslation.a " + " ".join(f"fixedTranslation{k}.a" for k in range(1, 6))
ENDS = "; ".join(f"fixedTranslation{k - 1 or ''}.b pointMass{k}.a" for k in range(1, 7))

define(
    "elementary",
    "Elementary.PointGravityWithPointMasses2",
    MIDDLE
    | MASSES
    | {f"referenceSystem.{name}": part for name, part in (MIDDLE | MASSES).items()}
    | {"freeMotion": FreeMotion(r=(2, 0, 0), v=(0, 0, -1)), "start": FreeMotion(r=(2, 0, 0), v=(0, 0, -1))},
    f"{STAR} freeMotion.b; world.b freeMotion.a start.a; {ENDS}; "
    + f"{STAR} start.b; {ENDS}".replace("fixedT", "referenceSystem.fixedT").replace("pointM", "referenceSystem.pointM"),
    gravity=NONE,
    extra=attracted(5.0, *MASSES, *(f"referenceSystem.{name}" for name in MASSES)),
    reason=up_to(2.5, ORBIT),
)

define(
    "elementary",
    "Elementary.Surfaces",
    {"prismatic": Prismatic(), "plate": FixedTranslation(r=(0, -1.3, 0))},
    "world.b prismatic.a; prismatic.b plate.a",
    extra=lambda net: net.model.driver("position", "prismatic.distance", filtered(2.0, 0.5)),
    run={"at_rest": True},
    uses="Prismatic; kinematics",
)


def normal_gravity(net: Network) -> None:
    """Load the body with the normal gravity of WGS 84 at the equator, at the height of its centre of mass."""
    a, b, equator, gm, spin, flattening = (
        6378137.0,
        6356752.3142,
        9.7803253359,
        3986004.418e8,
        7292115e-11,
        1 / 298.257223563,
    )
    ratio = spin**2 * a**2 * b / gm
    place = net.frames["body.frame_a"]
    net.model.point("centre", place.body, local=(10.0, 0.0, 0.0))
    height = f"(centre.y/{a!r})"
    weight = f"-1000*{equator!r}*(1 - {height}*({2 * (1 + flattening + ratio)!r} + 3*{height}))"
    net.model.force("weight", net.point("body.frame_a", (10, 0, 0)), ("0", weight, "0"))


define(
    "elementary",
    "Elementary.UserDefinedGravityField",
    {
        "rev": Revolute(fixed="phi w", d=0.1),
        "body": Body(r_CM=(10, 0, 0), m=1000.0),
        "fixedTranslation": FixedTranslation(r=(0, 20, 0)),
    },
    "body.a rev.b; world.b fixedTranslation.a; fixedTranslation.b rev.a",
    gravity=NONE,
    extra=normal_gravity,
)
