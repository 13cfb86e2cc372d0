"""Coordinate partitioning: some coordinates are integrated, the others follow from the constraints."""

from __future__ import annotations

from pytrammel.analysis.treatments import GAINS, PARTITION, Treatment, treatment

SETTLE = ("partitioned", "partitioned_settle")
REMEDY = "use constraints='projection', or let the partition choose itself"


@treatment
def partitioning() -> Treatment:
    return Treatment(
        "Coordinate partitioning CP-1 and CP-2: independent coordinates are integrated, Newton's method finds the others at every "
        "evaluation; `method` chooses them, again where that helps, or `coordinates` names them.",
        takes=PARTITION,
        rates=("partitioned", "partitioned_rates"),
        settle=SETTLE,
        partitioned=True,
        remedy=REMEDY,
    )


@treatment
def hybrid() -> Treatment:
    return Treatment(
        'Partitioning with stabilisation, as in the program DADS: the dependent coordinates are stabilised like "baumgarte", and where '
        "joints have come apart by more than the tolerance they are put right.",
        rates=("partitioned", "hybrid_rates"),
        takes={**GAINS, **PARTITION},
        settle=SETTLE,
        partitioned=True,
        remedy=REMEDY,
    )
