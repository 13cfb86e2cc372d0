"""Every registered joint and driver in batches: kernels written out for the model give the numbers of single runs to the last bit."""

import numpy as np
import pytest
from test_gradients_of_every_type import P, driven, varied

import pytrammel as tm
from pytrammel.analysis.batches import fast_kinematics
from pytrammel.errors import untold
from registry_samples import TYPES

VALUES = {"p": [P, 1.252, 1.247]}
# pieces of the others take as long to compile
IN_SPACE = ("revolute", "spherical", "universal", "driver", "gear", "point_on_curve")
JOINTS = [k for k in TYPES if (k.kind in tm.constraint_types() and not k.space) or (k.space and k.kind in IN_SPACE)]


@pytest.fixture(autouse=True)
def however_few(monkeypatch):
    """Kernels are written out however few variants there are, and every chunk is looked at."""
    monkeypatch.setattr(fast_kinematics, "PAYS", 0)


@pytest.mark.parametrize("kind", JOINTS, ids=str)
def test_kinematics_of_every_joint_is_the_same_to_the_last_bit(kind):
    model = driven(varied(kind))
    if model is None:
        return
    names = [name for name in model.points if name.endswith("0")]
    options = {"duration": 0.05, "samples": 4, "keep": [f"{name}.{c}" for name in names for c in ("x", "vy", "ax")]}
    with untold():  # some samples cannot move far
        straight = model.batch(VALUES).kinematics(**options)
        general = model.batch(VALUES).kinematics(**options, device="cpu")
    assert straight.kernels == ("specialized" if general.kernels else "")
    assert straight.n_fallback == general.n_fallback
    assert np.array_equal(straight._kept, general._kept, equal_nan=True)
