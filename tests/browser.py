"""A headless Chromium for tests, spoken to with what Python has: the browser's debugging protocol over a websocket of our own."""

from __future__ import annotations

import base64
import io
import itertools
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NO_BROWSER = f"no browser: none of {', '.join(NAMES)} is on the path, and TRAMMEL_BROWSER does not name one"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--mute-audio", "--remote-debugging-port=0",
    "--force-device-scale-factor=1",
)  # fmt: skip
HARMLESS = "GPU stall due to ReadPixels"
"""What a browser without a graphics card says about taking a screenshot."""


def find_browser() -> str | None:
    """The browser to test with, or None."""
    given = os.environ.get("TRAMMEL_BROWSER")
    return given or next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One browser with one page. Use it in a ``with`` statement."""

    def __init__(self, program: str) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.console: list[str] = []
        self._numbers = itertools.count(1)
        self._socket = _WebSocket(self._address())
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def _address(self) -> str:
        file = Path(self._folder.name) / "DevToolsActivePort"
        for _ in range(600):
            if file.exists() and len(lines := file.read_text(encoding="utf-8").split()) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            time.sleep(0.05)
        raise TimeoutError("the browser did not start")

    def _ask(self, method: str, given: dict[str, Any] | None = None, session: str | None = None) -> Any:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": given or {}} | ({"sessionId": session} if session else {})
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.receive())
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._hear(answer)

    def _hear(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled":
            self._note(" ".join(str(a.get("value", a.get("description"))) for a in given["args"]))
        elif event.get("method") == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self._note(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Log.entryAdded":
            self._note(given["entry"]["text"])

    def _note(self, text: str) -> None:
        if HARMLESS not in text:
            self.console.append(text)

    def ask(self, method: str, **given: Any) -> Any:
        """Call a method of the page."""
        return self._ask(method, given, self._session)

    def open(self, url: str, *, width: int = 1000, height: int = 700, dark: bool = False, still: bool = False) -> None:
        """Load a page at a size, in a theme, with or without reduced motion, and wait until it is drawn."""
        self.console.clear()
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
        ]
        self.ask("Emulation.setEmulatedMedia", features=features)
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && !!document.getElementById('time').textContent")

    def run(self, code: str) -> Any:
        """Value of an expression on the page; promises are waited for."""
        found = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{code}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        for _ in range(400):
            try:
                if self.run(condition):
                    return
            except RuntimeError:
                pass
            time.sleep(0.05)
        raise TimeoutError(f"never true on the page: {condition}; console: {self.console}")

    def settle(self) -> None:
        """Wait until what was asked for has been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def key(self, key: str) -> None:
        """Press a key."""
        code = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **(code if kind == "keyDown" else {}))
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
        """Drag with the left button."""
        button = {"button": "left", "buttons": 1, "clickCount": 1}
        self.ask("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], **button)
        for k in range(1, steps + 1):
            x, y = (a + (b - a) * k / steps for a, b in zip(start, end, strict=True))
            self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], **button)
        self.settle()

    def picture(self) -> NDArray[np.int16]:
        """What is to be seen, shape (height, width, 3)."""
        from PIL import Image

        self.settle()
        data = base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=np.int16)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait(20)
        self._folder.cleanup()


class _WebSocket:
    """Text messages over a websocket, as far as the debugging protocol needs them."""

    def __init__(self, address: str) -> None:
        url = urllib.parse.urlparse(address)
        self._socket = socket.create_connection((url.hostname or "", url.port or 80), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._buffer = b""
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self._socket.recv(4096)
        self._buffer = self._buffer.split(b"\r\n\r\n", 1)[1]

    def send(self, text: str) -> None:
        data, mask = text.encode(), os.urandom(4)
        n = len(data)
        head = struct.pack("!BB", 0x81, 0x80 | n) if n < 126 else (
            struct.pack("!BBH", 0x81, 0xFE, n) if n < 65536 else struct.pack("!BBQ", 0x81, 0xFF, n)
        )  # fmt: skip
        self._socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self) -> str:
        whole = b""
        while True:
            first, second = self._take(2)
            n = second & 0x7F
            if n == 126:
                (n,) = struct.unpack("!H", self._take(2))
            elif n == 127:
                (n,) = struct.unpack("!Q", self._take(8))
            data = self._take(n)
            if first & 0x0F in (0, 1):
                whole += data
                if first & 0x80:
                    return whole.decode()
            elif first & 0x0F == 8:
                raise ConnectionError("the browser closed the connection")

    def _take(self, n: int) -> bytes:
        while len(self._buffer) < n:
            more = self._socket.recv(65536)
            if not more:
                raise ConnectionError("the browser has gone")
            self._buffer += more
        taken, self._buffer = self._buffer[:n], self._buffer[n:]
        return taken

    def close(self) -> None:
        self._socket.close()
