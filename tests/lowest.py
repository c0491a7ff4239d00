"""The lowest versions that cranfield says it works with, as constraints for pip.

`make test-lowest` installs them and runs the tests. Tools of the tests and peers are as new as they
can be beside them.
"""

from __future__ import annotations

import re
import tomllib

from tests import ROOT

DATA = ("pandas", "pyarrow")  # which users may have, and only tests ask for


def lowest() -> list[str]:
    """A line such as ``numpy==1.26`` for each package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = re.findall(r"\w+", extras["all"][0].partition("[")[2])
    needed = {*project["dependencies"], *(line for name in named for line in extras[name])}
    needed |= {line for line in extras["test"] if line.startswith(DATA)}
    return [line.replace(">=", "==") for line in sorted(needed) if re.match(r"[\w.-]+>=", line)]


if __name__ == "__main__":
    print("\n".join(lowest()))
