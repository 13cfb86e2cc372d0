"""SDF: the format of Gazebo."""

from __future__ import annotations

from pytrammel.files.robots.registry import Format, robot_format
from pytrammel.files.robots.sdf_in import read
from pytrammel.files.robots.sdf_out import write

SDF = robot_format(Format("SDF", "sdf", (".sdf", ".world"), read, write))
