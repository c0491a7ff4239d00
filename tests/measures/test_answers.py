"""Measures of answers: worked numbers, the equations written again, SQuAD's words, rouge-score."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures.texts import (
    build_reader,
    count_common_subsequence,
    get_tokeniser,
    normalise_words,
)
from tests.evidence import checks
from tests.made import examples

few = settings(max_examples=examples(80))
HALVES = st.sampled_from([0, 0.5, 1])
NUGGETS = st.lists(st.tuples(st.sampled_from(["vital", "okay"]), HALVES), max_size=8)
SENTENCES = st.lists(st.lists(HALVES, max_size=4), max_size=6)
JUDGED = [("vital", 1), ("vital", 0.5), ("okay", 1), ("okay", 0), ("okay", 0)]
CITED = [[1, 0.5], [0], [], [0.5, 1, 0]]


def same(ours: float, theirs: Fraction | float | None) -> bool:
    """Whether a score is a fraction, or both are undefined."""
    return math.isnan(ours) if theirs is None else ours == pytest.approx(float(theirs), abs=1e-15)


# -- nuggets --------------------------------------------------------------------------------------


@checks("NuggetA", "NuggetV", "NuggetW", against="by hand")
@pytest.mark.parametrize(
    ("measure", "score"),
    [
        ("NuggetA", 0.5),
        ("NuggetV", 0.75),
        ("NuggetW", 4 / 7),
        ("NuggetA(strict=true)", 0.4),
        ("NuggetV(strict=true)", 0.5),
        ("NuggetW(strict=true)", 3 / 7),
    ],
)
def test_nuggets_by_hand(measure: str, score: float) -> None:
    """Vital 1 and ½, okay 1, 0 and 0: W is (1.5 + 0.5) / (2 + 1.5)."""
    assert cf.parse_measure(measure)(JUDGED) == pytest.approx(score)


def test_a_perfect_answer_without_okay_nuggets() -> None:
    assert cf.NuggetW()([("vital", 1), ("vital", 1)]) == 1.0


@pytest.mark.parametrize("strict", [False, True])
def test_what_is_undefined_without_nuggets(strict: bool) -> None:
    assert all(math.isnan(m(strict=strict)([])) for m in (cf.NuggetA, cf.NuggetV, cf.NuggetW))
    assert math.isnan(cf.NuggetV(strict=strict)([("okay", 1)]))
    assert cf.NuggetW(strict=strict)([("okay", 1)]) == 1.0


@checks("NuggetA", "NuggetV", "NuggetW", against="second writing")
@few
@given(NUGGETS, st.booleans())
def test_nuggets_written_again(judged: list[tuple[str, float]], strict: bool) -> None:
    halves = [(name, Fraction(s) if not strict else Fraction(s == 1)) for name, s in judged]
    vital = [s for name, s in halves if name == "vital"]
    okay = [s for name, s in halves if name == "okay"]
    every = vital + okay
    a = sum(every) / len(every) if every else None
    v = sum(vital) / len(vital) if vital else None
    weights = len(vital) + Fraction(1, 2) * len(okay)
    w = (sum(vital) + Fraction(1, 2) * sum(okay)) / weights if weights else None
    assert same(cf.NuggetA(strict=strict)(judged), a)
    assert same(cf.NuggetV(strict=strict)(judged), v)
    assert same(cf.NuggetW(strict=strict)(judged), w)


@checks("SubNarratives", against="by hand")
def test_sub_narratives_by_hand() -> None:
    """Of cost, safety and waste: a vital nugget of cost alone is supported in full."""
    judged = [
        ("vital", 1, "cost"), ("vital", 0, "cost"), ("vital", 0.5, "safety"),
        ("okay", 1, "safety"), ("okay", 1, "waste"), ("vital", 1),
    ]  # fmt: skip
    assert cf.SubNarratives()(judged) == pytest.approx(1 / 3)
    assert math.isnan(cf.SubNarratives()([("vital", 1)]))


SUB_NARRATIVES = st.lists(st.tuples(st.sampled_from(["vital", "okay"]), HALVES, st.sampled_from(["", "x", "y", "z"])))


@checks("SubNarratives", against="second writing")
@few
@given(SUB_NARRATIVES)
def test_sub_narratives_written_again(judged: list[tuple[str, float, str]]) -> None:
    covered: dict[str, bool] = {}
    for importance, support, of in judged:
        if of:
            covered[of] = covered.get(of, False) or (importance == "vital" and support == 1)
    share = Fraction(sum(covered.values()), len(covered)) if covered else None
    assert same(cf.SubNarratives()(judged), share)


# -- citations ------------------------------------------------------------------------------------


@checks("CitationP", "CitationR", "CitationF", against="by hand")
@pytest.mark.parametrize(
    ("measure", "score"),
    [
        ("CitationP", 0.5),
        ("CitationR", 0.375),
        ("CitationR(recall=max)", 0.5),
        ("CitationR(recall=mean)", 0.3125),
        ("CitationF", 3 / 7),
        ("CitationF(recall=max)", 0.5),
        ("CitationF(recall=mean)", 5 / 13),
        ("CitationP(strict=true)", 1 / 3),
        ("CitationR(strict=true)", 0.25),
        ("CitationR(strict=true, recall=max)", 0.5),
        ("CitationR(strict=true, recall=mean)", 5 / 24),
        ("CitationF(strict=true)", 2 / 7),
    ],
)
def test_citations_by_hand(measure: str, score: float) -> None:
    """Strict: [1, 0], [0], [], [0, 1, 0], so that the means are ½, 0, 0 and ⅓."""
    assert cf.parse_measure(measure)(CITED) == pytest.approx(score)


def test_answers_without_citations_and_without_sentences() -> None:
    assert math.isnan(cf.CitationP()([[], []]))
    assert cf.CitationR()([[], []]) == cf.CitationF()([[], []]) == 0.0
    assert all(math.isnan(m()([])) for m in (cf.CitationP, cf.CitationR, cf.CitationF))
    assert cf.CitationF()([[0]]) == 0.0


@checks("CitationP", "CitationR", "CitationF", against="second writing")
@few
@given(SENTENCES, st.sampled_from(["first", "max", "mean"]), st.booleans())
def test_citations_written_again(judged: list[list[float]], recall: str, strict: bool) -> None:
    sentences = [[Fraction(s == 1) if strict else Fraction(s) for s in one] for one in judged]
    every = [s for one in sentences for s in one]
    p = sum(every) / len(every) if every else None
    of: dict[str, Any] = {
        "first": lambda x: x[0], "max": max, "mean": lambda x: sum(x) / len(x)
    }  # fmt: skip
    worth = [of[recall](one) if one else Fraction(0) for one in sentences]
    r = sum(worth) / len(worth) if worth else None
    f = None if r is None else Fraction(0) if not (p and r) else 2 * p * r / (p + r)
    settings = {"recall": recall, "strict": strict}
    assert same(cf.CitationP(strict=strict)(judged), p)
    assert same(cf.CitationR(**settings)(judged), r)  # type: ignore[arg-type]
    assert same(cf.CitationF(**settings)(judged), f)  # type: ignore[arg-type]


# -- rubrics --------------------------------------------------------------------------------------


@checks("Rubric", against="by hand")
def test_rubrics_by_hand() -> None:
    """(5·1 + 3·½ − 4·1) / (5 + 3 + 2), by axis (2.5) / 8 and 0 / 2."""
    judged = [(5, 1, "facts"), (3, 0.5, "facts"), (-4, 1, "facts"), (2, 0, "tone")]
    assert cf.Rubric()(judged) == pytest.approx(0.25)
    assert cf.Rubric(axis="facts")(judged) == pytest.approx(2.5 / 8)
    assert cf.Rubric(axis="tone")(judged) == 0.0
    assert cf.Rubric()([(1, 0), (-3, 1)]) == -3.0
    assert math.isnan(cf.Rubric()([(-3, 1)]))
    assert math.isnan(cf.Rubric(axis="style")(judged))


CRITERIA = st.lists(st.tuples(st.integers(-4, 8), HALVES, st.sampled_from(["facts", "tone"])), max_size=8)


@checks("Rubric", against="second writing")
@few
@given(CRITERIA, st.sampled_from([None, "facts", "style"]))
def test_rubrics_written_again(judged: list[tuple[int, float, str]], axis: str | None) -> None:
    earned = most = Fraction(0)
    for weight, met, of in judged:
        if axis is None or of == axis:
            earned += weight * Fraction(met)
            most += max(weight, 0)
    assert same(cf.Rubric(axis=axis)(judged), earned / most if most else None)


def test_the_mean_of_rubrics_is_clipped_and_answers_are_not() -> None:
    """Scores −3 and 1: their mean −1 is shown as 0, and tests see −3."""
    met = {
        "q1": [{"weight": 1, "met": 0}, {"weight": -3, "met": 1}],
        "q2": [{"weight": 1, "met": 1}],
    }
    scores = cf.evaluate_answers(rubric={"a": met}, measures="Rubric")
    assert scores.summary() == {"a": {"Rubric": 0.0}}
    assert scores["a", "q1", "Rubric"] == -3.0
    assert scores.mean() == scores.summary()
    assert cf.Scores.from_json(scores.to_json()) == scores


# -- short answers --------------------------------------------------------------------------------

WORDS = st.lists(st.sampled_from(["The", "a", "an", "Eiffel", "tower!", "U.S.", "42", "'", "to-day"]))
TEXTS = WORDS.map(" ".join)


def normalised(text: str) -> str:
    """As SQuAD's program has it: lower case, no punctuation, no articles, single blanks."""
    plain = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", plain).split())


def f1(text: str, gold: str) -> float:
    mine, theirs = normalised(text).split(), normalised(gold).split()
    same_words = sum((Counter(mine) & Counter(theirs)).values())
    if not mine or not theirs:
        return float(mine == theirs)
    if not same_words:
        return 0.0
    precision, recall = same_words / len(mine), same_words / len(theirs)
    return 2 * precision * recall / (precision + recall)


@checks("EM", "TokenF1", against="second writing")
@few
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_short_answers_as_squad_has_them(text: str, golds: list[str]) -> None:
    assert cf.EM()(text, golds) == max(normalised(text) == normalised(gold) for gold in golds)
    assert cf.TokenF1()(text, golds) == pytest.approx(max(f1(text, gold) for gold in golds))


@checks("Contains", against="by hand")
@pytest.mark.parametrize(
    ("text", "gold", "there"),
    [
        ("It stands in Paris, France.", "paris", 1.0),
        ("Parisian cafés", "Paris", 0.0),
        ("New-York City", "new york", 0.0),  # the hyphen is dropped, and not a blank
        ("the answer is 42", "The 42", 1.0),
        ("Eiffel's tall tower", "Eiffel tower", 0.0),
        ("anything", "the", 0.0),
        ("a!", "the", 1.0),
    ],
)
def test_contains(text: str, gold: str, there: float) -> None:
    assert cf.Contains()(text, gold) == there


@checks("Contains", against="second writing")
@few
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_contains_written_again(text: str, golds: list[str]) -> None:
    mine, found = normalised(text).split(), False
    for gold in (normalised(one).split() for one in golds):
        starts = range(len(mine) - len(gold) + 1)
        found |= any(mine[i : i + len(gold)] == gold for i in starts) if gold else not mine
    assert cf.Contains()(text, golds) == found


@checks("ROUGEL", against="rouge-score")
@few
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_rouge_l_as_rouge_score(text: str, references: list[str]) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    theirs = RougeScorer(["rougeL"]).score_multi(references, text)["rougeL"]
    for measurement, value in (("recall", theirs.recall), ("precision", theirs.precision),
                               ("F", theirs.fmeasure)):  # fmt: skip
        m = cf.ROUGEL(measurement=measurement)
        assert m(text, references, tokens="rouge-score") == pytest.approx(value, abs=1e-12)


@few
@given(*[st.lists(st.integers(0, 3), max_size=9)] * 2)
def test_the_longest_common_subsequence(a: list[int], b: list[int]) -> None:
    lengths = {(i, j): 0 for i in range(len(a) + 1) for j in range(len(b) + 1)}
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            longer = max(lengths[i, j + 1], lengths[i + 1, j])
            lengths[i + 1, j + 1] = lengths[i, j] + 1 if x == y else longer
    assert count_common_subsequence(a, b) == lengths[len(a), len(b)]


@few
@given(st.text(alphabet="aAnthe bT.,'–_é٣\x00\x1c\t[1]™ﬁ日", max_size=30))
def test_words_are_those_of_the_regular_expression(text: str) -> None:
    """Whichever way is taken: articles next to other signs, and those that are no letters."""
    assert normalise_words(text) == normalised(text).split()


@few
@given(st.lists(st.text(alphabet="aAb .,'–é日韓ﬁ ", max_size=60), max_size=4))
def test_numbers_of_tokens_are_those_of_the_tokeniser(texts: list[str]) -> None:
    """Words that come again are not read again, and are the same numbers."""
    read, names = build_reader("auto"), dict[int, str]()
    for text in [*texts, *texts]:
        tokens = get_tokeniser("auto")(text)
        assert len(tokens) == len(read(text).tokens)
        assert all(names.setdefault(number, token) == token
                   for number, token in zip(read(text).tokens, tokens, strict=True))  # fmt: skip
    assert len({*names.values()}) == len(names)


# -- names and refusals ---------------------------------------------------------------------------


def test_groups_are_names_of_several() -> None:
    assert [str(m) for m in cf.parse_measures("Citations")] == [
        "CitationP", "CitationR", "CitationF"
    ]  # fmt: skip
    named = cf.parse_measures("nuggets NuggetA")
    assert len(named) == 6
    assert cf.parse_measures("short") == cf.parse_measures("EM token_f1 Contains rouge-l")
    assert str(cf.parse_measure("Rubric(axis=deep research)")) == "Rubric(axis=deep research)"


@pytest.mark.parametrize(
    ("measure", "given_", "said"),
    [
        ("NuggetA", [("big", 1)], r"NuggetA: expected \(vital or okay, .*, found \('big', 1\)"),
        ("NuggetA", [("vital", 0.7)], r"expected .*, found \('vital', 0.7\)"),
        ("NuggetA", "vital", "expected .*, found 'vital'"),
        (
            "CitationP",
            [[0.2]],
            r"CitationP: expected a list of 0, 0.5 and 1 for each sentence, found \[0.2\]",
        ),
        ("CitationP", [1], "expected a list of 0, 0.5 and 1 for each sentence, found 1"),
        ("Rubric", [("5", 1)], r"expected \(a weight, .*, found \('5', 1\)"),
        ("Rubric", [(math.inf, 1)], r"expected .*, found \(inf, 1\)"),
    ],
)
def test_what_is_no_judgment_is_refused(measure: str, given_: Any, said: str) -> None:
    with pytest.raises(cf.InputError, match=said):
        cf.parse_measure(measure)(given_)


def test_an_axis_is_a_word() -> None:
    assert cf.parse_measure("Rubric(axis=2)") == cf.Rubric(axis="2")
    for wrong in ("a,b", "", True):
        with pytest.raises(cf.CranfieldError, match=r"axis must be a word .*, found"):
            cf.Rubric(axis=wrong)  # type: ignore[arg-type]
