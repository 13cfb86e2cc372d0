"""Coupler curves and cam profiles as drawings: DXF for CAD and machines, SVG at true size.

k = m.kinematics(1.0)
tm.save_curves("coupler.dxf", k.point("P"))
tm.save_curves("cam.svg", cam, unit="mm")
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.atomic_write import write_whole
from pytrammel._util.checks import checked
from pytrammel._util.messages import short
from pytrammel.errors import FileWriteError, ModelError
from pytrammel.results.series import PointSeries
from pytrammel.units import LENGTH_UNITS

Array = NDArray[np.float64]
Line = tuple[str, Array, bool]  # name, points in the unit of the drawing, closed
CLOSED = 1e-6  # gap between the ends, against the size, below which a path is closed


@checked
def save_curves(path: str | Path, *curves: object, unit: str = "mm", samples: int = 721) -> Path:
    """Write curves as a drawing at true size.

    Args:
        path: File, .dxf (R12 polylines, in space too) or .svg (the x-y plane).
        curves: Paths of points (``k.point("P")``), curves such as cam profiles (``tm.curves.polar_table(...)``), or arrays of points [m],
            shape (n, 2) or (n, 3).
        unit: Length unit of the drawing.
        samples: Points along a curve that is given by a formula or table.
    """
    file = Path(path)
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: a drawing's suffix must be one of {', '.join(WRITERS)}."
        )
    if unit not in LENGTH_UNITS:
        raise ModelError(f"unit {short(unit)} is not known; use one of: {', '.join(LENGTH_UNITS)}.")
    if not curves:
        raise ModelError("save_curves needs at least one curve: a point's path, a cam profile or an array of points.")
    if not isinstance(samples, int) or isinstance(samples, bool) or samples < 3:
        raise ModelError(f"samples is {short(samples)}; it must be a whole number of at least 3.")
    lines = []
    for number, curve in enumerate(curves, start=1):
        name, points, closed = _points(curve, number, samples)
        lines.append((name, points / LENGTH_UNITS[unit], closed))
    return write_whole(file, writer(lines, unit).encode())


def _points(curve: object, number: int, samples: int) -> Line:
    name = str(getattr(curve, "name", "") or f"curve {number}")
    if isinstance(curve, PointSeries):
        points, closed = np.asarray(curve.position, dtype=float), False
    elif hasattr(curve, "sample") and hasattr(curve, "closed"):
        points, closed = np.asarray(curve.sample(samples), dtype=float), bool(curve.closed)
    else:
        try:
            points, closed = np.asarray(curve, dtype=float), False
        except (TypeError, ValueError, OverflowError):
            raise ModelError(
                f"curve {number} is {short(curve)}; give a point's path, a curve or an array of points."
            ) from None
    if points.ndim != 2 or points.shape[1] not in (2, 3) or len(points) < 2 or not np.isfinite(points).all():
        raise ModelError(
            f"curve {name!r} must be two or more finite points (x, y) or (x, y, z), but its shape is {points.shape}."
        )
    size = float(np.ptp(points, axis=0).max())
    if len(points) > 2 and float(np.linalg.norm(points[-1] - points[0])) <= CLOSED * size:
        points, closed = points[:-1], True  # the last point is the first again
    return name, points, closed


def _dxf(lines: list[Line], unit: str) -> str:
    """Polylines of DXF R12, one layer per curve."""
    out: list[tuple[int, object]] = [
        (999, f"lengths in {unit}"),
        (0, "SECTION"),
        (2, "HEADER"),
        (9, "$ACADVER"),
        (1, "AC1009"),
    ]
    out += [(0, "ENDSEC"), (0, "SECTION"), (2, "ENTITIES")]
    for name, points, closed in lines:
        layer = re.sub(r"[^A-Z0-9_$-]", "_", name.upper())[:31]  # what R12 allows in names
        space = points.shape[1] == 3
        out += [(0, "POLYLINE"), (8, layer), (66, 1), (10, 0.0), (20, 0.0), (30, 0.0), (70, int(closed) + 8 * space)]
        for point in points:
            x, y, z = (*point, 0.0)[:3]
            out += [(0, "VERTEX"), (8, layer), (10, float(x)), (20, float(y)), (30, float(z)), (70, 32 if space else 0)]
        out += [(0, "SEQEND"), (8, layer)]
    out += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code:>3}\n{value if not isinstance(value, float) else repr(value)}\n" for code, value in out)


def _svg(lines: list[Line], unit: str) -> str:
    """Paths in the x-y plane, y up, at true size where SVG knows the unit."""
    everything = np.vstack([points[:, :2] for _, points, _ in lines])
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = 0.05 * float((high - low).max() or 1.0)
    x, y = low[0] - margin, -(high[1] + margin)
    width, height = high - low + 2.0 * margin
    factor, true = {"m": (1000.0, "mm"), "ft": (12.0, "in")}.get(unit, (1.0, unit))  # SVG knows mm, cm and in
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{factor * width:.9g}{true}" height="{factor * height:.9g}{true}" '
        f'viewBox="{x:.9g} {y:.9g} {width:.9g} {height:.9g}">'
    )
    body = [f"  <desc>lengths in {escape(unit)}</desc>"]
    for name, points, closed in lines:
        steps = " L ".join(f"{px:.9g} {-py:.9g}" for px, py in points[:, :2])
        style = f'fill="none" stroke="#22303c" stroke-width="{0.04 * margin:.3g}"'
        body.append(f'  <path id={quoteattr(name)} {style} d="M {steps}{" Z" if closed else ""}"/>')
    return "\n".join([head, *body, "</svg>", ""])


WRITERS: dict[str, Callable[[list[Line], str], str]] = {".dxf": _dxf, ".svg": _svg}
