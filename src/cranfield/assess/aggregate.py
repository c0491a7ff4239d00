"""From several assessors' scores to one level for each item."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias

from cranfield.assess.assessments import Assessments, exact, read_assessments
from cranfield.assess.rules import RulesLike
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike, read_labels, read_number
from cranfield.data.tracks import TopicsLike
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, brief, is_one_of
from cranfield.scores import Notice
from cranfield.shown import Shown
from cranfield.wording import counted, option, some, suggests_keywords

Votes: TypeAlias = Sequence[float]
Levels: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level

TIES = ("zero", "lower", "higher")
_SMALL = 1e-9  # (1 + 2/3 + 1/3)/3 must reach a threshold of 2/3, however floats round


@dataclass(frozen=True, eq=False, repr=False)
class Consolidated(Qrels, Shown, tables="qrels"):  # type: ignore[misc]  # to_dict is Qrels'
    """Judgments that several assessors made together, and what the user should know of it."""

    notices: tuple[Notice, ...] = ()


@suggests_keywords
def aggregate(
    assessments: Any,
    scheme: str = "median",
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
    columns: ColumnsLike | None = None,
    topics: TopicsLike = "judged",
) -> Consolidated:
    """One level for each item from the scores of several assessors.

    `scheme` is one of

    - ``"median"``: the score in the middle, the lower of the two for an even number;
    - ``"majority"``: the score given most often. If there are several, `ties` decides: ``"zero"``
      (level 0, the default: NTCIR's rule), the ``"lower"`` or the ``"higher"`` of them;
    - ``"mean"``, ``"min"``, ``"max"``, or ``"sum"``, which needs equally many labels for each item;
    - ``"unanimity"``: ugv = gv + p·N·(Dmax − D). gv is the sum, N the number of assessors, D the
      difference of the highest and the lowest score, Dmax the highest possible score
      (`max_score`; else that of the labels or rules, else the highest given) and `p` 0.2.
      Each item needs equally many labels.
      With `keep_zero` an item that all scored 0 stays at 0;
    - ``"favourites"``: 1 for what any assessor scored highest in a topic, else 0. The relevant
      items of the judgments `best` are added.

    `missing` says what to do where an assessor did not judge what others did: ``"error"``,
    ``"skip"`` (those who did decide), or the label to assume. Afterwards `threshold` makes what
    reaches it 1 and the rest 0, or `levels` maps scores to levels (``"4=2,3=2,2=1,1=1,0=0"``).
    Numbers may be given as fractions (``"2/3"``).

    `labels`, `rules`, `column` and `columns` are those of `read_assessments`. `topics` are all of
    them (``"judged"``), those in which everybody judged something (``"common"``), or those named:
    a list, ``"101,102"``, a path or ``"@FILE"``.

    >>> votes = {"ann": {"q": {"d": 2, "e": 2}}, "bob": {"q": {"d": 1, "e": 2}},
    ...          "cy": {"q": {"d": 1, "e": 0}}}
    >>> aggregate(votes).to_dict()
    {'q': {'d': 1.0, 'e': 2.0}}
    >>> print(*(notice.text for notice in aggregate(votes).notices), sep="\\n")
    labels differ in 2 of 2 items, given the median
    labels per item: 3 for 2 items
    >>> aggregate(votes, "unanimity", max_score=2).to_dict()
    {'q': {'d': 4.6, 'e': 4.0}}
    """
    if not is_one_of(scheme, SCHEMES):
        raise InputError(f"scheme {brief(scheme)}", f"one of {', '.join(SCHEMES)}")
    settings = _of_scheme(
        scheme, ties=ties, p=p, max_score=max_score, keep_zero=keep_zero, best=best
    )
    if threshold is not None and levels is not None:
        raise InputError("a threshold and a map of levels", "one of them")
    limit = None if threshold is None else read_number(threshold, f"threshold {threshold!r}")
    read = read_assessments(assessments, labels, rules, column, columns).of_topics(topics)
    votes, notices = _complete(read, missing)
    if _SCHEMES[scheme].adds:
        _refuse_unequal(votes, scheme)
    if scheme == "unanimity":
        settings.setdefault("max_score", read.top)
    made, more = _SCHEMES[scheme].consolidate(votes, **settings)
    if limit is not None:
        made = {t: {d: float(x >= limit - _SMALL) for d, x in ds.items()} for t, ds in made.items()}
    elif levels is not None:
        made = _mapped(made, levels)
    qrels = read_qrels(made)
    counts = Counter(len(given) for _, _, given in read.items())
    counted_labels = Notice("labels", f"labels per item: {_count_items(counts)}")
    told = (*read.notices, *notices, *more, counted_labels)
    return Consolidated(qrels.topics, qrels.offsets, qrels.levels, qrels.given, notices=told)


def _of_scheme(scheme: str, **given: Any) -> dict[str, Any]:
    """The settings that were given, all of them the scheme's own."""
    settings = {name: x for name, x in given.items() if x is not None and x is not False}
    for its, known in _SCHEMES.items():
        for setting in known.settings:
            if setting in settings and scheme != its:
                raise InputError(f"{setting} with the scheme {scheme}", f"the scheme {its}")
    if "p" in settings:
        settings["p"] = read_number(settings["p"], f"p {settings['p']!r}")
    return settings


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
    most = statistics.multimode(scores)
    if len(most) == 1:
        return most[0]
    return {"zero": 0.0, "lower": min(most), "higher": max(most)}[ties]


_Votes: TypeAlias = dict[str, dict[str, dict[str, float]]]  # topic -> doc -> assessor -> score
_Made: TypeAlias = tuple[Levels, Sequence[Notice]]


def _each(votes: _Votes, consolidate: Callable[[Votes], float], *notices: Notice) -> _Made:
    """Every item by itself; what is made of the same scores is the same."""
    made = cache(consolidate)
    try:
        levels = {
            topic: {doc: made(tuple(scores.values())) for doc, scores in docs.items()}
            for topic, docs in votes.items()
        }
    except OverflowError:
        raise InputError("scores too large to be added", "smaller ones") from None
    return levels, notices


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
        expected = (
            "all judged by all, or --unlabelled skip, or --unlabelled and the label to assume"
        )
        raise InputError(found, expected)
    done = "left out" if assumed is None else f"taken as {exact(assumed)}"
    return votes, [Notice("missing", f"{found}, missing judgments {done}")]


def _count_items(counts: Mapping[int, int]) -> str:
    """Return how many items have how many labels: 2 for 1 item, 3 for 4 items."""
    return ", ".join(f"{n} for {counted(counts[n], 'item')}" for n in sorted(counts))


def _refuse_unequal(votes: _Votes, scheme: str) -> None:
    """Raise an error if items have different numbers of labels, because sums depend on them."""
    counts = Counter(len(scores) for docs in votes.values() for scores in docs.values())
    if len(counts) > 1:
        problem = f"{scheme}: items have different numbers of labels ({_count_items(counts)})"
        mean = option("--scheme mean", 'scheme="mean"')
        label = option("--unlabelled LABEL", "missing=LABEL")
        raise InputError.problem(problem, f"Use {mean}, or {label} for missing labels")


# -- the schemes: from votes to levels, and what the user should know -----------------------------


def _median(votes: _Votes) -> _Made:
    """The label in the middle; the lower of the two if their number is even."""
    items = [
        (f"{doc} of {topic}", sorted(scores.values()))
        for topic, docs in votes.items()
        for doc, scores in docs.items()
    ]
    differ = sum(scores[0] != scores[-1] for _, scores in items)
    lower = [name for name, x in items if x[(len(x) - 1) // 2] != x[len(x) // 2]]
    text = f"labels differ in {differ} of {counted(len(items), 'item')}, given the median"
    text += f"; {some(lower, 'item')} given the lower of two medians" if lower else ""
    notices = [Notice("median", text)] if differ else []
    return _each(votes, statistics.median_low, *notices)


def _majority(votes: _Votes, ties: str = "zero") -> _Made:
    if ties not in TIES:
        raise InputError(f"ties {ties!r}", f"one of {', '.join(TIES)}")
    are_tied = cache(lambda scores: len(statistics.multimode(scores)) > 1)
    tied = [
        f"{doc} of {topic}"
        for topic, docs in votes.items()
        for doc, scores in docs.items()
        if are_tied(tuple(scores.values()))
    ]
    level = "level 0" if ties == "zero" else f"the {ties} score"
    text = f"{some(tied, 'item')} without a majority, given {level}"
    notices = [Notice("ties", text)] if tied else []
    return _each(votes, lambda scores: majority(scores, ties), *notices)


def _unanimity(
    votes: _Votes, p: float = 0.2, max_score: Any = None, keep_zero: bool = False
) -> _Made:
    seen = max(x for docs in votes.values() for scores in docs.values() for x in scores.values())
    text = f"the highest possible score is taken to be {exact(seen)}, the highest given"
    notices = [Notice("max-score", text)] if max_score is None else []
    top = seen if max_score is None else read_number(max_score, f"max_score {max_score!r}")
    if seen > top:
        raise InputError(f"score {exact(seen)}", f"at most {exact(top)}")
    return _each(votes, lambda scores: unanimity(scores, top, p, keep_zero), *notices)


def _favourites(votes: _Votes, best: QrelsLike | None = None) -> _Made:
    """What any assessor scored highest in a topic (NTCIR-8 CQA), and the given best items."""
    made: Levels = {topic: dict.fromkeys(docs, 0.0) for topic, docs in votes.items()}
    alike = []
    for topic, assessor, own in _by_assessor(votes):
        highest = max(own.values())
        made[topic] |= {doc: 1.0 for doc, score in own.items() if score == highest}
        if len(own) > 1 and len(set(own.values())) == 1:
            alike.append(f"{assessor} in {topic}")
    notices = []
    if alike:
        text = f"all items are favourites where an assessor scored all alike: {some(alike, 'case')}"
        notices.append(Notice("favourites", text))
    if best is not None and (added := _add_best(made, read_qrels(best))):
        text = f"best items that nobody assessed are added: {some(added, 'item')}"
        notices.append(Notice("best", text))
    return {topic: docs for topic, docs in made.items() if docs}, notices


def _add_best(made: Levels, best: Qrels) -> list[str]:
    """Make what is relevant there a favourite; returns what nobody assessed."""
    added = []
    for topic, judged in best.to_dict().items():
        docs = made.setdefault(topic, {})
        relevant = [doc for doc, level in judged.items() if level > 0]
        added += [f"{doc} of {topic}" for doc in relevant if doc not in docs]
        docs |= dict.fromkeys(relevant, 1.0)
    return added


def _by_assessor(votes: _Votes) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Each topic and assessor, with the scores of what that assessor judged there."""
    for topic, docs in votes.items():
        for assessor in dict.fromkeys(a for scores in docs.values() for a in scores):
            own = {doc: scores[assessor] for doc, scores in docs.items() if assessor in scores}
            yield topic, assessor, own


class _Scheme(NamedTuple):
    consolidate: Callable[..., _Made]
    settings: tuple[str, ...] = ()  # which no other scheme takes
    adds: bool = False  # whether levels grow with the number of labels


_SCHEMES = {
    "median": _Scheme(_median),
    "majority": _Scheme(_majority, ("ties",)),
    "sum": _Scheme(partial(_each, consolidate=math.fsum), adds=True),
    "mean": _Scheme(partial(_each, consolidate=lambda scores: math.fsum(scores) / len(scores))),
    "min": _Scheme(partial(_each, consolidate=min)),
    "max": _Scheme(partial(_each, consolidate=max)),
    "unanimity": _Scheme(_unanimity, ("p", "max_score", "keep_zero"), adds=True),
    "favourites": _Scheme(_favourites, ("best",)),
}
SCHEMES = tuple(_SCHEMES)


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
