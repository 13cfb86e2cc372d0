"""A report as one HTML page that needs nothing else: diagram, tables, plots, animation."""

from __future__ import annotations

import base64
import html
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel import __version__
from pytrammel.expressions.expression import Expression
from pytrammel.io.models.job import Outcome
from pytrammel.model.base import Model
from pytrammel.model.bodies import mass_text
from pytrammel.report.model_check import Checkup
from pytrammel.results.quantities import split_unit
from pytrammel.units import LENGTH_UNITS
from pytrammel.view.theme import chosen, themes, using

if TYPE_CHECKING:
    from pytrammel.view.theme import Theme

STYLE = """
:root { --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0 1.2rem; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid var(--line); } .n { text-align: right; font-variant-numeric: tabular-nums; }
.long { min-width: 12rem; overflow-wrap: anywhere; }
img { max-width: 100%; background: var(--paper); border-radius: 6px; margin: .6rem 0; }
pre { background: var(--soft); padding: .8rem; overflow: auto; max-height: 30rem; border-radius: 6px; }
iframe { width: 100%; height: 620px; margin: .6rem 0; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); }
.error { color: #c22; } .warning { color: #b60; } .small { opacity: .7; font-size: .9em; }
"""
NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?°?")
LONG_NUMBER = re.compile(r"\d+\.\d{6,}(e[-+]?\d+)?")


def report_page(
    model: Model, outcomes: Sequence[Outcome], checkup: Checkup | None = None, *, theme: Theme | str | None = None
) -> str:
    """Return the page of a model and of the results of its analyses.

    Args:
        model: The model.
        outcomes: Its analyses.
        checkup: Findings of the model check.
        theme: Colours and line styles of all pictures and of the page; by default pictures are light, and page and animations follow the
            light or dark setting of the reader's system.
    """
    with using(theme):
        return _page(model, outcomes, checkup)


def _style() -> str:
    """Style sheet in the active theme: of the reader's system where none was chosen."""
    theme = chosen()
    if theme is None:
        return f":root {{ color-scheme: light dark; --paper: {themes.light.paper}; }}{STYLE}"
    colours = f"--paper: {theme.paper}; background: {theme.page}; color: {theme.ink};"
    return f":root {{ color-scheme: {'dark' if theme.night else 'light'}; {colours} }}{STYLE}"


def _page(model: Model, outcomes: Sequence[Outcome], checkup: Checkup | None) -> str:
    parts = [f"<h1>{_e(model.name)}</h1>", f'<p class="small">{_kind(model)}; made by Trammel {__version__}</p>']
    parts += [*_diagram(model), "<h2>Model</h2>", *_model_tables(model)]
    if checkup is not None:
        parts += ["<h2>Check</h2>", *_checked(checkup)]
    for outcome in outcomes:
        parts += _section(outcome)
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{_e(model.name)}</title><style>{_style()}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _e(text: object) -> str:
    return html.escape(str(text))


def _kind(model: Model) -> str:
    plane = "planar" if model.space.dimension == 2 else "spatial"
    counts = (
        (len(model.bodies) - 1, "moving body", "moving bodies"), (len(model.constraints), "joint or driver", "joints and drivers"),
        (len(model.forces), "force", "forces"),
    )  # fmt: skip
    return ", ".join([f"{plane} model", *(f"{n} {one if n == 1 else many}" for n, one, many in counts)])


def _picture(figure: Any, what: str) -> str:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=120, bbox_inches="tight", pad_inches=0.1)
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<img alt="{_e(what)}" src="data:image/png;base64,{data}">'


def _diagram(model: Model) -> list[str]:
    from pytrammel.view.scene.still import still

    if len(model.bodies) == 1:
        return []
    return [_picture(still(model).draw().figure, f"{model.name} as drawn")]


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns of numbers stand to the right, under their heading; empty columns are left out."""
    listed = [[str(cell) for cell in row] for row in rows]
    shown = [k for k in range(len(head)) if any(row[k] for row in listed)]
    kinds = {k: _kind_of([row[k] for row in listed]) for k in shown}
    lines = [("th", head), *(("td", row) for row in listed)]
    cells = ["<tr>" + "".join(f"<{tag}{kinds[k]}>{_e(row[k])}</{tag}>" for k in shown) + "</tr>" for tag, row in lines]
    return f'<div class="wide"><table>{"".join(cells)}</table></div>' if listed else ""


def _kind_of(cells: Sequence[str]) -> str:
    if all(NUMBER.fullmatch(cell) for cell in cells if cell):
        return ' class="n"'
    return ' class="long"' if max(map(len, cells)) > 40 else ""


def _brief(formula: object) -> str:
    """A formula with six digits of its numbers."""
    return LONG_NUMBER.sub(lambda found: f"{float(found[0]):.6g}", str(formula))


def _model_tables(model: Model) -> list[str]:
    unit, per = model.display_unit, 1.0 / LENGTH_UNITS[model.display_unit]
    parts = []
    parameters = [
        (p.name, f"{p.value:.6g}", "" if p.given == p.value else p.given, *p.limits, p.note or "")
        for p in model.parameters.values()
    ]
    parts.append(_table(("parameter", "value (SI)", "given as", "bounds", "tolerance", "note"), parameters))
    bodies = [
        (
            b.name, ", ".join(f"{x * per:.5g}" for x in b.position), b.turned, mass_text(b), _inertia(b.inertia),
            b.color or "",
        )
        for b in list(model.bodies.values())[1:]
    ]  # fmt: skip
    parts.append(_table(("body", f"drawn at [{unit}]", "turned", "mass [kg]", "inertia [kg m²]", "color"), bodies))
    joints = [
        (c.name, c.kind, " – ".join(c.bodies), c.n_rows, _brief(c.parameters.get("motion", "")))
        for c in model.constraints.values()
    ]
    parts.append(_table(("joint or driver", "type", "bodies", "rows", "motion"), joints))
    forces = [(f.name, f.kind, " – ".join(f.bodies), _given(f.parameters)) for f in model.forces.values()]
    parts.append(_table(("force", "type", "bodies", "given (SI)"), forces))
    points = [(p.name, p.body, ", ".join(f"{x * per:.5g}" for x in p.local)) for p in model.points.values()]
    parts.append(_table(("point", "on", f"at [{unit}]"), points))
    return parts


def _given(parameters: Mapping[str, Any]) -> str:
    """Numbers and formulas that a force was described with."""
    told = {key: value for key, value in parameters.items() if isinstance(value, Expression) or key == "law"}
    told |= {k: f"{v:.6g}" for k, v in parameters.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    return ", ".join(f"{key} = {_brief(value)}" for key, value in told.items())


def _inertia(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.5g}"
    return ", ".join(f"{value[k][k]:.4g}" for k in range(3))


def _checked(checkup: Checkup) -> list[str]:
    parts = [] if checkup.mobility is None else [f"<pre>{_e(checkup.mobility)}</pre>"]
    parts += [f'<p class="{f.level}">{f.level}: {_e(f.sentence)}</p>' for f in checkup.findings]
    return parts or ["<p>no objections</p>"]


def _section(outcome: Outcome) -> list[str]:
    verb = "" if outcome.verb == outcome.name else f" <span class='small'>{_e(outcome.verb)}</span>"
    parts = [f"<h2>{_e(outcome.name)}{verb}</h2>"]
    if outcome.error:
        parts.append(f'<p class="error">{_e(outcome.error)}</p>')
    if outcome.found is not None:
        parts.append(f"<pre>{_e(outcome.summary)}</pre>")
    result = outcome.result
    if result is None:
        return parts
    if len(result) > 1:
        parts.append(_picture(np.ravel(result.plot(*outcome.plots))[0].figure, f"plots of {outcome.name}"))
        parts.append(_film(outcome))
    if outcome.plots:
        parts.append(_table(("quantity", "unit", "least", "largest", "first", "last"), _ranges(outcome)))
    return parts


def _ranges(outcome: Outcome) -> Iterable[Sequence[object]]:
    result = outcome.result
    assert result is not None
    for name in outcome.plots:
        unit, values = result._displayed(name)
        known = values[np.isfinite(values)]
        ends = (float(each) for each in (values[0], values[-1]))
        if known.size:
            numbers = (float(known.min()), float(known.max()), *ends)
            yield split_unit(name)[0], unit, *(f"{x:.6g}" if math.isfinite(x) else "–" for x in numbers)


def _film(outcome: Outcome) -> str:
    """The animation's own page inside this one."""
    import tempfile
    from pathlib import Path

    result = outcome.result
    assert result is not None
    with tempfile.TemporaryDirectory() as folder:
        page = result.animate(Path(folder) / "film.html", traces=outcome.traces).read_text(encoding="utf-8")
    return f'<iframe title="animation" sandbox="allow-scripts" srcdoc="{html.escape(page, quote=True)}"></iframe>'
