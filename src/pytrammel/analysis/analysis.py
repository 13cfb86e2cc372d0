"""An analysis with its options as one object, for functions that run it many times: searches, gradients, batches, comparisons."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.messages import meant, nearest, short
from pytrammel.analysis.options import checked_options, instants_from
from pytrammel.errors import ModelError
from pytrammel.model.base import Model

Array = NDArray[np.float64]
ANALYSES = ("kinematics", "simulate", "inverse_dynamics", "statics", "equilibrium", "modes")
AT_REST = ("equilibrium", "modes")
OF_RUNS = ("progress", "callback", "store")  # options of a single run that cannot be repeated
TIMES = ("duration", "start_time", "samples", "output_step", "times")


def options_of(verb: str) -> list[str]:
    """Return the options of an analysis."""
    parameters = inspect.signature(getattr(Model, verb)).parameters
    return [key for key in parameters if key != "model" and key not in OF_RUNS]


class Analysis:
    """An analysis with its options, checked when it is made.

        m.optimize(minimize="max(abs(A.reaction))", variables=["rod"], analysis=tm.Analysis("simulate", 1.0, samples=401))

    Attributes:
        name: Name of the analysis.
        options: Its options by name, the duration among them.
    """

    name: str
    options: Mapping[str, Any]

    def __init__(self, name: str, duration: float | None = None, **options: Any) -> None:
        """Check and store the analysis.

        Args:
            name: "kinematics", "simulate", "inverse_dynamics", "statics", "equilibrium", or "modes" (small motions at an equilibrium).
            duration: Length of the run [s].
            options: Options of the method of that name, e.g. ``samples=401``, ``rtol=1e-10``, ``initial={"A.angle": 0.3}``; for "modes"
                options of `equilibrium`.
        """
        if not isinstance(name, str) or name not in ANALYSES:
            raise ModelError(f"analysis is {short(name)}; use one of: {', '.join(ANALYSES)}.{meant(name, ANALYSES)}")
        verb = "equilibrium" if name in AT_REST else name
        given = options if duration is None else {"duration": duration, **options}
        settled = checked_options(f"analysis {name!r}", options_of(verb), given, getattr(Model, verb))
        if any(settled.get(key) is not None for key in ("duration", "times")):
            instants_from(1, settled)
        if isinstance(settled.get("times"), np.ndarray):
            settled["times"].setflags(write=False)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", MappingProxyType(settled))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"an analysis cannot be changed. Make another one: tm.Analysis({self.name!r}, {name}=...)."
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an analysis cannot be changed; {name!r} stays.")

    @property
    def verb(self) -> str:
        """Name of the method of a model that runs it."""
        return "equilibrium" if self.at_rest else self.name

    @property
    def at_rest(self) -> bool:
        """Return True if the analysis has no output times."""
        return self.name in AT_REST

    @property
    def times(self) -> Array:
        """Output times [s]; none at rest."""
        return np.zeros(0) if self.at_rest or self.name == "statics" else instants_from(1, self.options)

    def at_times(self, times: ArrayLike) -> Self:
        """Return this analysis at other output times [s]."""
        kept = {key: value for key, value in self.options.items() if key not in TIMES}
        return type(self)(self.name, times=times, **kept)

    def with_options(self, **options: Any) -> Self:
        """Return this analysis with other or more options."""
        return type(self)(self.name, **{**self.options, **options})

    def __repr__(self) -> str:
        given = [repr(self.options["duration"])] if "duration" in self.options else []
        given += [f"{key}={_shown(value)}" for key, value in self.options.items() if key != "duration"]
        return f"tm.Analysis({', '.join([repr(self.name), *given])})"

    def _identity(self) -> tuple[Any, ...]:
        plain = {key: x.tolist() if isinstance(x, np.ndarray) else x for key, x in self.options.items()}
        return self.name, plain

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Analysis) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, *sorted(self.options)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.name, dict(self.options))


def _made_again(kind: type[Analysis], name: str, options: Mapping[str, Any]) -> Analysis:
    return kind(name, **options)


def _shown(value: Any) -> str:
    return short(value.tolist()) if isinstance(value, np.ndarray) else repr(value)


def chosen_analysis(
    analysis: object, *, duration: object = None, samples: object = None, times: object = None, **more: Any
) -> Analysis:
    """Return the analysis that arguments of a function stand for: an object, or a name with output times.

    Args:
        analysis: An `Analysis` or a name.
        duration, samples, times: Output times for a name.
        more: Other arguments that belong to the options of an analysis of that name.
    """
    given = {"duration": duration, "samples": samples, "times": times, **more}
    given = {key: value for key, value in given.items() if value is not None}
    if not isinstance(analysis, Analysis):
        if not isinstance(analysis, str):
            raise ModelError(f"analysis must be a name or tm.Analysis, but it is {short(analysis)}.")
        return Analysis(analysis, **given)
    if given:
        key = next(iter(given))
        raise ModelError(
            f"{key}= would not be used, because analysis={short(analysis)} holds its options. Pass {key} to tm.Analysis."
        )
    return analysis


def refuse_options_of_analysis(title: str, own: Sequence[str], analysis: object, given: Mapping[str, Any]) -> None:
    """Raise `ModelError` for an option of the analysis that is passed to a function which takes it in an `Analysis`."""
    name = analysis.name if isinstance(analysis, Analysis) else analysis
    if not isinstance(name, str) or name not in ANALYSES:
        return
    known = options_of("equilibrium" if name in AT_REST else name)
    for key in given:
        near = key if key in (*own, *known) else nearest(key, [*own, *known])
        if key not in own and near in known and near not in own:
            question = "Use" if near == key else f"Did you mean {near!r}? Use"
            raise ModelError(
                f"{title} has no option {key!r}. {question} analysis=tm.Analysis({name!r}, ..., {near}=...)."
            )
