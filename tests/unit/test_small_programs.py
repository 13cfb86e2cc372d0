"""The programs of examples 3.12 and 3.14 of Nikravesh (1988) as commands with prompts."""

import io
import math
import re

import numpy as np
import pytest

from pytrammel.cli.main import main


@pytest.fixture
def session(monkeypatch, capsys):
    """Type lines into a command; exit code, standard output and standard error."""

    def run(command, lines, *words):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main([command, *words])
        return (code, *capsys.readouterr())

    return run


def solutions(out):
    """Numbers after each head of a solution."""
    found = []
    for part in re.split(r"THE SOLUTION[ A-Z]*:?\n", out)[1:]:
        numbers = []
        for line in part.splitlines():
            if not re.fullmatch(r"( *-?\d*\.\d{5})+", line):
                break
            numbers += [float(line[k : k + 10]) for k in range(0, len(line), 10)]
        found.append(numbers)
    return found


# --- linear equations ------------------------------------------------------------------------------------------------


def test_the_prompts_of_example_3_12(session):
    """The matrix of example 3.11, whose solution the book prints; then the columns of the identity."""
    rows = ["1 2 -1 -3", "4,1,-1,1", "2 -3 0\n-1", "-1, 0, 5, 2, 99"]
    code, out, _ = session("linear", ["4", *rows, "0 4 11 1", "1", "1,3*0", "0"])
    assert code == 0
    heads = [
        "ENTER N",
        "ENTER ROW    1",
        "ENTER ROW    4",
        "ENTER VECTOR C",
        "THE SOLUTION IS",
        "IF ANOTHER VECTOR C IS GOING TO BE GIVEN",
    ]
    places = [out.index(head) for head in heads]
    assert places == sorted(places)
    assert "THEN ENTER 1, OTHERWISE ENTER 0" in out
    assert "99 ignored" in out
    first, second = solutions(out)
    assert first == [2.0, -2.0, 1.0, -1.0]
    matrix = np.array([[1, 2, -1, -3], [4, 1, -1, 1], [2, -3, 0, -1], [-1, 0, 5, 2]], dtype=float)
    np.testing.assert_allclose(second, np.linalg.solve(matrix, [1, 0, 0, 0]), atol=5e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 11, 25])
def test_random_equations_are_solved(n, session):
    random = np.random.default_rng(n)
    matrix, right = random.normal(size=(n, n)), random.normal(size=n)
    lines = [str(n), *(" ".join(repr(float(x)) for x in row) for row in [*matrix, right])]
    code, out, _ = session("linear", lines, "--eps", "1e-12")
    assert code == 0
    (found,) = solutions(out)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right), atol=5.1e-6)  # F10.5 rounds to 5e-6


@pytest.mark.parametrize("rows, words, code", [
    (["1 2 3", "2 4 6", "1 1 1"], (), 1),
    (["1 1", "1 1"], (), 1),  # the listing divides by its last pivot, which is 0
    (["0"], (), 1),
    (["1e-6 0", "0 1e-6"], (), 1),
    (["1e-6 0", "0 1e-6"], ("--eps", "1e-9"), 0),
    (["0 1", "1 0"], (), 0),
])  # fmt: skip
def test_singular_matrices_are_reported(rows, words, code, session):
    got, out, err = session("linear", [str(len(rows)), *rows, " ".join(["1"] * len(rows))], *words)
    assert got == code
    assert ("***THE MATRIX IS SINGULAR***" in out) == (code == 1)
    assert ("--eps" in err) == (code == 1)


def test_large_values_are_printed_in_full(session):
    code, out, _ = session("linear", ["2", "1e-3 0", "0 1", "123456.789 1"])
    assert code == 0
    assert "**********   1.00000" in out
    assert "x1 = 123456789.0" in out


@pytest.mark.parametrize("lines, shown", [
    (["two", "2", "1 0", "0 1", "1 1"], "is not a record of numbers"), (["0", "2", "1 0", "0 1", "1 1"], "N is 0"),
    (["-1", "2", "1 0", "0 1", "1 1"], "N is -1"), (["2", "1 a", "1 0", "0 1", "1 1"], "is not a number"),
    (["2", "1", "0", "0 1", "1 1"], "1 of 2 values; next: a1,2"), (["2", "1,,0", "1 0", "0 1", "1 1"], "nothing between two commas"),
])  # fmt: skip
def test_slips_are_requested_again(lines, shown, session):
    code, out, _ = session("linear", lines)
    assert code == 0
    assert shown in out
    assert solutions(out) == [[1.0, 1.0]]


@pytest.mark.parametrize("command, lines", [("linear", ["2", "1 0", "0 1"]), ("newton", ["1,2", "0.5"])])
def test_input_that_ends_early_is_an_error_and_t_terminates(command, lines, session):
    for length in range(len(lines) + 1):
        code, _, err = session(command, lines[:length])
        assert code == 2
        assert "the input ends" in err
        code, _, err = session(command, [*lines[:length], "T"])
        assert code == 0
        assert "terminated" in err


# --- nonlinear equations ---------------------------------------------------------------------------------------------


def disk(angle):
    """Example 3.13 in closed form, the branch with a negative angle: sin u1 = 2 - 5 sin v1."""
    u1 = 2.0 * math.pi + math.asin(2.0 - 5.0 * math.sin(angle))
    return u1, 2.0 * math.cos(u1) + 10.0 * math.cos(angle)


def test_the_prompts_of_example_3_14(session):
    code, out, _ = session("newton", ["1,2", "0.523599", "5.59,10.0"])
    assert code == 0
    heads = ["ENTER NO. OF INDEPENDENT VARIABLES V", "AND NO. OF DEPENDENT VARIABLES U", "ENTER VALUES FOR THE INDEPENDENT VARIABLES",
             "ENTER ESTIMATES FOR THE DEPENDENT VARIABLES", "THE SOLUTION TO DEPENDENT VARIABLES IS:"]  # fmt: skip
    places = [out.index(head) for head in heads]
    assert places == sorted(places)
    (found,) = solutions(out)
    assert found == pytest.approx(disk(0.523599), abs=1e-5)
    assert found == pytest.approx([5.76, 10.3924], abs=1e-3)  # as the book prints them


@pytest.mark.parametrize("angle", [0.3, 0.4, 0.5, 0.58])
def test_other_angles_of_the_disk(angle, session):
    code, out, _ = session("newton", ["1 2", repr(angle), "5.8 10"], "--feps", "1e-9")
    assert code == 0
    u1, d = solutions(out)[0]
    assert math.sin(u1) == pytest.approx(2.0 - 5.0 * math.sin(angle), abs=1e-5)
    assert d == pytest.approx(2.0 * math.cos(u1) + 10.0 * math.cos(angle), abs=1e-4)


def test_the_iterations_of_example_3_13(session):
    """The book's table for a start at 320°: 5.585, 5.77, 5.76."""
    code, out, _ = session("newton", ["1,2", repr(math.radians(30)), f"{math.radians(320)},10"], "--iterations")
    assert code == 0
    rows = [[float(x) for x in line.split()] for line in out.splitlines() if re.match(r" +\d+ +\d", line)]
    assert [row[0] for row in rows] == [1, 2, 3]
    np.testing.assert_allclose(rows[0][1:], [5.585, 10.0, 0.192, -0.286, 0.186, 0.432], atol=1e-3)
    np.testing.assert_allclose(rows[1][1:], [5.771, 10.432, -0.0279, 0.0206, -0.0118, -0.0395], atol=1e-3)


@pytest.mark.parametrize("equations", [
    ("u1^2 + u2^2 - v1", "u1 - u2"), ("u1^2 + u2^2 = v1", "u1 = u2"), ("F(1) = U(1)**2 + U(2)**2 - V(1)", "F(2)=U(1)-1.0D0*U(2)"),
])  # fmt: skip
def test_own_equations(equations, session):
    words = [word for text in equations for word in ("--equation", text)]
    code, out, _ = session("newton", ["1,2", "8", "1,3"], *words, "--feps", "1e-9")
    assert code == 0
    assert solutions(out) == [[2.0, 2.0]]


def test_without_independent_variables_no_values_are_requested(session):
    code, out, _ = session("newton", ["0,1", "1"], "--equation", "cos(u1) - u1", "--feps", "1e-10")
    assert code == 0
    assert "ENTER VALUES" not in out
    assert solutions(out)[0] == pytest.approx([0.73909], abs=1e-5)


@pytest.mark.parametrize("equation, start, words, shown", [
    ("u1^2 + 1", "0.5", (), "CONVERGENCE FAILED"), ("u1^2", "0", (), "MATRIX IS SINGULAR"), ("log(u1)", "-1", (), "CONVERGENCE FAILED"),
    ("u1^2 - 2", "100", ("--nrmax", "3"), "CONVERGENCE FAILED"), ("1e-6*u1 - 1", "0", (), "MATRIX IS SINGULAR"),
])  # fmt: skip
def test_failures_are_reported(equation, start, words, shown, session):
    code, out, err = session("newton", ["0,1", start], "--equation", equation, *words)
    assert code == 1
    assert f"***{shown}***".replace("MATRIX", "THE MATRIX") in out
    assert "pytrammel: error: " in err


@pytest.mark.parametrize("counts", ["1,3", "0,2", "1,1", "101,2", "-1,2"])
def test_numbers_of_variables_must_fit_the_equations(counts, session):
    code, out, _ = session("newton", [counts, "1,2", "0.5236", "5.59,10"])
    assert code == 0
    assert out.count("ENTER NO. OF INDEPENDENT") == 2
