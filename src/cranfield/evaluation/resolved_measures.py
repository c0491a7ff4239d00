"""The measures of an evaluation: requested, expanded, and with all options applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.options import OPTIONS, Options
from cranfield.measures.base import MEASUREMENTS, TAKES, Measure
from cranfield.measures.grammar import Measures, parse_measure, parse_with_texts

MeasuresLike: TypeAlias = Measures | None

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10")


@dataclass(frozen=True)
class ResolvedMeasures:
    """The requested measures, and the measures to compute with all options applied."""

    options: Options
    requested: tuple[Measure, ...]
    expanded: tuple[Measure, ...]  # user models replaced by all five measurements if requested
    measures: tuple[Measure, ...]  # with options applied, without duplicates
    texts: tuple[str, ...]  # the requested measures as text

    @classmethod
    def from_options(cls, measures: MeasuresLike, options: Options) -> ResolvedMeasures:
        """Resolve the measures: preset first, then requested. The default if there are none."""
        texts, requested = _parse_requested(measures, options)
        read = tuple(x for m in requested for x in _expand_measurements(m)) if options.measurements else requested
        for m in read:
            if not m.takes_rankings():
                fix = f"Use `cranfield {TAKES[m.takes]}`."
                raise CranfieldError(f"{m} scores {m.takes}, not rankings. {fix}")
        resolved = [m.with_defaults(options.defaults) for m in read]
        if options.per_intent:
            resolved = [x for m in resolved for x in m.get_intent_measures()]
        if not resolved:
            raise InputError.from_problem("no measure given")
        return cls(options, requested, read, _deduplicate(resolved), texts)

    @property
    def spellings(self) -> Spellings:
        """The columns by any spelling of their measures."""
        columns = {_drop_name(m): m.called or str(m) for m in reversed(self.measures)}
        return Spellings(self.texts, columns, self.options.defaults)

    @property
    def models(self) -> list[Any]:
        """The user models."""
        return [m for m in self.measures if m.is_model]

    @cached_property
    def unused_options(self) -> dict[str, str]:
        """The options without an effect, each with the reason."""
        options, every = self.options, (*self.requested, *self.expanded, *self.measures)
        reasons: dict[str, str] = {}
        for name, row in OPTIONS.items():
            if not options.is_set(name):
                continue
            if row.used_with and not options.is_set(row.used_with):
                reasons[name] = f"it needs {row.used_with}"
            elif row.unless and options.is_set(row.unless):
                continue
            elif row.used_by and not any(map(row.used_by, every)):
                need = f"it needs a measure such as {row.example}"
                reasons[name] = need if row.example else "no measure uses it"
        return reasons


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


def _parse_requested(measures: MeasuresLike, options: Options) -> tuple[tuple[str, ...], tuple[Measure, ...]]:
    """Return the requested measures as texts and as measures."""
    task = options.task
    preset_measures = () if task is None else task.measures_at()
    if task is None and measures is None:
        measures = DEFAULT_MEASURES
    parsed = [*parse_with_texts(preset_measures), *parse_with_texts(() if measures is None else measures)]
    return tuple(text for text, _ in parsed), tuple(dict.fromkeys(m for _, m in parsed))


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
