"""Whether a notebook runs this program, and which."""

from __future__ import annotations

import sys
from typing import Any


def shell() -> Any | None:
    """IPython's shell in a notebook; None in a terminal or a script."""
    module = sys.modules.get("IPython")
    found = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    return found if getattr(found, "kernel", None) is not None else None
