"""Data of the HTML report as plain values. The page only sorts and filters them.

All numbers are results of `evaluate`, `evaluate_answers`, `compare`, `hard_topics`, `bounds` and
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
from cranfield.comparison.tables import describe_procedure
from cranfield.data.descriptions import DocsLike, Query
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.answers import AnswerCollection
from cranfield.evaluation.failure_tables import explain_reasons
from cranfield.evaluation.failures import BUCKETS
from cranfield.lazy_imports import special
from cranfield.meta.correlation import correlation
from cranfield.report.page.answers import ReportAnswers
from cranfield.report.page.definitions import build_definition
from cranfield.report.page.inputs import ReportInputs
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.numbers import Number, round_number, round_numbers
from cranfield.report.page.parts import ScoreParts
from cranfield.report.page.rankings import ReportRankings
from cranfield.report.page.sections import Section, build_sections
from cranfield.report.page.slices import build_slice_sections
from cranfield.report.page.texts import ReportTexts
from cranfield.scores import Note, Scores, format_notes, sort_notes
from cranfield.stats.effects import EFFECTS
from cranfield.stats.measure_scores import extract_measure
from cranfield.stats.prediction import compute_t_quantile
from cranfield.stats.result import format_p_statement
from cranfield.tables import format_interval
from cranfield.wording import format_count, format_number

TOP = 10  # ranks for the number of unjudged documents
T_QUANTILES = 100  # degrees of freedom; the page uses an expansion beyond (7 digits)


@dataclass(frozen=True, eq=False)
class ReportData:
    """Data of an HTML report."""

    scores_list: Sequence[Scores]  # of rankings, of answers, or of both
    title: str
    limits: Limits
    test_options: Mapping[str, Any]  # options of `compare`
    inputs: ReportInputs | None = None  # None: no rankings
    answers: AnswerCollection | None = None
    queries: Mapping[str, Query] = field(default_factory=dict)
    docs: DocsLike = None
    second_qrels: Mapping[str, Mapping[str, float]] | None = None
    qrels_names: tuple[str, str] = ("first", "second")  # names of both qrels
    provenance: Sequence[Mapping[str, str]] = ()
    input_files: Sequence[str] = ()  # files that the report must not overwrite

    @cached_property
    def parts(self) -> ScoreParts:
        """Scores of rankings and of answers."""
        return ScoreParts(self.scores_list, self.confidence)

    @property
    def scores(self) -> Scores:
        """Scores of all parts."""
        return self.parts.joined

    @property
    def confidence(self) -> float:
        """Confidence level of intervals."""
        return 1 - float(self.test_options.get("alpha", 0.05))

    # -- computation -------------------------------------------------------------------------

    @cached_property
    def part_comparisons(self) -> list[Comparison | None]:
        """Comparison of the runs of each part, by all comparable measures."""
        return [*map(self._compare, self.parts.parts)]

    def _compare(self, part: Scores) -> Comparison | None:
        measures = [name for name in part.measures if name not in self._untested_measures]
        return compare(part.select(measures=measures), **self.test_options) if measures else None

    @cached_property
    def comparisons(self) -> list[Comparison | None]:
        """Comparison by each measure. None if runs cannot be compared."""
        return [
            None
            if (comparison := self.part_comparisons[self.parts.get_part_index(m)]) is None
            or name in self._untested_measures
            else comparison.by(name)
            for m, name in enumerate(self.scores.measures)
        ]

    @cached_property
    def _untested_measures(self) -> dict[str, int]:
        """Measures by which runs cannot be compared, with their numbers of topics."""
        topic_counts: dict[str, int] = {}
        for part in self.parts.parts:
            for name in part.measures:
                topics = len(extract_measure(part, name, turned=False).matrix.topics)
                if len(part.runs) < 2 or topics < 2:
                    topic_counts[name] = topics
        return topic_counts

    @cached_property
    def rankings(self) -> ReportRankings | None:
        """Rankings, if they have one order."""
        if self.inputs is None or not self.inputs.reader.ordered:
            return None
        return ReportRankings(self.inputs, self.second_qrels)

    @cached_property
    def report_answers(self) -> ReportAnswers | None:
        """Answers, if there are any."""
        if self.answers is None:
            return None
        measure = next((m for m, is_answer_measure in enumerate(self._is_answer_measure) if is_answer_measure), 0)
        return ReportAnswers(self.answers, self.scores, measure, self.limits, self.inputs, self.second_qrels)

    @property
    def _is_answer_measure(self) -> list[bool]:
        """For each measure, True if it is computed from answers."""
        last = len(self.parts.parts) - 1 if self.answers and self._has_answer_scores else -1
        return [self.parts.get_part_index(m) == last for m in range(len(self.scores.measures))]

    @property
    def _has_answer_scores(self) -> bool:
        return self.inputs is None or len(self.parts.parts) > 1

    @cached_property
    def texts(self) -> ReportTexts | None:
        """Titles and texts of the shown documents, if available."""
        if self.docs is None:
            return None
        displayed = [x.topics.values() for x in (self.rankings, self.report_answers) if x is not None]
        return ReportTexts(self.docs, [*chain(*displayed)], self.limits)

    @cached_property
    def sections(self) -> list[Section]:
        """Sections that depend on the inputs."""
        slices = [*build_slice_sections(self.parts.parts, self.part_comparisons)]
        if self.inputs is None:
            return slices
        return [*slices, *build_sections(self.inputs, self.second_qrels, self.qrels_names)]

    @cached_property
    def best(self) -> list[int | None]:
        """Best run by each measure. The first of several equal runs."""
        return [order[0] if order else None for order in self._run_orders]

    @cached_property
    def _run_orders(self) -> list[list[int]]:
        """Runs by each measure, best first. Empty if no direction is better."""
        return [[*self._rank_runs(m)] for m in range(len(self.scores.measures))]

    def _rank_runs(self, m: int) -> Iterator[int]:
        better = self.scores.better[m]
        if better == "neither":
            return
        comparison, index = self.comparisons[m], self.scores.runs.index
        if comparison is not None:
            yield from (index(row.run) for row in comparison.runs)
            return
        sign = 1 if better == "lower" else -1
        means = [self.parts.get_mean(m, run) for run in self.scores.runs]
        scored = [i for i, mean in enumerate(means) if not isnan(mean)]
        yield from sorted(scored, key=lambda i: sign * means[i])

    @property
    def notes(self) -> tuple[Note, ...]:
        """Runs and answers whose names do not match, and omissions."""
        return (*self.parts.note_unmatched(), *(Note("left-out", text) for text in self.data["left_out"]))

    def describe_size(self) -> str:
        """Return the numbers of runs, topics and measures."""
        names = {"runs": "run", "topics": "topic", "measures": "measure"}
        return " × ".join(format_count(len(self.data[x]), noun) for x, noun in names.items())

    # -- the dict ---------------------------------------------------------------------------------

    @cached_property
    def data(self) -> dict[str, Any]:
        """Complete data of the report."""
        scores, rankings, answers = self.scores, self.rankings, self.report_answers
        paragraphs = [*self._write_summary()]
        if self.texts is not None:
            self.texts.add_to_topics()
        return {
            "title": self.title,
            "answer": [*chain(*paragraphs)],
            "leads": [sum(map(len, paragraphs[:i])) for i in range(len(paragraphs))],
            "notices": self._collect_notes(),
            "runs": [{"name": name} for name in scores.runs],
            "topics": [*map(self._build_topic, scores.topics)],
            "measures": self._build_measures(),
            "scores": self._build_scores(),
            "over": self.parts.topics_text,
            "t": _compute_t_quantiles(self.confidence, len(scores.topics)),
            "board": [self._build_board(m) for m in range(len(scores.measures))],
            "pairs": self._build_pairs(),
            "agreement": self._build_agreement(),
            "collection": [*self._describe_collection()],
            "buckets": self._build_reasons(),
            "lists": None if rankings is None else rankings.data,
            "answers": None if answers is None else answers.data,
            "walks": None,
            "diversity": None,
            "sections": [section.data for section in self.sections],
            "reproduce": [*self.provenance, *self._describe_tests()],
            "left_out": [*self._describe_omissions()],
            "pool": {"format": "topic doc"},
        }

    def _build_topic(self, name: str) -> dict[str, Any]:
        query, values = self.queries.get(name), dict[str, str]()
        if query is not None:
            values |= query.slices
        for part in self.parts.parts:
            values |= {attribute: x[name] for attribute, x in part.attributes.items() if name in x}
        slices = {"slices": values} if values else {}
        return {"id": name, **({} if query is None else {"query": query.text}), **slices}

    def _build_measures(self) -> list[dict[str, Any]]:
        evaluated = () if self.inputs is None else self.inputs.reader.evaluator.measures
        measure_of_name = {name: m for m in evaluated for name in m.names()}
        rows = zip(self.scores.measures, self.scores.summaries, self.scores.better, strict=True)
        definitions = [build_definition(name, s, better, measure_of_name.get(name)) for name, s, better in rows]
        return [entry | {"answers": flag} for entry, flag in zip(definitions, self._is_answer_measure, strict=True)]

    def _build_scores(self) -> list[list[list[Number]] | None]:
        """[measures][runs][topics], for as many measures as the limit allows."""
        limit = self._measure_limit
        values = self.scores.values.transpose(2, 0, 1).tolist()
        return [[round_numbers(topics, 8) for topics in runs] if m < limit else None for m, runs in enumerate(values)]

    @property
    def _measure_limit(self) -> int:
        r, t, m = self.scores.values.shape
        return self.limits.count_measures(r, t, m)

    def _build_board(self, m: int) -> dict[str, Any]:
        comparison, runs = self.comparisons[m], self.scores.runs
        letters = {row.run: row.groups for row in comparison.runs} if comparison is not None else {}
        intervals = [self.parts.get_interval(m, run) for run in runs]
        return {
            "means": round_numbers(self.parts.get_mean(m, run) for run in runs),
            "low": round_numbers(None if x is None else x.low for x in intervals),
            "high": round_numbers(None if x is None else x.high for x in intervals),
            "letters": [letters.get(run, "") for run in runs],
            "confidence": round_number(self.confidence),
            "test": "" if comparison is None else describe_procedure(comparison),
        }

    # -- pairs ------------------------------------------------------------------------------------

    def _build_pairs(self) -> list[dict[str, Any] | None]:
        limit = self.limits.count_tested(len(self.scores.runs), len(self.scores.measures))
        return [
            None if comparison is None or m >= limit else self._build_triangles(m, comparison)
            for m, comparison in enumerate(self.comparisons)
        ]

    def _build_triangles(self, m: int, comparison: Comparison) -> dict[str, Any]:
        """Return the numbers of each pair (i, j), i < j: row i has the runs after i."""
        index = {run: i for i, run in enumerate(self.scores.runs)}
        by_pair = {(index[p.run], index[p.other]): p for p in comparison.pairs}

        def build_triangle(forward: _PairFunction, backward: _PairFunction, digits: int = 4) -> list[list[Number]]:
            return [
                [
                    round_number(_get_pair_value(by_pair, i, j, forward, backward), digits)
                    for j in range(i + 1, len(index))
                ]
                for i in range(len(index))
            ]

        low, high = self._build_bounds(m)
        return {
            "p": build_triangle(_get_pvalue, _get_pvalue, 8),  # compared with alpha by the page
            "least_p": _find_smallest_p(comparison),
            "effect": build_triangle(lambda p: p.effect, lambda p: -p.effect),
            "difference": build_triangle(lambda p: p.difference, lambda p: -p.difference),
            "half": (half := _find_common_half_width(comparison)),
            "low": None if half is not None else build_triangle(lambda p: p.low, lambda p: -p.high),
            "high": None if half is not None else build_triangle(lambda p: p.high, lambda p: -p.low),
            "bound_low": low,
            "bound_high": high,
            "alpha": comparison.alpha,
            "test": describe_procedure(comparison),
            "effect_name": EFFECTS[comparison.effect].title,
        }

    def _build_bounds(self, m: int) -> tuple[list[list[Number]] | None, list[list[Number]] | None]:
        """Return the bounds of differences due to unjudged documents, if computed."""
        name, best = self.scores.measures[m], self.best[m]
        pairs = [] if self.inputs is None or best is None else self.inputs.choose_bounded_pairs(name, best)
        if self.inputs is None or not pairs:
            return None, None
        n = len(self.scores.runs)
        low: list[list[Number]] = [[None] * (n - 1 - i) for i in range(n)]
        high: list[list[Number]] = [[None] * (n - 1 - i) for i in range(n)]
        for i, j in pairs:
            ends = self.inputs.compute_mean_bounds(name, i, j)
            low[i][j - i - 1], high[i][j - i - 1] = round_numbers(ends, 4)
        return low, high

    def _build_agreement(self) -> dict[str, Any] | None:
        """Return Kendall's τ between the rankings of runs by each pair of measures."""
        scores = self.parts.common
        if len(scores.measures) < 2 or len(scores.runs) < 2:
            return None
        try:
            correlations = correlation(scores, trials=1)
        except InputError:  # one topic, or no measure with a better direction
            return None
        index = {name: i for i, name in enumerate(correlations.names)}
        names = self.scores.measures
        return {
            "statistic": correlations.statistic,
            "values": [
                [
                    round_number(correlations.values[index[a], index[b]], 4) if {a, b} <= index.keys() else None
                    for b in names
                ]
                for a in names
            ],
        }

    # -- text -----------------------------------------------------------------------------

    def _write_summary(self) -> Iterator[list[str]]:
        """Yield the sentences of each part."""
        ranked = [m for m, order in enumerate(self._run_orders) if order]
        if not ranked:
            yield ["No run is best: no measure has scores that rank the runs."]
            return
        failure_text = [*self._write_failures(self.best[ranked[0]])]  # of the first part, the rankings
        for part in range(len(self.parts.parts)):
            if part_measures := [m for m in ranked if self.parts.get_part_index(m) == part]:
                yield [*self._write_best(*part_measures), *failure_text]
                failure_text = []

    def _write_best(self, first: int, *other_measures: int) -> Iterator[str]:
        """Yield sentences that name the best run by the measures of a part."""
        yield self._write_lead(first)
        runs, best = self.scores.runs, self.best[first]
        if not other_measures or len(self.parts.get_part(first).runs) < 2:
            return
        names = self.scores.measures
        same_best = [names[m] for m in other_measures if self.best[m] == best]
        if same_best:
            yield f"It is also best by {_join_names(same_best)}."
        by_run: dict[int, list[str]] = {}
        for m in other_measures:
            if (other_best := self.best[m]) is not None and other_best != best:
                by_run.setdefault(other_best, []).append(names[m])
        if by_run:
            texts = [f"{runs[i]} by {_join_names(measures)}" for i, measures in by_run.items()]
            yield f"Best by other measures: {'; '.join(texts)}."

    def _write_lead(self, m: int) -> str:
        """Name the best run by a measure, and the significance of its lead."""
        name, runs, part = self.scores.measures[m], self.scores.runs, self.parts.get_part(m)
        first = runs[self._run_orders[m][0]]
        interval = self.parts.get_interval(m, first)
        mean = format_number(self.parts.get_mean(m, first))
        if interval is not None and not isnan(interval.low):
            mean += f" {format_interval(interval.low, interval.high)}"
        if len(part.runs) == 1:
            topics = format_count(len(part.topics), "topic")
            return f"{first} has {name} {mean} on {topics}."
        comparison = self.comparisons[m]
        if comparison is None:
            return f"{first} is best by {name}, {mean}. Its lead cannot be tested."
        second = runs[self._run_orders[m][1]]
        pair = comparison.pair(first, second)
        if pair.difference == 0:
            return f"{first} and {second} are best by {name}, both {mean}."
        p = format_p_statement(comparison.shown_p(pair))
        if pair.pvalue <= comparison.alpha:
            return f"{first} is best by {name}, {mean}. Its lead over {second} is significant ({p})."
        not_different = sum(x.pvalue > comparison.alpha for x in comparison.pairs if x.run == first)
        more = f", nor over {format_count(not_different - 1, 'other run')}" if not_different > 1 else ""
        lead = f"Its lead over {second} is not significant ({p}){more}"
        return f"{first} is best by {name}, {mean}. {lead}."

    def _write_failures(self, best: int | None) -> Iterator[str]:
        """Describe where the best run fails, and the most frequent reason."""
        hard = None if self.inputs is None else self.inputs.hard_topics
        if hard is None or best is None:
            return
        run = self.scores.runs[best]
        tally = {b: n for b, n in hard.tally()[run].items() if b is not None and n}
        if not tally:
            return
        bucket = max(tally, key=lambda b: tally[b])
        failing, topics = sum(tally.values()), format_count(len(hard.topics), "topic")
        comparison = "another run is better" if len(hard.runs) > 1 else "an ideal ranking is better"
        reason = f"The most frequent reason is “{bucket}” ({tally[bucket]:,})"
        yield f"On {failing:,} of {topics} {comparison} than {run} by {hard.measure}. {reason}."

    def _collect_notes(self) -> list[dict[str, Any]]:
        """Return notes and warnings by kind. Notes about many runs are merged."""
        hard = None if self.inputs is None else self.inputs.hard_topics
        notes = chain(
            self.parts.note_unmatched(),
            chain.from_iterable(part.notes for part in self.parts.parts),
            chain.from_iterable(x.notes for x in self.part_comparisons if x is not None),
            () if hard is None else (note for note in hard.notes if note.kind == "bounds"),
            chain.from_iterable(section.notes for section in self.sections),
            self._note_untested(),
        )
        by_kind: dict[str, list[Note]] = {}
        for entry in sort_notes(dict.fromkeys(notes)):
            by_kind.setdefault(entry.kind, []).append(entry)
        count = len(self.scores.runs)
        return [{"kind": k, "texts": format_notes(group, count)} for k, group in by_kind.items()]

    def _note_untested(self) -> Iterator[Note]:
        """Yield notes about measures without a test, if there are several runs."""
        for m, name in enumerate(self.scores.measures):
            if name in self._untested_measures and len(self.parts.get_part(m).runs) > 1:
                topic_count = format_count(self._untested_measures[name], "topic")
                text = f"{topic_count} with scores of all runs, a test needs 2"
                yield Note("not-compared", f"{name}: {text}")

    # -- the collection ---------------------------------------------------------------------------

    def _describe_collection(self) -> Iterator[dict[str, str]]:
        scores = self.scores
        yield {"label": "topics", "value": f"{len(scores.topics):,}"}
        yield {"label": "runs", "value": f"{len(scores.runs):,}"}
        if self.inputs is not None:
            yield from self._describe_judgments(self.inputs)
        if self.report_answers is not None:
            yield from (_build_row(*row) for row in self.report_answers.count_answers())

    def _describe_judgments(self, inputs: ReportInputs) -> Iterator[dict[str, str]]:
        """Yield numbers of judgments, missing topics and ties."""
        collection = inputs.reader.collection
        gold = collection.gold.judgments
        is_evaluated = np.isin(gold.item_topics, np.array(sorted(set(self._evaluated_topics))))
        levels, counts = np.unique(gold.levels[is_evaluated], return_counts=True)
        level_counts = " · ".join(f"level {l:g}: {n:,}" for l, n in zip(levels, counts, strict=True))
        yield {"label": "judgments", "value": f"{int(is_evaluated.sum()):,}", "note": level_counts}
        yield from self._describe_unjudged()
        rankings = [collection.select_topics(run.labelled.full_rankings) for run in inputs.runs]
        topic_count = int(collection.topic_mask.sum())
        missing = [topic_count - int((x.answered & collection.topic_mask).sum()) for x in rankings]
        note = f"in {format_count(sum(n > 0 for n in missing), 'run')}" if any(missing) else ""
        yield _build_row(
            "not answered", f"{sum(missing):,} of {format_count(topic_count * len(rankings), 'list')}", note
        )
        tied = [int(x.tied.sum()) for x in rankings]
        note = f"in {format_count(sum(n > 0 for n in tied), 'run')}" if any(tied) else ""
        yield _build_row("tied documents", f"{sum(tied):,}", note)

    @property
    def _evaluated_topics(self) -> list[int]:
        assert self.inputs is not None  # noqa: S101
        return np.flatnonzero(self.inputs.reader.collection.topic_mask).tolist()

    def _describe_unjudged(self) -> Iterator[dict[str, str]]:
        assert self.inputs is not None  # noqa: S101
        select_evaluated = self.inputs.reader.collection.select_topics
        fractions = []
        for run in self.inputs.runs:
            ranking = select_evaluated(run.labelled.full_rankings)
            documents = int(np.minimum(ranking.lengths, TOP).sum())
            judged = int(np.count_nonzero(ranking.ranks <= TOP))
            fractions.append((documents - judged) / documents if documents else 0.0)
        mean = sum(fractions) / len(fractions)
        note = f"from {min(fractions):.1%} to {max(fractions):.1%}" if len(fractions) > 1 else ""
        yield _build_row(f"unjudged in the top {TOP}", f"{mean:.1%}", note)

    def _build_reasons(self) -> dict[str, Any] | None:
        """Return the reason for which each run fails on each topic."""
        hard = None if self.inputs is None else self.inputs.hard_topics
        if hard is None:
            return None
        code = {bucket: i for i, bucket in enumerate(BUCKETS)}
        code_of_result = {
            (entry.run, entry.topic): -1 if entry.bucket is None else code[entry.bucket] for entry in hard.results
        }
        counted_topics = {entry.topic for entry in hard.results}
        topics, reason_texts = self.scores.topics, explain_reasons(hard)
        return {
            "measure": self.scores.measures.index(hard.measure),
            "names": list(BUCKETS),
            "explained": [reason_texts[bucket] for bucket in BUCKETS],
            "codes": [[code_of_result.get((run, topic), -1) for topic in topics] for run in self.scores.runs],
            "counted": [topic in counted_topics for topic in topics],
        }

    # -- the end ----------------------------------------------------------------------------------

    def _describe_tests(self) -> Iterator[dict[str, str]]:
        """Yield the procedures by which runs were compared."""
        procedures = dict.fromkeys(describe_procedure(x) for x in self.comparisons if x is not None)
        yield from (_build_row("test", text) for text in procedures)

    def _describe_omissions(self) -> Iterator[str]:
        names = self.scores.measures
        scored = self._measure_limit
        if scored < len(names):
            yield f"Scores per topic are shown for {_join_names(names[:scored])} only. {COMPLETE}."
        tested = self.limits.count_tested(len(self.scores.runs), len(names))
        if len(self.scores.runs) > 1 and tested < len(names):
            shown_measures = f"by {_join_names(names[:tested])} only" if tested else "by no measure"
            yield f"Pairs of runs are shown {shown_measures}. {COMPLETE}."
        yield from self._describe_missing_bounds()
        if self.inputs is not None and not self.inputs.reader.ordered:
            yield "Rankings and failures need one order of documents and complete topics."
        for part in (self.rankings, self.report_answers, self.texts):
            if part is not None:
                yield from part.describe_omissions()
        yield from chain.from_iterable(section.left_out for section in self.sections)

    def _describe_missing_bounds(self) -> Iterator[str]:
        inputs = self.inputs
        if inputs is None or len(inputs.runs) < 2 or not inputs.bounds:
            return
        runs, measures = len(inputs.runs), len(inputs.scores.measures)
        subject = "The effect of unjudged documents is computed"
        if not self.limits.allows_all_bounds(runs, 1):
            yield f"{subject} for differences to the best run only. {COMPLETE}."
        elif len(inputs.bounds) < measures and not self.limits.allows_all_bounds(runs, measures):
            yield f"{subject} for {_join_names([*inputs.bounds])} only. {COMPLETE}."


_PairFunction: TypeAlias = Callable[[PairComparison], float]


def _get_pair_value(
    pairs: Mapping[tuple[int, int], PairComparison], i: int, j: int, forward: _PairFunction, backward: _PairFunction
) -> float | None:
    """Return a number of a pair: `forward`, or `backward` if the pair is (j, i)."""
    if (i, j) in pairs:
        return forward(pairs[i, j])
    return backward(pairs[j, i]) if (j, i) in pairs else None


def _get_pvalue(pair: PairComparison) -> float:
    return pair.pvalue


def _find_common_half_width(comparison: Comparison) -> Number:
    """Return half the width of all intervals if they are equal, as in Tukey's test.

    The HTML report of 100 runs is then smaller by a tenth.
    """
    halves = [(pair.high - pair.low) / 2 for pair in comparison.pairs]
    middles = [(pair.high + pair.low) / 2 - pair.difference for pair in comparison.pairs]
    is_constant = np.allclose([half - halves[0] for half in halves] + middles, 0, atol=1e-12)
    return round_number(halves[0], 9) if is_constant else None


def _find_smallest_p(comparison: Comparison) -> dict[str, Any] | None:
    """Return the smallest p-value that the trials can give, with its text."""
    p_texts = ((pair.pvalue, comparison.shown_p(pair)) for pair in comparison.pairs)
    least = [(p, text) for p, text in p_texts if p >= 0.0001 and text.startswith("<")]
    return {"p": round_number(least[0][0], 8), "text": least[0][1]} if least else None


def _compute_t_quantiles(confidence: float, topics: int) -> list[Number]:
    """Return the quantiles of Student's t for intervals over filtered topics.

    The first is the quantile of the normal distribution, number k of k degrees of freedom.
    """
    df = np.arange(1, max(min(topics, T_QUANTILES), 1))
    quantiles = [float(special.ndtri((1 + confidence) / 2)), *compute_t_quantile(confidence, df).tolist()]
    return round_numbers(quantiles, 9)


def _build_row(label: str, value: str, note: str = "") -> dict[str, str]:
    return {"label": label, "value": value, **({"note": note} if note else {})}


def _join_names(names: Sequence[str]) -> str:
    """Join names with commas and "and".

    >>> _join_names(["AP", "RR", "P@10"])
    'AP, RR and P@10'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
