"""Trammel: computer-aided analysis of mechanical systems.

    import pytrammel as tm
    m = tm.PlanarModel("slider-crank")

Public names are imported when first used, so that ``import pytrammel`` stays light.
"""

from __future__ import annotations

from pytrammel._util.lazy_names import lazy_names

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
    "spatial_constraint_types": "pytrammel.model.spatial_registries",
    "spatial_force_types": "pytrammel.model.spatial_registries",
    "Body": "pytrammel.model.bodies",
    "Point": "pytrammel.model.bodies",
    "Constraint": "pytrammel.joints.constraint",
    "constraint_types": "pytrammel.joints.constraint",
    "Quantity": "pytrammel.model.quantities.quantity",
    "Expression": "pytrammel.expressions.expression",
    "parse": "pytrammel.expressions.expression",
    "time": "pytrammel.expressions.expression",
    "meet": "pytrammel.model.linkages",
    "deg": "pytrammel.units",
    "rpm": "pytrammel.units",
    "mm": "pytrammel.units",
    "cm": "pytrammel.units",
    "inch": "pytrammel.units",
    "resume": "pytrammel.analysis.runs.dynamics",
    "methods": "pytrammel.analysis.methods",
    "enforcement": "pytrammel.analysis.treatments",
    "formulations": "pytrammel.analysis.formulations",
    "InitialConditions": "pytrammel.analysis.start.given",
    "Analysis": "pytrammel.analysis.analysis",
    "Event": "pytrammel.analysis.events.events",
    "root_locus": "pytrammel.analysis.small_motions.responses",
    "grid": "pytrammel.analysis.batches.samples",
    "sample": "pytrammel.analysis.batches.samples",
    "Experiment": "pytrammel.design.uncertainty.experiments",
    "Force": "pytrammel.forces.force",
    "force_types": "pytrammel.forces.force",
    "overlay": "pytrammel.results.plots",
    "Robot": "pytrammel.io.robots.robot",
    "load_robot": "pytrammel.io.robots",
    "read_robot": "pytrammel.io.robots",
    "save_robot": "pytrammel.io.robots",
    "save_curves": "pytrammel.io.drawings",
    "show_versions": "pytrammel.versions",
    "Theme": "pytrammel.view.theme",
    "themes": "pytrammel.view.theme",
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

# namespaces: tm.functions.sin(tm.time), tm.rotations.matrix(p)
_MODULES = {
    "curves": "pytrammel.curves",
    "functions": "pytrammel.functions",
    "inertia": "pytrammel.inertia",
    "profiles": "pytrammel.profiles",
    "results": "pytrammel.results",
    "rotations": "pytrammel.rotations",
    "synthesis": "pytrammel.design.synthesis",
    "textbook": "pytrammel.textbook",
}

__all__ = sorted([*_HOME, *_MODULES, "__version__"])


def _absent(name: str) -> str:
    from pytrammel.model.suggestions import absent_from_package

    return absent_from_package(name)


__getattr__, __dir__ = lazy_names(__name__, _HOME, _MODULES, _absent)
