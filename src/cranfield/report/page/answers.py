"""The answers of runs, topic by topic, as the page's data hold them: sentences with the support
that their citations give, and which nuggets and criteria are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.evaluation.answers import AnswerCollection, Said
from cranfield.report.answers import CITED, IMPORTANCE
from cranfield.report.page.gathering import Gathered
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.lists import (
    as_there_is_room,
    known_levels,
    most_different,
    shown_levels,
)
from cranfield.report.page.numbers import number
from cranfield.scores import Scores
from cranfield.wording import counted


@dataclass(frozen=True, eq=False)
class ShownAnswers:
    """The answers that a page shows, and what of them is left out."""

    given: AnswerCollection
    scores: Scores  # whose runs and topics the page has
    by: int  # the measure that decides which topics are shown, if not all
    limits: Limits
    found: Gathered | None  # judged documents, if there are any
    second: Mapping[str, Mapping[str, float]] | None = None

    @cached_property
    def kept(self) -> dict[int, dict[str, Any]]:
        """The topics whose answers are shown: those on which runs differ most."""
        order = most_different(self.scores, self.by)
        return as_there_is_room(order, self._topic, self.limits.answers)

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of them, as the page has them."""
        levels = [] if self.found is None else shown_levels(self.found, self._levels)
        return {
            "supported": self.given.support is not None,
            "levels": levels,
            "topics": [self.kept.get(t) for t in range(len(self.scores.topics))],
            "known": [self._is_known(topic) for topic in self.scores.topics],
        }

    def left_out(self) -> Iterator[str]:
        """What is not shown, and what shows it."""
        known = sum(map(self._is_known, self.scores.topics))
        if len(self.kept) < known:
            many = f"{len(self.kept):,} of {counted(known, 'topic')}"
            yield f"Answers are shown of {many}, those on which runs differ most; {COMPLETE}."

    def _is_known(self, topic: str) -> bool:
        """Whether anything is known of answers to a topic."""
        every = (*self.given.kinds.values(), *([self.given.answers] if self.given.answers else ()))
        return any(topic in of_run for of in every for of_run in of.by_run.values())

    # -- a topic ----------------------------------------------------------------------------------

    def _topic(self, t: int) -> dict[str, Any] | None:
        topic, index = self.scores.topics[t], dict[str, int]()
        if not self._is_known(topic):
            return None
        said = [self._said(run, topic, index) for run in self.scores.runs]
        made: dict[str, Any] = {"docs": [*index], "said": said}
        made |= self._judged(topic, [*index])
        for needs, kind in PIECES.items():
            if needs in self.given.kinds:
                of_runs = [self._found(needs, run, topic) for run in self.scores.runs]
                if any(of_runs):
                    made[needs] = _checklist(of_runs, kind)
        if self.given.gold and (gold := self.given.gold.by_topic.get(topic)):
            made["gold"] = [*gold]
        return made

    def _found(self, needs: str, run: str, topic: str) -> Any:
        entry = self.given.kinds[needs].get(run, topic)
        return None if entry is None else entry.found

    def _said(self, run: str, topic: str, index: dict[str, int]) -> dict[str, Any] | None:
        """An answer; its sentences cite documents by their places in the index."""
        if self._is_text(run, topic):
            assert self.given.answers is not None  # noqa: S101
            entry = self.given.answers.get(run, topic)
            return None if entry is None else {"text": entry.found.text}
        if not self._has_sentences(run, topic):
            return None
        sentences = self.given.sentences(run, topic)
        return {
            "first": sentences[0].number if sentences else 1,
            "sentences": [
                [
                    one.text,
                    [
                        [index.setdefault(x.document, len(index)), _mark(x.support)]
                        for x in one.cited
                    ],
                ]
                for one in sentences
            ],
            "told": _told(sentences, self.given.support is not None),
        }

    def _is_text(self, run: str, topic: str) -> bool:
        """Whether all that is known of an answer is its text."""
        entry = self.given.answers.get(run, topic) if self.given.answers else None
        return entry is not None and entry.found.sentences is None

    def _has_sentences(self, run: str, topic: str) -> bool:
        every = (self.given.answers, self.given.support)
        return any(of is not None and of.get(run, topic) is not None for of in every)

    # -- judged documents -------------------------------------------------------------------------

    @cached_property
    def _levels(self) -> Any:
        assert self.found is not None  # noqa: S101
        return known_levels(self.found, self.second)

    @cached_property
    def _place(self) -> dict[float, int]:
        return {level: i for i, level in enumerate(self._levels.tolist())}

    def _judged(self, topic: str, docs: Sequence[str]) -> dict[str, Any]:
        """The levels of documents, and what lists call them where they are chunks of others."""
        if self.found is None or topic not in self.found.of.collection.gold.topic_index:
            return {}
        gold, merging = self.found.of.collection.gold, self.found.of.evaluator.options.merging
        known = gold.by_topic[gold.topic_index[topic]]
        as_listed = [doc if merging.chunks is None else merging.document(doc) for doc in docs]
        levels = [
            self._place[float(gold.judgments.levels[known[doc]])] if doc in known else None
            for doc in as_listed
        ]
        return {"level": levels} | ({"listed": as_listed} if as_listed != docs else {})

    # -- how many ---------------------------------------------------------------------------------

    def counts(self) -> Iterator[tuple[str, ...]]:
        """How many answers there are, and what was judged of them: a label, a value, a note."""
        of = [(run, topic) for run in self.scores.runs for topic in self.scores.topics]
        answered = [x for x in of if self._has_sentences(*x)]
        if answered:
            runs = len({run for run, _ in answered})
            topics = counted(len({topic for _, topic in answered}), "topic")
            yield "answers", f"{len(answered):,}", f"of {counted(runs, 'run')} to {topics}"
        yield from self._sentences([x for x in answered if not self._is_text(*x)])
        for needs, kind in PIECES.items():
            if needs in self.given.kinds:
                yield self._count(needs, kind)

    def _sentences(self, answered: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
        """How many sentences answers have, and citations."""
        sentences = [one for x in answered for one in self.given.sentences(*x)]
        if sentences:
            yield "sentences", f"{len(sentences):,}", _uncited(sentences)
            cited = sum(len(one.cited) for one in sentences)
            note = _by_support(sentences, " · ") if self.given.support is not None else ""
            yield "citations", f"{cited:,}", note

    def _count(self, needs: str, kind: Any) -> tuple[str, ...]:
        """How many nuggets topics have, or criteria."""
        kinds: Counter[Any] = Counter()
        for topic in self.scores.topics:
            of_runs = [self._found(needs, run, topic) for run in self.scores.runs]
            kinds.update(row[1] for row in _checklist(of_runs, kind)["rows"])
        note = " · ".join(f"{kinds[x]:,} {x}" for x in IMPORTANCE.values() if kinds[x])
        return needs, f"{kinds.total():,}", note


# -- sentences ------------------------------------------------------------------------------------


def _mark(support: float | None) -> int | None:
    """Full, partial and no support as 2, 1 and 0; None if nobody judged it."""
    return None if support is None else round(2 * support)


def _told(sentences: Sequence[Said], judged: bool) -> str:
    """How many sentences there are, and citations of each kind.

    >>> from cranfield.evaluation.answers import Citation
    >>> cited = (Citation("d1", 1.0), Citation("d2", None))
    >>> _told([Said(1, "Yes.", cited), Said(2, "No.", ())], True)
    '2 sentences, 1 without citations · 2 citations: 1 full, 1 not judged'
    """
    many, cited = counted(len(sentences), "sentence"), sum(len(one.cited) for one in sentences)
    said = [", ".join(filter(None, (many, _uncited(sentences))))]
    if cited:
        kinds = f": {_by_support(sentences, ', ')}" if judged else ""
        said.append(f"{counted(cited, 'citation')}{kinds}")
    return " · ".join(said)


def _uncited(sentences: Sequence[Said]) -> str:
    uncited = sum(not one.cited for one in sentences)
    return f"{uncited:,} without citations" if uncited else ""


def _by_support(sentences: Sequence[Said], sign: str) -> str:
    kinds = Counter(x.support for one in sentences for x in one.cited)
    return sign.join(f"{kinds[x]:,} {word}" for x, word in CITED.items() if kinds[x])


# -- checklists -----------------------------------------------------------------------------------


def _importance(nugget: Any) -> tuple[str, str, float]:
    return IMPORTANCE[nugget.vital], nugget.sub_narrative, nugget.support


def _weight(criterion: Any) -> tuple[Any, str, float]:
    return number(criterion.weight), criterion.axis, criterion.met


PIECES = {"nuggets": _importance, "criteria": _weight}
"""What answers are judged by, and what is told of each: its kind, its group, how far it is met."""


def _checklist(of_runs: Sequence[Sequence[Any] | None], kind: Any) -> dict[str, Any]:
    """What answers were judged by, vital nuggets first, and how far each run has it.

    Runs need not have been judged by the same: a mark is None where one was not.

    >>> from cranfield.data.judged_answers import Nugget
    >>> a, b = Nugget("a", False, 0.5), Nugget("b", True, 1.0)
    >>> made = _checklist([[a, b], [b], None], _importance)
    >>> made["rows"], made["marks"]
    ([['b', 'vital', ''], ['a', 'okay', '']], [[2, 1], [2, None], None])
    >>> made["told"]
    ['vital: 1 of 1; okay: 0 of 1, 1 in part', 'vital: 1 of 1', '']
    """
    index: dict[tuple[Any, ...], None] = {}
    marked: list[dict[tuple[Any, ...], int | None] | None] = []
    for pieces in of_runs:
        times: Counter[Any] = Counter()
        marks: dict[tuple[Any, ...], int | None] = {}
        for piece in pieces or ():
            what, group, support = kind(piece)
            key = (piece.name, what, group)
            times[key] += 1  # the same text may come twice
            marks[*key, times[key]] = _mark(support)
        index |= dict.fromkeys(marks)
        marked.append(None if pieces is None else marks)
    order = sorted(index, key=lambda key: key[1] == IMPORTANCE[False])
    return {
        "rows": [[*key[:3]] for key in order],
        "marks": [None if x is None else [x.get(key) for key in order] for x in marked],
        "told": ["" if x is None else _tally(x) for x in marked],
    }


def _tally(marks: Mapping[tuple[Any, ...], int | None]) -> str:
    """How many of each kind an answer has."""
    groups: dict[str, list[int | None]] = {f"{x}: ": [] for x in IMPORTANCE.values()}
    for (_, kind, *_), mark in marks.items():
        below = not isinstance(kind, str) and kind < 0
        title = f"{kind}: " if isinstance(kind, str) else "of negative weight: " if below else ""
        groups.setdefault(title, []).append(mark)
    said = []
    for title, found in groups.items():
        part = f", {found.count(1):,} in part" if 1 in found else ""
        said += [f"{title}{found.count(2):,} of {len(found):,}{part}"] if found else []
    return "; ".join(said)
