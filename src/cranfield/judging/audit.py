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
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.measures.bounds import is_sum
from cranfield.measures.grammar import parse_measures
from cranfield.scores import Note
from cranfield.stats.resampling import check_trials, create_generator
from cranfield.stats.sample_estimates import inclusion_probabilities
from cranfield.wording import format_count

MEASURE = "DCG"  # the weights of ranks, if no measure is named


@dataclass(frozen=True, eq=False, repr=False)
class Audit(TableResult, tables="audit"):
    """The documents of a pool in the order in which people are to judge them.

    The first ones, with a draw below 1, are `size` in the mean: `to_judge` is how many they are.
    """

    order: AuditOrder
    size: int
    measure: str
    depth: int
    runs: tuple[str, ...]
    seed: int
    notes: tuple[Note, ...] = ()

    @property
    def to_judge(self) -> int:
        """How many documents were drawn."""
        return int(np.count_nonzero(self.order.draws < 1))

    def __repr__(self) -> str:
        size_text = f"{self.to_judge:,} of {format_count(len(self.order), 'document')}"
        return f"Audit: {size_text} to judge, by {self.measure}, seed {self.seed}"


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
    check_trials(1, seed)
    run_pool = runs if isinstance(runs, Pool) else pool(runs, depth, **options)
    audit_measure = _parse_single_measure(measure)
    weights = _compute_weights(audit_measure, run_pool.depth)[run_pool.ranks].sum(axis=1)
    pairs = [*chain.from_iterable(((t, d) for d in docs) for t, docs in run_pool.docs.items())]
    has_weight = weights > 0
    if not has_weight.any():
        raise InputError(f"no document at a rank that weighs anything by {audit_measure}", "some")
    uniform = create_generator(seed).random(len(weights))[has_weight]
    probabilities = inclusion_probabilities(weights[has_weight], float(size))
    draws = uniform / probabilities
    order = np.argsort(draws, kind="stable")
    names = [pair for pair, is_kept in zip(pairs, has_weight.tolist(), strict=True) if is_kept]
    order_drawn = AuditOrder(tuple(names[i] for i in order), probabilities[order], draws[order])
    notes = list(run_pool.notes)
    if size > len(order_drawn):
        text = f"{format_count(len(order_drawn), 'document')} for a sample of {size:,}: all are to be judged"
        notes.append(Note("audit", text))
    return Audit(
        order_drawn,
        int(size),
        str(audit_measure),
        run_pool.depth,
        run_pool.runs,
        seed,
        tuple(notes),
    )


def _compute_weights(m: Measure, depth: int) -> Floats:
    """What documents weigh at each rank, from 1; the first number is for runs without it."""
    if is_sum(m):
        return np.append(0.0, compute_rank_weights(m, depth))
    discounts = compute_rank_weights(parse_measures("DCG")[0], depth)
    last = discounts[min(m.last_rank or depth, depth) - 1]
    return np.append(last, np.maximum(discounts, last))


def compute_rank_weights(m: Measure, depth: int) -> Floats:
    """What one relevant document adds to the score of a list, at each rank."""
    lists = np.eye(depth)
    return np.array([m(levels.tolist(), judged=[1]) for levels in lists])


def _parse_single_measure(measure: str | Measure) -> Measure:
    """The measure that is asked for."""
    measures = parse_measures(measure)
    if len(measures) != 1 or len(measures[0].names()) != 1:
        raise InputError(f"{len(measures)} measures", "one")
    return measures[0]
