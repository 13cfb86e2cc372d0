"""Every registered joint, driver and force: all its numbers are varied together, and compared with neighbours described anew.

One parameter moves every number of the sample and of its bodies, each by a share of its own, so that none can be left out or count wrongly.
"""

import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.at_state import measured_value
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.gradients.directions import parameter_direction
from pytrammel.analysis.gradients.problem import KINDS as ANALYSES
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.system.lowering import lower, lower_measures
from pytrammel.testing.samples import sample
from registry_samples import TYPES, by_places

P = 1.25  # no number that formulas drop
CLOSE = 1e-9  # of the largest derivative of a kind
# what joints carry is iterated to 1e-12, which differences of neighbours make larger
ITERATED = {"joint_friction": 1e-8}
COUNTS = {"every", "outputs", "inputs", "sequence"}  # no numbers that could change a little
LAWS = {"motion", "formula", "torque", "force", "law", "rate", "angles", "vector"}
SHARES = (1.0, -0.7, 0.4, 0.9, -0.3, 0.6, -0.8, 0.5)


class Numbers:
    """Replaces numbers by formulas of the parameter p."""

    def __init__(self, model):
        self.model, self.count = model, 0

    def number(self, value):
        share = 0.1 * SHARES[self.count % len(SHARES)]
        self.count += 1
        return f"{float(value)!r} + {share * (abs(value) or 0.5)!r}*(p - {P})"

    def of(self, key, value):
        if isinstance(value, bool) or key in COUNTS:
            return value
        if isinstance(value, float | int):
            return self.number(value)
        if isinstance(value, str) and key in LAWS and any(c in value for c in "0123456789"):
            self.count += 1
            return f"({value})*p"
        if isinstance(value, tuple) and value and isinstance(value[0], tuple):  # a matrix must stay symmetric
            return tuple(tuple(f"{x!r}*(0.8 + 0.16*p)" for x in row) for row in value)
        if isinstance(value, tuple) and not any(hasattr(x, "local") for x in value):
            return tuple(self.of(key, x) for x in value)
        if type(value).__name__ in ("Point", "SpatialPoint") and not value.name:
            name = f"P{self.count}"
            self.model.point(name, value.body, local=tuple(self.number(x) for x in value.local))
            return name
        return value


def fresh(space, bodies=False):
    """Three bodies; their own numbers follow the parameter if asked for."""
    m = (tm.SpatialModel if space else tm.PlanarModel)("sample", gravity=(0.3, -9.81, 0.2) if space else (0.3, -9.81))
    m.parameter("p", P)
    rng, numbers = np.random.default_rng(4), Numbers(m)
    for name in "abc":
        given = {"position": rng.normal(size=2 + space), "mass": rng.uniform(1, 2), "centroid": rng.normal(scale=0.1, size=2 + space),
                 "velocity": rng.normal(scale=0.3, size=2 + space)}  # fmt: skip
        given |= (
            {"inertia": rng.uniform(0.4, 0.6, size=3)}
            if space
            else {"inertia": 0.5, "angle": rng.normal(), "omega": 0.2}
        )
        turned = {"rotation": tuple(tm.rotations.from_angles(rng.normal(scale=0.4, size=3), "xyz"))} if space else {}
        plain = {key: tuple(map(float, x)) if np.ndim(x) else float(x) for key, x in given.items()}
        varied = {key: numbers.of(key, x) for key, x in plain.items()} if bodies else plain
        m.body(name, **varied, **turned, points={"tip": (0.15, 0.25, 0.35)[: 2 + space]})
    return m


def varied(kind):
    """Model in which every number of the sample follows the parameter; where it has none, places of the drawing, then the bodies do."""
    for spelling, bodies in ((sample, False), (by_places, False), (sample, True)):
        m = spelled(kind, spelling, bodies)
        if m is not None and not m.unused_parameters:
            return m
    raise AssertionError(kind)


def spelled(kind, spelling, bodies):
    """One spelling; what a builder refuses as a formula stays a number."""
    kept = set()
    while True:
        m = fresh(kind.space, bodies)
        given = spelling(kind, m)
        if given is None:
            return None
        numbers = Numbers(m)
        numbers.count = 3
        taken = {key: value if key in kept else numbers.of(key, value) for key, value in given.items()}
        try:
            getattr(m, kind.kind)("it", **taken)
            return m
        except tm.TrammelError as error:
            changed = [key for key in taken if taken[key] is not given[key]]
            if not changed:
                return None
            kept |= {next((key for key in changed if key in str(error)), changed[-1])}


def driven(m):
    """The same with drivers that leave no freedom; None where velocities alone are restrained."""
    system = lower(m)
    if any(row.velocity_only for row in system.rows):
        return None
    q = m.assemble(drivers=True).q
    rows = jacobian(system, q, 0.0, active_rows(system))
    dimension = m.space.dimension
    places = [np.eye(dimension)[k] * 0.7 for k in range(dimension)]
    candidates = []
    for b in "abc":
        for k, place in enumerate(places):
            m.point(f"{b}{k}", b, local=tuple(map(float, place)))
            candidates += [f"{b}{k}.{axis}" for axis in m.space.axes]
    quantities = [m.measure(name) for name in candidates]
    small = lower_measures(m, quantities)
    basis = np.linalg.svd(rows)[2][: np.linalg.matrix_rank(rows)] if rows.size else np.zeros((0, system.n_columns))
    for name, quantity, row in zip(
        candidates, quantities, jacobian(small, q, 0.0, range(len(small.rows))), strict=True
    ):
        new = row - basis.T @ (basis @ row)
        if np.linalg.norm(new) > 0.1 * np.linalg.norm(row):
            basis = np.vstack([basis, new / np.linalg.norm(new)])
            at = measured_value(m, quantity, 0.0, q, np.zeros(system.n_columns))[0]
            m.driver(f"d_{name.replace('.', '_')}", name, f"{at!r} + 0.3*t + 0.2*t^2")
    return m


def wanted(m, result):
    space = m.space
    what = (*space.axes, *space.accelerations)  # these need the velocities
    names = [f"{b}.{w}" for b in "abc" for w in what]
    joints = [c for c in m.constraints.values() if c.seats and c.second and not c.is_driver]
    names += [f"{c.name}.reaction.{a}" for c in joints for a in space.axes]
    return names + [f.use.label for f in result._system.forces if not f.use.state]


UNFIT = {"controller"}  # Python functions: refused with a sentence


@pytest.mark.parametrize("kind", [t for t in TYPES if t.kind not in UNFIT], ids=str)
def test_all_numbers_of_a_type_have_their_derivatives(kind):
    compare(varied(kind), ITERATED.get(kind.kind, CLOSE))


@pytest.mark.parametrize("space", [False, True])
def test_all_numbers_of_bodies_have_their_derivatives(space):
    m = fresh(space, bodies=True)
    rest = (0.1,) if space else ()
    m.spring("s", m["a"].at(0.1, 0.2, *rest), m["b"].at(0.3, 0.1, *rest), stiffness=30.0, free_length=0.4)
    getattr(m, "spherical" if space else "revolute")("J", "b", "c", at=(0.2, 0.3, *rest))
    compare(m, CLOSE)


def compare(m, close):
    """What follows from the model at its first instant changes as that of neighbours described anew."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bodies are drawn anywhere, with any velocities
        m = m if m.forces else driven(m) or m
        analysis = "inverse_dynamics" if any(name.startswith("d_") for name in m.constraints) else "simulate"
        verb = getattr(type(m), analysis)
        names = wanted(m, verb(m, times=[0.0]))
        direction = parameter_direction(m, "p", None)
        problem = ANALYSES[analysis].begin(m, tuple(names), {"times": [0.0]})
        slopes, values = problem.alongs([direction])[0][:, 0], problem.values()[:, 0]
        seen = direction.slope(
            lambda variant: np.array([column[0] for column, _ in verb(variant.model, times=[0.0])._columns(names)])
        )
    assert np.isfinite(slopes).all()
    for group in {n.rpartition(".")[2] for n in names}:
        own = [k for k, n in enumerate(names) if n.rpartition(".")[2] == group]
        # p is about 1: derivatives are of the size of values
        size = max(np.abs(seen[own]).max(), np.abs(values[own]).max(), 0.1)
        assert np.abs(slopes[own] - seen[own]).max() <= close * size


@pytest.mark.parametrize("kind", [t for t in TYPES if t.kind in UNFIT], ids=str)
def test_what_has_no_derivative_says_so(kind):
    m = varied(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(tm.ModelError, match="derivative"):
            m.gradient("a.x", times=[0.0, 0.01])
