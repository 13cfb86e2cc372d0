"""Test files may import the shared builders: ``from mechanisms import four_bar``."""

import os
import random
import signal
import sys
from pathlib import Path

# a suite started in the background may inherit that Ctrl-C is ignored, and so would all that it starts
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("TRAMMEL_COMPILERS", "1")  # the suite itself keeps all processors busy
os.environ["TRAMMEL_PLUGINS"] = "0"  # the suite does not depend on other packages; tests of plugins turn them on
sys.path.insert(0, str(Path(__file__).parent))

from suite import complete, pytest_addoption, pytest_configure  # noqa: F401


def pytest_collection_modifyitems(items: list) -> None:
    """Shuffle files, and the tests of each, where TRAMMEL_TEST_ORDER is a seed: no test may depend on another."""
    seed = os.environ.get("TRAMMEL_TEST_ORDER")
    if not seed:
        return
    shuffled = random.Random(int(seed))
    places = {path: shuffled.random() for path in sorted({str(item.path) for item in items})}
    ranks = {item.nodeid: shuffled.random() for item in items}
    items.sort(key=lambda item: (places[str(item.path)], ranks[item.nodeid]))
