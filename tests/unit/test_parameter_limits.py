"""Bounds and tolerances of parameters: said, checked, kept and shown."""

import math
from pathlib import Path

import pytest

import pytrammel as tm
from pytrammel.io.models.schema import schema


def pendulum(**said: object) -> tm.PlanarModel:
    m = tm.PlanarModel("pendulum")
    length = m.parameter("length", "250 mm", **said)  # type: ignore[arg-type]
    rod = m.body("rod", position=(length / 2, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, rod, at=(0, 0))
    return m


def test_bounds_and_tolerances_are_read_with_their_units() -> None:
    p = pendulum(bounds=("100 mm", 0.5), tolerance="0.1 mm").parameters["length"]
    assert p.bounds == (0.1, 0.5)
    assert p.tolerance == pytest.approx((1e-4, 1e-4), rel=1e-15)
    assert pendulum(bounds=(None, 1)).parameters["length"].bounds == (-math.inf, 1.0)
    assert pendulum(tolerance=(0.001, "2 mm")).parameters["length"].tolerance == (0.001, 0.002)
    assert pendulum().parameters["length"].bounds == (-math.inf, math.inf)
    assert pendulum().parameters["length"].tolerance is None


def test_a_percentage_is_one_of_the_value_and_follows_it() -> None:
    m = pendulum(tolerance="2 %")
    assert m.parameters["length"].tolerance == pytest.approx((0.005, 0.005), rel=1e-14)
    assert m.with_parameters(length=0.5).parameters["length"].tolerance == pytest.approx((0.01, 0.01), rel=1e-14)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"bounds": (0.5, 0.1)}, "bounds of parameter 'length' are the wrong way round: 0.5 and 0.1"),
        ({"bounds": (0.25, "250 mm")}, "bounds of parameter 'length' are both 0.25"),
        ({"bounds": (0.3, 0.5)}, "parameter 'length' is 0.25, below its lower bound 0.3"),
        ({"bounds": (None, "10 cm")}, "parameter 'length' is 0.25, above its upper bound 0.1"),
        ({"bounds": 0.5}, "must be two numbers"),
        ({"bounds": (0.1, 0.2, 0.3)}, "must be two numbers"),
        ({"bounds": ("1 kg", None)}, "the lower bound of parameter 'length' is '1 kg', a mass [kg]; it must be a length [m]"),
        ({"bounds": ("wide", None)}, "must be a number, alone or with a unit"),
        ({"bounds": (math.nan, None)}, "is nan"),
        ({"tolerance": -0.1}, "must not be negative"),
        ({"tolerance": 0}, "tolerance of parameter 'length' is 0"),
        ({"tolerance": (1, 2, 3)}, "a number or two (minus, plus)"),
        ({"tolerance": "1 s"}, "it must be a length"),
        ({"tolerance": True}, "must be a number"),
        ({"tolerance": math.inf}, "is inf"),
    ],
)  # fmt: skip
def test_limits_that_cannot_be_are_refused(said: dict[str, object], told: str) -> None:
    with pytest.raises(tm.ModelError) as caught:
        pendulum(**said)
    assert told in str(caught.value)


def test_other_values_stay_within_the_bounds_and_copies_keep_them() -> None:
    m = pendulum(bounds=("0.1 m", "0.5 m"), tolerance=0.001)
    for twin in (m.copy(), m.with_parameters(length=0.3)):
        assert twin.parameters["length"].bounds == (0.1, 0.5)
        assert twin.parameters["length"].tolerance == (0.001, 0.001)
    with pytest.raises(tm.ModelError, match=r"parameter 'length' is 0.6, above its upper bound 0.5"):
        m.with_parameters(length="600 mm")


def test_a_parameter_that_follows_others_has_bounds_but_no_tolerance_of_its_own() -> None:
    m = pendulum()
    m.parameter("half", "length/2", bounds=(0, 0.2))
    with pytest.raises(tm.ModelError, match=r"parameter 'half' is 0.25, above its upper bound 0.2"):
        m.with_parameters(length=0.5)
    with pytest.raises(tm.ModelError, match="its tolerance from what stands there"):
        m.parameter("third", "length/3", tolerance=0.1)
    m.parameter("other", 0.1, tolerance=0.01)
    assert m.with_parameters(other="length/2").parameters["other"].tolerance is None


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_files_keep_them_as_they_were_said(tmp_path: Path, kind: str) -> None:
    m = pendulum(bounds=("100 mm", None), tolerance=(0.001, "2 mm"), note="of the rod")
    m.parameter("mass", 2.0, bounds=[1, 3], tolerance="5 %")
    m.point("P", "rod", at=("mass", 0))
    again = tm.load(m.save(tmp_path / f"pendulum.{kind}"))
    assert again.parameters == m.parameters
    with pytest.raises(tm.FileFormatError, match="parameter 'mass' is 5, above its upper bound 3"):
        tm.load(tmp_path / f"pendulum.{kind}", parameters={"mass": 5.0})


def test_wrong_limits_in_a_file_are_told_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(
        'format = 1\n[parameters]\na = {value = 1, bounds = [2, 1]}\nb = {value = 1, bound = [0, 2]}\nc = {value = 1, tolerance = "x"}\n',
        encoding="utf-8",
    )
    with pytest.raises(tm.FileFormatError) as caught:
        tm.load(file)
    told = str(caught.value)
    assert "line 3" in told
    assert "wrong way round" in told
    assert "no entry 'bound'; it has: value, note, bounds, tolerance" in told
    assert "line 5" in told


def test_the_schema_knows_them() -> None:
    for kind in schema()["oneOf"]:
        entry = kind["properties"]["parameters"]["additionalProperties"]["anyOf"][1]
        assert entry["properties"].keys() == {"value", "bounds", "tolerance", "note"}


def test_they_are_shown_wherever_parameters_are() -> None:
    m = pendulum(bounds=(0.1, 0.5), tolerance="1 mm", note="of the rod")
    assert "parameter length = 250 mm = 0.25 ± 0.001, bounds 0.1 … 0.5 (of the rod)" in str(m)
    page = m._repr_html_()
    assert "0.1 … 0.5" in page
    assert "± 0.001" in page
    assert pendulum(bounds=(0.1, None)).parameters["length"].limits == ("≥ 0.1", "")
    assert pendulum(bounds=(None, 0.5), tolerance=(0.1, 0.2)).parameters["length"].limits == ("≤ 0.5", "- 0.1 + 0.2")
