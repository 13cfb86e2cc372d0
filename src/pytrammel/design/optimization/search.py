"""Searches over whole ranges that only compare variants: differential evolution and CMA-ES, whole generations at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.batches.samples import Sample
from pytrammel.design.optimization.problem import Problem

Array = NDArray[np.float64]
Search = Callable[[Problem, Array, int, int], Array]
SMALL = 1e-9  # spread of a population, in ranges of the parameters, at which it has found its place


def ranks(problem: Problem, table: Array) -> Array:
    """Numbers by which a generation of scaled designs is ordered."""
    found = problem.trials.many(np.array([problem.unscaled(z) for z in table]))
    for trial in found:
        problem.note(trial)
    worth = np.array([problem.rank(trial) for trial in found])
    best = int(np.argmin(worth))
    while np.isfinite(worth[best]) and not problem.trials.at(found[best].x).ok:  # single runs know more than batches
        worth[best] = np.inf
        best = int(np.argmin(worth))
    return worth


def spread(problem: Problem, count: int, seed: int) -> Array:
    """Designs that fill the ranges evenly (scrambled Sobol points), SI, shape (count, n_parameters)."""
    unit = Sample(count, "sobol", seed, None, "bounds").unit(problem.low.size)
    return np.asarray(problem.low + unit * (problem.high - problem.low))


def differential_evolution(problem: Problem, x: Array, generations: int, seed: int) -> Array:
    """Differential evolution (Storn and Price; best/1/bin with dithered steps), whole generations at a time."""
    n = x.size
    count = max(20, 10 * n)
    rng = np.random.default_rng(seed)
    people = problem.scaled(spread(problem, count, seed))
    people[0] = problem.scaled(np.clip(x, problem.low, problem.high))
    worth = ranks(problem, people)
    for _ in range(generations):
        best = people[np.argmin(worth)]
        pairs = np.array([rng.choice(count, 2, replace=False) for _ in range(count)])
        steps = rng.uniform(0.5, 1.0) * (people[pairs[:, 0]] - people[pairs[:, 1]])
        crossed = rng.random((count, n)) < 0.7
        crossed[np.arange(count), rng.integers(n, size=count)] = True
        made = _inside(np.where(crossed, best + steps, people), rng)
        new = ranks(problem, made)
        better = new <= worth
        people[better], worth[better] = made[better], new[better]
        if np.ptp(people, axis=0).max() < SMALL or _level(worth):
            break
    return problem.unscaled(people[np.argmin(worth)])


def cma(problem: Problem, x: Array, generations: int, seed: int) -> Array:
    """Evolution strategy whose cloud of designs learns its shape (CMA-ES; Hansen, The CMA evolution strategy: a tutorial)."""
    n = x.size
    rng = np.random.default_rng(seed)
    count = 4 + int(3 * math.log(n)) + n
    half = count // 2
    weights = math.log(half + 0.5) - np.log(np.arange(1, half + 1))
    weights /= weights.sum()
    effective = 1.0 / float(np.sum(weights**2))
    c_path = (4 + effective / n) / (n + 4 + 2 * effective / n)
    c_size = (effective + 2) / (n + effective + 5)
    c_one = 2 / ((n + 1.3) ** 2 + effective)
    c_many = min(1 - c_one, 2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective))
    damping = 1 + 2 * max(0.0, math.sqrt((effective - 1) / (n + 1)) - 1) + c_size
    expected = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
    mean, size = problem.scaled(np.clip(x, problem.low, problem.high)), 0.3
    shape, path, path_size = np.eye(n), np.zeros(n), np.zeros(n)
    best, least = mean, float(ranks(problem, mean[None])[0])
    for generation in range(1, generations + 1):
        lengths, axes = np.linalg.eigh(shape)
        lengths = np.sqrt(np.maximum(lengths, 1e-20))
        made = mean + size * (rng.normal(size=(count, n)) * lengths) @ axes.T
        kept = np.clip(made, 0.0, 1.0)
        worth = ranks(problem, kept) + 1e-3 * ((made - kept) ** 2).sum(axis=1)  # what lies outside is pulled back
        order = np.argsort(worth, kind="stable")
        if worth[order[0]] < least:
            best, least = kept[order[0]], float(worth[order[0]])
        moves = (made[order[:half]] - mean) / size
        move = weights @ moves
        mean = mean + size * move
        path_size = (1 - c_size) * path_size + math.sqrt(c_size * (2 - c_size) * effective) * (
            axes @ ((axes.T @ move) / lengths)
        )
        steady = (
            np.linalg.norm(path_size) / math.sqrt(1 - (1 - c_size) ** (2 * generation)) < (1.4 + 2 / (n + 1)) * expected
        )
        path = (1 - c_path) * path + steady * math.sqrt(c_path * (2 - c_path) * effective) * move
        shape = (
            (1 - c_one - c_many) * shape
            + c_one * (np.outer(path, path) + (1 - steady) * c_path * (2 - c_path) * shape)
            + c_many * (moves.T * weights) @ moves
        )
        size *= math.exp((c_size / damping) * (float(np.linalg.norm(path_size)) / expected - 1))
        if size * lengths.max() < SMALL or size > 1e6:
            break
    return problem.unscaled(best)


SEARCHES: dict[str, Search] = {"differential_evolution": differential_evolution, "cma": cma}


def _inside(made: Array, rng: np.random.Generator) -> Array:
    """Designs beyond a bound get a value drawn anew."""
    outside = (made < 0.0) | (made > 1.0)
    return np.where(outside, rng.random(made.shape), made)


def _level(worth: Array) -> bool:
    """Return True if all of a generation are worth the same."""
    return bool(np.isfinite(worth).all() and np.ptp(worth) <= 1e-12 * (1.0 + abs(float(worth.min()))))
