"""The atlas of coupler curves: entries against kinematics, shapes that know no place, size, turn, start and direction, searches, disk."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import synthesis
from pytrammel.design.synthesis.atlas.shapes import closed_shape, evenly, open_shape

pytestmark = pytest.mark.search

SMALL = {
    "ratios": (1.5, 2, 3, 4),
    "offsets": (0, 0.5),
    "along": (-0.5, 0.5, 1, 1.5),
    "across": (-0.8, -0.4, 0, 0.4, 0.8),
}
TURNS = np.linspace(0.0, math.tau, 24, endpoint=False)


@pytest.fixture(scope="module")
def atlas(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRAMMEL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        return synthesis.atlas(**SMALL, progress=False)


def rows(z: np.ndarray) -> np.ndarray:
    return np.column_stack([z.real, z.imag])


def test_entries_are_the_curves_of_kinematics(atlas):
    """Closed form of the sweep against Newton's method on the model, to rounding."""
    grid = atlas.grid
    rng = np.random.default_rng(3)
    chosen = [*rng.integers(0, len(grid.bars) * len(grid.points), 6), len(atlas) - 1, len(atlas) - 8]
    kinds = set()
    for number in map(int, chosen):
        curve = grid.curve(number, TURNS)
        design = grid.laid(number, 1.0, 0.0, False, TURNS, curve)
        k = design.model(speed=1.0).kinematics(times=TURNS, progress=False)
        assert np.max(np.abs(k["P"].x + 1j * k["P"].y - curve)) < 1e-12
        kinds.add(type(design).__name__)
    assert kinds == {"FourBar", "SliderCrank"}


def test_every_crank_of_the_atlas_goes_round(atlas):
    grid = atlas.grid
    made = [grid.laid(k * len(grid.points), 1.0, 0.0, False, TURNS[:1], np.zeros(1)) for k in range(grid.linkages)]
    assert all(each.full_turn for each in made)
    assert {each.grashof for each in made if isinstance(each, synthesis.FourBar)} == {"crank-rocker", "double crank"}


def moved(z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same closed curve elsewhere, larger, turned, started elsewhere and run through the other way."""
    lay = complex(*rng.normal(size=2))
    return complex(*rng.normal(size=2)) + lay * np.roll(z, int(rng.integers(1, len(z))))[:: rng.choice([-1, 1])]


def test_shapes_do_not_know_place_size_turn_start_and_direction(atlas):
    rng = np.random.default_rng(5)
    fine = np.linspace(0.0, math.tau, 360, endpoint=False)
    for number in rng.integers(0, len(atlas), 10):
        z = atlas.grid.curve(int(number), fine)
        both = np.stack([z, moved(z, rng)])
        shape = closed_shape(evenly(both, 64, closed=True)[0])
        assert np.max(np.abs(shape[0] - shape[1])) < 2e-2  # the polygons begin at other corners
        arc = np.stack([z[:120], 2.0 + 3j * z[:120]])
        assert np.allclose(*open_shape(evenly(arc, 17, closed=False)[0]), rtol=0, atol=1e-9)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_curve_of_the_atlas_is_found_wherever_it_lies(atlas, mirrored):
    rng = np.random.default_rng(7)
    for number in rng.integers(0, len(atlas), 4):
        z = atlas.grid.curve(int(number), TURNS)
        points = moved(z.conj() if mirrored else z, rng)
        size = np.max(np.abs(points - points.mean()))
        best = atlas.search(rows(points), n=1)[0]
        assert best.residual < 1e-2 * size
        assert np.allclose(best.at(best.cranks, side=best.sides)["P"], rows(points), rtol=0, atol=best.residual + 1e-12)


def test_a_piece_of_a_curve_is_found(atlas):
    grid = atlas.grid
    z = grid.curve(7 * 60, np.linspace(1.0, 3.5, 12))
    points = 5.0 - 2j * z
    found = atlas.search(rows(points), closed=False, n=5)
    assert found[0].residual < 1e-2 * np.max(np.abs(points - points.mean()))
    assert [each.residual for each in found] == sorted(each.residual for each in found)


def test_candidates_are_starts_that_a_fit_makes_better(atlas):
    bar = synthesis.FourBar((0, 0), (0, 0.041), (0.08, 0.083), (0.12, 0), (0.099, 0.024))
    points = bar.at(bar.crank_angle + TURNS)["P"]
    found = atlas.search(points, n=6)
    fitted = synthesis.path_four_bars(points, starts=found, full_turn=True)
    assert fitted[0].full_turn and fitted[0].residual < 0.5 * found[0].residual
    k = fitted[0].model(speed=1.0).kinematics(times=np.abs(fitted[0].turns), progress=False) if fitted[0].turns[1] > 0 else (
        fitted[0].model(speed=-1.0).kinematics(times=np.abs(fitted[0].turns), progress=False)
    )  # fmt: skip
    away = np.hypot(k["P"].x - points[:, 0], k["P"].y - points[:, 1])
    assert np.max(away) == pytest.approx(fitted[0].residual, abs=1e-10)


def test_an_atlas_is_kept_on_disk_and_made_again_when_damaged(atlas, tmp_path, monkeypatch):
    from pytrammel.design.synthesis.atlas import curves

    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(tmp_path))
    grid = curves.Grid(ratios=(2.0, 3.0), along=(0.5,), across=(0.5,))
    first = curves._computed(grid, False)
    (file,) = tmp_path.rglob("*.npz")
    again = curves._loaded(grid)
    assert np.array_equal(first.closed, again.closed) and np.array_equal(first.arcs, again.arcs)
    file.write_bytes(file.read_bytes()[:100])
    assert curves._loaded(grid) is None


def test_sheets_and_candidates_are_drawn(atlas, tmp_path):
    figure = atlas.plot(first=2, rows=1, columns=2, path=tmp_path / "sheet.png")
    assert len(figure.axes) == 2 and "crank" in figure.axes[0].get_title()
    points = rows(atlas.grid.curve(11, TURNS))
    candidates = atlas.search(points, n=2)
    figure = synthesis.plot_paths(points, candidates, names=["first", "second"], path=tmp_path / "paths.png")
    assert figure.axes[1].get_title().startswith("second: largest error")
    assert all((tmp_path / name).stat().st_size > 5000 for name in ("sheet.png", "paths.png"))


SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1), (-0.3, 0.5)]


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda a: synthesis.atlas(kinds=["five-bar"]), "kinds of an atlas may be"),
        (lambda a: synthesis.atlas(ratios=[0.5, 2]), "at least 1"),
        (lambda a: synthesis.atlas(ratios=[1.0], kinds="four-bar"), "no linkage of these ratios"),
        (lambda a: synthesis.atlas(along=np.linspace(0, 1, 99), across=np.linspace(0, 1, 99)), "too large"),
        (lambda a: a.search(SQUARE[:3]), "at least 5"),
        (lambda a: a.search(SQUARE[:3], closed=False), "at least 4"),
        (lambda a: a.search([*SQUARE, (0, 0)]), "are the same"),
        (lambda a: a.search(SQUARE, n=0), "n must be a whole number"),
        (lambda a: a.search(SQUARE, closed="no"), "closed must be True or False"),
        (lambda a: synthesis.path_four_bars(SQUARE, full_turn=1), "full_turn must be True or False"),
        (lambda a: a.plot(first=10**6), "first must be the number of a linkage"),
        (lambda a: synthesis.path_four_bars(SQUARE, starts=a.search([*SQUARE, (0.1, 0.2)])), "a position for each of the 5 points"),
        (lambda a: synthesis.path_four_bars(SQUARE, starts=["x"]), "or designs"),
        (lambda a: synthesis.path_slider_cranks(SQUARE, starts=[synthesis.FourBar(*SQUARE)] * 0), "holds no SliderCrank"),
        (lambda a: synthesis.plot_paths(SQUARE, []), "no designs"),
        (lambda a: synthesis.plot_paths(SQUARE, [synthesis.FourBar(*SQUARE[:4])]), "with a point P"),
        (lambda a: synthesis.plot_paths(SQUARE, synthesis.FourBar(*SQUARE), names=["a", "b"]), "2 titles for 1 designs"),
    ],
)  # fmt: skip
def test_bad_input_is_answered_in_sentences(ask, words, atlas):
    with pytest.raises(tm.ModelError, match=words):
        ask(atlas)
