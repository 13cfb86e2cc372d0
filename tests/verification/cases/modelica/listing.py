"""List of all published results of the Modelica mechanics library: compared, or the missing element."""

from __future__ import annotations

from verification.case import CASES, Case

from .reference import AREA, DATA, table

MISSING = {
    "Parts.Rotor1D.GearConstraint4": "a body with the moments of inertia 1.5, 0 and 0 kg m² about its axes: the first exceeds the sum "
    "of the other two, which no distribution of mass reaches, and `body` rejects such moments",
    "Rotational3DEffects.BevelGear1D": "a body with negative inertia: `Rotor1D` subtracts the inertia of the rotor (18.2 kg m²) from a "
    "carrier that must hold it, but the carrier, a box of 0.1 m, has 0.013 kg m²",
    "Rotational.Examples.LossyGearDemo3": "a gear of an efficiency below 1/2: its losses exceed the torque that it passes on, so that "
    "several directions of drive agree; the iteration of reactions rejects that",
}


def published() -> dict[str, dict]:
    """Return all published results, by name."""
    found: dict[str, dict] = {}
    for path in sorted(DATA.glob("*.json")):
        found.update(table(path.stem))
    return dict(sorted(found.items()))


def line(name: str, result: dict, case: Case | None) -> str:
    """Return one line of the list."""
    if case is None:
        return f"| {name} | | | missing element: {MISSING[name]} |"
    worst = max(row.error for row in case.rows)
    verdict = "agrees" if all(row.passed for row in case.rows) else "DIFFERS"
    end = case.rows[0].at[-1]
    return f"| {name} | {end:.4g} | {worst:.1e} | {verdict} |"


def note() -> str:
    """Return the list of all results as Markdown."""
    results = published()
    cases = {name: CASES.get(f"modelica/{name}") for name in results}
    agree = sum(case is not None and all(row.passed for row in case.rows) for case in cases.values())
    known = sum(case is not None for case in cases.values())
    shorter = sum(case is not None and " up to " in case.reason for case in cases.values())
    text = [
        f"Results of {len(results)} models are published. {known} of them are reference cases; {len(results) - known} need an "
        f"element that Trammel does not have. {agree} of the {known} cases ({100 * agree / known:.1f} %) agree within 1e-3 of the "
        f"largest value of each quantity, {agree - shorter} ({100 * (agree - shorter) / known:.1f} %) of them over the whole published "
        f"interval. {shorter} cases compare its first part only; their tolerance states the reason. Published columns that hold "
        "parameters, discrete states of friction, or constant loads at ends of rigid parts are not compared.",
        "",
        "| model | compared up to [s] | largest relative error | verdict |",
        "| --- | --- | --- | --- |",
    ]
    return "\n".join(text + [line(name, result, cases[name]) for name, result in results.items()])


NOTES = {AREA: note}
