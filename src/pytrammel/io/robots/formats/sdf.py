"""SDF: the format of Gazebo."""

from __future__ import annotations

from pytrammel.io.robots.registry import Format, robot_format
from pytrammel.io.robots.sdf.read import read
from pytrammel.io.robots.sdf.write import write

SDF = robot_format(Format("SDF", "sdf", (".sdf", ".world"), read, write))
