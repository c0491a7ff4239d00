"""`Qrels`: the judgments of a test collection."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield import kernel
from cranfield.arrays import LARGEST, Floats, Ints
from cranfield.data import catalogues, intents
from cranfield.data.reading.adapters import reject_numbers, to_plain
from cranfield.data.reading.columns import SPELLINGS, ColumnsLike, find_spelling, read_columns
from cranfield.data.reading.formats import JSON, LETOR, detect_format
from cranfield.data.reading.labels import LEVEL, LabelsLike, get_level, read_labels
from cranfield.data.reading.lines import (
    NUMBER,
    check_not_empty,
    format_value,
    parse_identifier,
    to_number,
)
from cranfield.data.reading.mappings import Nested, read_plain_lists, to_nested
from cranfield.data.reading.objects import is_shaped, list_object_topics, read_object_records
from cranfield.data.reading.records import (
    COLUMNS,
    COUNTS,
    DEFAULT_OPTIONS,
    DUPLICATE,
    Problem,
    ReadOptions,
    Record,
    check_records,
)
from cranfield.data.reading.shapes import NO_LEVELS, has_levels
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings, expand_spans
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import is_frame, read_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count, suggest_keywords

BOOLS = {bool, np.bool_}
SAMPLES = "`evaluate` estimates xinfAP and infNDCG from them"
QrelsLike: TypeAlias = Any  # a path, {topic: {doc: level}}, a frame, tuples, records, Qrels


class Positions(NamedTuple):
    """Documents that are named by their positions in arrays."""

    order: Sequence[int]

    def tolist(self) -> list[str]:
        """Return the names of the documents.

        >>> Positions([1, 0]).tolist()
        ['1', '0']
        """
        return list(map(str, self.order))


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments by topic, in the order of the file.

    >>> read_qrels({"q1": {"d1": 2, "d2": 0}})
    Qrels: 2 judgments of 1 topic
    """

    topics: tuple[str, ...]
    offsets: Ints  # topic t has the rows offsets[t]:offsets[t + 1]
    levels: Floats
    raw_docs: Strings | list[str] | Positions  # documents in input order
    where: str = "qrels"
    repeated: int = 0  # number of equal duplicate judgments
    grouped: int = 0  # number of judgments with a class
    lines: Ints | slice | None = None  # position in the file of LETOR data
    by_intent: intents.ByIntent | None = None  # if judgments are for intents
    strata: Floats | None = None  # if judgments are a sample (level < 0: not sampled)
    in_doubt: str = ""  # note about columns that could have another meaning
    words: Callable[[], Mapping[str, str]] | None = None  # returns the queries of topics
    declared: bool = True  # True if read as judgments by the user, so not a run

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Queries of the topics, if the qrels are from a catalogue (``irds:DATASET``)."""
        return {} if self.words is None else self.words()

    @cached_property
    def docs(self) -> Strings:
        """Documents as a column."""
        return self.raw_docs if isinstance(self.raw_docs, Strings) else Strings.from_list(self.doc_names)

    @cached_property
    def doc_names(self) -> list[str]:
        """Documents as Python strings."""
        return self.raw_docs if isinstance(self.raw_docs, list) else self.raw_docs.tolist()

    @property
    def has_line_numbers(self) -> bool:
        """True if these are LETOR data with line numbers as document ids."""
        if self.lines is None or not all(doc.isdecimal() for doc in self.doc_names):
            return False
        places = np.argsort(np.arange(len(self.levels))[self.lines])
        return bool((np.diff(np.array(list(map(int, self.doc_names)))[places]) > 0).all())

    def __repr__(self) -> str:
        judgments = format_count(len(self.levels), "judgment")
        return f"Qrels: {judgments} of {format_count(len(self.topics), 'topic')}"

    def select_topics(self, topics: Sequence[str]) -> Qrels:
        """Return the judgments of some topics, in this order. Unjudged topics are empty.

        >>> read_qrels({"q1": {"d1": 2}, "q2": {"d2": 0}}).select_topics(["q2"]).to_dict()
        {'q2': {'d2': 0.0}}
        """
        place = {topic: t for t, topic in enumerate(self.topics)}
        positions = np.array([place.get(topic, len(place)) for topic in topics], dtype=np.int64)
        count = np.append(np.diff(self.offsets), 0)[positions]
        rows = expand_spans(np.append(self.offsets, 0)[positions], count)
        offsets = np.concatenate(([0], np.cumsum(count)))
        strata = None if self.strata is None else self.strata[rows]
        columns = offsets, self.levels[rows], self.docs[rows]
        return Qrels(tuple(topics), *columns, self.where, strata=strata, declared=self.declared)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{topic: {doc: level}}``."""
        docs, levels = self.doc_names, self.levels.tolist()
        bounds = zip(self.topics, pairwise(self.offsets.tolist()), strict=True)
        return {t: dict(zip(docs[a:b], levels[a:b], strict=True)) for t, (a, b) in bounds}


@suggest_keywords
def read_qrels(
    data: QrelsLike,
    format: str | None = None,
    *,
    separator: str | None = None,
    labels: LabelsLike | None = None,
    by_intent: bool = False,
    sampled: bool = False,
    columns: ColumnsLike | None = None,
) -> Qrels:
    """Read judgments from a path, a mapping, a frame, tuples or records.

    Frames are Polars or pandas.

    An Arrow table, a structured NumPy array, a pandas Series with the index levels topic and
    document, ranx's Qrels and named tuples of ir_measures are also accepted. ``irds:DATASET`` is a
    dataset of ir_datasets, which must be installed and may download it. A directory has one
    directory per topic, as in NTCIREVAL (with `by_intent`: the ideal lists of intents,
    ``0001/0001.PREFIX.Irelv1``).

    Parameters
    ----------
    data : path, mapping, frame, tuples or records
        The judgments.
    format : str, optional
        Format of the file: trec, ntcir, letor, triples, sampled, csv, tsv, json, jsonl, parquet
        or arrow. Default: detect it.
    separator : str, optional
        Separator of the fields of a line. Default: spaces and tabs.
    labels : str or mapping, optional
        Levels of labels, as in ``"S=3,A=2,B=1,C=0"``. LETOR's levels are numbers and need no
        labels.
    by_intent : bool
        Judgments are for the intents of topics: ``topic intent doc level``, ``{topic: {intent:
        {doc: level}}}``, or a table with a column intent or subtopic. Each document gets its
        highest level for any intent.
    sampled : bool
        Judgments may be a sample of a pool: ``topic 0 doc stratum level``, or a table with a
        column stratum. A level below 0 means pooled, but not sampled. By default, sampled
        judgments are an error.
    columns : str or mapping, optional
        Names of columns, as in ``"topic=user_id,level=rating"``, or their numbers from 1.
    """
    alphabet = None if labels is None else read_labels(labels)
    text = ReadOptions(separator, alphabet, intents=by_intent, columns=read_columns(columns))
    data = to_plain(data, "qrels", "qrels")
    if isinstance(data, Qrels):
        if by_intent and data.by_intent is None:
            raise InputError("judgments without intents", NESTED, data.where)
        return data
    if catalogues.is_catalogue_name(data):
        qrels = _read_catalogue(str(data), text)
    elif isinstance(data, str | os.PathLike):
        qrels = _read_file(Source.from_path(data), format, text)
    elif is_frame(data):
        table = read_frame(data, "qrels", "qrels", text)
        qrels = replace(_from_table(table), in_doubt=table.doubts)
    elif is_shaped(data):
        qrels = _read_objects(data, text)
    elif by_intent:
        qrels = _from_judged(*_read_by_intent(data, text), "qrels")
    elif text.labels is None and (parsed := _from_dicts(data)) is not None:
        qrels = parsed
    else:
        reject_numbers(data)
        qrels = _read_memory(data, text)
    return _check_qrels(qrels, sampled)


def _read_memory(data: Any, text: ReadOptions) -> Qrels:
    """Read a mapping or tuples."""
    judged, repeated = to_nested(data, "qrels", "qrels", text)
    qrels = _from_nested(_apply_labels(judged, text.labels), "qrels", repeated)
    levels = not isinstance(data, Mapping) or all(has_levels(docs, text) for docs in data.values())
    return qrels if levels else replace(qrels, in_doubt=NO_LEVELS)


def _check_qrels(qrels: Qrels, sampled: bool) -> Qrels:
    """Return the judgments.

    Raise an error if there are none, or a topic is named 'all'.
    """
    check_not_empty(qrels.topics, "judgments", qrels.where)
    if qrels.strata is not None and not sampled:
        problem, expected = (
            "sampled judgments (topic 0 doc stratum level)",
            "judgments of every document",
        )
        raise InputError(problem, expected, qrels.where, None, SAMPLES)
    if "all" in qrels.topics:
        raise InputError("a topic named 'all'", "another name ('all' is the summary)", qrels.where)
    return qrels


def _read_catalogue(name: str, text: ReadOptions) -> Qrels:
    rows = catalogues.read_judgments(name, text.intents)
    if text.intents:
        qrels = _from_judged(*_read_by_intent(rows, text), name)
    else:
        judged, repeated = to_nested(rows, "qrels", name)
        qrels = _from_nested(_apply_labels(judged, text.labels), name, repeated)
    return replace(qrels, words=partial(catalogues.read_texts, name))


def _read_file(source: Source, forced: str | None, text: ReadOptions) -> Qrels:
    """Read a file as columns.

    If it is irregular, read records, so that errors have lines.
    """
    decision = detect_format(source, forced, text, "qrels")
    format, text = decision.format, decision.options
    if format is LETOR:
        if text.intents:
            raise InputError("LETOR data", "topic intent doc level", source.name)
        try:
            return _from_letor(format.read_table(source, "qrels"), source.name)
        except Irregular:
            raise format.get_error(source, "qrels") from None
    lists = read_plain_lists(source, text) if format is JSON else None
    if lists is not None and (qrels := _from_dicts(lists)) is not None:
        return replace(qrels, where=source.name)
    try:
        return _from_valid_table(format.read_table(source, "qrels", text), source.name)
    except Irregular:
        if format.read_piece is not None and (error := format.find_error(source, "qrels", text)):
            raise error from None  # faster than record by record
        good = collect_records(format.check_records(source, "qrels", text))
    return _build_qrels(good, format.list_topics(source, "qrels", text), text, source.name)


def _read_objects(data: Any, text: ReadOptions) -> Qrels:
    """Read objects in memory like the objects of a file."""
    records = read_object_records(data, "qrels", "qrels", text)
    good = collect_records(check_records(records, "qrels", "qrels", text))
    return _build_qrels(good, list_object_topics(data, "qrels", "qrels", text), text, "qrels")


def _build_qrels(good: ValidRecords, topics: Iterable[str] | None, text: ReadOptions, location: str) -> Qrels:
    """Build qrels from records, and from topics without judgments if these are known."""
    if text.intents:
        qrels = _from_judged(_group_by_intent(good.records), good.repeated, location)
    else:
        qrels = _from_records(good, topics or (), location)
    return replace(qrels, in_doubt=good.in_doubt)


def _apply_labels(judged: Nested, labels: Mapping[str, float] | None) -> Nested:
    """Replace labels with their levels."""
    if labels is None:
        return judged
    return {topic: {doc: _map_label(label, labels) for doc, label in docs.items()} for topic, docs in judged.items()}


def _map_label(label: Any, labels: Mapping[str, float]) -> Any:
    level = get_level(label, labels) if isinstance(label, str) else None
    return label if level is None else level


def _from_valid_table(table: Table, location: str) -> Qrels:
    """Build qrels from a table. Raise Irregular if a topic or a duplicate is invalid."""
    table = table.group_by_topic()
    if "all" in table.names or np.abs(table.values).max(initial=0.0) > LARGEST:
        raise Irregular
    if table.types is not None:
        return _from_intents(table, location)
    unique = _drop_duplicates(table)
    offsets = np.append(unique.starts, len(unique))
    columns = offsets, unique.values, unique.docs
    repeated = len(table) - len(unique)
    qrels = Qrels(tuple(unique.names), *columns, location, repeated, in_doubt=unique.doubts)
    return qrels if unique.strata is None else replace(qrels, strata=unique.strata)


def _drop_duplicates(table: Table) -> Table:
    """Drop equal duplicates. Raise Irregular if levels differ."""
    if not table.find_duplicate():
        return table
    first = table.find(table.docs, table.hashes, table.group)
    if table.strata is not None or (table.values != table.values[first]).any():
        raise Irregular
    return table.select_lines(first == np.arange(len(table)))


def _from_letor(table: Table, location: str) -> Qrels:
    """Build the qrels of LETOR data, with the position of each judgment in the file."""
    qrels = _from_valid_table(table, location)
    if qrels.repeated:  # predictions belong to lines
        raise Irregular
    if len(qrels.topics) == len(table.names):
        return replace(qrels, lines=slice(None))
    numbered = replace(table, values=np.arange(len(table), dtype=np.float64)).group_by_topic()
    return replace(qrels, lines=numbered.values.astype(np.int64))


def _from_table(table: Table) -> Qrels:
    """Build qrels from the table of a frame, which may contain duplicates."""
    try:
        return _from_valid_table(table, "qrels")
    except Irregular:
        if table.strata is not None and (duplicate := table.find_duplicate()) is not None:
            problem = f"duplicate document {duplicate[1]!r} in topic {duplicate[0]} of a sample"
            raise InputError.from_problem(problem, where="qrels") from None
        topics = np.repeat(np.array(table.names, dtype=object), table.sizes).tolist()
        if table.types is not None:
            columns = (topics, table.types.tolist(), table.docs.tolist(), table.values.tolist())
            return _from_judged(*_read_by_intent(zip(*columns, strict=True), DEFAULT_OPTIONS), "qrels")
        rows = zip(topics, table.docs.tolist(), table.values.tolist(), strict=True)
        judged, repeated = to_nested(rows, "qrels", "qrels")
        return _from_nested(judged, "qrels", repeated)


def _from_records(good: ValidRecords, topics: Iterable[str], location: str) -> Qrels:
    judged: dict[str, dict[str, float]] = {topic: {} for topic in topics}
    sampled: dict[str, dict[str, float | None]] = {topic: {} for topic in judged}
    for record in good.records:
        judged.setdefault(record.topic, {})[record.doc] = record.value or 0.0
        sampled.setdefault(record.topic, {})[record.doc] = record.stratum
    strata = [stratum for docs in sampled.values() for stratum in docs.values()]
    qrels = _from_nested(dict(judged), location, good.repeated)
    if any(stratum is not None for stratum in strata):
        if None in strata:
            problem = "some judgments have no stratum"
            raise InputError.from_problem(problem, "Give a stratum for all or for none.", location)
        qrels = replace(qrels, strata=np.array(strata, dtype=np.float64))
    return replace(qrels, grouped=sum(record.group is not None for record in good.records))


class ValidRecords(NamedTuple):
    """Records of a file without errors."""

    records: list[Record]
    repeated: int  # number of equal duplicate judgments
    in_doubt: str  # note about columns that could have another meaning


def collect_records(items: Iterable[Problem | Record]) -> ValidRecords:
    """Return the records of a file, or raise its first error."""
    records: list[Record] = []
    warnings: list[Problem] = []
    for item in items:
        if isinstance(item, Record):
            records.append(item)
        elif item.cause is not None:
            raise item.cause
        else:
            warnings.append(item)
    doubts = dict.fromkeys(warning.text for warning in warnings if warning.kind in (COLUMNS, COUNTS))
    repeated = sum(warning.kind == DUPLICATE for warning in warnings)
    return ValidRecords(records, repeated, "; ".join(doubts))


# -- for intents ----------------------------------------------------------------------------------

NESTED = "{topic: {intent: {doc: level}}}"
Judged: TypeAlias = dict[str, dict[str, dict[str, float]]]


def _from_intents(table: Table, location: str) -> Qrels:
    """Build qrels from judgments for intents. Raise Irregular for duplicates."""
    if table.types is None or (table.types.length == 0).any():
        raise Irregular
    offsets, levels, first, judged = intents.merge_intents(table)
    qrels = Qrels(tuple(table.names), offsets, levels, table.docs[first], location, by_intent=judged)
    return replace(qrels, in_doubt=table.doubts)


def _group_by_intent(records: Iterable[Record]) -> Judged:
    judged: Judged = {}
    for record in records:
        docs = judged.setdefault(record.topic, {}).setdefault(str(record.type), {})
        docs[record.doc] = record.value or 0.0
    return judged


def _read_by_intent(data: Any, text: ReadOptions) -> tuple[Judged, int]:
    """Read a nested mapping, or tuples (topic, intent, doc, level)."""
    judged: Judged = {}
    repeated = 0
    for topic, intent, doc, label in _iterate_tuples(data):
        names = [parse_identifier(name) for name in (topic, intent, doc)]
        is_text = isinstance(label, str)
        level = get_level(label, text.labels) if is_text else get_level("", None, to_number(label))
        if None in names or level is None:
            problem = f"level {label!r} for document {doc!r}, intent {intent!r}, topic {topic!r}"
            raise InputError(problem, f"a finite number in {NESTED}", "qrels")
        t, i, d = map(str, names)
        docs = judged.setdefault(t, {}).setdefault(i, {})
        repeated += d in docs
        if docs.setdefault(d, level) != level:
            problem = f"conflicting levels for document {d!r}, intent {i}, topic {t}"
            problem = f"{problem}: {docs[d]:g} and {level:g}"
            raise InputError.from_problem(problem, where="qrels")
    return judged, repeated


def _iterate_tuples(data: Any) -> Iterator[tuple[Any, ...]]:
    if isinstance(data, Mapping):
        return _iterate_leaves(data)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return (_order_cells(row, number) for number, row in enumerate(data, 1))
    expected = f"judgments as a path, {NESTED}, a frame or tuples"
    raise InputError(repr(data), expected, "qrels")


def _iterate_leaves(data: Mapping[Any, Any]) -> Iterator[tuple[Any, ...]]:
    for topic, of_topic in data.items():
        if not isinstance(of_topic, Mapping):
            raise InputError(f"{of_topic!r} for topic {topic!r}", f"intents: {NESTED}", "qrels")
        for intent, docs in of_topic.items():
            if not isinstance(docs, Mapping):
                problem = f"{docs!r} for {intent!r} of topic {topic!r}"
                raise InputError(problem, f"documents with levels: {NESTED}", "qrels")
            yield from ((topic, intent, doc, level) for doc, level in docs.items())


def _order_cells(row: Any, number: int) -> tuple[Any, ...]:
    """Return topic, intent, document and level. A named tuple may have any order."""
    fields = {name: getattr(row, name) for name in getattr(row, "_fields", ())}
    columns = [find_spelling(SPELLINGS[name], fields) for name in ("topic", "intent", "doc", "level")]
    if None not in columns:
        return tuple(fields[str(name)] for name in columns)
    cells = tuple(row) if isinstance(row, Iterable) else ()
    if len(cells) != 4:
        raise InputError(f"row {number} {row!r}", "(topic, intent, doc, level)", "qrels")
    return cells


def _from_judged(judged: Judged, repeated: int, location: str) -> Qrels:
    offsets, levels, first, by_intent = intents.merge_mapping_intents(judged)
    all_docs = [doc for of_topic in judged.values() for docs in of_topic.values() for doc in docs]
    docs = [all_docs[row] for row in first.tolist()]
    return Qrels(tuple(judged), offsets, levels, docs, location, repeated, by_intent=by_intent)


def _from_dicts(data: Any) -> Qrels | None:
    """Build qrels from a dict of dicts with the compiled kernel.

    None if it is irregular.
    """
    arrays = kernel.KERNEL.flatten(data) if kernel.KERNEL is not None else None
    if arrays is None:
        return None
    docs, values, counts = arrays
    levels, sizes = np.frombuffer(values), np.frombuffer(counts, dtype=np.int64)
    if not len(levels) or not (np.abs(levels) <= LARGEST).all():
        return None
    return Qrels(tuple(data), np.concatenate(([0], np.cumsum(sizes))), levels, docs)


def _from_nested(judged: Nested, location: str, repeated: int = 0) -> Qrels:
    counts = [len(docs) for docs in judged.values()]
    values = [value for docs in judged.values() for value in docs.values()]
    try:
        levels = np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (struct.error, OverflowError, TypeError):
        levels = np.array([np.nan])
    kinds = set(map(type, values))
    mixed = not kinds.isdisjoint(BOOLS) and not kinds <= BOOLS
    if not (np.abs(levels) <= LARGEST).all() or mixed:
        rows = ((t, d, v) for t, docs in judged.items() for d, v in docs.items())
        topic, doc, level = next(x for x in rows if get_level("", None, to_number(x[2])) is None)
        problem = f"level {format_value(level)} for document {doc} of topic {topic}"
        raise InputError(problem, NUMBER if to_number(level) is None else LEVEL, location)
    offsets = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64)
    docs = list(chain.from_iterable(judged.values()))
    return Qrels(tuple(judged), offsets, levels, docs, location, repeated)
