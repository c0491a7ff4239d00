"""Answer of a comparison in one sentence per measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cranfield.comparison import Comparison, PairComparison
from cranfield.stats.result import format_p_statement
from cranfield.tables import format_difference, format_interval
from cranfield.wording import format_count, format_number

_MAX_SENTENCES = 3
_MAX_NAMES = 5


def write_answer(comparison: Comparison) -> str:
    """Return one sentence per measure, or about the first measure if there are many."""
    measures = comparison.scores.measures
    selection = measures if len(measures) <= _MAX_SENTENCES else measures[:1]
    lines = [line for measure in selection for line in _write_sentences(comparison, measure)]
    more = len(measures) - len(selection)
    return "\n".join([*lines, *([f"The tables contain {format_count(more, 'other measure')}."] if more else [])])


def _write_sentences(comparison: Comparison, measure: str) -> Iterator[str]:
    pairs = [pair for pair in comparison.pairs if pair.measure == measure]
    if pairs and all(pair.smallest_pvalue > comparison.alpha for pair in pairs):
        topics = format_count(max(pair.topics for pair in pairs), "topic")
        yield f"By {measure}, no verdict is possible: {topics} cannot give a p-value up to α = {comparison.alpha:g}."
    elif len(pairs) == 1:
        yield _write_pair(comparison, pairs[0])
    elif comparison.baselines:
        for baseline in comparison.baselines[:_MAX_SENTENCES]:
            yield _write_baseline(comparison, measure, baseline, [pair for pair in pairs if pair.other == baseline])
    elif pairs:
        yield _write_best(comparison, measure, pairs)


def _write_pair(comparison: Comparison, pair: PairComparison) -> str:
    if pair.pvalue <= comparison.alpha:
        result = f"is significantly {f'{pair.verdict} than' if pair.verdict else 'different from'}"
    else:
        result = "is not significantly different from"
    interval = format_interval(pair.low, pair.high, "+")
    p = format_p_statement(comparison.shown_p(pair))
    return f"By {pair.measure}, {pair.run} {result} {pair.other}: {format_difference(pair.difference)} {interval}, {p}."


def _write_baseline(comparison: Comparison, measure: str, baseline: str, pairs: Sequence[PairComparison]) -> str:
    size, groups = format_count(len(pairs), _name_noun(comparison)), dict[str, list[str]]()
    for pair in pairs:
        if pair.pvalue <= comparison.alpha:
            groups.setdefault(pair.verdict or "different", []).append(pair.run)
    if not groups:
        return f"By {measure}, none of {size} is significantly different from {baseline}."
    parts, whole = [], (f" of {size}", f" {{}} {baseline}")
    for outcome, runs in groups.items():
        relation = whole[1].format("from" if outcome == "different" else "than")
        verb = "is" if len(runs) == 1 else "are"
        parts.append(f"{len(runs)}{whole[0]} {verb} significantly {outcome}{relation}{_list_names(runs)}")
        whole = ("", "")
    return f"By {measure}, {' and '.join(parts)}."


def _write_best(comparison: Comparison, measure: str, pairs: Sequence[PairComparison]) -> str:
    first = next(row for row in comparison.runs if row.measure == measure)
    own = [pair for pair in pairs if first.run in (pair.run, pair.other)]
    different = [pair.other if pair.run == first.run else pair.run for pair in own if pair.pvalue <= comparison.alpha]
    has_direction = comparison.scores.better[comparison.scores.measures.index(measure)] != "neither"
    lead = (
        f"By {measure}, {first.run} has the {'best' if has_direction else 'highest'} mean ({format_number(first.mean)})"
    )
    relation = "better than" if has_direction else "different from"
    if not different:
        return f"{lead}, but is not significantly {relation} any other {_name_noun(comparison)}."
    others = f"{len(different)} of {format_count(len(own), f'other {_name_noun(comparison)}')}"
    return f"{lead} and is significantly {relation} {others}{_list_names(different)}."


def _name_noun(comparison: Comparison) -> str:
    return "system" if comparison.systems else "run"


def _list_names(names: Sequence[str]) -> str:
    return f" ({', '.join(names[:_MAX_NAMES])}{', …' if len(names) > _MAX_NAMES else ''})"
