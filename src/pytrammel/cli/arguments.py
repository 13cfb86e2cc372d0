"""What the commands on model files share."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytrammel._util.atomic_write import unreadable
from pytrammel.errors import FileFormatError, FileWriteError, ModelError

if TYPE_CHECKING:
    from pytrammel.io.models.job import Outcome
    from pytrammel.model.base import Model


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The file and what may be said about it."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="model file (.toml, .json, .yaml), deck (.kap, .dap), robot (.urdf, .sdf, .xml) or stored result (.trammel)",
    )
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[],
                        help='another value of a parameter of the file: rod=0.35, "rod=350 mm"; may be given often')  # fmt: skip
    add_json(parser)


def add_theme_option(parser: argparse.ArgumentParser) -> None:
    """Option for the colours of pictures."""
    parser.add_argument(
        "--theme",
        metavar="NAME",
        type=_theme,
        help="colours of the pictures: light, dark or print (default: light; pages as the system)",
    )


def _theme(name: str) -> str:
    from pytrammel.errors import ModelError
    from pytrammel.view.theme import checked_theme

    try:
        return checked_theme(name).name
    except ModelError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_json(parser: argparse.ArgumentParser) -> None:
    """The options of every command."""
    parser.add_argument("--json", action="store_true", help="print what came out as JSON, for programs")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def add_analysis_options(parser: argparse.ArgumentParser, *, default: str = "the first one with a motion") -> None:
    """Which analysis, from the file or from the command line."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--analysis", metavar="NAME", help=f"an analysis of the file by name (default: {default})")
    which.add_argument("--do", metavar=("VERB", "OPTION=VALUE"), nargs="+",
                       help="instead of what the file says: --do kinematics duration=2 samples=401")  # fmt: skip


def names_before_do(words: Sequence[str]) -> list[str]:
    """The words of a command line with names, which have no "=", before ``--do VERB OPTION=VALUE ...``, not behind it."""
    words = list(words)
    if "--do" not in words:
        return words
    do = words.index("--do")
    end = next((i for i in range(do + 2, len(words)) if words[i].startswith("-")), len(words))
    said = words[do + 2 : end]
    names, options = [w for w in said if "=" not in w], [w for w in said if "=" in w]
    return [*words[:do], *names, *words[do : do + 2], *options, *words[end:]]


def open_model(options: argparse.Namespace) -> Model:
    """The model that was named, with other values of parameters."""
    from pytrammel.io.registry import read_model

    return read_model(Path(options.model), parameters=pairs(options.set))


def pairs(texts: list[str], like: str = "rod=0.35") -> dict[str, Any]:
    """NAME=VALUE texts as a dictionary: numbers, lists and truth values as TOML reads them, everything else as text."""
    out: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ModelError(f"{text!r} must be NAME=VALUE, e.g. {like}.")
        if name.strip() in out:
            raise ModelError(f"{name.strip()!r} is given twice, the second time by {text!r}; give it once.")
        out[name.strip()] = _value(value.strip())
    return out


def _value(text: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, ValueError):
        return text


def check_ending(path: Path, what: str, endings: Sequence[str]) -> None:
    """Refuse a file whose name promises something else than what is written."""
    if path.suffix.lower() not in endings:
        raise FileWriteError(f"--out {path.name}: {what} is written to a file that ends in {' or '.join(endings)}.")


def chosen_analyses(options: argparse.Namespace, model: Model) -> dict[str, dict[str, Any]]:
    """The analyses to do: said on the command line, named, or all of the file."""
    from pytrammel.io.models.analyses import VERBS, faults
    from pytrammel.io.models.problems import did_you_mean

    if options.do:
        verb, *rest = options.do
        if verb not in VERBS:
            raise ModelError(f"{verb!r} is no analysis; {did_you_mean(verb, VERBS)}")
        given = {"type": verb, **pairs(rest, "duration=2")}
        wrong = [sentence for _, sentence in faults(given)]
        if wrong:
            raise ModelError(f"--do {verb}: {' '.join(wrong)}")
        return {verb: given}
    if options.analysis:
        if options.analysis not in model.analyses:
            raise ModelError(
                f"the file has no analysis {options.analysis!r}; {did_you_mean(options.analysis, model.analyses)}"
            )
        return {options.analysis: model.analyses[options.analysis]}
    if not model.analyses:
        verb = "kinematics" if any(c.is_driver for c in model.constraints.values()) else "simulate"
        raise FileFormatError(
            f"{Path(options.model).name} says of no analysis what to do; say it here: --do {verb} duration=1, or, in a model file, with "
            f'[[analysis]] type = "{verb}" duration = 1.0'
        )
    return model.analyses


def stored(options: argparse.Namespace) -> Outcome | None:
    """The stored result that was named, where no other analysis of its model is asked for."""
    from pytrammel.io.models.job import Outcome
    from pytrammel.io.results.result_file import ENDING, load_result

    if (
        Path(options.model).suffix.lower() != ENDING
        or getattr(options, "do", None)
        or getattr(options, "analysis", None)
    ):
        return None
    result = load_result(options.model)
    return Outcome(
        Path(options.model).stem, "simulate" if result.dynamics is not None else "kinematics", found=result, stored=True
    )


def one_run(options: argparse.Namespace, model: Model) -> Outcome:
    """What one analysis gives that has a motion to show; a stored result is that already."""
    from pytrammel.io.models.job import analyse

    known = stored(options)
    if known is not None:
        return known
    found = chosen_analyses(options, model)
    moving = [
        name
        for name, given in found.items()
        if given["type"] in ("kinematics", "simulate", "inverse_dynamics", "statics")
    ]
    if not moving:
        raise ModelError("none of the analyses gives a motion to show; name one: --do kinematics duration=1")
    return analyse(model, moving[0], found[moving[0]], progress=not options.quiet)


def say(options: argparse.Namespace, text: str, data: Any) -> None:
    """Text for people or JSON for programs, on standard output."""
    if options.json:
        print(json.dumps(data, allow_nan=False))
    elif not options.quiet:
        print(text)


def ended(outcomes: Sequence[Outcome]) -> int:
    """Why analyses stopped, on standard error, and the exit code that goes with it."""
    sys.stdout.flush()
    for outcome in outcomes:
        if outcome.error:
            print(f"pytrammel: error: {outcome.name}: {outcome.error}", file=sys.stderr)
    if any(outcome.interrupted for outcome in outcomes):
        return 130
    return max((2 if outcome.refused else 1 for outcome in outcomes if outcome.error), default=0)


def results_folder(path: str | Path) -> Path:
    """A folder for what comes out, made where there is none."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileWriteError(
            f"results go into a folder, but {str(path)!r} is a file; choose another name with --out."
        ) from None
    except (OSError, ValueError) as error:
        raise FileWriteError(f"the folder {str(path)!r} cannot be made: {unreadable(error)}.") from None
    return Path(path)


def show(path: Path, options: argparse.Namespace) -> None:
    """Open a page in the browser where somebody is looking."""
    if not options.no_open and sys.stdout.isatty() and has_display():
        import webbrowser

        webbrowser.open(path.resolve().as_uri())


def has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
