"""The command ``trammel``. Everything heavy is imported by the subcommand that needs it, so that help is instant."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trammel import __version__
from trammel.errors import TrammelError

if TYPE_CHECKING:
    from trammel.files.kap_deck import KapDeck
    from trammel.results.result import Result

MAIN_HELP = """\
Trammel analyses mechanisms: bodies, joints and drivers go in; positions,
velocities, accelerations, plots and animations come out.

Three commands to begin with:

  trammel example                     list the mechanisms that come with Trammel
  trammel example four_bar            run one: a summary, a plot, an animation
  trammel kap deck.kap                analyse a deck of the program KAP
"""
MAIN_EPILOG = """\
Where to go next: 'trammel COMMAND --help' explains each command with examples.
From Python, 'import trammel as tm; help(tm.PlanarModel)' is the place to begin,
and 'trammel example --source NAME' shows a model of your kind of mechanism.
"""
KAP_HELP = """\
Analyse a deck of KAP, the kinematic analysis program of Nikravesh (1988),
and print KAP's report. Notes on what KAP itself would have done follow on
standard error.

A deck holds numbers in free format, each record beginning on a new line:

  NB, NR, NT, NG, NS, ND, NP                 counts
  x, y, phi                                  estimate of each of NB bodies
  i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j     each of NR revolute joints
  i, j, P_i, Q_i, P_j (two numbers each)     each of NT translational joints
  body                                       each of NG grounded bodies
  body, dir                                  each of NS simple constraints
  body, dir, pos0, vel0, acc                 each of ND drivers
  body, xi, eta                              each of NP points of interest
  T0, TE, DT                                 first and last time, step

dir is 1 for x, 2 for y, 3 for phi. Text after ! or # is a comment.
"""
KAP_EPILOG = """\
examples:
  trammel kap four_bar.kap
  trammel kap four_bar.kap --animate four_bar.html --plot four_bar.png
  trammel kap four_bar.kap --quiet --json - | python -m json.tool
  trammel kap mine.kap --degrees --level 1 --echo
  trammel example --source kap_four_bar > four_bar.kap      # a deck to start from

The report is rounded to three decimals as KAP's was; --json and --csv give
every number in full, angles in radians, lengths in the deck's own unit.
"""
WARM_HELP = """\
Compile all kernels for this machine now, so that nobody has to wait later.
It takes about half a minute once; afterwards every command starts at once.
"""
WARM_EPILOG = """\
example:
  trammel warm

Compiled kernels are kept in your cache folder; set TRAMMEL_CACHE_DIR to use
another one (for instance a shared one on a cluster).
"""
EXAMPLE_HELP = """\
Run one of the mechanisms that come with Trammel and write a plot and an
animation of it. Without a name, list them.
"""
EXAMPLE_EPILOG = """\
examples:
  trammel example
  trammel example four_bar
  trammel example geneva --out pictures --no-open
  trammel example --source slider_crank > my_model.py
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
        return int(arguments.action(arguments))
    except TrammelError as error:
        return _say_error(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader (head, less) has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"trammel: error: {error.filename or 'file'}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("trammel: interrupted.", file=sys.stderr)
        return 130


def _say_error(error: TrammelError) -> int:
    print(f"trammel: error: {error}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = _with_help(argparse.ArgumentParser, "trammel", MAIN_HELP, MAIN_EPILOG)
    parser.add_argument("--version", action="version", version=f"trammel {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    kap = _with_help(commands.add_parser, "kap", KAP_HELP, KAP_EPILOG, help="analyse a KAP deck")
    kap.add_argument("deck", metavar="DECK", help="file to read; - reads standard input")
    kap.add_argument("--json", metavar="FILE", help="write the results as JSON; - writes to standard output")
    kap.add_argument("--csv", metavar="FILE", help="write the results as a table")
    kap.add_argument("--plot", metavar="FILE.png", help="plot the joint angles and distances (png, svg or pdf)")
    kap.add_argument("--animate", metavar="FILE.html", help="write an animation that plays in any browser")
    kap.add_argument("--degrees", action="store_true", help="angles in the deck and in the report are in degrees")
    kap.add_argument("--level", type=int, choices=(1, 2, 3), default=3, metavar="N",
                     help="1 positions, 2 also velocities, 3 also accelerations (default)")  # fmt: skip
    kap.add_argument("--echo", action="store_true", help="say in words what was read")
    kap.add_argument("--quiet", action="store_true", help="print neither report nor notes")
    kap.add_argument("--save-deck", metavar="FILE", help="write the deck again, tidy, with a comment on each record")
    kap.set_defaults(action=_kap)

    warm = _with_help(commands.add_parser, "warm", WARM_HELP, WARM_EPILOG, help="compile everything now")
    warm.set_defaults(action=_warm)

    example = _with_help(commands.add_parser, "example", EXAMPLE_HELP, EXAMPLE_EPILOG, help="run a bundled example")
    example.add_argument("name", metavar="NAME", nargs="?", help="which one; leave it out for the list")
    example.add_argument("--out", metavar="DIR", default="out", help="folder for the pictures (default: ./out)")
    example.add_argument("--no-open", action="store_true", help="do not show the animation in the browser")
    example.add_argument("--source", action="store_true", help="print the example's source instead of running it")
    example.set_defaults(action=_example)
    return parser


def _with_help(make: Any, name: str, description: str, epilog: str, **options: str) -> argparse.ArgumentParser:
    first = {"prog": name} if make is argparse.ArgumentParser else {"name": name}
    layout = argparse.RawDescriptionHelpFormatter
    parser: argparse.ArgumentParser = make(
        **first, description=description, epilog=epilog, formatter_class=layout, **options
    )
    return parser


# --- trammel kap -----------------------------------------------------------------------------------------------------


def _kap(options: argparse.Namespace) -> int:
    from trammel.files.kap_deck import read_kap
    from trammel.files.kap_report import deck_text, in_words

    if options.deck == "-":
        # an ending newline marks a text of one line as a text, not a path
        deck = read_kap(sys.stdin.read() + "\n", degrees=options.degrees, name="standard input")
    else:
        deck = read_kap(Path(options.deck), degrees=options.degrees)
    if options.echo:
        print(in_words(deck))
    if options.save_deck:
        Path(options.save_deck).write_text(deck_text(deck), encoding="utf-8")
    try:
        result = deck.run(level=options.level, progress=not options.quiet)
    except TrammelError as error:
        if error.partial is not None and len(error.partial):
            _kap_output(options, deck, error.partial, str(error))
        code = _say_error(error)
        if not options.quiet:
            _kap_notes(deck, error.partial)
        return code
    _kap_output(options, deck, result, None)
    if not options.quiet:
        _kap_notes(deck, result)
    return 0


def _kap_output(options: argparse.Namespace, deck: KapDeck, result: Result, error: str | None) -> None:
    """The report and the files that were asked for; also of a run that stopped early."""
    from trammel.files.kap_report import report

    if not options.quiet:
        print(report(deck, result, options.level, deck.degrees), flush=True)
    if options.json:
        _write_json(options.json, deck, result, error)
    if options.csv:
        result.to_csv(options.csv)
    if options.plot:
        _write_plot(result, (), Path(options.plot))
    if options.animate:
        result.animate(options.animate)


def _write_json(target: str, deck: KapDeck, result: Result, error: str | None) -> None:
    import json

    from trammel.files.result_json import result_json

    text = json.dumps(result_json(deck, result, error=error), allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")


def _write_plot(result: Result, names: Sequence[str], path: Path) -> None:
    try:
        result.plot(*names, path=path)
    except ImportError:
        raise TrammelError("plots need matplotlib: pip install 'trammel[view]'.") from None
    except ValueError as error:  # matplotlib knows by the suffix what to write
        raise TrammelError(f"the plot cannot be written to {str(path)!r}: {error}.") from None


def _kap_notes(deck: KapDeck, result: Result | None) -> None:
    from trammel.files.kap_quirks import compatibility_notes

    sys.stdout.flush()
    notes = compatibility_notes(deck, result)
    if notes:
        print("Compared with KAP:", *(f"  {note}" for note in notes), sep="\n", file=sys.stderr)


# --- trammel warm ----------------------------------------------------------------------------------------------------


def _warm(options: argparse.Namespace) -> int:
    import importlib

    from trammel.kernels import jit
    from trammel.kernels.primitives import primitives
    from trammel.progress import Progress

    primitives()
    for name in ("assembly", "kinematics", "measures"):
        importlib.import_module(f"trammel.kernels.{name}")
    if not jit.HAVE_JIT:
        print("Numba is missing or disabled: there is nothing to compile, Trammel runs its kernels in plain Python.")
        return 0
    kernels = jit.all_kernels()
    cold = [kernel for kernel in kernels if not kernel.is_cached()]
    if cold:
        print(f"Compiling {len(cold)} of {len(kernels)} kernels for this machine ...", flush=True)
    started = time.perf_counter()
    with Progress("compiling") as bar:
        for done, kernel in enumerate(cold):
            bar.update(done / len(cold), f"{done + 1}/{len(cold)} {kernel.name}")
            kernel.compile()
    if cold:
        print(f"Done in {time.perf_counter() - started:.1f} s.")
    else:
        print(f"All {len(kernels)} kernels were ready; nothing to compile.")
    print(f"They are kept in {jit.CACHE_FOLDER}.")
    return 0


# --- trammel example -------------------------------------------------------------------------------------------------


def _example(options: argparse.Namespace) -> int:
    from trammel.examples import catalogue, find

    if options.name is None:
        print("Examples that come with Trammel; run one with 'trammel example NAME':\n")
        for name, description in catalogue().items():
            print(f"  {name:<18} {description}")
        return 0
    example = find(options.name)
    if options.source:
        sys.stdout.write(example.source())
        return 0
    result = example.run()
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    plot, animation = folder / f"{example.name}.png", folder / f"{example.name}.html"
    print(result.summary())
    result.animate(animation, traces=example.traces)
    print(f"animation: {animation}")
    _write_plot(result, example.plots, plot)
    print(f"plot:      {plot}")
    if not options.no_open and sys.stdout.isatty() and _has_display():
        import webbrowser

        webbrowser.open(animation.resolve().as_uri())
    return 0


def _has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
