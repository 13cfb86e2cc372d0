"""Functions of numbers in kernels that an operation of the graph does not stand for by itself; numbers are known or open."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from pytrammel.kernels.structure.graph import Graph, Open


def _extreme(name: str, graph: Graph, *values: Any) -> Any:
    return reduce(partial(graph.function, name), values)


def _size(graph: Graph, value: Any) -> Any:
    return graph.function("fabs", value) if isinstance(value, Open) else abs(value)


def _whole(_: Graph, value: Any) -> Any:
    return value if isinstance(value, Open) else int(value)


def _finite(graph: Graph, value: Any) -> Any:
    return graph.compare("<", _size(graph, value), 1e308) if isinstance(value, Open) else math.isfinite(value)


def _not_a_number(graph: Graph, value: Any) -> Any:
    return graph.add("!=", value, value, truth=True) if isinstance(value, Open) else math.isnan(value)


def _sign(graph: Graph, value: Any) -> Any:
    if not isinstance(value, Open):
        return float(np.sign(value))
    below = graph.chosen(graph.compare("<", value, 0.0), -1.0, 0.0)
    return graph.chosen(graph.compare(">", value, 0.0), 1.0, below)


# by the identity of the function that a kernel calls
OF_NUMBERS: dict[int, Callable[..., Any]] = {
    id(abs): _size, id(math.fabs): _size, id(np.abs): _size,
    id(min): partial(_extreme, "fmin"), id(max): partial(_extreme, "fmax"),
    id(int): _whole, id(float): lambda _, value: value,
    id(math.isfinite): _finite, id(math.isnan): _not_a_number, id(np.isnan): _not_a_number, id(np.sign): _sign,
}  # fmt: skip
