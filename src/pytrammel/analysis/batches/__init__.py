"""Batches: kinematics, simulations and equilibria of thousands of variants of one model in one call.

A batch is a *task* (`work.py`: model, verb, options, what is kept) and a table of values (`samples.py`). The runner (`runner.py`) cuts the
table into chunks and hands them to threads, to any executor or to a Dask cluster; each worker runs its chunk the compiled way where there
is one (`fast_kinematics.py`, `fast_dynamics.py`), and one by one where anything is unusual. Both give the numbers of single runs to the
last bit: variants are run both ways and compared, first of all and then once in a while.
"""
