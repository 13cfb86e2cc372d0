"""Several objectives at once: designs none of which is better than another in everything."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, number_of, short
from pytrammel.analysis.batches.samples import Sample
from pytrammel.design.optimization.arguments import Task
from pytrammel.design.optimization.goals import Limit
from pytrammel.design.variant_runs import Trial, Trials, counted
from pytrammel.errors import ConvergenceError, ModelError, RunWarning, TrammelError, tell, untold
from pytrammel.model.base import Model
from pytrammel.results.formulas.reductions import Reduction

Array = NDArray[np.float64]
FilePath = str | PathLike[str] | None
Solve = Callable[..., Any]
EDGE = 1e-6  # of the range of an objective that its best value is loosened by, so that the other one can be best there
PEOPLE = 40


@brief
@dataclass(frozen=True)
class ParetoFront:
    """Designs of which none is better than another in all objectives (Pareto's front), sorted by the first one.

    Attributes:
        texts: The objectives, all to be small.
        objectives: Their values, shape (n, n_objectives).
        values: Values of the parameters by name, SI, shape (n,) each.
        original: The model as it was.
        method: How they were found.
        runs: How many variants were run.
        warnings: What is doubtful: one warning for each kind that runs of its designs have, with their number.
    """

    texts: tuple[str, ...]
    objectives: Array = field(repr=False)
    values: Mapping[str, Array] = field(repr=False)
    original: Model = field(repr=False)
    method: str
    runs: int
    warnings: tuple[RunWarning, ...] = field(repr=False, default=())

    def __len__(self) -> int:
        return len(self.objectives)

    @checked
    def model(self, k: int) -> Model:
        """The model of one design."""
        if not -len(self) <= k < len(self):
            raise ModelError(f"there is no design {k}: the front has {len(self)}, 0 to {len(self) - 1}.")
        return self.original._with_parameters({name: float(x[k]) for name, x in self.values.items()}, bounded=False)

    @property
    def knee(self) -> int:
        """The design nearest to having the best of everything, each objective measured by its range on the front."""
        low, width = self.objectives.min(axis=0), np.ptp(self.objectives, axis=0)
        return int(np.argmin(np.sum(((self.objectives - low) / np.where(width > 0.0, width, 1.0)) ** 2, axis=1)))

    def __str__(self) -> str:
        head = [
            f"front of {' and '.join(self.texts)} of {self.original.name!r}: {number_of(len(self), 'design')}, "
            f"{self.method}, {number_of(self.runs, 'run')}"
        ]
        columns = [*self.texts, *self.values]
        table = np.column_stack([self.objectives, *self.values.values()])
        widths = [max(len(name), 11) for name in columns]
        head.append("  " + "  ".join(f"{name:>{w}}" for name, w in zip(columns, widths, strict=True)))
        rows = ["  " + "  ".join(f"{x:>{w}.6g}" for x, w in zip(row, widths, strict=True)) for row in table]
        return "\n".join([*head, *rows, *(f"  warning: {warning}" for warning in self.warnings)])

    @checked
    def plot(self, path: FilePath = None, *, ax: Any = None) -> Any:
        """Objectives over each other; returns the axes.

        Args:
            path: File to write (png, svg, pdf).
            ax: Axes to draw on, one set per pair of objectives; a figure of its own by default.
        """
        from pytrammel.view.plots.designs import plot_front

        return plot_front(self.objectives, self.texts, ax=ax, path=path)


def checked_objectives(minimize: Sequence[str]) -> tuple[str, ...]:
    """Several objectives as texts."""
    texts = tuple(minimize) if isinstance(minimize, list | tuple) else ()
    if len(texts) < 2 or not all(isinstance(text, str) for text in texts):
        raise ModelError(f"minimize must be a formula, or a list of two or more, but it is {short(minimize)}.")
    return texts


# --- two objectives, along slopes ------------------------------------------------------------------------------------------


def by_limits(
    solve: Solve, value: Callable[[Array], Array], model: Model, texts: Sequence[str], subject_to: Sequence[str], points: int, starts: int
) -> ParetoFront:  # fmt: skip
    """Two objectives: the second is minimised with the first under a limit, which is moved from its best value upwards.

    Args:
        solve: Minimises from a model: solve(model, minimize=…, subject_to=…, starts=…) gives an `Optimum`.
        value: Both objectives for values of the parameters.
        model, texts, subject_to: What is asked for.
        points: How many designs.
        starts: From how many designs to begin at both ends.
    """
    first, second = texts
    with untold():  # the front has one warning for all
        ends = [solve(model, minimize=text, subject_to=list(subject_to), starts=starts) for text in texts]
    sides = [np.array(list(end.values.values())) for end in ends]
    low, high = (float(value(x)[0]) for x in sides)
    width = high - low
    runs, begin, found = sum(end.runs for end in ends), ends[0].model, []
    for level in np.linspace(low + EDGE * width, high, points) if width > 0.0 else ():
        try:
            below = f"{first.strip()} <= {float(level)!r}"  # a level of the objective, which is about samples
            with untold():
                here = solve(begin, minimize=second, subject_to=[*subject_to, below], starts=1, sampled=[below])
        except ConvergenceError:
            continue  # the limit is too tight for rounding
        begin, runs = here.model, runs + here.runs
        found.append((np.array(list(here.values.values())), here.warnings))
    found = found or [(sides[0], ends[0].warnings)]  # both are best in the same design
    return _front(
        model,
        texts,
        list(ends[0].values),
        [(x, value(x), told) for x, told in found],
        "one objective under a moving limit",
        runs,
    )


# --- any number of objectives, by generations --------------------------------------------------------------------------------


def by_generations(task: Task, goals: Sequence[Reduction], generations: int, seed: int) -> ParetoFront:
    """NSGA-II (Deb, Pratap, Agarwal, Meyarivan 2002): generations sorted by who dominates whom, then by room around each."""
    low, high, count = task.low, task.high, len(goals)
    parts = [(limit, part) for limit in task.limits for part in limit.parts]
    trials = task.trials.of([*goals, *(part for _, part in parts)])

    def judged(people: Array) -> tuple[Array, Array]:
        found = trials.many(low + people * (high - low))
        gaps = [_gaps(t, count, [limit for limit, _ in parts]) for t in found]
        return np.array([_worth(t, count) for t in found]), np.array([float(sum(gap)) for gap in gaps])

    rng = np.random.default_rng(seed)
    people = Sample(PEOPLE, "sobol", seed, None, "bounds").unit(low.size)
    worth, missed = judged(people)
    for _ in range(generations):
        ranks, room = _sorted(worth, missed)
        children = _children(people, ranks, room, rng)
        more, gaps = judged(children)
        people, worth, missed = np.vstack([people, children]), np.vstack([worth, more]), np.append(missed, gaps)
        ranks, room = _sorted(worth, missed)
        kept = np.lexsort((-room, ranks))[:PEOPLE]
        people, worth, missed = people[kept], worth[kept], missed[kept]
    good = np.flatnonzero((missed <= 0.0) & np.isfinite(worth).all(axis=1))
    designs = low + people * (high - low)
    singly = [(trials.at(designs[k]), worth[k]) for k in good]  # single runs know more than batches
    found = [(trial.x, value, trial.warnings) for trial, value in singly if trial.ok]
    if not found:
        raise ConvergenceError(
            _none(trials, trials.at(designs[np.argmin(missed)]), [limit for limit, _ in parts], count)
        )
    texts = [goal.text for goal in goals]
    method = f"NSGA-II, {generations} generations of {PEOPLE}"
    return _front(task.model, texts, task.names, found, method, trials.runs)


def _none(trials: Trials, nearest: Trial, limits: Sequence[Limit], count: int) -> str:
    """Why there is no front."""
    if not nearest.ok:
        lost = ", ".join(f"{n} {what}" for what, n in trials.failed.items())
        return f"no design was found that can be run: {lost}. Give narrower bounds."
    gaps: dict[str, float] = {}
    for limit, gap in zip(limits, _gaps(nearest, count, limits), strict=True):
        gaps[limit.text] = max(gap, gaps.get(limit.text, 0.0))
    missed = "; ".join(f"{text} is missed by {gap:.3g}" for text, gap in gaps.items() if gap > 0.0)
    return f"no design was found that keeps all limits. In the nearest one, {missed}. Loosen what cannot be met, or give wider bounds."


def _worth(trial: Trial, count: int) -> Array:
    return np.array([float(v) for v in trial.values[:count]]) if trial.ok else np.full(count, np.inf)


def _gaps(trial: Trial, count: int, limits: Sequence[Limit]) -> list[float]:
    """By how much each part of the limits is missed; 0 where it holds."""
    if not trial.ok:
        return [np.inf]
    parts = zip(trial.values[count:], limits, strict=True)
    return [max(float(np.max(np.abs(v) - 1e-6 if limit.equal else v)), 0.0) for v, limit in parts]


def _sorted(worth: Array, missed: Array) -> tuple[Array, Array]:
    """Rank of each design (0: none dominates it) and how much room is around it among its equals."""
    count = len(worth)
    no_worse = (worth[:, None, :] <= worth[None, :, :]).all(axis=2)
    better = (worth[:, None, :] < worth[None, :, :]).any(axis=2)
    both = (missed[:, None] <= 0.0) & (missed[None, :] <= 0.0)
    beats = np.where(both, no_worse & better, missed[:, None] < missed[None, :])
    ranks, left, rank = np.full(count, count), np.ones(count, dtype=bool), 0
    while left.any():
        best = left & ~(beats & left[:, None]).any(axis=0)
        ranks[best], rank = rank, rank + 1
        left &= ~best
    room = np.zeros(count)
    for rank in range(int(ranks.max()) + 1):
        room[ranks == rank] = _room(worth[ranks == rank])
    return ranks, room


def _room(worth: Array) -> Array:
    out = np.zeros(len(worth))
    for column in worth.T:
        order = np.argsort(column, kind="stable")
        out[order[[0, -1]]] = np.inf
        width = column[order[-1]] - column[order[0]]
        if len(order) > 2 and 0.0 < width < np.inf:
            out[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / width
    return out


def _children(people: Array, ranks: Array, room: Array, rng: np.random.Generator) -> Array:
    """Pairs that won small tournaments, crossed (SBX) and changed a little (polynomial mutation)."""
    count, n = people.shape

    def winners() -> Array:
        a, b = rng.integers(count, size=(2, count))
        first = (ranks[a] < ranks[b]) | ((ranks[a] == ranks[b]) & (room[a] > room[b]))
        return np.asarray(people[np.where(first, a, b)])

    mother, father = winners(), winners()
    u = rng.random((count, n))
    reach = np.where(u <= 0.5, (2 * u) ** (1 / 16), (1 / (2 * (1 - u))) ** (1 / 16))
    reach = np.where(rng.random((count, n)) < 0.5, reach, 1.0)
    made = 0.5 * ((1 + reach) * mother + (1 - reach) * father)
    u = rng.random((count, n))
    shift = np.where(u < 0.5, (2 * u) ** (1 / 21) - 1, 1 - (2 * (1 - u)) ** (1 / 21))
    return np.asarray(np.clip(np.where(rng.random((count, n)) < 1.0 / n, made + shift, made), 0.0, 1.0))


def _front(
    model: Model,
    texts: Sequence[str],
    names: Sequence[str],
    found: Sequence[tuple[Array, Array, tuple[RunWarning, ...]]],
    method: str,
    runs: int,
) -> ParetoFront:
    """Designs that none of the others dominates, sorted."""
    if not found:
        raise TrammelError("no design was found.")
    worth = np.array([each[1] for each in found])
    slack = 1e-9 * (1.0 + np.abs(worth).max(axis=0))
    kept = [
        k for k in range(len(found))
        if not any((worth[j] <= worth[k] + slack).all() and (worth[j] < worth[k] - slack).any() for j in range(len(found)))
    ]  # fmt: skip
    kept.sort(key=lambda k: tuple(worth[k]))
    distinct = [
        k
        for k, after in itertools.pairwise([*kept, -1])
        if after < 0 or np.any(np.abs(worth[k] - worth[after]) > slack)
    ]
    table = np.array([found[k][0] for k in distinct])
    doubted: dict[str, tuple[int, RunWarning]] = {}
    for k in distinct:
        for kind, warning in {each.kind: each for each in reversed(found[k][2])}.items():
            count, first = doubted.get(kind, (0, warning))
            doubted[kind] = (count + 1, first)
    front = ParetoFront(
        tuple(texts), worth[distinct], {name: table[:, j] for j, name in enumerate(names)}, model, method, runs,
        tuple(counted(doubted, len(distinct), "design of the front")),
    )  # fmt: skip
    tell(front.warnings, front)
    return front
