"""Reading of runs from files and from data in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from typing import Any, Literal, TypeVar

import numpy as np

from cranfield.arrays import Floats
from cranfield.data import catalogues
from cranfield.data.merging import (
    ChunkScore,
    ChunksLike,
    Duplicates,
    Merging,
    Order,
    drop_duplicates,
    merge_pairs,
)
from cranfield.data.orders import (
    BY_SCORE,
    RankBy,
    Reading,
    Ties,
    apply_order,
    check_order,
    make_missing_error,
)
from cranfield.data.qrels import Qrels, ValidRecords, collect_records
from cranfield.data.reading import letor
from cranfield.data.reading.adapters import is_ranx, to_plain
from cranfield.data.reading.columns import TREC, ColumnsLike, read_columns
from cranfield.data.reading.formats import (
    DIRECTORIES,
    JSON,
    LETOR,
    DetectedFormat,
    Format,
    detect_format,
    list_runs,
    reject_mixed_parts,
)
from cranfield.data.reading.lines import check_not_empty
from cranfield.data.reading.mappings import Nested, is_listed, read_plain_lists, to_nested
from cranfield.data.reading.objects import is_shaped, list_object_topics, read_object_records
from cranfield.data.reading.records import ReadOptions, Record, check_records
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import TidyFrame, is_frame, tidy_frame
from cranfield.data.run import NO_DISAGREEMENT, ListRun, Part, Run, TableRun, compare_ranks
from cranfield.data.run_inputs import RunLike, are_numbers, find_ranked_rows, name_runs
from cranfield.data.systems import (
    RunNames,
    SeveralRuns,
    check_distinct_paths,
    check_tag_count,
    require_one,
    resolve_names,
)
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.wording import format_option, suggest_keywords

PART = 1 << 16  # predictions labelled together
T = TypeVar("T")


@suggest_keywords
def read_run(
    data: RunLike,
    format: str | None = None,
    *,
    name: str | None = None,
    ties: Ties | None = None,
    order: RankBy | None = None,
    separator: str | None = None,
    types: bool = False,
    qrels: Qrels | None = None,
    further: bool = False,
    run_names: RunNames | Literal["first"] = "tag",
    chunks: ChunksLike = None,
    chunk_score: ChunkScore | None = None,
    duplicates: Duplicates = "error",
    columns: ColumnsLike | None = None,
) -> Run:
    """Read a run from a path, a mapping, a Polars or pandas frame, tuples or records.

    ``DIR/NAME`` (or ``DIR/*.NAME.res``) is the run NAME of a directory with one directory per
    topic, as in NTCIREVAL. With `qrels` from LETOR data, a run may be predictions: an array, a
    list or a file of numbers in the order of the lines of the data.

    Parameters
    ----------
    data : path, mapping, frame, array or list
        The rankings of one run.
    format : str, optional
        Format of the file. Default: detect it.
    name : str, optional
        Name of the run. Default: its tag, or its path.
    ties : {"trec", "file"}, optional
        Order of equal scores: ``trec`` by document id, descending (default), or ``file`` in
        input order (default for predictions). ``rank`` and ``given`` are older spellings of the
        same `order`.
    order : {"score", "rank", "given"}, optional
        Order of a ranking: ``score`` (default if there are scores), ``rank``, the rank column
        (default of a table with ranks and no scores), or ``given``, the order of the file or
        list (default if there is neither).
    separator : str, optional
        Separator of the fields of a line. Default: spaces and tabs.
    types : bool
        Keep the type of each result: the second column of TREC text, or the column ``type`` of
        a table.
    qrels : Qrels, optional
        Judgments, needed for predictions.
    further : bool
        Ignore fields after the sixth of a TREC line. By default, they are an error.
    run_names : {"tag", "file", "first"}
        With ``tag``, several run tags are an error (for text, when it is used): `read_runs`
        reads all runs. With ``file``, all lines are one run, named by its path. With ``first``,
        the first tag names the run, as in trec_eval.
    chunks : str or callable, optional
        Merge chunks to documents: the separator between document and chunk id, a regular
        expression between slashes with the document as its group, or a function from chunk to
        document.
    chunk_score : {"max", "sum", "first"}, optional
        Score of a document: the ``max`` (default) or ``sum`` of its chunks, or the ``first``
        chunk. ``first`` is also used if ranks or the order of the list decide.
    duplicates : {"error", "first", "best"}
        Duplicate documents: ``error`` (default), or keep the ``first`` or ``best``.
    columns : str or mapping, optional
        Names of columns, as in ``"topic=user_id,score=rating"``, or their numbers from 1.
    """
    merging = Merging(chunks, chunk_score, duplicates)
    column_names, by_tag = read_columns(columns), run_names == "tag"
    text = ReadOptions(separator, extra_fields=further, types=types, by_tag=by_tag, columns=column_names)
    runs = _Reader(format, check_order(ties, order), text, qrels, run_names, merging).read(data)
    return _fix_name(require_one(runs), name)


@suggest_keywords
def read_runs(
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    format: str | None = None,
    *,
    ties: Ties | None = None,
    order: RankBy | None = None,
    separator: str | None = None,
    types: bool = False,
    qrels: Qrels | None = None,
    run_names: RunNames = "tag",
    chunks: ChunksLike = None,
    chunk_score: ChunkScore | None = None,
    duplicates: Duplicates = "error",
    columns: ColumnsLike | None = None,
    look: bool = True,
) -> list[Run]:
    """Read one or several runs (a list, or a dict from names) under unique names.

    Lines with several tags are several runs, each named by its tag, or by the path if tags clash
    or are missing. With `run_names` ``file``, a file is one run, named by its path. A directory
    with one directory per topic, as in NTCIREVAL, stands for all runs in it. Without `look`, text
    is read when it is used, and may then contain several runs: see `call_with_split`. The other
    options are those of `read_run`.

    >>> rows = [("q1", "Q0", "d1", 1, 0.9, "bm25"), ("q1", "Q0", "d1", 1, 0.5, "dense")]
    >>> read_runs(rows)
    [Run 'bm25', Run 'dense']
    """
    check_choice("run_names", run_names, RunNames)
    merging = Merging(chunks, chunk_score, duplicates)
    column_names, by_tag = read_columns(columns), run_names == "tag"
    text = ReadOptions(separator, types=types, by_tag=by_tag, columns=column_names)
    reader = _Reader(format, check_order(ties, order), text, qrels, run_names, merging)
    named_runs = name_runs(_expand_directories(runs), qrels)
    check_distinct_paths(data for _, _, data in named_runs if isinstance(data, str | os.PathLike))
    all_runs: list[Run] = []
    for name, location, data in named_runs:
        read = reader.read(data, location)
        all_runs += read if name is None else [_fix_name(require_one(read, name), name)]
    distinct_runs = resolve_names(all_runs)
    return call_with_split(distinct_runs, _read_all) if look else distinct_runs


def _expand_directories(runs: Any) -> Any:
    """Replace each directory with the runs in it."""
    if isinstance(runs, str | os.PathLike):
        return list_runs(runs)
    if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        return [path for run in runs for path in list_runs(run)]
    return runs


def _read_all(runs: Sequence[Run]) -> list[Run]:
    """Read all lines of runs that may contain other tags."""
    for run in runs:
        if isinstance(run, TableRun) and run.load_runs is not None:
            for _ in run.iterate_tables():
                pass
    return list(runs)


def call_with_split(runs: Sequence[Run], use: Callable[[Sequence[Run]], T]) -> T:
    """Return `use(runs)`, with each text that contains several runs split by tag.

    A text is read when it is used. Its tags, one for each run, are known only then.
    """
    try:
        return use(runs)
    except SeveralRuns:
        split_runs = [part for run in runs for part in run.split_by_tag()]
        if len(split_runs) == len(runs):
            raise
        return use(resolve_names(split_runs))


@dataclass(frozen=True)
class _Reader:
    """Options for reading runs."""

    format: str | None
    ties: Reading | None
    text: ReadOptions
    qrels: Qrels | None
    names: RunNames | Literal["first"]
    merging: Merging

    def __post_init__(self) -> None:
        if self.ties == "given":
            object.__setattr__(self, "text", replace(self.text, ordered=True))
        if self.merging.duplicates != "error":
            object.__setattr__(self, "text", replace(self.text, allows_duplicates=True))

    def read(self, data: RunLike, location: str = "run") -> Sequence[Run]:
        """Return the runs in the data. A text counts as one run until it is used."""
        runs = self._read_data(data, location)
        return [self._apply_merging(run) for run in runs] if self.merging.is_needed else runs

    def _apply_merging(self, run: Run, repeated: Mapping[str, int] = {}) -> Run:
        """Return the run with merging of lines."""
        if run.merging is not None:
            if not run.merging.has_same_options(self.merging):
                raise InputError.from_problem(
                    f"run {run.name!r} was read with other chunks or duplicates",
                    "Use the same options.",
                )
            return run
        order: Order = "given" if run.keeps_order else "rank" if run.by_rank else "score"
        merging = self.merging.with_order(order, run.where)
        if isinstance(run, ListRun):
            return run.merge_chunks(merging, repeated)
        return replace(run, merging=merging)

    def _read_data(self, data: RunLike, location: str) -> Sequence[Run]:
        if isinstance(data, Run):
            return [self._update_run(data)]
        if is_ranx(data):
            return [self._read_memory(to_plain(data, "run", location), location, data.name)]
        data = to_plain(data, "run", location)
        if catalogues.is_catalogue_name(data):
            return [self._read_memory(list(catalogues.read_scores(data)), data, None)]
        if isinstance(data, str | os.PathLike):
            return self._read_file(Source.from_path(data))
        if are_numbers(data):
            read = partial(letor.to_predictions, data)
            return [_read_predictions(read, self.qrels, self.ties, location)]
        if is_frame(data):
            return self._from_frame(tidy_frame(data, "run", location, self.text), location)
        if is_shaped(data):
            shaped = read_object_records(data, "run", location, self.text)
            good = collect_records(check_records(shaped, "run", location, self.text))
            return self._from_records(good, list_object_topics(data, "run", location, self.text), location)
        return [self._read_memory(value, location, tag) for tag, value in self._split_rows(data, location)]

    def _read_memory(self, data: Any, location: str, tag: str | None) -> Run:
        scored = not is_listed(data)
        merging = self._order_merging()
        unique, repeated = drop_duplicates(data, merging) if self.text.allows_duplicates else (data, {})
        lists = to_nested(unique, "run", location, self.text)[0]
        ranked_rows = find_ranked_rows(data, self.text) if scored else []
        if self.ties == "rank" and ranked_rows and len(ranked_rows) == sum(map(len, lists.values())):
            return self._build_run(replace(_build_table(ranked_rows, True, False), tag=tag), location)
        run = self._from_lists(lists, scored, location, tag, repeated)
        return replace(run, disagreement=compare_ranks(_collect_ranks(ranked_rows).items()))

    def _order_merging(self) -> Merging:
        return replace(self.merging, order="given" if self.ties == "given" else "score")

    def _update_run(self, run: Run) -> Run:
        ties = self.ties
        if (ties == "rank" and not run.by_rank) or (ties in BY_SCORE and run.by_rank):
            name = "score" if ties in BY_SCORE else ties
            option_text = format_option(f"--order {name}", f'order="{name}"')
            problem = f"run {run.name!r} is already read"
            raise InputError.from_problem(problem, f"Pass {option_text} to read_run.")
        stable = run.stable if ties in (None, "score") else ties == "file"
        keeps_order = run.keeps_order or ties == "given"
        return replace(run, keeps_order=keeps_order, stable=stable, declared=True)

    def _split_rows(self, data: Any, location: str) -> Iterable[tuple[str | None, Any]]:
        """Split rows in memory by tag."""
        in_rows = isinstance(data, Iterable) and not isinstance(data, Mapping | str | bytes)
        if self.names != "tag" or not in_rows:
            return [(None, data)]
        rows, width = list(data), len(TREC["run"])
        if not rows or not all(isinstance(row, Sequence) and len(row) == width for row in rows):
            return [(None, rows)]
        groups: dict[str | None, list[Any]] = {}
        for row in rows:
            groups.setdefault(None if row[-1] is None else str(row[-1]), []).append(row)
        check_tag_count(groups, location)
        return groups.items()

    def _from_lists(
        self,
        lists: Nested,
        scored: bool,
        location: str,
        tag: str | None = None,
        repeated: Mapping[str, int] = {},
    ) -> Run:
        ties = self.ties
        check_not_empty(lists, "results", location)
        if ties is not None and (ties == "rank" or (ties in BY_SCORE and not scored)):
            raise make_missing_error(ties, location)
        keeps_order, stable = ties == "given" or not scored, ties == "file"
        run = ListRun(tag or location, lists, keeps_order=keeps_order, where=location, stable=stable)
        return self._apply_merging(run, repeated) if self.merging.is_needed else run

    def _from_table(self, table: Table, location: str) -> list[Run]:
        if self.names != "tag":
            tag = table.tag if self.names == "first" else None
            return [self._build_run(replace(table, tag=tag, tags=None), location)]
        tables: dict[str, Table] = {}
        for part in table.split_by_tag():
            tables[part.tag or ""] = part
            check_tag_count(tables, location)
        return [self._build_run(part, location) for part in tables.values()]

    def _from_frame(self, frame: TidyFrame, location: str) -> list[Run]:
        """Return the runs of a frame. A long frame is read in parts."""
        if not frame.is_long or (self.names == "tag" and frame.has_several_runs):
            return self._from_table(frame.to_table(), location)
        first = next(frame.iter_parts())()
        first = first if self.names != "file" else replace(first, tag=None)
        return [self._build_run(first, location, frame.iter_parts)]

    def _build_run(self, table: Table, location: str, parts: Callable[[], Iterator[Part]] | None = None) -> TableRun:
        """Return the run of a table, or of parts that start with this table."""
        ties = self.ties
        if ties is not None and ties in BY_SCORE and not table.scored:
            raise make_missing_error(ties, location)
        if ties is None and not table.scored:
            ties = "given" if table.ranks is None else "rank"
        ranked = apply_order(table, ties, location)
        run = _build_table_run(table.tag or location, [lambda: ranked], ties, location)
        if parts is not None:
            run = replace(run, parts=parts)
            run = run.change_parts(lambda part: apply_order(part, ties or "trec", location))
        return replace(run, in_doubt=table.doubts)

    # -- files ------------------------------------------------------------------------------------

    def _read_file(self, source: Source) -> Sequence[Run]:
        """Read a file as columns.

        If it is irregular, read records, so that errors have lines.
        """
        forced, qrels = self.format, self.qrels
        decision = detect_format(source, forced, self.text, "run")
        format, text = decision.format, decision.options
        learnt = qrels is not None and qrels.lines is not None and format is not DIRECTORIES
        if format is LETOR or (learnt and forced is None and self._is_prediction_file(source, decision)):
            read, location = partial(letor.read_predictions, source), source.name
            return [replace(_read_predictions(read, qrels, self.ties, location), source=source)]
        if format.streams_runs and text.separator is None:
            return [self._stream_file(source, format, text)]
        try:
            runs = self._read_tables(source, format, text)
        except Irregular:
            runs = self._read_records(source, format, text)
        sourced = [replace(run, source=source) for run in runs]
        return [replace(run, format=format, text=text) if isinstance(run, TableRun) else run for run in sourced]

    def _is_prediction_file(self, source: Source, decision: DetectedFormat) -> bool:
        """Return True if a file has predictions for LETOR data, valid or not."""
        is_text = decision.format.streams_runs and decision.options.separator is None
        return letor.has_predictions(source) or (is_text and letor.can_be_predictions(source))

    def _read_tables(self, source: Source, format: Format, text: ReadOptions) -> list[Run]:
        location = source.name
        lists = read_plain_lists(source, text) if format is JSON and self.ties != "rank" else None
        if lists is not None:
            return [self._from_lists(lists, True, location)]
        if format.read_piece is not None and text.separator is None:
            return self._read_pieces(source, format, text)
        if (tabular := format.get_tabular(text)) is None:
            return self._from_table(format.read_table(source, "run", text), location)
        if (parts := tabular.get_parts(source, "run", text)) is None:
            return self._from_frame(tabular.read_tidy(source, "run", text), location)
        first = next(parts())()
        run = replace(self._build_run(first, location, parts), source=source, format=format, text=text)
        return [self._expect_tags(run, first.tag, location)]

    def _read_pieces(self, source: Source, format: Format, text: ReadOptions) -> list[Run]:
        """Return the runs of rows on lines. Only the first piece of a long file is kept."""
        location = source.name
        pieces = format.iter_parts(source, "run", text)
        if (read := next(pieces, None)) is None:
            raise Irregular
        first = read()
        if next(pieces, None) is None:
            return self._from_table(first, location)

        def iter_parts() -> Iterator[Part]:
            pieces = islice(format.iter_parts(source, "run", text), 1, None)
            yield lambda: first
            yield from (partial(_apply_check, check, piece) for piece in pieces)

        check = partial(_reject_other_columns, first, location)
        named = first if self.names != "file" else replace(first, tag=None)
        run = replace(self._build_run(named, location, iter_parts), source=source, format=format, text=text)
        return [self._expect_tags(run, first.tag, location)]

    def _stream_file(self, source: Source, format: Format, text: ReadOptions) -> TableRun:
        """Return a run in parts, which are read when it is evaluated and not kept."""
        ties, location = self.ties, source.name
        first = next(format.iter_records(source, "run", text), None)
        if not isinstance(first, Record):
            raise format.get_error(source, "run", text)
        if ties is not None and ties in BY_SCORE and first.value is None:
            raise make_missing_error(ties, location)
        ties = "rank" if ties is None and first.value is None else ties
        tag = first.tag
        name = location if self.names == "file" or tag is None else tag
        run = replace(_build_table_run(name, (), ties, location), source=source, format=format, text=text)
        run = replace(run, parts=lambda: format.iter_parts(source, "run", text))
        run = run.change_parts(lambda table: apply_order(table, ties, location))
        return self._expect_tags(run, tag, location)

    def _expect_tags(self, run: TableRun, tag: str | None, location: str) -> TableRun:
        """Return a run in parts that may contain other tags than the first."""
        if self.names != "tag":
            return run
        return replace(run.change_parts(partial(_check_tag, tag, location)), load_runs=partial(_split_run, run))

    def _read_records(self, source: Source, format: Format, text: ReadOptions) -> list[Run]:
        """Read record by record, so that errors have line numbers."""
        good = collect_records(format.check_records(source, "run", text))
        return self._from_records(good, format.list_topics(source, "run", text), source.name)

    def _from_records(self, good: ValidRecords, topics: Iterable[str] | None, location: str) -> list[Run]:
        records, _, in_doubt = good
        scored = all(r.value is not None for r in records)
        has_tags = self.names == "tag" and len({r.tag for r in records}) > 1
        if topics is not None and not has_tags and (self.ties != "rank" or not records):
            lists, repeated = merge_pairs(_collect_pairs(records, topics), self._order_merging())
            tag = records[0].tag if records and self.names != "file" else None
            run = self._from_lists(lists, scored, location, tag, repeated)
            disagreement = compare_ranks(_collect_ranks(records).items()) if scored else NO_DISAGREEMENT
            return [replace(run, in_doubt=in_doubt, disagreement=disagreement)]
        if self.ties == "rank" and (unranked := [r for r in records if r.rank is None]):
            raise make_missing_error("rank", location, unranked[0].line)
        table = replace(_build_table(records, scored, self.text.types), doubts=in_doubt)
        return self._from_table(table, location)


def _collect_pairs(records: Sequence[Record], topics: Iterable[str]) -> dict[str, list[tuple[str, float]]]:
    """Return documents and values by topic.

    Records do not show topics without documents.

    Without scores, the order is that of the ranks, or of the input.
    """
    pairs: dict[str, list[tuple[str, float]]] = {topic: [] for topic in topics}
    if any(r.value is None for r in records):
        records = sorted(records, key=lambda r: r.rank or 0)
    for place, r in enumerate(records):
        pairs[r.topic].append((r.doc, -float(place) if r.value is None else r.value))
    return pairs


def _collect_ranks(records: Sequence[Record]) -> dict[str, list[tuple[float, float]]]:
    """Return the rank and score of each document that has both, by topic."""
    ranks: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        if record.rank is not None and record.value is not None:
            ranks.setdefault(record.topic, []).append((record.rank, record.value))
    return ranks


def _apply_check(check: Callable[[Table], Table], part: Part) -> Table:
    return check(part())


def _reject_other_columns(first: Table, location: str, table: Table) -> Table:
    """Return a part of a file. Raise an error if its columns are not those of the first part."""
    reject_mixed_parts([first, table])
    if other_columns := set(filter(None, table.doubts.split("; "))) - set(first.doubts.split("; ")):
        problem = f"later lines have other columns: {', '.join(sorted(other_columns))}"
        raise InputError.from_problem(problem, "Name the columns with --columns.", location)
    return table


def _check_tag(tag: str | None, location: str, table: Table) -> Table:
    """Return the table if all its lines have the tag."""
    if table.tags is not None or (len(table) and (table.tag or "") != (tag or "")):
        other_tags = [table.tag or ""] if table.tags is None else table.tags[table.tags.find_changes()]
        raise SeveralRuns(list(dict.fromkeys([tag or "", *other_tags])), location)
    return table


def _split_run(run: TableRun) -> list[Run]:
    """Return the runs of a text, in memory if there are several."""
    tags: dict[str, None] = {}
    for table in run.iterate_tables():
        tags |= dict.fromkeys(part.tag or "" for part in table.split_by_tag() if len(part))
        check_tag_count(tags, run.where)
    if len(tags) == 1:
        return [run]
    parts: dict[str, list[Part]] = {tag: [] for tag in tags}
    for table in run.iterate_tables():
        for part in table.split_by_tag():
            if len(part):
                parts[part.tag or ""].append(partial(_return_table, part.copy()))
    return [replace(run, name=tag, parts=partial(iter, tag_parts)) for tag, tag_parts in parts.items()]


def _return_table(table: Table) -> Table:
    return table


def _fix_name(run: Run, name: str | None) -> Run:
    """Return the run under one name. Other tags in its file become errors."""
    run = replace(run, load_runs=None) if isinstance(run, TableRun) else run
    return replace(run, name=name) if name else run


def _build_table_run(name: str, parts: Sequence[Part], ties: Reading | None, location: str) -> TableRun:
    keeps_order, stable = ties == "given", ties == "file"
    return TableRun(
        name,
        lambda: iter(parts),
        keeps_order=keeps_order,
        where=location,
        stable=stable,
        by_rank=ties == "rank",
    )


def _read_predictions(
    read: Callable[[int, str, str], Floats],
    qrels: Qrels | None,
    ties: Reading | None,
    location: str,
) -> Run:
    """Read one number for each judgment of LETOR data as a run."""
    if qrels is None or qrels.lines is None:
        expected = "documents with their scores, or LETOR data as judgments"
        hint = format_option("", "for arrays, use cf.evaluate_arrays(y_true, y_score, group)")
        raise InputError("predictions", expected, location, hint=hint)
    if ties == "rank":
        raise make_missing_error(ties, location)
    values = read(len(qrels.levels), qrels.where, location)[qrels.lines]
    cuts = np.searchsorted(qrels.offsets, np.arange(0, len(values), PART))
    bounds = np.unique(np.append(cuts, len(qrels.topics))).tolist()
    tables = [partial(_build_topic_table, values, qrels, *bound) for bound in pairwise(bounds)]
    return _build_table_run(location, tables, "file" if ties in (None, "score") else ties, location)


def _build_topic_table(values: Floats, qrels: Qrels, first: int, stop: int) -> Table:
    """Return a table of topics first..stop-1 of the judgments, with other values."""
    begin, end = qrels.offsets[[first, stop]].tolist()
    docs = qrels.docs[begin:end]
    starts = qrels.offsets[first:stop] - begin
    topics = Strings.from_list(qrels.topics[first:stop])
    return Table(topics, starts, docs, docs.compute_hashes(), values[begin:end])


def _build_table(records: Sequence[Record], scored: bool, typed: bool) -> Table:
    topics, docs = (Strings.from_list([getattr(r, name) for r in records]) for name in ("topic", "doc"))
    ranks, types = [record.rank for record in records], [record.type or "" for record in records]
    tags = [record.tag or "" for record in records]
    return replace(
        Table.from_columns(docs, np.array([record.value or 0.0 for record in records]), topics),
        ranks=None if None in ranks else np.array(ranks),
        tag=records[0].tag,
        scored=scored,
        types=Strings.from_list(types) if typed and any(types) else None,
        tags=Strings.from_list(tags) if len({*tags}) > 1 else None,
    )
