"""Exact derivatives of results with respect to parameters and initial states.

A quantity of a result is a closed formula of the state at a time and of the model's numbers. What is solved for (positions, start,
rest, motion in time) is differentiated implicitly, so that only *one evaluation* of anything is ever differenced, to the sixth
order, along a direction that is known (`directions`). That costs no accuracy worth mentioning and holds for every joint and force there is.
"""
