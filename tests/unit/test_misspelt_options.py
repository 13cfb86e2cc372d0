"""A misspelt option of any entry point is answered with the right one, and a word that means something else with none."""

from __future__ import annotations

import inspect
import operator
import string
from random import Random

import pytest

import pytrammel as tm
from pytrammel._util.messages import edits, nearest


def crank():
    m = tm.PlanarModel("crank")
    m.parameter("arm", 0.1, bounds=(0.05, 0.2))
    m.body("b", position=("arm", 0.0), mass=1.0, inertia=0.01)
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.driver("D", "A.angle", "2*t")
    return m


MODEL = crank()
BATCH = MODEL.batch({"arm": [0.1, 0.11]})
RESULT = MODEL.kinematics(0.1, samples=3, progress=False)
VERBS = [
    "assemble", "mobility", "partition", "kinematics", "simulate", "statics", "inverse_dynamics", "equilibrium", "equilibria", "linearize",
    "matrices", "terms", "potential_energy", "gradient", "value_and_grad", "batch", "trim", "continue_equilibrium", "live", "linkage",
    "assembly_modes", "working_modes", "inverse_kinematics", "workspace", "manipulability", "time_optimal",
]  # fmt: skip
SEARCHES = {"optimize": (), "tolerances": ("A.angle[end]",), "identify": ({},)}
NEEDED = {
    "textbook.solve": (["x = 1"], {"x": 0.0}), "textbook.integrate": ({"x": "1"}, {"x": 0.0}, 1.0),
    "textbook.compare_formulations": (MODEL,), "textbook.compare_methods": ("x' = 1", {"x": 0.0}, 1.0),
    "load": ("m.toml",), "load_robot": ("r.urdf",), "read_robot": ("r.urdf",), "resume": ("r.trammel",),
    "profiles.motion": (), "profiles.polynomial": (), "profiles.harmonic_motion": (), "profiles.rise": (), "profiles.fall": (),
    "profiles.constant_acceleration": (), "functions.spline": (), "functions.Table": ("x",),
    "curves.circle": (), "curves.analytic": (), "curves.line": (), "curves.helix": (), "curves.space_spline": (),
    "curves.space_analytic": (), "curves.cartesian_table": (), "curves.polar_table": (),
    "methods.generalized_alpha": (), "methods.hht": (), "methods.multistep": ([1.0, 1.0], [1.0]), "methods.runge_kutta": ([[]], [1]),
    "Event": ("e", "t"), "Experiment": ({},), "PlanarModel": ("p",), "SpatialModel": ("s",), "Box": (), "Sphere": (), "Cylinder": (),
    "sample": (3,), "save_curves": ("c.svg",), "meet": (0j, 1j, 1.0),
}  # fmt: skip
ENTRIES = {
    **{f"m.{name}": (getattr(MODEL, name), getattr(tm.PlanarModel, name), ()) for name in VERBS},
    **{f"m.{name}": (getattr(MODEL, name), getattr(MODEL, name), given) for name, given in SEARCHES.items()},
    **{f"tm.{name}": (operator.attrgetter(name)(tm),) * 2 + (given,) for name, given in NEEDED.items()},
    **{
        f"batch.{name}": (getattr(BATCH, name), getattr(BATCH, name), ())
        for name in ("kinematics", "simulate", "equilibrium")
    },
    **{f"m.{name}(...)": (getattr(MODEL, name),) * 2 + (("it",),) for name in ("revolute", "spring", "contact_line")},
    "m.parameter(...)": (MODEL.parameter,) * 2 + (("it", 1.0),),
}


def options(entry):
    function = ENTRIES[entry][1]
    skipped = ("self", "model", "name")
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = 0 if entry.startswith("m.") else len(ENTRIES[entry][2])
    parameters = list(inspect.signature(function).parameters.items())[count:]
    return [key for key, p in parameters if p.kind in kinds and key not in skipped]


def misspelt(word, distance, random):
    """A word with so many edits: letters changed, inserted, removed or exchanged with their neighbours."""
    for _ in range(distance):
        k, letter = random.randrange(len(word)), random.choice(string.ascii_lowercase)
        word = random.choice(
            [
                word[:k] + letter + word[k + 1 :],
                word[:k] + letter + word[k:],
                word[:k] + word[k + 1 :],
                word[:k] + word[k + 1 : k + 2] + word[k : k + 1] + word[k + 2 :],
            ]
        )
    return word


def test_the_list_of_entry_points_is_long():
    assert len(ENTRIES) > 45 and sum(len(options(entry)) for entry in ENTRIES) > 150


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_misspelt_option_is_answered_with_the_nearest_one(entry):
    call, _, given = ENTRIES[entry]
    names = options(entry)
    for name in names:
        for distance in (1, 2):
            if len(name) < 3 * distance:
                continue  # a short word is as near to any other
            wrong = misspelt(name, distance, Random(f"{entry}{name}{distance}"))
            if (
                wrong in names
                or not wrong.isidentifier()
                or edits(wrong, name, 9) > distance
                or len(wrong) < 2 * distance
            ):
                continue
            with pytest.raises(tm.ModelError) as raised:
                call(*given, **{wrong: 1})
            text = str(raised.value)
            assert f"{wrong!r}" in text, (name, wrong)
            found = text.partition("Did you mean '")[2].partition("'")[0]
            assert found, (name, wrong, text)
            assert edits(wrong, found, 9) <= edits(wrong, name, 9), (name, wrong)


@pytest.mark.parametrize("entry", ["m.optimize", "m.identify", "m.tolerances"])
def test_options_of_the_analysis_of_a_search_are_suggested_where_they_belong(entry):
    call, _, given = ENTRIES[entry]
    for wrong, right in (("start_tmie", "start_time"), ("anaylsis", "analysis"), ("varaibles", "variables")):
        with pytest.raises(tm.ModelError, match=f"{entry[2:]} has no option '{wrong}'.*Did you mean '{right}'"):
            call(*given, **{wrong: 1})
    with pytest.raises(
        tm.ModelError, match=r"no option 'start_time'\. Use analysis=tm\.Analysis\('\w+', \.\.\., start_time="
    ):
        call(*given, start_time=1.0)


def test_a_misspelt_iterations_of_optimize_is_not_answered_with_duration():
    with pytest.raises(tm.ModelError, match=r"'max_itterations'.*Did you mean 'max_iterations'"):
        MODEL.optimize(minimize="A.angle[end]", max_itterations=5, duration=1.0)


@pytest.mark.parametrize("word", ["itterations", "colour", "verbose", "x", "gravity", "integrator"])
def test_a_word_that_is_no_misspelling_gets_no_suggestion(word):
    known = options("m.kinematics")
    assert nearest(word, known) is None
    with pytest.raises(tm.ModelError) as raised:
        MODEL.kinematics(1.0, **{word: 1})
    assert "Did you mean" not in str(raised.value)


@pytest.mark.parametrize(
    "one, other, count",
    [("", "", 0), ("a", "", 1), ("abc", "acb", 1), ("kitten", "sitting", 3), ("ca", "abc", 3), ("same", "same", 0)],
)
def test_edits_are_counted_as_in_the_literature(one, other, count):
    """Optimal string alignment distance; kitten–sitting is Levenshtein's example, ca–abc that of Damerau's restricted form."""
    assert edits(one, other, 9) == edits(other, one, 9) == count
    assert edits(one, other, 0) == min(count, 1)


@pytest.mark.parametrize("name", ["t", "z", "q"])
def test_a_single_letter_does_not_stand_for_another_one(name):
    m = tm.PlanarModel("spring")
    m.parameter("k", 100.0)
    with pytest.raises(tm.ModelError, match=rf"'{name}' is no parameter") as raised:
        m.body("b", mass=f"2*{name}")
    assert "Did you mean" not in str(raised.value)
    assert nearest("K", ["k", "m"]) == "k"
