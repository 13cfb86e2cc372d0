"""Robots with loops in YAML files, as in example-parallel-robots: degrees of freedom, closure, times, and differences from Pinocchio.

python bench/parallel_robots.py FOLDER             # print the table of all robots in subfolders of FOLDER
python bench/parallel_robots.py FOLDER --write     # put it into docs/robots.md
python bench/parallel_robots.py FOLDER --only wl16 # robots whose name contains this

Times are CPU times of one process with compiled kernels. The first acceleration includes assembly. The time per evaluation is the time
of a fall of LONG seconds from the closed pose, divided by the number of evaluations. Dry friction is off, which Pinocchio does not have.
Efforts in random motion and accelerations after a fall are compared, relative to 1 plus the largest one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


import pytrammel as tm
from pytrammel.io.robots.closing import close

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from pinocchio_loops import LoopsTruth, body_states, forward_error, inverse_error

MARK = ("<!-- parallel robots: python bench/parallel_robots.py FOLDER --write -->", "<!-- end of parallel robots -->")
FALL = 0.05
LONG = 1.0  # duration of the timed run [s]
HEADS = (
    "robot", "degrees of freedom", "motors", "rows", "rank", "gap [mm]", "load [s]", "first acceleration [s]", "evaluation [µs]",
    "efforts differ", "accelerations differ",
)  # fmt: skip


def cpu(began: float) -> float:
    return time.process_time() - began


def line(folder: Path) -> str:
    """One row of the table."""
    urdf, loops = next(folder.glob("*.urdf")), next(folder.glob("*.yaml"))
    drawn = close(tm.read_robot(urdf, meshes=False))
    gap = 0.0 if drawn is None else max(one.distance for one in drawn.before)
    began = time.process_time()
    model = tm.load_robot(urdf, friction=False)
    load = cpu(began)
    open_loops = [note for note in model.conversion_report if note.what == "loops" and note.kind == "approximated"]
    head = [folder.name]
    if open_loops:
        count = open_loops[0].text.split(" loop")[0]
        found = [f"{count} loops cannot close", str(len(model.motors)), "", "", f"{1e3 * gap:.4g}", f"{load:.2f}"]
        return "| " + " | ".join([*head, *found, *[""] * 4]) + " |"
    began = time.process_time()
    model.simulate(1e-9, samples=2, progress=False)
    first = cpu(began)
    began = time.process_time()
    model.simulate(1e-9, samples=2, progress=False)
    start = cpu(began)
    began = time.process_time()
    run = model.simulate(times=[0.0, LONG], progress=False)
    each = (cpu(began) - start) / run.dynamics.statistics.evaluations
    truth = LoopsTruth(urdf, loops)
    q, _ = truth.state(body_states(run, 0))
    _, rows, rank = truth.freedom(q)
    efforts, largest, _ = inverse_error(truth, model)
    accelerations, size = forward_error(truth, model, FALL)
    cells = [
        *head, str(model.mobility().dof), str(len(model.motors)), str(rows), str(rank), f"{1e3 * gap:.4g}", f"{load:.2f}", f"{first:.2f}",
        f"{1e6 * max(each, 0.0):.0f}", f"{efforts / (1.0 + largest):.0e}", f"{accelerations / (1.0 + size):.0e}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into docs/robots.md")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    import pinocchio as pin

    warnings.simplefilter("ignore")
    folders = [one for one in sorted(given.folder.iterdir()) if any(one.glob("*.urdf"))]
    out = [
        f"Compared with Pinocchio {pin.__version__}.",
        "",
        f"| {' | '.join(HEADS)} |",
        "| --- |" + " --- |" * (len(HEADS) - 1),
    ]
    line(folders[0])  # loads the kernels
    for folder in folders:
        if given.only in folder.name:
            out.append(line(folder))
            print(out[-1], file=sys.stderr, flush=True)
    text = "\n".join(out)
    if not given.write:
        print(text)
        return
    page = Path(__file__).parent.parent / "docs/robots.md"
    old = page.read_text(encoding="utf-8")
    begin, end = old.index(MARK[0]) + len(MARK[0]), old.index(MARK[1])
    page.write_text(f"{old[:begin]}\n\n{text}\n\n{old[end:]}", encoding="utf-8")


if __name__ == "__main__":
    main()
