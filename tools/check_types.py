"""Check types with mypy: the package, and scripts as users write them.

    python tools/check_types.py                  # all of the following
    python tools/check_types.py package          # the implementation, without the stub of the package
    python tools/check_types.py users            # examples, code of the documentation, tests/user_scripts/correct.py
    python tools/check_types.py mistakes         # every mistake in tests/user_scripts/mistakes.py is reported

mypy reads `x.pyi` in place of `x.py`. The package is therefore checked in a copy that lacks `__init__.pyi`, and scripts are checked
against the package with it. Scripts are checked with `--strict`; functions in code of the documentation need no annotations.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
STUB = Path("src/pytrammel/__init__.pyi")
SCRIPTS = ROOT / "tests" / "user_scripts"
CACHE = ROOT / ".mypy_cache"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WRONG = re.compile(r"#.*\bwrong\b")
PLACE = re.compile(r"^(?P<file>[^:\n]+\.py):(?P<line>\d+):(?:\d+:)? error: (?P<text>.*)$", re.MULTILINE)
BRIEF = "--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls", "--check-untyped-defs"
SKIPPED = {"CONTRIBUTING.md", "plugins.md"}  # their code is files of the package, which tests try


def package(changes: Mapping[str, str] | None = None) -> str:
    """Errors in a copy of the package without its stub.

    Args:
        changes: Other texts for files of the copy, by path from the root of the repository.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(SRC, copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        (copy / STUB).unlink()
        for path, text in (changes or {}).items():
            (copy / path).write_text(text, encoding="utf-8")
        return mypy(["--cache-dir", str(CACHE / "package")], copy)


def scripts(files: Mapping[str, str], *options: str) -> str:
    """Errors in scripts of users.

    Args:
        files: Texts of the scripts by name.
        options: Further options of mypy.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "pyproject.toml", folder)
        found = ["--config-file", "pyproject.toml", "--cache-dir", str(CACHE / "users"), *options]
        errors = mypy([*found, *sorted(files)], Path(folder), MYPYPATH=str(SRC))
    return "".join(line for line in errors.splitlines(keepends=True) if "/" not in line.partition(":")[0])


def mypy(arguments: list[str], folder: Path, **variables: str) -> str:
    """Errors that mypy prints; empty if there are none."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", *arguments]
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    done = subprocess.run(command, cwd=folder, env=environment | variables, capture_output=True, text=True, check=False)
    if done.returncode > 1 or done.stderr.strip():
        raise RuntimeError(f"mypy failed:\n{done.stdout}{done.stderr}")
    return done.stdout if done.returncode else ""


def examples() -> dict[str, str]:
    """Example files of the package, as scripts by name."""
    folder = SRC / "pytrammel" / "examples"
    return {f"example_{file.name}": file.read_text(encoding="utf-8") for file in sorted(folder.glob("[!_]*.py"))}


def pages() -> dict[str, str]:
    """Code of the documentation, a script for each page with the line numbers of the page."""
    found = {}
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]):
        path = page.relative_to(ROOT)
        if page.name not in SKIPPED and not {"_build", "made"} & set(path.parts):
            code = code_of(page.read_text(encoding="utf-8"))
            if code.strip():
                found["_".join(path.with_suffix("").parts).replace("-", "_") + ".py"] = code
    return found


def code_of(page: str) -> str:
    """Python code of a page; other lines are empty."""
    lines = [""] * (page.count("\n") + 1)
    for block in FENCE.finditer(page):
        first = page.count("\n", 0, block.start(1))
        code = block[1].splitlines()
        lines[first : first + len(code)] = code
    return "\n".join(lines) + "\n"


def overlooked(source: str, errors: str) -> Iterator[str]:
    """Lines with a mistake that no error names, and errors in lines without a mistake."""
    lines = source.splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if WRONG.search(line)}
    reported = {int(found["line"]): found["text"] for found in PLACE.finditer(errors)}
    for number in sorted(wrong - reported.keys()):
        yield f"line {number} is not reported: {lines[number - 1]}"
    for number in sorted(reported.keys() - wrong):
        yield f"line {number} is correct, but reported: {lines[number - 1]}: {reported[number]}"


def users() -> str:
    """Errors in examples, in code of the documentation and in the script of correct use."""
    correct = (SCRIPTS / "correct.py").read_text(encoding="utf-8")
    return scripts({**examples(), "correct.py": correct}) + scripts(pages(), *BRIEF, "--allow-redefinition")


def mistakes() -> str:
    """Mistakes that mypy does not report."""
    source = (SCRIPTS / "mistakes.py").read_text(encoding="utf-8")
    return "\n".join(overlooked(source, scripts({"mistakes.py": source})))


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and print what they find."""
    checks = {"package": package, "users": users, "mistakes": mistakes}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("check", nargs="*", choices=[*checks, []], help="checks to run; all by default")
    chosen = parser.parse_args(arguments).check or list(checks)
    failed = 0
    for name in chosen:
        found = checks[name]()
        print(f"types, {name}: {'no errors' if not found.strip() else ''}")
        print(found, end="")
        failed += bool(found.strip())
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
