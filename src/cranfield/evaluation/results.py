"""`read_scores`: scores of topics that were computed elsewhere."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import chain, product
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.data.folding import explain_folded, match_folded
from cranfield.data.qrels import Qrels
from cranfield.data.reading.lines import Line
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.results import ALL, Excluded, Result, not_scores, read_results
from cranfield.data.run import Run
from cranfield.data.systems import RunNames, distinct, refuse_twice
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, one_of
from cranfield.measures.base import Measure
from cranfield.measures.grammar import name_and_rest, parse_measure
from cranfield.scores import Facts, Notice, Scores, about
from cranfield.wording import some, suggests_keywords

Missing: TypeAlias = Literal["error", "common", "zero"]
ScoresLike: TypeAlias = Any  # Scores, paths, {run: …}, frames
Reader: TypeAlias = Callable[..., Iterator[Result]]

IN_MEMORY = "scores"  # where those are that no file has
NO_SCORES = "judgments and results are no scores yet: evaluate(qrels, runs) makes them"


@suggests_keywords
def read_scores(
    data: ScoresLike,
    missing: Missing = "error",
    measures: str | Sequence[Any] | None = None,
    lower: str | Sequence[Any] = (),
    run_names: RunNames = "tag",
) -> Scores:
    """Scores by topic, from whatever tool computed them.

    `data` is a path or several: what ``trec_eval -q``, ndeval, gdeval, ir_measures or NTCIREVAL
    printed, a table (CSV, TSV, JSONL, Parquet, Arrow) with the columns run, topic, measure and
    value or with a column for each measure, or what `Scores.save` wrote; or ``{run: …}``, each a
    path, ``{topic: value}``, ``{topic: {measure: value}}`` or ``{measure: {topic: value}}``; or a
    Polars or pandas frame. A run is called as a ``runid`` or a column says; where files have
    scores of runs with the same name, or nothing names them, by the path as given; and always with
    `run_names` ``file``.

    Runs are compared topic by topic, so all need the same topics: if one lacks some, that is an
    error, unless `missing` says that only ``common`` topics count, or that what is missing is
    ``zero``. What no run has is undefined, not missing. `measures` chooses some, by the names they
    have in the files (``"hit=Success@10"`` gives a column another name); otherwise those that not
    every run has are left out. Of measures that are not known here, higher values are taken to be
    better, but for those that `lower` names.

    >>> read_scores({"bm25": {"301": 0.5, "302": 0.25}, "dense": {"301": 0.75, "302": 0.5}}).mean()
    {'bm25': {'score': 0.375}, 'dense': {'score': 0.625}}
    """
    one_of("missing", missing, Missing)
    one_of("run_names", run_names, RunNames)
    return _read(data, missing, measures, lower, run_names)


def read_incomplete(
    data: ScoresLike, measures: Any = None, lower: Any = (), run_names: RunNames = "tag"
) -> Scores:
    """Read scores as `read_scores` does; a value that a run lacks and another has is NaN.

    >>> read_incomplete({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75}}).values.tolist()
    [[[0.5], [0.25]], [[0.75], [nan]]]
    """
    return _read(data, "nan", measures, lower, run_names)


def _read(
    data: ScoresLike,
    missing: Missing | Literal["nan"],
    measures: str | Sequence[Any] | None,
    lower: str | Sequence[Any],
    run_names: RunNames,
) -> Scores:
    """Read scores; what is missing is an error, left out, 0 or NaN."""
    if isinstance(data, Scores):
        scores = _turned(data, lower)
        if measures is None:
            return scores
        return _called(scores.select(measures=columns_of(scores.measures, measures)), measures)
    asked = () if measures is None else _several(measures)
    excluded: Excluded = {}
    read = partial(
        read_results,
        known=lambda name: name in asked or _is_known(name),
        wanted=_asked_for(measures),
        run_names=run_names,
        excluded=excluded,
    )
    parts = sorted(_parts(data, read), key=lambda part: not isinstance(part, _Saved))
    if len(parts) == 1 and isinstance(parts[0], _Saved) and run_names == "tag":
        return _read(parts[0].scores, missing, measures, lower, run_names)
    rows = (_rows(part, run_names) if isinstance(part, _Saved) else part for part in parts)
    scores = _collected(chain.from_iterable(rows), missing, measures, lower)
    notes = (*_exclusions(excluded), *_suspected_summaries(scores), *_suspected_failures(scores))
    return _called(replace(scores, notices=(*scores.notices, *notes)), measures)


SUMMARY_WORDS = ("mean", "amean", "average", "avg")
ROUNDING = 1e-4  # of values that tools print


def _exclusions(excluded: Excluded) -> Iterator[Notice]:
    """Note summary rows; files with ``all`` are as expected, and no topic has this name."""
    for (where, name), in_file in excluded.items():
        if name != ALL or not in_file:
            yield Notice("summary-rows", f"{where}: summary row {name!r} excluded")


def _suspected_failures(scores: Scores) -> Iterator[Notice]:
    """Warn of −1 among scores of 0 to 1: judges write it if they fail."""
    for m, measure in enumerate(scores.measures):
        values = scores.values[:, :, m]
        failed = values == -1
        known = values[~failed & ~np.isnan(values)]
        if failed.any() and known.size and ((known >= 0) & (known <= 1)).all():
            count = f"{failed.sum()} of {failed.sum() + known.size} scores are −1"
            text = f"{measure}: {count}, the others from 0 to 1. −1 is averaged"
            yield Notice("failed", f"{text}. If the judge failed, remove these scores.")


def _suspected_summaries(scores: Scores) -> Iterator[Notice]:
    """Warn of topics that are called mean, and have the mean values of the others."""
    suspects = [topic for topic in scores.topics if topic.lower() in SUMMARY_WORDS]
    others = [topic not in suspects for topic in scores.topics]
    values = scores.values[:, :, [summary == "mean" for summary in scores.summaries]]
    if not suspects or sum(others) < 2 or not values.size or np.isnan(values).any():
        return
    means = values[:, others].mean(axis=1)
    for topic in suspects:
        if np.allclose(values[:, scores.topics.index(topic)], means, 0, ROUNDING):
            text = f"topic {topic!r} has the mean values of the other topics, and counts as a topic"
            yield Notice("summary-topic", f"{text}. If it is a summary, remove its rows.")


class _Saved(NamedTuple):
    """Scores that cranfield made, and where they are."""

    scores: Scores
    where: str = IN_MEMORY


def _parts(data: ScoresLike, read: Reader) -> Iterator[_Saved | Iterable[Result]]:
    """Each file, frame or run by itself."""
    _refuse_run(data)
    if isinstance(data, str | os.PathLike):
        yield _of_file(data, read)
    elif is_frame(data):
        yield read(data)
    elif isinstance(data, Mapping):
        for run, given in data.items():
            yield _of_run(str(run), given, read)
    elif isinstance(data, Iterable):
        given = list(data)
        for x in given[:1]:
            _refuse_run(x)
        _refuse_unnamed(given, "")
        if any(isinstance(x, str | os.PathLike | Scores) or is_frame(x) for x in given):
            refuse_twice((x for x in given if isinstance(x, str | os.PathLike)), "file")
            for x in given:
                yield from [_Saved(x)] if isinstance(x, Scores) else _parts(x, read)
        else:
            yield read(given)
    else:
        expected = "scores: paths, a mapping or a frame"
        raise InputError(type(data).__name__, expected, hint=NO_SCORES)


def _of_run(run: str, given: Any, read: Reader) -> Iterator[Result]:
    """The results of one run, whatever they call it."""
    _refuse_run(given, run)
    _refuse_unnamed(given, f" for run {run}")
    for result in read(given, run):
        yield result._replace(run=run)


def _refuse_run(given: Any, where: str | None = None) -> None:
    """Raise an error for a run or judgments that have been read."""
    if isinstance(given, Run | Qrels):
        kind = "qrels" if isinstance(given, Qrels) else "a run"
        raise not_scores(f"found {kind}, expected scores", where)


def _refuse_unnamed(given: Any, of: str) -> None:
    """Numbers without topics; told by the first."""
    if not isinstance(given, Collection) or isinstance(given, str | Mapping) or is_frame(given):
        return
    first = next(iter(given), None)
    row = first if isinstance(first, list | np.ndarray) else [first]
    if all(isinstance(x, Real) for x in row):
        found = f"{type(given).__name__} of numbers{of}"
        raise InputError(found, "{topic: score}: runs are paired by topic")


def _of_file(path: str | os.PathLike[str], read: Reader) -> _Saved | Iterable[Result]:
    source = Source.of(path)
    if source.start.startswith(b"PAR1") and source.path.endswith(".parquet"):
        with suppress(InputError):  # a table that others wrote
            return _Saved(Scores.load(source), source.name)
    if source.start.lstrip().startswith(b'{"runs"'):
        text = source.read()
        if b'"values"' in text:
            return _Saved(Scores.from_json(text.decode("utf-8", "replace")), source.name)
    return read(source)


def _rows(saved: _Saved, run_names: RunNames) -> Iterator[Result]:
    scores, place = saved.scores, Line(saved.where, None, {})
    by_file = run_names == "file" and saved.where != IN_MEMORY
    runs = [saved.where if by_file else run for run in scores.runs]
    names = product(runs, scores.topics, scores.measures)
    for of_value, value in zip(names, scores.values.ravel().tolist(), strict=True):
        yield Result(*of_value, value, place)


def _collected(
    results: Iterable[Result],
    missing: Missing | Literal["nan"],
    wanted: str | Sequence[Any] | None,
    lower: str | Sequence[Any],
) -> Scores:
    table = _Table.of(results)
    turned = _chosen(table.names, lower)
    measures, lacking = _of_all(table, _chosen(table.names, wanted), asked=wanted is not None)
    topics, notices = _topics(table, measures, missing)
    fill = math.nan if missing == "nan" else 0.0
    rows = [[table.row(run, topic, measures, fill) for topic in topics] for run in table.by_run]
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(topics), len(measures))
    summed_up = [*map(_summed_up, measures)]
    guesses = [m for m in measures if m not in turned and _is_guess(m)]
    scores = Scores(
        values,
        tuple(table.by_run),
        tuple(topics),
        tuple(measures),
        tuple(summary for summary, _ in summed_up),
        "skip" if np.isnan(values).any() else "zero",
        (*lacking, *notices, *_told(guesses)),
        tuple(better for _, better in summed_up),
    )
    return _turned(scores, [m for m in turned if m in measures])


_Values: TypeAlias = dict[str, dict[str, float | None]]  # topic -> measure


@dataclass(frozen=True, eq=False)
class _Run:
    """The values of a run, and the file that has them."""

    name: str
    where: str
    values: _Values


def _by_run(parts: Iterable[_Run]) -> dict[str, _Values]:
    """The values of each run; parts that have the same values to give are different runs."""
    found: dict[str, list[_Run]] = {}
    for part in parts:
        found.setdefault(part.name, []).append(part)
    joined = [[_joined(few)] if _are_apart(few) else few for few in found.values()]
    return {run.name: run.values for run in distinct([*chain(*joined)], IN_MEMORY)}


def _are_apart(parts: Sequence[_Run]) -> bool:
    """Whether no two of them have a value of the same topic and measure."""
    each = [(topic, m) for part in parts for topic, of in part.values.items() for m in of]
    return len(parts) == 1 or len({*each}) == len(each)


def _joined(parts: Sequence[_Run]) -> _Run:
    values: _Values = {}
    for part in parts:
        for topic, of_topic in part.values.items():
            values.setdefault(topic, {}).update(of_topic)
    return replace(parts[0], values=values)


@dataclass(frozen=True, eq=False)
class _Table:
    """The values of all results; None is a value that a tool calls undefined."""

    by_run: Mapping[str, Mapping[str, Mapping[str, float | None]]]  # run -> topic -> measure
    names: list[str]  # of all measures

    @classmethod
    def of(cls, results: Iterable[Result]) -> _Table:
        parts: dict[tuple[str, str], _Run] = {}  # of each run in each file
        names: dict[str, None] = {}
        for given, topic, measure, value, line in results:
            run = given or "run"
            part = parts.setdefault((run, line.where), _Run(run, line.where, {}))
            of_topic = part.values.setdefault(topic, {})
            if measure in of_topic:
                raise line.error(f"{measure} of topic {topic} again for run {run}", "each once")
            of_topic[measure] = value
            names[measure] = None
        if not parts:
            raise InputError("no scores of topics", "some (trec_eval needs -q)")
        return cls(_by_run(parts.values()), list(names))

    def given(self, run: str, topic: str) -> set[str]:
        """The measures that have a value."""
        of_topic = self.by_run[run].get(topic, {})
        return {measure for measure, value in of_topic.items() if value is not None}

    @cached_property
    def known(self) -> dict[str, set[str]]:
        """The measures of each topic that some run has; what none has is undefined, not missing."""
        known: dict[str, set[str]] = {}
        for run, of_run in self.by_run.items():
            for topic in of_run:
                known.setdefault(topic, set()).update(self.given(run, topic))
        return known

    def row(
        self, run: str, topic: str, measures: Sequence[str], missing: float = 0.0
    ) -> list[float]:
        """The values of a topic, with `missing` ones; what is undefined is not a number."""
        values = dict.fromkeys(self.known[topic], missing)
        of_topic = self.by_run[run].get(topic, {})
        values |= {m: value for m, value in of_topic.items() if value is not None}
        return [values.get(m, math.nan) for m in measures]

    def topics(self, measures: Sequence[str]) -> list[str]:
        """The topics that these measures are listed for, with a value or without."""
        wanted = set(measures)
        runs = self.by_run.values()
        return [t for t in self.known if any(not wanted.isdisjoint(x.get(t, ())) for x in runs)]

    def lacking(self, run: str, topics: Iterable[str], measures: Sequence[str]) -> list[str]:
        """The topics of which a run lacks what another has."""
        wanted = set(measures)
        return [t for t in topics if self.known[t] & wanted - self.given(run, t)]


def _turned(scores: Scores, lower: str | Sequence[Any]) -> Scores:
    """With measures of which lower values are better, whatever was known of them."""
    if not (turned := _chosen(list(scores.measures), lower)):
        return scores
    pairs = zip(scores.measures, scores.better, strict=True)
    return replace(scores, better=tuple("lower" if m in turned else b for m, b in pairs))


def _told(guesses: Sequence[str]) -> Iterator[Notice]:
    if guesses:
        text = "higher values are taken to be better (--lower-is-better, or lower=, says otherwise)"
        names = {name: name for name in guesses}
        facts = Facts(f"{{measures:measure}} not known here: {text}", measures=names)
        yield Notice.from_facts("guessed", facts)


def _of_all(
    table: _Table, measures: list[str], asked: bool
) -> tuple[list[str], tuple[Notice, ...]]:
    """The measures that every run has: one that a run was not scored by is no score of 0."""
    has = {
        run: set().union(*(table.given(run, topic) for topic in of_run))
        for run, of_run in table.by_run.items()
    }
    kept = [m for m in measures if all(m in of_run for of_run in has.values())]
    out = [m for m in measures if m not in kept]
    if not out:
        return measures, ()
    if asked or not kept:
        run = next(run for run, of_run in has.items() if out[0] not in of_run)
        hint = "" if asked else f" ({NO_SCORES})"
        raise InputError(f"no {out[0]} for run {run}", f"it of every run{hint}")
    text = f"{some(out, 'measure')} left out, which not every run has"
    return kept, (Notice("missing-measures", text),)


def _topics(
    table: _Table, measures: Sequence[str], missing: Missing | Literal["nan"]
) -> tuple[list[str], Iterable[Notice]]:
    """The topics to compare on, and what was missing."""
    every = table.topics(measures)
    lacking = {run: table.lacking(run, every, measures) for run in table.by_run}
    lacking = {run: topics for run, topics in lacking.items() if topics}
    if not lacking or missing == "nan":
        return every, ()
    if missing == "zero":
        _refuse_strangers(table)
        zeros = [
            Notice("missing-topics", f"{run}: nothing for {some(topics, 'topic')}, counted as 0",
                   run, tuple(topics))
            for run, topics in lacking.items()
        ]  # fmt: skip
        return every, (*_folded(table, lacking), *zeros)
    incomplete = set(chain.from_iterable(lacking.values()))
    kept = [topic for topic in every if topic not in incomplete]
    if missing == "error":
        run, topics = next(iter(lacking.items()))
        raise _missing(table, run, topics, measures, bool(kept))
    if not kept:
        raise CranfieldError(f"found no topic that all of {some(list(table.by_run), 'run')} have")
    left_out = [topic for topic in every if topic in incomplete]
    about_topics = about("missing-topics", left_out, "left out, which not every run has")
    return kept, (*_folded(table, lacking), *about_topics)


def _folded(table: _Table, lacking: Mapping[str, Sequence[str]]) -> Iterator[Notice]:
    """Warn of topics that runs have, spelt otherwise than in other runs."""
    for run, topics in lacking.items():
        if text := explain_folded(match_folded([*table.by_run[run]], topics)):
            yield Notice("folded-ids", f"{run}: {text} in other runs", run)


def _missing(
    table: _Table, run: str, topics: Sequence[str], measures: Sequence[str], common: bool
) -> InputError:
    """What a run lacks, and what to do about it; `common` says that some topics all runs have."""
    lacks = table.known[topics[0]] - table.given(run, topics[0])
    measure = next(m for m in measures if m in lacks)
    unnamed = list(measures) == ["score"]  # as the documents of judgments would be
    hint = NO_SCORES if unnamed and not common else "or --missing common|zero"
    hint = explain_folded(match_folded([*table.by_run[run]], topics)) or hint
    found = f"no {measure} of {some(topics, 'topic')} for run {run}"
    return InputError(found, f"the same topics of every run ({hint})")


def _refuse_strangers(table: _Table) -> None:
    """Runs none of whose topics another has: zeros would compare nothing."""
    runs = Counter(chain.from_iterable(table.by_run.values()))
    for run, of_run in table.by_run.items():
        if all(runs[topic] == 1 for topic in of_run):
            raise InputError(f"no topic of run {run} that another run has", "topics in common")


def _chosen(names: list[str], wanted: str | Sequence[Any] | None) -> list[str]:
    return names if wanted is None else columns_of(names, wanted)


def columns_of(names: Sequence[str], wanted: str | Sequence[Any]) -> list[str]:
    """The columns of the measures that are wanted, which may have other names there.

    >>> columns_of(["map", "P_10"], "P@10 AP")
    ['P_10', 'map']
    """
    chosen, asked = [], _several(wanted)
    meant = {name: _canonical(name) for name in names} if asked else {}
    for name in asked:
        ours = _canonical(name)
        same = [known for known, theirs in meant.items() if known == name or theirs == ours]
        if not same:
            expected = f"one of {some(names, 'measure')}"
            raise InputError(f"no scores of {name}", expected)
        chosen.append(same[0])
    return chosen


def _asked_for(wanted: str | Sequence[Any] | None) -> Callable[[str], bool]:
    """Whether the values of a measure are."""
    if wanted is None:
        return lambda name: True
    names = _several(wanted)
    ours = {*map(_canonical, names)}
    return cache(lambda name: name in names or _canonical(name) in ours)


def _called(scores: Scores, wanted: str | Sequence[Any] | None) -> Scores:
    """Scores of the measures that are wanted, with the names that their columns are given."""
    if wanted is None:
        return scores
    given = [name for name, _ in _named(wanted)]
    names = [name or m for name, m in zip(given, scores.measures, strict=True)]
    return replace(scores, measures=tuple(names))


def _several(wanted: str | Sequence[Any]) -> list[str]:
    return [meant for _, meant in _named(wanted)]


def _named(wanted: str | Sequence[Any]) -> list[tuple[str, str]]:
    """The measures that are wanted, each with the name that its column is given, if any."""
    each = [wanted] if isinstance(wanted, str) else wanted
    return [name_and_rest(part) for one in each for part in str(one).split()]


def _parsed(name: str) -> Measure | None:
    """The measure of this name, if it is known here."""
    try:
        return parse_measure(name)
    except CranfieldError:
        return None


def _canonical(name: str) -> str:
    """A measure's name as cranfield writes it, or as it is if it is not known here."""
    return str(_parsed(name) or name)


def _is_known(name: str) -> bool:
    return _parsed(name) is not None


def _is_guess(name: str) -> bool:
    """Whether nothing but habit says that higher is better; a score is called so here."""
    return name != "score" and not _is_known(name) and _summed_up(name)[1] == "higher"


def _summed_up(name: str) -> tuple[str, str]:
    """How topics add up to all, and which end is the good one; of unknown measures a guess."""
    measured, _, kind = name.rpartition(".")
    if measured and kind in ("se", "lower", "upper"):  # beside a measure
        return ("se" if kind == "se" else _summed_up(measured)[0]), "neither"
    if measure := _parsed(name):
        return measure.summary, measure.better
    return ("sum", "neither") if name.lower().startswith("num_") else ("mean", "higher")
