"""The iterations of Newton's method in assembly and kinematics, and the plain method with its failures."""

import math
import pickle

import numpy as np
import pytest

import pytrammel as tm
from mechanisms import four_bar
from pytrammel.examples import rssr

pytestmark = pytest.mark.search

SAME = 1e-12  # both end at rounding level


def kap_four_bar(half=2.0):
    """Run A of the program KAP: the estimates are off by a few hundredths; `half` is half the length of the coupler."""
    m = tm.PlanarModel("four-bar")
    m.body("crank", position=(0.5, 0.8), angle=1.047)
    m.body("coupler", position=(2.6, 2.6), angle=0.5)
    m.body("rocker", position=(3.5, 1.8), angle=1.0)
    m.revolute("O", m.ground.at(0, 0), m["crank"].at(-1, 0))
    m.revolute("A", m["crank"].at(1, 0), m["coupler"].at(-half, 0))
    m.revolute("B", m["coupler"].at(half, 0), m["rocker"].at(2, 0))
    m.revolute("C", m["rocker"].at(-2, 0), m.ground.at(2.5, 0))
    m.driver("motor", m["crank"].phi, "1.0472 + 6.2832*t")
    return m


def by_hand(q):
    """Residuals and Jacobian of the same four-bar, written down from the book's equations (2.1 of the digest)."""
    x1, y1, p1, x2, y2, p2, x3, y3, p3 = q
    c1, s1, c2, s2, c3, s3 = (f(p) for p in (p1, p2, p3) for f in (math.cos, math.sin))
    phi = [
        x1 - c1, y1 - s1, x1 + c1 - x2 + 2 * c2, y1 + s1 - y2 + 2 * s2,
        x2 + 2 * c2 - x3 - 2 * c3, y2 + 2 * s2 - y3 - 2 * s3, x3 - 2 * c3 - 2.5, y3 - 2 * s3, p1 - 1.0472,
    ]  # fmt: skip
    J = np.zeros((9, 9))
    J[0, [0, 2]], J[1, [1, 2]] = (1, s1), (1, -c1)
    J[2, [0, 2, 3, 5]], J[3, [1, 2, 4, 5]] = (1, -s1, -1, -2 * s2), (1, c1, -1, 2 * c2)
    J[4, [3, 5, 6, 8]], J[5, [4, 5, 7, 8]] = (1, -2 * s2, -1, 2 * s3), (1, 2 * c2, -1, -2 * c3)
    J[6, [6, 8]], J[7, [7, 8]], J[8, 2] = (1, 2 * s3), (1, -2 * c3), 1
    return np.array(phi), J


def test_plain_assembly_is_newtons_method_by_hand():
    found = kap_four_bar().assemble(newton="full")
    q = np.array([0.5, 0.8, 1.047, 2.6, 2.6, 0.5, 3.5, 1.8, 1.0])
    for k in range(found.iterations + 1):
        phi, J = by_hand(q)
        assert found.history.values[k] == pytest.approx(q, abs=SAME)
        assert np.abs(found.history.residuals[k]) == pytest.approx(np.abs(phi), abs=SAME)
        q = q - np.linalg.solve(J, phi)
    assert found.iterations == found.history.iterations == len(found.history.values) - 1
    assert 0.0 <= found.residual < SAME  # that of the last estimate
    assert found.history.order == pytest.approx(2, abs=0.4)


@pytest.mark.parametrize("build", [kap_four_bar, rssr.build])
def test_damped_and_plain_assembly_end_in_the_same_place(build):
    damped, plain = build().assemble(time=0.1), build().assemble(time=0.1, newton="full")
    assert plain.q == pytest.approx(damped.q, abs=1e-10)


def test_the_history_of_an_assembly_ends_where_the_assembly_does():
    for build in (kap_four_bar, rssr.build):
        found = build().assemble(time=0.1)
        h = found.history
        assert h.iterations == found.iterations
        assert h.values[-1] == pytest.approx(found.q, abs=SAME)
        assert h.sizes[-1] == pytest.approx(found.residual, abs=SAME)
        assert h.sizes[0] > 1e-3


def test_the_history_starts_at_the_try_that_succeeded():
    m = tm.PlanarModel("straight chain")
    m.body("a", position=(0.5, 0))
    m.body("b", position=(1.5, 0))
    m.revolute("O", "ground", "a", at=(0, 0))
    m.revolute("A", "a", "b", at=(1, 0))
    m.constrain("x", m["b"].at(0.5, 0).x, value=1.8)
    found = m.assemble()
    assert found.tries > 1
    assert found.history.values[-1] == pytest.approx(found.q)
    with pytest.raises(tm.AssemblyError, match=r"singular position .* no small motion corrects") as caught:
        m.assemble(newton="full")
    assert caught.value.partial.sizes[0] > 0.01


def test_the_plain_method_does_not_pretend_that_open_loops_close():
    with pytest.raises(tm.AssemblyError, match=r"without damping, .*largest residuals were") as caught:
        kap_four_bar(half=4.5).assemble(newton="full")  # 9 m of coupler for 8.5 m in all
    assert caught.value.partial.iterations > 5
    assert np.nanmin(caught.value.partial.sizes) > 1e-3


def frame(gap):
    """A bar on two pins, and a second one beside it whose pins are `gap` further apart: redundant if that is zero."""
    m = tm.PlanarModel("frame")
    m.body("a", position=(0.0, 1e-3))
    m.body("b", position=(0.0, -1e-3))
    for body, y in (("a", 1.0), ("b", -1.0)):
        m.revolute(f"{body}1", m.ground.at(0, y), m[body].at(0, y))
    for body, y, wide in (("a", 1.0, 0.0), ("b", -1.0, gap)):
        m.revolute(f"{body}2", m.ground.at(2 + wide, y), m[body].at(2, y))
    return m


def test_redundant_rows_that_the_drawing_violates_are_no_singularity():
    found = frame(0.0).assemble(newton="full")
    assert found.q == pytest.approx(np.zeros(6), abs=1e-9)


def test_contradictions_cannot_be_corrected():
    with pytest.raises(tm.AssemblyError, match=r"contradicting each other, and no small motion corrects b. row 1"):
        frame(0.01).assemble(newton="full")


def test_conditions_need_the_damped_method():
    with pytest.raises(tm.ModelError, match="remove initial= and hold=, or use newton='damped'"):
        kap_four_bar().assemble(newton="full", hold=["crank.phi"])


def test_an_assembly_with_a_history_travels():
    found = kap_four_bar().assemble()
    assert pickle.loads(pickle.dumps(found)).history.sizes == pytest.approx(found.history.sizes)


# --- kinematics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [kap_four_bar, rssr.build])
def test_the_plain_method_follows_the_same_motion_with_small_steps(build):
    default, plain = (build().kinematics(0.3, samples=31, newton=n) for n in ("damped", "full"))
    assert plain.q == pytest.approx(default.q, abs=1e-10)
    assert plain.a == pytest.approx(default.a, rel=1e-9, abs=1e-9 * np.abs(default.a).max())
    assert len(plain.histories) == 31 and default.histories == ()
    assert list(plain.newton_iterations) == [h.iterations for h in plain.histories]


def test_a_prescribed_coordinate_is_followed_plainly_too():
    m = kap_four_bar()
    plain = m.kinematics(0.2, samples=11, newton="full", prescribed={"crank.phi": "1.0472 + 6.2832*t"})
    assert plain.q == pytest.approx(m.kinematics(0.2, samples=11).q, abs=1e-10)


def test_the_plain_method_fails_beyond_a_dead_point_with_what_it_found():
    # double rocker of problem 5.3, driven at AB: AB reaches 125.6853 degrees
    m = four_bar(2.1, 0.8, 2.5, 1.6, crank=1.5)
    with pytest.raises(tm.ConvergenceError, match=r"without damping.*Take smaller steps.* 14 of 60 instants") as caught:
        m.kinematics(3.0, samples=60, newton="full")
    partial = caught.value.partial
    assert len(partial) == 14 and len(partial.histories) == 15
    assert math.degrees(partial["crank"].phi[-1]) < 125.6853


def test_a_change_of_branch_is_warned_of():
    # problem 5.5, a change point at every revolution: long steps leap to the other branch, short ones do not
    m = four_bar(1.2, 1.4, 1.6, 1.0, crank=1.0)
    with pytest.warns(tm.RunWarning, match="changed to another branch"):
        leaping = m.kinematics(4 * math.pi, samples=15, newton="full")
    assert leaping.warnings[0].kind == "branch"
    kept = m.kinematics(4 * math.pi, samples=15)
    assert abs(leaping.q[-1] - kept.q[-1]).max() > 1.0
    assert m.kinematics(4 * math.pi, samples=401, newton="full").q[-1] == pytest.approx(kept.q[-1], abs=1e-6)


def test_redundant_rows_do_not_disturb_the_plain_method():
    m = four_bar(1.0, 2.0, 1.0, 2.0, crank=1.2)
    m.body("second", position=(0.2, 0.4))
    m.revolute("E", "crank", "second", at=tuple(m["crank"].at(0.1, 0).drawn))
    m.revolute("F", "rocker", "second", at=tuple(m["rocker"].at(0.1, 0).drawn))
    default, plain = (m.kinematics(0.5, samples=11, newton=n) for n in ("damped", "full"))
    assert plain.redundant == default.redundant != ()
    assert plain.q == pytest.approx(default.q, abs=1e-9)


def test_phases_are_refused():
    m = four_bar(2, 4, 4, 2.5, crank=1.0)
    m.phase("one", active=["motor"])
    m.phase("two", active=["motor"])
    m.switch("S", "one", "two", when="t - 0.1")
    with pytest.raises(tm.ModelError, match="would miss the switches"):
        m.kinematics(1.0, newton="full")
