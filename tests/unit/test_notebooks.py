"""In notebooks: models, results and what was found show themselves; plots appear once; bars move; the example notebooks run."""

from __future__ import annotations

import functools
import html
import json
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import pytrammel as tm
from pytrammel._util import progress
from pytrammel.examples import find
from pytrammel.view import notebook

pytest.importorskip("matplotlib")
FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
LARGEST = 100_000  # letters that an object may put into a notebook


@functools.cache
def swing() -> Any:
    m = tm.PlanarModel("swing <1>")
    m.body("b", position=(0.4, 0.0), mass=2.0, inertia=0.05)
    m.revolute("A", m.ground, "b", at=(0.0, 0.0))
    return m


@functools.cache
def run() -> Any:
    return swing().simulate(2.0, samples=2001)


THINGS: dict[str, Any] = {
    "model": swing, "spatial model": lambda: find("stewart_platform").build(), "result": run, "one instant": lambda: run().at(0.5),
    "pieces": lambda: run()._pieces[0], "equilibrium": lambda: swing().equilibrium(),
    "mobility": lambda: swing().mobility(), "linear model": lambda: swing().equilibrium().linearize(),
    "matrices": lambda: swing().matrices(), "potential": lambda: swing().potential_energy(), "graph": lambda: swing().graph(),
    "partition": lambda: swing().partition(), "extremes": lambda: run().extremes("A.angle"),
    "centres": lambda: find("four_bar").run().diagram.instant_centers(),
    "polygon": lambda: find("four_bar").run().diagram.velocity_polygon(0.1),
    "angle": lambda: find("four_bar").run().diagram.transmission_angle("C"), "empty model": lambda: tm.PlanarModel("empty"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
@pytest.mark.parametrize("name", THINGS)
def test_things_show_themselves_in_little_space(name: str) -> None:
    thing = THINGS[name]()
    page = thing._repr_html_()
    assert 30 < len(page) < LARGEST
    assert "<1>" not in page  # names are escaped
    assert page.count("<table") == page.count("</table>") and page.count("<div") == page.count("</div>")
    assert len(repr(thing)) < 400


def test_reprs_of_what_users_hold_are_short() -> None:
    s, m = run(), swing()
    held = [
        m, m["b"], m["A"], m["A"].angle, m.ground, s, s["b"], s["A"], s.energy, s.reaction("A"), s.series("A.angle"), s.dynamics,
        s._system, s._segments, s.spectrum("A.angle"), s.statistics("A.angle"), m.assemble(), tm.overlay([s]), tm.Event("e", "t - 1"),
        s.diagram.curvature(m["b"].at(0.1, 0.0)), s.diagram.centrodes("b"), s.animate(),
    ]  # fmt: skip
    assert {type(each).__name__: len(repr(each)) for each in held if len(repr(each)) > 600} == {}


def test_a_model_shows_its_diagram_and_tables_a_result_its_summary_and_plots() -> None:
    page = swing()._repr_html_()
    assert "<svg" in page and "A (R)" in page and "revolute" in page
    page = run()._repr_html_()
    assert "2001 instants" in page and ("<svg" in page or "data:image/png" in page) and "A.angle" in page


def test_animations_are_apart_from_each_other_and_from_the_notebook() -> None:
    one, two = run().animate(), find("rssr").run().animate()
    for each in (one, two):
        page = each._repr_html_()
        assert 'sandbox="allow-scripts"' in page and page.count("<iframe") == 1
        inside = html.unescape(re.search(r'srcdoc="([^"]*)"', page)[1])  # type: ignore[index]
        assert inside == each.page and inside.lstrip().lower().startswith("<!doctype html")
        assert "http://" not in inside.replace("http://www.w3.org", "") and "src=" not in inside
    assert "Animation of 'swing <1>'" in repr(one)


class Kernel:
    """What a notebook's shell looks like from inside."""

    def __init__(self) -> None:
        self.kernel = self
        self.events = self
        self.callbacks: dict[str, list[Any]] = {"post_execute": []}
        self.shown: list[Any] = []
        self.updates: list[Any] = []

    def register(self, event: str, function: Any) -> None:
        self.callbacks[event].append(function)

    def display(self, data: Any, **options: Any) -> Kernel:
        self.shown.append(data)
        return self

    def update(self, data: Any, **options: Any) -> None:
        self.updates.append(data)

    def end_of_cell(self) -> None:
        for function in self.callbacks["post_execute"]:
            function()


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel()
    ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: made  # type: ignore[attr-defined]
    display.display = made.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(notebook, "_waiting", [])
    return made


def test_plots_appear_once_at_the_end_of_their_cell(kernel: Kernel) -> None:
    from matplotlib.figure import Figure

    run().plot("A.angle").set_title("later")
    run().plot.energy()
    run().plot("A.angle", ax=Figure().add_subplot())  # the user's own figure is the user's
    swing()._repr_html_()
    assert kernel.shown == []
    kernel.end_of_cell()
    assert [sorted(data) for data in kernel.shown] == [["image/png", "text/plain"]] * 2
    kernel.end_of_cell()
    assert len(kernel.shown) == 2 and len(kernel.callbacks["post_execute"]) == 1


def test_a_bar_moves_below_its_cell_and_goes_at_the_end(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    with progress.Progress("four-bar") as bar:
        for fraction in (0.1, 0.5, 0.9):
            now[0] += 2.0
            bar.update(fraction)
    assert "four-bar <progress" in kernel.shown[0]["text/html"] and len(kernel.shown) == 1
    assert [data["text/html"] for data in kernel.updates][-1] == "" and 'value="0.900"' in kernel.updates[1][
        "text/html"
    ]


NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_example_notebooks_hold_no_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert cells and not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_example_notebooks_run_and_every_last_line_shows_something(path: Path) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    pictures = 0
    for cell in book.cells:
        if cell.cell_type == "code":
            kinds = [set(output.get("data", {})) for output in cell.outputs]
            assert not any(output.output_type == "error" for output in cell.outputs)
            assert not any(output.get("name") == "stderr" for output in cell.outputs), cell.outputs
            assert any(kind & {"text/html", "image/png"} for kind in kinds), cell.source
            pictures += sum("image/png" in kind for kind in kinds)
            assert sum("image/png" in kind for kind in kinds) <= cell.source.count("plot"), cell.source
    assert pictures >= 1


LONG_RUN = """
import pytrammel as tm
from pytrammel._util import progress
progress.SHOWN_AFTER = progress.REDRAWN_EVERY = 0.0  # as if the run were long: no test waits for a clock
m = tm.PlanarModel("swing")
m.body("b", position=(0.4, 0.0), mass=2.0, inertia=0.05)
m.revolute("A", m.ground, "b", at=(0.0, 0.0))
r = m.simulate(200.0, samples=20001)
print(len(r))
"""


def test_a_long_run_in_a_real_notebook_shows_a_bar_and_takes_it_away() -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    sent: list[tuple[str, str]] = []

    class Client(nbclient.NotebookClient):  # type: ignore[misc, name-defined]
        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            if msg["msg_type"] in ("display_data", "update_display_data"):
                sent.append((msg["msg_type"], msg["content"]["data"]["text/html"]))
            return super().process_message(msg, cell, cell_index)

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LONG_RUN)])
    Client(book, timeout=300, kernel_name="python3").execute()
    # one bar, which changes
    assert [kind for kind, _ in sent].count("display_data") == 1 and sent[0][0] == "display_data"
    assert len(sent) > 2 and all("<progress" in page for _, page in sent[:-1])
    assert sent[-1] == ("update_display_data", "")
    shown = [output for output in book.cells[0].outputs if output.get("data", {}).get("text/html")]
    assert not shown and book.cells[0].outputs[-1].text.strip() == "20001"
