"""``pytrammel run``: the whole job of a model file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import (
    add_analysis_options,
    add_model_options,
    chosen_analyses,
    ended,
    open_model,
    results_folder,
    say,
)
from pytrammel.cli.output import add_digits, with_help

HELP = """\
Do every analysis of a model file: print a summary of each, and write results
(CSV, JSON, and .trammel with everything in it), plots, animations and a report
into a folder. A simulation streams to its .trammel file while it goes on.
"""
EPILOG = """\
examples:
  pytrammel run engine.toml
  pytrammel run engine.toml --set rod=0.2 --out long_rod
  pytrammel run engine.toml --do simulate "duration=2 s" samples=401
  pytrammel run engine.toml --no-pictures --json
  pytrammel run engine.toml --resume      # after a crash, kill or Ctrl-C

exit codes: 0 all went well; 1 an analysis stopped early, what it had computed is
written; 2 the file or an option is wrong; 130 interrupted by Ctrl-C, what was
computed is written.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "run", HELP, EPILOG, help="do the analyses of a model file")
    add_model_options(parser)
    add_analysis_options(parser, default="all")
    parser.add_argument("--out", metavar="DIR", help="folder for what comes out (default: MODEL_results beside you)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on where a run before was cut off, with the same numbers as if it had not been",
    )
    parser.add_argument("--no-pictures", action="store_true", help="no plots, animations and report")
    add_digits(parser, "tables (CSV)")
    return parser


def run(options: argparse.Namespace) -> int:
    """Analyse, write, report."""
    from pytrammel._util.atomic_write import write_whole
    from pytrammel.io.models.job import analyse, check_job, note_job, write_outcome
    from pytrammel.io.results.run_reading import make_way
    from pytrammel.report.model_check import check
    from pytrammel.report.page import report_page

    model = open_model(options)
    jobs = chosen_analyses(options, model)
    folder = Path(options.out or f"{Path(options.model).stem}_results")
    if options.resume:
        check_job(model, jobs, folder)
    else:
        for name in jobs:
            make_way(folder / f"{name}.trammel")
    results_folder(folder)
    note_job(model, jobs, folder)
    outcomes = []
    for name, given in jobs.items():
        store = folder / f"{name}.trammel"
        outcome = analyse(model, name, given, progress=not options.quiet, store=store, resume=options.resume)
        write_outcome(model, outcome, folder, pictures=not options.no_pictures, digits=options.digits)
        outcomes.append(outcome)
        if not options.json:
            say(options, f"{name}\n{outcome.summary}\n", None)
        if outcome.interrupted:
            break
    written = [path for outcome in outcomes for path in outcome.files]
    summary = "\n\n".join(f"{o.name}\n{o.summary}" + (f"\nstopped: {o.error}" if o.error else "") for o in outcomes)
    written.append(write_whole(folder / "summary.txt", summary + "\n"))
    if not options.no_pictures:
        written.append(write_whole(folder / "report.html", report_page(model, outcomes, check(model))))
    data = {
        "model": model.name,
        "folder": str(folder),
        "files": [str(p) for p in written],
        "analyses": [o.plain() for o in outcomes],
    }
    say(options, f"written to {folder}: {', '.join(path.name for path in written)}", data)
    return ended(outcomes)
