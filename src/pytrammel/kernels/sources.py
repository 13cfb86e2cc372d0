"""The sources that kernels are made of: what each module can be made of, and hashes that tell whether any of it was edited."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
# import statements; what merely looks like one does no harm: a kernel then depends on one module more
IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+(\S+)[ \t]+import[ \t]*(\([^)]*\)|.*)|import[ \t]+(.*))", re.MULTILINE)
ALIAS = re.compile(rb"\bas[ \t]+\w+")
NAME = re.compile(rb"[\w.]+")
TOOLCHAIN = frozenset(("numpy", "scipy", "numba", "llvmlite"))


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
        """Hash of everything that a kernel of this module can be made of; "" where its sources are not files."""
        if module not in self._hashes:
            self._hashes[module] = self._hash_of(self.closure(module)) if module in self._texts else ""
        return self._hashes[module]

    def note(self, module: str) -> None:
        """Read the sources of a kernel that another package defines, while its module is imported.

        A later edit changes the files but not the code that runs, so that a hash of that time would be wrong.
        """
        if module in self._texts:
            return
        texts = outside_texts(module, self._texts.keys())
        digest = hashlib.sha256(self.hash.encode())
        for name, text in sorted(texts.items()):
            digest.update(name.encode() + b"\0" + hashlib.sha256(text).digest())
        self._hashes[module] = digest.hexdigest()[:16] if module in texts else ""

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


def outside_texts(module: str, own: Collection[str]) -> dict[str, bytes]:
    """Sources of a module of another package, and of all modules outside `own` that it imports, directly or not.

    The standard library and the libraries of `TOOLCHAIN` are left to the versions in the key. Of modules of this package that define no
    kernels only the text counts, because their numbers can become constants of a kernel.
    """
    found: dict[str, bytes] = {}
    ahead = [module]
    while ahead:
        name = ahead.pop()
        top = name.partition(".")[0]
        if name in found or name in own or top in TOOLCHAIN or (top in sys.stdlib_module_names and top != "__main__"):
            continue
        file = _file_of(name)
        if file is None:
            continue
        found[name] = file.read_bytes()
        if file.suffix == ".py" and top != "pytrammel":
            ahead += _names_imported(found[name], name, is_package=file.name == "__init__.py")
    return found


def _file_of(name: str) -> Path | None:
    """File of a module, which need not be imported yet if its package is."""
    module = sys.modules.get(name)
    origin = getattr(module, "__file__", None)
    if module is None and name.rpartition(".")[0] in sys.modules:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):  # the name of a function, or of a module that cannot be found
            return None
        origin = None if spec is None or not spec.has_location else spec.origin
    return Path(origin) if origin and Path(origin).is_file() else None


def _names_imported(text: bytes, name: str, *, is_package: bool) -> list[str]:
    """Names that may be modules in the import statements of a file."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = name.split(".")
            up = node.level - is_package
            base = parts[: len(parts) - up] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            found += [source, *(f"{source}.{alias.name}" for alias in node.names)]
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
