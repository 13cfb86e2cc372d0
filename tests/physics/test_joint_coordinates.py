"""Joint coordinates: the same motion as in body coordinates, along maps whose derivatives are checked one joint type at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dynamic_models as plane
import pytrammel as tm
import spatial_models as space
from formulation_models import MODELS, TIGHT, floating_chain, slider_crank
from moving_samples import ALL, sample_model
from pytrammel.analysis.formulations.joint import tree_table
from pytrammel.analysis.positions.assembly import active_rows, assemble
from pytrammel.kernels.equations.tree import tree_bias_run, tree_to_bodies_run
from pytrammel.system.lowering import lower
from pytrammel.system.topology import can_carry, sides_of, spanning_tree
from pytrammel.system.tree import build_tree


def compare(model, duration, **options):
    """The same run in body and in joint coordinates; largest difference of positions, velocities and multipliers against their sizes."""
    one = model.simulate(duration, samples=21, **TIGHT, **options)
    two = model.simulate(duration, samples=21, formulation=tm.formulations.joint, **TIGHT, **options)
    assert one.times == pytest.approx(two.times)
    fast = max(1.0, np.abs(one.v).max())
    loads = max(1.0, np.abs(one.dynamics.multipliers).max(), np.abs(one.a).max())
    off = (
        np.abs(one.q - two.q).max() / max(1.0, np.abs(one.q).max()),
        np.abs(one.v - two.v).max() / fast,
        np.abs(one.a - two.a).max() / max(1.0, np.abs(one.a).max()),
        np.abs(one.dynamics.multipliers - two.dynamics.multipliers).max(initial=0.0) / loads,
    )
    return one, two, off


@pytest.mark.parametrize("name", MODELS)
def test_the_motion_and_all_reactions_are_those_in_body_coordinates(name):
    build, duration = MODELS[name]
    _, two, off = compare(build(), duration)
    # both runs are asked for 1e-12 a step; what that leaves after some dozen steps
    assert max(off) < 1e-9
    assert two.constraint_violation() < 1e-11


EVENTS = {
    "a blow": tm.Event("blow", "t - 0.1", impulse=[("rod", (0.3, 0.2))]),
    "another spring": tm.Event("soften", "t - 0.15", change={"s": {"stiffness": 50.0}}),
    "a joint lets go": tm.Event("break", "t - 0.12", release=["C"]),
    "the end": tm.Event("end", "t - 0.2", stop=True),
}


@pytest.mark.parametrize("name", EVENTS)
def test_events_do_the_same(name):
    """A joint that lets go leaves another tree behind."""
    _, two, off = compare(slider_crank(), 0.3, events=[EVENTS[name]])
    assert len(two.events) == 1
    assert max(off) < 1e-9


@pytest.mark.parametrize("form", ["articulated", "bodies", "matrix"])
@pytest.mark.parametrize(
    "name", ["slider-crank with a spring", "every joint", "floating robot", "redundant parallel cranks", "driven crank"]
)
def test_all_forms_give_the_same(name, form):
    build, duration = MODELS[name]
    m = build()
    one = m.simulate(duration, samples=5, **TIGHT)
    two = m.simulate(duration, samples=5, formulation=tm.formulations.joint(form=form), **TIGHT)
    assert two.q == pytest.approx(one.q, abs=1e-9)


@pytest.mark.parametrize("treatment", ["baumgarte", "none"])
def test_the_textbook_form_takes_the_same_steps_as_the_recursion(treatment):
    m = slider_crank()
    one, two = (
        m.simulate(0.4, formulation=tm.formulations.joint(form=form), constraints=treatment, samples=5, progress=False)
        for form in ("articulated", "matrix")
    )
    assert one.dynamics.statistics.steps == two.dynamics.statistics.steps
    assert two.q == pytest.approx(one.q, abs=1e-10)
    assert two.dynamics.statistics.position_violation == pytest.approx(
        one.dynamics.statistics.position_violation, rel=1e-3
    )


@pytest.mark.parametrize("treatment", tm.enforcement)
@pytest.mark.parametrize("method", ["dopri5", "adams", "bdf", "radau5"])
def test_loops_are_closed_under_every_treatment(treatment, method):
    m = slider_crank()
    loose = {"rtol": 1e-7, "progress": False, "samples": 5}
    one = m.simulate(0.4, samples=5, **TIGHT)
    two = m.simulate(0.4, formulation="joint", method=method, constraints=treatment, **loose)
    assert two.q == pytest.approx(one.q, abs=3e-5)  # a hundred steps of 1e-7, and a swing that amplifies


@pytest.mark.parametrize("treatment", ["partitioning", "hybrid", "penalty", "augmented"])
@pytest.mark.parametrize(
    "name", ["slider-crank with a spring", "redundant parallel cranks", "driven crank", "Bricard", "RSSR", "cam"]
)
def test_motion_and_reactions_are_the_same_under_every_treatment(name, treatment):
    """A closed, a redundant, a driven and spatial loops; penalties yield by a share of 1e-10 of the loads."""
    build, duration = MODELS[name]
    m = build()
    if name == "cam" and treatment in ("penalty", "augmented"):
        return  # refused: its place on the outline has no mass
    one = m.simulate(duration, samples=5, **TIGHT)
    # what a penalty leaves open would show in the energy of a run that is tighter than it
    how = TIGHT if treatment != "penalty" else {"rtol": 1e-10, "atol": 1e-12, "progress": False}
    two = m.simulate(duration, samples=5, formulation="joint", constraints=treatment, **how)
    loads = max(1.0, np.abs(one.dynamics.multipliers).max())
    allowed = 1e-8 if treatment == "penalty" else 1e-9
    assert two.q == pytest.approx(one.q, abs=allowed)
    assert two.dynamics.multipliers == pytest.approx(one.dynamics.multipliers, abs=10 * allowed * loads)


def triple_rocker():
    """A four-bar in which no link goes round (0.5 + 1.3 > 0.8 + 0.7), so that every joint has a place where it turns back."""
    m = tm.PlanarModel("triple rocker")
    pins = [np.zeros(2), 0.8 * np.array([math.cos(0.7), math.sin(0.7)]), None, np.array([1.3, 0.0])]
    gap = pins[3] - pins[1]
    length = np.hypot(*gap)
    along = (0.5**2 - 0.7**2 + length**2) / (2 * length)
    pins[2] = pins[1] + (along * gap + math.sqrt(0.5**2 - along**2) * np.array([-gap[1], gap[0]])) / length
    for k, name in enumerate(("first", "middle", "last")):
        way = pins[k + 1] - pins[k]
        size = np.hypot(*way)
        m.body(name, position=pins[k] + way / 2, angle=math.atan2(way[1], way[0]), mass=size, inertia=size**3 / 12)
    for name, one, two, at in zip(
        "ABCD", ("ground", "first", "middle", "last"), ("first", "middle", "last", "ground"), pins, strict=True
    ):
        m.revolute(name, one, two, at=at)
    return m


def test_other_joint_coordinates_are_chosen_where_that_helps():
    m = triple_rocker()
    start = {"samples": 11, "initial": {"A.angle.rate": 10.0}}
    one = m.simulate(0.6, **start, **TIGHT)
    two = m.simulate(0.6, formulation="joint", constraints="partitioning", **start, **TIGHT)
    assert {names for _, names in two.dynamics.statistics.partitions} >= {("A.angle",), ("B.angle",)}
    assert two.q == pytest.approx(one.q, abs=1e-8)


def test_the_independent_joint_coordinate_can_be_named():
    m = slider_crank()
    one = m.simulate(0.3, samples=5, **TIGHT)
    two = m.simulate(
        0.3, samples=5, formulation="joint", constraints=tm.enforcement.partitioning(coordinates=["A.angle"]), **TIGHT
    )
    assert two.q == pytest.approx(one.q, abs=1e-10)
    with pytest.raises(tm.ModelError, match=r"'crank\.phi' is no coordinate of this tree; it has: A\.angle"):
        m.simulate(
            0.3, formulation="joint", constraints=tm.enforcement.partitioning(coordinates=["crank.phi"]), progress=False
        )


# --- maps of joints, one type at a time -----------------------------------------------------------------------------------


def on_a_tree(model, closed):
    """Tree, its table, and a way from joint coordinates and speeds to those of the bodies."""
    system = lower(model, dynamics=True)
    rows = active_rows(system)
    tree = build_tree(system, spanning_tree(system, rows))
    table = tree_table(tree, system.floats, [], closed.q)
    first = tree.n_positions + len(system.extras) + len(system.model.turns)
    size = int(table.entries[0])
    nq, n = system.n_coordinates, system.n_columns

    def bodies(y):
        out = np.zeros(nq + n + size)
        tree_to_bodies_run(table.entries, 0.0, y, out)
        return out[:nq].copy(), out[nq : nq + n].copy()

    def bias(y):
        out = np.zeros(n)
        tree_bias_run(table.entries, 0.0, y, out)
        return out

    return system, tree, first, size, bodies, bias


def step(tree, y, first, h):
    """Joint coordinates a moment later with the speeds as they are: Euler parameters turn by the exact rotation."""
    out = y.copy()
    for node in tree.nodes:
        s, u = node.at_s, first + node.at_u
        n = {0: 0, 1: 1, 2: 1, 3: 3, 4: 6 if tree.system.per_body == 6 else 3}[node.kind]
        if node.kind == 3 or (node.kind == 4 and n == 6):
            shift = 3 if node.kind == 4 else 0
            out[s : s + shift] += h * y[u : u + shift]
            w = h * y[u + shift : u + shift + 3]
            turned = tm.rotations.product(y[s + shift : s + shift + 4], tm.rotations.exp(w))
            out[s + shift : s + shift + 4] = turned
        else:
            out[s : s + n] += h * y[u : u + n]
    return out


@pytest.mark.parametrize(("where", "kind"), ALL)
def test_every_joint_map_holds_its_rows_and_has_the_derivatives_it_claims(where, kind):
    model, constraint = sample_model(where, kind, 3)
    if not can_carry(model, constraint):
        return
    closed = assemble(model)
    system, tree, first, size, bodies, bias = on_a_tree(model, closed)
    assert constraint.name in {branch.joint for branch in tree.topology.branches}
    rng = np.random.default_rng(5)
    y = np.zeros(size)
    for node in tree.nodes:
        if node.kind == 3:
            y[node.at_s : node.at_s + 4] = tm.rotations.exp(rng.normal(size=3))
        elif node.kind == 4:
            per = len(model.space.positions)
            y[node.at_s : node.at_s + per] = closed.q[per * node.body : per * (node.body + 1)]
        elif node.kind:
            y[node.at_s] = rng.normal()
    y[first : first + tree.n_speeds] = rng.normal(size=tree.n_speeds)
    q, v = bodies(y)
    # wherever the joint has moved to, its rows hold; a thread counts turns, which only a run does
    from pytrammel.analysis.positions.assembly import residuals

    turns = len(model.turns)
    own = [k for k, row in enumerate(system.rows) if row.owner == constraint.name and "thread" not in row.label]
    pose = np.concatenate([q[: q.size - turns], closed.q[q.size - turns :]]) if turns else q
    assert np.abs(residuals(system, pose, 0.0)[own]).max(initial=0.0) < 1e-12 * max(1.0, np.abs(q).max()) * 10
    # velocities and accelerations by central differences of fourth order
    h = 1e-3
    moved = {k: bodies(step(tree, y, first, k * h)) for k in (-2, -1, 1, 2)}
    rate = lambda part: (8.0 * (moved[1][part] - moved[-1][part]) - (moved[2][part] - moved[-2][part])) / (12.0 * h)  # noqa: E731
    dq, dv = rate(0), rate(1)
    n = len(model.bodies) - 1
    if where == "plane":
        assert dq[: 3 * n] == pytest.approx(v[: 3 * n], abs=1e-8)
    else:
        for b in range(n):
            assert dq[7 * b : 7 * b + 3] == pytest.approx(v[6 * b : 6 * b + 3], abs=1e-8)
            spin = 2.0 * tm.rotations.L(q[7 * b + 3 : 7 * b + 7]) @ dq[7 * b + 3 : 7 * b + 7]
            assert spin == pytest.approx(v[6 * b + 3 : 6 * b + 6], abs=1e-8)
    assert dv == pytest.approx(bias(y), abs=1e-7)


# --- the book's numbers ---------------------------------------------------------------------------------------------------


def test_the_double_pendulum_of_the_book_has_the_book_s_numbers():
    """Nikravesh, digest O-18: rods of 1 m and 0.8 m, 2 kg and 1.5 kg, relative angles (0.3, -0.7), rates (1.2, -0.4)."""
    m = tm.PlanarModel("O-18", gravity=(0, -9.81))
    m.body("one", position=(0.47766824, 0.1477601), angle=0.3, mass=2.0, inertia=2.0 / 12, omega=1.2)
    m.body("two", position=(1.32376089, 0.13975287), angle=-0.4, mass=1.5, inertia=1.5 * 0.64 / 12, omega=0.8)
    m.revolute("A", m.ground.at(0.0, 0.0), m["one"].at(-0.5, 0.0))
    m.revolute("B", m["one"].at(0.5, 0.0), m["two"].at(-0.4, 0.0))
    for form in ("articulated", "bodies", "matrix"):
        r = m.simulate(
            times=[0.0, 0.5, 1.0, 2.0],
            rtol=1e-12,
            atol=1e-13,
            formulation=tm.formulations.joint(form=form),
            progress=False,
        )
        expected = [0.94793986, -5.50081348, -11.07052644, 1.76501807, -10.65375314, 0.6736327]
        assert r.a[0] == pytest.approx(expected, abs=2e-8 * 12)
        # our first pin is written the other way round, from the ground to the rod
        assert r.dynamics.multipliers[0] == pytest.approx([-4.54340683, -7.35274334, -2.64752711, 1.26562971], abs=2e-7)
        first, second = r["one"].phi, r["two"].phi - r["one"].phi
        assert first[1:] == pytest.approx([-0.47259961, -2.29613596, -1.95370429], abs=5e-8)
        assert second[1:] == pytest.approx([0.51615919, -0.48339107, -0.803464], abs=5e-8)


def test_the_base_of_the_book_s_chain_is_body_five():
    """Nikravesh 13.4 (digest O-17): seven bodies, joint distances 1, 1, 1, 2, 3, 3."""
    joints = {f"J{k}": (str(k), str(k + 1)) for k in range(1, 7)}
    distance = dict(zip(joints, (1, 1, 1, 2, 3, 3), strict=True))
    sides = {str(k): sides_of(distance, joints, str(k)) for k in range(1, 8)}
    expected = [(0, 11), (1, 10), (2, 9), (3, 8), (5, 6), (8, 3), (11, 0)]
    assert [tuple(own) for own in sides.values()][1:-1] == expected[1:-1]
    assert min(sides, key=lambda k: abs(sides[k][0] - sides[k][-1]) if len(sides[k]) > 1 else sides[k][0]) == "5"


# --- trees, and what is refused -------------------------------------------------------------------------------------------


def test_joints_that_leave_the_most_free_are_cut():
    """Two hinged arms and a rod with a ball at each end: a ball is cut, three rows instead of five."""
    m = tm.SpatialModel("RSSR with a rod")
    crank = m.body("crank", position=(0.0, 0.1, 0.0), mass=1.0, inertia=(0.01, 0.01, 0.01))
    rod = m.body("rod", position=(0.5, 0.3, 0.2), mass=1.0, inertia=(0.01, 0.01, 0.01))
    rocker = m.body("rocker", position=(1.0, 0.2, 0.4), mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.revolute("A", "ground", crank, at=(0, 0, 0), axis="z")
    m.revolute("D", "ground", rocker, at=(1, 0, 0.4), axis="x")
    m.spherical("B", crank, rod, at=(0.0, 0.2, 0.0))
    m.spherical("C", rod, rocker, at=(1.0, 0.4, 0.4))
    system = lower(m, dynamics=True)
    found = spanning_tree(system, active_rows(system))
    assert len(found.rows) == 3
    assert found.cut in (("B",), ("C",))


def test_the_heaviest_body_or_the_one_asked_for_carries_what_floats():
    m = floating_chain()
    system = lower(m, dynamics=True)
    rows = active_rows(system)
    assert spanning_tree(system, rows).bases == ("b3",)
    assert spanning_tree(system, rows, base="b1").bases == ("b1",)
    assert spanning_tree(system, rows, base="distance").bases == ("b1",)
    one = m.simulate(0.5, formulation=tm.formulations.joint(base="b1"), samples=5, **TIGHT)
    two = m.simulate(0.5, formulation="joint", samples=5, **TIGHT)
    assert one.q == pytest.approx(two.q, abs=1e-10)


def test_the_joint_to_cut_can_be_named():
    m = slider_crank()
    runs = [
        m.simulate(0.3, formulation=tm.formulations.joint(cut=[cut]), samples=5, **TIGHT)
        for cut in ("A", "B", "C", "D")
    ]
    runs.append(m.simulate(0.3, formulation=tm.formulations.joint(cut="C"), samples=5, **TIGHT))
    for other in runs[1:]:
        assert other.q == pytest.approx(runs[0].q, abs=1e-9)
    assert np.array_equal(runs[-1].q, runs[2].q)


@pytest.mark.parametrize(
    ("formulation", "options", "said"),
    [
        (lambda: "joints", {}, "not known"),
        (lambda: tm.formulations.joint(base="nobody"), {}, "is no body"),
        (lambda: tm.formulations.joint(cut=["nothing"]), {}, "is no joint"),
        (lambda: tm.formulations.joint(cut=[]), {}, "leaves a loop closed"),
        (lambda: tm.formulations.joint(cut=5), {}, "cut must be a text or a list of texts, but it is"),
        (lambda: tm.formulations.joint(cut=["C", 3]), {}, "cut must be a text or a list of texts, but it is"),
        (lambda: tm.formulations.joint(cut="ABCD"), {}, "'ABCD' is no joint"),
        (lambda: tm.formulations.joint(base="ground"), {}, "is no body"),
        (lambda: tm.formulations.relative(cut=5), {}, "cut must be a text or a list of texts, but it is"),
        (lambda: tm.formulations[["joint"]], {}, "not known"),
        (lambda: tm.formulations.joint(form="fast"), {}, "form must be one of the words .*but it is 'fast'"),
        (lambda: tm.formulations.joint(colour="red"), {}, "no option 'colour'"),
        (lambda: tm.formulations.cartesian(base="crank"), {}, "no option 'base'; it takes: rotations, normalize"),
        (lambda: tm.formulations.joint(form="matrix"), {"constraints": "penalty"}, "leave out form="),
        (lambda: "points", {"constraints": "penalty"}, "distances are held by"),
        (lambda: "relative", {"constraints": "partitioning"}, "loops are closed by"),
        (lambda: "joint", {"initial": tm.InitialConditions(correct=False)}, "closed"),
        (lambda: "I", {}, "planar"),
        (lambda: tm.formulations.joint(base="crank"), {}, "joined to the ground"),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_reason(formulation, options, said):
    with pytest.raises(tm.ModelError, match=said):
        slider_crank().simulate(0.1, formulation=formulation(), progress=False, **options)


@pytest.mark.parametrize(
    ("build", "taken", "reason"),
    [
        (lambda: plane.chain([0.1 * k for k in range(8)]), "joint", "a tree of 8 bodies without loops"),
        (lambda: space.chain(4), "joint", "a tree of 4 bodies without loops"),
        (space.bricard, "joint", "rows beside it"),
        (slider_crank, "cartesian", "no faster"),
    ],
)
def test_auto_takes_what_is_faster_and_says_why(build, taken, reason):
    m = build()
    auto = m.simulate(0.05, samples=3, formulation="auto", progress=False)
    plain = m.simulate(0.05, samples=3, formulation=taken, progress=False)
    assert auto.dynamics.formulation.startswith(taken)
    assert reason in auto.dynamics.formulation
    assert np.array_equal(auto.q, plain.q)


def test_auto_stays_with_bodies_where_a_tree_cannot_help():
    m = space.chain(4)
    r = m.simulate(0.01, samples=2, formulation=tm.formulations.auto(rotations="rates"), progress=False)
    assert r.dynamics.formulation.startswith("cartesian (")
    assert "Euler parameters" in r.dynamics.formulation
    assert "joint (a tree of 4 bodies" in m.simulate(0.01, samples=2, formulation="auto", progress=False).summary()
