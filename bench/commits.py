"""Two commits on this machine: a tree and a process for each, and the default calls that both are given.

`same.py` and `compare.py` import this file. It is also the program of the processes: it reads one request per line (JSON) and replies with
the name of a pickle. A process imports the package and the sample models of its commit only.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[1]
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
SAMPLE_RUN = {"duration": 0.2, "samples": 21}  # [s], output times: long enough for several steps of every method


class Worker:
    """Process that runs the default calls of one tree."""

    def __init__(self, tree: Path) -> None:
        folders = [str(tree / "src"), str(tree / "tests")]
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(folders), "TRAMMEL_COMPILERS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            env=environment,
            cwd=tree,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def request(self, verb: str, *arguments: Any) -> Any:
        """Return what a function of `REQUESTS` returned in the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([verb, *arguments]) + "\n")
        self._process.stdin.flush()
        reply = self._process.stdout.readline()
        if not reply:
            raise SystemExit(f"the process ended with status {self._process.wait()} during {verb} {arguments}")
        file = Path(json.loads(reply))
        found = pickle.loads(file.read_bytes())
        file.unlink()
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate("")


@contextlib.contextmanager
def two_trees(base: str, other: str | None) -> Iterator[tuple[Path, Path]]:
    """Folders with the files of two commits; the working tree is used where no second commit is given."""
    with tempfile.TemporaryDirectory(prefix="pytrammel-commits-") as folder:
        made: list[Path] = []
        try:
            for number, commit in enumerate((base, other)):
                if commit is not None:
                    made.append(Path(folder) / str(number))
                    _git("worktree", "add", "--quiet", "--detach", str(made[-1]), commit)
            yield made[0], made[1] if other is not None else ROOT
        finally:
            for tree in made:
                _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    if subprocess.run(["git", "-C", str(ROOT), *arguments], check=False).returncode:
        raise SystemExit(f"git {' '.join(arguments)} failed")


def selected(names: list[str], patterns: list[str]) -> list[str]:
    """Names that match one of the patterns (all of them if there is no pattern), in their order."""
    found = [name for name in names if not patterns or any(fnmatch(name, pattern) for pattern in patterns)]
    if not found:
        raise SystemExit(f"no case matches {' '.join(patterns)}; there are {', '.join(names[:3])}, …")
    return found


# --- in the process --------------------------------------------------------------------------------------------------


def cases() -> dict[str, Callable[[], Any]]:
    """Default calls by name: ``example/NAME``, ``plane/TYPE`` and ``space/TYPE``."""
    import registry_samples
    from pytrammel.examples import find, names

    found: dict[str, Callable[[], Any]] = {f"example/{name}": find(name).run for name in names()}
    for kind in registry_samples.TYPES:
        found[str(kind).replace("-", "/", 1)] = lambda kind=kind: _sample(kind).simulate(**SAMPLE_RUN)
    return found


def _sample(kind: Any) -> Any:
    """A registered type on its sample, between three bodies with mass."""
    import pytrammel as tm
    import registry_samples

    model: Any = tm.SpatialModel("sample") if kind.space else tm.PlanarModel("sample")
    places = (0.1, -0.2, 0.3) if kind.space else (0.1, -0.2)
    inertia = (0.4, 0.5, 0.6) if kind.space else 0.4
    for name, pose in zip("abc", registry_samples.POSES[kind.space], strict=True):
        model.body(name, **pose, mass=1.5, inertia=inertia, centroid=places, points={"tip": places})
    getattr(model, kind.kind)("it", **registry_samples.sample(kind, model))
    return model


def outcome(name: str) -> dict[str, Any]:
    """Values, warnings and messages of one default call."""
    values: dict[str, Any] = {}
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = cases()[name]()
            values = {key: getattr(result, key) for key in ("times", "q", "v", "a") if getattr(result, key) is not None}
            values |= result.to_dict()
            rows = vars(result).get("_notes", vars(result).get("notes", ()))  # public in older commits
            messages = [*rows, *result.warnings, *result.summary().splitlines()]
        except Exception as error:
            messages = [f"{type(error).__name__}: {error}"]
    warned = [f"{each.category.__name__}: {each.message}" for each in caught]
    return {"values": values, "warnings": warned, "messages": [str(each) for each in messages]}


def cpu_seconds(name: str, least: float) -> float:
    """CPU time of one default call, the mean over as many calls as take the least time [s]; the first call is not measured."""
    call = cases()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name not in _warm:
            with contextlib.suppress(Exception):
                call()
            _warm.add(name)
        count, start = 0, time.process_time()
        while (passed := time.process_time() - start) < least or not count:
            with contextlib.suppress(Exception):  # a call that raises in both commits is measured up to there
                call()
            count += 1
    return passed / count


_warm: set[str] = set()
REQUESTS: dict[str, Callable[..., Any]] = {
    "names": lambda: list(cases()),
    "outcome": outcome,
    "cpu_seconds": cpu_seconds,
}


def serve() -> None:
    """Process requests until the input ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # prints of the package must not mix with replies
    with tempfile.TemporaryDirectory(prefix="pytrammel-replies-") as folder:
        for line in sys.stdin:
            verb, *arguments = json.loads(line)
            file = Path(folder) / "reply"
            file.write_bytes(pickle.dumps(REQUESTS[verb](*arguments)))
            print(json.dumps(str(file)), file=replies, flush=True)


if __name__ == "__main__":
    serve()
