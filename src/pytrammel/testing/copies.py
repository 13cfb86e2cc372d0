"""Copies of models: by `copy`, by pickle and by `copy.deepcopy`, as described and in other poses."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from pytrammel.expressions.expression import Expression
from pytrammel.kernels.jit import prepare
from pytrammel.system.lowering import lower
from pytrammel.testing.failures import no_error, require, require_close
from pytrammel.testing.rows import along, random_state
from pytrammel.testing.samples import Type, add, fresh, plain_model, random_pose, random_sample

WAYS: dict[str, Callable[[Any], Any]] = {
    "a pickled copy": lambda model: pickle.loads(pickle.dumps(model)), "copy.deepcopy": copy.deepcopy, "copy.copy": copy.copy,
    "model.copy": lambda model: model.copy(),
}  # fmt: skip


def check_travel(kind: Type, way: str) -> None:
    """Check that a copied model describes the same, and that a body added to the copy is not in the original."""
    model = fresh(kind.space)
    add(kind, model)
    with no_error(kind, way):
        twin = WAYS[way](model)
    require(
        plain_model(twin) == plain_model(model), kind, f"{way} {_differing(model, twin)}; every number must be equal."
    )
    twin.body("new")
    require("new" not in model, kind, f"{way} shares its bodies with the original.")


def _differing(model: Any, twin: Any) -> str:
    """The first number or word in which two models differ."""
    one, two = ([*_leaves(plain_model(each))] for each in (model, twin))
    for before, after in zip(one, two, strict=False):
        if before != after:
            return f"has {after!r} where the model has {before!r}"
    return f"has {len(two)} numbers and words, the model has {len(one)}"


def _leaves(nested: Any) -> Any:
    if isinstance(nested, tuple):
        for item in nested:
            yield from _leaves(item)
    else:
        yield nested


def same_rows(kind: Type, model: Any, twin: Any, seed: int) -> None:
    """Check that residuals, rates and second rates of two models are equal at a random state."""
    one, two = lower(model), lower(twin)
    prepare(["measures_run", *one.primitives])
    same = one.columns == two.columns and one.coordinates == two.coordinates and one.rows == two.rows
    require(same, kind, "a copy has other rows or coordinates.")
    q, v, a = random_state(one, seed)
    labels = [f"row {k + 1}" for k in range(len(one.rows))]
    numbers = zip(("value", "rate", "second rate"), along(one, 0.3, q, v, a), along(two, 0.3, q, v, a), strict=True)
    for what, first, second in numbers:
        # points and axes are turned into global components and back: rounding of numbers up to ten
        limit = 1e-12 + 1e-12 * np.abs(second)
        require_close(kind, f"{what} of a copy", labels, first, second, limit, "that of the model")
    for name, constraint in model.constraints.items():
        for mine, others in zip(constraint.blocks, twin.constraints[name].blocks, strict=True):
            for target, other in zip(mine.targets, others.targets, strict=True):
                if isinstance(target, Expression):
                    require(str(target) == str(other), kind, f"a copy has the target {other} instead of {target}.")
                else:
                    limit = 1e-13 * (1 + abs(target))
                    require_close(kind, "target of a copy", [name], other, target, limit, "that of the model")


def check_copies(kind: Type, seed: int = 3) -> None:
    """Check the rows of copies, of copies of copies, and of copies whose bodies are drawn elsewhere."""
    model, constraint = random_sample(kind, seed)
    same_rows(kind, model, model.copy(), 30)
    same_rows(kind, model, model.copy().copy(), 31)
    if constraint.held_body is not None or (not kind.space and any(seat.radius for seat in constraint.seats)):
        return  # it holds a body where the copy draws it, or wheels and teeth as they are drawn in mesh
    rng = np.random.default_rng(40)
    model, _ = random_sample(kind, seed + 1)
    poses = {name: _pose(kind, rng) for name in "abc"}
    # what a joint read off the drawing it keeps: leans, lengths, values
    same_rows(kind, model, model.copy(changes=poses), 41)


def _pose(kind: Type, rng: np.random.Generator) -> dict[str, Any]:
    if kind.space:
        return random_pose(rng)
    return {"position": tuple(rng.normal(size=2)), "angle": float(rng.normal())}
