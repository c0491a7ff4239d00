"""Tasks on workers: functions from Arrow batches to Arrow batches.

Each is a frozen dataclass that Spark sends to its workers and calls for every partition. Results
are sent back as packed tables. An error of the user is a packed table as well: Spark would retry
the task after an exception, and hide the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Ints, Words
from cranfield.data.reading import strings
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from cranfield.data.reading.tables import to_strings
from cranfield.data.run import Run, TableRun
from cranfield.data.values import ValueRecorder, Values
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation import notes
from cranfield.evaluation.evaluate import Evaluator
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.columns import Order
from cranfield.lazy_imports import pl
from cranfield.scores import save_note
from cranfield.spark.inputs import Batches, RowErrors, RunReader
from cranfield.spark.join import Judged, join_judged
from cranfield.spark.ranks import Hits
from cranfield.spark.transfer import BUFFER_ROWS, Buffer, get_partition, pack_by_key, pack_table, unpack_tables

BIN_COUNTS = "bin bigint, rows bigint"
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MAX_LISTS = 1 << 32  # lists of a partition, in the order in which they turn up
NO_PLACE = (1 << 63) - 1  # after all of them


@dataclass(frozen=True, eq=False)
class Shared:
    """Data for every worker: judged topics, and the rows that are evaluated."""

    judged: Table  # the topics, each in the place of a document
    exclude_self: bool
    key: Any = field(default_factory=lambda: strings.KEY)

    @classmethod
    def from_evaluator(cls, evaluator: Evaluator) -> Shared:
        topics = Strings.from_list(evaluator.collection.topics)
        return cls(Table.from_columns(topics, np.empty(0)), evaluator.options.exclude_self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Use the hash key of the driver."""
        self.__dict__.update(state)
        strings.KEY = self.key

    def select_rows(self, table: Table) -> Table:
        """Return the rows that are evaluated."""
        if not self.exclude_self:
            return table
        return table.select_lines(~table.docs.compare(Strings.from_list(table.names)[table.group]))

    def find_topics(self, table: Table) -> Ints:
        """Return the number of the topic of each list, -1 if it is unjudged."""
        names = Strings.from_list(table.names)
        return self.judged.find(names, names.compute_hashes(), np.zeros(len(names), dtype=np.int64))


# -- hits -----------------------------------------------------------------------------------------


class ListStats(NamedTuple):
    """Statistics of some rows of a list: number, range of values and ranks, first position.

    They include whether ranks contradict values.
    """

    rows: int
    low: float
    high: float
    best: float
    worst: float
    wrong: bool
    place: int

    def merge(self, other: ListStats) -> ListStats:
        """Merge the statistics. Contradictions between ranks and values can be missed if they
        overlap.
        """
        is_above = self.low > other.high and self.worst > other.best
        is_below = other.low > self.high and other.worst > self.best
        return ListStats(
            self.rows + other.rows,
            min(self.low, other.low),
            max(self.high, other.high),
            min(self.best, other.best),
            max(self.worst, other.worst),
            self.wrong or other.wrong or is_above or is_below,
            min(self.place, other.place),
        )


def compute_list_stats(table: Table) -> Iterator[ListStats]:
    """Yield the statistics of each list of a table; lists without rows have no values."""
    wrong: set[int] = set()
    ranks = table.ranks
    if ranks is not None:
        order = Order(table.values, table.starts, table.group, False)
        wrong = {*order.find_contradicted(ranks)}
    for g, (a, b) in enumerate(table.iter_bounds()):
        values = table.values[a:b]
        best, worst = (np.inf, -np.inf) if ranks is None else (ranks[a:b].min(), ranks[a:b].max())
        bounds = float(values.min()), float(values.max()), float(best), float(worst)
        yield ListStats(b - a, *bounds, g in wrong, NO_PLACE)


NO_ROWS = ListStats(0, np.inf, -np.inf, np.inf, -np.inf, False, NO_PLACE)


@dataclass
class _Lists:
    """Statistics of the lists in a partition."""

    number: int  # of the input
    place: int  # of the first list
    lists: dict[tuple[str, str], ListStats] = field(default_factory=dict)

    def add(self, tag: str, names: Sequence[str], table: Table) -> None:
        stats = dict(zip(table.names, compute_list_stats(table), strict=True)) if len(table) else {}
        for name in names:
            initial = NO_ROWS._replace(place=self.place + len(self.lists))
            current = self.lists.get((tag, name), initial)
            self.lists[tag, name] = current.merge(stats.get(name, NO_ROWS))

    def pack(self) -> Iterator[Any]:
        if self.lists:
            rows = [(self.number, *key, *stats) for key, stats in self.lists.items()]
            names = ("source", "tag", "name", *ListStats._fields)
            columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
            yield pack_table("lists", columns, get_partition())


def hash_rows(number: int, table: Table) -> Words:
    """A hash of each row: of the run, the topic and the document."""
    lists = Strings.from_list([f"{number} {table.tag or ''} {name}" for name in table.names]).compute_hashes()
    return table.hashes ^ (lists * _GOLDEN)[table.group]


@dataclass(frozen=True, eq=False)
class HitFinder:
    """Finds the judged documents in all lists, and the sizes of lists: the first pass."""

    shared: Shared
    reading: RunReader
    judged: Judged
    count_bad: bool
    hashed: bool  # whether hashes of all rows are sent, to find what is there twice
    watched: bool = False  # whether values are noted, which may look like levels

    def __call__(self, batches: Batches) -> Iterator[Any]:
        number = self.reading.number
        lists, hits = _Lists(number, get_partition() * MAX_LISTS), Buffer(self.judged.kind)
        hashes, watches = Buffer("hashes"), dict[str, ValueRecorder]()
        for table in self.reading.read_tables(batches):
            if isinstance(table, RowErrors):
                yield pack_table("bad", to_error_row(table, self.reading.location), get_partition())
                if not self.count_bad:
                    return
                continue
            if self.hashed:
                yield from hashes.add({"key": hash_rows(number, table)})
            selected, tag = self.shared.select_rows(table), table.tag or ""
            lists.add(tag, table.names, selected)
            if self.watched:
                watches.setdefault(tag, ValueRecorder()).note(selected)
            if len(selected):
                matches = self.judged.match_judged(selected, self.shared.find_topics(selected))
                n = len(matches["topic"])
                yield from hits.add(matches | {"source": np.full(n, number), "tag": np.full(n, tag)})
        yield from lists.pack()
        for tag, watch in watches.items():
            if watch.parts:
                values = Values.join(watch.parts)
                row = {"source": [number], "tag": [tag], "tied": [values.tied]}
                yield pack_table("values", row | {"different": [values.different]}, get_partition())
        yield from hits.flush()
        yield from hashes.flush()


def to_error_row(bad: RowErrors, location: str) -> dict[str, list[Any]]:
    """Return invalid rows as the columns of a table."""
    return {name: [value] for name, value in ({**bad._asdict(), "where": location}).items()}


def make_input_error(row: Mapping[str, Any], detail: str = "") -> InputError:
    """Return the error of such a row, with a detail."""
    hint = "; ".join(text for text in (row["hint"], detail) if text)
    return InputError(row["found"], row["expected"], row["where"] or None, hint=hint)


def join_buckets(batches: Batches) -> Iterator[Any]:
    """Yield duplicate hashes, and the judged documents among the candidates.

    Runs after the first pass on buckets of rows with equal keys. Other tables pass unchanged.
    """
    import pyarrow as pa

    parts: dict[str, list[Any]] = {"hashes": [], "judged": [], "sought": []}
    for kind, table, row in unpack_tables(batches):
        if kind in parts:
            parts[kind].append(table)
        else:
            yield row
    tables_by_kind = {kind: pa.concat_tables(tables) for kind, tables in parts.items() if tables}
    parts.clear()
    if "judged" in tables_by_kind and "sought" in tables_by_kind:
        yield from join_judged(tables_by_kind.pop("judged"), tables_by_kind.pop("sought"))
    if "hashes" in tables_by_kind:
        ordered = np.sort(tables_by_kind.pop("hashes").column("key").to_numpy())
        duplicates = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(duplicates):
            yield pack_table("suspects", {"key": np.unique(duplicates)})


ROWS = "source int, tag string, topic string, doc string"


@dataclass(frozen=True, eq=False)
class RowFinder:
    """Finds the rows with duplicate hashes; only names identify duplicates."""

    shared: Shared  # makes the same hashes
    reading: RunReader
    keys: Words

    def __call__(self, batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        for table in self.reading.read_tables(batches):
            if isinstance(table, RowErrors):
                continue
            rows = np.flatnonzero(np.isin(hash_rows(self.reading.number, table), self.keys))
            topics = np.array(table.names, dtype=object)[table.group[rows]].tolist()
            n = len(rows)
            columns = [pa.array([self.reading.number] * n, pa.int32()), pa.array([table.tag or ""] * n)]
            columns += [pa.array(topics, pa.string()), pa.array(table.docs[rows].tolist())]
            if n:
                yield pa.RecordBatch.from_arrays(columns, ["source", "tag", "topic", "doc"])


# -- counts ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RowCounter:
    """Counts the rows of each list in the bins between hits: the second pass."""

    shared: Shared
    reading: RunReader
    numbers: Mapping[str, int]  # of each tag: what is added to a topic's number for the list's
    hits: Hits
    first: int  # number of their first bin

    def __call__(self, batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        counts = np.zeros(self.hits.bins, dtype=np.int64)
        for table in self.reading.read_tables(batches):
            if isinstance(table, RowErrors):
                continue
            selected = self.shared.select_rows(table)
            topics = self.shared.find_topics(selected)
            lists = np.where(topics < 0, -1, topics + self.numbers[table.tag or ""])
            columns = lists[selected.group], selected.values, selected.docs
            bins = self.hits.find_bins(*columns)
            if len(bins):
                low = int(bins.min())
                part = np.bincount(bins - low)
                counts[low : low + len(part)] += part
        bins = np.flatnonzero(counts)
        for begin in range(0, len(bins), BUFFER_ROWS):
            part = bins[begin : begin + BUFFER_ROWS]
            arrays = [pa.array(part + self.first), pa.array(counts[part])]
            yield pa.RecordBatch.from_arrays(arrays, ["bin", "rows"])


@dataclass(frozen=True, eq=False)
class ValueSender:
    """Sends list and value of each row of judged topics, in buckets of equal rows."""

    shared: Shared
    reading: RunReader
    numbers: Mapping[str, int]

    def __call__(self, batches: Batches) -> Iterator[Any]:
        for table in self.reading.read_tables(batches):
            if isinstance(table, RowErrors):
                continue
            selected = self.shared.select_rows(table)
            topics = self.shared.find_topics(selected)
            is_judged = (topics >= 0)[selected.group]
            lists = (topics + self.numbers[table.tag or ""])[selected.group][is_judged]
            values = selected.values[is_judged] + 0.0  # no −0
            keys = (lists.astype(np.uint64) + np.uint64(1)) * _GOLDEN ^ values.view(np.uint64)
            yield from pack_by_key("values", keys * _GOLDEN, {"list": lists, "value": values})


TIED = "list bigint, tied bigint"


def count_tied(batches: Batches) -> Iterator[Any]:
    """Count the tied rows of each list, after `ValueSender`."""
    import pyarrow as pa

    parts = [table for _, table, _ in unpack_tables(batches)]
    if not parts:
        return
    rows = pa.concat_tables(parts)
    lists, values = (rows.column(name).to_numpy() for name in ("list", "value"))
    order = np.lexsort((values, lists))
    lists, values = lists[order], values[order]
    is_tied = np.zeros(len(lists) + 1, dtype=bool)
    is_tied[1:-1] = (lists[1:] == lists[:-1]) & (values[1:] == values[:-1])
    tied = lists[is_tied[1:] | is_tied[:-1]]
    tied_lists, count = np.unique(tied, return_counts=True)
    columns = [pa.array(tied_lists), pa.array(count)]
    yield pa.RecordBatch.from_arrays(columns, ["list", "tied"])


# -- whole lists ----------------------------------------------------------------------------------

LISTS = "source int, tag string, topic string, doc string, value double, rank double, type string"


@dataclass(frozen=True, eq=False)
class RowSender:
    """Sends every row that is evaluated, for tasks that need complete lists."""

    reading: RunReader

    def __call__(self, batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        kinds = {"source": pa.int32(), "value": pa.float64(), "rank": pa.float64()}
        columns = [part.split()[0] for part in LISTS.split(", ")]
        schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
        for table in self.reading.read_tables(batches):
            if isinstance(table, RowErrors):
                continue
            n = len(table)
            cells = {
                "source": [self.reading.number] * n,
                "tag": [table.tag or ""] * n,
                "topic": np.repeat(np.array(table.names, dtype=object), table.sizes).tolist(),
                "doc": table.docs.tolist(),
                "value": table.values,
                "rank": [None] * n if table.ranks is None else table.ranks,
                "type": [None] * n if table.types is None else table.types.tolist(),
            }
            yield from pa.table(cells, schema=schema).to_batches()


@dataclass(frozen=True, eq=False)
class RunScorer:
    """Labels and measures complete runs, and collects their notes."""

    shared: Shared  # makes the same hashes
    evaluator: Evaluator
    runs: Mapping[tuple[int, str], TableRun]  # without their lists

    def __call__(self, batches: Batches) -> Iterator[Any]:
        for (source, tag), rows in _group_by_run(batches):
            tables = [_to_table(pl.DataFrame(part)).copy() for part in rows]
            parts = [partial(_get_table, table) for table in tables]
            run = replace(self.runs[source, tag], parts=partial(iter, parts))
            try:
                scores = self._score_run(run)
            except InputError as error:
                bad = RowErrors(error.found, error.expected, error.hint, 1)
                yield pack_table("bad", to_error_row(bad, error.where or ""))
                return
            except CranfieldError as error:
                yield pack_table("error", {"text": [str(error)]})
                return
            yield pack_table("whole", {"source": [source], "tag": [tag], **scores})

    def _score_run(self, run: Run) -> dict[str, Any]:
        import json

        evaluator = self.evaluator
        collection, measuring = evaluator.collection, evaluator.scorer
        labelled = evaluator.check_run(collection.label(run))
        run_notes = notes.collect_run_notes(labelled, collection, measuring.measures)
        return {
            "returned": [labelled.rankings.returned],
            "values": [measuring.compute_values(labelled.rankings).ravel()],
            "notes": [json.dumps([*map(save_note, run_notes)])],
        }


def _get_table(table: Table) -> Table:
    return table


def _group_by_run(batches: Batches) -> Iterator[tuple[tuple[int, str], list[Any]]]:
    """Yield the rows of each run, which are adjacent."""
    import pyarrow as pa
    import pyarrow.compute as pc

    current: tuple[int, str] | None = None
    tables: list[Any] = []
    for batch in batches:
        table = pa.Table.from_batches([batch])
        pairs = dict.fromkeys(zip(*(table.column(x).to_pylist() for x in RUN), strict=True))
        for pair in pairs:
            if current is not None and pair != current:
                yield current, tables
                tables = []
            current = pair
            conditions = (pc.equal(table.column(x), value) for x, value in zip(RUN, pair, strict=True))
            tables.append(table.filter(pc.and_(*conditions)))
    if current is not None:
        yield current, tables


RUN = ("source", "tag")


def _to_table(frame: Any) -> Table:
    """Rows of one run, sorted by topic, as columns."""
    docs, topics = (to_strings(frame[name]) for name in ("doc", "topic"))
    missing = {name for name in ("rank", "type") if frame[name].null_count()}
    return replace(
        Table.from_columns(docs, frame["value"].to_numpy(), topics),
        ranks=None if "rank" in missing else frame["rank"].to_numpy(),
        types=None if "type" in missing else to_strings(frame["type"]),
    )


# -- values ---------------------------------------------------------------------------------------

HIT_COLUMNS = ("ranks", "items", "levels", "first", "last")
ARRAY_COLUMNS = ("returned", "tied", "sizes", *HIT_COLUMNS)
VALUES = "run int, begin int, values array<double>"


def make_unit_schema() -> Any:
    """Return the schema of units: ranges of topics of a run, and their lists."""
    import pyarrow as pa

    key_fields = [pa.field(name, pa.int32()) for name in ("run", "begin", "stop")]
    kinds = {"levels": pa.float64()}
    return pa.schema([*key_fields, *(pa.field(name, pa.list_(kinds.get(name, pa.int64()))) for name in ARRAY_COLUMNS)])


def to_unit_row(run: int, begin: int, stop: int, rankings: Rankings) -> dict[str, Any]:
    """Return the lists of some topics as a row."""
    hits = slice(*rankings.offsets[[begin, stop]].tolist())
    lists = {
        "returned": rankings.returned[begin:stop],
        "tied": rankings.tied[begin:stop],
        "sizes": np.diff(rankings.offsets[begin : stop + 1]),
    }
    return (
        {"run": run, "begin": begin, "stop": stop}
        | lists
        | {name: getattr(rankings, name)[hits] for name in HIT_COLUMNS}
    )


def from_unit_row(row: Mapping[str, Any], topics: int) -> Rankings:
    """Return the rankings in a row; all other topics are empty."""
    begin, stop = row["begin"], row["stop"]
    returned = np.full(topics, -1, dtype=np.int64)
    tied, sizes = np.zeros((2, topics), dtype=np.int64)
    returned[begin:stop], tied[begin:stop] = row["returned"], row["tied"]
    sizes[begin:stop] = row["sizes"]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    hits: dict[str, Any] = {name: np.asarray(row[name]) for name in HIT_COLUMNS}
    return Rankings(returned=returned, offsets=offsets, tied=tied, **hits)


@dataclass(frozen=True, eq=False)
class UnitScorer:
    """Measures some topics of some runs, and yields the values as rows."""

    evaluator: Evaluator
    to_batch: Callable[[Mapping[str, Any], Any], Any]  # a batch of a unit and its values

    def __call__(self, batches: Batches) -> Iterator[Any]:
        measuring = self.evaluator.scorer
        topics = len(self.evaluator.collection.topics)
        for row in _iter_rows(batches):
            is_complete = (row["begin"], row["stop"]) == (0, topics)
            blocks = None if is_complete else measuring.select_blocks(row["begin"], row["stop"])
            yield self.to_batch(row, measuring.compute_values(from_unit_row(row, topics), blocks))


def _iter_rows(batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Rows, of which columns of numbers stay arrays."""
    for batch in batches:
        for i in range(len(batch)):
            yield {
                name: column[i].values.to_numpy(zero_copy_only=False) if name in ARRAY_COLUMNS else column[i].as_py()
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            }


def to_value_batch(row: Mapping[str, Any], values: Any) -> Any:
    """Return the values of a unit as one row."""
    import pyarrow as pa

    key_columns = [pa.array([row[name]], pa.int32()) for name in ("run", "begin")]
    column = pa.array([values.ravel()], pa.list_(pa.float64()))
    return pa.RecordBatch.from_arrays([*key_columns, column], ["run", "begin", "values"])


@dataclass(frozen=True, eq=False)
class ScoreFormatter:
    """Formats the values of a unit as rows: run, topic, measure, value."""

    evaluator: Evaluator
    names: Sequence[str]  # of the runs
    counts: Any  # which topics count

    def __call__(self, row: Mapping[str, Any], values: Any) -> Any:
        import pyarrow as pa

        measuring = self.evaluator.scorer
        within = np.zeros(len(self.counts), dtype=bool)
        within[row["begin"] : row["stop"]] = True
        selection = values[measuring.expand_topics(self.counts)[measuring.expand_topics(within)]]
        topics = measuring.select_names(self.counts & within)
        measures = [column.name for column in measuring.columns]
        t, m = len(topics), len(measures)
        columns = [
            pa.array([self.names[row["run"]]] * (t * m), pa.string()),
            pa.array([topic for topic in topics for _ in range(m)], pa.string()),
            pa.array(measures * t, pa.string()),
            pa.array(selection.ravel(), pa.float64()),
        ]
        return pa.RecordBatch.from_arrays(columns, ["run", "topic", "measure", "value"])


SCORES = "run string, topic string, measure string, value double"
