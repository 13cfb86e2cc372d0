"""Stored results: 100,000 instants of 200 columns written and read again: by a stream, by `save`, as CSV and JSON."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytrammel as tm
from pytrammel.io.results.result_json import result_json

INSTANTS, BODIES = 100_000, 8
AIM = 10.0  # seconds: "in seconds"


def chain(n: int) -> tm.SpatialModel:
    m = tm.SpatialModel("chain")
    before: Any = m.ground
    for k in range(n):
        body = m.body(f"b{k}", position=(k + 0.5, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.revolute(f"J{k}", before, body, at=(k, 0, 0), axis="y")
        before = body
    return m


def timed(what: str, work: Callable[[], Any]) -> Any:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    print(f"{what:34} {time.process_time() - cpu:6.2f} s CPU {time.perf_counter() - wall:6.2f} s wall")
    return found


def main() -> None:
    m = chain(BODIES)
    options: dict[str, Any] = {"samples": INSTANTS, "formulation": "joint", "progress": False}
    m.simulate(0.01, **options)
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        r = timed("simulate", lambda: m.simulate(2.0, **options))
        s = timed("simulate with a store", lambda: m.simulate(2.0, store=at / "s.trammel", **options))
        assert (s.q == r.q).all()
        print(
            f"{len(r)} instants, {len(r.to_dict())} columns, store of {(at / 's.trammel').stat().st_size / 1e6:.0f} MB"
        )
        timed("save", lambda: r.save(at / "r.trammel"))
        timed(f"load_result (aim {AIM:g} s)", lambda: tm.load_result(at / "r.trammel"))
        timed("to_csv", lambda: r.to_csv(at / "r.csv"))
        timed("JSON of pytrammel run", lambda: json.dumps(result_json(m, r), allow_nan=False))


if __name__ == "__main__":
    main()
