"""Columns of results in the formats of other programs; packages that are not there are asked for by name."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pytrammel as tm

NAMES = ["A.angle", "b.omega [rpm]"]


@pytest.fixture(scope="module")
def turning():
    m = tm.PlanarModel("turning")
    m.body("b")
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("d", "A.angle", "t + 0.1*sin(t)")
    return m.kinematics(duration=1.0, samples=7)


@pytest.mark.parametrize(
    ("package", "extra", "ask"),
    [
        ("xarray", "xarray", lambda k, _: k.to_xarray()),
        ("pyarrow", "parquet", lambda k, folder: k.to_parquet(folder / "r.parquet")),
        ("h5py", "hdf5", lambda k, folder: k.to_hdf5(folder / "r.h5")),
    ],
)
def test_a_missing_package_is_named_with_its_extra(turning, package, extra, ask, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(tm.ModelError, match=rf"needs {package}: pip install 'pytrammel\[{extra}\]'"):
        ask(turning, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_xarray_has_units(turning):
    pytest.importorskip("xarray", reason="an extra: pip install 'pytrammel[xarray]'")
    data = turning.to_xarray(NAMES)
    np.testing.assert_array_equal(data["A.angle"], turning["A.angle"])
    np.testing.assert_array_equal(data["t"], turning.times)
    assert data["b.omega"].attrs["units"] == "rpm"


def test_parquet_comes_back(turning, tmp_path):
    pytest.importorskip("pyarrow", reason="an extra: pip install 'pytrammel[parquet]'")
    from pyarrow import parquet

    table = parquet.read_table(turning.to_parquet(tmp_path / "r.parquet", NAMES))
    assert table.column_names == ["t", "A.angle", "b.omega"]
    np.testing.assert_array_equal(table["A.angle"].to_numpy(), turning["A.angle"])
    assert table.schema.field("b.omega").metadata[b"unit"] == b"rpm"


def test_hdf5_has_the_dimension_of_netcdf(turning, tmp_path):
    h5py = pytest.importorskip("h5py", reason="an extra: pip install 'pytrammel[hdf5]'")
    path = turning.to_hdf5(tmp_path / "r.nc")
    with h5py.File(path) as file:
        assert next(iter(file)) == "t" and file["t"].is_scale
        for name in turning._table_names():
            np.testing.assert_array_equal(file[name][()], turning[name], err_msg=name)
            assert file[name].dims[0][0] == file["t"]
        assert file["b.omega"].attrs["units"] == "rad/s"


def test_xarray_opens_the_hdf5_file(turning, tmp_path):
    xarray = pytest.importorskip("xarray", reason="an extra: pip install 'pytrammel[xarray]'")
    pytest.importorskip("h5py", reason="an extra: pip install 'pytrammel[hdf5]'")
    pytest.importorskip("h5netcdf", reason="what xarray opens such files with")
    with xarray.open_dataset(turning.to_hdf5(tmp_path / "r.nc"), engine="h5netcdf") as data:
        np.testing.assert_array_equal(data["A.angle"], turning["A.angle"])
        assert data["A.angle"].dims == ("t",)
