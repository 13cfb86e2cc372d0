"""Formulas as MathML, which browsers show by themselves: no script, no font and no network is needed to read them."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert
from sphinx.util import logging

LOG = logging.getLogger(__name__)
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
    return text


def inline(visitor: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    visitor.body.append(mathml(node.astext(), "inline", node))
    raise SkipNode


def block(visitor: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    visitor.body.append(f'<div class="formula">{mathml(node.astext(), "block", node)}</div>')
    raise SkipNode
