"""Simulated motions backwards: one solution for any number of parameters, through everything that happens on the way.

For a sum of samples w h(y_k) multipliers psi take w h_y on at every time, from the last to the first. Between events they are taken back
over the steps of the motion, which is stepped through again for that (`kernels.backwards`); over an event by what it does to small changes
of the state (`track`): psi- = A' psi+ where changes behind it are A times those before. Then

    d/dp = w h_p + psi(0) y_p(0) + sum over steps of psi f_F F_p + sum over events of psi+ B_p,

B_p being the changes behind an event from those of the numbers alone. States where stretches begin are the checkpoints; in a long stretch
there are more, so that memory does not grow with the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.gradients.directions import CENTRAL, ROUNDING, STEP, Direction, Variant
from pytrammel.analysis.gradients.lines import state_columns
from pytrammel.analysis.gradients.problem import OnlyForwards
from pytrammel.analysis.gradients.reverse import Pulling, pulling
from pytrammel.analysis.gradients.track import Leap, Stretch, Track
from pytrammel.analysis.runs.engine import Cartesian
from pytrammel.analysis.runs.options import Options
from pytrammel.kernels import backwards as kernel
from pytrammel.kernels import step_control
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.methods import runge_kutta
from pytrammel.system.lowering import lower_measures

if TYPE_CHECKING:
    from pytrammel.analysis.gradients.runs import OfRun

Array = NDArray[np.float64]
SMALL = 1e-3  # step of differences of the fourth order, in scales
REMEMBERS = 1e-6  # share by which moving all times at once may differ from moving each
TOGETHER = 1e-4  # step of that difference, in scales
KEPT_STEPS = 4096  # between checkpoints
FIRST_STEP = 1e-3  # of a stretch


class Backwards:
    """Multipliers of a run's equations, and the derivatives that follow from them.

    Args:
        run: The run; it is followed once more at a finer tolerance.
        directions: By which quantities are differentiated.
        options: Method and tolerances.
    """

    def __init__(self, run: OfRun, directions: Sequence[Direction], options: Options) -> None:
        self.run, self.directions, self.options = run, directions, options
        self.start, numbers = run.begun(directions)
        self.scales, self.sizes = run.scales(), np.array([d.size for d in directions])
        self.size = run.states.shape[1]
        self.turns = np.arange(run.nq - len(run.model.turns), run.nq)
        works = len(run.result._system.forces) + 1
        self.entries = np.setdiff1d(np.arange(self.size - works), self.turns)
        prepare(["settle_run", "state_run", "steps_run", "pull_run", *options.method.routines])
        self.track: Track = run.follow(
            lambda *given: Track(self.entries, directions, numbers, self.scales, *given), options
        )
        self.times = run.path.times  # of the run that is followed: an event may end it a little earlier or later
        self._enter_tables()

    def _enter_tables(self) -> None:
        """Equations and method of each stretch, and how its rates are gone back over."""
        for stretch in self.track.stretches:
            run: Any = SimpleNamespace(
                system=stretch.system, options=self.options, floats=stretch.floats, pattern=stretch.pattern
            )
            stretch.table = Cartesian(self.options).table(run, lower_measures(stretch.system.model, []))
            stretch.table.put_method(self.options.method)
        self.pulling: dict[int, Pulling] = {}
        alike = sorted(self.track.stretches, key=_equations)
        for _, group in groupby(alike, key=_equations):
            together = list(group)
            self.pulling.update(dict.fromkeys(map(id, together), pulling(together)))
        for stretch in self.track.stretches:
            why = self.pulling[id(stretch)].code
            if stretch.corner and isinstance(why, str):
                raise OnlyForwards(
                    f"a law has a corner at t = {stretch.end:.6g} s, which method='adjoint' cannot follow by differences, and rates of "
                    f"model {self.run.model.name!r} are not written out: {why}; use method='direct'."
                )

    # --- from the end to the start -------------------------------------------------------------------------------------------

    def along(self, weights: Array, later: float) -> list[float]:
        """Derivatives along all directions of a sum of the quantities.

        Args:
            weights: Of shape (names, n).
            later: How the sum changes by itself with the last time, where that moves.
        """
        pulls, explicit = self._pulls(weights), self._explicit(weights)
        given, n = len(self.directions), self.entries.size
        psi, totals = np.zeros(self.size), np.zeros(given + len(self.track.noted))
        for stretch in reversed(self.track.stretches):
            if stretch.leap is not None:
                psi, totals = self._back_through(stretch.leap, psi, totals)
            if stretch.stops and self.track.end is not None:
                # changes of the state before the event move the end, and with it what is there after the event
                tau, rates = self.track.end
                ends = later + float(pulls[-1] @ rates) + self._by_the_clock(weights)
                psi[self.entries] += tau[:n] / self.scales[self.entries] * ends
                totals += tau[n:] * ends
            inside = slice(stretch.first, stretch.upto)
            totals += explicit[inside].sum(axis=0)
            psi = self._back_over(stretch, psi, pulls[inside], totals)
        return [float(x) for x in self.start @ psi + totals[:given]]

    def _back_through(self, leap: Leap, psi: Array, totals: Array) -> tuple[Array, Array]:
        """Multipliers before an event from those behind it: of the state, and of numbers that were noted."""
        given, n = len(self.directions), self.entries.size
        noted = totals[given : given + leap.noted.shape[1]]
        before = psi.copy()
        before[self.entries] = leap.entries @ psi + leap.noted[:n] @ noted
        out = np.zeros_like(totals)
        out[: len(leap.along)] = leap.along @ psi
        out[:given] += totals[:given]
        out[given : len(leap.along)] += leap.noted[n:] @ noted
        return before, out

    def _back_over(self, stretch: Stretch, psi: Array, pulls: Array, totals: Array) -> Array:
        """Multipliers at the beginning of a stretch; what pulls at the numbers is added to the totals."""
        table, how, along = stretch.table, self.pulling[id(stretch)], len(stretch.numbers)
        assert table is not None
        method = table.entries
        rows = int(method[runge_kutta.STAGES] + 1 + method[runge_kutta.EXTRAS])
        count = how.varying.size if how.address else along
        numbers = np.ascontiguousarray(np.vstack([stretch.floats, stretch.numbers])[:, how.varying])
        sizes = np.append(self.sizes, np.ones(along - self.sizes.size))
        reach = SMALL * np.concatenate([self.scales[self.entries], sizes])
        K, kappa = np.zeros((rows + 4) * self.size + count), np.zeros((2 * rows, self.size))
        times = np.clip(self.times[stretch.first : stretch.upto], stretch.begin, stretch.end)  # every sample pulls
        psi, found = psi.copy(), np.zeros(count)
        for T, Y in self._portions(stretch):
            inside = (times > T[0]) & (times <= T[-1])
            kernel.pull_run(
                method, how.address, len(T) - 1, T, Y, times[inside], pulls[inside],
                self.entries, reach, how.varying, numbers, K, kappa, psi, found,
            )  # fmt: skip
        totals[:along] += numbers[1:] @ found if how.address else found
        return np.asarray(psi + pulls[times <= stretch.begin].sum(axis=0))

    def _portions(self, stretch: Stretch) -> Iterator[tuple[Array, Array]]:
        """Steps of a stretch, portion by portion from the last to the first: times and states where they begin, and the end."""
        control = np.zeros(step_control.CONTROL_SIZE)
        first = stretch.closest if stretch.behind_event else FIRST_STEP * (stretch.end - stretch.begin)
        control[[step_control.NEXT, step_control.LAST_NORM]] = first, 1.0
        marks = []
        T, Y = np.array([stretch.begin]), stretch.state[None, :]
        while T[-1] < stretch.end:
            marks.append((float(T[-1]), Y[-1].copy(), control.copy()))
            T, Y = self._stepped(stretch, *marks[-1][:2], control)
        for mark in reversed(marks):
            if T[0] != mark[0]:
                T, Y = self._stepped(stretch, *mark)
            yield T, Y

    def _stepped(self, stretch: Stretch, begin: float, state: Array, control: Array) -> tuple[Array, Array]:
        """Steps from a state towards the end of a stretch, as many as are kept."""
        T, Y = np.zeros(KEPT_STEPS + 1), np.zeros((KEPT_STEPS + 1, self.size))
        T[0], Y[0] = begin, state
        assert stretch.table is not None
        done, status = kernel.steps_run(
            stretch.table.entries, stretch.end, stretch.closest if stretch.before_event else 0.0, control, T, Y
        )
        if status == kernel.STUCK:
            raise OnlyForwards(f"the motion cannot be followed again after t = {T[done]:.6g} s; use method='direct'.")
        return T[: done + 1], Y[: done + 1]

    # --- how quantities pull -------------------------------------------------------------------------------------------------

    def _plain(self) -> list[int] | None:
        """Places of the quantities in the state, if that is where they are."""
        columns = state_columns(self.run.result._system, self.run.names)
        if columns is None or any(level > 1 for level, _ in columns):
            return None
        return [level * self.run.nq + c for level, c in columns]

    def _looked(self, weights: Array, states: Array, times: Array | None = None) -> Array:
        """The weighted quantities at each time in other states."""
        run = self.run
        return np.asarray(
            (weights * run.look(Variant(0.0, run.model), states, self.times if times is None else times)).sum(axis=0)
        )

    def _pulls(self, weights: Array) -> Array:
        """How the sum changes with each entry of the state at each time, shape (n, size)."""
        run = self.run
        out = np.zeros_like(run.states)
        plain = self._plain()
        if plain is not None:
            for column, place in zip(weights, plain, strict=True):
                out[:, place] += column
            return out
        still = Direction("", 0.0, 1.0, lambda offset: Variant(offset, run.model))
        noise = ROUNDING / STEP * float(np.abs(self._looked(weights, run.states)).max(initial=0.0))
        for c in np.setdiff1d(np.arange(self.size), self.turns):
            way = np.zeros(self.size)
            way[c] = self.scales[c]
            found = still.slope(lambda variant, way=way: self._looked(weights, run.states + variant.offset * way))  # type: ignore[misc]
            out[:, c] = np.where(np.abs(found) > noise, found, 0.0) / self.scales[c]
        self._refuse_memory(weights, out)
        return out

    def _refuse_memory(self, weights: Array, pulls: Array) -> None:
        """Moving all times at once, each in its own way, must do what moving each by itself does."""
        way = np.random.default_rng(2).uniform(-1.0, 1.0, pulls.shape) * self.scales * (np.abs(pulls).max(axis=0) > 0.0)
        states = self.run.states
        seen = sum(
            w / TOGETHER * self._looked(weights, states + k * TOGETHER * way).sum() for k, w in CENTRAL.sixth.items()
        )
        rounding = ROUNDING / TOGETHER * float(np.abs(self._looked(weights, states)).sum())
        if abs(seen - (pulls * way).sum()) > REMEMBERS * np.abs(pulls * way).sum() + rounding:
            raise OnlyForwards(
                f"one of the quantities {', '.join(map(repr, self.run.names))} depends on other instants than its own, or is not smooth "
                "where the motion is (friction that sticks), which method='adjoint' cannot follow back; use method='direct'."
            )

    def _explicit(self, weights: Array) -> Array:
        """How the sum changes along directions while all states are held, at each time, shape (n, directions)."""
        run, n = self.run, self.entries.size
        along = self.track.directions[n:]
        if self._plain() is not None:
            return np.zeros((self.times.size, len(along)))

        def looked(k: int) -> Callable[[Variant], Array]:
            return lambda variant: (weights * run.look(variant, run.states, self.times, n + k)).sum(axis=0)

        return np.array([d.slope(looked(k)) for k, d in enumerate(along)]).T

    def _by_the_clock(self, weights: Array) -> float:
        """How the sum changes with the last time while all states are held."""
        if self._plain() is not None:
            return 0.0
        times, states = self.times, self.run.states
        last = np.zeros(times.size)
        last[-1] = step = STEP / max(self.run.speed, 1.0 / max(float(np.ptp(times)), 1e-300))
        found = sum(w * self._looked(weights, states, times + k * last)[-1] for k, w in CENTRAL.sixth.items())
        return float(found / step)


def _equations(stretch: Stretch) -> tuple[bytes, bytes]:
    """What tells the equations of a stretch from others, but for numbers."""
    return stretch.system.ints.tobytes(), stretch.pattern.tobytes()
