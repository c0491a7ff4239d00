"""From several assessors' scores to one level for each item."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from cranfield.assess.assessments import Assessments, exact, read_assessments
from cranfield.assess.rules import RulesLike
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.labels import LabelsLike, read_labels, read_number
from cranfield.errors import InputError
from cranfield.scores import Notice
from cranfield.wording import some

Votes: TypeAlias = Sequence[float]
Levels: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level

SCHEMES = ("majority", "sum", "mean", "median", "min", "max", "unanimity", "favourites")
TIES = ("zero", "lower", "higher")
_SETTINGS = {"ties": "majority", "p": "unanimity", "max_score": "unanimity",
             "keep_zero": "unanimity", "best": "favourites"}  # fmt: skip
_SMALL = 1e-9  # (1 + 2/3 + 1/3)/3 must reach a threshold of 2/3, however floats round


@dataclass(frozen=True, eq=False, repr=False)
class Consolidated(Qrels):
    """Judgments that several assessors made together, and what the user should know of it."""

    notices: tuple[Notice, ...] = ()


def aggregate(
    assessments: Any,
    scheme: str = "majority",
    *,
    ties: str | None = None,
    p: float | str | None = None,
    max_score: float | str | None = None,
    keep_zero: bool | None = None,
    best: QrelsLike | None = None,
    missing: Any = "error",
    threshold: float | str | None = None,
    levels: str | Mapping[Any, Any] | None = None,
    labels: LabelsLike | None = None,
    rules: RulesLike | None = None,
    column: str | None = None,
) -> Consolidated:
    """One level for each item from the scores of several assessors.

    `scheme` is one of

    - ``"majority"``: the score given most often. Where two or more are, `ties` decides:
      ``"zero"`` (level 0, the default), the ``"lower"`` or the ``"higher"`` of them;
    - ``"sum"``, ``"mean"``, ``"median"`` (of an even number, the mean of the two in the middle),
      ``"min"``, ``"max"``;
    - ``"unanimity"``: ugv = gv + p·N·(Dmax − D). gv is the sum, N the number of assessors, D the
      difference of the highest and the lowest score, Dmax the highest possible score
      (`max_score`; else that of the labels or rules, else the highest given) and `p` 0.2.
      With `keep_zero` an item that all scored 0 stays at 0;
    - ``"favourites"``: 1 for what any assessor scored highest in a topic, else 0. The relevant
      items of the judgments `best` are added.

    `missing` says what to do where an assessor did not judge what others did: ``"error"``,
    ``"skip"`` (those who did decide), or the label to assume. Afterwards `threshold` makes what
    reaches it 1 and the rest 0, or `levels` maps scores to levels (``"4=2,3=2,2=1,1=1,0=0"``).
    Numbers may be given as fractions (``"2/3"``).

    `labels`, `rules` and `column` are those of `read_assessments`.

    >>> votes = {"ann": {"q": {"d": 2, "e": 2}}, "bob": {"q": {"d": 1, "e": 2}},
    ...          "cy": {"q": {"d": 1, "e": 0}}}
    >>> aggregate(votes).to_dict()
    {'q': {'d': 1.0, 'e': 2.0}}
    >>> aggregate(votes, "unanimity", max_score=2).to_dict()
    {'q': {'d': 4.6, 'e': 4.0}}
    """
    if scheme not in SCHEMES:
        raise InputError(f"scheme {scheme!r}", f"one of {', '.join(SCHEMES)}")
    given = {"ties": ties, "p": p, "max_score": max_score, "keep_zero": keep_zero, "best": best}
    for setting, its in _SETTINGS.items():
        if given[setting] is not None and given[setting] is not False and scheme != its:
            raise InputError(f"{setting} with the scheme {scheme}", f"the scheme {its}")
    if threshold is not None and levels is not None:
        raise InputError("a threshold and a map of levels", "one of them")
    strength = 0.2 if p is None else read_number(p, f"p {p!r}")
    limit = None if threshold is None else read_number(threshold, f"threshold {threshold!r}")
    read = read_assessments(assessments, labels, rules, column)
    votes, notices = _complete(read, missing)
    notices = [*read.notices, *notices]
    if scheme == "favourites":
        made, more = _favourites(votes, best)
    elif scheme == "majority":
        made, more = _majority(votes, ties or "zero")
    elif scheme == "unanimity":
        top, more = _top(votes, read.top if max_score is None else max_score)
        keep = bool(keep_zero)
        made = _each(votes, lambda scores: unanimity(scores, top, strength, keep))
    else:
        made, more = _each(votes, _SIMPLE[scheme]), []
    if limit is not None:
        made = {t: {d: float(x >= limit - _SMALL) for d, x in ds.items()} for t, ds in made.items()}
    elif levels is not None:
        made = _mapped(made, levels)
    qrels = read_qrels(made)
    return Consolidated(
        qrels.topics, qrels.offsets, qrels.levels, qrels.given, notices=(*notices, *more)
    )


def unanimity(scores: Votes, top: float, p: float = 0.2, keep_zero: bool = False) -> float:
    """The unanimity-aware gain: gv + p·N·(Dmax − D) (Sakai 2017; Eq. 13 of his NTCIR survey).

    >>> unanimity([2, 1, 1], top=2), unanimity([2, 2, 0], top=2), unanimity([0, 0, 0], top=2)
    (4.6, 4.0, 1.2)
    """
    if keep_zero and not any(scores):
        return 0.0
    # As decimals: in binary 0.2 · 3 · 2 would be 1.2000000000000002, which nobody wants to read.
    gv, difference = _decimal(math.fsum(scores)), _decimal(max(scores)) - _decimal(min(scores))
    return float(gv + _decimal(p) * len(scores) * (_decimal(top) - difference))


def _decimal(value: float) -> Fraction:
    return Fraction(repr(float(value)))


def majority(scores: Votes, ties: str = "zero") -> float:
    """The score given most often; `ties` decides where there is more than one.

    >>> majority([2, 1, 1]), majority([2, 1, 0]), majority([2, 2, 1, 1], "lower")
    (1, 0.0, 1)
    """
    most = _most(scores)
    if len(most) == 1:
        return most[0]
    return {"zero": 0.0, "lower": min(most), "higher": max(most)}[ties]


def _most(scores: Votes) -> list[float]:
    counts = Counter(scores)
    highest = max(counts.values())
    return [score for score, count in counts.items() if count == highest]


_SIMPLE: dict[str, Callable[[Votes], float]] = {
    "sum": math.fsum,
    "mean": lambda scores: math.fsum(scores) / len(scores),
    "median": statistics.median,
    "min": min,
    "max": max,
}

_Votes: TypeAlias = dict[str, dict[str, dict[str, float]]]  # topic -> doc -> assessor -> score


def _each(votes: _Votes, consolidate: Callable[[Votes], float]) -> Levels:
    try:
        return {
            topic: {doc: consolidate(list(scores.values())) for doc, scores in docs.items()}
            for topic, docs in votes.items()
        }
    except OverflowError:
        raise InputError("scores too large to be added", "smaller ones") from None


def _complete(read: Assessments, missing: Any) -> tuple[_Votes, list[Notice]]:
    """The votes with what is missing filled in, if it is to be."""
    assumed = None if missing in ("error", "skip") else read.score_of(missing)
    votes: _Votes = {topic: {} for topic in read.votes}
    lacking = []
    for topic, doc, given in read.items():
        votes[topic][doc] = dict(given)
        if len(given) < len(read.assessors):
            absent = [assessor for assessor in read.assessors if assessor not in given]
            who = " and ".join(absent) if len(absent) < 4 else f"{len(absent)} assessors"
            lacking.append(f"{doc} of {topic} not by {who}")
            if assumed is not None:
                votes[topic][doc] |= dict.fromkeys(absent, assumed)
    if not lacking:
        return votes, []
    found = f"{some(lacking, 'item')} not judged by every assessor"
    if missing == "error":
        expected = "all judged by all, or --missing skip, or --missing and the label to assume"
        raise InputError(found, expected)
    done = "left out" if assumed is None else f"taken as {exact(assumed)}"
    return votes, [Notice("missing", f"{found}, missing judgments {done}")]


def _majority(votes: _Votes, ties: str) -> tuple[Levels, list[Notice]]:
    if ties not in TIES:
        raise InputError(f"ties {ties!r}", f"one of {', '.join(TIES)}")
    tied = [
        f"{doc} of {topic}"
        for topic, docs in votes.items()
        for doc, scores in docs.items()
        if len(_most(list(scores.values()))) > 1
    ]
    made = _each(votes, lambda scores: majority(scores, ties))
    level = "level 0" if ties == "zero" else f"the {ties} score"
    text = f"{some(tied, 'item')} without a majority, given {level}"
    return made, [Notice("ties", text)] if tied else []


def _top(votes: _Votes, declared: float | str | None) -> tuple[float, list[Notice]]:
    """The highest score an assessor can give."""
    seen = max(x for docs in votes.values() for scores in docs.values() for x in scores.values())
    if declared is None:
        text = f"the highest possible score is taken to be {exact(seen)}, the highest given"
        return seen, [Notice("max-score", text)]
    top = read_number(declared, f"max_score {declared!r}")
    if seen > top:
        raise InputError(f"score {exact(seen)}", f"at most {exact(top)}")
    return top, []


def _favourites(votes: _Votes, best: QrelsLike | None) -> tuple[Levels, list[Notice]]:
    """What any assessor scored highest in a topic (NTCIR-8 CQA), and the given best items."""
    made: Levels = {}
    alike = []
    for topic, docs in votes.items():
        made[topic] = dict.fromkeys(docs, 0.0)
        for assessor in dict.fromkeys(a for scores in docs.values() for a in scores):
            own = {doc: scores[assessor] for doc, scores in docs.items() if assessor in scores}
            highest = max(own.values())
            made[topic] |= {doc: 1.0 for doc, score in own.items() if score == highest}
            if len(own) > 1 and len(set(own.values())) == 1:
                alike.append(f"{assessor} in {topic}")
    notices = []
    if alike:
        text = f"all items are favourites where an assessor scored all alike: {some(alike, 'case')}"
        notices.append(Notice("favourites", text))
    if best is not None:
        added = []
        for topic, judged in read_qrels(best).to_dict().items():
            for doc in (doc for doc, level in judged.items() if level > 0):
                if doc not in made.setdefault(topic, {}):
                    added.append(f"{doc} of {topic}")
                made[topic][doc] = 1.0
        if added:
            text = f"best items that nobody assessed are added: {some(added, 'item')}"
            notices.append(Notice("best", text))
    return {topic: docs for topic, docs in made.items() if docs}, notices


def _mapped(made: Levels, levels: str | Mapping[Any, Any]) -> Levels:
    """Scores turned into levels by a table that must have all of them."""
    known = [(read_number(score), level) for score, level in read_labels(levels).items()]

    def level_of(score: float, topic: str, doc: str) -> float:
        for known_score, level in known:
            if abs(known_score - score) <= _SMALL:
                return level
        found = f"score {exact(score)} for document {doc} of topic {topic}"
        raise InputError(found, f"one of {', '.join(exact(s) for s, _ in known)} in the map")

    return {t: {d: level_of(x, t, d) for d, x in docs.items()} for t, docs in made.items()}
