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
from cranfield.measures.lists import Gold, Lengths, Lists, NeedsMore, above, ratio, total
from cranfield.measures.parameters import GainSetting, gain_param, is_number, param, rel_param
from cranfield.measures.reading import U

DEEPEST = 1_000_000  # nobody clicks below, as when logs are read

# -- what there is to score -----------------------------------------------------------------------


class Listed(NamedTuple):
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

    def queries(self) -> list[int]:
        """The number of the query that listed it."""
        return [query for query, n in enumerate(self.sizes, 1) for _ in range(n)]

    def ranks(self) -> Iterable[int]:
        """The rank in the list of that query."""
        return chain.from_iterable(range(1, n + 1) for n in self.sizes)

    def items(self) -> list[int]:
        """Which document it is: the same number means the same."""
        docs = list(chain.from_iterable(self.docs))
        number = {doc: i for i, doc in enumerate(dict.fromkeys(docs))}
        return [number[doc] for doc in docs]

    def lowest_clicks(self) -> list[int]:
        """The lowest rank clicked in the list of that query."""
        return [(self.clicked or ())[query - 1] for query in self.queries()]


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
    def of(cls, sessions: Sequence[Listed], gold: Gold) -> SessionLists:
        """Sessions and the judgments of each."""
        length = clicked = None
        if all(s.lengths is not None for s in sessions):
            length = _padded((chain.from_iterable(s.lengths or ()) for s in sessions), math.nan)
        if all(s.clicked is not None for s in sessions):
            clicked = _whole(s.lowest_clicks() for s in sessions)
        return cls(
            _whole(s.queries() for s in sessions),
            _whole(s.ranks() for s in sessions),
            _whole(s.items() for s in sessions),
            _padded((chain.from_iterable(s.levels) for s in sessions), math.nan),
            gold,
            np.array([len(s.levels) for s in sessions], dtype=np.int64),
            length,
            clicked,
        )

    def seen(self, l: int | None, clicks: bool = False) -> Bools:
        """The first l documents of each list, or those down to its lowest click."""
        seen = self.query > 0
        if l is not None:
            seen &= self.rank <= l
        if clicks:
            if self.clicked is None:
                raise NeedsMore("needs clicks: give them as clicks=, or --clicks LOG")
            seen &= self.rank <= self.clicked
        return seen

    def first(self, seen: Bools) -> Bools:
        """Those of them that have not been seen before in the session."""
        item = np.where(seen, self.item, -1)
        order = np.argsort(item, axis=1, kind="stable")
        by_item = np.take_along_axis(item, order, axis=1)
        same = np.zeros(item.shape, dtype=bool)
        same[:, 1:] = by_item[:, 1:] == by_item[:, :-1]
        again = np.zeros(item.shape, dtype=bool)
        np.put_along_axis(again, order, same, axis=1)
        return seen & ~again

    def concatenated(self, seen: Bools, counts: Bools) -> Concatenated:
        """One list for each session of what was seen; what does not count only takes up a rank."""
        hit = counts & ~np.isnan(self.level)
        order = np.argsort(~hit, axis=1, kind="stable")[:, : int(hit.sum(axis=1).max(initial=0))]
        n = seen.sum(axis=1)
        judged = np.take_along_axis(hit, order, axis=1)

        def at(values: Any, beyond: Any) -> Any:
            return np.where(judged, np.take_along_axis(values, order, axis=1), beyond)

        lengths = {}
        if self.length is not None:
            own = np.nan_to_num(self.length)
            lengths[U.length_unit] = Lengths(at(own, 0.0), at(above(own * seen), 0.0))
        lists = Lists(
            at(np.cumsum(seen, axis=1), n[:, None] + 1),
            at(self.level, 0.0),
            judged,
            n,
            self.gold,
            lengths=lengths,
        )
        return Concatenated(lists, at(self.query, 1), at(self.rank, 1))


def _padded(rows: Iterable[Iterable[float]], filling: float) -> Floats:
    """Rows of different lengths as a matrix."""
    cells = [list(row) for row in rows]
    matrix = np.full((len(cells), max(map(len, cells), default=0)), filling, dtype=float)
    for line, row in zip(matrix, cells, strict=True):
        line[: len(row)] = row
    return matrix


def _whole(rows: Iterable[Iterable[float]]) -> Ints:
    return _padded(rows, 0).astype(np.int64)


class Concatenated(NamedTuple):
    """The lists of each session as one, and where its judged items come from."""

    lists: Lists
    query: Ints
    rank: Ints  # in the list of that query


def gold_of(judged: Sequence[Sequence[float]], max_level: float, known: bool = True) -> Gold:
    """The judged levels of each session, highest first."""
    levels = _padded((sorted(x, reverse=True) for x in judged), 0.0)
    there = np.arange(levels.shape[1]) < np.array([len(x) for x in judged])[:, None]
    return Gold(levels, there, max_level, known=known)


@dataclass(frozen=True, eq=False)
class Clicks:
    """The clicks of one session in the order of time."""

    query: Ints
    rank: Ints
    length: Floats  # of the document, in characters
    level: Floats  # 1 for each click, if nobody said more
    max_level: float = 1.0  # the highest there could be

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]], max_level: float = 1.0) -> Clicks:
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


def _sums(trails: Sequence[Trail], norm: float) -> Floats:
    """U (Sakai 2014, equation 19) of each trailtext."""
    sums = [float(total(trail.contribution[None, :])[0]) for trail in trails]
    return np.array(sums, dtype=np.float64) / norm


# -- measures -------------------------------------------------------------------------------------


class OfSessions(Measure):
    """A measure of the ranked lists of a session."""

    takes = "sessions"
    at = "look at the first so many ranks of each list only"
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
            listed = _listed(levels, docs, lengths, clicks)
            known = _judged(judged, listed)
            highest = max((x for x in known if not math.isnan(x)), default=0.0)
            block = SessionLists.of([listed], gold_of([known], highest, judged is not None))
            return float(self.score(block)[0])
        except NeedsMore as missing:
            raise CranfieldError(f"{self} {missing}") from None
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None


@measure
class sDCG(OfSessions):
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
    below_zero = True
    references = cite("jarvelin2008", "kanoulas2011", "sakai2014metrics")
    task = "sessions of several queries about one need, where topics should not weigh alike"
    range = "from 0"
    properties = has("graded", "recall-independent")

    def score(self, x: Any) -> Floats:
        found = self.concatenated(x)
        return self.discounted(self.view(found.lists), found.query, found.rank)

    def concatenated(self, x: SessionLists) -> Concatenated:
        """The lists of each session as one."""
        seen = x.seen(self.cutoff, self.truncate == "clicks")
        seen = x.first(seen) if self.duplicates == "drop" else seen
        return x.concatenated(seen, seen)

    def discounted(self, x: Lists, query: Any, rank: Any) -> Floats:
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
        found = self.concatenated(x)
        score = self.discounted(self.view(found.lists), found.query, found.rank)
        return ratio(score, self.best(found.lists, x.queries))

    def best(self, lists: Lists, queries: Ints) -> Floats:
        """The discounted gains of the ideal list or lists."""
        depth = None if self.ideal_depth is None else int(self.ideal_depth)
        if self.ideal == "lists" and depth is None:
            depth = self.cutoff
        ideal = lists.view(depth, rel=self.rel, gain=self.gain).ideal
        if self.ideal == "one":
            return self.discounted(ideal, 1, ideal.r)
        n = (ideal.g > 0).sum(axis=1)[:, None]  # how long each is
        summed = np.zeros(len(ideal))
        for q in range(1, int(queries.max(initial=0)) + 1):
            after = replace(ideal, r=ideal.r + (q - 1) * n)
            summed += np.where(q <= queries, self.discounted(after, q, ideal.r), 0.0)
        return summed


@measure
class sU(OfSessions, U):
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
        return _sums(self.trails(x), self.norm)

    def trails(self, x: SessionLists) -> list[Trail]:
        """What was read in each session: snippets, and relevant documents after theirs."""
        seen = x.seen(self.cutoff)
        counts = x.first(seen) if self.duplicates == "drop" else seen
        lists = self.view(x.concatenated(seen, counts).lists)
        gain, text = self.worth(lists), self.F * lists.length(self.length_unit)
        trails = []
        for s, shown in enumerate(seen):
            relevant = lists.I[s] > 0
            r = lists.r[s][relevant]
            listed = np.flatnonzero(shown)
            strings = np.insert(listed, r, listed[r - 1])
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
    at = ""
    references = cite("sakai2013dou", "sakai2014metrics")
    task = "logs of what users clicked, in the order of time"

    def score(self, x: Any) -> Floats:
        return _sums(self.trails(x), self.norm)

    def trails(self, x: Sequence[Clicks]) -> list[Trail]:
        """What was read in each session: the algorithm of Sakai (2014), Figure 9."""
        return [self._trail(clicks) for clicks in x]

    def _trail(self, clicks: Clicks) -> Trail:
        n = len(clicks.rank)
        there = np.ones((1, n), dtype=bool)
        gold = Gold(clicks.level[None, :], there, clicks.max_level)
        each = Lists(
            np.arange(1, n + 1)[None, :], clicks.level[None, :], there, np.array([n]), gold
        )
        gain = self.worth(self.view(each))[0]
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
        rows = _nested("clicks", clicks, "a tuple for each")
        widths = {len(row) for row in rows}
        if len(widths) > 1 or not widths <= {3, 4}:
            expected = "(query, rank, length) for each, or (query, rank, length, level) for each"
            raise InputError(repr(rows), expected, self)
        for query, rank, length, *level in rows:
            _number("query", query, 1, whole=True, high=DEEPEST)
            _number("rank", rank, 1, whole=True, high=DEEPEST)
            _number("length", length, 0)
            for x in level:
                _number("level", x, -math.inf)
        if widths == {4} and self.takes_max_level():
            raise CranfieldError(f"{self} needs the highest level (max_level=)")
        return float(self.score([Clicks.of(rows)])[0])


# -- sessions without files -----------------------------------------------------------------------


def _listed(levels: Any, docs: Any, lengths: Any, clicks: Any) -> Listed:
    """A session from what users give: lists of levels, and of what else is known."""
    known = [[_level(level) for level in one] for one in _nested("levels", levels)]
    every = iter(range(sum(map(len, known))))  # each another, if nobody says which are the same
    names = [list(islice(every, len(one))) for one in known]
    names = names if docs is None else _beside("docs", docs, known)
    texts = None
    if lengths is not None:
        pairs = zip(_beside("lengths", lengths, known), known, strict=True)
        texts = [list(map(_length, *both)) for both in pairs]
    if clicks is not None:
        clicks = _several("clicks", clicks)
        if len(clicks) != len(known):
            raise InputError(f"{len(clicks)} clicks", "one for each list")
        for click in clicks:
            _number("clicked rank", click, 0, whole=True)
    return Listed(known, names, texts, clicks)


def _level(given: Any) -> float:
    return math.nan if given is None else _number("level", given, -math.inf, missing=True)


def _length(given: Any, level: float) -> float:
    """Of a document that is of no use it need not be known."""
    return math.nan if given is None and not level > 0 else _number("length", given, 0)


def _beside(name: str, given: Any, levels: list[list[float]]) -> list[list[Any]]:
    """What is given for every document, list by list."""
    lists = _nested(name, given)
    if [*map(len, lists)] != [*map(len, levels)]:
        raise InputError(f"{name} for other lists", "one for each level")
    return lists


def _nested(name: str, given: Any, expected: str = "a list for each query") -> list[list[Any]]:
    try:
        made = [list(one) for one in given if not isinstance(one, str)]
        if len(made) == len(given):
            return made
    except TypeError:
        pass
    raise InputError(f"{name} that are no list of lists", expected)


def _several(name: str, given: Any) -> list[Any]:
    try:
        return list(given)
    except TypeError:
        raise InputError(f"{name} {given!r}", "a list") from None


def _number(
    what: str,
    x: Any,
    low: float,
    whole: bool = False,
    missing: bool = False,
    high: float = sys.float_info.max,
) -> float:
    unknown = missing and is_number(x) and not x <= math.inf  # NaN
    fits = unknown or (is_number(x) and low <= x and abs(x) <= high)
    if not fits or (whole and x % 1):
        expected = "a whole number" if whole else "a number"
        expected += f" from {low:g}" if math.isfinite(low) else ""
        expected += f" to {high:,}" if high == DEEPEST else ""
        raise InputError(f"{what} {x!r}", expected)
    return float(x)


def _judged(judged: Any, listed: Listed) -> list[float]:
    """All judged levels; every relevant document of the session must be among them."""
    of_doc: dict[Any, float] = {}
    for docs, levels in zip(listed.docs, listed.levels, strict=True):
        for doc, level in zip(docs, levels, strict=True):
            before = of_doc.setdefault(doc, level)
            if before != level and not (math.isnan(before) and math.isnan(level)):
                raise InputError(f"two levels of document {doc!r}", "one")
    found = [level for level in of_doc.values() if not math.isnan(level)]
    if judged is None:
        return found
    known = _several("judged levels", judged)
    for level in known:
        _number("judged level", level, -math.inf)
    lacking = Counter(x for x in found if x > 0) - Counter(known)
    for level in lacking:
        raise InputError(
            f"level {level:g} in the lists more often than in judged",
            "judged to hold all judged levels of the topic",
        )
    return known
