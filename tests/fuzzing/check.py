"""One case through every analysis."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import pytrammel as tm
from fuzzing.case import Case, Scale
from fuzzing.mechanism import random_case
from fuzzing.mobility import NOTHING, singular_values
from fuzzing.motion import motion_of, rotation_about_z, rotation_of, still_motion
from fuzzing.oracles import (
    CLOSED,
    RTOL,
    Violation,
    books_are_true,
    clusters,
    joints_hold,
    newton_and_euler,
    numbers_are_finite,
    rates_are_differences,
    require,
    same_motion,
)
from fuzzing.planar import PLANE
from fuzzing.spatial import SPACE

SPACING = 0.003
PATIENCE = 90.0  # processor time of one analysis [s]; the longest kept case takes 32 s on the slowest processor tried
STEPS = 20_000
NO_EXCUSE = {"start", "contact lost", "slip"}  # warnings that say nothing against the numbers


@dataclass
class Report:
    """What became of a case: per analysis "done", "refused: ..." or "doubtful" (a warning on the result excuses a violated oracle)."""

    seed: int
    space: str
    outcome: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def tally(self, counts: Counter) -> None:
        for name, said in self.outcome.items():
            counts[self.space, name, said.partition(":")[0]] += 1


def make(seed: int, space: str, scale: Scale = Scale()) -> Case:
    return random_case(PLANE if space == "plane" else SPACE, seed, scale)


def other_units(seed: int) -> Scale:
    """Units of length, mass and time from thousandths to thousands."""
    return Scale(*(10.0 ** np.random.default_rng([seed, 5]).uniform(-3.0, 3.0, 3)))


def check(seed: int, space: str) -> Report:
    """Run one seed; `failures` holds a sentence and a script for everything that is wrong."""
    case = make(seed, space)
    report = Report(seed, space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for analysis, ending in ANALYSES.items():
            if analysis in DRIVEN and not case.drivers:
                continue
            if analysis is same_simulation and report.outcome["simulation"].startswith("refused"):
                continue
            said, took = _tried(case, analysis, ending, report)
            # the first may have compiled kernels
            if took > PATIENCE and _tried(case, analysis, ending, report)[1] > PATIENCE:
                report.failures.append(_describe(case, analysis, f"takes {took:.0f} s", ending))
            report.outcome[analysis.__name__] = said
    return report


def _tried(case: Case, analysis: Callable, ending: str, report: Report) -> tuple[str, float]:
    """Outcome of an analysis, and the processor time it took [s]."""
    start = time.process_time()
    try:
        said = analysis(case) or "done"
    except tm.TrammelError as error:
        said = f"refused: {error}"
    except Exception as error:
        kind = "" if isinstance(error, Violation) else f"{type(error).__name__}: "
        said = "failed"
        report.failures.append(_describe(case, analysis, f"{kind}{error}", ending))
    return said, time.process_time() - start


def _describe(case: Case, analysis: Callable, sentence: str, ending: str) -> str:
    space = "plane" if case.planar else "space"
    return (
        f"seed {case.seed} ({space}), {analysis.__name__}: {sentence}\n"
        f"again: python -m fuzzing --space {space} --seed {case.seed} --cases 1   (in tests/)\n--- script ---\n"
        f"{case.script(ending=ending)}\n--------------"
    )


def excused(result: tm.results.Result, checks: Callable[[], None]) -> str | None:
    """A violated oracle is no failure where the result itself says that it is doubtful."""
    try:
        checks()
    except Violation as error:
        doubts = [warning.kind for warning in result.warnings if warning.kind not in NO_EXCUSE]
        if not doubts:
            raise
        return f"doubtful: {doubts[0]}; {error}"
    return None


# --- analyses -------------------------------------------------------------------------------------------------------------


def assembly(case: Case) -> None:
    found = case.model.assemble()
    require(bool(np.isfinite(found.q).all()), "q holds numbers that are not finite")
    joints_hold(case, _still(case, found))


def _still(case: Case, found):
    poses = {}
    for name in case.bodies:
        c = np.array(found.pose(name))
        if case.planar:
            poses[name] = np.array([c[0], c[1], 0.0]), rotation_about_z(c[2:3])[0]
        else:
            poses[name] = c[:3], rotation_of(c[3:7])
    return still_motion(0.0, poses)


def mobility(case: Case) -> None:
    m = case.model
    found = m.mobility()
    count, values = singular_values(case, _still(case, m.assemble()))
    if not ((values > 1e-2 * NOTHING) & (values < 1e-3)).any():  # otherwise rounding decides which it is
        dof = count - int((values > NOTHING).sum())
        require(found.dof == dof, f"mobility says {found.dof} degrees of freedom, differences say {dof}")


def kinematics(case: Case) -> str | None:
    m = case.model
    r = m.kinematics(times=clusters(case, spacing=SPACING))

    def checks() -> None:
        numbers_are_finite(r)
        motion = motion_of(r, planar=case.planar)
        joints_hold(case, motion)
        # errors of the eighth order: fast motions near dead points cost most
        if not r.singularities:
            rates_are_differences(case, motion, SPACING, tolerance=1e-4)
        coarse = motion_of(case.model.kinematics(times=r.times[::9]), planar=case.planar)
        fine = motion_of(m.copy().kinematics(times=np.union1d(r.times, r.times[::9])), planar=case.planar)
        for name, b in coarse.bodies.items():
            picked = np.searchsorted(np.union1d(r.times, r.times[::9]), coarse.t)
            off = np.abs(fine.bodies[name].r[picked] - b.r).max() / case.size
            require(off < CLOSED, f"{name} is elsewhere by {off:.3g} of the size when other instants are asked for")

    return excused(r, checks)


def inverse_dynamics(case: Case) -> str | None:
    times = clusters(case, count=2, spacing=SPACING)
    # turns of fast wheels are counted from one to the next
    times = np.union1d(times, np.linspace(times[0], times[-1], 41))
    r = case.model.inverse_dynamics(times=times)

    def checks() -> None:
        numbers_are_finite(r)
        newton_and_euler(case, r, motion_of(r, planar=case.planar))

    return excused(r, checks)


def statics(case: Case) -> str | None:
    r = case.model.statics()

    def checks() -> None:
        numbers_are_finite(r)
        newton_and_euler(case, r, motion_of(r, planar=case.planar))

    return excused(r, checks)


def _run(case: Case, model, **options) -> tm.results.Result:
    given = {
        "times": clusters(case, spacing=SPACING),
        "rtol": RTOL,
        "method": tm.methods.default(max_steps=STEPS),
        "progress": False,
    }
    return model.simulate(**{**given, **options})


def simulation(case: Case) -> str | None:
    r = _run(case, case.model)

    def checks() -> None:
        numbers_are_finite(r)
        motion = motion_of(r, planar=case.planar)
        joints_hold(case, motion)
        newton_and_euler(case, r, motion)
        books_are_true(case, r, motion, tolerance=1e-6 if case.smooth else 1e-5)
        if case.smooth:
            rates_are_differences(case, motion, SPACING, tolerance=1e-4)

    return excused(r, checks)


def same_simulation(case: Case) -> str | None:
    """Another method, another way to hold the joints, other instants, another order of lines, a copy, other units: the same motion."""
    r = _run(case, case.model)
    motion = motion_of(r, planar=case.planar)
    # errors grow along a run, in chaotic machines a thousandfold; a lost contact or event makes a difference of order one
    loose = 1e-4 if case.smooth else 1e-3

    def checks() -> None:
        order = case.permuted(np.random.default_rng(case.seed))
        runs = {
            "dopri5": (_run(case, case.model, method="dopri5"), loose),
            "baumgarte": (_run(case, case.model, constraints="baumgarte"), loose),
            "joint coordinates": (_run(case, case.model, formulation="joint"), loose),
            "another order of lines": (_run(case, case.built(order)), loose),
            "a copy": (_run(case, case.model.copy()), 1e-2 * loose),  # its numbers may differ by rounding
        }
        for what, (other, tolerance) in runs.items():
            same_motion(case, motion, motion_of(other, planar=case.planar), tolerance=tolerance, what=what)
        few = _run(case, case.model, times=r.times[[0, -1]])
        last = motion_of(few, planar=case.planar)
        for name, b in last.bodies.items():
            off = np.abs(b.r[-1] - motion.bodies[name].r[-1]).max() / case.size
            require(off < loose, f"{name} ends elsewhere by {off:.3g} of the size when two instants are asked for")
        units = other_units(case.seed)
        scaled = make(case.seed, "plane" if case.planar else "space", units)
        other = motion_of(_run(scaled, scaled.model), planar=case.planar)
        same_motion(case, motion, other, tolerance=loose, what="other units", ratio=1.0 / units.length)

    return excused(r, checks)


def equilibrium(case: Case) -> str | None:
    """What is let go in equilibrium stays there."""
    found = case.model.equilibrium()
    require(bool(np.isfinite(found.q).all()), "q holds numbers that are not finite")
    joints_hold(case, _still(case, found))
    still = {
        "velocity": (0.0,) * (2 if case.planar else 3),
        "omega": 0.0 if case.planar else (0.0, 0.0, 0.0),
    }
    rest = found.model.copy(changes=dict.fromkeys(case.bodies, still))
    if case.drivers:
        return "done: not released"
    T = case.scale.time
    r = rest.simulate(times=[0.0, 1e-3 * T], rtol=RTOL, method=tm.methods.default(max_steps=STEPS), progress=False)
    g = max(np.abs(case.gravity).max(), case.size / T**2)
    motion = motion_of(r, planar=case.planar)
    for name, b in motion.bodies.items():
        off = max(np.abs(b.a[0]).max(), case.size * np.abs(b.alpha[0]).max()) / g
        require(off < 1e-6, f"let go in equilibrium, {name} accelerates with {off:.3g} g")
    return None


ANALYSES: dict[Callable[[Case], str | None], str] = {
    assembly: "print(m.assemble())",
    mobility: "print(m.mobility())",
    kinematics: "print(m.kinematics(1.0))",
    inverse_dynamics: "print(m.inverse_dynamics(1.0))",
    statics: "print(m.statics())",
    simulation: f"print(m.simulate(1.0, rtol={RTOL}))",
    same_simulation: f"print(m.simulate(1.0, rtol={RTOL}))",
    equilibrium: "print(m.equilibrium())",
}
DRIVEN = (kinematics, inverse_dynamics, statics)  # analyses that need every freedom driven
