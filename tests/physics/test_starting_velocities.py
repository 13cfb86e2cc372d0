"""Starting velocities: what is given is kept where it can be, the rest has the least kinetic energy, contradictions are told."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import pytrammel as tm
from dynamic_models import four_bar_release
from pytrammel.analysis.at_state import mass_matrix
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.start import start_velocities
from pytrammel.analysis.start.initial import consistent_start
from pytrammel.system.lowering import lower
from spatial_models import Z, four_bar, rod, turn

QUIET = {"progress": False}
TILTED = turn((0.6, 0.0, 0.8), 1.1)
EXACT = 1e-12  # rounding of the singular value decompositions, velocities of order 1 to 10


def start_of(m, **options):
    return m.simulate(times=[0.0], **options, **QUIET)


# --- what is given stays -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spin", [10.0, -0.3, 1e-6, 1e6])
def test_a_crank_given_its_spin_starts_with_it(spin):
    r = start_of(four_bar_release(spin=spin))
    assert r["crank"].omega[0] == pytest.approx(spin, rel=EXACT)
    assert r.dynamics.changed == () and r.warnings == ()
    driven = four_bar_release()
    driven.driver("motor", driven["crank"].phi, f"{math.pi / 3!r} + {spin!r}*t")
    np.testing.assert_allclose(r.v[0], driven.kinematics(times=[0.0], **QUIET).v[0], rtol=1e-9, atol=EXACT * abs(spin))


@pytest.mark.parametrize("given", ["coupler", "rocker"])
def test_any_one_body_of_a_linkage_may_be_given_its_spin(given):
    m = four_bar_release().copy(changes={given: {"omega": 3.0}})
    assert start_of(m)[given].omega[0] == pytest.approx(3.0, abs=EXACT)


@pytest.mark.parametrize("speed", [2.0, -5.0])
@pytest.mark.parametrize("spin", [None, 0.0, 4.0])
def test_a_bead_on_a_slot_keeps_its_tangential_speed(speed, spin):
    m = tm.PlanarModel("bead", gravity=(0, 0))
    at = 0.7
    bead = m.body(
        "bead", position=(math.cos(at), math.sin(at)), mass=0.4, inertia=0.01, omega=spin,
        velocity=(-speed * math.sin(at), speed * math.cos(at)),
    )  # fmt: skip
    m.slot("S", m.ground, bead.at(0, 0), curve=tm.curves.circle(1.0))
    r = start_of(m)
    np.testing.assert_allclose(r["bead"].velocity[0], bead.velocity, atol=EXACT)
    assert r["bead"].omega[0] == pytest.approx(spin or 0.0, abs=EXACT)
    assert r.warnings == ()


def test_a_driven_drum_does_not_spin_its_free_tub():
    for order in (("drum", "tub"), ("tub", "drum")):
        m = tm.PlanarModel("washer", gravity=(0, 0))
        for name in order:
            m.body(name, mass=2.0, inertia=0.3)
        m.revolute("A", m.ground, "drum", at=(0, 0))
        m.revolute("B", "drum", "tub", at=(0, 0))
        m.driver("motor", "A.angle", "100*t")
        r = start_of(m)
        assert r["drum"].omega[0] == pytest.approx(100.0, abs=EXACT)
        assert abs(r["tub"].omega[0]) < EXACT
        assert r.warnings == ()


def test_one_component_may_be_given_and_the_others_follow():
    """A block on a 30° incline: its velocity along x is given, the one along y follows."""
    m = tm.PlanarModel("incline")
    block = m.body("block", angle=math.pi / 6, mass=1.0, inertia=0.1, velocity=(1.0, None))
    m.prismatic("T", m.ground, block, at=(0, 0), axis=(math.cos(math.pi / 6), 0.5))
    np.testing.assert_allclose(start_of(m).v[0], [1.0, math.tan(math.pi / 6), 0.0], atol=EXACT)


def test_what_is_given_in_space_stays():
    m = four_bar(tilt=TILTED).copy(changes={"crank": {"omega": (None, None, 2.0)}})
    r = start_of(m)
    k = four_bar(tilt=TILTED, drive="pi/3 + 2*t").kinematics(times=[0.0], **QUIET)
    np.testing.assert_allclose(r.v[0], k.v[0], atol=1e-9)  # the drawn pose is closed to 1e-10 only
    assert r.warnings == ()


def test_a_copy_keeps_what_was_given_and_what_was_not():
    m = tm.SpatialModel("two")
    m.body("one", mass=1.0, inertia=0.1, velocity=(1.0, None, 0.0))
    m.body("other", mass=1.0, inertia=0.1, omega=(0.0, 0.0, 2.0))
    twin = m.copy()
    assert [b.given_velocities for b in twin.bodies.values()] == [b.given_velocities for b in m.bodies.values()]
    assert twin["one"].given_velocities == (1.0, None, 0.0, None, None, None)


# --- the rest has the least kinetic energy ---------------------------------------------------------------------------------


def random_tree(seed, space):
    """A few bars joined by balls or pins, some with given velocities that the joints allow (Kelvin has to choose the rest)."""
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("tree", gravity=(0, 0, 0)) if space else tm.PlanarModel("tree", gravity=(0, 0))
    end = np.zeros(3 if space else 2)
    before = m.ground if rng.random() < 0.5 else None
    for k in range(4):
        tip = end + rng.normal(size=end.size)
        mass = float(10 ** rng.uniform(-1, 1))
        if space:
            more = {"omega": tuple(rng.normal(size=3) if k == 2 else [None] * 3)}
            body = rod(m, f"b{k}", end, tip, mass, centroid=tuple(0.1 * rng.normal(size=3)), **more)
        else:
            length = float(np.linalg.norm(tip - end))
            body = m.body(
                f"b{k}", position=(end + tip) / 2, angle=float(np.arctan2(*(tip - end)[::-1])), mass=mass, inertia=mass * length**2 / 12,
                centroid=tuple(0.1 * rng.normal(size=2)), omega=float(rng.normal()) if k == 2 else None,
            )  # fmt: skip
        if before is not None:
            if space:
                m.spherical(f"J{k}", before, body, at=end)
            else:
                m.revolute(f"J{k}", before, body, at=end)
        end, before = tip, body
    return m


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("seed", range(6))
def test_no_other_motion_with_the_given_velocities_has_less_kinetic_energy(seed, space):
    m = random_tree(seed, space)
    r = start_of(m)
    system = lower(m, dynamics=True)
    given = [
        k for k, x in enumerate(x for b in list(m.bodies.values())[1:] for x in b.given_velocities) if x is not None
    ]
    v = r.v[0]
    np.testing.assert_allclose(v[given], [x for b in list(m.bodies.values())[1:] for x in b.given_velocities if x is not None],
                               atol=EXACT)  # fmt: skip
    # a motion that may be added: every virtual motion that keeps joints and given values changes the energy by momentum . dv = 0
    rows = np.vstack(
        [jacobian(system, system.start, 0.0, range(len(system.rows))) / system.column_scales(), np.eye(v.size)[given]]
    )
    _, sizes, right = np.linalg.svd(rows)
    free = right[(sizes > 1e-9).sum() :]
    momentum = mass_matrix(system, system.start) @ v
    assert np.abs(free @ momentum).max() < 1e-10 * np.abs(momentum).max()


def test_a_struck_double_pendulum_moves_as_kelvin_says():
    """Upper rod set to 1 rad/s, lower rod free, both straight: the lower one turns backwards at 1.5 rad/s (uniform rods).

    Lower rod, pinned end given the speed l w: least m (l w + l u / 2)² / 2 + m l² u² / 24 gives u = -3 w / 2.
    """
    m = tm.PlanarModel("double", gravity=(0, 0))
    m.body("upper", position=(0.5, 0), mass=1.0, inertia=1 / 12, omega=1.0)
    m.body("lower", position=(1.5, 0), mass=1.0, inertia=1 / 12)
    m.revolute("A", m.ground, "upper", at=(0, 0))
    m.revolute("B", "upper", "lower", at=(1, 0))
    assert start_of(m)["lower"].omega[0] == pytest.approx(-1.5, abs=EXACT)


def test_nothing_given_starts_at_rest():
    assert not start_of(four_bar_release()).v.any()


# --- contradictions ---------------------------------------------------------------------------------------------------------


def test_a_crank_given_a_drift_that_its_pin_forbids_is_told_and_moved_to_the_closest():
    """velocity=(1, 0) of a pinned bar at 60°, its spin free: what lies along the circle of its centre stays."""
    m = tm.PlanarModel("crank", gravity=(0, 0))
    at = math.pi / 3
    m.body(
        "crank",
        position=(0.5 * math.cos(at), 0.5 * math.sin(at)),
        angle=at,
        mass=2.0,
        inertia=2 / 12,
        velocity=(1.0, 0.0),
    )
    m.revolute("A", m.ground, "crank", at=(0, 0))
    with pytest.warns(tm.RunWarning, match=r"crank.vx was given as 1 and starts at.*hold=\[.crank.vx") as seen:
        r = start_of(m)
    assert r["crank"].omega[0] == pytest.approx(-math.sin(at) / 0.5, abs=EXACT)
    assert r.warnings[0].kind == "start" and len(seen) == 1


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("seed", range(4))
def test_contradicting_velocities_change_as_if_the_joints_took_hold_at_once(seed, space):
    """With every velocity given, the change is J' times an impulse over the masses: M (v - given) is orthogonal to all free motions."""
    m = random_tree(seed, space)
    rng = np.random.default_rng(seed)
    size = 3 if space else 2
    asked = {"velocity": lambda: tuple(rng.normal(size=size))} | (
        {"omega": lambda: tuple(rng.normal(size=3))} if space else {"omega": lambda: float(rng.normal())}
    )
    m = m.copy(changes={b: {k: f() for k, f in asked.items()} for b in list(m.bodies)[1:]})
    with pytest.warns(tm.RunWarning, match="contradict"):
        r = start_of(m)
    system = lower(m, dynamics=True)
    given = np.array([x for b in list(m.bodies.values())[1:] for x in b.given_velocities])
    J = jacobian(system, system.start, 0.0, range(len(system.rows))) / system.column_scales()
    assert np.abs(J @ r.v[0]).max() < EXACT * 10
    _, sizes, right = np.linalg.svd(J)
    free = right[(sizes > 1e-9).sum() :]
    assert np.abs(free @ mass_matrix(system, system.start) @ (r.v[0] - given)).max() < 1e-10


def test_plane_and_space_correct_alike():
    at = 0.4
    flat = tm.PlanarModel("flat", gravity=(0, 0))
    deep = tm.SpatialModel("deep", gravity=(0, 0, 0))
    x, y = 0.5 * math.cos(at), 0.5 * math.sin(at)
    flat.body("a", position=(x, y), angle=at, mass=2.0, inertia=0.3, velocity=(1.0, -2.0), omega=0.7)
    deep.body(
        "a",
        position=(x, y, 0),
        rotation=turn(Z, at),
        mass=2.0,
        inertia=(0.2, 0.3, 0.3),
        velocity=(1.0, -2.0, 0),
        omega=(0, 0, 0.7),
    )
    flat.body("b", position=(2 * x + 0.5, 2 * y), mass=1.0, inertia=0.1, velocity=(0.0, 3.0), omega=-1.0)
    deep.body("b", position=(2 * x + 0.5, 2 * y, 0), mass=1.0, inertia=0.1, velocity=(0.0, 3.0, 0), omega=(0, 0, -1.0))
    flat.revolute("A", flat.ground, "a", at=(0, 0))
    flat.revolute("B", "a", "b", at=(2 * x, 2 * y))
    deep.revolute("A", deep.ground, "a", at=(0, 0, 0), axis="z")
    deep.revolute("B", "a", "b", at=(2 * x, 2 * y, 0), axis="z")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = start_of(flat), start_of(deep)
    for body in "ab":
        np.testing.assert_allclose(other[body].velocity[0, :2], one[body].velocity[0], atol=EXACT)
        assert other[body].omega[0, 2] == pytest.approx(one[body].omega[0], abs=EXACT)


def test_other_units_and_another_order_correct_alike():
    """Millimetres instead of metres, and the bodies in another order: the same motion."""

    def built(unit, order):
        m = tm.PlanarModel("pair", gravity=(0, 0))
        for name in order:
            x, spin = {"a": (0.5, 1.0), "b": (1.5, 4.0)}[name]
            m.body(
                name,
                position=(x * unit, 0),
                mass=1.0,
                inertia=unit**2 / 12,
                velocity=(0.3 * unit, 0.2 * unit),
                omega=spin,
            )
        m.revolute("A", m.ground, "a", at=(0, 0))
        m.revolute("B", "a", "b", at=(unit, 0))
        with pytest.warns(tm.RunWarning):
            return start_of(m)

    one, other, turned = built(1.0, "ab"), built(1e-3, "ab"), built(1.0, "ba")
    for body in "ab":
        for r in (other, turned):
            assert r[body].omega[0] == pytest.approx(one[body].omega[0], abs=1e-10)


def test_a_warning_names_at_most_four_and_counts_the_others():
    m = tm.PlanarModel("fixed", gravity=(0, 0))
    for k in range(3):
        m.body(f"b{k}", position=(k, 0), mass=1.0, inertia=0.1, velocity=(1.0, 1.0), omega=1.0)
        m.fix(f"F{k}", f"b{k}")
    with pytest.warns(tm.RunWarning, match="and 5 more"):
        start_of(m)


# --- massless parts ------------------------------------------------------------------------------------------------------------


def test_a_massless_link_follows_and_is_not_told():
    m = tm.PlanarModel("light", gravity=(0, 0))
    m.body("crank", position=(0.5, 0), mass=1.0, inertia=0.1, omega=2.0)
    m.body("link", position=(1.0, 0.5), angle=math.pi / 2, massless=True)
    m.body("bob", position=(1.0, 1.0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", "crank", "link", at=(1, 0))
    m.revolute("C", "link", "bob", at=(1, 1))
    r = start_of(m)
    assert r["crank"].omega[0] == pytest.approx(2.0, abs=EXACT)
    # the end of the crank moves along the link, so the bob must follow with 2 m/s and nothing turns the link
    np.testing.assert_allclose(r["bob"].velocity[0], [0, 2.0], atol=EXACT)
    assert abs(r["link"].omega[0]) < EXACT and abs(r["bob"].omega[0]) < EXACT
    assert r.warnings == ()


def test_a_spin_that_nothing_feels_stays_as_given():
    """A rod without inertia about its axis, between two balls: its spin is kept, or zero."""
    for spin in (None, 5.0):
        m = tm.SpatialModel("rod", gravity=(0, 0, 0))
        m.body("rod", position=(0.5, 0, 0), mass=1.0, inertia=(0, 1 / 12, 1 / 12), omega=(spin, None, None))
        m.spherical("S", m.ground, "rod", at=(0, 0, 0))
        r = start_of(m)
        np.testing.assert_allclose(r["rod"].omega[0], [spin or 0.0, 0, 0], atol=EXACT)


# --- initial values and holds of anything measured ------------------------------------------------------------------------------


def crank_slider():
    m = tm.PlanarModel("slider-crank")
    m.body("crank", position=(0.05, 0.0), angle=0.0, mass=1.0, inertia=1e-3)
    m.body("rod", position=(0.2, 0.02), angle=-0.1, mass=2.0, inertia=1e-2)
    m.body("slider", position=(0.3, 0.0), mass=1.0, inertia=1e-3)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", m["crank"].at(0.05, 0), m["rod"].at(-0.15, 0))
    m.revolute("C", m["rod"].at(0.15, 0), m["slider"].at(0, 0))
    m.prismatic("T", m.ground, "slider", at=(0.3, 0), axis=(1, 0))
    m.point("P", "rod", local=(0.0, 0.03))
    return m


def slider_at(angle):
    return 0.1 * math.cos(angle) + math.sqrt(0.3**2 - (0.1 * math.sin(angle)) ** 2)


@pytest.mark.parametrize(("angle", "rate"), [(0.3, 10.0), (-1.2, 0.0), (2.5, -3.0)])
def test_an_angle_and_its_rate_can_be_asked_for(angle, rate):
    r = start_of(crank_slider(), initial={"A.angle": angle, "A.angle.rate": rate})
    assert r["A"].angle[0] == pytest.approx(angle, abs=EXACT)
    assert r["crank"].omega[0] == pytest.approx(rate, abs=EXACT)
    assert r["slider"].x[0] == pytest.approx(slider_at(angle), abs=EXACT)
    h = 1e-5
    speed = rate * (slider_at(angle + h) - slider_at(angle - h)) / (2 * h)
    assert r["slider"].velocity[0, 0] == pytest.approx(speed, abs=1e-8)  # differences


@pytest.mark.parametrize(
    "initial",
    [
        {"slider.x": 0.35}, {"slider.x": 0.35, "slider.vx": -0.4}, {"P.y": 0.05, "P.vy": 0.2}, {"T.distance": -0.03},
        {"P.x - slider.x": -0.135}, {"(P.x - slider.x).rate": 0.02, "A.angle": 0.8}, {"P.x^2 + P.y^2": 0.05},
        {"crank.omega - 2*rod.omega": 1.0, "A.angle": 0.8}, {"sqrt(P.vx^2 + P.vy^2)": 0.3, "A.angle": 0.8}, {"rod.angle": -0.25},
    ],
    ids=str,
)  # fmt: skip
def test_any_measured_quantity_formula_or_rate_can_be_asked_for(initial):
    m = crank_slider()
    assembled = m.assemble(initial={"A.angle": 0.9}).model()
    r = start_of(assembled, initial=initial)
    scope = {"sqrt": np.sqrt}
    for body in ("crank", "rod", "slider"):
        b = r[body]
        scope |= {
            f"{body}_x": b.x[0],
            f"{body}_vx": b.velocity[0, 0],
            f"{body}_omega": b.omega[0],
            f"{body}_angle": b.phi[0],
        }
    for what in ("x", "y"):
        p = r.series(f"P.{what}")
        scope |= {f"P_{what}": p.value[0], f"P_v{what}": p.rate[0]}
    scope |= {"A_angle": r["A"].angle[0], "T_distance": r["T"].distance[0]}
    for text, value in initial.items():
        formula = (
            text.replace("(P.x - slider.x).rate", "P.vx - slider.vx")
            .replace(".", "_")
            .replace("^", "**")
            .replace("2*rod", "2*rod")
        )
        assert eval(formula, {}, scope) == pytest.approx(value, abs=1e-11)
    assert r.constraint_violation() < 1e-12


def test_a_turn_beyond_the_drawn_one_can_be_asked_for():
    for m in (crank_slider(), None):
        if m is None:
            m = tm.SpatialModel("wheel")
            m.body("wheel", mass=1.0, inertia=0.1)
            m.revolute("A", m.ground, "wheel", at=(0, 0, 0), axis="y")
        r = start_of(m, initial={"A.angle": 4 * math.pi + 0.5})
        assert r["A"].angle[0] == pytest.approx(4 * math.pi + 0.5, abs=1e-11)


def test_measured_quantities_are_held_as_drawn():
    m = crank_slider().copy(changes={"crank": {"angle": 0.2, "position": (0.05, 0.01)}})  # does not close as drawn
    for held in (["A.angle"], [m["A"].angle], ["crank.phi"], "A.angle"):
        r = start_of(m, initial=tm.InitialConditions(hold=held))
        assert r["crank"].phi[0] == pytest.approx(0.2, abs=1e-9)  # HELD moves 1e-9 as readily as the others
    assert start_of(m, initial=tm.InitialConditions(hold=["slider.x"]))["slider"].x[0] == pytest.approx(0.3, abs=1e-9)
    place = start_of(m, initial=tm.InitialConditions(hold=["P.x"])).series("P.x").value[0]
    assert place == pytest.approx(0.2 - 0.03 * math.sin(-0.1), abs=EXACT)


def test_a_rate_that_follows_from_what_is_given_is_held():
    m = crank_slider().copy(changes={"crank": {"omega": 3.0}, "slider": {"velocity": (9.0, 0.0)}})
    with pytest.warns(tm.RunWarning, match=r"slider.vx was given as 9"):
        r = start_of(m, initial=tm.InitialConditions(hold=["A.angle.rate"]))
    assert r["crank"].omega[0] == pytest.approx(3.0, abs=EXACT)


def test_initial_values_work_in_space_and_for_vectors():
    m = tm.SpatialModel("top")
    m.body("top", position=(0, 0, 1), mass=1.0, inertia=(0.3, 0.3, 0.1))
    m.spherical("O", m.ground, "top", at=(0, 0, 0))
    r = start_of(m, initial={"top.omega": (0.2, 0.0, 30.0)})
    np.testing.assert_allclose(r["top"].omega_body[0], [0.2, 0, 30], atol=EXACT)
    np.testing.assert_allclose(r["top"].velocity[0], [0, -0.2, 0], atol=EXACT)
    r = start_of(m, initial={"top.x": 0.3, "top.y": -0.4, "top.vx": 1.0})
    np.testing.assert_allclose(r["top"].position[0, :2], [0.3, -0.4], atol=EXACT)
    assert np.linalg.norm(r["top"].position[0]) == pytest.approx(1.0, abs=EXACT)
    assert r["top"].velocity[0, 0] == pytest.approx(1.0, abs=EXACT)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"initial": {"slider.x": 0.6}}, tm.AssemblyError, r"slider\.x = 0\.6"),
        ({"initial": {"A.angle": 0.3, "slider.x": 0.35}}, tm.AssemblyError, r"A\.angle = 0\.3, slider\.x = 0\.35"),
        ({"initial": {"A.angle.rate": 1.0, "crank.omega": 2.0}}, tm.AssemblyError, "allow"),
        ({"initial": {"slider.vy": 1.0}}, tm.AssemblyError, r"slider\.vy is asked to start at 1, but the constraints.*allow 0"),
        ({"initial": {"A.reaction": 1.0}}, tm.ModelError, "reaction"),
        ({"initial": {"A.psi": 1.0}}, tm.ModelError, "psi"),
        ({"initial": {"A.angle": "x"}}, tm.ModelError, "must be a number"),
        ({"initial": {"A.angle": math.nan}}, tm.ModelError, "finite"),
        ({"initial": {"slider.velocity": 1.0}}, tm.ModelError, "2 numbers"),
        ({"initial": ["A.angle"]}, tm.ModelError, "mapping by name"),
        ({"initial": {"2*t": 1.0}}, tm.ModelError, "no measured quantity"),
        ({"initial": {"(crank.omega).rate": 1.0}}, tm.ModelError, "acceleration"),
        ({"initial": tm.InitialConditions(hold=["crank.omega"])}, tm.ModelError, "nothing to hold"),
        ({"initial": tm.InitialConditions(hold=["A.angle.rate"])}, tm.ModelError, "nothing to hold"),
        ({"initial": tm.InitialConditions(hold=["A.psi"])}, tm.ModelError, "psi"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_had_is_refused_with_a_sentence(options, error, words):
    with pytest.raises(error, match=words):
        start_of(crank_slider(), **options)


def test_conditions_without_a_correction_are_refused():
    for given in ({"values": {"A.angle": 0.3}}, {"hold": ["A.angle"]}):
        with pytest.raises(tm.ModelError, match="correct=False"):
            tm.InitialConditions(**given, correct=False)


def test_a_rotation_without_a_value_is_refused():
    m = tm.SpatialModel("one")
    m.body("b", mass=1.0, inertia=0.1)
    with pytest.raises(tm.ModelError, match="has a rate but no value"):
        start_of(m, initial={"b.rx": 0.1})


# --- large models ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("seed", range(4))
def test_the_sparse_solution_for_large_models_is_the_same(seed, space, monkeypatch):
    m = random_tree(seed, space)
    both = [
        m,
        m.copy(
            changes={"b0": {"velocity": (1.0,) * (3 if space else 2)}, "b1": {"velocity": (0.3,) * (3 if space else 2)}}
        ),
    ]
    for model in both:
        system = lower(model, dynamics=True)
        found = []
        for limit in (1000, 0):
            monkeypatch.setattr(start_velocities, "DENSE", limit)
            found.append(consistent_start(system, active_rows(system), 0.0).v)
        np.testing.assert_allclose(found[1], found[0], atol=1e-9)  # passes end when nothing changes any more
