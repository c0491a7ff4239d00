"""Sections of the HTML report that need certain inputs.

These are two runs, unjudged documents, second judgments, intents and user models.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.blocks import Block, map_blocks
from cranfield.measures.base import MEASUREMENTS
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import parse_measures
from cranfield.meta.correlation import correlation
from cranfield.meta.judgments import JudgmentComparison, compare_judgments
from cranfield.report.page.inputs import ReportInputs
from cranfield.report.page.limits import COMPLETE
from cranfield.report.page.numbers import round_number, round_numbers
from cranfield.runs.difference import RunDifference, compare_labelled_runs
from cranfield.scores import Note, Scores
from cranfield.wording import format_count

MAX_RANK = 20  # of attention curves
DIVERSITY_MEASURES = ("IRec@10", "D(nDCG)@10", "Dsharp(nDCG)@10")
AGREEMENT_TITLES = {
    "agreement": "percent agreement",
    "kappa": "Cohen's κ",
    "kappa_linear": "κ, linear weights",
    "kappa_quadratic": "κ, quadratic weights",
    "alpha_ordinal": "Krippendorff's α, ordinal",
}


@dataclass(frozen=True)
class Section:
    """Section of the report, with its notes and omissions."""

    data: dict[str, Any]
    notes: tuple[Note, ...] = ()
    left_out: tuple[str, ...] = ()


def build_sections(
    inputs: ReportInputs, second: Mapping[str, Mapping[str, float]] | None, names: tuple[str, str]
) -> list[Section]:
    """Build the sections for the available inputs."""
    sections = [*_build_difference_section(inputs), *_build_unjudged_section(inputs)]
    if second is not None:
        sections.append(_build_second_section(inputs, second, names))
    sections += _build_diversity_section(inputs)
    return [*sections, *_build_walk_sections(inputs)]


def build_section(id: str, title: str, text: str, *tables: dict[str, Any], **extras: Any) -> Any:
    return {"id": id, "title": title, "text": text, "tables": list(tables), **extras}


def build_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> dict[str, Any]:
    return {"title": title, "columns": [*columns], "rows": [*map(list, rows)], "note": note}


# -- two runs -------------------------------------------------------------------------------------


def _build_difference_section(inputs: ReportInputs) -> Iterator[Section]:
    """Compare the rankings of two runs: means, topics, relevant documents that moved."""
    if len(inputs.runs) != 2 or not inputs.reader.ordered:
        return
    runs = [run.labelled.run for run in inputs.runs]
    try:
        result = compare_labelled_runs(inputs.reader.evaluator, runs, inputs.scores)
    except InputError:  # a run has no results, or there are no common topics
        return
    a, b = result.runs
    documents = [x for x in result.documents if x.level is not None and inputs.reader.is_relevant(np.array(x.level))]
    documents.sort(key=lambda x: x.change not in ("entered", "left"))
    limit = inputs.reader.limits.disagreements
    moved = [[x.topic, x.doc, x.from_rank, x.to_rank, round_number(x.level)] for x in documents[:limit]]
    text = (
        f"How far {a} and {b} agree: overlap and Jaccard of the top {result.k}, rank-biased overlap (RBO, "
        f"p = {result.p:g}) and Kendall's τ of common documents (τ∩) and of all documents (τ∪). Means are over "
        f"{format_count(len(result.topics), 'topic')}. Δ is {b} minus {a}."
    )
    tables = (
        *_build_mean_tables(result),
        *_build_topic_tables(result),
        build_table(
            f"Relevant documents that moved, those of the top {result.k} first",
            ("topic", "document", f"rank in {a}", f"rank in {b}", "level"),
            moved,
        ),
    )
    left_out = (f"{limit:,} of {len(documents):,} relevant documents that moved are shown. {COMPLETE}.",)
    section = build_section("difference", f"{a} vs {b}", text, *tables)
    yield Section(section, left_out=left_out if len(documents) > limit else ())


def _build_mean_tables(result: RunDifference) -> Iterator[dict[str, Any]]:
    """Yield the means of values, and of numbers of documents."""
    counts = [result.columns[name] for name in ("entered", "left", "largest_move")] + [*result.changes.values()]
    means = [
        [name, round_number(mean), *([result.undefined.get(name, 0)] if result.undefined else [])]
        for name, mean in result.means.items()
        if name not in counts and not name.startswith("RBO ")
    ]
    undefined = ["topics without a value"] if result.undefined else []
    yield build_table("Means", ("value", "mean", *undefined), means)
    yield build_table("Mean numbers of documents", ("", "mean"), [[x, round_number(result.means[x])] for x in counts])


def _build_topic_tables(result: RunDifference) -> Iterator[dict[str, Any]]:
    """Yield the agreement on each topic, and the effect on relevant documents."""
    columns = [name for attribute, name in result.columns.items() if attribute not in ("rbo_lower", "rbo_upper")]
    rows = [
        [topic, *round_numbers([values.get(name, math.nan) for name in columns], 4)]
        for topic, values in result.values.items()
    ]
    yield build_table("Topics, the least RBO first", ("topic", *columns), rows)
    moves = [*result.changes.values(), *(name for name in result.means if name.startswith("Δ "))]
    effects = [
        [x.topic, *round_numbers([result.get_values(x)[name] for name in moves], 4)] for x in result.sort_by_effect()
    ]
    yield build_table("Effect on relevant documents, the largest difference first", ("topic", *moves), effects)


# -- unjudged documents ---------------------------------------------------------------------------


def _build_unjudged_section(inputs: ReportInputs) -> Iterator[Section]:
    """Bound the mean of each run over all labels of unjudged documents."""
    if inputs.reader.failure_finder is None or inputs.reader.failure_finder.column.name not in inputs.bounds:
        return
    name = inputs.reader.failure_finder.column.name
    means = inputs.scores.values[:, :, inputs.scores.measures.index(name)].mean(axis=1)
    ends = [inputs.compute_mean_bounds(name, i) for i in range(len(inputs.runs))]
    rows = [
        [run, *round_numbers((mean, *bounds, bounds[1] - bounds[0]))]
        for run, mean, bounds in zip(inputs.scores.runs, means.tolist(), ends, strict=True)
    ]
    text = (
        f"Lowest and highest mean of each run over all possible levels of the unjudged documents "
        f"that {name} uses. For bounds of differences, see the pairs of runs."
    )
    columns = ("run", name, "lowest", "highest", "width")
    table = build_table("Bounds due to unjudged documents", columns, rows)
    yield Section(build_section("unjudged", "Unjudged documents", text, table))


# -- a second set of judgments --------------------------------------------------------------------


def _build_second_section(
    inputs: ReportInputs, second: Mapping[str, Mapping[str, float]], names: tuple[str, str]
) -> Section:
    """Compare two sets of judgments. The largest disagreements come first."""
    first = inputs.reader.collection.gold.qrels
    comparison = compare_judgments(first, dict(second), names=names, rel=inputs.reader.rel)
    differ = sorted(_iterate_disagreements(first.to_dict(), second), key=lambda row: -abs(row[-1]))
    limit = inputs.reader.limits.disagreements
    rows = [[topic, doc, *round_numbers(levels)] for topic, doc, *levels in differ[:limit]]
    tables = [
        build_table(
            "Disagreements, largest first",
            ("topic", "document", *names, "difference"),
            rows,
            f"{len(rows):,} of {len(differ):,}" if len(rows) < len(differ) else "",
        ),
        build_table("Agreement", ("", "levels", "binary relevance"), [*_list_agreement(comparison)]),
        *_build_ranking_table(inputs, names),
    ]
    relevant = f"{comparison.relevant[0]:,} relevant by {names[0]}, {comparison.relevant[1]:,} by"
    text = (
        f"{format_count(comparison.items.both, 'document')} judged by both, {len(differ):,} with "
        f"different levels. {relevant} {names[1]}."
    )
    omissions = (f"{len(rows):,} of {len(differ):,} disagreements are shown. {COMPLETE}.",)
    section = build_section("second", "Second judgments", text, *tables)
    return Section(section, tuple(comparison.notes), omissions if len(rows) < len(differ) else ())


def _iterate_disagreements(
    first: Mapping[str, Mapping[str, float]], second: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[str, str, float, float, float]]:
    for topic, docs in first.items():
        second_levels = second.get(topic, {})
        for doc, level in docs.items():
            if doc in second_levels and second_levels[doc] != level:
                yield topic, doc, level, second_levels[doc], second_levels[doc] - level


def _list_agreement(comparison: JudgmentComparison) -> Iterator[list[Any]]:
    for name, title in AGREEMENT_TITLES.items():
        sides = (comparison.levels, comparison.binary)
        values = [None if side is None else side.values.get(name) for side in sides]
        yield [title, *round_numbers(values)]


def _build_ranking_table(inputs: ReportInputs, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Compare means and rankings of runs by the first measure."""
    second_scores, name = inputs.second_scores, inputs.scores.measures[0]
    if second_scores is None or name not in second_scores.measures:
        return
    summaries = [scores.summary() for scores in (inputs.scores, second_scores)]
    rows = [[run, *round_numbers(summary[run][name] for summary in summaries)] for run in inputs.scores.runs]
    yield build_table(f"{name} by both", ("run", *names), rows, _describe_tau(inputs.scores, second_scores, name))


def _describe_tau(first: Scores, second: Scores, name: str) -> str:
    try:
        sets = (first.select(measures=[name]), second.select(measures=[name]))
        tau = correlation(*sets, trials=1).values[0, 0]
    except InputError:  # one run or one topic
        return ""
    return f"Kendall's τ between the two rankings of runs is {tau:.4f}."


# -- diversity ------------------------------------------------------------------------------------


def _build_diversity_section(inputs: ReportInputs) -> Iterator[Section]:
    """Plot relevance against intent recall, and count the intents that runs cover."""
    intents = inputs.reader.collection.intents
    if intents is None or not inputs.reader.ordered:
        return
    measures = list(parse_measures(DIVERSITY_MEASURES))
    labelled = [run_data.labelled for run_data in inputs.runs]
    scores = inputs.reader.evaluator.with_measures(measures).score_labelled(labelled, strangers=True)
    recall, relevance, _ = scores.measures
    means = scores.summary()
    points = [
        {"name": run, "x": round_number(values[recall]), "y": round_number(values[relevance])}
        for run, values in means.items()
    ]
    rows = [[run, *round_numbers(values.values())] for run, values in means.items()]
    counts = intents.counts[[inputs.reader.collection.find_topic(topic) for topic in scores.topics]]
    covered = np.rint(scores.values[:, :, 0] * counts)  # [runs, topics]
    by_topic = [
        [topic, int(n), *round_numbers((x.min(), x.mean(), x.max()))]
        for topic, n, x in zip(scores.topics, counts.tolist(), covered.T, strict=True)
    ]
    spread = ("minimum covered", "mean over runs", "maximum covered")
    text = (
        f"{relevance} increases with the number of relevant documents, {recall} with the number of "
        "covered intents. Dsharp is the mean of both. An intent is covered if a document in the "
        "top 10 is relevant to it."
    )
    yield Section(
        build_section(
            "diversity",
            "Intents",
            text,
            build_table("Runs", ("run", *scores.measures), rows),
            build_table("Intents covered in the top 10", ("topic", "intents", *spread), by_topic),
            scatter={"x": recall, "y": relevance, "points": points},
        )
    )


# -- user models ---------------------------------------------------------------------------------


def _build_walk_sections(inputs: ReportInputs) -> Iterator[Section]:
    """Yield a section per user model: attention by rank, utility and cost."""
    if not inputs.reader.ordered:
        return
    models = dict.fromkeys(
        replace(m, measurement="EU", called="") for m in inputs.reader.evaluator.measures if isinstance(m, UserModel)
    )
    for k, model in enumerate(models):
        yield _build_walk_section(inputs, model, f"walk-{k + 1}")


def _build_walk_section(inputs: ReportInputs, model: UserModel, id: str) -> Section:
    name, limit = str(model).removesuffix(".EU"), inputs.reader.limits.walks
    evaluator = inputs.reader.evaluator.with_measures([model.to_user_model(run_data) for run_data in MEASUREMENTS])
    labelled = [run_data.labelled for run_data in inputs.runs]
    means = evaluator.score_labelled(labelled, strangers=True).summary()
    rows = [[run, *round_numbers(values.values())] for run, values in means.items()]
    drawn_runs = inputs.runs[:limit]
    walks = {
        run_data.labelled.run.name: _build_points(_compute_attention(inputs, model, run_data.labelled))
        for run_data in drawn_runs
    }
    if len(drawn_runs) == len(inputs.runs) > 1 and _are_equal([*walks.values()]):
        walks = {"every run": walks[drawn_runs[0].labelled.run.name]}
    lines = [{"name": run, "points": points} for run, points in walks.items()]
    text = (
        f"Probability that a user of {name} sees a rank (mean over topics). EU: expected utility "
        "per document. ETU: expected total utility. EC, ETC: expected cost per document and in "
        "total. ED: expected depth."
    )
    omissions = (f"The figure shows the first {limit} runs. {COMPLETE}.",)
    return Section(
        build_section(
            id,
            f"Walk: {name}",
            text,
            build_table("Expected utility, cost and depth", ("run", *MEASUREMENTS), rows),
            lines={"x": "rank", "y": "probability of seeing it", "lines": lines},
        ),
        left_out=omissions if len(drawn_runs) < len(inputs.runs) else (),
    )


def _compute_attention(inputs: ReportInputs, model: UserModel, labelled: Any) -> Floats:
    """Return the mean probability of seeing each of the first ranks."""
    measuring = inputs.reader.evaluator.with_measures([model]).scorer
    (measure,) = measuring.measures

    def compute_block(block: Block) -> Floats:
        m: Any = measuring.with_topic_gains(measure, block.start)
        walk = m.walk_down(m.build_items(block.build_lists(labelled.rankings)))
        attention = np.broadcast_to(walk.V, (block.stop - block.start, walk.V.shape[-1]))
        return np.array(attention[:, :MAX_RANK])

    parts = map_blocks(measuring.blocks, compute_block, inputs.reader.evaluator.options.workers)
    return np.asarray(np.concatenate(parts)[inputs.topic_places].mean(axis=0))


def _build_points(attention: Floats) -> list[list[Any]]:
    return [[rank, round_number(value, 4)] for rank, value in enumerate(attention.tolist(), 1)]


def _are_equal(walks: Sequence[list[list[Any]]]) -> bool:
    return all(walk == walks[0] for walk in walks)
