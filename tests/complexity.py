"""Refuse functions that are too complex to be read: `make lint` runs it.

Radon counts branches, operators and conditional expressions. Ruff's C901, which counts branches
only, is set in pyproject.toml.
"""

from __future__ import annotations

import sys
from pathlib import Path

from radon.complexity import cc_visit

ROOT = Path(__file__).parent.parent
MOST = 15


def main() -> int:
    """Name every function and class above the limit."""
    files = sorted(ROOT.glob("src/**/*.py"))
    found = [
        f"{path.relative_to(ROOT)}:{block.lineno}: {block.fullname} has complexity "
        f"{block.complexity}, expected at most {MOST}"
        for path in files
        for block in cc_visit(path.read_text(encoding="utf-8"))
        if block.complexity > MOST
    ]
    print("\n".join(found) or f"{len(files)} files: no function above complexity {MOST}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
