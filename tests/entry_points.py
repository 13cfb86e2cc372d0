"""Every public entry point with one sound call of it, for tests of options: functions, classes, and methods of what they return."""

import functools
import inspect
import math
from dataclasses import dataclass

import numpy as np

import pytrammel as tm

S = tm.synthesis


# --- objects whose methods are called ------------------------------------------------------------------------------------


def crank():
    """A driven four-bar with numbers that take parameters."""
    m = tm.PlanarModel("four-bar")
    m.parameter("r", 0.1, bounds=(0.08, 0.12), tolerance=0.001)
    m.parameter("w", 1.0, bounds=(0.5, 2.0), tolerance=0.1)
    m.body("crank", position=(0.0, 0.05), angle=math.pi / 2, mass="w", inertia=0.001)
    m.point("tip", "crank", local=("0.5*r", 0.0))
    m.body("coupler", position=(0.13, 0.13), angle=0.24, mass=1.0, inertia=0.01, points={"end": (0.13, 0.0)})
    m.point("P", "coupler", local=(0.0, 0.1))
    m.body("rocker", position=(0.28, 0.08), angle=1.34, mass=1.0, inertia=0.005)
    m.revolute("A", "ground", "crank", at=(0.0, 0.0))
    m.revolute("B", "crank", "coupler", at=(0.0, 0.1))
    m.revolute("C", "coupler", "rocker", at=(0.26, 0.16))
    m.revolute("D", "rocker", "ground", at=(0.3, 0.0))
    m.driver("turn", "A.angle", "2*t")
    return m


def swing():
    """A pendulum with a spring, free to move."""
    m = tm.PlanarModel("pendulum")
    m.parameter("k", 5.0, bounds=(1.0, 10.0), tolerance=0.1)
    m.body("bob", position=(0.3, -0.4), mass=1.0, inertia=0.01, points={"tip": (0.1, 0.0)})
    m.revolute("A", "ground", "bob", at=(0.0, 0.0))
    m.torsion_spring("S", first="ground", second="bob", stiffness="k", free_angle=0.0)
    m.phase("free", active=["A"])
    return m


def spatial():
    """A spatial pendulum with a spring."""
    m = tm.SpatialModel("spatial pendulum")
    m.parameter("k", 5.0, bounds=(1.0, 10.0))
    m.body("bob", position=(0.3, 0.0, -0.4), mass=1.0, inertia=(0.01, 0.02, 0.03))
    m.revolute("A", "ground", "bob", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    m.torsion_spring("S", "A", stiffness="k", free_angle=0.0)
    m.point("tip", "bob", local=(0.1, 0.0, 0.0))
    return m


def held(space=False):
    """A model that is about to be altered."""
    m = tm.SpatialModel("altered") if space else tm.PlanarModel("altered")
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.body(name, position=(x, 0.0, 0.0)[: 3 if space else 2], points={"tip": (0.1, 0.0, 0.2)[: 3 if space else 2]})
    m.constrain("fixed", "a.x")
    m.phase("one", active=["fixed"])
    return m


@functools.cache
def driven():
    return crank().kinematics(1.0, samples=9)


@functools.cache
def moved():
    return swing().simulate(0.2, samples=5)


@functools.cache
def pushed():
    return crank().inverse_dynamics(0.1, samples=3)


@functools.cache
def landed():
    m = tm.PlanarModel("ball")
    m.body("ball", position=(0.0, 0.1), mass=1.0, inertia=0.01)
    m.contact_line("floor", "ball", "ground", radius=0.1, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=1e4)
    return m.simulate(0.01, samples=3)


@functools.cache
def flown():
    return spatial().simulate(0.2, samples=5)


@functools.cache
def batched():
    kept = {"keep": ["crank.phi"], "reduce": {"m": "max(P.y)"}}
    return crank().batch({"r": [0.09, 0.1]}).kinematics(0.2, samples=3, progress=False, **kept)


@functools.cache
def rest():
    return swing().equilibrium()


@functools.cache
def linear():
    return swing().linearize(inputs=["bob.x"], outputs=["A.angle"])


@functools.cache
def best():
    return crank().optimize(
        minimize="max(P.y)", variables=["r"], duration=0.1, samples=3, max_iterations=2, progress=False
    )


@functools.cache
def front():
    return crank().optimize(
        minimize=["max(P.y)", "-min(P.x)"],
        variables=["r"],
        points=2,
        duration=0.1,
        samples=3,
        max_iterations=2,
        progress=False,
    )


@functools.cache
def scatter():
    return crank().tolerances("max(P.y)", duration=0.1, samples=3, monte_carlo=8)


@functools.cache
def fitted():
    t = np.linspace(0.0, 0.4, 5)
    return swing().identify({"A.angle": (t, 0.1 * t)}, variables=["k"], max_iterations=3)


@functools.cache
def study():
    return tm.textbook.compare_methods(
        "y' = -y", {"y": 1.0}, 0.1, methods=["rk4"], time_steps=[0.05], tolerances=(1e-4,), progress=False
    )


@functools.cache
def branch():
    return swing().continue_equilibrium("k", 1.5, 2.5, steps=3)


@functools.cache
def plain():
    return tm.textbook.integrate("y' = -y", {"y": 1.0}, 0.1, samples=3)


@functools.cache
def four_bar():
    return S.FourBar(A=(0.0, 0.0), B=(0.0, 0.1), C=(0.26, 0.16), D=(0.3, 0.0), P=(0.1, 0.2))


@functools.cache
def slider():
    return S.SliderCrank(A=(0.0, 0.0), B=(0.0, 0.1), C=(0.3, 0.0))


@functools.cache
def robot():
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arm.urdf")
        path.write_text(URDF, encoding="utf-8")
        return tm.read_robot(path)


URDF = """<robot name="arm"><link name="base"/><link name="arm"><inertial><mass value="1"/><origin xyz="0 0 0.1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
CUBE = tm.inertia.box_mesh(1.0, 1.0, 1.0)
TRIANGLE = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
EYE = np.eye(3)
QUARTER = (math.cos(0.25 * math.pi), 0.0, 0.0, math.sin(0.25 * math.pi))
SHORT = {"duration": 0.01, "samples": 3}
QUIET = {**SHORT, "progress": False}
POSES = ((0.0, 0.0, 0.0), (0.2, 0.1, 0.3), (0.4, 0.1, 0.7))
PATH = ((0.0, 0.1), (0.05, 0.12), (0.1, 0.13), (0.12, 0.1), (0.1, 0.06))


@dataclass(frozen=True)
class Entry:
    """One entry point.

    Attributes:
        name: Where it is found.
        take: Returns the function, of a fresh object where calls alter it.
        arguments: Returns the arguments of a sound call.
        use: What is done with the returned object.
    """

    name: str
    take: object
    arguments: object = dict
    use: object = None

    def __str__(self):
        return self.name

    @functools.cached_property
    def options(self):
        """Arguments with their annotations."""
        found = inspect.signature(self.take()).parameters
        return {k: p for k, p in found.items() if p.kind is not p.VAR_KEYWORD and k != "model"}

    def call(self, **given):
        """Call it with the sound arguments and the given ones."""
        values = {**self.arguments(), **given}
        values = {k: v for k, v in values.items() if v is not OMITTED}
        names = list(inspect.signature(self.take()).parameters.values())
        free = next((p.name for p in names if p.kind is p.VAR_POSITIONAL), None)
        first = [p.name for p in names if p.kind is p.POSITIONAL_ONLY or (free and p.kind is p.POSITIONAL_OR_KEYWORD)]
        head = [values.pop(name) for name in first if name in values]
        return self.take()(*head, *values.pop(free, ()), **values)


OMITTED = object()


class Later:
    """An argument that is made when it is needed."""

    def __init__(self, make):
        self.make = make


def made(sound):
    return lambda: {key: value.make() if isinstance(value, Later) else value for key, value in sound.items()}


def entry(name, take, use=None, /, **sound):
    return Entry(name, take, made(sound), use)


def method(name, of, use=None, /, **sound):
    """A method of an object that `of` returns."""
    return Entry(name, lambda: functools.reduce(getattr, name.partition(".")[2].split("."), of()), made(sound), use)


def masses():
    return {name: S.LinkMass(1.0, (0.0, 0.05)) for name in ("crank", "coupler", "rocker")}


def functions(module, table):
    return [
        entry(f"{module.__name__.rpartition('.')[2]}.{name}", functools.partial(getattr, module, name), **sound)
        for name, sound in table.items()
    ]


def sampled(values):
    return swing().batch(values)


def watched(event):
    return swing().simulate(0.01, samples=3, events=[event])


def followed(curve):
    m = held()
    return m.cam_point("C", "a", "b", curve=curve, at=(0.5, 0.0))


DATA = {"c": 1.0}
CURVES = [
    entry("circle", lambda: tm.curves.circle, radius=1.0, center=(0.0, 0.0), name="c"),
    entry("line", lambda: tm.curves.line, p=(0.0, 0.0), q=(1.0, 0.0), name="c"),
    entry("analytic", lambda: tm.curves.analytic, x="u", y="u^2", start=0.0, end=1.0, closed=False, name="c"),
    entry(
        "polar_table",
        lambda: tm.curves.polar_table,
        theta=(0, 2, 4),
        radius=(1, 2, 1.5),
        origin=(0, 0),
        closed=False,
        kind="cubic",
        name="c",
    ),
    entry(
        "cartesian_table",
        lambda: tm.curves.cartesian_table,
        x=(0, 1, 2),
        y=(0, 1, 0),
        closed=False,
        kind="cubic",
        name="c",
    ),
    entry(
        "space_analytic",
        lambda: tm.curves.space_analytic,
        x="u",
        y="u",
        z="u",
        start=0.0,
        end=1.0,
        closed=False,
        name="c",
    ),
    entry("space_spline", lambda: tm.curves.space_spline, points=((0, 0, 0), (1, 0, 0), (1, 1, 0)), name="c"),
    entry("helix", lambda: tm.curves.helix, radius=1.0, lead=0.1, turns=1.0, name="c"),
    entry(
        "Curve", lambda: tm.curves.Curve, x=tm.parse("u"), y=tm.parse("u^2"), start=0.0, end=1.0, closed=False, name="c"
    ),
    entry(
        "SpaceCurve",
        lambda: tm.curves.SpaceCurve,
        x=tm.parse("u"),
        y=tm.parse("u"),
        z=tm.parse("u"),
        start=0.0,
        end=1.0,
        closed=False,
        name="c",
    ),
    *(
        method(f"Curve.{name}", lambda: tm.curves.circle(1.0), **sound)
        for name, sound in {
            "check": {"offset_distance": None, "raise_error": False},
            "curvature": {"u": 0.1},
            "first_derivative": {"u": 0.1},
            "nearest": {"point": (1.0, 0.5)},
            "normal": {"u": 0.1},
            "offset_factor": {"u": 0.1, "offset_distance": 0.1},
            "orientation": {},
            "point": {"u": 0.1},
            "sample": {"n": 8},
            "second_derivative": {"u": 0.1},
            "self_crossings": {},
            "tangent": {"u": 0.1},
            "undercut": {"offset_distance": 0.1},
        }.items()
    ),
    entry("save_curves", lambda: tm.save_curves, path="c.dxf", curves=(tm.curves.circle(1.0),), unit="mm", samples=9),
]
LAWS = [
    entry("Table", lambda: tm.functions.Table, name="s", x=(0, 1, 2), y=(0, 1, 0), kind="cubic", outside="continue"),
    entry("spline", lambda: tm.functions.spline, x=(0, 1, 2), y=(0, 1, 0), kind="cubic", name="s"),
    entry("parse", lambda: tm.parse, text="t", tables=None),
    entry("rise", lambda: tm.profiles.rise, to=1.0, duration=1.0, law="cycloidal"),
    entry("fall", lambda: tm.profiles.fall, to=1.0, duration=1.0, law="cycloidal"),
    entry("dwell", lambda: tm.profiles.dwell, duration=1.0),
    entry(
        "motion",
        lambda: tm.profiles.motion,
        start=0.0,
        segments=[tm.profiles.rise(1.0, 1.0)],
        repeat=False,
        variable=tm.time,
    ),
    entry("polynomial", lambda: tm.profiles.polynomial, coefficients=(1.0, 2.0), variable=tm.time),
    entry(
        "constant_acceleration",
        lambda: tm.profiles.constant_acceleration,
        position=0.0,
        velocity=1.0,
        acceleration=1.0,
        variable=tm.time,
    ),
    entry(
        "harmonic_motion",
        lambda: tm.profiles.harmonic_motion,
        amplitude=1.0,
        frequency=1.0,
        phase=0.0,
        mean=0.0,
        variable=tm.time,
    ),
    entry("deg", lambda: tm.deg, value=1.0),
    entry("rpm", lambda: tm.rpm, value=1.0),
    entry("mm", lambda: tm.mm, value=1.0),
    entry("meet", lambda: tm.meet, first=(0.0, 0.0), second=(1.0, 0.0), a=1.0, b=1.0, side=1),
    entry(
        "PlanarModel.linkage",
        lambda: tm.PlanarModel("linkage").linkage,
        places={"A": (0.0, 0.0), "B": (1.0, 0.0)},
        bars={"bar": "AB"},
        massless=False,
    ),
    entry("cm", lambda: tm.cm, value=1.0),
    entry("inch", lambda: tm.inch, value=1.0),
    entry("where", lambda: tm.functions.where, condition=tm.time > 1.0, a=1.0, b=2.0),
    method("Expression.derivative", lambda: tm.time, name="t"),
    method("Expression.evaluate", lambda: tm.time, values={"t": 1.0}),
    method("Expression.substitute", lambda: tm.time, values={"t": 2.0}),
]
SHAPES = [
    entry("Box", lambda: tm.Box, size=(1, 1, 1), center=(0, 0, 0), rotation=None),
    entry("Sphere", lambda: tm.Sphere, radius=1.0, center=(0, 0, 0)),
    entry("Cylinder", lambda: tm.Cylinder, start=(0, 0, 0), end=(0, 0, 1), radius=1.0),
    entry("Solid", lambda: tm.Solid, mesh=CUBE),
    method("Box.properties", lambda: tm.Box((1, 1, 1)), density=1.0),
    method("Sphere.properties", lambda: tm.Sphere(1.0), density=1.0),
    method("Cylinder.properties", lambda: tm.Cylinder((0, 0, 0), (0, 0, 1), 1.0), density=1.0),
    method("Solid.properties", lambda: tm.Solid(CUBE), density=1.0),
]
AXIAL = {"axis": "z", "density": 1.0}
INERTIA = functions(
    tm.inertia,
    {
        "box": {"x": 1.0, "y": 1.0, "z": 1.0, "density": 1.0},
        "box_mesh": {"x": 1.0, "y": 1.0, "z": 1.0},
        "capsule": {"radius": 1.0, "length": 1.0, **AXIAL},
        "check_inertia": {"tensor": EYE, "mass": 1.0, "what": "it"},
        "composite": {"parts": (tm.inertia.cube(1.0, mass=1.0),)},
        "cone": {"radius": 1.0, "height": 1.0, **AXIAL},
        "cone_mesh": {"radius": 1.0, "height": 1.0, "sides": 8, "axis": "z"},
        "cube": {"edge": 1.0, "density": 1.0},
        "cylinder": {"radius": 1.0, "height": 1.0, **AXIAL},
        "cylinder_mesh": {"radius": 1.0, "height": 1.0, "sides": 8, "axis": "z"},
        "ellipsoid": {"a": 1.0, "b": 1.0, "c": 1.0, "density": 1.0},
        "extruded_polygon": {"corners": TRIANGLE, "height": 1.0, **AXIAL},
        "frustum": {"bottom": 1.0, "top": 0.5, "height": 1.0, **AXIAL},
        "half_cylinder": {"radius": 1.0, "height": 1.0, **AXIAL},
        "hemisphere": {"radius": 1.0, **AXIAL},
        "hollow_cylinder": {"outer": 1.0, "inner": 0.5, "height": 1.0, **AXIAL},
        "hollow_sphere": {"outer": 1.0, "inner": 0.5, "density": 1.0},
        "particles": {"masses": (1.0, 2.0), "positions": ((0, 0, 0), (1, 0, 0))},
        "point_mass": {"mass": 1.0, "position": (0, 0, 0)},
        "polygon_plate": {"corners": TRIANGLE, **AXIAL},
        "sphere": {"radius": 1.0, "density": 1.0},
        "sphere_mesh": {"radius": 1.0, "subdivisions": 1},
        "spherical_shell": {"radius": 1.0, "density": 1.0},
        "tetrahedron": {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "d": (0, 0, 1), "density": 1.0},
        "thin_disc": {"radius": 1.0, **AXIAL},
        "thin_plate": {"a": 1.0, "b": 1.0, **AXIAL},
        "thin_ring": {"radius": 1.0, **AXIAL},
        "thin_rod": {"length": 1.0, **AXIAL},
        "torus": {"ring": 1.0, "tube": 0.1, **AXIAL},
        "triangular_plate": {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "density": 1.0},
        "MassProperties": {"mass": 1.0, "centroid": (0, 0, 0), "inertia": EYE},
        "Mesh": {"vertices": CUBE.vertices, "triangles": CUBE.triangles, "name": "m"},
    },
) + [
    *(
        method(f"MassProperties.{name}", lambda: tm.inertia.cube(1.0, mass=1.0), **sound)
        for name, sound in {
            "about": {"point": (1, 0, 0)},
            "from_about": {"mass": 1.0, "centroid": (0, 0, 0), "inertia": EYE, "point": (0, 0, 0)},
            "is_close": {"other": tm.inertia.cube(1.0, mass=1.0), "rel": 1e-9},
            "is_symmetric_about_axis": {"direction": (0, 0, 1), "through": None, "rel": 1e-9},
            "is_symmetric_about_plane": {"normal": (0, 0, 1), "through": None, "rel": 1e-9},
            "moved": {"translation": (1, 0, 0), "rotation": None},
            "rotated": {"rotation": EYE},
            "scaled": {"factor": 2.0},
            "symmetry": {"rel": 1e-9},
        }.items()
    ),
    *(
        method(f"Mesh.{name}", lambda: CUBE, **sound)
        for name, sound in {
            "check": {},
            "flipped": {},
            "merged": {},
            "moved": {"translation": (1, 0, 0), "rotation": None},
            "properties": {"density": 1.0},
            "scaled": {"factor": 2.0},
            "write_stl": {"path": "m.stl"},
        }.items()
    ),
    entry("inertia.read_mesh", lambda: tm.inertia.read_mesh, path="cube.stl", scale=1.0),
]
ANGLES = {"values": (0.1, 0.2, 0.3), "sequence": "xyz", "fixed": False}
ROTATIONS = functions(
    tm.rotations,
    {
        "G": {"p": QUARTER},
        "L": {"p": QUARTER},
        "angles": {"orientation": QUARTER, "sequence": "xyz", "fixed": False, "tolerance": 1e-10},
        "angular_acceleration": {"p": QUARTER, "pddot": (0, 0, 0, 0), "frame": "body"},
        "angular_velocity": {"p": QUARTER, "pdot": (0, 0, 0, 0), "frame": "body"},
        "angular_velocity_from_rates": {**ANGLES, "rates": (0.1, 0, 0), "frame": "body"},
        "axis_angle": {"p": QUARTER},
        "between": {"p0": QUARTER, "p1": (1, 0, 0, 0), "fraction": 0.5},
        "check_rotation": {"A": EYE, "what": "it", "tolerance": 1e-8},
        "conjugate": {"p": QUARTER},
        "corrected_rate": {"p": QUARTER, "pdot": (0.1, 0, 0, 0)},
        "exp": {"vector": (0.1, 0, 0)},
        "formulation_i_inverse": {"p": QUARTER, "inertia": EYE},
        "formulation_i_matrix": {"p": QUARTER, "inertia": EYE},
        "formulation_ii_inverse": {"p": QUARTER, "inertia": EYE},
        "formulation_ii_matrix": {"p": QUARTER, "inertia": EYE},
        "from_angles": ANGLES,
        "from_axes": {"xi": (1, 0, 0), "eta": (0, 1, 0), "zeta": None, "tolerance": None},
        "from_axis_and_plane": {"xi": (1, 0, 0), "in_plane": (0, 1, 0), "eta_positive": True},
        "from_axis_angle": {"axis": (0, 0, 1), "angle": 1.0},
        "from_points": {"origin": (0, 0, 0), "on_xi": (1, 0, 0), "on_eta": (0, 1, 0), "tolerance": None},
        "from_relative": {"p_ij": QUARTER, "p_j": QUARTER},
        "intermediate_axis": {"start": QUARTER, "end": (1, 0, 0, 0), "frame": "body"},
        "log": {"p": QUARTER},
        "matrix": {"p": QUARTER},
        "minus": {"a": (1, 0, 0)},
        "nearest_rotation": {"A": EYE},
        "normalised": {"p": QUARTER},
        "parameter_acceleration": {"p": QUARTER, "omega": (0, 0, 1), "omegadot": (0, 0, 0), "frame": "body"},
        "parameter_rate": {"p": QUARTER, "omega": (0, 0, 1), "frame": "body"},
        "parameters": {"A": EYE, "previous": None},
        "plus": {"a": (1, 0, 0)},
        "product": {"p": QUARTER, "q": QUARTER},
        "rate_matrix": {**ANGLES, "frame": "body"},
        "rates_from_angular_velocity": {**ANGLES, "omega": (0, 0, 1), "frame": "body"},
        "relative": {"p_i": QUARTER, "p_j": QUARTER},
        "relative_axis": {"p_i": QUARTER, "p_j": (1, 0, 0, 0), "frame": "body"},
        "rotate": {"vector": (1, 0, 0), "axis": (0, 0, 1), "angle": 1.0},
        "screw_between": {"r0": (0, 0, 0), "p0": QUARTER, "r1": (1, 0, 0), "p1": (1, 0, 0, 0)},
        "screw_displacement": {
            "screw": tm.rotations.screw_between((0, 0, 0), QUARTER, (1, 0, 0), (1, 0, 0, 0)),
            "r": (0, 0, 0),
            "p": QUARTER,
            "fraction": 0.5,
        },
        "semi_rotating": {"p": QUARTER, "s": (1, 0, 0)},
        "skew": {"a": (1, 0, 0)},
        "unskew": {"m": tm.rotations.skew((1, 0, 0))},
    },
)
SQUARE = ((2.0, 1.0), (1.0, 3.0))
LINEAR = functions(
    tm.textbook.linear,
    {
        "gauss": {"matrix": SQUARE, "right": (1, 2), "pivoting": "row", "tolerance": 1e-12},
        "gauss_jordan": {"matrix": SQUARE, "right": (1, 2), "pivoting": "full", "tolerance": 1e-12},
        "lu": {"matrix": SQUARE, "pivoting": "column", "form": "crout", "tolerance": 1e-12},
        "qr": {"matrix": SQUARE, "method": "householder", "pivoting": True, "tolerance": 1e-12},
        "choose_columns": {"matrix": ((2, 1, 4),), "method": "svd", "tolerance": 1e-9},
        "partition": {
            "matrix": ((2, 1, 4),),
            "method": "qr",
            "independent": None,
            "names": ("a", "b", "c"),
            "row_names": ("r",),
            "scales": (1, 1, 1),
            "tolerance": 1e-9,
        },
    },
) + [
    method("LU.forward", lambda: tm.textbook.linear.lu(SQUARE), right=(1, 2)),
    method("LU.solve", lambda: tm.textbook.linear.lu(SQUARE), right=(1, 2)),
    method("LU.shown", lambda: tm.textbook.linear.lu(SQUARE), digits=4, fractions=False),
    method("QR.solve", lambda: tm.textbook.linear.qr(SQUARE), right=(1, 2)),
    method("QR.shown", lambda: tm.textbook.linear.qr(SQUARE), digits=4, fractions=False),
    method("Reduction.shown", lambda: tm.textbook.linear.gauss(SQUARE, (1, 2)), digits=4, fractions=False),
    method("Step.shown", lambda: tm.textbook.linear.gauss(SQUARE, (1, 2)).steps[0], digits=4, fractions=False),
    method(
        "Partition.influence",
        lambda: tm.textbook.linear.partition(((2, 1, 4),), names=("a", "b", "c")),
        dependent="c",
        independent="a",
    ),
    method("Partition.table", lambda: tm.textbook.linear.partition(((2, 1, 4),), names=("a", "b", "c")), digits=4),
]
BODIES = [
    entry("PlanarModel", lambda: tm.PlanarModel, name="m", gravity=(0, -9.81), display_unit="m"),
    entry("SpatialModel", lambda: tm.SpatialModel, name="m", gravity=(0, 0, -9.81), display_unit="m"),
    method(
        "PlanarModel.body",
        held,
        name="c",
        position=(0, 0),
        angle=0.0,
        mass=1.0,
        inertia=1.0,
        outline=TRIANGLE,
        points={"p": (0, 0)},
        centroid=(0, 0),
        velocity=(0, 0),
        omega=0.0,
        massless=False,
    ),
    method(
        "SpatialModel.body",
        lambda: held(True),
        name="c",
        position=(0, 0, 0),
        rotation=QUARTER,
        mass=1.0,
        inertia=(1, 1, 1),
        centroid=(0, 0, 0),
        points={"p": (0, 0, 0)},
        velocity=(0, 0, 0),
        omega=(0, 0, 0),
        massless=False,
        armature=False,
    ),
    method("Body.at", lambda: held()["a"], xi=0.1, eta=0.2, name="p"),
    method("Body.at_global", lambda: held()["a"], x=0.1, y=0.2, name="p"),
    method("SpatialBody.at", lambda: held(True)["a"], x=0.1, y=0.2, z=0.3, name="p"),
    method("SpatialBody.at_global", lambda: held(True)["a"], x=0.1, y=0.2, z=0.3, name="p"),
    method("SpatialBody.marker", lambda: held(True)["a"], at=(0, 0, 0), axis=(0, 0, 1), x=(1, 0, 0)),
    method("SpatialBody.angular_velocity_about", lambda: held(True)["a"], axis="x", frame="body", label="s"),
    method("SpatialBody.cosine", lambda: held(True)["a"], own="x", axis="y", label="s"),
    method("Point.along", lambda: held()["a"].at(0.1, 0.2), axis=(1, 0)),
    method("Marker.along", lambda: held(True)["a"].at(0.1, 0.2, 0.3), axis="x", label="s"),
    method("Marker.velocity_along", lambda: held(True)["a"].at(0.1, 0.2, 0.3), axis="x", frame="body", label="s"),
    method("Marker.axis", lambda: held(True)["a"].at(0.1, 0.2, 0.3), k=0),
    method("Marker.drawn_axis", lambda: held(True)["a"].at(0.1, 0.2, 0.3), k=0),
]


def both(name, plane, space=None):
    """The same method of planar and spatial models."""
    return [
        method(f"PlanarModel.{name}", held, **plane),
        method(f"SpatialModel.{name}", lambda: held(True), **(space or plane)),
    ]


def part(space=False):
    m = tm.SpatialModel("part") if space else tm.PlanarModel("part")
    m.body("arm", position=(0.0, 0.0, 0.0) if space else (0.0, 0.0))
    return m


BUILDERS = [
    *both("angle_between", {"first": "a", "second": "b"}, {"first": "a", "second": "b", "axis": "z", "label": "s"}),
    *both(
        "subsystem",
        {"name": "p", "part": Later(part), "position": (1, 0), "angle": 0.1, "ground": "b"},
        {"name": "p", "part": Later(lambda: part(True)), "position": (1, 0, 0), "rotation": QUARTER, "ground": "b"},
    ),
    *both(
        "bar",
        {"name": "c", "start": (0, 0), "end": (1, 0), "mass": 1.0, "radius": None},
        {"name": "c", "start": (0, 0, 0), "end": (1, 0, 0), "mass": 1.0, "radius": 0.1},
    ),
    method(
        "PlanarModel.beam", held, name="c", start=(0, 0), end=(1, 0), EI=1.0, mass=1.0, parts=2, root="a", damping=0.0
    ),
    method("PlanarModel.disc", held, name="c", center=(0, 0), radius=1.0, mass=1.0),
    *both(
        "copy",
        {
            "name": "n",
            "without": ["one", "fixed"],
            "changes": {"a": {"mass": 1.0}},
            "gravity": (0, 0),
            "display_unit": "m",
        },
        {
            "name": "n",
            "without": ["one", "fixed"],
            "changes": {"a": {"mass": 1.0}},
            "gravity": (0, 0, 0),
            "display_unit": "m",
        },
    ),
    *both("define", {"name": "f", "formula": "2*t"}),
    *both(
        "define_curve", {"name": "c", "curve": tm.curves.circle(1.0)}, {"name": "c", "curve": tm.curves.helix(1.0, 0.1)}
    ),
    *both("define_table", {"name": "c", "table": tm.functions.Table("c", (0, 1, 2), (0, 1, 0))}),
    *both("diagram", {"path": None, "ax": None, "labels": True}),
    *both("graph", {"path": None}),
    *both("draw", {"ax": None, "labels": True, "path": None}),
    *both(
        "difference",
        {"first": "a", "second": "b", "axis": (1, 0)},
        {"first": "a", "second": "b", "axis": (1, 0, 0)},
    ),
    *both("distance", {"first": "a.tip", "second": "b.tip", "label": "d"}),
    *both("group", {"name": "g", "bodies": ["a", "b"]}),
    *both("parameter", {"name": "r", "value": 1.0, "bounds": (0, 2), "tolerance": 0.1, "note": "n"}),
    *both("phase", {"name": "two", "active": ["fixed"], "hold": ["fixed"]}),
    *both("switch", {"name": "S", "leave": "one", "enter": "one", "when": "t - 1", "direction": 0}),
    *both("point", {"name": "P", "body": "a", "at": (0, 0)}, {"name": "P", "body": "a", "local": (0, 0, 0)}),
    *both("save", {"path": "m.toml"}),
    method("SpatialModel.cosine", lambda: held(True), first="a", first_axis="x", second="b", second_axis="y"),
    method("SpatialModel.relative_parameter", lambda: held(True), first="a", second="b", which=0),
    method("SpatialModel.relative_parameters", lambda: held(True), first="a", second="b"),
    method("PlanarModel.with_parameters", crank),
    method("SpatialModel.with_parameters", spatial),
    method("PlanarModel.measure", held, quantity="a.x", user="it"),
    method("SpatialModel.measure", lambda: held(True), quantity="a.x", user="it"),
]


def weightless():
    """A bar on a pin, held by a spring."""
    m = tm.PlanarModel("bar")
    m.body("bar", position=(0.5, 0.0), mass=2.0, inertia=0.2)
    m.revolute("O", "ground", "bar", at=(0.0, 0.0))
    m.spring("S", m.ground.at(0.0, 0.8), m["bar"].at(0.1, 0.0), stiffness=300.0, free_length=0.5)
    return m


def verb(name, build, /, **sound):
    """A method of a model by its name alone."""
    return Entry(name, lambda: getattr(build(), name), made(sound))


VERBS = [
    verb("assemble", crank, time=0.0),
    verb("mobility", crank, time=0.0),
    verb("partition", swing),
    verb("prepare", swing),
    verb("statics", crank, time=0.0),
    verb("equilibrium", swing),
    verb("equilibria", swing, n_starts=2),
    verb("matrices", swing),
    verb("terms", swing),
    verb("kinematics", crank, **SHORT),
    verb("inverse_dynamics", crank, **SHORT),
    verb("simulate", swing, **SHORT),
    verb("potential_energy", swing),
    verb("linearize", swing),
    verb("assembly_modes", crank, n_starts=20, progress=False),
    verb("working_modes", swing, place="bob.tip", target=(0.3,), components=("x",), n_starts=20, progress=False),
    verb("inverse_kinematics", swing, place="bob.tip", targets=[(0.3,), (0.31,)], components=("x",), progress=False),
    verb("workspace", swing, place="bob.tip", over=("x",), components=("x",), cells=4, progress=False),
    verb("manipulability", swing, place="bob.tip"),
    verb("time_optimal", swing, path=[(0.0,), (0.3,)], efforts={"A.angle": 20.0}, points=4),
    entry("relative_equations", lambda: functools.partial(tm.textbook.relative_equations, spatial())),
    entry("particles", lambda: functools.partial(tm.textbook.particles, swing())),
    verb("trim", weightless, unknowns=["S.free_length"]),
    verb("gradient", crank, quantity="max(P.y)", **SHORT),
    verb("value_and_grad", crank, quantity="max(P.y)", **SHORT),
    verb("batch", crank, parameters={"r": [0.1]}),
    verb("optimize", crank, minimize="max(P.y)", variables=["r"], max_iterations=1, **QUIET),
    verb("tolerances", crank, quantity="max(P.y)", extremes=False, **SHORT),
    verb(
        "identify", swing, measured={"A.angle": ((0.0, 0.1, 0.2), (0.0, 0.0, 0.0))}, variables=["k"], max_iterations=1
    ),
    entry(
        "compare_formulations",
        lambda: functools.partial(tm.textbook.compare_formulations, swing()),
        duration=0.01,
        formulations=["cartesian"],
        tolerances=(1e-4,),
        progress=False,
    ),
    verb("live", swing, open_browser=False),
]


def joined(*, base, form, cut):
    return swing().simulate(formulation=tm.formulations.joint(base=base, form=form, cut=cut), **QUIET)


def located(k):
    return swing().with_parameters(k=float(k) + 1.0).linearize()


BATCH = {"keep": ["crank.phi"], "reduce": {"m": "max(P.y)"}, "progress": False}
ABOUT_RUNS = [
    method("Batch.kinematics", lambda: crank().batch({"r": [0.1]}), **BATCH, **SHORT),
    method("Batch.simulate", lambda: swing().batch({"k": [1.0]}), keep=["bob.phi"], **QUIET),
    method("Batch.equilibrium", lambda: swing().batch({"k": [1.0]}), keep=["bob.phi"], progress=False),
    method(
        "Batch.run",
        lambda: swing().batch({"k": [1.0]}),
        analysis=tm.Analysis("simulate", **SHORT),
        keep=["bob.phi"],
        progress=False,
    ),
    method("BatchResult.values", batched, name="crank.phi"),
    method("BatchResult.single", batched, k=0),
    method("BatchResult.plot", batched, names=("m",), x="r", ax=None, path=None),
    method("BatchResult.model", batched, k=0),
    entry("grid", lambda: tm.grid, sampled, k=[1.0, 2.0]),
    entry("sample", lambda: tm.sample, sampled, n=3, method="sobol", seed=0, variables=["k"], within="bounds"),
    entry(
        "Event",
        lambda: tm.Event,
        watched,
        name="e",
        when="t - 1",
        direction=0,
        stop=False,
        change=None,
        impulse=(),
        enter=None,
        release=(),
    ),
    entry(
        "Experiment",
        lambda: tm.Experiment,
        measured={"A.angle": ((0.0, 0.1), (0.0, 0.0))},
        parameters={"k": 1.0},
        options={"method": "rk4"},
    ),
    entry("generalized_alpha", lambda: tm.methods.generalized_alpha, rho=0.8),
    entry("hht", lambda: tm.methods.hht, alpha=-0.2),
    entry("multistep", lambda: tm.methods.multistep, a=[1], b=[0, 1], name="euler"),
    entry("rk2", lambda: tm.methods.rk2, a=0.75),
    entry("runge_kutta", lambda: tm.methods.runge_kutta, a=[[], [1]], b=["1/2", "1/2"], embedded=[1, 0], name="heun"),
    entry("formulation of joints", lambda: joined, base="heaviest", form="bodies", cut=()),
    entry("Analysis", lambda: tm.Analysis, name="simulate", duration=0.1),
    method("Analysis.at_times", lambda: tm.Analysis("simulate"), times=[0.0, 0.1]),
    entry("InitialConditions", lambda: tm.InitialConditions, values={"A.angle": 0.1}, hold=["bob.x"], correct=True),
    entry("integrate", lambda: tm.textbook.integrate, equations="y' = -y", initial={"y": 1.0}, **QUIET),
    entry(
        "solve",
        lambda: tm.textbook.solve,
        equations=["x^2 = a"],
        start={"x": 1.0},
        given={"a": 2.0},
        time=0.0,
        newton="damped",
        tol=1e-10,
        max_iterations=9,
    ),
    entry(
        "compare_methods",
        lambda: tm.textbook.compare_methods,
        target="y' = -y",
        initial={"y": 1.0},
        duration=0.1,
        methods=["rk4"],
        time_steps=[0.05],
        tolerances=(1e-4,),
        progress=False,
    ),
    entry(
        "convergence_study",
        lambda: tm.textbook.convergence_study,
        equations="y' = -y",
        initial={"y": 1.0},
        duration=0.1,
        method="rk4",
        time_steps=[0.05, 0.02],
        exact={"y": "exp(-t)"},
        progress=False,
    ),
    verb(
        "continue_equilibrium",
        swing,
        parameter="k",
        start=1.5,
        stop=1.6,
        steps=2,
        time=0.0,
        branch_at=None,
        direction=1,
    ),
    entry("root_locus", lambda: tm.root_locus, linear_at=located, values=[1.0, 2.0], name="k"),
    entry("joint_efforts", lambda: tm.textbook.joint_efforts, result=Later(moved)),
    entry("resume", lambda: tm.resume, path="run.trammel", progress=False, callback=None),
    method("Equilibrium.simulate", rest, **QUIET),
    method("Equilibrium.linearize", rest),
    method("Equilibrium.pose", rest, body="bob"),
    method("LinearModel.frequency_response", linear, frequencies=[1.0]),
    method("LinearModel.motion", linear, mode=0, amplitude=0.1, samples=9, periods=1.0),
    method("FrequencyResponse.between", lambda: linear().frequency_response([1.0]), output="A.angle", given="bob.x"),
    method("FrequencyResponse.plot", lambda: linear().frequency_response([1.0]), path=None, ax=None),
    method("RootLocus.plot", lambda: tm.root_locus(located, [1.0, 2.0]), path=None, ax=None),
    method("Branch.coordinate", branch, name="bob.phi"),
    method("Branch.plot", branch, coordinate="bob.phi", path=None, ax=None),
    method("Integration.plot", plain, names=("y",), ax=None, path=None),
    method("MethodComparison.of", study, method="rk4"),
    method("MethodComparison.cheapest", study, error=1.0),
    method("MethodComparison.plot", study, path=None, ax=None),
    method("Solution.plot", lambda: tm.textbook.solve(["x^2 = 2"], {"x": 1.0}), path=None, ax=None),
    method(
        "Solutions.plot",
        lambda: tm.textbook.solve(["x^2 = 2 + t"], {"x": 1.0}, times=[0.0, 1.0]),
        names=("x",),
        ax=None,
        path=None,
    ),
    method("NewtonHistory.table", lambda: tm.textbook.solve(["x^2 = 2"], {"x": 1.0}).history, digits=6),
    method("NewtonHistory.plot", lambda: tm.textbook.solve(["x^2 = 2"], {"x": 1.0}).history, path=None, ax=None),
    method("Labelled.of", lambda: swing().matrices()["M"], row="bob.x", column="bob.x"),
    method("Matrices.__getitem__", lambda: swing().matrices(), symbol="M"),
    method("Terms.of", lambda: swing().terms(), constraint="A"),
    method("Assembly.pose", lambda: crank().assemble(), body="crank"),
    method("CoordinatePartition.influence", lambda: crank().partition(), dependent="crank.x", independent="crank.phi"),
    method("ValueAndGrad.value", lambda: crank().value_and_grad("max(P.y)", wrt=["r"], **SHORT), x=[0.1]),
    method("ValueAndGrad.grad", lambda: crank().value_and_grad("max(P.y)", wrt=["r"], **SHORT), x=[0.1]),
    method("Optimum.draw", best, path=None, ax=None, time=None),
    method("Optimum.animate", best, path="a.html", traces=None, duration=None),
    method("Optimum.plot_convergence", best, path=None, ax=None),
    method("Optimum.plot_design_space", best, path=None, kind="parallel"),
    method("ParetoFront.model", front, k=0),
    method("ParetoFront.plot", front, path=None, ax=None),
    method("ToleranceResult.share", scatter, name="r"),
    method("ToleranceResult.plot_histogram", scatter, path=None, ax=None),
    method("ToleranceResult.plot_tornado", scatter, path=None, ax=None),
    method("MonteCarlo.percentile", lambda: scatter().monte_carlo, share=50.0),
    method("Identification.plot_fit", fitted, path=None, ax=None),
]


def shown(name, /, **sound):
    """A picture of a result of motion."""
    return method(f"Result.{name}", driven, **sound)


SEEN = {"ax": None, "units": None, "title": "it", "path": None}
RESULTS = [
    shown("diagram.acceleration_polygon", time=0.5),
    shown("diagram.velocity_polygon", time=0.5),
    shown("animate", path="a.html", traces=["P"], duration=0.5, plots=["P.x"]),
    shown("at", time=0.3),
    shown("diagram.centrodes", body="coupler", against="ground"),
    shown("compare", other=Later(driven)),
    shown("diagram.curvature", point="P"),
    shown("cycles", name="crank.phi"),
    method("Result.time_ratio", lambda: crank().kinematics(math.pi, samples=61), name="rocker.phi"),
    method(
        "Result.steady_from", lambda: crank().kinematics(4 * math.pi, samples=201), name="rocker.phi", tolerance=0.02
    ),
    method("Result.effort", pushed, driver="turn"),
    shown("draw", ax=None, time=0.5, ghosts=2, traces=["P"], arrows=["velocity"], path=None),
    shown("draw_stages", stages=3, traces=["P"], path=None),
    shown("extremes", name="crank.phi"),
    shown("formula", text="2*crank.phi"),
    shown("group", bodies=("crank",)),
    shown("diagram.inflection_circle", body="coupler"),
    shown("diagram.instant_centers"),
    shown("series", name="A.angle"),
    shown("plot", names=("crank.phi",), x="P.x", turns=None, labels=["a"], **SEEN),
    shown("plot.path", points=("P",), plane=None, **SEEN),
    shown("plot.hodograph", names=("P",), of="velocity", plane=None, **SEEN),
    shown("plot.phase", names=("crank.phi",), labels=["a"], **SEEN),
    shown("plot.spectrum", names=("P.x",), over=None, window="hann", top=None, log=False, labels=["a"], **SEEN),
    shown("plot.waterfall", name="P.x", slices=1, over=None, window="hann", top=None, **SEEN),
    shown("point", point="P"),
    shown("names"),
    shown("resample", times=[0.1, 0.2]),
    shown("save", path="r.trammel"),
    shown("spectra", name="P.x", slices=1, over=None, window="hann"),
    shown("spectrum", name="P.x", over=None, window="hann"),
    shown("statistics", names=("P.x",)),
    shown("to_csv", path="r.csv", names=["crank.phi"], digits=6),
    shown("to_dict", names=["crank.phi"]),
    shown("to_dataframe", names=["crank.phi"]),
    shown("to_xarray", names=["crank.phi"]),
    shown("to_parquet", path="r.parquet", names=["crank.phi"]),
    shown("to_hdf5", path="r.h5", names=["crank.phi"]),
    shown("diagram.transmission_angle", joint="C", coupler="coupler", start=None, end=None),
    shown("log"),
    shown("constraint_violation"),
    shown("summary"),
    *(
        method(f"Result.{name}", moved, **sound)
        for name, sound in {
            "reaction": {"joint": "A", "on": "bob"},
            "resultant": {"body": "bob", "about": None, "gravity": True, "joints": False},
            "force": {"label": "S"},
            "force_on": {"force": "S", "body": "bob", "about": None},
            "plot.energy": {"parts": (), "x": "t", **SEEN},
            "plot.reactions": {"joints": ("A",), "components": True, "x": "t", "turns": None, **SEEN},
        }.items()
    ),
    method("Result.contact", landed, name="floor"),
    method("Result of space.draw", flown, ax=None, time=0.1, ghosts=2, traces=["tip"], arrows=["velocity"], path=None),
    method("Result of space.animate", flown, path="a.html", traces=["tip"], duration=0.5, plots=["tip.x"]),
    method("Result of space.plot.path", flown, points=("tip",), plane="xz", **SEEN),
    method("Result of space.plot.hodograph", flown, names=("tip",), of="velocity", plane="xz", **SEEN),
    method("Result of space.reaction", flown, joint="A", on="bob"),
    method("SpaceBodySeries.angles", lambda: flown()["bob"], sequence="xyz"),
    method("SpaceBodySeries.kinetic_energy", lambda: flown()["bob"], form="body"),
    method("SpaceReaction.moment_about", lambda: flown().reaction("A"), point=(0, 0, 0)),
    method("Reaction.moment_about", lambda: moved().reaction("A"), point=(0, 0)),
    method("Resultant.moment_about", lambda: moved().resultant("bob"), point=(0, 0)),
    method("GroupSeries.angular_momentum", lambda: moved().group("bob"), about=None),
    method("MeasureSeries.series", lambda: moved()["A"], measure="angle"),
    method("InstantCenters.between", lambda: driven().diagram.instant_centers(), first="crank", second="rocker"),
    method("InstantCenters.kind", lambda: driven().diagram.instant_centers(), first="crank", second="rocker"),
    method(
        "InstantCenters.plot", lambda: driven().diagram.instant_centers(), time=0.5, ax=None, labels=True, path=None
    ),
    method("Centrodes.plot", lambda: driven().diagram.centrodes("coupler"), time=0.5, ax=None, path=None),
    method("InflectionCircle.curvature_of", lambda: driven().diagram.inflection_circle("coupler"), points=(0.1, 0.1)),
    method(
        "InflectionCircle.plot", lambda: driven().diagram.inflection_circle("coupler"), time=0.5, ax=None, path=None
    ),
    method("PathCurvature.plot", lambda: driven().diagram.curvature("P"), ax=None, path=None),
    method("JointGraph.plot", lambda: crank().graph(), ax=None, path=None),
    method("Polygon.plot", lambda: driven().diagram.velocity_polygon(0.5), ax=None, path=None),
    method(
        "TransmissionAngle.plot",
        lambda: driven().diagram.transmission_angle("C"),
        x=None,
        turns=None,
        ax=None,
        path=None,
    ),
    entry("overlay", lambda: tm.overlay, runs=Later(lambda: [moved(), moved()]), labels=["a", "b"]),
    entry("Runs", lambda: tm.results.Runs, runs=Later(lambda: {"a": moved()})),
    *(
        method(f"Runs.{name}", lambda: tm.overlay({"a": driven(), "b": driven()}), **sound)
        for name, sound in {
            "plot": {"names": ("crank.phi",), "x": "P.x", "labels": None, "turns": None, **SEEN},
            "plot.path": {"points": ("P",), "plane": None, **SEEN},
            "plot.hodograph": {"names": ("P",), "of": "velocity", "plane": None, **SEEN},
            "plot.phase": {"names": ("crank.phi",), "labels": None, **SEEN},
            "plot.spectrum": {
                "names": ("P.x",),
                "over": None,
                "window": "hann",
                "top": None,
                "log": False,
                "labels": None,
                **SEEN,
            },
        }.items()
    ),
    *(
        method(f"Runs.{name}", lambda: tm.overlay({"a": moved(), "b": moved()}), **sound)
        for name, sound in {
            "plot.energy": {"parts": (), "x": "t", **SEEN},
            "plot.reactions": {"joints": ("A",), "components": True, "x": "t", "turns": None, **SEEN},
        }.items()
    ),
]
FILES = [
    entry("load", lambda: tm.load, path="model.toml", parameters=None),
    entry("load_result", lambda: tm.load_result, path="result.trammel"),
    entry("load_robot", lambda: tm.load_robot, path="arm.urdf"),
    entry("read_robot", lambda: tm.read_robot, path="arm.urdf"),
    entry("save_robot", lambda: tm.save_robot, robot=Later(robot), path="r.urdf"),
    method(
        "Robot.model", robot, floating_base=False, pose=None, stops=None, friction=True, controls=None, merge_fixed=True
    ),
    method("Robot.place", robot, values=None),
    method("Robot.pose_of", robot, link="arm"),
    method("Robot.spot", robot, name="arm"),
]
LIFT = [
    tm.profiles.rise(0.01, 2.0),
    tm.profiles.dwell(1.0),
    tm.profiles.fall(0.0, 2.0),
    tm.profiles.dwell(2.0 * math.pi - 5.0),
]
SIX = (0.1, 0.3, 0.5, 0.7, 0.9, 1.1)
OUT = tuple(0.2 + 0.5 * x + 0.1 * math.sin(3.0 * x) for x in SIX)
SIX_POSES = tuple((0.1 * k, 0.02 * math.sin(k), 0.1 * k) for k in range(6))
SIX_POINTS = tuple((0.1 * math.cos(k), 0.06 * math.sin(k)) for k in range(6))
SYNTHESIS = functions(
    S,
    {
        "atlas": {
            "kinds": ("four-bar",),
            "ratios": (2.0,),
            "offsets": (0.0,),
            "along": (0.0,),
            "across": (0.5,),
            "progress": False,
        },
        "balance": {"design": Later(four_bar), "links": Later(masses), "radius": 0.1, "moments": False},
        "burmester_curves": {"poses": (*POSES, (0.5, 0.2, 1.1)), "samples": 12},
        "cam": {
            "lift": LIFT,
            "follower": "roller",
            "roller": 0.01,
            "base": 0.05,
            "offset": 0.0,
            "pressure_limit": 1.0,
            "least_radius": 0.0,
            "largest": 1.0,
        },
        "chebyshev_spacing": {"start": 0.0, "end": 1.0, "count": 3},
        "cognates": {"design": Later(four_bar)},
        "dyads": {"poses": (*POSES, (0.5, 0.2, 1.1)), "reach": 0.0},
        "flywheel": {
            "angles": np.linspace(0, math.tau, 9),
            "torque": np.round(np.sin(np.linspace(0, math.tau, 9)), 9),
            "speed": 10.0,
            "fluctuation": 0.1,
            "existing": 0.0,
        },
        "function_four_bars": {"inputs": (0.61, 1.40, 2.18), "outputs": (1.06, 1.39, 2.03), "ground": 1.0},
        "function_six_bars": {"inputs": SIX, "outputs": OUT, "starts": 1, "seed": 0},
        "function_slider_cranks": {"inputs": (0.1, 0.4, 0.8), "strokes": (0.2, 0.3, 0.35)},
        "gear_trains": {"ratio": 3.0, "stages": 1, "teeth": (17, 60), "count": 2},
        "motion_four_bars": {"poses": POSES, "moving": ((0.0, 0.0), (0.1, 0.0)), "starts": 1, "seed": 0},
        "motion_six_bars": {"poses": SIX_POSES, "starts": 1, "seed": 0},
        "parallel_six_bar": {"four_bar": Later(four_bar)},
        "path_four_bars": {"points": PATH, "starts": 1, "seed": 0},
        "path_six_bars": {"points": SIX_POINTS, "starts": 1, "seed": 0},
        "path_slider_cranks": {"points": PATH, "starts": 1, "seed": 0},
        "planetary_trains": {"ratio": 4.0, "teeth": (17, 60), "planets": 3, "count": 2},
        "plot_paths": {"points": PATH, "designs": Later(four_bar), "names": ["d"], "path": None},
        "quick_return_four_bars": {"swing": 0.7, "time_ratio": 1.2, "ground": 1.0},
        "quick_return_slider_cranks": {"stroke": 0.1, "time_ratio": 1.2, "rod": 0.2},
        "spring_balance": {
            "mass": 1.0,
            "arm": 0.5,
            "stiffness": 100.0,
            "anchor": 0.3,
            "free_length": 0.0,
            "span": (-1.0, 1.0),
        },
        "straight_line_four_bars": {
            "start": (0, 1),
            "end": (1, 1),
            "fixed": ((0, 0), (1, 0)),
            "triangle": False,
            "starts": 1,
            "seed": 0,
        },
        "FourBar": {"A": (0, 0), "B": (0, 0.1), "C": (0.26, 0.16), "D": (0.3, 0), "P": (0.1, 0.2)},
        "SliderCrank": {"A": (0, 0), "B": (0, 0.1), "C": (0.3, 0), "direction": 0.0},
        "LinkMass": {"mass": 1.0, "centroid": (0, 0), "inertia": 0.0},
    },
)
# --- methods of returned objects -----------------------------------------------------------------------------------------


@functools.cache
def returned(name):
    """Return value of the sound call of an entry point; the first one of several."""
    made_of = next(
        each for each in [*VERBS, *ABOUT_RUNS, *BUILDERS, *CURVES, *RESULTS, *SYNTHESIS] if each.name == name
    ).call()
    return made_of[0] if isinstance(made_of, tuple | list) else made_of


def of(owner, source, **methods):
    """Entries for methods of the object that an entry point returns: their names with the arguments of a sound call."""
    return [method(f"{owner}.{name}", functools.partial(returned, source), **sound) for name, sound in methods.items()]


@functools.cache
def model_functions(space):
    return (spatial if space else swing)().functions()


def of_functions(space):
    """Every method of the functions of a model, with sound values for its arguments by their names."""
    f = model_functions(space)
    sound = {
        "q": [0.1] * len(f.coordinates),
        "place": "tip" if space else "bob.tip",
        "t": 0.0,
        "hold": (),
        "result": Later(moved),
    }
    sound |= dict.fromkeys(("v", "a", "tau", "step"), [0.1] * len(f.velocities))
    if space:
        sound["result"] = Later(lambda: spatial().simulate(0.01, samples=2))
    for name, thing in inspect.getmembers(type(f), inspect.isfunction):
        if not name.startswith("_"):
            names = list(inspect.signature(thing).parameters)[1:]
            yield method(
                f"{type(f).__name__}.{name}",
                functools.partial(model_functions, space),
                **{key: sound[key] for key in names},
            )


CRANKS = {"cranks": [0.1, 0.2], "side": None}
RETURNED = [
    *of("FourBar", "synthesis.FourBar", at=CRANKS, complex_at=CRANKS, transmission={"cranks": 0.1}),
    *of("FourBar", "synthesis.FourBar", model={"speed": 1.0, "name": "m", "gravity": (0.0, -9.81)}),
    *of("SliderCrank", "synthesis.SliderCrank", at=CRANKS, complex_at=CRANKS, stroke=CRANKS),
    *of("SliderCrank", "synthesis.SliderCrank", model={"speed": 1.0, "name": "m", "gravity": (0.0, -9.81)}),
    *of("SixBar", "synthesis.function_six_bars", complex_at={"cranks": 0.1}, model={"speed": 1.0}),
    *of("Cam", "synthesis.cam", pressure_angle={"u": 0.1}, curvature_radius={"u": 0.1}, model={"speed": 1.0}),
    *of("Cam", "synthesis.cam", stress={"load": 1.0, "width": 0.01, "modulus": 1e11}),
    *of("GearTrain", "synthesis.gear_trains", model={"module": 0.002, "speed": 1.0, "name": "m"}),
    *of("PlanetaryTrain", "synthesis.planetary_trains", model={"module": 0.002, "speed": 1.0, "name": "m"}),
    *of("Balance", "synthesis.balance", model={"balanced": True, "speed": 1.0}),
    *of("SpringBalance", "synthesis.spring_balance", torque={"angles": 0.1}, model={"start": None, "inertia": 0.0}),
    *of("Flywheel", "synthesis.flywheel", disc={"radius": 0.1}),
    *of("LinkMass", "synthesis.LinkMass", joined={"other": S.LinkMass(1.0, (0.0, 0.0))}),
    *of("Atlas", "synthesis.atlas", search={"points": PATH, "closed": True, "n": 1}),
    *of("Atlas", "synthesis.atlas", plot={"first": 0, "rows": 1, "columns": 1, "path": None}),
    *of(
        "SpaceCurve",
        "space_analytic",
        points={"u": np.array([0.1, 0.2])},
        sample={"n": 3},
        nearest={"point": (0.1, 0.2, 0.3)},
    ),
    *of("ContactSeries", "Result.contact", across={"vector": Later(lambda: returned("Result.contact").slip)}),
    *of("RelativeEquations", "relative_equations", part={"rows": "u", "columns": "u"}),
    *of("ParticleReport", "particles", forces={"body": "bob", "force": (1.0, 0.0), "at": None, "couple": None}),
    *of("InverseKinematics", "inverse_kinematics", drawn={"k": 0}, plot={"path": None, "ax": None}),
    *of("Modes", "assembly_modes", drawn={"k": 0}, plot={"path": None, "most": 1}),
    *of("TimeOptimal", "time_optimal", drawn={"k": 0}, effort={"name": "A.angle"}, plot={"path": None, "ax": None}),
    *of("Manipulability", "manipulability", plot={}),
    *of("Workspace", "workspace", plot={}),
    *of("ConvergenceStudy", "convergence_study", plot={}),
    method("Runs.plot.waterfall", lambda: tm.overlay({"a": driven(), "b": driven()}), name="P.x"),
    *of_functions(space=False),
    *of_functions(space=True),
    Entry(
        "functions", lambda: swing().functions, made({"elements": True, "actuators": None, "base": "root", "cut": ()})
    ),
]
ALL = [
    *CURVES,
    *LAWS,
    *SHAPES,
    *INERTIA,
    *ROTATIONS,
    *LINEAR,
    *BODIES,
    *BUILDERS,
    *VERBS,
    *ABOUT_RUNS,
    *RESULTS,
    *FILES,
    *SYNTHESIS,
    *RETURNED,
]


def put_files(folder):
    """Files that entry points read."""
    (folder / "arm.urdf").write_text(URDF, encoding="utf-8")
    CUBE.write_stl(folder / "cube.stl")
    driven().save(folder / "result.trammel")
    crank().save(folder / "model.toml")
    swing().simulate(0.01, samples=3, store=str(folder / "run.trammel"), progress=False)
