"""Sessions: several queries about one need, and what their lists or the clicks on them are worth.

The lists of a session become one list, in the order of time; the strings a user read become a
trailtext. The equations are then those of one list: discounts by rank, or by what was read.
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

DEEPEST = 1_000_000  # nobody clicks below, as when logs are read

# -- what there is to score -----------------------------------------------------------------------


class SessionRankings(NamedTuple):
    """The ranked lists of one session, one for each query, from the top down."""

    levels: Sequence[Sequence[float]]  # of the documents, NaN where they are unjudged
    docs: Sequence[Sequence[Any]]  # which they are: a list may repeat what another had
    lengths: Sequence[Sequence[float]] | None = None  # NaN where they are not known
    clicked: Sequence[int] | None = None  # the lowest rank clicked in each list, 0 if none was

    @property
    def sizes(self) -> list[int]:
        """How long the lists are."""
        return [len(levels) for levels in self.levels]

    # of every document in the order of time:

    def list_queries(self) -> list[int]:
        """The number of the query that listed it."""
        return [query for query, n in enumerate(self.sizes, 1) for _ in range(n)]

    def list_ranks(self) -> Iterable[int]:
        """The rank in the list of that query."""
        return chain.from_iterable(range(1, n + 1) for n in self.sizes)

    def list_items(self) -> list[int]:
        """Which document it is: the same number means the same."""
        docs = list(chain.from_iterable(self.docs))
        number = {doc: i for i, doc in enumerate(dict.fromkeys(docs))}
        return [number[doc] for doc in docs]

    def list_lowest_clicks(self) -> list[int]:
        """The lowest rank clicked in the list of that query."""
        return [(self.clicked or ())[query - 1] for query in self.list_queries()]


@dataclass(frozen=True, eq=False)
class SessionLists:
    """A block of sessions: a row each, with all documents listed in the order of time.

    Past the end of a session the query is 0.
    """

    query: Ints  # the number of the query that listed the document
    rank: Ints  # in the list of that query
    item: Ints  # which document it is: within a session the same number means the same
    level: Floats  # NaN if it is unjudged
    gold: Gold
    queries: Ints  # how many each session has
    length: Floats | None = None
    clicked: Ints | None = None  # the lowest rank clicked in the list of that query

    @classmethod
    def from_sessions(cls, sessions: Sequence[SessionRankings], gold: Gold) -> SessionLists:
        """Sessions and the judgments of each."""
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
        """The first l documents of each list, or those down to its lowest click."""
        is_read = self.query > 0
        if l is not None:
            is_read &= self.rank <= l
        if clicks:
            if self.clicked is None:
                raise NeedsMore("needs clicks: give them as clicks=, or --clicks LOG")
            is_read &= self.rank <= self.clicked
        return is_read

    def mark_new(self, is_read: Bools) -> Bools:
        """Those of them that have not been seen before in the session."""
        item = np.where(is_read, self.item, -1)
        order = np.argsort(item, axis=1, kind="stable")
        by_item = np.take_along_axis(item, order, axis=1)
        is_repeated = np.zeros(item.shape, dtype=bool)
        is_repeated[:, 1:] = by_item[:, 1:] == by_item[:, :-1]
        is_duplicate = np.zeros(item.shape, dtype=bool)
        np.put_along_axis(is_duplicate, order, is_repeated, axis=1)
        return is_read & ~is_duplicate

    def concatenate(self, is_read: Bools, is_counted: Bools) -> ConcatenatedLists:
        """One list for each session of what was seen; what does not count only takes up a rank."""
        hit = is_counted & ~np.isnan(self.level)
        order = np.argsort(~hit, axis=1, kind="stable")[:, : int(hit.sum(axis=1).max(initial=0))]
        n = is_read.sum(axis=1)
        judged = np.take_along_axis(hit, order, axis=1)

        def take(values: Any, padding: Any) -> Any:
            return np.where(judged, np.take_along_axis(values, order, axis=1), padding)

        lengths = {}
        if self.length is not None:
            item_lengths = np.nan_to_num(self.length)
            lengths[U.length_unit] = Lengths(
                take(item_lengths, 0.0), take(sum_above(item_lengths * is_read), 0.0)
            )
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
    """Rows of different lengths as a matrix."""
    cells = [list(row) for row in rows]
    matrix = np.full((len(cells), max(map(len, cells), default=0)), filling, dtype=float)
    for line, row in zip(matrix, cells, strict=True):
        line[: len(row)] = row
    return matrix


def _pad_integers(rows: Iterable[Iterable[float]]) -> Ints:
    return _pad(rows, 0).astype(np.int64)


class ConcatenatedLists(NamedTuple):
    """The lists of each session as one, and where its judged items come from."""

    lists: Lists
    query: Ints
    rank: Ints  # in the list of that query


def build_gold(
    judged: Sequence[Sequence[float]], max_level: float, is_complete: bool = True
) -> Gold:
    """The judged levels of each session, highest first."""
    levels = _pad((sorted(x, reverse=True) for x in judged), 0.0)
    filled = np.arange(levels.shape[1]) < np.array([len(x) for x in judged])[:, None]
    return Gold(levels, filled, max_level, is_complete=is_complete)


@dataclass(frozen=True, eq=False)
class Clicks:
    """The clicks of one session in the order of time."""

    query: Ints
    rank: Ints
    length: Floats  # of the document, in characters
    level: Floats  # 1 for each click, if nobody said more
    max_level: float = 1.0  # the highest there could be

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[float]], max_level: float = 1.0) -> Clicks:
        """Clicks from (query, rank, length), or (query, rank, length, level) for each."""
        query, rank, length = (np.array([row[i] for row in rows], dtype=float) for i in range(3))
        level = np.array([row[3] if len(row) > 3 else 1.0 for row in rows], dtype=float)
        return cls(query.astype(np.int64), rank.astype(np.int64), length, level, max_level)


@dataclass(frozen=True, eq=False)
class Trail:
    """A trailtext: the strings that were read in a session, one after the other."""

    is_document: Bools  # else it is a snippet
    query: Ints
    rank: Ints
    length: Floats  # what was read of it
    gain: Floats
    L: float

    @cached_property
    def offset(self) -> Floats:
        """pos: where each string ends."""
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
    """U (Sakai 2014, equation 19) of each trailtext."""
    sums = [float(total(trail.contribution[None, :])[0]) for trail in trails]
    return np.array(sums, dtype=np.float64) / norm


# -- measures -------------------------------------------------------------------------------------


class SessionMeasure(Measure):
    """A measure of the ranked lists of a session."""

    takes = "sessions"
    cutoff_meaning = "look at the first so many ranks of each list only"
    duplicates: str = param(
        "drop",
        "documents that an earlier list had: drop (only the first counts) or keep",
        choices=("drop", "keep"),
    )

    @property
    def last_rank(self) -> int | None:
        """None: the cutoff is that of each list, and not of all together."""
        return None

    def score(self, x: Any) -> Floats:
        """The equation, on `SessionLists`: one number per session."""
        return super().score(x)

    def __call__(  # type: ignore[override]
        self,
        levels: Any,
        judged: Any = None,
        *,
        docs: Any = None,
        lengths: Any = None,
        clicks: Any = None,
    ) -> float:
        """The score of one session, given as the levels of each of its lists, in order of time.

        None is an unjudged document. `judged` are all judged levels of the topic. `docs` name the
        documents, in lists as `levels`, where lists have some in common; `lengths` are theirs in
        characters. `clicks` are the lowest rank clicked in each list, 0 if there was no click.
        """
        try:
            session = _read_session(levels, docs, lengths, clicks)
            judged_levels = _read_judged(judged, session)
            highest = max((x for x in judged_levels if not math.isnan(x)), default=0.0)
            block = SessionLists.from_sessions(
                [session], build_gold([judged_levels], highest, judged is not None)
            )
            return float(self.score(block)[0])
        except NeedsMore as missing:
            raise CranfieldError(f"{self} {missing}") from None
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None


@measure
class sDCG(SessionMeasure):
    """Session DCG: gains, discounted by the rank in all lists of a session and by the query.

    sDCG@l = Σ_r g(r) / (log_bq(q(r) + bq − 1) · log_b(r + b − 1)),   bq = 4, b = 2

    The first l documents of each list follow each other in one list; r is the rank there, q(r) the
    number of the query that listed the document. Documents that an earlier list had are taken out
    first, and ranks counted without them (`duplicates=keep` leaves them in). With
    `truncate=clicks` each list ends at its lowest click.
    `version=jk2008` is the original of Järvelin et al. (2008), in which a list's own ranks count:
    g / ((1 + log_bq q) · (1 + log_b r)). (SDCG, in capitals, is another measure: a user model.)

    >>> round((sDCG @ 10)([[0, 1], [2]]), 4)  # 1/log2(3) + 2/(log4(5)·log2(4))
    1.4923
    >>> round(sDCG(version="jk2008")([[0, 1], [2]]), 4)  # 1/(1 + 1) + 2/(1 + log4(2))
    1.8333
    """

    gain: GainSetting = gain_param()
    rel: float | None = rel_param("levels below this gain nothing")
    bq: float = param(4.0, "base of the logarithm of the query's number", low=1, open_ends=True)
    b: float = param(2.0, "base of the logarithm of the rank", low=1, open_ends=True)
    truncate: str = param(
        "never", "clicks: each list ends at its lowest click", choices=("never", "clicks")
    )
    version: str = param(
        "concatenated",
        "concatenated: ranks in all lists; jk2008: ranks in each list, Järvelin et al. 2008",
        choices=("concatenated", "jk2008"),
    )
    takes_raw_gains = True
    references = cite("jarvelin2008", "kanoulas2011", "sakai2014metrics")
    task = "sessions of several queries about one need, where topics should not weigh alike"
    range = "from 0"
    properties = has("graded", "recall-independent")

    def score(self, x: Any) -> Floats:
        session_lists = self.concatenate(x)
        return self.discount(
            self.view(session_lists.lists), session_lists.query, session_lists.rank
        )

    def concatenate(self, x: SessionLists) -> ConcatenatedLists:
        """The lists of each session as one."""
        is_read = x.mark_read(self.cutoff, self.truncate == "clicks")
        is_read = x.mark_new(is_read) if self.duplicates == "drop" else is_read
        return x.concatenate(is_read, is_read)

    def discount(self, x: Lists, query: Any, rank: Any) -> Floats:
        """Σ_r g(r)/d(r): equation 35 of Sakai (2014)."""
        if self.version == "jk2008":
            return total(x.g / ((1.0 + _log(query, self.bq)) * (1.0 + _log(rank, self.b))))
        of_query = _log(query + self.bq - 1.0, self.bq)
        return total(x.g / (of_query * _log(x.r + self.b - 1.0, self.b)))


def _log(x: Any, base: float) -> Any:
    return np.log(x) / math.log(base)


@measure
class nsDCG(sDCG):
    """Normalised session DCG: that of a session, over that of the best possible list.

    nsDCG@l = sDCG@l / Σ_r g*(r)/log_b(r + b − 1)

    The ideal list has all relevant documents, the best first, as the answer to one query; it is
    not cut unless `ideal_depth` says so. `ideal=lists` is what Järvelin et al. (2008) divide by:
    the top l of that list for each query of the session over again, which asks for
    `duplicates=keep`. With repeated documents and one ideal list scores may exceed 1.

    >>> round((nsDCG @ 10)([[0, 1], [2]], judged=[2, 1, 0]), 4)  # sDCG / (2 + 1/log2(3))
    0.5672
    >>> (nsDCG @ 10)([[2, 1]], judged=[2, 1, 0])
    1.0
    """

    ideal: str = param(
        "one", "one ideal list, or as many (lists) as queries", choices=("one", "lists")
    )
    ideal_depth: float | None = param(None, "cut the ideal list at this rank", low=1, whole=True)
    task = "sessions of several queries about one need"
    range = "0 to 1"
    properties = has("graded", "normalised")

    def score(self, x: Any) -> Floats:
        session_lists = self.concatenate(x)
        score = self.discount(
            self.view(session_lists.lists), session_lists.query, session_lists.rank
        )
        return ratio(score, self.compute_ideal(session_lists.lists, x.queries))

    def compute_ideal(self, lists: Lists, queries: Ints) -> Floats:
        """The discounted gains of the ideal list or lists."""
        depth = None if self.ideal_depth is None else int(self.ideal_depth)
        if self.ideal == "lists" and depth is None:
            depth = self.cutoff
        ideal = lists.view(depth, rel=self.rel, gain=self.gain).ideal
        if self.ideal == "one":
            return self.discount(ideal, 1, ideal.r)
        n = (ideal.g > 0).sum(axis=1)[:, None]  # how long each is
        summed = np.zeros(len(ideal))
        for q in range(1, int(queries.max(initial=0)) + 1):
            repeated = replace(ideal, r=ideal.r + (q - 1) * n)
            summed += np.where(q <= queries, self.discount(repeated, q, ideal.r), 0.0)
        return summed


@measure
class sU(SessionMeasure, U):
    """U-measure of a session: relevant documents, each worth less the more text was read before.

    sU = (1/N) Σ_r g(r)·D(pos(r)),   D(pos) = max(0, 1 − pos/L)
    pos(r) = 200·r + Σ_{relevant k≤r} F·characters(k)

    Users go down one list after the other; r is the rank in all of them together. They read every
    snippet and a part F of every relevant document; of a document that an earlier list had, only
    the snippet (`duplicates=keep`: all again). For one list it is U. `--trail` shows what was
    read. Needs the lengths of relevant documents in characters (`lengths=`, `--lengths FILE`).

    >>> sU(max_level=1)([[0], [1]], lengths=[[9000], [5000]]) == U(max_level=1)(
    ...     [0, 1], lengths=[9000, 5000])  # 0.5·(1 − 1400/132000)
    True
    """

    task = "effort in text read; the same scale for lists, sessions and summaries"

    def score(self, x: Any) -> Floats:
        return _sum_trails(self.build_trails(x), self.norm)

    def build_trails(self, x: SessionLists) -> list[Trail]:
        """What was read in each session: snippets, and relevant documents after theirs."""
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
    """U-measure of a click log: clicked documents, each worth less the more text was read before.

    U = (1/N) Σ_clicks g·D(pos),   D(pos) = max(0, 1 − pos/L)

    Before a click users read all snippets down to it that they have not read yet in this list,
    200 characters each, and then a part F of the document: pos is all that was read so far. They
    may go up the list again, and back to an earlier query. A click gains 0.5 = (2^1 − 1)/2^1; with
    levels, (2^x − 1)/2^h. A document that is clicked twice is read twice. `--trail` shows what was
    read.

    >>> clicks = [(1, 4, 10000), (1, 2, 5000)]  # query, rank, characters: up the list
    >>> round(clickU()(clicks), 6)  # 0.5·(1 − 2800/132000) + 0.5·(1 − 3800/132000)
    0.975
    """

    takes = "sessions"
    cutoff_meaning = ""
    references = cite("sakai2013dou", "sakai2014metrics")
    task = "logs of what users clicked, in the order of time"

    def score(self, x: Any) -> Floats:
        return _sum_trails(self.build_trails(x), self.norm)

    def build_trails(self, x: Sequence[Clicks]) -> list[Trail]:
        """What was read in each session: the algorithm of Sakai (2014), Figure 9."""
        return [self._build_trail(clicks) for clicks in x]

    def _build_trail(self, clicks: Clicks) -> Trail:
        n = len(clicks.rank)
        filled = np.ones((1, n), dtype=bool)
        gold = Gold(clicks.level[None, :], filled, clicks.max_level)
        clicked_lists = Lists(
            np.arange(1, n + 1)[None, :], clicks.level[None, :], filled, np.array([n]), gold
        )
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
        click = np.cumsum(document) - document  # the one each string is read for
        length = np.where(document, self.F * clicks.length[click], self.snippet)
        gains = np.where(document, gain[click], 0.0)
        ranks = np.array(rank, dtype=np.int64)
        return Trail(document, clicks.query[click], ranks, length, gains, self.L)

    def __call__(self, clicks: Any) -> float:  # type: ignore[override]
        """The score of one session, given as tuples (query, rank, length) in the order of time.

        A level may follow the length, in all tuples or in none; `max_level` then says which is
        the highest.
        """
        rows = _read_nested("clicks", clicks, "a tuple for each")
        widths = {len(row) for row in rows}
        if len(widths) > 1 or not widths <= {3, 4}:
            expected = "(query, rank, length) for each, or (query, rank, length, level) for each"
            raise InputError(repr(rows), expected, self)
        for query, rank, length, *level in rows:
            _check_number("query", query, 1, integer=True, high=DEEPEST)
            _check_number("rank", rank, 1, integer=True, high=DEEPEST)
            _check_number("length", length, 0)
            for x in level:
                _check_number("level", x, -math.inf)
        if widths == {4} and self.takes_max_level():
            raise CranfieldError(f"{self} needs the highest level (max_level=)")
        return float(self.score([Clicks.from_rows(rows)])[0])


# -- sessions without files -----------------------------------------------------------------------


def _read_session(levels: Any, docs: Any, lengths: Any, clicks: Any) -> SessionRankings:
    """A session from what users give: lists of levels, and of what else is known."""
    known_levels = [
        [_read_level(level) for level in query_levels]
        for query_levels in _read_nested("levels", levels)
    ]
    numbers = iter(
        range(sum(map(len, known_levels)))
    )  # each another, if nobody says which are the same
    names = [list(islice(numbers, len(query_levels))) for query_levels in known_levels]
    names = names if docs is None else _read_parallel("docs", docs, known_levels)
    texts = None
    if lengths is not None:
        pairs = zip(_read_parallel("lengths", lengths, known_levels), known_levels, strict=True)
        texts = [list(map(_read_length, *pair)) for pair in pairs]
    if clicks is not None:
        clicks = _read_list("clicks", clicks)
        if len(clicks) != len(known_levels):
            raise InputError(f"{len(clicks)} clicks", "one for each list")
        for click in clicks:
            _check_number("clicked rank", click, 0, integer=True)
    return SessionRankings(known_levels, names, texts, clicks)


def _read_level(value: Any) -> float:
    return math.nan if value is None else _check_number("level", value, -math.inf, missing=True)


def _read_length(value: Any, level: float) -> float:
    """Of a document that is of no use it need not be known."""
    return math.nan if value is None and not level > 0 else _check_number("length", value, 0)


def _read_parallel(name: str, values: Any, levels: list[list[float]]) -> list[list[Any]]:
    """What is given for every document, list by list."""
    lists = _read_nested(name, values)
    if [*map(len, lists)] != [*map(len, levels)]:
        raise InputError(f"{name} for other lists", "one for each level")
    return lists


def _read_nested(
    name: str, values: Any, expected: str = "a list for each query"
) -> list[list[Any]]:
    try:
        rows = [list(row) for row in values if not isinstance(row, str)]
        if len(rows) == len(values):
            return rows
    except TypeError:
        pass
    raise InputError(f"{name} that are no list of lists", expected)


def _read_list(name: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{name} {values!r}", "a list") from None


def _check_number(
    name: str,
    x: Any,
    low: float,
    integer: bool = False,
    missing: bool = False,
    high: float = sys.float_info.max,
) -> float:
    unknown = missing and is_number(x) and not x <= math.inf  # NaN
    fits = unknown or (is_number(x) and low <= x and abs(x) <= high)
    if not fits or (integer and x % 1):
        expected = "a whole number" if integer else "a number"
        expected += f" from {low:g}" if math.isfinite(low) else ""
        expected += f" to {high:,}" if high == DEEPEST else ""
        raise InputError(f"{name} {x!r}", expected)
    return float(x)


def _read_judged(judged: Any, session: SessionRankings) -> list[float]:
    """All judged levels; every relevant document of the session must be among them."""
    of_doc: dict[Any, float] = {}
    for docs, levels in zip(session.docs, session.levels, strict=True):
        for doc, level in zip(docs, levels, strict=True):
            first_level = of_doc.setdefault(doc, level)
            if first_level != level and not (math.isnan(first_level) and math.isnan(level)):
                raise InputError(f"two levels of document {doc!r}", "one")
    retrieved = [level for level in of_doc.values() if not math.isnan(level)]
    if judged is None:
        return retrieved
    judged_levels = _read_list("judged levels", judged)
    for level in judged_levels:
        _check_number("judged level", level, -math.inf)
    missing = Counter(x for x in retrieved if x > 0) - Counter(judged_levels)
    for level in missing:
        raise InputError(
            f"level {level:g} in the lists more often than in judged",
            "judged to hold all judged levels of the topic",
        )
    return judged_levels
