"""Aggregate the scores of several assessors to one level per item."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from cranfield.assess.assessments import Assessments, format_exact, read_assessments
from cranfield.assess.rules import RulesLike
from cranfield.data.names import check_word
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike, read_labels, read_number
from cranfield.data.tracks import TopicsLike
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, describe_value, is_one_of
from cranfield.scores import Note
from cranfield.tables import ResultTable, bind_rows, drop_zero_fraction
from cranfield.wording import format_count, format_names, format_option, suggest_keywords

Votes: TypeAlias = Sequence[float]
Levels: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level

TEXT = ("trec", "ntcir")  # text formats of qrels
TIES = ("zero", "lower", "higher")
_SMALL = 1e-9  # (1 + 2/3 + 1/3)/3 must reach a threshold of 2/3, however floats round


@dataclass(frozen=True, eq=False, repr=False)
class Consolidated(Qrels, TableResult):  # type: ignore[misc]  # to_dict is Qrels'
    """Judgments aggregated from several assessors, with notes."""

    notes: tuple[Note, ...] = ()

    def _build_tables(self) -> list[ResultTable]:
        column = bind_rows(_list_rows(self.to_dict()))
        keys = [column(name, itemgetter(i), key=True) for i, name in enumerate(("topic", "doc"))]
        return [ResultTable("judgments", [*keys, column("level", itemgetter(2))])]

    def _build_document(self) -> dict[str, Any]:
        return {
            topic: {doc: drop_zero_fraction(level) for doc, level in docs.items()}
            for topic, docs in self.to_dict().items()
        }


@suggest_keywords
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
    """Aggregate the scores of several assessors to one level per item.

    `scheme` is one of

    - ``"median"``: the median score, the lower of two for an even number,
    - ``"majority"``: the most frequent score; if several are equally frequent, `ties` is ``"zero"``
      (level 0, the default: NTCIR's rule), ``"lower"`` or ``"higher"``,
    - ``"mean"``, ``"min"``, ``"max"`` or ``"sum"``, which needs equally many labels for each item,
    - ``"unanimity"``: ugv = gv + p·N·(Dmax − D). gv is the sum, N the number of assessors, D the
      difference of the highest and the lowest score, Dmax the highest possible score
      (`max_score`; default: from the labels or rules, else the highest given) and `p` 0.2. Each
      item
      needs equally many labels. With `keep_zero`, an item with all scores 0 stays at 0,
    - ``"favourites"``: 1 for the item that an assessor scored highest in a topic, else 0. The
      relevant
      items of the judgments `best` are added.

    `missing` handles items that an assessor did not judge: ``"error"``, ``"skip"`` (aggregate the
    labels that exist) or the label to assume. Afterwards `threshold` maps scores to 1 (at or above
    it) and 0, or `levels` maps scores to levels (``"4=2,3=2,2=1,1=1,0=0"``). Numbers can be
    fractions (``"2/3"``).

    `labels`, `rules`, `column` and `columns` are those of `read_assessments`. `topics` are all
    topics (``"judged"``), the topics with a judgment by every assessor (``"common"``), or a
    selection: a list, ``"101,102"``, a path or ``"@FILE"``.

    >>> votes = {"ann": {"q": {"d": 2, "e": 2}}, "bob": {"q": {"d": 1, "e": 2}},
    ...          "cy": {"q": {"d": 1, "e": 0}}}
    >>> aggregate(votes).to_dict()
    {'q': {'d': 1.0, 'e': 2.0}}
    >>> print(*(notice.text for notice in aggregate(votes).notes), sep="\\n")
    labels differ in 2 of 2 items, median used
    labels per item: 3 for 2 items
    >>> aggregate(votes, "unanimity", max_score=2).to_dict()
    {'q': {'d': 4.6, 'e': 4.0}}
    """
    if not is_one_of(scheme, SCHEMES):
        problem = f"unknown scheme {describe_value(scheme)}"
        raise InputError.from_problem(problem, f"Valid: {', '.join(SCHEMES)}")
    settings = _check_settings(scheme, ties=ties, p=p, max_score=max_score, keep_zero=keep_zero, best=best)
    if threshold is not None and levels is not None:
        raise InputError.from_problem("use either threshold or levels, not both")
    limit = None if threshold is None else read_number(threshold, f"threshold {threshold!r}")
    table = read_assessments(assessments, labels, rules, column, columns).select_topics(topics)
    votes, notes = _fill_missing(table, missing)
    if _SCHEMES[scheme].adds:
        _check_equal_counts(votes, scheme)
    if scheme == "unanimity":
        settings.setdefault("max_score", table.top)
    consolidated, scheme_notes = _SCHEMES[scheme].consolidate(votes, **settings)
    if limit is not None:
        consolidated = {t: {d: float(x >= limit - _SMALL) for d, x in ds.items()} for t, ds in consolidated.items()}
    elif levels is not None:
        consolidated = _map_levels(consolidated, levels)
    qrels = read_qrels(consolidated)
    counts = Counter(len(scores) for _, _, scores in table.items())
    counted_labels = Note("labels", f"labels per item: {_count_items(counts)}")
    all_notes = (*table.notes, *notes, *scheme_notes, counted_labels)
    return Consolidated(qrels.topics, qrels.offsets, qrels.levels, qrels.raw_docs, notes=all_notes)


def _check_settings(scheme: str, **values: Any) -> dict[str, Any]:
    """Return the given settings. Raise InputError for a setting of another scheme."""
    settings = {name: x for name, x in values.items() if x is not None and x is not False}
    for owner, row in _SCHEMES.items():
        for setting in row.settings:
            if setting in settings and scheme != owner:
                raise InputError.from_problem(f"{setting} requires the scheme {owner}")
    if "p" in settings:
        settings["p"] = read_number(settings["p"], f"p {settings['p']!r}")
    return settings


def unanimity(scores: Votes, top: float, p: float = 0.2, keep_zero: bool = False) -> float:
    """Return gv + p·N·(Dmax − D) (Sakai 2017; Eq. 13 of his NTCIR survey).

    >>> unanimity([2, 1, 1], top=2), unanimity([2, 2, 0], top=2), unanimity([0, 0, 0], top=2)
    (4.6, 4.0, 1.2)
    """
    if keep_zero and not any(scores):
        return 0.0
    # As decimals, because in binary 0.2 · 3 · 2 is 1.2000000000000002.
    gv, difference = (_to_fraction(math.fsum(scores)), _to_fraction(max(scores)) - _to_fraction(min(scores)))
    return float(gv + _to_fraction(p) * len(scores) * (_to_fraction(top) - difference))


def _to_fraction(value: float) -> Fraction:
    return Fraction(repr(float(value)))


def majority(scores: Votes, ties: str = "zero") -> float:
    """Return the most frequent score. `ties` selects one of several.

    >>> majority([2, 1, 1]), majority([2, 1, 0]), majority([2, 2, 1, 1], "lower")
    (1, 0.0, 1)
    """
    modes = statistics.multimode(scores)
    if len(modes) == 1:
        return modes[0]
    return {"zero": 0.0, "lower": min(modes), "higher": max(modes)}[ties]


_Votes: TypeAlias = dict[str, dict[str, dict[str, float]]]  # topic -> doc -> assessor -> score
_Consolidation: TypeAlias = tuple[Levels, Sequence[Note]]


def _consolidate_items(votes: _Votes, consolidate: Callable[[Votes], float], *notes: Note) -> _Consolidation:
    """Aggregate each item. Results are cached by scores."""
    compute_level = cache(consolidate)
    try:
        levels = {
            topic: {doc: compute_level(tuple(scores.values())) for doc, scores in docs.items()}
            for topic, docs in votes.items()
        }
    except OverflowError:
        raise InputError.from_problem("scores are too large to be summed") from None
    return levels, notes


def _fill_missing(assessments: Assessments, missing: Any) -> tuple[_Votes, list[Note]]:
    """Return the votes with missing judgments filled in, and a note."""
    assumed = None if missing in ("error", "skip") else assessments.get_score(missing)
    votes: _Votes = {topic: {} for topic in assessments.votes}
    gaps = []
    for topic, doc, scores in assessments.items():
        votes[topic][doc] = dict(scores)
        if len(scores) < len(assessments.assessors):
            absent = [assessor for assessor in assessments.assessors if assessor not in scores]
            names = " and ".join(absent) if len(absent) < 4 else f"{len(absent)} assessors"
            gaps.append(f"{doc} of {topic} not by {names}")
            if assumed is not None:
                votes[topic][doc] |= dict.fromkeys(absent, assumed)
    if not gaps:
        return votes, []
    problem = f"{format_names(gaps, 'item')} not judged by every assessor"
    if missing == "error":
        skip = format_option("--unlabelled skip", 'missing="skip"')
        label = format_option("--unlabelled LABEL", "missing=LABEL")
        raise InputError.from_problem(problem, f"Use {skip} or {label}")
    treatment = "skipped" if assumed is None else f"set to {format_exact(assumed)}"
    return votes, [Note("missing", f"{problem}, missing judgments {treatment}")]


def _count_items(counts: Mapping[int, int]) -> str:
    """Format counts of items by number of labels: 2 for 1 item, 3 for 4 items."""
    return ", ".join(f"{n} for {format_count(counts[n], 'item')}" for n in sorted(counts))


def _check_equal_counts(votes: _Votes, scheme: str) -> None:
    """Raise InputError if items have different numbers of labels."""
    counts = Counter(len(scores) for docs in votes.values() for scores in docs.values())
    if len(counts) > 1:
        problem = f"{scheme}: items have different numbers of labels ({_count_items(counts)})"
        mean = format_option("--scheme mean", 'scheme="mean"')
        label = format_option("--unlabelled LABEL", "missing=LABEL")
        raise InputError.from_problem(problem, f"Use {mean}, or {label} for missing labels")


# -- schemes: from votes to levels and notes ------------------------------------------------------


def _consolidate_median(votes: _Votes) -> _Consolidation:
    """Use the median, the lower of two medians if their number is even."""
    items = [
        (f"{doc} of {topic}", sorted(scores.values())) for topic, docs in votes.items() for doc, scores in docs.items()
    ]
    differ = sum(scores[0] != scores[-1] for _, scores in items)
    lower = [name for name, x in items if x[(len(x) - 1) // 2] != x[len(x) // 2]]
    text = f"labels differ in {differ} of {format_count(len(items), 'item')}, median used"
    text += f", the lower of two medians for {format_names(lower, 'item')}" if lower else ""
    notes = [Note("median", text)] if differ else []
    return _consolidate_items(votes, statistics.median_low, *notes)


def _consolidate_majority(votes: _Votes, ties: str = "zero") -> _Consolidation:
    if ties not in TIES:
        raise InputError.from_problem(f"unknown ties {ties!r}", f"Valid: {', '.join(TIES)}")
    are_tied = cache(lambda scores: len(statistics.multimode(scores)) > 1)
    tied = [
        f"{doc} of {topic}"
        for topic, docs in votes.items()
        for doc, scores in docs.items()
        if are_tied(tuple(scores.values()))
    ]
    level = "level 0" if ties == "zero" else f"the {ties} score"
    text = f"{format_names(tied, 'item')} without a majority, set to {level}"
    notes = [Note("ties", text)] if tied else []
    return _consolidate_items(votes, lambda scores: majority(scores, ties), *notes)


def _consolidate_unanimity(
    votes: _Votes, p: float = 0.2, max_score: Any = None, keep_zero: bool = False
) -> _Consolidation:
    highest = max(x for docs in votes.values() for scores in docs.values() for x in scores.values())
    text = f"highest possible score set to {format_exact(highest)}, the highest given"
    notes = [Note("max-score", text)] if max_score is None else []
    top = highest if max_score is None else read_number(max_score, f"max_score {max_score!r}")
    if highest > top:
        problem = f"score {format_exact(highest)} is above max_score {format_exact(top)}"
        raise InputError.from_problem(problem)
    return _consolidate_items(votes, lambda scores: unanimity(scores, top, p, keep_zero), *notes)


def _consolidate_favourites(votes: _Votes, best: QrelsLike | None = None) -> _Consolidation:
    """Use the items scored highest by an assessor (NTCIR-8 CQA), and `best`."""
    levels: Levels = {topic: dict.fromkeys(docs, 0.0) for topic, docs in votes.items()}
    equal_cases = []
    for topic, assessor, scores in _iter_assessors(votes):
        highest = max(scores.values())
        levels[topic] |= {doc: 1.0 for doc, score in scores.items() if score == highest}
        if len(scores) > 1 and len(set(scores.values())) == 1:
            equal_cases.append(f"{assessor} in {topic}")
    notes = []
    if equal_cases:
        cases = format_names(equal_cases, "case")
        text = f"all items are favourites if an assessor gave them equal scores: {cases}"
        notes.append(Note("favourites", text))
    if best is not None and (added := _add_best(levels, read_qrels(best))):
        text = f"best items without assessments added: {format_names(added, 'item')}"
        notes.append(Note("best", text))
    return {topic: docs for topic, docs in levels.items() if docs}, notes


def _add_best(levels: Levels, best: Qrels) -> list[str]:
    """Set relevant items of `best` to 1, and return the ones without assessments."""
    added = []
    for topic, judged in best.to_dict().items():
        docs = levels.setdefault(topic, {})
        relevant = [doc for doc, level in judged.items() if level > 0]
        added += [f"{doc} of {topic}" for doc in relevant if doc not in docs]
        docs |= dict.fromkeys(relevant, 1.0)
    return added


def _iter_assessors(votes: _Votes) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield each topic and assessor with the assessor's scores there."""
    for topic, docs in votes.items():
        for assessor in dict.fromkeys(a for scores in docs.values() for a in scores):
            own_scores = {doc: scores[assessor] for doc, scores in docs.items() if assessor in scores}
            yield topic, assessor, own_scores


class _Scheme(NamedTuple):
    consolidate: Callable[..., _Consolidation]
    settings: tuple[str, ...] = ()  # not valid for other schemes
    adds: bool = False  # levels grow with the number of labels


_SCHEMES = {
    "median": _Scheme(_consolidate_median),
    "majority": _Scheme(_consolidate_majority, ("ties",)),
    "sum": _Scheme(partial(_consolidate_items, consolidate=math.fsum), adds=True),
    "mean": _Scheme(partial(_consolidate_items, consolidate=lambda scores: math.fsum(scores) / len(scores))),
    "min": _Scheme(partial(_consolidate_items, consolidate=min)),
    "max": _Scheme(partial(_consolidate_items, consolidate=max)),
    "unanimity": _Scheme(_consolidate_unanimity, ("p", "max_score", "keep_zero"), adds=True),
    "favourites": _Scheme(_consolidate_favourites, ("best",)),
}
SCHEMES = tuple(_SCHEMES)


def _map_levels(scores: Levels, levels: str | Mapping[Any, Any]) -> Levels:
    """Map scores to levels. Raise InputError for a score that is not in the map."""
    pairs = [(read_number(score), level) for score, level in read_labels(levels).items()]

    def find_level(score: float, topic: str, doc: str) -> float:
        for known_score, level in pairs:
            if abs(known_score - score) <= _SMALL:
                return level
        problem = f"score {format_exact(score)} for document {doc} of topic {topic}"
        raise InputError(problem, f"one of {', '.join(format_exact(s) for s, _ in pairs)} in the map")

    return {t: {d: find_level(x, t, d) for d, x in docs.items()} for t, docs in scores.items()}


# -- text formats ---------------------------------------------------------------------------------


def _list_rows(judged: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float | int]]:
    return [(t, d, drop_zero_fraction(level)) for t, docs in judged.items() for d, level in docs.items()]


def format_qrels(judged: Mapping[str, Mapping[str, float]], format: str = "trec") -> str:
    r"""Format judgments ``{topic: {doc: level}}`` as text, with exact levels.

    >>> format_qrels({"301": {"d1": 2.0, "d2": 4.6}})
    '301 0 d1 2\n301 0 d2 4.6\n'
    """
    rows = _list_rows(judged)
    if format == "ntcir":
        return "".join(f"{check_word(t, True)} {check_word(d)} L{_check_level(x, t, d)}\n" for t, d, x in rows)
    return "".join(f"{check_word(t, True)} 0 {check_word(d)} {level}\n" for t, d, level in rows)


def _check_level(level: float | int, topic: str, doc: str) -> int:
    if isinstance(level, float) or level < 0:
        problem = f"level {level!r} for document {doc} of topic {topic}"
        raise InputError(problem, "integer levels ≥ 0 for the NTCIR format. Use trec or csv for other levels.")
    return level
