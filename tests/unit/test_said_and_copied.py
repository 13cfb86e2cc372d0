"""What a user says is honoured or refused: a changed copy is the model described anew, and no argument is without effect."""

import pytest
from registry_samples import PLACES, TYPES, build, by_places, changed, fresh, plain, plain_model, sample

import trammel as tm

SPELLINGS = [sample, by_places]


def outcome(make):
    """What comes out: everything the model says, or the refusal."""
    try:
        return plain_model(make())
    except tm.ModelError as error:
        return f"refused: {error}"


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.filterwarnings("ignore::trammel.errors.ModelWarning")
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


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.filterwarnings("ignore::trammel.errors.ModelWarning")
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
    """A part's data; that it repeats the argument itself is not enough."""
    parameters = {k: v for k, v in part.parameters.items() if k != key or k in ("first", "second", "plane", "disc")}
    return plain([parameters, *(getattr(part, f) for f in part.__dataclass_fields__ if f != "parameters")])
