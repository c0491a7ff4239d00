"""Agreement of assessors: percentage, Cohen's and Fleiss' κ, Krippendorff's α.

Labels are compared by their scores. Labels with the same points are one label. Weights of κ and
distances of α are distances of points.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from operator import itemgetter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from cranfield.arrays import Floats, Ints
from cranfield.assess.assessments import Assessments, read_assessments
from cranfield.assess.rules import RulesLike
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.scores import ALL, Note
from cranfield.tables import Field, ResultTable, build_notes_entry, build_record_table, convert_numbers
from cranfield.wording import align_columns, format_count, format_names, suggest_keywords

Weights: TypeAlias = Literal["linear", "quadratic"]
Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]

PAIRWISE = ("agreement", "kappa", "kappa_linear", "kappa_quadratic")
TOGETHER = ("fleiss", "alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_ratio")
COLUMNS = ("topic", "assessor", "other", "statistic", "value")

TITLES = {
    "agreement": "agreement",
    "kappa": "κ",
    "kappa_linear": "linear κ",
    "kappa_quadratic": "quadratic κ",
    "fleiss": "Fleiss' κ",
    "alpha_nominal": "nominal α",
    "alpha_ordinal": "ordinal α",
    "alpha_interval": "interval α",
    "alpha_ratio": "ratio α",
}


def percent_agreement(confusion: ArrayLike) -> float:
    """Return the fraction of items to which two assessors gave the same label.

    >>> percent_agreement([[20, 5], [10, 15]])
    0.7
    """
    counts = np.asarray(confusion, dtype=np.float64)
    return _divide(float(np.trace(counts)), float(counts.sum()))


def cohen_kappa(confusion: ArrayLike, weights: Weights | None = None, scores: Sequence[float] | None = None) -> float:
    """Return Cohen's κ of two assessors: the agreement beyond chance, at most 1.

    κ = 1 − Σ w·o / Σ w·e

    o are the counts of the confusion matrix, e the counts expected by chance (row total times
    column total over all). w is 1 off the diagonal. Weighted κ uses the difference of the two
    labels' `scores` (default: 0, 1, 2, …), squared if quadratic. Undefined, nan, if both assessors
    use only one and the same label.

    >>> round(cohen_kappa([[20, 5], [10, 15]]), 4)  # (0.7 − 0.5) / (1 − 0.5)
    0.4
    """
    if weights is not None and weights not in get_args(Weights):
        fix = f"Valid: {', '.join(get_args(Weights))}, None"
        raise InputError.from_problem(f"unknown weights {weights!r}", fix)
    observed = np.asarray(confusion, dtype=np.float64)
    total = observed.sum()
    if total == 0:
        return math.nan
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / total
    points = np.arange(len(observed), dtype=np.float64) if scores is None else np.asarray(scores)
    distance = np.abs(points[:, None] - points[None, :])
    w = {None: (distance > 0) * 1.0, "linear": distance, "quadratic": distance**2}[weights]
    chance = float((w * expected).sum())
    return 1.0 - float((w * observed).sum()) / chance if chance > 0 else math.nan


def fleiss_kappa(counts: ArrayLike) -> float:
    """Return Fleiss' κ from counts of labels, items × labels.

    κ = (P − P_e) / (1 − P_e)

    P is the mean fraction of agreeing pairs of assessors per item, P_e the sum of the squared label
    frequencies. Every item needs the same number of judgments, at least two. Undefined, nan, if all
    judgments have one label.

    >>> round(fleiss_kappa([[2, 0], [1, 1], [0, 2]]), 4)  # P = 2/3, P_e = 1/2
    0.3333
    """
    table = np.asarray(counts, dtype=np.float64)
    judged = table.sum(axis=1) if len(table) else np.zeros(1)
    if judged.min() != judged.max() or judged[0] < 2:
        problem = "Fleiss' κ requires an equal number ≥ 2 of judgments per item"
        problem += f", found {judged.min():g} to {judged.max():g}"
        raise InputError.from_problem(problem, "Use Krippendorff's α")
    n = float(judged[0])
    agreeing = float(((table**2).sum(axis=1) - n).mean() / (n * (n - 1)))
    chance = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    return _divide(agreeing - chance, 1 - chance) if (table.sum(axis=0) > 0).sum() > 1 else math.nan


def krippendorff_alpha(counts: ArrayLike, scale: Scale = "nominal", scores: Sequence[float] | None = None) -> float:
    """Return Krippendorff's α from counts of labels, items × labels.

    α = 1 − D_o / D_e
    D_o = Σ_cd o_cd·δ²(c, d) / n,   D_e = Σ_cd n_c·n_d·δ²(c, d) / (n·(n − 1))

    Items can have different numbers of judgments. o_cd are the coincidences of the labels c and d:
    pairs of judgments of one item, each with weight 1/(number of judgments of the item − 1). n_c is
    the number of judgments with label c, n of all judgments. δ is the distance of two labels'
    `scores` (default: 0, 1, 2, …) on the scale. Labels with the same score are one. Items with one
    judgment do not count. Undefined, nan, if fewer than two labels remain, or on a ratio scale with
    scores below 0.

    >>> round(krippendorff_alpha([[2, 0], [1, 1], [0, 2]]), 4)  # 1 − 5 · 2 / (3 · 3 · 2)
    0.4444
    """
    if scale not in get_args(Scale):
        fix = f"Valid: {', '.join(get_args(Scale))}"
        raise InputError.from_problem(f"unknown scale {scale!r}", fix)
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(axis=1) > 1]
    values = np.arange(table.shape[1]) if scores is None else scores
    points, label = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    table = table @ np.eye(len(points))[label]
    if (table.sum(axis=0) > 0).sum() < 2 or (scale == "ratio" and points.min() < 0):
        return math.nan
    n_c, n = table.sum(axis=0), table.sum()
    weight = 1.0 / (table.sum(axis=1) - 1.0)
    o = (table * weight[:, None]).T @ table - np.diag((table * weight[:, None]).sum(axis=0))
    distance = _compute_squared_distance(scale, points, n_c)
    expected = float((np.outer(n_c, n_c) * distance).sum() / (n - 1.0))
    return 1.0 - _divide(float((o * distance).sum()), expected)


def _compute_squared_distance(scale: Scale, points: Floats, n_c: Floats) -> Floats:
    """Return δ²(c, d) of all label pairs. Ordinal: by the judgments in between."""
    if scale == "ordinal":
        points = np.cumsum(n_c) - n_c / 2.0
    difference: Floats = points[:, None] - points[None, :]
    if scale == "nominal":
        difference = np.where(difference != 0, 1.0, 0.0)
    elif scale == "ratio":
        sums = points[:, None] + points[None, :]
        difference = np.divide(difference, sums, out=np.zeros(sums.shape), where=sums != 0)
    return difference**2


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Coefficients and confusion matrix of two assessors, over their common items."""

    assessors: tuple[str, str]
    items: int
    values: Mapping[str, float]  # by the names in PAIRWISE
    confusion: Ints  # a row for each label of the first, a column for each of the second


@dataclass(frozen=True, eq=False)
class Agreement(TableResult):
    """Agreement of assessors: over all, by pair and, optionally, by topic.

    `values` contains the means over pairs (agreement, kappa, kappa_linear, kappa_quadratic), and
    fleiss, alpha_nominal, alpha_ordinal, alpha_interval and alpha_ratio over all assessors.
    """

    assessors: tuple[str, ...]
    labels: tuple[str, ...]
    items: int
    judged: Mapping[str, int]  # how many of the items each assessor judged
    values: Mapping[str, float]
    pairs: tuple[PairAgreement, ...]
    topics: Mapping[str, Agreement] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def count_missing(self, assessor: str) -> int:
        """Return the number of items the assessor did not judge."""
        return self.items - self.judged[assessor]

    def __repr__(self) -> str:
        size = f"{format_count(self.items, 'item')}, {format_count(len(self.assessors), 'assessor')}"
        lines = align_columns([[name, f"{value:z.4f}"] for name, value in self.values.items()], "lr")
        return "\n".join([f"Agreement: {size}", *lines, *(f"note: {n.text}" for n in self.notes)])

    def _build_tables(self) -> list[ResultTable]:
        """Build one machine-readable table with a row per number, and displayed tables."""
        records = [
            dict(zip(COLUMNS, (topic, *row), strict=True))
            for topic, agreement in {**self.topics, ALL: self}.items()
            for row in _list_rows(agreement, self.labels)
        ]
        *visible, last = [_build_visible_table(*table) for table in _list_tables(self)]
        assessors = format_count(len(self.assessors), "assessor")
        items = format_count(self.items, "item")
        caption = f"{assessors}, {items} · κ over the items judged by both"
        return [build_record_table("agreement", records), *visible, replace(last, caption=caption)]

    def _build_document(self) -> dict[str, Any]:
        content = {"assessors": self.assessors, "labels": self.labels, "all": _describe_agreement(self)}
        topics = {topic: _describe_agreement(one) for topic, one in self.topics.items()}
        return content | ({"topics": topics} if topics else {}) | build_notes_entry(self.notes)


@suggest_keywords
def agreement(
    assessments: Any,
    per_topic: bool = False,
    *,
    labels: LabelsLike | None = None,
    rules: RulesLike | None = None,
    column: str | None = None,
    columns: ColumnsLike | None = None,
) -> Agreement:
    """Compute every coefficient of agreement, over all topics and for each topic.

    Topics are included with `per_topic`. `labels`, `rules`, `column` and `columns` are those of
    `read_assessments`.

    >>> found = agreement({"ann": {"q": {"a": 1, "b": 0, "c": 1}},
    ...                    "bob": {"q": {"a": 1, "b": 0, "c": 0}}})
    >>> round(found["kappa"], 4)  # agreement 2/3, by chance 4/9
    0.4
    """
    table = read_assessments(assessments, labels, rules, column, columns)
    if len(table.assessors) < 2:
        problem = f"agreement requires at least two assessors, found {table.assessors[0]}"
        raise InputError.from_problem(problem)
    topics = {t: _compute_agreement(table.select_topic(t)) for t in table.votes} if per_topic else {}
    result = _compute_agreement(table)
    notes = (*table.notes, *_collect_notes(result, table), *_collect_topic_notes(topics))
    return replace(result, topics=topics, notes=notes)


def _compute_agreement(assessments: Assessments) -> Agreement:
    labels, scores = tuple(assessments.names.values()), list(assessments.names)
    place = {score: i for i, score in enumerate(scores)}
    pairs = tuple(_compare_pairs(assessments, place, scores))
    counts = np.zeros((sum(map(len, assessments.votes.values())), len(scores)), dtype=np.int64)
    judged = dict.fromkeys(assessments.assessors, 0)
    for row, (_, _, votes) in enumerate(assessments.items()):
        for assessor, score in votes.items():
            counts[row, place[score]] += 1
            judged[assessor] += 1
    values = {name: _mean([pair.values[name] for pair in pairs]) for name in PAIRWISE}
    try:
        values["fleiss"] = fleiss_kappa(counts)
    except InputError:  # undefined for these data, see the note
        values["fleiss"] = math.nan
    for scale in get_args(Scale):
        values[f"alpha_{scale}"] = krippendorff_alpha(counts, scale, scores)
    return Agreement(assessments.assessors, labels, len(counts), judged, values, pairs)


def _compare_pairs(
    assessments: Assessments, place: Mapping[float, int], scores: Sequence[float]
) -> Iterator[PairAgreement]:
    """Compare all pairs of assessors with a common item."""
    order = {assessor: i for i, assessor in enumerate(assessments.assessors)}
    tables: dict[tuple[str, str], Counter[tuple[int, int]]] = {}
    for _, _, votes in assessments.items():
        for a, b in combinations(sorted(votes, key=order.__getitem__), 2):
            tables.setdefault((a, b), Counter())[place[votes[a]], place[votes[b]]] += 1
    for pair in sorted(tables, key=lambda pair: (order[pair[0]], order[pair[1]])):
        confusion = np.zeros((len(scores), len(scores)), dtype=np.int64)
        for cell, count in tables[pair].items():
            confusion[cell] = count
        values = {
            "agreement": percent_agreement(confusion),
            "kappa": cohen_kappa(confusion),
            "kappa_linear": cohen_kappa(confusion, "linear", scores),
            "kappa_quadratic": cohen_kappa(confusion, "quadratic", scores),
        }
        yield PairAgreement(pair, int(confusion.sum()), values, confusion)


def _collect_notes(result: Agreement, assessments: Assessments) -> Iterator[Note]:
    possible = len(result.assessors) * (len(result.assessors) - 1) // 2
    if len(result.pairs) < possible:
        without = possible - len(result.pairs)
        text = f"{without} of {format_count(possible, 'pair')} of assessors without a common item"
        yield Note("pairs", f"{text}, excluded")
    numbers = {len(votes) for _, _, votes in assessments.items()}
    if len(numbers) > 1 or numbers == {1}:
        low, high = min(numbers), max(numbers)
        found = f"{low} to {high} judgments" if low < high else "1 judgment"
        text = f"Fleiss' κ is nan: {found} per item, it needs an equal number ≥ 2. Use α."
        yield Note("fleiss", text)
    undefined = [" and ".join(p.assessors) for p in result.pairs if math.isnan(p.values["kappa"])]
    if undefined:
        text = "κ is nan and excluded from the mean for pairs with only one label: "
        yield Note("undefined", text + format_names(undefined, "pair"))
    if math.isnan(result.values["alpha_nominal"]):
        yield Note("undefined", "α is nan: it needs two labels among items with at least two judgments")
    elif min(assessments.names) < 0:
        yield Note("undefined", "α on a ratio scale is nan: some scores are below 0")


def _collect_topic_notes(topics: Mapping[str, Agreement]) -> Iterator[Note]:
    undefined = [t for t, result in topics.items() if any(map(math.isnan, result.values.values()))]
    if undefined:
        text = f"undefined coefficients are nan in {format_names(undefined, 'topic')}"
        yield Note("undefined", text, topics=tuple(undefined))


def _mean(values: Sequence[float]) -> float:
    """Return the mean of the defined values."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _divide(a: float, b: float) -> float:
    return a / b if b else math.nan


# -- displayed tables -----------------------------------------------------------------------------


def _build_visible_table(name: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> ResultTable:
    """Build a table with names in the first column and numbers in the others."""
    columns = zip(heads, *rows, strict=True)
    fields = [Field(head, values, head, key=head == heads[0]) for head, *values in columns]
    return ResultTable(name, fields, machine_readable=False)


def _list_tables(agreement: Agreement) -> Iterator[tuple[str, list[str], list[list[Any]]]]:
    """Yield name, heads and rows of the displayed tables."""
    if any(map(agreement.count_missing, agreement.assessors)):
        done = [[name, agreement.judged[name], agreement.count_missing(name)] for name in agreement.assessors]
        yield "judged", ["assessor", "judged", "lacks"], done
    by_pair = itemgetter(*PAIRWISE)
    pairs = [[" – ".join(x.assessors), x.items, *by_pair(x.values)] for x in agreement.pairs]
    if len(pairs) > 1:
        pairs.append(["mean", "", *by_pair(agreement.values)])
    if pairs:
        yield "pairs", ["assessors", "items", *(TITLES[name] for name in PAIRWISE)], pairs
    for names in ([PAIRWISE] if agreement.topics else []) + [TOGETHER]:
        topics = {**agreement.topics, ALL: agreement}.items()
        rows = [
            [topic, topic_agreement.items, *itemgetter(*names)(topic_agreement.values)]
            for topic, topic_agreement in topics
        ]
        yield "topics", ["topic", "items", *(TITLES[name] for name in names)], rows
    for pair in agreement.pairs:
        first, second = pair.assessors
        counts = zip(agreement.labels, pair.confusion.tolist(), strict=True)
        rows = [[label, *row] for label, row in counts]
        yield "confusion", [f"{first} ↓ {second} →", *agreement.labels], rows


# -- machine-readable rows ------------------------------------------------------------------------


def _list_rows(agreement: Agreement, labels: Sequence[str]) -> Iterator[tuple[str, str, str, float | int]]:
    """Yield judged items per assessor, numbers of each pair, and totals."""
    for assessor, judged in agreement.judged.items():
        yield (assessor, "", "items", judged)
    for pair in agreement.pairs:
        yield (*pair.assessors, "items", pair.items)
        for name, value in pair.values.items():
            yield (*pair.assessors, name, value)
        for row, counts in zip(labels, pair.confusion.tolist(), strict=True):
            for column, count in zip(labels, counts, strict=True):
                yield (*pair.assessors, f"count[{row},{column}]", count)
    yield ("", "", "items", agreement.items)
    for name, value in agreement.values.items():
        yield ("", "", name, value)


def _describe_agreement(agreement: Agreement) -> dict[str, Any]:
    pairs = [
        {"assessors": pair.assessors, "items": pair.items, **convert_numbers(pair.values),
         "confusion": pair.confusion.tolist()}
        for pair in agreement.pairs
    ]  # fmt: skip
    return {"items": agreement.items, "judged": agreement.judged, **convert_numbers(agreement.values), "pairs": pairs}
