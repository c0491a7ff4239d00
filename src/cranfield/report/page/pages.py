"""`report_page`: judgments and runs, answers, or scores, as one file that a colleague can open."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from cranfield.data.answers import AnswersLike
from cranfield.data.described import DocsLike, QueriesLike, Query, read_queries, refuse_strangers
from cranfield.data.files import check_not_inputs, hashed, write_whole
from cranfield.data.judged_answers import Invalid
from cranfield.data.qrels import QrelsLike
from cranfield.data.systems import path_of
from cranfield.data.texts import TextsLike
from cranfield.data.tracks import choose_topics, named_topics
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.answers import AnswerCollection, told_apart
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.results import read_scores
from cranfield.measures.texts import TokensLike
from cranfield.report.page.assembly import assembled
from cranfield.report.page.contents import Contents
from cranfield.report.page.gathering import Gathered, Gathering
from cranfield.report.page.limits import Limits
from cranfield.scores import Notice, Scores, about_topics
from cranfield.wording import counted, encoded

DEPTH = 20  # documents of a list
TITLE = "Evaluation"
WITH_SCORES = ("threads", "run_names", "topics")  # options that are not about lists, or were used
WITH_ANSWERS = (*WITH_SCORES, "undefined", "progress")


@dataclass(frozen=True, eq=False, repr=False)
class ReportPage:
    """A page: its `data`, and all of it as `html`, one file that needs no other."""

    contents: Contents

    @property
    def data(self) -> dict[str, Any]:
        """What the page shows, as plain values."""
        return self.contents.data

    @cached_property
    def html(self) -> str:
        """The whole page. Names, queries and texts are in it as data, and shown as text."""
        return assembled(self.data, self.contents.title)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Runs and answers whose names do not match; what was left out, and what shows it."""
        left_out = (Notice("left-out", text) for text in self.data["left_out"])
        return (*self.contents.parts.unmatched(), *left_out)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all; not to one of its inputs."""
        check_not_inputs([os.fspath(path)], self.contents.inputs)
        write_whole(path, encoded(self.html))

    def __repr__(self) -> str:
        names = {"runs": "run", "topics": "topic", "measures": "measure"}
        size = " × ".join(counted(len(self.data[x]), noun) for x, noun in names.items())
        return f"ReportPage: {size}; .save('report.html') writes it"


def report_page(
    qrels: Scores | QrelsLike | None = None,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    title: str = TITLE,
    queries: QueriesLike = None,
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
    """A page that shows which run is best, how sure that is, and why runs fail where they do.

    qrels, runs, measures
        As `evaluate` takes them; or, alone, the scores that it has given, or `read_scores`: then
        the page has no lists. Measures of answers may be among them.
    title
        Of the page; if it is empty, the default.
    queries
        What topics ask: ``{topic: query}``, a frame, or a file (TSV, CSV, JSONL, Parquet) with
        columns such as qid and query. All other columns are slices, by which the page can filter.
    docs
        Titles and texts of documents: ``{doc: text}``, a frame, or such a file with docno, title
        and text. Only those that are shown are kept.
    second_qrels
        Other judgments of the same topics: how far they agree with the first.
    assignments, nuggets, answers, support, rubric, gold, tokens, invalid
        Generated answers and what was judged of them, as `evaluate_answers` takes them, beside
        qrels and runs or without: the page has their measures, their sentences with the support
        that citations give, and which nuggets are there. Answers are those of the run that has
        the same name.
    list_depth
        So many documents of each list are shown.
    complete
        Leave nothing out, however large the page becomes.
    test, correction, alpha, trials, seed
        How runs are compared: see `compare`.
    command
        What the page tells to be repeated, if it was made by a command.

    The other options are those of `evaluate`.

    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    >>> runs = {"x": {"q1": ["a", "b"], "q2": ["c"]}, "y": {"q1": ["b", "a"], "q2": ["d", "c"]}}
    >>> page = report_page(qrels, runs, "RR")
    >>> page.data["answer"][0]
    'x is best by RR, 1.0000 [1.0000, 1.0000]; its lead over y is not significant (p = 0.5000).'
    >>> page.save("report.html")  # doctest: +SKIP
    """
    testing = _given(
        test=test, correction=correction, alpha=alpha, trials=trials, seed=seed,
        threads=options.get("threads"),
    )  # fmt: skip
    judged = _given(
        assignments=assignments, nuggets=nuggets, answers=answers, support=support, rubric=rubric,
        gold=gold,
    )  # fmt: skip
    limits = Limits.of(complete)
    files = {"judgments": qrels, "queries": queries, "documents": docs, "second": second_qrels}
    title = title if title.strip() else TITLE  # an HTML page must have one
    if isinstance(qrels, Scores):
        _refuse_with_scores({"runs": runs, "docs": docs, "second_qrels": second_qrels} | judged)
        _refuse_with_scores(options)
        wanted: Any = measures
        scores = read_scores(qrels, measures=wanted)
        used = [*_paths({"queries": queries}, None)]
        told = [*_reproduced(command, used)]
        shown = _queries(queries, scores.topics)
        read: dict[str, Any] = {"queries": shown, "reproduce": told}
        read["inputs"] = [path for _, path in used]
        return ReportPage(Contents([scores], title, limits, testing, **read))
    _refuse_incomplete(qrels, runs, judged)
    answered = _answered(judged, tokens, invalid) if judged else None
    of_lists, of_answers = (measures, None) if answered is None else told_apart(measures)
    found = None
    if runs is None:
        _refuse_without_lists({"second_qrels": second_qrels} | options, of_lists)
    else:
        found = _gathered(qrels, runs, of_lists, second_qrels, list_depth, limits, options)
    used = [*_paths(files | judged, runs)]
    parts = [] if found is None else [found.scores]
    parts += _scored(answered, of_answers, options, alone=found is None)
    return ReportPage(
        Contents(
            parts,
            title,
            limits,
            testing,
            found,
            answered,
            _queries(queries, _topics(found, parts)),
            docs,
            _second(found),
            _short_names(_name(qrels, "first"), _name(second_qrels, "second")),
            [*_reproduced(command, used)],
            [path for _, path in (*used, *_paths(options, None))],
        )
    )


def _refuse_incomplete(qrels: Any, runs: Any, judged: Mapping[str, Any]) -> None:
    """Judgments and runs are given both or not at all; then there are answers."""
    if (qrels is None) != (runs is None) or (runs is None and not judged):
        found = "no runs" if runs is None else "no judgments"
        raise InputError(found, "qrels and runs, scores, or answers and what was judged of them")


def _gathered(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    second_qrels: QrelsLike,
    list_depth: int,
    limits: Limits,
    options: Mapping[str, Any],
) -> Gathered:
    """What is to be known of runs."""
    if isinstance(list_depth, bool) or not isinstance(list_depth, int) or list_depth < 1:
        raise InputError(f"list_depth {list_depth!r}", "a whole number from 1")
    evaluator = Evaluator(qrels, measures, **options)
    second = None if second_qrels is None else _other(evaluator, second_qrels, options)
    return Gathering(evaluator, list_depth, limits, second).all_of(runs)


def _topics(found: Gathered | None, parts: Sequence[Scores]) -> list[str]:
    """Those that are judged, whether they are shown or not."""
    judged = () if found is None else found.of.collection.topics
    return [*judged, *(topic for part in parts for topic in part.topics)]


def _second(found: Gathered | None) -> dict[str, dict[str, float]] | None:
    """The other judgments, if there are any."""
    second = None if found is None else found.of.second
    return None if second is None else second.collection.gold.qrels.to_dict()


def _given(**values: Any) -> dict[str, Any]:
    """What is not None of it."""
    return {name: value for name, value in values.items() if value is not None}


def _answered(judged: Mapping[str, Any], tokens: TokensLike, invalid: Invalid) -> AnswerCollection:
    """The answers, read and checked."""
    names = ("assignments", "nuggets", "answers", "support", "rubric", "gold")
    given = {name: judged.get(name) for name in names}
    options: dict[str, Any] = {**given, "tokens": tokens, "invalid": invalid}
    return AnswerCollection.of(**options)


def _scored(
    answered: AnswerCollection | None, measures: Any, options: Mapping[str, Any], alone: bool
) -> list[Scores]:
    """The scores of answers; none where nothing of them was judged, and they are not alone."""
    if answered is None or not (answered.kinds or measures or alone):
        return []
    scores = answered.scores(answered.asked(measures), options.get("undefined", "zero"))
    named = named_topics(options.get("topics"))
    if named is None:
        return [scores]
    named = choose_topics(named, scores.topics, "answers", strict=alone)
    chosen = [topic for topic in scores.topics if topic in named]
    kept = scores.select(topics=chosen)
    return [replace(kept, notices=(*kept.notices, *about_topics(named)))] if chosen else []


def _refuse_without_lists(options: Mapping[str, Any], measures: Any) -> None:
    """What means nothing where there are answers alone."""
    if measures:
        raise InputError(f"{measures[0]} and no runs", "qrels and runs, or measures of answers")
    for name, value in options.items():
        if value not in (None, False) and name not in WITH_ANSWERS:
            raise InputError(f"{name} and no runs", "qrels and runs with it")


def _refuse_with_scores(given: Mapping[str, Any]) -> None:
    """What means nothing where there are scores alone."""
    for name, value in given.items():
        if value not in (None, False) and name not in WITH_SCORES:
            raise InputError(f"scores and {name}", "qrels and runs with it")


def _queries(given: QueriesLike, topics: Any) -> dict[str, Query]:
    """The queries of the topics."""
    if given is None:
        return {}
    found = read_queries(given)
    refuse_strangers(found, topics, _name(given, "queries"))
    return {topic: query for topic, query in found.items() if topic in set(topics)}


def _other(evaluator: Evaluator, qrels: QrelsLike, options: Mapping[str, Any]) -> Evaluator:
    """An evaluator by the same measures, with other judgments."""
    return Evaluator(qrels, list(evaluator.measures), **{**options, "preset": None})


def _name(given: Any, otherwise: str) -> str:
    """What judgments are called."""
    return path_of(given) if isinstance(given, str | os.PathLike) else otherwise


def _short_names(first: str, second: str) -> tuple[str, str]:
    """Two files without their folders, which are those of the sender, where that tells them apart.

    >>> _short_names("/data/qrels.txt", "second.txt"), _short_names("a/qrels", "b/qrels")
    (('qrels.txt', 'second.txt'), ('a/qrels', 'b/qrels'))
    """
    short = os.path.basename(first), os.path.basename(second)
    return short if short[0] != short[1] else (first, second)


def _paths(files: Mapping[str, Any], runs: Any) -> Iterator[tuple[str, str]]:
    """Yield the input files, each with its use."""
    for use, given in {**files, "run": runs}.items():
        for path in given if isinstance(given, list | tuple) else [given]:
            if isinstance(path, str | os.PathLike):
                yield use, os.fspath(path)


def _reproduced(command: str, files: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """How to make the page again: the command, versions, hashes of files."""
    if command:
        yield {"label": "command", "value": command}
    for name in ("cranfield", "numpy", "scipy", "polars"):
        with suppress(PackageNotFoundError):  # used from where it lies
            yield {"label": name, "value": version(name)}
    yield {"label": "Python", "value": platform.python_version()}
    yield from (source(use, path) for use, path in files)


def source(what: str, path: str | os.PathLike[str]) -> dict[str, str]:
    """What a file was used for, and its hash, if it can be read again."""
    name, digest = os.fspath(path), hashed(path)
    return {"label": what, "value": f"{name} sha256:{digest}" if digest else name}
