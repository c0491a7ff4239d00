"""What is done where the rows are: functions from Arrow batches to Arrow batches.

Each is a frozen dataclass that Spark sends to its workers, and calls for every partition. What they
find goes back as parcels. A user's mistake is a parcel, too, and no exception: Spark would try the
task again, and bury what is said.
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
from cranfield.data.reading.tables import strings_of
from cranfield.data.run import Run, TableRun
from cranfield.data.values import Values, Watch
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation import notices
from cranfield.evaluation.evaluate import Evaluator
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.columns import Order
from cranfield.late import pl
from cranfield.scores import save_notice
from cranfield.spark.counting import Hits
from cranfield.spark.inputs import Bad, Batches, Reading
from cranfield.spark.meeting import Judged, met
from cranfield.spark.parcels import HELD, Held, in_buckets, opened, parcel, partition

SLOTS = "slot bigint, rows bigint"
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
PLACES = 1 << 32  # lists of a partition, in the order in which they turn up
NOWHERE = (1 << 63) - 1  # after all of them


@dataclass(frozen=True, eq=False)
class Shared:
    """What every worker needs to know: which topics are judged, and how lists are looked at."""

    judged: Table  # the topics, each in the place of a document
    exclude_self: bool
    key: Any = field(default_factory=lambda: strings.KEY)

    @classmethod
    def of(cls, evaluator: Evaluator) -> Shared:
        topics = Strings.of(evaluator.collection.topics)
        return cls(Table.of(topics, np.empty(0)), evaluator.options.exclude_self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Whoever gets it makes the hashes of the process that began."""
        self.__dict__.update(state)
        strings.KEY = self.key

    def lists(self, table: Table) -> Table:
        """The lists as they are looked at."""
        if not self.exclude_self:
            return table
        return table.where(~table.docs.same(Strings.of(table.names)[table.group]))

    def topics(self, table: Table) -> Ints:
        """The number of the topic of each list, -1 if it is not judged."""
        names = Strings.of(table.names)
        return self.judged.find(names, names.hashes(), np.zeros(len(names), dtype=np.int64))


# -- hits -----------------------------------------------------------------------------------------


class Stretch(NamedTuple):
    """Some rows of a list: how many, between which values and ranks, where they turned up first,
    and whether the ranks contradict the values.
    """

    rows: int
    low: float
    high: float
    best: float
    worst: float
    wrong: bool
    place: int

    def joined(self, other: Stretch) -> Stretch:
        """Both together. Where they overlap, ranks that contradict values may go unnoticed."""
        above = self.low > other.high and self.worst > other.best
        below = other.low > self.high and other.worst > self.best
        return Stretch(
            self.rows + other.rows,
            min(self.low, other.low),
            max(self.high, other.high),
            min(self.best, other.best),
            max(self.worst, other.worst),
            self.wrong or other.wrong or above or below,
            min(self.place, other.place),
        )


def stretches(table: Table) -> Iterator[Stretch]:
    """Of each list of a table; those without a row have no values."""
    wrong: set[int] = set()
    ranks = table.ranks
    if ranks is not None:
        order = Order(table.values, table.starts, table.group, False)
        wrong = {*order.contradicted(ranks)}
    for g, (a, b) in enumerate(table.bounds()):
        values = table.values[a:b]
        best, worst = (np.inf, -np.inf) if ranks is None else (ranks[a:b].min(), ranks[a:b].max())
        bounds = float(values.min()), float(values.max()), float(best), float(worst)
        yield Stretch(b - a, *bounds, g in wrong, NOWHERE)


NO_ROWS = Stretch(0, np.inf, -np.inf, np.inf, -np.inf, False, NOWHERE)


@dataclass
class _Lists:
    """What a task knows of the lists in its partition."""

    number: int  # of the input
    place: int  # of the first list
    lists: dict[tuple[str, str], Stretch] = field(default_factory=dict)

    def add(self, tag: str, names: Sequence[str], table: Table) -> None:
        found = dict(zip(table.names, stretches(table), strict=True)) if len(table) else {}
        for name in names:
            here = NO_ROWS._replace(place=self.place + len(self.lists))
            known = self.lists.get((tag, name), here)
            self.lists[tag, name] = known.joined(found.get(name, NO_ROWS))

    def parcels(self) -> Iterator[Any]:
        if self.lists:
            of = [(self.number, *key, *known) for key, known in self.lists.items()]
            names = ("source", "tag", "name", *Stretch._fields)
            columns = dict(zip(names, map(list, zip(*of, strict=True)), strict=True))
            yield parcel("lists", columns, partition())


def row_keys(number: int, table: Table) -> Words:
    """A hash of each row: of the run, the topic and the document."""
    lists = Strings.of([f"{number} {table.tag or ''} {name}" for name in table.names]).hashes()
    return table.hashes ^ (lists * _GOLDEN)[table.group]


@dataclass(frozen=True, eq=False)
class FindHits:
    """The first pass: the judged documents in all lists, and how long these are."""

    shared: Shared
    reading: Reading
    judged: Judged
    count_bad: bool
    hashed: bool  # whether hashes of all rows are sent, to find what is there twice
    watched: bool = False  # whether values are noted, which may look like levels

    def __call__(self, batches: Batches) -> Iterator[Any]:
        number = self.reading.number
        lists, hits = _Lists(number, partition() * PLACES), Held(self.judged.kind)
        hashes, watches = Held("hashes"), dict[str, Watch]()
        for table in self.reading.tables(batches):
            if isinstance(table, Bad):
                yield parcel("bad", bad_row(table, self.reading.where), partition())
                if not self.count_bad:
                    return
                continue
            if self.hashed:
                yield from hashes.add({"key": row_keys(number, table)})
            looked_at, tag = self.shared.lists(table), table.tag or ""
            lists.add(tag, table.names, looked_at)
            if self.watched:
                watches.setdefault(tag, Watch()).note(looked_at)
            if len(looked_at):
                found = self.judged.found(looked_at, self.shared.topics(looked_at))
                n = len(found["topic"])
                yield from hits.add(found | {"source": np.full(n, number), "tag": np.full(n, tag)})
        yield from lists.parcels()
        for tag, watch in watches.items():
            if watch.parts:
                values = Values.join(watch.parts)
                row = {"source": [number], "tag": [tag], "tied": [values.tied]}
                yield parcel("values", row | {"different": [values.different]}, partition())
        yield from hits.sent()
        yield from hashes.sent()


def bad_row(bad: Bad, where: str) -> dict[str, list[Any]]:
    """What is wrong with some rows, as a row."""
    return {name: [value] for name, value in ({**bad._asdict(), "where": where}).items()}


def as_error(row: Mapping[str, Any], more: str = "") -> InputError:
    """The error that such a row is, with what there is to say beside it."""
    hint = "; ".join(text for text in (row["hint"], more) if text)
    return InputError(row["found"], row["expected"], row["where"] or None, hint=hint)


def brought_together(batches: Batches) -> Iterator[Any]:
    """Behind the first pass, where rows of equal keys are: hashes that are there twice, and of
    documents that may be judged those that are, in the place of all; everything else goes on.
    """
    import pyarrow as pa

    parts: dict[str, list[Any]] = {"hashes": [], "judged": [], "sought": []}
    for kind, table, row in opened(batches):
        if kind in parts:
            parts[kind].append(table)
        else:
            yield row
    held = {kind: pa.concat_tables(tables) for kind, tables in parts.items() if tables}
    parts.clear()
    if "judged" in held and "sought" in held:
        yield from met(held.pop("judged"), held.pop("sought"))
    if "hashes" in held:
        ordered = np.sort(held.pop("hashes").column("key").to_numpy())
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(twice):
            yield parcel("suspects", {"key": np.unique(twice)})


ROWS = "source int, tag string, topic string, doc string"


@dataclass(frozen=True, eq=False)
class FindRows:
    """The rows whose hashes are some that were seen twice: only the names tell for certain."""

    shared: Shared  # makes the same hashes
    reading: Reading
    keys: Words

    def __call__(self, batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        for table in self.reading.tables(batches):
            if isinstance(table, Bad):
                continue
            rows = np.flatnonzero(np.isin(row_keys(self.reading.number, table), self.keys))
            topics = np.array(table.names, dtype=object)[table.group[rows]].tolist()
            n = len(rows)
            columns = [
                pa.array([self.reading.number] * n, pa.int32()),
                pa.array([table.tag or ""] * n),
            ]
            columns += [pa.array(topics, pa.string()), pa.array(table.docs[rows].tolist())]
            if n:
                yield pa.RecordBatch.from_arrays(columns, ["source", "tag", "topic", "doc"])


# -- counts ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CountRows:
    """The second pass: how many rows of each list fall into each slot between the hits."""

    shared: Shared
    reading: Reading
    numbers: Mapping[str, int]  # of each tag: what is added to a topic's number for the list's
    hits: Hits
    first: int  # the number of their first slot

    def __call__(self, batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        counts = np.zeros(self.hits.slots, dtype=np.int64)
        for table in self.reading.tables(batches):
            if isinstance(table, Bad):
                continue
            looked_at = self.shared.lists(table)
            topics = self.shared.topics(looked_at)
            lists = np.where(topics < 0, -1, topics + self.numbers[table.tag or ""])
            columns = lists[looked_at.group], looked_at.values, looked_at.docs
            slots = self.hits.slots_of(*columns)
            if len(slots):
                low = int(slots.min())
                some = np.bincount(slots - low)
                counts[low : low + len(some)] += some
        slots = np.flatnonzero(counts)
        for begin in range(0, len(slots), HELD):
            some = slots[begin : begin + HELD]
            counted = [pa.array(some + self.first), pa.array(counts[some])]
            yield pa.RecordBatch.from_arrays(counted, ["slot", "rows"])


@dataclass(frozen=True, eq=False)
class SendValues:
    """List and value of every row of a judged topic, in buckets in which equals come together."""

    shared: Shared
    reading: Reading
    numbers: Mapping[str, int]

    def __call__(self, batches: Batches) -> Iterator[Any]:
        for table in self.reading.tables(batches):
            if isinstance(table, Bad):
                continue
            looked_at = self.shared.lists(table)
            topics = self.shared.topics(looked_at)
            known = (topics >= 0)[looked_at.group]
            lists = (topics + self.numbers[table.tag or ""])[looked_at.group][known]
            values = looked_at.values[known] + 0.0  # no −0
            keys = (lists.astype(np.uint64) + np.uint64(1)) * _GOLDEN ^ values.view(np.uint64)
            yield from in_buckets("values", keys * _GOLDEN, {"list": lists, "value": values})


TIED = "list bigint, tied bigint"


def count_tied(batches: Batches) -> Iterator[Any]:
    """Behind that: how many rows of each list have the value of another one."""
    import pyarrow as pa

    parts = [table for _, table, _ in opened(batches)]
    if not parts:
        return
    whole = pa.concat_tables(parts)
    lists, values = (whole.column(name).to_numpy() for name in ("list", "value"))
    order = np.lexsort((values, lists))
    lists, values = lists[order], values[order]
    same = np.zeros(len(lists) + 1, dtype=bool)
    same[1:-1] = (lists[1:] == lists[:-1]) & (values[1:] == values[:-1])
    tied = lists[same[1:] | same[:-1]]
    known, count = np.unique(tied, return_counts=True)
    columns = [pa.array(known), pa.array(count)]
    yield pa.RecordBatch.from_arrays(columns, ["list", "tied"])


# -- whole lists ----------------------------------------------------------------------------------

LISTS = "source int, tag string, topic string, doc string, value double, rank double, type string"


@dataclass(frozen=True, eq=False)
class SendRows:
    """Every row as it is looked at, for those who need whole lists."""

    reading: Reading

    def __call__(self, batches: Batches) -> Iterator[Any]:
        import pyarrow as pa

        kinds = {"source": pa.int32(), "value": pa.float64(), "rank": pa.float64()}
        columns = [part.split()[0] for part in LISTS.split(", ")]
        schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
        for table in self.reading.tables(batches):
            if isinstance(table, Bad):
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
class Whole:
    """Labels and measures whole runs, and says what is to be known of them."""

    shared: Shared  # makes the same hashes
    evaluator: Evaluator
    runs: Mapping[tuple[int, str], TableRun]  # without their lists

    def __call__(self, batches: Batches) -> Iterator[Any]:
        for (source, tag), rows in _by_run(batches):
            tables = [_ranked(pl.DataFrame(part)).compact() for part in rows]
            parts = [partial(_same, table) for table in tables]
            run = replace(self.runs[source, tag], parts=partial(iter, parts))
            try:
                found = self._found(run)
            except InputError as error:
                bad = Bad(error.found, error.expected, error.hint, 1)
                yield parcel("bad", bad_row(bad, error.where or ""))
                return
            except CranfieldError as error:
                yield parcel("error", {"text": [str(error)]})
                return
            yield parcel("whole", {"source": [source], "tag": [tag], **found})

    def _found(self, run: Run) -> dict[str, Any]:
        import json

        evaluator = self.evaluator
        collection, measuring = evaluator.collection, evaluator.measuring
        labelled = evaluator.accepted(collection.label(run))
        told = notices.of_run(labelled, collection, measuring.measures)
        return {
            "returned": [labelled.rankings.returned],
            "values": [measuring.values(labelled.rankings).ravel()],
            "told": [json.dumps([*map(save_notice, told)])],
        }


def _same(table: Table) -> Table:
    return table


def _by_run(batches: Batches) -> Iterator[tuple[tuple[int, str], list[Any]]]:
    """The rows of each run, which come together."""
    import pyarrow as pa
    import pyarrow.compute as pc

    now: tuple[int, str] | None = None
    held: list[Any] = []
    for batch in batches:
        table = pa.Table.from_batches([batch])
        pairs = dict.fromkeys(zip(*(table.column(x).to_pylist() for x in RUN), strict=True))
        for pair in pairs:
            if now is not None and pair != now:
                yield now, held
                held = []
            now = pair
            own = (pc.equal(table.column(x), value) for x, value in zip(RUN, pair, strict=True))
            held.append(table.filter(pc.and_(*own)))
    if now is not None:
        yield now, held


RUN = ("source", "tag")


def _ranked(frame: Any) -> Table:
    """Rows of one run, sorted by topic, as columns."""
    docs, topics = (strings_of(frame[name]) for name in ("doc", "topic"))
    missing = {name for name in ("rank", "type") if frame[name].null_count()}
    return replace(
        Table.of(docs, frame["value"].to_numpy(), topics),
        ranks=None if "rank" in missing else frame["rank"].to_numpy(),
        types=None if "type" in missing else strings_of(frame["type"]),
    )


# -- values ---------------------------------------------------------------------------------------

HITS = ("ranks", "items", "levels", "first", "last")
NUMBERED = ("returned", "tied", "sizes", *HITS)
VALUES = "run int, begin int, values array<double>"


def units() -> Any:
    """The columns of units: ranges of topics of a run, and the lists of these."""
    import pyarrow as pa

    of = [pa.field(name, pa.int32()) for name in ("run", "begin", "stop")]
    kinds = {"levels": pa.float64()}
    return pa.schema(
        [*of, *(pa.field(name, pa.list_(kinds.get(name, pa.int64()))) for name in NUMBERED)]
    )


def unit_row(run: int, begin: int, stop: int, rankings: Rankings) -> dict[str, Any]:
    """The lists of some topics, as a row."""
    hits = slice(*rankings.offsets[[begin, stop]].tolist())
    lists = {
        "returned": rankings.returned[begin:stop],
        "tied": rankings.tied[begin:stop],
        "sizes": np.diff(rankings.offsets[begin : stop + 1]),
    }
    return (
        {"run": run, "begin": begin, "stop": stop}
        | lists
        | {name: getattr(rankings, name)[hits] for name in HITS}
    )


def unit_of(row: Mapping[str, Any], topics: int) -> Rankings:
    """The lists that a row is, those of all other topics being empty."""
    begin, stop = row["begin"], row["stop"]
    returned = np.full(topics, -1, dtype=np.int64)
    tied, sizes = np.zeros((2, topics), dtype=np.int64)
    returned[begin:stop], tied[begin:stop] = row["returned"], row["tied"]
    sizes[begin:stop] = row["sizes"]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    hits: dict[str, Any] = {name: np.asarray(row[name]) for name in HITS}
    return Rankings(returned=returned, offsets=offsets, tied=tied, **hits)


@dataclass(frozen=True, eq=False)
class Measure:
    """The values of some topics of some runs, as rows."""

    evaluator: Evaluator
    tell: Callable[[Mapping[str, Any], Any], Any]  # a batch of a unit and its values

    def __call__(self, batches: Batches) -> Iterator[Any]:
        measuring = self.evaluator.measuring
        topics = len(self.evaluator.collection.topics)
        for row in _rows(batches):
            whole = (row["begin"], row["stop"]) == (0, topics)
            blocks = None if whole else measuring.within(row["begin"], row["stop"])
            yield self.tell(row, measuring.values(unit_of(row, topics), blocks))


def _rows(batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Rows, of which columns of numbers stay arrays."""
    for batch in batches:
        for i in range(len(batch)):
            yield {
                name: column[i].values.to_numpy(zero_copy_only=False)
                if name in NUMBERED
                else column[i].as_py()
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            }


def as_values(row: Mapping[str, Any], values: Any) -> Any:
    """The values of a unit, as one row."""
    import pyarrow as pa

    of = [pa.array([row[name]], pa.int32()) for name in ("run", "begin")]
    column = pa.array([values.ravel()], pa.list_(pa.float64()))
    return pa.RecordBatch.from_arrays([*of, column], ["run", "begin", "values"])


@dataclass(frozen=True, eq=False)
class AsScores:
    """The values of a unit, as rows for people: run, topic, measure, value."""

    evaluator: Evaluator
    names: Sequence[str]  # of the runs
    counts: Any  # which topics count

    def __call__(self, row: Mapping[str, Any], values: Any) -> Any:
        import pyarrow as pa

        measuring = self.evaluator.measuring
        within = np.zeros(len(self.counts), dtype=bool)
        within[row["begin"] : row["stop"]] = True
        kept = values[measuring.each(self.counts)[measuring.each(within)]]
        topics = measuring.topics(self.counts & within)
        measures = [column.name for column in measuring.columns]
        t, m = len(topics), len(measures)
        columns = [
            pa.array([self.names[row["run"]]] * (t * m), pa.string()),
            pa.array([topic for topic in topics for _ in range(m)], pa.string()),
            pa.array(measures * t, pa.string()),
            pa.array(kept.ravel(), pa.float64()),
        ]
        return pa.RecordBatch.from_arrays(columns, ["run", "topic", "measure", "value"])


SCORES = "run string, topic string, measure string, value double"
