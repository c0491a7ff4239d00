"""Attributes of topics for slices of scores, and clusters of topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.data.attributes import (
    AttributesLike,
    BoundAttribute,
    TopicAttribute,
    bind_attributes,
    bind_clusters,
    read_attributes,
    read_clusters,
)
from cranfield.errors import InputError
from cranfield.evaluation.collection import Collection
from cranfield.evaluation.options import Options
from cranfield.scores import Note, Scores
from cranfield.scores.clusters import Clusters, check_cluster_count, note_few_clusters, note_single_topics


def attach_attributes(scores: Scores, by: AttributesLike, queries: Any = None) -> Scores:
    """Return scores with the attributes of their topics, instead of previous attributes.

    >>> scores = Scores([[[0.5], [0.3]]], ["bm25"], ["1", "2"], ["AP"], ["mean"])
    >>> attach_attributes(scores, {"1": "fact", "2": "how"}).attributes
    {'slice': {'1': 'fact', '2': 'how'}}
    """
    attributes = read_attributes(by, queries, scores.attributes)
    bound = bind_attributes(attributes, scores.topics)
    notes = (*scores.notes, *note_attributes(bound))
    return replace(scores, attributes={attribute.name: attribute.values for attribute in bound}, notes=notes)


def attach_clusters(scores: Scores, clusters: AttributesLike) -> Scores:
    """Return scores with the clusters of their topics, instead of previous clusters.

    >>> scores = Scores([[[0.5], [0.3], [0.4]]], ["bm25"], ["1", "2", "3"], ["AP"], ["mean"])
    >>> attach_clusters(scores, {"1": "a", "2": "b", "3": "c"}).clusters
    {'1': 'a', '2': 'b', '3': 'c'}
    """
    bound = bind_clusters(read_clusters(clusters), scores.topics)
    others = [note for note in scores.notes if note.kind not in ("clusters", "single-clusters")]
    return replace(scores, clusters=bound.values, notes=(*others, *note_clusters(bound)))


def note_clusters(bound: BoundAttribute) -> list[Note]:
    """Return notes on clusters of topics: ignored rows, few clusters, clusters of one topic."""
    numbered = Clusters.from_labels([*bound.values.values()])
    check_cluster_count(numbered, location=bound.name)
    return [*note_attributes([bound]), *note_few_clusters(numbered), *note_single_topics(numbered)]


def read_cluster_option(options: Options) -> TopicAttribute | None:
    """Return the attribute of the option clusters."""
    if options.clusters is None:
        return None
    if options.per_intent:
        raise InputError.from_problem("use either clusters or per_intent, not both")
    return read_clusters(options.clusters)


def read_option(options: Options) -> tuple[TopicAttribute, ...]:
    """Return the attributes of the option by."""
    if options.by is None:
        return ()
    if options.per_intent:
        raise InputError.from_problem("use either by or per_intent, not both")
    return read_attributes(options.by, options.queries)


def bind_topics(
    attributes: Sequence[TopicAttribute], collection: Collection, topics: Sequence[str]
) -> tuple[BoundAttribute, ...]:
    """Return the attributes of the evaluated topics."""
    return bind_attributes(attributes, topics, count_relevant(collection)) if attributes else ()


def count_relevant(collection: Collection) -> dict[str, int]:
    """Return the number of relevant documents of each judged topic."""
    judgments, rel = collection.gold.judgments, collection.options.rel
    relevant = judgments.levels >= (1 if rel is None else rel)
    counts = np.diff(np.concatenate(([0], np.cumsum(relevant)))[judgments.offsets])
    return dict(zip(judgments.topics, counts.tolist(), strict=True))


def note_attributes(bound: Iterable[BoundAttribute]) -> list[Note]:
    """Return notes on ignored rows and on topics without a value."""
    return [Note(kind, text, None, topics) for attribute in bound for kind, text, topics in attribute.messages]
