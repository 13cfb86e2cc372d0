"""The public checks: every check of this folder for one joint or force, in the plane and in space."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytrammel.testing import copies, facts, files, forces, parameters, pictures, rows, samples, slopes, units
from pytrammel.testing.failures import no_error
from pytrammel.testing.samples import Type

SEEDS = range(2)


def _rows(kind: Type) -> None:
    for seed in SEEDS:
        rows.check_rows(kind, seed)


def _facts(kind: Type) -> None:
    facts.check_counts(kind)
    facts.check_freedom(kind)
    facts.check_seats(kind)


def _copies(kind: Type) -> None:
    for way in copies.WAYS:
        copies.check_travel(kind, way)
    copies.check_copies(kind)


def _force_copies(kind: Type) -> None:
    for way in copies.WAYS:
        copies.check_travel(kind, way)


def _states(kind: Type) -> None:
    found = forces.states(kind)
    for model, force, at in found:
        forces.check_power(kind, force, at)
        forces.check_potential(kind, model, force, at)
        forces.check_reaction(kind, model, force, at)
    forces.check_copy(kind, found[0][0], found[0][2])


OF_JOINTS: Mapping[str, Callable[[Type], None]] = {
    "rows": _rows, "units": units.check_units, "facts": _facts, "copies": _copies, "derivatives": slopes.check_derivatives,
    "parameters": parameters.check_parameters, "files": files.check_files, "pictures": pictures.check_pictures,
}  # fmt: skip
OF_FORCES: Mapping[str, Callable[[Type], None]] = {
    "states": _states, "units": units.check_labels, "copies": _force_copies, "derivatives": slopes.check_derivatives,
    "parameters": parameters.check_parameters, "files": files.check_files, "pictures": pictures.check_pictures,
}  # fmt: skip


def check_joint(joint: object) -> tuple[str, ...]:
    """Check a joint, constraint or driver on its sample, in the plane and in space, where it is registered for both.

    The checks: value, Jacobian, rates and gamma against differences at random states; units and labels; numbers of rows and degrees of
    freedom, seats and declared freedoms; copies and pickles; derivatives of the equations of motion; parameters; model files; pictures.

    Args:
        joint: Decorated builder, method of a model or name.

    Returns:
        Names of the checks, all passed.

    Raises:
        CheckFailedError: A check failed; the message states type, quantity, value and limit.
        ModelError: The joint is not registered.

    Example:
        >>> check_joint(tm.PlanarModel.revolute)
    """
    return _checked(samples.found(joint, samples.joint_types(), "joint"), OF_JOINTS)


def check_force(force: object) -> tuple[str, ...]:
    """Check a force on its sample, in the plane and in space, where it is registered for both.

    The checks, at random states where the force acts: power equals generalized force times velocity (virtual work); stored energy is the
    potential; action equals reaction; derivatives of the equations of motion; also units and labels, copies and pickles, parameters,
    model files and pictures.

    Args:
        force: Decorated builder, method of a model or name.

    Returns:
        Names of the checks, all passed.

    Raises:
        CheckFailedError: A check failed; the message states type, quantity, value and limit.
        ModelError: The force is not registered.

    Example:
        >>> check_force("spring")
    """
    return _checked(samples.found(force, samples.forces(), "force"), OF_FORCES)


def _checked(kinds: list[Type], checks: Mapping[str, Callable[[Type], None]]) -> tuple[str, ...]:
    for kind in kinds:
        with no_error(kind, "building the sample"):
            samples.add(kind, samples.fresh(kind.space))
        for name, check in checks.items():
            with no_error(kind, f"check {name!r}"):
                check(kind)
    return tuple(checks)
