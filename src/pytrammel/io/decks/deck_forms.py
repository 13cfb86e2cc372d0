"""Prompts and checks with which a deck is typed in, as the programs KAP and DAP print them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytrammel.io.decks import dap_deck, kap_deck
from pytrammel.io.decks.deck_fields import Record
from pytrammel.io.decks.deck_records import Group, check_times

TIME_PROMPT = "ENTER STARTING TIME, FINAL TIME, AND TIME INCREMENT"
_JOINTS = {
    "NR": "FOR REV. JOINT NO. {k} ENTER BODY NOS. I AND J\nXI-P-I, ETA-P-I, XI-P-J, ETA-P-J",
    "NT": "FOR TRAN. JOINT NO. {k} ENTER BODY NOS. I AND J\nXI-P-I, ETA-P-I, XI-Q-I, ETA-Q-I, XI-P-J, ETA-P-J",
    "NG": "ENTER BODY NO. FOR NO. {k} GROUNDED BODY",
    "NS": "FOR SIMPLE CONSTRAINT NO. {k} ENTER BODY NO.\nAND 1, 2, OR 3 FOR X, Y, OR PHI CONSTRAINT DIRECTION",
    "NP": "FOR POINT OF INTEREST NO. {k} ENTER BODY NO.\nXI-P AND ETA-P COORDINATES",
}


@dataclass(frozen=True)
class DeckForm:
    """Records of a program in the order of its prompts.

    Attributes:
        program: Name of the program.
        counts: Names of the counts.
        groups: Records after the counts, see `deck_records.Group`.
        prompts: Prompt of each kind of record by the name of its count; ``{k}`` is the number.
        kinds: Short name of each kind by the name of its count.
        excess: Number of constraints beyond the number of coordinates, from the counts.
        least_excess: Smallest number, or None.
        check_group: Check of the records of one kind, with all records so far.
        check_times: Check of the time record, with the counts.
        read: Reader of the whole deck.
    """

    program: str
    counts: tuple[str, ...]
    groups: tuple[Group, ...]
    prompts: Mapping[str, str]
    kinds: Mapping[str, str]
    excess: Callable[[dict[str, int]], int]
    least_excess: int | None
    check_group: Callable[[str, dict[str, list[Record]]], None]
    check_times: Callable[[Record, dict[str, int]], None]
    read: Callable[[str], Any]

    @property
    def count_prompt(self) -> str:
        """Prompt for the counts."""
        return f"ENTER {', '.join(self.counts)}"


def _check_dap_times(record: Record, counts: dict[str, int]) -> None:
    if dap_deck.excess_of(counts) < 0:
        dap_deck.check_step(record)


_KINDS = {"NB": "body", "NR": "rev", "NT": "tran", "NG": "ground", "NS": "simple", "NP": "point"}

KAP_FORM = DeckForm(
    "KAP",
    kap_deck.COUNTS,
    kap_deck.GROUPS,
    {
        **_JOINTS,
        "NB": "FOR BODY {k} ENTER INITIAL EST. ON X, Y, PHI",
        "ND": "FOR DRIVER NO. {k} ENTER BODY NO.\n1, 2, OR 3 FOR X, Y, OR PHI\nINITIAL POSITION, VELOCITY, AND ACCELERATION",
    },
    {**_KINDS, "ND": "driver"},
    kap_deck.excess_of,
    0,
    kap_deck.check_group,
    lambda record, _counts: check_times(record),
    kap_deck.read_kap,
)
DAP_FORM = DeckForm(
    "DAP",
    dap_deck.COUNTS,
    dap_deck.GROUPS,
    {
        **_JOINTS,
        "NB": "FOR BODY {k} ENTER INITIAL COND. ON X, Y, PHI\nINITIAL CONDITIONS ON XD, YD, PHID\nMASS, MOMENT OF INERTIA\n"
        "CONSTANT FORCE-MOMENT FX, FY, N",
        "NSP": "FOR SPRING EL. NO. {k} ENTER BODY NOS. I AND J\nXI-P-I, ETA-P-I, XI-P-J, ETA-P-J\n"
        "SPRING CONST., DAMPING COEF., ACTUATOR FORCE, UNDEFORMED SPRING LENGTH",
    },
    {**_KINDS, "NSP": "spring"},
    dap_deck.excess_of,
    None,
    dap_deck.check_group,
    _check_dap_times,
    dap_deck.read_dap,
)
