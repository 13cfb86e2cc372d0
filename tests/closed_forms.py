"""Checks of examples against closed forms: one for each name, and how close numbers must be."""

import numpy as np
import pytest


class Checks(dict):
    """What is asked of the result of an example, by its name."""

    def of(self, name):
        """Register a check."""

        def keep(check):
            self[name] = check
            return check

        return keep


def same(value, truth, tolerance=1e-11):
    """Newton goes on to rounding level, so that lengths of about 1 agree to 1e-11."""
    assert value == pytest.approx(np.broadcast_to(truth, np.shape(value)), abs=tolerance)
