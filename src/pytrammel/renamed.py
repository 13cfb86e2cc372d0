"""Renamed words, for hints in messages. Written by tools/make_renamed.py from tools/renames.toml."""

from __future__ import annotations

from collections.abc import Container, Mapping

# old words and what replaced them
RENAMED: Mapping[str, tuple[str, ...]] = {
    "acceleration_polygon": ("diagram.acceleration_polygon",),
    "account": ("conversion_report",),
    "assembly": ("subsystem",),
    "bellows": ("gas_spring",),
    "centre": ("center",),
    "centrodes": ("diagram.centrodes",),
    "chance": ("p_value",),
    "closure": ("constraint_violation",),
    "coefficient": ("friction",),
    "coefficients": ("friction",),
    "columns": ("coordinate_names",),
    "cost": ("multiplier",),
    "couple": ("torque",),
    "curvature": ("diagram.curvature",),
    "direction": ("axis",),
    "drift": ("velocity_along",),
    "floating": ("floating_base",),
    "folders": ("package_dirs",),
    "inflection_circle": ("diagram.inflection_circle",),
    "instant_centres": ("diagram.instant_centers",),
    "measure": ("series",),
    "merge": ("merge_fixed",),
    "moment": ("torque",),
    "passages": ("singularities",),
    "pin_on_line": ("point_on_line",),
    "plot_energy": ("plot.energy",),
    "plot_hodograph": ("plot.hodograph",),
    "plot_path": ("plot.path",),
    "plot_phase": ("plot.phase",),
    "plot_reactions": ("plot.reactions",),
    "plot_spectrum": ("plot.spectrum",),
    "plot_waterfall": ("plot.waterfall",),
    "quantities": ("names",),
    "rack": ("rack_and_pinion",),
    "second": ("acceleration",),
    "seconds": ("wall_time",),
    "singly": ("n_fallback",),
    "size": ("magnitude",),
    "slope_left": ("kkt_residual",),
    "slope_runs": ("n_gradients",),
    "softest": ("min_stiffness",),
    "special": ("critical_points",),
    "spin": ("angular_velocity_about", "omega", "angular_momentum_com"),
    "spread": ("distribution",),
    "starts_tried": ("n_starts",),
    "step_advice": ("recommended_step",),
    "stick_rate": ("stick_speed",),
    "stop": ("end_stop",),
    "translational": ("prismatic",),
    "transmission_angle": ("diagram.transmission_angle",),
    "units": ("display_unit",),
    "vector": ("torque",),
    "velocity_polygon": ("diagram.velocity_polygon",),
    "way": ("method",),
    "what": ("quantity",),
    "why_singly": ("fallback_reason",),
}


def new_word(word: object, known: Container[str]) -> str | None:
    """Return the known word that replaced an old one, or None."""
    return next((new for new in RENAMED.get(word, ()) if new in known), None) if isinstance(word, str) else None
