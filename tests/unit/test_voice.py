"""The check of wording: it finds house words, fails above its maximum, and the maximum only falls."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = '"""Length of a rope."""\n\n\ndef length(rope):\n    """Return the length [m]."""\n    return rope.length\n'


@pytest.fixture
def project(tmp_path):
    """A project of one file without findings, and the program with its settings."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "voice_lint.py", tmp_path / "tools")
    (tmp_path / "rope.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[tool.voice]\npaths = ["rope.py"]\nmax-findings = 0\n', encoding="utf-8")
    return tmp_path


def lint(project, *arguments):
    command = [sys.executable, "tools/voice_lint.py", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def maximum(project):
    return tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["voice"]["max-findings"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('def f():\n    """Whether the rope is taut."""\n', "V05"),
        ('def f():\n    raise ValueError("the rope says that nothing holds it")\n', "V10"),
        ("LIMIT = 3  # of a rope whose pulley was lost\n", "V02"),
        ("def said(rope):\n    pass\n", "V80"),
    ],
)
def test_a_new_finding_fails_and_the_maximum_does_not_rise(project, text, rule):
    assert lint(project).returncode == 0
    (project / "rope.py").write_text(GOOD + text, encoding="utf-8")
    done = lint(project, "--lower")
    assert done.returncode == 1 and "the maximum is 0" in done.stderr and rule in done.stdout
    assert maximum(project) == 0
    assert f"{rule} " in lint(project, "rope.py").stdout


def test_the_maximum_falls_with_the_count(project):
    (project / "pyproject.toml").write_text('[tool.voice]\npaths = ["rope.py"]\nmax-findings = 7\n', encoding="utf-8")
    assert "--lower" in lint(project).stdout and maximum(project) == 7
    assert lint(project, "--lower").returncode == 0 and maximum(project) == 0


def test_lint_reads_all_texts_for_users():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["voice"]
    assert {"README.md", "docs", "src"} <= set(settings["paths"])
    assert all((ROOT / path).exists() for path in settings["paths"])
    assert (
        "tools/voice_lint.py"
        in (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nlint:")[2].partition("\n\n")[0]
    )
