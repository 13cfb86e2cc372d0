"""Describing a model: names, places, copies, text, and sentences for bad input."""

from __future__ import annotations

import gc
import math
import weakref

import pytest

import pytrammel as tm


def crank_and_rod():
    m = tm.PlanarModel("slider-crank")
    crank = m.body("crank", position=(0.05, 0.0), mass=0.2, inertia=1e-3)
    rod = m.body("rod", position=(0.2, 0.0), points={"tip": (0.1, 0.0)})
    slider = m.body("slider", position=(0.3, 0.0))
    m.revolute("A", m.ground, crank, at=(0, 0))
    m.revolute("B", crank, rod, at=(0.1, 0))
    m.revolute("C", rod, slider, at=(0.3, 0))
    m.prismatic("T", m.ground, slider, at=(0.3, 0), axis=(1, 0))
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def test_points_can_be_given_in_body_or_global_coordinates_of_the_drawn_pose():
    m = tm.PlanarModel()
    b = m.body("b", position=(5.0, 2.0), angle=tm.deg(30))
    # Nikravesh prob. 4.2: r = (5, 2), phi = 30 deg, global point (6, 1.5) -> local (0.616025, -0.933013)
    p = m.point("Q", b, at=(6.0, 1.5))
    assert (p.xi, p.eta) == (pytest.approx(0.616025, abs=5e-7), pytest.approx(-0.933013, abs=5e-7))
    q = m.point("R", b, local=(p.xi, p.eta))
    assert (q.x0, q.y0) == (pytest.approx(6.0, abs=1e-14), pytest.approx(1.5, abs=1e-14))


def test_everything_is_found_by_name():
    m = crank_and_rod()
    assert m["crank"].mass == 0.2
    assert m["A"].kind == "revolute"
    assert m["rod.tip"].body == "rod" and m["rod"]["tip"].xi == 0.1
    assert m.measure("T.distance").unit == "m"
    assert m["A"].angle.unit == "rad"
    assert "motor" in m and "nothing" not in m


def test_text_names_every_body_joint_and_driver():
    text = str(crank_and_rod())
    for word in ("slider-crank", "crank", "rod", "slider", "revolute A", "prismatic T", "driver motor", "2*pi*t"):
        assert word in text or word == "2*pi*t"
    assert "t" in text.split("driver motor")[1]


def test_a_copy_with_changes_leaves_the_original_alone():
    m = crank_and_rod()
    twin = m.copy("longer", without=["motor"], changes={"crank": {"mass": 0.5}, "B": {"second": m["rod"].at(-0.15, 0)}})
    assert twin["crank"].mass == 0.5 and m["crank"].mass == 0.2
    assert "motor" not in twin and "motor" in m
    assert twin["B"].parameters["second"].xi == -0.15
    assert str(m.copy()) == str(m)


@pytest.mark.parametrize("kind", sorted(tm.constraint_types()))
def test_every_constraint_type_survives_a_copy(kind):
    from pytrammel.joints.constraint import sample_arguments

    m = tm.PlanarModel()
    a, b, c = (m.body("a"), m.body("b", position=(2.0, 1.0), angle=0.4), m.body("c", position=(0.0, 3.0)))
    made = getattr(m, kind)("it", **sample_arguments(kind, a, b, c))
    again = m.copy()["it"]
    assert again.kind == made.kind and again.bodies == made.bodies and again.n_rows == made.n_rows
    for x, y in zip(made.blocks, again.blocks, strict=True):
        assert x.quantity.data == pytest.approx(y.quantity.data, abs=1e-15)
        assert [str(t) for t in x.targets] == pytest.approx([str(t) for t in y.targets])


def bad(match):
    return pytest.raises(tm.ModelError, match=match)


def test_unknown_names_get_a_suggestion():
    m = crank_and_rod()
    with bad(r"no body .*'cranck'.*Did you mean 'crank'"):
        m.revolute("X", "cranck", m.ground, at=(0, 0))
    with bad(r"no body, joint, driver or point 'rodd'.*'rod'"):
        m["rodd"]
    with bad(r"no measured quantity 'A\.angel|'A' has no 'angel'"):
        m.driver("d", "A.angel", "t")
    with bad(r"no point 'Z'"):
        m.point("Z")
    with pytest.raises(AttributeError, match=r"revolute 'A' has no 'distance'; it measures: angle"):
        _ = m["A"].distance


def test_duplicate_and_unusable_names():
    m = crank_and_rod()
    with bad("name 'crank' is taken"):
        m.body("crank")
    with bad("name 'A' is taken"):
        m.revolute("A", "crank", "slider", at=(0, 0))
    for name in ("", "a b", "a..b", "2nd", "x+y"):
        with bad("cannot be the name"):
            m.body(name)


@pytest.mark.parametrize("mass", [0.0, -1.0])
def test_mass_must_be_positive(mass):
    with bad(r"mass of body 'b' is .* must be greater than 0"):
        tm.PlanarModel().body("b", mass=mass)


@pytest.mark.parametrize("value", [math.nan, math.inf, "heavy", None])
def test_numbers_must_be_finite_numbers(value):
    m = tm.PlanarModel()
    if value is not None:
        with bad("mass of body 'b'"):
            m.body("b", mass=value)
    with bad("angle of body 'b'"):
        m.body("b", angle=value)
    with bad("position of body 'b'"):
        m.body("b", position=(value, 0.0))


def test_a_slider_needs_two_different_points():
    m = tm.PlanarModel()
    b = m.body("b")
    with bad(r"joint 'T': P and Q coincide at \(0\.1, 0\.2\) on body 'b'.*move Q"):
        m.prismatic("T", b, m.ground.at(0, 0), line=(b.at(0.1, 0.2), b.at(0.1, 0.2)))
    with bad(r"axis of joint 'T' is \(0, 0\)"):
        m.prismatic("T", b, m.ground, at=(0, 0), axis=(0, 0))
    with bad("direction of the line is missing"):
        m.prismatic("T", b, m.ground, at=(0, 0))


def test_joints_need_two_bodies_and_a_place():
    m = tm.PlanarModel()
    b = m.body("b")
    with bad("connects body 'b' with itself"):
        m.revolute("A", b, b, at=(0, 0))
    with bad(r"say where on body 'b', with at="):
        m.revolute("A", b, m.ground)
    with bad("fixes the ground"):
        m.fix("F", m.ground)
    with bad("length of link 'L' is 0"):
        m.link("L", b.at(0, 0), m.ground.at(0, 0))
    with bad(r"two numbers \(x, y\)"):
        m.revolute("A", b, m.ground, at=3)
    other = tm.PlanarModel().body("stranger")
    with bad("'stranger' does not belong to model"):
        m.revolute("A", other, m.ground, at=(0, 0))


def test_gears_must_touch():
    m = tm.PlanarModel()
    a, b = m.body("a"), m.body("b", position=(1.0, 0.0))
    with bad(r"drawn 1 m apart, but the pitch circles touch at 0\.3 \+ 0\.5 = 0\.8 m"):
        m.gear("g", a, b, radii=(0.3, 0.5))
    with bad("first of radii of gear 'g' is -0.3 m"):
        m.gear("g", a, b, radii=(-0.3, 0.5))


def test_drivers_depend_on_time_only():
    m = crank_and_rod()
    with bad(r"driver 'd': the motion .* may depend on t only, but it uses crank\.x"):
        m.driver("d", "T.distance", "crank.x + t")
    with pytest.raises(tm.ExpressionError, match=r"\^"):
        m.driver("d", "T.distance", "sin(t")


def test_equations_must_name_something_that_moves():
    m = crank_and_rod()
    with bad("depends on no body"):
        m.equation("e", "t - 1")
    with bad(r"no measured quantity \(in equation 'e'\) 'crnk\.x'.*crank\.x"):
        m.equation("e", "crnk.x - 1")
    with bad("unit 'kg' is not known"):
        m.equation("e", "crank.x - 1", unit="kg")


def test_phases_and_switches_name_known_things():
    m = crank_and_rod()
    with bad(r"no joint \(in phase 'p'\) 'Q'"):
        m.phase("p", active=["Q"])
    m.phase("p", active=["T"])
    with bad("no phase 'q'"):
        m.switch("s", "p", "q", when="t - 1")
    with bad("no measured quantity"):
        m.switch("s", "p", "p", when="nobody.x - 1")


def test_units_are_known_or_refused_and_helpers_convert():
    with bad("display_unit of the model is 'furlong' but must be one of"):
        tm.PlanarModel(display_unit="furlong")
    assert tm.deg(180) == pytest.approx(math.pi)
    assert tm.deg((90, -90)) == pytest.approx((math.pi / 2, -math.pi / 2))
    assert tm.mm(200) == pytest.approx(0.2) and tm.inch(1) == pytest.approx(0.0254) and tm.cm([1.0]) == [0.01]
    assert tm.rpm(60) == pytest.approx(2 * math.pi)


def test_import_is_light():
    import subprocess
    import sys

    code = "import sys, pytrammel; print([m for m in ('numba', 'scipy', 'matplotlib', 'pandas', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_model_that_changed_after_a_run_is_packed_anew():
    m = tm.PlanarModel("grows", gravity=(0.0, -10.0))
    m.body("a", position=(0.0, 1.0), mass=1.0, inertia=1.0)
    assert m.simulate(0.1, samples=2, progress=False)["a"].vy[-1] == pytest.approx(-1.0)
    m.force("lift", m.body_of("a"), vector=(0.0, 10.0))
    assert m.simulate(0.1, samples=2, progress=False)["a"].vy[-1] == pytest.approx(0.0, abs=1e-12)
    m.gravity = (0.0, -20.0)
    assert m.simulate(0.1, samples=2, progress=False)["a"].vy[-1] == pytest.approx(-1.0)
    first, second = (m.simulate(0.1, samples=2, progress=False) for _ in range(2))
    first._system.floats[:] = 0.0  # whoever has a system may do with it what he likes
    assert m.simulate(0.1, samples=2, progress=False).q == pytest.approx(second.q)


def test_a_model_is_let_go_although_it_was_packed():
    m = tm.PlanarModel("gone", gravity=(0.0, -10.0))
    m.body("a", mass=1.0, inertia=1.0)
    m.simulate(0.1, samples=2, progress=False)
    watch = weakref.ref(m)
    del m
    gc.collect()
    assert watch() is None
