"""Robots of files against Pinocchio and MuJoCo: recorded numbers, and the programs themselves where they are installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np

from verification.case import Row, case
from verification.robot_programs import RECORDS, ROBOTS, Bodies, by_mujoco, by_pinocchio, trammel_model

AREA = "Robots against other programs"
REASON = "both programs compute in double precision; accelerations relative to 1 plus the largest"
NOTES = {
    AREA: "States are random positions (Pinocchio) or the reference position (MuJoCo) with random rates. Limits, contacts, couplings and "
    "dry friction are switched off. Numbers of the small robots are recorded (`tests/data/robots`). Public robots are computed where the "
    "other program is installed, see `make peers`; elsewhere this page keeps its earlier comparison."
}


def compared(
    text: str, pose: dict[str, float], rates: dict[str, float], bodies: Bodies, formulations: tuple[str, ...]
) -> Iterator[Row]:
    """Rows of positions and accelerations of all bodies."""
    m, initial = trammel_model(text, pose, rates)
    names = [name for name in bodies if name in m.bodies]
    place, linear, angular = (np.array([bodies[name][k] for name in names]) for k in range(3))
    largest = 1.0 + max(float(np.abs(linear).max()), float(np.abs(angular).max()))
    for formulation in formulations:
        r = m.simulate(1e-9, samples=2, initial=initial, formulation=formulation, progress=False)
        for what, unit, want, series, scale in (
            ("positions", "m", place, "position", 1.0), ("accelerations", "m/s²", linear, "acceleration", largest),
            ("angular accelerations", "rad/s²", angular, "alpha", largest),
        ):  # fmt: skip
            found = np.array([getattr(r[name], series)[0] for name in names])
            yield Row(f"{what} of {len(names)} bodies ({formulation})", unit, want, found, 1e-9, scale)


def recorded(program: str, name: str) -> None:
    """Register a case of a robot with recorded numbers."""
    record = json.loads(RECORDS.read_text(encoding="utf-8"))[program]

    @case(
        f"{name[0].upper()}{name[1:]}, recorded", area=AREA, source=f"{program} {record['version']}, tests/verification/robot_programs.py",
        reason=REASON, uses=f"{'URDF' if program == 'Pinocchio' else 'MJCF'} file; formulations cartesian, joint",
    )  # fmt: skip
    def compute() -> Iterator[Row]:
        robot = record["robots"][name]
        yield from compared(
            ROBOTS[program][name], robot["pose"], robot["rates"], robot["bodies"], ("cartesian", "joint")
        )


for _program, _robots in ROBOTS.items():
    for _name in _robots:
        recorded(_program, _name)


def packaged(distribution: str, ending: str) -> str:
    """Text of a file inside of an installed package."""
    files = metadata.distribution(distribution).files or []
    return Path(str(next(file.locate() for file in files if str(file).endswith(ending)))).read_text(encoding="utf-8")


def public(title: str, program: str, distribution: str, ending: str) -> None:
    """Register a case of a public robot that needs the other program and the package of the robot."""

    @case(
        f"{title}, {program}", area=AREA, source=f"{program}; {ending} of the package {distribution}", reason=REASON,
        uses=f"{'URDF' if program == 'Pinocchio' else 'MJCF'} file; formulations cartesian, joint",
        needs=("pin" if program == "Pinocchio" else "mujoco", distribution),
    )  # fmt: skip
    def compute() -> Iterator[Row]:
        text = packaged(distribution, ending)
        pose, rates, bodies = (by_pinocchio if program == "Pinocchio" else by_mujoco)(text)
        yield from compared(text, pose, rates, bodies, ("cartesian", "joint"))


for _title, _ending in (
    ("UR5", "/ur5_robot.urdf"),
    ("Double pendulum", "/double_pendulum.urdf"),
    ("Finger", "/finger_edu.urdf"),
    ("Solo", "/solo.urdf"),
):
    public(_title, "Pinocchio", "example-robot-data", _ending)
for _title, _ending in (
    ("Hopper", "mujoco/assets/hopper.xml"), ("Walker", "mujoco/assets/walker2d.xml"), ("Reacher", "mujoco/assets/reacher.xml"),
    ("Inverted double pendulum", "mujoco/assets/inverted_double_pendulum.xml"),
):  # fmt: skip
    public(_title, "MuJoCo", "gymnasium", _ending)
