"""Methods of equilibrium against closed forms and each other: catenaries, penalties, energies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import pytrammel as tm
from pytrammel.analysis.positions.assembly import active_rows, assembled
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.rest.at_rest import Balance
from pytrammel.analysis.rest.rest_joint import _Search, moved_along
from pytrammel.analysis.rest.rest_methods import Wish
from pytrammel.system.lowering import lower

pytestmark = pytest.mark.search

G = 9.81
ALL = ("newton", "partitioned", "energy", "joint", "augmented", "damping", "settling")


def chain(angles, end, *, damping=0.0, length=1.0):
    """Rods of 1 kg/m in a row, hung up at the origin and at `end`; drawn open if the angles say so."""
    m = tm.PlanarModel("chain", gravity=(0, -G))
    at, before = np.zeros(2), m.ground
    for k, angle in enumerate(angles):
        step = length * np.array([math.cos(angle), math.sin(angle)])
        body = m.body(f"r{k}", position=tuple(at + step / 2), angle=angle, mass=length, inertia=length**3 / 12)
        first = m.ground.at(0, 0) if k == 0 else before.at(length / 2, 0)
        m.revolute(f"J{k}", first, body.at(-length / 2, 0))
        if damping:
            m.torsion_spring(f"D{k}", first=before, second=body, damping=damping)
        at, before = at + step, body
    m.revolute("Z", before.at(length / 2, 0), m.ground.at(*end))
    return m


def angles_of(rest, n):
    return np.array([rest.pose(f"r{k}")[2] for k in range(n)])


# --- three rods (digest O-22) -------------------------------------------------------------------------------------------------

START = (-math.pi / 3 + 0.2, 0.1, math.pi / 3 - 0.15)


@pytest.mark.parametrize("method", ALL)
def test_three_rods_hang_alike_by_every_method(method):
    rest = chain(START, (2, 0), damping=0.3 if method == "settling" else 0.0).equilibrium(method=method)
    assert np.degrees(angles_of(rest, 3)) == pytest.approx([-60.0, 0.0, 60.0], abs=1e-6)
    assert rest.stable and rest.residual < 1e-10
    assert rest.potential.value == pytest.approx(-16.9914184223, abs=1e-9)


@pytest.mark.parametrize(
    ("weight", "degrees", "loads"),
    [
        (1e2, (-63.0261, -6.6465, 59.9960), (5.3076, 14.0965)),
        (1e3, (-60.3499, -0.6737, 60.0168), (5.6218, 14.6489)),
        (1e4, (-60.0355, -0.0674, 60.0019), (5.6595, 14.7083)),
        (1e5, (-60.0036, -0.0067, 60.0002), (5.6634, 14.7143)),
    ],
)
def test_a_penalty_has_its_known_bias(weight, degrees, loads):
    """Right end cut: angles and -w times the gap (digest O-22)."""
    with pytest.warns(tm.RunWarning, match="'Z' stays open"):
        rest = chain(START, (2, 0)).equilibrium(method="penalty", cut=["Z"], cut_stiffness=weight)
    assert np.degrees(angles_of(rest, 3)) == pytest.approx(degrees, abs=6e-5)  # four decimals are printed
    assert rest.cut_loads["Z"] == pytest.approx(loads, abs=6e-5)


def test_the_augmented_lagrangian_ends_with_the_reaction_of_the_cut_joint():
    rest = chain(START, (2, 0)).equilibrium(method="augmented", cut=["Z"])
    assert rest.cut_loads["Z"] == pytest.approx([G / math.sqrt(3.0), 1.5 * G], abs=1e-8)


@pytest.mark.parametrize("cut", [[], ["Z"], ["J1"], ["J0"]])
def test_joint_coordinates_end_with_the_reaction_of_the_joint_that_was_cut(cut):
    m = chain(START, (2, 0))
    rest = m.equilibrium(method="joint", cut=cut)
    assert np.degrees(angles_of(rest, 3)) == pytest.approx([-60.0, 0.0, 60.0], abs=1e-6)
    (name,) = rest.cut_loads
    assert [name] == cut or not cut
    assert np.linalg.norm(rest.cut_loads[name]) == pytest.approx(
        np.linalg.norm(rest.result.reaction(name).force), rel=1e-5
    )


def test_open_chains_in_space_rest_at_the_lowest_place_over_their_joints():
    """A ball, a universal joint and a hinge: every centroid ends below the hook."""
    m = tm.SpatialModel("hanging", gravity=(0, 0, -G))
    m.body("a", position=(0.5, 0, 0), mass=1.0, inertia=(0.01, 0.02, 0.02))
    m.body("b", position=(1.3, 0, 0), mass=0.5, inertia=(0.01, 0.02, 0.02))
    m.body("c", position=(1.9, 0, 0), mass=0.7, inertia=(0.01, 0.02, 0.02))
    m.spherical("S", "ground", "a", at=(0, 0, 0))
    m.universal("U", "a", "b", at=(1, 0, 0), axis="y", second_axis="z")
    m.revolute("R", "b", "c", at=(1.6, 0, 0), axis="y")
    rest = m.equilibrium(method="joint")
    for name, depth in (("a", 0.5), ("b", 1.3), ("c", 1.9)):
        assert rest.pose(name)[:3] == pytest.approx((0, 0, -depth), abs=1e-7)
    assert rest.cut_loads == {}


@pytest.mark.parametrize("seed", range(3))
def test_slopes_over_joint_coordinates_are_differences_of_the_energy(seed):
    """Energy with cut joints for any gap and load; a search with inconsistent slopes only takes longer."""
    rng = np.random.default_rng(seed)
    m = chain(rng.normal(scale=0.5, size=3), (2.0, 0.3))
    system = system_at(m, 0.0, "equilibrium", dynamics=True)
    search = _Search(
        Balance(system, active_rows(system), 0.0), Wish(nearest=False, cut=("Z",), weight=rng.uniform(10.0, 100.0))
    )
    search.load = np.where(search.cut.is_cut, rng.normal(scale=20.0, size=search.load.size), 0.0)
    h = 1e-5
    moved = [
        [search.value(moved_along(search.tree, search.balance, system.start, sign * h * step)) for sign in (1, -1)]
        for step in np.diag(search.units)
    ]
    assert search.slope(system.start) == pytest.approx(
        [(ahead - behind) / (2 * h) for ahead, behind in moved], rel=1e-7
    )


def test_an_equilibrium_carries_its_reactions():
    rest = chain(START, (2, 0)).equilibrium()
    np.testing.assert_allclose(rest.result.reaction("J0").force, [[-G / math.sqrt(3.0), 1.5 * G]], rtol=1e-9)


def test_a_slider_held_by_a_spring_is_balanced():
    """The spring carries the weight; no joint and no driver has to."""
    m = tm.PlanarModel("held")
    m.body("b", position=(0, -1.0), mass=1.0, inertia=0.1)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(0, 1))
    m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=50.0, free_length=1.0)
    rest = m.equilibrium()
    assert np.abs(rest.result.reaction("T").force).max() < 1e-9
    assert rest.result.force("S.spring") == pytest.approx(G, rel=1e-9)
    with pytest.raises(tm.MobilityError, match="1 degree"):
        m.statics()


# --- catenaries: /shared benchmark "catenary_chain", closed form solved with many digits ----------------------------------------

CATENARIES = {
    (10, (6.0, 0.0)): (15.98166454821753735, -3.655450362994185026),
    (10, (6.0, 2.0)): (16.33756846429801882, -2.639644767256709167),
}


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("case", CATENARIES, ids=str)
def test_a_chain_hangs_in_its_catenary(case, method):
    n, end = case
    tension, lowest = CATENARIES[case]
    drawn = np.linspace(-1.2, 1.25, n)
    rest = chain(drawn, end, damping=2.0 if method == "settling" else 0.0).equilibrium(method=method)
    angles = angles_of(rest, n)
    assert np.cumsum(np.sin(angles)).min() == pytest.approx(lowest, abs=1e-8)
    assert rest.result.reaction("J0").force[0, 0] == pytest.approx(-tension, rel=1e-8)


@pytest.mark.parametrize("method", ["newton", "partitioned", "energy", "augmented", "damping"])
def test_a_pendulum_in_space_rests_by_every_method(method):
    """A bar on a universal hinge with a side load: it hangs along the force (3, 4, -m g)."""
    m = tm.SpatialModel("bar", gravity=(0, 0, -G))
    pose = tm.rotations.from_axis_angle((1, 0, 0), 0.3)
    bar = m.body("bar", rotation=pose, centroid=(0, 0, -0.5), mass=1.0, inertia=(0.1, 0.1, 0.01))
    m.universal("U", m.ground, bar, at=(0, 0, 0), axis=(1, 0, 0), second_axis=tuple(tm.rotations.matrix(pose)[:, 1]))
    m.force("F", bar.at(0, 0, -0.5), (3.0, 4.0, 0.0))
    rest = m.equilibrium(method=method)
    down = -tm.rotations.matrix(rest.pose("bar")[3:])[:, 2]
    assert down == pytest.approx(np.array([3.0, 4.0, -G]) / math.sqrt(25.0 + G * G), abs=1e-7)
    assert np.abs(rest.result.reaction("U", "bar").force[0] + (3.0, 4.0, -G)).max() < 1e-6
    assert rest.potential.value == pytest.approx(-0.5 * math.sqrt(25.0 + G * G), abs=1e-9)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("method", ["newton", "partitioned", "energy", "augmented"])
def test_a_collar_between_two_springs_rests_at_the_same_share_of_any_size(method, size):
    """A collar on a rail at x, springs from (0, 1) and (2, 0): 40 (r - 0.4) x/r = 30 (1 - x) with r² = 1 + x², all lengths times a size."""
    x = brentq(lambda x: 40.0 * (1.0 - 0.4 / math.hypot(1.0, x)) * x - 30.0 * (1.0 - x), 0.0, 1.0, xtol=1e-15)
    m = tm.PlanarModel("collar")
    m.body("b", position=(0.2 * size, 0.0), mass=1.0, inertia=1e-3 * size**2)
    m.prismatic("T", m.ground, "b", at=(0.0, 0.0), axis=(1.0, 0.0))
    m.spring("S", m.ground.at(0.0, size), m["b"].at(0, 0), stiffness=40.0 / size, free_length=0.4 * size)
    m.spring("P", m.ground.at(2.0 * size, 0.0), m["b"].at(0, 0), stiffness=30.0 / size, free_length=size)
    # forces balance within 1e-11 of about 40 N; over the size they change by about 60 N
    assert m.equilibrium(method=method).pose("b")[0] == pytest.approx(x * size, rel=1e-9)


# --- energies -------------------------------------------------------------------------------------------------------------------


def test_potential_energy_has_its_parts_and_its_gradient():
    table = tm.functions.Table("law", [-1.0, 0.0, 0.5, 1.0], [-40.0, 0.0, 10.0, 50.0], kind="linear")
    m = tm.PlanarModel("parts")
    b = m.body("b", position=(1.8, 0.4), angle=0.3, mass=2.0, inertia=0.1, centroid=(0.1, 0.2))
    m.spring("linear", m.ground.at(0, 0), b.at(0, 0), stiffness=30.0, free_length=1.0, damping=4.0)
    m.spring("table", m.ground.at(1, 0), b.at(0.2, 0), stiffness=table, free_length=0.4)
    m.force("P", b.at(0.1, 0.1), (3.0, -5.0))
    m.torque("M", b, 0.7)
    m.user_force("cubic", b.x, "-2*b.x^3")
    found = m.potential_energy()
    x, y, phi = b.coordinates
    c, s = math.cos(phi), math.sin(phi)
    stretch = math.dist((1, 0), (x + 0.2 * c, y + 0.2 * s)) - 0.4
    parts = {
        "gravity": 2.0 * G * (y + 0.1 * s + 0.2 * c),
        "linear": 15.0 * (math.hypot(x, y) - 1.0) ** 2,
        "table": 10.0 * stretch**2 if stretch < 0.5 else 2.5 + 10.0 * (stretch - 0.5) + 40.0 * (stretch - 0.5) ** 2,
        "P": -3.0 * (x + 0.1 * c - 0.1 * s) + 5.0 * (y + 0.1 * s + 0.1 * c),
        "M": -0.7 * phi,
        "cubic": 0.5 * x**4,
    }
    assert stretch > 0.5 and found.without == ()
    assert dict(found.parts) == pytest.approx(parts, rel=1e-12)
    h = 1e-5
    for k, name in enumerate(("x", "y", "phi")):
        places = []
        for side in (h, -h):
            place = {"position": (x + side * (k == 0), y + side * (k == 1)), "angle": phi + side * (k == 2)}
            places.append(m.copy(changes={"b": place}).potential_energy().value)
        assert found.gradient[k] == pytest.approx((places[0] - places[1]) / (2 * h), abs=1e-6), name


def test_the_gradient_of_a_spring_with_an_actuator_beside_it_is_that_of_the_spring():
    """The pull depends on another body's place, so that it has no potential; what the spring stores is in the value and the gradient."""
    m = tm.PlanarModel("pulled", gravity=(0, -G))
    m.body("a", position=(0.7, -0.2), mass=1.0, inertia=0.1)
    b = m.body("b", position=(1.8, 0.4), angle=0.3, mass=2.0, inertia=0.1)
    m.spring("S", m.ground.at(0, 0), b.at(0.2, 0.1), stiffness=30.0, free_length=1.0, force="7*a.x + 2")
    found = m.potential_energy()
    assert found.without == ("S",)

    def energy(x, y, phi):
        c, s = math.cos(phi), math.sin(phi)
        return 15.0 * (math.hypot(x + 0.2 * c - 0.1 * s, y + 0.2 * s + 0.1 * c) - 1.0) ** 2 + 2.0 * G * y

    here, h = np.array(b.coordinates), 1e-5
    assert found.value == pytest.approx(energy(*here) - 1.0 * G * 0.2, rel=1e-12)
    differences = [(energy(*(here + h * way)) - energy(*(here - h * way))) / (2 * h) for way in np.eye(3)]
    # differences err by h² of third derivatives, which are below 1e3
    assert found.gradient == pytest.approx([0.0, G, 0.0, *differences], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_stiffness_off_balance_is_the_second_derivative_of_the_energy(seed):
    """A body in space on springs that do not balance it; turns are rotation vectors, along which differences are taken."""
    random = np.random.default_rng(seed)
    turned = tm.rotations.normalised(random.normal(size=4))
    place = random.normal(size=3)
    m = tm.SpatialModel("hung", gravity=(0, 0, -G))
    b = m.body("b", position=tuple(place), rotation=turned, mass=2.0, inertia=0.1)
    springs = [(random.normal(size=3), random.normal(size=3), random.uniform(10, 50)) for _ in range(3)]
    for k, (p, s, stiffness) in enumerate(springs):
        m.spring(f"S{k}", m.ground.at(*p), b.at(*s), stiffness=stiffness, free_length=0.5)

    def energy(x):
        angle = np.linalg.norm(x[3:])
        turn = tm.rotations.from_axis_angle(x[3:] / angle, angle) if angle else np.array([1.0, 0, 0, 0])
        A = tm.rotations.matrix(turned) @ tm.rotations.matrix(turn)  # columns of turns are body components
        ends = [(np.linalg.norm(place + x[:3] + A @ s - p), k) for p, s, k in springs]
        return 2.0 * G * (place + x[:3])[2] + sum(0.5 * k * (length - 0.5) ** 2 for length, k in ends)

    h, n = 1e-3, np.eye(6)
    hessian = np.array(
        [
            [
                sum(i * j * energy(h * (i * n[a] + j * n[c])) for i in (-1, 1) for j in (-1, 1)) / (4 * h * h)
                for c in range(6)
            ]
            for a in range(6)
        ]
    )
    system = lower(m, dynamics=True)
    balance = Balance(system, [], 0.0)
    here = balance.at(assembled(m, system=system).q)
    expected = here.basis.T @ hessian @ here.basis
    size = np.abs(expected).max()
    assert here.stiffness == pytest.approx(expected, abs=1e-4 * size)  # differences err by h² of fourth derivatives
    assert here.stiffness == pytest.approx(here.stiffness.T, abs=1e-12 * size)


def test_a_preloaded_table_spring_stores_what_it_holds_from_the_start():
    table = tm.functions.Table("law", [-1.0, 0.0, 1.0], [-40.0, 0.0, 50.0], kind="linear")
    m = tm.PlanarModel("preloaded", gravity=(0, 0))
    m.body("b", position=(1.5, 0), mass=1.0, inertia=0.1)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=table, free_length=1.0)
    run = m.simulate(0.2, samples=5, progress=False)
    assert run.energy.stored[0] == pytest.approx(0.5 * 50.0 * 0.5**2, rel=1e-12)
    assert np.abs(run.energy.balance).max() < 1e-7
    m.driver("d", "b.x", "1.5 - 3*t")
    driven = m.inverse_dynamics(0.2, samples=3)
    assert driven.energy.stored == pytest.approx([6.25, 25 * 0.2**2, 20 * 0.1**2], rel=1e-9)


def test_a_spring_law_that_is_no_number_where_it_is_slack_keeps_its_integrated_work():
    """The root of l - 1.2 is no number at the slack length 1.0."""
    m = tm.PlanarModel("pole", gravity=(0, 0))
    m.body("b", position=(1.5, 0), mass=1.0, inertia=0.1)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness="-sqrt(l - 1.2)", free_length=1.0)
    run = m.simulate(0.2, samples=3, progress=False)
    assert run.energy.stored[0] == 0.0 and np.abs(run.energy.balance).max() < 1e-7
    with pytest.raises(tm.ModelError, match=r"energy of 'S\.spring' is not a number"):
        m.potential_energy()


def test_constant_forces_in_space_have_a_potential():
    m = tm.SpatialModel("p", gravity=(0, 0, 0))
    b = m.body(
        "b", position=(1, 2, 3), rotation=tm.rotations.from_axis_angle((0, 0, 1), math.pi / 2), mass=1.0, inertia=0.1
    )
    m.force("F", b.at(1, 0, 0), (2.0, 3.0, -1.0))
    m.torque("N", b, (0.0, 0.0, 1.0))
    found = m.potential_energy()
    assert found.parts["F"] == pytest.approx(-(2.0 * 1 + 3.0 * 3 - 3.0))
    assert found.without == ("N",)  # a torque about an axis in space does work that depends on the way


def test_energy_needs_a_potential():
    m = tm.PlanarModel("follower", gravity=(0, 0))
    b = m.body("b", position=(0, 1), angle=math.pi / 2, mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, b, at=(0, 0))
    m.torsion_spring("S", first=m.ground, second=b, stiffness=5.0, free_angle=1.4)
    m.force("P", b.at(0, 0), (-1.0, 0.2), frame="body")
    with pytest.raises(tm.ModelError, match="'P' acts without a potential"):
        m.equilibrium(method="energy")
    assert m.equilibrium(method="partitioned").q == pytest.approx(m.equilibrium().q, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "guess"}, "is not known; use one of: newton, partitioned"),
        ({"cut": ["Z"]}, "cut would not be used by method 'newton'"),
        ({"cut_stiffness": 5.0, "method": "energy"}, "cut_stiffness would not be used"),
        ({"allow_unstable": True, "method": "energy"}, "allow_unstable would not be used"),
        ({"method": "joint", "cut": ["nobody"]}, "is no joint"),
        ({"method": "joint", "allow_unstable": True}, "allow_unstable would not be used"),
        ({"method": "penalty", "cut_stiffness": -1.0}, "greater than 0"),
        ({"method": "penalty", "cut": ["nobody"]}, "'nobody', which is no joint"),
        ({"method": "settling"}, "perhaps nothing takes its energy"),
    ],
)
def test_refusals(options, sentence):
    with pytest.raises(tm.TrammelError, match=sentence):
        chain(START, (2, 0)).equilibrium(**options)


def test_an_eccentric_ball_rolls_to_rest_with_its_centroid_below():
    """Rolling about the contact: (J + m (r - e)²) s² = -m g e for both horizontal axes."""
    r, e, mass, inertia = 0.5, 0.2, 2.0, 0.15
    m = tm.SpatialModel("wobbler", gravity=(0, 0, -G))
    pose = tm.rotations.from_axis_angle((0.6, 0.8, 0), 0.7)
    ball = m.body("ball", position=(0, 0, r), rotation=pose, centroid=(0, 0, -e), mass=mass, inertia=inertia)
    m.rolling_sphere("R", m.ground, ball, radius=r, at=(0, 0, 0), axis="z")
    rest = m.equilibrium()
    assert tm.rotations.matrix(rest.pose("ball")[3:])[:, 2] == pytest.approx((0, 0, 1), abs=1e-9)
    want = math.sqrt(mass * G * e / (inertia + mass * (r - e) ** 2))
    assert rest.stable and [m.frequency for m in rest.modes if m.frequency] == pytest.approx([want, want], rel=1e-7)
    lin = rest.linearize()
    assert lin.frequencies == pytest.approx([want, want], rel=1e-7) and lin.stable
