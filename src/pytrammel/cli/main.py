"""The command ``pytrammel``. Its subcommands live in `pytrammel.cli.commands`; none imports anything heavy for its help."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from pytrammel import __version__
from pytrammel.cli import commands
from pytrammel.cli.arguments import names_before_do
from pytrammel.cli.output import say_error, visible_controls, warnings_as_sentences, with_help
from pytrammel.cli.prompts import Terminated
from pytrammel.errors import TrammelError

MAIN_HELP = """\
Trammel analyses mechanisms: bodies, joints, drivers and forces go in; motions,
reactions, efforts, energies, plots and animations come out.

Commands to begin with:

  pytrammel new four_bar                begin a model file from a template
  pytrammel check four_bar.toml         look it over: mobility, redundancy, scales
  pytrammel run four_bar.toml           do its analyses: results, pictures, report
  pytrammel example four_bar            run a bundled example
  pytrammel kap deck.kap                kinematics of a deck of the program KAP
  pytrammel dap deck.dap                dynamics or statics of a deck of the program DAP
"""
MAIN_EPILOG = """\
Where to go next: 'pytrammel COMMAND --help' explains each command with examples.
From Python, 'import pytrammel as tm; help(tm.PlanarModel)' is the place to begin,
and 'pytrammel example --source NAME' shows a model of your kind of mechanism.

exit codes: 0 all went well; 1 an analysis stopped early or a check found an
error, what was computed is written; 2 something given is wrong; 130 interrupted
by Ctrl-C, what was computed is written.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        argv: Arguments; those of the process by default.

    Returns:
        0 if all went well, 1 if an analysis stopped early, 2 for an error in what was given, 130 if interrupted.
    """
    with visible_controls():
        return _run(sys.argv[1:] if argv is None else argv)


def _run(argv: Sequence[str]) -> int:
    parser = _parser()
    arguments, unknown = parser.parse_known_args(names_before_do(argv))
    if unknown:
        _reject(unknown, getattr(arguments, "own_parser", parser))
    if "action" not in arguments:
        parser.print_help()
        return 0
    try:
        with warnings_as_sentences():
            return int(arguments.action(arguments))
    except Terminated:
        print("pytrammel: terminated; nothing was computed.", file=sys.stderr)
        return 0
    except TrammelError as error:
        return say_error(error)
    except OSError as error:
        if is_pipe_closed(error):  # the reader (head, less) has seen enough
            with contextlib.suppress(OSError, AttributeError):  # a stream without a file
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"pytrammel: error: {error.filename or 'file'}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("pytrammel: interrupted.", file=sys.stderr)
        return 130


def is_pipe_closed(error: OSError) -> bool:
    """Return True if the reader of standard output has gone; Windows reports an invalid argument."""
    windows = sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or windows


def command_modules() -> list[Any]:
    """Return the modules of `pytrammel.cli.commands` in alphabetical order: a file there is a command."""
    names = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))
    return [importlib.import_module(f"{commands.__name__}.{name}") for name in names]


def _parser() -> argparse.ArgumentParser:
    parser = with_help(argparse.ArgumentParser, "pytrammel", MAIN_HELP, MAIN_EPILOG)
    parser.add_argument("--version", action="version", version=f"pytrammel {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in command_modules():
        own = command.add(subparsers)
        own.set_defaults(action=command.run, own_parser=own)
    return parser


def _reject(unknown: Sequence[str], parser: argparse.ArgumentParser) -> NoReturn:
    """End with the usage of the command that was called and the nearest option."""
    from pytrammel._util.messages import nearest

    known = [word for action in parser._actions for word in action.option_strings]
    near = nearest(unknown[0].partition("=")[0], known)
    remedy = f"Did you mean {near}?" if near else f"Use '{parser.prog} --help' for its arguments."
    parser.error(f"unrecognized arguments: {' '.join(unknown)}. {remedy}")


if __name__ == "__main__":
    sys.exit(main())
