"""Write docs/speed.md: what things cost, beside other codes, and where the time goes. Run on a quiet machine.

    python docs/make_speed_page.py            # measures ours anew; what others need is in docs/work_precision.json
    python docs/make_speed_page.py --cold     # cold starts, too

`docs/work_precision.json` holds whole integrations of ours and of other codes, measured in one run on one machine: problem, code, setting,
CPU milliseconds, error.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
BENCH = DOCS.parent / "bench"
PROBLEMS = {
    "slider_crank": "slider-crank, 10 s", "four_bar": "four-bar, 10 s", "andrews": "Andrews, 0.03 s", "bricard": "Bricard, 10 s",
    "n_four_bar10": "ten four-bars in a row, 10 s", "n_four_bar40": "forty four-bars in a row, 10 s", "chain10": "chain of 10 in space",
    "chain100": "chain of 100", "chain1000": "chain of 1000", "hexapod": "six-legged robot", "governor": "flyball governor (stiff)",
}  # fmt: skip
COLOURS = {"Trammel": "#1f6fb4", "Pinocchio": "#c9541a", "MuJoCo": "#3f8f3f"}

TEXT = """# Speed

What users wait for, in CPU time of one thread, best of several. `make bench` prints these figures beside their aims; this page is written
by `python docs/make_speed_page.py` (on a 2-core virtual machine, so that ratios say more than figures).

## Figures and aims

{figures}

Where an aim is missed the table says so. Figures of other codes are bare calls from Python of Pinocchio 4.1, MuJoCo 3.17 and pylinkage in
the same run: without an integrator, the least that they can need.

## Time at equal accuracy

![CPU time against error for eleven machines, Trammel, Pinocchio with SciPy's DOP853 or RK4, and MuJoCo](images/work_precision.png)

Whole integrations, CPU milliseconds, the fastest setting of each code that reaches the error:

{equal}

Pinocchio is its C++ call inside SciPy's DOP853 or LSODA or a Runge–Kutta loop in Python, loops held by Baumgarte's terms; MuJoCo its own
integrators with stiff constraints. What is not reached within the settings tried is a dash.
Of the chain of 1000, Pinocchio's data would take some 60 GB, and one Runge–Kutta step of MuJoCo takes 0.23 s, two thirds of our
whole run. The six-legged robot is `python bench/robots.py hexapod`.

## Where the time goes

One evaluation of the equations in body coordinates, part by part, in µs (`python bench/profile.py`):

{profile}

For whoever makes it faster:

* In small loops nothing dominates: factors and the solution take a quarter each, the rest a little. Rates written out for one model
  (`m.prepare()`, or by themselves after half a million evaluations) do the same operations without tables and loops; projection onto
  the constraints, interpolation and what is around the steps are what is left.
* For trees and long chains the factors do: joint coordinates (`formulation="joint"`) need none, and a fifth of the time.
* A run costs a few milliseconds around its steps: assembling, counting freedoms, checks of the result. In redundant models in space
  (Bricard) this is half of a short run.
* Inside a run an evaluation costs what it costs alone; `python bench/shares.py` shows what each method takes around it.
* Kinematics takes two evaluations and one factorisation an instant where instants are close.
"""


def measured(script: str, *options: str) -> Any:
    """What a benchmark prints as JSON."""
    done = subprocess.run(
        [sys.executable, BENCH / script, "--json", *options], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def three(value: float) -> str:
    """Three digits, without exponents where a person would not write them; a dash for what there is not."""
    if math.isnan(value):
        return "–"
    return f"{value:.1e}" if 0.0 < abs(value) < 1e-3 else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def figures(cold: bool) -> str:
    rows = [
        [f["what"], f"{three(f['measured'])} {f['unit']}", three(f["aim"]) + (" (missed)" if f["measured"] > f["aim"] else ""), f["others"]]
        for f in measured("aims.py", *(["--cold"] if cold else []))
    ]  # fmt: skip
    return table(["", "now", "aim", "others"], rows)


def profile() -> str:
    found = measured("profile.py")
    parts = next(iter(found.values()))
    return table(["", *found], [[what, *(three(machine[what]) for machine in found.values())] for what in parts])


def fastest(runs: list[dict[str, Any]], problem: str, code: str, error: float) -> float:
    """Least time of a code at an error, or infinity."""
    reached = [r["ms"] for r in runs if r["problem"] == problem and r["code"] == code and r["error"] <= error]
    return min(reached, default=math.inf)


def equal_accuracy(runs: list[dict[str, Any]]) -> str:
    rows = []
    for problem, name in PROBLEMS.items():
        cells = [name]
        for error in (1e-6, 1e-9):
            times = {code: fastest(runs, problem, code, error) for code in COLOURS}
            other = min(times["Pinocchio"], times["MuJoCo"])
            cells += ["–" if math.isinf(t) else three(t) for t in times.values()]
            cells.append(
                "–" if math.isinf(other) or math.isinf(times["Trammel"]) else f"{other / times['Trammel']:.0f}"
            )
        rows.append(cells)
    head = [f"{what} {level}" for level in ("≤ 1e-6", "≤ 1e-9") for what in (*COLOURS, "ratio")]
    return table(["", *head], rows)


def picture(runs: list[dict[str, Any]]) -> None:
    """Work against precision, one panel for each machine."""
    figure, axes = plt.subplots(3, 4, figsize=(13, 9.3), constrained_layout=True)
    for ax, (problem, name) in zip(axes.flat, PROBLEMS.items(), strict=False):
        for code, colour in COLOURS.items():
            own = [r for r in runs if r["problem"] == problem and r["code"] == code and 1e-13 < r["error"] < 1e-2]
            front = [r for r in own if not any(s["error"] <= r["error"] and s["ms"] < r["ms"] for s in own)]
            front.sort(key=lambda r: r["error"])
            ax.loglog(
                [r["error"] for r in front], [r["ms"] for r in front], "o-", color=colour, label=code, markersize=4
            )
        ax.set_title(name, fontsize=10)
        ax.invert_xaxis()
        ax.grid(alpha=0.3)
    axes[2, 0].set_xlabel("error")
    axes[2, 0].set_ylabel("CPU time [ms]")
    axes.flat[-1].axis("off")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    axes.flat[-1].legend(handles, labels, loc="center left", frameon=False, title="best settings of each code")
    figure.savefig(DOCS / "images" / "work_precision.png", dpi=110)


def main() -> None:
    runs = json.loads((DOCS / "work_precision.json").read_text(encoding="utf-8"))
    picture(runs)
    page = TEXT.format(figures=figures("--cold" in sys.argv), equal=equal_accuracy(runs), profile=profile())
    (DOCS / "speed.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
