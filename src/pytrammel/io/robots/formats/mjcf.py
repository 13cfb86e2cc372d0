"""MJCF: the format of MuJoCo."""

from __future__ import annotations

from pytrammel.io.robots.mjcf.read import read
from pytrammel.io.robots.mjcf.write import write
from pytrammel.io.robots.registry import Format, robot_format

MJCF = robot_format(Format("MJCF", "mujoco", (".xml", ".mjcf"), read, write))
