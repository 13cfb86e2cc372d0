"""Formulas as MathML, which browsers show by themselves: no script, no font and no network is needed to read them."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert
from sphinx.util import logging

LOG = logging.getLogger(__name__)
# browsers know letters in other styles as characters of their own, not by an attribute: where each alphabet begins
STYLES = {
    "bold": {"A": 0x1D400, "a": 0x1D41A, "0": 0x1D7CE, "Α": 0x1D6A8, "α": 0x1D6C2},
    "bold-italic": {"A": 0x1D468, "a": 0x1D482, "0": 0x1D7CE, "Α": 0x1D71C, "α": 0x1D736},
    "sans-serif": {"A": 0x1D5A0, "a": 0x1D5BA, "0": 0x1D7E2},
}
STYLED = re.compile(r'<(m[ino])( mathvariant="([a-z-]+)")>([^<]*)</m')
# fences of matrices grow with them
OPENING, CLOSING = re.compile(r"<mo>([^<]+)</mo>(?=<mtable)"), re.compile(r"(?<=</mtable>)<mo>([^<]+)</mo>")
LEFT_OVER = re.compile(r"\\[a-zA-Z]+")  # a command that the converter does not know stays in the text


def setup(app: Any) -> None:
    """Register the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))


def mathml(latex: str, display: str, node: Any) -> str:
    """One formula; what cannot be converted is a warning, and stays readable as LaTeX."""
    try:
        text: str = convert(latex, display=display)
    except Exception as error:
        LOG.warning("the formula %r cannot be shown: %s", latex, error, location=node)
        return f"<code>{latex}</code>"
    unknown = LEFT_OVER.findall(text)
    if unknown:
        LOG.warning("the formula %r has commands that are not known: %s", latex, ", ".join(unknown), location=node)
    text = STYLED.sub(styled, text)
    text = OPENING.sub(r'<mrow><mo stretchy="true" form="prefix">\1</mo>', text)
    return CLOSING.sub(r'<mo stretchy="true" form="postfix">\1</mo></mrow>', text) if "<mrow><mo str" in text else text


def styled(found: re.Match[str]) -> str:
    """An element whose letters have the style themselves."""
    beginnings = STYLES.get(found[3])
    if beginnings is None:
        return found[0]
    letters = html.unescape(found[4])
    return f"<{found[1]}>{''.join(letter_in(beginnings, letter) for letter in letters)}</m"


def letter_in(beginnings: dict[str, int], letter: str) -> str:
    """One letter or digit of a styled alphabet; others stay."""
    for first, last in (("A", "Z"), ("a", "z"), ("0", "9"), ("Α", "Ω"), ("α", "ω")):
        if first <= letter <= last and first in beginnings:
            return chr(beginnings[first] + ord(letter) - ord(first))
    return letter


def inline(visitor: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    visitor.body.append(mathml(node.astext(), "inline", node))
    raise SkipNode


def block(visitor: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    visitor.body.append(f'<div class="formula">{mathml(node.astext(), "block", node)}</div>')
    raise SkipNode
