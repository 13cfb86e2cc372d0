"""What can be asked of any result beyond its tables: names, formulas, other instants, extremes, statistics, comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel.io.results import export
from pytrammel.results.differences import Differences, differences
from pytrammel.results.formulas.extremes import Extremes, Statistics, cycles_of, extremes_of, statistics_of
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.results.formulas.series_functions import OVER_TIME, Reduced
from pytrammel.results.formulas.strokes import steady_from, time_ratio_of
from pytrammel.results.interpolation import resampled
from pytrammel.results.quantities import formula_of, units_of

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
TIME_FUNCTION = re.compile(
    rf"\b(?:{'|'.join(OVER_TIME)})\s*\(|\[|\w\s*=(?!=)"
)  # may reduce a series; names may have units in brackets


class Questions:
    """Methods of `Result`."""

    @property
    def _run(self) -> Result:
        return cast("Result", self)

    def names(self) -> dict[str, str]:
        """Return the names of all quantities that ``r["…"]`` accepts, with their SI units."""
        return units_of(self._run)

    @checked
    def formula(self, text: str) -> Any:
        """Return the values of a formula over quantities, parameters and t, shape (n,), or one number; SI.

        Args:
            text: Formula such as "P.x*cos(A.angle)". Functions of a whole series (max, mean, rms, ...) reduce it to a number,
                within a time window if one is given: "range(P.x, from=4)".
        """
        if TIME_FUNCTION.search(text):
            reduction = Reduction.parse(text, self._run.model)
            if any(isinstance(node, Reduced) for node in reduction.expression.nodes()):
                return reduction.on(self._run)
        return formula_of(self._run, text)

    @checked
    def at(self, time: float) -> Result:
        """The result at any one instant within the run [s]; see `resample`."""
        return resampled(self._run, [time])

    @checked
    def resample(self, times: Any) -> Result:
        """The result at other instants within the run [s]: quintics through positions, velocities and accelerations.

        Forces between instants are cubics through four of them. What is not smooth there, or too coarse, is a warning on the result.
        """
        return resampled(self._run, times)

    @checked
    def extremes(self, name: str) -> Extremes:
        """Smallest and largest value of a quantity and where it turns, with instants, between samples also.

        Kinematics is solved again between samples. Other runs are interpolated, with a warning where samples are too far apart.
        """
        return extremes_of(self._run, name)

    @checked
    def statistics(self, *names: str) -> dict[str, Statistics]:
        """Mean, root mean square, deviation, range of quantities over time, by name; of all columns by default."""
        run = self._run
        return statistics_of(run, names or tuple(run._table_names()))

    @checked
    def cycles(self, name: str) -> Array:
        """Instants at which cycles begin [s]: whole turns of an angle that keeps turning, else upward passages through the mean."""
        return cycles_of(self._run, name)

    @checked
    def time_ratio(self, name: str) -> float:
        """Return the duration of the slow stroke of a quantity over the duration of its quick stroke, at least 1.

        Strokes lie between turning points, which are found between samples also.

        Args:
            name: Quantity that moves to and fro, e.g. "ram.x".

        Raises:
            ModelError: The run has less than two whole strokes.
        """
        return time_ratio_of(self._run, name)

    @checked
    def steady_from(self, name: str, *, tolerance: float = 0.02) -> float:
        """Return the time from which a quantity repeats its last cycle, or keeps its last value [s].

        Args:
            name: Name of the quantity.
            tolerance: Largest difference between cycles, relative to the range of the last cycle.

        Raises:
            ModelError: The quantity is not steady at the end of the run.
        """
        return steady_from(self._run, name, tolerance=tolerance)

    @checked
    def compare(self, other: Result) -> Differences:
        """Differences of all quantities that both results have, the largest first; the other one is interpolated where needed."""
        return differences(self._run, other)

    @checked
    def to_xarray(self, names: Sequence[str] | None = None) -> Any:
        """xarray Dataset over t with units as attributes; SI, or as in "rod.x [mm]". Needs the extra ``pytrammel[xarray]``."""
        return export.to_xarray(self._run, names)

    @checked
    def to_parquet(self, path: str | PathLike[str], names: Sequence[str] | None = None) -> Path:
        """Parquet file (.parquet), units in the metadata of the fields. Needs the extra ``pytrammel[parquet]``."""
        return export.to_parquet(self._run, path, names)

    @checked
    def to_hdf5(self, path: str | PathLike[str], names: Sequence[str] | None = None) -> Path:
        """HDF5 file (.h5, .hdf5, .nc) that netCDF tools and xarray open. Needs the extra ``pytrammel[hdf5]``."""
        return export.to_hdf5(self._run, path, names)

    @checked
    def save(self, path: str | PathLike[str]) -> Path:
        """Store everything, the model included, in one file (.trammel) that `pytrammel.load_result` reads back to the last bit.

        Raises:
            ModelError: The model cannot be written, such as one with a Python function as a force law; the sentence says what to do.
        """
        from pytrammel.io.results.result_file import save_result

        return save_result(self._run, path)
