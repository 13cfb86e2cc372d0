"""The runs of DAP printed in Nikravesh, Computer-Aided Analysis of Mechanical Systems (Prentice Hall, 1988), section 10.3.

A four-bar falling from rest (10.3.1), B platform on a spring-damper (10.3.2), C dump truck, statics and dynamics (10.3.3). Two
kinds of numbers: those printed by the book, to 3 decimals, and those recomputed independently of Trammel from the printed input,
to the digits given (they also restore minus signs lost in print). The tolerance is half a unit of the last digit given, unless a
comment says why not. DAP never corrects its input, so runs that are compared with print take the start as typed.
"""

from functools import cache
from importlib import resources

from pytrammel.io.decks.dap_deck import read_dap
from pytrammel.io.decks.dap_report import reaction_tables

PRINTED = 0.5e-3 * 1.0001
SIXTH = 0.5e-6 * 1.0001


def source(name):
    return (resources.files("pytrammel.examples") / "decks" / f"{name}.dap").read_text(encoding="utf-8")


def deck(name, *changes):
    text = source(name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read_dap(text)


@cache
def as_dap_did(name):
    """Typed start, fixed steps of DT, nothing that holds the constraints."""
    return deck(name).run(method="rk4", correct=False)


def accelerations(result, k):
    return {n: result.a[k, 3 * n - 3 : 3 * n].tolist() for n in range(1, result.a.shape[1] // 3 + 1)}


def reactions(name, result, k):
    """{joint: [(body, FX, FY, N), …]}."""
    tables = reaction_tables(deck(name), result)
    return {joint: [(body, *table[k]) for body, table in sides] for joint, sides in tables.items()}


# the book prints 3 decimals; -1.6795 and -5.3345 lie halfway and were printed either way
FOUR_BAR_ACCELERATIONS = {
    1: [0, 0, 0],
    2: [2.544, -1.470, -2.938],
    3: [5.183, -3.149, -0.115],
    4: [2.639, -1.6795, -1.564],
}
FOUR_BAR_REACTIONS = {
    "revolute1": [(1, -7.242, -15.387, 0.0), (2, 7.242, 15.387, -1.425)],
    "revolute2": [(2, -4.698, -7.046, 0.543), (3, 4.698, 7.046, -8.994)],
    "revolute3": [(3, 6.964, 7.941, 8.764), (4, -6.964, -7.941, 3.223)],
    "revolute4": [(4, 12.242, 24.202, -5.3345), (1, -12.242, -24.202, -60.504)],
}
# multipliers of the ground rows, recomputed to 5 decimals (DAP does not print them)
FOUR_BAR_GROUND = [19.48375, 39.58849, 60.50408]
# x2 y2 phi2 x3 y3 phi3 x4 y4 phi4 and the three angular velocities; recomputed with RK4 and the same steps, to 6 decimals
FOUR_BAR_PATH = {
    0.05: ([0.503181, 0.864155, 1.043322, 2.830478, 2.549052, 0.422859, 3.577297, 1.684897, 1.002045],
           [-0.147301, -0.005553, -0.078235]),
    0.10: ([0.512734, 0.858519, 1.032230, 2.849907, 2.537062, 0.422465, 3.587173, 1.678543, 0.996173],
           [-0.296977, -0.009863, -0.156675]),
    0.15: ([0.528687, 0.848784, 1.013542, 2.882262, 2.516592, 0.421917, 3.603575, 1.667808, 0.986372],
           [-0.451644, -0.011468, -0.235428]),
    0.20: ([0.551082, 0.834411, 0.986930, 2.927479, 2.486896, 0.421396, 3.626397, 1.652485, 0.972627],
           [-0.614484, -0.008391, -0.314359]),
    0.25: ([0.579976, 0.814585, 0.951887, 2.985423, 2.446895, 0.421205, 3.655447, 1.632310, 0.954943],
           [-0.789789, 0.002372, -0.392851]),
}  # fmt: skip


PLATFORM_START = {
    "revolute1": [(1, 45.067, -105.648, 26.412), (2, -45.067, 105.648, -1.556)],
    "revolute2": [(2, 53.245, -96.865, -4.228), (3, -53.245, 96.865, -24.216)],
    "revolute3": [(3, -23.310, 14.601, 3.650), (4, 23.310, -14.601, -4.228)],
    "revolute4": [(4, -15.132, 23.384, -1.556), (1, 15.132, -23.384, -5.846)],
}
PLATFORM_END = {
    "revolute1": [(1, -1.283, -6.933, 1.733), (2, 1.283, 6.933, -0.225)],
    "revolute2": [(2, -1.283, -1.047, 0.225), (3, 1.283, 1.047, -0.262)],
    "revolute3": [(3, 3.311, 7.358, 1.839), (4, -3.311, -7.358, 0.225)],
    "revolute4": [(4, 3.311, 13.244, -0.225), (1, -3.311, -13.244, -3.311)],
}


# double-precision recompute of the printed table; the print (single precision, signs lost) differs by up to 0.004
DUMP_TRUCK = {
    "revolute1": [(1, -835.818, 331.874, 0.000), (2, 835.818, -331.874, 0.364)],
    "revolute2": [(1, 4505.032, 8.583, -887.274), (4, -4505.032, -8.583, -912.248)],
    "revolute3": [(2, -835.818, 335.798, -0.364), (3, 835.818, -335.798, 455.377)],
    "revolute4": [(3, -5565.863, -307.830, 154.884), (4, 5565.863, 307.830, 425.473)],
    "revolute5": [(3, 1060.831, -705.297, -854.017), (6, -1060.831, 705.297, -45.452)],
    "revolute6": [(4, -1060.831, -279.627, 486.775), (5, 1060.831, 279.627, -0.380)],
    "revolute7": [(5, -1060.831, -275.703, 0.380), (6, 1060.831, 275.703, 45.452)],
    "revolute8": [(1, -3669.214, -1368.555, 0.000), (7, 3669.214, 1368.555, -0.002)],
    "revolute9": [(3, 3669.214, 1368.545, 243.756), (7, -3669.214, -1368.545, 0.002)],
}
# components as printed, where the print is legible
DUMP_TRUCK_PRINTED = {
    "revolute2": [(4505.031, 8.582, -887.275), (-4505.031, None, -912.248)],
    "revolute4": [(-5565.859, -307.829, 154.884), (5565.859, 307.829, 425.473)],
    "revolute8": [(-3669.213, -1368.553, 0.0), (3669.213, 1368.553, None)],
}
