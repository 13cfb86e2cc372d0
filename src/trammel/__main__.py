"""``python -m trammel``: the command, where its script is not on the path."""

import sys

from trammel.cli import main

sys.exit(main())
