"""Scissor lift with three stages: the lower the platform, the harder the cylinder must pull.

Bars of 1 m cross in their middles; the feet's distance w gives the height 3 sqrt(1 - w²). What the cylinder does is lift 300 kg.
"""

import pytrammel as tm

STAGES, BAR, LOAD = 3, 1.0, 300.0
WIDE, NARROW = 0.95, 0.55
TRACES = ("corner",)
PLOTS = ("platform.y", "platform.vy", "cylinder.effort")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("scissor lift")
    step = (BAR**2 - WIDE**2) ** 0.5
    places = {"L0": 0j}
    bars: dict[str, tuple[str, ...]] = {"ground": ("L0",)}
    for k in range(STAGES):
        places |= {f"R{k}": complex(WIDE, k * step), f"M{k}": complex(WIDE / 2, (k + 0.5) * step)}
        places |= {f"L{k + 1}": 1j * (k + 1) * step, f"R{k + 1}": complex(WIDE, (k + 1) * step)}
        bars |= {f"rise{k}": (f"L{k}", f"M{k}", f"R{k + 1}"), f"fall{k}": (f"R{k}", f"M{k}", f"L{k + 1}")}
    m.linkage(places, bars, massless=True)
    top = STAGES * step
    m.body(
        "platform",
        position=(0, top),
        mass=LOAD,
        inertia=20.0,
        outline=[(-0.05, 0), (1.05, 0), (1.05, 0.05), (-0.05, 0.05)],
    )
    m.revolute("left_pin", f"fall{STAGES - 1}", "platform", at=(0, top))
    m.point_on_line("roller", "platform", f"rise{STAGES - 1}", at=(WIDE, top), axis=(1, 0))
    m.point_on_line("foot", m.ground, "fall0", at=(WIDE, 0), axis=(1, 0))
    m.point("corner", "platform", local=(0, 0))
    m.driver("cylinder", m.point("R0").x, f"{WIDE} - {(WIDE - NARROW) / 2}*(1 - cos(2*pi*t/8))")
    return m


def run() -> tm.results.Result:
    return build().inverse_dynamics(duration=8.0, samples=161)
