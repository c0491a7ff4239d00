"""Audits: samples of documents for human judgment, to correct a judge."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.assess.pool import Pool, pool
from cranfield.data.audits import AuditOrder
from cranfield.data.names import AUDIT, check_word, format_json, format_rows
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.measures.base import Measure
from cranfield.measures.bounds import is_sum
from cranfield.measures.grammar import parse_measures
from cranfield.scores import Note
from cranfield.stats.resampling import check_trials, create_generator
from cranfield.stats.sample_estimates import inclusion_probabilities
from cranfield.tables import PAPER, Field, ResultTable, build_table, read_settings
from cranfield.wording import format_count

COLUMNS = ("topic", "doc", "probability", "draw", "to_judge")
MEASURE = "DCG"  # measure for the default weights of ranks


@dataclass(frozen=True, eq=False, repr=False)
class Audit(TableResult):
    """Documents of a pool in the order in which humans should judge them.

    The first `to_judge` documents, those with a draw below 1, are the sample. Its expected size is
    `size`.
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
        """Number of documents drawn."""
        return int(np.count_nonzero(self.order.draws < 1))

    def __repr__(self) -> str:
        size_text = f"{self.to_judge:,} of {format_count(len(self.order), 'document')}"
        return f"Audit: {size_text} to judge, by {self.measure}, seed {self.seed}"

    def _build_tables(self) -> list[ResultTable]:
        """Build a table of all documents, and the number of documents of each topic."""
        caption = _describe_sample(self)
        columns = zip(COLUMNS, zip(*_list_rows(self), strict=True), strict=True)
        fields = [Field(name, values, key=name in COLUMNS[:2]) for name, values in columns]
        return [_build_topic_table(self, caption), build_table("audit", caption, *fields)]

    def _select_tables(self, format: str) -> tuple[str, ...]:
        return ("topics",) if format in ("table", *PAPER) else ("audit",)

    def _build_settings(self) -> dict[str, Any]:
        return read_settings(self, "size", "measure", "depth", "seed", "to_judge")


def audit(
    runs: Any, size: int, measure: str | Measure = MEASURE, *, depth: int = 100, seed: int = 0, **options: Any
) -> Audit:
    """Draw about `size` documents for human judgment, to correct a judge.

    Each document is drawn independently with the probability π = min(1, c·w), Σ π = size. For
    measures that are sums (P, DCG, RBP), w is the sum over runs of the weight of its rank by
    `measure`. Documents only at ranks without weight are then not in the audit. For other measures
    (nDCG, AP), all documents up to `depth` are in the audit, because each can be in the ideal
    ranking: w is the weight by DCG with the same cutoff, and in each run at least the weight of the
    last rank above the cutoff. The documents are ordered by u/π, where u is uniform in [0, 1].
    Documents with u/π < 1 are the sample. Judging fewer or more documents in this order gives a
    smaller or larger sample (priority sampling). `runs` is a `Pool`, or the runs for `cf.pool` with
    its `options`.

    >>> result = audit({"x": {"q": ["a", "b", "c"]}, "y": {"q": ["a", "c", "d"]}}, 2, "P@2")
    >>> sorted(zip(result.order.pairs, result.order.probabilities.tolist()))  # a twice, b, c once
    [(('q', 'a'), 1.0), (('q', 'b'), 0.5), (('q', 'c'), 0.5)]

    Reference: Duffield, Lund and Thorup 2007, Priority sampling for estimation of arbitrary subset
    sums, JACM 54(6).
    """
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise InputError(f"size={size!r}", "an integer ≥ 1")
    check_trials(1, seed)
    run_pool = runs if isinstance(runs, Pool) else pool(runs, depth, **options)
    audit_measure = _parse_single_measure(measure)
    weights = _compute_weights(audit_measure, run_pool.depth)[run_pool.ranks].sum(axis=1)
    pairs = [*chain.from_iterable(((t, d) for d in docs) for t, docs in run_pool.docs.items())]
    has_weight = weights > 0
    if not has_weight.any():
        raise InputError.from_problem(f"no document at a rank with a weight by {audit_measure}")
    uniform = create_generator(seed).random(len(weights))[has_weight]
    probabilities = inclusion_probabilities(weights[has_weight], float(size))
    draws = uniform / probabilities
    order = np.argsort(draws, kind="stable")
    names = [pair for pair, is_kept in zip(pairs, has_weight.tolist(), strict=True) if is_kept]
    order_drawn = AuditOrder(tuple(names[i] for i in order), probabilities[order], draws[order])
    notes = list(run_pool.notes)
    if size > len(order_drawn):
        documents = format_count(len(order_drawn), "document")
        text = f"only {documents} for a sample of {size:,}: all must be judged"
        notes.append(Note("audit", text))
    return Audit(order_drawn, int(size), str(audit_measure), run_pool.depth, run_pool.runs, seed, tuple(notes))


def _compute_weights(m: Measure, depth: int) -> Floats:
    """Return the weight of ranks, from 1; first, of documents not retrieved."""
    if is_sum(m):
        return np.append(0.0, compute_rank_weights(m, depth))
    discounts = compute_rank_weights(parse_measures("DCG")[0], depth)
    last = discounts[min(m.last_rank or depth, depth) - 1]
    return np.append(last, np.maximum(discounts, last))


def compute_rank_weights(m: Measure, depth: int) -> Floats:
    """Return the score that one relevant document adds to a ranking, at each rank."""
    lists = np.eye(depth)
    return np.array([m(levels.tolist(), judged=[1]) for levels in lists])


def _parse_single_measure(measure: str | Measure) -> Measure:
    measures = parse_measures(measure)
    if len(measures) != 1 or len(measures[0].names()) != 1:
        raise InputError(f"{len(measures)} measures", "one")
    return measures[0]


# -- tables and files -----------------------------------------------------------------------------


def _list_rows(audit: Audit) -> list[tuple[str, str, float, float, int]]:
    """Return a row for each document, in the order of judging."""
    order = audit.order
    numbers = zip(order.pairs, order.probabilities.tolist(), order.draws.tolist(), strict=True)
    return [(topic, doc, p, draw, int(draw < 1)) for (topic, doc), p, draw in numbers]


def _build_topic_table(audit: Audit, caption: str) -> ResultTable:
    documents = Counter(topic for topic, _ in audit.order.pairs)
    to_judge = Counter(topic for topic, _ in audit.order.pairs[: audit.to_judge])
    return build_table(
        "topics",
        f"{caption}.",
        Field("topic", [*documents], key=True),
        Field("documents", [*documents.values()]),
        Field("to_judge", [to_judge[topic] for topic in documents]),
    )


def _describe_sample(audit: Audit) -> str:
    return (
        f"{format_count(audit.to_judge, 'document')} to judge, drawn from {len(audit.order):,} of "
        f"{format_count(len(audit.runs), 'run')} at depth {audit.depth} by the weights of "
        f"{audit.measure}, seed {audit.seed}"
    )


def render_audit(audit: Audit, format: str) -> str:
    """Format an audit as lines ``topic doc probability draw``, table or JSON.

    A comment at the start distinguishes the lines from judgments (``topic iteration doc level``).
    """
    rows = _list_rows(audit)
    if format == "json":
        return format_json([dict(zip(COLUMNS, row, strict=True)) for row in rows])
    if format != "text":
        return format_rows(format, [COLUMNS, *rows])
    lines = [f"{check_word(t, True)} {check_word(d)} {p!r} {draw!r}\n" for t, d, p, draw, _ in rows]
    return f"{AUDIT}: {' '.join(COLUMNS[:4])}\n{''.join(lines)}"
