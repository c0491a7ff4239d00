"""The one path: judgments and runs in, scores out."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.costs import CostsLike, read_costs
from cranfield.data.intents import IntentsLike, read_intents
from cranfield.data.lengths import LengthsLike, read_lengths
from cranfield.data.ntcir import topic_dirs
from cranfield.data.qrels import QrelsLike, read_qrels
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.run import Run, RunLike, read_runs, reading_order
from cranfield.data.verticals import VerticalsLike, embedded, read_verticals
from cranfield.errors import CranfieldError, InputError, one_of
from cranfield.evaluation import notices
from cranfield.evaluation.presets import Preset
from cranfield.evaluation.presets import preset as find_preset
from cranfield.labelling.blocks import Rankings, spans
from cranfield.labelling.gold import GoldStandard
from cranfield.labelling.intents import importance_of, intents_on
from cranfield.labelling.runs import label
from cranfield.labelling.strategies import Labelling
from cranfield.labelling.ties import Reordering
from cranfield.measures.base import FIVE, TAKES, Measure
from cranfield.measures.cwl import UserModel
from cranfield.measures.diversity import gold_rows, intent_rows
from cranfield.measures.expected import Expected
from cranfield.measures.gains import Gain, parse_gain
from cranfield.measures.grammar import MeasureLike, parse_measures
from cranfield.measures.lists import (
    BLOCK_CELLS,
    DENSE_CELLS,
    Gold,
    Lists,
    blocks,
    gold_block,
    lists_block,
    tie_bounds,
)
from cranfield.measures.verticals import OfPairs
from cranfield.scores import Notice, Scores
from cranfield.wording import some

Topics: TypeAlias = Literal["judged", "common"]
Undefined: TypeAlias = Literal["zero", "nan", "skip", "error"]
Ties: TypeAlias = Literal["trec", "rank", "given", "best", "worst", "expected", "file"]
TIE_CHOICES = get_args(Ties)

ROUNDING = 1e-14  # what the order of a sum may change

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10")


def evaluate(
    qrels: QrelsLike,
    runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike],
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    **options: Any,
) -> Scores:
    """Score one or several runs.

    `qrels` and each run may be a path, a nested dict, a Polars or pandas frame, or tuples;
    several runs are a list, or a dict from their names. A directory with one for each topic, as
    NTCIREVAL has them, holds judgments and runs. For LETOR data, a run may be predictions: an
    array, a list or a file of numbers, one for each line. The options are those of `Evaluator`.

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

    measures
        If none are named, those of the preset; without one, `DEFAULT_MEASURES`.
    preset
        The name of a task (`presets` has them all), or a `Preset`: its measures come first, and
        its depth and labels hold where none are given.
    topics
        ``judged``: every judged topic counts, unanswered ones as empty lists;
        ``common``: only judged topics that every run answers.
    undefined
        What a topic without a relevant document scores: ``zero``; ``nan``, and so do the means
        over it; nothing, it is left out of the means (``skip``); or it is an ``error``.
    ties
        Order of the lists: ``trec``, ``rank``, ``given`` or ``file``, see `read_run`; or by score
        with tied documents by level, the ``best`` or the ``worst`` first; or ``expected``, the mean
        over all orders of tied documents: exact for measures that allow it, for the others the
        mean of `tie_samples` random orders (chosen by `seed`), with its standard error in a
        column of its own.
    lengths
        Lengths of the documents, for measures that need them: a path, a dict or a frame.
    costs, cost_unit
        Costs of the documents, for user models: by topic and document (``{topic: {doc: cost}}``)
        or by element type (``{type: cost}``, the second column of a TREC run), as a path, a dict
        or a frame; 1 for each if not given. The unit, such as seconds, is only told.
    measurements
        All five of EU, ETU, EC, ETC and ED in the place of every measure that is a user model.
    residuals
        Columns ``.lower`` and ``.upper`` beside those of user models and RBP: the score with all
        unjudged documents at their worst and at their best.
    depth
        Look at so many documents of each list only.
    rel, gains, condensed
        Parameters for all measures that have them and do not set them. `gains` may differ from
        topic to topic: ``{topic: gains}``, or ``topic`` for 1:2:… up to the topic's own highest
        level.
    labelling
        Which items count, and as what: `EquivalenceClasses`, `Combinations` or your own
        `Labelling`.
    intents
        What is known of the intents of topics, for measures of diversity: probabilities
        (``{topic: {intent: probability}}``) and types, as a path, a dict or a frame, or several.
        Judgments are then for intents, ``topic intent doc level``; so they are if a measure of
        diversity is asked for.
    per_intent
        Every intent is a topic of its own, ``topic/intent``, and measures of diversity become what
        they are made of: IA(ERR) becomes ERR.
    verticals
        Which kinds of results the users of an intent want, for Vscore and QUscore: probabilities or
        levels (``{topic: {intent: {vertical: value}}}``), as a path, a dict or a frame. The
        vertical of a result is the second column of a TREC run, or the column ``type`` of a table.
    embed_verticals
        Verticals are items of the lists, under their names, with level 2; all other items are of
        the vertical Web. What an item is worth to an intent is multiplied by how much its users
        want the vertical.
    labels
        The levels that assessors' labels mean, as in ``"S=3,A=2,B=1,C=0"``; a dict will do.
    separator
        What stands between the fields of a line of text, if not blanks.
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
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        preset: str | Preset | None = None,
        topics: Topics = "judged",
        undefined: Undefined = "zero",
        ties: Ties | None = None,
        depth: int | None = None,
        rel: float | None = None,
        gains: Any = None,
        condensed: bool = False,
        exclude_self: bool = False,
        lengths: LengthsLike = None,
        costs: CostsLike = None,
        cost_unit: str = "",
        measurements: bool = False,
        residuals: bool = False,
        intents: IntentsLike = None,
        per_intent: bool = False,
        verticals: VerticalsLike = None,
        embed_verticals: bool = False,
        labelling: Labelling | None = None,
        labels: LabelsLike | None = None,
        separator: str | None = None,
        tie_samples: int = 100,
        seed: int = 0,
        threads: int | None = None,
        qrels_format: str | None = None,
        run_format: str | None = None,
        block_cells: int = BLOCK_CELLS,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        task = preset if isinstance(preset, Preset | None) else find_preset(preset)
        if task is not None:
            measures = [*task.measures_at(), *(parse_measures(measures) if measures else ())]
            depth = task.depth if depth is None else depth
            labels = labels or task.labels or None
        measures = DEFAULT_MEASURES if measures is None else measures
        one_of("topics", topics, Topics)
        one_of("undefined", undefined, Undefined)
        if ties is not None:
            one_of("ties", ties, Ties)
        for name, number, low in (
            ("depth", 1 if depth is None else depth, 1),
            ("tie_samples", tie_samples, 2),
            ("seed", seed, 0),
        ):
            if not isinstance(number, int | np.integer) or number < low:
                raise InputError(f"{name} {number!r}", f"a whole number from {low}")
        self.topics, self.undefined, self.ties, self.depth = topics, undefined, ties, depth
        self.tie_samples, self.seed = tie_samples, seed
        self.exclude_self, self.run_format, self.progress = exclude_self, run_format, progress
        self.separator = separator
        self.directory = os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else None
        self.threads = threads or min(4, os.cpu_count() or 1)
        by_topic = gains == "topic" or (isinstance(gains, Mapping) and _names_topics(gains))
        gain = None if by_topic else gains
        defaults = {"rel": rel, "gain": gain, "condensed": condensed or None}
        defaults = {name: value for name, value in defaults.items() if value is not None}
        self.defaults = defaults
        asked = parse_measures(measures)
        given = {"rel": rel, "gain": gains, "condensed": condensed or None}
        self.useless = [
            name
            for name, value in given.items()
            if value is not None and not any(m.takes_default(name) for m in asked)
        ]
        if measurements and not any(m.is_user_model() for m in asked):
            self.useless.append("measurements")
        if measurements:
            asked = tuple(x for m in asked for x in _all_five(m))
        if residuals and not any(m.has_residuals for m in asked):
            self.useless.append("residuals")
        for m in asked:
            if not m.ranks_documents():
                raise CranfieldError(f"{m} scores {m.takes}, expected measures of ranked lists: "
                                     f"`cranfield {TAKES[m.takes]}` computes it")  # fmt: skip
        diverse = any(m.takes == "intents" for m in asked)
        self.per_intent = per_intent
        if intents is not None and not (diverse or per_intent):
            self.useless.append("intents")
        wanted = tuple(dict.fromkeys(m.with_defaults(defaults) for m in asked))
        if per_intent:
            wanted = tuple(dict.fromkeys(x for m in wanted for x in m.of_intent()))
        curves = {name for m in wanted if len(m.names()) > 1 for name in m.names()}
        self.measures = tuple(m for m in wanted if str(m) not in curves)
        if not self.measures:
            raise InputError("no measure", "at least one")
        units = sorted({m.length_unit for m in self.measures if m.length_unit})
        if units and lengths is None:
            needy = next(m for m in self.measures if m.length_unit)
            raise InputError(
                "no document lengths",
                f"them in {needy.length_unit} (lengths=, or --lengths FILE)",
                needy,
            )
        self.lengths = read_lengths(lengths).in_units(units) if units else None
        self.models = [m for m in self.measures if isinstance(m, UserModel)]
        self.residuals = residuals
        self.costs = None if costs is None else read_costs(costs, cost_unit)
        if self.costs is not None and not self.models:
            self.useless.append("costs")
            self.costs = None
        if cost_unit and costs is None:
            self.useless.append("cost-unit")
        pairs = [m for m in self.measures if isinstance(m, OfPairs)]
        if verticals is None and (pairs or embed_verticals):
            who = pairs[0] if pairs else "embed_verticals"
            expected = "some (verticals=, or --verticals FILE)"
            raise InputError("no verticals", expected, who)
        if verticals is not None and not (pairs or embed_verticals):
            self.useless.append("verticals")
        wants = None if verticals is None else read_verticals(verticals, separator)
        by_intent = diverse or per_intent or intents is not None or embed_verticals
        judged = read_qrels(
            qrels, qrels_format, separator=separator, labels=labels, by_intent=by_intent
        )
        known = None if intents is None else read_intents(intents, separator)
        if embed_verticals and wants is not None:
            judged = embedded(judged, wants, known)
        self.gold = GoldStandard.of(judged)
        self.intents = intents_on(self.gold, known) if by_intent else None
        self.known_intents = known
        self.verticals = wants if pairs else None
        self.importance = None
        if self.verticals is not None and self.intents is not None:
            topics_judged = self.gold.judgments.topics
            self.importance = importance_of(self.verticals, topics_judged, self.intents)
        if by_intent and labelling is not None:
            raise InputError("classes or groups of items", "none with intents")
        if labelling is not None and not isinstance(labelling, Labelling):
            expected = "an object of a class derived from cranfield.Labelling"
            raise InputError(f"labelling {labelling!r}", expected)
        self.counting = (labelling or Labelling()).on(self.gold)
        table = self._gains_by_topic(gains) if by_topic else None
        self.gains = None if "gain" in self.useless else table
        self.preset = task
        self.block_cells = block_cells
        self._blocks = self._cut(self.gold.judgments.counts)

    def __call__(self, runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike]) -> Scores:
        """Score one or several runs."""
        names: list[str] = []
        labelled: list[_Labelled] = []
        for run in self.read(runs):
            names.append(run.name)
            labelled.append(self._label(run))
            self._refuse_unknown_costs(run, labelled[-1].rankings)
        for one in labelled:
            self._refuse_unknown_lengths(one.name, one.rankings)
        counted = self._counted(labelled)
        values = np.stack([self.values(one.rankings) for one in labelled])[:, self._each(counted)]
        topics = tuple(self._topic_names(counted))
        self._refuse_undefined(topics, values)
        columns = [column for m in self.measures for column in self._columns(m)]
        about_judgments = notices.of_judgments(
            self.gold.qrels,
            self.gold.judgments.max_level,
            self.measures,
            [m for m in self.measures if self.here(m, 0).takes_max_level()],
            self.counting.plain,
            lambda m: self._without_relevant(m, counted),
            self.undefined,
        )
        return Scores(
            values=values,
            runs=tuple(names),
            topics=topics,
            measures=tuple(name for name, _, _ in columns),
            summaries=tuple(summary for _, summary, _ in columns),
            better=tuple(better for _, _, better in columns),
            undefined=self.undefined,
            notices=(
                *notices.of_settings(self.preset, self.gains, self.useless, self.counting.plain),
                *notices.of_costs(self.costs, self.models),
                *notices.of_intents(
                    self.intents,
                    self.known_intents,
                    self.gold.judgments.topics,
                    self.measures,
                    self.per_intent,
                ),
                *about_judgments,
                *notices.of_groups(self.counting.groups, self.gold.qrels.topics),
                *notices.of_ties(
                    self.ties,
                    self.measures,
                    self._exact,
                    self._bounded,
                    self.tie_samples,
                    self.seed,
                ),
                *(n for one in labelled for n in one.notices),
            ),
        )

    def _columns(self, m: Measure) -> list[tuple[str, str, str]]:
        """Name, summary and better end of each column of a measure."""
        found: list[tuple[str, str, str]] = []
        names = [(name, m.better) for name in m.names()]
        if self.residuals and m.has_residuals:
            names += [(f"{m}.lower", "neither"), (f"{m}.upper", "neither")]
        for name, better in names:
            found.append((name, m.summary, better))
            if self.ties == "expected" and not self._exact(m):
                found.append((f"{name}.se", "se", "neither"))
        return found

    def _each(self, of_topics: Any) -> Any:
        """What is true of topics, of what is scored: intents, if each is a topic of its own."""
        if self.per_intent and self.intents is not None:
            return np.repeat(of_topics, self.intents.counts)
        return of_topics

    def _topic_names(self, counted: Bools) -> list[str]:
        topics = zip(self.gold.judgments.topics, counted, strict=True)
        if self.per_intent and self.intents is not None:
            named = zip(topics, self.intents.names, strict=True)
            return [f"{topic}/{name}" for (topic, counts), few in named if counts for name in few]
        return [topic for topic, counts in topics if counts]

    # -- labelling --------------------------------------------------------------------------

    def read(self, runs: RunLike | Sequence[RunLike] | Mapping[str, RunLike]) -> list[Run]:
        """One or several runs, read as the options say, each under a name of its own."""
        if self.directory is not None:  # whose runs are meant, and not files of the same name
            runs = _inside(self.directory, runs)
        order = reading_order(self.ties)
        types = self.verticals is not None or (self.costs is not None and self.costs.by_type)
        return read_runs(
            runs,
            self.run_format,
            ties=order,
            separator=self.separator,
            types=types,
            qrels=self.gold.qrels,
        )

    def rankings(self, run: Run, topic: str | None = None) -> Rankings:
        """Where a run placed the judged documents; what all topics need is there, or one."""
        rankings = self._label(run).rankings
        self._refuse_unknown_lengths(run.name, rankings, topic)
        self._refuse_unknown_costs(run, rankings, topic)
        return rankings

    def _label(self, run: Run) -> _Labelled:
        noted = [x for x in (self.lengths, self.costs, self.verticals) if x is not None]
        found = label(self.gold, run, self.exclude_self, self.threads, self.progress, noted)
        rankings = found.rankings
        if self.ties in ("best", "worst"):
            rankings = getattr(Reordering(rankings), self.ties)()
        about = tuple(
            notices.of_run(
                run.name,
                rankings,
                self.gold.judgments.topics,
                self.measures,
                alike=self.counting.plain and self.lengths is None and self.intents is None,
                depth=self.depth,
                topics=found.topics,
                missing="counted as empty lists" if self.topics == "judged" else "left out",
                contradicted=found.contradicted,
                ties=self.ties,
                by_intent=self.intents is not None,
            )
        )
        about += tuple(notices.of_verticals(run, rankings, self.verticals))
        if self.ties != "expected":  # else any order may be cut there, and any item the first
            rankings = self._counted_as(rankings)
            if not self.counting.plain:
                about += tuple(notices.of_counts(run.name, rankings, self.counting.judgments))
        return _Labelled(run.name, rankings, about)

    def _counted_as(self, rankings: Rankings) -> Rankings:
        """The lists down to the depth that is looked at, with what each hit counts as."""
        cut = rankings if self.depth is None else rankings.truncated(self.depth)
        return self.counting.counted(cut)

    def _refuse_unknown_lengths(
        self, name: str, rankings: Rankings, topic: str | None = None
    ) -> None:
        """Every length that a measure asks for must be known: of all topics, or of one."""
        every_topic = self.gold.judgments.topics
        for unit, lengths in rankings.noted.items():
            if unit in ("cost", "vertical"):
                continue
            asking = [m for m in self.measures if m.length_unit == unit]
            rels = [getattr(m, "rel", None) for m in asking]
            levels = rankings.levels
            relevant = (levels > 0) | (levels >= min(np.inf if x is None else x for x in rels))
            relevant &= rankings.first <= (self.depth or np.inf)
            topics, starts = rankings.hit_topics[relevant], rankings.starts
            needed = np.zeros(len(lengths), dtype=bool)
            needed[starts[topics] + rankings.ranks[relevant] - 1] = True
            if any(m.every_length for m in asking):  # down to the last relevant document
                reach = rankings.last if self.ties == "expected" else rankings.ranks
                deepest = np.zeros(len(starts), dtype=np.int64)
                np.maximum.at(deepest, topics, reach[relevant])
                rank = spans(np.ones_like(starts), rankings.lengths)
                needed |= rank <= np.repeat(deepest, rankings.lengths)
            for row in np.flatnonzero(needed & np.isnan(lengths)).tolist():
                t = int(np.searchsorted(starts, row, side="right")) - 1
                if topic in (None, every_topic[t]):
                    place = f"rank {row - starts[t] + 1} of topic {every_topic[t]}"
                    found = f"no length of the document at {place} in {name}"
                    expected = f"one for every document that {', '.join(map(str, asking))} looks at"
                    raise InputError(found, expected, self.lengths.where if self.lengths else "")

    def _refuse_unknown_costs(self, run: Run, rankings: Rankings, topic: str | None = None) -> None:
        """Every document that a user model looks at must have a cost: of all topics, or of one."""
        if self.costs is None:
            return
        rank = spans(np.ones_like(rankings.starts), rankings.lengths)
        widths = [m.width for m in self.models if not m.condensed]
        depth = min(self.depth or np.inf, max(widths, default=0))
        looked_at = rank <= (np.inf if self.ties == "expected" else depth)
        if any(m.condensed for m in self.models):  # judged documents alone, however deep they are
            looked_at[rankings.starts[rankings.hit_topics] + rankings.ranks - 1] = True
        lacking = np.isnan(rankings.noted["cost"]) & looked_at
        for row in np.flatnonzero(lacking).tolist():
            t = int(np.searchsorted(rankings.starts, row, side="right")) - 1
            name = self.gold.judgments.topics[t]
            if topic in (None, name):
                if self.costs.by_type:
                    found = (
                        f"no cost of {some(self.costs.unknown_types(run), 'type')} in {run.name}"
                    )
                    expected = "one for every type"
                else:
                    docs = [d for d in run.ranked(name) if not (self.exclude_self and d == name)]
                    unknown = self.costs.unknown_documents(name, docs)
                    there = docs[rank[row] - 1]  # unless ties were broken otherwise
                    doc = there if there in unknown else unknown[-1]
                    found = f"no cost of document {doc} of topic {name} in {run.name}"
                    expected = "one for every document that a user model looks at"
                raise InputError(found, expected, self.costs.where)

    def _counted(self, labelled: Sequence[_Labelled]) -> Bools:
        """The topics that count."""
        counted = np.ones(len(self.gold.judgments.topics), dtype=bool)
        if self.topics == "common":
            for one in labelled:
                counted &= one.rankings.answered
            if not counted.any():
                who = "that every run answers" if len(labelled) > 1 else f"in {labelled[0].name}"
                expected = some(self.gold.judgments.topics, "topic")
                raise InputError(f"no judged topic {who}", f"some of {expected}")
        return counted

    # -- measuring --------------------------------------------------------------------------

    def with_part(self, kept: Bools) -> Evaluator:
        """The same, as if only some of the judged items had been judged.

        `kept` is for each item of `gold.judgments`, as hits of `rankings` name them: the hits of
        a run are then ``rankings.with_hits(kept[rankings.items])``.
        """
        every = self.gold.judgments
        offsets = np.concatenate(([0], np.cumsum(kept)))[every.offsets]
        judged = replace(every, offsets=offsets, levels=every.levels[kept], items=every.items[kept])
        part = copy.copy(self)
        part.counting = replace(self.counting, judgments=judged)
        part._blocks = part._cut(judged.counts)
        return part

    def values(self, rankings: Rankings) -> Floats:
        """Topics × columns of one run."""
        if self.ties != "expected":
            last = notices.deepest(self.measures, self.depth)
            if self.intents is not None and last is not None:  # where each hit is many numbers
                rankings = rankings.with_hits(rankings.ranks <= last)
            found = self._measured(self.measures, partial(self._lists, rankings))
            return np.concatenate(found, axis=1)
        exact = [m for m in self.measures if self._exact(m)]
        others = [m for m in self.measures if not self._exact(m)]
        looked_at = notices.deepest(exact, self.depth) if exact else None
        lists = partial(self._expected, rankings, looked_at)
        tied = self._cut(np.maximum(self.gold.judgments.counts, rankings.spread(looked_at)))
        values = dict(zip(exact, self._measured(exact, lists, tied), strict=True))
        values |= dict(zip(others, self._sampled(others, rankings), strict=True))
        return np.concatenate([values[m] for m in self.measures], axis=1)

    def _exact(self, m: Measure) -> bool:
        """Whether the mean over all orders of tied documents can be computed."""
        # Which item of a class comes first depends on the order, and so does what it counts as.
        simple = self.counting.plain and not (m.condensed and self.depth is not None)
        simple = simple and not self.per_intent
        priced = self.costs is not None and m.is_model
        return m.exact_under_ties() and simple and not priced

    def _bounded(self, m: Measure) -> bool:
        """Whether no order of tied documents beats the one by level."""
        # What a depth leaves of a condensed list depends on where unjudged documents are.
        simple = self.counting.plain and not (m.condensed and self.depth is not None)
        return m.rewards_better_items() and simple

    def _sampled(self, measures: Sequence[Measure], rankings: Rankings) -> list[Floats]:
        """Mean and standard error over random orders of tied documents, column by column."""
        if not measures:
            return []
        reordering = Reordering(rankings)
        random = np.random.default_rng(self.seed).random
        count = self.tie_samples if reordering.possible else 1
        for sample in range(count):
            order = self._counted_as(reordering.sample(random))
            found = self._measured(measures, partial(self._lists, order))
            if sample == 0:
                first = found
                spreads = [_Spread(x) for x in found]
            for spread, x, x0 in zip(spreads, found, first, strict=True):
                change = x - x0  # from the first, so that what is always the same stays so
                spread.add(np.where(np.abs(change) <= ROUNDING * np.abs(x0), 0.0, change))
        return [
            np.stack([x0 + spread.mean, spread.error], axis=2).reshape(len(x0), -1)
            for spread, x0 in zip(spreads, first, strict=True)
        ]

    def _lists(self, rankings: Rankings, start: int, stop: int, gold: Gold) -> Lists:
        return lists_block(rankings, gold, start, stop)

    def _expected(
        self, rankings: Rankings, looked_at: int | None, start: int, stop: int, gold: Gold
    ) -> Lists:
        first, last = tie_bounds(rankings, start, stop)
        lists = self._lists(rankings, start, stop, gold)
        return Expected(lists, first, last, self.depth, looked_at)

    def _cut(self, counts: Ints) -> list[tuple[int, int, Gold]]:
        """The topics in blocks of bounded size; user models look at all ranks, judged or not."""
        widest = max((m.width for m in self.models), default=0)
        cells = min(self.block_cells, DENSE_CELLS) if widest else self.block_cells
        width = np.maximum(counts, widest)
        if self.intents is not None:
            width = width * np.maximum(self.intents.counts, 1)
        return [
            (a, b, gold_block(self.counting.judgments, a, b, self.intents, self.importance))
            for a, b in blocks(width, cells, self.gains)
        ]

    def here(self, m: Measure, topic: int) -> Measure:
        """A measure with the gains of a topic, if they differ from topic to topic."""
        return m if self.gains is None else m.with_defaults({"gain": self.gains[topic]})

    def _gains_by_topic(self, gains: Any) -> list[Gain]:
        """The gains of each topic, given or up to its highest level."""
        judged, named = self.gold.judgments, gains if isinstance(gains, Mapping) else {}
        given = {str(topic): gain for topic, gain in named.items()}
        found: list[Gain] = []
        for t, topic in enumerate(judged.topics):
            if given and topic not in given:
                raise InputError(f"no gains for topic {topic}", "them for all")
            levels = judged.levels[judged.offsets[t] : judged.offsets[t + 1]]
            top = max(1, math.ceil(levels.max(initial=0.0)))
            try:
                found.append(parse_gain(given[topic] if given else range(1, top + 1)))
            except CranfieldError as problem:
                raise CranfieldError(f"topic {topic}: {problem}") from None
        return found

    def _measured(
        self,
        measures: Sequence[Measure],
        lists_of: Callable[[int, int, Gold], Lists],
        blocks: Sequence[tuple[int, int, Gold]] | None = None,
    ) -> list[Floats]:
        """Topics × names of each measure, block by block."""
        if not measures:
            return []

        def measured(block: tuple[int, int, Gold]) -> list[Floats]:
            lists = lists_of(*block)
            there: Any = slice(None)
            if self.per_intent and block[2].intents is not None:
                lists, there = intent_rows(lists), block[2].intents.there.ravel()
            found = []
            for m in (self.here(m, block[0]) for m in measures):
                x = m.values(lists)
                if self.residuals and m.has_residuals:
                    x = np.concatenate((x, m.bounds(lists)), axis=1)
                if self.undefined != "zero" and m.effectiveness:
                    x = np.where(m.view(lists).R[:, None] > 0, x, np.nan)
                found.append(x[there])
            return found

        every = self._blocks if blocks is None else blocks
        if len(every) > 1 and self.threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(self.threads) as pool:
                parts = list(pool.map(measured, every))
        else:
            parts = [measured(block) for block in every]
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _refuse_undefined(self, topics: Sequence[str], values: Floats) -> None:
        if self.undefined == "error" and np.isnan(values).any():
            lost = [topic for t, topic in enumerate(topics) if np.isnan(values[:, t]).any()]
            found = f"no relevant document for {some(lost, 'topic')}"
            raise InputError(found, "one with undefined=error", self.gold.qrels.where)

    def _without_relevant(self, m: Measure, counted: Bools) -> list[str]:
        """The topics in which nothing is relevant to this measure."""
        R = np.concatenate([self._R(self.here(m, a), gold) for a, _, gold in self._blocks])
        topics = zip(self._topic_names(counted), R[self._each(counted)], strict=True)
        return [topic for topic, relevant in topics if not relevant]

    def _R(self, m: Measure, gold: Gold) -> Floats:
        """How much is relevant to a measure, in the topics of a block or in their intents."""
        if self.per_intent and gold.intents is not None:
            of_intents: Floats = m.view(gold_rows(gold).ideal).R[gold.intents.there.ravel()]
            return of_intents
        return m.view(gold.ideal).R


class _Spread:
    """Mean and standard error of arrays, one array after the other."""

    def __init__(self, like: Floats) -> None:
        self.n, self.sum, self.squares = 0, np.zeros(like.shape), np.zeros(like.shape)

    def add(self, x: Floats) -> None:
        self.n += 1
        self.sum += x
        self.squares += x * x

    @property
    def mean(self) -> Floats:
        return self.sum / self.n

    @property
    def error(self) -> Floats:
        """The standard error of the mean."""
        variance = np.maximum(self.squares / self.n - self.mean**2, 0.0)
        return np.sqrt(variance / max(self.n - 1, 1))


def _all_five(m: Measure) -> list[Measure]:
    """All measurements of a user model; any other measure is left as it is."""
    return [m.reading(measurement) for measurement in FIVE] if m.is_user_model() else [m]


def _inside(directory: str, runs: Any) -> Any:
    """The runs, those of a topic directory by the names they have there."""
    if isinstance(runs, str | os.PathLike):
        return topic_dirs.inside(directory, os.fspath(runs))
    if isinstance(runs, list | tuple) and all(isinstance(r, str | os.PathLike) for r in runs):
        return [topic_dirs.inside(directory, os.fspath(run)) for run in runs]
    return runs


def _names_topics(gains: Mapping[Any, Any]) -> bool:
    """Whether a mapping is of gains by topic, and not by level."""
    return not all(isinstance(key, int) for key in gains) or not all(
        isinstance(gain, int | float) for gain in gains.values()
    )
