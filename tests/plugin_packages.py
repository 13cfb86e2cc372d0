"""Packages with plugins, built into a folder: that of the page about plugins, and some that are wrong on purpose."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytrammel

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "development" / "plugins.md"
FILE = re.compile(r"`([\w/.]+\.(?:py|toml))`[:.]\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def files_of_page():
    """Files that the page shows, by name."""
    return dict(FILE.findall(PAGE.read_text(encoding="utf-8")))


def install(folder, name, files, entry_points):
    """Write a package and its metadata into a folder, as an installer does; entry points are modules by group."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    about = folder / f"{name}-0.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n", encoding="utf-8")
    lines = []
    for group, entries in entry_points.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def install_page(folder):
    """The package of the page, as its pyproject.toml states it."""
    files = files_of_page()
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    return install(folder, project["name"], files, project["entry-points"])


def run(code, *folders, **environment):
    """Run code in a fresh process with packages on its path; return what it prints as JSON, and its standard error."""
    path = os.pathsep.join([str(Path(pytrammel.__file__).parents[1]), *map(str, folders)])
    env = {
        **os.environ,
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        "TRAMMEL_PLUGINS": "",
        **environment,
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


HEAD = """
import math
import pytrammel as tm
from pytrammel.expressions.expression import filled, parse
from pytrammel.forces.force import Force, ForceUse, Input, force_type
from pytrammel.io.registry import FileFormat, file_format
from pytrammel.joints.constraint import Block, Constraint, Freedom, Seat, Symbol, constraint_type
from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.layout import BODIES, COS, FLOATS, FORCE, OUTPUT_SIZE, PARTIAL_T, POWER, QUADRATIC, SIN, STATE_RATE, VALUE
from pytrammel.kernels.layout import XD, YD, W, X, Y
from pytrammel.kernels.primitives import primitive
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity


def ends(a, b, c):
    return {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4), "length": 1.5}


def rod(kind, model, name, first, second, length, *, quantity=None, **changes):
    p, q = (model.place(each, None, "an end") for each in (first, second))
    row = quantity or Quantity("distance", (p.body, q.body), (*p.local, *q.local), (LENGTH,), f"length of {name}")
    given = {
        "parameters": {"first": p, "second": q, "length": length}, "blocks": (Block(row, (length,)),),
        "symbols": (Symbol("rod", p.body, p.local, other_body=q.body, other_position=q.local),),
        "seats": (Seat(p.body, p.local), Seat(q.body, q.local)), **changes,
    }
    return Constraint(kind, name, bodies=(p.body, q.body), **given)


def pull(kind, model, name, first, second, length, *, stored="0.5*k*(x - l)^2", label=None, **changes):
    p, q = (model.place(each, None, "an end") for each in (first, second))
    span = model.distance(p, q, f"{name}.length")
    use = ForceUse("law_force", "spring", span, filled("-k*(x - l)", k=30.0, l=length), inputs={"x": Input("value", span)},
                   stored=filled(stored, k=30.0, l=length), label=f"{name}.pull")
    given = {"parameters": {"first": p, "second": q, "length": length}, "uses": (use,), "measures": {"length": span},
             "symbols": (Symbol("spring", p.body, p.local, other_body=q.body, other_position=q.local),), **changes}
    return Force(kind, name, bodies=(p.body, q.body), **given)

"""

JOINT = '''
@constraint_type(sample=ends)
def {name}(model: "Model", name: str, first: "Place", second: "Place", *, length: float):
    """{doc}

    Args:
        first, second: Points on two bodies.
        length: Length of the rod [m].
    """
    {lines}

'''
FORCE = JOINT.replace("constraint_type", "force_type")


def joint(name, lines, doc="Rod (1 row)."):
    return JOINT.format(name=name, lines=lines.replace("\n", "\n    "), doc=doc)


def force(name, lines):
    return FORCE.format(name=name, lines=lines.replace("\n", "\n    "), doc="Pull of a rod.")


def wrong_kernel(name, old, new):
    """The primitive of the page with one line replaced, and a joint that uses it."""
    text = files_of_page()["tethers/kernels.py"].partition("@primitive")[2]
    assert text.count(old) == 1
    body = "@primitive" + text.replace(old, new).replace("tethers_square", f"wrong_{name}")
    lines = f"""p, q = (model.place(each, None, "an end") for each in (first, second))
row = Quantity("wrong_{name}", (p.body, q.body), (*p.local, *q.local, length), (LENGTH,), "square")
return rod("{name}", model, name, first, second, length, quantity=row, blocks=(Block(row, (0.5*length,)),))"""
    return body + joint(name, lines)
