"""Themes and colours of bodies: they reach every output, in the plane and in space, and wrong ones are refused with a remedy."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
import pytrammel.view
from pytrammel._util.colors import NAMES, hex_color, mixed, rgb
from pytrammel.cli.main import main
from pytrammel.report.page import report_page
from pytrammel.view.scene.symbols import mark_kinds, stretched_kinds
from pytrammel.view.theme import ARROWS, SYMBOLS, current, page_themes

VIEW = Path(pytrammel.view.__path__[0])
NODE = shutil.which("node")
OWN = tm.themes.light.replace(spring="#c0ffee", joint="#123456", body=("#102030", "#405060"), paper="#fffff0")


def swing(color: str | None = None) -> tm.PlanarModel:
    """A pendulum on a spring, with a coloured arm."""
    m = tm.PlanarModel("swing")
    arm = m.body("arm", position=(0.2, 0.0), mass=1.0, inertia=0.02, color=color)
    bob = m.body("bob", position=(0.5, 0.0), mass=1.0, inertia=0.02)
    m.revolute("A", m.ground, arm, at=(0, 0))
    m.revolute("B", arm, bob, at=(0.4, 0))
    m.spring("S", m.ground.at_global(0.4, 0.4), arm.at_global(0.3, 0.0), stiffness=100.0)
    m.point("P", bob, local=(0.1, 0.0))
    return m


def swing_in_space(color: str | None = None) -> tm.SpatialModel:
    """The same in space."""
    m = tm.SpatialModel("swing in space")
    arm = m.body("arm", position=(0.2, 0, 0), mass=1.0, inertia=0.02, shape=tm.Box((0.4, 0.05, 0.05)), color=color)
    bob = m.body("bob", position=(0.5, 0, 0), mass=1.0, inertia=0.02)
    m.revolute("A", m.ground, arm, at=(0, 0, 0), axis="y")
    m.revolute("B", arm, bob, at=(0.4, 0, 0), axis="y")
    m.spring("S", m.ground.at_global(0.4, 0, 0.4), arm.at_global(0.3, 0, 0), stiffness=100.0)
    m.point("P", bob, local=(0.1, 0, 0))
    return m


MODELS = pytest.mark.parametrize("make", [swing, swing_in_space], ids=["plane", "space"])


def pixels(ax: Any) -> set[str]:
    """Colours of all pixels of the figure that axes belong to."""
    figure = np.ravel(ax)[0].figure
    figure.set_dpi(60)
    figure.canvas.draw()
    r, g, b = np.moveaxis(np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int), -1, 0)
    return {f"#{v:06x}" for v in np.unique((r << 16) + (g << 8) + b).tolist()}


def near(found: set[str], colour: str, most: float = 0.02) -> bool:
    """Whether some pixel has a colour, up to rounding."""
    return any(np.abs(np.subtract(rgb(each), rgb(colour))).max() <= most for each in found)


def scene_data(page: str) -> Any:
    """The data in a page."""
    found = re.search(r'id="scene">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


# ---- the only file with colours


def test_colours_of_pictures_stand_in_one_file() -> None:
    written = re.compile(r"#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?\b|tab:|[\"']C\d[\"']|[\"'](?:white|black|0\.\d+)[\"']")
    files = [p for p in VIEW.rglob("*") if p.suffix in (".py", ".mjs", ".css", ".html") and p.name != "theme.py"]
    assert len(files) > 60
    found = [
        f"{p.name}: {line}"
        for p in files
        for line in p.read_text(encoding="utf-8").splitlines()
        if written.search(line)
    ]
    assert found == []


def test_every_variable_of_the_style_sheet_is_a_role() -> None:
    style = (VIEW / "player" / "style.css").read_text(encoding="utf-8")
    roles = {name for name, value in tm.themes.light.data().items() if isinstance(value, str) and value.startswith("#")}
    assert set(re.findall(r"var\(--(\w+)\)", style)) - roles == {"c"}  # the colour of a swatch


def test_symbols_have_roles_that_themes_have() -> None:
    from pytrammel.view.scene.planar import Mark
    from pytrammel.view.scene.symbols import mark_parts, stretched_parts

    roles = {part.role for kind in mark_kinds() for part in mark_parts(Mark(kind, 0, (0.0, 0.0), size=5.0), 1.0)}
    roles |= {part.role for kind in stretched_kinds() for part in stretched_parts(kind)}
    assert roles == {"", *SYMBOLS}


# ---- Theme


def test_variants_change_what_they_name() -> None:
    theme = tm.themes.light.replace(spring="#c33", body="tab:orange", line_width=2)
    assert (theme.spring, theme.body, theme.line_width) == ("#cc3333", ("#ff7f0e",), 2)
    assert theme.ink == tm.themes.light.ink
    assert tm.themes.light.spring is None
    assert "spring='#cc3333'" in repr(theme)
    assert repr(tm.themes.dark) == "<Theme 'dark'>"
    assert repr(tm.themes) == "<Themes light, dark, print>"
    assert list(tm.themes) == ["light", "dark", "print"]
    assert tm.themes["print"] is tm.themes.print


def test_dark_themes_are_told_by_their_paper() -> None:
    assert [theme.night for theme in tm.themes.values()] == [False, True, False]
    assert tm.themes.light.replace(paper="black").night


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"sprng": "#c33"}, "unknown role 'sprng'; did you mean 'spring'?"),
        ({"spring": "#c3"}, "spring of theme 'light, changed' is '#c3', which is not a valid color. Use"),
        ({"ink": None}, "ink of theme 'light, changed' is None, which is not a valid color"),
        ({"body": ()}, r"body of theme .* is \(\), but it must be a list of colors, at least 1"),
        ({"speeds": ("red",)}, "at least 2"),
        ({"body": ("red", "rde")}, "color 2 of body of theme .* is 'rde'.* Use 'red'"),
        ({"line_width": 0.0}, "line_width is 0.0, but it must be a factor above 0"),
        ({"line_width": True}, "line_width is True"),
        ({"dashed": 1}, "dashed is 1. Use True or False"),
        ({"name": ""}, "name is ''"),
    ],
)
def test_wrong_roles_are_refused_with_a_remedy(roles: dict[str, Any], words: str) -> None:
    with pytest.raises(tm.ModelError, match=words):
        tm.themes.light.replace(**roles)


def test_unknown_themes_are_refused_before_any_file_is_written(tmp_path: Path) -> None:
    m = swing()
    for draw in (m.draw, m.diagram, m.simulate(0.1, samples=3).draw):
        with pytest.raises(tm.ModelError, match=r"theme is 'drak', which is not a theme\. Did you mean 'dark'"):
            draw(path=tmp_path / "a.png", theme="drak")
    with pytest.raises(tm.ModelError, match="theme is 'x'"):
        report_page(m, [], theme="x")
    with pytest.raises(tm.ModelError, match="theme is 3"):
        tm.themes.use(3)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_theme_ends_with_its_block() -> None:
    with tm.themes.use("dark"):
        assert current() is tm.themes.dark
        with tm.themes.use(OWN):
            assert current() is OWN
        assert current() is tm.themes.dark
    assert current() is tm.themes.light
    with pytest.raises(ZeroDivisionError), tm.themes.use("dark"):
        _ = 1 / 0
    assert current() is tm.themes.light


@pytest.mark.parametrize("name", NAMES)
def test_names_of_colours_are_those_of_matplotlib(name: str) -> None:
    from matplotlib.colors import to_hex

    assert hex_color(name) == to_hex(name)


# ---- drawings


@MODELS
def test_a_theme_reaches_drawings(make: Any) -> None:
    m = make()
    result = m.simulate(0.1, samples=3)
    light, dark = pixels(m.draw()), pixels(m.draw(theme="dark"))
    assert "#ffffff" in light
    assert not near(light, "#c0ffee")
    assert tm.themes.dark.paper in dark
    assert "#ffffff" not in dark
    for draw in (m.draw, result.draw, lambda **more: result.draw_stages(2, **more)):
        own = pixels(draw(theme=OWN))
        assert "#fffff0" in own
        assert "#ffffff" not in own
        assert near(own, "#c0ffee", 0.25 if make is swing_in_space else 0.02)


@MODELS
def test_default_drawings_are_light(make: Any) -> None:
    m = make()
    assert pixels(m.draw()) == pixels(m.draw(theme="light"))


def test_a_theme_reaches_diagrams_plots_and_graphs() -> None:
    m = swing(color="#ab12cd")
    result = m.simulate(0.1, samples=5)
    found = pixels(m.diagram(theme=OWN))
    assert all(near(found, each, 0.1) for each in ("#fffff0", "#c0ffee", "#ab12cd", "#123456"))
    own = OWN.replace(curve="#00aa55")
    for draw in (lambda: result.plot("A.angle"), lambda: m.graph().plot()):
        with tm.themes.use(own):
            assert "#fffff0" in pixels(draw())
    with tm.themes.use(own):
        assert "#00aa55" in pixels(result.plot("A.angle"))
    with tm.themes.use("print"):
        lines = np.ravel(result.plot("A.angle", "B.angle"))[0].lines
    assert len({line.get_linestyle() for line in lines}) == len(lines) == 2
    assert {line.get_linewidth() for line in lines} == {1.15 * 1.6}


def test_line_widths_are_multiplied() -> None:
    m = swing()
    thin, thick = (m.draw(theme=tm.themes.light.replace(line_width=w)) for w in (1.0, 3.0))
    widths = [np.array([patch.get_linewidth() for patch in ax.patches]) for ax in (thin, thick)]
    np.testing.assert_allclose(widths[1], 3.0 * widths[0])
    assert widths[0].max() > 0.0


def test_text_on_dark_paper_is_light_in_all_axes() -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.text import Text

    for ax in (swing().draw(theme="dark"), swing_in_space().draw(theme="dark")):
        ax.figure.canvas.draw()
        texts = [text for text in ax.figure.findobj(Text) if text.get_text() and text.get_visible()]
        assert len(texts) > 10
        assert all(sum(to_rgb(text.get_color())) > 1.3 for text in texts)


def test_colours_set_by_the_user_stay_on_dark_paper() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    ax = figure.add_subplot()
    ax.set_facecolor("#112211")
    text = ax.text(0, 0, "mine", color="#aa5500")
    swing().draw(ax, theme="dark")
    assert text.get_color() == "#aa5500"
    np.testing.assert_allclose(ax.get_facecolor()[:3], rgb("#112211"))
    assert ax.title.get_color() == tm.themes.dark.text


# ---- colours of bodies


@MODELS
def test_colours_of_bodies_reach_drawings(make: Any) -> None:
    plain, painted = pixels(make().draw()), pixels(make(color="#ab12cd").draw())
    most = 0.02 if make is swing else 0.12  # in space, light shades it
    assert near(painted, "#ab12cd", most)
    assert not near(plain, "#ab12cd", most)
    if make is swing:
        tint = mixed("#ffffff", "#ab12cd", 0.24)
        assert near(painted, tint)


@MODELS
@pytest.mark.parametrize("suffix", [".toml", ".json", ".yaml"])
def test_colours_of_bodies_survive_files(make: Any, suffix: str, tmp_path: Path) -> None:
    path = make(color="tab:orange").save(tmp_path / f"m{suffix}")
    found = tm.load(path)
    assert (found.bodies["arm"].color, found.bodies["bob"].color) == ("tab:orange", None)
    assert "tab:orange" in path.read_text(encoding="utf-8")


def test_wrong_colours_in_files_name_the_line(tmp_path: Path) -> None:
    path = swing(color="tab:orange").save(tmp_path / "m.toml")
    path.write_text(path.read_text(encoding="utf-8").replace("tab:orange", "tab:orang"), encoding="utf-8")
    with pytest.raises(
        tm.TrammelError, match=r"m\.toml, line \d+, bodies\.arm\.color: color of body 'arm' is 'tab:orang'"
    ):
        tm.load(path)


def test_the_schema_has_colours_of_bodies() -> None:
    from pytrammel.io.models.schema import schema

    text = json.dumps(schema())
    assert text.count('"color"') >= 2


@MODELS
def test_colours_of_bodies_survive_copies_results_and_subsystems(make: Any, tmp_path: Path) -> None:
    m = make(color="#ab12cd")
    assert m.copy().bodies["arm"].color == "#ab12cd"
    assert m.copy(changes={"arm": {"color": "navy"}}).bodies["arm"].color == "navy"
    larger = type(m)("larger")
    larger.subsystem("one", m)
    assert larger.bodies["one.arm"].color == "#ab12cd"
    path = m.simulate(0.1, samples=3).save(tmp_path / "r.trammel")
    assert tm.load_result(path).model.bodies["arm"].color == "#ab12cd"


@MODELS
@pytest.mark.parametrize("value", ["oragne", "#12", "#12345g", "C0", "red;", "", 3, (1, 0, 0), True])
def test_wrong_colours_of_bodies_are_refused(make: Any, value: Any) -> None:
    with pytest.raises(tm.ModelError, match=r"color of body 'arm' (is .*not a valid color\. Use|must be a text)"):
        make(color=value)


# ---- pages


@MODELS
def test_pages_offer_themes_and_open_in_the_chosen_one(make: Any, tmp_path: Path) -> None:
    result = make(color="tab:orange").simulate(0.1, samples=3)
    for theme, opens, number in (
        (None, "", 2),
        ("light", "light", 2),
        ("dark", "dark", 2),
        ("print", "print", 3),
        (OWN, OWN.name, 3),
    ):
        page = result.animate(tmp_path / "page.html", theme=theme).read_text(encoding="utf-8")
        data = scene_data(page)
        assert (data["theme"], len(data["themes"])) == (opens, number)
        assert data["themes"][0] == json.loads(json.dumps(tm.themes.light.data()))
        paper = (
            tm.themes.light.paper if theme is None else data["themes"][-1 if number == 3 else opens == "dark"]["paper"]
        )
        assert f"--paper: {paper};" in page
        assert [body["colour"] for body in data["bodies"] if body["name"] in ("arm", "bob")] == ["#ff7f0e", 1]
        assert {arrow["colour"] for arrow in data["arrows"]} <= set(ARROWS.values())


def test_a_variant_with_the_name_of_a_theme_is_told_apart() -> None:
    with tm.themes.use(OWN.replace(name="dark")):
        data = page_themes()
    assert [theme["name"] for theme in data["themes"]] == ["light", "dark", "dark, changed"]
    assert data["theme"] == "dark, changed"


def test_films_have_the_paper_of_their_theme(tmp_path: Path) -> None:
    from PIL import Image

    result = swing().simulate(0.1, samples=3)
    for theme in (tm.themes.light, tm.themes.dark, OWN):
        with Image.open(result.animate(tmp_path / "film.gif", theme=theme)) as film:
            corner = np.asarray(film.convert("RGB"))[-1, 0] / 255.0
        np.testing.assert_allclose(corner, rgb(theme.paper), atol=0.02)


def test_gltf_has_colours_of_bodies_and_symbols(tmp_path: Path) -> None:
    result = swing_in_space(color="#ab12cd").simulate(0.1, samples=3)
    for theme, expected in ((None, {"#ab12cd", "#b9c3cc"}), (OWN, {"#ab12cd", "#c0ffee", "#123456", "#405060"})):
        found = json.loads(result.animate(tmp_path / "a.gltf", theme=theme).read_text(encoding="utf-8"))
        names = {material["name"] for material in found["materials"]}
        assert expected <= names
        red = next(m for m in found["materials"] if m["name"] == "#ab12cd")["pbrMetallicRoughness"]["baseColorFactor"]
        np.testing.assert_allclose(red[:3], [((c + 0.055) / 1.055) ** 2.4 for c in rgb("#ab12cd")], atol=3e-3)


def test_reports_have_the_theme_and_colours(tmp_path: Path) -> None:
    from PIL import Image

    m = swing(color="tab:orange")
    for theme, paper in ((None, "#ffffff"), ("dark", tm.themes.dark.paper), (OWN, "#fffff0")):
        page = report_page(m, [], theme=theme)
        assert "<th>color</th>" in page
        assert "tab:orange" in page
        assert f"--paper: {paper};" in page
        file = tmp_path / "picture.png"
        file.write_bytes(base64.b64decode(re.findall(r"data:image/png;base64,([^\"]+)", page)[0]))
        with Image.open(file) as picture:
            np.testing.assert_allclose(np.asarray(picture.convert("RGB"))[0, 0] / 255.0, rgb(paper), atol=0.01)
    assert "color-scheme: light dark" in report_page(m, [])
    assert "color-scheme: dark;" in report_page(m, [], theme="dark")


def test_commands_take_a_theme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    model, out = swing().save(tmp_path / "m.toml"), tmp_path / "m.png"
    assert main(["view", str(model), "--out", str(out), "--theme", "dark", "--no-open"]) == 0
    with Image.open(out) as picture:
        np.testing.assert_allclose(
            np.asarray(picture.convert("RGB"))[0, 0] / 255.0, rgb(tm.themes.dark.paper), atol=0.01
        )
    page = tmp_path / "r.html"
    assert main(["report", str(model), "--out", str(page), "--theme", "dark", "--no-open"]) == 0
    assert "color-scheme: dark;" in page.read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["view", str(model), "--theme", "drak"])
    assert "theme is 'drak'" in capsys.readouterr().err


# ---- the player, run in node on a canvas that keeps what is painted

HARNESS = """
const m = Object.assign({}, ...await Promise.all(FILES.map(f => import(f)))), D = DATA, seen = new Set();
globalThis.Path2D = class { arc() {} moveTo() {} lineTo() {} closePath() {} };
const hex = v => "#" + [0, 8, 16].map(k => (v >> k & 255).toString(16).padStart(2, "0")).join("");
const pen = new Proxy({}, {
  get: (t, key) => key === "measureText" ? () => ({width: 20})
    : key === "createImageData" ? (w, h) => ({width: w, height: h, data: new Uint8ClampedArray(4 * w * h)})
    : key === "putImageData" ? image => { for (const v of new Uint32Array(image.data.buffer)) if (v) seen.add(hex(v)); }
    : key in t ? t[key]
    : () => { if (key.startsWith("stroke")) seen.add(t.strokeStyle); if (key.startsWith("fill")) seen.add(t.fillStyle); },
  set: (t, key, value) => { t[key] = value; return true; }});
const box = {left: 0, top: 0, width: 400, height: 300};
const element = () => ({width: 400, height: 300, offsetWidth: 0, hidden: false,
  getContext: kind => kind === "2d" ? pen : null, cloneNode: element, replaceWith() {}, remove() {}, addEventListener() {},
  getBoundingClientRect: () => box});
const clock = m.makeClock(D.times), all = {}, C = m.readTheme(D.themes.find(T => T.name === NAME));
const P = {$: id => all[id] ||= element(), D, clock, live: false, followed: -1, hand: null, trail: 1, bySpeed: BY_SPEED,
  ghosts: 2, ask: () => new Map(), pos: () => clock.last(), time: () => clock.timeAt(clock.last()), theme: () => C, pressed: () => true,
  show() {}, say() {}, tip() {}};
const stage = (D.kind === "space" ? m.spaceStage : m.planeStage)(P);
stage.resize(400, 300); stage.survey(); stage.fit(); stage.theme(); stage.draw();
const solid = D.bodies.map((b, k) => !!stage.solid(k)), root = {style: {setProperty(k, v) { this[k] = v; }}, classList: {toggle() {}}};
m.showTheme(D.themes.find(T => T.name === NAME), root);
console.log(JSON.stringify({seen: [...seen].filter(v => typeof v === "string"), solid, root: root.style}));
"""


def painted(data: Any, name: str, *, by_speed: bool = False) -> tuple[set[str], Any]:
    """Colours that the player paints with in a theme, and what else the harness found."""
    files = json.dumps([file.as_uri() for file in sorted((VIEW / "player").glob("*.mjs"))])
    code = HARNESS.replace("FILES", files).replace("NAME", json.dumps(name)).replace("BY_SPEED", str(by_speed).lower())
    code = code.replace("DATA", json.dumps(data))
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-"], input=code, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    colours = set()
    for text in found["seen"]:
        numbers = re.fullmatch(r"rgb\((\d+) (\d+) (\d+)\)", text)
        colours.add("#" + "".join(f"{int(v):02x}" for v in numbers.groups()) if numbers else text.lower())
    return colours, found


@pytest.mark.skipif(NODE is None, reason="no node on the path")
@MODELS
def test_the_player_paints_in_its_theme(make: Any, tmp_path: Path) -> None:
    result = make(color="#ab12cd").simulate(0.2, samples=5)
    data = scene_data(result.animate(tmp_path / "p.html", theme=OWN).read_text(encoding="utf-8"))
    own, found = painted(data, OWN.name)
    light, _ = painted(data, "light")
    dark, _ = painted(data, "dark")
    assert any(found["solid"])
    assert found["root"]["--paper"] == "#fffff0"
    assert found["root"]["colorScheme"] == "light"
    if make is swing:
        assert {"#c0ffee", "#123456", "#ab12cd", "#405060"} <= own
        assert {tm.themes.light.ink, "#ab12cd", "#d55e00"} <= light
        assert not {"#c0ffee", "#123456", "#405060"} & light
        assert mixed("#ab12cd", "#ffffff", 0.22) in dark
        assert {tm.themes.light.ink, tm.themes.light.paper}.isdisjoint(dark)
    else:  # surfaces are shaded: the shares of red, green and blue tell which colour it is
        for colours, there in ((own, True), (light, False)):
            assert (share(colours, "#c0ffee") > 20) is there
            assert (share(colours, "#123456") > 3) is there
        assert (
            min(share(each, mixed("#ab12cd", "#ffffff", k)) for each, k in ((own, 0.08), (light, 0.08), (dark, 0.16)))
            > 3
        )
        assert {tm.themes.light.ink} <= light
        assert tm.themes.light.ink not in dark


@pytest.mark.skipif(NODE is None, reason="no node on the path")
@MODELS
def test_trails_by_speed_take_the_scale_of_the_theme(make: Any, tmp_path: Path) -> None:
    theme = tm.themes.light.replace(speeds=("#010203", "#010203"))
    result = make().simulate(0.2, samples=5)
    data = scene_data(result.animate(tmp_path / "p.html", theme=theme).read_text(encoding="utf-8"))
    assert "#010203" in painted(data, theme.name, by_speed=True)[0]
    assert "#010203" not in painted(data, theme.name)[0]


BROWSER = """
const pen = new Proxy({}, {get: (t, key) => key === "measureText" ? () => ({width: 20})
  : key === "createImageData" ? (w, h) => ({width: w, height: h, data: new Uint8ClampedArray(4 * w * h)})
  : key in t ? t[key] : () => {}, set: (t, key, value) => { t[key] = value; return true; }});
const swatches = [], nothing = () => {}, all = {};
function element(tag) {
  const it = {tag, children: [], attributes: {}, variables: {}, width: 400, height: 300, clientWidth: 400, clientHeight: 300,
    offsetWidth: 10, value: "", textContent: "", append: (...more) => { it.children.push(...more); }, replaceChildren: nothing,
    cloneNode: () => element(tag),
    setAttribute(key, value) { it.attributes[key] = String(value); }, getAttribute: key => it.attributes[key] ?? null,
    addEventListener: nothing, remove: nothing, replaceWith: nothing, querySelectorAll: () => [],
    getContext: kind => kind === "2d" ? pen : null, getBoundingClientRect: () => ({left: 0, top: 0, width: 400, height: 300}),
    get options() { return it.children; }, get parentElement() { return element("p"); }};
  it.style = {setProperty(key, value) { it.variables[key] = value; }};
  it.classList = {list: {}, toggle(name, on) { this.list[name] = on; }, add: nothing, contains: () => false};
  if (tag === "i") swatches.push(it);
  return it;
}
const root = element("html"), listeners = [];
Object.assign(globalThis, {
  document: {getElementById: id => all[id] ||= element(id), createElement: element, documentElement: root, querySelectorAll: () => [],
    addEventListener: nothing},
  matchMedia: query => ({matches: query.includes("dark") ? DARK : true, addEventListener: nothing}), location: {hash: HASH},
  requestAnimationFrame: nothing, addEventListener: nothing, innerWidth: 1000, devicePixelRatio: 1, parent: null,
  ResizeObserver: class { observe() {} }, Option: class { constructor(text, value) { this.value = value; } },
  Path2D: class { arc() {} moveTo() {} lineTo() {} closePath() {} }});
document.getElementById("scene").textContent = JSON.stringify(DATA);
await import(MAIN);
console.log(JSON.stringify({options: all.theme.children.map(it => it.value), chosen: all.theme.value, paper: root.variables["--paper"],
  dark: root.classList.list.dark, scheme: root.style.colorScheme, swatches: swatches.map(it => it.variables["--c"])}));
"""


def opened(data: Any, *, dark: bool, address: str = "") -> Any:
    """State of a page after its script has run, on a document without a browser."""
    code = BROWSER.replace("MAIN", json.dumps((VIEW / "player" / "main.mjs").as_uri())).replace(
        "DARK", str(dark).lower()
    )
    code = code.replace("HASH", json.dumps(address)).replace("DATA", json.dumps(data))
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-"], input=code, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(NODE is None, reason="no node on the path")
@MODELS
def test_a_page_follows_the_system_unless_a_theme_was_chosen(make: Any, tmp_path: Path) -> None:
    result = make(color="tab:orange").simulate(0.2, samples=5)
    page = result.animate(tmp_path / "p.html").read_text(encoding="utf-8")
    own = scene_data(result.animate(tmp_path / "p.html", theme=OWN).read_text(encoding="utf-8"))
    data, light, night = scene_data(page), tm.themes.light, tm.themes.dark
    for given, dark, address, options, chosen, theme in (
        (data, False, "", ["", "light", "dark"], "", light),
        (data, True, "", ["", "light", "dark"], "", night),
        (data, False, "#theme=dark", ["", "light", "dark"], "dark", night),
        (own, True, "", ["", "light", "dark", OWN.name], OWN.name, OWN),
        (own, True, "#theme=light", ["", "light", "dark", OWN.name], "light", light),
        (own, True, "#theme=nonsense", ["", "light", "dark", OWN.name], "", night),
    ):
        found = opened(given, dark=dark, address=address)
        assert (found["options"], found["chosen"], found["paper"]) == (options, chosen, theme.paper)
        assert (found["dark"], found["scheme"]) == (theme.night, "dark" if theme.night else "light")
        assert {"#ff7f0e", theme.body[1], theme.path[0]} <= set(found["swatches"])


def share(colours: set[str], colour: str) -> int:
    """Number of colours that are a brighter or darker shade of another one."""
    wanted = np.array(rgb(colour)) / np.linalg.norm(rgb(colour))
    shades = np.array([rgb(each) for each in colours if len(each) == 7 and sum(rgb(each)) > 0.3])
    shades /= np.linalg.norm(shades, axis=1, keepdims=True)
    return int((shades @ wanted > 1.0 - 1e-4).sum())
