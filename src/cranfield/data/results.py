"""Scores of topics that evaluation tools have written: trec_eval -q, ndeval, gdeval, tables.

Text has ``measure topic value`` (trec_eval -q), ``topic measure value`` (ir_measures), ``topic
AP= value`` (NTCIREVAL) or ``run topic measure value`` on each line. Tables name such columns, or
have a column for each measure (ndeval, gdeval).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.cells import Layout, Line, read_lines
from cranfield.data.columns import SPELLINGS, spelt
from cranfield.data.nev import read_results as read_nev
from cranfield.data.records import finite, identifier
from cranfield.data.source import START, Source

ResultsLike: TypeAlias = Any  # a path, {topic: {measure: value}}, {topic: value}, a frame, tuples

SUMMARIES = ("all", "amean", "mean", "average")  # rows that are no topic
_TEXTS = ("relstring", "runid")  # measures of trec_eval that are no numbers
_NEV = re.compile(rb"\s*\S+ (#|[^\s=]+=\s)")  # NTCIREVAL: 0001 # syslen=…, 0001 AP= 0.5000

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


def read_results(
    data: ResultsLike, where: str = "scores", known: Callable[[str], bool] = lambda name: False
) -> Iterator[Result]:
    """The results of topics; those of all topics together are left out.

    `known` says of a name whether it is a measure's, for text that has measures first or second.
    A run is called as a ``runid`` says, before or after its results; else as its file.

    >>> [r[1:4] for r in read_results([("map", "301", 0.5), ("map", "all", 0.5)])]
    [('301', 'map', 0.5)]
    """
    source = Source.of(data) if isinstance(data, str | os.PathLike) else None
    if source is not None and _NEV.match(source.start):
        yield from _of_nev(source)
        return
    topic_first = source is not None and _topic_first(source, known)
    name: str | None = None  # what a runid said before the results
    waiting: list[Result] = []
    for line in read_lines(source or data, LAYOUT, where, nested=_nested, where=where):
        for result in _of_line(line, topic_first):
            if result.measure == "runid" and result.run is None:
                said = identifier(result.value)
                yield from _named(waiting, said if name is None else name)
                name = said if name is not None or not waiting else None
                waiting = []
            elif result.topic not in SUMMARIES and not result.measure.startswith(_TEXTS):
                made = result._replace(value=_number(result))
                if result.run is not None:
                    yield made
                else:
                    waiting.append(made)
    yield from _named(waiting, _name(data) if name is None else name)


def _named(results: Iterable[Result], run: str | None) -> Iterator[Result]:
    return (result._replace(run=run) for result in results)


def _of_nev(source: Source) -> Iterator[Result]:
    nowhere = Line(source.name, None, {})
    for topic, of_topic in read_nev(source).items():
        for measure, value in of_topic.items():
            yield Result(_name(source), topic, measure, value, nowhere)


def _of_line(line: Line, topic_first: bool) -> Iterator[Result]:
    cells = dict(line.cells)
    run, measure, value = (_column(x, cells) for x in ("run", "measure", "value"))
    name = identifier(cells.pop(run)) if run is not None else None
    topic = line.name("topic")
    if measure is not None and value is not None:
        measured = line.name(measure)
        if topic_first and tuple(line.cells) == LAYOUT.text[0]:  # and no table, which names them
            topic, measured = measured, topic
        yield Result(name, topic, measured, cells[value], line)
        return
    for column, cell in cells.items():
        if column != "topic":
            yield Result(name, topic, str(column).strip(), cell, line)


def _column(name: str, cells: Mapping[str, Any]) -> str | None:
    """What a column is called here, if there is one."""
    if name in cells:
        return name
    return spelt(LAYOUT.spellings[name], cells)


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
    if not isinstance(data, str | os.PathLike):
        return None
    base = os.path.basename(os.fspath(data))
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        base = base.removesuffix(suffix)
    return os.path.splitext(base)[0] or None


def _topic_first(source: Source, known: Callable[[str], bool]) -> bool:
    """Whether lines are ``topic measure value``, and not the two the other way round.

    What is said of all topics tells, else that only topics are numbers, else what is `known`; else
    they are, if there is one measure only.
    """
    start = source.start.decode("utf-8", "replace").splitlines()
    if len(source.start) == START:
        start.pop()  # half a line
    rows = [row for row in map(str.split, start) if len(row) == 3]
    firsts, seconds = (list(dict.fromkeys(row[i] for row in rows)) for i in (0, 1))
    for tells in (_summarise, _are_numbers, lambda names: not any(map(known, names[:3]))):
        if tells(firsts) != tells(seconds):
            return tells(firsts)
    return len(seconds) == 1 < len(firsts)


def _summarise(names: list[str]) -> bool:
    return any(name in SUMMARIES for name in names)


def _are_numbers(names: list[str]) -> bool:
    return all(finite(name) is not None for name in names)
