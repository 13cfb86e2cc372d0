"""Test files may import the shared builders: ``from mechanisms import four_bar``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
