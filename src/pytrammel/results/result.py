"""One result type: times, named access to every quantity, tables, plots and animation."""

from __future__ import annotations

import codecs
import csv
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.atomic_write import check_target, whole_file
from pytrammel._util.checks import checked, with_checked_names
from pytrammel._util.extras import install_command
from pytrammel.errors import FileWriteError, ModelError, RunWarning
from pytrammel.io.results.table_text import write_lines
from pytrammel.model.base import Model
from pytrammel.model.bodies import Body
from pytrammel.model.quantities.groups import SYSTEM, members
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.suggestions import WordedResult
from pytrammel.results.columns import Columns, measured, named_in_unit, series_of
from pytrammel.results.events import Record, Singularity, SwitchReport
from pytrammel.results.forces.contacts import PLACES, ContactSeries, contact_of
from pytrammel.results.forces.dynamics import (
    DynamicsData,
    Energy,
    dynamics_data,
    energy_of,
    ground_total,
    reaction_of,
)
from pytrammel.results.forces.force_names import dynamics_columns, dynamics_notes
from pytrammel.results.forces.groups import GroupSeries
from pytrammel.results.forces.loads import Resultant, force_on
from pytrammel.results.forces.loads import about as moved_to
from pytrammel.results.forces.loads import resultant as resultant_on
from pytrammel.results.forces.momenta import momenta
from pytrammel.results.geometry import Diagrams
from pytrammel.results.plots import Frequencies, Plots
from pytrammel.results.quantities import split_unit
from pytrammel.results.queries import Questions
from pytrammel.results.segments import Segment, pieces_of
from pytrammel.results.series import BodySeries, MeasureSeries, PointSeries, Series
from pytrammel.results.spatial_series import SpaceBodySeries
from pytrammel.results.studies.newton import NewtonHistory
from pytrammel.results.summary import headline, summary_of
from pytrammel.system.lowering import System
from pytrammel.units import LENGTH_UNITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pytrammel.model.typed_methods import AnyBodySeries, AnyReaction, Reading
    from pytrammel.results.forces.initial_energy import Origin
    from pytrammel.results.refinement import Driven
    from pytrammel.view.theme import Theme


@with_checked_names
@dataclass(frozen=True, repr=False)
class Result(Questions, Frequencies, WordedResult):
    """Motion of a model.

    Bodies and joints are read by name, ``r["crank"].x`` and ``r["A"].reaction``, any quantity as ``r["P.vx"]`` or in a unit,
    ``r["P.vx", "mm/s"]``, and with its derivatives as ``r.series("P.x")``. `names` lists all quantities.

    Attributes:
        model: The model as it was given. Where events change it, all quantities are evaluated with the model of that time.
        times, t: Output times [s], shape (n,).
        q, v, a: Coordinates, velocities, accelerations, shape (n, n_columns); v and a are None if they were not computed.
        singularities: Singular positions that the run passed or reached.
        redundant: Constraints with redundant equations, which the solution omits and fulfils nevertheless.
        wall_time: Wall time of the run, compilation excluded [s].
        n_starts: Starts that assembly needed; more than 1 if the design configuration did not lead to a closed position.
        dynamics: Tables, statistics and methods of a simulation; None for kinematics.
        histories: Newton iterations at every output time, for the plain method.
        warnings: What is doubtful about the run, as objects with a kind, a message and a time.
        interrupted: Whether Ctrl-C ended the run before its last output time; singularities may then be missing.
    """

    model: Model
    _system: System
    times: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64] | None
    a: NDArray[np.float64] | None
    _notes: NDArray[np.float64] = field(repr=False)
    _switches: tuple[SwitchReport, ...] = ()
    singularities: tuple[Singularity, ...] = ()
    redundant: tuple[str, ...] = ()
    wall_time: float = 0.0
    n_starts: int = 1
    _segments: tuple[Segment, ...] = field(
        default=(), repr=False
    )  # the run in pieces, each with its model and acting rows
    dynamics: DynamicsData | None = field(default=None, repr=False)
    histories: tuple[NewtonHistory, ...] = field(default=(), repr=False)
    warnings: tuple[RunWarning, ...] = ()
    interrupted: bool = False
    # energies at the start of the run, None where this result begins there
    _origin: Origin | None = field(default=None, repr=False, compare=False)
    # motion of drivers to which efforts were computed, None for other runs and stored results
    _driven: Driven | None = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return int(self.times.size)

    @property
    def t(self) -> NDArray[np.float64]:
        """Output times [s], shape (n,); the same as `times`."""
        return self.times

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates: the columns of `q` in the plane, of `v` and `a` in plane and space."""
        return self._system.columns

    @property
    def _pieces(self) -> tuple[Result, ...]:
        """The run cut where events changed the model: results with one model each; the run itself where there are none."""
        return self._parts or (self,)

    @functools.cached_property
    def _parts(self) -> tuple[Result, ...]:
        """Pieces of a run whose model was changed, else none: a result that keeps itself is freed by the garbage collector only."""
        found = pieces_of(self)
        return () if found[0] is self else found

    @property
    def newton_iterations(self) -> NDArray[np.int64]:
        """Newton iterations at every output time, those of steps on the way there included, shape (n,)."""
        return self._notes[:, 1].astype(np.int64)

    @property
    def _steps(self) -> int:
        """Steps taken between output times, where the run had to go in smaller ones."""
        return int(self._notes[:, 2].sum())

    # --- named access --------------------------------------------------------------------------------------------

    @overload
    def __getitem__(self, key: tuple[str, str]) -> NDArray[np.float64]: ...
    @overload
    def __getitem__(self, key: str) -> Reading: ...
    def __getitem__(self, key: str | tuple[str, str]) -> Any:
        """Return a body, joint or point (``r["rod"].x``, ``r["A"].reaction``), or the values of a quantity, shape (n,).

        Quantities are named as in ``r["A.angle"]``, ``r["D.reaction.x"]``; `names` lists them. Values are SI, or in a unit of the same
        dimension: ``r["P.x", "mm"]``, ``r["crank.omega [rpm]"]``.
        """
        if isinstance(key, tuple):
            return self._column(named_in_unit(self, key))[0]
        name = key
        if isinstance(name, str):
            bare = name.partition("[")[0].strip()  # without a unit in brackets
            named = "." in bare or bare in ("t", "time") or bare in self.model.definitions
            if bare in self.model.states or (named and bare not in self.model):
                return self._column(name)[0]
        thing = self.model[name]
        if name in self.model.bodies:
            return self._body(name)
        if name in self.model.points:
            return self.point(name)
        return MeasureSeries(self, thing)

    def _body(self, name: str) -> AnyBodySeries:
        """Motion of a body: a `BodySeries` in the plane, a `SpaceBodySeries` in space."""
        body = self.model.body_of(name)
        return BodySeries(self, body) if isinstance(body, Body) else SpaceBodySeries(self, body)  # type: ignore[return-value]

    @checked
    def point(self, point: Any) -> PointSeries:
        """Motion of a point of interest, by name, or of any point ``body.at(...)``."""
        return PointSeries(self, self.model.point(point) if isinstance(point, str) else point)

    @checked
    def series(self, name: str | Quantity) -> Series:
        """Return values of a quantity with rate, acceleration and unit: ``r.series("A.angle").rate``.

        Args:
            name: Name as in `names`, perhaps with a unit ("A.angle [deg]"), or a measured quantity such as ``m.distance(a, b)``. A name
                stands for its meaning in the model of each time, a measured quantity for itself.
        """
        return series_of(self, name)

    def _measure(self, quantity: Quantity | str) -> Series:
        """Measured quantity along the motion."""
        return self._measures([quantity])[0]

    def _measures(self, quantities: Sequence[Quantity | str]) -> list[Series]:
        """Measured quantities along the motion, in one pass."""
        return measured(self, quantities)

    def _column(self, name: str) -> tuple[NDArray[np.float64], str]:
        """Values and unit of a named quantity."""
        return self._columns([name])[0]

    def _columns(self, names: Sequence[str]) -> list[tuple[NDArray[np.float64], str]]:
        """Several columns; what they have in common is found once."""
        found = Columns(self)
        return [found.column(name) for name in names]

    def _table_names(self) -> list[str]:
        """Names of the columns of tables: bodies first, then points, joint measures and forces."""
        names = [f"{b}.{s}" for b in list(self.model.bodies)[1:] for s in self._suffixes()]
        names += [f"{p}.{s}" for p in self.model.points for s in self._suffixes(points=True)]
        names += [f"{c.name}.{m}" for c in self.model.constraints.values() if c.prescribes is None for m in c.measures]
        return names + (dynamics_columns(self) if self.dynamics is not None else [])

    def _suffixes(self, *, points: bool = False) -> list[str]:
        """Columns of a body (or of a point), as far as the run went: "x", "vx", "omega" ..."""
        space = self.model.space
        named = {**space.rates, **space.accelerations}
        out = list(space.positions)
        if self.v is not None:
            out += space.rates
        if self.a is not None:
            out += space.accelerations
        return [s for s in out if named.get(s, s) in space.axes] if points else out

    # --- forces --------------------------------------------------------------------------------------------------

    @property
    def momentum(self) -> NDArray[np.float64]:
        """Momentum of all bodies [kg m/s], shape (n, 2) or (n, 3)."""
        return momenta(self)[0]

    @property
    def angular_momentum(self) -> NDArray[np.float64]:
        """Angular momentum of all bodies about the global origin [kg m²/s], shape (n,) or (n, 3)."""
        return momenta(self)[1]

    @checked
    def group(self, *bodies: str) -> GroupSeries:
        """Bodies taken together: names of bodies or groups, or "system" for all; centre of mass, momenta, kinetic energy, power."""
        names = [members(self.model, name) if isinstance(name, str) else None for name in bodies]
        for name, found in zip(bodies, names, strict=True):
            if found is None:
                known = [*list(self.model.bodies)[1:], *self.model.groups, SYSTEM]
                raise self.model._unknown(name, "body or group", known)
        return GroupSeries(self, [body for found in names for body in found or ()])

    @property
    def _levels(self) -> int:
        """1 for positions alone, 2 with velocities, 3 with accelerations."""
        return 1 + (self.v is not None) + (self.v is not None and self.a is not None)

    @checked
    def force_on(self, force: str, body: str, *, about: Any = None) -> Resultant:
        """What a force element does to one of the bodies: force vector and moment about the body's centre of mass, or about a place.

        Args:
            force: Name of the force: a spring, a contact, a motor, a load.
            body: Name of the body.
            about: A point, its name or global coordinates [m] for the moment.
        """
        return moved_to(self, force_on(self, force, body), about)

    @checked
    def resultant(self, body: str, *, about: Any = None, gravity: bool = True, joints: bool = False) -> Resultant:
        """All applied loads on a body: force and moment about its centre of mass, or about a place.

        Args:
            body: Name of the body.
            about: A point, its name or global coordinates [m] for the moment.
            gravity: Count the weight.
            joints: Count what joints, constraints and drivers do, too; the sum is then mass times acceleration of the centre of mass.
        """
        return moved_to(self, resultant_on(self, self.model.body_of(body).name, gravity=gravity, joints=joints), about)

    @checked
    def contact(self, name: str) -> ContactSeries:
        """Place, normal, force and slip of a contact along the motion."""
        force = self.model.forces.get(name)
        if force is None or force.kind not in PLACES:
            raise self.model._unknown(name, "contact", [f.name for f in self.model.forces.values() if f.kind in PLACES])
        return contact_of(self, name)

    @checked
    def reaction(self, joint: str, on: str | None = None) -> AnyReaction:
        """What a joint does to one of its bodies (the second by default), at the joint point: a `Reaction` or a `SpaceReaction`."""
        constraint = self.model.joint(joint, "reaction")
        return reaction_of(self, constraint, on or constraint.second)  # type: ignore[return-value]

    @property
    def ground_reaction(self) -> NDArray[np.float64]:
        """Force [N] and moment about the origin [N m] that all constraints together put on the ground, shape (n, 3) or (n, 6).

        Joints, coordinate constraints, drivers, gears and formulas all count: it is loads on the bodies less their rate of momentum.
        """
        return ground_total(self)

    @checked
    def effort(self, driver: str) -> NDArray[np.float64]:
        """What a driver or actuator must do: a torque for an angle [N m], a force for a length [N], shape (n,)."""
        constraint = self.model.joint(driver, "effort")
        if constraint.n_rows != 1:
            raise ModelError(f"{constraint.kind} {driver!r} is no driver; ask for its reaction instead.")
        row = next(k for k, r in enumerate(self._system.rows) if r.owner == driver)
        return dynamics_data(self).multipliers[:, row].copy()

    @property
    def energy(self) -> Energy:
        """Kinetic, gravity and stored energy, work put in and dissipated, and their balance."""
        return energy_of(self)

    @checked
    def force(self, label: str) -> NDArray[np.float64]:
        """Value of a force element along the motion, by label: "spring1.spring", "brake.force", or the force's name."""
        data = dynamics_data(self)
        named = [k for k, f in enumerate(self._system.forces) if label == f.use.label]
        # a limit is no force, and counts only where it is named
        found = named or [
            k for k, f in enumerate(self._system.forces) if label == f.owner and not f.use.label.endswith(".limit")
        ]
        if not found:
            known = ", ".join(f.use.label for f in self._system.forces) or "none"
            raise ModelError(f"there is no force {label!r} in model {self.model.name!r}; it has: {known}.")
        return np.asarray(sum(self._system.forces[k].use.sign * data.outputs[:, 2 * k] for k in found))

    # --- tables --------------------------------------------------------------------------------------------------

    @checked
    def to_dict(self, names: Sequence[str] | None = None) -> dict[str, NDArray[np.float64]]:
        """Columns by name, "t" first; SI."""
        chosen = list(names or self._table_names())
        return {"t": self.times, **{n: values for n, (values, _) in zip(chosen, self._columns(chosen), strict=True)}}

    @checked
    def to_dataframe(self, names: Sequence[str] | None = None) -> Any:
        """pandas DataFrame with time as index; SI. Needs the extra ``pytrammel[table]``."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ModelError(f"to_dataframe needs pandas: {install_command('table')}, or use to_dict().") from error
        columns = self.to_dict(names)
        return pd.DataFrame(columns).set_index("t")

    @checked
    def to_csv(self, path: str | Path, names: Sequence[str] | None = None, *, digits: int | None = None) -> Path:
        """Write a comma-separated table with units in the header, in SI or in the units of the names.

        Args:
            path: File to write; the suffix is .csv, .txt or none.
            names: Quantities, e.g. "rod.x [mm]"; defaults to all coordinates and measures.
            digits: Significant digits, 1 to 17; by default all that are needed to read back the same numbers.
        """
        check_target(path)
        suffix = Path(path).suffix.lower()
        if suffix not in ("", ".csv", ".txt"):
            raise FileWriteError(
                f"the file {str(path)!r} cannot be written: a table's suffix must be .csv or .txt, not {suffix!r}."
            )
        chosen = list(names or self._table_names())
        columns = self._columns(chosen)
        with whole_file(path) as file:
            writer = csv.writer(codecs.getwriter("utf-8")(file))
            heads = [f"{split_unit(name)[0]} [{unit}]" for name, (_, unit) in zip(chosen, columns, strict=True)]
            writer.writerow(["t [s]", *heads])
            write_lines(file, [self.times, *(values for values, _ in columns)], digits)
        return Path(path)

    # --- pictures ------------------------------------------------------------------------------------------------

    @property
    def plot(self) -> Plots:
        """Plots: called with names of quantities, ``r.plot("P.vx")``, or by kind, ``r.plot.path("P")``, ``r.plot.energy()``."""
        return Plots([("", self)])

    @property
    def diagram(self) -> Diagrams:
        """Diagrams of plane motion: ``r.diagram.velocity_polygon(0.1)``, ``r.diagram.centrodes("rod")``."""
        return Diagrams(self)

    @checked
    def draw(
        self,
        ax: Axes | None = None,
        *,
        time: float | None = None,
        ghosts: int = 0,
        traces: Iterable[str] | None = None,
        arrows: Iterable[str] | None = None,
        path: str | Path | None = None,
        theme: Theme | str | None = None,
    ) -> Axes:
        """Draw the mechanism at one instant.

        Args:
            ax: Where to draw, made with ``projection="3d"`` for a model in space; a figure of its own by default.
            time: Any time of the run [s], interpolated between samples as by `at`; the first one by default.
            ghosts: Number of other positions shown faintly behind.
            traces: Points whose paths are shown; all points of interest by default.
            arrows: What is drawn as arrows with values: "load", "reaction", "velocity", "acceleration"; loads by default, in space
                reactions where they are few.
            path: File to write (png, svg, pdf).
            theme: Colours and line styles: "light", "dark", "print", or a variant such as ``tm.themes.light.replace(spring="#c33")``; the
                active one by default.

        Returns:
            The axes drawn on; ``ax.figure`` is the figure.
        """
        from pytrammel.view.result_views import draw_result
        from pytrammel.view.theme import using

        with using(theme):
            return draw_result(self, ax, time=time, ghosts=ghosts, traces=traces, arrows=arrows, path=path)

    @checked
    def draw_stages(
        self,
        stages: int | Sequence[float] | NDArray[np.float64] = 6,
        *,
        traces: Iterable[str] | None = None,
        path: str | Path | None = None,
        theme: Theme | str | None = None,
    ) -> Any:
        """Draw several stages of the motion in one picture, a panel for each.

        Args:
            stages: Number of times, evenly spread over the run, or the times themselves [s].
            traces: Points whose paths are shown; all points of interest by default.
            path: File to write (png, svg, pdf).
            theme: Colours and line styles, as for `draw`.

        Returns:
            The axes: one, or an array of them, shape (stages,).
        """
        from pytrammel.view.stills.stages import draw_stages
        from pytrammel.view.theme import using

        with using(theme):
            return draw_stages(self, stages, traces=traces, path=path)

    @checked
    def animate(
        self,
        path: str | Path | None = None,
        *,
        traces: Iterable[str] | None = None,
        duration: float | None = None,
        plots: Iterable[str] = (),
        theme: Theme | str | None = None,
    ) -> Any:
        """Write a self-contained HTML animation that opens in any browser offline; in space, one that can be turned.

        Args:
            path: File to write: .html (also without a suffix), .gif, .mp4 where ffmpeg is installed, or in space .glb and .gltf
                (glTF 2.0, for Blender, browsers and slides). Without a path the animation comes back, and plays in a notebook.
            traces: Points whose paths are shown; all points of interest by default.
            duration: Length of the animation [s]; real time if it is neither too short nor too long to watch.
            plots: Quantities that a page plots beside the picture from the start, e.g. ["A.angle", "P.vx"]; its reader can open others.
            theme: Colours and line styles, as for `draw`. By default a page follows the light or dark setting of its reader's system;
                its reader can choose another theme.

        Returns:
            The path, or an `Animation` that a notebook shows in a frame of its own.
        """
        from pytrammel.view.result_views import animation_of, write_animation
        from pytrammel.view.theme import using

        with using(theme):
            if path is None:
                return animation_of(self, traces=traces, duration=duration, plots=plots)
            return write_animation(self, path, traces=traces, duration=duration, plots=plots)

    def _interesting(self) -> list[str]:
        names = [
            f"{c.name}.{m}" for c in self.model.constraints.values() for m in c.moving if m in ("distance", "angle")
        ]
        return names[:8] or self._table_names()[:3]

    def _shown(self, values: NDArray[np.float64], unit: str) -> tuple[str, NDArray[np.float64]]:
        """Values in the model's display units."""
        if unit.startswith("rad"):
            return unit.replace("rad", "°"), np.degrees(values)
        if unit == "m" or unit.startswith("m/"):
            return self.model.display_unit + unit[1:], values / LENGTH_UNITS[self.model.display_unit]
        return unit, values

    def _displayed(
        self, name: str, column: tuple[NDArray[np.float64], str] | None = None
    ) -> tuple[str, NDArray[np.float64]]:
        """Unit and values of a quantity: in the unit of its name ("A.angle [rad]"), else in the model's display units."""
        values, unit = self._column(name) if column is None else column
        return (unit, values) if split_unit(name)[1] else self._shown(values, unit)

    # --- text ----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """What an engineer wants to know at a glance: ranges, extreme speeds and accelerations, anything unusual."""
        return summary_of(self)

    @property
    def events(self) -> list[Record]:
        """Events and changes of phase in the order of time: records with `time`, `kind`, `name` and `change`.

        Example: ``[e.time for e in r.events if e.name == "impact"]``. `singularities` has the singular positions.
        """
        happened = () if self.dynamics is None else self.dynamics.events
        return sorted((*self._switches, *happened), key=lambda each: each.time)

    def log(self) -> list[str]:
        """Return messages about the run: phases, events, singular positions, reactions, energy balance, warnings."""
        out = [str(each) for each in (*self._switches, *self.singularities)]
        if self.dynamics is not None:
            out += dynamics_notes(self)
        if self.redundant:
            out.append(f"redundant but consistent: {', '.join(self.redundant)}")
        return out + [f"warning: {warning}" for warning in self.warnings]

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Result {headline(self)}>"

    def _repr_html_(self) -> str:
        from pytrammel.view.html import result_html

        return result_html(self)

    def constraint_violation(self) -> float:
        """Largest violation of any acting constraint in the run, in units of the model's size."""
        from pytrammel.results.constraint_check import largest_violation

        return largest_violation(self)
