"""``pytrammel check``: look a model over."""

from __future__ import annotations

import argparse
from typing import Any

from pytrammel.cli.arguments import add_model_options, open_model, say
from pytrammel.cli.output import with_help

HELP = """\
Read a model file and look it over without running it: mistakes in the file,
whether its joints close, degrees of freedom, redundant rows, masses, scales.
"""
EPILOG = """\
examples:
  pytrammel check engine.toml
  pytrammel check engine.toml --json

exit codes: 0 nothing against it; 1 something is wrong with the mechanism; 2 the
file cannot be read.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(
        commands.add_parser, "check", HELP, EPILOG, help="look a model over: mobility, redundancy, scales"
    )
    add_model_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Check and say."""
    import warnings

    from pytrammel.errors import ModelWarning
    from pytrammel.report.model_check import Finding, check

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ModelWarning)
        model = open_model(options)
    found = check(model)
    known = " ".join(finding.sentence for finding in found.findings)
    unused = "nothing uses the parameter"
    found.findings += [
        Finding("warning", str(w.message)) for w in told if unused not in str(w.message) and str(w.message) not in known
    ]
    say(options, str(found), found.plain())
    return 0 if found.sound else 1
