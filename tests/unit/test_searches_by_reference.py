"""CMA-ES against the equations of Hansen's tutorial (arXiv 1604.00772), generation by generation with the same random numbers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pytrammel.design.optimization.search import cma


class Recorded:
    """A problem in the unit box that notes the designs it is asked for."""

    def __init__(self, value) -> None:
        self.value, self.tables, self.low, self.high = value, [], np.zeros(0), np.zeros(0)
        self.trials = SimpleNamespace(many=self.many, at=lambda x: SimpleNamespace(ok=True))

    def many(self, table):
        self.tables.append(np.array(table))
        return [SimpleNamespace(x=x, value=self.value(x)) for x in table]

    def scaled(self, x):
        return x

    unscaled = scaled

    def note(self, trial):
        pass

    def rank(self, trial):
        return trial.value


def tutorial(value, x, generations, seed):
    """Evaluated designs of each generation, written with C^(-1/2) and the changed rate of the rank-one update."""
    n = len(x)
    random = np.random.default_rng(seed)
    count = 4 + int(3 * np.log(n)) + n
    mu = count // 2
    w = np.log(mu + 0.5) - np.log(np.arange(1, mu + 1))
    w /= w.sum()
    mu_eff = 1 / (w**2).sum()
    cc = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n)
    cs = (mu_eff + 2) / (n + mu_eff + 5)
    c1 = 2 / ((n + 1.3) ** 2 + mu_eff)
    cmu = min(1 - c1, 2 * (mu_eff - 2 + 1 / mu_eff) / ((n + 2) ** 2 + mu_eff))
    ds = 1 + 2 * max(0, np.sqrt((mu_eff - 1) / (n + 1)) - 1) + cs
    chi = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
    m, sigma, C, pc, ps = np.array(x), 0.3, np.eye(n), np.zeros(n), np.zeros(n)
    tables, best, least = [m[None]], m, value(m)
    for g in range(1, generations + 1):
        eigenvalues, B = np.linalg.eigh(C)
        z = random.normal(size=(count, n))
        y = np.array([B @ np.diag(np.sqrt(eigenvalues)) @ each for each in z])
        points = m + sigma * y
        inside = np.clip(points, 0, 1)
        tables.append(inside)
        worth = [value(p) + 1e-3 * ((q - p) ** 2).sum() for p, q in zip(inside, points, strict=True)]
        if min(worth) < least:
            best, least = inside[np.argmin(worth)], min(worth)
        chosen = y[np.argsort(worth, kind="stable")[:mu]]
        step = sum(wi * yi for wi, yi in zip(w, chosen, strict=True))
        m = m + sigma * step
        root = B @ np.diag(eigenvalues**-0.5) @ B.T
        ps = (1 - cs) * ps + np.sqrt(cs * (2 - cs) * mu_eff) * root @ step
        steady = np.linalg.norm(ps) / np.sqrt(1 - (1 - cs) ** (2 * g)) < (1.4 + 2 / (n + 1)) * chi
        pc = (1 - cc) * pc + steady * np.sqrt(cc * (2 - cc) * mu_eff) * step
        c1a = c1 * (1 - (1 - steady) * cc * (2 - cc))
        C = (
            (1 - c1a - cmu) * C
            + c1 * np.outer(pc, pc)
            + cmu * sum(wi * np.outer(yi, yi) for wi, yi in zip(w, chosen, strict=True))
        )
        sigma *= np.exp(cs / ds * (np.linalg.norm(ps) / chi - 1))
    return tables, best


def valley(x):
    """A narrow bent valley."""
    return float(sum(100 * (x[1:] - x[:-1] ** 2) ** 2) + sum((x - 0.6) ** 2))


def slope(x):
    """A long way to a corner of the box, beyond which half of the designs lie."""
    return float(x @ np.arange(1, len(x) + 1)) * 1e-4


def cliff(x):
    """A slope across which the cloud must become flat."""
    return float(1e4 * (x[0] - x[-1]) ** 2 + 1e-2 * x.sum())


@pytest.mark.parametrize("value", [valley, slope, cliff])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_cma_follows_the_equations_of_its_source(n, value):
    """The size of the cloud and its shape change in 25 generations (1e-7 by the growth of rounding)."""
    start = np.linspace(0.95, 0.6, n)
    problem = Recorded(value)
    problem.low, problem.high = np.zeros(n), np.ones(n)
    best = cma(problem, start, 25, 4)
    expected, there = tutorial(value, start, 25, 4)
    assert len(problem.tables) == len(expected)
    for found, table in zip(problem.tables, expected, strict=True):
        assert found == pytest.approx(table, abs=1e-7)
    assert best == pytest.approx(there, abs=1e-7)
