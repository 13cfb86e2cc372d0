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
    "PlanarModel": "pytrammel.model.planar",
    "SpatialModel": "pytrammel.model.spatial",
    "SpatialBody": "pytrammel.model.spatial_bodies",
    "Marker": "pytrammel.model.spatial_bodies",
    "Box": "pytrammel.geometry.shapes",
    "Sphere": "pytrammel.geometry.shapes",
    "Cylinder": "pytrammel.geometry.shapes",
    "Solid": "pytrammel.geometry.shapes",
    "space_curve": "pytrammel.geometry.space_curves",
    "space_spline": "pytrammel.geometry.space_curves",
    "helix": "pytrammel.geometry.space_curves",
    "spatial_constraint_types": "pytrammel.model.spatial_registries",
    "spatial_force_types": "pytrammel.model.spatial_registries",
    "Body": "pytrammel.model.bodies",
    "Point": "pytrammel.model.bodies",
    "Constraint": "pytrammel.joints.constraint",
    "constraint_types": "pytrammel.joints.constraint",
    "Quantity": "pytrammel.model.quantities.quantity",
    "Curve": "pytrammel.geometry.curves",
    "Expression": "pytrammel.expressions.expression",
    "parse": "pytrammel.expressions.expression",
    "time": "pytrammel.expressions.expression",
    "Table": "pytrammel.expressions.tables",
    "spline": "pytrammel.expressions.tables",
    "motion": "pytrammel.expressions.profiles",
    "rise": "pytrammel.expressions.profiles",
    "fall": "pytrammel.expressions.profiles",
    "dwell": "pytrammel.expressions.profiles",
    "polynomial": "pytrammel.expressions.profiles",
    "constant_acceleration": "pytrammel.expressions.profiles",
    "harmonic_motion": "pytrammel.expressions.profiles",
    "analytic": "pytrammel.geometry.curves",
    "polar_table": "pytrammel.geometry.curves",
    "cartesian_table": "pytrammel.geometry.curves",
    "circle": "pytrammel.geometry.curves",
    "line": "pytrammel.geometry.curves",
    "meet": "pytrammel.model.linkages",
    "linkage": "pytrammel.model.linkages",
    "deg": "pytrammel.units",
    "rpm": "pytrammel.units",
    "mm": "pytrammel.units",
    "cm": "pytrammel.units",
    "inch": "pytrammel.units",
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
    "optimize": "pytrammel.design.optimization.optimize",
    "Optimum": "pytrammel.design.optimization.optimum",
    "Front": "pytrammel.design.optimization.front",
    "tolerances": "pytrammel.design.uncertainty.tolerances",
    "Scatter": "pytrammel.design.uncertainty.scatter",
    "identify": "pytrammel.design.uncertainty.identify",
    "Experiment": "pytrammel.design.uncertainty.experiments",
    "Identification": "pytrammel.design.uncertainty.identification",
    "Force": "pytrammel.forces.force",
    "force_types": "pytrammel.forces.force",
    "Result": "pytrammel.results.result",
    "Runs": "pytrammel.results.plots",
    "overlay": "pytrammel.results.plots",
    "Robot": "pytrammel.io.robots.robot",
    "load_robot": "pytrammel.io.robots",
    "read_robot": "pytrammel.io.robots",
    "save_robot": "pytrammel.io.robots",
    "save_curves": "pytrammel.io.drawings",
    "robot_formats": "pytrammel.io.robots",
    "live": "pytrammel.view.animation.live_callback",
    "load": "pytrammel.io.models.model_file",
    "load_result": "pytrammel.io.results.result_file",
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
        "pytrammel.expressions.functions",
    )
)

# toolboxes: tm.rotations.matrix(p)
_MODULES = {
    "inertia": "pytrammel.inertia",
    "linear": "pytrammel.textbook.linear",
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
    from pytrammel.model.suggestions import absent_from_package

    return absent_from_package(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
