"""The table that an integration is run from: the one seam between equations and methods.

*Equations* (a formulation with its way of holding constraints, or plain equations) and *methods* (what makes a step) are routines with one
signature, ``(E, t, h, a, b, c) -> number``, that find all they need through the table E: addresses of other routines, of data and of
workspaces, and a few sizes. The run (`run.py`) and the methods know no equations, equations know no method; each is compiled once.

What the routines do, with their arguments a, b, c; unused ones are anything:

==========  ===========  ==================================================================================================
equations   arguments    meaning
==========  ===========  ==================================================================================================
RATES       y, dy        derivative at (t, y); returns the singularity measure (1: far from singular), or NaN
SETTLE      y            after a step or between instants: onto the constraints; NaN if that fails. h = 1: close to a singular position,
                         where the constraints would move a state by more than its error
NORM        y, y1, e     size of the error e of a step from y to y1 in units of what is allowed; with h = WORKS of its works alone
RECORD      y, row       fill what is kept of one instant
WATCH       y, values    values of the watched formulas
LINEARISE   y            make the derivatives of the rates at (t, y) ready. h = 0: what is stiff, 1: all but third derivatives of
                         rows, 2: all
FACTOR                   factors of 1 - a (derivatives of the rates) for the complex number a = t + i h, h = 0 or not; NaN without
SOLVE       r, s         solve with the factors, in place: the real ones, or with h = 1 the complex ones for r + i s
==========  ===========  ==================================================================================================

The last three are for implicit methods only.

==========  ===========  ==================================================================================================
method      arguments    meaning
==========  ===========  ==================================================================================================
START       y            begin at (t, y); what was before says nothing. Returns the singularity measure
ATTEMPT     y, y1        a step of length h from (t, y). Returns the error norm (0 without error control), NaN if it failed; leaves
                         the smallest singularity measure met and the one at the end in the workspace
DENSE       y, y1        make the interpolant of the last attempt ready. Returns its error in units of what is allowed, or anything up
                         to 1 where that is not known
BETWEEN     y, out       the interpolant at the fraction h of the last attempt
PLACE       y, out       state at which the interpolant alone looked, number h; returns the fraction of the step
ACCEPT      y            the attempt was good and the next step begins at (t, y), the settled end. Returns the singularity measure
==========  ===========  ==================================================================================================
"""

from __future__ import annotations

from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel

# entries of the table: sizes
SIZE, N_EVENTS, ROW, N_PLACES = range(4)
# routines of the equations
RATES, SETTLE, NORM, RECORD, WATCH = range(4, 9)
UNTREATED = 9  # rates of equations that a treatment of constraints goes through to its own
# routines of the method
START, ATTEMPT, DENSE, BETWEEN, PLACE, ACCEPT = range(10, 16)
# data: model, elimination pattern, workspace; watched formulas and their workspace; the method's numbers
INTS, FLOATS, PATTERN, WORKSPACE, WATCH_INTS, WATCH_FLOATS, WATCH_WORK, NUMBERS = range(16, 24)
# for implicit methods: routines of the equations; their data; how many entries of y the rates depend on; which columns are coupled
LINEARISE, FACTOR, SOLVE, MATRICES, N_ACTIVE, COUPLING, AT_PATTERN = range(24, 31)
TREATMENT = 31  # numbers of the treatment of constraints
OWN = 32  # from here on: integers of the method
# of fewer coordinates: their data, and the table of the equations in body coordinates
REDUCED, REDUCED_NUMBERS, INNER = range(60, 63)
IN_FULL = (
    63  # 1 while rates are asked for that leave everything in the workspace: RECORD and LINEARISE go on from there
)
ON_CONSTRAINTS = 64  # rates that take the place of RATES close to singular positions (0: none)
# of rates written out for one model: their machine code, room for what it returns, the general rates
STRAIGHT, STRAIGHT_ROOM, GENERAL = range(65, 68)
CROSSING = 68  # what to do where a singular position is near (`passing`)
TABLE_SIZE = 70

# first entries of the workspace of all equations; CHANGE asks to be set up anew at the end of a step
(RTOL, ATOL, EVALUATIONS, AT_STEP_END, LARGEST_PHI, LARGEST_RATE, CHANGE, N_SHARED) = range(8)
# first entries of the method's numbers; the last seven: product of step and fastest rate beyond which a method is unstable (0: not known),
# steps that stood there, matrices made so far, whether an attempt failed because its equations could not be solved, the largest error of a
# work in the last attempt [J] (0: not estimated), that of the steps before, fading, and the work done so far, to and fro [J]
(
    ORDER, FIXED, CLOSEST, AT_END, PROPOSED, STABLE, STIFF_STEPS, LINEARISED, UNSOLVED, WORKS_OFF, WORKS_OFF_BEFORE, WORKS_DONE, N_METHOD,
) = range(13)  # fmt: skip
WORKS = -1.0


@kernel()
def note_works(E, S, error):
    """Keep the largest error of a work. Works stand behind all that the rates depend on."""
    off = 0.0
    for c in range(E[N_ACTIVE], E[SIZE]):
        off = max(off, abs(error[c]))
    S[WORKS_OFF] = off


@kernel()
def rates_in_full(E, t, y, dy):
    """Rates that leave everything in the workspace."""
    E[IN_FULL] = 1
    angle = call_routine(E[RATES], E, t, 0.0, y, dy, dy)
    E[IN_FULL] = 0
    return angle


@kernel(spread=True)
def data_of(E):
    """Integers and numbers of the model, pattern, workspace."""
    return ints_at(E[INTS]), floats_at(E[FLOATS]), ints_at(E[PATTERN]), floats_at(E[WORKSPACE])
