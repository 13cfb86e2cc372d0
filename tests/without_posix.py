"""Plugin for pytest: ``python -m pytest -p without_posix`` runs tests as on a system without the names of POSIX."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import other_systems

other_systems.remove_names()
