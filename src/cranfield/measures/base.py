"""`Measure`: an equation, its parameters and its documentation, as a value with a name.

nDCG @ 10            a measure at a cutoff
AP(rel=2)            a measure with a parameter
str(AP(rel=2))       'AP(rel=2)', its canonical name, which parses back to the same value
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Protocol,
    Self,
    TypeVar,
    dataclass_transform,
    overload,
)

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import CranfieldError, InputError, wrap_user_errors
from cranfield.measures import families
from cranfield.measures.arrays import build_lists
from cranfield.measures.gains import parse_gain
from cranfield.measures.lists import Lists, NeedsMore
from cranfield.measures.names import PARAMETERS, Translations, translate_parameter
from cranfield.measures.parameters import check_value, format_value, is_number, param, parse_literal
from cranfield.measures.references import format_citation

if TYPE_CHECKING:
    from cranfield.measures.functions import ListMeasure


class Registry(UserDict[str, "type[Measure]"]):
    """Measures by name; a family of them is imported when one of its measures is asked for."""

    data: dict[str, Any]  # a class, or the family that will register it

    def __init__(self, families: Mapping[str, str]) -> None:
        self.data = dict(families)

    def __getitem__(self, name: str) -> type[Measure]:
        if isinstance(family := self.data[name], str):
            import_module(f"cranfield.measures.{family}")
        measure: type[Measure] = self.data[name]
        return measure

    def __iter__(self) -> Iterator[str]:
        return iter([*self.data])  # families that are loaded meanwhile may add to it

    def __repr__(self) -> str:
        return repr(dict(self))


REGISTRY = Registry(families.MEASURES)
NAME = re.compile(r"[^\s=(),]+")  # of a column

MEASUREMENTS = ("EU", "ETU", "EC", "ETC", "ED")  # what C/W/L measures (cwl.py)
READINGS = Registry(families.READINGS)  # C/W/L's reading of a measure, by its name

TAKES = {
    "lists": "evaluate",
    "intents": "evaluate",
    "sessions": "session",
    "texts": "text",
    "answers": "answers",
    "distributions": "distribution",
}
"""What measures score, and the command that has them computed."""

PROPERTIES = {
    "graded": "tells levels of relevance apart",
    "normalised": "all relevant items, best first, score 1",
    "recall-independent": "does not ask how many relevant items there are",
    "diminishing return": "a relevant item is worth less after others",
    "uses lengths": "takes the lengths of documents into account",
}
"""What can be said of a measure (Sakai 2014, Figure 6)."""


def cite(*keys: str) -> tuple[str, ...]:
    """Papers, by their keys in references.py."""
    return keys


def has(*properties: str) -> tuple[str, ...]:
    """Some of PROPERTIES."""
    return properties


def match_names(name: str) -> list[str]:
    """The measures of this name; if none has it letter for letter, those that do ignoring case."""
    if name in REGISTRY:
        return [name]
    return [candidate for candidate in REGISTRY if candidate.lower() == name.lower()]


def find_classes(name: str) -> list[type[Measure]]:
    """The classes of the measures of this name, as `match_names` has them."""
    return [REGISTRY[match] for match in match_names(name)]


def to_numbers(m: Measure, source: str, values: Any) -> Floats:
    """What a measure computed, as doubles."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        shown_type = type(values).__name__
        raise CranfieldError(f"{m}: {source} gave {shown_type}, expected numbers") from None


def is_built_in(cls: type) -> bool:
    """Whether a class is cranfield's own, and not a user's."""
    return cls.__module__.startswith("cranfield.")


# Type checkers read a measure's parameters from its class: `nDCG(gian="exp")` is a mistake.
@dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
class MeasureType(type):
    """Lets a measure's class stand for the measure with default parameters: ``nDCG @ 10``."""

    def __matmul__(cls: type[M], cutoff: float) -> M:  # type: ignore[misc]
        return cls() @ cutoff

    @property
    def __signature__(cls) -> inspect.Signature:
        """The parameters, for help and completion."""
        kind = inspect.Parameter.KEYWORD_ONLY
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return inspect.Signature(
            [inspect.Parameter(f.name, kind, default=f.default) for f in fields]
        )

    def __str__(cls) -> str:
        return cls.__name__

    __repr__ = __str__


class Suffix:
    """One of the five measurements of a measure, or of a class that stands for one: `AP.EU`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, m: Measure | None, cls: type[Measure]) -> Any:
        if m is None and not (cls.is_model or cls.__name__ in READINGS):
            return self
        return (cls() if m is None else m).to_user_model(self.name)


@dataclass(init=False, repr=False, eq=False, kw_only=True)
class Measure(metaclass=MeasureType):
    """The base of all measures. A new one states its parameters and its equation:

    >>> import cranfield as cf
    >>> @cf.measure
    ... class FirstHit(cf.Measure):
    ...     '''1 if the first item is relevant.'''
    ...     rel: float | None = cf.param(None, "lowest level that counts as relevant")
    ...
    ...     def score(self, x):
    ...         return cf.total(x.I * (x.r == 1))
    >>> cf.evaluate({"t": {"a": 2}}, {"t": {"a": 0.5}}, ["FirstHit(rel=2)"]).summary()
    {'run': {'FirstHit(rel=2)': 1.0}}
    """

    condensed: bool = param(False, "leave unjudged items out of the list (condensed list)")
    cutoff: int | None = None
    measurement: str = ""
    called: str = ""  # the name of its column, if it has one of its own: hit=Success@10

    takes: ClassVar[str] = "lists"  # what it scores, a key of TAKES
    summary: ClassVar[Literal["mean", "sum", "gmean", "clipped"]] = (
        "mean"  # how topics add up in `all`
    )
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    effectiveness: ClassVar[bool] = True  # undefined for a topic without a relevant item
    columns: ClassVar[tuple[str, ...]] = ()  # names of several numbers per topic, if not one
    measurements: ClassVar[tuple[str, ...]] = ()  # other numbers it gives, by suffix: RBP.residual
    references: ClassVar[tuple[str, ...]] = ()  # keys of references.py
    task: ClassVar[str] = ""  # what the measure suits
    range: ClassVar[str] = "0 to 1"
    properties: ClassVar[tuple[str, ...]] = ()  # of PROPERTIES
    translations: ClassVar[Translations] = PARAMETERS  # other tools' parameters, in ours
    cutoff_name: ClassVar[str] = "cutoff"  # what ir_measures calls the number behind @
    cutoff_meaning: ClassVar[str] = (
        "look at the first so many ranks only"  # what the number behind @ means,
    )
    # empty if there is none
    is_model: ClassVar[bool] = False  # a user model of C/W/L
    combines: ClassVar[bool] = False  # whether it is of another measure: D(nDCG)
    takes_raw_gains: ClassVar[bool] = False  # whether items may do harm: gain=raw
    holds_under_ties: ClassVar[bool] = False  # whether the equation does, for expected values
    may_fall: ClassVar[bool] = False  # whether it may, when a better item moves up by one rank
    takes_gains: ClassVar[bool] = True  # whether it can do with gains alone, for D(M)
    has_residuals: ClassVar[bool] = False  # whether it has `bounds`
    length_unit: ClassVar[str] = ""  # of document lengths, if it needs them
    every_length: ClassVar[bool] = False  # those of unjudged documents too
    needs_verticals: ClassVar[bool] = False  # of its items, and of intents
    takes_unsampled: ClassVar[bool] = False  # whether levels below 0 mean pooled but not judged
    needs_documents: ClassVar[bool] = False  # whether it asks for their ids
    ignores_unjudged: ClassVar[bool] = False  # whether unjudged items do not count as nonrelevant
    takes_samples: ClassVar[bool] = False  # whether it estimates from judgments that are a sample
    symbols: ClassVar[Mapping[str, str]] = {}  # what the names of its steps mean, and of no other

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    def score(self, x: Lists) -> Floats:
        """The equation: one number per topic ([T]), or one per topic and name ([T, k])."""
        raise TypeError(f"{type(self).__name__} defines no score(self, x)")

    def takes_max_level(self) -> bool:
        """Whether the score depends on a highest level that nobody declared."""
        return False

    def has_open_max_level(self, constant: bool) -> bool:
        """Whether nobody declared the highest level, and the gain is not the same for all."""
        declared = getattr(self, "max_level", None) is not None
        return not declared and isinstance(getattr(self, "gain", ""), str) and not constant

    def exact_under_ties(self) -> bool:
        """Whether the equation holds for expected values, as `expected.py` explains."""
        return self.holds_under_ties

    def rewards_better_items(self) -> bool:
        """Return True if a better item that moves up by one rank never makes the score worse.

        Then no order of tied items scores better than the order by level. If neither end of the
        scale is better, True means that every order has the same score.
        """
        if self.may_fall or not is_built_in(type(self)):
            return False  # of a user's own measure nothing is known
        if getattr(self, "gain", "") == "raw":
            return False  # the order by level does not tell a harmful item from a useless one
        rel = getattr(self, "rel", None)
        return self.effectiveness and (rel is None or rel > 0)  # else some of no use is relevant

    def can_drop_nonrelevant(self) -> bool:
        """Whether a judged item that is not relevant and of no gain might as well be unjudged."""
        return False  # of a user's own measure nothing is known

    def describe_variant(self) -> str:
        """Which of several definitions these parameters choose, if there are several."""
        return ""

    @property
    def last_rank(self) -> int | None:
        """The last rank the measure looks at, None if it looks at all."""
        return self.cutoff

    def compute_item_gains(self, x: Lists) -> Floats:
        """What items are worth to a single intent of a topic, for D(M)."""
        return x.g

    def with_levels_as_gains(self) -> Self:
        """The measure where levels are what items are worth already."""
        gain = "raw" if getattr(self, "gain", "") == "raw" else "linear"
        neutral: dict[str, Any] = {"gain": gain, "rel": None, "max_level": None}
        settings = {f.name: neutral[f.name] for f in self.list_parameters() if f.name in neutral}
        return dataclasses.replace(self, **settings)

    # -- using ------------------------------------------------------------------------------------

    def __matmul__(self, cutoff: float) -> Self:
        return dataclasses.replace(self, cutoff=cutoff)  # type: ignore[arg-type]

    # A measure never changes: what follows from its parameters is found once, when asked for.
    def __str__(self) -> str:
        return self._canonical_text

    __repr__ = __str__

    @cached_property
    def _canonical_text(self) -> str:
        settings = self.get_arguments() + [
            f"{f.name}={format_value(getattr(self, f.name))}"
            for f in self.list_parameters()
            if getattr(self, f.name) != f.default
        ]
        name = f"{self.called}=" if self.called else ""
        name += type(self).__name__ + (f"({', '.join(settings)})" if settings else "")
        name += "" if self.cutoff is None else f"@{self.cutoff}"
        return name + (f".{self.measurement}" if self.measurement else "")

    # Written once here: having them made for every measure would slow down every start.
    def __init__(self, *levels: Any, **settings: Any) -> None:
        name = type(self).__name__
        if levels:
            raise TypeError(
                f"{name} takes named parameters; to score a list: {name}()(levels) or "
                f"({name} @ 10)(levels)"
            )
        settings = self._translate_settings(settings)
        for f in dataclasses.fields(self):
            value = settings.pop(f.name, f.default)
            if value is dataclasses.MISSING:
                factory: Any = f.default_factory
                if factory is dataclasses.MISSING:
                    raise TypeError(f"{name} needs {f.name}=")
                value = factory()
            object.__setattr__(self, f.name, value)
        for unknown in settings:
            names = ", ".join(f.name for f in self.list_parameters())
            raise TypeError(f"{name} has no parameter {unknown!r}, only {names}")
        self.__post_init__()

    @classmethod
    def _translate_settings(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Settings with other tools' parameters turned into ours: letor=True, dcg="exp-log2"."""
        fields: Mapping[str, Any] = cls.__dataclass_fields__
        for key in [key for key in settings if key in cls.translations and key not in fields]:
            translation = translate_parameter(cls.translations, key, format_value(settings[key]))
            if translation.keys() <= fields.keys():
                del settings[key]
                settings = {k: parse_literal(v) for k, v in translation.items()} | settings
        return settings

    def __setattr__(self, name: str, value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in dataclasses.fields(self))

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), self._key))

    def names(self) -> tuple[str, ...]:
        """The names of the numbers it gives for each topic: its own, unless it gives several."""
        name = self.called or str(self)
        if not self.columns or self.measurement:
            return (name,)
        return tuple(f"{name}.{column}" for column in self.columns)

    def compute(self, lists: Lists) -> Floats:
        """The numbers for a block of lists: [T, len(names())]."""
        with wrap_user_errors(type(self)):
            scores = self.score(self.view(lists))
        x = to_numbers(self, "score", scores)
        x = x[:, None] if x.ndim == 1 else x
        columns = len(self.columns) or len(self.names())
        if x.shape != (len(lists), columns):
            expected = f"one number for each of {len(lists)} topics"
            expected += f" × {columns}" if columns > 1 else ""
            raise CranfieldError(f"{self}: score gave shape {x.shape}, expected {expected}")
        has_column = self.measurement in self.columns
        return x[:, [self.columns.index(self.measurement)]] if has_column else x

    def view(self, lists: Lists) -> Lists:
        """The lists through this measure's cutoff, threshold, gain and condensation."""
        lists = lists.condensed if self.condensed else lists
        return lists.view(self.last_rank, **self.get_view_settings())

    def get_view_settings(self) -> dict[str, Any]:
        """What decides gains and relevance."""
        defaults = {"rel": None, "gain": "linear", "max_level": None}
        return {name: getattr(self, name, default) for name, default in defaults.items()}

    def needs_intent_weights(self) -> bool:
        """Whether it asks how probable intents are."""
        return False

    def needs_intent_types(self) -> bool:
        """Whether it asks which intents are navigational."""
        return False

    def get_intent_measures(self) -> tuple[Measure, ...]:
        """What it is for a single intent of a topic: itself, unless it is of all of them."""
        return (self,)

    def decided(self, x: Lists) -> Floats | Ints | None:
        """The rank of each list below which nothing changes the score; None: none but the last."""
        return None

    def trace(self, lists: Lists) -> Lists:
        """The lists that show how the score comes about."""
        return self.view(lists)

    def __call__(
        self,
        levels: Any,
        judged: Any = None,
        *,
        mask: Any = None,
        judged_mask: Any = None,
        lengths: Any = None,
        costs: Any = None,
    ) -> Any:
        """The score of one list, given as the levels of its items; None is an unjudged item.

        `judged` are all judged levels of the topic, retrieved or not, in any order. Measures
        that need the number of relevant items or an ideal list cannot do without it. `lengths`
        are those of the items, for measures that need them; `costs`, for user models.

        An array [n, depth] is a batch of n lists, and gives n scores. NaN is an unjudged item;
        where `mask` is False there is none. `judged` is then an array [n, any] in which NaN, or
        False in `judged_mask`, is nothing; if it is `levels` itself, their mask is its mask.
        Measures that depend on the highest level take that of the batch: declare `max_level`.

        >>> import cranfield as cf
        >>> import numpy as np
        >>> (cf.P @ 4)([1, 0, None, 2])
        0.5
        >>> cf.AP()([1, 0, None, 1], judged=[1, 1, 1, 0])
        0.5
        >>> labels = np.array([[0, 2, 1], [1, 0, 0]])  # in the order of the model's scores
        >>> (cf.RR @ 10)(labels, mask=[[True, True, True], [True, True, False]])
        array([0.5, 1. ])
        """
        batch = self.build_lists(levels, judged, mask, judged_mask, lengths, costs)
        try:
            scores = self.compute(batch)
        except NeedsMore as missing:
            raise CranfieldError(f"{self} {missing}") from None
        scores = scores[:, 0] if scores.shape[1] == 1 else scores
        if np.ndim(levels) == 2:
            return scores
        return float(scores[0]) if scores.ndim == 1 else scores[0]

    def build_lists(
        self, levels: Any, judged: Any, mask: Any, judged_mask: Any, lengths: Any, costs: Any
    ) -> Lists:
        """Lists without files, as `__call__` takes them."""
        unit_lengths = {} if lengths is None else {self.length_unit: lengths}
        try:
            return build_lists(
                levels, judged, mask, judged_mask, unit_lengths, self.every_length, costs
            )
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None

    # -- as C/W/L measures it ---------------------------------------------------------------------

    EU = Suffix()
    ETU = Suffix()
    EC = Suffix()
    ETC = Suffix()
    ED = Suffix()

    def is_user_model(self) -> bool:
        """Whether C/W/L has a reading of this measure."""
        return self.is_model or (type(self).__name__ in READINGS and not self.measurement)

    def to_user_model(self, measurement: str) -> Measure:
        """The user model of this measure, with one of its five measurements."""
        if not self.is_user_model():
            raise CranfieldError(f"{self} has no measurement {measurement!r}: it is no user model")
        column_name = f"{self.called}.{measurement}" if self.called else ""
        if self.is_model:
            return dataclasses.replace(self, measurement=measurement, called=column_name)
        model = READINGS[type(self).__name__]
        names = [f.name for f in model.list_parameters()]
        values = {f.name: getattr(self, f.name) for f in self.list_parameters()}
        changed = {
            f.name: values[f.name] for f in self.list_parameters() if values[f.name] != f.default
        }
        for name in changed.keys() - set(names):
            expected = f"its user model has only {', '.join(names)}"
            raise CranfieldError(f"{self}.{measurement}: found parameter {name}, but {expected}")
        return model(**changed, cutoff=self.cutoff, measurement=measurement, called=column_name)

    def compute_bounds(self, lists: Lists) -> Floats:
        """The least and the most the score can be, whatever unjudged items are: [lists, 2]."""
        raise TypeError(f"{type(self).__name__} has no residuals")

    # -- parameters -------------------------------------------------------------------------------

    def get_arguments(self) -> list[str]:
        """What stands before the parameters: the measure that a combination is of."""
        return []

    def takes_default(self, name: str) -> bool:
        """Whether it has a parameter and does not set it."""
        return any(
            f.name == name and getattr(self, name) == f.default for f in self.list_parameters()
        )

    def with_defaults(self, settings: Mapping[str, Any]) -> Self:
        """The measure with these parameters, where it has them and does not set them."""
        missing = {name: value for name, value in settings.items() if self.takes_default(name)}
        return dataclasses.replace(self, **missing) if missing else self

    @classmethod
    def list_parameters(cls) -> Iterator[dataclasses.Field[Any]]:
        """The parameters in the order they are printed: the measure's own, then the shared."""
        return iter(_collect_parameters(cls))

    def __post_init__(self) -> None:
        for f in self.list_parameters():
            object.__setattr__(self, f.name, self._check_parameter(f, getattr(self, f.name)))
        if self.cutoff is not None:
            object.__setattr__(self, "cutoff", self._check_cutoff(self.cutoff))
        if self.called and not NAME.fullmatch(self.called):
            raise InputError(
                f"the name {self.called!r}", "one without blanks, =, brackets and commas"
            )
        if self.measurement in self.measurements:  # beside the score: never best, always defined
            object.__setattr__(self, "better", "neither")
            object.__setattr__(self, "effectiveness", False)
        valid_names = self.columns + self.measurements
        if self.measurement and self.measurement not in valid_names:
            name = type(self).__name__
            valid_names += MEASUREMENTS if name in READINGS else ()
            hint = f", only {', '.join(valid_names)}" if valid_names else ""
            hint += ": it is no user model" if self.measurement in MEASUREMENTS else ""
            raise CranfieldError(f"{name} has no measurement {self.measurement!r}{hint}")

    @classmethod
    def takes_rankings(cls) -> bool:
        """Whether it scores what `cranfield evaluate` evaluates."""
        return TAKES[cls.takes] == "evaluate"

    def _check_cutoff(self, cutoff: Any) -> int:
        name = type(self).__name__
        if not self.cutoff_meaning:
            raise InputError(f"cutoff {format_value(cutoff)}", "none", name)
        if not is_number(cutoff) or not 1 <= cutoff < 2**53 or cutoff % 1:
            value = repr(cutoff) if isinstance(cutoff, str) else format_value(cutoff)
            limit = " to 2^53 − 1" if is_number(cutoff) and cutoff >= 2**53 else ""
            raise InputError(f"cutoff {value}", f"a whole number from 1{limit}", name)
        return int(cutoff)

    def _check_parameter(self, f: dataclasses.Field[Any], value: Any) -> Any:
        """The value of a parameter as its kind has it, or an error that names it."""
        if f.name != "gain":
            return check_value(f, value, type(self).__name__)
        gain = parse_gain(value)
        if gain == "raw" and not (self.is_model or self.takes_raw_gains):
            problem = f"{type(self).__name__}: found gain=raw"
            raise CranfieldError(f"{problem}, which only user models and DCG's family take")
        return gain


@cache
def _collect_parameters(cls: type[Measure]) -> list[dataclasses.Field[Any]]:
    hidden = {"cutoff", "measurement", "called"}
    hidden |= set() if cls.takes_rankings() else {"condensed"}
    fields = [f for f in dataclasses.fields(cls) if f.name not in hidden]
    return sorted(fields, key=lambda f: f.name == "condensed")


class NormalisedMeasure(Measure):
    """A measure divided by what it gives for the ideal list, under the same cutoff."""

    measurements: ClassVar[tuple[str, ...]] = ()
    range = "0 to 1"

    def score(self, x: Lists) -> Floats:
        ideal = x.gold.cache(("ideal", self), lambda: super(NormalisedMeasure, self).score(x.ideal))
        return x.ratio(super().score(x), ideal)


M = TypeVar("M", bound=Measure)


class Decorator(Protocol):
    """What `measure` returns if it is given options only."""

    @overload
    def __call__(self, defined: type[M]) -> type[M]: ...
    @overload
    def __call__(self, defined: Callable[..., float]) -> type[ListMeasure]: ...


@overload
def measure(defined: type[M], *, lower_is_better: bool = False) -> type[M]: ...
@overload
def measure(
    defined: Callable[..., float], *, lower_is_better: bool = False
) -> type[ListMeasure]: ...
@overload
def measure(*, lower_is_better: bool = False) -> Decorator: ...
def measure(defined: Any = None, *, lower_is_better: bool = False) -> Any:
    """Make a class with a `score` method, or a function of one ranking, a measure that the grammar
    and the commands know.

    The function gets what its arguments name, in any order:

    levels
        The levels of the documents in the ranking, from the top down to the cutoff. An unjudged
        document has level 0 (``condensed=true`` leaves them out). A missing topic has none.
    docs
        The ids of the same documents.
    judged
        The levels of all judged documents of the topic, highest first.
    judged_docs
        The ids of the same documents.
    topic
        The id of the topic.

    Every other argument has a default and is a parameter of the measure. Higher scores are better,
    unless ``@cf.measure(lower_is_better=True)`` says otherwise.

    >>> import cranfield as cf
    >>> @cf.measure
    ... def share(levels, judged, least=1):
    ...     '''Of the documents worth finding, how many were found.'''
    ...     worth = sum(level >= least for level in judged)
    ...     return sum(level >= least for level in levels) / worth if worth else 0
    >>> cf.evaluate({"q1": {"a": 2, "b": 1}}, {"q1": ["x", "a"]}, "share@2 share(least=2)@2").mean()
    {'run': {'share@2': 0.5, 'share(least=2)@2': 1.0}}
    >>> (share @ 1)([2, 1], judged=[2, 1, 0])
    0.5
    """
    if defined is None:
        return partial(measure, lower_is_better=lower_is_better)
    if inspect.isfunction(defined):
        from cranfield.measures.functions import build_measure

        defined = build_measure(defined)
    if not (isinstance(defined, type) and issubclass(defined, Measure)):
        raise InputError(repr(defined), "a class derived from cranfield.Measure, or a function")
    if lower_is_better:
        defined.better = "lower"
    return _register(defined)


def _register(cls: type[M]) -> type[M]:
    """The class, known by its name."""
    if not is_built_in(cls):
        for registered in find_classes(cls.__name__):
            if is_built_in(registered):
                raise CranfieldError(f"there is a measure named {registered.__name__} already")
            del REGISTRY[registered.__name__]  # the user's own, written again
    if unknown := set(cls.properties) - set(PROPERTIES):
        problem, valid_names = unknown.pop(), ", ".join(PROPERTIES)
        raise InputError(f"property {problem!r}", f"some of {valid_names}")
    REGISTRY[cls.__name__] = cls
    return add_documentation(cls)


def add_documentation(cls: type[M]) -> type[M]:
    """The class with all there is to know of it in its docstring."""
    cls.__doc__ = _build_documentation(cls)
    return cls


def _build_documentation(cls: type[Measure]) -> str:
    """The docstring as written, with the parameters, the range and the references below it."""
    lines = [inspect.cleandoc(cls.__doc__ or ""), ""]
    lines += ["Parameters:"] if cls.cutoff_meaning or any(cls.list_parameters()) else []
    lines += [
        f"  {f.name} = {format_value(f.default)}: {f.metadata.get('doc', '')}".rstrip(": ")
        for f in cls.list_parameters()
    ]
    lines += [f"  @cutoff: {cls.cutoff_meaning}", ""] if cls.cutoff_meaning else [""]
    if cls.measurements:
        lines.append(f"Also: {', '.join(f'{cls.__name__}.{m}' for m in cls.measurements)}")
    if cls.takes != "lists":
        lines.append(f"Scores: {cls.takes} (cranfield {TAKES[cls.takes]})")
    lines.append(f"Range: {cls.range}")
    if cls.properties:
        lines.append(f"Properties: {', '.join(cls.properties)}")
    if cls.task:
        lines.append(f"Suits: {cls.task}")
    lines += [f"Reference: {format_citation(key)}" for key in cls.references]
    return "\n".join(lines)
