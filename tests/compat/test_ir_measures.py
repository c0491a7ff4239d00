"""The shim of ir_measures against the package, value by value on random collections."""

from __future__ import annotations

import gzip
import math
import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any, ClassVar

import ir_measures as real_ir
import numpy as np
import pandas as pd
import polars as pl
import pytest

import cranfield as cf
from cranfield.compat import ir_measures
from tests.compat.made import ROUNDING, Nested, collection, own
from tests.evidence import checks

# -- ir_measures --------------------------------------------------------------------------------

ALIKE = (
    *("AP", "AP@5", "AP(rel=2)", "AP(rel=2)@10", "AP(judged_only=True)", "MAP@100"),
    *("nDCG", "nDCG@5", "nDCG(judged_only=True)@5", "NDCG@20", "nDCG(gains={1:0,2:1,3:5})@10"),
    *("nDCG(gains={0:1,1:2,2:4})", "nDCG(gains={3:1})@5", "P@5", "P(rel=2)@10"),
    *("P(judged_only=True)@5", "Precision@3", "R@5", "R(rel=2)@10", "Recall@20", "RR"),
    *("RR(rel=2)", "RR(judged_only=True)", "RR@5", "RR(rel=2)@3", "MRR@10", "Rprec"),
    *("Rprec(rel=2)", "RPrec", "Bpref", "Bpref(rel=2)", "BPref", "infAP", "infAP(rel=2)"),
    *("IPrec@0.0", "IPrec@0.1", "IPrec@0.7", "IPrec(rel=2)@0.3", "IPrec@1.0", "Success@1"),
    *("Success@5", "Success(rel=3)@5", "SetP", "SetP(rel=2)", "SetRelP", "SetP(relative=True)"),
    *("SetR", "SetR(rel=2)", "SetF", "SetF(beta=2.0)", "SetF(beta=0.5,rel=2)", "SetAP"),
    *("SetAP(rel=2)", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRelRet", "NumRel", "NumQ"),
    *("Judged", "Judged@5", "Compat", "Compat(p=0.8)", "Compat(p=0.8,normalize=False)"),
)
GDEVAL = ("nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20", "ERR@5", "ERR@20")
LEVELS = [(0, 1, 2, 3), (-2, -1, 0, 1, 2)]


# Cranfield works with older ones, which it cannot be compared with in this.
OF_NEWER = pytest.mark.skipif(not hasattr(real_ir, "run_inputs"), reason="an ir_measures before 0.4.1")


def assert_alike(text: str, qrels: Nested, run: Nested, within: float) -> None:
    """The same values, topic by topic and in all."""
    theirs = real_ir.calc([real_ir.parse_measure(text)], qrels, run)
    ours = ir_measures.calc([text], qrels, run)
    expected = {m.query_id: m.value for m in theirs.per_query}
    assert {m.query_id: m.value for m in ours.per_query} == pytest.approx(expected, abs=within)
    assert expected.keys() == qrels.keys()
    assert isinstance(theirs.aggregated, dict)
    (total,) = theirs.aggregated.values()
    assert ours.aggregated[text] == pytest.approx(total, abs=within)


class TestMeasuresOfIrMeasures:
    @checks("cf.compat.ir_measures", against="ir_measures")
    @pytest.mark.parametrize("levels", LEVELS)
    @pytest.mark.parametrize("text", ALIKE)
    def test_agree(self, text: str, levels: tuple[int, ...]) -> None:
        for seed in range(3):
            assert_alike(text, *collection(seed, levels, ties=False), within=ROUNDING)

    @pytest.mark.skipif(shutil.which("perl") is None, reason="no perl on the PATH")
    @pytest.mark.parametrize("levels", LEVELS)
    @pytest.mark.parametrize("text", GDEVAL)
    def test_agree_with_gdeval(self, text: str, levels: tuple[int, ...]) -> None:
        """It prints five digits."""
        assert_alike(text, *collection(5, levels, ties=False), within=0.5e-5 + ROUNDING)

    @pytest.mark.parametrize("text", ["Accuracy", "Accuracy@5", "Accuracy(rel=2)"])
    def test_accuracy_agrees_where_it_is_defined(self, text: str) -> None:
        """ir_measures leaves topics out in which no relevant document was returned."""
        qrels, run = collection(4, (0, 1, 2, 3), ties=False)
        measure = real_ir.parse_measure(text)
        for topic in run.keys() & qrels.keys():  # an error of theirs must not hide the others
            (ours,) = ir_measures.iter_calc([text], {topic: qrels[topic]}, run)
            try:
                theirs = list(real_ir.iter_calc([measure], {topic: qrels[topic]}, run))
            except ZeroDivisionError:  # only relevant documents
                assert ours.value == 1.0
                continue
            assert ours.value == pytest.approx(theirs[0].value if theirs else 0.0, abs=ROUNDING)

    def test_rank_biased_precision(self) -> None:
        """By hand, since cwl-eval may not be there: relevant at ranks 1 and 3."""
        qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
        found = ir_measures.calc_aggregate(
            ["RBP(rel=1)", "RBP(p=0.5, rel=1)@2", "RBP(rel=2)", "RBP(p=0.5)"], qrels, run
        )
        expected = [0.2 * (1 + 0.8**2), 0.5, 0.2 * 0.8**2, 0.5 * (0.5 + 0.5**2)]
        assert list(found.values()) == pytest.approx(expected)

    def test_err_takes_level_4_for_the_highest(self) -> None:
        found = ir_measures.ERR.calc_aggregate({"1": {"a": 1}}, {"1": {"a": 1.0}})
        assert found == (2**1 - 1) / 2**4

    def test_absent_topics_count_nothing(self) -> None:
        """As there: NumQ and NumRel see answered topics only, and the means all."""
        qrels = {"1": {"a": 1}, "2": {"a": 1}}
        for module in (ir_measures, real_ir):
            measures = [module.NumQ, module.NumRel, module.RR]
            found = module.calc_aggregate(measures, qrels, {"1": {"a": 1.0}})
            assert [found[m] for m in measures] == [1, 1, 0.5]

    def test_compat_does_not_depend_on_the_sign_of_scores(self) -> None:
        qrels = {"1": {"a": 1, "b": 1}}
        for shift in (0.0, -10.0):
            run = {"1": {"a": 2.0 + shift, "x": 1.0 + shift}}
            assert ir_measures.Compat.calc_aggregate(qrels, run) == pytest.approx(
                real_ir.Compat.calc_aggregate(qrels, {"1": {"a": 2.0, "x": 1.0}})
            )


# -- measures of diversity ------------------------------------------------------------------------

DIVERSE = (
    *("ERR_IA@5", "ERR_IA@20", "ERR_IA(rel=2)@10", "nERR_IA@5", "nERR_IA(rel=2)@20"),
    *("alpha_DCG@5", "alpha_DCG(alpha=0.3)@20", "alpha_DCG(rel=2,alpha=0.8)@10"),
    *("alpha_nDCG@1", "alpha_nDCG@10", "alpha_nDCG(alpha=0.3)@20", "alpha_nDCG(rel=2)@5"),
    *("NRBP", "NRBP(alpha=0.2,beta=0.8)", "NRBP(rel=2)", "nNRBP", "nNRBP(beta=0.9)"),
    *("AP_IA", "AP_IA(rel=2)", "P_IA@1", "P_IA@10", "P_IA(rel=2)@20", "StRecall@1"),
    *("StRecall@10", "StRecall(rel=2)@20"),
)


def for_subtopics(seed: int) -> tuple[list[Any], Nested]:
    """Judgments of some documents for some subtopics, and a run without ties."""
    rng = np.random.default_rng(seed)
    qrels, run = [], {}
    for topic in map(str, range(1, 31)):
        docs = [f"d{i}" for i in rng.permutation(60)[: int(rng.integers(2, 40))]]
        qrels.append(ir_measures.Qrel(topic, "d0", 2, "a"))  # no topic without relevant ones
        for doc in docs[: int(rng.integers(1, len(docs)))]:
            for subtopic in range(int(rng.integers(1, 9))):
                level = int(rng.choice([-2, 0, 0, 1, 1, 2, 3]))
                qrels.append(ir_measures.Qrel(topic, doc, level, str(subtopic)))
        found = rng.permutation(docs)[: int(rng.integers(1, len(docs)))].tolist()
        run[topic] = dict(zip(found, rng.permutation(100)[: len(found)].tolist(), strict=True))
    del run["7"]
    return qrels, run


class TestDiversityOfIrMeasures:
    @checks("cf.compat.ir_measures", against="ndeval")
    @pytest.mark.slow
    @pytest.mark.parametrize("text", DIVERSE)
    def test_agree(self, text: str) -> None:
        for seed in range(3):
            qrels, run = for_subtopics(seed)
            theirs = real_ir.calc([real_ir.parse_measure(text)], qrels, run)
            ours = ir_measures.calc([text], qrels, run)
            expected = {m.query_id: m.value for m in theirs.per_query}
            found = {m.query_id: m.value for m in ours.per_query}
            assert found == pytest.approx(expected, abs=ROUNDING)
            assert len(expected) == 30
            assert expected["7"] == 0
            assert isinstance(theirs.aggregated, dict)
            (total,) = theirs.aggregated.values()
            assert ours.aggregated[text] == pytest.approx(total, abs=ROUNDING)

    @pytest.mark.parametrize("text", ["ERR_IA@5", "alpha_nDCG@10", "AP_IA", "P_IA@5"])
    def test_judged_only(self, text: str) -> None:
        """ir_measures itself breaks down on it: it is given runs without unjudged documents."""
        qrels, run = for_subtopics(4)
        judged = {(row.query_id, row.doc_id) for row in qrels}
        seen = {t: {d: x for d, x in docs.items() if (t, d) in judged} for t, docs in run.items()}
        assert seen != run
        expected = real_ir.parse_measure(text).calc_aggregate(qrels, seen)
        found = ir_measures.parse_measure(text)(judged_only=True).calc_aggregate(qrels, run)
        assert found == pytest.approx(expected, abs=ROUNDING)

    @pytest.mark.parametrize("text", ["ERR_IA", "alpha_DCG"])
    def test_the_first_rank_is_normalised_like_the_others(self, text: str) -> None:
        """ndeval forgets it: two subtopics, both served, are 2 there and 1 here."""
        qrels = [ir_measures.Qrel("1", "d", 1, subtopic) for subtopic in "ab"]
        for module, value in ((real_ir, 2.0), (ir_measures, 1.0)):
            measure = module.parse_measure(f"{text}@1")
            assert measure.calc_aggregate(qrels, {"1": {"d": 1.0}}) == value

    def test_a_topic_without_relevant_documents_scores_zero(self) -> None:
        qrels = [ir_measures.Qrel("1", "d", 0, subtopic) for subtopic in "ab"]
        assert math.isnan(real_ir.nNRBP.calc_aggregate(qrels, {"1": {"d": 1.0}}))
        assert ir_measures.nNRBP.calc_aggregate(qrels, {"1": {"d": 1.0}}) == 0

    def test_two_settings_in_one_call(self) -> None:
        """One relevant document, at rank 2: 1/log2(3). ir_measures has read the run to its end when
        it comes to the other setting, whichever that is."""
        qrels = [ir_measures.Qrel("1", "a", 1, "x")]
        for module, other in ((real_ir, 0.0), (ir_measures, 1 / math.log2(3))):
            measures = [module.parse_measure(f"alpha_nDCG{x}@5") for x in ("", "(alpha=0.3)")]
            found = module.calc_aggregate(measures, qrels, {"1": {"c": 2.0, "a": 1.0}})
            assert sorted(found.values()) == pytest.approx([other, 1 / math.log2(3)])

    def test_equal_scores_are_in_trec_s_order(self) -> None:
        """As for all other measures: b before a. pyndeval has a first."""
        qrels = [ir_measures.Qrel("1", "a", 1, "x"), ir_measures.Qrel("1", "b", 1, "y")]
        qrels += [ir_measures.Qrel("1", "b", 1, "z")]
        for module, value in ((real_ir, 1 / 3), (ir_measures, 2 / 3)):
            measure = module.parse_measure("StRecall@1")
            found = measure.calc_aggregate(qrels, {"1": {"a": 1.0, "b": 1.0}})
            assert found == pytest.approx(value)


class TestSubtopics:
    """StRecall@1 of a list that begins with a document for one of two subtopics."""

    RUN: ClassVar[Nested] = {"q1": {"a": 0.9, "b": 0.4}}
    ROWS = (("q1", "a", 1, "x"), ("q1", "b", 1, "y"), ("q1", "a", 0, "y"))

    def forms(self, tmp_path: Path) -> list[Any]:
        names = ("query_id", "doc_id", "relevance", "iteration")
        columns = {name: [row[i] for row in self.ROWS] for i, name in enumerate(names)}
        path = tmp_path / "qrels.txt"
        path.write_text("".join(f"{t} {i} {d} {x}\n" for t, d, x, i in self.ROWS))
        other = namedtuple("other", ["doc_id", "iteration", "relevance", "query_id"])
        return [
            [ir_measures.Qrel(*row) for row in self.ROWS],
            iter([real_ir.Qrel(*row) for row in self.ROWS]),
            [other(d, i, x, t) for t, d, x, i in self.ROWS],
            ir_measures.read_trec_qrels(path),
            str(path),
            cf.read_qrels(path, by_intent=True),
            pd.DataFrame(columns),
            pl.DataFrame(columns),
            {"q1": {"x": {"a": 1}, "y": {"b": 1, "a": 0}}},
        ]

    def test_forms(self, tmp_path: Path) -> None:
        for qrels in self.forms(tmp_path):
            assert ir_measures.StRecall(cutoff=1).calc_aggregate(qrels, self.RUN) == 0.5

    def test_without_iterations_there_is_one(self) -> None:
        plain = {"q1": {"a": 1, "b": 1}}
        rows = [("q1", doc, 1) for doc in "ab"]
        columns = dict(zip(("query_id", "doc_id", "relevance"), zip(*rows, strict=True), strict=True))
        short = namedtuple("short", ["query_id", "doc_id", "relevance"])
        named = [short(*row) for row in rows]
        for qrels in (plain, cf.read_qrels(plain), pd.DataFrame(columns), named):
            assert ir_measures.StRecall(cutoff=1).calc_aggregate(qrels, self.RUN) == 1.0

    def test_beside_other_measures(self) -> None:
        """To these a document has the highest level of any subtopic, whatever the order."""
        for rows in (self.ROWS, self.ROWS[::-1]):
            qrels = [ir_measures.Qrel(*row) for row in rows]
            measures = [ir_measures.P @ 1, ir_measures.StRecall @ 1, ir_measures.NumRel]
            found = ir_measures.calc_aggregate(measures, qrels, self.RUN)
            assert list(found.values()) == [1.0, 0.5, 2.0]

    def test_other_forms_are_refused(self) -> None:
        with pytest.raises(cf.InputError, match=r"qrels: found .*, expected a dict of dicts"):
            ir_measures.StRecall.calc_aggregate([("q1", "x", "a", 1)], self.RUN)


class TestNamesOfIrMeasures:
    @pytest.mark.parametrize("text", [*ALIKE, *GDEVAL, *DIVERSE, "P(rel=1)@5", "SetF(beta=1.0)", "ERR", "α_nDCG@5"])
    def test_printed_as_there(self, text: str) -> None:
        ours = ir_measures.parse_measure(text)
        assert str(ours) == repr(ours) == str(real_ir.parse_measure(text))
        assert ir_measures.parse_measure(str(ours)) == ours

    @OF_NEWER
    def test_every_name_is_here_or_known_not_to_be(self) -> None:
        """Besides modules and the logger."""
        absent = {"__version__", "lazylibs", "measures", "providers", "util"}
        assert set(real_ir.__all__) - set(ir_measures.__all__) == absent
        assert set(ir_measures.__all__) - set(real_ir.__all__) == {"qrel_inputs", "run_inputs"}
        assert all(hasattr(real_ir, name) for name in ir_measures.__all__)

    def test_every_measure_is_what_it_is_there(self) -> None:
        values = {name: getattr(ir_measures, name) for name in ir_measures.__all__}
        ours = {name: x for name, x in values.items() if isinstance(x, ir_measures.Measure)}
        assert ours.keys() == own(real_ir.measures.registry)
        for name, measure in ours.items():
            there = getattr(real_ir, name)
            assert str(measure) == str(there)
            assert (measure.NAME, measure.AT_PARAM) == (there.NAME, there.AT_PARAM)
            assert measure.DEFAULT == there.DEFAULT
            assert measure.SUPPORTED_PARAMS.keys() == there.SUPPORTED_PARAMS.keys()
            for key, known in there.SUPPORTED_PARAMS.items():
                given = real_ir.providers.base.NOT_PROVIDED
                expected = None if known.default is given else known.default
                assert measure.SUPPORTED_PARAMS[key].default == expected, (name, key)
                needed = known.required and name not in ("SetP", "IPrec")
                assert measure.SUPPORTED_PARAMS[key].required in (needed, False), (name, key)
            assert type(measure.aggregator()).__name__ == type(there.aggregator()).__name__
            for value in (0.25, 2):
                mine, theirs = measure.aggregator(), there.aggregator()
                mine.add(value)
                theirs.add(value)
                assert mine.result() == theirs.result()

    def test_written_in_python(self) -> None:
        m = ir_measures
        assert m.P(rel=2) @ 5 == (m.P @ 5)(rel=2) == m.parse_measure("P(rel=2)@5")
        assert m.P(rel=1) @ 5 == m.P @ 5 != m.P(rel=2) @ 5
        assert m.IPrec @ 0.1 == m.IPrec(recall=0.1)
        assert m.AP != "AP"
        assert len({m.AP, m.MAP, m.parse_measure("AP")}) == 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("INSTANT", "unknown measure"),
            ("INST", "'INST': required parameter max_rel is missing"),
            ("SDCG(max_rel=2)", "required parameter cutoff is missing"),
            ("INST(max_rel=1, min_rel=1)", "found min_rel=1, expected less than max_rel"),
            ("NRBP@10", "NRBP has no parameter 'cutoff'"),
            ("ERR_IA(alpha=0.3)@10", "ERR_IA has no parameter 'alpha'"),
            ("alpha_nDCG(alpha=2)@10", "alpha must be a number in .0, 1., found 2"),
            ("NRBP(beta=1)", "beta must be a number between 0 and 1, found 1"),
            ("P(depth=3)", "P has no parameter 'depth'"),
            ("Bpref@5", "Bpref has no parameter 'cutoff'"),
            ("P(2)@5", r"cannot read the parameters \(2\)"),
            ("P(rel=open('x'))", "cannot read the parameters"),
            ("P(rel=", "expected Name"),
            ("P@", "expected Name"),
            ("P@0", "cutoff must be an integer ≥ 1"),
            ("nDCG(dcg='e')", "invalid gain 'e'"),
            ("IPrec", "recall missing"),
        ],
    )
    def test_mistakes_are_told(self, text: str, message: str) -> None:
        with pytest.raises(cf.CranfieldError, match=message):
            ir_measures.calc_aggregate([text], {"1": {"a": 1}}, {"1": {"a": 1.0}})

    def test_measures_of_cranfield_are_not_taken_for_theirs(self) -> None:
        """AP@5 divides by something else here and there."""
        for measure in (cf.AP @ 5, cf.AP):
            with pytest.raises(cf.CranfieldError, match="found cranfield's own AP"):
                ir_measures.calc_aggregate([measure], {"1": {"a": 1}}, {"1": {"a": 1.0}})


# -- judgments, runs and results -------------------------------------------------------------------

SMALL_QRELS: Nested = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
SMALL_RUN: Nested = {"q1": {"a": 0.4, "b": 0.9, "x": 0.1}, "q9": {"a": 1.0}}
MEASURES = (ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.NumRet)
# as other packages have them: more fields, in another order
Judgment = namedtuple("Judgment", ["doc_id", "relevance", "query_id", "subtopic"])


def judgments() -> list[Any]:
    rows = [(t, d, x) for t, docs in SMALL_QRELS.items() for d, x in docs.items()]
    columns = {n: [r[i] for r in rows] for i, n in enumerate(("query_id", "doc_id", "relevance"))}
    return [
        SMALL_QRELS,
        [ir_measures.Qrel(*row) for row in rows],
        (ir_measures.Qrel(*row, iteration="7") for row in rows),
        [real_ir.Qrel(*row) for row in rows],
        [Judgment(d, x, t, "0") for t, d, x in rows],
        ir_measures.read_trec_qrels("".join(f"{t} 0 {d} {x}\n" for t, d, x in rows)),
        pd.DataFrame(columns),
        pd.DataFrame(columns | {"iteration": ["0"] * len(rows)}),
        pl.DataFrame(columns),
    ]


def runs() -> list[Any]:
    rows = [(t, d, x) for t, docs in SMALL_RUN.items() for d, x in docs.items()]
    columns = {n: [r[i] for r in rows] for i, n in enumerate(("query_id", "doc_id", "score"))}
    return [
        SMALL_RUN,
        [ir_measures.ScoredDoc(*row) for row in rows],
        (ir_measures.ScoredDoc(*row) for row in rows),
        [real_ir.ScoredDoc(*row) for row in rows],
        ir_measures.read_trec_run("".join(f"{t} Q0 {d} 1 {x} tag\n" for t, d, x in rows)),
        pd.DataFrame(columns),
        pd.DataFrame(columns | {"rank": range(len(rows))}),
        pl.DataFrame(columns),
    ]


class TestForms:
    @pytest.mark.parametrize("form", range(len(judgments())))
    def test_judgments(self, form: int) -> None:
        expected = real_ir.calc_aggregate([real_ir.AP], SMALL_QRELS, SMALL_RUN)[real_ir.AP]
        found = ir_measures.calc_aggregate([ir_measures.AP], judgments()[form], SMALL_RUN)
        assert found == {ir_measures.AP: pytest.approx(expected)}

    @pytest.mark.parametrize("form", range(len(runs())))
    def test_runs(self, form: int) -> None:
        expected = ir_measures.calc(MEASURES, SMALL_QRELS, SMALL_RUN)
        assert ir_measures.calc(MEASURES, SMALL_QRELS, runs()[form]) == expected

    @pytest.mark.parametrize("run", [{}, [], iter([]), pd.DataFrame(columns=["query_id", "doc_id", "score"])])
    def test_an_empty_run_scores_nothing(self, run: Any) -> None:
        found = ir_measures.calc_aggregate(MEASURES, SMALL_QRELS, run)
        assert found == dict.fromkeys(MEASURES, 0.0)

    @pytest.mark.parametrize("qrels", [{}, [], pd.DataFrame(columns=["query_id", "doc_id", "relevance"])])
    def test_without_judgments_there_is_nothing(self, qrels: Any) -> None:
        """No values, NaN for means, and counts of 0."""
        texts = ["AP", "nDCG@10", "NumRet", "NumQ", "INST(max_rel=3)"]
        for measures in (texts, ["alpha_nDCG@5"]):
            ours = ir_measures.calc(measures, qrels, SMALL_RUN)
            theirs = real_ir.calc([real_ir.parse_measure(m) for m in measures], qrels, SMALL_RUN)
            assert ours.per_query == []
            assert theirs.per_query == []
            assert isinstance(theirs.aggregated, dict)
            expected = {str(m): value for m, value in theirs.aggregated.items()}
            assert ours.aggregated == pytest.approx(expected, nan_ok=True)
        assert list(ir_measures.iter_calc(texts, iter([]), SMALL_RUN)) == []

    def test_frames_have_its_columns_and_no_others(self) -> None:
        """What else looks like a topic or a document is not looked at."""
        rows = [(t, d, x) for t, docs in SMALL_QRELS.items() for d, x in docs.items()]
        n = len(rows)
        qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
        decoys = {"qid": "x", "query": "some words", "docno": "y", "label": 7, "topic": "z"}
        rows = [(t, d, x) for t, docs in SMALL_RUN.items() for d, x in docs.items()]
        run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
        more = {"docno": "y", "docid": 3, "rank": 1, "query": "words", "run": "many", "tag": "b"}
        expected = ir_measures.calc(MEASURES, SMALL_QRELS, SMALL_RUN)
        pairs = [(qrels.assign(**decoys), run.assign(**more))]
        pairs += [(pl.from_pandas(a), pl.from_pandas(b)) for a, b in pairs]
        pairs += [(pl.from_pandas(a).lazy(), pl.from_pandas(b).lazy()) for a, b in pairs[:1]]
        for judged, ranked in pairs:
            assert len(qrels) == n
            assert ir_measures.calc(MEASURES, judged, ranked) == expected
        theirs = real_ir.calc_aggregate([real_ir.AP], *pairs[0])
        assert theirs[real_ir.AP] == expected.aggregated[ir_measures.AP]

    @pytest.mark.parametrize("missing", ["query_id", "doc_id", "score", "relevance"])
    def test_other_columns_are_refused(self, missing: str) -> None:
        """PyTerrier's qid, docno and label are not taken for its own, there or here."""
        qrels = pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "relevance": [1]})
        run = pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "score": [1.0]})
        names = {missing: {"query_id": "qid", "doc_id": "docno"}.get(missing, "label")}
        frames = (qrels.rename(columns=names), run.rename(columns=names))
        with pytest.raises(cf.InputError, match=f"found no column {missing} among"):
            ir_measures.AP.calc_aggregate(*frames)
        with pytest.raises(ValueError, match=missing):
            real_ir.AP.calc_aggregate(*frames)

    def test_booleans_and_infinity_are_numbers(self) -> None:
        qrels: Nested = {"q1": {"a": True, "b": False}}
        run = {"q1": {"x": math.inf, "a": 1.0, "b": -math.inf}}
        for module in (ir_measures, real_ir):
            judged = [module.Qrel("q1", doc, level) for doc, level in qrels["q1"].items()]
            ranked = [module.ScoredDoc("q1", doc, score) for doc, score in run["q1"].items()]
            assert module.RR.calc_aggregate(qrels, run) == 0.5
            assert module.RR.calc_aggregate(judged, ranked) == 0.5
            assert module.RR.calc_aggregate(judged, pd.DataFrame(ranked)) == 0.5
        subtopics = [ir_measures.Qrel("q1", "a", True, "x")]
        assert ir_measures.StRecall(cutoff=2).calc_aggregate(subtopics, run) == 1.0

    def test_topics_are_in_the_order_of_the_run(self) -> None:
        """Those that it does not answer come last."""
        qrels = {topic: {"a": 1} for topic in "fbecad"}
        run = {topic: {"a": 1.0} for topic in ("e", "zz", "a", "d")}
        rows = [(t, d, x) for t, docs in run.items() for d, x in docs.items()]
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
        for form in (run, [ir_measures.ScoredDoc(*row) for row in rows], frame):
            for text in ("AP", "RR@5", "Judged@5", "INST(max_rel=1)", "Compat"):
                ours = ir_measures.parse_measure(text).iter_calc(qrels, form)
                theirs = real_ir.parse_measure(text).iter_calc(qrels, form)
                order = [metric.query_id for metric in theirs]
                assert [metric.query_id for metric in ours] == order == [*"eadbcf"]

    @pytest.mark.parametrize("wrong", [3, [("q1", "a", 1)], ["q1 0 a 1"]])
    def test_other_forms_are_refused(self, wrong: Any) -> None:
        with pytest.raises(cf.InputError, match=r"qrels: found .*, expected a dict of dicts"):
            ir_measures.calc_aggregate(MEASURES, wrong, SMALL_RUN)

    def test_a_document_twice_is_refused(self) -> None:
        twice = [ir_measures.ScoredDoc("q1", "a", 1.0), ir_measures.ScoredDoc("q1", "a", 2.0)]
        with pytest.raises(cf.InputError, match="duplicate document 'a' in topic q1"):
            ir_measures.calc_aggregate(MEASURES, SMALL_QRELS, twice)

    def test_files(self, tmp_path: Path) -> None:
        """From a path, compressed or not, from a stream and from the text itself."""
        cases = [
            ("read_trec_qrels", "q1 0 a 2\n\nq2 i b -1\n"),
            ("read_trec_run", "q1 Q0 a 1 2.5 t\nq2 Q0 b 1 -1e-3 t\n"),
        ]
        for name, text in cases:
            (tmp_path / "plain").write_text(text)
            (tmp_path / "small.gz").write_bytes(gzip.compress(text.encode()))
            read = getattr(ir_measures, name)
            expected = [tuple(row) for row in getattr(real_ir, name)(text)]
            assert len(expected) == 2
            for file in (text, str(tmp_path / "plain"), tmp_path / "small.gz"):
                assert [tuple(row) for row in read(file)] == expected
            with (tmp_path / "plain").open() as stream:
                assert [tuple(row) for row in read(stream)] == expected


class TestResults:
    def test_keys_are_what_was_passed(self) -> None:
        measures = [ir_measures.AP @ 5, "AP@5", real_ir.AP @ 5]
        found = ir_measures.calc(measures, SMALL_QRELS, SMALL_RUN)
        for key, measure in zip(found.aggregated, measures, strict=True):
            assert key is measure
        assert set(found.aggregated.values()) == {0.125}
        assert [m.measure for m in found.per_query] == measures * 2

    def test_one_evaluator_for_many_runs(self) -> None:
        evaluator = ir_measures.evaluator(iter(MEASURES), iter(judgments()[1]))
        for run in (SMALL_RUN, {"q2": {"a": 1.0}}, SMALL_RUN):
            expected = ir_measures.calc(MEASURES, SMALL_QRELS, run)
            assert evaluator.calc(run) == expected
            assert evaluator.calc_aggregate(run) == expected.aggregated
            assert list(evaluator.iter_calc(run)) == expected.per_query

    def test_measures_calculate_themselves(self) -> None:
        ours, theirs = ir_measures.P @ 2, real_ir.P @ 2
        assert ours.calc_aggregate(SMALL_QRELS, SMALL_RUN) == 0.25
        assert theirs.calc_aggregate(SMALL_QRELS, SMALL_RUN) == 0.25
        expected = sorted((m.query_id, m.value) for m in theirs.iter_calc(SMALL_QRELS, SMALL_RUN))
        found = ours.calc(SMALL_QRELS, SMALL_RUN)
        assert found.aggregated == 0.25
        assert [(m.query_id, m.value) for m in found.per_query] == expected
        assert list(ours.iter_calc(SMALL_QRELS, SMALL_RUN)) == found.per_query
        assert ours.evaluator(SMALL_QRELS).calc_aggregate(SMALL_RUN) == {ours: 0.25}

    def test_one_measure_without_a_list(self) -> None:
        either: list[Any] = [ir_measures.RR, "RR"]
        for measure in either:
            found = ir_measures.calc_aggregate(measure, SMALL_QRELS, SMALL_RUN)
            assert found == {measure: 0.25}


# -- trec_eval's names, user models, measures of one's own, providers ------------------------------


class TestNamesOfTrecEval:
    @pytest.mark.parametrize(
        "name",
        [
            *("ndcg", "P", "map_cut", "set_map", "set_P", "infAP", "bpref", "num_rel_ret"),
            *("recip_rank", "recall", "set_recall", "set_relative_P", "num_ret", "num_rel"),
            *("ndcg_cut", "Rprec", "num_q", "map", "success", "set_F", "iprec_at_recall"),
            *("P_5", "P.5,10", "ndcg_cut_10", "map_cut.7", "set_F.2", "set_F_0.5"),
            *("iprec_at_recall.0.25", "iprec_at_recall_0.1,0.5", "official", "set", "all_trec"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:.* without")
    def test_mean_what_they_mean_there(self, name: str) -> None:
        expected = list(map(str, real_ir.parse_trec_measure(name)))
        assert list(map(str, ir_measures.parse_trec_measure(name))) == expected
        with pytest.deprecated_call():
            assert list(map(str, ir_measures.convert_trec_name(name))) == expected

    @pytest.mark.parametrize("name", ["foo", "gm_map", "map_5", "P_5.5", "11pt_avg", "P_", ""])
    def test_what_is_refused_in_both(self, name: str) -> None:
        for module in (ir_measures, real_ir):
            with pytest.raises(ValueError, match=r"measure|argument|literal|supported"):
                module.parse_trec_measure(name)

    def test_what_is_left_out_is_said(self) -> None:
        with pytest.warns(UserWarning, match="^official without gm_map$"):
            ir_measures.parse_trec_measure("official")


MODELS = (
    *("INST(max_rel=3)", "INST(max_rel=3,T=2.0)", "INST(min_rel=1,max_rel=2)"),
    *("INSQ(max_rel=3)", "INSQ(T=3.0,max_rel=4)", "BPM(max_rel=3)@5", "BPM(T=2.0,max_rel=3)@20"),
    *("SDCG(max_rel=3)@5", "SDCG(max_rel=2)@30", "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10"),
    *("NERR10(max_rel=3)", "NERR10(p=0.5,max_rel=4)", "NERR11(max_rel=3)"),
    *("NERR11(T=2.0,max_rel=3)", "RBP(rel=1)", "RBP(rel=2,p=0.95)"),
)


def assert_five_alike(ours: Any, theirs: Any) -> None:
    """The same metrics, topic by topic and number by number."""
    found, expected = ({m.query_id: m for m in metrics} for metrics in (ours, theirs))
    assert list(found) == list(expected)
    for topic, metric in expected.items():
        assert type(found[topic]).__name__ == type(metric).__name__
        assert found[topic]._fields == metric._fields
        assert str(found[topic].measure) == str(metric.measure)
        assert found[topic][2:] == pytest.approx(metric[2:], abs=1e-9)


class TestUserModels:
    @pytest.mark.parametrize(
        ("text", "limits"),
        [("INST(max_rel=1)", "min_rel=0 to max_rel=1"), ("INST(min_rel=1,max_rel=2)", "min_rel=1")],
    )
    def test_levels_beyond_the_ends_are_told(self, text: str, limits: str) -> None:
        with pytest.warns(UserWarning, match=f"^found levels from 0 to 2, expected {limits}"):
            ir_measures.parse_measure(text).calc_aggregate(SMALL_QRELS, SMALL_RUN)

    @pytest.mark.filterwarnings("ignore:found levels")
    @pytest.mark.parametrize("levels", LEVELS)
    @pytest.mark.parametrize("text", MODELS)
    def test_agree(self, text: str, levels: tuple[int, ...]) -> None:
        """With cwl-eval, by way of ir_measures: all five numbers."""
        qrels, run = collection(11, levels, ties=False)
        measure = real_ir.parse_measure(text)
        theirs = real_ir.calc([measure], qrels, run)
        ours = ir_measures.calc([text], qrels, run)
        assert_five_alike(ours.per_query, theirs.per_query)
        assert sum(len(metric) == 7 for metric in ours.per_query) == 58
        assert isinstance(theirs.aggregated, dict)
        assert ours.aggregated[text] == pytest.approx(theirs.aggregated[measure], abs=1e-9)

    @pytest.mark.parametrize("text", ["P@5", "P(rel=2)@10", "RR", "AP", "RR(rel=2)"])
    def test_cwl_eval_reads_others_as_user_models(self, text: str) -> None:
        qrels, run = collection(12, (0, 1, 2, 3), ties=False)
        ours = ir_measures.cwl_eval.iter_calc([text], qrels, run)
        theirs = real_ir.cwl_eval.iter_calc([real_ir.parse_measure(text)], qrels, run)
        assert_five_alike(ours, theirs)

    def test_beside_other_measures(self) -> None:
        measures = [ir_measures.AP, ir_measures.INST(max_rel=2), ir_measures.P @ 5]
        found = ir_measures.calc(measures, SMALL_QRELS, SMALL_RUN)
        assert [type(m).__name__ for m in found.per_query[:3]] == ["Metric", "CwlMetric", "Metric"]
        alone = ir_measures.INST(max_rel=2).calc_aggregate(SMALL_QRELS, SMALL_RUN)
        assert found.aggregated[measures[1]] == alone


def share(qrels: Any, run: Any) -> float:
    """Of the documents returned, those that are relevant."""
    return float(run["doc_id"].isin(qrels[qrels["relevance"] > 0]["doc_id"]).mean())


def scores_of_all(qrels: Any, run: Any) -> list[tuple[str, float]]:
    """The best score of each list, and how many judgments there are."""
    best = run.groupby("query_id")["score"].max()
    return [(topic, score + len(qrels)) for topic, score in best.items()]


class TestMeasuresOfOnesOwn:
    def forms(self, module: Any) -> list[tuple[Any, Any]]:
        judged = [module.Qrel(t, d, x) for t, docs in SMALL_QRELS.items() for d, x in docs.items()]
        ranked = [module.ScoredDoc(t, d, x) for t, ds in SMALL_RUN.items() for d, x in ds.items()]
        return [
            (SMALL_QRELS, SMALL_RUN),
            (judged, ranked),
            (iter(judged), iter(ranked)),
            (pd.DataFrame(judged), pd.DataFrame(ranked)),
        ]

    def made(self, module: Any) -> list[Any]:
        by_query = module.define_byquery(share)
        of_all = module.define(scores_of_all, "best", support_cutoff=False)
        return [by_query, by_query @ 1, of_all, module.P @ 2]

    def test_agree(self) -> None:
        for ours, theirs in zip(self.forms(ir_measures), self.forms(real_ir), strict=True):
            mine, expected = (
                module.calc(self.made(module), *form) for module, form in ((ir_measures, ours), (real_ir, theirs))
            )
            found = {(m.query_id, str(m.measure)): m.value for m in mine.per_query}
            assert found == {(m.query_id, str(m.measure)): m.value for m in expected.per_query}
            assert {("q9", "share"), ("q2", "share@1")} <= found.keys()
            assert isinstance(expected.aggregated, dict)
            aggregated = {str(m): value for m, value in expected.aggregated.items()}
            assert {str(m): value for m, value in mine.aggregated.items()} == aggregated

    def test_frames_are_in_order_and_whole(self) -> None:
        """As there: by topic, then judgments by document and results by score."""
        qrels = pd.DataFrame(
            [("q2", "b", 1, "x"), ("q1", "c", 0, "y"), ("q1", "a", 2, "z")],
            columns=["query_id", "doc_id", "relevance", "why"],
        )
        run = pd.DataFrame(
            [("q2", "b", 1.0, 9), ("q1", "c", 0.5, 8), ("q1", "a", 2.5, 7)],
            columns=["query_id", "doc_id", "score", "length"],
        )
        seen: dict[str, list[Any]] = {}
        for module in (ir_measures, real_ir):

            def look(qrels: Any, run: Any, name: str = module.__name__) -> list[Any]:
                seen[name] = [x.to_dict("list") for x in (qrels, run)]
                return []

            assert math.isclose(module.define(look, "look").calc_aggregate(qrels, run), 0)
        ours, theirs = seen.values()
        assert ours == theirs
        assert ours[1]["length"] == [7, 8, 9]

    @OF_NEWER
    def test_without_documents(self) -> None:
        """Measures may need other columns than ours."""
        qrels = pd.DataFrame({"query_id": ["q1"], "answer": ["yes"]})
        run = pd.DataFrame({"query_id": ["q1"], "said": ["yes"]})
        for module in (ir_measures, real_ir):
            right = module.define_byquery(
                lambda q, r: float(q["answer"].iloc[0] == r["said"].iloc[0]),
                name="right",
                support_cutoff=False,
                run_inputs=["query_id", "said"],
                qrel_inputs=["query_id", "answer"],
            )
            assert right.calc_aggregate(qrels, run) == 1.0
            assert sorted(module.run_inputs([right])) == ["query_id", "said"]
            assert sorted(module.qrel_inputs([right])) == ["answer", "query_id"]
            both = module.run_inputs([right, module.AP])
            assert sorted(both) == ["doc_id", "query_id", "said", "score"]

    @OF_NEWER
    def test_names(self) -> None:
        for module in (ir_measures, real_ir):
            named = module.define(scores_of_all, "best")
            assert (str(named), str(named @ 3), named.NAME) == ("best", "best@3", "best")
            assert "object at" in str(module.define(scores_of_all))
            assert str(module.define_byquery(share)) == "share"
            assert sorted(named.RUN_INPUTS) == ["doc_id", "query_id", "score"]

    def test_no_topic_column_is_an_error(self) -> None:
        wrong = pd.DataFrame({"qid": ["q1"]})
        with pytest.raises(cf.InputError, match="found no column query_id among qid"):
            ir_measures.define(scores_of_all).calc_aggregate(wrong, SMALL_RUN)


class TestProviders:
    NAMES = (
        *("accuracy", "compat", "cwl_eval", "gdeval", "judged", "msmarco", "pyndeval"),
        *("pytrec_eval", "ranx", "runtime", "trectools"),
    )

    def test_names(self) -> None:
        assert set(self.NAMES) == own(real_ir.providers.registry)
        for name in self.NAMES:
            assert getattr(ir_measures, name).NAME == getattr(real_ir, name).NAME == name
            assert getattr(ir_measures, name).is_available()

    @pytest.mark.parametrize("name", NAMES)
    def test_they_have_the_same_measures(self, name: str) -> None:
        for text in (
            *ALIKE,
            *GDEVAL,
            *DIVERSE,
            *MODELS,
            "Accuracy",
            "RBP(rel=1)@5",
            "NumRel(rel=2)",
        ):
            ours = getattr(ir_measures, name).supports(ir_measures.parse_measure(text))
            theirs = getattr(real_ir, name).supports(real_ir.parse_measure(text))
            assert ours == theirs, text
        for module in (ir_measures, real_ir):
            own = module.define(scores_of_all, "best")
            assert getattr(module, name).supports(own) == (name == "runtime")

    @OF_NEWER
    def test_they_compute(self) -> None:
        for module in (ir_measures, real_ir):
            provider, measure = module.pytrec_eval, module.AP
            assert provider.calc_aggregate([measure], SMALL_QRELS, SMALL_RUN) == {measure: 0.125}
            assert provider.calc([measure], SMALL_QRELS, SMALL_RUN).aggregated == {measure: 0.125}
            evaluator = provider.evaluator([measure], SMALL_QRELS)
            assert evaluator.calc_aggregate(SMALL_RUN) == {measure: 0.125}
            found = list(provider.iter_calc([measure], SMALL_QRELS, SMALL_RUN))
            assert [(m.query_id, m.value) for m in found] == [("q1", 0.25), ("q2", 0.0)]
            assert set(provider.run_inputs([measure])) == {"query_id", "doc_id", "score"}
            with pytest.deprecated_call(), module.calc_ctxt([measure], SMALL_QRELS) as evaluate:
                assert [m.value for m in evaluate(SMALL_RUN)] == [0.25, 0.0]

    def test_what_they_do_not_have_is_refused(self) -> None:
        with pytest.raises(cf.CranfieldError, match=r"measure 'ERR@5', expected .*pytrec_eval's"):
            ir_measures.pytrec_eval.evaluator([ir_measures.ERR @ 5], SMALL_QRELS)

    def test_names_of_before(self) -> None:
        for module in (ir_measures, real_ir):
            with pytest.deprecated_call():
                assert module.GenericQrel("q1", "a", 1) == ("q1", "a", 1, "0")
            with pytest.deprecated_call():
                assert module.GenericScoredDoc("q1", "a", 1.0) == ("q1", "a", 1.0)
            with pytest.deprecated_call():
                assert list(module.parse_trec_qrels("q1 0 a 1\n")) == [("q1", "a", 1, "0")]
            with pytest.deprecated_call():
                assert list(module.parse_trec_run("q1 0 a 1 2 t\n")) == [("q1", "a", 2.0)]
