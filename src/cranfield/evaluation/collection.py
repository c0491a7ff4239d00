"""`Collection`: judgments made ready, once, for all runs that are labelled with them."""

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
    """One run, labelled."""

    run: Run
    full_rankings: Rankings  # where it placed the judged items
    rankings: Rankings  # the same down to the depth that is looked at, with what each counts as
    topics: tuple[str, ...]  # all that it has lists for
    contradicted: tuple[str, ...]  # those whose ranks contradict their scores
    values: Values | None = None  # what documents were ranked by, if it was noted
    sample: Sequence[Sampled] = ()  # some of its documents: see `RunLabels`


@dataclass(frozen=True, eq=False)
class Collection:
    """Judgments, their intents and the strategy that says what counts, ready for runs."""

    options: Options
    gold: GoldStandard
    labels: Labels  # what there is to find, and what is found counts as
    extras: tuple[Extra, ...] = ()
    intents: Intents | None = None  # where judgments are for intents
    intent_info: KnownIntents | None = None  # what the user told of them
    directory: str | None = None  # the judgments' path, which may hold runs as well
    declared: bool = True  # whether the user declares what are judgments, and what is a run

    @classmethod
    def from_qrels(
        cls, qrels: QrelsLike, options: Options, measures: Sequence[Measure] = ()
    ) -> Collection:
        """The judgments as the options say, with what the measures ask for."""
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
            raise InputError("classes or groups of items", "none with intents")
        documents = Documents.from_measures(measures)
        gold = _with_names(GoldStandard.from_qrels(judgments), documents)
        intents = build_intents(gold, intent_info) if by_intent else None
        candidates = (
            lengths,
            costs,
            verticals if verticals and verticals.is_used else None,
            documents,
        )
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
        """Pr(v|i) of all intents, where a measure asks for verticals."""
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
        """What there is to find."""
        return self.labels.judgments

    def find_topic(self, topic: str) -> int:
        """The number of a judged topic."""
        index = self.gold.topic_index
        if topic not in index:
            raise make_unknown_topic_error(topic, index)
        return index[topic]

    @cached_property
    def topic_mask(self) -> Bools:
        """Which topics count: all that are judged, if none is named."""
        names = self.options.named_topics
        mask = np.full(len(self.topics), names is None)
        mask[[self.find_topic(topic) for topic in names or ()]] = True
        return mask

    def select_topics(self, rankings: Rankings) -> Rankings:
        """The lists of the topics that count; the others are empty."""
        return rankings if self.topic_mask.all() else rankings.keep_topics(self.topic_mask)

    def with_part(self, judged: Bools) -> Collection:
        """This collection as if only some of the judged items had been judged."""
        judgments = self.gold.judgments
        offsets = np.concatenate(([0], np.cumsum(judged)))[judgments.offsets]
        part = replace(
            judgments,
            offsets=offsets,
            levels=judgments.levels[judged],
            items=judgments.items[judged],
        )
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
        """The topics in blocks of bounded size; where `tied` lists hold more, by these.

        Only those that begin `within` a range of topics, if there is one.
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
        """One topic's list as equations see it; `traced` ones keep the steps of computations."""
        gold = build_gold_block(self.ideal, t, t + 1, self.intents, self.importance)
        gold.traced = traced
        return Block(t, t + 1, gold).build_lists(rankings)

    # -- runs -------------------------------------------------------------------------------------

    def read(self, runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike]) -> list[Run]:
        """One or several runs, read as the options say, each under a name of its own.

        They are to be used in `with_each`: text may hold several.
        """
        if self.directory is not None:  # whose runs are meant, and not files of the same name
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
        """Where a run placed the judged items, and what they count as."""
        return self.apply_labels(run, self.match_run(run))

    def match_run(self, run: Run) -> RunLabels:
        """Where a run placed the judged items, whatever is done about ties."""
        options, sources = self.options, [extra.source for extra in self.extras]
        settings = options.exclude_self, options.workers, options.progress
        if self.declared or run.declared:
            return label_run(self.gold, run, *settings, sources)
        watch = ValueRecorder()
        run_labels = label_run(self.gold, run, *settings, sources, watch)
        if isinstance(run, ListRun) and not self.values.look_like_scores:
            return run_labels  # the values are needed for a note only, see `values_of`
        values = watch.collect_values(run)
        self.check_swapped(run, values)
        return replace(run_labels, values=values)

    @cached_property
    def folded(self) -> dict[int, tuple[set[str], dict[str, tuple[str, int]]]]:
        """The judged documents of topics, and by folded id: `spelling` fills it."""
        return {}

    @cached_property
    def values(self) -> Values:
        """The levels of the judgments."""
        return Values.from_qrels(self.gold.qrels)

    def get_values(self, labelled: LabelledRun) -> Values | None:
        """What the documents of a run are ranked by; None if that is not to be compared."""
        if self.declared or labelled.run.declared:
            return None
        lists = isinstance(labelled.run, ListRun) and labelled.values is None
        return ValueRecorder().collect_values(labelled.run) if lists else labelled.values

    def check_swapped(self, run: Run, scores: Values | None, levels: Values | None = None) -> None:
        """Raise an error if the judgments look like a run, and the run like judgments.

        `levels` are those of the judgments, if the collection was made of others.
        """
        levels = self.values if levels is None else levels
        if scores is None or not look_swapped(levels, scores) or can_be_right(levels, scores):
            return
        problem = f"judgments look like scores ({levels}), and {run.where} like levels ({scores})"
        declare = format_option("--qrels-format or --columns", "cf.read_qrels(…)")
        fix = f"They look swapped: judgments come first. If the order is right, use {declare}."
        raise InputError.from_problem(problem, fix, self.gold.qrels.where)

    def apply_labels(self, run: Run, run_labels: RunLabels) -> LabelledRun:
        """What is found of the judged items in a run, and what they count as."""
        full_rankings, ties = run_labels.rankings, self.options.ties
        if ties in ("best", "worst"):
            full_rankings = getattr(Reordering(full_rankings), ties)()
        # Else any order may be cut at the depth, and any item may be the first.
        rankings = full_rankings if ties == "expected" else self.apply_strategy(full_rankings)
        extra_fields = run_labels.values, run_labels.sample
        return LabelledRun(
            run,
            full_rankings,
            rankings,
            run_labels.topics,
            run_labels.contradicted_topics,
            *extra_fields,
        )

    def with_ties(self, ties: TieOrder) -> Collection:
        """This collection, in which tied documents are put in another order."""
        return replace(self, options=replace(self.options, ties=ties))

    def apply_strategy(self, rankings: Rankings) -> Rankings:
        """The lists down to the depth that is looked at, with what each hit counts as."""
        depth = self.options.depth
        return self.labels.apply(rankings if depth is None else rankings.truncate(depth))

    def compute_rankings(self, run: Run, topic: str | None = None) -> Rankings:
        """The lists of a run, in which all that measures look at is known; in one topic, or all."""
        labelled = self.label(run)
        self.check_overlap(labelled)
        self.check_extras(run, labelled.rankings, topic)
        return labelled.rankings

    def check_overlap(self, labelled: LabelledRun) -> None:
        """Refuse a run that answers no judged topic: it is that of other judgments."""
        if not labelled.full_rankings.answered.any():
            location = self.gold.qrels.where
            raise make_no_judged_topic_error(labelled.topics, self.topics, location, labelled.run)
        if not len(labelled.full_rankings.ranks) and self.gold.qrels.has_line_numbers:
            problem = (
                "these judgments name no documents, and no retrieved document is a line number"
            )
            fix = 'End each line with "# DOCUMENT", or pass predictions, one number per line.'
            raise InputError.from_problem(problem, fix, self.gold.qrels.where)

    def check_extras(self, run: Run, rankings: Rankings, topic: str | None = None) -> None:
        """Refuse a run in which something is not known where a measure looks."""
        for extra in self.extras:
            extra.check_known(run, self.select_topics(rankings), self.topics, topic)

    # -- documents --------------------------------------------------------------------------------

    def iter_hits(self, rankings: Rankings, t: int) -> Iterator[tuple[int, str, float]]:
        """Rank, document and level it counts as, of each judged document of a topic's list."""
        of_topic = slice(rankings.offsets[t], rankings.offsets[t + 1])
        docs = self.gold.item_docs
        items = (docs[item] for item in rankings.items[of_topic].tolist())
        ranks, levels = rankings.ranks[of_topic].tolist(), rankings.levels[of_topic].tolist()
        return zip(ranks, items, levels, strict=True)

    def list_documents(
        self, ranked: Sequence[str], rankings: Rankings, t: int, condensed: bool = False
    ) -> list[str]:
        """The documents of a topic's list in order, as it was labelled; condensed, the judged ones.

        `ranked` are those of the run, whatever the order of ties.
        """
        judged = {rank: doc for rank, doc, _ in self.iter_hits(rankings, t)}
        if condensed:
            return list(judged.values())
        unjudged = self.iter_unjudged(ranked, t)
        ranks = range(1, int(rankings.lengths[t]) + 1)
        return [judged[rank] if rank in judged else next(unjudged) for rank in ranks]

    def iter_unjudged(self, ranked: Sequence[str], t: int) -> Iterator[str]:
        """The documents of a topic's list that nobody judged, from the top down."""
        excluded = {self.topics[t]} if self.options.exclude_self else set()
        excluded |= self.gold.by_topic[t].keys()
        return (doc for doc in ranked if doc not in excluded)


def _read(
    qrels: QrelsLike, options: Options, measures: Sequence[Measure], by_intent: bool
) -> Qrels:
    """The judgments as the options say."""
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
    """Judgments with the ids of documents, if a measure asks for them."""
    if documents is None:
        return gold
    names = Names(gold.item_docs, documents.source.names)
    return replace(gold, judgments=replace(gold.judgments, names=names))


def check_samples(judged: Qrels, measures: Sequence[Measure], options: Options) -> None:
    """Refuse to take a sample of the judgments for all of them."""
    location = judged.where
    if options.labelling is not None:
        raise InputError("classes or groups of items", "none with sampled judgments", location)
    for m in measures:
        if not m.takes_samples:
            kind = "sampled judgments (topic 0 doc stratum level)"
            hint = "lines without the stratum, of levels from 0, would be all that was judged"
            problem = f"{m} on {kind}"
            raise InputError(problem, "xinfAP or infNDCG, which estimate", location, None, hint)


def needs_intents(measures: Sequence[Measure], options: Options) -> bool:
    """Whether judgments are for intents."""
    by_option = options.per_intent or options.intents is not None or options.embed_verticals
    return by_option or any(m.takes == "intents" for m in measures)


def _has_declared_formats(source: QrelsLike, qrels: Qrels, options: Options) -> bool:
    """Whether the user says what are judgments, and what is a run; samples are judgments."""
    formats = options.qrels_format, options.run_format, options.columns
    read = isinstance(source, Qrels) and source.declared
    return read or qrels.strata is not None or any(value is not None for value in formats)


def _resolve_paths(directory: str, runs: Any) -> Any:
    """The runs, those of a topic directory by the names they have there."""
    if isinstance(runs, str | os.PathLike):
        return topic_dirs.resolve_run(directory, os.fspath(runs))
    if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        return [topic_dirs.resolve_run(directory, os.fspath(run)) for run in runs]
    return runs
