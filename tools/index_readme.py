"""README of the package index: the text of README.md, with pictures and links that work outside the repository.

Hatchling calls `ReadmeHook` when it writes the metadata of a wheel or of a source archive. A package index shows the text without
the files next to it, and loads pictures from absolute addresses only. With `base` (an address at which the files of the repository
can be read) pictures and links become absolute; without it, pictures are removed, and links are replaced by their texts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ModuleNotFoundError:  # `index_text` alone works without the build system

    class MetadataHookInterface:  # type: ignore[no-redef]
        """Stand-in where Hatchling is not installed."""


ABSOLUTE = re.compile(r"[a-z]+:|#")
FENCES = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
HTML_PICTURE = re.compile(r"<img\b[^>]*\bsrc=\"([^\"]*)\"[^>]*>\n?")
EMPTY = re.compile(r"<p>\s*</p>\n*")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)\n*")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):  # type: ignore[misc]
    """Metadata hook `custom` of pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": index_text(text, str(self.config.get("base", ""))),
        }


def index_text(text: str, base: str = "") -> str:
    """Return the README for a package index; `base` is the address of the repository's files, empty if unknown."""
    parts = FENCES.split(text)
    return "".join(part if k % 2 else _outside_of_code(part, base) for k, part in enumerate(parts))


def _outside_of_code(text: str, base: str) -> str:
    def address(link: str) -> str:
        return link if ABSOLUTE.match(link) else f"{base.rstrip('/')}/{link}"

    def keeps(link: str) -> bool:
        return bool(base or ABSOLUTE.match(link))

    def picture(found: re.Match[str]) -> str:
        return found[0].replace(found[1], address(found[1])) if keeps(found[1]) else ""

    text = EMPTY.sub("", HTML_PICTURE.sub(picture, text))
    text = PICTURE.sub(picture, text)
    return LINK.sub(lambda found: f"[{found[1]}]({address(found[2])})" if keeps(found[2]) else found[1], text)
