"""``pytrammel optimize``: the best values of the parameters of a model file."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import (
    add_analysis_options,
    add_model_options,
    check_ending,
    chosen_analyses,
    open_model,
    say,
)
from pytrammel.cli.output import add_digits, number_writer, with_help

HELP = """\
Choose values of the parameters of a model file, within their bounds, for which a
formula over the results of an analysis is best, and write the model with them.
"""
EPILOG = """\
examples:
  pytrammel optimize engine.toml --minimize "max(abs(motor.effort))" --subject-to "range(piston.x) >= 70 mm"
  pytrammel optimize engine.toml --maximize "range(piston.x)" --do kinematics duration=0.04 --n-starts 10
  pytrammel optimize engine.toml --minimize "max(A.reaction)" --minimize "rod" --out front.csv   # a front

engine.toml is what 'pytrammel new slider_crank --out engine.toml' writes.

Parameters that have bounds in the file are varied. Several --minimize give the
front of designs none of which is better than another in all of them, as a table.

exit codes: 0 a best design was found; 1 the search did not converge, or no design
keeps all limits: the nearest one is written; 2 the file or an option is wrong.
"""
VERBS = ("kinematics", "simulate", "inverse_dynamics", "statics", "equilibrium")


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "optimize", HELP, EPILOG, help="the best values of parameters")
    add_model_options(parser)
    add_analysis_options(parser)
    parser.add_argument("--minimize", metavar="FORMULA", action="append", default=[],
                        help="what should be small; may be given often")  # fmt: skip
    parser.add_argument("--maximize", metavar="FORMULA", help="what should be large")
    parser.add_argument("--subject-to", metavar="LIMIT", action="append", default=[],
                        help='what must hold: "max(P.x) <= 0.3"; may be given often')  # fmt: skip
    parser.add_argument(
        "--variables",
        metavar="NAME",
        action="append",
        help="a parameter to vary; may be given often (default: all with bounds)",
    )
    parser.add_argument(
        "--method", metavar="NAME", default="auto", help="slsqp, trust-constr, differential_evolution, cma or nsga2"
    )
    parser.add_argument("--allow-singular", action="store_true",
                        help="count designs that pass a singular position (a change point), too")  # fmt: skip
    parser.add_argument("--n-starts", metavar="N", type=int, default=1, help="designs to begin with (default: 1)")
    parser.add_argument("--seed", metavar="K", type=int, default=0, help="of what is drawn by chance (default: 0)")
    parser.add_argument(
        "--out", metavar="FILE", help="model to write (default: MODEL_best.toml), or table of a front (MODEL_front.csv)"
    )
    add_digits(parser, "the table of a front")
    return parser


def run(options: argparse.Namespace) -> int:
    """Search, write, tell."""
    from pytrammel._util.atomic_write import check_target
    from pytrammel.analysis.analysis import Analysis
    from pytrammel.design.optimization.optimize import optimize
    from pytrammel.errors import ConvergenceError, ModelError
    from pytrammel.io.models.analyses import ready_options
    from pytrammel.io.models.formats import ENDINGS

    model = open_model(options)
    chosen = {name: given for name, given in chosen_analyses(options, model).items() if given["type"] in VERBS}
    if not chosen:
        raise ModelError("an optimisation needs an analysis; name one: --do kinematics duration=1")
    given = next(iter(chosen.values()))
    goals = options.minimize
    if options.digits and len(goals) < 2:
        raise ModelError(
            "--digits is for the table of a front. Remove it, or use --minimize for two objectives or more."
        )
    stem = Path(options.model).stem
    target = Path(options.out or (f"{stem}_front.csv" if len(goals) > 1 else f"{stem}_best.toml"))
    check_target(target)
    check_ending(target, *(("a front", (".csv",)) if len(goals) > 1 else ("the best model", tuple(ENDINGS))))
    code = 0
    try:
        found = optimize(
            model, minimize=(goals if len(goals) > 1 else goals[0]) if goals else None, maximize=options.maximize,
            subject_to=options.subject_to, analysis=Analysis(given["type"], **ready_options(model, given)),
            variables=options.variables, method=options.method,
            n_starts=options.n_starts, seed=options.seed, allow_singular=options.allow_singular, progress=not options.quiet,
        )  # fmt: skip
    except ConvergenceError as error:
        if error.partial is None:
            raise
        found, code = error.partial, 1
    if len(goals) > 1:
        path = write_front(found, target, options.digits)
        say(options, f"{found}\ntable: {path}", {"designs": len(found), "file": str(path)})
        return 0
    path = found.model.save(target)
    said = {"objective": found.objective, "before": found.before if math.isfinite(found.before) else None, "values": dict(found.values),
            "converged": found.converged, "active": list(found.active), "file": str(path)}  # fmt: skip
    say(options, f"{found}\nmodel: {path}", said)
    return code if found.converged else 1


def write_front(front: Any, path: Path, digits: int | None = None) -> Path:
    """One line per design: objectives, then parameters."""
    import csv
    import io

    from pytrammel._util.atomic_write import write_whole

    number = number_writer(digits)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*front.texts, *front.values])
    for k in range(len(front)):
        writer.writerow(
            [*(number(float(x)) for x in front.objectives[k]), *(number(float(x[k])) for x in front.values.values())]
        )
    return write_whole(path, text.getvalue())
