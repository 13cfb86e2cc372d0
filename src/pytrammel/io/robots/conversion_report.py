"""What was not taken over from a file, or only nearly, or under another name: told, never silent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pytrammel.io.robots.description.source import Made
    from pytrammel.io.robots.robot import Robot

Kind = Literal["ignored", "approximated", "renamed", "merged", "added", "moved"]


@dataclass(frozen=True)
class Note:
    """One thing that is not in the model as it stands in the file.

    Attributes:
        kind: "ignored", "approximated", "renamed" (names of models have letters, digits and underscores only) or "merged" (a link
            without mass that is fixed to another) "added" (what comes from a second file)
            or "moved" (joints, so that loops close).
        what: The tag, attribute or name.
        text: What became of it.
        line: Line of the file; 0 if it belongs to none.
        file: Name of the file.
        matters: It can change the motion.
    """

    kind: Kind
    what: str
    text: str
    line: int = 0
    file: str = ""
    matters: bool = False

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}: " if self.line else ""
        return f"{where}{self.what} {self.kind}: {self.text}"


@dataclass
class ConversionReport:
    """All notes about one file, in the order of its lines.

    Attributes:
        notes: The notes.
        source: The robot that a model was made of, in its drawn pose; None for a file alone.
        made: What of the model represents actuators and tendons of the robot.
        names: Names in the model by kind ("link", "joint", "actuator", …) and name in the file.
    """

    notes: list[Note] = field(default_factory=list)
    source: Robot | None = field(default=None, repr=False, compare=False)
    made: Made | None = field(default=None, repr=False, compare=False)
    names: Mapping[tuple[str, str], str] = field(default_factory=dict, repr=False, compare=False)
    _known: set[Note] = field(default_factory=set, repr=False, compare=False)

    def add(self, kind: Kind, what: str, text: str, *, line: int = 0, file: str = "", matters: bool = False) -> None:
        """Add a note, unless it is there already."""
        note = Note(kind, what, text, line, file, matters)
        if len(self._known) != len(self.notes):
            self._known = set(self.notes)
        if note not in self._known:
            self._known.add(note)
            self.notes.append(note)

    @property
    def serious(self) -> tuple[Note, ...]:
        """Notes about what can change the motion."""
        return tuple(note for note in self.notes if note.matters)

    def __iter__(self) -> Iterator[Note]:
        return iter(self.notes)

    def __len__(self) -> int:
        return len(self.notes)

    def __str__(self) -> str:
        if not self.notes:
            return "everything was taken over as it stands."
        return "\n".join(str(note) for note in self.notes)

    def sentence(self, source: str) -> str:
        """One sentence about what can change the motion, for a warning."""
        serious = self.serious
        named = "; ".join(str(note) for note in serious[:3])
        more = f"; and {len(serious) - 3} more" if len(serious) > 3 else ""
        what = (
            "1 thing that can change the motion was"
            if len(serious) == 1
            else f"{len(serious)} things that can change the motion were"
        )
        where = "The conversion report lists everything (print(m.conversion_report))."
        return f"{source}: {what} left out or approximated: {named}{more}. {where}"
