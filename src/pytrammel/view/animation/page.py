"""The page of an animation: the modules of the folder ``player`` and the data of a scene, put together into one offline file.

The modules are plain JavaScript modules, which node can import and test. For the page they are joined into one script, those that
others import first; ``import`` lines and the word ``export`` fall away, so that names at the top of modules must differ.
"""

from __future__ import annotations

import functools
import html
import json
import math
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError
from pytrammel.view.animation.thinning import Moving, faithful_frames
from pytrammel.view.scene.planar import Array
from pytrammel.view.theme import page_style, page_themes

FRAMES = 1500
"""Frames of a long run that a page stores in any case."""
MAX_FRAMES = 6000
"""Frames that it stores where bodies or arrows move too fast for fewer."""
MAX_NUMBERS = 1_500_000
"""Numbers in the frames of a page beyond which it stores no more than `FRAMES`."""
SEEN = 2e-3
"""Error between frames that may remain, relative to the size of the picture (a dot or two) or [rad]."""
ARROW_SEEN = 1e-2
"""Error that may remain of an arrow, relative to the longest one of its kind."""
FIRST = "main.mjs"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w]+\.mjs)";\n', re.MULTILINE)


def make_page(title: str, data: dict[str, Any], *, live: bool = False) -> str:
    """The page that shows ``data``. Live, it may ask the server it came from for frames; else it asks for nothing."""
    fields = {
        "TITLE": html.escape(title),
        "DATA": embed_json(data | page_themes() | {"live": live}),
        "STYLE": page_style() + _text("style.css").rstrip(),
        "SCRIPT": player_script(),
        "CONNECT": "'self'" if live else "'none'",
    }
    return re.sub(r"\{\{([A-Z_]+)\}\}", lambda found: fields[found[1]], _text("page.html"))


@functools.cache
def player_script() -> str:
    """All modules that the first one needs, as one script."""
    return "\n".join(
        re.sub(r"^export (?=const|function|class|let)", "", _IMPORT.sub("", text), flags=re.MULTILINE).strip()
        for text in _ordered(FIRST, {}).values()
    )


def _ordered(name: str, known: dict[str, str]) -> dict[str, str]:
    """A module after those that it imports."""
    text = _text(name)
    for other in _IMPORT.findall(text):
        if other not in known:
            _ordered(other, known)
    known[name] = text
    return known


def _text(name: str) -> str:
    return resources.files("pytrammel.view").joinpath("player", name).read_text(encoding="utf-8")


def embed_json(data: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or start a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def player_options(
    times: Array, fps: float, duration: float | None, width: int | None, max_frames: int
) -> dict[str, float | None]:
    """What the player of a page needs to know; see `pytrammel.view.animation.planar.write_html` for the arguments."""
    for name, value, unit in (
        ("fps", fps, " 1/s"),
        ("duration", duration, " s"),
        ("width", width, " pixels"),
        ("max_frames", max_frames, ""),
    ):
        if value is not None and not 0.0 < value < math.inf:
            raise ModelError(f"animate: {name} is {value:g}{unit}; it must be finite and greater than 0.")
    shown = min(max(length_of(times), 2.0), 20.0) if duration is None else duration
    return {"fps": fps, "width": width, "duration": shown}


def page_frames(times: Array, series: Sequence[Moving], max_frames: int) -> tuple[NDArray[np.intp], str]:
    """Frames that a page stores, and a note where motion between them may differ from the run; see `faithful_frames`."""
    most = min(max_frames, max(FRAMES, MAX_NUMBERS // max(len(series), 1)))
    rows, met = faithful_frames(np.asarray(times, dtype=float), series, FRAMES, most)
    return rows, "" if met else f"{len(rows)} of {len(times)} samples stored, too few for all motion between them"


def arrow_series(vectors: Sequence[tuple[str, Array]]) -> list[Moving]:
    """Components of arrows by kind, shape (n, n_components), with the errors that may remain."""
    largest: dict[str, float] = {}
    for kind, vector in vectors:
        largest[kind] = max(largest.get(kind, 0.0), float(np.linalg.norm(vector, axis=1).max(initial=0.0)))
    return [Moving(column, ARROW_SEEN * largest[kind]) for kind, vector in vectors for column in vector.T]


def length_of(times: Array) -> float:
    """Time from the first to the last frame [s]; 0 without frames."""
    return float(times[-1] - times[0]) if len(times) else 0.0


def decimals(size: float) -> int:
    """Decimals that resolve a millionth of ``size``; np.round takes negative ones too."""
    return 7 - math.ceil(math.log10(size)) if size > 0.0 else 6


def rounded_series(values: Array, digits: int) -> list[float]:
    """Rounded values; one only where they are all the same."""
    rounded = np.round(values, digits) + 0.0  # no negative zeros
    constant = bool((rounded == rounded[:1]).all())
    values_out: list[float] = (rounded[:1] if constant else rounded).tolist()
    return values_out


def phase_states(active: tuple[bool, ...] | None, kept: NDArray[np.intp]) -> dict[str, str]:
    """What comes and goes with phases: a digit per frame, 0 while it is off; nothing for what always acts."""
    return {} if active is None or all(active) else {"on": "".join("1" if active[i] else "0" for i in kept)}
