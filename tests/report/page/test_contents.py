"""What a page shows is what the functions say that it is made from."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.evaluation.failures import BUCKETS
from cranfield.report.page.contents import ReportData
from cranfield.report.page.limits import COMPLETE, Limits
from cranfield.report.page.numbers import round_number, round_numbers

MEASURES = ["nDCG@5", "AP", "NumRet"]
QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 1}, "q3": {"f": 1}}
RUNS = {
    "x": {"q1": ["a", "b", "u"], "q2": ["d", "v"], "q3": ["f"]},
    "y": {"q1": ["b", "c"], "q2": ["e", "d"], "q3": ["w", "f"]},
    "z": {"q1": ["u", "a"], "q3": ["f"]},
}


@cache
def collection() -> cf.Collection:
    return cf.simulate(topics=9, runs=4, depth=30, levels=3, seed=5)


@cache
def page() -> cf.ReportPage:
    made = collection()
    return cf.report_page(made.qrels, made.runs, MEASURES, list_depth=5, trials=500)


@cache
def scores() -> cf.Scores:
    return cf.evaluate(collection().qrels, collection().runs, MEASURES)


def data() -> dict[str, Any]:
    return page().data


class TestNumbers:
    def test_pairs_equal_a_comparison_by_each_measure(self) -> None:
        """That they are computed together changes none."""
        for m, name in enumerate(MEASURES):
            alone = cf.compare(scores(), measures=[name], trials=500)
            contents = page().contents
            assert isinstance(contents, ReportData)
            together = contents.comparisons[m]
            assert together is not None
            assert together.pairs == alone.pairs
            assert together.runs == alone.runs

    def test_identical_runs_have_equal_scores_by_every_measure(self) -> None:
        """x and y have the same RR, but not the same AP."""
        qrels = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1, "d": 1}}
        runs = {"x": {"q1": "ab", "q2": "cd"}, "y": {"q1": "a", "q2": "c"}, "z": {"q1": "za"}}
        lists = {run: {t: [*docs] for t, docs in of.items()} for run, of in runs.items()}
        told = {
            measures: {one["kind"] for one in cf.report_page(qrels, lists, measures).data["notices"]}
            for measures in ("RR", "RR AP")
        }
        assert "identical" in told["RR"]
        assert "identical" not in told["RR AP"]

    def test_scores_equal_evaluate(self) -> None:
        shown, known = data(), scores()
        assert [one["name"] for one in shown["runs"]] == list(known.runs)
        assert [one["id"] for one in shown["topics"]] == list(known.topics)
        for m, of_measure in enumerate(shown["scores"]):
            for r, of_run in enumerate(of_measure):
                assert of_run == [round_number(x, 8) for x in known.values[r, :, m].tolist()]
        for m, board in enumerate(shown["board"]):
            means = [known.summary()[run][known.measures[m]] for run in known.runs]
            assert board["means"] == [round_number(x) for x in means]
        intervals = known.interval("t")
        low = [round_number(intervals[run]["AP"].low) for run in known.runs]
        assert shown["board"][1]["low"] == low
        assert shown["board"][2]["low"] == [None] * 4  # a sum has no interval of its mean

    def test_pairs_equal_compare(self) -> None:
        found, names = cf.compare(scores(), trials=500), scores().runs
        for m, measure in enumerate(MEASURES):
            pairs = data()["pairs"][m]
            for pair in (x for x in found.pairs if x.measure == measure):
                i, j = names.index(pair.run), names.index(pair.other)
                turn = 1 if i < j else -1
                i, j = sorted((i, j))
                at = i, j - i - 1
                assert pairs["p"][at[0]][at[1]] == round_number(pair.pvalue, 8)
                for name in ("difference", "effect"):
                    value = turn * getattr(pair, name)
                    assert pairs[name][at[0]][at[1]] == round_number(value, 4)
                if pairs["half"] is None:
                    ends = sorted((turn * pair.low, turn * pair.high))
                    shown = [pairs[end][at[0]][at[1]] for end in ("low", "high")]
                    assert shown == round_numbers(ends, 4)
                else:  # that of the randomised Tukey HSD test
                    assert pairs["half"] == pytest.approx((pair.high - pair.low) / 2, abs=1e-8)
            letters = {row.run: row.groups for row in found.runs if row.measure == measure}
            assert data()["board"][m]["letters"] == [letters[run] for run in names]

    def test_smallest_p_is_formatted_as_in_compare(self) -> None:
        """None of 1,000 trials is as extreme: p = 1/1001 is printed as <0.001."""
        x = {str(t): 0.1 + t / 100 for t in range(30)}
        y = {t: value + 0.3 + int(t) / 200 for t, value in x.items()}
        scores = cf.read_scores({"x": x, "y": y})
        [pair] = cf.report_page(scores, test="randomisation", trials=1000).data["pairs"]
        assert pair["p"] == [[round_number(1 / 1001, 8)], []]
        assert pair["least_p"] == {"p": round_number(1 / 1001, 8), "text": "<0.001"}
        assert pair["half"] is None
        assert [pair["low"][0][0] < -0.37 < pair["high"][0][0]] == [True]  # 0.3 + 14.5 / 200

    def test_t_quantiles_equal_published_tables(self) -> None:
        assert data()["t"][:4] == pytest.approx([1.959964, 12.706205, 4.302653, 3.182446], abs=1e-6)
        assert len(data()["t"]) == 9  # of nine topics

    def test_reasons_equal_hard_topics(self) -> None:
        made = collection()
        found = cf.hard_topics(made.qrels, made.runs, "nDCG@5")
        shown = data()["buckets"]
        assert shown["names"] == list(BUCKETS)
        assert len(shown["explained"]) == len(BUCKETS)
        for one in found.results:
            r, t = scores().runs.index(one.run), scores().topics.index(one.topic)
            code = shown["codes"][r][t]
            assert (shown["names"][code] if code >= 0 else None) == one.bucket
            assert shown["counted"][t]

    def test_bounds_equal_cf_bounds(self) -> None:
        made = collection()
        for m, measure in enumerate(["nDCG@5", "AP"]):
            shown = data()["pairs"][m]
            for one in cf.bounds(made.qrels, made.runs, measure):
                if one.topic == "all" and one.other is not None:
                    i, j = (scores().runs.index(run) for run in (one.run, one.other))
                    assert shown["bound_low"][i][j - i - 1] == round_number(one.low, 4)
                    assert shown["bound_high"][i][j - i - 1] == round_number(one.high, 4)
        assert data()["pairs"][2]["bound_low"] is None

    def test_agreement_equals_correlation(self) -> None:
        tau = cf.meta.correlation(scores())["nDCG@5", "AP"].mean
        values = data()["agreement"]["values"]
        assert values[0][1] == values[1][0] == round_number(tau, 4)
        assert values[0][2] is None  # a count ranks nothing

    def test_rankings_equal_cf_label(self) -> None:
        made = collection()
        lists = data()["lists"]
        levels = [one["level"] for one in lists["levels"]]
        for one in cf.label(made.qrels, made.runs):
            r, t = scores().runs.index(one.run), scores().topics.index(one.topic)
            topic = lists["topics"][t]
            shown = [(topic["docs"][i], topic["level"][i]) for i in topic["lists"][r] or ()]
            assert [doc for doc, _ in shown] == [item.doc for item in one.items[:5]]
            known = [None if at is None else levels[at] for _, at in shown]
            assert known == [item.level for item in one.items[:5]]
            assert topic["length"][r] == len(one.items)
            ranks = {item.doc: item.rank for item in one.items}
            assert topic["ranks"][r] == [ranks.get(topic["docs"][i], 0) for i in topic["relevant"]]
            assert len(topic["relevant"]) + topic["left_out"] == one.relevant

    def test_by_hand(self) -> None:
        """x: 1 at each topic; y: 1/2, 1, 1/2; z: 1/2, 0, 1."""
        shown = cf.report_page(QRELS, RUNS, "RR").data
        assert shown["scores"] == [[[1, 1, 1], [0.5, 1, 0.5], [0.5, 0, 1]]]
        codes = shown["buckets"]["codes"]
        names = [[BUCKETS[code] if code >= 0 else None for code in of_run] for of_run in codes]
        assert names[0] == [None, None, None]
        assert names[2][1] == "not answered"
        q2 = shown["lists"]["topics"][1]
        assert [q2["docs"][i] for i in q2["lists"][1]] == ["e", "d"]
        assert q2["lists"][2] is None
        assert q2["level"][q2["docs"].index("v")] is None
        assert [q2["docs"][i] for i in q2["relevant"]] == ["d", "e"]
        assert q2["ranks"] == [[1, 0], [2, 1], [0, 0]]


class TestWords:
    def test_answer(self) -> None:
        first, *_ = cf.report_page(QRELS, RUNS, "RR").data["answer"]
        assert first.startswith("x is best by RR, 1.0000 [1.0000, 1.0000]. Its lead over y is not")
        assert "(p = " in first

    def test_significant(self) -> None:
        good = {f"q{i}": ["a"] for i in range(12)}
        bad = {f"q{i}": [*(f"n{k}" for k in range(i + 1)), "a"] for i in range(12)}
        qrels = {topic: {"a": 1} for topic in good}
        answer = cf.report_page(qrels, {"good": good, "bad": bad}, "RR").data["answer"]
        p = "p = 0.0005"  # 2 of 2¹² = 4,096 signs
        assert answer[0].endswith(f"Its lead over bad is significant ({p}).")
        assert len(answer) == 1  # good fails nowhere

    def test_definitions(self) -> None:
        ndcg, ap, count = data()["measures"]
        assert ap["title"].startswith("Average precision")
        assert "AP   = (1/R)" in ap["formula"]
        assert ">>>" not in ap["text"] + ap["formula"] + ndcg["text"]
        assert "Parameters" not in ap["text"]
        assert {"name": "cutoff", "value": "5"}.items() <= ndcg["parameters"][-1].items()
        assert any("jarvelin2002" in entry for entry in ndcg["bibtex"])
        assert (count["better"], count["summary"]) == ("neither", "sum")

    def test_notes_are_grouped(self) -> None:
        kinds = [group["kind"] for group in cf.report_page(QRELS, RUNS, "P@3").data["notices"]]
        assert len(kinds) == len(set(kinds))
        assert {"missing-topics", "unjudged"} <= set(kinds)

    def test_collection(self) -> None:
        rows = {row["label"]: row for row in cf.report_page(QRELS, RUNS, "RR").data["collection"]}
        assert rows["judgments"]["value"] == "6"
        assert rows["judgments"]["note"] == "level 0: 1 · level 1: 4 · level 2: 1"
        assert rows["not answered"]["value"] == "1 of 9 lists"
        # x 2 of 6, y 1 of 6, z 1 of 3 documents
        assert rows["unjudged in the top 10"]["value"] == "27.8%"

    def test_reproduce_has_no_date(self, tmp_path: Path) -> None:
        """The same inputs give the same file."""
        again = cf.report_page(QRELS, RUNS, "RR"), cf.report_page(QRELS, RUNS, "RR")
        assert again[0].html == again[1].html
        labels = [row["label"] for row in again[0].data["reproduce"]]
        assert {"cranfield", "Python", "test"} <= set(labels)


class TestOdd:
    def test_one_run(self) -> None:
        shown = cf.report_page(QRELS, RUNS["x"], "RR").data
        assert shown["answer"][0] == "run has RR 1.0000 [1.0000, 1.0000] on 3 topics."
        assert shown["pairs"] == [None]
        assert shown["agreement"] is None

    def test_one_topic(self) -> None:
        qrels, runs = {"q1": QRELS["q1"]}, {run: {"q1": of["q1"]} for run, of in RUNS.items()}
        shown = cf.report_page(qrels, runs, "RR AP").data
        assert shown["pairs"] == [None, None]
        assert shown["answer"][0] == "x is best by RR, 1.0000. Its lead cannot be tested."
        assert "not-compared" in [group["kind"] for group in shown["notices"]]

    def test_nothing_is_defined(self) -> None:
        shown = cf.report_page({"q": {"a": 0}, "r": {"b": 0}}, {"x": {"q": ["a"]}, "y": {"q": []}},
                               "AP", undefined="nan").data  # fmt: skip
        assert shown["scores"] == [[[None, None], [None, None]]]
        assert shown["answer"] == ["No run is best: no measure has scores that rank the runs."]
        assert shown["buckets"] is None
        json.dumps(shown, allow_nan=False)

    def test_equal_runs(self) -> None:
        shown = cf.report_page(QRELS, {"x": RUNS["x"], "y": RUNS["x"]}, "RR").data
        assert shown["answer"][0].startswith("x and y are best by RR, both 1.0000")
        assert shown["pairs"][0]["p"] == [[1], []]

    def test_lower_is_better(self) -> None:
        rows = {"x": {"1": 1.0, "2": 2.0}, "y": {"1": 0.5, "2": 0.25}}
        scores = cf.read_scores({run: {t: {"cost": v} for t, v in of.items()}
                                 for run, of in rows.items()}, lower="cost")  # fmt: skip
        shown = cf.report_page(scores).data
        assert shown["answer"][0].startswith("y is best by cost, 0.3750")
        assert shown["lists"] is shown["buckets"] is None
        assert shown["measures"][0]["title"] == "Scores of another tool."

    def test_expected_ties_have_no_lists(self) -> None:
        shown = cf.report_page(QRELS, RUNS, "RR", ties="expected").data
        assert shown["lists"] is None
        assert any("one order" in text for text in shown["left_out"])

    def test_intents_as_topics_have_no_lists(self) -> None:
        qrels = [("q", "1", "a", 1), ("q", "2", "b", 1)]
        shown = cf.report_page(qrels, {"q": ["a", "b"]}, "RR", per_intent=True).data
        assert [topic["id"] for topic in shown["topics"]] == ["q/1", "q/2"]
        assert shown["scores"] == [[[1, 0.5]]]
        assert shown["lists"] is shown["buckets"] is None

    def test_hostile_names(self) -> None:
        bad = "</script><script>alert(1)</script>\u202e\x00\"'&" + "x" * 1000
        qrels = {bad: {bad: 1}, "q": {"d": 1}}
        runs = {bad: {bad: [bad], "q": ["d"]}, "y": {bad: ["e"], "q": ["d"]}}
        made = cf.report_page(qrels, runs, "RR", queries={bad: bad}, docs={bad: bad}, title=bad)
        assert made.data["runs"][0]["name"] == bad
        assert "alert(1)</script>" not in made.html
        assert made.html.count("</script>") == 2

    def test_wrong_options_are_errors(self) -> None:
        for wrong in ({"alpha": 7}, {"test": "t-test"}, {"list_depth": 0}, {"trials": 0}):
            with pytest.raises(cf.CranfieldError):
                _ = cf.report_page(QRELS, RUNS, "RR", **wrong).data
        with pytest.raises(cf.InputError, match="no runs"):
            cf.report_page(QRELS)
        with pytest.raises(cf.InputError, match="scores and docs"):
            cf.report_page(scores(), docs={"a": "b"})


class TestQueriesAndDocs:
    def test_what_is_shown(self) -> None:
        queries = [
            {"qid": "q1", "query": "one", "lang": "en"},
            {"qid": "q2", "query": "two", "lang": ""},
        ]
        docs = {"a": "A text.", "d": {"title": "Dee", "text": "x" * 400}, "never": "not shown"}
        shown = cf.report_page(QRELS, RUNS, "RR", queries=queries, docs=docs).data
        assert shown["topics"] == [
            {"id": "q1", "query": "one", "slices": {"lang": "en"}},
            {"id": "q2", "query": "two"},
            {"id": "q3"},
        ]
        q1, q2, _ = shown["lists"]["topics"]
        assert q1["titles"] == {str(q1["docs"].index("a")): {"text": "A text."}}
        assert q2["titles"]["0"] == {"title": "Dee", "text": "x" * 300 + "…"}
        assert "not shown" not in json.dumps(shown)
        assert shown["left_out"] == [
            "7 of 9 documents shown are not in the file with documents.",
            f"Texts of documents are truncated after 300 characters. {COMPLETE}.",
        ]
        whole = cf.report_page(QRELS, RUNS, "RR", docs={"d": "x" * 4000}, complete=True).data
        assert whole["lists"]["topics"][1]["titles"]["0"] == {"text": "x" * 4000}
        assert whole["left_out"] == ["8 of 9 documents shown are not in the file with documents."]

    def test_queries_of_other_topics(self) -> None:
        with pytest.raises(cf.InputError, match="no query for any of"):
            cf.report_page(QRELS, RUNS, "RR", queries={"zzz": "one"})


class TestSections:
    def test_second_judgments(self) -> None:
        second = {"q1": {"a": 0, "b": 0, "c": 3}, "q2": {"d": 1, "e": 0}, "q3": {"f": 1}}
        shown = cf.report_page(QRELS, RUNS, "RR", second_qrels=second).data
        section = next(one for one in shown["sections"] if one["id"] == "second")
        differ, agreed, both = section["tables"]
        assert differ["columns"] == ["topic", "document", "first", "second", "difference"]
        assert differ["rows"] == [
            ["q1", "a", 2, 0, -2], ["q1", "c", 1, 3, 2], ["q2", "e", 1, 0, -1],
        ]  # fmt: skip
        found = cf.meta.compare_judgments(QRELS, second)
        assert found.levels is not None
        kappa = next(row for row in agreed["rows"] if row[0] == "Cohen's κ")
        assert kappa[1] == round_number(found.levels["kappa"])
        by_second = cf.evaluate(second, RUNS, "RR").summary()
        assert both["rows"][1] == ["y", 0.666667, round_number(by_second["y"]["RR"])]
        q1 = shown["lists"]["topics"][0]
        levels = [one["level"] for one in shown["lists"]["levels"]]
        assert levels == [0, 1, 2, 3]
        assert levels[q1["second"][q1["docs"].index("c")]] == 3

    def test_intents(self) -> None:
        qrels = [("q", "1", "a", 1), ("q", "2", "b", 1), ("r", "1", "c", 1)]
        runs = {"x": {"q": ["a", "b"], "r": ["c"]}, "y": {"q": ["a"], "r": ["z"]}}
        shown = cf.report_page(qrels, runs, "IRec@10 alpha_nDCG@10").data
        section = next(one for one in shown["sections"] if one["id"] == "diversity")
        known = cf.evaluate(qrels, runs, ["IRec@10", "D(nDCG)@10"]).summary()
        points = [(one["name"], one["x"], one["y"]) for one in section["scatter"]["points"]]
        assert points == [
            (run, round_number(of["IRec@10"]), round_number(of["D(nDCG)@10"])) for run, of in known.items()
        ]
        assert section["tables"][1]["rows"] == [["q", 2, 1, 1.5, 2], ["r", 1, 0, 0.5, 1]]

    def test_walks(self) -> None:
        """RBP's user sees rank i with p^(i − 1), whatever the list; that of RR stops at a hit."""
        shown = cf.report_page(QRELS, RUNS, "RBP(p=0.5, gain=unit).EU RR.EU").data
        rbp, rr = (one for one in shown["sections"] if one["id"].startswith("walk"))
        assert [line["name"] for line in rbp["lines"]["lines"]] == ["every run"]
        points = rbp["lines"]["lines"][0]["points"]
        assert points[:4] == [[1, 1], [2, 0.5], [3, 0.25], [4, 0.125]]
        assert [line["name"] for line in rr["lines"]["lines"]] == ["x", "y", "z"]
        x = dict(map(tuple, rr["lines"]["lines"][0]["points"]))
        assert (x[1], x[2]) == (1, 0)
        five = cf.evaluate(QRELS, RUNS, "RR.EU RR.ETU RR.EC RR.ETC RR.ED").summary()["y"]
        assert rr["tables"][0]["rows"][1] == ["y", *map(round_number, five.values())]

    def test_unjudged(self) -> None:
        section = next(one for one in data()["sections"] if one["id"] == "unjudged")
        made = collection()
        for one in cf.bounds(made.qrels, made.runs, "nDCG@5"):
            if one.topic == "all" and one.other is None:
                row = next(x for x in section["tables"][0]["rows"] if x[0] == one.run)
                assert row[1:4] == [round_number(x) for x in (one.value, one.low, one.high)]


class TestLimits:
    def test_limits_of_large_collections(self) -> None:
        limits = Limits()
        assert limits.count_measures(100, 250, 10) == 10
        assert limits.count_tested(100, 10) == 10
        assert limits.count_relevant(100, 250) == 10
        assert limits.count_relevant(4, 100) == 100

    def test_large_inputs_list_omissions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        small = Limits(scores=9, pairs=3, bounds=2, lists=400, relevant=9)
        monkeypatch.setattr(Limits, "from_complete", classmethod(lambda cls, complete: small))
        shown = cf.report_page(QRELS, RUNS, "RR AP", list_depth=4).data
        assert shown["scores"][0] is not None
        assert shown["scores"][1] is None
        assert [pairs is None for pairs in shown["pairs"]] == [False, True]
        assert shown["pairs"][0]["bound_low"][1] == [None]  # y and z: neither is best
        assert shown["pairs"][0]["bound_low"][0][0] is not None
        kept = [topic is not None for topic in shown["lists"]["topics"]]
        assert kept == [True, True, False]  # where scores differ by 1/2, 1 and 1/2
        assert shown["lists"]["topics"][1]["left_out"] == 1
        said = " ".join(shown["left_out"])
        for what in ("Scores per topic", "Pairs of runs", "differences to the best", "Rankings"):
            assert what in said
        assert said.count("--complete") == 4

    def test_complete(self) -> None:
        shown = cf.report_page(QRELS, RUNS, "RR AP", complete=True).data
        assert shown["left_out"] == []

    def test_size(self) -> None:
        """100 runs, 250 topics, 10 measures and 20 documents of each list fit into 8 MB: 250,000
        scores, 500,000 places and 49,500 pairs, if each takes so few bytes.
        """
        shown = data()
        r, t, m = scores().values.shape

        def each(part: Any, count: int) -> float:
            return len(json.dumps(part, separators=(",", ":"))) / count

        assert each(shown["scores"], r * t * m) < 8.5
        assert each([topic["lists"] for topic in shown["lists"]["topics"]], r * t * 5) < 4.5
        parts = [[pairs[x] for x in ("p", "effect", "difference")] for pairs in shown["pairs"]]
        assert each(parts, m * 3 * r * (r - 1) // 2) < 10

    def test_numbers_are_short(self) -> None:
        assert round_number(1 / 3, 4) == 0.3333
        assert json.dumps([round_number(x) for x in (0.0, 1.0, math.inf, math.nan)]) == ("[0, 1, null, null]")


def test_report_is_written_completely_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    made = cf.report_page(QRELS, RUNS, "RR", title="My runs")
    made.save(path)
    assert path.read_text(encoding="utf-8") == made.html
    assert "<title>My runs" in made.html
    assert repr(made).startswith("ReportPage: 3 runs × 3 topics × 1 measure")
    with pytest.raises(cf.CranfieldError, match="cannot write"):
        made.save(tmp_path / "nowhere" / "report.html")


@pytest.mark.parametrize("title", ["", " "])
def test_report_page_empty_title_uses_default(title: str) -> None:
    made = cf.report_page(QRELS, RUNS, "RR", title=title)
    assert made.data["title"] == "Evaluation"
    assert "<title>Evaluation</title>" in made.html
