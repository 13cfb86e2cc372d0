"""Variants on another assembly branch than the drawn one are reported: a five-bar against its closed form."""

import math
import warnings

import numpy as np
import pytest

import trammel as tm

GROUND, CRANK, ROD = 0.4, 0.35, 0.45


def tip(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Point C of the five-bar on the left of PQ; not a number where the rods do not reach each other."""
    p = CRANK * np.stack([np.cos(a), np.sin(a)], -1)
    q = np.array([GROUND, 0.0]) + CRANK * np.stack([np.cos(b), np.sin(b)], -1)
    d = q - p
    size = np.linalg.norm(d, axis=-1)
    with np.errstate(invalid="ignore"):
        height = np.sqrt(ROD**2 - size**2 / 4)
    return (p + q) / 2 + (height / size)[:, None] * np.stack([-d[:, 1], d[:, 0]], -1)


def five_bar(a: float = 2.0, b: float = 1.1) -> tm.PlanarModel:
    p = CRANK * np.array([math.cos(a), math.sin(a)])
    q = np.array([GROUND, 0.0]) + CRANK * np.array([math.cos(b), math.sin(b)])
    c = tip(np.array([a]), np.array([b]))[0]
    m = tm.PlanarModel("five-bar")
    m.parameter("a", a)
    m.parameter("b", b)
    m.body("left", position=(0, 0), angle=a)
    m.body("right", position=(GROUND, 0), angle=b)
    m.body("rod1", position=tuple(p), angle=math.atan2(c[1] - p[1], c[0] - p[0]))
    m.body("rod2", position=tuple(q), angle=math.atan2(c[1] - q[1], c[0] - q[0]))
    m.revolute("A", "ground", "left", at=(0, 0))
    m.revolute("B", "ground", "right", at=(GROUND, 0))
    m.revolute("P", "left", "rod1", at=tuple(p))
    m.revolute("Q", "right", "rod2", at=tuple(q))
    m.revolute("C", "rod1", "rod2", at=tuple(c))
    m.driver("d1", "left.phi", "a")
    m.driver("d2", "right.phi", "b")
    m.point("T", "rod1", local=(ROD, 0))
    return m


def checked(batch: tm.Batch, verb: str, a: np.ndarray, b: np.ndarray, **options: object) -> tuple[set[int], set[int]]:
    """Variants on the other branch by the closed form, and those with a warning about their branch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)
        found = getattr(batch, verb)(keep=["T.x", "T.y"], progress=False, **options)
    place = np.stack([np.ravel(found[name].T[0]) for name in ("T.x", "T.y")], -1)
    wrong = set(np.flatnonzero(found.ok & (np.linalg.norm(place - tip(a, b), axis=1) > 1e-6)).tolist())
    warned = {k for k, told in found.warnings.items() if any(each.kind == "assembly branch" for each in told)}
    return wrong, warned


def grid(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles at which the rods reach each other."""
    a, b = (x.ravel() for x in np.meshgrid(np.linspace(0.2, 4.0, n), np.linspace(-1.5, 2.9, m)))
    reach = np.isfinite(tip(a, b)[:, 0])
    return a[reach], b[reach]


WEIGHTS = {name: {"mass": 1.0, "inertia": 0.01} for name in ("left", "right", "rod1", "rod2")}


@pytest.mark.parametrize("verb", ["simulate", "equilibrium"])
def test_variants_of_driven_dynamics_on_another_branch_are_reported(verb: str) -> None:
    a, b = grid(12, 11)
    batch = five_bar().copy(changes=WEIGHTS).batch({"a": a, "b": b})
    wrong, warned = checked(batch, verb, a, b, **({"times": [0.0]} if verb == "simulate" else {}))
    assert wrong and wrong == warned


def test_starts_of_free_motions_on_another_branch_are_reported() -> None:
    """Without drivers both angles are starting values: starts are followed along them."""
    a, b = grid(12, 11)
    free = five_bar().copy(without=["d1", "d2"], changes=WEIGHTS)
    wrong, warned = checked(free.batch(states={"A.angle": a, "B.angle": b}), "simulate", a, b, times=[0.0])
    assert wrong and wrong <= warned
    assert len(warned - wrong) <= 0.1 * len(a)  # lines of starting values that pass a singular position confirm nothing


def test_variants_of_linkages_with_redundant_joints_are_reported() -> None:
    a, b = grid(12, 11)
    m = five_bar()
    m.revolute("A2", "ground", "left", at=(0, 0))
    wrong, warned = checked(m.batch({"a": a, "b": b}), "kinematics", a, b, times=[0.0])
    assert wrong and wrong <= warned
    assert len(warned - wrong) <= 0.1 * len(a)


def test_variants_next_to_the_drawn_pose_carry_no_warning() -> None:
    rng = np.random.default_rng(0)
    m = five_bar().copy(without=["d1", "d2"], changes=WEIGHTS)
    near = {"A.angle": 2.0 + rng.uniform(-0.2, 0.2, 40), "B.angle": 1.1 + rng.uniform(-0.2, 0.2, 40)}
    assert checked(m.batch(states=near), "simulate", near["A.angle"], near["B.angle"], times=[0.0]) == (
        set(),
        set(),
    )


def test_variants_of_a_five_bar_on_another_branch_are_reported() -> None:
    a, b = (x.ravel() for x in np.meshgrid(np.linspace(0.2, 4.0, 12), np.linspace(-1.5, 2.9, 11)))
    reach = np.isfinite(tip(a, b)[:, 0])
    a, b = a[reach], b[reach]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)
        found = five_bar().batch({"a": a, "b": b}).kinematics(times=[0.0], keep=["T.x", "T.y"], progress=False)
    place = np.stack([found["T.x"][:, 0], found["T.y"][:, 0]], -1)
    wrong = set(np.flatnonzero(found.ok & (np.linalg.norm(place - tip(a, b), axis=1) > 1e-6)).tolist())
    warned = {k for k, told in found.warnings.items() if any(each.kind == "assembly branch" for each in told)}
    assert wrong
    assert wrong <= warned
    assert len(warned - wrong) <= 0.02 * len(a)  # lines in the parameters that pass a singular position confirm nothing


def with_phases(m: tm.PlanarModel) -> tm.PlanarModel:
    """An idle body whose angle is held first and driven later."""
    m.body("idle", position=(2, 0))
    for name in ("x", "y", "phi"):
        m.constrain(f"idle_{name}", f"idle.{name}")
    m.driver("turn", "idle.phi", "t")
    m.phase("first", active=["idle_phi"])
    m.phase("second", active=["turn"])
    m.switch("change", "first", "second", when="t - 5", direction=1)
    return m


def with_tolerance(m: tm.PlanarModel) -> tm.PlanarModel:
    m.closure_tolerance = 1e-6
    return m


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (None, {"damping": False}), (None, {"formulation": "joint"}), (None, {"level": "position"}), (None, {"device": "straight"}),
        (with_phases, {}), (with_tolerance, {}),
    ],
    ids=["plain steps", "joint coordinates", "positions", "straight", "phases", "closure tolerance"],
)  # fmt: skip
def test_variants_that_start_otherwise_are_reported(change: object, options: dict[str, object]) -> None:
    """Plain steps reach other branches than damped ones, and models with phases or tolerances are run one by one."""
    a, b = grid(9, 8)
    m = five_bar() if change is None else change(five_bar())  # type: ignore[operator]
    wrong, warned = checked(m.batch({"a": a, "b": b}), "kinematics", a, b, times=[0.0], **options)
    assert wrong and wrong == warned


def test_straight_kernels_start_on_the_branch_of_single_runs() -> None:
    """Undamped steps from a drawn pose that is far off would lead elsewhere."""
    a, b = grid(9, 8)
    straight, single = (
        checked(five_bar().batch({"a": a, "b": b}), "kinematics", a, b, times=[0.0], device=device)
        for device in ("straight", "cpu")
    )
    assert straight == single


@pytest.mark.parametrize("verb", ["equilibrium", "equilibria"])
def test_a_rest_is_on_the_branch_on_which_the_same_model_is_assembled(verb: str) -> None:
    """A crank that is driven through whole turns points the right way as drawn; turning it round may lead to another branch."""
    rng = np.random.default_rng(0)
    for turns in (-1, 1, 2) if verb == "equilibrium" else (1,):
        a, b = np.array([2.0, 1.1]) + rng.uniform(-0.5, 0.5, 2)
        m = five_bar().copy(changes=WEIGHTS).with_parameters(a=a + 2.0 * math.pi * turns, b=b)
        rest = m.equilibrium() if verb == "equilibrium" else m.equilibria(starts=1)[0]
        np.testing.assert_allclose(rest.q, m.assemble().q, rtol=0, atol=1e-9)
        place = m.kinematics(times=[0.0]).point("T").position[0]
        np.testing.assert_allclose(place, tip(np.array([a]), np.array([b]))[0], rtol=0, atol=1e-9)


@pytest.mark.filterwarnings("ignore::trammel.RunWarning")  # no line of angles leads there without a singular position
def test_rests_of_many_variants_have_the_bits_of_single_ones_after_whole_turns() -> None:
    m = five_bar().copy(changes=WEIGHTS)
    a = np.array([2.0, 1.6]) + 2.0 * math.pi
    many = m.batch({"a": a}).equilibrium(keep=["T.x"], progress=False)
    assert many.singly == 0
    for k, angle in enumerate(a):
        rest = m.with_parameters(a=float(angle)).equilibrium()
        np.testing.assert_array_equal(many.values("T.x")[k], rest.result["T.x"])
