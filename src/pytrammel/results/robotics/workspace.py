"""Reachable positions of an end effector, their conditioning, and singular loci."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError, RunWarning
from pytrammel.model.base import Model

Array = NDArray[np.float64]
UNITS = {1: "m", 2: "m²", 3: "m³"}


@brief
@dataclass(frozen=True, eq=False)
class Workspace:
    """Positions that an end effector reaches on a grid, and its singular loci.

    Attributes:
        model: The model.
        place: Name of the end effector.
        components: Prescribed components of its position and orientation.
        over: Components of the grid.
        at: Values of the other prescribed position components [m].
        axes: Values of each component on the grid [m].
        reached: Whether a node is reached, by branch, shape (branches, *grid).
        q: Joint coordinates at the nodes, shape (branches, *grid, coordinates); meaningful where reached.
        serial: Conditioning of the end effector's motion (zero: singularity of type 1); NaN where not reached.
        parallel: Conditioning of the actuators (zero: singularity of type 2).
        dexterity: Smallest over largest singular value of the end effector's velocity along the actuators' velocities.
        manipulability: Product of those singular values, lengths relative to `length`.
        type_1: Points of the boundary where the end effector loses a motion [m], shape (n, components of the grid).
        type_2: Points where the actuators lose control of the end effector [m].
        limited: Points of the boundary where a joint is at its limit [m].
        sizes: Length [m], area [m²] or volume [m³] of each branch.
        type_1_lines, type_2_lines: Pieces of the boundary and of the locus of type 2 across cells, shape (n, 2, 2); of grids with two
            components.
        coordinates, units: Names and units of the joint coordinates.
        actuators: Actuators that `parallel` and `type_2` refer to.
        length: Length that makes displacements comparable with angles [m].
        bodies: Coordinates of the bodies in the starting position, for pictures, shape (1, coordinates of all bodies).
        outlines: Polygons that cover the workspace, of grids with two components.
        warnings: Boundaries that are cut by the box or uncertain.
    """

    model: Model = field(repr=False)
    place: str
    components: tuple[str, ...]
    over: tuple[str, ...]
    at: dict[str, float] = field(repr=False)
    axes: tuple[Array, ...] = field(repr=False)
    reached: NDArray[np.bool_] = field(repr=False)
    q: Array = field(repr=False)
    serial: Array = field(repr=False)
    parallel: Array = field(repr=False)
    dexterity: Array = field(repr=False)
    manipulability: Array = field(repr=False)
    type_1: Array = field(repr=False)
    type_2: Array = field(repr=False)
    limited: Array = field(repr=False)
    sizes: Array
    type_1_lines: Array = field(repr=False)
    type_2_lines: Array = field(repr=False)
    coordinates: tuple[str, ...] = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    actuators: tuple[str, ...] = field(repr=False)
    length: float = field(repr=False)
    bodies: Array = field(repr=False)
    outlines: tuple[Array, ...] = field(repr=False)
    warnings: tuple[RunWarning, ...] = ()

    def __len__(self) -> int:
        """Number of branches."""
        return len(self.reached)

    @property
    def size(self) -> float:
        """Length [m], area [m²] or volume [m³] that some branch reaches; of several branches, counted by nodes where they overlap."""
        if len(self) == 1:
            return float(self.sizes[0])
        union = self.reached.any(axis=0)
        single = self.reached.sum(axis=(*range(1, self.reached.ndim),))
        largest = int(np.argmax(single))
        cell = float(np.prod([axis[1] - axis[0] for axis in self.axes]))
        return float(self.sizes[largest] + cell * (union.sum() - single[largest]))

    @checked
    def plot(
        self,
        path: str | Path | None = None,
        *,
        of: str = "dexterity",
        branch: int | None = None,
        ax: Any = None,
        mechanism: bool = True,
    ) -> Any:
        """Plot the workspace with its singular loci, and return the axes.

        Args:
            path: File to write (png, svg, pdf).
            of: Quantity in colours: "dexterity", "manipulability", "serial" or "parallel".
            branch: Number of the branch whose quantity is shown. Defaults to the best one at each position.
            ax: Axes to draw on.
            mechanism: Whether to draw a planar mechanism in its starting position.
        """
        from pytrammel.view.plots.workspaces import plot_workspace

        if of not in ("dexterity", "manipulability", "serial", "parallel"):
            raise ModelError(f"of={short(of)} must be 'dexterity', 'manipulability', 'serial' or 'parallel'.")
        if branch is not None and not 0 <= branch < len(self):
            raise ModelError(f"branch {branch} does not exist: there are {len(self)}, numbered from 0.")
        return plot_workspace(self, of=of, branch=branch, ax=ax, mechanism=mechanism, path=path)

    def __str__(self) -> str:
        unit = UNITS[len(self.over)]
        at = ", ".join(f"{name} = {value:.6g} m" for name, value in self.at.items())
        nodes = " × ".join(str(n) for n in self.reached.shape[1:])
        lines = [
            f"workspace of {self.place!r} in {self.model.name!r} over {', '.join(self.over)}"
            + (f" at {at}" if at else ""),
            f"  {len(self)} branch{'es' if len(self) > 1 else ''}, {self.size:.6g} {unit}, "
            f"{int(self.reached.any(axis=0).sum())} of {nodes} nodes",
            f"  boundary: {len(self.type_1)} singular points (type 1), {len(self.limited)} at limits of joints",
            f"  actuators ({', '.join(self.actuators)}): {len(self.type_2)} singular points (type 2)",
            f"  dexterity {np.nanmin(self.dexterity):.3g} … {np.nanmax(self.dexterity):.3g}",
        ]
        return "\n".join([*lines, *(f"  warning: {warning}" for warning in self.warnings)])
