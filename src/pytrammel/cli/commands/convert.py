"""``pytrammel convert``: one kind of model file to another."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import add_model_options, pairs, say
from pytrammel.cli.output import add_digits, with_help

HELP = """\
Read a model from one kind of file and write it to another; the endings of the
names say which: .toml, .json, .yaml, robots .urdf, .sdf and .xml (MJCF), and
decks .kap and .dap to read. A YAML file with loops next to a URDF file is part
of it. What could not be taken over is listed. A stored
result (.trammel) gives its model, or its table: .csv, .parquet, .nc (HDF5).
"""
EPILOG = """\
examples:
  pytrammel convert engine.toml engine.json
  pytrammel convert four_bar.kap four_bar.toml
  pytrammel convert robot.urdf robot.xml
  pytrammel convert robot.xml robot.urdf --loops robot.yaml
  pytrammel convert engine.toml long.toml --set rod=0.2
  pytrammel convert engine_results/simulate.trammel run.parquet
"""
TABLES = {".csv": "to_csv", ".parquet": "to_parquet", ".nc": "to_hdf5", ".h5": "to_hdf5"}


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "convert", HELP, EPILOG, help="one kind of model file to another")
    add_model_options(parser)
    parser.add_argument("target", metavar="TARGET", help="file to write")
    parser.add_argument("--loops", metavar="FILE.yaml",
                        help="URDF: write loops, motors, spherical and universal joints to this file")  # fmt: skip
    add_digits(parser, "a table (.csv)")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")
    return parser


def run(options: argparse.Namespace) -> int:
    """Read and write."""
    from pytrammel.errors import FileWriteError, ModelError
    from pytrammel.io.registry import convert_model

    target = Path(options.target)
    for file in (target, *([Path(options.loops)] if options.loops else [])):
        if file.exists() and not options.force:
            raise FileWriteError(f"the file {str(file)!r} is there already; choose another name, or say --force.")
    is_table = Path(options.model).suffix.lower() == ".trammel" and target.suffix.lower() == ".csv"
    if options.digits and not is_table:
        raise ModelError("--digits is for the table (.csv) of a stored result (.trammel). Remove it.")
    if Path(options.model).suffix.lower() == ".trammel" and target.suffix.lower() in TABLES:
        from pytrammel.io.results.result_file import load_result

        if options.set:
            raise ModelError(
                f"the table of {options.model!r} is computed already; leave out --set, or run its model anew."
            )
        digits = {"digits": options.digits} if is_table else {}
        written = getattr(load_result(options.model), TABLES[target.suffix.lower()])(target, **digits)
        say(options, f"written: {written}", {"files": [str(written)]})
        return 0
    path, notes = convert_model(Path(options.model), target, parameters=pairs(options.set), loops=options.loops)
    files = [str(path), *([options.loops] if options.loops else [])]
    say(
        options,
        "\n".join([*notes, f"written: {' and '.join(files)}"]),
        {"files": files, **({"conversion_report": notes} if notes else {})},
    )
    return 0
