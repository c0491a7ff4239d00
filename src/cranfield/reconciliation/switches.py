"""The table of conventions in which evaluation tools differ.

A row of `SWITCHES` is one difference: its options, the measures it applies to, and the property of
the data that makes an effect possible. The first option is the one of cranfield.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.data.qrels import Qrels
from cranfield.dataclass import dataclass
from cranfield.measures.base import Measure
from cranfield.measures.parameters import format_value
from cranfield.reconciliation.documents import Documents
from cranfield.reconciliation.formulas import Conventions


@dataclass(frozen=True, eq=False)
class Data:
    """Properties of the judgments and the run."""

    qrels: Qrels
    documents: Documents

    @property
    def levels(self) -> list[float]:
        """The distinct levels of the judgments, ascending."""
        return [float(level) for level in np.unique(self.qrels.levels)]

    @property
    def thresholds(self) -> list[str]:
        """Levels above the lowest relevant level, as text."""
        return [f"{level:g}" for level in [level for level in self.levels if level > 0][1:]]

    @property
    def grades(self) -> list[str]:
        """Positive levels, as text."""
        return [f"{level:g}" for level in self.levels if level > 0]

    @property
    def has_negative(self) -> bool:
        """True if a level is below 0."""
        return bool(self.levels and self.levels[0] < 0)

    @property
    def has_fractions(self) -> bool:
        """True if a level is not an integer."""
        return any(level != int(level) for level in self.levels)

    @property
    def has_unjudged(self) -> bool:
        """True if a retrieved document has no level, or none in tools without negative levels."""
        return bool(np.isnan(self.documents.level).any()) or self.has_negative

    @property
    def has_empty(self) -> bool:
        """True if a topic may lack relevant documents, by some threshold."""
        topics = len(self.qrels.topics)
        best = np.full(topics, -np.inf)
        topic = np.repeat(np.arange(topics), np.diff(self.qrels.offsets))
        np.maximum.at(best, topic, self.qrels.levels)
        return bool((best < max(self.levels, default=0.0)).any() or (best <= 0).any())


FRACTIONS = ("0 to 1", "0 to below 1", "1 (worst) to 0")
"""Ranges of measures whose scores can be percentages."""


def get_kind(m: Measure) -> str:
    """Return the name of a measure, with its measurement: ``RBP.residual``, ``RBP.EU``."""
    measurement = m.measurement or ("EU" if m.is_model else "")
    return f"{type(m).__name__}.{measurement}" if measurement else type(m).__name__


def parse_setting(text: str) -> Any:
    """Parse the value of a parameter: a number, none or a word.

    >>> parse_setting("0.8"), parse_setting("none"), parse_setting("linear")
    (0.8, None, 'linear')
    """
    try:
        return float(text)
    except ValueError:
        return None if text == "none" else text


def _has(*names: str) -> Callable[[Measure], bool]:
    return lambda m: get_kind(m) in names


def _has_parameter(name: str) -> Callable[[Measure], bool]:
    return lambda m: hasattr(m, name)


def _accept_all(m: Measure) -> bool:
    return True


def _is_cut(*names: str) -> Callable[[Measure], bool]:
    return lambda m: get_kind(m) in names and m.cutoff is not None


@dataclass(frozen=True, eq=False)
class Switch:
    """A convention: its options, and when to try them."""

    name: str
    difference: str  # for the documentation
    options: Callable[[Data, Measure], Sequence[str]]  # with an effect on the data, the default first
    applies: Callable[[Measure], bool] = _accept_all


def _if(condition: Callable[[Data], bool], *options: str) -> Callable[[Data, Measure], Sequence[str]]:
    return lambda data, m: options if condition(data) else options[:1]


def _list_ties(data: Data, m: Measure) -> list[str]:
    """Return the orders of equal scores that the run allows."""
    documents = data.documents
    if documents.by_position:
        return ["id-desc"]
    orders = ["id-desc", "id-asc", "input"] if documents.has_ties else ["id-desc"]
    orders += ["rank"] if documents.has_other_ranks else []
    return orders + (["expected", "best", "worst"] if documents.has_ties else [])


def _list_unjudged(data: Data, m: Measure) -> list[str]:
    if not data.has_unjudged:
        return ["nonrelevant"]
    removed = ["removed", "removed@k"] if m.cutoff is not None else ["removed"]
    return ["nonrelevant", *removed, *(f"grade:{grade}" for grade in data.grades)]


def _list_negative(data: Data, m: Measure) -> list[str]:
    gain = ["gain"] if _has("nDCG")(m) else []
    return ["zero", "unjudged", *gain] if data.has_negative else ["zero"]


def _list_thresholds(data: Data, m: Measure) -> list[str]:
    judged = ["judged"] if _has("nDCG", "AP", "P", "Recall", "RR", "Success")(m) and data.levels[0] <= 0 else []
    return ["1", *data.thresholds, *judged]


def _list_ideals(data: Data, m: Measure) -> list[str]:
    uncut = ["judged"] if m.cutoff is not None else []
    return ["judged@k", *uncut, "retrieved@k", "length"]


def _list_ap_divisors(data: Data, m: Measure) -> list[str]:
    """Return the divisors of AP. Without a cutoff, several are the same."""
    return ["min", "R", "found", "retrieved", "min-retrieved"] if m.cutoff is not None else ["R", "retrieved"]


def _list_means(data: Data, m: Measure) -> list[str]:
    if data.documents.topics < 2:
        return ["arithmetic"]
    micro = ["micro"] if _has("P", "SetP", "Recall", "SetRecall", "Success")(m) else []
    geometric = ["geometric"] if m.range.startswith(FRACTIONS) and m.better == "higher" else []
    return ["arithmetic", *geometric, "median", *micro]


def _is_open_rbp(m: Measure) -> bool:
    """Return True for RBP with graded gains and no declared highest level."""
    return get_kind(m) == "RBP" and getattr(m, "rel", None) is None and getattr(m, "max_level", None) is None


def _list_gains(data: Data, m: Measure) -> list[str]:
    """Return gains with different scores. The measures of user models alone keep the scale of gains."""
    unit = ["unit"] if m.is_model and data.grades not in ([], ["1"]) else []
    return ["linear", *(["exp", "binary"] if data.thresholds else []), *unit]


def _is_weighted_f(m: Measure) -> bool:
    """Return True for F with a weight that changes if it is squared."""
    return (
        type(m).__name__ in ("F", "SetF", "E")
        and getattr(m, "alpha", 0) is None
        and getattr(m, "beta", 1) not in (0, 1)
    )


def _has_residuals(m: Measure) -> bool:
    return m.has_residuals


def _is_total(m: Measure) -> bool:
    return m.is_model and m.measurement in ("ETU", "ETC")


def _vary(name: str, difference: str, values: Mapping[str, Sequence[str]]) -> Switch:
    """Return the switch of a parameter, with the values of other tools by measure."""

    def list_values(data: Data, m: Measure) -> list[str]:
        own = str(format_value(getattr(m, name.replace("-", "_"))))
        return [own, *(value for value in values[type(m).__name__] if value != own)]

    def applies(m: Measure) -> bool:
        return type(m).__name__ in values and hasattr(m, name.replace("-", "_"))

    return Switch(name, difference, list_values, applies)


PARAMETERS: tuple[Switch, ...] = (
    _vary("p", "persistence of RBP and its user model", {"RBP": ("0.8", "0.95", "0.9")}),
    _vary("T", "goal of users", dict.fromkeys(("INST", "INSQ", "BPM"), ("1", "2", "3"))),
    _vary("K", "budget of users", {"BPM": ("10", "20")}),
    _vary("prob", "probability of ERR", {"ERR": ("exp", "linear")}),
    _vary("max-level", "highest level of ERR", {"ERR": ("none", "4")}),
    _vary("reach", "recall that is reached", dict.fromkeys(("IPrec", "AP11"), ("exact", "nearest", "trec9"))),
    _vary("thresholds", "threshold probabilities of GAP", {"GAP": ("uniform", "level")}),
    _vary("depth", "depth of Compat", {"Compat": ("none", "1000")}),
)
"""Switches that are parameters of measures."""

SWITCHES: tuple[Switch, ...] = (
    Switch("ties", "order of equal scores", _list_ties),
    Switch("scores", "precision of scores", _if(lambda data: data.documents.has_close_scores, "double", "single")),
    Switch("self", "document with the id of the topic", _if(
        lambda data: bool(data.documents.is_topic.any()), "keep", "drop", "first")),
    Switch("unjudged", "unjudged documents", _list_unjudged),
    Switch("negative", "negative levels", _list_negative),
    Switch("rel", "lowest relevant level", _list_thresholds, _has_parameter("rel")),
    Switch("gain", "gains of levels", _list_gains, _has_parameter("gain")),
    Switch("discount", "discount of ranks", lambda data, m: ("log2", "jk", "jk2008"), _has("nDCG")),
    Switch("ideal", "ideal ranking", _list_ideals, _has("nDCG")),
    Switch("AP-over", "divisor of AP", _list_ap_divisors, _has("AP")),
    Switch("P-over", "divisor of P", lambda data, m: ("k", "length"), _is_cut("P", "SetP")),
    Switch("Recall-over", "divisor of Recall", lambda data, m: ("R", "min", "retrieved"), _is_cut("Recall", "RelP")),
    Switch("F-beta", "weight of F", lambda data, m: ("squared", "plain"), _is_weighted_f),
    *PARAMETERS,
    Switch("RBP-over", "divisor of gains in RBP", lambda data, m: ("highest", "highest-of-topic", "1"), _is_open_rbp),
    Switch("residual", "residual of RBP", lambda data, m: ("always", "if-unjudged"), _has("RBP.residual")),
    Switch("bound", "gains of unjudged documents", lambda data, m: ("lower", "upper"), _has_residuals),
    Switch("totals", "total gains and costs", lambda data, m: ("L", "W"), _is_total),
    Switch("search-length", "documents that count", lambda data, m: ("nonrelevant", "all"), _has("ESL")),
    Switch("scope", "topic of judgments", lambda data, m: ("topic", "collection"), _has("Unjudged")),
    Switch("unjudged-topics", "topics without judgments", _if(
        lambda data: data.documents.topics > data.documents.judged_topics, "out", "in"), _has("Unjudged")),
    Switch("levels", "fractional levels", _if(lambda data: data.has_fractions, "kept", "truncated")),
    Switch("missing", "missing topics", _if(
        lambda data: not data.documents.answered.all(), "zero", "out")),
    Switch("no-relevant", "topics without relevant documents", _if(
        lambda data: data.has_empty, "zero", "out", "one"), lambda m: m.effectiveness),
    Switch("mean", "mean over topics", _list_means),
    Switch("rounded", "rounding of topics", lambda data, m: ("no", "half-up-2", "floor-2", "4")),
    Switch("duplicates", "duplicate documents", _if(
        lambda data: data.documents.has_duplicates, "error", "first", "best")),
)  # fmt: skip

DEFAULTS: dict[str, str] = {
    "ties": "id-desc", "scores": "double", "self": "keep", "unjudged": "nonrelevant", "negative": "zero",
    "rel": "1", "gain": "linear", "discount": "log2", "ideal": "judged@k", "AP-over": "min", "P-over": "k",
    "Recall-over": "R", "missing": "zero", "no-relevant": "zero", "mean": "arithmetic", "rounded": "no",
    "duplicates": "error", "tool-knows": "qrels", "RBP-over": "highest", "levels": "kept",
    "F-beta": "squared", "residual": "always", "bound": "lower", "totals": "L", "search-length": "nonrelevant",
    "scope": "topic", "unjudged-topics": "out",
    **{switch.name: "own" for switch in PARAMETERS},
}  # fmt: skip
"""The conventions of cranfield."""


def get_own_conventions(m: Measure) -> dict[str, str]:
    """Return the conventions that the parameters of a measure set."""
    own = dict(DEFAULTS)
    name, rel, gain = get_kind(m), getattr(m, "rel", None), getattr(m, "gain", "linear")
    if rel is not None:
        own["rel"] = f"{rel:g}"
    own["gain"] = "linear" if gain == "raw" else str(format_value(gain))
    own["negative"] = "gain" if gain == "raw" else "zero"
    for parameter in ("discount", "scope", "totals"):
        own[parameter] = getattr(m, parameter, DEFAULTS[parameter])
    own["unjudged"] = "removed" if m.condensed else "nonrelevant"
    own["AP-over"] = "R" if name == "AP" and (m.cutoff is None or getattr(m, "norm", "") == "R") else "min"
    own["P-over"] = "length" if name == "SetP" else "k"
    own["Recall-over"] = "min" if name == "RelP" else "R"
    for switch in (switch for switch in PARAMETERS if switch.applies(m)):
        own[switch.name] = str(format_value(getattr(m, switch.name.replace("-", "_"))))
    return own


# -- options of cranfield -------------------------------------------------------------------------

FLAGS: dict[tuple[str, str], str] = {
    ("ties", "input"): "--ties file",
    ("ties", "rank"): "--order rank",
    **{("ties", order): f"--ties {order}" for order in ("expected", "best", "worst")},
    ("self", "drop"): "--exclude-self",
    ("missing", "out"): "--topics common",
    ("no-relevant", "out"): "--undefined skip",
    **{("duplicates", kept): f"--duplicates {kept}" for kept in ("first", "best")},
}
PARAMETER_NAMES = tuple(switch.name for switch in PARAMETERS)
SETTINGS = ("scope", "totals")  # parameters of measures with the name of the switch
WITHOUT_OPTION = ("printed", "tool-knows")  # they change no score, or only with another option
FORMULA_PARTS = ("rel", "gain", "discount", "AP-over", "P-over", "Recall-over", "unjudged", "mean", *SETTINGS, "F-beta")


def format_options(measures: Sequence[Measure], conventions: Conventions) -> str | None:
    """Return the options of `cranfield evaluate` for these conventions, or None."""
    if _excludes_evaluate(conventions):
        return None
    names = [_apply_conventions(m, conventions) for m in measures]
    flags = {
        _find_flag(m, name, option)
        for m in measures
        for name, option in conventions.items()
        if name not in FORMULA_PARTS
    }
    if None in names or None in flags:
        return None
    texts = [f'"{name}"' if "(" in str(name) else str(name) for name in names]
    return " ".join([*(f"-m {text}" for text in texts), *sorted(flag for flag in flags if flag)])


def _excludes_evaluate(conventions: Conventions) -> bool:
    """Return True for pairs of conventions that `evaluate` cannot have together."""
    defines_relevant = conventions["tool-knows"] == "ranking" and conventions["no-relevant"] != "zero"
    harms = conventions["negative"] == "gain" and conventions["ties"] in ("best", "worst")  # ordered as level 0 there
    return defines_relevant or harms


def _find_flag(m: Measure, name: str, option: str) -> str | None:
    """Return the option for a convention, empty if it is the default, None if there is none."""
    if option == DEFAULTS.get(name) or name in WITHOUT_OPTION + PARAMETER_NAMES or not _applies(name, m):
        return ""
    if (name, option) == ("negative", "gain") and getattr(m, "gain", "") == "raw":
        return ""
    return FLAGS.get((name, option))


def _applies(name: str, m: Measure) -> bool:
    return next((switch.applies(m) for switch in SWITCHES if switch.name == name), True)


CLASSES = {  # measures of cranfield with other divisors or another mean
    ("P", "P-over", "k"): "P",
    ("P", "P-over", "length"): "SetP",
    ("Recall", "Recall-over", "R"): "Recall",
    ("Recall", "Recall-over", "min"): "RelP",
    ("AP", "mean", "geometric"): "GMAP",
}
FAMILIES = {"SetP": "P", "SetRecall": "Recall", "RelP": "Recall"}


def _apply_conventions(m: Measure, conventions: Conventions) -> Any:
    """Return the measure of cranfield with these conventions, or None."""
    is_known = conventions["unjudged"] in ("nonrelevant", "removed") and conventions["rel"] != "judged"
    has_divisor = conventions["AP-over"] in ("min", "R") and conventions["Recall-over"] != "retrieved"
    name = _find_class(m, conventions)
    if not is_known or name is None or not has_divisor:
        return None
    settings: dict[str, Any] = {"condensed": conventions["unjudged"] == "removed"}
    if hasattr(m, "rel") and (conventions["rel"] != "1" or m.rel is not None):
        settings["rel"] = float(conventions["rel"])
    if getattr(m, "gain", "raw") != "raw":
        settings["gain"] = conventions["gain"]
    settings |= parse_parameters(m, conventions) | choose_weight(m, conventions)
    settings |= {name: conventions[name] for name in (*SETTINGS, "discount") if _is_setting(m, name)}
    if type(m).__name__ == "AP" and m.cutoff is not None:
        settings["norm"] = conventions["AP-over"]
    changed = replace(m, **settings)
    return changed if name == type(m).__name__ else _rename(changed, name)


def parse_parameters(m: Measure, conventions: Conventions) -> dict[str, Any]:
    """Return the parameters of a measure that are switches."""
    values = {s.name.replace("-", "_"): conventions[s.name] for s in PARAMETERS if s.applies(m)}
    return {name: parse_setting(value) for name, value in values.items() if value != "own"}


def choose_weight(m: Measure, conventions: Conventions) -> dict[str, Any]:
    """Return the parameter of F if its weight is not squared."""
    if conventions["F-beta"] == "squared" or not _is_weighted_f(m):
        return {}
    return {"alpha": 1.0 / (getattr(m, "beta", 1.0) + 1.0)}


def _is_setting(m: Measure, name: str) -> bool:
    """Return True if a switch of this name applies to the measure."""
    return hasattr(m, name) and _applies(name, m)


def _find_class(m: Measure, conventions: Conventions) -> str | None:
    """Return the name of the measure with a divisor and a mean, or None."""
    own = type(m).__name__
    family = FAMILIES.get(get_kind(m), get_kind(m))
    names = {CLASSES.get((family, name, conventions[name]), own) for name in ("P-over", "Recall-over", "mean")}
    changed = [name for name in names if name != own] if m.cutoff is not None or family == "AP" else []
    has_mean = conventions["mean"] == "arithmetic" or (family, "mean", conventions["mean"]) in CLASSES
    return (changed or [own])[0] if has_mean and len(changed) < 2 else None


def _rename(m: Measure, name: str) -> Measure:
    """Return the measure of another name with the same parameters."""
    from cranfield.measures.grammar import parse_measure

    return parse_measure(str(replace(m, called="")).replace(type(m).__name__, name, 1))
