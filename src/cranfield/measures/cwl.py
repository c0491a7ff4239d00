"""C/W/L: user models of walking down a ranking.

A *user model* defines C(i), the probability of continuing from rank i to i + 1, or W(i), the
attention at rank i, or L(i), the probability that i is the last rank seen. Each determines the
others:

V(i) = Π_{j<i} C(j)          the probability of seeing rank i
W(i) = V(i) / Σ_j V(j)
L(i) = V(i)·(1 − C(i))

The gain g and the cost c of each item, with their sums γ and κ up to i, give five *measurements*:

EU  = Σ_i W(i)·g(i)          expected utility: gain per item seen
ETU = Σ_i L(i)·γ(i)          expected total utility: gain when the user stops
EC  = Σ_i W(i)·c(i)          expected cost per item seen
ETC = Σ_i L(i)·κ(i)          expected total cost
ED  = 1 / W(1)               expected depth: items seen

Lists are read to depth n. Shorter lists are filled with unjudged items. (Moffat, Thomas and Scholer
2013; Azzopardi, Thomas and Moffat 2019.)
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar, overload

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, wrap_user_errors
from cranfield.measures.base import (
    MEASUREMENTS,
    READINGS,
    REGISTRY,
    Measure,
    MeasureType,
    add_documentation,
    has,
    is_built_in,
    measure,
    to_numbers,
)
from cranfield.measures.lists import Lists, NeedsMore, ratio, sum_above, to_floats, total
from cranfield.measures.names import MODEL_PARAMETERS
from cranfield.measures.notation import WALK
from cranfield.measures.parameters import GainSetting, as_param, format_value, gain_param, param

DEEPEST = 1_000_000  # maximum depth

MEANINGS = {name: WALK[name] for name in MEASUREMENTS}


@dataclass(frozen=True)
class Items:
    """Input of a user model: the items of a block of lists, one row per list.

    | name | meaning |
    |---|---|
    | `i` | ranks 1, 2, …, n |
    | `g`, `cg` | gain of each item; γ, cumulative gain |
    | `c`, `cc` | cost of each item; κ, cumulative cost |
    | `R` | items of the topic with a gain, retrieved or not |
    | `n` | depth: the last rank |
    | `lists` | the judged items only, as other measures see them |
    """

    g: Floats  # [lists, n]
    c: Floats  # [lists, n], or [1, n] if equal for all lists
    lists: Lists
    best: bool = False  # unjudged items are at their best

    @property
    def n(self) -> int:
        """Depth: the last rank."""
        return int(self.g.shape[1])

    @property
    def R(self) -> Floats:
        """Items of the topic with a gain. At best, unjudged items of the list count."""
        known_relevant = self.lists.R
        return np.maximum(known_relevant, (self.g > 0).sum(axis=1)) if self.best else known_relevant

    @cached_property
    def i(self) -> Floats:
        """Ranks 1 to n."""
        return np.arange(1.0, self.n + 1.0)

    @cached_property
    def cg(self) -> Floats:
        """γ(i): cumulative gain at rank i."""
        return np.cumsum(self.g, axis=1)

    @cached_property
    def cc(self) -> Floats:
        """κ(i): cumulative cost at rank i."""
        return np.cumsum(self.c, axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class Walk:
    """Probabilities and measurements of users walking down lists.

    Arrays have a row for each list; arrays about ranks have a column for each rank. For a single
    list (`UserModel.walk`) there are no rows.
    """

    C: Floats  # probability of continuing
    V: Floats  # probability of seeing a rank
    W: Floats  # attention
    L: Floats  # probability that the rank is the last one seen
    gains: Floats
    costs: Floats
    EU: Any
    ETU: Any
    EC: Any
    ETC: Any
    ED: Any

    def __repr__(self) -> str:
        five = {name: np.round(getattr(self, name), 4) for name in MEASUREMENTS}
        return f"Walk({', '.join(f'{name}={value}' for name, value in five.items())})"

    def select_first(self) -> Walk:
        """Return the walk of the first list."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        first: dict[str, Any] = {name: float(x[0]) if name in MEASUREMENTS else x[0] for name, x in fields.items()}
        return Walk(**first)


_DEFINED: list[type[UserModel]] = []


class UserModel(Measure):
    """Base class of user models. A subclass defines parameters and C, W or `last`:

    >>> import cranfield as cf
    >>> @cf.measure
    ... class Hopeful(cf.UserModel):
    ...     '''Goes on with probability p, and in any case after an item of use.'''
    ...     p: float = cf.param(0.5, "persistence", low=0, high=1)
    ...
    ...     def C(self, x):
    ...         return np.where(x.g > 0, 1.0, self.p)
    >>> Hopeful(p=0.5).ED([1, 0, 0])  # 1 + 1 + 1/2 + 1/4 + …
    3.0
    >>> round(cf.parse_measure("Hopeful(p=0.5)")([1, 0, 0]), 4)  # alone it is EU: 1/3
    0.3333
    """

    gain: GainSetting = gain_param()
    rel: float | None = param(None, "items below this level have gain 0")
    max_level: float | None = param(
        None, "highest level, with gain=unit (default: from the judgments)", low=0, open_ends=True
    )
    n: float = param(1000.0, "depth: the last rank; shorter lists are filled with unjudged "
                             "items; replaced by a cutoff",
                     low=1, high=DEEPEST, whole=True)  # fmt: skip
    min_gain: float = param(0.0, "gain of an unjudged item")
    max_gain: float | None = param(
        None, "gain of an unjudged item at best, for residuals (default: 1, or the highest judged gain)"
    )
    max_cost: float = param(1.0, "cost of an item with unknown cost, also beyond the end",
                            low=0, open_ends=True)  # fmt: skip
    min_cost: float = param(1.0, "unknown cost at best, for residuals", low=0, open_ends=True)
    totals: str = param(
        "L",
        "ETU and ETC as sums over L, or as EU·ED and EC·ED (W); these differ by users who read beyond n",
        choices=("L", "W"),
    )

    measurements: ClassVar[tuple[str, ...]] = MEASUREMENTS
    is_model = True
    symbols = WALK
    looks_at: ClassVar[tuple[str, ...]] = ()  # inputs in addition to ranks: gains, costs
    unit_gains: ClassVar[bool] = False  # gains must be in [0, 1]
    scaled: ClassVar[bool] = True  # W is normalised to a sum of 1
    has_residuals = True
    advice: ClassVar[str] = ""  # when to use it
    examples: ClassVar[tuple[str, ...]] = ()  # settings shown on its page
    vary: ClassVar[tuple[str, tuple[float, ...]] | None] = None  # a parameter, values in plots
    range = "EU and ETU as the gains; ED from 1 to n"
    cutoff_meaning = "no user continues beyond this rank: the depth n, and C(n) = 0"
    cutoff_name = "k"
    translations = MODEL_PARAMETERS
    properties = has("graded", "recall-independent")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _DEFINED.append(cls)

    def C(self, x: Items) -> Floats:
        """Return C(i), the probability of continuing after rank i: [lists, n] or [n]."""
        raise self._make_undefined_error()

    def W(self, x: Items) -> Floats:
        """Return W(i), the attention at rank i up to a factor. W(1) must be above 0."""
        raise self._make_undefined_error()

    def last(self, x: Items) -> Floats:
        """Return L(i), the probability that rank i is the last one seen."""
        raise self._make_undefined_error()

    def _make_undefined_error(self) -> CranfieldError:
        name = type(self).__name__
        return CranfieldError(f"{name} defines no C(self, x), W(self, x) or last(self, x)")

    @classmethod
    def list_parameters(cls) -> Iterator[dataclasses.Field[Any]]:
        """Return the parameters in print order: the model's own first, then the shared."""
        shared = UserModel.__dataclass_fields__
        return iter(sorted(super().list_parameters(), key=lambda f: f.name in shared))

    # -- from C to everything else ----------------------------------------------------------------

    def walk_down(self, x: Items) -> Walk:
        """Return the walk down the items of a block."""
        if type(self).last is not UserModel.last:
            L = self._call_model("L", self.last, x)
            V = np.maximum(1.0 - sum_above(L), 0.0)
            if self.cutoff is not None:
                L = np.concatenate((L[:, :-1], V[:, -1:]), axis=1)
            C, W = ratio(V - L, V), V / _sum(V)
        elif type(self).W is not UserModel.W:
            weight = self._call_model("W", self.W, x)
            V = weight / weight[:, :1]
            next_rank = np.concatenate((V[:, 1:], np.zeros((len(V), 1))), axis=1)
            L, C = V - next_rank, ratio(next_rank, V)
            W = weight / total(weight)[:, None] if self.scaled else weight
        else:
            C = self._call_model("C", self.C, x)
            if self.cutoff is not None:
                C = C.copy()
                C[:, -1] = 0.0
            V = np.ones(C.shape)
            np.cumprod(C[:, :-1], axis=1, out=V[:, 1:])
            L, W = V * (1.0 - C), V / _sum(V)
        EU, EC, ED = _sum(W * x.g), _sum(W * x.c), 1.0 / W[:, :1]
        if self.totals == "L":
            ETU, ETC = _sum(L * x.cg), _sum(L * x.cc)
        else:
            ETU, ETC = EU * ED, EC * ED
        totals = np.broadcast_arrays(*(s[:, 0] for s in (EU, ETU, EC, ETC, ED)), x.g[:, 0])[:5]
        return Walk(C, V, W, L, x.g, x.c, *totals)

    def _call_model(self, name: str, method: Callable[[Items], Any], x: Items) -> Floats:
        """Call C, W or L and check the result: one row per list, or one for all."""
        with wrap_user_errors(type(self)):
            values = method(x)
        probabilities = to_numbers(self, name, values)
        probabilities = probabilities[None, :] if probabilities.ndim == 1 else probabilities
        if probabilities.shape not in ((len(x.g), x.n), (1, x.n)):
            expected = f"{x.n} ranks, or {len(x.g)} lists × {x.n} ranks"
            raise CranfieldError(f"{self}: {name} has shape {np.shape(values)}, expected {expected}")
        if not is_built_in(type(self)):
            self._check_probabilities(name, probabilities)
        return probabilities

    def _check_probabilities(self, name: str, values: Floats) -> None:
        """Raise InputError unless C and L are probabilities and W does not rise."""
        expected = "a number in [0, 1]"
        bad = ~((values >= 0) & (values <= 1))
        if name == "L":
            bad |= np.cumsum(values, axis=1) > 1 + 1e-9
            expected += ", with a sum of at most 1"
        if name == "W":
            bad = ~((values >= 0) & np.isfinite(values))
            bad[:, :1] |= values[:, :1] == 0
            bad[:, 1:] |= values[:, 1:] > values[:, :-1] * (1 + 1e-9)
            expected = "a number > 0 at rank 1, and no increase at later ranks"
        for row, column in np.argwhere(bad)[:1].tolist():
            problem = f"{name} = {values[row, column]:g} at rank {column + 1}"
            raise InputError(problem, expected, self)

    # -- as a measure -----------------------------------------------------------------------------

    def compute(self, lists: Lists) -> Floats:
        """Return the measurement for a block of lists: [lists, 1]."""
        return self._compute_five(lists)[:, [MEASUREMENTS.index(self.measurement or "EU")]]

    def compute_bounds(self, lists: Lists) -> Floats:
        """Return the measurement with unjudged items at their worst and best: [lists, 2]."""
        k = MEASUREMENTS.index(self.measurement or "EU")
        ends = np.stack([self._compute_five(lists)[:, k], self._compute_five(lists, best=True)[:, k]], axis=1)
        return np.sort(ends, axis=1)

    def compute_as_cwl_eval(self, lists: Lists, best: bool = False) -> Floats:
        """Return all five measurements, [lists, 5], with the bits of cwl_eval.

        The last bit can decide a printed digit. So each list of length n is summed on its own, with
        products and dot products.
        """
        x = dataclasses.replace(self, cutoff=None).build_items(lists, best)
        walk = self.walk_down(self.build_items(lists, best))
        C, V, W = np.zeros(x.g.shape), np.ones(x.g.shape), np.zeros(x.g.shape)
        C[:, : walk.C.shape[1]] = walk.C[:, : x.n]
        W[:, : walk.W.shape[1]] = walk.W[:, : x.n]
        by_weight = type(self).W is not UserModel.W
        if by_weight:
            C[:, :-1] = ratio(W[:, 1:], W[:, :-1])
        np.cumprod(C[:, :-1], axis=1, out=V[:, 1:])
        W = W if by_weight else V * (1.0 / _sum(V))
        L, c = V * (1.0 - C), np.broadcast_to(x.c, C.shape)
        cg, cc = x.cg, np.broadcast_to(x.cc, C.shape)
        five = [(W[t] @ x.g[t], L[t] @ cg[t], W[t] @ c[t], L[t] @ cc[t], 1.0 / W[t, 0]) for t in range(len(C))]
        return np.array(five).reshape(len(C), len(MEASUREMENTS))

    def _compute_five(self, lists: Lists, best: bool = False) -> Floats:
        """Return all five measurements, computed once per block."""
        settings = tuple(getattr(self, f.name) for f in self.list_parameters())

        def compute() -> Floats:
            walk = self.walk_down(self.build_items(lists, best))
            if lists.gold.traced and not best:
                view = self.view(lists)
                view.rank_steps |= {"g": walk.gains, "c": walk.costs}
                view.rank_steps |= {"C": walk.C, "W": walk.W, "L": walk.L}
                view.steps |= {name: getattr(walk, name) for name in MEASUREMENTS}
            return np.stack([getattr(walk, name) for name in MEASUREMENTS], axis=1)

        return lists.cache((type(self), settings, self.cutoff, best), compute)

    def build_items(self, lists: Lists, best: bool = False) -> Items:
        """Return the items up to the model's depth.

        Unjudged items and unknown costs are at their worst or at their best.
        """
        view = self.view(lists)
        unjudged = self._get_best_gain(view) if best else self.min_gain
        unknown = self.min_cost if best else self.max_cost
        source = lists.condensed if self.condensed else lists
        view_settings = (self.condensed, view.l, view.gain, view.rel, view.max_level)
        key = ("items", self.width, *view_settings, unjudged, unknown, best)

        def compute() -> Items:
            unsure = (1.0 - view.J) * unjudged  # with ties, an item can be unjudged in part
            g = view.expand_to_ranks(view.g + unsure, self.width, unjudged)
            if source.costs is None:
                c = np.full((1, self.width), unknown)
            else:
                c = source.costs.to_matrix(self.width)
                c = np.where(np.isnan(c), unknown, c)
            return Items(g, c, view, best)

        if self.unit_gains:
            self._check_unit_gains(view, unjudged)
        return lists.cache(key, compute)

    def _get_best_gain(self, view: Lists) -> float:
        if self.max_gain is not None:
            return self.max_gain
        return max(1.0, float(view.compute_gains(view.gold.distinct).max(initial=0.0)))

    def _check_unit_gains(self, view: Lists, unjudged: float) -> None:
        """Raise InputError if a judged level has a gain outside 0 to 1."""
        judged = view.compute_gains(view.gold.distinct)
        for gain in (judged.min(initial=0.0), judged.max(initial=0.0), unjudged):
            if not 0 <= gain <= 1:
                fix = "Use gain=unit (level / highest level) or a table such as gain=0.5:1."
                problem = f"gains must be in [0, 1], found {gain:g}"
                raise InputError.from_problem(problem, fix, self)

    @property
    def width(self) -> int:
        """The last rank used."""
        return int(self.n) if self.cutoff is None else int(self.cutoff)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.measurement in ("", "EU", "ETU"):
            object.__setattr__(self, "better", "higher")
            object.__setattr__(self, "effectiveness", True)
        if self.width > DEEPEST:
            problem = f"cutoff must be ≤ {DEEPEST}, found {self.width}"
            raise InputError.from_problem(problem, where=type(self).__name__)
        for quantity in ("gain", "cost"):
            low, high = getattr(self, f"min_{quantity}"), getattr(self, f"max_{quantity}")
            if high is not None and high < low:
                problem = f"max_{quantity} must be ≥ min_{quantity}"
                problem += f", found {format_value(high)} and {format_value(low)}"
                raise InputError.from_problem(problem, where=type(self).__name__)

    def exact_under_ties(self) -> bool:
        return not self.looks_at and is_built_in(type(self))

    def takes_max_level(self) -> bool:
        return self.gain == "unit" and self.max_level is None

    def rewards_better_items(self) -> bool:
        if self.looks_at or self.min_gain != 0:
            return False  # users who find enough stop, and see less
        return super().rewards_better_items()

    def describe_variant(self) -> str:
        return MEANINGS[self.measurement or "EU"]

    def walk(
        self,
        levels: Any,
        costs: Any = None,
        judged: Any = None,
        *,
        mask: Any = None,
        judged_mask: Any = None,
        best: bool = False,
    ) -> Walk:
        """Return the walk down a list of levels, or a batch of lists.

        It has C, V, W, L and all five measurements. With `best`, unjudged items (None) are at their
        best.

        >>> from cranfield.measures.models import INSQ
        >>> w = INSQ(T=1).walk([0.0, 1.0, None])
        >>> w.C[:3].round(4).tolist(), round(w.ED, 4)  # ((i + 1)/(i + 2))²
        ([0.4444, 0.5625, 0.64], 2.5757)
        """
        batch = self.build_lists(levels, judged, mask, judged_mask, None, costs)
        try:
            walk = self.walk_down(self.build_items(batch, best))
        except NeedsMore as missing:
            raise CranfieldError(f"{self} {missing}") from None
        return walk if np.ndim(levels) == 2 else walk.select_first()


def sweep(name: str, *values: float) -> tuple[str, tuple[float, ...]]:
    """Return a parameter and the values that plots show."""
    return name, values


def _sum(x: Floats) -> Floats:
    """Return Σ_i of rows of equal length. Padding cannot change the last bit."""
    return to_floats(np.ascontiguousarray(x).sum(axis=1, keepdims=True))


# -- readings of other measures, and models that are functions ------------------------------------

U = TypeVar("U", bound=UserModel)


def register_reading(cls: type[U]) -> type[U]:
    """Register a class as the user model of the measure of the same name."""
    READINGS[cls.__name__] = cls
    return add_documentation(cls)


def list_models() -> dict[str, type[UserModel]]:
    """Return all user models by name, in order of definition, custom models last."""
    registered = {*READINGS.values(), *REGISTRY.values()}
    in_order = sorted(_DEFINED, key=is_built_in, reverse=True)
    return {c.__name__: c for c in in_order if c in registered}


@overload
def user_model(function: Callable[..., Any]) -> type[UserModel]: ...
@overload
def user_model(*, gives: Literal["C", "W", "L"] = "C") -> Callable[[Callable[..., Any]], type[UserModel]]: ...
def user_model(function: Callable[..., Any] | None = None, *, gives: Literal["C", "W", "L"] = "C") -> Any:
    """Turn a function of items and parameters into a user model: C, W or L.

    >>> @user_model
    ... def Fading(x, p=0.8):
    ...     '''Goes on less and less.'''
    ...     return p ** x.i
    >>> Fading(p=0.5).ED([0.0])  # doctest: +ELLIPSIS
    1.64163...
    """
    if gives not in ("C", "W", "L"):
        raise InputError.from_problem(f"gives must be C, W or L, found {gives!r}")
    if function is None:
        return lambda f: build_user_model(f, gives)
    return build_user_model(function, gives)


def build_user_model(function: Callable[..., Any], gives: str) -> type[UserModel]:
    """Build a class that calls the function."""
    arguments = list(inspect.signature(function).parameters.values())
    if not arguments or arguments[0].default is not arguments[0].empty:
        problem = f"the first argument of {function.__name__} must be the items, without a default"
        raise InputError.from_problem(problem, "Example: def model(x, p=0.8)")
    parameters = arguments[1:]
    if not function.__name__.isidentifier():
        raise InputError.from_problem(f"{function.__name__} is not a named function")
    for p in parameters:
        if p.default is p.empty:
            raise InputError.from_problem(f"parameter {p.name!r} has no default")
        if hasattr(UserModel, p.name):
            message = f"{function.__name__}: parameter name {p.name!r} is reserved"
            raise CranfieldError(f"{message}. Choose another name")
    names = [p.name for p in parameters]

    def call_function(self: UserModel, x: Items) -> Any:
        return function(x, **{name: getattr(self, name) for name in names})

    body = {p.name: as_param(p.default) for p in parameters}
    annotations = dict.fromkeys(names, Any)
    attributes = {"__doc__": function.__doc__ or "A custom user model.", "__module__": function.__module__}
    cls: Any = MeasureType(
        function.__name__,
        (UserModel,),
        {**body, **attributes, "__annotations__": annotations, {"L": "last"}.get(gives, gives): call_function},
    )
    model: type[UserModel] = measure(cls)
    return model
