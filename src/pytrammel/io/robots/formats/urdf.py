"""URDF: the format of ROS."""

from __future__ import annotations

from pytrammel.io.robots.registry import Format, robot_format
from pytrammel.io.robots.urdf.read import read
from pytrammel.io.robots.urdf.write import write

URDF = robot_format(Format("URDF", "robot", (".urdf",), read, write))
