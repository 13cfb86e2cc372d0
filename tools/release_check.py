"""What must hold before a release: the wheel, installed in a clean environment, does what the README says.

    python tools/release_check.py      # or: make release-check

Builds source archive and wheel, with kernels in it, installs the wheel in an environment of its own, runs the README's code and an
example there without compiling anything, compares the pictures with those that the sources make, builds the documentation, and lists the
licence of every dependency.
"""

from __future__ import annotations

import re
import sys
import tempfile
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path

from make_wheel import ROOT, SCRIPTS, add_kernels, build, call, exported, install, say

FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PICTURES = ("four_bar_drawing.png", "four_bar.html", "four_bar.png")
COMPILED = """
from pytrammel.kernels import jit
print("compiled:", [each.name for each in jit.all_kernels() if each._compiled is not None and not each.was_loaded()])
"""
OURS = {"pytrammel", "pip", "setuptools"}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder / "dist")
        print(f"{add_kernels(wheel, [exported(folder / 'own.kernels')])} kernels: {wheel.stat().st_size // 1000} kB")
        python = clean_environment(folder / "environment", wheel)
        agree_on_versions(python)
        run_readme(python, folder / "readme")
        same_pictures(python, folder)
        documentation(folder / "site")
        print_licences([Distribution.at(path) for path in site_packages(python).glob("*.dist-info")], "with the wheel")
    print_licences(distributions(), "for development")
    print("\nready for a release, as far as a machine can tell")
    return 0


def clean_environment(folder: Path, wheel: Path) -> Path:
    """Python of an environment that holds the wheel and what it needs for pictures and tables, nothing else."""
    say("install it in a clean environment")
    venv.create(folder, with_pip=True)
    python = folder / SCRIPTS / "python"
    install(python, f"{wheel}[view,table]")
    return python


def agree_on_versions(python: Path) -> None:
    """The package, the citation and the changelog name the same version."""
    installed = call([python, "-c", "import pytrammel; print(pytrammel.__version__)"]).strip()
    cited = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    logged = re.findall(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if [installed] != cited or installed != logged[0]:
        raise SystemExit(f"versions differ: package {installed}, CITATION.cff {cited}, CHANGELOG.md {logged[:1]}.")
    print(f"version {installed}")


def run_readme(python: Path, folder: Path) -> None:
    """The code of the README, where the sources are out of sight; nobody waits for the compiler."""
    say("run the README's code")
    folder.mkdir()
    (folder / "readme.py").write_text(readme_code() + COMPILED, encoding="utf-8")
    said = call([python, "readme.py"], cwd=folder, TRAMMEL_CACHE_DIR=str(folder / "cache"))
    if not said.endswith("compiled: []\n"):
        raise SystemExit(f"the wheel carries too few kernels; {said.splitlines()[-1]}.")
    missing = [name for name in ("four_bar.png", "four_bar.html", "rssr.html") if not (folder / name).exists()]
    if missing:
        raise SystemExit(f"the README's code did not write {', '.join(missing)}.")


def readme_code() -> str:
    """All Python of the README, one after the other."""
    return "\n".join(FENCE.findall((ROOT / "README.md").read_text(encoding="utf-8")))


def same_pictures(python: Path, folder: Path) -> None:
    """The wheel draws what the sources draw, to the last byte."""
    say("compare pictures of the wheel with those of the sources")
    for who, name in ((python, "from_wheel"), (Path(sys.executable), "from_sources")):
        call([who, "-m", "pytrammel.cli.main", "example", "four_bar", "--out", folder / name], cwd=folder)
    differing = [
        name
        for name in PICTURES
        if (folder / "from_wheel" / name).read_bytes() != (folder / "from_sources" / name).read_bytes()
    ]
    if differing:
        raise SystemExit(f"the wheel draws differently: {', '.join(differing)}.")
    print(*PICTURES, sep=", ")


def documentation(out: Path) -> None:
    """The whole site, gallery included; a warning is an error."""
    say("build the documentation")
    call([sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", ROOT / "docs", out])
    print(f"{len(list(out.rglob('*.html')))} pages")


def site_packages(python: Path) -> Path:
    return Path(call([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]).strip())


def print_licences(found: Iterable[Distribution], where: str) -> None:
    """The licence of every dependency; one without is an error."""
    say(f"licences of what is installed {where}")
    listed = {one.metadata["Name"]: licence(one) for one in found}
    for name in sorted(listed, key=str.lower):
        if name.lower() not in OURS:
            print(f"  {name:<32} {listed[name] or 'UNKNOWN'}")
    unknown = [name for name, words in listed.items() if not words and name.lower() not in OURS]
    if unknown:
        raise SystemExit(f"no licence is stated by: {', '.join(unknown)}.")


def licence(one: Distribution) -> str:
    """What a package states: an expression, its classifiers, or the first line of a text."""
    meta = one.metadata
    classifiers = [
        words.rpartition(" :: ")[2] for words in meta.get_all("Classifier", []) if words.startswith("License ::")
    ]
    # the backport importlib_metadata, once imported, raises KeyError for a field that is not there
    expression, text = ((meta.get_all(name) or [""])[0] for name in ("License-Expression", "License"))
    stated = expression or ", ".join(classifiers) or text.strip()
    return stated.splitlines()[0][:80] if stated else ""


if __name__ == "__main__":
    sys.exit(main())
