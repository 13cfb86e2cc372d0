"""The page of all sentences in which Trammel refuses or doubts, read off the sources."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytrammel
from pytrammel import errors

SOURCES = Path(pytrammel.__file__).parent
KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, (errors.TrammelError, Warning))
}
LEAST = 3  # words of a sentence
# methods of readers that note what is wrong in a file; all is raised together at its end
COLLECTED = {
    **dict.fromkeys(("complain", "wrong", "_blame", "problems.add", "TextError"), "FileFormatError"),
    "refuse": "ModelError",
}
# in every file that has sentences
NAMED = re.compile("|".join({*KINDS, *(name.rpartition(".")[2] for name in COLLECTED)}))
SPECIAL = re.compile(r"([\\`*_\[\]<>$|{}#~])")


class Sentence(NamedTuple):
    """One sentence: the class that carries it, its file, and its words with gaps for what is only known then."""

    kind: str
    file: str
    words: str


def write(target: Path) -> None:
    """The page."""
    text = page()
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def page() -> str:
    """All sentences by class and file."""
    found = sorted(set(sentences()))
    lines = [
        "# Sentences of errors and warnings",
        "",
        f"Every sentence in which Trammel refuses something or doubts its own numbers, {len(found)} of them, read off the sources; names "
        "in ‹brackets› stand for what is only known then. How errors are read is told in "
        "[the long tour](../tutorials/tour_plane.md#errors-and-how-to-read-them).",
    ]
    for kind in sorted({one.kind for one in found}, key=list(KINDS).index):
        lines += ["", f"## {kind}", "", (KINDS[kind].__doc__ or "").splitlines()[0]]
        of_kind = [one for one in found if one.kind == kind]
        for file in dict.fromkeys(one.file for one in of_kind):
            lines += ["", f"### {file}", ""] if len(of_kind) > 40 else ["", f"**{_plain(file)}**", ""]
            lines += [f"* {_plain(one.words)}" for one in of_kind if one.file == file]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """The same in Markdown."""
    return SPECIAL.sub(r"\\\1", text)


@functools.cache
def sentences() -> tuple[Sentence, ...]:
    """All of them."""
    return tuple(
        Sentence(kind, path.relative_to(SOURCES).as_posix(), words)
        for path in sorted(SOURCES.rglob("*.py"))
        if NAMED.search(text := path.read_text(encoding="utf-8"))
        for kind, words in _of_file(ast.parse(text))
    )


def _of_file(tree: ast.Module) -> Iterator[tuple[str, str]]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    makers = {one.name: kind for one in functions if (kind := _kind_of(one.returns))} | COLLECTED
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for function in [*functions, tree]:
        for call in _calls(function):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name == "add" and ast.unparse(call.func).endswith("problems.add"):
                name = "problems.add"
            kind = name if name in KINDS else makers.get(name)
            if name == "warn":  # warnings.warn(sentence, kind)
                kind = next((one.id for one in call.args if isinstance(one, ast.Name) and one.id in KINDS), None)
            if kind is None:
                continue
            texts = [text for argument in call.args for text in _texts(argument)]
            texts += [
                text
                for one in call.args
                if isinstance(one, ast.Name) and one.id in constants
                for text in _texts(constants[one.id])
            ]
            helpers = {getattr(one.func, "id", "") for one in ast.walk(call) if isinstance(one, ast.Call)}
            for helper in functions:
                if helper.name in helpers and helper.name not in makers:
                    texts += list(_texts(helper))
            if not texts and isinstance(function, ast.FunctionDef):  # put together before, there or in another function
                makes = {getattr(one.func, "id", "") for one in _calls(function)}
                texts = list(_texts(function)) or [
                    text for one in functions if one.name in makes for text in _texts(one)
                ]
            yield from ((kind, text) for text in texts)


def _calls(function: ast.AST) -> Iterator[ast.Call]:
    """Calls in a function, but not in functions inside it."""
    left = [function]
    while left:
        node = left.pop()
        if isinstance(node, ast.Call):
            yield node
        holds_functions = isinstance(node, (ast.Module, ast.ClassDef))
        left += [
            child
            for child in ast.iter_child_nodes(node)
            if not (holds_functions and isinstance(child, (ast.FunctionDef, ast.ClassDef)))
        ]


def _kind_of(annotation: ast.expr | None) -> str | None:
    name = getattr(annotation, "id", None)
    return name if name in KINDS else None


def _texts(node: ast.AST) -> Iterator[str]:
    """Sentences that are written in a piece of code, the outermost ones."""
    if isinstance(node, ast.FunctionDef):  # not its docstring
        for child in node.body[1:] if ast.get_docstring(node) else node.body:
            yield from _texts(child)
        return
    if isinstance(node, (ast.JoinedStr, ast.Constant)):
        text = _shown(node)
        if len(re.findall(r"[A-Za-z]{2,}", text)) >= LEAST:
            yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def _shown(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value.strip() if isinstance(node.value, str) else ""
    assert isinstance(node, ast.JoinedStr)
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            name = ast.unparse(part.value)
            parts.append(f"‹{name}›" if re.fullmatch(r"[\w.]{1,24}", name) else "‹…›")
    return re.sub(r"\s+", " ", "".join(parts)).strip()
