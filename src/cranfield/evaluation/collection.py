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
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.run import TIES, ListRun, Run, RunLike, no_judged_topic, read_runs
from cranfield.data.tracks import unknown_topic
from cranfield.data.values import Values, Watch, can_be_right, look_swapped
from cranfield.data.verticals import embedded
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.blocks import Block, cut
from cranfield.evaluation.extras import Costs, Documents, Extra, Lengths, WantedVerticals
from cranfield.evaluation.options import Options, TieOrder
from cranfield.labelling.blocks import Intents, Judgments, Names, Rankings, RunLabels, Sampled
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.intents import importance_of, intents_on
from cranfield.labelling.runs import label_run
from cranfield.labelling.strategies import Labelling, Labels
from cranfield.labelling.ties import Reordering
from cranfield.measures.base import Measure
from cranfield.measures.gains import Gain
from cranfield.measures.lists import Lists, gold_block
from cranfield.wording import option


@dataclass(frozen=True)
class Labelled:
    """One run, labelled."""

    run: Run
    placed: Rankings  # where it placed the judged items
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
    counting: Labels  # what there is to find, and what is found counts as
    extras: tuple[Extra, ...] = ()
    intents: Intents | None = None  # where judgments are for intents
    known: KnownIntents | None = None  # what the user told of them
    directory: str | None = None  # the judgments' path, which may hold runs as well
    declared: bool = True  # whether the user declares what are judgments, and what is a run

    @classmethod
    def of(cls, qrels: QrelsLike, options: Options, measures: Sequence[Measure] = ()) -> Collection:
        """The judgments as the options say, with what the measures ask for."""
        lengths = Lengths.wanted_by(measures, options)
        costs = Costs.wanted_by(measures, options)
        verticals = WantedVerticals.wanted_by(measures, options)
        by_intent = asks_for_intents(measures, options)
        judged = _read(qrels, options, measures, by_intent)
        options = options.among(judged.topics)
        options.merging.refuse_judged(judged)
        known = options.intents
        known = None if known is None else read_intents(known, options.separator)
        if options.embed_verticals and verticals is not None:
            judged = embedded(judged, verticals.noted, known)
        if by_intent and options.labelling is not None:
            raise InputError("classes or groups of items", "none with intents")
        documents = Documents.wanted_by(measures)
        gold = _with_names(GoldStandard.of(judged), documents)
        intents = intents_on(gold, known) if by_intent else None
        noted = (lengths, costs, verticals if verticals and verticals.asked else None, documents)
        return cls(
            options,
            gold,
            (options.labelling or Labelling()).on(gold),
            tuple(extra for extra in noted if extra is not None),
            intents,
            known,
            os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else None,
            judged.declared,
        )

    @cached_property
    def importance(self) -> Floats | None:
        """Pr(v|i) of all intents, where a measure asks for verticals."""
        for extra in self.extras:
            if isinstance(extra, WantedVerticals) and self.intents is not None:
                return importance_of(extra.noted, self.topics, self.intents)
        return None

    # -- topics -----------------------------------------------------------------------------------

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics."""
        return self.gold.judgments.topics

    @property
    def ideal(self) -> Judgments:
        """What there is to find."""
        return self.counting.judgments

    def place(self, topic: str) -> int:
        """The number of a judged topic."""
        index = self.gold.topic_index
        if topic not in index:
            raise unknown_topic(topic, index)
        return index[topic]

    @cached_property
    def chosen(self) -> Bools:
        """Which topics count: all that are judged, if none is named."""
        named = self.options.named_topics
        chosen = np.full(len(self.topics), named is None)
        chosen[[self.place(topic) for topic in named or ()]] = True
        return chosen

    def of_chosen(self, rankings: Rankings) -> Rankings:
        """The lists of the topics that count; the others are empty."""
        return rankings if self.chosen.all() else rankings.of_topics(self.chosen)

    def with_part(self, kept: Bools) -> Collection:
        """This collection as if only some of the judged items had been judged."""
        every = self.gold.judgments
        offsets = np.concatenate(([0], np.cumsum(kept)))[every.offsets]
        part = replace(every, offsets=offsets, levels=every.levels[kept], items=every.items[kept])
        return replace(self, counting=replace(self.counting, judgments=part))

    # -- blocks -----------------------------------------------------------------------------------

    def blocks(
        self,
        ranks: int = 0,
        gains: Sequence[Gain] | None = None,
        tied: Rankings | None = None,
        looked_at: int | None = None,
        within: range | None = None,
    ) -> list[Block]:
        """The topics in blocks of bounded size; where `tied` lists hold more, by these.

        Only those that begin `within` a range of topics, if there is one.
        """
        widths = self.gold.judgments.counts
        if tied is not None:
            widths = np.maximum(widths, tied.spread(looked_at))
        return cut(
            self.ideal,
            widths=widths,
            ranks=ranks,
            cells=self.options.block_cells,
            gains=gains,
            intents=self.intents,
            importance=self.importance,
            within=within,
        )

    def block(self, rankings: Rankings, t: int, traced: bool = False) -> Lists:
        """One topic's list as equations see it; `traced` ones keep the steps of computations."""
        gold = gold_block(self.ideal, t, t + 1, self.intents, self.importance)
        gold.traced = traced
        return Block(t, t + 1, gold).lists(rankings)

    # -- runs -------------------------------------------------------------------------------------

    def read(self, runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike]) -> list[Run]:
        """One or several runs, read as the options say, each under a name of its own.

        They are to be used in `with_each`: text may hold several.
        """
        if self.directory is not None:  # whose runs are meant, and not files of the same name
            runs = _inside(self.directory, runs)
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

    def label(self, run: Run) -> Labelled:
        """Where a run placed the judged items, and what they count as."""
        return self.labelled(run, self.find(run))

    def find(self, run: Run) -> RunLabels:
        """Where a run placed the judged items, whatever is done about ties."""
        options, noted = self.options, [extra.noted for extra in self.extras]
        asked = options.exclude_self, options.workers, options.progress
        if self.declared or run.declared:
            return label_run(self.gold, run, *asked, noted)
        watch = Watch()
        found = label_run(self.gold, run, *asked, noted, watch)
        if isinstance(run, ListRun) and not self.values.look_like_scores:
            return found  # the values are needed for a note only, see `values_of`
        values = watch.values(run)
        self.refuse_swapped(run, values)
        return replace(found, values=values)

    @cached_property
    def folded(self) -> dict[int, tuple[set[str], dict[str, tuple[str, int]]]]:
        """The judged documents of topics, and by folded id: `spelling` fills it."""
        return {}

    @cached_property
    def values(self) -> Values:
        """The levels of the judgments."""
        return Values.of_qrels(self.gold.qrels)

    def values_of(self, labelled: Labelled) -> Values | None:
        """What the documents of a run are ranked by; None if that is not to be compared."""
        if self.declared or labelled.run.declared:
            return None
        lists = isinstance(labelled.run, ListRun) and labelled.values is None
        return Watch().values(labelled.run) if lists else labelled.values

    def refuse_swapped(self, run: Run, scores: Values | None, levels: Values | None = None) -> None:
        """Raise an error if the judgments look like a run, and the run like judgments.

        `levels` are those of the judgments, if the collection was made of others.
        """
        levels = self.values if levels is None else levels
        if scores is None or not look_swapped(levels, scores) or can_be_right(levels, scores):
            return
        problem = f"judgments look like scores ({levels}), and {run.where} like levels ({scores})"
        declare = option("--qrels-format or --columns", "cf.read_qrels(…)")
        fix = f"They look swapped: judgments come first. If the order is right, use {declare}."
        raise InputError.problem(problem, fix, self.gold.qrels.where)

    def labelled(self, run: Run, found: RunLabels) -> Labelled:
        """What is found of the judged items in a run, and what they count as."""
        placed, ties = found.rankings, self.options.ties
        if ties in ("best", "worst"):
            placed = getattr(Reordering(placed), ties)()
        # Else any order may be cut at the depth, and any item may be the first.
        counted = placed if ties == "expected" else self.counted(placed)
        seen = found.values, found.sample
        return Labelled(run, placed, counted, found.topics, found.contradicted, *seen)

    def ordered(self, ties: TieOrder) -> Collection:
        """This collection, in which tied documents are put in another order."""
        return replace(self, options=replace(self.options, ties=ties))

    def counted(self, rankings: Rankings) -> Rankings:
        """The lists down to the depth that is looked at, with what each hit counts as."""
        depth = self.options.depth
        return self.counting.counted(rankings if depth is None else rankings.truncated(depth))

    def rankings(self, run: Run, topic: str | None = None) -> Rankings:
        """The lists of a run, in which all that measures look at is known; in one topic, or all."""
        labelled = self.label(run)
        self.refuse_stranger(labelled)
        self.refuse_unknown(run, labelled.rankings, topic)
        return labelled.rankings

    def refuse_stranger(self, labelled: Labelled) -> None:
        """Refuse a run that answers no judged topic: it is that of other judgments."""
        if not labelled.placed.answered.any():
            where = self.gold.qrels.where
            raise no_judged_topic(labelled.topics, self.topics, where, labelled.run)
        if not len(labelled.placed.ranks) and self.gold.qrels.has_line_numbers:
            problem = (
                "these judgments name no documents, and no retrieved document is a line number"
            )
            fix = 'End each line with "# DOCUMENT", or pass predictions, one number per line.'
            raise InputError.problem(problem, fix, self.gold.qrels.where)

    def refuse_unknown(self, run: Run, rankings: Rankings, topic: str | None = None) -> None:
        """Refuse a run in which something is not known where a measure looks."""
        for extra in self.extras:
            extra.refuse_unknown(run, self.of_chosen(rankings), self.topics, topic)

    # -- documents --------------------------------------------------------------------------------

    def hits(self, rankings: Rankings, t: int) -> Iterator[tuple[int, str, float]]:
        """Rank, document and level it counts as, of each judged document of a topic's list."""
        of_topic = slice(rankings.offsets[t], rankings.offsets[t + 1])
        docs = self.gold.item_docs
        items = (docs[item] for item in rankings.items[of_topic].tolist())
        ranks, levels = rankings.ranks[of_topic].tolist(), rankings.levels[of_topic].tolist()
        return zip(ranks, items, levels, strict=True)

    def documents(
        self, ranked: Sequence[str], rankings: Rankings, t: int, condensed: bool = False
    ) -> list[str]:
        """The documents of a topic's list in order, as it was labelled; condensed, the judged ones.

        `ranked` are those of the run, whatever the order of ties.
        """
        judged = {rank: doc for rank, doc, _ in self.hits(rankings, t)}
        if condensed:
            return list(judged.values())
        others = self.unjudged(ranked, t)
        every = range(1, int(rankings.lengths[t]) + 1)
        return [judged[rank] if rank in judged else next(others) for rank in every]

    def unjudged(self, ranked: Sequence[str], t: int) -> Iterator[str]:
        """The documents of a topic's list that nobody judged, from the top down."""
        known = {self.topics[t]} if self.options.exclude_self else set()
        known |= self.gold.by_topic[t].keys()
        return (doc for doc in ranked if doc not in known)


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
    judged = replace(judged, declared=_are_declared(qrels, judged, options))
    if judged.strata is not None:
        refuse_samples(judged, measures, options)
    return judged


def _with_names(gold: GoldStandard, documents: Documents | None) -> GoldStandard:
    """Judgments with the ids of documents, if a measure asks for them."""
    if documents is None:
        return gold
    names = Names(gold.item_docs, documents.noted.names)
    return replace(gold, judgments=replace(gold.judgments, names=names))


def refuse_samples(judged: Qrels, measures: Sequence[Measure], options: Options) -> None:
    """Refuse to take a sample of the judgments for all of them."""
    where = judged.where
    if options.labelling is not None:
        raise InputError("classes or groups of items", "none with sampled judgments", where)
    for m in measures:
        if not m.takes_samples:
            what = "sampled judgments (topic 0 doc stratum level)"
            hint = "lines without the stratum, of levels from 0, would be all that was judged"
            found = f"{m} on {what}"
            raise InputError(found, "xinfAP or infNDCG, which estimate", where, None, hint)


def asks_for_intents(measures: Sequence[Measure], options: Options) -> bool:
    """Whether judgments are for intents."""
    asked = options.per_intent or options.intents is not None or options.embed_verticals
    return asked or any(m.takes == "intents" for m in measures)


def _are_declared(given: QrelsLike, qrels: Qrels, options: Options) -> bool:
    """Whether the user says what are judgments, and what is a run; samples are judgments."""
    formats = options.qrels_format, options.run_format, options.columns
    read = isinstance(given, Qrels) and given.declared
    return read or qrels.strata is not None or any(value is not None for value in formats)


def _inside(directory: str, runs: Any) -> Any:
    """The runs, those of a topic directory by the names they have there."""
    if isinstance(runs, str | os.PathLike):
        return topic_dirs.inside(directory, os.fspath(runs))
    if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        return [topic_dirs.inside(directory, os.fspath(run)) for run in runs]
    return runs
