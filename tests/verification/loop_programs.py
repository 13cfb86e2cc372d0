"""Robots with loops by Pinocchio, recorded for machines without it.

    python -m verification.loop_programs    # in tests, where Pinocchio is installed: writes tests/data/parallel_robots/accelerations.json

A record holds the number of loop equations, their rank, the degrees of freedom, and the closed pose by the values of the joints. For
each body it holds position, acceleration and angular acceleration at rest under weight in this pose, in global axes. Random motions of
independent coordinates follow, and their efforts.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import pytrammel as tm

FOLDER = Path(__file__).parents[1] / "data" / "parallel_robots"
RECORDS = FOLDER / "accelerations.json"
OPEN = ("kangaroo_like", "kangaroo_like_2legs")  # their loops cannot close


def closed_model(name: str, pose: dict[str, list[float]] | None = None) -> tm.SpatialModel:
    """Return a robot with its loops closed, without dry friction, which Pinocchio does not have; a closed pose remains as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)  # meshes are not there
        return tm.load_robot(next((FOLDER / name).glob("*.urdf")), friction=False, pose=pose)


def pose_of(m: tm.SpatialModel) -> dict[str, list[float]]:
    """Return the values of a robot's joints by name, of ball joints the quaternion."""
    joints = [joint for joint in m.conversion_report.source.joints.values() if not joint.closing]
    return {j.name: list(j.start if j.kind == "ball" else j.values) for j in joints if j.axes or j.kind == "ball"}


def robots() -> list[str]:
    """Return the names of all robots of the folder."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def quantity(m: tm.SpatialModel, drive: dict[str, Any]) -> Any:
    """Return the coordinate of a recorded drive: a measure of a joint, or the cosine between directions of two bodies."""
    if "measure" in drive:
        return m.measure(drive["measure"])
    (parent, one), (child, two) = drive["cosine"]
    return m.cosine(m.bodies[parent], tuple(one), m.bodies[child], tuple(two))


def drive_all(m: tm.SpatialModel, drives: list[dict[str, Any]]) -> None:
    """Drive recorded coordinates from their initial values with their rates and accelerations."""
    for number, drive in enumerate(drives):
        coordinate = quantity(m, drive)
        rate, curve = drive["motion"]
        m.driver(f"drive_{number}", coordinate, f"{m.drawn_value(coordinate)!r} + ({rate!r})*t + ({curve!r})*t^2")


def by_pinocchio(name: str) -> dict[str, Any]:
    """Return the record of a robot."""
    from pinocchio_loops import LoopsTruth, body_accelerations, body_states, plain

    folder, random = FOLDER / name, np.random.default_rng(1)
    pose = pose_of(closed_model(name))
    truth, m = (
        LoopsTruth(next(folder.glob("*.urdf")), folder / "robot.yaml"),
        closed_model(name, pose).assemble().model(),
    )
    run = m.simulate(1e-9, samples=2, progress=False)
    q, v = truth.state(body_states(run, 0))
    gaps = truth.rows(q, v)[2]
    if np.abs(gaps).max() > 1e-12:
        raise ValueError(f"{name}: the loops miss by {np.abs(gaps).max():.1e} m in Pinocchio")
    free, rows, rank = truth.freedom(q)
    found = truth.body_accelerations(q, v, truth.accelerations(q, v, -truth.damping * v), body_accelerations(run, 0))
    bodies = {}
    for k in range(1, truth.model.njoints):
        carrier, body = truth._carrier(k, m.bodies)
        place = truth.data.oMf[truth.model.getFrameId(carrier.name, truth.pin.FrameType.BODY)].translation
        bodies[body] = [np.asarray(x).tolist() for x in (place, *found[body])]
    drives, columns = [], []
    for joint_name, i, column in truth.independent(q):
        label = plain(joint_name) if plain(joint_name) in m.constraints else f"{plain(joint_name)}_joint"
        joint = m.constraints[label]
        drive: dict[str, Any] = {"motion": random.uniform(-1.0, 1.0, 2).tolist()}
        if joint.kind == "spherical":  # cosine of two axes of the joint that are at right angles
            carrier, child = truth._carrier(truth.model.getJointId(joint_name), m.bodies)
            parent = next(other for other in joint.bodies if other != child)
            axes = m.bodies[child].matrix @ carrier.placement.rotation.T
            drive["cosine"] = [[parent, axes[:, (i + 2) % 3].tolist()], [child, axes[:, (i + 1) % 3].tolist()]]
        else:
            keys = {"revolute": ("angle",), "prismatic": ("distance",), "universal": ("angle", "second_angle")}
            drive["measure"] = f"{label}.{keys[joint.kind][i]}"
        drives.append(drive)
        columns.append(column)
    drive_all(m, drives)
    moved = m.inverse_dynamics(times=[0.0], progress=False)
    q, v = truth.state(body_states(moved, 0))
    a = truth.joint_accelerations(q, v, body_accelerations(moved, 0))
    efforts = truth.efforts(q, v, a, columns)
    return {
        "rows": rows, "rank": rank, "freedoms": free.shape[1], "bodies": bodies, "drives": drives, "efforts": efforts.tolist(),
        "pose": pose,
    }  # fmt: skip


def record() -> None:
    """Write the records of all robots whose loops close, and the version of Pinocchio."""
    from importlib import metadata

    out = {name: by_pinocchio(name) for name in robots() if name not in OPEN}
    text = json.dumps({"version": metadata.version("pin"), "robots": out})
    RECORDS.write_text(text.replace(' {"rows"', '\n{"rows"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
