"""``pytrammel completion``: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse
from typing import Any

from pytrammel.cli.output import with_help

HELP = """\
Print a script that teaches a shell to complete pytrammel's commands, options,
examples and templates.
"""
EPILOG = """\
examples:
  pytrammel completion bash >> ~/.bashrc
  pytrammel completion zsh  >> ~/.zshrc
  pytrammel completion fish > ~/.config/fish/completions/pytrammel.fish
"""

BASH = """\
_pytrammel() {
  local word="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="@COMMANDS@"
  else case "$command" in
@CASES@
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ "$COMP_CWORD" -gt 1 ] && COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _pytrammel pytrammel
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "completion", HELP, EPILOG, help="completion for bash, zsh and fish")
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")
    parser.set_defaults(parsers=commands)
    return parser


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from pytrammel.examples import names
    from pytrammel.io.models.templates import templates

    words = {
        command: [text for action in parser._actions for text in action.option_strings if text.startswith("--")]
        for command, parser in options.parsers.choices.items()
    }
    words["example"] += names()
    words["new"] += [*templates(), *names()]
    words["completion"] += ["bash", "zsh", "fish"]
    print(_fish(words) if options.shell == "fish" else _bash(words, options.shell), end="")
    return 0


def _bash(words: dict[str, list[str]], shell: str) -> str:
    cases = "\n".join(f'    {command}) words="{" ".join(listed)}";;' for command, listed in words.items())
    text = BASH.replace("@COMMANDS@", " ".join(words)).replace("@CASES@", cases)
    return f"autoload -U +X bashcompinit && bashcompinit\n{text}" if shell == "zsh" else text


def _fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c pytrammel -n __fish_use_subcommand -f -a '{' '.join(words)}'"]
    for command, listed in words.items():
        lines.append(f"complete -c pytrammel -n '__fish_seen_subcommand_from {command}' -a '{' '.join(listed)}'")
    return "\n".join(lines) + "\n"
