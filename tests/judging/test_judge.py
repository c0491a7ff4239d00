"""A judge and people: every way in, what is promised, what trusting the judge alone would do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import cranfield as cf
from cranfield.errors import InputError
from cranfield.judging.judge import _format_sentence, judge
from tests.evidence import checks
from tests.made import Command, written

N, ALL = 24, 60
TOPICS = [f"{t:03d}" for t in range(ALL)]


def judged(seed: int = 0, bias: float = 0.0, useless: bool = False) -> tuple[Any, Any, Any]:
    """People's levels of all topics, a judge's, and three runs, the first of which is the best."""
    random = np.random.default_rng(seed)
    people: dict[str, dict[str, int]] = {}
    model: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {"good": {}, "fair": {}, "poor": {}}
    for topic in TOPICS:
        level = {f"d{k}": int(x) for k, x in enumerate(random.random(30) < random.uniform(0.1, 0.6))}
        people[topic] = level
        wrong = random.random(30) < (0.5 if useless else 0.15)
        model[topic] = {
            d: int(1 - x if w else max(x, random.random() < bias))
            for (d, x), w in zip(level.items(), wrong, strict=True)
        }
        for run, noise in (("good", 0.4), ("fair", 0.8), ("poor", 3.0)):
            keys = {d: -x + random.normal() * noise for d, x in level.items()}
            runs[run][topic] = sorted(level, key=keys.__getitem__)[:20]
    return people, model, runs


PEOPLE, MODEL, RUNS = judged()
SOME = {t: PEOPLE[t] for t in np.random.default_rng(5).permutation(TOPICS)[:N]}


def test_the_worked_numbers() -> None:
    people = {"a": {"1": 0.2, "2": 0.4, "3": 0.6, "4": 0.8}}
    others = {str(t): t / 10 - 0.4 for t in range(5, 13)}
    model = {"a": {"1": 0.3, "2": 0.5, "3": 0.5, "4": 0.9, **others}}
    found = judge(people, model)
    [row] = found.runs
    assert row.found.estimate == pytest.approx(0.459559, abs=5e-7)
    assert (row.found.low, row.found.high) == pytest.approx((0.1183, 0.8009), abs=5e-5)
    assert row.found.unpromised == "4 topics with human labels: intervals hold from 20 on"
    assert row.found.bias == pytest.approx(0.05)  # 0.55 − 0.5
    assert not found.pairs


def test_judgments_are_scores() -> None:
    """By judgments and runs, or by the scores of these: the same; and a pair is the difference."""
    found = judge(SOME, MODEL, RUNS, "nDCG@10")
    people, model = (cf.evaluate(x, RUNS, "nDCG@10") for x in (SOME, MODEL))
    by_scores = judge(people, model)
    assert [r.found for r in found.runs] == [r.found for r in by_scores.runs]
    assert [p.found for p in found.pairs] == [p.found for p in by_scores.pairs]
    y, f = ({t: s["good", t, "nDCG@10"] for t in s.topics} for s in (people, model))
    alone = cf.stats.prediction_powered(y, f)
    [good] = [row for row in found.runs if row.run == "good"]
    assert good.found.estimate == pytest.approx(alone.estimate, abs=1e-12)
    [pair] = [p for p in found.pairs if (p.run, p.other) == ("good", "poor")]
    z, g = ({t: s["good", t, "nDCG@10"] - s["poor", t, "nDCG@10"] for t in s.topics}
            for s in (people, model))  # fmt: skip
    expected = cf.stats.prediction_powered(z, g)
    assert pair.found.estimate == pytest.approx(expected.estimate, abs=1e-12)
    assert pair.found.low == pytest.approx(expected.low, abs=1e-12)


def test_what_trusting_the_judge_would_do() -> None:
    found = judge(SOME, MODEL, RUNS, "nDCG@10", drawn="random")
    [trust] = found.trusts
    assert (trust.n, trust.others, trust.unit) == (N, ALL - N, "topic")
    assert trust.n_eff > N
    text = f"judge was useful by nDCG@10: {N} topics with human labels and the judge are as precise as"
    assert trust.sentence.startswith(text)
    verdicts = {(p.run, p.other): p.verdict for p in found.pairs}
    assert verdicts["good", "poor"] == "confirmed"
    assert trust.significant == sum(p.alone_pvalue <= 0.05 for p in found.pairs)
    by_people = {"good": 0.0} | cf.evaluate(SOME, RUNS, "nDCG@10").mean()["good"]
    [good] = [row for row in found.runs if row.run == "good"]
    assert good.found.people == pytest.approx(by_people["nDCG@10"])
    alone = cf.evaluate(MODEL, RUNS, "nDCG@10").mean()["good"]["nDCG@10"]
    assert good.found.alone == pytest.approx(alone)


def test_swapped_judgments_are_told_of() -> None:
    lacking = [n.text for n in judge(MODEL, SOME, RUNS, "nDCG@10").notes if "excluded" in n.text]
    assert [text.endswith(", excluded. Check that the two are not swapped.") for text in lacking] == [True]


@pytest.mark.parametrize(("n_eff", "said"), [(23.0, "was useful"), (22.0, "was hardly useful"), (20.5, "was not")])
def test_how_far_a_judge_was_worth_it(n_eff: float, said: str) -> None:
    [trust] = judge(SOME, MODEL, RUNS, "nDCG@10").trusts
    found = _format_sentence(replace(trust, n=20, n_eff=n_eff, n_eff_pairs=20.0))
    assert found.startswith(f"judge {said}")


def test_a_useless_judge_was_not_worth_it() -> None:
    _, model, _ = judged(useless=True)
    [trust] = judge(SOME, model, RUNS, "nDCG@10").trusts
    assert "was not useful" in trust.sentence
    assert trust.n_eff == pytest.approx(N, rel=0.2)


def test_a_judge_of_no_other_topic_adds_nothing() -> None:
    [trust] = judge(SOME, {t: MODEL[t] for t in SOME}, RUNS, "AP").trusts
    assert trust.sentence.startswith("judge adds no information by AP: all 24 topics have human judgments")
    assert trust.n_eff == pytest.approx(N)


class TestPromises:
    def test_topics_that_were_chosen_have_no_interval(self) -> None:
        found = judge(SOME, MODEL, RUNS, "AP", drawn="chosen")
        assert {(r.found.low, r.found.unpromised) for r in found.runs} == {
            (None, "topics with human labels were not drawn at random")
        }
        assert {p.verdict for p in found.pairs} == {"unknown"}
        assert "not-promised" in {note.kind for note in found.notes}

    def test_what_nobody_said_is_told(self) -> None:
        kinds = {n.kind for n in judge(SOME, MODEL, RUNS, "AP").notes}
        assert "drawn" in kinds
        assert "drawn" not in {n.kind for n in judge(SOME, MODEL, RUNS, "AP", drawn="random").notes}

    def test_the_first_topics_are_no_sample(self) -> None:
        first = {t: PEOPLE[t] for t in TOPICS[:N]}
        told = [n.text for n in judge(first, MODEL, RUNS, "AP").notes if n.kind == "not-random"]
        [text] = told
        assert text.startswith(f"people judged the first {N} of {ALL} topics. If they were not drawn at")
        assert "not-random" not in {n.kind for n in judge(SOME, MODEL, RUNS, "AP").notes}

    def test_scores_of_two_values(self) -> None:
        found = judge(SOME, MODEL, RUNS, "Success@1")
        told = {r.run: r.found.unpromised for r in found.runs}
        assert told["poor"] == "2 distinct values in 24 topics: intervals hold from 50 on"
        assert all(told.values())

    def test_a_judge_against_people(self) -> None:
        flipped = {t: {d: 1 - x for d, x in docs.items()} for t, docs in PEOPLE.items()}
        told = judge(SOME, flipped, RUNS, "P@10")
        assert {r.found.weight for r in told.runs} == {0}
        assert "no-agreement" in {n.kind for n in told.notes}

    def test_judge_partly_labelled_topics_raises_or_counts_as_nonrelevant(self) -> None:
        """AP depends on every document: it is unknown in all topics, unless the user decides."""
        part = {t: dict([*docs.items()][:9]) for t, docs in SOME.items()}
        said = r"found 0 topics of people and judge by AP, expected at least 3 \(scores that depend"
        with pytest.raises(InputError, match=said):
            judge(part, MODEL, RUNS, "AP")
        found = judge(part, MODEL, RUNS, "AP", missing_labels="nonrelevant")
        [text] = [n.text for n in found.notes if n.kind == "incomplete"]
        assert text == (
            "people judged 216 of 720 documents of judge in the same topics: the other documents count as nonrelevant"
        )


def test_target() -> None:
    """Half of the width is reached with more topics; a wide one is reached, a tiny one never."""
    [wide] = judge(SOME, MODEL, RUNS, "AP", target=0.5).trusts
    [tiny] = judge(SOME, MODEL, RUNS, "AP", target=1e-6).trusts
    assert (wide.needed, tiny.needed) == (N, None)
    found = judge(SOME, MODEL, RUNS, "AP", target=0.04)
    [row] = [r for r in found.runs if r.run == "good"]
    assert row.found.high is not None
    half = row.found.high - row.found.estimate
    assert (row.found.needed or ALL) > N if half > 0.04 else row.found.needed == N


def test_several_judges() -> None:
    _, second, _ = judged(useless=True)
    found = judge(SOME, MODEL, RUNS, "AP", others={"second": second}, per_topic=True)
    assert found.names == ("people", "judge", "second")
    assert [t.judge for t in found.trusts] == ["judge", "second"]
    assert found.agreement is not None
    pairs = {pair.assessors: pair for pair in found.agreement.pairs}
    assert pairs["people", "judge"].values["kappa"] > pairs["people", "second"].values["kappa"]
    assert pairs["judge", "second"].items == ALL * 30
    assert pairs["people", "judge"].items == N * 30
    levels = found.to_polars("levels")
    row = levels.filter((levels["other"] == "judge") & (levels["level"] == "1")).row(0, named=True)
    both = sum(MODEL[t][d] == x == 1 for t, docs in SOME.items() for d, x in docs.items())
    ones = [sum(sum(x[t].values()) for t in SOME) for x in (PEOPLE, MODEL)]
    assert (row["first"], row["second"], row["both"]) == (*ones, both)
    assert row["agreement"] == pytest.approx(2 * both / sum(ones))
    assert set(found.to_polars("topics")["topic"]) == set(TOPICS)


class TestFavour:
    TEAMS: ClassVar = {"good": "A", "fair": "B", "poor": "B", "judge": "B"}

    def test_by_hand(self) -> None:
        """By topic: (f − Y of good) − (mean of f − Y of the others), and a t-test of it."""
        found = judge(SOME, MODEL, RUNS, "P@10", teams=self.TEAMS)
        own, other = found.favours
        assert (own.team, own.own, own.runs) == ("B", True, 2)
        assert (other.team, other.own, other.runs) == ("A", False, 1)
        people, model = (cf.evaluate(x, RUNS, "P@10").select(None, [*SOME]) for x in (SOME, MODEL))
        off = model.values[:, :, 0] - people.values[:, :, 0]
        z = off[1:].mean(axis=0) - off[0]
        expected = cf.stats.t_test(z, np.zeros(N))
        assert own.favour == pytest.approx(z.mean(), abs=1e-12)
        assert own.pvalue == pytest.approx(expected.pvalue, abs=1e-12)
        interval = expected.confidence_interval()
        assert (own.low, own.high) == pytest.approx((interval.low, interval.high), abs=1e-12)

    def test_a_judge_that_favours_its_own(self) -> None:
        """Everything that only poor returns is relevant to the judge."""
        model = {
            t: {d: 1 if d in RUNS["poor"][t][:10] and d not in RUNS["good"][t][:10] else x
                for d, x in docs.items()}
            for t, docs in PEOPLE.items()
        }  # fmt: skip
        teams = {"good": "A", "fair": "A", "poor": "B"}
        found = judge(SOME, model, RUNS, "P@10", teams=teams, family="B")
        assert found.favours[0].own
        assert found.favours[0].favour > 0.1
        assert (found.favours[0].pvalue or 1) < 0.001

    def test_refused(self) -> None:
        with pytest.raises(InputError, match="family requires teams"):
            judge(SOME, MODEL, RUNS, "AP", family="A")
        with pytest.raises(InputError, match="found the family X, expected one of A, B"):
            judge(SOME, MODEL, RUNS, "AP", teams=self.TEAMS, family="X")
        with pytest.raises(InputError, match="found only team A"):
            judge(SOME, MODEL, RUNS, "AP", teams=dict.fromkeys(RUNS, "A"))


class TestAudit:
    """People judged a sample of documents: the truth is what they would say of all."""

    AUDIT = cf.audit(RUNS, 250, "P@10", depth=10, seed=3)
    DRAWN = AUDIT.order.pairs[: AUDIT.to_judge]

    def people(self, count: int | None = None) -> dict[str, dict[str, int]]:
        made: dict[str, dict[str, int]] = {}
        for topic, doc in self.DRAWN[:count]:
            made.setdefault(topic, {})[doc] = PEOPLE[topic][doc]
        return made

    @checks("cf.judge", against="by hand")
    def test_by_hand(self) -> None:
        found = judge(self.people(), MODEL, RUNS, "P@10", audit=self.AUDIT.order)
        p = dict(zip(self.AUDIT.order.pairs, self.AUDIT.order.probabilities, strict=True))
        for row in found.runs:
            change = [
                (PEOPLE[t][d] - MODEL[t][d]) / 10 / ALL / p[t, d] for t, d in self.DRAWN if d in RUNS[row.run][t][:10]
            ]
            alone = cf.evaluate(MODEL, RUNS, "P@10").mean()[row.run]["P@10"]
            assert row.found.alone == pytest.approx(alone)
            assert row.found.estimate == pytest.approx(alone + sum(change), abs=1e-12)
        assert found.unit == "document"
        assert found.trusts[0].n == len(self.DRAWN)
        for row in found.runs:
            assert row.found.low is not None
            assert len(self.DRAWN) < row.found.n_eff <= len(self.AUDIT.order)

    @checks("cf.judge interval", against="simulation")
    def test_the_truth_is_in_the_interval(self) -> None:
        truth = cf.evaluate(PEOPLE, RUNS, "P@10 DCG@10 RBP(p=0.8)@10").mean()
        found = judge(self.people(), MODEL, RUNS, "P@10 DCG@10 RBP(p=0.8)@10", audit=self.AUDIT.order)
        near = [abs(row.found.estimate - truth[row.run][row.measure]) / row.found.error for row in found.runs]
        assert len(near) == 9
        assert max(near) < 4
        pair = found.pairs[0]
        assert pair.found.wide_low is not None
        assert pair.found.wide_low < pair.found.estimate

    def test_whoever_stops_has_a_smaller_sample(self) -> None:
        found = judge(self.people(150), MODEL, RUNS, "P@10", audit=self.AUDIT.order)
        assert found.trusts[0].n == 150
        [text] = [n.text for n in found.notes if n.kind == "audit"]
        assert text.startswith(
            f"150 of {len(self.DRAWN)} documents of the audit have human judgments. The sample ends before"
        )

    def test_whoever_goes_on_has_a_larger_one(self) -> None:
        """All judged: what is estimated is what people say, and certain."""
        every = {t: {d: PEOPLE[t][d] for u, d in self.AUDIT.order.pairs if u == t} for t in TOPICS}
        found = judge(every, MODEL, RUNS, "P@10", audit=self.AUDIT.order)
        truth = cf.evaluate(PEOPLE, RUNS, "P@10").mean()
        for row in found.runs:
            assert row.found.estimate == pytest.approx(truth[row.run]["P@10"], abs=1e-12)
            assert row.found.error == 0

    def test_a_gap_ends_the_sample(self) -> None:
        people = self.people()
        topic, doc = self.DRAWN[99]
        del people[topic][doc]
        found = judge(people, MODEL, RUNS, "P@10", audit=self.AUDIT.order)
        assert found.trusts[0].n == 99
        texts = [n.text for n in found.notes if n.kind == "audit"]
        assert any(f"{len(self.DRAWN) - 100} human judgments outside the sample" in x for x in texts)

    def test_refused(self) -> None:
        for measure in ("GMAP", "NumRel"):
            with pytest.raises(InputError, match=f"an audit does not support {measure}"):
                judge(self.people(), MODEL, RUNS, measure, audit=self.AUDIT.order)
        with pytest.raises(InputError, match=r"does not support undefined=skip for nDCG@10\. Use undefined=zero"):
            judge(self.people(), MODEL, RUNS, "nDCG@10", audit=self.AUDIT.order, undefined="skip")
        with pytest.raises(InputError, match=r"are not in the audit\. Use an audit of this run"):
            judge(self.people(), MODEL, RUNS, "P@20", audit=self.AUDIT.order)
        with pytest.raises(InputError, match=r"found no judgment of .*, the first document of the audit"):
            judge({"000": {"d0": 1}}, MODEL, RUNS, "P@10", audit=[("000", "d1", 0.5, 0.2)])
        with pytest.raises(InputError, match="audit requires runs"):
            judge(SOME, MODEL, audit=self.AUDIT.order)

    def test_target(self) -> None:
        found = judge(self.people(), MODEL, RUNS, "P@10", audit=self.AUDIT.order, target=0.01)
        needed = found.trusts[0].needed
        assert needed is not None
        assert len(self.DRAWN) < needed <= len(self.AUDIT.order)


class TestAnswers:
    """What people and a judge said of answers: nuggets, and support by citations."""

    @staticmethod
    def nuggets(wrong: float, topics: list[str]) -> dict[str, dict[str, dict[str, Any]]]:
        """Six nuggets an answer, of which better runs have more; some are judged otherwise."""
        random, words = np.random.default_rng(2), ("not_support", "support")
        made: dict[str, dict[str, dict[str, Any]]] = {}
        for run, share in (("x", 0.8), ("y", 0.4)):
            for topic in TOPICS:
                told = random.random(6) < share
                seen = told ^ (random.random(6) < wrong)
                of_topic = {f"n{k}": ("vital", words[int(x)]) for k, x in enumerate(seen)}
                made.setdefault(run, {})[topic] = of_topic
        return {run: {t: x for t, x in of.items() if t in topics} for run, of in made.items()}

    def test_nuggets(self) -> None:
        """The same as by scores, and label by label."""
        people, model = self.nuggets(0.0, TOPICS[::2]), self.nuggets(0.15, TOPICS)
        found = judge(people, model, None, "NuggetV", of="nuggets", drawn="random")
        scores = [cf.evaluate_answers(given, "NuggetV") for given in (people, model)]
        by_scores = judge(*scores, drawn="random")
        assert [row.found for row in found.runs] == [row.found for row in by_scores.runs]
        assert found.agreement is not None
        assert found.agreement.items == 2 * 30 * 6
        same = [people[run][t][n] == model[run][t][n] for run in people for t in people[run] for n in people[run][t]]
        assert found.agreement.pairs[0].values["agreement"] == pytest.approx(np.mean(same))
        assert "nuggets" in found.to_markdown("agreement")

    def test_citations(self) -> None:
        random = np.random.default_rng(1)
        model = {
            run: {t: [{"d1": "full"}, {"d2": "full" if random.random() < p else "none"}]
                  for t in TOPICS}
            for run, p in (("x", 0.8), ("y", 0.3))
        }  # fmt: skip
        people = {run: {t: of[t] for t in TOPICS[::2]} for run, of in model.items()}
        found = judge(people, model, None, "CitationP", of="citations")
        assert found.trusts[0].n == 30
        assert found.trusts[0].mean_bias == 0
        assert found.agreement is not None
        assert found.agreement.pairs[0].values["agreement"] == 1

    def test_refused(self) -> None:
        with pytest.raises(InputError, match="of=nuggets cannot be combined with runs or an audit"):
            judge({}, {}, RUNS, of="nuggets")
        with pytest.raises(InputError, match="expected one of nuggets, citations"):
            judge({}, {}, of="notes")  # type: ignore[arg-type]

    def test_the_command(self, tmp_path: Path, cranfield: Command) -> None:
        paths = []
        for name, wrong, topics in (("people", 0.0, TOPICS[::2]), ("model", 0.15, TOPICS)):
            rows = [
                f"{t} {run} {n} vital {said}\n"
                for run, of in self.nuggets(wrong, topics).items()
                for t, of_topic in of.items()
                for n, (_, said) in of_topic.items()
            ]
            paths.append(written(tmp_path / f"{name}.txt", "".join(rows)))
        out = cranfield.printed("judge", *paths, "--labels-of", "nuggets", "-m", "NuggetV", "-f", "tsv")
        assert out.splitlines()[0].startswith("judge\tmeasure\trun\testimate")
        assert len(out.splitlines()) == 3
        told = cranfield.refused("judge", *paths, paths[0], "--labels-of", "nuggets")
        assert "found 3 files with --labels-of, expected 2" in told
        assert "use either --labels-of or --scores, not both" in cranfield.refused(
            "judge", *paths, "--labels-of", "nuggets", "--scores"
        )


class TestAuditOfRatios:
    """Measures that are no sums: what was not drawn is imputed."""

    AUDIT = cf.audit(RUNS, 250, "nDCG@10", depth=20, seed=3)
    MEASURES = "nDCG@10 AP"

    def people(self, count: int) -> dict[str, dict[str, int]]:
        made: dict[str, dict[str, int]] = {}
        for topic, doc in self.AUDIT.order.pairs[:count]:
            made.setdefault(topic, {})[doc] = PEOPLE[topic][doc]
        return made

    def test_all_judged_is_what_people_say(self) -> None:
        every = self.people(len(self.AUDIT.order))
        found = judge(every, MODEL, RUNS, self.MEASURES, audit=self.AUDIT.order)
        truth = cf.evaluate(every, RUNS, self.MEASURES)
        for row in found.runs:
            scores = truth.values[truth.runs.index(row.run), :, truth.measures.index(row.measure)]
            assert row.found.estimate == pytest.approx(scores.mean(), abs=1e-12)
            assert row.found.error == pytest.approx(scores.std(ddof=1) / ALL**0.5, abs=1e-12)
        assert {row.found.unpromised for row in found.runs} == {""}

    def test_a_sample(self) -> None:
        """Nearer to the truth than the judge; only the interval of other topics is there."""
        every = self.people(len(self.AUDIT.order))
        truth = cf.evaluate(every, RUNS, self.MEASURES).mean()
        people = self.people(self.AUDIT.to_judge)
        found = judge(people, MODEL, RUNS, self.MEASURES, audit=self.AUDIT.order, target=0.05)
        near = [row.found.estimate - truth[row.run][row.measure] for row in found.runs]
        alone = [row.found.alone - truth[row.run][row.measure] for row in found.runs]
        assert np.abs(near).mean() < 0.5 * np.abs(alone).mean()
        for row in found.runs:
            assert row.found.low is None
            assert row.found.wide_low is not None
            assert row.found.wide_low <= truth[row.run][row.measure]
            assert row.found.needed is not None
            assert row.found.needed >= self.AUDIT.to_judge
            assert row.found.n_eff > self.AUDIT.to_judge
        assert [one.verdict for one in found.pairs] == ["confirmed"] * 6
        kept = {t: {d: x for d, x in docs.items() if (t, d) in {*self.AUDIT.order.pairs}}
                for t, docs in MODEL.items()}  # fmt: skip
        by_judge = cf.evaluate(kept, RUNS, self.MEASURES).mean()
        for row in found.runs:
            assert row.found.alone == pytest.approx(by_judge[row.run][row.measure], abs=1e-12)

    def test_what_is_not_promised(self) -> None:
        _, useless, _ = judged(useless=True)
        people = self.people(150)
        found = judge(people, useless, RUNS, "nDCG@10", audit=self.AUDIT.order)
        assert found.runs[0].found.unpromised == (
            "150 documents with human labels in 60 topics by a measure that is not a sum, and a "
            "judge that explains little of the human labels: intervals hold from 900 on"
        )
        assert "] ?" in found.to_markdown("runs")
        found = judge(people, MODEL, RUNS, "nDCG@10", audit=self.AUDIT.order)
        assert found.runs[0].found.unpromised == (
            "150 documents with human labels in 60 topics by a measure that is not a sum: intervals hold from 180 on"
        )
        found = judge(self.people(180), MODEL, RUNS, "nDCG@10", audit=self.AUDIT.order)
        assert found.runs[0].found.unpromised == ""
        found = judge(people, MODEL, RUNS, "nDCG@10", audit=self.AUDIT.order, topics=TOPICS[:30])
        expected = "30 topics by a measure that is not a sum: intervals hold from 50 on"
        assert found.runs[0].found.unpromised == expected


GIVEN = {"people": SOME, "judge": MODEL, "runs": RUNS}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({**GIVEN, "people": {}}, "found no judgments"),
        ({**GIVEN, "people": {"x": {"d1": 1}}}, "found topics 000, 001, …, expected some of x"),
        ({"people": {t: SOME[t] for t in [*SOME][:2]}, "judge": MODEL, "runs": RUNS},
         "found 2 topics of people and judge by AP, expected at least 3"),
        ({"people": {"a": {"1": 0.5}}, "judge": {"b": {"1": 0.5}}}, "found no run in both people"),
        ({**GIVEN, "names": ("x", "x")}, "found names"),
        ({**GIVEN, "drawn": "yes"}, "found drawn='yes'"),
        ({**GIVEN, "target": 0}, "found target=0, expected a number"),
        ({**GIVEN, "correction": "x"}, "found correction='x'"),
        ({**GIVEN, "others": {"people": MODEL}}, "found judges named"),
    ],
)  # fmt: skip
def test_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        judge(**given)


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments of people and of the model, runs, teams."""
    path = tmp_path_factory.mktemp("judge")
    for name, levels in (("people.txt", SOME), ("model.txt", MODEL), ("all.txt", PEOPLE)):
        rows = [f"{t} 0 {d} {x}\n" for t, docs in levels.items() for d, x in docs.items()]
        written(path / name, "".join(rows))
    for run, lists in RUNS.items():
        rows = [f"{t} Q0 {d} {r} {100 - r} {run}\n" for t, docs in lists.items() for r, d in enumerate(docs, 1)]
        written(path / f"{run}.run", "".join(rows))
    written(path / "teams.txt", "good A\nfair B\npoor B\n")
    return path


def test_the_command(files: Path, cranfield: Command) -> None:
    runs = [files / f"{run}.run" for run in RUNS]
    given = [files / "people.txt", files / "model.txt", *runs]
    out = cranfield.succeeds("judge", *given, "-m", "nDCG@10", "-f", "json", "--drawn", "random").out
    found = json.loads(out)
    mine = judge(SOME, MODEL, RUNS, "nDCG@10", drawn="random")
    assert [row["estimate"] for row in found["runs"]] == pytest.approx(
        [row.found.estimate for row in mine.runs], abs=1e-12
    )
    text = cranfield.succeeds("judge", *given, "-m", "nDCG@10", "--teams", files / "teams.txt", "--family", "A").out
    assert "was useful by nDCG@10" in text
    assert "own family" in text


def test_the_command_with_scores(files: Path, cranfield: Command, tmp_path: Path) -> None:
    runs = [str(files / f"{run}.run") for run in RUNS]
    for name in ("people", "model"):
        cf.evaluate(files / f"{name}.txt", runs, "AP").save(tmp_path / f"{name}.json")
    both = [tmp_path / "people.json", tmp_path / "model.json"]
    text = cranfield.succeeds("judge", "--scores", *both, "--table", "runs").out
    assert "estimate" in text
    assert cranfield.refused("judge", "--scores", *both, both[0]).endswith("found 3 files with --scores, expected 2")


def test_the_command_with_an_audit(files: Path, cranfield: Command, tmp_path: Path) -> None:
    runs = [files / f"{run}.run" for run in RUNS]
    audit, wanted = tmp_path / "audit.tsv", tmp_path / "wanted.txt"
    drawing = ["--audit", "250", "--depth", "10", "-m", "P@10", "--seed", "3"]
    told = cranfield.succeeds("pool", *runs, *drawing, "-o", audit, "--to-judge", wanted)
    assert "documents to judge, drawn from" in told.out
    drawn = [line.split() for line in wanted.read_text().splitlines()]
    assert [tuple(pair) for pair in drawn] == [*TestAudit.DRAWN]
    people = written(tmp_path / "p.txt", "".join(f"{t} 0 {d} {PEOPLE[t][d]}\n" for t, d in drawn))
    done = cranfield.succeeds(
        "judge",
        people,
        files / "model.txt",
        *runs,
        "-m",
        "P@10",
        "--audit-file",
        audit,
        "-f",
        "csv",
    )
    mine = judge(cf.read_qrels(people), MODEL, RUNS, "P@10", audit=TestAudit.AUDIT.order)
    first = done.out.splitlines()[1].split(",")
    assert float(first[3]) == pytest.approx(mine.runs[0].found.estimate, abs=1e-12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["people.txt"], "found 1 file, expected PEOPLE JUDGE RUN…"),
        (["people.txt", "model.txt"], "no run given. Use PEOPLE JUDGE RUN…"),
        (
            ["people.txt", "people.txt", "good.run"],
            "duplicate file people.txt. Use a file for each judge",
        ),
        (["people.txt", "model.txt", "good.run", "--target", "0"], "found target=0"),
        (["people.txt", "model.txt", "good.run", "--family", "A"], "--family"),
    ],
)
def test_refused_commands(
    files: Path, cranfield: Command, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    assert said in cranfield.refused("judge", *words)


# -- what people and judge may not have in common --------------------------------------------------


def kinds(found: Any) -> set[str]:
    return {note.kind for note in found.notes}


def test_documents_of_other_names_are_refused() -> None:
    """People would have found nothing relevant."""
    others = {t: {f"x{d}": level for d, level in docs.items()} for t, docs in SOME.items()}
    said = "no document judged by both people and judge in 24 topics"
    with pytest.raises(InputError, match=said):
        judge(others, MODEL, RUNS, "P@10", drawn="random")


def test_levels_on_another_scale_are_noted() -> None:
    scaled = {t: {d: 25 * level for d, level in docs.items()} for t, docs in MODEL.items()}
    found = judge(SOME, scaled, RUNS, "P@10", drawn="random")
    [text] = [note.text for note in found.notes if note.kind == "scales"]
    assert text.startswith("people has levels up to 1, judge up to 25 for the same documents")
    plain = judge(SOME, MODEL, RUNS, "P@10", drawn="random")
    assert "scales" not in kinds(plain)
    assert plain.trusts[0].sentence == found.trusts[0].sentence  # P knows no levels


def test_a_copy_is_noted() -> None:
    found = judge(SOME, PEOPLE, RUNS, "P@10", drawn="random")
    [text] = [note.text for note in found.notes if note.kind == "same-levels"]
    assert text == ("people and judge have the same levels for all 720 documents of both. Check "
                    "that one is not a copy of the other.")  # fmt: skip
    assert "same-levels" not in kinds(judge(SOME, MODEL, RUNS, "P@10", drawn="random"))


def test_what_chosen_topics_cannot_tell() -> None:
    found = judge(SOME, MODEL, RUNS, "P@10", drawn="chosen")
    assert found.trusts[0].sentence == (
        "it is unknown whether judge was useful by P@10: topics with human labels were not drawn at random"
    )
