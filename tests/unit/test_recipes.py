"""The recipes of CONTRIBUTING run as written: their files are added to a copy of the package, their other code is run with it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import pytrammel
from plugin_packages import ROOT, run

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FENCE = re.compile(r"([^\n]*)\n\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PLACE = re.compile(r"`src/(pytrammel/[\w/]+\.py)`")
KINDS = (
    "joint",
    "spatial joint",
    "force",
    "primitive",
    "spatial primitive",
    "method",
    "command",
    "plot",
    "file format",
    "message",
)
# a joint that uses what the recipe of a primitive adds
USES = """
from pytrammel.joints.constraint import Block, Constraint, constraint_type
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.model.spatial_registries import spatial_constraint_type
from pytrammel.testing.rows import check_rows
from pytrammel.testing.samples import found, joint_types

@{1}(sample=lambda a, b, c: {{"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4)}})
def uses_{0}(model, label, first, second):
    row = Quantity("{0}", (first.body, second.body), (*first.local, *second.local), (LENGTH,), label)
    return Constraint("uses_{0}", label, {{"first": first, "second": second}}, row.bodies, (Block(row, (0.5,)),))

for seed in range(3):
    check_rows(found(uses_{0}, joint_types(), "joint")[0], seed)
"""


def recipes():
    """Files (place, text, whether it is appended) and other code of each recipe."""
    out = {}
    for section in TEXT.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        kind = next((kind for kind in KINDS if re.match(rf"Add an? {kind}:", title)), None)
        if kind is None:
            continue
        files, code = [], []
        for before, text in FENCE.findall(section):
            place = PLACE.search(before)
            if place and (before.endswith(":") or "Here is a complete one" in before):
                files.append((place[1], text, "at the end of" in before))
            else:
                code.append(text)
        out[kind] = files, code
    return out


RECIPES = recipes()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Error of the code of each recipe, or ""."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(Path(pytrammel.__file__).parent, root / "pytrammel", ignore=shutil.ignore_patterns("__pycache__"))
    for files, _ in RECIPES.values():
        for place, text, is_appended in files:
            target = root / place
            assert target.exists() == is_appended, place
            target.write_text(
                (target.read_text(encoding="utf-8") + "\n" if is_appended else "") + text, encoding="utf-8"
            )
    codes = {kind: "".join(code) for kind, (_, code) in RECIPES.items()}
    codes |= {
        "primitive": USES.format("half_square", "constraint_type"),
        "spatial primitive": USES.format("point_half_square", "spatial_constraint_type"),
    }
    script = f"""
import contextlib, io, json, os, sys, traceback
sys.path.insert(0, {str(root)!r})
os.chdir({str(root)!r})
import pytrammel
assert pytrammel.__file__.startswith({str(root)!r})
found = {{}}
for kind, code in json.loads({json.dumps(json.dumps(codes))}).items():
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, kind, "exec"), {{"__name__": "recipe"}})
        found[kind] = ""
    except BaseException:
        found[kind] = traceback.format_exc()
print(json.dumps(found))
"""
    return run(script)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_recipe_runs_as_written(outcomes, kind):
    assert outcomes[kind] == ""


@pytest.mark.parametrize("kind", KINDS)
def test_every_recipe_has_a_file_and_most_have_code_that_uses_it(kind):
    files, code = RECIPES[kind]
    assert files and (code or "primitive" in kind)
