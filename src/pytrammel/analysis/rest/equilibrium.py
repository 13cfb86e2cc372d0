"""Static equilibrium: positions in which all forces balance, and whether they are stable."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, number_of
from pytrammel.analysis.driven.statics import KERNELS as EFFORTS
from pytrammel.analysis.driven.statics import resting_at
from pytrammel.analysis.events.holds import left_out_at_rest
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.positions.tolerant import gaps_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest import rest_joint  # noqa: F401 (registers its method)
from pytrammel.analysis.rest.at_rest import Balance, row_gaps
from pytrammel.analysis.rest.potential import Potential, PotentialEnergy
from pytrammel.analysis.rest.rest_methods import METHODS, Found, NoRest, Wish
from pytrammel.analysis.runs.controllers import refuse_states
from pytrammel.analysis.runs.deep_contacts import overlaps_at
from pytrammel.analysis.small_motions.linear_terms import KERNELS
from pytrammel.analysis.small_motions.reduced import doubts
from pytrammel.analysis.small_motions.small_motions import Mode, Pencil
from pytrammel.errors import ConvergenceError, ModelError, RunWarning, tell
from pytrammel.model.base import Model
from pytrammel.model.suggestions import WordedResult
from pytrammel.model.verbs import Verb
from pytrammel.results.forces.gaps import gap_warnings
from pytrammel.results.forces.overlaps import warnings_about
from pytrammel.results.result import Result
from pytrammel.system.lowering import System
from pytrammel.system.positions import drawn_at

if TYPE_CHECKING:
    from pytrammel.analysis.small_motions.linearize import LinearModel

Array = NDArray[np.float64]
GROWING = ("divergence", "flutter")
OPEN = "open joints"  # kind of warnings


@brief
@dataclass(frozen=True)
class Equilibrium(WordedResult):
    """A position in which the model rests.

    Attributes:
        model: The model, drawn in that position and without starting velocities.
        q: Coordinates [m, rad].
        stable: True if no small disturbance grows: no mode is a divergence or flutter.
        neutral: Number of directions without stiffness: a car that may roll, a wheel that may turn, a spring with a cubic law at its free
            length. A stiffness below 1e-11 times the resistance to a displacement by a tenth of the model's size vanishes.
        stiffness: Eigenvalues of the projected stiffness, ascending, in scaled units; complex if forces are not conservative.
        frequencies: Natural frequencies, damping left out [rad/s], ascending; negative for the growth rate of a divergence [1/s].
        modes: Modes of small motions, damping and all forces included; growing ones first.
        iterations: Newton iterations.
        residual: Largest unbalanced generalised force against the forces at work, or against the stiffness and the resistance
            to a displacement where all forces vanish.
        warnings: What is doubtful about stability and modes, e.g. a contact that just touches.
        time: Time at which drivers and loads were read [s].
        potential: Potential energy there, by parts, with its gradient; None where the law of a spring is no number on the way.
        cut_loads: By cut joint, the multipliers of its rows (methods "penalty" and "augmented").
    """

    model: Model
    q: Array
    stable: bool
    neutral: int
    stiffness: NDArray[Any]
    frequencies: Array
    modes: tuple[Mode, ...]
    iterations: int
    residual: float
    warnings: tuple[RunWarning, ...] = ()
    time: float = 0.0
    potential: Potential | None = None
    cut_loads: Mapping[str, Array] = field(default_factory=dict)
    _system: System = field(kw_only=True, repr=False, compare=False)
    _inner = tuple(f"result.{name}" for name in dir(Result) if not name.startswith("_"))

    @functools.cached_property
    def result(self) -> Result:
        """Reactions, forces and energies at rest, as the result of one time: ``eq.result["A"].reaction``."""
        make_ready(self.model, EFFORTS, forces=True)
        # where cut joints stay open, forces balance there
        found = resting_at(replace(self._system, model=self.model, start=self.q), self.time, self.q)
        opened = tuple(w for w in self.warnings if w.kind == OPEN)
        # the search has told of deep contacts already
        tell([w for w in found.warnings if str(w) not in set(map(str, self.warnings))], found)
        return replace(found, warnings=(*found.warnings, *opened))

    if TYPE_CHECKING:

        def simulate(self, duration: float | None = None, **options: Any) -> Result:
            """Motion that starts at rest here, by default at the time of the equilibrium."""

        def linearize(self, **options: Any) -> LinearModel:
            """Small motions about this rest."""
    else:
        simulate = Verb(
            "pytrammel.analysis.runs.dynamics",
            lambda rest: (rest._beginning(), {}),
            lambda rest: {"start_time": rest.time},
        )
        linearize = Verb("pytrammel.analysis.small_motions.linearize", lambda rest: (rest.model, {"at": rest}))

    def _beginning(self) -> Model:
        """The model that a simulation starts with."""
        first, phase = next(iter(self.model.phases), None), self._system.phase
        if phase not in (None, first):
            raise ModelError(
                f"the equilibrium at t = {self.time:g} s is one of phase {phase!r}, but every simulation of model {self.model.name!r} "
                f"starts in phase {first!r}. Keep only the constraints that act then, or describe phase {phase!r} first."
            )
        return self.model

    @checked
    def pose(self, body: str) -> tuple[float, ...]:
        """Coordinates of a body: x, y [m] and phi [rad], or x, y, z and the Euler parameters in space."""
        coordinates: tuple[float, ...] = self.model.body_of(body).coordinates
        return coordinates

    @property
    def damping_ratios(self) -> Array:
        """Damping ratio of each mode, in their order; negative for those that grow."""
        return np.array([mode.damping_ratio for mode in self.modes])

    @property
    def recommended_step(self) -> float:
        """A twentieth of the shortest natural period [s]: the book's rule for fixed-step integration."""
        fastest = float(np.abs(self.frequencies).max(initial=0.0))
        return 2.0 * math.pi / fastest / 20.0 if fastest > 0.0 else math.inf

    def _repr_html_(self) -> str:
        from pytrammel.view.html import rest_html

        return rest_html(self)

    def __str__(self) -> str:
        growing = dict.fromkeys(mode.kind for mode in self.modes if mode.kind in GROWING)
        kind = "stable" if self.stable else f"unstable ({', '.join(growing)})"
        if self.neutral:
            kind += f" (neutral in {number_of(self.neutral, 'direction')})"
        lines = [f"{kind} equilibrium of {self.model.name!r} after {number_of(self.iterations, 'iteration')}"]
        for body in list(self.model.bodies.values())[1:]:
            lines.append(f"  {body.name}: {self.model.shown(body.position)}, {body.turned}")
        lines += [f"  {mode}" for mode in self.modes if mode.kind != "neutral"]
        return "\n".join(lines + [f"  warning: {warning}" for warning in self.warnings])


@verb
def equilibrium(
    model: Model,
    *,
    time: float = 0.0,
    allow_unstable: bool = False,
    method: str = "newton",
    cut: Sequence[str] = (),
    cut_stiffness: float | None = None,
) -> Equilibrium:
    """Find the position of rest nearest to the drawn one (a stable one if steps downhill lead there).

    Methods: "newton" on positions and multipliers with exact derivatives, constraints closed at every step; where the stiffness is not
    positive the step goes downhill, so that it leaves unstable positions unless it starts in one. "partitioned": on independent
    coordinates (14.4-14.7). "energy": minimum of the potential energy (SE-1). "joint": the same over joint coordinates along a tree, loops
    by a stiffness of cut joints (14.22-14.26). "augmented": augmented Lagrangian on cut joints. "penalty" on cut joints, which stay open
    by their load over that stiffness. "damping": motion with fictitious dampers (14.21). "settling": the motion of the model itself until
    it rests.

    Args:
        model: The model; drivers hold their coordinates.
        time: Time at which drivers and loads are read [s].
        allow_unstable: Follow Newton's method to the nearest balance, stable or not, instead of going downhill.
        method: How to search, see above.
        cut: Joints that are cut: by "penalty" and "augmented" all by default, by "joint" as few as close no loop.
        cut_stiffness: Stiffness of cut joints [N/m; N m/rad over the model's length squared]; by default one that suits the forces.
    """
    check_options(model, allow_unstable, method, cut, cut_stiffness)
    make_ready(model, [*KERNELS, "state_run", "assemble_run", "jacobian_run", "rates_run", "measures_run"], forces=True)
    system = system_at(model, time, "equilibrium", dynamics=True)
    problem = Balance(system, active_rows(system), time)
    wish = Wish(nearest=allow_unstable, cut=tuple(cut), weight=cut_stiffness)
    try:
        found = METHODS[method](
            problem, problem.close(problem.drawn()) if method != "penalty" else problem.drawn(), wish
        )
    except NoRest as failed:
        left = f"{100 * failed.residual:.3g} % of the forces stay unbalanced"
        if math.isnan(failed.residual):
            left = "a force is not a number on the way; check the laws"
        raise ConvergenceError(
            f"no equilibrium of model {model.name!r} was found near the drawn pose: {left}{f' ({failed.why})' if failed.why else ''}. "
            "Draw it closer to rest, or check whether anything holds it." + left_out_at_rest(model)
        ) from None
    rest = finished(problem, found)
    tell(rest.warnings, rest)
    return rest


def check_options(
    model: Model, allow_unstable: bool, method: str, cut: Sequence[str], cut_stiffness: float | None
) -> None:
    """Reject models without an equilibrium, unknown methods, and options that a method would not use."""
    rigid = [force.name for force in model.forces.values() if force.impact is not None]
    if rigid:
        raise ModelError(
            f"equilibrium does not know rigid contacts ({', '.join(map(repr, rigid))}); use a compliant law there, or simulate until "
            "everything rests."
        )
    refuse_states(model, "equilibrium")
    if method not in METHODS:
        raise ModelError(f"method {method!r} is not known; use one of: {', '.join(METHODS)}.")
    for option, given, those in (
        ("cut", len(cut) > 0, ("penalty", "augmented", "joint")),
        ("cut_stiffness", cut_stiffness is not None, ("penalty", "augmented", "joint")),
        ("allow_unstable", allow_unstable, ("newton",)),
    ):
        if given and method not in those:
            raise ModelError(
                f"{option} would not be used by method {method!r}, only by {' and '.join(those)}; leave it out."
            )


def finished(problem: Balance, found: Found) -> Equilibrium:
    """Stability, modes and energy of a position that a method found."""
    system, q = problem.system, found.q
    gaps = np.abs(row_gaps(system, problem.exact(q), problem.time, q)) if found.cut_loads else np.zeros(0)
    open_joints = bool(gaps.max(initial=0.0) > 1e-9)
    here = problem.at(q, kinks=True)
    pencil = Pencil(here.mass, here.damping, here.stiffness, problem.rounding(q, here))
    stiffness, neutral = pencil.stiffnesses()
    squares, _ = pencil.undamped()
    modes = pencil.modes()
    warnings = [*doubts(here), *_inner_states(problem), *_overlaps(problem, q)]
    if open_joints:
        warnings.append(_left_open(problem, found))
    else:
        warnings += gap_warnings(gaps_at(system, problem.rows, q, problem.time))
    return Equilibrium(
        model=_at_rest(system, q),
        q=q,
        stable=not any(mode.kind in GROWING for mode in modes),
        neutral=neutral,
        stiffness=stiffness,
        frequencies=np.sort(np.where(squares.imag == 0.0, np.sign(squares.real), 1.0) * np.sqrt(np.abs(squares))),
        modes=modes,
        iterations=found.iterations,
        residual=problem.off(q),
        warnings=tuple(warnings),
        time=problem.time,
        potential=_potential(problem, q),
        cut_loads=found.cut_loads,
        _system=system,
    )


def _overlaps(problem: Balance, q: Array) -> list[RunWarning]:
    """A warning about contacts whose bodies overlap too far at rest."""
    return warnings_about(overlaps_at(problem.system, problem.time, q, problem.still))


def _at_rest(system: System, q: Array) -> Model:
    """The model drawn in a position, without starting velocities."""
    changes = drawn_at(system, q)
    for name, body in system.model.bodies.items():
        for key in ("velocity", "omega"):
            if getattr(body, "parameters", {}).get(key) is not None:
                changes[name] = {**changes.get(name, {}), key: None}
    return system.model.copy(changes=changes)


def _potential(problem: Balance, q: Array) -> Potential | None:
    try:
        return PotentialEnergy(problem.system, problem.time).at(q)
    except ModelError:
        return None


def _left_open(problem: Balance, found: Found) -> RunWarning:
    gaps = np.abs(row_gaps(problem.system, problem.rows, problem.time, found.q))
    k = int(np.argmax(gaps))
    row = problem.system.rows[problem.rows[k]]
    return RunWarning(
        OPEN,
        f"{row.owner!r} stays open by {gaps[k]:.3g} {row.unit}, which is what a penalty leaves: its load over cut_stiffness. A larger "
        "cut_stiffness=, or method='augmented', closes it.",
        time=problem.time,
    )


def _inner_states(problem: Balance) -> Iterator[RunWarning]:
    names = ", ".join(
        dict.fromkeys(repr(f.owner) for f in problem.system.forces if f.use.has_state and not f.use.state)
    )
    if names:
        yield RunWarning(
            "inner states",
            f"{names} has a state of its own (bristles), which rests at zero here and takes no part in the modes.",
            time=problem.time,
        )
