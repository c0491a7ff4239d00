"""What a page shows, as one dict of plain values: the page itself only sorts and filters it.

All numbers are those of `evaluate`, `evaluate_answers`, `compare`, `hard_topics`, `bounds` and
`meta.correlation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import chain
from math import isnan
from typing import Any, TypeAlias

import numpy as np

from cranfield.comparison import Comparison, PairComparison, compare
from cranfield.data.described import DocsLike, Query
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.answers import AnswerCollection
from cranfield.evaluation.failures import BUCKETS
from cranfield.late import special
from cranfield.meta.correlation import correlation
from cranfield.report.comparison import procedure
from cranfield.report.failures import meanings
from cranfield.report.page.answers import ShownAnswers
from cranfield.report.page.definitions import definition
from cranfield.report.page.gathering import Gathered
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.lists import ShownLists
from cranfield.report.page.numbers import Number, number, numbers
from cranfield.report.page.parts import Parts
from cranfield.report.page.sections import Section, sections_of
from cranfield.report.page.texts import ShownTexts
from cranfield.report.sheets import interval_text
from cranfield.scores import Notice, Scores, in_brief, loud_first
from cranfield.stats.effects import EFFECTS
from cranfield.stats.judged import t_quantile
from cranfield.stats.measured import measured
from cranfield.stats.result import stated_p
from cranfield.wording import counted, rounded

TOP = 10  # ranks in which unjudged documents are counted
T_QUANTILES = 100  # degrees of freedom, from which on an expansion is exact to 7 digits


@dataclass(frozen=True, eq=False)
class Contents:
    """All that a page is made of."""

    given: Sequence[Scores]  # of lists, of answers, or of both
    title: str
    limits: Limits
    testing: Mapping[str, Any]  # how runs are compared
    found: Gathered | None = None  # None: there are no lists
    answered: AnswerCollection | None = None
    queries: Mapping[str, Query] = field(default_factory=dict)
    docs: DocsLike = None
    second: Mapping[str, Mapping[str, float]] | None = None
    names: tuple[str, str] = ("first", "second")  # of the two sets of judgments
    reproduce: Sequence[Mapping[str, str]] = ()
    inputs: Sequence[str] = ()  # files, none of which the HTML report may replace

    @cached_property
    def parts(self) -> Parts:
        """The scores that are shown, lists and answers apart."""
        return Parts(self.given, self.confidence)

    @property
    def scores(self) -> Scores:
        """The scores that are shown."""
        return self.parts.joined

    @property
    def confidence(self) -> float:
        """That of intervals."""
        return 1 - float(self.testing.get("alpha", 0.05))

    # -- what is computed -------------------------------------------------------------------------

    @cached_property
    def compared(self) -> list[Comparison | None]:
        """The comparison of each part, by all measures by which its runs can be compared."""
        return [*map(self._compare, self.parts.each)]

    def _compare(self, part: Scores) -> Comparison | None:
        names = [name for name in part.measures if name not in self._not_compared]
        return compare(part.select(measures=names), **self.testing) if names else None

    @cached_property
    def comparisons(self) -> list[Comparison | None]:
        """The comparison by each measure, if runs can be compared by it."""
        return [
            None
            if (whole := self.compared[self.parts.number(m)]) is None or name in self._not_compared
            else whole.by(name)
            for m, name in enumerate(self.scores.measures)
        ]

    @cached_property
    def _not_compared(self) -> dict[str, int]:
        """The measures by which runs cannot be compared, and the number of their topics."""
        found: dict[str, int] = {}
        for part in self.parts.each:
            for name in part.measures:
                topics = len(measured(part, name, turned=False).matrix.topics)
                if len(part.runs) < 2 or topics < 2:
                    found[name] = topics
        return found

    @cached_property
    def shown_lists(self) -> ShownLists | None:
        """The lists, if they have one order."""
        if self.found is None or not self.found.of.ordered:
            return None
        return ShownLists(self.found, self.second)

    @cached_property
    def shown_answers(self) -> ShownAnswers | None:
        """The answers, if there are any."""
        if self.answered is None:
            return None
        by = next((m for m, one in enumerate(self._of_answers) if one), 0)
        return ShownAnswers(self.answered, self.scores, by, self.limits, self.found, self.second)

    @property
    def _of_answers(self) -> list[bool]:
        """Whether each measure is one of answers."""
        last = len(self.parts.each) - 1 if self.answered and self._answers_scored else -1
        return [self.parts.number(m) == last for m in range(len(self.scores.measures))]

    @property
    def _answers_scored(self) -> bool:
        return self.found is None or len(self.parts.each) > 1

    @cached_property
    def texts(self) -> ShownTexts | None:
        """Titles and texts of the documents that are shown, if they are known."""
        if self.docs is None:
            return None
        shown = [x.kept.values() for x in (self.shown_lists, self.shown_answers) if x is not None]
        return ShownTexts(self.docs, [*chain(*shown)], self.limits)

    @cached_property
    def sections(self) -> list[Section]:
        """What only some inputs have."""
        if self.found is None:
            return []
        return sections_of(self.found, self.second, self.names)

    @cached_property
    def best(self) -> list[int | None]:
        """The best run by each measure: the first of several that are as good."""
        return [order[0] if order else None for order in self._orders]

    @cached_property
    def _orders(self) -> list[list[int]]:
        """The runs by each measure, the best first; none if there is no better."""
        return [[*self._order(m)] for m in range(len(self.scores.measures))]

    def _order(self, m: int) -> Iterator[int]:
        better = self.scores.better[m]
        if better == "neither":
            return
        compared, index = self.comparisons[m], self.scores.runs.index
        if compared is not None:
            yield from (index(row.run) for row in compared.runs)
            return
        sign = 1 if better == "lower" else -1
        means = [self.parts.mean(m, run) for run in self.scores.runs]
        known = [i for i, mean in enumerate(means) if not isnan(mean)]
        yield from sorted(known, key=lambda i: sign * means[i])

    # -- the dict ---------------------------------------------------------------------------------

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of it."""
        scores, lists, answers = self.scores, self.shown_lists, self.shown_answers
        said = [*self._answer()]
        if self.texts is not None:
            self.texts.add()
        return {
            "title": self.title,
            "answer": [*chain(*said)],
            "leads": [sum(map(len, said[:i])) for i in range(len(said))],
            "notices": self._notices(),
            "runs": [{"name": name} for name in scores.runs],
            "topics": [*map(self._topic, scores.topics)],
            "measures": self._measures(),
            "scores": self._scores(),
            "over": self.parts.over,
            "t": _t_quantiles(self.confidence, len(scores.topics)),
            "board": [self._board(m) for m in range(len(scores.measures))],
            "pairs": self._pairs(),
            "agreement": self._agreement(),
            "collection": [*self._collection()],
            "buckets": self._buckets(),
            "lists": None if lists is None else lists.data,
            "answers": None if answers is None else answers.data,
            "walks": None,
            "diversity": None,
            "sections": [section.data for section in self.sections],
            "reproduce": [*self.reproduce, *self._tested()],
            "left_out": [*self._left_out()],
            "pool": {"format": "topic doc"},
        }

    def _topic(self, name: str) -> dict[str, Any]:
        query = self.queries.get(name)
        if query is None:
            return {"id": name}
        slices = {"slices": dict(query.slices)} if query.slices else {}
        return {"id": name, "query": query.text, **slices}

    def _measures(self) -> list[dict[str, Any]]:
        known = () if self.found is None else self.found.of.evaluator.measures
        of = {name: m for m in known for name in m.names()}
        rows = zip(self.scores.measures, self.scores.summaries, self.scores.better, strict=True)
        made = [definition(name, s, better, of.get(name)) for name, s, better in rows]
        return [one | {"answers": flag} for one, flag in zip(made, self._of_answers, strict=True)]

    def _scores(self) -> list[list[list[Number]] | None]:
        """[measures][runs][topics], of as many measures as there is room for."""
        kept = self._scored_measures
        values = self.scores.values.transpose(2, 0, 1).tolist()
        return [
            [numbers(topics, 8) for topics in runs] if m < kept else None
            for m, runs in enumerate(values)
        ]

    @property
    def _scored_measures(self) -> int:
        r, t, m = self.scores.values.shape
        return self.limits.measures(r, t, m)

    def _board(self, m: int) -> dict[str, Any]:
        compared, runs = self.comparisons[m], self.scores.runs
        letters = {row.run: row.groups for row in compared.runs} if compared is not None else {}
        intervals = [self.parts.interval(m, run) for run in runs]
        return {
            "means": numbers(self.parts.mean(m, run) for run in runs),
            "low": numbers(None if x is None else x.low for x in intervals),
            "high": numbers(None if x is None else x.high for x in intervals),
            "letters": [letters.get(run, "") for run in runs],
            "confidence": number(self.confidence),
            "test": "" if compared is None else procedure(compared),
        }

    # -- pairs ------------------------------------------------------------------------------------

    def _pairs(self) -> list[dict[str, Any] | None]:
        kept = self.limits.tested(len(self.scores.runs), len(self.scores.measures))
        return [
            None if compared is None or m >= kept else self._triangles(m, compared)
            for m, compared in enumerate(self.comparisons)
        ]

    def _triangles(self, m: int, compared: Comparison) -> dict[str, Any]:
        """What is said of each pair (i, j), i < j: row i holds the runs after i."""
        index = {run: i for i, run in enumerate(self.scores.runs)}
        by_pair = {(index[p.run], index[p.other]): p for p in compared.pairs}

        def triangle(of: _OfPair, turned: _OfPair, digits: int = 4) -> list[list[Number]]:
            return [
                [number(_at(by_pair, i, j, of, turned), digits) for j in range(i + 1, len(index))]
                for i in range(len(index))
            ]

        low, high = self._bounds(m)
        return {
            "p": triangle(_pvalue, _pvalue, 8),  # which the page compares with alpha
            "least_p": _least_p(compared),
            "effect": triangle(lambda p: p.effect, lambda p: -p.effect),
            "difference": triangle(lambda p: p.difference, lambda p: -p.difference),
            "half": (half := _common_half(compared)),
            "low": None if half is not None else triangle(lambda p: p.low, lambda p: -p.high),
            "high": None if half is not None else triangle(lambda p: p.high, lambda p: -p.low),
            "bound_low": low,
            "bound_high": high,
            "alpha": compared.alpha,
            "test": procedure(compared),
            "effect_name": EFFECTS[compared.effect].title,
        }

    def _bounds(self, m: int) -> tuple[list[list[Number]] | None, list[list[Number]] | None]:
        """What unjudged documents could make of each difference, where that is computed."""
        name, best = self.scores.measures[m], self.best[m]
        asked = (
            [] if self.found is None or best is None else self.found.pairs_with_bounds(name, best)
        )
        if self.found is None or not asked:
            return None, None
        n = len(self.scores.runs)
        low: list[list[Number]] = [[None] * (n - 1 - i) for i in range(n)]
        high: list[list[Number]] = [[None] * (n - 1 - i) for i in range(n)]
        for i, j in asked:
            ends = self.found.mean_bounds(name, i, j)
            low[i][j - i - 1], high[i][j - i - 1] = numbers(ends, 4)
        return low, high

    def _agreement(self) -> dict[str, Any] | None:
        """How alike measures rank the runs: Kendall's τ."""
        scores = self.parts.in_all
        if len(scores.measures) < 2 or len(scores.runs) < 2:
            return None
        try:
            found = correlation(scores, trials=1)
        except InputError:  # of one topic, or by no measure of which one end is better
            return None
        at = {name: i for i, name in enumerate(found.names)}
        names = self.scores.measures
        return {
            "statistic": found.statistic,
            "values": [
                [
                    number(found.values[at[a], at[b]], 4) if {a, b} <= at.keys() else None
                    for b in names
                ]
                for a in names
            ],
        }

    # -- what is said -----------------------------------------------------------------------------

    def _answer(self) -> Iterator[list[str]]:
        """The sentences of each part."""
        ranked = [m for m, order in enumerate(self._orders) if order]
        if not ranked:
            yield ["No measure tells which run is best: none has a score by which runs are ranked."]
            return
        why = [*self._why(self.best[ranked[0]])]  # which is of lists, the first part
        for part in range(len(self.parts.each)):
            if of_part := [m for m in ranked if self.parts.number(m) == part]:
                yield [*self._best(*of_part), *why]
                why = []

    def _best(self, first: int, *others: int) -> Iterator[str]:
        """Which run is best by the measures of a part."""
        yield self._sentence(first)
        runs, best = self.scores.runs, self.best[first]
        if not others or len(self.parts.of(first).runs) < 2:
            return
        names = self.scores.measures
        same = [names[m] for m in others if self.best[m] == best]
        if same:
            yield f"It is also best by {_listed(same)}."
        by_run: dict[int, list[str]] = {}
        for m in others:
            if (other := self.best[m]) is not None and other != best:
                by_run.setdefault(other, []).append(names[m])
        if by_run:
            said = [f"{runs[i]} by {_listed(of)}" for i, of in by_run.items()]
            yield f"Best by other measures: {'; '.join(said)}."

    def _sentence(self, m: int) -> str:
        """Which run is best by a measure, and how sure that is."""
        name, runs, part = self.scores.measures[m], self.scores.runs, self.parts.of(m)
        first = runs[self._orders[m][0]]
        interval = self.parts.interval(m, first)
        mean = rounded(self.parts.mean(m, first))
        if interval is not None and not isnan(interval.low):
            mean += f" {interval_text(interval.low, interval.high)}"
        if len(part.runs) == 1:
            topics = counted(len(part.topics), "topic")
            return f"{first} has {name} {mean} on {topics}."
        compared = self.comparisons[m]
        if compared is None:
            return f"{first} is best by {name}, {mean}; how sure that is cannot be said."
        second = runs[self._orders[m][1]]
        pair = compared.pair(first, second)
        if pair.difference == 0:
            return f"{first} and {second} are best by {name}, both {mean}."
        p = stated_p(compared.shown_p(pair))
        if pair.pvalue <= compared.alpha:
            return (
                f"{first} is best by {name}, {mean}; its lead over {second} is significant ({p})."
            )
        alike = sum(x.pvalue > compared.alpha for x in compared.pairs if x.run == first)
        more = f", nor over {counted(alike - 1, 'other run')}" if alike > 1 else ""
        lead = f"its lead over {second} is not significant ({p}){more}"
        return f"{first} is best by {name}, {mean}; {lead}."

    def _why(self, best: int | None) -> Iterator[str]:
        """Where the best run fails, and why."""
        hard = None if self.found is None else self.found.hard
        if hard is None or best is None:
            return
        run = self.scores.runs[best]
        tally = {b: n for b, n in hard.tally()[run].items() if b is not None and n}
        if not tally:
            return
        bucket = max(tally, key=lambda b: tally[b])
        failing, every = sum(tally.values()), counted(len(hard.topics), "topic")
        how = "another run is better" if len(hard.runs) > 1 else "an ideal list is better"
        most = f"the most frequent reason is “{bucket}” ({tally[bucket]:,})"
        yield f"On {failing:,} of {every} {how} than {run} by {hard.measure}; {most}."

    def _notices(self) -> list[dict[str, Any]]:
        """What could mislead, by kind; what is said of many runs in one line."""
        hard = None if self.found is None else self.found.hard
        every = chain(
            self.parts.unmatched(),
            chain.from_iterable(part.notices for part in self.parts.each),
            chain.from_iterable(x.notices for x in self.compared if x is not None),
            () if hard is None else (one for one in hard.notices if one.kind == "bounds"),
            chain.from_iterable(section.notices for section in self.sections),
            self._uncompared(),
        )
        by_kind: dict[str, list[Notice]] = {}
        for notice in loud_first(dict.fromkeys(every)):
            by_kind.setdefault(notice.kind, []).append(notice)
        count = len(self.scores.runs)
        return [{"kind": k, "texts": in_brief(told, count)} for k, told in by_kind.items()]

    def _uncompared(self) -> Iterator[Notice]:
        """By which measures no test was done, though there are several runs."""
        for m, name in enumerate(self.scores.measures):
            if name in self._not_compared and len(self.parts.of(m).runs) > 1:
                many = counted(self._not_compared[name], "topic")
                text = f"{many} with a score of every run, 2 are needed to compare"
                yield Notice("not-compared", f"{name}: {text}")

    # -- the collection ---------------------------------------------------------------------------

    def _collection(self) -> Iterator[dict[str, str]]:
        scores = self.scores
        yield {"label": "topics", "value": f"{len(scores.topics):,}"}
        yield {"label": "runs", "value": f"{len(scores.runs):,}"}
        if self.found is not None:
            yield from self._judged(self.found)
        if self.shown_answers is not None:
            yield from (_row(*row) for row in self.shown_answers.counts())

    def _judged(self, found: Gathered) -> Iterator[dict[str, str]]:
        """What is known of documents and lists."""
        collection = found.of.collection
        gold = collection.gold.judgments
        chosen = np.isin(gold.item_topics, np.array(sorted(set(self._judged_places))))
        levels, counts = np.unique(gold.levels[chosen], return_counts=True)
        each = " · ".join(f"level {l:g}: {n:,}" for l, n in zip(levels, counts, strict=True))
        yield {"label": "judgments", "value": f"{int(chosen.sum()):,}", "note": each}
        yield from self._unjudged()
        placed = [collection.of_chosen(one.labelled.placed) for one in found.runs]
        every = int(collection.chosen.sum())
        missing = [every - int((x.answered & collection.chosen).sum()) for x in placed]
        note = f"in {counted(sum(n > 0 for n in missing), 'run')}" if any(missing) else ""
        yield _row(
            "not answered", f"{sum(missing):,} of {counted(every * len(placed), 'list')}", note
        )
        tied = [int(x.tied.sum()) for x in placed]
        note = f"in {counted(sum(n > 0 for n in tied), 'run')}" if any(tied) else ""
        yield _row("tied documents", f"{sum(tied):,}", note)

    @property
    def _judged_places(self) -> list[int]:
        assert self.found is not None  # noqa: S101
        return np.flatnonzero(self.found.of.collection.chosen).tolist()

    def _unjudged(self) -> Iterator[dict[str, str]]:
        assert self.found is not None  # noqa: S101
        of_chosen = self.found.of.collection.of_chosen
        shares = []
        for one in self.found.runs:
            placed = of_chosen(one.labelled.placed)
            shown = int(np.minimum(placed.lengths, TOP).sum())
            judged = int(np.count_nonzero(placed.ranks <= TOP))
            shares.append((shown - judged) / shown if shown else 0.0)
        mean = sum(shares) / len(shares)
        note = f"from {min(shares):.1%} to {max(shares):.1%}" if len(shares) > 1 else ""
        yield _row(f"unjudged in the top {TOP}", f"{mean:.1%}", note)

    def _buckets(self) -> dict[str, Any] | None:
        """Why each run fails at each topic."""
        hard = None if self.found is None else self.found.hard
        if hard is None:
            return None
        code = {bucket: i for i, bucket in enumerate(BUCKETS)}
        of = {
            (one.run, one.topic): -1 if one.bucket is None else code[one.bucket]
            for one in hard.results
        }
        counted_topics = {one.topic for one in hard.results}
        topics, said = self.scores.topics, meanings(hard)
        return {
            "measure": self.scores.measures.index(hard.measure),
            "names": list(BUCKETS),
            "explained": [said[bucket] for bucket in BUCKETS],
            "codes": [[of.get((run, topic), -1) for topic in topics] for run in self.scores.runs],
            "counted": [topic in counted_topics for topic in topics],
        }

    # -- the end ----------------------------------------------------------------------------------

    def _tested(self) -> Iterator[dict[str, str]]:
        """How runs were compared."""
        said = dict.fromkeys(procedure(x) for x in self.comparisons if x is not None)
        yield from (_row("test", text) for text in said)

    def _left_out(self) -> Iterator[str]:
        names = self.scores.measures
        scored = self._scored_measures
        if scored < len(names):
            yield f"Scores of topics are shown by {_listed(names[:scored])} only; {COMPLETE}."
        tested = self.limits.tested(len(self.scores.runs), len(names))
        if len(self.scores.runs) > 1 and tested < len(names):
            shown = f"by {_listed(names[:tested])} only" if tested else "by no measure"
            yield f"Pairs of runs are shown {shown}; {COMPLETE}."
        yield from self._without_bounds()
        if self.found is not None and not self.found.of.ordered:
            yield "Lists and failures need one order of documents, of whole topics."
        for part in (self.shown_lists, self.shown_answers, self.texts):
            if part is not None:
                yield from part.left_out()
        yield from chain.from_iterable(section.left_out for section in self.sections)

    def _without_bounds(self) -> Iterator[str]:
        found = self.found
        if found is None or len(found.runs) < 2 or not found.boundings:
            return
        runs, measures = len(found.runs), len(found.scores.measures)
        what = "What unjudged documents could change is computed"
        if not self.limits.all_bounds(runs, 1):
            yield f"{what} for the differences to the best run only; {COMPLETE}."
        elif len(found.boundings) < measures and not self.limits.all_bounds(runs, measures):
            yield f"{what} by {_listed([*found.boundings])} only; {COMPLETE}."


_OfPair: TypeAlias = Callable[[PairComparison], float]


def _at(
    pairs: Mapping[tuple[int, int], PairComparison], i: int, j: int, of: _OfPair, turned: _OfPair
) -> float | None:
    """Return the number of two runs: of their pair, or `turned` if the pair is j and i."""
    if (i, j) in pairs:
        return of(pairs[i, j])
    return turned(pairs[j, i]) if (j, i) in pairs else None


def _pvalue(pair: PairComparison) -> float:
    return pair.pvalue


def _common_half(compared: Comparison) -> Number:
    """Return half the width of all intervals, if all are equally wide, as those of Tukey's tests.

    The HTML report of 100 runs is then smaller by a tenth.
    """
    halves = [(pair.high - pair.low) / 2 for pair in compared.pairs]
    middles = [(pair.high + pair.low) / 2 - pair.difference for pair in compared.pairs]
    same = np.allclose([half - halves[0] for half in halves] + middles, 0, atol=1e-12)
    return number(halves[0], 9) if same else None


def _least_p(compared: Comparison) -> dict[str, Any] | None:
    """Return the smallest p-value that the trials can give, with its text, such as "<0.001"."""
    shown = ((pair.pvalue, compared.shown_p(pair)) for pair in compared.pairs)
    least = [(p, text) for p, text in shown if p >= 0.0001 and text.startswith("<")]
    return {"p": number(least[0][0], 8), "text": least[0][1]} if least else None


def _t_quantiles(confidence: float, topics: int) -> list[Number]:
    """Return the quantiles of Student's t for intervals over filtered topics.

    The first is that of the normal distribution, number k that of k degrees of freedom.
    """
    df = np.arange(1, max(min(topics, T_QUANTILES), 1))
    quantiles = [float(special.ndtri((1 + confidence) / 2)), *t_quantile(confidence, df).tolist()]
    return numbers(quantiles, 9)


def _row(label: str, value: str, note: str = "") -> dict[str, str]:
    return {"label": label, "value": value, **({"note": note} if note else {})}


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> _listed(["AP", "RR", "P@10"])
    'AP, RR and P@10'
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
