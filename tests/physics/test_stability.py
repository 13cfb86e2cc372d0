"""Small motions about rest: frequencies, damping, divergence and flutter against closed forms and independent matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import eig

import pytrammel as tm
from pytrammel.analysis.small_motions.small_motions import Pencil
from spatial_models import turn

pytestmark = pytest.mark.search

# stiffnesses are exact, or extrapolated differences of one element: about 1e-12 of the largest
EXACT = 1e-10


# --- columns under a follower load -----------------------------------------------------------------------------------------


def column(masses, stiffness, load, *, length=1.0, damping=0.0, space=False, tilt=None):
    """Links of one length with point masses at their ends, springs at the joints, and a load along the last link."""
    n = len(masses)
    tilt = np.eye(3) if tilt is None else tilt
    m = tm.SpatialModel("column", gravity=(0, 0, 0)) if space else tm.PlanarModel("column", gravity=(0, 0))
    before = m.ground
    for k in range(n):
        if space:
            at, end = tilt @ (0, k * length, 0), tilt @ (0, (k + 1) * length, 0)
            body = m.body(
                f"b{k}", position=end, rotation=tilt @ turn((0, 0, 1), math.pi / 2), mass=masses[k], inertia=1e-30
            )
            m.revolute(f"J{k}", before, body, at=at, axis=tilt[:, 2])
            m.torsion_spring(f"S{k}", f"J{k}", stiffness=stiffness[k], damping=damping, free_angle=0.0)
        else:
            body = m.body(f"b{k}", position=(0, (k + 1) * length), angle=math.pi / 2, mass=masses[k], inertia=0.0)
            m.revolute(f"J{k}", before, body, at=(0, k * length))
            straight = math.pi / 2 if k == 0 else 0.0
            m.torsion_spring(
                f"S{k}", first=before, second=body, stiffness=stiffness[k], damping=damping, free_angle=straight
            )
        before = body
    push = (-load, 0.0, 0.0) if space else (-load, 0.0)
    m.force("P", before.at(0, 0), push, frame="body")
    return m


def column_matrices(masses, stiffness, load, *, length=1.0, damping=0.0):
    """The same in the absolute angles of the links: kinetic energy, springs between neighbours, Q_i = P L (theta_i - theta_n)."""
    n = len(masses)
    M = np.array([[length**2 * sum(masses[max(i, j) :]) for j in range(n)] for i in range(n)])
    springs = np.zeros((n, n))
    for k in range(n):
        pick = np.zeros(n)
        pick[k] = 1.0
        if k:
            pick[k - 1] = -1.0
        springs += stiffness[k] * np.outer(pick, pick)
    C = damping * springs / stiffness[0] if damping else np.zeros((n, n))
    follower = load * length * (np.eye(n) - np.outer(np.ones(n), np.eye(n)[-1]))
    return M, C, springs - follower


def eigenvalues(M, C, K):
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]])
    B = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), M]])
    return eig(A, B, right=False)


def assert_same_modes(found, M, C, K, tolerance=EXACT):
    """Every eigenvalue with an imaginary part that is not negative is a mode (of an undamped pair ±s the growing one)."""
    want = eigenvalues(M, C, K)
    size = np.abs(want).max()
    want = want[want.imag > -1e-6 * size]
    for mode in found.modes:
        assert np.abs(want - mode.eigenvalue).min() < tolerance * size
    assert found.stable == bool((want.real < 1e-6 * size).all())


def test_zieglers_column_has_its_frequencies():
    """P = k / L, masses 2 m and m: 1.481 and 4.776 rad/s for k / (m L²) = 10 (Ziegler 1952; symmetrised K gives 1.266 and 4.837)."""
    found = column([2.0, 1.0], [10.0, 10.0], 10.0).equilibrium()
    assert found.stable
    # det(K - w² M) = 0 with K = k [[2 - p, p - 1], [-1, 1]] and M = [[3, 1], [1, 1]], p = 1: 2 w⁴ - 5 k w² + k² = 0
    want = [math.sqrt(10.0 * (5 - sign * math.sqrt(17)) / 4) for sign in (1, -1)]
    np.testing.assert_allclose(found.frequencies, want, rtol=EXACT)
    assert found.frequencies == pytest.approx([1.481, 4.776], abs=5e-4)


CRITICAL = 3.5 - math.sqrt(2.0)  # P L / k at which Ziegler's column begins to flutter


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 0.999, 1.001, 1.1, 1.5, 1.9])
def test_zieglers_column_flutters_beyond_its_critical_load(share):
    k, length = 7.0, 0.4
    found = column([0.6, 0.3], [k, k], share * CRITICAL * k / length, length=length).equilibrium()
    assert found.stable == (share < 1.0)
    assert {mode.kind for mode in found.modes} == ({"oscillation"} if share < 1.0 else {"oscillation", "flutter"})
    # close to the critical load frequencies coalesce, and errors grow like their square root
    tolerance = 1e-5 if abs(share - 1.0) < 0.01 else EXACT
    assert_same_modes(
        found, *column_matrices([0.6, 0.3], [k, k], share * CRITICAL * k / length, length=length), tolerance
    )
    if share > 1.0:
        assert "unstable (flutter)" in str(found) and found.modes[0].kind == "flutter"


def test_little_damping_lowers_the_load_of_flutter():
    """Ziegler's paradox: with equal dampers in both joints flutter begins at 41/28 k / L however small they are, not at 2.086."""
    for share, stable in ((0.98, True), (1.02, False)):
        load = share * 41.0 / 28.0 * 10.0
        assert column([2.0, 1.0], [10.0, 10.0], load).equilibrium().stable
        damped = column([2.0, 1.0], [10.0, 10.0], load, damping=1e-3)
        found = damped.equilibrium()
        assert found.stable == stable
        assert_same_modes(found, *column_matrices([2.0, 1.0], [10.0, 10.0], load, damping=1e-3))


@pytest.mark.parametrize("seed", range(8))
def test_columns_of_many_links_have_the_modes_of_their_matrices(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    masses, stiffness = rng.uniform(0.2, 2.0, n), rng.uniform(1.0, 5.0, n)
    given = {"load": rng.uniform(0.0, 6.0), "length": rng.uniform(0.3, 1.5)}
    found = column(list(masses), list(stiffness), **given).equilibrium()
    assert_same_modes(found, *column_matrices(masses, stiffness, **given))


@pytest.mark.parametrize("load", [5.0, 10.0, 25.0])
def test_a_column_in_space_has_the_same_modes(load):
    tilt = turn((0.48, -0.6, 0.64), 0.8)
    found = column([2.0, 1.0], [10.0, 10.0], load, space=True, tilt=tilt).equilibrium()
    assert_same_modes(found, *column_matrices([2.0, 1.0], [10.0, 10.0], load))


def test_the_motion_grows_as_the_flutter_mode_says():
    load = 25.0
    m = column([2.0, 1.0], [10.0, 10.0], load)
    mode = m.equilibrium().modes[0]
    assert mode.kind == "flutter"
    run = m.simulate(
        12.0, samples=1201, initial={"J0.angle": math.pi / 2 + 1e-7}, rtol=1e-11, atol=1e-16, progress=False
    )
    size = np.log(np.abs(run["b1"].phi - math.pi / 2) + 1e-300)
    peaks = [k for k in range(600, 1200) if size[k] > size[k - 1] and size[k] > size[k + 1]]
    rate = np.polyfit(run.times[peaks], size[peaks], 1)[0]
    assert rate == pytest.approx(mode.growth, rel=0.01)  # sampled peaks


# --- divergence, damping, gyroscopic and circulatory forces -----------------------------------------------------------------


def test_an_inverted_pendulum_diverges_at_the_known_rate():
    m = tm.PlanarModel("inverted")
    m.body("rod", position=(0, 0.5), angle=math.pi / 2, mass=2.0, inertia=2.0 / 12)
    m.revolute("O", m.ground, "rod", at=(0, 0))
    found = m.equilibrium(allow_unstable=True)
    rate = math.sqrt(1.5 * 9.81)
    assert not found.stable and found.modes[0].kind == "divergence"
    assert found.modes[0].growth == pytest.approx(rate, rel=EXACT)
    assert found.frequencies == pytest.approx([-rate], rel=EXACT)
    assert "unstable (divergence)" in str(found)


def particle(k=(4.0, 9.0), c=(0.0, 0.0), gyro=0.0, circulation=0.0, mass=2.0, space=False):
    """A point mass on springs and dampers with forces across: gyro times the velocity, circulation times the displacement."""
    m = tm.SpatialModel("particle", gravity=(0, 0, 0)) if space else tm.PlanarModel("particle", gravity=(0, 0))
    p = m.body("p", mass=mass, inertia=0.1)
    if space:
        m.constrain("level", p.z)
        for own, other in ("yz", "zx", "xy"):
            m.constrain(f"upright_{own}", m.cosine(p, own, m.ground, other))
    else:
        m.constrain("upright", p.phi)
    m.user_force("X", p.x, f"-{k[0]}*p.x - {c[0]}*p.vx + {gyro}*p.vy + {circulation}*p.y")
    m.user_force("Y", p.y, f"-{k[1]}*p.y - {c[1]}*p.vy - {gyro}*p.vx - {circulation}*p.x")
    M = mass * np.eye(2)
    C = np.array([[c[0], -gyro], [gyro, c[1]]])
    K = np.array([[k[0], -circulation], [circulation, k[1]]])
    return m, (M, C, K)


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize(
    "given",
    [
        {"c": (0.3, 0.1)}, {"c": (30.0, 0.2)}, {"c": (-0.2, 0.4)}, {"c": (-1e-4, 0.0)}, {"circulation": 1.0}, {"circulation": 3.0},
        {"circulation": 3.0, "c": (3.0, 1.0)}, {"k": (-1.0, -2.0), "gyro": 1.0}, {"k": (-1.0, -2.0), "gyro": 8.0},
        {"k": (-1.0, -2.0), "gyro": 8.0, "c": (0.05, 0.05)}, {"k": (4.0, 4.0), "gyro": 2.0}, {"k": (-1.0, 4.0), "gyro": 0.5},
    ],
    ids=str,
)  # fmt: skip
def test_damped_gyroscopic_and_circulatory_systems_have_the_modes_of_their_matrices(given, space):
    m, matrices = particle(space=space, **given)
    assert_same_modes(m.equilibrium(allow_unstable=True), *matrices)


def test_gyroscopic_forces_stabilise_and_damping_undoes_it():
    """Kelvin and Tait: a maximum of potential energy can be held by gyroscopic forces, but not with damping."""
    still, spun = (particle(k=(-1.0, -2.0), gyro=g)[0].equilibrium(allow_unstable=True) for g in (0.0, 8.0))
    damped = particle(k=(-1.0, -2.0), gyro=8.0, c=(0.05, 0.05))[0].equilibrium(allow_unstable=True)
    assert not still.stable and {m.kind for m in still.modes} == {"divergence"}
    assert spun.stable and {m.kind for m in spun.modes} == {"oscillation"}
    assert not damped.stable and "flutter" in {m.kind for m in damped.modes}


@pytest.mark.parametrize("ratio", [0.05, 0.5, 0.999, 1.5, 20.0])
def test_a_damper_has_its_ratio(ratio):
    m = tm.PlanarModel("damper", gravity=(0, 0))
    m.body("b", position=(1.0, 0), mass=2.0, inertia=0.1)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.spring("S", m.ground.at(0, 0), m["b"].at(0, 0), stiffness=50.0, damping=2 * ratio * 10.0, free_length=1.0)
    found = m.equilibrium()
    assert found.stable and found.frequencies == pytest.approx([5.0], rel=EXACT)
    if ratio < 1.0:
        (mode,) = found.modes
        assert (mode.frequency, mode.damping_ratio) == (pytest.approx(5.0, rel=1e-8), pytest.approx(ratio, rel=1e-8))
        assert f"damping ratio {ratio:.4g}" in str(found)
    else:
        rates = sorted(mode.growth for mode in found.modes)
        root = math.sqrt(ratio**2 - 1)
        assert rates == pytest.approx([-5.0 * (ratio + root), -5.0 * (ratio - root)], rel=1e-7)


@pytest.mark.parametrize("spread", [1e-5, 1e-3, 0.1])
def test_slow_roots_of_strongly_damped_sliders_stay_apart(spread):
    """Two sliders with nearly equal slow roots beside fast ones; roots of s² + c s + k in the stable form -k/(c/2 + root)."""
    damping, stiffness = 450.0, (150.0, 150.0 * (1.0 + spread))
    m = tm.PlanarModel("sliders", gravity=(0.0, 0.0))
    for name, k in zip("ab", stiffness, strict=True):
        m.body(name, position=(1.0, 0.0), mass=1.0, inertia=1.0)
        m.prismatic(f"T{name}", m.ground, name, at=(0.0, 0.0), axis=(1.0, 0.0))
        m.spring(f"S{name}", m.ground.at(0.0, 0.0), m[name].at(0.0, 0.0), stiffness=k, damping=damping, free_length=1.0)
    slow = [-k / (damping / 2.0 + math.sqrt(damping**2 / 4.0 - k)) for k in stiffness]
    found = sorted((mode.eigenvalue.real for mode in m.equilibrium().modes), key=abs)
    # eigenvalues are exact to rounding of the largest
    assert found[:2] == pytest.approx(slow, rel=0.0, abs=1e-12 * damping)


def test_friction_in_a_joint_damps_by_the_load_it_carries():
    """Smoothed dry friction at rest is a damper of slope mu N r / speed: it sees the reaction of the hinge."""
    m = tm.PlanarModel("rusty")
    m.body("rod", position=(0, -0.5), angle=-math.pi / 2, mass=2.0, inertia=2.0 / 12)
    m.revolute("O", m.ground, "rod", at=(0, 0))
    free = m.equilibrium()
    assert {mode.kind for mode in free.modes} == {"oscillation"} and free.modes[0].growth == 0.0
    m.joint_friction("F", "O", friction=0.1, radius=0.02)
    rusty = m.equilibrium()
    assert rusty.stable and any(mode.growth < -1.0 for mode in rusty.modes)


# --- without mass, without stiffness -------------------------------------------------------------------------------------------


def in_series(damping=0.0):
    m = tm.PlanarModel("series", gravity=(0, 0))
    m.body("link", position=(1.0, 0), massless=True)
    m.body("b", position=(2.0, 0), mass=3.0, inertia=0.1)
    for name in ("link", "b"):
        m.prismatic(f"T_{name}", m.ground, name, at=(0, 0), axis=(1, 0))
    m.spring("first", m.ground.at(0, 0), m["link"].at(0, 0), stiffness=20.0, damping=damping, free_length=1.0)
    m.spring("second", m["link"].at(0, 0), m["b"].at(0, 0), stiffness=30.0, free_length=1.0)
    return m


def test_springs_in_series_over_a_massless_link():
    found = in_series().equilibrium()
    assert found.stable and found.frequencies == pytest.approx([math.sqrt(12.0 / 3.0)], rel=EXACT)


def test_a_damper_on_a_massless_link_gives_three_eigenvalues():
    """m x'' = -k2 (x - y), c y' = k2 (x - y) - k1 y: m c s³ + m (k1 + k2) s² + c k2 s + k1 k2 = 0."""
    m, c, k1, k2 = 3.0, 7.0, 20.0, 30.0
    found = in_series(c).equilibrium()
    want = np.roots([m * c, m * (k1 + k2), c * k2, k1 * k2])
    for mode in found.modes:
        assert np.abs(want - mode.eigenvalue).min() < 1e-7
    assert len(found.modes) == 2 and found.stable


def test_a_car_that_may_roll_is_neutral_with_and_without_damping():
    for damping in (0.0, 0.4):
        m = tm.PlanarModel("car")
        m.body("car", mass=2.0, inertia=0.1)
        m.body("load", position=(1.0, 0), mass=1.0, inertia=0.1)
        for name in ("car", "load"):
            m.prismatic(f"T_{name}", m.ground, name, at=(0, 0), axis=(1, 0))
        m.spring("S", m["car"].at(0, 0), m["load"].at(0, 0), stiffness=30.0, damping=damping, free_length=1.0)
        found = m.equilibrium()
        assert found.stable and found.neutral == 1
        assert [mode.kind for mode in found.modes] == ["neutral", "oscillation"]
        assert found.modes[1].frequency == pytest.approx(math.sqrt(30.0 * 1.5), rel=1e-6)


def test_a_stiff_spring_beside_a_soft_one_hides_no_mode():
    m = tm.PlanarModel("stiff", gravity=(0, 0))
    for name, k in (("soft", 1.0), ("hard", 1e8)):
        m.body(name, position=(1.0, 0), mass=1.0, inertia=0.1)
        m.prismatic(f"T_{name}", m.ground, name, at=(0, 0), axis=(1, 0))
        m.spring(f"S_{name}", m.ground.at(0, 0), m[name].at(0, 0), stiffness=k, free_length=1.0)
    found = m.equilibrium()
    assert found.stable and found.neutral == 0
    assert found.frequencies == pytest.approx([1.0, 1e4], rel=1e-5)


# --- where nothing is linear ---------------------------------------------------------------------------------------------------


def test_a_contact_that_just_touches_is_told():
    """A block held by a spring exactly at a stop: to one side 10 N/m, to the other 10 + 1000 N/m."""
    m = tm.PlanarModel("touching", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=0.1)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.user_force("F", m["b"].x, "-10*b.x - 1000*max(b.x, 0)")
    with pytest.warns(tm.RunWarning, match=r"kink in the position along b\.x"):
        found = m.equilibrium()
    assert [w.kind for w in found.warnings] == ["kink"]


def test_friction_with_a_jump_is_told():
    m = tm.PlanarModel("dry", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=0.1)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.user_force("F", m["b"].x, "-10*b.x - 3*abs(b.vx)")
    with pytest.warns(tm.RunWarning, match=r"kink in the velocity along b\.x.*dry friction"):
        m.equilibrium()


# --- the tools ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_random_pencils_give_the_eigenvalues_of_the_first_order_form(seed):
    rng = np.random.default_rng(seed)
    n = 4
    root = rng.normal(size=(n, n))
    M, C, K = root @ root.T + 0.1 * np.eye(n), rng.normal(size=(n, n)), rng.normal(size=(n, n))
    want = eigenvalues(M, C, K)
    modes = Pencil(M, C, K).modes()
    assert len(modes) == (want.imag > -1e-9).sum()
    for mode in modes:
        assert np.abs(want - mode.eigenvalue).min() < 1e-9 * np.abs(want).max()
        assert (mode.kind in ("divergence", "flutter")) == (mode.growth > 0.0)


@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6])
def test_a_crank_folded_back_on_itself_turns_freely(stiffness):
    """Crank and rod of one length: with the slider on the shaft they turn together, and the spring feels nothing of it."""
    m = tm.PlanarModel("folded", gravity=(0, 0))
    m.body("crank", angle=0.7, mass=0.1, inertia=1e-4)
    m.body("rod", position=(0.1 * math.cos(0.7), 0.1 * math.sin(0.7)), angle=0.7 + math.pi, mass=0.1, inertia=1e-4)
    m.body("slider", mass=0.1, inertia=1e-4)
    m.revolute("A", m.ground.at(0, 0), m["crank"].at(0))
    m.revolute("B", m["crank"].at(0.1), m["rod"].at(0))
    m.revolute("C", m["rod"].at(0.1), m["slider"].at(0))
    m.prismatic("T", m.ground, "slider", at=(0, 0), axis=(1, 0))
    m.spring("S", m.ground.at(0.5, 0), m["slider"].at(0), stiffness=stiffness, free_length=0.28)
    e = m.equilibrium()
    assert e.neutral == 1
    assert [mode.kind for mode in e.modes] == ["neutral"]
