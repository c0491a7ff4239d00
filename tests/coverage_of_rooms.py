"""Print how much of each room the tests run: `make coverage` runs it after the tests.

Lines are statements, branches the ways on from a line that has several. Every file below the limit
is named with the lines that no test runs, and the rooms that make numbers must not be below it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from coverage import Coverage

PACKAGE = Path(__file__).parent.parent / "src" / "cranfield"
LEAST = 95.0  # per cent of the lines
HELD = ("data", "labelling", "measures", "stats")


@dataclass(frozen=True)
class Counts:
    """The lines and branches of some code, and how many of them tests run."""

    lines: int = 0
    run: int = 0
    branches: int = 0
    taken: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.lines + other.lines,
            self.run + other.run,
            self.branches + other.branches,
            self.taken + other.taken,
        )

    def below(self) -> bool:
        """Whether fewer lines are run than should be."""
        return per_cent(self.run, self.lines) < LEAST

    def row(self, name: str) -> str:
        """A row of the table."""
        lines, branches = per_cent(self.run, self.lines), per_cent(self.taken, self.branches)
        return f"{name:<12}{self.lines:>7}{self.run:>7}{lines:>7.1f}{self.branches:>10}{self.taken:>7}{branches:>7.1f}"


def per_cent(part: int, whole: int) -> float:
    """100 for nothing of nothing."""
    return 100.0 * part / whole if whole else 100.0


def counted(measured: Coverage, path: Path) -> tuple[Counts, str]:
    """The counts of a file, and its lines that no test runs."""
    _, lines, _, missing, shown = measured.analysis2(str(path))
    ways = measured.branch_stats(str(path)).values()
    branches, taken = sum(all_ways for all_ways, _ in ways), sum(some for _, some in ways)
    return Counts(len(lines), len(lines) - len(missing), branches, taken), shown


def main() -> int:
    """Print a row per room, then the files below the limit; 1 if a room held to it is below."""
    measured = Coverage()
    measured.load()
    rooms: dict[str, Counts] = {}
    files: list[str] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        room = inside.parts[0] if len(inside.parts) > 1 else "(top)"
        counts, shown = counted(measured, path)
        rooms[room] = rooms.get(room, Counts()) + counts
        if counts.below():
            files.append(f"{inside} ({per_cent(counts.run, counts.lines):.1f} %): {shown}")
    print("room          lines    run      %  branches  taken      %")
    for room, counts in sorted(rooms.items()):
        print(counts.row(room))
    print(sum(rooms.values(), Counts()).row("all"))
    print(f"\n{len(files)} files below {LEAST:g} % of lines", *files, sep="\n")
    low = [room for room in HELD if rooms[room].below()]
    print(f"\nbelow {LEAST:g} % of lines: {', '.join(low) or 'none'} of {', '.join(HELD)}")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
