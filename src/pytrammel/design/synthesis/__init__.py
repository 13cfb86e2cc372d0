"""Synthesis: which mechanism does what is wanted.

    from pytrammel import synthesis
    best, *others = synthesis.function_four_bars(inputs, outputs)
    print(best)                         # dimensions, Grashof type, transmission angle, defects, error
    k = best.model().kinematics(1.0)    # confirmed by kinematics

Functions with plural names give all designs they find as a tuple, the best first. Lengths are in metres, angles in radians.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.messages import absent_from_module
from pytrammel.design.synthesis.atlas.curves import Atlas, atlas
from pytrammel.design.synthesis.balancing import Balance, LinkMass, balance
from pytrammel.design.synthesis.cams import Cam, cam
from pytrammel.design.synthesis.cognates import cognates, parallel_six_bar
from pytrammel.design.synthesis.flywheel import Flywheel, flywheel
from pytrammel.design.synthesis.four_bar import FourBar
from pytrammel.design.synthesis.gear_trains import GearTrain, PlanetaryTrain, gear_trains, planetary_trains
from pytrammel.design.synthesis.generation.functions import (
    chebyshev_spacing,
    function_four_bars,
    function_slider_cranks,
)
from pytrammel.design.synthesis.generation.motion_links import Dyad, burmester_curves, dyads
from pytrammel.design.synthesis.generation.motions import motion_four_bars
from pytrammel.design.synthesis.generation.paths import path_four_bars, path_slider_cranks
from pytrammel.design.synthesis.generation.six_bars import function_six_bars, motion_six_bars, path_six_bars
from pytrammel.design.synthesis.pictures import plot_paths
from pytrammel.design.synthesis.quick_return import quick_return_four_bars, quick_return_slider_cranks
from pytrammel.design.synthesis.six_bar import SixBar
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.design.synthesis.spring_balance import SpringBalance, spring_balance
from pytrammel.design.synthesis.straight_lines import straight_line_four_bars

__all__ = [
    "Atlas",
    "Balance",
    "Cam",
    "Dyad",
    "Flywheel",
    "FourBar",
    "GearTrain",
    "LinkMass",
    "PlanetaryTrain",
    "SixBar",
    "SliderCrank",
    "SpringBalance",
    "atlas",
    "balance",
    "burmester_curves",
    "cam",
    "chebyshev_spacing",
    "cognates",
    "dyads",
    "flywheel",
    "function_four_bars",
    "function_six_bars",
    "function_slider_cranks",
    "gear_trains",
    "motion_four_bars",
    "motion_six_bars",
    "parallel_six_bar",
    "path_four_bars",
    "path_six_bars",
    "path_slider_cranks",
    "planetary_trains",
    "plot_paths",
    "quick_return_four_bars",
    "quick_return_slider_cranks",
    "spring_balance",
    "straight_line_four_bars",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise AttributeError(absent_from_module(__name__, name, __all__), name=name)
