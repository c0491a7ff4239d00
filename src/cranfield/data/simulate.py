"""A synthetic test collection: topics, pooled judgments and runs of systems.

    documents   each topic has depth + 1000 candidates, each with a latent relevance x
    assessors   see x through thresholds: the top R are relevant, smaller fractions highly
                so. R is log-logistic (median 40, mostly between 9 and 180)
    systems     see x through noise:  s = skill · (x + difficulty · lure) + noise
                lure        looks relevant but is not, equally for all systems
                difficulty  of the topic: weight of the lures
                skill       of the system, times a factor for this system on this topic
    scores      s on the scale of BM25, a cosine or a log-likelihood, rounded
    pool        a document is judged if a contributing run ranks it in its top `pool_depth`

Systems also have the habits of real ones (`_HABITS`): rounded scores and therefore ties, missing
topics, short rankings, runs that did not contribute to the pool, a file out of order.

Each topic, system and ranking has a separate random stream. With more topics, the earlier ones
stay the same. With more runs, judgments are only added. The numbers are uniform draws combined by
+ - × ÷ and √, which IEEE 754 defines to the last bit: the files are the same on any machine.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.data.files import write_all
from cranfield.data.names import check_word
from cranfield.data.ntcir.nev import check_file_name
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError
from cranfield.wording import format_count

Integers = NDArray[np.int64]

MAX_CANDIDATES = 100_000_000  # candidates of all runs in memory: about 10 GB


@dataclass(frozen=True, repr=False)
class Collection:
    """Test collection in memory.

    The order of the dictionaries is the order of the files.
    """

    qrels: dict[str, dict[str, int]]
    """topic → document → level, for the judged documents."""
    runs: dict[str, dict[str, dict[str, float]]]
    """run tag → topic → document → score."""
    intents: dict[str, dict[str, dict[str, int]]] | None = None
    """topic → intent → document → level, for the judged documents."""
    intent_probabilities: dict[str, dict[str, float]] | None = None
    """topic → intent → Pr(i|q), summing to 1 for each topic."""

    def __repr__(self) -> str:
        judgments = format_count(sum(map(len, self.qrels.values())), "judgment")
        topics, runs = format_count(len(self.qrels), "topic"), format_count(len(self.runs), "run")
        return f"Collection: {topics}, {judgments}, {runs}"

    def write(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write the collection as TREC files and return their paths.

        The files are `qrels.txt` (topic 0 document level), `runs/<tag>.txt` (topic Q0 document
        rank score tag) and, with intents, `qrels.intents.txt` (topic intent document level, as
        ndeval reads it) and `intents.txt` (topic intent probability). Ranks follow trec_eval: by
        score, ties by document id, both descending. Existing files of these names are replaced.
        Other files stay.
        """
        judged = {topic: {"0": levels} for topic, levels in self.qrels.items()}
        files = {"qrels.txt": _format_judgments(judged)}
        files |= {
            f"runs/{check_file_name(tag, 'run')}.txt": _format_run(check_word(tag), run)
            for tag, run in self.runs.items()
        }
        if self.intents is not None:
            files["qrels.intents.txt"] = _format_judgments(self.intents)
        if self.intent_probabilities is not None:
            files["intents.txt"] = _format_probabilities(self.intent_probabilities)
        paths = {name: Path(directory, name) for name in files}
        lines = {str(paths[name]): map(str.encode, chunks) for name, chunks in files.items()}
        write_all(dict(reversed(lines.items())))  # the judgments last, as a sign of completeness
        return [*paths.values()]


def simulate(
    topics: int = 50,
    runs: int = 12,
    depth: int = 1000,
    levels: int = 3,
    seed: int = 7,
    *,
    intents: int = 0,
    pool_depth: int = 50,
) -> Collection:
    """Make a test collection that resembles a real one.

    The result depends only on the arguments.

    Every topic has at least one relevant judged document.

    Parameters
    ----------
    topics, runs : int
        Numbers of topics and runs.
    depth : int
        Number of documents that a run returns for a topic.
    levels : int
        Highest relevance level.
    seed : int
        Seed of the random streams.
    intents : int
        With k ≥ 2, each topic has 2 to k intents, and the level of a document is its highest
        level for any intent.
    pool_depth : int
        Number of documents per ranking that are judged, for contributing runs.

    >>> collection = simulate(topics=2, runs=3, depth=10)
    >>> list(collection.qrels), list(collection.runs)
    (['101', '102'], ['sys01', 'sys02', 'sys03'])
    >>> max(collection.qrels["101"].values())
    3
    """
    _expect(topics >= 1, "topics", topics, "at least 1")
    _expect(runs >= 1, "runs", runs, "at least 1")
    _expect(1 <= depth <= 1_000_000, "depth", depth, "1 to 1000000")
    _expect(1 <= levels <= 1000, "levels", levels, "1 to 1000")
    _expect(seed >= 0, "seed", seed, "at least 0")
    _expect(intents == 0 or intents >= 2, "intents", intents, "at least 2, or 0 for none")
    _expect(intents <= 1000, "intents", intents, "at most 1000")
    _expect(pool_depth >= 1, "pool_depth", pool_depth, "at least 1")
    lines = topics * (depth + 1000) * max(runs, 1 + intents)
    _expect(
        lines <= MAX_CANDIDATES,
        "a collection of",
        lines,
        f"at most {MAX_CANDIDATES} candidates, in all runs",
    )

    systems = [_create_system(seed, number) for number in range(runs)]
    qrels: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, dict[str, float]]] = {system.tag: {} for system in systems}
    intent_qrels: dict[str, dict[str, dict[str, int]]] = {}
    intent_probabilities: dict[str, dict[str, float]] = {}
    for number in range(topics):
        topic = _create_topic(seed, number, depth + 1000, levels)
        # The assessor knew one relevant document before any run was pooled.
        pool = topic.relevance == topic.relevance.max()
        for system in systems:
            if number in system.absent:
                continue
            scores, ranking = _search(seed, system, topic, depth)
            if system.habit.pooled:
                pool[ranking[:pool_depth]] = True
            listing = ranking if system.habit.in_order else np.sort(ranking)[::-1]
            lists[system.tag][topic.id] = topic.label(listing, scores)

        judged = np.flatnonzero(pool)[::-1]
        qrels[topic.id] = topic.label(judged, topic.levels)
        if intents:
            probabilities, by_intent = _draw_intents(seed, topic, intents)
            intent_probabilities[topic.id] = probabilities
            pairs = zip(probabilities, by_intent, strict=True)
            intent_qrels[topic.id] = {intent: topic.label(judged, intent_levels) for intent, intent_levels in pairs}
    return Collection(qrels, lists, intent_qrels or None, intent_probabilities or None)


class _Habit(NamedTuple):
    """Output of a system: score = (offset + spread · s) · topic's scale, rounded."""

    offset: float
    spread: float
    decimals: int
    pooled: bool = True  # contributes to the pool
    absent: int = 0  # maximum number of missing topics among the first ten
    short: float = 0  # fraction of topics with a shorter ranking
    in_order: bool = True  # the file lists documents by score, not by document id


_BM25, _COSINE, _LIKELIHOOD = (12.0, 3.0), (0.45, 0.07), (-9.0, 1.2)
_HABITS = (  # sys01, sys02, …, repeated from sys13 on
    _Habit(*_BM25, decimals=4),
    _Habit(*_COSINE, decimals=6),
    _Habit(*_BM25, decimals=1),
    _Habit(*_LIKELIHOOD, decimals=5, absent=1),
    _Habit(*_BM25, decimals=4, in_order=False),
    _Habit(*_COSINE, decimals=6, pooled=False),
    _Habit(*_LIKELIHOOD, decimals=5, short=0.3),
    _Habit(*_COSINE, decimals=3),
    _Habit(*_BM25, decimals=4, absent=2),
    _Habit(*_COSINE, decimals=6, short=0.1),
    _Habit(*_LIKELIHOOD, decimals=5, pooled=False),
    _Habit(*_COSINE, decimals=6),
)


class _System(NamedTuple):
    number: int
    tag: str
    skill: float
    absent: frozenset[int]  # numbers of the missing topics
    habit: _Habit


def _create_system(seed: int, number: int) -> _System:
    habit = _HABITS[number % len(_HABITS)]
    # Steps of the golden ratio spread skills evenly for any number of systems.
    step = (_stream(seed, _SKILL).random() + 0.618034 * number) % 1
    absent = 1 + np.floor(9 * _stream(seed, _SYSTEM, number).random(habit.absent))
    tag, skill = f"sys{number + 1:02d}", 0.4 + 1.2 * step
    return _System(number, tag, skill, frozenset(map(int, absent)), habit)


class _Topic(NamedTuple):
    """Topic and its candidates, by descending document id, as trec_eval orders ties."""

    number: int
    id: str
    documents: Integers
    relevance: Floats  # x
    levels: Integers
    lure: Floats
    difficulty: float
    scale: float

    def label(self, candidates: Integers, values: Floats | Integers) -> dict[str, Any]:
        """Map the ids of some candidates to values, in the order of `candidates`."""
        documents = [f"D{n}" for n in self.documents[candidates].tolist()]
        return dict(zip(documents, values[candidates].tolist(), strict=True))


def _create_topic(seed: int, number: int, candidates: int, levels: int) -> _Topic:
    rng = _stream(seed, _TOPIC, number)
    u, share, hard, large = rng.random(4).tolist()
    relevance, lure = _draw_noise(rng, candidates), _draw_noise(rng, candidates)

    level = np.zeros(candidates, np.int64)
    ascending = np.sort(relevance)
    relevant = min(1 + 40 * math.sqrt(u / (1 - u)), candidates / 4)  # R, log-logistic
    for _ in range(levels):
        if relevant < 1:
            break
        level += relevance >= ascending[-int(relevant)]
        relevant *= 0.2 + 0.3 * share

    # One document from each slice of a collection of nine million, D1000000 to D9999999.
    width = 9_000_000 // candidates
    ids = 1_000_000 + np.arange(candidates) * width
    ids += (rng.random(candidates) * width).astype(np.int64)
    difficulty, scale = 1.5 * hard, 0.7 + 0.6 * large
    return _Topic(number, str(101 + number), ids[::-1], relevance, level, lure, difficulty, scale)


def _search(seed: int, system: _System, topic: _Topic, depth: int) -> tuple[Floats, Integers]:
    """Return the scores of all candidates, and the returned candidates, best first."""
    rng = _stream(seed, _LIST, topic.number, system.number)
    affinity, luck, length = rng.random(3).tolist()
    skill = system.skill * (0.5 + affinity)
    s = skill * (topic.relevance + topic.difficulty * topic.lure) + _draw_noise(rng, len(topic.lure))
    s /= math.sqrt(skill * skill * (1 + topic.difficulty * topic.difficulty) + 1)

    habit = system.habit
    scores = np.round((habit.offset + habit.spread * s) * topic.scale, habit.decimals)
    returned = 1 + int(length * depth) if luck < habit.short else depth
    return scores, np.argsort(-scores, kind="stable")[:returned]


def _draw_intents(seed: int, topic: _Topic, max_intents: int) -> tuple[dict[str, float], Integers]:
    """Return Pr(i|q), and a level for each intent and candidate.

    A relevant document has its full level for one intent, drawn with the probability of the
    intent, and with probability 1/4 some level for each other intent.
    """
    rng = _stream(seed, _INTENTS, topic.number)
    n = 2 + int(rng.random() * (max_intents - 1))
    weights = 0.2 + rng.random(n)
    millionths = np.floor(weights / math.fsum(weights) * 1_000_000)
    millionths[-1] = 1_000_000 - millionths[:-1].sum()
    probabilities = millionths / 1_000_000

    candidates = len(topic.levels)
    main = np.searchsorted(probabilities[:-1].cumsum(), rng.random(candidates))
    also = rng.random((n, candidates)) < 0.25
    levels = np.ceil(rng.random((n, candidates)) * topic.levels).astype(np.int64) * also
    levels[main, np.arange(candidates)] = topic.levels
    return {str(i): p for i, p in enumerate(probabilities.tolist(), 1)}, levels


_SKILL, _SYSTEM, _TOPIC, _LIST, _INTENTS = range(5)


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def _draw_noise(rng: np.random.Generator, n: int) -> Floats:
    """Return nearly normal noise, mean 0 and variance 1: sums of 4 uniform draws."""
    a, b, c, d = rng.random((4, n))
    return np.asarray((a + b + c + d - 2) * math.sqrt(3))


def _expect(holds: bool, name: str, value: int, expected: str) -> None:
    if not holds:
        raise _ArgumentError(f"found {name} {value}, expected {expected}")


class _ArgumentError(CranfieldError, ValueError):
    """Argument out of range: a user error, and a ValueError for Python code."""


def _format_run(tag: str, run: dict[str, dict[str, float]]) -> Iterator[str]:
    for topic, scores in run.items():
        lines = list(zip(scores.values(), scores, strict=True))
        by_rank = sorted(lines, reverse=True)
        ranks: Iterable[int] = range(1, len(lines) + 1)
        if lines != by_rank:
            rank_of = dict(zip(by_rank, ranks, strict=True))
            ranks = [rank_of[line] for line in lines]
        ranked = zip(ranks, lines, strict=True)
        begin = f"{check_word(topic, True)} Q0"
        yield "".join([f"{begin} {check_word(doc)} {rank} {s!r} {tag}\n" for rank, (s, doc) in ranked])


def _format_judgments(intents: dict[str, dict[str, dict[str, int]]]) -> Iterator[str]:
    for topic, by_intent in intents.items():
        for intent, levels in by_intent.items():
            begin = f"{check_word(topic, True)} {check_word(intent)}"
            yield "".join([f"{begin} {check_word(doc)} {level}\n" for doc, level in levels.items()])


def _format_probabilities(probabilities: dict[str, dict[str, float]]) -> Iterator[str]:
    for topic, by_intent in probabilities.items():
        begin = check_word(topic, True)
        yield "".join([f"{begin} {check_word(intent)} {p:.6f}\n" for intent, p in by_intent.items()])
