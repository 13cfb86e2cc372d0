"""MJCF: the format of MuJoCo."""

from __future__ import annotations

from pytrammel.files.robots.mjcf_in import read
from pytrammel.files.robots.mjcf_out import write
from pytrammel.files.robots.registry import Format, robot_format

MJCF = robot_format(Format("MJCF", "mujoco", (".xml", ".mjcf"), read, write))
