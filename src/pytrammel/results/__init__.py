"""Results of analyses: classes of the objects that methods of a model return, for annotations and ``isinstance``.

    def report(result: tm.results.Result) -> str: ...

Users do not call these classes; analyses make their objects.

* Runs: `Result` (`simulate`, `kinematics`, `statics`, `inverse_dynamics`), `Runs` (`tm.overlay`), `Batch` and `BatchResult` (`batch`).
* Parts of a result: `Series`, `BodySeries`, `SpaceBodySeries`, `PointSeries`, `MeasureSeries`, `GroupSeries`, `ContactSeries`, `Reaction`,
  `SpaceReaction`, `Resultant`, `Energy`, `Spectrum`, `Statistics`.
* Positions: `Assembly` (`assemble`), `Mobility` (`mobility`), `CoordinatePartition` (`partition`), `Equilibrium` (`equilibrium`,
  `equilibria`), `Branch` (`continue_equilibrium`), `Potential` (`potential_energy`).
* Linear models and equations: `LinearModel` (`linearize`), `FrequencyResponse`, `RootLocus` (`tm.root_locus`), `Matrices` (`matrices`),
  `Terms` (`terms`).
* Robotics: `ModelFunctions` (`functions`), `Modes` (`assembly_modes`, `working_modes`), `InverseKinematics`, `Workspace`,
  `Manipulability`, `TimeOptimal`.
* Design: `Gradient` (`gradient`), `ValueAndGrad` (`value_and_grad`), `Optimum` and `ParetoFront` (`optimize`), `ToleranceResult`
  (`tolerances`), `Identification` (`identify`).
* Textbook tools: `Integration` (`integrate`), `Solution` and `Solutions` (`solve`), `MethodComparison`, `ConvergenceStudy`,
  `FormulationComparison`, `RelativeEquations`, `ParticleReport`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.lazy_names import lazy_names
from pytrammel._util.messages import absent_from_module

if TYPE_CHECKING:
    from pytrammel.analysis.batches.batch import Batch as Batch
    from pytrammel.analysis.batches.result import BatchResult as BatchResult
    from pytrammel.analysis.freedom.mobility import Mobility as Mobility
    from pytrammel.analysis.freedom.partition import CoordinatePartition as CoordinatePartition
    from pytrammel.analysis.functions.model_functions import ModelFunctions as ModelFunctions
    from pytrammel.analysis.gradients.problem import Gradient as Gradient
    from pytrammel.analysis.gradients.verbs import ValueAndGrad as ValueAndGrad
    from pytrammel.analysis.particles import ParticleReport as ParticleReport
    from pytrammel.analysis.positions.assembly import Assembly as Assembly
    from pytrammel.analysis.rest.equilibrium import Equilibrium as Equilibrium
    from pytrammel.analysis.rest.potential import Potential as Potential
    from pytrammel.analysis.small_motions.linearize import LinearModel as LinearModel
    from pytrammel.design.optimization.front import ParetoFront as ParetoFront
    from pytrammel.design.optimization.optimum import Optimum as Optimum
    from pytrammel.design.uncertainty.identification import Identification as Identification
    from pytrammel.design.uncertainty.scatter import ToleranceResult as ToleranceResult
    from pytrammel.results.branches import Branch as Branch
    from pytrammel.results.forces.contacts import ContactSeries as ContactSeries
    from pytrammel.results.forces.dynamics import Energy as Energy
    from pytrammel.results.forces.dynamics import Reaction as Reaction
    from pytrammel.results.forces.groups import GroupSeries as GroupSeries
    from pytrammel.results.forces.loads import Resultant as Resultant
    from pytrammel.results.formulas.extremes import Statistics as Statistics
    from pytrammel.results.formulas.spectra import Spectrum as Spectrum
    from pytrammel.results.plots import Runs as Runs
    from pytrammel.results.responses import FrequencyResponse as FrequencyResponse
    from pytrammel.results.responses import RootLocus as RootLocus
    from pytrammel.results.result import Result as Result
    from pytrammel.results.robotics.inverse import InverseKinematics as InverseKinematics
    from pytrammel.results.robotics.manipulability import Manipulability as Manipulability
    from pytrammel.results.robotics.modes import Modes as Modes
    from pytrammel.results.robotics.time_optimal import TimeOptimal as TimeOptimal
    from pytrammel.results.robotics.workspace import Workspace as Workspace
    from pytrammel.results.series import BodySeries as BodySeries
    from pytrammel.results.series import MeasureSeries as MeasureSeries
    from pytrammel.results.series import PointSeries as PointSeries
    from pytrammel.results.series import Series as Series
    from pytrammel.results.spatial_series import SpaceBodySeries as SpaceBodySeries
    from pytrammel.results.spatial_series import SpaceReaction as SpaceReaction
    from pytrammel.results.studies.comparison import ConvergenceStudy as ConvergenceStudy
    from pytrammel.results.studies.comparison import FormulationComparison as FormulationComparison
    from pytrammel.results.studies.comparison import MethodComparison as MethodComparison
    from pytrammel.results.studies.integration import Integration as Integration
    from pytrammel.results.studies.matrices import Matrices as Matrices
    from pytrammel.results.studies.relative import RelativeEquations as RelativeEquations
    from pytrammel.results.studies.solutions import Solution as Solution
    from pytrammel.results.studies.solutions import Solutions as Solutions
    from pytrammel.results.studies.terms import Terms as Terms

__all__ = [
    "Assembly",
    "Batch",
    "BatchResult",
    "BodySeries",
    "Branch",
    "ContactSeries",
    "ConvergenceStudy",
    "CoordinatePartition",
    "Energy",
    "Equilibrium",
    "FormulationComparison",
    "FrequencyResponse",
    "Gradient",
    "GroupSeries",
    "Identification",
    "Integration",
    "InverseKinematics",
    "LinearModel",
    "Manipulability",
    "Matrices",
    "MeasureSeries",
    "MethodComparison",
    "Mobility",
    "ModelFunctions",
    "Modes",
    "Optimum",
    "ParetoFront",
    "ParticleReport",
    "PointSeries",
    "Potential",
    "Reaction",
    "RelativeEquations",
    "Result",
    "Resultant",
    "RootLocus",
    "Runs",
    "Series",
    "Solution",
    "Solutions",
    "SpaceBodySeries",
    "SpaceReaction",
    "Spectrum",
    "Statistics",
    "Terms",
    "TimeOptimal",
    "ToleranceResult",
    "ValueAndGrad",
    "Workspace",
]

_HOME = {
    "Assembly": "pytrammel.analysis.positions.assembly",
    "Batch": "pytrammel.analysis.batches.batch",
    "BatchResult": "pytrammel.analysis.batches.result",
    "BodySeries": "pytrammel.results.series",
    "Branch": "pytrammel.results.branches",
    "ContactSeries": "pytrammel.results.forces.contacts",
    "ConvergenceStudy": "pytrammel.results.studies.comparison",
    "CoordinatePartition": "pytrammel.analysis.freedom.partition",
    "Energy": "pytrammel.results.forces.dynamics",
    "Equilibrium": "pytrammel.analysis.rest.equilibrium",
    "FormulationComparison": "pytrammel.results.studies.comparison",
    "FrequencyResponse": "pytrammel.results.responses",
    "Gradient": "pytrammel.analysis.gradients.problem",
    "GroupSeries": "pytrammel.results.forces.groups",
    "Identification": "pytrammel.design.uncertainty.identification",
    "Integration": "pytrammel.results.studies.integration",
    "InverseKinematics": "pytrammel.results.robotics.inverse",
    "LinearModel": "pytrammel.analysis.small_motions.linearize",
    "Manipulability": "pytrammel.results.robotics.manipulability",
    "Matrices": "pytrammel.results.studies.matrices",
    "MeasureSeries": "pytrammel.results.series",
    "MethodComparison": "pytrammel.results.studies.comparison",
    "Mobility": "pytrammel.analysis.freedom.mobility",
    "ModelFunctions": "pytrammel.analysis.functions.model_functions",
    "Modes": "pytrammel.results.robotics.modes",
    "Optimum": "pytrammel.design.optimization.optimum",
    "ParetoFront": "pytrammel.design.optimization.front",
    "ParticleReport": "pytrammel.analysis.particles",
    "PointSeries": "pytrammel.results.series",
    "Potential": "pytrammel.analysis.rest.potential",
    "Reaction": "pytrammel.results.forces.dynamics",
    "RelativeEquations": "pytrammel.results.studies.relative",
    "Result": "pytrammel.results.result",
    "Resultant": "pytrammel.results.forces.loads",
    "RootLocus": "pytrammel.results.responses",
    "Runs": "pytrammel.results.plots",
    "Series": "pytrammel.results.series",
    "Solution": "pytrammel.results.studies.solutions",
    "Solutions": "pytrammel.results.studies.solutions",
    "SpaceBodySeries": "pytrammel.results.spatial_series",
    "SpaceReaction": "pytrammel.results.spatial_series",
    "Spectrum": "pytrammel.results.formulas.spectra",
    "Statistics": "pytrammel.results.formulas.extremes",
    "Terms": "pytrammel.results.studies.terms",
    "TimeOptimal": "pytrammel.results.robotics.time_optimal",
    "ToleranceResult": "pytrammel.design.uncertainty.scatter",
    "ValueAndGrad": "pytrammel.analysis.gradients.verbs",
    "Workspace": "pytrammel.results.robotics.workspace",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME, {}, lambda name: absent_from_module(__name__, name, __all__))
