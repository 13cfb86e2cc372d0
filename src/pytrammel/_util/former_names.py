"""Former public names with their replacements, for messages. The table is the one that tools/rename.py applies to scripts."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Container, Iterable, Mapping
from importlib.resources import files
from typing import NamedTuple

ALIAS = "tm"  # the package in messages
WORDS = ("name", "method", "attribute", "argument")  # kinds of rows that stand for words of models and files


class Former(NamedTuple):
    """A row of the table.

    Attributes:
        kind: "name" or "function" of the package, "method", "attribute", "argument" and others; see tools/rename_table.py.
        owners: Classes of a method, callables of an argument; empty for all.
        new: Name now, dotted in a namespace; "" where `hand` describes the replacement.
        hand: Replacement in words.
    """

    kind: str
    owners: frozenset[str]
    new: str
    hand: str

    @property
    def remedy(self) -> str:
        """Remedy for the end of a message."""
        if self.hand:
            first = self.hand.split()[0]
            return f"{first.capitalize() if first.isalpha() else first}{self.hand[len(first) :]}."
        if self.kind == "name":
            return f"Use {ALIAS}.{self.new}."
        return f"Use {self.new!r}."


def former(old: str, *kinds: str, owners: Iterable[str] = ()) -> Former | None:
    """Return the row of a former name, or None.

    Args:
        old: The name.
        kinds: Kinds of rows.
        owners: Classes or callables that the name is looked up on; rows without owners apply to all.
    """
    found = _rows().get(old, ())
    names = frozenset(owners)
    return next((row for row in found if row.kind in kinds and (not row.owners or row.owners & names)), None)


def new_word(word: object, known: Container[str]) -> str | None:
    """Return the known word that replaced a former one, or None."""
    found = _rows().get(word, ()) if isinstance(word, str) else ()
    return next((row.new for row in found if row.kind in WORDS and row.new in known), None)


@functools.cache
def _rows() -> dict[str, tuple[Former, ...]]:
    """Rows by old name."""
    table = tomllib.loads(files("pytrammel").joinpath("renames.toml").read_text(encoding="utf-8"))
    groups = {name: frozenset(members) for name, members in table["groups"].items()}
    rows: dict[str, tuple[Former, ...]] = {}
    for entry in table["rename"]:
        space = f"{entry['namespace']}." if "namespace" in entry else ""
        owners = _expanded(entry.get("owner", ()), groups)
        for old in [entry["old"]] if isinstance(entry["old"], str) else entry["old"]:
            new = "" if "hand" in entry else entry.get("new", f"{space}{old}")
            rows[old] = (*rows.get(old, ()), Former(entry["kind"], owners, new, entry.get("hand", "")))
    return rows


def _expanded(owner: str | list[str], groups: dict[str, frozenset[str]]) -> frozenset[str]:
    """Return owners with the members of groups: "Model.simulate" stands for a method of each model."""
    found: set[str] = set()
    for name in [owner] if isinstance(owner, str) else owner:
        head, dot, rest = name.partition(".")
        found |= {f"{one}{dot}{rest}" for one in groups.get(head, (head,))}
    return frozenset(found)


# arguments of SciPy, and what was called otherwise: an option that the call must have, and the remedy
_STEP = ("max_step", "Pass the step to the method: method=tm.methods.rk4(step=...).")
_METHOD = ("max_step", "Pass it to the method: method=tm.methods.NAME({word}=...).")
_GAINS = ("constraints", "Pass it to the enforcement: constraints=tm.enforcement.baumgarte({word}=...).")
_START = ("initial", "Pass it with the initial values: initial=tm.InitialConditions({{...}}, {word}=...).")
_ANALYSIS = ("analysis", "Use analysis=tm.Analysis(name, duration, ...), which holds the options of the analysis.")
OPTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "t_eval": (("times", "Use times=."),), "t_span": (("start_time", "Use duration= with start_time=."),),
    "t0": (("start_time", "Use start_time=."),), "start": (("start_time", "Use start_time=."),),
    "step": (
        ("max_step", "Use output_step= for output times, method=tm.methods.rk4(step=...) for the step of a method."),
        ("output_step", "Use output_step=."),
    ),
    "dt": (_STEP, ("output_step", "Use output_step=.")), "time_step": (("step", "Use step=."), _STEP), "first_step": (_STEP,),
    "starter": (_METHOD,), "max_steps": (_METHOD,), "max_num_steps": (("max_step", "Use method=tm.methods.NAME(max_steps=...)."),),
    "alpha": (_GAINS,), "beta": (_GAINS,), "treatment": (("constraints", "Use constraints=."),),
    "partition": (
        ("constraints", "Use constraints=tm.enforcement.partitioning(method=...) or partitioning(coordinates=[...])."),
        ("coordinates", "Use method= for a pivoting rule, coordinates= for independent coordinates."),
    ),
    "penalty": (("constraints", "Use constraints=tm.enforcement.penalty(factor=...)."), ("factor", "Use factor=.")),
    "rotations": (("constraints", "Use formulation=tm.formulations.cartesian(rotations=...)."),),
    "euler_parameters": (
        ("constraints", "Use formulation=tm.formulations.cartesian(normalize=...)."), ("normalize", "Use normalize=."),
    ),
    "hold": (_START,), "correct": (_START,), "y0": (("initial", "Use initial=."),), "watch": (("callback", "Use callback=."),),
    "independent": (("prescribed", "Use prescribed=."),), "damping": (("newton", "Use newton='full' or 'damped'."),),
    "tolerance": (("tol", "Use tol=."),), "ftol": (("tol", "Use tol=."),), "xtol": (("tol", "Use tol=."),),
    "iterations": (("max_iterations", "Use max_iterations=."),), "maxiter": (("max_iterations", "Use max_iterations=."),),
    "starts": (("n_starts", "Use n_starts=."),), "nearest": (("allow_unstable", "Use allow_unstable=."),),
    "weight": (("cut_stiffness", "Use cut_stiffness=."),), "over": (("variables", "Use variables=."),),
    "names": (("variables", "Use variables=."),), "singular": (("allow_singular", "Use allow_singular=."),),
    "spread": (("distribution", "Use distribution=."),), "way": (("method", "Use method=."),),
    "what": (("quantity", "Use quantity=."),), "options": (_ANALYSIS,), "analysis_options": (_ANALYSIS,),
}  # fmt: skip


def renamed_option(key: str, known: Iterable[str]) -> str:
    """Remedy for an option of another name, as the end of a message; empty where the call has no such option."""
    names = set(known)
    return next((f" {text.format(word=key)}" for needed, text in OPTIONS.get(key, ()) if needed in names), "")
