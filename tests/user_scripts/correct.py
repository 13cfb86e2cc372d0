"""Correct use of every part of the interface: type checkers report nothing here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import pytrammel as tm


def plane() -> tm.PlanarModel:
    """Slider-crank with lengths as numbers, texts, parameters and arrays."""
    m = tm.PlanarModel("slider-crank", gravity=(0.0, -9.81), closure_tolerance="0.01 mm")
    rod = m.parameter("rod", "0.3 m", bounds=("200 mm", 0.4), tolerance=1e-4)
    crank = m.body("crank", position=np.array([0.05, 0.0]), angle="10 deg", mass=1, inertia=np.float64(0.01))
    m.body(
        "coupler", position=(0.25, 0.0), mass="800 g", inertia=0.01, points={"tip": (0.1, 0.02)}, velocity=(None, 0.0)
    )
    slider = m.body("slider", position=[rod, 0], outline=[(-0.02, -0.01), (0.02, -0.01), (0.0, 0.01)])
    tip = m.point("P", "coupler", at=("100 mm", 0.0))
    hinge = m.revolute("A", m.ground, crank, at=(0.0, 0.0))
    m.revolute("B", "crank", m.bodies["coupler"], at=tip)
    m.link("C", crank.at(0.05), slider, length=rod)
    m.spring("s", tip, m.ground.at(0.0, 1.0), stiffness="50*(1 + l)", free_length="0.1 m", damping=2)
    m.force("load", "slider", (0.0, "-3*cos(t)"))
    m.driver("motor", hinge.angle, tm.deg(30) * tm.functions.sin(tm.time))
    return m


def space() -> tm.SpatialModel:
    """Pendulum in space."""
    s = tm.SpatialModel("pendulum")
    arm = s.body("arm", position=(0, 0, -1), shape=tm.Box((0.1, 0.1, 2.0)), density=7850, rotation=np.eye(3))
    s.revolute("A", s.ground, arm, at=(0, 0, 0), axis="y")
    s.revolute("B", s.ground, arm, at=(0, 0, 0), axis=[(0, 0, 0), (0, 1, 0)])
    s.spherical("C", s.ground, "arm", at=np.zeros(3))
    s.bushing("D", arm.at(0.0, 0.0, 1.0), s.ground, axis=(0, 0, 1), stiffness=(1e5, 1e5, "2 N/mm"))
    return s


def results(m: tm.PlanarModel) -> tuple[NDArray[np.float64], float, str]:
    """Reading of results."""
    result = m.simulate(1.0, samples=51, rtol=1e-9, initial={"A.angle": 0.1})
    turned = result["A"].angle + result["crank"].phi + result["A"].angle_rate
    height = float(result["P"].y[0] + result["P.y"].max())
    force: NDArray[np.float64] = np.hypot(*result.reaction("A").force.T)
    assert result.times.size == len(result) and isinstance(result["crank"].omega, np.ndarray)
    return turned * force, height, result.summary()


def analyses(m: tm.PlanarModel) -> list[float]:
    """Other analyses, and their results."""
    drawn = m["A"].angle.label + m["crank"].name + m["P"].label
    kinematics = m.kinematics(duration=1.0, times=None)
    rest = m.equilibrium()
    linear = m.linearize(at=rest, inputs=["A.angle"])
    best = m.optimize(minimize="max(abs(A.reaction))")
    batch = m.batch({"rod": [0.2, 0.3]}).simulate(1.0)
    copy: tm.PlanarModel = m.copy(changes={"crank": {"mass": 2.0}}).with_parameters(rod="250 mm")
    assert drawn and kinematics.q.size and copy.bodies["crank"].mass
    return [linear.frequencies[0], best.objective, len(batch), rest.residual, m.mobility().dof]


def tools() -> None:
    """Toolboxes and helpers."""
    matrix = tm.rotations.matrix((1.0, 0.0, 0.0, 0.0))
    wheel = tm.inertia.cylinder(0.2, 0.03, density=7850)
    assert matrix.shape == (3, 3) and wheel.mass > 0.0
    assert isinstance(tm.deg((10.0, 20.0)), tuple) and tm.mm(np.ones(3)).size == 3
    print(tm.textbook.linear.gauss([[2, 1], [1, 3]], [3, 5]), tm.__version__)
