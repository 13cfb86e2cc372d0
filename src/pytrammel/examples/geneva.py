"""Geneva wheel with four slots: a quarter turn for each turn of the crank, and rest in between.

The pin works in a slot only while cos(crank angle) > cos 45°; otherwise the wheel is locked. The slots are two lines through
the wheel's centre that take turns, so the cycle has four phases (Nikravesh 1988, problem 5.37).
"""

import math

import pytrammel as tm

CRANK = 0.05
CENTRES = CRANK * math.sqrt(2.0)
TRACES = ()
PLOTS = ("wheel.phi", "wheel.omega", "wheel.alpha")


def wheel_outline() -> list[tuple[float, float]]:
    """Four slots at 45°, 135°, ... with hollows for the locking disc between them."""
    corners = []
    w, deep, rim = 0.004, 0.018, CRANK
    hollow = 0.036
    for k in range(4):
        a = math.radians(45.0 + 90.0 * k)
        slot = [(rim, -w), (deep, -w), (deep, w), (rim, w), (rim, 2.2 * w)]
        corners += [(x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)) for x, y in slot]
        b = a + math.pi / 4
        for turn in range(40, -41, -10):
            t = math.radians(turn)
            x, y = CENTRES - hollow * math.cos(t), -hollow * math.sin(t)
            corners.append((x * math.cos(b) - y * math.sin(b), x * math.sin(b) + y * math.cos(b)))
    return corners


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Geneva wheel, four slots", display_unit="mm")
    crank = m.body("crank", angle=math.pi)
    wheel = m.body("wheel", position=(CENTRES, 0), outline=wheel_outline())
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("W", m.ground, wheel, at=(CENTRES, 0))
    pin = m.point("pin", crank, local=(CRANK, 0))
    m.driver("motor", m["O"].angle, "pi + 2*pi*t")
    for name, side in (("a", 1.0), ("b", -1.0)):
        m.point_on_line(f"slot_{name}", wheel, pin, line=(wheel.at(0, 0), wheel.at(1, side)))
    m.constrain("lock", wheel.phi)
    for name in ("a", "b"):
        m.phase(f"rest_{name}", active=["lock"], hold=["lock"])
        m.phase(f"turn_{name}", active=[f"slot_{name}"])
    for name, other in (("a", "b"), ("b", "a")):
        m.switch(f"enter_{name}", f"rest_{name}", f"turn_{name}", when="cos(crank.phi) - cos(pi/4)", direction=1)
        m.switch(f"leave_{name}", f"turn_{name}", f"rest_{other}", when="cos(crank.phi) - cos(pi/4)", direction=-1)
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=4.0, samples=401)
