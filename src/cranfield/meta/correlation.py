"""How alike measures, or sets of judgments or topics, rank the same runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.meta.brief import in_brief
from cranfield.meta.cautions import of_rankings
from cranfield.meta.rankings import STATISTICS, P
from cranfield.scores import Interval, Notice, Scores
from cranfield.shown import Shown
from cranfield.stats.measured import (
    direction,
    left_out,
    measured,
    ranking,
    reasons,
    refuse_one_run,
    undefined,
    unknown_to_any,
)
from cranfield.stats.resampling import Progress, in_chunks
from cranfield.stats.result import checked_confidence, checked_share
from cranfield.stats.samples import refuse_few
from cranfield.wording import counted, some, suggests_keywords

__all__ = ["CorrelationMatrix", "correlation"]

TRIALS = 1000


@dataclass(frozen=True, eq=False)
class CorrelationMatrix(Shown, tables="meta.correlation"):
    """How alike rankings of the same runs are, with intervals.

    `values[i, j]` is between the measures `names[i]` and `names[j]`, the latter being the gold one
    of ``tau-ap``. ``between="sets"``: i by the other scores, j by the first. `low` and `high` are
    the ends of the intervals, `means` [sets, measures, runs] what runs are ranked by; `sets` are
    the names of the two.
    """

    statistic: str
    between: Literal["measures", "sets"]
    names: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    runs: tuple[str, ...]
    topics: int
    means: Floats
    confidence: float
    trials: int
    seed: int
    p: float | None = None
    sets: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        about = [self.statistic, counted(len(self.runs), "run"), counted(self.topics, "topic")]
        numbers = {
            self.names[i] if i == j else f"{self.names[i]} – {self.names[j]}": self.values[i, j]
            for i, j in self.pairs
        }
        return in_brief(self, about, numbers)

    def __getitem__(self, pair: tuple[str, str]) -> Interval:
        """The value between two measures, as `mean`, with its interval."""
        for name in pair:
            if name not in self.names:
                raise InputError(f"measure {name!r}", f"one of {', '.join(self.names)}")
        return self._at(*map(self.names.index, pair))

    def _at(self, i: int, j: int) -> Interval:
        low, high, value = (float(x[i, j]) for x in (self.low, self.high, self.values))
        method, n = "bootstrap of topics", self.topics
        return Interval(low, high, value, method, self.confidence, n, self.trials, self.seed)

    @property
    def symmetric(self) -> bool:
        """Whether values[i, j] is always values[j, i]."""
        return self.between == "measures" and not STATISTICS[self.statistic].has_gold

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The cells that say something: between sets, a measure and itself; else two measures,
        both ways if that makes a difference.
        """
        k = len(self.names)
        if self.between == "sets":
            return [(i, i) for i in range(k)]
        return [(i, j) for i in range(k) for j in range(i + 1 if self.symmetric else 0, k)
                if i != j]  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """The pairs with their values, a dictionary each: x, y, value, low, high."""
        found = [(i, j, self._at(i, j)) for i, j in self.pairs]
        return [
            {"x": self.names[i], "y": self.names[j],
             "value": at.mean, "low": at.low, "high": at.high}
            for i, j, at in found
        ]  # fmt: skip


@suggests_keywords
def correlation(
    scores: ScoresLike,
    others: ScoresLike | None = None,
    statistic: str = "kendall",
    measures: Sequence[Any] | None = None,
    p: float = P,
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    names: Sequence[str] = ("the first set", "the second set"),
) -> CorrelationMatrix:
    """How alike measures rank runs, or two sets of judgments or topics do, with intervals.

    Runs are ranked by their means over topics (a geometric mean by that). With `others`, scores of
    the same runs by other judgments or on other topics, every measure is compared between the two,
    `scores` being gold; without, every measure of `scores` with every other. `statistic` is
    ``kendall`` (τ_a), ``kendall-b``, ``tau-ap``, ``tau-ap-symmetric``, ``tau-ap-b``, ``spearman``
    or ``rbo`` (extrapolated, with `p`): see the functions of these names in `cranfield.meta`.

    The interval is of the bootstrap: the topics, all that are in one of the sets, are drawn
    `trials` times with replacement, and each time runs are ranked and rankings compared. Drawn
    topics repeat, so rankings are noisier and usually agree less than on as many different topics:
    the quantiles of the trials are shifted by (value − mean of the trials), and cut where values
    end. So the interval is for the value to be expected for these runs on as many topics, of which
    these are taken to be a random sample; on one other such set it scatters more. It does not
    depend on which other measures are compared.

    A measure that is better if lower is turned round, one that is better at neither end is left
    out; topics where a measure is undefined, by one of the sets, are left out of it. `notices` say
    so. `scores` and `others`, which tables and pictures call by `names`, are Scores or anything
    that `read_scores` takes.

    Reference: Sakai 2014, Metrics, Statistics, Tests, section 5.2; of the bootstrap, Efron and
    Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.

    >>> scores = Scores(
    ...     values=[[[0.9, 0.8], [0.7, 0.6]], [[0.4, 0.1], [0.6, 0.3]], [[0.2, 0.2], [0.2, 0.4]]],
    ...     runs=["a", "b", "c"], topics=["1", "2"], measures=["AP", "Q"], summaries=["mean"] * 2,
    ... )
    >>> found = correlation(scores)  # AP: a > b > c, Q: a > c > b; topic 1 and topic 2 alone, too
    >>> round(found["AP", "Q"].mean, 4), round(found["AP", "Q"].low, 4)
    (0.3333, 0.3333)
    """
    one_of("statistic", statistic, STATISTICS)
    checked_confidence(confidence)
    sets = [read_scores(one) for one in (scores, others) if one is not None]
    topics = tuple(dict.fromkeys(topic for one in sets for topic in one.topics))
    refuse_few(len(topics), 2)
    known, notices = _compared(sets, measures, topics)
    runs, chosen = sets[0].runs, [one.select(sets[0].runs, None, list(known)) for one in sets]
    defined = np.stack(list(known.values()), axis=1)  # [topics, k]
    of_topics = np.stack([_of_topics(one, topics) for one in chosen])  # [sets, topics, k, m]
    of_topics[:, ~defined] = np.nan
    means = np.stack([_means(one, topics, defined) for one in chosen])
    ranked = means * np.array([[direction(sets[0], m)] for m in known])
    row = STATISTICS[statistic]
    alike: Callable[..., Floats] = (
        partial(row, p=checked_share("p", p)) if statistic == "rbo" else row
    )
    values = alike(ranked[-1], ranked[0])
    notices += _of_rankings(ranked, list(known))

    def resampled(rng: np.random.Generator, size: int) -> Floats:
        n = len(topics)
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
        redrawn = _weighted(of_topics, drawn)  # [sets, trials, k, m]
        return _where_known(alike(redrawn[-1], redrawn[0]), redrawn[-1], redrawn[0])

    cells = max(len(topics), len(runs) ** 2)  # whatever is asked for: streams belong to chunks
    found = np.concatenate(in_chunks(resampled, trials, seed, cells, threads, progress))
    low, high = _ends(found, values, confidence).clip(row.least, 1)
    return CorrelationMatrix(
        statistic,
        "measures" if others is None else "sets",
        tuple(known),
        values,
        low,
        high,
        runs,
        int(defined.any(axis=1).sum()),
        means,
        confidence,
        trials,
        seed,
        p if statistic == "rbo" else None,
        two_names(names) if others is not None else (),
        tuple(dict.fromkeys(notices)),
    )


# -- what is compared -----------------------------------------------------------------------------


def two_names(names: Sequence[str]) -> tuple[str, str]:
    """What two sets are called, if they can be told apart by that."""
    given = tuple(map(str, names)) if not isinstance(names, str) else (names,)
    if len(given) != 2 or given[0] == given[1] or not all(name.strip() for name in given):
        raise InputError(f"names {', '.join(given)}", "two that differ, one for each set")
    return given[0], given[1]


def _compared(
    sets: Sequence[Scores], measures: Sequence[Any] | None, topics: Sequence[str]
) -> tuple[dict[str, Bools], list[Notice]]:
    """The measures that can rank the runs, with the topics where each is defined; and what to say
    about the scores and the other measures.
    """
    able, without = _able(sets, measures)
    least = 2 if len(sets) == 1 else 1  # measures, and topics of each set
    known: dict[str, Bools] = {}
    about: list[Notice] = []
    for m in able:
        unknown, told = unknown_to_any(sets, m)
        kept = min(len(set(one.topics) - unknown) for one in sets)
        if kept < least:
            without.append(left_out(m, f"defined for {counted(kept, 'topic')} only"))
            continue
        known[m] = np.array([topic not in unknown for topic in topics])
        lost = [undefined(m, [topic for topic in topics if topic in unknown])] if unknown else []
        about += [*told, *lost]
    if len(known) < least:
        found = f"{counted(len(known), 'measure')} that can be compared{reasons(without)}"
        raise InputError(found, f"at least {least}")
    if apart := _of_one([sets[0].topics, sets[-1].topics]):
        shown = some(apart, "topic")
        about.append(Notice("missing-topics", f"only one of the two sets has {shown}"))
    return known, [*chain(*(one.notices for one in sets)), *without, *about]


def _able(sets: Sequence[Scores], measures: Sequence[Any] | None) -> tuple[list[str], list[Notice]]:
    """The measures, all or those asked for, that rank the runs, which all sets have."""
    if alone := _of_one([sets[0].runs, sets[-1].runs]):
        raise InputError(f"{some(alone, 'run')} with one set of scores only", "the same with both")
    refuse_one_run(sets[0])
    asked = [*sets[0].measures] if measures is None else [*map(str, measures)]
    for one in sets:
        if lacking := [m for m in asked if m not in one.measures]:
            raise InputError(f"scores without {', '.join(lacking)}", "all measures asked for")
    able, others = ranking(sets[0], asked)
    return able, [*others]


def _of_one(both: Sequence[Sequence[str]]) -> list[str]:
    """The names that one of the two alone has."""
    apart = set(both[0]) ^ set(both[1])
    return [name for names in both for name in names if name in apart]


def _of_rankings(ranked: Floats, names: Sequence[str]) -> list[Notice]:
    """What to know of the rankings of each set."""
    return [*chain(*(of_rankings(dict(zip(names, x, strict=True))) for x in ranked))]


# -- means ----------------------------------------------------------------------------------------


def _means(scores: Scores, topics: Sequence[str], defined: Bools) -> Floats:
    """[measures, runs], each measure over the topics where it is defined."""
    own = set(scores.topics)
    found = []
    for measure, known in zip(scores.measures, defined.T, strict=True):
        kept = [topic for topic, ok in zip(topics, known, strict=True) if ok and topic in own]
        summary = scores.select(None, kept, [measure]).summary()
        found.append([of_run[measure] for of_run in summary.values()])
    return np.array(found)


def _of_topics(scores: Scores, topics: Sequence[str]) -> Floats:
    """[topics, measures, runs], so that the higher mean is better; nan where there is none."""
    place = {topic: t for t, topic in enumerate(scores.topics)}
    own = np.stack([measured(scores, m).values for m in scores.measures], axis=1)
    values = np.full((len(topics), *own.shape[1:]), np.nan)
    rows = [t for t, topic in enumerate(topics) if topic in place]
    values[rows] = own[[place[topics[t]] for t in rows]]
    return values


def _weighted(of_topics: Floats, drawn: Floats) -> Floats:
    """[sets, trials, measures, runs]: means over drawn topics; nan if none has a value."""
    sets, topics, k, m = of_topics.shape
    known = ~np.isnan(of_topics)
    sums, counts = (
        (drawn @ each.reshape(sets, topics, k * m)).reshape(sets, len(drawn), k, m)
        for each in (np.where(known, of_topics, 0.0), known.astype(np.float64))
    )
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def _where_known(values: Floats, x: Floats, y: Floats) -> Floats:
    """The values between rankings of which every run has its mean."""
    a, b = np.isfinite(x).all(axis=-1, keepdims=True), np.isfinite(y).all(axis=-1, keepdims=True)
    return np.where(a & np.swapaxes(b, -1, -2), values, np.nan)


def _ends(found: Floats, values: Floats, confidence: float) -> Floats:
    """The two ends of the interval: quantiles of the trials, shifted to have the values as mean."""
    trials = np.where(np.isnan(found).all(axis=0), 0.0, found)  # nan again by the values
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    ends = np.nanquantile(trials, tails, axis=0, method="inverted_cdf")  # τ has no others between
    known = ~np.isnan(trials)
    total = np.cumsum(np.where(known, trials, 0.0), axis=0)[-1]  # in order, however many cells
    return np.asarray(ends + (values - total / known.sum(axis=0)))
