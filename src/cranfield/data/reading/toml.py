"""Reading of TOML files."""

from __future__ import annotations

import re
from typing import Any

from cranfield.data.reading.source import Source
from cranfield.errors import InputError


def read_toml(source: Source) -> dict[str, Any]:
    """Read a TOML file. Errors name the line."""
    import tomllib

    data = source.read()
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("bytes that are not UTF-8", "TOML", source.name, line) from None
    except RecursionError:
        raise InputError("too deeply nested tables", "TOML", source.name) from None
    except ValueError as error:  # from tomllib, or from int for thousands of digits
        match = re.fullmatch(r"(.+) \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        problem, line_number = match.groups() if match else (str(error), None)
        end = len(data.splitlines()) if match else None
        text = f"invalid TOML ({problem[:1].lower()}{problem[1:]})"
        raise InputError(text, "TOML", source.name, int(line_number) if line_number else end) from None
