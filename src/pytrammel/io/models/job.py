"""The whole job of ``pytrammel run``: every analysis of a model file into a folder of results, pictures and a report."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pytrammel._util.atomic_write import write_whole
from pytrammel.errors import FileFormatError, ModelError, RunWarning, TrammelError
from pytrammel.io.models.analyses import OUTPUTS, run_analysis
from pytrammel.io.models.model_file import dumps
from pytrammel.io.results.result_json import result_json
from pytrammel.model.base import Model
from pytrammel.results.result import Result

JOB = "job.json"  # what a folder of results is about
WRITTEN = (".csv", ".json", ".txt", ".png", ".html")  # beside .trammel, to which a run streams


@dataclass
class Outcome:
    """What came out of one analysis.

    Attributes:
        name: Name of the analysis.
        verb: What was asked for.
        found: What the verb gave; what had been computed where it stopped early; None if there is nothing.
        error: Why it stopped, or "".
        files: What was written.
        plots, traces: What to show of a result.
        stored: Whether it was read from a file, and nothing was computed now.
        refused: Whether nothing was computed because what was given is wrong.
    """

    name: str
    verb: str
    found: Any = None
    error: str = ""
    files: list[Path] = field(default_factory=list)
    plots: tuple[str, ...] = ()
    traces: tuple[str, ...] | None = None
    stored: bool = False
    refused: bool = False

    @property
    def result(self) -> Result | None:
        """The run, where the verb gave one."""
        return self.found if isinstance(self.found, Result) else None

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.result is not None and self.result.interrupted and not self.stored

    @property
    def summary(self) -> str:
        """What came out, in a few lines."""
        if self.found is None:
            return f"{self.name}: nothing was computed."
        if isinstance(self.found, tuple):
            return "\n\n".join(map(str, self.found)) or f"{self.name}: none found."
        return str(self.found)

    def plain(self) -> dict[str, Any]:
        """Ready for `json.dumps`."""
        out: dict[str, Any] = {"name": self.name, "type": self.verb, "error": self.error or None}
        out["files"] = [str(path) for path in self.files]
        return {**out, "interrupted": self.interrupted, "summary": self.summary}


def analyse(
    model: Model, name: str, given: Mapping[str, Any], *, progress: bool = True, store: Path | None = None,
    resume: bool = False,
) -> Outcome:  # fmt: skip
    """Do one analysis; an error ends it, but what was computed before is kept.

    Args:
        model: The model.
        name: Name of the analysis.
        given: The verb under "type", and its options.
        progress: Show a progress bar.
        store: File to which a simulation streams.
        resume: Go on with what `store` holds, where there is something.
    """
    traces = given.get("traces")
    out = Outcome(
        name, given["type"], plots=tuple(given.get("plots", ())), traces=None if traces is None else tuple(traces)
    )
    try:
        if resume and store is not None and store.exists():
            out.found = _resumed(store, progress=progress)
        else:
            out.found = run_analysis(model, given, progress=progress, store=store)
    except TrammelError as error:
        out.error = str(error)
        if error.partial is not None and isinstance(error.partial, Result) and len(error.partial):
            out.found = error.partial
        out.refused = out.found is None and isinstance(error, ModelError)
    if out.result is not None:
        _check_shown(out, out.result)
    return out


def _resumed(store: Path, *, progress: bool) -> Result:
    """What a store holds, continued to its end if it was cut off."""
    from pytrammel.analysis.runs.dynamics import resume

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*was complete: nothing was left to do", category=RunWarning)
        return resume(store, progress=progress)


def note_job(model: Model, jobs: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Write down what a folder of results is about, so that it can be resumed."""
    write_whole(folder / JOB, json.dumps(_job(model, jobs), indent=1) + "\n")


def check_job(model: Model, jobs: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Refuse to resume what was not begun, or is something else now."""
    try:
        noted = json.loads((folder / JOB).read_text(encoding="utf-8"))
        before, analyses = noted["model"], dict(noted["analyses"])
    except OSError:
        raise ModelError(
            f"there is nothing to resume in {str(folder)!r}: it holds no {JOB} of a run before; leave out --resume."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise FileFormatError(
            f"{str(folder / JOB)!r} is damaged; leave out --resume to run everything again."
        ) from None
    now = _job(model, jobs)
    changed = [] if before == now["model"] else ["the model"]
    changed += [f"the analysis {name!r}" for name, job in now["analyses"].items() if analyses.get(name, job) != job]
    if changed:
        raise ModelError(
            f"{' and '.join(changed)} changed since the results in {str(folder)!r} were begun, and cannot be resumed: leave out --resume "
            "to run it again, or choose another folder (--out)."
        )


def _job(model: Model, jobs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    plain_jobs = {name: {k: v for k, v in job.items() if k not in OUTPUTS} for name, job in jobs.items()}
    bare = model.copy()
    bare.analyses = {}
    described = hashlib.sha256(dumps(bare, ".json").encode()).hexdigest()
    return {"format": "trammel-job", "model": described, "analyses": json.loads(json.dumps(plain_jobs, default=str))}


def _check_shown(out: Outcome, result: Result) -> None:
    """Leave out what was asked to be shown but does not exist, and say so."""
    kept = []
    for name in out.plots:
        try:
            result._column(name)
            kept.append(name)
        except TrammelError as error:
            out.error = out.error or f"plots: {error}"
    out.plots = tuple(kept)
    unknown = [name for name in out.traces or () if name not in result.model.points]
    if unknown:
        out.error = (
            out.error
            or f"traces: there is no point {unknown[0]!r}; points are: {', '.join(result.model.points) or 'none'}."
        )
        out.traces = tuple(name for name in out.traces or () if name in result.model.points)


def write_outcome(
    model: Model, outcome: Outcome, folder: Path, *, pictures: bool = True, digits: int | None = None
) -> None:
    """Write results as a table with a number of digits and as JSON, plots and an animation, each named after the analysis."""
    base = folder / outcome.name
    result = outcome.result
    for ending in WRITTEN:  # of a run before: nothing old may stand beside what is new
        base.with_suffix(ending).unlink(missing_ok=True)
    if outcome.found is None:
        return
    if result is None:
        data = {"format": "trammel-outcome", "model": model.name, "type": outcome.verb, "found": plain(outcome.found)}
        outcome.files.append(write_whole(base.with_suffix(".json"), json.dumps(data, allow_nan=False) + "\n"))
        outcome.files.append(write_whole(base.with_suffix(".txt"), outcome.summary + "\n"))
        return
    store = base.with_suffix(".trammel")
    if not store.exists() or outcome.verb != "simulate":  # a simulation has streamed to it
        with contextlib.suppress(ModelError):  # a model with a law in Python, which comes from no file
            result.save(store)
    outcome.files += [store] if store.exists() else []
    outcome.files.append(result.to_csv(base.with_suffix(".csv"), digits=digits))
    text = json.dumps(result_json(model, result, error=outcome.error or None), allow_nan=False)
    outcome.files.append(write_whole(base.with_suffix(".json"), text + "\n"))
    if pictures:
        result.plot(*outcome.plots, path=base.with_suffix(".png"))
        outcome.files.append(base.with_suffix(".png"))
        outcome.files.append(result.animate(base.with_suffix(".html"), traces=outcome.traces))


def plain(value: Any) -> Any:
    """Numbers, words and lists of anything that an analysis gives, for JSON; what is neither becomes its text."""
    if isinstance(value, np.ndarray):
        return [[x.real, x.imag] for x in value.ravel().tolist()] if np.iscomplexobj(value) else plain(value.tolist())
    if isinstance(value, bool | str | int | type(None)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    if isinstance(value, np.generic | complex):
        return plain(value.item()) if isinstance(value, np.generic) else [value.real, value.imag]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = [f.name for f in dataclasses.fields(value) if f.repr and f.name not in ("model", "system", "way")]
        return {name: plain(getattr(value, name)) for name in shown}
    return str(value)
