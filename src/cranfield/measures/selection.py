"""The measures of a computation: requested, expanded, with default parameters, and distinct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.base import MEASUREMENTS, TAKES, Measure
from cranfield.measures.grammar import Measures, parse_measure, parse_with_texts

MeasuresLike: TypeAlias = Measures | None

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10")


@dataclass(frozen=True)
class Selection:
    """The requested measures, and the measures to compute."""

    requested: tuple[Measure, ...]
    expanded: tuple[Measure, ...]  # user models replaced by all five measurements if requested
    measures: tuple[Measure, ...]  # with defaults applied, without duplicates
    texts: tuple[str, ...]  # the requested measures as text
    defaults: Mapping[str, Any]  # parameters of measures that do not set them

    @property
    def spellings(self) -> Spellings:
        """The columns by any spelling of their measures."""
        columns = {_drop_name(m): m.called or str(m) for m in reversed(self.measures)}
        return Spellings(self.texts, columns, self.defaults)

    @property
    def models(self) -> list[Any]:
        """The user models."""
        return [m for m in self.measures if m.is_model]

    @property
    def every(self) -> tuple[Measure, ...]:
        """The measures before and after each step."""
        return (*self.requested, *self.expanded, *self.measures)


def select_measures(
    measures: MeasuresLike,
    preset: Measures = (),
    defaults: Mapping[str, Any] | None = None,
    measurements: bool = False,
    per_intent: bool = False,
) -> Selection:
    """Select the measures to compute: those of the preset first, then the requested ones.

    `defaults` are parameters of measures that do not set them. `measurements` expands user models
    to their five measurements, `per_intent` replaces measures by those of a single intent.

    >>> select_measures("AP nDCG@10 map", defaults={"rel": 2}).measures
    (AP(rel=2), nDCG(rel=2)@10)
    """
    parsed = [*parse_with_texts(preset), *parse_with_texts(() if measures is None else measures)]
    requested = tuple(dict.fromkeys(m for _, m in parsed))
    expanded = tuple(x for m in requested for x in _expand_measurements(m)) if measurements else requested
    for m in expanded:
        if not m.takes_rankings():
            fix = f"Use `cranfield {TAKES[m.takes]}`."
            raise CranfieldError(f"{m} scores {m.takes}, not rankings. {fix}")
    defaults = defaults or {}
    resolved = [m.with_defaults(defaults) for m in expanded]
    if per_intent:
        resolved = [x for m in resolved for x in m.get_intent_measures()]
    if not resolved:
        raise InputError.from_problem("no measure given")
    return Selection(requested, expanded, _deduplicate(resolved), tuple(text for text, _ in parsed), defaults)


@dataclass(frozen=True, eq=False)
class Spellings(Mapping[str, str]):
    """Mapping from any spelling of a measure to its column. Iteration yields requested texts."""

    texts: tuple[str, ...]
    columns: Mapping[Measure, str]
    defaults: Mapping[str, Any]

    def __getitem__(self, text: str) -> str:
        try:
            parsed = parse_measure("".join(text.split()))  # nDCG @ 10
        except CranfieldError:
            raise KeyError(text) from None
        return self.columns[_drop_name(parsed.with_defaults(self.defaults))]

    def __iter__(self) -> Iterator[str]:
        return (text for text in self.texts if text in self and self[text] != text)

    def __len__(self) -> int:
        return len([*self])

    def __reduce__(self) -> Any:  # other processes may not have custom measures
        return dict, (dict(self),)


def _drop_name(m: Measure) -> Measure:
    return replace(m, called="") if m.called else m


def _deduplicate(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Remove duplicates and columns of other measures. Raise an error for equal names."""
    curves = {name for m in measures if len(m.names()) > 1 for name in m.names()}
    distinct_measures = tuple(m for m in dict.fromkeys(measures) if str(m) not in curves)
    names: dict[str, Measure] = {}
    for m in distinct_measures:
        for name in m.names():
            if name in names:
                raise InputError.from_problem(f"{names[name]} and {m} have the same name {name}")
            names[name] = m
    return distinct_measures


def _expand_measurements(m: Measure) -> list[Measure]:
    """Return all measurements of a user model, or the measure itself."""
    return [m.to_user_model(measurement) for measurement in MEASUREMENTS] if m.is_user_model() else [m]


def find_deepest(measures: Sequence[Measure], depth: int | None) -> int | None:
    """Return the deepest rank used by any measure, or None if unlimited."""
    # A cutoff of a condensed ranking can be at any rank of the complete ranking.
    cutoffs = [depth if m.last_rank is None or m.condensed else m.last_rank for m in measures]
    limits = [c for c in cutoffs if c is not None]
    if len(limits) < len(cutoffs):
        return None
    return max(limits) if depth is None else min(depth, max(limits))
