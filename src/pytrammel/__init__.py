"""Trammel: computer-aided analysis of mechanical systems.

    import pytrammel as tm
    m = tm.PlanarModel("slider-crank")

Public names are imported when first used, so that ``import pytrammel`` stays light.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "PlanarModel": "pytrammel.model.model",
    "SpatialModel": "pytrammel.model.spatial.model",
    "SpatialBody": "pytrammel.model.spatial.body",
    "Marker": "pytrammel.model.spatial.body",
    "Box": "pytrammel.model.spatial.shapes",
    "Sphere": "pytrammel.model.spatial.shapes",
    "Cylinder": "pytrammel.model.spatial.shapes",
    "Solid": "pytrammel.model.spatial.shapes",
    "space_curve": "pytrammel.model.spatial.curve",
    "space_spline": "pytrammel.model.spatial.curve",
    "helix": "pytrammel.model.spatial.curve",
    "spatial_constraint_types": "pytrammel.model.spatial.registries",
    "spatial_force_types": "pytrammel.model.spatial.registries",
    "Body": "pytrammel.model.body",
    "Point": "pytrammel.model.body",
    "Constraint": "pytrammel.model.constraint",
    "constraint_types": "pytrammel.model.constraint",
    "Quantity": "pytrammel.model.quantity",
    "Curve": "pytrammel.model.curve",
    "Expression": "pytrammel.model.expression",
    "parse": "pytrammel.model.expression",
    "time": "pytrammel.model.expression",
    "Table": "pytrammel.model.tables",
    "spline": "pytrammel.model.tables",
    "motion": "pytrammel.model.motion",
    "rise": "pytrammel.model.motion",
    "fall": "pytrammel.model.motion",
    "dwell": "pytrammel.model.motion",
    "polynomial": "pytrammel.model.motion",
    "constant_acceleration": "pytrammel.model.motion",
    "harmonic_motion": "pytrammel.model.motion",
    "analytic": "pytrammel.model.curve",
    "polar_table": "pytrammel.model.curve",
    "cartesian_table": "pytrammel.model.curve",
    "circle": "pytrammel.model.curve",
    "line": "pytrammel.model.curve",
    "meet": "pytrammel.model.linkages",
    "linkage": "pytrammel.model.linkages",
    "deg": "pytrammel.model.units",
    "rpm": "pytrammel.model.units",
    "mm": "pytrammel.model.units",
    "cm": "pytrammel.model.units",
    "inch": "pytrammel.model.units",
    "assemble": "pytrammel.analysis.positions.assembly",
    "mobility": "pytrammel.analysis.freedom.mobility",
    "partition": "pytrammel.analysis.freedom.partition",
    "kinematics": "pytrammel.analysis.driven.kinematics",
    "simulate": "pytrammel.analysis.runs.dynamics",
    "resume": "pytrammel.analysis.runs.dynamics",
    "prepare": "pytrammel.analysis.runs.prepare",
    "methods": "pytrammel.analysis.methods",
    "treatments": "pytrammel.analysis.treatments",
    "formulations": "pytrammel.analysis.formulations",
    "formulation": "pytrammel.analysis.formulations",
    "particles": "pytrammel.analysis.particles",
    "matrices": "pytrammel.analysis.study.matrices",
    "terms": "pytrammel.analysis.study.terms",
    "joint_efforts": "pytrammel.analysis.study.efforts",
    "relative_equations": "pytrammel.analysis.study.relative_equations",
    "integrate": "pytrammel.analysis.plain_equations.integrate",
    "generalized_alpha": "pytrammel.analysis.methods.constrained",
    "hht": "pytrammel.analysis.methods.constrained",
    "multistep": "pytrammel.analysis.methods.multistep",
    "rk2": "pytrammel.analysis.methods.tableaus",
    "runge_kutta": "pytrammel.analysis.methods.tableaus",
    "compare_methods": "pytrammel.analysis.compare",
    "compare_formulations": "pytrammel.analysis.study.compare",
    "error_study": "pytrammel.analysis.compare",
    "Event": "pytrammel.analysis.events.events",
    "solve": "pytrammel.analysis.plain_equations.solve",
    "statics": "pytrammel.analysis.driven.statics",
    "inverse_dynamics": "pytrammel.analysis.driven.statics",
    "equilibrium": "pytrammel.analysis.rest.equilibrium",
    "equilibria": "pytrammel.analysis.rest.equilibria",
    "design_at_rest": "pytrammel.analysis.rest.design_at_rest",
    "continue_equilibrium": "pytrammel.analysis.rest.continuation",
    "assembly_modes": "pytrammel.analysis.robotics.modes",
    "working_modes": "pytrammel.analysis.robotics.modes",
    "inverse_kinematics": "pytrammel.analysis.robotics.inverse_kinematics",
    "manipulability": "pytrammel.analysis.robotics.manipulability",
    "time_optimal": "pytrammel.analysis.robotics.time_optimal",
    "workspace": "pytrammel.analysis.robotics.workspace",
    "linearize": "pytrammel.analysis.small_motions.linearize",
    "potential_energy": "pytrammel.analysis.rest.potential",
    "root_locus": "pytrammel.analysis.small_motions.responses",
    "gradient": "pytrammel.analysis.gradients.verbs",
    "value_and_grad": "pytrammel.analysis.gradients.verbs",
    "Gradient": "pytrammel.analysis.gradients.problem",
    "batch": "pytrammel.analysis.batches.batch",
    "Batch": "pytrammel.analysis.batches.batch",
    "BatchResult": "pytrammel.analysis.batches.result",
    "grid": "pytrammel.analysis.batches.samples",
    "sample": "pytrammel.analysis.batches.samples",
    "optimize": "pytrammel.design.optimise.optimize",
    "Optimum": "pytrammel.design.optimise.optimum",
    "Front": "pytrammel.design.optimise.front",
    "tolerances": "pytrammel.design.uncertainty.tolerances",
    "Scatter": "pytrammel.design.uncertainty.scatter",
    "identify": "pytrammel.design.uncertainty.identify",
    "Experiment": "pytrammel.design.uncertainty.experiments",
    "Identification": "pytrammel.design.uncertainty.identification",
    "Force": "pytrammel.model.force",
    "force_types": "pytrammel.model.force",
    "Result": "pytrammel.results.result",
    "Runs": "pytrammel.results.pictures",
    "overlay": "pytrammel.results.pictures",
    "Robot": "pytrammel.files.robots.robot",
    "load_robot": "pytrammel.files.robots",
    "read_robot": "pytrammel.files.robots",
    "save_robot": "pytrammel.files.robots",
    "save_curves": "pytrammel.files.curves",
    "robot_formats": "pytrammel.files.robots",
    "live": "pytrammel.view.watch",
    "load": "pytrammel.files.model_file",
    "load_result": "pytrammel.files.result_file",
    "FileProblem": "pytrammel.errors",
    "TrammelError": "pytrammel.errors",
    "ModelError": "pytrammel.errors",
    "ExpressionError": "pytrammel.errors",
    "AssemblyError": "pytrammel.errors",
    "MobilityError": "pytrammel.errors",
    "SingularError": "pytrammel.errors",
    "ConvergenceError": "pytrammel.errors",
    "FileFormatError": "pytrammel.errors",
    "FileWriteError": "pytrammel.errors",
    "ModelWarning": "pytrammel.errors",
    "RunWarning": "pytrammel.errors",
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
        "pytrammel.model.functions",
    )
)

# toolboxes: tm.rotations.matrix(p)
_MODULES = {
    "inertia": "pytrammel.inertia",
    "linear": "pytrammel.linear",
    "rotations": "pytrammel.rotations",
    "synthesis": "pytrammel.design.synthesis",
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
    ):  # `from pytrammel import reals` looks for an attribute first
        return f"module 'pytrammel' has no attribute {name!r}"
    from pytrammel.model.other_words import absent_from_package

    return absent_from_package(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
