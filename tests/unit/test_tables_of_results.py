"""Tables of many instants: every number reads back as it was, and writing them takes no time to speak of."""

from __future__ import annotations

import io
import math
import struct

import numpy as np
import pytest

import pytrammel as tm
from plain_source import plain
from pytrammel import examples
from pytrammel.io.results import table_text
from pytrammel.kernels.decimals import WIDEST, decimals_run, powers_of_ten
from pytrammel.results import columns

EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 2 / 3, 100.0, 12300.0, 1e15, 1e16, 9999999999999998.0, 2.0**53, 2.0**54, 1e22, 1e23, 8.41e21,
    123456789012345678.0, 1e-4, 1e-5, 0.001234, 1.5e-7, 5e-324, 1.5e-323, 2.2250738585072014e-308, 1.7976931348623157e308, math.nan,
    math.inf, -math.inf, 9007199254740993.0, 4.35, math.pi, -math.e,
]  # fmt: skip


def random_numbers(count):
    random = np.random.default_rng(7)
    anything = random.integers(-(2**63), 2**63 - 1, size=count, dtype=np.int64).view(np.float64)
    anything[np.isnan(anything)] = np.nan  # of one kind, as Python knows it
    return np.concatenate([
        EDGES, anything, random.normal(size=count), np.round(random.normal(size=count), 3), 2.0 ** random.integers(-1074, 1023, size=3000),
        10.0 ** random.integers(-307, 308, size=2000), random.integers(-(10**9), 10**9, size=2000).astype(float),
    ])  # fmt: skip


def as_text(numbers, columns=1):
    file = io.BytesIO()
    table_text.write_lines(file, list(np.ascontiguousarray(np.reshape(numbers, (-1, columns)).T)))
    return file.getvalue()


@pytest.mark.parametrize("many", [0, 10**9], ids=["compiled", "plain"])
def test_numbers_are_written_as_python_writes_them(many, monkeypatch):
    monkeypatch.setattr(table_text, "MANY", many)
    numbers = random_numbers(100_000)
    assert as_text(numbers).decode().split("\r\n")[:-1] == list(map(repr, numbers.tolist()))


def test_rows_end_like_those_of_a_csv_writer(monkeypatch):
    monkeypatch.setattr(table_text, "MANY", 0)
    assert as_text([1.0, 2.5, -3.0, 1e-7, 0.0, 1e30], columns=3) == b"1.0,2.5,-3.0\r\n1e-07,0.0,1e+30\r\n"


def test_no_number_is_longer_than_its_room():
    longest = -struct.unpack("<d", struct.pack("<d", 2.2250738585072014e-308))[0]
    assert len(repr(longest)) + 2 <= WIDEST


def test_powers_of_ten_are_rounded_up_to_128_bits():
    powers = powers_of_ten().reshape(-1, 4)
    for k in (-292, -30, -1, 0, 1, 27, 55, 56, 324):
        a, b, c, d = (int(x) for x in powers[k + 292])
        number = (a << 96) | (b << 64) | (c << 32) | d
        exponent = number.bit_length() - 128
        assert exponent == 0  # normalised
        shift = math.floor(k * math.log2(10)) - 127
        exact = (10**k if k >= 0 else 1, 1 if k >= 0 else 10**-k)
        low = (number - 1) * exact[1] * (2**shift if shift >= 0 else 1)
        high = number * exact[1] * (2**shift if shift >= 0 else 1)
        wanted = exact[0] * (1 if shift >= 0 else 2**-shift)
        assert low < wanted <= high


@pytest.mark.parametrize("many", [0, 10**9], ids=["compiled", "plain"])
def test_a_table_reads_back_to_the_last_bit(many, monkeypatch, tmp_path):
    monkeypatch.setattr(table_text, "MANY", many)
    result = examples.find("falling_four_bar").build().simulate(0.5, samples=40, progress=False)
    path = result.to_csv(tmp_path / "run.csv")
    read = np.loadtxt(path, delimiter=",", skiprows=1)
    assert (read == np.column_stack(list(result.to_dict().values()))).all()
    assert (read[:, 1:] == np.column_stack([result[name] for name in result._table_names()])).all()


def test_what_columns_share_is_measured_once(monkeypatch):
    m = tm.SpatialModel("arm")
    body = m.body("arm", position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.2))
    m.revolute("A", m.ground, body, at=(0, 0, 0), axis="y")
    result = m.simulate(0.1, samples=5, progress=False)
    asked = []
    real = columns.reaction_of
    monkeypatch.setattr(columns, "reaction_of", lambda r, joint, on: asked.append(joint) or real(r, joint, on))
    result.to_dict()
    assert len(asked) == 1  # of six columns


@pytest.mark.parametrize(("name", "parts"), [("four_bar", "fx fy moment"), ("rssr", "fx fy fz mx my mz")])
def test_a_table_lists_efforts_of_drivers_and_reactions_of_joints(name, parts):
    """Drivers have an effort, joints the parts of their reaction; every column that is listed can be read."""
    m = examples.find(name).build()
    light = [body.name for body in m.bodies.values() if body.mass is None and body.name != "ground"]
    m = m.copy(changes={body: {"mass": 1.0, "inertia": 0.1} for body in light})
    result = m.inverse_dynamics(0.1, samples=3, progress=False)
    joints = result.model.constraints.values()
    expected = {f"{j.name}.effort" for j in joints if j.is_driver}
    expected |= {f"{j.name}.{part}" for j in joints if not j.is_driver and j.seats for part in parts.split()}
    listed = result._table_names()
    assert len(expected) > 4 and any(j.is_driver for j in joints)
    ends = ("effort", *parts.split())
    assert {each for each in listed if each.split(".")[-1] in ends} == expected
    for each in listed:
        assert np.isfinite(result[each]).all(), each


def test_the_same_source_runs_as_plain_python():
    numbers = random_numbers(30)[:200]
    out = np.zeros(WIDEST * numbers.size, dtype=np.uint8)
    size = plain(decimals_run)(numbers.view(np.int64), 1, powers_of_ten(), out)
    assert out[:size].tobytes().decode().split("\r\n")[:-1] == list(map(repr, numbers.tolist()))
