"""One verb per file: assemble, mobility, kinematics."""
