"""Screenshots of the player for docs/pictures.md: ``python docs/make_pictures.py``. Needs Chromium or Chrome, and Pillow."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser import NO_BROWSER, Browser, find_browser  # noqa: E402
from pytrammel.examples import find  # noqa: E402

OUT = HERE / "images" / "machines"
PLANE = {
    "four_bar": "frame=70", "slider_crank": "frame=60&velocity=1", "trebuchet": "frame=150&hue=speed", "planetary_gears": "frame=60",
    "cam_roller": "frame=80&ghosts=3", "geneva": "frame=150", "andrews": "frame=200", "v_engine": "frame=60",
    "excavator_arm": "frame=60&reactions=1", "jansen_leg": "frame=50&ghosts=6", "vehicle": "frame=90&track=1&velocity=1",
    "newtons_cradle": "frame=70",
}  # fmt: skip
SPACE = {
    "rssr": "frame=60", "stewart_platform": "frame=30&forces=0", "suspension": "frame=200", "macpherson": "frame=40&velocity=1",
    "delta_robot": "frame=30", "bricard": "frame=50&forces=0", "differential": "frame=30", "governor": "frame=60",
    "swash_plate_pump": "frame=30", "robot_arm": "frame=60&ghosts=6&forces=0", "spinning_top": "frame=200&hue=speed",
    "bennett": "frame=60&acceleration=1",
}  # fmt: skip


def main() -> None:
    """Run the machines, open their pages, and keep pictures: each in the light, all together in the dark and on a phone."""
    program = find_browser()
    if program is None:
        sys.exit(NO_BROWSER)
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser(program) as browser:
        for kind, machines in (("plane", PLANE), ("space", SPACE)):
            pages = {}
            for name in machines:
                example = find(name)
                pages[name] = example.run().animate(Path(folder) / f"{name}.html", traces=example.traces).as_uri()
            for name, look in machines.items():
                save(shot(browser, f"{pages[name]}#{look}", 860, 560), f"{name}.webp", 640)
            dark = [shot(browser, f"{pages[n]}#{look}", 860, 560, dark=True) for n, look in machines.items()]
            save(sheet(dark, 3, 480), f"{kind}_dark.webp", 1440)
            phone = [shot(browser, f"{pages[n]}#{look}", 390, 780) for n, look in machines.items()]
            save(sheet(phone, 6, 240), f"{kind}_phone.webp", 1440)


def shot(browser: Browser, url: str, width: int, height: int, *, dark: bool = False) -> Image.Image:
    browser.open(url, width=width, height=height, dark=dark)
    return Image.fromarray(browser.picture().astype("uint8"))


def sheet(pictures: list[Image.Image], columns: int, width: int) -> Image.Image:
    """Pictures side by side."""
    small = [p.resize((width, round(p.height * width / p.width)), Image.Resampling.LANCZOS) for p in pictures]
    high = small[0].height
    out = Image.new("RGB", (columns * width, -(-len(small) // columns) * high))
    for k, picture in enumerate(small):
        out.paste(picture, ((k % columns) * width, (k // columns) * high))
    return out


def save(picture: Image.Image, name: str, width: int) -> None:
    shown = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    shown.save(OUT / name, quality=82, method=6)
    print(f"written: {OUT / name}", flush=True)


if __name__ == "__main__":
    main()
