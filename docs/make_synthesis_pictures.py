"""Pictures of docs/synthesis.md: ``python docs/make_synthesis_pictures.py``."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

import trammel as tm

IMAGES = Path(__file__).parent / "images"
# H. Yu, D. Tang, Z. Wang, Mechanism and Machine Theory 42 (2007) 383-392
EIGHT = [(-24, 40), (-30, 41), (-34, 40), (-38, 36), (-36, 30), (-28, 29), (-21, 31), (-17, 32), (-8, 34), (3, 37), (10, 41), (17, 41),
         (26, 39), (28, 33), (29, 26), (26, 23), (17, 23), (11, 24), (6, 27), (0, 31)]  # fmt: skip


def main() -> None:
    """Candidates of the atlas over a figure of eight with the fitted linkage, and a sheet."""
    atlas = tm.synthesis.atlas(kinds="four-bar")
    candidates = atlas.search(EIGHT, n=5)
    best = tm.synthesis.path_four_bars(EIGHT, starts=candidates, full_turn=True)[0]
    names = [*(f"candidate {k}" for k in range(1, 6)), "fitted"]
    tm.synthesis.plot_paths(EIGHT, [*candidates, best], names=names, path=IMAGES / "atlas_search.png")
    atlas.plot(first=104, rows=3, columns=4, path=IMAGES / "atlas_sheet.png")
    for name in ("atlas_search", "atlas_sheet"):  # a few colours are enough, and smaller
        file = IMAGES / f"{name}.png"
        Image.open(file).convert("RGB").quantize(48).save(file, optimize=True)


if __name__ == "__main__":
    main()
