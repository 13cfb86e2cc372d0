"""What bodies look like as particles, to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, checked_number, checked_numbers
from pytrammel._util.messages import brief, number_of, short
from pytrammel.analysis.formulations.points import particle_motion
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import active_rows, assembled
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.system.particles import Particles, find_particles

Array = NDArray[np.float64]

NEGATIVE = (
    "Masses below zero are no mistake: where particles stand too far out, or too near, for the body's moments of inertia, one of them "
    "makes up for the others. Together they have the mass, the centroid and the moments of the body."
)


@brief
@dataclass(frozen=True)
class ParticleReport:
    """A model as particles, in its assembled position; print it.

    Attributes:
        name: Name of the model.
        particles: Per body the places, masses and numbers of its particles; which are common; distances.
        places: Global places of the primary particles, shape (particles, dimension) [m].
        rows: Rows of the model that stay beside the distances.
    """

    name: str
    particles: Particles
    places: Array
    rows: tuple[str, ...]

    @checked
    def forces(
        self, body: str, *, force: Sequence[float] | None = None, at: Sequence[float] | None = None,
        couple: float | Sequence[float] | None = None,
    ) -> Array:  # fmt: skip
        """Distribute a force and a couple on a body over its primary particles (Attia, eq. 3.1 and 3.2), in body axes.

        Args:
            body: Name of the body.
            force: Force [N].
            at: Its point of application, body coordinates [m]; the origin by default.
            couple: Moment [N m]: a number in the plane, three in space.

        Returns:
            Forces on the particles [N], shape (particles, dimension).
        """
        own = next((each for each in self.particles.bodies if each.body == body), None)
        if own is None:
            listed = ", ".join(each.body for each in self.particles.bodies)
            raise ModelError(f"there is no body {short(body)} among the particles; there are: {listed}.")
        d = own.points.shape[1]
        zero, axes = (0.0,) * d, ("x", "y", "z")[:d]
        push = np.array(checked_numbers(zero if force is None else force, "force", axes))
        place = np.array(checked_numbers(zero if at is None else at, "at", axes))
        if d == 2:
            moment = np.array([checked_number(0.0 if couple is None else couple, "couple")])
        else:
            moment = np.array(checked_numbers(zero if couple is None else couple, "couple", axes))
        return own.forces(push, place, moment)

    def __str__(self) -> str:
        found = self.particles
        d = self.places.shape[1]
        lines = [
            f"{self.name!r} as particles: {found.n_free} move ({d * found.n_free} coordinates), {len(found.fixed)} are fixed; "
            f"{len(found.distances)} distances and {number_of(len(self.rows), 'other row')} hold them.",
            f"{'body':<12} {'particle':<12} {'in the body [m]':<30} {'mass [kg]':>12}  shared with",
        ]
        for own in found.bodies:
            names = [f"P{number + 1}" for number in own.numbers]
            names += [f"{names[i]}-{names[j]}" for i, j in own.pairs]
            for k, (name, place, mass) in enumerate(zip(names, own.places, own.masses, strict=True)):
                others = (
                    [o for o in found.owners[own.numbers[k]] if o != own.body] if k < len(own.numbers) else ["half way"]
                )
                local = "(" + ", ".join(f"{round(x, 9) + 0.0:.6g}" for x in place) + ")"
                lines.append(f"{own.body:<12} {name:<12} {local:<30} {mass:>12.6g}  {', '.join(others)}".rstrip())
        if any((own.masses < 0.0).any() for own in found.bodies):
            lines.append(NEGATIVE)
        if self.rows:
            lines.append(f"Rows beside the distances: {', '.join(self.rows)}.")
        return "\n".join(lines)


@verb
def particles(
    model: Model, *, particles: Mapping[str, Sequence[Sequence[float]]] | None = None,
    masses: Mapping[str, Sequence[float | None]] | None = None, time: float = 0.0,
) -> ParticleReport:  # fmt: skip
    """What the bodies of a model look like as particles (``formulation="points"``).

    Args:
        model: The model, with masses and inertias.
        particles: Places of the particles of some bodies, body coordinates [m]: two (a rod) or three in the plane, four in space; chosen
            at the joints otherwise. Up to eight; the masses of those beyond three or four are free.
        masses: Masses of particles that are free, by body: an entry per particle, a number [kg] for as many as are free, None for the
            others. By default particles beyond three or four have none.
        time: Time at which drivers place the mechanism [s].
    """
    make_ready(model, ["assemble_run", "jacobian_run", "rates_run", "measures_run"])
    system = system_at(model, time, "particles", dynamics=True)
    q = assembled(model, time=time, system=system).q
    acting = active_rows(system)
    found = find_particles(system, acting, chosen=particles, masses=masses)
    places, _ = particle_motion(system, found, q, np.zeros(system.n_columns))
    rows = [system.rows[row].owner for row in acting if row not in found.held]
    return ParticleReport(model.name, found, places, tuple(dict.fromkeys(rows)))
