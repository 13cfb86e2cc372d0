"""``pytrammel plot``: columns of a run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import add_analysis_options, add_model_options, ended, one_run, open_model, say
from pytrammel.cli.output import plot_names, with_help

HELP = """\
Run one analysis of a model file, or take a stored result, and plot quantities
of it over time or over another quantity: joint angles, coordinates, velocities,
reactions, efforts, energies. Names of points or bodies alone give their paths.
"""
EPILOG = """\
examples:
  pytrammel plot engine.toml piston.x piston.vx
  pytrammel plot engine.toml A.angle --out angle.svg --do kinematics duration=0.1
  pytrammel plot engine.toml piston.ax --over A.angle      # one quantity over another
  pytrammel plot engine.toml P                             # path of a point
  pytrammel plot engine.toml --columns            # names that can be plotted
  pytrammel plot engine_results/simulate.trammel A.angle   # a stored result
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "plot", HELP, EPILOG, help="plot quantities of a run")
    add_model_options(parser)
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="columns (default: those that the file says, or joint angles)"
    )
    add_analysis_options(parser)
    parser.add_argument("--over", metavar="NAME", help="quantity on the x axis instead of time")
    parser.add_argument("--out", metavar="FILE", help="picture to write: png, svg or pdf (default: MODEL.png)")
    parser.add_argument("--columns", action="store_true", help="list the names that can be plotted, and stop")
    return parser


def run(options: argparse.Namespace) -> int:
    """Run and plot."""
    from pytrammel._util.atomic_write import check_target
    from pytrammel.errors import ModelError

    if options.columns and (options.names or options.out or options.over):
        raise ModelError("--columns lists names and writes no picture; omit the names of columns, --over and --out.")
    model = open_model(options)
    path = Path(options.out or f"{Path(options.model).stem}.png")
    check_target(path)
    outcome = one_run(options, model)
    if outcome.result is None:
        return ended([outcome])
    if options.columns:
        names = outcome.result._table_names()
        say(options, "\n".join(names), {"columns": names})
        return 0
    plot_names(outcome.result, options.names or outcome.plots, options.over, path)
    say(options, f"plot: {path}", {"files": [str(path)], "error": outcome.error or None})
    return ended([outcome])
