"""Compare robots of public collections with MuJoCo and Pinocchio, and write the table of docs/robots.md.

python docs/make_robot_table.py FOLDER …           # print the table of all robots below the folders
python docs/make_robot_table.py --write FOLDER …   # put it into docs/robots.md

MJCF files are compared with MuJoCo, URDF files with Pinocchio, SDF files with MuJoCo after conversion to MJCF, in random states with
random controls: accelerations of all bodies, relative to 1 plus the largest one. Loops, ranges, contacts, dry friction and fluid are off
in both; mimicked joints of URDF files follow their leaders in both. The suite does not run this script.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

import pytrammel as tm

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from robot_compare import compare_mujoco, compare_pinocchio, model_of, smooth, take_inertias

MARK = ("<!-- robots: begin -->", "<!-- robots: end -->")
CLOSE = 1e-9
STATES = 2


@dataclass
class Row:
    """One robot of the table."""

    collection: str
    name: str
    peer: str = ""
    joints: int = 0
    loops: int = 0
    actuators: int = 0
    error: float = np.nan
    load: float = np.nan
    note: str = ""

    def line(self) -> str:
        shown = "" if np.isnan(self.error) else f"{self.error:.1e}"
        took = "" if np.isnan(self.load) else f"{self.load:.1f}"
        cells = (
            self.name,
            str(self.joints or ""),
            str(self.loops or ""),
            str(self.actuators or ""),
            shown,
            took,
            self.note,
        )
        return "| " + " | ".join(cells) + " |"


def robots(folder: Path) -> Iterator[Path]:
    """Robot files below a folder that begin with the tag of a robot and are not scenes."""
    for path in sorted([*folder.rglob("*.xml"), *folder.rglob("*.urdf"), *folder.rglob("*.sdf")]):
        text = path.read_text(encoding="utf-8", errors="replace")
        mjcf = (
            re.search(r"<mujoco\b", text)
            and re.search(r"<(joint|freejoint|include)\b", text)
            and "scene" not in path.stem
        )
        if mjcf or (path.suffix == ".urdf" and "<robot" in text) or (path.suffix == ".sdf" and "<model" in text):
            yield path


class Skipped(Exception):
    """A file that is not a robot: a part that others include, or one that the other program rejects."""


# --- MuJoCo ---


def with_mujoco(path: Path, row: Row) -> None:
    import mujoco as mj

    row.peer = f"MuJoCo {mj.__version__}"
    try:
        theirs = mj.MjModel.from_xml_path(str(path))
    except ValueError as error:
        raise Skipped(str(error)) from None
    if not theirs.nv:
        raise Skipped("nothing moves")
    began = time.process_time()
    robot = tm.read_robot(path, package_dirs=[path.parent.parent])
    robot.model(friction=False)
    row.load = time.process_time() - began
    row.joints, row.loops, row.actuators = theirs.nv, len(robot.loops) + len(robot.relations), theirs.nu
    theirs, missing = model_of(mj, path, robot)
    rounding = take_inertias(mj, theirs, robot)
    notes = [*smooth(mj, theirs), f"{missing} actuators not supported" * bool(missing)]
    notes.append(f"inertias of meshes differ by {rounding:.0e}" * (rounding > CLOSE))
    row.note = ", ".join(filter(None, notes))
    random = np.random.default_rng(11)
    row.error = max(compare_mujoco(mj, theirs, robot, random) for _ in range(STATES))


def with_conversion(path: Path, row: Row) -> None:
    began = time.process_time()
    robot = tm.read_robot(path, package_dirs=[path.parent.parent, path.parents[2]])
    robot.model(friction=False)
    load = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "robot.xml"
        tm.save_robot(robot, other)
        with_mujoco(other, row)
    row.load, row.loops = load, len(robot.loops) + len(robot.relations)
    row.note = ", ".join(filter(None, ["as MJCF", row.note]))


# --- Pinocchio ---


def with_pinocchio(path: Path, row: Row) -> None:
    import pinocchio as pin

    row.peer = f"Pinocchio {pin.__version__}"
    try:
        theirs = pin.buildModelFromUrdf(str(path))
    except ValueError:
        raise Skipped("not a URDF file for Pinocchio") from None
    if not theirs.nv:
        raise Skipped("nothing moves")
    began = time.process_time()
    robot = tm.read_robot(path, package_dirs=[path.parent.parent, path.parents[2]])
    robot.model(friction=False)
    row.load = time.process_time() - began
    row.joints, row.loops, row.actuators = theirs.nv, len(robot.loops) + len(robot.relations), theirs.nv
    row.note = "without the compensated weights of Gazebo" * any(link.lift for link in robot.links.values())
    random = np.random.default_rng(11)
    row.error = max(compare_pinocchio(pin, theirs, robot, random) for _ in range(STATES))


# --- the table ---


def row_of(path: Path, collection: Path) -> Row | None:
    row = Row(collection.name, str(path.relative_to(collection)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.ModelWarning)
            {".urdf": with_pinocchio, ".sdf": with_conversion}.get(path.suffix, with_mujoco)(path, row)
    except Skipped:
        return None
    except (tm.TrammelError, ValueError, KeyError, RuntimeError, AssertionError) as error:
        row.note = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}{repaired(path)}".replace("|", "/")
    return row


def repaired(path: Path) -> str:
    """Remark on a rejected file that loads with repair=True."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.ModelWarning)
            tm.load_robot(path, package_dirs=[path.parent.parent, path.parents[2]], repair=True)
    except (tm.TrammelError, ValueError):
        return ""
    return " … (loads with repair=True)"


def table(rows: list[Row]) -> str:
    peers = sorted({row.peer for row in rows if row.peer})
    agree = sum(row.error <= CLOSE for row in rows)
    head = f"{agree} of {len(rows)} robots agree within {CLOSE:g} ({', '.join(peers)}; pytrammel {metadata.version('pytrammel')})."
    out = [head]
    for collection in dict.fromkeys(row.collection for row in rows):
        out += ["", f"### {collection}", ""]
        out += [
            "| robot | joints | loops, couplings | actuators | largest difference | load [s] | note |",
            "| --- |" + " --- |" * 6,
        ]
        out += [row.line() for row in rows if row.collection == collection]
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/robots.md")
    parser.add_argument("--only", default="", help="robots whose path contains this")
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args()
    rows = []
    for folder in given.folders:
        for path in robots(folder):
            if given.only in str(path):
                row = row_of(path, folder)
                if row is not None:
                    rows.append(row)
                    print(row.line(), file=sys.stderr, flush=True)
    text = table(rows)
    if given.write:
        page = Path(__file__).parent / "robots.md"
        old = page.read_text(encoding="utf-8")
        begin, end = old.index(MARK[0]) + len(MARK[0]), old.index(MARK[1])
        page.write_text(f"{old[:begin]}\n{text}\n{old[end:]}", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
