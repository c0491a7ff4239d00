"""Scores per topic in files of trec_eval -q, ndeval, gdeval and in tables.

Text has ``measure topic value`` (trec_eval -q), ``topic measure value`` (ir_measures), ``topic AP=
value`` (NTCIREVAL) or ``run topic measure value`` on each line. Tables name such columns, or have
a column for each measure (ndeval, gdeval).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice, pairwise
from typing import Any, TypeAlias

from cranfield.data.ntcir.nev import read_results as read_nev
from cranfield.data.reading.cells import Layout, Names, detect_layout_format, read_lines
from cranfield.data.reading.columns import SPELLINGS, find_spelling, is_row_number
from cranfield.data.reading.contents import DETAILS, REMARK, is_empty
from cranfield.data.reading.formats import JSON, LETOR
from cranfield.data.reading.lines import Line, parse_finite, parse_identifier
from cranfield.data.reading.signatures import Match, match_object, read_rows, reject_foreign
from cranfield.data.reading.source import START, Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.user_columns import get_user_columns
from cranfield.data.replicates import find_replicate_columns, read_replicates
from cranfield.data.score_rows import ALL, AMEAN, ReadLog, Result, get_details, resolve_details
from cranfield.data.systems import RunNames
from cranfield.errors import InputError
from cranfield.wording import format_option

ResultsLike: TypeAlias = Any  # a path, {topic: {measure: value}}, {topic: value}, a frame, tuples

_TEXTS = ("relstring", "runid")  # text measures of trec_eval
_NAMES_PARSED = 100  # number of names of a run that are parsed as measures
_NEV = re.compile(rb"\s*\S+ (#|[^\s=]+=\s)")  # NTCIREVAL: 0001 # syslen=…, 0001 AP= 0.5000

OWN_COLUMNS = ("run", "topic", "measure", "value")  # the columns of `cranfield evaluate -f jsonl`
LAYOUT = Layout(
    (("measure", "topic", "value"), ("run", "topic", "measure", "value")),
    ("topic",),
    {
        "run": SPELLINGS["tag"],
        "topic": (*SPELLINGS["topic"], "id"),
        "measure": ("measure", "metric", "measure_name", "metric_name"),
        "value": ("value", "score", "val"),
    },
    header=("topic",),
    wide=True,  # with a column for each measure
    keeps_columns=True,  # of replicates
    table="scores",
    use="scores",
)


_TOPIC_FIRST = ("topic", "measure", "value")
ORDERS = (  # of lines with four fields: ir_measures, tot and rag4reports
    ("run", "topic", "measure", "value"),
    ("run", "measure", "topic", "value"),
    ("topic", "run", "measure", "value"),
)


def read_results(
    data: ResultsLike,
    location: str = "scores",
    is_measure: Callable[[str], bool] = lambda name: False,
    is_wanted: Callable[[str], bool] = lambda name: True,
    run_names: RunNames = "tag",
    log: ReadLog | None = None,
) -> Iterator[Result]:
    """Yield the results of topics, without summaries over all topics.

    Summaries are the rows ``all`` and, in tables of ndeval and gdeval, ``amean``. `log` collects
    them, and decisions on ambiguous data.

    `is_measure` returns True for names of measures: data may have the measure or the topic first.
    `is_wanted` selects measures. Values of other measures need not be numbers, and are None. The
    run is named by ``runid``, before or after its results, otherwise by its path. With `run_names`
    ``file``, it is always the path.

    >>> [r[1:4] for r in read_results([("map", "301", 0.5), ("map", "all", 0.5)])]
    [('301', 'map', 0.5)]
    """
    source = Source.from_path(data) if isinstance(data, str | os.PathLike) else None
    path = None if source is None else source.name
    if source is not None and _NEV.match(source.start):
        yield from _set_run(_read_nev_results(source), path)
        return
    log = log or ReadLog()
    orders = () if source is None else _detect_orders(source, is_measure, log)
    lines = read_lines(
        source or data,
        LAYOUT,
        location,
        nested=partial(_flatten_mapping, is_measure, log),
        location=location,
    )
    results: Sequence[Result] = [r for line in lines for r in _read_line(line, orders, log)]
    results = _select_measures(results, is_measure, log, path or location, _has_columns(data, source))
    topics = _select_topics(results, is_wanted, path or location, log, bool(path))
    named_results = _assign_runs(topics, path)
    yield from _set_run(named_results, path) if path and run_names == "file" else named_results


def _select_measures(
    results: Sequence[Result], is_measure: Callable[[str], bool], log: ReadLog, location: str, has_columns: bool
) -> Sequence[Result]:
    """Return the results without attributes of topics. Raise InputError for a run."""
    if results and get_details(results[0]) is not None:
        selection = [row for row in results if not _is_optional(row) or is_measure(row.measure)]
        return resolve_details(_drop_attributes(selection, is_measure), log, location)
    if has_columns:
        return _drop_attributes(results, is_measure)
    _reject_documents(results, is_measure, location)
    return results


def _is_optional(result: Result) -> bool:
    """Return True for a number that is a score only if the user selects it."""
    details = get_details(result)
    return details is not None and details.is_optional


def make_not_scores_error(problem: str, location: object, line: int | None = None, fix: str = "") -> InputError:
    """Return the error for a run or judgments in place of scores."""
    usage = format_option("cranfield compare QRELS RUN RUN", "cf.compare(cf.evaluate(qrels, runs))")
    return InputError.from_problem(problem, f"Evaluate runs first: {usage}{fix}", location, line)


def _has_columns(data: ResultsLike, source: Source | None) -> bool:
    """Return True if the data have named columns, which declare measures."""
    if source is not None:
        return detect_layout_format(source, LAYOUT).tabular is not None or source.start.lstrip()[:1] == b"["
    return is_frame(data) or (isinstance(data, list) and isinstance(next(iter(data), 0), Mapping))


def _drop_attributes(results: Sequence[Result], is_measure: Callable[[str], bool]) -> list[Result]:
    """Return the results without columns of texts, lists or objects, and without row numbers.

    Columns without a number are attributes of topics only if another column has numbers.
    """
    rows = [row for row in results if not (_is_column(row) and is_row_number(row.measure))]
    columns: dict[str, bool] = {}  # True if a cell is a number
    for row in rows:
        if _is_column(row):
            is_number = parse_finite(row.value) is not None or (get_details(row) is None and is_measure(row.measure))
            columns[row.measure] = columns.get(row.measure, False) or is_number
    attributes = {name for name, has_number in columns.items() if not has_number} - {"runid"}
    has_numbers = any(parse_finite(row.value) is not None for row in rows)
    return [row for row in rows if row.measure not in attributes] if has_numbers else rows


def _is_column(result: Result) -> bool:
    """Return True if the measure is the name of a column, not a cell."""
    details = get_details(result)
    return result.measure in result.line.cells if details is None else details.is_column


def _reject_documents(results: Iterable[Result], is_measure: Callable[[str], bool], location: str) -> None:
    """Raise an error if results are runs, with documents as measures.

    Scores have the same measures for every topic. Names that are no known measures are documents
    if topics of a run differ in their names, or if every topic lists the same names in another
    order, each time from the highest value to the lowest.
    """
    runs: dict[str | None, dict[str, dict[str, Any]]] = {}
    for run, topic, name, value, *_ in results:
        if topic not in (ALL, AMEAN) and name != "runid":
            runs.setdefault(run, {}).setdefault(topic, {})[name] = value
    for topics in runs.values():
        first = next(iter(topics.values()))
        differ = any(names.keys() != first.keys() for names in topics.values())
        if not differ and not _are_rankings([*topics.values()]):
            continue
        if not any(map(is_measure, islice(first, _NAMES_PARSED))):
            examples = ", ".join(map(repr, islice(first, 3)))
            problem = f"{examples}, … are no known measures and differ between topics: this is a run"
            measures_option = format_option("-m", "measures=")
            raise make_not_scores_error(problem, location, fix=f". Name custom measures with {measures_option}")


def _are_rankings(topics: list[dict[str, Any]]) -> bool:
    """Return True if topics order the same names differently, each by falling values."""
    if all(list(names) == list(topics[0]) for names in topics):
        return False
    values = [[*map(parse_finite, names.values())] for names in topics]
    return all(x is not None and y is not None and x >= y for v in values for x, y in pairwise(v))


def _select_topics(
    results: Iterable[Result],
    is_wanted: Callable[[str], bool],
    location: str,
    log: ReadLog,
    in_file: bool,
) -> Iterator[Result]:
    """Yield the results of topics, at least one, and the ``runid`` rows."""
    has_scores = False
    for result in results:
        if result.measure == "runid" and result.run is None:
            yield result
        elif result.is_summary:
            log.excluded[location, result.topic] = in_file
        elif not _is_text(result):
            has_scores = True
            yield result._replace(value=_parse_number(result) if is_wanted(result.measure) else None)
    if not has_scores:
        problem = "no scores per topic, only summaries"
        raise InputError.from_problem(problem, "Run trec_eval with -q.", location)


def _is_text(result: Result) -> bool:
    """Return True for a text measure of trec_eval, not for a custom measure."""
    is_named = result.run is not None and parse_finite(result.value) is not None
    return result.measure.startswith(_TEXTS) and not is_named


def _assign_runs(results: Iterable[Result], default_run: str | None) -> Iterator[Result]:
    """Yield the results with the run of the ``runid`` before or after them."""
    pending_run: str | None = None  # run named before its results
    waiting: list[Result] = []
    for result in results:
        if result.run is not None:
            yield result
        elif result.measure != "runid":
            waiting.append(result)
        else:
            name = parse_identifier(result.value)
            yield from _set_run(waiting, name if pending_run is None else pending_run)
            pending_run = name if pending_run is not None or not waiting else None
            waiting = []
    yield from _set_run(waiting, pending_run or default_run)


def _set_run(results: Iterable[Result], run: str | None) -> Iterator[Result]:
    return (result._replace(run=run) for result in results)


def _read_nev_results(source: Source) -> Iterator[Result]:
    nowhere = Line(source.name, None, {})
    for topic, of_topic in read_nev(source).items():
        for measure, value in of_topic.items():
            yield Result(None, topic, measure, value, nowhere)


def _read_line(line: Line, orders: Sequence[Names], log: ReadLog) -> Iterator[Result]:
    """Yield the results of a line. `orders` are other orders of the fields of text."""
    if REMARK in line.cells:
        log.add(line.location, str(line.cells[REMARK]))
        return
    is_table = tuple(line.cells) not in LAYOUT.forms  # with named columns, the topic first
    if not is_table:
        line = _reorder_fields(line, orders)
    cells = dict(line.cells)
    run, measure, value = (_find_column(x, cells) for x in ("run", "measure", "value"))
    name = parse_identifier(cells.pop(run)) if run is not None else None
    topic = line.get_name("topic")
    columns = _find_replicates(tuple(cells)) if is_table else {}
    replicates = read_replicates(cells, columns)
    if measure is not None and value is not None:
        measured = line.get_name(measure)
        _note_other_values(line, value, cells, log)
        is_own_format = line.number is not None and {*line.cells} == {*OWN_COLUMNS}  # null is undefined in this format
        score = math.nan if is_own_format and cells[value] is None else cells[value]
        _note_missing(line, score, log)
        yield Result(name, topic, measured, score, line, *replicates)
        return
    for column, cell in _iter_measures(line, cells):
        if column != "topic" and column not in columns.values():
            _note_missing(line, cell, log)
            yield Result(name, topic, str(column).strip(), cell, line, *replicates)


def _iter_measures(line: Line, cells: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return the columns that can be measures: all, or the column of values chosen by the user."""
    chosen = get_user_columns().select("scores").get("value")
    if chosen is not None and "value" in cells:
        return [(chosen.column, cells["value"])]
    if (doc := find_spelling(SPELLINGS["doc"], cells)) is not None:
        problem = f"column {doc!r} holds documents: this is a run or qrels, not scores"
        raise make_not_scores_error(problem, line.location, line.number)
    return cells.items()


def _reorder_fields(line: Line, orders: Sequence[Names]) -> Line:
    names = next((x for x in orders if len(x) == len(line.cells)), tuple(line.cells))
    return line._replace(cells=dict(zip(names, line.cells.values(), strict=True)))


_find_replicates = lru_cache(maxsize=128)(find_replicate_columns)


def _note_missing(line: Line, value: Any, log: ReadLog) -> None:
    """Note missing scores of formats without details, which have their own note."""
    if is_empty(value) and DETAILS not in line.cells:
        log.add(line.location, "scores without a value are missing")


def _note_other_values(line: Line, value: str, cells: Mapping[str, Any], log: ReadLog) -> None:
    """Note other columns that can have the values."""
    if others := _find_others("value", value, tuple(cells)):
        log.add(line.location, f"the value is column {value}, not {' or '.join(others)}")


@lru_cache(maxsize=128)
def _find_others(role: str, column: str, names: Names) -> list[str]:
    """Return the other columns that can have a role."""
    return [name for name in names if name != column and find_spelling(LAYOUT.spellings[role], [name]) is not None]


def _find_column(name: str, cells: Mapping[str, Any]) -> str | None:
    """Return the column of the table for our column name, or None."""
    if name in cells:
        return name
    return find_spelling(LAYOUT.spellings[name], cells)


def _parse_number(result: Result) -> float | None:
    cell: Any = result.value
    text = "" if cell is None else str(cell).strip().lower()
    if text in ("", "nan", "-nan"):
        return math.nan if text else None
    value = parse_finite(cell)
    if value is None and isinstance(cell, list | tuple | set) and get_details(result) is None:
        problem = f"topic {result.topic!r} has a ranking: this is a run, not scores"
        raise make_not_scores_error(problem, result.line.location)
    if value is None:
        description = f"{cell!r} for {result.measure} of topic {result.topic}"
        hint = "use -m to select columns" if result.measure in result.line.cells else ""
        raise result.line.make_error(description, "a number", hint)
    return value


def _flatten_mapping(
    is_measure: Callable[[str], bool], log: ReadLog, data: Mapping[Any, Any], location: str
) -> Iterator[dict[str, Any]]:
    """Yield rows of the results of a run, or of ``{run: …}``.

    Output of `cranfield evaluate -q -f json` has them under "topics". In this format, null is
    undefined.
    """
    match = match_object(data, location)
    if match is not None:
        reject_foreign(match.signature, "scores", location)
        if match.signature.get_reader("scores") is not None:
            yield from _read_match(match, log, location)
            return
    if isinstance(data.get("topics"), Mapping) and "measures" in data:
        if {"runs", "all"} <= data.keys():
            log.read_clusters(location, data)
            for run, topics in data["topics"].items():
                for topic, values in topics.items():
                    for measure, value in values.items():
                        cells = (run, topic, measure, math.nan if value is None else value)
                        yield dict(zip(OWN_COLUMNS, cells, strict=True))
            return
        data = data["topics"]
    if not any(map(_is_nested, data.values())):
        yield from _flatten_run(data, is_measure)
        return
    for run, of_run in data.items():
        if not isinstance(of_run, Mapping):
            problem = f"{type(of_run).__name__} for run {run}"
            raise InputError(problem, "{topic: {measure: value}}", location)
        yield from ({"run": run, **row} for row in _flatten_run(of_run, is_measure))


def _read_match(match: Match, log: ReadLog, location: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of another tool. `log` collects remarks."""
    for _, cells in read_rows(match, "scores", location):
        if REMARK in cells:
            log.add(location, str(cells[REMARK]))
        else:
            yield cells


def _is_nested(data: Any) -> bool:
    return isinstance(data, Mapping) and any(isinstance(x, Mapping) for x in data.values())


def _flatten_run(data: Mapping[Any, Any], is_measure: Callable[[str], bool]) -> Iterator[dict[str, Any]]:
    """Yield rows of ``{topic: value}`` or ``{topic: {measure: value}}``.

    ranx has ``{measure: {topic: value}}``.
    """
    inner = next((x for x in data.values() if isinstance(x, Mapping)), {})
    measured, inner_measured = (any(is_measure(str(key)) for key in [*x][:5]) for x in (data, inner))
    names = ("measure", "topic") if measured and not inner_measured else ("topic", "measure")
    for first, values in data.items():
        if isinstance(values, Mapping):
            for second, value in values.items():
                yield dict(zip(names, (first, second), strict=True)) | {"value": value}
        else:
            yield {"topic": first, "measure": "score", "value": values}


def _detect_orders(source: Source, is_measure: Callable[[str], bool], log: ReadLog) -> tuple[Names, ...]:
    """Return the orders of lines with three and four fields that differ from `LAYOUT`."""
    format = detect_layout_format(source, LAYOUT)
    if format.tabular is not None or format in (JSON, LETOR):
        return ()
    start = source.start.decode("utf-8", "replace").split("\n")
    if len(source.start) == START:
        start.pop()  # incomplete line
    rows = [*map(str.split, start)]
    triples, lines = ([row for row in rows if len(row) == size] for size in (3, 4))
    orders = [_TOPIC_FIRST] if _has_topic_first(triples, is_measure) else []
    return (*orders, _detect_order(lines, is_measure, source.name, log)) if lines else tuple(orders)


def _has_topic_first(rows: list[list[str]], is_measure: Callable[[str], bool]) -> bool:
    """Return True if lines are ``topic measure value``, not ``measure topic value``.

    The first of these rules decides: the column with "all" has topics, the column with only
    numbers has topics, the column with known measures has measures. Otherwise, topics come first
    if there is only one measure.
    """
    firsts, seconds = (list(dict.fromkeys(row[i] for row in rows)) for i in (0, 1))
    for tells in (_has_summary, _are_numbers, lambda names: not any(map(is_measure, names[:3]))):
        if tells(firsts) != tells(seconds):
            return tells(firsts)
    return len(seconds) == 1 < len(firsts)


def _detect_order(rows: list[list[str]], is_measure: Callable[[str], bool], location: str, log: ReadLog) -> Names:
    """Return the order of the fields of lines. Raise InputError if it cannot be decided.

    The column with "all", or the only column of numbers, has topics. The only column with known
    measures has measures.
    """
    columns = [list(dict.fromkeys(row[i] for row in rows)) for i in range(3)]
    orders = list(ORDERS)
    clues: tuple[tuple[str, Callable[[list[str]], bool]], ...] = (
        ("topic", _has_summary),
        ("topic", _are_numbers),
        ("measure", lambda names: any(map(is_measure, names[:_NAMES_PARSED]))),
    )
    for role, is_clue in clues:
        places = [i for i, names in enumerate(columns) if is_clue(names)]
        if len(places) == 1:
            orders = [order for order in orders if order.index(role) == places[0]] or orders
    if len(orders) == len(ORDERS):
        problem = "the order of four fields is ambiguous"
        listing = ", ".join(map(repr, map(" ".join, ORDERS)))
        fix = f"Add a header with tabs between the names. Possible orders: {listing}."
        raise InputError.from_problem(problem, fix, location)
    if len(orders) > 1:
        log.add(location, f"fields read as {' '.join(orders[0])}")
    return orders[0]


def _has_summary(names: list[str]) -> bool:
    return ALL in names


def _are_numbers(names: list[str]) -> bool:
    return all(parse_finite(name) is not None for name in names)
