"""`evaluate_distributions`: how far systems' distributions over labels are from people's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from cranfield.data.assessments import assessor_names
from cranfield.data.distributions import Distributions, DistributionsLike, read_distributions
from cranfield.data.reading.records import finite
from cranfield.data.reading.tables import is_frame
from cranfield.errors import InputError
from cranfield.measures.distributions import Pair
from cranfield.measures.grammar import MeasureLike, measures_for
from cranfield.scores import Notice, Scores
from cranfield.wording import counted, some

Missing: TypeAlias = Literal["error", "uniform"]
DEFAULT_MEASURES = ("NMD", "RSNOD")  # what NTCIR's dialogue tasks compare ordered labels with


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
    if missing not in get_args(Missing):
        raise InputError(f"missing={missing!r}", f"one of {', '.join(get_args(Missing))}")
    asked = measures_for(DEFAULT_MEASURES if measures is None else measures, "distributions")
    people = read_distributions(gold, labels, votes, "gold")
    notices = list(_told(people, labels is not None))
    items, given = tuple(people.items), _named(systems)
    wanted = np.array(list(people.items.values()))
    values = []
    for name, data in given.items():
        system = read_distributions(data, people.labels, where=name)
        notices += _of_system(name, system, people, missing)
        even = (1 / len(people.labels),) * len(people.labels)
        pair = Pair(np.array([system.items.get(item, even) for item in items]), wanted)
        values.append(np.stack([m.score(pair) for m in asked], axis=1))  # type: ignore[arg-type]
    return Scores(
        np.array(values),
        tuple(given),
        items,
        tuple(map(str, asked)),
        tuple(m.summary for m in asked),
        notices=tuple(notices),
        better=tuple(m.better for m in asked),
    )


def _named(systems: Any) -> dict[str, Any]:
    """Every system by its name: its file's, or the one given to it."""
    if isinstance(systems, Mapping) and any(map(_is_system, systems.values())):
        return {str(name): system for name, system in systems.items()}
    path = isinstance(systems, str | os.PathLike)
    if path or not isinstance(systems, Sequence) or not any(map(_is_system, systems)):
        systems = [systems]
    paths = [os.fspath(s) for s in systems if isinstance(s, str | os.PathLike)]
    files = iter(assessor_names(paths))
    others = iter(["system"] if len(systems) == 1 else map("system{}".format, range(1, 1 << 30)))
    names = [next(files if isinstance(s, str | os.PathLike) else others) for s in systems]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"system {twice} twice", "each system once")
    return dict(zip(names, systems, strict=True))


def _is_system(value: Any) -> bool:
    """Whether this is a whole system, and not what one says of an item."""
    if isinstance(value, Mapping):
        return not all(finite(inner) is not None for inner in value.values())
    return isinstance(value, str | os.PathLike | Distributions) or is_frame(value)


def _told(gold: Distributions, declared: bool) -> Iterator[Notice]:
    """What was made of the gold."""
    yield Notice("items", "rows are items; means are over items")
    if not declared:
        said = f"labels {', '.join(gold.labels)} in this order, those of {gold.where}"
        yield Notice("labels", f"{said}; --labels lists others")
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
        expected = "every item of the gold (--missing uniform takes all labels as equally likely)"
        raise InputError(f"no distribution for {some(lacking, 'item')}", expected, system.where)
    if lacking:
        said = f"{name} lacks {some(lacking, 'item')}: all labels taken as equally likely"
        yield Notice("missing-items", said, name, tuple(lacking))
    if more := [item for item in system.items if item not in gold.items]:
        yield Notice("extra-items", f"{name}: {some(more, 'item')} not in the gold, left out", name)
