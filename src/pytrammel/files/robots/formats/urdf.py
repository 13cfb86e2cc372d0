"""URDF: the format of ROS."""

from __future__ import annotations

from pytrammel.files.robots.registry import Format, robot_format
from pytrammel.files.robots.urdf_in import read
from pytrammel.files.robots.urdf_out import write

URDF = robot_format(Format("URDF", "robot", (".urdf",), read, write))
