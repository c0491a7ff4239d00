"""Drop-in replacement for LETOR's tools: Eval-Score, Eval-Rank and the t-test.

P@n, MAP and NDCG@n for n = 1, 2, … are blocks of lines: the values of every query, then their mean.
Releases since LETOR 4.0 write two tables with four decimals, with MeanNDCG. A tidy table is also
available.
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
from cranfield.data.reading.letor import find_line, read_predictions
from cranfield.data.reading.lines import iter_text_lines, parse_finite
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import TieOrder
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measure
from cranfield.scores import Note, Scores
from cranfield.stats.paired import t_test
from cranfield.tools.drop_ins import Printed, average_rows, make_topic_notes
from cranfield.wording import format_count

DEPTH = 16  # Default of the first releases.
LATER = 10
MAX_DEPTH = 1000  # Each rank has its own columns.
BLOCKS = {"P": "precision", "AP": "Map", "nDCG": "NDCG"}  # as LETOR heads them
MEANS = {"P": "precision:{}\n\n", "AP": "MAP:\t{}\n\n", "nDCG": "NDCG:\t{}"}
PER_QUERY_FLAG = "1"  # The flag for results of every query. 0 prints means only.
TIDY = ("topic", "measure", "value")

Results: TypeAlias = dict[str, dict[str, float]]  # {query: {measure: value}}

_QUERY = re.compile(r"(precision|map|ndcg) of query(\S+):(.*)", re.IGNORECASE)
_MEAN = re.compile(r"(precision|map|ndcg):.*", re.IGNORECASE)


class Release(NamedTuple):
    """Properties of a later release of Eval-Score."""

    program: str
    highest: int  # Highest level. The program gives higher levels no gain, without a message.
    threshold: str  # Relevant levels of P and MAP.


RELEASES = {"4": Release("Eval-Score 4.0", 2, ""), "mslr": Release("MSLR's Eval-Score", 4, "(rel=2)")}


def build_measures(depth: int = DEPTH, release: Release | None = None) -> list[Measure]:
    """Return P@n, AP and LETOR's nDCG@n for n = 1 to `depth`; in later releases also MeanNDCG.

    >>> [str(m) for m in build_measures(1)]
    ['P@1', 'AP', 'nDCG(gain=exp, discount=jk)@1']
    >>> [str(m) for m in build_measures(1, RELEASES["mslr"])][:2]
    ['P(rel=2)@1', 'AP(rel=2)']
    """
    if depth > MAX_DEPTH:
        raise InputError(f"depth {depth:,}", f"at most {MAX_DEPTH:,}")
    threshold = "" if release is None else release.threshold
    mean = [] if release is None else ["MeanNDCG(letor=true)"]
    precision, ndcg = ([f"{m}@{n + 1}" for n in range(depth)] for m in (f"P{threshold}", "nDCG(letor=true)"))
    return [parse_measure(name) for name in (*precision, f"AP{threshold}", *ndcg, *mean)]


# -- Eval-Score and Eval-Rank ---------------------------------------------------------------------


def eval_score(
    test: str, prediction: str, depth: int | None = None, ties: TieOrder = "file", as_version: str | None = None
) -> Scores:
    """Return the scores of rankings ordered by score, as Eval-Score computes them."""
    release = RELEASES[as_version] if as_version else None
    depth = depth or (LATER if release else DEPTH)
    qrels = read_qrels(test, "letor")
    if release:
        _check_levels(qrels, release, Source.from_path(test))
    evaluator = Evaluator(qrels, build_measures(depth, release), ties=ties, run_format="letor")
    scores = evaluator(prediction)
    return _as_released(scores, qrels, release) if release else scores


def _check_levels(qrels: Qrels, release: Release, source: Source) -> None:
    """Raise an error for levels that a release does not support."""
    levels, highest = qrels.levels, release.highest
    wrong = (levels < 0) | (levels > highest) | (levels != np.floor(levels))
    for row in np.flatnonzero(wrong).tolist():
        assert qrels.lines is not None  # noqa: S101
        place = int(np.arange(len(levels))[qrels.lines][row])
        expected = f"an integer from 0 to {highest} ({release.program})"
        raise InputError(f"level {levels[row]:g}", expected, source.name, find_line(source, place))


def _as_released(scores: Scores, qrels: Qrels, release: Release) -> Scores:
    """Set NDCG@n of queries with fewer than n documents to 0, as later releases do."""
    documents = dict(zip(qrels.topics, np.diff(qrels.offsets).tolist(), strict=True))
    depth = _get_depth(scores)
    n = np.array([*[0] * (depth + 1), *range(1, depth + 1), 0])
    beyond = n > np.array([documents[topic] for topic in scores.topics])[:, None]
    short = [topic for topic, row in zip(scores.topics, beyond, strict=True) if row.any()]
    text = f" with fewer than {depth} documents: NDCG@n is 0 if n is larger, as in {release.program}"
    notes = make_topic_notes("short-lists", short, "", text)
    return replace(scores, values=np.where(beyond, 0.0, scores.values), notes=(*scores.notes, *notes))


def _get_depth(scores: Scores) -> int:
    """Return the largest n: there are as many P@n as NDCG@n, each followed by a mean."""
    return len(scores.measures) // 2 - 1


def eval_rank(test: str, prediction: str, depth: int = DEPTH) -> Scores:
    """Return the scores of rankings ordered by position."""
    qrels = read_qrels(test, "letor")
    positions = _read_positions(Source.from_path(prediction), qrels)
    return Evaluator(qrels, build_measures(depth))({prediction: -positions})


def _read_positions(source: Source, qrels: Qrels) -> Floats:
    """Read the positions in a file. Raise an error for duplicates in a query."""
    assert qrels.lines is not None  # noqa: S101
    positions = read_predictions(source, len(qrels.levels), qrels.where, source.name)
    for place in np.flatnonzero((positions < 0) | (positions != np.floor(positions))).tolist():
        expected = "an integer ≥ 0 (rank position)"
        raise InputError(f"{positions[place]:g}", expected, source.name, find_line(source, place))
    query = np.empty(len(positions), dtype=np.int64)
    query[qrels.lines] = np.repeat(np.arange(len(qrels.topics)), np.diff(qrels.offsets))
    order = np.lexsort((positions, query))
    is_duplicate = (np.diff(positions[order]) == 0) & (np.diff(query[order]) == 0)
    if is_duplicate.any():
        duplicate = order[1:][is_duplicate].min()
        original = np.flatnonzero((query == query[duplicate]) & (positions == positions[duplicate]))[0]
        first, line = (find_line(source, int(place)) for place in (original, duplicate))
        text = f"duplicate position {positions[duplicate]:g} in query {qrels.topics[query[duplicate]]}"
        problem = f"{text} (first on line {first})"
        raise InputError.from_problem(problem, "", source.name, line)
    return positions


def format_blocks(scores: Scores, per_query: bool) -> str:
    """Format the scores of a run as LETOR does: trailing tabs, queries numbered from 0."""
    text = ""
    for name, columns in _group_families(scores.measures):
        heading, values = BLOCKS[name], scores.values[0, :, columns]
        if per_query:
            for number, row in enumerate(values.tolist()):
                text += f"{heading} of query{number}:\t{_format_numbers(name, row)}\n"
        text += MEANS[name].format(_format_numbers(name, average_rows(values).tolist()))
    return text


def format_table(scores: Scores, per_query: bool) -> str:
    """Format the scores of a run as later releases do: by qid, with four decimals."""
    qids = list(scores.topics)
    if all(parse_finite(qid) is not None for qid in qids):
        qids.sort(key=float)
    ordered = scores[:, qids, :].values[0]
    depth = _get_depth(scores)
    text = ""
    for heading, last, start in (("P", "MAP", 0), ("NDCG", "MeanNDCG", depth + 1)):
        values = ordered[:, start : start + depth + 1]
        text += _format_line("qid", (*(f"{heading}@{n + 1}" for n in range(depth)), last))
        rows = zip(qids, values, strict=True) if per_query else ()
        for qid, row in (*rows, ("Average", average_rows(values))):
            text += _format_line(qid, (f"{value:.4f}" for value in row))
        text += "\n"
    return text


def _format_numbers(name: str, values: Iterable[float]) -> str:
    """Format numbers as Perl does, each with a tab. MAP is one number without a tab."""
    separator = "" if name == "AP" else "\t"
    return "".join(f"{value:.15g}{separator}" for value in values)


def format_tidy_scores(scores: Scores, per_query: bool) -> str:
    """Format the scores of a run as a table of topics (all is the mean), measures and values."""
    rows = zip(scores.topics, scores.values[0].tolist(), strict=True) if per_query else ()
    means = scores.summary()[scores.runs[0]]
    lines = [_format_line(TIDY[0], TIDY[1:])]
    for topic, values in (*rows, ("all", means.values())):
        pairs = zip(scores.measures, values, strict=True)
        lines += [_format_line(topic, (measure, value)) for measure, value in pairs]
    return "".join(lines)


def _group_families(names: Iterable[str]) -> Iterator[tuple[str, slice]]:
    """Yield the first word of adjacent measures, and their columns."""
    for family, members in groupby(enumerate(names), lambda pair: re.split(r"[@(]", pair[1])[0]):
        places = [place for place, _ in members]
        yield family, slice(places[0], places[-1] + 1)


def _format_line(first: str, values: Iterable[str | float]) -> str:
    return "\t".join([first, *map(str, values)]) + "\n"


# -- the t-test -----------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """A paired, two-sided t-test between two systems."""

    measure: str
    mean_a: float
    mean_b: float
    difference: float
    t: float
    p: float


def run_t_tests(path_a: str, path_b: str) -> tuple[list[Comparison], list[Note]]:
    """Run paired, two-sided t-tests between two systems.

    The files have the results of every query, both in the same layout.
    """
    sources = Source.from_path(path_a), Source.from_path(path_b)
    a, b = map(read_results, sources)
    if _is_tidy(sources[0]) != _is_tidy(sources[1]):  # one has qids, the other numbers
        problem = f"layout differs from {path_a}"
        raise InputError.from_problem(problem, "Use two tidy files, or none.", path_b)
    _check_same_queries(a, b, path_a, path_b)
    names = list(next(iter(a.values())))
    x, y = (np.array([[result[q][name] for name in names] for q in a]) for result in (a, b))
    tests = []
    for name, *results in zip(names, x.T, y.T, strict=True):
        mean_a, mean_b = (math.fsum(values) / len(values) for values in results)
        result = t_test(*results)
        differ = (results[0] != results[1]).any()
        t, p = (result.statistic, result.pvalue) if differ else (math.nan, math.nan)
        tests.append(Comparison(name, mean_a, mean_b, mean_a - mean_b, t, p))
    return tests, list(_collect_notes(names, x - y))


def _collect_notes(names: Sequence[str], differences: Floats) -> Iterator[Note]:
    is_constant, zero = (differences == differences[0]).all(axis=0), differences[0] == 0
    for mask, text in (
        (is_constant & zero, "all differences are 0: t and p are nan"),
        (is_constant & ~zero, "the difference is the same in every query: t is infinite"),
    ):
        if mask.any():
            yield Note("t-test", f"{', '.join(compress(names, mask))}: {text}")


def _check_same_queries(a: Results, b: Results, path_a: str, path_b: str) -> None:
    """Raise an error unless both have the same queries, at least 2, and measures."""
    if len(a) != len(b):
        raise InputError(_format_queries(b), f"{len(a):,} as in {path_a}", path_b)
    if unknown := [query for query in b if query not in a]:
        raise InputError.from_problem(f"query {unknown[0]} is missing in {path_a}", "", path_b)
    if len(a) < 2:
        raise InputError(_format_queries(a), "at least 2 for a t-test", path_a)
    names = next(iter(a.values())).keys()
    for results, path in ((a, path_a), (b, path_b)):
        for query, values in results.items():
            if values.keys() != names:
                text = f"{format_count(len(values), 'value')} for query {query}"
                requirement = f"as for the other queries of {path_a} and {path_b}"
                raise InputError(text, f"{len(names)}, {requirement}", path)


def _format_queries(results: Results) -> str:
    return "1 query" if len(results) == 1 else f"{len(results):,} queries"


def read_results(source: Source) -> Results:
    """Read the results of every query from a file in either layout, or from LETOR's own files."""
    lines = list(iter_text_lines(source))
    is_tidy = _is_tidy(source)
    results: Results = {}
    for number, line in lines[1:] if is_tidy else lines:
        parse = _parse_tidy_line if is_tidy else _parse_block_line
        for query, measure, text in parse(line, source.name, number):
            value = parse_finite(text)
            if value is None:
                raise InputError(f"{measure} {text!r}", "a finite number", source.name, number)
            if measure in results.setdefault(query, {}):
                problem = f"duplicate {measure} of query {query}"
                raise InputError.from_problem(problem, "", source.name, number)
            results[query][measure] = value
    if not results:
        problem = "no results of single queries"
        raise InputError.from_problem(problem, "Write them with FLAG 1.", source.name)
    return results


def _is_tidy(source: Source) -> bool:
    _, header = next(iter_text_lines(source), (0, ""))
    return tuple(header.split("\t")) == TIDY


def _parse_tidy_line(line: str, location: str, number: int) -> list[tuple[str, str, str]]:
    fields = line.split("\t")
    if len(fields) != len(TIDY):
        raise InputError(repr(line), " ".join(TIDY), location, number)
    topic, measure, value = fields
    return [] if topic == "all" else [(topic, measure, value)]


def _parse_block_line(line: str, location: str, number: int) -> list[tuple[str, str, str]]:
    if _MEAN.fullmatch(line.strip()):
        return []
    match = _QUERY.fullmatch(line.strip())
    if match is None or not (values := match[3].split()):
        expected = "a line such as precision of query1: 1.0 0.5"
        raise InputError(repr(line[:60]), expected, location, number)
    names = _map_headings(len(values))[match[1].lower()]
    if len(values) != len(names):
        raise InputError(format_count(len(values), "value"), "one", location, number)
    return [(match[2], name, value) for name, value in zip(names, values, strict=True)]


@cache
def _map_headings(depth: int) -> dict[str, list[str]]:
    """Map the headings of blocks to the measures up to a depth."""
    names = [str(m) for m in build_measures(depth)]
    return {BLOCKS[name].lower(): names[columns] for name, columns in _group_families(names)}


def format_test_blocks(tests: Sequence[Comparison]) -> str:
    """Format the p-value of each measure in LETOR's layout."""
    headings = BLOCKS | {"AP": "MAP"}
    return "".join(
        _format_line(f"{headings.get(name, name)}:", (test.p for test in tests[columns]))
        for name, columns in _group_families([test.measure for test in tests])
    )


def format_tidy_tests(tests: Sequence[Comparison]) -> str:
    """Format the tests as a table."""
    first, *names = Comparison._fields
    return _format_line(first, names) + "".join(_format_line(test.measure, test[1:]) for test in tests)


# -- rendering ------------------------------------------------------------------------------------


def render_scores(
    test: str,
    prediction: str,
    flag: str,
    tidy: bool = False,
    depth: int | None = None,
    ties: TieOrder = "file",
    as_version: str | None = None,
) -> Printed:
    """P@n, MAP and NDCG@n of scores.

    Write P@n, MAP and NDCG@n of rankings ordered by score, descending.

    As Eval-Score; tied documents keep the order of the file.
    """
    scores = eval_score(test, prediction, depth, ties, as_version)
    layout = format_tidy_scores if tidy else format_table if as_version else format_blocks
    return layout(scores, flag == PER_QUERY_FLAG), list(scores.notes)


def render_ranks(test: str, prediction: str, flag: str, tidy: bool = False, depth: int = DEPTH) -> Printed:
    """P@n, MAP and NDCG@n of rank positions.

    Write P@n, MAP and NDCG@n of lists ordered by position, 1 first.
    """
    scores = eval_rank(test, prediction, depth)
    return (format_tidy_scores if tidy else format_blocks)(scores, flag == PER_QUERY_FLAG), list(scores.notes)


def render_tests(path_a: str, path_b: str, tidy: bool = False) -> Printed:
    """Paired, two-sided t-test between the results of two systems.

    Test whether two systems differ: P@n, MAP and NDCG@n, paired by query, two-sided. OUTPUT has the
    p-values.
    """
    tests, notes = run_t_tests(path_a, path_b)
    return (format_tidy_tests if tidy else format_test_blocks)(tests), notes
