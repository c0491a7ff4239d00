"""Verification of records: the checks, and the differences between recorded and recomputed values."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.tables import Field, ResultTable, build_record_table, build_table
from cranfield.wording import align_columns, escape_unprintable, format_count

State: TypeAlias = Literal["same", "differs", "cannot"]
Path: TypeAlias = tuple[str | int, ...]
Leaf: TypeAlias = Any  # a text, number, truth value or None

ALL = "all"
SHOWN = 10
"""Number of differences that are shown without -v."""
ROUNDING_ULPS = 4
NOTES, WORDING = "notices", ("captions",)
"""Keys of a result: notes, and texts that may change."""
_MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """A check of a record: its subject, such as an input, and whether it holds.

    `check` is ``id``, ``input``, ``version``, ``values`` or ``sidecar``.
    """

    check: str
    subject: str
    state: State
    expected: Any = None
    found: Any = None


@dataclass(frozen=True)
class Difference:
    """A value that differs: in the record, and now. `kind` is ``rounding`` up to 4 units in the last place."""

    run: str
    topic: str
    measure: str
    record: Leaf
    now: Leaf
    kind: str = ""


@dataclass(frozen=True, repr=False)
class Verification(TableResult):
    """Checks of a record. `same` is True if all checks hold. It ignores other versions of libraries.

    Attributes
    ----------
    checks
        All checks in order: id, inputs, versions, values, sidecar.
    compared
        Number of compared values and notes.
    differences
        The values and notes that differ.
    """

    location: str
    checks: tuple[Check, ...]
    compared: int = 0
    differences: tuple[Difference, ...] = field(default=())

    @property
    def same(self) -> bool:
        """True if id, inputs, values and sidecar are the same."""
        return all(check.state == "same" for check in self.checks if check.check != "version")

    @property
    def exit_code(self) -> int:
        """0 if everything is the same, 1 if something differs, 2 if verification is impossible."""
        states = {check.state for check in self.checks if check.check != "version"}
        return 1 if "differs" in states else 2 if "cannot" in states else 0

    @property
    def largest(self) -> dict[str, float] | None:
        """The largest absolute and relative difference of numbers, or None."""
        pairs = [(x.record, x.now) for x in self.differences]
        numbers = [(a, b) for a, b in pairs if _is_number(a) and _is_number(b)]
        if not numbers:
            return None
        relative = [abs(a - b) / max(abs(a), abs(b)) for a, b in numbers if a or b]
        return {"absolute": max(abs(a - b) for a, b in numbers), "relative": max(relative, default=0.0)}

    def _build_tables(self) -> list[ResultTable]:
        checks = build_record_table("checks", [*map(vars, self.checks)], visible=True)
        rows = self.differences
        names = ("run", "topic", "measure", "record", "now", "kind")
        fields = [Field(name, [getattr(row, name) for row in rows]) for name in names]
        return [checks, *([build_table("differences", "", *fields)] if rows else [])]

    def _select_tables(self, format: str) -> tuple[str, ...]:
        return ("checks",)

    def _build_document(self) -> dict[str, Any]:
        values = {"compared": self.compared, "differ": len(self.differences), "largest": self.largest}
        return {"same": self.same, "checks": [dict(vars(check)) for check in self.checks], "values": values}

    def _format_text(self, verbose: bool = False) -> str:
        """Return the checks, then the differences."""
        rows = [
            [check.state, check.check, escape_unprintable(check.subject), _describe(check)] for check in self.checks
        ]
        lines = [self._summarise(), "", *align_columns(rows, "llll")]
        if self.differences:
            lines += ["", *self._format_differences(len(self.differences) if verbose else SHOWN)]
        return "\n".join(line.rstrip() for line in lines)

    def _summarise(self) -> str:
        words = {0: "everything is the same", 1: "not the same", 2: "cannot be verified"}
        return f"{escape_unprintable(self.location)}: {words[self.exit_code]}"

    def _format_differences(self, limit: int) -> Iterator[str]:
        names = ["run", "topic", "measure", "record", "now", ""]
        rows = [[str(x) for x in vars(row).values()] for row in self.differences[:limit]]
        yield from align_columns([names, *[[*map(escape_unprintable, row)] for row in rows]], "lllrrl")
        if (hidden := len(self.differences) - limit) > 0:
            yield f"… {hidden} more; -v lists them"
        if largest := self.largest:
            yield f"largest difference: {largest['absolute']:.3g} absolute, {largest['relative']:.3g} relative"

    def __repr__(self) -> str:
        return self._format_text()


def _describe(check: Check) -> str:
    """Describe a check in a few words."""
    expected, found = (_shorten(value) for value in (check.expected, check.found))
    if check.state == "same" or found is None:
        return expected or ""
    return found if expected is None or check.state == "cannot" else f"{expected} in the record, {found} now"


def _shorten(value: Any) -> str | None:
    """Shorten hashes to 12 digits."""
    if value is None:
        return None
    text = str(value)
    digits = text.removeprefix("sha256:")
    return f"{text[: len(text) - len(digits) + 12]}…" if len(digits) == 64 else escape_unprintable(text)


# -- comparison -----------------------------------------------------------------------------------


def compare_results(record: Any, now: Any) -> tuple[int, list[Difference]]:
    """Compare every value of two results bit for bit, and notes by kind, run and topics.

    >>> compare_results({"all": {"a": {"AP": 0.5}}}, {"all": {"a": {"AP": 0.25}}})
    (1, [Difference(run='a', topic='all', measure='AP', record=0.5, now=0.25, kind='')])
    """
    before, after = dict(_iter_leaves(record)), dict(_iter_leaves(now))
    paths = [*before, *(path for path in after if path not in before)]
    differences = [
        _build_difference(
            path, record if path in before else now, before.get(path, _MISSING), after.get(path, _MISSING)
        )
        for path in paths
        if not _is_same(before.get(path, _MISSING), after.get(path, _MISSING))
    ]
    notes = [Counter(_iter_notes(result)) for result in (record, now)]
    for note in sorted((notes[0] | notes[1]).keys(), key=str):
        if notes[0][note] != notes[1][note]:
            kind, run, topics = note
            counts = [f"{format_count(count[note], 'note')}" for count in notes]
            differences.append(Difference(run or "", " ".join(topics), f"note {kind}", *counts))
    return len(paths) + sum((notes[0] | notes[1]).values()), differences


LONG = ("topics", "parts", "comparisons")
"""Parts of a result that can have many values."""


def shorten_result(result: Mapping[str, Any], largest: int) -> Mapping[str, Any]:
    """Return a result without its long parts if they have more values than `largest`, and their hash.

    >>> shorten_result({"all": {"a": 0.5}, "topics": {"a": {"1": 0.0, "2": 1.0}}}, 1)["values"]["count"]
    2
    """
    long = _remove_notes({key: result[key] for key in LONG if key in result})
    count = _count_leaves(long)
    if count <= largest:
        return result
    digest = hashlib.sha256(json.dumps(long, sort_keys=True).encode()).hexdigest()
    rest = {key: value for key, value in result.items() if key not in LONG}
    return {**rest, "values": {"count": count, "sha256": digest}}


def _remove_notes(value: Any) -> Any:
    """Return a result without notes and texts that may change."""
    if isinstance(value, Mapping):
        return {key: _remove_notes(part) for key, part in value.items() if key not in (NOTES, *WORDING)}
    return [*map(_remove_notes, value)] if isinstance(value, list | tuple) else value


def _count_leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_count_leaves, value.values()))
    return sum(map(_count_leaves, value)) if isinstance(value, list) else 1


def match_length(record: Any, now: Any) -> Any:
    """Return a recomputed result, shortened if the recorded result is."""
    values = record.get("values") if isinstance(record, Mapping) else None
    is_short = isinstance(values, Mapping) and "sha256" in values and isinstance(now, Mapping)
    return shorten_result(now, -1) if is_short else now


def _iter_leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in (NOTES, *WORDING):
                yield from _iter_leaves(part, (*path, key))
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _iter_leaves(part, (*path, number))
    else:
        yield path, value


def _iter_notes(value: Any) -> Iterator[tuple[str, str | None, tuple[str, ...]]]:
    """Yield kind, run and topics of all notes of a result and its parts."""
    if isinstance(value, Mapping):
        notes = value.get(NOTES)
        for note in notes if isinstance(notes, list) else [] if notes is None else [notes]:
            yield _identify_note(note)
        for key, part in value.items():
            if key != NOTES:
                yield from _iter_notes(part)
    elif isinstance(value, list):
        for part in value:
            yield from _iter_notes(part)


def _identify_note(note: Any) -> tuple[str, str | None, tuple[str, ...]]:
    if not isinstance(note, Mapping):  # of a record that was edited
        return str(note), None, ()
    run, topics = note.get("run"), note.get("topics")
    return (
        str(note.get("kind")),
        None if run is None else str(run),
        tuple(map(str, topics)) if isinstance(topics, list | tuple) else (),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_same(first: Leaf, second: Leaf) -> bool:
    if _is_number(first) and _is_number(second):
        return first == second and math.copysign(1, first) == math.copysign(1, second)
    return type(first) is type(second) and first == second


def _build_difference(path: Path, result: Any, first: Leaf, second: Leaf) -> Difference:
    kind = ""
    if _is_number(first) and _is_number(second):
        a, b = float(first), float(second)
        kind = "rounding" if abs(a - b) <= ROUNDING_ULPS * math.ulp(max(abs(a), abs(b))) else ""
    return Difference(*_name_place(path, result), first, second, kind)


def _name_place(path: Path, result: Any) -> tuple[str, str, str]:
    """Return run, topic and measure of a value: its keys, or the columns of its row."""
    keys = [str(part) for part in path]
    if path[0] == "all" and len(path) == 3:
        return keys[1], ALL, keys[2]
    if path[0] == "topics" and len(path) == 4:
        return keys[1], keys[2], keys[3]
    row: Any = result
    for part in path[:-1]:
        row = row[part]
    cells: Mapping[str, Any] = row if isinstance(row, Mapping) else {}
    runs: Sequence[str] = [str(cells[name]) for name in ("run", "other") if cells.get(name) is not None]
    measure = f"{cells['measure']} {keys[-1]}" if "measure" in cells else " ".join(keys)
    return " − ".join(runs), str(cells.get("topic", "")), measure
