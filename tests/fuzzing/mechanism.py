"""Random mechanisms: bodies joined to a tree, loops closed while they leave something free, forces, drivers and phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fuzzing.case import Case, Scale
from fuzzing.forces import add_forces
from fuzzing.motion import GROUND
from fuzzing.motions import add_drivers
from fuzzing.phases import add_phases

ROUGHNESS = (0.0, 1e-4, 1e-2)
Part = Callable[..., object]


@dataclass(frozen=True)
class Kit:
    """What mechanisms in the plane or in space are made of: joints of trees and of loops (with their rows), trains of teeth, and loops
    with more rows than they need."""

    planar: bool
    most: int
    add_body: Part
    joints: Mapping[str, Part]
    pairs: Sequence[str]
    loops: Mapping[str, int]
    trains: Sequence[Part]
    redundant: Sequence[Part]


def random_case(kit: Kit, seed: int, scale: Scale = Scale(), *, driven: bool | None = None) -> Case:
    """The mechanism of a seed, in any units; all freedoms driven or none, as said or as it comes."""
    rng = np.random.default_rng([seed, 2 if kit.planar else 3])
    case = Case(seed, kit.planar, scale, rng)
    case.gravity = 9.81 * rng.uniform(0.0, 1.0) * case.heading() * scale.length / scale.time**2
    if rng.random() < 0.12:
        # which of the poses nearby a redundant loop closes in depends on the rows left out, so it is drawn exactly
        kit.redundant[int(rng.integers(len(kit.redundant)))](case)
    else:
        _grow(case, kit)
    add_forces(case)
    add_drivers(case, all_freedoms=bool(rng.random() < 0.4) if driven is None else driven)
    if rng.random() < 0.2:
        add_phases(case)
    return case


def _grow(case: Case, kit: Kit) -> None:
    rng = case.rng
    train = rng.random() < 0.3
    # gears in the plane are drawn by their centres, which must fit their radii
    case.rough = float(rng.choice(ROUGHNESS[:2] if train and kit.planar else ROUGHNESS))
    names = [str(kit.add_body(case, f"b{k}")) for k in range(int(rng.integers(1, kit.most)))]
    for k, name in enumerate(names):
        before = GROUND if k == 0 else str(rng.choice([GROUND, *names[:k]]))
        kit.joints[str(rng.choice(kit.pairs))](case, f"J{k}", before, name)
    if train:
        kit.trains[int(rng.integers(len(kit.trains)))](case, str(rng.choice([GROUND, *names])))
    for k in range(int(rng.integers(0, 3))):
        a, b = rng.choice([GROUND, *names], 2, replace=False) if len(names) > 1 else (GROUND, names[0])
        kind = str(rng.choice(list(kit.loops)))
        if case.freedom > kit.loops[kind]:
            kit.joints[kind](case, f"L{k}", str(a), str(b))
