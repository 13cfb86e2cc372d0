"""What a model can do: the analyses as methods, each with the options and the help of the function that does it."""

from __future__ import annotations

import functools
import importlib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from types import MethodType
from typing import TYPE_CHECKING, Any

from pytrammel.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from pytrammel.analysis.analysis import Analysis
    from pytrammel.analysis.batches.batch import Batch
    from pytrammel.analysis.driven.kinematics import Level
    from pytrammel.analysis.events.events import Event
    from pytrammel.analysis.formulations import Formulation
    from pytrammel.analysis.freedom.mobility import Mobility
    from pytrammel.analysis.freedom.partition import CoordinatePartition
    from pytrammel.analysis.functions.model_functions import ModelFunctions
    from pytrammel.analysis.gradients.verbs import ValueAndGrad
    from pytrammel.analysis.methods import Method
    from pytrammel.analysis.positions.assembly import Assembly, Newton
    from pytrammel.analysis.rest.equilibrium import Equilibrium
    from pytrammel.analysis.rest.potential import Potential
    from pytrammel.analysis.runs.prepare import Prepared
    from pytrammel.analysis.runs.simulation import Watch
    from pytrammel.analysis.small_motions.linearize import LinearModel
    from pytrammel.analysis.start.given import InitialConditions
    from pytrammel.analysis.treatments import Treatment
    from pytrammel.design.uncertainty.experiments import Experiment
    from pytrammel.design.uncertainty.identification import Identification
    from pytrammel.design.uncertainty.scatter import ToleranceResult
    from pytrammel.model.base import Model
    from pytrammel.model.quantities.quantity import Quantity
    from pytrammel.results.branches import Branch, Special
    from pytrammel.results.result import Result
    from pytrammel.results.robotics.inverse import InverseKinematics
    from pytrammel.results.robotics.manipulability import Manipulability
    from pytrammel.results.robotics.modes import Modes
    from pytrammel.results.robotics.time_optimal import TimeOptimal
    from pytrammel.results.robotics.workspace import Workspace
    from pytrammel.results.studies.matrices import Matrices
    from pytrammel.results.studies.terms import Terms
    from pytrammel.view.animation.live_callback import LiveRun

    Array = NDArray[np.float64]


class Verb:
    """A function of a model as a method; its module is imported when the method is first looked at."""

    def __init__(
        self,
        home: str,
        given: Callable[[Any], tuple[Any, Mapping[str, Any]]] | None = None,
        usual: Callable[[Any], Mapping[str, Any]] | None = None,
    ) -> None:
        """Say where the function is.

        Args:
            home: Its module; its name is that of the method.
            given: For objects other than models: which model it is about, and the options that the object fixes.
            usual: Default values of other options for that object.
        """
        self.home = home
        self.given = given
        self.usual = usual

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        function = getattr(importlib.import_module(self.home), self.name)
        if owner is None:
            return function
        if self.given is None:
            return MethodType(function, owner)
        return _with_options(function, *self.given(owner), {} if self.usual is None else self.usual(owner))


def _with_options(
    function: Callable[..., Any], model: Any, fixed: Mapping[str, Any], usual: Mapping[str, Any]
) -> Callable[..., Any]:
    """A verb whose model and some of whose options are given already."""

    @functools.wraps(function)
    def method(*args: Any, **given: Any) -> Any:
        for key in fixed:
            if key in given:
                raise ModelError(f"{function.__name__} is about this position already; leave {key}= out.")
        # output times have their own start
        unsaid = {key: value for key, value in usual.items() if key != "start_time" or given.get("times") is None}
        return function(model, *args, **fixed, **{**unsaid, **given})

    known = inspect.signature(function)
    kept = [
        p.replace(default=usual.get(key, p.default))
        for key, p in list(known.parameters.items())[1:]
        if key not in fixed
    ]
    method.__signature__ = known.replace(parameters=kept)  # type: ignore[attr-defined]
    return method


class Verbs:
    """Methods of `Model`."""

    if TYPE_CHECKING:

        def assemble(
            self,
            *,
            time: float = 0.0,
            drivers: bool = True,
            initial: Mapping[str, Any] | None = None,
            hold: Sequence[str | Quantity] = (),
            newton: Newton = "damped",
        ) -> Assembly:
            """Close all joints, starting from the drawn pose, with the smallest movement that does it."""

        def mobility(self, *, time: float = 0.0) -> Mobility:
            """Count degrees of freedom in the assembled position."""

        def partition(
            self,
            *,
            method: str | None = None,
            time: float = 0.0,
            at: Mapping[str, Any] | Array | None = None,
            coordinates: Sequence[str | Quantity] | None = None,
            drivers: bool = False,
        ) -> CoordinatePartition:
            """Choose independent coordinates in a position, and say why and how the others follow from them."""

        def kinematics(
            self,
            duration: float | None = None,
            *,
            start_time: float = 0.0,
            samples: int = 201,
            output_step: float | None = None,
            times: ArrayLike | None = None,
            level: Level = "acceleration",
            prescribed: Mapping[str, Any] | None = None,
            newton: Newton = "damped",
            formulation: str | Formulation = "cartesian",
            progress: bool = True,
        ) -> Result:
            """Follow a driven mechanism through time."""

        def simulate(
            self,
            duration: float | None = None,
            *,
            start_time: float = 0.0,
            samples: int = 201,
            output_step: float | None = None,
            times: ArrayLike | None = None,
            method: str | Method = "default",
            rtol: float = 1e-08,
            atol: float = 1e-10,
            max_step: float = math.inf,
            constraints: str | Treatment = "projection",
            formulation: str | Formulation = "cartesian",
            initial: Mapping[str, Any] | InitialConditions | None = None,
            events: Sequence[Event] = (),
            progress: bool = True,
            callback: Watch | None = None,
            store: str | PathLike[str] | None = None,
        ) -> Result:
            """Integrate the motion of a model under its forces."""

        def statics(
            self,
            *,
            time: float = 0.0,
            actuators: Mapping[str, Quantity | str] | None = None,
            weights: Mapping[str, float] | None = None,
        ) -> Result:
            """Reactions of a structure, or of a mechanism held in a pose by its drivers, at rest."""

        def inverse_dynamics(
            self,
            duration: float | None = None,
            *,
            actuators: Mapping[str, Quantity | str] | None = None,
            weights: Mapping[str, float] | None = None,
            formulation: str | Formulation = "cartesian",
            start_time: float = 0.0,
            samples: int = 201,
            output_step: float | None = None,
            times: ArrayLike | None = None,
            prescribed: Mapping[str, Any] | None = None,
            newton: Newton = "damped",
            progress: bool = True,
        ) -> Result:
            """Reactions and actuator efforts of a driven mechanism (kinetostatic analysis)."""

        def equilibrium(
            self,
            *,
            time: float = 0.0,
            allow_unstable: bool = False,
            method: str = "newton",
            cut: Sequence[str] = (),
            cut_stiffness: float | None = None,
        ) -> Equilibrium:
            """Find the position of rest nearest to the drawn one (a stable one if steps downhill lead there)."""

        def equilibria(
            self, *, time: float = 0.0, n_starts: int = 30, seed: int = 0, deflation: bool = True
        ) -> tuple[Equilibrium, ...]:
            """Positions of rest found from many starts, stable and unstable ones: stable ones first, then by their energy."""

        def trim(self, unknowns: Sequence[str], *, time: float = 0.0) -> Model:
            """Return a copy in equilibrium in its design configuration, with values of `unknowns` that balance all forces."""

        def continue_equilibrium(
            self,
            parameter: str,
            start: float | str,
            stop: float | str,
            *,
            steps: int = 40,
            time: float = 0.0,
            branch_at: Special | None = None,
            direction: int = 1,
        ) -> Branch:
            """Follow an equilibrium while a parameter of the model changes, through limit points; bifurcations are reported."""

        def potential_energy(self, *, time: float = 0.0) -> Potential:
            """Potential energy in the drawn pose, closed, and its gradient."""

        def linearize(
            self,
            *,
            at: Equilibrium | Result | None = None,
            time: float | None = None,
            inputs: Sequence[str | Quantity] = (),
            outputs: Sequence[str | Quantity] | None = None,
            coordinates: Sequence[str | Quantity] | None = None,
            rotating: Sequence[float] | float | None = None,
            formulation: str | Formulation = "cartesian",
        ) -> LinearModel:
            """Linearise the equations of motion about a state, on the constraint manifold."""

        def matrices(
            self,
            *,
            formulation: str | Formulation = "cartesian",
            at: Result | Equilibrium | None = None,
            time: float | None = None,
        ) -> Matrices:
            """The equations of motion of a formulation at a state, written out with names: for study."""

        def batch(self, parameters: Any = None, *, states: Any = None) -> Batch:
            """Many variants of a model, for one analysis of all of them in one call."""

        def prepare(self) -> Prepared:
            """Compile kernels for this very model now, so that its simulations take about half the time."""

        def functions(
            self,
            *,
            elements: bool = True,
            actuators: Sequence[str] | None = None,
            base: str = "root",
            cut: Sequence[str] = (),
        ) -> ModelFunctions:
            """Dynamics and kinematics of a model as functions of joint coordinates and velocities."""

        def assembly_modes(
            self,
            values: Mapping[str, float] | None = None,
            *,
            actuators: Sequence[str] | None = None,
            place: Any = None,
            limits: Mapping[str, tuple[float | None, float | None]] | None = None,
            n_starts: int = 4096,
            seed: int = 0,
            progress: bool = True,
        ) -> Modes:
            """Find the positions that a mechanism can have with locked actuators (forward kinematics with all solutions)."""

        def working_modes(
            self,
            place: Any,
            target: ArrayLike,
            *,
            orientation: ArrayLike | None = None,
            components: Sequence[str] | None = None,
            limits: Mapping[str, tuple[float | None, float | None]] | None = None,
            n_starts: int = 4096,
            seed: int = 0,
            progress: bool = True,
        ) -> Modes:
            """Find the positions of a mechanism with the end effector at a target (inverse kinematics with all solutions)."""

        def inverse_kinematics(
            self,
            place: Any,
            targets: ArrayLike,
            *,
            orientation: ArrayLike | None = None,
            components: Sequence[str] | None = None,
            near: Any = None,
            actuators: Sequence[str] | None = None,
            limits: Mapping[str, tuple[float | None, float | None]] | None = None,
            progress: bool = True,
        ) -> InverseKinematics:
            """Find joint coordinates that put an end effector at targets, on one branch."""

        def workspace(
            self,
            place: Any,
            *,
            over: Sequence[str] | None = None,
            at: Mapping[str, float] | None = None,
            components: Sequence[str] | None = None,
            orientation: ArrayLike | None = None,
            box: Mapping[str, tuple[float, float]] | None = None,
            cells: int = 60,
            branches: str = "one",
            cross: bool = True,
            near: Any = None,
            actuators: Sequence[str] | None = None,
            limits: Mapping[str, tuple[float | None, float | None]] | None = None,
            progress: bool = True,
        ) -> Workspace:
            """Find the positions that an end effector can reach, and its singular positions."""

        def manipulability(
            self,
            place: Any,
            q: Any = None,
            *,
            components: Sequence[str] | None = None,
            actuators: Sequence[str] | None = None,
        ) -> Manipulability:
            """Return how fast the actuators move an end effector, and in which directions."""

        def time_optimal(
            self,
            path: Any,
            efforts: Mapping[str, Any],
            *,
            rates: Mapping[str, Any] | None = None,
            points: int = 400,
            actuators: Sequence[str] | None = None,
            elements: bool = True,
        ) -> TimeOptimal:
            """Find the fastest motion along a path, from rest to rest, within limits of efforts."""

        def terms(self, *, at: Result | Equilibrium | None = None, time: float | None = None) -> Terms:
            """Residuals, Jacobian, nu and gamma of every constraint, gravity, bias and applied forces at a state."""

        def gradient(
            self,
            quantity: Any,
            duration: float | None = None,
            *,
            analysis: str | Analysis = "simulate",
            wrt: str | Sequence[str] | None = None,
            method: str = "auto",
            data: Mapping[str, Any] | None = None,
            samples: int | None = None,
            times: ArrayLike | None = None,
            initial: Mapping[str, Any] | InitialConditions | None = None,
        ) -> Any:
            """Value of a formula over a result, and its exact derivatives with respect to parameters and initial states."""

        def value_and_grad(
            self,
            quantity: Any,
            duration: float | None = None,
            *,
            analysis: str | Analysis = "simulate",
            wrt: str | Sequence[str] | None = None,
            method: str = "auto",
            data: Mapping[str, Any] | None = None,
            samples: int | None = None,
            times: ArrayLike | None = None,
            initial: Mapping[str, Any] | InitialConditions | None = None,
        ) -> ValueAndGrad:
            """A function of parameters and initial states that gives a value and its gradient, for optimisers such as SciPy's."""

        def optimize(
            self,
            *,
            minimize: str | Sequence[str] | None = None,
            maximize: str | None = None,
            least_squares: Sequence[str] | None = None,
            subject_to: str | Sequence[str] = (),
            analysis: str = "kinematics",
            over: Sequence[str] | None = None,
            bounds: Mapping[str, Sequence[Any]] | None = None,
            data: Mapping[str, Any] | None = None,
            method: str = "auto",
            starts: int = 1,
            points: int | None = None,
            singular: bool = False,
            seed: int = 0,
            iterations: int = 200,
            tolerance: float = 1e-12,
            analysis_options: Mapping[str, Any] | None = None,
            progress: bool = True,
            callback: Callable[[Any], Any] | None = None,
            **options: Any,
        ) -> Any:
            """Choose values of parameters so that a formula over results is as small or as large as it can be."""

        def tolerances(
            self,
            quantity: str,
            *,
            analysis: str = "kinematics",
            over: Sequence[str] | None = None,
            tolerance: Mapping[str, Any] | None = None,
            clearance: Mapping[str, float | str] | None = None,
            extremes: bool = True,
            monte_carlo: int = 0,
            spread: str = "normal",
            sigmas: float = 3.0,
            seed: int = 0,
            data: Mapping[str, Any] | None = None,
            analysis_options: Mapping[str, Any] | None = None,
            **options: Any,
        ) -> ToleranceResult:
            """What tolerances of parameters and clearances at pins do to a quantity: worst case, statistics, Monte Carlo."""

        def identify(
            self,
            measured: Mapping[str, tuple[Any, Any]] | Sequence[Experiment | Mapping[str, tuple[Any, Any]]],
            *,
            over: Sequence[str] | None = None,
            sigma: float | Mapping[str, float] | None = None,
            analysis: str = "simulate",
            bounds: Mapping[str, Sequence[Any]] | None = None,
            confidence: float = 0.95,
            iterations: int = 100,
            tolerance: float = 1e-10,
            analysis_options: Mapping[str, Any] | None = None,
            **options: Any,
        ) -> Identification:
            """Find the values of parameters for which a model gives what was measured, with confidence intervals."""

        def live(
            self,
            *,
            real_time: bool = False,
            traces: Iterable[str] | None = None,
            port: int = 0,
            open_browser: bool = True,
        ) -> LiveRun:
            """Show a simulation in the browser while it runs: ``m.simulate(10.0, watch=m.live())``."""
    else:
        assemble = Verb("pytrammel.analysis.positions.assembly")
        mobility = Verb("pytrammel.analysis.freedom.mobility")
        partition = Verb("pytrammel.analysis.freedom.partition")
        kinematics = Verb("pytrammel.analysis.driven.kinematics")
        simulate = Verb("pytrammel.analysis.runs.dynamics")
        statics = Verb("pytrammel.analysis.driven.statics")
        inverse_dynamics = Verb("pytrammel.analysis.driven.statics")
        equilibrium = Verb("pytrammel.analysis.rest.equilibrium")
        equilibria = Verb("pytrammel.analysis.rest.equilibria")
        potential_energy = Verb("pytrammel.analysis.rest.potential")
        trim = Verb("pytrammel.analysis.rest.design_at_rest")
        continue_equilibrium = Verb("pytrammel.analysis.rest.continuation")
        linearize = Verb("pytrammel.analysis.small_motions.linearize")
        matrices = Verb("pytrammel.analysis.study.matrices")
        batch = Verb("pytrammel.analysis.batches.batch")
        terms = Verb("pytrammel.analysis.study.terms")
        gradient = Verb("pytrammel.analysis.gradients.verbs")
        value_and_grad = Verb("pytrammel.analysis.gradients.verbs")
        prepare = Verb("pytrammel.analysis.runs.prepare")
        functions = Verb("pytrammel.analysis.functions.functions")
        assembly_modes = Verb("pytrammel.analysis.robotics.modes")
        working_modes = Verb("pytrammel.analysis.robotics.modes")
        inverse_kinematics = Verb("pytrammel.analysis.robotics.inverse_kinematics")
        workspace = Verb("pytrammel.analysis.robotics.workspace")
        manipulability = Verb("pytrammel.analysis.robotics.manipulability")
        time_optimal = Verb("pytrammel.analysis.robotics.time_optimal")
        optimize = Verb("pytrammel.design.optimization.optimize")
        tolerances = Verb("pytrammel.design.uncertainty.tolerances")
        identify = Verb("pytrammel.design.uncertainty.identify")
        live = Verb("pytrammel.view.animation.live_callback")
