"""List of all published results of the Modelica mechanics library: compared, or the missing element."""

from __future__ import annotations

import re

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


def whole(result: dict) -> bool:
    """Return True if the compared times reach the end of the published result, within one per cent."""
    return result["times"][-1] > 0.99 * result["end"]


def line(name: str, result: dict, case: Case | None) -> str:
    """Return one line of the list."""
    if case is None:
        return f"| {name} | | | missing element: {MISSING[name]} |"
    worst = max(row.error for row in case.rows)
    verdict = "agrees" if all(row.passed for row in case.rows) else "DIFFERS"
    return f"| {name} | {result['times'][-1]:.4g} of {result['end']:.4g} | {worst:.1e} | {verdict} |"


def omitted(name: str, result: dict) -> list[str]:
    """Return one line per content of columns that are not compared; vectors are named without their index."""
    lines = []
    for content, columns in result.get("omitted", {}).items():
        vectors = dict.fromkeys(re.sub(r"\[\d\]$", "", column) for column in columns)
        listed = ", ".join(f"`{column}`" for column in vectors)
        lines.append(f"| {content} | {name} | {len(columns)} | {listed} |")
    return lines


def note() -> str:
    """Return the list of all results as Markdown."""
    results = published()
    cases = {name: CASES.get(f"modelica/{name}") for name in results}
    agree = sum(case is not None and all(row.passed for row in case.rows) for case in cases.values())
    known = sum(case is not None for case in cases.values())
    shorter = sum(case is not None and not whole(results[name]) for name, case in cases.items())
    used = {name: result for name, result in results.items() if cases[name] is not None}
    compared = sum(len(result["columns"]) for result in used.values())
    uncompared = [text for name, result in used.items() for text in omitted(name, result)]
    count = sum(len(columns) for result in used.values() for columns in result.get("omitted", {}).values())
    text = [
        f"Results of {len(results)} models are published. {known} of them are reference cases; {len(results) - known} need an "
        f"element that Trammel does not have. {agree} of the {known} cases ({100 * agree / known:.1f} %) agree within 1e-3 of the "
        f"largest value of each quantity, {agree - shorter} ({100 * (agree - shorter) / known:.1f} %) of them over the whole published "
        f"interval. {shorter} cases compare its first part only; their tolerance states the reason. {compared} published columns are "
        f"compared at 21 times; the second table names the other {count} columns of these models.",
        "",
        "| model | compared up to [s] | largest relative error | verdict |",
        "| --- | --- | --- | --- |",
    ]
    text += [line(name, result, cases[name]) for name, result in results.items()]
    text += ["", "| not compared | model | columns | names |", "| --- | --- | --- | --- |", *uncompared]
    return "\n".join(text)


NOTES = {AREA: note}
