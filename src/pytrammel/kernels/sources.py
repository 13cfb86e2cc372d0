"""The sources that kernels are made of: what each module can be made of, and hashes that tell whether any of it was edited."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
# import statements; what merely looks like one does no harm: a kernel then depends on one module more
IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+(\S+)[ \t]+import[ \t]*(\([^)]*\)|.*)|import[ \t]+(.*))", re.MULTILINE)
ALIAS = re.compile(rb"\bas[ \t]+\w+")
NAME = re.compile(rb"[\w.]+")


class Sources:
    """The modules of the kernels package, and `opcodes`, which they read constants from, as they are on disk now.

    Attributes:
        hash: Of every file.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._texts = {"pytrammel.opcodes": (folder.parent / "opcodes.py").read_bytes(), **_texts(folder)}
        self._digests = {name: hashlib.sha256(text).digest() for name, text in self._texts.items()}
        self._closures: dict[str, tuple[str, ...]] = {}
        self._hashes: dict[str, str] = {}
        self.hash = self._hash_of(sorted(self._texts))

    def closure(self, module: str) -> tuple[str, ...]:
        """Modules whose sources a kernel of this module can be made of: itself and all that it imports, directly or not.

        A kernel can call nothing that no import statement mentions.
        """
        if module not in self._closures:
            seen: set[str] = set()
            ahead = {module} & self._texts.keys()
            while ahead:
                name = ahead.pop()
                seen.add(name)
                ahead |= (_imported(self._texts[name], name) & self._texts.keys()) - seen
            self._closures[module] = tuple(sorted(seen))
        return self._closures[module]

    def closure_hash(self, module: str) -> str:
        """Hash of everything that a kernel of this module can be made of; of all, where the module is not one of ours."""
        if module not in self._hashes:
            self._hashes[module] = self._hash_of(self.closure(module)) if module in self._texts else self.hash
        return self._hashes[module]

    def _hash_of(self, names: Iterable[str]) -> str:
        digest = hashlib.sha256()
        for name in names:
            digest.update(name.encode() + b"\0" + self._digests[name])
        return digest.hexdigest()[:16]


def _texts(folder: Path) -> dict[str, bytes]:
    """Every module of a package, by its name."""
    found = {}
    for place, inner, files in os.walk(folder):
        inner[:] = [name for name in inner if name != "__pycache__"]
        package = ".".join(("pytrammel", *Path(place).relative_to(folder.parent).parts))
        for file in files:
            if file.endswith(".py"):
                name = package if file == "__init__.py" else f"{package}.{file[:-3]}"
                found[name] = Path(place, file).read_bytes()
    return found


@cache
def _imported(text: bytes, name: str) -> frozenset[str]:
    """Names that a module may import, and some more."""
    found = set()
    for module, names, modules in IMPORT.findall(text):
        if module.startswith(b"."):
            raise ValueError(f"{name} has a relative import, which the cache of kernels does not follow")
        found |= {
            module,
            *(module + b"." + each for each in NAME.findall(ALIAS.sub(b"", names))),
            *NAME.findall(modules),
        }
    return frozenset(each.decode() for each in found)
