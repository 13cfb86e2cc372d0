"""Write docs/sources/*.md: python -m sources (in tests)."""

from __future__ import annotations

import sys

from pytrammel._util.atomic_write import write_whole

from . import pages
from .page import FOLDER

if __name__ == "__main__":
    for page in pages.PAGES:
        write_whole(FOLDER / page.file, page.text())
        print(f"{page.file}: {sum(len(s.rows) for s in page.sections)} rows", file=sys.stderr)
