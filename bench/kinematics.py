"""Speed of planar kinematics: run ``make bench``.

Everything is printed in one run, best of several repetitions, so that ratios hold on noisy machines.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time

import pytrammel as tm

REPEATS = 15


def four_bar() -> tm.PlanarModel:
    """The four-bar of Nikravesh's first KAP run."""
    m = tm.PlanarModel("four-bar")
    crank = m.body("crank", position=(0.5, 0.8), angle=1.047)
    coupler = m.body("coupler", position=(2.6, 2.6), angle=0.5)
    rocker = m.body("rocker", position=(3.5, 1.8), angle=1.0)
    m.revolute("A", m.ground.at(0, 0), crank.at(-1, 0))
    m.revolute("B", crank.at(1, 0), coupler.at(-2, 0))
    m.revolute("C", coupler.at(2, 0), rocker.at(2, 0))
    m.revolute("D", rocker.at(-2, 0), m.ground.at(2.5, 0))
    m.driver("motor", crank.phi, "1.0472 + 6.2832*t")
    return m


def slider_crank() -> tm.PlanarModel:
    m = tm.PlanarModel("slider-crank")
    crank = m.body("crank", position=(0.05, 0.0))
    rod = m.body("rod", position=(0.2, 0.0))
    slider = m.body("slider", position=(0.3, 0.0))
    m.revolute("A", m.ground, crank, at=(0, 0))
    m.revolute("B", crank, rod, at=(0.1, 0))
    m.revolute("C", rod, slider, at=(0.3, 0))
    m.prismatic("T", m.ground, slider, at=(0.3, 0), axis=(1, 0))
    m.driver("motor", crank.phi, "2*pi*t")
    return m


def cam() -> tm.PlanarModel:
    m = tm.PlanarModel("cam with roller (spline outline)")
    wheel = m.body("cam")
    follower = m.body("follower", position=(0.0, 1.6))
    m.revolute("O", m.ground, wheel, at=(0, 0))
    m.prismatic("guide", m.ground, follower, at=(0, 1.6), axis=(0, 1))
    angles = [k * math.pi / 12 for k in range(25)]
    radii = [1.0 + 0.2 * math.cos(a) for a in angles]
    radii[-1] = radii[0]
    outline = tm.curves.polar_table(angles, radii, name="outline")
    m.cam_roller("contact", wheel, follower.at(0, 0), curve=outline, radius=0.3)
    m.driver("motor", wheel.phi, "2*pi*t")
    return m


def ladder(loops: int) -> tm.PlanarModel:
    """Parallelograms in a row, every post on the ground: `loops` closed loops."""
    m = tm.PlanarModel(f"ladder of {loops} loops")
    previous = m.body("post0", position=(0, 0.5), angle=math.pi / 2)
    m.revolute("foot0", m.ground, previous, at=(0, 0))
    m.driver("motor", previous.phi, "pi/2 + 0.5*sin(2*pi*t)")
    for k in range(1, loops + 1):
        post = m.body(f"post{k}", position=(k, 0.5), angle=math.pi / 2)
        beam = m.body(f"beam{k}", position=(k - 0.5, 1.0))
        m.revolute(f"foot{k}", m.ground, post, at=(k, 0))
        m.revolute(f"left{k}", previous, beam, at=(k - 1, 1))
        m.revolute(f"right{k}", beam, post, at=(k, 1))
        previous = post
    return m


def best_microseconds(model: tm.PlanarModel, instants: int) -> tuple[float, float]:
    """Microseconds of CPU for one more instant of position, velocity and acceleration, and Newton iterations per instant.

    What a call costs whatever its length is left out: the difference of runs of different lengths, the best of each.
    """
    best = {}
    for count in (instants, 4 * instants):
        for _ in range(REPEATS):
            began = time.process_time()
            run = model.kinematics(1.0, samples=count, progress=False)
            best[count] = min(best.get(count, math.inf), time.process_time() - began)
    return (best[4 * instants] - best[instants]) / (3 * instants) * 1e6, run.iterations / len(run)


def wall(code: str, **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment}, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    print("µs per kinematic instant (position + velocity + acceleration), 2001 instants over one cycle")
    for model in (four_bar(), slider_crank(), cam()):
        microseconds, iterations = best_microseconds(model, 2001)
        print(f"  {model.name:<36} {microseconds:8.2f} µs (aim 2)   {iterations:.2f} Newton iterations")
    print("cost against size")
    for loops in (1, 2, 5, 10, 20, 50, 100):
        microseconds, _ = best_microseconds(ladder(loops), 501)
        print(
            f"  {loops:4d} loops, {2 * loops + 1:4d} bodies {microseconds:10.2f} µs   {microseconds / loops:6.2f} µs per loop (aim 3)"
        )
    model = four_bar()
    model.kinematics(1.0, samples=10_000)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.kinematics(1.0, samples=10_000)
        times.append(time.perf_counter() - start)
    print(f"10,000 instants of the four-bar, whole call: {min(times):.3f} s (aim 0.2 s)")
    imports = min(wall("import pytrammel") for _ in range(5)) - min(wall("pass") for _ in range(5))
    print(f"import pytrammel: {imports:.3f} s (aim 0.3 s)")
    example = (
        "from pytrammel.cli.main import main; import tempfile, sys; "
        "sys.exit(main(['example', 'four_bar', '--out', tempfile.mkdtemp()]))"
    )
    with tempfile.TemporaryDirectory() as cache:
        print(f"make run's example, cold (compiling): {wall(example, TRAMMEL_CACHE_DIR=cache):.2f} s")
        print(f"make run's example, warm: {min(wall(example, TRAMMEL_CACHE_DIR=cache) for _ in range(3)):.2f} s")


if __name__ == "__main__":
    main()
