"""`tolerances`: what tolerances of dimensions and clearances at pins do to a quantity of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import short
from pytrammel.analysis.analysis import Analysis
from pytrammel.analysis.batches.samples import Sample
from pytrammel.design.analysis import variant_analysis, with_analysis
from pytrammel.design.argument_checks import MOST, by_name, is_whole, lies_within, whole
from pytrammel.design.argument_checks import names as names_of
from pytrammel.design.clearances import read_pins
from pytrammel.design.optimization.goals import Words, read_number
from pytrammel.design.uncertainty.scatter import Contribution, MonteCarlo, ToleranceResult
from pytrammel.design.uncertainty.worst_case import worst_case
from pytrammel.design.variant_runs import Trial, Trials, counted
from pytrammel.errors import AssemblyError, ModelError, RunWarning
from pytrammel.model.base import Model
from pytrammel.model.limits import kept_as, read_tolerance
from pytrammel.model.parameters import checked_free, free_parameters
from pytrammel.results.formulas.reductions import refuse_unused_data

Array = NDArray[np.float64]
DISTRIBUTIONS = ("normal", "uniform")


@with_analysis
@checked(
    "quantity",
    "variables",
    "tolerance",
    "clearance",
    "data",
    "monte_carlo",
    "sigmas",
    "seed",
    "analysis",
    "duration",
    "samples",
    "times",
)
def tolerances(
    model: Model,
    quantity: str,
    *,
    analysis: str | Analysis = "kinematics",
    duration: float | None = None,
    samples: int | None = None,
    times: ArrayLike | None = None,
    variables: Sequence[str] | None = None,
    tolerance: Mapping[str, Any] | None = None,
    clearance: Mapping[str, float | str] | None = None,
    extremes: bool = True,
    monte_carlo: int = 0,
    distribution: str = "normal",
    sigmas: float = 3.0,
    seed: int = 0,
    data: Mapping[str, Any] | None = None,
) -> ToleranceResult:
    """What tolerances of parameters and clearances at pins do to a quantity: worst case, statistics, Monte Carlo.

    A pin with clearance lies anywhere within a circle about its hole, a ball within a sphere, at one place of it for the whole run; the
    worst direction counts.

    Args:
        model: The model; its parameters have tolerances (``m.parameter(…, tolerance="0.1 mm")``).
        quantity: A formula over results that is one number: "P.x[end]", "max(abs(A.reaction))".
        analysis: What is run: "kinematics", "simulate", "inverse_dynamics", "statics" or "equilibrium", or an `Analysis` with
            its output times and options: ``tm.Analysis("simulate", 1.0, samples=401)``.
        duration, samples, times: Output times of an analysis that is given by its name [s].
        variables: Parameters that differ; by default all that have a tolerance.
        tolerance: Tolerances by name, instead of those of the parameters: {"rod": "0.1 mm", "crank": (0.0, 0.0002)}.
        clearance: Radii by which pins may lie beside their holes, by joint: {"A": "0.05 mm"}. Revolute joints (in space across their
            axes) and spherical ones (all round).
        extremes: Whether to search the worst case inside all tolerances by runs: at corners (all of them up to 10 parameters), at interior
            points, and along gradients from several starts; with more of them, and scans of single parameters, where derivatives change
            their signs.
        monte_carlo: How many variants a Monte Carlo run has (scrambled Sobol points); 0 for none.
        distribution: "normal", with so many standard deviations within a tolerance as `sigmas` says, or "uniform" within it.
        sigmas: Standard deviations from the middle of a tolerance to its end.
        seed: Seed of interior and Monte Carlo points.
        data: Arrays that the formula uses by name.

    Returns:
        The `ToleranceResult`: ``print`` it, ``plot_tornado()``, ``plot_histogram()``.
    """
    run = variant_analysis(analysis, duration=duration, samples=samples, times=times)
    formula = read_number(Words(model, data, run), quantity, "tolerances")
    refuse_unused_data([formula], data)
    _check(monte_carlo, distribution, sigmas)
    monte_carlo, sigmas = int(monte_carlo), float(sigmas)
    seed = whole(seed, "seed", 0)
    given = _tolerances(model, variables, tolerance, clearance, formula.parameters)
    pins = read_pins(model, clearance)
    if not given and not pins:
        raise ModelError(
            f"tolerances: no parameter of model {model.name!r} has a tolerance, and no pin a clearance; give them with "
            "m.parameter(…, tolerance=…), tolerance= or clearance=."
        )
    scales = np.array(
        [*(10.0 * max(t) for t in given.values()), *(100.0 * pin.radius for pin in pins for _ in pin.ways)]
    )
    trials = Trials(model, tuple(given), run, [formula], scales, pins=pins)
    nominal = trials.at(trials.start)
    if not nominal.ok:
        run.run(model)  # says what is wrong
        raise AssemblyError(f"tolerances: the model cannot be run: {nominal.reason}")
    slopes = trials.slopes(trials.start)[0]
    parts = _contributions(trials, given, slopes)
    told = list(trials.warnings(trials.start))
    many, tried = (
        _monte_carlo(trials, given, monte_carlo, distribution, sigmas, seed, told) if monte_carlo else (None, [])
    )
    worst = worst_case(trials, given, slopes, seed, told, tried) if extremes else None
    told += _of_others(trials, nominal)
    return ToleranceResult(
        text=formula.text,
        nominal=float(nominal.values[0]),
        contributions=tuple(sorted(parts, key=lambda part: -part.reach)),
        sigmas=sigmas,
        distribution=distribution,
        worst_case=worst,
        monte_carlo=many,
        model=model,
        warnings=tuple(told),
    )._checked()


def _of_others(trials: Trials, nominal: Trial) -> list[RunWarning]:
    """One warning for each kind that runs besides the nominal one have."""
    own = {each.kind for each in nominal.warnings}
    others = {kind: (count, first) for kind, (count, first) in trials.doubted.items() if count > (kind in own)}
    return counted(others, trials.runs, "run")


def _check(monte_carlo: int, distribution: str, sigmas: float) -> None:
    if not is_whole(monte_carlo) or not 0 <= monte_carlo < MOST or monte_carlo == 1:
        raise ModelError(
            f"monte_carlo is {short(monte_carlo)}; it must be a whole number of variants, at least 2, or 0 for none."
        )
    if distribution not in DISTRIBUTIONS:
        raise ModelError(f"distribution is {short(distribution)}; it can be {' or '.join(DISTRIBUTIONS)}.")
    if not lies_within(sigmas, 1e-9, 1e9):
        raise ModelError(f"sigmas is {short(sigmas)}; it must be a positive number, from 1e-9 to 1e9.")


def _tolerances(
    model: Model,
    variables: Sequence[str] | None,
    tolerance: Mapping[str, Any] | None,
    clearance: Any,
    used: Mapping[str, float],
) -> dict[str, tuple[float, float]]:
    """By how much each parameter may be smaller and greater."""
    said = by_name(tolerance, "tolerance", "tolerances")
    names = names_of(variables, "variables") if variables is not None else None
    if names is None:
        free = [name for name in free_parameters(model) if name in used or name not in model.unused_parameters]
        names = [name for name in free if model.parameters[name].tolerance is not None or name in said]
        names += [name for name in said if name not in names]
    elif not names and not clearance:
        raise ModelError(
            "tolerances: variables= is empty, so that nothing deviates; name parameters in it, or give clearance=."
        )
    checked_free(model, [name for name in names if name not in used], "tolerances")
    out = {}
    for name in names:
        parameter = model.parameters[name]
        found = parameter.tolerance
        if name in said:
            found = read_tolerance(kept_as(said[name]), parameter.value, f"parameter {name!r}", parameter.dimension)
        if found is None:
            raise ModelError(f"tolerances: the parameter {name!r} has no tolerance; give tolerance={{{name!r}: …}}.")
        out[name] = found
    return out


def _contributions(trials: Trials, given: Mapping[str, tuple[float, float]], slopes: Array) -> list[Contribution]:
    parts = []
    for k, (name, (minus, plus)) in enumerate(given.items()):
        ends = (-slopes[k] * minus, slopes[k] * plus)
        middle, half = 0.5 * (plus - minus), 0.5 * (plus + minus)
        slope = float(slopes[k])
        words = f"- {minus:.4g} + {plus:.4g}" if minus != plus else f"± {plus:.4g}"
        parts.append(Contribution(name, words, slope, min(ends), max(ends), slope * middle, abs(slope) * half))
    for pin, own in trials.places():
        size, radius = float(np.linalg.norm(slopes[own])), pin.radius
        # a direction by chance: the mean square of its cosine is one half in a plane, a third in space
        even = 1.0 / len(pin.ways)
        reach = size * radius
        parts.append(Contribution(f"pin {pin.name}", f"within {radius:.4g}", size, -reach, reach, 0.0, reach, even))
    return parts


def _monte_carlo(
    trials: Trials, given: Mapping[str, tuple[float, float]], samples: int, spread: str, sigmas: float, seed: int,
    told: list[RunWarning],
) -> tuple[MonteCarlo, list[Trial]]:  # fmt: skip
    from scipy.special import ndtri

    turns = sum(len(pin.ways) - 1 for pin in trials.pins)
    unit = Sample(samples, "sobol", seed, None, "tolerances").unit(len(given) + turns)
    table = np.tile(trials.start, (samples, 1))
    for k, (minus, plus) in enumerate(given.values()):
        middle, half = 0.5 * (plus - minus), 0.5 * (plus + minus)
        inside = np.clip(unit[:, k], 1e-12, 1.0 - 1e-12)
        table[:, k] += middle + half * (ndtri(inside) / sigmas if spread == "normal" else 2.0 * inside - 1.0)
    left = unit[:, len(given) :]
    for pin, own in trials.places():
        mine, left = np.split(left, [len(pin.ways) - 1], axis=1)
        table[:, own] = pin.radius * pin.spread(mine)
    found = trials.many(table)
    lost = sum(not trial.ok for trial in found)
    if lost == samples:
        raise AssemblyError("tolerances: none of the variants of the Monte Carlo run can be run.")
    if lost:
        told.append(
            RunWarning(
                "tolerances", f"{lost} of {samples} variants of the Monte Carlo run cannot be run, and are left out."
            )
        )
    return MonteCarlo(np.array([float(trial.values[0]) for trial in found if trial.ok]), table, lost), found
