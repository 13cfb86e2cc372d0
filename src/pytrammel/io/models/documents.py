"""Opening a model file: its data with lines, or a problem noted."""

from __future__ import annotations

from pathlib import Path

from pytrammel.errors import FileFormatError
from pytrammel.io.models.formats import format_of, read_text
from pytrammel.io.models.formats.document import MAX_BYTES, Document, TextError
from pytrammel.io.models.problems import Problems


def open_document(file: Path, source: str, problems: Problems) -> Document | None:
    """Data of a file; None with a problem noted if it cannot be read."""
    format_of(file)
    try:
        if file.exists() and not file.is_file():  # a pipe would be waited for
            raise FileFormatError(f"the model file {str(file)!r} cannot be read: it is a folder, pipe or device.")
        if file.stat().st_size > MAX_BYTES:
            problems.add(
                source, None, (), f"the file has more than {MAX_BYTES} bytes; model files are smaller. Is it a result?"
            )
            return None
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"the model file {str(file)!r} cannot be read: {reason}.") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problems.add(source, None, (), "the file is no text in UTF-8; save it as UTF-8 in your editor.", line=line)
        return None
    return read_document(file, text, source, problems)


def read_document(file: Path, text: str, source: str, problems: Problems) -> Document | None:
    """Data of a text; None with a problem noted if it does not follow its format."""
    try:
        return read_text(file, text)
    except TextError as error:
        problems.add(source, None, (), str(error), line=error.line)
        return None
