"""Trammel: computer-aided analysis of mechanical systems.

    import trammel as tm
    m = tm.PlanarModel("slider-crank")

Public names are imported when first used, so that ``import trammel`` stays light.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "PlanarModel": "trammel.model.model",
    "SpatialModel": "trammel.model.spatial.model",
    "SpatialBody": "trammel.model.spatial.body",
    "Marker": "trammel.model.spatial.body",
    "Box": "trammel.model.spatial.shapes",
    "Sphere": "trammel.model.spatial.shapes",
    "Cylinder": "trammel.model.spatial.shapes",
    "Solid": "trammel.model.spatial.shapes",
    "space_curve": "trammel.model.spatial.curve",
    "space_spline": "trammel.model.spatial.curve",
    "helix": "trammel.model.spatial.curve",
    "spatial_constraint_types": "trammel.model.spatial.registries",
    "spatial_force_types": "trammel.model.spatial.registries",
    "Body": "trammel.model.body",
    "Point": "trammel.model.body",
    "Constraint": "trammel.model.constraint",
    "constraint_types": "trammel.model.constraint",
    "Quantity": "trammel.model.quantity",
    "Curve": "trammel.model.curve",
    "Expression": "trammel.model.expression",
    "parse": "trammel.model.expression",
    "time": "trammel.model.expression",
    "Table": "trammel.model.tables",
    "spline": "trammel.model.tables",
    "motion": "trammel.model.motion",
    "rise": "trammel.model.motion",
    "fall": "trammel.model.motion",
    "dwell": "trammel.model.motion",
    "polynomial": "trammel.model.motion",
    "constant_acceleration": "trammel.model.motion",
    "harmonic_motion": "trammel.model.motion",
    "analytic": "trammel.model.curve",
    "polar_table": "trammel.model.curve",
    "cartesian_table": "trammel.model.curve",
    "circle": "trammel.model.curve",
    "line": "trammel.model.curve",
    "meet": "trammel.model.linkages",
    "linkage": "trammel.model.linkages",
    "deg": "trammel.model.units",
    "rpm": "trammel.model.units",
    "mm": "trammel.model.units",
    "cm": "trammel.model.units",
    "inch": "trammel.model.units",
    "assemble": "trammel.analysis.positions.assembly",
    "mobility": "trammel.analysis.freedom.mobility",
    "partition": "trammel.analysis.freedom.partition",
    "kinematics": "trammel.analysis.driven.kinematics",
    "simulate": "trammel.analysis.runs.dynamics",
    "resume": "trammel.analysis.runs.dynamics",
    "prepare": "trammel.analysis.runs.prepare",
    "methods": "trammel.analysis.methods",
    "treatments": "trammel.analysis.treatments",
    "formulations": "trammel.analysis.formulations",
    "formulation": "trammel.analysis.formulations",
    "particles": "trammel.analysis.particles",
    "matrices": "trammel.analysis.study.matrices",
    "terms": "trammel.analysis.study.terms",
    "joint_efforts": "trammel.analysis.study.efforts",
    "relative_equations": "trammel.analysis.study.relative_equations",
    "integrate": "trammel.analysis.plain_equations.integrate",
    "generalized_alpha": "trammel.analysis.methods.constrained",
    "hht": "trammel.analysis.methods.constrained",
    "multistep": "trammel.analysis.methods.multistep",
    "rk2": "trammel.analysis.methods.tableaus",
    "runge_kutta": "trammel.analysis.methods.tableaus",
    "compare_methods": "trammel.analysis.compare",
    "compare_formulations": "trammel.analysis.study.compare",
    "error_study": "trammel.analysis.compare",
    "Event": "trammel.analysis.events.events",
    "solve": "trammel.analysis.plain_equations.solve",
    "statics": "trammel.analysis.driven.statics",
    "inverse_dynamics": "trammel.analysis.driven.statics",
    "equilibrium": "trammel.analysis.rest.equilibrium",
    "equilibria": "trammel.analysis.rest.equilibria",
    "design_at_rest": "trammel.analysis.rest.design_at_rest",
    "continue_equilibrium": "trammel.analysis.rest.continuation",
    "assembly_modes": "trammel.analysis.robotics.modes",
    "working_modes": "trammel.analysis.robotics.modes",
    "inverse_kinematics": "trammel.analysis.robotics.inverse_kinematics",
    "manipulability": "trammel.analysis.robotics.manipulability",
    "time_optimal": "trammel.analysis.robotics.time_optimal",
    "workspace": "trammel.analysis.robotics.workspace",
    "linearize": "trammel.analysis.small_motions.linearize",
    "potential_energy": "trammel.analysis.rest.potential",
    "root_locus": "trammel.analysis.small_motions.responses",
    "gradient": "trammel.analysis.gradients.verbs",
    "value_and_grad": "trammel.analysis.gradients.verbs",
    "Gradient": "trammel.analysis.gradients.problem",
    "batch": "trammel.analysis.batches.batch",
    "Batch": "trammel.analysis.batches.batch",
    "BatchResult": "trammel.analysis.batches.result",
    "grid": "trammel.analysis.batches.samples",
    "sample": "trammel.analysis.batches.samples",
    "optimize": "trammel.design.optimise.optimize",
    "Optimum": "trammel.design.optimise.optimum",
    "Front": "trammel.design.optimise.front",
    "tolerances": "trammel.design.uncertainty.tolerances",
    "Scatter": "trammel.design.uncertainty.scatter",
    "identify": "trammel.design.uncertainty.identify",
    "Experiment": "trammel.design.uncertainty.experiments",
    "Identification": "trammel.design.uncertainty.identification",
    "Force": "trammel.model.force",
    "force_types": "trammel.model.force",
    "Result": "trammel.results.result",
    "Runs": "trammel.results.pictures",
    "overlay": "trammel.results.pictures",
    "Robot": "trammel.files.robots.robot",
    "load_robot": "trammel.files.robots",
    "read_robot": "trammel.files.robots",
    "save_robot": "trammel.files.robots",
    "save_curves": "trammel.files.curves",
    "robot_formats": "trammel.files.robots",
    "live": "trammel.view.watch",
    "load": "trammel.files.model_file",
    "load_result": "trammel.files.result_file",
    "FileProblem": "trammel.errors",
    "TrammelError": "trammel.errors",
    "ModelError": "trammel.errors",
    "ExpressionError": "trammel.errors",
    "AssemblyError": "trammel.errors",
    "MobilityError": "trammel.errors",
    "SingularError": "trammel.errors",
    "ConvergenceError": "trammel.errors",
    "FileFormatError": "trammel.errors",
    "FileWriteError": "trammel.errors",
    "ModelWarning": "trammel.errors",
    "RunWarning": "trammel.errors",
}

# functions for formulas written in Python: tm.sin(tm.time), tm.cycloidal(tm.time / 2)
_HOME.update(
    dict.fromkeys(
        [
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "atan2",
            "sinh",
            "cosh",
            "tanh",
            "sqrt",
            "exp",
            "log",
            "abs",
            "sign",
            "step",
            "floor",
            "where",
            "min",
            "max",
            "mod",
            "uniform",
            "harmonic",
            "poly23",
            "cycloidal",
            "poly345",
            "poly4567",
            "modified_sine",
            "modified_trapezoid",
        ],
        "trammel.model.functions",
    )
)

# toolboxes: tm.rotations.matrix(p)
_MODULES = {
    "inertia": "trammel.inertia",
    "linear": "trammel.linear",
    "rotations": "trammel.rotations",
    "synthesis": "trammel.design.synthesis",
}

__all__ = sorted([*_HOME, *_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _HOME:
        raise AttributeError(_absent(name), name=name, obj=sys.modules[__name__])
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def _absent(name: str) -> str:
    if name.startswith("_") or find_spec(
        f"{__name__}.{name}"
    ):  # `from trammel import reals` looks for an attribute first
        return f"module 'trammel' has no attribute {name!r}"
    from trammel.model.other_words import absent_from_package

    return absent_from_package(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
