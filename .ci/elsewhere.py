"""Run `make check` and all tests marked `search` as other processors, thread counts, orders and Pythons would.

    python .ci/elsewhere.py                 # every environment
    python .ci/elsewhere.py --list
    python .ci/elsewhere.py nehalem haswell # some of them
    python .ci/elsewhere.py --everything    # the whole suite in each, once per release

A search takes another path where rounding differs, so its tests must hold wherever they run. Prints per environment what failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from pythons import ROOT, environment, supported
from test_pythons import interpreter

FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*)$", re.MULTILINE)
AVX512 = "AVX512F"
CHECK = "not (slow or process or browser or site or peers or types)"  # as `make check`


@dataclass(frozen=True)
class Elsewhere:
    """One environment.

    Attributes:
        name: Word for the command line.
        variables: Environment variables of its runs.
        needs: Feature of the processor without which it cannot run; "" if none.
        python: Version of Python; "" for the present one.
    """

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    needs: str = ""
    python: str = ""


def features() -> dict[str, bool]:
    """Features of this processor by NumPy's names."""
    from numpy._core._multiarray_umath import __cpu_features__

    return dict(__cpu_features__)


def switched_off() -> str:
    """Features that NumPy chooses at run time and this processor has: without them only the baseline remains."""
    from numpy._core._multiarray_umath import __cpu_dispatch__

    there = features()
    return " ".join(name for name in __cpu_dispatch__ if there.get(name))


def environments() -> list[Elsewhere]:
    """Processors, threads, orders, hash seeds and the newest Python found, few of them at a time."""
    plain = {"NUMBA_CPU_NAME": "generic", "NPY_DISABLE_CPU_FEATURES": switched_off()}
    newest = next((version for version in reversed(supported()) if interpreter(version) is not None), "")
    return [
        Elsewhere("skylakex", {"OPENBLAS_CORETYPE": "SkylakeX", "PYTHONHASHSEED": "0", **threads(1)}, AVX512),
        Elsewhere("haswell", {"OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "1", **threads(2)}, "AVX2"),
        Elsewhere("zen", {"OPENBLAS_CORETYPE": "Zen", "PYTHONHASHSEED": "2", "TRAMMEL_TEST_ORDER": "1"}, "AVX2"),
        Elsewhere("nehalem", {"OPENBLAS_CORETYPE": "Nehalem", **plain, **threads(1)}, "SSE42"),
        Elsewhere("numpy-plain", {"NPY_DISABLE_CPU_FEATURES": switched_off(), **threads(2)}),
        Elsewhere("numba-generic", {"NUMBA_CPU_NAME": "generic", "TRAMMEL_TEST_ORDER": "2"}),
        *(
            Elsewhere(f"python-{version}", python=version)
            for version in dict.fromkeys((supported()[0], newest))
            if version
        ),
    ]


def threads(count: int) -> dict[str, str]:
    return {"OPENBLAS_NUM_THREADS": str(count), "OMP_NUM_THREADS": str(count)}


def run(place: Elsewhere, everything: bool) -> tuple[str, list[str]]:
    """Outcome of one environment in words, and the tests that failed."""
    if place.needs and not features().get(place.needs):
        return f"not run: this processor has no {place.needs}", []
    settings = {name: value for name, value in place.variables.items() if value}
    python: Path | None = Path(sys.executable)
    if place.python:
        found = interpreter(place.python)
        if found is None:
            return f"not run: Python {place.python} was not found on this machine", []
        python = environment(place.python, found)
        if python is None:
            return f"not run: no environment of Python {place.python} could be made", []
    pytest = [str(python), "-m", "pytest", "-n", "2", "-rfE", "--tb=short"]
    commands = [pytest] if everything else [[*pytest, "-m", CHECK], [*pytest, "-m", "search"]]
    failed: list[str] = []
    worst = 0
    for command in commands:
        print(f"--- {place.name}: {' '.join(command)}", flush=True)
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        worst = worst or done.returncode
        failed += FAILED.findall(done.stdout)
        if done.returncode:
            print(done.stdout, flush=True)
    return ("passed" if not worst else f"failed ({worst})"), list(dict.fromkeys(failed))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="environments; all by default")
    parser.add_argument("--list", action="store_true", help="list the environments")
    parser.add_argument("--everything", action="store_true", help="run the whole suite in each")
    asked = parser.parse_args()
    places = environments()
    if asked.list:
        for place in places:
            settings = " ".join(f"{name}={value!r}" for name, value in place.variables.items())
            print(f"{place.name}: {settings or f'Python {place.python}'}")
        return 0
    if unknown := set(asked.names) - {place.name for place in places}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(place.name for place in places)}.")
    chosen = [place for place in places if not asked.names or place.name in asked.names]
    outcomes = [(place, *run(place, asked.everything)) for place in chosen]
    for place, outcome, failed in outcomes:
        print(f"{place.name}: {outcome}", *(f"  {test}" for test in failed), sep="\n", flush=True)
    return int(any(outcome.startswith("failed") for _, outcome, _ in outcomes))


if __name__ == "__main__":
    sys.exit(main())
