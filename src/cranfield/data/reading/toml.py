"""TOML files, and where they are broken."""

from __future__ import annotations

import re
from typing import Any

from cranfield.data.reading.source import Source
from cranfield.errors import InputError


def read_toml(source: Source) -> dict[str, Any]:
    """What a TOML file holds; errors name the line."""
    import tomllib

    data = source.read()
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("bytes that are not UTF-8", "TOML", source.name, line) from None
    except RecursionError:
        raise InputError("tables nested too deeply", "TOML", source.name) from None
    except ValueError as error:  # tomllib's, or Python's about a number of thousands of digits
        placed = re.fullmatch(r"(.+) \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        what, at = placed.groups() if placed else (str(error), None)
        end = len(data.splitlines()) if placed else None
        text = f"broken TOML ({what[:1].lower()}{what[1:]})"
        raise InputError(text, "TOML", source.name, int(at) if at else end) from None
