"""The live view of spatial mechanisms."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pytrammel.errors import ModelError
from pytrammel.view.animation.live import RATE, LiveView
from pytrammel.view.scene.planar import Array
from space_scenes import crane, embedded, without_frames

# ---- live view

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
STILL = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))


class Listener(threading.Thread):
    """A browser that reads the stream to its end."""

    def __init__(self, view: LiveView, **headers: str) -> None:
        super().__init__(daemon=True)
        self.request = urllib.request.Request(view.url + "frames", headers=headers)
        self.frames: list[dict[str, Any]] = []
        self.ended = False
        self.kind = ""
        self.connected = threading.Event()
        self.start()
        assert self.connected.wait(20)

    def run(self) -> None:
        with OPENER.open(self.request, timeout=20) as answer:
            self.kind = answer.headers["Content-Type"]
            self.connected.set()
            for raw in answer:
                line = raw.decode("utf-8").rstrip("\n")
                if line == "event: end":
                    self.ended = True
                elif line.startswith("data: {"):
                    self.frames.append(json.loads(line[6:]))

    def finish(self) -> list[dict[str, Any]]:
        self.join(20)
        assert not self.is_alive()
        return self.frames


@pytest.fixture
def live() -> Iterator[LiveView]:
    with LiveView(without_frames(crane())) as view:
        yield view


def test_live_page_is_served_here_and_only_here(live: LiveView) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", live.url)
    with OPENER.open(live.url, timeout=20) as answer:
        page = answer.read().decode("utf-8")
    data = embedded(page)
    assert (data["live"], data["times"], data["bodies"][1]["p"]) == (True, [], [[], [], []])
    assert "connect-src 'self'" in page
    assert "://" not in page
    foreign = urllib.request.Request(live.url, headers={"Host": "elsewhere.example"})
    for request, code in ((foreign, 403), (urllib.request.Request(live.url + "etc/passwd"), 404)):
        with pytest.raises(urllib.error.HTTPError) as error:
            OPENER.open(request, timeout=20)
        assert error.value.code == code
        error.value.close()


def test_live_frames_reach_browsers_early_and_late(live: LiveView) -> None:
    early = Listener(live)
    for i in range(4):
        live.push(0.1 * i, np.full((3, 3), 0.001 * i), STILL, np.full((2, 6), float(i)))
        time.sleep(1.2 / RATE)
    late = Listener(live, **{"Last-Event-ID": "1"})
    live.close()
    assert [frame["t"] for frame in early.finish()] == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert early.frames[2]["p"] == [[2.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0]] * 3  # mm
    assert early.frames[3]["a"][1] == [3000.0, 3000.0, 3000.0, 3.0, 3.0, 3.0]  # mm, and N m as they are
    assert early.ended and early.kind == "text/event-stream"
    assert [frame["t"] for frame in late.finish()] == pytest.approx([0.2, 0.3])
    assert late.ended


def test_live_frames_are_limited_in_number_but_the_last_is_kept(live: LiveView) -> None:
    begun = time.monotonic()
    for i in range(2000):
        live.push(float(i), np.zeros((3, 3)), STILL)
    passed = time.monotonic() - begun
    listener = Listener(live)
    live.close()
    times = [frame["t"] for frame in listener.finish()]
    assert len(times) <= RATE * passed + 3
    assert (times[0], times[-1]) == (0.0, 1999.0)
    assert listener.frames[0]["a"] == [[0.0] * 6] * 2  # an arrow that is not given has no length


def test_live_frames_shown_late_are_shown_without_another_push(live: LiveView) -> None:
    listener = Listener(live)
    live.push(0.0, np.zeros((3, 3)), STILL)
    live.push(1.0, np.zeros((3, 3)), STILL)  # too soon after the first
    deadline = time.monotonic() + 20.0
    while len(listener.frames) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [frame["t"] for frame in listener.frames] == [0.0, 1.0]


def test_live_view_passes_over_what_it_cannot_show(live: LiveView) -> None:
    def push(at: float, position: float = 0.0, parameters: Array = STILL) -> None:
        time.sleep(1.2 / RATE)
        live.push(at, np.full((3, 3), position), parameters)

    push(1.0)
    push(1.0)
    push(0.5)
    push(2.0, np.nan)
    push(np.inf)
    push(3.0, parameters=np.zeros((3, 4)))
    push(4.0, parameters=1.5 * STILL)
    with pytest.raises(ModelError, match=r"positions of a live frame have shape \(2, 3\), must be \(3, 3\)"):
        live.push(5.0, np.zeros((2, 3)), STILL)
    with pytest.raises(ModelError, match="arrows of a live frame"):
        live.push(5.0, np.zeros((3, 3)), STILL, np.zeros((1, 6)))
    listener = Listener(live)
    live.close()
    live.push(6.0, np.zeros((3, 3)), STILL)
    live.close()
    assert [(frame["t"], frame["p"][0][3]) for frame in listener.finish()] == [(1.0, 1.0), (4.0, 1.0)]


def test_live_view_does_not_mind_a_browser_that_goes_away(live: LiveView) -> None:
    answer = OPENER.open(live.url + "frames", timeout=20)
    live.push(0.0, np.zeros((3, 3)), STILL)
    assert answer.readline().startswith(b"id: ")
    answer.close()
    for i in range(5):
        time.sleep(1.2 / RATE)
        live.push(1.0 + i, np.zeros((3, 3)), STILL)
    stays = Listener(live)
    live.close()
    assert [frame["t"] for frame in stays.finish()] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_live_view_copies_the_arrays_of_the_simulation(live: LiveView) -> None:
    positions = np.zeros((3, 3))
    for i in range(2):  # the second is held back until its turn comes
        positions[:] = i
        live.push(float(i), positions, STILL)
    positions[:] = 99.0
    listener = Listener(live)
    live.close()
    assert [frame["p"][0][0] for frame in listener.finish()] == [0.0, 1000.0]


def test_live_view_begins_with_the_frames_of_its_scene() -> None:
    with LiveView(crane(n=3)) as view:
        listener = Listener(view)
        view.push(9.0, np.zeros((3, 3)), STILL)
    frames = listener.finish()
    assert [frame["t"] for frame in frames] == [0.0, 1.0, 2.0, 9.0]
    np.testing.assert_allclose(frames[1]["p"][2][:3], 1000.0 * crane(n=3).bodies[2].positions[1], atol=5e-4)


def test_live_view_frees_its_port_and_says_when_one_is_taken() -> None:
    with LiveView(without_frames(crane())) as view:
        port = view.port
        with pytest.raises(OSError):
            LiveView(without_frames(crane()), port=port)
    with LiveView(without_frames(crane()), port=port) as again:
        assert again.port == port


def test_live_view_keeps_every_second_frame_of_a_very_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytrammel.view.animation.live.MAX_KEPT", 8)
    monkeypatch.setattr("pytrammel.view.animation.live.RATE", 1e9)
    with LiveView(without_frames(crane())) as view:
        for i in range(20):
            time.sleep(1e-4)  # more than 1 / RATE
            view.push(float(i), np.zeros((3, 3)), STILL)
        listener = Listener(view)
    times = [frame["t"] for frame in listener.finish()]
    assert len(times) <= 8 and times == sorted(times) and (times[0], times[-1]) == (0.0, 19.0)
