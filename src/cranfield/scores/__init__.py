"""Scores: runs × topics × measures, with names, summaries over topics and notes."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from functools import cached_property
from importlib import import_module
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np

from cranfield.arrays import Floats, estimate_rounding, unify_rounded
from cranfield.data.files import read_bytes, write_whole
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError, check_choice, check_number
from cranfield.lazy_imports import load, pl, special, statistics
from cranfield.tables import ResultTable, to_json_number
from cranfield.wording import (
    align_columns,
    encode_text,
    escape_unprintable,
    format_count,
    format_names,
    format_number,
    merge_sentences,
    remove_names,
    remove_numbers,
)

if TYPE_CHECKING:
    import pandas as pd

    from cranfield.records.record import Record
    from cranfield.scores.clusters import ClusterSummary
    from cranfield.scores.slices import SliceSummary

ALL = "all"
"""Name of the topic of summaries over all topics."""

FLOOR = 1e-5  # smaller scores are replaced by it in a geometric mean
BETTER = ("higher", "lower", "neither")
UNDEFINED = ("zero", "nan", "skip", "error")
SUMMARIES = ("mean", "sum", "gmean", "clipped", "se")
INTERVALS = ("t", "bootstrap", "percentile")

_NOUNS = ("judged topic", "topic", "session", "item")  # nouns of names that notes list
_COMPANION_SUFFIXES = (".se", ".lower", ".upper")  # suffixes of columns that belong to a measure
_RUNS_SHOWN = 20  # rows of a repr
_NOTICES_SHOWN = 5
_MAX_LISTED_RUNS = 2  # notes on more runs are merged into one line
# Errors of JSON with other content: missing, mistyped, too large or too deeply nested values.
_INVALID_JSON_ERRORS = (ValueError, TypeError, LookupError, OverflowError, RecursionError)
_PARQUET_KEY = "cranfield"  # key of the Parquet metadata
_BOOTSTRAP_CELLS = 4_000_000  # resampled values in memory: 32 MB

_FACT = re.compile(r"\{(\w+)(?::([\w, ]+))?\}")  # placeholder in the pattern of facts

Row = tuple[str, str, str, float]
T = TypeVar("T")


@dataclass(frozen=True)
class Facts:
    """Counts by topic and names of measures, with the pattern of their text.

    Placeholders of the `pattern`: ``{run}`` is the run, ``{topics}`` the topics whose first count
    is above 0, ``{measures}`` the measures, ``{measures:measure}`` their number and names, ``{0}``
    or ``{0:,}`` the sum of the first counts, ``{1:document}`` the sum of the second counts with a
    noun, and ``{parts}`` all parts with content. Facts without counts and measures hold for every
    selection.

    >>> facts = Facts("{run}: ties in {topics}: {0} of {1:document}", {"7": (2, 5), "8": (3, 3)})
    >>> facts.format("bm25")
    'bm25: ties in 2 topics (7, 8): 5 of 8 documents'
    >>> facts.exclude({"8"}, set()).format("bm25")
    'bm25: ties in 1 topic (7): 2 of 5 documents'
    """

    pattern: str
    counts: Mapping[str, tuple[int, ...]] | None = None  # by topic
    measures: Mapping[str, str] | None = None  # columns and their names in the text
    below: float = 0.0  # if above 0: report only a first sum below this fraction of the second
    lists_topics: bool = True  # if True, the topics of the note are the topics with a count
    parts: tuple[Facts, ...] | None = None
    separator: str = ", "

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics whose first count is above 0."""
        return tuple(topic for topic, counts in (self.counts or {}).items() if counts[0])

    @property
    def sums(self) -> list[int]:
        """Sums of the counts over all topics."""
        return [sum(column) for column in zip(*(self.counts or {}).values(), strict=True)]

    def has_content(self) -> bool:
        """Return True if there is something to report."""
        if self.measures == {} or self.counts == {} or self.parts == ():
            return False
        if self.counts is None:
            return True
        first, *rest = self.sums
        return first < self.below * rest[0] if self.below else first > 0

    def exclude(self, topics: set[str], measures: set[str]) -> Facts:
        """Return the facts without some topics and columns."""
        parts = [part.exclude(topics, measures) for part in self.parts or ()]
        return replace(
            self,
            counts=_exclude_keys(self.counts, topics),
            measures=_exclude_keys(self.measures, measures),
            parts=None if self.parts is None else tuple(part for part in parts if part.has_content()),
        )

    def format(self, run: str | None = None) -> str:
        """Return the text of the facts."""

        def replace_match(match: re.Match[str]) -> str:
            name, noun = match.groups()
            if name.isdigit():
                total = self.sums[int(name)]
                return format_count(total, noun) if noun and noun != "," else f"{total:{noun or ''}}"
            names = [*dict.fromkeys((self.measures or {}).values())]
            values: dict[str, Callable[[], str]] = {
                "run": lambda: run or "",
                "topics": lambda: format_names(self.topics, noun or "topic"),
                "measures": lambda: format_names(names, noun) if noun else format_first_names(names),
                "parts": lambda: self.separator.join(part.format(run) for part in self.parts or ()),
            }
            return values[name]() if name in values else match[0]

        return _FACT.sub(replace_match, self.pattern)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Facts:
        """Build facts from the result of `dataclasses.asdict`, as in JSON."""
        counts = data["counts"] and {topic: tuple(x) for topic, x in data["counts"].items()}
        parts = data["parts"] and tuple(map(cls.from_dict, data["parts"]))
        return cls(**{**data, "counts": counts, "parts": parts})


def _exclude_keys(mapping: Mapping[str, T] | None, names: set[str]) -> dict[str, T] | None:
    return None if mapping is None else {k: x for k, x in mapping.items() if k not in names}


def format_first_names(names: Sequence[str]) -> str:
    """Return all names, or the first 12 of more than 12."""
    more = len(names) - 12
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:12])} and {more} more"


@dataclass(frozen=True)
class Note:
    """Information about the scores for the user, never an error.

    `kind` is machine-readable (``"missing-topics"``, ``"ties"``, ``"unjudged"``, …). `text` is a
    complete sentence, which starts with the name of the run if it concerns one. `facts`, if the
    text has counts or names of measures, create the text for a selection of the scores, by the
    first facts about a selected measure.
    """

    kind: str
    text: str
    run: str | None = None
    topics: tuple[str, ...] = ()
    facts: tuple[Facts, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def from_facts(cls, kind: str, *facts: Facts, run: str | None = None) -> Note:
        """Build the note of the first of the facts."""
        topics = facts[0].topics if facts[0].lists_topics else ()
        return cls(kind, facts[0].format(run), run, topics, facts)

    def exclude(self, topics: set[str], measures: set[str]) -> Note | None:
        """Return the note without some topics and columns, or None if nothing remains.

        >>> note = Note("missing-topics", "bm25: 2 topics (1, 2) missing", "bm25", "12")
        >>> note.exclude({"2"}, set()).text
        'bm25: 1 topic (1) missing'
        """
        if not topics and not measures:
            return self
        if self.facts:
            facts = [facts_part.exclude(topics, measures) for facts_part in self.facts]
            facts = [facts_part for facts_part in facts if facts_part.measures != {} and facts_part.parts != ()]
            holds = facts and facts[0].has_content()
            return self.from_facts(self.kind, *facts, run=self.run) if holds else None
        remaining = tuple(topic for topic in self.topics if topic not in topics)
        if len(remaining) == len(self.topics):
            return self
        return replace(self, text=self._replace_topics(remaining), topics=remaining) if remaining else None

    def rewrite(self, change: Callable[[str], str]) -> Note:
        """Return the note with another text, also for every selection."""
        facts = tuple(replace(part, pattern=change(part.pattern)) for part in self.facts)
        return replace(self, text=change(self.text), facts=facts)

    def _replace_topics(self, remaining: Sequence[str]) -> str:
        """Return the text with the remaining topics instead of the listed ones."""
        for noun in _NOUNS:
            if (topic_list := format_names(self.topics, noun)) in self.text:
                return format_names(remaining, noun).join(self.text.rsplit(topic_list, 1))
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return all fields except the facts, for JSON.

        >>> Note("ties", "ties in 1 topic (7)", "bm25", ("7",)).to_dict()
        {'kind': 'ties', 'text': 'ties in 1 topic (7)', 'run': 'bm25', 'topics': ['7']}
        """
        return {"kind": self.kind, "text": self.text, "run": self.run, "topics": [*self.topics]}


def note_topics(
    kind: str, topics: Sequence[str], text: str, run: str | None = None, noun: str = "topic"
) -> Iterator[Note]:
    """Yield a note about topics (or sessions, …) of a run, if there are any.

    >>> [note.text for note in note_topics("missing-topics", ["302"], "missing", "bm25")]
    ['bm25: 1 topic (302) missing']
    """
    if topics:
        prefix = "" if run is None else f"{run}: "
        yield Note(kind, f"{prefix}{format_names(topics, noun)} {text}", run, tuple(topics))


def note_topics_file(topics: Sequence[str] | None) -> Iterator[Note]:
    """Note how a file with topics was read: see `data.tracks.choose_topics`."""
    yield from (Note("topics-file", note) for note in getattr(topics, "notes", ()))


PRIORITY_KINDS = (
    "none-judged",
    "rising-scores",
    "stray-topics",
    "folded-ids",
    "summary-topic",
    "few-topics",
    "no-chunks",
    "swapped",
    "one-document",
)  # kinds of notes that come first, in this order


def sort_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Sort notes: kinds that affect the meaning of others come first."""
    order = {kind: place for place, kind in enumerate(PRIORITY_KINDS)}
    return tuple(sorted(notes, key=lambda note: order.get(note.kind, len(PRIORITY_KINDS))))


class LazyNotes(Sequence[Note]):
    """Notes that are computed on first use: most training loops never read them.

    >>> notes = LazyNotes(lambda: [Note("topics", "one topic", None, ())])
    >>> len(notes), notes[0].kind, notes == (notes[0],)
    (1, 'topics', True)
    """

    def __init__(self, compute: Callable[[], Iterable[Note]]) -> None:
        self.compute = compute

    @cached_property
    def items(self) -> tuple[Note, ...]:
        """All notes."""
        return tuple(self.compute())

    def __getitem__(self, place: Any) -> Any:
        return self.items[place]

    def __iter__(self) -> Iterator[Note]:  # an IndexError in `compute` must not end it
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        return self.items == (other.items if isinstance(other, LazyNotes) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.items)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.items,)


def format_notes(notes: Iterable[Note], runs: int | None = None, details_option: str = "") -> list[str]:
    """Format notes, one per line, merging notes of a kind on several runs.

    `runs` is the number of runs. `listed` is the option or attribute that lists all notes.

    >>> ties = [Note("ties", f"{run}: ties could change a score in 1 topic (7): 2 of 5 tied "
    ...                "documents", run, ("7",)) for run in "abc"]
    >>> format_notes(ties, 17, "-v")
    ['ties could change a score in 3 of 17 runs; -v lists them']
    """
    groups: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        group = note.text if note.run is None else remove_numbers(_remove_names(note))
        groups.setdefault((note.kind, group), []).append(note)
    return [line for group in groups.values() for line in _format_group(group, runs, details_option)]


def _format_group(group: Sequence[Note], runs: int | None, details_option: str) -> Iterator[str]:
    count = len({note.run for note in group})
    if count <= _MAX_LISTED_RUNS:
        yield from (note.text for note in group)
        return
    run_phrases = {None: f"{count} runs", count: f"all {count} runs"}
    run_phrase = run_phrases.get(runs, f"{count} of {runs} runs")
    summary = merge_sentences([_remove_names(note) for note in group])
    line = summary.replace(_IN_RUNS, f" in {run_phrase}") if _IN_RUNS in summary else f"{run_phrase}: {summary}"
    details = f" Use {details_option} for details." if line.endswith(".") else f"; {details_option} lists them"
    yield line + details if details_option else line


_IN_RUNS = " in …"
_IN_TOPICS = re.compile(r" in \d[\d,]* (?:topic|session|item)s?(?:: [^;]*)?")


def _remove_names(note: Note) -> str:
    """Return the text of a note without the names of the run and of topics."""
    text = remove_names(note.text.replace(f"{note.run}: ", "", 1))
    return _IN_TOPICS.sub(_IN_RUNS, text)


@dataclass(frozen=True)
class Interval:
    """Confidence interval of a mean over `n` topics.

    `trials` and `seed` are None without random trials.
    """

    low: float
    high: float
    mean: float
    method: str
    confidence: float
    n: int
    trials: int | None = None
    seed: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Request:
    """The arguments of an evaluation, for its record. It is not pickled."""

    qrels: Any
    runs: Any
    measures: Any
    options: Mapping[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


@dataclass(frozen=True, eq=False, repr=False)
class Scores(TableResult):
    """Scores of every run, topic and measure.

    `values` is a read-only array [runs, topics, measures] in which NaN means undefined.
    `summaries` is the summary over topics of each measure: ``"mean"``, ``"sum"`` for counts,
    ``"gmean"`` (geometric), ``"clipped"`` (the mean, clipped to [0, 1]), or ``"se"`` for standard
    errors, summarised by the standard error of the mean.
    `better` is the better end of each measure: ``"higher"``, ``"lower"``, or ``"neither"``.
    Default: ``"neither"`` for counts and standard errors, otherwise ``"higher"``.
    `asked` maps names used in the request to measures: ``{"map": "AP"}``.
    `attributes` maps attributes of topics to the value of each topic: ``{"category": {"301": "fact"}}``.
    With ``undefined="skip"``, NaN values are excluded from every summary and from the rows per
    topic. Otherwise one NaN makes the summary NaN.
    `systems` maps runs to their system, if a system has several runs, such as training seeds.
    `clusters` maps topics to their cluster, if topics are not independent, such as variations of one
    information need.

    >>> scores = Scores(
    ...     values=[[[0.5, 10], [0.3, 20]], [[0.6, 10], [0.1, 30]]],
    ...     runs=("bm25", "dense"),
    ...     topics=("301", "302"),
    ...     measures=("AP", "num_ret"),
    ...     summaries=("mean", "sum"),
    ... )
    >>> scores
    Scores: 2 runs × 2 topics × 2 measures
    run        AP  num_ret
    bm25   0.4000       30
    dense  0.3500       40
    >>> scores["dense", "301", "AP"]
    0.6
    >>> scores[:, "302", ["AP"]]
    Scores: 2 runs × 1 topic × 1 measure
    run        AP
    bm25   0.3000
    dense  0.1000
    """

    values: Floats
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    summaries: tuple[str, ...]
    undefined: str = "zero"
    notes: Sequence[Note] = ()
    better: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)  # a copy that the caller cannot change
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        for name in ("runs", "topics", "measures", "summaries", "notes", "better"):
            if not isinstance(value := getattr(self, name), tuple | LazyNotes):
                object.__setattr__(self, name, tuple(value))
        if not self.better:
            defaults = {"sum": "neither", "se": "neither"}
            better = tuple(defaults.get(s, "higher") for s in self.summaries)
            object.__setattr__(self, "better", better)
        self._validate()

    def _validate(self) -> None:
        shape = (len(self.runs), len(self.topics), len(self.measures))
        if self.values.shape != shape:
            expected = f"{shape}: one per run, topic and measure"
            raise InputError(f"values of shape {self.values.shape}", expected)
        for kind, names in self._axes:
            if len(set(names)) < len(names):
                twice = next(name for i, name in enumerate(names) if name in names[:i])
                raise InputError.from_problem(f"duplicate {kind} {twice!r}")
        if ALL in self.topics:
            raise InputError.from_problem(f"a topic is named '{ALL}', the name of the summary")
        each_measure = "each of the measures"
        for name, choices, target in (
            ("summaries", SUMMARIES, "each"),
            ("better", BETTER, each_measure),
        ):
            entries = getattr(self, name)
            if len(entries) != len(self.measures) or not set(entries) <= set(choices):
                raise InputError(f"{name} {entries}", f"one of {', '.join(choices)} for {target}")
        check_choice("undefined", self.undefined, UNDEFINED)

    @property
    def _axes(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return ("run", self.runs), ("topic", self.topics), ("measure", self.measures)

    def __eq__(self, other: object) -> bool:
        """Return True if everything except `asked` is equal. NaN equals NaN."""
        if not isinstance(other, Scores):
            return NotImplemented
        is_same = self._get_metadata() == other._get_metadata() and self.notes == other.notes
        return is_same and np.array_equal(self.values, other.values, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    # -- selecting --------------------------------------------------------------------------------

    @overload
    def __getitem__(self, key: tuple[str, str, str]) -> float: ...
    @overload
    def __getitem__(self, key: str | slice | list[str]) -> Scores: ...
    @overload
    def __getitem__(self, key: Any) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        """``scores[runs, topics, measures]``: a number for three names, otherwise Scores.

        Each index is a name, a list of names or a slice. Trailing indices can be omitted.
        """
        keys = key if isinstance(key, tuple) else (key,)
        if isinstance(key, int) and str(key) not in self.runs:  # or iteration, as in list(scores)
            fix = "Use scores[run, topic, measure]. Names: scores.runs, .topics and .measures."
            raise InputError.from_problem("Scores are neither numbered nor iterable", fix)
        if len(keys) > 3:
            raise InputError(f"{len(keys)} indices", "[run, topic, measure]")
        if len(keys) == 3 and all(_is_name(k) for k in keys):
            r, t, m = (self._find_position(axis, str(name)) for axis, name in enumerate(keys))
            return self.values[r, t, m].item()
        return self.select(*keys)

    def select(self, runs: Any = None, topics: Any = None, measures: Any = None) -> Scores:
        """Return a selection of the scores. None selects all.

        Each argument is a name, a list of names or a slice. Measures can be given as objects, or
        by the name used in the request. Notes are limited to the selection: notes on excluded
        runs, topics or measures are dropped, and counts cover the selected topics.

        >>> scores = Scores([[[0.5, 10]]], ["bm25"], ["301"], ["AP", "num_ret"], ["mean", "sum"])
        >>> scores.select(measures=["num_ret", "AP"]).measures
        ('num_ret', 'AP')
        """
        r, t, m = (self._find_positions(axis, key) for axis, key in enumerate((runs, topics, measures)))
        run_names = tuple(self.runs[i] for i in r)
        topic_names = tuple(self.topics[i] for i in t)
        columns = tuple(self.measures[i] for i in m)
        return Scores(
            self.values[r][:, t][:, :, m],
            run_names,
            topic_names,
            columns,
            tuple(self.summaries[i] for i in m),
            self.undefined,
            LazyNotes(lambda: self._select_notes(run_names, topic_names, columns)),
            tuple(self.better[i] for i in m),
            self.asked,
            self._select_attributes(topic_names) if topics is not None else self.attributes,
            systems={run: self.systems[run] for run in run_names if run in self.systems},
            clusters={topic: self.clusters[topic] for topic in topic_names} if self.clusters else {},
        )

    def _select_attributes(self, topics: Sequence[str]) -> dict[str, dict[str, str]]:
        names = {*topics}
        return {
            name: {topic: value for topic, value in values.items() if topic in names}
            for name, values in self.attributes.items()
        }

    def _select_notes(self, runs: Sequence[str], topics: Sequence[str], columns: Sequence[str]) -> list[Note]:
        """Return the notes of some runs, topics and columns."""
        excluded_topics = _find_excluded(self.topics, topics)
        main_measures = {name.removesuffix(end) for name in columns for end in _COMPANION_SUFFIXES}
        excluded_columns = set(self.measures).difference(columns, main_measures)
        about_runs = (n for n in self.notes if n.run is None or n.run in runs)
        selected = (note.exclude(excluded_topics, excluded_columns) for note in about_runs)
        return [note for note in selected if note is not None]

    @cached_property
    def _lookup(self) -> tuple[dict[str, int], ...]:
        return tuple({name: i for i, name in enumerate(names)} for _, names in self._axes)

    def _find_positions(self, axis: int, key: Any) -> list[int]:
        if key is None or isinstance(key, slice):
            return list(range(len(self._lookup[axis])))[key or slice(None)]
        return [self._find_position(axis, str(k)) for k in ([key] if _is_name(key) else key)]

    def _find_position(self, axis: int, name: str) -> int:
        position = self._lookup[axis].get(name)
        if position is None and axis == 2:
            position = self._lookup[axis].get(self.asked.get(name, name))
        if position is None:
            raise KeyError(self._describe_missing(axis, name))
        return position

    def _describe_missing(self, axis: int, name: str) -> str:
        from difflib import get_close_matches

        kind, names = self._axes[axis]
        matches = get_close_matches(name, names)
        hint = f"did you mean {_quote_names(matches)}?" if matches else f"there is {_quote_names(names)}"
        for axis_number, (other_kind, _) in enumerate(self._axes):
            if axis_number != axis and name in self._lookup[axis_number]:
                index = ", ".join([":"] * axis_number + [repr(name)])
                hint = f"it is a {other_kind}: use scores[{index}]"
        return f"no {kind} {name!r}; {hint}"

    # -- summaries over topics --------------------------------------------------------------------

    def sorted_by(self, measure: Any) -> Scores:
        """Return the scores with the best run by a measure first, ties in order.

        >>> scores = Scores([[[0.3]], [[0.5]]], ["bm25", "dense"], ["301"], ["AP"], ["mean"])
        >>> scores.sorted_by("AP").runs
        ('dense', 'bm25')
        """
        try:
            m = self._find_position(2, str(measure))
        except KeyError as error:
            raise InputError.from_problem(f"cannot sort: {error.args[0]}") from None
        sign = 1 if self.better[m] == "lower" else -1
        means = np.array([of_run[self.measures[m]] for of_run in self.summary().values()])
        order = np.argsort(sign * unify_rounded(means, estimate_rounding(means)), kind="stable")  # NaN is last
        return self.select(runs=[self.runs[i] for i in order])

    def summary(self, safe_names: bool = False) -> dict[str, dict[str, float]]:
        """Return the summary over all topics, by `summaries` the mean, the sum, …

        With `safe_names`, names of measures are valid in MLflow, W&B, Prometheus and similar tools:
        letters, digits and ``_`` only, no digit first, no duplicates.

        >>> scores = Scores([[[0.5, 10], [0.3, 20]]], ["bm25"], ["301", "302"],
        ...                 ["P@10", "num_ret"], ["mean", "sum"])
        >>> scores.summary()
        {'bm25': {'P@10': 0.4, 'num_ret': 30.0}}
        >>> scores.summary(safe_names=True)
        {'bm25': {'P_10': 0.4, 'num_ret': 30.0}}
        """
        summaries = self._aggregate_topics(_mean, by_summary=SUMMARISED)
        return self._use_safe_names(summaries) if safe_names else summaries

    def mean(self) -> dict[str, dict[str, float]]:
        """Return the arithmetic mean over topics, clipped for ``"clipped"``."""
        return self._aggregate_topics(_mean, by_summary={"clipped": _clip_mean})

    def gmean(self, floor: float = FLOOR) -> dict[str, dict[str, float]]:
        """Return the geometric mean over topics, exp(mean(log(max(x, floor)))).

        The floor prevents a mean of 0 for runs with one score of 0. The default is the floor of
        trec_eval (Robertson 2006, "On GMAP and other transformations").
        """
        check_number("floor", floor, "a number above 0")
        if not floor > 0:
            raise InputError(f"floor={floor}", "a number above 0")
        return self._aggregate_topics(lambda x: _compute_gmean(x, floor))

    def median(self) -> dict[str, dict[str, float]]:
        """Return the median over topics."""
        return self._aggregate_topics(lambda x: float(np.median(x)) if x else math.nan)

    def std(self, ddof: int = 1) -> dict[str, dict[str, float]]:
        """Return the standard deviation over topics, with n - `ddof` in the denominator."""
        return self._aggregate_topics(lambda x: _compute_std(x, ddof))

    def interval(
        self,
        method: Literal["t", "bootstrap", "percentile"] = "t",
        confidence: float = 0.95,
        trials: int = 10_000,
        seed: int = 0,
        safe_names: bool = False,
    ) -> dict[str, dict[str, Interval]]:
        """Return a confidence interval of the (for GMAP geometric) mean over topics.

        ``"t"`` is a Student's t interval, mean ± t(n - 1) s / √n. ``"bootstrap"`` resamples topics
        `trials` times and is bias-corrected and accelerated (BCa; Efron 1987). ``"percentile"`` is
        the bootstrap without these corrections. The resamples depend only on the seed, so runs and
        measures with the same number of topics use the same resamples. `safe_names` is the option
        of `summary`. If topics have `clusters`, ``"t"`` is the CR2 interval for other clusters.

        >>> scores = Scores([[[0.2], [0.4]]], ["bm25"], ["301", "302"], ["AP"], ["mean"])
        >>> interval = scores.interval("t", confidence=0.5)["bm25"]["AP"]
        >>> round(interval.low, 4), round(interval.high, 4)
        (0.2, 0.4)
        """
        check_choice("method", method, INTERVALS)
        if not 0 < confidence < 1:
            raise InputError(f"confidence={confidence}", "a number between 0 and 1")
        if trials < 1:
            raise InputError(f"trials={trials}", "at least 1")

        def compute_mean(x: list[float]) -> Interval:
            return _compute_interval(x, method, confidence, trials, seed)

        def compute_gmean(x: list[float]) -> Interval:
            """Return the interval of the mean logarithm, transformed back."""
            logs = compute_mean([math.log(max(value, FLOOR)) for value in x])
            low, high, mean = (math.exp(end) for end in (logs.low, logs.high, logs.mean))
            return replace(logs, low=low, high=high, mean=mean)

        def compute_clipped(x: list[float]) -> Interval:
            found = compute_mean(x)
            low, high, mean = (_clip(end) for end in (found.low, found.high, found.mean))
            return replace(found, low=low, high=high, mean=mean)

        functions = {"gmean": compute_gmean, "clipped": compute_clipped}
        if self.clusters:
            intervals = self._compute_clustered_intervals(method, confidence)
        else:
            intervals = self._aggregate_topics(compute_mean, by_summary=functions)
        errors = {m for m, s in zip(self.measures, self.summaries, strict=True) if s == "se"}
        intervals = {
            run: {m: interval for m, interval in of_run.items() if m not in errors} for run, of_run in intervals.items()
        }
        return self._use_safe_names(intervals) if safe_names else intervals

    def _compute_clustered_intervals(self, method: str, confidence: float) -> dict[str, dict[str, Interval]]:
        """Return the CR2 intervals of topics in clusters."""
        from cranfield.scores.clusters import compute_intervals

        if method != "t":
            raise InputError.from_problem(f"method {method!r} with clusters of topics", "Use method='t' (CR2).")
        return compute_intervals(self, confidence)

    def _use_safe_names(self, values: Mapping[str, Mapping[str, T]]) -> dict[str, dict[str, T]]:
        """Return values by run and measure with safe names of measures."""
        names = dict(zip(self.measures, _make_safe_names(self.measures), strict=True))
        return {run: {names[m]: x for m, x in of_run.items()} for run, of_run in values.items()}

    def _aggregate_topics(
        self,
        function: Callable[[list[float]], T],
        by_summary: Mapping[str, Callable[[list[float]], T]] | None = None,
    ) -> dict[str, dict[str, T]]:
        """Apply a function to the values of topics, or another one by the summary."""
        functions = [(by_summary or {}).get(s, function) for s in self.summaries]
        columns = self.values.transpose(0, 2, 1).tolist()  # [runs, measures, topics]
        return {
            run: {
                measure: function(self._drop_undefined(x))
                for measure, function, x in zip(self.measures, functions, of_run, strict=True)
            }
            for run, of_run in zip(self.runs, columns, strict=True)
        }

    def _drop_undefined(self, x: list[float]) -> list[float]:
        return [v for v in x if not math.isnan(v)] if self.undefined == "skip" else x

    @property
    def slices(self) -> Rows[SliceSummary]:
        """Means of the runs on the slices of topics by `attributes`, with t intervals."""
        from cranfield.scores.slices import summarise_slices

        return Rows(summarise_slices(self))

    @property
    def cluster_means(self) -> Rows[ClusterSummary]:
        """Means of the runs over topics in `clusters`, with CR2 intervals."""
        from cranfield.scores.clusters import summarise_clusters

        return Rows(summarise_clusters(self) if self.clusters else ())

    # -- rows and frames --------------------------------------------------------------------------

    def rows(self, per_topic: bool = False) -> Iterator[Row]:
        """Yield (run, topic, measure, value), by run, topic and measure.

        The summary has the topic ``all``. With `per_topic`, the rows of topics come first.

        >>> scores = Scores([[[0.5], [0.3]]], ["bm25"], ["301", "302"], ["AP"], ["mean"])
        >>> list(scores.rows())
        [('bm25', 'all', 'AP', 0.4)]
        >>> [topic for _, topic, _, _ in scores.rows(per_topic=True)]
        ['301', '302', 'all']
        """
        for run, summary in self.summary().items():
            if per_topic:
                yield from self._iter_topic_rows(run)
            for measure, value in summary.items():
                yield run, ALL, measure, value

    def _iter_topic_rows(self, run: str) -> Iterator[Row]:
        by_topic = self.values[self._lookup[0][run]].tolist()
        for topic, by_measure in zip(self.topics, by_topic, strict=True):
            for measure, value in zip(self.measures, by_measure, strict=True):
                if not (self.undefined == "skip" and math.isnan(value)):
                    yield run, topic, measure, value

    def to_dict(  # type: ignore[override]
        self, safe_names: bool = False
    ) -> dict[str, dict[str, dict[str, float]]]:
        """Return ``{run: {topic: {measure: value}}}``.

        `safe_names` is the option of `summary`.

        >>> scores = Scores([[[0.5, 1]]], ["bm25"], ["301"], ["nDCG@10", "AP(rel=2)"], ["mean"] * 2)
        >>> scores.to_dict(safe_names=True)
        {'bm25': {'301': {'nDCG_10': 0.5, 'AP_rel_2': 1.0}}}
        """
        result: dict[str, dict[str, dict[str, float]]] = {run: {} for run in self.runs}
        for run in self.runs:
            for _, topic, measure, value in self._iter_topic_rows(run):
                result[run].setdefault(topic, {})[measure] = value
        return {run: self._use_safe_names(x) for run, x in result.items()} if safe_names else result

    def to_polars(self, wide: bool = False) -> pl.DataFrame:  # type: ignore[override]
        """Return a Polars frame with the columns run, topic, measure and value.

        With `wide`, the columns are run, topic and one for each measure.
        """
        if not wide:
            frame = self._build_long_frame()
            skip = self.undefined == "skip"
            return frame.filter(pl.col("value").is_not_nan()) if skip else frame
        columns = self._build_wide_columns()
        names = dict.fromkeys(("run", "topic"), pl.String())
        return pl.DataFrame(columns, {**dict.fromkeys(columns, pl.Float64()), **names})

    def to_pandas(self, wide: bool = False) -> pd.DataFrame:  # type: ignore[override]
        """Return a pandas frame with the columns of `to_polars`."""
        pd = load("pandas")
        if wide:
            return pd.DataFrame(self._build_wide_columns())
        frame = pd.DataFrame(self._build_long_columns())
        return frame.dropna(ignore_index=True) if self.undefined == "skip" else frame

    def _build_long_frame(self) -> pl.DataFrame:
        names = dict.fromkeys(("run", "topic", "measure"), pl.String())
        return pl.DataFrame(self._build_long_columns(), {**names, "value": pl.Float64()})

    def _build_long_columns(self) -> dict[str, Any]:
        r, t, m = self.values.shape
        return {
            "run": [run for run in self.runs for _ in range(t * m)],
            "topic": [topic for topic in self.topics for _ in range(m)] * r,
            "measure": list(self.measures) * (r * t),
            "value": self.values.ravel(),
        }

    def _build_wide_columns(self) -> dict[str, Any]:
        for name in {"run", "topic"} & set(self.measures):
            raise InputError.from_problem(f"a measure named {name!r} is not possible in a wide frame")
        r, t, _ = self.values.shape
        return {
            "run": [run for run in self.runs for _ in range(t)],
            "topic": list(self.topics) * r,
            **{name: self.values[:, :, i].ravel() for i, name in enumerate(self.measures)},
        }

    # -- files ------------------------------------------------------------------------------------

    @property
    def request(self) -> Request | None:
        """The arguments of the evaluation, or None for other scores and selections."""
        return self.__dict__.get("_request")

    def with_request(self, *arguments: Any) -> Scores:
        """Return the scores with the arguments of their evaluation, for `record`."""
        self.__dict__["_request"] = Request(*arguments)
        return self

    def record(self) -> Record:
        """Return the record of the evaluation: inputs with hashes, options, versions and all values.

        The inputs are read and evaluated again, so that the record describes these scores. The record of files is
        the record of ``cranfield evaluate --record``. Dicts and frames are recorded by a hash of their rows.

        Returns
        -------
        Record
            The record. ``.write(path)`` writes it, and ``.verify()`` repeats the evaluation.

        Raises
        ------
        InputError
            If the scores are not the result of `evaluate`, or an input changed after the evaluation.

        Examples
        --------
        >>> cf.evaluate("qrels.txt", "bm25.run", "AP").record().write("scores.json")  # doctest: +SKIP
        """
        record: Record = import_module("cranfield.cli.python_record").record_scores(self)
        return record

    def to_json(self) -> str:
        """Return all content as JSON for `from_json`. NaN becomes null.

        >>> scores = Scores([[[0.5]]], ["bm25"], ["301"], ["AP"], ["mean"])
        >>> Scores.from_json(scores.to_json()) == scores
        True
        """
        import json

        values = [[[to_json_number(v) for v in topic] for topic in run] for run in self.values.tolist()]
        return json.dumps({**self._build_metadata(), "values": values}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Scores:
        """Return the scores written by `to_json`."""
        return cls._from_json(text, None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all content to a ``.json`` or ``.parquet`` file atomically.

        Other tools can read the Parquet file as a table: run, topic, measure, value.
        """
        as_json = _detect_format(path) == ".json"
        try:
            data = encode_text(self.to_json()) if as_json else self._to_parquet()
        except UnicodeEncodeError as error:
            raise InputError.from_problem(f"the name {error.object!r} is not Unicode") from None
        write_whole(path, data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scores:
        """Return the scores written by `save`."""
        read = cls._from_json if _detect_format(path) == ".json" else cls._from_parquet
        return read(read_bytes(path), os.fspath(path))

    def _get_metadata(self) -> dict[str, Any]:
        """Return everything except the values and the notes."""
        fields = ("runs", "topics", "measures", "summaries", "undefined", "better")
        optional = [name for name in ("attributes", "systems", "clusters") if getattr(self, name)]
        return {name: getattr(self, name) for name in (*fields, *optional)}

    def _build_metadata(self) -> dict[str, Any]:
        saved = {**self._get_metadata(), "notices": [*map(save_note, self.notes)]}
        aliases = {name: m for name, m in self.asked.items() if m in self.measures}
        return {**saved, "asked": aliases} if aliases else saved

    @classmethod
    def _from_metadata(cls, names: Mapping[str, Any], values: Any) -> Scores:
        notes = [*map(read_note, names["notices"])]
        shape = tuple(len(names[axis]) for axis in ("runs", "topics", "measures"))
        values = np.array(values, dtype=np.float64).reshape(shape)
        fields = {name: value for name, value in names.items() if name != "notices"}
        return cls(values, **fields, notes=notes)

    @classmethod
    def _from_json(cls, text: str | bytes, path: str | None) -> Scores:
        import json

        try:
            names = json.loads(text)
            return cls._from_metadata(names, names.pop("values"))
        except (*_INVALID_JSON_ERRORS, AttributeError) as error:
            raise InputError(f"other JSON ({error})", "output of Scores.to_json", path) from error

    def _to_parquet(self) -> bytes:
        import json

        file = io.BytesIO()
        metadata = {_PARQUET_KEY: json.dumps(self._build_metadata())}
        self._build_long_frame().write_parquet(file, metadata=metadata)
        return file.getvalue()

    @classmethod
    def _from_parquet(cls, data: bytes, path: str) -> Scores:
        import json

        refused = (*_INVALID_JSON_ERRORS, pl.exceptions.PolarsError, pl.exceptions.PanicException)
        try:
            names = json.loads(pl.read_parquet_metadata(io.BytesIO(data))[_PARQUET_KEY])
            values = pl.read_parquet(io.BytesIO(data), columns=["value"])["value"]
            return cls._from_metadata(names, values.to_numpy())
        except refused as error:
            raise InputError("another kind of file", "output of Scores.save", path) from error

    # -- repr -------------------------------------------------------------------------------------

    def _build_tables(self, per_topic: bool = False, wide: bool = False) -> list[ResultTable]:
        from cranfield.scores.tables import build_tables

        return build_tables(self, per_topic, wide)

    def _build_document(self, per_topic: bool = False) -> dict[str, Any]:
        from cranfield.scores.tables import build_document

        return build_document(self, per_topic)

    def __repr__(self) -> str:
        table = [["run", *map(escape_unprintable, self.measures)], *self._format_rows(_RUNS_SHOWN)]
        lines = align_columns(table, "l" + "r" * len(self.measures))
        return "\n".join(
            [
                f"Scores: {self._format_size()}",
                *lines,
                *self._format_hidden(),
                *format_first_notes(self.notes, len(self.runs)),
            ]
        )

    def _format_size(self) -> str:
        return " × ".join(format_count(len(names), kind) for kind, names in self._axes)

    def _format_rows(self, runs: int) -> list[list[str]]:
        """Return the name and the summary of the first runs, as text."""
        return [
            [escape_unprintable(run)] + [format_value(v, s) for v, s in zip(row.values(), self.summaries, strict=True)]
            for run, row in self[:runs].summary().items()
        ]

    def _format_hidden(self) -> list[str]:
        hidden = len(self.runs) - _RUNS_SHOWN
        return [f"… {hidden} more"] if hidden > 0 else []


# -- formatting of numbers and names --------------------------------------------------------------


def format_value(value: float, summary: str = "mean") -> str:
    """Format a value for tables: rounded, or as an integer if it is a count.

    Standard errors below 0.0005 have an exponent, so that they are not printed as 0.

    >>> format_value(2 / 3), format_value(1000.0, "sum"), format_value(math.nan)
    ('0.6667', '1000', 'nan')
    >>> format_value(0.0123, "se"), format_value(0.000012, "se"), format_value(0.0, "se")
    ('0.0123', '1.2e-05', '0.0000')
    """
    if summary == "se" and 0 < value < 0.0005:
        return f"{value:.1e}"
    return str(to_number(value, summary)) if _is_count(value, summary) else format_number(value)


def format_first_notes(notes: Sequence[Note], runs: int | None = None) -> list[str]:
    """Format the first notes for a repr; `.notes` contains all."""
    lines = format_notes(notes, runs, ".notes")
    hidden = len(lines) - _NOTICES_SHOWN
    lines_shown = [f"note: {escape_unprintable(line)}" for line in lines[:_NOTICES_SHOWN]]
    return lines_shown + ([f"… {hidden} more in .notes"] if hidden > 0 else [])


def to_number(value: float, summary: str = "mean") -> float | int:
    """Return a value for files: unrounded, and a count as an integer.

    >>> to_number(1.0), to_number(1000.0, "sum")
    (1.0, 1000)
    """
    return int(value) if _is_count(value, summary) else value


def _make_safe_names(names: Sequence[str]) -> list[str]:
    """Return unique names of letters, digits and _; duplicates end in _2."""
    safe_names: list[str] = []
    for name in names:
        base = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        base = base if base and not base[0].isdigit() else f"_{base}"
        numbered = (f"{base}_{k}" for k in count(2))
        safe_names.append(next(candidate for candidate in chain([base], numbered) if candidate not in safe_names))
    return safe_names


def _is_count(value: float, summary: str) -> bool:
    return summary == "sum" and value.is_integer()


def _quote_names(names: Sequence[str]) -> str:
    more = ", …" if len(names) > 5 else ""
    return ", ".join(repr(name) for name in names[:5]) + more if names else "none"


# -- validating and selecting ---------------------------------------------------------------------


def _detect_format(path: str | os.PathLike[str]) -> str:
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in (".json", ".parquet"):
        raise InputError(f"file extension {suffix!r}", ".json or .parquet", os.fspath(path))
    return suffix


def save_note(note: Note) -> dict[str, Any]:
    """Return a note for JSON, with its facts."""
    saved = asdict(note)
    return saved if note.facts else {k: v for k, v in saved.items() if k != "facts"}


def read_note(saved: Mapping[str, Any]) -> Note:
    """Return the note from the result of `save_note`."""
    facts = tuple(map(Facts.from_dict, saved.get("facts", ())))
    return Note(**{**saved, "topics": tuple(saved["topics"]), "facts": facts})


def _is_name(key: Any) -> bool:
    return isinstance(key, str) or not (key is None or isinstance(key, slice | Iterable))


def _find_excluded(names: Sequence[str], selected: Sequence[str]) -> set[str]:
    """Return excluded topics, and topics with all intents or sessions excluded.

    The topic is the part before a slash.

    >>> sorted(_find_excluded(["1/a", "1/b", "2/a"], ["1/a"]))
    ['1/b', '2', '2/a']
    """
    excluded = set(names).difference(selected)
    return excluded | (_find_parents(excluded) - _find_parents(selected) - set(names))


def _find_parents(names: Iterable[str]) -> set[str]:
    parts = (name.split("/") for name in names if "/" in name)
    return {"/".join(pieces[:k]) for pieces in parts for k in range(1, len(pieces))}


# -- formulas -------------------------------------------------------------------------------------
# `math.fsum` is exact and rounds once, so results do not depend on the order of topics.


def _sum(x: Sequence[float]) -> float:
    try:
        return math.fsum(x) if x else math.nan
    except (ValueError, OverflowError):  # inf - inf, or overflow
        return math.nan


def _mean(x: Sequence[float]) -> float:
    if not x:
        return math.nan
    mean = _sum(x) / len(x)
    return mean if math.isfinite(mean) else _sum([value / len(x) for value in x])


def _compute_gmean(x: Sequence[float], floor: float = FLOOR) -> float:
    return math.exp(_mean([math.log(max(value, floor)) for value in x]))


def _mean_error(x: Sequence[float]) -> float:
    """Return the standard error of a mean from the errors of its values."""
    return math.sqrt(_sum([v * v for v in x])) / len(x) if x else math.nan


def _clip_mean(x: Sequence[float]) -> float:
    return _clip(_mean(x))


def _clip(x: float) -> float:
    return x if math.isnan(x) else min(1.0, max(0.0, x))


SUMMARISED = {
    "mean": _mean,
    "sum": _sum,
    "gmean": _compute_gmean,
    "clipped": _clip_mean,
    "se": _mean_error,
}


def _compute_std(x: Sequence[float], ddof: int) -> float:
    if len(x) <= ddof:
        return math.nan
    mean = _mean(x)
    return math.sqrt(_sum([(v - mean) * (v - mean) for v in x]) / (len(x) - ddof))


def _compute_interval(x: Sequence[float], method: str, confidence: float, trials: int, seed: int) -> Interval:
    mean, n = _mean(x), len(x)
    if n < 2 or math.isnan(mean):
        low = high = math.nan
    elif min(x) == max(x):
        low = high = mean  # the bootstrap divides by the variance
    elif method == "t":
        low, high = _compute_t_bounds(x, confidence)
    else:
        low, high = _bootstrap_bounds(x, method, confidence, trials, seed)
    random = (None, None) if method == "t" else (trials, seed)
    return Interval(low, high, mean, method, confidence, n, *random)


def _compute_t_bounds(x: Sequence[float], confidence: float) -> tuple[float, float]:
    t = float(special.stdtrit(len(x) - 1, (1 + confidence) / 2))
    half = t * _compute_std(x, ddof=1) / math.sqrt(len(x))
    return _mean(x) - half, _mean(x) + half


def _bootstrap_bounds(
    x: Sequence[float], method: str, confidence: float, trials: int, seed: int
) -> tuple[float, float]:
    result = statistics.bootstrap(
        (np.array(x),),
        np.mean,
        n_resamples=trials,
        batch=max(1, _BOOTSTRAP_CELLS // len(x)),
        confidence_level=confidence,
        method="BCa" if method == "bootstrap" else "percentile",
        random_state=np.random.default_rng(seed),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)
