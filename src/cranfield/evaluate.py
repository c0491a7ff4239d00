"""The one path: judgments and runs in, scores out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from cranfield import notices
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.run import Run, RunLike, Ties, read_run
from cranfield.data.tables import is_frame
from cranfield.errors import CranfieldError, InputError
from cranfield.labelling.blocks import Bools, Floats, Rankings
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.mappings import label_lists
from cranfield.measures.base import Measure
from cranfield.measures.gains import parse_gain
from cranfield.measures.grammar import MeasureLike, parse_measures
from cranfield.measures.lists import BLOCK_CELLS, Gold, blocks, gold_block, lists_block
from cranfield.scores import Notice, Scores
from cranfield.wording import some

Topics: TypeAlias = Literal["judged", "common"]
Undefined: TypeAlias = Literal["zero", "nan", "skip", "error"]

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10")


def evaluate(
    qrels: QrelsLike,
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    **options: Any,
) -> Scores:
    """Score one or several runs.

    `qrels` and each run may be a path, a nested dict, a Polars or pandas frame, or tuples;
    several runs are a list, or a dict from their names. The options are those of `Evaluator`.

    >>> qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
    >>> run = {"q1": {"a": 0.3, "b": 0.9, "x": 0.1}, "q2": {"d": 1.5}}
    >>> evaluate(qrels, run, ["AP", "nDCG@10"]).summary()["run"]["AP"]
    0.625
    """
    return Evaluator(qrels, measures, **options)(runs)


@dataclass(frozen=True)
class _Labelled:
    """One run, labelled: its name, where it placed the judged items, what the user should know."""

    name: str
    rankings: Rankings
    notices: tuple[Notice, ...]


class Evaluator:
    """Judgments prepared once, for many runs: ``ev = Evaluator(qrels, ["AP"]); ev(run)``.

    topics
        ``judged``: every judged topic counts, unanswered ones as empty lists;
        ``common``: only judged topics that every run answers.
    undefined
        What a topic without a relevant document scores: ``zero``; ``nan``, and so do the means
        over it; nothing, it is left out of the means (``skip``); or it is an ``error``.
    ties
        Order of the lists: ``trec``, ``rank`` or ``given``; see `read_run`.
    depth
        Look at so many documents of each list only.
    rel, gains, condensed
        Parameters for all measures that have them and do not set them.
    exclude_self
        Drop a document whose id is the topic's.
    threads
        How many to use; the result does not depend on it.
    progress
        Called with the name of a run whenever another part of it has been read.

    >>> ev = Evaluator({"q1": {"a": 1}}, "RR")
    >>> ev({"q1": {"b": 2.0, "a": 1.0}}).summary()
    {'run': {'RR': 0.5}}
    """

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
        *,
        topics: Topics = "judged",
        undefined: Undefined = "zero",
        ties: Ties | None = None,
        depth: int | None = None,
        rel: float | None = None,
        gains: Any = None,
        condensed: bool = False,
        exclude_self: bool = False,
        threads: int | None = None,
        qrels_format: str | None = None,
        run_format: str | None = None,
        block_cells: int = BLOCK_CELLS,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        _one_of("topics", topics, get_args(Topics))
        _one_of("undefined", undefined, get_args(Undefined))
        if depth is not None and (not isinstance(depth, int | np.integer) or depth < 1):
            raise CranfieldError(f"found depth {depth!r}, expected a whole number from 1")
        self.topics, self.undefined, self.ties, self.depth = topics, undefined, ties, depth
        self.exclude_self, self.run_format, self.progress = exclude_self, run_format, progress
        self.threads = threads or min(4, os.cpu_count() or 1)
        defaults = {"rel": rel, "gain": gains, "condensed": condensed or None}
        self.measures = tuple(_with(m, defaults) for m in parse_measures(measures))
        if not self.measures:
            raise CranfieldError("found no measure, expected at least one")
        self.gold = GoldStandard.of(read_qrels(qrels, qrels_format))
        judgments = self.gold.judgments
        self._blocks: list[tuple[int, int, Gold]] = [
            (a, b, gold_block(judgments, a, b)) for a, b in blocks(judgments, block_cells)
        ]

    def __call__(self, runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike]) -> Scores:
        """Score one or several runs."""
        names: list[str] = []
        labelled: list[_Labelled] = []
        read = [
            read_run(data, self.run_format, name=name, ties=self.ties)
            for name, data in _named(runs)
        ]
        for run, name in zip(read, _distinct(read), strict=True):
            names.append(name)
            labelled.append(self._label(replace(run, name=name)))
        counted = self._counted(labelled)
        values = np.stack([self._values(one.rankings) for one in labelled])[:, counted]
        topics = tuple(np.array(self.gold.judgments.topics, dtype=object)[counted].tolist())
        self._refuse_undefined(topics, values)
        about_judgments = notices.of_judgments(
            self.gold.qrels,
            self.gold.judgments.max_level,
            self.measures,
            lambda m: self._without_relevant(m, counted),
            self.undefined,
        )
        return Scores(
            values=values,
            runs=tuple(names),
            topics=topics,
            measures=tuple(name for m in self.measures for name in m.names()),
            summaries=tuple(m.summary for m in self.measures for _ in m.names()),
            better=tuple(m.better for m in self.measures for _ in m.names()),
            undefined=self.undefined,
            notices=(*about_judgments, *(n for one in labelled for n in one.notices)),
        )

    # -- labelling --------------------------------------------------------------------------

    def _label(self, run: Run) -> _Labelled:
        if run.lists is not None:
            rankings = label_lists(self.gold, run, self.exclude_self)
            topics: tuple[str, ...] = tuple(run.lists)
            contradicted: tuple[str, ...] = ()
        else:
            from cranfield.labelling.columns import label_columns

            found = label_columns(self.gold, run, self.exclude_self, self.threads, self.progress)
            rankings, topics, contradicted = found.rankings, found.topics, found.contradicted
        about = notices.of_run(
            run.name,
            rankings,
            self.gold.judgments,
            self.measures,
            depth=self.depth,
            topics=topics,
            missing="counted as empty lists" if self.topics == "judged" else "left out",
            contradicted=contradicted,
        )
        said = tuple(about)
        if self.depth is not None:
            rankings = rankings.truncated(self.depth)
        return _Labelled(run.name, rankings, said)

    def _counted(self, labelled: Sequence[_Labelled]) -> Bools:
        """The topics that count."""
        counted = np.ones(len(self.gold.judgments.topics), dtype=bool)
        if self.topics == "common":
            for one in labelled:
                counted &= one.rankings.answered
            if not counted.any():
                raise CranfieldError("found no judged topic that every run answers, expected one")
        return counted

    # -- measuring --------------------------------------------------------------------------

    def _values(self, rankings: Rankings) -> Floats:
        """Topics × columns of one run."""
        judgments = self.gold.judgments

        def measured(block: tuple[int, int, Gold]) -> Floats:
            start, stop, gold = block
            lists = lists_block(rankings, judgments, gold, start, stop)
            columns = []
            for m in self.measures:
                x = m.values(lists)
                if self.undefined != "zero" and m.effectiveness:
                    x = np.where(m.view(lists).R[:, None] > 0, x, np.nan)
                columns.append(x)
            return np.concatenate(columns, axis=1)

        if len(self._blocks) > 1 and self.threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(self.threads) as pool:
                parts = list(pool.map(measured, self._blocks))
        else:
            parts = [measured(block) for block in self._blocks]
        return np.concatenate(parts)

    def _refuse_undefined(self, topics: Sequence[str], values: Floats) -> None:
        if self.undefined == "error" and np.isnan(values).any():
            lost = [topic for t, topic in enumerate(topics) if np.isnan(values[:, t]).any()]
            found = f"no relevant document for {some(lost, 'topic')}"
            raise InputError(found, "one with undefined=error", self.gold.qrels.where)

    def _without_relevant(self, m: Measure, counted: Bools) -> list[str]:
        """The topics in which nothing is relevant to this measure."""
        R = np.concatenate([m.view(gold.ideal).R for _, _, gold in self._blocks])
        topics = zip(self.gold.judgments.topics, R, counted, strict=True)
        return [topic for topic, relevant, counts in topics if counts and not relevant]


def _with(m: Measure, defaults: Mapping[str, Any]) -> Measure:
    """The measure with these parameters, where it has them and they are not set."""
    settings = {}
    for f in m.parameters():
        value = defaults.get(f.name)
        if value is not None and getattr(m, f.name) == f.default:
            settings[f.name] = parse_gain(value) if f.name == "gain" else value
    return replace(m, **settings) if settings else m  # type: ignore[arg-type]


def _one_of(name: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        raise CranfieldError(f"found {name} {value!r}, expected {' or '.join(known)}")


# -- naming runs ------------------------------------------------------------------------------


def _named(runs: Any) -> list[tuple[str | None, RunLike]]:
    """The runs of an argument, each with the name the user gave it, if any."""
    if isinstance(runs, Mapping):
        if any(_is_run(value) for value in islice(runs.values(), 100)):
            return [(str(name), run) for name, run in runs.items()]
        return [(None, runs)]
    if isinstance(runs, list | tuple) and any(_is_run(r) for r in runs):
        in_memory = 0
        named: list[tuple[str | None, RunLike]] = []
        for run in runs:
            memory = not isinstance(run, str | os.PathLike | Run)
            in_memory += memory
            named.append((f"run{in_memory}" if memory else None, run))
        return named if named and len(named) > 1 else [(None, runs[0])]
    return [(None, runs)]


def _is_run(value: Any) -> bool:
    """Whether a value is a run by itself, and not a row or a list of one."""
    if isinstance(value, Mapping):
        inner = value.values()
        return bool(value) and all(isinstance(docs, Mapping | list | tuple) for docs in inner)
    return isinstance(value, str | os.PathLike | Run) or is_frame(value)


def _distinct(runs: Sequence[Run]) -> list[str]:
    """A run's name is its tag; where tags clash, the path as given. No path twice."""
    paths = [run.source.path for run in runs if run.source is not None]
    places = [os.path.abspath(path) for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise CranfieldError(f"found {path} twice, expected each run once")
    names = [run.name for run in runs]
    unique = [
        run.source.path if names.count(run.name) > 1 and run.source is not None else run.name
        for run in runs
    ]
    for name in unique:
        if unique.count(name) > 1:
            raise CranfieldError(f"found two runs named {name!r}, expected different names")
    return unique
