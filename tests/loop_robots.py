"""URDF files with YAML files of their loops, made for tests: chains and trees whose loops close in a pose away from zero."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from robot_files import urdf, urdf_joint, urdf_link


def loops_text(
    pairs: Sequence[tuple[str, str]],
    types: Sequence[str],
    motors: Sequence[str] = (),
    joints: Mapping[str, str] | None = None,
) -> str:
    """A YAML file of loops."""
    lines = [f"closed_loop: {json.dumps([list(pair) for pair in pairs])}", f"type: {json.dumps(list(types))}"]
    lines += [f"name_mot: {json.dumps(list(motors))}"]
    if joints:
        lines += [f"joint_name: {json.dumps(list(joints))}", f"joint_type: {json.dumps(list(joints.values()))}"]
    return "\n".join(lines) + "\n"


def frame(name: str, link: str, xyz: str, rpy: str = "0 0 0") -> str:
    """A frame as a link without mass, as such files have them."""
    return f'<link name="{name}"/>\n' + urdf_joint(f"{name}_frame", "fixed", link, name, xyz, rpy)


def five_bar(last: str = "6d", *, reach: float = 0.5, width: float = 0.3) -> tuple[str, str]:
    """Two arms of two bars each on motors some distance apart, drawn upright, whose ends are to meet; 6d is redundant in 3 of 6 rows.

    In 6d both ends turn on a pin, a separate link.
    """
    bars = [urdf_link("base", 1.0)]
    for side, x in (("left", 0.0), ("right", width)):
        bars += [
            urdf_link(f"{side}_upper", 0.4, "0 0 0.2"),
            urdf_link(f"{side}_lower", 0.3, f"0 0 {0.5 * reach}"),
            urdf_joint(f"{side}_motor", "continuous", "base", f"{side}_upper", f"{x} 0 0", axis="0 1 0"),
            urdf_joint(f"{side}_elbow", "continuous", f"{side}_upper", f"{side}_lower", "0 0 0.4", axis="0 1 0"),
        ]
    ends = [frame("meet_A", "left_lower", f"0 0 {reach}")]
    if last == "6d":
        ends += [
            urdf_link("pin", 0.05, scale=0.1),
            urdf_joint("pin_turn", "continuous", "right_lower", "pin", f"0 0 {reach}", axis="0 1 0"),
            frame("meet_B", "pin", "0 0 0"),
        ]
    else:
        ends.append(frame("meet_B", "right_lower", f"0 0 {reach}"))
    return urdf(*bars, *ends), loops_text([("meet_A", "meet_B")], [last], ["left_motor", "right_motor"])


def random_loops(seed: int) -> tuple[str, str]:
    """A random tree with universal, spherical and fixed joints, whose loops close exactly in a random pose within 0.6 rad of zero."""
    random = np.random.default_rng(seed)
    numbers = lambda values: " ".join(map(repr, np.asarray(values, dtype=float).tolist()))  # noqa: E731
    count, rotations, joints = 0, [np.eye(3)], dict[str, str]()
    places, parents, text = [np.zeros(3)], [-1], [urdf_link("l0", 1.0)]
    n_links = int(random.integers(7, 12))
    for k in range(1, n_links):
        parent = max(0, k - int(random.integers(1, 4)))
        origin, rpy = 0.3 * random.normal(size=3), random.uniform(-1.0, 1.0, 3)
        axis = np.eye(3)[random.integers(3)]
        word = str(random.choice(["", "", "", "SPHERICAL", "UJOINT_XY", "UJOINT_ZX", "UJOINT_YZ"]))
        text += [
            urdf_link(f"l{k}", float(random.uniform(0.3, 1.0)), numbers(0.1 * random.normal(size=3))),
            urdf_joint(f"j{k}", "continuous", f"l{parent}", f"l{k}", numbers(origin), numbers(rpy), axis=numbers(axis)),
        ]
        if word:
            joints[f"j{k}"] = word
        base = rotations[parent] @ from_rpy(rpy)
        places.append(places[parent] + rotations[parent] @ origin)
        rotations.append(base @ turned(word, axis, random.uniform(-0.6, 0.6, 3)))
        parents.append(parent)
        count += 3 if word == "SPHERICAL" else 2 if word else 1
    pairs, types = [], []
    while count > 3 and len(pairs) < 3:
        one, two = random.choice(n_links, 2, replace=False)
        word = "6d" if count > 7 and random.random() < 0.5 else "3d"
        count -= 6 if word == "6d" else 3
        spot, turn = 0.2 * random.normal(size=3), from_rpy(random.uniform(-1.0, 1.0, 3))
        names = (f"loop{len(pairs)}_A", f"loop{len(pairs)}_B")
        for name, link in zip(names, (one, two), strict=True):
            local = rotations[link].T @ (places[one] + rotations[one] @ spot - places[link])
            text.append(frame(name, f"l{link}", numbers(local), numbers(to_rpy(rotations[link].T @ turn))))
        pairs.append(names)
        types.append(word)
    motors = [f"j{k}" for k in range(1, 3) if joints.get(f"j{k}") is None]
    return urdf(*text), loops_text(pairs, types, motors, joints)


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation about a unit vector."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def turned(word: str, axis: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Rotation of a joint: about its axis, or about those that its type names."""
    letters = dict(zip("XYZ", np.eye(3), strict=True))
    if word == "SPHERICAL":
        return about(letters["X"], angles[0]) @ about(letters["Y"], angles[1]) @ about(letters["Z"], angles[2])
    if word.startswith("UJOINT"):
        return about(letters[word[-2]], angles[0]) @ about(letters[word[-1]], angles[1])
    return about(axis, angles[0])


def from_rpy(rpy: np.ndarray) -> np.ndarray:
    """Rotation by roll, pitch and yaw about fixed axes."""
    x, y, z = np.eye(3)
    return about(z, rpy[2]) @ about(y, rpy[1]) @ about(x, rpy[0])


def to_rpy(R: np.ndarray) -> list[float]:
    """Roll, pitch and yaw of a rotation."""
    return [
        np.arctan2(R[2, 1], R[2, 2]),
        np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])),
        np.arctan2(R[1, 0], R[0, 0]),
    ]


def written(folder: Path, urdf_text: str, yaml_text: str | None, stem: str = "robot", yaml: str | None = None) -> Path:
    """Both files; the path of the URDF file."""
    path = folder / f"{stem}.urdf"
    path.write_text(urdf_text, encoding="utf-8")
    if yaml_text is not None:
        (folder / (yaml or f"{stem}.yaml")).write_text(yaml_text, encoding="utf-8")
    return path
