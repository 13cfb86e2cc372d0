"""Straight kernels for one structure: what the general kernels do for a given model, with all integers known, written out.

The general kernels read tables to know which primitive acts on which bodies, and where. For many variants of one structure those tables
never change. `specialise` runs the *same functions* with the tables filled in and the numbers left open, and notes what is computed;
what comes out (`graph`) has no table, no loop and no address left, and is written as C for graphics cards (`as_c`, `gpu`) and as machine
code for this one (`as_llvm`). There is no second set of formulas: a new primitive or force element is taken along by itself.

    specialise      functions with known integers -> graph (`rest`: statements still to run; `open_numbers`: functions of numbers)
    graph           operations in order, with branches
    pieces          what a driver asks for: rates, corrections, measured values; made of the general kernels
    drivers         loops around pieces: kinematics through instants, integration with error control
    reverse         pieces backwards: what pulls at their results pulls at all that they read
    instants        pieces that the general kernels of kinematics call in the place of their own functions, to the last bit
    as_c, as_llvm   graphs and drivers as text
"""
