"""Results are stored whole and come back to the last bit; damaged, foreign and newer files get their sentence."""

from __future__ import annotations

import dataclasses
import io
import json
import signal
import zipfile

import numpy as np
import pytest

import pytrammel as tm
from other_systems import needs
from pytrammel import examples
from pytrammel.model.base import Model

KINDS = [
    "slider_crank",
    "falling_four_bar",
    "geneva",
    "bouncing_ball",
    "rssr",
    "spinning_top",
    "planetary_gears",
    "cam_roller",
]


SEGMENT = {"first": 0, "last": 99, "model": 0, "rows": [], "dynamics": False, "pattern": None}


def same(a, b, path=""):
    """Equal to the last bit, whatever it is made of."""
    assert type(a) is type(b), path
    if isinstance(a, np.ndarray):
        assert a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes(), path
    elif isinstance(a, tuple | list):
        assert len(a) == len(b), path
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{path}[{k}]")
    elif isinstance(a, tm.RunWarning):
        assert (a.kind, str(a), a.time) == (b.kind, str(b), b.time), path
    elif dataclasses.is_dataclass(a):
        for each in dataclasses.fields(a):
            if each.name not in ("model", "_system", "system", "floats", "pattern", "made", "_driven"):
                same(getattr(a, each.name), getattr(b, each.name), f"{path}.{each.name}")
    else:
        assert repr(a) == repr(b), path


def again(result, tmp_path):
    return tm.load_result(result.save(tmp_path / "r.trammel"))


def assert_same(result, back):
    same(result, back)
    assert back.model.name == result.model.name and isinstance(back.model, Model)
    for name in result._table_names():
        np.testing.assert_array_equal(back[name], result[name], err_msg=name)
    assert back.summary() == result.summary()
    assert back.constraint_violation() == result.constraint_violation()


@pytest.mark.parametrize("name", KINDS)
def test_examples_come_back_to_the_last_bit(name, tmp_path):
    result = examples.find(name).run()
    assert_same(result, again(result, tmp_path))


def test_events_that_change_the_model(tmp_path):
    m = tm.PlanarModel("release")
    m.body("b", position=(0, 1.0), mass=1.0, inertia=1.0)
    m.prismatic("g", m.ground, "b", at=(0, 0), axis=(0, 1))
    m.user_force("hold", "b.y", "20 - 5*b.y.rate")
    fade = tm.Event("fade", "t - 0.4", change={"hold": {"law": 3.0}})
    end = tm.Event("down", "b.y - 0.2", stop=True)
    result = m.simulate(duration=3.0, samples=61, events=[fade, end])
    assert len(result._pieces) == 2 and len(result.events) == 2
    back = again(result, tmp_path)
    assert_same(result, back)
    assert len(back._pieces) == 2
    assert back._pieces[1].model["hold"].parameters["law"] == 3.0


def test_kinematics_without_accelerations_and_with_histories(tmp_path):
    m = examples.find("four_bar").build()
    result = m.kinematics(duration=0.1, samples=5, level="velocity")
    back = again(result, tmp_path)
    assert back.a is None
    assert_same(result, back)


def test_histories_of_newton_come_along(tmp_path):
    result = examples.find("four_bar").build().kinematics(duration=0.1, samples=5, newton="full")
    assert len(result.histories) == 5
    assert_same(result, again(result, tmp_path))


def test_statics_with_unknown_work(tmp_path):
    m = examples.find("falling_four_bar").build()
    m.driver("motor", "A.angle", "0.3*t")
    result = m.inverse_dynamics(duration=0.1, samples=5)
    assert np.isnan(result.dynamics.work).all()
    assert_same(result, again(result, tmp_path))


def test_a_model_that_no_file_can_hold_is_refused(tmp_path):
    m = tm.PlanarModel("mine")
    m.body("b", mass=1.0, inertia=1.0)
    m.user_force("f", "b.x", lambda x: -x, inputs=("b.x",))
    result = m.simulate(duration=0.1, samples=3)
    with pytest.raises(tm.ModelError, match=r"cannot be stored with its model.*to_csv"):
        result.save(tmp_path / "r.trammel")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def small():
    m = tm.PlanarModel("small")
    m.body("b")
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("d", "A.angle", "t")
    return m.kinematics(duration=1.0, samples=5)


@pytest.fixture
def stored(small, tmp_path):
    return small.save(tmp_path / "r.trammel")


def changed(path, name, make):
    """The stored file with one part replaced."""
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    parts[name] = make(parts.get(name))
    with zipfile.ZipFile(path, "w") as archive:
        for each, raw in parts.items():
            if raw is not None:
                archive.writestr(each, raw)
    return path


def words(**other):
    return lambda raw: json.dumps({**json.loads(raw), **other})


def npy(values, **options):
    out = io.BytesIO()
    np.save(out, values, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "make", "sentence"),
    [
        ("result.json", words(version=2), "has the version 2, but this Trammel reads up to 1; update"),
        ("result.json", words(version="new"), "has the version 'new'"),
        ("result.json", words(format="other"), "is no stored result"),
        ("result.json", lambda raw: raw[:-5], "no archive with a result.json"),
        ("result.json", words(switches=[{"nonsense": 1}]), "is damaged"),
        ("result.json", words(segments=[SEGMENT]), "is damaged.*instants or rows that there are not"),
        ("arrays/q.npy", lambda raw: None, "is damaged.*arrays/q.npy"),
        ("arrays/q.npy", lambda raw: npy(np.zeros((5, 7))), "shape.*5 x 3 is needed"),
        ("arrays/q.npy", lambda raw: npy(np.array([{}], dtype=object), allow_pickle=True), "not 64-bit numbers"),
        ("arrays/q.npy", lambda raw: raw.replace(b"(5, 3), ", b"(99999999999, 3), ")[:200], "is damaged"),
        ("models/0.json", lambda raw: b'{"format": 1, "model": "planar", "bodis": {}}', "is damaged.*bodis"),
    ],
)  # fmt: skip
def test_files_that_are_not_right_get_their_sentence(stored, name, make, sentence):
    with pytest.raises(tm.FileFormatError, match=f"(?s){sentence}"):
        tm.load_result(changed(stored, name, make))


def test_foreign_missing_and_cut_files(stored, tmp_path):
    with pytest.raises(tm.FileFormatError, match="cannot be read: No such file"):
        tm.load_result(tmp_path / "none.trammel")
    raw = stored.read_bytes()
    for end in range(0, len(raw), max(1, len(raw) // 60)):
        stored.write_bytes(raw[:end])
        with pytest.raises(tm.FileFormatError):
            tm.load_result(stored)


def test_flipped_bytes_are_noticed_or_harmless(small, stored):
    raw = bytearray(stored.read_bytes())
    for at in np.random.default_rng(1).integers(0, len(raw), 150):
        broken = raw.copy()
        broken[at] ^= 0x55
        stored.write_bytes(broken)
        try:
            back = tm.load_result(stored)
        except tm.FileFormatError:
            continue
        same(small, back)  # bytes that mean nothing, such as the date of a part


def test_compressed_parts_are_refused(stored):
    with zipfile.ZipFile(stored) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, content)
    with pytest.raises(tm.FileFormatError):
        tm.load_result(stored)


@needs("resource")
def test_a_full_disk_leaves_the_older_file(small, stored):
    before = stored.read_bytes()
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, hard))
    try:
        with pytest.raises(tm.FileWriteError, match="disk is full"):
            small.save(stored)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert stored.read_bytes() == before
    assert [p.name for p in stored.parent.iterdir()] == [stored.name]


def test_other_endings_are_refused(small, tmp_path):
    with pytest.raises(tm.FileWriteError, match=r"end in \.trammel, not '\.csv'; tables are written by to_csv"):
        small.save(tmp_path / "r.csv")
