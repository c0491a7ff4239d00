"""Which measures are computed: what was asked for, with the settings that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.options import Options
from cranfield.measures.base import FIVE, TAKES, Measure
from cranfield.measures.grammar import Measures, parse_measure, spelled

MeasuresLike: TypeAlias = Measures | None

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10")


@dataclass(frozen=True)
class Asked:
    """The measures as they were named, as the options read them, and as they are computed."""

    options: Options
    named: tuple[Measure, ...]
    read: tuple[Measure, ...]  # user models as their five measurements, if all are wanted
    measures: tuple[Measure, ...]  # with the settings of the options, each once
    written: tuple[str, ...]  # the measures as the user wrote them

    @classmethod
    def of(cls, measures: MeasuresLike, options: Options) -> Asked:
        """The measures that were named, after those of the preset; the usual ones if none were."""
        written, named = _named(measures, options)
        read = tuple(x for m in named for x in _all_five(m)) if options.measurements else named
        for m in read:
            if not m.ranks_documents():
                raise CranfieldError(f"{m} scores {m.takes}, expected measures of ranked lists: "
                                     f"`cranfield {TAKES[m.takes]}` computes it")  # fmt: skip
        wanted = [m.with_defaults(options.defaults) for m in read]
        if options.per_intent:
            wanted = [x for m in wanted for x in m.of_intent()]
        if not wanted:
            raise InputError("no measure", "at least one")
        return cls(options, named, read, _once(wanted), written)

    @property
    def spellings(self) -> Spellings:
        """The columns, by whatever their measures are called."""
        columns = {_unnamed(m): m.called or str(m) for m in reversed(self.measures)}
        return Spellings(self.written, columns, self.options.defaults)

    @property
    def models(self) -> list[Any]:
        """Those that are user models."""
        return [m for m in self.measures if m.is_model]

    @cached_property
    def idle(self) -> list[tuple[str, str]]:
        """The options that change nothing, each with the reason."""
        return [(one.option, one.why) for one in IDLE if one.holds(self.options, self)]


@dataclass(frozen=True, eq=False)
class Spellings(Mapping[str, str]):
    """The columns of scores by any text that means their measure; it lists those as written."""

    written: tuple[str, ...]
    columns: Mapping[Measure, str]
    defaults: Mapping[str, Any]

    def __getitem__(self, text: str) -> str:
        try:
            asked = parse_measure("".join(text.split()))  # nDCG @ 10
        except CranfieldError:
            raise KeyError(text) from None
        return self.columns[_unnamed(asked.with_defaults(self.defaults))]

    def __iter__(self) -> Iterator[str]:
        return (text for text in self.written if text in self and self[text] != text)

    def __len__(self) -> int:
        return len([*self])

    def __reduce__(self) -> Any:  # to be kept: measures of one's own may not be known elsewhere
        return dict, (dict(self),)


def _unnamed(m: Measure) -> Measure:
    return replace(m, called="") if m.called else m


def _named(measures: MeasuresLike, options: Options) -> tuple[tuple[str, ...], tuple[Measure, ...]]:
    """The measures as they are written, and as they are."""
    task = options.task
    usual = () if task is None else task.measures_at()
    if task is None and measures is None:
        measures = DEFAULT_MEASURES
    found = [*spelled(usual), *spelled(() if measures is None else measures)]
    return tuple(text for text, _ in found), tuple(dict.fromkeys(m for _, m in found))


def _once(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Each measure once, under a name of its own; what is a column of another is computed there."""
    curves = {name for m in measures if len(m.names()) > 1 for name in m.names()}
    kept = tuple(m for m in dict.fromkeys(measures) if str(m) not in curves)
    names: dict[str, Measure] = {}
    for m in kept:
        for name in m.names():
            if name in names:
                raise InputError(f"the name {name} for {names[name]} and {m}", "one for each")
            names[name] = m
    return kept


def _all_five(m: Measure) -> list[Measure]:
    """All measurements of a user model; any other measure is left as it is."""
    return [m.reading(measurement) for measurement in FIVE] if m.is_user_model() else [m]


class Idle(NamedTuple):
    """An option that was given and changes nothing: why, and when."""

    option: str
    why: str
    holds: Callable[[Options, Asked], bool]


def _nobody_takes(parameter: str) -> Callable[[Options, Asked], bool]:
    def holds(options: Options, asked: Asked) -> bool:
        given = options.gains is not None if parameter == "gain" else parameter in options.defaults
        return given and not any(m.takes_default(parameter) for m in asked.named)

    return holds


_NOT_TAKEN = "no measure takes it from there"
_NO_MODEL = "no measure is a user model (INST is, and AP.EU)"
GAINS = Idle("gains", _NOT_TAKEN, _nobody_takes("gain"))
IDLE = (
    Idle("rel", _NOT_TAKEN, _nobody_takes("rel")),
    GAINS,
    Idle("condensed", _NOT_TAKEN, _nobody_takes("condensed")),
    Idle(
        "measurements", _NO_MODEL,
        lambda o, asked: o.measurements and not any(m.is_user_model() for m in asked.named),
    ),
    Idle(
        "residuals", "no measure has them (RBP has, INST, and AP.EU)",
        lambda o, asked: o.residuals and not any(m.has_residuals for m in asked.read),
    ),
    Idle(
        "what is known of intents", "no measure is of diversity (Dsharp(nDCG)@10 is)",
        lambda o, asked: (
            o.intents is not None
            and not o.per_intent
            and not any(m.takes == "intents" for m in asked.read)
        ),
    ),
    Idle("costs", _NO_MODEL, lambda o, asked: o.costs is not None and not asked.models),
    Idle("cost-unit", "there are no costs", lambda o, _: bool(o.cost_unit) and o.costs is None),
    Idle(
        "verticals",
        "no measure asks for them (Vscore does), and they are no items (--embed-verticals)",
        lambda o, asked: (
            o.verticals is not None
            and not o.embed_verticals
            and not any(m.needs_verticals for m in asked.measures)
        ),
    ),
)  # fmt: skip
