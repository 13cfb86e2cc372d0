"""Renamed words, for hints in messages. Written by tools/make_renamed.py from tools/renames.toml."""

from __future__ import annotations

from collections.abc import Container, Mapping

# old words and what replaced them
RENAMED: Mapping[str, tuple[str, ...]] = {
    "account": ("conversion_report",),
    "assembly": ("subsystem",),
    "bellows": ("gas_spring",),
    "centre": ("center",),
    "coefficient": ("friction",),
    "coefficients": ("friction",),
    "couple": ("torque",),
    "direction": ("axis",),
    "drift": ("velocity_along",),
    "floating": ("floating_base",),
    "folders": ("package_dirs",),
    "merge": ("merge_fixed",),
    "moment": ("torque",),
    "pin_on_line": ("point_on_line",),
    "rack": ("rack_and_pinion",),
    "spin": ("angular_velocity_about", "omega"),
    "stick_rate": ("stick_speed",),
    "stop": ("end_stop",),
    "translational": ("prismatic",),
    "units": ("display_unit",),
    "vector": ("torque",),
}


def new_word(word: object, known: Container[str]) -> str | None:
    """Return the known word that replaced an old one, or None."""
    return next((new for new in RENAMED.get(word, ()) if new in known), None) if isinstance(word, str) else None
