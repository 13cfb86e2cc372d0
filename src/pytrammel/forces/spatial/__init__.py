"""Force elements of spatial models that have no planar counterpart; every file here is found by itself."""
