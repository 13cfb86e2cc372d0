"""Checks for joints, forces and file formats of other packages: those of our own test suite.

Example:
    >>> from pytrammel.testing import check_joint
    >>> check_joint("revolute")
    ('rows', 'units', 'facts', 'copies', 'parameters', 'files', 'pictures')

They need neither pytest nor another test tool. A check that fails raises `CheckFailedError`, an `AssertionError` that states type,
quantity, value and limit.
"""

from pytrammel.testing.checks import check_force, check_joint
from pytrammel.testing.failures import CheckFailedError
from pytrammel.testing.file_formats import check_file_format

__all__ = ["CheckFailedError", "check_file_format", "check_force", "check_joint"]
