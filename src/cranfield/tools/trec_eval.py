"""Drop-in replacement for trec_eval: a line per measure and topic, then for all topics.

Measures have trec_eval's names; `cranfield.measures` computes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data import preferences
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.formats import TREC
from cranfield.data.reading.lines import iter_text_lines, parse_finite, split_fields
from cranfield.data.reading.records import Problem, Record
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Table
from cranfield.data.reading.trec import read_last_tag
from cranfield.data.run import ListRun, Run, TableRun
from cranfield.data.run_reader import read_run
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, DuplicateError, InputError
from cranfield.evaluation.blocks import Block, cut_blocks, map_blocks
from cranfield.labelling.blocks import Judgments, Rankings, count_by
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.preferences import count_preferences
from cranfield.labelling.runs import label_run
from cranfield.labelling.strategies import replace_levels
from cranfield.measures.base import Measure
from cranfield.measures.preferences import MEASURES, PRINTED
from cranfield.measures.trec_eval import BY_GROUP, NAMES, PREFERENCES, apply_gains, compute_unit_gains
from cranfield.scores import FLOOR, Note
from cranfield.tools.drop_ins import check_judgments, make_topic_notes, sum_in_order
from cranfield.tools.trec_measures import Gains, Line, TrecEvalError, find_truncated_ranks, parse_lines

T = TypeVar("T")
MISSING = -1_000_000.0  # No mean to compare with.

RESULTS = "trec_results"
FORMATS = {
    RESULTS: """A line for each document of a list: topic Q0 document rank score run_id. Documents
        are ranked by score, those with equal scores by their names, both descending. The
        rank is ignored. The run_id of the last line is printed.""",
    "qrels": """A line for each judgment: topic iteration document level. Levels are integers.
        A level below 0 means that the document was in the pool and not judged.""",
    "qrels_jg": """A line for each judgment: topic group document level. Each group of judges has
        its own levels. Measures are averaged over the groups of a topic.""",
    "prefs": """A line for each document of a sub group: topic group subgroup document level. Within
        a sub group, a document is preferred to documents of lower levels. Preferences of a group
        are transitive. Level 0 means nonrelevant. Or a line for each pair: topic document other
        preferred.""",
    "qrels_prefs": """A line for each judgment: topic group document level. As prefs, but each
        group has one sub group: qrels read as preferences.""",
}
MEASURED = {  # the measures of each format, besides runid and num_q
    "qrels": tuple(name for name in NAMES if name not in (*PREFERENCES, *BY_GROUP)),
    "qrels_jg": tuple(BY_GROUP),
    "prefs": PREFERENCES,
    "qrels_prefs": PREFERENCES,
}

# -- evaluating -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """Settings of trec_eval, except files and measures."""

    per_topic: bool = False
    summary: bool = True
    complete: bool = False  # Include judged topics that are missing from the run.
    rel: int = 1
    depth: int | None = None
    condensed: bool = False
    docs: int = 0  # in the collection
    topic: str | None = None  # The only evaluated topic.
    format: str = "qrels"
    results: str = RESULTS
    zscores: str | None = None
    version: int = 10
    described: bool = False  # Compute measures of preferences as described.

    def select_topics(self, topics: Sequence[str]) -> list[str]:
        """Return the requested topics in the order of their bytes."""
        return sorted(topics) if self.topic is None else [t for t in topics if t == self.topic]


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Values and texts of judged topics."""

    topics: Sequence[str]
    answered: Bools  # those that the run has
    values: Mapping[Line, Floats]
    relstrings: Mapping[Line, Sequence[str]]
    num_rel: int | None = None  # In the summary, if it is not the sum.
    misdescribed: Sequence[str] = ()  # measures that would have other values as described

    def select(self, mask: Bools) -> Evaluated:
        """Numbers and texts of some of the topics."""
        rows = np.flatnonzero(mask).tolist()
        return Evaluated(
            [self.topics[t] for t in rows],
            self.answered[mask],
            {line: x[mask] for line, x in self.values.items()},
            {line: [texts[t] for t in rows] for line, texts in self.relstrings.items()},
            self.num_rel,
        )


Zscores: TypeAlias = Mapping[tuple[str, str], tuple[float, float]]


def trec_eval(qrels: str, run: str, measures: Iterable[str], settings: Settings) -> tuple[str, list[Note]]:
    """Return the output of trec_eval for a run, and the notes."""
    measures = list(measures)
    lines, complete, zscores = parse_lines(measures, settings.version), settings.complete, None
    _check_formats(settings.format, settings.results, lines)
    evaluate, read = _EVALUATORS[settings.format]
    judged = _read(qrels, settings.format, lines, lambda: read(qrels))
    ranked = _read(run, "results", lines, lambda: _read_run(run, settings.version))
    if (path := settings.zscores) is not None:
        zscores = _read(path, "zscores", lines, lambda: _read_means(path))
    _check_topics(settings.select_topics(judged.topics))
    with np.errstate(all="ignore"):  # Infinite values raise an error.
        all_evaluated = _read(run, "results", lines, lambda: evaluate(judged, ranked, lines, settings))
        evaluated = all_evaluated.select(all_evaluated.answered | (complete and settings.version > 9))
        _check_topics(evaluated.topics)
        _check_finite(evaluated)
        if zscores is not None:
            evaluated = replace(evaluated, values=dict(_standardize(evaluated, zscores)))
            _check_finite(evaluated, np.nansum)  # Means can be nan.
    prefix = "" if zscores is None else "Z"
    text = _format_topics(evaluated, lines, prefix) if settings.per_topic else ""
    if settings.summary:
        n = len(judged.topics) if complete else len(evaluated.topics)
        text += _format_summary(evaluated, n, lines, prefix, ranked)
    notes = [Note("definition", f"{text}, as trec_eval does") for text in find_truncated_ranks(measures)]
    return text, [*notes, *_collect_notes(run, all_evaluated, lines, settings)]


def _check_topics(topics: Sequence[str]) -> None:
    if not topics:
        raise TrecEvalError("trec_eval: No queries with both results and relevance info", 7)


def _check_finite(evaluated: Evaluated, total: Callable[[Floats], Any] = np.sum) -> None:
    for line, x in evaluated.values.items():
        if not np.isfinite(total(x)):
            raise TrecEvalError(f"trec_eval: {line.name} is too large for a floating-point number", 2)


def _check_formats(format: str, results: str, lines: Sequence[Line]) -> None:
    if format not in MEASURED:
        raise TrecEvalError(f"trec_eval: Illegal rel_format '{format}'", 2)
    if results != RESULTS:
        raise TrecEvalError(f"trec_eval: Illegal retrieval results format '{results}'", 2)
    for line in lines:
        if line.measure not in ("runid", "num_q", *MEASURED[format]):
            formats = [name for name, measures in MEASURED.items() if line.measure in measures]
            text = f"trec_eval: found rel_info format {format}, expected {' or '.join(formats)}"
            raise TrecEvalError(f"{text}\ntrec_eval: Can't calculate measure '{line.measure}'", 4)


def _evaluate_qrels(judged: Qrels, run: Run, lines: Sequence[Line], settings: Settings) -> Evaluated:
    gold = GoldStandard.from_qrels(judged.select_topics(settings.select_topics(judged.topics)))
    rankings = _truncate(label_run(gold, run).rankings, settings)
    return Evaluated(
        gold.qrels.topics,
        rankings.answered,
        _compute_values(gold, rankings, lines, settings),
        {
            line: _format_relstrings(rankings, settings.condensed, int((line.numbers or (10,))[0]))
            for line in lines
            if line.measure == "relstring"
        },
        int((judged.levels > 0).sum()) if settings.complete else None,
    )


def _evaluate_groups(
    judged: preferences.JudgmentGroups, run: Run, lines: Sequence[Line], settings: Settings
) -> Evaluated:
    """Evaluate each group as a topic, then average over the groups of a topic."""
    topics, lists = settings.select_topics(judged.topics), run.to_dict()
    names = zip(judged.qrels.topics, judged.topic_of.tolist(), strict=True)
    topic_of = {name: judged.topics[t] for name, t in names}
    selected = [name for name, topic in topic_of.items() if settings.topic in (None, topic)]
    gold = GoldStandard.from_qrels(judged.qrels.select_topics(selected))
    group_lists = {name: lists[topic] for name, topic in topic_of.items() if topic in lists}
    rankings = _truncate(label_run(gold, ListRun(run.name, group_lists, where=run.where)).rankings, settings)
    values = {}
    for line, x in _compute_values(gold, rankings, lines, settings).items():
        groups: dict[str, list[float]] = {topic: [] for topic in topics}
        for name, value in zip(selected, x.tolist(), strict=True):
            groups[topic_of[name]].append(value)
        values[line] = np.array([np.cumsum(g)[-1] / len(g) for g in groups.values()])
    return Evaluated(topics, np.array([t in lists for t in topics]), values, {})


def _evaluate_preferences(
    judged: preferences.Preferences, run: Run, lines: Sequence[Line], settings: Settings
) -> Evaluated:
    """Documents with equal scores are here in the order of their names, ascending."""
    topics, lists = settings.select_topics(judged.topics), run.to_dict()
    measures = MEASURES if settings.described else PRINTED
    values = {line: np.zeros(len(topics)) for line in lines if line.measure in measures}
    odd = {x.measure for x in values if measures[x.measure] is not MEASURES[x.measure]}
    misdescribed: set[str] = set()
    for t, topic in enumerate(topics):
        docs = lists.get(topic, {})
        ranking = sorted(docs, key=lambda doc: (-docs[doc], doc))[: settings.depth]
        counts = count_preferences(judged, topic, ranking)  # matrices: those of one topic at a time
        for line, x in values.items():
            x[t] = measures[line.measure](counts)
            if line.measure in odd and x[t] != MEASURES[line.measure](counts):
                misdescribed.add(line.measure)
    values |= {line: np.ones(len(topics)) for line in lines if line.measure == "num_q"}
    answered = np.array([t in lists for t in topics])
    return Evaluated(topics, answered, values, {}, misdescribed=sorted(misdescribed))


def _truncate(rankings: Rankings, settings: Settings) -> Rankings:
    return rankings if settings.depth is None else rankings.truncate(settings.depth)


def _compute_values(
    gold: GoldStandard, rankings: Rankings, lines: Sequence[Line], settings: Settings
) -> dict[Line, Floats]:
    """Compute the values of all topics."""
    levels = gold.judgments.levels
    judged_levels = np.where(levels < 0, np.nan, levels)  # below 0: in the pool, and not judged
    parameters = {x: getattr(settings, x) for x in ("rel", "condensed", "version", "docs")}
    groups: dict[tuple[str, Gains], list[Line]] = {}  # Measures with the same levels.
    for line in lines:
        if line.measure not in ("runid", "num_q", "relstring"):
            groups.setdefault((_choose_levels(line, settings), line.gains), []).append(line)
    values = {line: np.ones(len(gold.qrels.topics)) for line in lines if line.measure == "num_q"}
    for (kind, gains), members in groups.items():
        if kind == "unit":
            used = compute_unit_gains(gold.judgments, judged_levels, dict(gains))
        else:
            used = levels if kind == "pooled" else apply_gains(judged_levels, dict(gains))
        computed = [line.build_measure(**parameters) for line in members]
        table = _apply_measures(computed, *replace_levels(gold, rankings, used))
        values |= {line: table[:, i] for i, line in enumerate(members)}
    R = count_by(gold.judgments.item_topics[judged_levels >= settings.rel], len(gold.qrels.topics))
    worthless = {"Rndcg": R == 0, "utility": ~rankings.answered}  # Rndcg needs them after all
    for line, x in values.items():
        if line.measure in worthless:
            x[worthless[line.measure]] = 0.0
        elif line.measure == "ndcg_rel":  # gains below 0 cannot make it negative
            np.maximum(x, 0.0, out=x)
        elif line.is_geometric:
            x[:] = np.log(np.maximum(x, FLOOR))
    return values


def _choose_levels(line: Line, settings: Settings) -> str:
    """Return the levels that a measure uses: with pooled documents, gains up to 1, or gains."""
    if line.measure == "infAP" and not settings.condensed:
        return "pooled"
    return "unit" if "rbp" in line.measure else "given"


def _apply_measures(measures: Sequence[Measure], judgments: Judgments, rankings: Rankings) -> Floats:
    """Topics × measures."""

    def measure_block(block: Block) -> Floats:
        lists = block.build_lists(rankings)
        return np.concatenate([m.compute(lists) for m in measures], axis=1)

    return np.concatenate(map_blocks(cut_blocks(judgments), measure_block))


def _format_relstrings(rankings: Rankings, condensed: bool, length: int) -> list[str]:
    """Format the levels at the first ranks, one character each: - not pooled, . unjudged."""
    texts = []
    for t in range(len(rankings.returned)):
        hits = slice(rankings.offsets[t], rankings.offsets[t + 1])
        levels: list[float | None] = rankings.levels[hits].tolist()
        if condensed:
            levels = [level for level in levels if level is not None and level >= 0]
        else:
            levels_by_rank = dict(zip(rankings.ranks[hits].tolist(), levels, strict=True))
            levels = [levels_by_rank.get(rank) for rank in range(1, min(length, rankings.lengths[t]) + 1)]
        texts.append("".join(map(_format_level, levels[:length])))
    return texts


def _format_level(level: float | None) -> str:
    if level is None or level < 0:
        return "-" if level is None else "."
    return str(int(level)) if level <= 9 else ">"


def _standardize(evaluated: Evaluated, zscores: Zscores) -> Iterator[tuple[Line, Floats]]:
    """Standardize values: difference from a mean, in standard deviations."""
    for line, values in evaluated.values.items():
        statistics = [zscores.get((topic, line.name), (math.nan, 0.0)) for topic in evaluated.topics]
        mean, deviation = np.array(statistics).T
        fallback = np.where(values == mean, 0.0, MISSING)
        yield line, np.where(deviation == 0, fallback, (values - mean) / deviation)


# -- printing -------------------------------------------------------------------------------------


def _format_topics(evaluated: Evaluated, lines: Sequence[Line], prefix: str) -> str:
    template, columns = "", []
    for line in (line for line in lines if line.is_per_topic):
        if line in evaluated.relstrings:
            template += f"{line.name:<22}\t%s\t'%s'\n"
            columns.append(evaluated.relstrings[line])
        else:
            template += f"{prefix}{line.name:<22}\t%s\t{_format(line, prefix)}\n"
            columns.append(evaluated.values[line].tolist())
    rows = zip(evaluated.topics, *columns, strict=True)
    return "".join(template % tuple(x for value in row for x in (t, value)) for t, *row in rows)


def _format_summary(evaluated: Evaluated, n: int, lines: Sequence[Line], prefix: str, run: Run) -> str:
    """Format means over n topics. Topics not evaluated (-c -D, or -c in 9) count as 0."""
    texts = []
    for line in lines:
        if line.measure == "runid":
            tag = read_last_tag(run.source) if run.source else None
            texts.append(f"{line.name:<22}\tall\t{tag or ''}\n")
        elif line.measure != "relstring":
            value = _summarize(line, evaluated, n)
            texts.append(f"{prefix}{line.name:<22}\tall\t{_format(line, prefix)}\n" % value)
    return "".join(texts)


def _summarize(line: Line, evaluated: Evaluated, n: int) -> float:
    if line.measure == "num_q":
        return n
    if line.measure == "num_rel" and evaluated.num_rel is not None:
        return evaluated.num_rel
    value = float(sum_in_order(evaluated.values[line]))
    if line.is_geometric:
        return math.exp((value + (n - len(evaluated.topics)) * math.log(FLOOR)) / n)
    return value if line.is_count else value / n


def _format(line: Line, prefix: str) -> str:
    return "%d" if line.is_count and not prefix else "%6.4f"


# -- reading --------------------------------------------------------------------------------------


def _read(path: str, kind: str, lines: Sequence[Line], read: Callable[[], T]) -> T:
    """Return the content of a file, or raise the error that trec_eval reports."""
    name = kind if kind in ("results", "zscores") else "qrels"
    try:
        return read()
    except DuplicateError as error:
        first = next((x.measure for x in lines if x.measure not in ("runid", "num_q")), "num_ret")
        text = f"{error.message}\ntrec_eval.form_res_rels: duplicate docs {error.doc}"
        raise TrecEvalError(f"{text}\ntrec_eval: Can't calculate measure '{first}'", 4) from None
    except CranfieldError as error:
        text = f"trec_eval.get_{kind}: Cannot read {name} file '{path}' ({error})"
        if isinstance(error, InputError) and error.line is not None:
            text = f"{error.message}\ntrec_eval.get_{kind}: Malformed line {error.line}"
        raise TrecEvalError(f"{text}\ntrec_eval: Quit in file '{path}'", 2) from None


def _read_judgments(path: str) -> Qrels:
    """Read judgments with integer levels, without duplicates."""
    source = Source.from_path(path)
    judged = read_qrels(source, "trec")
    _check_whole_levels(judged, source)
    if judged.repeated:
        records = TREC.check_records(source, "qrels")
        problem = next(item for item in records if isinstance(item, Problem))
        duplicate = next(item for item in records if isinstance(item, Record))
        message = f"duplicate document {duplicate.doc!r} in topic {duplicate.topic}"
        raise DuplicateError(duplicate.doc, message, "", source.name, problem.line)
    return judged


def _read_groups(path: str) -> preferences.JudgmentGroups:
    """Read judgments with integer levels, by group."""
    judged = preferences.read_judgment_groups(path)
    _check_whole_levels(judged.qrels)
    return judged


def _check_whole_levels(judged: Qrels, source: Source | None = None) -> None:
    """Raise an error for fractional levels, which trec_eval truncates."""
    wrong = (judged.levels % 1 != 0) | (abs(judged.levels) >= 1e15)
    expected = "an integer of at most 15 digits (`cranfield evaluate` accepts fractions)"
    check_judgments(judged, wrong, "level {} for", expected, source)


def _read_run(path: str, version: int) -> Run:
    """Read a run by score, then document. Version 9 uses single precision."""
    source = "-" if path.startswith("-") else path
    run = read_run(source, "trec", ties="trec", further=True, run_names="first")
    return run if version == 10 or not isinstance(run, TableRun) else run.change_parts(_round_to_single)


def _round_to_single(table: Table) -> Table:
    return replace(table, values=table.values.astype(np.float32).astype(np.float64))


def _read_means(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Read mean and standard deviation of each topic and measure, which can be nan."""
    statistics = {}
    source = Source.from_path(path)
    for number, line in iter_text_lines(source):
        fields = split_fields(line, None)
        mean, deviation = map(_parse_mean, fields[2:]) if len(fields) == 4 else (None, None)
        if mean is None or deviation is None:
            expected = "topic measure mean standard_deviation"
            raise InputError(repr(line.strip()), expected, source.name, number)
        statistics[fields[0], fields[1]] = mean, deviation
    return statistics


def _parse_mean(text: str) -> float | None:
    return math.nan if text.lower().lstrip("+-") == "nan" else parse_finite(text)


_EVALUATORS: dict[str, tuple[Callable[..., Evaluated], Callable[[str], Any]]] = {
    "qrels": (_evaluate_qrels, _read_judgments),
    "qrels_jg": (_evaluate_groups, _read_groups),
    "prefs": (_evaluate_preferences, partial(preferences.read_preferences, format="prefs")),
    "qrels_prefs": (_evaluate_preferences, partial(preferences.read_preferences, format="qrels_prefs")),
}


# -- notes ----------------------------------------------------------------------------------------


def _collect_notes(run: str, evaluated: Evaluated, lines: Sequence[Line], settings: Settings) -> Iterator[Note]:
    missing = [t for t, answered in zip(evaluated.topics, evaluated.answered, strict=True) if not answered]
    if not settings.complete:
        suffix = " judged and not in the run, excluded (-c counts them)"
        yield from make_topic_notes("missing-topics", missing, f"{run}: ", suffix)
    for name in evaluated.misdescribed:
        text = "as trec_eval computes it, unlike its description (--as-described)"
        yield Note("definition", f"{name}: {text}")
    counts = [evaluated.values[line].sum() for line in lines if line.measure == "num_rel"]
    if counts and settings.topic is None and evaluated.num_rel not in (None, counts[0]):
        text = "with -c, num_rel of all topics counts all levels above 0, as in trec_eval"
        yield Note("definition", f"{text}. From level {settings.rel} on, it is {counts[0]:.0f}")
