# Written by tools/make_stub.py. Do not edit.

from pytrammel.analysis.analysis import Analysis as Analysis
from pytrammel.analysis.batches.samples import grid as grid
from pytrammel.analysis.batches.samples import sample as sample
from pytrammel.analysis.events.events import Event as Event
from pytrammel.analysis.formulations import formulations as formulations
from pytrammel.analysis.methods import methods as methods
from pytrammel.analysis.runs.dynamics import resume as resume
from pytrammel.analysis.small_motions.responses import root_locus as root_locus
from pytrammel.analysis.start.given import InitialConditions as InitialConditions
from pytrammel.analysis.treatments import enforcement as enforcement
from pytrammel import curves as curves
from pytrammel.design import synthesis as synthesis
from pytrammel.design.uncertainty.experiments import Experiment as Experiment
from pytrammel.errors import AssemblyError as AssemblyError
from pytrammel.errors import ConvergenceError as ConvergenceError
from pytrammel.errors import ExpressionError as ExpressionError
from pytrammel.errors import FileFormatError as FileFormatError
from pytrammel.errors import FileProblem as FileProblem
from pytrammel.errors import FileWriteError as FileWriteError
from pytrammel.errors import MobilityError as MobilityError
from pytrammel.errors import ModelError as ModelError
from pytrammel.errors import ModelWarning as ModelWarning
from pytrammel.errors import RunWarning as RunWarning
from pytrammel.errors import SingularError as SingularError
from pytrammel.errors import TrammelError as TrammelError
from pytrammel.expressions.expression import Expression as Expression
from pytrammel.expressions.expression import parse as parse
from pytrammel.expressions.expression import time as time
from pytrammel.forces.force import Force as Force
from pytrammel.forces.force import force_types as force_types
from pytrammel import functions as functions
from pytrammel.geometry.shapes import Box as Box
from pytrammel.geometry.shapes import Cylinder as Cylinder
from pytrammel.geometry.shapes import Solid as Solid
from pytrammel.geometry.shapes import Sphere as Sphere
from pytrammel import inertia as inertia
from pytrammel.io.drawings import save_curves as save_curves
from pytrammel.io.models.model_file import load as load
from pytrammel.io.results.result_file import load_result as load_result
from pytrammel.io.robots import load_robot as load_robot
from pytrammel.io.robots import read_robot as read_robot
from pytrammel.io.robots import save_robot as save_robot
from pytrammel.io.robots.robot import Robot as Robot
from pytrammel.joints.constraint import Constraint as Constraint
from pytrammel.joints.constraint import constraint_types as constraint_types
from pytrammel.model.bodies import Body as Body
from pytrammel.model.bodies import Point as Point
from pytrammel.model.linkages import meet as meet
from pytrammel.model.planar import PlanarModel as PlanarModel
from pytrammel.model.quantities.quantity import Quantity as Quantity
from pytrammel.model.spatial import SpatialModel as SpatialModel
from pytrammel.model.spatial_bodies import Marker as Marker
from pytrammel.model.spatial_bodies import SpatialBody as SpatialBody
from pytrammel.model.spatial_registries import spatial_constraint_types as spatial_constraint_types
from pytrammel.model.spatial_registries import spatial_force_types as spatial_force_types
from pytrammel import profiles as profiles
from pytrammel import results as results
from pytrammel.results.plots import overlay as overlay
from pytrammel import rotations as rotations
from pytrammel import textbook as textbook
from pytrammel.units import cm as cm
from pytrammel.units import deg as deg
from pytrammel.units import inch as inch
from pytrammel.units import mm as mm
from pytrammel.units import rpm as rpm
from pytrammel.versions import show_versions as show_versions
from pytrammel.view.theme import Theme as Theme
from pytrammel.view.theme import themes as themes

__version__: str
__all__ = [
    "Analysis",
    "AssemblyError",
    "Body",
    "Box",
    "Constraint",
    "ConvergenceError",
    "Cylinder",
    "Event",
    "Experiment",
    "Expression",
    "ExpressionError",
    "FileFormatError",
    "FileProblem",
    "FileWriteError",
    "Force",
    "InitialConditions",
    "Marker",
    "MobilityError",
    "ModelError",
    "ModelWarning",
    "PlanarModel",
    "Point",
    "Quantity",
    "Robot",
    "RunWarning",
    "SingularError",
    "Solid",
    "SpatialBody",
    "SpatialModel",
    "Sphere",
    "Theme",
    "TrammelError",
    "__version__",
    "cm",
    "constraint_types",
    "curves",
    "deg",
    "enforcement",
    "force_types",
    "formulations",
    "functions",
    "grid",
    "inch",
    "inertia",
    "load",
    "load_result",
    "load_robot",
    "meet",
    "methods",
    "mm",
    "overlay",
    "parse",
    "profiles",
    "read_robot",
    "results",
    "resume",
    "root_locus",
    "rotations",
    "rpm",
    "sample",
    "save_curves",
    "save_robot",
    "show_versions",
    "spatial_constraint_types",
    "spatial_force_types",
    "synthesis",
    "textbook",
    "themes",
    "time",
]
