"""Analysis of a deck by KAP's own algorithm: undamped Newton iteration, Crout factors, constants NRMAX, FEPS and EPSLU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytrammel.errors import ConvergenceError, ModelError, SingularError, TrammelError
from pytrammel.io.decks.kap_deck import KapDeck
from pytrammel.io.decks.kap_quirks import Constants, emulate, failure_notes

if TYPE_CHECKING:
    from pytrammel.results.result import Result


def listing_result(deck: KapDeck, constants: Constants, level: int = 3) -> Result:
    """Motion as the listing of KAP computes it, in double precision and without its limits of storage.

    Args:
        deck: The deck.
        constants: NRMAX, FEPS and EPSLU.
        level: 1 positions, 2 also velocities, 3 also accelerations.

    Raises:
        SingularError: A pivot is below EPSLU; ``error.partial`` holds the reports before.
        ConvergenceError: Newton's iteration needs more than NRMAX steps; likewise.
    """
    from pytrammel.results.result import Result
    from pytrammel.system.lowering import lower

    if deck.excess:
        n = 3 * deck.counts["NB"]
        raise ModelError(
            f"***INPUT ERROR*** N= {n} M= {n + deck.excess}: KAP needs as many constraints as coordinates. Remove "
            f"{deck.excess} redundant, or analyse the deck without --as-kap."
        )
    model, times = deck.model(), deck.times()
    run = emulate(deck, constants, most=times.size)
    count = len(run.q)
    v, a = (run.v if level > 1 else None), (run.a if level > 2 else None)
    result = Result(model, lower(model), times[:count], run.q, v, a, _notes=np.zeros((count, 4)))
    if run.outcome == "finished":
        return result
    kind: type[TrammelError] = SingularError if run.outcome == "singular" else ConvergenceError
    sentence = " ".join(failure_notes(deck, run, constants)).removeprefix("KAP would have printed ")
    raise kind(sentence, partial=result if count else None)
