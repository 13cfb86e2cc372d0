"""Names from files cannot steer the terminal: control characters are rejected or shown as escapes."""

import contextlib
import io
import json

import pytest

import pytrammel as tm
from pytrammel._util.terminal_text import visible
from pytrammel.cli import main
from pytrammel.errors import ModelError
from pytrammel.io.decks.kap_deck import read_kap

ESCAPES = ["\x1b[2J", "\x07", "\x9b31m", "‮", "\x00", "\x7f", "⁦", "\r", "\x0b", "\x85", "\u2028"]
DECK = "1,0,0,0,2,1,0\n0,0,0\n1,1\n1,2\n1,3,0,1,0\n0,0,0\n"


@pytest.mark.parametrize("escape", ESCAPES, ids=ascii)
def test_names_and_titles_cannot_hold_control_characters(escape):
    name = f"a{escape}b"
    for describe in (
        tm.PlanarModel,
        tm.SpatialModel,
        lambda name: tm.PlanarModel("m").body(name),
        lambda name: tm.PlanarModel("m").parameter(name, 1.0),
        lambda name: tm.PlanarModel("m").define(name, "t"),
        lambda name: tm.PlanarModel("m").body(name),
        lambda name: tm.Event(name, "t - 1"),
    ):
        with pytest.raises((ModelError, KeyError)) as caught:
            describe(name)
        assert escape not in str(caught.value)


@pytest.mark.parametrize("escape", [e for e in ESCAPES if e != "\x00"], ids=ascii)
def test_the_command_line_shows_control_characters_as_escapes(escape, tmp_path, capsys):
    for path, text in (
        (tmp_path / f"x{escape}y.kap", DECK),  # a deck is named after its file
        (tmp_path / "bad.kap", DECK.replace("1,1", f"1,{escape}")),
        (tmp_path / "bad.toml", f'format = 1\nmodel = "planar"\n[bodies."a{escape}"]\n'),
        (tmp_path / f"missing{escape}.toml", None),
    ):
        if text is not None:
            path.write_text(text, encoding="utf-8")
        main.main(["kap" if path.suffix == ".kap" else "check", str(path)])
        shown = capsys.readouterr()
        assert shown.out + shown.err
        assert escape not in shown.out + shown.err


@pytest.mark.parametrize("escape", ESCAPES, ids=ascii)
def test_notes_and_missing_attributes_are_shown_within_their_line(escape):
    m = tm.PlanarModel("m")
    m.parameter("k", 1.0, note=f"a{escape}b")
    m.body("bar", mass=1.0)
    assert escape not in str(m).replace("\n", "") and escape not in str(m.parameters["k"])
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.driver("d", "A.angle", "t")
    k = m.kinematics(0.0, samples=1, progress=False)
    for thing in (tm, m, m["bar"], m["A"], k, k["bar"], k["A"], k.group("bar"), m.assemble()):
        with pytest.raises(AttributeError) as caught:
            getattr(thing, f"a{escape}b")
        assert escape not in str(caught.value)


def test_a_deck_of_a_file_with_such_a_name_is_read(tmp_path):
    path = tmp_path / "x\x1b[31my.kap"
    path.write_text(DECK, encoding="utf-8")
    assert read_kap(path).model().name.isprintable()


def test_printable_text_and_lines_stay_as_they_are():
    text = "Größe µ · φ\n\t2π\r\n"
    assert visible(text) == text
    assert visible("good\rbad\r") == "good\\rbad\\r"
    assert visible("a\x1b[31m‮") == "a\\x1b[31m\\u202e"


@pytest.mark.parametrize("escape", [*(e for e in ESCAPES if e != "\x00"), "\n"], ids=ascii)
@pytest.mark.parametrize("command", ["check", "run", "info", "report", "convert", "kap", "dap"])
def test_names_from_files_stay_within_their_line(command, escape, tmp_path, capsys, monkeypatch):
    """A name with a line feed or a carriage return could write a line of its own, such as one that all is well."""
    monkeypatch.chdir(tmp_path)
    name, head = f"a{escape}b", {"format": 1, "model": "planar"}
    contents = {
        "key": {name: 1}, "body": {"bodies": {name: {}}}, "field": {"bodies": {"a": {name: 1}}}, "value": {"bodies": {"a": {"mass": name}}},
        "kind": {"bodies": {"a": {}}, "joints": {"A": {"type": name}}}, "display_unit": {"display_unit": name}, "title": {"name": name},
        "verb": {"bodies": {"a": {}}, "analysis": [{"do": name}]},
    }  # fmt: skip
    for file, content in contents.items():
        (tmp_path / f"{file}.json").write_text(json.dumps({**head, **content}), encoding="utf-8")
        main.main([command, f"{file}.json", *(["out.toml"] if command == "convert" else [])])
        shown = capsys.readouterr()
        assert escape not in (shown.out + shown.err).replace("\n", "") or escape == "\n"
        assert not any(line.startswith("b") for line in (shown.out + shown.err).splitlines())


@pytest.mark.parametrize("half", ["\\udc9b", "\\ud83d", "\\ud83d\\ud83d", "\\udc00\\ud800"])
def test_half_a_character_is_rejected_where_it_is_read(half, tmp_path):
    path = tmp_path / "m.json"
    text = '{"format": 1, "model": "planar",\n"bodies": {"a": {"mass": "p"}}, "parameters": {"p": {"value": 1, "note": "NOTE"}}}'
    path.write_text(text.replace("NOTE", half), encoding="utf-8")
    with pytest.raises(tm.FileFormatError, match=r"line 2.*lone surrogate"):
        tm.load(path)
    path.write_text(text.replace("NOTE", r"\ud83d\ude00"), encoding="utf-8")
    assert tm.load(path).parameters["p"].note == "\U0001f600"


def test_progress_is_drawn_over_its_line(monkeypatch):
    from pytrammel._util.terminal_text import overwrite
    from pytrammel.cli.output import VisibleControls

    for encoding in ("utf-8", "ascii"):
        raw = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
        overwrite(VisibleControls(raw), "run\x1b[2J\r █ 10 %")
        shown = raw.buffer.getvalue().decode(encoding)
        assert shown == f"\rrun\\x1b[2J\\r {'█' if encoding == 'utf-8' else chr(92) + 'u2588'} 10 %"


ROBOTS = {
    "urdf": '<robot name="{0}"><link name="{0}"><{1}/><visual><geometry><mesh filename="{0}.stl"/></geometry></visual></link></robot>',
    "sdf": '<sdf version="1.9"><model name="{0}"><link name="{0}"><visual name="{0}"><geometry><mesh><uri>{0}.stl</uri>'
    "</mesh></geometry></visual>"
    "<{1}/></link></model></sdf>",
    "xml": '<mujoco model="{0}"><asset><mesh name="{0}" file="{0}.stl"/></asset><worldbody><body name="{0}"><geom type="mesh" mesh="{0}"/>'
    '<geom size="1"/><{1}/></body></worldbody></mujoco>',
}  # fmt: skip
WRONG = {
    "urdf": '<robot name="{0}"><link name="{0}"/><joint name="{0}" type="{0}"><parent link="{0}{0}"/><child link="{0}"/></joint></robot>',
    "sdf": '<sdf version="1.9"><model name="{0}"><link name="{0}"/><joint name="{0}" type="{0}"><parent>{0}{0}</parent>'
    "<child>{0}</child></joint>"
    "</model></sdf>",
    "xml": '<mujoco model="{0}"><worldbody><body name="{0}" pos="{0}"><geom type="{0}"/></body></worldbody></mujoco>',
}  # fmt: skip


@pytest.mark.parametrize("escape", ["\x9b31m", "\u202e", "\u2066", "\x85"], ids=ascii)  # XML allows no others
@pytest.mark.parametrize("ending", ROBOTS)
def test_messages_about_robots_show_control_characters_as_escapes(ending, escape, tmp_path):
    name, path = f"a{escape}b", tmp_path / f"r.{ending}"
    path.write_text(ROBOTS[ending].format(name, "unknown"), encoding="utf-8")
    shown = []
    try:
        robot = tm.read_robot(path)
        shown += [str(robot.conversion_report), repr(robot.conversion_report), str(robot)]
    except tm.TrammelError as error:
        shown.append(str(error))
    path.write_text(WRONG[ending].format(name), encoding="utf-8")
    with pytest.raises(tm.TrammelError) as caught:
        tm.load_robot(path)
    shown.append(str(caught.value))
    assert not any(escape in text for text in shown)


@pytest.mark.parametrize("escape", [*ESCAPES, "\r"], ids=ascii)
def test_errors_and_warnings_cannot_steer_the_terminal(escape):
    text = f"body 'a{escape}b': wrong"
    for made in (tm.TrammelError(text), tm.RunWarning("start", text), tm.ModelWarning(text)):
        assert escape not in str(made) and "wrong" in str(made)


FIELDS = [
    "[bodies.{0}]",
    "[constraints.{0}]",
    "[forces.{0}]",
    "[points.{0}]",
    "[parameters]\n{0} = 1",
    "[formulas]\n{0} = 't'",
    "[tables.{0}]",
    "[curves.{0}]",
    "[phases.{0}]",
    "[{0}]",
    "[[analysis]]\ntype = {0}",
    "[[analysis]]\ntype = 'simulate'\nname = {0}",
    "[[analysis]]\ntype = 'simulate'\n{0} = 1",
    "[bodies.a]\nmass = {0}",
    "[bodies.a]\nshape = {0}",
    "[parameters]\na = {{value = 1, note = {0}}}",
    "[constraints.c]\ntype = {0}",
    "[constraints.c]\ntype = 'revolute'\nfirst = {0}\nsecond = 'ground'",
    "name = {0}",
    "model = {0}",
    "[units]\nlength = {0}",
]


@pytest.mark.parametrize("command", ["check", "run", "report", "info", "convert", "batch", "optimize"])
@pytest.mark.parametrize("escape", ["\x1b[2J", "\u202e", "\r"], ids=ascii)
def test_no_field_of_a_model_file_reaches_the_terminal(command, escape, tmp_path, monkeypatch, capsys):
    """Every place of a name or text, for every command; --json as well."""
    monkeypatch.chdir(tmp_path)
    quoted = '"a' + "".join(f"\\u{ord(c):04x}" for c in escape) + 'b"'
    path = tmp_path / "m.toml"
    for field in FIELDS:
        head = "format = 1\n" if field.startswith(("model", "name")) else 'format = 1\nmodel = "planar"\n'
        path.write_text(head + field.format(quoted) + "\n", encoding="utf-8")
        for more in ((), ("--json", "-")):
            arguments = [command, str(path), *(["x.json"] if command == "convert" else []), *more]
            with contextlib.suppress(SystemExit):  # options that a command does not have
                main.main(arguments)
            shown = capsys.readouterr()
            assert escape not in shown.out + shown.err, (field, arguments)
