"""Sessions: several queries for one information need, scored by lists or clicks.

The lists of a session are concatenated in time order. The strings that a user read form a
trailtext. The equations are then those of one list: discounts by rank, or by text read.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Gold, Lengths, Lists, NeedsMore, ratio, sum_above, total
from cranfield.measures.parameters import GainSetting, gain_param, is_number, param, rel_param
from cranfield.measures.reading import U

DEEPEST = 1_000_000  # lowest rank of a click, also when logs are read

# -- inputs ---------------------------------------------------------------------------------------


class SessionRankings(NamedTuple):
    """The ranked lists of one session, one for each query."""

    levels: Sequence[Sequence[float]]  # of the documents, NaN if unjudged
    docs: Sequence[Sequence[Any]]  # ids: lists can have documents in common
    lengths: Sequence[Sequence[float]] | None = None  # NaN if unknown
    clicked: Sequence[int] | None = None  # the lowest clicked rank in each list, 0 for none

    @property
    def sizes(self) -> list[int]:
        """Lengths of the lists."""
        return [len(levels) for levels in self.levels]

    def list_queries(self) -> list[int]:
        """Return the query number of each listed document, in time order."""
        return [query for query, n in enumerate(self.sizes, 1) for _ in range(n)]

    def list_ranks(self) -> Iterable[int]:
        """Return the rank of each document in the list of its query."""
        return chain.from_iterable(range(1, n + 1) for n in self.sizes)

    def list_items(self) -> list[int]:
        """Return a number for each document. Equal numbers mean the same document."""
        docs = list(chain.from_iterable(self.docs))
        number = {doc: i for i, doc in enumerate(dict.fromkeys(docs))}
        return [number[doc] for doc in docs]

    def list_lowest_clicks(self) -> list[int]:
        """Return the lowest clicked rank in the list of each document's query."""
        return [(self.clicked or ())[query - 1] for query in self.list_queries()]


@dataclass(frozen=True, eq=False)
class SessionLists:
    """A block of sessions: a row each, with all listed documents in time order.

    Past the end of a session the query is 0.
    """

    query: Ints  # the number of the query that listed the document
    rank: Ints  # in the list of that query
    item: Ints  # document number: equal within a session for the same document
    level: Floats  # NaN if it is unjudged
    gold: Gold
    queries: Ints  # number of queries of each session
    length: Floats | None = None
    clicked: Ints | None = None  # the lowest clicked rank in the list of that query

    @classmethod
    def from_sessions(cls, sessions: Sequence[SessionRankings], gold: Gold) -> SessionLists:
        """Build a block from sessions and the judgments of each."""
        length = clicked = None
        if all(s.lengths is not None for s in sessions):
            length = _pad((chain.from_iterable(s.lengths or ()) for s in sessions), math.nan)
        if all(s.clicked is not None for s in sessions):
            clicked = _pad_integers(s.list_lowest_clicks() for s in sessions)
        return cls(
            _pad_integers(s.list_queries() for s in sessions),
            _pad_integers(s.list_ranks() for s in sessions),
            _pad_integers(s.list_items() for s in sessions),
            _pad((chain.from_iterable(s.levels) for s in sessions), math.nan),
            gold,
            np.array([len(s.levels) for s in sessions], dtype=np.int64),
            length,
            clicked,
        )

    def mark_read(self, l: int | None, clicks: bool = False) -> Bools:
        """Mark the first l documents of each list, or those up to its lowest click."""
        is_read = self.query > 0
        if l is not None:
            is_read &= self.rank <= l
        if clicks:
            if self.clicked is None:
                raise NeedsMore("requires clicks. Use clicks= or --clicks LOG")
            is_read &= self.rank <= self.clicked
        return is_read

    def mark_new(self, is_read: Bools) -> Bools:
        """Mark the documents that were not read before in the session."""
        item = np.where(is_read, self.item, -1)
        order = np.argsort(item, axis=1, kind="stable")
        by_item = np.take_along_axis(item, order, axis=1)
        is_repeated = np.zeros(item.shape, dtype=bool)
        is_repeated[:, 1:] = by_item[:, 1:] == by_item[:, :-1]
        is_duplicate = np.zeros(item.shape, dtype=bool)
        np.put_along_axis(is_duplicate, order, is_repeated, axis=1)
        return is_read & ~is_duplicate

    def concatenate(self, is_read: Bools, is_counted: Bools) -> ConcatenatedLists:
        """Concatenate what was read. Documents that do not count only occupy a rank."""
        hit = is_counted & ~np.isnan(self.level)
        order = np.argsort(~hit, axis=1, kind="stable")[:, : int(hit.sum(axis=1).max(initial=0))]
        n = is_read.sum(axis=1)
        judged = np.take_along_axis(hit, order, axis=1)

        def take(values: Any, padding: Any) -> Any:
            return np.where(judged, np.take_along_axis(values, order, axis=1), padding)

        lengths = {}
        if self.length is not None:
            item_lengths = np.nan_to_num(self.length)
            lengths[U.length_unit] = Lengths(take(item_lengths, 0.0), take(sum_above(item_lengths * is_read), 0.0))
        lists = Lists(
            take(np.cumsum(is_read, axis=1), n[:, None] + 1),
            take(self.level, 0.0),
            judged,
            n,
            self.gold,
            lengths=lengths,
        )
        return ConcatenatedLists(lists, take(self.query, 1), take(self.rank, 1))


def _pad(rows: Iterable[Iterable[float]], filling: float) -> Floats:
    """Pad rows of different lengths to a matrix."""
    cells = [list(row) for row in rows]
    matrix = np.full((len(cells), max(map(len, cells), default=0)), filling, dtype=float)
    for line, row in zip(matrix, cells, strict=True):
        line[: len(row)] = row
    return matrix


def _pad_integers(rows: Iterable[Iterable[float]]) -> Ints:
    return _pad(rows, 0).astype(np.int64)


class ConcatenatedLists(NamedTuple):
    """The concatenated list of each session, and the origin of its judged items."""

    lists: Lists
    query: Ints
    rank: Ints  # in the list of that query


def build_gold(judged: Sequence[Sequence[float]], max_level: float, is_complete: bool = True) -> Gold:
    """Return the judged levels of each session, highest first."""
    levels = _pad((sorted(x, reverse=True) for x in judged), 0.0)
    filled = np.arange(levels.shape[1]) < np.array([len(x) for x in judged])[:, None]
    return Gold(levels, filled, max_level, is_complete=is_complete)


@dataclass(frozen=True, eq=False)
class Clicks:
    """The clicks of one session in time order."""

    query: Ints
    rank: Ints
    length: Floats  # of the document, in characters
    level: Floats  # 1 for each click by default
    max_level: float = 1.0  # the highest possible level

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[float]], max_level: float = 1.0) -> Clicks:
        """Build clicks from (query, rank, length) or (query, rank, length, level)."""
        query, rank, length = (np.array([row[i] for row in rows], dtype=float) for i in range(3))
        level = np.array([row[3] if len(row) > 3 else 1.0 for row in rows], dtype=float)
        return cls(query.astype(np.int64), rank.astype(np.int64), length, level, max_level)


@dataclass(frozen=True, eq=False)
class Trail:
    """A trailtext: the strings that were read in a session, in order."""

    is_document: Bools  # else it is a snippet
    query: Ints
    rank: Ints
    length: Floats  # characters read
    gain: Floats
    L: float

    @cached_property
    def offset(self) -> Floats:
        """pos: the end of each string."""
        return np.cumsum(self.length)

    @cached_property
    def decay(self) -> Floats:
        """D(pos) = max(0, 1 − pos/L)."""
        return np.maximum(0.0, 1.0 - self.offset / self.L)

    @cached_property
    def contribution(self) -> Floats:
        """g(pos)·D(pos)."""
        return self.gain * self.decay


def _sum_trails(trails: Sequence[Trail], norm: float) -> Floats:
    """Return U (Sakai 2014, equation 19) of each trailtext."""
    sums = [float(total(trail.contribution[None, :])[0]) for trail in trails]
    return np.array(sums, dtype=np.float64) / norm


# -- measures -------------------------------------------------------------------------------------


class SessionMeasure(Measure):
    """A measure of the ranked lists of a session."""

    takes = "sessions"
    cutoff_meaning = "use only the top k ranks of each list"
    duplicates: str = param(
        "drop", "documents already in an earlier list: drop (only the first counts) or keep", choices=("drop", "keep")
    )

    @property
    def last_rank(self) -> int | None:
        """None: the cutoff applies to each list, not to the concatenated list."""
        return None

    def score(self, x: Any) -> Floats:
        """Return one score per session, from `SessionLists`."""
        return super().score(x)

    def __call__(  # type: ignore[override]
        self, levels: Any, judged: Any = None, *, docs: Any = None, lengths: Any = None, clicks: Any = None
    ) -> float:
        """Return the score of one session from the levels of each list, in time order.

        None is an unjudged document. `judged` contains all judged levels of the topic. `docs` are
        the ids of the documents, in lists like `levels`, if the lists have documents in common.
        `lengths` are their lengths in characters. `clicks` are the lowest clicked ranks in each
        list, 0 for no click.
        """
        try:
            session = _read_session(levels, docs, lengths, clicks)
            judged_levels = _read_judged(judged, session)
            highest = max((x for x in judged_levels if not math.isnan(x)), default=0.0)
            block = SessionLists.from_sessions([session], build_gold([judged_levels], highest, judged is not None))
            return float(self.score(block)[0])
        except NeedsMore as missing:
            raise CranfieldError(f"{self} {missing}") from None
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None


@measure
class sDCG(SessionMeasure):
    """Session DCG: gains discounted by the rank in the concatenated list and by the query.

    sDCG@l = Σ_r g(r) / (log_bq(q(r) + bq − 1) · log_b(r + b − 1)),   bq = 4, b = 2

    The top l documents of each list are concatenated. r is the rank in the concatenated list, q(r)
    the number of the document's query. Documents from an earlier list are removed before ranks are
    counted (`duplicates=keep` keeps them). With `truncate=clicks` each list ends at its lowest
    click. `version=jk2008` is the original of Järvelin et al. (2008), with ranks in each list: g /
    ((1 + log_bq q) · (1 + log_b r)). (SDCG, in capitals, is a user model.)

    >>> round((sDCG @ 10)([[0, 1], [2]]), 4)  # 1/log2(3) + 2/(log4(5)·log2(4))
    1.4923
    >>> round(sDCG(version="jk2008")([[0, 1], [2]]), 4)  # 1/(1 + 1) + 2/(1 + log4(2))
    1.8333
    """

    gain: GainSetting = gain_param()
    rel: float | None = rel_param("levels below this have gain 0")
    bq: float = param(4.0, "base of the logarithm of the query's number", low=1, open_ends=True)
    b: float = param(2.0, "base of the logarithm of the rank", low=1, open_ends=True)
    truncate: str = param("never", "clicks: each list ends at its lowest click", choices=("never", "clicks"))
    version: str = param(
        "concatenated",
        "concatenated: ranks in all lists; jk2008: ranks in each list, Järvelin et al. 2008",
        choices=("concatenated", "jk2008"),
    )
    takes_raw_gains = True
    references = cite("jarvelin2008", "kanoulas2011", "sakai2014metrics")
    task = "sessions of several queries for one need, if topics should have different weights"
    range = "from 0"
    properties = has("graded", "recall-independent")

    def score(self, x: Any) -> Floats:
        session_lists = self.concatenate(x)
        return self.discount(self.view(session_lists.lists), session_lists.query, session_lists.rank)

    def concatenate(self, x: SessionLists) -> ConcatenatedLists:
        """Return the concatenated list of each session."""
        is_read = x.mark_read(self.cutoff, self.truncate == "clicks")
        is_read = x.mark_new(is_read) if self.duplicates == "drop" else is_read
        return x.concatenate(is_read, is_read)

    def discount(self, x: Lists, query: Any, rank: Any) -> Floats:
        """Return Σ_r g(r)/d(r), equation 35 of Sakai (2014)."""
        if self.version == "jk2008":
            return total(x.g / ((1.0 + _log(query, self.bq)) * (1.0 + _log(rank, self.b))))
        of_query = _log(query + self.bq - 1.0, self.bq)
        return total(x.g / (of_query * _log(x.r + self.b - 1.0, self.b)))


def _log(x: Any, base: float) -> Any:
    return np.log(x) / math.log(base)


@measure
class nsDCG(sDCG):
    """Normalised session DCG: sDCG divided by the sDCG of the ideal list.

    nsDCG@l = sDCG@l / Σ_r g*(r)/log_b(r + b − 1)

    The ideal list contains all relevant documents, best first, as the answer to one query. It is
    cut only with `ideal_depth`. `ideal=lists` is the denominator of Järvelin et al. (2008): the top
    l of the ideal list, repeated for each query of the session. It requires `duplicates=keep`. With
    repeated documents and one ideal list, scores can exceed 1.

    >>> round((nsDCG @ 10)([[0, 1], [2]], judged=[2, 1, 0]), 4)  # sDCG / (2 + 1/log2(3))
    0.5672
    >>> (nsDCG @ 10)([[2, 1]], judged=[2, 1, 0])
    1.0
    """

    ideal: str = param("one", "one ideal list (one), or one for each query (lists)", choices=("one", "lists"))
    ideal_depth: float | None = param(None, "cut the ideal list at this rank", low=1, whole=True)
    task = "sessions of several queries for one need"
    range = "0 to 1"
    properties = has("graded", "normalised")

    def score(self, x: Any) -> Floats:
        session_lists = self.concatenate(x)
        score = self.discount(self.view(session_lists.lists), session_lists.query, session_lists.rank)
        return ratio(score, self.compute_ideal(session_lists.lists, x.queries))

    def compute_ideal(self, lists: Lists, queries: Ints) -> Floats:
        """Return the discounted gains of the ideal list or lists."""
        depth = None if self.ideal_depth is None else int(self.ideal_depth)
        if self.ideal == "lists" and depth is None:
            depth = self.cutoff
        ideal = lists.view(depth, rel=self.rel, gain=self.gain).ideal
        if self.ideal == "one":
            return self.discount(ideal, 1, ideal.r)
        n = (ideal.g > 0).sum(axis=1)[:, None]  # length of each ideal list
        summed = np.zeros(len(ideal))
        for q in range(1, int(queries.max(initial=0)) + 1):
            repeated = replace(ideal, r=ideal.r + (q - 1) * n)
            summed += np.where(q <= queries, self.discount(repeated, q, ideal.r), 0.0)
        return summed


@measure
class sU(SessionMeasure, U):
    """U-measure of a session: relevant documents, discounted by the text read before.

    sU = (1/N) Σ_r g(r)·D(pos(r)),   D(pos) = max(0, 1 − pos/L)
    pos(r) = 200·r + Σ_{relevant k≤r} F·characters(k)

    Users read one list after the other. r is the rank in the concatenated list. They read every
    snippet and a fraction F of every relevant document. Of a document from an earlier list, they
    read only the snippet (`duplicates=keep`: the same as the first time). For one list it is U.
    `--trail` shows the text read. Needs the lengths of relevant documents in characters
    (`lengths=`, `--lengths FILE`).

    >>> sU(max_level=1)([[0], [1]], lengths=[[9000], [5000]]) == U(max_level=1)(
    ...     [0, 1], lengths=[9000, 5000])  # 0.5·(1 − 1400/132000)
    True
    """

    task = "effort in text read, on the same scale for lists, sessions and summaries"

    def score(self, x: Any) -> Floats:
        return _sum_trails(self.build_trails(x), self.norm)

    def build_trails(self, x: SessionLists) -> list[Trail]:
        """Return the trailtexts: snippets, and relevant documents after their snippets."""
        is_read = x.mark_read(self.cutoff)
        counts = x.mark_new(is_read) if self.duplicates == "drop" else is_read
        lists = self.view(x.concatenate(is_read, counts).lists)
        gain, text = self.compute_item_gains(lists), self.F * lists.length(self.length_unit)
        trails = []
        for s, row in enumerate(is_read):
            relevant = lists.I[s] > 0
            r = lists.r[s][relevant]
            columns = np.flatnonzero(row)
            strings = np.insert(columns, r, columns[r - 1])
            is_document = np.zeros(len(strings), dtype=bool)
            is_document[r + np.arange(len(r))] = True
            length, gains = np.full(len(strings), self.snippet), np.zeros(len(strings))
            length[is_document], gains[is_document] = text[s][relevant], gain[s][relevant]
            query, rank = x.query[s][strings], x.rank[s][strings]
            trails.append(Trail(is_document, query, rank, length, gains, self.L))
        return trails


@measure
class clickU(U):
    """U-measure of a click log: clicked documents, discounted by the text read before.

    U = (1/N) Σ_clicks g·D(pos),   D(pos) = max(0, 1 − pos/L)

    Before a click users read all unread snippets up to it in this list, 200 characters each, and
    then a fraction F of the document. pos is the total text read. Users can return to higher ranks
    and earlier queries. A click has gain 0.5 = (2^1 − 1)/2^1, or (2^x − 1)/2^h with levels. A
    document with two clicks is read two times. `--trail` shows the text read.

    >>> clicks = [(1, 4, 10000), (1, 2, 5000)]  # query, rank, characters: up the list
    >>> round(clickU()(clicks), 6)  # 0.5·(1 − 2800/132000) + 0.5·(1 − 3800/132000)
    0.975
    """

    takes = "sessions"
    cutoff_meaning = ""
    references = cite("sakai2013dou", "sakai2014metrics")
    task = "click logs in time order"

    def score(self, x: Any) -> Floats:
        return _sum_trails(self.build_trails(x), self.norm)

    def build_trails(self, x: Sequence[Clicks]) -> list[Trail]:
        """Return the trailtexts by the algorithm of Sakai (2014), Figure 9."""
        return [self._build_trail(clicks) for clicks in x]

    def _build_trail(self, clicks: Clicks) -> Trail:
        n = len(clicks.rank)
        filled = np.ones((1, n), dtype=bool)
        gold = Gold(clicks.level[None, :], filled, clicks.max_level)
        clicked_lists = Lists(np.arange(1, n + 1)[None, :], clicks.level[None, :], filled, np.array([n]), gold)
        gain = self.compute_item_gains(self.view(clicked_lists))[0]
        is_document: list[bool] = []
        rank: list[int] = []
        deepest: dict[int, int] = {}  # snippets of each query are read from the top: no gaps
        for query, clicked in zip(clicks.query.tolist(), clicks.rank.tolist(), strict=True):
            unread = range(deepest.get(query, 0) + 1, clicked + 1)
            deepest[query] = max(deepest.get(query, 0), clicked)
            is_document += [False] * len(unread) + [True]
            rank += [*unread, clicked]
        document = np.array(is_document, dtype=bool)
        click = np.cumsum(document) - document  # the click for which each string is read
        length = np.where(document, self.F * clicks.length[click], self.snippet)
        gains = np.where(document, gain[click], 0.0)
        ranks = np.array(rank, dtype=np.int64)
        return Trail(document, clicks.query[click], ranks, length, gains, self.L)

    def __call__(self, clicks: Any) -> float:  # type: ignore[override]
        """Return the score of one session from (query, rank, length) in time order.

        A level can follow the length, in all tuples or in none. `max_level` is then the highest
        level.
        """
        rows = _read_nested("clicks", clicks, "a tuple for each")
        widths = {len(row) for row in rows}
        if len(widths) > 1 or not widths <= {3, 4}:
            problem = f"clicks must be (query, rank, length) or (query, rank, length, level): {rows!r}"
            raise InputError.from_problem(problem, where=self)
        for query, rank, length, *level in rows:
            _check_number("query", query, 1, integer=True, high=DEEPEST)
            _check_number("rank", rank, 1, integer=True, high=DEEPEST)
            _check_number("length", length, 0)
            for x in level:
                _check_number("level", x, -math.inf)
        if widths == {4} and self.takes_max_level():
            raise CranfieldError(f"{self} requires the highest level (max_level=)")
        return float(self.score([Clicks.from_rows(rows)])[0])


# -- sessions without files -----------------------------------------------------------------------


def _read_session(levels: Any, docs: Any, lengths: Any, clicks: Any) -> SessionRankings:
    """Build a session from nested lists."""
    known_levels = [[_read_level(level) for level in query_levels] for query_levels in _read_nested("levels", levels)]
    numbers = iter(range(sum(map(len, known_levels))))  # without docs, all documents are different
    names = [list(islice(numbers, len(query_levels))) for query_levels in known_levels]
    names = names if docs is None else _read_parallel("docs", docs, known_levels)
    texts = None
    if lengths is not None:
        pairs = zip(_read_parallel("lengths", lengths, known_levels), known_levels, strict=True)
        texts = [list(map(_read_length, *pair)) for pair in pairs]
    if clicks is not None:
        clicks = _read_list("clicks", clicks)
        if len(clicks) != len(known_levels):
            raise InputError(f"{len(clicks)} clicks", f"one for each of {len(known_levels)} lists")
        for click in clicks:
            _check_number("clicked rank", click, 0, integer=True)
    return SessionRankings(known_levels, names, texts, clicks)


def _read_level(value: Any) -> float:
    return math.nan if value is None else _check_number("level", value, -math.inf, missing=True)


def _read_length(value: Any, level: float) -> float:
    """Return the length, NaN if it is unknown and not needed (not relevant)."""
    return math.nan if value is None and not level > 0 else _check_number("length", value, 0)


def _read_parallel(name: str, values: Any, levels: list[list[float]]) -> list[list[Any]]:
    """Return a nested list with one value for each level."""
    lists = _read_nested(name, values)
    if [*map(len, lists)] != [*map(len, levels)]:
        raise InputError.from_problem(f"{name} must have one value for each level")
    return lists


def _read_nested(name: str, values: Any, expected: str = "a list for each query") -> list[list[Any]]:
    try:
        rows = [list(row) for row in values if not isinstance(row, str)]
        if len(rows) == len(values):
            return rows
    except TypeError:
        pass
    raise InputError.from_problem(f"{name} must contain {expected}")


def _read_list(name: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise InputError.from_problem(f"{name} must be a list, found {values!r}") from None


def _check_number(
    name: str, x: Any, low: float, integer: bool = False, missing: bool = False, high: float = sys.float_info.max
) -> float:
    unknown = missing and is_number(x) and not x <= math.inf  # NaN
    fits = unknown or (is_number(x) and low <= x and abs(x) <= high)
    if not fits or (integer and x % 1):
        expected = "an integer" if integer else "a number"
        expected += f" ≥ {low:g}" if math.isfinite(low) else ""
        expected += f" and ≤ {high:,}" if high == DEEPEST else ""
        raise InputError.from_problem(f"{name} must be {expected}, found {x!r}")
    return float(x)


def _read_judged(judged: Any, session: SessionRankings) -> list[float]:
    """Return all judged levels. Raise InputError if a relevant document is missing."""
    of_doc: dict[Any, float] = {}
    for docs, levels in zip(session.docs, session.levels, strict=True):
        for doc, level in zip(docs, levels, strict=True):
            first_level = of_doc.setdefault(doc, level)
            if first_level != level and not (math.isnan(first_level) and math.isnan(level)):
                raise InputError.from_problem(f"document {doc!r} has two levels")
    retrieved = [level for level in of_doc.values() if not math.isnan(level)]
    if judged is None:
        return retrieved
    judged_levels = _read_list("judged levels", judged)
    for level in judged_levels:
        _check_number("judged level", level, -math.inf)
    missing = Counter(x for x in retrieved if x > 0) - Counter(judged_levels)
    for level in missing:
        problem = f"level {level:g} is more frequent in the lists than in judged"
        raise InputError.from_problem(problem, "judged must contain all judged levels of the topic")
    return judged_levels
