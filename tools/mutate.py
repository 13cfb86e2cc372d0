"""Change the code a little, many times, and list the changes that no test notices.

    python tools/mutate.py                               # a fixed sample of every file with formulas
    python tools/mutate.py analysis/freedom/rank.py --count 20 --seed 1
    python tools/mutate.py --draw 40 --seed 1            # 40 changes from all files together, kernels apart

Operators, comparisons, numbers and conditions of a file of the package are altered in a copy, and statements removed, one at a
time. Which tests call which function is recorded once (``out/calls-*.jsonl``; remove them to record again), so that only the tests
that run a change are asked, the shortest first. Kernels run as plain Python, so that a change needs no compilation.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "pytrammel"
FOLDERS = (
    "model", "joints", "forces", "expressions", "geometry", "system", "analysis", "results", "design", "io",
    "inertia", "rotations", "textbook",
    "view/animation/series.py", "view/animation/thinning.py", "view/plots/uncertainty.py", "view/plots/spectra.py",  # numbers, not looks
    "kernels",
)  # fmt: skip
# these are about compiling and caching: they mean nothing where kernels run as plain Python
NOT_PLAIN = ("kernels/jit.py", "kernels/cache.py")
# they start processes of their own, read the sources, or are long: what they call is not seen or not to be waited for
NOT_ASKED = (
    "cli",
    "docs",
    "kernel_cache",
    "kernel_cache_trust",
    "interruption",
    "supported_pythons",
    "fuzz",
    "live_view",
)
# keywords whose flags change no result: of dataclasses, and checks of equal lengths
UNSEEN = ("frozen", "repr", "compare", "slots", "strict", "init", "eq", "kw_only")
LONGEST_TEST = 6.0  # [s]
IMPORTED_ONCE = (
    "numpy",
    "scipy.linalg",
    "scipy.sparse.linalg",
    "scipy.optimize",
    "scipy.interpolate",
    "numba",
    "pytest",
    "sympy",
)
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.USub: ast.UAdd, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


class Test(NamedTuple):
    name: str
    seconds: float
    calls: frozenset[tuple[str, str]]  # file inside the package, qualified name of a function


class Mutant(NamedTuple):
    place: int  # in the walk over the tree
    change: Callable[[ast.AST], object]
    line: int
    function: str | None  # the function around it; None: it runs when the file is imported


def mutants(tree: ast.Module) -> list[Mutant]:
    """All changes of one file. Annotations, docstrings, messages and flags that change no result are unchanged."""
    around, unseen = functions(tree), set(map(id, spared(tree)))
    return [
        Mutant(place, change, getattr(part, "lineno", 0), around.get(id(part)))
        for place, node in enumerate(ast.walk(tree))
        if id(node) not in unseen
        for part, change in changes(node)
    ]


def spared(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that change no result."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg in UNSEEN):
            yield from ast.walk(node)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node


def functions(node: ast.AST, inside: str = "") -> dict[int, str]:
    """Qualified name of the outermost function around each node that stands in a function's body."""
    found: dict[int, str] = {}
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            found |= {id(part): inside + child.name for statement in child.body for part in ast.walk(statement)}
        else:
            found |= functions(child, f"{inside}{child.name}." if isinstance(child, ast.ClassDef) else inside)
    return found


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, Callable[[ast.AST], object]]]:
    """What can be altered at a node: the altered part, and the change that is applied to the node."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign | ast.UnaryOp) and type(node.op) in SWAPS:
        yield node, lambda n: setattr(n, "op", SWAPS[type(n.op)]())  # type: ignore[attr-defined]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield node, lambda n: n.ops.__setitem__(0, SWAPS[type(n.ops[0])]())  # type: ignore[attr-defined]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, lambda n: setattr(n, "value", not n.value)  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node, lambda n: setattr(n, "value", n.value + 1 if isinstance(n.value, int) else 1.5 * n.value + 0.1)  # type: ignore[attr-defined]
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield node, lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))  # type: ignore[attr-defined]
    for block in ("body", "orelse"):
        statements = getattr(node, block, None)
        for k, statement in enumerate(statements if isinstance(statements, list) else ()):
            if removable(statement):
                yield statement, lambda n, b=block, k=k: getattr(n, b).__setitem__(k, ast.Pass())


def removable(statement: ast.stmt) -> bool:
    """Return True for statements that change something that exists; without others, names would be missing."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Subscript | ast.Attribute) for target in statement.targets)
    return isinstance(statement, ast.AugAssign) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    )


def altered(tree: ast.Module, mutant: Mutant) -> tuple[str, str]:
    """Description and changed source."""
    twin = copy.deepcopy(tree)
    mutant.change(list(ast.walk(twin))[mutant.place])
    source = ast.unparse(ast.fix_missing_locations(twin))
    for before, after in zip(ast.unparse(tree).splitlines(), source.splitlines(), strict=False):
        if before != after:
            at = max(0, next((k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0) - 45)
            return f"{before[at : at + 90].strip()} -> {after[at : at + 90].strip()}", source
    return "the end of the file", source


class Recorder:
    """A plugin of pytest that writes one line for every test that passes: its name, duration and the functions it calls."""

    def __init__(self, package: Path, out: Path) -> None:
        self.prefix, self.out = f"{package}{os.sep}", out

    def pytest_runtest_protocol(self, item: object, nextitem: object) -> None:
        self.calls: set[tuple[str, str]] = set()
        self.began, self.passed = time.perf_counter(), True
        signal.setitimer(signal.ITIMER_REAL, LONGEST_TEST)
        sys.settrace(self.called)

    def called(self, frame: object, event: str, argument: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if code.co_filename.startswith(self.prefix):
            self.calls.add((code.co_filename, code.co_qualname))

    def pytest_runtest_logreport(self, report: object) -> None:
        self.passed = self.passed and report.passed  # type: ignore[attr-defined]

    def pytest_runtest_logfinish(self, nodeid: str, location: object) -> None:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        if self.passed:
            calls = sorted((name.removeprefix(self.prefix), what) for name, what in self.calls)
            seconds = round(time.perf_counter() - self.began, 3)
            with self.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps([nodeid, seconds, calls]) + "\n")


def too_long(*_: object) -> None:
    raise TimeoutError("the test is too long to be asked often")


def apart(work: Callable[[], int], limit: float) -> int:
    """Run something in a child of this process, which has imported what is dear to import; 1 if it takes too long."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            silence = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silence, stream)
            code = int(work())
        finally:
            os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 1


def ask(names: list[str], package: Path, *plugins: object) -> int:
    """Outcome of some tests with one copy of the package; 0 if they pass."""
    import pytest

    sys.path.insert(0, str(package.parent))
    os.environ["PYTHONPATH"] = str(package.parent)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(package.parent / "examples")
    os.chdir(ROOT)
    stop = [] if plugins else ["-x"]
    return pytest.main([*stop, "-q", "-p", "no:cacheprovider", *names], plugins=plugins)


def recorded(folders: list[str], plain: bool) -> list[Test]:
    """Which tests call which functions: from the file of an earlier run, or by running them once."""
    file = ROOT / "out" / f"calls-{'plain' if plain else 'compiled'}.jsonl"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            package, out = Path(folder) / "pytrammel", Path(folder) / "calls"
            shutil.copytree(PACKAGE, package)

            def work(path: Path) -> int:
                signal.signal(signal.SIGALRM, too_long)
                return ask([str(path)], package, Recorder(package, out))

            for path in sorted(p for name in folders for p in [ROOT / name, *(ROOT / name).rglob("test_*.py")]):
                if path.is_file() and path.stem.removeprefix("test_") not in NOT_ASKED:
                    began = time.monotonic()
                    apart(lambda path=path: work(path), 900.0)  # type: ignore[misc]
                    print(f"recorded {path.relative_to(ROOT)} in {time.monotonic() - began:.0f} s", flush=True)
            shutil.copy(out, file)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [Test(name, seconds, frozenset((where, what) for where, what in calls)) for name, seconds, calls in lines]


def fitting(tests: list[Test], file: str, mutant: Mutant, budget: float) -> list[Test]:
    """Tests of the changed place, as many as the budget allows [s].

    First those that run it, the shortest first; then those that use most of the file: tables and limits are read by
    other functions, and what runs at the import runs in no test.
    """
    used = {t.name: sum(name == file for name, _ in t.calls) for t in tests}

    def rank(test: Test) -> tuple[int, float]:
        hit = (file, mutant.function) in test.calls
        return -10_000 if hit else -used[test.name], test.seconds

    chosen, total = [], 0.0
    for test in sorted((t for t in tests if used[t.name]), key=rank):
        total += test.seconds
        if total > budget or len(chosen) == 300:
            break
        chosen.append(test)
    return chosen


def tried(files: list[str], tests: list[Test], given: argparse.Namespace) -> None:
    """Alter each file as often as asked, and tell what survives."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "pytrammel"
        shutil.copytree(PACKAGE, package)
        sample = [t.name for t in random.Random(0).sample(tests, min(20, len(tests)))]
        if apart(lambda: ask(sample, package), 300.0):
            sys.exit("the tests fail without any change")
        sources = {file: (PACKAGE / file).read_text(encoding="utf-8") for file in files}
        trees = {file: ast.parse(source) for file, source in sources.items()}
        possible = {
            file: [m for m in mutants(tree) if given.line is None or m.line == given.line]
            for file, tree in trees.items()
        }
        for file, chosen in sampled(possible, given).items():
            source, tree, survivors = sources[file], trees[file], 0
            for mutant in sorted(chosen, key=lambda m: m.line):
                text, changed = altered(tree, mutant)
                asked = fitting(tests, file, mutant, given.budget)
                (package / file).write_text(changed, encoding="utf-8")
                limit = 30.0 + 4.0 * sum(t.seconds for t in asked)
                if not asked or apart(lambda asked=asked: ask([t.name for t in asked], package), limit) == 0:  # type: ignore[misc]
                    survivors += 1
                    print(f"{file}:{mutant.line}: survived {len(asked)} tests, {text}", flush=True)
            (package / file).write_text(source, encoding="utf-8")
            if chosen:
                many = f"{len(chosen) - survivors} of {len(chosen)} noticed"
                print(f"{file}: {many} ({len(possible[file])} possible)", flush=True)


def sampled(possible: dict[str, list[Mutant]], given: argparse.Namespace) -> dict[str, list[Mutant]]:
    """Mutants to try by file: as many of each, or as many of all together."""
    if given.draw is None:
        return {
            file: random.Random(f"{given.seed} {file}").sample(found, min(given.count, len(found)))
            for file, found in possible.items()
        }
    everything = [(file, mutant) for file, found in possible.items() for mutant in found]
    drawn = random.Random(given.seed).sample(everything, min(given.draw, len(everything)))
    return {
        file: [m for name, m in drawn if name == file] for file in possible if any(name == file for name, _ in drawn)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "files", nargs="*", help="files or folders inside src/pytrammel; without any, all with formulas"
    )
    parser.add_argument("--tests", nargs="+", default=["tests/unit", "tests/physics"], help="tests to record")
    parser.add_argument("--count", type=int, default=8, help="how many mutants of each file to try, chosen at random")
    parser.add_argument("--draw", type=int, help="how many mutants of all files together to try, instead of --count")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--line", type=int, help="only changes of this line")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests per mutant")
    given = parser.parse_args()
    paths = [p for name in given.files or FOLDERS for p in [PACKAGE / name, *sorted((PACKAGE / name).rglob("*.py"))]]
    files = [f for f in (p.relative_to(PACKAGE).as_posix() for p in paths if p.is_file()) if f not in NOT_PLAIN]
    compiled = [f for f in files if not f.startswith("kernels/")]
    # one process each: Numba is asked to compile, or not, when it is imported
    if compiled and len(compiled) < len(files):
        options = [a for a in sys.argv[1:] if a not in given.files]
        for group in (compiled, [f for f in files if f not in compiled]):
            subprocess.run([sys.executable, __file__, *group, *options], check=True)
        return 0
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # no threads before a fork
    if not compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    for module in IMPORTED_ONCE:
        importlib.import_module(module)
    tried(files, recorded(given.tests, plain=not compiled), given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
