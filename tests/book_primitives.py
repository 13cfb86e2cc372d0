"""Primitives of space at states of Nikravesh (1988), chapters 7 and 11: his numbers, and the rows of his tables from ours.

"Digest 6-8" and "digest 11-14" are the digests of the book from which the numbers were copied: section 3.3 of the former with its
table of numbers for every primitive, and O-4 of the latter (Table 11.1). Jacobians act on r' and on the angular velocity in body
components; gamma# is the right side of J a = gamma#, so our quadratic term is -gamma#.

The book holds vectors parallel by cross products, of which it keeps two rows of three; here two perpendiculars fixed in the body do
that. With g, h unit vectors across s_i and across each other, s_i x s_j = (g . s_j) s_i x g + (h . s_j) s_i x h, and likewise for
s_i x d: so the book's rows, Jacobians and gamma# follow from ours by the product rule, which is what the tests form.
"""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.measures import jacobian_run, measures_run
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial import SpatialModel
from pytrammel.system.lowering import lower_measures

# --- digest 6-8, section 3.3: state and numbers; columns r_i', w_i', r_j', w_j' ----------------------------------------

STATE = {
    "r": ([1.0, -2.0, 0.5], [-1.0, 0.5, 2.0]),
    "p": ([0.5, 0.7, -0.5, 0.1], [0.1, -0.5, 0.5, 0.7]),
    "v": ([0.2, -0.1, 0.4], [-0.3, 0.6, 0.1]),
    "w": ([1.0, -2.0, 0.5], [-0.5, 1.5, 2.0]),
    "s": ([1.0, -1.0, 2.0], [0.5, 2.0, -1.0]),
    "B": ([0.3, -0.4, 1.2], [-0.7, 0.2, 0.5]),
}
LENGTH, THETA = 3.0, 1.0
ORACLE = {
    "n1": {
        "phi": [3.0168],
        "rate": [-7.83],
        "jacobian": [
            [0, 0, 0, -3.9312, 0.9696, 2.4504, 0, 0, 0, -4.0464, -0.2112, -2.4456],
        ],
        "gamma": [79.4974],
    },
    "n2i": {
        "phi": [-13.00032],
        "rate": [-5.42344],
        "jacobian": [
            [-0.56, 2.2, 0.92, -3.22512, -0.14704, 1.53904, 0.56, -2.2, -0.92, -0.492, -0.8376, -0.35376],
        ],
        "gamma": [-36.57604],
    },
    "n2j": {
        "phi": [-3.94296],
        "rate": [6.9272],
        "jacobian": [
            [0.92, 1.94, -0.8, 2.05888, -1.03152, -0.85856, -0.92, -1.94, 0.8, 9.09008, -0.03136, 4.48232],
        ],
        "gamma": [-55.69008],
    },
    "p1": {
        "phi": [-3.5448, 0.3984, -3.1104],
        "rate": [-16.01, -1.73, 10.43],
        "jacobian": [
            [0, 0, 0, -0.7568, 3.0944, 1.9256, 0, 0, 0, -0.2896, -1.7968, -3.7384],
            [0, 0, 0, -0.9056, -2.6752, -0.8848, 0, 0, 0, 1.3568, -1.1656, -1.6528],
            [0, 0, 0, -3.0664, -2.9288, 0.0688, 0, 0, 0, -3.4208, 1.6936, 1.6768],
        ],
        "gamma": [-45.5114, 23.5412, -6.0672],
    },
    "p2i": {
        "phi": [-2.30848, 0.38384, -2.32304],
        "rate": [17.60184, 9.75728, -0.82768],
        "jacobian": [
            [0, -0.92, 2.2, 3.80832, -6.05856, -5.70544, 0, 0.92, -2.2, 1.028, 1.2296, 0.94736],
            [0.92, 0, 0.56, -3.24656, -6.29952, -1.53648, -0.92, 0, -0.56, -0.016, 0.8312, -0.35488],
            [-2.2, -0.56, 0, 7.31536, 3.45312, -2.37712, 2.2, 0.56, 0, 0.664, -1.2392, 1.42528],
        ],
        "gamma": [-25.39556, 5.99948, -19.09188],
    },
    "p2j": {
        "phi": [-8.79656, 0.88048, -7.98088],
        "rate": [-21.0248, -18.8086, 13.7796],
        "jacobian": [
            [0, 0.8, 1.94, -0.76832, 1.38528, 0.65384, 0, -0.8, -1.94, 0.88488, -2.99696, -6.44848],
            [-0.8, 0, -0.92, -0.39744, -1.38624, -0.36272, 0.8, 0, 0.92, 3.76896, -4.78232, -5.63416],
            [-1.94, 0.92, 0, -1.84736, -1.76856, -0.12768, 1.94, -0.92, 0, -5.32176, 1.55792, 4.38496],
        ],
        "gamma": [-62.12938, 19.95254, -47.29274],
    },
    "s": {
        "phi": [2.124, -4.196, -2.804],
        "rate": [0.214, -0.726, -0.864],
        "jacobian": [
            [1, 0, 0, 1.104, 0.684, -0.048, -1, 0, 0, -0.2, 0.66, -0.544],
            [0, 1, 0, 0.32, -0.48, -0.24, 0, -1, 0, -0.4, -0.38, -0.408],
            [0, 0, 1, -0.528, 0.912, 0.436, 0, 0, -1, 0.3, 0.4, 0.26],
        ],
        "gamma": [-5.632, -6.15, -4.191],
    },
    "ss": {
        "phi": [20.980208],
        "rate": [11.846976],
        "jacobian": [
            [4.248, -8.392, -5.608, 4.965376, 1.819296, -0.634912, -4.248, 8.392, 5.608, 0.8248, 3.74944, -0.345056],
        ],
        "gamma": [48.550456],
    },
    "P": {
        "phi": [1.032, -3.14, -0.124],
        "rate": [-0.088, 1.06, -1.734],
        "jacobian": [
            [1, 0, 0, 1.104, 0.684, -0.048, 0, 0, 0, 0, 0, 0],
            [0, 1, 0, 0.32, -0.48, -0.24, 0, 0, 0, 0, 0, 0],
            [0, 0, 1, -0.528, 0.912, 0.436, 0, 0, 0, 0, 0, 0],
        ],
        "gamma": [-3.062, -4.285, -1.916],
    },
    "ep": {
        "phi": [-0.08, -0.84],
        "rate": [-1.47, 0.88],
        "jacobian": [
            [0, 0, 0, -0.24, 0.12, -0.42, 0, 0, 0, 0.24, 0.12, -0.42],
            [0, 0, 0, -0.12, -0.24, 0.04, 0, 0, 0, -0.12, 0.24, 0.04],
        ],
        "gamma": [-0.055, -4.7675],
    },
    "th18": {
        "phi": [-1.3575825619],
        "rate": [-1.59],
        "jacobian": [
            [0, 0, 0, 0.04, 0.42, 0.12, 0, 0, 0, -0.04, -0.42, -0.12],
        ],
        "gamma": [-3.085],
    },
}

# --- digest 11-14, O-4: Table 11.1 in numbers --------------------------------------------------------------------------

STATE_O4 = {
    "r": ([0.1, -0.2, 0.3], [0.9, 0.4, -0.5]),
    "p": (np.array([1, 2, -1, 3]) / math.sqrt(15), np.array([2, -1, 1, 1]) / math.sqrt(7)),
    "v": ([0.5, -1.0, 0.25], [-0.4, 0.8, 0.6]),
    "w": ([0.3, -0.7, 1.1], [-0.9, 0.2, 0.5]),
    "s": ([1.0, 0.5, -0.5], [0.2, -1.0, 0.7]),
    "B": ([0.2, 0.5, -0.1], [-0.3, 0.1, 0.4]),
}
O4 = {
    "n1": {
        "phi": [-0.83],
        "w_i": [[-0.118571, -0.765714, -1.002857]],
        "w_j": [[-0.59, -0.72, -0.86]],
        "gamma": [2.1740857143],
    },
    "n2i": {
        "phi": [-1.39],
        "r_i": [[1, -0.1, -0.7]],
        "w_i": [[-0.67, 0.51, -0.83]],
        "r_j": [[-1, 0.1, 0.7]],
        "w_j": [[-0.27, -0.37, -0.11]],
        "gamma": [3.7719428571],
    },
    "p1": {
        "phi": [-0.118571, 1.214286, -0.342857],
        "w_i": [[-0.312857, 0.431429, -0.194286], [0.114286, -0.707143, -0.478571], [0.8, -0.8, 0.8]],
        "w_j": [[0.787143, -0.088571, -0.351429], [-0.008571, -0.515714, -0.734286], [1.125714, -0.052857, -0.397143]],
        "gamma": [-1.8376, 3.903071, 0.089357],
    },
    "p2i": {
        "phi": [-0.87, 0.33, -1.29],
        "w_i": [[-0.076667, 0.746667, 0.993333], [-0.223333, -0.946667, -0.473333], [0.436667, -1.176667, 0.136667]],
        "w_j": [[0.075714, -0.281429, 0.127143], [0.417143, -0.034286, 0.321429], [0.048571, -0.397143, 0.135714]],
        "gamma": [-1.010886, 0.874429, 2.515],
    },
    "s": {
        "phi": [-1.166667, -1.173333, 0.486667],
        "w_i": [[0.266667, -0.1, 0.033333], [-0.406667, 0.12, -0.213333], [0.153333, -0.16, -0.493333]],
        "w_j": [[-0.371429, -0.257143, -0.214286], [0.085714, -0.371429, 0.157143], [-0.157143, 0.214286, -0.171429]],
        "gamma": [-0.488333, -0.765267, 0.466133],
    },
    "ss": {
        "phi": [2.974667 - LENGTH**2],  # the digest prints d'd
        "r_i": [[-2.333333, -2.346667, 0.973333]],
        "w_i": [[0.481333, -0.204, -0.057333]],
        "w_j": [[0.512571, 1.68019, -0.035619]],
        "gamma": [-11.3122571429],
    },
}
BLOCKS = {"r_i": slice(0, 3), "w_i": slice(3, 6), "r_j": slice(6, 9), "w_j": slice(9, 12)}


# --- evaluating ours ---------------------------------------------------------------------------------------------------


class At:
    """Two bodies i and j at a state; quantities between them with rates, Jacobian and quadratic term."""

    def __init__(self, state):
        self.data = {key: [np.array(x, dtype=float) for x in pair] for key, pair in state.items()}
        self.model = SpatialModel("two bodies")
        for k, name in enumerate("ij"):
            self.model.body(name, position=self.data["r"][k], rotation=self.data["p"][k])
        self.A = [self.model.bodies[name].matrix for name in "ij"]
        self.omega = [A @ w for A, w in zip(self.A, self.data["w"], strict=True)]
        parts = zip(self.data["v"], self.data["w"], strict=True)
        self.v = np.concatenate([np.concatenate(pair) for pair in parts])

    def __call__(self, primitive, bodies, data, outputs=1):
        """Value, rate, Jacobian (12 columns) and gamma#, one row per output."""
        quantity = Quantity(primitive, tuple(bodies), tuple(map(float, data)), ("1",) * outputs, "q")
        system = lower_measures(self.model, [quantity])
        prepare(["measures_run", "jacobian_run", *system.primitives])
        value, rate, second = (np.zeros((1, outputs)) for _ in range(3))
        q, v, zero = system.start[None, :], self.v[None, :], np.zeros((1, 12))
        measures_run(system.ints, system.floats, np.zeros(1), q, v, zero, value, rate, second)
        entries = np.zeros(int(system.ints[L.N_JACOBIAN]))
        jacobian_run(system.ints, system.floats, np.zeros(1), q, v, entries)
        jacobian = np.zeros((outputs, 12))
        for row, columns in enumerate(system.row_columns):
            for k, column in enumerate(columns):
                if column >= 0:
                    jacobian[row, column] += entries[system.row_entries[row] + k]
        return Rows(value[0], rate[0], jacobian, -second[0])

    def cross_rows(self, body, s, rows):
        """s x (vector) from the components of the vector along two perpendiculars of s, all fixed in one body.

        `rows` gives those components, as evaluated by ours, of a unit vector of that body.
        """
        g, h = perpendiculars(s)
        total = Rows(np.zeros(3), np.zeros(3), np.zeros((3, 12)), np.zeros(3))
        turns = np.zeros((3, 12))
        for unit in (g, h):
            row = rows(unit)
            local = np.cross(s, unit)
            c = self.A[body] @ local
            rate = np.cross(self.omega[body], c)
            turns[:, 6 * body + 3 : 6 * body + 6] = -self.A[body] @ skew(local)
            total.phi += row.phi[0] * c
            total.rate += row.rate[0] * c + row.phi[0] * rate
            total.jacobian += np.outer(c, row.jacobian[0]) + row.phi[0] * turns
            second = -row.gamma[0] * c + 2 * row.rate[0] * rate + row.phi[0] * np.cross(self.omega[body], rate)
            total.gamma -= second
        return total

    def rows(self, name):
        """The book's rows from ours."""
        (s_i, s_j), (b_i, b_j) = self.data["s"], self.data["B"]
        if name == "n1":
            return self("axis_dot", "ij", [*s_i, *s_j])
        if name == "n2i":
            return self("axis_offset", "ij", [*s_i, *b_i, *b_j])
        if name == "n2j":  # ours measures the way from the body that carries the vector: s_j . (-d)
            return self("axis_offset", "ji", [*s_j, *b_j, *b_i]).times(-1.0)
        if name == "p1":
            return self.cross_rows(0, s_i, lambda u: self("axis_dot", "ij", [*u, *s_j]))
        if name == "p2i":
            return self.cross_rows(0, s_i, lambda u: self("axis_offset", "ij", [*u, *b_i, *b_j]))
        if name == "p2j":
            return self.cross_rows(1, s_j, lambda u: self("axis_offset", "ji", [*u, *b_j, *b_i])).times(-1.0)
        if name == "s":
            return self("point_offset", "ij", [*b_i, *b_j], 3)
        if name == "ss":  # ours measures |d|: the chain rule leads to d'd - l²
            r = self("point_distance", "ij", [*b_i, *b_j])
            square = r.phi**2 - LENGTH**2
            return Rows(square, 2 * r.phi * r.rate, 2 * r.phi * r.jacobian, 2 * r.phi * r.gamma - 2 * r.rate**2)
        if name == "P":
            along = [self("axis_offset", ("ground", "i"), [*axis, 0, 0, 0, *b_i]) for axis in np.eye(3)]
            return Rows(*(np.concatenate([getattr(r, part) for r in along]) for part in Rows.PARTS))
        r = self("relative_parameters", "ij", [], 4)
        if name == "ep":
            return Rows(r.phi[1:3], r.rate[1:3], r.jacobian[1:3], r.gamma[1:3])
        assert name == "th18"
        return Rows(r.phi[:1] - math.cos(THETA / 2), r.rate[:1], r.jacobian[:1], r.gamma[:1])


class Rows:
    PARTS = ("phi", "rate", "jacobian", "gamma")

    def __init__(self, phi, rate, jacobian, gamma):
        self.phi, self.rate, self.jacobian, self.gamma = phi, rate, jacobian, gamma

    def times(self, factor):
        return Rows(factor * self.phi, factor * self.rate, factor * self.jacobian, factor * self.gamma)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def perpendiculars(s):
    """Two unit vectors across s and across each other."""
    u = s / np.linalg.norm(s)
    g = np.cross(u, np.eye(3)[np.argmin(np.abs(u))])
    g /= np.linalg.norm(g)
    return g, np.cross(u, g)
