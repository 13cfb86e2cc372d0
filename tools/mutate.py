"""Change the code a little, many times, and list the changes that no test notices.

    python tools/mutate.py analysis/rank.py tests/unit/test_sharing_of_redundant_loads.py --count 20 --seed 1

Operators, comparisons, numbers and conditions of one file of the package are altered in a copy; the given tests run against the copy.
Kernels run as plain Python (``--plain``), so that nothing has to be compiled for a change.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.USub: ast.UAdd, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def mutants(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Line, description and changed tree, one change each. Annotations, docstrings and sentences are left alone."""
    for k, node in enumerate(ast.walk(tree)):
        for field, change in changes(node):
            twin = copy.deepcopy(tree)
            target = list(ast.walk(twin))[k]
            before = ast.unparse(target)
            change(target)
            after = ast.unparse(ast.fix_missing_locations(twin) and target)
            if before != after:
                yield getattr(node, "lineno", 0), f"{field}: {before[:70]} -> {after[:70]}", twin


def changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign | ast.UnaryOp) and type(node.op) in SWAPS:
        yield "operator", lambda n: setattr(n, "op", SWAPS[type(n.op)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield "comparison", lambda n: n.ops.__setitem__(0, SWAPS[type(n.ops[0])]())
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "truth", lambda n: setattr(n, "value", not n.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield "number", lambda n: setattr(n, "value", n.value + 1 if isinstance(n.value, int) else 1.5 * n.value + 0.1)
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="file inside src/trammel")
    parser.add_argument("tests", nargs="+", help="tests that should notice")
    parser.add_argument("--count", type=int, default=20, help="how many mutants to try, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="kernels as plain Python")
    parser.add_argument(
        "--timeout", type=float, default=300.0, help="seconds per mutant; a test that hangs has noticed"
    )
    given = parser.parse_args()
    source = (ROOT / "src" / "trammel" / given.file).read_text(encoding="utf-8")
    found = list(mutants(ast.parse(source)))
    chosen = random.Random(given.seed).sample(found, min(given.count, len(found)))
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "trammel"
        shutil.copytree(ROOT / "src" / "trammel", package)
        place = package / given.file
        environment = {**os.environ, "PYTHONPATH": folder} | ({"NUMBA_DISABLE_JIT": "1"} if given.plain else {})
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *given.tests]
        options = {
            "cwd": ROOT,
            "env": environment,
            "timeout": given.timeout,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        if subprocess.run(command, **options).returncode:  # type: ignore[call-overload]
            sys.exit("the tests fail without any change")
        for line, text, tree in sorted(chosen, key=lambda m: m[0]):
            place.write_text(ast.unparse(tree), encoding="utf-8")
            try:
                noticed = subprocess.run(command, **options).returncode != 0  # type: ignore[call-overload]
            except subprocess.TimeoutExpired:
                noticed = True
            survivors += not noticed
            if not noticed:
                print(f"{given.file}:{line}: survived, {text}", flush=True)
    print(f"{given.file}: {len(chosen) - survivors} of {len(chosen)} noticed ({len(found)} possible)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
