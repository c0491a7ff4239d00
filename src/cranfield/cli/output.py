"""Where results and notices go."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from cranfield.data.files import write_whole
from cranfield.report.columns import notice_lines
from cranfield.scores import Notice


def write(shown: str | bytes, output: str | None = None) -> None:
    """To a file, whole or not at all; or to standard output."""
    data = shown.encode() if isinstance(shown, str) else shown
    if output is not None:
        write_whole(output, data)
    else:
        sys.stdout.buffer.write(data)


def tell(notices: Iterable[Notice]) -> None:
    """What the user should know, on standard error: after what has been printed so far."""
    sys.stdout.flush()
    for line in notice_lines(notices):
        print(line, file=sys.stderr)


def print_lines(lines: Iterable[str], notices: Iterable[Notice]) -> None:
    """What a drop-in says and prints."""
    tell(notices)
    write("".join(f"{line}\n" for line in lines))


def terminal_width(output: str | None) -> int | None:
    """How wide the terminal is; None if people do not look at one."""
    looked_at = output is None and sys.stdout.isatty()
    return os.get_terminal_size().columns if looked_at else None


def coloured(width: int | None) -> bool:
    """Whether people look at a terminal, and want colours there (https://no-color.org)."""
    return width is not None and not os.environ.get("NO_COLOR")
