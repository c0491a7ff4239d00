"""`evaluate_distributions`: how far systems' distributions over labels are from people's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.data.distributions import Distributions, DistributionsLike, read_distributions
from cranfield.data.reading.lines import finite
from cranfield.data.systems import is_file, named, several
from cranfield.errors import InputError, one_of
from cranfield.evaluation.systems import scores_of
from cranfield.measures.distributions import Pair
from cranfield.measures.grammar import MeasureLike, measures_for
from cranfield.scores import Notice, Scores
from cranfield.wording import counted, some, suggests_keywords

Missing: TypeAlias = Literal["error", "uniform"]
DEFAULT_MEASURES = ("NMD", "RSNOD")  # what NTCIR's dialogue tasks compare ordered labels with


@suggests_keywords
def evaluate_distributions(
    gold: DistributionsLike,
    systems: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    labels: str | Iterable[Any] | None = None,
    votes: bool = False,
    missing: Missing = "error",
) -> Scores:
    """Score the distributions of one or several systems against gold ones; lower is better.

    gold
        A path, ``{item: [p, …]}``, ``{item: {label: p}}``, a frame with the columns item, label
        and value (or item, and one for each label), or tuples. Whole numbers throughout are votes.
    systems
        One or a list of the same, or ``{name: system}``.
    labels
        All labels in their order; those of the gold if not given, which must then be numbers.
    votes
        The gold are single assessments: item, assessor, label.
    missing
        An item that a system lacks is an error, or counts as the uniform distribution.

    >>> gold = {"d1": [0, 0.5, 0.5], "d2": [1, 0, 0]}
    >>> evaluate_distributions(gold, {"d1": [0, 0.5, 0.5], "d2": [0, 0, 1]}, "NMD JSD").summary()
    {'system': {'NMD': 0.5, 'JSD': 0.5}}
    """
    one_of("missing", missing, Missing)
    asked = measures_for(DEFAULT_MEASURES if measures is None else measures, "distributions")
    people = read_distributions(gold, labels, votes, "gold")
    notices = list(_told(people, labels is not None))
    given = named(several(systems, _is_system))
    wanted = np.array(list(people.items.values()))
    even = (1 / len(people.labels),) * len(people.labels)
    values = []
    for name, data in given.items():
        system = read_distributions(data, people.labels, where=name)
        notices += _of_system(name, system, people, missing)
        pair = Pair(np.array([system.items.get(item, even) for item in people.items]), wanted)
        values.append(np.stack([m.score(pair) for m in asked], axis=1))  # type: ignore[arg-type]
    return scores_of(values, given, people.items, asked, notices)


def _is_system(value: Any) -> bool:
    """Whether this is a whole system, and not what one says of an item."""
    if isinstance(value, Mapping):
        return not all(finite(inner) is not None for inner in value.values())
    return isinstance(value, Distributions) or is_file(value)


def _told(gold: Distributions, declared: bool) -> Iterator[Notice]:
    """What was made of the gold."""
    yield Notice("items", "rows are items; means are over items")
    if not declared:
        text = f"labels {', '.join(gold.labels)} in this order, those of {gold.where}"
        yield Notice("labels", f"{text}; --label-order lists others")
    yield from _told_votes(gold, gold.where)


def _told_votes(given: Distributions, who: str, run: str | None = None) -> Iterator[Notice]:
    if given.votes is not None:
        least, most = given.votes
        many = counted(int(most), "vote") if least == most else f"{least:,.0f} to {most:,.0f} votes"
        yield Notice("votes", f"{who}: {many} an item, divided by their number", run)


def _of_system(
    name: str, system: Distributions, gold: Distributions, missing: Missing
) -> Iterator[Notice]:
    """What a system has that the gold has not, and the other way round."""
    yield from _told_votes(system, name, name)
    lacking = [item for item in gold.items if item not in system.items]
    if lacking and missing == "error":
        expected = "every item of the gold (--missing-items uniform: all labels equally likely)"
        raise InputError(f"no distribution for {some(lacking, 'item')}", expected, system.where)
    if lacking:
        text = f"{name}: {some(lacking, 'item')} lacking, all labels taken as equally likely"
        yield Notice("missing-items", text, name, tuple(lacking))
    if more := [item for item in system.items if item not in gold.items]:
        yield Notice("extra-items", f"{name}: {some(more, 'item')} not in the gold, left out", name)
