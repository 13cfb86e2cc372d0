"""Decks of the program DAP for tests."""

from importlib import resources

NAMES = ("four_bar", "platform", "dump_truck_static", "dump_truck")
# the four-bar of Nikravesh (1988), section 10.3.1, with a spring from ground to the coupler
LINES = [
    "4,4,0,1,0,1,1",
    "0,0,0,0,0,0,0,0,0,0,0",
    ".5,.866,1.047,0,0,0,1,.3,0,0,0",
    "2.824,2.553,.423,0,0,0,2.25,2,0,0,0",
    "3.574,1.687,1.004,0,0,0,2,1.35,0,0,0",
    "1,2,0,0,-1,0",
    "2,3,1,0,-2,0",
    "3,4,2,0,2,0",
    "4,1,-2,0,2.5,0",
    "1",
    "1,3,0,0,0,0,10,2,-3,1.5",
    "3,0.5,1.5",
    "0,0.25,0.025",
]
# 2 kg on a smooth horizontal guide, load (3, 0) and moment -0.6; closed form in the tests that use it
SLIDER = ["2,0,1,1,0,0,0", "0,0,0,0,0,0,0,0,0,0,0", ".5,0,0,0,0,0,2,.1,3,0,-.6", "2,1,0,0,1,0,0,0", "1", "0,0,0"]
FALLING = ["1,0,0,0,0,0,0", "0,10,0,1,0,2,2,1,0,0,0", "0,1,0.5"]


def text(lines=LINES, **changes):
    """A deck with some lines changed: ``text(line3="...")``."""
    lines = list(lines)
    for key, value in changes.items():
        lines[int(key.removeprefix("line")) - 1] = value
    return "\n".join(lines) + "\n"


def bundled(name):
    return (resources.files("pytrammel.examples") / "decks" / f"{name}.dap").read_text(encoding="utf-8")
