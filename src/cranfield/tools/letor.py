"""LETOR's work, in its layout or as a tidy table: Eval-Score, Eval-Rank and the t-test.

P@n, MAP and NDCG@n for n = 1, 2, …, a block of lines for each: the values of every query, then
their mean. Releases since LETOR 4.0 write two tables with four decimals, and have MeanNDCG, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import compress, groupby
from typing import NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.letor import line_of, read_predictions
from cranfield.data.reading.lines import finite, text_lines
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import TieOrder
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measure
from cranfield.scores import Notice, Scores
from cranfield.stats.paired import t_test
from cranfield.tools.drop_ins import Printed, about_topics, mean_of
from cranfield.wording import counted

DEPTH = 16  # of the first releases; later ones look at LATER
LATER = 10
MOST = 1000  # each rank has columns of its own
BLOCKS = {"P": "precision", "AP": "Map", "nDCG": "NDCG"}  # as LETOR heads them
MEANS = {"P": "precision:{}\n\n", "AP": "MAP:\t{}\n\n", "nDCG": "NDCG:\t{}"}
EVERY = "1"  # the flag that asks for every query; with 0, there are only means
TIDY = ("topic", "measure", "value")

Results: TypeAlias = dict[str, dict[str, float]]  # {query: {measure: value}}

_QUERY = re.compile(r"(precision|map|ndcg) of query(\S+):(.*)", re.IGNORECASE)
_MEAN = re.compile(r"(precision|map|ndcg):.*", re.IGNORECASE)


class Release(NamedTuple):
    """What a later release of Eval-Score knows."""

    program: str
    highest: int  # level; a higher one would silently be worth nothing
    threshold: str  # which levels count for P and MAP


RELEASES = {
    "4": Release("Eval-Score 4.0", 2, ""),
    "mslr": Release("MSLR's Eval-Score", 4, "(rel=2)"),
}


def measures(depth: int = DEPTH, release: Release | None = None) -> list[Measure]:
    """P@n, AP, and nDCG@n as LETOR defines it, n being 1 to `depth`; later also MeanNDCG.

    >>> [str(m) for m in measures(1)]
    ['P@1', 'AP', 'nDCG(gain=exp, discount=jk)@1']
    >>> [str(m) for m in measures(1, RELEASES["mslr"])][:2]
    ['P(rel=2)@1', 'AP(rel=2)']
    """
    if depth > MOST:
        raise InputError(f"depth {depth:,}", f"at most {MOST:,}")
    above = "" if release is None else release.threshold
    mean = [] if release is None else ["MeanNDCG(letor=true)"]
    precision, ndcg = (
        [f"{m}@{n + 1}" for n in range(depth)] for m in (f"P{above}", "nDCG(letor=true)")
    )
    return [parse_measure(name) for name in (*precision, f"AP{above}", *ndcg, *mean)]


# -- Eval-Score and Eval-Rank ---------------------------------------------------------------------


def eval_score(
    test: str,
    prediction: str,
    depth: int | None = None,
    ties: TieOrder = "file",
    as_version: str | None = None,
) -> Scores:
    """The scores of lists ordered by score, as Eval-Score has them."""
    release = RELEASES[as_version] if as_version else None
    depth = depth or (LATER if release else DEPTH)
    qrels = read_qrels(test, "letor")
    if release:
        _refuse_levels(qrels, release, Source.of(test))
    evaluator = Evaluator(qrels, measures(depth, release), ties=ties, run_format="letor")
    found = evaluator(prediction)
    return _as_released(found, qrels, release) if release else found


def _refuse_levels(qrels: Qrels, release: Release, source: Source) -> None:
    """The levels that a release does not know."""
    levels, highest = qrels.levels, release.highest
    wrong = (levels < 0) | (levels > highest) | (levels != np.floor(levels))
    for row in np.flatnonzero(wrong).tolist():
        assert qrels.lines is not None  # noqa: S101
        place = int(np.arange(len(levels))[qrels.lines][row])
        expected = f"one of {release.program}: 0 to {highest}"
        raise InputError(f"level {levels[row]:g}", expected, source.name, line_of(source, place))


def _as_released(scores: Scores, qrels: Qrels, release: Release) -> Scores:
    """NDCG@n of a query with fewer than n documents is 0 in the later releases."""
    documents = dict(zip(qrels.topics, np.diff(qrels.offsets).tolist(), strict=True))
    depth = _depth_of(scores)
    n = np.array([*[0] * (depth + 1), *range(1, depth + 1), 0])
    beyond = n > np.array([documents[topic] for topic in scores.topics])[:, None]
    short = [topic for topic, row in zip(scores.topics, beyond, strict=True) if row.any()]
    text = f" with fewer than {depth} documents: NDCG@n is 0 where n is more, as {release.program}"
    said = about_topics("short-lists", short, "", f"{text} has it")
    return replace(
        scores, values=np.where(beyond, 0.0, scores.values), notices=(*scores.notices, *said)
    )


def _depth_of(scores: Scores) -> int:
    """The largest n: there are as many P@n as NDCG@n, each followed by a mean."""
    return len(scores.measures) // 2 - 1


def eval_rank(test: str, prediction: str, depth: int = DEPTH) -> Scores:
    """The scores of lists ordered by position."""
    qrels = read_qrels(test, "letor")
    placed = _positions(Source.of(prediction), qrels)
    return Evaluator(qrels, measures(depth))({prediction: -placed})


def _positions(source: Source, qrels: Qrels) -> Floats:
    """The positions of a file, no two the same in a query."""
    assert qrels.lines is not None  # noqa: S101
    found = read_predictions(source, len(qrels.levels), qrels.where, source.name)
    for place in np.flatnonzero((found < 0) | (found != np.floor(found))).tolist():
        expected = "a rank position: a whole number"
        raise InputError(f"{found[place]:g}", expected, source.name, line_of(source, place))
    query = np.empty(len(found), dtype=np.int64)
    query[qrels.lines] = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
    order = np.lexsort((found, query))
    same = (np.diff(found[order]) == 0) & (np.diff(query[order]) == 0)
    if same.any():
        again = order[1:][same].min()
        before = np.flatnonzero((query == query[again]) & (found == found[again]))[0]
        first, line = (line_of(source, int(place)) for place in (before, again))
        text = f"position {found[again]:g} of query {qrels.topics[query[again]]} again"
        raise InputError(f"{text} (first on line {first})", "each position once", source.name, line)
    return found


def blocks(scores: Scores, per_query: bool) -> str:
    """The scores of a run as LETOR writes them, to the last tab; queries are numbered from 0."""
    text = ""
    for name, columns in _families(scores.measures):
        heading, values = BLOCKS[name], scores.values[0, :, columns]
        if per_query:
            for number, row in enumerate(values.tolist()):
                text += f"{heading} of query{number}:\t{_digits(name, row)}\n"
        text += MEANS[name].format(_digits(name, mean_of(values).tolist()))
    return text


def table(scores: Scores, per_query: bool) -> str:
    """The scores of a run as later releases write them: by qid, with four decimals."""
    qids = list(scores.topics)
    if all(finite(qid) is not None for qid in qids):
        qids.sort(key=float)
    ordered = scores[:, qids, :].values[0]
    depth = _depth_of(scores)
    text = ""
    for heading, last, start in (("P", "MAP", 0), ("NDCG", "MeanNDCG", depth + 1)):
        values = ordered[:, start : start + depth + 1]
        text += _line("qid", (*(f"{heading}@{n + 1}" for n in range(depth)), last))
        rows = zip(qids, values, strict=True) if per_query else ()
        for qid, row in (*rows, ("Average", mean_of(values))):
            text += _line(qid, (f"{value:.4f}" for value in row))
        text += "\n"
    return text


def _digits(name: str, values: Iterable[float]) -> str:
    """Numbers as Perl prints them, a tab after each but MAP, which is one number at any depth."""
    after = "" if name == "AP" else "\t"
    return "".join(f"{value:.15g}{after}" for value in values)


def tidy_scores(scores: Scores, per_query: bool) -> str:
    """The scores of a run as a table of topics (all is the mean), measures and values."""
    rows = zip(scores.topics, scores.values[0].tolist(), strict=True) if per_query else ()
    means = scores.summary()[scores.runs[0]]
    lines = [_line(TIDY[0], TIDY[1:])]
    for topic, values in (*rows, ("all", means.values())):
        named = zip(scores.measures, values, strict=True)
        lines += [_line(topic, (measure, value)) for measure, value in named]
    return "".join(lines)


def _families(names: Iterable[str]) -> Iterator[tuple[str, slice]]:
    """The first word of measures that stand side by side, and where they do."""
    for family, members in groupby(enumerate(names), lambda one: re.split(r"[@(]", one[1])[0]):
        places = [place for place, _ in members]
        yield family, slice(places[0], places[-1] + 1)


def _line(first: str, others: Iterable[str | float]) -> str:
    return "\t".join([first, *map(str, others)]) + "\n"


# -- the t-test -----------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """A paired, two-sided t-test between two systems."""

    measure: str
    mean_a: float
    mean_b: float
    difference: float
    t: float
    p: float


def ttest(path_a: str, path_b: str) -> tuple[list[Comparison], list[Notice]]:
    """Paired, two-sided t-tests between two systems.

    The files have the results of every query, both in the same layout.
    """
    sources = Source.of(path_a), Source.of(path_b)
    a, b = map(read_results, sources)
    if _is_tidy(sources[0]) != _is_tidy(sources[1]):  # one has qids, the other numbers
        raise InputError("another layout", f"that of {path_a}: both tidy, or neither", path_b)
    _refuse_others(a, b, path_a, path_b)
    names = list(next(iter(a.values())))
    x, y = (np.array([[found[q][name] for name in names] for q in a]) for found in (a, b))
    tests = []
    for name, *results in zip(names, x.T, y.T, strict=True):
        mean_a, mean_b = (math.fsum(values) / len(values) for values in results)
        found = t_test(*results)
        differ = (results[0] != results[1]).any()
        t, p = (found.statistic, found.pvalue) if differ else (math.nan, math.nan)
        tests.append(Comparison(name, mean_a, mean_b, mean_a - mean_b, t, p))
    return tests, list(_notices(names, x - y))


def _notices(names: Sequence[str], differences: Floats) -> Iterator[Notice]:
    same, zero = (differences == differences[0]).all(axis=0), differences[0] == 0
    for meant, text in (
        (same & zero, "the same in every query: there is no test, and t and p are nan"),
        (same & ~zero, "the difference is the same in every query: t is infinite"),
    ):
        if meant.any():
            yield Notice("t-test", f"{', '.join(compress(names, meant))}: {text}")


def _refuse_others(a: Results, b: Results, path_a: str, path_b: str) -> None:
    """Both must have the same queries, at least two, and the same measures."""
    if len(a) != len(b):
        raise InputError(_queries(b), f"{len(a):,} as in {path_a}", path_b)
    if unknown := [query for query in b if query not in a]:
        raise InputError(f"query {unknown[0]}", f"the queries of {path_a}", path_b)
    if len(a) < 2:
        raise InputError(_queries(a), "at least 2 for a t-test", path_a)
    names = next(iter(a.values())).keys()
    for found, path in ((a, path_a), (b, path_b)):
        for query, values in found.items():
            if values.keys() != names:
                text = f"{counted(len(values), 'value')} for query {query}"
                same = f"the same measures for every query of {path_a} and {path_b}"
                raise InputError(text, f"{len(names)}: {same}", path)


def _queries(found: Results) -> str:
    return "1 query" if len(found) == 1 else f"{len(found):,} queries"


def read_results(source: Source) -> Results:
    """The results of every query from a file in either layout, LETOR's own files included."""
    every = list(text_lines(source))
    is_tidy = _is_tidy(source)
    found: Results = {}
    for number, line in every[1:] if is_tidy else every:
        read = _tidy_line if is_tidy else _block_line
        for query, measure, text in read(line, source.name, number):
            value = finite(text)
            if value is None:
                raise InputError(f"{measure} {text!r}", "a finite number", source.name, number)
            if measure in found.setdefault(query, {}):
                said = f"{measure} of query {query} again"
                raise InputError(said, "each once", source.name, number)
            found[query][measure] = value
    if not found:
        raise InputError("no results of single queries", "those written with FLAG 1", source.name)
    return found


def _is_tidy(source: Source) -> bool:
    _, header = next(text_lines(source), (0, ""))
    return tuple(header.split("\t")) == TIDY


def _tidy_line(line: str, where: str, number: int) -> list[tuple[str, str, str]]:
    fields = line.split("\t")
    if len(fields) != len(TIDY):
        raise InputError(repr(line), " ".join(TIDY), where, number)
    topic, measure, value = fields
    return [] if topic == "all" else [(topic, measure, value)]


def _block_line(line: str, where: str, number: int) -> list[tuple[str, str, str]]:
    if _MEAN.fullmatch(line.strip()):
        return []
    found = _QUERY.fullmatch(line.strip())
    if found is None or not (values := found[3].split()):
        expected = "a line such as precision of query1: 1.0 0.5"
        raise InputError(repr(line[:60]), expected, where, number)
    names = _by_heading(len(values))[found[1].lower()]
    if len(values) != len(names):
        raise InputError(counted(len(values), "value"), "one", where, number)
    return [(found[2], name, value) for name, value in zip(names, values, strict=True)]


@cache
def _by_heading(depth: int) -> dict[str, list[str]]:
    """The measures of each block down to a depth."""
    every = [str(m) for m in measures(depth)]
    return {BLOCKS[name].lower(): every[columns] for name, columns in _families(every)}


def blocks_of_tests(tests: Sequence[Comparison]) -> str:
    """The p-value of each measure, in LETOR's layout; any other is called by its name."""
    headings = BLOCKS | {"AP": "MAP"}
    return "".join(
        _line(f"{headings.get(name, name)}:", (test.p for test in tests[columns]))
        for name, columns in _families([test.measure for test in tests])
    )


def tidy_tests(tests: Sequence[Comparison]) -> str:
    """The tests as a table."""
    first, *others = Comparison._fields
    return _line(first, others) + "".join(_line(test.measure, test[1:]) for test in tests)


# -- what is written ------------------------------------------------------------------------------


def written_scores(
    test: str,
    prediction: str,
    flag: str,
    tidy: bool = False,
    depth: int | None = None,
    ties: TieOrder = "file",
    as_version: str | None = None,
) -> Printed:
    """P@n, MAP and NDCG@n of scores.

    Write P@n, MAP and NDCG@n of lists ordered by score, the highest first.

    As Eval-Score; what is tied stays in the order of the file.
    """
    scores = eval_score(test, prediction, depth, ties, as_version)
    layout = tidy_scores if tidy else table if as_version else blocks
    return layout(scores, flag == EVERY), list(scores.notices)


def written_ranks(
    test: str, prediction: str, flag: str, tidy: bool = False, depth: int = DEPTH
) -> Printed:
    """P@n, MAP and NDCG@n of rank positions.

    Write P@n, MAP and NDCG@n of lists ordered by position, 1 first.
    """
    scores = eval_rank(test, prediction, depth)
    return (tidy_scores if tidy else blocks)(scores, flag == EVERY), list(scores.notices)


def written_tests(path_a: str, path_b: str, tidy: bool = False) -> Printed:
    """Paired, two-sided t-test between the results of two systems.

    Test whether two systems differ: P@n, MAP and NDCG@n, paired by query, two-sided. OUTPUT has the
    p-values.
    """
    tests, notices = ttest(path_a, path_b)
    return (tidy_tests if tidy else blocks_of_tests)(tests), notices
