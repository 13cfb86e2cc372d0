"""Functions of a model at given joint coordinates and velocities, one state or many in a call."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel.analysis.functions.arguments import checked_times, finite, leading_axes, numbers
from pytrammel.analysis.functions.packing import Packed, row_order
from pytrammel.analysis.runs.engine import Table
from pytrammel.analysis.study.bodies import row_names
from pytrammel.errors import ModelError, SingularError
from pytrammel.kernels.equations import tree_functions as kernels
from pytrammel.kernels.jit import kernel_named
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND

if TYPE_CHECKING:
    from pytrammel.analysis.functions.loops import Loops
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
EMPTY = np.zeros(0)


class _OfThread(threading.local):
    """Table of the calling thread: threads do not share workspaces."""

    def __init__(self, packed: Packed) -> None:
        self.table: Table = packed.table()
        self.entries = self.table.entries


class ModelFunctions:
    """Dynamics and kinematics of a model as functions, see `functions`.

    All functions accept one state, e.g. q of shape (nq,), or many with leading axes, (..., nq); arguments of one state are combined with
    many of others. Results have the same leading axes. The time t is one number or an array with these axes. Units are SI; vectors have
    global components.

    Attributes:
        coordinates: Names of the entries of q: measures of the joints ("A.angle", "slide.distance"), Euler parameters of ball joints
            relative to the design configuration, position and Euler parameters (in the plane the angle) of floating bodies.
        velocities: Names of the entries of v, a and of efforts: rates of the coordinates; for ball joints and floating bodies the angular
            velocity in body components, for floating bodies after the velocity of the origin in global components.
        actuators: Names of the velocities along which efforts act.
        constraints: Names of the loop equations that joint coordinates must satisfy; empty for open chains and trees.
        start: Coordinates in the design configuration, loops closed.
    """

    def __init__(self, packed: Packed, actuators: tuple[str, ...] | None, options: tuple[str, Sequence[str]]) -> None:
        self._packed = packed
        self._options = options
        self.coordinates, self.velocities = packed.coordinates, packed.velocities
        self.start = packed.start.copy()
        self.start.flags.writeable = False
        self._nq, self._nv, self._m = len(self.coordinates), len(self.velocities), len(packed.rows)
        self._q_shape, self._v_shape = (self._nq,), (self._nv,)
        self._space = packed.system.model.space.dimension == 3
        self._local = _OfThread(packed)
        entry = kernel_named("tree_functions_run")
        entry.compile()
        self._run: Any = kernels.tree_functions_run
        if not packed.system.laws:  # without Python functions that must be called back
            self._run = getattr(kernels.tree_functions_run, "dispatcher", kernels.tree_functions_run)
        self._places: dict[str, Array] = {}
        names = row_names(packed.system, packed.rows)
        order = row_order(self._local.table, self._m)
        self.constraints = tuple(names[packed.rows.index(row)] for row in order)
        self._loops: Loops | None = None
        self.actuators = self.velocities
        if self._m:
            from pytrammel.analysis.functions.loops import Loops, default_actuators

            self._loops = Loops(self)
            self.actuators = default_actuators(self)
        if actuators is not None:
            self.actuators = self._checked_actuators(actuators)
        self._acting = [self.velocities.index(name) for name in self.actuators]
        self._all_act = self.actuators == self.velocities
        self._act_shape, self._act_index = (len(self._acting),), np.array(self._acting, dtype=np.intp)
        if not self._all_act and self._loops is None:
            from pytrammel.analysis.functions.loops import Loops

            self._loops = Loops(self)
        self._sharing = EMPTY if self._loops is None else self._loops.sharing(self._acting)

    @property
    def model(self) -> Model:
        """The model that the functions belong to."""
        return self._packed.system.model

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.model, self._packed.elements, self.actuators, *self._options)

    def __repr__(self) -> str:
        loops = f", {self._m} loop equations" if self._m else ""
        return f"ModelFunctions({self.model.name!r}: {self._nq} coordinates, {self._nv} velocities{loops})"

    # --- dynamics --------------------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """Return the efforts of the actuators for a motion [N, N m], shape (..., actuators).

        With closed loops the motion must satisfy them (`complete` finds the dependent velocities and accelerations); redundant actuators
        share the efforts with the smallest sum of squares.

        Raises:
            SingularError: The actuators cannot produce the motion.
        """
        if self._all_act and not self._m:
            return self._dynamic(kernels.INVERSE, t, q, v, a)
        assert self._loops is not None
        out = self._tried(kernels.ACTUATORS, t, q, v, a, self._sharing, (len(self._acting),))
        return self._loops.efforts(q, v, a, t) if out is None else out  # redundant or singular

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """Return the accelerations under efforts of the actuators, closed loops held, shape (..., velocities).

        Raises:
            SingularError: A motion without inertia, or loop equations that depend on each other at this position.
        """
        if not self._all_act:
            tau = self._spread(tau)
        if self._m:
            found = self._any(kernels.FORWARD, t, q, v, tau, EMPTY, (self._nv + self._m,))
            return found[: self._nv] if found.ndim == 1 else found[..., : self._nv].copy()
        return self._dynamic(kernels.FORWARD, t, q, v, tau)

    def multipliers(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """Return the multipliers of the loop equations under efforts of the actuators, shape (..., constraints)."""
        found = self._any(kernels.FORWARD, t, q, v, self._spread(tau), EMPTY, (self._nv + self._m,))
        return found[..., self._nv :].copy()

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return the mass matrix M of the tree, loops open, shape (..., velocities, velocities)."""
        return self._any(kernels.MASS, 0.0, q, EMPTY, EMPTY, EMPTY, (self._nv, self._nv))

    def bias_forces(self, q: ArrayLike, v: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """Return the bias forces b of M a + b = tau: velocity terms and gravity minus element forces, shape (..., velocities)."""
        return self._any(kernels.INVERSE, t, q, v, EMPTY, EMPTY, self._v_shape)

    def gravity(self, q: ArrayLike) -> Array:
        """Return the efforts that hold the weight, shape (..., velocities)."""
        return self._any(kernels.GRAVITY, 0.0, q, EMPTY, EMPTY, EMPTY, self._v_shape)

    def element_forces(self, q: ArrayLike, v: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """Return the generalised forces of springs, dampers and other elements, shape (..., velocities)."""
        return self._any(kernels.ELEMENTS, t, q, v, EMPTY, EMPTY, self._v_shape)

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the kinetic energy [J], shape (...)."""
        return self._any(kernels.ENERGY, 0.0, q, v, EMPTY, EMPTY, (2,))[..., 0].copy()

    def potential_energy(self, q: ArrayLike) -> Array:
        """Return the potential energy of the weights [J], zero at the global origin, shape (...)."""
        return self._any(kernels.ENERGY, 0.0, q, EMPTY, EMPTY, EMPTY, (2,))[..., 1].copy()

    # --- kinematics ------------------------------------------------------------------------------------------------------

    def pose(self, place: Any, q: ArrayLike) -> Any:
        """Return the position of a point or body and the orientation of its body.

        Args:
            place: Name of a body (its origin) or of a point, or either as an object.
            q: Coordinates.

        Returns:
            In space position [m] (..., 3) and rotation matrix (..., 3, 3); in the plane position (..., 2) and angle [rad] (...).
        """
        size = 12 if self._space else 3
        found = self._any(kernels.POSE, 0.0, q, EMPTY, EMPTY, self._place(place), (size,))
        if self._space:
            return found[..., :3].copy(), found[..., 3:].reshape(*found.shape[:-1], 3, 3).copy()
        return found[..., :2].copy(), found[..., 2].copy()

    def position(self, place: Any, q: ArrayLike) -> Array:
        """Return the position of a point or of the origin of a body [m], shape (..., 3) or in the plane (..., 2)."""
        found: Array = self.pose(place, q)[0]
        return found

    def velocity(self, place: Any, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the velocity of a point, then the angular velocity of its body, shape (..., 6) or in the plane (..., 3)."""
        return self._any(kernels.VELOCITY, 0.0, q, v, EMPTY, self._place(place), (6 if self._space else 3,))

    def acceleration(self, place: Any, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Return the acceleration of a point, then the angular acceleration of its body, shape (..., 6) or in the plane (..., 3)."""
        return self._any(kernels.ACCELERATION, 0.0, q, v, a, self._place(place), (6 if self._space else 3,))

    def jacobian(self, place: Any, q: ArrayLike) -> Array:
        """Return the Jacobian of a point and its body: `velocity` is J v.

        Args:
            place: Name of a body (its origin) or of a point, or either as an object.
            q: Coordinates.

        Returns:
            Rows of the linear, then of the angular velocity, global components, shape (..., 6, velocities) or in the plane (..., 3,
            velocities). With closed loops the loops are open; multiply by the motions that the loops allow (`motions`).
        """
        return self._any(
            kernels.JACOBIAN, 0.0, q, EMPTY, EMPTY, self._place(place), (6 if self._space else 3, self._nv)
        )

    def integrate(self, q: ArrayLike, step: ArrayLike) -> Array:
        """Return the coordinates after a step along the velocities (v times a time), Euler parameters of length one, shape (..., nq)."""
        return self._any(kernels.MOVE, 0.0, q, step, EMPTY, EMPTY, self._q_shape)

    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the time derivatives of the coordinates, shape (..., nq); they differ from v where Euler parameters are coordinates."""
        return self._any(kernels.RATES, 0.0, q, v, EMPTY, EMPTY, self._q_shape)

    def states(self, result: Result) -> tuple[Array, Array]:
        """Return the coordinates and velocities at all times of a result, shapes (times, nq) and (times, velocities)."""
        from pytrammel.analysis.functions.reading import read_states

        return read_states(self, result)

    # --- closed loops ----------------------------------------------------------------------------------------------------

    def constraint_residuals(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """Return the residuals of the loop equations, zero where the loops are closed, shape (..., constraints)."""
        return self._rows(q, t)[0]

    def constraint_jacobian(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """Return the Jacobian of the loop equations, shape (..., constraints, velocities)."""
        return self._rows(q, t)[1]

    def motions(self, q: ArrayLike) -> Array:
        """Return an orthonormal basis of the velocities that the loops allow, shape (..., velocities, degrees of freedom)."""
        return self._loop_part().motions(q)

    def close(self, q: ArrayLike, *, hold: Sequence[str] = (), t: ArrayLike = 0.0) -> Array:
        """Return coordinates with closed loops near given ones, shape (..., nq).

        Args:
            q: Estimate.
            hold: Velocities along which the coordinates keep their values, by name; `f.actuators` for given inputs.
            t: Time, for loop equations that depend on it [s]; one, or one per state.

        Raises:
            AssemblyError: A single estimate does not lead to a position. Among many, rows that fail are NaN.
        """
        return self._loop_part().close(q, hold, t)

    def complete(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        *,
        hold: Sequence[str] | None = None,
        t: ArrayLike = 0.0,
    ) -> Any:
        """Return velocities, or velocities and accelerations, with the dependent entries that closed loops require.

        Args:
            q: Coordinates with closed loops.
            v, a: Entries of the held velocities are kept; others are replaced.
            hold: Names of the independent velocities. Defaults to the actuators.
            t: Time, for loop equations that depend on it [s]; one, or one per state.
        """
        return self._loop_part().complete(q, v, a, hold, t)

    # --- calls -----------------------------------------------------------------------------------------------------------

    def _dynamic(self, task: int, t: Any, q: Any, v: Any, a: Any) -> Array:
        """Fast path of the dynamics: three arrays of one state."""
        try:
            if q.shape == self._q_shape and v.shape == a.shape == self._v_shape:
                if not q.flags.writeable:  # `start`: kernels take arrays that can be written
                    q = q.copy()
                out = np.empty(self._nv)
                if self._run(self._local.entries, task, t, 1, q, v, a, EMPTY, out) == 0.0:
                    return out
        except (AttributeError, TypeError):  # lists, integers, views with gaps
            pass
        return self._checked(task, t, q, v, a, EMPTY, self._v_shape)

    def _any(self, task: int, t: Any, q: Any, v: Any, a: Any, place: Array, shape: tuple[int, ...]) -> Array:
        out = self._one(task, t, q, v, a, place, shape)
        return self._checked(task, t, q, v, a, place, shape) if out is None else out

    def _tried(self, task: int, t: Any, q: Any, v: Any, a: Any, place: Array, shape: tuple[int, ...]) -> Array | None:
        """Result, or None where the task has no unique one."""
        out = self._one(task, t, q, v, a, place, shape)
        if out is None:
            out, status, lead = self._evaluated(task, t, q, v, a, place, shape)
            if status % 4 == kernels.SINGULAR:
                return None
            if status:
                self._fail(status, lead)
        return out

    def _one(self, task: int, t: Any, q: Any, v: Any, a: Any, place: Array, shape: tuple[int, ...]) -> Array | None:
        """Fast path of one state; None for everything else."""
        try:
            if (
                q.shape == self._q_shape
                and (v is EMPTY or v.shape == self._v_shape)
                and (a is EMPTY or a.shape == self._v_shape)
            ):
                if not q.flags.writeable:
                    q = q.copy()
                out = np.empty(shape)
                if self._run(self._local.entries, task, t, 1, q, v, a, place, out.ravel()) == 0.0:
                    return out
        except (AttributeError, TypeError):
            pass
        return None

    def _copied(self, task: int, t: Any, q: Any, v: Any, a: Any, place: Array, shape: tuple[int, ...]) -> Array | None:
        """Result for one state in lists, integers, read-only arrays or views with gaps; None for everything else."""
        wanted = (self._q_shape, self._v_shape, self._v_shape)
        try:
            if type(t) is not float or any(np.iscomplexobj(x) for x in (q, v, a)):
                return None
            one = [x if x is EMPTY else np.array(x) for x in (q, v, a)]
            if any(x.dtype.kind not in "iuf" for x in one):
                return None
            one = [x if x is EMPTY else x.astype(float) for x in one]
            if any(x is not EMPTY and x.shape != size for x, size in zip(one, wanted, strict=True)):
                return None
            out = np.empty(shape)
            status = self._run(self._local.entries, task, t, 1, *one, place, out.reshape(-1))
        except (TypeError, ValueError, OverflowError):
            return None
        return out if status == 0.0 else None

    def _checked(self, task: int, t: Any, q: Any, v: Any, a: Any, place: Array, shape: tuple[int, ...]) -> Array:
        """Any arguments: many states, lists, and mistakes with their messages."""
        out, status, lead = self._evaluated(task, t, q, v, a, place, shape)
        if status:
            self._fail(status, lead)
        return out

    def _evaluated(
        self, task: int, t: Any, q: Any, v: Any, a: Any, place: Array, shape: tuple[int, ...]
    ) -> tuple[Array, int, tuple[int, ...]]:
        """Result of any arguments, status of the kernel and leading axes."""
        found = self._copied(task, t, q, v, a, place, shape)
        if found is not None:
            return found, 0, ()
        given = {"q": (q, self._nq, "coordinates")}
        if v is not EMPTY:
            given["step" if task == kernels.MOVE else "v"] = (v, self._nv, "velocities")
        if a is not EMPTY:
            given["tau" if task == kernels.FORWARD else "a"] = (a, self._nv, "velocities")
        arrays = [self._array(name, *one) for name, one in given.items()]
        times = self._times(t)
        lead = self._leading(dict(zip(given, arrays, strict=True)), times)
        count = int(np.prod(lead))
        out = np.empty((*lead, *shape))
        if count == 0:
            return out, 0, lead
        flat = [
            np.require(
                array if array.ndim == 1 else np.broadcast_to(array, (*lead, array.shape[-1])).reshape(-1),
                float,
                ["C", "W"],
            )
            for array in arrays
        ]
        if times.ndim:
            return out, self._over_times(task, np.broadcast_to(times, lead).ravel(), flat, place, out, v, a), lead
        flat_v = flat[1] if v is not EMPTY else EMPTY
        flat_a = flat[-1] if a is not EMPTY else EMPTY
        status = int(
            self._run(self._local.entries, task, float(times), count, flat[0], flat_v, flat_a, place, out.reshape(-1))
        )
        return out, status, lead

    def _over_times(self, task: int, times: Array, flat: list[Array], place: Array, out: Array, v: Any, a: Any) -> int:
        """Evaluate states at a time each; the status of the kernel for the first one that fails."""
        results = out.reshape(len(times), -1)
        sizes = (self._nq, self._nv, self._nv)
        rows = [x.reshape(-1, n) for x, n in zip(flat, sizes, strict=False)]
        rows = [x if len(x) > 1 else np.repeat(x, len(times), axis=0) for x in rows]
        for k, time in enumerate(times.tolist()):
            own_v = rows[1][k] if v is not EMPTY else EMPTY
            own_a = rows[-1][k] if a is not EMPTY else EMPTY
            status = int(self._run(self._local.entries, task, time, 1, rows[0][k], own_v, own_a, place, results[k]))
            if status:
                return status % 4 + 4 * k
        return 0

    def _times(self, t: Any) -> Array:
        return checked_times(t, f"functions of model {self.model.name!r}: t")

    def _leading(self, arrays: dict[str, Array], times: Array) -> tuple[int, ...]:
        """Leading axes that arrays of states and times have together."""
        return leading_axes(arrays, times, f"functions of model {self.model.name!r}")

    def _array(self, name: str, value: Any, size: int, kind: str) -> Array:
        """A finite array of floats whose last axis has the right length."""
        where = f"functions of model {self.model.name!r}: {name}"
        array = numbers(value, where)
        if array.ndim == 0 or array.shape[-1] != size:
            names = self.coordinates if kind == "coordinates" else self.velocities
            listed = ", ".join(names[:8]) + (", …" if size > 8 else "")
            raise ModelError(
                f"{where} has shape {array.shape}, but its last axis must have {size} entries, one for each of the {kind}: {listed}."
            )
        return finite(array, name, where)

    def _fail(self, status: int, lead: tuple[int, ...]) -> None:
        state, code = divmod(status, 4)
        where = f" at state {np.unravel_index(state, lead)}".replace("np.int64(", "").replace("),", ",") if lead else ""
        if code == kernels.SINGULAR:
            raise SingularError(
                f"forward dynamics of model {self.model.name!r}{where}: the accelerations are not determined, because a motion has no "
                "inertia or the loop equations depend on each other at this position. Give all bodies masses, or move away from the "
                "singular position."
            )
        for law in self._packed.system.laws:
            if law.error is not None:
                raise ModelError(
                    f"functions of model {self.model.name!r}{where}: law {law.name!r} raised {type(law.error).__name__}: {law.error}."
                ) from law.error
        raise ModelError(
            f"functions of model {self.model.name!r}{where}: the result is not finite. Use coordinates and velocities at which all "
            "formulas are defined and numbers stay below 1e154."
        )

    def _place(self, place: Any) -> Array:
        """Node and local coordinates of a point; the ground is node -1."""
        if isinstance(place, str) and place in self._places:
            return self._places[place]
        model = self.model
        if hasattr(place, "at_global") or (isinstance(place, str) and place in model.bodies):
            point = model.body_of(place).at(*(0.0,) * model.space.dimension)
        else:
            point = model.place(place, None, "a function of the model")
        body = point.body
        number = -1 if body == GROUND else self._packed.tree.node_of[list(model.bodies).index(body) - 1]
        found = np.zeros(4)
        found[0], found[1 : 1 + len(point.local)] = number, point.local
        if isinstance(place, str):
            self._places[place] = found
        return found

    def _spread(self, tau: Any) -> Array:
        """Efforts of the actuators along all velocities."""
        if self._all_act:
            return tau  # type: ignore[no-any-return]
        given = np.asarray(tau, dtype=float)
        if given.shape == self._act_shape:
            out = np.zeros(self._nv)
            out[self._act_index] = given
            return out
        if given.ndim == 0 or given.shape[-1] != len(self.actuators):
            raise ModelError(
                f"functions of model {self.model.name!r}: tau has shape {given.shape}, but its last axis must have {len(self.actuators)} "
                f"entries, one per actuator ({', '.join(self.actuators)})."
            )
        out = np.zeros((*given.shape[:-1], self._nv))
        out[..., self._acting] = given
        return out

    def _rows(self, q: Any, t: Any) -> tuple[Array, Array]:
        found = self._any(kernels.ROWS, t, q, EMPTY, EMPTY, EMPTY, (self._m * (self._nv + 1),))
        J = found[..., self._m :].reshape(*found.shape[:-1], self._m, self._nv)
        return found[..., : self._m].copy(), J.copy()

    def _row_bias(self, q: Any, v: Any, t: Any) -> Array:
        return self._any(kernels.ROW_BIAS, t, q, v, EMPTY, EMPTY, (self._m,))

    def _loop_part(self) -> Loops:
        if self._loops is None:
            from pytrammel.analysis.functions.loops import Loops

            self._loops = Loops(self)
        return self._loops

    def _checked_actuators(self, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in self.velocities:
                raise ModelError(
                    f"functions of model {self.model.name!r}: actuator {name!r} is not a velocity of the model. Use some of: "
                    f"{', '.join(self.velocities)}."
                )
        if len(set(names)) < len(names):
            raise ModelError(f"functions of model {self.model.name!r}: an actuator is named twice. Name each once.")
        return names


def _rebuilt(model: Model, elements: bool, actuators: tuple[str, ...], base: str, cut: Sequence[str]) -> ModelFunctions:
    from pytrammel.analysis.functions.functions import functions

    return functions(model, elements=elements, actuators=actuators, base=base, cut=cut)
