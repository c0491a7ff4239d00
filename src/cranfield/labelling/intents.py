"""The levels of judged items for the intents of their topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.intents import Intents as Known
from cranfield.data.qrels import Qrels
from cranfield.data.reading.columns import sort_intents
from cranfield.data.reading.formats import detect_format
from cranfield.data.reading.records import ReadOptions, Record
from cranfield.data.reading.source import Source
from cranfield.data.verticals import Verticals
from cranfield.errors import CranfieldError, InputError
from cranfield.labelling.blocks import Intents
from cranfield.labelling.gold import GoldStandard
from cranfield.wording import format_names


def build_intents(gold: GoldStandard, intent_info: Known | None = None) -> Intents:
    """Build the intents of the judgments with their probabilities and types.

    Without probabilities, the intents of a topic are equally probable. Without a type, they are
    informational. If a topic has probabilities, they must include all of its intents. An intent
    named 0 without relevant documents is ignored: TREC and NTCIR use it for documents that are
    nonrelevant to all intents.
    """
    qrels, judged = gold.qrels, gold.qrels.by_intent
    if judged is None:
        raise InputError("judgments without intents", "topic intent doc level", qrels.where)
    if intent_info is not None:
        _check_topics(intent_info, qrels)
    item = gold.items[judged.rows]
    topic_of = gold.judgments.item_topics[item]
    intent = _compute_starts(judged.names)[topic_of] + judged.intents
    judged_intents = zip(qrels.topics, _list_judged_intents(judged.names, intent, judged.levels), strict=True)
    intents_of = [
        _get_topic_intents(topic, topic_intents, intent_info, qrels) for topic, topic_intents in judged_intents
    ]
    names = tuple(tuple(of_topic) for of_topic in intents_of)
    facts = [fact for of_topic in intents_of for fact in of_topic.values()]
    count = np.array([len(topic_names) for topic_names in names], dtype=np.int64)
    uniform_counts = [0.0 if intent_info and t in intent_info.probabilities else float(n)
              for t, n in zip(qrels.topics, count, strict=True)]  # fmt: skip
    offsets = np.concatenate(([0], np.cumsum(count)))
    cells = np.concatenate(([0], np.cumsum(gold.judgments.counts * count)))
    levels = np.zeros(int(cells[-1]))
    place = _find_places(judged.names, names)[intent]
    within = item - gold.judgments.offsets[topic_of]
    cell = cells[topic_of] + within * count[topic_of] + place
    levels[cell[place >= 0]] = judged.levels[place >= 0]
    return Intents(
        names,
        offsets,
        np.array([weight for weight, _ in facts]),
        np.array(uniform_counts),
        np.array([navigational for _, navigational in facts], dtype=bool),
        cells[:-1],
        levels,
        gold.judgments.offsets,
        _sort_by_name(gold),
    )


def _check_topics(intent_info: Known, qrels: Qrels) -> None:
    """Raise an error if no topic with intents is judged."""
    topics = [*intent_info.probabilities, *intent_info.navigational]
    if set(topics).isdisjoint(qrels.topics):
        expected = f"some of the judged topics: {format_names(qrels.topics, 'topic')}"
        raise InputError(f"intents of {format_names(topics, 'topic')}", expected, intent_info.where)


def _get_topic_intents(
    topic: str, judged_intents: tuple[str, ...], intent_info: Known | None, qrels: Qrels
) -> dict[str, tuple[float, bool]]:
    """Return (probability or 1, is navigational) of each intent of a topic."""
    if intent_info is None:
        return dict.fromkeys(judged_intents, (1.0, False))
    probable, typed = intent_info.probabilities.get(topic), intent_info.navigational.get(topic, {})
    if probable is not None:
        _check_intents(judged_intents, probable, qrels, topic, intent_info.where)
        judged_intents = tuple(sort_intents(probable))
    if unknown := [name for name in typed if name not in judged_intents]:
        problem = f"{format_names(unknown, 'intent')} of topic {topic}"
        location, line = intent_info.first_lines.get((topic, unknown[0]), (intent_info.where, None))
        raise InputError(problem, f"one of {', '.join(judged_intents)}", location, line)
    weights = dict.fromkeys(judged_intents, 1.0) if probable is None else probable
    return {name: (weights[name], typed.get(name, False)) for name in judged_intents}


def compute_importance(verticals: Verticals, topics: Sequence[str], intents: Intents) -> Floats:
    """Return Pr(v|i), with a row per intent of each topic and a column per vertical."""
    rows = []
    for topic, names in zip(topics, intents.names, strict=True):
        weights = verticals.get_probabilities(topic, names)
        rows += [[weights[intent].get(name, 0.0) for name in verticals.names] for intent in names]
    return np.array(rows, dtype=np.float64).reshape(-1, len(verticals.names))


def _list_judged_intents(names: Sequence[tuple[str, ...]], intent: Ints, levels: Floats) -> list[tuple[str, ...]]:
    """Return the intents of each topic without an unused intent 0."""
    best = np.zeros(sum(map(len, names)))
    np.maximum.at(best, intent, levels)
    result = []
    for start, topic_names in zip(_compute_starts(names).tolist(), names, strict=True):
        relevant = tuple(name for i, name in enumerate(topic_names) if name != "0" or best[start + i] > 0)
        result.append(relevant or topic_names)
    return result


def _check_intents(
    judged_intents: Sequence[str], probable: Mapping[str, float], qrels: Qrels, topic: str, location: str
) -> None:
    unknown = [name for name in judged_intents if name not in probable]
    if unknown:
        problem = f"{format_names(unknown, 'intent')} of topic {topic}"
        expected = f"one of {', '.join(sort_intents(probable))}, as in {location}"
        line = _find_line(qrels.where, topic, unknown[0])
        raise InputError(problem, expected, qrels.where, line)


def _find_line(location: str, topic: str, intent: str) -> int | None:
    """Return the first line of a file with judgments for an intent."""
    try:
        source = Source.from_path(location)
        text = ReadOptions(intents=True)
        records = detect_format(source, None, text, "qrels").format.iter_records(source, "qrels", text)
        matching = (r for r in records if isinstance(r, Record) and (r.topic, r.type) == (topic, intent))
        return next((r.line for r in matching), None)
    except (CranfieldError, OSError):
        return None  # the judgments are not from a file


def _compute_starts(names: Sequence[Sequence[str]]) -> Ints:
    counts = np.array([len(topic_names) for topic_names in names], dtype=np.int64)
    return np.asarray(np.cumsum(counts) - counts)


def _find_places(judged_names: Sequence[Sequence[str]], all_names: Sequence[Sequence[str]]) -> Ints:
    """Return the index of each judged intent among all intents of its topic, or -1."""
    pairs = zip(judged_names, all_names, strict=True)
    places = (
        [topic_names.index(name) if name in topic_names else -1 for name in topic_judged]
        for topic_judged, topic_names in pairs
    )
    return np.fromiter(chain.from_iterable(places), dtype=np.int64)


def _sort_by_name(gold: GoldStandard) -> Ints:
    """Return the items of each topic by document id, descending."""
    keys = gold.qrels.docs.compute_sort_keys()
    by_name = [~key for key in reversed(keys)]
    return np.asarray(gold.items[np.lexsort([*by_name, gold.judgments.item_topics])])
