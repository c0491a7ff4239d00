"""Battles: systems that were shown two at a time, and which of the two people, or a model, took."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.preference_pairs import (
    PreferencePair,
    PreferencePairs,
    PreferencePairsLike,
    read_preference_pairs,
)
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.late import special
from cranfield.meta.concordance import sign_test_of
from cranfield.meta.predictive import clopper_pearson, predictive_power
from cranfield.meta.rankings import kendalls
from cranfield.scores import Notice, Scores
from cranfield.shown import Shown
from cranfield.stats.battles import (
    RIDGE,
    Counts,
    checked_ridge,
    davidson,
    fitted,
    groups,
    intransitive_triples,
    ratings,
)
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.letters import letters
from cranfield.stats.paired import by_t
from cranfield.stats.resampling import Progress, in_chunks
from cranfield.stats.result import checked_alpha, checked_confidence
from cranfield.wording import counted, some, suggests_keywords

TRIALS = 2_000  # draws of topics
FEW_TOPICS = 20  # fewer make a bootstrap of topics too narrow
UNBALANCED = 0.01  # how improbable an order of showing may be before it is no random one


@dataclass(frozen=True)
class Fighter:
    """A run: its rating with an interval, how it fared, and its letters."""

    run: str
    rating: float
    low: float | None
    high: float | None
    strength: float  # log π
    battles: int
    wins: int
    ties: int
    losses: int
    letters: str = ""


@dataclass(frozen=True)
class Duel:
    """Two runs, the stronger one first: how often each won, and by how much it is stronger."""

    run: str
    other: str
    wins: int
    ties: int
    losses: int
    difference: float
    low: float | None
    high: float | None
    pvalue: float | None  # corrected for the number of pairs
    win: float  # how probable that is, by the model


@dataclass(frozen=True)
class PositionBias:
    """How often the one that was shown first won, ties apart, and how improbable that is."""

    first: int
    second: int
    ties: int
    pvalue: float
    low: float  # of the share, exact
    high: float

    @property
    def share(self) -> float:
        """Of the one shown first, in battles that somebody won."""
        return self.first / (self.first + self.second)


@dataclass(frozen=True)
class Agreeing:
    """How a measure agrees with battles: on the order of runs, and battle by battle."""

    measure: str
    runs: int
    tau: float
    low: float | None
    high: float | None
    agreements: int
    disagreements: int
    tied: int

    @property
    def rate(self) -> float:
        """In how many of the battles that somebody won the winner scores higher."""
        n = self.agreements + self.disagreements + self.tied
        return self.agreements / n if n else math.nan


@dataclass(frozen=True, eq=False, repr=False)
class Battles(Shown, tables="battles"):
    """Runs by their strength, the strongest first, with what else battles tell.

    `nu` is how frequent ties are, and `triples` how many triples of runs are intransitive, and of
    how many. `position` is None where it is not known who was shown first, or where the order was
    no random one.
    """

    runs: tuple[Fighter, ...]
    pairs: tuple[Duel, ...]
    nu: float
    ridge: float
    battles: int
    topics: int
    triples: tuple[int, int]
    position: PositionBias | None
    measures: tuple[Agreeing, ...] = ()
    alpha: float = 0.05
    correction: str = "holm"
    confidence: float = 0.95
    trials: int = TRIALS
    seed: int = 0
    notices: tuple[Notice, ...] = field(default=())

    def __repr__(self) -> str:
        size = f"{counted(self.battles, 'battle')} on {counted(self.topics, 'topic')}"
        best = [f"{one.run} {one.rating:.0f}" for one in self.runs[:6]]
        more = ["…"] if len(self.runs) > 6 else []
        return f"Battles: {size}: {', '.join([*best, *more])}"


@suggests_keywords
def battles(
    data: PreferencePairsLike,
    scores: ScoresLike = None,
    measures: Sequence[Any] | None = None,
    *,
    ridge: float = RIDGE,
    alpha: float = 0.05,
    correction: str = "holm",
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Battles:
    """Who is stronger, from battles: two outputs for a topic, of which one was found better.

    Davidson's model (see `cf.stats.davidson`) gives each run a strength, which is shown on the
    scale of chess: 400 more is to win ten times as often as to lose. Battles on one topic are not
    independent, so intervals are percentiles of `trials` bootstrap samples of topics, and
    differences are tested by their bootstrap standard errors and Student's t, with topics − 1
    degrees of freedom; runs that share a letter are not significantly different. `ridge` bounds
    the strength of a run that won, or lost, everything. `data` is what `read_preference_pairs`
    reads: topic, run_a, run_b, winner (a, b, tie, or the name of the run), and perhaps first. With
    `scores` by some measures, what these say of the same runs.

    >>> said = [("1", "x", "y"), ("2", "x", "y"), ("3", "y", "x"), ("4", "x", "y", "tie")]
    >>> found = battles(said, trials=100)
    >>> [(one.run, round(one.rating, 1)) for one in found.runs]  # π_x/π_y = 2
    [('x', 1060.2), ('y', 939.8)]
    """
    checked_ridge(ridge)
    checked_alpha(alpha)
    checked_confidence(confidence)
    one_of("correction", correction, CORRECTIONS)
    read = read_preference_pairs(data)
    fought = _Fought.of(read)
    fought.refuse_apart()
    model = davidson(fought.wins, fought.ties, ridge)
    order = np.argsort(-model.strengths, kind="stable")
    drawn = fought.drawn(ridge, trials, seed, threads, progress)
    pairs = _duels(fought, model, order, drawn, correction, confidence)
    names = _letters(fought, order, pairs, alpha)
    runs = tuple(
        Fighter(
            fought.runs[r],
            float(model.ratings[r]),
            *_ends(None if drawn is None else ratings(drawn.strengths[:, r]), confidence),
            float(model.strengths[r]),
            *fought.record(r),
            names[place],
        )
        for place, r in enumerate(order.tolist())
    )
    position, about = _position(read, confidence)
    agreed, more = _agreeing(read, scores, measures, fought, model.strengths, drawn, confidence)
    return Battles(
        runs, pairs, model.nu, ridge, len(read.pairs), len(fought.topics),
        intransitive_triples(fought.wins), position, agreed, alpha, correction, confidence, trials,
        seed, (*_notices(read, fought, drawn, ridge), *about, *more),
    )  # fmt: skip


# -- who fought whom ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Strengths in samples of topics, [trials, runs], and in how many a run won or lost all."""

    strengths: Floats
    separated: Bools


@dataclass(frozen=True, eq=False)
class _Fought:
    """Battles, counted: by topic [topics, pairs], for pairs of runs that met."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    pairs: Ints
    first: Floats
    second: Floats
    tied: Floats

    @classmethod
    def of(cls, read: PreferencePairs) -> _Fought:
        """Each battle counts once."""
        runs = tuple(sorted({name for pair in read.pairs for name in pair[1:3]}))
        topics = tuple(dict.fromkeys(pair.topic for pair in read.pairs))
        place, row = ({n: i for i, n in enumerate(names)} for names in (runs, topics))
        met = sorted({tuple(sorted(place[x] for x in pair[1:3])) for pair in read.pairs})
        column = {pair: i for i, pair in enumerate(met)}
        counts = np.zeros((3, len(topics), len(met)))
        for pair in read.pairs:
            two = place[pair.preferred], place[pair.other]
            kind = 2 if pair.tied else int(two[0] > two[1])
            counts[kind, row[pair.topic], column[min(two), max(two)]] += 1
        return cls(runs, topics, np.array(met), *counts)

    @cached_property
    def whole(self) -> Counts:
        """All topics together."""
        added = (x.sum(axis=0, keepdims=True) for x in (self.first, self.second, self.tied))
        return Counts(self.pairs, len(self.runs), *added)

    def _square(self, upper: Floats, lower: Floats) -> Floats:
        made = np.zeros((len(self.runs), len(self.runs)))
        i, j = self.pairs.T
        made[i, j], made[j, i] = upper[0], lower[0]
        return made

    @property
    def wins(self) -> Floats:
        """[i, j]: how often i won against j."""
        return self._square(self.whole.first, self.whole.second)

    @property
    def ties(self) -> Floats:
        """[i, j]: how often neither did."""
        return self._square(self.whole.tied, self.whole.tied)

    def record(self, r: int) -> tuple[int, int, int, int]:
        """Battles, wins, ties and losses of a run."""
        won, tied, lost = self.wins[r].sum(), self.ties[r].sum(), self.wins[:, r].sum()
        return int(won + tied + lost), int(won), int(tied), int(lost)

    def refuse_apart(self) -> None:
        """Runs of which nothing says who is stronger."""
        of = groups(self.pairs, len(self.runs))
        if len(set(of)) > 1:
            parts = [[r for r, g in zip(self.runs, of, strict=True) if g == one] for one in set(of)]
            parts.sort(key=len)
            found = f"{some(parts[0], 'run')} that never met the others, even through others"
            raise InputError(found, "battles that connect all runs")

    def drawn(
        self, ridge: float, trials: int, seed: int, threads: int | None, progress: Progress | None
    ) -> _Drawn | None:
        """The strengths in samples of topics; None of a single topic."""
        n = len(self.topics)

        def trial(stream: np.random.Generator, size: int) -> tuple[Floats, Bools]:
            often = stream.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
            counts = Counts(
                self.pairs,
                len(self.runs),
                *(often @ x for x in (self.first, self.second, self.tied)),
            )
            return fitted(counts, max(ridge, RIDGE))[0], counts.separated

        cells = n + 8 * len(self.pairs) + 2 * len(self.runs) ** 2
        if n < 2:
            return None
        made = in_chunks(trial, trials, seed, cells, threads, progress)
        return _Drawn(*(np.concatenate(x) for x in zip(*made, strict=True)))


# -- pairs ----------------------------------------------------------------------------------------


def _duels(
    fought: _Fought,
    model: Any,
    order: Ints,
    drawn: _Drawn | None,
    correction: str,
    confidence: float,
) -> tuple[Duel, ...]:
    """All pairs of runs, the stronger one first."""
    wins, ties, n = fought.wins, fought.ties, len(fought.topics)
    pairs = [*combinations(order.tolist(), 2)]
    differences = [float(model.strengths[i] - model.strengths[j]) for i, j in pairs]
    samples = (
        None if drawn is None else [drawn.strengths[:, i] - drawn.strengths[:, j] for i, j in pairs]
    )
    pvalues: list[float | None] = [None] * len(pairs)
    if samples is not None:
        tests = [
            by_t("bootstrap of topics", d, float(x.std(ddof=1)), n - 1, n, "", "two-sided", ())
            for d, x in zip(differences, samples, strict=True)
        ]
        pvalues = CORRECTIONS[correction]([test.pvalue for test in tests]).pvalues.tolist()
    scale = ratings(np.ones(1)) - ratings(np.zeros(1))
    return tuple(
        Duel(
            fought.runs[i],
            fought.runs[j],
            int(wins[i, j]),
            int(ties[i, j]),
            int(wins[j, i]),
            float(scale[0]) * differences[k],
            *_ends(None if samples is None else scale * samples[k], confidence),
            pvalues[k],
            model.probabilities(i, j)[0],
        )
        for k, (i, j) in enumerate(pairs)
    )


def _ends(values: Floats | None, confidence: float) -> tuple[float | None, float | None]:
    """The percentiles of what was drawn, if anything was."""
    if values is None:
        return None, None
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _letters(fought: _Fought, order: Ints, pairs: Sequence[Duel], alpha: float) -> list[str]:
    """Of the runs in order, if there are enough letters."""
    place = {fought.runs[r]: i for i, r in enumerate(order.tolist())}
    different = np.zeros((len(place), len(place)), dtype=bool)
    for pair in pairs:
        i, j = place[pair.run], place[pair.other]
        different[i, j] = different[j, i] = pair.pvalue is not None and pair.pvalue <= alpha
    known = all(pair.pvalue is not None for pair in pairs)
    return (letters(different) if known else None) or [""] * len(place)


# -- who was shown first --------------------------------------------------------------------------


def _position(
    read: PreferencePairs, confidence: float
) -> tuple[PositionBias | None, tuple[Notice, ...]]:
    """Whether the one shown first wins more often; only of a random order."""
    known = [pair for pair in read.pairs if pair.first is not None]
    won = [pair for pair in known if not pair.tied]
    if not won:
        return None, ()
    improbable = _order_pvalue(known)
    if improbable < UNBALANCED:
        text = (
            "who was shown first depends on the run (p "
            f"{'< 0.0001' if improbable < 1e-4 else f'= {improbable:.4f}'} of a random order): "
            "whether the first one is favoured cannot be told from its strength"
        )
        return None, (Notice("order", text),)
    first = sum(pair.first == pair.preferred for pair in won)
    n = len(won)
    low, high = clopper_pearson(first, n, confidence)
    bias = PositionBias(
        first, n - first, len(known) - n, sign_test_of(first, n - first), low, high
    )  # fmt: skip
    notices = []
    if len(known) < len(read.pairs):
        text = f"{counted(len(read.pairs) - len(known), 'battle')} without a first one"
        notices.append(Notice("order", f"{text}: not in what is said of positions"))
    return bias, tuple(notices)


def _order_pvalue(known: Sequence[PreferencePair]) -> float:
    """How improbable it is that a random order is as uneven: χ² of the pairs of runs.

    Σ (times that the first in the alphabet is shown first − n/2)² / (n/4) over pairs.
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for pair in known:
        two = (pair.preferred, pair.other)
        key = (min(two), max(two))
        counts.setdefault(key, [0, 0])[pair.first != key[0]] += 1
    if len(counts) == 1:  # few battles, exactly
        ((first, second),) = counts.values()
        return sign_test_of(first, second)
    statistic = math.fsum((a - b) ** 2 / (a + b) for a, b in counts.values())
    return float(special.chdtrc(len(counts), statistic))


# -- measures -------------------------------------------------------------------------------------


def _agreeing(
    read: PreferencePairs,
    scores: ScoresLike,
    measures: Sequence[Any] | None,
    fought: _Fought,
    strengths: Floats,
    drawn: _Drawn | None,
    confidence: float,
) -> tuple[tuple[Agreeing, ...], tuple[Notice, ...]]:
    """What measures say of the runs that have both battles and scores."""
    if scores is None:
        return (), ()
    given = read_scores(scores)
    found = predictive_power(given, read, measures, confidence=confidence)
    common = [r for r, run in enumerate(fought.runs) if run in given.runs]
    if len(common) < 2:
        raise InputError(f"{counted(len(common), 'run')} with battles and scores", "at least 2")
    names = [fought.runs[r] for r in common]
    rows = []
    for one in found.measures:
        means = _means(given, one.measure, names)
        tau = float(kendalls(strengths[None, common], means[None])[0, 0])
        taus = None if drawn is None else kendalls(drawn.strengths[:, None, common], means[None])
        ends = _ends(None if taus is None else taus[:, 0, 0], confidence)
        rows.append(
            Agreeing(
                one.measure, len(common), tau, *ends, one.agreements, one.disagreements, one.tied
            )
        )
    return tuple(rows), tuple(notice for notice in found.notices if notice.kind != "sides")


def _means(scores: Scores, measure: str, names: Sequence[str]) -> Floats:
    """Of each run, the higher the better."""
    summary = scores.select(list(names), None, [measure]).summary()
    sign = -1.0 if scores.better[scores.measures.index(measure)] == "lower" else 1.0
    return np.array([sign * summary[name][measure] for name in names])


# -- what the user should know --------------------------------------------------------------------


def _notices(
    read: PreferencePairs, fought: _Fought, drawn: _Drawn | None, ridge: float
) -> Iterator[Notice]:
    n = len(fought.topics)
    if drawn is None:
        yield Notice("few-topics", "all battles are on one topic: no intervals, no tests")
    elif n < FEW_TOPICS:
        text = f"battles on {n} topics: intervals from so few are rather too narrow"
        yield Notice("few-topics", text)
    won, lost = (fought.wins.sum(axis=axis) for axis in (1, 0))
    alone = fought.ties.sum(axis=1) == 0
    for none, what in ((lost, "won"), (won, "lost")):
        runs = [fought.runs[r] for r in np.flatnonzero((none == 0) & alone)]
        if runs:
            text = f"{some(runs, 'run')} {what} every battle: only the ridge of {ridge:g} bounds"
            yield Notice("separated", f"{text} the rating, which says no more than that")
    if drawn is not None and not fought.whole.separated.any() and drawn.separated.any():
        share = float(drawn.separated.mean())
        text = f"a run won or lost everything in {100 * share:.1f}% of the draws"
        yield Notice("separated", f"{text}: the ridge bounds the ends of intervals there")
    yield from (Notice("sides", f"{read.where}: {note}") for note in read.notes)
