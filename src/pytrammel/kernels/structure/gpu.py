"""Many variants on a graphics card: pieces and drivers as C, compiled for the card by CuPy."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.extras import install_command
from pytrammel.kernels import step_control
from pytrammel.kernels.methods import runge_kutta
from pytrammel.kernels.structure import drivers
from pytrammel.kernels.structure.as_c import drivers_in_c, piece_in_c
from pytrammel.kernels.structure.piece import Piece

Array = NDArray[np.float64]
last_seconds = 0.0  # that the card worked for the last call
_one_at_a_time = threading.Lock()  # the card; whoever waits for it has prepared its variants
THREADS = 64  # per block: straight kernels want many registers

BEGIN = """
extern "C" __global__ void %(name)s(
    long long count, double* times, double* shares, long long n_times, double* F, double* M, const double* start, %(more)sdouble reduced,
    double* kept, long long n_kept, int* status) {
  const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (k >= count) return;
  double place[%(n_place)d + 8];
  double room[%(n_room)d];
  for (int c = 0; c < %(n_place)d; c++) place[c] = 0.0;
  for (int c = 0; c < %(n_start)d; c++) place[c] = start[c * count + k];
"""
FOLLOW = """
  status[k] = (int)follow_variant(times, shares, n_times, F + k, M + k, count, place, %(n_place)d, room, reduced, kept + k, n_kept, count);
}
"""
INTEGRATE = """
  status[k] = (int)integrate_variant(
      times, shares, n_times, F + k, M + k, count, place, %(n_start)d, %(n_q)d, tableau, weights, %(stages)d, order, rtol, atol, room,
      reduced, kept + k, n_kept, count);
}
"""
HEADER = """
#ifndef INFINITY
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#endif
"""


def _functions(pieces: Mapping[str, Piece], used: Sequence[Any]) -> str:
    """Pieces and drivers in the order in which they call each other."""
    names = {argument: piece.name for argument, piece in pieces.items()}
    return "\n".join([HEADER, *map(piece_in_c, pieces.values()), drivers_in_c(used, names)])


def follow_source(pieces: Mapping[str, Piece], n_place: int, n_q: int, n_kept: int) -> str:
    """The text of the kernel for kinematics."""
    sizes = {"name": "follow", "more": "", "n_place": n_place, "n_start": n_q, "n_room": 4 * n_place + n_kept + 32}
    return (
        _functions(pieces, (drivers.close_place, drivers.note, drivers.follow_variant)) + BEGIN % sizes + FOLLOW % sizes
    )


def integrate_source(pieces: Mapping[str, Piece], n_y: int, n_q: int, stages: int, n_kept: int) -> str:
    """The text of the kernel for motions by an explicit method of so many stages."""
    sizes = {
        "name": "integrate", "more": "double* tableau, double* weights, double order, double rtol, double atol, ",
        "n_place": n_y, "n_start": n_y, "n_q": n_q, "stages": stages, "n_room": (stages + 12) * n_y + n_kept + 64,
    }  # fmt: skip
    used = (
        runge_kutta.add_stages, runge_kutta.combine, runge_kutta.estimate, step_control.shorter_by, step_control.longer_by,
        drivers.note, drivers.onto_constraints, drivers.attempt_step, drivers.integrate_variant,
    )  # fmt: skip
    return _functions(pieces, used) + BEGIN % sizes + INTEGRATE % sizes


def why_no_card() -> str:
    """Why no graphics card can be used here; "" if one can."""
    try:
        cupy = _cupy()
    except ImportError:
        return f"CuPy is not installed ({install_command('gpu')}, or the cupy package that fits the card's driver)"
    try:
        return "" if cupy.cuda.runtime.getDeviceCount() else "there is no NVIDIA card"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no NVIDIA card can be used ({error})"


def _cupy() -> Any:
    return importlib.import_module("cupy")


@cache
def _compiled(name: str, source: str) -> Any:
    cupy = _cupy()
    return cupy.RawKernel(source, name, options=("--std=c++14", "--fmad=false"), backend="nvrtc")


def launch(
    name: str, source: str, times: Array, shares: Array, F: Array, M: Array, start: Array, more: tuple[Any, ...],
    reduced: bool, rows: int, n_kept: int,
) -> tuple[Array, NDArray[np.int64]]:  # fmt: skip
    """Run a kernel for all variants; returns what was kept (rows × variants) and the status of each."""
    with _one_at_a_time:
        return _launched(name, source, times, shares, F, M, start, more, reduced, rows, n_kept)


def _launched(
    name: str, source: str, times: Array, shares: Array, F: Array, M: Array, start: Array, more: tuple[Any, ...], reduced: bool,
    rows: int, n_kept: int,
) -> tuple[Array, NDArray[np.int64]]:  # fmt: skip
    cupy = _cupy()
    count = start.shape[1]
    on_card = [cupy.asarray(x) for x in (times, shares, F, M, start)]
    more = tuple(cupy.asarray(x) if isinstance(x, np.ndarray) else np.float64(x) for x in more)
    kept = cupy.full((rows, count), np.nan)
    status = cupy.zeros(count, dtype=cupy.int32)
    blocks = (count + THREADS - 1) // THREADS
    arguments = (
        np.int64(count), on_card[0], on_card[1], np.int64(times.size), *on_card[2:], *more, np.float64(reduced), kept,
        np.int64(n_kept), status,
    )  # fmt: skip
    run = _compiled(name, source)
    run.compile()
    cupy.cuda.Device().synchronize()
    began = time.perf_counter()
    run((blocks,), (THREADS,), arguments)
    cupy.cuda.Device().synchronize()
    global last_seconds
    last_seconds = time.perf_counter() - began
    return cupy.asnumpy(kept), cupy.asnumpy(status).astype(np.int64)
