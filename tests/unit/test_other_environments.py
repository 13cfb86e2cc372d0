"""The environments of `make test-elsewhere`: what they cover, and what is reported of them."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import ruamel.yaml as yaml

from other_systems import needs

sys.path.insert(0, str(Path(__file__).parents[2] / ".ci"))
import elsewhere
import pythons


def test_environments_cover_processors_threads_seeds_orders_and_pythons():
    places = elsewhere.environments()

    def values(name):
        return {place.variables[name] for place in places if name in place.variables}

    assert {"SkylakeX", "Haswell", "Zen", "Nehalem"} <= values("OPENBLAS_CORETYPE")
    assert values("OPENBLAS_NUM_THREADS") == {"1", "2"} and len(values("PYTHONHASHSEED")) == 3
    assert values("NUMBA_CPU_NAME") == {"generic"} and len(values("TRAMMEL_TEST_ORDER")) == 2
    assert elsewhere.supported()[0] in {place.python for place in places}
    assert len({place.name for place in places}) == len(places)


def test_failed_tests_are_reported_per_environment(monkeypatch, capsys):
    output = ".F\nFAILED tests/unit/test_a.py::test_b[1] - AssertionError: x\nERROR tests/unit/test_c.py\n1 failed\n"
    runs = []

    def run(command, **options):
        runs.append((command, options["env"].get("OPENBLAS_CORETYPE")))
        return SimpleNamespace(
            returncode=int(command[-1] == "search"), stdout=output if command[-1] == "search" else ""
        )

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(elsewhere, "features", lambda: {"AVX2": True})
    monkeypatch.setattr(elsewhere, "environments", lambda: [
        elsewhere.Elsewhere("haswell", {"OPENBLAS_CORETYPE": "Haswell"}, "AVX2"),
        elsewhere.Elsewhere("skylakex", {"OPENBLAS_CORETYPE": "SkylakeX"}, "AVX512F"),
    ])  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["elsewhere.py"])
    assert elsewhere.main() == 1
    assert [(command[-1], core) for command, core in runs] == [(elsewhere.CHECK, "Haswell"), ("search", "Haswell")]
    said = capsys.readouterr().out
    summary = said[said.index("haswell: failed") :]
    assert "test_a.py::test_b[1]" in summary and "test_c.py" in summary
    assert "skylakex: not run" in summary and "AVX512F" in summary


def test_the_order_of_tests_is_shuffled_and_repeatable(monkeypatch):
    import conftest

    def ordered(seed):
        monkeypatch.setenv("TRAMMEL_TEST_ORDER", seed)
        items = [SimpleNamespace(path=f"f{k % 3}", nodeid=f"f{k % 3}::t{k}") for k in range(30)]
        conftest.pytest_collection_modifyitems(items)
        return [item.nodeid for item in items]

    first, plain = ordered("1"), ordered("")
    assert ordered("1") == first != ordered("2") and sorted(first) == sorted(plain)
    files = [each.split("::")[0] for each in first]
    assert sum(a != b for a, b in itertools.pairwise(files)) == 2  # shared fixtures are made once


def test_an_unknown_environment_is_answered_with_the_known_ones(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["elsewhere.py", "z80"])
    with pytest.raises(SystemExit):
        elsewhere.main()
    assert "z80" in capsys.readouterr().err


ROOT = Path(__file__).parents[2]


def makefile():
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_make_target_has_a_plain_command():
    phony = next(line for line in makefile().splitlines() if line.startswith(".PHONY:"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| target | plain command |")[2].partition("\n\n")[0]
    rows = [line.split("|") for line in table.splitlines() if line.count("|") > 2]
    first = " ".join(row[1] for row in rows)
    assert {target for target in phony.split()[1:] if f"`{target}`" not in first} == set()
    assert not [row for row in rows[1:] if "`" not in row[2] and "delete" not in row[2]]
    assert "`make" not in table.replace("| `make", "")


def test_scripts_and_the_makefile_install_and_select_the_same():
    assert f".[{pythons.EXTRAS}]" in makefile() and f'-m "{elsewhere.CHECK}"' in makefile()
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f".[{pythons.EXTRAS}]" in workflow and f".[{pythons.EXTRAS}]" in readme and elsewhere.CHECK in readme


def test_the_workflow_names_three_systems_and_every_supported_python_and_says_that_it_has_not_run():
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert text.startswith("# NOT YET RUN")
    matrix = yaml.YAML(typ="safe").load(text)["jobs"]["suite"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "windows", "macos"}
    assert set(matrix["python"]) >= {f"3.{minor}" for minor in range(11, 16)} >= set(elsewhere.supported())


# --- what .ci/run calls: with programs of these names in place of make, apt-get and a browser -------------------------------------


def scripted(folder, **programs):
    """A folder with shell scripts of these names, and the few programs of the system that .ci/run and .ci/extended use."""
    folder.mkdir()
    for name in ("bash", "sh", "dirname", "timeout", "sleep", "env"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    for name, text in programs.items():
        file = folder / name.replace("_", "-")
        file.write_text(f"#!{shutil.which('sh')}\n{text}\n", encoding="utf-8")
        file.chmod(0o755)
    return {"PATH": str(folder), "HOME": str(folder)}


def called(script, *arguments, **variables):
    done = subprocess.run(
        [shutil.which("bash"), str(ROOT / ".ci" / script), *arguments],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [line for line in done.stdout.splitlines() if line], done.stderr


BROWSER_PASSED, BROWSER_FAILED = "extended: browser tests passed.", "extended: browser tests FAILED."
PEERS_PASSED = "extended: comparisons with other programs passed."
NO_BROWSER = "extended: browser tests did not run: no browser is installed, and apt installs none here."
NO_PEERS = "extended: comparisons with other programs did not run: the extra 'peers' cannot be installed here."
NO_TIME = "extended: comparisons with other programs did not run: no time remains."
APT = 'case "$*" in *install*) printf "#!/bin/sh\\n" > "$HOME/chromium"; /bin/chmod +x "$HOME/chromium" ;; esac'
# name: programs, minutes, exit status, lines
EXTENDED = {
    "all pass": ({"make": "true", "id": "echo 0", "chromium": "true"}, "20", 0, [BROWSER_PASSED, PEERS_PASSED]),
    "no browser, no root": ({"make": "true", "id": "echo 1000", "apt_get": APT}, "20", 0, [NO_BROWSER, PEERS_PASSED]),
    "no browser, no apt": ({"make": "true", "id": "echo 0"}, "20", 0, [NO_BROWSER, PEERS_PASSED]),
    "apt fails": ({"make": "true", "id": "echo 0", "apt_get": "exit 100"}, "20", 0, [NO_BROWSER, PEERS_PASSED]),
    "apt installs": ({"make": "true", "id": "echo 0", "apt_get": APT}, "20", 0, [BROWSER_PASSED, PEERS_PASSED]),
    "a browser test fails": (
        {"make": '[ "$1" != test-browser ]', "id": "echo 0", "chromium": "true"}, "20", 1, [BROWSER_FAILED, PEERS_PASSED],
    ),
    "no peers": ({"make": '[ "$1" != peers ]', "id": "echo 0", "chromium": "true"}, "20", 0, [BROWSER_PASSED, NO_PEERS]),
    "no time": (
        {"make": "true", "id": "echo 0", "chromium": "true"}, "0", 0, ["extended: browser tests did not run: no time remains.", NO_TIME],
    ),
}  # fmt: skip


@needs("os.symlink", "fcntl")
@pytest.mark.parametrize("name", EXTENDED)
def test_extended_tests_report_each_part_in_a_line(name, tmp_path):
    programs, minutes, status, lines = EXTENDED[name]
    assert called("extended", minutes, **scripted(tmp_path / "bin", **programs)) == (status, lines, "")


@needs("os.symlink", "fcntl")
@pytest.mark.parametrize(("minutes", "ran"), [("0", False), ("14", False), ("20", True)])
def test_the_run_that_must_pass_calls_the_extended_tests_where_time_remains(minutes, ran, tmp_path):
    programs = {"make": 'echo "make $*"', "id": "echo 1000"}
    status, lines, _ = called("run", **scripted(tmp_path / "bin", **programs), TRAMMEL_CI_MINUTES=minutes)
    assert status == 0 and lines[:2] == ["make test", "make lint"]
    if ran:
        assert lines[2:] == [NO_BROWSER, "make peers", "make test-peers", PEERS_PASSED]
    else:
        assert lines[2:] == [f"extended: did not run: 0 of {minutes} minutes are used. Run .ci/extended by hand."]


@needs("os.symlink", "fcntl")
@pytest.mark.parametrize("target", ["test", "lint", "test-peers"])
def test_the_run_that_must_pass_fails_with_each_of_its_parts(target, tmp_path):
    programs = {"make": f'[ "$1" != {target} ]', "id": "echo 1000"}
    status, _, _ = called("run", **scripted(tmp_path / "bin", **programs), TRAMMEL_CI_MINUTES="20")
    assert status != 0


@pytest.mark.parametrize(
    ("system", "missing"),
    [
        ("darwin", "MAP_NORESERVE"),
        ("win32", "madvise"),
        pytest.param("linux", "MAP_NORESERVE", marks=needs("mmap.MAP_PRIVATE")),  # its flags are passed on
    ],
)
def test_tables_of_long_runs_work_without_names_of_linux(system, missing, monkeypatch):
    """Other systems give the number of MAP_NORESERVE another meaning, and Windows forgets no pages."""
    import mmap

    from pytrammel.io.results.run_arrays import Buffer

    class Mapped(mmap.mmap):
        def __new__(cls, number, length, flags=0):
            asked.append(flags)
            return super().__new__(cls, number, length)

    asked: list[int] = []
    if missing == "madvise":
        monkeypatch.setattr(mmap, "mmap", object)
    else:
        monkeypatch.delattr(mmap, missing, raising=False)
        monkeypatch.setattr(mmap, "mmap", Mapped)
    monkeypatch.setattr(sys, "platform", system)
    buffer = Buffer(3000, 4)
    buffer.table[:] = 1.0
    buffer.release(2000)
    assert (buffer.table[buffer.released :] == 1.0).all()
    assert bool(asked and asked[0] & 0x4000) == (system == "linux")
