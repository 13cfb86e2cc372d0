"""The gallery: a picture and an animation of every bundled example, made while the site is built."""

from __future__ import annotations

import contextlib
import hashlib
import html
import io
import warnings
from pathlib import Path
from typing import Any

import pytrammel as tm
from pytrammel import examples

KINDS = ("In the plane", "In space", "Decks of KAP and DAP")


def write(page: Path, extra: Path, only: list[str] | None = None) -> None:
    """The page, and beside it a folder that is copied to the site: animations/NAME.html and pictures/NAME.png.

    Args:
        only: Names of the examples to show; all by default.
    """
    names = only or examples.names()
    shown: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for folder in ("animations", "pictures"):
        (extra / folder).mkdir(parents=True, exist_ok=True)
    looks = _looks()
    for name in names:
        example = examples.find(name)
        _show(example, extra, looks)
        shown[_kind(example)].append(_entry(example))
    lines = [
        "# Gallery",
        "",
        f"{len(names)} mechanisms that come with Trammel. A click on a picture plays the motion in the browser; "
        "`pytrammel example NAME` runs one, `pytrammel example --source NAME` prints its Python, `pytrammel new NAME` gives it as a "
        "model file.",
    ]
    for kind, entries in shown.items():
        lines += ["", f"## {kind}", "", "```{raw} html", '<div class="gallery">', *entries, "</div>", "```"]
    text = "\n".join(lines) + "\n"
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _kind(example: examples.Example) -> str:
    if example.name.startswith(("kap_", "dap_")):
        return KINDS[2]
    return KINDS[1] if isinstance(example.build(), tm.SpatialModel) else KINDS[0]


def _entry(example: examples.Example) -> str:
    name, words = example.name, html.escape(example.description)
    return (
        f'<figure id="{name}"><a href="../animations/{name}.html"><img src="../pictures/{name}.png" alt="{words}" loading="lazy"></a>'
        f"<figcaption><code>{name}</code> {words}</figcaption></figure>"
    )


def _show(example: examples.Example, extra: Path, looks: bytes) -> None:
    """Picture and animation, unless those there are of the same example and the same way of drawing."""
    picture, film = extra / "pictures" / f"{example.name}.png", extra / "animations" / f"{example.name}.html"
    stamp = extra / "pictures" / f".{example.name}"
    known = hashlib.sha256(example.source().encode() + looks).hexdigest()
    if picture.exists() and film.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == known:
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")  # what a run doubts is for who runs it
        result: Any = example.run()
        with matplotlib.rc_context({"savefig.dpi": 80}):
            result.draw(path=picture, traces=example.traces)
        pyplot.close("all")
        result.animate(film, traces=example.traces)
    stamp.write_text(known, encoding="utf-8")


def _looks() -> bytes:
    """What decides how a motion is drawn."""
    view = Path(tm.__file__).parent / "view"
    files = sorted(path for path in view.rglob("*") if path.suffix in (".py", ".html", ".css", ".js"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).digest()
