"""Results for other programs: xarray, Parquet, and HDF5 that netCDF tools open. Each needs an extra, which its refusal names."""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util.atomic_write import check_target, whole_file
from pytrammel._util.extras import install_command
from pytrammel.errors import FileWriteError, ModelError
from pytrammel.results.quantities import Column, split_unit

if TYPE_CHECKING:
    from pytrammel.results.result import Result

# package -> extra that brings it
EXTRAS = {"xarray": "xarray", "pyarrow": "parquet", "h5py": "hdf5"}


def needed(package: str, what: str) -> Any:
    """A package of an extra, or the sentence that names it."""
    root = package.partition(".")[0]
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ModelError(
            f"{what} needs {root}: {install_command(EXTRAS[root])}, or use to_dict() or to_csv()."
        ) from error


def _named(result: Result, names: Sequence[str] | None) -> dict[str, Column]:
    """Columns with units by name, "t" first."""
    chosen = [name for name in names or result._table_names() if name != "t"]
    columns = zip((split_unit(name)[0] for name in chosen), result._columns(chosen), strict=True)
    return {"t": (result.times, "s"), **dict(columns)}


def _target(path: str | os.PathLike[str], endings: Sequence[str]) -> Path:
    check_target(path)
    suffix = Path(path).suffix.lower()
    if suffix not in endings:
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: its suffix must be {' or '.join(endings)}, not {suffix!r}."
        )
    return Path(path)


def to_xarray(result: Result, names: Sequence[str] | None) -> Any:
    """A Dataset over the coordinate t."""
    xarray = needed("xarray", "to_xarray")
    columns = _named(result, names)
    variables = {name: ("t", values, {"units": unit}) for name, (values, unit) in columns.items() if name != "t"}
    return xarray.Dataset(
        variables, coords={"t": ("t", result.times, {"units": "s"})}, attrs={"title": result.model.name}
    )


def to_parquet(result: Result, path: str | os.PathLike[str], names: Sequence[str] | None) -> Path:
    """One column per quantity; the unit is in the metadata of its field."""
    arrow, parquet = needed("pyarrow", "to_parquet"), needed("pyarrow.parquet", "to_parquet")
    target = _target(path, (".parquet",))
    columns = _named(result, names)
    fields = [arrow.field(name, arrow.float64(), metadata={"unit": unit}) for name, (_, unit) in columns.items()]
    arrays = [arrow.array(np.ascontiguousarray(values)) for values, _ in columns.values()]
    table = arrow.Table.from_arrays(arrays, schema=arrow.schema(fields, metadata={"model": result.model.name}))
    with whole_file(target) as file:
        parquet.write_table(table, file)
    return target


def to_hdf5(result: Result, path: str | os.PathLike[str], names: Sequence[str] | None) -> Path:
    """One dataset per quantity over the dimension t, with units: HDF5 in the layout of netCDF-4."""
    h5py = needed("h5py", "to_hdf5")
    target = _target(path, (".h5", ".hdf5", ".nc"))
    columns = _named(result, names)
    whole = io.BytesIO()  # so that nothing is left of a file that cannot be finished
    with h5py.File(whole, "w", track_order=True) as file:
        file.attrs["title"] = result.model.name
        for name, (values, unit) in columns.items():
            made = file.create_dataset(name, data=np.ascontiguousarray(values))
            made.attrs["units"] = unit
            if name == "t":
                made.make_scale("t")
            else:
                made.dims[0].attach_scale(file["t"])
    with whole_file(target) as out:
        out.write(whole.getbuffer())
    return target
