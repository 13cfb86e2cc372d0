"""The pages of animations in a headless Chromium (and Firefox, where there is one): they play, and obey keys, sizes and themes."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from browser import NO_BROWSER, Browser, find_browser
from pytrammel.view.animation.live import LiveView
from pytrammel.view.animation.planar import write_html
from pytrammel.view.animation.series import Quantities
from pytrammel.view.animation.spatial import write_space_html
from pytrammel.view.animation.thinning import PARTS, extreme_rows
from pytrammel.view.scene.planar_shapes import scene_of_plane
from pytrammel.view.scene.spatial_shapes import scene_of_motion

pytestmark = pytest.mark.browser
N = 49
needs_browser = pytest.mark.skipif(find_browser() is None, reason=NO_BROWSER)
FIREFOX = shutil.which("firefox")


def _crank() -> tuple[tm.PlanarModel, np.ndarray, np.ndarray]:
    """A crank with a spring, a driver and a mass; its motion needs no solving."""
    m = tm.PlanarModel("crank and spring", display_unit="mm")
    m.body("crank", position=(0.0, 0.0), mass=1.0, inertia=0.0, centroid=(0.1, 0.0))
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.point("P", "crank", at=(0.1, 0.0))
    m.spring("s", m.ground.at(0.25, 0.0), m["crank"].at(0.1, 0.0), stiffness=10.0)
    m.driver("motor", m["A"].angle, "2*pi*t")
    times = np.linspace(0.0, 1.0, N)
    return m, times, np.column_stack((np.zeros((N, 2)), 2.0 * np.pi * times))


def _gripped(path: Path) -> Path:
    """A block that a ball beside it holds in the first of two phases; nothing moves."""
    m = tm.SpatialModel("grip")
    m.body("block", position=(0.0, 0.0, 0.0), shape=tm.Box((0.2, 0.2, 0.2)))
    m.spherical("grip", m.ground, "block", at=(1, 0, 0))
    m.phase("held", active=["grip"])
    m.phase("free", active=[])
    q = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (2, 1))
    return write_space_html(scene_of_motion(m, np.arange(2.0), q, phases=["held", "free"]), path)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    m, times, q = _crank()
    quantities = Quantities(
        times, ("motor.value", "P.x"), ("°", "mm"), np.array([np.degrees(q[:, 2]), 100.0 * np.cos(q[:, 2])]), (), "P.x", (("motor", 0),)
    )  # fmt: skip
    plane = write_html(scene_of_plane(m, times, q), folder / "plane.html", quantities=quantities)
    s = tm.SpatialModel("arm")
    s.body("arm", position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.revolute("A", s.ground, "arm", at=(0, 0, 0), axis=(0, 0, 1))
    s.point("P", "arm", at=(0.3, 0.0, 0.1))
    half = np.pi * times
    turned = np.column_stack((np.zeros((N, 3)), np.cos(half), np.zeros((N, 2)), np.sin(half)))
    space = write_space_html(scene_of_motion(s, times, turned), folder / "space.html", quantities=quantities)
    pages = {"plane": plane, "space": space, "phases": _gripped(folder / "phases.html")}
    return {name: page.as_uri() for name, page in pages.items()}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = find_browser()
    assert program is not None
    with Browser(program) as it:
        yield it


def _changed(a: np.ndarray, b: np.ndarray) -> int:
    """Number of pixels that differ visibly."""
    return int((np.abs(a - b).max(axis=2) > 24).sum())


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_a_page_plays_by_itself_and_says_nothing(browser: Browser, pages: dict[str, str], kind: str) -> None:
    browser.open(pages[kind])
    start = browser.run("document.getElementById('time').textContent")
    browser.wait(f"document.getElementById('time').textContent !== {start!r}")
    assert browser.run("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    assert browser.console == []


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_the_mechanism_moves_from_frame_to_frame(browser: Browser, pages: dict[str, str], kind: str) -> None:
    pictures = []
    for frame in (0, 12):
        browser.open(f"{pages[kind]}#frame={frame}")
        pictures.append(browser.picture())
    assert _changed(*pictures) > 2000  # a bar of some 300 x 10 pixels that has gone, and one that has come
    assert browser.console == []


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_keys_play_step_and_show(browser: Browser, pages: dict[str, str], kind: str) -> None:
    browser.open(f"{pages[kind]}#frame=5")
    scrub = "+document.getElementById('scrub').value"
    browser.key("ArrowRight")
    assert browser.run(scrub) == 6
    browser.key("ArrowLeft")
    browser.key("ArrowLeft")
    assert browser.run(scrub) == 4
    browser.key("End")
    assert browser.run(scrub) == N - 1
    browser.key("l")
    assert browser.run("document.getElementById('labels').getAttribute('aria-pressed')") == "false"
    browser.key("]")
    assert browser.run("document.getElementById('speed').value") == "2"
    browser.key(" ")
    assert browser.run("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    assert browser.console == []


@needs_browser
def test_the_list_of_speeds_gives_multiples_of_real_time(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(f"{pages['plane']}#frame=5")  # a run of 1 s, shown in 2 s
    speed = "document.getElementById('speed')"
    assert browser.run(f"{speed}.selectedOptions[0].textContent") == "0.5×"
    assert browser.run(f"[...{speed}.options].map(o => +o.textContent.slice(0, -1) / o.value)") == [0.5] * 13
    assert browser.console == []


@needs_browser
def test_a_coarse_series_shows_its_peak_and_the_range_at_the_cursor(browser: Browser, tmp_path: Path) -> None:
    m, times, q = _crank()
    fine = np.linspace(0.0, 1.0, 20_001)
    force = 100.0 + 20.0 * np.sin(3000.0 * fine) + 96.5 * np.exp(-(((fine - 0.4) / 1e-3) ** 2))
    rows = extreme_rows(fine, force[None, :])
    series = Quantities(fine[rows], ("force",), ("N",), force[rows[0]][None, :], ("force",), "force", coarse=(True,))
    page = write_html(scene_of_plane(m, times, q), tmp_path / "page.html", quantities=series)
    browser.open(f"{page.as_uri()}#frame=5")
    browser.run(
        "(() => { const put = CanvasRenderingContext2D.prototype.fillText; window.texts = [];"
        " CanvasRenderingContext2D.prototype.fillText = function (...it) { texts.push(it[0]); put.apply(this, it); }; })()"
    )
    browser.key("ArrowRight")
    browser.wait("window.texts.some(text => text.startsWith('force'))")
    shown = browser.run("window.texts.find(text => text.startsWith('force'))")
    low, high = (float(word) for word in shown.removeprefix("force = ").removesuffix(" N").split(" … "))
    near = force[np.abs(fine - times[6]) <= 1.0 / PARTS]  # the parts of the run next to the cursor
    assert 80.0 <= low <= near.min() + 2.0 and near.max() - 2.0 <= high <= 120.0
    labels = [float(text) for text in browser.run("window.texts") if text.replace(".", "").isdecimal()]
    assert max(labels) >= 200.0  # the axis reaches the peak of 217 N
    assert browser.console == []


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_reduced_motion_waits_for_its_reader(browser: Browser, pages: dict[str, str], kind: str) -> None:
    browser.open(pages[kind], still=True)
    assert browser.run("document.getElementById('play').getAttribute('aria-label')") == "Play"


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_a_phone_of_390_pixels_shows_everything(browser: Browser, pages: dict[str, str], kind: str) -> None:
    browser.open(f"{pages[kind]}#frame=6&plots=P.x", width=390, height=780)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    browser.run("document.getElementById('more').open = true")
    for name in ("stage", "play", "scrub", "shown", "plots"):
        left, right = browser.run(
            f"(r => [r.left, r.right])(document.getElementById('{name}').getBoundingClientRect())"
        )
        assert 0 <= left < right <= 390, name
    assert browser.console == []


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_a_dark_system_gets_a_dark_page(browser: Browser, pages: dict[str, str], kind: str) -> None:
    browser.open(f"{pages[kind]}#frame=6", dark=True)
    dark = browser.picture().mean()
    browser.open(f"{pages[kind]}#frame=6")
    assert dark < 70 < 180 < browser.picture().mean()


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_a_plot_shares_the_cursor_of_the_film(browser: Browser, pages: dict[str, str], kind: str) -> None:
    browser.open(f"{pages[kind]}#frame=0&plots=P.x")
    browser.settle()
    x, y, w, h = browser.run(
        "(r => [r.x, r.y, r.width, r.height])(document.querySelector('.panel canvas').getBoundingClientRect())"
    )
    browser.drag((x + 60, y + h / 2), (x + 52 + 0.5 * (w - 62), y + h / 2))
    shown = browser.run("document.getElementById('time').textContent")
    # half way along the plot: half the run
    assert float(shown.split("=")[1].split("s")[0]) == pytest.approx(0.5, abs=0.01)
    assert browser.console == []


@needs_browser
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_the_slider_of_a_driver_moves_the_mechanism(browser: Browser, pages: dict[str, str], kind: str) -> None:
    browser.open(f"{pages[kind]}#frame=0")
    browser.run(
        "(s => { s.value = 90; s.dispatchEvent(new Event('input')); })(document.querySelector('#drivers input'))"
    )
    browser.settle()
    assert browser.run("+document.getElementById('scrub').value") == N // 4  # a quarter of the turn


@needs_browser
def test_the_crank_can_be_dragged(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(f"{pages['plane']}#frame=0&labels=0")
    # the pin at the origin and the tip of the crank, from the grid: the crank lies to the right of its pin at frame 0
    centre, tip = (browser.run(f"running.onScreen({x}, 0)") for x in (0, 95))
    radius = tip[0] - centre[0]
    assert radius > 50
    steps = [
        (centre[0] + radius * math.cos(a), centre[1] - radius * math.sin(a)) for a in np.radians(np.arange(0, 91, 10))
    ]
    browser.ask(
        "Input.dispatchMouseEvent", type="mousePressed", x=tip[0], y=tip[1], button="left", buttons=1, clickCount=1
    )
    for x, y in steps:
        browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        browser.settle()
    browser.ask("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", buttons=1, clickCount=1)
    assert browser.run("+document.getElementById('scrub').value") == pytest.approx(N // 4, abs=1)


@needs_browser
def test_space_is_drawn_without_webgl_too(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(f"{pages['space']}#frame=6&renderer=2d&labels=0")
    plain = browser.picture()
    browser.open(f"{pages['space']}#frame=6&labels=0")
    assert _changed(plain, browser.picture()) < 0.05 * plain.shape[0] * plain.shape[1]


@needs_browser
@pytest.mark.parametrize("way", ["never there", "lost on the way"])
def test_a_browser_without_webgl_shows_the_same_picture(browser: Browser, pages: dict[str, str], way: str) -> None:
    browser.open(f"{pages['space']}#frame=6&labels=0")
    assert browser.run("running.renderer()") == "webgl"
    usual = browser.picture()
    if way == "never there":
        none = "const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...more) "
        none += "{ return kind === '2d' ? get.call(this, kind, ...more) : null; };"
        script = browser.ask("Page.addScriptToEvaluateOnNewDocument", source=none)["identifier"]
        browser.open(f"{pages['space']}#frame=6&labels=0")
        browser.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    else:
        browser.run(
            "document.getElementById('solid').getContext('webgl').getExtension('WEBGL_lose_context').loseContext()"
        )
        browser.wait("running.renderer() === '2d'")
    assert browser.run("running.renderer()") == "2d"
    assert _changed(usual, browser.picture()) < 0.05 * usual.shape[0] * usual.shape[1]
    assert browser.run("document.getElementById('status').hidden")


@needs_browser
@pytest.mark.parametrize("renderer", ["webgl", "2d"])
def test_what_a_phase_switches_off_is_faint_in_space(browser: Browser, pages: dict[str, str], renderer: str) -> None:
    pictures = []
    for frame in (0, 1):
        browser.open(f"{pages['phases']}#frame={frame}&renderer={renderer}&labels=0&floor=0", still=True)
        pictures.append(browser.picture().astype(float))
    held, free = pictures
    x, y = (int(v) for v in browser.run("running.onScreen([1, 0, 0])"))
    solid, faint, paper = held[y, x].mean(), free[y, x].mean(), free[y, x + 60].mean()
    assert paper - faint == pytest.approx(0.25 * (paper - solid), abs=4.0)  # a quarter of its ink is left
    assert browser.console == []


@needs_browser
def test_a_live_view_in_the_plane_shows_frames_as_they_come(browser: Browser) -> None:
    m, times, q = _crank()
    with LiveView(scene_of_plane(m, times[:1], q[:1])) as view:
        browser.open(view.url)
        browser.wait("document.getElementById('status').textContent === 'Live'")
        before = browser.picture()
        view.push(0.25, np.zeros((2, 2)), [[0.0], [math.pi / 2]], keep=True)
        browser.wait("document.getElementById('scrub').max === '1'")
        assert _changed(before, browser.picture()) > 1000  # the crank has turned
        assert browser.console == []


@pytest.mark.skipif(FIREFOX is None, reason="no Firefox on the path")
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_the_mechanism_moves_in_firefox_and_no_error_is_told(pages: dict[str, str], kind: str, tmp_path: Path) -> None:
    from PIL import Image

    pictures = []
    told = [
        'user_pref("devtools.console.stdout.content", true);',
        'user_pref("browser.dom.window.dump.enabled", true);',
    ]
    (tmp_path / "user.js").write_text("\n".join(told), encoding="utf-8")
    for frame in (0, 12):
        file = tmp_path / f"{frame}.png"
        command = [
            str(FIREFOX),
            "--headless",
            "--profile",
            str(tmp_path),
            "--window-size=1000,700",
            f"--screenshot={file}",
        ]
        done = subprocess.run([*command, f"{pages[kind]}#frame={frame}"], check=True, timeout=120, capture_output=True)
        lines = (done.stdout + done.stderr).decode(errors="replace").splitlines()
        assert not [line for line in lines if line.startswith("JavaScript error") and "/pages" in line]
        pictures.append(np.asarray(Image.open(file).convert("RGB"), dtype=np.int16))
    assert _changed(*pictures) > 2000
