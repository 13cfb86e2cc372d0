"""Checkpoints: all that a run carries from one step to the next, so that a run that was cut goes on with the very same numbers.

A run is a sequence of pieces, each set up by Python from the state that the run is in at its beginning. A checkpoint inside a piece is
therefore two states: the one from which the piece was set up, and the one now, with the arrays that kernels work on.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import RunWarning
from pytrammel.kernels import engine as places
from pytrammel.results.events import EventReport
from pytrammel.results.forces.dynamics import MethodUse
from pytrammel.system.lowering import lower

if TYPE_CHECKING:
    from pytrammel.analysis.runs.automatic import Choice
    from pytrammel.analysis.runs.engine import Cartesian, Table
    from pytrammel.analysis.runs.run_partition import Independent
    from pytrammel.analysis.runs.simulation import Simulation
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
Words = dict[str, Any]
_PLAIN = ("done", "phase", "interrupted", "asked", "breaks_from", "seconds")
_NUMBERS = ("whole", "clock", "control", "counters", "_signs", "floats", "penalties")
_OF_CROSSING = ("active", "persists", "since")
_OF_CHOICE = ("patience", "_needed", "stiff_steps", "_look_back", "_explicit_work")


class Keeper(Protocol):
    """What a streamed run tells of itself, so that it can be stored."""

    resumed: bool
    kept: int

    def table(self, rows: int, columns: int) -> Array:
        """Zeros, whose memory can be given back once their rows are kept."""

    def before_piece(self, run: Simulation) -> None:
        """A piece is about to be set up."""

    def inside_piece(self, run: Simulation, table: Table, first: int) -> None:
        """Some steps of a piece are done, and more will follow; `first`: its first time."""

    def gathered(self, run: Simulation, *, hurry: bool = False) -> Result:
        """All that was computed, kept or not."""


@dataclass
class State:
    """Words and numbers of a run, ready to be stored: words are plain data for JSON."""

    words: Words
    numbers: dict[str, Array] = field(default_factory=dict)


# --- taking ----------------------------------------------------------------------------------------------------------


def state_of(run: Simulation, *, brief: bool = False) -> State:
    """What Python knows of a run now; in brief, without the reports that only grow."""
    words: Words = {name: getattr(run, name) for name in _PLAIN}
    words |= {
        "released": sorted(run.released), "active": list(map(int, run.active)), "redundant": list(map(int, run.redundant)),
        "changes": list(run.model_changes), "sizes": list(run.sizes),
        "instants": [int(run.instants.size), float(run.instants[-1])], "holds": _holds(run), "pace": _pace(run), "choice": _choice(run),
    }  # fmt: skip
    if not brief:
        words["reports"] = [dataclasses.asdict(each) for each in run.reports]
        words["warnings"] = [[w.kind, str(w), w.time] for w in run.warnings]
    numbers = {name: getattr(run, name).copy() for name in _NUMBERS}
    numbers["system floats"] = run.system.floats.copy()
    if run._watch is not None:
        numbers["noise"] = run._watch.noise.copy()
    _note_equations(run.equations, "equations", words, numbers)
    if run.independent is not None:
        words["independent"] = _independent(run.independent)
        numbers["independent"] = run.independent.numbers.copy()
    _note_crossing(run, words, numbers)
    return State(words, numbers)


def _note_crossing(run: Simulation, words: Words, numbers: dict[str, Array]) -> None:
    """Whether the run has changed its equations near a singular position, and what it goes on with behind it."""
    crossing, own = run.crossing, run.crossing.own
    words["crossing"] = {name: getattr(crossing, name) for name in _OF_CROSSING}
    words["crossing"] |= {"passages": [list(each) for each in crossing.passages], "made": bool(own)}
    if own:
        words["crossing"]["choice"] = _choice_words(own["choice"])
        numbers["own control"] = own["control"].copy()
        _note_equations(own["equations"], "own equations", words, numbers)
        if own["independent"] is not None:
            words["crossing"]["independent"] = _independent(own["independent"])
            numbers["own independent"] = own["independent"].numbers.copy()


def tables_of(run: Simulation, table: Table) -> State:
    """What the kernels of a piece work on, and which of their routines have taken the place of others."""
    words: Words = {"on constraints": []}
    numbers: dict[str, Array] = {}
    for path, each in _reachable(table, "table"):
        if each.entries[places.ON_CONSTRAINTS] and each.entries[places.RATES] == each.entries[places.ON_CONSTRAINTS]:
            words["on constraints"].append(path)
    for path, own in _arrays(run, table).items():
        numbers[path] = own.copy()
    return State(words, numbers)


def _arrays(run: Simulation, table: Table) -> dict[str, Array]:
    """Numbers that kernels may write to, each once."""
    found: dict[str, Array] = {}
    seen: set[int] = set()
    listed = [
        (f"{path}/{place}", data) for path, each in _reachable(table, "table") for place, data in each.data.items()
    ]
    if run.independent is not None:
        listed += [(f"partition/{k}", data) for k, data in enumerate(run.independent._addresses)]
    for path, data in listed:
        if data.dtype == np.float64 and data.size and data.ctypes.data not in seen:
            seen.add(data.ctypes.data)
            found[path] = data
    return found


def _reachable(table: Table, path: str) -> list[tuple[str, Table]]:
    found = [(path, table)]
    for k, other in enumerate(table._kept):
        found += _reachable(other, f"{path}.{k}")
    return found


def _holds(run: Simulation) -> Words:
    holds = run.holds
    return {
        "on": sorted(holds.on),
        "fastest": dict(holds.fastest),
        "last": float(holds._last),
        "stalled": holds._stalled,
        "onset": holds._onset,
    }


def _pace(run: Simulation) -> Words:
    pace = run.pace
    return {"looks": [list(look) for look in pace._looks], "steps": pace._steps, "predicted": pace.predicted}


def _choice(run: Simulation) -> Words:
    return _choice_words(run.choice)


def _choice_words(choice: Choice) -> Words:
    words = {name: getattr(choice, name) for name in _OF_CHOICE}
    uses = [dataclasses.asdict(use) for use in choice.uses]
    return {**words, "uses": uses, "since": list(choice._since), "first": choice.method is choice._first}


def _independent(found: Independent) -> Words:
    rows = None if found._rows is None else list(map(int, found._rows))
    history = [[time, list(names)] for time, names in found.history]
    return {
        "rows": rows,
        "columns": list(map(int, found.columns)),
        "history": history,
        "loops": list(map(int, getattr(found, "_loops", ()))),
    }


def _note_equations(equations: Cartesian, path: str, words: Words, numbers: dict[str, Array]) -> None:
    from pytrammel.analysis.runs.engine import Cartesian

    own: Words = {"history": [[time, list(names)] for time, names in equations.history], "memory": equations.memory()}
    for name, value in vars(equations).items():
        if isinstance(value, np.ndarray) and value.dtype == np.float64:
            numbers[f"{path}/{name}"] = value.copy()
        elif isinstance(value, float):
            own[f"number {name}"] = value
        elif isinstance(value, Cartesian):
            _note_equations(value, f"{path}/{name}", words, numbers)
    words[path] = own


# --- putting back ----------------------------------------------------------------------------------------------------


class Inside:
    """A state in the middle of a piece."""

    def __init__(self, now: State, tables: State) -> None:
        self.now, self.tables = now, tables

    def put_words(self, run: Simulation) -> None:
        """Python's part, once the piece is set up."""
        put_state(run, self.now)

    def put_numbers(self, run: Simulation, table: Table) -> None:
        """What the kernels work on."""
        for name in ("control", "_signs"):  # setting a method up has changed them
            getattr(run, name)[:] = self.now.numbers[name]
        for path, data in _arrays(run, table).items():
            data[:] = _fitting(self.tables.numbers.get(path), data.shape, path)
        for path, each in _reachable(table, "table"):
            if path in self.tables.words["on constraints"]:
                each.entries[places.RATES] = each.entries[places.ON_CONSTRAINTS]


def put_state(run: Simulation, state: State) -> None:
    """Bring a run to a state of Python's."""
    words, numbers = state.words, state.numbers
    if words["crossing"]["active"] != run.crossing.active:
        run.crossing.change(run)
    for name in words["changes"][len(run.model_changes) :]:
        _change(run, name)
    for name in _PLAIN:
        setattr(run, name, words[name])
    count, last = words["instants"]
    if count != run.instants.size or last != run.instants[-1]:  # an event has ended the run before
        run.instants = np.append(run.instants[: count - 1], last)
    run.released, run.sizes = set(words["released"]), tuple(words["sizes"])
    if "reports" in words:
        run.reports = [EventReport(**each) for each in words["reports"]]
        run.warnings = [RunWarning(kind, text, time=time) for kind, text, time in words["warnings"]]
    if run.breaks_from != float(run.instants[0]):
        run.find_breaks(run.breaks_from)
    run.holds.on, run.holds.fastest = frozenset(words["holds"]["on"]), dict(words["holds"]["fastest"])
    run.holds._last, run.holds._stalled = words["holds"]["last"], words["holds"]["stalled"]
    onset = words["holds"].get("onset")
    run.holds._onset = None if onset is None else (onset[0], onset[1])
    run.active, run.redundant = tuple(words["active"]), tuple(words["redundant"])
    run.system.floats[:] = _fitting(numbers["system floats"], run.system.floats.shape, "floats")
    for name in _NUMBERS:
        _assign(run, name, numbers[name])
    run.pattern = run.row_pattern()
    _put_pace(run, words["pace"])
    _put_choice(run.choice, words["choice"])
    _put_equations(run.equations, "equations", words, numbers)
    if run.independent is not None:
        _put_independent(run.independent, words["independent"], numbers["independent"])
    _put_crossing(run, words, numbers)
    if "noise" in numbers:
        signs = run._signs.copy()
        watch = run._look_out()
        watch.noise[:] = _fitting(numbers["noise"], watch.noise.shape, "noise")
        run._signs = signs


def _change(run: Simulation, name: str) -> None:
    """The numbers that an event had changed; those that follow from the state then are stored."""
    event = next(each for each in run.user_events if each.name == name)
    run.model = run.model.copy(changes=event.change)
    run.model_changes.append(name)
    run.system = lower(run.model, dynamics=True, measured=run.measured)
    run.floats = run.system.floats.copy()
    run.holds._read_model()


def _put_pace(run: Simulation, words: Words) -> None:
    run.pace._looks.clear()
    run.pace._looks.extend(tuple(look) for look in words["looks"])
    run.pace._steps, run.pace.predicted = words["steps"], words["predicted"]


def _put_choice(choice: Choice, words: Words) -> None:
    for name in _OF_CHOICE:
        setattr(choice, name, words[name])
    choice.uses = [MethodUse(**use) for use in words["uses"]]
    time, work, steps = words["since"]
    choice._since = (time, work, int(steps))
    other = choice._first if choice._other is None else choice._other
    choice.method = choice._first if words["first"] else other


def _put_crossing(run: Simulation, words: Words, numbers: dict[str, Array]) -> None:
    crossing, said = run.crossing, words["crossing"]
    for name in _OF_CROSSING:
        setattr(crossing, name, said[name])
    crossing.passages = [(float(time), float(measure)) for time, measure in said["passages"]]
    if not said["made"]:
        return
    own = crossing.prepared(run)
    _put_choice(own["choice"], said["choice"])
    own["choice"].uses = run.choice.uses
    own["control"][:] = numbers["own control"]
    _put_equations(own["equations"], "own equations", words, numbers)
    if own["independent"] is not None:
        _put_independent(own["independent"], said["independent"], numbers["own independent"])


def _put_independent(found: Independent, words: Words, numbers: Array) -> None:
    found._rows = None if words["rows"] is None else tuple(words["rows"])
    found.columns = tuple(words["columns"])
    found.history = [(time, tuple(names)) for time, names in words["history"]]
    if hasattr(found, "_loops"):
        found._loops = tuple(words["loops"])
    _assign(found, "numbers", numbers)


def _put_equations(equations: Cartesian, path: str, words: Words, numbers: dict[str, Array]) -> None:
    from pytrammel.analysis.runs.engine import Cartesian

    own = words[path]
    equations.history = [(time, tuple(names)) for time, names in own["history"]]
    equations.remember(own["memory"])
    for name, value in list(vars(equations).items()):
        if isinstance(value, np.ndarray) and value.dtype == np.float64:
            _assign(equations, name, numbers[f"{path}/{name}"])
        elif isinstance(value, float):
            setattr(equations, name, own[f"number {name}"])
        elif isinstance(value, Cartesian):
            _put_equations(value, f"{path}/{name}", words, numbers)


def _assign(owner: Any, name: str, value: Array) -> None:
    """Numbers that addresses or views lead to stay where they are."""
    present = getattr(owner, name)
    if present.shape == value.shape:
        present[:] = value
    else:
        setattr(owner, name, value.copy())


def _fitting(value: Array | None, shape: tuple[int, ...], name: str) -> Array:
    if value is None or value.shape != shape:
        raise ValueError(f"the numbers {name} do not fit this run")
    return value
