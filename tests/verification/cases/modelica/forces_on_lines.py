"""ModelicaTest.MultiBody.Forces: springs, dampers and masses on lines."""

from __future__ import annotations

from collections.abc import Callable

from .joints import JointUPS, Prismatic, Revolute, Universal, Y
from .loads import Force, LineForceWithTwoMasses, Spring, SpringDamperSeries
from .network import Network
from .parts import Body, BodyBox, FixedTranslation, PointMass, X
from .reference import define
from .rotations import unit

AXIS, START = (
    (0.7, 1.2, 0.0),
    1.3892443989449803,
)  # the length of the axis at the start: from (0, -0.9, 0) to (0.7, 0.3, 0)
TRAPEZOID = "-30 + 50*min(max(min(mod(t, 0.5)/0.1, (0.35 - mod(t, 0.5))/0.1), 0), 1)"


def heated(damping: float) -> Callable[[Network], None]:
    """Return what adds a heat capacity of 100 J/K, heated by the second of three dampers."""

    def add(net: Network) -> None:
        net.model.state("T", f"{damping!r}*damper1.length.rate^2/100", initial=293.15)

    return add


define(
    "forces",
    "Forces.ForceWithTwoMasses",
    {
        "revolute": Revolute(fixed="phi w"),
        "BodyBox1": BodyBox(r=(0.7, 0, 0)),
        "FixedTranslation1": FixedTranslation(r=(0, -0.9, 0)),
        "force": LineForceWithTwoMasses(L_a=0.3, L_b=0.3, m_a=1, m_b=1, d=10),
        "FixedTranslation2": FixedTranslation(r=(0, 0.1, 0)),
    },
    """
    BodyBox1.a revolute.b; force.a FixedTranslation1.b; force.b BodyBox1.b; world.b FixedTranslation2.a;
    FixedTranslation2.b revolute.a; world.b FixedTranslation1.a
    """,
)

define(
    "forces",
    "Forces.ForceWithTwoMasses2",
    {
        "revolute1": Revolute(fixed="phi w"),
        "bodyBox1": BodyBox(r=(0.7, 0, 0)),
        "rod1": FixedTranslation(r=(0, -0.9, 0)),
        "jointUPS": JointUPS(nAxis_ia=AXIS, s=START, d=3),
        "body1": Body(r_CM=0.2 * unit(AXIS), m=2, I=(0, 0, 0)),
        "body2": Body(r_CM=-0.2 * unit(AXIS), m=2, I=(0, 0, 0)),
        "rod2": FixedTranslation(r=(0, 0.3, 0)),
        "revolute2": Revolute(fixed="phi w"),
        "bodyBox2": BodyBox(r=(0.7, 0, 0)),
        "rod3": FixedTranslation(r=(0, -0.9, 0.3)),
        "rod4": FixedTranslation(r=(0, 0.3, 0.3)),
        "lineForceWithTwoMasses": LineForceWithTwoMasses(L_a=0.2, L_b=0.2, m_a=2, m_b=2, d=3),
    },
    """
    jointUPS.ib body2.a; world.b rod2.a; world.b rod1.a; rod2.b revolute1.a; revolute1.b bodyBox1.a; bodyBox1.b
    jointUPS.b; body1.a jointUPS.ia; rod1.b jointUPS.a; rod4.b revolute2.a; revolute2.b bodyBox2.a; world.b
    rod4.a; rod3.a rod4.a; lineForceWithTwoMasses.a rod3.b; lineForceWithTwoMasses.b bodyBox2.b
    """,
)

define(
    "forces",
    "Forces.LineForceWithMass",
    {
        "revolute1": Revolute(fixed="phi w"),
        "bodyBox1": BodyBox(r=(0.7, 0, 0)),
        "rod1": FixedTranslation(r=(0, -0.9, 0)),
        "jointUPS": JointUPS(nAxis_ia=AXIS, s=START, d=3),
        "rod2": FixedTranslation(r=(0, 0.3, 0)),
        "revolute2": Revolute(fixed="phi w"),
        "bodyBox2": BodyBox(r=(0.7, 0, 0)),
        "rod3": FixedTranslation(r=(0, -0.9, 0.3)),
        "rod4": FixedTranslation(r=(0, 0.3, 0.3)),
        "lineForceWithMass": Spring(d=3),
    },
    """
    world.b rod2.a; world.b rod1.a; rod2.b revolute1.a; revolute1.b bodyBox1.a; bodyBox1.b jointUPS.b; rod1.b
    jointUPS.a; rod4.b revolute2.a; revolute2.b bodyBox2.a; world.b rod4.a; rod3.a rod4.a; rod3.b
    lineForceWithMass.a; lineForceWithMass.b bodyBox2.b
    """,
)

define(
    "forces",
    "Forces.LineForceWithTwoMasses",
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
    "forces",
    "Forces.Spring",
    {
        "fixedTranslation": FixedTranslation(r=X),
        "spring": Spring(s_unstretched=0.1, c=10),
        "spring1": Spring(s_unstretched=0.1, c=(9.80665 - 0.81) / 0.9),
        "body": Body(m=1, r_CM=(0, 0, 0)),
        "body1": Body(m=1, r_CM=(0, 0, 0)),
        "prismatic": Prismatic(n=Y, s=-1, fixed="v s"),
        "prismatic1": Prismatic(n=Y, s=-1, fixed="v s"),
    },
    """
    world.b fixedTranslation.a; world.b spring.a; fixedTranslation.b spring1.a; body.a spring.b; body1.a
    spring1.b; prismatic.a spring.a; prismatic.b spring.b; prismatic1.a spring1.a; prismatic1.b spring1.b
    """,
)

define(
    "forces",
    "Forces.Spring2",
    {
        "fixedTranslation": FixedTranslation(r=X),
        "spring": Spring(s_unstretched=0.1, c=10),
        "spring1": Spring(s_unstretched=0.1, c=10),
        "body": Body(m=1, r_CM=(0, 0, 0), r_0=(1, -1, -0.4)),
        "body1": Body(m=1, r_CM=(0, 0, 0), v_0=(1, 0.4, 0.5), r_0=(-0.1, -0.2, -0.15), I=(0.8, 0.3, 0.5)),
        "spring2": Spring(s_unstretched=0.1, m=1, c=10),
        "body2": Body(m=1, r_CM=(0, 0, 0), v_0=(1, 0.4, 0.5), r_0=(2.1, -0.2, -0.15)),
        "fixedTranslation1": FixedTranslation(r=X),
    },
    """
    world.b fixedTranslation.a; world.b spring.a; fixedTranslation.b spring1.a; body2.a spring2.b;
    fixedTranslation1.a fixedTranslation.b; fixedTranslation1.b spring2.a; body1.a spring.b; body.a spring1.b
    """,
)

define(
    "forces",
    "Forces.Damper",
    {
        "damper": Spring(d=10),
        "prismatic": Prismatic(s=0.5, v=-0.1, fixed="s v"),
        "force": Force(force=("50*sin(2*pi*2*t)", "0", "0")),
        "body": Body(m=5, r_CM=(0, 0, 0)),
        "damper1": Spring(d=10),
        "prismatic1": Prismatic(s=0.5, v=-0.1, fixed="s v"),
        "force1": Force(force=("50*sin(2*pi*2*t)", "0", "0")),
        "body1": Body(m=5, r_CM=(0, 0, 0), r_0=(0.5, 0, 0), v_0=(-0.1, 0, 0)),
        "damper2": Spring(d=10),
        "prismatic2": Prismatic(s=0.5, v=-0.1, fixed="s v"),
        "force2": Force(force=("50*sin(2*pi*2*t)", "0", "0")),
        "body2": Body(m=5, r_CM=(0, 0, 0)),
        "fixedTranslation": FixedTranslation(r=(0, 0.1, 0)),
        "fixedTranslation1": FixedTranslation(r=(0, 0.1, 0)),
    },
    """
    prismatic.b body.a; damper.b body.a; force.b body.a; world.b prismatic1.a; damper1.a world.b; force1.a
    world.b; prismatic1.b body1.a; damper1.b body1.a; force1.b body1.a; prismatic2.b body2.a; damper2.b body2.a;
    force2.b body2.a; fixedTranslation.a world.b; fixedTranslation1.a fixedTranslation.b; prismatic.a
    fixedTranslation.b; damper.a fixedTranslation.b; force.a fixedTranslation.b; fixedTranslation1.b force2.a;
    damper2.a fixedTranslation1.b; prismatic2.a fixedTranslation1.b
    """,
    more={"heatCapacitor.T": lambda c: c.result["T"]},
    extra=heated(10),
)

define(
    "forces",
    "Forces.Damper2",
    {
        "damper": Spring(d=310),
        "prismatic": Prismatic(s=0.5, v=-0.1, fixed="s v"),
        "force": Force(force=(TRAPEZOID, "0", "0")),
        "body": Body(m=5, r_CM=(0, 0, 0)),
        "damper1": Spring(d=310),
        "prismatic1": Prismatic(s=0.5, v=-0.1, fixed="s v"),
        "force1": Force(force=(TRAPEZOID, "0", "0")),
        "body1": Body(m=5, r_CM=(0, 0, 0)),
        "damper2": Spring(d=310),
        "prismatic2": Prismatic(s=0.5, v=-0.1, fixed="s v"),
        "force2": Force(force=(TRAPEZOID, "0", "0")),
        "body2": Body(m=5, r_CM=(0, 0, 0)),
        "fixedTranslation": FixedTranslation(r=(0, 0.1, 0)),
        "fixedTranslation1": FixedTranslation(r=(0, 0.1, 0)),
    },
    """
    prismatic.b body.a; damper.b body.a; force.b body.a; world.b prismatic1.a; damper1.a world.b; force1.a
    world.b; prismatic1.b body1.a; damper1.b body1.a; force1.b body1.a; prismatic2.b body2.a; damper2.b body2.a;
    force2.b body2.a; fixedTranslation.a world.b; fixedTranslation1.a fixedTranslation.b; prismatic.a
    fixedTranslation.b; damper.a fixedTranslation.b; force.a fixedTranslation.b; fixedTranslation1.b force2.a;
    damper2.a fixedTranslation1.b; prismatic2.a fixedTranslation1.b
    """,
    more={"heatCapacitor.T": lambda c: c.result["T"]},
    extra=heated(310),
)

define(
    "forces",
    "Forces.SpringDamperParallel",
    {
        "springDamperParallel": Spring(s_unstretched=0.2, d=10, c=100),
        "pm1": PointMass(m=5, v_0=(0.1, 0, 0)),
        "universal": Universal(phi_b=0.78539816339745, fixed="phi_a w_a w_b phi_b"),
        "prismatic": Prismatic(s=0.1, v=0.1, fixed="s v"),
        "fixedTranslation": FixedTranslation(r=X),
        "fixedTranslation1": FixedTranslation(r=X),
        "springDamperParallel1": Spring(s_unstretched=0.2, d=10, c=100),
        "pm2": PointMass(m=5, r_0=(1, 0.1, 0.1), v_0=(0.1, 0, 0)),
        "universal1": Universal(phi_b=0.78539816339745, fixed="phi_a w_a w_b phi_b"),
        "prismatic1": Prismatic(s=0.1, v=0.1, fixed="s v"),
        "springDamperParallel2": Spring(s_unstretched=0.2, d=10, c=100),
        "pm3": PointMass(m=5, v_0=(0.1, 0, 0)),
        "universal2": Universal(phi_b=0.78539816339745, fixed="phi_a w_a w_b phi_b"),
        "prismatic2": Prismatic(s=0.1, v=0.1, fixed="s v"),
    },
    """
    world.b springDamperParallel.a; pm1.a springDamperParallel.b; springDamperParallel.a universal.a;
    universal.b prismatic.a; prismatic.b pm1.a; fixedTranslation.a world.b; fixedTranslation1.a
    fixedTranslation.b; pm2.a springDamperParallel1.b; springDamperParallel1.a universal1.a; universal1.b
    prismatic1.a; prismatic1.b pm2.a; springDamperParallel1.a fixedTranslation.b; pm3.a springDamperParallel2.b;
    springDamperParallel2.a universal2.a; universal2.b prismatic2.a; prismatic2.b pm3.a; springDamperParallel2.a
    fixedTranslation1.b
    """,
)

define(
    "forces",
    "Forces.SpringDamperSeries",
    {
        "sps1": SpringDamperSeries(c=10, s_unstretched=0.1, d=10),
        "s1": Spring(c=10, s_unstretched=0.1),
        "pointMass": PointMass(m=1),
        "universal1": Universal(phi_b=0.78539816339745, fixed="phi_a w_a w_b phi_b"),
        "prismatic1": Prismatic(s=0.1, v=0.1, fixed="s v"),
    },
    """
    s1.a world.b; sps1.a s1.a; s1.b pointMass.a; sps1.b pointMass.a; s1.a universal1.a; pointMass.a
    prismatic1.b; universal1.b prismatic1.a
    """,
)
