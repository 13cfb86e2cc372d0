"""File formats: a model is written and read to the last bit, and damaged files raise `FileFormatError`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pytrammel.errors import FileFormatError, ModelError
from pytrammel.io.registry import FileFormat, file_formats, imported, read_model, write_model
from pytrammel.testing.failures import CheckFailedError, no_error, require
from pytrammel.testing.pictures import quiet
from pytrammel.testing.samples import plain_model

DAMAGES = 60  # random damages of a file
NO_MODEL = {
    "an empty file": b"", "random bytes": bytes(np.random.default_rng(1).integers(0, 256, 400, dtype=np.uint8)),
    "a text about something else": b"Dear reader,\nthis is not a model.\n",
}  # fmt: skip


def check_file_format(format: FileFormat | str) -> tuple[str, ...]:
    """Check a registered file format on its sample: writing and reading, and damaged files.

    Args:
        format: The format, or its ending.

    Returns:
        Names of the checks, all passed.

    Raises:
        CheckFailedError: A check failed; the message states format, quantity, value and limit.
        ModelError: The format is not registered, or has no sample or cannot be written and read.

    Example:
        >>> check_file_format(".urdf")
    """
    known = file_formats()
    ending = format if isinstance(format, str) else format.ending
    if ending not in known:
        raise ModelError(
            f"file format {ending!r} is not registered. Import its module, or call file_format(FileFormat(...))."
        )
    found = known[ending]
    missing = [key for key in ("read", "write", "sample") if getattr(found, key) is None]
    if missing:
        raise ModelError(
            f"file format {ending!r} has no {missing[0]}=. Specify it; the check writes and reads a sample."
        )
    assert found.sample is not None
    subject = f"file format {ending!r}"
    with tempfile.TemporaryDirectory() as folder, quiet():
        model = imported(found.sample)()
        check_round_trip(subject, model, Path(folder) / f"model{ending}", exact=found.exact)
        check_damage(subject, Path(folder) / f"model{ending}")
    return "round trip", "damage"


def check_round_trip(subject: str, model: Any, file: Path, *, exact: bool = True) -> None:
    """Write and read a model, to the last bit; where the format keeps not everything, from the second writing on."""
    if not exact:
        with no_error(subject, "writing and reading the sample"):
            write_model(model, file)
            model = read_model(file)
    with no_error(subject, "writing the sample"):
        write_model(model, file)
    first = file.read_bytes()
    with no_error(subject, "reading what was written"):
        again = read_model(file)
    one, two = plain_model(model), plain_model(again)
    for before, after in zip(one, two, strict=True):
        require(
            before == after,
            subject,
            f"a model is read back as {_shortened(after)}, but was {_shortened(before)}; every bit must be kept.",
        )
    with no_error(subject, "writing again"):
        write_model(again, file)
    require(file.read_bytes() == first, subject, "a model that was read is written with other bytes than before.")


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) < 200 else f"{text[:150]} … {text[-40:]}"


def check_damage(subject: str, file: Path) -> None:
    """Read damaged versions of a file: each gives a model or `FileFormatError`; a file that holds no model gives the error."""
    good = file.read_bytes()
    for name, content in NO_MODEL.items():
        require(
            not _read(subject, file, content, name), subject, f"{name} is read as a model; FileFormatError is required."
        )
    for name, content in _damaged(good):
        _read(subject, file, content, name)


def _damaged(good: bytes) -> Iterator[tuple[str, bytes]]:
    rng = np.random.default_rng(0)
    for _ in range(DAMAGES):
        at = int(rng.integers(0, len(good)))
        kind = rng.integers(0, 3)
        if kind == 0:
            yield f"a file that ends at byte {at}", good[:at]
        elif kind == 1:
            yield f"a file with byte {at} replaced", good[:at] + bytes([int(rng.integers(0, 256))]) + good[at + 1 :]
        else:
            more = int(rng.integers(1, 40))
            yield f"a file without bytes {at} to {at + more}", good[:at] + good[at + more :]


def _read(subject: str, file: Path, content: bytes, name: str) -> bool:
    """Return True if a content is read as a model."""
    file.write_bytes(content)
    try:
        with quiet():
            read_model(file)
    except FileFormatError:
        return False
    except Exception as error:
        raise CheckFailedError(
            f"{subject}: {name} raises {type(error).__name__} instead of FileFormatError: {error}"
        ) from error
    return True
