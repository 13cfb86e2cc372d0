"""Pictures of the pages, made by the code blocks of these pages: ``python docs/make_page_pictures.py [page ...]``.

Screenshots need Chromium or Chrome.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
ROW, LARGEST = 420, 1100  # height of pictures that stand side by side, and greatest side of one that stands alone [px]
# page -> picture -> what its blocks write, in rows; what stands behind # is what a page of the player shows
PICTURES: dict[str, dict[str, tuple[tuple[str, ...], ...]]] = {
    "../README": {"four_bar": (("four_bar.png",),), "rssr": (("rssr.html#frame=33&forces=1",),)},
    "tutorials/1_first_mechanism": {"wiper": (("wiper.png",),)},
    "tutorials/2_motor_and_springs": {"press": (("press.png",),)},
    "tutorials/4_rest_and_vibration": {"snap": (("snap.png",),)},
    "plots": {"plots": (("plots.png",),)},
    "diagrams": {
        "diagrams": (
            ("diagram.png", "graph.png", "centres.png"),
            ("velocities.png", "centrodes.png", "curvature.png"),
        )
    },
    "batches": {"batches": (("peaks.png",),)},
    "optimisation": {"optimisation": (("before_after.png",),), "front": (("front.png",),)},
    "uncertainty": {"tolerances": (("tornado.png", "histogram.png"),), "identify": (("fit.png",),)},
    "workspace": {
        "working_modes": (("modes.png",),),
        "workspace_five_bar": (("five_bar.png",),),
        "workspace_delta": (("delta.png",),),
        "workspace_stewart": (("stewart.png",),),
        "workspace_ur5": (("ur5.png",),),
        "manipulability": (("ellipse.png",),),
        "time_optimal": (("fast.png",),),
    },
    "synthesis": {"atlas_search": (("search.png",),), "atlas_sheet": (("sheet.png",),)},
}


def main(pages: list[str]) -> None:
    """Run the pages, and keep their pictures."""
    for page in pages or PICTURES:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = (HERE / f"{page}.md").read_text(encoding="utf-8")
            exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), {})
            for name, rows in PICTURES[page].items():
                save([[taken(part) for part in row] for row in rows], name)


def taken(part: str) -> Image.Image:
    """A picture that a block wrote, or a screenshot of a page that it wrote."""
    if ".html" not in part:
        return Image.open(part).convert("RGB")
    sys.path.insert(0, str(HERE.parent / "tests"))
    from browser import NO_BROWSER, Browser, find_browser

    program = find_browser()
    if program is None:
        sys.exit(NO_BROWSER)
    name, _, look = part.partition("#")
    with Browser(program) as browser:
        browser.open(f"{Path(name).resolve().as_uri()}#{look}", width=900, height=620, dark=False)
        return Image.fromarray(browser.picture().astype("uint8"))


def save(rows: list[list[Image.Image]], name: str) -> None:
    """One picture as it is, or several in rows, with few colours: enough for plots, and smaller."""
    alone = sum(map(len, rows)) == 1
    strips = [[scaled(p, min(LARGEST / max(p.size), 1.0) if alone else ROW / p.height) for p in row] for row in rows]
    out = Image.new(
        "RGB", (max(sum(p.width for p in row) for row in strips), sum(row[0].height for row in strips)), "white"
    )
    top = 0
    for row in strips:
        left = (out.width - sum(p.width for p in row)) // 2
        for picture in row:
            out.paste(picture, (left, top))
            left += picture.width
        top += row[0].height
    file = HERE / "images" / f"{name}.png"
    out.quantize(256).save(file, optimize=True)
    print(f"written: {file}", flush=True)


def scaled(picture: Image.Image, by: float) -> Image.Image:
    return picture.resize((round(picture.width * by), round(picture.height * by)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main(sys.argv[1:])
