"""Equations between velocities in kinematics: integrable ones are followed, others are rejected (Nikravesh, problems 3.2 and 4.24)."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

LEAF = 1e-9  # drift off an integral: errors of 1e-11 a step, some 100 steps
COORDINATES = ("a.x", "a.y", "a.phi", "b.x", "b.y", "b.phi")
START = {"a.x": 1.0, "a.y": 0.8, "a.phi": 0.4, "b.x": 1.3, "b.y": 0.6, "b.phi": 0.5}


def two_bodies():
    m = tm.PlanarModel("plane")
    for name in "ab":
        m.body(name, position=(START[f"{name}.x"], START[f"{name}.y"]), angle=START[f"{name}.phi"])
    return m


def hold_but(m, *free):
    for name in COORDINATES:
        if name not in free:
            m.constrain(f"hold_{name.replace('.', '_')}", name)


def rate(name):
    body, what = name.split(".")
    return f"{body}.omega" if what == "phi" else f"{body}.v{what}"


def in_names(formula, names):
    """A formula of x, y, z as a text of coordinates."""
    return str(tm.parse(formula).substitute({k: tm.parse(n) for k, n in zip("xyz", names, strict=True)}))


def differential(integral, factor, names):
    """factor * d(integral)/dt as a text of coordinates and rates."""
    F = tm.parse(integral)
    return " + ".join(
        f"({in_names(str(F.derivative(k)), names)})*({in_names(factor, names)})*{rate(n)}"
        for k, n in zip("xyz", names, strict=True)
        if k in F.names
    )


def along(k, integral, names):
    """A formula of x, y, z along a motion."""
    values = {letter: k[name] for letter, name in zip("xyz", names, strict=True)}
    return np.array([tm.parse(integral).evaluate({s: float(v[i]) for s, v in values.items()}) for i in range(len(k))])


INTEGRALS = [
    ("x*y", "1"), ("x*y", "1/(x*y)"), ("x^2 + y^2", "1"), ("y/x", "x^2"), ("x*sin(z) + y*cos(z)", "1"), ("sin(z)*x + y", "exp(y)"),
    ("x*y*z", "1 + z^2"), ("y - 0.3*x^3 + sin(z)", "2"), ("exp(x)*y + z", "cos(0.3*x)"), ("x + y", "1"), ("sqrt(x^2 + y^2) - z", "x"),
]  # fmt: skip
TRIPLES = [("a.x", "a.y", "a.phi"), ("a.x", "b.y", "b.phi"), ("b.phi", "a.y", "a.phi"), ("b.y", "b.x", "a.x")]


@pytest.mark.parametrize("names", TRIPLES)
@pytest.mark.parametrize(("integral", "factor"), INTEGRALS)
def test_an_integral_is_constant(integral, factor, names):
    m = two_bodies()
    hold_but(m, *names)
    m.equation("rates", differential(integral, factor, names))
    m.driver("first", names[0], f"{START[names[0]]} + 0.1*sin(t)")
    m.driver("third", names[2], f"{START[names[2]]} + 0.1*sin(2*t)")
    k = m.kinematics(1.5, samples=7)
    found = along(k, integral, names)
    assert np.allclose(found, found[0], rtol=0, atol=LEAF)
    assert np.ptp(k[names[1]]) > 1e-3  # it moves


CURVED = [
    "z*dx + dy",
    "dx*sin(z) - dy*cos(z)",
    "dx*sin(z) - dy*cos(z) + 0.2*dz",
    "x*dy - y*dx + dz",
    "dx + x*z*dy",
    "exp(x)*dz + y*dx",
]


@pytest.mark.parametrize("names", TRIPLES)
@pytest.mark.parametrize("text", CURVED)
def test_an_equation_that_is_not_integrable_is_rejected_with_its_name(text, names):
    rates = {f"d{k}": tm.parse(rate(n)) for k, n in zip("xyz", names, strict=True)}
    places = {k: tm.parse(n) for k, n in zip("xyz", names, strict=True)}
    m = two_bodies()
    hold_but(m, *names)
    m.equation("rates", str(tm.parse(text).substitute({**rates, **places})))
    m.driver("first", names[0], f"{START[names[0]]} + 0.2*sin(t)")
    m.driver("third", names[2], f"{START[names[2]]} + 0.2*sin(2*t)")
    with pytest.raises(tm.MobilityError, match=r"'rates' .* not integrable.*(limit).*simulate") as error:
        m.kinematics(1.0, samples=5)
    assert any(name in str(error.value) for name in names)


def test_a_product_of_coordinates_of_two_bodies_keeps_its_value():
    """Problem 3.2 (d): x2 y3' + y3 x2' = 0 is d(x2 y3)/dt."""
    m = two_bodies()
    hold_but(m, "a.x", "b.y")
    m.equation("d", "a.x*b.vy + b.y*a.vx")
    m.driver("motor", "a.x", "1 + t")
    k = m.kinematics(3.0, samples=13)
    assert np.allclose(k["b"].y, 0.6 / (1.0 + k.times), rtol=0, atol=LEAF)
    assert np.allclose(k["b"].vy, -0.6 / (1.0 + k.times) ** 2, rtol=0, atol=LEAF)
    assert np.allclose(k["b"].ay, 1.2 / (1.0 + k.times) ** 3, rtol=0, atol=10 * LEAF)


def test_the_integral_has_its_value_at_the_first_output_time():
    m = two_bodies()
    hold_but(m, "a.x", "b.y")
    m.equation("d", "a.x*b.vy + b.y*a.vx")
    m.driver("motor", "a.x", "1 + t")
    k = m.kinematics(times=[1.0, 2.0, 3.0])
    assert np.allclose(k["b"].y, 0.6 * 2.0 / (1.0 + k.times), rtol=0, atol=LEAF)
    w = m.terms(at=k, time=3.0).jacobian.values[-2]  # y da.x + x db.y, x = 4
    assert np.allclose(w[[0, 4]], [0.3, 4.0], rtol=0, atol=LEAF)


def free_in_space():
    m = tm.SpatialModel("free")
    m.body("a", position=(1.0, 0.2, 0.1), rotation=tm.rotations.from_angles((0.3, 0.5, -0.2), "xyz"))
    m.constrain("f", m["a"].angular_velocity_about("x"))
    return m


def of_problem_3_2_d():
    m = two_bodies()
    m.equation("d", "a.x*b.vy + b.y*a.vx")
    return m


@pytest.mark.parametrize(
    ("build", "integrable", "nonholonomic"),
    [
        (of_problem_3_2_d, ("d",), ()),
        (
            free_in_space,
            (),
            ("f",),
        ),  # problem 3.2 (f): 2 (e0 e1' - e1 e0' + e2 e3' - e3 e2') is the speed about the body's x axis
        (lambda: with_speed(False), ("speed",), ()),
        (lambda: with_speed(True).copy(without=["turn"]), (), ("speed",)),
        (lambda: with_speed(True), (), ("speed",)),
        (lambda: tm.PlanarModel("empty"), (), ()),
    ],
)
def test_mobility_separates_holonomic_equations_from_others(build, integrable, nonholonomic):
    m = build()
    if not integrable and not nonholonomic:
        m.body("a")
    found = m.mobility()
    assert (found.integrable, found.nonholonomic) == (integrable, nonholonomic)
    for name in integrable:
        assert f"'{name}' restrains velocities and is integrable" in str(found)
    for name in nonholonomic:
        assert f"'{name}' restrains velocities and is not integrable" in str(found)


def two_speeds(second):
    m = tm.PlanarModel("two speeds", gravity=(0, 0))
    m.body("a", position=(1.0, 0.5), mass=1.0, inertia=1.0)
    m.constrain("heading", "a.phi")
    m.equation("first", "a.vx - 0.5")
    m.equation("second", second)
    m.driver("lift", "a.y", "0.5 + t")
    return m


@pytest.mark.parametrize(
    ("second", "when", "off"),
    [
        ("a.vx - 0.7", "0", r"0\.2 m/s"),
        ("3*a.vx - 1.5 - t", r"0\.[012]\d*", r"0\.[0-3]\d* m/s"),
        ("2*a.vx + a.omega - 1.1", "0", r"0\.1 m/s"),
    ],
)
def test_equations_between_velocities_that_contradict_each_other_are_rejected(second, when, off):
    with pytest.raises(tm.MobilityError, match=rf"'second' contradicts the others at t = {when} s: .* off by {off}"):
        two_speeds(second).kinematics(0.3, samples=31)


@pytest.mark.parametrize(
    "second", ["a.vx - 0.5", "2*a.vx - 1", "(1 + a.x^2)*a.vx - 0.5*(1 + a.x^2)", "-1e6*a.vx + 5e5"]
)
def test_equations_between_velocities_may_follow_from_each_other(second):
    m = two_speeds(second)
    k = m.kinematics(1.0, samples=5)
    assert np.allclose(k["a"].x, 1.0 + 0.5 * k.times, rtol=0, atol=LEAF)
    assert m.simulate(1.0, samples=5).warnings == ()


def test_a_simulation_names_a_constraint_on_velocities_that_contradicts_later():
    """Both hold at the start, where only one of them is kept; the other one is 3 v - 1.5 = t afterwards."""
    with pytest.warns(tm.RunWarning, match=r"'second' was redundant where the run began, but contradicts"):
        r = two_speeds("3*a.vx - 1.5 - t").simulate(1.0, samples=101)
    (warning,) = r.warnings
    assert warning.kind == "contradiction"
    assert 0.0 < warning.time <= 0.05


def with_speed(along_body):
    """Problem 4.24: the speed along a unit vector of the ground, or of the body, is constant."""
    m = tm.PlanarModel("speed")
    m.body("a", position=(1.0, 0.5), angle=0.2)
    m.driver("turn", "a.phi", "0.2 + t")
    m.driver("lift", "a.y", "0.5 + 0.1*t^2")
    m.equation("speed", "a.vx*cos(a.phi) + a.vy*sin(a.phi) - 0.3" if along_body else "0.8*a.vx + 0.6*a.vy - 0.3")
    return m


def test_a_constant_speed_along_a_fixed_direction_places_the_body():
    k = with_speed(False).kinematics(2.0, samples=9)
    assert np.allclose(k["a"].x, 1.0 + (0.3 * k.times - 0.06 * k.times**2) / 0.8, rtol=0, atol=LEAF)


def test_a_constant_speed_along_a_direction_of_the_body_does_not():
    with pytest.raises(tm.MobilityError, match=r"'speed' .* not integrable"):
        with_speed(True).kinematics(2.0)


def test_other_constraints_can_make_an_equation_integrable():
    """A skate whose heading a joint holds, or that is the direction of its path, runs on a curve."""
    m = tm.PlanarModel("skate")
    m.body("a", position=(1.0, 0.5), angle=0.6)
    m.equation("skate", "a.vy*cos(a.phi) - a.vx*sin(a.phi)")
    m.constrain("heading", "a.phi")
    m.driver("push", "a.x", "1 + t")
    k = m.kinematics(1.0, samples=5)
    assert np.allclose(k["a"].y, 0.5 + np.tan(0.6) * k.times, rtol=0, atol=LEAF)
    bent = tm.PlanarModel("bent")
    bent.body("a", position=(1.0, 0.5), angle=0.6)
    bent.equation("skate", "a.vy*cos(a.phi) - a.vx*sin(a.phi)")
    bent.equation("heading", "a.phi - 0.6*a.x")
    bent.driver("push", "a.x", "1 + t")
    k = bent.kinematics(1.0, samples=5)
    assert np.allclose(
        k["a"].y, 0.5 + (np.log(np.cos(0.6)) - np.log(np.cos(0.6 + 0.6 * k.times))) / 0.6, rtol=0, atol=LEAF
    )


def test_two_equations_are_integrable_together():
    """dx = z dy alone is not; with dz = 0 it is."""
    m = two_bodies()
    hold_but(m, "a.x", "a.y", "a.phi")
    m.equation("first", "a.vx - a.phi*a.vy")
    m.equation("second", "a.omega")
    m.driver("motor", "a.y", "0.8 + sin(t)")
    k = m.kinematics(2.0, samples=9)
    assert np.allclose(k["a"].x, 1.0 + 0.4 * np.sin(k.times), rtol=0, atol=LEAF)


def ball_on_a_line():
    m = tm.SpatialModel("ball")
    ball = m.body("ball", position=(0.0, 0.0, 0.5))
    m.rolling_sphere("roll", m.ground, ball, radius=0.5, at=(0, 0, 0), axis="z")
    m.driver("x", "ball.x", "sin(t)")
    return m, ball


def test_rotation_of_a_ball_on_a_line():
    m, ball = ball_on_a_line()
    m.constrain("y", "ball.y")
    m.constrain("spin", ball.angular_velocity_about((0, 0, 1), frame="space"))
    k = m.kinematics(3.0, samples=7)
    turned = np.sin(k.times) / 0.5
    expected = np.column_stack([np.cos(turned / 2), 0 * turned, np.sin(turned / 2), 0 * turned])
    p = np.column_stack([k["ball"].e0, k["ball"].e1, k["ball"].e2, k["ball"].e3])
    assert np.allclose(p, expected, rtol=0, atol=LEAF)


@pytest.mark.parametrize("factor", ["1", "2 + P.x", "exp(0.3*Q.z)"])
def test_rates_of_points_of_a_free_body_are_integrable(factor):
    """A function of position and orientation with four freedoms left: the bracket of rotations counts."""
    m = tm.SpatialModel("free")
    b = m.body("b", position=(0.2, 0.1, 0.3), rotation=tm.rotations.from_angles((0.3, 0.5, -0.2), "xyz"))
    m.point("P", b, local=(1.0, 0.2, 0.0))
    m.point("Q", b, local=(0.1, -0.4, 0.9))
    m.equation("e", f"({factor})*(2*P.x*P.vx - Q.vy + 0.3*P.vz)")
    for name, motion in (("b.x", "0.2 + 0.1*t"), ("b.y", "0.1 + t^2"), ("b.z", "0.3")):
        m.driver(f"drive_{name[-1]}", name, motion)
    for name, motion in (("P.z", "0.2*sin(t)"), ("Q.x", "0.1*t")):
        m.driver(f"drive_{name[0]}", name, f"{m.drawn_value(m.measure(name))!r} + {motion}")
    k = m.kinematics(0.6, samples=4)
    found = k["P"].x ** 2 - k["Q"].y + 0.3 * k["P"].z
    assert np.allclose(found, found[0], rtol=0, atol=LEAF)


def test_a_ball_on_a_plane_is_not_integrable():
    m, ball = ball_on_a_line()
    m.driver("y", "ball.y", "t")
    m.constrain("spin", ball.angular_velocity_about((0, 0, 1), frame="space"))
    with pytest.raises(tm.MobilityError, match="not integrable"):
        m.kinematics(1.0, samples=5)


def test_an_upright_disc_with_a_fixed_heading_rolls_several_turns():
    """Turns of the hinge are counted while positions are integrated."""
    m = tm.SpatialModel("disc")
    m.body("carriage", position=(0.0, 0.0, 0.3))
    m.body("disc", position=(0.0, 0.0, 0.3))
    m.prismatic("rail", "ground", "carriage", at=(0, 0, 0.3), axis="x")
    m.revolute("hinge", "carriage", "disc", at=(0, 0, 0.3), axis="y")
    m.equation("roll", "carriage.vx - 0.3*hinge.angle.rate")
    m.driver("go", "carriage.x", "3*t + 0.2*sin(t)")
    k = m.kinematics(4.0, samples=5)
    assert np.allclose(
        k["hinge"].angle, k["carriage"].x / 0.3, rtol=0, atol=1e-8
    )  # 40 rad: the same digits as below 1e-9
    assert np.allclose(k["hinge"].angle_acceleration, k["carriage"].ax / 0.3, rtol=0, atol=1e-7)


@pytest.mark.parametrize("formulation", ["cartesian", "joint"])
def test_formulations_agree(formulation):
    m = tm.PlanarModel("arm")
    m.body("a", position=(0.5, 0.0))
    m.body("b", position=(1.5, 0.0))
    m.revolute("A", "ground", "a", at=(0, 0))
    m.revolute("B", "a", "b", at=(1, 0))
    m.driver("motor", m["A"].angle, "sin(t)")
    m.equation("follow", "B.angle.rate*cos(B.angle) - 0.5*A.angle.rate")  # sin(B) = A/2
    k = m.kinematics(1.5, samples=6, formulation=formulation)
    assert np.allclose(np.sin(k["B"].angle), 0.5 * np.sin(k.times), rtol=0, atol=LEAF)


def test_prescribed_coordinates_take_the_place_of_drivers():
    m = two_bodies()
    hold_but(m, "a.x", "b.y")
    m.equation("d", "a.x*b.vy + b.y*a.vx")
    k = m.kinematics(2.0, samples=5, prescribed={"b.y": "0.6*exp(-t)"})
    assert np.allclose(k["a"].x, np.exp(k.times), rtol=0, atol=10 * LEAF)


def test_a_kink_of_a_driver():
    m = two_bodies()
    hold_but(m, "a.x", "b.y")
    m.equation("d", "a.x*b.vy + b.y*a.vx")
    m.driver("motor", "a.x", "1 + abs(t - 0.7)")
    k = m.kinematics(2.0, samples=9)
    assert np.allclose(k["b"].y, 0.6 * 1.7 / (1.0 + np.abs(k.times - 0.7)), rtol=0, atol=10 * LEAF)


def test_the_run_ends_at_a_dead_point_of_the_integral():
    """x^2 + y^2 = 1 driven along x beyond 1."""
    m = two_bodies()
    hold_but(m, "a.x", "a.y")
    m.equation("circle", "a.x*a.vx + a.y*a.vy")
    m.driver("motor", "a.x", "1 + t")
    with pytest.raises(tm.SingularError) as error:
        m.kinematics(1.0, samples=101)
    end = np.sqrt(1.0 + 0.8**2) - 1.0
    assert 0.9 * end < error.value.partial.times[-1] <= end


def test_a_speed_that_is_driven_places_the_body():
    m = tm.SpatialModel("top")
    top = m.body("top", position=(0, 0, 0))
    m.revolute("hinge", "ground", top, at=(0, 0, 0), axis="z")
    m.driver("spin", top.angular_velocity_about("z"), "2*t + t^2")  # its rate is 2 + 2 t
    k = m.kinematics(3.0, samples=7)
    assert np.allclose(k["hinge"].angle, 2 * k.times + k.times**2, rtol=0, atol=1e-8)  # 15 rad


def test_loads_follow_from_integrated_positions():
    """x y = 1 holds by a force along its gradient: its share along y carries m (y'' + g), that along x the driver."""
    m = tm.PlanarModel("loads", gravity=(0, -9.81))
    m.body("a", position=(1.0, 1.0), mass=2.0, inertia=1.0)
    m.constrain("angle", "a.phi")
    m.equation("xy", "a.x*a.vy + a.y*a.vx")
    m.driver("motor", "a.x", "1 + t")
    r = m.inverse_dynamics(1.0, samples=5)
    x = 1.0 + r.times
    multiplier = 2.0 * (2.0 / x**3 + 9.81) / x
    assert np.allclose(r.reaction("motor", "a").force[:, 0], -multiplier / x, rtol=0, atol=1e-8)


def test_the_plain_method_and_derivatives_reject_velocity_equations():
    m = with_speed(False)
    with pytest.raises(tm.ModelError, match=r"newton='full' .*'speed'"):
        m.kinematics(1.0, newton="full")
    m = tm.PlanarModel("p")
    m.parameter("c", 0.3)
    m.body("a", position=(1.0, 0.5))
    m.constrain("h", "a.phi")
    m.driver("d", "a.y", "0.5 + c*t")
    m.equation("speed", "0.8*a.vx + 0.6*a.vy")
    with pytest.raises(tm.ModelError, match=r"no derivatives .*'speed'"):
        m.gradient("a.x[end]", 1.0, analysis="kinematics")
