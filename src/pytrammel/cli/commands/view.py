"""``pytrammel view``: see a mechanism."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import (
    add_analysis_options,
    add_model_options,
    add_theme_option,
    check_ending,
    ended,
    one_run,
    open_model,
    say,
    show,
)
from pytrammel.cli.output import count, with_help

HELP = """\
Draw the mechanism of a model file, or play its motion if the file says of an
analysis that moves it. The page opens in the browser and needs nothing else.
"""
EPILOG = """\
examples:
  pytrammel view engine.toml
  pytrammel view engine.toml --out engine.png           # a drawing
  pytrammel view engine.toml --out engine.gif           # a film
  pytrammel view engine.toml --stages 6                 # stages of the motion in one picture
  pytrammel view engine_results/simulate.trammel        # a stored result
  pytrammel view engine_results/simulate.trammel --out start.png  # its first position
"""
PICTURES = (".png", ".svg", ".pdf")


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "view", HELP, EPILOG, help="draw a mechanism or play its motion")
    add_model_options(parser)
    add_analysis_options(parser)
    parser.add_argument(
        "--out", metavar="FILE", help="html, gif, mp4, or png, svg, pdf for a drawing (default: MODEL.html or .png)"
    )
    parser.add_argument(
        "--stages", type=count, metavar="N", help="draw N stages of the motion in one picture, evenly spread in time"
    )
    add_theme_option(parser)
    parser.add_argument("--no-open", action="store_true", help="do not open it in the browser")
    return parser


def run(options: argparse.Namespace) -> int:
    """Draw or play."""
    from pytrammel._util.atomic_write import check_target
    from pytrammel.errors import ModelError
    from pytrammel.view.scene.still import still
    from pytrammel.view.stills.film import FILMS, PAGES, SCENES

    model = open_model(options)
    is_stored = Path(options.model).suffix.lower() == ".trammel"
    moves = bool(options.do or options.analysis or model.analyses or is_stored)
    path = Path(options.out or f"{Path(options.model).stem}{'.html' if moves and not options.stages else '.png'}")
    check_ending(path, "a view", (*PAGES, *FILMS, *SCENES, *PICTURES))
    check_target(path)
    outcomes = []
    picture = path.suffix.lower() in PICTURES
    if options.stages and not picture:
        raise ModelError(
            f"--stages draws a picture, but {str(path)!r} is a film. Use a name with {', '.join(PICTURES)}."
        )
    if picture and not (options.do or options.analysis or options.stages or is_stored):
        still(model).draw(path=path, theme=options.theme)
    else:
        outcome = one_run(options, model)
        outcomes.append(outcome)
        result = still(model) if outcome.result is None else outcome.result
        if options.stages:
            result.draw_stages(options.stages, traces=outcome.traces, path=path, theme=options.theme)
        elif picture:
            result.draw(path=path, traces=outcome.traces, theme=options.theme)
        else:
            result.animate(path, traces=outcome.traces, theme=options.theme)
    say(
        options, f"written: {path}", {"files": [str(path)], "error": next((o.error for o in outcomes if o.error), None)}
    )
    show(path, options)
    return ended(outcomes)
