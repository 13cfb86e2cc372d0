"""Modelica.Mechanics.MultiBody.Examples.Constraints: constraints beside the joints they stand for."""

from __future__ import annotations

from .joints import ParallelFrames, Prismatic, Revolute, Spherical, Universal, Y, Z
from .loads import Spring
from .parts import BodyShape, FixedRotation, FixedTranslation, X
from .reference import define

define(
    "constraints",
    "Constraints.PrismaticConstraint",
    {
        "jointPrismatic_x": Prismatic(n=X, fixed="s v"),
        "jointPrismatic_y": Prismatic(n=Y, fixed="s v"),
        "constraint": ParallelFrames(free="x y"),
        "bodyOfJoint": BodyShape(m=1, r=(0.4, 0, 0), r_CM=(0.2, 0, 0), I=(1, 1, 1)),
        "bodyOfConstraint": BodyShape(r=(0.4, 0, 0), r_CM=(0.2, 0, 0), m=1, I=(1, 1, 1)),
        "springOfJoint": Spring(c=20, s_unstretched=0),
        "springOfConstraint": Spring(c=20, s_unstretched=0),
        "fixedRotation": FixedRotation(r=(0.2, -0.3, 0.2), angles=(10, 55, 68)),
        "fixedTranslation": FixedTranslation(r=(0.8, 0, 0.3)),
    },
    """
    fixedTranslation.a world.b; bodyOfConstraint.b springOfConstraint.b; world.b fixedRotation.a;
    fixedRotation.b constraint.a; bodyOfJoint.b springOfJoint.b; fixedTranslation.b springOfJoint.a;
    fixedTranslation.b springOfConstraint.a; bodyOfConstraint.a constraint.b; jointPrismatic_x.b
    jointPrismatic_y.a; fixedRotation.b jointPrismatic_x.a; bodyOfJoint.a jointPrismatic_y.b
    """,
)

define(
    "constraints",
    "Constraints.RevoluteConstraint",
    {
        "joint": Revolute(n=Y, fixed="phi w"),
        "constraint": Revolute(n=Y),
        "bodyOfJoint": BodyShape(m=1, r=(0.4, 0, 0), r_CM=(0.2, 0, 0), I=(1, 1, 1)),
        "bodyOfConstraint": BodyShape(r=(0.4, 0, 0), r_CM=(0.2, 0, 0), m=1, I=(1, 1, 1)),
        "springOfJoint": Spring(c=20, s_unstretched=0),
        "springOfConstraint": Spring(c=20, s_unstretched=0),
        "fixedRotation": FixedRotation(r=(0.2, -0.3, 0.2), angles=(10, 55, 68)),
        "fixedTranslation": FixedTranslation(r=(0.8, 0, 0.3)),
    },
    """
    fixedTranslation.a world.b; bodyOfConstraint.b springOfConstraint.b; world.b fixedRotation.a;
    fixedRotation.b constraint.a; bodyOfJoint.b springOfJoint.b; joint.b bodyOfJoint.a; fixedTranslation.b
    springOfJoint.a; fixedTranslation.b springOfConstraint.a; bodyOfConstraint.a constraint.b; joint.a
    fixedRotation.b
    """,
)

define(
    "constraints",
    "Constraints.SphericalConstraint",
    {
        "joint": Spherical(),
        "constraint": Spherical(),
        "bodyOfJoint": BodyShape(m=1, r=(0.4, 0, 0), r_CM=(0.2, 0, 0), I=(1, 1, 1)),
        "bodyOfConstraint": BodyShape(r=(0.4, 0, 0), r_CM=(0.2, 0, 0), m=1, I=(1, 1, 1)),
        "springOfJoint": Spring(c=20, s_unstretched=0),
        "springOfConstraint": Spring(c=20, s_unstretched=0),
        "fixedRotation": FixedRotation(r=(0.2, -0.3, 0.2), angles=(10, 55, 68)),
        "fixedTranslation": FixedTranslation(r=(0.8, 0, 0.3)),
    },
    """
    fixedTranslation.a world.b; bodyOfConstraint.b springOfConstraint.b; world.b fixedRotation.a;
    fixedRotation.b constraint.a; bodyOfJoint.b springOfJoint.b; joint.b bodyOfJoint.a; fixedTranslation.b
    springOfJoint.a; fixedTranslation.b springOfConstraint.a; bodyOfConstraint.a constraint.b; joint.a
    fixedRotation.b
    """,
)

define(
    "constraints",
    "Constraints.UniversalConstraint",
    {
        "joint": Universal(n_a=Z, n_b=X, fixed="phi_a phi_b w_a w_b"),
        "constraint": Universal(n_a=Z, n_b=X),
        "bodyOfJoint": BodyShape(m=1, r=(0.4, 0, 0), r_CM=(0.2, 0, 0), I=(1, 1, 1)),
        "bodyOfConstraint": BodyShape(r=(0.4, 0, 0), r_CM=(0.2, 0, 0), m=1, I=(1, 1, 1)),
        "springOfJoint": Spring(c=20, s_unstretched=0),
        "springOfConstraint": Spring(c=20, s_unstretched=0),
        "fixedRotation": FixedRotation(r=(0.2, -0.3, 0.2), angles=(10, 55, 68)),
        "fixedTranslation": FixedTranslation(r=(0.8, 0, 0.3)),
        "fixedTranslationOfJoint": FixedTranslation(r=(0.1, 0.15, 0.2)),
        "fixedTranslationOfConstraint": FixedTranslation(r=(0.1, 0.15, 0.2)),
    },
    """
    fixedTranslation.a world.b; world.b fixedRotation.a; fixedRotation.b constraint.a; joint.b bodyOfJoint.a;
    fixedTranslation.b springOfJoint.a; fixedTranslation.b springOfConstraint.a; bodyOfConstraint.a
    constraint.b; joint.a fixedRotation.b; bodyOfJoint.b fixedTranslationOfJoint.a; bodyOfConstraint.b
    fixedTranslationOfConstraint.a; springOfJoint.b fixedTranslationOfJoint.b; springOfConstraint.b
    fixedTranslationOfConstraint.b
    """,
)
