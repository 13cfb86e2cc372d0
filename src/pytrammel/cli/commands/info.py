"""``pytrammel info``: what a model file holds."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pytrammel.cli.arguments import add_model_options, open_model, say, stored
from pytrammel.cli.output import with_help

if TYPE_CHECKING:
    from pytrammel.results.result import Result

HELP = """\
Say what a model file holds: bodies, joints, forces, points, parameters and
analyses, without computing anything; of a stored result (.trammel) also how
far it goes.
"""
EPILOG = """\
examples:
  pytrammel info engine.toml
  pytrammel info deck.kap --json
  pytrammel info engine_results/simulate.trammel
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "info", HELP, EPILOG, help="say what a model file holds")
    add_model_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Read and say."""
    from pytrammel.io.models.words import kind_of

    model = open_model(options)
    result = stored(options)
    lines = [str(model)] if result is None else [str(result.found), str(model)]
    told = [str(note) for note in model.conversion_report or () if note.kind in ("added", "moved") or note.matters]
    lines += [f"  {note}" for note in told]
    lines += [f"  motors: {', '.join(model.motors)}"] if model.motors else []
    for name, job in model.analyses.items():
        what = ", ".join(f"{key} = {value}" for key, value in job.items() if key != "type" and len(str(value)) < 60)
        lines.append(f"  analysis {name}: {job['type']}" + (f" with {what}" if what else ""))
    data = {
        "model": kind_of(model), "name": model.name, "display_unit": model.display_unit, "gravity": list(model.gravity),
        "bodies": list(model.bodies)[1:], "points": list(model.points), "phases": list(model.phases),
        "constraints": {c.name: c.kind for c in model.constraints.values()},
        "forces": {f.name: f.kind for f in model.forces.values()},
        "parameters": {p.name: p.value for p in model.parameters.values()},
        "analyses": {name: job["type"] for name, job in model.analyses.items()},
    }  # fmt: skip
    if model.conversion_report is not None:
        data |= {"conversion_report": told, "motors": list(model.motors)}
    if result is not None and result.result is not None:
        data["result"] = about_result(result.result)
    say(options, "\n".join(lines), data)
    return 0


def about_result(result: Result) -> dict[str, Any]:
    """A stored result in a few words, for programs."""
    times = result.times
    return {
        "instants": len(result), "from": float(times[0]) if len(result) else None, "to": float(times[-1]) if len(result) else None,
        "interrupted": result.interrupted, "warnings": [str(w) for w in result.warnings], "columns": result._table_names(),
    }  # fmt: skip
