"""The provider of ir_measures: through the package, our measures have the values of `evaluate`."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import ir_measures
import pandas as pd
import polars as pl
import pytest
from ir_measures import Qrel, ScoredDoc
from ir_measures.__main__ import main_cli

import cranfield as cf
from cranfield.compat import provider
from cranfield.compat.provider import CranfieldMeasure
from tests.compat.made import ROUNDING, Nested, collection, own

QRELS: Nested = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
RUN: Nested = {"q1": {"b": 0.9, "x": 0.5, "a": 0.1}, "q9": {"a": 1.0}}
KNOWN = sorted(set(ir_measures.measures.registry) - own(ir_measures.measures.registry))


def values(measures: list[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    """The value of each topic and measure, of which there is one."""
    found = list(ir_measures.iter_calc(measures, qrels, run))
    assert len({(m.query_id, m.measure) for m in found}) == len(found)
    return {(m.query_id, str(m.measure)): m.value for m in found}


class TestOurMeasures:
    def test_by_hand(self) -> None:
        """Q with beta = 1: (1 + 1) / (1 + 2) at rank 1 and (2 + 3) / (3 + 3) at rank 3, R = 2."""
        found = values([provider.measure("Q@10")], QRELS, RUN)
        assert found == {
            ("q1", "Q@10"): pytest.approx((2 / 3 + 5 / 6) / 2),
            ("q2", "Q@10"): 0.0,
        }
        both = ir_measures.calc([provider.measure("Q@10")], QRELS, RUN)
        aggregated: Any = both.aggregated
        assert aggregated == {provider.measure("Q@10"): pytest.approx(0.375)}
        assert len(both.per_query) == 2

    @pytest.mark.parametrize("ties", [False, True])
    def test_are_those_of_evaluate_to_the_last_bit(self, ties: bool) -> None:
        """Every measure that ir_measures knows by now, and some with parameters."""
        qrels, run = collection(3, (0, 1, 2, 3), ties)
        plain = [n for n in KNOWN if cf.parse_measure(n).takes == "lists"]
        texts = [*plain, "Q(beta=10)@10", "nDCG(gain=exp)@5", "RBP(p=0.5).ED", "AP(rel=2)@10"]
        assert len(texts) > 50
        measures = [provider.measure(text) for text in texts]
        expected = cf.evaluate(qrels, run, texts)
        found = values(measures, qrels, run)
        assert len(found) == len(texts) * 60
        aggregated = ir_measures.calc_aggregate(measures, qrels, run)
        for name, m in zip(expected.measures, measures, strict=True):
            assert aggregated[m] == expected.summary()["run"][name]
            for topic in expected.topics:
                assert found[topic, str(m)] == expected["run", topic, name]

    def test_of_subtopics(self) -> None:
        """Iterations name them, as for ir_measures' own measures of diversity."""
        qrels = [Qrel("q", "a", 1, "company"), Qrel("q", "b", 1, "fruit")]
        run = {"q": {"a": 0.9, "b": 0.4}}
        measures = [provider.measure(text) for text in ("IRec@1", "IRec@2", "IA(P)@1", "AP")]
        found = values(measures, qrels, run)
        half = {("q", "IRec@1"): 0.5, ("q", "IA(P)@1"): 0.5}
        assert found == half | {("q", "IRec@2"): 1.0, ("q", "cranfield.AP"): 1.0}

    def test_every_shape_gives_the_same(self) -> None:
        levels = [(t, d, x) for t, docs in QRELS.items() for d, x in docs.items()]
        scores = [(t, d, x) for t, docs in RUN.items() for d, x in docs.items()]
        qrels = pd.DataFrame(levels, columns=["query_id", "doc_id", "relevance"])
        run = pd.DataFrame(scores, columns=["query_id", "doc_id", "score"])
        measures = [provider.Q, ir_measures.RR]
        expected = values(measures, QRELS, RUN)
        assert values(measures, qrels, run.assign(rank=0, query="text")) == expected
        tuples = [Qrel(*row) for row in levels], [ScoredDoc(*row) for row in scores]
        assert values(measures, *tuples) == expected
        assert values(measures, iter(tuples[0]), iter(tuples[1])) == expected
        frames = pl.DataFrame(qrels), pl.DataFrame(run)  # which only our provider takes
        found = provider.PROVIDER.iter_calc(measures, *frames)
        assert {(m.query_id, str(m.measure)): m.value for m in found} == expected

    def test_many_runs_of_one_evaluator(self) -> None:
        evaluator = ir_measures.evaluator([provider.Q, ir_measures.AP], QRELS)
        for run in (RUN, {"q2": {"a": 1.0}}, RUN):
            assert evaluator.calc_aggregate(run) == ir_measures.calc_aggregate([provider.Q, ir_measures.AP], QRELS, run)

    @pytest.mark.parametrize("run", [{}, {"q9": {"a": 1.0}}, pd.DataFrame(columns=["query_id", "doc_id", "score"])])
    def test_topics_without_an_answer_are_empty_lists(self, run: Any) -> None:
        """PyTerrier asks so for topics of no batch. NumRel is what it is of any list."""
        measures = [provider.Q, provider.measure("NumRel")]
        assert values(measures, QRELS, run) == {
            **{("q1", "Q"): 0.0, ("q2", "Q"): 0.0},
            **{("q1", "cranfield.NumRel"): 2.0, ("q2", "cranfield.NumRel"): 1.0},
        }
        assert ir_measures.calc_aggregate([provider.measure("NumRel")], QRELS, run) == {provider.measure("NumRel"): 3.0}

    def test_without_judgments_there_is_nothing(self) -> None:
        found = ir_measures.calc([provider.Q], {}, RUN)
        assert found.per_query == []
        assert math.isnan(found.aggregated[provider.Q])  # type: ignore[index]


class TestNames:
    @pytest.mark.parametrize(
        ("text", "printed"),
        [
            ("Q@10", "Q@10"),
            ("ndcg(gain=exp)@10", "cranfield.nDCG(gain=exp)@10"),
            ("map_cut_10", "cranfield.AP(norm=R)@10"),
            ("D(nDCG)@10", "D(nDCG)@10"),
            ("hit=Success@10", "hit"),
            ("RR=Q", "cranfield.RR"),
        ],
    )
    def test_are_ours_and_say_so_where_ir_measures_has_one(self, text: str, printed: str) -> None:
        assert str(provider.measure(text)) == repr(provider.measure(text)) == printed

    def test_parse_back(self) -> None:
        for text in ("cranfield.AP(norm=R)@10", "Q(beta=10)@10", "D(nDCG)@10"):
            assert str(provider.measure(text)) == text

    def test_are_not_those_of_ir_measures(self) -> None:
        """AP@10 is divided by the relevant documents there could be in ten ranks, here."""
        assert provider.measure("AP@1") != ir_measures.AP @ 1
        both = [provider.measure("AP@1"), ir_measures.AP @ 1]
        qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}}
        assert values(both, qrels, run) == {("q", "cranfield.AP@1"): 1.0, ("q", "AP@1"): 0.5}

    def test_are_parsed_by_ir_measures(self) -> None:
        found = ir_measures.parse_measure("Q(beta=10)@5")
        assert isinstance(found, CranfieldMeasure)
        assert found == provider.measure("Q(beta=10)@5") == provider.Q(beta=10) @ 5
        assert found in {provider.Q(cutoff=5, beta=10.0)}
        assert found.params == {"beta": 10.0, "cutoff": 5}
        assert (found["beta"], found["cutoff"], provider.Q["cutoff"]) == (10.0, 5, None)
        assert found.SHORT_DESC.startswith("Q-measure")
        assert ir_measures.parse_measure("AP@10") == ir_measures.AP @ 10

    def test_compute_by_themselves(self) -> None:
        assert provider.Q.calc_aggregate(QRELS, RUN) == pytest.approx(0.375)

    def test_module_has_those_there_are(self) -> None:
        from cranfield.compat.provider import RR, iRBU

        assert (str(RR), str(iRBU(p=0.9) @ 5)) == ("cranfield.RR", "iRBU(p=0.9)@5")
        for name in ("D", "nothing"):
            with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
                getattr(provider, name)


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "lacks"),
        [
            ("TBG", "requires lengths of documents"),
            ("nsDCG", "takes sessions"),
            ("Vscore", "takes verticals"),
            ("GMAP", "is a geometric mean over topics"),
        ],
    )
    def test_what_ir_measures_cannot_hand_on(self, text: str, lacks: str) -> None:
        expected = f"{text}, which {lacks}, expected a measure of judgments and runs only"
        with pytest.raises(cf.InputError, match=expected):
            provider.measure(text)

    def test_several_numbers(self) -> None:
        with pytest.raises(cf.InputError, match=r"which is several numbers, expected one, such as"):
            ir_measures.calc_aggregate([provider.IPrec], QRELS, RUN)
        assert values([provider.IPrec @ 0.5], QRELS, {"q1": {"b": 1}})["q1", "cranfield.IPrec@0.5"]

    def test_unknown_names_and_parameters(self) -> None:
        with pytest.raises(cf.CranfieldError, match="unknown measure 'Qx"):
            provider.measure("Qx@10")
        with pytest.raises(cf.CranfieldError, match="unknown parameter 'alpha'"):
            provider.Q(alpha=1)

    def test_what_a_user_defined_under_our_name(self) -> None:
        mine = ir_measures.define_byquery(lambda qrels, run: 7.0, name="P")
        assert not provider.PROVIDER.supports(mine)
        assert ir_measures.calc_aggregate([mine], QRELS, RUN)[mine] == 14 / 3  # q9 counts there
        with pytest.raises(cf.InputError, match="found measure P, expected a measure that cranfield also has"):
            provider.PROVIDER.calc_aggregate([mine], QRELS, RUN)

    def test_without_ir_measures(self) -> None:
        code = "import sys; sys.modules['ir_measures'] = None\nfrom cranfield.compat import provider"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "MissingPackage: this provider needs ir_measures (cranfield[ir_measures])" in (done.stderr)
        assert done.stderr.rstrip().endswith('-m pip install "ir-measures>=0.3.7"')


@pytest.fixture
def pipeline() -> Iterator[list[Any]]:
    """The providers that ir_measures asks, as they were before the test when it ends."""
    asked = ir_measures.DefaultPipeline.providers
    before = [*asked]
    yield asked
    asked[:] = before


class TestProvider:
    def test_is_asked_last(self, pipeline: list[Any]) -> None:
        assert pipeline[-1] is provider.PROVIDER is ir_measures.providers.registry["cranfield"]
        assert pipeline.count(provider.PROVIDER) == 1

    def test_knows_what_nobody_else_does(self, pipeline: list[Any]) -> None:
        """gdeval has ERR at a cutoff only."""
        assert not any(one.supports(ir_measures.ERR) for one in pipeline[:-1])
        found = values([ir_measures.ERR], QRELS, {"q1": {"a": 1.0}})
        assert found["q1", "ERR"] == pytest.approx((2**2 - 1) / 16)

    def test_may_be_asked_first(self, pipeline: list[Any]) -> None:
        provider.register(first=True)
        assert pipeline[0] is provider.PROVIDER
        assert pipeline.count(provider.PROVIDER) == 1
        with mock.patch.object(provider.PROVIDER, "_evaluator", side_effect=KeyError("asked")):
            with pytest.raises(KeyError, match="asked"):
                ir_measures.calc_aggregate([ir_measures.AP], QRELS, RUN)
            provider.register()
            assert ir_measures.calc_aggregate([ir_measures.AP], QRELS, RUN)

    @pytest.mark.parametrize("text", ["AP@10", "nDCG@5", "RR@5", "SetF(beta=2.0)", "NumRet", "RBP(rel=1)", "Judged@10"])
    def test_has_ir_measures_own_measures(self, text: str) -> None:
        """With their meaning, where no scores are equal."""
        qrels, run = collection(5, (0, 1, 2, 3), ties=False)
        measure = ir_measures.parse_measure(text)
        ours = provider.PROVIDER.calc([measure], qrels, run)
        theirs = ir_measures.calc([measure], qrels, run)
        expected = {m.query_id: m.value for m in theirs.per_query}
        assert {m.query_id: m.value for m in ours.per_query} == pytest.approx(expected, abs=ROUNDING)
        kinds = {type(m) for m in ours.per_query}
        assert kinds == {type(m) for m in theirs.per_query}
        assert ours.aggregated == {measure: pytest.approx(theirs.aggregated[measure])}  # type: ignore[index]


class TestCommandLine:
    """`python -m cranfield.compat.provider` beside the command `ir_measures`."""

    @pytest.fixture
    def files(self, here: Path) -> str:
        qrels = "".join(f"{t} 0 {d} {x}\n" for t, docs in QRELS.items() for d, x in docs.items())
        run = "".join(f"{t} Q0 {d} 0 {x} r\n" for t, docs in RUN.items() for d, x in docs.items())
        Path("qrels").write_text(qrels)
        Path("run").write_text(run)
        return "qrels run"

    def printed(self, capsys: pytest.CaptureFixture[str], words: str, command: Any) -> str:
        with mock.patch.object(sys, "argv", ["ir_measures", *words.split()]):
            command()
        return capsys.readouterr().out

    @pytest.mark.parametrize("options", ["", "-q", "-q -n", "-p 2", "-o jsonl", "-q -o jsonl"])
    def test_is_theirs(self, files: str, options: str, capsys: pytest.CaptureFixture[str]) -> None:
        words = f"{files} AP@10 P(rel=2)@5 {options}"
        theirs = self.printed(capsys, words, main_cli)
        assert self.printed(capsys, words, provider.main) == theirs != ""

    def test_has_our_measures(self, files: str, capsys: pytest.CaptureFixture[str]) -> None:
        words = f"{files} Q@10 AP@1 cranfield.AP@1 nDCG(gain=exp)@10 D(P)@1"
        found = self.printed(capsys, words, provider.main)
        values = dict(line.split("\t") for line in found.splitlines())
        assert values["Q@10"] == "0.3750"
        assert (values["AP@1"], values["cranfield.AP@1"]) == ("0.2500", "0.5000")
        assert values.keys() > {"cranfield.nDCG(gain=exp)@10", "D(P)@1"}

    def test_computes_all_by_cranfield_if_asked(self, files: str, capsys: pytest.CaptureFixture[str]) -> None:
        words = f"{files} AP@10 Q --provider cranfield"
        assert self.printed(capsys, words, provider.main) == "AP@10\t0.4167\nQ\t0.3750\n"

    def test_says_what_is_wrong(self, files: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            self.printed(capsys, f"{files} Qx@10", provider.main)
        assert ended.value.code == 2
        assert "unknown measure 'Qx@10'. Did you mean Q@10?" in capsys.readouterr().err

    def test_as_a_module(self, files: str) -> None:
        command = [sys.executable, "-m", "cranfield.compat.provider", *files.split(), "Q@10"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == "Q@10\t0.3750\n"
