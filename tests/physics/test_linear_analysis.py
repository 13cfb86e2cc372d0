"""Linear analysis against closed forms: oscillators, chains, beams, flutter, tops, governors, rolling."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import eigh
from test_stability import column, column_matrices, eigenvalues

import pytrammel as tm
from pytrammel.analysis.positions.assembly import residuals
from pytrammel.analysis.small_motions.small_motions import Pencil, first_order_modes, with_shapes
from spatial_models import turn

G = 9.81
# second derivatives are exact: what is left is rounding, times the condition of the eigenvalues
EXACT = 1e-9


# --- oscillators and chains --------------------------------------------------------------------------------------------------


def oscillators(damping=(0.3, 0.2)):
    """Masses 1 and 2 kg in a row on springs of 20 and 30 N/m."""
    m = tm.PlanarModel("oscillators", gravity=(0, 0))
    for k in (1, 2):
        m.body(f"m{k}", position=(float(k), 0), mass=float(k), inertia=0.1)
        m.prismatic(f"T{k}", m.ground, f"m{k}", at=(0, 0), axis=(1, 0))
    m.spring("a", m.ground.at(0, 0), m["m1"].at(0, 0), stiffness=20.0, damping=damping[0], free_length=1.0)
    m.spring("b", m["m1"].at(0, 0), m["m2"].at(0, 0), stiffness=30.0, damping=damping[1], free_length=1.0)
    m.user_force("F", "m1.x", "0")
    return m


def test_coupled_oscillators_respond_as_their_impedance_says():
    lin = oscillators().linearize(inputs=["F", "m2.x"], outputs=["m2.x", "m1.vx", m_distance()])
    assert lin.inputs == ("F", "m2.x") and lin.outputs == ("m2.x", "m1.vx", "apart")
    omega = np.array([0.0, 0.5, 2.2, 5.0, 9.0])
    H = lin.frequency_response(omega)
    for k, w in enumerate(omega):
        s = 1j * w
        Z = np.array([[s * s + 0.5 * s + 50.0, -0.2 * s - 30.0], [-0.2 * s - 30.0, 2.0 * s * s + 0.2 * s + 30.0]])
        x = np.linalg.inv(Z)
        want = np.array([x[1], s * x[0], x[1] - x[0]])
        assert np.allclose(H.values[k], want, rtol=EXACT, atol=1e-12)
    assert np.allclose(H.between("m1.vx", "F"), H.values[:, 1, 0])
    assert np.allclose(H.amplitude * np.exp(1j * H.phase), H.values)


def m_distance():
    m = oscillators()
    return m.distance(m["m1"].at(0, 0), m["m2"].at(0, 0), "apart")


def test_a_shaken_base_is_an_input():
    """A mass on a spring and damper over a driven base: X / U = (c s + k) / (m s² + c s + k)."""
    m = tm.PlanarModel("base", gravity=(0, 0))
    for name, x in (("base", 0.0), ("load", 1.0)):
        m.body(name, position=(x, 0), mass=2.0, inertia=0.1)
        m.prismatic(f"T_{name}", m.ground, name, at=(0, 0), axis=(1, 0))
    m.spring("S", m["base"].at(0, 0), m["load"].at(0, 0), stiffness=50.0, damping=3.0, free_length=1.0)
    m.driver("shaker", "base.x", "0")
    lin = m.linearize(inputs=["shaker", "load.x"], outputs=["load.x", "base.x", "S.length"])
    omega = np.array([0.0, 1.0, 5.0, 20.0])
    s = 1j * omega
    Z = 2.0 * s * s + 3.0 * s + 50.0
    moved = (3.0 * s + 50.0) / Z
    H = lin.frequency_response(omega)
    assert np.allclose(H.between("load.x", "shaker"), moved, rtol=EXACT)
    assert np.allclose(H.between("base.x", "shaker"), 1.0, rtol=EXACT)
    assert np.allclose(H.between("S.length", "shaker"), moved - 1.0, rtol=EXACT, atol=1e-12)
    assert np.allclose(H.between("load.x", "load.x"), 1.0 / Z, rtol=EXACT)
    with pytest.raises(tm.ModelError, match="ask for positions"):
        m.linearize(inputs=["shaker"], outputs=["load.vx"])


def test_a_driven_crank_shakes_its_pendulum():
    """A pendulum on a driven crank at right angles: theta'' L + g theta = -x'' of the pivot, with the angle as coordinate."""
    m = tm.PlanarModel("pivot", gravity=(0, -G))
    m.body("crank", position=(0, 0.5), angle=math.pi / 2, mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.body("bob", position=(0, 0.2), mass=1.0, inertia=0.0)
    m.revolute("P", "crank", "bob", at=(0, 1.0))
    m.driver("motor", "O.angle", "pi/2")
    lin = m.linearize(inputs=["motor"], coordinates=["bob.phi"], outputs=["bob.phi", "bob.x"])
    omega = np.array([1.0, 3.0, 6.0])
    # the pivot moves by -u; phi counts anticlockwise from hanging: 0.8 phi'' + g phi = u''... with x = -u + 0.8 phi
    phi = -(omega**2) / (G - 0.8 * omega**2) * 1.0
    H = lin.frequency_response(omega)
    assert np.allclose(H.between("bob.phi", "motor"), phi, rtol=EXACT)
    assert np.allclose(H.between("bob.x", "motor"), -1.0 + 0.8 * phi, rtol=EXACT)


def test_an_undamped_resonance_is_infinite():
    m = oscillators((0.0, 0.0))
    lin = m.linearize(inputs=["m1.x"])
    at = lin.frequencies[0]
    H = lin.frequency_response([at, 0.9 * at])
    assert np.abs(H.values[0]).max() > 1e12 and np.abs(H.values[1]).max() < 10.0


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_a_chain_of_pendulums_has_the_frequencies_of_its_matrices(space):
    n, mass, length = 5, 0.7, 0.4
    m = tm.SpatialModel("chain", gravity=(0, 0, -G)) if space else tm.PlanarModel("chain", gravity=(0, -G))
    before = m.ground
    for k in range(n):
        if space:
            link = m.body(f"l{k}", position=(0, 0, -(k + 1) * length), mass=mass, inertia=1e-12)
            m.revolute(f"J{k}", before, link, at=(0, 0, -k * length), axis=(0.6, 0.8, 0))
        else:
            link = m.body(f"l{k}", position=(0, -(k + 1) * length), mass=mass, inertia=0.0)
            m.revolute(f"J{k}", before, link, at=(0, -k * length))
        before = link
    left = mass * (n - np.arange(n))
    M = length**2 * np.array([[left[max(i, j)] for j in range(n)] for i in range(n)])
    want = np.sqrt(eigh(np.diag(left * G * length), M, eigvals_only=True))
    lin = m.linearize(coordinates=[f"J{k}.angle" for k in range(n)])
    assert lin.coordinates == tuple(f"J{k}.angle" for k in range(n))
    assert lin.frequencies == pytest.approx(want, rel=EXACT)
    # mode shapes: relative angles solve the same problem
    apart = np.eye(n) - np.eye(n, k=-1)
    own = np.linalg.inv(apart)
    for mode in lin.modes:
        residual = (own.T @ (np.diag(left * G * length) + M * (mode.eigenvalue**2).real) @ own) @ np.linalg.lstsq(
            lin.basis, mode.shape, rcond=None
        )[0]
        assert np.abs(residual).max() < 1e-8 * np.abs(lin.stiffness).max()


def test_links_and_springs_make_a_beam():
    """Cantilever of n links with springs EI n / L: its frequencies tend to (1.8751)² sqrt(EI / rho A L⁴) like 1 / n²."""
    roots = [1.8751040687119611, 4.694091132974174]  # cos x cosh x = -1
    found = []
    for n in (10, 20, 40):
        m = tm.PlanarModel("beam", gravity=(0, 0))
        before, h = m.ground, 1.0 / n
        for k in range(n):
            link = m.body(f"l{k}", position=((k + 0.5) * h, 0), mass=h, inertia=h**3 / 12.0)
            m.revolute(f"J{k}", before, link, at=(k * h, 0))
            # the clamped end is half a link away from the middle of the first
            m.torsion_spring(f"S{k}", first=before, second=link, stiffness=(2.0 if k == 0 else 1.0) / h, free_angle=0.0)
            before = link
        found.append(m.linearize().frequencies[:2])
    a, b, c = (np.array(f) for f in found)
    assert np.abs(c - np.square(roots)).max() < 0.1
    assert np.allclose((a - b) / (b - c), 4.0, rtol=0.1)
    # extrapolated once: what is left falls with the fourth power
    assert (4.0 * c - b) / 3.0 == pytest.approx(np.square(roots), rel=2e-4)


# --- flutter -------------------------------------------------------------------------------------------------------------------


def test_the_root_locus_of_zieglers_column_crosses_at_its_critical_load():
    """P L / k = 7/2 - sqrt(2) (Ziegler 1952)."""
    loads = np.linspace(18.0, 24.0, 25)
    locus = tm.root_locus(lambda P: column([2.0, 1.0], [10.0, 10.0], P).linearize(), loads, name="P")
    ((critical, kind),) = locus.critical
    assert kind == "flutter"
    assert critical == pytest.approx(10.0 * (3.5 - math.sqrt(2.0)), rel=1e-3)  # interpolated between loads 0.25 N apart
    for k in (0, -1):
        want = eigenvalues(*column_matrices([2.0, 1.0], [10.0, 10.0], loads[k]))
        assert all(np.abs(want - s).min() < 1e-7 for s in locus.eigenvalues[k])
    # branches do not jump: two steps that lie side by side do not differ by more than twice their neighbours'
    steps = np.abs(np.diff(locus.eigenvalues, axis=0)).max(axis=1)
    assert steps.max() < 1.2


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("interval", range(4))
@pytest.mark.parametrize("damped", [True, False])
def test_critical_values_are_those_of_the_roots_in_every_interval(damped, interval, sign):
    """s = p - c ± i, or s² = p - c; with one growing sample alone the critical value is the middle of its interval."""
    values, critical = np.linspace(1.0, 5.0, 5), 1.3 + interval

    def model(p):
        gap = sign * (p - critical)
        roots = [gap + 1j, gap - 1j] if damped else [np.sqrt(gap + 0j), -np.sqrt(gap + 0j)]
        return SimpleNamespace(eigenvalues=np.array(roots))

    ((found, kind),) = tm.root_locus(model, values, name="p").critical
    assert kind == ("flutter" if damped else "divergence")
    alone = not damped and np.sum(sign * (values - critical) > 0.0) == 1
    assert found == pytest.approx(1.5 + interval if alone else critical, abs=1e-12)


def test_an_inverted_pendulum_diverges_along_its_spring():
    def pendulum(k):
        m = tm.PlanarModel("inverted")
        m.body("rod", position=(0, 0.5), angle=math.pi / 2, mass=2.0, inertia=2.0 / 12)
        m.revolute("O", m.ground, "rod", at=(0, 0))
        m.torsion_spring("S", first=m.ground, second="rod", stiffness=k, free_angle=math.pi / 2)
        return m.linearize()

    locus = tm.root_locus(pendulum, [5.0, 7.0, 9.0, 11.0], name="k")
    ((critical, kind),) = locus.critical
    assert kind == "divergence" and critical == pytest.approx(2.0 * G * 0.5, rel=EXACT)


# --- steady motions ------------------------------------------------------------------------------------------------------------

TRANSVERSE, AXIAL, MASS, ARM = 0.8, 0.5, 2.0, 0.3  # a top about its tip


def top(omega, tilt=0.0):
    m = tm.SpatialModel("top", gravity=(0, 0, -G))
    about_centroid = (TRANSVERSE - MASS * ARM**2,) * 2 + (AXIAL,)
    b = m.body(
        "top", rotation=turn((1, 0, 0), tilt), centroid=(0, 0, ARM), mass=MASS, inertia=about_centroid, omega=omega
    )
    m.spherical("O", m.ground, b, at=(0, 0, 0))
    return m


@pytest.mark.parametrize(("spin", "stable"), [(12.0, True), (6.0, False)])
def test_a_sleeping_top(spin, stable):
    """I1 z'' - i I3 w z' - m g l z = 0 for the tilt z = x + i y: stable for I3² w² > 4 I1 m g l."""
    assert (AXIAL**2 * spin**2 > 4 * TRANSVERSE * MASS * G * ARM) == stable
    lin = top((0, 0, spin)).linearize()
    assert lin.steady and lin.stable == stable
    roots = np.roots([TRANSVERSE, -1j * AXIAL * spin, -MASS * G * ARM])
    for s in roots:
        assert np.abs(lin.eigenvalues - s).min() < EXACT * np.abs(roots).max()
    assert {mode.kind for mode in lin.modes} == ({"neutral", "oscillation"} | (set() if stable else {"flutter"}))


def test_a_top_in_steady_precession_nods_with_its_closed_frequency():
    """Nutation: I1 w² is the second derivative of the energy at given momenta about the vertical and the axis."""
    tilt, spin = 0.5, 40.0
    c, s = math.cos(tilt), math.sin(tilt)
    precession = min(np.roots([TRANSVERSE * c, -AXIAL * spin, MASS * G * ARM]).real)
    omega = turn((1, 0, 0), tilt).T @ (0, 0, precession) + (0, 0, spin - precession * c)
    m = top(omega, tilt)
    lin = m.linearize(rotating=(0, 0, precession))
    assert lin.steady
    axial = AXIAL * spin
    vertical = TRANSVERSE * s * s * precession + axial * c

    def energy(x):
        return (vertical - axial * np.cos(x)) ** 2 / (2 * TRANSVERSE * np.sin(x) ** 2) + MASS * G * ARM * np.cos(x)

    h = 1e-3
    bend = (
        -energy(tilt + 2 * h) + 16 * energy(tilt + h) - 30 * energy(tilt) + 16 * energy(tilt - h) - energy(tilt - 2 * h)
    ) / (12 * h * h)
    assert lin.frequencies == pytest.approx([math.sqrt(bend / TRANSVERSE)], rel=1e-8)  # a difference of fourth order
    with pytest.warns(tm.RunWarning, match="no steady motion"):
        assert not m.linearize().steady


def governor(*, driven, speed=7.0, length=0.5, mass=1.3, inertia=0.7):
    tilt = math.acos(G / speed**2 / length)
    m = tm.SpatialModel("governor", gravity=(0, 0, -G))
    shaft = m.body("shaft", mass=1.0, inertia=(0.5, 0.5, inertia), omega=(0, 0, speed))
    out = length * math.sin(tilt)
    ball = m.body("ball", position=(out, 0, -length * math.cos(tilt)), mass=mass, inertia=1e-12, omega=(0, 0, speed),
                  velocity=(0, speed * out, 0))  # fmt: skip
    m.revolute("S", m.ground, shaft, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("H", shaft, ball, at=(0, 0, 0), axis=(0, 1, 0))
    if driven:
        m.driver("motor", "S.angle", f"{speed}*t")
    return m, tilt


def test_a_governor_at_constant_speed():
    """A ball on an arm of a shaft that turns with W: cos = g / (W² L), small motions with W sin."""
    m, tilt = governor(driven=True)
    lin = m.linearize(outputs=["H.angle", "H.angle.rate"])
    assert lin.steady and lin.rotating == pytest.approx((0, 0, 7.0))
    assert lin.frequencies == pytest.approx([7.0 * math.sin(tilt)], rel=EXACT)
    assert np.allclose(
        np.abs(np.linalg.solve(lin.C, lin.C @ lin.A)), [[0, 1], [(7.0 * math.sin(tilt)) ** 2, 0]], atol=1e-7
    )


def test_a_governor_that_turns_freely():
    """The momentum about the shaft stays: m L² w² is the second derivative of p² / (2 I(tilt)) - m g L cos(tilt)."""
    m, tilt = governor(driven=False)
    lin = m.linearize(coordinates=["S.angle", "H.angle"])
    own, Is = 1.3 * 0.5**2, 0.7
    inertia, p = Is + own * math.sin(tilt) ** 2, (Is + own * math.sin(tilt) ** 2) * 7.0
    slope, bend = own * math.sin(2 * tilt), 2 * own * math.cos(2 * tilt)
    second = p**2 * (slope**2 / inertia**3 - bend / (2 * inertia**2)) + 1.3 * G * 0.5 * math.cos(tilt)
    assert lin.steady and lin.frequencies == pytest.approx([math.sqrt(second / own)], rel=EXACT)
    assert [mode.kind for mode in lin.modes] == ["neutral", "oscillation"]


def test_planar_arms_on_a_turning_disc():
    """A mass held by a spring in a radial slot of a disc that turns with W: k / m - W² with W driven."""
    m = tm.PlanarModel("slot", gravity=(0, 0))
    speed, k, mass = 3.0, 40.0, 2.0
    m.body("disc", mass=1.0, inertia=1.0, omega=speed)
    m.body("p", position=(1.0, 0), mass=mass, inertia=0.1, velocity=(0, speed), omega=speed)
    m.revolute("O", m.ground, "disc", at=(0, 0))
    m.prismatic("T", "disc", "p", at=(0, 0), axis=(1, 0))
    m.spring("S", m["disc"].at(0, 0), m["p"].at(0, 0), stiffness=k, free_length=1.0 - mass * speed**2 / k)
    m.driver("motor", "O.angle", f"{speed}*t")
    lin = m.linearize()
    assert lin.steady and lin.rotating == (3.0,)
    assert lin.frequencies == pytest.approx([math.sqrt(k / mass - speed**2)], rel=EXACT)


@pytest.mark.parametrize("share", [0.8, 1.2])
def test_a_coin_stays_upright_above_its_critical_speed(share):
    """Thin disc: upright rolling is stable for w² > g / (3 r); 5/4 r² s² = g r (1 - (w / w_c)²)."""
    r = 0.3
    w = share * math.sqrt(G / (3.0 * r))
    m = tm.SpatialModel("coin", gravity=(0, 0, -G))
    coin = m.body(
        "coin",
        position=(0, 0, r),
        mass=1.0,
        inertia=(r * r / 4, r * r / 2, r * r / 4),
        omega=(0, w, 0),
        velocity=(w * r, 0, 0),
    )
    m.rolling_disc("R", m.ground, coin, radius=r, at=(0, 0, 0), axis="z", disc_axis=(0, 1, 0))
    lin = m.linearize()
    square = 0.8 * G / r * (1.0 - share**2)
    assert lin.steady and lin.stable == (share > 1.0)
    kinds = {mode.kind for mode in lin.modes if mode.kind != "neutral"}
    assert kinds == ({"oscillation"} if share > 1.0 else {"divergence", "decay"})
    assert np.abs(lin.eigenvalues**2 - square).min() < 1e-8 * abs(square)
    assert len(lin.states) == 8  # five positions, three speeds


# --- states, pictures, refusals -----------------------------------------------------------------------------------------------


def test_a_result_and_an_equilibrium_are_states():
    m = oscillators()
    rest = m.equilibrium()
    at_rest, drawn = m.linearize(at=rest), m.linearize()
    assert np.allclose(at_rest.A, drawn.A, atol=1e-9)
    run = m.simulate(1.0, samples=5, initial={"m1.x": 1.1}, progress=False)
    passing = m.linearize(at=run, time=0.5)
    # linear springs: the matrices are the same wherever the masses are, so that the motion counts as steady
    assert passing.steady and passing.time == 0.5 and np.allclose(passing.A, drawn.A, atol=1e-9)
    with pytest.raises(tm.ModelError, match=r"no instant at time = 0.6 s; the nearest is 0.5 s"):
        m.linearize(at=run, time=0.6)


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(("angle", "steady"), [(0.0, True), (1e-9, True), (1e-4, False), (0.3, False)])
@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")
def test_rest_is_steady_where_weights_are_balanced_whatever_the_mass(mass, angle, steady):
    """A pendulum at an angle is pushed back by sin(angle) of its weight; a millionth counts as rounding."""
    m = tm.PlanarModel("pendulum")
    m.body("b", mass=mass, inertia=0.1 * mass, position=(math.sin(angle), -math.cos(angle)), angle=angle)
    m.revolute("A", m.ground, "b", at=(0, 0))
    assert m.linearize().steady is steady


def test_a_bristle_is_a_state():
    """A sticking block is held by its bristle: m s² + s1 s + s0 = 0 with the state z' = x'."""
    m = tm.PlanarModel("stuck", gravity=(0, 0))
    m.body("b", mass=2.0, inertia=0.1)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("F", "b.x", friction=(0.4, 0.3), normal=10.0, bristle_stiffness=50.0, bristle_damping=3.0)
    m.user_force("P", "b.x", "1.0")
    # in a run it is known that the block sticks
    lin = m.linearize(at=m.simulate(0.5, samples=3, progress=False))
    assert lin.states == ("b.x", "b.x.rate", "F.bristle")
    for s in np.roots([2.0, 3.0, 50.0]):
        assert np.abs(lin.eigenvalues - s).min() < 1e-8


def test_modes_can_be_watched_in_both_players(tmp_path):
    for name, m in (("plane", oscillators()), ("space", governor(driven=True)[0])):
        lin = m.linearize()
        run = lin.motion(0, amplitude=0.05, samples=9)
        assert run.times[-1] == pytest.approx(2 * math.pi / lin.modes[0].eigenvalue.imag)
        assert np.allclose(run.q[0], run.q[-1], atol=1e-12)
        run.animate(tmp_path / f"{name}.html")
        assert (tmp_path / f"{name}.html").stat().st_size > 1000


@pytest.mark.parametrize("mode", [0, 1])
def test_a_mode_moves_like_a_harmonic_oscillator(mode):
    """a = -w² x, and (v/w)² + x² is the square of the amplitude, for every column that moves."""
    lin = oscillators(damping=(0.0, 0.0)).linearize()
    run = lin.motion(mode, amplitude=0.05, samples=13)
    w = lin.modes[mode].eigenvalue.imag
    x = run.q - lin.q
    amplitude = np.abs(x).max(axis=0)
    assert np.count_nonzero(amplitude > 1e-3) == 2
    assert run.a == pytest.approx(-(w**2) * x, abs=1e-9)
    assert (run.v / w) ** 2 + x**2 == pytest.approx(np.broadcast_to(amplitude**2, x.shape), abs=1e-12)


@pytest.mark.parametrize("space", [False, True])
def test_joints_stay_closed_in_a_mode_drawn_large(space):
    lin = column([2.0, 1.0], [10.0, 10.0], 5.0, space=space).linearize()
    run = lin.motion(1, amplitude=0.3, samples=9)
    gaps = [np.abs(residuals(run._system, q, lin.time)).max() for q in run.q]
    assert max(gaps) < 1e-9
    assert np.abs(run.q - lin.q).max() > 0.1


def test_an_undamped_response_lags_by_half_a_turn():
    lin = oscillators((0.0, 0.0)).linearize(inputs=["F"])
    _, lower = lin.frequency_response(np.geomspace(0.5, 20.0, 50)).plot()
    phases = [line.get_ydata() for line in lower.lines]
    assert phases and min(p.min() for p in phases) == pytest.approx(-180.0) and max(p.max() for p in phases) < 1e-6


def test_pictures_of_responses_and_loci(tmp_path):
    lin = oscillators().linearize(inputs=["F"])
    lin.frequency_response(np.geomspace(0.5, 20.0, 50)).plot(tmp_path / "bode.png")
    tm.root_locus(lambda P: column([2.0, 1.0], [10.0, 10.0], P).linearize(), [5.0, 22.0]).plot(tmp_path / "locus.png")
    assert (tmp_path / "bode.png").stat().st_size > 1000 and (tmp_path / "locus.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"inputs": ["F", "nobody"]}, "nobody"),
        ({"outputs": ["T1.nothing"]}, "no quantity 'T1.nothing'"),
        ({"coordinates": ["m1.x"]}, r"names 1 quantities; the model has 2"),
        ({"coordinates": ["m1.x", "m1.y"]}, "do not describe all small motions"),
        ({"rotating": (1.0, 2.0, 3.0)}, "one number"),
        ({"at": "rest"}, "at must be an Equilibrium or a Result, but it is 'rest'"),
        ({"input": ["F"]}, "Did you mean 'inputs'"),
    ],
)
def test_refusals(options, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        oscillators().linearize(**options)


def test_a_force_of_two_components_is_no_single_input():
    m = oscillators()
    m.force("P", m["m1"].at(0, 0), (1.0, 2.0))
    with pytest.raises(tm.ModelError, match="does not act along one quantity"):
        m.linearize(inputs=["P"])


def test_a_handle_spun_about_its_middle_axis_diverges():
    """Euler: s = W sqrt((J2 - J1) (J3 - J2) / (J1 J3)); drifting away in turning axes is no flutter."""
    m = tm.SpatialModel("handle", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(0.2, 0.3, 0.4), omega=(0, 5.0, 0))
    lin = m.linearize()
    assert lin.steady and lin.rotating == (0.0, 5.0, 0.0)
    growing = [mode for mode in lin.modes if mode.growth > 0.0]
    assert [mode.kind for mode in growing] == ["divergence"]
    assert growing[0].growth == pytest.approx(5.0 * math.sqrt(0.1 * 0.1 / (0.2 * 0.4)), rel=1e-7)


def test_what_rests_without_balance_is_told():
    m = tm.PlanarModel("falling")
    m.body("b", mass=1.0, inertia=0.1)
    with pytest.warns(tm.RunWarning, match="do not balance"):
        lin = m.linearize()
    assert not lin.steady
    with pytest.raises(tm.ModelError, match="no input"):
        lin.frequency_response([1.0])


# --- without mass ---------------------------------------------------------------------------------------------------------------


def node_and_load(c1=0.0, c2=0.0, *, pointer=False, shaken=False):
    """Ground, or a driven base - spring 50 N/m and damper c1 - massless node - spring 80 N/m and damper c2 - 2 kg."""
    m = tm.PlanarModel("node and load", gravity=(0, 0))
    base = m.body("base", mass=1.0, inertia=1.0) if shaken else m.ground
    if shaken:
        m.prismatic("on_base", m.ground, base, at=(0, 0), axis=(1, 0))
        m.driver("shaker", "base.x", "0")
    node, load = m.body("node", position=(1, 0), massless=True), m.body("load", position=(2, 0), mass=2.0, inertia=1.0)
    for body in (node, load):
        m.prismatic(f"on_{body.name}", m.ground, body, at=(0, 0), axis=(1, 0))
    m.spring("k1", base.at(0, 0), node.at(0, 0), stiffness=50.0, free_length=1.0, damping=c1 or None)
    m.spring("k2", node.at(0, 0), load.at(0, 0), stiffness=80.0, free_length=1.0, damping=c2 or None)
    if pointer:
        m.revolute("tip", load, m.body("pointer", position=(2, 0), massless=True), at=(2, 0))
    return m


DAMPERS = [(0.0, 0.0), (3.0, 0.0), (0.0, 1.0), (3.0, 1.0)]


@pytest.mark.parametrize(("c1", "c2"), DAMPERS)
def test_a_node_without_mass_follows_at_once_or_as_its_damper_lets_it(c1, c2):
    """In closed form, with z1 = k1 + c1 s, z2 = k2 + c2 s: a force on the load meets m s² + z1 z2 / (z1 + z2)."""
    found = node_and_load(c1, c2).linearize(inputs=["load.x", "node.x"], outputs=["load.x", "node.x", "load.x.rate"])
    damped = c1 or c2
    assert found.states == (("node.x", "load.x", "load.x.rate") if damped else ("load.x", "load.x.rate"))
    w = np.array([0.1, 1.0, 4.0, 20.0, 300.0])
    response = found.frequency_response(w)
    s = 1j * w
    z1, z2 = 50.0 + c1 * s, 80.0 + c2 * s
    # rates are those of the places, where they do not follow an input at once
    rates = ["load.x.rate", "node.x.rate"] if damped else ["load.x.rate"]
    given = ["load.x", "node.x"] if damped else ["load.x"]
    moving = node_and_load(c1, c2).linearize(inputs=given, outputs=["node.x", *rates, "load.x"]).frequency_response(w)
    if not damped:
        slow = node_and_load().linearize(inputs=given, outputs=["node.x.rate"]).frequency_response(w)
        assert slow.between("node.x.rate", "load.x") == pytest.approx(
            s * response.between("node.x", "load.x"), rel=1e-9
        )
    for name in rates:
        for force in given:
            place = response.between(name.removesuffix(".rate"), force)
            assert moving.between(name, force) == pytest.approx(s * place, rel=1e-9)
    meets = 2.0 * s**2 + z1 * z2 / (z1 + z2)
    load = np.array([1.0 / meets, z2 / (z1 + z2) / meets])
    node = np.array([z2 / (z1 + z2) / meets, (1.0 + z2**2 / (z1 + z2) / meets) / (z1 + z2)])
    for k, name in enumerate(("load.x", "node.x")):
        assert response.between(name, "load.x") == pytest.approx(load[k], rel=1e-9)
        assert response.between(name, "node.x") == pytest.approx(node[k], rel=1e-9)
    roots = np.roots(np.polyadd(np.polymul([2.0, 0, 0], [c1 + c2, 130.0]), np.polymul([c1, 50.0], [c2, 80.0])))
    assert found.eigenvalues == pytest.approx(np.sort_complex(roots), rel=1e-9)
    assert sorted(abs(m.eigenvalue) for m in found.modes) == pytest.approx(
        sorted({round(abs(x), 9) for x in roots}), rel=1e-6
    )


@pytest.mark.parametrize("coordinates", [None, ["k1.length", "k2.length"]], ids=["absolute", "relative"])
@pytest.mark.parametrize(("c1", "c2"), DAMPERS)
def test_a_driver_shakes_a_load_through_a_node_without_mass(c1, c2, coordinates):
    """In closed form, with z1 = k1 + c1 s, z2 = k2 + c2 s in series to z: X / U = z / (m s² + z), the node (z1 U + z2 X) / (z1 + z2)."""
    m = node_and_load(c1, c2, shaken=True)
    outputs = ["load.x", "node.x", "base.x", "k2.length"]
    found = m.linearize(inputs=["load.x", "shaker"], outputs=outputs, coordinates=coordinates)
    w = np.array([0.0, 1.0, 4.0, 20.0, 300.0])
    H = found.frequency_response(w)
    s = 1j * w
    z1, z2 = 50.0 + c1 * s, 80.0 + c2 * s
    z = z1 * z2 / (z1 + z2)
    load = z / (2.0 * s**2 + z)
    node = (z1 + z2 * load) / (z1 + z2)
    for name, exact in (("load.x", load), ("node.x", node), ("base.x", 1.0), ("k2.length", load - node)):
        assert np.allclose(H.between(name, "shaker"), exact, rtol=1e-8, atol=1e-11)
    assert np.allclose(H.between("load.x", "load.x"), 1.0 / (2.0 * s**2 + z), rtol=1e-8)
    with pytest.raises(tm.ModelError, match="'shaker' is a driver, and rates respond to its speed"):
        m.linearize(inputs=["shaker"], outputs=["load.x.rate"])


def test_a_driver_turns_a_pendulum_hung_from_an_arm_without_mass():
    """A driven crank, on it an arm without mass held by a torsion spring, at its end a point mass: theta'' m L² + k theta = k u."""
    m = tm.PlanarModel("arm", gravity=(0, 0))
    m.body("crank", mass=1.0, inertia=0.3)
    m.body("arm", massless=True)
    m.body("bob", position=(0.8, 0), mass=2.0, inertia=0.0)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("P", "crank", "arm", at=(0, 0))
    m.revolute("Q", "arm", "bob", at=(0.8, 0))
    m.torsion_spring("T", first="crank", second="arm", stiffness=9.0, free_angle=0.0)
    m.driver("motor", "O.angle", "0")
    found = m.linearize(inputs=["motor"], outputs=["arm.phi", "bob.y"])
    w = np.array([0.5, 1.0, 5.0])
    arm = 9.0 / (9.0 - 2.0 * 0.8**2 * w**2)
    H = found.frequency_response(w)
    assert np.allclose(H.between("arm.phi", "motor"), arm, rtol=1e-8)
    assert np.allclose(H.between("bob.y", "motor"), 0.8 * arm, rtol=1e-8)


def test_what_turns_without_mass_and_without_force_is_no_state():
    plain, more = (
        node_and_load(3.0, pointer=pointer).linearize(inputs=["load.x"], outputs=["load.x"])
        for pointer in (False, True)
    )
    w = np.array([1.0, 5.0])
    assert more.frequency_response(w).between("load.x", "load.x") == pytest.approx(
        plain.frequency_response(w).between("load.x", "load.x"), rel=1e-9
    )
    assert len(more.states) == len(plain.states) == 3


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: node_and_load().linearize(inputs=["node.x"], outputs=["node.x.rate"]), "responds to the input's rate"),
        (
            lambda: node_and_load(pointer=True).linearize(inputs=["pointer.angle"]),
            "an input acts along it, and nothing resists",
        ),
    ],
)
def test_what_has_no_state_space_is_told(call, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        call()


# --- shapes of modes ---------------------------------------------------------------------------------------------------------


def shapes_of_a_chain(n):
    """Displacements of n equal masses between fixed ends, sin(j k pi / (n + 1)), the largest 1 in size; lowest mode first."""
    j = np.arange(1, n + 1)
    shapes = np.sin(np.outer(j, j) * math.pi / (n + 1))
    return shapes / np.abs(shapes).max(axis=1, keepdims=True)


@pytest.mark.parametrize("damping", [0.0, 0.05, 0.4], ids=["undamped", "light", "heavy"])
@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_shapes_of_a_chain_are_its_sines_with_the_largest_entry_one(n, damping):
    """Masses m on springs c between fixed ends, w = 2 sqrt(c/m) sin(k pi / (2 (n + 1))); damping like stiffness keeps shapes."""
    mass, stiffness, shapes = 0.7, 40.0, shapes_of_a_chain(n)
    K = stiffness * (2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    squares = 4 * stiffness / mass * np.sin(np.arange(1, n + 1) * math.pi / (2 * (n + 1))) ** 2
    pencil = Pencil(mass * np.eye(n), damping * K, K)
    rates = np.block([[np.zeros((n, n)), np.eye(n)], [-K / mass, -damping * K / mass]])
    for modes in (with_shapes(pencil), first_order_modes(rates, n)):
        assert len({*modes}) >= n
        for mode in modes:
            s, x = mode.eigenvalue, mode.shape
            off = np.abs(
                (s**2 + damping * squares * s + squares) / (2 * s + damping * squares)
            )  # each mode moves alone
            k = int(np.argmin(off))
            assert off[k] < EXACT * abs(s)
            one = int(np.argmin(np.abs(x - 1.0)))  # the sine may have two largest entries, of other signs
            assert x[one] == pytest.approx(1.0, abs=1e-15)
            assert np.abs(x).max() == pytest.approx(1.0, abs=1e-9)
            np.testing.assert_allclose(x * shapes[k][one], shapes[k], atol=EXACT)


@pytest.mark.parametrize("case", range(4))
def test_shapes_of_any_pencil_solve_its_equations(case):
    """(M s^2 + C s + K) x = 0 with C and K of any kind, and the largest entry of x is 1."""
    rng = np.random.default_rng(case)
    n = 2 + case
    root, C, K = (rng.normal(size=(n, n)) for _ in range(3))
    pencil = Pencil(root @ root.T + np.eye(n), 0.3 * C, 5.0 * K)
    for mode in with_shapes(pencil):
        s, x = mode.eigenvalue, mode.shape
        size = np.abs(pencil.mass * s * s).max()
        np.testing.assert_allclose(
            (pencil.mass * s * s + pencil.damping * s + pencil.stiffness) @ x / size, 0, atol=EXACT
        )
        assert x[np.argmax(np.abs(x))] == pytest.approx(1.0, abs=1e-15)
