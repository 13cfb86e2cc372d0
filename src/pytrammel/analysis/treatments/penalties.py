"""Penalties: constraints as stiff springs, dampers and inertias, with multipliers from an iteration or without (Bayo)."""

from __future__ import annotations

from pytrammel.analysis.treatments import GAINS, PENALTY, Treatment, treatment
from pytrammel.kernels import layout as L
from pytrammel.system.lowering import System

RATES = ("penalty", "penalty_rates")
TAKES = {**GAINS, **PENALTY}


def _cannot(system: System, formulation: str) -> str:
    if formulation != "III":
        return f"it is there for formulation 'III' only, not for {formulation!r}; use that, or constraints='baumgarte'"
    if system.ints[L.HAS_MASSLESS]:
        return (
            "a coordinate without mass would be torn off by any penalty; use constraints='baumgarte', or give it a mass"
        )
    if system.ints[L.N_REACTIONS]:
        return "a force depends on reactions, which a penalty knows only roughly; use constraints='baumgarte'"
    return ""


@treatment
def penalty() -> Treatment:
    return Treatment(
        "Penalties: joints are springs, dampers and inertias, `factor` times as heavy as what they join, with the gains `alpha` and "
        "`beta`; they yield under load, by its share 1/`factor`.",
        takes=TAKES,
        rates=RATES,
        cannot=_cannot,
        remedy="raise factor= of the penalty, or use constraints='augmented' or 'projection'",
    )


@treatment
def augmented() -> Treatment:
    return Treatment(
        'Augmented Lagrangian after Bayo: as "penalty", with multipliers that are iterated until nothing yields any more.',
        takes=TAKES,
        rates=RATES,
        iterated=True,
        cannot=_cannot,
    )
