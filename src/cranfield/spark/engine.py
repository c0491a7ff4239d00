"""Runs evaluated where Spark has their rows: the same scores, from counts in the place of lists.

A first pass over the rows finds the judged documents (`meeting`) and checks every row, a second one
counts how many rows stand above each of them (`counting`). Then all there is to know of a run is
its `Rankings`, and the code of `evaluation/` goes on with them, in tasks of a range of topics each.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, reduce
from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import TableRun
from cranfield.data.systems import SeveralRuns, distinct, refuse_many
from cranfield.data.values import Values
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, one_of
from cranfield.evaluation import notices
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.collection import Labelled
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import Options, Settings, shows_options
from cranfield.labelling.blocks import Placed, RunLabels
from cranfield.scores import Notice, Scores, read_notice
from cranfield.spark import tasks
from cranfield.spark.counting import Hits
from cranfield.spark.inputs import Given, LineReader, given_runs, readable_qrels
from cranfield.spark.meeting import Everywhere, Judged, Sieve, spread
from cranfield.spark.parcels import PARCELS, unpacked
from cranfield.spark.session import Spark, current, failed, told
from cranfield.spark.tasks import Shared, Stretch
from cranfield.spark.watching import Progress, watched
from cranfield.wording import counted

BadRows: TypeAlias = Literal["first", "count"]
Sent: TypeAlias = Literal["auto", "broadcast", "spread"]
MANY = 2_000_000  # judgments that are not sent to all workers, unless asked for
PORTION = 1 << 22  # hits that are


@shows_options
def evaluate(
    qrels: QrelsLike,
    runs: Any,
    measures: MeasuresLike = None,
    *,
    spark: Spark = None,
    bad_rows: BadRows = "first",
    check_duplicates: bool = True,
    judgments: Sent = "auto",
    **options: Unpack[Settings],
) -> Any:
    """The scores of topics, as a Spark DataFrame with the columns run, topic, measure and value.

    Runs are DataFrames of Spark or paths that Spark can read (text or Parquet), several of them as
    a list, or a dict from their names; a column such as ``run`` tells those in one DataFrame apart.
    Judgments are what `cranfield.evaluate` takes, or such a DataFrame or path. `spark` is the
    session, if it is not the active one. `bad_rows` is an error that shows the ``first`` that was
    found, or one that tells how many there are, having read all of them (``count``). Without
    `check_duplicates`, documents that nobody judged may be twice in a list, and eight bytes for
    each row need not be sent around. `judgments` are sent to all workers (``broadcast``), or
    each to one of them (``spread``), if they are too many for that: ``auto`` spreads two million
    and more. `progress` is called with the name of a pass whenever more of its tasks are done; this
    string also has `done` and `tasks`, how many these are, and how many there are. What is returned
    may be given to `cranfield.compare`.
    """
    ways = _Ways(bad_rows, check_duplicates, judgments)
    with told(failed):
        return _Evaluation.of(qrels, runs, measures, current(spark), ways, options).frame()


@shows_options
def scores(
    qrels: QrelsLike,
    runs: Any,
    measures: MeasuresLike = None,
    *,
    spark: Spark = None,
    bad_rows: BadRows = "first",
    check_duplicates: bool = True,
    judgments: Sent = "auto",
    **options: Unpack[Settings],
) -> Scores:
    """The same as `Scores`, with all that the user should know, as `cranfield.evaluate` has them.

    The arguments are those of `evaluate`.
    """
    ways = _Ways(bad_rows, check_duplicates, judgments)
    with told(failed):
        return _Evaluation.of(qrels, runs, measures, current(spark), ways, options).scores()


class _Ways(NamedTuple):
    """How Spark is to do it, whatever is computed."""

    bad_rows: BadRows
    check_duplicates: bool
    judgments: Sent


@dataclass(frozen=True, eq=False)
class _Evaluation:
    spark: Spark
    evaluator: Evaluator
    given: list[Given]
    ways: _Ways
    progress: Progress | None

    @classmethod
    def of(
        cls,
        qrels: QrelsLike,
        runs: Any,
        measures: MeasuresLike,
        spark: Spark,
        ways: _Ways,
        options: Any,
    ) -> _Evaluation:
        one_of("bad_rows", ways.bad_rows, BadRows)
        one_of("judgments", ways.judgments, Sent)
        progress = options.pop("progress", None)
        options["threads"] = 1  # a task has one core
        evaluator = Evaluator(readable_qrels(spark, qrels), measures, **options)
        _refuse_order(evaluator.options)
        typed = any(extra.needs_types for extra in evaluator.collection.extras)
        given = given_runs(spark, runs, evaluator.options, typed)
        _send_users_code(evaluator)
        return cls(spark, evaluator, given, ways, progress)

    @cached_property
    def shared(self) -> Shared:
        return Shared.of(self.evaluator)

    @property
    def spread(self) -> bool:
        """Whether judgments are not sent to all workers."""
        if self.ways.judgments != "auto":
            return self.ways.judgments == "spread"
        return len(self.evaluator.collection.gold.items) >= MANY

    @property
    def topics(self) -> int:
        return len(self.evaluator.collection.topics)

    def _pass(self, make: Callable[[Given], Any], schema: str) -> Any:
        """What a task finds in all inputs."""
        parts = [one.frame.mapInArrow(make(one), schema) for one in self.given]
        return reduce(lambda a, b: a.unionAll(b), parts)

    def _fetched(self, doing: str, frame: Any) -> Any:
        """The rows of a DataFrame, computed now: so a pass is made, and watched."""
        with watched(self.spark, doing, self.progress):
            return frame.toArrow()

    # -- first pass -------------------------------------------------------------------------------

    @cached_property
    def found(self) -> dict[str, Any]:
        """The lists of all runs and the judged documents in them; what is wrong is an error."""
        hashed = self.ways.check_duplicates and self.evaluator.options.duplicates == "error"
        gold, count = self.evaluator.collection.gold, self.ways.bad_rows == "count"
        watched = not self.evaluator.collection.declared
        judged: Judged = Sieve.of(gold.hashes) if self.spread else Everywhere(gold)

        def find(one: Given) -> tasks.FindHits:
            return tasks.FindHits(self.shared, one.reading, judged, count, hashed, watched)

        parcels = self._pass(find, PARCELS)
        if self.spread:
            parcels = parcels.unionAll(self._judgments())
        if self.spread or hashed:
            parcels = parcels.repartition("bucket").mapInArrow(tasks.brought_together, PARCELS)
        found = unpacked(self._fetched("finding judged documents", parcels))
        self._refuse_bad(found)
        if "lists" not in found:
            where = self.given[0].reading.where
            raise InputError("no results", "at least one", where)
        if "suspects" in found:
            self._refuse_repeated(np.unique(found["suspects"].column("key").to_numpy()))
        return found

    def _judgments(self) -> Any:
        """All judgments as a DataFrame of parcels."""
        import pyarrow as pa

        made = pa.Table.from_batches(spread(self.evaluator.collection.gold))
        return self.spark.createDataFrame(made, PARCELS)

    def _refuse_bad(self, found: dict[str, Any]) -> None:
        if "bad" not in found:
            return
        rows = found["bad"].to_pylist()
        number = counted(sum(row["rows"] for row in rows), "bad row")
        raise tasks.as_error(rows[0], f"{number} in all" * (self.ways.bad_rows == "count"))

    def _refuse_repeated(self, keys: Any) -> None:
        """Refuse documents that are in a list twice; hashes may be the same by chance."""
        from pyspark.sql.functions import count

        def rows(one: Given) -> tasks.FindRows:
            return tasks.FindRows(self.shared, one.reading, keys)

        names = self._pass(rows, tasks.ROWS).groupBy("source", "tag", "topic", "doc")
        twice = names.agg(count("*").alias("rows")).where("rows > 1").orderBy("topic", "doc")
        for row in self._fetched("comparing names", twice.limit(1)).to_pylist():
            raise self._twice(row["source"], row["topic"], row["doc"])

    def _twice(self, source: int, topic: str, doc: str) -> InputError:
        found = f"document {doc} of topic {topic} twice"
        return InputError(found, "each document once", self.given[source].reading.where)

    # -- runs -------------------------------------------------------------------------------------

    @cached_property
    def lists(self) -> dict[tuple[int, str], dict[str, Stretch]]:
        """What is known of each list of each run, in the order in which they turned up."""
        table = self.found["lists"].sort_by([("low", "descending")])
        names = ("source", "tag", "name", *Stretch._fields)
        every: dict[tuple[int, str], dict[str, Stretch]] = {}
        for source, tag, name, *of in zip(
            *(table.column(column).to_pylist() for column in names), strict=True
        ):
            known, own = every.setdefault((source, tag), {}), Stretch(*of)
            known[name] = known[name].joined(own) if name in known else own
        for known in every.values():
            ordered = sorted(known.items(), key=lambda item: item[1].place)
            known.clear()
            known.update(ordered)
        first = {run: next(iter(known.values())).place for run, known in every.items()}
        return {run: every[run] for run in sorted(every, key=lambda run: (run[0], first[run]))}

    @cached_property
    def runs(self) -> list[TableRun]:
        """The runs, each under a name of its own."""
        tags: dict[int, list[str]] = {}
        for source, tag in self.lists:
            tags.setdefault(source, []).append(tag)
        made = []
        for source, tag in self.lists:
            one = self.given[source]
            reading = one.reading
            if one.name is not None and len(tags[source]) > 1:
                raise SeveralRuns(tags[source], one.name)
            if isinstance(reading.reader, LineReader):
                refuse_many(tags[source], reading.where)
            name = one.name or (tag if reading.by_tag else "") or reading.where
            run = TableRun(name, lambda: iter(()), where=reading.where, in_doubt=one.in_doubt)
            made.append(replace(run, by_rank=reading.ties == "rank"))
        return distinct([self._merging(run) for run in made])

    def _merging(self, run: TableRun) -> TableRun:
        merging = self.evaluator.options.merging
        if not merging.asked:
            return run
        return replace(run, merging=merging.of_run("rank" if run.by_rank else "score", run.where))

    # -- second pass ------------------------------------------------------------------------------

    @cached_property
    def numbers(self) -> dict[int, dict[str, int]]:
        """By input and tag, what is added to the number of a topic for that of a list."""
        made: dict[int, dict[str, int]] = {number: {} for number in range(len(self.given))}
        for r, (source, tag) in enumerate(self.lists):
            made[source][tag] = r * self.topics
        return made

    @cached_property
    def hits(self) -> Hits:
        """The judged documents in all lists, those of each run after those of the one before."""
        gold = self.evaluator.collection.gold
        table = self.found.get("hits")
        if table is None:
            none = np.empty(0, dtype=np.int64)
            return Hits.of(none, np.empty(0), none, gold)
        begin = np.array([self.numbers[s][t] for s, t in self.lists], dtype=np.int64)
        code = {run: r for r, run in enumerate(self.lists)}
        pairs = zip(
            table.column("source").to_pylist(), table.column("tag").to_pylist(), strict=True
        )
        run = np.fromiter((code[pair] for pair in pairs), dtype=np.int64, count=len(table))
        topic, item = (table.column(name).to_numpy() for name in ("topic", "item"))
        made = Hits.of(begin[run] + topic, table.column("value").to_numpy(), item, gold)
        if (hit := made.repeated()) is not None:
            r, t = divmod(int(made.hit_lists[hit]), self.topics)
            doc = gold.item_docs[made.items[hit]]
            raise self._twice([*self.lists][r][0], self.evaluator.collection.topics[t], doc)
        return made

    @cached_property
    def counts(self) -> Ints:
        """How many rows there are in each slot between hits."""
        from pyspark.sql.functions import sum as total

        made = np.zeros(self.hits.slots, dtype=np.int64)
        for number, parts in enumerate(self._portions(), 1):
            counting = reduce(lambda a, b: a.unionAll(b), parts)
            sums = counting.groupBy("slot").agg(total("rows").alias("rows"))
            table = self._fetched("counting ranks" + f", portion {number}" * (number > 1), sums)
            made[table.column("slot").to_numpy()] = table.column("rows").to_numpy()
        if not made[self.hits.own_slots].all():
            hint = "a DataFrame that is computed anew each time may be written, or .cache()d"
            raise InputError("other rows in the second pass", "those of the first", hint=hint)
        return made

    def _portions(self) -> Iterator[list[Any]]:
        """What counts rows: for each input its hits, in as many passes as there are portions."""

        def of_input(one: Given) -> Iterator[Any]:
            numbers = self.numbers[one.reading.number]
            first, stop = min(numbers.values()), max(numbers.values()) + self.topics
            for slot, hits in self.hits.portions(first, stop, PORTION):
                work = tasks.CountRows(self.shared, one.reading, numbers, hits, slot)
                yield one.frame.mapInArrow(work, tasks.SLOTS)

        every = [of_input(one) for one in self.given if self.numbers[one.reading.number]]
        while parts := [part for each in every if (part := next(each, None)) is not None]:
            yield parts

    # -- rankings ---------------------------------------------------------------------------------

    @cached_property
    def labelled(self) -> list[Labelled]:
        """All there is to know of each run, but for how many documents are tied."""
        collection, hits = self.evaluator.collection, self.hits
        index, ranked = collection.gold.topic_index, hits.ranks(self.counts)
        run, topic = np.divmod(hits.hit_lists, max(self.topics, 1))
        bounds = np.searchsorted(run, np.arange(len(self.lists) + 1))
        made = []
        for r, (one, (key, known)) in enumerate(zip(self.runs, self.lists.items(), strict=True)):
            own = slice(bounds[r], bounds[r + 1])
            rank, first, last = (column[own] for column in ranked)
            lists = [(index[t], of.rows, 0) for t, of in known.items() if t in index]
            placed = Placed(
                lists=[tuple(np.array(lists, dtype=np.int64).reshape(-1, 3).T)],
                hits=[(topic[own], rank, hits.items[own], first, last)],
            )
            rankings = placed.rankings(collection.gold.judgments, ())
            wrong = tuple(t for t, of in known.items() if of.wrong and t in index)
            values = self._values_of(*key, known)
            collection.refuse_swapped(one, values)
            found = RunLabels(rankings, tuple(known), wrong, values)
            labelled = collection.labelled(one, found)
            collection.refuse_stranger(labelled)
            made.append(labelled)
        return made

    def _values_of(self, source: int, tag: str, lists: Mapping[str, Stretch]) -> Values | None:
        """The values of a run. Ties of a topic may go unnoticed if its rows are in several tasks,
        unless it has more rows than there are values.
        """
        rows = self.found["values"].to_pylist() if "values" in self.found else []
        parts = [
            Values(np.array(row["different"]), np.zeros(0, dtype=np.int64), row["tied"])
            for row in rows
            if (row["source"], row["tag"]) == (source, tag)
        ]
        sizes = np.array([known.rows for known in lists.values()], dtype=np.int64)
        return Values.join(parts, sizes) if parts else None

    def _with_ties(self) -> list[Labelled]:
        """The runs with the numbers of tied documents, if anybody is to be told of them."""
        collection, measures = self.evaluator.collection, self.evaluator.measures
        placed = [collection.of_chosen(one.placed) for one in self.labelled]
        if not any(notices.doubtful(one, collection, measures).any() for one in placed):
            return self.labelled

        def send(one: Given) -> tasks.SendValues:
            return tasks.SendValues(self.shared, one.reading, self.numbers[one.reading.number])

        sent = self._pass(send, PARCELS).repartition("bucket")
        table = self._fetched("counting ties", sent.mapInArrow(tasks.count_tied, tasks.TIED))
        tied = np.zeros(len(self.lists) * self.topics, dtype=np.int64)
        np.add.at(tied, table.column("list").to_numpy(), table.column("tied").to_numpy())
        each = tied.reshape(len(self.lists), -1)
        return [
            replace(one, placed=replace(one.placed, tied=of), rankings=one.rankings)
            for one, of in zip(self.labelled, each, strict=True)
        ]

    # -- scores -----------------------------------------------------------------------------------

    @cached_property
    def counting(self) -> Any:
        """Which topics count."""
        answered = [one.rankings.answered for one in self.labelled]
        return self.evaluator.counting([run.name for run in self.runs], answered)

    def _units(self) -> Any:
        """The lists of all runs, as a DataFrame with a row for each task that measures them."""
        import pyarrow as pa

        rows = [
            tasks.unit_row(r, *bound, one.rankings)
            for r, one in enumerate(self.labelled)
            for bound in self._bounds
        ]
        table = pa.Table.from_pylist(rows, tasks.units())
        frame = self.spark.createDataFrame(table)
        return frame.repartition(min(len(rows), 1 << 14), "run", "begin")

    @cached_property
    def _bounds(self) -> list[tuple[int, int]]:
        """The topics of each task: some blocks, or all where random orders are drawn for all."""
        if self.evaluator.options.ties == "expected":
            return [(0, self.topics)]
        measuring = copy.copy(self.evaluator.measuring)  # workers make blocks of their own
        return [(block.start, block.stop) for block in measuring.blocks]

    def frame(self) -> Any:
        """The scores of topics as a DataFrame."""
        names = [run.name for run in self.runs]
        here = self.spread or self.evaluator.options.undefined == "error"  # known when computed
        if self._by_lists or here:
            return self.spark.createDataFrame(self.scores().to_polars().to_arrow())
        tell = tasks.AsScores(self.evaluator, names, self.counting)
        return self._units().mapInArrow(tasks.Measure(self.evaluator, tell), tasks.SCORES)

    def scores(self) -> Scores:
        """The scores, with what is to be known of them."""
        if self._by_lists:
            return self._of_whole_lists()
        names, measuring = [run.name for run in self.runs], self.evaluator.measuring

        def tell() -> Iterable[Notice]:  # when they are read, which may be another pass
            with told(failed):
                return notices.of_all(measuring, self.counting, self._with_ties())

        return self.evaluator.collected(names, self.counting, self._values(), tell)

    def _values(self) -> Floats:
        """Runs × topics × columns; judgments that are spread are nowhere but here."""
        if self.spread:
            return np.stack([self.evaluator.measuring.values(x.rankings) for x in self.labelled])
        measure = tasks.Measure(self.evaluator, tasks.as_values)
        table = self._fetched("measuring", self._units().mapInArrow(measure, tasks.VALUES))
        table = table.sort_by([("run", "ascending"), ("begin", "ascending")])
        flat = np.concatenate([part.flatten() for part in table.column("values").chunks])
        return flat.reshape(len(self.runs), -1, len(self.evaluator.measuring.columns))

    # -- whole lists ------------------------------------------------------------------------------

    @property
    def _by_lists(self) -> bool:
        """Whether something is to be known of every document, or several lines become one."""
        return bool(self.evaluator.collection.extras) or self.evaluator.options.merging.asked

    def _of_whole_lists(self) -> Scores:
        """The scores, each run being labelled and measured in one place."""
        runs = dict(zip(self.lists, self.runs, strict=True))

        def send(one: Given) -> tasks.SendRows:
            return tasks.SendRows(one.reading)

        rows = self._pass(send, tasks.LISTS).repartition(len(runs), *tasks.RUN)
        rows = rows.sortWithinPartitions(*tasks.RUN, "topic")
        work = tasks.Whole(self.shared, self.evaluator, runs)
        found = unpacked(self._fetched("measuring", rows.mapInArrow(work, PARCELS)))
        if "bad" in found:
            raise tasks.as_error(found["bad"].to_pylist()[0])
        if "error" in found:
            raise CranfieldError(found["error"].column("text")[0].as_py())
        by_run = {(row["source"], row["tag"]): row for row in found["whole"].to_pylist()}
        each = [by_run[run] for run in runs]
        names, measuring = [run.name for run in self.runs], self.evaluator.measuring
        returned = [np.array(row["returned"]) for row in each]
        counts = self.evaluator.counting(names, [lists >= 0 for lists in returned])
        told = [read_notice(notice) for row in each for notice in json.loads(row["told"])]
        values = np.array([row["values"] for row in each])
        return self.evaluator.collected(
            names,
            counts,
            values.reshape(len(each), -1, len(measuring.columns)),
            lambda: notices.together(
                measuring, counts, told, dict(zip(names, returned, strict=True))
            ),
        )


def _send_users_code(evaluator: Evaluator) -> None:
    """Have modules in which users define measures sent, which workers may not have."""
    from pyspark import cloudpickle

    register: Any = cloudpickle.register_pickle_by_value
    known = {"cranfield", "__main__", *sys.stdlib_module_names}
    used = [*evaluator.measures, evaluator.options.labelling]
    for module in {cls.__module__ for one in used for cls in type(one).__mro__}:
        if module.partition(".")[0] not in known:
            register(sys.modules[module])


def _refuse_order(options: Options) -> None:
    """Refuse what depends on the order of lines, which Spark does not keep."""
    asked = {"duplicates": options.duplicates, "chunk_score": options.chunk_score}
    for name, value in asked.items():
        if value in ("first", "sum"):
            why = "which does not depend on the order of rows: Spark does not keep it"
            raise InputError(
                f"{name}={value}", f"{'best' if name == 'duplicates' else 'max'}, {why}"
            )
