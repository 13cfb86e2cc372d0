# Written by tools/make_stub.py. Do not edit.
"""Methods of models that registries and lazy tables attach, and the measures of their elements."""

from abc import ABCMeta
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.front import ParetoFront
from pytrammel.design.optimization.optimum import Optimum
from pytrammel.model.base import Model
from pytrammel.model.bodies import Body, Point
from pytrammel.joints.constraint import Constraint
from pytrammel.forces.force import Force
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial_bodies import Marker, SpatialBody
from pytrammel.results.forces.dynamics import Reaction
from pytrammel.results.series import BodySeries, MeasureSeries, PointSeries
from pytrammel.results.spatial_series import SpaceBodySeries, SpaceReaction
from pytrammel.analysis.batches.batch import batch as _model_batch
from pytrammel.analysis.driven.kinematics import kinematics as _model_kinematics
from pytrammel.analysis.driven.statics import inverse_dynamics as _model_inverse_dynamics
from pytrammel.analysis.driven.statics import statics as _model_statics
from pytrammel.analysis.freedom.mobility import mobility as _model_mobility
from pytrammel.analysis.freedom.partition import partition as _model_partition
from pytrammel.analysis.functions.functions import functions as _model_functions
from pytrammel.analysis.gradients.verbs import gradient as _model_gradient
from pytrammel.analysis.gradients.verbs import value_and_grad as _model_value_and_grad
from pytrammel.analysis.positions.assembly import assemble as _model_assemble
from pytrammel.analysis.rest.continuation import continue_equilibrium as _model_continue_equilibrium
from pytrammel.analysis.rest.design_at_rest import trim as _model_trim
from pytrammel.analysis.rest.equilibria import equilibria as _model_equilibria
from pytrammel.analysis.rest.equilibrium import equilibrium as _model_equilibrium
from pytrammel.analysis.rest.potential import potential_energy as _model_potential_energy
from pytrammel.analysis.robotics.inverse_kinematics import inverse_kinematics as _model_inverse_kinematics
from pytrammel.analysis.robotics.manipulability import manipulability as _model_manipulability
from pytrammel.analysis.robotics.modes import assembly_modes as _model_assembly_modes
from pytrammel.analysis.robotics.modes import working_modes as _model_working_modes
from pytrammel.analysis.robotics.time_optimal import time_optimal as _model_time_optimal
from pytrammel.analysis.robotics.workspace import workspace as _model_workspace
from pytrammel.analysis.runs.dynamics import simulate as _model_simulate
from pytrammel.analysis.runs.prepare import prepare as _model_prepare
from pytrammel.analysis.small_motions.linearize import linearize as _model_linearize
from pytrammel.analysis.study.matrices import matrices as _model_matrices
from pytrammel.analysis.study.terms import terms as _model_terms
from pytrammel.design.optimization.optimize import optimize as _model_optimize
from pytrammel.design.uncertainty.identify import identify as _model_identify
from pytrammel.design.uncertainty.tolerances import tolerances as _model_tolerances
from pytrammel.forces.contact import contact_curve as _planar_contact_curve
from pytrammel.forces.contact import contact_discs as _planar_contact_discs
from pytrammel.forces.contact import contact_line as _planar_contact_line
from pytrammel.forces.friction import end_stop as _end_stop
from pytrammel.forces.friction import joint_friction as _joint_friction
from pytrammel.forces.friction import stick_slip as _stick_slip
from pytrammel.forces.loads import drag as _planar_drag
from pytrammel.forces.loads import force as _planar_force
from pytrammel.forces.loads import gas_spring as _gas_spring
from pytrammel.forces.loads import motor as _motor
from pytrammel.forces.loads import torque as _planar_torque
from pytrammel.forces.loads import user_force as _user_force
from pytrammel.forces.spatial.bushing import bushing as _spatial_bushing
from pytrammel.forces.spatial.contact import contact_sphere_plane as _spatial_contact_sphere_plane
from pytrammel.forces.spatial.contact import contact_sphere_sphere as _spatial_contact_sphere_sphere
from pytrammel.forces.spatial.loads import drag as _spatial_drag
from pytrammel.forces.spatial.loads import force as _spatial_force
from pytrammel.forces.spatial.loads import torque as _spatial_torque
from pytrammel.forces.springs import spring as _spring
from pytrammel.forces.springs import torsion_spring as _torsion_spring
from pytrammel.forces.states import controller as _controller
from pytrammel.forces.states import state as _state
from pytrammel.joints.cams import cam_flat as _planar_cam_flat
from pytrammel.joints.cams import cam_point as _planar_cam_point
from pytrammel.joints.cams import cam_roller as _planar_cam_roller
from pytrammel.joints.cams import slot as _planar_slot
from pytrammel.joints.constrain import constrain as _constrain
from pytrammel.joints.constrain import driver as _driver
from pytrammel.joints.constrain import equation as _equation
from pytrammel.joints.gears import gear as _planar_gear
from pytrammel.joints.link import link as _planar_link
from pytrammel.joints.point_on_line import point_on_line as _planar_point_on_line
from pytrammel.joints.prismatic import prismatic as _planar_prismatic
from pytrammel.joints.rack_and_rolling import rack_and_pinion as _planar_rack_and_pinion
from pytrammel.joints.rack_and_rolling import rolling as _planar_rolling
from pytrammel.joints.revolute import revolute as _planar_revolute
from pytrammel.joints.spatial.axis_joints import cylindrical as _spatial_cylindrical
from pytrammel.joints.spatial.axis_joints import fix as _spatial_fix
from pytrammel.joints.spatial.axis_joints import free as _spatial_free
from pytrammel.joints.spatial.axis_joints import parallel_axes as _spatial_parallel_axes
from pytrammel.joints.spatial.axis_joints import planar as _spatial_planar
from pytrammel.joints.spatial.axis_joints import prismatic as _spatial_prismatic
from pytrammel.joints.spatial.axis_joints import revolute as _spatial_revolute
from pytrammel.joints.spatial.axis_joints import screw as _spatial_screw
from pytrammel.joints.spatial.axis_joints import weld as _spatial_weld
from pytrammel.joints.spatial.ball_joints import constant_velocity as _spatial_constant_velocity
from pytrammel.joints.spatial.ball_joints import intersecting_axes as _spatial_intersecting_axes
from pytrammel.joints.spatial.ball_joints import parallel_frames as _spatial_parallel_frames
from pytrammel.joints.spatial.ball_joints import spherical as _spatial_spherical
from pytrammel.joints.spatial.ball_joints import universal as _spatial_universal
from pytrammel.joints.spatial.couplings import gear as _spatial_gear
from pytrammel.joints.spatial.couplings import rack_and_pinion as _spatial_rack_and_pinion
from pytrammel.joints.spatial.couplings import worm as _spatial_worm
from pytrammel.joints.spatial.links import link as _spatial_link
from pytrammel.joints.spatial.links import revolute_cylindrical as _spatial_revolute_cylindrical
from pytrammel.joints.spatial.links import revolute_revolute as _spatial_revolute_revolute
from pytrammel.joints.spatial.links import revolute_spherical as _spatial_revolute_spherical
from pytrammel.joints.spatial.orientation import orientation_driver as _spatial_orientation_driver
from pytrammel.joints.spatial.point_joints import point_on_curve as _spatial_point_on_curve
from pytrammel.joints.spatial.point_joints import point_on_line as _spatial_point_on_line
from pytrammel.joints.spatial.point_joints import point_on_plane as _spatial_point_on_plane
from pytrammel.joints.spatial.rolling import rolling_disc as _spatial_rolling_disc
from pytrammel.joints.spatial.rolling import rolling_sphere as _spatial_rolling_sphere
from pytrammel.joints.weld import fix as _planar_fix
from pytrammel.joints.weld import weld as _planar_weld
from pytrammel.view.animation.live_callback import live as _model_live

P = ParamSpec("P")
R = TypeVar("R")
Array = NDArray[np.float64]

def _method(builder: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]: ...
def giving(kind: type[R], method: Callable[Concatenate[Any, P], Any]) -> Callable[Concatenate[Any, P], R]: ...

class _AnyModel(Model, metaclass=ABCMeta):  # of the best design, or by number of a front
    def __call__(self, k: int) -> Model: ...


class Verbs:
    assemble = _model_assemble
    assembly_modes = _model_assembly_modes
    batch = _model_batch
    continue_equilibrium = _model_continue_equilibrium
    equilibria = _model_equilibria
    equilibrium = _model_equilibrium
    functions = _model_functions
    gradient = _model_gradient
    identify = _model_identify
    inverse_dynamics = _model_inverse_dynamics
    inverse_kinematics = _model_inverse_kinematics
    kinematics = _model_kinematics
    linearize = _model_linearize
    live = _model_live
    manipulability = _model_manipulability
    matrices = _model_matrices
    mobility = _model_mobility
    optimize = _model_optimize
    partition = _model_partition
    potential_energy = _model_potential_energy
    prepare = _model_prepare
    simulate = _model_simulate
    statics = _model_statics
    terms = _model_terms
    time_optimal = _model_time_optimal
    tolerances = _model_tolerances
    trim = _model_trim
    value_and_grad = _model_value_and_grad
    working_modes = _model_working_modes
    workspace = _model_workspace

class Elements:
    constrain = _method(_constrain)
    controller = _method(_controller)
    driver = _method(_driver)
    end_stop = _method(_end_stop)
    equation = _method(_equation)
    gas_spring = _method(_gas_spring)
    joint_friction = _method(_joint_friction)
    motor = _method(_motor)
    spring = _method(_spring)
    state = _method(_state)
    stick_slip = _method(_stick_slip)
    torsion_spring = _method(_torsion_spring)
    user_force = _method(_user_force)

class PlanarElements:
    cam_flat = _method(_planar_cam_flat)
    cam_point = _method(_planar_cam_point)
    cam_roller = _method(_planar_cam_roller)
    contact_curve = _method(_planar_contact_curve)
    contact_discs = _method(_planar_contact_discs)
    contact_line = _method(_planar_contact_line)
    drag = _method(_planar_drag)
    fix = _method(_planar_fix)
    force = _method(_planar_force)
    gear = _method(_planar_gear)
    link = _method(_planar_link)
    point_on_line = _method(_planar_point_on_line)
    prismatic = _method(_planar_prismatic)
    rack_and_pinion = _method(_planar_rack_and_pinion)
    revolute = _method(_planar_revolute)
    rolling = _method(_planar_rolling)
    slot = _method(_planar_slot)
    torque = _method(_planar_torque)
    weld = _method(_planar_weld)

class SpatialElements:
    bushing = _method(_spatial_bushing)
    constant_velocity = _method(_spatial_constant_velocity)
    contact_sphere_plane = _method(_spatial_contact_sphere_plane)
    contact_sphere_sphere = _method(_spatial_contact_sphere_sphere)
    cylindrical = _method(_spatial_cylindrical)
    drag = _method(_spatial_drag)
    fix = _method(_spatial_fix)
    force = _method(_spatial_force)
    free = _method(_spatial_free)
    gear = _method(_spatial_gear)
    intersecting_axes = _method(_spatial_intersecting_axes)
    link = _method(_spatial_link)
    orientation_driver = _method(_spatial_orientation_driver)
    parallel_axes = _method(_spatial_parallel_axes)
    parallel_frames = _method(_spatial_parallel_frames)
    planar = _method(_spatial_planar)
    point_on_curve = _method(_spatial_point_on_curve)
    point_on_line = _method(_spatial_point_on_line)
    point_on_plane = _method(_spatial_point_on_plane)
    prismatic = _method(_spatial_prismatic)
    rack_and_pinion = _method(_spatial_rack_and_pinion)
    revolute = _method(_spatial_revolute)
    revolute_cylindrical = _method(_spatial_revolute_cylindrical)
    revolute_revolute = _method(_spatial_revolute_revolute)
    revolute_spherical = _method(_spatial_revolute_spherical)
    rolling_disc = _method(_spatial_rolling_disc)
    rolling_sphere = _method(_spatial_rolling_sphere)
    screw = _method(_spatial_screw)
    spherical = _method(_spatial_spherical)
    torque = _method(_spatial_torque)
    universal = _method(_spatial_universal)
    weld = _method(_spatial_weld)
    worm = _method(_spatial_worm)

class Measures:
    @property
    def angle(self) -> Quantity: ...
    @property
    def bend(self) -> Quantity: ...
    @property
    def cosine(self) -> Quantity: ...
    @property
    def distance(self) -> Quantity: ...
    @property
    def height(self) -> Quantity: ...
    @property
    def lean(self) -> Quantity: ...
    @property
    def length(self) -> Quantity: ...
    @property
    def parameter(self) -> Quantity: ...
    @property
    def second_angle(self) -> Quantity: ...
    @property
    def travel(self) -> Quantity: ...
    @property
    def u(self) -> Quantity: ...
    @property
    def value(self) -> Quantity: ...
    @property
    def x(self) -> Quantity: ...
    @property
    def y(self) -> Quantity: ...
    @property
    def z(self) -> Quantity: ...

class MeasuredArrays:
    @property
    def angle(self) -> Array: ...
    @property
    def angle_rate(self) -> Array: ...
    @property
    def angle_acceleration(self) -> Array: ...
    @property
    def bend(self) -> Array: ...
    @property
    def bend_rate(self) -> Array: ...
    @property
    def bend_acceleration(self) -> Array: ...
    @property
    def cosine(self) -> Array: ...
    @property
    def cosine_rate(self) -> Array: ...
    @property
    def cosine_acceleration(self) -> Array: ...
    @property
    def distance(self) -> Array: ...
    @property
    def distance_rate(self) -> Array: ...
    @property
    def distance_acceleration(self) -> Array: ...
    @property
    def gap(self) -> Array: ...
    @property
    def gap_rate(self) -> Array: ...
    @property
    def gap_acceleration(self) -> Array: ...
    @property
    def height(self) -> Array: ...
    @property
    def height_rate(self) -> Array: ...
    @property
    def height_acceleration(self) -> Array: ...
    @property
    def lean(self) -> Array: ...
    @property
    def lean_rate(self) -> Array: ...
    @property
    def lean_acceleration(self) -> Array: ...
    @property
    def length(self) -> Array: ...
    @property
    def length_rate(self) -> Array: ...
    @property
    def length_acceleration(self) -> Array: ...
    @property
    def parameter(self) -> Array: ...
    @property
    def parameter_rate(self) -> Array: ...
    @property
    def parameter_acceleration(self) -> Array: ...
    @property
    def second_angle(self) -> Array: ...
    @property
    def second_angle_rate(self) -> Array: ...
    @property
    def second_angle_acceleration(self) -> Array: ...
    @property
    def travel(self) -> Array: ...
    @property
    def travel_rate(self) -> Array: ...
    @property
    def travel_acceleration(self) -> Array: ...
    @property
    def u(self) -> Array: ...
    @property
    def u_rate(self) -> Array: ...
    @property
    def u_acceleration(self) -> Array: ...
    @property
    def value(self) -> Array: ...
    @property
    def value_rate(self) -> Array: ...
    @property
    def value_acceleration(self) -> Array: ...
    @property
    def x(self) -> Array: ...
    @property
    def x_rate(self) -> Array: ...
    @property
    def x_acceleration(self) -> Array: ...
    @property
    def y(self) -> Array: ...
    @property
    def y_rate(self) -> Array: ...
    @property
    def y_acceleration(self) -> Array: ...
    @property
    def z(self) -> Array: ...
    @property
    def z_rate(self) -> Array: ...
    @property
    def z_acceleration(self) -> Array: ...

class PlanarPart(Constraint, Force, Body, Point):  # type: ignore[misc, override, unused-ignore]
    """Body, point, joint or force of a planar model."""

class SpatialPart(Constraint, Force, SpatialBody, Marker):  # type: ignore[misc, override, unused-ignore]
    """Body, point, joint or force of a spatial model."""

class AnyBodySeries(BodySeries, SpaceBodySeries):  # type: ignore[misc, override, unused-ignore]
    """Motion of a body in the plane or in space."""

class AnyReaction(Reaction, SpaceReaction):  # type: ignore[misc, override, unused-ignore]
    """Force and moment of a joint in the plane or in space."""

class AnyOptimum(Optimum, ParetoFront):  # type: ignore[misc, override, unused-ignore]
    """Best design, or front of best designs for several objectives."""
    model: _AnyModel  # type: ignore[assignment, misc, override, unused-ignore]

class Reading(np.ndarray[tuple[int], np.dtype[np.float64]], BodySeries, SpaceBodySeries, PointSeries, MeasureSeries):  # type: ignore[misc, override, unused-ignore]
    """Values of a quantity, or motion of a body, point, joint or force."""
