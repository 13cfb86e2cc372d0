"""Stiff flyball governor, IFToMM A05."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from verification.case import Row, case

# time: slider height s, arm angle below the horizontal, their rates, speed and angle of the shaft, length of the springs
GOVERNOR = {
    0.1: (0.5238364755695757, 0.4961738690759003, 0.4592718104361339, -0.5226739297539802,
          6.103717808830862, 0.6221066814026875, 0.5000472487262941),
    0.2: (0.5850798118207832, 0.4277204683254084, 0.7213723382106966, -0.7929786135546169,
          5.722380645600017, 1.2139371765913525, 0.5000508181940071),
    0.3: (0.6586323487803403, 0.34822347755208616, 0.7034460915201054, -0.7485436951448777,
          5.380424812789976, 1.7681011827159956, 0.5000475163567756),
    0.5: (0.7432494247863257, 0.2594913815434131, 0.052119780158373416, -0.053905218498742476,
          5.103415421971535, 2.8076794883679015, 0.5000414841222265),
    0.7: (0.6754671395375041, 0.330377306894473, -0.6587741984170224, 0.6966293585805707,
          5.316505203886127, 3.841219778835779, 0.5000431307776317),
    1.0: (0.5014209223795677, 0.5218333016255462, -0.12215149289772892, 0.14088557947952693,
          6.2711257418765545, 5.586346965869005, 0.5000542431397335),
    1.5: (0.7406845959686537, 0.2621460611820643, 0.15540245608928627, -0.1609255832724938,
          5.110289151813, 8.422950650214473, 0.5000418812400783),
    2.0: (0.5059092942967037, 0.5166637973645988, -0.24078314698364447, 0.2769261885721885,
          6.236223614435971, 11.17326707566125, 0.5000536298399325),
    3.0: (0.5132460783402204, 0.508245526969237, -0.3525436217166548, 0.4035648531924244,
          6.180672706285758, 16.76130897169462, 0.5000528742758891),
    4.0: (0.5232233710260434, 0.49685998258825675, -0.4543844518121416, 0.5169131926013464,
          6.10800805311, 22.350940433573783, 0.5000520011642782),
    5.0: (0.5355631037216435, 0.48287457658693983, -0.5436826902778731, 0.6139170473888895,
          6.022496499758459, 27.94253199104296, 0.5000510377532612),
    7.0: (0.5659381577194031, 0.4488714492183961, -0.6767591661929475, 0.7512568316937129,
          5.830800910952329, 39.13253062850817, 0.5000489533668406),
    9.0: (0.6012184020475062, 0.41005975958537766, -0.7415906601114793, 0.8087523425123324,
          5.637779256046883, 50.33213420282179, 0.5000468402556097),
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
    yield Row("rate of the arm", "rad/s", table[:, 3], -arm.vz[1:] / (0.5 * np.cos(down)), 1e-6, at=times)
    yield Row("speed of the shaft", "rad/s", table[:, 4], r["shaft"].omega[1:, 2], 1e-6, at=times)
    yield Row("turns of the shaft", "rad", table[:, 5], r["R.angle"][1:], 1e-6, at=times)
    span = np.linalg.norm(
        r.point(r.model["right"].at(0, 0, 0)).position - r.point(r.model["slider"].at(0.05, 0, 0)).position, axis=1
    )
    yield Row("length of a spring", "m", table[:, 6], span[1:], 1e-10, at=times)
    yield Row("acceleration of the slider at the start", "m/s²", -9.81, float(slider.az[0]), 1e-9)
    turn = -float(arm.az[0]) / (0.5 * math.cos(math.radians(30.0)))
    yield Row("angular acceleration of the arm at the start", "rad/s²", -9.51227927563072407, turn, 1e-9)
    yield Row("angular momentum", "kg m²/s", np.full(len(r), MOMENTUM), r.angular_momentum[:, 2], 1e-7)
