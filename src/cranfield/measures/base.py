"""`Measure`: an equation, its parameters and its documentation.

nDCG @ 10            a measure at a cutoff
AP(rel=2)            a measure with a parameter
str(AP(rel=2))       'AP(rel=2)', the canonical name, which parses to the same measure
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
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeVar, dataclass_transform, overload

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import CranfieldError, InputError, wrap_user_errors
from cranfield.measures import families
from cranfield.measures.arrays import build_lists
from cranfield.measures.gains import parse_gain
from cranfield.measures.lists import Lists, NeedsMore
from cranfield.measures.names import PARAMETERS, Translations, translate_parameter
from cranfield.measures.parameters import check_value, format_value, is_number, param, parse_literal
from cranfield.references import format_citation

if TYPE_CHECKING:
    from cranfield.measures.functions import ListMeasure


class Registry(UserDict[str, "type[Measure]"]):
    """Measures by name. The module of a measure is imported on first use."""

    data: dict[str, Any]  # a class, or the module that registers it

    def __init__(self, families: Mapping[str, str]) -> None:
        self.data = dict(families)

    def __getitem__(self, name: str) -> type[Measure]:
        if isinstance(family := self.data[name], str):
            import_module(f"cranfield.measures.{family}")
        measure: type[Measure] = self.data[name]
        return measure

    def __iter__(self) -> Iterator[str]:
        return iter([*self.data])  # a copy, because importing a module can add names

    def __repr__(self) -> str:
        return repr(dict(self))


REGISTRY = Registry(families.MEASURES)
NAME = re.compile(r"[^\s=(),]+")  # column name

MEASUREMENTS = ("EU", "ETU", "EC", "ETC", "ED")  # of C/W/L (cwl.py)
READINGS = Registry(families.READINGS)  # user models by the name of their measure

TAKES = {
    "lists": "evaluate",
    "intents": "evaluate",
    "sessions": "session",
    "texts": "text",
    "answers": "answers",
    "distributions": "distribution",
}
"""Inputs of measures, and the command that computes them."""

PROPERTIES = {
    "graded": "distinguishes relevance levels",
    "normalised": "the ideal list scores 1",
    "recall-independent": "does not use the number of relevant items",
    "diminishing return": "a relevant item has less value after others",
    "uses lengths": "uses document lengths",
}
"""Properties of measures (Sakai 2014, Figure 6)."""


def cite(*keys: str) -> tuple[str, ...]:
    """Return the keys of papers in references.bib."""
    return keys


def has(*properties: str) -> tuple[str, ...]:
    """Return keys of PROPERTIES."""
    return properties


def match_names(name: str) -> list[str]:
    """Return the registered names equal to `name`, else those equal without case."""
    if name in REGISTRY:
        return [name]
    return [candidate for candidate in REGISTRY if candidate.lower() == name.lower()]


def find_classes(name: str) -> list[type[Measure]]:
    """Return the classes of the names that `match_names` returns."""
    return [REGISTRY[match] for match in match_names(name)]


def to_numbers(m: Measure, source: str, values: Any) -> Floats:
    """Convert the result of a measure to doubles."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        shown_type = type(values).__name__
        raise CranfieldError(f"{m}: {source} returned {shown_type}, expected numbers") from None


def is_built_in(cls: type) -> bool:
    """Return True if a class is part of cranfield and not custom."""
    return cls.__module__.startswith("cranfield.")


# Type checkers read a measure's parameters from its class: `nDCG(gian="exp")` is a mistake.
@dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
class MeasureType(type):
    """Metaclass: a class is also its measure with default parameters (``nDCG @ 10``)."""

    def __matmul__(cls: type[M], cutoff: float) -> M:  # type: ignore[misc]
        return cls() @ cutoff

    @property
    def __signature__(cls) -> inspect.Signature:
        """Signature with the parameters, for help and completion."""
        kind = inspect.Parameter.KEYWORD_ONLY
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return inspect.Signature([inspect.Parameter(f.name, kind, default=f.default) for f in fields])

    def __str__(cls) -> str:
        return cls.__name__

    __repr__ = __str__


class Suffix:
    """One of the five C/W/L measurements of a measure, such as `AP.EU`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, m: Measure | None, cls: type[Measure]) -> Any:
        if m is None and not (cls.is_model or cls.__name__ in READINGS):
            return self
        return (cls() if m is None else m).to_user_model(self.name)


@dataclass(init=False, repr=False, eq=False, kw_only=True)
class Measure(metaclass=MeasureType):
    """Base class of all measures. A subclass defines parameters and an equation:

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

    condensed: bool = param(False, "omit unjudged items from the list (condensed list)")
    cutoff: int | None = None
    measurement: str = ""
    called: str = ""  # column name, as in hit=Success@10

    takes: ClassVar[str] = "lists"  # input, a key of TAKES
    summary: ClassVar[Literal["mean", "sum", "gmean", "clipped"]] = "mean"  # summary over topics
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    effectiveness: ClassVar[bool] = True  # undefined for topics without relevant items
    columns: ClassVar[tuple[str, ...]] = ()  # names of columns if there are several per topic
    measurements: ClassVar[tuple[str, ...]] = ()  # other values, by suffix: RBP.residual
    references: ClassVar[tuple[str, ...]] = ()  # keys of references.bib
    task: ClassVar[str] = ""  # tasks that the measure suits
    range: ClassVar[str] = "0 to 1"
    properties: ClassVar[tuple[str, ...]] = ()  # keys of PROPERTIES
    translations: ClassVar[Translations] = PARAMETERS  # parameters of other tools
    cutoff_name: ClassVar[str] = "cutoff"  # ir_measures' name of the number after @
    cutoff_meaning: ClassVar[str] = "use only the top k ranks"  # what the number behind @ means,
    # empty if there is none
    is_model: ClassVar[bool] = False  # a user model of C/W/L
    combines: ClassVar[bool] = False  # takes a base measure: D(nDCG)
    takes_raw_gains: ClassVar[bool] = False  # accepts gain=raw, with gains below 0
    holds_under_ties: ClassVar[bool] = False  # the equation holds for expected values
    may_fall: ClassVar[bool] = False  # can fall if a better item moves up by one rank
    takes_gains: ClassVar[bool] = True  # needs only gains, for D(M)
    has_residuals: ClassVar[bool] = False  # has `compute_bounds`
    length_unit: ClassVar[str] = ""  # unit of document lengths, if required
    every_length: ClassVar[bool] = False  # requires lengths of unjudged documents as well
    needs_verticals: ClassVar[bool] = False  # requires verticals of items and intents
    takes_unsampled: ClassVar[bool] = False  # levels below 0 mean pooled but not judged
    needs_documents: ClassVar[bool] = False  # requires document ids
    ignores_unjudged: ClassVar[bool] = False  # unjudged items do not count as nonrelevant
    takes_samples: ClassVar[bool] = False  # estimates from sampled judgments
    symbols: ClassVar[Mapping[str, str]] = {}  # meanings of its own step names

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    def score(self, x: Lists) -> Floats:
        """Return one score per topic ([T]), or one per topic and column ([T, k])."""
        raise TypeError(f"{type(self).__name__} defines no score(self, x)")

    def takes_max_level(self) -> bool:
        """Return True if the score depends on a highest level that is not declared."""
        return False

    def has_open_max_level(self, constant: bool) -> bool:
        """Return True if `max_level` is not declared and the gain is not constant."""
        declared = getattr(self, "max_level", None) is not None
        return not declared and isinstance(getattr(self, "gain", ""), str) and not constant

    def exact_under_ties(self) -> bool:
        """Return True if the equation holds for expected values (see `expected.py`)."""
        return self.holds_under_ties

    def rewards_better_items(self) -> bool:
        """Return True if a better item that moves up by one rank never lowers the score.

        Then no order of tied items scores better than the order by level. If neither end of the
        scale is better, True means that every order has the same score.
        """
        if self.may_fall or not is_built_in(type(self)):
            return False  # unknown for custom measures
        if getattr(self, "gain", "") == "raw":
            return False  # the order by level ignores harm
        rel = getattr(self, "rel", None)
        return self.effectiveness and (rel is None or rel > 0)  # else items without gain can be relevant

    def can_drop_nonrelevant(self) -> bool:
        """Return True if nonrelevant items without gain can be dropped."""
        return False  # unknown for custom measures

    def describe_variant(self) -> str:
        """Describe the definition that the parameters select, if there are several."""
        return ""

    @property
    def last_rank(self) -> int | None:
        """The deepest rank that the measure uses, None if unlimited."""
        return self.cutoff

    def compute_item_gains(self, x: Lists) -> Floats:
        """Return the gains of items for a single intent, for D(M)."""
        return x.g

    def with_levels_as_gains(self) -> Self:
        """Return the measure for lists with gains as levels."""
        gain = "raw" if getattr(self, "gain", "") == "raw" else "linear"
        neutral: dict[str, Any] = {"gain": gain, "rel": None, "max_level": None}
        settings = {f.name: neutral[f.name] for f in self.list_parameters() if f.name in neutral}
        return dataclasses.replace(self, **settings)

    # -- using ------------------------------------------------------------------------------------

    def __matmul__(self, cutoff: float) -> Self:
        return dataclasses.replace(self, cutoff=cutoff)  # type: ignore[arg-type]

    # Measures are immutable, so values derived from their parameters are cached.
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

    # One shared method: generating one for each measure would slow down every start.
    def __init__(self, *levels: Any, **settings: Any) -> None:
        name = type(self).__name__
        if levels:
            raise TypeError(
                f"{name} takes only named parameters. To score a list, use {name}()(levels) or ({name} @ 10)(levels)"
            )
        settings = self._translate_settings(settings)
        for f in dataclasses.fields(self):
            value = settings.pop(f.name, f.default)
            if value is dataclasses.MISSING:
                factory: Any = f.default_factory
                if factory is dataclasses.MISSING:
                    raise TypeError(f"{name} requires {f.name}=")
                value = factory()
            object.__setattr__(self, f.name, value)
        for unknown in settings:
            names = ", ".join(f.name for f in self.list_parameters())
            raise TypeError(f"{name}: unknown parameter {unknown!r}. Valid: {names}")
        self.__post_init__()

    @classmethod
    def _translate_settings(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Translate parameters of other tools: letor=True, dcg="exp-log2"."""
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
        """Return the column names: the measure's name, or one name per column."""
        name = self.called or str(self)
        if not self.columns or self.measurement:
            return (name,)
        return tuple(f"{name}.{column}" for column in self.columns)

    def compute(self, lists: Lists) -> Floats:
        """Return the scores of a block of lists: [T, len(names())]."""
        with wrap_user_errors(type(self)):
            scores = self.score(self.view(lists))
        x = to_numbers(self, "score", scores)
        x = x[:, None] if x.ndim == 1 else x
        columns = len(self.columns) or len(self.names())
        if x.shape != (len(lists), columns):
            expected = f"one number for each of {len(lists)} topics"
            expected += f" × {columns}" if columns > 1 else ""
            raise CranfieldError(f"{self}: score returned shape {x.shape}, expected {expected}")
        has_column = self.measurement in self.columns
        return x[:, [self.columns.index(self.measurement)]] if has_column else x

    def view(self, lists: Lists) -> Lists:
        """Return the lists with this measure's cutoff, threshold, gain and condensation."""
        lists = lists.condensed if self.condensed else lists
        return lists.view(self.last_rank, **self.get_view_settings())

    def get_view_settings(self) -> dict[str, Any]:
        """Return the settings that define gains and relevance."""
        defaults = {"rel": None, "gain": "linear", "max_level": None}
        return {name: getattr(self, name, default) for name, default in defaults.items()}

    def needs_intent_weights(self) -> bool:
        """Return True if the measure uses the probabilities of intents."""
        return False

    def needs_intent_types(self) -> bool:
        """Return True if the measure uses the types of intents (navigational or not)."""
        return False

    def get_intent_measures(self) -> tuple[Measure, ...]:
        """Return the measures of a single intent: the measure itself by default."""
        return (self,)

    def decided(self, x: Lists) -> Floats | Ints | None:
        """Return the rank in each list below which the score cannot change, or None."""
        return None

    def trace(self, lists: Lists) -> Lists:
        """Return the lists with the steps of the computation."""
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
        """Return the score of one list from the levels of its items.

        None is an unjudged item. `judged` contains all judged levels of the topic, retrieved or
        not, in any order. It is required for measures that use the number of relevant items or an
        ideal list. `lengths` are the lengths of the items, `costs` their costs for user models.

        An array [n, depth] is a batch of n lists and returns n scores. NaN is an unjudged item. If
        `mask` is False, there is no item. `judged` is then an array [n, any], in which NaN or False
        in `judged_mask` is no item. If `judged` is `levels` itself, `mask` applies to both.
        Measures that depend on the highest level use the highest level of the batch. Declare
        `max_level` to avoid this.

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

    def build_lists(self, levels: Any, judged: Any, mask: Any, judged_mask: Any, lengths: Any, costs: Any) -> Lists:
        """Build lists from the arguments of `__call__`."""
        unit_lengths = {} if lengths is None else {self.length_unit: lengths}
        try:
            return build_lists(levels, judged, mask, judged_mask, unit_lengths, self.every_length, costs)
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None

    # -- as C/W/L measures it ---------------------------------------------------------------------

    EU = Suffix()
    ETU = Suffix()
    EC = Suffix()
    ETC = Suffix()
    ED = Suffix()

    def is_user_model(self) -> bool:
        """Return True if C/W/L has a user model for this measure."""
        return self.is_model or (type(self).__name__ in READINGS and not self.measurement)

    def to_user_model(self, measurement: str) -> Measure:
        """Return the user model of this measure, with one of the five measurements."""
        if not self.is_user_model():
            raise CranfieldError(f"{self} has no measurement {measurement!r}: not a user model")
        column_name = f"{self.called}.{measurement}" if self.called else ""
        if self.is_model:
            return dataclasses.replace(self, measurement=measurement, called=column_name)
        model = READINGS[type(self).__name__]
        names = [f.name for f in model.list_parameters()]
        values = {f.name: getattr(self, f.name) for f in self.list_parameters()}
        changed = {f.name: values[f.name] for f in self.list_parameters() if values[f.name] != f.default}
        for name in changed.keys() - set(names):
            valid = f"Valid for its user model: {', '.join(names)}"
            raise CranfieldError(f"{self}.{measurement}: unknown parameter {name!r}. {valid}")
        return model(**changed, cutoff=self.cutoff, measurement=measurement, called=column_name)

    def compute_bounds(self, lists: Lists) -> Floats:
        """Return the lowest and highest score over all unjudged levels: [lists, 2]."""
        raise TypeError(f"{type(self).__name__} has no residuals")

    # -- parameters -------------------------------------------------------------------------------

    def get_arguments(self) -> list[str]:
        """Return the positional arguments: the base measure of a combination."""
        return []

    def takes_default(self, name: str) -> bool:
        """Return True if the measure has this parameter, set to its default."""
        return any(f.name == name and getattr(self, name) == f.default for f in self.list_parameters())

    def with_defaults(self, settings: Mapping[str, Any]) -> Self:
        """Return the measure with these values for parameters at their default."""
        missing = {name: value for name, value in settings.items() if self.takes_default(name)}
        return dataclasses.replace(self, **missing) if missing else self

    @classmethod
    def list_parameters(cls) -> Iterator[dataclasses.Field[Any]]:
        """Return the parameters in print order: own parameters first, then shared."""
        return iter(_collect_parameters(cls))

    def __post_init__(self) -> None:
        for f in self.list_parameters():
            object.__setattr__(self, f.name, self._check_parameter(f, getattr(self, f.name)))
        if self.cutoff is not None:
            object.__setattr__(self, "cutoff", self._check_cutoff(self.cutoff))
        if self.called and not NAME.fullmatch(self.called):
            problem = f"invalid column name {self.called!r}"
            raise InputError.from_problem(problem, "Spaces, =, parentheses, commas are not allowed")
        if self.measurement in self.measurements:  # beside the score: never best, always defined
            object.__setattr__(self, "better", "neither")
            object.__setattr__(self, "effectiveness", False)
        valid_names = self.columns + self.measurements
        if self.measurement and self.measurement not in valid_names:
            name = type(self).__name__
            valid_names += MEASUREMENTS if name in READINGS else ()
            hint = ": not a user model" if self.measurement in MEASUREMENTS else ""
            hint += f". Valid: {', '.join(valid_names)}" if valid_names else ""
            raise CranfieldError(f"{name} has no measurement {self.measurement!r}{hint}")

    @classmethod
    def takes_rankings(cls) -> bool:
        """Return True if `cranfield evaluate` computes the measure."""
        return TAKES[cls.takes] == "evaluate"

    def _check_cutoff(self, cutoff: Any) -> int:
        name = type(self).__name__
        if not self.cutoff_meaning:
            raise InputError.from_problem(f"{name} takes no cutoff", where=name)
        if not is_number(cutoff) or not 1 <= cutoff < 2**53 or cutoff % 1:
            value = repr(cutoff) if isinstance(cutoff, str) else format_value(cutoff)
            limit = " and < 2^53" if is_number(cutoff) and cutoff >= 2**53 else ""
            problem = f"cutoff must be an integer ≥ 1{limit}, found {value}"
            raise InputError.from_problem(problem, where=name)
        return int(cutoff)

    def _check_parameter(self, f: dataclasses.Field[Any], value: Any) -> Any:
        """Return the converted parameter, or raise InputError."""
        if f.name != "gain":
            return check_value(f, value, type(self).__name__)
        gain = parse_gain(value)
        if gain == "raw" and not (self.is_model or self.takes_raw_gains):
            problem = "gain=raw is only valid for user models and DCG's family"
            raise InputError.from_problem(problem, where=type(self).__name__)
        return gain


@cache
def _collect_parameters(cls: type[Measure]) -> list[dataclasses.Field[Any]]:
    hidden = {"cutoff", "measurement", "called"}
    hidden |= set() if cls.takes_rankings() else {"condensed"}
    fields = [f for f in dataclasses.fields(cls) if f.name not in hidden]
    return sorted(fields, key=lambda f: f.name == "condensed")


class NormalisedMeasure(Measure):
    """A measure divided by its score for the ideal list at the same cutoff."""

    measurements: ClassVar[tuple[str, ...]] = ()
    range = "0 to 1"

    def score(self, x: Lists) -> Floats:
        ideal = x.gold.cache(("ideal", self), lambda: super(NormalisedMeasure, self).score(x.ideal))
        return x.ratio(super().score(x), ideal)


M = TypeVar("M", bound=Measure)


class Decorator(Protocol):
    """Type of `measure(...)` when called with options only."""

    @overload
    def __call__(self, defined: type[M]) -> type[M]: ...
    @overload
    def __call__(self, defined: Callable[..., float]) -> type[ListMeasure]: ...


@overload
def measure(defined: type[M], *, lower_is_better: bool = False) -> type[M]: ...
@overload
def measure(defined: Callable[..., float], *, lower_is_better: bool = False) -> type[ListMeasure]: ...
@overload
def measure(*, lower_is_better: bool = False) -> Decorator: ...
def measure(defined: Any = None, *, lower_is_better: bool = False) -> Any:
    """Register a class with a `score` method, or a function of a ranking.

    The arguments of a function are inputs, in any order:

    levels
        The levels of the documents in the ranking, from the top to the cutoff. An unjudged document
        has level 0 (``condensed=true`` omits unjudged documents). Empty for a missing topic.
    docs
        The ids of the same documents.
    judged
        The levels of all judged documents of the topic, highest first.
    judged_docs
        The ids of the same documents.
    topic
        The id of the topic.

    Every other argument needs a default and is a parameter of the measure. Higher scores are
    better, unless the decorator is ``@cf.measure(lower_is_better=True)``.

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
        problem = f"{defined!r} is not a subclass of cranfield.Measure and not a function"
        raise InputError.from_problem(problem)
    if lower_is_better:
        defined.better = "lower"
    return _register(defined)


def _register(cls: type[M]) -> type[M]:
    if not is_built_in(cls):
        for registered in find_classes(cls.__name__):
            if is_built_in(registered):
                problem = f"{registered.__name__} is a built-in measure"
                raise InputError.from_problem(problem, "Choose another name")
            del REGISTRY[registered.__name__]  # a custom measure, defined again
    if unknown := set(cls.properties) - set(PROPERTIES):
        fix = f"Valid: {', '.join(PROPERTIES)}"
        raise InputError.from_problem(f"unknown property {unknown.pop()!r}", fix)
    REGISTRY[cls.__name__] = cls
    return add_documentation(cls)


class Documentation:
    """Docstring of a measure with parameters, range and references, built when it is read."""

    def __init__(self, text: str | None) -> None:
        self.text = inspect.cleandoc(text or "")

    def __get__(self, m: Measure | None, cls: type[Measure]) -> str:
        return _build_documentation(cls, self.text)


def add_documentation(cls: type[M]) -> type[M]:
    """Add parameters, range and references to the docstring of a class."""
    cls.__doc__ = Documentation(cls.__doc__)  # type: ignore[assignment]
    return cls


def _build_documentation(cls: type[Measure], text: str) -> str:
    lines = [text, ""]
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
