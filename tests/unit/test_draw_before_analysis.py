"""``m.draw()``: a picture of a model as it is described, before any analysis."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import pytrammel as tm
from pytrammel.errors import ModelError


def _pendulum() -> tm.PlanarModel:
    m = tm.PlanarModel("pendulum")
    m.body("bob", position=(0.6, -0.8), mass=1.0, inertia=0.0)
    m.revolute("A", m.ground, "bob", at=(0, 0))
    return m


def _top() -> tm.SpatialModel:
    m = tm.SpatialModel("top")
    m.body("top", position=(0.0, 0.0, 0.3), mass=1.0, inertia=(0.01, 0.01, 0.002))
    m.spherical("tip", m.ground, "top", at=(0.0, 0.0, 0.0))
    return m


def test_a_model_is_drawn_on_axes_of_its_own_and_written(tmp_path: Path) -> None:
    ax = _pendulum().draw(path=tmp_path / "pendulum.svg")
    assert ax.get_aspect() == 1.0
    assert (tmp_path / "pendulum.svg").stat().st_size > 2000


def test_a_model_is_drawn_on_axes_that_are_given() -> None:
    flat, deep = Figure().add_subplot(), Figure().add_subplot(projection="3d")
    assert _pendulum().draw(flat) is flat
    assert _top().draw(deep) is deep


def test_axes_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(ModelError, match="projection='3d'; these are flat"):
        _top().draw(Figure().add_subplot())
    with pytest.raises(ModelError, match="plain axes"):
        _pendulum().draw(Figure().add_subplot(projection="3d"))


def test_a_drawing_shows_open_joints_as_they_are_described() -> None:
    m = tm.PlanarModel("open")
    m.body("bar", position=(3.0, 0.0), outline=[(-1, -0.1), (1, -0.1), (1, 0.1), (-1, 0.1)])
    # two metres apart: assembling would pull the bar to the origin
    m.revolute("A", m.ground.at(0, 0), m["bar"].at(-1, 0))
    right = max(float(np.max(p.get_extents().get_points()[:, 0])) for p in _data_patches(m))
    assert right > 3.9


def _data_patches(m: tm.PlanarModel) -> list[object]:
    ax = m.draw(labels=False)
    return [p.get_path().transformed(p.get_patch_transform()) for p in ax.patches]


def test_a_drawing_compiles_nothing(tmp_path: Path) -> None:
    code = (
        "import pytrammel as tm; m = tm.PlanarModel('p'); m.body('b', position=(1, 0), mass=1.0, inertia=0.1)\n"
        "m.revolute('A', m.ground, 'b', at=(0, 0)); m.draw()"
    )
    folder = tmp_path / "kernels"
    surroundings = {**os.environ, "TRAMMEL_CACHE_DIR": str(folder)}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=surroundings)
    assert not [
        file for file in folder.rglob("*") if file.is_file() and file.name != "pytrammel-kernel-cache"
    ]  # its sign
