"""Models and what was found about them as pieces of a page: what notebooks show of them."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel.errors import TrammelError
from pytrammel.model.base import Model
from pytrammel.model.bodies import mass_text
from pytrammel.units import LENGTH_UNITS
from pytrammel.view.notebook import as_png, as_svg, unseen
from pytrammel.view.theme import current

if TYPE_CHECKING:
    from pytrammel.results.result import Result

PICTURE = 60_000  # bytes of curves in a page; longer pictures are made of dots
LONGEST = 40  # rows of tables, lines of words
PARTS = 200  # parts of a long run, of which a small plot shows the least and the greatest value


def framed(title: str, *parts: str) -> str:
    """A heading and what belongs to it."""
    return f'<div style="max-width:760px"><b>{html.escape(title)}</b>{"".join(parts)}</div>'


def words(text: object) -> str:
    """Printed text as it is, long ones cut."""
    lines = str(text).splitlines()
    if len(lines) > LONGEST:
        lines = [*lines[:LONGEST], f"… and {len(lines) - LONGEST} lines more: print it"]
    shown = html.escape("\n".join(lines))
    return f'<pre style="font-size:85%;line-height:1.35;margin:.3em 0;overflow:auto">{shown}</pre>' if shown else ""


def told(thing: object) -> str:
    """What is printed of a thing, its first line as the heading."""
    first, _, rest = str(thing).partition("\n")
    return framed(first, words(rest))


def drawn(figure: Any) -> str:
    """A picture in a page: curves where they are few, dots elsewhere."""
    picture = as_svg(figure)
    if len(picture) <= PICTURE:
        return f'<div style="background:{current().paper}">{picture}</div>'
    data = base64.b64encode(as_png(figure, 1.0)).decode("ascii")
    return f'<img alt="" src="data:image/png;base64,{data}">'


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, cut where it is long; nothing where it has no rows."""
    lines = [[html.escape(str(cell)) for cell in row] for row in rows]
    if not lines:
        return ""
    cut = len(lines) - LONGEST
    shown = [*lines[:LONGEST], [f"… and {cut} more", *[""] * (len(head) - 1)]] if cut > 0 else lines
    style = 'style="text-align:left"'
    top = "".join(f"<th {style}>{html.escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td {style}>{cell}</td>" for cell in row) + "</tr>" for row in shown)
    return f"<table><tr>{top}</tr>{body}</table>"


def model_html(model: Model) -> str:
    """What a notebook shows of a model: its diagram and its tables."""
    unit, per = model.display_unit, 1.0 / LENGTH_UNITS[model.display_unit]
    bodies = [
        (
            b.name,
            ", ".join(f"{x * per:.5g}" for x in b.position),
            b.turned,
            mass_text(b),
        )
        for b in list(model.bodies.values())[1:]
    ]
    joints = [
        (c.name, c.kind, " – ".join(c.bodies), c.n_rows, c.parameters.get("motion", ""))
        for c in model.constraints.values()
    ]
    parameters = [
        (p.name, f"{p.value:.6g}", "" if p.given == p.value else p.given, *p.limits, p.note)
        for p in model.parameters.values()
    ]
    plane = "in the plane" if model.space.dimension == 2 else "in space"
    return framed(
        f"{model.name}: model {plane}",
        _picture(lambda: model.diagram().figure) if len(model.bodies) > 1 else "",
        table(("body", f"drawn at [{unit}]", "turned", "mass [kg]"), bodies),
        table(("joint or driver", "type", "bodies", "rows", "motion"), joints),
        table(("force", "type", "bodies"), [(f.name, f.kind, " – ".join(f.bodies)) for f in model.forces.values()]),
        table(("parameter", "value (SI)", "given as", "bounds", "tolerance", "note"), parameters),
    )


def result_html(result: Result) -> str:
    """What a notebook shows of a result: its summary and small plots."""
    first, _, rest = result.summary().partition("\n")
    return framed(first, words(rest), _picture(lambda: _small_plots(result)) if len(result) > 1 else "")


def rest_html(found: Any) -> str:
    """What a notebook shows of an equilibrium: the model at rest, and what is printed of it."""
    first, _, rest = str(found).partition("\n")
    return framed(first, _picture(lambda: found.model.diagram().figure), words(rest))


def _picture(make: Any) -> str:
    """A picture, or the sentence that says why there is none."""
    try:
        with unseen():
            return drawn(make())
    except TrammelError as error:
        return words(error)


def _small_plots(result: Result) -> Any:
    """Joint angles and distances, and kinetic energy where forces act; long runs by the extremes of their parts."""
    from pytrammel.view.figure import new_figure

    names = result._interesting()
    shown = {name: result._shown(*result._column(name)) for name in names}
    groups = [
        [name for name in names if shown[name][0] == unit] for unit in dict.fromkeys(u for u, _ in shown.values())
    ][:2]
    curves: list[tuple[str, list[tuple[str, Any]]]] = [
        (shown[group[0]][0], [(name, shown[name][1]) for name in group]) for group in groups
    ]
    if result.dynamics is not None:
        curves.append(("J", [("kinetic energy", result.energy.kinetic)]))
    from pytrammel.view.animation.thinning import extreme_rows
    from pytrammel.view.plots.panels import Line, Panel, axis_label, draw_panels

    def line(name: str, values: Any, colour: int) -> Line:
        series = np.asarray(values, dtype=float)
        rows = extreme_rows(result.times, series[None, :], PARTS)[0]
        return Line(name, result.times[rows], series[rows], colour=colour)

    axes = new_figure(3.5 * len(curves), 2.4).subplots(1, len(curves), squeeze=False)[0]
    panels = [
        Panel(
            "time [s]",
            axis_label([name for name, _ in members], unit),
            [line(name, v, i) for i, (name, v) in enumerate(members)],
        )
        for unit, members in curves
    ]
    draw_panels(panels, ax=axes)
    return axes[0].figure


class Animation:
    """A motion as a page that plays by itself: in a notebook in a frame of its own, beside as many others as one likes.

    Attributes:
        title: Of the model.
        page: The whole page, HTML.
        height: Of the frame [px].
    """

    def __init__(self, title: str, page: str, height: int = 520) -> None:
        self.title = title
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        # a frame without an origin of its own can neither read the notebook nor disturb other animations
        return (
            f'<iframe sandbox="allow-scripts" loading="lazy" title="{html.escape(self.title, quote=True)}" '
            f'style="width:100%;height:{self.height}px;border:1px solid rgb(128 128 128 / 27%);border-radius:6px" '
            f'srcdoc="{html.escape(self.page, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Animation of {self.title!r}, {len(self.page) // 1000} kB>"
