"""``python -m pytrammel``: the command, where its script is not on the path."""

import sys

from pytrammel.cli.main import main

sys.exit(main())
