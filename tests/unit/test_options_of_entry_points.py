"""Every option of every entry point with wrong values: an error that a user can act on, at the call and not at a later use."""

import inspect
import math
import tomllib
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest

import entry_points
import pytrammel as tm
from entry_points import ALL, spatial, swing
from pytrammel._util.checks import NAMES, kind_of
from pytrammel.errors import TrammelError
from pytrammel.io.models.analyses import options
from pytrammel.model.arguments.signatures import expanded
from pytrammel.model.verbs import Verb
from pytrammel.report.model_check import _analyses
from registry_samples import TYPES

pytestmark = pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning", "ignore::pytrammel.errors.RunWarning")

HOSTILE = [
    None, "x", "", "1", b"1", math.nan, math.inf, -math.inf, -1, 0, 2.5, 5e-324, 10**400, True, 1j, (), (1,), [], {}, {"x": 1}, {1: 2},
    ["x"],
    [None], [math.nan], [2, 1], ("a", 1), [[1, 2], [3]], np.array(1.0), np.zeros((2, 2)), np.array(["x"]), object(), object, len,
    Ellipsis,
    "a.b.c", "a" * 5000, tm.parse("q"), tm.time, tm.curves.circle(1.0),
]  # fmt: skip
HUGE = [1e9, 1e308]  # not for counts and times: such a run only takes long
QUICK = [
    *entry_points.CURVES,
    *entry_points.LAWS,
    *entry_points.SHAPES,
    *entry_points.INERTIA,
    *entry_points.ROTATIONS,
    *entry_points.LINEAR,
    *entry_points.BODIES,
    *entry_points.BUILDERS,
    *entry_points.RESULTS,
]
NUMBERS = {"float", "int"}
PLACED = {"at", "at_global"}  # numbers may be formulas of parameters, which the model reads


def words(annotation):
    """Members of a union as an annotation lists them."""
    text = expanded(annotation) if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    out, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and depth == 0:
            out.append("")
        else:
            out[-1] += letter
    return {part.strip().strip("'\"") for part in out}


def forbidden(name, parameter):
    """Values of kinds that an annotation excludes."""
    allowed = words(parameter.annotation)
    if parameter.annotation is inspect.Parameter.empty or allowed & {"Any", "object", "ArrayLike"}:
        return []
    values, kinds = [object(), Ellipsis], allowed - {"None"}
    if "None" not in allowed and parameter.default is not None and parameter.kind is not parameter.VAR_POSITIONAL:
        values.append(None)
    if kinds <= {"bool"}:
        values += ["no", 1, 0, "", np.array([True])]
    elif kinds <= NUMBERS:
        texts = [] if name.rpartition(".")[2] in PLACED else ["x"]
        values += [*texts, b"1", True, math.nan, [], {}, 1j, np.zeros(2)]
        values += [2.5, "1", math.inf] if kinds == {"int"} else []
    elif kinds <= {"str"}:
        values += [1, True, b"x", ["x"], {}, len]
    elif all(kind.startswith("Literal") for kind in kinds):
        values += [1, True, b"x", ["x"], "no such word", ""]
    elif all(kind.startswith("Mapping") for kind in kinds):
        values += [1, "x", ["x"], len, True]
    elif all(kind.startswith(("Sequence", "Iterable", "tuple")) for kind in kinds):
        values += [1, len, 1.5, True]
    elif any("Path" in kind for kind in kinds):
        values += [1, ["x"], b"x", 1.5, True, {}]
    return values


def shown(value):
    try:
        return repr(value)[:60]
    except Exception:
        return type(value).__name__


def attempt(entry, key, value):
    """What a call returns, or the error that it raises; nothing else may come out, also when the result is used."""
    try:
        made = entry.call(**{key: value})
        repr(made), str(made)
    except TrammelError as error:
        text = str(error)
        assert text.strip() and len(text) <= 2000
        return error
    except Exception as error:
        raise AssertionError(f"{entry}({key}={shown(value)}): {type(error).__name__}: {error}") from error
    finally:
        plt.close("all")
    if entry.use is not None:
        try:
            entry.use(made)
        except TrammelError:
            pass
        except Exception as error:
            raise AssertionError(f"{entry}({key}={shown(value)}), used: {type(error).__name__}: {error}") from error
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry_points.put_files(tmp_path)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("entry", ALL, ids=str)
def test_every_option_with_wrong_values(entry, folder):
    hostile = HOSTILE + (HUGE if entry in QUICK else [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = attempt(entry, *next(iter(entry.arguments().items()), ("", entry_points.OMITTED)))
        assert not isinstance(made, TrammelError), f"the sound call: {made}"
        for key, parameter in entry.options.items():
            several = parameter.kind is parameter.VAR_POSITIONAL
            for value in hostile:
                if (callable(value) and "Callable" in str(parameter.annotation)) or key in (
                    "callback",
                    "model_at",
                    "linear_at",
                ):
                    continue  # what such a function raises is its own
                attempt(entry, key, (value,) if several else value)
            for value in forbidden(entry.name, parameter):
                error = attempt(entry, key, (value,) if several else value)
                assert isinstance(error, TrammelError), f"{entry}({key}={shown(value)}) is accepted"


def test_unknown_missing_and_surplus_arguments_are_named(folder):
    for entry in ALL:
        if (
            any(p.kind is p.VAR_KEYWORD for p in inspect.signature(entry.take()).parameters.values())
            or not entry.options
        ):
            continue
        try:
            entry.call(no_such_option=1)
        except TrammelError as error:
            assert "no_such_option" in str(error), entry
        except TypeError as error:
            assert "no_such_option" in str(error), entry  # Python's own sentence names it too
        else:
            raise AssertionError(f"{entry} takes any name")


# --- completeness --------------------------------------------------------------------------------------------------------

MADE = {
    "Theme",  # made by replace() of a theme  # classes that calls return: nobody calls their constructors
    "Body",
    "Constraint",
    "Expression",
    "FileProblem",
    "Force",
    "Marker",
    "Point",
    "Quantity",
    "Robot",
    "SpatialBody",
}
LISTS = {
    "constraint_types",
    "force_types",
    "spatial_constraint_types",
    "spatial_force_types",
    "formulations",
    "methods",
    "treatments",
}
INSIDE = {  # for those who write joints, with values that were checked
    "angle_named",
    "body_of",
    "check_at",
    "curve_named",
    "different_bodies",
    "drawn_value",
    "is_body",
    "joint",
    "law_input",
    "oriented",
    "place",
    "scalar",
    "shown",
    "spoken",
    "table_named",
    "two_points",
    "vector",
    "marker_global",
    "local_direction",
    "again",
    "placed_at",
}
PLANE = {"beam", "disc"}  # a model in space rejects them
NAMED = {entry.name for entry in ALL}


TOOLBOXES = ("inertia", "rotations", "synthesis")


def test_every_public_function_takes_part():
    found = []
    for space in (tm, tm.curves, tm.functions, tm.profiles, tm.textbook):
        for name in space.__all__:
            thing = getattr(space, name)
            made_by_users = inspect.isclass(thing) and not issubclass(thing, BaseException | Warning)
            if made_by_users or (inspect.isfunction(thing) and inspect.signature(thing).parameters):
                found.append(name)
    missing = [name for name in found if name not in NAMED | MADE | LISTS]
    for title, module in (*((each, getattr(tm, each)) for each in TOOLBOXES), ("linear", tm.textbook.linear)):
        missing += [
            f"{title}.{name}"
            for name in module.__all__
            if inspect.isfunction(getattr(module, name)) and f"{title}.{name}" not in NAMED
        ]
    assert not missing


@pytest.mark.parametrize(
    "owner", [tm.PlanarModel, tm.SpatialModel, tm.results.Result], ids=lambda owner: owner.__name__
)
def test_every_method_takes_part(owner):
    registered = {kind.kind for kind in TYPES}
    missing = []
    for name, thing in inspect.getmembers(owner):
        plain = name.startswith("_") or not callable(thing) or len(inspect.signature(thing).parameters) < 2
        verb = any(isinstance(vars(each).get(name), Verb) for each in owner.__mro__)
        if (
            not (plain or name in registered | INSIDE | (PLANE if owner is tm.SpatialModel else set()))
            and (name if verb else f"{owner.__name__}.{name}") not in NAMED
        ):
            missing.append(name)
    assert not missing


INTERNAL = {  # methods of returned objects that other parts of the package call
    "Analysis.with_options", "InitialConditions.with_values", "Method.advice", "Method.contradiction", "Method.with_options",
    "ConversionReport.add", "ConversionReport.sentence",
    "Event.plain", "Formulation.cannot", "Formulation.conflict", "Formulation.needs", "Pose.at",
    "Pose.near", "Sample.of", "Sample.unit", "FourBar.drawn", "FourBar.driven_model", "FourBar.visiting", "SliderCrank.drawn",
    "SliderCrank.driven_model", "SliderCrank.visiting",
}  # fmt: skip


def test_every_method_of_returned_objects_takes_part(folder):
    """Designs, series, comparisons: the classes of all objects that sound calls return, and of the members of lists."""
    missing = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for entry in ALL:
            made = entry.call()
            for each in made[:3] if isinstance(made, tuple | list) else [made]:
                owners = type(each).__mro__
                if not type(each).__module__.startswith("pytrammel") or isinstance(
                    each, tm.Expression | tm.PlanarModel | tm.SpatialModel
                ):
                    continue
                for name, thing in inspect.getmembers(
                    type(each), lambda x: inspect.isroutine(x) and not inspect.ismethoddescriptor(x)
                ):
                    known = NAMED | INTERNAL
                    if (
                        name.startswith("_")
                        or name in INSIDE
                        or any(f"{owner.__name__}.{name}" in known for owner in owners)
                    ):
                        continue
                    if len(inspect.signature(thing).parameters) > 1:
                        missing.add(f"{type(each).__name__}.{name}")
    plt.close("all")
    assert not missing


# --- options that would have no effect -----------------------------------------------------------------------------------

UNUSED = {
    "kind of a closed curve through points": (
        lambda: tm.curves.cartesian_table((0, 1, 1), (0, 0, 1), closed=True, kind="natural"),
        "kind='natural'",
    ),
    "kind of a closed curve by angles": (
        lambda: tm.curves.polar_table((0, 2, 4, math.tau), (1, 2, 1.5, 1), kind="cubic"),
        "kind='cubic'",
    ),
    "data of a gradient": (
        lambda: entry_points.crank().gradient("max(P.y)", 0.1, analysis="kinematics", data={"c": 1.0}),
        "data 'c'",
    ),
    "data of a function with gradient": (
        lambda: entry_points.crank().value_and_grad("max(P.y)", 0.1, data={"c": 1.0}),
        "data 'c'",
    ),
    "data of an optimum": (
        lambda: entry_points.crank().optimize(minimize="max(P.y)", duration=0.1, data={"c": 1.0}),
        "data 'c'",
    ),
    "data of a front": (
        lambda: entry_points.crank().optimize(minimize=["max(P.y)", "-min(P.x)"], duration=0.1, data={"c": 1.0}),
        "data 'c'",
    ),
    "data of tolerances": (
        lambda: entry_points.crank().tolerances("max(P.y)", duration=0.1, data={"c": 1.0}),
        "data 'c'",
    ),
    "side without a branch": (
        lambda: swing().continue_equilibrium("k", 1.5, 2.0, direction=-1),
        "direction=-1",
    ),
    "a base of particles": (lambda: tm.formulations.points(base="bob"), "base= belongs to joint variables"),
    "samples with a step": (lambda: swing().simulate(1.0, samples=5, output_step=0.1), "samples=5"),
}


@pytest.mark.parametrize("case", UNUSED)
def test_an_option_without_effect_is_an_error_that_names_it(case):
    call, words = UNUSED[case]
    with pytest.raises(tm.ModelError, match=words):
        call()


def test_data_that_one_formula_of_several_uses_are_accepted():
    found = entry_points.crank().gradient(
        ["max(P.y)", "max(P.x) - c"],
        0.1,
        analysis="kinematics",
        wrt=["r"],
        data={"c": 1.0},
        samples=3,
    )
    assert len(found) == 2


# --- formulations --------------------------------------------------------------------------------------------------------

BY_ALL = {
    "simulate": lambda m, f: m.simulate(0.01, samples=2, formulation=f, progress=False),
    "matrices": lambda m, f: m.matrices(formulation=f),
    "linearize": lambda m, f: m.linearize(formulation=f),
    "kinematics": lambda m, f: m.kinematics(0.01, samples=2, formulation=f, prescribed={"A.angle": "0.1*t"}),
    "inverse_dynamics": lambda m, f: m.inverse_dynamics(
        0.01, samples=2, formulation=f, prescribed={"A.angle": "0.1*t"}, actuators={"m": "A.angle"}
    ),
    "batch": lambda m, f: m.batch({"k": [1.0]}).simulate(
        0.01, samples=2, formulation=f, keep=["bob.x"], progress=False
    ),
}
STRANGE = ["nobody", 3, None, object(), "", ["nobody"], [3], ("A",), {"A": 7}, {"nobody": 1}, {"A": "x"}, True, 1.5]


@pytest.mark.parametrize("build", [swing, spatial], ids=["plane", "space"])
@pytest.mark.parametrize("name", ["joint", "points", "relative"])
def test_all_verbs_accept_and_reject_the_same_options_of_a_formulation(name, build):
    for option in tm.formulations[name].takes:
        for value in STRANGE:
            try:
                chosen = tm.formulations[name](**{option: value})
            except tm.ModelError as error:
                assert option in str(error)
                continue
            outcomes = {}
            for verb, call in BY_ALL.items():
                try:
                    call(build(), chosen)
                    outcomes[verb] = ""
                except TrammelError as error:
                    outcomes[verb] = str(error)
            known = {text for text in outcomes.values() if "does not work in formulation" not in text}
            assert len(known) == 1, f"{option}={shown(value)}: {outcomes}"


# --- the checker itself --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation, good, bad",
    [
        ("bool", [True, np.False_], [1, "no", None]),
        ("int", [3, np.int64(3), 3.0], [2.5, True, "3", math.inf, None]),
        ("float", [3, 2.5, np.float32(1.0), np.array(1.0)], [math.nan, math.inf, "1", b"1", True, None, [1.0]]),
        ("float | None", [None, 1.0], ["x"]),
        ("str", ["x"], [1, b"x", None]),
        ("Literal['a', 'b']", ["a"], ["c", 1, ["a"]]),
        ("Sequence[str]", [["x"], ("x",), iter(["x"]), np.array(["x"])], ["x", 1, [1], {"x": 1}]),
        ("Sequence[float] | NDArray[np.float64]", [[1.0], np.ones(2)], [np.array(1.0), ["x"], 1.0]),
        ("tuple[float, float]", [(1.0, 2.0), [1, 2], np.ones(2)], [(1.0,), "ab", {1: 2, 3: 4}]),
        ("Mapping[str, float]", [{"a": 1.0}], [{1: 1.0}, {"a": "x"}, [("a", 1.0)]]),
        ("str | PathLike[str]", ["x"], [1, b"x"]),
        ("Callable[[float], float]", [math.sin], [1.0, "sin"]),
        ("ArrayLike", [1.0, [1, 2], [[1.0]]], ["x", None, [[1], [1, 2]], [math.nan], object()]),
        ("Any", [object(), None], []),
    ],
)
def test_an_annotation_stands_for_its_check(annotation, good, bad):
    kind = kind_of(annotation, {"np": np, "NDArray": np.typing.NDArray, "__name__": __name__, **NAMES})
    for value in good:
        if kind is not None:
            kind.check(value, "it")
    for value in bad:
        with pytest.raises(tm.ModelError, match="it"):
            kind.check(value, "it")


# --- model files ---------------------------------------------------------------------------------------------------------

IN_FILES = ['"x"', '""', "-1", "2.5", "true", "nan", "[]", "{x = 1}", "[[1]]", "1979-05-27"]
LATER = {
    "cut_stiffness",
    "rotating",
    "hold",
    "initial",
    "prescribed",
    "actuators",
    "weights",
    "cut",
    "inputs",
    "outputs",
    "coordinates",
}
"""Names of what a model has, and words that depend on other options: a run reads them before its first step."""


@pytest.mark.parametrize("verb", ["simulate", "kinematics", "statics", "equilibrium", "linearize", "inverse_dynamics"])
def test_options_in_model_files_go_through_the_same_check(verb):
    model = swing() if verb in ("simulate", "equilibrium", "linearize") else entry_points.crank()
    for key in options(verb):
        for text in IN_FILES:
            value = tomllib.loads(f"value = {text}")["value"]
            usual = {"duration": 0.01, "samples": 3} if "duration" in options(verb) else {}
            given = {key: value} if key == "times" else {**usual, key: value}
            model.analyses = {"one": {"type": verb, **given}}
            errors = [finding.sentence for finding in _analyses(model)]
            try:
                getattr(model, verb)(**given)
            except TrammelError as error:
                assert errors or key in LATER or "method" in key, f"{key} = {text} passes the check, but {error}"
            else:
                assert not errors, f"{key} = {text} runs, but {errors}"
