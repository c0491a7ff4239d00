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
from functools import partial
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.ntcir.nev import read_results as read_nev
from cranfield.data.reading.cells import Layout, read_lines
from cranfield.data.reading.columns import SPELLINGS, spelt
from cranfield.data.reading.formats import recognise
from cranfield.data.reading.lines import Line, finite, identifier
from cranfield.data.reading.signatures import detect, refuse_foreign
from cranfield.data.reading.source import START, Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.systems import RunNames
from cranfield.errors import InputError
from cranfield.wording import option

ResultsLike: TypeAlias = Any  # a path, {topic: {measure: value}}, {topic: value}, a frame, tuples

ALL = "all"  # the summary row of trec_eval, ir_measures and cranfield: no topic has this name
AMEAN = "amean"  # the summary row of ndeval and gdeval, whose tables begin with runid,topic
Excluded: TypeAlias = dict[tuple[str, str], bool]  # (where, summary row): whether in a file
_TEXTS = ("relstring", "runid")  # measures of trec_eval that are no numbers
_NAMES_PARSED = 100  # the first names of a run that are parsed as measures
_NEV = re.compile(rb"\s*\S+ (#|[^\s=]+=\s)")  # NTCIREVAL: 0001 # syslen=…, 0001 AP= 0.5000

WRITTEN = ("run", "topic", "measure", "value")  # the columns of `cranfield evaluate -f jsonl`
LAYOUT = Layout(
    (("measure", "topic", "value"), ("run", "topic", "measure", "value")),
    ("topic",),
    {
        "run": SPELLINGS["tag"],
        "topic": (*SPELLINGS["topic"], "id"),
        "measure": ("measure", "metric", "measure_name", "metric_name"),
        "value": ("value", "score", "val"),
    },
    told=("topic",),
    wide=True,  # with a column for each measure
    use="scores",
)


class Result(NamedTuple):
    """The value of a measure for a run and a topic: NaN if undefined, None if there is none.

    The run is None if nothing names it.
    """

    run: str | None
    topic: str
    measure: str
    value: float | None
    line: Line

    @property
    def is_summary(self) -> bool:
        """True if this is a value of all topics together, by the rules of its format."""
        return self.topic == ALL or (self.topic == AMEAN and "runid" in self.line.cells)


def read_results(
    data: ResultsLike,
    where: str = "scores",
    known: Callable[[str], bool] = lambda name: False,
    wanted: Callable[[str], bool] = lambda name: True,
    run_names: RunNames = "tag",
    excluded: Excluded | None = None,
) -> Iterator[Result]:
    """The results of topics; those of all topics together are left out.

    These are the rows ``all`` and, in tables of ndeval and gdeval, ``amean``: `excluded` collects
    where they are, and their names.

    `known` says of a name whether it is a measure's, for data that have measures first or second,
    and `wanted` whether its values are: others may be no numbers, and are None. A run is called as
    a ``runid`` says, before or after its results, else by its path; with `run_names` ``file``, it
    is always.

    >>> [r[1:4] for r in read_results([("map", "301", 0.5), ("map", "all", 0.5)])]
    [('301', 'map', 0.5)]
    """
    source = Source.of(data) if isinstance(data, str | os.PathLike) else None
    path = None if source is None else source.name
    if source is not None and _NEV.match(source.start):
        yield from _named(_of_nev(source), path)
        return
    topic_first = source is not None and _topic_first(source, known)
    lines = read_lines(source or data, LAYOUT, where, nested=partial(_nested, known), where=where)
    found: Iterable[Result] = (r for line in lines for r in _of_line(line, topic_first))
    if not _has_columns(data, source):
        found = _without_documents(found, known, path or where)
    topics = _of_topics(
        found, wanted, path or where, {} if excluded is None else excluded, bool(path)
    )
    called = _called(topics, path)
    yield from _named(called, path) if path and run_names == "file" else called


def not_scores(problem: str, where: object, line: int | None = None, fix: str = "") -> InputError:
    """Return an error for a run or judgments in place of scores."""
    usage = option("cranfield compare QRELS RUN RUN", "cf.compare(cf.evaluate(qrels, runs))")
    return InputError.problem(problem, f"Evaluate runs first: {usage}{fix}", where, line)


def _has_columns(data: ResultsLike, source: Source | None) -> bool:
    """Return True if the columns of the data have names, which declare measures."""
    if source is not None:
        return recognise(source).rows is not None
    return is_frame(data) or (isinstance(data, list) and isinstance(next(iter(data), 0), Mapping))


def _without_documents(
    results: Iterable[Result], known: Callable[[str], bool], where: str
) -> Iterator[Result]:
    """Yield the results, or raise an error if they are runs: document ids in place of measures.

    Scores have the same measures for every topic. Names that are no known measures are documents
    if topics of a run differ in their names, or if every topic lists the same names in another
    order, each time from the highest value to the lowest.
    """
    rows = list(results)
    runs: dict[str | None, dict[str, dict[str, Any]]] = {}
    for run, topic, name, value, _ in rows:
        if topic not in (ALL, AMEAN) and name != "runid":
            runs.setdefault(run, {}).setdefault(topic, {})[name] = value
    for topics in runs.values():
        first = next(iter(topics.values()))
        differ = any(names.keys() != first.keys() for names in topics.values())
        if not differ and not _are_rankings([*topics.values()]):
            continue
        if not any(map(known, islice(first, _NAMES_PARSED))):
            shown = ", ".join(map(repr, islice(first, 3)))
            problem = f"{shown}, … are no known measures and differ between topics: this is a run"
            named = option("-m", "measures=")
            raise not_scores(problem, where, fix=f". Name custom measures with {named}")
    return iter(rows)


def _are_rankings(topics: list[dict[str, Any]]) -> bool:
    """Return True if topics order the same names differently, each by falling values."""
    if all(list(names) == list(topics[0]) for names in topics):
        return False
    values = [[*map(finite, names.values())] for names in topics]
    return all(x is not None and y is not None and x >= y for v in values for x, y in pairwise(v))


def _of_topics(
    results: Iterable[Result],
    wanted: Callable[[str], bool],
    where: str,
    excluded: Excluded,
    in_file: bool,
) -> Iterator[Result]:
    """The results of topics, at least one, and what says whose they are."""
    some = False
    for result in results:
        if result.measure == "runid" and result.run is None:
            yield result
        elif result.is_summary:
            excluded[where, result.topic] = in_file
        elif not _is_text(result):
            some = True
            yield result._replace(value=_number(result) if wanted(result.measure) else None)
    if not some:
        found = "no scores of topics, only of all together"
        raise InputError(found, "some (trec_eval needs -q)", where)


def _is_text(result: Result) -> bool:
    """Return True for a measure of trec_eval that is no number, not for a custom measure."""
    named = result.run is not None and finite(result.value) is not None
    return result.measure.startswith(_TEXTS) and not named


def _called(results: Iterable[Result], otherwise: str | None) -> Iterator[Result]:
    """The results with the name of their run, which a ``runid`` tells before or after them."""
    told: str | None = None  # before them
    waiting: list[Result] = []
    for result in results:
        if result.run is not None:
            yield result
        elif result.measure != "runid":
            waiting.append(result)
        else:
            name = identifier(result.value)
            yield from _named(waiting, name if told is None else told)
            told = name if told is not None or not waiting else None
            waiting = []
    yield from _named(waiting, told or otherwise)


def _named(results: Iterable[Result], run: str | None) -> Iterator[Result]:
    return (result._replace(run=run) for result in results)


def _of_nev(source: Source) -> Iterator[Result]:
    nowhere = Line(source.name, None, {})
    for topic, of_topic in read_nev(source).items():
        for measure, value in of_topic.items():
            yield Result(None, topic, measure, value, nowhere)


def _of_line(line: Line, topic_first: bool) -> Iterator[Result]:
    cells = dict(line.cells)
    run, measure, value = (_column(x, cells) for x in ("run", "measure", "value"))
    name = identifier(cells.pop(run)) if run is not None else None
    topic = line.name("topic")
    if measure is not None and value is not None:
        measured = line.name(measure)
        if topic_first and tuple(line.cells) == LAYOUT.text[0]:  # and no table, which names them
            topic, measured = measured, topic
        ours = line.number is not None and tuple(line.cells) == WRITTEN  # where null is undefined
        found = math.nan if ours and cells[value] is None else cells[value]
        yield Result(name, topic, measured, found, line)
        return
    if (doc := spelt(SPELLINGS["doc"], cells)) is not None:
        problem = f"column {doc!r} holds documents: this is a run or qrels, not scores"
        raise not_scores(problem, line.where, line.number)
    for column, cell in cells.items():
        if column != "topic":
            yield Result(name, topic, str(column).strip(), cell, line)


def _column(name: str, cells: Mapping[str, Any]) -> str | None:
    """What a column is called here, if there is one."""
    if name in cells:
        return name
    return spelt(LAYOUT.spellings[name], cells)


def _number(result: Result) -> float | None:
    given: Any = result.value
    text = "" if given is None else str(given).strip().lower()
    if text in ("", "nan", "-nan"):
        return math.nan if text else None
    value = finite(given)
    if value is None and isinstance(given, list | tuple | set):
        problem = f"topic {result.topic!r} has a ranking: this is a run, not scores"
        raise not_scores(problem, result.line.where)
    if value is None:
        found = f"{given!r} for {result.measure} of topic {result.topic}"
        hint = "-m chooses columns" if result.measure in result.line.cells else ""
        raise result.line.error(found, "a number", hint)
    return value


def _nested(
    known: Callable[[str], bool], data: Mapping[Any, Any], where: str
) -> Iterator[dict[str, Any]]:
    """Rows of the results of a run, or of ``{run: …}``.

    What `cranfield evaluate -q -f json` writes has these under "topics": there, null is undefined.
    """
    refuse_foreign(detect(data, where), "scores", where)
    if isinstance(data.get("topics"), Mapping) and "measures" in data:
        if {"runs", "all"} <= data.keys():
            for run, topics in data["topics"].items():
                for topic, values in topics.items():
                    for measure, value in values.items():
                        cells = (run, topic, measure, math.nan if value is None else value)
                        yield dict(zip(WRITTEN, cells, strict=True))
            return
        data = data["topics"]
    if not any(map(_is_nested, data.values())):
        yield from _of_run(data, known)
        return
    for run, of_run in data.items():
        if not isinstance(of_run, Mapping):
            found = f"{type(of_run).__name__} for run {run}"
            raise InputError(found, "{topic: {measure: value}}", where)
        yield from ({"run": run, **row} for row in _of_run(of_run, known))


def _is_nested(data: Any) -> bool:
    return isinstance(data, Mapping) and any(isinstance(x, Mapping) for x in data.values())


def _of_run(data: Mapping[Any, Any], known: Callable[[str], bool]) -> Iterator[dict[str, Any]]:
    """Rows of ``{topic: value}``, ``{topic: {measure: value}}`` or, as ranx has it, ``{measure:
    {topic: value}}``.
    """
    inner = next((x for x in data.values() if isinstance(x, Mapping)), {})
    measured, others = (any(known(str(key)) for key in [*x][:5]) for x in (data, inner))
    names = ("measure", "topic") if measured and not others else ("topic", "measure")
    for first, found in data.items():
        if isinstance(found, Mapping):
            for second, value in found.items():
                yield dict(zip(names, (first, second), strict=True)) | {"value": value}
        else:
            yield {"topic": first, "measure": "score", "value": found}


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
    return ALL in names


def _are_numbers(names: list[str]) -> bool:
    return all(finite(name) is not None for name in names)
