"""One file per family of forces; each builder becomes a method of the model.

To add a type, add a file here with a function decorated by `force_type`. Nothing else needs to know.
"""
