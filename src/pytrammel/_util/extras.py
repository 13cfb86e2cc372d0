"""Name of the distribution on the package index, its dependencies and extras, and the commands that install them."""

from __future__ import annotations

DISTRIBUTION = "pytrammel"
DEPENDENCIES = ("numpy", "scipy", "numba", "llvmlite")  # llvmlite: compiler of Numba, of the same release
# distributions that extras for users install; a test compares them with pyproject.toml
EXTRAS = {
    "view": ("matplotlib",),
    "table": ("pandas",),
    "sundials": ("scikit-sundae",),
    "yaml": ("ruamel.yaml",),
    "xarray": ("xarray",),
    "cluster": ("distributed",),
    "gpu": ("cupy-cuda13x",),
    "parquet": ("pyarrow",),
    "hdf5": ("h5py",),
}


def install_command(extra: str) -> str:
    """Shell command that installs an extra, for messages; the brackets are quoted for zsh."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
