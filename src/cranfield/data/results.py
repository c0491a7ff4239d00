"""Scores of topics that evaluation tools have written: trec_eval -q, ndeval, gdeval, tables.

Text has ``measure topic value`` (trec_eval -q), ``topic measure value`` (ir_measures), ``topic
AP= value`` (NTCIREVAL) or ``run topic measure value`` on each line. Tables name such columns, or
have a column for each measure (ndeval, gdeval).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.cells import Layout, Line, read_lines
from cranfield.data.columns import SPELLINGS
from cranfield.data.records import finite, identifier
from cranfield.data.source import Source
from cranfield.data.tables import is_frame

ResultsLike: TypeAlias = Any  # a path, {topic: {measure: value}}, {topic: value}, a frame, tuples

SUMMARIES = ("all", "amean", "mean", "average")  # rows that are no topic
_TEXTS = ("relstring", "runid")  # measures of trec_eval that are no numbers

LAYOUT = Layout(
    (("measure", "topic", "value"), ("run", "topic", "measure", "value")),
    ("topic",),
    {
        "run": SPELLINGS["tag"],
        "topic": SPELLINGS["topic"],
        "measure": ("measure", "metric", "measure_name", "metric_name"),
        "value": ("value", "score", "val"),
    },
    told=1,
    wide=True,  # with a column for each measure
)


class Result(NamedTuple):
    """The value of a measure for a run and a topic; the run is None if nothing names it."""

    run: str | None
    topic: str
    measure: str
    value: float
    line: Line


def read_results(data: ResultsLike, where: str = "scores") -> Iterator[Result]:
    """The results of topics; those of all topics together are left out.

    >>> [r[1:4] for r in read_results([("map", "301", 0.5), ("map", "all", 0.5)])]
    [('301', 'map', 0.5)]
    """
    run = _name(data)
    topic_first = isinstance(data, str | os.PathLike) and _topic_first(Source.of(data))
    for line in read_lines(data, LAYOUT, where, nested=_nested, where=where):
        for result in _of_line(line, topic_first):
            if result.measure == "runid" and result.run is None:
                run = identifier(line.cells["value"]) or run
            elif result.topic not in SUMMARIES and not result.measure.startswith(_TEXTS):
                value = _number(result)
                yield Result(result.run if result.run is not None else run, *result[1:3],
                             value, line)  # fmt: skip


def _of_line(line: Line, topic_first: bool) -> Iterator[Result]:
    cells = dict(line.cells)
    run = identifier(cells.pop("run")) if "run" in cells else None
    if "measure" in cells and "value" in cells:
        topic, measure = line.name("topic"), line.name("measure")
        if topic_first or topic.endswith("="):
            topic, measure = measure, topic
        yield Result(run, topic, measure.removesuffix("="), cells["value"], line)
        return
    topic = line.name("topic")
    for measure, value in cells.items():
        if measure != "topic":
            yield Result(run, topic, str(measure).strip(), value, line)


def _number(result: Result) -> float:
    given: Any = result.value
    if given is None or str(given).strip().lower() in ("nan", "-nan", ""):
        return math.nan
    value = finite(given)
    if value is None:
        found = f"{given!r} for {result.measure} of topic {result.topic}"
        raise result.line.error(found, "a number")
    return value


def _nested(data: Mapping[Any, Any], where: str) -> Iterator[dict[str, Any]]:
    """Rows of ``{topic: value}``, ``{topic: {measure: value}}`` or ``{run: {topic: {…}}}``.

    What `cranfield evaluate -q -f json` writes has the last under "topics".
    """
    if isinstance(data.get("topics"), Mapping) and "measures" in data:
        data = data["topics"]
    for key, inner in data.items():
        if not isinstance(inner, Mapping):
            yield {"topic": key, "measure": "score", "value": inner}
            continue
        for second, value in inner.items():
            if isinstance(value, Mapping):
                for measure, leaf in value.items():
                    yield {"run": key, "topic": second, "measure": measure, "value": leaf}
            else:
                yield {"topic": key, "measure": second, "value": value}


def _name(data: Any) -> str | None:
    """What a run is called that nothing names: as its file, without what tells its kind."""
    if is_frame(data) or not isinstance(data, str | os.PathLike):
        return None
    base = os.path.basename(os.fspath(data))
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        base = base.removesuffix(suffix)
    return os.path.splitext(base)[0] or None


def _topic_first(source: Source) -> bool:
    """Whether lines are ``topic measure value``: what is said of all topics tells."""
    rows = [line.split() for line in source.start.decode("utf-8", "replace").splitlines()[:-1]]
    seconds = {row[1] for row in rows if len(row) == 3}
    firsts = {row[0] for row in rows if len(row) == 3}
    if "all" in seconds or any(name.endswith("=") for name in seconds):
        return False
    return "all" in firsts or (len(seconds) < len(firsts) and not _numbers(seconds))


def _numbers(names: Iterable[str]) -> bool:
    return any(finite(name) is not None for name in names)
