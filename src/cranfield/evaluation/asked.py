"""Which measures are computed: what was asked for, with the settings that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.options import Options
from cranfield.measures.base import FIVE, TAKES, Measure
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import MeasureLike, parse_measures

MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike] | None

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10")


@dataclass(frozen=True)
class Asked:
    """The measures as they were named, as the options read them, and as they are computed."""

    options: Options
    named: tuple[Measure, ...]
    read: tuple[Measure, ...]  # user models as their five measurements, if all are wanted
    measures: tuple[Measure, ...]  # with the settings of the options, each once

    @classmethod
    def of(cls, measures: MeasuresLike, options: Options) -> Asked:
        """The measures that were named, after those of the preset; the usual ones if none were."""
        named = _named(measures, options)
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
        return cls(options, named, read, _once(wanted))

    @property
    def models(self) -> list[UserModel]:
        """Those that are user models."""
        return [m for m in self.measures if isinstance(m, UserModel)]

    @cached_property
    def idle(self) -> list[tuple[str, str]]:
        """The options that change nothing, each with the reason."""
        return [(one.option, one.why) for one in IDLE if one.holds(self.options, self)]


def _named(measures: MeasuresLike, options: Options) -> tuple[Measure, ...]:
    task = options.task
    if task is not None:
        measures = [*task.measures_at(), *(parse_measures(measures) if measures else ())]
    return parse_measures(DEFAULT_MEASURES if measures is None else measures)


def _once(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Each measure once; what is a column of another is computed there."""
    curves = {name for m in measures if len(m.names()) > 1 for name in m.names()}
    return tuple(m for m in dict.fromkeys(measures) if str(m) not in curves)


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
