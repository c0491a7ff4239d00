"""What judged items are worth to the intents of their topic: the blocks of diversity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.intents import Intents as Known
from cranfield.data.qrels import Qrels
from cranfield.data.reading.columns import in_order
from cranfield.data.reading.formats import decide
from cranfield.data.reading.records import Record, Text
from cranfield.data.reading.source import Source
from cranfield.data.verticals import Verticals
from cranfield.errors import CranfieldError, InputError
from cranfield.labelling.blocks import Intents
from cranfield.labelling.gold import GoldStandard
from cranfield.wording import some


def intents_on(gold: GoldStandard, known: Known | None = None) -> Intents:
    """The intents of the judgments, with what is known of them: probabilities and types.

    Without probabilities the intents of a topic are equally probable; without a type they are
    informational. A topic whose probabilities are known has no other intents. An intent named 0
    that nothing is relevant to is none: TREC and NTCIR put documents there that are of no use.
    """
    qrels, judged = gold.qrels, gold.qrels.by_intent
    if judged is None:
        raise InputError("judgments without intents", "topic intent doc level", qrels.where)
    if known is not None:
        _refuse_others(known, qrels)
    item = gold.items[judged.rows]
    topic_of = gold.judgments.item_topics[item]
    intent = _starts(judged.names)[topic_of] + judged.intents
    meant = zip(qrels.topics, _named(judged.names, intent, judged.levels), strict=True)
    told = [_told(topic, own, known, qrels) for topic, own in meant]
    names = tuple(tuple(of_topic) for of_topic in told)
    each = [fact for of_topic in told for fact in of_topic.values()]
    count = np.array([len(few) for few in names], dtype=np.int64)
    shared = [0.0 if known and t in known.probabilities else float(n)
              for t, n in zip(qrels.topics, count, strict=True)]  # fmt: skip
    offsets = np.concatenate(([0], np.cumsum(count)))
    cells = np.concatenate(([0], np.cumsum(gold.judgments.counts * count)))
    levels = np.zeros(int(cells[-1]))
    place = _places(judged.names, names)[intent]
    within = item - gold.judgments.offsets[topic_of]
    cell = cells[topic_of] + within * count[topic_of] + place
    levels[cell[place >= 0]] = judged.levels[place >= 0]
    return Intents(
        names,
        offsets,
        np.array([weight for weight, _ in each]),
        np.array(shared),
        np.array([navigational for _, navigational in each], dtype=bool),
        cells[:-1],
        levels,
        gold.judgments.offsets,
        _by_name(gold),
    )


def _refuse_others(known: Known, qrels: Qrels) -> None:
    """What is known must be of some of the judged topics."""
    told = [*known.probabilities, *known.navigational]
    if set(told).isdisjoint(qrels.topics):
        expected = f"some of the judged topics: {some(qrels.topics, 'topic')}"
        raise InputError(f"intents of {some(told, 'topic')}", expected, known.where)


def _told(
    topic: str, own: tuple[str, ...], known: Known | None, qrels: Qrels
) -> dict[str, tuple[float, bool]]:
    """The intents of a topic: how probable each is, or 1, and whether it is navigational."""
    if known is None:
        return dict.fromkeys(own, (1.0, False))
    probable, typed = known.probabilities.get(topic), known.navigational.get(topic, {})
    if probable is not None:
        _refuse_unknown(own, probable, qrels, topic, known.where)
        own = tuple(in_order(probable))
    if strange := [name for name in typed if name not in own]:
        found = f"{some(strange, 'intent')} of topic {topic}"
        where, line = known.told.get((topic, strange[0]), (known.where, None))
        raise InputError(found, f"one of {', '.join(own)}", where, line)
    weights = dict.fromkeys(own, 1.0) if probable is None else probable
    return {name: (weights[name], typed.get(name, False)) for name in own}


def importance_of(verticals: Verticals, topics: Sequence[str], intents: Intents) -> Floats:
    """Pr(v|i), a row for each intent of each topic and a column for each vertical."""
    rows = []
    for topic, names in zip(topics, intents.names, strict=True):
        known = verticals.of_topic(topic, names)
        rows += [[known[intent].get(name, 0.0) for name in verticals.names] for intent in names]
    return np.array(rows, dtype=np.float64).reshape(-1, len(verticals.names))


def _named(names: Sequence[tuple[str, ...]], intent: Ints, levels: Floats) -> list[tuple[str, ...]]:
    """The intents of each topic, without those that are none."""
    best = np.zeros(sum(map(len, names)))
    np.maximum.at(best, intent, levels)
    found = []
    for start, few in zip(_starts(names).tolist(), names, strict=True):
        meant = tuple(name for i, name in enumerate(few) if name != "0" or best[start + i] > 0)
        found.append(meant or few)
    return found


def _refuse_unknown(
    own: Sequence[str], probable: Mapping[str, float], qrels: Qrels, topic: str, at: str
) -> None:
    strange = [name for name in own if name not in probable]
    if strange:
        found = f"{some(strange, 'intent')} of topic {topic}"
        expected = f"one of {', '.join(in_order(probable))}, as in {at}"
        line = _line(qrels.where, topic, strange[0])
        raise InputError(found, expected, qrels.where, line)


def _line(where: str, topic: str, intent: str) -> int | None:
    """The first line of a file with judgments for an intent."""
    try:
        source = Source.of(where)
        text = Text(intents=True)
        found = decide(source, None, text, "qrels").format.each(source, "qrels", text)
        told = (r for r in found if isinstance(r, Record) and (r.topic, r.type) == (topic, intent))
        return next((r.line for r in told), None)
    except (CranfieldError, OSError):
        return None  # judgments from elsewhere


def _starts(names: Sequence[Sequence[str]]) -> Ints:
    counts = np.array([len(few) for few in names], dtype=np.int64)
    return np.asarray(np.cumsum(counts) - counts)


def _places(own: Sequence[Sequence[str]], every: Sequence[Sequence[str]]) -> Ints:
    """The place of each judged intent among all intents of its topic, -1 if it is none."""
    pairs = zip(own, every, strict=True)
    places = ([many.index(name) if name in many else -1 for name in few] for few, many in pairs)
    return np.fromiter(chain.from_iterable(places), dtype=np.int64)


def _by_name(gold: GoldStandard) -> Ints:
    """The items of each topic by document id, the largest first."""
    keys = gold.qrels.docs.sort_keys()
    by_name = [~key for key in reversed(keys)]
    return np.asarray(gold.items[np.lexsort([*by_name, gold.judgments.item_topics])])
