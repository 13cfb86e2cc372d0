"""`tolerances`: what tolerances of dimensions and clearances at pins do to a quantity of a result."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.batches.samples import Sample
from trammel.design.asked import by_name, listed, whole
from trammel.design.optimise.goals import Words, read_number
from trammel.design.pins import read_pins
from trammel.design.trials import Analysis, Trials
from trammel.design.uncertainty.scatter import Contribution, MonteCarlo, Scatter
from trammel.errors import AssemblyError, ModelError, RunWarning
from trammel.model.base import Model
from trammel.model.limits import kept_as, read_tolerance
from trammel.model.parameters import checked_free, free_parameters
from trammel.sentences import number_of, short

Array = NDArray[np.float64]
MOST = 10  # variables whose corners are all tried
FEW = 5  # parameters beside pins whose corners are all tried, one by one
SPREADS = ("normal", "uniform")


def tolerances(
    model: Model,
    quantity: str,
    *,
    analysis: str = "kinematics",
    over: Sequence[str] | None = None,
    tolerance: Mapping[str, Any] | None = None,
    clearance: Mapping[str, float | str] | None = None,
    extremes: bool = True,
    monte_carlo: int = 0,
    spread: str = "normal",
    sigmas: float = 3.0,
    seed: int = 0,
    data: Mapping[str, Any] | None = None,
    analysis_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Scatter:
    """What tolerances of parameters and clearances at pins do to a quantity: worst case, statistics, Monte Carlo.

    A pin with clearance lies anywhere within a circle about its hole, a ball within a sphere, at one place of it for the whole run; the
    worst direction counts.

    Args:
        model: The model; its parameters have tolerances (``m.parameter(…, tolerance="0.1 mm")``).
        quantity: A formula over results that is one number: "P.x[end]", "max(abs(A.reaction))".
        analysis: What is run: "kinematics", "simulate", "inverse_dynamics", "statics" or "equilibrium".
        over: Parameters that differ; by default all that have a tolerance.
        tolerance: Tolerances by name, instead of those of the parameters: {"rod": "0.1 mm", "crank": (0.0, 0.0002)}.
        clearance: Radii by which pins may lie beside their holes, by joint: {"A": "0.05 mm"}. Revolute joints (in space across their
            axes) and spherical ones (all round).
        extremes: Whether the corners are run for the true worst case (all of them up to 10 variables; beyond, those that slopes lead to).
        monte_carlo: How many variants a Monte Carlo run has (scrambled Sobol points); 0 for none.
        spread: "normal", with so many standard deviations within a tolerance as `sigmas` says, or "uniform" within it.
        sigmas: Standard deviations from the middle of a tolerance to its end.
        seed: Of the points.
        data: Arrays that the formula uses by name.
        analysis_options: Options of the analysis whose names are taken here.
        options: Those of the analysis: duration, samples, times …

    Returns:
        The `Scatter`: ``print`` it, ``plot_tornado()``, ``plot_histogram()``.
    """
    if not isinstance(model, Model):
        raise ModelError(f"tolerances needs a model, but it is given {short(model)}.")
    run = Analysis(analysis, {**options, **by_name(analysis_options, "analysis_options", "options")})
    formula = read_number(Words(model, data, run), quantity, "tolerances")
    _check(monte_carlo, spread, sigmas)
    whole(seed, "seed", 0)
    given = _tolerances(model, over, tolerance, clearance, formula.parameters)
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
    told: list[RunWarning] = []
    return Scatter(
        text=formula.text,
        nominal=float(nominal.values[0]),
        contributions=tuple(sorted(parts, key=lambda part: -part.reach)),
        sigmas=sigmas,
        spread=spread,
        extremes=_extremes(trials, given, slopes, told) if extremes else None,
        monte_carlo=_monte_carlo(trials, given, monte_carlo, spread, sigmas, seed, told) if monte_carlo else None,
        model=model,
        warnings=tuple(told),
    )._checked()


def _check(monte_carlo: int, spread: str, sigmas: float) -> None:
    if isinstance(monte_carlo, bool) or not isinstance(monte_carlo, int) or monte_carlo < 0 or monte_carlo == 1:
        raise ModelError(
            f"monte_carlo is {short(monte_carlo)}; it must be a whole number of variants, at least 2, or 0 for none."
        )
    if spread not in SPREADS:
        raise ModelError(f"spread is {short(spread)}; it can be {' or '.join(SPREADS)}.")
    if isinstance(sigmas, bool) or not isinstance(sigmas, float | int) or not 0.0 < sigmas < math.inf:
        raise ModelError(f"sigmas is {short(sigmas)}; it must be a positive number.")


def _tolerances(
    model: Model,
    over: Sequence[str] | None,
    tolerance: Mapping[str, Any] | None,
    clearance: Any,
    used: Mapping[str, float],
) -> dict[str, tuple[float, float]]:
    """By how much each parameter may be smaller and greater."""
    said = by_name(tolerance, "tolerance", "tolerances")
    names = listed(over, "over") if over is not None else None
    if names is None:
        free = [name for name in free_parameters(model) if name in used or name not in model.unused_parameters]
        names = [name for name in free if model.parameters[name].tolerance is not None or name in said]
        names += [name for name in said if name not in names]
    elif not names and not clearance:
        raise ModelError(
            "tolerances: over= is empty, so that nothing deviates; name parameters in it, or give clearance=."
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


def _corner(trials: Trials, given: Mapping[str, tuple[float, float]], lean: Array) -> Array:
    """The corner of all tolerances to which a slope leans."""
    x = trials.start
    for k, (minus, plus) in enumerate(given.values()):
        x[k] += plus if lean[k] > 0.0 else -minus
    for pin, own in trials.places():
        size = float(np.linalg.norm(lean[own]))
        if size:
            x[own] = pin.radius * lean[own] / size
    return x


def _extremes(
    trials: Trials, given: Mapping[str, tuple[float, float]], slopes: Array, told: list[RunWarning]
) -> tuple[float, float]:  # fmt: skip
    """Least and greatest value at the corners of all tolerances."""
    start, count = trials.start, len(given)
    tried = [trials.at(start)]
    if count <= MOST and not trials.pins:
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=count)))
        tried += trials.many(np.array([_corner(trials, given, lean) for lean in signs]))
    else:
        if count <= FEW:  # slopes that vanish lead to no corner
            for ends in itertools.product((-1.0, 1.0), repeat=count):
                leans = [np.append(ends, sign * slopes[count:]) for sign in (1.0, -1.0)]
                tried += [trials.at(_corner(trials, given, lean)) for lean in leans]
        for sign in (1.0, -1.0):
            lean = sign * slopes
            beside = _corner(trials, given, lean)
            beside[:count] = start[:count]
            tried.append(trials.at(beside))
            for _ in range(5):  # until slopes at the corner lead to the corner itself
                corner = _corner(trials, given, lean)
                tried.append(trials.at(corner))
                if not tried[-1].ok:
                    break
                turned = sign * trials.slopes(corner)[0]
                if np.allclose(
                    _corner(trials, given, turned), corner, rtol=0.0, atol=1e-6 * np.abs(trials.scales).min()
                ):
                    break
                lean = turned
    good = [float(trial.values[0]) for trial in tried if trial.ok]
    if len(good) < len(tried):
        told.append(
            RunWarning(
                "tolerances",
                f"{number_of(len(tried) - len(good), 'corner')} of the tolerances cannot be run; the worst case leaves out what cannot.",
            )
        )
    return min(good), max(good)


def _monte_carlo(
    trials: Trials, given: Mapping[str, tuple[float, float]], samples: int, spread: str, sigmas: float, seed: int,
    told: list[RunWarning],
) -> MonteCarlo:  # fmt: skip
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
    return MonteCarlo(np.array([float(trial.values[0]) for trial in found if trial.ok]), table, lost)
