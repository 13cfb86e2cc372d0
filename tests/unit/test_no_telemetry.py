"""The package opens no network connection: not on import, not in analyses, files, pictures and pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """\
import sys

opened = []


def hook(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request"):
        opened.append((event, str(arguments)))


sys.addaudithook(hook)
import pytrammel as tm
from pytrammel.examples import find

k = find("four_bar").run()
k.animate("page.html")
k.save("run.trammel")
k.model.save("model.toml")
tm.load("model.toml").mobility()
tm.load_result("run.trammel")
k.model.draw(path="picture.png")
SABOTAGE
assert not opened, opened
"""


def run(sabotage: str, folder: Path) -> subprocess.CompletedProcess[str]:
    code = SCRIPT.replace("SABOTAGE", sabotage)
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)


def test_analyses_files_and_pictures_open_no_connection(tmp_path):
    done = run("", tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_check_detects_a_connection(tmp_path):
    done = run("import socket; socket.getaddrinfo('localhost', 80)", tmp_path)
    assert done.returncode == 1
    assert "socket.getaddrinfo" in done.stderr
