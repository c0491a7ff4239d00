"""The list of documents that decides a comparison: every completion of small judgments, and options."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.measures.bounds import has_outer_bounds, is_sum
from tests.evaluation.test_unjudged import OTHER, Levels, choices, judged_lists
from tests.made import examples

MEASURES = [
    "P@3", "P", "DCG@3", "DCG", "RBP(p=0.5)", "SetP@2", "DCG(gain=raw)@3",  # sums
    "nDCG@3", "nDCG", "Recall@2", "RR", "Success@1", "nRBP", "nCG@3", "RelP@2",  # exact
    "AP", "AP@3", "ERR@3", "iRBU",  # outer bounds
]  # fmt: skip


def enumerate_differences(measure: str, judged: Levels, lists: list[list[str]]) -> tuple[list[str], Any, Any]:
    """Unjudged documents, all their levels (None: unjudged) and the difference for each completion."""
    m = cf.parse_measure(measure)
    docs = list({doc: 0 for ranked in lists for doc in ranked[: m.cutoff] if doc not in judged})
    every = [*itertools.product([None, *choices(m)], repeat=len(docs))]
    qrels = {
        str(i): judged | {d: x for d, x in zip(docs, levels, strict=True) if x is not None}
        for i, levels in enumerate(every)
    }
    runs = {name: dict.fromkeys(qrels, ranked) for name, ranked in zip("AB", lists, strict=True)}
    values = cf.evaluate(qrels | OTHER, runs, measure).select(topics=[*qrels]).values[:, :, 0]
    return docs, every, values[0] - values[1]


def find_signs(differences: Any) -> set[int]:
    """The signs of differences, 0 for rounding errors."""
    return set(np.where(np.abs(differences) <= 1e-12, 0, np.sign(differences)).astype(int).tolist())


@given(judged_lists(), st.sampled_from(MEASURES))
@settings(max_examples=examples(60), deadline=None)
def test_settle_every_completion_has_the_sign(drawn: tuple[Levels, list[list[str]]], measure: str) -> None:
    """The list decides. A shorter one does not, for sums. No document can be omitted if bounds are exact."""
    judged, lists = drawn
    runs = {name: {"t": ranked} for name, ranked in zip("AB", lists, strict=True)}
    result = cf.settle({"t": judged} | OTHER, runs, "A", "B", measure, topics="t")
    docs, every, differences = enumerate_differences(measure, judged, lists)
    m = cf.parse_measure(measure)

    def list_signs(nonrelevant: Any) -> set[int]:
        places = [docs.index(doc) for doc in nonrelevant]
        rows = [i for i, levels in enumerate(every) if all(levels[p] is None for p in places)]
        return find_signs(differences[rows])

    selection = [document.doc for document in result.documents]
    assert len(list_signs(selection)) == 1
    assert result.low <= differences.min() + 1e-12
    assert result.high >= differences.max() - 1e-12
    if has_outer_bounds(m):
        assert not result.exact
        return
    if is_sum(m):
        shorter: Any = itertools.combinations(docs, max(len(selection) - 1, 0))
    else:
        shorter = ([doc for doc in selection if doc != omitted] for omitted in selection)
    if selection:
        assert all(len(list_signs(nonrelevant)) > 1 for nonrelevant in shorter)
    if is_sum(m):
        check_fewest(result, docs, every, differences)


def check_fewest(result: cf.Settlement, docs: list[str], every: Any, differences: Any) -> None:
    """The smallest number of judgments of any levels after which only one sign is possible."""
    for size in range(len(docs) + 1):
        for places in itertools.combinations(range(len(docs)), size):
            groups: dict[Any, list[int]] = {}
            for i, levels in enumerate(every):
                groups.setdefault(tuple(levels[p] for p in places), []).append(i)
            signs = [find_signs(differences[rows]) for rows in groups.values()]
            if any(len(each) == 1 and each != {0} for each in signs) or all(len(each) == 1 for each in signs):
                assert result.fewest == size
                return
    raise AssertionError("all judgments together decide")


# Ranks 1 to 3: A = a u v, B = w a x. Only a is judged.
QRELS: dict[str, Levels] = {"q": {"a": 1.0}, "r": {"a": 1.0}}
RUNS = {"A": {"q": ["a", "u", "v"], "r": ["a"]}, "B": {"q": ["w", "a", "x"], "r": ["a"]}}


def test_settle_worked_example() -> None:
    """DCG of q: A 1 + u/1.585 + v/2, B w + 1/1.585 + x/2. The mean is half of it: A is ahead by 0.1845.

    w can cost 0.5 and x 0.25: without w, 0.1845 − 0.25 < 0. Both have to be nonrelevant.
    """
    result = cf.settle(QRELS, RUNS, "A", "B", "DCG@3")
    assert result.value == pytest.approx((1 - 1 / np.log2(3)) / 2)
    assert (result.low, result.high) == pytest.approx((result.value - 0.75, result.value + 0.5 / np.log2(3) + 0.25))
    assert [(x.topic, x.doc, x.rank, x.other_rank) for x in result.documents] == [
        ("q", "w", None, 1),
        ("q", "x", None, 3),
    ]
    assert [x.effect for x in result.documents] == pytest.approx([0.5, 0.25])
    # u relevant and w nonrelevant: 0.1845 + 0.3155 − 0.25 > 0. No single judgment decides for A:
    # 0.1845 − 0.75 + 0.5 < 0. None decides for B: 0.1845 + 0.5655 − 0.5 > 0.
    assert (result.fewest, result.unjudged, result.decided) == (2, 4, False)


def test_settle_decided_comparison_has_no_documents() -> None:
    result = cf.settle(QRELS, {"A": {"q": ["a"]}, "B": {"q": ["u", "v", "w", "a"]}}, "A", "B", "P@1", topics="q")
    assert not result.decided
    result = cf.settle({"q": {"a": 1.0, "u": 0.0}}, {"A": {"q": ["a"]}, "B": {"q": ["u"]}}, "A", "B", "P@1")
    assert result.decided
    assert result.fewest == 0


def test_settle_is_symmetric() -> None:
    ours, theirs = (cf.settle(QRELS, RUNS, *pair, "nDCG@3") for pair in (("A", "B"), ("B", "A")))
    assert (ours.low, ours.high) == pytest.approx((-theirs.high, -theirs.low))
    assert [x.doc for x in ours.documents] == [x.doc for x in theirs.documents]


def test_settle_nonrelevant_judgments_decide() -> None:
    """The listed documents, judged nonrelevant, leave nothing to decide, on many topics."""
    made = cf.simulate(topics=12, runs=2, depth=30, seed=3)
    qrels = {t: dict(list(d.items())[::3]) for t, d in made.qrels.items()}
    names = [*made.runs]
    for measure in ("P@10", "nDCG@10", "AP", "RR"):
        result = cf.settle(qrels, made.runs, names[0], names[1], measure)
        completed = {t: dict(d) for t, d in qrels.items()}
        for document in result.documents:
            completed[document.topic][document.doc] = 0
        after = cf.settle(completed, made.runs, names[0], names[1], measure)
        assert after.decided, measure
        assert after.value == pytest.approx(result.value, abs=1e-12)
        effects = [document.effect for document in result.documents]
        assert effects == sorted(effects, reverse=True)


POOL = ("pool", "A.run", "B.run", "--qrels", "qrels", "-m", "DCG@3")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\nr 0 a 1\n")
    for name, rankings in RUNS.items():
        lines = (f"{t} Q0 {d} {i} {9 - i} {name}\n" for t, docs in rankings.items() for i, d in enumerate(docs, 1))
        Path(f"{name}.run").write_text("".join(lines))
    return tmp_path


def test_pool_settle_prints_and_writes_the_list(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*POOL, "--settle", "A", "B", "--to-judge", "todo"]) == 0
    out = capsys.readouterr().out
    assert "Documents whose judgments would decide whether A or B is better by DCG@3" in out
    assert "A − B: +0.1845, between -0.5655 and +0.7500 for all judgments of 4 unjudged documents" in out
    assert Path("todo").read_text() == "q w\nq x\n"
    assert main([*POOL, "--settle", "A.run", "B.run", "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["doc"] for row in document["documents"]] == ["w", "x"]
    assert document["fewest"] == 2


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--settle A B", "--settle requires --qrels"),
        ("--settle A C --qrels qrels", "unknown run 'C'. Runs: A, B"),
        ("--settle A A --qrels qrels", "two different runs"),
        ("--settle A B --qrels qrels -m bpref", "no bounds for bpref"),
        ("--settle A B --qrels qrels --audit 3", "--audit"),
        ("--settle A B --qrels qrels --unjudged out", "--unjudged"),
        ("-m AP", "-m requires --audit N or --settle RUN RUN"),
    ],
)
def test_pool_settle_bad_options_exit_2(
    files: Path, capsys: pytest.CaptureFixture[str], words: str, problem: str
) -> None:
    assert main(["pool", "A.run", "B.run", *words.split()]) == 2
    assert problem in capsys.readouterr().err
