"""What planar and spatial models share: describing parts, copies, files, pictures; the analyses are `Verbs`."""

from __future__ import annotations

import copy
import functools
import pickle
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from pytrammel._util import plugins
from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import number_of, short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.joints.constraint import Constraint
from pytrammel.model import shortcuts
from pytrammel.model.argument_types import Place
from pytrammel.model.arguments.dimensions import check_laws
from pytrammel.model.arguments.recorded import Said, bound, built
from pytrammel.model.bodies import GROUND
from pytrammel.model.copies import fill_copy, replay_all
from pytrammel.model.definitions import Definitions
from pytrammel.model.display_unit import warn_of_size
from pytrammel.model.parameters import evaluated, names_used, resolved, restated
from pytrammel.model.phases import Phase, Switch, make_phase, make_switch
from pytrammel.model.quantities.groups import SYSTEM, checked_group
from pytrammel.model.subsystems import add_subsystem, check_part, placement
from pytrammel.model.suggestions import PROBED, Worded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pytrammel.model.argument_types import Length, Mass, MatrixLike, Position, Scalar, Value, VectorLike
    from pytrammel.model.typed_methods import Elements, Verbs
    from pytrammel.view.diagrams.graph import JointGraph
    from pytrammel.view.theme import Theme
else:
    from pytrammel.model.verbs import Verbs

    Elements = object

B = TypeVar("B")
P = ParamSpec("P")
# attribute with the arrays packed from a model: callbacks of weak references, as of a weak dictionary, would swallow Ctrl-C
PACKED = "_packed"
_DEFINED_BY = {"tables": "define_table", "curves": "define_curve", "formulas": "define"}


class Model(Definitions, Verbs, Worded, Elements):
    """Bodies, joints, drivers and forces of a mechanism; see `PlanarModel` and `SpatialModel`.

    Attributes:
        name: Title of the model.
        display_unit: Length unit of printed tables and pictures.
        space: Names of the coordinates.
        closure_tolerance: Gap that redundant rows of a closed loop may keep [m]; angles: divided by the model's size.
        conversion_report: For a model that was loaded from a robot file, what was ignored, approximated, renamed or merged; else None.
        motors: For a model that was loaded from a robot file, coordinates of joints with a motor, e.g. ``"hip.angle"``.
    """

    def __init__(
        self, name: str, gravity: object, display_unit: str, ground: Any, *, closure_tolerance: object = 0.0
    ) -> None:
        """Start an empty model.

        Args:
            name: Title of the model.
            gravity: Acceleration of gravity [m/s²].
            display_unit: Length unit of printed tables and pictures.
            ground: The fixed body.
            closure_tolerance: Gap that redundant rows of a closed loop may keep [m].
        """
        super().__init__(name, display_unit, ground)
        self.gravity = gravity
        self.closure_tolerance = closure_tolerance
        # what `pytrammel run` does with it: a verb and its options, by name
        self.analyses: dict[str, dict[str, Any]] = {}
        self.conversion_report: Any = None  # of a model from a robot file: what was not taken over as it stands
        self.motors: tuple[str, ...] = ()
        self._placed_by: set[str] = set()  # parameters with which subsystems were placed
        self._warned: set[str] = set()  # warnings of the model that were printed; copies share them
        self._redrawing = False  # a joint is being put on bodies that are drawn elsewhere than when it was described

    if not TYPE_CHECKING:  # joints and forces are attached from the registries below

        def __getattr__(self, name):
            if not name.startswith("_") and name not in PROBED and plugins.load(plugins.JOINTS, plugins.FORCES):
                return getattr(self, name)
            return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        plugins.load(plugins.JOINTS, plugins.FORCES)
        return sorted(super().__dir__())

    # --- describing ----------------------------------------------------------------------------------------------

    @abstractmethod
    def body(self, name: str, *args: Any, **given: Any) -> Any:
        """Add a body."""

    @checked
    def point(
        self, name: str, body: Place | None = None, *, at: Position | None = None, local: Position | None = None
    ) -> Any:
        """Add a named point of interest, or look one up if only the name is given.

        Args:
            name: Unique name.
            body: Body it is fixed to.
            at: Global coordinates in the drawn pose [m], or
            local: body coordinates [m].
        """
        if body is None:
            if at is not None or local is not None:
                raise ModelError(f"point {name!r}: say on which body it is, with body=; 'ground' is one, too.")
            if not isinstance(name, str) or name not in self._points:
                raise self._unknown(name, "point", self._points)
            return self._points[name]
        places = {key: value for key, value in (("at", at), ("local", local)) if value is not None}
        return self._add(Model._make_point, "point", name, (), {"body": body, **places}, self._points)

    def _make_point(self, name: str, body: Place, *, at: Position | None = None, local: Position | None = None) -> Any:
        owner = self.body_of(body)
        if (at is None) == (local is None):
            axes = ", ".join(self.space.axes)
            raise ModelError(f"point {name!r}: give either at=({axes}), global, or local= in the body's frame.")
        if at is not None:
            return owner.at_global(*self.vector(at, f"at of point {name!r}"), name=name)
        return owner.at(*self.vector(local, f"local of point {name!r}"), name=name)

    @checked
    def phase(self, name: str, *, active: Iterable[str | Constraint], hold: Iterable[str | Constraint] = ()) -> Phase:
        """Add a phase: constraints that act only while it lasts. The first phase added is the one a run starts in.

        Args:
            name: Name of the phase.
            active: Constraints that act in it, by name.
            hold: Those that keep the value they have when the phase begins (a foot that stays where it landed, a wheel
                that stays locked).
        """
        given = {"active": active, "hold": hold}
        made: Phase = self._add(make_phase, "phase", name, (), given, self._phases)
        return made

    @checked
    def switch(self, name: str, leave: str, enter: str, *, when: str | Expression, direction: int = 0) -> Switch:
        """Change phase when a formula of measured quantities and t passes zero.

        Args:
            name: Name of the switch.
            leave, enter: Names of the phases.
            when: Formula, e.g. ``"A.angle - pi/4"``.
            direction: +1 if it must rise through zero, -1 if it must fall, 0 either way.
        """
        given = {"leave": leave, "enter": enter, "when": when, "direction": direction}
        made: Switch = self._add(make_switch, "switch", name, (), given, self._switches)
        return made

    @checked
    def group(self, name: str, bodies: Iterable[Place]) -> tuple[str, ...]:
        """Name some bodies together, to ask for their centre of mass, momentum and energy: "arm.com.x", "arm.momentum.x", "arm.kinetic".

        All moving bodies together are "system" without being named.

        Args:
            name: Unique name.
            bodies: Moving bodies.
        """
        self._check_new_name(name, "group")
        if name in self._groups or name == SYSTEM:
            raise ModelError(f"group {name!r} is there already; choose another name.")
        found = checked_group(self, name, bodies)
        self._groups[name] = found
        return found

    @checked("part")
    def subsystem(
        self,
        name: str,
        part: Model,
        *,
        position: VectorLike | None = None,
        angle: Value | None = None,
        rotation: MatrixLike | None = None,
        ground: Place = GROUND,
    ) -> None:
        """Add all parts of another model under names of their own: ``m.subsystem("left", leg)`` brings "left.crank", "left.A", ...

        Bodies are drawn where the placement puts them, joints and forces stay where they are on their bodies. What is said in global
        terms stays global: gravity, forces in space, coordinates in force laws.

        Args:
            name: What stands before the names of its parts.
            part: The model; it may be added several times.
            position: Where its origin goes, global, drawn pose [m].
            angle: By how much it is turned (in the plane) [rad].
            rotation: The same in space: Euler parameters or a rotation matrix.
            ground: Body that takes the place of its ground.
        """
        self._check_new_name(name, "subsystem")
        check_part(self, part, name)
        given = {"position": position, "angle": angle, "rotation": rotation}
        found = evaluated(self, Model.subsystem, f"subsystem {name!r}", given)
        where = placement(self, **found)
        before = {key: copy.copy(value) for key, value in self.__dict__.items()}
        try:
            add_subsystem(self, name, part, where, self.body_of(ground).name)
        except Exception:
            self.__dict__.update(before)  # all or nothing
            raise
        self._placed_by |= names_used(list(given.values()), self._parameters)
        if part.closure_tolerance > self.closure_tolerance:
            self.closure_tolerance = part.closure_tolerance  # the part's loops close within the part's own tolerance

    @checked("mass", "radius")
    def bar(
        self,
        name: str,
        start: Place | VectorLike,
        end: Place | VectorLike,
        *,
        mass: Mass | None = None,
        radius: Length | None = None,
    ) -> Any:
        return shortcuts.bar(self, name, start, end, mass=mass, radius=radius)

    @checked("mass", "radius")
    def disc(self, name: str, center: Place | VectorLike, *, radius: Length, mass: Mass) -> Any:
        return shortcuts.disc(self, name, center, radius=radius, mass=mass)

    @checked("EI", "mass", "parts", "damping")
    def beam(
        self,
        name: str,
        start: Place | VectorLike,
        end: Place | VectorLike,
        *,
        EI: Scalar,
        mass: Mass,
        parts: int = 5,
        root: Place | None = GROUND,
        damping: Scalar = 0.0,
    ) -> tuple[str, ...]:
        return shortcuts.beam(self, name, start, end, EI=EI, mass=mass, parts=parts, root=root, damping=damping)

    bar.__doc__, disc.__doc__, beam.__doc__ = shortcuts.bar.__doc__, shortcuts.disc.__doc__, shortcuts.beam.__doc__

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of gravity [m/s²]; units ("9.81 m/s^2") and formulas of parameters may be given."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: object) -> None:
        given = evaluated(self, Model.__init__, "the model", {"gravity": gravity})["gravity"]
        self._gravity = self.vector(given, "gravity")
        self._gravity_given = gravity

    @property
    def closure_tolerance(self) -> float:
        """Gap that redundant rows of a closed loop may keep [m]; units ("0.01 mm") and formulas of parameters may be given.

        Rows that measure angles may keep the tolerance divided by the model's size.
        """
        return self._closure_tolerance

    @closure_tolerance.setter
    def closure_tolerance(self, closure_tolerance: object) -> None:
        what = "closure_tolerance of the model"
        given = evaluated(self, Model.__init__, "the model", {"closure_tolerance": closure_tolerance})
        value = checked_number(given["closure_tolerance"], what)
        if not value >= 0.0:
            raise ModelError(f"{what} is {value:g} m but must be at least 0 m.")
        self._closure_tolerance = value
        self._closure_tolerance_given = closure_tolerance

    def _add(
        self, builder: Callable[..., Any], kind: str, name: str, args: tuple[Any, ...], given: Mapping[str, Any],
        keep: dict[str, Any],
    ) -> Any:  # fmt: skip
        """Build something, keep it under its name, and remember how it was said."""
        self._check_new_name(name, kind)
        what = f"{kind} {name!r}"
        arguments = bound(builder, what, args, given)
        self._naming = name if kind == "state" else ""
        try:
            made = built(builder, what, self, name, evaluated(self, builder, what, arguments))
            check_laws(self, builder, made, what, arguments)
        finally:
            self._naming = ""
        keep[name] = made
        self._said[name] = Said(arguments)
        return made

    # --- copies --------------------------------------------------------------------------------------------------

    @property
    def unused_parameters(self) -> tuple[str, ...]:
        """Parameters that nothing uses, directly or through others."""
        known = self._parameters
        used = names_used([list(said.arguments.values()) for said in self._said.values()], known)
        used |= (
            names_used([self._gravity_given, self._closure_tolerance_given, list(self._defined.values())], known)
            | self._placed_by
        )
        waiting = list(used)
        while waiting:
            more = names_used(known[waiting.pop()].given, known) - used
            used |= more
            waiting += more
        return tuple(name for name in known if name not in used)

    @checked
    def with_parameters(self, **values: float | str | Expression) -> Self:
        """The model that would have been described with other values of some parameters, within their bounds."""
        return self._with_parameters(values)

    def _with_parameters(self, values: Mapping[str, float | str | Expression], *, bounded: bool = True) -> Self:
        for name in values:
            if name not in self._parameters:
                raise self._unknown(name, "parameter", self._parameters)
        found = resolved(
            restated({key: kept.stated for key, kept in self._parameters.items()}, values), bounded=bounded
        )
        stale = [key for key in sorted(self._placed_by) if found[key].value != self._parameters[key].value]
        if stale:
            raise ModelError(
                f"subsystems were placed or made with the parameter {stale[0]!r}, and do not follow it; describe the model again, or "
                f"read its file with other values: tm.load(path, parameters={{...}})."
            )
        twin = type(self)(self.name, display_unit=self.display_unit)  # type: ignore[call-arg]
        twin._warned = self._warned
        twin._parameters = found
        twin.folder = self.folder
        for (section, key), given in self._defined.items():
            getattr(twin, _DEFINED_BY[section])(key, given)
        twin.gravity, twin.closure_tolerance = self._gravity_given, self._closure_tolerance_given
        twin.analyses = dict(self.analyses)
        replay_all(self, twin)
        return twin

    @checked("without", "changes")
    def copy(
        self,
        name: str | None = None,
        *,
        without: Iterable[str] = (),
        changes: Mapping[str, Mapping[str, Any]] | None = None,
        gravity: VectorLike | None = None,
        display_unit: str | None = None,
        closure_tolerance: Value | None = None,
    ) -> Self:
        """Copy the model, with changes: what is changed is described again with the other arguments as they were given.

        Joints and forces whose bodies are drawn elsewhere in the copy stay where they are on their bodies, unless they are
        changed themselves; a new ``at`` counts in the pose that the copy is drawn in.

        Args:
            name: Name of the copy; the same by default.
            without: Bodies, joints, forces, points, phases and switches to leave out; nothing that stays may need them.
            changes: Per name the arguments to change:
                ``m.copy(changes={"crank": {"mass": 2.0}, "L": {"length": 0.3}, "B": {"at": (0.1, 0.2)}})``.
            gravity: Acceleration of gravity [m/s²]; the same by default.
            display_unit: Length unit of printed tables; the same by default.
            closure_tolerance: Gap that redundant rows of a closed loop may keep [m]; the same by default.
        """
        twin = type(self)(  # type: ignore[call-arg]
            self.name if name is None else name,
            display_unit=self.display_unit if display_unit is None else display_unit,
        )
        twin._warned = self._warned if display_unit is None else set()
        twin._parameters, twin.folder = dict(self._parameters), self.folder
        twin._placed_by = set(self._placed_by)
        twin._tables, twin._curves, twin._defined = dict(self._tables), dict(self._curves), dict(self._defined)
        twin._definitions = dict(self._definitions)
        twin.gravity = self._gravity_given if gravity is None else gravity
        twin.closure_tolerance = self._closure_tolerance_given if closure_tolerance is None else closure_tolerance
        twin.analyses, twin.conversion_report = dict(self.analyses), self.conversion_report
        fill_copy(self, twin, without, changes)
        twin.motors = tuple(name for name in self.motors if name.rpartition(".")[0] in twin.constraints)
        return twin

    def __copy__(self) -> Self:
        return self.copy()  # what is added to the one must not show up in the other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self._own(), memo))
        return twin

    def __getstate__(self) -> dict[str, Any]:
        for force in self._forces.values():
            for use in force.uses:
                if use.function is not None:
                    _check_travels(use.function, force.name)
            if callable(force.parameters.get("function")):
                _check_travels(force.parameters["function"], force.name)
        return self._own()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if any(not hasattr(type(self), part.kind) for part in (*self._constraints.values(), *self._forces.values())):
            plugins.load(plugins.JOINTS, plugins.FORCES)  # a type of a plugin, in another process

    def _own(self) -> dict[str, Any]:
        """Attributes of the model without the arrays packed from it."""
        return {name: value for name, value in self.__dict__.items() if name != PACKED}

    # --- text, files and pictures --------------------------------------------------------------------------------

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {number_of(len(self._bodies) - 1, 'moving body')}, {number_of(len(self._constraints), 'constraint')}"
        ]
        for body in list(self._bodies.values())[1:]:
            mass = (
                ""
                if body.mass is None
                else f", {body.mass:g} kg{' (armature)' if getattr(body, 'armature', False) else ''}"
            )
            lines.append(f"  body {body.name}: at {self.shown(body.position)}, {body.turned}{mass}")
        for constraint in self._constraints.values():
            rows = "row" if constraint.n_rows == 1 else "rows"
            detail = f" = {constraint.parameters['motion']}" if "motion" in constraint.parameters else ""
            what = "" if constraint.prescribes is None else f" {constraint.prescribes}"
            lines.append(
                f"  {constraint.kind} {constraint.name}: {' – '.join(constraint.bodies)}, {constraint.n_rows} {rows}{what}{detail}"
            )
        for force in self._forces.values():
            lines.append(f"  {force.kind} {force.name}: {' – '.join(force.bodies)}")
        for point in self._points.values():
            lines.append(f"  point {point.name}: on {point.body} at {self.shown(point.local)}")
        for phase in self._phases.values():
            lines.append(f"  phase {phase.name}: {', '.join(phase.active)}")
        for switch in self._switches.values():
            lines.append(f"  switch {switch.name}: {switch.leave} → {switch.enter} when {switch.when} passes 0")
        lines += [f"  parameter {parameter}" for parameter in self._parameters.values()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        bodies, constraints = number_of(len(self._bodies) - 1, "body"), number_of(len(self._constraints), "constraint")
        return f"<{type(self).__name__} {short(self.name)}: {bodies}, {constraints}>"

    def _repr_html_(self) -> str:
        from pytrammel.view.html import model_html

        return model_html(self)

    @checked
    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model as a file that `pytrammel.load` reads back to the same model: .toml, .json or .yaml.

        Raises:
            ModelError: Something in it cannot be written, such as a Python function as a force law; the sentence says what to do.
        """
        from pytrammel.io.models.model_file import save

        return save(self, path)

    @checked
    def draw(
        self,
        ax: Axes | None = None,
        *,
        labels: bool = True,
        path: str | PathLike[str] | None = None,
        theme: Theme | str | None = None,
    ) -> Axes:
        """Draw the mechanism as it is described, before any analysis: nothing is assembled, nothing is compiled.

        Args:
            ax: Where to draw, made with ``projection="3d"`` for a model in space; a figure of its own by default.
            labels: Whether to write the names of bodies and joints.
            path: File to write (png, svg, pdf).
            theme: Colours and line styles: "light", "dark", "print", or a variant such as ``tm.themes.light.replace(spring="#c33")``; the
                active one by default.

        Returns:
            The axes drawn on; ``ax.figure`` is the figure.
        """
        from pytrammel.view.scene.still import draw_model
        from pytrammel.view.theme import using

        warn_of_size(self)
        with using(theme):
            return draw_model(self, ax, labels=labels, path=path)

    @checked
    def diagram(
        self,
        path: str | PathLike[str] | None = None,
        *,
        ax: Axes | None = None,
        labels: bool = True,
        theme: Theme | str | None = None,
    ) -> Axes:
        """Draw the kinematic diagram: skeleton of the bodies, joints by convention, all with names; as described, before any analysis.

        Letters beside joints say what they leave free: R turns, P slides, RP both, C cylinder, U universal, S ball, H screw, E plane.

        Args:
            path: File to write: svg, png or pdf.
            ax: Where to draw, plain axes also for models in space, which are seen from above; a figure of its own by default.
            labels: Whether to write names.
            theme: Colours and line styles, as for `draw`.

        Returns:
            The axes drawn on.
        """
        from pytrammel.view.diagrams.kinematic import draw_diagram
        from pytrammel.view.theme import using

        warn_of_size(self)
        with using(theme):
            return draw_diagram(self, ax=ax, labels=labels, path=path)  # type: ignore[no-any-return]

    @checked
    def graph(self, path: str | PathLike[str] | None = None) -> JointGraph:
        """Which bodies are joined by what, with loops and mobility: numbers with names, printed as a list, drawn by ``.plot()``.

        Args:
            path: File to write the picture to: svg, png or pdf.
        """
        from pytrammel.view.diagrams.graph import joint_graph

        found = joint_graph(self)
        if path is not None:
            found.plot(path=path)
        return found


def _check_travels(function: Callable[..., float], force: str) -> None:
    """Functions are pickled by name, so that they must have one."""
    try:
        pickle.dumps(function)
    except Exception as error:
        raise ModelError(
            f"force {force!r} cannot be pickled with its Python function {getattr(function, '__qualname__', short(function))}; "
            "define that at the top of a module, or write the law as a formula."
        ) from error


def _as_method(builder: Callable[..., Any], keep: str) -> Callable[..., Any]:
    """A builder as a method that checks the name and adds what was built to the model's dictionary `keep`."""

    @functools.wraps(builder)
    def method(self: Model, *args: Any, **kwargs: Any) -> Any:
        name, args = _name_of(builder.__name__, args, kwargs)
        made = self._add(builder, builder.__name__, name, args, kwargs, getattr(self, keep))
        for turn in made.turns:
            self._turns.setdefault(turn.name, turn)
        if keep == "_forces":
            self._states.update({use.state: name for use in made.uses if use.state})
        return made

    return method


def _name_of(kind: str, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """Name of a new part, which comes first or by name, and the other values."""
    if args:
        return args[0], args[1:]
    if "name" not in given:
        raise ModelError(f"{kind} needs name, the first argument. Use a text that no other part of the model has.")
    return given.pop("name"), ()


def body_method(make: Callable[Concatenate[Any, P], B]) -> Callable[Concatenate[Any, P], B]:
    """A function that makes a body as a method that adds it, with its named points, to the model."""

    @functools.wraps(make)
    def method(self: Model, *args: Any, **given: Any) -> B:
        name, args = _name_of("body", args, given)
        body: B = self._add(make, "body", name, args, given, self._bodies)
        for key in body.points:  # type: ignore[attr-defined]
            point = body[key]  # type: ignore[index]
            self._points[point.name] = point
        return body

    return method  # type: ignore[return-value]


Follow = Callable[[Callable[[Callable[..., Any]], None]], None]  # `Registry.follow`


def attach_builders(model: type[Model], constraints: Follow, forces: Follow) -> None:
    """Give a model a method for every registered joint and force, also for those that are registered later."""
    constraints(functools.partial(_attach, model, "_constraints", "joint"))
    forces(functools.partial(_attach, model, "_forces", "force"))


def _attach(model: type[Model], keep: str, what: str, builder: Callable[..., Any]) -> None:
    name = builder.__name__
    known = getattr(model, name, None)
    if known is not None and plugins.module_of(known) != builder.__module__:
        raise plugins.clash(what, name, plugins.defined_by(known), plugins.defined_by(builder))
    setattr(model, name, _as_method(builder, keep))
