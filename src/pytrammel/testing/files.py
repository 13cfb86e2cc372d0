"""Parts in model files: written, read, written again, and in the schema."""

from __future__ import annotations

import importlib.util

import numpy as np

from pytrammel.io.models.model_file import dumps, loads
from pytrammel.io.models.schema import schema
from pytrammel.system.lowering import lower
from pytrammel.testing.failures import no_error, require
from pytrammel.testing.samples import Type, add, fresh, plain_model

ENDINGS = (".toml", ".json", *([".yaml"] if importlib.util.find_spec("ruamel") else []))


def check_files(kind: Type) -> None:
    """Check that model files of every format give the same model, and that the schema contains the type."""
    model = fresh(kind.space)
    part = add(kind, model)
    if any(callable(value) for value in part.parameters.values()):
        return  # files hold no Python functions, because opening a file never runs code
    section = "constraints" if part.name in model.constraints else "forces"
    entries = schema()["oneOf"][int(kind.space)]["properties"][section]["additionalProperties"]["oneOf"]
    named = [entry["properties"]["type"]["const"] for entry in entries]
    require(kind.kind in named, kind, f"the schema of model files has no type {kind.kind!r} in {section}.")
    for ending in ENDINGS:
        with no_error(kind, f"writing and reading a {ending} file"):
            text = dumps(model, ending)
            again = loads(text, ending)
        require(plain_model(again) == plain_model(model), kind, f"a {ending} file gives another model.")
        require(dumps(again, ending) == text, kind, f"a {ending} file that was read is written with another text.")
        one, two = lower(model), lower(again)
        same = one.ints.tobytes() == two.ints.tobytes() and np.asarray(one.floats).tobytes() == two.floats.tobytes()
        require(same, kind, f"a {ending} file gives other numbers for the kernels.")
