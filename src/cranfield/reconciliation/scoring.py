"""Scores of a run by one measure under many conventions.

Every step is computed once for the conventions that it depends on: the order of documents, the
judged documents in it, their gains, the scores of topics, and the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.qrels import Qrels
from cranfield.errors import InputError
from cranfield.labelling.blocks import count_by
from cranfield.measures.base import Measure
from cranfield.measures.expected import Expected
from cranfield.measures.gains import compute_gains, parse_gain
from cranfield.measures.lists import Gold, Lists, NeedsMore, ratio, scatter, to_floats
from cranfield.reconciliation.documents import Documents, Ranked
from cranfield.reconciliation.formulas import FORMULAS, Conventions, Topics, floor_decimals
from cranfield.reconciliation.switches import PARAMETER_NAMES, choose_weight, get_kind, parse_parameters
from cranfield.scores import FLOOR

T = TypeVar("T")

ORDER = ("duplicates", "scores", "ties", "self", "first-ties", "positive", "negative")
JUDGED = (*ORDER, "unjudged", "levels", "scope")
FORMULA = (
    *JUDGED,
    "rel",
    "gain",
    "discount",
    "ideal",
    "AP-over",
    "P-over",
    "Recall-over",
    "terms",
    "tool-knows",
    "RBP-over",
    "F-beta",
    "residual",
    "bound",
    "totals",
    "search-length",
    *PARAMETER_NAMES,
)


class TopicScores(NamedTuple):
    """Numerators and divisors of all topics, and the topics with relevant documents."""

    numerator: Floats
    divisor: Floats
    has_relevant: Any

    @property
    def scores(self) -> Floats:
        """The scores of all topics, 0 if the divisor is 0."""
        return ratio(self.numerator, self.divisor)


class Scoring:
    """Scores of a run by one measure, by conventions."""

    def __init__(self, qrels: Qrels, documents: Documents, measure: Measure) -> None:
        self.documents = documents
        self.formula = FORMULAS.get(get_kind(measure))
        self.measure = replace(measure, condensed=False, called="")
        self.topic = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
        self.levels = to_floats(qrels.levels)
        self._cache: dict[tuple[Any, ...], Any] = {}

    def compute_value(self, conventions: Conventions) -> tuple[Floats, float] | None:
        """Return the scores of topics (NaN: excluded) and the mean, None if undefined."""
        topics = self._compute_once(FORMULA, conventions, self._score_topics)
        return None if topics is None else summarize(topics, self.documents, conventions)

    def compute_printed(self, conventions: Conventions) -> float:
        """Return the mean as a tool prints it."""
        result = self.compute_value(conventions)
        value = np.nan if result is None else result[1]
        return round(value, int(conventions["printed"])) if "printed" in conventions else value

    def _compute_once(self, names: tuple[str, ...], conventions: Conventions, compute: Callable[[Conventions], T]) -> T:
        key = (compute.__name__, *(conventions.get(name) for name in names))
        if key not in self._cache:
            self._cache[key] = compute(conventions)
        value: T = self._cache[key]
        return value

    # -- rankings ---------------------------------------------------------------------------------

    def _judge(self, conventions: Conventions) -> Ranked | None:
        ranked = self._compute_once(ORDER, conventions, self.documents.rank_by)
        cutoff = self.measure.last_rank
        if ranked is None or (conventions["ties"] == "expected" and not self._is_exact(conventions)):
            return None
        if conventions["levels"] == "truncated":
            ranked = replace(ranked, level=np.trunc(ranked.level))
        return ranked.judge(conventions["unjudged"], conventions["negative"], conventions["scope"], cutoff)

    def _is_exact(self, conventions: Conventions) -> bool:
        """Return True if the mean over all orders of ties has an exact formula."""
        if self.formula is None and not self.measure.exact_under_ties():
            return False  # the documents above a cutoff depend on the order:
        return conventions["unjudged"] != "removed@k" and conventions["AP-over"] != "found"

    def _fill_gold(self, conventions: Conventions) -> tuple[Any, Floats]:
        """Return the filled cells and the levels of all judged documents, by topic."""
        levels = np.trunc(self.levels) if conventions["levels"] == "truncated" else self.levels
        keep = levels >= 0 if conventions["negative"] == "unjudged" else np.full(len(levels), True)
        counts = count_by(self.topic[keep], self.documents.topics)
        filled = np.arange(counts.max(initial=0)) < counts[:, None]
        return filled, scatter(filled, levels[keep])

    def _build_lists(self, ranked: Ranked, level: Floats, gold: Gold, conventions: Conventions) -> Lists:
        """Return the judged documents of the rankings, with these levels."""
        expected = conventions["ties"] == "expected"
        first, last = ranked.tie_bounds if expected else (ranked.rank, ranked.rank)
        cutoff = self.measure.last_rank
        hits = ~np.isnan(level) & (True if cutoff is None else first <= cutoff)
        counts = count_by(ranked.topic[hits], self.documents.topics)
        filled = np.arange(counts.max(initial=0)) < counts[:, None]
        columns = (scatter(filled, column[hits]) for column in (ranked.rank, level, first, last))
        r, cells, first, last = columns
        r = np.where(filled, r, ranked.n[:, None] + 1)
        lists = Lists(r, cells, filled, ranked.n, gold)
        return Expected(lists, first, last, None, cutoff) if expected else lists

    # -- scores -----------------------------------------------------------------------------------

    def _score_topics(self, conventions: Conventions) -> TopicScores | None:
        ranked = self._compute_once(JUDGED, conventions, self._judge)
        if ranked is None:
            return None
        score = self._score_class if self.formula is None else self._score_formula
        return score(ranked, conventions)

    def _score_formula(self, ranked: Ranked, conventions: Conventions) -> TopicScores:
        """Return the scores by a formula of gains."""
        gold = self._compute_once(("negative", "levels", "rel", "gain"), conventions, self._build_gold)
        level = np.where(np.isnan(ranked.level), np.nan, self._compute_gains(ranked.level, conventions))
        x = self._build_lists(ranked, level, gold, conventions)
        view = x.view(self.measure.cutoff, gain="raw")
        everything = self._compute_once(JUDGED, {**conventions, "positive": ""}, self._judge) or ranked

        def list_retrieved() -> Floats:
            return _sort_falling(everything, self._compute_gains(everything.level, conventions))

        topics = Topics(self.measure, view, ranked.n, gold.levels, list_retrieved, conventions)
        numerator, divisor = FORMULAS[get_kind(self.measure)](topics)
        return TopicScores(numerator, divisor, topics.relevant > 0)

    def _build_gold(self, conventions: Conventions) -> Gold:
        """Return the gains of judged documents, falling."""
        filled, levels = self._fill_gold(conventions)
        ideal = -np.sort(-np.where(filled, self._compute_gains(levels, conventions), -np.inf), axis=1)
        filled = np.isfinite(ideal)
        ideal = np.where(filled, ideal, 0.0)
        return Gold(ideal, filled, max(0.0, float(ideal.max(initial=0.0))))

    def _compute_gains(self, level: Floats, conventions: Conventions) -> Floats:
        """Return the gains of levels."""
        level = np.nan_to_num(level)
        binary = not hasattr(self.measure, "gain")
        rel, gain = conventions["rel"], "binary" if binary else conventions["gain"]
        if rel == "judged":
            level = np.ones_like(level)
        elif rel != "1":  # levels below the threshold have no gain
            level = np.where((level >= float(rel)) | (level < 0), level, 0.0)
        highest = self.levels.max(initial=0.0)
        gains = compute_gains(parse_gain(gain), np.maximum(level, 0.0), highest=highest)
        if conventions["negative"] != "gain" or gain == "binary":
            return gains
        return np.where(level < 0, np.exp2(level) - 1.0 if gain == "exp" else level, gains)

    def _score_class(self, ranked: Ranked, conventions: Conventions) -> TopicScores:
        """Return the scores by the class of the measure."""
        settings: dict[str, Any] = {}
        if hasattr(self.measure, "gain"):
            settings["gain"] = parse_gain(conventions["gain"])
        if hasattr(self.measure, "rel") and conventions["rel"] != "1":
            settings["rel"] = float(conventions["rel"])
        if hasattr(self.measure, "totals"):
            settings["totals"] = conventions["totals"]
        if hasattr(self.measure, "scope"):  # the levels of documents have the scope
            settings["scope"] = "topic"
        settings |= parse_parameters(self.measure, conventions) | choose_weight(self.measure, conventions)
        m = replace(self.measure, **settings)
        filled, levels = self._fill_gold(conventions)
        falling = -np.sort(np.where(filled, -levels, np.inf), axis=1)
        filled = np.isfinite(falling)
        gold = Gold(np.where(filled, falling, 0.0), filled, max(0.0, float(self.levels.max(initial=0.0))))
        x = self._build_lists(ranked, ranked.level, gold, conventions)
        try:
            scores = m.compute(x)[:, 0]
        except NeedsMore as problem:
            raise InputError.from_problem(f"measure '{m}' is not supported: {problem}") from None
        ideal = m.view(gold.ideal)
        scores = scores * _rescale(m, ideal, conventions["RBP-over"])
        if conventions["bound"] == "upper" and m.has_residuals:
            lower, upper = m.compute_bounds(x).T
            scores = scores + (upper - lower)
        if conventions["search-length"] == "all" and get_kind(m) == "ESL":  # and the relevant documents that users find
            scores = scores + np.maximum(1.0, np.minimum(getattr(m, "q", 1.0), ideal.R))
        if conventions["residual"] == "if-unjudged" and m.measurement == "residual":
            scores = np.where(_count_unjudged(ranked, m.cutoff) > 0, scores, 0.0)
        return TopicScores(scores, np.ones(len(scores)), ideal.R > 0)


def _sort_falling(ranked: Ranked, gains: Floats) -> Floats:
    """Return the gains of the judged documents of each complete ranking, falling."""
    hits = ~np.isnan(ranked.level)
    topic, gain = ranked.topic[hits], gains[hits]
    counts = count_by(topic, len(ranked.answered))
    filled = np.arange(counts.max(initial=0)) < counts[:, None]
    return to_floats(scatter(filled, gain[np.lexsort((-gain, topic))]))


def _count_unjudged(ranked: Ranked, cutoff: int | None) -> Any:
    """Return the number of unjudged documents of each ranking."""
    counts = np.isnan(ranked.level) & (ranked.rank <= (np.inf if cutoff is None else cutoff))
    return count_by(ranked.topic[counts], len(ranked.answered))


def _rescale(m: Any, ideal: Lists, divisor: str) -> Any:
    """Return the factor of RBP for another divisor than the gain of the highest level."""
    if divisor == "highest" or ideal.rel is not None or get_kind(m) != "RBP":
        return 1.0
    other = np.ones(len(ideal)) if divisor == "1" else ideal.g.max(axis=1, initial=0.0)
    return ratio(ideal.g_h, other)


# -- means ----------------------------------------------------------------------------------------

ROUNDINGS: dict[str, Callable[[Floats], Floats]] = {
    "no": lambda x: x,
    "half-up-2": lambda x: to_floats(np.floor(x * 100.0 + 0.5 + 1e-9) / 100.0),
    "floor-2": lambda x: floor_decimals(x, 2),
    "4": lambda x: np.round(x, 4),
}
MEANS: dict[str, Callable[[Floats], float]] = {
    "arithmetic": lambda x: float(x.mean()),
    "geometric": lambda x: float(np.exp(np.log(np.maximum(x, FLOOR)).mean())),
    "median": lambda x: float(np.median(x)),
}


def summarize(topics: TopicScores, documents: Documents, conventions: Conventions) -> tuple[Floats, float] | None:
    """Return the scores of the topics that count, NaN for all others, and their mean."""
    judged = np.arange(documents.topics) < documents.judged_topics
    counted = judged.copy()
    if conventions["missing"] == "out":
        counted &= documents.answered
    scores = topics.scores
    if conventions["no-relevant"] == "out":
        counted &= topics.has_relevant
    elif conventions["no-relevant"] == "one":
        scores = np.where(topics.has_relevant, scores, 1.0)
    if not counted.any():
        return None
    scores = ROUNDINGS[conventions["rounded"]](scores)
    if conventions["mean"] == "micro":
        value = float(ratio(topics.numerator[counted].sum(), topics.divisor[counted].sum()))
    else:
        value = MEANS[conventions["mean"]](scores[counted])
    if conventions["unjudged-topics"] == "in":  # the sum has them, the number of topics does not: BEIR
        if conventions["mean"] != "arithmetic":
            return None
        value += float(scores[~judged].sum() / counted.sum())
        counted |= ~judged
    return np.where(counted, scores, np.nan), value
