"""Measures, and collections of any shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures.base import MEASUREMENTS
from cranfield.measures.cwl import list_models
from tests.made import examples

Lists = dict[str, dict[str, float]]

BUILT_IN = {
    c.__name__: c for c in cf.REGISTRY.values() if c.__module__.startswith("cranfield.measures") and c.takes == "lists"
}

USER_MODELS = {name: c for name, c in BUILT_IN.items() if issubclass(c, cf.UserModel)}
UNIT_GAINS = {name for name, c in list_models().items() if c.unit_gains}  # gains must be from 0 to 1

few = settings(max_examples=examples(20))
many = settings(max_examples=examples(40))


# -- measures ---------------------------------------------------------------------------------

GRADED: list[dict[str, Any]] = [{}, {"gain": "exp"}, {"gain": "binary"}, {"rel": 2.0}]
BINARY: list[dict[str, Any]] = [{}, {"rel": 2.0}, {"rel": 1.5}, {"rel": 0.0}]
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "P": BINARY,
    "AP": [*BINARY, {"norm": "R"}],
    "Q": [*GRADED, {"beta": 0.0}, {"beta": 10.0, "rel": 1.0}, {"gain": "exp", "rel": 2.0}],
    "nDCG": [*GRADED, {"discount": "jk"}, {"discount": "jk", "b": 10.0}, {"gain": "exp", "rel": 1}],
    "ERR": [{}, {"prob": "linear"}, {"max_level": 4.0}, {"prob": "linear", "gain": "exp"}],
    "RBP": [*GRADED, {"p": 0.95}, {"max_level": 1.0}, {"gain": "exp", "max_level": 5.0}],
    "bpref": BINARY,
    "NCU": [{"stop": s, "utility": u} for s, u in zip(
        ("gu", "rb", "to_rp", "sat", "gu"), ("BR", "P", "BR", "IE", "P"), strict=True)],
    "GAP": [{}, {"thresholds": "level"}, {"max_level": 1.0}],
    "F": [{}, {"alpha": 0.3}],
    "Compat": [{}, {"normalize": False}],
    "INST": [{}, {"T": 3.0}],
    "BPM": [{}, {"T": 2.0, "K": 3.0}],
    "BPMD": [{}, {"T": 2.0, "K": 4.0, "hb": 0.5, "hc": 2.0}],
}  # fmt: skip
TABLES: dict[str, list[dict[str, Any]]] = {
    name: [{"gain": (0.1, 0.3, 1.0)}, {"gain": (0.0, 0.5, 0.5)}]
    if name in UNIT_GAINS
    else [{"gain": (1.0, 3.0, 7.0)}, {"gain": (0.0, 0.5, 2.0)}]
    for name, c in BUILT_IN.items()
    if "gain" in {f.name for f in c.list_parameters()}
}


def fitting(c: type[cf.Measure]) -> dict[str, Any]:
    """What a measure needs to be evaluated on any levels, and soon."""
    few_ranks = {"n": 20} if issubclass(c, cf.UserModel) else {}
    return few_ranks | ({"gain": "unit"} if c.__name__ in UNIT_GAINS else {})


def measures_of(catalogue: dict[str, list[dict[str, Any]]]) -> list[cf.Measure]:
    """Every measure of a catalogue, whole and at two cutoffs, the plain ones also condensed."""
    return [
        BUILT_IN[name](**fitting(BUILT_IN[name]) | chosen, condensed=condensed, cutoff=cutoff)
        for name, all_of in catalogue.items()
        for chosen in all_of
        for condensed in ((False,) if chosen else (False, True))
        for cutoff in ((None, 1, 4) if name != "IPrec" else (None, 0.35))
    ]


EFFECTIVENESS = {name: c for name, c in BUILT_IN.items() if c.effectiveness}
EVERY = measures_of({name: SETTINGS.get(name, [{}]) for name in EFFECTIVENESS})
EVERY_TABLE = measures_of(TABLES)
EACH = [  # one of each, for tests that take long
    *(c(**fitting(c), cutoff=4 if i % 2 and c is not cf.IPrec else None)
      for i, c in enumerate(EFFECTIVENESS.values())),
    *map(cf.parse_measure, ("AP(condensed=true)", "nDCG(gain=exp)@1", "RBP(rel=0)", "P(rel=1.5)")),
]  # fmt: skip
EACH_MODEL = [  # all that user models measure, some at a cutoff
    c(n=20, cutoff=4 if i % 3 == 2 else None, measurement=measurement)
    for i, c in enumerate(dict.fromkeys(list_models().values()))
    for measurement in MEASUREMENTS
]


# -- collections ------------------------------------------------------------------------------


def order(ranked: dict[str, float]) -> list[str]:
    """trec_eval's order: score, then document id, both descending."""
    return sorted(ranked, key=lambda d: (ranked[d], d.encode()), reverse=True)


LEVELS = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 1.5, 2.0, 3.0])
WHOLE = st.sampled_from([-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0])
UNIT = st.sampled_from([-1.0, 0.0, 0.0, 0.2, 0.25, 0.5, 0.9, 1.0])  # gains from 0 to 1
DOCS = [f"d{i}" for i in range(16)]


Levels = st.SearchStrategy[float]


@st.composite
def topics(draw: st.DrawFn, levels: Levels = LEVELS) -> tuple[Any, Any]:
    """Judgments and a list of one topic, with unjudged documents and ties."""
    judged = draw(st.lists(st.sampled_from(DOCS), unique=True, min_size=1, max_size=10))
    listed = draw(st.lists(st.sampled_from(DOCS), unique=True, max_size=14))
    scores = draw(st.lists(st.integers(0, 9).map(float), min_size=len(listed), max_size=len(listed)))
    return {d: draw(levels) for d in judged}, dict(zip(listed, scores, strict=True))


@st.composite
def collections(draw: st.DrawFn, levels: Levels = LEVELS) -> tuple[Lists, Lists]:
    drawn = draw(st.lists(topics(levels), min_size=1, max_size=4))
    qrels = {f"t{i}": judged for i, (judged, _) in enumerate(drawn)}
    return qrels, {f"t{i}": listed for i, (_, listed) in enumerate(drawn)}


OTHER_DOCS = [f"doc-{i}" for i in range(90)] + ["é", "中文", "😀", "\uff61", "Z", "a"]
PLACES = [f"d{i}" for i in range(len(DOCS), 40)] + [f"missed{i}" for i in range(9)]
LENGTHS = {
    unit: {d: float(7 * i % 311 * i + 40) for i, d in enumerate([*DOCS, *OTHER_DOCS, *PLACES])}
    for unit in ("words", "characters")
}


# Measures, and levels that are gains to them.
either = pytest.mark.parametrize(
    ("measures", "levels"), [(EACH, LEVELS), (EACH_MODEL, UNIT)], ids=["each", "each user model"]
)


def evaluate(qrels: Any, runs: Any, measures: Any, **options: Any) -> cf.Scores:
    """With lengths of all documents, for the measures that need them.

    Levels may be any numbers here: plain judgments are declared, so that they are not compared
    with the scores of runs.
    """
    first = next((x for docs in qrels.values() for x in docs.values()), None) if (isinstance(qrels, dict)) else None
    plain = isinstance(first, int | float)
    judged = cf.read_qrels(qrels) if plain else qrels
    return cf.evaluate(judged, runs, measures, lengths=LENGTHS, **options)


# -- identities -------------------------------------------------------------------------------


def same(a: cf.Scores, b: cf.Scores) -> None:
    """Equal to the last bit."""
    assert a.topics == b.topics
    assert np.array_equal(a.values, b.values, equal_nan=True), np.abs(a.values - b.values).max()


# -- the same bits, wherever the data come from -----------------------------------------------


def trec(run: Lists, tag: str = "r") -> str:
    return "".join(
        f"{t} Q0 {d} {i} {docs[d]!r} {tag}\n" for t, docs in run.items() for i, d in enumerate(order(docs), 1)
    )


def frame_of(run: Lists, value: str = "score") -> pl.DataFrame:
    rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    schema = {"topic": pl.String, "doc": pl.String, value: pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


Give = Callable[[Lists], dict[str, Any]]


def collection(seed: int, n_topics: int, depth: int) -> tuple[Lists, Lists]:
    """Ties, unjudged documents, fractional and negative levels, missing and unjudged topics."""
    rng = np.random.default_rng(seed)
    docs = [f"doc-{i}" for i in range(3 * depth)] + ["é", "中文", "😀", "\uff61", "Z", "a"]
    names = [f"{2000 + i // 3}-{i}" for i in range(n_topics + 2)]
    qrels: Lists = {}
    run: Lists = {}
    for i, name in enumerate(names):
        if i != n_topics:  # the last but one is not judged
            levels = rng.choice([-1, 0, 0, 0, 0.5, 1, 2, 3], size=3 + 5 * i % (2 * depth))
            qrels[name] = {
                str(d): float(x) for d, x in zip(rng.choice(docs, len(levels), replace=False), levels, strict=True)
            }
        if i != 1:  # the second is not answered
            chosen = rng.choice(docs, 1 + (7 * i) % depth, replace=False)
            scores = np.round(rng.normal(size=len(chosen)), 1 + i % 3) * 1e3 ** (i % 2)
            run[name] = {str(d): float(s) for d, s in zip(chosen, scores, strict=True)}
    return qrels, run


QRELS, RUN = collection(seed=1, n_topics=24, depth=30)


UNIT_QRELS = {t: {d: x / 3 for d, x in docs.items()} for t, docs in QRELS.items()}
COSTS = {t: {d: 0.5 + len(d) + i % 3 for i, d in enumerate(docs)} for t, docs in RUN.items()}


# -- topics and what is undefined -------------------------------------------------------------

HOLES: Lists = {"a": {"x": 1}, "b": {"x": 0}, "c": {"y": 2, "x": 0}}
HOLES_RUN: Lists = {"a": {"x": 1.0}, "b": {"x": 1.0}, "z": {"x": 1.0}}
