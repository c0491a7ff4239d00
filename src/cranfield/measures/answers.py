"""Measures of generated answers, from judgments by human assessors or LLM judges.

A measure gets one `Response`: nuggets with the support that the answer gives them, sentences with
the support by each citation, and the criteria of a rubric with their fulfilment.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from statistics import fmean
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.measures.base import Measure, cite, measure
from cranfield.measures.parameters import param
from cranfield.measures.texts import compute_f

HALVES = (0.0, 0.5, 1.0)  # none, partial, full


class NuggetLike(Protocol):
    """A nugget with the attributes of `Assigned`."""

    @property
    def vital(self) -> bool: ...
    @property
    def support(self) -> float: ...
    @property
    def sub_narrative(self) -> str: ...


class CriterionLike(Protocol):
    """A criterion with the attributes of `Criterion`."""

    @property
    def weight(self) -> float: ...
    @property
    def met(self) -> float: ...
    @property
    def axis(self) -> str: ...


class Assigned(NamedTuple):
    """A nugget and its support by an answer: 1 in full, ½ in part, 0 none."""

    vital: bool
    support: float
    sub_narrative: str = ""


class Criterion(NamedTuple):
    """A criterion of a rubric and its fulfilment by an answer: 1, ½ or 0."""

    weight: float
    met: float
    axis: str = ""


@dataclass(frozen=True, eq=False)
class Response:
    """The judgments of one answer."""

    nuggets: Sequence[NuggetLike] = ()
    sentences: Sequence[Sequence[float]] = ()  # the support by each judged citation: 1, ½, 0
    criteria: Sequence[CriterionLike] = ()

    @cached_property
    def assigned(self) -> Mapping[tuple[bool, float], int]:
        """Number of nuggets by (vital, support). Sums of halves are exact."""
        return Counter([(nugget.vital, nugget.support) for nugget in self.nuggets])

    @cached_property
    def strict_sentences(self) -> Sequence[Sequence[float]]:
        """Support by each citation, with partial support set to 0."""
        return [[round_support(w, True) for w in sentence] for sentence in self.sentences]


def divide(numerator: float, denominator: float) -> float:
    """Return the quotient, or NaN if the denominator is 0."""
    return numerator / denominator if denominator else math.nan


def round_support(share: float, strict: bool) -> float:
    """Return a support of 0, ½ or 1. If strict, ½ becomes 0."""
    return float(share == 1) if strict else share


def _strict_param(half: str) -> Any:
    return param(False, f"count {half} as 0 instead of ½")


class AnswerMeasure(Measure):
    """A measure of one answer. Undefined scores are NaN."""

    takes = "answers"
    cutoff_meaning = ""
    needs: ClassVar[str] = "nuggets"  # or "support", or "criteria"

    def score(self, x: Response) -> float:  # type: ignore[override]
        """Return the score of one answer."""
        raise TypeError(f"{type(self).__name__} defines no score(self, x)")


T = TypeVar("T")


def _read_items(m: Measure, items: Any, read_item: Callable[[Any], T], expected: str) -> list[T]:
    """Read each item. Raise InputError for the first invalid one."""
    is_sequence = isinstance(items, Iterable) and not isinstance(items, str | bytes)
    read = []
    for item in items if is_sequence else [items]:
        try:
            read.append(read_item(item))
        except (TypeError, ValueError, KeyError):
            problem = f"expected {expected}, found {item!r}"
            raise InputError.from_problem(problem, where=m) from None
    return read


def _read_support(share: Any) -> float:
    if isinstance(share, str) or float(share) not in HALVES:
        raise ValueError
    return float(share)


# -- nuggets --------------------------------------------------------------------------------------


class NuggetAnswerMeasure(AnswerMeasure):
    """A measure of an answer by its vital and okay nuggets."""

    references = cite("pradeep2025")

    def __call__(self, nuggets: Iterable[Any]) -> float:  # type: ignore[override]
        """Return the score of an answer from (importance, support) of each nugget.

        The importance is vital or okay. A third element is the nugget's sub-narrative.

        >>> NuggetV()([("vital", 1), ("vital", 0.5), ("okay", 1)])
        0.75
        """

        def read_nugget(item: Any) -> Assigned:
            importance, support, *rest = item
            vital = {"vital": True, "okay": False}[importance]
            return Assigned(vital, _read_support(support), *map(str, rest))

        expected = "(vital or okay, 0, 0.5 or 1), optionally with a sub-narrative"
        return self.score(Response(nuggets=_read_items(self, nuggets, read_nugget, expected)))


class NuggetShare(NuggetAnswerMeasure):
    """The fraction of nuggets that an answer supports. Okay nuggets weigh less."""

    strict: bool = _strict_param("a partially supported nugget")
    okay: ClassVar[float]  # weight of an okay nugget; a vital nugget has 1

    def score(self, x: Response) -> float:  # type: ignore[override]
        supported = total = 0.0
        for (vital, support), count in x.assigned.items():
            weight = count if vital else count * self.okay
            supported += weight * round_support(support, self.strict)
            total += weight
        return divide(supported, total)


@measure
class NuggetA(NuggetShare):
    """Nugget score over all: the fraction of nuggets supported, vital or okay.

    A = Σ_N s / |N|

    N are the nuggets. s is 1 for a supported nugget, ½ for partial support, else 0. With
    strict=true s is 1 or 0. Undefined if there are no nuggets.

    >>> judged = [("vital", 1), ("vital", 0.5), ("okay", 1), ("okay", 0), ("okay", 0)]
    >>> NuggetA()(judged), NuggetA(strict=True)(judged)
    (0.5, 0.4)
    """

    okay = 1.0
    task = "longer answers with equally important nuggets"


@measure
class NuggetV(NuggetShare):
    """Nugget score over the vital: the fraction of vital nuggets supported.

    V = Σ_V s / |V|

    V are the vital nuggets. s is 1 for a supported nugget, ½ for partial support, else 0. With
    strict=true s is 1 or 0: the main measure of TREC's RAG track. Undefined if no nugget is vital.

    >>> judged = [("vital", 1), ("vital", 0.5), ("okay", 1), ("okay", 0), ("okay", 0)]
    >>> NuggetV()(judged), NuggetV(strict=True)(judged)
    (0.75, 0.5)
    """

    okay = 0.0
    task = "longer answers, judged by their vital nuggets"


@measure
class NuggetW(NuggetShare):
    """Weighted nugget score: the fraction of nuggets supported, okay nuggets with weight ½.

    W = (Σ_V s + ½·Σ_O s) / (|V| + ½·|O|)

    V are the vital nuggets, O the okay nuggets. s is 1 for a supported nugget, ½ for partial
    support, else 0. With strict=true s is 1 or 0. Undefined if there are no nuggets.

    >>> judged = [("vital", 1), ("vital", 0.5), ("okay", 1), ("okay", 0), ("okay", 0)]
    >>> round(NuggetW()(judged), 4), round(NuggetW(strict=True)(judged), 4)
    (0.5714, 0.4286)
    >>> NuggetW()([("vital", 1), ("vital", 1)])
    1.0
    """

    okay = 0.5
    task = "longer answers, judged by vital and okay nuggets"


@measure
class SubNarratives(NuggetAnswerMeasure):
    """Coverage of sub-narratives: the fraction with a supported vital nugget.

    SubNarratives = |{u: a vital nugget of u has s = 1}| / |{u}|

    u are the sub-narratives of nuggets. Partial support does not count. Undefined if no nugget has
    a sub-narrative.

    >>> SubNarratives()([("vital", 1, "cost"), ("vital", 0.5, "safety"), ("okay", 1, "safety")])
    0.5
    """

    task = "answers to requests with several parts"

    def score(self, x: Response) -> float:  # type: ignore[override]
        sub_narratives = {n.sub_narrative for n in x.nuggets if n.sub_narrative}
        covered = {n.sub_narrative for n in x.nuggets if n.vital and n.support == 1}
        return divide(len(sub_narratives & covered), len(sub_narratives))


# -- citations ------------------------------------------------------------------------------------


def _sentence_param() -> Any:
    return param(
        "first",
        "support of a sentence with several citations: first (as in TREC 2024), max or mean",
        choices=("first", "max", "mean"),
    )


SENTENCE_SUPPORT: dict[str, Callable[[Sequence[float]], float]] = {
    "first": lambda supports: supports[0],
    "max": max,
    "mean": fmean,
}


class CitationMeasure(AnswerMeasure):
    """A measure of an answer by the support that its citations give."""

    strict: bool = _strict_param("a citation with partial support")
    needs = "support"
    references = cite("thakur2025")

    def __call__(self, sentences: Iterable[Iterable[float]]) -> float:  # type: ignore[override]
        """Return the score of an answer from each citation's support, by sentence.

        >>> CitationR()([[1, 0.5], [0], []])
        0.3333333333333333
        """

        def read_sentence(item: Any) -> list[float]:
            return [_read_support(support) for support in item]

        expected = "a list of 0, 0.5 and 1 for each sentence"
        return self.score(Response(sentences=_read_items(self, sentences, read_sentence, expected)))

    def get_support(self, x: Response) -> Sequence[Sequence[float]]:
        """Return the support by each citation of each sentence."""
        return x.strict_sentences if self.strict else x.sentences

    def compute_precision(self, x: Response) -> float:
        """Return Σ_j Σ_c w_jc / Σ_j m_j."""
        supports = [w for sentence in self.get_support(x) for w in sentence]
        return divide(math.fsum(supports), len(supports))


@measure
class CitationP(CitationMeasure):
    """Citation precision: the fraction of an answer's citations that support their sentence.

    P = Σ_j Σ_c w_jc / Σ_j m_j

    w_jc is 1 if citation c fully supports sentence j, ½ for partial support, else 0. With
    strict=true it is 1 or 0. m_j is the number of judged citations of the sentence. Sentences
    without judged citations are excluded. Undefined if no sentence has a judged citation.

    >>> CitationP()([[1, 0.5], [0], [], [0.5, 1, 0]])
    0.5
    """

    task = "answers with citations that should not mislead"

    def score(self, x: Response) -> float:  # type: ignore[override]
        return self.compute_precision(x)


class SentenceMeasure(CitationMeasure):
    """A measure of the support of sentences, with or without citations."""

    recall: str = _sentence_param()

    def compute_recall(self, x: Response) -> float:
        """Return (1/J)·Σ_j w_j."""
        combine = SENTENCE_SUPPORT[self.recall]
        supports = [combine(sentence) if sentence else 0.0 for sentence in self.get_support(x)]
        return divide(math.fsum(supports), len(supports))


@measure
class CitationR(SentenceMeasure):
    """Citation recall: the fraction of an answer's sentences supported by their citations.

    R = (1/J)·Σ_j w_j

    J is the number of sentences. w_j is 0 for a sentence without a judged citation, else the
    support of its first citation (recall=first), or the max or mean over its citations: 1 for full
    support, ½ for partial support, else 0. With strict=true it is 1 or 0. Undefined if there are no
    sentences.

    >>> judged = [[1, 0.5], [0], [], [0.5, 1, 0]]
    >>> [CitationR(recall=of)(judged) for of in ("first", "max", "mean")]
    [0.375, 0.5, 0.3125]
    """

    task = "answers with citations, in which every sentence should be supported"

    def score(self, x: Response) -> float:  # type: ignore[override]
        return self.compute_recall(x)


@measure
class CitationF(SentenceMeasure):
    """Citation F: the harmonic mean of citation precision and citation recall.

    F = 2·P·R / (P + R)

    P is CitationP and R CitationR, with the same parameters. The score is 0 if R is 0, also for an
    answer without citations, for which P is undefined. Undefined if there are no sentences.

    >>> judged = [[1, 0.5], [0], [], [0.5, 1, 0]]
    >>> [round(CitationF(recall=of)(judged), 4) for of in ("first", "max", "mean")]
    [0.4286, 0.5, 0.3846]
    """

    task = "answers with citations, summarised in one number"

    def score(self, x: Response) -> float:  # type: ignore[override]
        recall = self.compute_recall(x)
        return compute_f(self.compute_precision(x), recall, 1.0) if recall else 0.0


# -- rubrics --------------------------------------------------------------------------------------


@measure
class Rubric(AnswerMeasure):
    """Rubric: the points of an answer divided by the possible points of a rubric.

    Rubric = Σ_i w_i·m_i / Σ_{i: w_i > 0} w_i

    w_i is the weight of criterion i, negative for undesired properties. m_i is 1 if the answer
    meets it, ½ if partly, else 0. Rubric(axis=accuracy) uses the criteria of one axis. An answer
    can score below 0. The mean over answers is clipped to 0 to 1. Undefined if no weight is above
    0.

    >>> Rubric()([(5, 1), (3, 0.5), (-2, 1)])  # (5 + 1.5 − 2) / 8
    0.5625
    """

    axis: str | None = param(None, "use only the criteria of this axis (default: all)", word=True)
    needs = "criteria"
    summary = "clipped"
    range = "up to 1; below 0 for an answer that does harm"
    references = cite("arora2025")
    task = "answers assessed by several criteria"

    def __call__(self, criteria: Iterable[Any]) -> float:  # type: ignore[override]
        """Return the score of an answer from (weight, fulfilment) of each criterion.

        A third element is the criterion's axis.

        >>> Rubric(axis="tone")([(5, 1, "facts"), (3, 0.5, "tone")])
        0.5
        """

        def read_criterion(item: Any) -> Criterion:
            weight, met, *rest = item
            if isinstance(weight, str) or not math.isfinite(weight):
                raise ValueError
            return Criterion(float(weight), _read_support(met), *map(str, rest))

        expected = "(a weight, 0, 0.5 or 1), optionally with an axis"
        return self.score(Response(criteria=_read_items(self, criteria, read_criterion, expected)))

    def score(self, x: Response) -> float:  # type: ignore[override]
        criteria = [c for c in x.criteria if self.axis in (None, c.axis)]
        maximum = math.fsum(c.weight for c in criteria if c.weight > 0)
        return divide(math.fsum(c.weight * c.met for c in criteria), maximum)
