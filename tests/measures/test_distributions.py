"""Distributions over labels: equations by hand and by SciPy, what is read, what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.distributions import read_distributions
from cranfield.evaluation.distributions import evaluate_distributions
from cranfield.measures.distributions import JSD, NMD, RNOD, RNSS, RSNOD
from tests.evidence import checks

MEASURES = (NMD(), JSD(), RNSS(), RNOD(), RSNOD())
SYMMETRIC = (NMD(), JSD(), RNSS(), RSNOD())


def pairs(labels: int = 7) -> st.SearchStrategy[tuple[list[float], list[float]]]:
    """Two distributions over as many labels, from counts of votes: equal, or clearly not."""

    def both(n: int) -> st.SearchStrategy[tuple[list[float], list[float]]]:
        votes = st.lists(st.integers(0, 20), min_size=n, max_size=n).filter(any)
        one = votes.map(lambda counts: [count / sum(counts) for count in counts])
        return st.tuples(one, one)

    return st.integers(2, labels).flatmap(both)


class TestEquations:
    """p = (0.2, 0.3, 0.5) against p* = (0.1, 0.1, 0.8): squared errors 0.01, 0.04, 0.09."""

    P, GOLD = (0.2, 0.3, 0.5), (0.1, 0.1, 0.8)

    @checks("NMD", against="by hand")
    def test_nmd_by_hand(self) -> None:
        """Cumulative 0.2, 0.5, 1 and 0.1, 0.2, 1: (0.1 + 0.3)/2."""
        assert NMD()(self.P, self.GOLD) == pytest.approx(0.2)

    @checks("RNOD", against="by hand")
    def test_rnod_by_hand(self) -> None:
        """Seen from label 1: 0.04 + 2·0.09 = 0.22; from 2: 0.01 + 0.09 = 0.10; from 3: 2·0.01 +
        0.04 = 0.06. All three have probability in p*: OD = 0.38/3.
        """
        assert RNOD()(self.P, self.GOLD) == pytest.approx(math.sqrt(0.38 / 3 / 2))

    def test_rnod_sees_errors_only_from_labels_that_people_chose(self) -> None:
        """p = (0, 0.5, 0.5), p* = (1, 0, 0): squared errors 1, 0.25, 0.25. From label 1: 0.25 +
        2·0.25 = 0.75. The other way, from 2: 1 + 0.25 = 1.25, and from 3: 2 + 0.25 = 2.25.
        """
        p, gold = (0, 0.5, 0.5), (1, 0, 0)
        assert RNOD()(p, gold) == pytest.approx(math.sqrt(0.75 / 2))
        assert RNOD()(gold, p) == pytest.approx(math.sqrt((1.25 + 2.25) / 2 / 2))
        assert RSNOD()(p, gold) == pytest.approx(math.sqrt((0.75 + 1.75) / 2 / 2))

    @checks("JSD", against="by hand")
    def test_jsd_by_hand(self) -> None:
        """p = (1, 0), p* = (0.5, 0.5), m = (0.75, 0.25): (log2(4/3) + log2(2/3)/2 + 1/2)/2."""
        by_hand = (math.log2(4 / 3) + math.log2(2 / 3) / 2 + 1 / 2) / 2
        assert JSD()((1, 0), (0.5, 0.5)) == pytest.approx(by_hand)
        in_nats = JSD(base=math.e)((1, 0), (0.5, 0.5))
        assert in_nats == pytest.approx(by_hand * math.log(2))

    @checks("RNSS", against="by hand")
    def test_rnss_half_on_two_wrong_labels_equals_calculation(self) -> None:
        """p = (0, 0.5, 0.5), p* = (1, 0, 0): √((1 + 0.25 + 0.25)/2)."""
        assert RNSS()((0, 0.5, 0.5), (1, 0, 0)) == pytest.approx(0.8660, abs=5e-5)
        assert RNSS()((0, 0.5, 0.5), (1, 0, 0)) == pytest.approx(math.sqrt(0.75))

    @checks("RNSS", against="second writing")
    @given(pairs())
    def test_rnss_is_the_distance_over_the_root_of_two(self, pair: tuple[list[float], list[float]]) -> None:
        assert RNSS()(*pair) == pytest.approx(math.dist(*pair) / math.sqrt(2), abs=1e-12)

    def test_order_matters_to_all_but_jsd(self) -> None:
        near, far, gold = (0, 1, 0), (0, 0, 1), (1, 0, 0)
        for m in (NMD(), RNOD(), RSNOD()):
            assert m(near, gold) < m(far, gold) == 1
        assert JSD()(near, gold) == JSD()(far, gold) == RNSS()(near, gold) == RNSS()(far, gold) == 1

    def test_rnod_and_rsnod_may_pass_one(self) -> None:
        """L = 5, p = (1, 0, 0, 0, 0), p* = (0, 0.98, 0, 0.01, 0.01): squared errors 1, 0.9604,
        0, 0.0001, 0.0001. From label 2: 1 + 2·0.0001 + 3·0.0001 = 1.0005; from 4: 3 + 2·0.9604 +
        0.0001 = 4.9209; from 5: 4 + 3·0.9604 + 0.0001 = 6.8813. OD = 12.8027/3, more than L − 1.
        """
        gold = (0, 0.98, 0, 0.01, 0.01)
        assert RNOD()((1, 0, 0, 0, 0), gold) == pytest.approx(math.sqrt(12.8027 / 3 / 4))
        assert RNOD()((1, 0, 0, 0, 0), gold) > 1
        assert RSNOD()((0.98, 0, 0, 0.01, 0.01), gold) > 1

    @checks("NMD", against="SciPy")
    @given(pairs())
    def test_nmd_is_the_earth_mover_s_distance(self, pair: tuple[list[float], list[float]]) -> None:
        p, gold = pair
        bins = range(len(p))
        moved = wasserstein_distance(bins, bins, p, gold)
        assert NMD()(p, gold) * (len(p) - 1) == pytest.approx(moved, abs=1e-12)

    @checks("JSD", against="SciPy")
    @given(pairs(), st.sampled_from((2.0, 3.5, 10.0)))
    def test_jsd_is_scipy_s_squared(self, pair: tuple[list[float], list[float]], base: float) -> None:
        distance = jensenshannon(*pair, base=base)
        assert JSD(base=base)(*pair) == pytest.approx(distance**2, abs=1e-12)

    @checks("RNOD", "RSNOD", against="second writing")
    @given(pairs())
    def test_order_aware_divergence_written_naively(self, pair: tuple[list[float], list[float]]) -> None:
        p, gold = pair
        labels = range(len(p))

        def divergence(p: list[float], gold: list[float]) -> float:
            seen = [i for i in labels if gold[i] > 0]
            from_each = [sum(abs(i - j) * (p[j] - gold[j]) ** 2 for j in labels) for i in seen]
            return sum(from_each) / len(seen)

        there, back, most = divergence(p, gold), divergence(gold, p), len(p) - 1
        assert RNOD()(p, gold) == pytest.approx(math.sqrt(there / most))
        assert RSNOD()(p, gold) == pytest.approx(math.sqrt((there + back) / 2 / most))

    @given(pairs())
    def test_zero_says_equal(self, pair: tuple[list[float], list[float]]) -> None:
        p, gold = pair
        equal = np.allclose(p, gold, rtol=0, atol=1e-12)  # as 1/3 and 2/6 are
        for m in MEASURES:
            assert m(p, p) == 0
            assert (m(p, gold) < 1e-9) == equal

    @given(pairs())
    def test_bounds(self, pair: tuple[list[float], list[float]]) -> None:
        for always in (NMD(), JSD(), RNSS()):
            assert 0 <= always(*pair) <= 1 + 1e-12
        most = 1 + 1e-12 if len(pair[0]) < 5 else math.sqrt(2)
        for mostly in (RNOD(), RSNOD()):
            assert 0 <= mostly(*pair) <= most

    @given(pairs())
    def test_symmetry(self, pair: tuple[list[float], list[float]]) -> None:
        p, gold = pair
        for m in SYMMETRIC:
            assert m(p, gold) == m(gold, p)

    def test_arrays_are_compared_row_by_row(self) -> None:
        p = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
        gold = np.array([[0.0, 0.0, 1.0], [0.1, 0.1, 0.8]])
        for m in MEASURES:
            assert m(p, gold).tolist() == [m(a, b) for a, b in zip(p, gold, strict=True)]

    @pytest.mark.parametrize(
        ("p", "gold", "said"),
        [
            ([0.5, 0.4], [1, 0], r"\(sum 0.9"),
            ([1.5, -0.5], [1, 0], "must be ≥ 0"),
            ([math.nan, 1], [1, 0], "with a sum of 1"),
            ([1.0], [1.0], "probabilities of at least 2 labels"),
            (["a", "b"], [1, 0], "probabilities of at least 2 labels"),
            ([0.5, 0.5], [1, 0, 0], "equal shapes"),
        ],
    )
    def test_what_is_no_distribution_is_refused(self, p: Any, gold: Any, said: str) -> None:
        with pytest.raises(cf.CranfieldError, match=said):
            NMD()(p, gold)

    def test_the_grammar_knows_them(self) -> None:
        known = cf.parse_measures("NMD JSD(base=10) rnod RSNOD")
        assert [str(m) for m in known] == ["NMD", "JSD(base=10)", "RNOD", "RSNOD"]
        assert {m.better for m in known} == {"lower"}
        for text in ("NMD@10", "NMD(condensed=true)", "JSD(base=1)"):
            with pytest.raises(cf.CranfieldError):
                cf.parse_measure(text)

    def test_what_rounding_leaves_at_the_end_is_no_distance(self) -> None:
        """Cumulated, both are 1 at the last label: |0.5 − 1| is all there is."""
        assert NMD()([0.5, 0.5 + 9e-7], [1, 0]) == 0.5

    def test_jsd_is_never_below_zero(self) -> None:
        """These two differ in the last bit, and the rounded sum is −5.5e-18."""
        assert JSD()([0.9, 0.1], [0.9, 0.09999999999999995]) == 0.0

    def test_probabilities_must_sum_to_one_within_a_millionth(self) -> None:
        with pytest.raises(cf.CranfieldError, match=r"with a sum of 1, found .* \(sum 1\.0001\)"):
            NMD()([0.5, 0.5001], [1, 0])

    @pytest.mark.parametrize("system", [None, "x", [10**400, 0], [[[0.5, 0.5]]], {"a": 1}])
    def test_what_is_no_distribution(self, system: Any) -> None:
        with pytest.raises(cf.CranfieldError, match="probabilities of at least 2 labels expected"):
            NMD()(system, [1, 0])

    def test_an_array_of_one_row_gives_an_array(self) -> None:
        found = NMD()(np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]]))
        assert isinstance(found, np.ndarray)
        assert found.tolist() == [1.0]


PEOPLE = {"d1": (0.0, 0.25, 0.75), "d2": (0.5, 0.5, 0.0)}
LONG = [("d1", 2, 1), ("d1", 3, 3), ("d2", 1, 2), ("d2", 2, 2)]
FILES = {
    "text.txt": "# item label value\nd1 2 0.25\nd1 3 0.75\n\nd2 1 0.5\nd2 2 0.5\n",
    "votes.txt": "d1 2 1\nd1 3 3\nd2 1 2\nd2 2 2\n",
    "long.csv": "item,label,value\nd1,2,0.25\nd1,3,0.75\nd2,1,0.5\nd2,2,0.5\n",
    "long.tsv": "Topic\tLabel\tProbability\nd1\t2.0\t0.25\nd1\t3\t0.75\nd2\t1\t0.5\nd2\t2\t0.5\n",
    "wide.csv": "item,3,2,1\nd1,0.75,0.25,0\nd2,0,0.5,0.5\n",
    "mapping.json": '{"d1": {"2": 0.25, "3": 0.75}, "d2": {"1": 0.5, "2": 0.5}}',
    "lists.json": '{"d1": [0, 1, 3], "d2": [2, 2, 0]}',
    "rows.jsonl": '{"item": "d1", "label": 2, "value": 0.25}\n'
    '{"item": "d1", "label": 3, "value": 0.75}\n{"item": "d2", "label": 1, "value": 0.5}\n'
    '{"item": "d2", "label": 2, "value": 0.5}\n',
}


class TestReading:
    @pytest.mark.parametrize("name", FILES)
    def test_every_format_says_the_same(self, name: str, tmp_path: Path) -> None:
        (tmp_path / name).write_text(FILES[name])
        read = read_distributions(tmp_path / name)
        assert read.items == PEOPLE
        assert read.labels == ("1", "2", "3")

    @pytest.mark.parametrize(
        "data",
        [
            LONG,
            {"d1": [0, 1, 3], "d2": [2, 2, 0]},
            {"d1": np.array([0, 0.25, 0.75]), "d2": (0.5, 0.5, 0)},
            {"d1": {2: 1, 3: 3}, "d2": {1.0: 2, "2": 2}},
            pl.DataFrame(LONG, ["item", "label", "count"], orient="row"),
            pd.DataFrame(LONG, columns=["doc", "rating", "votes"]),
            pl.DataFrame({"id": ["d1", "d2"], "1": [0.0, 0.5], "2": [0.25, 0.5], "3": [0.75, 0.0]}),
        ],
        ids=lambda data: type(data).__name__,
    )
    def test_everything_in_memory_too(self, data: Any) -> None:
        assert read_distributions(data).items == PEOPLE

    def test_parquet(self, tmp_path: Path) -> None:
        pl.DataFrame(LONG, ["item", "label", "value"], orient="row").write_parquet(tmp_path / "p")
        assert read_distributions(tmp_path / "p").items == PEOPLE

    def test_numbers_are_in_their_order_and_others_in_the_one_given(self) -> None:
        assert read_distributions({"d": {"10": 1, "-2": 1, "9": 2}}).labels == ("-2", "9", "10")
        letters = {"d": {"good": 1, "bad": 3}}
        read = read_distributions(letters, labels="bad,fair,good")
        assert read.labels == ("bad", "fair", "good")
        assert read.items == {"d": (0.75, 0.0, 0.25)}
        with pytest.raises(cf.InputError, match="--label-order with all labels in order"):
            read_distributions(letters)

    def test_votes_are_told_from_probabilities(self) -> None:
        assert read_distributions({"a": [1, 3], "b": [2, 0]}).votes == (2, 4)
        assert read_distributions({"a": [1, 0], "b": [0, 1]}).votes is None
        assert read_distributions({"a": [0.5, 0.5], "b": [0, 1]}).votes is None

    def test_single_assessments_are_counted(self, tmp_path: Path) -> None:
        (tmp_path / "one.txt").write_text("d1 ann 1\nd1 bob 3\nd1 eve 3\nd2 ann 2\n")
        (tmp_path / "two.csv").write_text("item,rater,label\nd1,ann,1\nd1,bob,3\nd1,eve,3\nd2,a,2\n")
        for name in ("one.txt", "two.csv"):
            read = read_distributions(tmp_path / name, votes=True)
            assert read.items == {"d1": (1 / 3, 0, 2 / 3), "d2": (0, 1, 0)}
            assert read.votes == (1, 3)

    def test_thirds_as_people_write_them(self) -> None:
        read = read_distributions({"d": [0.3333333, 0.3333333, 0.3333333]})
        assert read.items["d"] == pytest.approx((1 / 3,) * 3, abs=1e-15)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("d1 1 0.5\nd1 2 0.4\n", "f:1: found probabilities of item d1 with sum 0.9"),
            ("d1 1 0.5\nd1 2 0.5\nd2 1 2\nd2 2 1\n", "f:3: found probabilities of item d2"),
            ("d1 1 1.5\nd1 2 -0.5\n", "f:2: found value '-0.5' for label '2' of item d1"),
            ("d1 1 x\nd1 2 1\n", "f:1: found value 'x'"),
            ("d1 1 nan\nd1 2 1\n", "f:1: found value 'nan'"),
            ("d1 1 1\nd1 1 1\n", "f:2: duplicate label '1' of item d1"),
            ("d1 1 1\nd1 1.0 1\n", "f:2: duplicate label '1' of item d1"),
            ("d1 1 0\nd1 2 0\n", "f:1: found only zeros for item d1"),
            ("d1 1\n", "f:1: found 2 fields"),
            ("d1 1 1\n", "found 1 label (1), expected at least two"),
            ("", "found no distributions"),
            ("item,label\nd1,1\n", "f:2: found a label without a value, expected also a column"),
            ('{"item": "d1", "label": "B"}\n', "f:1: found a label without a value"),
            ("item,1,2\nd1,1\n", "f:2: found 2 fields"),
            ("item,1,2\nd1,1,\n", "f:2: found value ''"),
            ('{"d1": {}}', "found no values for item 'd1'"),
            ('{"d1": 3}', "expected {item: {label: value}}"),
            ('{"d1": [1, 2], "d2": [1, 2, 3]}', "found 3 numbers for item d2, expected 2"),
        ],
    )
    def test_mistakes_are_named(self, text: str, said: str, tmp_path: Path) -> None:
        (tmp_path / "f").write_text(text)
        with pytest.raises(cf.InputError) as error:
            read_distributions(tmp_path / "f")
        assert said in str(error.value)

    def test_mistakes_in_votes_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_text("d1 ann 1\nd1 ann 2\n")
        with pytest.raises(cf.InputError, match="f:2: duplicate label by assessor 'ann' for item d1"):
            read_distributions(tmp_path / "f", votes=True)
        with pytest.raises(cf.InputError, match="label, value, expected a column named assessor"):
            read_distributions(pl.DataFrame(LONG, ["item", "label", "value"], orient="row"),
                               votes=True)  # fmt: skip

    def test_columns_for_labels_may_be_called_anything(self, tmp_path: Path) -> None:
        """Also p, which is what a column of values may be called; in JSONL as in CSV."""
        (tmp_path / "csv").write_text("item,p,n\nd1,1,3\n")
        (tmp_path / "jsonl").write_text('{"item": "d1", "p": 1, "n": 3}\n')
        for name in ("csv", "jsonl"):
            assert read_distributions(tmp_path / name, "p,n").items == {"d1": (0.25, 0.75)}

    @pytest.mark.parametrize("labels", ["A", "A,B,A", "A,,B", []])
    def test_labels_must_be_two_or_more_each_once(self, labels: Any) -> None:
        with pytest.raises(cf.InputError, match="label"):
            read_distributions({"d": {"A": 1}}, labels=labels)


class TestEvaluating:
    def test_by_hand(self) -> None:
        """d1 as people have it; d2 all at the other end of a scale of three."""
        gold = {"d1": [0, 0.5, 0.5], "d2": [1, 0, 0]}
        system = {"d1": [0, 0.5, 0.5], "d2": [0, 0, 1]}
        scores = evaluate_distributions(gold, {"exact": gold, "mine": system}, "NMD JSD RNOD RSNOD")
        assert scores.runs == ("exact", "mine")
        assert scores.topics == ("d1", "d2")
        assert scores.values.tolist() == [[[0] * 4, [0] * 4], [[0] * 4, [1] * 4]]
        assert scores.summary()["mine"] == {"NMD": 0.5, "JSD": 0.5, "RNOD": 0.5, "RSNOD": 0.5}
        assert scores.better == ("lower",) * 4

    @pytest.mark.parametrize(
        ("systems", "names"),
        [
            ({"d1": [1, 0], "d2": [1, 0]}, ("system",)),
            ({"d1": {"1": 1}, "d2": {"2": 1}}, ("system",)),
            ([("d1", 1, 1), ("d2", 1, 1)], ("system",)),
            ([{"d1": [1, 0], "d2": [1, 0]}, {"d1": {"1": 1}, "d2": {"2": 1}}],
             ("system1", "system2")),
            ({"a": {"d1": [1, 0], "d2": [1, 0]}, "b": {"d1": {"1": 1}, "d2": {"2": 1}}},
             ("a", "b")),
            (pl.DataFrame({"item": ["d1", "d2"], "1": [0, 1], "2": [1, 0]}), ("system",)),
        ],
    )  # fmt: skip
    def test_one_system_or_several(self, systems: Any, names: tuple[str, ...]) -> None:
        gold = {"d1": [1, 0], "d2": [0.5, 0.5]}
        assert evaluate_distributions(gold, systems).runs == names

    def test_files_are_called_by_their_paths(self, tmp_path: Path) -> None:
        for name, text in FILES.items():
            (tmp_path / name).write_text(text)
        paths = [tmp_path / "wide.csv", tmp_path / "lists.json"]
        scores = evaluate_distributions(tmp_path / "text.txt", paths)
        assert scores.runs == (str(paths[0]), str(paths[1]))
        assert not scores.values.any()
        assert [n.kind for n in scores.notes] == ["items", "labels", "votes"]
        assert "labels in this order: 1, 2, 3" in scores.notes[1].text
        assert scores.notes[2].text == f"{paths[1]}: 4 votes per item, divided by their number"

    def test_missing_items_are_an_error_or_uniform(self) -> None:
        gold = {"d1": [0, 0, 1], "d2": [1, 0, 0]}
        with pytest.raises(cf.InputError, match=r"no distribution for 1 item \(d2\)"):
            evaluate_distributions(gold, {"d1": [0, 0, 1]})
        scores = evaluate_distributions(gold, {"d1": [0, 0, 1]}, "NMD", missing="uniform")
        # cumulative 1/3, 2/3, 1 against 1, 1, 1: (2/3 + 1/3)/2
        assert scores["system", "d2", "NMD"] == pytest.approx(0.5)
        told = next(n for n in scores.notes if n.kind == "missing-items")
        assert (told.run, told.topics) == ("system", ("d2",))
        with pytest.raises(cf.InputError, match="one of error, uniform"):
            evaluate_distributions(gold, gold, missing="zero")  # type: ignore[arg-type]

    def test_other_items_are_left_out_and_told(self) -> None:
        system = {"d1": [0, 1], "d9": [1, 0]}
        scores = evaluate_distributions({"d1": [0, 1]}, system, labels=("no", "yes"))
        assert scores.topics == ("d1",)
        assert [n.text for n in scores.notes] == [
            "rows are items, and means are over items",
            "system: 1 item (d9) not in the gold, ignored",
        ]

    def test_a_label_that_people_did_not_have_is_refused(self) -> None:
        gold, system = {"d": {"1": 0.5, "2": 0.5}}, {"d": {"1": 0.5, "3": 0.5}}
        with pytest.raises(cf.InputError, match="label '3' of item d, expected one of 1, 2"):
            evaluate_distributions(gold, system)
        # 0.5 moves one step of two
        found = evaluate_distributions(gold, system, "NMD", labels=[1, 2, 3])
        assert found.summary() == {"system": {"NMD": pytest.approx(0.25)}}

    def test_what_is_computed_if_nothing_is_asked_for(self) -> None:
        gold = {"d": [0, 1]}
        assert evaluate_distributions(gold, gold, None).measures == ("NMD", "RSNOD")

    def test_rows_are_told(self) -> None:
        gold = {"d": [0, 1]}
        assert evaluate_distributions(gold, gold).notes[0].text.startswith("rows are items")

    def test_measures_of_lists_are_refused(self) -> None:
        with pytest.raises(
            cf.CranfieldError,
            match=r"nDCG@10 is no measure of distributions.* Measures of distributions: JSD, NMD, RNOD, RNSS",
        ):
            evaluate_distributions({"d": [0, 1]}, {"d": [0, 1]}, "NMD nDCG@10")


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("gold.txt").write_text("d1 1 1\nd1 3 3\nd2 2 4\n")
        Path("near.csv").write_text("item,1,2,3\nd1,0.25,0,0.75\nd2,0.5,0.5,0\n")
        Path("far.txt").write_text("d1 1 1\nd2 3 1\n")

    @pytest.mark.usefixtures("files")
    def test_a_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        """near: d2 has 0.5 one step off, 0.25. far: d1 has 0.75 two steps off, d2 one step."""
        assert main(["distribution", "gold.txt", "near.csv", "far.txt", "-m", "NMD", "-q"]) == 0
        out, err = capsys.readouterr()
        shown = out.splitlines()
        assert shown[2:8] == [
            "near.csv  d1     0.0000*",
            "near.csv  d2     0.2500*",
            "near.csv  all    0.1250*",
            "far.txt   d1     0.7500",
            "far.txt   d2     0.5000",
            "far.txt   all    0.6250",
        ]
        assert "note: gold.txt: 4 votes per item, divided" in err

    @pytest.mark.usefixtures("files")
    def test_formats_and_files(self, capsys: pytest.CaptureFixture[str]) -> None:
        command = ["distribution", "gold.txt", "near.csv", "-m", "NMD"]
        assert main([*command, "-f", "tsv"]) == 0
        told = capsys.readouterr()
        assert told.out.splitlines() == ["run\ttopic\tmeasure\tvalue", "near.csv\tall\tNMD\t0.125"]
        assert "note: labels in this order: 1, 2, 3" in told.err
        assert main([*command, "-f", "json", "-o", "made.json"]) == 0
        assert json.loads(Path("made.json").read_text())["all"] == {"near.csv": {"NMD": 0.125}}

    @pytest.mark.usefixtures("files")
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["gold.txt", "none.txt"], "none.txt"),
            (["gold.txt", "near.csv", "-m", "nDCG"], "cranfield evaluate"),
            (["gold.txt", "near.csv", "--labels", "1,2"], "gold.txt:2: found label '3' of item d1"),
            (["-", "-"], r"standard input (-) can be used only once"),
            (["near.csv", "gold.txt", "--votes"], "near.csv:1: found columns item, 1, 2, 3"),
        ],
    )
    def test_mistakes(self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["distribution", *arguments, "-o", "made.txt"]) == 2
        assert said in capsys.readouterr().err
        assert not Path("made.txt").exists()

    @pytest.mark.usefixtures("files")
    def test_votes_labels_and_missing(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("votes.txt").write_text("d1 ann good\nd1 bob good\nd2 ann poor\n")
        Path("system.json").write_text('{"d1": {"good": 1}}')
        command = ["distribution", "votes.txt", "system.json", "--votes", "--labels=poor,fair,good"]
        assert main([*command, "-m", "NMD", "-f", "tsv", "-q", "--missing", "uniform"]) == 0
        rows = [line.split("\t")[1::2] for line in capsys.readouterr().out.splitlines()[1:]]
        # d2: cumulative 1/3, 2/3, 1 against 1, 1, 1
        assert [(topic, float(value)) for topic, value in rows] == [
            ("d1", 0.0),
            ("d2", pytest.approx(0.5)),
            ("all", pytest.approx(0.25)),
        ]

    @pytest.mark.usefixtures("files")
    def test_labels_below_zero(self, capsys: pytest.CaptureFixture[str]) -> None:
        """All of it one step of two off."""
        Path("gold.json").write_text('{"d1": {"-1": 1}}')
        Path("system.json").write_text('{"d1": {"0": 1}}')
        command = ["distribution", "gold.json", "system.json", "-m", "NMD", "-f", "tsv"]
        assert main([*command, "--labels=-1,0,1"]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "system.json\tall\tNMD\t0.5"
