"""Input of tests: scores, paired by topic if topics have names."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, describe_value, is_one_of
from cranfield.scores import Scores
from cranfield.wording import format_count, format_names

if TYPE_CHECKING:
    from cranfield.scores.clusters import Clusters

Sample: TypeAlias = Scores | Mapping[str, float] | ArrayLike
Topics: TypeAlias = Literal["same", "common"]
Axes: TypeAlias = Sequence[str]  # axes of an array: "runs" and "topics", in its order
SMALLEST, LARGEST = 1e-50, 1e50  # their fourth powers, used in variances, are finite


def to_mapping(x: Any) -> Any:
    """Convert a pandas Series with topics, or Scores of one run, to a mapping.

    Other values are returned unchanged. An index 0, 1, 2, … does not name topics.
    """
    if isinstance(x, Scores):
        return _get_run_scores(x)
    index = getattr(x, "index", None)
    if index is None or callable(index) or not callable(getattr(x, "items", None)):
        return x
    if list(index) == list(range(len(index))):
        return x
    if not index.is_unique:
        raise InputError.from_problem("index has duplicate topics")
    return dict(x.items())


def to_array(x: Sample, noun: str = "x") -> Floats:
    """Return the scores of one system as an array of finite numbers.

    >>> to_array({"301": 0.5, "302": 0.25})
    array([0.5 , 0.25])
    """
    x = _get_run_scores(x) if isinstance(x, Scores) else x
    scores = list(x.values()) if isinstance(x, Mapping) else x
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{noun} {quote_short(x)}", "a number for each topic") from None
    if values.ndim != 1:
        raise InputError(f"{noun} of shape {values.shape}", "a number for each topic")
    wrong = values[~(np.abs(values) <= LARGEST)]
    if len(wrong):
        raise InputError(f"{noun} with {wrong[0]}", f"finite numbers, at most {LARGEST:g}")
    return values


def check_scale(*samples: Floats) -> None:
    """Raise an error if the largest score is too large or too small for tests."""
    largest = max(float(np.abs(x).max(initial=0.0)) for x in samples)
    if largest and not SMALLEST <= largest <= LARGEST:
        size = "large" if largest > LARGEST else "small"
        problem = f"the largest score is {largest:.3g}, too {size} for statistical tests"
        fix = f"Multiply all scores by a constant: expected {SMALLEST:g} to {LARGEST:g}."
        raise InputError.from_problem(problem, fix)


def mean(x: Floats) -> float:
    """Return the mean, independent of the order: `math.fsum` rounds once."""
    return math.fsum(x) / len(x)


def pair_scores(x: Sample, y: Sample, topics: Topics = "same", least: int = 2) -> tuple[Floats, Floats]:
    """Return the scores of two systems, paired by topic.

    Scores of one run, mappings, and Series with an index are paired by topic. Both must have the
    same topics, unless ``topics="common"`` excludes topics that one of them lacks. Sequences have
    no topic names: they must be in the same order and of the same length. A mapping cannot be
    paired with a sequence.

    >>> pair_scores({"301": 0.5, "302": 0.25}, {"302": 0.5, "301": 0.75})
    (array([0.5 , 0.25]), array([0.75, 0.5 ]))
    """
    if not is_one_of(topics, ("same", "common")):
        raise InputError(f"topics={describe_value(topics)}", "'same' or 'common'")
    samples = {"x": to_mapping(x), "y": to_mapping(y)}
    if _has_topics(samples.values(), "both"):
        shared = _find_shared_topics(samples.values(), topics, "of one system only")
        samples = {noun: {t: scores[t] for t in shared} for noun, scores in samples.items()}
    a, b = (to_array(scores, noun) for noun, scores in samples.items())
    if len(a) != len(b):
        raise InputError(f"{len(a)} and {len(b)} scores", "the same number")
    check_topic_count(len(a), least)
    check_scale(a, b)
    return a, b


def _has_topics(samples: Collection[Any], all_of_them: str) -> bool:
    """Return True if samples have topics. Raise an error if only some have."""
    mappings = sum(isinstance(x, Mapping) for x in samples)
    if mappings not in (0, len(samples)):
        expected = f"{all_of_them} with, or {all_of_them} without"
        raise InputError("scores with and without topics", expected)
    return mappings > 0


def _find_shared_topics(samples: Collection[Mapping[Any, Any]], topics: Topics, description: str) -> list[Any]:
    """Return the common topics. Raise an error if others are not allowed."""
    all_topics = dict.fromkeys(topic for x in samples for topic in x)
    shared = [topic for topic in all_topics if all(topic in x for x in samples)]
    if topics == "same" and len(shared) < len(all_topics):
        unshared = [str(topic) for topic in all_topics if topic not in set(shared)]
        problem = f"{format_names(unshared, 'topic')} {description}"
        raise InputError.from_problem(problem, "Use topics='common' to exclude them.")
    return shared


@dataclass(frozen=True, eq=False)
class Matrix:
    """Scores of several systems on the same topics: `values` [topics, systems].

    `replicates` are the scores [topics, runs] of each system, if systems have several runs. The
    values are then means over runs. `clusters` are the clusters of the topics, if they are not
    independent.
    """

    values: Floats
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    replicates: tuple[Floats, ...] = ()
    clusters: Clusters | None = None

    def __post_init__(self) -> None:
        check_scale(self.values)

    @cached_property
    def means(self) -> Floats:
        """Mean of each system."""
        return np.array([mean(x) for x in self.values.T])

    @cached_property
    def scale(self) -> float:
        """Largest absolute score, to which rounding errors are relative."""
        return float(np.abs(self.values).max())

    def select_topics(self, rows: Sequence[int], clusters: Clusters | None = None) -> Matrix:
        """Return the matrix of some topics, with their clusters."""
        return Matrix(
            self.values[rows],
            self.systems,
            tuple(self.topics[row] for row in rows),
            tuple(x[rows] for x in self.replicates),
            clusters,
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of systems, in order of the systems."""
        return [*combinations(range(len(self.systems)), 2)]


Systems: TypeAlias = Matrix | Scores | Mapping[str, Sample] | ArrayLike


def to_matrix(
    data: Systems,
    topics: Topics = "same",
    axes: Axes | None = None,
    *,
    least: int = 2,
    systems: int = 2,
) -> Matrix:
    """Return the scores of several systems, topic by topic.

    `data` is a Matrix, Scores of one measure, ``{system: {topic: score}}``, ``{system:
    [scores]}``, or a frame with a column for each system and optionally a column named topic. An
    array has no names, so it needs its `axes`: ``("runs", "topics")`` or ``("topics", "runs")``.
    At least `least` topics and `systems` systems are required.

    >>> data = to_matrix({"bm25": {"301": 0.5, "302": 0.25}, "dense": {"302": 0.5, "301": 0.75}})
    >>> data.values.tolist(), data.systems
    ([[0.5, 0.75], [0.25, 0.5]], ('bm25', 'dense'))
    >>> to_matrix([[0.5, 0.25], [0.75, 0.5]], axes=("runs", "topics")).values.tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    if getattr(data, "columns", None) is not None:
        data = _from_frame(data)
    if isinstance(data, Scores):
        data = _group_by_run(data)
    if isinstance(data, Mapping):
        data = _from_mapping(data, topics)
    if isinstance(data, Matrix):
        _check_no_axes(axes)
    result = data if isinstance(data, Matrix) else _from_array(data, axes)
    if len(result.systems) < systems:
        raise InputError(f"{len(result.systems)} systems", f"at least {systems}")
    check_topic_count(len(result.topics), least)
    return result


def as_scores(data: Systems, axes: Axes | None = None) -> Scores:
    """Return Scores unchanged, and other scores of systems as a measure named score."""
    if isinstance(data, Scores):
        _check_no_axes(axes)
        return data
    scores_matrix = to_matrix(data, axes=axes, least=1, systems=1)
    return Scores(
        scores_matrix.values.T[:, :, None],
        scores_matrix.systems,
        scores_matrix.topics,
        ("score",),
        ("mean",),
    )


def _check_no_axes(axes: Axes | None) -> None:
    """Raise an error if axes are given for scores that name theirs."""
    if axes is not None:
        raise InputError.from_problem(f"axes={axes!r} for scores that name their axes", "Omit axes")


def _from_frame(frame: Any) -> Any:
    """Return the columns of a frame by topic, or its values without names."""
    if getattr(frame.columns, "name", None) == "topic":  # a pandas table of runs × topics
        frame = frame.T
    names = list(frame.columns)
    if names in ([*range(len(names))], [f"column_{i}" for i in range(len(names))]):
        return frame.to_numpy()
    columns = {str(name): frame[name] for name in names if name != "topic"}
    if "topic" not in names:
        return columns
    topics = [str(topic) for topic in frame["topic"]]
    if len(set(topics)) < len(topics):
        raise InputError.from_problem("frame has duplicate topics")
    return {name: dict(zip(topics, x, strict=True)) for name, x in columns.items()}


def _from_array(data: Any, axes: Axes | None) -> Matrix:
    """Return an array with these axes as a Matrix, whose names are numbers."""
    values = order_axes(data, axes, ("topics", "runs"))
    if values.size:
        values = np.stack([to_array(x) for x in values.T], axis=1)
    return Matrix(values, _number_names(values.shape[1]), _number_names(values.shape[0]))


def order_axes(data: Any, axes: Axes | None, order: tuple[str, ...]) -> Floats:
    """Return an array with its axes in this order. Raise an error without axes.

    >>> order_axes([[1, 2, 3]], ("runs", "topics"), ("topics", "runs")).shape
    (3, 1)
    """
    try:
        values = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        expected = f"numbers, as an array [{', '.join(order)}] or {{system: scores}}"
        raise InputError(quote_short(data), expected) from None
    swapped = (order[1], order[0], *order[2:])
    choices = f"axes={order} or axes={swapped}"
    if axes is None:
        problem = f"an array of shape {values.shape} does not name its axes"
        raise InputError.from_problem(problem, f"Pass Scores, {{run: {{topic: score}}}}, or {choices}")
    if not isinstance(axes, tuple | list) or sorted(map(str, axes)) != sorted(order):
        raise InputError.from_problem(f"unknown axes {describe_value(axes)}", f"Use {choices}")
    if values.ndim != len(order):
        raise InputError(f"an array of shape {values.shape}", f"{len(order)} axes: {', '.join(axes)}")
    return values.transpose([list(axes).index(name) for name in order])


def _number_names(count: int) -> tuple[str, ...]:
    """Return the names 1, 2, … for systems or topics without names."""
    return tuple(str(i + 1) for i in range(count))


def _group_by_run(scores: Scores) -> dict[str, dict[str, float]]:
    if len(scores.measures) != 1:
        problem = f"scores of {format_names(scores.measures, 'measure')}"
        raise InputError(problem, f"scores of one measure: scores[:, :, {scores.measures[0]!r}]")
    return {
        run: dict(zip(scores.topics, scores.values[r, :, 0].tolist(), strict=True)) for r, run in enumerate(scores.runs)
    }


def _get_run_scores(scores: Scores) -> dict[str, float]:
    by_run = _group_by_run(scores)
    if len(by_run) != 1:
        problem = f"scores of {format_names(scores.runs, 'run')}"
        raise InputError(problem, f"scores of one run: scores[{scores.runs[0]!r}]")
    return next(iter(by_run.values()))


def _from_mapping(data: Mapping[str, Any], topics: Topics) -> Matrix:
    samples = {str(system): to_mapping(x) for system, x in data.items()}
    if not samples:
        raise InputError.from_problem("no systems")
    systems = tuple(samples)
    if _has_topics(samples.values(), "all"):
        shared = _find_shared_topics(samples.values(), topics, "that not every system has")
        rows = [to_array({topic: x[topic] for topic in shared}, name) for name, x in samples.items()]
        return Matrix(np.stack(rows, axis=1), systems, tuple(map(str, shared)))
    rows = [to_array(x, name) for name, x in samples.items()]
    if len({len(x) for x in rows}) > 1:
        problem = f"{min(map(len, rows))} to {max(map(len, rows))} scores"
        raise InputError(problem, "the same number for each system, because topics have no names")
    return Matrix(np.stack(rows, axis=1), systems, _number_names(len(rows[0])))


def check_topic_count(topics: int, least: int) -> None:
    """Raise an error if there are fewer topics than a test needs."""
    if topics < least:
        raise InputError(format_count(topics, "topic"), f"at least {least}")


def quote_short(x: Any) -> str:
    """Return the repr of a value, shortened for a message."""
    text = repr(x)
    return text if len(text) <= 40 else f"{text[:37]}…"
