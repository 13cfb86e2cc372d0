"""XML as a tree that knows its lines, what was read of it and what was not.

Read with expat alone: entities are refused where they are declared, nothing outside of the file is ever opened, and size, depth and
number of elements are limited. Whatever a reader does not ask for is left over, and told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from pytrammel._util.atomic_write import unreadable
from pytrammel.errors import FileFormatError
from pytrammel.io.robots.conversion_report import ConversionReport

LARGEST = 64_000_000  # bytes of a file
DEEPEST = 200  # elements in elements
MOST = 500_000  # elements
TOLD = 20  # complaints in one error

Harmless = Callable[["Element", str], str | None]


@dataclass(eq=False)
class Element:
    """A tag: its attributes, children and text, with its line, and a memory of what was asked for."""

    tag: str
    attributes: dict[str, str]
    line: int
    document: Document
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)
    text: str = ""
    asked: set[str] = field(default_factory=set)
    seen: bool = False

    # --- attributes ---

    def get(self, key: str, default: str | None = None) -> str | None:
        """An attribute as text."""
        self.asked.add(key)
        self.document.last = self
        return self.attributes.get(key, default)

    def need(self, key: str) -> str:
        """An attribute that must be there and say something."""
        value = self.get(key)
        if value is None or not value.strip():
            self.complain(f'the attribute {key!r} is missing; add {key}="…"')
            return ""
        return value.strip()

    def number(self, key: str, default: float = 0.0, *, infinite: bool = False) -> float:
        """An attribute that is one number."""
        value = self.get(key)
        return default if value is None else self.numbers(value, 1, (default,), f"{key}={value!r}", infinite)[0]

    def vector(self, key: str, size: int = 3, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """An attribute that is `size` numbers."""
        value = self.get(key)
        default = (0.0,) * size if default is None else default
        return default if value is None else self.numbers(value, size, default, f"{key}={value!r}", False)

    def need_numbers(self, key: str, size: int = 1) -> tuple[float, ...]:
        """Required attribute of `size` numbers."""
        return self.vector(key, size) if self.need(key) else (0.0,) * size

    def values_of(self, key: str) -> list[str]:
        """Values of an attribute, from the most general default class to the element itself."""
        value = self.get(key)
        return [] if value is None else [value]

    def overlaid(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Attribute of at most as many numbers as `default`; each class replaces the first ones."""
        for text in self.values_of(key):
            default = (*(given := self.numbers_up_to(key, text, len(default))), *default[len(given) :])
        return default

    def numbers_up_to(self, key: str, text: str, most: int) -> tuple[float, ...]:
        """At most `most` numbers of the value `text` of an attribute."""
        words = text.split()
        if len(words) > most:
            self.complain(f"{key}={_short(repr(text))} has {len(words)} numbers; it must have at most {most}")
        size = min(len(words), most)
        return self.numbers(" ".join(words[:size]), size, (0.0,) * size, f"{key}={text!r}", False) if size else ()

    def word(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        """Attribute that is one of the allowed words."""
        value = self.get(key)
        if value is None or value in allowed:
            return default if value is None else value
        self.complain(f"{key}={_short(repr(value))} is not supported. Use one of: {', '.join(allowed)}")
        return default

    def flag(self, key: str, default: bool = False) -> bool:
        """An attribute that is true or false."""
        value = self.get(key)
        return default if value is None else self.truth(value, key, default)

    # --- children and text ---

    def all(self, *tags: str) -> list[Element]:
        """Children with one of the tags, in the order of the file."""
        found = [child for child in self.children if child.tag in tags]
        for child in found:
            child.seen = True
        return found

    def child(self, *tags: str) -> Element | None:
        """The first child with one of the tags; further ones are left over."""
        for child in self.children:
            if child.tag in tags:
                child.seen = True
                return child
        return None

    def said(self, tag: str, default: str = "") -> str:
        """Text of a child."""
        child = self.child(tag)
        return default if child is None else child.text.strip()

    def value(self, tag: str, default: float = 0.0, *, infinite: bool = False) -> float:
        """A child whose text is one number."""
        child = self.child(tag)
        return (
            default
            if child is None
            else child.numbers(child.text, 1, (default,), repr(child.text.strip()), infinite)[0]
        )

    def values(self, tag: str, size: int = 3, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """A child whose text is `size` numbers."""
        child = self.child(tag)
        default = (0.0,) * size if default is None else default
        return default if child is None else child.numbers(child.text, size, default, repr(child.text.strip()), False)

    def skip(self) -> None:
        """Count everything in it as read."""
        self.seen = True
        self.asked.update(self.attributes)
        for child in self.children:
            child.skip()

    # --- reading numbers and telling ---

    def numbers(
        self, text: str, size: int, default: tuple[float, ...], shown: str, infinite: bool
    ) -> tuple[float, ...]:
        words = text.split()
        try:
            out = tuple(float(word) for word in words)
        except ValueError:
            self.complain(f"{_short(shown)} is not {_numbers(size)}")
            return default
        if len(out) != size:
            self.complain(f"{_short(shown)} has {len(out)} numbers; it must have {size}")
            return default
        if any(math.isnan(x) or (math.isinf(x) and not infinite) for x in out):
            self.complain(f"{_short(shown)} is not finite; give {_numbers(size)}")
            return default
        return out

    def truth(self, text: str, what: str, default: bool) -> bool:
        word = text.strip().lower()
        if word in ("true", "1"):
            return True
        if word in ("false", "0"):
            return False
        self.complain(f"{what}={_short(repr(text))} is neither 'true' nor 'false'")
        return default

    @property
    def where(self) -> str:
        """File, line and tag."""
        return f"{self.document.name}, line {self.line}, <{_short(self.tag)}>"

    def need_positive(self, label: str, value: float) -> None:
        """Report a value below zero."""
        if value < 0.0:
            self.complain(f"{label} is {value:g}; it must not be negative")

    def complain(self, sentence: str) -> None:
        """Remember a mistake; reading goes on, so that all are told at once."""
        self.document.complaints.append(f"{self.where}: {sentence}.")

    def note_ignored(self, text: str, *, matters: bool = True, what: str = "") -> None:
        """Tell that the whole element is passed over."""
        self.skip()
        self.note_ignored_part(what or f"<{_short(self.tag)}>", text, matters=matters)

    def note_ignored_part(self, what: str, text: str, *, matters: bool = True) -> None:
        """Report a part of it that is passed over."""
        self.document.report.add("ignored", what, text, line=self.line, file=self.document.name, matters=matters)

    def note_approximated(self, text: str, *, matters: bool = True, what: str = "") -> None:
        """Tell that it is taken over nearly."""
        self.document.report.add(
            "approximated",
            what or f"<{_short(self.tag)}>",
            text,
            line=self.line,
            file=self.document.name,
            matters=matters,
        )

    def walk(self) -> Iterator[Element]:
        """It and everything in it."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))


@dataclass(eq=False)
class Document:
    """One file: its tree, what is wrong in it, and the report of what was not taken over."""

    path: Path
    report: ConversionReport
    complaints: list[str]
    repair: bool = False  # inertias that cannot be are mended instead of refused
    exact_meshes: bool = False  # masses of meshes by their true volumes, whatever rule the file names
    doubts: dict[str, tuple[Element, str]] = field(
        default_factory=dict
    )  # inertias that no body can have, by link, and why
    root: Element = field(init=False)
    last: Element | None = None  # what was read last, for mistakes that nobody foresaw

    @property
    def name(self) -> str:
        return self.path.name

    def leftovers(self, harmless: Harmless) -> None:
        """Tell all tags and attributes that nobody asked for.

        Args:
            harmless: Why an element (or, with a name, its attribute) cannot change the motion; None if it can.
        """
        stack = [self.root]
        while stack:
            element = stack.pop()
            if element.parent is not None and element.parent.tag == "default" and element.seen and not element.asked:
                continue  # a default that no element uses
            for key in element.attributes:
                if key not in element.asked and not key.startswith("xmlns"):
                    reason = harmless(element, key)
                    self.report.add(
                        "ignored", f"{key}= of <{_short(element.tag)}>", reason or "not known to this reader",
                        line=element.line, file=self.name, matters=reason is None,
                    )  # fmt: skip
            for child in reversed(element.children):
                if child.seen:
                    stack.append(child)
                else:
                    reason = harmless(child, "")
                    self.report.add(
                        "ignored", f"<{_short(child.tag)}> in <{_short(element.tag)}>", reason or "not known to this reader",
                        line=child.line, file=self.name, matters=reason is None,
                    )  # fmt: skip

    def check(self) -> None:
        """Raise all complaints as one error."""
        raise_all(self.complaints)


def raise_all(complaints: list[str]) -> None:
    """One error with all complaints in it, if there are any."""
    if complaints:
        more = f"\nand {len(complaints) - TOLD} more." if len(complaints) > TOLD else ""
        raise FileFormatError("\n".join(complaints[:TOLD]) + more)


def parse(path: Path, report: ConversionReport, complaints: list[str]) -> Document:
    """The tree of a file.

    Args:
        path: The file.
        report: Where notes go.
        complaints: Where mistakes in its values go.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise FileFormatError(f"{path.name} has {size} bytes; at most {LARGEST} are read.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise FileFormatError(f"the file {str(path)!r} cannot be read: {unreadable(error)}.") from None
    document = Document(path, report, complaints)
    builder = _Builder(document)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: builder.start(tag, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.EntityDeclHandler = lambda name, *rest: builder.refuse_entity(name, parser.CurrentLineNumber)
    parser.ExternalEntityRefHandler = lambda *rest: builder.refuse_entity("an external one", parser.CurrentLineNumber)
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FileFormatError(
            f"{path.name}, line {error.lineno}, column {error.offset + 1}: this is not well-formed XML "
            f"({expat.errors.messages.get(error.code, 'error')}); close every tag and quote every attribute."
        ) from None
    except (LookupError, UnicodeError) as error:
        raise FileFormatError(
            f"{path.name}, line 1: its encoding cannot be read ({error}); save it as UTF-8."
        ) from None
    assert builder.root is not None
    document.root = builder.root
    document.root.seen = True
    return document


class _Builder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.root: Element | None = None
        self.stack: list[Element] = []
        self.count = 0

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.count += 1
        if len(self.stack) >= DEEPEST or self.count > MOST:
            raise FileFormatError(
                f"{self.document.name}, line {line}, <{_short(tag)}>: at most {MOST} elements, {DEEPEST} deep, are read."
            )
        element = Element(tag, attributes, line, self.document, self.stack[-1] if self.stack else None)
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
        self.stack.append(element)

    def end(self, tag: str) -> None:
        self.stack.pop()

    def characters(self, text: str) -> None:
        if self.stack:
            self.stack[-1].text += text

    def refuse_entity(self, name: str, line: int) -> int:
        raise FileFormatError(
            f"{self.document.name}, line {line}: it declares the entity {_short(repr(name))}; entities are not read (they can grow "
            "without limit and open other files). Write their text where they are used."
        )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:79]}…"


def _numbers(size: int) -> str:
    return "a number" if size == 1 else f"{size} numbers"
