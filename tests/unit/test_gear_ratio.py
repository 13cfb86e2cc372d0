"""The ratio of a pair of gears is that of the radii given."""

from __future__ import annotations

import pytest

import pytrammel as tm

pytestmark = pytest.mark.search


@pytest.mark.parametrize("radii", [(0.1, 0.2), (0.3, 0.07)])
@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("off", [0.0, 2e-4, -5e-4])
def test_centres_drawn_a_little_off_do_not_change_the_ratio(off, internal, radii):
    first, second = radii
    apart = (abs(second - first) if internal else first + second) + off * (first + second)
    m = tm.PlanarModel("pair")
    for name, x in (("a", 0.0), ("b", apart)):
        m.body(name, position=(x, 0))
        m.revolute(f"pin_{name}", m.ground, name, at=(x, 0))
    m.gear("mesh", "a", "b", radii=radii, internal=internal)
    m.driver("motor", m["a"].phi, "t")
    r = m.kinematics(1.0, samples=3)
    ratio = first / second if internal else -first / second
    assert r["b"].omega == pytest.approx([ratio] * 3, rel=1e-12)
