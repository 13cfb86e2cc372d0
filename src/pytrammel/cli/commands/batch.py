"""``pytrammel batch``: one analysis of many variants of a model file."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import (
    add_analysis_options,
    add_model_options,
    check_ending,
    chosen_analyses,
    open_model,
    pairs,
    say,
)
from pytrammel.cli.output import add_digits, number_writer, with_help

HELP = """\
Do one analysis of a model file for many values of its parameters, and write one
row per variant: values, what was made of each run, and why it failed, if so.
"""
EPILOG = """\
examples:
  pytrammel batch engine.toml --do kinematics duration=0.04 --sample 1000 --reduce "stroke=range(piston.x)"
  pytrammel batch engine.toml --do kinematics duration=0.04 --table values.csv --reduce "peak=max(abs(piston.ax))"
  pytrammel batch engine.toml --do kinematics duration=0.04 --table values.csv --keep piston.x --out series.csv
  pytrammel batch engine.toml --do simulate duration=0.04 --sample 100000 --reduce "top=max(piston.vx)" --store done

engine.toml is what 'pytrammel new slider_crank --out engine.toml' writes. The last
command can be killed: said again, it goes on where it was.

The table has the names of parameters in its first line, and one line per variant;
values may have units (40 mm). Samples are spread over the bounds of the parameters.

exit codes: 0 all went well; 1 some variants have no full result; 2 the file or an
option is wrong; 130 interrupted by Ctrl-C, what was computed is written.
"""
VERBS = ("kinematics", "simulate", "equilibrium")


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "batch", HELP, EPILOG, help="one analysis of many variants")
    add_model_options(parser)
    add_analysis_options(parser)
    parser.add_argument("--table", metavar="FILE", help="values of parameters (.csv): names, then one line per variant")
    parser.add_argument("--sample", metavar="N", type=int, help="so many variants within the bounds of the parameters")
    parser.add_argument("--seed", metavar="K", type=int, help="of the sample (default: 0)")
    parser.add_argument("--reduce", metavar="NAME=FORMULA", action="append", default=[],
                        help='what to make of each run: "peak=max(abs(P.ay))"; may be given often')  # fmt: skip
    parser.add_argument("--keep", metavar="NAME", action="append", default=[],
                        help="a quantity whose series is written; may be given often")  # fmt: skip
    parser.add_argument("--device", choices=("auto", "cpu", "specialized", "gpu"), default="auto",
                        help="kernels: general ones, written out for the model, or these on a graphics card")  # fmt: skip
    parser.add_argument("--store", metavar="DIR", help="folder that keeps what is done: the same command goes on there")
    parser.add_argument("--out", metavar="FILE", help="table to write (default: MODEL_batch.csv)")
    add_digits(parser, "the table")
    return parser


def run(options: argparse.Namespace) -> int:
    """Run all variants and write the table."""
    from pytrammel._util.atomic_write import check_target
    from pytrammel.analysis.batches.samples import sample
    from pytrammel.errors import ModelError
    from pytrammel.io.models.analyses import ready_options

    if (options.table is None) == (options.sample is None):
        raise ModelError("say which variants: --table FILE or --sample N, one of them.")
    if options.table and options.seed is not None:
        raise ModelError("--seed is for --sample; leave it out with --table.")
    model = open_model(options)
    chosen = {name: given for name, given in chosen_analyses(options, model).items() if given["type"] in VERBS}
    if not chosen:
        raise ModelError("a batch does kinematics, simulate or equilibrium; name one: --do kinematics duration=1")
    given = next(iter(chosen.values()))
    if not options.reduce and not options.keep:
        raise ModelError('say what to write of each run: --reduce "peak=max(P.y)" or --keep P.y.')
    path = Path(options.out or f"{Path(options.model).stem}_batch.csv")
    check_target(path)
    check_ending(path, "a table of variants", (".csv",))
    values = read_table(Path(options.table)) if options.table else sample(options.sample, seed=options.seed or 0)
    formulas = {name: str(text) for name, text in pairs(options.reduce, "peak=max(P.y)").items()}
    kernels = {} if options.device == "auto" else {"device": options.device}  # positions of rest know no others
    if kernels and given["type"] == "equilibrium":
        raise ModelError("positions of rest are found by the general kernels; leave out --device.")
    found = getattr(model.batch(values), given["type"])(
        **ready_options(model, given), **kernels, reduce=formulas or None, keep=options.keep, store=options.store,
        progress=not options.quiet,
    )  # fmt: skip
    write_table(found, path, options.digits)
    good = int(found.ok.sum())
    said = {"variants": len(found), "without_full_result": len(found) - good, "file": str(path)}
    say(options, f"{found}\ntable: {path}", said)
    sys.stdout.flush()
    return 130 if found.interrupted else 0 if good == len(found) else 1


def read_table(path: Path) -> dict[str, list[str]]:
    """Columns of a table of values by name."""
    from pytrammel._util.atomic_write import unreadable
    from pytrammel._util.messages import number_of
    from pytrammel.errors import FileFormatError

    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if any(field.strip() for field in line)]
    except (UnicodeDecodeError, csv.Error):
        raise FileFormatError(f"the table {str(path)!r} is no text in UTF-8 with commas between values.") from None
    except (OSError, ValueError) as error:
        raise FileFormatError(f"the table {str(path)!r} cannot be read: {unreadable(error)}.") from None
    if len(lines) < 2:
        raise FileFormatError(
            f"the table {str(path)!r} needs a line with names of parameters and a line for each variant."
        )
    names = [name.strip() for name in lines[0]]
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(names):
            raise FileFormatError(
                f"line {number} of {str(path)!r} has {number_of(len(line), 'value')}, but the first line has "
                f"{number_of(len(names), 'name')}; commas stand between values, points before decimals."
            )
    if len(set(names)) < len(names):
        raise FileFormatError(f"the first line of {str(path)!r} has a name twice.")
    return {name: [line[k].strip() for line in lines[1:]] for k, name in enumerate(names)}


def write_table(found: Any, path: Path, digits: int | None = None) -> None:
    """One line per variant; with series, one per variant and instant."""
    import codecs

    from pytrammel._util.atomic_write import whole_file

    text = number_writer(digits)
    own = {**found.parameters, **found.states, **found.reductions}
    with whole_file(path) as file:
        writer = csv.writer(codecs.getwriter("utf-8")(file))
        series = ["t [s]", *found.quantities] if found.quantities else []
        writer.writerow(["variant", *own, *series, "failure"])
        for k in range(len(found)):
            head, why = [k, *(text(float(x[k])) for x in own.values())], found.failures.get(k, "")
            if not series:
                writer.writerow([*head, why])
                continue
            for i, t in enumerate(found.times):
                numbers = [text(float(found.values(name)[k, i])) for name in found.quantities]
                writer.writerow([*head, text(float(t)), *numbers, why])
