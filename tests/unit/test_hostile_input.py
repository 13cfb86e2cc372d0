"""Anything may be given for any argument: the answer is a sentence (TrammelError), or a model that can be read and copied."""

import inspect
import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.testing.samples import fresh, sample
from registry_samples import TYPES, build, by_places


class Thing:
    """An object of nobody's."""


HOSTILE = [
    None, "x", "", "1", b"x", math.nan, math.inf, -math.inf, -1, 0, 1e308, 5e-324, 10**400, True, 1j, (), (1,), (1, 2, 3, 4, 5, 6, 7), [],
    {}, {"a": 1}, ("x", "y"), (math.nan, 0.0), (math.nan, 0.0, 0.0), (math.inf, 1.0, 0.0), (0.0, 0.0),
    (0.0, 0.0, 0.0), (1e308, 1e308, 1e308),
    [[1, 2], [3]], np.array(1.0), np.array([1.0]), np.zeros((2, 2)), np.array(["x"]), np.array([True, False]), Thing(), Thing, len,
    "ground", "nobody", "a.b.c",
    "a.x", "it.value", "1/0", "(" * 300, "t" * 10_000, "sin(", "ü", "a" * 5000, range(3), iter([1.0, 2.0]), tm.parse("1/t"), tm.parse("q"),
    tm.time,
    tm.PlanarModel("other"), tm.PlanarModel("other").body("far"), tm.PlanarModel("other").ground.at(1.0, 2.0),
    tm.SpatialModel("other").body("far"), tm.SpatialModel("other").body("far").marker(),
    tm.SpatialModel("other").body("far").angular_velocity_about("x"),
    tm.curves.circle(1.0), tm.curves.helix(1.0, 0.1), tm.functions.Table("t1", (0, 1), (0, 1)),
    tm.Box((1, 1, 1)), float, 1 + 0j, "x" * 3, "-q", slice(3), Ellipsis,
]  # fmt: skip


def quiet(make):
    """A sentence or a result; warnings about odd machines are none of our business here."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)
        try:
            return make()
        except tm.TrammelError as error:
            text = str(error)
            assert len(text) <= 2000 and text[0].strip(), text
            assert "cannot be made from" not in text, text  # the last resort, for what no builder has foreseen
            return None


def short(value):
    try:
        return repr(value)[:60]
    except Exception:
        return type(value).__name__


def survives(make, what):
    try:
        return quiet(make)
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error


@pytest.mark.sampled(26)
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_argument_of_every_joint_and_force(kind):
    for spelling in (sample, by_places):
        if spelling(kind, fresh(kind.space)) is None:
            continue
        for key in kind.arguments:
            for value in HOSTILE:
                made = survives(lambda k=key, v=value, s=spelling: build(kind, {k: v}, s), f"{key}={short(value)}")
                if made is not None:
                    survives(lambda m=made[0]: (m.copy(), str(m), repr(m)), f"a copy with {key}={short(value)}")


@pytest.mark.parametrize("kind, key, value, sentence", [
    ("gear", "internal", "no", "internal of gear 'it' must be True or False, but it is 'no'"),
    ("gear", "internal", 1, "internal of gear 'it' must be True or False, but it is 1"),
    ("joint_friction", "stick", np.array([True, False]), "stick of joint_friction 'it' must be True or False, but it is array"),
    ("contact_line", "law", np.zeros(2), "law of contact_line 'it' must be one of the words 'linear', 'hertz', .*but it is array"),
    ("contact_curve", "side", None, "side of contact_curve 'it' must be one of the words 'left', 'right', but it is None"),
    ("equation", "unit", 3, "unit of equation 'it' must be a text, but it is 3"),
    ("force", "vector", np.array(1.0), r"vector of force 'it' must have two components \(x, y\) in N, but it is array\(1.\); give numbers"),
    ("user_force", "inputs", None, r"inputs of user_force 'it' must be a list of names such as \['t', 'A.angle'\], but it is None; leave"),
    ("user_force", "inputs", "t", "inputs of user_force 'it' must be a list of names"),
    ("user_force", "inputs", ["t", "t"], "inputs of user_force 'it' name a quantity twice"),
    ("contact_line", "friction", (0.2,), r"friction of contact 'it' must be a number or two \(static, dynamic\), but it is \(0.2,\)"),
    ("stick_slip", "friction", (0.1, 0.2), "the dynamic coefficient 0.2 is larger than the static one 0.1"),
    ("stick_slip", "friction", -0.1, "friction of stick_slip \'it\' is -0.1; it must not be negative"),
])  # fmt: skip
def test_the_sentence_names_argument_value_limit_and_remedy(kind, key, value, sentence):
    one = next(t for t in TYPES if t.kind == kind and not t.space)
    with pytest.raises(tm.ModelError, match=sentence):
        build(one, {key: value}, sample)


@pytest.mark.parametrize(
    "kind, key", [("contact_line", "friction"), ("joint_friction", "friction"), ("stick_slip", "friction")]
)
def test_a_pair_of_coefficients_may_be_a_list_an_array_or_one_number(kind, key):
    one = next(t for t in TYPES if t.kind == kind and not t.space)
    for given, pair in ((0.3, (0.3, 0.3)), ([0.4, 0.3], (0.4, 0.3)), (np.array([0.4, 0.3]), (0.4, 0.3))):
        _, made = build(one, {key: given}, sample)
        described = made.parameters[key]
        assert tuple(np.broadcast_to(described, 2)) == pair


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_every_argument_of_bodies_points_phases_switches_and_measures(space):
    model = tm.SpatialModel if space else tm.PlanarModel
    keys = [k for k in inspect.signature(model.body).parameters if k not in ("self", "name")]

    def one(**given):
        m = model("hostile")
        m.body("b", **given)
        return m.copy()

    def ready():
        m = fresh(space)
        m.constrain("C", "a.x")
        m.phase("one", active=["C"])
        return m

    zero = (0.0,) * (3 if space else 2)
    for value in HOSTILE:
        for key in keys:
            survives(lambda k=key, v=value: one(**{k: v}), f"body {key}={short(value)}")
        for key in ("name", "gravity", "display_unit"):
            survives(lambda k=key, v=value: model(**{k: v}), f"model {key}={short(value)}")
        calls = {
            "body name": lambda m, v: m.body(v),
            "point name": lambda m, v: m.point(v, "a", at=zero),
            "point body": lambda m, v: m.point("P", v, at=zero),
            "point at": lambda m, v: m.point("P", "a", at=v),
            "point local": lambda m, v: m.point("P", "a", local=v),
            "phase active": lambda m, v: m.phase("two", active=v),
            "phase hold": lambda m, v: m.phase("two", active=[], hold=v),
            "switch leave": lambda m, v: m.switch("S", v, "one", when="t - 1"),
            "switch when": lambda m, v: m.switch("S", "one", "one", when=v),
            "switch direction": lambda m, v: m.switch("S", "one", "one", when="t - 1", direction=v),
            "copy name": lambda m, v: m.copy(v),
            "copy without": lambda m, v: m.copy(without=v),
            "copy without one": lambda m, v: m.copy(without=[v]),
            "copy changes": lambda m, v: m.copy(changes=v),
            "copy changes of": lambda m, v: m.copy(changes={"a": v}),
            "copy gravity": lambda m, v: m.copy(gravity=v),
            "copy units": lambda m, v: m.copy(display_unit=v),
            "lookup": lambda m, v: m[v],
            "measure": lambda m, v: m.measure(v),
            "distance": lambda m, v: m.distance(v, "a"),
            "difference": lambda m, v: m.difference("a", "b", v),
            "angle_between": lambda m, v: m.angle_between(v, "b", "z") if space else m.angle_between(v, "b"),
            "at": lambda m, v: m["a"].at(v),
            "at_global": lambda m, v: m["a"].at_global(v, *zero[1:]),
            "along": lambda m, v: m["a"].at(*zero).along(v),
            "named point": lambda m, v: m["a"][v],
        }
        if space:
            calls |= {
                "marker at": lambda m, v: m["a"].marker(v),
                "marker axis": lambda m, v: m["a"].marker(axis=v),
                "marker x": lambda m, v: m["a"].marker(x=v),
                "spin": lambda m, v: m["a"].angular_velocity_about(v),
                "spin frame": lambda m, v: m["a"].angular_velocity_about("x", frame=v),
                "drift": lambda m, v: m["a"].at(*zero).velocity_along(v),
                "cosine": lambda m, v: m["a"].cosine("x", v),
                "cosine of two": lambda m, v: m.cosine("a", v, "b", "x"),
                "axis of an angle": lambda m, v: m.angle_between("a", "b", v),
            }
        for what, call in calls.items():
            survives(lambda c=call, v=value: c(ready(), v), f"{what}: {short(value)}")


CUBE = tm.inertia.box_mesh(1.0, 1.0, 1.0)
SOUND = {
    tm.curves.circle: {"radius": 1.0, "center": (0.0, 0.0), "name": "c"},
    tm.curves.line: {"p": (0.0, 0.0), "q": (1.0, 0.0), "name": "l"},
    tm.curves.analytic: {"x": "u", "y": "u^2", "start": 0.0, "end": 1.0, "closed": False, "name": "a"},
    tm.curves.polar_table: {"theta": (0, 2, 4, math.tau), "radius": (1, 2, 1.5, 1), "origin": (0.0, 0.0), "closed": True, "kind": None},
    tm.curves.cartesian_table: {"x": (0, 1, 2), "y": (0, 1, 0), "closed": False, "kind": None, "name": "p"},
    tm.curves.space_analytic: {"x": "u", "y": "u", "z": "u", "start": 0.0, "end": 1.0, "closed": False, "name": "s"},
    tm.curves.helix: {"radius": 1.0, "lead": 0.1, "turns": 1.0, "name": "h"},
    tm.curves.space_spline: {"points": ((0, 0, 0), (1, 0, 0), (1, 1, 0)), "name": "s"},
    tm.functions.spline: {"x": (0, 1, 2), "y": (0, 1, 0), "kind": "cubic", "name": "s"},
    tm.functions.Table: {"name": "s", "x": (0, 1, 2), "y": (0, 1, 0), "kind": "cubic", "outside": "continue"},
    tm.profiles.rise: {"to": 1.0, "duration": 1.0, "law": "cycloidal"},
    tm.profiles.dwell: {"duration": 1.0},
    tm.profiles.motion: {"start": 0.0, "segments": [tm.profiles.rise(1.0, 1.0)], "repeat": False, "variable": tm.time},
    tm.profiles.constant_acceleration: {"position": 0.0, "velocity": 1.0, "acceleration": 1.0, "variable": tm.time},
    tm.profiles.harmonic_motion: {"amplitude": 1.0, "frequency": 1.0, "phase": 0.0, "mean": 0.0, "variable": tm.time},
    tm.parse: {"text": "t", "tables": None},
    tm.Box: {"size": (1, 1, 1), "center": (0, 0, 0), "rotation": None},
    tm.Sphere: {"radius": 1.0, "center": (0, 0, 0)},
    tm.Cylinder: {"start": (0, 0, 0), "end": (0, 0, 1), "radius": 1.0},
    tm.Solid: {"mesh": CUBE},
    tm.Event: {"name": "e", "when": "t - 1", "direction": 0, "stop": False, "change": None, "impulse": (), "enter": None},
    tm.inertia.box: {"x": 1.0, "y": 1.0, "z": 1.0, "density": 1.0},
    tm.inertia.cylinder: {"radius": 1.0, "height": 1.0, "density": 1.0, "axis": "z"},
    tm.inertia.hollow_cylinder: {"outer": 1.0, "inner": 0.5, "height": 1.0, "density": 1.0, "axis": "z"},
    tm.inertia.extruded_polygon: {"corners": ((0, 0), (1, 0), (0, 1)), "height": 1.0, "density": 1.0},
    tm.inertia.polygon_plate: {"corners": ((0, 0), (1, 0), (0, 1)), "density": 1.0},
    tm.inertia.tetrahedron: {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "d": (0, 0, 1), "density": 1.0},
    tm.inertia.point_mass: {"mass": 1.0, "position": (0, 0, 0)},
    tm.inertia.particles: {"masses": (1.0, 2.0), "positions": ((0, 0, 0), (1, 0, 0))},
    tm.inertia.sphere_mesh: {"radius": 1.0, "subdivisions": 1},
    tm.inertia.cylinder_mesh: {"radius": 1.0, "height": 1.0, "sides": 8, "axis": "z"},
    tm.inertia.read_mesh: {"path": "none.stl", "scale": 1.0},
    tm.inertia.Mesh: {"vertices": CUBE.vertices, "triangles": CUBE.triangles},
    tm.inertia.MassProperties: {"mass": 1.0, "centroid": (0, 0, 0), "inertia": np.eye(3)},
    tm.rotations.from_axis_angle: {"axis": (0, 0, 1), "angle": 1.0},
    tm.rotations.from_angles: {"values": (0.1, 0.2, 0.3), "sequence": "xyz", "fixed": False},
    tm.rotations.matrix: {"p": (1, 0, 0, 0)},
    tm.rotations.parameters: {"A": np.eye(3)},
    tm.textbook.solve: {
        "equations": ["x^2 = a"], "start": {"x": 1.0}, "given": {"a": 2.0}, "time": 0.0, "times": None, "newton": "damped", "tol": 1e-10,
        "max_iterations": 9,
    },
    tm.textbook.linear.gauss: {"matrix": ((2, 1), (1, 3)), "right": (1, 2), "pivoting": "row", "tolerance": 1e-12},
    tm.textbook.linear.gauss_jordan: {"matrix": ((2, 1), (1, 3)), "right": None, "pivoting": "full"},
    tm.textbook.linear.lu: {"matrix": ((2, 1), (1, 3)), "pivoting": "column", "form": "crout", "tolerance": 1e-12},
    tm.textbook.linear.qr: {"matrix": ((2, 1), (1, 3)), "method": "householder", "pivoting": True, "tolerance": 1e-12},
    tm.textbook.linear.choose_columns: {"matrix": ((2, 1, 4),), "method": "svd", "tolerance": 1e-9},
    tm.textbook.linear.partition: {"matrix": ((2, 1, 4),), "method": "qr", "independent": None,
        "names": None, "row_names": None, "scales": None},
}  # fmt: skip


@pytest.mark.parametrize("make", SOUND, ids=lambda make: make.__name__)
def test_every_argument_of_curves_shapes_motions_and_toolboxes(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if make is not tm.inertia.read_mesh:
        make(**SOUND[make])
    for key in SOUND[make]:
        for value in HOSTILE:
            made = survives(lambda k=key, v=value: make(**{**SOUND[make], k: v}), f"{key}={short(value)}")
            if made is not None:
                survives(lambda m=made: (repr(m), str(m)), f"text of {make.__name__} with {key}={short(value)}")


@pytest.mark.parametrize("name", ["sin", "step", "sqrt", "cycloidal", "abs", "atan2", "min", "mod"])
def test_functions_of_formulas(name):
    function = getattr(tm.functions, name)
    for value in HOSTILE:
        given = (tm.time, value) if name in ("atan2", "min", "mod") else (value,)
        survives(lambda g=given: function(*g), f"{name} of {short(value)}")
