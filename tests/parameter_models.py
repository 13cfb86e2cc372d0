"""Spellings of registered types for models with parameters in the place of all their numbers."""

from pytrammel.testing.samples import fresh, sample
from registry_samples import by_places

# links whose ends are points have no place of their own; the normal of stick_slip is a force
ONE_SPELLING = ("stick_slip", "revolute_revolute", "revolute_spherical", "revolute_cylindrical")


def cases(types):
    """Types with the spellings that they know."""
    out = [(kind, sample) for kind in types]
    more = [kind for kind in types if kind.kind not in ONE_SPELLING]
    return out + [(kind, by_places) for kind in more if by_places(kind, fresh(kind.space)) is not None]
