"""Answers of runs in the HTML report: sentences, citations, nuggets and criteria."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.evaluation.answer_tables import IMPORTANCE, SUPPORT_WORDS
from cranfield.evaluation.answers import AnswerCollection, CitedSentence
from cranfield.report.page.inputs import ReportInputs
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.numbers import round_number
from cranfield.report.page.rankings import describe_levels, fill, list_levels, sort_by_spread
from cranfield.scores import Scores
from cranfield.wording import format_count


@dataclass(frozen=True, eq=False)
class ReportAnswers:
    """Answers shown in a report."""

    answers: AnswerCollection
    scores: Scores  # scores of the runs and topics of the report
    measure: int  # measure that selects the topics, if not all are shown
    limits: Limits
    inputs: ReportInputs | None  # judged documents, if available
    second: Mapping[str, Mapping[str, float]] | None = None

    @cached_property
    def topics(self) -> dict[int, dict[str, Any]]:
        """Shown topics: those on which runs differ most, as far as the limit allows."""
        order = sort_by_spread(self.scores, self.measure)
        return fill(order, self._build_topic, self.limits.answers)

    @cached_property
    def data(self) -> dict[str, Any]:
        """Answers in the format of the report."""
        levels = [] if self.inputs is None else describe_levels(self.inputs, self._levels)
        return {
            "supported": self.answers.support is not None,
            "levels": levels,
            "topics": [self.topics.get(t) for t in range(len(self.scores.topics))],
            "known": [self._is_known(topic) for topic in self.scores.topics],
        }

    def describe_omissions(self) -> Iterator[str]:
        """Yield sentences about topics that are not shown."""
        known_topics = sum(map(self._is_known, self.scores.topics))
        if len(self.topics) < known_topics:
            topics_text = f"{len(self.topics):,} of {format_count(known_topics, 'topic')}"
            yield (f"Answers are shown for {topics_text} with the largest differences between runs. {COMPLETE}.")

    def _is_known(self, topic: str) -> bool:
        """Return True if there is an answer to a topic."""
        kinds = (*self.answers.kinds.values(), *([self.answers.answers] if self.answers.answers else ()))
        return any(topic in of_run for kind in kinds for of_run in kind.by_run.values())

    # -- a topic ----------------------------------------------------------------------------------

    def _build_topic(self, t: int) -> dict[str, Any] | None:
        topic, index = self.scores.topics[t], dict[str, int]()
        if not self._is_known(topic):
            return None
        answers = [self._build_answer(run, topic, index) for run in self.scores.runs]
        topic_data: dict[str, Any] = {"docs": [*index], "said": answers}
        topic_data |= self._find_levels(topic, [*index])
        for needs, kind in PIECES.items():
            if needs in self.answers.kinds:
                of_runs = [self._get_pieces(needs, run, topic) for run in self.scores.runs]
                if any(of_runs):
                    topic_data[needs] = _build_checklist(of_runs, kind)
        if self.answers.gold and (gold := self.answers.gold.by_topic.get(topic)):
            topic_data["gold"] = [*gold]
        return topic_data

    def _get_pieces(self, needs: str, run: str, topic: str) -> Any:
        entry = self.answers.kinds[needs].get(run, topic)
        return None if entry is None else entry.value

    def _build_answer(self, run: str, topic: str, index: dict[str, int]) -> dict[str, Any] | None:
        """Build an answer. Sentences cite documents by their position in the index."""
        if self._is_text(run, topic):
            assert self.answers.answers is not None  # noqa: S101
            entry = self.answers.answers.get(run, topic)
            return None if entry is None else {"text": entry.value.text}
        if not self._has_sentences(run, topic):
            return None
        sentences = self.answers.list_sentences(run, topic)
        return {
            "first": sentences[0].number if sentences else 1,
            "sentences": [
                [
                    sentence.text,
                    [[index.setdefault(x.document, len(index)), _encode_support(x.support)] for x in sentence.cited],
                ]
                for sentence in sentences
            ],
            "told": _summarize_sentences(sentences, self.answers.support is not None),
        }

    def _is_text(self, run: str, topic: str) -> bool:
        """Return True if an answer is a text without sentences."""
        entry = self.answers.answers.get(run, topic) if self.answers.answers else None
        return entry is not None and entry.value.sentences is None

    def _has_sentences(self, run: str, topic: str) -> bool:
        kinds = (self.answers.answers, self.answers.support)
        return any(kind is not None and kind.get(run, topic) is not None for kind in kinds)

    # -- judged documents -------------------------------------------------------------------------

    @cached_property
    def _levels(self) -> Any:
        assert self.inputs is not None  # noqa: S101
        return list_levels(self.inputs, self.second)

    @cached_property
    def _level_index(self) -> dict[float, int]:
        return {level: i for i, level in enumerate(self._levels.tolist())}

    def _find_levels(self, topic: str, docs: Sequence[str]) -> dict[str, Any]:
        """Return levels of documents, and the documents of chunks."""
        if self.inputs is None or topic not in self.inputs.reader.collection.gold.topic_index:
            return {}
        gold, merging = (self.inputs.reader.collection.gold, self.inputs.reader.evaluator.options.merging)
        judged_docs = gold.by_topic[gold.topic_index[topic]]
        as_listed = [doc if merging.chunks is None else merging.find_document(doc) for doc in docs]
        levels = [
            self._level_index[float(gold.judgments.levels[judged_docs[doc]])] if doc in judged_docs else None
            for doc in as_listed
        ]
        return {"level": levels} | ({"listed": as_listed} if as_listed != docs else {})

    # -- how many ---------------------------------------------------------------------------------

    def count_answers(self) -> Iterator[tuple[str, ...]]:
        """Yield the numbers of answers and of judged parts, as label, value and note."""
        pairs = [(run, topic) for run in self.scores.runs for topic in self.scores.topics]
        answered = [x for x in pairs if self._has_sentences(*x)]
        if answered:
            runs = len({run for run, _ in answered})
            topics = format_count(len({topic for _, topic in answered}), "topic")
            yield "answers", f"{len(answered):,}", f"of {format_count(runs, 'run')} to {topics}"
        yield from self._count_sentences([x for x in answered if not self._is_text(*x)])
        for needs, kind in PIECES.items():
            if needs in self.answers.kinds:
                yield self._count_pieces(needs, kind)

    def _count_sentences(self, answered: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
        """Count sentences and citations."""
        sentences = [sentence for x in answered for sentence in self.answers.list_sentences(*x)]
        if sentences:
            yield "sentences", f"{len(sentences):,}", _count_uncited(sentences)
            cited = sum(len(sentence.cited) for sentence in sentences)
            note = _count_support(sentences, " · ") if self.answers.support is not None else ""
            yield "citations", f"{cited:,}", note

    def _count_pieces(self, needs: str, kind: Any) -> tuple[str, ...]:
        """Count nuggets or criteria."""
        kinds: Counter[Any] = Counter()
        for topic in self.scores.topics:
            of_runs = [self._get_pieces(needs, run, topic) for run in self.scores.runs]
            kinds.update(row[1] for row in _build_checklist(of_runs, kind)["rows"])
        note = " · ".join(f"{kinds[x]:,} {x}" for x in IMPORTANCE.values() if kinds[x])
        return needs, f"{kinds.total():,}", note


# -- sentences ------------------------------------------------------------------------------------


def _encode_support(support: float | None) -> int | None:
    """Encode full, partial and no support as 2, 1 and 0. None: not judged."""
    return None if support is None else round(2 * support)


def _summarize_sentences(sentences: Sequence[CitedSentence], judged: bool) -> str:
    """Return the numbers of sentences and of citations of each kind.

    >>> from cranfield.evaluation.answers import Citation
    >>> cited = (Citation("d1", 1.0), Citation("d2", None))
    >>> sentences = [CitedSentence(1, "Yes.", cited), CitedSentence(2, "No.", ())]
    >>> _summarize_sentences(sentences, True)
    '2 sentences, 1 without citations · 2 citations: 1 full, 1 not judged'
    """
    sentence_count, cited = (
        format_count(len(sentences), "sentence"),
        sum(len(sentence.cited) for sentence in sentences),
    )
    parts = [", ".join(filter(None, (sentence_count, _count_uncited(sentences))))]
    if cited:
        kinds = f": {_count_support(sentences, ', ')}" if judged else ""
        parts.append(f"{format_count(cited, 'citation')}{kinds}")
    return " · ".join(parts)


def _count_uncited(sentences: Sequence[CitedSentence]) -> str:
    uncited = sum(not sentence.cited for sentence in sentences)
    return f"{uncited:,} without citations" if uncited else ""


def _count_support(sentences: Sequence[CitedSentence], separator: str) -> str:
    kinds = Counter(x.support for sentence in sentences for x in sentence.cited)
    return separator.join(f"{kinds[x]:,} {word}" for x, word in SUPPORT_WORDS.items() if kinds[x])


# -- checklists -----------------------------------------------------------------------------------


def _describe_nugget(nugget: Any) -> tuple[str, str, float]:
    return IMPORTANCE[nugget.vital], nugget.sub_narrative, nugget.support


def _describe_criterion(criterion: Any) -> tuple[Any, str, float]:
    return round_number(criterion.weight), criterion.axis, criterion.met


PIECES = {"nuggets": _describe_nugget, "criteria": _describe_criterion}
"""Judged parts of answers, with a function for the kind, group and support of each."""


def _build_checklist(of_runs: Sequence[Sequence[Any] | None], kind: Any) -> dict[str, Any]:
    """Build the list of nuggets or criteria, with a mark per run.

    Vital nuggets come first. Runs can be judged by different lists: a mark is None if an item was
    not judged.

    >>> from cranfield.data.judged_answers import Nugget
    >>> a, b = Nugget("a", False, 0.5), Nugget("b", True, 1.0)
    >>> checklist = _build_checklist([[a, b], [b], None], _describe_nugget)
    >>> checklist["rows"], checklist["marks"]
    ([['b', 'vital', ''], ['a', 'okay', '']], [[2, 1], [2, None], None])
    >>> checklist["told"]
    ['vital: 1 of 1; okay: 0 of 1, 1 in part', 'vital: 1 of 1', '']
    """
    index: dict[tuple[Any, ...], None] = {}
    marks_of_runs: list[dict[tuple[Any, ...], int | None] | None] = []
    for pieces in of_runs:
        times: Counter[Any] = Counter()
        marks: dict[tuple[Any, ...], int | None] = {}
        for piece in pieces or ():
            label, group, support = kind(piece)
            key = (piece.name, label, group)
            times[key] += 1  # the same text can occur more than once
            marks[*key, times[key]] = _encode_support(support)
        index |= dict.fromkeys(marks)
        marks_of_runs.append(None if pieces is None else marks)
    order = sorted(index, key=lambda key: key[1] == IMPORTANCE[False])
    return {
        "rows": [[*key[:3]] for key in order],
        "marks": [None if x is None else [x.get(key) for key in order] for x in marks_of_runs],
        "told": ["" if x is None else _summarize_marks(x) for x in marks_of_runs],
    }


def _summarize_marks(marks: Mapping[tuple[Any, ...], int | None]) -> str:
    """Return the number of fulfilled items of each kind."""
    groups: dict[str, list[int | None]] = {f"{x}: ": [] for x in IMPORTANCE.values()}
    for (_, kind, *_), mark in marks.items():
        is_negative = not isinstance(kind, str) and kind < 0
        title = f"{kind}: " if isinstance(kind, str) else "negative weight: " if is_negative else ""
        groups.setdefault(title, []).append(mark)
    parts = []
    for title, group_marks in groups.items():
        part = f", {group_marks.count(1):,} in part" if 1 in group_marks else ""
        parts += [f"{title}{group_marks.count(2):,} of {len(group_marks):,}{part}"] if group_marks else []
    return "; ".join(parts)
