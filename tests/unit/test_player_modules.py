"""The player's JavaScript: modules that node can check and run, joined by Python into one script."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel.view
from pytrammel.view.animation.page import make_page, player_script
from pytrammel.view.animation.series import Quantities, packed
from pytrammel.view.animation.thinning import extreme_rows
from pytrammel.view.scene.symbols import place_stretched, spiral_points, spiral_sizes, stretched_kinds, stretched_parts

PLAYER = Path(pytrammel.view.__path__[0]) / "player"
MODULES = sorted(PLAYER.glob("*.mjs"))
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="no node on the path: the player's modules are run in browsers only"
)


def run(code: str) -> Any:
    """What a piece of JavaScript makes of the modules: ``code`` is an expression over ``m``, all their exports together."""
    files = json.dumps([file.as_uri() for file in MODULES])
    script = f"const m = Object.assign({{}}, ...await Promise.all({files}.map(f => import(f)))); console.log(JSON.stringify({code}));"
    done = subprocess.run([str(NODE), "--input-type=module", "-e", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- the joined script


def test_the_script_has_every_module_once_and_no_imports_left() -> None:
    script = player_script()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    for file in MODULES:
        first = file.read_text(encoding="utf-8").splitlines()[0]
        assert script.count(first) == 1, file.name


def test_names_at_the_top_of_modules_differ() -> None:
    names = re.findall(r"^(?:const|let|class|function)\s+(\w+)", player_script(), re.MULTILINE)
    assert len(names) == len(set(names)), {n for n in names if names.count(n) > 1}


def test_the_player_is_below_250_kilobytes() -> None:
    assert len(make_page("empty", {}).encode()) < 250_000


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_modules_are_short_and_say_what_they_are(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith("// ")
    assert len(text.splitlines()) < 500


@needs_node
@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_every_module_is_correct_javascript(file: Path) -> None:
    done = subprocess.run([str(NODE), "--check", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@needs_node
def test_the_joined_script_is_correct_javascript(tmp_path: Path) -> None:
    file = tmp_path / "player.js"
    file.write_text('"use strict";\n' + player_script(), encoding="utf-8")
    done = subprocess.run([str(NODE), "--check", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- what the modules do


@needs_node
@pytest.mark.parametrize("kind", stretched_kinds())
def test_stretched_symbols_are_placed_as_in_drawings(kind: str) -> None:
    a, b, u = (0.3, -0.2), (1.1, 0.7), 0.05
    tried = [(part, free) for part in stretched_parts(kind) for free in (0.0, 1.5)]  # a rope is taut, then slack
    given = [([x for point in part.points for x in point], part.sags, a, b, u, free) for part, free in tried]
    found = run(f"{json.dumps(given)}.map(it => m.placeStretched(...it))")  # one call of node: starting it is dear
    for (part, free), theirs in zip(tried, found, strict=True):
        ours = np.ravel(place_stretched(part, a, b, u, free))
        np.testing.assert_allclose(theirs, ours, atol=1e-12)  # the same few operations in both languages


@needs_node
def test_spirals_are_wound_as_in_drawings() -> None:
    sizes = json.dumps(spiral_sizes())
    for turned in (-3.0, 0.0, 8.0, 200.0):
        found = run(f"m.spiralPoints({turned}, {sizes})")
        np.testing.assert_allclose(found, np.ravel(spiral_points(turned)), atol=1e-12)


@needs_node
def test_values_between_frames_follow_a_cubic_exactly() -> None:
    # Hermite interpolation with central differences reproduces a parabola on even frames
    code = """(() => { const T = [0, 1, 2, 3], c = m.makeClock(T), v = T.map(t => t * t - 2 * t);
      return [0.5, 1.25, 2.9].map(p => c.at(v, Math.floor(p), p % 1)); })()"""
    np.testing.assert_allclose(run(code), [t * t - 2 * t for t in (0.5, 1.25, 2.9)], atol=1e-12)


@needs_node
def test_time_and_frames_are_inverse() -> None:
    code = "(() => { const c = m.makeClock([0, 0.1, 0.4, 1]); return [0, 0.05, 0.2, 0.99, 1].map(t => c.timeAt(c.posAt(t))); })()"
    np.testing.assert_allclose(run(code), [0, 0.05, 0.2, 0.99, 1], atol=1e-12)


@needs_node
def test_numbers_survive_packing() -> None:
    values = np.array([0.0, -1.5, math.pi, 6.02e23])
    np.testing.assert_allclose(run(f"[...m.unpack({packed(values)!r})]"), values, rtol=1e-7)  # 32-bit floats


@needs_node
@pytest.mark.parametrize("middle", [1.0, -1e9, 299.15, 1e-6])
@pytest.mark.parametrize("share", [1e-3, 1e-6, 1e-8])
def test_small_variations_of_large_values_survive_packing(middle: float, share: float) -> None:
    values = middle * (1.0 + share * np.sin(np.linspace(0.0, 7.0, 12)))
    gap = np.append(values, np.nan)
    found = np.array(run(f"[...m.unpack({packed(gap)!r}).slice(0, -1)]"))
    error = 1e-6 * np.ptp(values) + 4.0 * np.spacing(abs(middle))
    np.testing.assert_allclose(found, values, rtol=0.0, atol=error)
    low, high = run(f"m.range(m.unpack({packed(values)!r}))")
    assert high - low < 1.2 * np.ptp(values)


@needs_node
def test_playing_loops_or_stops_at_the_end() -> None:
    setup = "const p = new m.Playback(m.makeClock([0, 1, 2]), () => 2); p.play(true);"
    assert run(f"(() => {{ {setup} p.advance(500); return p.pos; }})()") == pytest.approx(0.5)
    assert run(f"(() => {{ {setup} p.advance(2500); return p.pos; }})()") == pytest.approx(0.5)
    assert run(f"(() => {{ {setup} p.loop = false; p.advance(2500); return [p.pos, p.playing]; }})()") == [2, False]
    assert run(f"(() => {{ {setup} p.speed = 0.001; p.advance(500); return p.pos; }})()") == pytest.approx(0.0005)


@needs_node
def test_speeds_go_from_a_thousandth_to_ten_times() -> None:
    speeds = run("m.SPEEDS")
    assert (speeds[0], speeds[-1]) == (0.001, 10) and 1 in speeds and speeds == sorted(speeds)


@needs_node
def test_the_factor_of_a_speed_is_seconds_of_the_run_per_second_on_the_screen() -> None:
    """Runs of 1 ms to 1 h, each shown once in a while of 2 s to 20 s: what is played in a fiftieth of a second says how fast it was."""
    spans = [0.001, 0.0137, 0.4, 2.0, 7.3, 19.0, 60.0, 3600.0]
    setup = "(span => { const p = new m.Playback(m.makeClock([0, 0.3*span, span]), () => Math.min(Math.max(span, 2), 20)); p.play(true);"
    found = run(
        f"{spans}.map({setup} p.advance(20); return [p.clock.timeAt(p.pos) / 0.02, m.factorText(p.pace())]; }}))"
    )
    for played, text in found:
        assert float(text.removesuffix("×")) == pytest.approx(played, rel=5e-3)  # three digits are shown
    assert [text for _, text in found] == ["0.0005×", "0.00685×", "0.2×", "1×", "1×", "1×", "3×", "180×"]


@needs_node
def test_labels_never_collide() -> None:
    # sixty labels at random places, as crowded as no picture is
    code = """(() => {
      let seed = 7; const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
      const wanted = Array.from({length: 60}, (_, k) => ({x: 300 * random(), y: 200 * random(), w: 20 + 60 * random(), gap: 4, side: 0,
        normal: k % 3 ? null : [0, 1], text: "x"}));
      const boxes = m.placeLabels(wanted, [], [0, 0, 300, 200]).map(it => it.box);
      const colliding = boxes.filter((a, i) => boxes.some((b, j) => j > i && m.overlap(a, b)));
      return [boxes.length, colliding.length, boxes.every(b => b[0] >= 0 && b[2] <= 300)];
    })()"""
    placed, colliding, inside = run(code)
    assert placed > 15 and colliding == 0 and inside


@needs_node
def test_in_a_crowd_names_of_lesser_weight_need_room() -> None:
    code = """(() => {
      let seed = 7; const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
      const wanted = Array.from({length: 60}, (_, k) => ({x: 600 * random(), y: 400 * random(), w: 30, gap: 5, side: 0, text: "x",
        minor: k < 30 ? 0 : 1}));
      const placed = m.placeLabels(wanted), minor = placed.filter(it => it.label.minor).length;
      const gap = (a, b) => Math.max(b[0] - a[2], a[0] - b[2], b[1] - a[3], a[1] - b[3]);
      const gaps = placed.flatMap((it, i) => it.label.minor ? placed.slice(0, i).map(other => gap(it.box, other.box)) : []);
      return [Math.min(...gaps), placed.length, m.placeLabels(wanted).length, placed.length - minor, minor];
    })()"""
    near, first, again, major, minor = run(code)
    assert near >= 7.0 and 0 < minor < major <= 30
    assert again >= first  # what is there stays


@needs_node
def test_labels_stay_where_they_were_while_there_is_room() -> None:
    code = """(() => { const it = {x: 50, y: 50, w: 20, gap: 4, side: 3, text: "x"}; m.placeLabels([it]); return it.side; })()"""
    assert run(code) == 3


@needs_node
def test_dragging_finds_the_nearest_frame_on_the_way() -> None:
    # a point that turns twice: dragged a little ahead it goes there, not to the same place a turn later
    code = """(() => { const n = 200, p = i => [Math.cos(4 * Math.PI * i / n), Math.sin(4 * Math.PI * i / n)], to = p(30);
      return m.nearestFrame(i => Math.hypot(p(i)[0] - to[0], p(i)[1] - to[1]), 22, n, false); })()"""
    assert run(code) == 30


@needs_node
def test_a_driver_goes_to_the_nearest_time_with_its_value() -> None:
    code = """(() => { const T = Array.from({length: 101}, (_, i) => i / 100), v = T.map(t => Math.sin(2 * Math.PI * t));
      return [0.1, 0.4].map(t => m.indexNear(T, v, 0.5, t)); })()"""
    np.testing.assert_allclose(run(code), [1 / 12, 5 / 12], atol=2e-3)  # straight lines between hundredths


@needs_node
def test_ticks_are_round_and_within() -> None:
    found = run("m.ticks(-0.37, 1.42, 6)")
    assert found["step"] in (0.5, 0.2) and all(-0.37 <= t <= 1.42 for t in found["at"]) and 3 <= len(found["at"]) <= 9


def axes_of_many_sizes() -> list[tuple[float, float, int]]:
    """Ranges from 1e-9 to 1e12 wide, centred, one-sided and far from zero by up to 1e8 of their width."""
    random = np.random.default_rng(3)
    found = []
    for _ in range(400):
        width = 10.0 ** random.uniform(-9.0, 12.0)
        low = width * float(random.choice([0.0, -0.5, random.uniform(-3, 3), 10.0 ** random.uniform(0.0, 8.0)]))
        found.append((low, low + width, int(random.integers(2, 12))))
    return [*found, (0.0, 2.4e6, 6), (-1e6, 3e6, 6), (0.0, 3e-4, 6), (9.9e5, 1.01e6, 5)]


@needs_node
def test_tick_labels_are_the_numbers_at_the_ticks() -> None:
    axes = axes_of_many_sizes()
    found = run(f"{json.dumps(axes)}.map(it => m.tickLabels(...it))")
    for (low, high, _), it in zip(axes, found, strict=True):
        assert it["at"] and len(it["texts"]) == len(it["at"]) == len(set(it["texts"])), (low, high, it)
        # a label has the digits of its step: only rounding of the ticks themselves, n*step, is between them
        np.testing.assert_allclose([float(text) for text in it["texts"]], it["at"], rtol=1e-12, atol=1e-6 * it["step"])
        assert len({"e" in text for text in it["texts"] if text != "0"}) <= 1, it["texts"]
    assert run("[1e6, 1.2e6, 1.4e6].map(v => m.ticked(v, 2e5))") == ["1.0e+6", "1.2e+6", "1.4e+6"]
    assert run("[2e-4, 2.5e-4].map(v => m.ticked(v, 5e-5))") == ["2.0e-4", "2.5e-4"]


@needs_node
def test_a_thinned_series_gives_the_range_of_its_values() -> None:
    """The range at the time of every sample has the sample in it, and is no wider than the two parts beside it."""
    t = np.linspace(0.0, 1.0, 4001)
    v = np.sin(700.0 * t) * (1.0 + t)
    rows = extreme_rows(t, v[None, :], 50)[0]
    asked = list(range(0, 4001, 37))
    given = json.dumps([t[rows].tolist(), v[rows].tolist(), t[asked].tolist()])
    found = np.array(run(f"(([T, V, at]) => at.map(x => m.rangeAt(T, V, x)))({given})"))
    assert (found[:, 0] <= v[asked]).all() and (v[asked] <= found[:, 1]).all()
    edges = [*np.searchsorted(t, np.linspace(0.0, 1.0, 51)[:-1]), 4001]
    for row, (low, high) in zip(asked, found, strict=True):
        k = int(np.searchsorted(edges, row, side="right")) - 1
        near = v[edges[max(k - 1, 0)] : edges[min(k + 2, 50)]]
        assert near.min() <= low and high <= near.max()


@needs_node
def test_quantities_have_their_own_times_after_thinning() -> None:
    times, values = np.array([[0.0, 1.0, 2.0], [0.0, 0.5, 2.0]]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    data = json.dumps(Quantities(times + 1e6, ("a", "b"), ("m", "m"), values, coarse=(False, True)).data())
    found = run(f"(q => [0, 1].map(k => [[...q.times(k)], [...q.values(k)], q.coarse(k)]))(m.readQuantities({data}))")
    assert found == [[(times[k] + 1e6).tolist(), values[k].tolist(), k == 1] for k in (0, 1)]


@needs_node
def test_labels_of_quantities_have_no_second_unit() -> None:
    names = ("A.angle", "A.angle [rad]", "P.x[in]", "crank.omega [ rpm ] ")
    data = json.dumps(Quantities(np.zeros(2), names, ("°", "rad", "in", "rpm"), np.zeros((4, 2))).data())
    assert run(f"m.readQuantities({data}).labels") == ["A.angle", "A.angle", "P.x", "crank.omega"]


@needs_node
def test_a_camera_fits_what_it_is_given() -> None:
    code = """(() => {
      const cam = m.makeCamera(m.groundAxes([0, 0, 1])), cloud = [[0, 0, 0, 0.1], [2, 1, 0.5, 0.2], [-1, 3, 2, 0]];
      cam.W = 800; cam.H = 500; cam.fit(cloud, {left: 10, right: 10, top: 10, bottom: 10, least: 0.1});
      const L = cam.lens([0, 1, 1], 4);
      return cloud.map(p => cam.project(L, p).slice(0, 2));
    })()"""
    for x, y in run(code):
        assert 10 - 1e-9 <= x <= 790 + 1e-9 and 10 - 1e-9 <= y <= 490 + 1e-9  # they touch the margin, but for rounding
