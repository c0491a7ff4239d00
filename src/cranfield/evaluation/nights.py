"""Nightly results: the same runs, topics and measures on several nights."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.data.systems import check_distinct_paths
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.results import read_scores
from cranfield.scores import Note, Scores
from cranfield.wording import format_count, format_names, format_option

MissingTopics: TypeAlias = Literal["error", "common"]
SERIES = "run"  # name of a run with another name on every night


@dataclass(frozen=True, eq=False)
class Nights:
    """Scores of each run, with nights as runs. The baseline is the last of these runs."""

    scores: Mapping[str, Scores]
    measures: tuple[str, ...]
    baseline: str | None
    notes: tuple[Note, ...]


def read_nights(
    nights: Any, baseline: Any, measures: Any = None, missing: MissingTopics = "error", lower: Any = ()
) -> Nights:
    """Read the scores of nights, and of a baseline, for the same runs, topics and measures."""
    check_choice("missing", missing, MissingTopics)
    sources = _name_sources(nights, baseline)
    parts = {name: _read_night(source, measures, lower) for name, source in sources.items()}
    baseline_name = None if baseline is None else [*parts][-1]
    if len(parts) - (baseline is not None) < (1 if baseline is not None else 2):
        count = format_count(len(parts) - (baseline is not None), "night")
        raise InputError(count, "at least 2 nights, or a baseline")
    runs, run_notes = _match_runs(parts, baseline_name, missing)
    columns, measure_notes = _match_measures(parts, measures)
    topics, topic_notes = _match_topics(parts, missing)
    series = {
        run: _join_nights({name: parts[name].select(runs=[own]) for name, own in names.items()}, topics, columns)
        for run, names in runs.items()
    }
    notes = (*run_notes, *measure_notes, *topic_notes, *_collect_notes(parts))
    return Nights(series, tuple(columns), baseline_name, notes)


def _read_night(source: Any, measures: Any, lower: Any) -> Scores:
    """Return the scores of a night: any input of `read_scores`, or ``{topic: score}``.

    Seeds of a system are averaged.
    """
    if isinstance(source, Mapping) and source and all(isinstance(value, Real) for value in source.values()):
        source = {SERIES: source}
    scores = read_scores(source, measures=measures, lower=lower)
    if scores.clusters:
        raise InputError.from_problem("nightly results of topics in clusters", "Evaluate without clusters.")
    if not scores.systems:
        return scores
    groups: dict[str, list[int]] = {}
    for place, run in enumerate(scores.runs):
        groups.setdefault(scores.systems.get(run, run), []).append(place)
    values = np.array([scores.values[places].mean(axis=0) for places in groups.values()])
    largest = max(map(len, groups.values()))
    note = Note("seeds", f"means over up to {format_count(largest, 'seed')} of each system are used")
    return replace(scores, values=values, runs=tuple(groups), systems={}, notes=(*scores.notes, note))


# -- names ----------------------------------------------------------------------------------------


def _name_sources(nights: Any, baseline: Any) -> dict[str, Any]:
    """Return the sources of nights and of the baseline, by name."""
    if isinstance(nights, Mapping):
        sources = {str(name): source for name, source in nights.items()}
    elif isinstance(nights, str | os.PathLike) or not isinstance(nights, Iterable):
        raise InputError(repr(nights), "paths of nights, or {night: scores}")
    else:
        items = [*nights]
        if not all(isinstance(item, str | os.PathLike) for item in items):
            raise InputError("nights without names", "{night: scores}")
        check_distinct_paths(items, "night")
        sources = dict(zip(name_files(items), items, strict=True))
    if baseline is None:
        return sources
    is_path = isinstance(baseline, str | os.PathLike)
    name = name_files([baseline])[0] if is_path else "baseline"
    return {**sources, name if name not in sources else f"{name} (baseline)": baseline}


def name_files(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return names of files: without extension, or the parts of their paths that differ.

    >>> name_files(["runs/2026-11-18.tsv.gz", "runs/2026-11-19.tsv.gz"])
    ['2026-11-18', '2026-11-19']
    >>> name_files(["mon/scores.tsv", "tue/scores.tsv"])
    ['mon', 'tue']
    """
    parts = [_remove_extensions(os.fspath(path)).replace(os.sep, "/").split("/") for path in paths]
    names = [part[-1] for part in parts]
    if len({*names}) == len(names):
        return names
    depth = max(map(len, parts))
    padded = [[""] * (depth - len(part)) + part for part in parts]
    differing = [len({*column}) > 1 for column in zip(*padded, strict=True)]
    return ["/".join(x for x, differs in zip(part, differing, strict=True) if differs and x) for part in padded]


def _remove_extensions(path: str) -> str:
    head, name = os.path.split(path)
    for _ in range(2):  # .tsv.gz
        root, extension = os.path.splitext(name)
        if not root or not extension[1:].isalpha():
            break
        name = root
    return os.path.join(head, name)


# -- the same runs, measures and topics -----------------------------------------------------------


def _match_runs(
    parts: Mapping[str, Scores], baseline: str | None, missing: MissingTopics
) -> tuple[dict[str, dict[str, str]], list[Note]]:
    """Return the name of each run on each night, and a note on runs that some nights lack."""
    nights = {name: part.runs for name, part in parts.items() if name != baseline}
    notes: list[Note] = []
    if all(len(runs) == 1 for runs in nights.values()):
        names = {runs[0] for runs in nights.values()}
        single = next(iter(names)) if len(names) == 1 else SERIES
        runs_by_night = {single: {night: runs[0] for night, runs in nights.items()}}
    else:
        complete, notes = _find_complete_runs(nights, missing)
        runs_by_night = {run: dict.fromkeys(nights, run) for run in complete}
    if baseline is not None:
        for run, names_of_run in runs_by_night.items():
            names_of_run[baseline] = _find_baseline_run(parts[baseline].runs, run, baseline)
    return runs_by_night, notes


def _find_baseline_run(names: Sequence[str], run: str, baseline: str) -> str:
    """Return the run of the baseline with the same name, or its only run."""
    if run in names:
        return run
    if len(names) > 1:
        raise InputError(f"baseline {baseline} without run {run}", f"one run, or {run}")
    return names[0]


def _find_complete_runs(nights: Mapping[str, Sequence[str]], missing: MissingTopics) -> tuple[list[str], list[Note]]:
    """Return the runs of all nights, and a note on others."""
    counts = Counter(run for runs in nights.values() for run in runs)
    complete = [run for run, count in counts.items() if count == len(nights)]
    incomplete = _subtract(counts, complete)
    if not incomplete:
        return complete, []
    if missing == "error" or not complete:
        lacking = [night for night, runs in nights.items() if incomplete[0] not in runs]
        option = format_option("--missing common", 'missing="common"')
        fix = f"{option} uses the runs of all nights: {format_names(complete, 'run')}." if complete else ""
        raise InputError.from_problem(f"run {incomplete[0]} is missing on {format_names(lacking, 'night')}", fix)
    return complete, [Note("missing-runs", f"{format_names(incomplete, 'run')} excluded: missing on some nights")]


def _match_measures(parts: Mapping[str, Scores], selection: Any) -> tuple[list[str], list[Note]]:
    """Return the measures of all nights, without counts unless they are selected."""
    first, *others = parts.values()
    wanted = [
        m for m, summary, better in zip(first.measures, first.summaries, first.better, strict=True)
        if summary != "se" and (selection is not None or better != "neither")
    ]  # fmt: skip
    measures = [m for m in wanted if all(m in part.measures for part in others)]
    if not measures:
        raise InputError.from_problem("no measure that all nights have", "Use -m to select and rename measures.")
    everything = dict.fromkeys(m for part in parts.values() for m in part.measures)
    excluded = [m for m in everything if any(m not in part.measures for part in parts.values())]
    text = f"{format_names(excluded, 'measure')} excluded: missing on some nights"
    return measures, [Note("missing-measures", text)] if excluded else []


def _match_topics(parts: Mapping[str, Scores], missing: MissingTopics) -> tuple[list[str], list[Note]]:
    """Return the topics of all nights, and a note on others."""
    counts = Counter(topic for part in parts.values() for topic in part.topics)
    topics = [topic for topic, count in counts.items() if count == len(parts)]
    absent = tuple(topic for topic, count in counts.items() if count < len(parts))
    if not absent:
        return topics, []
    if not topics:
        raise InputError.from_problem("the nights have no topic in common")
    if missing == "error":
        night, lacking = _find_missing_topics(parts, counts)
        option = format_option("--missing common", 'missing="common"')
        fix = f"{option} uses the {format_count(len(topics), 'topic')} of all nights."
        raise InputError.from_problem(f"night {night} lacks {format_names(lacking, 'topic')} of other nights", fix)
    text = f"{format_names(absent, 'topic')} excluded: missing on some nights"
    return topics, [Note("missing-topics", text, None, absent)]


def _find_missing_topics(parts: Mapping[str, Scores], topics: Iterable[str]) -> tuple[str, list[str]]:
    """Return the first night that lacks topics, and these topics."""
    names = [*topics]
    lacking = {night: _subtract(names, part.topics) for night, part in parts.items()}
    return next((night, names) for night, names in lacking.items() if names)


def _subtract(names: Iterable[str], excluded: Iterable[str]) -> list[str]:
    excluded = {*excluded}
    return [name for name in names if name not in excluded]


def _join_nights(parts: Mapping[str, Scores], topics: Sequence[str], measures: Sequence[str]) -> Scores:
    """Return the scores of a run, with nights as runs."""
    selected = [part.select(topics=[*topics], measures=[*measures]) for part in parts.values()]
    rows = [part.values[0][[part.topics.index(topic) for topic in topics]] for part in selected]
    last = selected[-1]
    return replace(last, values=np.array(rows), runs=tuple(parts), notes=())


def _collect_notes(parts: Mapping[str, Scores]) -> Iterator[Note]:
    """Yield one note of each kind, with the number of other nights."""
    by_kind: dict[str, list[tuple[str, Note]]] = {}
    for name, part in parts.items():
        for note in part.notes:
            by_kind.setdefault(note.kind, []).append((name, note))
    for kind, named in by_kind.items():
        (name, note), *_ = named[::-1]
        nights = {night for night, _ in named}
        others = len(nights) - 1
        also = f". Also affected: {format_count(others, 'other night')}" if others else ""
        yield Note(kind, f"{name}: {note.text.rstrip('.')}{also}", None, note.topics)
