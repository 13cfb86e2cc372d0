"""The falling slider-crank of `bench/gpu.py` in MuJoCo: variants per second of its rollout on all cores, and of MJX on a card.

    python bench/rollout.py --site FOLDER           # a folder with the mujoco package
    python bench/rollout.py --site FOLDER --card    # and with mujoco-mjx and jax

Loops are held softly there: the error is that of the piston after a second, against our motion with a relative tolerance of 1e-11.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import pytrammel as tm

CRANK, ROD, ANGLE = 0.1, 0.3, 1.0
PIN = CRANK * math.cos(ANGLE), CRANK * math.sin(ANGLE)
TILT = math.asin(-PIN[1] / ROD)
REACH = PIN[0] + ROD * math.cos(TILT)


def ours() -> tuple[float, float]:
    """Where the piston is after a second, and the CPU seconds of a single run at 1e-8."""
    m = tm.PlanarModel("slider-crank", gravity=(0, -9.81))
    m.body("crank", position=(PIN[0] / 2, PIN[1] / 2), angle=ANGLE, mass=1.5, inertia=1e-3)
    m.body("rod", position=((PIN[0] + REACH) / 2, PIN[1] / 2), angle=TILT, mass=1.0, inertia=2e-3)
    m.body("slider", position=(REACH, 0.0), mass=0.5, inertia=1e-3)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", "crank", "rod", at=PIN)
    m.revolute("C", "rod", "slider", at=(REACH, 0))
    m.prismatic("G", m.ground, "slider", at=(REACH, 0), axis=(1, 0))
    exact = m.simulate(1.0, samples=3, method="dop853", rtol=1e-11, progress=False)
    m.simulate(1.0, samples=3, method="dop853", rtol=1e-8, progress=False)
    began = time.process_time()
    m.simulate(1.0, samples=3, method="dop853", rtol=1e-8, progress=False)
    return float(exact["slider"].x[-1]), time.process_time() - began


def theirs(step: float, integrator: str) -> str:
    """The same in MuJoCo's language; joints of loops as stiff as its manual goes."""
    c, s = math.cos(ANGLE / 2), math.sin(ANGLE / 2)
    c2, s2 = math.cos((TILT - ANGLE) / 2), math.sin((TILT - ANGLE) / 2)
    held = f'solref="{2 * step} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    return f"""<mujoco><option timestep="{step}" integrator="{integrator}" gravity="0 -9.81 0" iterations="100" tolerance="1e-12">
    <flag contact="disable"/></option><worldbody>
    <body name="crank" quat="{c} 0 0 {s}"><joint type="hinge" axis="0 0 1"/>
      <inertial pos="{CRANK / 2} 0 0" mass="1.5" diaginertia="1e-3 1e-3 1e-3"/>
      <body name="rod" pos="{CRANK} 0 0" quat="{c2} 0 0 {s2}"><joint type="hinge" axis="0 0 1"/>
        <inertial pos="{ROD / 2} 0 0" mass="1" diaginertia="2e-3 2e-3 2e-3"/><site name="p" pos="{ROD} 0 0"/></body></body>
    <body name="slider" pos="{REACH} 0 0"><joint type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="0.5" diaginertia="1e-3 1e-3 1e-3"/>
      <site name="q"/></body></worldbody><equality><connect site1="p" site2="q" {held}/></equality></mujoco>"""


def best(call: Callable[[], Any]) -> tuple[Any, float]:
    found, seconds = None, math.inf
    for _ in range(3):
        began = time.perf_counter()
        found = call()
        seconds = min(seconds, time.perf_counter() - began)
    return found, seconds


def on_cores(count: int, exact: float) -> None:
    import mujoco
    from mujoco.rollout import Rollout

    for step, integrator in ((1e-3, "implicitfast"), (1e-3, "RK4")):
        model = mujoco.MjModel.from_xml_string(theirs(step, integrator))
        size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        threads = os.cpu_count() or 1
        datas = [mujoco.MjData(model) for _ in range(threads)]
        start = np.zeros((count, size))
        with Rollout(nthread=threads) as run:
            (states, _), seconds = best(
                lambda run=run, model=model, datas=datas, start=start, step=step: run.rollout(
                    model, datas, start, nstep=round(1.0 / step)
                )
            )
        off = abs(float(states[0, -1, 3]) + REACH - exact)
        print(
            f"  rollout, {threads} threads, {integrator} {step:g} s: {count / seconds:10.0f} per second, error {off:.1e} m",
            flush=True,
        )


def on_card(count: int, exact: float) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import mujoco
    from mujoco import mjx

    for step, integrator in ((1e-3, "implicitfast"), (1e-3, "RK4")):
        model = mjx.put_model(mujoco.MjModel.from_xml_string(theirs(step, integrator)))
        first = mjx.make_data(model)

        def fall(angle: Any, model: Any = model, first: Any = first, step: float = step) -> Any:
            moved = first.replace(qpos=first.qpos.at[0].add(0.0 * angle))
            return jax.lax.fori_loop(0, round(1.0 / step), lambda _, d: mjx.step(model, d), moved).qpos

        many = jax.jit(jax.vmap(fall))
        angles = jnp.zeros(count)
        began = time.perf_counter()
        many(angles).block_until_ready()
        first_call = time.perf_counter() - began
        found, seconds = best(lambda many=many, angles=angles: np.asarray(many(angles)))
        off = abs(float(found[0, 2]) + REACH - exact)
        print(
            f"  MJX, {integrator} {step:g} s, {count}: {count / seconds:10.0f} per second, error {off:.1e} m, first {first_call:.0f} s",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", help="folder with other programs' packages")
    parser.add_argument("--card", action="store_true", help="measure MJX on the graphics card, too")
    given = parser.parse_args()
    exact, seconds = ours()
    if given.site:
        sys.path.append(given.site)
    print(
        f"falling slider-crank, 1 s\n  Trammel, single runs: {1 / seconds:.0f} per second of one core, tolerance 1e-8"
    )
    on_cores(256, exact)
    if given.card:
        on_card(8192, exact)


if __name__ == "__main__":
    main()
