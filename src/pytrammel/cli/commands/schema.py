"""``pytrammel schema``: JSON Schema of model files."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pytrammel.cli.output import with_help

HELP = """\
Print the JSON Schema of model files, made from the list of joints, forces and
analyses; editors use it to complete and to explain.
"""
EPILOG = """\
examples:
  pytrammel schema > pytrammel.schema.json
  # then, as the first line of a TOML file:   #:schema ./pytrammel.schema.json
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "schema", HELP, EPILOG, help="JSON Schema of model files, for editors")
    parser.add_argument("--out", metavar="FILE", help="write it to a file instead")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print or write it."""
    import json

    from pytrammel._util.atomic_write import write_whole
    from pytrammel.io.models.schema import schema

    text = json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    if options.out:
        write_whole(options.out, text)
    else:
        sys.stdout.write(text)
    return 0
