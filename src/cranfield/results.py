"""`read_scores`: scores of topics that were computed elsewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.data.results import Result, read_results
from cranfield.data.source import Source
from cranfield.data.tables import is_frame
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.grammar import parse_measure
from cranfield.scores import Notice, Scores
from cranfield.wording import some

Missing: TypeAlias = Literal["error", "common", "zero"]
ScoresLike: TypeAlias = Any  # Scores, paths, {run: …}, frames


def read_scores(
    data: ScoresLike,
    missing: Missing = "error",
    measures: str | Sequence[Any] | None = None,
) -> Scores:
    """Scores by topic, from whatever tool computed them.

    `data` is a path or several: what ``trec_eval -q``, ndeval, gdeval, ir_measures or NTCIREVAL
    printed, a table (CSV, TSV, JSONL, Parquet, Arrow) with the columns run, topic, measure and
    value or with a column for each measure, or what `Scores.save` wrote; or ``{run: …}``, each a
    path, ``{topic: value}`` or ``{topic: {measure: value}}``; or a Polars or pandas frame. A run
    that nothing names is called as its file.

    Runs are compared topic by topic, so all need the same topics: if one lacks some, that is an
    error, unless `missing` says that only ``common`` topics count, or that what is missing is
    ``zero``. `measures` chooses some, by the names they have in the files.

    >>> read_scores({"bm25": {"301": 0.5, "302": 0.25}, "dense": {"301": 0.75, "302": 0.5}}).mean()
    {'bm25': {'score': 0.375}, 'dense': {'score': 0.625}}
    """
    if missing not in ("error", "common", "zero"):
        raise InputError(f"missing={missing!r}", "one of error, common, zero")
    if isinstance(data, Scores):
        return data if measures is None else data.select(measures=_several(measures))
    parts = [*_parts(data)]
    whole = [part for part in parts if isinstance(part, Scores)]
    if len(whole) == len(parts) == 1:
        return read_scores(whole[0], missing, measures)
    of_scores = (_rows(part) for part in parts if isinstance(part, Scores))
    others = (part for part in parts if not isinstance(part, Scores))
    return _collected(chain(*of_scores, *others), missing, measures)


def _parts(data: ScoresLike) -> Iterator[Scores | Iterable[Result]]:
    """Each file, frame or run by itself."""
    if isinstance(data, str | os.PathLike):
        yield _of_file(data)
    elif is_frame(data):
        yield read_results(data, known=_is_known)
    elif isinstance(data, Mapping):
        for run, given in data.items():
            yield _of_run(str(run), given)
    elif isinstance(data, Iterable):
        given = list(data)
        if any(isinstance(x, str | os.PathLike | Scores) or is_frame(x) for x in given):
            for x in given:
                yield from [x] if isinstance(x, Scores) else _parts(x)
        else:
            yield read_results(given, known=_is_known)
    else:
        raise InputError(type(data).__name__, "scores: paths, a mapping or a frame")


def _of_run(run: str, given: Any) -> Iterator[Result]:
    """The results of one run, whatever they call it."""
    for result in read_results(given, run, _is_known):
        yield result._replace(run=run)


def _of_file(path: str | os.PathLike[str]) -> Scores | Iterable[Result]:
    source = Source.of(path)
    if source.start.startswith(b"PAR1") and source.path.endswith(".parquet"):
        with suppress(InputError):  # a table that others wrote
            return Scores.load(source)
    if source.start.lstrip().startswith(b'{"runs"'):
        text = source.read()
        if b'"values"' in text:
            return Scores.from_json(text.decode("utf-8", "replace"))
    return read_results(source, known=_is_known)


def _rows(scores: Scores) -> Iterator[Result]:
    from cranfield.data.cells import Line

    nowhere = Line("scores", None, {})
    for r, run in enumerate(scores.runs):
        for t, topic in enumerate(scores.topics):
            for m, measure in enumerate(scores.measures):
                yield Result(run, topic, measure, float(scores.values[r, t, m]), nowhere)


def _collected(
    results: Iterable[Result], missing: Missing, wanted: str | Sequence[Any] | None
) -> Scores:
    found: dict[str, dict[str, dict[str, float]]] = {}
    names: dict[str, None] = {}
    files: dict[str, str] = {}  # where runs are first
    for given, topic, measure, value, line in results:
        run = given or "run"
        before = files.setdefault(run, line.where)
        of_topic = found.setdefault(run, {}).setdefault(topic, {})
        if measure in of_topic:
            again = f"{measure} of topic {topic} again for run {run}"
            if line.where != before:
                again = f"run {run} again, which {before} has"
                raise line.error(again, "runs with names of their own, as in {name: file}")
            raise line.error(again, "each once")
        of_topic[measure] = value
        names[measure] = None
    if not found:
        raise CranfieldError("found no scores of topics, expected some (trec_eval needs -q)")
    measures = _chosen(list(names), wanted)
    known = _known(found)
    topics, notices = _topics(found, known, measures, missing)
    values = [
        [[of_run.get(t, {}).get(m, 0.0 if m in known[t] else math.nan) for m in measures]
         for t in topics]
        for of_run in found.values()
    ]  # fmt: skip
    summed_up = [*map(_summed_up, measures)]
    return Scores(
        np.array(values, dtype=np.float64).reshape(len(found), len(topics), len(measures)),
        tuple(found),
        tuple(topics),
        tuple(measures),
        tuple(summary for summary, _ in summed_up),
        "skip" if any(map(math.isnan, np.ravel(values))) else "zero",
        tuple(notices),
        tuple(better for _, better in summed_up),
    )


def _known(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, set[str]]:
    """The measures of each topic that some run has; what none has is undefined, not missing."""
    known: dict[str, set[str]] = {}
    for of_run in found.values():
        for topic, of_topic in of_run.items():
            known.setdefault(topic, set()).update(of_topic)
    return known


def _topics(
    found: Mapping[str, Mapping[str, Mapping[str, float]]],
    known: Mapping[str, set[str]],
    measures: Sequence[str],
    missing: Missing,
) -> tuple[list[str], list[Notice]]:
    """The topics to compare on, and what was missing."""
    every = [topic for topic, of_topic in known.items() if not of_topic.isdisjoint(measures)]
    lacking = {
        run: [t for t in every if not known[t].intersection(measures) <= of_run.get(t, {}).keys()]
        for run, of_run in found.items()
    }
    lacking = {run: topics for run, topics in lacking.items() if topics}
    if not lacking:
        return every, []
    if missing == "error":
        run, topics = next(iter(lacking.items()))
        first = topics[0]
        measure = next(m for m in measures if m in known[first] - found[run].get(first, {}).keys())
        raise CranfieldError(
            f"found no {measure} of {some(topics, 'topic')} for run {run}, expected the same "
            "topics of every run (or say what is missing: common topics only, or zero)"
        )
    if missing == "zero":
        return every, [
            Notice("missing-topics", f"{run}: nothing for {some(topics, 'topic')}, counted as 0",
                   run, tuple(topics))
            for run, topics in lacking.items()
        ]  # fmt: skip
    left_out = set(chain.from_iterable(lacking.values()))
    kept = [topic for topic in every if topic not in left_out]
    if not kept:
        raise CranfieldError(f"found no topic that all of {some(list(found), 'run')} have")
    told = [topic for topic in every if topic in left_out]
    said = f"{some(told, 'topic')} left out, which not every run has"
    return kept, [Notice("missing-topics", said, topics=tuple(told))]


def _chosen(names: list[str], wanted: str | Sequence[Any] | None) -> list[str]:
    if wanted is None:
        return names
    chosen = []
    for name in _several(wanted):
        same = [known for known in names if known == name or _canonical(known) == _canonical(name)]
        if not same:
            raise CranfieldError(f"found no scores of {name}, expected one of {', '.join(names)}")
        chosen.append(same[0])
    return chosen


def _several(wanted: str | Sequence[Any]) -> list[str]:
    return (
        wanted.split() if isinstance(wanted, str) else [n for w in wanted for n in str(w).split()]
    )


def _canonical(name: str) -> str:
    """A measure's name as cranfield writes it, or as it is if it is not known here."""
    try:
        return str(parse_measure(name))
    except CranfieldError:
        return name


def _is_known(name: str) -> bool:
    try:
        parse_measure(name)
    except CranfieldError:
        return False
    return True


def _summed_up(name: str) -> tuple[str, str]:
    """How topics add up to all, and which end is the good one; of unknown measures a guess."""
    measured, _, kind = name.rpartition(".")
    if measured and kind in ("se", "lower", "upper"):  # beside a measure
        return ("se" if kind == "se" else _summed_up(measured)[0]), "neither"
    try:
        measure = parse_measure(name)
    except CranfieldError:
        return ("sum", "neither") if name.lower().startswith("num_") else ("mean", "higher")
    return measure.summary, measure.better
