"""A judge and people who labelled only some answers, documents, nuggets or citations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.errors import InputError
from cranfield.judging.estimates import AnswerEstimator
from cranfield.judging.judge import judge
from cranfield.stats.prediction import estimate_powered_rows
from tests.coverage_simulated import PARTIAL, by_answer
from tests.evidence import checks
from tests.made import Command, written

NAN = float("nan")
WORDS = ("not_support", "support")
Answers = dict[str, dict[str, dict[str, tuple[str, str]]]]


def answered(topics: int = 30, wrong: float = 0.06, seed: int = 4) -> tuple[Answers, Answers]:
    """What people and a judge say of five vital nuggets of each answer of three runs; the judge
    errs towards support.
    """
    random = np.random.default_rng(seed)
    people: Answers = {}
    model: Answers = {}
    for run, share in (("good", 0.8), ("fair", 0.5), ("poor", 0.2)):
        for t in range(topics):
            told = random.random(5) < share
            seen = told | (random.random(5) < 2 * wrong)
            for said, made in ((told, people), (seen, model)):
                labels = {f"n{k}": ("vital", WORDS[int(x)]) for k, x in enumerate(said)}
                made.setdefault(run, {})[f"q{t:02d}"] = labels
    return people, model


def some_of(answers: Answers, count: int, seed: int = 5) -> Answers:
    """Answers that were drawn one by one."""
    cells = [(run, topic) for run, of in answers.items() for topic in of]
    drawn = np.random.default_rng(seed).permutation(len(cells))[:count]
    made: Answers = {}
    for run, topic in (cells[i] for i in sorted(drawn)):
        made.setdefault(run, {})[topic] = answers[run][topic]
    return made


PEOPLE, MODEL = answered()
SOME = some_of(PEOPLE, 11)


def scores(answers: Answers) -> dict[tuple[str, str], float]:
    """The fraction of supported nuggets of each answer."""
    return {
        (run, topic): float(np.mean([label == "support" for _, label in labels.values()]))
        for run, of in answers.items()
        for topic, labels in of.items()
    }


def by_run(found: Any) -> Mapping[str, Any]:
    return {row.run: row for row in found.runs}


class TestAnswers:
    def test_judge_eleven_answers_bias_is_over_these(self) -> None:
        """A missing label is no 0: the bias is the mean of f − y over the 11 labelled answers."""
        found = judge(SOME, MODEL, None, "NuggetV", of="nuggets", drawn="random")
        y, f = scores(SOME), scores(MODEL)
        [trust] = found.trusts
        assert (trust.n, trust.others, trust.unit) == (11, 79, "answer")
        assert trust.mean_bias == pytest.approx(np.mean([f[k] - y[k] for k in y]), abs=1e-12)
        assert 0 < trust.mean_bias < 0.1
        assert [row.run for row in found.runs] == ["good", "fair", "poor"]
        assert trust.sentence.startswith("judge was useful by NuggetV: 11 answers with human labels")
        truth = cf.evaluate_answers(PEOPLE, "NuggetV").mean()
        for row in found.runs:
            assert row.found.people == pytest.approx(np.mean([x for (run, _), x in y.items() if run == row.run]))
            assert abs(row.found.estimate - truth[row.run]["NuggetV"]) < 0.15
        [text] = [n.text for n in found.notes if n.kind == "unlabelled"]
        assert text.startswith("people labelled 11 of 90 answers in ")

    @checks("cf.judge", against="by hand")
    def test_judge_half_of_a_run_labelled_estimates_each_run_by_its_own_topics(self) -> None:
        """good in 24 topics, fair in 12 of these: each is `prediction_powered` of its own."""
        topics = [f"q{t:02d}" for t in range(24)]
        some = {"good": {t: PEOPLE["good"][t] for t in topics},
                "fair": {t: PEOPLE["fair"][t] for t in topics[::2]}}  # fmt: skip
        model = {run: MODEL[run] for run in some}
        found = judge(some, model, None, "NuggetV", of="nuggets", drawn="random")
        y, f = scores(some), scores(model)
        for run, row in by_run(found).items():
            expected = cf.stats.prediction_powered(
                {t: x for (r, t), x in y.items() if r == run},
                {t: x for (r, t), x in f.items() if r == run},
            )
            assert row.found.estimate == pytest.approx(expected.estimate, abs=1e-12)
            assert (row.found.low, row.found.high) == (
                pytest.approx(expected.low), pytest.approx(expected.high)
            )  # fmt: skip
            assert row.found.n == expected.n
        assert by_run(found)["fair"].found.unpromised == ("12 answers with human labels: intervals hold from 20 on")

    def test_judge_run_without_labels_has_no_estimate(self) -> None:
        seen = {run: of for run, of in SOME.items() if run != "poor"}
        found = judge(seen, MODEL, None, "NuggetV", of="nuggets", drawn="random", target=0.1)
        row = by_run(found)["poor"]
        assert np.isnan(row.found.estimate)
        assert (row.found.low, row.found.high, row.rank, row.found.n) == (None, None, None, 0)
        assert (row.found.unpromised, row.found.why_not) == ("no human labels",) * 2
        alone = cf.evaluate_answers(MODEL, "NuggetV").mean()["poor"]["NuggetV"]
        assert row.found.alone == pytest.approx(alone)
        assert {p.verdict for p in found.pairs if "poor" in (p.run, p.other)} == {"unknown"}
        texts = [n.text for n in found.notes if n.kind == "no-labels"]
        assert texts == ["1 run (poor) without labels of people: no estimate, no interval"]
        assert "nan" not in found.to_markdown("runs")

    def test_judge_topics_that_some_runs_answered_are_left_out_of_the_others(self) -> None:
        """fair has no answer to q00: neither 0 by people nor by the judge."""
        model = {run: {t: x for t, x in of.items() if (run, t) != ("fair", "q00")}
                 for run, of in MODEL.items()}  # fmt: skip
        found = judge(some_of(PEOPLE, 60), model, None, "NuggetV", of="nuggets", drawn="random")
        f = scores(model)
        alone = np.mean([x for (run, _), x in f.items() if run == "fair"])
        assert by_run(found)["fair"].found.alone == pytest.approx(alone)
        [text] = [n.text for n in found.notes if n.kind == "unjudged-topics"]
        assert text.startswith("fair: 1 topic (q00) without labels of judge")

    def test_judge_partly_labelled_answer_is_unknown(self) -> None:
        """Three of five nuggets of an answer: its score is unknown, not 3 nuggets' or 2 zeros'."""
        some = some_of(PEOPLE, 40)
        run = next(iter(some))
        topic = next(iter(some[run]))
        labels = dict([*some[run][topic].items()][:3])
        some = {**some, run: {**some[run], topic: labels}}
        found = judge(some, MODEL, None, "NuggetV", of="nuggets", drawn="random")
        assert found.trusts[0].n == 39
        [text] = [n.text for n in found.notes if n.kind == "partly-labelled"]
        assert text.startswith("people labelled 1 of 40 answers only in part")

    def test_judge_scores_with_missing_cells_are_unknown(self) -> None:
        """The same from scores: a run and topic without a score is no 0, nor is the topic lost."""
        y, f = scores(SOME), scores(MODEL)
        people: dict[str, dict[str, float]] = {}
        model: dict[str, dict[str, float]] = {}
        for given, made in ((y, people), (f, model)):
            for (run, topic), x in given.items():
                made.setdefault(run, {})[topic] = x
        by_answers = judge(SOME, MODEL, None, "NuggetV", of="nuggets", drawn="random")
        by_scores = judge(people, model, drawn="random")
        for run, row in by_run(by_answers).items():
            other = by_run(by_scores)[run].found
            assert other.estimate == pytest.approx(row.found.estimate, abs=1e-12)
        assert by_scores.unit == "score"

    def test_judge_target_gives_a_number_or_a_reason(self) -> None:
        some = some_of(PEOPLE, 45)
        found = judge(some, MODEL, None, "NuggetV", of="nuggets", drawn="random", target=0.2)
        [trust] = found.trusts
        assert trust.needed is not None
        assert 45 <= trust.needed <= 90
        assert not trust.why_not
        [trust] = judge(some, MODEL, None, "NuggetV", of="nuggets", drawn="random", target=0.001).trusts
        assert trust.needed is None
        assert "with judge labels are too few" in trust.why_not

    def test_the_command_prints_a_number_or_a_reason(self, tmp_path: Path, cranfield: Command) -> None:
        paths = []
        for name, answers in (("people", SOME), ("model", MODEL)):
            rows = [
                f"{topic},{run},{n},vital,{label}\n"
                for run, of in answers.items()
                for topic, labels in of.items()
                for n, (_, label) in labels.items()
            ]
            header = "topic,run,nugget,importance,assignment\n"
            paths.append(written(tmp_path / f"{name}.csv", header + "".join(rows)))
        given = ["judge", *paths, "--labels-of", "nuggets", "-m", "NuggetV", "--drawn", "random"]
        out = cranfield.printed(*given, "--target", "0.5", "--table", "trust")
        assert "for ±0.5 by NuggetV, " in out
        assert "answers need human labels in total" in out
        out = cranfield.printed(*given, "--target", "0.001", "--table", "trust")
        assert "for ±0.001 by NuggetV, the number of answers is unknown: all 30 answers" in out


class TestRows:
    """Estimates of runs whose labelled topics differ, by hand."""

    Y = np.array([[1.0, 0.5, 0.0, NAN, NAN, NAN], [NAN, NAN, 0.25, 0.75, NAN, NAN]])
    F = np.array([[1.0, 0.75, 0.25, 0.5, 0.5, 0.0], [0.5, 0.5, 0.5, 1.0, 0.25, 0.0]])

    def test_powered_rows_by_the_naive_way(self) -> None:
        """λ of a topic: Σ (y − ȳ)(f − f̄) / Σ (n − 1) of all runs without it, over the variance."""
        found, weights = estimate_powered_rows(self.Y, self.F)
        for r in range(2):
            mine = [t for t in range(6) if not np.isnan(self.Y[r, t])]
            rest = [t for t in range(6) if np.isnan(self.Y[r, t])]
            values, used = [], []
            for t in mine:
                both = [[s for s in range(6) if s != t and not np.isnan(self.Y[k, s])]
                        for k in range(2)]  # fmt: skip
                top, free = 0.0, 0
                for k, b in enumerate(both):
                    if len(b) > 1:
                        top += np.cov(self.Y[k, b], self.F[k, b])[0, 1] * (len(b) - 1)
                        free += len(b) - 1
                others = [s for s in range(6) if s != t]
                spread = np.mean([self.F[k, others].var(ddof=1) for k in range(2)])
                best = top / free / spread * len(rest) / 6
                used.append(min(max(best, 0.0), 1.0))
                values.append(self.Y[r, t] - used[-1] * (self.F[r, t] - self.F[r, rest].mean()))
            assert found.mean[r] == pytest.approx(np.mean(values), abs=1e-12)
            assert weights[r] == pytest.approx(np.mean(used), abs=1e-12)
            variance = np.var(values, ddof=1) / len(mine)
            variance += np.mean(used) ** 2 * self.F[r, rest].var(ddof=1) / len(rest)
            assert (found.spread[r] ** 2).sum() == pytest.approx(variance, abs=1e-12)

    def test_by_answer_difference_has_the_covariance_of_shared_topics(self) -> None:
        """With λ = 0 (no others), 4 and 3 topics, 3 in common: Var = s²/4 + s²/3 − 2 Σ ψ ψ′."""
        Y = np.array([[0.0, 0.2, 0.6, 0.8], [0.1, 0.2, 0.6, NAN]])
        F = np.where(np.isnan(Y), NAN, 0.5)
        one = AnswerEstimator("m", ("a", "b"), False, Y, F).estimate(np.array([1.0, -1.0]))
        a, b = Y[0], Y[1, :3]
        assert one.estimate == pytest.approx(a.mean() - b.mean())
        shared = (a[:3] - a.mean()) @ (b - b.mean()) / np.sqrt(4 * 3 * 3 * 2)
        expected = a.var(ddof=1) / 4 + b.var(ddof=1) / 3 - 2 * shared
        assert one.error**2 == pytest.approx(expected)
        assert one.n == 7

    def test_by_answer_one_label_has_an_estimate_and_no_interval(self) -> None:
        Y = np.where(np.arange(6) < 1, self.F, NAN)
        one = AnswerEstimator("m", ("a", "b"), False, Y, self.F).estimate(np.array([1.0, 0.0]))
        assert one.estimate == 1.0  # without two answers of a run the judge has no weight
        assert (one.low, one.high) == (None, None)
        assert one.unpromised == "1 answer with human labels for a run: an interval needs 3"

    def test_by_answer_equal_scores_have_no_interval(self) -> None:
        Y, F = np.ones((1, 12)), np.ones((1, 12))
        Y[0, 10:] = NAN
        one = AnswerEstimator("m", ("a",), False, Y, F).estimate(np.ones(1))
        assert (one.low, one.high, one.unpromised) == (
            None, None, "no variance: all scores are equal",
        )  # fmt: skip
        assert np.isnan(one.pvalue)

    @pytest.mark.parametrize("nested", [False, True])
    def test_intervals_of_partly_labelled_runs_hold(self, nested: bool) -> None:
        for share in by_answer("biased", 40 if nested else 75, 400, nested).values():
            assert PARTIAL[0] - 0.02 <= share <= PARTIAL[1] + 0.01


def test_prediction_powered_equal_scores_have_no_interval() -> None:
    found = cf.stats.prediction_powered([1, 1, 1], [1, 1, 1], [1, 1])
    assert (found.estimate, found.low, found.high) == (1, None, None)


# -- documents ------------------------------------------------------------------------------------

QRELS = {f"t{k}": {f"d{i}": int((i + k) % 3 == 0) for i in range(8)} for k in range(8)}
RUNS = {
    "x": {t: [f"d{i}" for i in range(8)] for t in QRELS},
    "y": {t: [f"d{i}" for i in (7, 6, 5, 4, 3, 2, 1, 0)] for t in QRELS},
}
BY_MODEL = {t: {d: x if (i + k) % 5 else 1 - x for i, (d, x) in enumerate(docs.items())}
            for k, (t, docs) in enumerate(QRELS.items())}  # fmt: skip


class TestDocuments:
    def test_judge_ranking_with_all_its_documents_labelled_is_known(self) -> None:
        """People labelled d0 to d3: P@4 of x is known, that of y is not."""
        some = {t: dict([*docs.items()][:4]) for t, docs in [*QRELS.items()][:5]}
        found = judge(some, BY_MODEL, RUNS, "P@4", drawn="random")
        x, y = (by_run(found)[run].found for run in "xy")
        truth = cf.evaluate({t: QRELS[t] for t in some}, RUNS, "P@4").mean()
        assert (x.n, y.n) == (5, 0)
        assert x.people == pytest.approx(truth["x"]["P@4"])
        assert np.isnan(y.estimate)
        assert found.unit == "ranking"

    @checks("cf.judge", against="by hand")
    def test_judge_labels_drawn_one_by_one_are_the_sample(self) -> None:
        """n of 64 documents: π = n/64, and Σ w f + Σ w (y − f)/π."""
        pairs = [(t, d) for t, docs in QRELS.items() for d in docs]
        drawn = [pairs[i] for i in np.random.default_rng(3).permutation(64)[:40]]
        people: dict[str, dict[str, int]] = {}
        for t, d in drawn:
            people.setdefault(t, {})[d] = QRELS[t][d]
        found = judge(people, BY_MODEL, RUNS, "P@4", drawn="labels")
        assert (found.unit, found.trusts[0].n, found.trusts[0].others) == ("document", 40, 24)
        for run, row in by_run(found).items():
            change = [(QRELS[t][d] - BY_MODEL[t][d]) / 4 / 8 for t, d in drawn
                      if d in RUNS[run][t][:4]]  # fmt: skip
            alone = cf.evaluate(BY_MODEL, RUNS, "P@4").mean()[run]["P@4"]
            assert row.found.estimate == pytest.approx(alone + sum(change) * 64 / 40, abs=1e-12)

    @pytest.mark.parametrize("docs", [("d0",), ("d0", "d1")])
    def test_judge_audit_of_certain_documents_only_has_no_interval(self, docs: tuple[str, ...]) -> None:
        """What was drawn has π = 1, what was not is unknown: nothing tells how far it differs."""
        order = [(t, d, 1.0, 0.1 * k) for t in QRELS for k, d in enumerate(docs)]
        order += [(t, f"d{i}", 0.2, 3.0) for t in QRELS for i in range(len(docs), 4)]
        people = {t: {d: QRELS[t][d] for d in docs} for t in QRELS}
        runs = {"x": RUNS["x"]}
        [row] = judge(people, BY_MODEL, runs, "P@4", audit=order).runs
        assert (row.found.low, row.found.high) == (None, None)
        assert row.found.unpromised.startswith("fewer than 5 sampled documents")

    def test_judge_audit_run_without_labels_has_no_estimate(self) -> None:
        order = [(t, f"d{i}", 0.5, 0.1 if i < 4 else 2.0) for t in QRELS for i in range(8)]
        people = {t: dict([*docs.items()][:4]) for t, docs in QRELS.items()}
        found = judge(people, BY_MODEL, RUNS, "P@4", audit=order)
        x, y = (by_run(found)[run].found for run in "xy")
        assert x.n == 32
        assert np.isnan(y.estimate)
        assert (y.low, y.wide_low, y.unpromised) == (None, None, "no human labels")


# -- labels of answers that were drawn one by one -------------------------------------------------


class TestLabels:
    @checks("cf.judge", against="by hand")
    def test_judge_nuggets_drawn_one_by_one(self) -> None:
        """450 nuggets, of which every third was drawn: π = 1/3, w = 1/5 of a topic of 30."""
        keys = [(run, t, n) for run, of in PEOPLE.items() for t, x in of.items() for n in x]
        drawn = keys[::3]
        people: Answers = {}
        for run, t, n in drawn:
            people.setdefault(run, {}).setdefault(t, {})[n] = PEOPLE[run][t][n]
        found = judge(people, MODEL, None, "NuggetV", of="nuggets", drawn="labels")
        assert (found.unit, found.trusts[0].n, found.trusts[0].others) == ("nugget", 150, 300)
        for run, row in by_run(found).items():
            change = [
                (PEOPLE[run][t][n][1] == "support") - (MODEL[run][t][n][1] == "support")
                for r, t, n in drawn
                if r == run
            ]
            alone = cf.evaluate_answers(MODEL, "NuggetV").mean()[run]["NuggetV"]
            expected = alone + 3 * sum(change) / 5 / 30
            assert row.found.estimate == pytest.approx(expected, abs=1e-12)

    @checks("cf.judge", against="by hand")
    def test_judge_citations_drawn_one_by_one(self) -> None:
        """Two sentences with two citations and one: P has w = 1/3, R by the first w = 1/2."""
        model = {"a": {f"q{t}": [{"d1": "full", "d2": "none"}, {"d3": "full"}] for t in range(10)}}
        people = {"a": {f"q{t}": [{"d1": "none"} if t < 5 else {"d1": "full"}] for t in range(10)}}
        found = judge(people, model, None, "CitationP CitationR", of="citations", drawn="labels")
        assert [t.n for t in found.trusts] == [10, 10]
        p, r = (row.found for row in found.runs)
        assert p.alone == pytest.approx(2 / 3)
        assert p.estimate == pytest.approx(2 / 3 - 5 / 3 / 10 * 3)  # π = 10/30
        assert r.estimate == pytest.approx(1 - 5 / 2 / 10 * 3)

    def test_judge_citations_of_whole_answers_missing_label_is_unknown(self) -> None:
        """The judge labelled three citations of each answer, people one of them in q0 and q1."""
        full = [{"d1": "full", "d2": "none"}, {"d3": "full"}]
        model = {"a": {f"q{t}": full for t in range(10)}}
        people = {"a": {f"q{t}": full if t > 1 else full[:1] for t in range(6)}}
        found = judge(people, model, None, "CitationP", of="citations", drawn="random")
        assert found.trusts[0].n == 4
        assert found.runs[0].found.people == pytest.approx(2 / 3)
        assert found.trusts[0].mean_bias == pytest.approx(0)

    def test_judge_labels_of_a_measure_that_is_no_sum_raises(self) -> None:
        model = {"a": {f"q{t}": [{"d1": "full"}] for t in range(5)}}
        with pytest.raises(InputError, match="CitationF is not a sum of labels"):
            judge(model, model, None, "CitationF", of="citations", drawn="labels")
        with pytest.raises(InputError, match="drawn=labels requires runs"):
            judge({"a": {"1": 0.5}}, {"a": {"1": 0.5}}, drawn="labels")

    def test_judge_labels_outside_the_scale_are_unknown_if_asked(self) -> None:
        some = some_of(PEOPLE, 40)
        run = next(iter(some))
        topic = next(iter(some[run]))
        odd: Any = {**some[run][topic], "n0": ("vital", "N/A")}
        some = {**some, run: {**some[run], topic: odd}}
        with pytest.raises(InputError, match="found assignment 'N/A'"):
            judge(some, MODEL, None, "NuggetV", of="nuggets")
        found = judge(some, MODEL, None, "NuggetV", of="nuggets", invalid="missing")
        assert found.trusts[0].n == 39
        assert "invalid-labels" in {n.kind for n in found.notes}
