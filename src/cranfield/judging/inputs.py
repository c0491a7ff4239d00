"""Inputs of `judge`, converted to estimators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.answers import ByRun
from cranfield.data.audits import AuditLike, AuditOrder, read_audit
from cranfield.data.judged_answers import Invalid, complete_labels, read_assignments, read_support
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.tracks import choose_topics, read_named_topics
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.answers import AnswerCollection, evaluate_answers
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.results import read_incomplete
from cranfield.evaluation.weighted import LabelContributions, RelabelledLists, label_with_both
from cranfield.judging.estimates import AnswerEstimator, Estimator, SampleEstimator, TopicEstimator
from cranfield.judging.imputation import build_imputation_estimators
from cranfield.judging.label_samples import build_label_estimators
from cranfield.measures.base import Measure
from cranfield.measures.bounds import is_sum
from cranfield.scores import Note, Scores, note_topics, note_topics_file
from cranfield.stats.measure_scores import MeasureScores, extract_measure, find_ranking_measures
from cranfield.stats.prediction import LEAST
from cranfield.wording import format_count, format_names, format_option

AnswerKind: TypeAlias = Literal["nuggets", "citations"]
ANSWER_READERS: dict[AnswerKind, Callable[..., ByRun[Any]]] = {"nuggets": read_assignments, "citations": read_support}
_ANSWER_ARGUMENTS = {"nuggets": "assignments", "citations": "support"}  # to `evaluate_answers`
MissingLabels: TypeAlias = Literal["unknown", "nonrelevant"]
Judged: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level
MIN_LEVELS = 100  # documents from which equal levels, or different maxima, are not by chance


@dataclass(frozen=True)
class JudgeSettings:
    """Settings of all estimates. `notes` collects the notes."""

    confidence: float
    target: float | None
    at_random: bool
    runs: Any
    measures: Any
    options: Mapping[str, Any]
    notes: list[Note]
    invalid: Invalid = "error"
    missing_labels: MissingLabels = "unknown"
    labels: bool = False  # True if labels were drawn individually
    declared: bool = True  # True if the user declared the types of judgments and runs

    @property
    def run_options(self) -> dict[str, Any]:
        """Options except those for reading judgments."""
        return {k: v for k, v in self.options.items() if k not in ("labels", "qrels_format")}

    def read_levels(self, qrels: QrelsLike) -> Judged:
        """Read judgments with the options."""
        qrels_options = {name: self.options[name] for name in _QRELS_OPTIONS if self.options.get(name)}
        return read_qrels(qrels, self.options.get("qrels_format"), **qrels_options).to_dict()


_QRELS_OPTIONS = ("separator", "labels", "columns")  # options for reading judgments


def from_scores(
    people: Any, judges: Mapping[str, Any], human_name: str, settings: JudgeSettings
) -> dict[str, Sequence[Estimator]]:
    """Build estimators from human and judge scores by topic."""
    human_scores = read_incomplete(people, settings.measures)
    judge_scores = {
        judge_name: read_incomplete(scores_like, settings.measures) for judge_name, scores_like in judges.items()
    }
    return {
        judge_name: _build_estimators(human_scores, scores, settings, (human_name, judge_name), "score")
        for judge_name, scores in judge_scores.items()
    }


def from_answers(
    people: Any, judges: Mapping[str, Any], human_name: str, kind: AnswerKind, settings: JudgeSettings
) -> tuple[dict[str, Sequence[Estimator]], dict[str, Judged]]:
    """Build estimators from labels of answers, and return all labels."""
    labels_by_name = {human_name: people, **judges}
    answers_by_name = {name: ANSWER_READERS[kind](x, invalid=settings.invalid) for name, x in labels_by_name.items()}
    human_answers = answers_by_name.pop(human_name)
    labels = {
        name: _collect_labels(answers) for name, answers in {human_name: human_answers, **answers_by_name}.items()
    }
    if settings.labels:
        return {
            judge_name: _from_drawn_labels(human_answers, answers, kind, settings, (human_name, judge_name))
            for judge_name, answers in answers_by_name.items()
        }, labels
    by_people = _score_human_answers(human_answers, [*answers_by_name.values()], kind, settings, human_name)
    estimators = dict[str, Sequence[Estimator]]()
    for judge_name, answers in answers_by_name.items():
        scores = _exclude_unlabelled(_score_answers(answers, kind, settings), answers)
        settings.notes.extend([note for note in scores.notes if note.kind in JUDGE_NOTE_KINDS])
        estimators[judge_name] = _build_estimators(by_people, scores, settings, (human_name, judge_name), "answer")
    return estimators, labels


def _from_drawn_labels(
    human_answers: ByRun[Any], judge: ByRun[Any], kind: AnswerKind, settings: JudgeSettings, names: tuple[str, str]
) -> list[SampleEstimator]:
    """Build estimators from individually drawn labels."""
    arguments: dict[str, Any] = {_ANSWER_ARGUMENTS[kind]: judge}
    parts = arguments.get("assignments"), None, None, arguments.get("support"), None, None
    measures: Any = AnswerCollection.from_inputs(*parts).choose_measures(settings.measures)
    options = settings.confidence, settings.target
    estimators, notes = build_label_estimators(human_answers, judge, measures, kind.removesuffix("s"), names, options)
    settings.notes.extend(notes)
    return estimators


JUDGE_NOTE_KINDS = ("invalid-labels", "missing-nuggets", "undefined")  # kinds of notes about judge scores


def _score_answers(answers: ByRun[Any], kind: AnswerKind, settings: JudgeSettings) -> Scores:
    arguments: dict[str, Any] = {_ANSWER_ARGUMENTS[kind]: answers, "measures": settings.measures}
    return evaluate_answers(**arguments)


def _exclude_unlabelled(scores: Scores, answers: ByRun[Any]) -> Scores:
    """Return the scores with NaN for answers without labels: they are unknown, not 0."""
    has_labels = [[answers.get(run, topic) is not None for topic in scores.topics] for run in scores.runs]
    values = np.where(np.array(has_labels)[:, :, None], scores.values, np.nan)
    return replace(scores, values=values, undefined="nan")


def _score_human_answers(
    human_answers: ByRun[Any], judges: Sequence[ByRun[Any]], kind: AnswerKind, settings: JudgeSettings, human_name: str
) -> Scores:
    """Compute human scores. A score that depends on missing labels is unknown.

    It is known if it is the same with all missing labels at 0 and at 1.
    """
    low, high = (
        _exclude_unlabelled(
            _score_answers(complete_labels(human_answers, judges, label), kind, settings), human_answers
        )
        for label in (0.0, 1.0)
    )
    settings.notes.extend([note for note in low.notes if note.kind == "invalid-labels"])
    is_known = low.values == high.values
    partly = (~is_known & ~np.isnan(low.values)).any(axis=2)
    if partly.any():
        count, answer_count = int(partly.sum()), sum(map(len, human_answers.by_run.values()))
        answers_text = format_count(answer_count, "answer")
        text = f"{human_name} labelled {count:,} of {answers_text} only in part. Their human scores "
        text += "are unknown, so only judge scores are used"
        settings.notes.append(Note("partly-labelled", text))
    return replace(low, values=np.where(is_known, low.values, np.nan))


def _collect_labels(answers: ByRun[Any]) -> Judged:
    """Return the support of nuggets or citations in answers: topic -> item -> level."""
    labels_by_topic: Judged = {}
    for run, topics in answers.by_run.items():
        for topic, entry in topics.items():
            labels = labels_by_topic.setdefault(topic, {})
            if isinstance(entry.value, tuple):
                labels.update({f"{run}: {nugget.name}": nugget.support for nugget in entry.value})
                continue
            for number, cited in entry.value.items():
                labels.update({f"{run}: {number} {doc}": x.support for doc, x in cited.items()})
    return labels_by_topic


def from_judgments(
    people: Judged, judges: Mapping[str, Judged], human_name: str, audit: AuditLike, settings: JudgeSettings
) -> dict[str, Sequence[Estimator]]:
    """Build estimators from judgments and runs, optionally with an audit."""
    if settings.labels:
        return {
            judge_name: _from_sample(
                people, levels, _build_label_sample(people, levels, (human_name, judge_name)), settings
            )
            for judge_name, levels in judges.items()
        }
    if audit is None:
        return {
            judge_name: _from_topics((human_name, people), (judge_name, levels), settings)
            for judge_name, levels in judges.items()
        }
    order = read_audit(audit)
    return {judge_name: _from_sample(people, levels, order, settings) for judge_name, levels in judges.items()}


def _build_label_sample(people: Judged, judge: Judged, names: tuple[str, str]) -> AuditOrder:
    """Build an audit in which the documents with human labels are drawn."""
    pairs = [(topic, doc) for topic, docs in judge.items() for doc in docs]
    labelled = [pair for pair in pairs if pair[1] in people.get(pair[0], {})]
    if not labelled:
        raise InputError(f"no document judged by both {names[0]} and {names[1]}", "at least 1")
    rest = [pair for pair in pairs if pair[1] not in people.get(pair[0], {})]
    draws = np.repeat([0.5, 1.5], [len(labelled), len(rest)])  # below 1: drawn
    probabilities = np.full(len(pairs), len(labelled) / len(pairs))
    return AuditOrder((*labelled, *rest), probabilities, draws, "labels")


# -- by topics ------------------------------------------------------------------------------------


def _from_topics(people: tuple[str, Judged], judge: tuple[str, Judged], settings: JudgeSettings) -> list[Estimator]:
    """Build estimators from human judgments of some topics."""
    names = people[0], judge[0]
    topics = read_named_topics(settings.options.get("topics"))
    if topics is not None:
        topics = choose_topics(topics, {**people[1], **judge[1]}, strict=False)
        settings.notes.extend(note_topics_file(topics))
    by_people, by_judge = (_score_runs(side, settings, topics) for side in (people, judge))
    known_notes = {(note.kind, note.run) for note in settings.notes}  # noted for another judge
    settings.notes.extend(
        [judge_note for judge_note in by_judge.notes if (judge_note.kind, judge_note.run) not in known_notes]
    )
    settings.notes.extend(_note_documents(names, people[1], judge[1], settings.missing_labels))
    if settings.missing_labels == "unknown":
        by_people = _exclude_unknown(by_people, people, judge[1], settings, topics)
    return _build_estimators(by_people, by_judge, settings, names, "ranking", _format_incomplete_hint())


def _format_incomplete_hint() -> str:
    """Return the hint for scores that depend on documents without a human label."""
    audit, labels, nonrelevant = (
        format_option("--audit-file", "audit="),
        format_option("--drawn labels", 'drawn="labels"'),
        format_option("--missing-labels nonrelevant", 'missing_labels="nonrelevant"'),
    )
    return (
        f"scores that depend on unlabelled documents are unknown: use {audit}, {labels} if all "
        f"documents had the same drawing probability, or {nonrelevant}"
    )


def _score_runs(
    side: tuple[str, Judged], settings: JudgeSettings, selected_topics: Sequence[str] | None = None
) -> Scores:
    """Score the runs by human judgments or by those of a judge."""
    name, levels = side
    options = settings.run_options
    if selected_topics is not None:
        topics = [t for t in selected_topics if t in levels]
        if not topics:
            raise InputError(f"no judgment by {name} in {format_names(selected_topics, 'topic')}", "at least 1")
        options = {**options, "topics": topics}
    measures = "AP" if settings.measures is None and options.get("preset") is None else settings.measures
    qrels = replace(read_qrels(levels), declared=settings.declared, where=name)
    return evaluate(qrels, settings.runs, measures, **options)


def _exclude_unknown(
    scores: Scores,
    people: tuple[str, Judged],
    judge: Judged,
    settings: JudgeSettings,
    selected_topics: Sequence[str] | None,
) -> Scores:
    """Return the human scores, NaN if missing labels can change them.

    A score is known if it is the same with all missing labels at 0 and at the highest level.
    """
    human_levels = people[1]
    unlabelled = {
        topic: [doc for doc in judge[topic] if doc not in docs]
        for topic, docs in human_levels.items()
        if topic in judge
    }
    if not any(unlabelled.values()):
        return scores
    highest = max(level for docs in human_levels.values() for level in docs.values())
    low, high = (
        _score_runs(
            (people[0], {t: {**dict.fromkeys(unlabelled.get(t, ()), level), **docs}
                         for t, docs in human_levels.items()}), settings, selected_topics)
        for level in (0.0, max(highest, 1.0))
    )  # fmt: skip
    is_known = (low.values == high.values) | (np.isnan(low.values) & np.isnan(high.values))
    return replace(low, values=np.where(is_known, low.values, np.nan), undefined="nan")


def _note_documents(names: tuple[str, str], people: Judged, judge: Judged, missing: MissingLabels) -> Iterator[Note]:
    """Note documents with judge labels but without human labels in the same topics."""
    shared_topics = [topic for topic in people if topic in judge]
    labelled = sum(len(judge[topic]) for topic in shared_topics)
    documents = [(topic, doc) for topic in shared_topics for doc in people[topic] if doc in judge[topic]]
    if shared_topics and not documents:
        problem = f"no document judged by both {names[0]} and {names[1]}"
        problem += f" in {format_count(len(shared_topics), 'topic')}"
        raise InputError.from_problem(problem, "Check that the document ids are the same.")
    levels = [(people[topic][doc], judge[topic][doc]) for topic, doc in documents]
    yield from _note_levels(names, levels)
    shared = len(documents)
    if shared < labelled:
        documents_text = format_count(labelled, "document")
        text = f"{names[0]} judged {shared:,} of {documents_text} of {names[1]} in the same topics: "
        if missing == "unknown":
            text += "scores that depend on the other documents are unknown"
        else:
            text += "the other documents count as nonrelevant"
        yield Note("incomplete", text)


def _note_levels(names: tuple[str, str], levels: Sequence[tuple[float, float]]) -> Iterator[Note]:
    """Note labels that could have different scales, or that could be copies."""
    highest = [max(pair[i] for pair in levels) for i in (0, 1)] if levels else [0.0, 0.0]
    if len(levels) >= MIN_LEVELS and highest[0] != highest[1]:
        text = f"{names[0]} has levels up to {highest[0]:g}, {names[1]} up to {highest[1]:g}"
        text += " for the same documents. If the scales differ, agreement and gains mean little"
        yield Note("scales", text)
    if len(levels) >= MIN_LEVELS and all(human_level == judge_level for human_level, judge_level in levels):
        text = f"{names[0]} and {names[1]} have the same levels for all {len(levels):,} documents"
        yield Note("same-levels", f"{text} of both. Check that one is not a copy of the other.")


def _build_estimators(
    people: Scores, judge: Scores, settings: JudgeSettings, names: tuple[str, str], unit: str, hint: str = ""
) -> list[Estimator]:
    """Build an estimator for each measure that both scores have."""
    if not {*people.runs} & {*judge.runs}:
        raise InputError(f"no run in both {names[0]} and {names[1]}", "at least 1 common run")
    if unknown := [run for run in people.runs if run not in judge.runs]:
        text = f"{format_names(unknown, 'run')} of {names[0]} without scores of {names[1]}, excluded"
        settings.notes.append(Note("missing-runs", text))
    columns, excluded_notes = find_ranking_measures(people, [m for m in people.measures if m in judge.measures])
    settings.notes.extend(excluded_notes)
    if not columns:
        raise InputError(f"no measure in both {names[0]} and {names[1]}", "at least 1")
    return [_build_estimator(people, judge, m, settings, names, unit, hint) for m in columns]


def _build_estimator(
    people: Scores, judge: Scores, measure: str, settings: JudgeSettings, names: tuple[str, str], unit: str, hint: str
) -> Estimator:
    """Build the estimator by topic if runs share topics, otherwise by answer."""
    human_scores, judge_scores = (
        extract_measure(side_scores, measure, turned=False) for side_scores in (people, judge)
    )
    settings.notes.extend([note for note in human_scores.notes if note.kind != "undefined"])
    topics, Y, f = _align_scores(human_scores, judge_scores)
    scored = [t for t, row in zip(human_scores.topics, human_scores.values, strict=True) if not np.isnan(row).all()]
    _note_missing_topics(scored, topics, measure, settings, names)
    settings.notes.extend(_note_unjudged(judge.runs, topics, Y, f, names))
    Y[np.isnan(f)] = np.nan
    labelled, judged = ~np.isnan(Y), ~np.isnan(f)
    has_same_topics = bool((labelled == labelled[0]).all() and judged.all())
    count, noun = (labelled[0].sum(), "topic") if has_same_topics else (labelled.sum(), unit)
    if count < LEAST:
        problem = f"{format_count(int(count), noun)} of {names[0]} and {names[1]} by {measure}"
        unknown = bool(np.isnan(people.values).any())
        raise InputError(problem, f"at least {LEAST}", hint=hint if unknown else "")
    lower = people.better[people.measures.index(measure)] == "lower"
    options = settings.confidence, settings.at_random, settings.target
    if not has_same_topics:
        settings.notes.extend(_note_unlabelled(judge.runs, labelled, judged, names, unit))
        return AnswerEstimator(measure, judge.runs, lower, Y, f, *options, unit)
    labelled_topics = labelled[0]
    settings.notes.extend(_note_order(topics, np.flatnonzero(labelled_topics).tolist(), names))
    return TopicEstimator(
        measure, judge.runs, lower, Y[:, labelled_topics], f[:, labelled_topics], f[:, ~labelled_topics], *options
    )


def _align_scores(human_scores: MeasureScores, judge_scores: MeasureScores) -> tuple[list[str], Floats, Floats]:
    """Return the topics with judge scores, and human and judge scores [runs, topics].

    Missing human scores are NaN.
    """
    judged_rows = np.flatnonzero(~np.isnan(judge_scores.values).all(axis=1)).tolist()
    topics, f = [judge_scores.topics[t] for t in judged_rows], judge_scores.values[judged_rows].T
    rows, columns = ({x: k for k, x in enumerate(names)} for names in (human_scores.topics, human_scores.runs))
    Y = np.full(f.shape, np.nan)
    for t, topic in enumerate(topics):
        for r, run in enumerate(judge_scores.runs):
            if topic in rows and run in columns:
                Y[r, t] = human_scores.values[rows[topic], columns[run]]
    return topics, Y, f


def _note_missing_topics(
    scored: Sequence[str], topics: Sequence[str], measure: str, settings: JudgeSettings, names: tuple[str, str]
) -> None:
    """Note topics with human scores but without judge scores."""
    missing = [topic for topic in scored if topic not in topics]
    if missing:
        topics_text = f"{format_names(missing, 'topic')} of {names[0]}"
        swapped = ". Check that the two are not swapped." if {*topics} <= {*scored} else ""
        message = f"{topics_text} without {measure} of {names[1]}, excluded{swapped}"
        settings.notes.append(Note("missing-topics", message, topics=tuple(missing)))


def _note_unjudged(
    runs: Sequence[str], topics: Sequence[str], Y: Floats, f: Floats, names: tuple[str, str]
) -> Iterator[Note]:
    """Note answers without judge scores: they are unknown, not 0."""
    for run, human_row, judge_row in zip(runs, Y, f, strict=True):
        unjudged = [topics[t] for t in np.flatnonzero(np.isnan(judge_row)).tolist()]
        also = int(np.count_nonzero(~np.isnan(human_row) & np.isnan(judge_row)))
        by_people = f", {also:,} with labels of {names[0]}" if also else ""
        message = f"without labels of {names[1]}{by_people}, excluded from the estimates of this run"
        yield from note_topics("unjudged-topics", unjudged, message, run)


def _note_unlabelled(
    runs: Sequence[str], labelled: Bools, judged: Bools, names: tuple[str, str], unit: str
) -> Iterator[Note]:
    """Note the number of answers with human labels. The other answers are unknown."""
    count, topics = int(labelled.sum()), int(labelled.any(axis=0).sum())
    counts_text = f"{count:,} of {format_count(int(judged.sum()), unit)} in {format_count(topics, 'topic')}"
    text = f"{names[0]} labelled {counts_text}. The others have only labels of {names[1]}"
    yield Note("unlabelled", text)
    if unseen := [run for run, of_run in zip(runs, labelled, strict=True) if not of_run.any()]:
        runs_text = format_names(unseen, "run")
        text = f"{runs_text} without labels of {names[0]}: no estimate, no interval"
        yield Note("no-labels", text)


def _note_order(topics: Sequence[str], judged: Sequence[int], names: tuple[str, str]) -> Iterator[Note]:
    """Note judged topics that are the first or last: probably not random."""
    n, topic_count = len(judged), len(topics)
    if topic_count - n < 2 or math.comb(topic_count, n) < 200:
        return
    for order in (topics, sorted(topics), sorted(topics, key=lambda t: (len(t), t))):
        judged_topics = {topics[t] for t in judged}
        for end, part in (("first", order[:n]), ("last", order[-n:])):
            if judged_topics == {*part}:
                text = f"{names[0]} judged the {end} {n} of {topic_count} topics. "
                text += "If they were not drawn at random, no interval holds"
                yield Note("not-random", text)
                return


# -- within topics --------------------------------------------------------------------------------


def _from_sample(people: Judged, judge: Judged, order: AuditOrder, settings: JudgeSettings) -> list[SampleEstimator]:
    """Build estimators from judge labels and the judged part of an audit."""
    count = _count_judged(people, order, settings.notes)
    sampled, all_probabilities = order.pairs[:count], order.compute_probabilities(count)
    unlabelled = [doc for topic, doc in order.pairs if doc not in judge.get(topic, {})]
    if unlabelled:
        documents_text = format_names(unlabelled, "document")
        text = f"{documents_text} of the audit without judge label, treated as level 0"
        settings.notes.append(Note("unlabelled", text))
    options = settings.run_options
    measures = "P@10" if settings.measures is None and options.get("preset") is None else settings.measures
    probabilities = dict(zip(order.pairs, all_probabilities.tolist(), strict=True))
    evaluator, labelled = label_with_both(
        judge, people, sampled, settings.runs, measures, {*probabilities}, settings.declared, **options
    )
    added = LabelContributions(evaluator, judge, people, sampled)
    other_measures = [m for m in evaluator.measures if not is_sum(m)]
    ratios = dict[Measure, SampleEstimator]()
    if other_measures:
        settings.notes.extend(_note_outside_audit(judge, probabilities))
        runs = tuple(labelled_run.run.name for labelled_run in labelled)
        versions = RelabelledLists(evaluator, labelled, other_measures)
        estimators = build_imputation_estimators(
            versions, runs, people, judge, probabilities, {*sampled}, settings.confidence, settings.target
        )
        ratios = dict(zip(other_measures, estimators, strict=True))

    def build_sum_estimator(m: Measure) -> SampleEstimator:
        parts = added.compute_weighted(m, labelled)
        return SampleEstimator(
            parts.measure, parts.runs, parts.lower_is_better, parts.judged, parts.change,
            parts.human, parts.topic_of, all_probabilities[:count][parts.selected_docs],
            _select_probabilities(order, all_probabilities, parts.topics),
            settings.confidence, settings.target, in_runs=parts.counted_docs,
        )  # fmt: skip

    return [ratios[m] if m in ratios else build_sum_estimator(m) for m in evaluator.measures]


def _note_outside_audit(judge: Judged, audit_documents: Mapping[tuple[str, str], float]) -> Iterator[Note]:
    """Note documents with judge labels that are not in the audit."""
    outside = sum((topic, doc) not in audit_documents for topic, docs in judge.items() for doc in docs)
    if outside:
        documents_text = format_count(outside, "document")
        text = f"{documents_text} of the judge not in the audit, excluded from ideal rankings"
        yield Note("audit", f"{text} because they could not be drawn")


def _select_probabilities(order: AuditOrder, probabilities: Floats, topics: Sequence[str]) -> Floats:
    """Return the probabilities of the documents of some topics."""
    selected = {*topics}
    return probabilities[[topic in selected for topic, _ in order.pairs]]


def _count_judged(people: Judged, order: AuditOrder, notes: list[Note]) -> int:
    """Return the number of judged documents at the start of an audit."""
    judged = [doc in people.get(topic, {}) for topic, doc in order.pairs]
    count = judged.index(False) if False in judged else len(judged)
    to_judge = int(np.count_nonzero(order.draws < 1))
    if not count:
        topic, doc = order.pairs[0]
        problem = f"no judgment of {doc} of topic {topic}, the first document of the audit"
        raise InputError(problem, "human judgments in the order of the audit", order.where)
    if count < to_judge:
        topic, doc = order.pairs[count]
        text = f"{count:,} of {to_judge:,} documents of the audit have human judgments. The sample"
        text += f" ends before {doc} of topic {topic}"
        notes.append(Note("audit", text))
    extra = sum(judged[count:])
    outside = sum(map(len, people.values())) - sum(judged)
    if extra + outside:
        judgments_text = format_count(extra + outside, "human judgment")
        text = f"{judgments_text} outside the sample, excluded because they were not drawn"
        notes.append(Note("audit", text))
    return count
