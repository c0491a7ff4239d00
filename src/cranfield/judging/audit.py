"""What people should judge to check a judge: documents drawn at random, those that weigh most more
often.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.assess.pool import Pool, pool
from cranfield.data.audits import AuditOrder
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.measures.bounds import is_sum
from cranfield.measures.grammar import parse_measures
from cranfield.scores import Notice
from cranfield.shown import Shown
from cranfield.stats.resampling import checked_trials, generator
from cranfield.stats.sampled import inclusion_probabilities
from cranfield.wording import counted

MEASURE = "DCG"  # the weights of ranks, if no measure is named


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown, tables="audit"):
    """The documents of a pool in the order in which people are to judge them.

    The first ones, with a draw below 1, are `size` in the mean: `to_judge` is how many they are.
    """

    order: AuditOrder
    size: int
    measure: str
    depth: int
    runs: tuple[str, ...]
    seed: int
    notices: tuple[Notice, ...] = ()

    @property
    def to_judge(self) -> int:
        """How many documents were drawn."""
        return int(np.count_nonzero(self.order.draws < 1))

    def __repr__(self) -> str:
        drawn = f"{self.to_judge:,} of {counted(len(self.order), 'document')}"
        return f"Audit: {drawn} to judge, by {self.measure}, seed {self.seed}"


def audit(
    runs: Any,
    size: int,
    measure: str | Measure = MEASURE,
    *,
    depth: int = 100,
    seed: int = 0,
    **options: Any,
) -> Audit:
    """Draw about `size` documents for people to judge, so that a judge of all can be corrected.

    A document is drawn with the probability π = min(1, c·w), Σ π = size, independently of others,
    where w is the sum over runs of the weight of its rank by `measure`, if that is a sum (P, DCG,
    RBP): documents at ranks without weight are then not in the audit. Of other measures (nDCG, AP)
    all documents down to `depth` count, as any may be in the ideal list: w is that of DCG, with the
    same cutoff, and in each run at least that of the last rank before it. The documents are
    in the order of u/π, u being random from 0 to 1: those below 1 are the sample, and whoever
    stops before, or goes on, has a smaller or a larger one (priority sampling). `runs` is a `Pool`,
    or what `cf.pool` takes, with its `options`.

    >>> made = audit({"x": {"q": ["a", "b", "c"]}, "y": {"q": ["a", "c", "d"]}}, 2, "P@2")
    >>> sorted(zip(made.order.pairs, made.order.probabilities.tolist()))  # a twice, b and c once
    [(('q', 'a'), 1.0), (('q', 'b'), 0.5), (('q', 'c'), 0.5)]

    Reference: Duffield, Lund and Thorup 2007, Priority sampling for estimation of arbitrary subset
    sums, JACM 54(6).
    """
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise InputError(f"a sample of {size!r}", "a whole number from 1")
    checked_trials(1, seed)
    made = runs if isinstance(runs, Pool) else pool(runs, depth, **options)
    chosen = _one(measure)
    weights = _weights(chosen, made.depth)[made.ranks].sum(axis=1)
    pairs = [*chain.from_iterable(((t, d) for d in docs) for t, docs in made.docs.items())]
    kept = weights > 0
    if not kept.any():
        raise InputError(f"no document at a rank that weighs anything by {chosen}", "some")
    uniform = generator(seed).random(len(weights))[kept]
    probabilities = inclusion_probabilities(weights[kept], float(size))
    draws = uniform / probabilities
    order = np.argsort(draws, kind="stable")
    names = [pair for pair, there in zip(pairs, kept.tolist(), strict=True) if there]
    drawn = AuditOrder(tuple(names[i] for i in order), probabilities[order], draws[order])
    notices = list(made.notices)
    if size > len(drawn):
        text = f"{counted(len(drawn), 'document')} for a sample of {size:,}: all are to be judged"
        notices.append(Notice("audit", text))
    return Audit(drawn, int(size), str(chosen), made.depth, made.runs, seed, tuple(notices))


def _weights(m: Measure, depth: int) -> Floats:
    """What documents weigh at each rank, from 1; the first number is for runs without it."""
    if is_sum(m):
        return np.append(0.0, rank_weights(m, depth))
    discounts = rank_weights(parse_measures("DCG")[0], depth)
    last = discounts[min(m.last_rank or depth, depth) - 1]
    return np.append(last, np.maximum(discounts, last))


def rank_weights(m: Measure, depth: int) -> Floats:
    """What one relevant document adds to the score of a list, at each rank."""
    lists = np.eye(depth)
    return np.array([m(levels.tolist(), judged=[1]) for levels in lists])


def _one(measure: str | Measure) -> Measure:
    """The measure that is asked for."""
    found = parse_measures(measure)
    if len(found) != 1 or len(found[0].names()) != 1:
        raise InputError(f"{len(found)} measures", "one")
    return found[0]
