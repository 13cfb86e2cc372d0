"""Derivatives of quantities of whole runs by differences of the eighth order, for tests of gradients."""

import numpy as np

import pytrammel as tm

FINE = {"rtol": 1e-13, "atol": 1e-14}


def differences(model, what, names, times, share, options):
    """Derivatives of the eighth order from whole runs nearby, each of shape (values,)."""
    f = model.value_and_grad(what, wrt=names, analysis=tm.Analysis("simulate", times=times, **{**FINE, **options}))
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    out = []
    for k in range(len(names)):
        h = share * (abs(f.x0[k]) or 1.0)
        step = h * np.eye(len(names))[k]
        out.append(sum(w * (f.value(f.x0 + j * step) - f.value(f.x0 - j * step)) for j, w in weights.items()) / h)
    return out
