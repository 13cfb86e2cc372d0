"""Warnings of a run: objects on the result, printed every time, and no result lost where they are raised."""

from __future__ import annotations

import copy
import pickle
import warnings

import pytest

from pytrammel.errors import RunWarning, tell


def test_a_warning_carries_kind_sentence_and_time_through_a_copy():
    warning = RunWarning("energy", "the books do not balance.", time=2.0)
    for twin in (pickle.loads(pickle.dumps(warning)), copy.deepcopy(warning)):
        assert (twin.kind, str(twin), twin.time) == ("energy", "the books do not balance.", 2.0)


def test_the_same_warning_is_printed_for_every_run_with_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            tell([RunWarning("energy", "the books do not balance.")])
    assert len(seen) == 3
    assert all(w.filename == __file__ for w in seen)


def test_a_warning_raised_as_an_error_hands_over_the_result():
    with pytest.raises(RunWarning, match="balance") as raised:
        tell([RunWarning("energy", "the books do not balance.")], "the result")
    assert raised.value.partial == "the result"
