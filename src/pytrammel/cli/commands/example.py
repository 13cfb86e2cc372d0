"""``pytrammel example``: run a bundled example."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pytrammel._util.atomic_write import check_target
from pytrammel.cli.arguments import results_folder
from pytrammel.cli.output import with_help
from pytrammel.errors import ModelError

HELP = """\
Draw one of the mechanisms that come with Trammel, run it, and write a plot
and an animation of it. Without a name, list them.
"""
EPILOG = """\
examples:
  pytrammel example
  pytrammel example four_bar --open
  pytrammel example geneva --out pictures
  pytrammel example --source slider_crank > my_model.py
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "example", HELP, EPILOG, help="run a bundled example")
    parser.add_argument("name", metavar="NAME", nargs="?", help="which one; leave it out for the list")
    parser.add_argument("--out", metavar="DIR", help="folder for the pictures (default: ./out)")
    parser.add_argument("--open", action="store_true", help="show the animation in the browser")
    parser.add_argument("--source", action="store_true", help="print the example's source instead of running it")
    return parser


def run(options: argparse.Namespace) -> int:
    """List the examples, print the source of one, or run it."""
    from pytrammel.examples import catalogue, find

    if (options.name is None or options.source) and (options.out or options.open):
        what = "--source prints a text" if options.source else "without a name the examples are listed"
        raise ModelError(f"{what}, and makes no pictures; leave out --out and --open.")
    if options.name is None and options.source:
        raise ModelError("--source needs the name of an example; 'pytrammel example' lists them.")
    if options.name is None:
        print("Examples that come with Trammel; run one with 'pytrammel example NAME':\n")
        for name, description in catalogue().items():
            print(f"  {name:<21} {description}")
        return 0
    example = find(options.name)
    if options.source:
        sys.stdout.write(example.source())
        return 0
    folder = results_folder(options.out or "out")
    plot, animation = folder / f"{example.name}.png", folder / f"{example.name}.html"
    drawing = folder / f"{example.name}_drawing.png"
    for target in (drawing, plot, animation):
        check_target(target)
    # the drawing needs nothing compiled: on a new machine it is there at once, while the run has to wait for the compiler
    example.build().draw(path=drawing)
    print(f"drawing:   {drawing}", flush=True)
    result = example.run()
    result.animate(animation, traces=example.traces)
    print(f"animation: {animation}", flush=True)
    result.plot(*example.plots, path=plot)
    print(f"plot:      {plot}")
    print(result.summary())
    if options.open:
        import webbrowser

        if not webbrowser.open(animation.resolve().as_uri()):
            print(f"no browser was found; open {animation} in one", file=sys.stderr)
    return 0
