"""Pictures of the pages on design, made by the code blocks of these pages: ``python docs/make_design_pictures.py [page ...]``."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
HEIGHT = 560
# page -> picture -> what its blocks write, side by side
PICTURES: dict[str, dict[str, tuple[str, ...]]] = {
    "batches": {"batches": ("peaks.png",)},
    "optimisation": {"optimisation": ("before_after.png",), "front": ("front.png",)},
    "uncertainty": {"tolerances": ("tornado.png", "histogram.png"), "identify": ("fit.png",)},
    "synthesis": {"atlas_search": ("search.png",), "atlas_sheet": ("sheet.png",)},
}


def main(pages: list[str]) -> None:
    """Run the pages, and keep their pictures."""
    for page in pages or PICTURES:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = (HERE / f"{page}.md").read_text(encoding="utf-8")
            exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), {})
            for name, parts in PICTURES[page].items():
                save([Image.open(part) for part in parts], name)


def save(pictures: list[Image.Image], name: str) -> None:
    """Side by side, with few colours: enough for plots, and smaller."""
    same = [
        p.convert("RGB").resize((round(p.width * HEIGHT / p.height), HEIGHT), Image.Resampling.LANCZOS)
        for p in pictures
    ]
    out = Image.new("RGB", (sum(p.width for p in same), max(p.height for p in same)), "white")
    left = 0
    for picture in same:
        out.paste(picture, (left, 0))
        left += picture.width
    file = HERE / "images" / f"{name}.png"
    out.quantize(64).save(file, optimize=True)
    print(f"written: {file}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
