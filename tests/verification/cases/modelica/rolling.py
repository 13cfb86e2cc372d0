"""Modelica.Mechanics.MultiBody.Examples.Elementary: rolling wheels, and three springs in a massless point."""

from __future__ import annotations

import numpy as np

from .columns import Columns
from .joints import Planar, Revolute
from .loads import WorldForce
from .network import GRAVITY, Network
from .parts import Body, FixedTranslation
from .reference import define, up_to

KNOT = (
    0.30843471,
    -0.15229906,
    0.093098,
)  # where three springs balance at the start
DOWN = (0.0, 0.0, -GRAVITY)


def rolls(net: Network) -> None:
    """Let the wheel roll on the plane z = 0."""
    body = net.body("wheel1.frame_a")
    net.model.rolling_disc("rolling", net.model.ground, body, radius=0.3, at=(0, 0, 0), axis="z", disc_axis="y")


def turning(c: Columns) -> np.ndarray:
    """Angles of the sequence 3, 2, 1, followed from sample to sample."""
    m = c.motion("wheel1.frame_a").axes
    a = np.stack(
        [np.arctan2(m[:, 1, 0], m[:, 0, 0]), np.arcsin(-m[:, 2, 0]), np.arctan2(m[:, 2, 1], m[:, 2, 2])], axis=1
    )
    for k in range(1, len(a)):
        other = np.array([a[k, 0] + np.pi, np.pi - a[k, 1], a[k, 2] + np.pi])
        near = [x - 2 * np.pi * np.round((x - a[k - 1]) / (2 * np.pi)) for x in (a[k], other)]
        a[k] = min(near, key=lambda x: float(np.abs(x - a[k - 1]).max()))
    return a


def rates(c: Columns) -> np.ndarray:
    """Rates of these angles."""
    a, w = turning(c), c.motion("wheel1.frame_a").w
    out = np.empty_like(a)
    for k, (yaw, roll, _) in enumerate(a):
        x = np.array([np.cos(yaw) * np.cos(roll), np.sin(yaw) * np.cos(roll), -np.sin(roll)])
        out[k] = np.linalg.solve(np.column_stack([[0, 0, 1], [-np.sin(yaw), np.cos(yaw), 0], x]), w[k])
    return out


define(
    "elementary",
    "Elementary.RollingWheel",
    {"wheel1": Body(m=2, I=(0.12, 0.06, 0.12), r_0=(0.2, 0.2, 0.3), v_0=(1.5, -0.3, 0), w_0=(1, 5, 0))},
    "",
    gravity=DOWN,
    extra=rolls,
    more={f"wheel1.angles[{k}]": lambda c, k=k: turning(c)[:, k - 1] for k in (1, 2, 3)}
    | {f"wheel1.der_angles[{k}]": lambda c, k=k: rates(c)[:, k - 1] for k in (1, 2, 3)}
    | {f"wheel1.{x}": lambda c, x=x: c.result[f"wheel1_a_body.{x}"] for x in "xy"},
    run={"samples": 2001},
    reason=up_to(
        1.95, "near the singular positions of its angles the rates are large, and differences of the state grow to 2e-3"
    ),
    uses="rolling_disc; default method",
)

WHEELS = {
    "wheelSet.planar": Planar(n=(0, 0, 1), n_x=(1, 0, 0), s_x=0.1, s_y=0.1),
    "floor": FixedTranslation(r=(0, 0, 0.1)),
    "rod1": FixedTranslation(r=(0, 0.25, 0)),
    "rod2": FixedTranslation(r=(0, -0.25, 0)),
    "fixedTranslation": FixedTranslation(r=(0.2, 0, 0)),
    "body": Body(m=0.01),
    "wheel1": Body(m=0.5, I=(0.02, 0.01, 0.02)),
    "wheel2": Body(m=0.5, I=(0.02, 0.01, 0.02)),
}
FRAMES = """
    world.b floor.a; floor.b wheelSet.planar.a; wheelSet.planar.b rod1.a rod2.a fixedTranslation.a; fixedTranslation.b body.a;
    rod1.b theta1.a; theta1.b wheel1.a; rod2.b theta2.a; theta2.b wheel2.a
"""
COLUMNS = {
    **{f"wheelSet.theta{k}": lambda c, k=k: c.result[f"theta{k}.angle"] for k in (1, 2)},
    **{f"wheelSet.der_theta{k}": lambda c, k=k: c.result[f"theta{k}.angle.rate"] for k in (1, 2)},
    "wheelSet.x": lambda c: c.result["wheelSet_planar.x"],
    "wheelSet.y": lambda c: c.result["wheelSet_planar.y"],
    "wheelSet.phi": lambda c: c.result["wheelSet_planar.angle"],
}


def both_roll(net: Network) -> None:
    """Let both wheels roll on the plane z = 0; what the second one restrains beside the first is redundant."""
    for k in (1, 2):
        wheel = net.body(f"wheel{k}.frame_a")
        net.model.rolling_disc(
            f"rolling{k}", net.model.ground, wheel, radius=0.1, at=(0, 0, 0), axis="z", disc_axis="y"
        )


define(
    "elementary",
    "Elementary.RollingWheelSetDriving",
    WHEELS
    | {
        "theta1": Revolute(n=(0, 1, 0), tau="-2*sin(2*pi*t)"),
        "theta2": Revolute(n=(0, 1, 0), tau="-2*sin(2*pi*t + pi/2)"),
    },
    FRAMES,
    gravity=DOWN,
    extra=both_roll,
    more=COLUMNS,
    uses="rolling_disc, planar; default method",
)

define(
    "elementary",
    "Elementary.RollingWheelSetPulling",
    WHEELS
    | {
        "theta1": Revolute(n=(0, 1, 0)),
        "theta2": Revolute(n=(0, 1, 0)),
        "force": WorldForce(force=("1 - min(max(t - 1, 0), 1)", "2*min(max(t - 1, 0), 1)", "0")),
    },
    FRAMES + "; force.b fixedTranslation.b",
    gravity=DOWN,
    extra=both_roll,
    more=COLUMNS,
    uses="rolling_disc, planar; default method",
)


def knotted(net: Network) -> None:
    """Tie three springs in a point without mass, whose place is three states: it creeps to where they balance, within 1e-7 s."""
    m, ends = net.model, {"bar1": ("0.3", "0", "0"), "bar2": ("0", "0", "0.3"), "body": ("tip.x", "tip.y", "tip.z")}
    m.point("tip", net.body("body1.frame_a"), local=(0, 0, 0))
    pulls: dict[str, tuple[str, ...]] = {}
    for (name, place), stiffness in zip(ends.items(), (20, 20, 40), strict=True):
        ways = [f"({p} - knot_{x})" for x, p in zip("xyz", place, strict=True)]
        length = "sqrt(" + " + ".join(f"{way}^2" for way in ways) + ")"
        pulls[name] = tuple(f"{stiffness}*(1 - 0.1/{length})*{way}" for way in ways)
    for k, (x, start) in enumerate(zip("xyz", KNOT, strict=True)):
        m.state(f"knot_{x}", f"1e5*({' + '.join(pull[k] for pull in pulls.values())})", initial=start)
    m.force("spring2", net.point("body1.frame_a"), tuple(f"-({way})" for way in pulls["body"]))


define(
    "elementary",
    "Elementary.ThreeSprings",
    {"body1": Body(r_CM=(0, -0.2, 0), m=0.8, r_0=(0.5, -0.3, 0), I=(0.1, 0.1, 0.1))},
    "",
    extra=knotted,
    run={"method": "radau5", "rtol": 1e-7},
    uses="force, state; radau5",
)
