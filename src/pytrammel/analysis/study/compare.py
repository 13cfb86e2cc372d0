"""Formulations side by side: the same motion, what each costs, how accurate it is, and what drifts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel._util.progress import Progress
from pytrammel.analysis.analysis import Analysis
from pytrammel.analysis.compare import INSTANTS, ModelProblem, compared_span, listed_values, positive_entry
from pytrammel.analysis.formulations import Formulation, formulations
from pytrammel.analysis.formulations import formulation as formulation_of
from pytrammel.analysis.options import verb
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.results.studies.comparison import FormulationComparison, Trial

SHORT, AGAIN = 0.05, 2  # seconds: such runs are timed again, so many times
TWICE = ("III", "auto")  # other names of what is compared already


@verb
def compare_formulations(
    model: Model,
    duration: float | None = None,
    *,
    formulations: Sequence[str | Formulation] | None = None,
    tolerances: Sequence[float] = (1e-6, 1e-9),
    start_time: float = 0.0,
    analysis: Analysis | None = None,
    progress: bool = True,
) -> FormulationComparison:
    """Run the same motion in every formulation that can hold the model, and compare size, time, steps, error, drift and energy.

        print(tm.textbook.compare_formulations(model, 2.0))
        tm.textbook.compare_formulations(model, 2.0, formulations=["cartesian", tm.formulations.joint(form="bodies")]).plot()

    Args:
        model: The model; every body needs a mass and an inertia.
        duration: Length of the runs [s].
        formulations: Which to compare; all of ``tm.formulations`` by default.
        tolerances: Values of rtol; atol is a hundredth of it.
        start_time: Time at the start [s].
        analysis: Instead of `duration`: ``tm.Analysis("simulate", 2.0, constraints="baumgarte")``.
        progress: Show a progress bar if it takes longer than a second.

    Returns:
        The table (print it), its picture (``.plot()``) and the runs as data. Errors are distances of coordinates [m, rad] from a run with
        a tolerance of 1e-12 in body coordinates. Formulations that cannot hold the model are listed with the reason.
    """
    begin, length, options = compared_span(duration, start_time, analysis)
    chosen = _chosen(formulations)
    rtols = [positive_entry(x, "tolerances") for x in listed_values(tolerances, "tolerances")]
    if "formulation" in options:
        raise ModelError("analysis= must not give 'formulation', which the comparison chooses. Use formulations=.")
    problem = ModelProblem(model, np.linspace(begin, begin + length, INSTANTS), options)
    trials: list[Trial] = []
    sizes: dict[str, tuple[int, int]] = {}
    refused: dict[str, str] = {}
    with Progress("comparison", enabled=progress) as bar:
        problem.find_reference(bar)
        for k, each in enumerate(chosen):
            for rtol in rtols:
                try:
                    trial, size = _timed(problem, each, rtol)
                except ModelError as error:
                    refused[str(each)] = str(error)
                    break
                trials.append(trial)
                sizes[str(each)] = size
            bar.update((k + 1.0) / len(chosen), str(each))
    return FormulationComparison(tuple(trials), problem.what, problem.source, problem.uncertainty, sizes, refused)


def _chosen(given: Any) -> list[Formulation]:
    if given is None:
        return [each for name, each in formulations.items() if name not in TWICE]
    wrong = [each for each in listed_values(given, "formulations") if not isinstance(each, str | Formulation)]
    if wrong:
        raise ModelError(f"formulations must be a list of names of formulations, but it holds {short(wrong[0])}.")
    return [formulation_of(each) for each in listed_values(given, "formulations")]


def _timed(problem: ModelProblem, each: Formulation, rtol: float) -> tuple[Trial, tuple[int, int]]:
    """A run, timed again if it is short, and its size."""
    asked = {"formulation": each, "rtol": rtol, "atol": 0.01 * rtol}
    trial, done = problem.trial_of(str(each), rtol, False, asked)
    seconds = trial.seconds
    for _ in range(AGAIN if not trial.failure and seconds < SHORT else 0):
        seconds = min(seconds, problem.trial_of(str(each), rtol, False, asked)[0].seconds)
    statistics = done.dynamics.statistics
    return replace(trial, seconds=seconds), (statistics.integrated, statistics.rows)
