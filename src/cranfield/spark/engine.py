"""Evaluation where Spark has the rows of runs: the same scores, from counts instead of rankings.

A first pass over the rows finds the judged documents (`join`) and checks every row. A second pass
counts the rows above each of them (`ranks`). The counts give the `Rankings` of a run, which tasks
for a range of topics evaluate with `cranfield.evaluation`.
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
from cranfield.data.systems import SeveralRuns, check_tag_count, resolve_names
from cranfield.data.values import Values
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, check_choice
from cranfield.evaluation import notes
from cranfield.evaluation.collection import LabelledRun
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import OPTIONS, Options, Settings, with_options
from cranfield.labelling.blocks import RankingBuilder, RunLabels
from cranfield.measures.selection import MeasuresLike
from cranfield.scores import Note, Scores, read_note
from cranfield.spark import tasks
from cranfield.spark.inputs import LineReader, RunInput, prepare_qrels, prepare_runs
from cranfield.spark.join import BloomFilter, BroadcastJudgments, Judged, partition_judgments
from cranfield.spark.progress import Progress, report_progress
from cranfield.spark.ranks import Hits
from cranfield.spark.session import Spark, get_session, make_spark_error, wrap_spark_errors
from cranfield.spark.tasks import ListStats, Shared
from cranfield.spark.transfer import PACKED, merge_tables
from cranfield.wording import format_count

BadRows: TypeAlias = Literal["first", "count"]
Transfer: TypeAlias = Literal["auto", "broadcast", "spread"]
MAX_BROADCAST = 2_000_000  # Minimum number of judgments that are partitioned by default.
HITS_PER_PASS = 1 << 22  # hits that are


@with_options
def evaluate(
    qrels: QrelsLike,
    runs: Any,
    measures: MeasuresLike = None,
    *,
    spark: Spark = None,
    bad_rows: BadRows = "first",
    check_duplicates: bool = True,
    judgments: Transfer = "auto",
    **options: Unpack[Settings],
) -> Any:
    """Return the scores of topics as a Spark DataFrame: run, topic, measure, value.

    Runs are Spark DataFrames, or paths that Spark can read (text or Parquet): one, a list, or a
    dict from names. A column such as ``run`` separates several runs in a DataFrame. Judgments are
    as for `cranfield.evaluate`, or such a DataFrame or path. `spark` is the session, by default
    the active one. `bad_rows` raises an error with the ``first`` invalid row, or after reading
    all rows with their number (``count``). Without `check_duplicates`, duplicates of unjudged
    documents are not detected, and eight bytes per row need not be transferred. `judgments` are
    sent to all workers (``broadcast``) or partitioned among them (``spread``); ``auto`` partitions
    two million and more. `progress` is called with the name of a pass whenever more of its tasks
    are completed; the attributes `done` and `tasks` of this string are the numbers of completed
    and known tasks. `cranfield.compare` accepts the result.
    """
    ways = _SparkOptions(bad_rows, check_duplicates, judgments)
    with wrap_spark_errors(make_spark_error):
        return _Evaluation.from_arguments(qrels, runs, measures, get_session(spark), ways, options).to_frame()


@with_options
def scores(
    qrels: QrelsLike,
    runs: Any,
    measures: MeasuresLike = None,
    *,
    spark: Spark = None,
    bad_rows: BadRows = "first",
    check_duplicates: bool = True,
    judgments: Transfer = "auto",
    **options: Unpack[Settings],
) -> Scores:
    """Return the scores of topics as `Scores`, with the notes of `cranfield.evaluate`.

    The arguments are those of `evaluate`.
    """
    ways = _SparkOptions(bad_rows, check_duplicates, judgments)
    with wrap_spark_errors(make_spark_error):
        return _Evaluation.from_arguments(qrels, runs, measures, get_session(spark), ways, options).to_scores()


class _SparkOptions(NamedTuple):
    """Options of the engine that do not change scores."""

    bad_rows: BadRows
    check_duplicates: bool
    judgments: Transfer


@dataclass(frozen=True, eq=False)
class _Evaluation:
    spark: Spark
    evaluator: Evaluator
    inputs: list[RunInput]
    spark_options: _SparkOptions
    progress: Progress | None

    @classmethod
    def from_arguments(
        cls,
        qrels: QrelsLike,
        runs: Any,
        measures: MeasuresLike,
        spark: Spark,
        spark_options: _SparkOptions,
        options: Any,
    ) -> _Evaluation:
        check_choice("bad_rows", spark_options.bad_rows, BadRows)
        check_choice("judgments", spark_options.judgments, Transfer)
        progress = options.pop("progress", None)
        options["threads"] = 1  # Tasks have one core.
        evaluator = Evaluator(prepare_qrels(spark, qrels), measures, **options)
        _check_order(evaluator.options)
        typed = any(extra.needs_types for extra in evaluator.collection.extras)
        inputs = prepare_runs(spark, runs, evaluator.options, typed)
        _send_user_code(evaluator)
        return cls(spark, evaluator, inputs, spark_options, progress)

    @cached_property
    def shared(self) -> Shared:
        return Shared.from_evaluator(self.evaluator)

    @property
    def spread(self) -> bool:
        """True if judgments are partitioned among the workers."""
        if self.spark_options.judgments != "auto":
            return self.spark_options.judgments == "spread"
        return len(self.evaluator.collection.gold.items) >= MAX_BROADCAST

    @property
    def topics(self) -> int:
        return len(self.evaluator.collection.topics)

    def _map_inputs(self, make: Callable[[RunInput], Any], schema: str) -> Any:
        """Apply a task to all inputs, and return the union of its rows."""
        parts = [run_input.frame.mapInArrow(make(run_input), schema) for run_input in self.inputs]
        return reduce(lambda a, b: a.unionAll(b), parts)

    def _collect(self, doing: str, frame: Any) -> Any:
        """Compute the rows of a DataFrame, and report the progress of the pass."""
        with report_progress(self.spark, doing, self.progress):
            return frame.toArrow()

    # -- first pass -------------------------------------------------------------------------------

    @cached_property
    def first_pass(self) -> dict[str, Any]:
        """Lists of all runs and their judged documents. Raises an error for invalid rows."""
        hashed = self.spark_options.check_duplicates and self.evaluator.options.duplicates == "error"
        gold, count = self.evaluator.collection.gold, self.spark_options.bad_rows == "count"
        watched = not self.evaluator.collection.declared
        judged: Judged = BloomFilter.from_keys(gold.hashes) if self.spread else BroadcastJudgments(gold)

        def find(run_input: RunInput) -> tasks.HitFinder:
            return tasks.HitFinder(self.shared, run_input.reading, judged, count, hashed, watched)

        packed = self._map_inputs(find, PACKED)
        if self.spread:
            packed = packed.unionAll(self._build_judgment_frame())
        if self.spread or hashed:
            packed = packed.repartition("bucket").mapInArrow(tasks.join_buckets, PACKED)
        tables = merge_tables(self._collect("finding judged documents", packed))
        self._check_bad_rows(tables)
        if "lists" not in tables:
            location = self.inputs[0].reading.location
            raise InputError("no results", "at least one", location)
        if "suspects" in tables:
            self._check_duplicates(np.unique(tables["suspects"].column("key").to_numpy()))
        return tables

    def _build_judgment_frame(self) -> Any:
        """Return all judgments as a DataFrame of packed tables."""
        import pyarrow as pa

        table = pa.Table.from_batches(partition_judgments(self.evaluator.collection.gold))
        return self.spark.createDataFrame(table, PACKED)

    def _check_bad_rows(self, tables: dict[str, Any]) -> None:
        if "bad" not in tables:
            return
        rows = tables["bad"].to_pylist()
        number = format_count(sum(row["rows"] for row in rows), "bad row")
        raise tasks.make_input_error(rows[0], f"{number} in all" * (self.spark_options.bad_rows == "count"))

    def _check_duplicates(self, keys: Any) -> None:
        """Raise an error for duplicate documents in a list; equal hashes are not enough."""
        from pyspark.sql.functions import count

        def find_rows(run_input: RunInput) -> tasks.RowFinder:
            return tasks.RowFinder(self.shared, run_input.reading, keys)

        names = self._map_inputs(find_rows, tasks.ROWS).groupBy("source", "tag", "topic", "doc")
        duplicates = names.agg(count("*").alias("rows")).where("rows > 1").orderBy("topic", "doc")
        for row in self._collect("comparing names", duplicates.limit(1)).to_pylist():
            raise self._make_duplicate_error(row["source"], row["topic"], row["doc"])

    def _make_duplicate_error(self, source: int, topic: str, doc: str) -> InputError:
        problem = f"duplicate document {doc!r} in topic {topic}"
        return InputError.from_problem(problem, "", self.inputs[source].reading.location)

    # -- runs -------------------------------------------------------------------------------------

    @cached_property
    def lists(self) -> dict[tuple[int, str], dict[str, ListStats]]:
        """Statistics of each list of each run, in order of appearance."""
        table = self.first_pass["lists"].sort_by([("low", "descending")])
        names = ("source", "tag", "name", *ListStats._fields)
        lists_by_run: dict[tuple[int, str], dict[str, ListStats]] = {}
        for source, tag, name, *fields in zip(*(table.column(column).to_pylist() for column in names), strict=True):
            run_lists, stats = lists_by_run.setdefault((source, tag), {}), ListStats(*fields)
            run_lists[name] = run_lists[name].merge(stats) if name in run_lists else stats
        for run_lists in lists_by_run.values():
            ordered = sorted(run_lists.items(), key=lambda item: item[1].place)
            run_lists.clear()
            run_lists.update(ordered)
        first = {run: next(iter(run_lists.values())).place for run, run_lists in lists_by_run.items()}
        return {run: lists_by_run[run] for run in sorted(lists_by_run, key=lambda run: (run[0], first[run]))}

    @cached_property
    def runs(self) -> list[TableRun]:
        """Runs with distinct names."""
        tags: dict[int, list[str]] = {}
        for source, tag in self.lists:
            tags.setdefault(source, []).append(tag)
        tables = []
        for source, tag in self.lists:
            run_input = self.inputs[source]
            reading = run_input.reading
            if run_input.name is not None and len(tags[source]) > 1:
                raise SeveralRuns(tags[source], run_input.name)
            if isinstance(reading.reader, LineReader):
                check_tag_count(tags[source], reading.location)
            name = run_input.name or (tag if reading.by_tag else "") or reading.location
            run = TableRun(name, lambda: iter(()), where=reading.location, in_doubt=run_input.in_doubt)
            tables.append(replace(run, by_rank=reading.ties == "rank"))
        return resolve_names([self._add_merging(run) for run in tables])

    def _add_merging(self, run: TableRun) -> TableRun:
        merging = self.evaluator.options.merging
        if not merging.is_needed:
            return run
        return replace(run, merging=merging.with_order("rank" if run.by_rank else "score", run.where))

    # -- second pass ------------------------------------------------------------------------------

    @cached_property
    def numbers(self) -> dict[int, dict[str, int]]:
        """Offset from the number of a topic to the number of a list, by input and tag."""
        offsets: dict[int, dict[str, int]] = {number: {} for number in range(len(self.inputs))}
        for r, (source, tag) in enumerate(self.lists):
            offsets[source][tag] = r * self.topics
        return offsets

    @cached_property
    def hits(self) -> Hits:
        """Judged documents in all lists, in order of the runs."""
        gold = self.evaluator.collection.gold
        table = self.first_pass.get("hits")
        if table is None:
            empty = np.empty(0, dtype=np.int64)
            return Hits.from_columns(empty, np.empty(0), empty, gold)
        begin = np.array([self.numbers[s][t] for s, t in self.lists], dtype=np.int64)
        code = {run: r for r, run in enumerate(self.lists)}
        pairs = zip(table.column("source").to_pylist(), table.column("tag").to_pylist(), strict=True)
        run = np.fromiter((code[pair] for pair in pairs), dtype=np.int64, count=len(table))
        topic, item = (table.column(name).to_numpy() for name in ("topic", "item"))
        all_hits = Hits.from_columns(begin[run] + topic, table.column("value").to_numpy(), item, gold)
        if (hit := all_hits.find_duplicate()) is not None:
            r, t = divmod(int(all_hits.hit_lists[hit]), self.topics)
            doc = gold.item_docs[all_hits.items[hit]]
            raise self._make_duplicate_error([*self.lists][r][0], self.evaluator.collection.topics[t], doc)
        return all_hits

    @cached_property
    def counts(self) -> Ints:
        """Number of rows in each bin between hits."""
        from pyspark.sql.functions import sum as total

        row_counts = np.zeros(self.hits.bins, dtype=np.int64)
        for number, parts in enumerate(self._iter_passes(), 1):
            counting = reduce(lambda a, b: a.unionAll(b), parts)
            sums = counting.groupBy("bin").agg(total("rows").alias("rows"))
            table = self._collect("counting ranks" + f", pass {number}" * (number > 1), sums)
            row_counts[table.column("bin").to_numpy()] = table.column("rows").to_numpy()
        if not row_counts[self.hits.hit_bins].all():
            hint = "a DataFrame that is computed anew each time may be written, or .cache()d"
            raise InputError("other rows in the second pass", "those of the first", hint=hint)
        return row_counts

    def _iter_passes(self) -> Iterator[list[Any]]:
        """Yield the frames of each pass, which count the rows in the bins of a chunk of hits."""

        def count_input(run_input: RunInput) -> Iterator[Any]:
            numbers = self.numbers[run_input.reading.number]
            first, stop = min(numbers.values()), max(numbers.values()) + self.topics
            for first_bin, hits in self.hits.split(first, stop, HITS_PER_PASS):
                work = tasks.RowCounter(self.shared, run_input.reading, numbers, hits, first_bin)
                yield run_input.frame.mapInArrow(work, tasks.BIN_COUNTS)

        iterators = [count_input(one) for one in self.inputs if self.numbers[one.reading.number]]
        while parts := [part for iterator in iterators if (part := next(iterator, None)) is not None]:
            yield parts

    # -- rankings ---------------------------------------------------------------------------------

    @cached_property
    def labelled(self) -> list[LabelledRun]:
        """Labelled runs, without the numbers of tied documents."""
        collection, hits = self.evaluator.collection, self.hits
        index, ranked = collection.gold.topic_index, hits.compute_ranks(self.counts)
        run, topic = np.divmod(hits.hit_lists, max(self.topics, 1))
        bounds = np.searchsorted(run, np.arange(len(self.lists) + 1))
        labelled_runs = []
        for r, (run_table, (key, run_lists)) in enumerate(zip(self.runs, self.lists.items(), strict=True)):
            hit_range = slice(bounds[r], bounds[r + 1])
            rank, first, last = (column[hit_range] for column in ranked)
            lists = [(index[t], stats.rows, 0) for t, stats in run_lists.items() if t in index]
            placement = RankingBuilder(
                lists=[tuple(np.array(lists, dtype=np.int64).reshape(-1, 3).T)],
                hits=[(topic[hit_range], rank, hits.items[hit_range], first, last)],
            )
            rankings = placement.build_rankings(collection.gold.judgments, ())
            wrong = tuple(t for t, stats in run_lists.items() if stats.wrong and t in index)
            values = self._collect_values(*key, run_lists)
            collection.check_swapped(run_table, values)
            labels = RunLabels(rankings, tuple(run_lists), wrong, values)
            labelled = collection.apply_labels(run_table, labels)
            collection.check_overlap(labelled)
            labelled_runs.append(labelled)
        return labelled_runs

    def _collect_values(self, source: int, tag: str, lists: Mapping[str, ListStats]) -> Values | None:
        """Return the values of a run. Ties of a topic can be missed if its rows are in several
        tasks, unless it has more rows than there are values.
        """
        rows = self.first_pass["values"].to_pylist() if "values" in self.first_pass else []
        parts = [
            Values(np.array(row["different"]), np.zeros(0, dtype=np.int64), row["tied"])
            for row in rows
            if (row["source"], row["tag"]) == (source, tag)
        ]
        sizes = np.array([stats.rows for stats in lists.values()], dtype=np.int64)
        return Values.join(parts, sizes) if parts else None

    def _count_ties(self) -> list[LabelledRun]:
        """Return the runs with the numbers of tied documents, if a note needs them."""
        collection, measures = self.evaluator.collection, self.evaluator.measures
        selections = [collection.select_topics(labelled.full_rankings) for labelled in self.labelled]
        if not any(notes.count_influential_ties(labelled, collection, measures).any() for labelled in selections):
            return self.labelled

        def send(run_input: RunInput) -> tasks.ValueSender:
            return tasks.ValueSender(self.shared, run_input.reading, self.numbers[run_input.reading.number])

        sent = self._map_inputs(send, PACKED).repartition("bucket")
        table = self._collect("counting ties", sent.mapInArrow(tasks.count_tied, tasks.TIED))
        tied = np.zeros(len(self.lists) * self.topics, dtype=np.int64)
        np.add.at(tied, table.column("list").to_numpy(), table.column("tied").to_numpy())
        ties_by_run = tied.reshape(len(self.lists), -1)
        return [
            replace(labelled, full_rankings=replace(labelled.full_rankings, tied=ties), rankings=labelled.rankings)
            for labelled, ties in zip(self.labelled, ties_by_run, strict=True)
        ]

    # -- scores -----------------------------------------------------------------------------------

    @cached_property
    def topic_mask(self) -> Any:
        """Mask of the topics that count."""
        answered = [labelled.rankings.answered for labelled in self.labelled]
        return self.evaluator.choose_topics([run.name for run in self.runs], answered)

    def _build_units(self) -> Any:
        """Return the lists of all runs as a DataFrame with a row for each measuring task."""
        import pyarrow as pa

        rows = [
            tasks.to_unit_row(r, *bound, labelled.rankings)
            for r, labelled in enumerate(self.labelled)
            for bound in self._bounds
        ]
        table = pa.Table.from_pylist(rows, tasks.make_unit_schema())
        frame = self.spark.createDataFrame(table)
        return frame.repartition(min(len(rows), 1 << 14), "run", "begin")

    @cached_property
    def _bounds(self) -> list[tuple[int, int]]:
        """Return the topics of each task: some blocks, or all if random orders are drawn for
        all.
        """
        if self.evaluator.options.ties == "expected":
            return [(0, self.topics)]
        measuring = copy.copy(self.evaluator.scorer)  # Workers make their own blocks.
        return [(block.start, block.stop) for block in measuring.blocks]

    def to_frame(self) -> Any:
        """Return the scores of topics as a DataFrame."""
        names = [run.name for run in self.runs]
        is_local = self.spread or self.evaluator.options.undefined == "error"  # known when computed
        if self._needs_lists or is_local:
            return self.spark.createDataFrame(self.to_scores().to_polars().to_arrow())
        to_batch = tasks.ScoreFormatter(self.evaluator, names, self.topic_mask)
        return self._build_units().mapInArrow(tasks.UnitScorer(self.evaluator, to_batch), tasks.SCORES)

    def to_scores(self) -> Scores:
        """Return the scores with notes."""
        if self._needs_lists:
            return self._score_whole_lists()
        names, measuring = [run.name for run in self.runs], self.evaluator.scorer

        def collect_notes() -> Iterable[Note]:  # when they are read, which may be another pass
            with wrap_spark_errors(make_spark_error):
                return notes.collect_notes(measuring, self.topic_mask, self._count_ties())

        return self.evaluator.collect_scores(names, self.topic_mask, self._measure_units(), collect_notes)

    def _measure_units(self) -> Floats:
        """Return the values [run, topic, column]; partitioned judgments are evaluated here."""
        if self.spread:
            return np.stack([self.evaluator.scorer.compute_values(x.rankings) for x in self.labelled])
        measure = tasks.UnitScorer(self.evaluator, tasks.to_value_batch)
        table = self._collect("measuring", self._build_units().mapInArrow(measure, tasks.VALUES))
        table = table.sort_by([("run", "ascending"), ("begin", "ascending")])
        flat = np.concatenate([part.flatten() for part in table.column("values").chunks])
        return flat.reshape(len(self.runs), -1, len(self.evaluator.scorer.columns))

    # -- whole lists ------------------------------------------------------------------------------

    @property
    def _needs_lists(self) -> bool:
        """True if extras need every document, or several lines are merged."""
        return bool(self.evaluator.collection.extras) or self.evaluator.options.merging.is_needed

    def _score_whole_lists(self) -> Scores:
        """Return the scores, with each run labelled and measured in one task."""
        runs = dict(zip(self.lists, self.runs, strict=True))

        def send(run_input: RunInput) -> tasks.RowSender:
            return tasks.RowSender(run_input.reading)

        rows = self._map_inputs(send, tasks.LISTS).repartition(len(runs), *tasks.RUN)
        rows = rows.sortWithinPartitions(*tasks.RUN, "topic")
        work = tasks.RunScorer(self.shared, self.evaluator, runs)
        tables = merge_tables(self._collect("measuring", rows.mapInArrow(work, PACKED)))
        if "bad" in tables:
            raise tasks.make_input_error(tables["bad"].to_pylist()[0])
        if "error" in tables:
            raise CranfieldError(tables["error"].column("text")[0].as_py())
        by_run = {(row["source"], row["tag"]): row for row in tables["whole"].to_pylist()}
        run_rows = [by_run[run] for run in runs]
        names, measuring = [run.name for run in self.runs], self.evaluator.scorer
        returned = [np.array(row["returned"]) for row in run_rows]
        counts = self.evaluator.choose_topics(names, [lists >= 0 for lists in returned])
        run_notes = [read_note(note) for row in run_rows for note in json.loads(row["notes"])]
        values = np.array([row["values"] for row in run_rows])
        return self.evaluator.collect_scores(
            names,
            counts,
            values.reshape(len(run_rows), -1, len(measuring.columns)),
            lambda: notes.combine_notes(measuring, counts, run_notes, dict(zip(names, returned, strict=True))),
        )


def _send_user_code(evaluator: Evaluator) -> None:
    """Have modules in which users define measures sent, which workers may not have."""
    from pyspark import cloudpickle

    register: Any = cloudpickle.register_pickle_by_value
    known_modules = {"cranfield", "__main__", *sys.stdlib_module_names}
    user_objects = [*evaluator.measures, evaluator.options.labelling]
    for module in {cls.__module__ for user_object in user_objects for cls in type(user_object).__mro__}:
        if module.partition(".")[0] not in known_modules:
            register(sys.modules[module])


def _check_order(options: Options) -> None:
    """Raise an error for choices that depend on the order of rows, which Spark does not keep."""
    for name, row in OPTIONS.items():
        if row.not_on_spark and (value := getattr(options, name)) in row.not_on_spark:
            problem = f"{name}={value} depends on the order of rows: Spark does not keep it"
            raise InputError.from_problem(problem, f"Use {name}={row.not_on_spark[value]}.")
