"""`m.difference` along a direction that is fixed in space or in the first body, in the plane and in space alike."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm


def two_bodies(space):
    m = tm.SpatialModel("two", gravity=(0.0, 0.0, 0.0)) if space else tm.PlanarModel("two", gravity=(0.0, 0.0))
    for k, name in enumerate("bc"):
        if space:
            m.body(
                name, position=(0.1 * k, 0.3, 0.2 * k), rotation=tuple(tm.rotations.from_angles((0.3 + k, 0.2, 0.5), "xyz")), mass=1.0,
                inertia=(1.0, 1.0, 1.0), velocity=(0.1, k, 0.0), omega=(0.0, 0.0, 2.0 - k),
            )  # fmt: skip
        else:
            m.body(
                name, position=(0.1 * k, 0.3), angle=0.4 + k, mass=1.0, inertia=1.0, velocity=(0.1, k), omega=2.0 - k
            )
    return m


@pytest.mark.parametrize("frame", ["space", "body", None])
@pytest.mark.parametrize("space", [False, True])
def test_the_component_follows_from_the_poses(space, frame):
    m = two_bodies(space)
    n = 3 if space else 2
    p, q = (m[name].at(*np.array([0.2, -0.1, 0.3])[:n]) for name in "bc")
    u = np.array([0.6, 0.8, 0.0])[:n]
    quantity = m.difference(p, q, tuple(u), **({} if frame is None else {"frame": frame}))
    result = m.simulate(0.5, samples=6, progress=False)
    first, second = (result.point(place).position for place in (p, q))
    assert abs(m.drawn_value(quantity) - (second - first)[0] @ u) < 1e-12
    if frame == "space" or (frame is None and not space):
        along = np.tile(u, (len(result), 1))
    else:
        body = result["b"]
        if space:
            turns = body.matrix @ body.matrix[0].T
        else:
            c, s = np.cos(body.phi - body.phi[0]), np.sin(body.phi - body.phi[0])
            turns = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)
        along = turns @ u
    # sums of a few products of numbers near 1
    np.testing.assert_allclose(result.series(quantity).value, ((second - first) * along).sum(1), atol=1e-12)
    assert np.ptp(result.series(quantity).value) > 0.01  # the two frames differ


@pytest.mark.parametrize("space", [False, True])
def test_another_frame_is_rejected(space):
    m = two_bodies(space)
    with pytest.raises(tm.ModelError, match=r"difference.*frame.*'space', 'body'.*'world'"):
        m.difference("b", "c", (1.0, 0.0, 0.0)[: 3 if space else 2], frame="world")
