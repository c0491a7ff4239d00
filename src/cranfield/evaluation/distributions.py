"""Evaluation of distributions over labels against human distributions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.data.distributions import Distributions, DistributionsLike, read_distributions
from cranfield.data.reading.lines import parse_finite
from cranfield.data.systems import is_file, list_systems, name_systems
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.systems import build_scores
from cranfield.measures.distributions import Pair
from cranfield.measures.grammar import MeasureLike, parse_measures_for
from cranfield.scores import Note, Scores
from cranfield.wording import format_count, format_names, format_option, suggest_keywords

Missing: TypeAlias = Literal["error", "uniform"]
DEFAULT_MEASURES = ("NMD", "RSNOD")  # measures of NTCIR's dialogue tasks for ordered labels


@suggest_keywords
def evaluate_distributions(
    gold: DistributionsLike,
    systems: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    labels: str | Iterable[Any] | None = None,
    votes: bool = False,
    missing: Missing = "error",
) -> Scores:
    """Score distributions of one or several systems against gold distributions. Lower is better.

    gold
        A path, ``{item: [p, …]}``, ``{item: {label: p}}``, a frame with the columns item, label
        and value (or item, and a column per label), or tuples. Integers throughout are votes.
    systems
        One system or a list in the same formats, or ``{name: system}``.
    labels
        All labels in order. Default: the labels of the gold, which must be numbers.
    votes
        True if the gold contains single assessments: item, assessor, label.
    missing
        An item missing from a system: ``error`` (default) or ``uniform`` distribution.

    >>> gold = {"d1": [0, 0.5, 0.5], "d2": [1, 0, 0]}
    >>> evaluate_distributions(gold, {"d1": [0, 0.5, 0.5], "d2": [0, 0, 1]}, "NMD JSD").summary()
    {'system': {'NMD': 0.5, 'JSD': 0.5}}
    """
    check_choice("missing", missing, Missing)
    parsed = parse_measures_for(DEFAULT_MEASURES if measures is None else measures, "distributions")
    gold_data = read_distributions(gold, labels, votes, "gold")
    notes = list(_collect_notes(gold_data, labels is not None))
    by_name = name_systems(list_systems(systems, _is_system))
    gold_matrix = np.array(list(gold_data.items.values()))
    uniform = (1 / len(gold_data.labels),) * len(gold_data.labels)
    values = []
    for name, data in by_name.items():
        system = read_distributions(data, gold_data.labels, location=name)
        notes += _collect_system_notes(name, system, gold_data, missing)
        pair = Pair(np.array([system.items.get(item, uniform) for item in gold_data.items]), gold_matrix)
        values.append(np.stack([m.score(pair) for m in parsed], axis=1))  # type: ignore[arg-type]
    return build_scores(values, by_name, gold_data.items, parsed, notes)


def _is_system(value: Any) -> bool:
    """Return True if the value is a system, not the distribution of an item."""
    if isinstance(value, Mapping):
        return not all(parse_finite(inner) is not None for inner in value.values())
    return isinstance(value, Distributions) or is_file(value)


def _collect_notes(gold: Distributions, declared: bool) -> Iterator[Note]:
    """Note the interpretation of the gold distributions."""
    yield Note("items", "rows are items, and means are over items")
    if not declared:
        text = f"labels in this order: {', '.join(gold.labels)} (from {gold.where})"
        option = format_option("--label-order", "labels=")
        yield Note("labels", f"{text}. Use {option} for another order.")
    yield from _note_votes(gold, gold.where)


def _note_votes(source: Distributions, name: str, run: str | None = None) -> Iterator[Note]:
    if source.votes is not None:
        minimum, maximum = source.votes
        count = format_count(int(maximum), "vote") if minimum == maximum else f"{minimum:,.0f} to {maximum:,.0f} votes"
        yield Note("votes", f"{name}: {count} per item, divided by their number", run)


def _collect_system_notes(name: str, system: Distributions, gold: Distributions, missing: Missing) -> Iterator[Note]:
    """Note items that are only in the system or only in the gold."""
    yield from _note_votes(system, name, name)
    missing_items = [item for item in gold.items if item not in system.items]
    if missing_items and missing == "error":
        problem = f"no distribution for {format_names(missing_items, 'item')}"
        fix = f"Use {format_option('--missing-items uniform', 'missing=uniform')} to score them."
        raise InputError.from_problem(problem, fix, system.where)
    if missing_items:
        text = f"{name}: {format_names(missing_items, 'item')} missing, scored as uniform"
        yield Note("missing-items", text, name, tuple(missing_items))
    if extra_items := [item for item in system.items if item not in gold.items]:
        yield Note("extra-items", f"{name}: {format_names(extra_items, 'item')} not in the gold, ignored", name)
