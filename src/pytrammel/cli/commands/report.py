"""``pytrammel report``: one page about a model and its analyses."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import (
    add_analysis_options,
    add_model_options,
    add_theme_option,
    check_ending,
    chosen_analyses,
    ended,
    open_model,
    say,
    show,
    stored,
)
from pytrammel.cli.output import with_help

HELP = """\
Do the analyses of a model file and write one HTML page about it that needs
nothing else: diagram, tables, check, plots, animation. Of a stored result
(.trammel) the page shows that.
"""
EPILOG = """\
examples:
  pytrammel report engine.toml
  pytrammel report engine.toml --out engine_report.html --no-open

exit codes as of 'pytrammel run'.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(
        commands.add_parser, "report", HELP, EPILOG, help="one HTML page: diagram, tables, plots, animation"
    )
    add_model_options(parser)
    add_analysis_options(parser, default="all")
    parser.add_argument("--out", metavar="FILE.html", help="page to write (default: MODEL_report.html)")
    add_theme_option(parser)
    parser.add_argument("--no-open", action="store_true", help="do not open it in the browser")
    return parser


def run(options: argparse.Namespace) -> int:
    """Analyse and write the page."""
    from pytrammel._util.atomic_write import check_target, write_whole
    from pytrammel.io.models.job import analyse
    from pytrammel.report.model_check import check
    from pytrammel.report.page import report_page

    model = open_model(options)
    path = Path(options.out or f"{Path(options.model).stem}_report.html")
    check_target(path)
    check_ending(path, "a report", (".html", ".htm"))
    known = stored(options)
    asked = known is None and (options.do or options.analysis or model.analyses)
    jobs = chosen_analyses(options, model) if asked else {}
    outcomes = [] if known is None else [known]
    for name, given in jobs.items():
        outcomes.append(analyse(model, name, given, progress=not options.quiet))
        if outcomes[-1].interrupted:
            break
    write_whole(path, report_page(model, outcomes, check(model), theme=options.theme))
    data = {"files": [str(path)], "analyses": [outcome.plain() for outcome in outcomes]}
    say(options, f"report: {path}", data)
    show(path, options)
    return ended(outcomes)
