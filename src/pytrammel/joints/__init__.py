"""One file per family of joints, constraints and drivers; each builder becomes a method of the model.

To add a type, add a file here with a function decorated by `constraint_type`. Nothing else needs to know.
"""
