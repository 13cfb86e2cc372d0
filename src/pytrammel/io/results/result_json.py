"""Results as JSON: plain lists of numbers in SI units that any language can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pytrammel import __version__
from pytrammel.io.decks.kap_deck import KapDeck
from pytrammel.io.decks.kap_quirks import compatibility_notes
from pytrammel.model.base import Model

if TYPE_CHECKING:
    from pytrammel.results.result import Result


def result_json(source: KapDeck | Model, result: Result, *, error: str | None = None) -> dict[str, Any]:
    """Everything that was computed, ready for `json.dumps`.

    Args:
        source: Deck or model that was analysed; a deck adds the notes on KAP.
        result: Its analysis.
        error: Sentence that says why the run stopped early, if it did.
    """
    suffixes, of_points = result._suffixes(), result._suffixes(points=True)
    data: dict[str, Any] = {
        "format": "trammel-result",
        "version": __version__,
        "model": result.model.name,
        "units": {"time": "s", "length": "as in the deck" if isinstance(source, KapDeck) else "m", "angle": "rad"},
        "times": result.times.tolist(),
        "bodies": {name: _listed(result[name], suffixes) for name in list(result.model.bodies)[1:]},
        "points": {name: _listed(result.point(name), of_points) for name in result.model.points},
        "events": [event.to_dict() for event in result.events],
        "log": result.log(),
        "warnings": [{"kind": w.kind, "sentence": str(w), "time": w.time} for w in result.warnings],
        "notes": compatibility_notes(source, result) if isinstance(source, KapDeck) else [],
    }
    if error is not None:
        data["error"] = error
    return data


def _listed(series: Any, names: Sequence[str]) -> dict[str, list[float]]:
    return {name: getattr(series, name).tolist() for name in names}
