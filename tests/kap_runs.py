"""The five runs of KAP printed in Nikravesh, Computer-Aided Analysis of Mechanical Systems (Prentice Hall, 1988): decks and tables.

A four-bar (section 5.2.1), B slider-crank (4.4.1, 5.2.2), C quick-return (4.4.2, 5.2.3), D platform and E dump truck (ch. 10).
Two kinds of numbers: those printed by the book, to 3 decimals, and those recomputed independently of Trammel with the printed
input, to 5 or so digits (they also restore minus signs lost in print). The tolerance is half a unit of the last digit given.
"""

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.examples import find
from pytrammel.io.decks.kap_deck import read_kap

PRINTED = 0.5e-3 * 1.0001
HALF_OF_FIFTH = 0.5e-5 * 1.0001


def run(name: str, **changes: str):
    text = find(f"kap_{name}").source()
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return read_kap(text).run()


def rows(result, time):
    """State of all bodies at a time: {number: x, y, phi, xd, yd, phid, xdd, ydd, phidd}."""
    k = int(np.argmin(np.abs(result.times - time)))
    assert result.times[k] == pytest.approx(time, abs=1e-9)
    names = list(result.model.bodies)[1:]
    return {
        n: [float(v[k]) for v in (b.x, b.y, b.phi, b.vx, b.vy, b.omega, b.ax, b.ay, b.alpha)]
        for n, name in enumerate(names, start=1)
        for b in [result[name]]
    }


def point(result, time):
    k = int(np.argmin(np.abs(result.times - time)))
    p = result.point("P1")
    return [float(v[k]) for v in (p.x, p.y, p.vx, p.vy, p.ax, p.ay)]


# recomputed with the printed input, to 5 decimals; at t = 0 and 0.025 they agree with the book's 3 printed decimals
FOUR_BAR = {
    0.0: {
        2: [0.50000, 0.86603, 1.04720, -5.44142, 3.14159, 6.28320, -19.73922, -34.18952, 0],
        3: [2.82352, 2.55350, 0.42325, -11.08495, 6.73183, 0.24604, -52.44102, -39.89822, 15.64586],
        4: [3.57352, 1.68747, 1.00420, -5.64353, 3.59025, 3.34437, -32.70180, -5.70869, 12.26373],
        "P": [2.66331, 4.12650, -11.47197, 6.69242, -77.04228, -42.49994],
    },
    0.025: {
        2: [0.35837, 0.93358, 1.20428, -5.86588, 2.25168, 6.28320, -14.14776, -36.85649, 0],
        3: [2.53148, 2.70780, 0.43380, -12.22020, 5.55781, 0.58104, -38.61319, -53.04582, 11.54480],
        4: [3.42312, 1.77422, 1.09104, -6.35432, 3.30613, 3.58148, -24.46543, -16.18933, 7.11559],
        "P": [2.35469, 4.27902, -13.13315, 5.45509, -56.69298, -55.61729],
    },
    0.25: {
        3: [-0.28801, 2.38373, 0.76407, -9.36869, -7.66282, 2.22987, 51.87981, -36.63328, 6.73474],
        4: [1.82802, 1.88373, 1.91345, -6.22712, -2.22139, 3.30574, 17.69022, -16.89418, -5.49276],
        "P": [-0.96480, 3.81270, -12.55510, -9.17198, 45.62129, -48.29658],
    },
    0.5: {
        3: [-0.89919, 0.26540, 1.52038, 3.54037, -5.91260, 3.67593, 31.74585, 41.71023, 3.18914],
        4: [0.85080, 1.13143, 2.54029, -1.90107, -2.77105, 1.68024, 12.00689, 7.52056, -6.49697],
        "P": [-2.37209, 0.84035, 1.42687, -11.32686, 49.81466, 29.24389],
    },
    0.75: {
        3: [0.35765, 0.45294, 2.32844, 5.88782, 10.50903, 0.27203, 62.26740, 162.86208, -89.85028],
        "P": [-1.07565, -0.21464, 6.06942, 10.11913, 2.39081, 291.69334],
    },
}  # fmt: skip


# x4, x4d, x4dd by closed form, to 4 decimals (the book shows them as a plot, Fig. 5.4)
SLIDER = {
    0.0: (-663.1590, 162.3189, 312.0154), 0.1: (-645.4368, 191.3967, 268.3927), 0.5: (-552.9242, 256.5145, 50.8722),
    1.0: (-428.9022, 221.5371, -162.8214), 1.5: (-341.5286, 125.1357, -199.5167), 2.0: (-302.8698, 31.6187, -175.5467),
    2.5: (-308.8071, -55.8225, -180.8208), 3.0: (-360.4024, -152.5035, -202.0617), 3.5: (-460.4219, -241.1168, -122.5507),
    4.0: (-587.0990, -244.3446, 128.2791), 4.5: (-682.1906, -116.5153, 359.0838), 5.3: (-652.1474, 181.4387, 284.8775),
}  # fmt: skip
TO_MODEL_2 = {
    "counts": ("4, 3, 1, 1, 0, 1, 0", "4, 3, 0, 1, 2, 1, 0"),
    "joint": ("4, 1, 0, 0, 100, 0, 0, 0", ""),
    "ground": ("1                               ! grounded body", "1\n4, 2\n4, 3"),
}


# slider x, xd, xdd (5 decimals) and arm phi2, w2, al2 (6 decimals)
QUICK_RETURN = {
    0.0: ((1.33791, -287.89118, -535.42996), (1.327541, 0.575592, 1.112367)),
    0.025: ((-6.02105, -300.60580, -482.58403), (1.342267, 0.602002, 1.001730)),
    0.5: ((-175.28055, -357.27599, 244.49752), (1.681663, 0.721020, -0.395259)),
    1.0: ((-283.09500, 17.98052, 1427.79420), (1.910367, -0.041752, -3.313254)),
    1.5: ((-46.71553, 648.59945, -1786.81540), (1.423942, -1.302663, 3.567500)),
    2.0: ((25.78561, -226.10631, -789.54526), (1.278855, 0.448074, 1.613498)),
    2.1: ((-0.28403, -290.85763, -523.13585), (1.330785, 0.581755, 1.086862)),
}  # fmt: skip


def quick_return_model(number: int) -> tm.PlanarModel:
    """Models 2 and 3 of section 4.4.2 [mm]: 2 has revolute-translational joints, 3 also a massless link."""
    m = tm.PlanarModel(f"quick-return, model {number}")
    arm = m.body("arm", position=(70, -60), angle=1.1)
    crank = m.body("crank", position=(50, 40), angle=0.52)
    m.revolute("C", m.ground.at(0, -300), arm.at(-250, 0))
    m.revolute("O", m.ground.at(0, 0), crank.at(-50, 0))
    if number == 2:
        link = m.body("link", position=(80, 180), angle=6)
        m.point_on_line("A", arm, crank.at(50, 0), line=(arm.at(10, 0), arm.at(15, 0)))
        m.revolute("B", arm.at(250, 0), link.at(60, 0))
        m.point_on_line("D", m.ground, link.at(-60, 0), line=(m.ground.at(0, 200), m.ground.at(10, 200)))
        m.point("tool", link, local=(-60, 0))
    else:
        slider = m.body("slider", position=(0, 200))
        m.point_on_line("A", arm, crank.at(50, 0), line=(arm.at(-10, 0), arm.at(15, 0)))
        m.prismatic("guide", slider, m.ground.at(0, 200), line=(slider.at(0, 0), slider.at(-10, 0)))
        m.link("BD", arm.at(250, 0), slider.at(0, 0), length=120)
        m.point("tool", slider, local=(0, 0))
    m.driver("motor", crank.phi, "0.52 + 3*t")
    return m


def tool_and_arm(number: int, times):
    """x, xd, xdd of the tool and phi, w, al of the arm, shape (n, 6)."""
    if number == 1:
        result = read_kap(find("kap_quick_return").source()).model().kinematics(times=times)
        tool, arm = result["body6"], result["body2"]
    else:
        result = quick_return_model(number).kinematics(times=times)
        tool, arm = result.point("tool"), result["arm"]
    return np.column_stack([tool.x, tool.vx, tool.ax, arm.phi, arm.omega, arm.alpha])


PLATFORM_PRINTED = {
    2: [-0.335, 0.235, 0.349, 0.165, 0.060, -0.702, 0.360, 0, -1.353],
    3: [-0.171, 0.470, 0, 0.330, 0.120, 0, 0.720, 0, 0],
    4: [0.165, 0.235, 0.349, 0.165, 0.060, -0.702, 0.360, 0, -1.353],
}  # fmt: skip


DUMP_TRUCK = {
    2: [-0.18573, 0.07418, -0.38],
    3: [0.61755, 0.29619, 0.14836],
    4: [0.62036, 0.40077, -0.20214],
    5: [-0.16581, 0.65224, 0.25632],
    6: [0.88184, 0.96820, -0.16255],
}  # fmt: skip
