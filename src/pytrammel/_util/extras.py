"""Name of the distribution on the package index, and the commands that install its extras."""

from __future__ import annotations

DISTRIBUTION = "pytrammel"


def install_command(extra: str) -> str:
    """Shell command that installs an extra, for messages; the brackets are quoted for zsh."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
