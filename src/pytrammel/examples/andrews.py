"""Andrews' squeezing mechanism: seven bodies in 30 ms, a benchmark for multibody programs.

A constant torque of 0.033 N m turns the crank K1 against a spring (Hairer and Wanner, Solving Ordinary Differential Equations II,
section VI.9; IFToMM benchmark A03).
"""

import cmath

import pytrammel as tm

# mass [kg], inertia [kg m²], centroid along and across the bar [m]
BODIES = {
    "K1": (0.04325, 2.194e-6, 0.00092, 0.0), "K2": (0.00365, 4.410e-7, 0.0115, 0.0),
    "K3": (0.02373, 5.255e-6, 0.01874, 0.01043), "K4": (0.00706, 5.667e-7, 0.01421, 0.0),
    "K5": (0.07050, 1.169e-5, 0.02308, 0.00916), "K6": (0.00706, 5.667e-7, 0.01421, 0.0),
    "K7": (0.05498, 1.912e-5, 0.01228, 0.00449),
}  # fmt: skip
TRACES = ("E",)
PLOTS = ("K1.phi", "K3.phi", "O.reaction", "S.spring", "energy.kinetic", "energy.stored", "energy.input")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Andrews' squeezing mechanism", gravity=(0, 0), display_unit="mm")
    beta, delta, epsilon = -0.0617138900142764, 0.487364979543843, 1.23054744454982
    A, B, C = -0.06934 - 0.00227j, -0.03635 + 0.03273j, 0.014 + 0.072j
    F = cmath.rect(0.007, beta)
    E = F - cmath.rect(0.028, beta)
    G, H = A + cmath.rect(0.04, delta), A + cmath.rect(0.04, epsilon - cmath.pi / 2)
    ends = {"K1": (0j, F), "K2": (F, E), "K3": (B, E), "K4": (E, G), "K5": (A, G), "K6": (E, H), "K7": (A, H)}
    for name, (p, q) in ends.items():
        mass, inertia, along, across = BODIES[name]
        u = (q - p) / abs(q - p)
        c = p + (along + 1j * across) * u
        m.body(name, position=(c.real, c.imag), angle=cmath.phase(u), mass=mass, inertia=inertia)
    pins = {
        "O": ("ground", "K1", 0j), "F": ("K1", "K2", F), "E1": ("K2", "K3", E), "E2": ("K3", "K4", E),
        "E3": ("K3", "K6", E), "B": ("ground", "K3", B), "G": ("K4", "K5", G), "H": ("K6", "K7", H),
        "A1": ("ground", "K5", A), "A2": ("ground", "K7", A),
    }  # fmt: skip
    for name, (first, second, at) in pins.items():
        m.revolute(name, first, second, at=(at.real, at.imag))
    D = B + (0.018 + 0.020j) * (E - B) / abs(E - B)
    m.spring(
        "S", m.point("D", "K3", at=(D.real, D.imag)), m.ground.at(C.real, C.imag), stiffness=4530.0, free_length=0.07785
    )
    m.motor("M", first=m.ground, second="K1", torque=0.033)
    m.point("E", "K3", at=(E.real, E.imag))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=0.03, samples=601)
