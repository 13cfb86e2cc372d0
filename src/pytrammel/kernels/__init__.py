"""Compiled loops over flat buffers; the only package that imports Numba.

Kernels are boring on purpose: arrays and scalars in, loops inside, nothing raised, a status code out. `layout` names the
places in the buffers, `primitives` holds one constraint primitive per file, `evaluate` runs them all, `schur` solves the
linear systems, and `assembly`, `kinematics` and `measures` are the entry points that Python calls once per run.
"""
