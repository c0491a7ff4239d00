"""Every option of an evaluation, once: its name, its type, its default and what it does.

`Options` is what the evaluation works with. `Settings` says the same to editors and type checkers
of functions that take options by name, and `with_options` to ``help()``; a test compares them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property, wraps
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, cast, get_args

import numpy as np

from cranfield.data.costs import CostsLike
from cranfield.data.intents import IntentsLike
from cranfield.data.lengths import LengthsLike
from cranfield.data.merging import ChunkScore, ChunksLike, Duplicates, Merging
from cranfield.data.orders import RankBy, Reading, choose_order
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.reading.table import PartRead
from cranfield.data.systems import RunNames
from cranfield.data.tracks import choose_topics, read_named_topics
from cranfield.data.verticals import VerticalsLike
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.presets import Preset
from cranfield.evaluation.presets import preset as find_preset
from cranfield.labelling.strategies import Labelling
from cranfield.measures.lists import BLOCK_CELLS
from cranfield.wording import reject_unknown

Topics: TypeAlias = str | os.PathLike[str] | Iterable[str]
Undefined: TypeAlias = Literal["zero", "nan", "skip", "error"]
TieOrder: TypeAlias = Literal["trec", "rank", "given", "best", "worst", "expected", "file"]
TIE_CHOICES = get_args(TieOrder)
Progress: TypeAlias = Callable[[PartRead], None]

T = TypeVar("T", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """How runs are evaluated.

    preset
        The name of a task (`presets` has them all), or a `Preset`: its measures come first, and
        its depth and labels hold where none are given.
    topics
        ``judged``: every judged topic counts, unanswered ones as empty lists;
        ``common``: only judged topics that every run answers; or those named, which must be
        judged: a list, ``"101,102"``, or a path or ``"@FILE"`` for the names that its lines begin
        with. The others are as if nobody had judged them, but for the levels that there are.
    undefined
        What a topic without a relevant document scores: ``zero``; ``nan``, and so do the means
        over it; nothing, it is left out of the means (``skip``); or it is an ``error``.
    order
        What orders a ranking: ``score``, ``rank`` or ``given``, see `read_run`.
    ties
        Order of documents with equal scores: ``trec`` or ``file``, see `read_run`; or by level, the
        ``best`` or the ``worst`` first; or ``expected``, the mean over all orders of them: exact
        for measures that allow it, for the others the mean of `tie_samples` random orders
        (chosen by `seed`), with its standard error in a column of its own. ``rank`` and ``given``
        are older spellings of the same `order`.
    depth
        Look at so many documents of each list only.
    rel, gains, condensed
        Parameters for all measures that have them and do not set them. `gains` may differ from
        topic to topic: ``{topic: gains}``, or ``topic`` for 1:2:… up to the topic's own highest
        level.
    exclude_self
        Drop a document whose id is the topic's.
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
    labelling
        Which items count, and as what: `EquivalenceClasses`, `Combinations` or your own
        `Labelling`.
    labels
        The levels that assessors' labels mean, as in ``"S=3,A=2,B=1,C=0"``; a dict will do.
    separator
        What stands between the fields of a line of text, if not blanks.
    columns
        What columns of judgments and runs are called that have other names, or their numbers from
        1: ``"topic=user_id,level=rating"``, ``"run.topic=1,run.doc=2,run.score=3"``, or a dict.
    tie_samples, seed
        How many random orders ``ties="expected"`` draws where it must, and what chooses them.
    threads
        How many to use; the result does not depend on it.
    qrels_format, run_format
        The format of files, instead of recognising it.
    run_names
        ``tag``: lines with several run tags are several runs, each named by its tag, or by the
        path as given where tags clash or are missing; ``file``: a file is one run, named by its
        path.
    chunks, chunk_score
        What makes documents of the chunks in runs: the sign between the ids of both (``"#"``), a
        regular expression between slashes whose one group is the document, or a function from the
        one id to the other. A document scores the ``max`` of its chunks (the default), their
        ``sum``, or as the ``first`` of them; where ranks or the order of lists decide, it stands
        where the first does.
    duplicates
        Lists that repeat a document are an ``error``, or of each the ``first`` or the ``best`` line
        is kept.
    block_cells
        How many topics × judged documents are computed at a time; the result does not depend on it.
    progress
        Called with the name of a run whenever another part of it has been read; this string also
        has `lines`, how many these were, and `taken`, how many bytes of its file.
    """

    preset: str | Preset | None = None
    topics: Topics = "judged"
    undefined: Undefined = "zero"
    order: RankBy | None = None
    ties: TieOrder | None = None
    depth: int | None = None
    rel: float | None = None
    gains: Any = None
    condensed: bool = False
    exclude_self: bool = False
    lengths: LengthsLike = None
    costs: CostsLike = None
    cost_unit: str = ""
    measurements: bool = False
    residuals: bool = False
    intents: IntentsLike = None
    per_intent: bool = False
    verticals: VerticalsLike = None
    embed_verticals: bool = False
    labelling: Labelling | None = None
    labels: LabelsLike | None = None
    separator: str | None = None
    columns: ColumnsLike | None = None
    tie_samples: int = 100
    seed: int = 0
    threads: int | None = None
    qrels_format: str | None = None
    run_format: str | None = None
    run_names: RunNames = "tag"
    chunks: ChunksLike = None
    chunk_score: ChunkScore | None = None
    duplicates: Duplicates = "error"
    block_cells: int = BLOCK_CELLS
    progress: Progress | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "topics", read_named_topics(self.topics) or self.topics)
        check_choice("undefined", self.undefined, Undefined)
        check_choice("run_names", self.run_names, RunNames)
        _ = self.merging  # or an error
        if self.ties is not None:
            check_choice("ties", self.ties, TieOrder)
        _ = self.reading  # or an error
        for name, low in {"depth": 1, "tie_samples": 2, "seed": 0}.items():
            number = low if name == "depth" and self.depth is None else getattr(self, name)
            if not isinstance(number, int | np.integer) or number < low:
                raise InputError(f"{name} {number!r}", f"a whole number from {low}")
        if self.labelling is not None and not isinstance(self.labelling, Labelling):
            expected = "an object of a class derived from cranfield.Labelling"
            raise InputError(f"labelling {self.labelling!r}", expected)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Options:
        """The options that a caller gave by name, with those of the preset where none are given."""
        reject_unknown(values, NAMES)
        options = cls(**values)
        task = options.task
        if task is None:
            return options
        depth = task.depth if options.depth is None else options.depth
        return replace(
            options, preset=task, depth=depth, labels=options.labels or task.labels or None
        )

    def reject_expected_ties(self) -> None:
        """Refuse the mean over many orders where one order is shown."""
        if self.ties == "expected":
            raise InputError("ties=expected", "one order: trec, best or worst")

    @property
    def reading(self) -> Reading | None:
        """The order in which runs are read."""
        return choose_order(self.ties, self.order)

    @cached_property
    def task(self) -> Preset | None:
        """The preset itself, if one is named."""
        return find_preset(self.preset) if isinstance(self.preset, str) else self.preset

    @property
    def named_topics(self) -> tuple[str, ...] | None:
        """The topics, if some are named."""
        return self.topics if isinstance(self.topics, tuple) else None

    def select_topics(self, topics_judged: Sequence[str]) -> Options:
        """Return these options with the topics that are named, all of which are judged."""
        names = self.named_topics
        return (
            self
            if names is None
            else replace(self, topics=choose_topics(names, dict.fromkeys(topics_judged)))
        )

    @property
    def gains_by_topic(self) -> bool:
        """Whether gains differ from topic to topic."""
        if not isinstance(self.gains, Mapping):
            return isinstance(self.gains, str) and self.gains == "topic"
        levels = all(isinstance(key, int) for key in self.gains)
        return not levels or not all(isinstance(x, int | float) for x in self.gains.values())

    @cached_property
    def merging(self) -> Merging:
        """How several lines of a run become one document."""
        return Merging(self.chunks, self.chunk_score, self.duplicates)

    @cached_property
    def workers(self) -> int:
        """How many threads are used."""
        return self.threads or min(4, os.cpu_count() or 1)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Parameters for all measures that have them and do not set them."""
        gain = None if self.gains_by_topic else self.gains
        parameters = {"rel": self.rel, "gain": gain, "condensed": self.condensed or None}
        return {name: value for name, value in parameters.items() if value is not None}


NAMES = tuple(f.name for f in fields(Options))


class ListSettings(TypedDict, total=False):
    """The options but for those that `label` has a meaning of its own for."""

    preset: str | Preset | None
    undefined: Undefined
    order: RankBy | None
    ties: TieOrder | None
    depth: int | None
    gains: Any
    condensed: bool
    exclude_self: bool
    lengths: LengthsLike
    costs: CostsLike
    cost_unit: str
    measurements: bool
    residuals: bool
    intents: IntentsLike
    per_intent: bool
    verticals: VerticalsLike
    embed_verticals: bool
    labelling: Labelling | None
    labels: LabelsLike | None
    separator: str | None
    columns: ColumnsLike | None
    tie_samples: int
    seed: int
    threads: int | None
    qrels_format: str | None
    run_format: str | None
    run_names: RunNames
    chunks: ChunksLike
    chunk_score: ChunkScore | None
    duplicates: Duplicates
    block_cells: int
    progress: Progress | None


class Settings(ListSettings, total=False):
    """The options by name and type, as ``**options: Unpack[Settings]``."""

    topics: Topics
    rel: float | None


def with_options(target: T) -> T:
    """List every option in the signature and in the documentation of a function or a class."""
    return with_fields(target, Options)


def with_fields(target: T, *kinds: Any) -> T:
    """List the fields of some kinds of options, dataclasses, in the signature and in the
    documentation of a function or a class that takes them by name. Unknown names raise a TypeError
    that suggests the nearest.
    """
    function = vars(target)["__init__"] if isinstance(target, type) else target
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    taken_names = {p.name for p in parameters}
    kind = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(f.name, kind, default=f.default, annotation=f.type)
        for options_class in kinds
        for f in fields(options_class)
        if f.name not in taken_names
    ]
    names = [p.name for p in (*parameters, *options) if p.name != "self"]
    function_name = f"{target.__name__}() "

    @wraps(function)
    def call(*values: Any, **keywords: Any) -> Any:
        if not keywords.keys() <= taken_names:
            reject_unknown(keywords, names, function_name)
        return function(*values, **keywords)

    taken_names.update(names)
    call.__dict__["__signature__"] = signature.replace(parameters=[*parameters, *options])
    descriptions = [
        inspect.cleandoc(options_class.__doc__ or "").partition("\n")[2] for options_class in kinds
    ]
    doc = f"{inspect.cleandoc(target.__doc__ or '')}\n\nOptions\n{''.join(descriptions)}"
    if isinstance(target, type):
        type.__setattr__(target, "__init__", call)
    result: Any = target if isinstance(target, type) else call
    result.__doc__ = doc
    return cast(T, result)
