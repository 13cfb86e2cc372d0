"""The same motion in every formulation that can hold a model, side by side."""

from __future__ import annotations

import pytest

import dynamic_models as plane
import pytrammel as tm
import spatial_models as space


def test_every_formulation_that_can_hold_a_chain_is_as_accurate_as_asked_and_as_large_as_it_should_be(tmp_path):
    m = plane.chain([0.3, 0.9, 1.5])
    c = tm.textbook.compare_formulations(m, 0.5, tolerances=[1e-5, 1e-8], progress=False)
    known = [name for name in tm.formulations if name not in ("auto", "III")]
    assert sorted([*c.formulations, *c.refused]) == sorted(known)
    assert set(c.refused) == {"I", "II"}
    assert "no Euler parameters" in c.refused["I"]
    # three bodies: 9 coordinates and speeds, two rows per pin; three angles and rates along the tree
    assert c.sizes["cartesian"] == (18, 6)
    assert c.sizes["joint"] == (6, 0)
    for name in c.formulations:
        loose, tight = c.of(name)
        assert tight.error < loose.error < 1e-3
        assert tight.error < 1e-6
        assert tight.steps > loose.steps
    assert c.of("joint")[0].drift == 0.0 < c.of("cartesian")[0].drift
    text = str(c)
    assert "numbers" in text and "I: formulation='I' cannot be had here" in text
    assert len(c.plot(tmp_path / "c.svg")) == 2


def test_loops_in_space_have_as_many_rows_as_each_formulation_needs():
    c = tm.textbook.compare_formulations(
        space.bricard(),
        0.3,
        formulations=["II", "cartesian", tm.formulations.joint(form="bodies"), "points"],
        tolerances=[1e-8],
        progress=False,
    )
    # five moving bodies, one of six hinges is cut; of its five rows one is redundant
    assert c.formulations == ("II", "cartesian", "joint(form='bodies')", "points")
    assert c.sizes["cartesian"][1] == 29 and c.sizes["joint(form='bodies')"][1] == 4
    assert c.sizes["points"][1] > 0
    assert max(t.error for t in c.trials) < 1e-6


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"formulations": "joint"}, "must be a list"),
        ({"formulations": [3]}, "must be a text or a Formulation, but it is 3"),
        ({"formulations": ["joints"]}, "not known"),
        ({"formulations": []}, "is empty"),
        ({"tolerances": [0.0]}, "must be greater than 0"),
        ({"duration": 0.0}, "must be greater than 0"),
        ({"duration": None}, "duration"),
        ({"duration": None, "analysis": tm.Analysis("simulate", 0.1, formulation="joint")}, "Use formulations="),
        ({"duration": None, "analysis": tm.Analysis("simulate", 0.1, rtol=1.0)}, "which the comparison chooses"),
        ({"analysis": tm.Analysis("simulate", 0.1)}, "Remove duration="),
        ({"analysis": "simulate"}, "analysis"),
        ({"option": 1}, "has no option 'option'"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(tm.ModelError, match=said):
        tm.textbook.compare_formulations(plane.chain([0.3]), **{"duration": 0.1, "progress": False, **given})
