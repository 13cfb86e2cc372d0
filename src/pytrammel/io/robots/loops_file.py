"""Loops of a robot in a YAML file: pairs of frames that coincide, motors, and joints with more coordinates than URDF can express.

Format of example-parallel-robots:

    closed_loop: [[frame_1, frame_2], ...]   frames, links or joints of the URDF file
    type: [6d, 3d, ...]                      6d: the frames coincide; 3d: their origins coincide
    name_mot: [joint, ...]                   joints with a motor
    joint_name: [joint, ...]                 joints of the URDF file that are of another type:
    joint_type: [SPHERICAL, UJOINT_XY, FIXED, ...]
"""

from __future__ import annotations

import difflib
import math
import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pytrammel._util.atomic_write import is_file, unreadable
from pytrammel._util.extras import install_command
from pytrammel._util.messages import short
from pytrammel.errors import FileFormatError, ModelError
from pytrammel.io.models.formats import yaml_text
from pytrammel.io.models.formats.document import MAX_BYTES, Document, TextError
from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.conversion_report import Kind
from pytrammel.io.robots.poses import Pose
from pytrammel.io.robots.rigid import fixed_group
from pytrammel.io.robots.robot import COORDINATES, Actuator, Axis, Joint, JointKind, Robot

KEY = "closed_loop"
KEYS = (KEY, "type", "name_mot", "joint_name", "joint_type")
ENDINGS = (".yaml", ".yml")
LOOPS: dict[str, JointKind] = {"6d": "fixed", "3d": "ball"}
MISSING = f"reading loops from YAML needs the package ruamel.yaml. Install it with {install_command('yaml')}"
SUFFIX = 6  # letters by which the frames of a loop named after them differ at most: 1_A, A_3D
AXES = np.eye(3)
# child frame of a universal joint in its parent frame at zero: z and x change places
SWAP = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])


def check_loops(loops: object) -> None:
    """Raise `ModelError` if the argument is neither a path, None nor False."""
    if loops is not None and loops is not False and not isinstance(loops, str | os.PathLike):
        raise ModelError(f"loops is {short(loops)} but must be the path of a YAML file, None or False.")


def add_loops(robot: Robot, loops: object, *, automatic: bool) -> None:
    """Add the loops of a YAML file to a robot.

    Args:
        robot: The robot, read from ``robot.path``.
        loops: Path of the YAML file; None for one next to the robot file, False for none.
        automatic: Whether files of this format have their loops in a YAML file next to them.
    """
    if loops is False:
        for file in _candidates(robot) if automatic else ():
            robot.conversion_report.add(
                "ignored", file.name, "its loops and motors are not read, as loops=False requires"
            )
        return
    if isinstance(loops, str | os.PathLike):
        file = Path(loops)
        _Reader(robot, file, _document(file)).read()
        return
    for file in _candidates(robot) if automatic else ():
        document = _document(file, f"{robot.path.name if robot.path else ''} has its loops in {file.name}, and ")
        if file.stem != (robot.path.stem if robot.path else ""):
            reason = (
                "the robot file has loops itself" if robot.loops else "its loops name none of the frames of this robot"
            )
            if robot.loops or not _concerns(robot, document):
                robot.conversion_report.add("ignored", file.name, f"{reason}; loops={file.name!r} reads it")
                continue
        robot.conversion_report.add(
            "added", file.name, "its loops and motors belong to the robot; loops=False omits them", file=file.name
        )
        _Reader(robot, file, document).read()
        return


def _candidates(robot: Robot) -> list[Path]:
    """YAML files with loops next to the robot file: under its own name, or called robot.yaml."""
    if robot.path is None:
        return []
    names = dict.fromkeys(f"{stem}{ending}" for stem in (robot.path.stem, "robot") for ending in ENDINGS)
    files = [file for file in map(robot.path.with_name, names) if is_file(file)]
    return [file for file in files if re.search(rf"^\s*['\"]?{KEY}['\"]?\s*:", _text(file), re.MULTILINE)]


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise FileFormatError(f"{file.name}: the file has {file.stat().st_size} bytes; the limit is {MAX_BYTES}.")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise FileFormatError(f"the loops file {str(file)!r} cannot be read: {unreadable(error)}.") from None
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{file.name}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None


def _document(file: Path, before: str = "") -> Document:
    text = _text(file)
    try:
        import ruamel.yaml  # noqa: F401
    except ImportError:
        raise FileFormatError(f"{before or f'{file.name}: '}{MISSING}, or pass loops=False.") from None
    try:
        return yaml_text.read(text)
    except TextError as error:
        raise FileFormatError(f"{file.name}, line {error.line}: {error}") from None


def _concerns(robot: Robot, document: Document) -> bool:
    """Return True if a loop of the file names a frame of the robot."""
    pairs = document.data.get(KEY)
    named = [name for pair in pairs if isinstance(pair, list) for name in pair] if isinstance(pairs, list) else []
    return any(isinstance(name, str) and _spot(robot, name) is not None for name in named)


def _spot(robot: Robot, name: str) -> tuple[str, Pose] | None:
    """Link and pose of a link, a frame or a joint (its frame on the child)."""
    found = robot.spot(name)
    if found is None and name in robot.joints:
        joint = robot.joints[name]
        return joint.child, Pose()
    return found


def nearest_name(name: str, known: Sequence[str]) -> str:
    """Hint at the closest match of an unknown name, with letters outside of ASCII in which both differ, which may look alike."""
    near = difflib.get_close_matches(name, known, n=1)
    if not near:
        return ""
    odd = [
        f"U+{ord(c):04X} ({unicodedata.name(c, 'unnamed').lower()})"
        for c in sorted({*name} ^ {*near[0]})
        if not c.isascii()
    ]
    letters = f"; letters that differ: {', '.join(odd)}" if odd else ""
    return f" The closest match is {near[0]!r}{letters}."


@dataclass
class _Reader:
    robot: Robot
    file: Path
    document: Document

    def __post_init__(self) -> None:
        self.complaints: list[str] = []

    def read(self) -> None:
        """Apply the file to the robot; all mistakes are raised together."""
        for key in self.document.data:
            if key not in KEYS:
                self.note("ignored", key, f"unknown key; known are {', '.join(KEYS)}", (key,), matters=True)
        self.robot.loops_file = self.file
        self.joint_types()
        self.loops()
        self.motors()
        if self.complaints:
            raise FileFormatError("\n".join(self.complaints[:20]))
        self.robot.place()

    # --- messages ---

    def note(self, kind: Kind, label: str, text: str, path: tuple[str | int, ...], *, matters: bool = False) -> None:
        """Add a note with the line of the entry."""
        line = self.document.line(path)
        self.robot.conversion_report.add(kind, label, text.rstrip("."), line=line, file=self.file.name, matters=matters)

    def complain(self, path: tuple[str | int, ...], text: str) -> None:
        """Keep a mistake with the line of the entry."""
        self.complaints.append(f"{self.file.name}, line {self.document.line(path)}: {text}")

    def texts(self, key: str) -> list[str]:
        """A list of texts; an empty one where the key is missing or wrong."""
        given = self.document.data.get(key, [])
        if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
            self.complain((key,), f"{key} is {short(given)} but must be a list of texts.")
            return []
        return given

    def pairs_of(self, first: str, second: str) -> list[tuple[str, str]]:
        """Entries of two lists of the same length."""
        one, two = self.texts(first), self.texts(second)
        if len(one) != len(two) and not self.complaints:
            text = f"{first} and {second} have {len(one)} and {len(two)} entries; they must have equally many."
            self.complain((first,), text)
        return list(zip(one, two, strict=False))

    # --- joints ---

    def joint_types(self) -> None:
        """Replace joints by joints of the types listed."""
        for k, (name, word) in enumerate(self.pairs_of("joint_name", "joint_type")):
            change = _type(word)
            if change is None:
                text = f"joint {name!r} has the type {word!r}. Use SPHERICAL, FIXED or UJOINT_ with two axes, e.g. UJOINT_XY."
                self.complain(("joint_type", k), text)
            elif name not in self.robot.joints:
                text = f"the robot has no joint of this name, so that no joint becomes {word}."
                self.note("ignored", f"joint_name {name!r}", text + nearest_name(name, list(self.robot.joints)),
                          ("joint_name", k), matters=True)  # fmt: skip
            else:
                self.retype(name, word, change, ("joint_name", k))

    def retype(self, name: str, word: str, change: Callable[[Joint], Joint], path: tuple[str | int, ...]) -> None:
        """Replace one joint; its range is given up where it gets other coordinates."""
        old = self.robot.joints[name]
        if not old.axes:
            self.complain(path, f"joint {name!r} is {old.kind}; {word} must replace a joint with one axis.")
            return
        new = change(old)
        self.robot.joints[name] = new
        lost = [part for part, is_lost in (
            ("range", any(math.isfinite(axis.low) or math.isfinite(axis.high) for axis in old.axes)),
            ("spring", any(axis.stiffness for axis in old.axes) and new.kind != "ball"),
            ("dry friction", any(axis.friction for axis in old.axes)),
            ("armature", any(axis.armature for axis in old.axes)),
        ) if is_lost]  # fmt: skip
        more = f"; its {' and '.join(lost)} is omitted" if lost else ""
        kinds = {"ball": "spherical", "fixed": "fixed", "universal": "universal"}
        self.note("added", f"joint {name!r}", f"{word}: a {kinds[new.kind]} joint instead of {old.kind}{more}", path,
                  matters=any(part != "range" for part in lost))  # fmt: skip

    # --- loops ---

    def loops(self) -> None:
        """Add a closing joint for each pair of frames."""
        pairs = self.document.data.get(KEY, [])
        if not isinstance(pairs, list):
            self.complain((KEY,), f"{KEY} is {short(pairs)} but must be a list of pairs of frames.")
            return
        types = self.texts("type")
        if "type" not in self.document.data and pairs:
            self.note("approximated", "type", "not given: all loops are 6d", (KEY,), matters=True)
            types = ["6d"] * len(pairs)
        if len(types) != len(pairs) and not self.complaints:
            text = f"type and {KEY} have {len(types)} and {len(pairs)} entries; they must have equally many."
            self.complain(("type",), text)
            return
        for k, (pair, word) in enumerate(zip(pairs, types, strict=False)):
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                self.complain((KEY, k), f"loop {k + 1} is {short(pair)} but must be a pair of frames.")
            elif word.lower() not in LOOPS:
                self.complain(("type", k), f"loop {k + 1} has the type {word!r}. Use 3d or 6d.")
            else:
                self.loop(k, pair, word.lower())

    def loop(self, k: int, pair: list[str], word: str) -> None:
        """Add one closing joint."""
        spots = [_spot(self.robot, name) for name in pair]
        for name, spot in zip(pair, spots, strict=True):
            if spot is None:
                known = [*self.robot.links, *self.robot.frames, *self.robot.joints]
                text = f"loop {k + 1} names {name!r}, which is not a link, frame or joint of the robot."
                self.complain((KEY, k), text + nearest_name(name, known))
        if spots[0] is None or spots[1] is None:
            return
        (parent, on_parent), (child, on_child) = spots[0], spots[1]
        if child in fixed_group(self.robot, parent):
            self.complain(
                (KEY, k), f"loop {k + 1}: {pair[0]!r} and {pair[1]!r} are fixed to each other. Name frames that move."
            )
            return
        name = free_name(loop_name(pair, k), {*self.robot.joints, *self.robot.links, *self.robot.frames})
        line = self.document.line((KEY, k))
        self.robot.joints[name] = Joint(
            name, LOOPS[word], parent, child, on_parent, on_child, closing=True, line=line
        )  # fmt: skip
        meaning = "the frames coincide" if word == "6d" else "the origins coincide"
        self.note("added", f"loop {name!r}", f"{pair[0]!r} and {pair[1]!r} ({word}): {meaning}", (KEY, k))

    def motors(self) -> None:
        """Add an actuator for each coordinate of the joints listed."""
        for k, name in enumerate(self.texts("name_mot")):
            path = ("name_mot", k)
            joint = self.robot.joints.get(name)
            if joint is None:
                text = "the robot has no joint of this name, so that it has no motor."
                self.note(
                    "ignored",
                    f"name_mot {name!r}",
                    text + nearest_name(name, list(self.robot.joints)),
                    path,
                    matters=True,
                )
            elif not joint.axes:
                text = f"a {joint.kind} joint has no coordinate that a motor could drive"
                self.note("ignored", f"name_mot {name!r}", text, path, matters=True)
            elif not any(motor.joint == name for motor in self.robot.actuators.values()):
                for axis in range(len(joint.axes)):
                    label = free_name(name if not axis else f"{name}_{axis + 1}", self.robot.actuators)
                    self.robot.actuators[label] = Actuator(label, name, axis, line=self.document.line(path))
        places = {name: k for k, name in reversed(list(enumerate(self.texts("name_mot"))))}
        motors = sorted(self.robot.actuators.items(), key=lambda item: places.get(item[1].joint, len(places)))
        self.robot.actuators = dict(motors)


def loop_name(pair: Sequence[str], k: int) -> str:
    """Name of a loop: common beginning of the names of its frames, or its number."""
    start = pair[0][
        : next((i for i, two in enumerate(zip(*pair, strict=False)) if len(set(two)) > 1), min(map(len, pair)))
    ]
    ends = max(len(name) - len(start) for name in pair)
    common = start.rstrip("_-. ")
    return common if common and ends <= SUFFIX else f"loop_{k + 1}"


def _type(word: str) -> Callable[[Joint], Joint] | None:
    """Replacement of a joint that a type stands for."""
    word = word.strip().upper()
    if word == "SPHERICAL":
        return _spherical
    if word == "FIXED":
        return lambda joint: replace(joint, kind="fixed", axes=(), on_parent=_at_zero(joint), on_child=Pose())
    found = re.fullmatch(r"UJOINT_([XYZ])([XYZ])", word)
    if found is None or found[1] == found[2]:
        return None
    first, second = ("XYZ".index(letter) for letter in found.groups())
    return lambda joint: _universal(joint, first, second)


def _at_zero(joint: Joint) -> Pose:
    """Frame of the child in the parent where all coordinates are zero."""
    return joint.on_parent @ joint.moved((0.0,) * len(joint.axes)) @ joint.on_child.inverse


def _spherical(joint: Joint) -> Joint:
    ball = Axis(damping=joint.axes[0].damping, stiffness=joint.axes[0].stiffness, rest=joint.axes[0].rest)
    return replace(joint, kind="ball", axes=(), on_parent=_at_zero(joint), on_child=Pose(), ball=ball)


def _universal(joint: Joint, first: int, second: int) -> Joint:
    """Two revolute joints in series about axes of the joint's own frame."""
    one, two = AXES[first], AXES[second]
    frame = Pose(np.zeros(3), np.column_stack([two, np.cross(one, two), one]))
    axis = Axis(damping=joint.axes[0].damping)
    on_child = frame @ Pose(np.zeros(3), SWAP)
    axes = (axis,) * len(COORDINATES["universal"])
    return replace(joint, kind="universal", axes=axes, on_parent=_at_zero(joint) @ frame, on_child=on_child)
