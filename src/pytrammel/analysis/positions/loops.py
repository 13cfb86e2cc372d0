"""Closed loops of a model, to tell people where a mechanism does not close."""

from __future__ import annotations

import math
from collections import deque

from pytrammel.joints.constraint import Constraint
from pytrammel.model.base import Model


def loop_through(model: Model, joint: Constraint) -> list[tuple[str, str]] | None:
    """Shortest closed loop through a joint, as (body, joint to the next body) pairs, or None if it closes no loop."""
    if len(joint.bodies) < 2 or joint.is_driver:
        return None
    start, goal = joint.bodies[1], joint.bodies[0]
    came: dict[str, tuple[str, str]] = {start: ("", "")}
    queue = deque([start])
    while queue:
        body = queue.popleft()
        if body == goal:
            break
        for other in model.constraints.values():
            if other.name == joint.name or other.is_driver or len(other.bodies) < 2 or body not in other.bodies[:2]:
                continue
            far = other.bodies[1] if other.bodies[0] == body else other.bodies[0]
            if far not in came:
                came[far] = (body, other.name)
                queue.append(far)
    if goal not in came:
        return None
    path = [(goal, joint.name)]
    body = goal
    while body != start:
        previous, via = came[body]
        path.append((previous, via))
        body = previous
    # path runs goal, ..., start with the joint that led there; turn it into body -> joint to the next body
    bodies = [b for b, _ in path][::-1]
    joints = [via for _, via in path[1:]][::-1]
    return list(zip(bodies, [*joints, joint.name], strict=True))


def describe_loop(loop: list[tuple[str, str]]) -> str:
    """ "ground–crank–coupler–rocker"."""
    names = [body for body, _ in loop]
    if "ground" in names:
        k = names.index("ground")
        names = names[k:] + names[:k]
    return "–".join(names)


def reach(model: Model, loop: list[tuple[str, str]]) -> tuple[float, list[float]] | None:
    """Longest side and the other sides of a loop of common points and links, or None if the loop has other joints."""
    sides: list[float] = []
    pins: list[dict[str, tuple[float, ...]]] = []
    for _, name in loop:
        joint = model.constraints[name]
        if joint.span is None:
            return None
        pins.append({seat.body: seat.point for seat in joint.seats})
        if joint.span > 0.0:
            sides.append(joint.span)
    for k, (body, _) in enumerate(loop):
        a, b = pins[k - 1].get(body), pins[k].get(body)
        if a is None or b is None:
            return None
        sides.append(math.dist(a, b))
    longest = max(sides)
    sides.remove(longest)
    return longest, sides
