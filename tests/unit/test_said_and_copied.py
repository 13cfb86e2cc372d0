"""What a user says is honoured or refused: a changed copy is the model described anew, and no argument is without effect."""

import pytest

import pytrammel as tm
from pytrammel.model.arguments.recorded import argument_names
from pytrammel.testing.samples import fresh, plain, plain_model, sample
from registry_samples import PLACES, TYPES, build, by_places, changed

SPELLINGS = [sample, by_places]


def outcome(make):
    """What comes out: everything the model says, or the refusal."""
    try:
        return plain_model(make())
    except tm.ModelError as error:
        return f"refused: {error}"


@pytest.mark.sampled(26)
@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning")
def test_a_copy_with_a_changed_argument_is_the_model_described_anew(kind):
    honoured = 0
    for spelling in SPELLINGS:
        if by_places(kind, fresh(kind.space)) is None and spelling is by_places:
            continue
        try:
            model, _ = build(kind, spelling=spelling)
        except tm.ModelError:
            continue
        assert plain_model(model.copy()) == plain_model(model)
        for key, value in changed(kind, spelling):
            anew = outcome(lambda: build(kind, lambda m, k=key, v=value: {k: v(m)}, spelling)[0])
            copied = outcome(lambda: model.copy(changes={"it": {key: value(model)}}))
            assert anew == copied, f"{key}: {anew} against {copied}"
            honoured += not isinstance(anew, str)
    assert honoured >= 1


@pytest.mark.sampled(26)
@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning")
def test_no_argument_is_ignored(kind):
    for spelling in SPELLINGS:
        try:
            made = build(kind, spelling=spelling)
        except tm.ModelError:
            continue
        if made is None:
            continue
        for key, value in changed(kind, spelling):
            try:
                model, part = build(kind, lambda m, k=key, v=value: {k: v(m)}, spelling)
            except tm.ModelError:
                continue
            if key in PLACES and same_body(model, value(model), spelling(kind, fresh(kind.space)).get(key)):
                continue
            assert without(part, key) != without(made[1], key), f"{key} changes nothing ({spelling.__name__})"


def same_body(model, place, other):
    """Where a body is wanted, a point of it stands for it."""
    return other is not None and not hasattr(other, "local") and model.body_of(place).name == model.body_of(other).name


def without(part, key):
    """A part's data; that it repeats the argument itself is not enough, but for what runs read there (of a controller)."""
    read = ("first", "second", "plane", "disc", "function", "every")
    parameters = {k: v for k, v in part.parameters.items() if k != key or k in read}
    return plain([parameters, *(getattr(part, f) for f in part.__dataclass_fields__ if f != "parameters")])


# --- bodies, points, phases, switches --------------------------------------------------------------------------------

BODY = {
    False: {
        "position": (0.5, 0.6), "angle": 0.7, "mass": 3.0, "inertia": 0.4, "outline": ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
        "points": {"tip": (0.3, 0.4), "heel": (0.0, 0.1)}, "centroid": (0.1, 0.2), "velocity": (1.0, 2.0), "omega": 3.0, "massless": True,
        "color": "tab:orange",
    },
    True: {
        "position": (0.5, 0.6, 0.7), "rotation": (0.6, 0.8, 0.0, 0.0), "mass": 3.0, "inertia": (0.4, 0.5, 0.6), "centroid": (0.1, 0.2, 0.3),
        "properties": tm.inertia.box(0.1, 0.2, 0.3, density=1000.0), "shape": tm.Box((0.1, 0.2, 0.3)), "density": 500.0,
        "points": {"tip": (0.3, 0.4, 0.5)}, "velocity": (1.0, 2.0, 3.0), "omega": (1.0, 0.0, 2.0), "massless": True,
        "armature": True, "color": "#ab12cd",
    },
}  # fmt: skip
STARTS = {
    False: [{}, {"mass": 1.0, "inertia": 0.2}],
    True: [{}, {"mass": 1.0, "inertia": 0.2}, {"shape": tm.Sphere(0.1), "density": 800.0}, {"shape": [tm.Sphere(0.1)]}],
}


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_a_copy_with_a_changed_body_is_the_model_described_anew(space):
    kind = tm.SpatialModel if space else tm.PlanarModel

    def described(given):
        model = kind("one body")
        model.body("b", **given)
        return model

    known = set(BODY[space])
    for start in STARTS[space]:
        original = described(start)
        for key, value in BODY[space].items():
            anew = outcome(lambda s=start, k=key, v=value: described({**s, k: v}))
            copied = outcome(lambda m=original, k=key, v=value: m.copy(changes={"b": {k: v}}))
            assert anew == copied, key
            assert isinstance(anew, str) or anew != plain_model(original), f"{key} is ignored"
    with pytest.raises(tm.ModelError, match=r"body 'b' has no argument 'mas'; it has: .*Did you mean 'mass'"):
        original.copy(changes={"b": {"mas": 1.0}})
    with pytest.raises(tm.ModelError, match=r"body 'c' has no argument 'mas'"):
        original.body("c", mas=1.0)
    assert known == set(argument_names(kind.body))


def walker():
    m = tm.PlanarModel("walker")
    m.body("b", mass=1.0, inertia=1.0, points={"tip": (0.3, 0.0)})
    m.point("P", "b", at=(0.4, 0.1))
    m.point("Q", "b", local=(0.5, 0.2))
    m.revolute("A", m.ground.at(0.4, 0.1), "P")
    m.constrain("C", "P.x")
    m.driver("D", "A.angle", "t")
    m.spring("S", "ground", "Q", stiffness=3.0)
    m.phase("one", active=["D"])
    m.phase("two", active=["C"], hold=["C"])
    m.switch("go", "one", "two", when="A.angle - 1")
    return m


@pytest.mark.parametrize("old, new", [("P", "at"), ("P", "local"), ("Q", "at"), ("Q", "local")])
def test_a_point_is_moved_with_everything_that_hangs_on_it(old, new):
    twin = walker().copy(changes={old: {new: (0.7, -0.2)}})
    assert twin.points[old].local == (0.7, -0.2)  # the body is drawn unturned at the origin
    user = twin["A"].parameters["second"] if old == "P" else twin["S"].parameters["second"]
    assert user.local == (0.7, -0.2)


def test_phases_and_switches_can_be_changed_and_left_out():
    m = walker()
    assert m.copy(changes={"go": {"when": "A.angle - 2", "direction": 1}}).switches["go"].direction == 1
    assert m.copy(changes={"two": {"hold": []}}).phases["two"].hold == ()
    assert not m.copy(without=["go"]).switches
    with pytest.raises(tm.ModelError, match=r"switch 'go' has no argument 'whem'.*Did you mean 'when'"):
        m.copy(changes={"go": {"whem": "t"}})
    with pytest.raises(
        tm.ModelError, match=r"'one' cannot be left out alone, because 'go' needs it.*without=\['one', 'go'\]"
    ):
        m.copy(without=["one"])


@pytest.mark.parametrize(
    "name, users",
    [("b", "'P', 'Q', 'A', 'C', 'D', 'S'"), ("P", "'A', 'C'"), ("Q", "'S'"), ("A", "'D', 'go'"), ("D", "'one'"), ("C", "'two'")],
)  # fmt: skip
def test_what_others_need_cannot_be_left_out_alone(name, users):
    with pytest.raises(tm.ModelError, match=f"{name!r} cannot be left out alone, because {users}"):
        walker().copy(without=[name])


def test_a_body_is_left_out_with_all_that_hangs_on_it():
    m = walker()
    bare = m.copy(without=list(m._said))
    assert list(bare.bodies) == ["ground"] and not bare.constraints and not bare.points and not bare.forces


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"changes": {"ground": {"mass": 1}}}, "the ground cannot be changed"),
        ({"without": ["ground"]}, "the ground cannot be left out"),
        ({"changes": {"b.tip": {"at": (0, 0)}}}, r"point 'b\.tip' belongs to body 'b'.*'points'"),
        ({"changes": {"gravity": (0, 0)}}, r"gravity belongs to the model itself; give it as copy\(gravity=\.\.\.\)"),
        ({"changes": {"bb": {}}}, "no body, joint, force, point, phase or switch 'bb'"),
        ({"without": "A"}, r"must be a list of names; write without=\['A'\]"),
        ({"changes": {"b": 3.0}}, "changes of body 'b' must be arguments by name"),
        ({"changes": ["b"]}, "changes must be a mapping"),
        ({"changes": {"go": {"leave": "two"}}, "without": ["go"]}, "'go' is both left out and changed"),
        (
            {"changes": {"A": {"att": 1}}},
            r"revolute 'A' has no argument 'att'; it has: first, second, at\. Did you mean 'at'",
        ),
    ],
)
def test_what_a_copy_cannot_do_it_says(options, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        walker().copy(**options)


def test_gravity_units_and_name_are_changed_like_the_rest():
    twin = walker().copy("other", gravity=(1.0, 2.0), display_unit="mm")
    assert (twin.name, twin.gravity, twin.display_unit) == ("other", (1.0, 2.0), "mm")
    assert walker().copy().gravity == (0.0, -9.81)


# --- bodies drawn elsewhere --------------------------------------------------------------------------------------------


def pinned():
    m = tm.PlanarModel()
    m.body("b", position=(1.0, 0.0))
    m.revolute("A", "ground", "b", at=(0.8, 0.0))
    m.prismatic("T", "ground", "b", at=(0.8, 0.0), axis=(1.0, 0.0))
    return m


def test_an_unchanged_joint_stays_where_it_is_on_bodies_that_are_drawn_elsewhere():
    twin = pinned().copy(changes={"b": {"position": (1.0, 0.5)}})
    assert twin["A"].parameters["second"].local == pytest.approx((-0.2, 0.0))
    again = twin.copy()
    assert plain_model(again) == plain_model(twin)


def test_a_joint_with_a_new_place_is_drawn_in_the_pose_of_the_copy():
    moved = {"b": {"position": (1.0, 0.5)}}
    for twin in (
        pinned().copy(changes={**moved, "A": {"at": (0.9, 0.5)}}),
        pinned().copy(changes=moved).copy(changes={"A": {"at": (0.9, 0.5)}}),
    ):
        assert twin["A"].parameters["second"].local == pytest.approx((-0.1, 0.0))
        assert twin["A"].parameters["first"].local == pytest.approx((0.9, 0.5))


def test_half_a_place_in_another_pose_is_refused():
    moved = pinned().copy(changes={"b": {"angle": 0.5}})
    with pytest.raises(tm.ModelError, match=r"'T' was drawn with axis= before its bodies .*give axis= again"):
        moved.copy(changes={"T": {"at": (0.7, 0.0)}})
    assert moved.copy(changes={"T": {"angle": 0.5}})["T"].blocks[1].targets == (0.5,)


@pytest.mark.sampled(26)
@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning")
def test_changes_after_and_with_a_move_agree(kind):
    """Whether bodies are moved before or together with a change: the same model, or a refusal both times."""
    pose = {"b": {"position": (1.7, 1.1, 0.2)[: 3 if kind.space else 2]}}
    for spelling in SPELLINGS:
        try:
            made = build(kind, spelling=spelling)
            moved = made and made[0].copy(changes=pose)
        except tm.ModelError:
            continue
        if made is None:
            continue
        for key, value in changed(kind, spelling):
            after = outcome(lambda k=key, v=value, m=moved: m.copy(changes={"it": {k: v(m)}}))
            together = outcome(lambda k=key, v=value, m=made[0]: m.copy(changes={**pose, "it": {k: v(m)}}))
            if isinstance(after, str):
                assert after == together, key
            else:
                # turned into body axes once or twice
                assert numbers(after) == pytest.approx(numbers(together), abs=1e-12), key


def numbers(nested):
    """All numbers of nested tuples, in order."""
    if isinstance(nested, tuple):
        return [number for item in nested for number in numbers(item)]
    return [nested] if isinstance(nested, float) else []


# --- numbers that contradict the drawing -------------------------------------------------------------------------------


def test_an_angle_that_the_markers_contradict_is_refused():
    m = tm.SpatialModel()
    m.body("b", rotation=tm.rotations.from_axis_angle((0, 0, 1), 1.0))
    for turns in (-1, 0, 2):
        angle = 1.0 + turns * 2.0 * 3.141592653589793
        twin = m.copy()
        twin.revolute("A", twin.ground.marker(), twin["b"].marker(), angle=angle)
        assert twin.turns["A.angle"].start == pytest.approx(angle, abs=1e-12)
    with pytest.raises(tm.ModelError, match=r"angle=2 rad is said, but the joint is drawn at 1 rad"):
        m.revolute("A", m.ground.marker(), m["b"].marker(), angle=2.0)


def test_what_has_a_rate_only_can_be_held_still_but_has_no_value():
    m = tm.SpatialModel()
    b = m.body("b")
    m.constrain("still", b.angular_velocity_about("x"))
    with pytest.raises(
        tm.ModelError, match=r"b\.angular_velocity_about has a rate but no value.*use driver\('fast', \.\.\., '2\*t'\)"
    ):
        m.constrain("fast", b.angular_velocity_about("x"), value=2)
    with pytest.raises(tm.ModelError, match=r"end_stop 's': b\.angular_velocity_about has a rate but no value"):
        m.end_stop("s", b.angular_velocity_about("x"), low=0.0, stiffness=1.0)
    with pytest.raises(tm.ModelError, match=r"b\.rx has a rate but no value"):
        m.user_force("f", b.x, "3*b.rx")
    with pytest.raises(tm.ModelError, match="has 4 components; give a quantity of one number"):
        m.constrain("p", m.relative_parameters("ground", b), value=0.0)


def test_the_arms_of_a_cross_must_be_square():
    m = tm.SpatialModel()
    m.body("b")
    with pytest.raises(tm.ModelError, match=r"57° apart; they must be perpendicular. Use second_axis=\(0, 1, 0\)"):
        m.universal("U", "ground", "b", at=(0, 0, 0), axis="x", second_axis=(0.544639035, 0.838670568, 0.0))
