"""Judgments with all options applied, ready to label runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.data.intents import Intents as KnownIntents
from cranfield.data.intents import read_intents
from cranfield.data.ntcir import topic_dirs
from cranfield.data.orders import TIES
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.run import ListRun, Run, make_no_judged_topic_error
from cranfield.data.run_inputs import RunLike
from cranfield.data.run_reader import read_runs
from cranfield.data.tracks import make_unknown_topic_error
from cranfield.data.values import ValueRecorder, Values, can_be_right, look_swapped
from cranfield.data.verticals import embed_verticals
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.blocks import Block, cut_blocks
from cranfield.evaluation.extras import Costs, Documents, Extra, IntentVerticals, Lengths
from cranfield.evaluation.options import Options, TieOrder
from cranfield.labelling.blocks import Intents, Judgments, Names, Rankings, RunLabels, Sampled
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.intents import build_intents, compute_importance
from cranfield.labelling.runs import label_run
from cranfield.labelling.strategies import Labelling, Labels
from cranfield.labelling.ties import Reordering
from cranfield.measures.base import Measure
from cranfield.measures.gains import Gain
from cranfield.measures.lists import Lists, build_gold_block
from cranfield.wording import format_option


@dataclass(frozen=True)
class LabelledRun:
    """A run and the judged items in its rankings."""

    run: Run
    full_rankings: Rankings  # all judged items, with judged levels
    rankings: Rankings  # cut at the depth, with the levels of the labelling strategy
    topics: tuple[str, ...]  # all topics of the run
    contradicted: tuple[str, ...]  # topics with ranks that contradict the scores
    values: Values | None = None  # the scores of documents, if recorded
    sample: Sequence[Sampled] = ()  # some documents: see `RunLabels`


@dataclass(frozen=True, eq=False)
class Collection:
    """Judgments, intents and labelling strategy, ready to label runs."""

    options: Options
    gold: GoldStandard
    labels: Labels  # the ideal rankings, and the levels of hits
    extras: tuple[Extra, ...] = ()
    intents: Intents | None = None  # if judgments are for intents
    intent_info: KnownIntents | None = None  # probabilities and types from the user
    directory: str | None = None  # path of the judgments, may contain runs
    declared: bool = True  # the user declared the formats, so inputs are not swapped

    @classmethod
    def from_qrels(cls, qrels: QrelsLike, options: Options, measures: Sequence[Measure] = ()) -> Collection:
        """Read the judgments with the options, and the document values that measures need."""
        lengths = Lengths.from_options(measures, options)
        costs = Costs.from_options(measures, options)
        verticals = IntentVerticals.from_options(measures, options)
        by_intent = needs_intents(measures, options)
        judgments = _read(qrels, options, measures, by_intent)
        options = options.select_topics(judgments.topics)
        options.merging.check_judgments(judgments)
        intent_info = options.intents
        intent_info = None if intent_info is None else read_intents(intent_info, options.separator)
        if options.embed_verticals and verticals is not None:
            judgments = embed_verticals(judgments, verticals.source, intent_info)
        if by_intent and options.labelling is not None:
            raise InputError.from_problem("classes and groups are not supported with intents")
        documents = Documents.from_measures(measures)
        gold = _with_names(GoldStandard.from_qrels(judgments), documents)
        intents = build_intents(gold, intent_info) if by_intent else None
        candidates = (lengths, costs, verticals if verticals and verticals.is_used else None, documents)
        return cls(
            options,
            gold,
            (options.labelling or Labelling()).apply_to(gold),
            tuple(extra for extra in candidates if extra is not None),
            intents,
            intent_info,
            os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else None,
            judgments.declared,
        )

    @cached_property
    def importance(self) -> Floats | None:
        """Pr(v|i) of all intents, or None if no measure needs verticals."""
        for extra in self.extras:
            if isinstance(extra, IntentVerticals) and self.intents is not None:
                return compute_importance(extra.source, self.topics, self.intents)
        return None

    # -- topics -----------------------------------------------------------------------------------

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics."""
        return self.gold.judgments.topics

    @property
    def ideal(self) -> Judgments:
        """The ideal rankings."""
        return self.labels.judgments

    def find_topic(self, topic: str) -> int:
        """Return the index of a judged topic."""
        index = self.gold.topic_index
        if topic not in index:
            raise make_unknown_topic_error(topic, index)
        return index[topic]

    @cached_property
    def topic_mask(self) -> Bools:
        """True for topics that count: the requested topics, or all judged topics."""
        names = self.options.named_topics
        mask = np.full(len(self.topics), names is None)
        mask[[self.find_topic(topic) for topic in names or ()]] = True
        return mask

    def select_topics(self, rankings: Rankings) -> Rankings:
        """Return the rankings of the topics that count. All others are empty."""
        return rankings if self.topic_mask.all() else rankings.keep_topics(self.topic_mask)

    def with_part(self, judged: Bools) -> Collection:
        """Return a collection with judgments of some of the items only."""
        judgments = self.gold.judgments
        offsets = np.concatenate(([0], np.cumsum(judged)))[judgments.offsets]
        part = replace(judgments, offsets=offsets, levels=judgments.levels[judged], items=judgments.items[judged])
        return replace(self, labels=replace(self.labels, judgments=part))

    # -- blocks -----------------------------------------------------------------------------------

    def build_blocks(
        self,
        ranks: int = 0,
        gains: Sequence[Gain] | None = None,
        tied: Rankings | None = None,
        depth: int | None = None,
        within: range | None = None,
    ) -> list[Block]:
        """Cut the topics into blocks of bounded size. Consider the ties of `tied` rankings.

        `within` selects the blocks that start in a range of topics.
        """
        widths = self.gold.judgments.counts
        if tied is not None:
            widths = np.maximum(widths, tied.count_tied_ranks(depth))
        return cut_blocks(
            self.ideal,
            widths=widths,
            ranks=ranks,
            cells=self.options.block_cells,
            gains=gains,
            intents=self.intents,
            importance=self.importance,
            within=within,
        )

    def build_block(self, rankings: Rankings, t: int, traced: bool = False) -> Lists:
        """Return the ranking of one topic for measures. If `traced`, it records the steps."""
        gold = build_gold_block(self.ideal, t, t + 1, self.intents, self.importance)
        gold.traced = traced
        return Block(t, t + 1, gold).build_lists(rankings)

    # -- runs -------------------------------------------------------------------------------------

    def read(self, runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike]) -> list[Run]:
        """Read one or several runs with the options. Names are unique.

        Use the runs in `with_each`, because text files may contain several runs.
        """
        if self.directory is not None:  # runs of the directory, not files of the same name
            runs = _resolve_paths(self.directory, runs)
        return read_runs(
            runs,
            self.options.run_format,
            ties=next((ties for ties in TIES if ties == self.options.ties), None),
            order=self.options.order,
            separator=self.options.separator,
            types=any(extra.needs_types for extra in self.extras),
            qrels=self.gold.qrels,
            run_names=self.options.run_names,
            chunks=self.options.chunks,
            chunk_score=self.options.chunk_score,
            duplicates=self.options.duplicates,
            columns=self.options.columns,
            look=False,
        )

    def label(self, run: Run) -> LabelledRun:
        """Label a run: find the judged items in its rankings and their levels."""
        return self.apply_labels(run, self.match_run(run))

    def match_run(self, run: Run) -> RunLabels:
        """Find the judged items in the rankings of a run, before ties are handled."""
        options, sources = self.options, [extra.source for extra in self.extras]
        settings = options.exclude_self, options.workers, options.progress
        if self.declared or run.declared:
            return label_run(self.gold, run, *settings, sources)
        watch = ValueRecorder()
        run_labels = label_run(self.gold, run, *settings, sources, watch)
        if isinstance(run, ListRun) and not self.values.look_like_scores:
            return run_labels  # the scores are needed for a note only, see `values_of`
        values = watch.collect_values(run)
        self.check_swapped(run, values)
        return replace(run_labels, values=values)

    @cached_property
    def folded(self) -> dict[int, tuple[set[str], dict[str, tuple[str, int]]]]:
        """Cache of judged documents by folded id, filled by `spelling`."""
        return {}

    @cached_property
    def values(self) -> Values:
        """The levels of the judgments."""
        return Values.from_qrels(self.gold.qrels)

    def get_values(self, labelled: LabelledRun) -> Values | None:
        """Return the scores of a run, or None if they should not be compared with levels."""
        if self.declared or labelled.run.declared:
            return None
        lists = isinstance(labelled.run, ListRun) and labelled.values is None
        return ValueRecorder().collect_values(labelled.run) if lists else labelled.values

    def check_swapped(self, run: Run, scores: Values | None, levels: Values | None = None) -> None:
        """Raise an error if the judgments look like a run, and the run like judgments.

        `levels` replaces the levels of the collection.
        """
        levels = self.values if levels is None else levels
        if scores is None or not look_swapped(levels, scores) or can_be_right(levels, scores):
            return
        problem = f"judgments look like scores ({levels}), and {run.where} like levels ({scores})"
        declare = format_option("--qrels-format or --columns", "cf.read_qrels(…)")
        fix = f"They look swapped: judgments come first. If the order is right, use {declare}."
        raise InputError.from_problem(problem, fix, self.gold.qrels.where)

    def apply_labels(self, run: Run, run_labels: RunLabels) -> LabelledRun:
        """Apply ties, depth and labelling strategy to the judged items of a run."""
        full_rankings, ties = run_labels.rankings, self.options.ties
        if ties in ("best", "worst"):
            full_rankings = getattr(Reordering(full_rankings), ties)()
        # For expected ties, the depth and the strategy apply to each order of the tied items.
        rankings = full_rankings if ties == "expected" else self.apply_strategy(full_rankings)
        extra_fields = run_labels.values, run_labels.sample
        return LabelledRun(
            run, full_rankings, rankings, run_labels.topics, run_labels.contradicted_topics, *extra_fields
        )

    def with_ties(self, ties: TieOrder) -> Collection:
        """Return the collection with another order of tied documents."""
        return replace(self, options=replace(self.options, ties=ties))

    def apply_strategy(self, rankings: Rankings) -> Rankings:
        """Cut the rankings at the depth and apply the labelling strategy."""
        depth = self.options.depth
        return self.labels.apply(rankings if depth is None else rankings.truncate(depth))

    def compute_rankings(self, run: Run, topic: str | None = None) -> Rankings:
        """Return the rankings of a run. Raise an error if a measure lacks document values."""
        labelled = self.label(run)
        self.check_overlap(labelled)
        self.check_extras(run, labelled.rankings, topic)
        return labelled.rankings

    def check_overlap(self, labelled: LabelledRun) -> None:
        """Raise an error if a run has no judged topic."""
        if not labelled.full_rankings.answered.any():
            location = self.gold.qrels.where
            raise make_no_judged_topic_error(labelled.topics, self.topics, location, labelled.run)
        if not len(labelled.full_rankings.ranks) and self.gold.qrels.has_line_numbers:
            problem = "these judgments name no documents, and no retrieved document is a line number"
            fix = 'End each line with "# DOCUMENT", or pass predictions, one number per line.'
            raise InputError.from_problem(problem, fix, self.gold.qrels.where)

    def check_extras(self, run: Run, rankings: Rankings, topic: str | None = None) -> None:
        """Raise an error if a document value needed by a measure is missing."""
        for extra in self.extras:
            extra.check_known(run, self.select_topics(rankings), self.topics, topic)

    # -- documents --------------------------------------------------------------------------------

    def iter_hits(self, rankings: Rankings, t: int) -> Iterator[tuple[int, str, float]]:
        """Yield rank, document and level of each judged document of a ranking."""
        of_topic = slice(rankings.offsets[t], rankings.offsets[t + 1])
        docs = self.gold.item_docs
        items = (docs[item] for item in rankings.items[of_topic].tolist())
        ranks, levels = rankings.ranks[of_topic].tolist(), rankings.levels[of_topic].tolist()
        return zip(ranks, items, levels, strict=True)

    def list_documents(self, ranked: Sequence[str], rankings: Rankings, t: int, condensed: bool = False) -> list[str]:
        """Return the documents of a ranking in labelled order. If `condensed`, only judged ones.

        `ranked` are the documents of the run in any order of ties.
        """
        judged = {rank: doc for rank, doc, _ in self.iter_hits(rankings, t)}
        if condensed:
            return list(judged.values())
        unjudged = self.iter_unjudged(ranked, t)
        ranks = range(1, int(rankings.lengths[t]) + 1)
        return [judged[rank] if rank in judged else next(unjudged) for rank in ranks]

    def iter_unjudged(self, ranked: Sequence[str], t: int) -> Iterator[str]:
        """Yield the unjudged documents of a ranking from the top."""
        excluded = {self.topics[t]} if self.options.exclude_self else set()
        excluded |= self.gold.by_topic[t].keys()
        return (doc for doc in ranked if doc not in excluded)


def _read(qrels: QrelsLike, options: Options, measures: Sequence[Measure], by_intent: bool) -> Qrels:
    """Read the judgments with the options."""
    judged = read_qrels(
        qrels,
        options.qrels_format,
        separator=options.separator,
        labels=options.labels,
        by_intent=by_intent,
        sampled=True,
        columns=options.columns,
    )
    judged = replace(judged, declared=_has_declared_formats(qrels, judged, options))
    if judged.strata is not None:
        check_samples(judged, measures, options)
    return judged


def _with_names(gold: GoldStandard, documents: Documents | None) -> GoldStandard:
    """Add document ids to the judgments if a measure needs them."""
    if documents is None:
        return gold
    names = Names(gold.item_docs, documents.source.names)
    return replace(gold, judgments=replace(gold.judgments, names=names))


def check_samples(judged: Qrels, measures: Sequence[Measure], options: Options) -> None:
    """Raise an error if a measure or strategy does not support sampled judgments."""
    location = judged.where
    if options.labelling is not None:
        problem = "classes and groups are not supported with sampled judgments"
        raise InputError.from_problem(problem, where=location)
    for m in measures:
        if not m.takes_samples:
            problem = f"{m} is not supported for sampled judgments (topic 0 doc stratum level)"
            fix = "Use xinfAP or infNDCG, or remove the stratum and levels below 0."
            raise InputError.from_problem(problem, fix, location)


def needs_intents(measures: Sequence[Measure], options: Options) -> bool:
    """Return True if the judgments must be for intents."""
    by_option = options.per_intent or options.intents is not None or options.embed_verticals
    return by_option or any(m.takes == "intents" for m in measures)


def _has_declared_formats(source: QrelsLike, qrels: Qrels, options: Options) -> bool:
    """Return True if the user declared a format, or the judgments are a sample."""
    formats = options.qrels_format, options.run_format, options.columns
    read = isinstance(source, Qrels) and source.declared
    return read or qrels.strata is not None or any(value is not None for value in formats)


def _resolve_paths(directory: str, runs: Any) -> Any:
    """Return the paths of runs, relative to the topic directory."""
    if isinstance(runs, str | os.PathLike):
        return topic_dirs.resolve_run(directory, os.fspath(runs))
    if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        return [topic_dirs.resolve_run(directory, os.fspath(run)) for run in runs]
    return runs
