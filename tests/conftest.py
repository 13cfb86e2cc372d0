"""Test files may import the shared builders: ``from mechanisms import four_bar``."""

import os
import signal
import sys
from pathlib import Path

# a suite started in the background may inherit that Ctrl-C is ignored, and so would all that it starts
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("TRAMMEL_COMPILERS", "1")  # the suite itself keeps all processors busy
sys.path.insert(0, str(Path(__file__).parent))
