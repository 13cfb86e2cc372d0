"""SDF: the format of Gazebo."""

from __future__ import annotations

from trammel.files.robots.registry import Format, robot_format
from trammel.files.robots.sdf_in import read
from trammel.files.robots.sdf_out import write

SDF = robot_format(Format("SDF", "sdf", (".sdf", ".world"), read, write))
