"""Rows of score files: a value of a run, topic and measure, and decisions that need all rows of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from cranfield.data.reading.contents import DETAILS, Details
from cranfield.data.reading.lines import Line
from cranfield.data.replicates import Replicate
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count, format_names, format_option

ALL = "all"  # summary row of trec_eval, ir_measures and cranfield, not a topic
AMEAN = "amean"  # the summary row of ndeval and gdeval, whose tables begin with runid,topic
_LONGEST_LABEL = 40  # of a prompt in the name of a run


@dataclass(frozen=True, eq=False)
class ReadLog:
    """What reading scores leaves out or decides, for notes."""

    excluded: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Summary rows by location and name: True if in a file."""
    decisions: dict[str, dict[str, None]] = field(default_factory=dict)
    """Locations by text."""
    clusters: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Cluster of each topic, with the location of the scores."""

    def add_clusters(self, location: str, clusters: Mapping[str, str]) -> None:
        """Add the clusters of topics. Raise an error if a topic has another cluster."""
        for topic, cluster in clusters.items():
            first, place = self.clusters.setdefault(topic, (cluster, location))
            if first != cluster:
                problem = f"topic {topic!r} is in the cluster {cluster!r}, in {place} in {first!r}"
                fix = f"Use the same {format_option('--clusters', 'clusters=')} for all evaluations."
                raise InputError.from_problem(problem, fix, location)

    def read_clusters(self, location: str, document: Mapping[str, Any]) -> None:
        """Add the clusters in JSON output of `cranfield evaluate -q --clusters`."""
        clusters = document.get("clusters")
        if "cluster_means" in document and not isinstance(clusters, Mapping):
            fix = f"Evaluate again with {format_option('--clusters', 'clusters=')}."
            raise InputError.from_problem("scores of topics in clusters, but not the clusters", fix, location)
        if isinstance(clusters, Mapping):
            self.add_clusters(location, {str(topic): str(cluster) for topic, cluster in clusters.items()})

    def add(self, location: str, text: str) -> None:
        """Add a decision for the data at a location."""
        self.decisions.setdefault(text, {})[location] = None

    def list_decisions(self) -> Iterator[str]:
        """Yield the texts of notes, with their locations.

        >>> log = ReadLog()
        >>> log.add("a.csv", "fields read as run topic measure value")
        >>> list(log.list_decisions())
        ['a.csv: fields read as run topic measure value']
        """
        for text, places in self.decisions.items():
            names = [*places]
            rest = f" and {len(names) - 2:,} more" if len(names) > 2 else ""
            yield f"{', '.join(names[:2])}{rest}: {text}"


class Result(NamedTuple):
    """Value of a measure for a run and a topic: NaN if undefined, None if missing.

    `run` is None if the data do not name it.
    """

    run: str | None
    topic: str
    measure: str
    value: float | None
    line: Line
    replicate: Replicate | None = None  # averaged within the topic
    seed: Replicate | None = None  # a run of a system

    @property
    def is_summary(self) -> bool:
        """True if this is a summary over all topics, by the rules of its format."""
        return self.topic == ALL or (self.topic == AMEAN and "runid" in self.line.cells)


def get_details(result: Result) -> Details | None:
    """Return the details of a score of another tool, or None for other scores."""
    details: Details | None = result.line.cells.get(DETAILS)
    return details


def resolve_details(results: Sequence[Result], log: ReadLog, location: str) -> list[Result]:
    """Name runs by prompt and measures by filter if a file has several, and number repeats.

    `log` collects the source of the topics and the number of missing scores.
    """
    rows = [(result, details) for result in results if (details := get_details(result)) is not None]
    prompts = list(dict.fromkeys(details.prompt for _, details in rows))
    filters = {details.filter for _, details in rows}
    named = [
        _rename(result, details, prompts if len(prompts) > 1 else (), has_filters=len(filters) > 1)
        for result, details in rows
    ]
    for text in dict.fromkeys(details.text for _, details in rows if details.text):
        log.add(location, f"topics are the texts of {text}")
    missing = sum(result.value is None for result in named)
    if missing:
        scores = format_count(len(named), "score")
        log.add(location, f"{missing:,} of {scores} are missing (no value or an error)")
    return list(_number_repeats(named))


def _rename(result: Result, details: Details, prompts: Sequence[str], has_filters: bool) -> Result:
    value = None if str(result.value).strip().lower() in ("", "nan", "-nan", "none") else result.value
    run = result.run
    if prompts:
        label = details.prompt if 0 < len(details.prompt) <= _LONGEST_LABEL else ""
        run = f"{run}, {label or f'prompt {prompts.index(details.prompt) + 1}'}"
    measure = f"{result.measure},{details.filter}" if has_filters and details.filter else result.measure
    return result._replace(run=run, measure=measure, value=value)


def _number_repeats(results: Iterable[Result]) -> Iterator[Result]:
    """Number the scores of an item in the order of the file if they are repeats."""
    counts: Counter[tuple[str | None, str, str]] = Counter()
    for result in results:
        details = get_details(result)
        if details is None or not details.repeats:
            yield result
            continue
        key = result.run, result.topic, result.measure
        counts[key] += 1
        yield result._replace(replicate=Replicate("repeat", str(counts[key])))


class ItemCheck:
    """Checks over all files: topics with the same id are the same items, and runs share traces."""

    def __init__(self) -> None:
        self.items: dict[str, tuple[str, str]] = {}  # by topic: text or hash, location
        self.conflicts: dict[tuple[str, str], dict[str, None]] = {}  # topics by pair of locations
        self.traces: dict[str, set[str]] = {}  # by location

    def check(self, results: Iterable[Result]) -> Iterator[Result]:
        """Yield the results. Raise InputError for items of other data."""
        for result in results:
            details = get_details(result)
            if details is not None:
                self._check_result(result, details)
            yield result
        locations = list(self.traces)
        if locations and not any(self.traces[a] & self.traces[b] for a in locations for b in locations if a != b):
            problem = "Langfuse scores of traces that no two files share"
            fix = "A trace is one answer, not an item: join the scores to the items of the data set."
            raise InputError.from_problem(problem, fix, locations[0])

    def _check_result(self, result: Result, details: Details) -> None:
        location = result.line.location
        if details.is_trace:
            self.traces.setdefault(location, set()).add(result.topic)
        if not details.item:
            return
        item, first = self.items.setdefault(result.topic, (details.item, location))
        if item == details.item:
            return
        if details.is_hash:
            problem = f"topic {result.topic} is another item than in {first}: doc_hash differs"
            raise result.line.make_problem(problem, "Compare runs on the same data.")
        self.conflicts.setdefault((location, first), {})[result.topic] = None

    def list_warnings(self) -> Iterator[str]:
        """Yield a text for each pair of files with different items for the same topics."""
        for (location, first), topics in self.conflicts.items():
            text = f"{format_names(list(topics), 'topic')} with another input"
            place = f"in {first}" if first != location else "elsewhere in the file"
            yield f"{location}: {text} than {place}. Compare runs on the same data."
