"""From plain data to a model, through the public builders, so that every check of theirs applies. All errors are collected."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytrammel._util.messages import short
from pytrammel.errors import TrammelError
from pytrammel.io.models.formats.document import Document
from pytrammel.io.models.formats.document import Path as Where
from pytrammel.io.models.includes import assemble, include
from pytrammel.io.models.problems import Problems, did_you_mean
from pytrammel.io.models.upgrades import upgraded
from pytrammel.io.models.words import (
    ELEMENTS,
    FREE,
    HEAD,
    KINDS,
    MAX_CURVE_ROWS,
    MAX_ELEMENTS,
    MAX_ROWS,
    MAY_BE_FREE,
    SECTIONS,
    SINGLE,
    in_order,
    mentioned,
    needed,
    types,
)
from pytrammel.model.arguments.recorded import Said, argument_names
from pytrammel.model.base import Model
from pytrammel.model.limits import Stated

Data = dict[str, Any]
MOST_WRONG = 50  # wrong parameters that are reported one by one: each needs another look at all
# of every element, beside the arguments of its builder: its type, and that its bodies were drawn elsewhere since
OWN_WORDS = ("type", "redrawn")
# sections by words that others use
OTHER_WORDS = {
    "joints": "constraints",
    "drivers": "constraints",
    "links": "bodies",
    "springs": "forces",
    "loads": "forces",
    "assemblies": "subsystems",
}


class Reader:
    """Makes one model from one document.

    Args:
        document: Data and lines.
        source: Name of the file for messages.
        folder: Where mesh files and included files are looked for; None for texts that come from nowhere.
        problems: Where errors are collected.
        changes: Values of parameters that take the place of those in the file.
        opened: Files that are being read now: this one and those that include it.
    """

    def __init__(
        self,
        document: Document,
        source: str,
        folder: Path | None,
        problems: Problems,
        changes: Mapping[str, Any] | None = None,
        opened: tuple[Path, ...] = (),
    ) -> None:
        self.document = document
        self.source = source
        self.folder = folder
        self.problems = problems
        self.changes = dict(changes or {})
        self.opened = opened
        self.broken: set[str] = set()  # names that could not be made: whoever uses them is not to blame
        self.data: Data = {}
        self.kind = "planar"

    def wrong(self, path: Where, sentence: str) -> None:
        """Note a problem."""
        self.problems.add(self.source, self.document, path, sentence)

    def read(self) -> Model | None:
        """The model; None if its head is so wrong that nothing can be made."""
        if not self.begin():
            return None
        model = self._empty()
        if model is None:
            return None
        self.read_into(model)
        for name in self.changes:
            if name not in model.parameters and not self.section("parameters").get(name):
                self.wrong(
                    ("parameters",), f"there is no parameter {name!r} to change; {did_you_mean(name, model.parameters)}"
                )
        return model

    def begin(self) -> bool:
        """Bring the data to the present version and look at its sections."""
        try:
            self.data = upgraded(self.document.data)
        except ValueError as error:
            self.wrong(("format",), str(error))
            return False
        self._check_head()
        return True

    def read_into(self, model: Model) -> None:
        """Everything but the head, into a model that may hold something already."""
        include(self, model)
        self._parameters(model)
        self._gravity(model)
        self._definitions(model)
        assemble(self, model)
        self._elements(model)
        for name, given in self.section("groups").items():
            if not (isinstance(given, list) and self.broken & {str(body) for body in given}):
                self._try(("groups", name), lambda n=name, g=given: model.group(n, g))  # type: ignore[misc]
        self._analyses(model)

    # --- the head ----------------------------------------------------------------------------------------------------

    def _check_head(self) -> None:
        known = (*HEAD, *SECTIONS, "analysis")
        for key, value in self.data.items():
            if key not in known:
                meant = OTHER_WORDS.get(key.lower())
                hint = f"did you mean {meant}?" if meant else did_you_mean(key, known)
                self.wrong((key,), f"{key}: there is no such section; {hint}")
            elif key in SECTIONS and not isinstance(value, dict):
                self.wrong((key,), f"{key} must be a table of entries by name, but it is {short(value)}.")
            elif key == "analysis" and not isinstance(value, list):
                self.wrong(
                    (key,), f"analysis must be a list; write each one as [[analysis]], but it is {short(value)}."
                )

    def section(self, name: str) -> dict[str, Any]:
        """Entries of a section; empty where it is missing or no table."""
        found = self.data.get(name, {})
        return found if isinstance(found, dict) else {}

    def _empty(self) -> Model | None:
        kind = self.data.get("model", "planar")
        if not isinstance(kind, str) or kind not in KINDS:
            self.wrong(("model",), f"the model is {short(kind)}; {did_you_mean(kind, KINDS)}")
            return None
        self.kind = kind
        make: Callable[..., Model] = KINDS[kind]
        given: Data = {"name": self.data.get("name", "model"), "display_unit": self.data.get("display_unit", "m")}
        for key in ("name", "display_unit"):
            if not self._try((key,), lambda k=key: make(**{k: given[k]})):  # type: ignore[misc]
                given.pop(key)
        model: Model = make(**given)
        model.folder = self.folder
        return model

    def _gravity(self, model: Model) -> None:
        if "gravity" in self.data:
            self._try(("gravity",), lambda: setattr(model, "gravity", values(self.data["gravity"])))
        if "closure_tolerance" in self.data:
            given = self.data["closure_tolerance"]
            self._try(("closure_tolerance",), lambda: setattr(model, "closure_tolerance", given))

    def _parameters(self, model: Model) -> None:
        """In the order of their formulas; those that cannot be had are told one by one."""
        from pytrammel.model.parameters import resolved

        said: dict[str, Stated] = {p.name: p.stated for p in model.parameters.values()}
        for name, given in self.section("parameters").items():
            entry = entries(given) if isinstance(given, dict) else {"value": given}
            unknown = [key for key in entry if key not in Stated._fields]
            if unknown:
                known = ", ".join(Stated._fields)
                self.wrong(("parameters", name), f"parameter {name!r} has no entry {unknown[0]!r}; it has: {known}.")
            stated = Stated(**{"value": None, **{key: value for key, value in entry.items() if key not in unknown}})
            if isinstance(stated.bounds, tuple):
                stated = stated._replace(bounds=tuple(None if end == FREE else end for end in stated.bounds))
            if not self._try(("parameters", name), lambda n=name, kept=stated: said.update({n: self._stated(n, kept)})):  # type: ignore[misc]
                self.broken.add(name)
        for name in tuple(self.broken):
            self._without(name, said)
        for count in itertools.count():
            if count == MOST_WRONG:
                self.wrong(("parameters",), f"{MOST_WRONG} parameters are wrong; correct them to check the others.")
                self.broken.update(said)
                return
            try:
                model._parameters = resolved(said)
                return
            except TrammelError as error:
                signs = ("parameter {!r}", "parameters {} →")
                guilty = next(name for name in said if any(sign.format(name) in str(error) for sign in signs))
                self.wrong(("parameters", guilty), str(error))
                self._without(guilty, said)
                if "in a circle" in str(error):
                    self.broken.update(said)
                    return

    def _without(self, name: str, said: dict[str, Stated]) -> None:
        """Leave out a parameter that cannot be had, and those that follow from it."""
        followers: dict[str, list[str]] = {}
        for other, kept in said.items():
            for used in set(mentioned(kept.value)):
                followers.setdefault(used, []).append(other)
        ahead = [name]
        while ahead:
            gone = ahead.pop()
            said.pop(gone, None)
            self.broken.add(gone)
            ahead += [other for other in followers.get(gone, ()) if other in said]

    def _stated(self, name: str, stated: Stated) -> Stated:
        """What the file or its user says of a parameter whose name and note are in order."""
        from pytrammel.model.parameters import restated

        KINDS[self.kind]().parameter(name, 0.0, note=stated.note)  # type: ignore[call-arg]
        changes = {name: self.changes[name]} if name in self.changes else {}
        return restated({name: stated}, changes)[name]

    def _definitions(self, model: Model) -> None:
        for section, define in (("tables", model.define_table), ("curves", model.define_curve)):
            for name, given in self.section(section).items():
                if not self._define(define, (section, name), given):
                    self.broken.add(name)
        for name, given in self.section("formulas").items():
            if not self._try(("formulas", name), lambda n=name, g=given: model.define(n, g)):  # type: ignore[misc]
                self.broken.add(name)

    def _define(self, define: Callable[..., Any], path: tuple[str, str], given: Any) -> bool:
        if not isinstance(given, dict):
            self.wrong(path, f"{path[1]} must be a table of entries, but it is {short(given)}.")
            return False
        return not self._too_long(path, given) and self._try(path, lambda: define(path[1], entries(given)))

    def _too_long(self, path: Where, given: Data) -> bool:
        """Return True if a table or curve has more rows than can be read in a moment; said, if so."""
        if given.get("type") == "mesh":
            return False
        most = MAX_CURVE_ROWS if "type" in given else MAX_ROWS
        long = [key for key, value in given.items() if isinstance(value, list) and len(value) > most]
        for key in long:
            self.wrong((*path, key), f"{key} has {len(given[key])} rows; {most} are the most here. Leave some out.")
        return bool(long)

    # --- elements ----------------------------------------------------------------------------------------------------

    def _elements(self, model: Model) -> None:
        elements = {section: self.section(section) for section in ELEMENTS}
        if sum(map(len, elements.values())) + len(model._said) > MAX_ELEMENTS:
            self.wrong((), f"the model has more than {MAX_ELEMENTS} bodies, joints and other parts.")
            return
        sound: dict[str, Data] = {section: {} for section in ELEMENTS}
        for section, listed in elements.items():
            for name, entry in listed.items():
                if self._is_sound(section, name, entry):
                    known = (*argument_names(types(self.kind, section)[_type(section, entry)]), *OWN_WORDS)
                    sound[section][name] = {key: value for key, value in entry.items() if key in known}
                else:
                    self.broken.add(name)
        for section, name in self._sequence(sound):
            self._make(model, section, name, sound[section][name])

    def _sequence(self, sound: Mapping[str, Data]) -> list[tuple[str, str]]:
        given = self.data.get("order")
        home = {name: section for section, listed in sound.items() for name in listed}
        if given is None:
            return in_order(sound)
        if (
            not isinstance(given, list)
            or not all(isinstance(name, str) for name in given)
            or len(set(given)) < len(given)
        ):
            self.wrong(("order",), "order must be a list of names, each once.")
            return in_order(sound)
        missing = [name for name in home if name not in set(given)]
        for name in [name for name in given if name not in home and name not in self.broken] + missing:
            self.wrong(
                ("order",),
                f"order and the sections do not agree about {name!r}; leave order out, or name every part once.",
            )
        return [(home[name], name) for name in given if name in home]

    def _is_sound(self, section: str, name: str, entry: Any) -> bool:
        """Return True if an entry names a type, and arguments that its builder has."""
        path = (section, name)
        if not isinstance(entry, dict):
            self.wrong(path, f"{name} must be a table of arguments, but it is {short(entry)}.")
            return False
        kinds = types(self.kind, section)
        kind = SINGLE.get(section) or entry.get("type")
        if not isinstance(kind, str) or kind not in kinds:
            what = (
                f"the type of {name!r} is missing" if "type" not in entry else f"{short(kind)} is no type of {section}"
            )
            self.wrong((*path, "type"), f"{what}; {did_you_mean(kind, kinds)}")
            return False
        known = argument_names(kinds[kind])
        for key in entry:
            if key not in known and (key not in OWN_WORDS or (key == "type" and section in SINGLE)):
                self.wrong((*path, key), f"{key}: {did_you_mean(key, known)}")
        if (
            self.folder is None
            and "shape" in known
            and any(isinstance(shape, str) for shape in _listed(entry.get("shape")))
        ):
            self.wrong(
                (*path, "shape"),
                "a text that is no file has no folder to look for mesh files in; write the mesh into it.",
            )
            return False
        if any(isinstance(value, dict) and self._too_long((*path, key), value) for key, value in entry.items()):
            return False
        missing = [key for key in needed(kinds[kind]) if key not in entry]
        if missing:
            self.wrong(
                path,
                f"{kind} {name!r} needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} missing.",
            )
        return not missing

    def _make(self, model: Model, section: str, name: str, entry: Data) -> None:
        kind = _type(section, entry)
        arguments = {key: _free(key, values(value)) for key, value in entry.items() if key not in OWN_WORDS}
        redrawn = entry.get("redrawn", False)
        if not isinstance(redrawn, bool):
            self.wrong((section, name, "redrawn"), "redrawn must be true or false.")
            return
        if self._leans_on_broken(entry):
            self.broken.add(name)
            return
        model._redrawing = redrawn
        try:
            getattr(model, kind)(name, **arguments)
        except TrammelError as error:
            self.broken.add(name)
            self._blame(section, name, entry, str(error))
        finally:
            model._redrawing = False
        if redrawn and name in model._said:
            model._said[name] = Said(model._said[name].arguments, redrawn=True)

    def _leans_on_broken(self, entry: Data) -> bool:
        return bool(self.broken) and not self.broken.isdisjoint(mentioned(entry))

    def _blame(self, section: str, name: str, entry: Data, sentence: str) -> None:
        """A sentence of a builder at the line of the argument that it begins with, or of the whole element."""
        spoken = sentence.replace(" ", "_")
        key = next((key for key in entry if spoken.startswith(f"{key}_of_") or f"_{key}_of_" in spoken[:40]), None)
        self.wrong((section, name) if key is None else (section, name, key), sentence)

    def _analyses(self, model: Model) -> None:
        """Sections [[analysis]] are checked by `pytrammel.io.models.analyses`."""
        from pytrammel.io.models.analyses import read_analyses

        listed = self.data.get("analysis", [])
        if isinstance(listed, list):
            model.analyses = read_analyses(self, listed)

    def _try(self, path: Where, make: Callable[[], Any]) -> bool:
        try:
            make()
        except TrammelError as error:
            self.wrong(path, str(error))
            return False
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
            self.wrong(path, f"this cannot be used: {error}.")
            return False
        return True


def values(value: Any) -> Any:
    """Lists as the tuples that people give to builders."""
    if isinstance(value, list):
        return tuple(values(item) for item in value)
    return entries(value) if isinstance(value, dict) else value


def entries(table: Data) -> Data:
    """A table with its lists as tuples."""
    return {key: values(value) for key, value in table.items()}


def _type(section: str, entry: Data) -> str:
    """Builder of an entry that names one."""
    return str(SINGLE.get(section) or entry["type"])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _free(key: str, value: Any) -> Any:
    if key in MAY_BE_FREE and isinstance(value, tuple):
        return tuple(None if item == FREE else item for item in value)
    return value
