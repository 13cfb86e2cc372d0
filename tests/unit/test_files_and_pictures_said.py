"""Suffixes of files mean what they say, mesh files are shapes, and results answer for every name they list."""

import shutil

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.view.stills.film import FILMS, PAGES, SCENES


def pendulum():
    m = tm.PlanarModel("pendulum")
    m.body(
        "b",
        position=(0.1, 0.0),
        mass=1.0,
        inertia=0.01,
        centroid=(0.02, 0.01),
        outline=((-0.1, 0.0), (0.1, 0.02), (0.1, -0.02)),
    )
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    m.driver("D", "A.angle", "2*t")
    return m


def in_space():
    m = tm.SpatialModel("cross")
    m.body("b", mass=1.0, inertia=0.1)
    m.universal("U", "ground", "b", at=(0, 0, 0), axis="x", second_axis="y")
    m.driver("D", "U.angle", "0.3*t")
    m.driver("E", "U.second_angle", "0.2*t")
    return m


@pytest.mark.parametrize("build", [pendulum, in_space])
def test_a_gif_is_a_gif_that_moves(build, tmp_path):
    from PIL import Image

    path = build().kinematics(1.0, samples=4).animate(tmp_path / "x.gif")
    with Image.open(path) as film:
        assert film.format == "GIF" and film.n_frames > 1
        first = np.asarray(film.convert("L"), dtype=int)
        film.seek(film.n_frames - 1)
        assert np.abs(np.asarray(film.convert("L"), dtype=int) - first).max() > 50


def test_an_mp4_is_a_film_or_a_sentence(tmp_path):
    run = pendulum().kinematics(1.0, samples=4)
    if shutil.which("ffmpeg"):
        assert b"ftyp" in run.animate(tmp_path / "x.mp4").read_bytes()[:32]
    else:
        with pytest.raises(tm.FileWriteError, match=r"films need the program ffmpeg.*\.gif or \.html"):
            run.animate(tmp_path / "x.mp4")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["avi", "png", "gifs", "webm", "HTML5"])
def test_unknown_suffixes_of_animations_are_refused_at_once(suffix, tmp_path):
    run = pendulum().kinematics(1.0, samples=4)
    with pytest.raises(tm.FileWriteError, match=rf"suffix must be one of {', '.join((*PAGES, *FILMS, *SCENES))}, not"):
        run.animate(tmp_path / f"x.{suffix}")
    assert not list(tmp_path.iterdir())


def test_pages_keep_their_names_and_a_missing_suffix_is_added(tmp_path):
    run = pendulum().kinematics(1.0, samples=4)
    assert run.animate(tmp_path / "x.HTML").name == "x.HTML"
    assert run.animate(tmp_path / "y").name == "y.html"


@pytest.mark.parametrize("name", ["x.xlsx", "x.html", "x.png"])
def test_a_table_is_comma_separated_text(name, tmp_path):
    run = pendulum().kinematics(1.0, samples=4)
    with pytest.raises(tm.FileWriteError, match=r"suffix must be \.csv or \.txt"):
        run.to_csv(tmp_path / name)


@pytest.mark.parametrize("name", ["x.html", "x.gif.txt", "x.doc"])
def test_pictures_have_the_suffix_of_a_picture(name, tmp_path):
    run = pendulum().kinematics(1.0, samples=4)
    for write in (run.draw, run.plot):
        with pytest.raises(tm.FileWriteError, match=r"suffix must be one of .*pdf.*png"):
            write(path=tmp_path / name)


def test_a_mesh_file_is_a_shape(tmp_path):
    file = tmp_path / "part.stl"
    tm.inertia.box_mesh(0.1, 0.2, 0.3).write_stl(file)
    m = tm.SpatialModel()
    for given in (str(file), file, [file], tm.inertia.read_mesh(file)):
        body = m.copy().body("b", shape=given, density=1000.0)
        assert body.mass == pytest.approx(6.0, rel=1e-6)  # STL keeps seven digits
    with pytest.raises(tm.TrammelError, match=r"missing\.stl"):
        m.body("c", shape=tmp_path / "missing.stl")
    with pytest.raises(tm.ModelError, match="shape of body 'c' must be a Box, Sphere, Cylinder, Solid, mesh file"):
        m.body("c", shape=3.0)


def test_every_listed_measure_can_be_read_with_its_rates():
    m = in_space()
    run = m.kinematics(1.0, samples=5)
    np.testing.assert_allclose(run["U"].second_angle, 0.2 * run.times, atol=1e-9)
    np.testing.assert_allclose(run["U"].second_angle_rate, 0.2, atol=1e-9)
    np.testing.assert_allclose(run["U"].second_angle_acceleration, 0.0, atol=1e-9)
    np.testing.assert_allclose(run["U"].angle_rate, 0.3, atol=1e-9)
    with pytest.raises(AttributeError, match="it measures: angle, second_angle"):
        _ = run["U"].third_angle


def test_momentum_in_the_plane():
    """Against the formulas for a body on a hinge at the origin: p = m v_c, L = (J + m |r_c|²) ω."""
    run = pendulum().kinematics(1.0, samples=7)
    angle = 2.0 * run.times
    arm = np.hypot(0.12, 0.01)
    way = angle + np.arctan2(0.01, 0.12)
    speed = 2.0 * arm
    np.testing.assert_allclose(run.momentum, np.column_stack([-speed * np.sin(way), speed * np.cos(way)]), atol=1e-12)
    np.testing.assert_allclose(run.angular_momentum, (0.01 + arm**2) * 2.0, rtol=1e-12)
