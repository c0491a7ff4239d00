"""Summaries and answers: ROUGE against rouge-score, nuggets by hand, 1CLICK as NTCIREVAL has it."""

from __future__ import annotations

import functools
import gzip
import json
import math
import operator
import re
import sys
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.texts import read_matches, read_nuggets, read_systems, read_texts
from cranfield.evaluation.texts import evaluate_texts
from cranfield.measures.texts import (
    BLEU,
    ROUGE,
    ROUGES,
    ROUGESU,
    NuggetF,
    NuggetRecall,
    Pairs,
    Pourpre,
    Sflat,
    Smeasure,
    Ssharp,
    TextMeasure,
    Tflat,
    Tmeasure,
    Units,
    Words,
    WRecall,
    build_reader,
    find_end,
    get_tokeniser,
    sum_in_order,
)
from tests.evidence import checks
from tests.made import examples

few = settings(max_examples=examples(60))
words = st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat", "Dog-house", "I.B.M.", "42"]))
texts = words.map(" ".join)
words_of_abc = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=9), min_size=1)


def pairs_of(units: Units) -> Counter[tuple[int, int]]:
    """Pairs of numbers, from the one number that stands for both."""
    assert isinstance(units, Pairs)
    counts = zip(units.numbers.tolist(), units.counts.tolist(), strict=True)
    return Counter({divmod(pair, 2**32): count for pair, count in counts})


def both(m: TextMeasure, *given: Any, **settings: Any) -> list[float]:
    """Recall and precision."""
    kinds = ("recall", "precision")
    return [cf.parse_measure(f"{m}.{kind}")(*given, **settings) for kind in kinds]


class TestRouge:
    """Equations 36 to 39 of Sakai (2014)."""

    @checks("ROUGE", against="by hand")
    def test_clipped_counts_by_hand(self) -> None:
        """The reference has the×2, cat, mat; the text the×3, cat, sat. Shared: the×2 and cat."""
        text, reference = "the the the cat sat", "the cat the mat"
        assert ROUGE()(text, reference) == 3 / 4
        assert both(ROUGE(), text, reference) == [3 / 4, 3 / 5]
        # bigrams: the-cat, cat-the, the-mat and the-the×2, the-cat, cat-sat; shared: the-cat
        assert both(ROUGE(n=2), text, reference) == [1 / 3, 1 / 4]

    def test_f_by_hand(self) -> None:
        """P = 3/5, R = 3/4, β = 2: 5·(3/5)·(3/4) / (4·3/5 + 3/4) = (9/4) / (63/20) = 5/7."""
        m = ROUGE(beta=2, measurement="F")
        assert m("the the the cat sat", "the cat the mat") == pytest.approx(5 / 7)

    @checks("ROUGES", against="Lin 2004")
    @pytest.mark.parametrize(
        ("text", "score"),
        [
            ("police kill the gunman", 0.5),
            ("the gunman kill police", 1 / 6),
            ("the gunman police killed", 1 / 3),
            ("gunman the killed police", 0.0),
        ],
    )
    def test_skip_bigrams_of_the_paper(self, text: str, score: float) -> None:
        """Lin (2004), section 5: 0.500, 0.167, 0.333 and 0."""
        assert ROUGES()(text, "police killed the gunman") == pytest.approx(score)

    def test_skip_counts_the_words_between(self) -> None:
        """a b c d with at most one word between: ab bc cd ac bd."""
        found = pairs_of(Words((0, 1, 2, 3)).count_skip_bigrams(1))
        assert found == Counter([(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)])
        assert ROUGES(skip=0, measurement="recall")("a b x", "a b c d") == 1 / 3
        assert ROUGE(n=2)("a b x", "a b c d") == 1 / 3

    @checks("ROUGESU", against="by hand")
    def test_units_of_su_by_hand(self) -> None:
        """3 words make 3 pairs: of 6 units a, b and ab are shared."""
        assert ROUGESU()("a b x", "a b c") == pytest.approx(3 / 6)

    def test_several_references_by_hand(self) -> None:
        """Shared words 1 and 2; recalls 1/1 and 2/4, precisions 1/4 and 2/4.

        F is 2/5 and 1/2: the second is best. Pooled: 3 of 5, and 3 of 8.
        """
        text, references = "a b x y", ["a", "a b c d"]
        assert both(ROUGE(over="best"), text, references) == [0.5, 0.5]
        assert both(ROUGE(over="max"), text, references) == [1.0, 0.5]
        assert both(ROUGE(over="mean"), text, references) == [0.75, 0.375]
        assert both(ROUGE(over="pooled"), text, references) == [0.6, 0.375]

    def test_what_a_name_gives_without_a_suffix(self) -> None:
        text, reference = "a b", "a b c"
        assert ROUGE()(text, reference) == cf.parse_measure("ROUGE.recall")(text, reference)
        assert ROUGES()(text, reference) == cf.parse_measure("ROUGES.F")(text, reference)
        assert cf.parse_measure("ROUGE.F").better == "higher"

    def test_nothing_in_common_and_nothing_at_all(self) -> None:
        for m in (ROUGE(), ROUGE(n=3), ROUGE(n=10**12), ROUGES(skip=10**12), ROUGESU(skip=4)):
            assert m("", "a b") == m("a b", "") == m("", "") == m("x", "y") == 0.0

    @checks("BLEU", against="by hand")
    def test_BLEU_by_hand(self) -> None:
        """the cat sat | the cat was here: p = 2/3, 1/2; of three words there is one trigram, which
        is not there: smoothed 1/2·1/1; no longer N-gram counts. Three words for four: exp(1 − 4/3).
        """
        found = BLEU()("the cat sat", ["the cat was here"])
        assert found == pytest.approx(math.exp(1 - 4 / 3) * (2 / 3 * 1 / 2 * 1 / 2) ** (1 / 3))
        same = "it is a guide to action which ensures that"
        assert BLEU()(same, [same]) == pytest.approx(1)
        both = {"q": "the cat was here"}, {"q": "the cat sat"}
        scores = cf.evaluate_texts(*both, "BLEU", tokens="characters")
        assert scores.values.item() == found  # tokens are sacrebleu's

    def test_BLEU_without_sacrebleu(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sacrebleu", None)
        with pytest.raises(cf.CranfieldError, match=r"BLEU needs sacrebleu .* install .sacrebleu"):
            BLEU()("a", ["b"])

    @checks("ROUGE", against="rouge-score")
    @few
    @given(texts, st.lists(texts, min_size=1, max_size=4), st.sampled_from([1, 2, 3]))
    def test_as_rouge_score(self, text: str, references: list[str], n: int) -> None:
        from rouge_score.rouge_scorer import RougeScorer

        theirs = RougeScorer([f"rouge{n}"]).score_multi(references, text)[f"rouge{n}"]
        ours = both(ROUGE(n=n), text, references, tokens="rouge-score")
        assert ours == pytest.approx([theirs.recall, theirs.precision], abs=1e-12)
        f = ROUGE(n=n, measurement="F")(text, references, tokens="rouge-score")
        assert f == pytest.approx(theirs.fmeasure, abs=1e-12)

    @few
    @given(st.text(max_size=80))
    def test_tokens_as_rouge_score(self, text: str) -> None:
        from rouge_score.tokenize import tokenize

        assert get_tokeniser("rouge-score")(text) == tokenize(text, None)

    @few
    @given(st.lists(st.integers(0, 2), max_size=9), st.none() | st.integers(0, 8))
    def test_skip_bigrams_written_again(self, tokens: list[int], skip: int | None) -> None:
        pairs = Counter(
            (tokens[i], tokens[j])
            for i in range(len(tokens))
            for j in range(i + 1, len(tokens))
            if skip is None or j - i - 1 <= skip
        )
        found = Words(tuple(tokens))
        assert pairs_of(found.count_skip_bigrams(skip)) == pairs
        more = found.count_skip_bigrams(skip, words=True)
        assert more.total() == pairs.total() + len(tokens)

    @checks("ROUGES", "ROUGESU", against="second writing")
    @few
    @given(words, words, st.none() | st.integers(0, 4))
    def test_skip_bigrams_and_words_written_again(self, mine: list[str], theirs: list[str], skip: int | None) -> None:
        def units(tokens: list[str], words: bool) -> Counter[tuple[str, ...]]:
            far = len(tokens) if skip is None else skip + 1
            pairs = [(x, y) for i, x in enumerate(tokens) for y in tokens[i + 1 : i + 1 + far]]
            return Counter([*pairs, *((x,) for x in tokens * words)])

        for m, single in ((ROUGES(skip=skip), False), (ROUGESU(skip=skip), True)):
            a, b = units(mine, single), units(theirs, single)
            both = (a & b).total()
            f = 2 * both / (a.total() + b.total()) if both else 0.0
            assert m(" ".join(mine), " ".join(theirs), tokens="blanks") == pytest.approx(f)

    @checks("BLEU", against="second writing")
    @few
    @given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9), words_of_abc)
    def test_BLEU_written_again(self, mine: list[str], references: list[list[str]]) -> None:
        """Clipped precisions, halved once more for each order that has none; the length of the
        reference that is nearest, of two the shorter.
        """
        logs, halves = [], 0
        for n in range(1, min(4, len(mine)) + 1):
            grams = [Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1)) for x in (mine, *references)]
            most = functools.reduce(operator.or_, grams[1:])
            shared, total = (grams[0] & most).total(), grams[0].total()
            halves += not shared
            logs.append(math.log(shared / total if shared else 1 / 2**halves / total))
        r = min(map(len, references), key=lambda length: (abs(length - len(mine)), length))
        expected = min(1.0, math.exp(1 - r / len(mine))) * math.exp(sum(logs) / len(logs))
        any_word = set(mine) & {x for one in references for x in one}
        found = BLEU()(" ".join(mine), [" ".join(x) for x in references])
        assert found == pytest.approx(expected if any_word else 0.0, abs=1e-12)

    @few
    @given(words, words)
    def test_bounds_and_the_text_itself(self, mine: list[str], theirs: list[str]) -> None:
        text, reference, read = " ".join(mine), " ".join(theirs), build_reader("auto")
        for m in (ROUGE(), ROUGE(n=2), ROUGES(skip=4), ROUGESU()):
            assert 0 <= m(text, reference) <= 1 + 1e-12
            same = m(text, text)
            assert same == pytest.approx(1) or (same == 0 and not m.count_units(read(text)).total())

    def test_one_text_is_counted_for_each_skip_by_itself(self) -> None:
        """skip=0: ab of {ab, bc} and of {ab, bx, xc}, so R = 1/2, P = 1/3 and F = 2/5.

        Without a limit ab, ac, bc are 3 of 3 and of 6: R = 1, P = 1/2, F = 2/3.
        """
        scores = cf.evaluate_texts({"q": "a b c"}, {"q": "a b x c"}, "ROUGES(skip=0) ROUGES")
        assert scores.values[0, 0].tolist() == pytest.approx([2 / 5, 2 / 3])

    def test_pairs_of_long_texts_are_soon_forgotten(self) -> None:
        """300 words are 44,850 pairs of 8 bytes: 60 texts would take 20 MB and more."""
        text = " ".join(f"w{i}" for i in range(300))
        many = {f"q{i}": [text, text] for i in range(20)}
        tracemalloc.start()
        scores = cf.evaluate_texts(many, dict.fromkeys(many, text), "rouge-su")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (scores.values == 1).all()
        assert peak < 10e6


class TestTokens:
    def test_scripts(self) -> None:
        auto = get_tokeniser("auto")
        assert auto("Ｔｏｋｙｏ Ⅳ is ﾄｳｷｮｳ") == ["tokyo", "iv", "is", "ト", "ウ", "キ", "ョ", "ウ"]
        assert auto("日本の首都は東京。") == list("日本の首都は東京")
        assert auto("北京2008年奥运会") == ["北", "京", "2008", "年", "奥", "运", "会"]
        assert auto("서울은 수도") == ["서울은", "수도"]
        assert auto("हिन्दी भाषा") == ["हिन्दी", "भाषा"]  # vowel signs are no ends of words
        assert auto("don't e-mail_me") == ["don", "t", "e", "mail", "me"]
        assert auto("straße ŁÓDŹ") == ["straße", "łódź"]

    def test_choices(self) -> None:
        text = "Dr. Who?  日本"
        assert get_tokeniser("words")(text) == ["dr", "who", "日本"]
        assert get_tokeniser("characters")(text) == ["d", "r", "w", "h", "o", "日", "本"]
        assert get_tokeniser("blanks")(text) == ["Dr.", "Who?", "日本"]
        assert get_tokeniser("rouge-score")(text) == ["dr", "who"]
        assert get_tokeniser(lambda text: text.split("."))(text) == ["Dr", " Who?  日本"]
        with pytest.raises(cf.CranfieldError, match=r"invalid tokens 'stems'. Valid: auto"):
            get_tokeniser("stems")

    def test_japanese_and_chinese_by_hand(self) -> None:
        """東京は首都 of 東京は日本の首都: all 5 characters, of 8."""
        assert both(ROUGE(), "東京は首都", "東京は日本の首都") == [5 / 8, 1.0]
        assert both(ROUGE(), "东京是首都", "东京是日本的首都") == [5 / 8, 1.0]
        # bigrams: 東京 京は は首 首都 against 東京 京は は日 日本 本の の首 首都
        assert both(ROUGE(n=2), "東京は首都", "東京は日本の首都") == [3 / 7, 3 / 4]

    def test_a_function_of_ones_own(self) -> None:
        assert ROUGE()("cats", "cat", tokens=lambda text: [text.rstrip("s")]) == 1.0
        scores = evaluate_texts({"q": "cat"}, {"q": "cats"}, "ROUGE", tokens=lambda t: [t[:3]])
        assert scores["system", "q", "ROUGE"] == 1.0
        assert "a custom function" in scores.notes[0].text


class TestMatching:
    @pytest.mark.parametrize(
        ("vital", "text", "end"),
        [
            ("born 1942", "He was born 1942.", 16),
            ("BORN  1942", "born\n1942", 9),
            ("1942", "1941", None),
            ("iv", "Ⅳ", 1),  # two letters in one character
            ("ガ", "カ\u3099x", 2),  # one character, written as two
            ("ﾄｳｷｮｳ", "首都トウキョウ", 7),
            ("of", "oﬃce", 2),  # three letters in one, of which the first is enough
            ("a", "b a a", 3),
            ("x", "", None),
        ],
    )
    def test_where_a_string_ends(self, vital: str, text: str, end: int | None) -> None:
        assert find_end(vital, text) == end

    @few
    @given(st.text(max_size=30), st.text(min_size=1, max_size=8), st.text(max_size=30))
    def test_what_is_there_is_found(self, before: str, vital: str, after: str) -> None:
        assume(vital.strip())
        text = before + vital.strip() + after
        end = find_end(vital, text)
        if all(c.isascii() for c in text):
            assert end is not None
            assert end <= len(before) + len(vital.strip())
        assert end is None or 0 < end <= len(text)


NUGGETS = {"N1": (3.0, 10), "N2": (1.0, 5), "N3": (3.0, 5)}  # NTCIREVAL's example, 1C0-0001
FOUND = {"N1": 100, "N2": 50}


class TestNuggets:
    """Equations 40 to 46."""

    @checks("NuggetF", against="by hand")
    def test_f_by_hand(self) -> None:
        """l = 250, allow = 200: P = 1 − 50/250 = 4/5. R = 4/7. β = 3: 10·PR / (9P + R)."""
        assert both(NuggetF(), 250, NUGGETS, FOUND) == pytest.approx([4 / 7, 4 / 5])
        expected = 10 * (4 / 5) * (4 / 7) / (9 * 4 / 5 + 4 / 7)
        assert NuggetF()(250, NUGGETS, FOUND) == pytest.approx(expected)
        assert NuggetF(allowance=125)(250, NUGGETS, FOUND) == pytest.approx(10 * (4 / 7) / (9 + 4 / 7))

    def test_white_space_is_not_counted(self) -> None:
        """Two texts of 101 letters: 1 − 1/101."""
        for text in ("x" * 97 + "born", "x " * 97 + "born\n"):
            precision = NuggetF(measurement="precision")(text, {"N": (1, "born")})
            assert precision == pytest.approx(1 - 1 / 101)

    def test_an_empty_answer(self) -> None:
        """Equation 41 with l = 0: l ≤ allow, so precision is 1; the F-measure is 0."""
        assert both(NuggetF(), "", {"N": (1, "born")}) == [0.0, 1.0]
        for m in (NuggetF(), Pourpre(), WRecall(), NuggetRecall(), Smeasure(), Tmeasure()):
            assert m("", {"N": (1, "born")}) == 0.0
        assert Sflat()("", {"N": (1, "b")}) == Tflat()("", {"N": (1, "b")}) == 0.0
        assert Ssharp()("", {"N": (1, "b")}) == 0.0

    def test_okay_nuggets_have_no_weight_but_an_allowance(self) -> None:
        nuggets = {"vital": (1, 5), "okay": (0, 5)}
        assert both(NuggetF(), 200, nuggets, {"okay": 10}) == [0.0, 0.5]
        assert both(NuggetF(), 200, nuggets, {"okay": 10, "vital": 20}) == [1.0, 1.0]

    @checks("Pourpre", against="by hand")
    def test_pourpre_by_hand(self) -> None:
        """m = 2/3 and 1/2 and 0; weights 3, 1, 1: R = 2.5/5. Two matched: allow = 200, P = 1."""
        nuggets = {"a": (3, "born June 1942"), "b": (1, "in Liverpool"), "c": (1, "Wings")}
        text = "He was born in 1942."
        assert both(Pourpre(), text, nuggets) == pytest.approx([0.5, 1.0])
        assert Pourpre()(text, nuggets) == pytest.approx(10 * 0.5 / 9.5)

    @checks("NuggetF", "Pourpre", against="second writing")
    @few
    @given(words, st.lists(st.tuples(st.integers(0, 3), words.filter(len)), min_size=1, max_size=4))
    def test_f_measures_written_again(self, answer: list[str], given_nuggets: list[tuple[int, list[str]]]) -> None:
        assume(any(weight for weight, _ in given_nuggets))
        nuggets = {f"N{i}": (w, " ".join(v)) for i, (w, v) in enumerate(given_nuggets)}
        l, every = len("".join(answer)), sum(w for w, _ in given_nuggets)

        def f(matched: list[float]) -> float:
            recall = sum(w * m for (w, _), m in zip(given_nuggets, matched, strict=True)) / every
            allow = 100 * sum(m > 0 for m in matched)
            precision = 1 - (l - allow) / l if l > allow else 1.0
            return 10 * precision * recall / (9 * precision + recall) if recall else 0.0

        by_words = [(Counter(answer) & Counter(vital)).total() / len(vital) for _, vital in given_nuggets]
        text = " ".join(answer)
        assert Pourpre()(text, nuggets, tokens="blanks") == pytest.approx(f(by_words))
        found = {name: len(text) for i, name in enumerate(nuggets) if i % 2 == 0}
        whole = [float(name in found) for name in nuggets]
        assert NuggetF()(text, nuggets, found) == pytest.approx(f(whole))

    @checks("Smeasure", against="by hand")
    def test_s_by_hand(self) -> None:
        """PMO: N3 ends at 5, N1 at 15, N2 at 20: 3·995 + 3·985 + 1·980 = 6920.

        Found: 3·900 + 1·950 = 3650.
        """
        assert Smeasure()(500, NUGGETS, FOUND) == pytest.approx(3650 / 6920)
        # with L = 100, N1 at 100 is worth nothing: 50 of 3·95 + 3·85 + 80 = 620
        assert Smeasure(L=100)(500, NUGGETS, FOUND) == pytest.approx(50 / 620)

    @checks("NuggetRecall", "WRecall", "Tmeasure", "Ssharp", against="by hand")
    def test_t_and_the_others_by_hand(self) -> None:
        assert NuggetRecall()(500, NUGGETS, FOUND) == pytest.approx(2 / 3)
        assert WRecall()(500, NUGGETS, FOUND) == pytest.approx(4 / 7)
        assert Tmeasure()(500, NUGGETS, FOUND) == pytest.approx(15 / 500)
        S, T = 3650 / 6920, 15 / 500
        for beta in (1.0, 2.0):
            expected = (1 + beta**2) * T * S / (beta**2 * T + S)
            assert Ssharp(beta=beta)(500, NUGGETS, FOUND) == pytest.approx(expected)

    def test_flat_ones_are_at_most_one(self) -> None:
        """Vital strings of 10 characters in a text of 8, found at 8: S = 992/990, T = 10/8."""
        case = 8, {"N": (1.0, 10)}, {"N": 8}
        assert Smeasure()(*case) == pytest.approx(992 / 990)
        assert Tmeasure()(*case) == 10 / 8
        assert Sflat()(*case) == Tflat()(*case) == Ssharp()(*case) == 1.0

    def test_equals_may_be_swapped(self) -> None:
        """Nuggets equal in weight and length: their order in the PMO is of no consequence."""
        one = Smeasure(L=40)(50, {"a": (2, 9), "b": (2, 9), "c": (1, 3)}, {"b": 20})
        other = Smeasure(L=40)(50, {"b": (2, 9), "a": (2, 9), "c": (1, 3)}, {"b": 20})
        assert one == other == pytest.approx(40 / (2 * 31 + 2 * 22 + 19))

    def test_outputs_of_figure_10(self) -> None:
        """(b) has what matters earlier than (a), and is shorter than (c)."""
        nuggets = {"x": (3, "XXX"), "y": (1, "YYY")}
        a, b, c = "-" * 50 + "YYYXXX", "XXXYYY" + "-" * 50, "XXXYYY" + "-" * 200
        assert WRecall()(a, nuggets) == WRecall()(b, nuggets) == WRecall()(c, nuggets) == 1
        assert Smeasure()(b, nuggets) == Smeasure()(c, nuggets) > Smeasure()(a, nuggets)
        assert Tmeasure()(a, nuggets) == Tmeasure()(b, nuggets) > Tmeasure()(c, nuggets)
        assert Ssharp()(b, nuggets) > Ssharp()(a, nuggets)
        assert Ssharp()(b, nuggets) > Ssharp()(c, nuggets)

    @checks(
        "Smeasure",
        "Sflat",
        "Tmeasure",
        "Tflat",
        "Ssharp",
        "WRecall",
        "NuggetRecall",
        "NuggetF",
        against="property",
    )
    @few
    @given(
        st.dictionaries(
            st.sampled_from("abcdefgh"),
            st.tuples(st.integers(1, 9), st.integers(1, 40)),
            min_size=1,
        ),
        st.randoms(use_true_random=False),
    )
    def test_properties(self, nuggets: dict[str, tuple[float, int]], random: Any) -> None:
        order = sorted(nuggets, key=lambda name: (-nuggets[name][0], nuggets[name][1]))
        ends, end = {}, 0
        for name in order:
            ends[name] = end = end + nuggets[name][1]
        assert Smeasure()(end, nuggets, ends) == Sflat()(end, nuggets, ends) == 1.0
        assert Tmeasure()(end, nuggets, ends) == Ssharp()(end, nuggets, ends) == 1.0
        assert WRecall()(end, nuggets, ends) == NuggetRecall()(end, nuggets, ends) == 1.0

        found = {name: random.randint(0, 1500) for name in nuggets if random.random() < 0.6}
        case = 1500, nuggets, found
        m: Any
        for m in (WRecall(), NuggetRecall(), NuggetF(), Sflat(), Tflat(), Ssharp()):
            assert 0 <= m(*case) <= 1
        for name in nuggets:  # one more, or one earlier, never hurts
            more = {**found, name: random.randint(0, found.get(name, 1500))}
            for m in (WRecall(), NuggetRecall(), NuggetF(), Smeasure(), Tmeasure(), Ssharp()):
                assert m(1500, nuggets, more) >= m(*case) - 1e-12

    @pytest.mark.parametrize(
        ("nuggets", "found", "message"),
        [
            (
                {"N": (-1, "x")},
                None,
                "must have a weight ≥ 0 and a vital string or its length ≥ 1, found (-1, 'x')",
            ),
            ({"N": (1, "  ")}, None, "nugget 'N' must have a weight ≥ 0 and a vital string"),
            ({"N": (1, 0)}, None, "or its length ≥ 1"),
            ({"N": (10**400, "x")}, None, "must have a weight ≥ 0"),
            ({"N": "x"}, None, "length ≥ 1, found 'x'"),
            (None, None, "found None and None"),
            ({"N": (0, "x")}, None, "all nuggets have weight 0"),
            (
                {"N": (1, 5)},
                None,
                "nugget 'N' has a length but no vital string. Pass the vital string, or found=",
            ),
            ({"N": (1, 5)}, {"M": 1}, "'M': 1"),
            ({"N": (1, 5)}, {"N": 99}, "must map nuggets to ends in [0, 4]"),
        ],
    )
    def test_hostile_calls(self, nuggets: Any, found: Any, message: str) -> None:
        with pytest.raises(cf.CranfieldError, match=re.escape(message)):
            Smeasure()("text", nuggets, found)

    def test_lengths_that_nobody_can_write(self) -> None:
        for length in (2**53 + 1, 10**400):
            with pytest.raises(cf.CranfieldError, match="expected a text or its length"):
                NuggetF()(length, {"N": (1, 5)}, {"N": 5})
        assert Smeasure()(2**53, {"N": (1, 5)}, {"N": 5}) == 1  # floats count so far

    @pytest.mark.parametrize(
        ("references", "message"),
        [
            ([], "no reference"),
            (None, "expected a text and one or more references, found 'text' and None"),
            (["text", 3], "expected a text and one or more references"),
            ({"q": "text"}, "expected a text and one or more references"),
        ],
    )
    def test_hostile_references(self, references: Any, message: str) -> None:
        with pytest.raises(cf.CranfieldError, match=message):
            ROUGE()("text", references)

    @pytest.mark.parametrize("tokens", [None, 3, "a b", ["a", None], [["a"]]])
    def test_functions_that_give_no_tokens(self, tokens: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="tokens of a text must be a list of strings"):
            ROUGE()("a b", "a c", tokens=lambda text: tokens)

    def test_pourpre_allows_nothing_for_nuggets_without_a_common_word(self) -> None:
        """150 characters, one of two nuggets: Prec = 1 − (150 − 100)/150."""
        text = "Liverpool " + "x" * 141
        nuggets = {"place": (1, "Liverpool"), "birth": (1, "June 1942")}
        assert Pourpre(measurement="precision")(text, nuggets) == pytest.approx(100 / 150)

    def test_sums_are_rounded_at_each_step(self) -> None:
        """As in C, and not once at the end: 0.1 + 0.2 is 0.30000000000000004."""
        assert sum_in_order([0.1, 0.2, 0.3]) == 0.1 + 0.2 + 0.3 != math.fsum([0.1, 0.2, 0.3])

    def test_no_cutoff_and_no_condensed_lists(self) -> None:
        with pytest.raises(cf.CranfieldError, match="takes no cutoff"):
            cf.parse_measure("ROUGE@10")
        with pytest.raises(cf.CranfieldError, match="unknown parameter 'condensed'"):
            cf.parse_measure("Smeasure(condensed=true)")

    def test_other_names(self) -> None:
        names = "rouge-1 ROUGE2.F rouge-s4 rouge-su rouge-3 rouge-su9.recall F_QA S# S♯ s-flat"
        assert [str(m) for m in cf.parse_measures(names)] == [
            "ROUGE", "ROUGE(n=2).F", "ROUGES(skip=4)", "ROUGESU", "ROUGE(n=3)",
            "ROUGESU(skip=9).recall", "NuggetF", "Ssharp", "Sflat",
        ]  # fmt: skip


REFERENCES = {"q1": ["the cat sat", "a cat was here"], "q2": ["東京は首都"]}
SYSTEM = {"q1": "the cat was here", "q2": "東京"}


class TestReaders:
    def write(self, path: Path) -> dict[str, Any]:
        """The same references in every form."""
        lines = [(topic, text) for topic, several in REFERENCES.items() for text in several]
        frame = pl.DataFrame(lines, schema=["topic", "text"], orient="row")
        (path / "a.tsv").write_text("".join(f"{t}\t{x}\n" for t, x in lines), encoding="utf-8")
        (path / "b.tsv").write_text("qid\tanswer\n" + "".join(f"{t}\t{x}\n" for t, x in lines),
                                    encoding="utf-8")  # fmt: skip
        frame.write_csv(path / "c.csv")
        frame.write_ndjson(path / "d.jsonl")
        frame.write_parquet(path / "e.parquet")
        (path / "f.json").write_text(json.dumps(REFERENCES), encoding="utf-8")
        (path / "g.gz").write_bytes(gzip.compress((path / "a.tsv").read_bytes()))
        inside = path / "h"
        (inside / "q1").mkdir(parents=True)
        for name, text in zip("xy", REFERENCES["q1"], strict=True):
            (inside / "q1" / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
        (inside / "q2.txt").write_text(REFERENCES["q2"][0], encoding="utf-8")
        names = ["a.tsv", "b.tsv", "c.csv", "d.jsonl", "e.parquet", "f.json", "g.gz", "h"]
        forms: dict[str, Any] = {name: path / name for name in names}
        return forms | {"dict": REFERENCES, "polars": frame, "pandas": pd.DataFrame(
            {"topic": frame["topic"].to_list(), "text": frame["text"].to_list()})}  # fmt: skip

    def test_all_forms_are_the_same(self, tmp_path: Path) -> None:
        expected = {topic: tuple(several) for topic, several in REFERENCES.items()}
        forms = self.write(tmp_path)
        assert len(forms) == 11
        for form, data in forms.items():
            assert read_texts(data).by_topic == expected, form

    @pytest.mark.parametrize("header", ["", "topic\ttext\n"])
    def test_only_the_end_of_a_text_is_stripped(self, header: str, tmp_path: Path) -> None:
        (tmp_path / "a.tsv").write_text(f"{header}q\t  two before \n", encoding="utf-8")
        (tmp_path / "a.jsonl").write_text('{"topic": "q", "text": "  two before "}')
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "q.txt").write_text("  two before \n")
        (tmp_path / "a.csv").write_text("topic,text\nq,  two before \n")
        for name in ("a.tsv", "a.jsonl", "a", "a.csv"):
            assert read_texts(tmp_path / name).by_topic == {"q": ("  two before",)}, name

    @pytest.mark.parametrize("name", ["a", "a.json", "a.txt", "a.tsv"])
    @pytest.mark.parametrize("topic", ["qid", "question_id", "id"])
    def test_lines_of_json_whatever_the_file_is_called(self, name: str, topic: str, tmp_path: Path) -> None:
        rows = [{topic: "q1", "model": "m", "answer": "x"}, {topic: "q2", "answer": "y"}]
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert read_texts(tmp_path / name).by_topic == {"q1": ("x",), "q2": ("y",)}

    def test_lines_of_json_without_such_columns(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text('{"n": 1, "body": "x"}\n{"n": 2, "body": "y"}\n')
        with pytest.raises(cf.CranfieldError, match="a:1: found columns n, body, expected a column"):
            read_texts(tmp_path / "a")

    @pytest.mark.parametrize("column", ["nugget", "iunit_id", "weight"])
    def test_nuggets_are_no_references(self, column: str, tmp_path: Path) -> None:
        (tmp_path / "n.tsv").write_text(f"topic\t{column}\ttext\nq\t1\tLiverpool\n")
        with pytest.raises(cf.CranfieldError, match=r"n.tsv:2: nuggets instead of texts. Pass them with --nuggets"):
            evaluate_texts(tmp_path / "n.tsv", {"q": "Liverpool"})

    def test_all_forms_of_nuggets_are_the_same(self, tmp_path: Path) -> None:
        given: dict[str, Any] = {
            "q1": {"a": (3, "born 1942"), "b": (0.5, "Wings")},
            "q2": {"a": (1, "首都")},
        }
        rows = [(t, n, w, v) for t, of in given.items() for n, (w, v) in of.items()]
        frame = pl.DataFrame(rows, schema=["topic", "nugget", "weight", "text"], orient="row",
                             strict=False)  # fmt: skip
        frame.write_csv(tmp_path / "n.csv")
        frame.write_csv(tmp_path / "n.tsv", separator="\t")
        frame.write_parquet(tmp_path / "n.parquet")
        (tmp_path / "n.json").write_text(json.dumps(given), encoding="utf-8")
        named = {t: {n: {"weight": w, "vital": v} for n, (w, v) in of.items()}
                 for t, of in given.items()}  # fmt: skip
        expected = read_nuggets(given).by_topic
        assert expected["q2"]["a"] == (1.0, 2, "首都")
        for data in (
            frame,
            named,
            *(tmp_path / f"n.{x}" for x in ["csv", "tsv", "parquet", "json"]),
        ):
            assert read_nuggets(data).by_topic == expected

    def test_lengths_as_ntcir_has_them(self, tmp_path: Path) -> None:
        path = tmp_path / "1C0.nuggets"
        path.write_text("1C0-0001 N0001 3 10\n1C0-0001 N0002 1 5 more fields\n", encoding="utf-8")
        expected = {"1C0-0001": {"N0001": (3.0, 10, None), "N0002": (1.0, 5, None)}}
        assert read_nuggets(path).by_topic == expected

    def test_systems_have_names(self, tmp_path: Path) -> None:
        (tmp_path / "bart.tsv").write_text("q\tx\n", encoding="utf-8")
        (tmp_path / "t5").mkdir()
        (tmp_path / "t5" / "q.txt").write_text("y\n", encoding="utf-8")
        found = read_systems([tmp_path / "bart.tsv", f"{tmp_path}/t5/", {"q": "z"}])
        assert {n: t.by_topic["q"] for n, t in found.items()} == {
            f"{tmp_path}/bart.tsv": ("x",), f"{tmp_path}/t5": ("y",), "system1": ("z",),
        }  # fmt: skip
        assert list(read_systems({"one": {"q": "x"}, "two": tmp_path / "t5"})) == ["one", "two"]
        assert list(read_systems({"q": "x"})) == ["system"]
        with pytest.raises(cf.CranfieldError, match="duplicate"):
            read_systems([tmp_path / "t5", tmp_path / "t5"])

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("q1 no tab\n", r":1: found 1 field \('q1 no tab'\), expected 2: topic<TAB>text"),
            ("q1\tx\nq1\ty\n", r":2: duplicate text for topic q1"),
            ("\tx\n", r":1: found topic '', expected an identifier"),
            ("all\tx\n", r":1: found a topic named 'all'"),
            ("", "found no texts"),
            ("topic\ttext\nq1\n", r":2: found 1 field"),
            ("topic,text\nq1,x,y\n", r":2: found 3 fields"),
            ('{"q1": 5}', "found text 5 for topic q1, expected text"),
            ('{"q1": {"a": "b"}}', "found text .* for topic q1, expected text"),
            ('{"q1": "a", "q1": "b"}', "duplicate key"),
            ('{"topic": "q1", "text": 3}\n', r":1: found text 3 for topic q1"),
            (b"q1\t\xff\xfe\n", r":1: found bytes that are not UTF-8"),
        ],
    )
    def test_hostile_texts(self, tmp_path: Path, text: str | bytes, message: str) -> None:
        path = tmp_path / "texts"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(cf.CranfieldError, match=message):
            read_systems(path)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("q N 1\n", r":1: found 3 fields \('q N 1'\), expected 4: topic nugget weight length"),
            ("q N 1 5\nq N 1 5\n", r":2: duplicate nugget 'N' in topic q"),
            ("q N -1 5\n", r":1: found weight '-1' for nugget N of topic q"),
            ("q N nan 5\n", r":1: found weight 'nan'"),
            ("q N 1 0\n", r":1: found length '0' .* expected an integer ≥ 1"),
            ("q N 1 2.5\n", r":1: found length '2.5'"),
            ("q N 1 born\n", r":1: found length 'born' .*need a header"),
            ("q N 0 5\n", r"topic q has no nugget with weight > 0"),
            ("topic\tnugget\tweight\ttext\nq\tN\t1\t \n", r":2: found no vital string"),
            ("", "found no nuggets"),
            ('{"q": {"N": 3}}', "found 3 for nugget N of topic q"),
            ('{"q": {"N": {"text": "x"}}}', "expected a column named weight"),
        ],
    )
    def test_hostile_nuggets(self, tmp_path: Path, text: str, message: str) -> None:
        path = tmp_path / "nuggets"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(cf.InputError, match=message):
            read_nuggets(path)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("q N\n", r":1: found 2 fields \('q N'\), expected 3: topic nugget offset"),
            ("q N -3\n", r":1: found offset '-3'"),
            ("q N x\n", r":1: found offset 'x'"),
            ("q N 1\nq N 2\n", r":2: duplicate nugget 'N' in topic q"),
            ("q syslen= 5\nq syslen= 6\n", r":2: duplicate text length in topic q"),
        ],
    )
    def test_hostile_matches(self, tmp_path: Path, text: str, message: str) -> None:
        path = tmp_path / "matches"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(cf.InputError, match=message):
            read_matches(path)

    def test_tables_of_matches_need_a_header(self, tmp_path: Path) -> None:
        path = tmp_path / "matches.csv"
        path.write_text("")
        assert read_matches(path).by_topic == {}
        path.write_text("q,N,5\n")
        with pytest.raises(cf.InputError, match=":1: found columns q, N, 5, expected a column na"):
            read_matches(path)

    def test_matches_by_system(self) -> None:
        nuggets, texts = {"q": {"N": (1, 5)}}, {"a": {"q": "x" * 50}, "b": {"q": "x" * 50}}
        matches = {"b": {"q": {"N": 50}}, "a": {"q": {}}}
        scores = evaluate_texts(None, texts, "WRecall", nuggets=nuggets, matches=matches)
        assert scores.summary() == {"a": {"WRecall": 0.0}, "b": {"WRecall": 1.0}}
        with pytest.raises(cf.CranfieldError, match="matches of 1 system, but texts of 2"):
            evaluate_texts(None, texts, nuggets=nuggets, matches={"q": {"N": 50}})

    def test_only_matches(self) -> None:
        """NTCIREVAL's example: nobody has the texts."""
        nuggets = {"q": NUGGETS}
        matches = {"run": {"q": {"syslen=": 500, **FOUND}}}
        scores = evaluate_texts(None, None, nuggets=nuggets, matches=matches)
        assert scores["run", "q", "Smeasure"] == pytest.approx(3650 / 6920)
        with pytest.raises(cf.InputError, match="expected a text, or a line `q syslen= LENGTH`"):
            evaluate_texts(None, None, nuggets=nuggets, matches={"run": {"q": FOUND}})
        with pytest.raises(cf.CranfieldError, match="no vital string"):
            evaluate_texts(None, None, "Pourpre", nuggets=nuggets, matches=matches)


class TestEvaluate:
    def test_each_score_is_that_of_one_call(self) -> None:
        scores = evaluate_texts(REFERENCES, SYSTEM, "ROUGE ROUGE(n=2) ROUGES.F ROUGESU(skip=4)")
        assert scores.topics == ("q1", "q2")
        for name in scores.measures:
            m = cf.parse_measure(name)
            for topic, text in SYSTEM.items():
                assert scores["system", topic, name] == m(text, REFERENCES[topic])
        assert cf.evaluate_texts(REFERENCES, SYSTEM).measures == (
            "ROUGE", "ROUGE(n=2)", "ROUGESU(skip=4)",
        )  # fmt: skip

    def test_notes(self) -> None:
        scores = evaluate_texts(REFERENCES, {"q1": " ", "q9": "x"}, "ROUGE")
        assert [n.text for n in scores.notes[1:]] == [
            "system: 1 topic (q2) missing, scored 0",
            "system: 1 topic (q1) with an empty text",
            "system: 1 topic (q9) without references, ignored",
        ]
        assert scores.summary() == {"system": {"ROUGE": 0.0}}
        nuggets = {"q": {"N": (1, "x" * 30)}}
        late = evaluate_texts(None, {"q": "x" * 30}, "Smeasure(L=10) Ssharp(L=10)", nuggets=nuggets)
        assert [n.kind for n in late.notes] == ["matches", "late-nuggets"]
        assert late["system", "q", "Smeasure(L=10)"] == 0.0

    def test_the_texts_decide_about_lengths(self) -> None:
        nuggets, matches = {"q": {"N": (1, 5)}}, {"q": {"syslen=": 60, "N": 50}}
        scores = evaluate_texts(None, {"q": "x" * 50}, "Tmeasure", nuggets=nuggets, matches=matches)
        assert scores["system", "q", "Tmeasure"] == 5 / 50
        assert "with another length in the matches" in scores.notes[0].text

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"measures": "ROUGE"}, "no references or nuggets given"),
            ({"references": REFERENCES, "measures": "NuggetF"}, "NuggetF needs nuggets"),
            ({"references": REFERENCES, "measures": "AP"}, "Use `cranfield evaluate`"),
            ({"nuggets": {"q1": {"N": (1, "x")}}, "measures": "ROUGE"},
             "ROUGE needs reference texts. With --nuggets, each file is a system"),
            ({"nuggets": {"q1": {"N": (1, "x")}}, "systems": REFERENCES},
             "each file is a system. Pass references with --references"),
            ({"nuggets": {"q1": {"N": (1, 5)}}}, "no vital string for nugget N of topic q1"),
            ({"references": REFERENCES, "nuggets": {"q1": {"N": (1, "x")}}},
             "no topic q2, expected the same topics"),
            ({"nuggets": {"q1": {"N": (1, 5)}}, "matches": {"q1": {"M": 1}}}, "found nugget M"),
            ({"nuggets": {"q1": {"N": (1, 5)}}, "matches": {"q7": {"N": 1}}}, "found topic q7"),
            ({"nuggets": {"q1": {"N": (1, 5)}}, "matches": {"q1": {"N": 17}}},
             "offset 17 for nugget N of topic q1, expected at most 16"),
            ({"references": REFERENCES, "matches": {"q1": {"N": 1}}}, "matches need nuggets"),
            ({"references": REFERENCES, "systems": None}, "no system given"),
            ({"references": 5}, "found int, expected a path"),
        ],
    )  # fmt: skip
    def test_hostile_arguments(self, arguments: dict[str, Any], message: str) -> None:
        with pytest.raises(cf.CranfieldError, match=message):
            evaluate_texts(**{"references": None, "systems": SYSTEM, **arguments})

    def test_an_empty_text_is_not_a_missing_one(self) -> None:
        """Prec = 1 for l = 0 ≤ allow, Sakai 2014, below equation 42."""
        nuggets = {"q": {"n": (1, "cat")}, "r": {"n": (1, "cat")}}
        scores = evaluate_texts(None, {"q": ""}, "NuggetF.precision", nuggets=nuggets)
        assert scores.values[0, :, 0].tolist() == [1.0, 0.0]

    def test_pourpre_needs_texts_and_not_only_matches(self) -> None:
        nuggets, matches = {"q": {"n": (1, "cat")}}, {"q": {"syslen=": 10, "n": 3}}
        with pytest.raises(cf.CranfieldError, match="Pourpre needs the texts of systems"):
            evaluate_texts(None, None, "Pourpre", nuggets=nuggets, matches=matches)

    @pytest.mark.parametrize("references", [{"q": "cat"}, {"q": "a", "r": "b", "s": "c"}])
    def test_references_and_nuggets_are_of_the_same_topics(self, references: dict[str, str]) -> None:
        nuggets = {"q": {"n": (1, "cat")}, "r": {"n": (1, "cat")}}
        with pytest.raises(cf.CranfieldError, match=r"found no topic [rs], expected the same topics"):
            evaluate_texts(references, {"q": "cat"}, nuggets=nuggets)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "refs.tsv": "q1\tthe cat sat\nq1\ta cat was here\nq2\t東京は首都\n",
        "a.tsv": "q1\tthe cat was here\nq2\t東京\n",
        "b.tsv": "q1\tdogs\n",
        "nuggets.tsv": "topic\tnugget\tweight\ttext\nq1\tcat\t3\tthe cat\nq1\tdog\t1\tdog\n",
        "a.mat": "q1 cat 16\n",
        "1.nug": "N0001 3 10\nN0002 1 5\nN0003 3 5\n",
        "1.mat": "syslen= 500\nN0001 100\nN0002 50\n",
        "2.nug": "N0001 2 2\nN0002 6 5\nN0003 2 3\nN0004 2 2\n",
        "2.mat": "syslen= 10\nN0002 400\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


class TestCommand:
    def test_references(self, files: Path, capfd: pytest.CaptureFixture[str]) -> None:
        assert main(["text", "refs.tsv", "a.tsv", "b.tsv", "-q", "-m", "rouge-1", "-f", "tsv"]) == 0
        out, err = capfd.readouterr()
        # q1: the second reference is best, 3 of 4 both ways; q2: 2 of 5
        assert out.splitlines()[1:] == [
            "a.tsv\tq1\tROUGE\t0.75", "a.tsv\tq2\tROUGE\t0.4", "a.tsv\tall\tROUGE\t0.575",
            "b.tsv\tq1\tROUGE\t0.0", "b.tsv\tq2\tROUGE\t0.0", "b.tsv\tall\tROUGE\t0.0",
        ]  # fmt: skip
        assert "note: b.tsv: 1 topic (q2) missing, scored 0" in err
        assert "without stemming" in err

    def test_nuggets(self, files: Path, capfd: pytest.CaptureFixture[str]) -> None:
        command = ["text", "--nuggets", "nuggets.tsv", "a.tsv", "b.tsv"]
        assert main([*command, "-f", "json", "-m", "WRecall Tmeasure", "-o", "out.json"]) == 0
        written = (files / "out.json").read_text(encoding="utf-8")
        assert '"WRecall": 0.75' in written  # 3 of 3 + 1
        assert '"Tmeasure": 0.4375' in written  # 7 of 16 characters
        assert main([*command]) == 0
        assert "nuggets were matched automatically" in capfd.readouterr().err

    def test_explain(self, files: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """cat: 3·(1000 − 16) by hand, of 3·993 + 990 = 3969."""
        command = ["text", "--nuggets", "nuggets.tsv", "a.tsv", "--matches", "a.mat"]
        assert main([*command, "--explain", "q1"]) == 0
        out = capfd.readouterr().out
        assert out.splitlines()[0] == "a.tsv, topic q1: 1 of 2 nuggets"
        assert out.splitlines()[4].split() == ["cat", "3", "7", "7", "16", "0.7438", "the", "cat"]
        assert out.splitlines()[5].split() == ["dog", "1", "3", "10", "–", "0.0000", "dog"]
        assert out.splitlines()[-1] == "Smeasure = 0.7438"
        assert main([*command, "--explain", "q7"]) == 2
        assert "topic 'q7' has no nuggets" in capfd.readouterr().err

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            ("text", "no file given. Use REFERENCES SYSTEM…"),
            ("text refs.tsv", "no system given"),
            ("text refs.tsv nothing.tsv", "cannot read nothing.tsv"),
            ("text refs.tsv a.tsv -m AP", "AP is no measure of texts"),
            ("text refs.tsv a.tsv --explain q1", "no nuggets to explain"),
            ("text --nuggets nuggets.tsv - --matches -", "can be used only once"),
            ("text --nuggets nuggets.tsv b.tsv --matches a.mat",
             "a.mat:1: found offset 16 for nugget cat of topic q1, expected at most 4"),
        ],
    )  # fmt: skip
    def test_mistakes(self, files: Path, capfd: pytest.CaptureFixture[str], command: str, message: str) -> None:
        assert main([*command.split(), "-o", "out"]) == 2
        out, err = capfd.readouterr()
        assert message in err
        assert out == ""
        assert not (files / "out").exists()


# What NTCIREVAL's README shows of its sample files, with L = 500.
ONE_CLICK = {
    "1": """\
1C0-0001 #nuggets= 3 #matched= 2 #syslen= 500
1C0-0001 Recall=              0.667
1C0-0001 W-recall=            0.571
1C0-0001 S-measure=           0.482
1C0-0001 S-flat=              0.482
1C0-0001 T-measure=           0.030
1C0-0001 T-flat=              0.030
1C0-0001 F-flat=              0.056
""",
    "2": """\
1C0-0002 #nuggets= 4 #matched= 1 #syslen= 10
1C0-0002 Recall=              0.250
1C0-0002 W-recall=            0.500
1C0-0002 S-measure=           0.101
1C0-0002 S-flat=              0.101
1C0-0002 T-measure=           0.500
1C0-0002 T-flat=              0.500
1C0-0002 F-flat=              0.169
""",
}


class TestOneClick:
    @checks(
        "NuggetRecall",
        "WRecall",
        "Smeasure",
        "Sflat",
        "Tmeasure",
        "Tflat",
        "Ssharp",
        against="NTCIREVAL",
    )
    @pytest.mark.parametrize("topic", ["1", "2"])
    def test_transcripts(self, files: Path, capfd: pytest.CaptureFixture[str], topic: str) -> None:
        command = f"ntcir_eval 1click -L 500 -N {topic}.nug -out 1C0-000{topic} {topic}.mat"
        assert main(command.split()) == 0
        out, err = capfd.readouterr()
        assert out == ONE_CLICK[topic]
        assert ("beyond the end of the text" in err) == (topic == "2")

    def test_verbose(self, files: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """PMO with L = 500: 3·495 + 3·485 + 480 = 3420."""
        assert main(["ntcir_eval", "1click", "-v", "-L", "500", "-N", "1.nug", "1.mat"]) == 0
        assert capfd.readouterr().out.splitlines()[:7] == [
            "#N0003 w= 3.000000 vl= 5 offset*= 5",
            "#N0001 w= 3.000000 vl= 10 offset*= 15",
            "#N0002 w= 1.000000 vl= 5 offset*= 20",
            "#wrec_denom= 7.000000 S-measure_denom= 3420.000000",
            "#matched=N0001 w=3.000000 offset=100",
            "#matched=N0002 w=1.000000 offset=50",
            " #nuggets= 3 #matched= 2 #syslen= 500",
        ]

    def test_nothing_found(self, files: Path, capfd: pytest.CaptureFixture[str]) -> None:
        (files / "empty.mat").write_text("", encoding="utf-8")
        assert main(["ntcir_eval", "1click", "-L", "500", "-N", "1.nug", "empty.mat"]) == 0
        lines = capfd.readouterr().out.splitlines()
        assert lines[0] == " #nuggets= 3 #matched= 0 #syslen= 0"
        assert {line.split()[1] for line in lines[1:]} == {"0.000"}

    @pytest.mark.parametrize(
        ("nuggets", "matches", "message"),
        [
            ("N 1\n", "", "n:1: found 2 fields"),
            ("N 0 5\n", "", "n:1: found weight 0 for nugget N, expected a number > 0"),
            ("N 1 0\n", "", "n:1: found length '0'"),
            ("N 1 5\nN 1 5\n", "", "n:2: duplicate nugget 'N'"),
            ("", "", "n: found no nuggets"),
            ("N 1 5\n", "N 3\n", "m:1: found 'N 3', expected syslen= length"),
            ("N 1 5\n", "syslen= 9\nM 3\n", "m:2: found nugget M"),
            ("N 1 5\n", "syslen= 9\nN 3\nN 4\n", "m:3: duplicate nugget 'N'"),
            ("N 1 5\n", "syslen= 9\nN x\n", "m:2: found 'N x', expected nugget offset"),
            ("N 1 20\n", "syslen= 9\n", "found -L 20, expected more than 20"),
        ],
    )
    def test_mistakes(
        self,
        files: Path,
        capfd: pytest.CaptureFixture[str],
        nuggets: str,
        matches: str,
        message: str,
    ) -> None:
        (files / "n").write_text(nuggets, encoding="utf-8")
        (files / "m").write_text(matches, encoding="utf-8")
        assert main(["ntcir_eval", "1click", "-L", "20", "-N", "n", "m"]) == 2
        out, err = capfd.readouterr()
        assert message in err
        assert out == ""


def test_some_topics_of_texts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As --topics chooses them everywhere; one that is not there is refused, with the nearest."""
    references, system = tmp_path / "ref.tsv", tmp_path / "sys.tsv"
    references.write_text("q1\ta cat\nq12\ta dog\n")
    system.write_text("q1\ta dog\nq12\ta dog\n")
    command = ["text", str(references), str(system), "-m", "rouge-1", "-q", "-f", "tsv", "--topics"]
    assert main([*command, "q12"]) == 0
    lines = capfd.readouterr().out.splitlines()[1:]
    assert [line.split("\t")[1] for line in lines] == ["q12", "all"]
    assert main([*command, "q13"]) == 2
    assert "topic 'q13' is not in" in capfd.readouterr().err
    assert main([*command, "common"]) == 2


def test_records_with_a_response_and_a_reference_are_both(here: Path) -> None:
    """As ragas has them: as references, the reference counts, and not the system's own text."""
    rows = [
        {"question_id": "q1", "response": "a b", "reference": "a c"},
        {"question_id": "q2", "response": "x y", "reference": ["x y", "z"]},
    ]
    Path("rag.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores = cf.evaluate_texts("rag.jsonl", ["rag.jsonl"], "rouge-1")
    found = [scores[scores.runs[0], topic, scores.measures[0]] for topic in ("q1", "q2")]
    assert found == [0.5, 1.0]  # one of two words; all of those of the best reference
