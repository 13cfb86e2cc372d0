"""The command ``trammel``. Its subcommands live in `trammel.commands`; none imports anything heavy for its help."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from trammel import __version__
from trammel.commands import dap, example, kap, warm
from trammel.commands.common import say_error, warnings_as_sentences, with_help
from trammel.commands.kap import run as _kap
from trammel.errors import TrammelError

MAIN_HELP = """\
Trammel analyses mechanisms: bodies, joints, drivers and forces go in; motions,
reactions, efforts, energies, plots and animations come out.

Four commands to begin with:

  trammel example                     list the mechanisms that come with Trammel
  trammel example four_bar            run one: a summary, a plot, an animation
  trammel kap deck.kap                kinematics of a deck of the program KAP
  trammel dap deck.dap                dynamics or statics of a deck of the program DAP
"""
MAIN_EPILOG = """\
Where to go next: 'trammel COMMAND --help' explains each command with examples.
From Python, 'import trammel as tm; help(tm.PlanarModel)' is the place to begin,
and 'trammel example --source NAME' shows a model of your kind of mechanism.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        argv: Arguments; those of the process by default.

    Returns:
        0 if all went well, 2 for an error in what was given, 130 if interrupted.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    if "action" not in arguments:
        parser.print_help()
        return 0
    try:
        with warnings_as_sentences():
            return int(arguments.action(arguments))
    except TrammelError as error:
        return say_error(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader (head, less) has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"trammel: error: {error.filename or 'file'}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("trammel: interrupted.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = with_help(argparse.ArgumentParser, "trammel", MAIN_HELP, MAIN_EPILOG)
    parser.add_argument("--version", action="version", version=f"trammel {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    kap.add(commands).set_defaults(action=_kap)
    dap.add(commands).set_defaults(action=dap.run)
    warm.add(commands).set_defaults(action=warm.run)
    example.add(commands).set_defaults(action=example.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
