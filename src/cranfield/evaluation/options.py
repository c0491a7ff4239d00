"""The options of an evaluation, each declared in one row: a field of `Options`.

The row of an option contains its name, type, default, documentation and flag, and the measures that
use it. Everything else is derived: ``help(cf.evaluate)``, the flags of commands, the reference, the
notes about options without an effect, and the values that Spark does not support. The types for
type checkers (`Settings`) are generated from the rows.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cache, cached_property, wraps
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, cast

import numpy as np

from cranfield.data.attributes import AttributesLike
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
from cranfield.measures.base import Measure
from cranfield.measures.lists import BLOCK_CELLS
from cranfield.measures.selection import DEFAULT_MEASURES, MeasuresLike, Selection, select_measures
from cranfield.options import Option
from cranfield.wording import reject_unknown

Topics: TypeAlias = str | os.PathLike[str] | Iterable[str]
Undefined: TypeAlias = Literal["zero", "nan", "skip", "error"]
TieOrder: TypeAlias = Literal["trec", "rank", "given", "best", "worst", "expected", "file"]
Progress: TypeAlias = Callable[[PartRead], None]

T = TypeVar("T", bound=Callable[..., Any])


@dataclass(frozen=True)
class EvaluationOption(Option):
    """An option of `evaluate`.

    Attributes
    ----------
    meanings
        Meaning of each choice.
    minimum
        Lowest integer.
    used_by, example
        Predicate of the measures that use the option, and names of such measures.
    used_with
        Name of an option without which this one has no effect.
    unless
        Name of an option with which `used_by` does not matter.
    not_on_spark
        Choices that Spark does not support, with the choice to use instead.
    """

    meanings: Mapping[str, str] = field(default_factory=dict)
    minimum: int | None = None
    used_by: Callable[[Measure], bool] | None = None
    example: str = ""
    used_with: str = ""
    unless: str = ""
    not_on_spark: Mapping[str, str] = field(default_factory=dict)


def declare(*flags: str, default: Any = None, doc: str, **fields: Any) -> Any:
    """Return the field of an option, whose metadata are the values of its row."""
    lines = "\n    ".join(line.strip() for line in doc.splitlines())
    choices = tuple(fields.get("meanings", ()))
    row = {"default": default, "doc": lines, "flags": flags, "choices": choices, **fields}
    return field(default=default, metadata=row)


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """The options of an evaluation."""

    preset: str | Preset | None = declare(
        "--preset",
        metavar="NAME",
        group="task",
        help="measures and settings of a task, see `cranfield presets`",
        doc="""The name of a task, see `presets`, or a `Preset`. Its measures come first. Its depth
        and labels are the defaults of `depth` and `labels`.""",
    )
    topics: Topics = declare(
        "--topics",
        "--topic",
        metavar="TOPICS",
        default="judged",
        group="topics",
        repeat=True,
        help="judged (default), common, 101,102 or @FILE; may be repeated",
        doc="""``judged`` (default): all judged topics count, missing topics as empty rankings.
        ``common``: only judged topics that are in every run. Otherwise the topics that count, all
        of them judged: a list, ``"101,102"``, a path or ``"@FILE"`` with a topic at the start of
        each line. The other topics become unjudged, but the highest level does not change.""",
    )
    undefined: Undefined = declare(
        "--undefined",
        default="zero",
        group="topics",
        help="score of a topic without relevant documents",
        meanings={
            "zero": "0 (default)",
            "nan": "NaN, and so are the means",
            "skip": "excluded from the means",
            "error": "an error",
        },
        doc="""Score of a topic without relevant documents: ``zero`` (default), ``nan`` (so are the
        means), ``skip`` (excluded from the means) or ``error``.""",
    )
    order: RankBy | None = declare(
        "--order",
        group="order",
        help="order of a ranking",
        meanings={
            "score": "the score, descending (default)",
            "rank": "the rank column (default without scores)",
            "given": "the order of the file (default without scores and ranks)",
        },
        doc="""The order of a ranking: ``score``, ``rank`` or ``given``, see `read_run`.""",
    )
    ties: TieOrder | None = declare(
        "--ties",
        group="order",
        help="order of documents with equal scores",
        meanings={
            "trec": "by document id, descending (default)",
            "rank": "deprecated, use --order rank",
            "given": "deprecated, use --order given",
            "best": "by level, the best first",
            "worst": "by level, the worst first",
            "expected": "the mean over all orders",
            "file": "as in the file (default of predictions for LETOR data)",
        },
        doc="""The order of documents with equal scores: ``trec`` or ``file``, see `read_run`.
        ``best`` or ``worst``: by level, the best or the worst first. ``expected``: the mean over
        all orders, exact for measures that allow it. For the others it is the mean of `tie_samples`
        random orders, with its standard error in a further column. ``rank`` and ``given`` are
        deprecated spellings of `order`.""",
    )
    depth: int | None = declare(
        "--depth",
        metavar="N",
        value="count",
        group="lists",
        minimum=1,
        help="read only the first N documents of each ranking",
        doc="""Number of documents to read from each ranking. Default: all.""",
    )
    rel: float | None = declare(
        "--rel",
        metavar="N",
        value="number",
        group="relevance",
        help="lowest relevant level, for all measures that have rel",
        doc="""Lowest relevant level, for all measures that have `rel` and do not set it.""",
        used_by=lambda m: m.takes_default("rel"),
    )
    gains: Any = declare(
        "--gains",
        metavar="GAINS",
        group="relevance",
        help="linear, exp, binary, unit, 1:2:3, topic or @FILE",
        doc="""Gains of levels, for all measures that have `gain` and do not set it. Gains may
        differ by topic: ``{topic: gains}``, or ``topic`` for 1:2:… up to the topic's highest
        level.""",
        used_by=lambda m: m.takes_default("gain"),
    )
    condensed: bool = declare(
        "--condensed",
        default=False,
        group="lists",
        help="remove unjudged documents (after --depth)",
        doc="""Remove unjudged documents, for all measures that do not set it.""",
        used_by=lambda m: m.takes_default("condensed"),
    )
    exclude_self: bool = declare(
        "--exclude-self",
        default=False,
        group="lists",
        help="remove a document with the id of the topic",
        doc="""Remove a document with the id of the topic.""",
    )
    lengths: LengthsLike = declare(
        "--lengths",
        metavar="FILE",
        group="relevance",
        help="document lengths: doc length, or a table",
        doc="""Document lengths, for measures that need them: a path, a dict or a frame.""",
    )
    costs: CostsLike = declare(
        "--costs",
        metavar="FILE",
        group="costs",
        help="topic doc cost, or type cost (default: 1)",
        doc="""Document costs for user models: by topic and document (``{topic: {doc: cost}}``) or
        by type (``{type: cost}``, the second column of a TREC run), as a path, a dict or a frame.
        Default: 1 for each document.""",
        used_by=lambda m: m.is_model,
        example="INST or AP.EU",
    )
    cost_unit: str = declare(
        "--cost-unit",
        metavar="UNIT",
        default="",
        group="costs",
        help="unit of costs in notes, such as seconds",
        doc="""The unit of costs, such as seconds. It is only printed.""",
        used_with="costs",
    )
    measurements: bool = declare(
        "--measurements",
        default=False,
        group="models",
        help="EU, ETU, EC, ETC and ED of each user model",
        doc="""Replace every user model by its five measurements EU, ETU, EC, ETC and ED.""",
        used_by=lambda m: m.is_user_model(),
        example="INST or AP.EU",
    )
    residuals: bool = declare(
        "--residuals",
        default=False,
        group="models",
        help="bounds .lower and .upper for unjudged documents",
        doc="""Add columns ``.lower`` and ``.upper`` for user models and RBP: the score if all
        unjudged documents are worst, or best.""",
        used_by=lambda m: m.has_residuals,
        example="RBP, INST or AP.EU",
    )
    intents: IntentsLike = declare(
        "--intents",
        metavar="FILE",
        group="intents",
        repeat=True,
        help="topic intent probability or type; may be repeated",
        doc="""Probabilities (``{topic: {intent: probability}}``) and types of intents, for
        diversity measures: a path, a dict or a frame, or several. Judgments are then ``topic intent
        doc level``, as for all diversity measures.""",
        used_by=lambda m: m.takes == "intents",
        example="Dsharp(nDCG)@10",
        unless="per_intent",
    )
    by: AttributesLike = declare(
        "--by",
        metavar="FILE:COLUMN",
        group="slices",
        repeat=True,
        help="slices of topics: FILE:COLUMN, length or relevant",
        doc="""Attributes of topics. Means and differences are also computed for their slices. A table with a topic
        column: ``FILE:COLUMN``, ``FILE:a,b`` (two attributes), ``FILE:a*b`` (their crossing), ``FILE:frequency/3``
        (three ranges of a number), ``FILE`` (all columns), ``{topic: value}``, ``{topic: {attribute: value}}``
        or a frame. ``length`` is the number of words of the query, ``relevant`` the number of relevant
        documents, both in three ranges. Several are a list.""",
    )
    queries: Any = declare(
        "--queries",
        metavar="FILE",
        group="slices",
        help="queries of topics, for --by length",
        doc="""Queries of topics, for the attribute ``length``: a table with the columns topic and query.""",
        used_with="by",
    )
    clusters: AttributesLike = declare(
        "--clusters",
        metavar="FILE:COLUMN",
        group="slices",
        help="clusters of topics, such as variations of one need",
        doc="""Clusters of topics that are not independent, such as variations of one need: ``FILE:COLUMN``,
        ``{topic: cluster}`` or a frame. Intervals and tests are for other clusters (CR2).""",
    )
    per_intent: bool = declare(
        "--per-intent",
        default=False,
        group="intents",
        help="score every intent as a topic, topic/intent",
        doc="""Score every intent as a topic, named ``topic/intent``. Diversity measures are
        replaced by their parts: IA(ERR) by ERR.""",
    )
    verticals: VerticalsLike = declare(
        "--verticals",
        metavar="FILE",
        group="verticals",
        help="topic intent vertical value, for Vscore and QUscore",
        doc="""Probabilities or levels of verticals for each intent, for Vscore and QUscore:
        ``{topic: {intent: {vertical: value}}}``, a path or a frame. The vertical of a document is
        the second column of a TREC run, or the column ``type`` of a table.""",
        used_by=lambda m: m.needs_verticals,
        example="Vscore",
        unless="embed_verticals",
    )
    embed_verticals: bool = declare(
        "--embed-verticals",
        default=False,
        group="verticals",
        help="verticals are documents with level 2",
        doc="""Treat verticals as documents with level 2, under their names. All other documents are
        of the vertical Web. Levels for an intent are multiplied by the value of the vertical.""",
    )
    labelling: Labelling | None = declare(
        group="lists",
        doc="""The labelling strategy: `EquivalenceClasses`, `Combinations` or a custom
        `Labelling`.""",
    )
    labels: LabelsLike | None = declare(
        "--labels",
        metavar="A=2,B=1,…",
        group="relevance",
        help="levels of labels in judgments, such as S=3,A=2,B=1,C=0",
        doc="""Levels of labels in judgments: ``"S=3,A=2,B=1,C=0"`` or a dict.""",
    )
    separator: str | None = declare(
        "--sep",
        metavar="S",
        value="separator",
        group="formats",
        help="field separator: ; or tab, comma, pipe, space",
        doc="""Field separator of text files. Default: whitespace.""",
    )
    columns: ColumnsLike | None = declare(
        "--columns",
        metavar="C=NAME,…",
        group="formats",
        help="columns of tables: topic=user_id,run.score=3",
        doc="""Names of columns in tables, as a dict or ``"topic=user_id,level=rating"``. ``queries.topic=id`` is
        the column of one kind of table. Judgments and runs can also have numbers of columns from 1:
        ``"run.topic=1,run.doc=2,run.score=3"``.""",
    )
    tie_samples: int = declare(
        "--tie-samples",
        metavar="N",
        value="count",
        default=100,
        group="drawn",
        minimum=2,
        help="random orders for --ties expected (default: 100)",
        doc="""Number of random orders for ``ties="expected"``, if a measure needs them.""",
    )
    seed: int = declare(
        "--seed",
        metavar="S",
        value="integer",
        default=0,
        group="drawn",
        minimum=0,
        help="seed of the random orders (default: 0)",
        doc="""Seed of the random orders.""",
    )
    threads: int | None = declare(
        "--threads",
        metavar="N",
        value="count",
        group="threads",
        help="threads (default: all cores, at most 4 to evaluate)",
        doc="""Number of threads. The result does not depend on it.""",
    )
    qrels_format: str | None = declare(
        "--qrels-format",
        metavar="FORMAT",
        group="formats",
        help="format of judgments",
        doc="""Format of the judgments. Default: detected.""",
    )
    run_format: str | None = declare(
        "--run-format",
        metavar="FORMAT",
        group="formats",
        help="format of runs",
        doc="""Format of the runs. Default: detected.""",
    )
    run_names: RunNames = declare(
        "--run-names",
        default="tag",
        group="formats",
        help="names of runs",
        meanings={
            "tag": "each run tag is a run, named by its path if tags clash (default)",
            "file": "each file is a run, named by its path",
        },
        doc="""``tag`` (default): each run tag is a run, named by the tag, or by the path if tags
        clash or are missing. ``file``: each file is a run, named by its path.""",
    )
    chunks: ChunksLike = declare(
        "--chunks",
        metavar="SIGN",
        group="formats",
        help="separator between document and chunk id, or /REGEX/",
        doc="""Runs retrieve chunks of documents. The separator between the ids of document and
        chunk (``"#"``), a regular expression between slashes with one group, the document id, or a
        function from chunk id to document id.""",
    )
    chunk_score: ChunkScore | None = declare(
        "--chunk-score",
        group="formats",
        requires="chunks",
        help="score of a document",
        meanings={
            "first": "the score of the first chunk",
            "max": "the maximum of its chunks (default)",
            "sum": "the sum of its chunks",
        },
        not_on_spark={"sum": "max", "first": "max"},
        doc="""The score of a document: the ``max`` of its chunks (default), their ``sum``, or the
        score of the ``first``. Without scores, its rank is the rank of the first chunk.""",
    )
    duplicates: Duplicates = declare(
        "--duplicates",
        default="error",
        group="formats",
        help="documents that are more than once in a ranking",
        meanings={
            "error": "an error (default)",
            "first": "keep the first line",
            "best": "keep the line with the best score or rank",
        },
        not_on_spark={"first": "best"},
        doc="""A document more than once in a ranking: ``error`` (default), or keep its ``first`` or
        ``best`` line.""",
    )
    block_cells: int = declare(
        default=BLOCK_CELLS,
        group="threads",
        doc="""Number of topics × judged documents per block. The result does not depend on it.""",
    )
    progress: Progress | None = declare(
        group="threads",
        doc="""Function called with the name of a run after each part is read. This string has the
        attributes `lines` (lines read) and `taken` (bytes read).""",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "topics", read_named_topics(self.topics) or self.topics)
        for name, row in OPTIONS.items():
            value, minimum = getattr(self, name), row.minimum
            if value is row.default:
                continue
            if row.choices:
                check_choice(name, value, row.choices)
            if minimum is not None and (not isinstance(value, int | np.integer) or value < minimum):
                problem = f"{name} must be an integer ≥ {minimum}, found {value!r}"
                raise InputError.from_problem(problem)
        _ = self.merging, self.reading  # may raise an error
        if self.labelling is not None and not isinstance(self.labelling, Labelling):
            expected = "an object of a class derived from cranfield.Labelling"
            raise InputError(f"labelling={self.labelling!r}", expected)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Options:
        """Return the options of a caller, with depth and labels of the preset as defaults."""
        reject_unknown(values, NAMES)
        options = cls(**values)
        task = options.task
        if task is None:
            return options
        depth = task.depth if options.depth is None else options.depth
        return replace(options, preset=task, depth=depth, labels=options.labels or task.labels or None)

    def reject_expected_ties(self) -> None:
        """Raise an error for the mean over all orders of ties."""
        if self.ties == "expected":
            problem = "ties=expected is not supported for a single ranking"
            raise InputError.from_problem(problem, "Use trec, best or worst.")

    @property
    def reading(self) -> Reading | None:
        """The order in which runs are read."""
        return choose_order(self.ties, self.order)

    @cached_property
    def task(self) -> Preset | None:
        """The preset, if any."""
        return find_preset(self.preset) if isinstance(self.preset, str) else self.preset

    @property
    def named_topics(self) -> tuple[str, ...] | None:
        """The requested topics, if any."""
        return self.topics if isinstance(self.topics, tuple) else None

    def select_topics(self, topics_judged: Sequence[str]) -> Options:
        """Return the options with the requested topics. All of them must be judged."""
        names = self.named_topics
        return self if names is None else replace(self, topics=choose_topics(names, dict.fromkeys(topics_judged)))

    @property
    def gains_by_topic(self) -> bool:
        """True if gains differ by topic."""
        if not isinstance(self.gains, Mapping):
            return isinstance(self.gains, str) and self.gains == "topic"
        levels = all(isinstance(key, int) for key in self.gains)
        return not levels or not all(isinstance(x, int | float) for x in self.gains.values())

    @cached_property
    def merging(self) -> Merging:
        """The rule for several lines of one document."""
        return Merging(self.chunks, self.chunk_score, self.duplicates)

    @cached_property
    def workers(self) -> int:
        """The number of threads."""
        return self.threads or count_workers()

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Default parameters of measures."""
        gain = None if self.gains_by_topic else self.gains
        parameters = {"rel": self.rel, "gain": gain, "condensed": self.condensed or None}
        return {name: value for name, value in parameters.items() if value is not None}

    def select_measures(self, measures: MeasuresLike) -> Selection:
        """Return the measures to compute: the preset's, the requested, or the default measures."""
        preset = () if self.task is None else self.task.measures_at()
        if self.task is None and measures is None:
            measures = DEFAULT_MEASURES
        return select_measures(measures, preset, self.defaults, self.measurements, self.per_intent)

    def find_unused(self, measures: Sequence[Measure]) -> dict[str, str]:
        """Return the options without an effect on measures, each with the reason."""
        reasons: dict[str, str] = {}
        for name, row in OPTIONS.items():
            if not self.is_set(name):
                continue
            if row.used_with and not self.is_set(row.used_with):
                reasons[name] = f"it needs {row.used_with}"
            elif row.unless and self.is_set(row.unless):
                continue
            elif row.used_by and not any(map(row.used_by, measures)):
                need = f"it needs a measure such as {row.example}"
                reasons[name] = need if row.example else "no measure uses it"
        return reasons

    def is_set(self, name: str) -> bool:
        """Return True if an option has a value other than its default."""
        value = getattr(self, name)
        return not (value is None or value is False or (isinstance(value, str) and not value))


OPTIONS: dict[str, EvaluationOption] = {f.name: EvaluationOption(f.name, **f.metadata) for f in fields(Options)}
NAMES = tuple(OPTIONS)
Options.__doc__ = "\n\n".join(
    ["The options of an evaluation.", "\n".join(f"{o.name}\n    {o.doc}" for o in OPTIONS.values())]
)


@cache
def count_workers() -> int:
    """Return the default number of threads. Asking the system takes longer than small evaluations."""
    return min(4, os.cpu_count() or 1)


# Types of the rows for type checkers, generated by `python -m tests.evaluation.test_options`.


class ListSettings(TypedDict, total=False):
    """Types of all options except `rel` and `topics`, which `label` has as arguments."""

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
    by: AttributesLike
    queries: Any
    clusters: AttributesLike
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
    """Types of all options, for ``**options: Unpack[Settings]``."""

    topics: Topics
    rel: float | None


# -- end of the generated types ---------------------------------------------------------------


def with_options(target: T) -> T:
    """Add all options to the signature and documentation of a function or class."""
    return with_fields(target, Options)


def with_fields(target: T, *kinds: Any) -> T:
    """Add the fields of dataclasses to the signature and documentation of a function or class.

    Unknown keyword arguments raise a TypeError that suggests the nearest name.
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
    descriptions = [inspect.cleandoc(options_class.__doc__ or "").partition("\n")[2] for options_class in kinds]
    doc = f"{inspect.cleandoc(target.__doc__ or '')}\n\nOptions\n{''.join(descriptions)}"
    if isinstance(target, type):
        type.__setattr__(target, "__init__", call)
    result: Any = target if isinstance(target, type) else call
    result.__doc__ = doc
    return cast(T, result)
