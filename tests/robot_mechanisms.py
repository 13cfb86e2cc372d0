"""Mechanisms with closed forms for tests of robot analyses."""

import math

import numpy as np

import pytrammel as tm

# Denavit-Hartenberg parameters of the UR5 [m, rad], Universal Robots, "DH Parameters for calculations of kinematics and dynamics"
UR5_D = (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823)
UR5_A = (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0)
UR5_ALPHA = (math.pi / 2, 0.0, 0.0, math.pi / 2, -math.pi / 2, 0.0)


def five_bar(crank=0.3, base=0.2, rod=0.35):
    """Planar five-bar: cranks at A (0, 0) and E (base, 0), rods that meet at P."""
    m = tm.PlanarModel("five-bar")
    top = np.array((base / 2, crank + math.sqrt(rod**2 - base**2 / 4)))
    left, right = np.array((0.0, crank)), np.array((base, crank))
    bars = {"left": ((0.0, 0.0), left), "right": ((base, 0.0), right), "one": (left, top), "two": (right, top)}
    for name, (begin, end) in bars.items():
        way = np.subtract(end, begin)
        middle = 0.5 * np.add(begin, end)
        m.body(name, position=tuple(middle), angle=math.atan2(way[1], way[0]), mass=0.5, inertia=0.004)
    m.revolute("A", "ground", "left", at=(0.0, 0.0))
    m.revolute("E", "ground", "right", at=(base, 0.0))
    m.revolute("B", "left", "one", at=tuple(left))
    m.revolute("D", "right", "two", at=tuple(right))
    m.revolute("C", "one", "two", at=tuple(top))
    m.point("P", "one", at=tuple(top))
    return m


def arm(*lengths, mass=1.0):
    """Planar arm along the x axis with hinges J1, J2, ... and uniform links; P is its end."""
    m = tm.PlanarModel("arm")
    x, before = 0.0, "ground"
    for k, length in enumerate(lengths, 1):
        m.body(f"link{k}", position=(x + length / 2, 0.0), mass=mass, inertia=mass * length**2 / 12)
        m.revolute(f"J{k}", before, f"link{k}", at=(x, 0.0))
        x, before = x + length, f"link{k}"
    m.point("P", before, at=(x, 0.0))
    return m


def link_frame(theta, k):
    """Transformation of link k of the UR5 relative to the link before it."""
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(UR5_ALPHA[k]), math.sin(UR5_ALPHA[k])
    return np.array(
        [[c, -s * ca, s * sa, UR5_A[k] * c], [s, c * ca, -c * sa, UR5_A[k] * s], [0, sa, ca, UR5_D[k]], [0, 0, 0, 1]]
    )


def ur5():
    """The UR5 as hinges along the z axes of its frames, all angles zero."""
    m = tm.SpatialModel("UR5")
    frame, before = np.eye(4), "ground"
    for k in range(6):
        pivot, axis = frame[:3, 3].copy(), frame[:3, 2].copy()
        frame = frame @ link_frame(0.0, k)
        m.body(f"link{k + 1}", position=tuple(frame[:3, 3]), rotation=frame[:3, :3], mass=1.0, inertia=0.01)
        m.revolute(f"J{k + 1}", before, f"link{k + 1}", at=tuple(pivot), axis=tuple(axis))
        before = f"link{k + 1}"
    m.point("tool0", before, at=tuple(frame[:3, 3]))
    return m


def ur5_frame(angles):
    """Transformation of the tool by the product of the six frames."""
    frame = np.eye(4)
    for k, theta in enumerate(angles):
        frame = frame @ link_frame(theta, k)
    return frame


def ur5_branches(tool):
    """The eight solutions of the inverse kinematics in closed form.

    Hawkins, Analytic inverse kinematics for the Universal Robots UR-5/UR-10 arms, Georgia Tech 2013, in the form with a planar 2R arm.
    """
    d, a = UR5_D, UR5_A
    wrist = tool @ np.array([0.0, 0.0, -d[5], 1.0])
    back = np.linalg.inv(tool)
    out = []
    for shoulder in (1.0, -1.0):
        t1 = math.atan2(wrist[1], wrist[0]) + shoulder * math.acos(d[3] / math.hypot(wrist[0], wrist[1])) + math.pi / 2
        s1, c1 = math.sin(t1), math.cos(t1)
        for flip in (1.0, -1.0):
            t5 = flip * math.acos((tool[0, 3] * s1 - tool[1, 3] * c1 - d[3]) / d[5])
            s5 = math.sin(t5)
            t6 = math.atan2((-back[1, 0] * s1 + back[1, 1] * c1) / s5, (back[0, 0] * s1 - back[0, 1] * c1) / s5)
            ahead = np.linalg.inv(link_frame(t1, 0)) @ tool @ np.linalg.inv(link_frame(t5, 4) @ link_frame(t6, 5))
            x, y = (ahead @ np.array([0.0, -d[3], 0.0, 1.0]))[:2]
            cosine = (x * x + y * y - a[1] ** 2 - a[2] ** 2) / (2 * a[1] * a[2])
            for elbow in (1.0, -1.0):
                if abs(cosine) > 1.0:
                    continue
                t3 = elbow * math.acos(cosine)
                t2 = math.atan2(y, x) - math.atan2(a[2] * math.sin(t3), a[1] + a[2] * math.cos(t3))
                last = np.linalg.inv(link_frame(t2, 1) @ link_frame(t3, 2)) @ ahead
                out.append((t1, t2, t3, math.atan2(last[1, 0], last[0, 0]), t5, t6))
    return np.array(out)


def octahedron(base, lengths, sides):
    """Platform with three corners, each on two legs to neighbouring corners of the base (a Stewart platform of type 3-3).

    Args:
        base: Corners of the base, shape (3, 2).
        lengths: Lengths of the legs of each corner: to base corner k and k + 1, shape (3, 2).
        sides: Corners of the platform in its frame, shape (3, 2).
    """
    m = tm.SpatialModel("octahedron")
    m.body("platform", position=(0.0, 0.0, 0.8), mass=1.0, inertia=0.1)
    for k in range(3):
        for side in range(2):
            foot = (*base[(k + side) % 3], 0.0)
            corner = m["platform"].at(*sides[k], 0.0)
            m.link(f"leg{k + 1}{'ab'[side]}", m.ground.at(*foot), corner, length=float(lengths[k][side]))
    return m
