"""Lowering: from a described model to flat arrays that the kernels run on."""
