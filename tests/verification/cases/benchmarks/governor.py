"""Stiff flyball governor, IFToMM A05."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import trammel as tm
from verification.case import Row, case

# time: slider height s, arm angle below the horizontal, their rates, speed and angle of the shaft, length of the springs
GOVERNOR = {
    0.5: (0.7432494247863257, 0.2594913815434131, 0.052119780158373416, -0.053905218498742476,
          5.103415421971535, 2.8076794883679015, 0.5000414841222265),
    1.0: (0.5014209223795677, 0.5218333016255462, -0.12215149289772892, 0.14088557947952693,
          6.2711257418765545, 5.586346965869005, 0.5000542431397335),
    2.0: (0.5059092942967037, 0.5166637973645988, -0.24078314698364447, 0.2769261885721885,
          6.236223614435971, 11.17326707566125, 0.5000536298399325),
    5.0: (0.5355631037216435, 0.48287457658693983, -0.5436826902778731, 0.6139170473888895,
          6.022496499758459, 27.94253199104296, 0.5000510377532612),
    10.0: (0.6196229170613656, 0.39007370184464507, -0.7476033541643324, 0.8084670513455774,
          5.548203622654927, 55.935409909102376, 0.5000458338490852),
}  # fmt: skip
MOMENTUM = 53.868998658418432451185158  # about the vertical, constant


def governor() -> tm.SpatialModel:
    """Shaft, slider, two hinged arms with balls, two springs of 8e5 N/m with dampers of 4e4 N s/m."""
    m = tm.SpatialModel("governor", gravity=(0.0, 0.0, -9.81))
    angle, turning = math.radians(30.0), (0.0, 0.0, 2.0 * math.pi)
    cross = 0.3 / 12 * (1 + 1e-4)
    shaft = m.body("shaft", position=(0, 0, 0.5), mass=0.3, inertia=(cross, cross, 0.3 / 12 * 2e-4), omega=turning)
    slider = m.body("slider", position=(0, 0, 0.5), mass=3.0, inertia=(0.005,) * 3, omega=turning)
    m.revolute("R", m.ground, shaft, at=(0, 0, 0), axis="z")
    m.prismatic("P", shaft, slider, at=(0, 0, 0.5), axis="z")
    for side, name in ((1.0, "right"), (-1.0, "left")):
        along = np.array([side * math.cos(angle), 0.0, -math.sin(angle)])
        hinge = np.array([side * 0.05, 0.0, 1.0])
        axes = np.column_stack([along, [0.0, 1.0, 0.0], np.cross(along, [0.0, 1.0, 0.0])])
        at = hinge + 0.5 * along
        arm = m.body(
            name, position=at, rotation=axes, mass=0.3, inertia=(0.3 / 12 * 2e-4, cross, cross), omega=tuple(axes.T @ turning),
            velocity=tuple(np.cross(turning, at)),
        )  # fmt: skip
        m.revolute(f"H_{name}", shaft, arm, at=hinge, axis="y")
        ball = m.body(
            f"ball_{name}", position=hinge + along, rotation=axes, mass=5.0, inertia=(1e-12,) * 3, omega=tuple(axes.T @ turning),
            velocity=tuple(np.cross(turning, hinge + along)),
        )  # fmt: skip
        m.weld(f"W_{name}", arm, ball)
        m.spring(
            f"S_{name}", slider.at(side * 0.05, 0, 0), arm.at(0, 0, 0), stiffness=8e5, damping=4e4, free_length=0.5
        )
    return m


@case(
    "A05 flyball governor", area="Published benchmarks in space",
    source="IFToMM library of multibody benchmarks, A05; symmetric model with two degrees of freedom in quadruple precision",
    reason="rtol 1e-10 per step, some 1e4 steps of a stiff model whose fast motion is damped",
    uses="revolute, prismatic, weld, spring with damper; radau5 at rtol 1e-10",
)  # fmt: skip
def flyball() -> Iterator[Row]:
    times, table = np.array(list(GOVERNOR)), np.array(list(GOVERNOR.values()))
    r = governor().simulate(times=[0.0, *times], method="radau5", rtol=1e-10, atol=1e-12, progress=False)
    arm, slider = r["right"], r["slider"]
    down = np.arcsin((1.0 - arm.z[1:]) / 0.5)
    yield Row("height of the slider", "m", table[:, 0], slider.z[1:], 1e-7, at=times)
    yield Row("angle of the arm", "rad", table[:, 1], down, 1e-7, at=times)
    yield Row("speed of the slider", "m/s", table[:, 2], slider.vz[1:], 1e-6, at=times)
    yield Row("speed of the shaft", "rad/s", table[:, 4], r["shaft"].omega[1:, 2], 1e-6, at=times)
    yield Row("turns of the shaft", "rad", table[:, 5], r.quantity("R.angle")[1:], 1e-6, at=times)
    yield Row("angular momentum", "kg m²/s", np.full(len(r), MOMENTUM), r.angular_momentum[:, 2], 1e-7)
