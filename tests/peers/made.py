"""Random collections, and how values of peers are compared with ours.

The collections hold what real ones hold: ties, unjudged documents, relevant documents that were
not retrieved, levels from 0 (and below) to 4, topics without a relevant document, topics that were
not answered or answered with nothing, topics nobody judged, and lists shorter than the cutoff.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

import cranfield as cf
from tests.made import examples

Nested = dict[str, dict[str, Any]]
Ties = Literal["many", "none"]


# -- random collections -------------------------------------------------------------------------


def doc_ids(rng: np.random.Generator, n: int) -> list[str]:
    """Names that sort differently as bytes, as numbers and without case."""
    shapes = ("d{}", "D{}", "doc-{:04}", "FT9{}-1", "é{}", "文{}", "😀{}", "{}")
    numbers = rng.choice(3 * n, size=n, replace=False)
    return [shapes[i].format(k) for i, k in zip(rng.integers(0, 8, n), numbers, strict=True)]


def scores_of(rng: np.random.Generator, n: int, ties: Ties) -> list[float]:
    """Multiples of 1/8, which pytrec_eval's 32-bit floats hold too; negative ones and −0 among
    them."""
    if ties == "none":
        return [float(x) / 8 for x in rng.permutation(3 * n)[:n] - n]
    spread = int(rng.integers(1, 2 * n + 2))  # from one score for all to hardly any tie
    scores = (rng.integers(-spread, spread + 1, size=n) / 8).tolist()
    return [-0.0 if s == 0 and rng.random() < 0.5 else s for s in scores]


@dataclass
class Collection:
    """A run and judgments, and what of them a peer can be given."""

    qrels: Nested = field(default_factory=dict)
    run: Nested = field(default_factory=dict)

    @property
    def answered(self) -> list[str]:
        """The judged topics with a list that is not empty: pytrec_eval 0.5.11 dies of a
        segmentation fault on an empty one, and on a topic without a level of 0 or above."""
        return [t for t, j in self.qrels.items() if self.run.get(t) and max(j.values()) >= 0]

    def peer_qrels(self) -> Nested:
        return {t: self.qrels[t] for t in self.answered}

    def peer_run(self) -> Nested:
        return {t: docs for t, docs in self.run.items() if docs}

    def shown(self, topic: str) -> str:
        return f"judged {self.qrels[topic]}\n  run {self.run.get(topic)}"


def collection(
    rng: np.random.Generator,
    topics: int = 60,
    levels: tuple[int, ...] = (0, 1, 2, 3),
    ties: Ties = "many",
    longest: int = 40,
) -> Collection:
    made = Collection()
    for t in rng.permutation(topics).tolist():
        topic = f"{t}" if t % 3 else f"q-{t}"
        n = int(rng.integers(1, longest + 1))
        docs = doc_ids(rng, n)
        rng.shuffle(docs)
        judged = docs[: int(rng.integers(1, n + 1))]
        highest = 0 if rng.random() < 0.1 else max(levels)
        found = [x for x in levels if x <= highest]
        weights = rng.dirichlet(np.ones(len(found)))
        made.qrels[topic] = dict(zip(judged, rng.choice(found, size=len(judged), p=weights).tolist(), strict=True))
        kind = rng.random()
        if kind < 0.05:
            continue  # not answered
        retrieved = [] if kind < 0.08 else list(docs)
        rng.shuffle(retrieved)
        retrieved = retrieved[: int(rng.integers(1, n + 1))]
        scores = scores_of(rng, len(retrieved), ties) if retrieved else []
        made.run[topic] = dict(zip(retrieved, scores, strict=True))
    for t in range(int(rng.integers(0, 3))):
        made.run[f"unjudged{t}"] = {"d1": 1.0, "d2": 0.5}
    return made


def collections(seed: int, count: int, **shape: Any) -> Iterable[Collection]:
    rng = np.random.default_rng(seed)
    return (collection(rng, **shape) for _ in range(examples(count)))


# -- comparing ----------------------------------------------------------------------------------


def values(c: Collection, measures: Iterable[str], **options: Any) -> Nested:
    """Our value of each measure, under the name it was asked by."""
    names = {m: our_name(m, **options) for m in measures}
    found = cf.evaluate(c.qrels, {"ours": c.run}, list(names), **options).to_dict()["ours"]
    return {t: {m: by_name[names[m]] for m in names} for t, by_name in found.items()}


@cache
def our_name(measure: str, **options: Any) -> str:
    """The canonical name of a measure under the options of an evaluation."""
    return str(cf.Evaluator({"q": {"d": 0}}, measure, **options).measures[0])


def assert_agree(
    c: Collection,
    ours: Nested,
    theirs: Mapping[str, Mapping[str, float]],
    names: Mapping[str, str],
    within: float,
) -> int:
    """Fail with the first lists that differ; the number of values compared.

    `names` are our measures by the peer's names.
    """
    wrong, compared = [], 0
    for topic, by_name in theirs.items():
        for their_name, our_name in names.items():
            a, b = ours[topic][our_name], by_name[their_name]
            compared += 1
            if not abs(a - b) <= within:
                wrong.append(f"{our_name} of topic {topic}: ours {a!r}, {their_name} {b!r}\n  {c.shown(topic)}")
    assert not wrong, f"{len(wrong)} of {compared} values differ\n" + "\n".join(wrong[:3])
    return compared


# -- pytrec_eval --------------------------------------------------------------------------------

CUTOFFS = (1, 2, 3, 5, 10, 20, 1000)
RECALLS = [i / 10 for i in range(11)]
MULTIPLES = [i / 5 for i in range(1, 11)]  # of R
CUT = {"P": "P", "recall": "Recall", "success": "Success", "relative_P": "RelP"}
BINARY = {"map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "infAP": "infAP", "binG": "binG"}
BINARY |= {"set_P": "SetP", "set_recall": "SetRecall", "set_F": "SetF", "set_map": "SetAP"}
BINARY |= {"set_relative_P": "SetRelP", "utility": "Utility"}
BINARY |= {"num_q": "NumQ", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet"}
BINARY |= {f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in CUT.items() for k in CUTOFFS}
BINARY |= {f"map_cut_{k}": f"AP(norm=R)@{k}" for k in CUTOFFS}
BINARY |= {f"Rprec_mult_{m:.2f}": f"Rprec(mult={m}, reach=trec9)" for m in MULTIPLES}
GRADED = {"ndcg": "nDCG", "G": "G", "ndcg_rel": "nDCGrel", "Rndcg": "RnDCG"}
GRADED |= {f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTOFFS}
# A level below 0 is judged nonrelevant here and unjudged in trec_eval, which matters to these.
JUDGED = {"bpref": "bpref", "num_nonrel_judged_ret": "NumNonRelRet"}
TREC_NAMES = BINARY | GRADED | JUDGED


def curve(reach: str) -> dict[str, str]:
    """The recall-precision curve: trec_eval 9 and 10 decide differently if a recall is reached."""
    points = {f"iprec_at_recall_{i:.2f}": f"IPrec(reach={reach})@{i:g}" for i in RECALLS}
    return points | {"11pt_avg": f"AP11(reach={reach})"}


GEOMETRIC = {"gm_map": "GMAP", "gm_bpref": "GMbpref"}
TREC_9, TREC_10 = TREC_NAMES | curve("trec9"), TREC_NAMES | curve("nearest")
TREC_10_ONLY = {"yaap": "YAAP", "dcg": "DCG", "ideal_dcg": "DCG.ideal"}
TREC_10_ONLY |= {f"unj_{k}": f"Unjudged@{k}" for k in CUTOFFS}


def pytrec(c: Collection, names: Iterable[str], level: int = 1, judged_only: bool = False) -> Any:
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(
        c.peer_qrels(), set(names), relevance_level=level, judged_docs_only_flag=judged_only
    )
    found = evaluator.evaluate(c.peer_run())
    assert set(found) == set(c.answered)
    return found


def top(docs: Mapping[str, float], k: int) -> dict[str, float]:
    """The first k documents in trec_eval's order: falling scores, in ties falling names."""
    return {d: docs[d] for d in sorted(docs, key=lambda d: (docs[d], d), reverse=True)[:k]}


# -- ir-measures --------------------------------------------------------------------------------


def ir_measures_values(c: Collection, qrels: Nested, *groups: Iterable[Any]) -> Nested:
    """Group by group: ir-measures 0.4.3 hands a measure that sets neither gains nor judged_only
    to the first call of pytrec_eval at hand, whatever gains that call has been given."""
    import ir_measures as im

    theirs: Nested = {}
    for measures in groups:
        for metric in im.iter_calc(list(measures), qrels, c.peer_run()):
            theirs.setdefault(metric.query_id, {})[str(metric.measure)] = metric.value
    return theirs


# -- trec_eval ----------------------------------------------------------------------------------


def trec_files(c: Collection, folder: Path) -> tuple[Path, Path]:
    """The collection as TREC files, scores to the last bit, ranks of no meaning."""
    lines = {
        "qrels": (f"{t} 0 {d} {x}\n" for t, j in c.qrels.items() for d, x in j.items()),
        "run": (f"{t} Q0 {d} 1 {s!r} tag\n" for t, r in c.run.items() for d, s in r.items()),
    }
    for name, of in lines.items():
        (folder / name).write_text("".join(of), encoding="utf-8", newline="")
    return folder / "qrels", folder / "run"
