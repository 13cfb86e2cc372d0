"""Robots with closed loops: 14 public robots against recorded numbers of Pinocchio, and two whose loops cannot close."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from verification.case import Row, case
from verification.loop_programs import RECORDS, closed_model, drive_all

AREA = "Robots with closed loops"
COLLECTION = "example-parallel-robots (arXiv 2504.04767)"
SMALL = "angular accelerations divide rounding of moments by the smallest inertia"
# relative tolerance of angular accelerations [1], and its reason, where the smallest inertias of a robot are far below the others
LIGHT = {
    "robot_delta": (1e-7, f"{SMALL}: weights of 0.2 N turn spheres of 1.6e-11 kg m²"),
    "digit_like": (1e-8, f"{SMALL}: the mass matrix has a condition number of 2e7"),
    "disney_like": (
        1e-8,
        f"{SMALL}: the mass matrix has a condition number of 3e5, and the loops are closed to 3e-16 m",
    ),
    "talos_like": (1e-8, f"{SMALL}: the mass matrix has a condition number of 1e7"),
}
NOTES = {
    AREA: f"The 16 robots of {COLLECTION} are URDF files with YAML files of their loops. Pinocchio receives the same loops as rigid "
    "constraints. Dry friction is off. Accelerations are those of all bodies at rest in a recorded closed pose, under weight alone. "
    "Efforts drive as many coordinates as the robot has degrees of freedom, with random rates and accelerations. Numbers of Pinocchio are "
    "recorded (`tests/data/parallel_robots`). The loops of two kangaroos cannot close; [Robots](../robots.md#loops-in-a-yaml-file) lists "
    "the robots with their gaps."
}


def closing(name: str) -> None:
    """Register the case of a robot whose loops close."""
    data = json.loads(RECORDS.read_text(encoding="utf-8"))
    tolerance, why = LIGHT.get(name, (1e-9, ""))

    @case(
        name, area=AREA, source=f"{COLLECTION}, {name}; Pinocchio {data['version']}, tests/verification/loop_programs.py",
        reason="both programs compute in double precision; accelerations and efforts relative to 1 plus the largest"
        + (f"; {why}" if why else ""),
        uses="URDF and YAML files, loops; mobility, simulate, inverse_dynamics; formulation cartesian",
    )  # fmt: skip
    def compute() -> Iterator[Row]:
        record = data["robots"][name]
        m = closed_model(name, record["pose"]).assemble().model()
        found = m.mobility()
        yield Row("degrees of freedom", "", record["freedoms"], found.dof, 0.5)
        bodies = record["bodies"]
        place, linear, angular = (np.array([bodies[body][k] for body in bodies]) for k in range(3))
        r = m.simulate(1e-9, samples=2, progress=False)
        largest = 1.0 + max(float(np.abs(linear).max()), float(np.abs(angular).max()))
        for what, unit, want, series, allowed, scale in (
            ("positions", "m", place, "position", 1e-9, 1.0), ("accelerations", "m/s²", linear, "acceleration", 1e-9, largest),
            ("angular accelerations", "rad/s²", angular, "alpha", tolerance, largest),
        ):  # fmt: skip
            ours = np.array([getattr(r[body], series)[0] for body in bodies])
            yield Row(f"{what} of {len(bodies)} bodies", unit, want, ours, allowed, scale)
        drive_all(m, record["drives"])
        driven = m.inverse_dynamics(times=[0.0], progress=False)
        efforts = np.array([float(driven.effort(f"drive_{k}")[0]) for k in range(len(record["drives"]))])
        size = 1.0 + float(np.abs(record["efforts"]).max())
        yield Row(
            f"efforts along {len(efforts)} coordinates in random motion",
            "N or N m",
            record["efforts"],
            efforts,
            1e-9,
            size,
        )


for _name in json.loads(RECORDS.read_text(encoding="utf-8"))["robots"]:
    closing(_name)
