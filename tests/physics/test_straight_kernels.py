"""Kernels written out for one structure compute what the general kernels compute, for every registered type."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import pytrammel as tm
import registry_samples
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.positions.assembly import active_rows, assemble
from pytrammel.examples import andrews as squeezer
from pytrammel.examples import four_bar, rssr, slider_crank
from pytrammel.kernels.bodies import load_ground
from pytrammel.kernels.dynamics import STATE, accelerations, workspace
from pytrammel.kernels.structure import gpu, pieces
from pytrammel.kernels.structure.as_llvm import MachineCode
from pytrammel.kernels.structure.many import Many, Structure, Variants, why_not_straight
from pytrammel.kernels.structure.piece import Wanted, make_piece
from pytrammel.kernels.structure.specialise import NotStraightError
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from registry_samples import TYPES

SEARCHING = ("contact_curve",)  # looks for the nearest points of outlines, in as many steps as that takes
CC = shutil.which("cc") or shutil.which("gcc")


def with_masses(kind):
    """The sample of a type between bodies that have masses."""
    made = registry_samples.build(kind)
    heavy = {"mass": 1.5, "inertia": (0.4, 0.5, 0.6) if kind.space else 0.5}
    return made[0].copy(changes={name: dict(heavy, inertia=heavy["inertia"]) for name in "abc"})


def at_random(system, seed):
    """A state near the drawn one; Euler parameters of length one."""
    rng = np.random.default_rng(seed)
    q = system.start + rng.normal(scale=0.05, size=system.start.size)
    if system.model.space.dimension == 3:
        for k in range(len(system.model.bodies) - 1):
            q[7 * k + 3 : 7 * k + 7] /= np.linalg.norm(q[7 * k + 3 : 7 * k + 7])
    return q, rng.normal(size=system.n_columns)


def generally(system, rows, t, q, v):
    """Accelerations, multipliers and singularity measure by the general kernel."""
    P = pattern(system, rows)
    ws = workspace(system.ints, P)
    load_ground(system.ints, ws[STATE])
    a, lam = np.zeros(system.n_columns), np.zeros(len(rows))
    measure = accelerations(system.ints, system.floats, P, t, q, v, np.zeros(1), 0.0, 0.0, a, lam, ws)
    return a, lam, measure


SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


def called(piece, t, F, x, out):
    """Call a piece in machine code."""
    code = MachineCode(piece)  # which must live as long as its address is used
    SIGNATURE(code.address)(t, F.ctypes.data, 1, x.ctypes.data, out.ctypes.data)
    return out


def straight_rates(system, rows, varying=()):
    size = system.n_coordinates + system.n_columns
    return make_piece(
        pieces.piece_rates, system.ints, system.floats, varying, pattern(system, rows), size, [size, len(rows)]
    )


REFUSED = {"laws of the user", "inner states", "forces that depend on reactions", "parts without mass"}


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_registered_type_is_written_out_to_the_last_bit(kind):
    model = with_masses(kind)
    system = lower(model, dynamics=True)
    if why_not_straight(system.ints) or system.laws:
        assert (why_not_straight(system.ints) or "laws of the user") in REFUSED
        return
    rows = active_rows(system)
    q, v = at_random(system, 3)
    try:
        piece = straight_rates(system, rows)
    except NotStraightError as error:
        assert kind.kind in SEARCHING, error
        return
    assert kind.kind not in SEARCHING
    a, lam, measure = generally(system, rows, 0.3, q, v)
    out = called(piece, 0.3, np.zeros(1), np.concatenate([q, v]), np.zeros(len(piece.outputs)))
    nq, n = system.n_coordinates, system.n_columns
    # the same operations in the same order; zeros may differ in sign, which is equal
    assert np.array_equal(out[nq : nq + n], a, equal_nan=True)
    assert np.array_equal(out[nq + n : nq + n + len(rows)], lam, equal_nan=True)
    assert out[-1] == measure or np.isnan(measure)


# --- whole runs ------------------------------------------------------------------------------------------------------


def lowered(model, *, moves):
    system = lower(model, dynamics=moves)
    return system, pattern(system, active_rows(system))


def place_of(system):
    return [Wanted(place=k) for k in range(system.n_coordinates + 2 * system.n_columns)]


@pytest.mark.parametrize("example", [four_bar, slider_crank, rssr], ids=lambda e: e.__name__)
def test_kinematics_of_variants_is_that_of_single_runs(example):
    model = example.build()
    single = model.kinematics(0.4, samples=41)
    system, P = lowered(model, moves=False)
    many = Many(Structure(system.ints, system.floats, ()), P, place_of(system))
    begin = np.tile(assemble(model).q, (3, 1))
    found = many.follow(Variants(np.tile(system.floats, (3, 1)), begin), single.times, np.full(41, 1.0 / 41))
    assert not found.status.any()
    ends = np.cumsum([single.q.shape[1], single.v.shape[1]])
    for mine, its in zip(np.split(found.values[1], ends, axis=1), (single.q, single.v, single.a), strict=True):
        # Newton's method ends with corrections below 1e-10 of the scales, single runs go on to rounding
        assert np.abs(mine - its).max() < 1e-9 * np.abs(its).max()


def by_explicit_steps(system, rtol):
    method = method_named("dop853")
    numbers, own = method.numbers(system.n_coordinates + system.n_columns)
    options = np.array([own[0], method.order, rtol, 1e-3 * rtol])
    return numbers[own[3] : own[4]].copy(), numbers[own[4] : own[5]].copy(), options


@pytest.mark.parametrize(("example", "duration"), [(squeezer, 0.01), (rssr, 0.3)], ids=["plane", "space"])
def test_motions_of_variants_are_those_of_single_runs(example, duration):
    model = example.build()
    if example is rssr:
        model = model.copy(without=["motor"])
        model.gravity = (0, -9.81, 0)  # across the crank, which stands upright
    exact = model.simulate(duration, samples=3, method="dop853", rtol=1e-11)
    system, P = lowered(model, moves=True)
    many = Many(Structure(system.ints, system.floats, ()), P, place_of(system))
    begin = np.hstack([exact.q[:1], exact.v[:1]])
    steps = by_explicit_steps(system, 1e-8)
    found = many.integrate(Variants(system.floats[None], begin), exact.times, np.full(3, 1.0 / 3), *steps)
    assert not found.status.any()
    assert np.ptp(exact.q, axis=0).max() > 0.1  # it moves
    off = np.abs(found.values[0, :, : system.n_coordinates] - exact.q).max()
    assert off < 1e-6 * (1.0 + np.abs(exact.q).max())  # a hundred times the tolerance of a step


def test_constants_that_vary_are_read_and_others_written_in():
    models = [m.with_parameters(r=r) for m in [_crank()] for r in (0.1, 0.12, 0.15)]
    systems = [lower(m) for m in models]
    floats = np.array([s.floats for s in systems])
    varying = tuple(np.flatnonzero(np.ptp(floats, axis=0)))
    structure = Structure(systems[0].ints, floats[0], varying)
    assert structure.holds(floats)
    assert not Structure(systems[0].ints, floats[0], varying[1:]).holds(floats)
    singles = [m.kinematics(1.0, samples=25) for m in models]
    P = pattern(systems[0], active_rows(systems[0]))
    many = Many(structure, P, [Wanted(place=singles[0]._system.columns.index("slider.x"))])
    found = many.follow(Variants(floats, np.array([s.start for s in systems])), singles[0].times, np.full(25, 0.04))
    for k, single in enumerate(singles):
        assert np.allclose(found.values[k, :, 0], single["slider"].x, rtol=0, atol=1e-11)


def _crank():
    """A slider-crank whose crank is a parameter."""
    m = tm.PlanarModel("slider-crank")
    r = m.parameter("r", 0.1)
    m.body("crank", angle=0.5)
    m.body("rod", position=(0.1, 0.05), angle=-0.1)
    m.body("slider", position=(0.4, 0.0))
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.point("P", "crank", local=(r, 0))
    m.point("Q", "rod", local=(0, 0))
    m.point("R", "rod", local=(0.3, 0))
    m.revolute("B", m["P"], m["Q"])
    m.revolute("C", m["R"], m["slider"].at(0, 0))
    m.prismatic("G", m.ground, "slider", at=(0, 0), axis=(1, 0))
    m.driver("motor", m["A"].angle, "0.5 + 2*pi*t")
    return m


def test_what_is_left_of_a_series():
    model = _crank()
    single = model.kinematics(1.0, samples=31)
    system, P = lowered(model, moves=False)
    x, shares = single["slider"].x, np.linspace(1.0, 2.0, 31)
    many = Many(Structure(system.ints, system.floats, ()), P, [Wanted(place=system.columns.index("slider.x"))])
    found = many.follow(Variants(system.floats[None], system.start[None]), single.times, shares, reduced=True)
    expected = [x.max(), x.min(), (shares * x).sum(), (shares * x * x).sum(), x[0], x[-1]]
    assert np.allclose(found.values[0, 0], expected, rtol=1e-10, atol=0)


def test_a_variant_that_cannot_close_says_so_and_leaves_the_others_alone():
    model = _crank()
    systems = [lower(model.with_parameters(r=r)) for r in (0.1, 0.4, 0.12)]
    floats = np.array([s.floats for s in systems])
    structure = Structure(systems[0].ints, floats[0], tuple(np.flatnonzero(np.ptp(floats, axis=0))))
    many = Many(structure, pattern(systems[0], active_rows(systems[0])), [Wanted(place=0)])
    found = many.follow(
        Variants(floats, np.array([s.start for s in systems])), np.linspace(0, 1, 21), np.full(21, 1 / 21)
    )
    assert (found.status != 0).tolist() == [False, True, False]


@pytest.mark.skipif(CC is None, reason="no C compiler on this machine")
def test_the_text_for_cards_computes_the_same(tmp_path):
    model = _crank()
    single = model.kinematics(1.0, samples=31)
    system, P = lowered(model, moves=False)
    many = Many(Structure(system.ints, system.floats, ()), P, place_of(system))
    source = gpu.follow_source(many.following, many.n_place, many.n_q, many.n_kept)
    # a card's words mean nothing to this compiler; one thread that runs the driver stands for it
    head = "#include <math.h>\nstruct { long long x; } blockIdx, blockDim, threadIdx;\n#define __device__\n#define __global__\n"
    (tmp_path / "kernel.cpp").write_text(head + source, encoding="utf-8")
    library = tmp_path / "kernel.so"
    subprocess.run(
        [
            CC,
            "-O1",
            "-ffp-contract=off",
            "-w",
            "-x",
            "c++",
            "-shared",
            "-fPIC",
            "-o",
            library,
            tmp_path / "kernel.cpp",
            "-lm",
        ],
        check=True,
    )
    here = many.follow(Variants(system.floats[None], system.start[None]), single.times, np.full(31, 1 / 31))
    kept, status, F = np.zeros((31, many.n_kept)), np.zeros(1, dtype=np.int32), np.zeros(1)
    times, shares, start = single.times.copy(), np.full(31, 1 / 31), system.start.copy()
    at = [ctypes.c_void_p(x.ctypes.data) for x in (times, shares, F, F, start, kept, status)]
    whole = ctypes.c_longlong
    ctypes.CDLL(str(library)).follow(
        whole(1), at[0], at[1], whole(31), at[2], at[3], at[4], ctypes.c_double(0.0), at[5], whole(many.n_kept), at[6]
    )
    assert status[0] == 0
    assert np.array_equal(kept, here.values[0])
