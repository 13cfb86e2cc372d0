"""Linear analysis: small motions about a state as labelled matrices, modes, and responses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.lazy_imports import linalg
from pytrammel._util.messages import brief, number_of, short
from pytrammel.analysis.formulations import Formulation, offered
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import assembled
from pytrammel.analysis.positions.tolerant import gaps_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.at_rest import Balance
from pytrammel.analysis.rest.equilibrium import GROWING, Equilibrium
from pytrammel.analysis.small_motions.descriptor import descriptor, is_massless, pushes
from pytrammel.analysis.small_motions.linear_outputs import ResultOutputs
from pytrammel.analysis.small_motions.linear_signals import (
    Inputs,
    driven,
    is_measured,
    measured_rows,
    output_rows,
    rates_of_a_driver,
    read_inputs,
)
from pytrammel.analysis.small_motions.linear_state import about, passing, state_at, unsettled
from pytrammel.analysis.small_motions.reduced import Reduced, doubts
from pytrammel.analysis.small_motions.responses import frequency_response
from pytrammel.analysis.small_motions.small_motions import Mode, Pencil, first_order_modes, with_shapes
from pytrammel.analysis.small_motions.unsteady import with_changing_directions
from pytrammel.errors import AssemblyError, ModelError, RunWarning, tell
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.forces.gaps import gap_warnings
from pytrammel.results.responses import FrequencyResponse
from pytrammel.results.result import Result
from pytrammel.system.lowering import System
from pytrammel.system.positions import moved

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True, eq=False)
class LinearModel:
    """Small motions of a model about one of its states: M y'' + C y' + K y = B u; of first order x' = A x + B u, w = C x + D u.

    Attributes:
        model: The model.
        time: Time of the state [s].
        q, v: Coordinates and velocities of the state.
        coordinates: What each y measures: a column ("crank.phi"), a coordinate of the formulation ("A.angle") or the quantity asked for;
            deviations from the state.
        mass, damping, stiffness: M, C, K, shape (dof, dof); C holds gyroscopic terms, too. With rolling they belong to the speeds.
        basis: Small motions of all columns per unit of each coordinate, shape (n_columns, dof).
        states: Names of the states x: coordinates, their rates, inner states of forces. Coordinates without mass are states where they are
            damped; where only stiffness holds them they follow from the others at once.
        inputs, outputs: Names of u and w.
        A, B, C, D: State space.
        modes: Modes, growing ones first, each with its shape along the columns.
        steady: True about rest and about a motion along which the matrices stay the same.
        rotating: Angular velocity of the axes in which small motions are measured [rad/s], global components; zero about rest.
        warnings: What is doubtful.
    """

    model: Model
    time: float
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    coordinates: tuple[str, ...]
    mass: Array = field(repr=False)
    damping: Array = field(repr=False)
    stiffness: Array = field(repr=False)
    basis: Array = field(repr=False)
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Array = field(repr=False)
    B: Array = field(repr=False)
    C: Array = field(repr=False)
    D: Array = field(repr=False)
    modes: tuple[Mode, ...]
    steady: bool
    rotating: tuple[float, ...]
    warnings: tuple[RunWarning, ...]
    system: System = field(repr=False)

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Eigenvalues of A [1/s]."""
        return np.sort_complex(np.linalg.eigvals(self.A).astype(complex)) if self.A.size else np.zeros(0, dtype=complex)

    @property
    def frequencies(self) -> Array:
        """Natural frequency |s| of each mode that oscillates [rad/s], ascending."""
        return np.sort([mode.frequency for mode in self.modes if mode.frequency > 0.0])

    @property
    def damping_ratios(self) -> Array:
        """Damping ratio of each mode, in their order; negative for those that grow."""
        return np.array([mode.damping_ratio for mode in self.modes])

    @property
    def stable(self) -> bool:
        """True if no mode is a divergence or flutter."""
        return not any(mode.kind in GROWING for mode in self.modes)

    @checked
    def frequency_response(self, frequencies: ArrayLike) -> FrequencyResponse:
        """Outputs per unit of each input that oscillates, C (i w - A)^-1 B + D.

        Args:
            frequencies: Angular frequencies w [rad/s].
        """
        return frequency_response(self.A, self.B, self.C, self.D, self.inputs, self.outputs, frequencies)

    @checked
    def motion(self, mode: int | Mode, *, amplitude: float = 0.1, samples: int = 61, periods: float = 1.0) -> Result:
        """A mode as a motion that can be drawn, plotted and animated like any result: the shape, much enlarged, over its period.

        Growth and decay are left out, so that the motion repeats. Positions are those nearest to the shape in which the joints are closed,
        velocities and accelerations those of the shape.

        Args:
            mode: One of `modes`, or its place there.
            amplitude: Largest small motion [rad, or lengths of the model].
            samples: Times.
            periods: How many periods; for a mode that does not oscillate one period takes a second.
        """
        chosen = mode if isinstance(mode, Mode) else self._mode(mode)
        if chosen.shape is None:
            raise ModelError("this mode has no shape: it belongs to a direction without mass.")
        size = checked_number(amplitude, "amplitude")
        count = int(checked_number(samples, "samples"))
        if count < 2:
            raise ModelError(f"samples is {count}; a motion needs at least 2 instants.")
        pace = abs(chosen.eigenvalue.imag) or 2.0 * math.pi
        times = np.linspace(0.0, checked_number(periods, "periods") * 2.0 * math.pi / pace, count)
        shape = size * chosen.shape / float(np.abs(chosen.shape / self.system.column_scales()).max())
        turned = np.exp(1j * pace * times)[:, None] * shape
        q = np.array([self._closed(moved(self.system, self.q, step)) for step in turned.real])
        v, a = (1j * pace * turned).real.copy(), (-(pace**2) * turned).real.copy()  # kernels want whole rows
        return Result(model=self.model, _system=self.system, times=times, q=q, v=v, a=a, _notes=np.zeros((count, 4)))

    def _closed(self, q: Array) -> Array:
        """A position with its joints closed, or as it is where they cannot be."""
        try:
            return assembled(self.model, time=self.time, system=self.system, start=q).q
        except AssemblyError:
            return q

    def _mode(self, place: object) -> Mode:
        if not isinstance(place, int) or isinstance(place, bool) or not -len(self.modes) <= place < len(self.modes):
            raise ModelError(f"mode {short(place)} does not exist; there are {len(self.modes)}, counted from 0.")
        return self.modes[place]

    def __str__(self) -> str:
        if not self.coordinates:
            return (
                f"{self.model.name!r} has no small motions at t = {self.time:g} s: drivers and joints hold everything"
            )
        about = "rest" if not self.v.any() else "a steady motion" if self.steady else "an instant of a motion"
        kind = (
            "stable"
            if self.stable
            else f"unstable ({', '.join(dict.fromkeys(m.kind for m in self.modes if m.kind in GROWING))})"
        )
        lines = [f"small motions of {self.model.name!r} about {about} at t = {self.time:g} s, {kind}"]
        lines.append(f"  coordinates: {', '.join(self.coordinates) or 'none'}")
        lines += [f"  {mode}" for mode in self.modes]
        return "\n".join(lines + [f"  warning: {warning}" for warning in self.warnings])


@verb
def linearize(
    model: Model,
    *,
    at: Equilibrium | Result | None = None,
    time: float | None = None,
    inputs: Sequence[str | Quantity] = (),
    outputs: Sequence[str | Quantity] | None = None,
    coordinates: Sequence[str | Quantity] | None = None,
    rotating: Sequence[float] | float | None = None,
    formulation: str | Formulation = "cartesian",
) -> LinearModel:
    """Linearise the equations of motion about a state, on the constraint manifold.

    Args:
        model: The model; drivers hold their coordinates.
        at: The state: an equilibrium, a time of a result (see `time`), or by default the state from which `simulate` would start.
        time: Time at which drivers and loads are read [s], 0 by default; of a result, the instant, by default the last one.
        inputs: Where input forces act: names of measured quantities ("cart.x": a force along it), or of forces that act along one ("M");
            or drivers, whose motion then is the input (base excitation): states are then less what follows the driver at once.
        outputs: Any quantity that a result of the model has and a state determines: measured quantities and their rates ("load.x",
            "A.angle.rate", "P.vx"), accelerations, reactions, efforts, forces of elements, energies; by default the coordinates.
        coordinates: Measured quantities to use as coordinates, as many as there are degrees of freedom; by default columns that fit best.
        rotating: Angular velocity of the axes in which small motions are measured [rad/s]: global components (a number in the plane).
            About a steady motion (a governor at speed, a precessing top) give the angular velocity with which the whole picture turns; by
            default, that of a body in whose axes the matrices stay the same, if there is one.
        formulation: Whose coordinates small motions are written in, where `coordinates` names none: those that fit best of the columns of
            the bodies ("cartesian"), of the joint coordinates of a tree ("joint": all of them where there are no loops), or of any other
            of ``tm.formulations``. Eigenvalues are the same.
    """
    chosen = offered(formulation, model, "linearize", "small_motions", "its coordinates are no small motions of bodies")
    if coordinates is not None and chosen.name not in ("cartesian", "III"):
        raise ModelError(
            f"coordinates= names the coordinates itself; leave it out, or leave out formulation={chosen.name!r}."
        )
    make_ready(model, chosen.needs(model.space.dimension), forces=True)
    state = state_at(model, at, time)
    base, turn, steady = about(state, rotating)
    warnings = [*doubts(base), *unsettled(state, at)]
    warnings += gap_warnings(gaps_at(state.system, state.rows, state.q, state.time))
    if not steady:
        warnings.append(passing(state))
    labelled, names, speeds, measuring = _labelled(base, coordinates, chosen)
    massless = is_massless(base)
    if not steady and not state.at_rest and not massless:
        labelled = with_changing_directions(labelled, measuring, coordinates)
    given = read_inputs(state, inputs, labelled, measuring)
    size = len(names) + len(speeds) + base.terms.state_z.shape[0]
    if outputs is None:
        C, places, output_names = np.eye(len(names), size), np.zeros((len(names), state.system.n_columns)), names
        at_once = np.zeros((len(C), len(given.names)))
    else:
        C, places, at_once, output_names, doubtful = _outputs(labelled, outputs, given, massless=massless)
        warnings += doubtful
    inner = [f.use.state or f"{f.owner}.bristle" for f in state.system.forces if f.use.has_state]
    if massless:
        space = descriptor(base, labelled, names, pushes(base, given)).driven(given, C)
        A, B, states = space.A, space.B, space.states
        C, D = space.outputs(C, output_names)
        for k, motion in given.motions.items():
            D[:, k] += places @ labelled.axes @ motion
    else:
        A, B = _state_space(labelled, given.forces)
        states, D = (*names, *speeds, *inner), at_once
        if given.motions:
            B, D = driven(labelled, given, A, B, C, D, places)
    modes = _modes(labelled, A)
    found = LinearModel(
        model=state.system.model, time=state.time, q=state.q, v=state.v, coordinates=tuple(names), mass=labelled.mass,
        damping=labelled.damping, stiffness=labelled.stiffness, basis=labelled.axes @ labelled.basis,
        states=states, inputs=given.names, outputs=tuple(output_names), A=A, B=B, C=C, D=D, modes=modes,
        steady=steady, rotating=turn, warnings=tuple(warnings), system=state.system,
    )  # fmt: skip
    tell(found.warnings, found)
    return found


def _outputs(
    found: Reduced, outputs: Sequence[str | Quantity], inputs: Inputs, *, massless: bool
) -> tuple[Array, Array, Array, list[str], list[RunWarning]]:
    """C, rows of positions by the columns, D at once, names, and what is doubtful.

    Measured quantities and rates have exact rows; others are read from results.
    """
    state = found.state
    measured = np.array([is_measured(state, one) for one in outputs], dtype=bool)
    C, places, names = output_rows(state, [one for one, own in zip(outputs, measured, strict=True) if own], found)
    D = np.zeros((len(outputs), len(inputs.names)))
    if measured.all():
        return C, places, D, names, []
    others = ResultOutputs(found, [str(one) for one, own in zip(outputs, measured, strict=True) if not own])
    whole = np.zeros((len(outputs), C.shape[1]))
    whole[measured], whole[~measured] = C, others.rows()
    every = np.array([one if isinstance(one, str) else str(one) for one in outputs], dtype=object)
    if massless or inputs.motions:
        seen = others.by_everything()
        if (seen > 0.0).any():
            name = others.names[int(np.argmax(seen > 0.0))]
            if inputs.motions:
                raise rates_of_a_driver(inputs.names[next(iter(inputs.motions))], name)
            raise ModelError(
                f"outputs: {name!r} depends on accelerations, which do not follow from the state where a direction in which "
                f"{state.system.model.name!r} can move has no mass. Give it some mass, or use other outputs."
            )
        slow = np.zeros(len(outputs), dtype=bool)
        slow[~measured] = ~np.any(others.rows()[:, found.basis.shape[1] :], axis=1)
        if len(places) == measured.sum() and slow[~measured].all():
            both = np.zeros((len(outputs), state.system.n_columns))
            both[measured], both[~measured] = places, others.by_columns()
            places = both
    elif inputs.names:
        D[~measured] = others.feedthrough(inputs)
    return whole, places, D, list(every), others.warnings


# --- coordinates, state space, modes ------------------------------------------------------------------------------------------


def _labelled(
    base: Reduced, coordinates: Sequence[str | Quantity] | None, formulation: Formulation
) -> tuple[Reduced, list[str], list[str], Array]:
    """The same in coordinates with names: those of the formulation that fit best, or the quantities asked for.

    Last come the rows of x that they measure.
    """
    system, scales = base.state.system, base.state.system.column_scales()
    dof, speeds = base.basis.shape[1], base.freedom.shape[1]
    if coordinates is None and formulation.in_bodies and formulation.variant == "III":
        chosen = _best_columns(base.basis / scales[:, None], dof)
        positions, names = base.basis[chosen], [system.columns[k] for k in chosen]
        measuring = np.eye(system.n_columns)[chosen]
    elif coordinates is None:
        assert formulation.small_motions is not None
        known, rows, sizes = formulation.small_motions(base.state, formulation)
        rows = rows @ base.axes
        chosen = _best_columns(rows @ base.basis / sizes[:, None], dof)
        positions, names = rows[chosen] @ base.basis, [known[k] for k in chosen]
        measuring = rows[chosen]
    else:
        if len(coordinates) != dof:
            raise ModelError(
                f"coordinates names {len(coordinates)} quantities; the model has {number_of(dof, 'degree of freedom')} here."
            )
        rows, names = measured_rows(base.state, coordinates, "coordinates")
        measuring = rows @ base.axes
        positions = measuring @ base.basis
        weak = np.linalg.svd(positions, compute_uv=False) if dof else np.ones(1)
        if weak[-1] <= 1e-9 * weak[0]:
            raise ModelError(
                f"the coordinates {', '.join(names)} do not describe all small motions here; choose others."
            )
    if base.holonomic:
        return base.in_terms_of(positions, positions), names, [f"{name}.rate" for name in names], measuring
    moving = positions @ base.freedom
    picked = _best_columns(moving, speeds)
    return base.in_terms_of(positions, moving[picked]), names, [f"{names[k]}.rate" for k in picked], measuring


def _best_columns(rows: Array, count: int) -> list[int]:
    if count == 0:
        return []
    _, _, order = linalg.qr(rows.T, mode="economic", pivoting=True)
    return sorted(int(k) for k in order[:count])


def _state_space(found: Reduced, B_full: Array) -> tuple[Array, Array]:
    """A and B of x = (y, s, z)."""
    terms, p, s = found.terms, found.basis.shape[1], found.freedom.shape[1]
    nz = terms.state_z.shape[0]
    M = found.mass
    size = p + s + nz
    A, B = np.zeros((size, size)), np.zeros((size, B_full.shape[1]))
    A[:p, :p], A[:p, p : p + s] = found.drift, found.freedom
    push = found.left.T @ found.axes.T
    A[p : p + s, :p] = -np.linalg.solve(M, found.stiffness)
    A[p : p + s, p : p + s] = -np.linalg.solve(M, found.damping)
    A[p : p + s, p + s :] = np.linalg.solve(M, push @ terms.by_state)
    B[p : p + s] = np.linalg.solve(M, push @ B_full)
    if nz:
        place, speed = found.axes @ found.basis, found.axes @ found.drifting
        A[p + s :, :p] = terms.state_q @ place + terms.state_v @ (speed + place @ found.drift)
        A[p + s :, p : p + s] = terms.state_v @ place @ found.freedom
        A[p + s :, p + s :] = terms.state_z
    return A, B


def _modes(found: Reduced, A: Array) -> tuple[Mode, ...]:
    if found.holonomic and not found.terms.state_z.size:
        modes = with_shapes(Pencil(found.mass, found.damping, found.stiffness, _rounding(found)))
    else:
        modes = first_order_modes(A, found.basis.shape[1])
    motions = found.axes @ found.basis
    return tuple(m if m.shape is None else Mode(m.eigenvalue, m.kind, motions @ m.shape) for m in modes)


def _rounding(found: Reduced) -> float:
    """Error of entries of the stiffness, at rest also next to the resistance to a displacement."""
    state = found.state
    if not state.at_rest:
        return found.rounding
    return Balance(state.system, state.rows, state.time).rounding(state.q, found)
