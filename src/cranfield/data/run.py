"""`Run`: the ranked lists of one system, in memory or still in their file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from cranfield.data import trec
from cranfield.data.formats import recognise
from cranfield.data.mappings import Nested, nested, read_json
from cranfield.data.qrels import LARGE
from cranfield.data.records import Problem, Record, errors, first_error
from cranfield.data.source import Source
from cranfield.data.tables import NotATable, frame_table, is_frame, read_table
from cranfield.errors import CranfieldError, InputError

if TYPE_CHECKING:
    import polars as pl

RunLike: TypeAlias = Any  # a path, {topic: {doc: score}}, {topic: [doc, …]}, a frame, tuples, Run
Ties: TypeAlias = Literal["trec", "rank", "given"]
TIES: tuple[Ties, ...] = ("trec", "rank", "given")

Part: TypeAlias = Callable[[], "pl.DataFrame"]


@dataclass(frozen=True, eq=False)
class Run:
    """One system's lists: a mapping, or parts of a table read one after the other.

    The value of a document is what it is ranked by, larger first; equal values are ordered by
    document id, larger first (trec_eval's rule). With `given`, the order is that of the lists.

    >>> read_run({"q1": {"d1": 0.5, "d2": 0.9}}, name="bm25")
    Run 'bm25'
    """

    name: str
    lists: Mapping[str, Mapping[str, float]] | None
    parts: Callable[[], Iterator[Part]] | None = None
    given: bool = False
    where: str = "run"
    source: Source | None = None
    format: str = ""
    contradicted: tuple[str, ...] = ()  # topics whose ranks contradict their scores

    def __repr__(self) -> str:
        return f"Run {self.name!r}"

    def refusal(self) -> CranfieldError:
        """The error that explains why the file cannot be used."""
        assert self.source is not None  # noqa: S101
        return first_error(self.source, self.format, "run")  # type: ignore[arg-type]


def read_run(
    data: RunLike,
    format: str | None = None,
    *,
    name: str | None = None,
    ties: Ties | None = None,
    large: bool | None = None,
) -> Run:
    """A run from a path, a mapping, a Polars or pandas frame, or tuples.

    `ties` is the order of the lists: ``trec`` by score, then document id, both descending (the
    default where there are scores); ``rank`` by the rank column; ``given`` as they come (the
    default where there are no scores). `format` forces the format of a file.
    """
    if ties is not None and ties not in TIES:
        raise CranfieldError(f"found ties {ties!r}, expected one of {', '.join(TIES)}")
    if isinstance(data, Run):
        if ties == "rank":
            raise CranfieldError("found a run already read, expected ties=rank when it is read")
        return replace(data, name=name or data.name, given=data.given or ties == "given")
    if isinstance(data, str | os.PathLike):
        run = _read_file(Source.of(data), format, ties, large)
    elif is_frame(data):
        run = _of_frame(frame_table(data, "run", "run"), "run", ties)
    else:
        run = _of_nested(*nested(data, "run", "run"), ties, "run")
    return replace(run, name=name) if name else run


def _of_nested(
    lists: Nested, scored: bool, ties: Ties | None, where: str, tag: str | None = None
) -> Run:
    if ties == "rank":
        raise CranfieldError(f"{where}: found no rank column, expected one for ties=rank")
    if ties == "trec" and not scored:
        raise CranfieldError(f"{where}: found no scores, expected them for ties=trec")
    return Run(tag or where, lists, given=ties == "given" or not scored, where=where)


def _of_frame(table: pl.DataFrame, where: str, ties: Ties | None) -> Run:
    tag = _tag(table)
    ranked, given = by_order(table, ties, where)
    return Run(tag or where, None, lambda: iter([lambda: ranked]), given=given, where=where)


def _tag(table: pl.DataFrame) -> str | None:
    return str(table["tag"][0]) if "tag" in table.columns and len(table) else None


def by_order(table: pl.DataFrame, ties: Ties | None, where: str) -> tuple[pl.DataFrame, bool]:
    """The table with the value its rows are ranked by, and whether they stand as given."""
    import polars as pl

    if ties == "rank":
        if "rank" not in table.columns or table["rank"].null_count():
            raise CranfieldError(
                f"{where}: found no rank for every document, expected one for ties=rank"
            )
        return table.with_columns(value=-pl.col("rank")), False
    if "value" not in table.columns:
        if ties == "trec":
            raise CranfieldError(f"{where}: found no scores, expected them for ties=trec")
        return table.with_columns(value=pl.lit(0.0)), True
    return table, ties == "given"


def _read_file(source: Source, forced: str | None, ties: Ties | None, large: bool | None) -> Run:
    format = recognise(source, forced)
    if format == "json":
        run = _of_nested(*nested(read_json(source), "run", source.name), ties, source.name)
    elif format == "trec":
        if large if large is not None else source.size > LARGE:
            run = _stream(source, ties)
        else:
            run = _read_text(source, ties)
    elif format == "jsonl":
        run = _read_records(source, format, ties)
    else:
        try:
            run = _of_frame(read_table(source, format, "run"), source.name, ties)
        except NotATable:
            raise first_error(source, format, "run") from None
    return replace(run, source=source, format=format)


def _read_text(source: Source, ties: Ties | None) -> Run:
    """A small file, as a mapping: no need to wake Polars for it."""
    try:
        found = trec.columns(source.read(), "run")
    except trec.Irregular:
        raise first_error(source, "trec", "run") from None
    value, rank = found.value, found.rank or ()
    if ties == "rank":
        places = trec.numbers(rank)
        if places is None:
            expected = "numbers for ties=rank"
            raise InputError("ranks that are not numbers", expected, source.name)
        value = [-place for place in places]
    lists: dict[str, dict[str, float]] = {}
    contradicted: dict[str, None] = {}
    topics, docs = found.topic, found.doc
    changes = [i for i in range(1, len(topics)) if topics[i] != topics[i - 1]]
    for a, b in pairwise([0, *changes, len(topics)] if topics else []):
        lists.setdefault(topics[a], {}).update(zip(docs[a:b], value[a:b], strict=True))
        if ties in (None, "trec") and _contradict(rank[a:b], value[a:b]):
            contradicted[topics[a]] = None
    if not docs or sum(map(len, lists.values())) < len(docs):
        raise first_error(source, "trec", "run")
    return Run(
        found.tag or source.name,
        dict(lists),
        given=ties == "given",
        where=source.name,
        contradicted=tuple(contradicted),
    )


@lru_cache(maxsize=4)
def _counting(n: int) -> list[str]:
    """1 to n, as most runs write their ranks."""
    return list(map(str, range(1, n + 1)))


def _contradict(ranks: Sequence[str], score: list[float]) -> bool:
    """Whether a better rank goes with a lower score."""
    falling = all(map(float.__ge__, score, score[1:]))
    if falling and list(ranks) == _counting(len(ranks)):
        return False
    rank = trec.numbers(ranks)
    if rank is None:
        return False
    ordered = sorted(zip(rank, score, strict=True), key=lambda pair: (pair[0], -pair[1]))
    return any(above[1] < below[1] for above, below in pairwise(ordered))


def _stream(source: Source, ties: Ties | None) -> Run:
    """A large file: its parts are read when it is evaluated, and not kept."""
    first = next(source.pieces(1 << 16), bytes)
    try:
        tag = _tag(trec.frame(first(), "run"))
    except trec.Irregular:
        raise first_error(source, "trec", "run") from None
    if tag is None:
        raise first_error(source, "trec", "run")

    def parts() -> Iterator[Part]:
        for read in source.pieces():
            yield lambda read=read: by_order(trec.frame(read(), "run"), ties, source.name)[0]  # type: ignore[misc]

    return Run(tag, None, parts, given=ties == "given", where=source.name)


def _read_records(source: Source, format: Any, ties: Ties | None) -> Run:
    """Line by line, with the line of every error."""
    found: list[Record] = []
    for item in errors(source, format, "run"):
        if isinstance(item, Problem):
            raise CranfieldError(str(item))
        found.append(item)
    scored = all(r.value is not None for r in found)
    if not scored and any(r.value is not None for r in found):
        raise InputError(
            "scores on some lines only", "a score on every line or on none", source.name
        )
    lists: dict[str, dict[str, float]] = {}
    for place, r in enumerate(found):
        key = -float(place) if r.value is None else r.value
        if ties == "rank":
            if r.rank is None:
                raise InputError("no rank", "one for ties=rank", source.name, r.line)
            key = -r.rank
        lists.setdefault(r.topic, {})[r.doc] = key
    tag = found[0].tag if found else None
    order = None if ties == "rank" else ties
    return _of_nested(dict(lists), scored, order, source.name, tag)
