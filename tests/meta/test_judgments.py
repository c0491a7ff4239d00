"""Two sets of judgments compared: overlap, agreement, rankings of runs, changed significances."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.meta.judgments import JudgmentComparison, Overlap, compare_judgments
from tests.evidence import checks
from tests.made import Command, examples, rows_of

Judged = dict[str, dict[str, Any]]
PEOPLE: Judged = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}}
LLM: Judged = {"q1": {"a": 2, "b": 1, "c": 1, "x": 0}, "q2": {"e": 0}, "q3": {"f": 1}}
TOPICS = [f"t{i}" for i in range(8)]
RUNS = {name: {t: {name: 1.0} for t in TOPICS} for name in "abc"}  # each returns one document


def found(**relevant: int) -> Judged:
    """Judgments by which a run, which returns the document of its name, has P@1 = 1 so often.

    a is relevant in the first topics, the others in the last ones: of a and b with 5 and 3 of 8,
    a wins 5 topics and b 3.
    """
    return {
        t: {name: int(i < often if name == "a" else i >= len(TOPICS) - often) for name, often in relevant.items()}
        for i, t in enumerate(TOPICS)
    }


def notes(comparison: JudgmentComparison) -> str:
    return "\n".join(note.text for note in comparison.notes)


# Overlap and agreement


@checks("cf.meta.compare_judgments", against="by hand")
def test_overlap_by_hand() -> None:
    """Both judged a, b, c and e; only people d; only the model x and f."""
    compared = compare_judgments(PEOPLE, LLM, names=("people", "llm"))
    assert compared.items == Overlap(4, 1, 2)
    assert compared.topics == Overlap(2, 0, 1)
    assert compared.by_topic["q1"] == Overlap(3, 0, 1)
    assert compared.by_topic["q3"] == Overlap(0, 0, 1)
    assert compared.relevant == (3, 4)  # a, c, d; a, b, c, f
    assert compared.judged == (5, 6)
    assert compared.rankings == ()
    assert compared.test is None


def test_agreement_by_hand() -> None:
    """Levels 2, 0, 1, 0 and 2, 1, 1, 0 of a, b, c, e.

    Levels: agreement 3/4; by chance (2·1 + 1·2 + 1·1)/16 = 5/16; κ = (12 − 5)/(16 − 5) = 7/11.
    Relevant: 3/4 again; chance (2·1 + 2·3)/16 = 1/2; κ = 1/2.
    """
    compared = compare_judgments(PEOPLE, LLM)
    assert compared.levels is not None
    assert compared.binary is not None
    assert compared.levels["agreement"] == 0.75
    assert compared.levels["kappa"] == pytest.approx(7 / 11)
    assert compared.levels.pairs[0].confusion.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert compared.binary["kappa"] == pytest.approx(1 / 2)


def test_relevant_from_another_level() -> None:
    """From 2 both find a relevant and nothing else."""
    compared = compare_judgments(PEOPLE, LLM, rel=2)
    assert compared.binary is not None
    assert compared.binary["kappa"] == 1.0
    assert compared.relevant == (1, 1)


def test_topics_one_by_one() -> None:
    compared = compare_judgments(PEOPLE, LLM, per_topic=True)
    assert compared.levels is not None
    assert compared.levels.topics["q1"]["agreement"] == pytest.approx(2 / 3)
    assert compared.levels.topics["q2"]["agreement"] == 1.0
    topics = next(sheet for sheet in compared._build_tables() if sheet.name == "topics")
    assert [row["agreement"] for row in topics.rows] == [pytest.approx(2 / 3), 1.0, None]


def test_letters_and_scales() -> None:
    letters = {"q": {"a": "A", "b": "C"}}
    compared = compare_judgments(letters, {"q": {"a": "B", "b": "C"}}, labels="A=2,B=1,C=0")
    assert compared.levels is not None
    assert compared.levels["agreement"] == 0.5
    assert compared.ranges == ((0.0, 2.0), (0.0, 1.0))
    assert "levels are 0 to 2 by first and 0 to 1 by second" in notes(compared)
    assert "levels are" not in notes(compare_judgments(PEOPLE, PEOPLE))


levels = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=1)
judgments = st.fixed_dictionaries({"q1": levels, "q2": levels}).filter(
    lambda judged: len({x for docs in judged.values() for x in docs.values()}) > 1
)


@given(judgments)
def test_a_set_agrees_with_itself(judged: Judged) -> None:
    compared = compare_judgments(judged, judged)
    assert compared.levels is not None
    assert compared.levels["kappa"] == compared.levels["agreement"] == 1.0
    assert compared.items.first == compared.items.second == 0
    assert compared.notes == () or "nan" in notes(compared)


@given(judgments, judgments)
def test_compare_judgments_swapped_sets_give_mirrored_result(first: Judged, second: Judged) -> None:
    if not any(first[q].keys() & second[q].keys() for q in first):
        with pytest.raises(CranfieldError, match="no document is judged in both"):
            compare_judgments(first, second)
        return
    one, other = compare_judgments(first, second), compare_judgments(second, first)
    assert one.levels is not None
    assert other.levels is not None
    assert (one.items.first, one.items.second) == (other.items.second, other.items.first)
    for name in ("agreement", "kappa", "kappa_quadratic", "alpha_ordinal"):
        assert one.levels[name] == pytest.approx(other.levels[name], nan_ok=True)


# Runs


def test_rankings_by_hand() -> None:
    """The first ranking is a, b, c, the second b, a, c.

    τ = (2 − 1)/3. τ_ap = 2/2 · (0/1 + 2/2) − 1 = 0. The overlaps are 0, 2 and 3, so
    RBO = 0.1/0.9 · (0 + 0.81 + 0.729) + 0.729 = 0.9.
    """
    compared = compare_judgments(found(a=8, b=4, c=0), found(a=4, b=8, c=0), RUNS, "P@1", trials=100)
    ranking = compared.rankings[0]
    assert [(x.run, x.means, x.ranks) for x in ranking.runs] == [
        ("a", (1.0, 0.5), (1, 2)),
        ("b", (0.5, 1.0), (2, 1)),
        ("c", (0.0, 0.0), (3, 3)),
    ]
    assert [x.rise for x in ranking.runs] == [-1, 1, 0]
    assert ranking.correlations["kendall"].mean == pytest.approx(1 / 3)
    assert ranking.correlations["tau-ap"].mean == pytest.approx(0.0, abs=1e-12)
    assert ranking.correlations["rbo"].mean == pytest.approx(0.9)
    assert (ranking.topics, compared.test, compared.trials) == (8, "randomised-tukey", 100)


def test_the_first_judgments_are_gold() -> None:
    """Evaluated a, c, b against gold a, b, c: τ_ap = 2/2 · (1/1 + 1/2) − 1 = 1/2; the other way
    round it is the same, so a case in which it is not: gold b, c, a and evaluated a, b, c gives
    2/2 · (0/1 + 1/2) − 1 = −1/2, gold a, b, c and evaluated b, c, a gives (1/1 + 0/2) − 1 = 0.
    """
    abc, bca = found(a=8, b=4, c=1), found(a=1, b=8, c=4)
    there = compare_judgments(bca, abc, RUNS, "P@1", trials=10).rankings[0]
    back = compare_judgments(abc, bca, RUNS, "P@1", trials=10).rankings[0]
    assert there.correlations["tau-ap"].mean == pytest.approx(-1 / 2)
    assert back.correlations["tau-ap"].mean == pytest.approx(0.0, abs=1e-12)


# The sign test of 8 topics: 8 wins and 0 losses have p = 2/256, 5 and 3 have
# 2 (1 + 8 + 28 + 56)/256 = 0.73. 4 and 4 are a tie.
@pytest.mark.parametrize(
    ("first", "second", "kind", "significant", "changed"),
    [
        ((8, 0), (8, 0), "active agreement", (True, True), False),
        ((8, 0), (5, 3), "mixed agreement", (True, False), True),
        ((3, 5), (0, 8), "mixed agreement", (False, True), True),
        ((8, 0), (4, 4), "mixed agreement", (True, False), True),
        ((5, 3), (5, 3), "passive agreement", (False, False), False),
        ((5, 3), (3, 5), "passive disagreement", (False, False), False),
        ((8, 0), (3, 5), "mixed disagreement", (True, False), True),
        ((8, 0), (0, 8), "active disagreement", (True, True), True),
    ],
)
def test_kinds_of_agreement(
    first: tuple[int, int],
    second: tuple[int, int],
    kind: Any,
    significant: tuple[bool, bool],
    changed: bool,
) -> None:
    two = {name: RUNS[name] for name in "ab"}
    one, other = (found(a=a, b=b) for a, b in (first, second))
    ranking = compare_judgments(one, other, two, "P@1", test="sign").rankings[0]
    (pair,) = ranking.pairs
    assert (pair.kind, pair.significant, pair.changed) == (kind, significant, changed)
    assert ranking.count(kind, significant) == ranking.count(kind) == 1
    not_so = (not significant[0], significant[1])
    assert ranking.count(kind, not_so) == 0


def test_lower_is_better() -> None:
    """E is 0 for a run that returns the relevant document only, 1 for one that does not."""
    qrels = {t: {"x": 1, "y": 0} for t in TOPICS}
    runs = {"bad": {t: {"y": 9.0} for t in TOPICS}, "good": {t: {"x": 9.0} for t in TOPICS}}
    ranking = compare_judgments(qrels, qrels, runs, "E", trials=10).rankings[0]
    assert [(x.run, x.means) for x in ranking.runs] == [("good", (0.0, 0.0)), ("bad", (1.0, 1.0))]
    assert ranking.correlations["kendall"].mean == 1.0


def test_compare_judgments_undefined_topics_excluded_with_note() -> None:
    """By the second judgments nothing is relevant for t0."""
    first, second = found(a=8, b=4, c=2), found(a=8, b=4, c=2)
    second["t0"] = dict.fromkeys("abc", 0)
    compared = compare_judgments(first, second, RUNS, "AP", undefined="skip", trials=10)
    assert compared.rankings[0].topics == 7
    assert "AP: 1 topic (t0) excluded, undefined for a run" in notes(compared)
    counted = compare_judgments(first, second, RUNS, "AP", trials=10)
    assert counted.rankings[0].topics == 8


def test_compare_judgments_unshared_topics_excluded_with_note() -> None:
    first, second = found(a=8, b=4, c=2), found(a=8, b=4, c=2)
    del second["t7"]
    second["other"] = {"a": 1}
    compared = compare_judgments(first, second, RUNS, "P@1", names=("x", "y"), trials=10)
    assert compared.rankings[0].topics == 7
    assert "1 topic (t7) judged only by x" in notes(compared)
    assert "1 topic (other) judged only by y" in notes(compared)


def test_compare_judgments_measure_without_direction_raises() -> None:
    qrels = found(a=8, b=4, c=2)
    compared = compare_judgments(qrels, qrels, RUNS, "P@1 NumRet", trials=10)
    assert [ranking.measure for ranking in compared.rankings] == ["P@1"]
    assert "NumRet excluded" in notes(compared)
    with pytest.raises(CranfieldError, match="no measure can rank the runs"):
        compare_judgments(qrels, qrels, RUNS, "NumRet")


def test_one_run_has_means_and_no_pairs() -> None:
    ranking = compare_judgments(PEOPLE, LLM, {"q1": {"a": 1.0}}, "P@1").rankings[0]
    assert [x.means for x in ranking.runs] == [(0.5, 0.5)]
    assert ranking.pairs == ()
    assert ranking.correlations == {}


def test_common_documents_only() -> None:
    """As evaluating by the documents of both does; without, the model's x and people's d count."""
    run = {"q1": {"x": 3.0, "b": 2.0, "a": 1.0}, "q2": {"d": 2.0, "e": 1.0}}
    llm = {"q1": {"a": 2, "b": 1, "x": 1}, "q2": {"e": 1}}
    for common, first, second in (
        (False, PEOPLE, llm),
        (True, {"q1": {"a": 2, "b": 0}, "q2": {"e": 0}}, {"q1": {"a": 2, "b": 1}, "q2": {"e": 1}}),
    ):
        compared = compare_judgments(PEOPLE, llm, run, "AP", common=common)
        expected = tuple(cf.evaluate(q, run, "AP").mean()["run"]["AP"] for q in (first, second))
        assert compared.rankings[0].runs[0].means == expected
        assert compared.common == common


def test_common_topics_without_a_common_document() -> None:
    first, second = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1}, "q2": {"c": 1}}
    compared = compare_judgments(first, second, {"q1": ["a"]}, "P@1", common=True)
    assert compared.rankings[0].topics == 1
    assert "1 topic (q2) without a document judged by both" in notes(compared)


def test_same_seed_same_p_on_any_number_of_threads() -> None:
    sets = found(a=8, b=4, c=2), found(a=6, b=5, c=3)
    one, two = (compare_judgments(*sets, RUNS, "P@1", trials=500, seed=3, threads=n).rankings[0] for n in (1, 2))
    assert [[t.pvalue for t in p.tests] for p in one.pairs] == [[t.pvalue for t in p.tests] for p in two.pairs]
    assert one.correlations == two.correlations


@settings(max_examples=examples(5))
@given(st.lists(st.integers(0, 8), min_size=3, max_size=3))
def test_compare_judgments_equal_sets_change_no_rank(often: list[int]) -> None:
    qrels = found(**dict(zip("abc", often, strict=True)))
    ranking = compare_judgments(qrels, qrels, RUNS, "P@1", trials=50).rankings[0]
    assert all(x.rise == 0 for x in ranking.runs)
    assert not any(pair.changed or pair.reversed for pair in ranking.pairs)


def test_compare_judgments_p_near_alpha_has_note() -> None:
    """5 wins and 3 losses have p = 0.73, which ten trials do not tell from 0.7."""
    two = {name: RUNS[name] for name in "ab"}
    qrels = found(a=5, b=3)
    near = compare_judgments(qrels, qrels, two, "P@1", alpha=0.7, trials=10)
    assert "P@1: 2 p-values too close to 0.7 to decide. Use more trials." in notes(near)
    far = compare_judgments(qrels, qrels, two, "P@1", alpha=0.01, trials=10_000)
    assert "either side" not in notes(far)


def test_compare_judgments_constant_measure_has_note() -> None:
    """By the second judgments nothing that a run returns is relevant."""
    none = {t: {"z": 1, "a": 0} for t in TOPICS}
    texts = notes(compare_judgments(found(a=5, b=3, c=1), none, RUNS, "P@1", trials=5))
    assert "by second: P@1 cannot rank the runs: all have the same mean" in texts
    assert "only 3 runs: their rankings can easily agree by chance" in texts
    both = notes(compare_judgments(none, none, RUNS, "P@1", trials=5))
    assert both.count("P@1 cannot rank the runs") == 1
    assert "by first" not in both


def test_geometric_means_agree_with_their_differences() -> None:
    """ln AP: x has ln 1 and ln 1/100, y ln 1/3 twice: y − x = ln 1/3 + ln 10 = 1.2040."""
    fill = [f"n{i}" for i in range(99)]
    qrels = {"0": {"a": 1}, "1": {"a": 1}}
    runs = {
        "x": {"0": ["a"], "1": [*fill, "a"]},
        "y": {"0": ["n1", "n2", "a"], "1": ["n1", "n2", "a"]},
    }
    [ranking] = compare_judgments(qrels, qrels, runs, "gm_map", trials=5).rankings
    assert [run.run for run in ranking.runs] == ["y", "x"]
    [pair] = ranking.pairs
    assert pair.runs == ("x", "y")
    assert pair.differences == pytest.approx([-1.2040] * 2, abs=5e-5)


def test_the_level_asked_for_is_that_of_measures() -> None:
    qrels = {"1": {"a": 1, "b": 2}}
    compared = compare_judgments(qrels, qrels, {"x": {"1": ["a", "b"]}}, "P@1", rel=2)
    assert compared.rankings[0].runs[0].means == (0, 0)


def test_compare_judgments_different_scales_have_note() -> None:
    compared = compare_judgments({"1": {"a": 1, "b": 0}}, {"1": {"a": 1, "b": 1}})
    assert [note.text for note in compared.notes if note.kind == "scales"] == [
        "levels are 0 to 1 by first and 1 to 1 by second, compared as numbers"
    ]


def test_compare_judgments_shared_notes_appear_once() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    runs = {"x": {"1": ["a"]}, "y": {"1": ["b"], "2": ["a"]}}
    texts = [note.text for note in compare_judgments(qrels, qrels, runs, "P@1").notes]
    assert [text for text in texts if "missing" in text] == ["x: 1 topic (2) missing, scored as empty"]


def test_repr_is_one_line() -> None:
    """Four documents judged in both, of which b has another level."""
    compared = compare_judgments(PEOPLE, LLM)
    assert compared.levels is not None
    kappa = compared.levels["kappa"]
    assert repr(compared) == (f"JudgmentComparison of first and second, 4 documents judged in both: κ {kappa:.4f}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"names": ("x", "x")}, "two different names"),
        ({"names": "people"}, "two different names"),
        ({"alpha": 1.5}, "found alpha=1.5, expected a number between 0 and 1"),
        ({"second": {"q9": {"a": 1}}}, "first and second have no topic in common"),
        ({"second": {"q1": {"z": 1}}}, "no document is judged in both"),
        ({"second": {"q1": {"a": "A"}}}, "level 'A'"),
    ],
)
def test_compare_judgments_invalid_arguments_raise(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(CranfieldError, match=said):
        compare_judgments(PEOPLE, **{"second": LLM, **arguments})


# The command


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, qrels in (("people", found(a=8, b=2, c=0)), ("llm", found(a=4, b=7, c=0))):
        rows = [f"{t} 0 {d} {x}\n" for t, docs in qrels.items() for d, x in docs.items()]
        Path(f"{name}.txt").write_text("".join(rows))
    for name, run in RUNS.items():
        rows = [f"{t} Q0 {doc} 1 1.0 {name}\n" for t, docs in run.items() for doc in docs]
        Path(f"{name}.run").write_text("".join(rows))
    return tmp_path


@pytest.fixture
def command(cranfield: Command) -> Command:
    return cranfield.of("meta", "judgments")


ALL = ("people.txt", "llm.txt", "a.run", "b.run", "c.run", "-m", "P@1", "--trials", "200")


def test_command_shows_tables(files: Path, command: Command) -> None:
    out = command.printed(*ALL)
    assert "24 documents of 8 topics judged both by people.txt and by llm.txt" in out
    assert "people.txt ↓ llm.txt →" in out
    assert "randomised Tukey HSD test, 200 trials, seed 0, α = 0.05" in out
    assert "P@1      active agreement" in out
    differences = [line.split()[1:5] for line in out.splitlines()]
    assert ["a", "c", "+1.0000", "+0.5000"] in differences  # 8 − 0 and 4 − 0 of 8


def test_command_without_runs(files: Path, command: Command) -> None:
    out = command.printed("people.txt", "llm.txt", "--names", "us,them", "-q")
    assert "only us" in out
    assert "rank" not in out


def test_command_machine_readable_output(files: Path, command: Command) -> None:
    rows = rows_of(command.printed(*ALL, "-f", "csv"))
    assert {"mean_first", "mean_second"} <= rows[0].keys()
    assert [(row["run"], row["rank_first"], row["rank_second"]) for row in rows] == [
        ("a", "1", "2"), ("b", "2", "1"), ("c", "3", "3"),
    ]  # fmt: skip
    document = json.loads(command.printed(*ALL, "-f", "json"))
    assert {"overlap", "agreement", "confusion", "runs", "rankings", "pairs"} <= document.keys()
    assert sum(row["pairs"] for row in document["significance"]) == len(document["pairs"]) == 3
    assert all(row["pvalue_first"] > 0 for row in document["pairs"])
    assert document["settings"] == {
        **{
            "names": ["people.txt", "llm.txt"],
            "rel": 1.0,
            "common": False,
            "test": "randomised-tukey",
        },
        **{"correction": "none", "alpha": 0.05, "trials": 200, "seed": 0, "confidence": 0.95},
    }
    assert document["rankings"][0]["kendall"] == pytest.approx(1 / 3)
    for format in ("markdown", "latex", "tsv", "jsonl"):
        assert "agreement" in command.printed(*ALL, "-f", format, "--table", "agreement")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("people.txt", "people.txt"), "two different names"),
        (("people.txt", "llm.txt", "-"), "standard input (-) cannot be a run"),
        (("people.txt", "llm.txt", "a.run", "--confidence", "95"), "found confidence=95"),
        (
            ("people.txt", "llm.txt", "--table", "runs"),
            "found table runs, expected a table of this result: overlap",
        ),
        (("people.txt", "llm.txt", "-m", "AP"), "-m requires runs: QRELS QRELS2 RUN…"),
        (("people.txt", "llm.txt", "--test", "t"), "--test requires runs: QRELS QRELS2 RUN…"),
        (("people.txt", "llm.txt", "--common"), "--common requires runs: QRELS QRELS2 RUN…"),
        (("people.txt", "nothing.txt"), "cannot read nothing.txt"),
    ],
)
def test_command_invalid_options_raise(files: Path, arguments: Sequence[str], said: str, command: Command) -> None:
    assert said in command.refused(*arguments)


def test_a_caption_says_that_all_outcomes_were_enumerated() -> None:
    """Three topics can be swapped in 8 ways: no trial is random, and no seed is told."""
    qrels = {t: {"a": 1, "b": 0} for t in "123"}
    runs = {"x": {t: ["a", "b"] for t in "123"}, "y": {t: ["b", "a"] for t in "123"}}
    found = compare_judgments(qrels, qrels, runs, "RR")
    captions = " ".join(sheet.caption for sheet in found._build_tables())
    assert "paired randomisation test, all outcomes enumerated, α = 0.05" in captions
    assert "trials, seed" not in captions
