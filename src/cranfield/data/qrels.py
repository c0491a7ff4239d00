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
from cranfield.data.reading.adapters import refuse_numbers, to_plain
from cranfield.data.reading.columns import SPELLINGS, ColumnsLike, read_columns, spelt
from cranfield.data.reading.formats import decide
from cranfield.data.reading.labels import LEVEL, LabelsLike, level_of, read_labels
from cranfield.data.reading.lines import NUMBER, identifier, not_empty, real, short
from cranfield.data.reading.mappings import Nested, nested
from cranfield.data.reading.objects import is_shaped, object_records, object_topics
from cranfield.data.reading.records import (
    AGAIN,
    COLUMNS,
    PLAIN,
    Problem,
    Record,
    Text,
    checked,
)
from cranfield.data.reading.shapes import NO_LEVELS, have_levels
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings, spans
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import frame_table, is_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import counted, suggests_keywords

BOOLS = {bool, np.bool_}
SAMPLES = "`evaluate` estimates xinfAP and infNDCG from them"
QrelsLike: TypeAlias = Any  # a path, {topic: {doc: level}}, a frame, tuples, records, Qrels


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments, topic by topic in the order of the file.

    >>> read_qrels({"q1": {"d1": 2, "d2": 0}})
    Qrels: 2 judgments of 1 topic
    """

    topics: tuple[str, ...]
    offsets: Ints  # topic t has the rows offsets[t]:offsets[t + 1]
    levels: Floats
    given: Strings | list[str]  # the documents, as they came
    where: str = "qrels"
    repeated: int = 0  # judgments given more than once, each time alike
    grouped: int = 0  # judgments that name a class
    lines: Ints | slice | None = None  # of LETOR data, the place of each judgment in its file
    by_intent: intents.ByIntent | None = None  # where judgments are for intents
    strata: Floats | None = None  # where judgments are a sample (level below 0: not in it)
    in_doubt: str = ""  # which columns were taken, where others could be meant
    words: Callable[[], Mapping[str, str]] | None = None  # reads the texts of topics
    declared: bool = True  # whether the user read these as judgments: then they cannot be a run

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The topics in words, where judgments are those of a catalogue (``irds:DATASET``)."""
        return {} if self.words is None else self.words()

    @cached_property
    def docs(self) -> Strings:
        """The documents as a column."""
        return Strings.of(self.given) if isinstance(self.given, list) else self.given

    @cached_property
    def doc_names(self) -> list[str]:
        """The documents as Python strings."""
        return self.given if isinstance(self.given, list) else self.given.tolist()

    @property
    def has_line_numbers(self) -> bool:
        """Return True if these are LETOR data whose documents are named by their lines."""
        if self.lines is None or not all(doc.isdecimal() for doc in self.doc_names):
            return False
        places = np.argsort(np.arange(len(self.levels))[self.lines])
        return bool((np.diff(np.array(list(map(int, self.doc_names)))[places]) > 0).all())

    def __repr__(self) -> str:
        judgments = counted(len(self.levels), "judgment")
        return f"Qrels: {judgments} of {counted(len(self.topics), 'topic')}"

    def of_topics(self, topics: Sequence[str]) -> Qrels:
        """The judgments of some topics in their order, none for those that were not judged.

        >>> read_qrels({"q1": {"d1": 2}, "q2": {"d2": 0}}).of_topics(["q2"]).to_dict()
        {'q2': {'d2': 0.0}}
        """
        place = {topic: t for t, topic in enumerate(self.topics)}
        where = np.array([place.get(topic, len(place)) for topic in topics], dtype=np.int64)
        count = np.append(np.diff(self.offsets), 0)[where]
        rows = spans(np.append(self.offsets, 0)[where], count)
        offsets = np.concatenate(([0], np.cumsum(count)))
        strata = None if self.strata is None else self.strata[rows]
        kept = offsets, self.levels[rows], self.docs[rows]
        return Qrels(tuple(topics), *kept, self.where, strata=strata, declared=self.declared)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: level}}``."""
        docs, levels = self.doc_names, self.levels.tolist()
        bounds = zip(self.topics, pairwise(self.offsets.tolist()), strict=True)
        return {t: dict(zip(docs[a:b], levels[a:b], strict=True)) for t, (a, b) in bounds}


@suggests_keywords
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
    """Judgments from a path, a mapping, a Polars or pandas frame, tuples, or records.

    An Arrow table, a structured NumPy array, a pandas Series with the index levels topic and
    document, ranx's Qrels and named tuples of ir_measures will do, too.

    ``irds:DATASET`` is a data set of ir_datasets, which has to be installed, and may fetch it.
    `format` forces the format of a file: trec, ntcir, letor, triples, sampled, csv, tsv, json,
    jsonl, parquet or arrow. A directory is taken for one with a directory for each topic, as
    NTCIREVAL has them (with `by_intent`: the ideal lists of intents, ``0001/0001.PREFIX.Irelv1``).
    `columns` says what columns are called that have other names, as in
    ``"topic=user_id,level=rating"``, or their numbers from 1. `separator` stands between the fields
    of a line of text, instead of blanks. `labels` are the levels that labels mean, as in
    ``"S=3,A=2,B=1,C=0"``; a dict will do. LETOR's levels are numbers and mean themselves.

    With `by_intent`, judgments are for the intents of topics: ``topic intent doc level``,
    ``{topic: {intent: {doc: level}}}``, or a table with a column named intent or subtopic. Each
    document then has the highest level that it has for any intent.

    With `sampled`, judgments may be a sample of a pool: ``topic 0 doc stratum level``, or a table
    with a column named stratum. A level below 0 means pooled, but not in the sample. To whoever
    does not ask for them they are an error.
    """
    alphabet = None if labels is None else read_labels(labels)
    text = Text(separator, alphabet, intents=by_intent, columns=read_columns(columns))
    data = to_plain(data, "qrels", "qrels")
    if isinstance(data, Qrels):
        if by_intent and data.by_intent is None:
            raise InputError("judgments without intents", NESTED, data.where)
        return data
    if catalogues.is_named(data):
        qrels = _of_catalogue(str(data), text)
    elif isinstance(data, str | os.PathLike):
        qrels = _read_file(Source.of(data), format, text)
    elif is_frame(data):
        table = frame_table(data, "qrels", "qrels", text)
        qrels = replace(_of_table(table), in_doubt=table.in_doubt)
    elif is_shaped(data):
        qrels = _of_objects(data, text)
    elif by_intent:
        qrels = _of_judged(*_by_intent(data, text), "qrels")
    elif text.labels is None and (plain := _of_plain(data)) is not None:
        qrels = plain
    else:
        refuse_numbers(data)
        qrels = _in_memory(data, text)
    return _accepted(qrels, sampled)


def _in_memory(data: Any, text: Text) -> Qrels:
    """Judgments in a mapping, or tuples."""
    judged, repeated = nested(data, "qrels", "qrels", text)
    qrels = _of_nested(_labelled(judged, text.labels), "qrels", repeated)
    levels = not isinstance(data, Mapping) or all(have_levels(docs, text) for docs in data.values())
    return qrels if levels else replace(qrels, in_doubt=NO_LEVELS)


def _accepted(qrels: Qrels, sampled: bool) -> Qrels:
    """The judgments, if there are some, none of them for a topic named all."""
    not_empty(qrels.topics, "judgments", qrels.where)
    if qrels.strata is not None and not sampled:
        found, expected = (
            "sampled judgments (topic 0 doc stratum level)",
            "judgments of every document",
        )
        raise InputError(found, expected, qrels.where, None, SAMPLES)
    if "all" in qrels.topics:
        raise InputError("a topic named 'all'", "another name: 'all' is the summary's", qrels.where)
    return qrels


def _of_catalogue(name: str, text: Text) -> Qrels:
    """Judgments of a collection that a catalogue knows."""
    rows = catalogues.judgments(name, text.intents)
    if text.intents:
        qrels = _of_judged(*_by_intent(rows, text), name)
    else:
        judged, repeated = nested(rows, "qrels", name)
        qrels = _of_nested(_labelled(judged, text.labels), name, repeated)
    return replace(qrels, words=partial(catalogues.texts, name))


def _read_file(source: Source, forced: str | None, text: Text) -> Qrels:
    """The fast way where the file is in order, else record by record, with every error's place."""
    decision = decide(source, forced, text, "qrels")
    format, text = decision.format, decision.text
    if format.placed:
        if text.intents:
            raise InputError("LETOR data", "topic intent doc level", source.name)
        try:
            return _placed(format.table(source, "qrels"), source.name)
        except Irregular:
            raise format.first_error(source, "qrels") from None
    try:
        return _in_order(format.table(source, "qrels", text), source.name)
    except Irregular:
        if format.piece is not None and (error := format.error_of(source, "qrels", text)):
            raise error from None  # sooner than record by record
        good = good_records(format.errors(source, "qrels", text))
    return _of_good(good, format.topics(source, "qrels", text), text, source.name)


def _of_objects(data: Any, text: Text) -> Qrels:
    """Objects in memory, read as those in a file."""
    found = object_records(data, "qrels", "qrels", text)
    good = good_records(checked(found, "qrels", "qrels", text))
    return _of_good(good, object_topics(data, "qrels", "qrels", text), text, "qrels")


def _of_good(good: Good, topics: Iterable[str] | None, text: Text, where: str) -> Qrels:
    """What was judged, and topics for which nothing was, where they are known."""
    if text.intents:
        qrels = _of_judged(_judged(good.records), good.repeated, where)
    else:
        qrels = _of_records(good, topics or (), where)
    return replace(qrels, in_doubt=good.in_doubt)


def _labelled(judged: Nested, labels: Mapping[str, float] | None) -> Nested:
    """Documents with the levels that their labels mean."""
    if labels is None:
        return judged
    return {
        topic: {doc: _meant(label, labels) for doc, label in docs.items()}
        for topic, docs in judged.items()
    }


def _meant(label: Any, labels: Mapping[str, float]) -> Any:
    level = level_of(label, labels) if isinstance(label, str) else None
    return label if level is None else level


def _in_order(table: Table, where: str) -> Qrels:
    """A table whose topics have good names and whose documents are judged once."""
    table = table.grouped()
    if "all" in table.names or np.abs(table.values).max(initial=0.0) > LARGEST:
        raise Irregular
    if table.types is not None:
        return _of_intents(table, where)
    once = _without_repeats(table)
    offsets = np.append(once.starts, len(once))
    columns = offsets, once.values, once.docs
    repeated = len(table) - len(once)
    found = Qrels(tuple(once.names), *columns, where, repeated, in_doubt=once.in_doubt)
    return found if once.strata is None else replace(found, strata=once.strata)


def _without_repeats(table: Table) -> Table:
    """The table without judgments that repeat another alike, or Irregular if they differ."""
    if not table.repeats():
        return table
    first = table.find(table.docs, table.hashes, table.group)
    if table.strata is not None or (table.values != table.values[first]).any():
        raise Irregular
    return table.where(first == np.arange(len(table)))


def _placed(table: Table, where: str) -> Qrels:
    """The judgments of LETOR data, which know where they stood: predictions stand there, too."""
    qrels = _in_order(table, where)
    if qrels.repeated:  # predictions stand for lines
        raise Irregular
    if len(qrels.topics) == len(table.names):
        return replace(qrels, lines=slice(None))
    numbered = replace(table, values=np.arange(len(table), dtype=np.float64)).grouped()
    return replace(qrels, lines=numbered.values.astype(np.int64))


def _of_table(table: Table) -> Qrels:
    """A frame's table, however often it repeats itself."""
    try:
        return _in_order(table, "qrels")
    except Irregular:
        if table.strata is not None and (again := table.repeats()) is not None:
            found = f"document {again[1]} of topic {again[0]} again"
            raise InputError(found, "each document once in sampled judgments", "qrels") from None
        topics = np.repeat(np.array(table.names, dtype=object), table.sizes).tolist()
        if table.types is not None:
            columns = (topics, table.types.tolist(), table.docs.tolist(), table.values.tolist())
            return _of_judged(*_by_intent(zip(*columns, strict=True), PLAIN), "qrels")
        rows = zip(topics, table.docs.tolist(), table.values.tolist(), strict=True)
        judged, repeated = nested(rows, "qrels", "qrels")
        return _of_nested(judged, "qrels", repeated)


def _of_records(good: Good, topics: Iterable[str], where: str) -> Qrels:
    judged: dict[str, dict[str, float]] = {topic: {} for topic in topics}
    sampled: dict[str, dict[str, float | None]] = {topic: {} for topic in judged}
    for record in good.records:
        judged.setdefault(record.topic, {})[record.doc] = record.value or 0.0
        sampled.setdefault(record.topic, {})[record.doc] = record.stratum
    strata = [stratum for docs in sampled.values() for stratum in docs.values()]
    made = _of_nested(dict(judged), where, good.repeated)
    if any(stratum is not None for stratum in strata):
        if None in strata:
            raise InputError("some judgments with a stratum", "one for all or for none", where)
        made = replace(made, strata=np.array(strata, dtype=np.float64))
    return replace(made, grouped=sum(record.group is not None for record in good.records))


class Good(NamedTuple):
    """What a file holds in which nothing is wrong."""

    records: list[Record]
    repeated: int  # judgments that repeat another
    in_doubt: str  # which columns were taken, where others could be meant


def good_records(found: Iterable[Problem | Record]) -> Good:
    """The records of a file, or the error that is in it."""
    records: list[Record] = []
    warnings: list[Problem] = []
    for item in found:
        if isinstance(item, Record):
            records.append(item)
        elif item.cause is not None:
            raise item.cause
        else:
            warnings.append(item)
    doubts = dict.fromkeys(warning.text for warning in warnings if warning.kind == COLUMNS)
    repeated = sum(warning.kind == AGAIN for warning in warnings)
    return Good(records, repeated, "; ".join(doubts))


# -- for intents ----------------------------------------------------------------------------------

NESTED = "{topic: {intent: {doc: level}}}"
Judged: TypeAlias = dict[str, dict[str, dict[str, float]]]


def _of_intents(table: Table, where: str) -> Qrels:
    """Judgments for intents, each given once."""
    if table.types is None or (table.types.length == 0).any():
        raise Irregular
    offsets, levels, first, judged = intents.documents_of(table)
    found = Qrels(tuple(table.names), offsets, levels, table.docs[first], where, by_intent=judged)
    return replace(found, in_doubt=table.in_doubt)


def _judged(records: Iterable[Record]) -> Judged:
    """Judgments for intents."""
    judged: Judged = {}
    for record in records:
        docs = judged.setdefault(record.topic, {}).setdefault(str(record.type), {})
        docs[record.doc] = record.value or 0.0
    return judged


def _by_intent(data: Any, text: Text) -> tuple[Judged, int]:
    """Judgments for intents from a nested mapping, or tuples (topic, intent, doc, level)."""
    made: Judged = {}
    repeated = 0
    for topic, intent, doc, given in _tuples(data):
        names = [identifier(name) for name in (topic, intent, doc)]
        in_words = isinstance(given, str)
        level = level_of(given, text.labels) if in_words else level_of("", None, real(given))
        if None in names or level is None:
            found = f"level {given!r} for document {doc!r}, intent {intent!r}, topic {topic!r}"
            raise InputError(found, f"a finite number in {NESTED}", "qrels")
        t, i, d = map(str, names)
        docs = made.setdefault(t, {}).setdefault(i, {})
        repeated += d in docs
        if docs.setdefault(d, level) != level:
            found = f"levels {docs[d]:g} and {level:g} for document {d}, intent {i}, topic {t}"
            raise InputError(found, "one level for each document and intent", "qrels")
    return made, repeated


def _tuples(data: Any) -> Iterator[tuple[Any, ...]]:
    if isinstance(data, Mapping):
        return _leaves(data)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return (_cells(row, number) for number, row in enumerate(data, 1))
    expected = f"judgments as a path, {NESTED}, a frame or tuples"
    raise InputError(repr(data), expected, "qrels")


def _leaves(data: Mapping[Any, Any]) -> Iterator[tuple[Any, ...]]:
    for topic, of_topic in data.items():
        if not isinstance(of_topic, Mapping):
            raise InputError(f"{of_topic!r} for topic {topic!r}", f"intents: {NESTED}", "qrels")
        for intent, docs in of_topic.items():
            if not isinstance(docs, Mapping):
                found = f"{docs!r} for {intent!r} of topic {topic!r}"
                raise InputError(found, f"documents with levels: {NESTED}", "qrels")
            yield from ((topic, intent, doc, level) for doc, level in docs.items())


def _cells(row: Any, number: int) -> tuple[Any, ...]:
    """Topic, intent, document and level of a tuple; one with names may have them in any order."""
    named = {name: getattr(row, name) for name in getattr(row, "_fields", ())}
    wanted = [spelt(SPELLINGS[name], named) for name in ("topic", "intent", "doc", "level")]
    if None not in wanted:
        return tuple(named[str(name)] for name in wanted)
    cells = tuple(row) if isinstance(row, Iterable) else ()
    if len(cells) != 4:
        raise InputError(f"{row!r} as row {number}", "(topic, intent, doc, level)", "qrels")
    return cells


def _of_judged(judged: Judged, repeated: int, where: str) -> Qrels:
    offsets, levels, first, by_intent = intents.documents_in(judged)
    every = [doc for of_topic in judged.values() for docs in of_topic.values() for doc in docs]
    docs = [every[row] for row in first.tolist()]
    return Qrels(tuple(judged), offsets, levels, docs, where, repeated, by_intent=by_intent)


def _of_plain(data: Any) -> Qrels | None:
    """Judgments in a dict of dicts, by the compiled part, if there is one and they are in order."""
    found = kernel.KERNEL.flatten(data) if kernel.KERNEL is not None else None
    if found is None:
        return None
    docs, values, counts = found
    levels, sizes = np.frombuffer(values), np.frombuffer(counts, dtype=np.int64)
    if not len(levels) or not (np.abs(levels) <= LARGEST).all():
        return None
    return Qrels(tuple(data), np.concatenate(([0], np.cumsum(sizes))), levels, docs)


def _of_nested(judged: Nested, where: str, repeated: int = 0) -> Qrels:
    counts = [len(docs) for docs in judged.values()]
    values = [value for docs in judged.values() for value in docs.values()]
    try:
        levels = np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (struct.error, OverflowError, TypeError):
        levels = np.array([np.nan])
    kinds = set(map(type, values))
    mixed = not kinds.isdisjoint(BOOLS) and not kinds <= BOOLS
    if not (np.abs(levels) <= LARGEST).all() or mixed:
        every = ((t, d, v) for t, docs in judged.items() for d, v in docs.items())
        topic, doc, level = next(x for x in every if level_of("", None, real(x[2])) is None)
        found = f"level {short(repr(level), quote=False)} for document {doc} of topic {topic}"
        raise InputError(found, NUMBER if real(level) is None else LEVEL, where)
    offsets = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64)
    docs = list(chain.from_iterable(judged.values()))
    return Qrels(tuple(judged), offsets, levels, docs, where, repeated)
