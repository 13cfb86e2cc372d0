"""Text for terminals."""

from typing import TextIO


def visible(text: str) -> str:
    """Replace control characters, and those that reverse text, by their escapes: ``\\x1b`` instead of a terminal's escape.

    A carriage return that ends no line is one of them: what follows it would hide the text before.
    """
    if text.isprintable():
        return text
    ends = text.replace("\r\n", "\n\n")  # those that end lines; places stay the same
    return "".join(c if c.isprintable() or end in "\n\t" else repr(c)[1:-1] for c, end in zip(text, ends, strict=True))


def one_line(text: str) -> str:
    """The same for a name within a line, which ends no line either."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def overwrite(stream: TextIO, text: str) -> None:
    """Write text over the present line of a terminal."""
    raw = getattr(stream, "unchanged", stream)
    raw.write("\r" + writable(raw, one_line(text)))
    raw.flush()


def writable(stream: TextIO, text: str) -> str:
    """Replace characters that the stream's encoding lacks by their escapes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
