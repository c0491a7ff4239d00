"""Per-topic scores from files of other tools."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import chain, product
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.data.folding import explain_folded, match_folded
from cranfield.data.qrels import Qrels
from cranfield.data.reading.adapters import is_ranx, to_records, to_score_mapping
from cranfield.data.reading.lines import Line
from cranfield.data.reading.signatures import detect_record
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.replicates import Cells, Replicate, Values, average_replicates, make_cell
from cranfield.data.results import LAYOUT, make_not_scores_error, read_results
from cranfield.data.run import Run
from cranfield.data.score_rows import ALL, ItemCheck, ReadLog, Result
from cranfield.data.systems import RunNames, check_distinct_paths, resolve_names
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, check_choice
from cranfield.evaluation.attributes import attach_clusters
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measure, split_name
from cranfield.records.content import iter_topic_rows, read_sidecar
from cranfield.records.record import Record
from cranfield.scores import Facts, Note, Scores, note_topics
from cranfield.wording import format_names, format_option, suggest_keywords

Missing: TypeAlias = Literal["error", "common", "zero"]
Replicates: TypeAlias = Literal["mean", "apart"]
ScoresLike: TypeAlias = Any  # Scores, paths, {run: …}, frames
Reader: TypeAlias = Callable[..., Iterator[Result]]

_RECORD = re.compile(rb'\s*\{\s*"schema"\s*:\s*"\d')
IN_MEMORY = "scores"  # location of scores without a file
NO_SCORES = "to compute scores from judgments and runs, use evaluate(qrels, runs)"


@suggest_keywords
def read_scores(
    data: ScoresLike,
    missing: Missing = "error",
    measures: str | Sequence[Any] | None = None,
    lower: str | Sequence[Any] = (),
    run_names: RunNames = "tag",
) -> Scores:
    """Read per-topic scores of other tools.

    `data` is one or several paths: output of ``trec_eval -q``, ndeval, gdeval, ir_measures or
    NTCIREVAL, a table (CSV, TSV, JSONL, Parquet, Arrow) with the columns run, topic, measure and
    value or with a column per measure, or a file of `Scores.save`. It can also be ``{run: …}`` with
    a path, ``{topic: value}``, ``{topic: {measure: value}}`` or ``{measure: {topic: value}}`` per
    run, or a Polars or pandas frame. Runs are named by ``runid`` or by a column. Without names, if
    names clash, and with ``run_names="file"``, they are named by path.

    Tables can have replicates. The score of a topic is the mean over its values in a column ``epoch``,
    ``repeat``, ``replicate`` or ``iteration``. Several values in a column ``seed`` are several runs,
    named ``RUN/SEED``.

    All runs need the same topics. `missing` topics are an ``error`` (default), excluded for all
    runs (``common``), or ``zero``. A value that no run has is undefined, not missing. `measures`
    selects measures by their names in the files (``"hit=Success@10"`` renames a column). Default:
    all measures that every run has. Unknown measures: higher is better, except for measures in
    `lower`.

    >>> read_scores({"bm25": {"301": 0.5, "302": 0.25}, "dense": {"301": 0.75, "302": 0.5}}).mean()
    {'bm25': {'score': 0.375}, 'dense': {'score': 0.625}}
    """
    check_choice("missing", missing, Missing)
    check_choice("run_names", run_names, RunNames)
    return _read(data, missing, measures, lower, run_names)


def read_replicates(
    data: ScoresLike,
    missing: Missing = "error",
    measures: str | Sequence[Any] | None = None,
    lower: str | Sequence[Any] = (),
    run_names: RunNames = "tag",
    replicates: Replicates = "apart",
) -> tuple[Scores, dict[str, str]]:
    """Read scores as `read_scores` does. Also return the system of each run.

    Each seed of a system is a run ``SYSTEM/SEED``. Other replicates, such as epochs, are averaged
    (``mean``), or also runs (``apart``). The system of a run without replicates is the run.

    >>> rows = [{"run": "a", "topic": "1", "seed": s, "AP": ap} for s, ap in ((1, 0.5), (2, 1.0))]
    >>> read_replicates(rows)[1]
    {'a/1': 'a', 'a/2': 'a'}
    """
    systems: dict[str, str] = {}
    scores = _read(data, missing, measures, lower, run_names, replicates, systems)
    return scores, systems or {run: run for run in scores.runs}


def read_incomplete(data: ScoresLike, measures: Any = None, lower: Any = (), run_names: RunNames = "tag") -> Scores:
    """Read scores as `read_scores` does. Missing values are NaN.

    >>> read_incomplete({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75}}).values.tolist()
    [[[0.5], [0.25]], [[0.75], [nan]]]
    """
    return _read(data, "nan", measures, lower, run_names)


def _read(
    data: ScoresLike,
    missing: Missing | Literal["nan"],
    measures: str | Sequence[Any] | None,
    lower: str | Sequence[Any],
    run_names: RunNames,
    replicates: Replicates = "mean",
    systems: dict[str, str] | None = None,
) -> Scores:
    """Read scores. Missing values are an error, excluded, 0 or NaN. `systems` collects the systems of runs."""
    if isinstance(data, Scores):
        scores = _set_lower(data, lower)
        if measures is None:
            return scores
        return _rename_columns(scores.select(measures=choose_columns(scores.measures, measures)), measures)
    names = () if measures is None else _list_names(measures)
    log = ReadLog()
    read = partial(
        read_results,
        is_measure=lambda name: name in names or _is_known(name),
        is_wanted=_make_selector(measures),
        run_names=run_names,
        log=log,
    )
    parts = sorted(_iter_parts(data, read, log), key=lambda part: not isinstance(part, _SavedScores))
    if len(parts) == 1 and isinstance(parts[0], _SavedScores) and run_names == "tag":
        return _read(parts[0].scores, missing, measures, lower, run_names)
    for part in parts:
        if isinstance(part, _SavedScores):
            log.add_clusters(part.location, part.scores.clusters)
    rows = (_iter_rows(part, run_names) if isinstance(part, _SavedScores) else part for part in parts)
    items = ItemCheck()
    results = items.check(chain.from_iterable(rows))
    table = _ResultValues.from_results(map(_convert_to_seed, results) if replicates == "apart" else results)
    if systems is not None:
        systems |= table.systems
    scores = _collect_scores(table, missing, measures, lower)
    different = (Note("other-items", text) for text in items.list_warnings())
    notes = (*_note_exclusions(log), *different, *_note_suspected_summaries(scores), *_note_suspected_failures(scores))
    scores = _attach_clusters(replace(scores, notes=(*scores.notes, *notes)), log)
    return _rename_columns(scores, measures)


def _attach_clusters(scores: Scores, log: ReadLog) -> Scores:
    """Return scores with the clusters in the files, if any. Every topic needs a cluster."""
    clusters = {topic: log.clusters[topic][0] for topic in scores.topics if topic in log.clusters}
    return attach_clusters(scores, clusters) if clusters else scores


SUMMARY_WORDS = ("mean", "amean", "average", "avg")
ROUNDING = 1e-4  # of values that tools print


def _note_exclusions(log: ReadLog) -> Iterator[Note]:
    """Note decisions, and summary rows except ``all`` in files: no topic has this name."""
    yield from (Note("reading", text) for text in log.list_decisions())
    for (location, name), in_file in log.excluded.items():
        if name != ALL or not in_file:
            yield Note("summary-rows", f"{location}: summary row {name!r} excluded")


def _note_suspected_failures(scores: Scores) -> Iterator[Note]:
    """Warn of −1 among scores in [0, 1]: failed LLM judges write it."""
    for m, measure in enumerate(scores.measures):
        values = scores.values[:, :, m]
        failed = values == -1
        others = values[~failed & ~np.isnan(values)]
        if failed.any() and others.size and ((others >= 0) & (others <= 1)).all():
            count = f"{failed.sum()} of {failed.sum() + others.size} scores are −1"
            text = f"{measure}: {count}, the others from 0 to 1. −1 is averaged"
            yield Note("failed", f"{text}. If the judge failed, remove these scores.")


def _note_suspected_summaries(scores: Scores) -> Iterator[Note]:
    """Warn of topics named mean that have the mean values of the other topics."""
    suspects = [topic for topic in scores.topics if topic.lower() in SUMMARY_WORDS]
    is_other = [topic not in suspects for topic in scores.topics]
    values = scores.values[:, :, [summary == "mean" for summary in scores.summaries]]
    if not suspects or sum(is_other) < 2 or not values.size or np.isnan(values).any():
        return
    means = values[:, is_other].mean(axis=1)
    for topic in suspects:
        if np.allclose(values[:, scores.topics.index(topic)], means, 0, ROUNDING):
            text = f"topic {topic!r} has the mean values of the other topics and counts as a topic"
            yield Note("summary-topic", f"{text}. If it is a summary, remove its rows.")


class _SavedScores(NamedTuple):
    """Scores computed by cranfield, and their location."""

    scores: Scores
    location: str = IN_MEMORY


def _iter_parts(data: ScoresLike, read: Reader, log: ReadLog) -> Iterator[_SavedScores | Iterable[Result]]:
    """Yield the scores or results of each file, frame or run."""
    _reject_run(data)
    data = _to_plain(data)
    if isinstance(data, str | os.PathLike):
        yield _read_file(data, read, log)
    elif is_frame(data) or detect_record(data, IN_MEMORY) is not None:
        yield read(data)
    elif isinstance(data, Mapping):
        for run, items in data.items():
            yield _read_run(str(run), items, read)
    elif isinstance(data, Iterable):
        items = list(data)
        for x in items[:1]:
            _reject_run(x)
        _reject_unnamed(items, "")
        if any(map(_is_part, items)):
            check_distinct_paths((x for x in items if isinstance(x, str | os.PathLike)), "file")
            for x in items:
                yield from [_SavedScores(x)] if isinstance(x, Scores) else _iter_parts(x, read, log)
        else:
            yield read(items)
    else:
        expected = "scores: paths, a mapping or a frame"
        raise InputError(type(data).__name__, expected, hint=NO_SCORES)


def _to_plain(data: ScoresLike) -> Any:
    """Return the scores of a run of ranx, columns and named tuples as mappings and records."""
    return data if is_frame(data) else to_records(to_score_mapping(data), LAYOUT.is_header)


def _is_part(item: Any) -> bool:
    """Return True for a file, a frame or other scores with their own runs."""
    return isinstance(item, str | os.PathLike | Scores) or is_frame(item) or is_ranx(item)


def _read_run(run: str, source: Any, read: Reader) -> Iterator[Result]:
    """Read the results of one run under the given name."""
    _reject_run(source, run)
    _reject_unnamed(source, f" for run {run}")
    for result in read(next(iter(to_score_mapping(source).values())) if is_ranx(source) else source, run):
        yield result._replace(run=run)


def _reject_run(source: Any, location: str | None = None) -> None:
    """Raise an error for a run or judgments that have been read."""
    if isinstance(source, Run | Qrels):
        kind = "qrels" if isinstance(source, Qrels) else "a run"
        raise make_not_scores_error(f"found {kind}, expected scores", location)


def _reject_unnamed(source: Any, suffix: str) -> None:
    """Raise an error for numbers without topics."""
    if not isinstance(source, Collection) or isinstance(source, str | Mapping) or is_frame(source):
        return
    first = next(iter(source), None)
    row = first if isinstance(first, list | np.ndarray) else [first]
    if all(isinstance(x, Real) for x in row):
        problem = f"{type(source).__name__} of numbers{suffix}"
        raise InputError(problem, "{topic: score}, because runs are paired by topic")


def _read_file(path: str | os.PathLike[str], read: Reader, log: ReadLog) -> _SavedScores | Iterable[Result]:
    source = Source.from_path(path)
    if source.start.startswith(b"PAR1") and source.path.endswith(".parquet"):
        with suppress(InputError):  # a table of another tool
            return _SavedScores(Scores.load(source), source.name)
    if source.start.lstrip().startswith(b'{"runs"'):
        text = source.read()
        if b'"values"' in text:
            return _SavedScores(Scores.from_json(text.decode("utf-8", "replace")), source.name)
    if _RECORD.match(source.start):
        return _read_record(source, log)
    return read(source)


def _read_record(source: Source, log: ReadLog) -> Iterator[Result]:
    """Yield the values of topics in a record, from its sidecar if it has one."""
    record, line = Record.read(source.path), Line(source.name, None, {})
    if record.compute_id() != record.id:
        problem = "the id does not match the content: the record was changed"
        raise InputError.from_problem(problem, "Use the original record.", source.name)
    rows = [*iter_topic_rows(record.data["result"])] or read_sidecar(record)
    if not rows:
        problem = f"record of {record.data['command']} without scores of topics"
        raise InputError.from_problem(problem, "Use the record of an evaluation.", source.name)
    log.read_clusters(source.name, record.data["result"])
    for run, topic, measure, value in rows:
        yield Result(run, topic, measure, math.nan if value is None else float(value), line)


def _iter_rows(saved: _SavedScores, run_names: RunNames) -> Iterator[Result]:
    scores, line = saved.scores, Line(saved.location, None, {})
    by_file = run_names == "file" and saved.location != IN_MEMORY
    runs = [saved.location if by_file else run for run in scores.runs]
    names = product(runs, scores.topics, scores.measures)
    for of_value, value in zip(names, scores.values.ravel().tolist(), strict=True):
        yield Result(*of_value, value, line)


def _collect_scores(
    table: _ResultValues,
    missing: Missing | Literal["nan"],
    measures_given: str | Sequence[Any] | None,
    lower: str | Sequence[Any],
) -> Scores:
    lower_measures = _choose_columns(table.names, lower)
    measures, measure_notes = _choose_complete(
        table, _choose_columns(table.names, measures_given), is_selection=measures_given is not None
    )
    topics, notes = _choose_topics(table, measures, missing)
    fill = math.nan if missing == "nan" else 0.0
    rows = [[table.build_row(run, topic, measures, fill) for topic in topics] for run in table.by_run]
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(topics), len(measures))
    summed_up = [*map(_describe_measure, measures)]
    guesses = [m for m in measures if m not in lower_measures and _is_guess(m)]
    scores = Scores(
        values,
        tuple(table.by_run),
        tuple(topics),
        tuple(measures),
        tuple(summary for summary, _ in summed_up),
        "skip" if np.isnan(values).any() else "zero",
        (*table.notes, *measure_notes, *notes, *_note_guesses(guesses)),
        tuple(better for _, better in summed_up),
        systems=dict(table.systems) if len({*table.systems.values()}) < len(table.systems) else {},
    )
    return _set_lower(scores, [m for m in lower_measures if m in measures])


@dataclass(frozen=True, eq=False)
class _RunValues:
    """The values of a run in a file."""

    name: str
    where: str
    system: str  # of several seeds, or the run
    values: Cells


def _merge_by_run(parts: Iterable[_RunValues]) -> list[_RunValues]:
    """Merge the parts of each run. Overlapping parts are different runs."""
    parts_of: dict[str, list[_RunValues]] = {}
    for part in parts:
        parts_of.setdefault(part.name, []).append(part)
    merged = [[_merge_parts(run_parts)] if _has_no_overlap(run_parts) else run_parts for run_parts in parts_of.values()]
    return resolve_names([*chain(*merged)], IN_MEMORY)


def _has_no_overlap(parts: Sequence[_RunValues]) -> bool:
    """Return True if no two parts have a value of the same topic, measure and replicate."""
    cells = [(topic, cell) for part in parts for topic, of_topic in part.values.items() for cell in of_topic]
    return len(parts) == 1 or len({*cells}) == len(cells)


def _merge_parts(parts: Sequence[_RunValues]) -> _RunValues:
    values: Cells = {}
    for part in parts:
        for topic, of_topic in part.values.items():
            values.setdefault(topic, {}).update(of_topic)
    return replace(parts[0], values=values)


def _split_seeds(parts: Mapping[tuple[str, Replicate | None, str], Cells]) -> Iterator[_RunValues]:
    """Yield the parts of runs. A run with several seeds is a system of runs ``RUN/SEED``."""
    seeds: dict[str, set[Replicate | None]] = {}
    for run, seed, _ in parts:
        seeds.setdefault(run, set()).add(seed)
    for (run, seed, location), values in parts.items():
        name = run if seed is None or len(seeds[run]) == 1 else f"{run}/{seed.label}"
        yield _RunValues(name, location, run, values)


def _convert_to_seed(result: Result) -> Result:
    """Return the result with its replicate as a seed."""
    if result.replicate is None:
        return result
    return result._replace(replicate=None, seed=result.replicate.join(result.seed))


@dataclass(frozen=True, eq=False)
class _ResultValues:
    """The values of all results. None is an undefined value."""

    by_run: Mapping[str, Mapping[str, Mapping[str, float | None]]]  # run -> topic -> measure
    names: list[str]  # of all measures
    systems: Mapping[str, str]  # of runs
    notes: tuple[Note, ...] = ()  # on replicates

    @classmethod
    def from_results(cls, results: Iterable[Result]) -> _ResultValues:
        """Collect results. Replicates are averaged."""
        parts: dict[tuple[str, Replicate | None, str], Cells] = {}  # of each run and seed in each file
        names: dict[str, None] = {}
        for name, topic, measure, value, line, replicate, seed in results:
            run = name or "run"
            of_topic = parts.setdefault((run, seed, line.location), {}).setdefault(topic, {})
            cell = make_cell(measure, replicate)
            if cell in of_topic:
                again = f" and {replicate}" if replicate is not None else ""
                raise line.make_error(f"{measure} of topic {topic}{again} again for run {run}", "each once")
            of_topic[cell] = value
            names[measure] = None
        if not parts:
            raise InputError.from_problem("no per-topic scores", "For trec_eval, use -q.")
        by_run: dict[str, Values] = {}
        systems: dict[str, str] = {}
        notes: list[Note] = []
        for part in _merge_by_run(_split_seeds(parts)):
            by_run[part.name], text = average_replicates(part.values)
            systems[part.name] = part.system
            if text:
                notes.append(Note("replicates", f"{part.name}: {text}", part.name))
        return cls(by_run, list(names), systems, tuple(notes))

    def list_measures(self, run: str, topic: str) -> set[str]:
        """Return the measures with a value."""
        of_topic = self.by_run[run].get(topic, {})
        return {measure for measure, value in of_topic.items() if value is not None}

    @cached_property
    def measures_of(self) -> dict[str, set[str]]:
        """The measures of each topic with a value in any run. All others are undefined."""
        measures_of: dict[str, set[str]] = {}
        for run, of_run in self.by_run.items():
            for topic in of_run:
                measures_of.setdefault(topic, set()).update(self.list_measures(run, topic))
        return measures_of

    def build_row(self, run: str, topic: str, measures: Sequence[str], missing: float = 0.0) -> list[float]:
        """Return the values of a topic. Missing values are `missing`, undefined ones NaN."""
        values = dict.fromkeys(self.measures_of[topic], missing)
        of_topic = self.by_run[run].get(topic, {})
        values |= {m: value for m, value in of_topic.items() if value is not None}
        return [values.get(m, math.nan) for m in measures]

    def list_topics(self, measures: Sequence[str]) -> list[str]:
        """Return the topics with these measures, with or without a value."""
        measure_set = set(measures)
        runs = self.by_run.values()
        return [t for t in self.measures_of if any(not measure_set.isdisjoint(x.get(t, ())) for x in runs)]

    def find_missing(self, run: str, topics: Iterable[str], measures: Sequence[str]) -> list[str]:
        """Return the topics for which a run lacks a value that another run has."""
        measure_set = set(measures)
        return [t for t in topics if self.measures_of[t] & measure_set - self.list_measures(run, t)]


def _set_lower(scores: Scores, lower: str | Sequence[Any]) -> Scores:
    """Mark measures as better if lower."""
    if not (lower_measures := _choose_columns(list(scores.measures), lower)):
        return scores
    pairs = zip(scores.measures, scores.better, strict=True)
    return replace(scores, better=tuple("lower" if m in lower_measures else b for m, b in pairs))


def _note_guesses(guesses: Sequence[str]) -> Iterator[Note]:
    if guesses:
        option = format_option("--lower-is-better NAME", "lower=")
        text = f"higher is better. Override this with {option}."
        names = {name: name for name in guesses}
        facts = Facts(f"{{measures:measure}} unknown: {text}", measures=names)
        yield Note.from_facts("guessed", facts)


def _choose_complete(
    table: _ResultValues, measures: list[str], is_selection: bool
) -> tuple[list[str], tuple[Note, ...]]:
    """Return the measures that every run has. A missing measure is not a score of 0."""
    measures_of = {
        run: set().union(*(table.list_measures(run, topic) for topic in of_run)) for run, of_run in table.by_run.items()
    }
    complete = [m for m in measures if all(m in of_run for of_run in measures_of.values())]
    incomplete = [m for m in measures if m not in complete]
    if not incomplete:
        return measures, ()
    if is_selection or not complete:
        run = next(run for run, of_run in measures_of.items() if incomplete[0] not in of_run)
        hint = "" if is_selection else f" ({NO_SCORES})"
        raise InputError(f"no {incomplete[0]} for run {run}", f"it of every run{hint}")
    text = f"{format_names(incomplete, 'measure')} excluded: missing in some runs"
    return complete, (Note("missing-measures", text),)


def _choose_topics(
    table: _ResultValues, measures: Sequence[str], missing: Missing | Literal["nan"]
) -> tuple[list[str], Iterable[Note]]:
    """Return the topics to compare and the notes about missing topics."""
    all_topics = table.list_topics(measures)
    missing_topics = {run: table.find_missing(run, all_topics, measures) for run in table.by_run}
    missing_topics = {run: topics for run, topics in missing_topics.items() if topics}
    if not missing_topics or missing == "nan":
        return all_topics, ()
    if missing == "zero":
        _check_common_topics(table)
        zeros = [
            Note("missing-topics", f"{run}: {format_names(topics, 'topic')} missing, scored 0",
                   run, tuple(topics))
            for run, topics in missing_topics.items()
        ]  # fmt: skip
        return all_topics, (*_note_folded(table, missing_topics), *zeros)
    incomplete = set(chain.from_iterable(missing_topics.values()))
    complete = [topic for topic in all_topics if topic not in incomplete]
    if missing == "error":
        run, topics = next(iter(missing_topics.items()))
        raise _build_missing_error(table, run, topics, measures, bool(complete))
    if not complete:
        raise CranfieldError(f"{format_names(list(table.by_run), 'run')} have no topic in common")
    left_out = [topic for topic in all_topics if topic in incomplete]
    about_topics = note_topics("missing-topics", left_out, "excluded: missing in some runs")
    return complete, (*_note_folded(table, missing_topics), *about_topics)


def _note_folded(table: _ResultValues, missing_topics: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    """Warn of topics with another spelling than in other runs."""
    for run, topics in missing_topics.items():
        if text := explain_folded(match_folded([*table.by_run[run]], topics)):
            yield Note("folded-ids", f"{run}: {text} in other runs", run)


def _build_missing_error(
    table: _ResultValues, run: str, topics: Sequence[str], measures: Sequence[str], common: bool
) -> InputError:
    """Return the error for missing topics. `common`: all runs share some topics."""
    measures_missing = table.measures_of[topics[0]] - table.list_measures(run, topics[0])
    measure = next(m for m in measures if m in measures_missing)
    unnamed = list(measures) == ["score"]  # as for documents in judgments
    hint = NO_SCORES if unnamed and not common else "or --missing common|zero"
    hint = explain_folded(match_folded([*table.by_run[run]], topics)) or hint
    problem = f"no {measure} of {format_names(topics, 'topic')} for run {run}"
    return InputError(problem, f"the same topics of every run ({hint})")


def _check_common_topics(table: _ResultValues) -> None:
    """Raise an error for a run that shares no topic with other runs."""
    runs = Counter(chain.from_iterable(table.by_run.values()))
    for run, of_run in table.by_run.items():
        if all(runs[topic] == 1 for topic in of_run):
            raise InputError.from_problem(f"run {run} has no topic in common with another run")


def _choose_columns(names: list[str], selection: str | Sequence[Any] | None) -> list[str]:
    return names if selection is None else choose_columns(names, selection)


def choose_columns(names: Sequence[str], selection: str | Sequence[Any]) -> list[str]:
    """Return the columns of the requested measures, in any spelling.

    Names with spaces can be written with underscores.

    >>> choose_columns(["map", "P_10"], "P@10 AP")
    ['P_10', 'map']
    >>> choose_columns(["Answer Relevancy", "map"], "map Answer_Relevancy")
    ['map', 'Answer Relevancy']
    """
    columns, requested = [], [name for _, name in _split_names(selection, names)]
    canonical_names = {name: _format_canonical(name) for name in names} if requested else {}
    for name in requested:
        canonical = _format_canonical(name)
        matching = [
            column
            for column, column_canonical in canonical_names.items()
            if name in (column, column.replace(" ", "_")) or column_canonical == canonical
        ]
        if not matching:
            valid_names = ", ".join(names)
            raise InputError.from_problem(f"no scores of {name}", f"Measures: {valid_names}.")
        columns.append(matching[0])
    return columns


def _make_selector(selection: str | Sequence[Any] | None) -> Callable[[str], bool]:
    """Return a predicate for the requested measures."""
    if selection is None:
        return lambda name: True
    names = {*_list_names(selection), *_list_texts(selection)}
    canonical_names = {*map(_format_canonical, names)}
    return cache(
        lambda name: name in names or name.replace(" ", "_") in names or _format_canonical(name) in canonical_names
    )


def _rename_columns(scores: Scores, selection: str | Sequence[Any] | None) -> Scores:
    """Rename the columns as in the requested measures."""
    if selection is None:
        return scores
    new_names = [name for name, _ in _split_names(selection, scores.measures)]
    names = [name or m for name, m in zip(new_names, scores.measures, strict=True)]
    return replace(scores, measures=tuple(names))


def _list_names(selection: str | Sequence[Any]) -> list[str]:
    return [name for _, name in _split_names(selection)]


def _list_texts(selection: str | Sequence[Any]) -> list[str]:
    return [selection] if isinstance(selection, str) else [str(part) for part in selection]


def _split_names(selection: str | Sequence[Any], names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Split the requested measures into (column name, measure). `names` can contain spaces."""
    parts = ([("", text)] if text in names else map(split_name, text.split()) for text in _list_texts(selection))
    return [*chain.from_iterable(parts)]


def _parse_known(name: str) -> Measure | None:
    """Return the measure with this name, or None if unknown."""
    try:
        return parse_measure(name)
    except CranfieldError:
        return None


def _format_canonical(name: str) -> str:
    """Return the canonical name of a measure, or the name itself if unknown."""
    return str(_parse_known(name) or name)


def _is_known(name: str) -> bool:
    return _parse_known(name) is not None


def _is_guess(name: str) -> bool:
    """Return True if higher is better only by default."""
    return name != "score" and not _is_known(name) and _describe_measure(name)[1] == "higher"


def _describe_measure(name: str) -> tuple[str, str]:
    """Return the summary over topics and the better direction, guessed if unknown."""
    measured, _, kind = name.rpartition(".")
    if measured and kind in ("se", "lower", "upper"):  # beside a measure
        return ("se" if kind == "se" else _describe_measure(measured)[0]), "neither"
    if measure := _parse_known(name):
        return measure.summary, measure.better
    return ("sum", "neither") if name.lower().startswith("num_") else ("mean", "higher")
