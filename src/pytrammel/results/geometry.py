"""What mechanism textbooks construct by hand, from any result with velocities: centres, polygons, centrodes, curvature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytrammel._util.checks import checked, titled
from pytrammel._util.messages import listing

if TYPE_CHECKING:
    from pytrammel.results.result import Result
    from pytrammel.view.diagrams.centres import InstantCenters
    from pytrammel.view.diagrams.centrodes import Centrodes, InflectionCircle
    from pytrammel.view.diagrams.curvature import PathCurvature
    from pytrammel.view.diagrams.polygons import Polygon
    from pytrammel.view.diagrams.transmission import TransmissionAngle


@titled("diagram")
class Diagrams:
    """Diagrams of plane motion: ``k.diagram.velocity_polygon(0.1).plot()``. Each gives numbers with names, and ``plot()`` draws them."""

    def __init__(self, motion: Result) -> None:
        self._motion = motion

    def __repr__(self) -> str:
        return listing(self, self._motion.model.name)

    def instant_centers(self) -> InstantCenters:
        """Points where each two bodies have the same velocity, for all pairs and output times.

        Example: ``k.diagram.instant_centers().between("ground", "rod")``.
        """
        from pytrammel.view.diagrams.centres import instant_centers

        return instant_centers(self._motion)

    @checked
    def velocity_polygon(self, time: float | None = None) -> Polygon:
        """Velocities of all joints and points from one pole, and how they follow from each other.

        Args:
            time: Instant [s]; the first by default.
        """
        from pytrammel.view.diagrams.polygons import polygon

        return polygon(self._motion, "velocity", time)

    @checked
    def acceleration_polygon(self, time: float | None = None) -> Polygon:
        """Accelerations of all joints and points from one pole, with normal, tangential, sliding and Coriolis parts.

        Args:
            time: Instant [s]; the first by default.
        """
        from pytrammel.view.diagrams.polygons import polygon

        return polygon(self._motion, "acceleration", time)

    @checked
    def centrodes(self, body: Any, against: Any = "ground") -> Centrodes:
        """Paths of the instant centre of two bodies on both of them: curves that roll on each other.

        Args:
            body: The moving body.
            against: The body it moves against.
        """
        from pytrammel.view.diagrams.centrodes import centrodes

        return centrodes(self._motion, body, against)

    @checked
    def inflection_circle(self, body: Any) -> InflectionCircle:
        """Circle of the points of a body whose paths are straight for a moment, along the run; Euler–Savary by ``curvature_of``.

        Args:
            body: The body.
        """
        from pytrammel.view.diagrams.centrodes import inflection_circle

        return inflection_circle(self._motion, body)

    @checked
    def transmission_angle(
        self, joint: Any, coupler: Any = None, *, start: Any = None, end: Any = None
    ) -> TransmissionAngle:
        """Angle between a coupler and the line across the motion of the follower that it drives, at their pin.

        Args:
            joint: Pin between coupler and follower.
            coupler: The coupler, where both bodies float, or neither.
            start: Joint that drives the coupler; its only other pin by default.
            end: Joint that guides the follower; its pin or guide on the ground by default.
        """
        from pytrammel.view.diagrams.transmission import transmission_angle

        return transmission_angle(self._motion, joint, coupler, start=start, end=end)

    @checked
    def curvature(self, point: Any) -> PathCurvature:
        """Curvature of the path of a point along the run, with its cusps and inflections between instants.

        Args:
            point: Point of interest, ``body.at(…)``, or a body for its origin.
        """
        from pytrammel.view.diagrams.curvature import curvature

        return curvature(self._motion, point)
