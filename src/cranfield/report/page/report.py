"""`report_page`: an HTML report of runs, answers or scores in one file."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from cranfield.comparison.suites import Suite
from cranfield.data.answers import AnswersLike
from cranfield.data.attributes import AttributesLike
from cranfield.data.descriptions import DocsLike, QueriesLike, Query, check_query_topics, read_queries
from cranfield.data.files import check_not_inputs, hash_file, write_whole
from cranfield.data.judged_answers import Invalid
from cranfield.data.qrels import QrelsLike
from cranfield.data.systems import get_path_name
from cranfield.data.texts import TextsLike
from cranfield.data.tracks import choose_topics, read_named_topics
from cranfield.dataclass import dataclass
from cranfield.display import WithNotes
from cranfield.errors import InputError
from cranfield.evaluation.answers import AnswerCollection, split_measures
from cranfield.evaluation.attributes import attach_attributes
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.results import read_scores
from cranfield.measures.selection import MeasuresLike
from cranfield.measures.texts import TokensLike
from cranfield.report.page.contents import ReportData
from cranfield.report.page.html import build_html
from cranfield.report.page.inputs import InputReader, ReportInputs
from cranfield.report.page.limits import Limits
from cranfield.report.page.suites import SuiteData
from cranfield.scores import Note, Scores, note_topics_file
from cranfield.wording import encode_text

DEPTH = 20  # documents per ranking
TITLE = "Evaluation"
WITH_SCORES = ("threads", "run_names", "topics")  # options that do not need rankings
WITH_ANSWERS = (*WITH_SCORES, "undefined", "progress")


@dataclass(frozen=True, eq=False, repr=False)
class ReportPage(WithNotes):
    """HTML report: its `data`, and the complete file as `html`.

    A report of the command line has a `record`, which ``cranfield verify`` checks.
    """

    contents: ReportData | SuiteData
    record: Mapping[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:
        """Data of the report as plain values."""
        return self.contents.data

    @cached_property
    def html(self) -> str:
        """Complete HTML file. Names, queries and texts are data, displayed as text."""
        return build_html(self.data, self.contents.title, self.record)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Runs and answers whose names do not match; what was left out, and what shows it."""
        return self.contents.notes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file. Raise an error for an input file."""
        check_not_inputs([os.fspath(path)], self.contents.input_files)
        write_whole(path, encode_text(self.html))

    def __repr__(self) -> str:
        return f"ReportPage: {self.contents.describe_size()}; .save('report.html') writes it"


def report_page(
    qrels: Scores | Suite | QrelsLike | None = None,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    title: str = TITLE,
    queries: QueriesLike = None,
    by: AttributesLike = None,
    docs: DocsLike = None,
    second_qrels: QrelsLike = None,
    assignments: AnswersLike | None = None,
    nuggets: AnswersLike | None = None,
    answers: AnswersLike | None = None,
    support: AnswersLike | None = None,
    rubric: AnswersLike | None = None,
    gold: TextsLike | None = None,
    tokens: TokensLike = "auto",
    invalid: Invalid = "error",
    list_depth: int = DEPTH,
    complete: bool = False,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    trials: int | None = None,
    seed: int = 0,
    command: str = "",
    **options: Any,
) -> ReportPage:
    """Create an HTML report: the best run, the uncertainty, and reasons of failures.

    Parameters
    ----------
    qrels, runs, measures
        Inputs of `evaluate`, or only `Scores` from `evaluate` or `read_scores`. A report of scores
        has no rankings. The report of a result of `cf.suite` has an overview and a switch to the
        scores of each collection. Measures of answers are allowed.
    title
        Title of the report. Default if empty: "Evaluation".
    queries
        Queries: ``{topic: query}``, a frame, or a file (TSV, CSV, JSONL, Parquet) with columns such
        as qid and query. All other columns are slices for filters in the report.
    by
        Slices of topics, as in `evaluate`: filters, and a section with means, differences and
        tests of slices.
    docs
        Titles and texts of documents: ``{doc: text}``, a frame, or a file with docno, title and
        text. Only shown documents are kept.
    second_qrels
        Other judgments of the same topics, to measure agreement.
    assignments, nuggets, answers, support, rubric, gold, tokens, invalid
        Generated answers and their judgments, see `evaluate_answers`, with or without qrels and
        runs. The report shows their scores, sentences, support of citations and nuggets. Answers
        and runs are matched by name.
    list_depth
        Number of documents per ranking.
    complete
        If True, omit nothing, regardless of the size of the report.
    test, correction, alpha, trials, seed
        Options of `compare`.
    command
        Command line that repeats the report, if a command created it.
    **options
        Options of `evaluate`.

    Returns
    -------
    ReportPage
        The report. ``.save(path)`` writes it.

    Raises
    ------
    InputError
        If inputs are missing, invalid or do not match.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    >>> runs = {"x": {"q1": ["a", "b"], "q2": ["c"]}, "y": {"q1": ["b", "a"], "q2": ["d", "c"]}}
    >>> page = report_page(qrels, runs, "RR")
    >>> page.data["answer"][0]
    'x is best by RR, 1.0000 [1.0000, 1.0000]. Its lead over y is not significant (p = 0.5000).'
    >>> page.save("report.html")  # doctest: +SKIP
    """
    test_options = _drop_none(
        test=test, correction=correction, alpha=alpha, trials=trials, seed=seed,
        threads=options.get("threads"),
    )  # fmt: skip
    answer_inputs = _drop_none(
        assignments=assignments, nuggets=nuggets, answers=answers, support=support, rubric=rubric,
        gold=gold,
    )  # fmt: skip
    limits = Limits.from_complete(complete)
    files = {"judgments": qrels, "queries": queries, "documents": docs, "second": second_qrels}
    title = title if title.strip() else TITLE  # an HTML page must have one
    if isinstance(qrels, Suite):
        others = (
            {"runs": runs, "measures": measures, "queries": queries, "docs": docs, "by": by} | answer_inputs | options
        )
        return _build_suite_page(qrels, title, command, limits, others)
    if getattr(qrels, "clusters", None) or options.get("clusters") is not None:
        raise InputError.from_problem("a report with clusters of topics", "Use compare: its intervals are by cluster.")
    slices = _collect_slices(by, queries)
    if isinstance(qrels, Scores):
        _check_with_scores({"runs": runs, "docs": docs, "second_qrels": second_qrels} | answer_inputs)
        _check_with_scores(options)
        measure_names: Any = measures
        scores = read_scores(qrels, measures=measure_names)
        scores = attach_attributes(scores, **slices) if slices else scores
        input_files = [*_iterate_paths({"queries": queries}, None)]
        provenance = [*_describe_provenance(command, input_files)]
        topic_queries = _read_queries(queries, scores.topics)
        settings: dict[str, Any] = {"queries": topic_queries, "provenance": provenance}
        settings["input_files"] = [path for _, path in input_files]
        return ReportPage(ReportData([scores], title, limits, test_options, **settings))
    _check_complete(qrels, runs, answer_inputs)
    answer_collection = _read_answers(answer_inputs, tokens, invalid) if answer_inputs else None
    ranking_measures, answer_measures = (measures, None) if answer_collection is None else split_measures(measures)
    inputs = None
    if runs is None:
        _check_without_rankings({"second_qrels": second_qrels, "by": by} | options, ranking_measures)
    else:
        inputs = _read_inputs(qrels, runs, ranking_measures, second_qrels, list_depth, limits, options | slices)
    input_files = [*_iterate_paths(files | answer_inputs, runs)]
    score_parts = [] if inputs is None else [inputs.scores]
    score_parts += _score_answers(answer_collection, answer_measures, options, answers_only=inputs is None)
    return ReportPage(
        ReportData(
            score_parts,
            title,
            limits,
            test_options,
            inputs,
            answer_collection,
            _read_queries(queries, _list_topics(inputs, score_parts)),
            docs,
            _get_second_qrels(inputs),
            _shorten_paths(_name_input(qrels, "first"), _name_input(second_qrels, "second")),
            [*_describe_provenance(command, input_files)],
            [path for _, path in (*input_files, *_iterate_paths(options, None))],
        )
    )


def _collect_slices(by: AttributesLike, queries: QueriesLike) -> dict[str, Any]:
    """Return the options of `evaluate` for slices of topics."""
    if by is None:
        return {}
    texts = {} if queries is None else {topic: {"query": query.text} for topic, query in read_queries(queries).items()}
    return {"by": by, "queries": texts or None}


def _build_suite_page(result: Suite, title: str, command: str, limits: Limits, others: Mapping[str, Any]) -> ReportPage:
    """Build the report of a suite, which has the settings of its comparison."""
    for name, value in others.items():
        if value is not None:
            raise InputError.from_problem(f"{name} with a result of cf.suite", "Pass only the result.")
    return ReportPage(SuiteData(result, title, limits, [*_describe_provenance(command, ())]))


def _check_complete(qrels: Any, runs: Any, judged: Mapping[str, Any]) -> None:
    """Raise an error unless there are judgments and runs, or answers."""
    if (qrels is None) != (runs is None) or (runs is None and not judged):
        problem = "no runs" if runs is None else "no judgments"
        raise InputError(problem, "qrels and runs, scores, or answers with judgments")


def _read_inputs(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    second_qrels: QrelsLike,
    list_depth: int,
    limits: Limits,
    options: Mapping[str, Any],
) -> ReportInputs:
    if isinstance(list_depth, bool) or not isinstance(list_depth, int) or list_depth < 1:
        raise InputError(f"list_depth {list_depth!r}", "an integer ≥ 1")
    evaluator = Evaluator(qrels, measures, **options)
    second = None if second_qrels is None else _make_second_evaluator(evaluator, second_qrels, options)
    return InputReader(evaluator, list_depth, limits, second).read_runs(runs)


def _list_topics(inputs: ReportInputs | None, parts: Sequence[Scores]) -> list[str]:
    """Return the judged topics, whether they are shown or not."""
    judged = () if inputs is None else inputs.reader.collection.topics
    return [*judged, *(topic for part in parts for topic in part.topics)]


def _get_second_qrels(inputs: ReportInputs | None) -> dict[str, dict[str, float]] | None:
    second = None if inputs is None else inputs.reader.second_evaluator
    return None if second is None else second.collection.gold.qrels.to_dict()


def _drop_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _read_answers(judged: Mapping[str, Any], tokens: TokensLike, invalid: Invalid) -> AnswerCollection:
    """Read and check the answers."""
    names = ("assignments", "nuggets", "answers", "support", "rubric", "gold")
    sources = {name: judged.get(name) for name in names}
    options: dict[str, Any] = {**sources, "tokens": tokens, "invalid": invalid}
    return AnswerCollection.from_inputs(**options)


def _score_answers(
    answered: AnswerCollection | None, measures: Any, options: Mapping[str, Any], answers_only: bool
) -> list[Scores]:
    """Return the scores of answers, if they were judged or are the only input."""
    if answered is None or not (answered.kinds or measures or answers_only):
        return []
    scores = answered.compute_scores(answered.choose_measures(measures), options.get("undefined", "zero"))
    topic_names = read_named_topics(options.get("topics"))
    if topic_names is None:
        return [scores]
    topic_names = choose_topics(topic_names, scores.topics, "answers", strict=answers_only)
    topics = [topic for topic in scores.topics if topic in topic_names]
    selected = scores.select(topics=topics)
    return [replace(selected, notes=(*selected.notes, *note_topics_file(topic_names)))] if topics else []


def _check_without_rankings(options: Mapping[str, Any], measures: Any) -> None:
    """Raise an error for options that need runs."""
    if measures:
        raise InputError(f"{measures[0]} without runs", "qrels and runs, or measures of answers")
    for name, value in options.items():
        if value not in (None, False) and name not in WITH_ANSWERS:
            raise InputError(f"{name} without runs", "qrels and runs")


def _check_with_scores(options: Mapping[str, Any]) -> None:
    """Raise an error for options that need qrels and runs."""
    for name, value in options.items():
        if value not in (None, False) and name not in WITH_SCORES:
            raise InputError(f"scores and {name}", f"qrels and runs with {name}")


def _read_queries(queries: QueriesLike, topics: Any) -> dict[str, Query]:
    if queries is None:
        return {}
    query_of_topic = read_queries(queries)
    check_query_topics(query_of_topic, topics, _name_input(queries, "queries"))
    return {topic: query for topic, query in query_of_topic.items() if topic in set(topics)}


def _make_second_evaluator(evaluator: Evaluator, qrels: QrelsLike, options: Mapping[str, Any]) -> Evaluator:
    """Return an evaluator with the same measures and other judgments."""
    return Evaluator(qrels, list(evaluator.measures), **{**options, "preset": None})


def _name_input(value: Any, default: str) -> str:
    """Return the path of an input, or the default."""
    return get_path_name(value) if isinstance(value, str | os.PathLike) else default


def _shorten_paths(first: str, second: str) -> tuple[str, str]:
    """Remove the folders of two paths if the file names differ.

    >>> _shorten_paths("/data/qrels.txt", "second.txt"), _shorten_paths("a/qrels", "b/qrels")
    (('qrels.txt', 'second.txt'), ('a/qrels', 'b/qrels'))
    """
    short = os.path.basename(first), os.path.basename(second)
    return short if short[0] != short[1] else (first, second)


def _iterate_paths(files: Mapping[str, Any], runs: Any) -> Iterator[tuple[str, str]]:
    """Yield the input files, each with its use."""
    for use, values in {**files, "run": runs}.items():
        for path in values if isinstance(values, list | tuple) else [values]:
            if isinstance(path, str | os.PathLike):
                yield use, os.fspath(path)


def _describe_provenance(command: str, files: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """Yield command, versions and hashes of input files."""
    if command:
        yield {"label": "command", "value": command}
    for name in ("cranfield", "numpy", "scipy", "polars"):
        with suppress(PackageNotFoundError):  # not installed
            yield {"label": name, "value": version(name)}
    yield {"label": "Python", "value": platform.python_version()}
    yield from (describe_source(use, path) for use, path in files)


def describe_source(use: str, path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the use of a file and its hash, if it can be read again."""
    name, digest = os.fspath(path), hash_file(path)
    return {"label": use, "value": f"{name} sha256:{digest}" if digest else name}
