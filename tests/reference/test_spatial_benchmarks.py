"""Spatial benchmarks: mobility, redundant rows, assembly, free rotations and energies.

Motions are compared with their references in the verification manual (tests/verification/cases/benchmarks/space.py).
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import pytrammel as tm
from spatial_benchmark_tables import BEND, BENNETT, PERIOD, RSSR, free_body, hooke, near
from spatial_models import (
    BENNETT_BETA,
    Z,
    bennett,
    bennett_second,
    bricard,
    rssr,
    rssr_output,
    turn,
)

QUIET = {"progress": False}
LIMITED = QUIET
TIGHT = {"rtol": 1e-12, "atol": 1e-13, **LIMITED}


# --- Bennett -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", BENNETT)
def test_the_closed_form_of_the_bennett_linkage_is_the_published_one(degrees):
    assert pytest.approx(0.8480620789814810080529, abs=1e-15) == BENNETT_BETA
    assert math.degrees(bennett_second(math.radians(degrees))) == pytest.approx(BENNETT[degrees], abs=1e-12)
    # drawn 0.15 rad away: the first start of the assembly closes it
    k = bennett(math.radians(degrees) + 0.15, drive=repr(math.radians(degrees))).kinematics(times=[0.0], **QUIET)
    assert k.n_starts == 1


def test_bennett_linkage_meets_no_singular_position_in_a_turn():
    k = bennett(2.0, drive="2 + t").kinematics(2 * math.pi, samples=61, **QUIET)
    assert k.constraint_violation() < 1e-12
    assert k.singularities == ()  # the rows keep their rank of 17 all the way round


@pytest.mark.parametrize("theta", [0.4, 1.0, 2.0, 2.9])
def test_bennett_linkage_moves_although_it_is_counted_as_a_structure(theta):
    """Kutzbach: 6·3 - 5·4 = -2; three rows are redundant and one degree of freedom is left (bennett.json)."""
    found = bennett(theta).mobility()
    assert (found.count, found.dof, found.singular, len(found.redundant)) == (-2, 1, False, 3)
    assert set(found.redundant_joints) <= {"J1", "J2", "J3", "J4"}
    assert "redundant: a row of 'J" in str(found)


def test_bennett_linkage_swings_and_keeps_its_energy():
    r = bennett(2.0).simulate(3.0, samples=61, rtol=1e-10, **LIMITED)
    total = r.energy.total
    np.testing.assert_allclose(total, total[0], atol=1e-7)  # rtol 1e-10 over some hundred steps, energies of 20 J
    second = [bennett_second(theta) for theta in r.series("J1.angle").value]
    np.testing.assert_allclose(near(r.series("J2.angle").value, second), 0.0, atol=1e-11)
    assert "redundant but consistent" in r.summary()


# --- RSSR four-bar -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("branch", [1, -1])
def test_the_closed_form_of_the_rssr_is_the_published_one(branch):
    want = [row[0 if branch == 1 else 1] for row in RSSR.values()]
    assert [rssr_output(math.radians(d), branch) for d in RSSR] == pytest.approx(want, abs=1e-14)
    assert rssr(0.0, branch).mobility().dof == 1


def test_the_coupler_of_the_rssr_may_spin_about_itself():
    """Two balls leave the coupler one rotation that nothing else feels: 2 degrees of freedom, drivers for 1."""
    m = rssr(0.3, coupler="body", drive="0.3 + t")
    found = m.mobility()
    assert (found.dof, found.count, found.redundant) == (2, 2, ())
    with pytest.raises(tm.MobilityError, match=r"2 degrees of freedom but 1 driver, .*rod\.r"):
        m.kinematics(1.0, **QUIET)
    level = m.copy()
    level.constrain("level", level["rod"].cosine("y", "z"))  # its y axis keeps its slope
    times = np.radians(list(RSSR))
    k = level.kinematics(times=times, **QUIET)
    link = rssr(0.3, drive="0.3 + t").kinematics(times=times, **QUIET)
    for order in ("value", "rate", "acceleration"):
        # rounding, amplified by the rows of the coupler's joints
        got, want = (getattr(found.series("D.angle"), order) for found in (k, link))
        np.testing.assert_allclose(got, want, atol=1e-11)
    np.testing.assert_allclose(k["rod"].matrix[:, 2, 1], m["rod"].matrix[2, 1], atol=1e-13)


def test_the_spin_of_the_coupler_can_be_driven():
    """With one crank, the angle about its own axis that follows from the spin does not depend on a way: kinematics integrates it, too."""
    m = rssr(0.3, coupler="body", drive="0.3 + t")
    m.driver("spin", m["rod"].angular_velocity_about("x"), "2*t")  # 2 rad/s about its own axis
    times = np.radians(list(RSSR))
    r = m.simulate(times=times, **TIGHT)
    k = m.kinematics(times=times, **QUIET)
    np.testing.assert_allclose(k["rod"].matrix, r["rod"].matrix, atol=1e-8)  # both integrate to about 1e-10 a radian
    link = rssr(0.3, drive="0.3 + t").kinematics(times=times, **QUIET)
    np.testing.assert_allclose(r["rod"].omega_body[:, 0], 2.0, atol=1e-10)
    np.testing.assert_allclose(near(r.series("D.angle").value, link.series("D.angle").value), 0.0, atol=1e-10)
    np.testing.assert_allclose(r.series("D.angle").acceleration, link.series("D.angle").acceleration, atol=1e-9)


def test_the_free_spin_of_the_coupler_keeps_its_momentum():
    """A coupler that is round about its axis (J_yy = J_zz) feels no torque about it: its spin stays, to the error tolerance."""
    m = rssr(0.3, coupler="body").copy(changes={"rod": {"omega": (5.0, 0.0, 0.0)}})
    r = m.simulate(2.0, samples=21, initial=tm.InitialConditions(hold=["rod.wx"]), rtol=1e-11, atol=1e-13, **LIMITED)
    np.testing.assert_allclose(r["rod"].omega_body[:, 0], 5.0, atol=1e-8)
    still = rssr(0.3, coupler="body").simulate(2.0, samples=21, rtol=1e-11, atol=1e-13, **LIMITED)
    np.testing.assert_allclose(r.series("A.angle").value, still.series("A.angle").value, atol=1e-8)


# --- Hooke's joint -------------------------------------------------------------------------------------------------------


def test_two_full_bearings_on_hookes_joint_are_three_rows_too_many():
    found = hooke(0.4, second="revolute").mobility()
    assert (found.dof, found.count, len(found.redundant), found.singular) == (1, -2, 3, False)
    loose = hooke(0.4).mobility()
    assert (loose.dof, loose.count, loose.redundant) == (1, 1, ())


def test_two_hookes_joints_in_phase_turn_alike():
    """Intermediate shaft at 30° to both ends, forks in phase: the irregularities cancel (cos b / cos b = 1)."""
    u = np.array([math.sin(BEND), 0.0, math.cos(BEND)])
    m = hooke(0.4)
    three = m.body("three", position=2 * u + Z, rotation=turn(Z, 0.4))
    m.parallel_axes("C", m.ground.marker(x="x"), three.marker(x="x"))
    m.universal("V", m["two"].marker((0, 0, 1), axis="y"), three.marker((0, 0, -1), axis="x"))
    m.driver("motor", "A.angle", "0.4 + t")
    k = m.kinematics(6.0, samples=13, **QUIET)
    np.testing.assert_allclose(near(k.series("C.angle").value, k.series("A.angle").value), 0.0, atol=1e-12)
    np.testing.assert_allclose(k.series("C.angle").rate, 1.0, atol=1e-12)
    np.testing.assert_allclose(k.series("C.angle").acceleration, 0.0, atol=1e-11)
    assert np.ptp(k.series("B.angle").rate) > 0.2  # the shaft between does not


# --- Dzhanibekov ---------------------------------------------------------------------------------------------------------


def test_asymmetric_body_follows_jacobis_elliptic_functions():
    """w1 = a1 cn u, w2 = a2 sn u, w3 = a3 dn u (dzhanibekov.json, closed form), over two periods."""
    J, w0 = np.array([1.0, 2.0, 3.0]), np.array([0.1, 2.0, 0.1])
    T2, L2 = J @ w0**2, (J * w0) @ (J * w0)
    a1 = math.sqrt((T2 * J[2] - L2) / (J[0] * (J[2] - J[0])))
    a2 = math.sqrt((T2 * J[2] - L2) / (J[1] * (J[2] - J[1])))
    a3 = math.sqrt((L2 - T2 * J[0]) / (J[2] * (J[2] - J[0])))
    rate = math.sqrt((J[2] - J[1]) * (L2 - T2 * J[0]) / J.prod())
    k2 = (J[1] - J[0]) * (T2 * J[2] - L2) / ((J[2] - J[1]) * (L2 - T2 * J[0]))
    assert 4 * ellipk(k2) / rate == pytest.approx(PERIOD, rel=1e-12)
    with mpmath.workdps(25):  # u at the start: cn u = w1 / a1 on the branch where sn u has the sign of w2
        start = float(mpmath.ellipf(mpmath.acos(mpmath.mpf(w0[0] / a1)), k2))
    r = free_body(J, w0).simulate(2 * PERIOD, samples=101, **TIGHT)
    # the sense of time on the polhode: w2' = (J3 - J1) w3 w1 / J2 > 0, and sn' = cn dn > 0 where cn u > 0
    sn, cn, dn, _ = ellipj(start + rate * r.times, k2)
    want = np.column_stack([a1 * cn, a2 * sn, a3 * dn])
    np.testing.assert_allclose(r["b"].omega_body, want, atol=1e-8)


# --- Bricard and the chain -------------------------------------------------------------------------------------------------


def test_bricard_has_one_freedom_and_one_row_too_many():
    found = bricard().mobility()
    assert (found.count, found.dof, len(found.redundant), found.singular) == (0, 1, 1, False)  # IFToMM A04
