"""Records of events, changes of phase and singular positions of a run."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pytrammel._util.messages import brief


def unit_of_rate(column: str) -> str:
    """Unit of the velocity along a column: "crank.phi" turns, "crank.x" and places on curves move."""
    return "rad/s" if column.rpartition(".")[2] in ("phi", "rx", "ry", "rz") else "m/s"


class Record:
    """Something that happened at a time of a run; base of the records in `Result.events` and `Result.singularities`.

    Attributes:
        time: When [s].
        kind: Kind of the record, such as "event" or "switch".
        name: Name of the event or switch; "" for a singular position.
    """

    if TYPE_CHECKING:  # a value here would be the default of the fields

        @property
        def time(self) -> float: ...
        @property
        def kind(self) -> str: ...
        @property
        def name(self) -> str: ...

    @property
    def change(self) -> str:
        """What changed, in words."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name, "kind" included: ``[e.to_dict() for e in result.events]`` makes a table."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {"kind": self.kind, "time": self.time, **{f.name: getattr(self, f.name) for f in fields}}

    def __str__(self) -> str:
        return f"t = {self.time:.6g} s: {self.change}"


@brief
@dataclass(frozen=True)
class EventReport(Record):
    """Event of the user that happened in a run.

    Attributes:
        name: Name of the event.
        time: When [s].
        jump_of: Coordinate whose velocity jumps most; "" if all velocities are continuous to rounding.
        velocity_jump: Velocity jump of this coordinate [m/s or rad/s].
        stopped: Whether the event ended the run.
    """

    kind: ClassVar[str] = "event"
    name: str
    time: float
    jump_of: str
    velocity_jump: float
    stopped: bool

    @property
    def change(self) -> str:
        """What changed, in words."""
        text = f"event {self.name}"
        if self.velocity_jump > 0.0:
            text += f", velocity of {self.jump_of} jumps by {self.velocity_jump:.4g} {unit_of_rate(self.jump_of)}"
        return text + (", the run ends" if self.stopped else "")

    __str__ = Record.__str__


@brief
@dataclass(frozen=True)
class SwitchReport(Record):
    """Change of phase in a run.

    Attributes:
        name: Name of the switch.
        time: When [s].
        leave, enter: Phases before and after.
        gap: Largest violation of the new constraints at the switch, in units of the model's size.
        jump_of: Coordinate whose velocity jumps most; "" if all velocities are continuous to rounding.
        velocity_jump: Velocity jump of this coordinate [m/s or rad/s].
        acceleration_jump: Largest jump in acceleration [m/s² or rad/s²].
    """

    kind: ClassVar[str] = "switch"
    name: str
    time: float
    leave: str
    enter: str
    gap: float
    jump_of: str
    velocity_jump: float
    acceleration_jump: float

    @property
    def change(self) -> str:
        """What changed, in words."""
        text = f"{self.name} ({self.leave} → {self.enter})"
        if self.velocity_jump > 0.0:
            text += f", velocity of {self.jump_of} jumps by {self.velocity_jump:.4g} {unit_of_rate(self.jump_of)}"
        else:
            text += ", velocities continuous"
        return text

    __str__ = Record.__str__


_HOW = {"dead point": "the run ends there", "end": "the last output time is there", "switch": "the phase changes there"}


@brief
@dataclass(frozen=True)
class Singularity(Record):
    """Singular position that a run passed or reached.

    Attributes:
        time: When [s].
        measure: Singularity measure there: 0 in the singular position itself.
        kind: "change point": the run passed it. "dead point": the drivers cannot be followed beyond it, and the run ended there.
            "end": it lies at the last output time. "switch": the phase changed in it.
        bridged: Whether output times near it are interpolated across it.
    """

    name: ClassVar[str] = ""
    time: float
    measure: float
    kind: str
    bridged: bool

    @property
    def change(self) -> str:
        """What changed, in words."""
        how = "output times near it are interpolated" if self.bridged else "passed on the same branch"
        return f"{self.kind} (singular position), {_HOW.get(self.kind, how)}"

    __str__ = Record.__str__
