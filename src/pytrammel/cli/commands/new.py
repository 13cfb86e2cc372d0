"""``pytrammel new``: begin a model file."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from pytrammel.cli.arguments import add_json, say
from pytrammel.cli.output import with_help
from pytrammel.cli.prompts import question

HELP = """\
Begin a model file from a template: a text with comments, parameters and an
analysis, ready for 'pytrammel check' and 'pytrammel run'. Without a name, list them.
"""
EPILOG = """\
examples:
  pytrammel new
  pytrammel new four_bar
  pytrammel new slider_crank --out engine.toml
  pytrammel new --interactive                        # asks for the template and its numbers
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "new", HELP, EPILOG, help="begin a model file from a template")
    parser.add_argument("name", metavar="TEMPLATE", nargs="?", help="which one; leave it out for the list")
    parser.add_argument("--out", metavar="FILE", help="file to write (default: TEMPLATE.toml)")
    parser.add_argument("--interactive", action="store_true", help="ask for template, file and parameters, one by one")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")
    add_json(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """List, ask, or write."""
    from pytrammel._util.atomic_write import write_whole
    from pytrammel.errors import FileWriteError, ModelError
    from pytrammel.io.models.model_file import loads
    from pytrammel.io.models.templates import described, example_files, template_text, templates
    from pytrammel.io.registry import write_model

    if options.name is None and not options.interactive:
        if options.out or options.force:
            raise ModelError("without a name the templates are listed, and no file is written; omit --out and --force.")
        known = {name: described(text) for name, text in templates().items()}
        more = list(example_files())
        lines = ["Templates; begin with one by 'pytrammel new NAME':", ""]
        lines += [f"  {name:<14} {text}" for name, text in known.items()]
        lines += ["", "Every bundled example is one, too:", "", "  " + ", ".join(more)]
        say(options, "\n".join(lines), {"templates": known, "examples": more})
        return 0
    name = options.name
    values: dict[str, str] = {}
    if options.interactive:
        name, values, options.out = _asked(name, options.out)
    text = _with(template_text(name), values)
    path = Path(options.out or f"{name}.toml")
    if path.exists() and not options.force:
        raise FileWriteError(f"the file {str(path)!r} is there already; choose another with --out, or say --force.")
    if path.suffix.lower() == ".toml":  # with its comments
        write_whole(path, text)
    else:
        write_model(loads(text), path)
    typed = shlex.quote(str(path))
    say(options, f"written: {path}\nnext: pytrammel check {typed}; pytrammel run {typed}", {"files": [str(path)]})
    return 0


def _asked(name: str | None, out: str | None) -> tuple[str, dict[str, str], str]:
    """Template, other values of its parameters, and file, by questions."""
    from pytrammel.errors import ModelError
    from pytrammel.io.models.model_file import loads
    from pytrammel.io.models.templates import template_text, templates

    while name is None or name not in templates():
        print("Templates:", ", ".join(templates()))
        name = question("which one", "four_bar")
    text = template_text(name)
    values: dict[str, str] = {}
    print("Numbers may carry units: 40 mm, 1800 rpm. Enter keeps what is shown.")
    for parameter in loads(text).parameters.values():
        given = str(parameter.given)
        while True:
            answer = question(f"{parameter.name}{f' ({parameter.note})' if parameter.note else ''}", given)
            if answer == given:
                break
            try:
                loads(_with(text, {**values, parameter.name: answer}))
            except ModelError as error:
                print(f"  {error}")
                continue
            except Exception as error:
                print("  " + str(error).replace("text.toml, ", ""))
                continue
            values[parameter.name] = answer
            break
    return name, values, out or question("file to write", f"{name}.toml")


def _with(text: str, values: dict[str, str]) -> str:
    """The text with other values of parameters, comments and notes kept."""
    import json
    import re

    for name, value in values.items():
        quoted = json.dumps(value)
        plain = re.compile(rf'^({name} = )(?:"[^"]*"|[-+.\deE]+)(?=\s*(?:#.*)?$)', re.MULTILINE)
        noted = re.compile(rf'^({name} = \{{value = )(?:"[^"]*"|[-+.\deE]+)', re.MULTILINE)
        text = plain.sub(lambda m, q=quoted: m[1] + q, text, count=1)  # type: ignore[misc]
        text = noted.sub(lambda m, q=quoted: m[1] + q, text, count=1)  # type: ignore[misc]
    return text
