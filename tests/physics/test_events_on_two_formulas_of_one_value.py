"""Two events whose formulas are the same number, computed in two ways, act at one time."""

import pytest

import pytrammel as tm
from pytrammel.analysis.events.from_results import FromResults


@pytest.mark.parametrize("level", [0.3, 0.5])
def test_events_that_differ_by_rounding_are_located_with_few_evaluations(level, monkeypatch):
    """The state z integrates the rate of the angle; each search between both events took 4000 evaluations, 20 times."""
    calls = []
    value = FromResults.value
    monkeypatch.setattr(FromResults, "value", lambda self, time, y: calls.append(time) or value(self, time, y))
    m = tm.PlanarModel("p")
    m.body("b", position=(0.5, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.torsion_spring("S", first="ground", second="b", stiffness=2.0, damping=0.1)
    m.state("z", "A.angle.rate")
    events = [tm.Event("e", f"z + {level}"), tm.Event("f", f"A.angle + {level}")]
    r = m.simulate(0.6, samples=3, events=events, progress=False)
    alone = m.simulate(0.6, samples=3, events=events[1:], progress=False)
    assert sorted(e.name for e in r.events) == ["e", "f"]
    for event in r.events:  # z and the angle agree to the tolerance of the run
        assert event.time == pytest.approx(alone.events[0].time, abs=1e-8)
    assert len(calls) < 15000
