"""Data of pages made by hand: what the browser gets, as large and as hostile as a test wants it."""

from __future__ import annotations

import random
from typing import Any

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" & 'single' `back`",
    "rtl\u202emark\u200f\u2066",
    "control\x1b[31m\x00\x07",
    "long" * 250,
    "</script><!--<script>",
    "=1+1 _&%$#\\^~|*[",
)
LEVELS = (0, 1, 2)
MEASURES = ("nDCG@10", "AP", "RBP(p=0.8)", "P@5", "ERR@20", "RR", "Q", "bpref", "R@100", "Rprec")
SOURCES = ("web", "news")


def page(runs: int = 4, topics: int = 12, measures: int = 2, depth: int = 10, seed: int = 1) -> dict[str, Any]:
    """Runs of different strength; topic t1 is judged, answered and undefined as others are not."""
    random_ = random.Random(seed)  # noqa: S311
    names = [f"run{i}" for i in range(runs)]
    scores = [
        [[round(min(1.0, random_.random() * (1 - 0.5 * r / runs)), 4) for _ in range(topics)] for r in range(runs)]
        for _ in range(measures)
    ]
    if topics > 1:
        scores[0][0][1] = None  # type: ignore[call-overload]
        scores[0][-1][0] = 0.03125  # whose fourth decimal is as near to 2 as to 3
    return {
        "title": "Made by hand",
        "answer": ["run0 is best by nDCG@10, 0.5012 [0.41, 0.59].", "Its lead may be chance."],
        "notices": [
            {"kind": "unjudged", "texts": [f"run{i}: 3 of 10 are unjudged" for i in range(5)]},
            {"kind": "ties", "texts": ["run1: ties could change a score in 2 topics"]},
        ],
        "runs": [{"name": name} for name in names],
        "topics": [
            {
                "id": f"t{i}",
                "query": f"query number {i}",
                "slices": {"source": SOURCES[i % 2]},
            }
            for i in range(topics)
        ],
        "measures": [_measure(name) for name in MEASURES[:measures]],
        "scores": scores,
        "over": f"{topics} topics",
        "t": [1.959964, 12.7062, 4.30265, 3.18245, 2.77645, 2.57058],  # to 5 degrees of freedom
        "board": [_board(of_measure) for of_measure in scores],
        "pairs": [_pairs(of_measure) for of_measure in scores],
        "agreement": {
            "statistic": "kendall",
            "values": [[1.0 if i == j else 0.8 for j in range(measures)] for i in range(measures)],
        },
        "collection": [
            {"label": "topics", "value": str(topics)},
            {"label": "runs", "value": str(runs)},
            {"label": "judgments", "value": "1,234", "note": "900 × 0, 300 × 1, 34 × 2"},
            {"label": "unjudged at 10", "value": "3.1%"},
        ],
        "buckets": {
            "measure": 0,
            "names": ["not answered", "none found", "ranked low"],
            "explained": ["no list", "no relevant document is in its list", "none of these"],
            "codes": [[random_.choice((-1, -1, 0, 1, 2)) for _ in range(topics)] for _ in names],
            "counted": [True] * topics,
        },
        "lists": {
            "depth": depth,
            "levels": [{"level": x, "sign": str(x), "relevant": x > 0} for x in LEVELS],
            "topics": [_lists(random_, t, runs, depth) for t in range(topics)],
        },
        "sections": [
            {
                "id": "walk",
                "title": "The user’s walk",
                "text": "How far a user goes.",
                "tables": [
                    {
                        "title": "Steps",
                        "columns": ["run", "utility"],
                        "rows": [[name, 0.5 - 0.1 * i] for i, name in enumerate(names)],
                        "note": "Made up.",
                    }
                ],
                "scatter": {
                    "x": "D-nDCG@10",
                    "y": "I-rec@10",
                    "points": [{"name": n, "x": 0.3 + i / 9, "y": 0.9 - i / 7}
                               for i, n in enumerate(names[:8])],
                },
                "lines": {
                    "x": "rank",
                    "y": "still reading",
                    "lines": [
                        {"name": n, "points": [[k, (0.9 - i / 10) ** k] for k in range(1, 21)]}
                        for i, n in enumerate(names[:8])
                    ],
                },
            }
        ],
        "reproduce": [
            {"label": "command", "value": "cranfield report qrels.txt run0.txt -m nDCG@10"},
            {"label": "sha256 of qrels.txt", "value": "9f86d081884c7d659a2feaa0c55ad015" * 2},
        ],
        "left_out": [],
        "pool": {"format": "topic doc"},
    }  # fmt: skip


def answered() -> dict[str, Any]:
    """A page with answers: of all runs to all topics but t2, which has none, and t3, left out."""
    data = page()
    data["measures"][1] |= {"name": "CitationF", "answers": True}
    topics = [_answers(t, len(data["runs"])) for t in range(len(data["topics"]))]
    data["answers"] = {
        "supported": True,
        "levels": data["lists"]["levels"],
        "topics": [None if t in (2, 3) else topic for t, topic in enumerate(topics)],
        "known": [t != 2 for t in range(len(topics))],
    }
    return data


def _answers(t: int, runs: int, words: str = "A sentence") -> dict[str, Any]:
    """Sentences that cite every kind of document; run 3 has a text, and run 2 no answer."""
    sentences = [
        [f"{words} 1 of topic {t}.", [[0, 2], [1, 1]]],
        [f"{words} 2.", []],
        [None, [[2, 0], [3, None], [0, 2]]],
    ]
    told = "3 sentences, 1 without citations · 5 citations: 2 full, 1 partial, 1 none, 1 not judged"
    said = {"first": 1, "sentences": sentences, "told": told}
    text = {"text": f"{words} and\nanother line."}
    nuggets = {
        "rows": [["a fact", "vital", "history"], ["another fact", "okay", ""], ["new", "okay", ""]],
        "marks": [[2, 1, 0], [1, 0, None], None, [2, 2, 2]][:runs] + [[0, 0, 0]] * (runs - 4),
        "told": ["vital: 1 of 1; okay: 0 of 2, 1 in part"] * runs,
    }
    criteria = {"rows": [["is polite", 2, "tone"], ["lies", -4, ""]], "marks": [[2, 2]] * runs}
    return {
        "docs": [f"d{t}-0", f"d{t}-1", f"d{t}-2", "elsewhere"],
        "level": [0, 1, 2, None],
        "said": [text if r == 3 else None if r == 2 else said for r in range(runs)],
        "nuggets": nuggets,
        "criteria": criteria | {"told": ["1 of 1; of negative weight: 1 of 1"] * runs},
        "gold": ["a right answer", "another"],
        "titles": {"0": {"title": "A title", "text": "And the beginning of its text."}},
    }


def _measure(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "better": "higher",
        "summary": "mean",
        "title": f"What {name} is, in a sentence.",
        "formula": "nDCG = (1/Z) Σ_r g(r) / log2(r + 1)",
        "text": "g(r) is the gain at rank r.\nZ is that of an ideal list.",
        "parameters": [{"name": "cutoff", "value": "10", "doc": "how many ranks count"}],
        "bibtex": ["@article{jarvelin2002,\n  author = {Järvelin and Kekäläinen},\n}"],
    }


def _board(scores: list[list[float]]) -> dict[str, Any]:
    means = [sum(x or 0 for x in row) / len(row) for row in scores]
    return {
        "means": [round(x, 4) for x in means],
        "low": [round(x - 0.06, 4) for x in means],
        "high": [round(x + 0.06, 4) for x in means],
        "letters": ["ab"[r * 2 // len(means)] for r in range(len(means))],
        "confidence": 0.95,
        "test": "Tukey HSD, α = 0.05",
    }


def _pairs(scores: list[list[float]]) -> dict[str, Any] | None:
    means = _board(scores)["means"]
    if len(means) < 2:
        return None
    rows = [[round(a - b, 4) for b in means[i + 1 :]] for i, a in enumerate(means)]
    return {
        "p": [[round(max(0.0, 0.3 - abs(x)), 4) for x in row] for row in rows],
        "effect": [[round(x * 3, 3) for x in row] for row in rows],
        "difference": rows,
        "low": [[round(x - 0.2, 4) for x in row] for row in rows],
        "high": [[round(x + 0.1, 4) for x in row] for row in rows],
        "least_p": {"p": 0.0001, "text": "<0.001"},
        "bound_low": [[round(x - 0.05, 4) for x in row] for row in rows],
        "bound_high": [[round(x + 0.07, 4) for x in row] for row in rows],
        "test": "Tukey HSD",
        "effect_name": "Hedges’ g",
        "alpha": 0.05,
    }


def _lists(random_: random.Random, t: int, runs: int, depth: int) -> dict[str, Any]:
    docs = [f"d{t}-{i}" for i in range(depth * 2)]
    level = [random_.choice((None, 0, 0, 1, 2)) for _ in docs]
    relevant = sorted((i for i, x in enumerate(level) if x), key=lambda i: -(level[i] or 0))
    orders = [random_.sample(range(len(docs)), len(docs)) for _ in range(runs)]
    return {
        "docs": docs,
        "level": level,
        "lists": [order[:depth] if r != 1 or t != 1 else None for r, order in enumerate(orders)],
        "length": [1000] * runs,
        "relevant": relevant,
        "left_out": 3,
        "ranks": [[_rank(order.index(doc), depth) for doc in relevant] for order in orders],
        "titles": {"0": {"title": "A title", "text": "And the beginning of its text."}},
    }


def _rank(at: int, depth: int) -> int:
    """The rank of a document, where the last ones were not retrieved."""
    return at + 1 if at < depth * 1.7 else 0


def hostile() -> dict[str, Any]:
    """A page whose every name and text tries to be something else."""
    data = page(runs=len(HOSTILE), topics=len(HOSTILE), depth=6)
    for run, name in zip(data["runs"], HOSTILE, strict=True):
        run["name"] = name
    for topic, name in zip(data["topics"], HOSTILE, strict=True):
        topic.update(id=name, query=name, slices={name: name})
    for found in data["lists"]["topics"]:
        found["docs"][: len(HOSTILE)] = HOSTILE
        found["titles"] = {str(i): {"title": x, "text": x} for i, x in enumerate(HOSTILE)}
    data["answer"] = data["left_out"] = [*HOSTILE]
    data["title"] = HOSTILE[0]
    data["notices"] = [{"kind": HOSTILE[0], "texts": [*HOSTILE]}]
    data["collection"] = [{"label": x, "value": x, "note": x} for x in HOSTILE]
    data["reproduce"] = [{"label": x, "value": x} for x in HOSTILE]
    data["sections"][0].update(id=HOSTILE[0], title=HOSTILE[0], text=HOSTILE[0])
    data["sections"][0]["tables"][0]["rows"] = [[x, 1] for x in HOSTILE]
    data["answers"] = {
        "supported": True,
        "levels": data["lists"]["levels"],
        "topics": [_hostile_answers(t, name) for t, name in enumerate(HOSTILE)],
        "known": [True] * len(HOSTILE),
    }
    return data


def _hostile_answers(t: int, name: str) -> dict[str, Any]:
    made = _answers(t, len(HOSTILE), name)
    made["docs"] = [*HOSTILE[:4]]
    made["titles"] = {"0": {"title": name, "text": name}}
    made["gold"] = [*HOSTILE]
    for list_ in (made["nuggets"], made["criteria"]):
        list_["rows"] = [[name, kind, name] for _, kind, _ in list_["rows"]]
        list_["told"] = [*HOSTILE]
    return made
