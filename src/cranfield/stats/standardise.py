"""Standardised scores, which give all topics the same mean and variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from cranfield.arrays import TOLERANCE, Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice, describe_value, is_one_of
from cranfield.lazy_imports import special
from cranfield.scores import Note, Scores
from cranfield.stats.samples import Axes, Systems, as_scores
from cranfield.wording import format_count, format_names, suggest_keywords

__all__ = ["Factors", "factors", "standardise"]

METHODS = ("z", "cdf", "linear")


@dataclass(frozen=True, eq=False)
class Factors:
    """Means and deviations over systems, [topics, measures], for standardisation."""

    means: Floats
    stds: Floats
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    description: str


@suggest_keywords
def factors(scores: Systems, ddof: int = 1, axes: Axes | None = None) -> Factors:
    """Compute mean and standard deviation over systems by topic and measure.

    `scores` are Scores, ``{system: {topic: score}}``, or an array with its `axes`,
    ``("topics", "runs")`` or ``("runs", "topics")``.

    The deviation has m − `ddof` in its denominator, where m is the number of systems. Undefined
    scores are excluded.

    >>> by_topic = factors({"bm25": {"301": 0.1}, "dense": {"301": 0.3}, "rrf": {"301": 0.5}})
    >>> by_topic.means.round(4).tolist(), by_topic.stds.round(4).tolist()
    ([[0.3]], [[0.2]])

    Reference: Webber, Moffat and Zobel (2008), Score standardization for inter-collection
    comparison of retrieval systems, SIGIR.
    """
    if not is_one_of(ddof, (0, 1)):
        raise InputError(f"ddof={describe_value(ddof)}", "0 or 1")
    all_scores = as_scores(scores, axes)
    if len(all_scores.runs) < 2:
        raise InputError(format_count(len(all_scores.runs), "system"), "at least 2 to standardise by")
    x = all_scores.values
    defined = ~np.isnan(x)
    count = defined.sum(axis=0)
    means = np.where(defined, x, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(defined, x - means, 0.0) ** 2
    stds = np.sqrt(squares.sum(axis=0) / np.maximum(count - ddof, 1))
    largest = np.abs(np.where(defined, x, 0.0)).max(axis=0)
    stds[stds <= TOLERANCE * largest] = 0.0  # rounding errors of 0
    text = format_count(len(all_scores.runs), "run")
    return Factors(means, stds, all_scores.topics, all_scores.measures, text)


@suggest_keywords
def standardise(
    scores: Systems,
    method: Literal["z", "cdf", "linear"] = "z",
    reference: Scores | Factors | Mapping[str, tuple[float, float]] | None = None,
    ddof: int = 1,
    a: float = 0.15,
    b: float = 0.5,
    axes: Axes | None = None,
) -> Scores:
    """Standardise scores by topic: subtract the mean, divide by the deviation.

    z = (x − mean) / std

    `scores` and `axes` are the arguments of `factors`. Mean and std are computed over the systems
    of `scores`, or over a `reference`: other scores, their `factors`, or ``{topic: (mean, std)}``.
    With a reference, new systems can be scored later. ``"cdf"`` returns Φ(z), the normal
    distribution function. ``"linear"`` returns `a` · z + `b`, clipped to [0, 1]: with Sakai's a and
    b, this clips only |z| > 3⅓. If all systems have the same score (std 0), z is 0, and a note
    lists the topics.

    >>> systems = {"bm25": {"301": 0.1}, "dense": {"301": 0.3}, "rrf": {"301": 0.5}}
    >>> standardise(systems).values.round(4).ravel().tolist()
    [-1.0, 0.0, 1.0]
    >>> standardise(systems, "linear").values.round(4).ravel().tolist()
    [0.35, 0.5, 0.65]
    >>> new = standardise({"mono": {"301": 0.7}}, "cdf", reference=factors(systems))
    >>> new.values.round(4).item()  # Φ(2)
    0.9772

    Reference: Webber, Moffat and Zobel (2008), Score standardization for inter-collection
    comparison of retrieval systems, SIGIR; Sakai (2016), A simple and effective approach to score
    standardisation, ICTIR.
    """
    check_choice("method", method, METHODS)
    all_scores = as_scores(scores, axes)
    aligned = _align_factors(_as_factors(all_scores if reference is None else reference, all_scores, ddof), all_scores)
    equal = aligned.stds == 0
    z = np.where(equal, 0.0, (all_scores.values - aligned.means) / np.where(equal, 1.0, aligned.stds))
    z[np.isnan(all_scores.values)] = np.nan
    notes = [Note("standardised", f"scores are standardised by topic ({method}, {aligned.description})")]
    equal_topics = tuple(t for t, is_equal in zip(all_scores.topics, equal.any(axis=1), strict=True) if is_equal)
    if equal_topics:
        topics_text = format_names(equal_topics, "topic")
        text = f"{topics_text} with equal scores of all systems of the reference: z is 0"
        notes.append(Note("no-variance", text, topics=equal_topics))
    return replace(
        all_scores,
        values=_transform(z, method, a, b),
        summaries=("mean",) * len(all_scores.measures),
        notes=(*all_scores.notes, *notes),
    )


def _transform(z: Floats, method: str, a: float, b: float) -> Floats:
    if method == "cdf":
        return np.asarray(special.ndtr(z))
    return np.clip(a * z + b, 0.0, 1.0) if method == "linear" else z


def _as_factors(reference: Scores | Factors | Mapping[str, tuple[float, float]], scores: Scores, ddof: int) -> Factors:
    if isinstance(reference, Factors):
        return reference
    if isinstance(reference, Scores):
        return factors(reference, ddof)
    if len(scores.measures) != 1:
        problem = f"means and deviations for {format_names(scores.measures, 'measure')}"
        raise InputError(problem, "scores of one measure, or Scores as the reference")
    try:
        pairs = np.array([reference[topic] for topic in reference], dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        raise InputError(f"the reference {reference!r}", "{topic: (mean, std)}") from None
    if not (np.isfinite(pairs).all() and (pairs[:, 1] >= 0).all()):
        raise InputError("std below 0 or not finite", "{topic: (mean, std)}")
    means, stds = pairs[:, :1], pairs[:, 1:]
    return Factors(means, stds, tuple(map(str, reference)), scores.measures, "given factors")


def _align_factors(reference: Factors, scores: Scores) -> Factors:
    """Return the factors of the topics and measures of the scores, in their order."""
    for kind, names, valid_names in (
        ("topic", scores.topics, reference.topics),
        ("measure", scores.measures, reference.measures),
    ):
        missing = [name for name in names if name not in valid_names]
        if missing:
            raise InputError(f"{format_names(missing, kind)} that the reference lacks", f"every {kind}")
    rows = np.array([reference.topics.index(name) for name in scores.topics], dtype=int)
    columns = np.array([reference.measures.index(name) for name in scores.measures], dtype=int)
    index = np.ix_(rows, columns)
    return Factors(
        reference.means[index],
        reference.stds[index],
        scores.topics,
        scores.measures,
        reference.description,
    )
