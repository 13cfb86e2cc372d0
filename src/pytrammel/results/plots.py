"""Plots of a result, or of several laid over each other: the same methods, the same options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from pytrammel._util.checks import checked, listed, titled
from pytrammel._util.messages import listing, short
from pytrammel.errors import ModelError
from pytrammel.results.formulas.spectra import Spectrum, spectra_of, spectrum_of

if TYPE_CHECKING:
    from pytrammel.results.result import Result

FilePath = str | PathLike[str] | None
Units = str | Sequence[str] | Mapping[str, str] | None


@titled("plot")
class Plots:
    """Plots of a result, or of several laid over each other: ``k.plot("P.vx")``, ``k.plot.path("P")``, ``k.plot.energy()``.

    All return the axes: one, or an array of them where there are several panels.
    """

    def __init__(self, runs: Sequence[tuple[str, Result]]) -> None:
        self._runs = list(runs)  # with their labels

    def __repr__(self) -> str:
        return listing(self, short(", ".join(label or run.model.name for label, run in self._runs)))

    @checked
    def __call__(
        self,
        *names: Any,
        x: Any = None,
        ax: Any = None,
        units: Units = None,
        labels: str | Sequence[str] | None = None,
        turns: int | None = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot quantities against time or against another quantity, one panel per unit.

        Args:
            names: Quantities, e.g. "rod.x", "A.angle", "C.reaction.x [kN]", or formulas of them, "P.x*cos(A.angle)"; by default the joint
                angles and sliding distances.
            x: Quantity, formula or array of shape (n,) for the x axis: "crank.angle", "gas.volume"; time by default.
            ax: Axes to draw on, one set per panel; a figure of its own by default.
            units: Units to show: "mm", ["kN", "rpm"] (each where it fits) or {"A.angle": "rad"}; the model's by default.
            labels: Names of the curves in the legend, one per quantity.
            turns: Fold an angle on the x axis into this many turns: 1 for 0 to 360°, 2 for a four-stroke's 0 to 720°.
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.results import plot_quantities

        return plot_quantities(
            self._runs, names, x=x, ax=ax, units=units, labels=labels, turns=turns, title=title, path=path
        )

    @checked
    def phase(
        self,
        *names: str,
        ax: Any = None,
        units: Units = None,
        labels: str | Sequence[str] | None = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot the rate of quantities against the quantities themselves (phase portrait), one panel per unit.

        Args:
            names: Coordinates or measured quantities, e.g. "A.angle", "rod.x"; by default the joint angles and sliding distances.
            ax: Axes to draw on, one set per panel; a figure of its own by default.
            units: Units to show, as for `plot`.
            labels: Names of the curves in the legend, one per quantity.
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.results import plot_phases

        return plot_phases(self._runs, names, ax=ax, units=units, labels=labels, title=title, path=path)

    @checked
    def path(
        self,
        *points: str,
        plane: str | None = None,
        ax: Any = None,
        units: Units = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot the paths of points with equal scales; a dot shows where each starts.

        Args:
            points: Points of interest, or bodies for their origins; all points by default.
            plane: In space, the two directions to look at: "xy", "xz", "zy" ...; a view in space by default.
            ax: Axes to draw on, with ``projection="3d"`` for a view in space; a figure of its own by default.
            units: Unit of length; the model's by default.
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.vectors import plot_point_paths

        return plot_point_paths(self._runs, points, plane=plane, ax=ax, units=units, title=title, path=path)

    @checked
    def hodograph(
        self,
        *names: str,
        of: Literal["velocity", "acceleration", "force"] = "velocity",
        plane: str | None = None,
        ax: Any = None,
        units: Units = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot what the tip of a vector draws: velocity or acceleration of points, or force of joints (bearing diagram).

        Args:
            names: Points or bodies, all points by default; joints for "force".
            of: Which vector; a joint's force is the one on its second body.
            plane: In space, the two directions to look at: "xy", "xz" ...; a view in space by default.
            ax: Axes to draw on, with ``projection="3d"`` for a view in space; a figure of its own by default.
            units: Unit to show; the model's by default.
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.vectors import plot_hodographs

        return plot_hodographs(self._runs, names, of=of, plane=plane, ax=ax, units=units, title=title, path=path)

    @checked
    def energy(
        self,
        *parts: str,
        x: Any = None,
        ax: Any = None,
        units: Units = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot energies, and below them what their balance lacks: the error of the integration.

        Args:
            parts: Of "kinetic", "gravity", "stored", "dissipated", "input", "total", "balance"; by default all that are not nil.
            x: Quantity for the x axis, as for `plot`; time by default.
            ax: Axes to draw on, one set per panel; a figure of its own by default.
            units: Unit to show, e.g. "kJ".
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.forces import plot_energies

        return plot_energies(self._runs, parts, x=x, ax=ax, units=units, title=title, path=path)

    @checked
    def reactions(
        self,
        *joints: str,
        components: bool = False,
        x: Any = None,
        ax: Any = None,
        units: Units = None,
        turns: int | None = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot forces of joints and efforts of drivers.

        Args:
            joints: Joints and drivers; all by default.
            components: Show global components of each joint's force and its moment, one panel per joint and unit, instead of sizes.
            x: Quantity for the x axis, as for `plot`; time by default.
            ax: Axes to draw on, one set per panel; a figure of its own by default.
            units: Units to show, e.g. "kN".
            turns: Fold an angle on the x axis into this many turns.
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.forces import plot_joint_forces

        return plot_joint_forces(
            self._runs, joints, components=components, x=x, ax=ax, units=units, turns=turns, title=title, path=path
        )

    @checked
    def spectrum(
        self,
        *names: str,
        over: str | None = None,
        window: str = "none",
        top: float | None = None,
        log: bool = False,
        ax: Any = None,
        units: Units = None,
        labels: str | Sequence[str] | None = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot amplitudes of harmonics over frequency, one panel per unit; the mean is left out. `result.spectrum` has the numbers.

        Args:
            names: Quantities; by default the joint angles and sliding distances.
            over: Angle whose turns count, e.g. "crank.angle": the x axis then shows orders instead of Hz.
            window: "none" for whole periods, "hann" for anything else, "flattop" where amplitudes matter most.
            top: Highest frequency [Hz] or order to show.
            log: Logarithmic amplitudes.
            ax: Axes to draw on, one set per panel; a figure of its own by default.
            units: Units to show, as for `plot`.
            labels: Names of the curves in the legend, one per quantity.
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.spectra import plot_spectra

        return plot_spectra(
            self._runs, names, over=over, window=window, top=top, log=log, ax=ax, units=units, labels=labels, title=title, path=path,
        )  # fmt: skip

    @checked
    def waterfall(
        self,
        name: str,
        *,
        slices: int | None = None,
        over: str | None = None,
        window: str = "hann",
        top: float | None = None,
        ax: Any = None,
        units: Units = None,
        title: str | None = None,
        path: FilePath = None,
    ) -> Any:
        """Plot how a spectrum changes: spectra of parts of the run behind each other, or of several runs.

        Args:
            name: The quantity.
            slices: Number of parts of a single run, which overlap by half; 16 by default. Several runs show one spectrum each.
            over: Angle whose turns count: the x axis then shows orders instead of Hz.
            window: As for `spectrum`.
            top: Highest frequency [Hz] or order to show.
            ax: Axes to draw on; a figure of its own by default.
            units: Unit to show, as for `plot`.
            title: Heading; the model's name by default.
            path: File to write (png, svg, pdf).
        """
        from pytrammel.view.plots.spectra import plot_waterfall

        return plot_waterfall(
            self._runs, name, slices=slices, over=over, window=window, top=top, ax=ax, units=units, title=title, path=path,
        )  # fmt: skip


class Frequencies:
    """Numbers behind the pictures of spectra, for `Result`."""

    @checked
    def spectrum(self, name: str, *, over: str | None = None, window: str = "none") -> Spectrum:
        """Amplitudes of the harmonics of a quantity.

        Instants that are not evenly spaced are interpolated. The last one is left out: of whole periods it begins the next one.

        Args:
            name: The quantity.
            over: Angle whose turns count, e.g. "crank.angle", for orders instead of frequencies.
            window: "none" for whole periods, "hann" for anything else, "flattop" where amplitudes matter most.
        """
        return spectrum_of(self, name, over=over, window=window)  # type: ignore[arg-type]

    @checked
    def spectra(self, name: str, *, slices: int = 16, over: str | None = None, window: str = "hann") -> list[Spectrum]:
        """Spectra of equal parts of the run that overlap by half, each with the `time` of its middle; see `spectrum`."""
        return spectra_of(self, name, slices=slices, over=over, window=window)  # type: ignore[arg-type]


class Runs:
    """Several results to be laid over each other in plots; see `overlay`: ``runs.plot("A.angle")``, ``runs.plot.path("P")``."""

    @checked
    def __init__(self, runs: Mapping[str, Result]) -> None:
        self._runs = dict(runs)

    @property
    def plot(self) -> Plots:
        """Plots of all runs: called with names of quantities, or a method for a kind of plot."""
        return Plots(list(self._runs.items()))

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, label: str) -> Result:
        if label not in self._runs:
            raise ModelError(f"there is no run {short(label)}; there are: {', '.join(self._runs)}.")
        return self._runs[label]

    def __iter__(self) -> Any:
        return iter(self._runs)

    def __repr__(self) -> str:
        return f"<Runs: {short(', '.join(self._runs))}>"


@checked("runs")
def overlay(runs: Mapping[str, Result] | Iterable[Result], labels: Sequence[str] | None = None) -> Runs:
    """Several results for common plots: ``tm.overlay({"dry": a, "wet": b}).plot("A.angle", x="crank.angle")``.

    Args:
        runs: Results by label, or a list of them.
        labels: Names of the results of a list; their models' names by default, numbered where they are the same.
    """
    from pytrammel.results.result import Result

    if isinstance(runs, Mapping):
        if labels is not None:
            raise ModelError("labels= would not be used, because the runs have labels; leave it out.")
        found, names = list(runs.values()), [str(name) for name in runs]
    else:
        if isinstance(runs, Result | str) or not isinstance(runs, Iterable):
            raise ModelError(f"overlay needs a list of results, but it is given {short(runs)}.")
        found = list(listed(runs, "overlay: runs"))
        names = _names(found) if labels is None else list(labels)
    if not found:
        raise ModelError("overlay needs at least one result.")
    for each in found:
        if not isinstance(each, Result):
            raise ModelError(f"overlay needs results, but one of them is {short(each)}.")
    if len(names) != len(found) or len(set(names)) != len(names) or not all(isinstance(n, str) for n in names):
        raise ModelError(f"labels are {short(names)}; there must be {len(found)} different names, one per result.")
    return Runs(dict(zip(names, found, strict=True)))


def _names(runs: Sequence[Any]) -> list[str]:
    names = [getattr(getattr(run, "model", None), "name", "run") for run in runs]
    if len(set(names)) == len(names):
        return names
    return [f"{name} {k}" if names.count(name) > 1 else name for k, name in enumerate(names, start=1)]
